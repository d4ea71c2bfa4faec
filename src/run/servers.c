/* MCP servers of a runner: adding them, asking them for their tools, and what is known of tools. */
#include "src/run/run.h"

#include <stdio.h>
#include <string.h>

#include "src/io/memory.h"
#include "src/tools/mcp.h"

#define LIST_NAME "tools/list of "
#define NAME_MAX_BYTES 1024u /* of a tool; the protocol says 128 */

/* ---- adding ---- */

/* What all tools of the server have in common. */
static struct recourse_tool tool_of(const struct rcs_mcp_server *server, const char *name)
{
    const struct recourse_mcp_server *config = &server->config;

    return (struct recourse_tool){
        .size = sizeof(struct recourse_tool),
        .name = name,
        .kind = RECOURSE_TOOL_MCP,
        .server = config->name,
        .policy = config->policy,
        .timeout_ms = config->timeout_ms,
        .limit = config->limit,
        .approval = config->approval,
        .declared_unsafe = config->declared_unsafe,
        .declared_safe = config->declared_safe,
    };
}

/* The tool that asks for the list: reading, so it may be repeated, and nobody has to approve of it. */
static int make_lister(struct recourse_runner *runner, struct rcs_mcp_server *server, struct recourse_error *error)
{
    struct recourse_tool config = tool_of(server, server->config.name);
    struct rcs_tool *tool;
    int code;

    config.declared_unsafe = false;
    config.declared_safe = true;
    config.approval = RECOURSE_APPROVE_NEVER;
    code = rcs_tool_new(runner->host.allocator, &config, &tool, error);
    if (code != 0) {
        return code;
    }
    code = rcs_limits_join(&runner->limits, &config, &tool->limit, error);
    if (code != 0) {
        rcs_free(runner->host.allocator, tool);
        return code;
    }
    tool->kind = &rcs_kind_mcp_list;
    tool->mcp = server;
    server->lister = tool;
    return 0;
}

int recourse_runner_add_mcp_server(struct recourse_runner *runner, const struct recourse_mcp_server *config,
                                   struct recourse_error *error)
{
    struct rcs_mcp_server *server;
    int code;

    if (runner == NULL) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no runner");
    }
    code = rcs_mcp_server_new(&runner->host, config, &server, error);
    if (code != 0) {
        return code;
    }
    for (const struct rcs_mcp_server *other = runner->servers; code == 0 && other != NULL; other = other->next) {
        if (strcmp(other->config.name, server->config.name) == 0) {
            code = rcs_fail(error, RECOURSE_E_ARGUMENT, "there is a server '%s' already", config->name);
        }
    }
    code = code == 0 ? make_lister(runner, server, error) : code;
    if (code != 0) {
        rcs_mcp_server_free(server);
        return code;
    }
    rcs_relist_init(runner, server);
    recourse_policy_retain(server->config.policy);
    *runner->servers_end = server;
    runner->servers_end = &server->next;
    return 0;
}

void rcs_servers_free(struct recourse_runner *runner)
{
    struct rcs_mcp_server *next;

    for (struct rcs_mcp_server *server = runner->servers; server != NULL; server = server->next) {
        rcs_relist_clear(server);
        rcs_mcp_listen_end(server);
    }
    rcs_mcp_servers_end(runner->servers);
    for (struct rcs_mcp_server *server = runner->servers; server != NULL; server = next) {
        next = server->next;
        recourse_policy_release(server->config.policy);
        rcs_free(runner->host.allocator, server->lister);
        rcs_mcp_server_free(server);
    }
}

/* ---- what a server lists ---- */

static bool says(struct recourse_span annotations, const char *hint)
{
    return rcs_json_type_of(rcs_json_trim(rcs_json_member(annotations, hint))) == RCS_JSON_TRUE;
}

/* The name with its prefix, in a buffer; empty: the tool has none that can be used. */
static int read_name(const struct rcs_mcp_server *server, struct recourse_span listed, struct rcs_buffer *name)
{
    struct recourse_span text = rcs_json_trim(rcs_json_member(listed, "name"));
    size_t prefix = 0;
    int code = 0;

    rcs_buffer_reset(name);
    if (rcs_json_type_of(text) != RCS_JSON_STRING || text.size > NAME_MAX_BYTES) {
        return 0;
    }
    if (server->config.prefix != NULL) {
        prefix = strlen(server->config.prefix);
        code = rcs_buffer_append_text(name, server->config.prefix);
    }
    code = code == 0 ? rcs_mcp_put_string(name, text) : code;
    if (code == 0 && (name->size == prefix || memchr(name->data, '\0', name->size) != NULL)) {
        rcs_buffer_reset(name);
    }
    return code;
}

static bool is_taken(const struct rcs_mcp_server *server, const char *remote)
{
    const char *const *allowed = server->config.tools;

    for (; allowed != NULL && *allowed != NULL; allowed++) {
        if (strcmp(*allowed, remote) == 0) {
            return true;
        }
    }
    return allowed == NULL;
}

