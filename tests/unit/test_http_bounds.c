/* The memory of answers while they come in, and what libcurl's error texts must not show. */
#include "tests/unit/exchange.h"
#include "tests/unit/unit.h"

#include <recourse/policy.h>

static struct exchange exchange;

static size_t counted;
static size_t room;

static unsigned refusals;

static bool keep(void *user, size_t bytes)
{
    CU_ASSERT_PTR_EQUAL(user, &exchange);
    if (bytes > room - counted) {
        refusals++;
        return false;
    }
    counted += bytes;
    return true;
}

/* Polls until it is done or was refused. */
static void go_on(void)
{
    unsigned before = refusals;

    while (exchange.done == 0 && refusals == before) {
        RCS_EQUAL(exchange_port->poll(exchange_port->self, RECOURSE_FOREVER), 0);
    }
}

static void get_with_room(size_t bytes)
{
    exchange_init(&exchange, "GET", peer_port(exchange_peer));
    exchange.request.keep = keep;
    counted = 0;
    refusals = 0;
    room = bytes;
    RCS_EQUAL(exchange_start(&exchange), 0);
    go_on();
}

static void resume_with_room(size_t bytes)
{
    room = bytes;
    exchange_port->http_resume(exchange_port->self, exchange.transfer);
}

static void expect_ten(void)
{
    RCS_EQUAL(exchange.done, 1);
    RCS_TEXT_EQUAL(exchange.body, "0123456789");
    RCS_TEXT_EQUAL(exchange.detail, "");
    RCS_EQUAL(counted, 10);
}

/* One that was refused loses nothing, however often. */
static void test_waits_for_room(void)
{
    static const struct peer_step ten[] = {
        EXPECTS, SENDS("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"), AGAIN};
    static const struct peer_step *const scripts[] = {ten};

    exchange_open(scripts, 1);
    get_with_room(10);
    expect_ten();
    RCS_EQUAL(refusals, 0);
    get_with_room(9);
    RCS_EQUAL(exchange.done, 0);
    RCS_EQUAL(counted, 0); /* all or nothing, since the length was said */
    exchange_port->http_resume(exchange_port->self, exchange.transfer);
    RCS_EQUAL(refusals, 2);
    RCS_EQUAL(exchange.done, 0);
    resume_with_room(10);
    exchange_finish(&exchange);
    expect_ten();
    RCS_EQUAL(refusals, 2);
    exchange_close();
}

static void test_grows_as_it_comes(void)
{
    static const struct peer_step unknown[] = {EXPECTS, SENDS("HTTP/1.1 200 OK\r\n\r\n0123456789"), ENDS};
    static const struct peer_step *const scripts[] = {unknown};

    exchange_open(scripts, 1);
    get_with_room(9);
    while (exchange.done == 0) {
        resume_with_room(room + 1);
        RCS_EQUAL(exchange_port->poll(exchange_port->self, RECOURSE_FOREVER), 0);
    }
    expect_ten();
    CU_ASSERT_TRUE(refusals > 0);
    exchange_close();
}

/* The read timeout rests as long as nobody wants to read; the deadline does not. */
static void test_timeouts_of_one_that_waits(void)
{
    static const struct peer_step half[] = {
        EXPECTS, SENDS("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n0123456789"), HANGS};
    static const struct peer_step *const scripts[] = {half};
    static const struct {
        uint64_t read_ms;
        uint64_t deadline_ms;
        bool resumes;
        uint8_t timeout;
    } cases[] = {
        {1, 60, false, RECOURSE_TIMEOUT_TOTAL},
        {1, LONG_MS, true, RECOURSE_TIMEOUT_READ},
        {0, 60, true, RECOURSE_TIMEOUT_TOTAL},
    };

    exchange_open(scripts, 1);
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        exchange_init(&exchange, "GET", peer_port(exchange_peer));
        exchange.request.keep = keep;
        exchange.request.deadline_ms = exchange_port->now_ms(exchange_port->self) + cases[i].deadline_ms;
        counted = 0;
        room = 0;
        RCS_EQUAL(exchange_start(&exchange), 0);
        go_on();
        RCS_EQUAL(exchange.done, 0);
        exchange.request.read_timeout_ms = cases[i].read_ms; /* only now, so that a busy machine doesn't use it up before */
        if (cases[i].resumes) {
            resume_with_room(20);
        }
        exchange_finish(&exchange);
        RCS_EQUAL(exchange.response.timeout, cases[i].timeout);
    }
    exchange_close();
}

