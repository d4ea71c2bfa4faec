/*
 * `recourse run --otlp` over real sockets: one faulty server is the tool and the collector. What the variables of OpenTelemetry
 * do, what tools are told of their trace, and that no run fails by its collector.
 */
#include "src/core/json.h"
#include "tests/server/faulty.h"
#include "tests/unit/policy_load.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT "00-" TRACE "-00f067aa0ba902b7-01"
#define CALLS \
    "[{\"id\":\"c1\",\"function\":{\"name\":\"lookup\",\"arguments\":\"{\\\"q\\\":\\\"hunter2\\\"}\"}}," \
    "{\"id\":\"hunter2 hunter2\",\"function\":{\"name\":\"hunter2\",\"arguments\":\"{}\"}}]"

static struct rcs_faulty *server;
static unsigned port;
static struct rcs_arena scratch;
static const char *directory;
static char output[16384]; /* results, then what was said on standard error */
static int status;
static const char *calls = "calls";

static bool write_file(const char *name, const char *text)
{
    FILE *file = fopen(rcs_arena_format(&scratch, "%s/%s", directory, name), "w");
    bool good = file != NULL && fputs(text, file) >= 0;
    return file != NULL && fclose(file) == 0 && good;
}

static void script(const char *path, const char *text)
{
    char why[256] = "";

    rcs_faulty_script(server, path, text, why, sizeof why);
    RCS_TEXT_EQUAL(why, "");
}

