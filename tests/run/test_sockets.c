/* Real tool calls over real sockets, against a server that fails as it is told to. */
#include "tests/run/turn.h"
#include "tests/unit/unit.h"

#define BODY_MAX 65536u
#define REMINDER " Do not retry this exact tool call."
#define FAILED(tool, tries) "Tool '" tool "' execution failed after " tries " attempt(s): "

/* One turn, one call each. */
static const struct rcs_socket_case cases[] = {
    /* status codes */
    {.name = "s200", .script = "200 body=fine", .words = "ok", .content = "fine"},
    {.name = "s201", .script = "201 body=made", .words = "ok", .content = "made"},
    {.name = "s204", .script = "204", .words = "ok", .content = ""},
    {.name = "s400", .script = "400 body='no field nmae'", .words = "permanent",
     .content = FAILED("s400", "1") "no field nmae."},
    {.name = "s401", .script = "401", .words = "permanent"},
    {.name = "s403", .script = "403", .words = "permanent"},
    {.name = "s404", .script = "404", .words = "permanent"},
    {.name = "s408", .script = "408", .words = "transient transient transient"},
    {.name = "s413", .script = "413", .words = "permanent"},
    {.name = "s422", .script = "422", .words = "permanent"},
    {.name = "s429", .script = "429", .words = "rate_limited rate_limited rate_limited"},
    {.name = "s500", .script = "500", .words = "permanent"},
    {.name = "s502", .script = "502", .words = "permanent"},
    {.name = "s503", .script = "503", .words = "permanent"},
    {.name = "s504", .script = "504", .words = "transient transient transient"},
    {.name = "no_phrase", .script = "raw='HTTP/1.1 504 \\r\\nContent-Length: 0\\r\\n\\r\\n' | 200", .words = "transient ok"},
    {.name = "s302", .script = "302 header='Location: /elsewhere'", .words = "permanent"},
    /* what the server asks for is ignored */
    {.name = "asks_little", .script = "429 header='Retry-After: 0' | 200", .words = "rate_limited ok"},
    {.name = "asks_much", .script = "429 header='Retry-After: 30' header='retry-after-ms: 30000' | 200",
     .words = "rate_limited ok"},
    {.name = "asks_date", .script = "503 header='Retry-After: Fri, 31 Dec 2999 23:59:59 GMT' body='temporarily' | 200",
     .words = "transient ok"},
    /* one kind after the other */
    {.name = "mixed", .script = "503 body='temporarily out' | 429 | 400 body=no",
     .words = "transient rate_limited permanent", .content = FAILED("mixed", "3") "no." REMINDER},
    {.name = "later", .script = "503 body='temporarily out' | 404 body=gone", .words = "transient permanent",
     .content = FAILED("later", "2") "gone." REMINDER},
    {.name = "word", .script = "400 body='Found 1429 pods'", .words = "permanent"},
    {.name = "inside", .script = "200 body='{\"error\":\"no such table, 429\"}'", .words = "ok",
     .content = "{\"error\":\"no such table, 429\"}"},
    /* reset and close: before, in the middle of, after the answer */
    {.name = "reset_before", .script = "reset=before | 200", .words = "transient ok"},
    {.name = "reset_middle", .script = "200 body=12345678 reset=middle | 200", .words = "transient ok"},
    {.name = "reset_head", .script = "200 reset=12 | 200", .words = "transient ok"},
    {.name = "reset_after", .script = "200 body=whole reset=after", .words = "ok", .content = "whole"},
    {.name = "close_before", .script = "close=before | 200", .words = "transient ok"},
    {.name = "close_middle", .script = "200 body=12345678 close=middle | 200", .words = "transient ok"},
    {.name = "close_head", .script = "200 close=30 | 200", .words = "transient ok"},
    {.name = "close_after", .script = "503 body=temporarily close=after | 200 body=whole close=after",
     .words = "transient ok", .content = "whole"},
    {.name = "too_short", .script = "200 body=1234 length=9 close=after | 200", .words = "transient ok"},
    {.name = "too_long", .script = "200 body=1234 length=2", .words = "ok", .content = "12"},
    /* nobody there */
    {.name = "refused", .words = "transient transient transient", .peer = RCS_PEER_REFUSES},
    {.name = "stopped", .script = "503 body=temporarily", .words = "transient transient transient",
     .peer = RCS_PEER_STOPS},
    /* timeouts */
    {.name = "connect", .words = "transient transient transient", .connect_timeout_ms = 150, .peer = RCS_PEER_DEAF},
    {.name = "connect_try", .words = "transient transient transient", .timeout_ms = 150, .peer = RCS_PEER_DEAF},
    {.name = "total", .script = "hang=before", .words = "transient transient transient", .timeout_ms = 250},
    {.name = "late", .script = "wait=3000 | 200", .words = "transient ok", .timeout_ms = 500},
    {.name = "total_trickle", .script = "200 fill=5000 trickle=1 | 200", .words = "transient ok", .timeout_ms = 500},
    {.name = "read", .script = "200 body=12345678 hang=middle | 200", .words = "transient ok", .read_timeout_ms = 400},
    {.name = "read_head", .script = "hang=before | 200", .words = "transient ok", .read_timeout_ms = 400},
    {.name = "our_words", .script = "hang=before | 200", .words = "transient ok", .read_timeout_ms = 429}, /* "429 ms" is ours */
    {.name = "read_trickle", .script = "200 body=slowly trickle=20", .words = "ok", .content = "slowly",
     .read_timeout_ms = 700},
    /* bodies */
    {.name = "at_limit", .script = "200 fill=65536", .words = "ok"},
    {.name = "over_limit", .script = "200 fill=65537", .words = "permanent"},
    {.name = "far_over", .script = "200 fill=9000000", .words = "permanent"},
    {.name = "latin1", .script = "200 body='caf\\xe9 \\xf0\\x9f\\x98'", .words = "ok",
     .content = "caf\xef\xbf\xbd \xef\xbf\xbd"},
    {.name = "control", .script = "400 body='a\\x00b\\x1b[31mc'", .words = "permanent",
     .content = FAILED("control", "1") "a\xef\xbf\xbd" "bc."},
    {.name = "not_http", .script = "raw='what is HTTP?\\r\\n\\r\\n' close=after", .words = "permanent"},
    /* arguments are bytes */
    {.name = "bytes", .script = "200 echo", .words = "ok",
     .arguments = " {\"n\":9007199254740993,\"p\":1.10, \"s\":\"\\u00e9\"}",
     .content = " {\"n\":9007199254740993,\"p\":1.10, \"s\":\"\\u00e9\"}"},
    {.name = "query", .words = "ok", .method = "GET",
     .arguments = "{\"n\":9007199254740993,\"p\":1.10,\"s\":\"a b&c\"}"},
    /* and these never reach it */
    {.name = "secret", .words = "sensitive_arguments", .arguments = "{\"k\":\"ok\\u0000my secret\"}"},
    {.name = "no_object", .words = "bad_arguments", .arguments = "[1]"},
};
_Static_assert(RCS_COUNT(cases) <= RCS_SOCKET_CASES_MAX, "too many cases for one turn");

