/* Batches on their way to a collector: bounds, times, what is sent again, and that no call waits for it. */
#include "tests/unit/purse.h"
#include "tests/unit/spans_kit.h"

#define COLLECTOR "http://collector/v1/traces"

static struct spans_kit at;

static const struct sim_answer fine[] = {{.after_ms = 10, .status = 200, .body = "fine"}};

static struct recourse_spans_options to_collector(void)
{
    struct recourse_spans_options options = spans_options(&at);

    options.batch = NULL;
    options.url = COLLECTOR;
    return options;
}

static void open_to(const struct recourse_spans_options *options, const struct sim_answer *answers, size_t count)
{
    spans_open(&at, options);
    kit_http(&at.kit, "lookup", true);
    sim_route(&at.kit.sim, "http://lookup/", fine, 1);
    sim_route(&at.kit.sim, COLLECTOR, answers, count);
}

static void run_calls(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct recourse_turn *turn = kit_start_one(&at.kit, "lookup", "{}");

        kit_finish(&at.kit, turn);
        CU_ASSERT_TRUE(recourse_turn_result(turn, 0)->success);
        recourse_turn_free(turn);
    }
}

static void free_runner(void)
{
    recourse_runner_free(at.kit.runner);
    at.kit.runner = NULL;
}

/* When batches were sent, in milliseconds after the first of them. */
static const char *sendings(void)
{
    static char text[256];
    size_t used = 0;
    uint64_t first_ms = 0;

    text[0] = '\0';
    for (size_t i = 0; i < at.kit.sim.request_count; i++) {
        const struct sim_request *request = &at.kit.sim.requests[i];

        if (strcmp(request->url, COLLECTOR) == 0) {
            first_ms = used == 0 ? request->at_ms : first_ms;
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%llu", used > 0 ? " " : "",
                                     (unsigned long long)(request->at_ms - first_ms));
        }
    }
    return text;
}

static void test_request(void)
{
    static const char *const headers[] = {"X-Key: hidden", NULL};
    static const struct sim_answer taken[] = {{.after_ms = 3, .status = 200, .body = "{}"}};
    struct recourse_spans_options options;
    const struct sim_request *request;

    memset(&at, 0, sizeof at);
    options = to_collector();
    options.headers = headers;
    open_to(&options, taken, 1);
    run_calls(1);
    free_runner();
    RCS_EQUAL(at.kit.sim.request_count, 1);
    RCS_EQUAL(recourse_spans_flush(at.spans, 1000), 0);
    RCS_EQUAL(at.kit.sim.now_ms, 1013);
    RCS_EQUAL(at.kit.sim.request_count, 2);
    request = &at.kit.sim.requests[1];
    RCS_TEXT_EQUAL(request->method, "POST");
    RCS_TEXT_EQUAL(request->headers,
                   "Content-Type: application/json|User-Agent: recourse-otlp/" RECOURSE_VERSION "|X-Key: hidden");
    RCS_EQUAL(strncmp(request->body, "{\"resourceSpans\":[", 18), 0);
    RCS_EQUAL(request->deadline_ms, 1010 + 10000);
    RCS_EQUAL(request->body_max, 65536);
    RCS_TEXT_EQUAL(spans_state(&at), "ended 2 exported 2 dropped 0 failed 0 rejected 0 waiting 0");
    spans_close(&at);
}

static const struct recourse_header in_two[] = {{{"Retry-After", 11}, {"2", 1}}};
static const struct recourse_header in_ten[] = {{{"retry-after", 11}, {"10", 2}}};

