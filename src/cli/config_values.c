#include "config_values.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

bool rcs_config_wrong(struct rcs_config_reader *reader, const char *format, ...)
{
    int used = snprintf(reader->text, reader->text_size, "%s: %s%s", reader->file, reader->path,
                        *reader->path == '\0' ? "" : ": ");
    va_list list;

    if (used > 0 && (size_t)used < reader->text_size) {
        va_start(list, format);
        vsnprintf(reader->text + used, reader->text_size - (size_t)used, format, list);
        va_end(list);
    }
    return false;
}

size_t rcs_config_enter(struct rcs_config_reader *reader, const char *name)
{
    size_t length = strlen(reader->path);

    snprintf(reader->path + length, RCS_CONFIG_PATH_SIZE - length, "%s%s", length == 0 ? "" : ".", name);
    return length;
}

void rcs_config_leave(struct rcs_config_reader *reader, size_t length)
{
    reader->path[length] = '\0';
}

static const char *key_name(const void *user, size_t index)
{
    const struct rcs_config_key *keys = user;

    return keys[index].name;
}

bool rcs_config_is_first(const cJSON *object, const cJSON *member)
{
    for (const cJSON *other = object->child; other != member; other = other->next) {
        if (strcmp(other->string, member->string) == 0) {
            return false;
        }
    }
    return true;
}

bool rcs_config_unknown_key(struct rcs_config_reader *reader, const cJSON *member, const struct rcs_config_key *keys)
{
    const char *near = rcs_nearest(member->string, key_name, keys);

    return near == NULL ? rcs_config_wrong(reader, "unknown key \"%s\"", member->string)
                        : rcs_config_wrong(reader, "unknown key \"%s\": did you mean \"%s\"?", member->string, near);
}

static bool read_member(struct rcs_config_reader *reader, const cJSON *member, const struct rcs_config_key *key,
                        struct recourse_tool *tool)
{
    size_t back = rcs_config_enter(reader, member->string);
    bool good = key->later != NULL ? rcs_config_wrong(reader, "not in this version: %s", key->later)
                                   : key->read(reader, member, tool);

    rcs_config_leave(reader, good ? back : strlen(reader->path));
    return good;
}

bool rcs_config_object(struct rcs_config_reader *reader, const cJSON *object, const struct rcs_config_key *keys,
                       struct recourse_tool *tool)
{
    if (!cJSON_IsObject(object)) {
        return rcs_config_wrong(reader, "wants an object");
    }
    for (const cJSON *member = object->child; member != NULL; member = member->next) {
        const struct rcs_config_key *key = keys;

        while (key->name != NULL && strcmp(key->name, member->string) != 0) {
            key++;
        }
        if (key->name == NULL) {
            return rcs_config_unknown_key(reader, member, keys);
        }
        if (!rcs_config_is_first(object, member)) {
            return rcs_config_wrong(reader, "\"%s\" is there twice", member->string);
        }
        if (!read_member(reader, member, key, tool)) {
            return false;
        }
    }
    return true;
}

/* ---- values ---- */

bool rcs_config_has_control(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            return true;
        }
    }
    return false;
}

const char *rcs_config_string(struct rcs_config_reader *reader, const cJSON *value)
{
    if (!cJSON_IsString(value) || *value->valuestring == '\0') {
        rcs_config_wrong(reader, "wants a string that is not empty");
        return NULL;
    }
    if (rcs_config_has_control(value->valuestring)) {
        rcs_config_wrong(reader, "has a control character in it");
        return NULL;
    }
    return rcs_arena_copy(reader->arena, value->valuestring, strlen(value->valuestring));
}

bool rcs_config_duration(struct rcs_config_reader *reader, const cJSON *value, uint64_t *ms)
{
    if (!cJSON_IsString(value) || !rcs_duration_read(value->valuestring, ms)) {
        return rcs_config_wrong(reader, "wants a duration such as \"500ms\", \"5s\" or \"2m\", at most 30 days");
    }
    return true;
}

/* ---- variables ---- */


/* What stands for a variable that is unset or empty, as shells have it: from ":-" to the brace. NULL: there is none. */
static const char *read_default(struct rcs_config_reader *reader, const char *at, size_t *size)
{
    *size = 2 + strcspn(at + 2, "}");
    return rcs_arena_copy(reader->arena, at + 2, *size - 2);
}

/* The variable whose name begins at `name`; `*size` is the length of all before the brace. NULL after an error. With `line`
   it has no control characters. */
static const char *read_variable(struct rcs_config_reader *reader, const char *name, bool line, size_t *size)
{
    char text[128];
    size_t name_size = strspn(name, "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    bool has_default = strncmp(name + name_size, ":-", 2) == 0;
    size_t default_size = 0;
    const char *other = has_default ? read_default(reader, name + name_size, &default_size) : NULL;
    const char *value;

    *size = name_size + default_size;
    if (name_size == 0 || name_size >= sizeof text || name[*size] != '}') {
        rcs_config_wrong(reader, "a variable is written ${NAME} or ${NAME:-default}, with letters, digits and _");
        return NULL;
    }
    memcpy(text, name, name_size);
    text[name_size] = '\0';
    value = getenv(text);
    if (has_default && (value == NULL || *value == '\0')) {
        value = other;
    } else if (value != NULL) {
        rcs_secrets_add(reader->arena, reader->secrets, text, value);
    }
    if (value == NULL) {
        rcs_config_wrong(reader, "the variable %s is not set in the environment", text);
        return NULL;
    }
    if (line && rcs_config_has_control(value)) {
        rcs_config_wrong(reader, "the variable %s has a control character in it", text);
        return NULL;
    }
    return value;
}

const char *rcs_config_variables(struct rcs_config_reader *reader, const char *text, const char *value, bool line)
{
    const char *at;

    while ((at = strstr(value, "${")) != NULL) {
        const char *variable;
        size_t size;

        if (at > value && at[-1] == '$') {
            text = rcs_arena_format(reader->arena, "%s%.*s{", text, (int)(at - value), value);
            value = at + 2;
            continue;
        }
        variable = read_variable(reader, at + 2, line, &size);
        if (variable == NULL) {
            return NULL;
        }
        text = rcs_arena_format(reader->arena, "%s%.*s%s", text, (int)(at - value), value, variable);
        value = at + 2 + size + 1;
    }
    return rcs_arena_format(reader->arena, "%s%s", text, value);
}

const char *rcs_config_word(struct rcs_config_reader *reader, const cJSON *value, const char **shown)
{
    if (!cJSON_IsString(value)) {
        rcs_config_wrong(reader, "wants a string");
        return NULL;
    }
    if (shown != NULL) {
        *shown = rcs_arena_copy(reader->arena, value->valuestring, strlen(value->valuestring));
    }
    return rcs_config_variables(reader, "", value->valuestring, false);
}

bool rcs_config_cwd(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool)
{
    tool->directory = rcs_config_word(reader, value, &tool->shown_directory);
    if (tool->directory != NULL && *tool->directory == '\0') {
        return rcs_config_wrong(reader, "wants the path of a directory");
    }
    return tool->directory != NULL;
}
