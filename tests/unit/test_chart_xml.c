#include "tests/unit/policy_load.h"
#include "gen/chart_xml.h"
#include "gen/emit.h"
#include "gen/ragel.h"

static struct rcs_loaded_policy at;
static char *xml;
static size_t xml_size;

/* What Ragel makes of the chart of a policy. */
static bool make_xml(const char *path)
{
    struct rcs_string source = {0};
    const char *arguments[] = {"-C", "-x", "-o", NULL, NULL, NULL};
    const char *why = NULL;
    char *scratch;
    FILE *file;

    if (!rcs_load_policy(&at, path, NULL)) {
        return false;
    }
    source.arena = &at.arena;
    scratch = rcs_scratch(&at.arena);
    rcs_emit_source(&source, at.loaded.machine, at.policy, NULL);
    arguments[3] = rcs_arena_format(&at.arena, "%s/x.xml", scratch);
    arguments[4] = rcs_arena_format(&at.arena, "%s/x.rl", scratch);
    file = fopen(arguments[4], "wb");
    CU_ASSERT_TRUE_FATAL(file != NULL);
    RCS_EQUAL(fwrite(source.data, 1, source.size, file), source.size);
    fclose(file);
    CU_ASSERT_TRUE(rcs_ragel_run(&at.arena, arguments, &at.findings));
    xml = rcs_file_read(&at.arena, arguments[3], &xml_size, &why);
    rcs_scratch_remove(&at.arena, scratch);
    CU_ASSERT_PTR_NOT_NULL(xml);
    return xml != NULL;
}

/* The XML with the first `old` after `mark` replaced by `new`. */
static char *changed(const char *mark, const char *old, const char *new)
{
    char *begin = strstr(xml, mark);
    char *place = begin == NULL ? NULL : strstr(begin, old);

    CU_ASSERT_PTR_NOT_NULL(place);
    if (place == NULL) {
        return xml;
    }
    return rcs_arena_format(&at.arena, "%.*s%s%s", (int)(place - xml), xml, new, place + strlen(old));
}

static bool is_good(const char *text)
{
    struct rcs_chart *chart = rcs_chart_read(&at.arena, text, strlen(text), &at.findings);

    return chart != NULL && rcs_chart_compare(&at.arena, chart, at.loaded.machine, &at.findings) != NULL;
}

/* The text must be refused; all that is found must be `ragel-differs`, and the first of it must say `expected`. */
static void refuse(const char *text, const char *expected)
{
    size_t before = at.findings.count;

    CU_ASSERT_FALSE(is_good(text));
    CU_ASSERT_TRUE_FATAL(at.findings.count > before);
    for (size_t i = before; i < at.findings.count; i++) {
        RCS_TEXT_EQUAL(at.findings.items[i].code, "ragel-differs");
        RCS_EQUAL(at.findings.items[i].severity, RCS_ERROR);
    }
    if (strstr(at.findings.items[before].text, expected) == NULL) {
        RCS_TEXT_EQUAL(at.findings.items[before].text, expected);
    }
}

static void test_policies_agree(void)
{
    static const char *const policies[] = {RCS_PLAIN, RCS_RICH};

    for (size_t i = 0; i < RCS_COUNT(policies); i++) {
        struct rcs_chart *chart;
        uint16_t *entry;

        if (make_xml(policies[i])) {
            chart = rcs_chart_read(&at.arena, xml, xml_size, &at.findings);
            CU_ASSERT_PTR_NOT_NULL_FATAL(chart);
            RCS_EQUAL(chart->state_count, at.loaded.machine->state_count);
            entry = rcs_chart_compare(&at.arena, chart, at.loaded.machine, &at.findings);
            CU_ASSERT_PTR_NOT_NULL_FATAL(entry);
            RCS_EQUAL(entry[0], chart->start);
            RCS_EQUAL(at.findings.by_severity[RCS_ERROR], 0);
        }
        rcs_clear_policy(&at);
    }
}

