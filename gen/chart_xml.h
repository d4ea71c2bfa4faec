/* What Ragel made of a state chart, read back from the XML of `ragel -x`, and compared with the model. */
#ifndef RCS_CHART_XML_H
#define RCS_CHART_XML_H

#include "compile.h"

struct rcs_chart_state {
    uint16_t entered;      /* its to-state action table; RECOURSE_NONE: none */
    uint16_t targets[256]; /* by symbol */
    uint16_t actions[256]; /* action table; RECOURSE_NONE: none */
};

struct rcs_chart_actions {
    uint16_t *items; /* actions, in the order in which they run */
    size_t count;
};

struct rcs_chart {
    const char **action_names;
    size_t action_count;
    struct rcs_chart_actions *tables;
    size_t table_count;
    struct rcs_chart_state *states;
    size_t state_count;
    uint16_t start;
};

/* Reads exactly what Ragel 6.10 writes for one total machine over unsigned bytes. NULL, with a finding `ragel-differs`
   that says where, for anything else. */
struct rcs_chart *rcs_chart_read(struct rcs_arena *arena, const char *text, size_t size, struct rcs_findings *findings);

/*
 * Every state of the model must be one of Ragel's, and every symbol must lead from it by the same row to the same
 * place: differences are findings `ragel-differs` with a witness. Returns Ragel's number of each public state; NULL if
 * anything differs.
 */
uint16_t *rcs_chart_compare(struct rcs_arena *arena, const struct rcs_chart *chart, const struct rcs_machine *machine,
                            struct rcs_findings *findings);

#endif
