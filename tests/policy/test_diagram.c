/*
 * The diagram of each policy against its machine: what some run does is drawn, and nothing else; and what is read of
 * Graphviz's answer, whole, cut off at every byte, and wrong.
 */
#include "gen/diagram.h"
#include "tests/policy/policies.h"

#define LINE_MAX_COLUMNS 60u

/* ---- what is in it ---- */

static bool leads_to(const struct rcs_diagram *diagram, const struct rcs_node *card, uint16_t row, uint8_t place)
{
    const struct rcs_node *to = &diagram->nodes[card->card.to];

    if (place != RECOURSE_REPORTED) {
        return to->kind == RCS_NODE_PLACE && to->index == place;
    }
    return to->kind == RCS_NODE_ENDING && to->index == diagram->spec->rows[row].scenario;
}

/* How often a row is drawn from one place to another. */
static unsigned drawn(const struct rcs_diagram *diagram, uint8_t from, uint16_t row, uint8_t place)
{
    unsigned count = 0;

    for (size_t n = 0; n < diagram->node_count; n++) {
        const struct rcs_node *node = &diagram->nodes[n];

        for (size_t i = 0; i < node->line_count && node->kind == RCS_NODE_CARD && node->card.from == from; i++) {
            count += node->lines[i].first && node->lines[i].row == row && leads_to(diagram, node, row, place);
        }
    }
    return count;
}

static bool happens(const struct rcs_machine *machine, uint8_t from, uint16_t row, uint8_t place)
{
    for (size_t cell = 0; cell < machine->state_count * machine->symbol_count; cell++) {
        uint16_t state = (uint16_t)(cell / machine->symbol_count);
        struct recourse_move move = machine->moves[cell];

        if (move.row == row && machine->states[state].place == from && machine->states[move.state].place == place &&
            machine->case_from[cell].state != RECOURSE_NONE) {
            return true;
        }
    }
    return false;
}

static void test_content(void)
{
    for (size_t p = 0; p < policy_count; p++) {
        const struct rcs_machine *machine = policies[p].loaded.machine;
        struct rcs_arena arena = {0};
        struct rcs_diagram diagram;
        unsigned moves = 0;

        rcs_diagram_build(&arena, machine, &diagram);
        for (uint16_t row = 0; row < machine->spec->row_count; row++) {
            for (uint8_t from = 0; from < RECOURSE_REPORTED; from++) {
                for (uint8_t place = 0; place < RECOURSE_PLACE_COUNT; place++) {
                    bool wanted = happens(machine, from, row, place);

                    RCS_EQUAL(drawn(&diagram, from, row, place), wanted);
                    moves += wanted;
                }
            }
        }
        CU_ASSERT(moves >= machine->spec->row_count);
        printf("  %s: %u moves, %zu nodes\n", machine->spec->name, moves, diagram.node_count);
        rcs_arena_clear(&arena);
    }
}

/* Every text fits into its box, and no line is long. */
static void test_sizes(void)
{
    for (size_t p = 0; p < policy_count; p++) {
        struct rcs_arena arena = {0};
        struct rcs_diagram diagram;

        rcs_diagram_build(&arena, policies[p].loaded.machine, &diagram);
        for (size_t n = 1; n < diagram.node_count; n++) {
            const struct rcs_node *node = &diagram.nodes[n];
            size_t before = node->kind == RCS_NODE_CARD ? rcs_card_id_columns(&diagram, node) : 0;

            for (size_t i = 0; i < node->line_count; i++) {
                size_t columns = strlen(node->lines[i].text) + before;

                CU_ASSERT(columns > before && columns < LINE_MAX_COLUMNS);
                CU_ASSERT((double)columns * RCS_COLUMN_WIDTH <= node->width - 2 * RCS_NODE_PADDING + 0.01);
            }
            CU_ASSERT((double)(node->line_count + (node->title != NULL)) * RCS_LINE_HEIGHT < node->height);
        }
        rcs_arena_clear(&arena);
    }
}

/* ---- Graphviz's answer ---- */

/* A placement as `dot -Tplain` would write it: any place will do. */
static char *plain_of(const struct rcs_diagram *diagram)
{
    struct rcs_string out = {.arena = diagram->arena};

    rcs_append_text(&out, "graph 1 20.5 10.25\n");
    for (size_t i = 0; i < diagram->node_count; i++) {
        rcs_append_text(&out, rcs_arena_format(diagram->arena, "node n%zu %zu.5 2 1 1 \"\" solid box black lightgrey\n", i, i));
    }
    for (size_t i = 0; i < diagram->edge_count; i++) {
        rcs_append_text(&out, rcs_arena_format(diagram->arena, "edge n%u n%u 4 1 1 2 -0.25 3 1 4 1 solid black\n",
                                               diagram->edges[i].from, diagram->edges[i].to));
    }
    rcs_append_text(&out, "stop\n");
    return out.data;
}

static bool reads(struct rcs_arena *arena, const char *plain, struct rcs_diagram *diagram)
{
    rcs_diagram_build(arena, policies[0].loaded.machine, diagram);
    return rcs_diagram_read_plain(diagram, plain);
}