int rcs_servers_leave_out(struct rcs_mcp_server *server, struct recourse_span remote, const char *reason)
{
    struct rcs_mcp_left_out **end = &server->left_out;
    struct rcs_mcp_left_out *left_out = rcs_alloc(server->host->allocator, sizeof *left_out + remote.size);

    if (left_out == NULL) {
        return RECOURSE_E_MEMORY;
    }
    left_out->next = NULL;
    left_out->reason = reason;
    left_out->size = remote.size;
    memcpy(left_out->name, remote.data, remote.size);
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = left_out;
    return 0;
}

/* Why a tool can't be called over HTTP as the modern protocol wants it; NULL: it can. */
static const char *fault_of(const struct rcs_mcp_server *server, struct recourse_span listed)
{
    return rcs_mcp_is_modern(server) && server->config.url != NULL
               ? rcs_mcp_params_check(rcs_json_trim(rcs_json_member(listed, "inputSchema")))
               : NULL;
}

/* The same name again reaches the same tool, so the first one counts; what is to be believed of it, both have to say. */
static bool is_repeated(struct recourse_runner *runner, const struct rcs_mcp_server *server, const struct recourse_tool *config)
{
    for (struct rcs_tool *tool = runner->tools; tool != NULL; tool = tool->next) {
        if (tool->mcp == server && strcmp(tool->config.name, config->name) == 0) {
            tool->config.read_only = tool->config.read_only && config->read_only;
            tool->config.declared_safe = tool->config.declared_safe && config->declared_safe;
            return true;
        }
    }
    return false;
}

static int learn_tool(struct recourse_runner *runner, struct rcs_mcp_server *server, struct recourse_span listed,
                      struct rcs_buffer *name, struct rcs_buffer *description)
{
    struct recourse_span said = rcs_json_trim(rcs_json_member(listed, "description"));
    struct recourse_span annotations = rcs_json_trim(rcs_json_member(listed, "annotations"));
    size_t prefix = server->config.prefix != NULL ? strlen(server->config.prefix) : 0;
    struct recourse_span remote;
    struct recourse_tool config;
    int code = read_name(server, listed, name);

    if (code != 0 || name->size == 0 || !is_taken(server, name->data + prefix)) {
        return code;
    }
    remote = (struct recourse_span){name->data + prefix, name->size - prefix};
    if (fault_of(server, listed) != NULL) {
        return rcs_servers_leave_out(server, remote, fault_of(server, listed));
    }
    rcs_buffer_reset(description);
    code = rcs_json_type_of(said) == RCS_JSON_STRING ? rcs_mcp_put_string(description, said) : 0;
    if (code != 0) {
        return code;
    }
    config = tool_of(server, name->data);
    config.description = description->size > 0 ? description->data : NULL;
    if (server->config.trusted) {
        config.read_only = says(annotations, "readOnlyHint");
        config.declared_safe = config.declared_safe || (!config.declared_unsafe && (config.read_only ||
                                                                                    says(annotations, "idempotentHint")));
    }
    if (is_repeated(runner, server, &config)) {
        return rcs_servers_leave_out(server, remote, "the server lists it twice, and the first one counts");
    }
    return rcs_runner_add(runner, &config, server, listed, NULL);
}

struct rcs_tool *rcs_servers_take(struct recourse_runner *runner, const struct rcs_mcp_server *server)
{
    struct rcs_tool **at = &runner->tools;
    struct rcs_tool *taken = NULL;
    struct rcs_tool **end = &taken;

    while (*at != NULL) {
        struct rcs_tool *tool = *at;

        if (tool->mcp == server) {
            *at = tool->next;
            tool->next = NULL;
            *end = tool;
            end = &tool->next;
        } else {
            at = &tool->next;
        }
    }
    runner->tools_end = at;
    return taken;
}

/* A list of which not all could be kept is none. */
static void unlearn(struct recourse_runner *runner, struct rcs_mcp_server *server)
{
    struct rcs_tool *tools = rcs_servers_take(runner, server);

    rcs_mcp_left_out_free(server);
    rcs_runner_free_tools(runner, &tools);
}

int rcs_servers_learn(struct recourse_runner *runner, struct rcs_mcp_server *server)
{
    struct rcs_buffer name;
    struct rcs_buffer description;
    int code = 0;

    if (server->known) { /* another list has come first */
        rcs_mcp_pages_free(server, &server->relist.pages);
        return 0;
    }
    rcs_mcp_left_out_free(server);
    rcs_buffer_init(&name, runner->host.allocator, SIZE_MAX / 2);
    rcs_buffer_init(&description, runner->host.allocator, SIZE_MAX / 2);
    for (const struct rcs_mcp_page *page = server->pages; page != NULL && code == 0; page = page->next) {
        struct recourse_span key;
        struct recourse_span value;
        size_t at = 0;

        while (code == 0 && rcs_json_next((struct recourse_span){page->tools, page->size}, &at, &key, &value)) {
            code = learn_tool(runner, server, rcs_json_trim(value), &name, &description);
        }
    }
    rcs_buffer_clear(&name);
    rcs_buffer_clear(&description);
    code = code == 0 ? rcs_servers_note_missing(server) : code;
    server->known = code == 0;
    if (code != 0) {
        unlearn(runner, server);
    } else {
        rcs_mcp_relist_soon(server);
    }
    return code;
}

