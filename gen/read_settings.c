#include <string.h>

#include "gen/read.h"

#define RESUMES_MAX 1000u
#define ROUNDS_MAX 1000u

enum setting {
    LANGUAGE,
    TRIES,
    TRY_TIMEOUT,
    CALL_DEADLINE,
    UNSAFE_REPLAY,
    REMINDER,
    REASON,
    SENSITIVE_VALUES,
    SENSITIVE_NAMES,
    APPROVAL_TIMEOUT,
    REPEATED_FAILURES,
    OUTPUT,
    NEEDED_COUNT,
    RESUMES = NEEDED_COUNT, /* may be left out, from here on: the same as none, or continue */
    ROUNDS,
    AUDIT,
    SETTING_COUNT
};

static const struct {
    const char *name;
    const char *write; /* what may be written */
    size_t place;
} settings[] = {
    [LANGUAGE] = {"language", "1", offsetof(struct rcs_setting_places, language)},
    [TRIES] = {"tries", "a number from 1 to 250", offsetof(struct rcs_setting_places, tries)},
    [TRY_TIMEOUT] = {"try timeout", "a duration, or none", offsetof(struct rcs_setting_places, try_timeout)},
    [CALL_DEADLINE] = {"call deadline", "a duration, or none", offsetof(struct rcs_setting_places, call_deadline)},
    [UNSAFE_REPLAY] = {"unsafe replay", "failures, or none", offsetof(struct rcs_setting_places, unsafe_replay)},
    [REMINDER] = {"reminder", "a quoted text, or none", offsetof(struct rcs_setting_places, reminder)},
    [REASON] = {"reason", "a number of characters, or none", offsetof(struct rcs_setting_places, reason)},
    [SENSITIVE_VALUES] = {"sensitive values", "quoted texts, or none",
                          offsetof(struct rcs_setting_places, sensitive_values)},
    [SENSITIVE_NAMES] = {"sensitive names", "quoted texts, or none",
                         offsetof(struct rcs_setting_places, sensitive_names)},
    [APPROVAL_TIMEOUT] = {"approval timeout", "a duration, or none",
                          offsetof(struct rcs_setting_places, approval_timeout)},
    [REPEATED_FAILURES] = {"repeated failures", "a number from 2, or none",
                           offsetof(struct rcs_setting_places, repeated_failures)},
    [OUTPUT] = {"output", "a number of characters or tokens, or none", offsetof(struct rcs_setting_places, output)},
    [RESUMES] = {"resumes", "a number, or none", offsetof(struct rcs_setting_places, resumes)},
    [ROUNDS] = {"rounds", "a number, or none", offsetof(struct rcs_setting_places, rounds)},
    [AUDIT] = {"audit", "continue, or refuse", offsetof(struct rcs_setting_places, audit)},
};

_Static_assert(sizeof settings / sizeof *settings == SETTING_COUNT, "an entry for each setting");

enum { NAME, VALUE, COLUMN_COUNT };
static const struct rcs_column columns[] = {
    [NAME] = {.name = "setting"},
    [VALUE] = {.name = "value"},
};

static void read_duration(struct rcs_cursor *cursor, uint64_t *ms)
{
    *ms = RECOURSE_FOREVER;
    if (!rcs_accept_words(cursor, "none")) {
        if (!rcs_take_duration(cursor, "a duration like 60s, or none", 1, ms)) {
            return;
        }
    }
    rcs_take_end(cursor, "nothing after it");
}

static void read_language(struct rcs_cursor *cursor)
{
    uint64_t number;

    if (rcs_at(cursor, RCS_TOKEN_NUMBER) && strcmp(rcs_token_copy(cursor, rcs_peek(cursor)), "1") != 0) {
        rcs_cursor_error(cursor, "language", "this version reads language 1");
        return;
    }
    if (rcs_take_number(cursor, "1", 1, 1, &number)) {
        rcs_take_end(cursor, "nothing after it");
    }
}

static void read_tries(struct rcs_cursor *cursor, struct recourse_settings *out)
{
    uint64_t number = 1;

    if (rcs_take_number(cursor, "the number of tries", 1, RECOURSE_TRIES_MAX, &number)) {
        rcs_take_end(cursor, "nothing after it");
    }
    out->tries = (uint16_t)number;
}

static bool is_listed(const struct rcs_spec *spec, uint16_t failure)
{
    for (size_t i = 0; i < spec->unsafe_replay_count; i++) {
        if (spec->unsafe_replay[i] == failure) {
            return true;
        }
    }
    return false;
}

