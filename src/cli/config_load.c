/* From the file of tools to a runner that knows them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "config.h"
#include "files.h"
#include "run_log.h"

#define CONFIG_MAX_SIZE ((size_t)4 << 20)

bool rcs_config_load(const char *command, const char *path, struct rcs_arena *arena, struct rcs_policies *policies,
                     struct rcs_config *config)
{
    const char *why = NULL;
    char text[1024];
    size_t size = 0;
    char *json = rcs_files_read(path, CONFIG_MAX_SIZE, &size, &why);
    bool good;

    if (json == NULL) {
        rcs_cli_error(command, "%s: the file can't be read: %s", path, why);
        return false;
    }
    good = rcs_config_read(arena, path, json, size, policies, config, text, sizeof text);
    free(json);
    if (!good) {
        rcs_cli_error(command, "%s", text);
    }
    return good;
}

static bool complain(const char *command, const char *what, int code, const struct recourse_error *error)
{
    rcs_cli_error(command, "%s: %s", what, *error->text != '\0' ? error->text : recourse_code_text(code));
    return false;
}

bool rcs_config_add(const char *command, const struct rcs_config *config, struct recourse_runner *runner)
{
    struct recourse_error error = {.code = RECOURSE_OK};
    int code;

    for (size_t i = 0; i < config->count; i++) {
        code = recourse_runner_add_tool(runner, &config->tools[i], &error);
        if (code != RECOURSE_OK) {
            return complain(command, config->path, code, &error);
        }
    }
    for (size_t i = 0; i < config->server_count; i++) {
        code = recourse_runner_add_mcp_server(runner, &config->servers[i], &error);
        if (code != RECOURSE_OK) {
            return complain(command, config->path, code, &error);
        }
    }
    return true;
}

/* Where to look for the name that may be meant. */
struct listed {
    struct rcs_arena *arena;
    const struct recourse_runner *runner;
    struct recourse_span server;
};

static const char *listed_name(const void *user, size_t index)
{
    const struct listed *listed = user;
    size_t size = recourse_runner_listed(listed->runner, listed->server, index, NULL, 0);
    char *name = size > 0 ? rcs_arena_alloc(listed->arena, size + 1) : NULL;

    if (name != NULL) {
        recourse_runner_listed(listed->runner, listed->server, index, name, size);
    }
    return name;
}

static void complain_left_out(const char *command, const struct recourse_runner *runner)
{
    struct recourse_tool_left_out tool;

    for (size_t i = 0; recourse_runner_left_out(runner, i, &tool); i++) {
        struct rcs_arena arena = {0};
        const struct listed listed = {&arena, runner, tool.server};
        const char *name = rcs_arena_copy(&arena, tool.name.data, tool.name.size);
        const char *near = rcs_nearest(name, listed_name, &listed);
        bool is_listed = near != NULL && strcmp(near, name) == 0;

        rcs_cli_error(command, "tool '%s' of %s is left out: %.*s%s", rcs_log_name(&arena, tool.name, 160),
                      rcs_log_name(&arena, tool.server, 80), (int)tool.reason.size, tool.reason.data,
                      near == NULL || is_listed ? "" : rcs_arena_format(&arena, ": did you mean '%s'?", near));
        rcs_arena_clear(&arena);
    }
}

bool rcs_config_list_tools(const char *command, struct recourse_runner *runner, struct recourse_run *run)
{
    struct recourse_error error = {.code = RECOURSE_OK};
    struct recourse_turn *turn = NULL;
    int code = recourse_run_list_tools(run, NULL, &turn, &error);

    if (code != RECOURSE_OK) {
        return complain(command, "the servers can't be asked for their tools", code, &error);
    }
    while (code == RECOURSE_OK && !recourse_turn_done(turn)) {
        code = recourse_runner_step(runner, RECOURSE_FOREVER);
    }
    recourse_turn_free(turn);
    complain_left_out(command, runner);
    return code == RECOURSE_OK || complain(command, "the runner stopped", code, &error);
}

void rcs_config_complain_failed(const char *command, const struct rcs_config *config, const struct recourse_run *run)
{
    const struct recourse_run_failure *failure = recourse_run_failure(run);
    struct rcs_arena arena = {0};
    const char *tool = rcs_log_name(&arena, failure->tool, 80);
    struct recourse_span text = rcs_secrets_hide(&arena, &config->secrets, failure->text);

    if (failure->http != 0) {
        rcs_cli_error(command, "the run failed: %s answered %u: %.*s", tool, failure->http, (int)text.size,
                      text.data == NULL ? "" : text.data);
    } else {
        rcs_cli_error(command, "the run failed: %s: %.*s", tool, (int)text.size,
                      text.data == NULL ? "" : text.data);
    }
    rcs_arena_clear(&arena);
}
