/* The picture of a policy, drawn. */
#include "gen/diagram.h"

#include <string.h>

#define MARGIN 8.0
#define BASELINE 12.0

static const char colours[] =
    "<style>\n"
    "text { font: 12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1d2430; }\n"
    ".ground { fill: #ffffff; }\n"
    ".title, .id { font-weight: bold; }\n"
    ".place rect { fill: #1d2430; } .place text { fill: #ffffff; } .start { fill: #1d2430; }\n"
    ".card rect { fill: #f3f5f8; stroke: #c3cad4; } .card .title { fill: #55607a; }\n"
    ".model rect { fill: #dcecff; stroke: #3f78b5; } .reminder rect { fill: #ffedc9; stroke: #9a6a00; }\n"
    ".host rect { fill: #ffdedb; stroke: #b3372c; }\n"
    ".edge { fill: none; stroke: #77829a; stroke-width: 1.3; } .tip { fill: #77829a; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "text { fill: #e6e9ef; } .ground { fill: #14181f; }\n"
    ".place rect { fill: #e6e9ef; } .place text { fill: #14181f; } .start { fill: #e6e9ef; }\n"
    ".card rect { fill: #1f2530; stroke: #465064; } .card .title { fill: #a3aec2; }\n"
    ".model rect { fill: #16324f; stroke: #6fa8e0; } .reminder rect { fill: #44330a; stroke: #d9a93a; }\n"
    ".host rect { fill: #4d1d19; stroke: #ee8378; }\n"
    ".edge { stroke: #8792a8; } .tip { fill: #8792a8; }\n"
    "}\n"
    "</style>\n";

void rcs_append_escaped(struct rcs_string *out, const char *text, size_t size)
{
    static const char *const written[] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};
    size_t from = 0;

    for (size_t at = 0; at < size; at++) {
        unsigned char byte = (unsigned char)text[at];

        if (byte < sizeof written / sizeof *written && written[byte] != NULL) {
            rcs_append(out, text + from, at - from);
            rcs_append_text(out, written[byte]);
            from = at + 1;
        }
    }
    rcs_append(out, text + from, size - from);
}

static void append_text_element(const struct rcs_diagram *diagram, struct rcs_string *out, double x, double y,
                                const char *attributes, const char *text)
{
    rcs_append_text(out, rcs_arena_format(diagram->arena, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes));
    rcs_append_escaped(out, text, strlen(text));
    rcs_append_text(out, "</text>\n");
}

static void append_edge(const struct rcs_diagram *diagram, const struct rcs_edge *edge, struct rcs_string *out)
{
    rcs_append_text(out, "<path class=\"edge\" d=\"");
    for (size_t i = 0; i < edge->point_count; i++) {
        rcs_append_text(out, rcs_arena_format(diagram->arena, "%s%.1f,%.1f", i == 0 ? "M" : i == 1 ? " C" : " ",
                                              edge->points[i].x, edge->points[i].y));
    }
    rcs_append_text(out, edge->arrow ? "\" marker-end=\"url(#tip)\"/>\n" : "\"/>\n");
}

static const char *node_class(const struct rcs_diagram *diagram, const struct rcs_node *node)
{
    const struct rcs_spec_scenario *scenario = &diagram->spec->scenarios[node->index];

    if (node->kind == RCS_NODE_CARD) {
        return "card";
    }
    if (node->kind == RCS_NODE_PLACE) {
        return "place";
    }
    if (scenario->tell == RECOURSE_TELL_HOST) {
        return "host";
    }
    return scenario->reminder == RECOURSE_REMINDER_YES ? "reminder" : "model";
}

/* What a program can find it by. */
static void append_group(const struct rcs_diagram *diagram, const struct rcs_node *node, struct rcs_string *out)
{
    rcs_append_text(out, rcs_arena_format(diagram->arena, "<g class=\"%s\"", node_class(diagram, node)));
    if (node->kind == RCS_NODE_PLACE) {
        rcs_append_text(out, rcs_arena_format(diagram->arena, " data-place=\"%s\"", recourse_place_name(node->index)));
    } else if (node->kind == RCS_NODE_ENDING) {
        rcs_append_text(out, " data-scenario=\"");
        rcs_append_text(out, diagram->spec->scenarios[node->index].label);
        rcs_append_text(out, "\"");
    }
    rcs_append_text(out, ">\n");
    if (node->kind == RCS_NODE_ENDING && diagram->spec->scenarios[node->index].meaning != NULL) {
        const char *meaning = diagram->spec->scenarios[node->index].meaning;

        rcs_append_text(out, "<title>");
        rcs_append_escaped(out, meaning, strlen(meaning));
        rcs_append_text(out, "</title>\n");
    }
}

static void append_lines(const struct rcs_diagram *diagram, const struct rcs_node *node, double left, double y,
                         struct rcs_string *out)
{
    double indent = node->kind == RCS_NODE_CARD ? (double)rcs_card_id_columns(diagram, node) * RCS_COLUMN_WIDTH : 0;

