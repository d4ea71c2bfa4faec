#include "config_values.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "config_server.h"
#include "src/core/json.h"
#include "src/io/header.h"

#define LIMIT_MAX 100000u

/* ---- http ---- */

/* Something before an `@`, in what stands for the server (RFC 3986, 3.2). */
static bool has_credentials(const char *url)
{
    const char *server = strstr(url, "://") + 3;

    return memchr(server, '@', strcspn(server, "/?#\\")) != NULL;
}

static bool read_url(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    const char *url = rcs_config_string(reader, value);

    if (url == NULL) {
        return false;
    }
    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) {
        return rcs_config_wrong(reader, "wants a URL that begins with http:// or https://");
    }
    if (strstr(url, "${") != NULL) {
        return rcs_config_wrong(reader, "no variables here, since a URL is shown: put them into headers");
    }
    if (has_credentials(url)) {
        return rcs_config_wrong(reader, "no password here, since a URL is shown: put it into a header, as ${NAME}");
    }
    tool->url = url;
    return true;
}

static bool read_method(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", NULL};

    for (size_t i = 0; cJSON_IsString(value) && methods[i] != NULL; i++) {
        if (strcmp(value->valuestring, methods[i]) == 0) {
            tool->method = methods[i];
            return true;
        }
    }
    return rcs_config_wrong(reader, "wants one of GET, POST, PUT, PATCH, DELETE");
}

static bool read_connect_timeout(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    return rcs_config_duration(reader, value, &tool->connect_timeout_ms);
}

static bool read_read_timeout(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    return rcs_config_duration(reader, value, &tool->read_timeout_ms);
}

static bool read_ca_file(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    tool->ca_file = rcs_config_string(reader, value);
    return tool->ca_file != NULL;
}

static bool read_proxy(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    const char *text = rcs_config_string(reader, value);

    tool->proxy = text != NULL ? rcs_config_variables(reader, "", text, true) : NULL;
    return tool->proxy != NULL;
}

/* ---- headers ---- */

#define HEADERS_MAX 100u

static bool read_headers(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    const char **lines = rcs_arena_alloc(reader->arena, (HEADERS_MAX + 1) * sizeof *lines);
    size_t count = 0;

    if (!cJSON_IsObject(value)) {
        return rcs_config_wrong(reader, "wants an object of names and values");
    }
    for (const cJSON *member = value->child; member != NULL; member = member->next) {
        size_t size = rcs_header_token_size(member->string);
        size_t back;

        if (size == 0 || member->string[size] != '\0') {
            return rcs_config_wrong(reader, "\"%s\" can't be the name of a header", member->string);
        }
        if (!rcs_config_is_first(value, member)) {
            return rcs_config_wrong(reader, "\"%s\" is there twice", member->string);
        }
        if (count == HEADERS_MAX) {
            return rcs_config_wrong(reader, "more than %u headers", HEADERS_MAX);
        }
        back = rcs_config_enter(reader, member->string);
        if (!cJSON_IsString(member) || rcs_config_has_control(member->valuestring)) {
            return rcs_config_wrong(reader, "wants a string without control characters");
        }
        lines[count] = rcs_config_variables(reader, rcs_arena_format(reader->arena, "%s: ", member->string),
                                     member->valuestring, true);
        if (lines[count++] == NULL) {
            return false;
        }
        rcs_config_leave(reader, back);
    }
    tool->headers = lines;
    return true;
}

static const struct rcs_config_key http_keys[] = {
    {"url", read_url, NULL},
    {"method", read_method, NULL},
    {"headers", read_headers, NULL},
    {"connect_timeout", read_connect_timeout, NULL},
    {"read_timeout", read_read_timeout, NULL},
    {"ca_file", read_ca_file, NULL},
    {"proxy", read_proxy, NULL},
    {NULL, NULL, NULL},
};

/* ---- command ---- */