static void test_plain(void)
{
    struct rcs_arena arena = {0};
    struct rcs_diagram diagram;
    struct rcs_string svg = {.arena = &arena};
    char *plain;
    size_t size;

    rcs_diagram_build(&arena, policies[0].loaded.machine, &diagram);
    plain = plain_of(&diagram);
    size = strlen(plain) - strlen(" 1 solid black\nstop\n"); /* from here on the last number is there */
    CU_ASSERT_FATAL(reads(&arena, plain, &diagram));
    CU_ASSERT(diagram.width == 20.5 * 72 && diagram.height == 10.25 * 72);
    CU_ASSERT(diagram.nodes[3].x == 3.5 * 72 && diagram.nodes[3].y == 8.25 * 72);
    RCS_EQUAL(diagram.edges[0].point_count, 4);
    CU_ASSERT(diagram.edges[0].points[1].y == 10.5 * 72);
    rcs_diagram_svg(&diagram, true, &svg);
    CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, " viewBox=\"-8 -8 1492 772\" "));
    while (size-- > 0) {
        struct rcs_arena inner = {0};

        plain[size + 1] = '\0';
        CU_ASSERT(!reads(&inner, plain, &diagram));
        rcs_arena_clear(&inner);
    }
    rcs_arena_clear(&arena);
}

/* One line of a good answer put in the place of another. */
static void test_plain_wrong(void)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"graph 1 20.5 10.25\n", ""},
        {"graph 1 20.5 10.25\n", "graph 1 nan 10.25\n"},
        {"graph 1 20.5 10.25\n", "graph 1 20.5 inf\n"},
        {"graph 1 20.5 10.25\n", "graph 1 20.5 1e300\n"},
        {"node n1 ", "node n1000000 "},
        {"node n1 ", "node n-1 "},
        {"node n1 ", "node x1 "},
        {"node n1 ", "node "},
        {"node n1 1.5 2", "node n1 1.5 two"},
        {" 4 1 1 2 -0.25 3 1 4 1 solid", " 5 1 1 2 -0.25 3 1 4 1 solid"},
        {" 4 1 1 2 -0.25 3 1 4 1 solid", " 3 1 1 2 -0.25 3 1 solid"},
        {" 4 1 1 2 -0.25 3 1 4 1 solid", " 4000000000 1 1 solid"},
        {" 4 1 1 2 -0.25 3 1 4 1 solid", " 18446744073709551615 1 1 solid"},
        {"edge n0 n1 ", "edge n1 n0 "},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct rcs_arena arena = {0};
        struct rcs_string wrong = {.arena = &arena};
        struct rcs_diagram diagram;
        const char *plain;
        const char *at;

        rcs_diagram_build(&arena, policies[0].loaded.machine, &diagram);
        plain = plain_of(&diagram);
        at = strstr(plain, cases[i].from);
        CU_ASSERT_PTR_NOT_NULL_FATAL(at);
        rcs_append(&wrong, plain, (size_t)(at - plain));
        rcs_append_text(&wrong, cases[i].to);
        rcs_append_text(&wrong, at + strlen(cases[i].from));
        if (reads(&arena, wrong.data, &diagram)) {
            RCS_TEXT_EQUAL("taken", cases[i].to);
        }
        rcs_arena_clear(&arena);
    }
}

static void test_dot(void)
{
    struct rcs_arena arena = {0};
    struct rcs_diagram diagram;
    struct rcs_diagram again;
    struct rcs_string first = {.arena = &arena};
    struct rcs_string second = {.arena = &arena};
    const char *why = NULL;

    if (!rcs_unit_needs("dot")) {
        return;
    }
    for (size_t p = 0; p < policy_count; p++) {
        rcs_diagram_build(&arena, policies[p].loaded.machine, &diagram);
        rcs_diagram_build(&arena, policies[p].loaded.machine, &again);
        CU_ASSERT_FATAL(rcs_diagram_place(&diagram, &why));
        CU_ASSERT_FATAL(rcs_diagram_place(&again, &why));
        first.size = second.size = 0;
        rcs_diagram_svg(&diagram, true, &first);
        rcs_diagram_svg(&again, true, &second);
        RCS_TEXT_EQUAL(first.data, second.data);
    }
    rcs_arena_clear(&arena);
}

static void test_escaped(void)
{
    static const struct {
        const char *text, *written;
    } cases[] = {
        {"", ""},
        {"plain {x}", "plain {x}"},
        {"<&>", "&lt;&amp;&gt;"},
        {"a\"b'c", "a&quot;b&#39;c"},
        {"</script>", "&lt;/script&gt;"},
        {"\xc3\xa4\x7f\xff", "\xc3\xa4\x7f\xff"},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct rcs_arena arena = {0};
        struct rcs_string out = {.arena = &arena};

        rcs_append_text(&out, "|");
        rcs_append_escaped(&out, cases[i].text, strlen(cases[i].text));
        RCS_TEXT_EQUAL(out.data + 1, cases[i].written);
        rcs_arena_clear(&arena);
    }
}

int main(int count, char **arguments)
{
    static const struct rcs_test tests[] = {
        {"the diagram shows what happens, and nothing else", test_content},
        {"texts fit into their boxes", test_sizes},
        {"a placement is read, and none that is cut off", test_plain},
        {"a wrong placement is refused", test_plain_wrong},
        {"the same policy gives the same picture", test_dot},
        {"markup is written out", test_escaped},
    };
    int status;

    if (!rcs_policies_load(count, arguments)) {
        return 1;
    }
    status = rcs_unit_main("diagram", tests, RCS_COUNT(tests));
    rcs_policies_clear();
    return status;
}
