/* What the tests of MCP over real transports share: turns to their end, and what came of them. */
#ifndef RCS_MCP_TURN_H
#define RCS_MCP_TURN_H

#include <recourse/runner.h>

#include <string.h>

#include "tests/unit/unit.h"

#define STEPS_MAX 100000u

static inline void finish(struct recourse_runner *runner, const struct recourse_turn *turn)
{
    for (unsigned steps = 0; steps < STEPS_MAX && !recourse_turn_done(turn); steps++) {
        RCS_EQUAL(recourse_runner_step(runner, 10000), 0);
    }
    CU_ASSERT_TRUE_FATAL(recourse_turn_done(turn));
}

/* Asks all servers for their tools. */
static inline struct recourse_turn *list_tools(struct recourse_runner *runner, struct recourse_run *run)
{
    struct recourse_turn *turn = NULL;

    RCS_EQUAL(recourse_run_list_tools(run, NULL, &turn, NULL), 0);
    finish(runner, turn);
    return turn;
}

/* The rows that judged it, "P1 A2 B1 A1"; until the next one is asked for. */
static inline const char *rows_of(const struct recourse_result *result)
{
    static char text[256];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < result->trail_count; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? " " : "",
                                 result->policy->rows[result->trail[i].row].id);
    }
    return text;
}

static inline bool holds(struct recourse_span text, const char *part)
{
    return text.size > 0 && memmem(text.data, text.size, part, strlen(part)) != NULL;
}

#endif
