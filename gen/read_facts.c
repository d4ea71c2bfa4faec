#include <string.h>

#include "gen/read.h"
#include "src/core/phrase.h"

#define SIGNAL_DEFAULT 9 /* `signal` alone */

static struct recourse_span span(const char *text)
{
    return (struct recourse_span){.data = text, .size = strlen(text)};
}

static bool read_http(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    uint64_t status;

    if (!rcs_take_number(cursor, "a status of HTTP", 100, 599, &status)) {
        return false;
    }
    facts->http = (uint16_t)status;
    if (facts->phrase.data == NULL) {
        facts->phrase = span(rcs_http_phrase(facts->http));
    }
    return true;
}

static bool read_network(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    static const char *const kinds[] = {"", "refused", "unreachable", "dns", "tls", "reset", "closed"};

    facts->network = RECOURSE_NETWORK_OTHER;
    for (uint8_t i = 1; i < sizeof kinds / sizeof *kinds; i++) {
        if (rcs_accept_words(cursor, kinds[i])) {
            facts->network = i;
        }
    }
    return true;
}

static bool read_timeout(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    static const char *const kinds[] = {"", "connect", "read", "total"};

    facts->timeout = RECOURSE_TIMEOUT_OTHER;
    for (uint8_t i = 1; i < sizeof kinds / sizeof *kinds; i++) {
        if (rcs_accept_words(cursor, kinds[i])) {
            facts->timeout = i;
        }
    }
    return true;
}

static bool read_rpc(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    bool negative = rcs_accept(cursor, RCS_TOKEN_DASH);
    uint64_t number;

    if (negative && !rcs_is_adjacent(cursor)) {
        return rcs_expected(cursor, "an error code like -32602");
    }
    if (!rcs_take_number(cursor, "an error code of JSON-RPC", 0, 1000000000, &number)) {
        return false;
    }
    facts->has_rpc = true;
    facts->rpc = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

static bool read_exit(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    uint64_t status;

    if (!rcs_take_number(cursor, "an exit status", 0, 255, &status)) {
        return false;
    }
    facts->has_exit = true;
    facts->exit_status = (int)status;
    return true;
}

static bool read_signal(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    uint64_t number = SIGNAL_DEFAULT;

    if (rcs_at(cursor, RCS_TOKEN_NUMBER) && !rcs_take_number(cursor, "a signal", 1, 64, &number)) {
        return false;
    }
    facts->signal = (int)number;
    return true;
}

static bool read_header(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    struct recourse_header *headers = NULL;
    size_t count = 0;
    const char *name;
    const char *value;

    if (!rcs_take_string(cursor, "a quoted name of a header", &name) || !rcs_take_words(cursor, "is") ||
        !rcs_take_string_or_empty(cursor, "a quoted value", &value)) {
        return false;
    }
    for (size_t i = 0; i < facts->header_count; i++) {
        *(struct recourse_header *)rcs_arena_push(cursor->arena, &headers, &count, sizeof *headers) = facts->headers[i];
    }
    *(struct recourse_header *)rcs_arena_push(cursor->arena, &headers, &count, sizeof *headers) =
        (struct recourse_header){.name = span(name), .value = span(value)};
    facts->headers = headers;
    facts->header_count = count;
    return true;
}

static bool read_tool(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    return rcs_take_string(cursor, "a quoted name of a tool", &facts->tool);
}

static bool read_span(struct rcs_cursor *cursor, const char *what, struct recourse_span *out)
{
    const char *text;

    if (!rcs_take_string(cursor, what, &text)) {
        return false;
    }
    *out = span(text);
    return true;
}

static bool read_text(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    return read_span(cursor, "a quoted text", &facts->text);
}

/* What the server wrote after the status: HTTP/2 has nothing there. */
static bool read_phrase(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    const char *phrase;

    if (!rcs_take_string_or_empty(cursor, "a quoted phrase", &phrase)) {
        return false;
    }
    facts->phrase = span(phrase);
    return true;
}

static bool read_json(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    return read_span(cursor, "quoted JSON", &facts->json);
}

static bool read_result(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    return read_span(cursor, "'text', 'json', or a quoted text", &facts->result);
}

static bool read_structured(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    return read_span(cursor, "quoted JSON", &facts->structured);
}

/* Longer words before shorter ones that they begin with. Words of one slot exclude each other. */
static const struct fact_form {
    const char *words;
    uint8_t slot;
    bool (*read)(struct rcs_cursor *cursor, struct recourse_facts *facts); /* NULL: a flag */
    size_t flag;
} forms[] = {
    {"http", 0, read_http, 0},
    {"network", 1, read_network, 0},
    {"timeout", 2, read_timeout, 0},
    {"unsent", 3, NULL, offsetof(struct recourse_facts, unsent)},
    {"interrupted", 4, NULL, offsetof(struct recourse_facts, interrupted)},
    {"rpc", 5, read_rpc, 0},
    {"tool error", 6, NULL, offsetof(struct recourse_facts, tool_error)},
    {"session expired", 7, NULL, offsetof(struct recourse_facts, session_expired)},
    {"protocol", 8, NULL, offsetof(struct recourse_facts, protocol)},
    {"too large", 9, NULL, offsetof(struct recourse_facts, too_large)},
    {"spawn", 10, NULL, offsetof(struct recourse_facts, spawn)},
    {"exit", 11, read_exit, 0},
    {"signal", 12, read_signal, 0},
    {"header", 13, read_header, 0}, /* may be repeated */
    {"tool", 14, read_tool, 0},
    {"text", 15, read_text, 0},
    {"json", 16, read_json, 0},
    {"result text", 17, read_result, 0},
    {"result json", 18, read_structured, 0},
    {"result", 17, read_result, 0},
    {"phrase", 19, read_phrase, 0},
};
#define FORM_COUNT (sizeof forms / sizeof *forms)

static bool unknown_fact(struct rcs_cursor *cursor)
{
    const char *names[FORM_COUNT];
    const char *found = rcs_words_here(cursor);

    for (size_t i = 0; i < FORM_COUNT; i++) {
        names[i] = forms[i].words;
    }
    return rcs_expected(cursor, rcs_arena_format(cursor->arena, "one of %s",
                                                 rcs_list_nearest(cursor->arena, found, names, FORM_COUNT)));
}

static bool read_fact(struct rcs_cursor *cursor, struct recourse_facts *facts, uint32_t *used)
{
    size_t begin = cursor->at;
    size_t i = 0;

    while (i < FORM_COUNT && !rcs_accept_words(cursor, forms[i].words)) {
        i++;
    }
    if (i == FORM_COUNT) {
        return unknown_fact(cursor);
    }
    if ((*used & 1u << forms[i].slot) != 0 && forms[i].read != read_header) {
        cursor->at = begin;
        rcs_cursor_error(cursor, "repeated-name", "'%s' stands here twice", forms[i].words);
        return false;
    }
    *used |= 1u << forms[i].slot;
    if (forms[i].read == NULL) {
        *(bool *)((char *)facts + forms[i].flag) = true;
        return true;
    }
    return forms[i].read(cursor, facts);
}

bool rcs_read_facts(struct rcs_cursor *cursor, struct recourse_facts *facts)
{
    uint32_t used = 0;

    do {
        if (!read_fact(cursor, facts, &used)) {
            return false;
        }
    } while (rcs_accept(cursor, RCS_TOKEN_COMMA));
    return rcs_take_end(cursor, "a comma, or nothing");
}