static struct rcs_table table;
static struct rcs_arena arena;
static const struct rcs_spec *spec;

static size_t case_named(const char *name)
{
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        if (strcmp(cases[i].name, name) == 0) {
            return i;
        }
    }
    CU_FAIL_FATAL("no case of that name");
    return 0;
}

static void test_trails(void)
{
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        rcs_table_check_trail(&table, i, cases[i].words, spec);
    }
}

static void test_logs(void)
{
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        const struct recourse_result *result = recourse_turn_result(table.turn, i);
        if (result->tries > 0) {
            rcs_table_check_log(&table, i, 0);
        } else {
            RCS_CASE_EQUAL(&table, i, rcs_faulty_count(table.servers[i], NULL), 0);
        }
    }
}

static void test_contents(void)
{
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        const struct recourse_result *result = recourse_turn_result(table.turn, i);
        char text[512];
        if (cases[i].content != NULL) {
            snprintf(text, sizeof text, "%.*s", (int)result->content.size, result->content.data);
            RCS_TEXT_EQUAL(text, cases[i].content);
        }
    }
}

static void test_statuses(void)
{
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        if (cases[i].name[0] == 's' && cases[i].name[1] >= '0' && cases[i].name[1] <= '9') {
            RCS_CASE_EQUAL(&table, i, recourse_turn_result(table.turn, i)->http, atoi(cases[i].name + 1));
        }
    }
}

