/* What is in the picture of a policy: states, endings, and cards of rows. */
#include "gen/diagram.h"

#include <string.h>

#define LINE_COLUMNS 28u
#define ID_COLUMNS 4u /* at least: where the text of a row begins */

struct build {
    struct rcs_diagram *diagram;
    const struct rcs_machine *machine;
    uint16_t places[RECOURSE_PLACE_COUNT]; /* nodes */
};

static uint16_t add_node(struct rcs_diagram *diagram, uint8_t kind, uint16_t index, const char *title)
{
    struct rcs_node *node = rcs_arena_push(diagram->arena, &diagram->nodes, &diagram->node_count, sizeof *node);

    node->kind = kind;
    node->index = index;
    node->title = title;
    return (uint16_t)(diagram->node_count - 1);
}

static void add_edge(struct rcs_diagram *diagram, uint16_t from, uint16_t to, bool arrow)
{
    struct rcs_edge *edge = rcs_arena_push(diagram->arena, &diagram->edges, &diagram->edge_count, sizeof *edge);

    edge->from = from;
    edge->to = to;
    edge->arrow = arrow;
}

static void add_line(struct rcs_diagram *diagram, uint16_t node, uint16_t row, bool first, const char *text)
{
    struct rcs_node *at = &diagram->nodes[node];
    struct rcs_node_line *line = rcs_arena_push(diagram->arena, &at->lines, &at->line_count, sizeof *line);

    line->row = row;
    line->first = first;
    line->text = text;
}

/* ---- rows ---- */

/* Whether a row leads to a place in some run. */
static bool leads(const struct rcs_machine *machine, uint16_t row, uint8_t place)
{
    for (size_t state = 0; state < machine->state_count; state++) {
        for (unsigned symbol = 0; symbol < machine->symbol_count; symbol++) {
            struct recourse_move move = machine->moves[state * machine->symbol_count + symbol];

            if (move.row == row && rcs_case_reachable(machine, (uint16_t)state, symbol) &&
                machine->states[move.state].place == place) {
                return true;
            }
        }
    }
    return false;
}

static const char *row_text(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_spec_row *row)
{
    const char *text = row->other ? "other" : "";

    for (size_t i = 0; i < row->event_count && !row->other; i++) {
        text = rcs_arena_format(arena, "%s%s%s", text, i == 0 ? "" : ", ", rcs_spec_event_name(spec, row->events[i]));
    }
    if (row->guard_text != NULL && strcmp(row->guard_text, "-") != 0) {
        text = rcs_arena_format(arena, "%s if %s", text, row->guard_text);
    }
    return text;
}

/* Where a line of a text ends: at its last blank that is not too far, or else its first. */
static size_t line_end(const char *text)
{
    size_t end = strlen(text);
    const char *blank = strchr(text, ' ');

    if (end <= LINE_COLUMNS || blank == NULL) {
        return end;
    }
    for (end = (size_t)(blank - text); blank != NULL && (size_t)(blank - text) <= LINE_COLUMNS; blank = strchr(blank + 1, ' ')) {
        end = (size_t)(blank - text);
    }
    return end;
}

/* Breaks a row's text at blanks, so that a card stays narrow. */
static void add_row(struct rcs_diagram *diagram, uint16_t node, uint16_t row, const char *text)
{
    bool first = true;

    do {
        size_t end = line_end(text);

        add_line(diagram, node, row, first, rcs_arena_copy(diagram->arena, text, end));
        first = false;
        text += end + (text[end] == ' ');
    } while (*text != '\0');
}

static uint16_t card(struct build *build, const struct rcs_card *key)
{
    struct rcs_diagram *diagram = build->diagram;
    const char *title = NULL;
    uint16_t node;

    for (node = 0; node < diagram->node_count; node++) {
        const struct rcs_card *other = &diagram->nodes[node].card;

        if (diagram->nodes[node].kind == RCS_NODE_CARD && other->from == key->from && other->to == key->to &&
            other->scenario == key->scenario && other->refused == key->refused) {
            return node;
        }
    }
    if (key->refused) {
        title = "where no wait is begun";
    } else if (key->scenario != RECOURSE_NONE) {
        title = rcs_arena_format(diagram->arena, "scenario %s", diagram->spec->scenarios[key->scenario].label);
    }
    node = add_node(diagram, RCS_NODE_CARD, 0, title);
    diagram->nodes[node].card = *key;
    add_edge(diagram, build->places[key->from], node, false);
    add_edge(diagram, node, key->to, true);
    return node;
}

static uint16_t ending(struct build *build, uint16_t scenario)
{
    static const char *const told[] = {"told to nobody", "told to the model", "told to the host"};
    static const char *const reminded[] = {NULL, "without reminder", "with reminder"};
    struct rcs_diagram *diagram = build->diagram;
    const struct rcs_spec_scenario *of = &diagram->spec->scenarios[scenario];
    uint16_t node;

    for (node = 0; node < diagram->node_count; node++) {
        if (diagram->nodes[node].kind == RCS_NODE_ENDING && diagram->nodes[node].index == scenario) {
            return node;
        }
    }
    node = add_node(diagram, RCS_NODE_ENDING, scenario, rcs_arena_format(diagram->arena, "reported: %s", of->label));
    add_line(diagram, node, RECOURSE_NONE, false, told[of->tell]);
    if (reminded[of->reminder] != NULL) {
        add_line(diagram, node, RECOURSE_NONE, false, reminded[of->reminder]);
    }
    return node;
}

