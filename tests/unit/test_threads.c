/* Functions on threads: blocking ones; many answers, cancels and approvals at once. Meant for TSan, too. */
#include "tests/unit/run_kit.h"

#include <poll.h>
#include <stdatomic.h>

static struct kit kit;

static void answer_with(struct recourse_invocation *invocation, uint8_t answer, const char *content)
{
    struct recourse_completion completion = {.answer = answer, .content = kit_span(content)};

    recourse_invocation_complete(invocation, &completion);
}

/* ---- blocking ones ---- */

static atomic_uint runs;

static void block(void *user, struct recourse_invocation *invocation)
{
    struct pollfd watched = {.fd = recourse_invocation_cancel_fd(invocation), .events = POLLIN};

    atomic_fetch_add(&runs, 1);
    if (user == NULL) {
        poll(&watched, 1, 20000); /* until it is cancelled */
    }
    answer_with(invocation, recourse_invocation_cancelled(invocation) ? RECOURSE_ANSWER_ERROR : RECOURSE_ANSWER_OK,
                "done");
}

static void open_blocking(void *user)
{
    kit_open(&kit, NULL);
    atomic_store(&runs, 0);
    kit_function(&kit, "f", block, user, true);
}

static void test_blocking(void)
{
    struct recourse_call_request calls[] = {kit_call("a", "f", "{}"), kit_call("b", "f", "{}"),
                                            kit_call("c", "f", "{}")};
    struct recourse_turn *turn;

    open_blocking(&kit);
    kit.sim.real = true;
    turn = kit_start(&kit, calls, 3);
    kit_finish(&kit, turn);
    for (size_t i = 0; i < 3; i++) {
        RCS_TEXT_EQUAL(kit_content(turn, i), "done");
    }
    RCS_EQUAL(atomic_load(&runs), 3);
    kit_close(&kit);
}

static void test_blocking_cancelled(void)
{
    struct recourse_turn *turn;

    open_blocking(NULL);
    kit.sim.real = true;
    turn = kit_start_one(&kit, "f", "{}");
    while (atomic_load(&runs) == 0) {
        (void)!recourse_runner_step(kit.runner, 0);
    }
    recourse_turn_cancel(turn);
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_CANCELLED);
    RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_UNKNOWN);
    kit_close(&kit); /* the runner goes first; then the thread is joined */
}

/* No thread has taken it up yet: it is kept from ever running, and nothing was done. */
static void test_never_begun(void)
{
    struct recourse_turn *turn;

    open_blocking(&kit);
    kit.sim.hold_work = true;
    turn = kit_start_one(&kit, "f", "{}");
    kit_settle(&kit);
    recourse_turn_cancel(turn);
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_NONE);
    RCS_TEXT_EQUAL(kit_text(recourse_turn_result(turn, 0)->detail), "cancelled before anything was sent");
    sim_release_work(&kit.sim);
    RCS_EQUAL(atomic_load(&runs), 0);
    kit.policy.policy.settings.try_timeout_ms = 100;
    turn = kit_start_one(&kit, "f", "{}");
    kit_settle(&kit);
    kit.sim.submit_error = RECOURSE_E_SYSTEM;
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.held_count, 1);
    sim_release_work(&kit.sim);
    RCS_EQUAL(atomic_load(&runs), 0);
    /* the toy's row for a timeout with nothing sent, then for what can't be started, twice */
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A6 B1 A2 B1 A2 E3");
    RCS_TEXT_EQUAL(kit_text(recourse_turn_result(turn, 0)->detail), "the try could not be started");
    kit_close(&kit);
}

/* ---- many threads at once ---- */

#define CROWD 200u

static void *complete_kept(void *user)
{
    struct recourse_invocation *invocation = user;

    (void)recourse_invocation_time_left_ms(invocation);
    (void)recourse_invocation_cancel_fd(invocation);
    answer_with(invocation, RECOURSE_ANSWER_OK, recourse_invocation_cancelled(invocation) ? "cancelled" : "done");
    return NULL;
}

static pthread_t crowd[CROWD];
static size_t crowd_count;

static void hand_to_thread(void *user, struct recourse_invocation *invocation)
{
    (void)user;
    if (crowd_count < CROWD && pthread_create(&crowd[crowd_count], NULL, complete_kept, invocation) == 0) {
        crowd_count++;
        return;
    }
    answer_with(invocation, RECOURSE_ANSWER_ERROR, "no thread");
}

static void *cancel_now(void *user)
{
    recourse_turn_cancel(user);
    return NULL;
}

static void *approve_now(void *user)
{
    static const uint8_t nothing[RECOURSE_APPROVAL_DIGEST_SIZE] = {0};

    for (uint64_t i = 0; i < 100; i++) {
        (void)recourse_call_approve(user, i << 32, nothing, true);
    }
    return NULL;
}

static void join_crowd(void)
{
    while (crowd_count > 0) {
        pthread_join(crowd[--crowd_count], NULL);
    }
}

static void test_crowd(void)
{
    static struct recourse_call_request calls[CROWD];
    static char ids[CROWD][8];
    struct recourse_turn *turn;
    size_t successes = 0;
    pthread_t canceller;
    pthread_t approver;

    kit_open(&kit, NULL);
    kit_function(&kit, "f", hand_to_thread, NULL, false);
    kit.sim.real = true;
    for (size_t i = 0; i < CROWD; i++) {
        snprintf(ids[i], sizeof ids[i], "%zu", i);
        calls[i] = kit_call(ids[i], "f", "{}");
    }
    turn = kit_start(&kit, calls, CROWD);
    kit_finish(&kit, turn);
    for (size_t i = 0; i < CROWD; i++) {
        successes += recourse_turn_result(turn, i)->success;
    }
    RCS_EQUAL(successes, CROWD);
    RCS_EQUAL(kit.results, CROWD);
    join_crowd();
    turn = kit_start(&kit, calls, CROWD);
    RCS_EQUAL(pthread_create(&canceller, NULL, cancel_now, turn), 0);
    RCS_EQUAL(pthread_create(&approver, NULL, approve_now, kit.runner), 0);
    kit_finish(&kit, turn);
    pthread_join(canceller, NULL);
    pthread_join(approver, NULL);
    RCS_EQUAL(kit.results, 2 * CROWD);
    turn = kit_start(&kit, calls, 20); /* the runner goes while they answer */
    (void)!recourse_runner_step(kit.runner, 0);
    kit_close(&kit);
    join_crowd();
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"blocking", test_blocking},
        {"blocking, cancelled", test_blocking_cancelled},
        {"never begun", test_never_begun},
        {"crowd", test_crowd},
    };

    return rcs_unit_main("threads", tests, RCS_COUNT(tests));
}
