#include <string.h>

#include "gen/read.h"

uint16_t rcs_event_of_name(const struct rcs_spec *spec, const char *name)
{
    for (unsigned event = 0; event < rcs_event_end(spec); event++) {
        if (strcmp(rcs_spec_event_name(spec, (uint16_t)event), name) == 0) {
            return (uint16_t)event;
        }
    }
    return RECOURSE_NONE;
}

static bool unknown_event(struct rcs_cursor *cursor, const struct rcs_spec *spec, const char *name)
{
    const char *names[RECOURSE_EVENT_FAILURE + RECOURSE_FAILURES_MAX];
    size_t count = 0;

    for (unsigned event = 0; event < rcs_event_end(spec); event++) {
        names[count++] = rcs_spec_event_name(spec, (uint16_t)event);
    }
    cursor->at--; /* where the name stands */
    rcs_cursor_error(cursor, "event", "unknown event '%s'%s: there are %s", name,
                     rcs_suggest(cursor->arena, name, names, count),
                     rcs_list_nearest(cursor->arena, name, names, count));
    return false;
}

static bool fail(struct rcs_cursor *cursor, size_t at, const char *text)
{
    cursor->at = at;
    rcs_cursor_error(cursor, "word", "%s", text);
    return false;
}

/* `!time`, `!budget`, from after the mark */
static bool read_refusal(struct rcs_cursor *cursor, struct rcs_word *word, size_t begin)
{
    if (word->out_of_time || word->over_budget) {
        return fail(cursor, begin, "one '!' is enough: the first thing that is missing counts");
    }
    if (rcs_accept_words(cursor, "time")) {
        word->out_of_time = true;
    } else if (rcs_accept_words(cursor, "budget")) {
        word->over_budget = true;
    } else {
        return rcs_expected(cursor, "'time' or 'budget' after '!'");
    }
    return true;
}

static bool read_safe(struct rcs_cursor *cursor, struct rcs_word *word, size_t begin)
{
    if (word->safe) {
        return fail(cursor, begin, "':safe' stands here twice");
    }
    if (word->event < RECOURSE_EVENT_FAILURE && word->event != RECOURSE_EVENT_DEADLINE &&
        word->event != RECOURSE_EVENT_CANCELLED) {
        return fail(cursor, begin, "':safe' belongs to failures, 'deadline' and 'cancelled'");
    }
    word->safe = true;
    return rcs_accept_words(cursor, "safe") || rcs_expected(cursor, "'safe' after ':'");
}

/* What follows a name without a blank: `:safe`, `@5s`, `!time`. */
static bool read_suffix(struct rcs_cursor *cursor, struct rcs_word *word)
{
    size_t begin = cursor->at;
    uint8_t kind = rcs_peek(cursor)->kind;

    if (kind != RCS_TOKEN_COLON && kind != RCS_TOKEN_AT && kind != RCS_TOKEN_BANG) {
        return rcs_expected(cursor, "':safe', '@5s', '!time', '!budget', a comma, or nothing");
    }
    cursor->at++;
    if (!rcs_at_end(cursor) && !rcs_is_adjacent(cursor)) {
        return fail(cursor, cursor->at, "a word has no blanks inside: 'rate_limited:safe@5s!time'");
    }
    if (kind == RCS_TOKEN_COLON) {
        return read_safe(cursor, word, begin);
    }
    if (word->event < RECOURSE_EVENT_FAILURE) {
        return fail(cursor, begin, "'@' and '!' belong to failures, which alone may wait");
    }
    if (kind == RCS_TOKEN_BANG) {
        return read_refusal(cursor, word, begin);
    }
    if (word->server_delay_ms > 0) {
        return fail(cursor, begin, "the server's delay stands here twice");
    }
    return rcs_take_duration(cursor, "the server's delay, like 5s", 1, &word->server_delay_ms);
}

static bool read_word(struct rcs_cursor *cursor, const struct rcs_spec *spec, struct rcs_word *word)
{
    const char *name;

    word->place = rcs_here(cursor);
    if (!rcs_take_name(cursor, "an event", &name)) {
        return false;
    }
    word->event = rcs_event_of_name(spec, name);
    if (word->event == RECOURSE_NONE) {
        return unknown_event(cursor, spec, name);
    }
    while (!rcs_at_end(cursor) && rcs_is_adjacent(cursor) && !rcs_at(cursor, RCS_TOKEN_COMMA)) {
        if (!read_suffix(cursor, word)) {
            return false;
        }
    }
    return true;
}

bool rcs_read_words(struct rcs_cursor *cursor, const struct rcs_spec *spec, struct rcs_word **words, size_t *count)
{
    do {
        struct rcs_word word = {.event = RECOURSE_NONE};

        if (!read_word(cursor, spec, &word)) {
            return false;
        }
        *(struct rcs_word *)rcs_arena_push(cursor->arena, words, count, sizeof **words) = word;
    } while (rcs_accept(cursor, RCS_TOKEN_COMMA));
    return rcs_take_end(cursor, "a comma, or nothing");
}

bool rcs_words_read(const struct rcs_spec *spec, const char *const *arguments, size_t argument_count,
                    struct rcs_word **words, size_t *word_count, struct rcs_findings *findings)
{
    bool good = true;

    *words = NULL;
    *word_count = 0;
    for (size_t i = 0; i < argument_count; i++) {
        struct rcs_cursor cursor;

        rcs_cursor_open(&cursor, spec->arena, findings, NULL, arguments[i], strlen(arguments[i]),
                        (struct rcs_place){0, 0});
        good = rcs_read_words(&cursor, spec, words, word_count) && good;
    }
    return good;
}
