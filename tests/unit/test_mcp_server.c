/* The scripted MCP server: what it says it does is what the tests of the MCP client stand on. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/server/mcp_parts.h"
#include "tests/unit/mcp_kit.h"

static struct rcs_faulty *http;
static struct rcs_mcp *mcp;

/* Scripts come in pairs, up to a NULL. */
static void open_with(const char *const *scripts)
{
    char why[256] = "";

    http = rcs_faulty_new();
    CU_ASSERT_PTR_NOT_NULL_FATAL(http);
    mcp = rcs_mcp_new(http, "/mcp");
    for (; scripts[0] != NULL; scripts += 2) {
        if (!rcs_mcp_script(mcp, scripts[0], scripts[1], why, sizeof why)) {
            printf("    %s: %s\n", scripts[1], why);
            CU_FAIL_FATAL("a script that can't be read");
        }
    }
    CU_ASSERT_EQUAL_FATAL(rcs_faulty_start(http), 0);
}
#define OPEN(...) open_with((const char *const[]){__VA_ARGS__, NULL})

static void close_all(void)
{
    rcs_mcp_free(mcp);
    rcs_faulty_free(http);
}

/* ---- a plain client ---- */

static int dial(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)rcs_faulty_port(http))};
    struct timeval limit = {.tv_sec = 5};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    CU_ASSERT_EQUAL_FATAL(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

#define JSON "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
#define SSE "Accept: text/event-stream\r\n"

static int begin(const char *method, const char *headers, const char *body)
{
    char request[TEXT_MAX];
    int size = snprintf(request, sizeof request,
                        "%s /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %zu\r\n%s\r\n%s", method,
                        strlen(body), headers, body);
    int fd = dial();

    RCS_EQUAL(send(fd, request, (size_t)size, MSG_NOSIGNAL), size);
    return fd;
}

/* Reads up to the end, or to `until`. Returns the errno of the end; -1 where `until` has come. */
static int hear(int fd, char *text, const char *until)
{
    size_t got = 0;

    for (;;) {
        ssize_t one = recv(fd, text + got, TEXT_MAX - 1 - got, 0);
        if (one <= 0) {
            text[got] = '\0';
            return one == 0 ? 0 : errno;
        }
        got += (size_t)one;
        text[got] = '\0';
        if (until != NULL && strstr(text, until) != NULL) {
            return -1;
        }
    }
}

/* The answer as a whole. */
static const char *ask(const char *method, const char *headers, const char *body)
{
    static char text[TEXT_MAX];
    int fd = begin(method, headers, body);

    RCS_EQUAL(hear(fd, text, NULL), 0);
    close(fd);
    return text;
}

static const char *body_of(const char *text)
{
    const char *end = strstr(text, "\r\n\r\n");

    return end == NULL ? "" : end + 4;
}

/* The text of a chunked body, with "(end)" where the last chunk has come. */
static const char *dechunk(const char *body)
{
    static char text[TEXT_MAX];
    size_t size = 0;
    char *after;

    text[0] = '\0';
    while (body[0] != '\0') {
        size_t chunk = strtoul(body, &after, 16);
        if (after == body || strncmp(after, "\r\n", 2) != 0) {
            return "no chunk";
        }
        if (chunk == 0) {
            snprintf(text + size, sizeof text - size, "(end)");
            return text;
        }
        memcpy(text + size, after + 2, chunk);
        size += chunk;
        text[size] = '\0';
        body = after + 2 + chunk + 2;
    }
    return text;
}

static const char *post(const char *body)
{
    return body_of(ask("POST", JSON, body));
}

static const char *stream_of(const char *body)
{
    return dechunk(post(body));
}

/* ---- a good server ---- */

static void test_good(void)
{
    const char *text;

    OPEN("t", "text=x listed='\"annotations\":{\"readOnlyHint\":true}'", "u", "listed='\"inputSchema\":{}'");
    text = ask("POST", JSON, INITIALIZE("2025-06-18"));
    has(text, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ");
    CU_ASSERT_PTR_NULL(strstr(text, "Mcp-Session-Id"));
    RCS_TEXT_EQUAL(body_of(text), "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":"
                                  "{\"tools\":{\"listChanged\":true}},\"serverInfo\":{\"name\":\"scripted\",\"version\":\"1\"}}}");
    has(post(INITIALIZE("2099-01-01")), "\"protocolVersion\":\"2025-11-25\"");
    RCS_TEXT_EQUAL(ask("POST", JSON, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"),
                   "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    RCS_TEXT_EQUAL(post(METHOD("\"a\"", "ping")), "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}");
    RCS_TEXT_EQUAL(post(METHOD("3", "tools/list")),
                   "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":["
                   "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":true}},"
                   "{\"name\":\"u\",\"inputSchema\":{}}]}}");
    RCS_TEXT_EQUAL(post(METHOD("4", "server/discover")),
                   "{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}");
    RCS_TEXT_EQUAL(post("{\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"@initialize\"}}"),
                   "{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-32602,\"message\":\"Unknown tool\"}}");
    RCS_TEXT_EQUAL(post(CALL), FOUND);
    RCS_TEXT_EQUAL(post("{} {}"), "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse error\"},\"id\":null}");
    has(ask("PUT", JSON, CALL), "HTTP/1.1 405 ");
    close_all();
}

