/* HTTP of the real port against a scripted server: what comes of each way in which an exchange can end. */
#include "tests/unit/exchange.h"
#include "tests/unit/unit.h"

#include <recourse/policy.h>

#include "src/io/http.h"

#include <unistd.h>

#define REPEAT10(text) text text text text text text text text text text
static const char gzip[] = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 37\r\n\r\n"
                           "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\xce\xcf\x2d\x28\x4a\x2d\x2e\x4e\x4d\x51\x48"
                           "\xcc\x2b\x2e\x4f\x2d\x02\x00\x2e\xf3\x74\xfc\x11\x00\x00";
/* 200,000 zero bytes. */
static const char bomb[] =
    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 229\r\n\r\n"
    "\037\213\010\000\000\000\000\000\002\003\355\301\061\001\000\000\000\302\240\365\117\155\006\177\240\000\000"
    REPEAT10(REPEAT10("\000")) REPEAT10("\000\000\000\000\000\000\000\000") "\000\000\000\000\000\000\000\000"
    "\000\000\200\327\000\173\130\340\134\100\015\003";

#define SCRIPT(...) {EXPECTS, __VA_ARGS__}
#define SENDS_BYTES(array) {PEER_SEND, array, sizeof(array), 0}

/* One request, one connection; `other` is how it failed, if it did. */
enum other { NO_OTHER, PROTOCOL, TOO_LARGE };

