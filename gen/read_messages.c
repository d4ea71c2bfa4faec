#include <string.h>

#include "gen/read.h"

enum { ID, TEXT, COLUMN_COUNT };
static const struct rcs_column columns[] = {
    [ID] = {.name = "id"},
    [TEXT] = {.name = "text"},
};

static const char *const placeholders[] = {"tool",     "call",   "tries",   "reason",
                                           "reminder", "status", "failure", "server_delay"};
#define PLACEHOLDER_COUNT (sizeof placeholders / sizeof *placeholders)
#define REMINDER 4u /* index of it */

/* The index of the placeholder whose name is [text, text + size). */
static size_t placeholder_of(const char *text, size_t size)
{
    size_t i = 0;

    while (i < PLACEHOLDER_COUNT && (strlen(placeholders[i]) != size || memcmp(placeholders[i], text, size) != 0)) {
        i++;
    }
    return i;
}

static void unknown_placeholder(struct rcs_reader *reader, const struct rcs_cell *cell, const char *name, size_t size)
{
    const char *copy = rcs_arena_copy(reader->arena, name, size);

    rcs_complain(reader, "placeholder", cell->place, "unknown placeholder '{%s}': there are %s",
                 rcs_printable(reader->arena, name, size),
                 rcs_list_nearest(reader->arena, copy, placeholders, PLACEHOLDER_COUNT));
}

static void check_text(struct rcs_reader *reader, const struct rcs_cell *cell, struct rcs_spec_message *message)
{
    for (const char *at = message->text; (at = strpbrk(at, "{}")) != NULL; at++) {
        const char *end = strpbrk(at + 1, "{}");
        size_t index;

        if (*at == '}' || end == NULL || *end != '}') {
            rcs_complain(reader, "placeholder", cell->place, "'{' and '}' stand around a placeholder only");
            return;
        }
        index = placeholder_of(at + 1, (size_t)(end - at - 1));
        if (index == PLACEHOLDER_COUNT) {
            unknown_placeholder(reader, cell, at + 1, (size_t)(end - at - 1));
        }
        message->has_reminder = message->has_reminder || index == REMINDER;
        at = end;
    }
}

static void read_row(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    struct rcs_spec *spec = reader->spec;
    const struct rcs_cell *text = &row->cells[at[TEXT]];
    const char *id = rcs_read_name_id(reader, &row->cells[at[ID]]);
    struct rcs_spec_message *message;
    struct rcs_cursor cursor;

    if (id == NULL) {
        reader->broken[RCS_SECTION_MESSAGES] = true;
        return;
    }
    message = rcs_arena_push(reader->arena, &spec->messages, &spec->message_count, sizeof *spec->messages);
    message->id = id;
    message->place = row->place;
    message->text_place = text->place;
    message->text = "";
    rcs_open_cell(reader, &cursor, text);
    if (rcs_take_string(&cursor, "a quoted text", &message->text) && rcs_take_end(&cursor, "nothing after the text")) {
        check_text(reader, text, message);
    }
}

void rcs_read_messages(struct rcs_reader *reader)
{
    rcs_read_table(reader, RCS_SECTION_MESSAGES, columns, COLUMN_COUNT, read_row);
}
