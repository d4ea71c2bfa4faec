/* Processes: what they are given, what they give back, what they and the host do not notice of each other. */
#include "tests/unit/child.h"
#include "tests/unit/purse.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEBIBYTE (1u << 20)

static struct child child;

static void expect_exit(int status)
{
    RCS_EQUAL(child.result.start_error, 0);
    RCS_EQUAL(child.result.exited, true);
    RCS_EQUAL(child.result.exit_status, status);
    RCS_EQUAL(child.result.signal, 0);
    RCS_EQUAL(child.result.timed_out, false);
    RCS_EQUAL(child.result.too_large, false);
    RCS_TEXT_EQUAL(child.detail, "");
}

/* Runs a script on a port of its own that exits with 0; its output is left in `child`. */
static void run(const char *script)
{
    child_init(&child, script);
    child_run(&child);
    expect_exit(0);
}

static char *filled(size_t size)
{
    char *text = malloc(size + 1);

    for (size_t i = 0; text != NULL && i < size; i++) {
        text[i] = (char)('a' + i % 23);
    }
    return text;
}

static void test_in_and_out(void)
{
    char *text = filled(MEBIBYTE);

    child_open(NULL);
    child_init(&child, "cat; echo aside >&2; exit 3");
    child.request.input = (struct recourse_span){text, MEBIBYTE};
    child_run(&child);
    expect_exit(3);
    RCS_EQUAL(child.result.sent, true);
    RCS_EQUAL(child.result.output.size, MEBIBYTE);
    RCS_EQUAL(memcmp(child.output, text, MEBIBYTE), 0);
    RCS_TEXT_EQUAL(child.errors, "aside\n");
    child_clear(&child);
    free(text);
    child_close();
}

static void test_nothing_in(void)
{
    child_open(NULL);
    run("cat; echo end");
    RCS_EQUAL(child.result.sent, false);
    RCS_TEXT_EQUAL(child.output, "end\n");
    RCS_TEXT_EQUAL(child.errors, "");
    child_clear(&child);
    child_close();
}

/* SIGPIPE has its default disposition here: it would end this very program. */
static void test_input_that_nobody_reads(void)
{
    char *text = filled(MEBIBYTE);
    struct sigaction now;

    sigaction(SIGPIPE, NULL, &now);
    CU_ASSERT_TRUE(now.sa_handler == SIG_DFL);
    child_open(NULL);
    child_init(&child, "exec <&-; echo done");
    child.request.input = (struct recourse_span){text, MEBIBYTE};
    child_run(&child);
    expect_exit(0);
    RCS_TEXT_EQUAL(child.output, "done\n");
    child_clear(&child);
    /* It reads a little, and lives on. */
    child_init(&child, "head -c 3; exec <&-; : >$1; exec sleep 1000");
    child.request.input = (struct recourse_span){text, MEBIBYTE};
    RCS_EQUAL(child_start(&child), 0);
    child_ready();
    RCS_EQUAL(child_port->process_end(child_port->self, child.process), true);
    child_finish(&child);
    RCS_EQUAL(child.result.signal, SIGTERM);
    RCS_EQUAL(child.result.sent, true);
    RCS_TEXT_EQUAL(child.output, "abc");
    child_clear(&child);
    free(text);
    child_close();
}

static void test_end_by_a_signal(void)
{
    child_open(NULL);
    child_init(&child, "echo out; echo err >&2; kill -9 $$");
    child_run(&child);
    RCS_EQUAL(child.result.exited, false);
    RCS_EQUAL(child.result.signal, SIGKILL);
    RCS_EQUAL(child.result.timed_out, false);
    RCS_TEXT_EQUAL(child.output, "out\n");
    RCS_TEXT_EQUAL(child.errors, "err\n");
    RCS_TEXT_EQUAL(child.detail, "ended by signal 9");
    child_clear(&child);
    child_close();
}

