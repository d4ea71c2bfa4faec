/* Processes that do not want to end, that leave something behind, that are cancelled, or that the system hides from us. */
#include "tests/unit/child.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct child child;

static uint64_t now_ms(void)
{
    return child_port->now_ms(child_port->self);
}

static void end(void)
{
    RCS_EQUAL(child_port->process_end(child_port->self, child.process), true);
}

static void test_deadline(void)
{
    child_open(NULL);
    child_init(&child, "echo some; exec sleep 1000");
    child.request.deadline_ms = now_ms() + 30;
    child.request.grace_ms = LONG_MS;
    child_run(&child);
    RCS_EQUAL(child.result.timed_out, true);
    RCS_EQUAL(child.result.exited, false);
    RCS_EQUAL(child.result.signal, 0);
    RCS_TEXT_EQUAL(child.detail, "timed out");
    CU_ASSERT_TRUE(child.took_ms >= 29 && child.took_ms < LONG_MS);
    child_clear(&child);
    child_close();
}

static void test_one_that_makes_something_of_sigterm(void)
{
    child_open(NULL);
    child_init(&child, "trap 'echo bye; exit 6' TERM; : >$1; while :; do :; done");
    child.request.grace_ms = LONG_MS;
    RCS_EQUAL(child_start(&child), 0);
    child_ready();
    end();
    child_finish(&child);
    RCS_EQUAL(child.result.exited, true);
    RCS_EQUAL(child.result.exit_status, 6);
    RCS_TEXT_EQUAL(child.output, "bye\n");
    child_clear(&child);
    child_close();
}

static void test_one_that_ignores_sigterm(void)
{
    uint64_t asked;

    child_open(NULL);
    child_init(&child, "trap '' TERM; echo $$; : >$1; exec sleep 1000");
    RCS_EQUAL(child_start(&child), 0);
    child_ready();
    asked = now_ms();
    end();
    child_finish(&child);
    CU_ASSERT_TRUE(now_ms() - asked >= GRACE_MS - 1);
    RCS_EQUAL(child.result.signal, SIGKILL);
    RCS_EQUAL(child.result.timed_out, false);
    RCS_EQUAL(kill(child_number(&child), 0), -1);
    RCS_EQUAL(errno, ESRCH);
    child_clear(&child);
    child_close();
}

/* The one in front goes at once; the one behind it ignores the same signal, and holds no output of it. */
static void test_the_whole_tree(void)
{
    int behind;

    child_open(NULL);
    child_init(&child, "sh -c 'trap \"\" TERM; echo $$; : >$1; exec sleep 1000' sh $1 & wait");
    RCS_EQUAL(child_start(&child), 0);
    child_ready();
    end();
    child_finish(&child);
    RCS_EQUAL(child.result.signal, SIGTERM);
    behind = child_number(&child);
    RCS_EQUAL(child_orphan_signal(behind), SIGKILL);
    child_clear(&child);
    child_init(&child, "sh -c 'trap \"\" TERM; echo $$; exec >&- 2>&-; : >$1; exec sleep 1000' sh $1 & wait");
    RCS_EQUAL(child_start(&child), 0);
    child_ready();
    end();
    child_finish(&child);
    RCS_EQUAL(child.result.signal, SIGTERM);
    RCS_EQUAL(child_orphan_signal(child_number(&child)), SIGKILL);
    child_clear(&child);
    child_close();
}

/* It is found all the same, whether or not somebody stays behind in the group. */
static void test_one_that_left_its_group(void)
{
    static const char leave[] = "setpgrp(0, getpgrp(getppid)) or die; open(F, \">$ARGV[0]\"); sleep 1000";
    char script[300];

    child_open(NULL);
    snprintf(script, sizeof script, "exec perl -e '%s' $1", leave);
    child_init(&child, script);
    RCS_EQUAL(child_start(&child), 0);
    child_ready();
    end();
    child_finish(&child);
    RCS_EQUAL(child.result.signal, SIGTERM);
    child_clear(&child);
    snprintf(script, sizeof script, "sleep 1000 & echo $!; exec perl -e '%s' $1", leave);
    child_init(&child, script);
    RCS_EQUAL(child_start(&child), 0);
    child_ready();
    end();
    child_finish(&child);
    RCS_EQUAL(child.result.signal, SIGKILL);
    RCS_EQUAL(child_orphan_signal(child_number(&child)), SIGTERM);
    child_clear(&child);
    child_close();
}