/* One batch of two spans, and 20 s for it. */
static void test_answers(void)
{
    static const struct {
        struct sim_answer answers[2];
        const char *sendings;
        const char *state; /* after "ended 2 " */
        const char *problem;
    } cases[] = {
        {{{.status = 200, .body = "{}"}, {0}}, "0", "exported 2 dropped 0 failed 0 rejected 0", ""},
        {{{.status = 202, .body = ""}, {0}}, "0", "exported 2 dropped 0 failed 0 rejected 0", ""},
        {{{.status = 200, .body = "what?"}, {0}}, "0", "exported 2 dropped 0 failed 0 rejected 0", ""},
        {{{.status = 200, .body = "{\"partialSuccess\":{}}"}, {0}}, "0", "exported 2 dropped 0 failed 0 rejected 0", ""},
        {{{.status = 200, .body = "{\"partialSuccess\":{\"rejectedSpans\":\"1\",\"errorMessage\":\"too\\n old\"}}"}, {0}},
         "0", "exported 1 dropped 0 failed 0 rejected 1", "the collector says: too old"},
        {{{.status = 200, .body = "{\"partialSuccess\":{\"rejectedSpans\":1}}"}, {0}},
         "0", "exported 1 dropped 0 failed 0 rejected 1", "the collector rejected 1 spans of a batch"},
        {{{.status = 200, .body = "{\"partialSuccess\":{\"rejectedSpans\":\"99\"}}"}, {0}},
         "0", "exported 0 dropped 0 failed 0 rejected 2", "the collector rejected 99 spans of a batch"},
        {{{.status = 200, .body = "{\"partialSuccess\":{\"rejectedSpans\":\"-1\",\"errorMessage\":\"\"}}"}, {0}},
         "0", "exported 2 dropped 0 failed 0 rejected 0", ""},
        {{{.status = 200, .body = "{\"partialSuccess\":{\"rejectedSpans\":0,\"errorMessage\":\"soon no more\"}}"}, {0}},
         "0", "exported 2 dropped 0 failed 0 rejected 0", "the collector says: soon no more"},
        {{{.status = 200, .body = "{\"partialSuccess\":[]}"}, {0}}, "0", "exported 2 dropped 0 failed 0 rejected 0", ""},
        {{{.status = 400}, {.status = 200}}, "0", "exported 0 dropped 0 failed 2 rejected 0", "the collector answers HTTP 400"},
        {{{.status = 301}, {.status = 200}}, "0", "exported 0 dropped 0 failed 2 rejected 0", "the collector answers HTTP 301"},
        {{{.status = 401}, {.status = 200}}, "0", "exported 0 dropped 0 failed 2 rejected 0", "the collector answers HTTP 401"},
        {{{.status = 500}, {.status = 200}}, "0", "exported 0 dropped 0 failed 2 rejected 0", "the collector answers HTTP 500"},
        {{{.status = 501}, {.status = 200}}, "0", "exported 0 dropped 0 failed 2 rejected 0", "the collector answers HTTP 501"},
        {{{.status = 505}, {.status = 200}}, "0", "exported 0 dropped 0 failed 2 rejected 0", "the collector answers HTTP 505"},
        {{{.protocol = true, .detail = "no HTTP"}, {.status = 200}}, "0", "exported 0 dropped 0 failed 2 rejected 0",
         "the collector can't be reached: no HTTP"},
        {{{.status = 200, .too_large = true}, {.status = 200}}, "0", "exported 0 dropped 0 failed 2 rejected 0",
         "the collector can't be reached: no answer"},
        {{{.status = 429}, {.status = 200}}, "0 1000", "exported 2 dropped 0 failed 0 rejected 0", "the collector answers HTTP 429"},
        {{{.status = 502}, {.status = 200}}, "0 1000", "exported 2 dropped 0 failed 0 rejected 0", "the collector answers HTTP 502"},
        {{{.status = 503}, {.status = 200}}, "0 1000", "exported 2 dropped 0 failed 0 rejected 0", "the collector answers HTTP 503"},
        {{{.status = 504}, {.status = 200}}, "0 1000", "exported 2 dropped 0 failed 0 rejected 0", "the collector answers HTTP 504"},
        {{{.status = 503, .headers = in_two, .header_count = 1}, {.status = 200}}, "0 2000",
         "exported 2 dropped 0 failed 0 rejected 0", "the collector answers HTTP 503"},
        /* it would not be in time */
        {{{.status = 503, .headers = in_ten, .header_count = 1}, {.status = 200}}, "0",
         "exported 0 dropped 0 failed 2 rejected 0", "the collector answers HTTP 503"},
        {{{.network = RECOURSE_NETWORK_RESET, .detail = "reset"}, {.status = 200}}, "0 1000",
         "exported 2 dropped 0 failed 0 rejected 0", "the collector can't be reached: reset"},
        /* 1 s, 1.5 s, 2.25 s, each less by what was drawn: 0, 1 and 2; the next one would be too late */
        {{{.status = 503}, {.status = 503}}, "0 1000 2499 4747 8119", "exported 0 dropped 0 failed 2 rejected 0",
         "the collector answers HTTP 503"},
        {{{.network = RECOURSE_NETWORK_REFUSED, .detail = "refused"}, {.network = RECOURSE_NETWORK_REFUSED, .detail = "refused"}},
         "0 1000 2499 4747 8119", "exported 0 dropped 0 failed 2 rejected 0", "the collector can't be reached: refused"},
        {{{0}, {0}}, "0", "exported 0 dropped 0 failed 2 rejected 0", "the collector can't be reached: no answer in time"},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_spans_options options;
        struct recourse_spans_state state;
        char wanted[128];

        memset(&at, 0, sizeof at);
        options = to_collector();
        open_to(&options, cases[i].answers, 2);
        run_calls(1);
        free_runner();
        at.kit.sim.random = 0;
        RCS_EQUAL(recourse_spans_flush(at.spans, 20000), 0);
        recourse_spans_state(at.spans, &state);
        snprintf(wanted, sizeof wanted, "ended 2 %s waiting 0", cases[i].state);
        rcs_unit_text_equal(spans_state(&at), wanted, cases[i].problem, __FILE__, __LINE__);
        rcs_unit_text_equal(sendings(), cases[i].sendings, cases[i].problem, __FILE__, __LINE__);
        RCS_TEXT_EQUAL(state.problem, cases[i].problem);
        CU_ASSERT_TRUE(at.kit.sim.now_ms <= 1010 + 10000);
        spans_close(&at);
    }
}

