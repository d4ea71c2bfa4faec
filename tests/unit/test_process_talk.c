/* Processes that are talked with: writing to them while they live, what they say, and the order of their end. */
#include "tests/unit/child.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MEBIBYTE (1u << 20)
#define QUIT_MS 50

static struct child child;
static char heard[64]; /* the beginning of what it said */
static size_t heard_size;
static unsigned ends;
static unsigned times_writable;
static void (*on_heard)(void);

static void on_data(void *user, const char *bytes, size_t size)
{
    size_t room = sizeof heard - 1 - (heard_size < sizeof heard - 1 ? heard_size : sizeof heard - 1);

    CU_ASSERT_PTR_EQUAL(user, &child);
    ends += size == 0;
    if (room > 0 && size > 0) {
        memcpy(heard + heard_size, bytes, size < room ? size : room);
    }
    heard_size += size;
    if (on_heard != NULL) {
        on_heard();
    }
}

static void on_writable(void *user)
{
    CU_ASSERT_PTR_EQUAL(user, &child);
    times_writable++;
}

static void begin(const char *script)
{
    memset(heard, 0, sizeof heard);
    heard_size = 0;
    ends = 0;
    times_writable = 0;
    on_heard = NULL;
    child_open(NULL);
    child_init(&child, script);
    child.request.data = on_data;
    child.request.writable = on_writable;
    child.request.quit_ms = QUIT_MS;
    child.request.output_max = 0;
    child.request.deadline_ms = RECOURSE_FOREVER;
    RCS_EQUAL(child_start(&child), 0);
}

/* What it had started has become ours, and has been killed. */
static void end(void)
{
    child_clear(&child);
    while (waitpid(-1, NULL, 0) > 0) {
    }
    child_close();
}

static void poll_once(void)
{
    RCS_EQUAL(child_port->poll(child_port->self, LONG_MS), 0);
}

static void hear(size_t size)
{
    while (heard_size < size && child.done == 0) {
        poll_once();
    }
}

static int put(const char *bytes, size_t size, size_t *taken)
{
    return child_port->process_write(child_port->self, child.process, bytes, size, taken);
}

static void say(const char *text)
{
    size_t taken;

    RCS_EQUAL(put(text, strlen(text), &taken), 0);
    RCS_EQUAL(taken, strlen(text));
}

static void stop(void)
{
    RCS_EQUAL(child_port->process_end(child_port->self, child.process), true);
    child_finish(&child);
}

/* One that reads goes by itself when its input ends. */
static void test_back_and_forth(void)
{
    begin("while read -r line; do echo \"<$line>\"; done; exit 5");
    say("one\n");
    hear(6);
    RCS_TEXT_EQUAL(heard, "<one>\n");
    say("tw");
    say("o\n");
    hear(12);
    RCS_TEXT_EQUAL(heard, "<one>\n<two>\n");
    RCS_EQUAL(ends, 0);
    stop();
    RCS_EQUAL(child.result.exited, true);
    RCS_EQUAL(child.result.exit_status, 5);
    RCS_EQUAL(child.result.signalled, false);
    RCS_EQUAL(child.result.sent, true);
    RCS_EQUAL(child.result.output.size, 0);
    end();
}

/* The end of its input, SIGTERM, SIGKILL: each only after the one before, and with its time. */
static void test_order_of_the_end(void)
{
    begin("trap 'echo term' TERM; echo up; while read -r line; do :; done; echo eof; while :; do sleep 0.01; done");
    hear(3);
    stop();
    RCS_TEXT_EQUAL(heard, "up\neof\nterm\n");
    RCS_EQUAL(child.result.signal, SIGKILL);
    RCS_EQUAL(child.result.signalled, true);
    CU_ASSERT_TRUE(child.took_ms >= QUIT_MS + GRACE_MS);
    end();
}

/* What it has started goes with it. */
static void test_grandchild(void)
{
    begin("sh -c 'trap : TERM; echo $$; exec 2>&-; while :; do sleep 0.01; done' & wait; exit 0");
    hear(2);
    stop();
    CU_ASSERT_TRUE(atoi(heard) > 1);
    RCS_EQUAL(child_orphan_signal(atoi(heard)), SIGKILL);
    end();
}

/* One that crashes leaves nothing either. */
static void test_grandchild_of_one_that_crashes(void)
{
    begin("sh -c 'echo $$; while :; do sleep 0.01; done' & read -r line; exit 3");
    hear(2);
    say("go\n");
    child_finish(&child);
    RCS_EQUAL(child.result.exit_status, 3);
    RCS_EQUAL(child_orphan_signal(atoi(heard)), SIGKILL);
    end();
}

