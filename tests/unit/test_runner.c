/* The runner over simulated HTTP: tries and waits, requests, reasons, and what it is handed wrongly. */
#include "tests/unit/run_kit.h"

static struct kit kit;

/* ---- tries and waits ---- */

static void test_success(void)
{
    static const struct sim_answer answers[] = {
        {.after_ms = 30, .status = 200, .phrase = "OK", .body = "{\"n\": 1.10}"}};
    struct recourse_turn *turn = kit_run_one(&kit, answers, 1);
    const struct recourse_result *result = recourse_turn_result(turn, 0);

    CU_ASSERT_TRUE(result->success);
    CU_ASSERT_FALSE(result->truncated);
    RCS_TEXT_EQUAL(kit_text(result->content), "{\"n\": 1.10}");
    RCS_TEXT_EQUAL(kit_text(result->structured), "{\"n\": 1.10}");
    RCS_TEXT_EQUAL(kit_text(result->detail), "");
    RCS_TEXT_EQUAL(kit_text(result->call), "c1");
    RCS_TEXT_EQUAL(kit_text(result->tool), "lookup");
    RCS_EQUAL(result->tell, RECOURSE_TELL_MODEL);
    RCS_EQUAL(result->effect, RECOURSE_EFFECT_DONE);
    RCS_EQUAL(result->row, TOY_A1);
    RCS_EQUAL(result->event, RECOURSE_EVENT_OK);
    RCS_EQUAL(result->failure, RECOURSE_NONE);
    RCS_EQUAL(result->http, 200);
    RCS_EQUAL(result->tries, 1);
    RCS_EQUAL(result->duration_ms, 30);
    RCS_EQUAL(result->trail_count, 2);
    RCS_EQUAL(kit.results, 1);
    RCS_EQUAL(kit.done, 1);
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_ANSWERED);
    CU_ASSERT_PTR_NULL(recourse_run_failure(kit.run));
    RCS_TEXT_EQUAL(kit.sim.requests[0].body, "{\"q\":9007199254740993}");
    RCS_EQUAL(kit.sim.requests[0].deadline_ms, KIT_START_MS + 60000);
    RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
    kit_close(&kit);
}

/* The waits of the policy, exactly; each try has its number, all have one key. */
static void test_tried_again(void)
{
    static const struct sim_answer answers[] = {{.after_ms = 10, .status = 503, .phrase = "Gateway timeout"},
                                                {.after_ms = 10, .network = RECOURSE_NETWORK_RESET, .detail = "reset"},
                                                {.after_ms = 10, .status = 200, .body = "late"}};
    struct recourse_turn *turn = kit_run_one(&kit, answers, 3);
    const struct recourse_result *result = recourse_turn_result(turn, 0);
    const struct recourse_trail_step *trail = result->trail;
    const char *keys[3];

    RCS_TEXT_EQUAL(kit_trail(result), "P1 A2 B1 A2 B1 A1");
    RCS_TEXT_EQUAL(kit.log, "c1:P1 c1:A2 c1:B1 c1:A2 c1:B1 c1:A1");
    RCS_TEXT_EQUAL(kit_text(result->content), "late");
    RCS_EQUAL(kit.sim.requests[0].at_ms, KIT_START_MS);
    RCS_EQUAL(kit.sim.requests[1].at_ms, KIT_START_MS + 10 + 200);
    RCS_EQUAL(kit.sim.requests[2].at_ms, KIT_START_MS + 10 + 200 + 10 + 400);
    RCS_EQUAL(result->duration_ms, 630);
    RCS_EQUAL(result->tries, 3);
    RCS_EQUAL(trail[1].at_ms, 10);
    RCS_EQUAL(trail[1].try_number, 1);
    RCS_EQUAL(trail[1].http, 503);
    RCS_EQUAL(trail[1].failure, TOY_TRANSIENT);
    RCS_EQUAL(trail[1].effect, RECOURSE_EFFECT_UNKNOWN);
    RCS_EQUAL(trail[1].scenario, TOY_2);
    RCS_EQUAL(trail[1].from, RECOURSE_ATTEMPT);
    RCS_EQUAL(trail[1].to, RECOURSE_BACKOFF);
    CU_ASSERT_TRUE(trail[1].to == RECOURSE_BACKOFF);
    RCS_EQUAL(trail[1].wait_ms, 200);
    CU_ASSERT_FALSE(trail[2].to == RECOURSE_BACKOFF);
    RCS_EQUAL(trail[2].try_number, 2);
    RCS_EQUAL(trail[2].scenario, RECOURSE_NONE);
    RCS_EQUAL(trail[3].http, 0);
    RCS_EQUAL(trail[3].wait_ms, 400);
    RCS_EQUAL(result->http, 200);
    for (unsigned i = 0; i < 3; i++) {
        char number[32];

        snprintf(number, sizeof number, "Recourse-Try: %u", i + 1);
        CU_ASSERT_PTR_NOT_NULL(strstr(kit.sim.requests[i].headers, number));
        keys[i] = strstr(kit.sim.requests[i].headers, "Idempotency-Key: ");
        CU_ASSERT_PTR_NOT_NULL_FATAL(keys[i]);
        CU_ASSERT_TRUE(strncmp(keys[i], keys[0], sizeof "Idempotency-Key: " + 31) == 0);
    }
    kit_close(&kit);
}

