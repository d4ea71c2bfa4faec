/*
 * The runner, as a host uses it: turns of eight calls of a tool, their results looked at as they come. The tool is one over
 * HTTP; of an MCP server where the URL ends with /mcp; of a program that speaks MCP where it is none.
 */
#include "tests/bench/worker.h"

#include <recourse/audit.h>
#include <recourse/runner.h>

#define TURN_CALLS 8u

extern const struct recourse_policy recourse_policy_bench;

static struct worker worker;
static struct recourse_run *run;
static struct recourse_audit *audit; /* NULL: none */
static unsigned started;
static unsigned goal; /* calls to be started */
static unsigned turns_open;
static unsigned ended;
static unsigned successes;
static uint64_t content; /* bytes that came as results */

static void on_result(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result)
{
    (void)user;
    (void)turn;
    (void)index;
    if (++ended == worker.warm_up && goal > ended) {
        worker_begin(&worker);
    }
    successes += result->success;
    content += result->content.size;
}

static void start_turn(void);

/* The next turn takes the place of the one that is done. */
static void on_done(void *user, struct recourse_turn *turn)
{
    (void)user;
    turns_open--;
    recourse_turn_free(turn);
    if (started < goal) {
        start_turn();
    }
}

static void start_turn(void)
{
    unsigned left = goal - started;
    unsigned count = left < TURN_CALLS ? left : TURN_CALLS;
    static const char ids[TURN_CALLS][7] = {"call_0", "call_1", "call_2", "call_3",
                                            "call_4", "call_5", "call_6", "call_7"};
    char arguments[TURN_CALLS][32];
    struct recourse_call_request calls[TURN_CALLS];
    struct recourse_turn_options options = {
        .size = sizeof options, .calls = calls, .call_count = count, .on_result = on_result, .on_done = on_done};
    struct recourse_turn *turn;
    struct recourse_error error;

    for (unsigned i = 0; i < count; i++) {
        int size = snprintf(arguments[i], sizeof arguments[i], "{\"id\":%u}", started++);

        calls[i] = (struct recourse_call_request){
            .id = {ids[i], 6}, .name = {"lookup", 6}, .arguments = {arguments[i], (size_t)size}};
    }
    if (recourse_turn_start(run, &options, &turn, &error) != 0) {
        worker_fail(error.text);
    }
    turns_open++;
}

static void list_tools(struct recourse_runner *runner)
{
    struct recourse_turn *turn;
    struct recourse_error error;

    if (recourse_run_list_tools(run, NULL, &turn, &error) != 0) {
        worker_fail(error.text);
    }
    while (!recourse_turn_done(turn)) {
        if (recourse_runner_step(runner, 1000) != 0) {
            worker_fail("the runner can't go on");
        }
    }
    recourse_turn_free(turn);
}

/* There are always more calls than may be tried at once, so that this many are. */
static void run_up_to(struct recourse_runner *runner, unsigned calls)
{
    unsigned wanted = started + 2 * worker.at_once + TURN_CALLS;

    goal = calls;
    while (started < wanted && started < goal) {
        start_turn();
    }
    while (turns_open > 0) {
        if (recourse_runner_step(runner, 1000) != 0) {
            worker_fail("the runner can't go on");
        }
    }
}

/* BENCH_WHOLE: what is measured are the calls from before the first to after the last, not so many in the middle of more. */
static void run_calls(struct recourse_runner *runner)
{
    if (recourse_run_new(runner, &run) != 0) {
        worker_fail("no run");
    }
    list_tools(runner);
    if (getenv("BENCH_WHOLE") != NULL) {
        run_up_to(runner, worker.warm_up);
        worker_begin(&worker);
    }
    run_up_to(runner, worker.warm_up + worker.calls);
    recourse_run_free(run);
    if (successes != started) {
        worker_fail("a call failed");
    }
}

static int add_http_tool(struct recourse_runner *runner, struct recourse_error *error)
{
    struct recourse_tool tool = {
        .size = sizeof tool, .name = "lookup", .kind = RECOURSE_TOOL_HTTP, .url = worker.url, .declared_safe = true};

    return recourse_runner_add_tool(runner, &tool, error);
}

static int add_mcp_server(struct recourse_runner *runner, bool over_http, struct recourse_error *error)
{
    const char *const program[] = {worker.url, "lookup", "text=found", NULL};
    struct recourse_mcp_server server = {.size = sizeof server, .name = "peer", .declared_safe = true};

    if (over_http) {
        server.url = worker.url;
    } else {
        server.command = program;
    }
    return recourse_runner_add_mcp_server(runner, &server, error);
}

static struct recourse_runner *open_runner(struct recourse_port *port)
{
    struct recourse_runner_options options = {.size = sizeof options,
                                              .port = port,
                                              .policy = &recourse_policy_bench,
                                              .tries_at_once = worker.at_once,
                                              .audit = audit};
    bool over_http = strncmp(worker.url, "http", 4) == 0;
    const char *end = strstr(worker.url, "/mcp");
    bool is_mcp = !over_http || (end != NULL && end[4] == '\0');
    struct recourse_runner *runner;
    struct recourse_error error;

    if (recourse_runner_new(&options, &runner, &error) != 0 ||
        (is_mcp ? add_mcp_server(runner, over_http, &error) : add_http_tool(runner, &error)) != 0) {
        worker_fail(error.text);
    }
    return runner;
}

/* BENCH_AUDIT: a log is written there. */
static void open_audit(struct recourse_port *port)
{
    struct recourse_audit_options options = {.size = sizeof options,
                                             .port = port,
                                             .policy = &recourse_policy_bench,
                                             .path = getenv("BENCH_AUDIT"),
                                             .sync = RECOURSE_AUDIT_BATCH};
    struct recourse_error error;

    if (options.path != NULL && recourse_audit_open(&options, &audit, &error) != 0) {
        worker_fail(error.text);
    }
}

int main(int count, char **arguments)
{
    struct recourse_port *port;
    struct recourse_runner *runner;
    struct recourse_error error;

    worker = worker_arguments(count, arguments);
    if (recourse_global_init() != 0 || recourse_port_new(NULL, &port, &error) != 0) {
        worker_fail("no port");
    }
    open_audit(port);
    runner = open_runner(port);
    worker.idle_kb = worker_status_kb("VmRSS");
    run_calls(runner);
    worker_end(&worker);
    recourse_runner_free(runner);
    if (recourse_audit_close(audit, &error) != 0) {
        worker_fail(error.text);
    }
    recourse_port_free(port);
    return 0;
}
