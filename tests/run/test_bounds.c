/*
 * The runner on the real port: large replies at once within one bound, and functions on the port's threads and on a host's.
 * What belongs to threads is meant for TSan, too.
 */
#include <recourse/runner.h>

#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/server/faulty.h"
#include "tests/unit/unit.h"

#define STEPS_MAX 2000000u

static struct recourse_port *port;
static struct recourse_runner *runner;
static struct recourse_run *run;
static size_t memory_max_seen;
static unsigned results;

static struct recourse_span span(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

static void on_result(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result)
{
    (void)user, (void)turn, (void)index, (void)result;
    results++;
}

static void open_with(const struct recourse_port_options *port_options, struct recourse_runner_options options)
{
    options.size = sizeof options;
    options.policy = recourse_policy_builtin("lightspeed");
    options.allocator = port_options->allocator;

    RCS_EQUAL(recourse_port_new(port_options, &port, NULL), 0);
    options.port = port;
    RCS_EQUAL(recourse_runner_new(&options, &runner, NULL), 0);
    RCS_EQUAL(recourse_run_new(runner, &run), 0);
    memory_max_seen = 0;
    results = 0;
}

static void open_measured(const struct recourse_allocator *allocator, size_t memory_max, size_t body_max)
{
    const struct recourse_port_options port_options = {.size = sizeof port_options, .allocator = allocator};

    open_with(&port_options, (struct recourse_runner_options){.memory_max = memory_max, .body_max = body_max});
}

static struct recourse_turn *start_calls(const char *tool, size_t count, struct recourse_call_request *calls)
{
    static char ids[8192][24];
    struct recourse_turn_options options = {
        .size = sizeof options, .calls = calls, .call_count = count, .on_result = on_result};
    struct recourse_turn *turn = NULL;

    for (size_t i = 0; i < count; i++) {
        snprintf(ids[i], sizeof ids[i], "%zu", i);
        calls[i] = (struct recourse_call_request){.id = span(ids[i]), .name = span(tool), .arguments = span("{}")};
    }
    RCS_EQUAL(recourse_turn_start(run, &options, &turn, NULL), 0);
    return turn;
}

static void finish(const struct recourse_turn *turn)
{
    for (unsigned steps = 0; steps < STEPS_MAX && !recourse_turn_done(turn); steps++) {
        size_t used;

        RCS_EQUAL(recourse_runner_step(runner, 20000), 0);
        used = recourse_runner_memory(runner);
        memory_max_seen = used > memory_max_seen ? used : memory_max_seen;
    }
    CU_ASSERT_TRUE_FATAL(recourse_turn_done(turn));
}

/* ---- memory ---- */

#define BOUND ((size_t)8 << 20)
#define ANSWER ((size_t)2 << 20)
#define ANSWERS 24u

/* An allocator that knows how much is in use, and how much ever was. */
static size_t used_now;
static size_t used_most;

static void *measured_realloc(void *user, void *memory, size_t size)
{
    size_t old = memory != NULL ? malloc_usable_size(memory) : 0;
    void *fresh = realloc(memory, size);

    (void)user;
    if (fresh != NULL) {
        used_now += malloc_usable_size(fresh) - old;
        used_most = used_now > used_most ? used_now : used_most;
    }
    return fresh;
}

static void *measured_alloc(void *user, size_t size)
{
    return measured_realloc(user, NULL, size);
}

static void measured_free(void *user, void *memory)
{
    (void)user;
    used_now -= malloc_usable_size(memory);
    free(memory);
}

static const struct recourse_allocator measured = {measured_alloc, measured_realloc, measured_free, NULL};

static size_t whole;
static unsigned ended;

static void count_whole(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result)
{
    size_t used = recourse_runner_memory(runner);

    (void)user, (void)turn, (void)index;
    whole += result->success && result->tries == 1 && result->content.size == ANSWER;
    memory_max_seen = used > memory_max_seen ? used : memory_max_seen;
}

static void free_turn(void *user, struct recourse_turn *turn)
{
    (void)user;
    recourse_turn_free(turn);
    ended++;
}

/* Each in a turn of its own, which goes with its result: results that the host still has are not bounded. */
static void expect_all_whole(void)
{
    const struct recourse_call_request call = {.id = span("c"), .name = span("big"), .arguments = span("{}")};
    struct recourse_turn_options options = {.size = sizeof options, .calls = &call, .call_count = 1,
                                            .on_result = count_whole, .on_done = free_turn};
    struct recourse_turn *turn;

    used_most = 0;
    whole = 0;
    ended = 0;
    for (size_t i = 0; i < ANSWERS; i++) {
        RCS_EQUAL(recourse_turn_start(run, &options, &turn, NULL), 0);
    }
    for (unsigned steps = 0; steps < STEPS_MAX && ended < ANSWERS; steps++) {
        RCS_EQUAL(recourse_runner_step(runner, 20000), 0);
    }
    RCS_EQUAL(ended, ANSWERS);
    RCS_EQUAL(whole, ANSWERS);
    CU_ASSERT_TRUE(memory_max_seen <= BOUND);
    RCS_EQUAL(recourse_runner_memory(runner), 0);
}

static void close_measured(void)
{
    recourse_runner_free(runner);
    recourse_port_free(port);
    RCS_EQUAL(used_now, 0);
}

/* A script of an answer that ends with its connection. */
static const char *endless(void)
{
    static char script[ANSWER + 100];
    int begin = snprintf(script, sizeof script, "raw='HTTP/1.1 200 OK\\r\\n\\r\\n");

    memset(script + begin, 'x', ANSWER);
    strcpy(script + begin + ANSWER, "' close=after");
    return script;
}

/* 24 replies of 2 MiB come in at once, and 8 MiB are there for all: each waits for its turn, and all arrive. */
static void test_large_replies(void)
{
    static const struct {
        const char *script;
        uint64_t read_timeout_ms;
        size_t most; /* in use: the bound, one answer that is being made a result, and what is no answer */
    } cases[] = {
        {"200 fill=2097152", 0, BOUND + ANSWER + 400000},
        {"200 fill=2097152", 15000, BOUND + ANSWER + 400000},
        {NULL, 0, 2 * BOUND + ANSWER + 400000}, /* without a length: buffers are larger than what is in them */
    };
    char why[128] = "";
    char url[64];

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct rcs_faulty *server = rcs_faulty_new();
        struct recourse_tool tool = {.size = sizeof tool, .name = "big", .declared_safe = true,
                                     .read_timeout_ms = cases[i].read_timeout_ms};

        CU_ASSERT_PTR_NOT_NULL_FATAL(server);
        CU_ASSERT_TRUE(rcs_faulty_script(server, "/big", cases[i].script != NULL ? cases[i].script : endless(), why, sizeof why));
        RCS_TEXT_EQUAL(why, "");
        RCS_EQUAL(rcs_faulty_start(server), 0);
        open_measured(&measured, BOUND, 2 * ANSWER);
        snprintf(url, sizeof url, "http://127.0.0.1:%u/big", rcs_faulty_port(server));
        tool.url = url;
        RCS_EQUAL(recourse_runner_add_tool(runner, &tool, NULL), 0);
        expect_all_whole();
        CU_ASSERT_TRUE(used_most <= cases[i].most);
        close_measured();
        rcs_faulty_stop(server);
        rcs_faulty_free(server);
    }
}

