#include <string.h>

#include "gen/read.h"

void rcs_cursor_open(struct rcs_cursor *cursor, struct rcs_arena *arena, struct rcs_findings *findings, const char *row,
                     const char *text, size_t size, struct rcs_place place)
{
    *cursor = (struct rcs_cursor){
        .arena = arena, .findings = findings, .row = row, .text = text, .size = size, .place = place};
    rcs_tokens(arena, text, size, &cursor->tokens);
}

const struct rcs_token *rcs_peek(const struct rcs_cursor *cursor)
{
    return &cursor->tokens[cursor->at];
}

bool rcs_at(const struct rcs_cursor *cursor, enum rcs_token_kind kind)
{
    return rcs_peek(cursor)->kind == kind;
}

bool rcs_at_end(const struct rcs_cursor *cursor)
{
    return rcs_at(cursor, RCS_TOKEN_END);
}

bool rcs_is_adjacent(const struct rcs_cursor *cursor)
{
    return cursor->at > 0 && cursor->tokens[cursor->at - 1].end == rcs_peek(cursor)->begin;
}

static struct rcs_place place_of(const struct rcs_cursor *cursor, size_t offset)
{
    struct rcs_place place = cursor->place;

    if (place.line > 0) {
        place.column += (uint32_t)offset;
    }
    return place;
}

struct rcs_place rcs_here(const struct rcs_cursor *cursor)
{
    return place_of(cursor, rcs_peek(cursor)->begin);
}

const char *rcs_token_copy(const struct rcs_cursor *cursor, const struct rcs_token *token)
{
    return rcs_arena_copy(cursor->arena, cursor->text + token->begin, token->end - token->begin);
}

const char *rcs_words_here(const struct rcs_cursor *cursor)
{
    const struct rcs_token *first = rcs_peek(cursor);
    const struct rcs_token *last = first;

    while (last < first + 2 && last->kind == RCS_TOKEN_WORD && last[1].kind == RCS_TOKEN_WORD) {
        last++;
    }
    return rcs_cell_canonical(cursor->arena, cursor->text + first->begin, last->end - first->begin, false);
}

bool rcs_accept(struct rcs_cursor *cursor, enum rcs_token_kind kind)
{
    if (!rcs_at(cursor, kind)) {
        return false;
    }
    cursor->at += kind != RCS_TOKEN_END;
    return true;
}

bool rcs_accept_words(struct rcs_cursor *cursor, const char *words)
{
    size_t at = cursor->at;

    for (const char *word = words; *word != '\0';) {
        const struct rcs_token *token = &cursor->tokens[at];
        size_t size = strcspn(word, " ");

        if (token->kind != RCS_TOKEN_WORD || token->end - token->begin != size ||
            memcmp(cursor->text + token->begin, word, size) != 0) {
            return false;
        }
        at++;
        word += size + (word[size] == ' ');
    }
    cursor->at = at;
    return true;
}

void rcs_cursor_error(struct rcs_cursor *cursor, const char *code, const char *format, ...)
{
    const char *text;
    va_list list;

    va_start(list, format);
    text = rcs_arena_vformat(cursor->arena, format, list);
    va_end(list);
    rcs_find(cursor->findings, RCS_ERROR, code, rcs_here(cursor), cursor->row, NULL, "%s", text);
}

bool rcs_expected(struct rcs_cursor *cursor, const char *what)
{
    const struct rcs_token *token = rcs_peek(cursor);

    if (token->kind == RCS_TOKEN_UNCLOSED) {
        rcs_cursor_error(cursor, "quote", "a string without its closing '\"'");
    } else if (token->kind == RCS_TOKEN_END) {
        rcs_cursor_error(cursor, "syntax", "expected %s, found the end of the cell", what);
    } else {
        rcs_cursor_error(cursor, "syntax", "expected %s, found '%s'", what,
                         rcs_printable(cursor->arena, cursor->text + token->begin, token->end - token->begin));
    }
    return false;
}

