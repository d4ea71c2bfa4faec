/* recourse explain: a policy for people who would rather look. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "explain_page.h"
#include "files.h"
#include "spec_open.h"

struct wish {
    bool svg;
    bool html;
    const char *output; /* NULL: stdout */
};

/* The picture; false where there is none to be had, which `*why` then says. */
static bool draw(const struct rcs_loaded *loaded, bool alone, struct rcs_string *out, const char **why)
{
    struct rcs_diagram diagram;

    rcs_diagram_build(out->arena, loaded->machine, &diagram);
    if (!rcs_diagram_place(&diagram, why)) {
        return false;
    }
    rcs_diagram_svg(&diagram, alone, out);
    return true;
}

/* A page can do without its picture, an SVG file can't. */
static bool make(const struct rcs_loaded *loaded, const struct wish *wish, struct rcs_string *out)
{
    struct rcs_string picture = {.arena = out->arena};
    const char *why = NULL;

    if (!wish->svg && !wish->html) {
        rcs_explain_text(loaded, out);
        return true;
    }
    if (!draw(loaded, wish->svg, wish->svg ? out : &picture, &why)) {
        rcs_cli_error("explain", wish->svg ? "%s" : "%s; the page has no diagram", why);
        if (wish->svg) {
            return false;
        }
    }
    if (wish->html) {
        rcs_page(loaded, picture.data, out);
    }
    return true;
}

static int put(const struct wish *wish, const struct rcs_string *out)
{
    const char *why = NULL;

    if (wish->output == NULL || strcmp(wish->output, "-") == 0) {
        fwrite(out->data, 1, out->size, stdout);
        return RCS_EXIT_OK; /* main looks whether all of it went out */
    }
    if (!rcs_files_replace(wish->output, 0666, out->data, out->size, &why)) {
        return rcs_cli_error("explain", "%s can't be written: %s", wish->output, why);
    }
    return RCS_EXIT_OK;
}

static int explain(const char *path, const struct wish *wish)
{
    static const struct rcs_spec_reader reader = {"explain", "explained"};
    struct rcs_arena arena = {0};
    struct rcs_loaded loaded = {NULL, NULL, {0}};
    struct rcs_string out = {.arena = &arena};
    int status = RCS_EXIT_ERROR;

    if (rcs_spec_open(&reader, &arena, path, path, &loaded) && make(&loaded, wish, &out)) {
        status = put(wish, &out);
    }
    rcs_arena_clear(&arena);
    return status;
}

static int run(int argc, char **argv)
{
    struct wish wish = {false, false, NULL};
    const struct rcs_option options[] = {{.name = "--svg", .flag = &wish.svg},
                                         {.name = "--html", .flag = &wish.html},
                                         {.name = "--output", .letter = "-o", .value = &wish.output}};
    size_t count;
    int status = rcs_options_read(&rcs_command_explain, argc, argv, options, sizeof options / sizeof *options, &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (wish.svg && wish.html) {
        return rcs_cli_error("explain", "--svg or --html: one of them");
    }
    if (count != 1) {
        return rcs_cli_error("explain", count == 0 ? "which policy? Give its file, such as spec/lightspeed.policy.md"
                                                   : "one policy at a time");
    }
    return explain(argv[1], &wish);
}

const struct rcs_command rcs_command_explain = {
    .name = "explain",
    .summary = "a policy in sentences, as a diagram, or as a page to try it on",
    .run = run,
    .help =
        "Usage: recourse explain [--svg | --html] [-o FILE] SPEC\n"
        "\n"
        "Shows a policy to people who would rather look than read tables. Without an\n"
        "option: each row as a sentence.\n"
        "\n"
        "With --svg it is a diagram: states, endings, and on the lines between them the\n"
        "rows that lead there, with the labels of scenarios. Graphviz places it (`dot`\n"
        "has to be in PATH); the same policy gives the same file.\n"
        "\n"
        "With --html it is one page that needs nothing else, no server and no network:\n"
        "the diagram, the worst cases, all runs, the policy as it was written, and a\n"
        "simulator. There one clicks failures and sees the machine move, row by row,\n"
        "with its waits on a time line and what the model would be told. The page walks\n"
        "the compiled machine, so it decides what `recourse simulate` decides. Each run\n"
        "has a link of its own. Without Graphviz the page comes without its diagram.\n"
        "\n"
        "Options:\n"
        "  --svg              the diagram\n"
        "  --html             the page\n"
        "  -o, --output FILE  where to write it; a file is there as a whole or not at all\n"
        "\n"
        "Example:\n"
        "  $ recourse explain --html -o lightspeed.html spec/lightspeed.policy.md\n"
        "\n"
        "Exit status: 0; 1 if the policy has errors, or the diagram can't be made.\n",
};