static bool read_command(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    int count = cJSON_IsArray(value) ? cJSON_GetArraySize(value) : 0;
    const char **words;
    size_t used = 0;

    if (count == 0 || (unsigned)count > RCS_CONFIG_WORDS_MAX) {
        return rcs_config_wrong(reader, "wants a list: the program and its words, at most %u", RCS_CONFIG_WORDS_MAX);
    }
    words = rcs_arena_alloc(reader->arena, ((size_t)count + 1) * sizeof *words);
    for (const cJSON *word = value->child; word != NULL; word = word->next) {
        if (!cJSON_IsString(word)) {
            return rcs_config_wrong(reader, "wants strings, and the first one names a program");
        }
        words[used] = rcs_config_word(reader, word, used == 0 ? &tool->shown_command : NULL);
        if (words[used] == NULL) {
            return false;
        }
        if (used == 0 && *words[0] == '\0') {
            return rcs_config_wrong(reader, "wants strings, and the first one names a program");
        }
        used++;
    }
    words[used] = NULL;
    tool->kind = RECOURSE_TOOL_COMMAND;
    tool->command = words;
    return true;
}

static bool read_env(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    int count = cJSON_IsObject(value) ? cJSON_GetArraySize(value) : 0;
    const char **entries = rcs_arena_alloc(reader->arena, ((size_t)count + 1) * sizeof *entries);
    size_t used = 0;

    if (!cJSON_IsObject(value)) {
        return rcs_config_wrong(reader, "wants an object of names and values");
    }
    for (const cJSON *member = value->child; member != NULL; member = member->next) {
        size_t back;

        if (*member->string == '\0' || strchr(member->string, '=') != NULL) {
            return rcs_config_wrong(reader, "\"%s\" can't be the name of a variable", member->string);
        }
        if (!rcs_config_is_first(value, member)) {
            return rcs_config_wrong(reader, "\"%s\" is there twice", member->string);
        }
        back = rcs_config_enter(reader, member->string);
        if (!cJSON_IsString(member)) {
            return rcs_config_wrong(reader, "wants a string");
        }
        entries[used] = rcs_config_variables(reader, rcs_arena_format(reader->arena, "%s=", member->string),
                                      member->valuestring, false);
        if (entries[used++] == NULL) {
            return false;
        }
        rcs_config_leave(reader, back);
    }
    tool->environment = entries;
    return true;
}

/* ---- tools ---- */

static bool read_name(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    tool->name = rcs_config_string(reader, value);
    return tool->name != NULL;
}

static bool read_description(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    if (!cJSON_IsString(value)) {
        return rcs_config_wrong(reader, "wants a string");
    }
    tool->description = rcs_arena_copy(reader->arena, value->valuestring, strlen(value->valuestring));
    return true;
}

static bool read_http(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    tool->kind = RECOURSE_TOOL_HTTP;
    if (!rcs_config_object(reader, value, http_keys, tool)) {
        return false;
    }
    return tool->url != NULL || rcs_config_wrong(reader, "\"url\" is missing");
}

static bool read_timeout(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    return rcs_config_duration(reader, value, &tool->timeout_ms);
}

static bool read_replay(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    tool->declared_safe = cJSON_IsString(value) && strcmp(value->valuestring, "safe") == 0;
    tool->declared_unsafe = cJSON_IsString(value) && strcmp(value->valuestring, "unsafe") == 0;
    return tool->declared_safe || tool->declared_unsafe || rcs_config_wrong(reader, "wants \"safe\" or \"unsafe\"");
}

static bool read_approval(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    static const struct {
        const char *name;
        uint8_t mode;
    } modes[] = {
        {"never", RECOURSE_APPROVE_NEVER},
        {"always", RECOURSE_APPROVE_ALWAYS},
        {"annotation", RECOURSE_APPROVE_BY_ANNOTATION},
    };

    for (size_t i = 0; cJSON_IsString(value) && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(value->valuestring, modes[i].name) == 0) {
            tool->approval = modes[i].mode;
            return true;
        }
    }
    return rcs_config_wrong(reader, "wants \"never\", \"always\" or \"annotation\"");
}

static bool read_read_only(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    tool->read_only = cJSON_IsTrue(value);
    return cJSON_IsBool(value) || rcs_config_wrong(reader, "wants true or false");
}

