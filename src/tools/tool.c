/* Tools as the runner keeps them: checked, and copied into one block. */
#include "src/tools/tools.h"

#include <stdio.h>
#include <string.h>

#include "src/core/text.h"
#include "src/io/memory.h"
#include "src/tools/kept.h"

#define CONNECT_TIMEOUT_MS 10000u

static const struct rcs_kind *const kinds[] = {
    [RECOURSE_TOOL_HTTP] = &rcs_kind_http,
    [RECOURSE_TOOL_FUNCTION] = &rcs_kind_function,
    [RECOURSE_TOOL_COMMAND] = &rcs_kind_command,
    [RECOURSE_TOOL_MCP] = &rcs_kind_mcp,
};
_Static_assert(sizeof kinds / sizeof kinds[0] == RECOURSE_TOOL_KIND_COUNT, "a kind is missing");

void rcs_tool_key(const uint8_t key[16], char text[33])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < 16; i++) {
        text[2 * i] = digits[key[i] >> 4];
        text[2 * i + 1] = digits[key[i] & 15u];
    }
    text[32] = '\0';
}

/* Copies what `config` points to. */
static void keep_all(struct rcs_kept *kept, const struct recourse_tool *config, struct recourse_tool *copy)
{
    copy->name = rcs_kept_text(kept, config->name);
    copy->description = rcs_kept_text(kept, config->description);
    copy->server = rcs_kept_text(kept, config->server);
    copy->url = rcs_kept_text(kept, config->url);
    copy->proxy = rcs_kept_text(kept, config->proxy);
    copy->ca_file = rcs_kept_text(kept, config->ca_file);
    copy->method = rcs_kept_text(kept, config->method != NULL ? config->method : "POST");
    copy->directory = rcs_kept_text(kept, config->directory);
    copy->shown_command = rcs_kept_text(kept, config->shown_command);
    copy->shown_directory = rcs_kept_text(kept, config->shown_directory);
    copy->headers = rcs_kept_list(kept, config->headers);
    copy->command = rcs_kept_list(kept, config->command);
    copy->environment = rcs_kept_list(kept, config->environment);
}

uint8_t rcs_tool_own_headers(const char *const *headers)
{
    static const struct {
        const char *name;
        uint8_t bit;
    } names[] = {
        {"content-type", RCS_OWN_CONTENT_TYPE},
        {"accept", RCS_OWN_ACCEPT},
        {"idempotency-key", RCS_OWN_KEY},
        {"recourse-try", RCS_OWN_TRY},
        {"traceparent", RCS_OWN_TRACE},
        {"tracestate", RCS_OWN_TRACE},
    };
    uint8_t own = 0;

    for (size_t i = 0; headers != NULL && headers[i] != NULL; i++) {
        struct recourse_span name = {headers[i], strcspn(headers[i], ":")};

        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            if (rcs_text_equal_folded(name, names[n].name)) {
                own |= names[n].bit;
            }
        }
    }
    return own;
}

const char *rcs_try_traceparent(const struct rcs_try_trace *trace)
{
    return trace != NULL ? trace->traceparent + sizeof RCS_TRACEPARENT_NAME - 1 : NULL;
}

const char *rcs_try_tracestate(const struct rcs_try_trace *trace)
{
    return trace != NULL && trace->tracestate[0] != '\0' ? trace->tracestate + sizeof RCS_TRACESTATE_NAME - 1 : NULL;
}

size_t rcs_try_trace_lines(const struct rcs_try_trace *trace, const char **lines)
{
    size_t count = 0;

    if (trace != NULL) {
        lines[count++] = trace->traceparent;
        if (trace->tracestate[0] != '\0') {
            lines[count++] = trace->tracestate;
        }
    }
    return count;
}

static int check(const struct recourse_tool *config, struct recourse_error *error)
{
    int code;

    if (config == NULL || config->size != sizeof *config) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no tool, or a struct of another size");
    }
    if (config->name == NULL || config->name[0] == '\0') {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "a tool needs a name");
    }
    if (config->kind >= RECOURSE_TOOL_KIND_COUNT) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s': no kind of tool has number %u", config->name,
                              config->kind);
    }
    if (config->approval >= RECOURSE_APPROVE_COUNT) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s': no approval mode has number %u", config->name,
                              config->approval);
    }
    if (config->server != NULL && config->server[0] == '\0') {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s': a server's name can't be empty", config->name);
    }
    if (config->declared_safe && config->declared_unsafe) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s' is declared safe and unsafe: choose one",
                              config->name);
    }
    if (config->policy != NULL) {
        code = recourse_policy_check(config->policy);
        if (code != 0) {
            return rcs_fail(error, (enum recourse_code)code, "tool '%s': its policy: %s", config->name,
                                  recourse_code_text(code));
        }
    }
    return kinds[config->kind]->check(config, error);
}

int rcs_tool_new(const struct recourse_allocator *allocator, const struct recourse_tool *config, struct rcs_tool **tool,
                 struct recourse_error *error)
{
    struct rcs_kept kept = {.at = NULL};
    struct recourse_tool measured;
    struct rcs_tool *made;
    int code = check(config, error);

    if (code != 0) {
        return code;
    }
    keep_all(&kept, config, &measured);
    made = rcs_alloc(allocator, sizeof *made + rcs_kept_size(&kept));
    if (made == NULL) {
        return rcs_fail(error, RECOURSE_E_MEMORY, "tool '%s': out of memory", config->name);
    }
    memset(made, 0, sizeof *made);
    made->config = *config;
    rcs_kept_begin(&kept, made + 1);
    keep_all(&kept, config, &made->config);
    made->kind = kinds[config->kind];
    made->name_size = strlen(config->name);
    made->own_headers = rcs_tool_own_headers(config->headers);
    made->has_query = strcmp(made->config.method, "GET") == 0 || strcmp(made->config.method, "DELETE") == 0;
    if (made->config.connect_timeout_ms == 0) {
        made->config.connect_timeout_ms = CONNECT_TIMEOUT_MS;
    }
    *tool = made;
    return 0;
}
