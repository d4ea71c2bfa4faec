/*
 * Answers of an MCP server, of any bytes, to a runner that lists its tools and calls two of them: over HTTP, as JSON and as
 * streams of events, or from a program; of either era. The clock is virtual. Each call has one result, whose texts are UTF-8,
 * and what is sent is JSON; ids and states go back to the server byte for byte.
 *
 * The first byte says the era, and (in capitals) that the server is a program; the second, in which pieces bytes come, and
 * whether forms are filled in. Then answers, each in the order in which it is asked for, divided by lines "%%": a status, letters
 * and a line feed, and the body behind it. `s`: a stream; `i`: with a session; `b`: it breaks off; `g`: to a GET; `c`: by then the
 * calls are cancelled.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/json.h"
#include "tests/unit/sim_process.h"
#include "tests/unit/strict.h"

#define ANSWERS_MAX 24u
#define STEPS_MAX 20000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct script {
    struct sim sim;
    struct sim_process program;
    struct sim_answer posts[ANSWERS_MAX];
    struct sim_answer gets[ANSWERS_MAX];
    size_t post_count;
    size_t get_count;
    size_t said;
    size_t piece;
    size_t cancel_at; /* so many answers were asked for; 0: never */
    char *text; /* the script, with a NUL behind each body */
};

static struct script script; /* the program's lines come with no user of ours */

