/* Tools as the runner keeps them: checked, and copied into one block. */
#include "src/tools/tools.h"

#include <stdio.h>
#include <string.h>

#include "src/core/text.h"
#include "src/io/memory.h"

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

/* A block that is filled from the front, lists and then texts; `at` NULL: only measured. */
struct block {
    char *at;
    size_t used;
    const char **list; /* where the next list goes */
    size_t entries;    /* of all lists, with their ends */
};

static const char *keep(struct block *block, const char *text)
{
    char *kept = block->at;
    size_t size;

    if (text == NULL) {
        return NULL;
    }
    size = strlen(text) + 1;
    block->used += size;
    if (kept != NULL) {
        memcpy(kept, text, size);
        block->at += size;
    }
    return kept;
}

static const char *const *keep_list(struct block *block, const char *const *texts)
{
    const char **kept = block->list;
    size_t count = 0;

    if (texts == NULL) {
        return NULL;
    }
    for (; texts[count] != NULL; count++) {
        const char *text = keep(block, texts[count]);

        if (kept != NULL) {
            kept[count] = text;
        }
    }
    if (kept != NULL) {
        kept[count] = NULL;
        block->list += count + 1;
    }
    block->entries += count + 1;
    return kept;
}

/* Copies what `config` points to. */
static void keep_all(struct block *block, const struct recourse_tool *config, struct recourse_tool *copy)
{
    copy->name = keep(block, config->name);
    copy->description = keep(block, config->description);
    copy->server = keep(block, config->server);
    copy->url = keep(block, config->url);
    copy->proxy = keep(block, config->proxy);
    copy->ca_file = keep(block, config->ca_file);
    copy->method = keep(block, config->method != NULL ? config->method : "POST");
    copy->directory = keep(block, config->directory);
    copy->headers = keep_list(block, config->headers);
    copy->command = keep_list(block, config->command);
    copy->environment = keep_list(block, config->environment);
}

static uint8_t own_headers(const struct recourse_tool *config)
{
    static const struct {
        const char *name;
        uint8_t bit;
    } names[] = {
        {"content-type", RCS_OWN_CONTENT_TYPE},
        {"accept", RCS_OWN_ACCEPT},
        {"idempotency-key", RCS_OWN_KEY},
        {"recourse-try", RCS_OWN_TRY},
    };
    uint8_t own = 0;

    for (size_t i = 0; config->headers != NULL && config->headers[i] != NULL; i++) {
        struct recourse_span name = {config->headers[i], strcspn(config->headers[i], ":")};

        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            if (rcs_text_equal_folded(name, names[n].name)) {
                own |= names[n].bit;
            }
        }
    }
    return own;
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
    struct block block = {NULL, 0, NULL, 0};
    struct recourse_tool measured;
    struct rcs_tool *made;
    size_t list_size;
    int code = check(config, error);

    if (code != 0) {
        return code;
    }
    keep_all(&block, config, &measured);
    list_size = block.entries * sizeof(char *);
    made = rcs_alloc(allocator, sizeof *made + list_size + block.used);
    if (made == NULL) {
        return rcs_fail(error, RECOURSE_E_MEMORY, "tool '%s': out of memory", config->name);
    }
    memset(made, 0, sizeof *made);
    made->config = *config;
    block.at = (char *)(made + 1) + list_size;
    block.list = (const char **)(void *)(made + 1);
    keep_all(&block, config, &made->config);
    made->kind = kinds[config->kind];
    made->name_size = strlen(config->name);
    made->own_headers = own_headers(config);
    made->has_query = strcmp(made->config.method, "GET") == 0 || strcmp(made->config.method, "DELETE") == 0;
    if (made->config.connect_timeout_ms == 0) {
        made->config.connect_timeout_ms = CONNECT_TIMEOUT_MS;
    }
    *tool = made;
    return 0;
}