/* No room in the port now: the same as a collector that is busy. */
static void test_no_room(void)
{
    static const struct sim_answer taken[] = {{.status = 200}};
    struct recourse_spans_options options;
    struct recourse_spans_state state;

    memset(&at, 0, sizeof at);
    options = to_collector();
    open_to(&options, taken, 1);
    run_calls(1);
    free_runner();
    at.kit.sim.random = 0;
    at.kit.sim.http_error = RECOURSE_E_AGAIN;
    RCS_EQUAL(recourse_spans_flush(at.spans, 500), RECOURSE_E_AGAIN);
    RCS_TEXT_EQUAL(spans_state(&at), "ended 2 exported 0 dropped 0 failed 0 rejected 0 waiting 2");
    RCS_EQUAL(at.kit.sim.now_ms, 1510);
    recourse_spans_state(at.spans, &state);
    RCS_EQUAL(strncmp(state.problem, "a batch can't be sent: ", 23), 0);
    at.kit.sim.http_error = 0;
    RCS_EQUAL(recourse_spans_flush(at.spans, 600), 0);
    RCS_EQUAL(at.kit.sim.now_ms, 2010);
    RCS_TEXT_EQUAL(spans_state(&at), "ended 2 exported 2 dropped 0 failed 0 rejected 0 waiting 0");
    spans_close(&at);
}

