#include "tests/run/turn.h"

#include <errno.h>
#include <time.h>

#include "tests/unit/unit.h"

#define TURN_SECONDS_MAX 30u
#define LATE_MS 2000u /* how much longer than asked for a gap may be on a loaded machine */
#define WORDS_MAX 16u

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

static struct recourse_span span(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

void rcs_case_equal(const char *name, long long actual, long long expected, const char *what, const char *file,
                    unsigned line)
{
    char text[256];

    snprintf(text, sizeof text, "%s: %s", name, what);
    rcs_unit_equal(actual, expected, text, file, line);
}

/* ---- setting up ---- */

/* Stops a server in the middle of its case; counts waits. */
static void observe(void *user, const struct recourse_observation *seen)
{
    struct rcs_table *table = user;

    for (size_t i = 0; i < table->count; i++) {
        if (seen->decision->action != RECOURSE_ACTION_WAIT || strlen(table->cases[i].name) != seen->tool.size ||
            memcmp(table->cases[i].name, seen->tool.data, seen->tool.size) != 0) {
            continue;
        }
        table->waits[i]++;
        if (table->cases[i].peer == RCS_PEER_STOPS) {
            rcs_faulty_stop(table->servers[i]);
        }
    }
}

static bool open_peer(struct rcs_table *table, size_t index, char *url, size_t size)
{
    const struct rcs_socket_case *one = &table->cases[index];
    struct rcs_faulty *server;
    char why[256];

    if (one->peer == RCS_PEER_DEAF) {
        bool open = rcs_deaf_open(&table->deaf[index]);
        snprintf(url, size, "http://127.0.0.1:%u/%s", table->deaf[index].port, one->name);
        return open;
    }
    server = rcs_faulty_new();
    if (server == NULL) {
        return false;
    }
    table->servers[index] = server;
    snprintf(url, size, "http://127.0.0.1:%u/%s", rcs_faulty_port(server), one->name);
    if (one->peer == RCS_PEER_REFUSES) {
        rcs_faulty_stop(server);
        return true;
    }
    if (!rcs_faulty_script(server, strrchr(url, '/'), one->script == NULL ? "200" : one->script, why, sizeof why)) {
        fprintf(stderr, "%s: %s\n", one->name, why);
        return false;
    }
    return rcs_faulty_start(server) == 0;
}

static bool open_case(struct rcs_table *table, size_t index)
{
    const struct rcs_socket_case *one = &table->cases[index];
    struct recourse_error error = {RECOURSE_OK, ""};
    char url[128];
    struct recourse_tool tool = {
        .size = sizeof tool,
        .name = one->name,
        .kind = RECOURSE_TOOL_HTTP,
        .url = url,
        .method = one->method,
        .timeout_ms = one->timeout_ms,
        .connect_timeout_ms = one->connect_timeout_ms,
        .read_timeout_ms = one->read_timeout_ms,
    };

    if (!open_peer(table, index, url, sizeof url)) {
        fprintf(stderr, "%s: no server: %s\n", one->name, strerror(errno));
        return false;
    }
    if (recourse_runner_add_tool(table->runner, &tool, &error) != 0) {
        fprintf(stderr, "%s: %s\n", one->name, error.text);
        return false;
    }
    return true;
}

bool rcs_table_open(struct rcs_table *table, const struct rcs_socket_case *cases, size_t count, size_t body_max)
{
    struct recourse_port_options port_options = {.size = sizeof port_options};
    struct recourse_runner_options options = {
        .size = sizeof options,
        .policy = recourse_policy_builtin("lightspeed"),
        .body_max = body_max,
        .observe = observe,
        .user = table,
    };
    struct recourse_error error = {RECOURSE_OK, ""};

    memset(table, 0, sizeof *table);
    table->cases = cases;
    table->count = count;
    if (count > RCS_SOCKET_CASES_MAX || recourse_port_new(&port_options, &table->port, &error) != 0) {
        fprintf(stderr, "no port: %s\n", error.text);
        return false;
    }
    options.port = table->port;
    if (recourse_runner_new(&options, &table->runner, &error) != 0 ||
        recourse_run_new(table->runner, &table->run) != 0) {
        fprintf(stderr, "no runner: %s\n", error.text);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!open_case(table, i)) {
            return false;
        }
    }
    return true;
}

