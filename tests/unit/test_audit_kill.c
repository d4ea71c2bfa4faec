/*
 * Writers that are killed at any moment, several at once: SIGKILL comes from a timer of the system, so many microseconds after the
 * writer was started, whatever it does then. What is left is gone on with, by the next writer (which may be killed as it does
 * so) or by us; it verifies, and each time that the tool was touched, which it tells through a pipe, has its attempt in it.
 * KILLS (300): how many; SEED (1).
 */
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <recourse/runner.h>

#include "tests/sim/random.h"
#include "tests/unit/audit_touch.h"
#include "tests/unit/policy_load.h"
#include "tests/unit/sim_port.h"

#define WRITERS 4u
#define KILLS_OF_A_LOG 8u
#define TURNS 12u
#define TURN_CALLS 3u

static struct rcs_loaded_policy policy;
static struct rcs_arena scratch;
static struct rcs_judge judge;
static struct sim_random dice;
static char *directory;
static unsigned kills = 300;
static unsigned killed;
static unsigned checked;
static size_t touched;
static uint64_t whole_us; /* what a writer takes that nobody kills */

struct writer {
    pid_t pid; /* 0: none */
    int pipe;
    unsigned logs;
    unsigned kills; /* of this log */
    unsigned openings;
    uint8_t sync;
    char folder[300];
    struct touches touches;
};

static struct writer writers[WRITERS];

/* ---- the writer, a process of its own ---- */

static int mark_pipe;

/* Touched: whoever reads the pipe knows of it. Every third call finds nobody there on its first try. */
static void touch_tool(void *user, struct recourse_invocation *invocation)
{
    static const struct recourse_facts refused = {.network = RECOURSE_NETWORK_REFUSED};
    struct recourse_span id = recourse_invocation_call_id(invocation);
    struct recourse_completion completion = {.answer = RECOURSE_ANSWER_OK, .content = {"fine", 4}};
    struct touch touch = {.number = recourse_invocation_try(invocation)};

    (void)user;
    snprintf(touch.id, sizeof touch.id, "%.*s", (int)id.size, id.data);
    if (write(mark_pipe, &touch, sizeof touch) != (ssize_t)sizeof touch) {
        _exit(3);
    }
    if (touch.number == 1 && id.data[id.size - 1] == '2') {
        completion = (struct recourse_completion){.answer = RECOURSE_ANSWER_FACTS, .facts = &refused};
    }
    recourse_invocation_complete(invocation, &completion);
}

static void run_turn(struct recourse_runner *runner, struct recourse_run *run, unsigned opening, unsigned number)
{
    static const struct recourse_span names[TURN_CALLS] = {{"here", 4}, {"there", 5}, {"there", 5}};
    struct recourse_call_request calls[TURN_CALLS];
    struct recourse_turn_options options = {.size = sizeof options, .calls = calls, .call_count = TURN_CALLS};
    struct recourse_turn *turn;
    char ids[TURN_CALLS][24];

    for (unsigned i = 0; i < TURN_CALLS; i++) {
        int size = snprintf(ids[i], sizeof ids[i], "%u-%u-%u", opening % 1000, number, i);

        calls[i] = (struct recourse_call_request){.id = {ids[i], (size_t)size}, .name = names[i], .arguments = {"{}", 2}};
    }
    if (recourse_turn_start(run, &options, &turn, NULL) != 0) {
        _exit(3);
    }
    while (!recourse_turn_done(turn)) {
        if (recourse_runner_step(runner, 1000) != 0) {
            _exit(3);
        }
    }
    recourse_turn_free(turn);
}

