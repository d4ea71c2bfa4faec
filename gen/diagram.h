/*
 * A policy as a picture: its states, its endings, and between them cards with the rows that lead from one to the other.
 *
 * Graphviz is asked where things go, and for nothing else: what is drawn is written here, in a fixed order, with boxes of
 * fixed sizes, so that the same policy gives the same picture on every machine that has the same Graphviz; with another
 * one, the same but for the places.
 */
#ifndef RCS_DIAGRAM_H
#define RCS_DIAGRAM_H

#include "model.h"

enum rcs_node_kind {
    RCS_NODE_START = 0,
    RCS_NODE_PLACE = 1,  /* a state; `index` is the enum recourse_place */
    RCS_NODE_ENDING = 2, /* reported under a label; `index` is the scenario */
    RCS_NODE_CARD = 3    /* the rows that lead from one node to another */
};

struct rcs_node_line {
    uint16_t row; /* or RECOURSE_NONE */
    bool first;   /* the row's id stands before the text */
    const char *text;
};

/* Which rows a card holds: those that share all of this. */
struct rcs_card {
    uint8_t from;
    uint16_t to;       /* a node */
    uint16_t scenario; /* of a wait that is begun; else RECOURSE_NONE */
    bool refused;      /* no wait was begun */
};

struct rcs_node {
    uint8_t kind;
    uint16_t index;
    const char *title; /* NULL: a card that needs none */
    struct rcs_card card;
    struct rcs_node_line *lines;
    size_t line_count;
    double x, y; /* the centre; all in points, y downwards */
    double width, height;
};

struct rcs_point {
    double x, y;
};

struct rcs_edge {
    uint16_t from, to;
    bool arrow;
    struct rcs_point *points; /* a Bezier curve */
    size_t point_count;
};

struct rcs_diagram {
    struct rcs_arena *arena;
    const struct rcs_spec *spec;
    struct rcs_node *nodes;
    size_t node_count;
    struct rcs_edge *edges;
    size_t edge_count;
    double width, height;
};

/* Of a monospaced font of 12 points. */
#define RCS_COLUMN_WIDTH 7.3
#define RCS_LINE_HEIGHT 16.0
#define RCS_NODE_PADDING 10.0

/* Columns before the text of a card's rows: the longest id and a blank. */
size_t rcs_card_id_columns(const struct rcs_diagram *diagram, const struct rcs_node *node);

/* Nodes and edges, with sizes and without places. What no run comes to is left out. */
void rcs_diagram_build(struct rcs_arena *arena, const struct rcs_machine *machine, struct rcs_diagram *diagram);

/* Has Graphviz's `dot` place them, by way of a directory of its own under TMPDIR. False, with `*why` a clause that says what
   is wrong and what to do. */
bool rcs_diagram_place(struct rcs_diagram *diagram, const char **why);

/* Reads what `dot -Tplain` wrote. False if it is not a placement of this diagram. */
bool rcs_diagram_read_plain(struct rcs_diagram *diagram, const char *text);

/* The input of `dot`. */
void rcs_diagram_dot(const struct rcs_diagram *diagram, struct rcs_string *out);

/* The picture as SVG. `alone`: a file of its own, with its colours; else a part of a page that has them. */
void rcs_diagram_svg(const struct rcs_diagram *diagram, bool alone, struct rcs_string *out);

/* Appends text with what XML and HTML take for markup written out. */
void rcs_append_escaped(struct rcs_string *out, const char *text, size_t size);

#endif
