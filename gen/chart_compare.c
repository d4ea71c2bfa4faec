#include "gen/chart_xml.h"
#include "gen/emit.h"

#include <string.h>

struct comparison {
    struct rcs_arena *arena;
    const struct rcs_chart *chart;
    const struct rcs_machine *machine;
    struct rcs_findings *findings;
    uint16_t *rows;   /* by action of the chart: the row that it records, RECOURSE_NONE */
    uint16_t *states; /* by action of the chart: the public state that it enters, RECOURSE_NONE */
    uint16_t *entry;  /* by public state: Ragel's */
};

#define DIFFERENCES_MAX 10u /* more of them say nothing more */

static void differs(const struct comparison *in, const char *witness, const char *text)
{
    rcs_find(in->findings, RCS_ERROR, "ragel-differs", (struct rcs_place){0, 0}, NULL, witness, "%s", text);
}

/* What each action of the chart is for: its name is looked for among the names that the emitter gives. */
static void name_actions(struct comparison *in)
{
    size_t count = in->chart->action_count;

    in->rows = rcs_arena_alloc(in->arena, (count + 1) * sizeof *in->rows);
    in->states = rcs_arena_alloc(in->arena, (count + 1) * sizeof *in->states);
    memset(in->rows, 0xff, (count + 1) * sizeof *in->rows);
    memset(in->states, 0xff, (count + 1) * sizeof *in->states);
    for (size_t row = 0; row < in->machine->spec->row_count; row++) {
        const char *name = rcs_row_action(in->arena, in->machine->spec, row);

        for (size_t i = 0; i < count; i++) {
            in->rows[i] = strcmp(in->chart->action_names[i], name) == 0 ? (uint16_t)row : in->rows[i];
        }
    }
    for (size_t state = 0; state < in->machine->state_count; state++) {
        const char *name = rcs_state_action(in->arena, state);

        for (size_t i = 0; i < count; i++) {
            in->states[i] = strcmp(in->chart->action_names[i], name) == 0 ? (uint16_t)state : in->states[i];
        }
    }
}

/* The public state that one of Ragel's is: that of its one entry action. */
static uint16_t public_state(const struct comparison *in, uint16_t ragel_state)
{
    uint16_t table = in->chart->states[ragel_state].entered;

    if (table == RECOURSE_NONE || in->chart->tables[table].count != 1) {
        return RECOURSE_NONE;
    }
    return in->states[in->chart->tables[table].items[0]];
}

/* The row that a transition records; false if it does something else. */
static bool recorded_row(const struct comparison *in, uint16_t table, uint16_t *row)
{
    *row = RECOURSE_NONE;
    if (table == RECOURSE_NONE) {
        return true;
    }
    if (in->chart->tables[table].count != 1) {
        return false;
    }
    *row = in->rows[in->chart->tables[table].items[0]];
    return *row != RECOURSE_NONE;
}

static bool map_states(struct comparison *in)
{
    size_t count = in->machine->state_count;
    bool good = true;

    in->entry = rcs_arena_alloc(in->arena, (count + 1) * sizeof *in->entry);
    memset(in->entry, 0xff, (count + 1) * sizeof *in->entry);
    for (size_t i = 0; i < in->chart->state_count; i++) {
        uint16_t state = public_state(in, (uint16_t)i);

        if (state == RECOURSE_NONE || in->entry[state] != RECOURSE_NONE) {
            differs(in, NULL, rcs_arena_format(in->arena, "Ragel's state %zu isn't exactly one of the model's", i));
            good = false;
        } else {
            in->entry[state] = (uint16_t)i;
        }
    }
    if (in->chart->state_count != count) {
        differs(in, NULL, rcs_arena_format(in->arena, "Ragel made %zu states of %zu: some were merged or dropped",
                                           in->chart->state_count, count));
        return false;
    }
    if (good && in->entry[0] != in->chart->start) {
        differs(in, NULL, "Ragel's machine starts in another state than the model");
        good = false;
    }
    return good;
}

static const char *row_name(const struct comparison *in, uint16_t row)
{
    return row == RECOURSE_NONE ? "no row" : in->machine->spec->rows[row].id;
}

static bool compare_symbol(const struct comparison *in, uint16_t state, unsigned symbol)
{
    const struct rcs_chart_state *made = &in->chart->states[in->entry[state]];
    struct recourse_move wanted = rcs_machine_move(in->machine, state, symbol);
    struct recourse_move got = {.state = public_state(in, made->targets[symbol])};
    bool single = recorded_row(in, made->actions[symbol], &got.row);

    if (single && got.row == wanted.row && got.state == wanted.state) {
        return true;
    }
    differs(in, symbol < in->machine->symbol_count ? rcs_witness(in->machine, state, symbol) : NULL,
            rcs_arena_format(in->arena,
                             "in state %u symbol %u leads by %s to state %u in Ragel's machine, "
                             "by %s to state %u in the model",
                             state, symbol, single ? row_name(in, got.row) : "several rows", got.state,
                             row_name(in, wanted.row), wanted.state));
    return false;
}

uint16_t *rcs_chart_compare(struct rcs_arena *arena, const struct rcs_chart *chart, const struct rcs_machine *machine,
                            struct rcs_findings *findings)
{
    struct comparison comparison = {.arena = arena, .chart = chart, .machine = machine, .findings = findings};
    unsigned differences = 0;

    name_actions(&comparison);
    if (!map_states(&comparison)) {
        return NULL;
    }
    for (uint16_t state = 0; state < machine->state_count; state++) {
        for (unsigned symbol = 0; symbol < 256 && differences < DIFFERENCES_MAX; symbol++) {
            differences += compare_symbol(&comparison, state, symbol) ? 0 : 1;
        }
    }
    return differences == 0 ? comparison.entry : NULL;
}
