/* recourse compile: a policy as C. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "findings_out.h"
#include "gen/compile.h"
#include "headers.h"
#include "policy_text.h"

struct order {
    const char *path;
    const char *directory;
    const char *include; /* as given; NULL: to be found */
    bool shared;
};

static void cc_finding(struct rcs_findings *findings, const char *text)
{
    rcs_find(findings, RCS_ERROR, "cc", (struct rcs_place){0, 0}, NULL, NULL, "%s", text);
}

/* The directory of the headers; NULL: a finding says what is wrong. */
static const char *find_headers(struct rcs_arena *arena, const struct order *order, struct rcs_findings *findings)
{
    const char *found = order->include != NULL ? order->include : rcs_headers_find(arena);

    if (found == NULL) {
        cc_finding(findings, "the headers of recourse are not beside the command: give their directory with --include");
        return NULL;
    }
    if (!rcs_headers_are_in(arena, found)) {
        cc_finding(findings, rcs_arena_format(arena, "there is no recourse/policy.h in %s", found));
        return NULL;
    }
    return found;
}

static bool make(struct rcs_arena *arena, const struct order *order, const struct rcs_loaded *loaded,
                 struct rcs_findings *findings)
{
    const char *include = NULL;

    if (order->shared) {
        include = find_headers(arena, order, findings);
        if (include == NULL) {
            return false;
        }
    }
    return rcs_compile_shared(arena, loaded->spec, loaded->machine, order->directory, include, findings);
}

static void print_files(const struct order *order, const char *name)
{
    static const char *const endings[] = {"rl", "c", "h", "so"};
    size_t count = sizeof endings / sizeof endings[0] - (order->shared ? 0 : 1);
    size_t slash = strlen(order->directory);

    while (slash > 1 && order->directory[slash - 1] == '/') {
        slash--;
    }
    for (size_t i = 0; i < count; i++) {
        printf("%.*s%s%s.%s\n", (int)slash, order->directory, order->directory[slash - 1] == '/' ? "" : "/", name,
               endings[i]);
    }
}

static int compile(const struct order *order)
{
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded = {NULL, NULL, {0}};
    const char *why = NULL;
    size_t size = 0;
    const char *path = order->path;
    char *text = rcs_policy_text_read(&arena, "compile", &path, &size, &why);
    bool good;

    if (text == NULL) {
        return rcs_cli_error("compile", "%s: the file can't be read: %s", path, why);
    }
    good = rcs_load(&arena, path, text, size, &findings, &loaded) && make(&arena, order, &loaded, &findings);
    if (good) {
        print_files(order, loaded.spec->name);
    } else {
        rcs_findings_sort(&findings);
        rcs_findings_print_errors(path, &findings);
        rcs_cli_error("compile", "%s: nothing was written", path);
    }
    rcs_arena_clear(&arena);
    return good ? RCS_EXIT_OK : RCS_EXIT_ERROR;
}

static int run(int argc, char **argv)
{
    struct order order = {NULL, NULL, NULL, false};
    const struct rcs_option options[] = {
        {.name = "--output", .letter = "-o", .value = &order.directory},
        {.name = "--shared", .flag = &order.shared},
        {.name = "--include", .letter = "-I", .value = &order.include},
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
    if (order.directory == NULL) {
        return rcs_cli_error("compile", "where to? Give a directory with -o");
    }
    if (order.include != NULL && !order.shared) {
        return rcs_cli_error("compile", "--include is for --shared: nothing else needs the headers");
    }
    order.path = argv[1];
    return compile(&order);
}

const struct rcs_command rcs_command_compile = {
    .name = "compile",
    .summary = "write a policy as Ragel and C, to be linked",
    .run = run,
    .help =
        "Usage: recourse compile SPEC -o DIR [--shared [--include DIR]]\n"
        "\n"
        "SPEC is a policy's file, or the name of a built-in policy where there is no\n"
        "such file. Checks it, unrolls it into a finite state machine and writes\n"
        "\n"
        "  NAME.rl  the state chart, for Ragel 6.10\n"
        "  NAME.c   what Ragel made of it, and the policy's tables\n"
        "  NAME.h   declares `const struct recourse_policy` of that policy\n"
        "\n"
        "and with --shared\n"
        "\n"
        "  NAME.so  the policy as a shared object, for recourse_policy_open or --policy\n"
        "\n"
        "into DIR, which is made if it isn't there. What Ragel made is read back and\n"
        "compared with the policy, state by state and symbol by symbol. The C depends\n"
        "on the policy alone: no dates, no paths. All files are written, or none. ragel\n"
        "has to be in PATH, and for --shared a C compiler: cc, or what the variable CC\n"
        "names.\n"
        "\n"
        "Options:\n"
        "  -o, --output DIR   where to\n"
        "      --shared       a shared object as well\n"
        "  -I, --include DIR  where the headers of recourse are, if not where this\n"
        "                     command was installed or built\n"
        "\n"
        "Example:\n"
        "  $ recourse compile spec/lightspeed.policy.md -o build/mine\n"
        "  build/mine/lightspeed.rl\n"
        "  build/mine/lightspeed.c\n"
        "  build/mine/lightspeed.h\n"
        "\n"
        "Exit status: 0; 1 if the policy has errors or a file could not be written.\n",
};