/* Neither the loop nor we wait for one that doesn't read; `writable` comes when it does. */
static void test_one_that_does_not_read(void)
{
    char *text = malloc(MEBIBYTE);
    size_t taken = 0;
    size_t all = 0;

    begin(": >$1; read -r line; head -c 1000000 | tail -c 3");
    child_ready();
    memset(text, 'x', MEBIBYTE);
    RCS_EQUAL(put(text, MEBIBYTE, &taken), 0);
    CU_ASSERT_TRUE(taken > 0 && taken < MEBIBYTE);
    all = taken;
    RCS_EQUAL(put(text, MEBIBYTE, &taken), 0);
    RCS_EQUAL(taken, 0);
    RCS_EQUAL(times_writable, 0);
    RCS_EQUAL(child_port->process_end(child_port->self, child.process), true);
    RCS_EQUAL(put("x", 1, &taken), RECOURSE_E_STATE);
    child_finish(&child);
    CU_ASSERT_TRUE(all > 0);
    end();

    begin("read -r line; head -c 1000000 | wc -c");
    text[0] = '\n';
    for (all = 0; all < 1000001;) {
        RCS_EQUAL(put(text + all, 1000001 - all, &taken), 0);
        all += taken;
        for (unsigned before = times_writable; all < 1000001 && times_writable == before;) {
            poll_once();
        }
    }
    CU_ASSERT_TRUE(times_writable > 0);
    child_finish(&child);
    RCS_TEXT_EQUAL(heard, "1000000\n");
    end();
    free(text);
}

static void test_one_that_closes(void)
{
    size_t taken;

    begin("exec <&-; echo closed; exec sleep 1000");
    hear(7);
    RCS_EQUAL(put("x", 1, &taken), RECOURSE_E_SYSTEM);
    RCS_EQUAL(put("x", 1, &taken), RECOURSE_E_SYSTEM);
    RCS_EQUAL(taken, 0);
    stop();
    RCS_EQUAL(child.result.signal, SIGTERM);
    end();
    begin("echo out; exec >&-; read -r line; exit 4");
    while (ends == 0) {
        poll_once();
    }
    RCS_TEXT_EQUAL(heard, "out\n");
    stop();
    RCS_EQUAL(child.result.exit_status, 4);
    RCS_EQUAL(ends, 1);
    end();
}

static void test_last_errors(void)
{
    begin("i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); echo \"line $i\" >&2; done; exit 1");
    child_finish(&child);
    CU_ASSERT_TRUE(child.result.errors.size > ERRORS_MAX / 2 && child.result.errors.size <= ERRORS_MAX);
    CU_ASSERT_PTR_NOT_NULL(strstr(child.errors, "line 999\nline 1000\n"));
    CU_ASSERT_PTR_NULL(strstr(child.errors, "line 100\n"));
    end();
}

static void test_no_start(void)
{
    size_t taken;

    begin("");
    child_finish(&child);
    child_clear(&child);
    child_init(&child, "");
    child.request.data = on_data;
    child.words[0] = "/no/such/program";
    RCS_EQUAL(child_start(&child), 0);
    RCS_EQUAL(put("x", 1, &taken), RECOURSE_E_STATE);
    child_finish(&child);
    RCS_EQUAL(child.result.start_error, ENOENT);
    RCS_EQUAL(heard_size, 0);
    end();
}

static void cancel(void)
{
    on_heard = NULL;
    RCS_EQUAL(child_port->process_cancel(child_port->self, child.process), true);
}

/* From within its own callback; nothing is heard any more, and the port's end is its own. */
static void test_cancel_while_it_talks(void)
{
    begin("trap '' TERM; echo one; read -r line; echo two; exec sleep 1000");
    on_heard = cancel;
    hear(1);
    RCS_TEXT_EQUAL(heard, "one\n");
    child_port->poll(child_port->self, 30);
    RCS_TEXT_EQUAL(heard, "one\n");
    child_close();
    RCS_EQUAL(child.done, 0);
}

/* All are given their time together. */
static void test_port_that_goes(void)
{
    struct recourse_process *others[8];
    struct timespec now;
    uint64_t began;

    begin("trap '' TERM; echo up; exec sleep 1000");
    hear(3);
    for (unsigned i = 0; i < 8; i++) {
        RCS_EQUAL(child_port->process_start(child_port->self, &child.request, NULL, &child, &others[i]), 0);
    }
    hear(27);
    began = child_port->now_ms(child_port->self);
    for (unsigned i = 0; i < 8; i++) {
        RCS_EQUAL(child_port->process_cancel(child_port->self, others[i]), true);
    }
    cancel();
    child_close();
    clock_gettime(CLOCK_MONOTONIC, &now);
    CU_ASSERT_TRUE((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 - began < 5 * (QUIT_MS + GRACE_MS));
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"back and forth", test_back_and_forth},
        {"order of the end", test_order_of_the_end},
        {"grandchild", test_grandchild},
        {"grandchild of one that crashes", test_grandchild_of_one_that_crashes},
        {"one that does not read", test_one_that_does_not_read},
        {"one that closes", test_one_that_closes},
        {"last errors", test_last_errors},
        {"no start", test_no_start},
        {"cancel while it talks", test_cancel_while_it_talks},
        {"port that goes", test_port_that_goes},
    };

    return rcs_unit_main("process_talk", tests, RCS_COUNT(tests));
}