/* Every call has one result, and waiting is done side by side: two waits of 3 s in all are the longest call. */
static void test_at_once(void)
{
    RCS_EQUAL(recourse_turn_count(table.turn), RCS_COUNT(cases));
    RCS_EQUAL(table.on_results, RCS_COUNT(cases));
    CU_ASSERT_TRUE(table.took_ms >= 3000);
    CU_ASSERT_TRUE(table.took_ms < 8000);
    RCS_EQUAL(recourse_run_status(table.run), RECOURSE_RUN_ANSWERED);
}

static void test_bodies(void)
{
    const struct recourse_result *whole = recourse_turn_result(table.turn, case_named("at_limit"));
    const struct rcs_faulty_request *query = rcs_faulty_request(table.servers[case_named("query")], NULL, 0);

    RCS_EQUAL(whole->content.size, BODY_MAX);
    RCS_TEXT_EQUAL(query->query, "n=9007199254740993&p=1.10&s=a%20b%26c");
    RCS_TEXT_EQUAL(query->body, "");
}

/* The key is named, its value is not. */
static void test_secret(void)
{
    const struct recourse_result *result = recourse_turn_result(table.turn, case_named("secret"));
    char text[512];

    snprintf(text, sizeof text, "%.*s", (int)result->content.size, result->content.data);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "k"));
    CU_ASSERT_PTR_NULL(strstr(text, "my secret"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, REMINDER));
}

/*
 * The connection's second request is read and executed, and then the connection is gone. An HTTP library left to itself
 * sends it again at once. The server must have counted it once, and then the policy's own try, 200 ms later.
 */
static void test_nothing_behind_our_back(void)
{
    static const struct rcs_socket_case reused[] = {
        {.name = "post_close", .script = "200 | reuse close=before"},
        {.name = "post_reset", .script = "200 | reuse reset=before"},
        {.name = "get_close", .script = "200 | reuse close=before", .method = "GET"},
        {.name = "get_reset", .script = "200 | reuse reset=before", .method = "GET"},
        {.name = "put_close", .script = "200 | reuse close=before", .method = "PUT", .arguments = "{\"a\":\"b\"}"},
    };
    struct rcs_table own;

    CU_ASSERT_TRUE_FATAL(rcs_table_open(&own, reused, RCS_COUNT(reused), 0));
    CU_ASSERT_TRUE_FATAL(rcs_table_turn(&own, 0, NULL));
    for (size_t i = 0; i < RCS_COUNT(reused); i++) {
        rcs_table_check_trail(&own, i, "ok", spec);
        rcs_table_check_log(&own, i, 0);
    }
    CU_ASSERT_TRUE_FATAL(rcs_table_turn(&own, 0, NULL)); /* on the connections of the first turn */
    for (size_t i = 0; i < RCS_COUNT(reused); i++) {
        const struct rcs_faulty_request *second;
        const struct rcs_faulty_request *third;
        rcs_table_check_trail(&own, i, "transient ok", spec);
        rcs_table_check_log(&own, i, 1);
        second = rcs_faulty_request(own.servers[i], NULL, 1);
        third = rcs_faulty_request(own.servers[i], NULL, 2);
        RCS_CASE_EQUAL(&own, i, second->connection, 1);
        RCS_CASE_EQUAL(&own, i, second->number, 2);
        RCS_CASE_EQUAL(&own, i, third->connection, 2);
        RCS_CASE_EQUAL(&own, i, third->number, 1);
    }
    rcs_table_close(&own);
}