static void expect_no_start(int number, const char *detail)
{
    RCS_EQUAL(child_start(&child), 0);
    RCS_EQUAL(child.done, 0);
    child_finish(&child);
    RCS_EQUAL(child.result.start_error, number);
    RCS_EQUAL(child.result.exited, false);
    RCS_EQUAL(child.result.signal, 0);
    RCS_EQUAL(child.result.sent, false);
    RCS_EQUAL(child.result.output.size, 0);
    RCS_TEXT_EQUAL(child.detail, detail);
    child_clear(&child);
}

static void test_no_start(void)
{
    static char long_word[3 * MEBIBYTE];

    child_open(NULL);
    child_init(&child, "");
    child.request.input = (struct recourse_span){"{}", 2};
    child.words[0] = "/no/such/program";
    expect_no_start(ENOENT, "can't start /no/such/program: No such file or directory");
    child_init(&child, "");
    child.words[0] = "recourse-no-such-program";
    expect_no_start(ENOENT, "can't start recourse-no-such-program: No such file or directory");
    child_init(&child, "");
    child.words[0] = "/etc/passwd";
    expect_no_start(EACCES, "can't start /etc/passwd: Permission denied");
    child_init(&child, "");
    child.request.directory = "/no/such/place";
    expect_no_start(ENOENT, "can't enter /no/such/place: No such file or directory");
    child_init(&child, "");
    child.words[0] = "/s3cret";
    child.request.shown_program = "/${KEY}";
    expect_no_start(ENOENT, "can't start /${KEY}: No such file or directory");
    child_init(&child, "");
    child.request.directory = "/s3cret";
    child.request.shown_directory = "/${KEY}";
    expect_no_start(ENOENT, "can't enter /${KEY}: No such file or directory");
    memset(long_word, 'x', sizeof long_word - 1);
    child_init(&child, "");
    child.words[2] = long_word;
    expect_no_start(E2BIG, "can't start sh: Argument list too long");
    /* Nobody waits for the news any more. */
    child_init(&child, "");
    child.words[0] = "/no/such/program";
    RCS_EQUAL(child_start(&child), 0);
    RCS_EQUAL(child_port->process_end(child_port->self, child.process), false);
    RCS_EQUAL(child_start(&child), 0);
    RCS_EQUAL(child_port->process_cancel(child_port->self, child.process), false);
    RCS_EQUAL(child_start(&child), 0);
    child_close();
    RCS_EQUAL(child.done, 0);
}

static void test_requests_that_are_refused(void)
{
    static const char *const wrong[][2] = {{"=x", NULL}, {"x", NULL}, {"", NULL}};

    child_open(NULL);
    child_init(&child, "");
    child.request.arguments = NULL;
    RCS_EQUAL(child_start(&child), RECOURSE_E_ARGUMENT);
    child_init(&child, "");
    child.words[0] = NULL;
    RCS_EQUAL(child_start(&child), RECOURSE_E_ARGUMENT);
    child.words[0] = "";
    RCS_EQUAL(child_start(&child), RECOURSE_E_ARGUMENT);
    child_init(&child, "");
    child.request.directory = "";
    RCS_EQUAL(child_start(&child), RECOURSE_E_ARGUMENT);
    child_init(&child, "");
    for (size_t i = 0; i < RCS_COUNT(wrong); i++) {
        child.request.environment = wrong[i];
        RCS_EQUAL(child_start(&child), RECOURSE_E_ARGUMENT);
    }
    child_close();
}

