/* HTTP of the real port: many exchanges at once, cancelling, kept connections, proxies, and want of memory. */
#include "tests/unit/exchange.h"
#include "tests/unit/purse.h"
#include "tests/unit/unit.h"

#include <recourse/policy.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct peer_step ok_again[] = {EXPECTS, SENDS(OK), AGAIN};
static const struct peer_step ok_once[] = {EXPECTS, SENDS(OK), ENDS};
static const struct peer_step hangs[] = {EXPECTS, HANGS};
static const struct peer_step hangs_in_body[] = {
    EXPECTS, SENDS("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), HANGS};
static const struct peer_step *const ok_again_script = ok_again;
static const struct peer_step *const ok_once_script = ok_once;
static const struct peer_step *const hangs_script = hangs;
static const struct peer_step *const hangs_in_body_script = hangs_in_body;

static void poll_once(void)
{
    RCS_EQUAL(exchange_port->poll(exchange_port->self, LONG_MS), 0);
}

static bool cancel(struct exchange *exchange)
{
    bool sent = exchange_port->http_cancel(exchange_port->self, exchange->transfer);

    RCS_EQUAL(exchange->done, 0);
    return sent;
}

/* Nothing is left behind that is reported again and again. (The server's threads may still wake the port.) */
static void expect_quiet(void)
{
    struct pollfd descriptor = {.fd = exchange_port->descriptor(exchange_port->self), .events = POLLIN};
    unsigned turns = 0;

    RCS_EQUAL(exchange_port->dispatch(exchange_port->self), 0);
    while (poll(&descriptor, 1, 0) == 1 && turns++ < 1000) {
        RCS_EQUAL(exchange_port->dispatch(exchange_port->self), 0);
    }
    CU_ASSERT_TRUE(turns < 1000);
}

static void test_cancel_before_anything(void)
{
    struct exchange exchange;

    exchange_open(&ok_once_script, 1);
    exchange_init(&exchange, "POST", peer_port(exchange_peer));
    RCS_EQUAL(exchange_start(&exchange), 0);
    RCS_EQUAL(cancel(&exchange), false);
    expect_quiet();
    RCS_EQUAL(exchange.done, 0);
    RCS_EQUAL(peer_requests(exchange_peer), 0);
    exchange_close();
}

/* The lookup runs on a thread of libcurl, and may be over at once. */
static void test_cancel_while_looking_up(void)
{
    enum { LOOKUPS = 10 };
    static struct exchange lookups[LOOKUPS];

    exchange_open_port(NULL);
    for (int i = 0; i < LOOKUPS; i++) {
        exchange_init(&lookups[i], "POST", 1);
        snprintf(lookups[i].url, sizeof lookups[i].url, "http://nosuch%d.invalid/", i);
        RCS_EQUAL(exchange_start(&lookups[i]), 0);
    }
    RCS_EQUAL(exchange_port->dispatch(exchange_port->self), 0);
    for (int i = 0; i < LOOKUPS; i++) {
        if (lookups[i].done == 0) {
            RCS_EQUAL(cancel(&lookups[i]), false);
        } else {
            RCS_EQUAL(lookups[i].response.network, RECOURSE_NETWORK_DNS);
        }
    }
    expect_quiet();
    recourse_port_free(exchange_port);
}

static void test_cancel_while_connecting(void)
{
    struct exchange exchange;
    int fds[PEER_FULL_FDS];

    exchange_open_port(NULL);
    exchange_init(&exchange, "POST", peer_full_port(fds));
    exchange.request.connect_timeout_ms = LONG_MS;
    RCS_EQUAL(exchange_start(&exchange), 0);
    RCS_EQUAL(exchange_port->dispatch(exchange_port->self), 0);
    RCS_EQUAL(exchange_port->dispatch(exchange_port->self), 0);
    RCS_EQUAL(cancel(&exchange), false);
    expect_quiet();
    for (int i = 0; i < PEER_FULL_FDS; i++) {
        close(fds[i]);
    }
    recourse_port_free(exchange_port);
}

static void test_cancel_after_sending(void)
{
    struct exchange exchange;

    exchange_open(&hangs_script, 1);
    exchange_init(&exchange, "POST", peer_port(exchange_peer));
    RCS_EQUAL(exchange_start(&exchange), 0);
    while (peer_requests(exchange_peer) == 0) {
        poll_once();
    }
    RCS_EQUAL(cancel(&exchange), true);
    while (peer_open(exchange_peer) > 0) {
        poll_once(); /* the connection is closed, not kept */
    }
    expect_quiet();
    exchange_close();
}

static void test_cancel_within_the_body(void)
{
    struct exchange exchange;

    exchange_open(&hangs_in_body_script, 1);
    exchange_init(&exchange, "GET", peer_port(exchange_peer));
    RCS_EQUAL(exchange_start(&exchange), 0);
    while (peer_requests(exchange_peer) == 0) {
        poll_once();
    }
    poll_once();
    RCS_EQUAL(cancel(&exchange), true);
    expect_quiet();
    exchange_close();
}

static bool other_was_sent;

static void cancel_other(struct exchange *exchange)
{
    other_was_sent = exchange_port->http_cancel(exchange_port->self, exchange->other->transfer);
    /* Itself, it is over already: this must do no harm. */
    RCS_EQUAL(exchange_port->http_cancel(exchange_port->self, exchange->transfer), true);
}

static void test_cancel_within_done(void)
{
    static const struct peer_step *const scripts[] = {hangs, ok_again};
    struct exchange first;
    struct exchange second;

    exchange_open(scripts, 2);
    exchange_init(&first, "POST", peer_port(exchange_peer));
    exchange_init(&second, "POST", peer_port(exchange_peer));
    RCS_EQUAL(exchange_start(&first), 0);
    while (peer_requests(exchange_peer) == 0) {
        poll_once();
    }
    second.then = cancel_other;
    second.other = &first;
    other_was_sent = false;
    exchange_run(&second);
    RCS_EQUAL(other_was_sent, true);
    RCS_EQUAL(first.done, 0);
    expect_quiet();
    RCS_EQUAL(first.done, 0);
    exchange_close();
}

static void start_other(struct exchange *exchange)
{
    RCS_EQUAL(exchange_start(exchange->other), 0);
    RCS_EQUAL(exchange->other->done, 0);
}

/* Both answers may have been read when the first of them is told. */
static void test_cancel_each_other(void)
{
    enum { PAIRS = 50 };

    exchange_open(&ok_again_script, 1);
    for (unsigned i = 0; i < PAIRS; i++) {
        struct exchange pair[2];

        for (unsigned k = 0; k < 2; k++) {
            exchange_init(&pair[k], "POST", peer_port(exchange_peer));
            pair[k].then = cancel_other;
            pair[k].other = &pair[1 - k];
            RCS_EQUAL(exchange_start(&pair[k]), 0);
        }
        while (pair[0].done + pair[1].done == 0) {
            poll_once();
        }
        expect_quiet();
        RCS_EQUAL(pair[0].done + pair[1].done, 1);
    }
    exchange_close();
}

static void test_start_within_done(void)
{
    struct exchange chain[3];

    exchange_open(&ok_again_script, 1);
    for (int i = 0; i < 3; i++) {
        exchange_init(&chain[i], "POST", peer_port(exchange_peer));
        if (i > 0) {
            chain[i - 1].then = start_other;
            chain[i - 1].other = &chain[i];
        }
    }
    exchange_run(&chain[0]);
    exchange_finish(&chain[2]);
    RCS_EQUAL(chain[2].response.status, 200);
    RCS_EQUAL(peer_requests(exchange_peer), 3);
    RCS_EQUAL(peer_connections(exchange_peer), 1);
    exchange_close();
}

static void free_with_some_in_flight(unsigned polls)
{
    static struct exchange exchanges[20];

    exchange_open(&hangs_script, 1);
    for (size_t i = 0; i < RCS_COUNT(exchanges); i++) {
        exchange_init(&exchanges[i], "POST", peer_port(exchange_peer));
        RCS_EQUAL(exchange_start(&exchanges[i]), 0);
    }
    for (unsigned i = 0; i < polls; i++) {
        poll_once();
    }
    exchange_close();
    for (size_t i = 0; i < RCS_COUNT(exchanges); i++) {
        RCS_EQUAL(exchanges[i].done, 0);
    }
}

static void test_free_with_some_in_flight(void)
{
    free_with_some_in_flight(0);
    free_with_some_in_flight(3);
}

static void run_many(struct exchange *exchanges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        exchange_init(&exchanges[i], i % 2 == 0 ? "POST" : "GET", peer_port(exchange_peer));
        RCS_EQUAL(exchange_start(&exchanges[i]), 0);
    }
    for (size_t i = 0; i < count; i++) {
        exchange_finish(&exchanges[i]);
        RCS_EQUAL(exchanges[i].response.status, 200);
        RCS_TEXT_EQUAL(exchanges[i].body, "ok");
    }
}

static struct exchange many[300];

static void test_hundred_at_once(void)
{
    exchange_open(&ok_once_script, 1);
    run_many(many, 100);
    RCS_EQUAL(peer_requests(exchange_peer), 100);
    RCS_EQUAL(peer_connections(exchange_peer), 100);
    exchange_close();
}

static unsigned starts_left;

static void start_again(struct exchange *exchange)
{
    RCS_EQUAL(exchange->response.status, 200);
    if (starts_left > 0) {
        starts_left--;
        exchange->done = 0;
        RCS_EQUAL(exchange_start(exchange), 0);
    }
}

/* As many connections as exchanges at once, and each is used for the next one. */
static void test_connections_are_used_again(void)
{
    exchange_open(&ok_again_script, 1);
    starts_left = 450;
    for (size_t i = 0; i < 50; i++) {
        exchange_init(&many[i], "POST", peer_port(exchange_peer));
        many[i].then = start_again;
        RCS_EQUAL(exchange_start(&many[i]), 0);
    }
    for (size_t i = 0; i < 50; i++) {
        exchange_finish(&many[i]);
    }
    RCS_EQUAL(peer_requests(exchange_peer), 500);
    RCS_EQUAL(peer_connections(exchange_peer), 50);
    exchange_close();
}

/* More than one lane holds, twice: the lanes that nobody needs are given up between. */
static void test_more_than_a_lane(void)
{
    exchange_open(&ok_once_script, 1);
    for (int i = 0; i < 2; i++) {
        run_many(many, RCS_COUNT(many));
        expect_quiet();
    }
    RCS_EQUAL(peer_requests(exchange_peer), 2 * RCS_COUNT(many));
    exchange_close();
}

static void test_lanes_are_given_up(void)
{
    enum { THREE_LANES = 600 };
    static struct exchange lots[THREE_LANES];

    exchange_open(&hangs_script, 1);
    for (int i = 0; i < THREE_LANES; i++) {
        exchange_init(&lots[i], "GET", peer_port(exchange_peer));
        RCS_EQUAL(exchange_start(&lots[i]), 0);
    }
    for (int i = 0; i < THREE_LANES; i++) {
        RCS_EQUAL(cancel(&lots[i]), false);
    }
    expect_quiet();
    RCS_EQUAL(exchange_start(&lots[0]), 0);
    while (peer_requests(exchange_peer) == 0) {
        poll_once();
    }
    RCS_EQUAL(cancel(&lots[0]), true);
    exchange_close();
}

static void test_idle_connections(void)
{
    struct recourse_port_options options = {.size = sizeof options, .connections_idle_max = 2};

    exchange_open(&ok_again_script, 1);
    recourse_port_free(exchange_port);
    exchange_open_port(&options);
    run_many(many, 10);
    while (peer_open(exchange_peer) > 2) {
        poll_once();
    }
    expect_quiet();
    RCS_EQUAL(peer_open(exchange_peer), 2);
    RCS_EQUAL(peer_connections(exchange_peer), 10);
    run_many(many, 2);
    RCS_EQUAL(peer_connections(exchange_peer), 10); /* these two were good for that */
    exchange_close();
}

/* The server ends a connection that is kept and idle: the next request goes out on a new one, once. */
static void test_idle_connection_ends(void)
{
    static const struct peer_step *const scripts[] = {ok_once, ok_again};
    struct exchange exchange;

    exchange_open(scripts, 2);
    exchange_get(&exchange);
    while (peer_open(exchange_peer) > 0) {
        poll_once();
    }
    expect_quiet();
    exchange_init(&exchange, "POST", peer_port(exchange_peer));
    exchange_run(&exchange);
    RCS_EQUAL(exchange.response.status, 200);
    RCS_EQUAL(peer_requests(exchange_peer), 2);
    RCS_EQUAL(peer_connections(exchange_peer), 2);
    exchange_close();
}

static void test_environment_is_not_asked(void)
{
    static const char *const names[] = {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"};
    struct exchange exchange;
    char proxy[64];
    int fd;

    snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", peer_closed_port(&fd));
    exchange_open(&ok_again_script, 1);
    for (size_t i = 0; i < RCS_COUNT(names); i++) {
        setenv(names[i], proxy, 1);
    }
    exchange_get(&exchange);
    for (size_t i = 0; i < RCS_COUNT(names); i++) {
        unsetenv(names[i]);
    }
    RCS_EQUAL(exchange.response.status, 200);
    exchange_close();
    close(fd);
}

static void test_proxy(void)
{
    static const struct peer_step refuses[] = {
        EXPECTS, SENDS("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"), ENDS};
    static const struct peer_step *const scripts[] = {ok_once, refuses};
    static const char first[] = "GET http://example.invalid/x HTTP/1.1\r\n";
    struct exchange exchange;
    char proxy[64];
    char text[1024];

    exchange_open(scripts, 2);
    snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", peer_port(exchange_peer));
    setenv("no_proxy", "*", 1);
    exchange_init(&exchange, "GET", 1);
    snprintf(exchange.url, sizeof exchange.url, "http://example.invalid/x");
    exchange.request.proxy = proxy;
    exchange_run(&exchange);
    unsetenv("no_proxy");
    RCS_EQUAL(exchange.response.status, 200);
    peer_last_request(exchange_peer, text, sizeof text);
    RCS_EQUAL(strncmp(text, first, strlen(first)), 0);
    /* A proxy that will not connect us: its answer is not the server's. */
    exchange_init(&exchange, "POST", 1);
    snprintf(exchange.url, sizeof exchange.url, "https://example.invalid/x");
    exchange.request.proxy = proxy;
    exchange_run(&exchange);
    RCS_EQUAL(exchange.response.network, RECOURSE_NETWORK_OTHER);
    RCS_EQUAL(exchange.response.status, 0);
    RCS_EQUAL(exchange.response.sent, false);
    exchange_close();
}

/* A host's loop: it waits for the descriptor until the wake time, and calls dispatch. */
static void test_in_a_hosts_loop(void)
{
    struct exchange exchange;
    unsigned turns = 0;

    exchange_open(&ok_once_script, 1);
    exchange_init(&exchange, "POST", peer_port(exchange_peer));
    RCS_EQUAL(exchange_start(&exchange), 0);
    CU_ASSERT_TRUE(exchange_port->wake_ms(exchange_port->self) <= exchange_port->now_ms(exchange_port->self));
    while (exchange.done == 0 && turns++ < 1000) {
        struct pollfd descriptor = {.fd = exchange_port->descriptor(exchange_port->self), .events = POLLIN};
        uint64_t now = exchange_port->now_ms(exchange_port->self);
        uint64_t due = exchange_port->wake_ms(exchange_port->self);

        poll(&descriptor, 1, due > now ? (int)(due - now) : 0);
        RCS_EQUAL(exchange_port->dispatch(exchange_port->self), 0);
    }
    RCS_EQUAL(exchange.done, 1);
    RCS_EQUAL(exchange.response.status, 200);
    CU_ASSERT_TRUE(turns < 20);
    CU_ASSERT_TRUE(exchange_port->wake_ms(exchange_port->self) > exchange_port->now_ms(exchange_port->self));
    exchange_close();
}

static int run_with(unsigned left, struct exchange *exchange)
{
    struct purse purse = {0, 0};
    struct recourse_allocator allocator = purse_allocator(&purse);
    struct recourse_port_options options = {.size = sizeof options, .allocator = &allocator};
    int code;

    purse.left = UINT32_MAX;
    exchange_open_port(&options);
    exchange_init(exchange, "POST", peer_port(exchange_peer));
    purse.left = left;
    code = exchange_start(exchange);
    if (code == 0) {
        exchange_finish(exchange);
    }
    recourse_port_free(exchange_port);
    RCS_EQUAL(purse.out, 0);
    return code;
}

static void test_each_allocation_fails(void)
{
    static const struct peer_step script[] = {
        EXPECTS, SENDS("HTTP/1.1 200 OK\r\nX-A: 0123456789\r\nX-B: 0123456789\r\n\r\n0123456789"), ENDS};
    static const struct peer_step *const scripts[] = {script};
    struct exchange exchange;
    unsigned failed_starts = 0;
    unsigned failed_ends = 0;
    int code;

    exchange_peer = peer_start(scripts, 1, NULL, NULL);
    for (unsigned left = 0; left < 100; left++) {
        code = run_with(left, &exchange);
        if (code == 0 && exchange.response.network == 0) {
            break;
        }
        if (code != 0) {
            failed_starts++;
            RCS_EQUAL(code, RECOURSE_E_MEMORY);
        } else {
            failed_ends++;
            RCS_EQUAL(exchange.response.network, RECOURSE_NETWORK_OTHER);
            CU_ASSERT_TRUE(exchange.detail[0] != '\0');
        }
    }
    RCS_EQUAL(exchange.response.status, 200);
    RCS_TEXT_EQUAL(exchange.headers, "X-A=0123456789|X-B=0123456789|");
    CU_ASSERT_TRUE(failed_starts >= 4);
    CU_ASSERT_TRUE(failed_ends >= 4);
    peer_stop(exchange_peer);
}

static void test_no_descriptors(void)
{
    struct rlimit old;
    struct rlimit few;
    struct exchange exchange;
    unsigned closed;
    int held;
    int fd;

    exchange_open_port(NULL);
    closed = peer_closed_port(&held);
    exchange_init(&exchange, "POST", closed);
    exchange_run(&exchange);
    RCS_EQUAL(exchange.response.network, RECOURSE_NETWORK_REFUSED);
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(fd);
    getrlimit(RLIMIT_NOFILE, &old);
    few = (struct rlimit){(rlim_t)fd, old.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    exchange_init(&exchange, "POST", closed);
    RCS_EQUAL(exchange_start(&exchange), 0);
    exchange_finish(&exchange);
    setrlimit(RLIMIT_NOFILE, &old);
    RCS_EQUAL(exchange.response.network, RECOURSE_NETWORK_OTHER);
    RCS_EQUAL(exchange.response.sent, false);
    close(held);
    recourse_port_free(exchange_port);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"cancel before anything", test_cancel_before_anything},
        {"cancel while looking up", test_cancel_while_looking_up},
        {"cancel while connecting", test_cancel_while_connecting},
        {"cancel after sending", test_cancel_after_sending},
        {"cancel within the body", test_cancel_within_the_body},
        {"cancel within done", test_cancel_within_done},
        {"cancel each other", test_cancel_each_other},
        {"start within done", test_start_within_done},
        {"free with some in flight", test_free_with_some_in_flight},
        {"a hundred at once", test_hundred_at_once},
        {"connections are used again", test_connections_are_used_again},
        {"more than a lane", test_more_than_a_lane},
        {"lanes are given up", test_lanes_are_given_up},
        {"idle connections", test_idle_connections},
        {"an idle connection ends", test_idle_connection_ends},
        {"the environment is not asked", test_environment_is_not_asked},
        {"proxy", test_proxy},
        {"in a host's loop", test_in_a_hosts_loop},
        {"each allocation fails", test_each_allocation_fails},
        {"no descriptors", test_no_descriptors},
    };

    return rcs_unit_main_with_port("http_life", tests, RCS_COUNT(tests));
}