/* ---- asking ---- */

static size_t count_unknown(const struct recourse_runner *runner)
{
    size_t count = 0;

    for (const struct rcs_mcp_server *server = runner->servers; server != NULL; server = server->next) {
        count += !server->known;
    }
    return count;
}

bool recourse_runner_tools_ready(const struct recourse_runner *runner)
{
    return count_unknown(runner) == 0;
}

/* One call for each server; the texts stand in `names`, NUL-terminated. */
static int put_requests(const struct recourse_runner *runner, struct recourse_call_request *requests,
                        struct rcs_buffer *names)
{
    size_t at = 0;
    int code = 0;

    for (const struct rcs_mcp_server *server = runner->servers; server != NULL && code == 0; server = server->next) {
        if (!server->known) {
            code = rcs_buffer_append_text(names, LIST_NAME);
            code = code == 0 ? rcs_buffer_append_text(names, server->config.name) : code;
            code = code == 0 ? rcs_buffer_append_byte(names, '\0') : code;
        }
    }
    for (size_t i = 0; code == 0 && at < names->size; i++) {
        size_t size = strlen(names->data + at);

        requests[i] = (struct recourse_call_request){.name = {names->data + at, size}};
        at += size + 1;
    }
    return code;
}

static void set_tools(struct recourse_turn *turn)
{
    size_t i = 0;

    for (struct rcs_mcp_server *server = turn->run->runner->servers; server != NULL; server = server->next) {
        if (!server->known) {
            turn->calls[i].lists = true;
            rcs_tracing_drop(&turn->calls[i]); /* no model has made it */
            turn->calls[i++].tool = server->lister;
        }
    }
}

int recourse_run_list_tools(struct recourse_run *run, const struct recourse_turn_options *options,
                            struct recourse_turn **turn, struct recourse_error *error)
{
    struct recourse_turn_options own = {.size = sizeof own};
    struct recourse_call_request *requests;
    struct rcs_buffer names;
    size_t count;
    int code;

    if (run == NULL || (options != NULL && options->size != sizeof *options)) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no run, or options of another size");
    }
    own = options != NULL ? *options : own;
    count = count_unknown(run->runner);
    requests = rcs_alloc(run->runner->host.allocator, (count + 1) * sizeof *requests);
    rcs_buffer_init(&names, run->runner->host.allocator, SIZE_MAX / 2);
    code = requests == NULL ? RECOURSE_E_MEMORY : put_requests(run->runner, requests, &names);
    if (code == 0) {
        own.calls = requests;
        own.call_count = count;
        own.token_budget = 0;
        code = recourse_turn_start(run, &own, turn, error);
        if (code == 0) {
            set_tools(*turn);
        }
    } else {
        code = rcs_fail(error, (enum recourse_code)code, "no memory for the calls");
    }
    rcs_buffer_clear(&names);
    rcs_free(run->runner->host.allocator, requests);
    return code;
}

/* ---- what is known of tools ---- */

size_t recourse_runner_tool_count(const struct recourse_runner *runner)
{
    size_t count = 0;

    for (const struct rcs_tool *tool = runner->tools; tool != NULL; tool = tool->next) {
        count++;
    }
    return count;
}

static struct recourse_span span_of(const char *text)
{
    return (struct recourse_span){text, text != NULL ? strlen(text) : 0};
}

static struct recourse_span listed(const struct rcs_tool *tool, const char *member)
{
    return rcs_json_trim(rcs_json_member(tool->listed, member));
}

bool recourse_runner_tool_info(const struct recourse_runner *runner, size_t index, struct recourse_tool_info *info)
{
    const struct rcs_tool *tool = runner->tools;

    while (tool != NULL && index-- > 0) {
        tool = tool->next;
    }
    if (tool == NULL) {
        return false;
    }
    *info = (struct recourse_tool_info){
        .name = {tool->config.name, tool->name_size},
        .description = span_of(tool->config.description),
        .server = span_of(tool->config.server),
        .kind = tool->config.kind,
        .safe = tool->config.declared_safe,
        .read_only = tool->config.read_only,
    };
    if (tool->mcp != NULL) {
        info->schema = listed(tool, "inputSchema");
        info->annotations = listed(tool, "annotations");
    }
    return true;
}

bool recourse_runner_left_out(const struct recourse_runner *runner, size_t index, struct recourse_tool_left_out *out)
{
    for (const struct rcs_mcp_server *server = runner->servers; server != NULL; server = server->next) {
        for (const struct rcs_mcp_left_out *tool = server->left_out; tool != NULL; tool = tool->next) {
            if (index-- == 0) {
                *out = (struct recourse_tool_left_out){
                    .name = {tool->name, tool->size}, .server = span_of(server->config.name), .reason = span_of(tool->reason)};
                return true;
            }
        }
    }
    return false;
}
