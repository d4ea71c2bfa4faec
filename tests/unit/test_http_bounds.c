/* The memory of answers while they come in, and what libcurl's error texts must not show. */
#include "tests/unit/exchange.h"
#include "tests/unit/unit.h"

static struct exchange exchange;

static size_t counted;
static size_t largest; /* of what was asked to be kept at once */
static size_t room;

static bool keep(void *user, size_t bytes)
{
    CU_ASSERT_PTR_EQUAL(user, &exchange);
    if (bytes > room - counted) {
        return false;
    }
    counted += bytes;
    largest = bytes > largest ? bytes : largest;
    return true;
}

static void get_with_room(size_t bytes)
{
    exchange_init(&exchange, "GET", peer_port(exchange_peer));
    exchange.request.keep = keep;
    exchange.request.body_max = 65536;
    counted = 0;
    largest = 0;
    room = bytes;
    exchange_run(&exchange);
}

static void test_body_grows(void)
{
    static const struct peer_step ten[] = {
        EXPECTS, SENDS("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"), AGAIN};
    static const struct peer_step *const scripts[] = {ten};

    exchange_open(scripts, 1);
    get_with_room(10);
    RCS_TEXT_EQUAL(exchange.body, "0123456789");
    RCS_EQUAL(exchange.response.too_large, false);
    RCS_EQUAL(counted, 10);
    get_with_room(9);
    RCS_EQUAL(exchange.response.too_large, true);
    RCS_EQUAL(exchange.response.sent, true);
    RCS_TEXT_EQUAL(exchange.detail, "no room for the answer: the memory for replies is used up");
    RCS_EQUAL(counted, 0);
    exchange_close();
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
    get_with_room(LARGE);
    RCS_EQUAL(counted, LARGE);
    CU_ASSERT_TRUE(largest <= SMALL_PIECE);
    for (unsigned i = 0; i < TRIES && largest <= SMALL_PIECE; i++) { /* once, unless it comes in small pieces */
        get_with_room(2);
        RCS_TEXT_EQUAL(exchange.body, "ok");
        get_with_room(LARGE);
        RCS_EQUAL(counted, LARGE);
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
        {"body grows", test_body_grows},
        {"large answers", test_large_answers},
        {"passwords", test_passwords},
    };

    return rcs_unit_main_with_port("http_bounds", tests, RCS_COUNT(tests));
}