static bool read_limit(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    if (!cJSON_IsNumber(value) || !(value->valuedouble >= 1) || !(value->valuedouble <= LIMIT_MAX) ||
        value->valuedouble != (double)(unsigned)value->valuedouble) {
        return rcs_config_wrong(reader, "wants a whole number from 1 to %u: how many tries at once", LIMIT_MAX);
    }
    tool->limit = (unsigned)value->valuedouble;
    return true;
}

static bool read_server(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    tool->server = rcs_config_string(reader, value);
    return tool->server != NULL;
}

static bool read_policy(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    const char *source = rcs_config_string(reader, value);
    char text[512];

    if (source == NULL) {
        return false;
    }
    tool->policy = rcs_policies_open(reader->policies, source, text, sizeof text);
    return tool->policy != NULL || rcs_config_wrong(reader, "%s", text);
}

static const struct rcs_config_key tool_keys[] = {
    {"name", read_name, NULL},
    {"description", read_description, NULL},
    {"http", read_http, NULL},
    {"command", read_command, NULL},
    {"env", read_env, NULL},
    {"cwd", rcs_config_cwd, NULL},
    {"timeout", read_timeout, NULL},
    {"replay", read_replay, NULL},
    {"policy", read_policy, NULL},
    {"approval", read_approval, NULL},
    {"read_only", read_read_only, NULL},
    {"limit", read_limit, NULL},
    {"server", read_server, NULL},
    {NULL, NULL, NULL},
};

static bool check_kind(struct rcs_config_reader *reader, const struct recourse_tool *tool)
{
    if (tool->url == NULL && tool->command == NULL) {
        return rcs_config_wrong(reader, "\"http\" or \"command\" is missing: what is this tool?");
    }
    if (tool->url != NULL && tool->command != NULL) {
        return rcs_config_wrong(reader, "has \"http\" and \"command\": choose one");
    }
    if (tool->command == NULL && (tool->environment != NULL || tool->directory != NULL)) {
        return rcs_config_wrong(reader, "\"%s\" is for commands", tool->environment != NULL ? "env" : "cwd");
    }
    return true;
}

static bool read_tool(struct rcs_config_reader *reader, const cJSON *value, struct rcs_config *config)
{
    struct recourse_tool *tool =
        rcs_arena_push(reader->arena, &config->tools, &config->count, sizeof *config->tools);

    tool->size = sizeof *tool;
    if (!rcs_config_object(reader, value, tool_keys, tool)) {
        return false;
    }
    if (tool->name == NULL) {
        return rcs_config_wrong(reader, "\"name\" is missing");
    }
    return check_kind(reader, tool);
}

static bool read_tools(struct rcs_config_reader *reader, const cJSON *array, struct rcs_config *config)
{
    size_t index = 0;

    if (!cJSON_IsArray(array)) {
        snprintf(reader->path, RCS_CONFIG_PATH_SIZE, "tools");
        return rcs_config_wrong(reader, "wants a list");
    }
    for (const cJSON *item = array->child; item != NULL; item = item->next) {
        snprintf(reader->path, RCS_CONFIG_PATH_SIZE, "tools[%zu]", index++);
        if (!read_tool(reader, item, config)) {
            return false;
        }
    }
    return true;
}

/* ---- servers ---- */

static bool read_trusted(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    rcs_config_draft_of(tool)->trusted = cJSON_IsTrue(value);
    return cJSON_IsBool(value) || rcs_config_wrong(reader, "wants true or false");
}

static bool read_era(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    static const char *const eras[RECOURSE_MCP_ERA_COUNT] = {"auto", "legacy", "modern"};

    for (uint8_t i = 0; i < RECOURSE_MCP_ERA_COUNT; i++) {
        if (cJSON_IsString(value) && strcmp(value->valuestring, eras[i]) == 0) {
            rcs_config_draft_of(tool)->era = i;
            return true;
        }
    }
    return rcs_config_wrong(reader, "wants \"auto\", \"legacy\" or \"modern\"");
}