/* ---- what an answer says ---- */

static const struct {
    const char *script;
    const char *body;
} answers[] = {
    {"text=x", FOUND},
    {"text='a\"\\x01\\xc3\\xa4' text=b",
     ANSWER("{\"content\":[{\"type\":\"text\",\"text\":\"a\\\"\\u0001\xc3\xa4\"},{\"type\":\"text\",\"text\":\"b\"}]}")},
    {"is-error text=x", ANSWER("{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"isError\":true}")},
    {"is-error", ANSWER("{\"content\":[],\"isError\":true}")},
    {"200", ANSWER("{\"content\":[]}")},
    {"structured='{\"n\":9007199254740993}' text=x",
     ANSWER("{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"structuredContent\":{\"n\":9007199254740993}}")},
    {"image=4", ANSWER("{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAECAw==\"}]}")},
    {"audio=2", ANSWER("{\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"AAE=\"}]}")},
    {"blob=3", ANSWER("{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///b\",\"mimeType\":"
                      "\"application/pdf\",\"blob\":\"AAEC\"}}]}")},
    {"content='{\"type\":\"new\"}'", ANSWER("{\"content\":[{\"type\":\"new\"}]}")},
    {"count", ANSWER("{\"content\":[{\"type\":\"text\",\"text\":\"1\"}]}")},
    {"result='[1]'", ANSWER("[1]")},
    {"rpc=-32602 message=no", "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32602,\"message\":\"no\"}}"},
    {"rpc=5 data='{\"a\":1}'",
     "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":5,\"message\":\"failed\",\"data\":{\"a\":1}}}"},
    {"400 rpc=-32700 id=null", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"failed\"}}"},
    {"text=x id='\"7\"'", "{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}}"},
    {"body='{\"i\":{id}}'", "{\"i\":7}"},
    {"503 body='come back later'", "come back later"},
    {"429", ""},
    {"502", ""},
    {"202", ""},
    {"text=x close=after", FOUND},
};

static void test_answers(void)
{
    for (size_t i = 0; i < RCS_COUNT(answers); i++) {
        OPEN("t", answers[i].script);
        RCS_TEXT_EQUAL(post(CALL), answers[i].body);
        close_all();
    }
}

