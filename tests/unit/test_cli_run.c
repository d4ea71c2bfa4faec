/* What `recourse run` shows: lines of the log, the live display, the report. */
#include "src/cli/run_live.h"
#include "src/cli/run_log.h"
#include "src/cli/run_report.h"
#include "tests/unit/unit.h"

static const struct recourse_scenario scenarios[] = {
    {"ok", RECOURSE_TELL_MODEL, RECOURSE_REMINDER_NONE},
    {"2", RECOURSE_TELL_NOBODY, RECOURSE_REMINDER_NONE},
    {"3a", RECOURSE_TELL_MODEL, RECOURSE_REMINDER_NO},
    {"3b", RECOURSE_TELL_MODEL, RECOURSE_REMINDER_YES},
};
static const struct recourse_failure failures[] = {{"transient", RECOURSE_EFFECT_UNKNOWN},
                                                    {"permanent", RECOURSE_EFFECT_UNKNOWN}};
static const struct recourse_row rows[] = {
    {"P1", 30, RECOURSE_PRECONDITION, RECOURSE_NONE, RECOURSE_NONE, RECOURSE_NONE},
    {"A2", 47, RECOURSE_ATTEMPT, 1, 0, RECOURSE_NONE},
    {"A4", 50, RECOURSE_ATTEMPT, 2, RECOURSE_NONE, 0},
    {"E1", 60, RECOURSE_EXHAUSTED, 3, RECOURSE_NONE, 0},
};

static const struct recourse_policy policy = {
    .abi = RECOURSE_POLICY_ABI,
    .size = sizeof(struct recourse_policy),
    .name = "lightspeed",
    .settings = {.tries = 3},
    .scenarios = scenarios,
    .scenario_count = 4,
    .failures = failures,
    .failure_count = 2,
    .rows = rows,
    .row_count = 4,
};

static struct recourse_span span(const char *text)
{
    struct recourse_span out = {text, strlen(text)};

    return out;
}

static struct recourse_observation observe(const struct recourse_decision *decision, const char *tool,
                                           const char *detail)
{
    struct recourse_observation out = {.policy = &policy, .decision = decision};

    out.call = span("c1");
    out.tool = span(tool);
    out.detail = span(detail);
    return out;
}

static struct recourse_decision waiting(void)
{
    struct recourse_decision out = {
        .action = RECOURSE_ACTION_WAIT, .try_number = 1, .trace_count = 1, .event = RECOURSE_EVENT_FAILURE,
        .scenario = 1, .wait_ms = 200, .wake_ms = 1200
    };

    out.trace[0].row = 1;
    return out;
}

/* ---- the log ---- */

static void expect_line(const struct recourse_decision *decision, const char *tool, const char *detail,
                        const char *line)
{
    struct recourse_observation observation = observe(decision, tool, detail);
    struct rcs_arena arena = {0};

    RCS_TEXT_EQUAL(rcs_log_line(&arena, &observation), line);
    rcs_arena_clear(&arena);
}

static void test_log_of_a_wait(void)
{
    struct recourse_decision decision = waiting();

    expect_line(&decision, "lookup", "HTTP 504\n\033[1mslow",
                "lookup: transient on try 1/3, waits 200 ms [lightspeed A2, line 47]: HTTP 504 slow");
    decision.server_obeyed = true;
    decision.wait_ms = 5000;
    expect_line(&decision, "", "",
                "(no name): transient on try 1/3, waits 5 s, as the server asked [lightspeed A2, line 47]");
}

static void test_log_of_a_report(void)
{
    struct recourse_decision decision = {
        .action = RECOURSE_ACTION_REPORT, .try_number = 1, .trace_count = 1, .event = RECOURSE_EVENT_FAILURE + 1,
        .scenario = 2, .tell = RECOURSE_TELL_MODEL
    };

    decision.trace[0].row = 2;
    expect_line(&decision, "lookup", "no such field",
                "lookup: permanent on try 1/3, reported as 3a to model [lightspeed A4, line 50]: no such field");
    decision = (struct recourse_decision){
        .action = RECOURSE_ACTION_REPORT, .try_number = 3, .trace_count = 2, .event = RECOURSE_EVENT_FAILURE,
        .scenario = 3, .tell = RECOURSE_TELL_HOST, .reason = RECOURSE_REASON_TRIES_SPENT
    };
    decision.trace[0].row = 1;
    decision.trace[1].row = 3;
    expect_line(&decision, "lookup", "",
                "lookup: transient on try 3/3, tries spent, reported as 3b to host "
                "[lightspeed A2, line 47; E1, line 60]");
}

static void test_log_of_what_was_never_tried(void)
{
    struct recourse_decision decision = {.action = RECOURSE_ACTION_REPORT, .trace_count = 1,
                                          .event = RECOURSE_EVENT_UNKNOWN_TOOL, .scenario = RECOURSE_NONE};

    expect_line(&decision, "a\nb", "Tool 'a' not found",
                "a b: unknown_tool, reported as - to nobody [lightspeed P1, line 30]: Tool 'a' not found");
    decision.action = RECOURSE_ACTION_ATTEMPT;
    decision.try_number = 1;
    expect_line(&decision, "a", "", "a: try 1/3 begins [lightspeed P1, line 30]");
}

/* ---- the live display ---- */

static const struct recourse_call_request requests[] = {
    {.id = {"c1", 2}, .name = {"lookup", 6}},
    {.id = {"c2", 2}, .name = {"a tool with a name that is far too long", 39}},
    {.id = {"c3", 2}, .name = {NULL, 0}},
};

static void expect_live(const struct rcs_live *live, uint64_t now_ms, unsigned width, unsigned height, const char *text)
{
    char *drawn = rcs_live_text(live, now_ms, width, height);

    RCS_TEXT_EQUAL(drawn, text);
    free(drawn);
}