static bool read_elicitation(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    struct rcs_config_server_draft *draft = rcs_config_draft_of(tool);

    draft->elicit_defaults = cJSON_IsString(value) && strcmp(value->valuestring, "defaults") == 0;
    return draft->elicit_defaults || rcs_config_wrong(reader, "wants \"defaults\", or to be left out");
}

static bool read_prefix(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    rcs_config_draft_of(tool)->prefix = rcs_config_string(reader, value);
    return rcs_config_draft_of(tool)->prefix != NULL;
}

static bool read_allowed(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    int count = cJSON_IsArray(value) ? cJSON_GetArraySize(value) : 0;
    const char **names = rcs_arena_alloc(reader->arena, ((size_t)count + 1) * sizeof *names);
    size_t used = 0;

    if (!cJSON_IsArray(value)) {
        return rcs_config_wrong(reader, "wants a list of names: the tools that are taken");
    }
    for (const cJSON *name = value->child; name != NULL; name = name->next) {
        names[used] = rcs_config_string(reader, name);
        if (names[used++] == NULL) {
            return false;
        }
    }
    names[used] = NULL;
    rcs_config_draft_of(tool)->tools = names;
    return true;
}

static const struct rcs_config_key server_keys[] = {
    {"url", read_url, NULL},
    {"type", rcs_config_server_type, NULL},
    {"headers", read_headers, NULL},
    {"policy", read_policy, NULL},
    {"timeout", read_timeout, NULL},
    {"connect_timeout", read_connect_timeout, NULL},
    {"read_timeout", read_read_timeout, NULL},
    {"ca_file", read_ca_file, NULL},
    {"proxy", read_proxy, NULL},
    {"replay", read_replay, NULL},
    {"approval", read_approval, NULL},
    {"trusted", read_trusted, NULL},
    {"era", read_era, NULL},
    {"elicitation", read_elicitation, NULL},
    {"limit", read_limit, NULL},
    {"tools", read_allowed, NULL},
    {"prefix", read_prefix, NULL},
    {"command", rcs_config_server_program, NULL},
    {"args", rcs_config_server_args, NULL},
    {"env", read_env, NULL},
    {"cwd", rcs_config_cwd, NULL},
    {NULL, NULL, NULL},
};

static void take_server(struct recourse_mcp_server *server, const struct rcs_config_server_draft *draft)
{
    const struct recourse_tool *tool = &draft->tool;

    *server = (struct recourse_mcp_server){
        .size = sizeof *server,
        .name = tool->name,
        .url = tool->url,
        .headers = tool->headers,
        .proxy = tool->proxy,
        .ca_file = tool->ca_file,
        .environment = tool->environment,
        .directory = tool->directory,
        .shown_command = tool->shown_command,
        .shown_directory = tool->shown_directory,
        .prefix = draft->prefix,
        .tools = draft->tools,
        .policy = tool->policy,
        .timeout_ms = tool->timeout_ms,
        .connect_timeout_ms = tool->connect_timeout_ms,
        .read_timeout_ms = tool->read_timeout_ms,
        .limit = tool->limit,
        .approval = tool->approval,
        .declared_unsafe = tool->declared_unsafe,
        .declared_safe = tool->declared_safe,
        .trusted = draft->trusted,
        .era = draft->era,
        .elicit_defaults = draft->elicit_defaults,
    };
}

