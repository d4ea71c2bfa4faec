/* `run --approve`: what a person is shown, and what they type. The terminal is a pseudo-terminal. */
#include "src/cli/run_approve.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static struct recourse_span span(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

/* ---- what is shown ---- */

static void test_view(void)
{
    static const struct {
        const char *tool;
        const char *arguments;
        const char *view;
    } cases[] = {
        {"lookup", "{\"a\":1}", "lookup {\"a\":1}"},
        {"lookup", "{\n\t\"a\": 1\r\n}", "lookup {  \"a\": 1  }"},
        {"l\x1b[2Jx", "{\"c\":\"good \x1b[24D\x1b[K\"}", "l\\u001b[2Jx {\"c\":\"good \\u001b[24D\\u001b[K\"}"},
        {"l", "{\"c\":\"\\u001b[K\"}", "l {\"c\":\"\\u001b[K\"}"}, /* an escape stays one */
        {"l", "\xc2\x9b" "2J \xe2\x80\xae \xe2\x80\x8b \xef\xbb\xbf \xc2\xa0 \xf3\xa0\x81\x81",
         "l \\u009b2J \\u202e \\u200b \\ufeff \\u00a0 \\U000e0041"},
        {"l", "\xc3\xa9 \xe5\xb7\xa5 \xf0\x9f\x98\x80 \xff", "l \xc3\xa9 \xe5\xb7\xa5 \xf0\x9f\x98\x80 \\ufffd"},
        {"", "", " "},
    };
    struct rcs_arena arena = {0};
    static char text[6000];
    static char expected[6100];

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_TEXT_EQUAL(rcs_approve_view(&arena, span(cases[i].tool), span(cases[i].arguments)), cases[i].view);
    }
    memset(text, 'x', sizeof text);
    text[4096] = '\0';
    snprintf(expected, sizeof expected, "t %s", text);
    RCS_TEXT_EQUAL(rcs_approve_view(&arena, span("t"), span(text)), expected);
    text[4096] = 'x';
    text[5234] = '\0';
    snprintf(expected, sizeof expected, "t %.4096s... (4096 of 5234 characters)", text);
    RCS_TEXT_EQUAL(rcs_approve_view(&arena, span("t"), span(text)), expected);
    RCS_EQUAL(strlen(rcs_approve_view(&arena, span(text), span("{}"))), 80 + strlen("... (80 of 5234 characters) {}"));
    rcs_arena_clear(&arena);
}

static void test_modes(void)
{
    enum rcs_approve mode = RCS_APPROVE_DEFAULT;

    RCS_EQUAL(rcs_approve_read("ask", &mode), true);
    RCS_EQUAL(mode, RCS_APPROVE_ASK);
    RCS_EQUAL(rcs_approve_read("yes", &mode), true);
    RCS_EQUAL(mode, RCS_APPROVE_YES);
    RCS_EQUAL(rcs_approve_read("no", &mode), true);
    RCS_EQUAL(mode, RCS_APPROVE_NO);
    RCS_EQUAL(rcs_approve_read("y", &mode), false);
    RCS_EQUAL(rcs_approve_read("", &mode), false);
}

/* ---- asking ---- */

static struct {
    struct recourse_port *port;
    struct recourse_runner *runner;
    struct recourse_run *run;
    struct recourse_turn *turn;
    struct rcs_approver *approver;
    int screen; /* the other side of the terminal */
    unsigned hidden;
    char seen[8192];
} stage;

static void before(void *user)
{
    CU_ASSERT_PTR_EQUAL(user, &stage);
    stage.hidden++;
}

static int approve(void *user, struct recourse_approval_request *request)
{
    (void)user;
    return rcs_approver_ask(stage.approver, stage.runner, request);
}

static void on_result(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result)
{
    (void)user, (void)turn, (void)result;
    rcs_approver_ended(stage.approver, index);
}

static void answer_at_once(void *user, struct recourse_invocation *invocation)
{
    struct recourse_completion completion = {.content = {"done", 4}};

    (void)user;
    recourse_invocation_complete(invocation, &completion);
}

static int open_terminal(int *screen)
{
    int fd;

    *screen = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (*screen < 0 || grantpt(*screen) != 0 || unlockpt(*screen) != 0) {
        return -1;
    }
    fd = open(ptsname(*screen), O_RDWR | O_NOCTTY | O_NONBLOCK);
    return fd;
}