static void test_exhausted(void)
{
    static const struct sim_answer answers[] = {{.after_ms = 1, .status = 504, .phrase = "Gateway Timeout"}};
    struct recourse_turn *turn = kit_run_one(&kit, answers, 1);
    const struct recourse_result *result = recourse_turn_result(turn, 0);

    RCS_TEXT_EQUAL(kit_trail(result), "P1 A2 B1 A2 B1 A2 E3");
    RCS_TEXT_EQUAL(kit_text(result->content),
                   "Tool 'lookup' execution failed after 3 attempt(s): Gateway Timeout. " REMINDER);
    RCS_TEXT_EQUAL(kit_text(result->detail), "Gateway Timeout");
    RCS_EQUAL(result->reminder, RECOURSE_REMINDER_YES);
    RCS_EQUAL(result->reason, RECOURSE_REASON_TRIES_SPENT);
    RCS_EQUAL(result->row, TOY_E3);
    RCS_EQUAL(result->failure, TOY_TRANSIENT);
    RCS_EQUAL(result->scenario, TOY_3B);
    RCS_EQUAL(result->http, 504);
    RCS_EQUAL(result->trail[5].scenario, RECOURSE_NONE);
    RCS_EQUAL(result->trail[6].scenario, TOY_3B);
    RCS_EQUAL(result->trail[6].from, RECOURSE_EXHAUSTED);
    RCS_EQUAL(result->trail[6].failure, TOY_TRANSIENT);
    RCS_EQUAL(kit.sim.request_count, 3);
    kit_close(&kit);
}

/* The server's delay, obeyed; drawn by the port's chance. */
static void test_server_delay(void)
{
    static const struct recourse_header headers[] = {{{"Retry-After", 11}, {"5", 1}}};
    static const struct sim_answer answers[] = {{.status = 429, .headers = headers, .header_count = 1},
                                                {.status = 200, .body = "ok"}};
    struct recourse_turn *turn = kit_run_one(&kit, answers, 2);
    const struct recourse_trail_step *step = &recourse_turn_result(turn, 0)->trail[1];

    RCS_EQUAL(step->server_delay_ms, 5000);
    RCS_EQUAL(step->wait_min_ms, 5000);
    RCS_EQUAL(step->wait_max_ms, 5500);
    CU_ASSERT_TRUE(step->wait_ms >= 5000 && step->wait_ms <= 5500);
    RCS_EQUAL(kit.sim.requests[1].at_ms, KIT_START_MS + step->wait_ms);
    kit_close(&kit);
}

