#include "gen/chart_xml.h"

#include <string.h>

#define LIST_MAX 65535u
#define NUMBER_MAX 10000000u

/* Where the reader is. Once something was not as expected, `expected` says what, and nothing is read any more. */
struct cursor {
    struct rcs_arena *arena;
    const char *text;
    size_t size;
    size_t at;
    const char *expected;
};

static void skip_space(struct cursor *in)
{
    while (in->at < in->size && (in->text[in->at] == ' ' || in->text[in->at] == '\n')) {
        in->at++;
    }
}

static bool at_literal(const struct cursor *in, const char *literal)
{
    size_t size = strlen(literal);

    return in->expected == NULL && in->size - in->at >= size && memcmp(in->text + in->at, literal, size) == 0;
}

/* Takes `literal` if it is next, blanks and line breaks before it aside. */
static bool accept(struct cursor *in, const char *literal)
{
    if (in->expected == NULL) {
        skip_space(in);
    }
    if (!at_literal(in, literal)) {
        return false;
    }
    in->at += strlen(literal);
    return true;
}

static void expect(struct cursor *in, const char *literal)
{
    if (!accept(in, literal) && in->expected == NULL) {
        in->expected = literal;
    }
}

static unsigned number(struct cursor *in, size_t below)
{
    unsigned value = 0;
    size_t begin;

    skip_space(in);
    begin = in->at;
    while (in->expected == NULL && in->at < in->size && in->text[in->at] >= '0' && in->text[in->at] <= '9' &&
           value < NUMBER_MAX) {
        value = value * 10 + (unsigned)(in->text[in->at++] - '0');
    }
    if (in->expected == NULL && (in->at == begin || value >= below)) {
        in->expected = rcs_arena_format(in->arena, "a number below %zu", below);
        in->at = begin;
    }
    return in->expected == NULL ? value : 0;
}

/* A number, or `x` for none. */
static uint16_t number_or_none(struct cursor *in, size_t below)
{
    return (uint16_t)(accept(in, "x") ? RECOURSE_NONE : number(in, below));
}

static void expect_number(struct cursor *in, size_t value)
{
    skip_space(in);
    expect(in, rcs_arena_format(in->arena, "%zu", value));
}

/* Takes everything up to `literal`, and `literal`. */
static const char *up_to(struct cursor *in, const char *literal)
{
    size_t begin = in->at;

    while (in->expected == NULL && in->at < in->size && !at_literal(in, literal)) {
        in->at++;
    }
    expect(in, literal);
    return in->expected == NULL ? rcs_arena_copy(in->arena, in->text + begin, in->at - begin - strlen(literal)) : "";
}

static size_t list_length(struct cursor *in, const char *open)
{
    size_t length;

    expect(in, open);
    length = number(in, LIST_MAX);
    expect(in, "\">");
    return length;
}

static void read_actions(struct cursor *in, struct rcs_chart *chart)
{
    chart->action_count = list_length(in, "<action_list length=\"");
    chart->action_names = rcs_arena_alloc(in->arena, (chart->action_count + 1) * sizeof *chart->action_names);
    for (size_t i = 0; i < chart->action_count && in->expected == NULL; i++) {
        expect(in, "<action id=\"");
        expect_number(in, i);
        expect(in, "\" name=\"");
        chart->action_names[i] = up_to(in, "\"");
        expect(in, "line=\"");
        number(in, NUMBER_MAX);
        expect(in, "\" col=\"");
        number(in, NUMBER_MAX);
        expect(in, "\"><text>");
        up_to(in, "</text></action>");
    }
    expect(in, "</action_list>");
}

