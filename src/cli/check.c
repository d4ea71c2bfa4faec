/* recourse check: all that the compiler has to say about policies. */
#include <limits.h>
#include <string.h>

#include "cli.h"
#include "explain.h"
#include "findings_out.h"
#include "gen/compile.h"
#include "policy_text.h"
#include "waits_out.h"

struct checked {
    const char *path;
    struct rcs_findings findings;
    struct rcs_loaded loaded;
    bool ok;
};

struct check_options {
    bool json;
    bool strict;
    bool github;
};

static void load(struct rcs_arena *arena, const char *path, bool strict, struct checked *out)
{
    const struct rcs_place nowhere = {0, 0};
    const char *why = NULL;
    size_t size = 0;
    char *text = rcs_policy_text_read(arena, "check", &path, &size, &why);

    memset(out, 0, sizeof *out);
    out->path = path;
    out->findings.arena = arena;
    if (text == NULL) {
        rcs_find(&out->findings, RCS_ERROR, "io", nowhere, NULL, NULL, "the file can't be read: %s", why);
        return;
    }
    rcs_load(arena, path, text, size, &out->findings, &out->loaded);
    rcs_findings_sort(&out->findings);
    out->ok = out->findings.by_severity[RCS_ERROR] == 0 && out->loaded.machine != NULL &&
              !(strict && out->findings.by_severity[RCS_WARNING] > 0);
}

/* ", 1 error", "; 2 warnings": nothing for none. */
static void print_count(const char *before, size_t count, const char *what)
{
    if (count > 0) {
        printf("%s%zu %s%s", before, count, what, count == 1 ? "" : "s");
    }
}

static void print_summary(const struct checked *checked)
{
    const struct rcs_worst *worst = &checked->loaded.worst;
    const size_t *found = checked->findings.by_severity;
    char text[RCS_DURATION_SIZE];

    printf("%s: %s", checked->path, checked->ok ? "ok" : "not ok");
    if (found[RCS_ERROR] == 0 && checked->loaded.machine != NULL) {
        printf(", %u %s and %u %s at most, %s of waiting at most, %zu states", worst->tries,
               worst->tries == 1 ? "try" : "tries", worst->requests, worst->requests == 1 ? "request" : "requests",
               rcs_duration_text(worst->wait_ms, text), checked->loaded.machine->state_count);
    }
    print_count(", ", found[RCS_ERROR], "error");
    print_count(", ", found[RCS_WARNING], "warning");
    print_count(", ", found[RCS_NOTICE], "notice");
    putchar('\n');
}

static void print_waits(const struct rcs_spec *spec)
{
    for (size_t w = 0; w < spec->wait_count; w++) {
        printf("    wait %s: ", spec->waits[w].id);
        rcs_windows_print(spec, &spec->waits[w], UINT_MAX);
        putchar('\n');
    }
}

static void print_people(const struct checked *checked, bool github)
{
    if (github) {
        rcs_findings_print_github(checked->path, &checked->findings);
    } else {
        rcs_findings_print(checked->path, &checked->findings);
    }
    print_summary(checked);
    if (!github && checked->findings.by_severity[RCS_ERROR] == 0 && checked->loaded.machine != NULL) {
        print_waits(checked->loaded.spec);
    }
}

