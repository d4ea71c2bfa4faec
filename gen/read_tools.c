#include <string.h>

#include "gen/read.h"

enum { TOOL, REPLAY, WHY, COLUMN_COUNT };
static const struct rcs_column columns[] = {
    [TOOL] = {.name = "tool"},
    [REPLAY] = {.name = "replay"},
    [WHY] = {.name = "why"},
};

static bool is_plain_name(const char *text)
{
    for (; *text != '\0' && !(text[0] == '*' && text[1] == '\0'); text++) {
        bool letter =
            (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || (*text >= '0' && *text <= '9');

        if (!letter && strchr("_.:/-", *text) == NULL) {
            return false;
        }
    }
    return true;
}

/* A tool's name, plain or quoted, or the begin of names: `meraki_*`. NULL if it is none. */
static const char *read_name(struct rcs_reader *reader, const struct rcs_cell *cell)
{
    const char *name = rcs_cell_copy(&reader->document, cell);
    struct rcs_cursor cursor;
    const char *star;

    if (name[0] == '"') {
        rcs_open_cell(reader, &cursor, cell);
        if (!rcs_take_string(&cursor, "a tool's name", &name) || !rcs_take_end(&cursor, "nothing after the name")) {
            return NULL;
        }
    } else if (!is_plain_name(name) || strcmp(name, "-") == 0) {
        rcs_complain(reader, "tool", cell->place,
                     "expected a tool's name, or the begin of names like meraki_*; found '%s'",
                     rcs_printable(reader->arena, name, strlen(name)));
        return NULL;
    }
    star = strchr(name, '*');
    if (star != NULL && star[1] != '\0') {
        rcs_complain(reader, "tool", cell->place, "'*' stands at the end of a tool's name only");
        return NULL;
    }
    return name;
}

static bool read_replay(struct rcs_reader *reader, const struct rcs_cell *cell, struct rcs_spec_tool *tool)
{
    struct rcs_cursor cursor;

    rcs_open_cell(reader, &cursor, cell);
    if (rcs_accept_words(&cursor, "unsafe")) {
        tool->replay = RECOURSE_REPLAY_UNSAFE;
    } else if (rcs_accept_words(&cursor, "safe if")) {
        struct rcs_place place = rcs_here(&cursor);

        tool->replay = RECOURSE_REPLAY_SAFE_IF;
        if (!rcs_take_string(&cursor, "a quoted JSON pointer", &tool->pointer)) {
            return false;
        }
        if (!rcs_is_pointer(tool->pointer)) {
            rcs_complain(reader, "pointer", place, "a JSON pointer starts with '/', and has '~' only as '~0' and '~1'");
            return false;
        }
    } else if (rcs_accept_words(&cursor, "safe")) {
        tool->replay = RECOURSE_REPLAY_SAFE;
    } else {
        return rcs_expected(&cursor, "safe, unsafe, or safe if \"/pointer\"");
    }
    return rcs_take_end(&cursor, "nothing after it");
}

static void read_row(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    struct rcs_spec *spec = reader->spec;
    struct rcs_spec_tool tool = {.place = row->place, .name = read_name(reader, &row->cells[at[TOOL]])};
    bool good = read_replay(reader, &row->cells[at[REPLAY]], &tool);

    if (tool.name == NULL || !good) {
        return;
    }
    for (size_t i = 0; i < spec->tool_count; i++) {
        if (strcmp(spec->tools[i].name, tool.name) == 0) {
            rcs_complain(reader, "repeated-name", row->place, "the tool '%s' stands in line %u already", tool.name,
                         spec->tools[i].place.line);
            return;
        }
    }
    tool.why = rcs_cell_copy(&reader->document, &row->cells[at[WHY]]);
    *(struct rcs_spec_tool *)rcs_arena_push(reader->arena, &spec->tools, &spec->tool_count, sizeof *spec->tools) = tool;
}

void rcs_read_tools(struct rcs_reader *reader)
{
    rcs_read_table(reader, RCS_SECTION_TOOLS, columns, COLUMN_COUNT, read_row);
}
