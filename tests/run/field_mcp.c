/* MCP servers of a case: what they are told to do, what they saw, and whether that is what the line says. */
#include "tests/run/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/server/mcp_parts.h"

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(member(object, name));

    return text == NULL ? "" : text;
}

/* ---- setting up ---- */

bool rcs_field_mcp_open(struct rcs_field *field)
{
    const cJSON *scripts = rcs_field_member(field, "mcp");
    const cJSON *script;

    if (scripts == NULL) {
        return true;
    }
    field->mcp = rcs_mcp_new(field->server, RCS_FIELD_MCP_PATH);
    cJSON_ArrayForEach(script, scripts) {
        char why[256] = "it is no text";
        if (!cJSON_IsString(script) ||
            !rcs_mcp_script(field->mcp, script->string, script->valuestring, why, sizeof why)) {
            rcs_field_fault(field, "the script of %s: %s", script->string, why);
            return false;
        }
    }
    return true;
}

/* It stands two folders above this program. */
void rcs_field_mcp_program(struct rcs_bytes *out)
{
    char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);

    path[size < 0 ? 0 : size] = '\0';
    for (int i = 0; i < 3 && strrchr(path, '/') != NULL; i++) {
        *strrchr(path, '/') = '\0';
    }
    rcs_bytes_format(out, "%s/mcp-server", path);
}

/* ---- what they saw ---- */

static void add_line(cJSON *list, const char *line, size_t size)
{
    cJSON *entry = cJSON_ParseWithLength(line, size);

    if (entry != NULL) {
        cJSON_AddItemToArray(list, entry);
    }
}

/* The log of a process, a line a message; one that is still being written is left out. */
static void read_log(const struct rcs_field *field, const char *name, cJSON *list)
{
    char path[96];
    size_t size = 0;
    char *text = rcs_field_read(rcs_field_path(field, name, path), &size);
    const char *line = text;
    const char *end;

    while (line != NULL && (end = strchr(line, '\n')) != NULL) {
        add_line(list, line, (size_t)(end - line));
        line = end + 1;
    }
    free(text);
}

static cJSON *entry_from(const struct rcs_mcp_seen *seen)
{
    cJSON *entry = cJSON_CreateObject();
    char *note = rcs_mcp_note(seen);

    cJSON_AddNumberToObject(entry, "at_ms", (double)(seen->at_us / 1000u));
    cJSON_AddItemToObject(entry, "mcp", cJSON_Parse(note));
    cJSON_AddStringToObject(entry, "body", seen->body);
    cJSON_AddStringToObject(entry, "http_method", seen->http_method);
    free(note);
    return entry;
}

/* The same of the server at /mcp, which goes on meanwhile. */
static void read_seen(const struct rcs_field *field, cJSON *list)
{
    if (field->mcp == NULL) {
        return;
    }
    pthread_mutex_lock(&field->mcp->lock);
    for (size_t i = 0; i < field->mcp->seen_count; i++) {
        cJSON_AddItemToArray(list, entry_from(field->mcp->seen[i]));
    }
    pthread_mutex_unlock(&field->mcp->lock);
}

static cJSON *seen_by(const struct rcs_field *field, const char *where)
{
    cJSON *list = cJSON_CreateArray();

    if (strcmp(where, RCS_FIELD_MCP_PATH) == 0) {
        read_seen(field, list);
    } else {
        read_log(field, where, list);
    }
    return list;
}

/* "resume" is a GET with a Last-Event-ID, "GET" one without; all else is the method of the message, or of HTTP. */
static bool is_of(const cJSON *entry, const char *method)
{
    const cJSON *message = member(entry, "mcp");
    bool get = strcmp(text_of(entry, "http_method"), "GET") == 0;

    if (get) {
        return strcmp(method, text_of(message, "last_event")[0] == '\0' ? "GET" : "resume") == 0;
    }
    return strcmp(method, text_of(message, "method")) == 0 || strcmp(method, text_of(entry, "http_method")) == 0;
}

static const cJSON *entry_of(const cJSON *list, const char *method, size_t index)
{
    const cJSON *entry;

    cJSON_ArrayForEach(entry, list) {
        if (is_of(entry, method) && index-- == 0) {
            return entry;
        }
    }
    return NULL;
}

static size_t count_of(const cJSON *list, const char *method)
{
    size_t count = 0;

    while (entry_of(list, method, count) != NULL) {
        count++;
    }
    return count;
}

static uint64_t gap_of(const cJSON *list, size_t index)
{
    const cJSON *before = entry_of(list, "tools/call", index);
    const cJSON *after = entry_of(list, "tools/call", index + 1);

    return before == NULL || after == NULL
               ? 0
               : (uint64_t)member(after, "at_ms")->valuedouble - (uint64_t)member(before, "at_ms")->valuedouble;
}

size_t rcs_field_mcp_count(const struct rcs_field *field, const char *where, const char *method)
{
    cJSON *list = seen_by(field, where);
    size_t count = count_of(list, method);

    cJSON_Delete(list);
    return count;
}

size_t rcs_field_mcp_calls(const struct rcs_field *field)
{
    return rcs_field_mcp_count(field, RCS_FIELD_MCP_PATH, "tools/call");
}

