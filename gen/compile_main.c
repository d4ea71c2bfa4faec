/* The compiler without the command around it: makes the policies that the library is built with. */
#include <stdio.h>
#include <string.h>

#include "gen/compile.h"

static void print(const char *path, const struct rcs_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct rcs_finding *at = &findings->items[i];

        fprintf(stderr, "%s:%u:%u: %s[%s]: %s", path, at->place.line, at->place.column, rcs_severity_name(at->severity),
                at->code, at->text);
        if (at->rows != NULL && at->rows[0] != '\0') {
            fprintf(stderr, " (%s)", at->rows);
        }
        if (at->witness != NULL) {
            fprintf(stderr, "; for example: %s", at->witness);
        }
        fputc('\n', stderr);
    }
}

static bool compile(struct rcs_arena *arena, const char *path, const char *directory, struct rcs_findings *findings)
{
    struct rcs_loaded loaded;
    const char *why = NULL;
    size_t size;
    char *text = rcs_file_read(arena, path, &size, &why);

    if (text == NULL) {
        rcs_find(findings, RCS_ERROR, "io", (struct rcs_place){0, 0}, NULL, NULL, "the file can't be read: %s", why);
        return false;
    }
    return rcs_load(arena, path, text, size, findings, &loaded) &&
           rcs_compile(arena, loaded.spec, loaded.machine, directory, findings);
}

int main(int argument_count, char **arguments)
{
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    bool good;

    if (argument_count != 4 || strcmp(arguments[2], "-o") != 0) {
        fprintf(stderr, "usage: %s SPEC -o DIR\n", argument_count > 0 ? arguments[0] : "policyc");
        return 1;
    }
    good = compile(&arena, arguments[1], arguments[3], &findings);
    print(arguments[1], &findings);
    rcs_arena_clear(&arena);
    return good ? 0 : 1;
}