static void open_stage(const char *const *names, size_t count)
{
    struct recourse_port_options port_options = {.size = sizeof port_options};
    struct recourse_runner_options options = {.size = sizeof options, .approve = approve,
                                              .policy = recourse_policy_builtin("lightspeed")};
    struct recourse_tool tool = {.size = sizeof tool, .name = "ask", .kind = RECOURSE_TOOL_FUNCTION,
                                 .function = answer_at_once, .approval = RECOURSE_APPROVE_ALWAYS};
    struct recourse_call_request calls[8];
    struct recourse_turn_options turn_options = {
        .size = sizeof turn_options, .calls = calls, .call_count = count, .on_result = on_result};
    int fd;

    memset(&stage, 0, sizeof stage);
    fd = open_terminal(&stage.screen);
    CU_ASSERT_TRUE_FATAL(fd >= 0);
    RCS_EQUAL(recourse_port_new(&port_options, &stage.port, NULL), 0);
    options.port = stage.port;
    RCS_EQUAL(recourse_runner_new(&options, &stage.runner, NULL), 0);
    RCS_EQUAL(recourse_runner_add_tool(stage.runner, &tool, NULL), 0);
    tool.name = "free";
    tool.approval = RECOURSE_APPROVE_NEVER;
    RCS_EQUAL(recourse_runner_add_tool(stage.runner, &tool, NULL), 0);
    RCS_EQUAL(recourse_run_new(stage.runner, &stage.run), 0);
    stage.approver = rcs_approver_new(stage.port, fd, before, &stage);
    for (size_t i = 0; i < count; i++) {
        calls[i] = (struct recourse_call_request){.name = span(names[i]), .arguments = span("{}")};
    }
    RCS_EQUAL(recourse_turn_start(stage.run, &turn_options, &stage.turn, NULL), 0);
}

static void close_stage(void)
{
    recourse_runner_free(stage.runner);
    rcs_approver_free(stage.approver);
    recourse_port_free(stage.port);
    if (stage.screen >= 0) {
        close(stage.screen);
    }
}

/* Steps until `text` was written to the terminal as often as `times`. */
static void until_seen(const char *text, unsigned times)
{
    for (unsigned steps = 0; steps < 20000; steps++) {
        size_t used = strlen(stage.seen);
        ssize_t got = read(stage.screen, stage.seen + used, sizeof stage.seen - 1 - used);
        unsigned count = 0;

        stage.seen[used + (size_t)(got > 0 ? got : 0)] = '\0';
        for (const char *at = stage.seen; (at = strstr(at, text)) != NULL; at++) {
            count++;
        }
        if (count >= times) {
            return;
        }
        RCS_EQUAL(recourse_runner_step(stage.runner, 1), 0);
    }
    CU_ASSERT_TRUE(false);
}

static void until_done(void)
{
    for (unsigned steps = 0; steps < 20000 && !recourse_turn_done(stage.turn); steps++) {
        RCS_EQUAL(recourse_runner_step(stage.runner, 1), 0);
    }
    CU_ASSERT_TRUE(recourse_turn_done(stage.turn));
    CU_ASSERT_FALSE(rcs_approver_asks(stage.approver));
}

static void type(const char *text)
{
    RCS_EQUAL(write(stage.screen, text, strlen(text)), strlen(text));
}

static bool succeeded(size_t index)
{
    return recourse_turn_result(stage.turn, index)->success;
}

static void test_answers(void)
{
    static const char *const one[] = {"ask"};
    static const struct {
        const char *typed;
        bool approved;
    } cases[] = {
        {"y\n", true},   {"Y\n", true},     {" yes \n", true}, {"YES\n", true},  {"\n", false},
        {"n\n", false},  {"no\n", false},   {"yn\n", false},   {"yess\n", false}, {"oh yes\n", false},
        {"\x04", false}, {"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\n", false},
        {"y               n\n", false},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        open_stage(one, 1);
        until_seen("recourse: run ask {}? [y/N] ", 1);
        CU_ASSERT_TRUE(rcs_approver_asks(stage.approver));
        type(cases[i].typed);
        until_done();
        RCS_EQUAL(succeeded(0), cases[i].approved);
        close_stage();
    }
}