static void test_cancelled_while_it_waits(void)
{
    static const struct peer_step ten[] = {
        EXPECTS, SENDS("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"), AGAIN};
    static const struct peer_step *const scripts[] = {ten};

    exchange_open(scripts, 1);
    get_with_room(0);
    RCS_EQUAL(exchange_port->http_cancel(exchange_port->self, exchange.transfer), true);
    get_with_room(10);
    expect_ten();
    exchange_close();
}

static size_t streamed;
static size_t largest; /* of the blocks that came */

static bool measure(void *user, const char *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    streamed += size;
    largest = size > largest ? size : largest;
    return true;
}

static void get_in_blocks(size_t expected)
{
    exchange_init(&exchange, "GET", peer_port(exchange_peer));
    exchange.request.data = measure;
    streamed = 0;
    largest = 0;
    exchange_run(&exchange);
    RCS_EQUAL(streamed, expected);
}

/* Nobody holds much memory for answers that are small; where they are not, they are read in larger pieces. */
static void test_large_answers(void)
{
    enum { LARGE = 40000, SMALL_PIECE = 2048, LARGE_PIECE = 16384, TRIES = 100 };
    static char answer[LARGE + 64];
    const struct peer_step large[] = {EXPECTS, {PEER_SEND, answer, 0, 0}, EXPECTS, SENDS(OK), AGAIN};
    const struct peer_step *const scripts[] = {large};
    int head = snprintf(answer, sizeof answer, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", LARGE);

    memset(answer + head, 'x', LARGE);
    answer[head + LARGE] = '\0';
    exchange_open(scripts, 1);
    get_in_blocks(LARGE);
    CU_ASSERT_TRUE(largest <= SMALL_PIECE);
    for (unsigned i = 0; i < TRIES && largest <= SMALL_PIECE; i++) { /* once, unless it comes in small pieces */
        get_in_blocks(2);
        get_in_blocks(LARGE);
    }
    CU_ASSERT_TRUE(largest > SMALL_PIECE && largest <= LARGE_PIECE);
    exchange_close();
}

static void test_passwords(void)
{
    static const struct {
        const char *proxy;
        const char *url;
        const char *detail; /* NULL: only that it shows nothing */
    } cases[] = {
        {"http://u:s3cr3t@127.0.0.1:99999", NULL, "Couldn't resolve proxy name"},
        {"foo://u:s3cr3t@127.0.0.1:9", NULL, "Couldn't connect to server"},
        {"http://u:s3cr3t@[::1", NULL, "Couldn't resolve proxy name"},
        {"http://u:s3cr3t@127.0.0.1:1", NULL, NULL},
        {NULL, "http://u:s3cr3t@127.0.0.1:1/", NULL},
    };

    exchange_open_port(NULL);
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        exchange_init(&exchange, "GET", 1);
        exchange.request.proxy = cases[i].proxy;
        if (cases[i].url != NULL) {
            exchange.request.url = cases[i].url;
        }
        exchange_run(&exchange);
        CU_ASSERT_TRUE(exchange.response.network != RECOURSE_NETWORK_NONE);
        CU_ASSERT_TRUE(exchange.detail[0] != '\0');
        CU_ASSERT_PTR_NULL(strstr(exchange.detail, "s3cr3t"));
        if (cases[i].detail != NULL) {
            RCS_TEXT_EQUAL(exchange.detail, cases[i].detail);
        }
    }
    recourse_port_free(exchange_port);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"waits for room", test_waits_for_room},
        {"grows as it comes", test_grows_as_it_comes},
        {"timeouts of one that waits", test_timeouts_of_one_that_waits},
        {"cancelled while it waits", test_cancelled_while_it_waits},
        {"large answers", test_large_answers},
        {"passwords", test_passwords},
    };

    return rcs_unit_main_with_port("http_bounds", tests, RCS_COUNT(tests));
}