static void read_unsafe_replay(struct rcs_reader *reader, struct rcs_cursor *cursor)
{
    struct rcs_spec *spec = reader->spec;
    size_t place_count = 0;

    if (rcs_accept_words(cursor, "none")) {
        rcs_take_end(cursor, "nothing after 'none'");
        return;
    }
    do {
        struct rcs_place place = rcs_here(cursor);
        const char *name;
        uint16_t failure;

        if (!rcs_take_name(cursor, "a failure, or none", &name)) {
            return;
        }
        failure = rcs_find_name(reader, RCS_SECTION_FAILURES, name, place);
        if (failure == RECOURSE_NONE) {
            continue;
        }
        if (is_listed(spec, failure)) {
            rcs_complain(reader, "repeated-name", place, "'%s' stands here twice", name);
            continue;
        }
        *(uint16_t *)rcs_arena_push(reader->arena, &spec->unsafe_replay, &spec->unsafe_replay_count,
                                    sizeof *spec->unsafe_replay) = failure;
        *(struct rcs_place *)rcs_arena_push(reader->arena, &spec->unsafe_replay_places, &place_count,
                                            sizeof *spec->unsafe_replay_places) = place;
    } while (rcs_accept(cursor, RCS_TOKEN_COMMA));
    rcs_take_end(cursor, "a comma, or nothing");
}

static void read_text(struct rcs_cursor *cursor, const char **text)
{
    *text = "";
    if (rcs_accept_words(cursor, "none") || rcs_take_string(cursor, "a quoted text, or none", text)) {
        rcs_take_end(cursor, "nothing after it");
    }
}

/* `220 characters`; `tokens` as well where `is_tokens` is given. Left as it is on `none`. */
static void read_amount(struct rcs_cursor *cursor, uint64_t least, uint32_t *amount, bool *is_tokens)
{
    uint64_t number;

    if (rcs_accept_words(cursor, "none")) {
        rcs_take_end(cursor, "nothing after 'none'");
        return;
    }
    if (!rcs_take_number(cursor, "the number before 'characters', or none", least, 100000000, &number)) {
        return;
    }
    *amount = (uint32_t)number;
    if (is_tokens != NULL && rcs_accept_words(cursor, "tokens")) {
        *is_tokens = true;
    } else if (!rcs_accept_words(cursor, "characters")) {
        rcs_expected(cursor, is_tokens == NULL ? "'characters'" : "'characters' or 'tokens'");
        return;
    }
    rcs_take_end(cursor, "nothing after it");
}

static char *lower(struct rcs_arena *arena, const char *text)
{
    char *copy = rcs_arena_copy(arena, text, strlen(text));

    for (char *byte = copy; *byte != '\0'; byte++) {
        *byte = (char)(*byte >= 'A' && *byte <= 'Z' ? *byte | 0x20 : *byte);
    }
    return copy;
}

static void read_texts(struct rcs_cursor *cursor, const char *const **texts)
{
    const char **list = NULL;
    size_t count = 0;
    const char *text;

    if (rcs_accept_words(cursor, "none")) {
        rcs_take_end(cursor, "nothing after 'none'");
        return;
    }
    do {
        if (!rcs_take_string(cursor, "a quoted text, or none", &text)) {
            return;
        }
        *(const char **)rcs_arena_push(cursor->arena, &list, &count, sizeof *list) = lower(cursor->arena, text);
    } while (rcs_accept(cursor, RCS_TOKEN_COMMA));
    if (rcs_take_end(cursor, "a comma, or nothing")) {
        *(const char **)rcs_arena_push(cursor->arena, &list, &count, sizeof *list) = NULL;
        *texts = list;
    }
}

/* How often; 0 on `none`. */
static void read_count(struct rcs_cursor *cursor, const char *what, uint64_t least, uint64_t most, uint32_t *out)
{
    uint64_t number = 0;

    if (rcs_accept_words(cursor, "none") || rcs_take_number(cursor, what, least, most, &number)) {
        rcs_take_end(cursor, "nothing after it");
    }
    *out = (uint32_t)number;
}

static void read_audit(struct rcs_cursor *cursor, bool *refuse)
{
    *refuse = rcs_accept_words(cursor, "refuse");
    if (*refuse || rcs_accept_words(cursor, "continue")) {
        rcs_take_end(cursor, "nothing after it");
    } else {
        rcs_expected(cursor, "continue, or refuse");
    }
}

