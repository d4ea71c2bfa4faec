/* recourse compile: a policy as C. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "findings_out.h"
#include "gen/compile.h"

static int compile(const char *path, const char *directory)
{
    static const char *const endings[] = {"rl", "c", "h"};
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded = {NULL, NULL, {0}};
    const char *why = NULL;
    size_t size = 0;
    char *text = rcs_file_read(&arena, path, &size, &why);
    size_t slash = strlen(directory);
    bool good;

    if (text == NULL) {
        return rcs_cli_error("compile", "%s: the file can't be read: %s", path, why);
    }
    good = rcs_load(&arena, path, text, size, &findings, &loaded) &&
           rcs_compile(&arena, loaded.spec, loaded.machine, directory, &findings);
    if (!good) {
        rcs_findings_sort(&findings);
        rcs_findings_print_errors(path, &findings);
        rcs_cli_error("compile", "%s: nothing was written", path);
        rcs_arena_clear(&arena);
        return RCS_EXIT_ERROR;
    }
    while (slash > 1 && directory[slash - 1] == '/') {
        slash--;
    }
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        printf("%.*s%s%s.%s\n", (int)slash, directory, directory[slash - 1] == '/' ? "" : "/", loaded.spec->name,
               endings[i]);
    }
    rcs_arena_clear(&arena);
    return RCS_EXIT_OK;
}

static int run(int argc, char **argv)
{
    const char *directory = NULL;
    const struct rcs_option options[] = {
        {.name = "--output", .letter = "-o", .value = &directory},
        {.name = "--shared", .later = "compile the C that is written, and link it"},
    };
    size_t count;
    int status =
        rcs_options_read(&rcs_command_compile, argc, argv, options, sizeof options / sizeof options[0], &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (count != 1) {
        return rcs_cli_error("compile", count == 0 ? "which policy? Give its file" : "one policy at a time");
    }
    if (directory == NULL) {
        return rcs_cli_error("compile", "where to? Give a directory with -o");
    }
    return compile(argv[1], directory);
}

const struct rcs_command rcs_command_compile = {
    .name = "compile",
    .summary = "write a policy as Ragel and C, to be linked",
    .run = run,
    .help =
        "Usage: recourse compile SPEC -o DIR\n"
        "\n"
        "Checks a policy, unrolls it into a finite state machine and writes\n"
        "\n"
        "  NAME.rl  the state chart, for Ragel 6.10\n"
        "  NAME.c   what Ragel made of it, and the policy's tables\n"
        "  NAME.h   declares `const struct recourse_policy` of that policy\n"
        "\n"
        "into DIR, which is made if it isn't there. What Ragel made is read back and\n"
        "compared with the policy, state by state and symbol by symbol. The output\n"
        "depends on the policy alone: no dates, no paths. All three files are written,\n"
        "or none. ragel has to be in PATH.\n"
        "\n"
        "Options:\n"
        "  -o, --output DIR  where to\n"
        "\n"
        "Example:\n"
        "  $ recourse compile spec/lightspeed.policy.md -o build/mine\n"
        "  build/mine/lightspeed.rl\n"
        "  build/mine/lightspeed.c\n"
        "  build/mine/lightspeed.h\n"
        "\n"
        "Exit status: 0; 1 if the policy has errors or a file could not be written.\n",
};
