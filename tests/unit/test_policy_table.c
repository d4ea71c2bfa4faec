/* What is asked of a policy's tables: the check, names, the rules of tools, and the names of errors. */
#include "tests/unit/unit.h"

#include <recourse/call.h>

#include "tests/unit/toy_policy.h"

static struct recourse_span span(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

static void the_format_is_checked_first(void)
{
    struct recourse_policy policy = toy_policy;

    RCS_EQUAL(recourse_policy_check(&policy), RECOURSE_OK);
    RCS_EQUAL(recourse_policy_check(NULL), RECOURSE_E_ARGUMENT);
    policy.abi = RECOURSE_POLICY_ABI + 1;
    policy.rows = NULL;
    RCS_EQUAL(recourse_policy_check(&policy), RECOURSE_E_ABI);
    policy = toy_policy;
    policy.size--;
    RCS_EQUAL(recourse_policy_check(&policy), RECOURSE_E_ABI);
}

/* A policy with writable copies of its tables. */
struct bent {
    struct recourse_policy policy;
    struct recourse_scenario scenarios[TOY_SCENARIO_COUNT];
    struct recourse_tool_rule tools[4];
    struct recourse_failure failures[TOY_FAILURE_COUNT];
    struct recourse_fact_row fact_rows[5];
    struct recourse_atom atoms[15];
    struct recourse_wait waits[TOY_WAIT_COUNT];
    struct recourse_message messages[TOY_MESSAGE_COUNT];
    struct recourse_row rows[TOY_ROW_COUNT];
    struct recourse_state states[TOY_STATE_COUNT];
    uint64_t delays_ms[2];
};

#define COPY(bent, table) (memcpy((bent)->table, toy_policy.table, sizeof (bent)->table), (bent)->policy.table = (bent)->table)

static void unbend(struct bent *bent)
{
    bent->policy = toy_policy;
    COPY(bent, scenarios);
    COPY(bent, tools);
    COPY(bent, failures);
    COPY(bent, fact_rows);
    COPY(bent, atoms);
    COPY(bent, waits);
    COPY(bent, messages);
    COPY(bent, rows);
    COPY(bent, states);
    memcpy(bent->delays_ms, toy_policy.waits[0].delays_ms, sizeof bent->delays_ms);
    bent->waits[0].delays_ms = bent->delays_ms;
}

/* One thing wrong at a time. */
#define REFUSED(change)                                                     \
    do {                                                                    \
        unbend(&bent);                                                      \
        RCS_EQUAL(recourse_policy_check(&bent.policy), RECOURSE_OK);        \
        change;                                                             \
        RCS_EQUAL(recourse_policy_check(&bent.policy), RECOURSE_E_ARGUMENT); \
    } while (false)

static void limits_and_pointers_are_checked(void)
{
    struct bent bent;

    REFUSED(bent.policy.move = NULL);
    REFUSED(bent.policy.match = NULL);
    REFUSED(bent.policy.name = NULL);
    REFUSED(bent.policy.file = NULL);
    REFUSED(bent.policy.settings.reminder = NULL);
    REFUSED(bent.policy.settings.tries = 0);
    REFUSED(bent.policy.settings.tries = RECOURSE_TRIES_MAX + 1);
    REFUSED(bent.policy.scenarios = NULL);
    REFUSED(bent.policy.tools = NULL);
    REFUSED(bent.policy.failures = NULL);
    REFUSED(bent.policy.fact_rows = NULL);
    REFUSED(bent.policy.atoms = NULL);
    REFUSED(bent.policy.waits = NULL);
    REFUSED(bent.policy.messages = NULL);
    REFUSED(bent.policy.rows = NULL);
    REFUSED(bent.policy.states = NULL);
    REFUSED(bent.policy.failure_count = 0);
    REFUSED(bent.policy.failure_count = RECOURSE_FAILURES_MAX + 1);
    REFUSED(bent.policy.fact_row_count = 0);
    REFUSED(bent.policy.wait_count = RECOURSE_WAITS_MAX + 1);
    REFUSED(bent.policy.state_count = RECOURSE_STATES_MAX + 1);
    REFUSED(bent.policy.pattern_count = RECOURSE_PATTERNS_MAX + 1);
    REFUSED(bent.policy.row_count = 0);
    REFUSED(bent.policy.start = TOY_STATE_COUNT);
    REFUSED(bent.policy.start = 1); /* an attempt */
    unbend(&bent);
    bent.policy.tools = NULL;
    bent.policy.tool_count = 0; /* a section that may be left out */
    RCS_EQUAL(recourse_policy_check(&bent.policy), RECOURSE_OK);
}

static void rows_of_tables_are_checked(void)
{
    struct bent bent;

    REFUSED(bent.scenarios[2].label = NULL);
    REFUSED(bent.scenarios[5].tell = RECOURSE_TELL_COUNT);
    REFUSED(bent.scenarios[0].reminder = RECOURSE_REMINDER_COUNT);
    REFUSED(bent.tools[3].name = NULL);
    REFUSED(bent.tools[3].replay = 3);
    REFUSED(bent.tools[1].pointer = NULL);
    REFUSED(bent.failures[4].name = NULL);
    REFUSED(bent.failures[4].effect = RECOURSE_EFFECT_COUNT);
    REFUSED(bent.fact_rows[0].id = NULL);
    REFUSED(bent.fact_rows[0].failure = TOY_FAILURE_COUNT);
    REFUSED(bent.fact_rows[0].atom_count = 0);
    REFUSED(bent.fact_rows[4].atom_count = 2); /* past the end */
    REFUSED(bent.fact_rows[0].atom = 65535);
    REFUSED(bent.fact_rows[1].atom_count = 2); /* ends in the middle of a conjunction */
    REFUSED(bent.atoms[14].kind = RECOURSE_ATOM_HTTP); /* no `other` at the end */
    REFUSED(bent.policy.fact_row_count = 4);
    REFUSED(bent.atoms[0].kind = RECOURSE_ATOM_COUNT);
    REFUSED(bent.atoms[1].pattern = TOY_PATTERN_COUNT);
    REFUSED(bent.atoms[1].pattern = RECOURSE_NONE);
    REFUSED((bent.atoms[0].kind = RECOURSE_ATOM_HEADER_IS, bent.atoms[0].name = "x"));
    REFUSED((bent.atoms[0].kind = RECOURSE_ATOM_JSON_HAS, bent.atoms[0].value = "x"));
    REFUSED(bent.atoms[0].kind = RECOURSE_ATOM_TOOL);
    REFUSED(bent.waits[0].id = NULL);
    REFUSED(bent.waits[0].delays_ms = NULL);
    REFUSED(bent.waits[0].delay_count = 0);
    REFUSED(bent.waits[0].jitter = RECOURSE_JITTER_COUNT);
    REFUSED(bent.waits[2].server = RECOURSE_SERVER_COUNT);
    REFUSED(bent.waits[2].server_ms = RECOURSE_DURATION_MAX_MS + (uint64_t)1);
    REFUSED(bent.delays_ms[1] = RECOURSE_DURATION_MAX_MS + (uint64_t)1);
    REFUSED(bent.messages[1].id = NULL);
    REFUSED(bent.messages[1].text = NULL);
    REFUSED(bent.rows[0].id = NULL);
    REFUSED(bent.rows[0].place = RECOURSE_REPORTED);
    REFUSED(bent.rows[0].scenario = TOY_SCENARIO_COUNT);
    REFUSED(bent.rows[0].wait = TOY_WAIT_COUNT);
    REFUSED(bent.rows[0].message = TOY_MESSAGE_COUNT);
    REFUSED(bent.states[15].place = RECOURSE_PLACE_COUNT);
    REFUSED(bent.states[0].try_number = 1);
    REFUSED(bent.states[5].try_number = 2);
    REFUSED(bent.rows[TOY_A2].wait = RECOURSE_NONE); /* leads to backoff */
}

/* A machine with one wrong answer. */
static struct {
    uint16_t state;
    uint8_t symbol;
    struct recourse_move move;
} wrong;

static struct recourse_move wrong_move(const struct recourse_policy *policy, uint16_t state, uint8_t symbol)
{
    return state == wrong.state && symbol == wrong.symbol ? wrong.move : toy_policy.move(policy, state, symbol);
}

static void every_move_is_checked(void)
{
    static const struct {
        uint16_t state;
        uint8_t symbol;
        uint16_t row;
        uint16_t to;
        int error;
    } cases[] = {
        {0, RECOURSE_EVENT_READY, TOY_P1, 1, RECOURSE_OK},
        {0, RECOURSE_EVENT_READY, RECOURSE_NONE, 65535, RECOURSE_OK}, /* means nothing here */
        {0, RECOURSE_EVENT_READY, TOY_ROW_COUNT, 1, RECOURSE_E_ARGUMENT},
        {0, RECOURSE_EVENT_READY, TOY_P1, TOY_STATE_COUNT, RECOURSE_E_ARGUMENT},
        {0, RECOURSE_EVENT_READY, TOY_P1, 3, RECOURSE_E_ARGUMENT},  /* straight to try 2 */
        {0, RECOURSE_EVENT_READY, TOY_P1, 7, RECOURSE_E_ARGUMENT},  /* backoff */
        {0, RECOURSE_EVENT_READY, TOY_P1, 0, RECOURSE_E_ARGUMENT},
        {3, 16, TOY_A1, 5, RECOURSE_E_ARGUMENT},                    /* attempt to attempt */
        {3, 23, TOY_A3, 7, RECOURSE_E_ARGUMENT},                    /* the backoff after try 1 */
        {3, 24, TOY_A3, 10, RECOURSE_E_ARGUMENT},                   /* may not wait, and waits */
        {3, 24, TOY_A3, 15, RECOURSE_E_ARGUMENT},                   /* may not wait, and is not exhausted */
        {3, 24, RECOURSE_NONE, 0, RECOURSE_E_ARGUMENT},
        {7, RECOURSE_EVENT_ELAPSED, TOY_B1, 1, RECOURSE_E_ARGUMENT}, /* no try counted */
        {7, RECOURSE_EVENT_ELAPSED, TOY_B1, 11, RECOURSE_E_ARGUMENT},
        {11, 47, TOY_E3, 3, RECOURSE_E_ARGUMENT},
        {15, 0, TOY_ROW_COUNT, 0, RECOURSE_OK},                     /* the end is never asked */
    };
    struct recourse_policy policy = toy_policy;

    policy.move = wrong_move;
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        wrong.state = cases[i].state;
        wrong.symbol = cases[i].symbol;
        wrong.move = (struct recourse_move){cases[i].row, cases[i].to};
        RCS_EQUAL(recourse_policy_check(&policy), cases[i].error);
    }
}

