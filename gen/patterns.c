#include "gen/emit.h"

#include <string.h>

static bool has_pattern(const struct recourse_atom *atom, bool *word)
{
    *word = atom->kind == RECOURSE_ATOM_WORD || atom->kind == RECOURSE_ATOM_RESULT_WORD;
    return *word || atom->kind == RECOURSE_ATOM_TEXT || atom->kind == RECOURSE_ATOM_RESULT_TEXT;
}

static char *lower_copy(struct rcs_arena *arena, const char *text)
{
    char *lower = rcs_arena_copy(arena, text, strlen(text));

    for (char *at = lower; *at != '\0'; at++) {
        if (*at >= 'A' && *at <= 'Z') {
            *at = (char)(*at - 'A' + 'a');
        }
    }
    return lower;
}

static size_t find(const struct rcs_pattern *patterns, size_t count, const char *text, bool word)
{
    size_t i = 0;

    while (i < count && (patterns[i].word != word || strcmp(patterns[i].text, text) != 0)) {
        i++;
    }
    return i;
}

/* A text that is looked for in errors and in results is one pattern: the matcher runs over one of them at a time. */
size_t rcs_patterns(struct rcs_arena *arena, const struct rcs_spec *spec, struct rcs_pattern **patterns)
{
    size_t count = 0;

    *patterns = NULL;
    for (size_t i = 0; i < spec->fact_row_count; i++) {
        for (size_t j = 0; j < spec->fact_rows[i].atom_count; j++) {
            const struct recourse_atom *atom = &spec->fact_rows[i].atoms[j].atom;
            struct rcs_pattern *pattern;
            const char *lower;
            bool word;

            if (!has_pattern(atom, &word)) {
                continue;
            }
            lower = lower_copy(arena, atom->value);
            if (find(*patterns, count, lower, word) == count) {
                pattern = rcs_arena_push(arena, patterns, &count, sizeof *pattern);
                *pattern = (struct rcs_pattern){.text = lower, .word = word};
            }
        }
    }
    return count;
}

uint16_t rcs_pattern_of(struct rcs_arena *arena, const struct rcs_pattern *patterns, size_t count,
                        const struct recourse_atom *atom)
{
    bool word;

    if (!has_pattern(atom, &word)) {
        return RECOURSE_NONE;
    }
    return (uint16_t)find(patterns, count, lower_copy(arena, atom->value), word);
}