/* What of the XML says what the machine does: a change of any of it must be seen. */
static void test_other_machines(void)
{
    if (make_xml(RCS_PLAIN)) {
        const struct rcs_machine *machine = at.loaded.machine;
        struct rcs_chart *chart = rcs_chart_read(&at.arena, xml, xml_size, &at.findings);
        unsigned seen = 0;

        CU_ASSERT_PTR_NOT_NULL_FATAL(chart);
        for (size_t state = 0; state < chart->state_count; state++) {
            for (unsigned symbol = 0; symbol < 256; symbol++) {
                uint16_t *target = &chart->states[state].targets[symbol];
                uint16_t *actions = &chart->states[state].actions[symbol];
                uint16_t old = *target;

                *target = (uint16_t)((old + 1) % chart->state_count);
                seen += rcs_chart_compare(&at.arena, chart, machine, &at.findings) == NULL;
                *target = old;
                old = *actions;
                *actions = (uint16_t)(old == RECOURSE_NONE ? 0 : old + 1u == chart->table_count ? 0 : old + 1u);
                seen += rcs_chart_compare(&at.arena, chart, machine, &at.findings) == NULL;
                *actions = old;
            }
        }
        RCS_EQUAL(seen, 2 * 256 * chart->state_count);
        CU_ASSERT_PTR_NOT_NULL(rcs_chart_compare(&at.arena, chart, machine, &at.findings));
    }
    rcs_clear_policy(&at);
}

static void test_witness(void)
{
    if (make_xml(RCS_PLAIN)) {
        size_t before = at.findings.count;
        struct rcs_chart *chart = rcs_chart_read(&at.arena, xml, xml_size, &at.findings);
        uint16_t *entry = rcs_chart_compare(&at.arena, chart, at.loaded.machine, &at.findings);

        chart->states[entry[0]].targets[RECOURSE_EVENT_UNKNOWN_TOOL] = entry[0];
        CU_ASSERT_PTR_NULL(rcs_chart_compare(&at.arena, chart, at.loaded.machine, &at.findings));
        RCS_EQUAL(at.findings.count, before + 1);
        RCS_TEXT_EQUAL(at.findings.items[before].witness, "unknown_tool");
        CU_ASSERT_PTR_NOT_NULL(
            strstr(at.findings.items[before].text, "leads by P3 to state 0 in Ragel's machine, by P3"));

        chart->states[entry[0]].targets[250] = entry[1]; /* no symbol of this policy, so there is no run to show it */
        CU_ASSERT_PTR_NULL(rcs_chart_compare(&at.arena, chart, at.loaded.machine, &at.findings));
        RCS_EQUAL(at.findings.count, before + 3);
        CU_ASSERT_PTR_NULL(at.findings.items[before + 2].witness);
    }
    rcs_clear_policy(&at);
}

static void test_states(void)
{
    if (make_xml(RCS_PLAIN)) {
        const struct rcs_machine *machine = at.loaded.machine;
        struct rcs_chart *chart = rcs_chart_read(&at.arena, xml, xml_size, &at.findings);
        uint16_t entered = chart->states[1].entered;
        uint16_t items[2] = {chart->tables[entered].items[0], chart->tables[entered].items[0]};
        struct rcs_chart_actions old = chart->tables[entered];

        chart->start++;
        CU_ASSERT_PTR_NULL(rcs_chart_compare(&at.arena, chart, machine, &at.findings));
        chart->start--;
        chart->state_count--; /* one was merged */
        CU_ASSERT_PTR_NULL(rcs_chart_compare(&at.arena, chart, machine, &at.findings));
        chart->state_count++;
        chart->states[1].entered = RECOURSE_NONE; /* enters nothing */
        CU_ASSERT_PTR_NULL(rcs_chart_compare(&at.arena, chart, machine, &at.findings));
        chart->states[1].entered = chart->states[0].entered; /* another's name */
        CU_ASSERT_PTR_NULL(rcs_chart_compare(&at.arena, chart, machine, &at.findings));
        chart->states[1].entered = entered;
        chart->tables[entered] = (struct rcs_chart_actions){items, 2}; /* two names */
        CU_ASSERT_PTR_NULL(rcs_chart_compare(&at.arena, chart, machine, &at.findings));
        chart->tables[entered] = old;
        CU_ASSERT_PTR_NOT_NULL(rcs_chart_compare(&at.arena, chart, machine, &at.findings));
    }
    rcs_clear_policy(&at);
}