static void names_are_those_of_the_language(void)
{
    static const char *const events[] = {
        "ready", "missing_name", "unknown_tool", "ambiguous_tool", "bad_arguments", "truncated_call", "duplicate_call",
        "sensitive_arguments", "repeated_failure", "refused", "unanswered_approval", "deadline", "cancelled",
        "circuit_open", "unrecorded", "elapsed", "ok",
        "rate_limited", "transient", "permanent", "unreached", "silent", "?",
    };
    static const char *const places[] = {"precondition", "attempt", "backoff", "exhausted", "reported", "?"};
    static const char *const effects[] = {"none", "done", "unknown", "?"};
    static const char *const reasons[] = {"", "tries spent", "asked too long", "over budget", "out of time", "?"};
    static const char *const tells[] = {"-", "model", "host", "?"};

    for (unsigned i = 0; i < RCS_COUNT(events); i++) {
        RCS_TEXT_EQUAL(recourse_policy_event_name(&toy_policy, i), events[i]);
    }
    for (unsigned i = 0; i < RCS_COUNT(places); i++) {
        RCS_TEXT_EQUAL(recourse_place_name(i), places[i]);
        RCS_TEXT_EQUAL(recourse_reason_name(i), reasons[i]);
    }
    for (unsigned i = 0; i < RCS_COUNT(effects); i++) {
        RCS_TEXT_EQUAL(recourse_effect_name(i), effects[i]);
        RCS_TEXT_EQUAL(recourse_tell_name(i), tells[i]);
    }
    RCS_TEXT_EQUAL(recourse_policy_event_name(&toy_policy, UINT32_MAX), "?");
}