/* Runs both calls with these variables and options. */
static void run(const char *variables, const char *options)
{
    const char *command = getenv("RECOURSE") != NULL ? getenv("RECOURSE") : "build/recourse";
    char line[2048];
    size_t used;
    FILE *pipe;

    rcs_faulty_reset(server);
    snprintf(line, sizeof line,
             "env -u TRACEPARENT -u TRACESTATE KEY=hunter2 %s %s run --policy lightspeed --tools %s/tools %s %s/%s "
             "2>%s/said; code=$?; cat %s/said; exit $code",
             variables, command, directory, options, directory, calls, directory, directory);
    pipe = popen(line, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
    used = fread(output, 1, sizeof output - 1, pipe);
    output[used] = '\0';
    status = pclose(pipe);
}

/* `format` has a %u for the port. */
static const char *with_port(const char *format)
{
    static char texts[2][1024];
    static unsigned next;
    char *text = texts[next++ % 2];
    const char *at = strstr(format, "%u");

    snprintf(text, sizeof texts[0], "%.*s%u%s", at != NULL ? (int)(at - format) : 0, format, port, at != NULL ? at + 2 : format);
    return text;
}

static bool said(const char *text)
{
    return strstr(output, text) != NULL;
}

static const char *body_at(const char *path, size_t index)
{
    const struct rcs_faulty_request *request = rcs_faulty_request(server, path, index);

    return request != NULL ? request->body : "";
}

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* What the first try was told of its trace. */
static const char *told(const char *name)
{
    const struct rcs_faulty_request *request = rcs_faulty_request(server, "/lookup", 0);
    const char *value = request != NULL ? rcs_faulty_header(request, name) : NULL;

    return value != NULL ? value : "none";
}

/* ---- the tests ---- */

static void test_whole(void)
{
    static const char path[] = "/otel/v1/traces";
    const char *spans;
    char parent[64];

    script("/lookup", "503 body='hunter2 timeout' | 200 body='hunter2'");
    script(path, "503 header='Retry-After: 0' | 200 body='{}'");
    run(with_port("OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:%u/otel/ OTEL_EXPORTER_OTLP_HEADERS='x-key=a%20b, X-Other = c=d' "
                  "OTEL_SERVICE_NAME=shop OTEL_RESOURCE_ATTRIBUTES='service.name=not this,deployment.environment.name=%C3%A4' "
                  "TRACEPARENT=" PARENT " TRACESTATE='a=1, b=2'"),
        "--otlp");
    RCS_EQUAL(status, 0);
    RCS_EQUAL(strncmp(output, "[{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"hunter2\"}", 55), 0);
    CU_ASSERT_FALSE(said("recourse run:"));
    RCS_EQUAL(rcs_faulty_count(server, path), 2); /* the first one is sent again, as it was */
    spans = body_at(path, 0);
    RCS_TEXT_EQUAL(body_at(path, 1), spans);
    RCS_EQUAL(rcs_json_check((struct recourse_span){spans, strlen(spans)}, true, NULL), RCS_JSON_GOOD);
    RCS_TEXT_EQUAL(rcs_faulty_header(rcs_faulty_request(server, path, 0), "content-type"), "application/json");
    RCS_TEXT_EQUAL(rcs_faulty_header(rcs_faulty_request(server, path, 0), "x-key"), "a b");
    RCS_TEXT_EQUAL(rcs_faulty_header(rcs_faulty_request(server, path, 0), "x-other"), "c=d");
    CU_ASSERT_TRUE(has(spans, "{\"key\":\"service.name\",\"value\":{\"stringValue\":\"shop\"}}"));
    CU_ASSERT_FALSE(has(spans, "not this"));
    CU_ASSERT_TRUE(has(spans, "{\"key\":\"deployment.environment.name\",\"value\":{\"stringValue\":\"\xc3\xa4\"}}"));
    CU_ASSERT_TRUE(has(spans, "\"name\":\"execute_tool lookup\""));
    CU_ASSERT_TRUE(has(spans, "\"parentSpanId\":\"00f067aa0ba902b7\""));
    CU_ASSERT_FALSE(has(spans, "hunter2"));
    RCS_EQUAL(rcs_faulty_count(server, "/lookup"), 2);
    RCS_EQUAL(strncmp(told("traceparent"), "00-" TRACE "-", 36), 0);
    RCS_TEXT_EQUAL(told("tracestate"), "a=1,b=2");
    snprintf(parent, sizeof parent, "\"spanId\":\"%.16s\"", told("traceparent") + 36);
    CU_ASSERT_TRUE(has(spans, parent));
}

/* Where batches go. */
static void test_endpoints(void)
{
    static const struct {
        const char *variables;
        const char *options;
        const char *path;
    } cases[] = {
        {"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:%u", "--otlp", "/v1/traces"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:%u/", "--otlp", "/v1/traces"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:%u/a", "--otlp", "/a/v1/traces"},
        {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:%u/as/it/is OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "--otlp",
         "/as/it/is"},
        {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT= OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:%u", "--otlp", "/v1/traces"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "--otlp=http://127.0.0.1:%u", "/v1/traces"},
        {"", "--otlp=http://127.0.0.1:%u/v1/traces", "/v1/traces"},
        {"", "--otlp=http://127.0.0.1:%u/b/", "/b/v1/traces"},
    };

    script("/lookup", "200 body='fine'");
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        script(cases[i].path, "200 body='{}'");
        run(has(cases[i].variables, "%u") ? with_port(cases[i].variables) : cases[i].variables,
            has(cases[i].options, "%u") ? with_port(cases[i].options) : cases[i].options);
        rcs_unit_equal(status, 0, cases[i].path, __FILE__, __LINE__);
        rcs_unit_equal((long long)rcs_faulty_count(server, cases[i].path), 1, cases[i].path, __FILE__, __LINE__);
        CU_ASSERT_FALSE(said("recourse run:"));
    }
}

/* A variable that says nothing is ignored, and named; the spans go out all the same. */
static void test_ignored(void)
{
    static const struct {
        const char *variable;
        const char *line;
    } cases[] = {
        {"OTEL_EXPORTER_OTLP_TIMEOUT=soon", "OTEL_EXPORTER_OTLP_TIMEOUT is no number of milliseconds and is ignored"},
        {"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=0", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT is no number of milliseconds and is ignored"},
        {"OTEL_EXPORTER_OTLP_HEADERS=hunter2", "OTEL_EXPORTER_OTLP_HEADERS is no list of headers (key=value,key=value) and is ignored"},
        {"OTEL_EXPORTER_OTLP_HEADERS='a b=hunter2'", "OTEL_EXPORTER_OTLP_HEADERS is no list of headers (key=value,key=value) and is ignored"},
        {"OTEL_EXPORTER_OTLP_HEADERS='a=%0Ahunter2'", "OTEL_EXPORTER_OTLP_HEADERS is no list of headers (key=value,key=value) and is ignored"},
        {"OTEL_EXPORTER_OTLP_TRACES_HEADERS='content-length=1'",
         "OTEL_EXPORTER_OTLP_TRACES_HEADERS is no list of headers (key=value,key=value) and is ignored"},
        {"OTEL_RESOURCE_ATTRIBUTES='a=1,%zz=2'", "OTEL_RESOURCE_ATTRIBUTES is no list (key=value,key=value) and is ignored"},
        {"TRACEPARENT=hunter2", "TRACEPARENT is none of W3C Trace Context, and is ignored"},
    };
    char line[256];

    script("/lookup", "200 body='fine'");
    script("/v1/traces", "200 body='{}'");
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        run(cases[i].variable, with_port("--otlp=http://127.0.0.1:%u"));
        snprintf(line, sizeof line, "recourse run: %s%s\n", strncmp(cases[i].variable, "TRACE", 5) == 0 ? "" : "--otlp: ", cases[i].line);
        rcs_unit_equal(said(line), true, cases[i].variable, __FILE__, __LINE__);
        RCS_EQUAL(status, 0);
        RCS_EQUAL(rcs_faulty_count(server, "/v1/traces"), 1);
        CU_ASSERT_FALSE(has(body_at("/v1/traces", 0), "\"parentSpanId\":\"00f067aa0ba902b7\""));
    }
}

/* The run's results are the same, and so is its status. */
static void test_no_collector(void)
{
    static const struct {
        const char *variables;
        const char *options;
        const char *collector;
        const char *line;
    } cases[] = {
        {"", "--otlp=http://127.0.0.1:%u", "500", "--otlp: 3 of 3 spans were not exported: the collector answers HTTP 500"},
        {"", "--otlp=http://127.0.0.1:%u", "503 header='Retry-After: 60'",
         "--otlp: 3 of 3 spans were not exported: the collector answers HTTP 503"},
        {"", "--otlp=http://127.0.0.1:%u", "200 body='{\"partialSuccess\":{\"rejectedSpans\":\"2\",\"errorMessage\":\"too old\"}}'",
         "--otlp: 2 of 3 spans were not exported: the collector says: too old"},
        {"OTEL_EXPORTER_OTLP_TIMEOUT=200", "--otlp=http://127.0.0.1:%u", "hang=before",
         "--otlp: 3 of 3 spans were not exported: the collector can't be reached: "},
        {"OTEL_EXPORTER_OTLP_TIMEOUT=200", "--otlp=http://127.0.0.1:1", "200",
         "--otlp: 3 of 3 spans were not exported: the collector can't be reached: "},
        {"OTEL_EXPORTER_OTLP_ENDPOINT=ftp://nowhere", "--otlp", "200",
         "--otlp: tool 'OTLP' needs a URL that begins with http:// or https://: nothing is exported"},
        {"OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "--otlp", "200",
         "--otlp: OTEL_EXPORTER_OTLP_PROTOCOL says grpc, and only http/json is spoken here: nothing is exported"},
    };
    char line[256];

    script("/lookup", "200 body='fine'");
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        script("/v1/traces", cases[i].collector);
        run(cases[i].variables, has(cases[i].options, "%u") ? with_port(cases[i].options) : cases[i].options);
        snprintf(line, sizeof line, "\nrecourse run: %s", cases[i].line);
        rcs_unit_equal(said(line), true, output, __FILE__, __LINE__);
        RCS_EQUAL(strncmp(output, "[{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"fine\"}", 52), 0);
        RCS_EQUAL(status, 0);
        CU_ASSERT_TRUE(rcs_faulty_count(server, "/v1/traces") <= 1);
    }
}