static void test_other_texts(void)
{
    static const struct {
        const char *mark, *old, *new, *expected;
    } changes[] = {
        {"", "version=\"6.10\"", "version=\"7.0\"", "`<ragel version=\"6.10\" filename=\"` was expected"},
        {"", "uchar", "char", "<alphtype>uchar"},
        {"", "<action_list length=\"", "<action_list length=\"9", ""},
        {"", "<action_list length=\"", "<action_list length=\"x", "a number below"},
        {"", "<action id=\"1\"", "<action id=\"2\"", "`1` was expected"},
        {"", "name=\"row_0_P1\"", "name=\"row_0_P2\"", "several rows"},
        {"", "</text></action>", "</text>", ""},
        {"", "col=\"", "col=\"99999999999999999999", "a number below"},
        {"<action_table_list", "length=\"1\">0</action_table>", "length=\"2\">0</action_table>", "a number below"},
        {"<action_table_list", "length=\"1\">0</action_table>", "length=\"1\">999</action_table>", "a number below"},
        {"", "<start_state>0", "<start_state>99", "a start state that exists"},
        {"", "<start_state>0", "<start_state>1", "starts in another state"},
        {"", "<entry_points>", "<error_state>", "<entry_points>"},
        {"<state id=\"1\"", "id=\"1\"", "id=\"3\"", "`1` was expected"},
        {"<state_list", " x x</state_actions>", " 0 x</state_actions>", "`x` was expected"},
        {"<state_list", " x x</state_actions>", " x 0</state_actions>", "`x` was expected"},
        {"<trans_list", "<t>0 ", "<t>1 ", "`0` was expected"},
        {"<trans_list", " 255 ", " 254 ", "a transition for every symbol"},
        {"<trans_list", " 255 ", " 256 ", "a number below 256"},
        {"<trans_list", " 255 0 ", " 255 x ", "a number below"},
        {"<trans_list", " 255 0 ", " 255 77 ", "a number below"},
        {"<trans_list", "</trans_list>", "", "</trans_list>"},
        {"</state_list>", "</ragel>", "</ragel><ragel>", "`the end` was expected"},
        {"</state_list>", "</machine>", "", "</machine>"},
    };

    if (make_xml(RCS_PLAIN)) {
        CU_ASSERT_TRUE(is_good(xml));
        for (size_t i = 0; i < RCS_COUNT(changes); i++) {
            refuse(changed(changes[i].mark, changes[i].old, changes[i].new), changes[i].expected);
        }
    }
    rcs_clear_policy(&at);
}

/* Cut off at any byte it is refused, and never read beyond its end. */
static void test_cut_off(void)
{
    if (make_xml(RCS_PLAIN)) {
        unsigned refused = 0;
        size_t end = xml_size - 1; /* the line break behind the last tag may be missing */

        for (size_t size = 0; size < end; size++) {
            struct rcs_arena arena = {0};
            struct rcs_findings findings = {.arena = &arena};
            char *exact = malloc(size + 1);

            memcpy(exact, xml, size);
            exact[size] = '9';
            refused += rcs_chart_read(&arena, exact, size, &findings) == NULL && findings.count == 1;
            free(exact);
            rcs_arena_clear(&arena);
        }
        RCS_EQUAL(refused, end);
    }
    rcs_clear_policy(&at);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"policies agree", test_policies_agree},
        {"other machines", test_other_machines},
        {"witness", test_witness},
        {"states", test_states},
        {"other texts", test_other_texts},
        {"cut off", test_cut_off},
    };

    return rcs_unit_main_needs("ragel", "chart_xml", tests, RCS_COUNT(tests));
}
