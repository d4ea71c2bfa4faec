/*
 * How long the built-in policies wait between two calls to an MCP server, on a clock that is simulated: seconds and minutes
 * take no time here. The trail is the model's walk on the words of the case, and the server sees what was waited.
 */
#include "gen/compile.h"
#include "tests/unit/mcp_client_kit.h"

#define WORDS_MAX 8u
#define ANSWERS_MAX 8u
#define DATE "Wed, 21 Oct 2026 07:28:00 GMT"

struct answer {
    uint16_t status; /* 0: none */
    const char *retry_after;
    const char *date;
    uint8_t network;
    uint8_t timeout;
};

struct waits_case {
    const char *words;
    struct answer answers[ANSWERS_MAX]; /* then the tool answers; with `down` the last one stays */
    uint64_t waits_ms[ANSWERS_MAX];     /* each at least; exactly, where nothing is drawn */
    size_t waits;
    bool down;
};

#define SAYS(code) {.status = (code)}
#define ASKS(code, after) {.status = (code), .retry_after = (after)}
#define DATED(code, after, at) {.status = (code), .retry_after = (after), .date = (at)}
#define REFUSED {.network = RECOURSE_NETWORK_REFUSED}
#define SLOW {.timeout = RECOURSE_TIMEOUT_CONNECT}

static const struct waits_case pageindex[] = {
    {"rate_limited, rate_limited, rate_limited, rate_limited", {SAYS(429)}, {0, 2000, 4000}, 3, true},
    {"rate_limited, rate_limited, rate_limited, ok", {SAYS(429), SAYS(429), SAYS(429)}, {0, 2000, 4000}, 3, false},
    {"unavailable, unavailable, unavailable, unavailable", {SAYS(502)}, {0, 2000, 4000}, 3, true},
    {"unavailable, unavailable, unavailable, unavailable", {SAYS(503)}, {0, 2000, 4000}, 3, true},
    {"rate_limited, unavailable, unavailable, ok", {SAYS(429), SAYS(502), SAYS(503)}, {0, 2000, 4000}, 3, false},
    {"unreachable, unreachable, unreachable, unreachable", {REFUSED}, {0, 2000, 4000}, 3, true},
    {"unreachable, unreachable, unreachable, unreachable", {SLOW}, {0, 2000, 4000}, 3, true},
    {"unreachable, rate_limited, unreachable, ok", {REFUSED, SAYS(429), SLOW}, {0, 2000, 4000}, 3, false},
    /* what the server asks for */
    {"rate_limited@5s, rate_limited, rate_limited, rate_limited",
     {ASKS(429, "5"), SAYS(429)}, {5000, 2000, 4000}, 3, true},
    {"unavailable@5s, unavailable, unavailable, unavailable", {ASKS(503, "5"), SAYS(503)}, {5000, 2000, 4000}, 3, true},
    {"rate_limited@1s, rate_limited@1s, rate_limited@1s, rate_limited@1s",
     {ASKS(429, "1")}, {1000, 1000, 1000}, 3, true},
    {"rate_limited@60s, ok", {ASKS(429, "60")}, {60000}, 1, false},
    {"unavailable@60s, ok", {ASKS(502, "60")}, {60000}, 1, false},
    {"rate_limited@61s, rate_limited@61s, rate_limited@61s, rate_limited@61s",
     {ASKS(429, "61")}, {0, 2000, 4000}, 3, true},
    {"rate_limited@500ms, ok", {ASKS(429, "0.5")}, {500}, 1, false},
    {"rate_limited, rate_limited, ok", {ASKS(429, "0"), ASKS(429, "0")}, {0, 2000}, 2, false},
    {"rate_limited, rate_limited, ok", {ASKS(429, "-1"), ASKS(429, "-1")}, {0, 2000}, 2, false},
    {"rate_limited, rate_limited, ok", {ASKS(429, "2814, 2"), ASKS(429, "2814, 2")}, {0, 2000}, 2, false},
    {"rate_limited, rate_limited, ok", {ASKS(429, "soon"), ASKS(429, "")}, {0, 2000}, 2, false},
    {"rate_limited@30s, ok", {DATED(429, DATE, "Wed, 21 Oct 2026 07:27:30 GMT")}, {30000}, 1, false},
    {"rate_limited, rate_limited, ok",
     {DATED(429, DATE, DATE), DATED(429, DATE, "Wed, 21 Oct 2026 07:29:00 GMT")}, {0, 2000}, 2, false},
    {"rate_limited@61s, ok", {DATED(429, DATE, "Wed, 21 Oct 2026 07:26:59 GMT")}, {0}, 1, false},
    {"rate_limited@1s, unavailable@7s, rate_limited, ok",
     {ASKS(429, "1"), ASKS(503, "7"), SAYS(429)}, {1000, 7000, 4000}, 3, false},
};

