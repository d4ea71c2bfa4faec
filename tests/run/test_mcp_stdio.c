/*
 * Tools of an MCP server that is a process, judged by `pageindex`: for each way in which the process fails, the rows that
 * judged it, what came of the call, and how often processes have seen it and executed the tool.
 */
#include <recourse/runner.h>

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/run/mcp_turn.h"

#define WORDS_MAX 16u
#define TEXT "text='three documents'"
#define FOUND "three documents"
#define LOST "may have taken effect"

/* ---- a server and a runner ---- */

struct world {
    char log[64];
    char program[4096];
    const char *command[WORDS_MAX];
    struct recourse_port *port;
    struct recourse_runner *runner;
    struct recourse_run *run;
    const char *policy;       /* NULL: pageindex */
    uint64_t timeout_ms;
    size_t memory_max;        /* of the runner; 0: as ever */
    size_t body_max;
    char notes[4096]; /* what the server did besides, a line each */
};

/* The program stands two folders above this test. */
static void find_program(struct world *world)
{
    ssize_t got = readlink("/proc/self/exe", world->program, sizeof world->program - 16);

    CU_ASSERT_FATAL(got > 0);
    world->program[got] = '\0';
    for (int i = 0; i < 3; i++) {
        *strrchr(world->program, '/') = '\0';
    }
    strcat(world->program, "/mcp-server");
}

static void on_note(void *user, struct recourse_span server, struct recourse_span text)
{
    struct world *world = user;
    size_t used = strlen(world->notes);

    RCS_EQUAL(server.size, 5);
    snprintf(world->notes + used, sizeof world->notes - used, "%.*s\n", (int)text.size, text.data);
}

/* `words`: "@server", SETTINGS, TOOL, SCRIPT ..., NULL. */
static void open_world(struct world *world, const char *const *words)
{
    struct recourse_port_options port_options = {.size = sizeof port_options};
    struct recourse_runner_options options = {.size = sizeof options,
                                              .tries_at_once = 64,
                                              .memory_max = world->memory_max,
                                              .body_max = world->body_max,
                                              .note = on_note,
                                              .user = world};
    struct recourse_mcp_server server = {.size = sizeof server, .name = "pages", .timeout_ms = world->timeout_ms};

    world->policy = world->policy != NULL ? world->policy : "pageindex";
    options.policy = recourse_policy_builtin(world->policy);
    find_program(world);
    snprintf(world->log, sizeof world->log, P_tmpdir "/recourse-stdio-%ld", (long)getpid());
    unlink(world->log);
    world->command[0] = world->program;
    world->command[1] = "--log";
    world->command[2] = world->log;
    for (size_t i = 0; words[i] != NULL; i++) {
        CU_ASSERT_FATAL(i + 4 < WORDS_MAX);
        world->command[i + 3] = words[i];
    }
    RCS_EQUAL(recourse_port_new(&port_options, &world->port, NULL), 0);
    options.port = world->port;
    RCS_EQUAL(recourse_runner_new(&options, &world->runner, NULL), 0);
    RCS_EQUAL(recourse_run_new(world->runner, &world->run), 0);
    server.command = world->command;
    RCS_EQUAL(recourse_runner_add_mcp_server(world->runner, &server, NULL), 0);
}
#define OPEN(world, ...) open_world(world, (const char *const[]){__VA_ARGS__, NULL})

static void close_world(struct world *world)
{
    recourse_runner_free(world->runner);
    recourse_port_free(world->port);
    RCS_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
    RCS_EQUAL(errno, ECHILD);
    unlink(world->log);
}

static struct recourse_turn *start(struct world *world, const char *const *names, size_t count)
{
    static char ids[1000][24];
    static struct recourse_call_request requests[1000];
    struct recourse_turn_options options = {.size = sizeof options, .calls = requests, .call_count = count};
    struct recourse_turn *turn = NULL;

    for (size_t i = 0; i < count; i++) {
        const char *name = names[names[1] != NULL ? i : 0];

        snprintf(ids[i], sizeof ids[i], "c%zu", i);
        requests[i] = (struct recourse_call_request){
            .id = {ids[i], strlen(ids[i])}, .name = {name, strlen(name)}, .arguments = {"{\n\"n\":1}", 8}};
    }
    RCS_EQUAL(recourse_turn_start(world->run, &options, &turn, NULL), 0);
    return turn;
}

static struct recourse_turn *call(struct world *world, const char *name)
{
    struct recourse_turn *turn = start(world, (const char *const[]){name, NULL}, 1);

    finish(world->runner, turn);
    return turn;
}

