#include "spec_open.h"

#include <string.h>

#include "cli.h"
#include "findings_out.h"
#include "policy_text.h"

bool rcs_only_examples(const struct rcs_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->items[i].severity == RCS_ERROR && strcmp(findings->items[i].code, "example") != 0) {
            return false;
        }
    }
    return true;
}

void rcs_examples_warn(const char *command, const char *shown, const struct rcs_findings *findings)
{
    const char *rows = "";

    for (size_t i = 0; i < findings->count; i++) {
        if (findings->items[i].severity == RCS_ERROR) {
            rows = rcs_arena_format(findings->arena, "%s%s%s", rows, *rows == '\0' ? "" : ", ", findings->items[i].rows);
        }
    }
    rcs_cli_error(command, "warning: %s: examples come out otherwise (%s): recourse check says how", shown, rows);
}

bool rcs_spec_open(const struct rcs_spec_reader *reader, struct rcs_arena *arena, const char *path, const char *shown,
                   struct rcs_loaded *loaded)
{
    struct rcs_findings findings = {.arena = arena};
    const char *why = NULL;
    size_t size = 0;
    const char *found = path;
    char *text = rcs_policy_text_read(arena, reader->command, &found, &size, &why);

    if (text == NULL) {
        rcs_cli_error(reader->command, "%s: the file can't be read: %s", path, why);
        return false;
    }
    shown = found != path ? found : shown;
    if (!rcs_load(arena, shown, text, size, &findings, loaded)) {
        rcs_findings_sort(&findings);
        if (loaded->machine != NULL && rcs_only_examples(&findings)) {
            rcs_examples_warn(reader->command, shown, &findings);
            return true;
        }
        rcs_findings_print_errors(shown, &findings);
        rcs_cli_error(reader->command, "%s has errors: nothing was %s", shown, reader->done);
        return false;
    }
    return true;
}
