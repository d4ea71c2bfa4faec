#include "json.h"

#include <string.h>

#include "json_token.h"
#include "json_walk.h"
#include "sink.h"

#define REPLACEMENT 0xfffdu

static const struct recourse_span nothing;

static struct recourse_span part_of(struct recourse_span text, size_t begin, size_t end)
{
    return (struct recourse_span){text.data + begin, end - begin};
}

enum rcs_json_fault rcs_json_check(struct recourse_span text, bool refuse_duplicates, size_t *offset)
{
    struct rcs_json_walk walk;
    enum rcs_json_part part;
    size_t keys = 0;
    size_t excess = 0;
    size_t second = 0;

    rcs_json_walk_init(&walk, text, 0, false);
    while ((part = rcs_json_walk_next(&walk)) > RCS_JSON_PART_FAULT) {
        if (part == RCS_JSON_PART_KEY && keys++ == RCS_JSON_KEYS_MAX) {
            excess = walk.begin;
        }
    }
    if (part == RCS_JSON_PART_END && refuse_duplicates && keys > RCS_JSON_KEYS_MAX) {
        walk.fault = RCS_JSON_TOO_MANY;
        walk.at = excess;
    } else if (part == RCS_JSON_PART_END && refuse_duplicates && keys > 1 && rcs_json_find_duplicate(text, &second)) {
        walk.fault = RCS_JSON_DUPLICATE;
        walk.at = second;
    }
    if (offset != NULL) {
        *offset = walk.at;
    }
    return walk.fault;
}

struct recourse_span rcs_json_trim(struct recourse_span text)
{
    const size_t begin = rcs_json_skip_blanks(text, 0);
    size_t end = text.size;

    while (end > begin && rcs_json_skip_blanks(text, end - 1) > end - 1) {
        end--;
    }
    return text.size == 0 ? text : part_of(text, begin, end);
}

enum rcs_json_type rcs_json_type_of(struct recourse_span value)
{
    const struct recourse_span text = rcs_json_trim(value);
    enum rcs_json_type type = RCS_JSON_NONE;
    size_t end;

    if (text.size == 0) {
        return RCS_JSON_NONE;
    }
    if (text.data[0] == '{') {
        return text.size > 1 && text.data[text.size - 1] == '}' ? RCS_JSON_OBJECT : RCS_JSON_NONE;
    }
    if (text.data[0] == '[') {
        return text.size > 1 && text.data[text.size - 1] == ']' ? RCS_JSON_ARRAY : RCS_JSON_NONE;
    }
    if (rcs_json_token(text, 0, &type, &end) != RCS_JSON_GOOD || end != text.size) {
        return RCS_JSON_NONE;
    }
    return type;
}

/* The end of the value at `at`; 0 if there is none. */
static size_t value_end(struct recourse_span text, size_t at)
{
    struct rcs_json_walk walk;
    enum rcs_json_part part;

    rcs_json_walk_init(&walk, text, at, true);
    while ((part = rcs_json_walk_next(&walk)) > RCS_JSON_PART_FAULT) {
    }
    return part == RCS_JSON_PART_END ? walk.at : 0;
}

/* Steps over the key at `*at` and its colon. */
static bool read_key(struct recourse_span container, size_t *at, struct recourse_span *key)
{
    enum rcs_json_type type;
    size_t end;

    if (*at >= container.size || container.data[*at] != '"' ||
        rcs_json_token(container, *at, &type, &end) != RCS_JSON_GOOD) {
        return false;
    }
    *key = part_of(container, *at, end);
    *at = rcs_json_skip_blanks(container, end);
    if (*at >= container.size || container.data[*at] != ':') {
        return false;
    }
    *at = rcs_json_skip_blanks(container, *at + 1);
    return true;
}

bool rcs_json_next(struct recourse_span container, size_t *at, struct recourse_span *key, struct recourse_span *value)
{
    const size_t begin = rcs_json_skip_blanks(container, 0);
    const char open = begin < container.size ? container.data[begin] : '\0';
    size_t here = rcs_json_skip_blanks(container, *at > begin ? *at : begin);
    size_t end;

    *key = nothing;
    *value = nothing;
    if ((open != '{' && open != '[') || here >= container.size) {
        return false;
    }
    if (container.data[here] != (here == begin ? open : ',')) {
        return false;
    }
    here = rcs_json_skip_blanks(container, here + 1);
    if (open == '{' && !read_key(container, &here, key)) {
        *key = nothing;
        return false;
    }
    end = here < container.size ? value_end(container, here) : 0;
    if (end == 0) { /* also the `]` of an empty array */
        *key = nothing;
        return false;
    }
    *value = part_of(container, here, end);
    *at = end;
    return true;
}