/* The same for what commands write, whose length nobody knows before. */
static void test_large_outputs(void)
{
    static const char *const words[] = {"sh", "-c", "head -c 2097152 /dev/zero | tr '\\0' x", NULL};
    struct recourse_tool tool = {.size = sizeof tool, .name = "big", .kind = RECOURSE_TOOL_COMMAND, .command = words,
                                 .limit = 12};

    open_measured(&measured, BOUND, 2 * ANSWER);
    RCS_EQUAL(recourse_runner_add_tool(runner, &tool, NULL), 0);
    expect_all_whole();
    close_measured();
}

/* ---- threads ---- */

static atomic_uint begun;
static atomic_uint at_once;
static atomic_uint at_once_max;
static atomic_bool hold;

static void complete(struct recourse_invocation *invocation, uint8_t answer, const char *content)
{
    struct recourse_completion completion = {.answer = answer, .content = span(content)};

    recourse_invocation_complete(invocation, &completion);
}

/* Takes a moment, or as long as nobody cancels it. */
static void block(void *user, struct recourse_invocation *invocation)
{
    struct pollfd watched = {.fd = recourse_invocation_cancel_fd(invocation), .events = POLLIN};
    unsigned now = atomic_fetch_add(&at_once, 1) + 1;
    unsigned most = atomic_load(&at_once_max);

    (void)user;
    while (now > most && !atomic_compare_exchange_weak(&at_once_max, &most, now)) {
    }
    atomic_fetch_add(&begun, 1);
    if (atomic_load(&hold)) {
        poll(&watched, 1, 20000);
    } else {
        poll(NULL, 0, 1);
    }
    atomic_fetch_sub(&at_once, 1);
    complete(invocation, recourse_invocation_cancelled(invocation) ? RECOURSE_ANSWER_ERROR : RECOURSE_ANSWER_OK, "done");
}