/* No spans; what the tool is told is what was told to us, if anything is asked for. */
static void test_without(void)
{
    static const struct {
        const char *variables;
        const char *options;
        const char *parent;
        const char *state;
    } cases[] = {
        {"OTEL_SDK_DISABLED=True TRACEPARENT=" PARENT " TRACESTATE=a=1", "--otlp=http://127.0.0.1:%u", PARENT, "a=1"},
        {"OTEL_SDK_DISABLED=true", "--otlp=http://127.0.0.1:%u", "none", "none"},
        {"TRACEPARENT=" PARENT " TRACESTATE=a=1", "", "none", "none"},
        {"TRACESTATE=a=1", "--traceparent " PARENT, PARENT, "none"},
    };

    script("/lookup", "200 body='fine'");
    script("/v1/traces", "200 body='{}'");
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        run(cases[i].variables, has(cases[i].options, "%u") ? with_port(cases[i].options) : cases[i].options);
        RCS_EQUAL(status, 0);
        RCS_EQUAL(rcs_faulty_count(server, "/v1/traces"), 0);
        RCS_TEXT_EQUAL(told("traceparent"), cases[i].parent);
        RCS_TEXT_EQUAL(told("tracestate"), cases[i].state);
    }
    run("OTEL_SDK_DISABLED=no TRACEPARENT=00-ffffffffffffffffffffffffffffffff-00f067aa0ba902b7-01",
        with_port("--otlp=http://127.0.0.1:%u --traceparent " PARENT));
    RCS_EQUAL(rcs_faulty_count(server, "/v1/traces"), 1);
    RCS_EQUAL(strncmp(told("traceparent"), "00-" TRACE "-", 36), 0);
}