static void read_value(struct rcs_reader *reader, struct rcs_cursor *cursor, enum setting setting)
{
    struct recourse_settings *out = &reader->spec->settings;

    switch (setting) {
    case LANGUAGE:
        read_language(cursor);
        break;
    case TRIES:
        read_tries(cursor, out);
        break;
    case TRY_TIMEOUT:
        read_duration(cursor, &out->try_timeout_ms);
        break;
    case CALL_DEADLINE:
        read_duration(cursor, &out->call_deadline_ms);
        break;
    case UNSAFE_REPLAY:
        read_unsafe_replay(reader, cursor);
        break;
    case REMINDER:
        read_text(cursor, &out->reminder);
        break;
    case REASON:
        read_amount(cursor, 4, &out->reason_characters, NULL); /* room for one character and "..." */
        break;
    case SENSITIVE_VALUES:
        read_texts(cursor, &out->sensitive_values);
        break;
    case SENSITIVE_NAMES:
        read_texts(cursor, &out->sensitive_names);
        break;
    case APPROVAL_TIMEOUT:
        read_duration(cursor, &out->approval_timeout_ms);
        break;
    case REPEATED_FAILURES:
        read_count(cursor, "the number of repeated failures", 2, 1000000, &out->repeated_failures);
        break;
    case RESUMES:
        read_count(cursor, "the number of resumes", 1, RESUMES_MAX, &out->resumes);
        break;
    case ROUNDS:
        read_count(cursor, "the number of rounds", 1, ROUNDS_MAX, &out->rounds);
        break;
    case AUDIT:
        read_audit(cursor, &out->audit_refuse);
        break;
    default:
        read_amount(cursor, 1, &out->output_limit, &out->output_tokens);
        break;
    }
}

static struct rcs_place *place_of(struct rcs_reader *reader, enum setting setting)
{
    return (struct rcs_place *)(void *)((char *)&reader->spec->setting_places + settings[setting].place);
}

static void unknown_setting(struct rcs_reader *reader, const struct rcs_cell *cell, const char *name)
{
    const char *names[SETTING_COUNT];

    for (size_t i = 0; i < SETTING_COUNT; i++) {
        names[i] = settings[i].name;
    }
    rcs_complain(reader, "unknown-setting", cell->place, "unknown setting '%s'%s",
                 rcs_printable(reader->arena, name, strlen(name)),
                 rcs_suggest(reader->arena, name, names, SETTING_COUNT));
}

static void read_setting(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    const struct rcs_cell *name_cell = &row->cells[at[NAME]];
    const struct rcs_cell *value = &row->cells[at[VALUE]];
    const char *name = rcs_cell_canonical(reader->arena, reader->document.text + name_cell->begin,
                                          name_cell->end - name_cell->begin, false);
    struct rcs_cursor cursor;
    struct rcs_place *place;
    size_t i = 0;

    while (i < SETTING_COUNT && strcmp(settings[i].name, name) != 0) {
        i++;
    }
    if (i == SETTING_COUNT) {
        unknown_setting(reader, name_cell, name);
        return;
    }
    place = place_of(reader, (enum setting)i);
    if (place->line > 0) {
        rcs_complain(reader, "repeated-setting", name_cell->place, "'%s' is set in line %u already", name, place->line);
        return;
    }
    *place = value->place;
    rcs_open_cell(reader, &cursor, value);
    read_value(reader, &cursor, (enum setting)i);
}

void rcs_read_settings(struct rcs_reader *reader)
{
    struct recourse_settings *out = &reader->spec->settings;

    *out = (struct recourse_settings){
        .tries = 1,
        .try_timeout_ms = RECOURSE_FOREVER,
        .call_deadline_ms = RECOURSE_FOREVER,
        .approval_timeout_ms = RECOURSE_FOREVER,
        .reminder = "",
        .reason_characters = UINT32_MAX,
    };
    rcs_read_table(reader, RCS_SECTION_SETTINGS, columns, COLUMN_COUNT, read_setting);
    for (size_t i = 0; i < NEEDED_COUNT && !reader->broken[RCS_SECTION_SETTINGS]; i++) {
        if (place_of(reader, (enum setting)i)->line == 0) {
            rcs_complain(reader, "missing-setting", reader->headings[RCS_SECTION_SETTINGS],
                         "the setting '%s' is missing: write '| %s | ... |' with %s", settings[i].name,
                         settings[i].name, settings[i].write);
        }
    }
}
