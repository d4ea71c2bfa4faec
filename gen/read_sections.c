#include <string.h>

#include "gen/read.h"

#define NO_SECTION RCS_SECTION_COUNT
#define REPEATED (RCS_SECTION_COUNT + 1) /* reported: what stands in it is not */

/* In the order in which they stand in a file. */
static const struct {
    const char *name;
    unsigned level;
    uint8_t parent;
    bool needed;
    bool table; /* holds one */
} sections[] = {
    [RCS_SECTION_TITLE] = {"# NAME", 1, NO_SECTION, true, false},
    [RCS_SECTION_SETTINGS] = {"## Settings", 2, RCS_SECTION_TITLE, true, true},
    [RCS_SECTION_SCENARIOS] = {"## Scenarios", 2, RCS_SECTION_TITLE, true, true},
    [RCS_SECTION_TOOLS] = {"## Tools", 2, RCS_SECTION_TITLE, false, true},
    [RCS_SECTION_FAILURES] = {"## Failures", 2, RCS_SECTION_TITLE, true, true},
    [RCS_SECTION_WAITS] = {"## Waits", 2, RCS_SECTION_TITLE, false, true},
    [RCS_SECTION_BUDGETS] = {"## Budgets", 2, RCS_SECTION_TITLE, false, true},
    [RCS_SECTION_BREAKERS] = {"## Breakers", 2, RCS_SECTION_TITLE, false, true},
    [RCS_SECTION_MESSAGES] = {"## Messages", 2, RCS_SECTION_TITLE, true, true},
    [RCS_SECTION_STATES] = {"## States", 2, RCS_SECTION_TITLE, true, false},
    [RCS_SECTION_PRECONDITION] = {"### precondition", 3, RCS_SECTION_STATES, true, true},
    [RCS_SECTION_ATTEMPT] = {"### attempt", 3, RCS_SECTION_STATES, true, true},
    [RCS_SECTION_BACKOFF] = {"### backoff", 3, RCS_SECTION_STATES, true, true},
    [RCS_SECTION_EXHAUSTED] = {"### exhausted", 3, RCS_SECTION_STATES, true, true},
    [RCS_SECTION_EXAMPLES] = {"## Examples", 2, RCS_SECTION_TITLE, false, false},
    [RCS_SECTION_RUNS] = {"### runs", 3, RCS_SECTION_EXAMPLES, false, true},
    [RCS_SECTION_FACTS] = {"### facts", 3, RCS_SECTION_EXAMPLES, false, true},
};

_Static_assert(sizeof sections / sizeof *sections == RCS_SECTION_COUNT, "an entry for each section");

const char *rcs_section_name(enum rcs_section section)
{
    return sections[section].name;
}

/* Which section each heading begins: filled in order, so that a parent is known before its children. */
static unsigned section_of(const struct rcs_reader *reader, const uint8_t *found, size_t index)
{
    const struct rcs_heading *heading = &reader->document.headings[index];
    unsigned parent = heading->parent == RCS_NO_HEADING ? NO_SECTION : found[heading->parent];

    if (heading->level == 1) {
        return RCS_SECTION_TITLE;
    }
    for (unsigned i = 1; i < RCS_SECTION_COUNT; i++) {
        if (sections[i].level == heading->level && sections[i].parent == parent &&
            strcmp(sections[i].name + heading->level + 1, heading->title) == 0) {
            return i;
        }
    }
    return NO_SECTION;
}

static void check_title(struct rcs_reader *reader, const struct rcs_heading *heading, size_t index)
{
    const char *name = reader->spec->name;

    if (index > 0) {
        rcs_complain(reader, "title", heading->place,
                     "only the first heading of a file is of the first level: write '## '");
    } else if (name != NULL && strcmp(heading->title, name) != 0) {
        rcs_complain(reader, "title", heading->place,
                     "the title is the name of the file: expected '# %s', found '# %s'", name,
                     rcs_printable(reader->arena, heading->title, strlen(heading->title)));
    }
}