/* ---- strings ---- */

static int hex_value(char byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    if (byte >= 'a' && byte <= 'f') {
        return byte - 'a' + 10;
    }
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

/* The four hexadecimal digits at `at`; false if they are not there. */
static bool read_hex(struct recourse_span string, size_t at, uint32_t *unit)
{
    *unit = 0;
    for (size_t i = 0; i < 4; i++) {
        const int value = at + i < string.size ? hex_value(string.data[at + i]) : -1;

        if (value < 0) {
            return false;
        }
        *unit = *unit << 4 | (uint32_t)value;
    }
    return true;
}

/* What `\u` at `*at` (behind both) reads as; a lone surrogate is U+FFFD. */
static uint32_t read_escaped_unit(struct recourse_span string, size_t *at)
{
    uint32_t unit, low;

    if (!read_hex(string, *at, &unit)) {
        return REPLACEMENT;
    }
    *at += 4;
    if (unit < 0xd800 || unit > 0xdfff) {
        return unit;
    }
    if (unit > 0xdbff || *at + 1 >= string.size || string.data[*at] != '\\' || string.data[*at + 1] != 'u' ||
        !read_hex(string, *at + 2, &low) || low < 0xdc00 || low > 0xdfff) {
        return REPLACEMENT;
    }
    *at += 6;
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

bool rcs_json_string_next(struct recourse_span string, size_t *at, uint32_t *point)
{
    static const char names[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    const char *name;
    char byte;

    if (*at >= string.size || string.data[0] != '"' || string.data[*at] == '"') {
        return false;
    }
    if (string.data[*at] != '\\') {
        *point = rcs_utf8_next(string.data, string.size, at);
        return true;
    }
    if (++*at >= string.size) {
        return false;
    }
    byte = string.data[(*at)++];
    if (byte == 'u') {
        *point = read_escaped_unit(string, at);
        return true;
    }
    name = byte != '\0' ? strchr(names, byte) : NULL;
    *point = name != NULL ? (uint32_t)meant[name - names] : REPLACEMENT;
    return true;
}

bool rcs_json_string_equal(struct recourse_span a, struct recourse_span b)
{
    size_t at_a = 1, at_b = 1;
    uint32_t point_a = 0, point_b = 0;

    for (;;) {
        const bool more_a = rcs_json_string_next(a, &at_a, &point_a);
        const bool more_b = rcs_json_string_next(b, &at_b, &point_b);

        if (!more_a || !more_b) {
            return more_a == more_b;
        }
        if (point_a != point_b) {
            return false;
        }
    }
}

bool rcs_json_string_is(struct recourse_span string, const char *text, size_t size)
{
    size_t done = 0;
    uint32_t point;

    if (rcs_json_type_of(string) != RCS_JSON_STRING) {
        return false;
    }
    for (size_t at = 1; rcs_json_string_next(string, &at, &point);) {
        char bytes[4];
        const size_t count = rcs_utf8_put(point, bytes);

        if (count > size - done || memcmp(bytes, text + done, count) != 0) {
            return false;
        }
        done += count;
    }
    return done == size;
}

size_t rcs_json_unescape(struct recourse_span string, char *out, size_t size)
{
    struct rcs_sink sink = rcs_sink_of(out, size);
    uint32_t point;

    for (size_t at = 1; rcs_json_string_next(string, &at, &point);) {
        rcs_sink_point(&sink, point);
    }
    return rcs_sink_end(&sink);
}

size_t rcs_json_quote(struct recourse_span text, char *out, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    static const char escapes[0x20] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    struct rcs_sink sink = rcs_sink_of(out, size);

    rcs_sink_put(&sink, "\"", 1);
    for (size_t at = 0; at < text.size;) {
        const uint32_t point = rcs_utf8_next(text.data, text.size, &at);

        if (point == '"' || point == '\\') {
            rcs_sink_put(&sink, (char[]){'\\', (char)point}, 2);
        } else if (point >= 0x20) {
            rcs_sink_point(&sink, point);
        } else if (escapes[point] != '\0') {
            rcs_sink_put(&sink, (char[]){'\\', escapes[point]}, 2);
        } else {
            rcs_sink_put(&sink, (char[]){'\\', 'u', '0', '0', digits[point >> 4], digits[point & 15]}, 6);
        }
    }
    rcs_sink_put(&sink, "\"", 1);
    return rcs_sink_end(&sink);
}

/* ---- lookups ---- */

/* The next byte of a token of a pointer: `~0` and `~1` undone. 0 at its end, -1 if it is none. */
static int pointer_byte(const char **at)
{
    int byte = (unsigned char)**at;

    if (byte == '\0' || byte == '/') {
        return 0;
    }
    ++*at;
    if (byte == '~') {
        byte = **at == '0' ? '~' : **at == '1' ? '/' : -1;
        *at += byte > 0 ? 1 : 0;
    }
    return byte;
}

/* Whether a key reads as the pointer's token, or (`plain`) as the whole of the text. */
static bool key_reads(struct recourse_span key, const char *token, bool plain)
{
    uint32_t point;

    for (size_t at = 1; rcs_json_string_next(key, &at, &point);) {
        char bytes[4];
        const size_t count = rcs_utf8_put(point, bytes);

        for (size_t i = 0; i < count; i++) {
            const int byte = plain ? (unsigned char)*token : pointer_byte(&token);

            if (byte <= 0 || byte != (unsigned char)bytes[i]) {
                return false;
            }
            token += plain ? 1 : 0;
        }
    }
    return *token == '\0' || (!plain && *token == '/');
}

static struct recourse_span find_member(struct recourse_span object, const char *token, bool plain)
{
    struct recourse_span found = nothing;
    struct recourse_span key, value;

    if (rcs_json_type_of(object) != RCS_JSON_OBJECT) {
        return nothing;
    }
    for (size_t at = 0; rcs_json_next(object, &at, &key, &value);) {
        if (key_reads(key, token, plain)) {
            found = value;
        }
    }
    return found;
}

static struct recourse_span find_element(struct recourse_span array, const char *token)
{
    struct recourse_span key, value;
    size_t index = 0;

    if (*token < '0' || *token > '9' || (*token == '0' && token[1] != '\0' && token[1] != '/')) {
        return nothing;
    }
    for (; *token >= '0' && *token <= '9'; token++) {
        if (index > SIZE_MAX / 10 - 1) {
            return nothing;
        }
        index = index * 10 + (size_t)(*token - '0');
    }
    if (*token != '\0' && *token != '/') {
        return nothing;
    }
    for (size_t at = 0; rcs_json_next(array, &at, &key, &value); index--) {
        if (index == 0) {
            return value;
        }
    }
    return nothing;
}

/* Whether the escapes of a pointer are good, so that a bad one finds nothing at all. */
static bool is_pointer(const char *pointer)
{
    for (const char *at = pointer; *at != '\0';) {
        int byte = *at++ == '/' ? 1 : -1;

        while (byte > 0) {
            byte = pointer_byte(&at);
        }
        if (byte < 0) {
            return false;
        }
    }
    return true;
}

struct recourse_span rcs_json_at(struct recourse_span text, const char *pointer)
{
    struct recourse_span value = rcs_json_trim(text);

    if (value.size == 0 || !is_pointer(pointer)) {
        return nothing;
    }
    while (*pointer == '/' && value.data != NULL) {
        pointer++;
        value = rcs_json_type_of(value) == RCS_JSON_ARRAY ? find_element(value, pointer)
                                                          : find_member(value, pointer, false);
        pointer += strcspn(pointer, "/");
    }
    return value;
}

struct recourse_span rcs_json_member(struct recourse_span object, const char *name)
{
    return find_member(object, name, true);
}

bool rcs_json_integer(struct recourse_span number, int64_t *out)
{
    const struct recourse_span text = rcs_json_trim(number);
    const bool negative = text.size > 0 && text.data[0] == '-';
    const uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1u : 0u);
    uint64_t value = 0;

    if (rcs_json_type_of(text) != RCS_JSON_NUMBER) {
        return false;
    }
    for (size_t i = negative ? 1 : 0; i < text.size; i++) {
        const uint64_t digit = (uint64_t)(unsigned char)text.data[i] - '0';

        if (digit > 9 || value > (limit - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    if (negative) {
        *out = value == limit ? INT64_MIN : -(int64_t)value;
    } else {
        *out = (int64_t)value;
    }
    return true;
}