static void test_reasons(void)
{
    static const struct {
        struct sim_answer answer;
        const char *detail;
    } cases[] = {
        {{.status = 400, .phrase = "Bad Request", .body = "no \x1b[31msuch\x1b[0m\nfield"}, "no such\nfield"},
        {{.status = 404, .phrase = "Not Found", .body = ""}, "Not Found"},
        {{.status = 404, .phrase = "Not Found", .body = "  \n"}, "Not Found"},
        {{.status = 418}, "HTTP status 418"},
        {{.status = 502, .phrase = "Bad Gateway", .body = "\n<!DOCTYPE html><p>x"}, "Bad Gateway"},
        {{.status = 500, .phrase = "Oh", .body = "<HTML><p>x"}, "Oh"},
        {{.status = 500, .phrase = "Oh", .body = "<e>bad</e>"}, "<e>bad</e>"},
        {{.protocol = true, .detail = "not HTTP"}, "not HTTP"},
        {{.status = 200, .phrase = "OK", .too_large = true, .body = "xxx", .detail = "too large"}, "too large"},
        {{.status = 500, .body = "\xff\xfe"}, "\xef\xbf\xbd\xef\xbf\xbd"},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_turn *turn = kit_run_one(&kit, &cases[i].answer, 1);
        const struct recourse_result *result = recourse_turn_result(turn, 0);

        CU_ASSERT_FALSE(result->success);
        RCS_TEXT_EQUAL(kit_text(result->detail), cases[i].detail);
        RCS_EQUAL(result->structured.size, 0);
        kit_close(&kit);
    }
}

/* An error inside an answer of status 200 is found by the policy, and the answer is the reason. */
static void test_failed_success(void)
{
    static const struct sim_answer answers[] = {
        {.status = 200, .phrase = "OK", .body = "rate limit reached, come back"}};
    struct recourse_turn *turn = kit_run_one(&kit, answers, 1);
    const struct recourse_result *result = recourse_turn_result(turn, 0);

    CU_ASSERT_FALSE(result->success);
    RCS_EQUAL(result->failure, TOY_RATE_LIMITED);
    RCS_TEXT_EQUAL(kit_text(result->detail), "rate limit reached, come back");
    kit_close(&kit);
}

static void test_timeouts(void)
{
    static const struct sim_answer answers[] = {{.after_ms = 0}, {.status = 200, .body = "ok"}};
    struct recourse_tool tool = {.size = sizeof tool, .name = "slow", .url = "http://slow/", .timeout_ms = 700,
                                 .read_timeout_ms = 300, .connect_timeout_ms = 40};
    struct recourse_turn *turn;

    kit_open(&kit, NULL);
    RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, NULL), 0);
    sim_route(&kit.sim, "http://slow/", answers, 2);
    turn = kit_start_one(&kit, "slow", "{}");
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.requests[0].deadline_ms, KIT_START_MS + 700);
    RCS_EQUAL(kit.sim.requests[0].read_timeout_ms, 300);
    RCS_EQUAL(kit.sim.requests[0].connect_timeout_ms, 40);
    RCS_EQUAL(kit.sim.requests[1].at_ms, KIT_START_MS + 700 + 200);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A2 B1 A1");
    kit_close(&kit);
}

static void test_cannot_start(void)
{
    static const struct {
        int code;
        const char *content;
    } cases[] = {
        {RECOURSE_E_ARGUMENT, "Tool 'lookup' execution failed after 1 attempt(s): the try could not be started."},
        {RECOURSE_E_MEMORY,
         "Tool 'lookup' execution failed after 3 attempt(s): the try could not be started: out of memory. " REMINDER},
        {RECOURSE_E_AGAIN, "Tool 'lookup' execution failed after 3 attempt(s): the try could not be started: too "
                           "much is waiting already. " REMINDER},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_turn *turn;

        kit_open(&kit, NULL);
        kit.sim.http_error = cases[i].code;
        kit_http(&kit, "lookup", false);
        turn = kit_start_one(&kit, "lookup", "{}");
        kit_finish(&kit, turn);
        RCS_TEXT_EQUAL(kit_content(turn, 0), cases[i].content);
        kit_close(&kit);
    }
}