static void open_function(recourse_function *function, bool blocking, unsigned limit, unsigned threads, unsigned places)
{
    struct recourse_tool tool = {.size = sizeof tool, .name = "f", .kind = RECOURSE_TOOL_FUNCTION,
                                 .function = function, .blocking = blocking, .limit = limit};
    struct recourse_port_options port_options = {
        .size = sizeof port_options, .threads_max = threads, .queue_max = places};

    atomic_store(&begun, 0);
    atomic_store(&at_once, 0);
    atomic_store(&at_once_max, 0);
    atomic_store(&hold, false);
    open_with(&port_options, (struct recourse_runner_options){.user = NULL});
    RCS_EQUAL(recourse_runner_add_tool(runner, &tool, NULL), 0);
}

static size_t successes(const struct recourse_turn *turn)
{
    size_t count = 0;

    for (size_t i = 0; i < recourse_turn_count(turn); i++) {
        count += recourse_turn_result(turn, i)->success;
    }
    return count;
}

/* More work than threads: it queues at the port, and with a limit it does not even reach it. */
static void test_on_the_ports_threads(void)
{
    static const unsigned limits[] = {0, 2};
    static struct recourse_call_request calls[100];
    struct recourse_turn *turn;

    for (size_t i = 0; i < RCS_COUNT(limits); i++) {
        open_function(block, true, limits[i], 3, 1024);
        turn = start_calls("f", 100, calls);
        finish(turn);
        RCS_EQUAL(successes(turn), 100);
        RCS_EQUAL(atomic_load(&begun), 100);
        CU_ASSERT_TRUE(atomic_load(&at_once_max) <= (limits[i] > 0 ? limits[i] : 3));
        recourse_runner_free(runner);
        recourse_port_free(port);
    }
}

/* The port's queue is full: those calls are tried again by their policy, and told so in the end. */
static void test_too_much_for_the_port(void)
{
    static struct recourse_call_request calls[8];
    struct recourse_turn *turn;
    size_t refused = 0;

    open_function(block, true, 0, 1, 1);
    atomic_store(&hold, true);
    turn = start_calls("f", 8, calls);
    while (results < 6) {
        RCS_EQUAL(recourse_runner_step(runner, 20000), 0);
    }
    recourse_turn_cancel(turn);
    finish(turn);
    for (size_t i = 0; i < 8; i++) {
        const struct recourse_result *result = recourse_turn_result(turn, i);

        refused += result->tries == 3 && result->effect == RECOURSE_EFFECT_UNKNOWN &&
                   strcmp(result->detail.data, "") != 0 && result->event != RECOURSE_EVENT_CANCELLED;
    }
    RCS_EQUAL(refused, 6);
    recourse_runner_free(runner);
    recourse_port_free(port);
    CU_ASSERT_TRUE(atomic_load(&begun) <= 2); /* the second one, if the thread came free before it was cancelled */
    RCS_EQUAL(atomic_load(&at_once), 0);
}