static void test_live(void)
{
    struct rcs_live *live = rcs_live_new_hidden(requests, 3);
    struct recourse_decision decision = waiting();
    struct recourse_observation observation = observe(&decision, "lookup", "");
    struct recourse_result result = {
        .policy = &policy, .tries = 1, .scenario = 2, .event = RECOURSE_EVENT_FAILURE + 1
    };

    expect_live(live, 0, 79, 24, "lookup                    queued\na tool with a name th...  queued\n"
                                 "(no name)                 queued\n");
    rcs_live_observe(live, &observation);
    rcs_live_result(live, 1, &result);
    expect_live(live, 850, 79, 24, "lookup                    try 1/3  waits 0.3 s after transient\n"
                                   "a tool with a name th...  try 1/3  3a: permanent\n"
                                   "(no name)                 queued\n");
    expect_live(live, 9999, 40, 24, "lookup                    try 1/3  waits\n"
                                    "a tool with a name th...  try 1/3  3a: p\n"
                                    "(no name)                 queued\n");
    expect_live(live, 850, 79, 2, "lookup                    try 1/3  waits 0.3 s after transient\n"
                                  "(no name)                 queued\n");
    expect_live(live, 850, 0, 2, "\n\n");
    expect_live(live, 850, 79, 0, "");
    decision.action = RECOURSE_ACTION_ATTEMPT;
    decision.try_number = 2;
    rcs_live_observe(live, &observation);
    result.tries = 0;
    result.scenario = RECOURSE_NONE;
    result.event = RECOURSE_EVENT_UNKNOWN_TOOL;
    rcs_live_result(live, 1, &result);
    result.success = true;
    result.tries = 2;
    rcs_live_result(live, 2, &result);
    rcs_live_result(live, 3, &result);
    expect_live(live, 1300, 79, 24, "lookup                    try 2/3\n"
                                    "a tool with a name th...  -: unknown_tool\n"
                                    "(no name)                 try 2/3  ok\n");
    rcs_live_free(live);
}

static void test_live_does_without(void)
{
    struct recourse_decision decision = waiting();
    struct recourse_observation observation = observe(&decision, "lookup", "");
    FILE *file = tmpfile();

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_PTR_NULL(rcs_live_new(fileno(file), requests, 3));
    fclose(file);
    rcs_live_observe(NULL, &observation);
    rcs_live_result(NULL, 0, NULL);
    rcs_live_draw(NULL, 5);
    rcs_live_hide(NULL);
    rcs_live_free(NULL);
}

static void test_live_counts_wide_letters(void)
{
    const struct recourse_call_request wide[] = {{.id = {"c", 1}, .name = {"\xe5\xb7\xa5\xe5\x85\xb7", 6}}};
    struct rcs_live *live = rcs_live_new_hidden(wide, 1);

    expect_live(live, 0, 3, 1, "\xe5\xb7\xa5\n");
    expect_live(live, 0, 4, 1, "\xe5\xb7\xa5\xe5\x85\xb7\n");
    rcs_live_free(live);
}

/* ---- the report ---- */

static void test_report_without_calls(void)
{
    const struct rcs_report report = {NULL, &policy, RECOURSE_RUN_OPEN, NULL, NULL, NULL};
    struct rcs_out out = {0};

    rcs_report_write(&out, &report);
    rcs_out_line(&out);
    out.data[out.size - 1] = '\0';
    RCS_TEXT_EQUAL(out.data,
                   "{\"policy\":{\"name\":\"lightspeed\","
                   "\"file_sha256\":\"0000000000000000000000000000000000000000000000000000000000000000\","
                   "\"behaviour_sha256\":\"0000000000000000000000000000000000000000000000000000000000000000\"},"
                   "\"run\":{\"status\":\"answered\",\"http_status\":null,\"tool\":null,\"text\":null},"
                   "\"results\":[],\"budgets\":[],\"breakers\":[]}");
    rcs_out_clear(&out);
    RCS_TEXT_EQUAL(rcs_report_status(RECOURSE_RUN_ANSWERED), "answered");
    RCS_TEXT_EQUAL(rcs_report_status(RECOURSE_RUN_FAILED), "failed");
    RCS_TEXT_EQUAL(rcs_report_status(RECOURSE_RUN_CANCELLED), "cancelled");
}

static void test_report_of_a_failed_run(void)
{
    const struct recourse_run_failure failure = {401, {"look\"up", 7}, {"bad key", 7}};
    const struct rcs_report report = {NULL, &policy, RECOURSE_RUN_FAILED, &failure, NULL, NULL};
    struct rcs_out out = {0};

    rcs_report_write(&out, &report);
    rcs_out_line(&out);
    out.data[out.size - 1] = '\0';
    RCS_TEXT_EQUAL(strstr(out.data, "\"run\""), "\"run\":{\"status\":\"failed\",\"http_status\":401,"
                                                "\"tool\":\"look\\\"up\",\"text\":\"bad key\"},\"results\":[],\"budgets\":[],\"breakers\":[]}");
    rcs_out_clear(&out);
}

static const struct rcs_test tests[] = {
    {"log of a wait", test_log_of_a_wait},
    {"log of a report", test_log_of_a_report},
    {"log of what was never tried", test_log_of_what_was_never_tried},
    {"live display", test_live},
    {"live display does without", test_live_does_without},
    {"live display counts wide letters", test_live_counts_wide_letters},
    {"report without calls", test_report_without_calls},
    {"report of a failed run", test_report_of_a_failed_run},
};

int main(void)
{
    return rcs_unit_main("cli_run", tests, RCS_COUNT(tests));
}