/* ---- HTTP requests ---- */

static void test_headers(void)
{
    static const char *const own[] = {"X-Key: s3cret",         "content-TYPE: text/plain", "Accept: text/*",
                                      "idempotency-key: mine", "Recourse-Try: none",       NULL};
    static const struct sim_answer answers[] = {{.status = 200}};
    struct recourse_tool tool = {
        .size = sizeof tool, .name = "own", .url = "http://own/", .headers = own, .method = "PUT"};

    kit_open(&kit, NULL);
    RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, NULL), 0);
    kit_http(&kit, "plain", true);
    sim_route(&kit.sim, "http://own/", answers, 1);
    sim_route(&kit.sim, "http://plain/", answers, 1);
    kit_finish(&kit, kit_start_one(&kit, "own", "{}"));
    RCS_TEXT_EQUAL(kit.sim.requests[0].method, "PUT");
    RCS_TEXT_EQUAL(kit.sim.requests[0].headers,
                   "X-Key: s3cret|content-TYPE: text/plain|Accept: text/*|idempotency-key: mine|Recourse-Try: none");
    kit_finish(&kit, kit_start_one(&kit, "plain", "{}"));
    CU_ASSERT_PTR_EQUAL(strstr(kit.sim.requests[1].headers,
                               "Content-Type: application/json|Accept: application/json, */*;q=0.5|Idempotency-Key: "),
                        kit.sim.requests[1].headers);
    RCS_EQUAL(kit.sim.requests[1].connect_timeout_ms, 10000);
    kit_close(&kit);
}

static void test_queries(void)
{
    static const struct {
        const char *url;
        const char *arguments;
        const char *asked;
    } cases[] = {
        {"http://q/", "{}", "http://q/"},
        {"http://q/", "", "http://q/"},
        {"http://q/", "{\"a\":\"x y&z=1\\u00e9/~\"}", "http://q/?a=x%20y%26z%3D1%C3%A9%2F~"},
        {"http://q/", "{\"n\": 9007199254740993, \"x\":1.10, \"b\":true, \"z\":null}",
         "http://q/?n=9007199254740993&x=1.10&b=true&z=null"},
        {"http://q/", "{\"a b\":\"\",\"l\":[1, 2],\"o\":{\"k\":\"v\"}}",
         "http://q/?a%20b=&l=%5B1%2C%202%5D&o=%7B%22k%22%3A%22v%22%7D"},
        {"http://q/?", "{\"a\":1}", "http://q/?a=1"},
        {"http://q/?x=1", "{\"a\":1,\"b\":2}", "http://q/?x=1&a=1&b=2"},
        {"http://q/?x=1&", "{\"a\":1}", "http://q/?x=1&a=1"},
        {"http://q/?x=1", "{}", "http://q/?x=1"},
    };
    static const struct sim_answer answers[] = {{.status = 200}};

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_tool tool = {.size = sizeof tool, .name = "q", .url = cases[i].url,
                                     .method = i % 2 == 0 ? "GET" : "DELETE"};

        kit_open(&kit, NULL);
        RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, NULL), 0);
        sim_route(&kit.sim, "http://q/", answers, 1);
        kit_finish(&kit, kit_start_one(&kit, "q", cases[i].arguments));
        RCS_TEXT_EQUAL(kit.sim.requests[0].url, cases[i].asked);
        RCS_TEXT_EQUAL(kit.sim.requests[0].body, "");
        CU_ASSERT_PTR_NULL(strstr(kit.sim.requests[0].headers, "Content-Type"));
        kit_close(&kit);
    }
}

