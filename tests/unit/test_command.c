/* Command tools: real processes on the real port, through a runner. Waits are of 1 ms. */
#include "src/tools/tools.h"
#include "tests/unit/toy_policy.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEP_MS 20000 /* ends a test that hangs */

/* What was observed of the last try that ended. */
struct seen {
    struct recourse_facts facts; /* its spans are stale */
    char text[300];
    char detail[300];
    unsigned tries;
};

static struct recourse_port *port;
static struct recourse_runner *runner;
static struct recourse_run *conversation;
static struct recourse_turn *turn;
static struct recourse_policy policy;
static struct recourse_wait waits[TOY_WAIT_COUNT];
static struct recourse_row rows[TOY_ROW_COUNT];
static struct seen seen;
static char ready_path[64];

static void copy(char *to, size_t room, struct recourse_span text)
{
    snprintf(to, room, "%.*s", (int)text.size, text.size > 0 ? text.data : "");
}

static void observe(void *user, const struct recourse_observation *observation)
{
    (void)user;
    if (observation->facts == NULL) {
        return;
    }
    seen.facts = *observation->facts;
    seen.tries++;
    copy(seen.text, sizeof seen.text, seen.facts.text);
    copy(seen.detail, sizeof seen.detail, seen.facts.detail);
}

static void bend_policy(void)
{
    static const uint64_t soon_ms[] = {1, 1};

    policy = toy_policy;
    memcpy(waits, toy_policy.waits, sizeof waits);
    memcpy(rows, toy_policy.rows, sizeof rows);
    waits[TOY_SHORT].delays_ms = soon_ms;
    rows[TOY_A8].scenario = TOY_3B; /* a cancelled one tells the model */
    rows[TOY_A8].message = TOY_FAILED;
    policy.waits = waits;
    policy.rows = rows;
}

static void open_all(size_t body_max, size_t memory_max)
{
    struct recourse_runner_options options = {
        .size = sizeof options, .policy = &policy, .body_max = body_max, .memory_max = memory_max,
        .observe = observe};
    struct recourse_error error = {RECOURSE_OK, ""};

    bend_policy();
    memset(&seen, 0, sizeof seen);
    turn = NULL;
    snprintf(ready_path, sizeof ready_path, P_tmpdir "/recourse-command-%ld", (long)getpid());
    unlink(ready_path);
    if (recourse_port_new(NULL, &port, &error) != 0) {
        fprintf(stderr, "no port: %s\n", error.text);
        exit(2);
    }
    options.port = port;
    RCS_EQUAL(recourse_runner_new(&options, &runner, &error), 0);
    RCS_EQUAL(recourse_run_new(runner, &conversation), 0);
}

static void close_all(void)
{
    recourse_runner_free(runner);
    recourse_port_free(port);
    RCS_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
    RCS_EQUAL(errno, ECHILD);
    unlink(ready_path);
}

/* A tool "t" that is `sh -c SCRIPT`; $1 is a path where it may say that it has begun. */
static struct recourse_tool shell(const char *script)
{
    static const char *words[] = {"sh", "-c", NULL, "sh", ready_path, NULL};

    words[2] = script;
    return (struct recourse_tool){
        .size = sizeof(struct recourse_tool), .name = "t", .kind = RECOURSE_TOOL_COMMAND, .command = words};
}

static int add(const struct recourse_tool *tool, struct recourse_error *error)
{
    return recourse_runner_add_tool(runner, tool, error);
}

static void start(const char *arguments)
{
    struct recourse_call_request call = {.id = {"c1", 2}, .name = {"t", 1}, .arguments = {arguments, strlen(arguments)}};
    struct recourse_turn_options options = {.size = sizeof options, .calls = &call, .call_count = 1};

    RCS_EQUAL(recourse_turn_start(conversation, &options, &turn, NULL), 0);
}

static const struct recourse_result *finish(void)
{
    while (!recourse_turn_done(turn)) {
        RCS_EQUAL(recourse_runner_step(runner, STEP_MS), 0);
    }
    return recourse_turn_result(turn, 0);
}

