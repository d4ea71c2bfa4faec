#include "gen/sample.h"

#include <string.h>
#include <strings.h>

#include "src/core/phrase.h"

#define NESTING_MAX 32u

bool rcs_wants(const struct rcs_wanted *wanted, uint8_t kind)
{
    for (size_t i = 0; i < wanted->count; i++) {
        if (wanted->atoms[i]->kind == kind) {
            return true;
        }
    }
    return false;
}

static const char *joined_texts(struct rcs_arena *arena, const struct rcs_wanted *wanted, uint8_t text, uint8_t word,
                                const char *around)
{
    struct rcs_string out = {.arena = arena};

    for (size_t i = 0; i < wanted->count; i++) {
        if (wanted->atoms[i]->kind == text || wanted->atoms[i]->kind == word) {
            const char *sides = wanted->atoms[i]->kind == text ? around : "";

            rcs_append_text(&out, rcs_arena_format(arena, "%s%s%s%s", out.size > 0 ? "\n" : "", sides,
                                                   wanted->atoms[i]->value, sides));
        }
    }
    return out.data == NULL ? "" : out.data;
}

static void append_string(struct rcs_string *out, const char *text)
{
    rcs_append_text(out, "\"");
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            rcs_append_text(out, "\\n");
            continue;
        }
        if (*text == '"' || *text == '\\') {
            rcs_append_text(out, "\\");
        }
        rcs_append(out, text, 1);
    }
    rcs_append_text(out, "\"");
}

/* The first token of a pointer, unescaped, and where the rest begins. */
static const char *first_token(struct rcs_arena *arena, const char *pointer, const char **rest)
{
    size_t length = strcspn(pointer + 1, "/");
    char *token = rcs_arena_copy(arena, pointer + 1, length);
    char *to = token;

    *rest = pointer + 1 + length;
    for (const char *from = token; *from != '\0'; from++, to++) {
        *to = *from;
        if (*from == '~' && from[1] != '\0') {
            *to = *++from == '1' ? '/' : '~';
        }
    }
    *to = '\0';
    return token;
}

/* A value that has all that is wanted at pointers which begin with the same tokens. */
struct json {
    const char **pointers; /* what is left of them */
    const char **values;
    size_t count;
};

/* What is wanted at one place: all of it in one text. NULL if some of it is wanted inside. */
static const char *text_here(struct rcs_arena *arena, const struct json *json)
{
    const char *value = json->values[0];

    for (size_t i = 0; i < json->count; i++) {
        if (json->pointers[i][0] != '\0') {
            return NULL;
        }
        if (i > 0 && strcmp(json->values[i], json->values[0]) != 0) {
            value = rcs_arena_format(arena, "%s %s", value, json->values[i]);
        }
    }
    return value;
}

/* Those of `json` from `begin` on that are wanted in the member `name`; they are done then. */
static struct json members(struct rcs_arena *arena, const struct json *json, size_t begin, const char *name, bool *done)
{
    struct json inner = {rcs_arena_alloc(arena, json->count * sizeof(char *)),
                         rcs_arena_alloc(arena, json->count * sizeof(char *)), 0};

    for (size_t i = begin; i < json->count; i++) {
        const char *rest;

        if (json->pointers[i][0] == '/' && strcmp(first_token(arena, json->pointers[i], &rest), name) == 0) {
            done[i] = true;
            inner.pointers[inner.count] = rest;
            inner.values[inner.count++] = json->values[i];
        }
    }
    return inner;
}

static bool append_json(struct rcs_arena *arena, struct rcs_string *out, const struct json *json, unsigned depth)
{
    bool *done = rcs_arena_alloc(arena, json->count);
    const char *between = "{";

    if (depth > NESTING_MAX) {
        return false;
    }
    if (json->pointers[0][0] == '\0') {
        const char *text = text_here(arena, json);

        append_string(out, text == NULL ? "" : text);
        return text != NULL;
    }
    for (size_t i = 0; i < json->count; i++) {
        struct json inner;
        const char *name;
        const char *rest;

        if (done[i]) {
            continue;
        }
        if (json->pointers[i][0] != '/') {
            return false; /* a text and an object at one place */
        }
        name = first_token(arena, json->pointers[i], &rest);
        inner = members(arena, json, i, name, done);
        rcs_append_text(out, between);
        append_string(out, name);
        rcs_append_text(out, ":");
        if (!append_json(arena, out, &inner, depth + 1)) {
            return false;
        }
        between = ",";
    }
    rcs_append_text(out, "}");
    return true;
}

