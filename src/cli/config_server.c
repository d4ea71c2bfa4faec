#include "config_server.h"

#include <string.h>

/* Other programs that share the file have it. */
bool rcs_config_server_type(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    const char *type = cJSON_IsString(value) ? value->valuestring : "";

    rcs_config_draft_of(tool)->is_http = strcmp(type, "http") == 0 || strcmp(type, "streamable-http") == 0;
    rcs_config_draft_of(tool)->is_program = strcmp(type, "stdio") == 0;
    return rcs_config_draft_of(tool)->is_http || rcs_config_draft_of(tool)->is_program ||
           rcs_config_wrong(reader, "wants \"http\", \"streamable-http\" or \"stdio\"");
}

bool rcs_config_server_program(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    const char *program = rcs_config_word(reader, value, &tool->shown_command);

    if (program != NULL && *program == '\0') {
        return rcs_config_wrong(reader, "wants the name of a program; its words stand in \"args\"");
    }
    rcs_config_draft_of(tool)->program = program;
    return program != NULL;
}

bool rcs_config_server_args(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    struct rcs_config_server_draft *draft = rcs_config_draft_of(tool);
    int count = cJSON_IsArray(value) ? cJSON_GetArraySize(value) : 0;
    const char **words = rcs_arena_alloc(reader->arena, ((size_t)count + 1) * sizeof *words);

    if (!cJSON_IsArray(value) || (unsigned)count >= RCS_CONFIG_WORDS_MAX) {
        return rcs_config_wrong(reader, "wants a list: the program's words, fewer than %u", RCS_CONFIG_WORDS_MAX);
    }
    for (const cJSON *word = value->child; word != NULL; word = word->next) {
        words[draft->word_count] = rcs_config_word(reader, word, NULL);
        if (words[draft->word_count++] == NULL) {
            return false;
        }
    }
    draft->words = words;
    return true;
}

bool rcs_config_check_server(struct rcs_config_reader *reader, const struct rcs_config_server_draft *draft)
{
    const struct recourse_tool *tool = &draft->tool;
    const struct {
        bool is;
        const char *name;
        const char *belongs;
    } members[] = {
        {tool->url == NULL && draft->is_http, "type", "servers with a \"url\""},
        {tool->url == NULL && tool->headers != NULL, "headers", "servers with a \"url\""},
        {tool->url == NULL && tool->proxy != NULL, "proxy", "servers with a \"url\""},
        {tool->url == NULL && tool->ca_file != NULL, "ca_file", "servers with a \"url\""},
        {tool->url == NULL && tool->connect_timeout_ms > 0, "connect_timeout", "servers with a \"url\""},
        {tool->url != NULL && draft->is_program, "type", "servers with a \"command\""},
        {tool->url != NULL && draft->words != NULL, "args", "servers with a \"command\""},
        {tool->url != NULL && tool->environment != NULL, "env", "servers with a \"command\""},
        {tool->url != NULL && tool->directory != NULL, "cwd", "servers with a \"command\""},
    };

    if (tool->url == NULL && draft->program == NULL) {
        return rcs_config_wrong(reader, "\"url\" or \"command\" is missing: where is this server?");
    }
    if (tool->url != NULL && draft->program != NULL) {
        return rcs_config_wrong(reader, "has \"url\" and \"command\": choose one");
    }
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (members[i].is) {
            return rcs_config_wrong(reader, "this \"%s\" is for %s", members[i].name, members[i].belongs);
        }
    }
    return true;
}

const char *const *rcs_config_server_command(struct rcs_config_reader *reader, const struct rcs_config_server_draft *draft)
{
    const char **words;

    if (draft->program == NULL) {
        return NULL;
    }
    words = rcs_arena_alloc(reader->arena, (draft->word_count + 2) * sizeof *words);
    words[0] = draft->program;
    for (size_t i = 0; i < draft->word_count; i++) {
        words[i + 1] = draft->words[i];
    }
    words[draft->word_count + 1] = NULL;
    return words;
}