static void the_first_rule_that_fits_speaks_for_a_tool(void)
{
    CU_ASSERT_PTR_EQUAL(recourse_policy_tool_rule(&toy_policy, "read_file"), &toy_policy.tools[0]);
    CU_ASSERT_PTR_EQUAL(recourse_policy_tool_rule(&toy_policy, "read_"), &toy_policy.tools[0]);
    CU_ASSERT_PTR_EQUAL(recourse_policy_tool_rule(&toy_policy, "read_me"), &toy_policy.tools[0]);
    CU_ASSERT_PTR_EQUAL(recourse_policy_tool_rule(&toy_policy, "delete"), &toy_policy.tools[3]);
    CU_ASSERT_PTR_NULL(recourse_policy_tool_rule(&toy_policy, "read"));
    CU_ASSERT_PTR_NULL(recourse_policy_tool_rule(&toy_policy, "Read_file"));
    CU_ASSERT_PTR_NULL(recourse_policy_tool_rule(&toy_policy, "deleted"));
    CU_ASSERT_PTR_NULL(recourse_policy_tool_rule(&toy_policy, ""));
    CU_ASSERT_PTR_NULL(recourse_policy_tool_rule(&toy_policy, NULL));
}

static void an_argument_may_make_a_tool_safe(void)
{
    static const struct {
        const char *tool;
        const char *arguments;
        bool safe;
    } cases[] = {
        {"read_file", "", true},
        {"delete", "{}", false},
        {"nobody_speaks", "{}", false},
        {NULL, "{}", false},
        {"apply", "{\"options\":{\"dry_run\":true}}", true},
        {"apply", " {\"options\":{\"other\":1,\"dry_\\u0072un\" : true }} ", true},
        {"apply", "{\"options\":{\"dry_run\":false}}", false},
        {"apply", "{\"options\":{\"dry_run\":\"true\"}}", false},
        {"apply", "{\"options\":{\"dry_run\":1}}", false},
        {"apply", "{\"options\":{}}", false},
        {"apply", "{\"dry_run\":true}", false},
        {"apply", "{\"options\":{\"dry_run\":false,\"dry_run\":true}}", false}, /* which one the tool reads, nobody knows */
        {"apply", "{\"options\":{\"dry_run\":true}", false},
        {"apply", "{\"options\":{\"dry_run\":true}} x", false},
        {"apply", "", false},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(recourse_policy_tool_is_safe(&toy_policy, cases[i].tool, span(cases[i].arguments)), cases[i].safe);
    }
}

