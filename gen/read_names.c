#include <stdlib.h>
#include <string.h>

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

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Edits (insert, delete, change, swap two neighbours) between two words, their case set aside; long ends are not looked
 * at. */
static unsigned distance(const char *left, const char *right)
{
    unsigned rows[3][LENGTH_MAX + 1];
    size_t width = least((unsigned)strlen(right), LENGTH_MAX);
    size_t height = least((unsigned)strlen(left), LENGTH_MAX);

    for (unsigned j = 0; j <= width; j++) {
        rows[0][j] = j;
    }
    for (unsigned i = 1; i <= height; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3];

        row[0] = i;
        for (unsigned j = 1; j <= width; j++) {
            unsigned change = (left[i - 1] | 0x20) != (right[j - 1] | 0x20);

            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + change);
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
                row[j] = least(row[j], rows[(i + 1) % 3][j - 2] + 1);
            }
        }
    }
    return rows[height % 3][width];
}

const char *rcs_suggest(struct rcs_arena *arena, const char *wanted, const char *const *names, size_t count)
{
    unsigned best = 1 + (unsigned)least((unsigned)strlen(wanted), LENGTH_MAX) / 3;
    const char *nearest = NULL;

    for (size_t i = 0; i < count; i++) {
        unsigned edits = distance(wanted, names[i]);

        if (edits < best || (edits == best && nearest == NULL)) {
            best = edits;
            nearest = names[i];
        }
    }
    return nearest == NULL ? "" : rcs_arena_format(arena, " (did you mean '%s')", nearest);
}

struct ranked {
    unsigned edits;
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
    struct rcs_buffer buffer = {.arena = arena};

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