/* A program has it in its environment, in the place of what we have ourselves. */
static void test_program(void)
{
    char wanted[256];
    const char *id;

    script("/v1/traces", "200 body='{}'");
    calls = "program_calls";
    run("TRACEPARENT=" PARENT " TRACESTATE=a=1", with_port("--otlp=http://127.0.0.1:%u"));
    id = strstr(body_at("/v1/traces", 0), "\"spanId\":\"");
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    snprintf(wanted, sizeof wanted, "\"content\":\"00-" TRACE "-%.16s-01 a=1\"}]\n", id + 10);
    CU_ASSERT_TRUE(said(wanted));
    run("TRACEPARENT=" PARENT " TRACESTATE=a=1", "--traceparent 00-" TRACE "-0000000000000001-00");
    CU_ASSERT_TRUE(said("\"content\":\"00-" TRACE "-0000000000000001-00 \"}]\n"));
    calls = "calls";
}

/* What is wrong with an option is told before anything runs. */
static void test_wrong(void)
{
    static const struct {
        const char *options;
        const char *line;
    } cases[] = {
        {"--otlp=nowhere", "recourse run: --otlp: tool 'OTLP' needs a URL that begins with http:// or https://\n"},
        {"--otlp=", "recourse run: the value of --otlp is empty\n"},
        {"--otlp=http://a --otlp=http://b", "recourse run: --otlp is given twice\n"},
        {"--traceparent 00-1-2-3", "recourse run: --traceparent is none of W3C Trace Context\n"},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        run("", cases[i].options);
        RCS_TEXT_EQUAL(output, cases[i].line);
        RCS_EQUAL(status, 256);
        RCS_EQUAL(rcs_faulty_count(server, NULL), 0);
    }
}

static bool open_all(void)
{
    server = rcs_faulty_new();
    if (server == NULL || rcs_faulty_start(server) != 0) {
        return false;
    }
    directory = rcs_scratch(&scratch);
    port = rcs_faulty_port(server);
    return write_file("calls", CALLS) &&
           write_file("program_calls", "[{\"id\":\"c1\",\"function\":{\"name\":\"show\",\"arguments\":\"{}\"}}]") &&
           write_file("tools", with_port("{\"tools\":[{\"name\":\"lookup\",\"replay\":\"safe\",\"http\":{\"url\":\"http://127.0.0.1:%u/lookup"
                                  "?key=hunter2\",\"headers\":{\"X-Key\":\"${KEY}\"}}},{\"name\":\"show\",\"command\":[\"sh\",\"-c\","
                                  "\"printf '%s %s' \\\"$TRACEPARENT\\\" \\\"$TRACESTATE\\\"\"]}]}"));
}

static void close_all(void)
{
    rcs_scratch_remove(&scratch, directory);
    rcs_arena_clear(&scratch);
    rcs_faulty_stop(server);
    rcs_faulty_free(server);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"whole", test_whole},   {"endpoints", test_endpoints}, {"ignored", test_ignored}, {"no collector", test_no_collector},
        {"without", test_without}, {"program", test_program},       {"wrong", test_wrong},
    };
    int code;

    if (!open_all()) {
        fputs("otlp: no server or no directory\n", stderr);
        return 1;
    }
    code = rcs_unit_main("otlp", tests, RCS_COUNT(tests));
    close_all();
    return code;
}