void rcs_table_close(struct rcs_table *table)
{
    if (table->turn != NULL) {
        recourse_turn_free(table->turn);
    }
    if (table->run != NULL) {
        recourse_run_free(table->run);
    }
    if (table->runner != NULL) {
        recourse_runner_free(table->runner);
    }
    if (table->port != NULL) {
        recourse_port_free(table->port);
    }
    for (size_t i = 0; i < table->count; i++) {
        rcs_faulty_free(table->servers[i]);
        if (table->deaf[i].port != 0) {
            rcs_deaf_close(&table->deaf[i]);
        }
    }
    memset(table, 0, sizeof *table);
}

/* ---- running ---- */

static void on_result(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result)
{
    struct rcs_table *table = user;

    table->on_results += recourse_turn_result(turn, index) == result;
}

static bool run_to_end(struct rcs_table *table, bool (*cancel_when)(const struct rcs_table *table))
{
    uint64_t began = now_ms();

    while (!recourse_turn_done(table->turn)) {
        if (recourse_runner_step(table->runner, 50) != 0 || now_ms() - began > TURN_SECONDS_MAX * 1000u) {
            fprintf(stderr, "the turn does not end\n");
            return false;
        }
        if (cancel_when != NULL && cancel_when(table)) {
            recourse_turn_cancel(table->turn);
            cancel_when = NULL;
        }
    }
    table->took_ms = now_ms() - began;
    return true;
}

bool rcs_table_turn(struct rcs_table *table, uint64_t deadline_ms, bool (*cancel_when)(const struct rcs_table *table))
{
    struct recourse_call_request requests[RCS_SOCKET_CASES_MAX];
    struct recourse_turn_options options = {
        .size = sizeof options,
        .calls = requests,
        .call_count = table->count,
        .deadline_ms = deadline_ms == 0 ? 0 : now_ms() + deadline_ms,
        .on_result = on_result,
        .user = table,
    };
    struct recourse_error error = {RECOURSE_OK, ""};

    for (size_t i = 0; i < table->count; i++) {
        requests[i] = (struct recourse_call_request){
            .id = span(table->cases[i].name),
            .name = span(table->cases[i].name),
            .arguments = span(table->cases[i].arguments == NULL ? "{}" : table->cases[i].arguments),
        };
    }
    if (table->turn != NULL) {
        recourse_turn_free(table->turn);
        table->turn = NULL;
    }
    memset(table->waits, 0, sizeof table->waits);
    table->on_results = 0;
    if (recourse_turn_start(table->run, &options, &table->turn, &error) != 0) {
        fprintf(stderr, "no turn: %s\n", error.text);
        return false;
    }
    return run_to_end(table, cancel_when);
}

/* ---- comparing ---- */

/* Splits words at blanks and lets the model walk them. */
static bool walk(struct rcs_arena *arena, const struct rcs_spec *spec, const char *text, struct rcs_run *run)
{
    struct rcs_findings findings = {.arena = arena};
    const char *words[WORDS_MAX];
    size_t count = 0;
    struct rcs_word *read;
    size_t read_count;
    char *copy = rcs_arena_copy(arena, text, strlen(text));

    for (char *at = strtok(copy, " "); at != NULL && count < WORDS_MAX; at = strtok(NULL, " ")) {
        words[count++] = at;
    }
    if (!rcs_words_read(spec, words, count, &read, &read_count, &findings)) {
        return false;
    }
    rcs_model_run(arena, spec, read, read_count, run);
    return run->used == read_count;
}

static void check_step(const struct rcs_table *table, size_t index, const struct recourse_trail_step *step,
                       const struct rcs_step *model)
{
    RCS_CASE_EQUAL(table, index, step->from, model->from);
    RCS_CASE_EQUAL(table, index, step->to, model->to);
    RCS_CASE_EQUAL(table, index, step->event, model->event);
    RCS_CASE_EQUAL(table, index, step->row, model->row);
    RCS_CASE_EQUAL(table, index, step->scenario, model->scenario);
    RCS_CASE_EQUAL(table, index, step->to == RECOURSE_BACKOFF, model->waits);
    if (model->waits) {
        RCS_CASE_EQUAL(table, index, step->wait_ms, model->wait_ms); /* lightspeed draws nothing */
        RCS_CASE_EQUAL(table, index, step->wait_min_ms, model->wait_min_ms);
        RCS_CASE_EQUAL(table, index, step->wait_max_ms, model->wait_max_ms);
    }
}