static const struct waits_case by_default[] = {
    {"rate_limited, rate_limited, rate_limited, rate_limited", {SAYS(429)}, {500, 1000, 2000}, 3, true},
    {"rate_limited@5s, rate_limited, ok", {ASKS(429, "5"), SAYS(429)}, {5000, 1000}, 2, false},
    {"rate_limited@60s, ok", {ASKS(429, "60")}, {60000}, 1, false},
    {"rate_limited@61s", {ASKS(429, "61")}, {0}, 0, true},
    {"rate_limited, ok", {ASKS(429, "2814, 2")}, {500}, 1, false},
    {"unreachable, unreachable, unreachable, unreachable", {REFUSED}, {0, 0, 0}, 3, true},
    {"unavailable", {ASKS(503, "1")}, {0}, 0, true},
};

/* ---- the server ---- */

static struct sim_answer scripted(const struct answer *answer, struct recourse_header headers[2])
{
    struct sim_answer made = {.after_ms = 1, .headers = headers};

    made.status = answer->status;
    made.network = answer->network;
    made.timeout = answer->timeout;
    made.unsent = answer->status == 0;
    if (answer->retry_after != NULL) {
        headers[made.header_count++] = (struct recourse_header){{"Retry-After", 11}, kit_span(answer->retry_after)};
    }
    if (answer->date != NULL) {
        headers[made.header_count++] = (struct recourse_header){{"Date", 4}, kit_span(answer->date)};
    }
    return made;
}

/* Greeting, list, the case's answers, and one that bears the id of its call. */
static void serve(struct mcp_kit *mcp, const struct waits_case *one)
{
    static struct recourse_header headers[ANSWERS_MAX][2];
    static struct sim_answer answers[ANSWERS_MAX + 4];
    static char last[256];
    size_t count = 0;
    size_t used = 3;

    answers[0] = (struct sim_answer)MCP_JSON(MCP_HELLO);
    answers[1] = (struct sim_answer)MCP_ACCEPTED;
    answers[2] = (struct sim_answer)MCP_JSON(MCP_LIST(MCP_TOOL("find")));
    for (; one->answers[count].status + one->answers[count].network + one->answers[count].timeout > 0; count++) {
        answers[used++] = scripted(&one->answers[count], headers[count]);
    }
    snprintf(last, sizeof last, "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"result\":" MCP_TEXT("fine") "}", count + 3);
    if (!one->down) {
        answers[used++] = (struct sim_answer)MCP_JSON(last);
    }
    sim_route(&mcp->kit.sim, "http://pages/", answers, used);
}

/* ---- comparing ---- */