static void errors_have_names(void)
{
    static const char *const names[] = {
        "RECOURSE_OK", "RECOURSE_E_MEMORY", "RECOURSE_E_ARGUMENT", "RECOURSE_E_STATE", "RECOURSE_E_AGAIN", "RECOURSE_E_SYNTAX",
        "RECOURSE_E_LIMIT", "RECOURSE_E_ABI", "RECOURSE_E_POLICY", "RECOURSE_E_SYSTEM", "RECOURSE_E_NOT_FOUND",
        "RECOURSE_E_UNKNOWN",
    };

    for (int i = 0; i < (int)RCS_COUNT(names); i++) {
        RCS_TEXT_EQUAL(recourse_code_name(-i), names[i]);
        CU_ASSERT_TRUE(strlen(recourse_code_text(-i)) > 5);
    }
    RCS_TEXT_EQUAL(recourse_code_name(1), "RECOURSE_E_UNKNOWN");
    RCS_TEXT_EQUAL(recourse_code_name(-2147483647 - 1), "RECOURSE_E_UNKNOWN");
    RCS_TEXT_EQUAL(recourse_code_text(7), "an unknown error");
    RCS_TEXT_EQUAL(recourse_code_text(RECOURSE_E_MEMORY), "out of memory");
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"the format is checked first", the_format_is_checked_first},
        {"limits and pointers are checked", limits_and_pointers_are_checked},
        {"rows of tables are checked", rows_of_tables_are_checked},
        {"every move is checked", every_move_is_checked},
        {"names are those of the language", names_are_those_of_the_language},
        {"the first rule that fits speaks for a tool", the_first_rule_that_fits_speaks_for_a_tool},
        {"an argument may make a tool safe", an_argument_may_make_a_tool_safe},
        {"errors have names", errors_have_names},
    };

    return rcs_unit_main("policy_table", tests, RCS_COUNT(tests));
}
