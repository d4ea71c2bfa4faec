/* Bodies that are handed over as they come. */
#include "tests/unit/exchange.h"
#include "tests/unit/unit.h"

#include <recourse/policy.h>

#define EVENTS "HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\n\r\n"

/* What was handed over. */
static struct {
    char text[256];
    size_t size;
    size_t wanted; /* enough, once so much has come; 0: all */
    unsigned blocks;
} seen;

static bool take(void *user, const char *bytes, size_t size)
{
    (void)user;
    seen.blocks++;
    for (size_t i = 0; i < size && seen.size < sizeof seen.text - 1; i++) {
        seen.text[seen.size++] = bytes[i];
    }
    return seen.wanted == 0 || seen.size < seen.wanted;
}

static unsigned refused;

static bool refuse_once(void *user, size_t size)
{
    (void)user, (void)size;
    return refused++ > 0;
}

static void run(const struct peer_step *script, const char *type, size_t wanted, struct exchange *exchange)
{
    const struct peer_step *const scripts[] = {script};

    memset(&seen, 0, sizeof seen);
    seen.wanted = wanted;
    exchange_open(scripts, 1);
    exchange_init(exchange, "POST", peer_port(exchange_peer));
    exchange->request.data = take;
    exchange->request.data_type = type;
    exchange_run(exchange);
    exchange_close();
}

static void test_streamed(void)
{
    static const struct peer_step script[] = {EXPECTS, SENDS(EVENTS "data: one\n\n"), SENDS("data: two\n\n"), ENDS};
    struct exchange exchange;

    run(script, "text/event-stream", 0, &exchange);
    RCS_EQUAL(exchange.response.status, 200);
    RCS_EQUAL(exchange.response.network, 0);
    RCS_TEXT_EQUAL(exchange.body, "");
    RCS_TEXT_EQUAL(seen.text, "data: one\n\ndata: two\n\n");
}

static void test_enough_ends_it_well(void)
{
    static const struct peer_step script[] = {EXPECTS, SENDS(EVENTS "data: one\n\n"), HANGS};
    struct exchange exchange;

    run(script, "text/event-stream", 5, &exchange);
    RCS_EQUAL(exchange.response.status, 200);
    RCS_EQUAL(exchange.response.network, 0);
    RCS_EQUAL(exchange.response.timeout, 0);
    CU_ASSERT_FALSE(exchange.response.protocol);
    CU_ASSERT_TRUE(exchange.response.sent);
    RCS_TEXT_EQUAL(exchange.detail, "");
    RCS_EQUAL(seen.blocks, 1);
}

/* A body that ends with what was wanted leaves its connection to the next request. */
static void test_connection_is_kept(void)
{
    static const struct peer_step script[] = {
        EXPECTS, SENDS("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "b\r\ndata: one\n\n\r\n0\r\n\r\n"), AGAIN};
    const struct peer_step *const scripts[] = {script};
    struct exchange exchange;

    exchange_open(scripts, 1);
    for (unsigned i = 0; i < 3; i++) {
        memset(&seen, 0, sizeof seen);
        seen.wanted = 5;
        exchange_init(&exchange, "POST", peer_port(exchange_peer));
        exchange.request.data = take;
        exchange_run(&exchange);
        RCS_EQUAL(exchange.response.status, 200);
        RCS_EQUAL(exchange.response.network, 0);
        RCS_EQUAL(seen.blocks, 1);
    }
    RCS_EQUAL(peer_connections(exchange_peer), 1);
    exchange_close();
}

/* What comes after enough does not matter, nor how it breaks off. */
static void test_broken_after_enough(void)
{
    static const struct peer_step closed[] = {
        EXPECTS, SENDS("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 50\r\n\r\ndata: one\n\n"), ENDS};
    static const struct peer_step flood[] = {EXPECTS, SENDS(EVENTS "data: one\n\n"), FLOODS("data: more\n\n")};
    static const struct peer_step *const scripts[] = {closed, flood};
    struct exchange exchange;

    for (size_t i = 0; i < RCS_COUNT(scripts); i++) {
        run(scripts[i], "text/event-stream", 5, &exchange);
        RCS_EQUAL(exchange.response.status, 200);
        RCS_EQUAL(exchange.response.network, 0);
        RCS_TEXT_EQUAL(exchange.detail, "");
        RCS_EQUAL(seen.blocks, 1);
    }
}

static void test_cut_within_a_stream(void)
{
    static const struct peer_step closed[] = {
        EXPECTS, SENDS("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 50\r\n\r\ndata"), ENDS};
    static const struct peer_step reset[] = {EXPECTS, SENDS(EVENTS "data: one\n\n"), RESETS};
    struct exchange exchange;

    run(closed, "text/event-stream", 0, &exchange);
    RCS_EQUAL(exchange.response.status, 200);
    RCS_EQUAL(exchange.response.network, RECOURSE_NETWORK_CLOSED);
    RCS_TEXT_EQUAL(seen.text, "data");
    run(reset, "text/event-stream", 0, &exchange);
    RCS_EQUAL(exchange.response.network, RECOURSE_NETWORK_RESET);
}

static void test_other_bodies_are_kept(void)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nX-Content-Type: text/event-stream\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-streams\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 503 No\r\nContent-Type: text/event-stream\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    };
    struct exchange exchange;

    for (size_t i = 0; i < RCS_COUNT(answers); i++) {
        const struct peer_step script[] = {EXPECTS, SENDS(answers[i]), ENDS};

        run(script, "text/event-stream", 0, &exchange);
        RCS_TEXT_EQUAL(exchange.body, "{}");
        RCS_EQUAL(seen.blocks, 0);
    }
}

