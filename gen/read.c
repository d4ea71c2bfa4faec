#include "gen/read.h"

#include <string.h>

#define SUFFIX ".policy.md"

void rcs_complain(struct rcs_reader *reader, const char *code, struct rcs_place place, const char *format, ...)
{
    const char *text;
    va_list list;

    va_start(list, format);
    text = rcs_arena_vformat(reader->arena, format, list);
    va_end(list);
    rcs_find(reader->findings, RCS_ERROR, code, place, reader->row, NULL, "%s", text);
}

/* spec/lightspeed.policy.md -> lightspeed; NULL, with a finding, if that is no name. */
static const char *name_of_path(struct rcs_reader *reader, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    size_t size = strlen(base);
    const char *name = base;

    if (size > strlen(SUFFIX) && strcmp(base + size - strlen(SUFFIX), SUFFIX) == 0) {
        name = rcs_arena_copy(reader->arena, base, size - strlen(SUFFIX));
        if (rcs_is_name(name)) {
            return name;
        }
    }
    rcs_complain(reader, "file-name", (struct rcs_place){0, 0},
                 "a policy's file is NAME" SUFFIX
                 ", where NAME is a small letter, then small letters, digits or '_', at most "
                 "32 in all; this one is '%s'",
                 rcs_printable(reader->arena, base, size));
    return NULL;
}

/* Names are declared before they are used, whatever the order of the sections. */
static void read_all(struct rcs_reader *reader)
{
    rcs_read_sections(reader);
    rcs_read_scenarios(reader);
    rcs_read_tools(reader);
    rcs_read_failures(reader);
    rcs_read_budgets(reader);
    rcs_read_breakers(reader);
    rcs_read_waits(reader);
    rcs_read_messages(reader);
    rcs_read_settings(reader);
    rcs_read_states(reader);
    rcs_read_examples(reader);
}

struct rcs_spec *rcs_spec_read(struct rcs_arena *arena, const char *path, const char *text, size_t size,
                               struct rcs_findings *findings)
{
    size_t errors = findings->by_severity[RCS_ERROR];
    struct rcs_spec *spec = rcs_arena_alloc(arena, sizeof *spec);
    struct rcs_reader *reader = rcs_arena_alloc(arena, sizeof *reader);
    const char *behaviour;

    reader->arena = arena;
    reader->findings = findings;
    reader->spec = spec;
    rcs_document_read(arena, text, size, findings, &reader->document);
    if (reader->document.is_binary) {
        return NULL;
    }
    spec->arena = arena;
    spec->path = rcs_arena_copy(arena, path, strlen(path));
    spec->text = reader->document.text;
    spec->size = size;
    spec->name = name_of_path(reader, path);
    read_all(reader);
    if (findings->by_severity[RCS_ERROR] > errors) {
        return NULL;
    }
    rcs_digest(spec->text, size, spec->file_sha256);
    behaviour = rcs_behaviour_text(reader);
    rcs_digest(behaviour, strlen(behaviour), spec->behaviour_sha256);
    return spec;
}