/* Returns false if the heading repeats one that was there. */
static bool check_heading(struct rcs_reader *reader, unsigned section, size_t index, unsigned *last)
{
    const struct rcs_heading *heading = &reader->document.headings[index];

    if (section == RCS_SECTION_TITLE) {
        check_title(reader, heading, index);
    } else if (reader->headings[section].line > 0) {
        rcs_complain(reader, "repeated-section", heading->place, "'%s' stands already in line %u",
                     sections[section].name, reader->headings[section].line);
        return false;
    } else if (section < *last) {
        rcs_complain(reader, "section-order", heading->place, "'%s' stands before '%s'", sections[section].name,
                     sections[*last].name);
    }
    *last = section;
    if (reader->headings[section].line == 0) {
        reader->headings[section] = heading->place;
    }
    return true;
}

static void check_table(struct rcs_reader *reader, const struct rcs_table *table, const uint8_t *found)
{
    unsigned section = table->heading == RCS_NO_HEADING ? NO_SECTION : found[table->heading];
    struct rcs_place place = table->header.place;
    const char *title;
    const char *names[RCS_SECTION_COUNT];

    if (section == REPEATED) {
        return;
    }
    if (section != NO_SECTION && sections[section].table && reader->tables[section] == NULL) {
        reader->tables[section] = table;
        return;
    }
    if (section != NO_SECTION && sections[section].table) {
        rcs_complain(reader, "second-table", place, "a section has one table: '%s' has one in line %u",
                     sections[section].name, reader->tables[section]->header.place.line);
        return;
    }
    if (table->heading == RCS_NO_HEADING || section != NO_SECTION) {
        rcs_complain(reader, "section", place, "no table stands here: it belongs under the heading of its section");
        return;
    }
    for (unsigned i = 0; i < RCS_SECTION_COUNT; i++) {
        names[i] = sections[i].name + sections[i].level + 1;
    }
    title = reader->document.headings[table->heading].title;
    title = rcs_printable(reader->arena, title, strlen(title));
    rcs_complain(reader, "section", place, "a table in a section that is not known, '%s'%s: every table has a meaning",
                 title, rcs_suggest(reader->arena, title, names + 1, RCS_SECTION_COUNT - 1));
}

static void check_missing(struct rcs_reader *reader)
{
    bool runs = reader->headings[RCS_SECTION_RUNS].line > 0;
    bool facts = reader->headings[RCS_SECTION_FACTS].line > 0;

    for (unsigned i = 0; i < RCS_SECTION_COUNT; i++) {
        if (reader->headings[i].line == 0 && sections[i].needed) {
            rcs_complain(reader, "missing-section", (struct rcs_place){0, 0}, "'%s' is missing", sections[i].name);
        } else if (reader->headings[i].line > 0 && sections[i].table && reader->tables[i] == NULL) {
            rcs_complain(reader, "missing-table", reader->headings[i], "'%s' has no table", sections[i].name);
        }
        reader->broken[i] =
            sections[i].table && reader->tables[i] == NULL && (sections[i].needed || reader->headings[i].line > 0);
    }
    if (!runs || !facts) {
        rcs_find(reader->findings, RCS_WARNING, "no-examples", reader->headings[RCS_SECTION_EXAMPLES], NULL, NULL,
                 "examples of %s are missing: without '%s', a change may go unnoticed",
                 runs    ? "facts"
                 : facts ? "runs"
                         : "runs and of facts",
                 runs ? sections[RCS_SECTION_FACTS].name : sections[RCS_SECTION_RUNS].name);
    }
}

void rcs_read_sections(struct rcs_reader *reader)
{
    const struct rcs_document *document = &reader->document;
    uint8_t *found = rcs_arena_alloc(reader->arena, document->heading_count + 1);
    unsigned last = 0;

    for (size_t i = 0; i < document->heading_count; i++) {
        unsigned section = section_of(reader, found, i);

        if (section != NO_SECTION && !check_heading(reader, section, i, &last)) {
            section = REPEATED;
        }
        found[i] = (uint8_t)section;
    }
    for (size_t i = 0; i < document->table_count; i++) {
        check_table(reader, &document->tables[i], found);
    }
    check_missing(reader);
}