static void test_environment_and_directory(void)
{
    static const char *const names[] = {"RCS_A=first", "RCS_B=", "RCS_OURS=theirs", "RCS_A=last=1", NULL};

    RCS_EQUAL(setenv("RCS_OURS", "ours", 1), 0);
    RCS_EQUAL(setenv("RCS_OURS_TOO", "ours", 1), 0);
    child_open(NULL);
    run("env | grep ^RCS_ | sort");
    RCS_TEXT_EQUAL(child.output, "RCS_OURS=ours\nRCS_OURS_TOO=ours\n");
    child_clear(&child);
    child_init(&child, "env | grep ^RCS_ | sort; pwd");
    child.request.environment = names;
    child.request.directory = "/usr/..";
    child_run(&child);
    expect_exit(0);
    RCS_TEXT_EQUAL(child.output, "RCS_A=last=1\nRCS_B=\nRCS_OURS=theirs\nRCS_OURS_TOO=ours\n/\n");
    child_clear(&child);
    /* The program's own path counts from there. */
    child_init(&child, "echo here");
    child.words[0] = "./sh";
    child.request.directory = "/bin";
    child_run(&child);
    expect_exit(0);
    RCS_TEXT_EQUAL(child.output, "here\n");
    child_clear(&child);
    child_close();
    unsetenv("RCS_OURS");
    unsetenv("RCS_OURS_TOO");
}

static void test_bounds(void)
{
    child_open(NULL);
    child_init(&child, "printf 12345");
    child.request.output_max = 5;
    child_run(&child);
    expect_exit(0);
    RCS_TEXT_EQUAL(child.output, "12345");
    child_clear(&child);
    child_init(&child, "printf 12345; echo why >&2");
    child.request.output_max = 4;
    child_run(&child);
    RCS_EQUAL(child.result.too_large, true);
    RCS_EQUAL(child.result.exited, false);
    RCS_EQUAL(child.result.output.size, 0);
    RCS_TEXT_EQUAL(child.detail, "the output is too large");
    child_clear(&child);
    /* Of standard error the head is kept; the rest goes nowhere, and nobody waits for it. */
    child_init(&child, "echo head >&2; head -c 3000000 /dev/zero | tr '\\0' x >&2; echo end");
    child_run(&child);
    expect_exit(0);
    RCS_EQUAL(child.result.errors.size, ERRORS_MAX);
    RCS_EQUAL(strncmp(child.errors, "head\nxxx", 8), 0);
    RCS_TEXT_EQUAL(child.output, "end\n");
    child_clear(&child);
    child_init(&child, "echo nothing >&2");
    child.request.errors_max = 0;
    child.request.output_max = 0;
    child_run(&child);
    expect_exit(0);
    RCS_EQUAL(child.result.errors.size, 0);
    child_clear(&child);
    child_close();
}

static size_t granted;

/* Room for so many bytes, all in all. */
static size_t room;
static unsigned refusals;

static bool keep(void *user, size_t size)
{
    CU_ASSERT_PTR_EQUAL(user, &child);
    if (size > room - granted) {
        refusals++;
        return false;
    }
    granted += size;
    return true;
}

static void run_with_room(const char *script, size_t bytes)
{
    child_init(&child, script);
    child.request.keep = keep;
    granted = 0;
    refusals = 0;
    room = bytes;
    RCS_EQUAL(child_start(&child), 0);
    while (child.done == 0 && refusals == 0) {
        RCS_EQUAL(child_port->poll(child_port->self, RECOURSE_FOREVER), 0);
    }
}

static void resume_with_room(size_t bytes)
{
    room = bytes;
    child_port->process_resume(child_port->self, child.process);
}

/* It is read on when there is room, whether it runs or has gone meanwhile, and nothing of it is lost. */
static void test_waits_for_room(void)
{
    static const struct {
        const char *script;
        size_t output;
        const char *errors;
        bool goes; /* by itself, while nobody reads */
    } cases[] = {
        {"printf 1234567890 >&2; exec head -c 90 /dev/zero", 90, "1234567890", true},
        {"exec head -c 90000 /dev/zero", 90000, "", false},
        {"head -c 90000 /dev/zero; echo late >&2", 90000, "late\n", false},
        {"echo only >&2", 0, "only\n", true},
    };

    siginfo_t gone;

    child_open(NULL);
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        run_with_room(cases[i].script, 0);
        RCS_EQUAL(child.done, 0);
        if (cases[i].goes) {
            RCS_EQUAL(waitid(P_ALL, 0, &gone, WEXITED | WNOWAIT), 0);
            RCS_EQUAL(child_port->poll(child_port->self, 0), 0);
            RCS_EQUAL(child.done, 0);
        }
        while (child.done == 0) {
            resume_with_room(room + 20000);
            RCS_EQUAL(child_port->poll(child_port->self, RECOURSE_FOREVER), 0);
        }
        expect_exit(0);
        RCS_EQUAL(child.result.output.size, cases[i].output);
        RCS_TEXT_EQUAL(child.errors, cases[i].errors);
        child_clear(&child);
    }
    child_close();
}