/* Runs one call of a script, from the opening to its result. */
static const struct recourse_result *run(const char *script, const char *arguments)
{
    struct recourse_tool tool = shell(script);

    open_all(0, 0);
    RCS_EQUAL(add(&tool, NULL), 0);
    start(arguments);
    return finish();
}

static void step_until_ready(void)
{
    while (access(ready_path, F_OK) != 0) {
        RCS_EQUAL(recourse_runner_step(runner, 2), 0);
    }
    unlink(ready_path);
}

static const char *text(struct recourse_span span)
{
    static char room[1000];

    copy(room, sizeof room, span);
    return room;
}

/* ---- configuration ---- */

static void expect_refused(const struct recourse_tool *tool, const char *why)
{
    struct recourse_error error = {RECOURSE_OK, ""};

    RCS_EQUAL(add(tool, &error), RECOURSE_E_ARGUMENT);
    RCS_TEXT_EQUAL(error.text, why);
}

static void test_configuration(void)
{
    static const char *const nothing[] = {NULL};
    static const char *const unnamed[] = {"", "x", NULL};
    static const char *const wrong[] = {"GOOD=1", "s3cret", NULL};
    static const char *const nameless[] = {"=s3cret", NULL};
    struct recourse_tool tool = shell("exit 0");

    open_all(0, 0);
    RCS_EQUAL(add(&tool, NULL), 0);
    tool.command = NULL;
    expect_refused(&tool, "tool 't' needs a command: a program and its words");
    tool.command = nothing;
    expect_refused(&tool, "tool 't' needs a command: a program and its words");
    tool.command = unnamed;
    expect_refused(&tool, "tool 't' needs a command: a program and its words");
    tool = shell("exit 0");
    tool.environment = wrong;
    expect_refused(&tool, "tool 't': a variable is not of the form \"NAME=value\"");
    tool.environment = nameless;
    expect_refused(&tool, "tool 't': a variable is not of the form \"NAME=value\"");
    tool = shell("exit 0");
    tool.directory = "";
    expect_refused(&tool, "tool 't': the directory is empty");
    close_all();
}

static void test_a_port_without_processes(void)
{
    struct recourse_tool tool = shell("exit 0");
    bool (*end)(void *self, struct recourse_process *process);

    open_all(0, 0);
    end = port->process_end;
    port->process_end = NULL;
    expect_refused(&tool, "tool 't' is a command, and this port can't start any");
    port->process_end = end;
    port->process_start = NULL;
    expect_refused(&tool, "tool 't' is a command, and this port can't start any");
    close_all();
}

static void test_everything_is_copied(void)
{
    char words[3][32] = {"sh", "-c", "echo $V; pwd"};
    const char *command[] = {words[0], words[1], words[2], NULL};
    char variable[] = "V=kept";
    const char *environment[] = {variable, NULL};
    char directory[] = "/";
    struct recourse_tool tool = {.size = sizeof tool, .name = "t", .kind = RECOURSE_TOOL_COMMAND, .command = command,
                                 .environment = environment, .directory = directory};

    open_all(0, 0);
    RCS_EQUAL(add(&tool, NULL), 0);
    memset(words, 'x', sizeof words);
    memset(command, 0, sizeof command);
    memset(variable, 'x', sizeof variable);
    environment[0] = NULL;
    directory[0] = 'x';
    start("{}");
    RCS_TEXT_EQUAL(text(finish()->content), "kept\n/\n");
    close_all();
}

/* ---- success ---- */

static void test_success(void)
{
    const struct recourse_result *result = run("cat; echo aside >&2", "{\"n\":9007199254740993}");

    RCS_EQUAL(result->success, true);
    RCS_EQUAL(result->tries, 1);
    RCS_EQUAL(result->http, 0);
    RCS_TEXT_EQUAL(text(result->content), "{\"n\":9007199254740993}");
    RCS_TEXT_EQUAL(text(result->structured), "{\"n\":9007199254740993}");
    RCS_EQUAL(seen.facts.has_exit, true);
    RCS_EQUAL(seen.facts.exit_status, 0);
    RCS_EQUAL(seen.facts.unsent, false);
    RCS_TEXT_EQUAL(seen.text, "");
    close_all();
    result = run("printf '[1]'", "");
    RCS_TEXT_EQUAL(text(result->content), "[1]");
    RCS_EQUAL(result->structured.size, 0);
    close_all();
    /* What a terminal would obey does not reach the model; empty arguments are an empty object. */
    result = run("cat; printf 'good \\033[24D\\033[Kb\\000d \\377'", "");
    RCS_EQUAL(result->success, true);
    CU_ASSERT_TRUE(strncmp(text(result->content), "{}good ", 7) == 0);
    CU_ASSERT_PTR_NULL(strchr(text(result->content), '\033'));
    CU_ASSERT_PTR_NOT_NULL(strstr(text(result->content), "\xef\xbf\xbd"));
    close_all();
}

