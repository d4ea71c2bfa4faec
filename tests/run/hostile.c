#include "tests/run/hostile.h"

#include "tests/run/load.h"
#include "tests/server/faulty.h"
#include "tests/unit/unit.h"

#define SECONDS_MAX 60u
#define WAYS RCS_HOSTILE_WAYS
#define TEXT_MAX 256u

static char seen[WAYS * RCS_HOSTILE_MAX][TEXT_MAX]; /* the facts of each call's tries */
static char names[WAYS * RCS_HOSTILE_MAX][64];

static struct recourse_span span(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

/* ---- what happened, in words ---- */

static void say_facts(const struct recourse_facts *facts, char text[TEXT_MAX])
{
    static const char *const network[RECOURSE_NETWORK_COUNT] = {"", " refused", " unreachable", " dns", " tls", " reset",
                                                                " closed", " other"};
    static const char *const timeout[RECOURSE_TIMEOUT_COUNT] = {"", " connect", " read", " total", " timeout"};
    char http[8] = "";

    if (facts->http > 0) {
        snprintf(http, sizeof http, " %u", facts->http);
    }
    snprintf(text, TEXT_MAX, "%s%s%s%s%s%s", facts->protocol ? " protocol" : "", facts->too_large ? " large" : "",
             network[facts->network], timeout[facts->timeout], http, facts->unsent ? " unsent" : "");
    memmove(text, text + (text[0] == ' '), strlen(text));
}

static void observe(void *user, const struct recourse_observation *observed)
{
    char text[TEXT_MAX];
    size_t index;

    (void)user;
    snprintf(text, sizeof text, "%.*s", (int)observed->call.size, observed->call.data);
    index = strtoul(text, NULL, 10);
    if (observed->facts == NULL) {
        return;
    }
    say_facts(observed->facts, text);
    if (seen[index][0] != '\0' && strcmp(seen[index], text) != 0) {
        snprintf(seen[index] + strlen(seen[index]), TEXT_MAX - strlen(seen[index]), ", then %s", text);
    } else {
        strcpy(seen[index], text);
    }
}

static void say_end(const struct recourse_result *result, unsigned requests, char text[TEXT_MAX])
{
    static const char *const told[RECOURSE_TELL_COUNT] = {"nobody", "model", "host"};
    const struct recourse_policy *policy = result->policy;
    const char *row = "-";
    char rows[128] = "";

    for (size_t i = 0; i < result->trail_count; i++) {
        const struct recourse_trail_step *step = &result->trail[i];

        if (step->fact_row != RECOURSE_NONE && step->from == RECOURSE_ATTEMPT) {
            row = policy->fact_rows[step->fact_row].id;
        }
        if (step->to != RECOURSE_ATTEMPT) {
            snprintf(rows + strlen(rows), sizeof rows - strlen(rows), " %s", policy->rows[step->row].id);
        }
    }
    snprintf(text, TEXT_MAX, "%s %s:%s %s to %s, %u", row, recourse_effect_name(result->effect), rows,
             policy->scenarios[result->scenario].label, told[result->tell], requests);
}

/* ---- servers ---- */

static const char *const paths[WAYS] = {"/call", "/call_safe"};

static unsigned count_faulty(void *user, unsigned way)
{
    return (unsigned)rcs_faulty_count(user, paths[way]);
}

bool rcs_hostile_serve(const struct rcs_hostile_case *cases, struct rcs_hostile_peer *peers, size_t count)
{
    char why[256] = "";
    bool good = true;

    memset(peers, 0, count * sizeof *peers);
    for (size_t i = 0; i < count && good; i++) {
        struct rcs_faulty *server = rcs_faulty_new();

        good = server != NULL && rcs_faulty_start(server) == 0;
        for (unsigned way = 0; way < WAYS && good; way++) {
            good = rcs_faulty_script(server, paths[way], cases[i].script, why, sizeof why);
            snprintf(peers[i].url[way], sizeof peers[i].url[way], "http://127.0.0.1:%u%s", rcs_faulty_port(server), paths[way]);
        }
        peers[i].count = count_faulty;
        peers[i].user = server;
    }
    if (!good) {
        fprintf(stderr, "a script can't be served: %s\n", why);
    }
    return good;
}

void rcs_hostile_stop(struct rcs_hostile_peer *peers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rcs_faulty_free(peers[i].user);
    }
}

/* ---- the calls ---- */