static void test_transport(void)
{
    char text[TEXT_MAX];
    struct timeval limit = {.tv_usec = 50000};
    int fd;

    OPEN("t", "429 header='Retry-After: 2814, 2' | 503 header='Retry-After: Wed, 21 Oct 2026 07:28:00 GMT' body=busy | "
              "text=x close=middle | text=x close=before | reset=before | text=x hang=before | raw='what?' close=after");
    RCS_TEXT_EQUAL(ask("POST", JSON, CALL), "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2814, 2\r\nContent-Length: 0\r\n\r\n");
    RCS_TEXT_EQUAL(ask("POST", JSON, CALL), "HTTP/1.1 503 Service Unavailable\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n"
                                            "Content-Length: 4\r\n\r\nbusy");
    RCS_EQUAL(strlen(post(CALL)), strlen(FOUND) / 2);
    RCS_TEXT_EQUAL(ask("POST", JSON, CALL), "");
    fd = begin("POST", JSON, CALL);
    RCS_EQUAL(hear(fd, text, NULL), ECONNRESET);
    close(fd);
    fd = begin("POST", JSON, CALL);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    RCS_EQUAL(hear(fd, text, NULL), EAGAIN);
    RCS_TEXT_EQUAL(text, "");
    close(fd);
    RCS_TEXT_EQUAL(ask("POST", JSON, CALL), "what?");
    RCS_EQUAL(rcs_mcp_runs(mcp, "t"), 5);
    RCS_EQUAL(rcs_mcp_seen(mcp, NULL, 0)->status, 429);
    RCS_EQUAL(rcs_mcp_seen(mcp, NULL, 0)->runs, 0);
    RCS_EQUAL(rcs_mcp_seen(mcp, NULL, 2)->runs, 1);
    RCS_EQUAL(rcs_mcp_seen(mcp, NULL, 3)->status, 0);
    close_all();
}

/* What was executed although the answer says otherwise, and the other way round. */
static void test_runs(void)
{
    static const struct {
        const char *script;
        unsigned runs;
    } cases[] = {{"text=x", 1}, {"202", 1},   {"429", 0},      {"502 ran", 1},      {"close=before", 1},
                 {"close=before unrun", 0},   {"rpc=-32602 unrun", 0}, {"is-error", 1}, {"500 ran close=before", 1}};

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        OPEN("t", cases[i].script);
        ask("POST", JSON, CALL);
        RCS_EQUAL(rcs_mcp_runs(mcp, "t"), cases[i].runs);
        rcs_faulty_reset(http);
        RCS_EQUAL(rcs_mcp_runs(mcp, "t"), 0);
        RCS_EQUAL(rcs_mcp_count(mcp, NULL), 0);
        close_all();
    }
    OPEN("t", "count");
    post(CALL);
    has(post(CALL), "\"text\":\"2\"");
    RCS_EQUAL(rcs_mcp_runs(mcp, "none"), 0);
    close_all();
}

/* ---- streams ---- */

static const struct {
    const char *script;
    const char *stream;
} streams[] = {
    {"sse text=x", "data: " FOUND "\n\n(end)"},
    {"prime text=x", "id: 1:1\ndata: \n\nid: 1:2\ndata: " FOUND "\n\n(end)"},
    {"retry=500 prime text=x", "id: 1:1\nretry: 500\ndata: \n\nid: 1:2\ndata: " FOUND "\n\n(end)"},
    {"ids text=x", "id: 1:1\ndata: " FOUND "\n\n(end)"},
    {"comment text=x", ": still here\n\ndata: " FOUND "\n\n(end)"},
    {"eol=crlf lines text=x",
     "data: {\r\ndata: \"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}}\r\n\r\n(end)"},
    {"eol=cr text=x", "data: " FOUND "\r\r(end)"},
    {"notify=notifications/message params='{\"data\":1}' notify=n/x text=x",
     "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n"
     "data: {\"jsonrpc\":\"2.0\",\"method\":\"n/x\",\"params\":{\"data\":1}}\n\ndata: " FOUND "\n\n(end)"},
    {"event='{\"id\":{id}}' bytes='event: odd\\n' no-answer", "data: {\"id\":7}\n\nevent: odd\n(end)"},
    {"answer notify=late text=x",
     "data: " FOUND "\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"late\",\"params\":{}}\n\n(end)"},
    {"answer answer text=x", "data: " FOUND "\n\ndata: " FOUND "\n\n(end)"},
    {"pause=1 text=x pause=1", "data: " FOUND "\n\n(end)"},
    {"comment cut text=x", ": still here\n\n(end)"},
    {"comment break text=x", ": still here\n\n"},
    {"progress=1 text=x", "data: " FOUND "\n\n(end)"},
    {"sse rpc=-1", "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-1,\"message\":\"failed\"}}\n\n(end)"},
    {"sse text=x close=before", ""},
};