static void test_large_arguments(void)
{
    size_t size = 1u << 20;
    char *arguments = malloc(size + 1);
    struct recourse_tool tool = shell("wc -c");

    memset(arguments, 'x', size);
    memcpy(arguments, "{\"a\":\"", 6);
    memcpy(arguments + size - 2, "\"}", 3);
    open_all(0, 0);
    RCS_EQUAL(add(&tool, NULL), 0);
    start(arguments);
    RCS_TEXT_EQUAL(text(finish()->content), "1048576\n");
    close_all();
    tool = shell("echo not asked for");
    open_all(0, 0);
    RCS_EQUAL(add(&tool, NULL), 0);
    start(arguments);
    RCS_TEXT_EQUAL(text(finish()->content), "not asked for\n");
    close_all();
    free(arguments);
}

/* ---- failures ---- */

static void test_exit_status(void)
{
    const struct recourse_result *result = run("echo out; echo 'no such pod' >&2; exit 3", "{}");

    RCS_EQUAL(result->success, false);
    RCS_EQUAL(seen.facts.has_exit, true);
    RCS_EQUAL(seen.facts.exit_status, 3);
    RCS_EQUAL(seen.facts.unsent, false);
    RCS_TEXT_EQUAL(seen.text, "no such pod\n");
    RCS_EQUAL(result->effect, RECOURSE_EFFECT_UNKNOWN);
    RCS_TEXT_EQUAL(text(result->content), "Tool 't' execution failed after 1 attempt(s): no such pod.");
    close_all();
    result = run("echo said on stdout; exit 4", "{}");
    RCS_EQUAL(seen.facts.exit_status, 4);
    RCS_TEXT_EQUAL(text(result->content), "Tool 't' execution failed after 1 attempt(s): said on stdout.");
    close_all();
    result = run("exit 5", "{}");
    RCS_TEXT_EQUAL(seen.text, ""); /* our own words are not looked into */
    RCS_TEXT_EQUAL(seen.detail, "exit status 5");
    RCS_TEXT_EQUAL(text(result->content), "Tool 't' execution failed after 1 attempt(s): exit status 5.");
    close_all();
}

static void test_signal(void)
{
    const struct recourse_result *result = run("kill -KILL $$", "{}");

    RCS_EQUAL(seen.facts.signal, SIGKILL);
    RCS_EQUAL(seen.facts.has_exit, false);
    RCS_TEXT_EQUAL(seen.text, "");
    RCS_TEXT_EQUAL(text(result->content), "Tool 't' execution failed after 1 attempt(s): ended by signal 9.");
    close_all();
    result = run("echo dying >&2; kill -TERM $$", "{}");
    RCS_EQUAL(seen.facts.signal, SIGTERM);
    RCS_TEXT_EQUAL(text(result->content), "Tool 't' execution failed after 1 attempt(s): dying.");
    close_all();
}

static void test_no_start(void)
{
    static const char *const missing[] = {"/no/such/program", NULL};
    struct recourse_tool tool = shell("");
    const struct recourse_result *result;

    tool.command = missing;
    open_all(0, 0);
    RCS_EQUAL(add(&tool, NULL), 0);
    start("{}");
    result = finish();
    RCS_EQUAL(seen.facts.spawn, true);
    RCS_EQUAL(seen.facts.unsent, true);
    RCS_TEXT_EQUAL(seen.text, "");
    RCS_EQUAL(seen.tries, 3); /* transient in this policy */
    RCS_TEXT_EQUAL(text(result->content), "Tool 't' execution failed after 3 attempt(s): can't start "
                                          "/no/such/program: No such file or directory. Do not retry this exact "
                                          "tool call.");
    close_all();
}