static void test_any_type(void)
{
    static const struct peer_step script[] = {
        EXPECTS, SENDS("HTTP/1.1 503 No\r\nContent-Length: 4\r\n\r\nbody"), ENDS};
    struct exchange exchange;

    run(script, NULL, 0, &exchange);
    RCS_EQUAL(exchange.response.status, 503);
    RCS_TEXT_EQUAL(exchange.body, "");
    RCS_TEXT_EQUAL(seen.text, "body");
}

/* The bound is for what is kept; what is handed on waits for room, too. */
static void test_no_bound_but_the_callers(void)
{
    static const struct peer_step script[] = {EXPECTS, SENDS(EVENTS "0123456789"), ENDS};
    const struct peer_step *const scripts[] = {script};
    struct exchange exchange;

    memset(&seen, 0, sizeof seen);
    exchange_open(scripts, 1);
    exchange_init(&exchange, "POST", peer_port(exchange_peer));
    exchange.request.data = take;
    exchange.request.data_type = "text/event-stream";
    exchange.request.body_max = 3;
    exchange.request.keep = refuse_once;
    RCS_EQUAL(exchange_start(&exchange), 0);
    while (refused == 0) {
        RCS_EQUAL(exchange_port->poll(exchange_port->self, RECOURSE_FOREVER), 0);
    }
    RCS_EQUAL(exchange.done, 0);
    RCS_TEXT_EQUAL(seen.text, "");
    exchange_port->http_resume(exchange_port->self, exchange.transfer);
    exchange_finish(&exchange);
    exchange_close();
    CU_ASSERT_FALSE(exchange.response.too_large);
    RCS_TEXT_EQUAL(seen.text, "0123456789");
}

/* What is touched lives longer than its read timeout, and no longer than that after the last touch. */
static void test_touched(void)
{
    static const struct peer_step script[] = {EXPECTS, SENDS(EVENTS), HANGS};
    const struct peer_step *const scripts[] = {script};
    struct exchange exchange;
    uint64_t began_ms;

    memset(&seen, 0, sizeof seen);
    exchange_open(scripts, 1);
    exchange_init(&exchange, "POST", peer_port(exchange_peer));
    exchange.request.data = take;
    exchange.request.data_type = "text/event-stream";
    exchange.request.read_timeout_ms = 150;
    began_ms = exchange_port->now_ms(exchange_port->self);
    RCS_EQUAL(exchange_start(&exchange), 0);
    while (exchange.done == 0 && exchange_port->now_ms(exchange_port->self) < began_ms + 400) {
        exchange_port->http_touch(exchange_port->self, exchange.transfer);
        RCS_EQUAL(exchange_port->poll(exchange_port->self, 5), 0);
    }
    RCS_EQUAL(exchange.done, 0);
    exchange_finish(&exchange);
    RCS_EQUAL(exchange.response.timeout, RECOURSE_TIMEOUT_READ);
    exchange_close();
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"streamed", test_streamed},
        {"enough ends it well", test_enough_ends_it_well},
        {"connection is kept", test_connection_is_kept},
        {"broken after enough", test_broken_after_enough},
        {"cut within a stream", test_cut_within_a_stream},
        {"other bodies are kept", test_other_bodies_are_kept},
        {"any type", test_any_type},
        {"no bound but the caller's", test_no_bound_but_the_callers},
        {"touched", test_touched},
    };
    int status;

    if (recourse_global_init() != 0) {
        return 2;
    }
    status = rcs_unit_main("http_stream", tests, RCS_COUNT(tests));
    recourse_global_cleanup();
    return status;
}
