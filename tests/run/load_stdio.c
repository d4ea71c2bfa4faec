/* Messages to one MCP server over standard input and output, at a pace: each is executed once, and answered once. */
#include "tests/run/load.h"

#include <recourse/runner.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TURN_CALLS 10u
#define AT_ONCE_MAX 512u /* calls begun and not ended, where there is no pace */

struct load {
    struct rcs_load_figures *figures;
    struct recourse_run *run;
    unsigned calls;
    unsigned begun;
    unsigned ended;
    unsigned char *seen; /* by the number that an answer has: how often the tool had been executed by then */
};

void rcs_load_find_server(char *path, size_t size)
{
    ssize_t got = readlink("/proc/self/exe", path, size - sizeof "/mcp-server");

    path[got > 0 ? got : 0] = '\0';
    for (int i = 0; i < 3 && strrchr(path, '/') != NULL; i++) {
        *strrchr(path, '/') = '\0';
    }
    strcat(path, "/mcp-server");
}

static void on_result(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result)
{
    struct load *load = user;
    char text[32];
    unsigned long number;

    (void)turn, (void)index;
    snprintf(text, sizeof text, "%.*s", (int)result->content.size, result->content.data);
    number = strtoul(text, NULL, 10);
    load->ended++;
    if (!result->success || result->tries != 1 || number == 0 || number > load->calls) {
        load->figures->lost++;
        return;
    }
    load->figures->twice += load->seen[number - 1];
    load->seen[number - 1] = 1;
    load->figures->answered++;
    if (result->duration_ms > load->figures->longest_ms) {
        load->figures->longest_ms = (unsigned)result->duration_ms;
    }
}

static void on_done(void *user, struct recourse_turn *turn)
{
    (void)user;
    recourse_turn_free(turn);
}

static bool start_turn(struct load *load)
{
    static const char ids[TURN_CALLS][2] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    struct recourse_call_request calls[TURN_CALLS];
    unsigned left = load->calls - load->begun;
    struct recourse_turn_options options = {.size = sizeof options, .calls = calls, .on_result = on_result, .on_done = on_done,
                                            .call_count = left < TURN_CALLS ? left : TURN_CALLS, .user = load};
    struct recourse_turn *turn;

    for (unsigned i = 0; i < options.call_count; i++) {
        calls[i] = (struct recourse_call_request){.id = {ids[i], 1}, .name = {"tool", 4}, .arguments = {"{}", 2}};
    }
    load->begun += (unsigned)options.call_count;
    return recourse_turn_start(load->run, &options, &turn, NULL) == 0;
}

/* As many as the pace wants by now. */
static bool start_due(struct load *load, unsigned a_second, uint64_t passed_ms)
{
    while (load->begun < load->calls &&
           (a_second > 0 ? load->begun <= passed_ms * a_second / 1000 : load->begun - load->ended < AT_ONCE_MAX)) {
        if (!start_turn(load)) {
            return false;
        }
    }
    return true;
}

static bool run_all(struct recourse_runner *runner, struct load *load, unsigned a_second)
{
    uint64_t began = rcs_load_now_ms();
    struct recourse_turn *list = NULL;

    if (recourse_run_list_tools(load->run, NULL, &list, NULL) != 0) {
        return false;
    }
    while (!recourse_turn_done(list)) {
        if (recourse_runner_step(runner, 1000) != 0) {
            return false;
        }
    }
    recourse_turn_free(list);
    began = rcs_load_now_ms();
    while (load->ended < load->calls) {
        if (!start_due(load, a_second, rcs_load_now_ms() - began) || recourse_runner_step(runner, a_second > 0 ? 5 : 1000) != 0 ||
            rcs_load_now_ms() - began > (a_second > 0 ? load->calls / a_second * 1000 : 0) + 120000) {
            return false;
        }
    }
    load->figures->took_ms = rcs_load_now_ms() - began;
    return true;
}

bool rcs_load_stdio(const char *program, unsigned calls, unsigned a_second, struct rcs_load_figures *figures)
{
    const char *const words[] = {program, "tool", "count", NULL};
    struct recourse_runner_options options = {
        .size = sizeof options, .policy = recourse_policy_builtin("default"), .tries_at_once = AT_ONCE_MAX};
    struct recourse_mcp_server server = {.size = sizeof server, .name = "server", .command = words};
    struct load load = {.figures = figures, .calls = calls, .seen = calloc(calls, 1)};
    struct recourse_runner *runner = NULL;
    bool good;

    memset(figures, 0, sizeof *figures);
    good = load.seen != NULL && recourse_port_new(NULL, &options.port, NULL) == 0 &&
           recourse_runner_new(&options, &runner, NULL) == 0 && recourse_runner_add_mcp_server(runner, &server, NULL) == 0 &&
           recourse_run_new(runner, &load.run) == 0;
    if (good) {
        good = run_all(runner, &load, a_second);
        recourse_run_free(load.run);
    }
    if (!good) {
        fprintf(stderr, "load: %u of %u messages, and it does not go on\n", load.ended, calls);
    }
    if (runner != NULL) {
        recourse_runner_free(runner);
    }
    if (options.port != NULL) {
        recourse_port_free(options.port);
    }
    free(load.seen);
    return good;
}