    for (size_t i = 0; i < node->line_count; i++, y += RCS_LINE_HEIGHT) {
        const struct rcs_node_line *line = &node->lines[i];
        const char *id = line->row == RECOURSE_NONE ? "" : diagram->spec->rows[line->row].id;

        if (line->row == RECOURSE_NONE) {
            append_text_element(diagram, out, left, y, "", line->text);
            continue;
        }
        rcs_append_text(out, rcs_arena_format(diagram->arena, "<g data-row=\"%s\">", id));
        if (line->first) {
            append_text_element(diagram, out, left, y, " class=\"id\"", id);
        }
        append_text_element(diagram, out, left + indent, y, "", line->text);
        rcs_append_text(out, "</g>\n");
    }
}

static void append_node(const struct rcs_diagram *diagram, const struct rcs_node *node, struct rcs_string *out)
{
    double left = node->x - node->width / 2;
    double top = node->y - node->height / 2;
    size_t lines = node->line_count + (node->title != NULL);
    double y = node->y - (double)lines * RCS_LINE_HEIGHT / 2 + BASELINE;

    if (node->kind == RCS_NODE_START) {
        rcs_append_text(out, rcs_arena_format(diagram->arena, "<circle class=\"start\" cx=\"%.1f\" cy=\"%.1f\" r=\"7\"/>\n",
                                              node->x, node->y));
        return;
    }
    append_group(diagram, node, out);
    rcs_append_text(out, rcs_arena_format(diagram->arena,
                                          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%d\"/>\n", left,
                                          top, node->width, node->height, node->kind == RCS_NODE_CARD ? 3 : 9));
    if (node->title != NULL) {
        append_text_element(diagram, out, left + RCS_NODE_PADDING, y, " class=\"title\"", node->title);
        y += RCS_LINE_HEIGHT;
    }
    append_lines(diagram, node, left + RCS_NODE_PADDING, y, out);
    rcs_append_text(out, "</g>\n");
}

/* All that is drawn lies in it: curves may leave the box that Graphviz gives. */
struct frame {
    double left, top, width, height;
};

static struct frame frame_of(const struct rcs_diagram *diagram)
{
    struct frame frame = {0, 0, diagram->width, diagram->height};

    for (size_t i = 0; i < diagram->edge_count; i++) {
        for (size_t p = 0; p < diagram->edges[i].point_count; p++) {
            const struct rcs_point *point = &diagram->edges[i].points[p];

            frame.left = point->x < frame.left ? point->x : frame.left;
            frame.top = point->y < frame.top ? point->y : frame.top;
            frame.width = point->x > frame.width ? point->x : frame.width;
            frame.height = point->y > frame.height ? point->y : frame.height;
        }
    }
    return (struct frame){frame.left - MARGIN, frame.top - MARGIN, frame.width - frame.left + 2 * MARGIN,
                          frame.height - frame.top + 2 * MARGIN};
}

void rcs_diagram_svg(const struct rcs_diagram *diagram, bool alone, struct rcs_string *out)
{
    struct frame frame = frame_of(diagram);
    const char *name = diagram->spec->name;
    const char *box = rcs_arena_format(diagram->arena, "width=\"%.0f\" height=\"%.0f\"", frame.width, frame.height);

    rcs_append_text(out, rcs_arena_format(diagram->arena,
                                          "<svg%s %s viewBox=\"%.0f %.0f %.0f %.0f\" role=\"img\" "
                                          "aria-labelledby=\"diagram-title\">\n<title id=\"diagram-title\">",
                                          alone ? " xmlns=\"http://www.w3.org/2000/svg\"" : "", box, frame.left, frame.top,
                                          frame.width, frame.height));
    rcs_append_escaped(out, name, strlen(name));
    rcs_append_text(out, ": states, endings, and the rows that lead to them</title>\n");
    rcs_append_text(out, alone ? colours : "");
    rcs_append_text(out, "<defs><marker id=\"tip\" viewBox=\"0 0 10 8\" markerWidth=\"10\" markerHeight=\"8\" refX=\"0\" "
                         "refY=\"4\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"tip\" d=\"M0,0 L10,4 L0,8 z\"/>"
                         "</marker></defs>\n");
    if (alone) {
        rcs_append_text(out, rcs_arena_format(diagram->arena, "<rect class=\"ground\" x=\"%.0f\" y=\"%.0f\" %s/>\n",
                                              frame.left, frame.top, box));
    }
    for (size_t i = 0; i < diagram->edge_count; i++) {
        append_edge(diagram, &diagram->edges[i], out);
    }
    for (size_t i = 0; i < diagram->node_count; i++) {
        append_node(diagram, &diagram->nodes[i], out);
    }
    rcs_append_text(out, "</svg>\n");
}