static void add_wait(struct build *build, uint16_t index, const struct rcs_spec_row *row)
{
    struct rcs_diagram *diagram = build->diagram;
    const char *text = row_text(diagram->arena, diagram->spec, row);

    if (leads(build->machine, index, RECOURSE_BACKOFF)) {
        struct rcs_card key = {row->table, build->places[RECOURSE_BACKOFF], row->scenario, false};

        add_row(diagram, card(build, &key), index,
                rcs_arena_format(diagram->arena, "%s; wait %s", text, diagram->spec->waits[row->wait].id));
    }
    if (leads(build->machine, index, RECOURSE_EXHAUSTED)) {
        struct rcs_card key = {row->table, build->places[RECOURSE_EXHAUSTED], RECOURSE_NONE, true};

        add_row(diagram, card(build, &key), index, text);
    }
}

static void add_spec_row(struct build *build, uint16_t index)
{
    static const uint8_t targets[RCS_NEXT_COUNT] = {[RCS_NEXT_ATTEMPT] = RECOURSE_ATTEMPT,
                                                    [RCS_NEXT_BACKOFF_OR_EXHAUSTED] = RECOURSE_BACKOFF,
                                                    [RCS_NEXT_EXHAUSTED] = RECOURSE_EXHAUSTED,
                                                    [RCS_NEXT_REPORTED] = RECOURSE_REPORTED};
    struct rcs_diagram *diagram = build->diagram;
    const struct rcs_spec_row *row = &diagram->spec->rows[index];
    struct rcs_card key = {row->table, 0, RECOURSE_NONE, false};

    if (row->next == RCS_NEXT_BACKOFF_OR_EXHAUSTED) {
        add_wait(build, index, row);
        return;
    }
    if (!leads(build->machine, index, targets[row->next])) {
        return;
    }
    key.to = row->next == RCS_NEXT_REPORTED ? ending(build, row->scenario) : build->places[targets[row->next]];
    add_row(diagram, card(build, &key), index, row_text(diagram->arena, diagram->spec, row));
}

/* ---- sizes ---- */

size_t rcs_card_id_columns(const struct rcs_diagram *diagram, const struct rcs_node *node)
{
    size_t columns = ID_COLUMNS;

    for (size_t i = 0; i < node->line_count; i++) {
        size_t id = node->lines[i].row == RECOURSE_NONE ? 0 : strlen(diagram->spec->rows[node->lines[i].row].id) + 1;

        columns = id > columns ? id : columns;
    }
    return columns;
}

static void measure(const struct rcs_diagram *diagram, struct rcs_node *node)
{
    size_t columns = node->title == NULL ? 0 : strlen(node->title);
    size_t lines = node->line_count + (node->title != NULL);
    size_t before = node->kind == RCS_NODE_CARD ? rcs_card_id_columns(diagram, node) : 0;

    for (size_t i = 0; i < node->line_count; i++) {
        size_t width = strlen(node->lines[i].text) + before;

        columns = width > columns ? width : columns;
    }
    if (node->kind == RCS_NODE_START) {
        node->width = node->height = 14;
        return;
    }
    node->width = (double)columns * RCS_COLUMN_WIDTH * (node->kind == RCS_NODE_CARD ? 1.0 : 1.1) + 2 * RCS_NODE_PADDING;
    node->height = (double)lines * RCS_LINE_HEIGHT + RCS_NODE_PADDING + (node->kind == RCS_NODE_CARD ? 0 : 6);
}

void rcs_diagram_build(struct rcs_arena *arena, const struct rcs_machine *machine, struct rcs_diagram *diagram)
{
    struct build *build = rcs_arena_alloc(arena, sizeof *build);
    const struct rcs_spec *spec = machine->spec;

    *diagram = (struct rcs_diagram){.arena = arena, .spec = spec};
    build->diagram = diagram;
    build->machine = machine;
    add_node(diagram, RCS_NODE_START, 0, NULL);
    for (uint8_t place = RECOURSE_PRECONDITION; place < RECOURSE_REPORTED; place++) {
        bool used = false;

        for (size_t state = 0; state < machine->state_count; state++) {
            used = used || machine->states[state].place == place;
        }
        if (used) {
            build->places[place] = add_node(diagram, RCS_NODE_PLACE, place, recourse_place_name(place));
        }
    }
    add_edge(diagram, 0, build->places[RECOURSE_PRECONDITION], true);
    for (size_t row = 0; row < spec->row_count; row++) {
        add_spec_row(build, (uint16_t)row);
    }
    for (size_t node = 0; node < diagram->node_count; node++) {
        measure(diagram, &diagram->nodes[node]);
    }
}