static void test_too_large(void)
{
    struct recourse_tool tool = shell("exec yes");
    const struct recourse_result *result;

    open_all(1000, 0);
    RCS_EQUAL(add(&tool, NULL), 0);
    start("{}");
    result = finish();
    RCS_EQUAL(seen.facts.too_large, true);
    RCS_TEXT_EQUAL(seen.text, "");
    RCS_EQUAL(seen.facts.signal, 0);
    RCS_EQUAL(seen.facts.unsent, false);
    RCS_TEXT_EQUAL(text(result->content), "Tool 't' execution failed after 1 attempt(s): the output is too large.");
    close_all();
}

/* One bound for all: what comes in counts while it does, and is given back with what is not kept. */
static void test_the_runners_bound(void)
{
    struct recourse_tool tool = shell("exec yes");
    const struct recourse_result *result;

    open_all(0, 20000);
    RCS_EQUAL(add(&tool, NULL), 0);
    start("{}");
    result = finish();
    RCS_EQUAL(seen.facts.too_large, true);
    RCS_TEXT_EQUAL(text(result->content), "Tool 't' execution failed after 1 attempt(s): the output is too large.");
    RCS_EQUAL(recourse_runner_memory(runner), 0);
    close_all();
    tool = shell("head -c 9000 /dev/zero | tr '\\0' x; echo aside >&2");
    open_all(0, 20000);
    RCS_EQUAL(add(&tool, NULL), 0);
    start("{}");
    result = finish();
    RCS_EQUAL(result->success, true);
    RCS_EQUAL(result->content.size, 9000);
    RCS_EQUAL(recourse_runner_memory(runner), 0);
    close_all();
}

static void test_somebody_else_waits(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    const struct recourse_result *result;

    sigaction(SIGCHLD, &ignore, &before);
    result = run("echo x", "{}");
    sigaction(SIGCHLD, &before, NULL);
    RCS_EQUAL(result->success, false);
    RCS_EQUAL(seen.facts.protocol, true);
    RCS_EQUAL(seen.facts.unsent, false);
    RCS_TEXT_EQUAL(text(result->content), "Tool 't' execution failed after 1 attempt(s): its exit status is unknown: "
                                          "somebody else has waited for it.");
    close_all();
}

/* ---- tries ---- */

static void test_key_and_try(void)
{
    static const char *const named[] = {"RECOURSE_TRY=mine", NULL};
    struct recourse_tool tool;
    const char *content;

    /* A first try that is told to come again ("busy" alone is permanent; "timeout" is not). */
    content = text(run("[ $RECOURSE_TRY = 2 ] && { echo $RECOURSE_TRY $RECOURSE_IDEMPOTENCY_KEY $(cat $1); exit; }; "
                       "echo $RECOURSE_IDEMPOTENCY_KEY >$1; echo timeout >&2; exit 1",
                       "{}")->content);
    RCS_EQUAL(seen.tries, 2);
    RCS_EQUAL(strlen(content), 2 + 32 + 1 + 32 + 1);
    RCS_EQUAL(content[0], '2');
    RCS_EQUAL(strspn(content + 2, "0123456789abcdef"), 32);
    RCS_EQUAL(strncmp(content + 2, content + 2 + 33, 32), 0);
    close_all();
    open_all(0, 0);
    tool = shell("echo $RECOURSE_TRY");
    tool.environment = named;
    RCS_EQUAL(add(&tool, NULL), 0);
    start("{}");
    RCS_TEXT_EQUAL(text(finish()->content), "mine\n");
    close_all();
}

static uint64_t (*true_now_ms)(void *self);
static uint64_t skew_ms;

static uint64_t skewed_now_ms(void *self)
{
    return true_now_ms(self) + skew_ms;
}