static void test_streams(void)
{
    for (size_t i = 0; i < RCS_COUNT(streams); i++) {
        OPEN("t", streams[i].script);
        RCS_TEXT_EQUAL(stream_of(CALL), streams[i].stream);
        close_all();
    }
    OPEN("t", "progress=1 progress=2 text=x");
    has(ask("POST", JSON, CALL), "Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n");
    has(stream_of("{\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"t\",\"_meta\":{\"progressToken\":\"p\"}}}"),
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"p\",\"progress\":1}}\n\n"
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"p\",\"progress\":2}}\n\n");
    close_all();
}

/* A stream that ends without its answer, and what is to be had behind each event. */
static void test_resume(void)
{
    char text[TEXT_MAX];
    struct timeval limit = {.tv_usec = 50000};
    int fd;

    OPEN("t", "prime cut notify=n break text=x stall | stall ids text=x");
    RCS_TEXT_EQUAL(stream_of(CALL), "id: 1:1\ndata: \n\n(end)");
    RCS_TEXT_EQUAL(dechunk(body_of(ask("GET", SSE "Last-Event-ID: 1:1\r\n", ""))),
                   "id: 1:2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}\n\n");
    fd = begin("GET", SSE "Last-Event-ID: 1:2\r\n", "");
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    RCS_EQUAL(hear(fd, text, NULL), EAGAIN);
    RCS_TEXT_EQUAL(dechunk(body_of(text)), "");
    close(fd);
    /* what has ended it before doesn't do so again */
    RCS_TEXT_EQUAL(dechunk(body_of(ask("GET", SSE "Last-Event-ID: 1:1\r\n", ""))),
                   "id: 1:2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}\n\nid: 1:3\ndata: " FOUND "\n\n(end)");
    has(ask("GET", SSE "Last-Event-ID: 1:9\r\n", ""), "HTTP/1.1 400 ");
    has(ask("GET", SSE "Last-Event-ID: 9:1\r\n", ""), "HTTP/1.1 400 ");
    has(ask("GET", SSE "Last-Event-ID: x\r\n", ""), "HTTP/1.1 400 ");
    RCS_EQUAL(rcs_mcp_runs(mcp, "t"), 1);
    RCS_TEXT_EQUAL(rcs_mcp_seen(mcp, NULL, 1)->last_event, "1:1");
    RCS_TEXT_EQUAL(rcs_mcp_seen(mcp, NULL, 1)->http_method, "GET");
    close_all();
    OPEN("t", "prime cut text=x", "@resume", "503 | 200");
    stream_of(CALL);
    has(ask("GET", SSE "Last-Event-ID: 1:1\r\n", ""), "HTTP/1.1 503 ");
    has(ask("GET", SSE "Last-Event-ID: 1:1\r\n", ""), FOUND);
    close_all();
}

/* ---- what the server asks ---- */