/* A deadline ends a try that hangs, and a wait that it would cut short is not begun. */
static void test_deadline(void)
{
    static const struct rcs_socket_case timed[] = {
        {.name = "hangs", .script = "hang=before", .words = "ready deadline"},
        {.name = "limited", .script = "429", .words = "rate_limited!time"},
        {.name = "quick", .script = "200", .words = "ok"},
        {.name = "twice", .script = "503 body=temporarily", .words = "transient transient!time"},
    };
    struct rcs_table own;

    CU_ASSERT_TRUE_FATAL(rcs_table_open(&own, timed, RCS_COUNT(timed), 0));
    CU_ASSERT_TRUE_FATAL(rcs_table_turn(&own, 500, NULL));
    CU_ASSERT_TRUE(own.took_ms >= 499);
    for (size_t i = 0; i < RCS_COUNT(timed); i++) {
        rcs_table_check_trail(&own, i, timed[i].words, spec);
        rcs_table_check_log(&own, i, 0);
    }
    rcs_table_close(&own);
}

static bool both_are_under_way(const struct rcs_table *own)
{
    return rcs_faulty_count(own->servers[0], NULL) == 1 && own->waits[1] == 1;
}

/* Cancelling ends a try that hangs and a wait, and nothing is tried afterwards. */
static void test_cancel(void)
{
    static const struct rcs_socket_case cancelled[] = {
        {.name = "hangs", .script = "hang=before", .words = "ready cancelled"},
        {.name = "waits", .script = "429", .words = "rate_limited cancelled"},
    };
    struct rcs_table own;

    CU_ASSERT_TRUE_FATAL(rcs_table_open(&own, cancelled, RCS_COUNT(cancelled), 0));
    CU_ASSERT_TRUE_FATAL(rcs_table_turn(&own, 0, both_are_under_way));
    CU_ASSERT_TRUE(own.took_ms < 900);
    for (size_t i = 0; i < RCS_COUNT(cancelled); i++) {
        rcs_table_check_trail(&own, i, cancelled[i].words, spec);
        rcs_table_check_log(&own, i, 0);
    }
    rcs_table_close(&own);
}

/* Last: it frees the turn. What the results held is given back, and so is every buffer. */
static void test_memory(void)
{
    recourse_turn_free(table.turn);
    table.turn = NULL;
    RCS_EQUAL(recourse_runner_memory(table.runner), 0);
}

/* Reads the policy from its file: the other account of what it says. */
static bool load_spec(void)
{
    static const char path[] = "spec/lightspeed.policy.md";
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded = {0};
    const char *why = "";
    size_t size;
    char *text = rcs_file_read(&arena, path, &size, &why);

    if (text == NULL || !rcs_load(&arena, path, text, size, &findings, &loaded)) {
        fprintf(stderr, "%s can't be read: %s\n", path, why);
        return false;
    }
    spec = loaded.spec;
    return true;
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"the trail of each call is the model's walk", test_trails},
        {"the server's log bears it out", test_logs},
        {"what the model reads", test_contents},
        {"the status of the last answer", test_statuses},
        {"all at once, one result each", test_at_once},
        {"bodies and queries", test_bodies},
        {"a secret behind a NUL", test_secret},
        {"nothing is sent again behind our back", test_nothing_behind_our_back},
        {"deadline", test_deadline},
        {"cancel", test_cancel},
        {"memory is given back", test_memory},
    };
    int status = 1;

    if (recourse_global_init() == 0 && load_spec() && rcs_table_open(&table, cases, RCS_COUNT(cases), BODY_MAX) &&
        rcs_table_turn(&table, 0, NULL)) {
        status = rcs_unit_main("sockets", tests, RCS_COUNT(tests));
    }
    rcs_table_close(&table);
    rcs_arena_clear(&arena);
    recourse_global_cleanup();
    return status;
}