void rcs_table_check_trail(const struct rcs_table *table, size_t index, const char *words, const struct rcs_spec *spec)
{
    const struct recourse_result *result = recourse_turn_result(table->turn, index);
    struct rcs_arena arena = {0};
    struct rcs_run run;

    CU_ASSERT_PTR_NOT_NULL_FATAL(result);
    CU_ASSERT_TRUE_FATAL(walk(&arena, spec, words, &run));
    RCS_CASE_EQUAL(table, index, run.end, RECOURSE_REPORTED);
    RCS_CASE_EQUAL(table, index, result->trail_count, run.step_count);
    for (size_t i = 0; i < result->trail_count && i < run.step_count; i++) {
        check_step(table, index, &result->trail[i], &run.steps[i]);
    }
    RCS_CASE_EQUAL(table, index, result->scenario, run.scenario);
    RCS_CASE_EQUAL(table, index, result->tell, run.tell);
    RCS_CASE_EQUAL(table, index, result->reminder, run.reminder);
    RCS_CASE_EQUAL(table, index, result->reason, run.reason);
    RCS_CASE_EQUAL(table, index, result->tries, run.tries);
    RCS_CASE_EQUAL(table, index, result->row, run.steps[run.step_count - 1].row);
    RCS_CASE_EQUAL(table, index, result->success, run.steps[run.step_count - 1].event == RECOURSE_EVENT_OK);
    rcs_arena_clear(&arena);
}

/* One key for all tries, the try's number, the body as it came; nothing that libcurl adds by itself. */
static void check_request(const struct rcs_table *table, size_t index, size_t try,
                          const struct rcs_faulty_request *first, const struct rcs_faulty_request *request)
{
    const struct rcs_socket_case *one = &table->cases[index];
    const char *key = rcs_faulty_header(request, "Idempotency-Key");
    const char *number = rcs_faulty_header(request, "Recourse-Try");
    bool has_body = one->method == NULL || strcmp(one->method, "GET") != 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(key);
    CU_ASSERT_PTR_NOT_NULL_FATAL(number);
    RCS_CASE_EQUAL(table, index, strlen(key), 32);
    RCS_TEXT_EQUAL(key, rcs_faulty_header(first, "Idempotency-Key"));
    RCS_CASE_EQUAL(table, index, atoi(number), try + 1);
    RCS_TEXT_EQUAL(request->method, one->method == NULL ? "POST" : one->method);
    CU_ASSERT_PTR_NULL(rcs_faulty_header(request, "Expect"));
    if (has_body) {
        RCS_TEXT_EQUAL(request->body, one->arguments == NULL ? "{}" : one->arguments);
        RCS_TEXT_EQUAL(request->query, "");
    } else {
        RCS_CASE_EQUAL(table, index, request->body_size, 0);
    }
}

void rcs_table_check_log(const struct rcs_table *table, size_t index, size_t first)
{
    const struct recourse_result *result = recourse_turn_result(table->turn, index);
    const struct rcs_socket_case *one = &table->cases[index];
    size_t reached = one->peer == RCS_PEER_SERVES ? result->tries : one->peer == RCS_PEER_STOPS ? 1 : 0;
    uint64_t slack_ms = LATE_MS + one->timeout_ms + one->read_timeout_ms;
    uint64_t waits_ms[WORDS_MAX];
    size_t wait_count = 0;

    if (table->servers[index] == NULL) {
        return;
    }
    RCS_CASE_EQUAL(table, index, rcs_faulty_count(table->servers[index], NULL), first + reached);
    for (size_t i = 0; i < result->trail_count && wait_count < WORDS_MAX; i++) {
        if (result->trail[i].to == RECOURSE_BACKOFF) {
            waits_ms[wait_count++] = result->trail[i].wait_ms;
        }
    }
    for (size_t i = 0; i < reached; i++) {
        const struct rcs_faulty_request *begin = rcs_faulty_request(table->servers[index], NULL, first);
        const struct rcs_faulty_request *request = rcs_faulty_request(table->servers[index], NULL, first + i);
        uint64_t gap_ms;
        CU_ASSERT_PTR_NOT_NULL_FATAL(request);
        check_request(table, index, i, begin, request);
        if (i == 0) {
            continue;
        }
        gap_ms = request->at_us / 1000 - rcs_faulty_request(table->servers[index], NULL, first + i - 1)->at_us / 1000;
        RCS_CASE_EQUAL(table, index, i - 1 < wait_count, true);
        RCS_CASE_EQUAL(table, index, gap_ms >= waits_ms[i - 1], true); /* whole milliseconds, as the policy counts */
        RCS_CASE_EQUAL(table, index, gap_ms <= waits_ms[i - 1] + slack_ms, true);
    }
}