static void test_asks(void)
{
    char text[TEXT_MAX];
    int fd;

    OPEN("t", "ask=ping await text=x");
    fd = begin("POST", JSON, CALL);
    RCS_EQUAL(hear(fd, text, "\n\n"), -1);
    RCS_TEXT_EQUAL(dechunk(body_of(text)), "data: {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\",\"params\":{}}\n\n");
    has(ask("POST", JSON, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"), "HTTP/1.1 202 ");
    has(ask("POST", JSON, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}"), "HTTP/1.1 202 ");
    RCS_EQUAL(hear(fd, text, NULL), 0);
    RCS_TEXT_EQUAL(dechunk(text), "data: " FOUND "\n\n(end)");
    close(fd);
    close_all();
}

static void test_get_stream(void)
{
    char text[TEXT_MAX];
    int fd;
    int call;

    OPEN("t", "params='{\"a\":1}' ask-get=roots/list await text=x");
    fd = begin("GET", SSE, "");
    RCS_EQUAL(hear(fd, text, "\r\n\r\n"), -1);
    has(text, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n");
    rcs_mcp_push(mcp, "{\"hello\":1}");
    RCS_EQUAL(hear(fd, text, "\n\n"), -1);
    RCS_TEXT_EQUAL(dechunk(text), "data: {\"hello\":1}\n\n");
    call = begin("POST", JSON, CALL);
    RCS_EQUAL(hear(fd, text, "\n\n"), -1);
    RCS_TEXT_EQUAL(dechunk(text), "data: {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"roots/list\",\"params\":{\"a\":1}}\n\n");
    ask("POST", JSON, "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32601,\"message\":\"no\"}}");
    RCS_EQUAL(hear(call, text, NULL), 0);
    RCS_TEXT_EQUAL(dechunk(body_of(text)), "data: " FOUND "\n\n(end)");
    close(call);
    close(fd);
    close_all();
    OPEN("t", "text=x", "@server", "no-get");
    has(ask("GET", SSE, ""), "HTTP/1.1 405 ");
    close_all();
    OPEN("t", "text=x", "@GET", "409 | notify=n no-answer");
    has(ask("GET", SSE, ""), "HTTP/1.1 409 ");
    RCS_TEXT_EQUAL(dechunk(body_of(ask("GET", SSE, ""))), "data: {\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}\n\n(end)");
    close_all();
}

/* ---- sessions and headers ---- */

static void test_sessions(void)
{
    OPEN("t", "text=x", "@server", "session expire=2");
    has(ask("POST", JSON, INITIALIZE("2025-11-25")), "\r\nMcp-Session-Id: session-1\r\n");
    has(ask("POST", JSON, CALL), "HTTP/1.1 400 ");
    RCS_TEXT_EQUAL(body_of(ask("POST", JSON "mcp-session-id: session-1\r\n", CALL)), FOUND);
    has(ask("POST", JSON "Mcp-Session-Id: session-1\r\n", METHOD("1", "ping")), "HTTP/1.1 200 ");
    RCS_TEXT_EQUAL(body_of(ask("POST", JSON "Mcp-Session-Id: session-1\r\n", CALL)), FOUND);
    has(ask("POST", JSON "Mcp-Session-Id: session-1\r\n", CALL), "HTTP/1.1 404 ");
    RCS_TEXT_EQUAL(body_of(ask("POST", JSON "Mcp-Session-Id: session-1\r\n", METHOD("1", "ping"))),
                   "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"Session not found\"},\"id\":null}");
    RCS_EQUAL(rcs_mcp_runs(mcp, "t"), 2);
    has(ask("POST", JSON, INITIALIZE("2025-11-25")), "\r\nMcp-Session-Id: session-2\r\n");
    RCS_TEXT_EQUAL(body_of(ask("POST", JSON "Mcp-Session-Id: session-2\r\n", CALL)), FOUND);
    rcs_mcp_forget(mcp);
    has(ask("POST", JSON "Mcp-Session-Id: session-2\r\n", CALL), "HTTP/1.1 404 ");
    close_all();
    OPEN("t", "text=x", "@server", "session expire=0 expired=400", "@DELETE", "405 | 200");
    has(ask("POST", JSON, INITIALIZE("2025-11-25")), "\r\nMcp-Session-Id: session-1\r\n");
    has(ask("DELETE", "Mcp-Session-Id: session-1\r\n", ""), "HTTP/1.1 405 ");
    has(ask("GET", SSE "Last-Event-ID: 1:1\r\nMcp-Session-Id: session-1\r\n", ""), "Unknown event ID");
    has(ask("DELETE", "Mcp-Session-Id: session-1\r\n", ""), "HTTP/1.1 200 ");
    has(ask("POST", JSON "Mcp-Session-Id: session-1\r\n", METHOD("1", "ping")), "HTTP/1.1 400 ");
    has(ask("DELETE", "", ""), "HTTP/1.1 400 ");
    close_all();
    OPEN("t", "text=x", "@server", "session", "@initialize", "503 header='Retry-After: 1' | 200 sse");
    has(ask("POST", JSON, INITIALIZE("2025-11-25")), "HTTP/1.1 503 ");
    has(ask("POST", JSON, INITIALIZE("2025-11-25")), "Mcp-Session-Id: session-1\r\n\r\n");
    close_all();
}

static void test_headers(void)
{
    static const struct {
        const char *method;
        const char *headers;
        const char *status;
    } cases[] = {
        {"POST", JSON, "200"},
        {"POST", JSON "MCP-Protocol-Version: 2025-06-18\r\n", "200"},
        {"POST", JSON "MCP-Protocol-Version: 1999-01-01\r\n", "400"},
        {"POST", "Accept: */*\r\nContent-Type: application/json\r\n", "406"},
        {"POST", "Accept: application/json\r\nContent-Type: application/json\r\n", "406"},
        {"POST", "Accept: text/event-stream\r\nContent-Type: application/json\r\n", "406"},
        {"POST", "Content-Type: application/json\r\n", "406"},
        {"POST", "Accept: application/json, text/event-stream\r\n", "415"},
        {"GET", "Accept: application/json\r\n", "406"},
    };

    OPEN("t", "text=x", "@server", "version=2024-10-07");
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        char status[4] = "";
        memcpy(status, ask(cases[i].method, cases[i].headers, CALL) + 9, 3);
        RCS_TEXT_EQUAL(status, cases[i].status);
    }
    has(post(INITIALIZE("2025-11-25")), "\"protocolVersion\":\"2024-10-07\"");
    has(ask("POST", JSON "MCP-Protocol-Version: 2024-10-07\r\n", CALL), "HTTP/1.1 200 ");
    close_all();
    OPEN("t", "text=x", "@server", "lenient");
    has(ask("POST", "", CALL), "HTTP/1.1 200 ");
    close_all();
}

static void test_pages(void)
{
    OPEN("a", "200", "b", "200", "c", "200", "@server", "page=2");
    has(post(METHOD("1", "tools/list")), "{\"name\":\"b\",\"inputSchema\":{\"type\":\"object\"}}],\"nextCursor\":\"2\"}");
    RCS_TEXT_EQUAL(post("{\"id\":2,\"method\":\"tools/list\",\"params\":{\"cursor\":\"2\"}}"),
                   "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"c\",\"inputSchema\":{\"type\":\"object\"}}]}}");
    close_all();
    OPEN("a", "200", "b", "200", "@server", "page=1 loop");
    has(post("{\"id\":2,\"method\":\"tools/list\",\"params\":{\"cursor\":\"1\"}}"), "\"name\":\"b\"");
    has(post("{\"id\":2,\"method\":\"tools/list\",\"params\":{\"cursor\":\"1\"}}"), "],\"nextCursor\":\"1\"}");
    close_all();
    OPEN("a", "200", "@server", "page=0");
    has(post("{\"id\":2,\"method\":\"tools/list\",\"params\":{\"cursor\":\"77\"}}"), "{\"tools\":[],\"nextCursor\":\"78\"}");
    close_all();
}

/* ---- the log ---- */

static void test_log(void)
{
    const struct rcs_mcp_seen *seen;
    uint64_t before = rcs_now_us();
    char text[TEXT_MAX];
    char *log;
    int fd;

    OPEN("t", "503");
    ask("POST", JSON "Mcp-Session-Id: s1\r\nMCP-Protocol-Version: 2025-11-25\r\n", CALL);
    ask("POST", JSON, METHOD("\"b\"", "ping"));
    RCS_EQUAL(rcs_mcp_count(mcp, NULL), 2);
    RCS_EQUAL(rcs_mcp_count(mcp, "ping"), 1);
    seen = rcs_mcp_seen(mcp, "tools/call", 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(seen);
    CU_ASSERT_PTR_NULL(rcs_mcp_seen(mcp, "tools/call", 1));
    RCS_TEXT_EQUAL(seen->http_method, "POST");
    RCS_TEXT_EQUAL(seen->method, "tools/call");
    RCS_TEXT_EQUAL(seen->id, "7");
    RCS_TEXT_EQUAL(seen->tool, "t");
    RCS_TEXT_EQUAL(seen->session, "s1");
    RCS_TEXT_EQUAL(seen->version, "2025-11-25");
    RCS_TEXT_EQUAL(seen->accept, "application/json, text/event-stream");
    RCS_TEXT_EQUAL(seen->last_event, "");
    RCS_TEXT_EQUAL(seen->body, CALL);
    RCS_EQUAL(seen->body_size, strlen(CALL));
    RCS_EQUAL(seen->status, 503);
    RCS_EQUAL(seen->connection, 1);
    CU_ASSERT_TRUE(seen->at_us >= before && seen->at_us <= rcs_now_us());
    RCS_TEXT_EQUAL(rcs_mcp_seen(mcp, "ping", 0)->id, "\"b\"");
    log = rcs_faulty_log(http);
    has(log, "\"mcp\":{\"status\":503,\"runs\":0,\"method\":\"tools/call\",\"id\":\"7\",\"tool\":\"t\",\"session\":\"s1\","
             "\"version\":\"2025-11-25\",\"accept\":\"application/json, text/event-stream\",\"last_event\":\"\"}}");
    fd = dial();
    RCS_EQUAL(send(fd, "GET /_log HTTP/1.0\r\nConnection: close\r\n\r\n", 41, MSG_NOSIGNAL), 41);
    RCS_EQUAL(hear(fd, text, NULL), 0);
    RCS_TEXT_EQUAL(body_of(text), log);
    close(fd);
    free(log);
    close_all();
}

static void test_bad_scripts(void)
{
    static const struct {
        const char *what;
        const char *script;
        const char *why;
    } cases[] = {
        {"", "200", "a script needs the name of a tool, or an `@` name"},
        {"t", "text", "no such word, or with a value where it has none, or without, near `text`"},
        {"t", "prime=1", "no such word, or with a value where it has none, or without, near `prime=1`"},
        {"t", "image=x", "a number was expected, near `image=x`"},
        {"t", "text='open", "a quote without an end, near `'open`"},
        {"t", "stream", "no such word, or with a value where it has none, or without, near `stream`"},
    };
    char why[256];

    mcp = rcs_mcp_new(NULL, NULL);
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        why[0] = '\0';
        CU_ASSERT_FALSE(rcs_mcp_script(mcp, cases[i].what, cases[i].script, why, sizeof why));
        RCS_TEXT_EQUAL(why, cases[i].why);
    }
    CU_ASSERT_TRUE(rcs_mcp_script(mcp, "t", "text=x", why, sizeof why));
    CU_ASSERT_TRUE(rcs_mcp_script(mcp, "t", "text=y", why, sizeof why));
    rcs_mcp_free(mcp);
    rcs_mcp_free(NULL);
    http = rcs_faulty_new();
    CU_ASSERT_FALSE(rcs_faulty_script(http, "/x", "text=x", why, sizeof why));
    rcs_faulty_free(http);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"a good server", test_good},
        {"what an answer says", test_answers},
        {"how an answer fails", test_transport},
        {"what was executed", test_runs},
        {"streams", test_streams},
        {"a stream that is cut, and resumed", test_resume},
        {"what the server asks in a call", test_asks},
        {"the stream of a GET", test_get_stream},
        {"sessions", test_sessions},
        {"headers", test_headers},
        {"pages", test_pages},
        {"the log", test_log},
        {"scripts that can't be read", test_bad_scripts},
    };

    return rcs_unit_main("mcp_server", tests, RCS_COUNT(tests));
}