uint64_t rcs_field_mcp_gap_ms(const struct rcs_field *field, size_t index)
{
    cJSON *list = seen_by(field, RCS_FIELD_MCP_PATH);
    uint64_t gap = gap_of(list, index);

    cJSON_Delete(list);
    return gap;
}

/* ---- what the line says of it ---- */

struct judged {
    struct rcs_field *field;
    const char *where;
    const cJSON *list;
};

static void check_count(const struct judged *judged, const char *what, size_t count, const cJSON *expected)
{
    if ((double)count != expected->valuedouble) {
        rcs_field_fault(judged->field, "%s: %s is %zu, not %.0f", judged->where, what, count, expected->valuedouble);
    }
}

/* How often tools were executed, in all processes of the server. */
static void check_runs(const struct judged *judged, const cJSON *expected)
{
    const cJSON *call;
    size_t runs = 0;

    for (size_t i = 0; (call = entry_of(judged->list, "tools/call", i)) != NULL; i++) {
        runs += member(member(call, "mcp"), "runs")->valuedouble > 0;
    }
    check_count(judged, "runs", runs, expected);
}

static void check_gaps(const struct judged *judged, const cJSON *expected)
{
    const cJSON *least;
    size_t index = 0;

    cJSON_ArrayForEach(least, expected) {
        uint64_t gap = gap_of(judged->list, index++);
        if ((double)gap < least->valuedouble) {
            rcs_field_fault(judged->field, "%s: gap %zu is %llu ms, less than %.0f", judged->where, index - 1,
                            (unsigned long long)gap, least->valuedouble);
        }
    }
}

/* The texts have to be in the body of every call. */
static void check_bodies(const struct judged *judged, const cJSON *expected)
{
    const cJSON *text;
    const cJSON *call;

    cJSON_ArrayForEach(text, expected) {
        for (size_t i = 0; (call = entry_of(judged->list, "tools/call", i)) != NULL; i++) {
            if (strstr(text_of(call, "body"), text->valuestring) == NULL) {
                rcs_field_fault(judged->field, "%s: '%s' is not in %.400s", judged->where, text->valuestring,
                                text_of(call, "body"));
            }
        }
    }
}

/* A member of `_meta`, as it stands there. */
static struct recourse_span meta_of(const cJSON *call, const char *name)
{
    const char *body = text_of(call, "body");
    struct recourse_span text = {body, strlen(body)};
    struct recourse_span meta = rcs_json_member(rcs_json_member(text, "params"), "_meta");

    return rcs_json_trim(rcs_json_member(meta, name));
}

static struct recourse_span key_of(const struct judged *judged, size_t index)
{
    return meta_of(entry_of(judged->list, "tools/call", index), "recourse/idempotencyKey");
}

/* How many different keys there are: one for each call, however often it is tried. */
static void check_keys(const struct judged *judged, const cJSON *expected)
{
    size_t calls = count_of(judged->list, "tools/call");
    size_t count = 0;

    for (size_t i = 0; i < calls; i++) {
        struct recourse_span key = key_of(judged, i);
        size_t other = 0;
        if (key.size != 34 || strspn(key.data + 1, "0123456789abcdef") != 32) {
            rcs_field_fault(judged->field, "%s: the key of call %zu is '%.*s'", judged->where, i, (int)key.size,
                            key.data);
            return;
        }
        while (other < i && memcmp(key_of(judged, other).data, key.data, key.size) != 0) {
            other++;
        }
        count += other == i;
    }
    check_count(judged, "keys", count, expected);
}

static void check_tries(const struct judged *judged, const cJSON *expected)
{
    const cJSON *number;
    size_t index = 0;

    cJSON_ArrayForEach(number, expected) {
        struct recourse_span try = meta_of(entry_of(judged->list, "tools/call", index++), "recourse/try");
        if (try.size == 0 || strtod(try.data, NULL) != number->valuedouble) {
            rcs_field_fault(judged->field, "%s: call %zu says that it is try %.*s, not %.0f", judged->where, index - 1,
                            (int)try.size, try.data, number->valuedouble);
        }
    }
}

static void check_server(const struct judged *judged, const cJSON *expected)
{
    static const struct {
        const char *name;
        void (*check)(const struct judged *judged, const cJSON *expected);
    } checks[] = {{"runs", check_runs},
                  {"gaps_min_ms", check_gaps},
                  {"calls_have", check_bodies},
                  {"keys", check_keys},
                  {"tries", check_tries}};
    const size_t count = sizeof checks / sizeof checks[0];
    const cJSON *one;

    cJSON_ArrayForEach(one, expected) {
        size_t i = 0;
        while (i < count && strcmp(checks[i].name, one->string) != 0) {
            i++;
        }
        if (i < count) {
            checks[i].check(judged, one);
        } else {
            check_count(judged, one->string, count_of(judged->list, one->string), one);
        }
    }
}

void rcs_field_judge_mcp(struct rcs_field *field, const cJSON *expect)
{
    const cJSON *server;

    cJSON_ArrayForEach(server, member(expect, "mcp")) {
        cJSON *list = seen_by(field, server->string);
        struct judged judged = {field, server->string, list};

        check_server(&judged, server);
        cJSON_Delete(list);
    }
}