/* JSON that meets the conditions of two kinds; "" for none, NULL where it can't be. */
static const char *made_json(struct rcs_arena *arena, const struct rcs_wanted *wanted, uint8_t is, uint8_t has)
{
    struct json json = {rcs_arena_alloc(arena, RCS_SAMPLE_ATOMS_MAX * sizeof(char *)),
                        rcs_arena_alloc(arena, RCS_SAMPLE_ATOMS_MAX * sizeof(char *)), 0};
    struct rcs_string out = {.arena = arena};

    for (size_t i = 0; i < wanted->count; i++) {
        if (wanted->atoms[i]->kind == is || wanted->atoms[i]->kind == has) {
            json.pointers[json.count] = wanted->atoms[i]->name;
            json.values[json.count++] = wanted->atoms[i]->value;
        }
    }
    if (json.count == 0) {
        return "";
    }
    return append_json(arena, &out, &json, 0) ? out.data : NULL;
}

static struct recourse_span span(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

static void set_headers(struct rcs_arena *arena, const struct rcs_wanted *wanted, struct recourse_facts *facts)
{
    struct recourse_header *headers = NULL;

    for (size_t i = 0; i < wanted->count; i++) {
        if (wanted->atoms[i]->kind == RECOURSE_ATOM_HEADER_IS || wanted->atoms[i]->kind == RECOURSE_ATOM_HEADER_HAS) {
            *(struct recourse_header *)rcs_arena_push(arena, &headers, &facts->header_count, sizeof *headers) =
                (struct recourse_header){span(wanted->atoms[i]->name), span(wanted->atoms[i]->value)};
        }
    }
    facts->headers = headers;
}

static void set_carrier(struct recourse_facts *facts, uint8_t carrier)
{
    facts->tool_error = facts->tool_error || carrier == RCS_CARRIER_TOOL_ERROR;
    facts->network = carrier == RCS_CARRIER_NETWORK ? RECOURSE_NETWORK_OTHER : facts->network;
    facts->timeout = carrier == RCS_CARRIER_TIMEOUT ? RECOURSE_TIMEOUT_OTHER : facts->timeout;
    facts->protocol = facts->protocol || carrier == RCS_CARRIER_PROTOCOL;
    facts->session_expired = facts->session_expired || carrier == RCS_CARRIER_SESSION;
    facts->too_large = facts->too_large || carrier == RCS_CARRIER_TOO_LARGE;
    facts->spawn = facts->spawn || carrier == RCS_CARRIER_SPAWN;
    facts->signal = carrier == RCS_CARRIER_SIGNAL ? 9 : facts->signal;
    facts->interrupted = facts->interrupted || carrier == RCS_CARRIER_INTERRUPTED;
    if (carrier == RCS_CARRIER_RPC && !facts->has_rpc) {
        facts->has_rpc = true;
        facts->rpc = 1; /* no range of a policy, as likely as not */
    }
    if (carrier == RCS_CARRIER_EXIT && !facts->has_exit) {
        facts->has_exit = true;
        facts->exit_status = 1;
    }
}

bool rcs_sample_make(struct rcs_arena *arena, const struct rcs_wanted *wanted, const struct rcs_choice *choice,
                       struct recourse_facts *facts)
{
    const char *text = joined_texts(arena, wanted, RECOURSE_ATOM_TEXT, RECOURSE_ATOM_WORD, choice->around);
    const char *result = joined_texts(arena, wanted, RECOURSE_ATOM_RESULT_TEXT, RECOURSE_ATOM_RESULT_WORD, choice->around);
    const char *json = made_json(arena, wanted, RECOURSE_ATOM_JSON_IS, RECOURSE_ATOM_JSON_HAS);
    const char *structured = made_json(arena, wanted, RECOURSE_ATOM_RESULT_JSON_IS, RECOURSE_ATOM_RESULT_JSON_HAS);

    if (json == NULL || structured == NULL) {
        return false;
    }
    memset(facts, 0, sizeof *facts);
    facts->http = choice->http < 0 ? 0 : (uint16_t)choice->http;
    facts->phrase = span(choice->phrase && facts->http != 0 ? rcs_http_phrase(facts->http) : "");
    facts->has_rpc = choice->has_rpc;
    facts->rpc = choice->has_rpc ? choice->rpc : 0;
    facts->has_exit = choice->exit_status >= 0;
    facts->exit_status = facts->has_exit ? (int)choice->exit_status : 0;
    facts->network = choice->network;
    facts->timeout = choice->timeout;
    facts->tool = choice->tool;
    facts->unsent = rcs_wants(wanted, RECOURSE_ATOM_UNSENT);
    facts->interrupted = rcs_wants(wanted, RECOURSE_ATOM_INTERRUPTED);
    facts->tool_error = rcs_wants(wanted, RECOURSE_ATOM_TOOL_ERROR);
    facts->session_expired = rcs_wants(wanted, RECOURSE_ATOM_SESSION_EXPIRED);
    facts->protocol = rcs_wants(wanted, RECOURSE_ATOM_PROTOCOL);
    facts->too_large = rcs_wants(wanted, RECOURSE_ATOM_TOO_LARGE);
    facts->spawn = rcs_wants(wanted, RECOURSE_ATOM_SPAWN);
    facts->signal = rcs_wants(wanted, RECOURSE_ATOM_SIGNAL) ? 9 : 0;
    facts->text = span(*text == '\0' && choice->carrier == RCS_CARRIER_TEXT ? "\n" : text);
    facts->json = span(json);
    facts->result = span(result);
    facts->structured = span(structured);
    set_headers(arena, wanted, facts);
    set_carrier(facts, choice->carrier);
    return true;
}

/* ---- as text ---- */

static void append_key(struct rcs_string *out, const char *key)
{
    rcs_append_text(out, out->size > 1 ? "," : "");
    append_string(out, key);
    rcs_append_text(out, ":");
}

static void append_text(struct rcs_string *out, const char *key, struct recourse_span text)
{
    if (text.size > 0) {
        append_key(out, key);
        append_string(out, rcs_arena_copy(out->arena, text.data, text.size));
    }
}

static void append_number(struct rcs_string *out, const char *key, bool there, int64_t number)
{
    if (there) {
        append_key(out, key);
        rcs_append_text(out, rcs_arena_format(out->arena, "%lld", (long long)number));
    }
}

static void append_flag(struct rcs_string *out, const char *key, bool flag)
{
    if (flag) {
        append_key(out, key);
        rcs_append_text(out, "true");
    }
}

static bool same_name(const struct recourse_header *a, const struct recourse_header *b)
{
    return a->name.size == b->name.size && strncasecmp(a->name.data, b->name.data, a->name.size) == 0;
}

/* All values of a header, the first of which is `at`; none if it is not the first of its name. */
static void append_header(struct rcs_string *out, const struct recourse_facts *facts, size_t at)
{
    const struct recourse_header *header = &facts->headers[at];
    const char *between = "[";

    for (size_t i = 0; i < at; i++) {
        if (same_name(&facts->headers[i], header)) {
            return;
        }
    }
    append_key(out, rcs_arena_copy(out->arena, header->name.data, header->name.size));
    for (size_t i = at; i < facts->header_count; i++) {
        if (same_name(&facts->headers[i], header)) {
            rcs_append_text(out, between);
            append_string(out, rcs_arena_copy(out->arena, facts->headers[i].value.data, facts->headers[i].value.size));
            between = ",";
        }
    }
    rcs_append_text(out, "]");
}

static void append_headers(struct rcs_string *out, const struct recourse_facts *facts)
{
    struct rcs_string headers = {.arena = out->arena};

    if (facts->header_count == 0) {
        return;
    }
    rcs_append_text(&headers, "{");
    for (size_t i = 0; i < facts->header_count; i++) {
        append_header(&headers, facts, i);
    }
    append_key(out, "headers");
    rcs_append_text(out, headers.data);
    rcs_append_text(out, "}");
}

static void append_as_it_is(struct rcs_string *out, const char *key, struct recourse_span json)
{
    if (json.size > 0) {
        append_key(out, key);
        rcs_append(out, json.data, json.size);
    }
}

const char *rcs_sample_text(struct rcs_arena *arena, const struct recourse_facts *facts)
{
    static const char *const networks[] = {"", "refused", "unreachable", "dns", "tls", "reset", "closed", "other"};
    static const char *const timeouts[] = {"", "connect", "read", "total", "other"};
    struct rcs_string out = {.arena = arena};

    rcs_append_text(&out, "{");
    append_number(&out, "http", facts->http != 0, facts->http);
    if (facts->http != 0 && facts->phrase.size == 0 && *rcs_http_phrase(facts->http) != '\0') {
        append_key(&out, "phrase");
        rcs_append_text(&out, "\"\""); /* without this it would be the standard one */
    }
    append_headers(&out, facts);
    append_text(&out, "text", facts->text);
    append_as_it_is(&out, "json", facts->json);
    append_text(&out, "result", facts->result);
    append_as_it_is(&out, "structured", facts->structured);
    append_text(&out, "timeout", span(timeouts[facts->timeout]));
    append_text(&out, "network", span(networks[facts->network]));
    append_flag(&out, "unsent", facts->unsent);
    append_flag(&out, "interrupted", facts->interrupted);
    append_number(&out, "rpc", facts->has_rpc, facts->rpc);
    append_flag(&out, "tool_error", facts->tool_error);
    append_flag(&out, "session_expired", facts->session_expired);
    append_flag(&out, "protocol", facts->protocol);
    append_flag(&out, "too_large", facts->too_large);
    append_flag(&out, "spawn", facts->spawn);
    append_number(&out, "exit", facts->has_exit, facts->exit_status);
    append_number(&out, "signal", facts->signal != 0, facts->signal);
    append_text(&out, "tool", span(facts->tool == NULL ? "" : facts->tool));
    rcs_append_text(&out, "}");
    return out.data;
}
