/*
 * What calls cost that wait between two tries. One of:
 *
 *   waiting memory CALLS   prints bytes=N rss=N: what each call takes while all wait for an hour; on the heap, the bytes of
 *                          its arguments aside (mallinfo2: the allocator's own share included), and of resident memory
 *   waiting timers CALLS   prints early=N late_us=N median_us=N longest_us=N, for waits of 0.5 to 1.5 s: how many ended
 *                          before their time; by how much the runner, asleep when a wait was over, had asked to be woken
 *                          too late at most; and how late the next tries began in all, by median and at most, with the
 *                          system's part and with the time that the loop was busy
 *
 * The tool is a function that fails the first time, so that nothing but the runner is measured.
 */
#include "tests/bench/worker.h"

#include <malloc.h>
#include <recourse/runner.h>
#include <stdbool.h>

#define TURN_CALLS 8u

extern const struct recourse_policy recourse_policy_waiting;

static const char *answer; /* that the tool gives at first: "later" or "soon" */
static uint64_t *wake_us;  /* by call: when its wait ends, and no earlier */
static unsigned waiting;
static unsigned tried_again;
static unsigned early;
static uint64_t late_us;
static uint64_t *lateness_us; /* by second try */
static uint64_t asleep_us;    /* when the loop last began to sleep, and ... */
static uint64_t asked_us;     /* ... when it wanted to be woken */
static struct recourse_port *real;

static uint64_t now_us(void)
{
    return worker_clock_us(CLOCK_MONOTONIC);
}

/* The port of the runner is the real one, but for noting when it sleeps. */
static int poll_noted(void *self, uint64_t timeout_ms)
{
    asleep_us = now_us();
    asked_us = asleep_us + timeout_ms * 1000;
    return real->poll(self, timeout_ms);
}

static void note_second_try(uint64_t due)
{
    uint64_t now = now_us();

    early += now < due;
    lateness_us[tried_again++] = now > due ? now - due : 0;
    if (due >= asleep_us && asked_us > due && asked_us - due > late_us) {
        late_us = asked_us - due;
    }
}

static void fail_first(void *user, struct recourse_invocation *invocation)
{
    struct recourse_completion completion = {.answer = RECOURSE_ANSWER_OK, .content = {"done", 4}};
    unsigned call = (unsigned)strtoul(recourse_invocation_arguments(invocation).data + 6, NULL, 10);

    (void)user;
    if (recourse_invocation_try(invocation) == 1) {
        completion.answer = RECOURSE_ANSWER_ERROR;
        completion.content = (struct recourse_span){answer, strlen(answer)};
    } else {
        note_second_try(wake_us[call]);
    }
    recourse_invocation_complete(invocation, &completion);
}

static void observe(void *user, const struct recourse_observation *seen)
{
    (void)user;
    if (seen->decision->action == RECOURSE_ACTION_WAIT) {
        wake_us[strtoul(seen->call.data + 5, NULL, 10)] = seen->decision->wake_ms * 1000;
        waiting++;
    }
}

static void start_turn(struct recourse_run *run, unsigned first, unsigned count, size_t *argument_bytes)
{
    char ids[TURN_CALLS][16];
    char arguments[TURN_CALLS][32];
    struct recourse_call_request calls[TURN_CALLS];
    struct recourse_turn_options options = {.size = sizeof options, .calls = calls, .call_count = count};
    struct recourse_turn *turn;
    struct recourse_error error;

    for (unsigned i = 0; i < count; i++) {
        int id = snprintf(ids[i], sizeof ids[i], "call_%u", first + i);
        int size = snprintf(arguments[i], sizeof arguments[i], "{\"id\":%u}", first + i);

        calls[i] = (struct recourse_call_request){
            .id = {ids[i], (size_t)id}, .name = {"wait", 4}, .arguments = {arguments[i], (size_t)size}};
        *argument_bytes += (size_t)size;
    }
    if (recourse_turn_start(run, &options, &turn, &error) != 0) {
        worker_fail(error.text);
    }
}

static size_t heap(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

static void step(struct recourse_runner *runner)
{
    if (recourse_runner_step(runner, 1000) != 0) {
        worker_fail("the runner can't go on");
    }
}

static int compare(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a;
    uint64_t second = *(const uint64_t *)b;

    return (first > second) - (first < second);
}

static void measure(struct recourse_runner *runner, bool timers, unsigned count)
{
    struct recourse_run *run;
    size_t argument_bytes = 0;
    size_t before = heap();
    long rss = worker_status_kb("VmRSS");

    if (recourse_run_new(runner, &run) != 0) {
        worker_fail("no run");
    }
    for (unsigned first = 0; first < count; first += TURN_CALLS) {
        start_turn(run, first, count - first < TURN_CALLS ? count - first : TURN_CALLS, &argument_bytes);
    }
    while (waiting < count) {
        step(runner);
    }
    if (!timers) {
        printf("bytes=%zu rss=%ld\n", (heap() - before - argument_bytes) / count,
               (worker_status_kb("VmRSS") - rss) * 1024 / (long)count);
    }
    while (timers && tried_again < count) {
        step(runner);
    }
    if (timers) {
        qsort(lateness_us, count, sizeof *lateness_us, compare);
        printf("early=%u late_us=%" PRIu64 " median_us=%" PRIu64 " longest_us=%" PRIu64 "\n", early, late_us,
               lateness_us[count / 2], lateness_us[count - 1]);
    }
    recourse_run_free(run);
}

static struct recourse_runner *open_runner(struct recourse_port *port, unsigned count)
{
    struct recourse_runner_options options = {.size = sizeof options,
                                              .port = port,
                                              .policy = &recourse_policy_waiting,
                                              .calls_max = count,
                                              .observe = observe};
    struct recourse_tool tool = {.size = sizeof tool,
                                 .name = "wait",
                                 .kind = RECOURSE_TOOL_FUNCTION,
                                 .function = fail_first,
                                 .declared_safe = true};
    struct recourse_runner *runner;
    struct recourse_error error;

    if (recourse_runner_new(&options, &runner, &error) != 0 || recourse_runner_add_tool(runner, &tool, &error) != 0) {
        worker_fail(error.text);
    }
    return runner;
}

int main(int count, char **arguments)
{
    struct recourse_port port;
    struct recourse_runner *runner;
    struct recourse_error error;
    bool timers;
    unsigned calls;

    if (count != 3) {
        worker_fail("usage: waiting memory|timers CALLS");
    }
    timers = strcmp(arguments[1], "timers") == 0;
    calls = (unsigned)strtoul(arguments[2], NULL, 10);
    answer = timers ? "soon" : "later";
    wake_us = calloc(calls, sizeof *wake_us);
    lateness_us = calloc(calls, sizeof *lateness_us);
    if (wake_us == NULL || lateness_us == NULL || recourse_global_init() != 0 || recourse_port_new(NULL, &real, &error) != 0) {
        worker_fail("no port");
    }
    port = *real;
    port.poll = poll_noted;
    runner = open_runner(&port, calls);
    measure(runner, timers, calls);
    recourse_runner_free(runner);
    recourse_port_free(real);
    free(lateness_us);
    free(wake_us);
    return 0;
}