static void write_waits(struct rcs_out *out, const struct rcs_spec *spec)
{
    struct rcs_window window;

    rcs_out_open(out, '[');
    for (size_t w = 0; w < spec->wait_count; w++) {
        rcs_out_open(out, '{');
        rcs_out_key(out, "id");
        rcs_out_text(out, spec->waits[w].id);
        rcs_out_key(out, "windows_ms");
        rcs_out_open(out, '[');
        for (unsigned index = 0; index < rcs_windows_count(spec, &spec->waits[w]); index++) {
            rcs_model_window(spec, &spec->waits[w], index, 0, &window);
            rcs_out_open(out, '[');
            rcs_out_number(out, window.min_ms);
            rcs_out_number(out, window.max_ms);
            rcs_out_close(out, ']');
        }
        rcs_out_close(out, ']');
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

static void write_json(struct rcs_out *out, const struct checked *checked)
{
    const struct rcs_worst *worst = &checked->loaded.worst;

    rcs_out_open(out, '{');
    rcs_out_key(out, "path");
    rcs_out_text(out, checked->path);
    rcs_out_key(out, "ok");
    rcs_out_bool(out, checked->ok);
    rcs_out_key(out, "findings");
    rcs_findings_json(out, &checked->findings);
    rcs_out_key(out, "worst");
    if (checked->loaded.machine == NULL || checked->findings.by_severity[RCS_ERROR] > 0) {
        rcs_out_null(out);
        rcs_out_key(out, "states");
        rcs_out_null(out);
        rcs_out_key(out, "waits");
        rcs_out_null(out);
        rcs_out_close(out, '}');
        return;
    }
    rcs_out_worst(out, worst);
    rcs_out_key(out, "states");
    rcs_out_number(out, checked->loaded.machine->state_count);
    rcs_out_key(out, "waits");
    write_waits(out, checked->loaded.spec);
    rcs_out_close(out, '}');
}

static int check_files(char **paths, size_t count, const struct check_options *options)
{
    struct rcs_arena arena = {0};
    struct rcs_out out = {0};
    bool good = true;

    rcs_out_open(&out, '{');
    rcs_out_key(&out, "files");
    rcs_out_open(&out, '[');
    for (size_t i = 0; i < count; i++) {
        struct checked checked;

        load(&arena, paths[i], options->strict, &checked);
        good = good && checked.ok;
        if (options->json) {
            write_json(&out, &checked);
        } else {
            print_people(&checked, options->github);
        }
        rcs_arena_clear(&arena);
    }
    rcs_out_close(&out, ']');
    rcs_out_close(&out, '}');
    if (options->json) {
        rcs_out_print(&out);
    }
    rcs_out_clear(&out);
    return good ? RCS_EXIT_OK : RCS_EXIT_ERROR;
}

static int run(int argc, char **argv)
{
    struct check_options chosen = {false, false, false};
    const char *explain = NULL;
    const char *format = NULL;
    const struct rcs_option options[] = {
        {.name = "--json", .flag = &chosen.json},
        {.name = "--format", .value = &format},
        {.name = "--strict", .flag = &chosen.strict},
        {.name = "--explain", .value = &explain},
    };
    size_t count;
    int status = rcs_options_read(&rcs_command_check, argc, argv, options, sizeof options / sizeof options[0], &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (explain != NULL) {
        return count == 0 ? rcs_explain(explain) : rcs_cli_error("check", "--explain takes a code and no files");
    }
    if (count == 0) {
        return rcs_cli_error("check", "which policies? Give their files, such as spec/lightspeed.policy.md");
    }
    if (format != NULL && strcmp(format, "text") != 0 && strcmp(format, "github") != 0) {
        return rcs_cli_error("check", "--format is text or github, not '%s'", format);
    }
    if (format != NULL && chosen.json) {
        return rcs_cli_error("check", "--json or --format: one of them");
    }
    chosen.github = format != NULL && strcmp(format, "github") == 0;
    return check_files(argv + 1, count, &chosen);
}

const struct rcs_command rcs_command_check = {
    .name = "check",
    .summary = "check policies: gaps, overlaps, endless or unsafe retries, examples",
    .run = run,
    .help =
        "Usage: recourse check [--format FORMAT|--json] [--strict] SPEC...\n"
        "       recourse check --explain CODE\n"
        "\n"
        "Reads each policy (a file, or the name of a built-in one where there is no such\n"
        "file), unrolls it into its machine and says what is wrong with it:\n"
        "syntax and names, cases that no row or more than one row takes, rows that can\n"
        "never be used, runs that never end, retries that could do a thing twice,\n"
        "examples that do not come out.\n"
        "\n"
        "Each finding has a place, a severity and a stable code:\n"
        "\n"
        "  FILE:LINE:COLUMN: SEVERITY[CODE]: TEXT\n"
        "      rows A1, A4; shown by: transient, rate_limited\n"
        "\n"
        "The second line names the rows and the shortest run that shows it, in words\n"
        "that recourse simulate takes. The last line of a file has its worst case.\n"
        "Errors make a policy unusable; warnings want a decision; notices tell.\n"
        "\n"
        "Options:\n"
        "  --json          one object: {\"files\":[{\"path\",\"ok\",\"findings\":[{\"severity\",\n"
        "                  \"code\",\"line\",\"column\",\"text\",\"rows\",\"witness\"}],\"worst\":\n"
        "                  {\"tries\",\"requests\",\"wait_ms\",\"wait_base_ms\",\"witness\"},\n"
        "                  \"states\",\"waits\":[{\"id\",\"windows_ms\":[[least,most]]}]}]};\n"
        "                  the last three are null where there are errors\n"
        "  --format FORMAT text, as above, which compilers' problem matchers read; or\n"
        "                  github: workflow commands (::error file=...,line=...::TEXT),\n"
        "                  which GitHub Actions shows beside the lines\n"
        "  --strict        warnings count as errors do\n"
        "  --explain CODE  what a code means and what to do; list: all codes\n"
        "\n"
        "Example:\n"
        "  $ recourse check spec/lightspeed.policy.md\n"
        "  spec/lightspeed.policy.md:24:19: notice[replays]: 'rate_limited' is tried\n"
        "  again although the tool may have acted: a tool that is not safe may act twice\n"
        "  ...\n"
        "  spec/lightspeed.policy.md: ok, 3 tries and 3 requests at most, 3 s of waiting\n"
        "  at most, 10 states, 6 notices\n"
        "      wait short: 200 ms, 400 ms\n"
        "      wait long: 1 s, 2 s\n"
        "\n"
        "Exit status: 0 if all are in order; 1 if there were errors (with --strict:\n"
        "or warnings), or a file could not be read.\n",
};