static void add_tools(struct recourse_runner *runner, const struct rcs_hostile_case *one, const struct rcs_hostile_peer *peer,
                      size_t first)
{
    struct recourse_tool tool = {
        .size = sizeof tool,
        .kind = RECOURSE_TOOL_HTTP,
        .method = one->method,
        .headers = one->headers,
        .ca_file = peer->ca_file,
        .timeout_ms = one->timeout_ms,
        .connect_timeout_ms = one->connect_timeout_ms,
        .read_timeout_ms = one->read_timeout_ms,
    };

    for (size_t way = 0; way < WAYS; way++) {
        struct recourse_error error = {RECOURSE_OK, ""};

        snprintf(names[first + way], sizeof names[0], "%zu", first + way);
        tool.url = peer->url[way];
        tool.name = names[first + way];
        tool.declared_safe = way == 1;
        if (recourse_runner_add_tool(runner, &tool, &error) != 0) {
            CU_FAIL_FATAL("no tool");
        }
    }
}

static void check_call(const struct rcs_hostile_case *one, const struct rcs_hostile_peer *peer, const char *facts,
                       const struct recourse_result *result, unsigned way)
{
    char what[TEXT_MAX];
    char text[TEXT_MAX];
    char detail[512];

    snprintf(what, sizeof what, "%s, %s", one->name, way == 0 ? "not safe" : "safe");
    say_end(result, peer->count != NULL ? peer->count(peer->user, way) : 0, text);
    rcs_unit_text_equal(text, way == 0 ? one->unsafe : one->safe, what, __FILE__, __LINE__);
    rcs_unit_text_equal(facts, one->facts, what, __FILE__, __LINE__);
    snprintf(detail, sizeof detail, "%.*s", (int)result->detail.size, result->detail.data != NULL ? result->detail.data : "");
    if (one->says != NULL && strstr(detail, one->says) == NULL) {
        rcs_unit_text_equal(detail, one->says, what, __FILE__, __LINE__);
    }
}

static struct recourse_turn *run_turn(struct recourse_runner *runner, struct recourse_run *run, size_t count)
{
    struct recourse_call_request calls[WAYS * RCS_HOSTILE_MAX];
    struct recourse_turn_options options = {.size = sizeof options, .calls = calls, .call_count = count};
    struct recourse_turn *turn = NULL;
    uint64_t began = rcs_load_now_ms();

    for (size_t i = 0; i < count; i++) {
        calls[i] = (struct recourse_call_request){.id = span(names[i]), .name = span(names[i]), .arguments = span("{}")};
    }
    RCS_EQUAL(recourse_turn_start(run, &options, &turn, NULL), 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(turn);
    while (!recourse_turn_done(turn) && rcs_load_now_ms() - began < 1000 * SECONDS_MAX) {
        RCS_EQUAL(recourse_runner_step(runner, 1000), 0);
    }
    CU_ASSERT_TRUE_FATAL(recourse_turn_done(turn));
    return turn;
}

void rcs_hostile_run(const struct rcs_hostile_case *cases, const struct rcs_hostile_peer *peers, size_t count,
                     const struct rcs_hostile_options *wanted)
{
    struct recourse_runner_options options = {
        .size = sizeof options,
        .policy = recourse_policy_builtin("default"),
        .memory_max = wanted->memory_max,
        .body_max = wanted->body_max,
        .observe = observe,
    };
    const struct recourse_port_options port_options = {.size = sizeof port_options, .http2 = wanted->http2};
    struct recourse_runner *runner = NULL;
    struct recourse_run *run = NULL;
    struct recourse_turn *turn;

    CU_ASSERT_TRUE_FATAL(count <= RCS_HOSTILE_MAX);
    memset(seen, 0, sizeof seen);
    RCS_EQUAL(recourse_port_new(&port_options, &options.port, NULL), 0);
    RCS_EQUAL(recourse_runner_new(&options, &runner, NULL), 0);
    RCS_EQUAL(recourse_run_new(runner, &run), 0);
    for (size_t i = 0; i < count; i++) {
        add_tools(runner, &cases[i], &peers[i], WAYS * i);
    }
    turn = run_turn(runner, run, WAYS * count);
    for (size_t i = 0; i < WAYS * count; i++) {
        check_call(&cases[i / WAYS], &peers[i / WAYS], seen[i], recourse_turn_result(turn, i), (unsigned)(i % WAYS));
    }
    recourse_turn_free(turn);
    RCS_EQUAL(recourse_runner_memory(runner), 0);
    recourse_run_free(run);
    recourse_runner_free(runner);
    recourse_port_free(options.port);
}