static void test_one_that_writes_without_end(void)
{
    child_open(NULL);
    child_init(&child, "exec yes");
    child.request.output_max = 100000;
    child_run(&child);
    RCS_EQUAL(child.result.too_large, true);
    RCS_EQUAL(child.result.output.size, 0);
    child_clear(&child);
    /* ... whatever it is told: it goes on until it is killed. */
    child_init(&child, "trap '' TERM PIPE; echo head >&2; while :; do echo x; done 2>/dev/null");
    child.request.output_max = 1000;
    child_run(&child);
    RCS_EQUAL(child.result.too_large, true);
    RCS_TEXT_EQUAL(child.errors, "head\n");
    CU_ASSERT_TRUE(child.took_ms >= GRACE_MS - 1);
    child_clear(&child);
    child_init(&child, "trap '' TERM; yes | head -c 5000 >&2; : >$1; exec yes >&2");
    RCS_EQUAL(child_start(&child), 0);
    child_ready();
    end();
    child_finish(&child);
    RCS_EQUAL(child.result.signal, SIGKILL);
    RCS_EQUAL(child.result.errors.size, ERRORS_MAX);
    child_clear(&child);
    child_close();
}

static void test_one_that_closes_its_output_and_lives_on(void)
{
    child_open(NULL);
    child_init(&child, "echo last; exec >&- 2>&-; cat; exit 5");
    child_run(&child);
    RCS_EQUAL(child.result.exited, true);
    RCS_EQUAL(child.result.exit_status, 5);
    RCS_TEXT_EQUAL(child.output, "last\n");
    child_clear(&child);
    child_init(&child, "echo last; exec >&- 2>&-; : >$1; exec sleep 1000");
    RCS_EQUAL(child_start(&child), 0);
    child_ready();
    end();
    child_finish(&child);
    RCS_EQUAL(child.result.signal, SIGTERM);
    RCS_TEXT_EQUAL(child.output, "last\n");
    child_clear(&child);
    child_close();
}

/* What it leaves running holds its output: that is waited for a moment, and left alone. */
static void test_one_that_leaves_something_running(void)
{
    int left;

    child_open(NULL);
    child_init(&child, "sleep 1000 & echo $!; exit 7");
    child_run(&child);
    RCS_EQUAL(child.result.exited, true);
    RCS_EQUAL(child.result.exit_status, 7);
    CU_ASSERT_TRUE(child.took_ms >= 99 && child.took_ms < LONG_MS);
    left = child_number(&child);
    RCS_EQUAL(kill(left, 0), 0);
    RCS_EQUAL(kill(left, SIGTERM), 0);
    RCS_EQUAL(child_orphan_signal(left), SIGTERM);
    child_clear(&child);
    child_close();
}

/* ---- cancelling ---- */

static void until_gone(int number)
{
    while (kill(number, 0) == 0) {
        RCS_EQUAL(child_port->poll(child_port->self, 2), 0);
    }
}

static void test_cancelling(void)
{
    char *text = calloc(1, 1 << 20);
    struct child asked;

    child_open(NULL);
    child_init(&child, "trap '' TERM; echo $$ >$1.number; : >$1; echo never seen; exec sleep 1000");
    child.request.input = (struct recourse_span){text, 1 << 20};
    RCS_EQUAL(child_start(&child), 0);
    child_ready();
    child_init(&asked, "cat $1.number; rm $1.number");
    child_run(&asked);
    RCS_EQUAL(child_port->process_cancel(child_port->self, child.process), true);
    memset(&child.request, 0, sizeof child.request); /* nobody needs it any more */
    free(text);
    until_gone(child_number(&asked));
    RCS_EQUAL(child.done, 0);
    child_clear(&asked);
    child_close();
}

static void end_and_cancel(struct child *one)
{
    RCS_EQUAL(child_port->process_end(child_port->self, one->process), true);
    RCS_EQUAL(child_port->process_cancel(child_port->self, one->process), true);
    if (one->other != NULL) {
        RCS_EQUAL(child_port->process_cancel(child_port->self, one->other->process), true);
    }
}

static void test_from_done(void)
{
    struct child other;

    child_open(NULL);
    child_init(&other, "exec sleep 1000");
    RCS_EQUAL(child_start(&other), 0);
    child_init(&child, "exit 0");
    child.then = end_and_cancel;
    child.other = &other;
    child_run(&child);
    child_clear(&child);
    child_close();
    RCS_EQUAL(other.done, 0);
}