static void read_tables(struct cursor *in, struct rcs_chart *chart)
{
    chart->table_count = list_length(in, "<action_table_list length=\"");
    chart->tables = rcs_arena_alloc(in->arena, (chart->table_count + 1) * sizeof *chart->tables);
    for (size_t i = 0; i < chart->table_count && in->expected == NULL; i++) {
        struct rcs_chart_actions *table = &chart->tables[i];

        expect(in, "<action_table id=\"");
        expect_number(in, i);
        table->count = list_length(in, "\" length=\"");
        table->items = rcs_arena_alloc(in->arena, (table->count + 1) * sizeof *table->items);
        for (size_t j = 0; j < table->count && in->expected == NULL; j++) {
            table->items[j] = (uint16_t)number(in, chart->action_count);
        }
        expect(in, "</action_table>");
    }
    expect(in, "</action_table_list>");
}

/* The transitions of a state must cut the 256 symbols up without a gap. */
static void read_transitions(struct cursor *in, const struct rcs_chart *chart, struct rcs_chart_state *state)
{
    size_t count = list_length(in, "<trans_list length=\"");
    unsigned next = 0;

    for (size_t i = 0; i < count && in->expected == NULL; i++) {
        unsigned high;
        uint16_t target;
        uint16_t actions;

        expect(in, "<t>");
        expect_number(in, next);
        high = number(in, 256);
        target = (uint16_t)number(in, chart->state_count);
        actions = number_or_none(in, chart->table_count);
        expect(in, "</t>");
        for (; next <= high; next++) {
            state->targets[next] = target;
            state->actions[next] = actions;
        }
    }
    if (next < 256 && in->expected == NULL) {
        in->expected = "a transition for every symbol";
    }
    expect(in, "</trans_list>");
}

static void read_states(struct cursor *in, struct rcs_chart *chart)
{
    for (size_t i = 0; i < chart->state_count && in->expected == NULL; i++) {
        struct rcs_chart_state *state = &chart->states[i];

        state->entered = RECOURSE_NONE;
        expect(in, "<state id=\"");
        expect_number(in, i);
        expect(in, "\"");
        accept(in, "final=\"t\"");
        expect(in, ">");
        if (accept(in, "<state_actions>")) {
            state->entered = number_or_none(in, chart->table_count);
            expect(in, "x");
            expect(in, "x");
            expect(in, "</state_actions>");
        }
        read_transitions(in, chart, state);
        expect(in, "</state>");
    }
}

struct rcs_chart *rcs_chart_read(struct rcs_arena *arena, const char *text, size_t size, struct rcs_findings *findings)
{
    struct cursor cursor = {.arena = arena, .text = text, .size = size};
    struct cursor *in = &cursor;
    struct rcs_chart *chart = rcs_arena_alloc(arena, sizeof *chart);

    expect(in, "<ragel version=\"6.10\" filename=\"");
    up_to(in, "\" lang=\"C\">");
    expect(in, "<ragel_def name=\"");
    up_to(in, "\">");
    expect(in, "<alphtype>uchar</alphtype>");
    expect(in, "<machine>");
    read_actions(in, chart);
    read_tables(in, chart);
    expect(in, "<start_state>");
    chart->start = (uint16_t)number(in, LIST_MAX);
    expect(in, "</start_state>");
    expect(in, "<entry_points>");
    up_to(in, "</entry_points>");
    chart->state_count = list_length(in, "<state_list length=\"");
    chart->states = rcs_arena_alloc(arena, (chart->state_count + 1) * sizeof *chart->states);
    read_states(in, chart);
    expect(in, "</state_list>");
    expect(in, "</machine>");
    expect(in, "</ragel_def>");
    expect(in, "</ragel>");
    skip_space(in);
    if (in->expected == NULL && in->at < in->size) {
        in->expected = "the end";
    }
    if (in->expected == NULL && chart->start >= chart->state_count) {
        in->expected = "a start state that exists";
    }
    if (in->expected != NULL) {
        rcs_find(findings, RCS_ERROR, "ragel-differs", (struct rcs_place){0, 0}, NULL, NULL,
                 "Ragel's XML can't be read: at byte %zu `%s` was expected", in->at, in->expected);
        return NULL;
    }
    return chart;
}