static const struct {
    const char *name;
    struct peer_step script[5];
    uint16_t status;
    enum recourse_network network;
    enum other other;
    const char *phrase;
    const char *headers;
    const char *body;
} answers[] = {
    {"plain", SCRIPT(SENDS(OK), ENDS), 200, 0, 0, "OK", "Content-Length=2|", "ok"},
    {"too many requests",
     SCRIPT(SENDS("HTTP/1.1 429 Too Many Requests\r\nRetry-After:  5 \r\nrEtry-aFter: 6\r\nX:\r\n"
                  "Content-Length: 4\r\n\r\nslow"), ENDS),
     429, 0, 0, "Too Many Requests", "Retry-After=5|rEtry-aFter=6|X=|Content-Length=4|", "slow"},
    {"no content, no phrase", SCRIPT(SENDS("HTTP/1.1 204\r\n\r\n"), ENDS), 204, 0, 0, "", "", ""},
    {"no length, until the end", SCRIPT(SENDS("HTTP/1.0 200 Fine  \r\n\r\nall of it"), ENDS), 200, 0, 0, "Fine", "",
     "all of it"},
    {"chunks and a trailer",
     SCRIPT(SENDS("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "3\r\nabc\r\n2\r\nde\r\n0\r\nX-Late: 1\r\n\r\n"), ENDS),
     200, 0, 0, "OK", "Transfer-Encoding=chunked|", "abcde"},
    {"compressed", SCRIPT(SENDS_BYTES(gzip), ENDS), 200, 0, 0, "OK", "Content-Encoding=gzip|Content-Length=37|",
     "compressed answer"},
    {"interim answers",
     SCRIPT(SENDS("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                  "HTTP/1.1 201 Created\r\nX-B: 2\r\nContent-Length: 0\r\n\r\n"), ENDS),
     201, 0, 0, "Created", "X-B=2|Content-Length=0|", ""},
    {"folded",
     SCRIPT(SENDS("HTTP/1.1 200 OK\r\nX-Fold: one\r\n \t two\r\n\r\n"), ENDS), 200, 0, 0, "OK", "X-Fold=one two|", ""},
    {"a line without a colon",
     SCRIPT(SENDS("HTTP/1.1 200 OK\r\nX-A: b\r\nnonsense\r\n\r\n"), ENDS), 200, 0, PROTOCOL, "OK",
     "X-A=b|", ""},
    {"redirection is not followed",
     SCRIPT(SENDS("HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"), ENDS),
     302, 0, 0, "Found", "Location=/other|Content-Length=0|", ""},
    {"as large as may be",
     SCRIPT(SENDS("HTTP/1.1 200 OK\r\n\r\n" REPEAT10(REPEAT10("0123456789"))), ENDS), 200, 0, 0, "OK", "",
     REPEAT10(REPEAT10("0123456789"))},
    {"one byte larger",
     SCRIPT(SENDS("HTTP/1.1 200 OK\r\n\r\n" REPEAT10(REPEAT10("0123456789")) "x"), ENDS), 200, 0, TOO_LARGE, "OK", "",
     REPEAT10(REPEAT10("0123456789"))},
    {"too large once unpacked", SCRIPT(SENDS_BYTES(bomb), ENDS), 200, 0, TOO_LARGE, "OK",
     "Content-Encoding=gzip|Content-Length=229|", ""},
    {"endless body", SCRIPT(SENDS("HTTP/1.1 200 OK\r\n\r\n" REPEAT10(REPEAT10("0123456789"))), FLOODS("more")), 200, 0,
     TOO_LARGE, "OK", "", REPEAT10(REPEAT10("0123456789"))},
    {"endless header", SCRIPT(SENDS("HTTP/1.1 200 OK\r\n"), FLOODS(":\r\n")), 200, 0, TOO_LARGE, "OK", NULL, ""},
    {"endless interim answers",
     SCRIPT(FLOODS("HTTP/1.1 103 Early Hints\r\n\r\n")), 103, 0, TOO_LARGE, "Early Hints", NULL, ""},
    {"endless header line", SCRIPT(SENDS("HTTP/1.1 200 OK\r\n"), FLOODS("x")), 200, 0, TOO_LARGE, "OK", "", ""},
    {"closed before the answer", SCRIPT(ENDS), 0, RECOURSE_NETWORK_CLOSED, 0, "", "", ""},
    {"reset before the answer", SCRIPT(RESETS), 0, RECOURSE_NETWORK_RESET, 0, "", "", ""},
    {"closed within the status line", SCRIPT(SENDS("HTTP/1.1 20"), ENDS), 0, RECOURSE_NETWORK_CLOSED, 0, "", "", ""},
    {"closed within the header",
     SCRIPT(SENDS("HTTP/1.1 200 OK\r\nContent-Le"), ENDS), 200, RECOURSE_NETWORK_CLOSED, 0, "OK",
     "", ""},
    {"closed after an interim answer",
     SCRIPT(SENDS("HTTP/1.1 100 Continue\r\n\r\n"), ENDS), 100, RECOURSE_NETWORK_CLOSED, 0,
     "Continue", "", ""},
    {"closed within the body", SCRIPT(SENDS("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), ENDS), 200,
     RECOURSE_NETWORK_CLOSED, 0, "OK", "Content-Length=10|", "half"},
    {"closed within a chunk", SCRIPT(SENDS("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), ENDS), 200,
     RECOURSE_NETWORK_CLOSED, 0, "OK", "Transfer-Encoding=chunked|", "ab"},
    {"not HTTP", SCRIPT(SENDS("SSH-2.0-OpenSSH_9.2\r\n"), ENDS), 0, 0, PROTOCOL, "", "", ""},
    {"a status that is none", SCRIPT(SENDS("HTTP/1.1 2000 OK\r\n\r\n"), ENDS), 0, 0, PROTOCOL, NULL, NULL, ""},
    {"chunks that are none",
     SCRIPT(SENDS("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n"), ENDS), 200, 0,
     PROTOCOL, "OK", "Transfer-Encoding=chunked|", ""},
    {"compressed, but not",
     SCRIPT(SENDS("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nwhat"), ENDS),
     200, 0, PROTOCOL, "OK", "Content-Encoding=gzip|Content-Length=4|", ""},
};

static void check_answer(size_t i, const struct exchange *exchange)
{
    const struct recourse_http_response *response = &exchange->response;
    bool failed = answers[i].network != 0 || answers[i].other != NO_OTHER;
    bool right = response->status == answers[i].status && response->network == answers[i].network &&
                 response->timeout == 0 && response->sent && response->protocol == (answers[i].other == PROTOCOL) &&
                 response->too_large == (answers[i].other == TOO_LARGE);

    if (!right) {
        fprintf(stderr, "%s: status %u network %u timeout %u sent %d protocol %d too large %d: %s\n", answers[i].name,
                response->status, response->network, response->timeout, response->sent, response->protocol,
                response->too_large, exchange->detail);
    }
    CU_ASSERT_TRUE(right);
    if (answers[i].phrase != NULL) {
        RCS_TEXT_EQUAL(exchange->phrase, answers[i].phrase);
    }
    if (answers[i].headers != NULL) {
        RCS_TEXT_EQUAL(exchange->headers, answers[i].headers);
    }
    RCS_TEXT_EQUAL(exchange->body, answers[i].body);
    RCS_EQUAL(exchange->detail[0] != '\0', failed);
    CU_ASSERT_TRUE(response->wall_s > 1700000000);
    RCS_EQUAL(peer_requests(exchange_peer), 1);
    RCS_EQUAL(peer_connections(exchange_peer), 1);
}

static void test_answers(void)
{
    for (size_t i = 0; i < RCS_COUNT(answers); i++) {
        const struct peer_step *script = answers[i].script;
        struct exchange exchange;

        exchange_open(&script, 1);
        exchange_get(&exchange);
        check_answer(i, &exchange);
        exchange_close();
    }
}

static const struct peer_step ok_again[] = {EXPECTS, SENDS(OK), AGAIN};
static const struct peer_step ok_once[] = {EXPECTS, SENDS(OK), ENDS};
static const struct peer_step hangs[] = {EXPECTS, HANGS};
static const struct peer_step hangs_in_body[] = {
    EXPECTS, SENDS("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), HANGS};
static const struct peer_step *const ok_again_script = ok_again;
static const struct peer_step *const ok_once_script = ok_once;

static const struct {
    const char *method;
    const char *body;
    const char *first;
    const char *length; /* NULL: none is sent */
} methods[] = {
    {"GET", NULL, "GET /path?q=1 HTTP/1.1\r\n", NULL},
    {"POST", "{\"a\":1}", "POST /path?q=1 HTTP/1.1\r\n", "\r\nContent-Length: 7\r\n"},
    {"POST", NULL, "POST /path?q=1 HTTP/1.1\r\n", "\r\nContent-Length: 0\r\n"},
    {"POST", "", "POST /path?q=1 HTTP/1.1\r\n", "\r\nContent-Length: 0\r\n"},
    {"PUT", "xy", "PUT /path?q=1 HTTP/1.1\r\n", "\r\nContent-Length: 2\r\n"},
    {"PATCH", "xy", "PATCH /path?q=1 HTTP/1.1\r\n", "\r\nContent-Length: 2\r\n"},
    {"DELETE", NULL, "DELETE /path?q=1 HTTP/1.1\r\n", NULL},
    {"DELETE", "xy", "DELETE /path?q=1 HTTP/1.1\r\n", "\r\nContent-Length: 2\r\n"},
};

static void test_requests(void)
{
    static const char *const headers[] = {"X-Key: a: b", "X-Empty:  ", "x-tab:\ty", NULL};
    static char text[8192];

    exchange_open(&ok_again_script, 1);
    for (size_t i = 0; i < RCS_COUNT(methods); i++) {
        struct exchange exchange;

        exchange_init(&exchange, methods[i].method, peer_port(exchange_peer));
        exchange.request.body = (struct recourse_span){methods[i].body, methods[i].body ? strlen(methods[i].body) : 0};
        exchange.request.headers = headers;
        exchange_run(&exchange);
        RCS_EQUAL(exchange.response.status, 200);
        peer_last_request(exchange_peer, text, sizeof text);
        RCS_EQUAL(strncmp(text, methods[i].first, strlen(methods[i].first)), 0);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, "\r\nUser-Agent: recourse/" RECOURSE_VERSION "\r\n"));
        CU_ASSERT_PTR_NOT_NULL(strstr(text, "\r\nX-Key: a: b\r\n"));
        CU_ASSERT_PTR_NOT_NULL(strstr(text, "\r\nX-Empty:\r\n"));
        CU_ASSERT_PTR_NOT_NULL(strstr(text, "\r\nx-tab:\ty\r\n"));
        CU_ASSERT_PTR_NULL(strcasestr(text, "content-type"));
        CU_ASSERT_PTR_NULL(strcasestr(text, "expect"));
        CU_ASSERT_PTR_NULL(strcasestr(text, "cookie"));
        RCS_TEXT_EQUAL(strstr(text, "\r\n\r\n") + 4, methods[i].body != NULL ? methods[i].body : "");
        if (methods[i].length != NULL) {
            CU_ASSERT_PTR_NOT_NULL(strstr(text, methods[i].length));
        } else {
            CU_ASSERT_PTR_NULL(strcasestr(text, "content-length"));
        }
    }
    RCS_EQUAL(peer_connections(exchange_peer), 1); /* all on one connection */
    exchange_close();
}

static void test_large_body_and_own_headers(void)
{
    enum { SIZE = 300000 };
    static const char *const headers[] = {"user-agent: me/1", "Content-Type: application/json", NULL};
    static char text[SIZE + 8192];
    static char body[SIZE];
    struct exchange exchange;

    memset(body, 'b', SIZE);
    exchange_open(&ok_again_script, 1);
    exchange_init(&exchange, "POST", peer_port(exchange_peer));
    exchange.request.body = (struct recourse_span){body, SIZE};
    exchange.request.headers = headers;
    exchange.request.read_timeout_ms = LONG_MS;
    exchange_run(&exchange);
    RCS_EQUAL(exchange.response.status, 200);
    peer_last_request(exchange_peer, text, sizeof text);
    RCS_EQUAL(strlen(strstr(text, "\r\n\r\n") + 4), SIZE);
    CU_ASSERT_PTR_NULL(strcasestr(text, "expect"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\r\nuser-agent: me/1\r\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\r\nContent-Type: application/json\r\n"));
    CU_ASSERT_PTR_NULL(strstr(text, "recourse/"));
    exchange_close();
}

static const struct {
    const char *method;
    const char *url;
    const char *header;
} refused[] = {
    {"GET", "ftp://127.0.0.1/", NULL},
    {"GET", "file:///etc/passwd", NULL},
    {"GET", "gopher://127.0.0.1/", NULL},
    {"GET", "127.0.0.1/", NULL},
    {"GET", "", NULL},
    {"GET", NULL, NULL},
    {"GET", "http://", NULL},
    {"GET", "http://127.0.0.1:99999/", NULL},
    {"GET", "http://127.0.0.1/a b", NULL},
    {"GET", "http://127.0.0.1/\r\nX-Injected: 1", NULL},
    {"HEAD", "http://127.0.0.1/", NULL},
    {"get", "http://127.0.0.1/", NULL},
    {"GET /x HTTP/1.1\r\n", "http://127.0.0.1/", NULL},
    {NULL, "http://127.0.0.1/", NULL},
    {"GET", "http://127.0.0.1/", "X-A: b\r\nX-Injected: 1"},
    {"GET", "http://127.0.0.1/", "X-A: b\nX-Injected: 1"},
    {"GET", "http://127.0.0.1/", "X-A: b\r"},
    {"GET", "http://127.0.0.1/", "X-A: \x1b[0m"},
    {"GET", "http://127.0.0.1/", "X-A: \x7f"},
    {"GET", "http://127.0.0.1/", "X A: b"},
    {"GET", "http://127.0.0.1/", "X-A : b"},
    {"GET", "http://127.0.0.1/", ": b"},
    {"GET", "http://127.0.0.1/", "X-A"},
    {"GET", "http://127.0.0.1/", ""},
    {"POST", "http://127.0.0.1/", "content-length: 3"},
    {"POST", "http://127.0.0.1/", "Transfer-Encoding: chunked"},
    {"POST", "http://127.0.0.1/", "Expect: 100-continue"},
    {"POST", "http://127.0.0.1/", "connection: close"},
};

static void test_refused_requests(void)
{
    static char longest[8194];
    const char *headers[2] = {longest, NULL};
    struct exchange exchange;

    exchange_open_port(NULL);
    for (size_t i = 0; i < RCS_COUNT(refused); i++) {
        const char *lines[2] = {refused[i].header, NULL};

        exchange_init(&exchange, "GET", 1);
        exchange.request.method = refused[i].method;
        exchange.request.url = refused[i].url;
        exchange.request.headers = lines;
        RCS_EQUAL(exchange_start(&exchange), RECOURSE_E_ARGUMENT);
    }
    exchange_init(&exchange, "POST", 1);
    exchange.request.body = (struct recourse_span){NULL, 1};
    RCS_EQUAL(exchange_start(&exchange), RECOURSE_E_ARGUMENT);
    memset(longest, 'a', 8193);
    longest[1] = ':';
    exchange_init(&exchange, "GET", 1);
    exchange.request.headers = headers;
    RCS_EQUAL(exchange_start(&exchange), RECOURSE_E_ARGUMENT);
    CU_ASSERT_TRUE(exchange_port->wake_ms(exchange_port->self) == RECOURSE_FOREVER);
    recourse_port_free(exchange_port);
}

static void expect_unsent(const struct exchange *exchange, enum recourse_network network, enum recourse_timeout timeout)
{
    RCS_EQUAL(exchange->response.status, 0);
    RCS_EQUAL(exchange->response.network, network);
    RCS_EQUAL(exchange->response.timeout, timeout);
    RCS_EQUAL(exchange->response.sent, false);
    RCS_EQUAL(exchange->response.protocol, false);
    RCS_EQUAL(exchange->response.header_count, 0);
    CU_ASSERT_TRUE(exchange->detail[0] != '\0');
}

static void test_no_connection(void)
{
    struct exchange exchange;
    int fd;

    exchange_open_port(NULL);
    exchange_init(&exchange, "POST", peer_closed_port(&fd));
    exchange_run(&exchange);
    expect_unsent(&exchange, RECOURSE_NETWORK_REFUSED, 0);
    close(fd);
    /* A label of more than 63 bytes is no name: nobody is asked. */
    exchange_init(&exchange, "GET", 1);
    snprintf(exchange.url, sizeof exchange.url, "http://" REPEAT10("nosuch0") ".invalid/");
    exchange_run(&exchange);
    expect_unsent(&exchange, RECOURSE_NETWORK_DNS, 0);
    /* The broadcast address can't be connected to: none of the kinds. */
    exchange_init(&exchange, "GET", 1);
    snprintf(exchange.url, sizeof exchange.url, "http://255.255.255.255:1/");
    exchange_run(&exchange);
    CU_ASSERT_TRUE(exchange.response.network == RECOURSE_NETWORK_UNREACHABLE ||
                   exchange.response.network == RECOURSE_NETWORK_OTHER);
    RCS_EQUAL(exchange.response.sent, false);
    recourse_port_free(exchange_port);
}

static void test_tls_with_a_server_without(void)
{
    static const struct peer_step script[] = {SENDS("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), ENDS};
    static const struct peer_step *const scripts[] = {script};
    struct exchange exchange;

    exchange_open(scripts, 1);
    exchange_init(&exchange, "POST", peer_port(exchange_peer));
    snprintf(exchange.url, sizeof exchange.url, "https://127.0.0.1:%u/", peer_port(exchange_peer));
    exchange_run(&exchange);
    expect_unsent(&exchange, RECOURSE_NETWORK_TLS, 0);
    exchange.done = 0;
    exchange.request.ca_file = "/nonexistent/ca.pem";
    exchange_run(&exchange);
    expect_unsent(&exchange, RECOURSE_NETWORK_TLS, 0);
    exchange_close();
}

static void test_connect_timeout(void)
{
    struct exchange exchange;
    int fds[PEER_FULL_FDS];
    uint64_t before;

    exchange_open_port(NULL);
    exchange_init(&exchange, "GET", peer_full_port(fds));
    exchange.request.connect_timeout_ms = 30;
    exchange.request.read_timeout_ms = 1;
    before = exchange_port->now_ms(exchange_port->self);
    exchange_run(&exchange);
    CU_ASSERT_TRUE(exchange_port->now_ms(exchange_port->self) >= before + 30);
    expect_unsent(&exchange, 0, RECOURSE_TIMEOUT_CONNECT);
    RCS_TEXT_EQUAL(exchange.detail, "no connection within 30 ms");
    for (int i = 0; i < PEER_FULL_FDS; i++) {
        close(fds[i]);
    }
    recourse_port_free(exchange_port);
}

static void test_read_timeout(void)
{
    static const struct peer_step *const scripts[] = {hangs, hangs_in_body};
    struct exchange exchange;

    exchange_open(scripts, 2);
    for (int i = 0; i < 2; i++) {
        uint64_t before = exchange_port->now_ms(exchange_port->self);

        exchange_init(&exchange, "POST", peer_port(exchange_peer));
        exchange.request.read_timeout_ms = 30;
        exchange.request.connect_timeout_ms = LONG_MS;
        exchange_run(&exchange);
        CU_ASSERT_TRUE(exchange_port->now_ms(exchange_port->self) >= before + 30);
        RCS_EQUAL(exchange.response.timeout, RECOURSE_TIMEOUT_READ);
        RCS_EQUAL(exchange.response.network, 0);
        RCS_EQUAL(exchange.response.status, i == 0 ? 0 : 200);
        RCS_EQUAL(exchange.response.sent, true);
        RCS_TEXT_EQUAL(exchange.body, i == 0 ? "" : "half");
        RCS_TEXT_EQUAL(exchange.detail, "nothing came for 30 ms");
    }
    RCS_EQUAL(peer_requests(exchange_peer), 2);
    exchange_close();
}

/* It does not even read: what waits in the system's queue is no sign of life. */
static void test_server_that_does_not_read(void)
{
    enum { SIZE = 16 << 20 };
    static const struct peer_step ignores[] = {{PEER_IGNORE, NULL, 0, 0}};
    static const struct peer_step *const scripts[] = {ignores};
    char *body = calloc(1, SIZE);
    struct exchange exchange;

    exchange_open(scripts, 1);
    exchange_init(&exchange, "POST", peer_port(exchange_peer));
    exchange.request.body = (struct recourse_span){body, SIZE};
    exchange.request.read_timeout_ms = 30;
    exchange_run(&exchange);
    RCS_EQUAL(exchange.response.timeout, RECOURSE_TIMEOUT_READ);
    RCS_EQUAL(exchange.response.sent, true);
    exchange_close();
    free(body);
}

/* Bytes come all the time, in the body, then within one line of the header: only the deadline ends that. */
static void test_deadline(void)
{
    static const struct peer_step body[] = {
        EXPECTS, SENDS("HTTP/1.1 200 OK\r\n\r\n"), {PEER_TRICKLE, "x", 0, 10}};
    static const struct peer_step line[] = {
        EXPECTS, SENDS("HTTP/1.1 200 OK\r\nX: "), {PEER_TRICKLE, "x", 0, 10}};
    static const struct peer_step *const scripts[] = {body, line};

    exchange_open(scripts, 2);
    for (int i = 0; i < 2; i++) {
        struct exchange exchange;

        exchange_init(&exchange, "GET", peer_port(exchange_peer));
        exchange.request.deadline_ms = exchange_port->now_ms(exchange_port->self) + 250;
        exchange.request.read_timeout_ms = 120;
        exchange_run(&exchange);
        CU_ASSERT_TRUE(exchange_port->now_ms(exchange_port->self) >= exchange.request.deadline_ms);
        RCS_EQUAL(exchange.response.timeout, RECOURSE_TIMEOUT_TOTAL);
        RCS_EQUAL(exchange.response.network, 0);
        RCS_EQUAL(exchange.response.status, 200);
        RCS_EQUAL(exchange.response.sent, true);
        RCS_TEXT_EQUAL(exchange.detail, "not done when its time was over");
    }
    exchange_close();
}

static void test_deadline_that_is_over(void)
{
    struct exchange exchange;

    exchange_open(&ok_once_script, 1);
    exchange_init(&exchange, "POST", peer_port(exchange_peer));
    exchange.request.deadline_ms = exchange_port->now_ms(exchange_port->self);
    exchange_run(&exchange);
    expect_unsent(&exchange, 0, RECOURSE_TIMEOUT_TOTAL);
    RCS_EQUAL(peer_requests(exchange_peer), 0);
    exchange_close();
}

#define AFTER "after the request was sent on it; it is not sent again"

/*
 * A kept connection whose next request is read and then answered by its end: that may have been executed, so it must
 * not be sent again, with or without another connection to send it on.
 */
static void test_never_sent_twice(void)
{
    static const struct peer_step closes[] = {
        EXPECTS, SENDS(OK), EXPECTS, ENDS};
    static const struct peer_step resets[] = {
        EXPECTS, SENDS(OK), EXPECTS, RESETS};
    static const char *const names[] = {"POST", "GET", "DELETE", "PUT"};

    for (size_t i = 0; i < 2 * RCS_COUNT(names); i++) {
        const struct peer_step *const scripts[] = {i % 2 == 0 ? closes : resets, ok_again};
        struct exchange exchange;

        exchange_open(scripts, 2);
        exchange_get(&exchange);
        RCS_EQUAL(exchange.response.status, 200);
        exchange_init(&exchange, names[i / 2], peer_port(exchange_peer));
        exchange_run(&exchange);
        RCS_EQUAL(exchange.response.network, i % 2 == 0 ? RECOURSE_NETWORK_CLOSED : RECOURSE_NETWORK_RESET);
        RCS_EQUAL(exchange.response.sent, true);
        RCS_EQUAL(exchange.response.status, 0);
        RCS_TEXT_EQUAL(exchange.detail, i % 2 == 0 ? "the server closed a kept connection " AFTER
                                                   : "the server reset a kept connection " AFTER);
        RCS_EQUAL(peer_requests(exchange_peer), 2);
        RCS_EQUAL(peer_connections(exchange_peer), 1);
        exchange_get(&exchange);
        RCS_EQUAL(exchange.response.status, 200);
        exchange_close();
    }
}

/* Two connections are kept, and both end upon their next request: the other one is no way out. */
static void test_never_sent_twice_on_another_kept_connection(void)
{
    static const struct peer_step closes[] = {
        EXPECTS, SENDS(OK), EXPECTS, ENDS};
    static const struct peer_step *const scripts[] = {closes, closes, ok_again};
    struct exchange first;
    struct exchange second;

    exchange_open(scripts, 3);
    exchange_init(&first, "GET", peer_port(exchange_peer));
    exchange_init(&second, "GET", peer_port(exchange_peer));
    RCS_EQUAL(exchange_start(&first), 0);
    RCS_EQUAL(exchange_start(&second), 0);
    exchange_finish(&first);
    exchange_finish(&second);
    RCS_EQUAL(peer_connections(exchange_peer), 2);
    exchange_init(&first, "POST", peer_port(exchange_peer));
    exchange_run(&first);
    RCS_EQUAL(first.response.network, RECOURSE_NETWORK_CLOSED);
    RCS_EQUAL(first.response.sent, true);
    RCS_EQUAL(peer_requests(exchange_peer), 3);
    RCS_EQUAL(peer_connections(exchange_peer), 2);
    exchange_close();
}

/* What libcurl's results are taken for, those that no server can be made to bring about included. */
static const struct {
    CURLcode result;
    unsigned sendings;
    bool plain;
    enum recourse_network network;
    enum recourse_timeout timeout;
    enum other other;
} outcomes[] = {
    {CURLE_COULDNT_RESOLVE_HOST, 0, true, RECOURSE_NETWORK_DNS, 0, 0},
    {CURLE_COULDNT_RESOLVE_PROXY, 0, true, RECOURSE_NETWORK_DNS, 0, 0},
    {CURLE_COULDNT_RESOLVE_HOST, 1, true, RECOURSE_NETWORK_CLOSED, 0, 0},
    {CURLE_COULDNT_CONNECT, 0, true, RECOURSE_NETWORK_OTHER, 0, 0},
    {CURLE_COULDNT_CONNECT, 1, true, RECOURSE_NETWORK_CLOSED, 0, 0},
    {CURLE_SSL_CONNECT_ERROR, 0, false, RECOURSE_NETWORK_TLS, 0, 0},
    {CURLE_SSL_CONNECT_ERROR, 1, false, RECOURSE_NETWORK_CLOSED, 0, 0},
    {CURLE_PEER_FAILED_VERIFICATION, 0, false, RECOURSE_NETWORK_TLS, 0, 0},
    {CURLE_SSL_INVALIDCERTSTATUS, 0, false, RECOURSE_NETWORK_TLS, 0, 0},
    {CURLE_RECV_ERROR, 1, false, RECOURSE_NETWORK_CLOSED, 0, 0},
    {CURLE_RECV_ERROR, 1, true, 0, 0, PROTOCOL},
    {CURLE_RECV_ERROR, 0, false, RECOURSE_NETWORK_OTHER, 0, 0},
    {CURLE_SEND_ERROR, 1, false, RECOURSE_NETWORK_CLOSED, 0, 0},
    {CURLE_GOT_NOTHING, 1, true, RECOURSE_NETWORK_CLOSED, 0, 0},
    {CURLE_PARTIAL_FILE, 1, true, RECOURSE_NETWORK_CLOSED, 0, 0},
    {CURLE_HTTP2, 1, false, RECOURSE_NETWORK_CLOSED, 0, 0},
    {CURLE_HTTP2_STREAM, 1, false, RECOURSE_NETWORK_RESET, 0, 0},
    {CURLE_SEND_FAIL_REWIND, 1, true, RECOURSE_NETWORK_CLOSED, 0, 0},
    {CURLE_UNSUPPORTED_PROTOCOL, 1, true, 0, 0, PROTOCOL},
    {CURLE_UNSUPPORTED_PROTOCOL, 0, true, RECOURSE_NETWORK_OTHER, 0, 0},
    {CURLE_WEIRD_SERVER_REPLY, 1, true, 0, 0, PROTOCOL},
    {CURLE_OPERATION_TIMEDOUT, 0, true, 0, RECOURSE_TIMEOUT_CONNECT, 0},
    {CURLE_OPERATION_TIMEDOUT, 1, true, 0, RECOURSE_TIMEOUT_OTHER, 0},
    {CURLE_OUT_OF_MEMORY, 1, true, 0, 0, TOO_LARGE},
    {CURLE_OUT_OF_MEMORY, 0, true, RECOURSE_NETWORK_OTHER, 0, 0},
    {CURLE_FAILED_INIT, 0, true, RECOURSE_NETWORK_OTHER, 0, 0},
    {CURLE_FAILED_INIT, 1, true, RECOURSE_NETWORK_OTHER, 0, 0},
    {CURLE_OK, 1, true, RECOURSE_NETWORK_CLOSED, 0, 0}, /* no header was complete */
};

static void test_outcomes(void)
{
    for (size_t i = 0; i < RCS_COUNT(outcomes); i++) {
        struct recourse_transfer transfer = {.sendings = outcomes[i].sendings, .plain = outcomes[i].plain};
        struct recourse_http_response response = {0};

        transfer.easy = curl_easy_init();
        rcs_http_judge(&transfer, outcomes[i].result, &response);
        RCS_EQUAL(response.network, outcomes[i].network);
        RCS_EQUAL(response.timeout, outcomes[i].timeout);
        RCS_EQUAL(response.protocol, outcomes[i].other == PROTOCOL);
        RCS_EQUAL(response.too_large, outcomes[i].other == TOO_LARGE);
        RCS_EQUAL(response.sent, false);
        CU_ASSERT_TRUE(transfer.detail[0] != '\0');
        curl_easy_cleanup(transfer.easy);
    }
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"answers", test_answers},
        {"outcomes", test_outcomes},
        {"requests", test_requests},
        {"a large body, and own headers", test_large_body_and_own_headers},
        {"refused requests", test_refused_requests},
        {"no connection", test_no_connection},
        {"TLS with a server without", test_tls_with_a_server_without},
        {"connect timeout", test_connect_timeout},
        {"read timeout", test_read_timeout},
        {"a server that does not read", test_server_that_does_not_read},
        {"deadline", test_deadline},
        {"a deadline that is over", test_deadline_that_is_over},
        {"never sent twice", test_never_sent_twice},
        {"never sent twice on another kept connection", test_never_sent_twice_on_another_kept_connection},
    };

    return rcs_unit_main_with_port("http", tests, RCS_COUNT(tests));
}