static void demand(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void demand_json(const char *text, size_t room)
{
    size_t size = strlen(text);

    demand(size + 1 == room || /* it is cut there */
           rcs_json_check((struct recourse_span){text, size}, false, NULL) == RCS_JSON_GOOD);
}

static void demand_text(struct recourse_span text)
{
    for (size_t at = 0; at < text.size;) {
        size_t size = rcs_strict_point((const unsigned char *)text.data + at, text.size - at);

        demand(size > 0);
        at += size;
    }
}

/* ---- the script ---- */

static void add_answer(struct script *at, const char *head, const char *body, size_t size)
{
    static const struct recourse_header headers[] = {{{"Content-Type", 12}, {"text/event-stream", 17}},
                                                     {{"Mcp-Session-Id", 14}, {"s-1", 3}}};
    struct sim_answer answer = {.after_ms = 1, .phrase = "Phrase", .body = body, .body_size = size, .piece = at->piece};
    bool gets = strchr(head, 'g') != NULL;
    bool streams = strchr(head, 's') != NULL;

    answer.status = (uint16_t)(strtoul(head, NULL, 10) % 1000);
    answer.headers = headers + (streams ? 0 : 1);
    answer.header_count = (streams ? 1u : 0u) + (strchr(head, 'i') != NULL ? 1u : 0u);
    answer.network = strchr(head, 'b') != NULL || answer.status == 0 ? RECOURSE_NETWORK_CLOSED : 0;
    if (gets && at->get_count < ANSWERS_MAX) {
        at->gets[at->get_count++] = answer;
    } else if (!gets && at->post_count < ANSWERS_MAX) {
        at->posts[at->post_count++] = answer;
        at->cancel_at = strchr(head, 'c') != NULL ? at->post_count : at->cancel_at;
    }
}

static void read_script(struct script *at, size_t size)
{
    char *begin = at->text;
    char *end = at->text + size;

    while (begin < end) {
        char *stop = memmem(begin, (size_t)(end - begin), "\n%%\n", 4);
        char *next = stop != NULL ? stop + 4 : end;
        char *body = memchr(begin, '\n', (size_t)(end - begin));

        stop = stop != NULL ? stop : end;
        body = body != NULL && body < stop ? body : stop;
        *stop = '\0';
        *body = '\0';
        body += body < stop;
        add_answer(at, begin, body, (size_t)(stop - body));
        begin = next;
    }
}

static void say_next(struct sim_process *process, const char *line)
{
    demand_json(line, 4096);
    if (script.said < script.post_count) {
        sim_process_say(process, script.posts[script.said++].body);
        sim_process_say(process, "\n");
        if (script.posts[script.said - 1].network != 0) {
            sim_process_die(process, 1, 0);
        }
    }
}

/* ---- the runner ---- */

static void finish(struct recourse_runner *runner, struct recourse_turn *turn)
{
    for (unsigned steps = 0; !recourse_turn_done(turn); steps++) {
        if (script.cancel_at > 0 && script.sim.routes[0].asked + script.said >= script.cancel_at) {
            script.cancel_at = 0;
            recourse_turn_cancel(turn);
        }
        demand(steps < STEPS_MAX && !script.sim.stuck);
        demand(recourse_runner_step(runner, RECOURSE_FOREVER) == 0);
    }
    for (size_t i = 0; i < recourse_turn_count(turn); i++) {
        const struct recourse_result *result = recourse_turn_result(turn, i);

        demand(result != NULL);
        demand_text(result->content);
        demand_text(result->detail);
        demand(result->structured.size == 0 || rcs_json_check(result->structured, false, NULL) == RCS_JSON_GOOD);
    }
}

static void call(struct recourse_runner *runner, struct recourse_run *run)
{
    static const struct recourse_span arguments = {"{\"a\":\"\\u00e4 b\",\"n\":9007199254740993,\"t\":true}", 46};
    struct recourse_call_request calls[2] = {{.id = {"c1", 2}, .name = {"find", 4}, .arguments = arguments},
                                             {.id = {"c2", 2}, .name = {"find", 4}, .arguments = arguments}};
    struct recourse_turn_options options = {.size = sizeof options, .calls = calls, .call_count = 2, .token_budget = 600};
    struct recourse_tool_info info;
    struct recourse_turn *turn;

    for (size_t i = 0; i < recourse_runner_tool_count(runner) && recourse_runner_tool_info(runner, i, &info); i++) {
        calls[1].name = info.name;
    }
    if (recourse_turn_start(run, &options, &turn, NULL) == 0) {
        finish(runner, turn);
    }
}

static void add_server(struct recourse_runner *runner, uint8_t first, uint8_t second)
{
    static const char *const command[] = {"server", NULL};
    bool is_program = (first & 0x20) == 0;
    const struct recourse_mcp_server server = {.size = sizeof server, .name = "s",
                                               .url = is_program ? NULL : "http://s/",
                                               .command = is_program ? command : NULL,
                                               .era = (uint8_t)((first & 0x1fu) % RECOURSE_MCP_ERA_COUNT),
                                               .trusted = true,
                                               .elicit_defaults = (second & 0x40) != 0};

    sim_process_init(&script.program, &script.sim);
    script.program.line = say_next;
    script.program.piece = script.piece;
    demand(recourse_runner_add_mcp_server(runner, &server, NULL) == 0);
    if (script.post_count > 0) {
        sim_route(&script.sim, "http://s/", script.posts, script.post_count);
    }
    if (script.get_count > 0) {
        sim_route(&script.sim, "GET http://s/", script.gets, script.get_count);
    }
}

static void demand_requests(const struct sim *sim)
{
    for (size_t i = 0; i < sim->request_count && i < SIM_REQUESTS_MAX; i++) {
        if (sim->requests[i].body[0] != '\0') {
            demand_json(sim->requests[i].body, sizeof sim->requests[i].body);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recourse_runner_options options = {.size = sizeof options, .port = &script.sim.port,
                                              .policy = recourse_policy_builtin("default"), .body_max = 4096};
    struct recourse_runner *runner = NULL;
    struct recourse_run *run = NULL;
    struct recourse_turn *turn = NULL;

    if (size < 2) {
        return 0;
    }
    memset(&script, 0, sizeof script);
    script.piece = data[1] & 15u;
    script.text = malloc(size - 1);
    demand(script.text != NULL);
    memcpy(script.text, data + 2, size - 2);
    read_script(&script, size - 2);
    sim_init(&script.sim, 1000);
    demand(recourse_runner_new(&options, &runner, NULL) == 0);
    add_server(runner, data[0], data[1]);
    demand(recourse_run_new(runner, &run) == 0 && recourse_run_list_tools(run, NULL, &turn, NULL) == 0);
    finish(runner, turn);
    if (recourse_runner_tools_ready(runner)) {
        call(runner, run);
    }
    demand_requests(&script.sim);
    recourse_runner_free(runner);
    sim_clear(&script.sim);
    free(script.text);
    return 0;
}