/* Lines of the log that have both in them. */
static unsigned count(const struct world *world, const char *part, const char *other)
{
    FILE *file = fopen(world->log, "r");
    char *line = NULL;
    size_t size = 0;
    unsigned found = 0;

    while (file != NULL && getline(&line, &size, file) > 0) {
        found += strstr(line, part) != NULL && strstr(line, other) != NULL;
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static unsigned calls_seen(const struct world *world)
{
    return count(world, "\"method\":\"tools/call\"", "");
}

static unsigned executed(const struct world *world)
{
    return calls_seen(world) - count(world, "\"method\":\"tools/call\"", "\"runs\":0");
}

static unsigned handshakes(const struct world *world)
{
    return count(world, "\"method\":\"initialize\"", "");
}

static void expect(const struct recourse_turn *turn, size_t index, const char *rows, const char *content)
{
    const struct recourse_result *result = recourse_turn_result(turn, index);

    RCS_TEXT_EQUAL(rows_of(result), rows);
    if (!holds(result->content, content)) {
        fprintf(stderr, "%.*s\n", (int)result->content.size, result->content.data);
        CU_FAIL("the content is another");
    }
}

/* ---- one call ---- */

static const struct {
    const char *settings;
    const char *script;
    uint64_t timeout_ms;
    const char *rows;
    const char *content;
    const char *note; /* NULL: none was told */
    unsigned runs;
    bool half_a_line;
} cases[] = {
    {"lenient", TEXT, 0, "P1 A1", FOUND, NULL, 1, false},
    {"version=2024-11-05", "progress=3 notify=notifications/message " TEXT, 0, "P1 A1", FOUND, NULL, 1, false},
    {"lenient", "ask=roots/list await ask=ping await ask=sampling/createMessage await " TEXT, 0, "P1 A1", FOUND, NULL, 1, false},
    {"lenient", "answer answer " TEXT, 0, "P1 A1", FOUND, NULL, 1, false},
    {"lenient", "text='no such page' is-error", 0, "P1 A7", "no such page", NULL, 1, false},
    {"lenient", "rpc=-32602 message='no pages' unrun", 0, "P1 A8", "no pages", NULL, 0, false},
    /* lines that are none of the protocol's */
    {"greeting='Ready.\n\n[1,\n'", TEXT, 0, "P1 A1", FOUND,
     "a line that is no JSON-RPC message was skipped: Ready.\na line that is not JSON was skipped: [1,\n", 1, false},
    {"greeting='\xff\xfe\r\n'", TEXT, 0, "P1 A1", FOUND, "a line that is not UTF-8 was skipped: ", 1, false},
    {"lenient", "text='caf\xe9' structured='{\"a\":1}'", 0, "P1 A1", "caf\xef\xbf\xbd",
     "a line that is not UTF-8 is read with its bad bytes replaced: {\"jsonrpc\"", 1, false},
    {"lenient", "rpc=-32602 message='caf\xe9' unrun", 0, "P1 A8", "caf\xef\xbf\xbd", "is not UTF-8 is read", 0, false},
    {"lenient", "bytes='\xe9\n' " TEXT, 0, "P1 A1", FOUND, "a line that is not UTF-8 was skipped: \xef\xbf\xbd\n", 1, false},
    {"lenient", "bytes='{\"jsonrpc\":\"\xe9\"}\n' " TEXT, 0, "P1 A1", FOUND, "is no JSON-RPC message was skipped: {\"jsonrpc\":", 1,
     false},
    {"greeting='{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}\n'", TEXT, 0, "P1 A1", FOUND, NULL, 1, false},
    {"lenient", "bytes='Working...\n' " TEXT, 0, "P1 A1", FOUND, "no JSON-RPC message was skipped: Working...\n", 1, false},
    /* answers that get lost: executed once, never sent again */
    {"lenient", "exit=7 " TEXT, 0, "P1 A6", LOST, "ended with exit status 7 before it answered\n", 1, false},
    {"lenient", "kill " TEXT, 0, "P1 A6", LOST, "was ended by signal 9 before it answered\n", 1, false},
    {"lenient", TEXT " close=before ran", 0, "P1 A6", LOST, "exit status 1", 1, false},
    {"lenient", TEXT " close=middle", 0, "P1 A6", LOST, "exit status 1", 1, false},
    {"lenient", TEXT " hang=middle", 400, "P1 A6", LOST, NULL, 1, true},
    {"lenient", "id=99 " TEXT, 150, "P1 A6", LOST, NULL, 1, false},
    {"lenient", "id='\"3\"' " TEXT, 150, "P1 A6", LOST, NULL, 1, false},
    {"lenient", "id=null " TEXT, 150, "P1 A6", LOST, NULL, 1, false},
    {"lenient", "no-answer", 400, "P1 A6", LOST, NULL, 1, false},
    /* lines that are too long */
    {"lenient", "blob=4000000", 0, "P1 A6", "too large to be kept", "a line that is too long was skipped: {\"jsonrpc\"", 1, false},
    {"lenient", "raw='never' fill=6000000 hang=after", 600, "P1 A6", LOST, NULL, 1, true},
};

static void run_case(size_t index)
{
    struct world world = {.timeout_ms = cases[index].timeout_ms};
    struct recourse_turn *turn;

    OPEN(&world, "@server", cases[index].settings, "find", cases[index].script, "other", "text=well");
    (void)list_tools(world.runner, world.run);
    CU_ASSERT_TRUE_FATAL(recourse_runner_tools_ready(world.runner));
    turn = call(&world, "find");
    expect(turn, 0, cases[index].rows, cases[index].content);
    RCS_EQUAL(calls_seen(&world), 1);
    RCS_EQUAL(executed(&world), cases[index].runs);
    if (cases[index].note == NULL) {
        RCS_TEXT_EQUAL(world.notes, "");
    } else if (strstr(world.notes, cases[index].note) == NULL) {
        RCS_TEXT_EQUAL(world.notes, cases[index].note);
    }
    if (cases[index].half_a_line) { /* what comes next is on the same line */
        expect(call(&world, "other"), 0, "P1 A6", LOST);
    }
    expect(call(&world, "other"), 0, "P1 A1", "well"); /* whatever became of it, the server is there */
    RCS_EQUAL(recourse_run_status(world.run), RECOURSE_RUN_ANSWERED);
    close_world(&world);
}

static void test_cases(void)
{
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        unsigned failed = CU_get_number_of_failures();

        run_case(i);
        if (CU_get_number_of_failures() != failed) {
            fprintf(stderr, "in the case: %s: %s\n", cases[i].settings, cases[i].script);
        }
    }
}

/* ---- many calls ---- */

/* Many answers at once, and room for few: whoever has none is not read for a while, and nothing is lost. */
static void test_room(void)
{
    static const char *const prefixes[] = {"b_", "c_", "d_", "e_", "f_", "g_", "h_"};
    static const char *const names[] = {"find", "b_find", "c_find", "d_find", "e_find", "f_find", "g_find", "h_find"};
    struct world world = {.memory_max = 3u << 20, .body_max = 1u << 20};
    struct recourse_turn *turn;

    OPEN(&world, "find", "blob=600000");
    for (size_t i = 0; i < RCS_COUNT(prefixes); i++) {
        const struct recourse_mcp_server server = {
            .size = sizeof server, .name = prefixes[i], .prefix = prefixes[i], .command = world.command};

        RCS_EQUAL(recourse_runner_add_mcp_server(world.runner, &server, NULL), 0);
    }
    (void)list_tools(world.runner, world.run);
    turn = start(&world, names, RCS_COUNT(names));
    finish(world.runner, turn);
    for (size_t i = 0; i < RCS_COUNT(names); i++) {
        expect(turn, i, "P1 A1", "600000 bytes]");
    }
    RCS_TEXT_EQUAL(world.notes, "");
    close_world(&world);
}

/* It crashes with three in flight: each was executed once, and the tools are still there. */
static void test_crash_in_flight(void)
{
    static const char *const names[] = {"slow", "slow", "die"};
    struct world world = {.timeout_ms = 0};
    struct recourse_turn *turn;

    OPEN(&world, "slow", "pause=60000 text=late", "die", "exit=9", "find", TEXT);
    (void)list_tools(world.runner, world.run);
    turn = start(&world, names, 3);
    finish(world.runner, turn);
    for (size_t i = 0; i < 3; i++) {
        expect(turn, i, "P1 A6", LOST);
        RCS_EQUAL(recourse_turn_result(turn, i)->effect, RECOURSE_EFFECT_UNKNOWN);
    }
    RCS_EQUAL(calls_seen(&world), 3);
    RCS_EQUAL(handshakes(&world), 1);
    RCS_EQUAL(recourse_runner_tool_count(world.runner), 3);
    expect(call(&world, "find"), 0, "P1 A1", FOUND);
    RCS_EQUAL(handshakes(&world), 2);
    RCS_EQUAL(count(&world, "notifications/initialized", ""), 2);
    RCS_EQUAL(count(&world, "tools/list", ""), 1);
    close_world(&world);
}

static void test_other_order(void)
{
    static const char *const names[] = {"slow", "find", "slow", "find"};
    struct world world = {.timeout_ms = 0};
    struct recourse_turn *turn;

    OPEN(&world, "slow", "pause=40 text=late", "find", TEXT);
    (void)list_tools(world.runner, world.run);
    turn = start(&world, names, 4);
    finish(world.runner, turn);
    for (size_t i = 0; i < 4; i++) {
        expect(turn, i, "P1 A1", i % 2 == 0 ? "late" : FOUND);
    }
    close_world(&world);
}

static void test_a_thousand(void)
{
    struct world world = {.timeout_ms = 0};
    struct recourse_turn *turn;
    unsigned good = 0;

    OPEN(&world, "find", "count " TEXT);
    (void)list_tools(world.runner, world.run);
    turn = start(&world, (const char *const[]){"find", NULL}, 1000);
    finish(world.runner, turn);
    for (size_t i = 0; i < 1000; i++) {
        good += recourse_turn_result(turn, i)->success && recourse_turn_result(turn, i)->tries == 1;
    }
    RCS_EQUAL(good, 1000);
    RCS_EQUAL(calls_seen(&world), 1000);
    RCS_EQUAL(executed(&world), 1000);
    RCS_EQUAL(handshakes(&world), 1);
    RCS_EQUAL(recourse_runner_memory(world.runner) < 1000000, true);
    close_world(&world);
}

/* ---- beginnings and ends ---- */

static void test_failed_start(void)
{
    struct world world = {.policy = "lightspeed"};

    OPEN(&world, "@initialize", "stderr='no API key\n' exit=3", "find", TEXT);
    RCS_EQUAL(recourse_turn_result(list_tools(world.runner, world.run), 0)->tries, 3);
    RCS_EQUAL(recourse_run_status(world.run), RECOURSE_RUN_FAILED);
    CU_ASSERT_TRUE(holds(recourse_run_failure(world.run)->text, "no API key"));
    CU_ASSERT_PTR_NOT_NULL(strstr(world.notes, "the server's process ended with exit status 3 before it could be used\n"));
    RCS_EQUAL(handshakes(&world), 3);
    RCS_EQUAL(count(&world, "tools/list", ""), 0);
    close_world(&world);
}

static void test_no_program(void)
{
    struct recourse_port_options port_options = {.size = sizeof port_options};
    struct recourse_runner_options options = {.size = sizeof options, .policy = recourse_policy_builtin("pageindex")};
    static const char *const command[] = {"/no/such/program", NULL};
    struct recourse_mcp_server server = {.size = sizeof server, .name = "pages", .command = command};
    struct world world = {.timeout_ms = 0};

    RCS_EQUAL(recourse_port_new(&port_options, &world.port, NULL), 0);
    options.port = world.port;
    RCS_EQUAL(recourse_runner_new(&options, &world.runner, NULL), 0);
    RCS_EQUAL(recourse_run_new(world.runner, &world.run), 0);
    RCS_EQUAL(recourse_runner_add_mcp_server(world.runner, &server, NULL), 0);
    (void)list_tools(world.runner, world.run);
    RCS_EQUAL(recourse_run_status(world.run), RECOURSE_RUN_FAILED);
    CU_ASSERT_TRUE(holds(recourse_run_failure(world.run)->text, "can't start /no/such/program: No such file"));
    close_world(&world);
}

/* The server is told what is not wanted any more. */
static void test_cancel(void)
{
    struct world world = {.timeout_ms = 0};
    struct recourse_turn *turn;

    OPEN(&world, "slow", "pause=60000 text=late");
    (void)list_tools(world.runner, world.run);
    turn = start(&world, (const char *const[]){"slow", NULL}, 1);
    for (unsigned steps = 0; steps < STEPS_MAX && calls_seen(&world) == 0; steps++) {
        RCS_EQUAL(recourse_runner_step(world.runner, 1), 0);
    }
    recourse_turn_cancel(turn);
    finish(world.runner, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_UNKNOWN);
    for (unsigned steps = 0; steps < STEPS_MAX && count(&world, "notifications/cancelled", "") == 0; steps++) {
        RCS_EQUAL(recourse_runner_step(world.runner, 1), 0);
    }
    RCS_EQUAL(count(&world, "notifications/cancelled", "\\\"requestId\\\":4"), 1);
    close_world(&world);
}

/* Nothing is left, though it ignores the end of its input, or SIGTERM too, and a call is in flight. */
static void test_stubborn(void)
{
    struct world world = {.timeout_ms = 0};

    OPEN(&world, "@server", "ignore-eof ignore-term", "slow", "pause=60000 text=late");
    (void)list_tools(world.runner, world.run);
    (void)start(&world, (const char *const[]){"slow", NULL}, 1);
    for (unsigned steps = 0; steps < STEPS_MAX && calls_seen(&world) == 0; steps++) {
        RCS_EQUAL(recourse_runner_step(world.runner, 1), 0);
    }
    close_world(&world);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"cases", test_cases},
        {"room", test_room},
        {"crash in flight", test_crash_in_flight},
        {"other order", test_other_order},
        {"a thousand", test_a_thousand},
        {"failed start", test_failed_start},
        {"no program", test_no_program},
        {"cancel", test_cancel},
        {"stubborn", test_stubborn},
    };
    int status;

    if (recourse_global_init() != 0) {
        return 2;
    }
    status = rcs_unit_main("mcp_stdio", tests, RCS_COUNT(tests));
    recourse_global_cleanup();
    return status;
}
