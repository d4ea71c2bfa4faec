/* recourse tools: what a file of tools comes to, with what its MCP servers list. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <recourse/runner.h>

#include "cli.h"
#include "config.h"
#include "json_out.h"
#include "policies.h"
#include "run_log.h"
#include "signals.h"
#include "src/core/text.h"

struct tools_job {
    const char *policy;
    const char *tools;
    bool json;
    struct rcs_policies policies;
    struct rcs_arena arena;
    struct rcs_config config;
    struct recourse_port *port;
    struct recourse_runner *runner;
    struct recourse_run *run;
    bool unread; /* whoever had standard output's other end has gone */
};

static const char *const kinds[RECOURSE_TOOL_KIND_COUNT] = {
    [RECOURSE_TOOL_HTTP] = "http",
    [RECOURSE_TOOL_FUNCTION] = "function",
    [RECOURSE_TOOL_COMMAND] = "command",
    [RECOURSE_TOOL_MCP] = "mcp",
};

/* ---- what is printed ---- */

static void put_span(struct rcs_out *out, const char *key, struct recourse_span text)
{
    rcs_out_key(out, key);
    if (text.size > 0) {
        rcs_out_span(out, text);
    } else {
        rcs_out_null(out);
    }
}

static void put_tool(struct rcs_out *out, const struct recourse_tool_info *info)
{
    rcs_out_open(out, '{');
    put_span(out, "name", info->name);
    put_span(out, "server", info->server);
    rcs_out_key(out, "kind");
    rcs_out_text(out, kinds[info->kind]);
    put_span(out, "description", info->description);
    rcs_out_key(out, "safe");
    rcs_out_bool(out, info->safe);
    rcs_out_key(out, "read_only");
    rcs_out_bool(out, info->read_only);
    rcs_out_key(out, "schema");
    rcs_out_raw(out, info->schema);
    rcs_out_key(out, "annotations");
    rcs_out_raw(out, info->annotations);
    rcs_out_close(out, '}');
}

static void print_json(const struct tools_job *job)
{
    struct recourse_tool_info info;
    struct rcs_out out = {0};

    rcs_out_open(&out, '{');
    rcs_out_key(&out, "tools");
    rcs_out_open(&out, '[');
    for (size_t i = 0; recourse_runner_tool_info(job->runner, i, &info); i++) {
        put_tool(&out, &info);
    }
    rcs_out_close(&out, ']');
    rcs_out_close(&out, '}');
    rcs_out_print(&out);
}

/* On one line, whatever somebody else has written. */
static void print_line(struct rcs_arena *arena, const char *label, struct recourse_span text)
{
    size_t size = rcs_text_reason(text, UINT32_MAX, NULL, 0);
    char *clean = rcs_arena_alloc(arena, size + 1);

    if (text.size == 0) {
        return;
    }
    rcs_text_reason(text, UINT32_MAX, clean, size + 1);
    printf("  %-11s %.*s\n", label, (int)size, clean);
}

static void print_text(struct tools_job *job)
{
    struct recourse_tool_info info;

    for (size_t i = 0; recourse_runner_tool_info(job->runner, i, &info); i++) {
        struct rcs_arena arena = {0};

        printf("%s  (%s%s, %s)\n", rcs_log_name(&arena, info.name, 160), kinds[info.kind],
               info.server.size > 0 ? rcs_arena_format(&arena, " of %s", rcs_log_name(&arena, info.server, 80)) : "",
               info.safe ? "safe" : "unsafe");
        print_line(&arena, "description", info.description);
        print_line(&arena, "schema", info.schema);
        print_line(&arena, "annotations", info.annotations);
        rcs_arena_clear(&arena);
    }
}

/* ---- the job ---- */

static bool complain(const char *what, int code, const struct recourse_error *error)
{
    rcs_cli_error("tools", "%s: %s", what, *error->text != '\0' ? error->text : recourse_code_text(code));
    return false;
}