static void test_ending_twice(void)
{
    child_open(NULL);
    child_init(&child, "trap '' TERM; : >$1; exec sleep 1000");
    RCS_EQUAL(child_start(&child), 0);
    child_ready();
    end();
    end();
    child_finish(&child);
    RCS_EQUAL(child.result.signal, SIGKILL);
    child_clear(&child);
    child_close();
}

/* ---- the end of the port ---- */

static void test_the_port_goes(void)
{
    struct child others[3];

    child_open(NULL);
    child_init(&others[0], "exec sleep 1000");
    child_init(&others[1], "trap '' TERM; exec sleep 1000");
    child_init(&others[2], "sleep 1000 & : >$1; exit 0"); /* perhaps gone already */
    child_init(&child, "trap ': >$1; exit' TERM; : >$1; while :; do :; done");
    child.request.grace_ms = LONG_MS;
    RCS_EQUAL(child_start(&child), 0);
    child_ready();
    for (size_t i = 0; i < RCS_COUNT(others); i++) {
        RCS_EQUAL(child_start(&others[i]), 0);
    }
    while (!child_has_file()) {
        continue; /* not polled: nothing is noticed of it */
    }
    child_remove_file();
    RCS_EQUAL(child_port->process_cancel(child_port->self, child.process), true);
    recourse_port_free(child_port);
    CU_ASSERT_TRUE(child_has_file()); /* it had its grace */
    child_remove_file();
    RCS_EQUAL(child.done, 0);
    for (size_t i = 0; i < RCS_COUNT(others); i++) {
        RCS_EQUAL(others[i].done, 0);
    }
    while (waitpid(-1, NULL, 0) > 0) {
        continue; /* the last one's sleep: killed with its group, and left to us */
    }
    RCS_EQUAL(errno, ECHILD);
    child_port = NULL;
    recourse_port_free(NULL);
}

/* ---- a system without pidfd ---- */

/* From now on pidfd_open fails with `number` in this process. */
static bool forbid_pidfd(unsigned number)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | number),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {RCS_COUNT(filter), filter};

    return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Runs in a process of its own: a filter stays for ever. Returns what it says. */
static int apart(int (*test)(void))
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        _exit(test());
    }
    RCS_EQUAL(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int without_pidfd(void)
{
    if (recourse_port_new(NULL, &child_port, NULL) != 0 || child_port->process_start == NULL ||
        !forbid_pidfd(ENOSYS)) {
        return 1;
    }
    recourse_port_free(child_port);
    if (recourse_port_new(NULL, &child_port, NULL) != 0) {
        return 2;
    }
    return child_port->process_start == NULL ? 0 : 3;
}

/* It can't be watched: it is killed rather than forgotten, and that is said. */
static int with_a_pidfd_too_few(void)
{
    if (recourse_port_new(NULL, &child_port, NULL) != 0 || !forbid_pidfd(EMFILE)) {
        return 1;
    }
    child_init(&child, "exec sleep 1000");
    if (child_start(&child) != 0 || child.done != 0) {
        return 2;
    }
    child_finish(&child);
    if (child.result.signal != SIGKILL || child.result.start_error != 0) {
        return 3;
    }
    child_init(&child, "exec sleep 1000");
    if (child_start(&child) != 0 || !child_port->process_cancel(child_port->self, child.process)) {
        return 4;
    }
    recourse_port_free(child_port);
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD && child.done == 0 ? 0 : 5;
}

static void test_without_pidfd(void)
{
    RCS_EQUAL(apart(without_pidfd), 0);
    RCS_EQUAL(apart(with_a_pidfd_too_few), 0);
}

static const struct rcs_test tests[] = {
    {"deadline", test_deadline},
    {"one that makes something of SIGTERM", test_one_that_makes_something_of_sigterm},
    {"one that ignores SIGTERM", test_one_that_ignores_sigterm},
    {"the whole tree", test_the_whole_tree},
    {"one that left its group", test_one_that_left_its_group},
    {"one that writes without end", test_one_that_writes_without_end},
    {"one that closes its output and lives on", test_one_that_closes_its_output_and_lives_on},
    {"one that leaves something running", test_one_that_leaves_something_running},
    {"cancelling", test_cancelling},
    {"from done", test_from_done},
    {"ending twice", test_ending_twice},
    {"the port goes", test_the_port_goes},
    {"without pidfd", test_without_pidfd},
};

int main(void)
{
    return rcs_unit_main("process_end", tests, RCS_COUNT(tests));
}