static void check_trail(const struct rcs_spec *spec, const struct waits_case *one, const struct recourse_result *result)
{
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    const char *words[WORDS_MAX];
    size_t count = 0;
    char *text = rcs_arena_copy(&arena, one->words, strlen(one->words));
    struct rcs_word *read;
    struct rcs_run run;

    for (char *word = strtok(text, ", "); word != NULL && count < WORDS_MAX; word = strtok(NULL, ", ")) {
        words[count++] = word;
    }
    CU_ASSERT_TRUE_FATAL(rcs_words_read(spec, words, count, &read, &count, &findings));
    rcs_model_run(&arena, spec, read, count, &run);
    RCS_EQUAL(run.used, count);
    RCS_EQUAL(run.end, RECOURSE_REPORTED);
    RCS_EQUAL(result->trail_count, run.step_count);
    for (size_t i = 0; i < result->trail_count && i < run.step_count; i++) {
        RCS_EQUAL(result->trail[i].event, run.steps[i].event);
        RCS_EQUAL(result->trail[i].row, run.steps[i].row);
        RCS_EQUAL(result->trail[i].to, run.steps[i].to);
        RCS_EQUAL(result->trail[i].to == RECOURSE_BACKOFF, run.steps[i].waits);
        RCS_EQUAL(result->trail[i].wait_min_ms, run.steps[i].wait_min_ms);
        RCS_EQUAL(result->trail[i].wait_max_ms, run.steps[i].wait_max_ms);
    }
    RCS_EQUAL(result->scenario, run.scenario);
    RCS_EQUAL(result->tell, run.tell);
    RCS_EQUAL(result->tries, run.tries);
    rcs_arena_clear(&arena);
}

/* Between two calls the server sees the wait, and the millisecond that its answer takes. */
static void check_waits(const struct mcp_kit *mcp, const struct waits_case *one, const struct recourse_result *result)
{
    size_t count = 0;

    for (size_t i = 0; i < result->trail_count; i++) {
        const struct recourse_trail_step *step = &result->trail[i];

        if (step->to != RECOURSE_BACKOFF || count == one->waits) {
            continue;
        }
        RCS_EQUAL(step->wait_min_ms, one->waits_ms[count]);
        CU_ASSERT_TRUE(step->wait_ms >= step->wait_min_ms && step->wait_ms <= step->wait_max_ms);
        RCS_EQUAL(mcp_request(mcp, count + 4)->at_ms - mcp_request(mcp, count + 3)->at_ms, step->wait_ms + 1);
        count++;
    }
    RCS_EQUAL(count, one->waits);
    RCS_EQUAL(mcp->kit.sim.request_count, 3 + one->waits + 1);
}

static void run_case(const char *policy, const struct rcs_spec *spec, const struct waits_case *one)
{
    struct recourse_runner_options options;
    const struct recourse_result *result;
    struct mcp_kit mcp;

    memset(&mcp, 0, sizeof mcp);
    kit_init(&mcp.kit, &options);
    options.policy = recourse_policy_builtin(policy);
    kit_open(&mcp.kit, &options);
    serve(&mcp, one);
    mcp_add(&mcp, "pages");
    (void)mcp_list(&mcp);
    result = recourse_turn_result(mcp_call(&mcp, "find", "{}"), 0);
    check_trail(spec, one, result);
    check_waits(&mcp, one, result);
    RCS_EQUAL(result->success, !one->down);
    mcp_close(&mcp);
}

static void run_cases(const char *policy, const struct waits_case *cases, size_t count)
{
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    const char *path = rcs_arena_format(&arena, "spec/%s.policy.md", policy);
    struct rcs_loaded loaded = {0};
    const char *why = NULL;
    size_t size;
    const char *text = rcs_file_read(&arena, path, &size, &why);

    CU_ASSERT_FATAL(text != NULL);
    CU_ASSERT_FATAL(rcs_load(&arena, path, text, size, &findings, &loaded));
    for (size_t i = 0; i < count; i++) {
        unsigned failed = CU_get_number_of_failures();

        run_case(policy, loaded.spec, &cases[i]);
        if (CU_get_number_of_failures() != failed) {
            fprintf(stderr, "in the case %zu of %s: %s\n", i, policy, cases[i].words);
        }
    }
    rcs_arena_clear(&arena);
}

static void test_pageindex(void)
{
    run_cases("pageindex", pageindex, RCS_COUNT(pageindex));
}

static void test_default(void)
{
    run_cases("default", by_default, RCS_COUNT(by_default));
}

int main(void)
{
    static const struct rcs_test tests[] = {{"pageindex", test_pageindex}, {"default", test_default}};

    return rcs_unit_main("mcp_waits", tests, RCS_COUNT(tests));
}
