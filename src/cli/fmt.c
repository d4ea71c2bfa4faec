/* recourse fmt: the canonical form of policies. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "files.h"
#include "findings_out.h"
#include "gen/compile.h"

#define SPEC_MAX ((size_t)4 << 20)

/* A file of prose alone has a canonical form, and is no policy: more likely it is empty by mistake. */
static bool has_table(const char *canonical, struct rcs_findings *findings)
{
    if (*canonical == '|' || strstr(canonical, "\n|") != NULL) {
        return true;
    }
    rcs_find(findings, RCS_ERROR, "missing-table", (struct rcs_place){0, 0}, NULL, NULL,
             "there is no table in the file: it is no policy");
    return false;
}

/* One file; "-" is stdin to stdout. Returns whether all is well. */
static bool format(const char *path, bool check)
{
    bool stream = strcmp(path, "-") == 0;
    const char *shown = stream ? "<stdin>" : path;
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    const char *why = NULL;
    size_t size = 0;
    char *text = rcs_files_read(path, SPEC_MAX, &size, &why);
    char *canonical;
    bool same;
    bool good = true;

    if (text == NULL) {
        rcs_cli_error("fmt", "%s: the file can't be read: %s", shown, why);
        return false;
    }
    canonical = rcs_spec_format(&arena, shown, text, size, &findings);
    if (canonical == NULL || !has_table(canonical, &findings)) {
        rcs_findings_sort(&findings);
        rcs_findings_print_errors(shown, &findings);
        rcs_cli_error("fmt", "%s is left as it is", shown);
        free(text);
        rcs_arena_clear(&arena);
        return false;
    }
    same = strlen(canonical) == size && memcmp(canonical, text, size) == 0;
    if (check) {
        good = same;
        if (!same) {
            printf("%s\n", shown);
        }
    } else if (stream) {
        fputs(canonical, stdout);
    } else if (!same) {
        good = rcs_files_replace(path, 0666, canonical, strlen(canonical), &why);
        if (good) {
            printf("%s\n", path);
        } else {
            rcs_cli_error("fmt", "%s can't be written: %s", path, why);
        }
    }
    free(text);
    rcs_arena_clear(&arena);
    return good;
}

static int run(int argc, char **argv)
{
    bool check = false;
    const struct rcs_option options[] = {{.name = "--check", .flag = &check}};
    bool good = true;
    size_t count;
    int status = rcs_options_read(&rcs_command_fmt, argc, argv, options, 1, &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (count == 0) {
        return rcs_cli_error("fmt", "which policies? Give their files, or - for standard input");
    }
    for (size_t i = 1; i <= count; i++) {
        good = format(argv[i], check) && good;
    }
    return good ? RCS_EXIT_OK : RCS_EXIT_ERROR;
}

const struct rcs_command rcs_command_fmt = {
    .name = "fmt",
    .summary = "write policies in their canonical form",
    .run = run,
    .help =
        "Usage: recourse fmt [--check] SPEC...\n"
        "\n"
        "Rewrites each policy in canonical form: compact tables, one form for each\n"
        "cell; prose stays byte for byte. So one changed cell is one changed line. The\n"
        "names of files that changed are printed. A file is replaced at once, with its\n"
        "mode, or left as it is: one whose tables can't be read is not touched.\n"
        "\n"
        "SPEC may be -: the policy is read from standard input and its canonical form\n"
        "goes to standard output.\n"
        "\n"
        "Options:\n"
        "  --check  writes nothing; prints the names of files that are not canonical\n"
        "\n"
        "Examples:\n"
        "  $ recourse fmt --check spec/*.policy.md && echo canonical\n"
        "  canonical\n"
        "  $ recourse fmt mine.policy.md\n"
        "  mine.policy.md\n"
        "\n"
        "Exit status: 0; 1 if a file could not be read, formatted or written, or, with\n"
        "--check, is not canonical.\n",
};