/* One that waits is ended as any other; what it would still say is dropped. */
static void test_ended_while_it_waits(void)
{
    child_open(NULL);
    run_with_room("exec yes", 0);
    child_port->process_end(child_port->self, child.process);
    child_finish(&child);
    RCS_EQUAL(child.result.signal, SIGTERM);
    RCS_EQUAL(child.result.output.size, 0);
    RCS_EQUAL(refusals, 1);
    child_clear(&child);
    run_with_room("exec yes", 0);
    RCS_EQUAL(child_port->process_cancel(child_port->self, child.process), true);
    child_close();
}

/* ---- the host's own ---- */

static void test_descriptors(void)
{
    int kept[3];
    int leak;

    child_open(NULL);
    leak = open("/dev/null", O_RDONLY); /* not close-on-exec: a host, or a library of its, has forgotten it */
    run("ls /proc/self/fd | tr '\\n' ' '"); /* the last one is ls's own */
    RCS_TEXT_EQUAL(child.output, "0 1 2 3 ");
    child_clear(&child);
    for (int i = 0; i < 3; i++) {
        kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
        close(i);
    }
    child_init(&child, "cat; echo aside >&2");
    child.request.input = (struct recourse_span){"in", 2};
    child_run(&child);
    for (int i = 0; i < 3; i++) {
        dup2(kept[i], i);
        close(kept[i]);
    }
    expect_exit(0);
    RCS_TEXT_EQUAL(child.output, "in");
    RCS_TEXT_EQUAL(child.errors, "aside\n");
    child_clear(&child);
    close(leak);
    child_close();
}

static volatile sig_atomic_t children_ended;

static void on_child(int number)
{
    (void)number;
    children_ended++;
}

static void test_the_hosts_child_and_handler(void)
{
    struct sigaction ours = {.sa_handler = on_child};
    struct sigaction before;
    struct sigaction now;
    int held[2];
    int status = 0;
    pid_t own;

    child_open(NULL);
    RCS_EQUAL(pipe2(held, O_CLOEXEC), 0);
    RCS_EQUAL(sigaction(SIGCHLD, &ours, &before), 0);
    own = fork();
    if (own == 0) {
        char byte;

        close(held[1]);
        _exit(read(held[0], &byte, 1) == 0 ? 42 : 1);
    }
    for (int i = 0; i < 3; i++) {
        run("echo x");
        child_clear(&child);
    }
    close(held[1]);
    RCS_EQUAL(waitpid(own, &status, 0), own); /* an interrupted one would be -1: no child of the port is left */
    close(held[0]);
    RCS_EQUAL(WEXITSTATUS(status), 42);
    RCS_EQUAL(sigaction(SIGCHLD, &before, &now), 0);
    CU_ASSERT_TRUE(now.sa_handler == on_child);
    CU_ASSERT_TRUE(children_ended > 0);
    child_close();
}

/* What the host ignores and blocks, a program does not. */
static void test_signals_of_the_child(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigset_t usr1;
    sigset_t mask;
    unsigned long blocked = 1;
    unsigned long ignored = 1;

    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, &mask);
    sigaction(SIGPIPE, &ignore, &before);
    child_open(NULL);
    run("sed -n 's/^Sig[BI][lg][kn]:[ \\t]*//p' /proc/self/status");
    sigaction(SIGPIPE, &before, NULL);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    RCS_EQUAL(sscanf(child.output, "%lx %lx", &blocked, &ignored), 2);
    RCS_EQUAL(blocked, 0);
    RCS_EQUAL(ignored & 0x7fffffffUL, 0); /* those of real time belong to whoever started the tests */
    child_clear(&child);
    child_close();
}