/* Five spans are kept while the collector says nothing; no call waits for that. */
static void test_bounded(void)
{
    static const struct sim_answer silent[] = {{.after_ms = 0}};
    struct recourse_spans_options options;

    memset(&at, 0, sizeof at);
    options = to_collector();
    options.queue_max = 5;
    options.batch_max = 2;
    open_to(&options, silent, 1);
    run_calls(4);
    RCS_EQUAL(at.kit.sim.now_ms, 1040);
    RCS_TEXT_EQUAL(spans_state(&at), "ended 8 exported 0 dropped 3 failed 0 rejected 0 waiting 5");
    RCS_TEXT_EQUAL(sendings(), "0");
    RCS_EQUAL(recourse_spans_flush(at.spans, 1000), RECOURSE_E_AGAIN); /* which polls nothing: the runner has them */
    RCS_EQUAL(at.kit.sim.now_ms, 1040);
    kit_until(&at.kit, 1010 + 10000);
    RCS_TEXT_EQUAL(spans_state(&at), "ended 8 exported 0 dropped 3 failed 2 rejected 0 waiting 3");
    run_calls(1);
    RCS_TEXT_EQUAL(spans_state(&at), "ended 10 exported 0 dropped 3 failed 2 rejected 0 waiting 5");
    spans_close(&at); /* with one under way */
}

/* A batch is never larger than what may be kept: it would not fill. */
static void test_small_queue(void)
{
    static const struct sim_answer taken[] = {{.after_ms = 1, .status = 200}};
    struct recourse_spans_options options;

    memset(&at, 0, sizeof at);
    options = to_collector();
    options.queue_max = 2;
    open_to(&options, taken, 1);
    run_calls(3);
    RCS_TEXT_EQUAL(sendings(), "0 10 20");
    kit_until(&at.kit, 1031);
    RCS_TEXT_EQUAL(spans_state(&at), "ended 6 exported 6 dropped 0 failed 0 rejected 0 waiting 0");
    spans_close(&at);
}

/* A batch that is not full goes when its time has come, though nothing else happens. */
static void test_batch_time(void)
{
    static const struct sim_answer taken[] = {{.after_ms = 1, .status = 200}};
    struct recourse_spans_options options;

    memset(&at, 0, sizeof at);
    options = to_collector();
    options.batch_ms = 300;
    open_to(&options, taken, 1);
    RCS_EQUAL(recourse_runner_wake_ms(at.kit.runner), RECOURSE_FOREVER);
    run_calls(1);
    RCS_EQUAL(recourse_runner_wake_ms(at.kit.runner), 1310);
    RCS_EQUAL(recourse_runner_step(at.kit.runner, RECOURSE_FOREVER), 0);
    RCS_EQUAL(at.kit.sim.now_ms, 1310);
    kit_until(&at.kit, 1311);
    RCS_TEXT_EQUAL(spans_state(&at), "ended 2 exported 2 dropped 0 failed 0 rejected 0 waiting 0");
    RCS_EQUAL(recourse_runner_wake_ms(at.kit.runner), RECOURSE_FOREVER);
    spans_close(&at);
}

/* One after the other, while the runner works. */
static void test_several(void)
{
    static const struct sim_answer taken[] = {{.after_ms = 25, .status = 200}};
    struct recourse_spans_options options;

    memset(&at, 0, sizeof at);
    options = to_collector();
    options.batch_max = 2;
    open_to(&options, taken, 1);
    run_calls(4);
    RCS_TEXT_EQUAL(sendings(), "0 25");
    free_runner();
    RCS_EQUAL(recourse_spans_flush(at.spans, 1000), 0);
    RCS_TEXT_EQUAL(sendings(), "0 25 50 75");
    RCS_TEXT_EQUAL(spans_state(&at), "ended 8 exported 8 dropped 0 failed 0 rejected 0 waiting 0");
    RCS_EQUAL(recourse_spans_flush(at.spans, 1000), 0);
    spans_close(&at);
}