/* One after the other, while others go on. */
static void test_queue(void)
{
    static const char *const names[] = {"ask", "free", "ask", "ask"};

    open_stage(names, 4);
    until_seen("? [y/N] ", 1);
    while (recourse_turn_result(stage.turn, 1) == NULL) {
        RCS_EQUAL(recourse_runner_step(stage.runner, 1), 0);
    }
    CU_ASSERT_PTR_NULL(recourse_turn_result(stage.turn, 0));
    type("y\n");
    until_seen("? [y/N] ", 2);
    type("n\n");
    until_seen("? [y/N] ", 3);
    type("y\n");
    until_done();
    RCS_EQUAL(succeeded(0), true);
    RCS_EQUAL(succeeded(2), false);
    RCS_EQUAL(succeeded(3), true);
    RCS_EQUAL(stage.hidden, 3);
    close_stage();
}

/* What was typed before a question was there does not answer it. */
static void test_typed_ahead(void)
{
    static const char *const names[] = {"ask", "ask"};

    open_stage(names, 2);
    type("y\ny\ny\n");
    until_seen("? [y/N] ", 1);
    for (unsigned i = 0; i < 20; i++) {
        RCS_EQUAL(recourse_runner_step(stage.runner, 1), 0);
    }
    CU_ASSERT_PTR_NULL(recourse_turn_result(stage.turn, 0));
    type("n\ny\n"); /* the second line comes too early for the second question */
    until_seen("? [y/N] ", 2);
    for (unsigned i = 0; i < 20; i++) {
        RCS_EQUAL(recourse_runner_step(stage.runner, 1), 0);
    }
    CU_ASSERT_PTR_NULL(recourse_turn_result(stage.turn, 1));
    type("n\n");
    until_done();
    RCS_EQUAL(succeeded(0) || succeeded(1), false);
    close_stage();
}

/* The call is cancelled meanwhile: nobody is asked any more. */
static void test_too_late(void)
{
    static const char *const names[] = {"ask", "ask", "free"};

    open_stage(names, 3);
    until_seen("? [y/N] ", 1);
    recourse_turn_cancel(stage.turn);
    until_done();
    until_seen("(too late)\r\n", 2);
    close_stage();
}

/* The other side of the terminal goes: all are refused. */
static void test_hang_up(void)
{
    static const char *const names[] = {"ask", "ask"};

    open_stage(names, 2);
    until_seen("? [y/N] ", 1);
    close(stage.screen);
    stage.screen = -1;
    until_done();
    RCS_EQUAL(succeeded(0) || succeeded(1), false);
    RCS_EQUAL(recourse_turn_result(stage.turn, 1)->event, RECOURSE_EVENT_REFUSED);
    close_stage();
}

/* It goes away with a question open, and one behind it. */
static void test_freed_with_questions(void)
{
    static const char *const names[] = {"ask", "ask"};

    open_stage(names, 2);
    until_seen("? [y/N] ", 1);
    close_stage();
    rcs_approver_free(NULL);
    rcs_approver_ended(NULL, 0);
    CU_ASSERT_FALSE(rcs_approver_asks(NULL));
}

static int watch_nothing(void *self, int fd, unsigned events, void (*ready)(void *user, int fd, unsigned events),
                         void *user)
{
    (void)self, (void)fd, (void)events, (void)ready, (void)user;
    return RECOURSE_E_SYSTEM;
}

/* A terminal that can't be watched gives no answer: that is a no. */
static void test_no_watch(void)
{
    static const char *const names[] = {"ask", "ask"};

    open_stage(names, 2);
    stage.port->watch = watch_nothing;
    until_done();
    RCS_EQUAL(succeeded(0) || succeeded(1), false);
    close_stage();
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"view", test_view},
        {"modes", test_modes},
        {"answers", test_answers},
        {"queue", test_queue},
        {"typed ahead", test_typed_ahead},
        {"too late", test_too_late},
        {"hang up", test_hang_up},
        {"freed with questions", test_freed_with_questions},
        {"no watch", test_no_watch},
    };

    return rcs_unit_main_with_port("approve_cli", tests, RCS_COUNT(tests));
}