static bool read_servers(struct rcs_config_reader *reader, const cJSON *object, struct rcs_config *config)
{
    snprintf(reader->path, RCS_CONFIG_PATH_SIZE, "mcpServers");
    if (!cJSON_IsObject(object)) {
        return rcs_config_wrong(reader, "wants an object of names and servers");
    }
    for (const cJSON *member = object->child; member != NULL; member = member->next) {
        struct recourse_mcp_server *server =
            rcs_arena_push(reader->arena, &config->servers, &config->server_count, sizeof *config->servers);
        struct rcs_config_server_draft draft = {.trusted = false};
        size_t back;

        if (*member->string == '\0' || rcs_config_has_control(member->string)) {
            return rcs_config_wrong(reader, "a server's name can't be empty, nor have control characters in it");
        }
        if (!rcs_config_is_first(object, member)) {
            return rcs_config_wrong(reader, "\"%s\" is there twice", member->string);
        }
        back = rcs_config_enter(reader, member->string);
        draft.tool.name = rcs_arena_copy(reader->arena, member->string, strlen(member->string));
        if (!rcs_config_object(reader, member, server_keys, &draft.tool)) {
            return false;
        }
        if (!rcs_config_check_server(reader, &draft)) {
            return false;
        }
        take_server(server, &draft);
        server->command = rcs_config_server_command(reader, &draft);
        rcs_config_leave(reader, back);
    }
    return true;
}

static const struct rcs_config_key top_keys[] = {
    {"tools", NULL, NULL},
    {"mcpServers", NULL, NULL},
    {NULL, NULL, NULL},
};

static bool read_top(struct rcs_config_reader *reader, const cJSON *top, struct rcs_config *config)
{
    const cJSON *tools = NULL;
    const cJSON *servers = NULL;

    if (!cJSON_IsObject(top)) {
        return rcs_config_wrong(reader, "wants an object, such as {\"tools\":[...]}");
    }
    for (const cJSON *member = top->child; member != NULL; member = member->next) {
        bool is_tools = strcmp(member->string, "tools") == 0;

        if (!is_tools && strcmp(member->string, "mcpServers") != 0) {
            return rcs_config_unknown_key(reader, member, top_keys);
        }
        if (!rcs_config_is_first(top, member)) {
            return rcs_config_wrong(reader, "\"%s\" is there twice", member->string);
        }
        *(is_tools ? &tools : &servers) = member;
    }
    if (tools == NULL && servers == NULL) {
        return rcs_config_wrong(reader, "\"tools\" is missing, or \"mcpServers\"");
    }
    return (tools == NULL || read_tools(reader, tools, config)) &&
           (servers == NULL || read_servers(reader, servers, config));
}

/* ---- the text ---- */

static bool wrong_at(struct rcs_config_reader *reader, const char *json, size_t offset, const char *what)
{
    size_t line = 1;
    size_t column = 1;

    for (size_t i = 0; i < offset; i++) {
        column = json[i] == '\n' ? 1 : column + 1;
        line += json[i] == '\n';
    }
    snprintf(reader->text, reader->text_size, "%s:%zu:%zu: %s", reader->file, line, column, what);
    return false;
}

/* cJSON ends a string at \u0000, silently. In well-formed JSON backslashes stand in strings only. */
static bool find_nul(const char *json, size_t size, size_t *offset)
{
    for (size_t i = 0; i + 1 < size; i++) {
        if (json[i] != '\\') {
            continue;
        }
        if (size - i >= 6 && memcmp(json + i, "\\u0000", 6) == 0) {
            *offset = i;
            return true;
        }
        i++;
    }
    return false;
}

bool rcs_config_read(struct rcs_arena *arena, const char *path, const char *json, size_t size,
                     struct rcs_policies *policies, struct rcs_config *config, char *text, size_t text_size)
{
    struct rcs_config_reader reader = {arena, policies, path, "", text, text_size, &config->secrets};
    struct recourse_span span = {json, size};
    size_t offset = 0;
    const char *end = NULL;
    cJSON *top;
    bool good;

    memset(config, 0, sizeof *config);
    config->path = path;
    if (rcs_json_check(span, false, &offset) != RCS_JSON_GOOD) {
        return wrong_at(&reader, json, offset, "this is not JSON");
    }
    if (find_nul(json, size, &offset)) {
        return wrong_at(&reader, json, offset, "a NUL in a string");
    }
    top = cJSON_ParseWithLengthOpts(json, size, &end, 0);
    if (top == NULL) {
        return wrong_at(&reader, json, end == NULL ? 0 : (size_t)(end - json), "this can't be read as text");
    }
    good = read_top(&reader, top, config);
    cJSON_Delete(top);
    return good;
}