static void test_options(void)
{
    static const char *const odd[] = {"service.name", NULL};
    static const char *const bad_header[] = {"no header", NULL};
    struct sim sim;
    const struct recourse_spans_options good = {.size = sizeof good, .port = &sim.port, .url = COLLECTOR};
    struct recourse_spans_options cases[8];
    const char *const texts[] = {
        "no options, or options of another size",
        "no port, or a port of another size",
        "batches go to a callback or to a URL: give one of them",
        "batches go to a callback or to a URL: give one of them",
        "the resource's last attribute has no value",
        "tool 'OTLP' needs a URL that begins with http:// or https://",
        "tool 'OTLP': a header is not of the form \"Name: value\"",
        "tool 'OTLP': a URL with credentials is not taken; send them in a header",
    };
    struct recourse_spans *spans;
    struct recourse_error error;

    sim_init(&sim, 0);
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        cases[i] = good;
    }
    cases[0].size--;
    cases[1].port = NULL;
    cases[2].url = NULL;
    cases[3].batch = spans_options(&at).batch;
    cases[4].resource = odd;
    cases[5].url = "ftp://collector/";
    cases[6].headers = bad_header;
    cases[7].url = "http://me:hidden@collector/";
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(recourse_spans_new(&cases[i], &spans, &error), RECOURSE_E_ARGUMENT);
        RCS_TEXT_EQUAL(error.text, texts[i]);
    }
    RCS_EQUAL(recourse_spans_new(NULL, &spans, NULL), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_spans_new(&good, NULL, NULL), RECOURSE_E_ARGUMENT);
    recourse_spans_free(NULL);
    sim_clear(&sim);
}

/* One runner has them, on one port. */
static void test_one_runner(void)
{
    struct recourse_runner_options options;
    struct recourse_runner *other = NULL;
    struct recourse_error error;
    struct sim sim;

    memset(&at, 0, sizeof at);
    spans_open(&at, NULL);
    kit_options(&at.kit, &options);
    options.spans = at.spans;
    RCS_EQUAL(recourse_runner_new(&options, &other, &error), RECOURSE_E_ARGUMENT);
    RCS_TEXT_EQUAL(error.text, "the spans are another runner's, or another port's");
    free_runner();
    sim_init(&sim, 0);
    options.port = &sim.port;
    RCS_EQUAL(recourse_runner_new(&options, &other, &error), RECOURSE_E_ARGUMENT);
    options.port = &at.kit.sim.port;
    RCS_EQUAL(recourse_runner_new(&options, &other, &error), 0);
    recourse_runner_free(other);
    sim_clear(&sim);
    spans_close(&at);
}

/* Whatever allocation fails, the call ends as it should, and each span is with the collector or counted. */
static void test_memory(void)
{
    static const struct sim_answer taken[] = {{.status = 200}};
    bool done = false;

    for (unsigned left = 0; !done && left < 200; left++) {
        struct purse purse = {.left = 1000};
        struct recourse_allocator allocator = purse_allocator(&purse);
        struct recourse_spans_options options;
        struct recourse_spans_state state;
        struct recourse_spans *spans;
        int code;

        memset(&at, 0, sizeof at);
        sim_init(&at.kit.sim, 0);
        options = to_collector();
        options.allocator = &allocator;
        purse.left = left;
        code = recourse_spans_new(&options, &spans, NULL);
        sim_clear(&at.kit.sim);
        if (code != 0) {
            RCS_EQUAL(code, RECOURSE_E_MEMORY);
            RCS_EQUAL(purse.out, 0);
            continue;
        }
        recourse_spans_free(spans);
        purse.left = 1000;
        open_to(&options, taken, 1);
        purse.left = left;
        run_calls(2);
        free_runner();
        (void)!recourse_spans_flush(at.spans, 20000);
        recourse_spans_state(at.spans, &state);
        RCS_EQUAL(state.ended, 4);
        RCS_EQUAL(state.exported + state.dropped + state.failed, 4);
        RCS_EQUAL(state.waiting, 0);
        done = state.exported == 4;
        spans_close(&at);
        RCS_EQUAL(purse.out, 0);
    }
    CU_ASSERT_TRUE(done);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"request", test_request},       {"answers", test_answers}, {"no room", test_no_room},
        {"bounded", test_bounded},       {"small queue", test_small_queue}, {"batch time", test_batch_time},
        {"several", test_several},       {"options", test_options}, {"one runner", test_one_runner},
        {"memory", test_memory},
    };

    return rcs_unit_main("spans_send", tests, RCS_COUNT(tests));
}