static bool prepare(struct tools_job *job)
{
    struct recourse_port_options port_options = {.size = sizeof port_options};
    struct recourse_runner_options options = {.size = sizeof options};
    struct recourse_error error = {.code = RECOURSE_OK};
    char text[512];
    int code;

    options.policy = rcs_policies_open(&job->policies, job->policy, text, sizeof text);
    if (options.policy == NULL) {
        rcs_cli_error("tools", "%s", text);
        return false;
    }
    if (!rcs_config_load("tools", job->tools, &job->arena, &job->policies, &job->config)) {
        return false;
    }
    code = recourse_port_new(&port_options, &job->port, &error);
    options.port = job->port;
    code = code == RECOURSE_OK ? recourse_runner_new(&options, &job->runner, &error) : code;
    code = code == RECOURSE_OK ? recourse_run_new(job->runner, &job->run) : code;
    if (code != RECOURSE_OK) {
        return complain("the runner can't be set up", code, &error);
    }
    if (!rcs_signals_listen(job->port, NULL, NULL)) {
        rcs_cli_error("tools", "signals can't be listened to: %s", strerror(errno));
        return false;
    }
    return rcs_config_add("tools", &job->config, job->runner) &&
           rcs_config_list_tools("tools", job->runner, job->run);
}

static int print_tools(struct tools_job *job)
{
    if (recourse_run_status(job->run) == RECOURSE_RUN_FAILED) {
        rcs_config_complain_failed("tools", &job->config, job->run);
        return RCS_EXIT_ERROR;
    }
    if (job->json) {
        print_json(job);
    } else {
        print_text(job);
    }
    job->unread = fflush(stdout) != 0 && errno == EPIPE;
    return RCS_EXIT_OK;
}

static void clear(struct tools_job *job)
{
    if (job->runner != NULL) {
        recourse_runner_free(job->runner);
    }
    rcs_signals_free_port(job->port);
    rcs_arena_clear(&job->arena);
    rcs_policies_clear(&job->policies);
}

static int run(int argc, char **argv)
{
    struct tools_job job = {.policies = {.command = "tools"}};
    const struct rcs_option options[] = {
        {.name = "--tools", .letter = "-t", .value = &job.tools},
        {.name = "--policy", .letter = "-p", .value = &job.policy},
        {.name = "--json", .flag = &job.json},
    };
    size_t count;
    int status = rcs_options_read(&rcs_command_tools, argc, argv, options, sizeof options / sizeof options[0], &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (count > 0) {
        return rcs_cli_error("tools", "unexpected word '%s'", argv[1]);
    }
    if (job.tools == NULL) {
        return rcs_cli_error("tools", "which tools? Give --tools with a file");
    }
    job.policy = job.policy != NULL ? job.policy : "default";
    if (recourse_global_init() != RECOURSE_OK) {
        return rcs_cli_error("tools", "the HTTP library can't be set up");
    }
    status = prepare(&job) ? print_tools(&job) : RCS_EXIT_ERROR;
    clear(&job);
    recourse_global_cleanup();
    if (job.unread) { /* as it would have been at once, if there had been no servers to be ended first */
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return status;
}

const struct rcs_command rcs_command_tools = {
    .name = "tools",
    .summary = "what tools a file of tools comes to, MCP servers asked",
    .run = run,
    .help =
        "Usage: recourse tools --tools T [OPTION...]\n"
        "\n"
        "Prints the tools of a file of tools (see recourse help run), and those that its\n"
        "MCP servers list: the name that a model calls, its kind and server, whether\n"
        "somebody speaks for it being safe to run twice, and, as the server wrote them,\n"
        "the schema of its arguments and its annotations.\n"
        "\n"
        "Options:\n"
        "  -t, --tools T   the tools, in JSON; - is standard input\n"
        "  -p, --policy P  how servers are asked again; left out, default. A server's own\n"
        "                  policy wins\n"
        "      --json      one object {\"tools\":[{\"name\",\"server\",\"kind\",\"description\",\n"
        "                  \"safe\",\"read_only\",\"schema\",\"annotations\"}]}\n"
        "\n"
        "Example:\n"
        "  $ recourse tools --tools tools.json\n"
        "  find_pods  (mcp of cluster, safe)\n"
        "    description Finds pods by name.\n"
        "    schema      {\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}\n"
        "    annotations {\"readOnlyHint\":true}\n"
        "\n"
        "Exit status: 0; 1 if a file or a server has something wrong with it.\n",
};