/* The timeout is told at once; the next try begins when the process of the last one has gone. */
static void test_timeout(void)
{
    struct recourse_tool tool = shell("[ $RECOURSE_TRY = 2 ] && { cat $1.end; rm $1.end; exit; }; "
                                      "trap 'echo gone >$1.end; exit' TERM; : >$1; while :; do :; done");
    const struct recourse_result *result;

    open_all(0, 0);
    true_now_ms = port->now_ms;
    skew_ms = 0;
    port->now_ms = skewed_now_ms;
    tool.timeout_ms = 50000;
    RCS_EQUAL(add(&tool, NULL), 0);
    start("{}");
    step_until_ready();
    skew_ms = 50001;
    while (seen.tries == 0) {
        RCS_EQUAL(recourse_runner_step(runner, STEP_MS), 0);
    }
    RCS_EQUAL(seen.facts.timeout, RECOURSE_TIMEOUT_TOTAL);
    RCS_EQUAL(seen.facts.unsent, false);
    RCS_EQUAL(seen.facts.signal, 0);
    RCS_TEXT_EQUAL(seen.text, "");
    RCS_TEXT_EQUAL(seen.detail, "timed out");
    result = finish();
    RCS_EQUAL(result->tries, 2);
    RCS_TEXT_EQUAL(text(result->content), "gone\n");
    close_all();
}

static void test_cancel(void)
{
    struct recourse_tool tool = shell(": >$1; exec sleep 1000");
    const struct recourse_result *result;

    open_all(0, 0);
    RCS_EQUAL(add(&tool, NULL), 0);
    start("{}");
    step_until_ready();
    recourse_turn_cancel(turn);
    result = finish();
    RCS_EQUAL(result->event, RECOURSE_EVENT_CANCELLED);
    RCS_EQUAL(result->effect, RECOURSE_EFFECT_UNKNOWN);
    RCS_TEXT_EQUAL(text(result->content), "Tool 't' execution failed after 1 attempt(s): cancelled before the tool had "
                                          "answered. Do not retry this exact tool call.");
    recourse_turn_free(turn);
    close_all();
}

static void never(void *user, const struct recourse_facts *facts)
{
    (void)user;
    (void)facts;
    CU_FAIL("a stopped try has ended");
}

/* Stopped before it could be told that it can't be started: the one case in which nothing was touched. */
static void test_stop_before_the_news(void)
{
    static const char *const missing[] = {"/no/such/program", NULL};
    struct recourse_tool config = shell("");
    struct rcs_tool_host host = {.body_max = 1000};
    struct rcs_try_order order = {.arguments = {"{}", 2}, .number = 1, .ended = never};
    struct rcs_room room;
    struct rcs_tool *tool;
    struct rcs_try *try;

    open_all(0, 0);
    config.command = missing;
    host.port = port;
    host.mailbox = rcs_mailbox_new(port, NULL, 1000);
    host.room = &room;
    rcs_room_init(&room, host.mailbox, 1000, 100);
    RCS_EQUAL(rcs_tool_new(NULL, &config, &tool, NULL), 0);
    order.tool = tool;
    RCS_EQUAL(tool->kind->start(&host, &order, &try), 0);
    RCS_EQUAL(tool->kind->stop(try), RCS_STOPPED_UNTOUCHED);
    RCS_EQUAL(port->poll(port->self, 0), 0);
    free(tool);
    rcs_mailbox_release(host.mailbox);
    close_all();
}

static void test_the_runner_goes(void)
{
    struct recourse_tool tool = shell("trap 'exit 0' TERM; : >$1; while :; do :; done");

    open_all(0, 0);
    RCS_EQUAL(add(&tool, NULL), 0);
    start("{}");
    step_until_ready();
    close_all();
}

static const struct rcs_test tests[] = {
    {"configuration", test_configuration},
    {"a port without processes", test_a_port_without_processes},
    {"everything is copied", test_everything_is_copied},
    {"success", test_success},
    {"large arguments", test_large_arguments},
    {"exit status", test_exit_status},
    {"signal", test_signal},
    {"no start", test_no_start},
    {"too large", test_too_large},
    {"the runner's bound", test_the_runners_bound},
    {"somebody else waits", test_somebody_else_waits},
    {"key and try", test_key_and_try},
    {"timeout", test_timeout},
    {"cancel", test_cancel},
    {"stop before the news", test_stop_before_the_news},
    {"the runner goes", test_the_runner_goes},
};

int main(void)
{
    return rcs_unit_main("command", tests, RCS_COUNT(tests));
}
