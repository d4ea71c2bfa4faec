/* Where things go in the picture: asked of Graphviz. */
#include "gen/diagram.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/compile.h"
#include "gen/program.h"

#define POINTS 72.0 /* an inch: dot's unit of sizes */

void rcs_diagram_dot(const struct rcs_diagram *diagram, struct rcs_string *out)
{
    rcs_append_text(out, "digraph policy {\nrankdir=LR; nodesep=0.2; ranksep=0.32;\n"
                         "node [shape=box, fixedsize=true, label=\"\"];\n");
    for (size_t i = 0; i < diagram->node_count; i++) {
        const struct rcs_node *node = &diagram->nodes[i];

        rcs_append_text(out, rcs_arena_format(diagram->arena, "n%zu [width=%.3f, height=%.3f];\n", i, node->width / POINTS,
                                              node->height / POINTS));
    }
    for (size_t i = 0; i < diagram->edge_count; i++) {
        const struct rcs_edge *edge = &diagram->edges[i];

        rcs_append_text(out, rcs_arena_format(diagram->arena, "n%u -> n%u%s;\n", edge->from, edge->to,
                                              edge->arrow ? "" : " [arrowhead=none]"));
    }
    rcs_append_text(out, "}\n");
}

/* ---- reading `dot -Tplain` ---- */

static bool read_number(const char **at, double *number)
{
    char *end;

    *number = strtod(*at, &end) * POINTS;
    if (end == *at || !(*number > -1e6 && *number < 1e6)) {
        return false;
    }
    *at = end;
    return true;
}

static bool read_name(const char **at, size_t count, size_t *node)
{
    char *end;

    while (**at == ' ') {
        ++*at;
    }
    if (**at != 'n') {
        return false;
    }
    *node = strtoul(*at + 1, &end, 10);
    *at = end;
    return *node < count;
}

static bool read_graph(struct rcs_diagram *diagram, const char *at)
{
    double scale;

    return read_number(&at, &scale) && read_number(&at, &diagram->width) && read_number(&at, &diagram->height);
}

static bool read_node(struct rcs_diagram *diagram, const char *at)
{
    struct rcs_node *node;
    size_t index;
    double y;

    if (!read_name(&at, diagram->node_count, &index)) {
        return false;
    }
    node = &diagram->nodes[index];
    if (!read_number(&at, &node->x) || !read_number(&at, &y)) {
        return false;
    }
    node->y = diagram->height - y;
    return true;
}

static bool read_edge(struct rcs_diagram *diagram, const char *at)
{
    struct rcs_edge *edge = diagram->edges;
    size_t from;
    size_t to;
    size_t count;
    char *end;

    if (!read_name(&at, diagram->node_count, &from) || !read_name(&at, diagram->node_count, &to)) {
        return false;
    }
    while (edge < diagram->edges + diagram->edge_count && (edge->from != from || edge->to != to)) {
        edge++;
    }
    count = strtoul(at, &end, 10);
    at = end;
    if (edge == diagram->edges + diagram->edge_count || edge->point_count != 0 || count < 4 || count > 10000) {
        return false;
    }
    edge->points = rcs_arena_alloc(diagram->arena, count * sizeof *edge->points);
    for (; edge->point_count < count; edge->point_count++) {
        struct rcs_point *point = &edge->points[edge->point_count];
        double y;

        if (!read_number(&at, &point->x) || !read_number(&at, &y)) {
            return false;
        }
        point->y = diagram->height - y;
    }
    return true;
}

bool rcs_diagram_read_plain(struct rcs_diagram *diagram, const char *text)
{
    static const struct {
        const char *word;
        bool (*read)(struct rcs_diagram *diagram, const char *at);
    } lines[] = {{"graph ", read_graph}, {"node ", read_node}, {"edge ", read_edge}};
    size_t placed = 0;
    bool good = true;

    for (; *text != '\0' && good; text += strcspn(text, "\n"), text += *text == '\n') {
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            if (strncmp(text, lines[i].word, strlen(lines[i].word)) == 0) {
                good = good && lines[i].read(diagram, text + strlen(lines[i].word));
                placed++;
            }
        }
    }
    return good && placed == 1 + diagram->node_count + diagram->edge_count;
}

/* ---- running it ---- */

static bool run_dot(struct rcs_diagram *diagram, const char *in, const char *made, const char **why)
{
    const char *const arguments[] = {"dot", "-Tplain", in, "-o", made, NULL};
    char *output = NULL;
    int error = 0;
    int status = rcs_program_run(diagram->arena, arguments, &output, &error);

    if (status == 0) {
        return true;
    }
    if (status < 0 && error == ENOENT) {
        *why = "`dot` is not in PATH: install Graphviz (the package `graphviz`)";
    } else if (status < 0) {
        *why = rcs_arena_format(diagram->arena, "`dot` can't be run: %s",
                                error != 0 ? strerror(error) : "it ended abnormally");
    } else {
        *why = rcs_arena_format(diagram->arena, "`dot` failed (exit %d): %s", status, rcs_program_first_line(output));
    }
    return false;
}

static bool write_file(const char *path, const struct rcs_string *text)
{
    FILE *file = fopen(path, "wb");
    bool good;

    if (file == NULL) {
        return false;
    }
    good = fwrite(text->data, 1, text->size, file) == text->size;
    return fclose(file) == 0 && good;
}

static bool place_in(struct rcs_diagram *diagram, const char *in, const char *made, const char **why)
{
    struct rcs_string text = {.arena = diagram->arena};
    const char *plain;
    size_t size;

    rcs_diagram_dot(diagram, &text);
    if (!write_file(in, &text)) {
        *why = rcs_arena_format(diagram->arena, "%s can't be written: %s", in, strerror(errno));
        return false;
    }
    if (!run_dot(diagram, in, made, why)) {
        return false;
    }
    plain = rcs_file_read(diagram->arena, made, &size, why);
    if (plain == NULL) {
        *why = rcs_arena_format(diagram->arena, "what `dot` made can't be read: %s", *why);
        return false;
    }
    if (!rcs_diagram_read_plain(diagram, plain)) {
        *why = "what `dot` made is no placement of all that it was given: is it Graphviz's?";
        return false;
    }
    return true;
}

bool rcs_diagram_place(struct rcs_diagram *diagram, const char **why)
{
    const char *base = getenv("TMPDIR");
    char *directory = rcs_arena_format(diagram->arena, "%s/recourse-XXXXXX", base != NULL && *base != '\0' ? base : P_tmpdir);
    const char *in;
    const char *made;
    bool good;

    if (mkdtemp(directory) == NULL) {
        *why = rcs_arena_format(diagram->arena, "%s can't be made: %s", directory, strerror(errno));
        return false;
    }
    in = rcs_arena_format(diagram->arena, "%s/policy.dot", directory);
    made = rcs_arena_format(diagram->arena, "%s/policy.plain", directory);
    good = place_in(diagram, in, made, why);
    unlink(in);
    unlink(made);
    rmdir(directory);
    return good;
}