static void test_long_query(void)
{
    size_t size = 400000;
    char *arguments = malloc(size + 1);
    struct recourse_tool tool = {.size = sizeof tool, .name = "q", .url = "http://q/", .method = "GET"};
    struct recourse_turn *turn;

    CU_ASSERT_PTR_NOT_NULL_FATAL(arguments);
    memset(arguments, '/', size);
    memcpy(arguments, "{\"a\":\"", 6);
    memcpy(arguments + size - 2, "\"}", 3);
    kit_open(&kit, NULL);
    RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, NULL), 0);
    turn = kit_start_one(&kit, "q", arguments);
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_text(recourse_turn_result(turn, 0)->detail),
                   "the try could not be started: the arguments are too long for a query or a header");
    RCS_EQUAL(recourse_turn_result(turn, 0)->tries, 1);
    kit_close(&kit);
    free(arguments);
}

/* ---- adding tools, misuse ---- */

static int add(struct recourse_tool tool, struct recourse_error *error)
{
    int code;

    tool.size = sizeof tool;
    code = recourse_runner_add_tool(kit.runner, &tool, error);
    RCS_EQUAL(error->code, code);
    return code;
}

static void noop(void *user, struct recourse_invocation *invocation)
{
    (void)user, (void)invocation;
}

static void test_bad_tools(void)
{
    static const char *const line_break[] = {"X-A: 1\r\nX-B: s3cret", NULL};
    static const char *const no_colon[] = {"s3cret", NULL};
    static const char *const blank_name[] = {"X A: 1", NULL};
    static char long_line[8194] = "X-A: ";
    static const char *const too_long[] = {long_line, NULL};
    static const char *const framing[] = {"X-A: 1", "Content-LENGTH: 5", NULL};
    static const struct recourse_policy strange = {.abi = 77};
    static const struct {
        struct recourse_tool tool;
        int code;
        const char *text;
    } cases[] = {
        {{.name = NULL}, RECOURSE_E_ARGUMENT, "a tool needs a name"},
        {{.name = ""}, RECOURSE_E_ARGUMENT, "a tool needs a name"},
        {{.name = "t", .kind = RECOURSE_TOOL_MCP}, RECOURSE_E_ARGUMENT,
         "tools of an MCP server are the server's to name: add the server"},
        {{.name = "t", .kind = RECOURSE_TOOL_KIND_COUNT}, RECOURSE_E_ARGUMENT, "tool 't': no kind of tool has number 4"},
        {{.name = "t", .declared_safe = true, .declared_unsafe = true, .url = "http://t"},
         RECOURSE_E_ARGUMENT,
         "tool 't' is declared safe and unsafe: choose one"},
        {{.name = "t", .policy = &strange, .url = "http://t"}, RECOURSE_E_ABI, NULL},
        {{.name = "t"}, RECOURSE_E_ARGUMENT, "tool 't' needs a URL that begins with http:// or https://"},
        {{.name = "t", .url = "ftp://t"},
         RECOURSE_E_ARGUMENT,
         "tool 't' needs a URL that begins with http:// or https://"},
        {{.name = "t", .url = "http://"},
         RECOURSE_E_ARGUMENT,
         "tool 't' needs a URL that begins with http:// or https://"},
        {{.name = "t", .url = "http:/t"},
         RECOURSE_E_ARGUMENT,
         "tool 't' needs a URL that begins with http:// or https://"},
        {{.name = "t", .url = "http://a b"},
         RECOURSE_E_ARGUMENT,
         "tool 't': the URL has a blank, a control character or a '#' at byte 8"},
        {{.name = "t", .url = "http://a#b"},
         RECOURSE_E_ARGUMENT,
         "tool 't': the URL has a blank, a control character or a '#' at byte 8"},
        {{.name = "t", .url = "http://a", .method = "post"},
         RECOURSE_E_ARGUMENT,
         "tool 't': method 'post' is none of POST, GET, PUT, PATCH, DELETE"},
        {{.name = "t", .url = "http://a", .headers = line_break},
         RECOURSE_E_ARGUMENT,
         "tool 't': the value of header 'X-A' has a line break or another control character"},
        {{.name = "t", .url = "http://a", .headers = no_colon},
         RECOURSE_E_ARGUMENT,
         "tool 't': a header is not of the form \"Name: value\""},
        {{.name = "t", .url = "http://a", .headers = blank_name},
         RECOURSE_E_ARGUMENT,
         "tool 't': a header is not of the form \"Name: value\""},
        {{.name = "t", .url = "http://a", .headers = framing},
         RECOURSE_E_ARGUMENT,
         "tool 't': header 'Content-LENGTH' can't be set"},
        {{.name = "t", .url = "http://a", .headers = too_long}, RECOURSE_E_ARGUMENT,
         "tool 't': header 'X-A' is longer than 8192 bytes"},
        {{.name = "t", .kind = RECOURSE_TOOL_FUNCTION}, RECOURSE_E_ARGUMENT, "tool 't' needs a function"},
    };
    struct recourse_error error = {RECOURSE_OK, ""};

    memset(long_line + 5, 'x', sizeof long_line - 6);
    kit_open(&kit, NULL);
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(add(cases[i].tool, &error), cases[i].code);
        if (cases[i].text != NULL) {
            RCS_TEXT_EQUAL(error.text, cases[i].text);
        }
    }
    error.code = RECOURSE_OK;
    RCS_EQUAL(add((struct recourse_tool){.name = "t", .url = "HTTPS://a/b?c=d"}, &error), 0);
    RCS_EQUAL(add((struct recourse_tool){.name = "f", .kind = RECOURSE_TOOL_FUNCTION, .function = noop}, &error), 0);
    RCS_EQUAL(recourse_runner_add_tool(kit.runner, NULL, NULL), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_runner_add_tool(NULL, NULL, NULL), RECOURSE_E_ARGUMENT);
    kit_close(&kit);
}