static void until_begun(unsigned count)
{
    while (atomic_load(&begun) < count) {
        RCS_EQUAL(recourse_runner_step(runner, 1), 0);
    }
}

static void test_cancelled_while_blocking(void)
{
    static struct recourse_call_request calls[3];
    struct recourse_turn *turn;

    open_function(block, true, 0, 3, 8);
    atomic_store(&hold, true);
    turn = start_calls("f", 3, calls);
    until_begun(3);
    recourse_run_cancel(run);
    finish(turn);
    for (size_t i = 0; i < 3; i++) {
        RCS_EQUAL(recourse_turn_result(turn, i)->event, RECOURSE_EVENT_CANCELLED);
        RCS_EQUAL(recourse_turn_result(turn, i)->effect, RECOURSE_EFFECT_UNKNOWN);
    }
    recourse_runner_free(runner);
    recourse_port_free(port); /* joins its threads: they have all been told */
    RCS_EQUAL(atomic_load(&at_once), 0);
}

/* The runner goes first, the functions later, the port last. */
static void test_runner_goes_while_they_run(void)
{
    static const unsigned limits[] = {0, 3};
    static struct recourse_call_request calls[5];

    for (size_t i = 0; i < RCS_COUNT(limits); i++) {
        open_function(block, true, limits[i], 3, 8);
        atomic_store(&hold, true);
        (void)start_calls("f", 5, calls);
        until_begun(3);
        recourse_runner_free(runner);
        recourse_port_free(port);
        CU_ASSERT_TRUE(atomic_load(&begun) <= 5); /* those that had a thread, or came to have one meanwhile */
        RCS_EQUAL(atomic_load(&at_once), 0);
        RCS_EQUAL(results, 0);
    }
}

/* ---- a host's own submit ---- */

struct work {
    void (*run)(void *user);
    void *user;
};

static pthread_t host_threads[16];
static size_t host_count;

static void *run_work(void *user)
{
    struct work work = *(struct work *)user;

    free(user);
    work.run(work.user);
    return NULL;
}

static int host_submit(void *self, void (*work)(void *user), void *user)
{
    struct work *copy = malloc(sizeof *copy);

    CU_ASSERT_PTR_EQUAL(self, port->self);
    if (copy == NULL || host_count == RCS_COUNT(host_threads)) {
        free(copy);
        return RECOURSE_E_AGAIN;
    }
    *copy = (struct work){work, user};
    RCS_EQUAL(pthread_create(&host_threads[host_count++], NULL, run_work, copy), 0);
    return 0;
}

static void test_on_a_hosts_threads(void)
{
    static struct recourse_call_request calls[10];
    struct recourse_turn *turn;

    host_count = 0;
    open_function(block, true, 0, 1, 1);
    port->submit = host_submit;
    turn = start_calls("f", 10, calls);
    finish(turn);
    RCS_EQUAL(successes(turn), 10);
    RCS_EQUAL(host_count, 10);
    recourse_runner_free(runner);
    recourse_port_free(port);
    while (host_count > 0) {
        pthread_join(host_threads[--host_count], NULL);
    }
}

/* ---- completing from any thread ---- */

#define LATER 500u

static struct recourse_invocation *later[LATER];
static atomic_uint later_count;
static atomic_uint taken;

static void hand_over(void *user, struct recourse_invocation *invocation)
{
    unsigned at = atomic_load(&later_count);

    (void)user;
    later[at] = invocation;
    atomic_store(&later_count, at + 1); /* one writer: the runner's thread */
}

/* One of several: takes what there is until all were answered. */
static void *complete_some(void *user)
{
    (void)user;
    for (;;) {
        unsigned at = atomic_load(&taken);

        if (at == LATER) {
            return NULL;
        }
        if (at < atomic_load(&later_count) && atomic_compare_exchange_strong(&taken, &at, at + 1)) {
            (void)recourse_invocation_time_left_ms(later[at]);
            complete(later[at], RECOURSE_ANSWER_OK, recourse_invocation_cancelled(later[at]) ? "cancelled" : "done");
        }
    }
}

