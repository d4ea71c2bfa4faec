/* The faulty server itself: what it says it does is what the other tests stand on. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/server/parts.h"
#include "tests/unit/unit.h"

static uint64_t now_ms(void)
{
    return rcs_now_us() / 1000;
}

static struct rcs_faulty *serving(const char *path, const char *script)
{
    struct rcs_faulty *server = rcs_faulty_new();
    char why[256] = "";

    CU_ASSERT_PTR_NOT_NULL_FATAL(server);
    CU_ASSERT_TRUE_FATAL(rcs_faulty_script(server, path, script, why, sizeof why));
    CU_ASSERT_EQUAL_FATAL(rcs_faulty_start(server), 0);
    return server;
}

/* Connects; a read waits 5 s at most. */
static int dial(unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct timeval limit = {.tv_sec = 5};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CU_ASSERT_TRUE_FATAL(fd >= 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void say(int fd, const char *text)
{
    RCS_EQUAL(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* Reads until `size` bytes have come, or the end, or an error. Returns 0, or the errno of the end. */
static int hear(int fd, char *text, size_t size)
{
    size_t got = 0;

    memset(text, 0, size + 1);
    while (got < size) {
        ssize_t one = recv(fd, text + got, size - got, 0);
        if (one <= 0) {
            return one == 0 ? 0 : errno;
        }
        got += (size_t)one;
    }
    return 0;
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"
#define OK_HEAD(size) "HTTP/1.1 200 OK\r\nContent-Length: " size "\r\n\r\n"

/* One request on a connection of its own, up to its end. Returns the errno of the end. */
static int ask(unsigned port, const char *request, char *text, size_t size)
{
    int fd = dial(port);
    int why;

    CU_ASSERT_TRUE_FATAL(fd >= 0);
    say(fd, request);
    why = hear(fd, text, size);
    close(fd);
    return why;
}

/* ---- answers ---- */

static const struct {
    const char *script;
    const char *answer;
    int end; /* errno */
} endings[] = {
    {"close=after", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 0},
    {"429 header='Retry-After: 1' header=\"X: 'y'\" body=\"a\\tb\\\\\\x41\\\"\" close=after",
     "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nX: 'y'\r\nContent-Length: 6\r\n\r\na\tb\\A\"", 0},
    {"503 phrase='Out to lunch' body=bare close=after",
     "HTTP/1.1 503 Out to lunch\r\nContent-Length: 4\r\n\r\nbare", 0},
    {"204 close=after", "HTTP/1.1 204 No Content\r\n\r\n", 0},
    {"599 fill=3 close=after", "HTTP/1.1 599 Unknown\r\nContent-Length: 3\r\n\r\nxxx", 0},
    {"body=1234 length=9 close=after", OK_HEAD("9") "1234", 0},
    {"body=1234 length=2 close=after", OK_HEAD("2") "1234", 0},
    {"raw='no\\r\\n\\x00!' close=after", "no\r\n", 0},
    {"close=before", "", 0},
    {"body=12345678 close=middle", OK_HEAD("8") "1234", 0},
    {"body=12345678 close=10", "HTTP/1.1 2", 0},
    {"204 close=middle", "HTTP/1.1 204 ", 0},
    {"body=12 close=9999", OK_HEAD("2") "12", 0},
    {"reset=before", "", ECONNRESET},
    {"body=12345678 reset=middle", OK_HEAD("8") "1234", ECONNRESET},
    {"body=1 reset=after", OK_HEAD("1") "1", ECONNRESET},
    {"body=12 trickle=1 close=after", OK_HEAD("2") "12", 0},
};

static void test_endings(void)
{
    for (size_t i = 0; i < RCS_COUNT(endings); i++) {
        struct rcs_faulty *server = serving("/x", endings[i].script);
        char text[512];
        RCS_EQUAL(ask(rcs_faulty_port(server), GET("/x"), text, sizeof text - 1), endings[i].end);
        RCS_TEXT_EQUAL(text, endings[i].answer);
        RCS_EQUAL(rcs_faulty_count(server, "/x"), 1);
        rcs_faulty_free(server);
    }
}

static void test_sequence(void)
{
    static const char *const bodies[] = {"a", "a", "b", "c", "c"};
    struct rcs_faulty *server = serving("/x", "body=a times=2 | body=b | body=c times=1");
    int fd = dial(rcs_faulty_port(server));
    char text[64];

    for (size_t i = 0; i < RCS_COUNT(bodies); i++) {
        say(fd, GET("/x"));
        RCS_EQUAL(hear(fd, text, strlen(OK_HEAD("1")) + 1), 0);
        RCS_TEXT_EQUAL(text + strlen(OK_HEAD("1")), bodies[i]);
    }
    for (unsigned i = 0; i < RCS_COUNT(bodies); i++) {
        const struct rcs_faulty_request *request = rcs_faulty_request(server, "/x", i);
        CU_ASSERT_PTR_NOT_NULL_FATAL(request);
        RCS_EQUAL(request->connection, 1);
        RCS_EQUAL(request->number, i + 1);
    }
    CU_ASSERT_PTR_NULL(rcs_faulty_request(server, "/x", RCS_COUNT(bodies)));
    rcs_faulty_reset(server);
    RCS_EQUAL(rcs_faulty_count(server, NULL), 0);
    say(fd, GET("/x"));
    RCS_EQUAL(hear(fd, text, strlen(OK_HEAD("1")) + 1), 0);
    RCS_TEXT_EQUAL(text + strlen(OK_HEAD("1")), "a");
    close(fd);
    rcs_faulty_free(server);
}

/* A connection's second request: read, counted, closed. */
static void test_reuse(void)
{
    struct rcs_faulty *server = serving("/x", "body=first | reuse close=before");
    int fd = dial(rcs_faulty_port(server));
    char text[128];

    say(fd, GET("/x"));
    RCS_EQUAL(hear(fd, text, strlen(OK_HEAD("5") "first")), 0);
    RCS_TEXT_EQUAL(text, OK_HEAD("5") "first");
    say(fd, GET("/x"));
    RCS_EQUAL(hear(fd, text, sizeof text - 1), 0);
    RCS_TEXT_EQUAL(text, "");
    close(fd);
    RCS_EQUAL(rcs_faulty_count(server, "/x"), 2);
    RCS_EQUAL(rcs_faulty_request(server, "/x", 1)->number, 2);
    fd = dial(rcs_faulty_port(server));
    say(fd, GET("/x"));
    RCS_EQUAL(hear(fd, text, strlen(OK_HEAD("5") "first")), 0);
    close(fd);
    RCS_EQUAL(rcs_faulty_request(server, "/x", 2)->connection, 2);
    RCS_EQUAL(rcs_faulty_request(server, "/x", 2)->number, 1);
    rcs_faulty_free(server);
}

static void test_waits(void)
{
    struct rcs_faulty *server = serving("/x", "wait=60 close=after");
    char text[128];
    uint64_t began = now_ms();

    RCS_EQUAL(ask(rcs_faulty_port(server), GET("/x"), text, sizeof text - 1), 0);
    CU_ASSERT_TRUE(now_ms() - began >= 60);
    CU_ASSERT_TRUE(now_ms() - began < 2000);
    began = now_ms();
    CU_ASSERT_TRUE(rcs_faulty_script(server, "/x", "body=1 trickle=2 close=after", text, sizeof text));
    RCS_EQUAL(ask(rcs_faulty_port(server), GET("/x"), text, sizeof text - 1), 0);
    RCS_TEXT_EQUAL(text, OK_HEAD("1") "1");
    CU_ASSERT_TRUE(now_ms() - began >= 2 * (strlen(text) - 1));
    rcs_faulty_free(server);
}

static void test_endless(void)
{
    struct rcs_faulty *server = serving("/x", "raw='<' endless='ab'");
    static char text[200002];

    RCS_EQUAL(rcs_faulty_count(server, NULL), 0);
    for (unsigned i = 0; i < 2; i++) {
        int fd = dial(rcs_faulty_port(server));

        say(fd, GET("/x"));
        RCS_EQUAL(hear(fd, text, sizeof text - 1), 0);
        close(fd);
        RCS_EQUAL(text[0], '<');
        for (size_t at = 1; at < sizeof text - 1; at++) {
            if (text[at] != (at % 2 == 1 ? 'a' : 'b')) {
                CU_FAIL_FATAL("other bytes");
            }
        }
    }
    rcs_faulty_free(server);
}

static void test_hang(void)
{
    struct rcs_faulty *server = serving("/x", "body=1234 hang=middle");
    struct timeval limit = {.tv_usec = 50000};
    int fd = dial(rcs_faulty_port(server));
    char text[128];

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    say(fd, GET("/x"));
    RCS_EQUAL(hear(fd, text, sizeof text - 1), EAGAIN);
    RCS_TEXT_EQUAL(text, OK_HEAD("4") "12");
    close(fd);
    rcs_faulty_free(server);
}

/* ---- requests ---- */

static void test_log(void)
{
    static const char request[] =
        "POST /t?a=1&b=%20 HTTP/1.1\r\nHost: x\r\nIdempotency-Key:  k7 \r\nContent-Length: 7\r\n\r\n"
        "1.10\x80\xff\n";
    struct rcs_faulty *server = serving("/t", "echo close=after");
    const struct rcs_faulty_request *seen;
    uint64_t before = rcs_now_us();
    char text[256];
    char expected[512];
    char *log;

    RCS_EQUAL(ask(rcs_faulty_port(server), request, text, sizeof text - 1), 0);
    RCS_TEXT_EQUAL(text, OK_HEAD("7") "1.10\x80\xff\n");
    seen = rcs_faulty_request(server, NULL, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(seen);
    RCS_TEXT_EQUAL(seen->method, "POST");
    RCS_TEXT_EQUAL(seen->path, "/t");
    RCS_TEXT_EQUAL(seen->query, "a=1&b=%20");
    RCS_TEXT_EQUAL(seen->body, "1.10\x80\xff\n");
    RCS_EQUAL(seen->body_size, 7);
    RCS_TEXT_EQUAL(rcs_faulty_header(seen, "idempotency-KEY"), "k7");
    CU_ASSERT_PTR_NULL(rcs_faulty_header(seen, "idempotency"));
    CU_ASSERT_TRUE(seen->at_us >= before && seen->at_us <= rcs_now_us());
    snprintf(
        expected, sizeof expected,
        "[\n{\"connection\":1,\"number\":1,\"at_ms\":%llu.%03u,"
        "\"method\":\"POST\",\"path\":\"/t\",\"query\":\"a=1&b=%%20\","
        "\"headers\":[[\"Host\",\"x\"],[\"Idempotency-Key\",\"k7\"],[\"Content-Length\",\"7\"]],"
        "\"body\":\"1.10\\u0080\\u00ff\\u000a\"}]\n",
        (unsigned long long)(seen->at_us / 1000), (unsigned)(seen->at_us % 1000));
    log = rcs_faulty_log(server);
    RCS_TEXT_EQUAL(log, expected);
    free(log);
    rcs_faulty_free(server);
}

static void test_own_paths(void)
{
    static const struct {
        const char *request;
        const char *answer;
    } cases[] = {
        {"GET /_log HTTP/1.0\r\nConnection: close\r\n\r\n", OK_HEAD("3") "[]\n"},
        {"POST /_log HTTP/1.1\r\nConnection: close\r\n\r\n",
         "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"},
        {"GET /_reset HTTP/1.1\r\nConnection: Close\r\n\r\n",
         "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"},
        {"GET /none HTTP/1.1\r\nConnection: close\r\n\r\n", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"},
        {"POST /_reset HTTP/1.1\r\nConnection: close\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n"},
    };
    struct rcs_faulty *server = serving("/x", "200");
    char text[256];

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(ask(rcs_faulty_port(server), cases[i].request, text, sizeof text - 1), 0);
        RCS_TEXT_EQUAL(text, cases[i].answer);
        RCS_EQUAL(rcs_faulty_count(server, NULL), i == 3);
    }
    rcs_faulty_free(server);
}

/* What isn't a request ends its connection, or is refused; the next one is served. */
static void test_bad_requests(void)
{
    static const struct {
        const char *request;
        const char *answer;
    } cases[] = {
        {"hello\r\n\r\n", ""},
        {"GET /x HTTP/2\r\n\r\n", ""},
        {"GET  HTTP/1.1\r\n\r\n", ""},
        {" /x HTTP/1.1\r\n\r\n", ""},
        {"\r\n\r\n", ""},
        {"GET /x HTTP/1.1\r\nno colon\r\n\r\n", ""},
        {"GET /x HTTP/1.1\r\n: v\r\n\r\n", ""},
        {"POST /x HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"},
        {"POST /x HTTP/1.1\r\nContent-Length: 1x\r\n\r\n", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"},
        {"POST /x HTTP/1.1\r\nContent-Length: 67108865\r\n\r\n",
         "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"},
        {"POST /x HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
         "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"},
        {"POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
         "HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\n\r\n"},
    };
    struct rcs_faulty *server = serving("/x", "close=after");
    char text[256];

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(ask(rcs_faulty_port(server), cases[i].request, text, sizeof text - 1), 0);
        RCS_TEXT_EQUAL(text, cases[i].answer);
    }
    RCS_EQUAL(rcs_faulty_count(server, NULL), 0);
    RCS_EQUAL(ask(rcs_faulty_port(server), GET("/x"), text, sizeof text - 1), 0);
    RCS_EQUAL(rcs_faulty_count(server, NULL), 1);
    rcs_faulty_free(server);
}

static void test_head_too_long(void)
{
    struct rcs_faulty *server = serving("/x", "200");
    size_t size = RCS_FAULTY_HEAD_MAX + 2;
    char *head = rcs_must_alloc(NULL, size + 1);
    char text[64];

    memset(head, 'a', size);
    head[size] = '\0';
    RCS_EQUAL(ask(rcs_faulty_port(server), head, text, sizeof text - 1), 0);
    RCS_TEXT_EQUAL(text, "");
    free(head);
    rcs_faulty_free(server);
}

/* Requests that come in pieces, and two that come in one. */
static void test_pieces(void)
{
    static const char request[] = "POST /x HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi";
    struct rcs_faulty *server = serving("/x", "echo");
    int fd = dial(rcs_faulty_port(server));
    char text[128];

    for (size_t i = 0; request[i] != '\0'; i++) {
        RCS_EQUAL(send(fd, request + i, 1, MSG_NOSIGNAL), 1);
    }
    RCS_EQUAL(hear(fd, text, strlen(OK_HEAD("2") "hi")), 0);
    RCS_TEXT_EQUAL(text, OK_HEAD("2") "hi");
    say(fd, GET("/x") "POST /x HTTP/1.1\r\nContent-Length: 2\r\n\r\nho");
    RCS_EQUAL(hear(fd, text, strlen(OK_HEAD("0") OK_HEAD("2") "ho")), 0);
    RCS_TEXT_EQUAL(text, OK_HEAD("0") OK_HEAD("2") "ho");
    RCS_EQUAL(rcs_faulty_count(server, NULL), 3);
    close(fd);
    rcs_faulty_free(server);
}

/* ---- clients that vanish, answers that don't fit into a socket ---- */

static void test_large(void)
{
    struct rcs_faulty *server = serving("/x", "fill=9000000 close=after");
    size_t size = strlen(OK_HEAD("9000000")) + 9000000;
    char *text = rcs_must_alloc(NULL, size + 2);
    int fd;

    for (int i = 0; i < 3; i++) { /* gone before it is read, each time with all of it under way */
        fd = dial(rcs_faulty_port(server));
        say(fd, GET("/x"));
        RCS_EQUAL(hear(fd, text, 10), 0);
        close(fd);
    }
    RCS_EQUAL(ask(rcs_faulty_port(server), GET("/x"), text, size + 1), 0);
    RCS_EQUAL(strlen(text), size);
    RCS_EQUAL(text[size - 1], 'x');
    free(text);
    rcs_faulty_free(server);
}

static void test_vanishing(void)
{
    struct rcs_faulty *server = serving("/x", "body=1234 trickle=1 times=20 | close=after");
    struct linger hard = {.l_onoff = 1};
    char text[64];

    for (int i = 0; i < 20; i++) {
        int fd = dial(rcs_faulty_port(server));
        say(fd, i % 2 == 0 ? GET("/x") : "GET /x HT");
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, i % 4 < 2 ? sizeof hard : 0);
        close(fd);
    }
    RCS_EQUAL(ask(rcs_faulty_port(server), "GET /none HTTP/1.1\r\nConnection: close\r\n\r\n", text, 12), 0);
    RCS_TEXT_EQUAL(text, "HTTP/1.1 404");
    rcs_faulty_free(server);
}

static void test_many_connections(void)
{
    struct rcs_faulty *server = serving("/x", "200");
    static int fds[RCS_FAULTY_CONNECTIONS_MAX + 4];
    char text[64];

    for (size_t i = 0; i < RCS_COUNT(fds); i++) {
        fds[i] = dial(rcs_faulty_port(server));
        CU_ASSERT_TRUE_FATAL(fds[i] >= 0);
        say(fds[i], GET("/x"));
    }
    for (size_t i = 0; i < RCS_FAULTY_CONNECTIONS_MAX; i++) {
        RCS_EQUAL(hear(fds[i], text, strlen(OK_HEAD("0"))), 0);
        close(fds[i]);
    }
    for (size_t i = RCS_FAULTY_CONNECTIONS_MAX; i < RCS_COUNT(fds); i++) {
        RCS_EQUAL(hear(fds[i], text, strlen(OK_HEAD("0"))), 0);
        RCS_TEXT_EQUAL(text, OK_HEAD("0"));
        close(fds[i]);
    }
    rcs_faulty_free(server);
}

/* ---- its life ---- */

static void test_stop(void)
{
    struct rcs_faulty *server = serving("/x", "hang=before");
    unsigned port = rcs_faulty_port(server);
    int fd = dial(port);
    char text[8];

    say(fd, GET("/x"));
    for (uint64_t until = now_ms() + 5000; rcs_faulty_count(server, NULL) == 0 && now_ms() < until;) {
    }
    rcs_faulty_stop(server);
    RCS_EQUAL(hear(fd, text, 7), 0);
    RCS_TEXT_EQUAL(text, "");
    RCS_EQUAL(dial(port), -1);
    RCS_EQUAL(rcs_faulty_count(server, "/x"), 1);
    rcs_faulty_stop(server);
    close(fd);
    rcs_faulty_free(server);
    rcs_faulty_free(NULL);
}

/* Without a thread: the caller's own steps serve. */
static void test_steps(void)
{
    struct rcs_faulty *server = rcs_faulty_new();
    char text[128];
    int fd;

    CU_ASSERT_PTR_NOT_NULL_FATAL(server);
    CU_ASSERT_TRUE(rcs_faulty_script(server, "/x", "wait=5 close=after", text, sizeof text));
    fd = dial(rcs_faulty_port(server));
    say(fd, GET("/x"));
    rcs_faulty_step(server, 5000); /* accepts */
    rcs_faulty_step(server, 5000); /* reads */
    RCS_EQUAL(rcs_faulty_count(server, "/x"), 1);
    RCS_EQUAL(server->connection_count, 1);
    while (server->connection_count > 0) {
        rcs_faulty_step(server, 5000);
    }
    RCS_EQUAL(hear(fd, text, sizeof text - 1), 0);
    RCS_TEXT_EQUAL(text, OK_HEAD("0"));
    close(fd);
    rcs_faulty_step(server, 0);
    rcs_faulty_free(server);
}

static void test_bad_scripts(void)
{
    static const struct {
        const char *path, *script, *why;
    } cases[] = {
        {"x", "200", "`x` is no path: it begins with / and has no blank and no ?"},
        {"/x?y", "200", "`/x?y` is no path: it begins with / and has no blank and no ?"},
        {"/x", "42", "a status has three digits, near `42`"},
        {"/x", "2000", "a status has three digits, near `2000`"},
        {"/x", "200 2x0", "a status has three digits, near `200 2x0`"},
        {"/x", "200 foo", "no such word, or with a value where it has none, or without, near `foo`"},
        {"/x", "echo=1", "no such word, or with a value where it has none, or without, near `echo=1`"},
        {"/x", "body", "no such word, or with a value where it has none, or without, near `body`"},
        {"/x", "wait=5s 200", "a number was expected, near ` 200`"},
        {"/x", "fill=99999999999 200", "a number was expected, near ` 200`"},
        {"/x", "close=later 200", "before, middle, after or a number of bytes was expected, near ` 200`"},
        {"/x", "200 | body='open", "a quote without an end, near `'open`"},
        {"/x", "body='\\q'", "an escape that is none, near `'\\q'`"},
        {"/x", "body='\\x4'", "an escape that is none, near `'\\x4'`"},
        {"/x", "body='a'b", "something behind a closing quote, near `b`"},
        {"/x", "reuse close=before", "`reuse` alone: what is the first answer?"},
        {"/x", "reuse body=a | reuse body=b", "`reuse` alone: what is the first answer?"},
    };
    struct rcs_faulty *server = rcs_faulty_new();

    CU_ASSERT_PTR_NOT_NULL_FATAL(server);
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        char why[256] = "";
        CU_ASSERT_FALSE(rcs_faulty_script(server, cases[i].path, cases[i].script, why, sizeof why));
        RCS_TEXT_EQUAL(why, cases[i].why);
    }
    rcs_faulty_free(server);
}

static void test_deaf(void)
{
    struct rcs_deaf deaf;
    struct timeval limit = {.tv_usec = 50000};
    struct sockaddr_in address = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CU_ASSERT_TRUE_FATAL(rcs_deaf_open(&deaf));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)deaf.port);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    RCS_EQUAL(connect(fd, (struct sockaddr *)&address, sizeof address), -1);
    CU_ASSERT_TRUE(errno == EINPROGRESS || errno == EAGAIN);
    close(fd);
    rcs_deaf_close(&deaf);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"an answer and its end", test_endings},
        {"one answer after the other", test_sequence},
        {"a connection's second request", test_reuse},
        {"waits", test_waits},
        {"hangs", test_hang},
        {"what has no end", test_endless},
        {"the log", test_log},
        {"its own paths", test_own_paths},
        {"what is no request", test_bad_requests},
        {"a head without an end", test_head_too_long},
        {"requests in pieces", test_pieces},
        {"a large answer", test_large},
        {"clients that vanish", test_vanishing},
        {"more connections than it takes", test_many_connections},
        {"stop", test_stop},
        {"steps", test_steps},
        {"scripts that can't be read", test_bad_scripts},
        {"a deaf port", test_deaf},
    };

    return rcs_unit_main("server", tests, RCS_COUNT(tests));
}