static void test_somebody_else_waits(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;

    sigaction(SIGCHLD, &ignore, &before);
    child_open(NULL);
    child_init(&child, "echo x; exit 0");
    child_run(&child);
    sigaction(SIGCHLD, &before, NULL);
    RCS_EQUAL(child.result.exited, false);
    RCS_EQUAL(child.result.signal, 0);
    RCS_EQUAL(child.result.start_error, 0);
    RCS_TEXT_EQUAL(child.output, "x\n");
    RCS_TEXT_EQUAL(child.detail, "its exit status is unknown: somebody else has waited for it");
    child_clear(&child);
    child_close();
}

/* ---- when the system gives nothing ---- */

static void test_no_descriptors(void)
{
    struct rlimit old;
    unsigned failures = 0;
    int first;

    child_open(NULL);
    first = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(first);
    getrlimit(RLIMIT_NOFILE, &old);
    for (int i = 0; i < 6; i++) { /* all six are needed */
        struct rlimit few = {(rlim_t)(first + i), old.rlim_max};
        int code;

        child_init(&child, "echo x");
        setrlimit(RLIMIT_NOFILE, &few);
        code = child_start(&child);
        setrlimit(RLIMIT_NOFILE, &old);
        failures += code == RECOURSE_E_SYSTEM;
    }
    RCS_EQUAL(failures, 6);
    run("echo x");
    child_clear(&child);
    child_close();
}

static void test_each_allocation_fails(void)
{
    struct purse purse = {0, 0};
    struct recourse_allocator allocator = purse_allocator(&purse);
    struct recourse_port_options options = {.size = sizeof options, .allocator = &allocator};
    bool whole = false;
    unsigned refused = 0;
    unsigned unstarted = 0;
    unsigned cut = 0;

    for (unsigned n = 0; n < 40 && !whole; n++) {
        purse.left = 1000;
        child_open(&options);
        child_init(&child, "echo why >&2; exec head -c 40000 /dev/zero");
        purse.left = n;
        if (child_start(&child) != 0) {
            refused++;
        } else {
            child_finish(&child);
            unstarted += child.result.start_error == ENOMEM;
            cut += child.result.too_large;
            CU_ASSERT_TRUE(!child.result.too_large || strcmp(child.detail, "no memory for the output") == 0);
            whole = child.result.exited && strcmp(child.errors, "why\n") == 0;
            child_clear(&child);
        }
        child_close();
        RCS_EQUAL(purse.out, 0);
    }
    CU_ASSERT_TRUE(whole);
    CU_ASSERT_TRUE(refused > 0 && unstarted == 1 && cut > 0);
}

static const struct rcs_test tests[] = {
    {"in and out", test_in_and_out},
    {"nothing in", test_nothing_in},
    {"input that nobody reads", test_input_that_nobody_reads},
    {"end by a signal", test_end_by_a_signal},
    {"no start", test_no_start},
    {"requests that are refused", test_requests_that_are_refused},
    {"environment and directory", test_environment_and_directory},
    {"bounds", test_bounds},
    {"waits for room", test_waits_for_room},
    {"ended while it waits", test_ended_while_it_waits},
    {"descriptors", test_descriptors},
    {"the host's child and handler", test_the_hosts_child_and_handler},
    {"signals of the child", test_signals_of_the_child},
    {"somebody else waits", test_somebody_else_waits},
    {"no descriptors", test_no_descriptors},
    {"each allocation fails", test_each_allocation_fails},
};

int main(void)
{
    return rcs_unit_main("process", tests, RCS_COUNT(tests));
}
