/* A host's threads instead of the port's own. */
#include "tests/unit/toy_policy.h"
#include "tests/unit/unit.h"

#include <recourse/runner.h>

#include <pthread.h>

#define STEP_MS 20000 /* ends a test that hangs */

static struct recourse_port *port;
static struct recourse_runner *runner;
static struct recourse_facts seen; /* of the last try that ended; its spans are stale */
static char seen_detail[200];
static char content[64];

struct host {
    pthread_t threads[4];
    unsigned started;
    int code; /* what submit answers, if not 0 */
};

struct piece {
    void (*work)(void *argument);
    void *argument;
};

static void *run_piece(void *user)
{
    struct piece piece = *(struct piece *)user;

    free(user);
    piece.work(piece.argument);
    return NULL;
}

static int submit(void *user, void (*work)(void *argument), void *argument)
{
    struct host *host = user;
    struct piece *piece;

    if (host->code != 0) {
        return host->code;
    }
    piece = malloc(sizeof *piece);
    *piece = (struct piece){work, argument};
    return pthread_create(&host->threads[host->started++], NULL, run_piece, piece);
}

static bool is_one_of(const struct host *host, pthread_t thread)
{
    for (unsigned i = 0; i < host->started; i++) {
        if (pthread_equal(thread, host->threads[i])) {
            return true;
        }
    }
    return false;
}

static void say_its_thread(void *user, struct recourse_invocation *invocation)
{
    struct recourse_completion completion = {.content = {"", 0}};

    *(pthread_t *)user = pthread_self();
    recourse_invocation_complete(invocation, &completion);
}

static void observe(void *user, const struct recourse_observation *observation)
{
    (void)user;
    if (observation->facts != NULL) {
        seen = *observation->facts;
        snprintf(seen_detail, sizeof seen_detail, "%.*s", (int)seen.detail.size, seen.detail.data);
    }
}

static void join(struct host *host)
{
    for (unsigned i = 0; i < host->started; i++) {
        pthread_join(host->threads[i], NULL);
    }
}

/* Runs a blocking function that notes its thread. Returns whether the call succeeded. */
static bool run_on(struct host *host, pthread_t *thread)
{
    static const uint64_t soon_ms[] = {1, 1};
    struct recourse_wait waits[TOY_WAIT_COUNT];
    struct recourse_policy policy = toy_policy;
    struct recourse_port_options port_options = {.size = sizeof port_options, .submit = submit, .submit_user = host};
    struct recourse_runner_options options = {.size = sizeof options, .policy = &policy, .observe = observe};
    struct recourse_tool tool = {.size = sizeof tool, .name = "t", .kind = RECOURSE_TOOL_FUNCTION,
                                 .function = say_its_thread, .blocking = true, .user = thread};
    struct recourse_call_request call = {.id = {"c", 1}, .name = {"t", 1}, .arguments = {"{}", 2}};
    struct recourse_turn_options turn_options = {.size = sizeof turn_options, .calls = &call, .call_count = 1};
    struct recourse_run *conversation;
    struct recourse_turn *turn;
    bool success;

    memcpy(waits, toy_policy.waits, sizeof waits);
    waits[TOY_SHORT].delays_ms = soon_ms;
    policy.waits = waits;
    RCS_EQUAL(recourse_port_new(&port_options, &port, NULL), 0);
    options.port = port;
    RCS_EQUAL(recourse_runner_new(&options, &runner, NULL), 0);
    RCS_EQUAL(recourse_runner_add_tool(runner, &tool, NULL), 0);
    RCS_EQUAL(recourse_run_new(runner, &conversation), 0);
    RCS_EQUAL(recourse_turn_start(conversation, &turn_options, &turn, NULL), 0);
    while (!recourse_turn_done(turn)) {
        RCS_EQUAL(recourse_runner_step(runner, STEP_MS), 0);
    }
    success = recourse_turn_result(turn, 0)->success;
    join(host);
    recourse_runner_free(runner);
    recourse_port_free(port);
    return success;
}

static void test_work_runs_on_them(void)
{
    struct host host = {.started = 0};
    pthread_t thread = pthread_self();

    RCS_EQUAL(run_on(&host, &thread), true);
    RCS_EQUAL(host.started, 1);
    CU_ASSERT_TRUE(is_one_of(&host, thread));
}

static void test_a_host_that_takes_no_more(void)
{
    static const struct {
        int code;
        const char *detail;
    } cases[] = {
        {RECOURSE_E_AGAIN, "the try could not be started: too much is waiting already"},
        {RECOURSE_E_LIMIT, "the try could not be started"}, /* what a port never answers */
        {7, "the try could not be started"},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct host host = {.code = cases[i].code};
        pthread_t thread = pthread_self();

        RCS_EQUAL(run_on(&host, &thread), false);
        CU_ASSERT_TRUE(pthread_equal(thread, pthread_self()));
        RCS_EQUAL(seen.spawn, true);
        RCS_EQUAL(seen.unsent, true);
        RCS_TEXT_EQUAL(seen_detail, cases[i].detail);
    }
}

static void note(void *user)
{
    snprintf(content, sizeof content, "%s", (const char *)user);
}

/* The port goes first: it waits for nobody, and nobody touches it. */
static void test_work_outlives_the_port(void)
{
    struct host host = {.started = 0};
    struct recourse_port_options options = {.size = sizeof options, .submit = submit, .submit_user = &host};
    char word[] = "done";

    content[0] = '\0';
    RCS_EQUAL(recourse_port_new(&options, &port, NULL), 0);
    RCS_EQUAL(port->submit(port->self, note, word), 0);
    recourse_port_free(port);
    join(&host);
    RCS_TEXT_EQUAL(content, "done");
}

static const struct rcs_test tests[] = {
    {"work runs on them", test_work_runs_on_them},
    {"a host that takes no more", test_a_host_that_takes_no_more},
    {"work outlives the port", test_work_outlives_the_port},
};

int main(void)
{
    return rcs_unit_main("host_threads", tests, RCS_COUNT(tests));
}