static void test_bad_options(void)
{
    struct recourse_runner_options good;
    struct recourse_runner_options options;
    struct recourse_runner *runner;
    struct recourse_error error;
    struct recourse_port port;

    kit_open(&kit, NULL);
    kit_options(&kit, &good);
    RCS_EQUAL(recourse_runner_new(&good, NULL, &error), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_runner_new(NULL, &runner, &error), RECOURSE_E_ARGUMENT);
    options = good;
    options.size--;
    RCS_EQUAL(recourse_runner_new(&options, &runner, &error), RECOURSE_E_ARGUMENT);
    options = good;
    options.port = NULL;
    RCS_EQUAL(recourse_runner_new(&options, &runner, &error), RECOURSE_E_ARGUMENT);
    options = good;
    options.policy = NULL;
    RCS_EQUAL(recourse_runner_new(&options, &runner, &error), RECOURSE_E_ARGUMENT);
    RCS_TEXT_EQUAL(error.text, "a runner needs a policy");
    options = good;
    options.approval_mode = RECOURSE_APPROVE_COUNT;
    RCS_EQUAL(recourse_runner_new(&options, &runner, &error), RECOURSE_E_ARGUMENT);
    options = good;
    port = kit.sim.port;
    port.wake = NULL;
    options.port = &port;
    RCS_EQUAL(recourse_runner_new(&options, &runner, &error), RECOURSE_E_ARGUMENT);
    RCS_TEXT_EQUAL(error.text, "the port misses a function that the runner needs");
    kit.policy.policy.abi++;
    RCS_EQUAL(recourse_runner_new(&good, &runner, &error), RECOURSE_E_ABI);
    kit.policy.policy.abi--;
    kit.sim.random_error = RECOURSE_E_SYSTEM;
    RCS_EQUAL(recourse_runner_new(&good, &runner, &error), RECOURSE_E_SYSTEM);
    recourse_runner_free(NULL);
    kit_close(&kit);
}

