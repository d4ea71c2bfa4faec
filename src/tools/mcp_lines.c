#include "src/tools/mcp_lines.h"

#include <string.h>

#include "src/core/json.h"

#define KEPT_MAX 65536u /* bytes of memory that are kept from one line to the next */

void rcs_mcp_lines_init(struct rcs_mcp_lines *lines, const struct recourse_allocator *allocator, size_t line_max)
{
    *lines = (struct rcs_mcp_lines){.fault = 0};
    rcs_buffer_init(&lines->begun, allocator, line_max);
}

void rcs_mcp_lines_clear(struct rcs_mcp_lines *lines)
{
    rcs_buffer_clear(&lines->begun);
}

/* ---- lines that are too long ---- */

/* A number from 1 up, and nothing but digits; 0: none. */
static int64_t read_id(const char *digits, size_t size)
{
    int64_t id = 0;

    if (size == 0 || size > 18 || digits[0] == '0') {
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        if (digits[i] < '0' || digits[i] > '9') {
            return 0;
        }
        id = id * 10 + (digits[i] - '0');
    }
    return id;
}

static bool begins_with(struct recourse_span text, size_t at, const char *word)
{
    size_t size = strlen(word);

    return text.size - at >= size && memcmp(text.data + at, word, size) == 0;
}

/* Whether it has a result or an error, be it the last member, which does not end here: nothing else is an answer. */
static bool look_at_begin(const struct rcs_mcp_lines *lines, int64_t *id)
{
    struct recourse_span text = {lines->head, lines->head_size};
    struct recourse_span key;
    struct recourse_span value;
    bool answers = false;
    size_t at = 0;

    *id = 0;
    while (rcs_json_next(text, &at, &key, &value)) {
        if (rcs_json_string_is(key, "id", 2)) {
            value = rcs_json_trim(value);
            *id = at < text.size ? read_id(value.data, value.size) : 0; /* it may be cut */
        }
        answers = answers || rcs_json_string_is(key, "result", 6) || rcs_json_string_is(key, "error", 5);
    }
    while (at < text.size && memchr("{, \t\r", text.data[at], 5) != NULL) {
        at++;
    }
    return answers || begins_with(text, at, "\"result\"") || begins_with(text, at, "\"error\"");
}

static void keep_head(struct rcs_mcp_lines *lines, const char *bytes, size_t size)
{
    size_t room = RCS_MCP_HEAD - lines->head_size;

    size = size < room ? size : room;
    memcpy(lines->head + lines->head_size, bytes, size);
    lines->head_size += size;
}

static void keep_tail(struct rcs_mcp_lines *lines, const char *bytes, size_t size)
{
    size_t stays = lines->tail_size;

    if (size >= RCS_MCP_TAIL) {
        bytes += size - RCS_MCP_TAIL;
        size = RCS_MCP_TAIL;
    }
    stays = stays < RCS_MCP_TAIL - size ? stays : RCS_MCP_TAIL - size;
    memmove(lines->tail, lines->tail + lines->tail_size - stays, stays);
    memcpy(lines->tail + stays, bytes, size);
    lines->tail_size = stays + size;
}

static size_t skip_back(const char *text, size_t size, const char *bytes)
{
    while (size > 0 && strchr(bytes, text[size - 1]) != NULL) {
        size--;
    }
    return size;
}

/* `,"id":7}` at the very end of an object is the object's own: a string has no brace behind it. */
static int64_t look_at_end(const struct rcs_mcp_lines *lines)
{
    const char *text = lines->tail;
    size_t end = skip_back(text, lines->tail_size, " \t\r");
    size_t digits;
    size_t at;

    if (end == 0 || text[end - 1] != '}') {
        return 0;
    }
    end = skip_back(text, end - 1, " \t");
    digits = skip_back(text, end, "0123456789");
    at = skip_back(text, digits, " \t");
    at = at > 0 && text[at - 1] == ':' ? skip_back(text, at - 1, " \t") : 0;
    if (at < 4 || memcmp(text + at - 4, "\"id\"", 4) != 0) {
        return 0;
    }
    at = skip_back(text, at - 4, " \t");
    return at > 0 && text[at - 1] == ',' ? read_id(text + digits, end - digits) : 0;
}

/* ---- reading ---- */

static void keep_ends(struct rcs_mcp_lines *lines, const char *bytes, size_t size)
{
    if (size > 0) {
        keep_head(lines, bytes, size);
        keep_tail(lines, bytes, size);
    }
}

static void keep(struct rcs_mcp_lines *lines, const char *bytes, size_t size)
{
    if (lines->fault == 0) {
        lines->fault = rcs_buffer_append(&lines->begun, bytes, size);
        if (lines->fault != 0) {
            keep_ends(lines, lines->begun.data, lines->begun.size);
        }
    }
    if (lines->fault != 0) {
        keep_ends(lines, bytes, size);
    }
}

static void forget(struct rcs_mcp_lines *lines)
{
    if (lines->begun.capacity > KEPT_MAX) {
        rcs_mcp_lines_clear(lines);
    }
    rcs_buffer_reset(&lines->begun);
    lines->fault = 0;
    lines->head_size = 0;
    lines->tail_size = 0;
    lines->returned = false;
}

static struct recourse_span without_return(struct recourse_span text)
{
    if (text.size > 0 && text.data[text.size - 1] == '\r') {
        text.size--;
    }
    return text;
}

static void give(struct rcs_mcp_lines *lines, struct rcs_mcp_line *line)
{
    *line = (struct rcs_mcp_line){without_return(rcs_buffer_span(&lines->begun)), lines->fault, 0};
    if (lines->fault != 0) {
        bool answers = look_at_begin(lines, &line->id);

        line->text = (struct recourse_span){lines->head, lines->head_size};
        line->id = !answers ? 0 : line->id != 0 ? line->id : look_at_end(lines);
    }
    lines->returned = true;
}

bool rcs_mcp_lines_next(struct rcs_mcp_lines *lines, const char **at, const char *end, struct rcs_mcp_line *line)
{
    const char *begin = *at;
    size_t left = (size_t)(end - begin);
    const char *newline = left > 0 ? memchr(begin, '\n', left) : NULL;

    if (lines->returned) {
        forget(lines);
    }
    *at = newline != NULL ? newline + 1 : end;
    left = newline != NULL ? (size_t)(newline - begin) : left;
    if (newline != NULL && lines->begun.size == 0 && lines->fault == 0 && left <= lines->begun.limit) {
        *line = (struct rcs_mcp_line){without_return((struct recourse_span){begin, left}), 0, 0}; /* whole: not copied */
        return true;
    }
    if (left > 0) {
        keep(lines, begin, left);
    }
    if (newline == NULL) {
        return false;
    }
    give(lines, line);
    return true;
}

bool rcs_mcp_lines_has_begun(const struct rcs_mcp_lines *lines)
{
    return !lines->returned && (lines->begun.size > 0 || lines->fault != 0);
}

bool rcs_mcp_lines_last(struct rcs_mcp_lines *lines, struct rcs_mcp_line *line)
{
    if (lines->returned) {
        forget(lines);
    }
    if (!rcs_mcp_lines_has_begun(lines)) {
        return false;
    }
    give(lines, line);
    return true;
}