static void write_log(const struct writer *writer, uint64_t segment_max)
{
    char path[320];
    char disclosure[320];
    struct recourse_port_options port_options = {.size = sizeof port_options};
    struct recourse_audit_options log = {.size = sizeof log, .policy = policy.policy, .path = path, .sync = writer->sync,
                                         .segment_max = segment_max, .disclosure = disclosure, .capture = true};
    struct recourse_runner_options options = {.size = sizeof options, .policy = policy.policy};
    struct recourse_tool tool = {.size = sizeof tool, .kind = RECOURSE_TOOL_FUNCTION, .function = touch_tool};
    struct recourse_runner *runner;
    struct recourse_run *run;

    snprintf(path, sizeof path, "%s/log", writer->folder);
    snprintf(disclosure, sizeof disclosure, "%s/disclosed", writer->folder);
    if (recourse_port_new(&port_options, &log.port, NULL) != 0 || recourse_audit_open(&log, &options.audit, NULL) != 0) {
        _exit(2);
    }
    options.port = log.port;
    if (recourse_runner_new(&options, &runner, NULL) != 0 || recourse_run_new(runner, &run) != 0) {
        _exit(3);
    }
    for (unsigned i = 0; i < 2; i++) {
        tool.name = i == 0 ? "here" : "there";
        tool.blocking = i == 1; /* on a thread */
        if (recourse_runner_add_tool(runner, &tool, NULL) != 0) {
            _exit(3);
        }
    }
    for (unsigned i = 0; i < TURNS; i++) {
        run_turn(runner, run, writer->openings, i);
    }
    recourse_runner_free(runner);
    _exit(recourse_audit_close(options.audit, NULL) == 0 ? 0 : 3);
}

static void kill_after(uint64_t after_us)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value = {(time_t)(after_us / 1000000), (long)(after_us % 1000000) * 1000 + 1}};
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &when, NULL) != 0) {
        _exit(3);
    }
}

/* ---- those who look at what is left ---- */

static void begin_log(struct writer *writer)
{
    snprintf(writer->folder, sizeof writer->folder, "%s/%u.%u", directory, (unsigned)(writer - writers), ++writer->logs);
    CU_ASSERT_TRUE_FATAL(mkdir(writer->folder, 0700) == 0);
    writer->kills = 0;
    writer->touches.count = 0;
    writer->sync = (uint8_t)sim_below(&dice, RECOURSE_AUDIT_SYNC_COUNT);
}

static void start(struct writer *writer, bool is_killed)
{
    uint64_t after_us = sim_below(&dice, (uint32_t)whole_us + 1);
    uint64_t segment_max = sim_between(&dice, 3000, 100000);
    int ends[2];

    CU_ASSERT_TRUE_FATAL(pipe2(ends, O_CLOEXEC) == 0);
    writer->openings++;
    writer->pid = fork();
    CU_ASSERT_TRUE_FATAL(writer->pid >= 0);
    if (writer->pid == 0) {
        mark_pipe = ends[1];
        if (is_killed) {
            kill_after(after_us);
        }
        write_log(writer, segment_max);
    }
    close(ends[1]);
    writer->pipe = ends[0];
}

static void take_touches(struct writer *writer)
{
    struct touches *touches = &writer->touches;

    while (read(writer->pipe, &touches->items[touches->count], sizeof touches->items[0]) == (ssize_t)sizeof touches->items[0]) {
        touches->count++;
        CU_ASSERT_TRUE_FATAL(touches->count < TOUCHES_MAX);
    }
    close(writer->pipe);
}

static void check_disclosure(const struct writer *writer)
{
    struct rcs_arena arena = {0};
    struct rcs_disclosure disclosure;
    struct recourse_span text;
    const char *why = NULL;
    size_t line;
    char path[320];

    snprintf(path, sizeof path, "%s/disclosed", writer->folder);
    text.data = rcs_file_read(&arena, path, &text.size, &why);
    if (text.data != NULL) { /* or nobody has come so far */
        CU_ASSERT_TRUE(rcs_disclosure_read(&disclosure, text, &line));
        rcs_disclosure_clear(&disclosure);
    }
    rcs_arena_clear(&arena);
}