bool rcs_take_end(struct rcs_cursor *cursor, const char *what)
{
    return rcs_at_end(cursor) || rcs_expected(cursor, what);
}

bool rcs_take_words(struct rcs_cursor *cursor, const char *words)
{
    return rcs_accept_words(cursor, words) || rcs_expected(cursor, rcs_arena_format(cursor->arena, "'%s'", words));
}

/* Digits as a number; UINT64_MAX for anything past 10^15. */
static uint64_t number_of(const char *text, size_t size)
{
    uint64_t number = 0;

    for (size_t i = 0; i < size; i++) {
        if (number > 1000000000000000u) {
            return UINT64_MAX;
        }
        number = number * 10 + (uint64_t)(text[i] - '0');
    }
    return number;
}

static bool in_range(struct rcs_cursor *cursor, const char *what, uint64_t number, uint64_t least, uint64_t most)
{
    if (number >= least && number <= most) {
        return true;
    }
    rcs_cursor_error(cursor, "range", "%s is from %llu to %llu, not '%s'", what, (unsigned long long)least,
                     (unsigned long long)most,
                     rcs_printable(cursor->arena, rcs_token_copy(cursor, rcs_peek(cursor)),
                                   rcs_peek(cursor)->end - rcs_peek(cursor)->begin));
    return false;
}

bool rcs_take_number(struct rcs_cursor *cursor, const char *what, uint64_t least, uint64_t most, uint64_t *number)
{
    const struct rcs_token *token = rcs_peek(cursor);

    if (token->kind != RCS_TOKEN_NUMBER) {
        return rcs_expected(cursor, what);
    }
    *number = number_of(cursor->text + token->begin, token->end - token->begin);
    if (!in_range(cursor, what, *number, least, most)) {
        return false;
    }
    cursor->at++;
    return true;
}

bool rcs_take_percent(struct rcs_cursor *cursor, uint64_t least, uint64_t most, uint16_t *percent)
{
    const struct rcs_token *token = rcs_peek(cursor);
    uint64_t number;

    if (token->kind != RCS_TOKEN_PERCENT) {
        return rcs_expected(cursor, "a percentage like 25%");
    }
    number = number_of(cursor->text + token->begin, token->end - token->begin - 1);
    if (!in_range(cursor, "a percentage here", number, least, most)) {
        return false;
    }
    *percent = (uint16_t)number;
    cursor->at++;
    return true;
}

/* A decimal as a whole number of 10^-places; `places` at most 6. Returns false where it is too long to be exact. */
static bool decimal_of(const char *text, size_t size, uint64_t *number, uint64_t *scale)
{
    const char *dot = memchr(text, '.', size);
    size_t whole = dot == NULL ? size : (size_t)(dot - text);
    size_t places = dot == NULL ? 0 : size - whole - 1;

    if (whole > 10 || places > 6) {
        return false;
    }
    *number = number_of(text, whole);
    *scale = 1;
    for (size_t i = 0; i < places; i++) {
        *number = *number * 10 + (uint64_t)(dot[1 + i] - '0');
        *scale *= 10;
    }
    return true;
}

/* The size of a duration's number; its unit in milliseconds. */
static size_t unit_of(const char *text, size_t size, uint64_t *unit)
{
    static const struct {
        const char *name;
        uint64_t ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
    size_t digits = strspn(text, "0123456789.");

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) == size - digits && memcmp(text + digits, units[i].name, size - digits) == 0) {
            *unit = units[i].ms;
        }
    }
    return digits;
}

