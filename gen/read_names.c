#include <stdlib.h>
#include <string.h>

#include "gen/nearest.h"
#include "gen/read.h"

#define LENGTH_MAX 32u

static bool is_lower(char byte)
{
    return byte >= 'a' && byte <= 'z';
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_upper(char byte)
{
    return byte >= 'A' && byte <= 'Z';
}

static bool has_form(const char *text, size_t most, bool upper, bool digit_first)
{
    size_t size = strlen(text);

    if (size == 0 || size > most || text[0] == '_' || (is_digit(text[0]) && !digit_first)) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        if (!is_lower(text[i]) && !is_digit(text[i]) && text[i] != '_' && !(upper && is_upper(text[i]))) {
            return false;
        }
    }
    return true;
}

bool rcs_is_name(const char *text)
{
    return has_form(text, LENGTH_MAX, false, false);
}

bool rcs_is_label(const char *text)
{
    return has_form(text, LENGTH_MAX, true, true);
}

bool rcs_is_row_id(const char *text)
{
    return has_form(text, 8, true, false);
}

bool rcs_is_pointer(const char *text)
{
    if (text[0] != '\0' && text[0] != '/') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (text[0] == '~' && text[1] != '0' && text[1] != '1') {
            return false;
        }
    }
    return true;
}

/* Long ends are not looked at. */
static size_t distance(const char *left, const char *right)
{
    return rcs_edits(left, strnlen(left, LENGTH_MAX), right, strnlen(right, LENGTH_MAX), true);
}

const char *rcs_suggest(struct rcs_arena *arena, const char *wanted, const char *const *names, size_t count)
{
    size_t best = 1 + strnlen(wanted, LENGTH_MAX) / 3;
    const char *nearest = NULL;

    for (size_t i = 0; i < count; i++) {
        size_t edits = distance(wanted, names[i]);

        if (edits < best || (edits == best && nearest == NULL)) {
            best = edits;
            nearest = names[i];
        }
    }
    return nearest == NULL ? "" : rcs_arena_format(arena, " (did you mean '%s')", nearest);
}

struct ranked {
    size_t edits;
    size_t number;
};

static int compare(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;

    if (a->edits != b->edits) {
        return a->edits < b->edits ? -1 : 1;
    }
    return a->number < b->number ? -1 : 1;
}

const char *rcs_list_nearest(struct rcs_arena *arena, const char *wanted, const char *const *names, size_t count)
{
    struct ranked *ranked = rcs_arena_alloc(arena, count * sizeof *ranked);
    struct rcs_string buffer = {.arena = arena};

    for (size_t i = 0; i < count; i++) {
        ranked[i] = (struct ranked){.edits = distance(wanted, names[i]), .number = i};
    }
    qsort(ranked, count, sizeof *ranked, compare);
    for (size_t i = 0; i < count; i++) {
        rcs_append_text(&buffer, i == 0 ? "" : ", ");
        rcs_append_text(&buffer, names[ranked[i].number]);
    }
    return buffer.data == NULL ? "" : buffer.data;
}