/* Without the system's chance a runner that is up goes on with its own. */
static void test_chance_runs_out(void)
{
    static const struct sim_answer answers[] = {{.status = 429}, {.status = 200}};
    struct recourse_turn *turn;

    kit_open(&kit, NULL);
    kit.sim.random_error = RECOURSE_E_SYSTEM;
    kit_http(&kit, "lookup", false);
    sim_route(&kit.sim, "http://lookup/", answers, 2);
    turn = kit_start_one(&kit, "lookup", "{}");
    kit_finish(&kit, turn);
    CU_ASSERT_TRUE(recourse_turn_result(turn, 0)->success);
    CU_ASSERT_TRUE(kit.sim.now_ms >= KIT_START_MS + 500 && kit.sim.now_ms <= KIT_START_MS + 1000);
    kit_close(&kit);
}

static void test_bad_turns(void)
{
    struct recourse_call_request call = kit_call("a", "lookup", "{}");
    struct recourse_turn_options options;
    struct recourse_turn *turn;
    struct recourse_error error;

    kit_open(&kit, NULL);
    options = kit_turn(&kit, &call, 1);
    RCS_EQUAL(recourse_turn_start(NULL, &options, &turn, &error), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_turn_start(kit.run, &options, NULL, &error), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_turn_start(kit.run, NULL, &turn, &error), RECOURSE_E_ARGUMENT);
    options.size++;
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &turn, &error), RECOURSE_E_ARGUMENT);
    options = kit_turn(&kit, NULL, 1);
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &turn, &error), RECOURSE_E_ARGUMENT);
    options = kit_turn(&kit, &call, 1);
    call.arguments.data = NULL;
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &turn, &error), RECOURSE_E_ARGUMENT);
    RCS_TEXT_EQUAL(error.text, "a span without data has a size");
    RCS_EQUAL(recourse_runner_step(NULL, 0), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_run_new(NULL, &kit.run), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_run_new(kit.runner, NULL), RECOURSE_E_ARGUMENT);
    recourse_turn_free(NULL);
    recourse_run_free(NULL);
    kit_close(&kit);
}

/* A policy that has no row for what happens: the call still has its one result. */
static void test_broken_policy(void)
{
    static const struct sim_answer answers[] = {{.after_ms = 10, .status = 200}};
    struct recourse_turn *turn;

    kit_open(&kit, NULL);
    kit_http(&kit, "lookup", false);
    sim_route(&kit.sim, "http://lookup/", answers, 1);
    turn = kit_start_one(&kit, "lookup", "{}");
    kit.policy.policy.behaviour_sha256[0]++; /* another policy than the call began with, from its first try on */
    kit_finish(&kit, turn);
    CU_ASSERT_TRUE(recourse_turn_result(turn, 0)->success);
    turn = kit_start_one(&kit, "lookup", "{}");
    kit.policy.policy.abi++;
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "Error: the call could not be carried on, and may have taken effect.");
    RCS_EQUAL(recourse_turn_result(turn, 0)->row, RECOURSE_NONE);
    turn = kit_start_one(&kit, "lookup", "{}");
    recourse_turn_cancel(turn);
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_CANCELLED);
    kit.policy.policy.abi--;
    turn = kit_start_one(&kit, "lookup", "{}");
    kit_settle(&kit);
    kit.policy.policy.behaviour_sha256[0]++;
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "Error: the call could not be carried on, and may have taken effect.");
    RCS_EQUAL(recourse_turn_result(turn, 0)->tell, RECOURSE_TELL_MODEL);
    kit_close(&kit);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"success", test_success},
        {"tried again", test_tried_again},
        {"exhausted", test_exhausted},
        {"server delay", test_server_delay},
        {"reasons", test_reasons},
        {"failed success", test_failed_success},
        {"timeouts", test_timeouts},
        {"cannot start", test_cannot_start},
        {"headers", test_headers},
        {"queries", test_queries},
        {"long query", test_long_query},
        {"bad tools", test_bad_tools},
        {"bad options", test_bad_options},
        {"chance runs out", test_chance_runs_out},
        {"bad turns", test_bad_turns},
        {"broken policy", test_broken_policy},
    };

    return rcs_unit_main("runner", tests, RCS_COUNT(tests));
}