bool rcs_take_duration(struct rcs_cursor *cursor, const char *what, uint64_t least_ms, uint64_t *ms)
{
    const struct rcs_token *token = rcs_peek(cursor);
    const char *text = cursor->text + token->begin;
    uint64_t number;
    uint64_t scale;
    uint64_t unit = 1;
    size_t digits;

    if (token->kind != RCS_TOKEN_DURATION) {
        return rcs_expected(cursor, what);
    }
    digits = unit_of(text, token->end - token->begin, &unit);
    if (!decimal_of(text, digits, &number, &scale) || number * unit % scale != 0) {
        rcs_cursor_error(cursor, "duration", "a duration is a whole number of milliseconds, at most 720h");
        return false;
    }
    *ms = number * unit / scale;
    if (*ms > RECOURSE_DURATION_MAX_MS || *ms < least_ms) {
        rcs_cursor_error(cursor, "duration", "a duration here is from %llums to 720h", (unsigned long long)least_ms);
        return false;
    }
    cursor->at++;
    return true;
}

bool rcs_take_factor(struct rcs_cursor *cursor, uint64_t *numerator, uint64_t *denominator)
{
    const struct rcs_token *token = rcs_peek(cursor);

    if (token->kind != RCS_TOKEN_FACTOR) {
        return rcs_expected(cursor, "a factor like x2 or x1.5");
    }
    if (!decimal_of(cursor->text + token->begin + 1, token->end - token->begin - 1, numerator, denominator) ||
        *numerator <= *denominator || *numerator > *denominator * 1000) {
        rcs_cursor_error(cursor, "range", "a delay grows by a factor over 1 and up to 1000, with at most 6 decimals");
        return false;
    }
    for (uint64_t prime = 2; prime <= 5; prime += 3) { /* the denominator is a power of ten */
        while (*numerator % prime == 0 && *denominator % prime == 0) {
            *numerator /= prime;
            *denominator /= prime;
        }
    }
    cursor->at++;
    return true;
}

static bool string_error(struct rcs_cursor *cursor, const struct rcs_token *token, size_t offset, const char *code,
                         const char *text)
{
    rcs_find(cursor->findings, RCS_ERROR, code, place_of(cursor, token->begin + offset), cursor->row, NULL, "%s", text);
    return false;
}

/* `\` stands before punctuation only, as in Markdown: what the string means is what GitHub shows. */
bool rcs_take_string_or_empty(struct rcs_cursor *cursor, const char *what, const char **value)
{
    const struct rcs_token *token = rcs_peek(cursor);
    const char *text = cursor->text + token->begin;
    size_t size = token->end - token->begin;
    size_t length = 0;
    char *copy;

    if (token->kind != RCS_TOKEN_STRING) {
        return rcs_expected(cursor, what);
    }
    copy = rcs_arena_alloc(cursor->arena, size);
    for (size_t i = 1; i + 1 < size; i++) {
        if (text[i] == ' ' && text[i + 1] == ' ') {
            return string_error(cursor, token, i, "blanks", "two blanks in a row are shown as one: write one");
        }
        if (text[i] == '\\' && !rcs_is_punctuation((unsigned char)text[++i])) {
            return string_error(cursor, token, i - 1, "escape",
                                "'\\' stands before punctuation only: write \\\\ for the character itself");
        }
        copy[length++] = text[i];
    }
    *value = copy;
    cursor->at++;
    return true;
}

bool rcs_take_string(struct rcs_cursor *cursor, const char *what, const char **value)
{
    const struct rcs_token *token = rcs_peek(cursor);

    if (!rcs_take_string_or_empty(cursor, what, value)) {
        return false;
    }
    return **value != '\0' || string_error(cursor, token, 0, "empty-string", "an empty string means nothing here");
}

bool rcs_take_name(struct rcs_cursor *cursor, const char *what, const char **name)
{
    const struct rcs_token *token = rcs_peek(cursor);

    switch (token->kind) {
    case RCS_TOKEN_WORD:
    case RCS_TOKEN_NUMBER:
    case RCS_TOKEN_DURATION: /* `5s` may be a label, too */
    case RCS_TOKEN_FACTOR:
        break;
    default:
        return rcs_expected(cursor, what);
    }
    *name = rcs_token_copy(cursor, token);
    if (!rcs_is_label(*name)) {
        return rcs_expected(cursor, what);
    }
    cursor->at++;
    return true;
}