static void test_from_any_thread(void)
{
    static struct recourse_call_request calls[LATER];
    struct recourse_turn *turn;
    pthread_t threads[4];

    for (unsigned round = 0; round < 2; round++) {
        open_function(hand_over, false, round == 0 ? 0 : 7, 1, 1);
        atomic_store(&later_count, 0);
        atomic_store(&taken, 0);
        for (size_t i = 0; i < RCS_COUNT(threads); i++) {
            RCS_EQUAL(pthread_create(&threads[i], NULL, complete_some, NULL), 0);
        }
        turn = start_calls("f", LATER, calls);
        finish(turn);
        RCS_EQUAL(successes(turn), LATER);
        for (size_t i = 0; i < RCS_COUNT(threads); i++) {
            pthread_join(threads[i], NULL);
        }
        recourse_runner_free(runner);
        recourse_port_free(port);
    }
}

/* ---- approvals from other threads ---- */

static struct {
    struct recourse_runner *runner;
    uint64_t number;
    uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE];
} questions[64];
static atomic_uint question_count;
static atomic_uint counted;

static int ask(void *user, struct recourse_approval_request *request)
{
    unsigned at = atomic_load(&question_count);

    (void)user;
    questions[at].runner = runner;
    questions[at].number = request->approval;
    memcpy(questions[at].digest, request->digest, sizeof request->digest);
    atomic_store(&question_count, at + 1);
    return RECOURSE_APPROVE_LATER;
}

/* All of them answer all questions; each counts once. */
static void *answer_all(void *user)
{
    (void)user;
    for (unsigned i = 0; i < RCS_COUNT(questions);) {
        if (i < atomic_load(&question_count)) {
            counted += recourse_call_approve(questions[i].runner, questions[i].number, questions[i].digest, true);
            i++;
        }
    }
    return NULL;
}

static void answer_at_once(void *user, struct recourse_invocation *invocation)
{
    (void)user;
    complete(invocation, RECOURSE_ANSWER_OK, "done");
}

static void test_approvals_from_any_thread(void)
{
    static struct recourse_call_request calls[RCS_COUNT(questions)];
    struct recourse_port_options port_options = {.size = sizeof port_options};
    struct recourse_runner_options options = {.size = sizeof options, .approve = ask,
                                              .approval_mode = RECOURSE_APPROVE_ALWAYS,
                                              .policy = recourse_policy_builtin("lightspeed")};
    struct recourse_tool tool = {.size = sizeof tool, .name = "f", .kind = RECOURSE_TOOL_FUNCTION,
                                 .function = answer_at_once};
    struct recourse_turn *turn;
    pthread_t threads[4];

    RCS_EQUAL(recourse_port_new(&port_options, &port, NULL), 0);
    options.port = port;
    RCS_EQUAL(recourse_runner_new(&options, &runner, NULL), 0);
    RCS_EQUAL(recourse_runner_add_tool(runner, &tool, NULL), 0);
    RCS_EQUAL(recourse_run_new(runner, &run), 0);
    for (size_t i = 0; i < RCS_COUNT(threads); i++) {
        RCS_EQUAL(pthread_create(&threads[i], NULL, answer_all, NULL), 0);
    }
    turn = start_calls("f", RCS_COUNT(questions), calls);
    finish(turn);
    for (size_t i = 0; i < RCS_COUNT(threads); i++) {
        pthread_join(threads[i], NULL);
    }
    RCS_EQUAL(successes(turn), RCS_COUNT(questions));
    RCS_EQUAL(atomic_load(&counted), RCS_COUNT(questions));
    recourse_runner_free(runner);
    recourse_port_free(port);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"large replies", test_large_replies},
        {"large outputs", test_large_outputs},
        {"on the port's threads", test_on_the_ports_threads},
        {"too much for the port", test_too_much_for_the_port},
        {"cancelled while blocking", test_cancelled_while_blocking},
        {"runner goes while they run", test_runner_goes_while_they_run},
        {"on a host's threads", test_on_a_hosts_threads},
        {"from any thread", test_from_any_thread},
        {"approvals from any thread", test_approvals_from_any_thread},
    };

    return rcs_unit_main_with_port("bounds", tests, RCS_COUNT(tests));
}