static void check_log(struct writer *writer)
{
    static struct sim sim;
    char path[320];
    struct recourse_audit_options options = {.size = sizeof options, .port = &sim.port, .policy = policy.policy, .path = path,
                                             .sync = RECOURSE_AUDIT_NONE};
    struct recourse_audit *audit = NULL;
    struct recourse_error error = {RECOURSE_OK, ""};
    struct rcs_verdict verdict;

    sim_init(&sim, 1000);
    sim.random = UINT64_MAX / 2 + ++checked * 1000; /* the name of a writer that no other one has */
    snprintf(path, sizeof path, "%s/log", writer->folder);
    RCS_EQUAL(recourse_audit_open(&options, &audit, &error), 0);
    RCS_TEXT_EQUAL(error.text, "");
    RCS_EQUAL(audit != NULL ? recourse_audit_close(audit, NULL) : -1, 0);
    RCS_EQUAL(look_for_touches(&writer->touches, writer->folder, &judge, &verdict), 0);
    RCS_TEXT_EQUAL(verdict.broken.what, "");
    RCS_TEXT_EQUAL(verdict.divergence.what, "");
    CU_ASSERT_TRUE(verdict.grade >= RCS_GRADE_CONFORMANT || verdict.grade == RCS_GRADE_EMPTY);
    check_disclosure(writer);
    sim_clear(&sim);
}

static void ended(struct writer *writer, int status)
{
    bool is_over;

    writer->pid = 0;
    if (WIFSIGNALED(status)) {
        RCS_EQUAL(WTERMSIG(status), SIGKILL);
        killed++;
        writer->kills++;
    } else {
        RCS_EQUAL(WEXITSTATUS(status), 0);
    }
    take_touches(writer);
    is_over = writer->kills >= KILLS_OF_A_LOG || killed >= kills;
    if (is_over || sim_chance(&dice, 500)) { /* or else the next one finds it as it is */
        check_log(writer);
    }
    if (is_over) {
        touched += writer->touches.count;
        rcs_scratch_remove(&scratch, writer->folder);
        begin_log(writer);
    }
}

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* How long a writer takes, so that moments are drawn from all of it. */
static void test_whole(void)
{
    char *text = rcs_policy_text(&scratch, RCS_PLAIN);
    char *wait = strstr(text, "| 1s |");
    uint64_t begin = now_us();
    int status;

    CU_ASSERT_TRUE_FATAL(wait != NULL);
    memcpy(wait, "|0ms |", 6);
    CU_ASSERT_TRUE_FATAL(rcs_load_policy(&policy, "plain.policy.md", text));
    rcs_judge_init(&judge, &policy.arena, policy.loaded.spec);
    begin_log(&writers[0]);
    writers[0].sync = RECOURSE_AUDIT_BEFORE_EFFECT;
    start(&writers[0], false);
    RCS_EQUAL(waitpid(writers[0].pid, &status, 0), writers[0].pid);
    whole_us = now_us() - begin;
    ended(&writers[0], status);
    RCS_EQUAL(writers[0].touches.count, TURNS * 4);
    check_log(&writers[0]);
}

static void test_killed(void)
{
    for (unsigned i = 1; i < WRITERS; i++) {
        begin_log(&writers[i]);
    }
    while (killed < kills && CU_get_number_of_failures() == 0) {
        int status;
        pid_t pid;

        for (unsigned i = 0; i < WRITERS; i++) {
            if (writers[i].pid == 0) {
                start(&writers[i], true);
            }
        }
        pid = waitpid(-1, &status, 0);
        for (unsigned i = 0; i < WRITERS; i++) {
            if (writers[i].pid == pid) {
                ended(&writers[i], status);
            }
        }
    }
    printf("%u writers killed, logs verified %u times, %zu tries had touched the tool\n", killed, checked, touched);
    CU_ASSERT_TRUE(touched > killed);
}

int main(void)
{
    static const struct rcs_test tests[] = {{"whole", test_whole}, {"killed", test_killed}};
    const char *seed = getenv("SEED");
    int status;

    dice.state = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    kills = getenv("KILLS") != NULL ? (unsigned)atoi(getenv("KILLS")) : kills;
    printf("SEED=%llu KILLS=%u\n", (unsigned long long)dice.state, kills);
    fflush(stdout);
    directory = rcs_scratch(&scratch);
    status = rcs_unit_main("audit_kill", tests, RCS_COUNT(tests));
    for (unsigned i = 0; i < WRITERS; i++) {
        if (writers[i].pid > 0) {
            kill(writers[i].pid, SIGKILL);
            waitpid(writers[i].pid, NULL, 0);
        }
        rcs_scratch_remove(&scratch, writers[i].folder);
    }
    rcs_scratch_remove(&scratch, directory);
    rcs_clear_policy(&policy);
    rcs_arena_clear(&scratch);
    return status;
}
