#include "tests/unit/read_kit.h"

#include "src/core/phrase.h"

#define AT(place, at_line, at_column)                                                                                  \
    do {                                                                                                               \
        RCS_EQUAL((place).line, at_line);                                                                              \
        RCS_EQUAL((place).column, at_column);                                                                          \
    } while (0)

static void test_settings(void)
{
    const struct rcs_spec *spec = read_sample();
    const struct recourse_settings *settings = &spec->settings;

    RCS_TEXT_EQUAL(spec->path, SAMPLE_PATH);
    RCS_TEXT_EQUAL(spec->name, "sample");
    RCS_EQUAL(settings->tries, 3);
    RCS_EQUAL(settings->try_timeout_ms, 60000);
    RCS_EQUAL(settings->call_deadline_ms, 120000);
    RCS_TEXT_EQUAL(settings->reminder, "Do not retry this exact tool call.");
    RCS_EQUAL(settings->reason_characters, 220);
    RCS_TEXT_EQUAL(settings->sensitive_values[0], "secret");
    RCS_TEXT_EQUAL(settings->sensitive_values[1], "pass|word");
    CU_ASSERT_PTR_NULL(settings->sensitive_values[2]);
    CU_ASSERT_PTR_NULL(settings->sensitive_names);
    RCS_EQUAL(settings->approval_timeout_ms, 600000);
    RCS_EQUAL(settings->repeated_failures, 3);
    RCS_EQUAL(settings->output_limit, 4000);
    CU_ASSERT_TRUE(settings->output_tokens);
    RCS_EQUAL(settings->resumes, 0); /* not written */
    RCS_EQUAL(settings->rounds, 0);
    CU_ASSERT_FALSE(settings->audit_refuse);
    RCS_EQUAL(spec->unsafe_replay_count, 2);
    RCS_EQUAL(spec->unsafe_replay[0], 0);
    RCS_EQUAL(spec->unsafe_replay[1], 2);
    AT(spec->setting_places.tries, 12, 11);
    AT(spec->unsafe_replay_places[1], 15, 33);
}

static void test_settings_none(void)
{
    static const char *const changes[][2] = {
        {"| tries | 3 |", "| tries | 250 |"},
        {"| try timeout | 60s |", "| try timeout | none |"},
        {"| call deadline | 2m |", "| call deadline | 720h |"},
        {"| unsafe replay | rate_limited, transient |", "| unsafe replay | none |"},
        {"\"Do not retry this exact tool call.\"", "none"},
        {"220 characters", "none"},
        {"| approval timeout | 600s |", "| approval timeout | none |"},
        {"| repeated failures | 3 |", "| repeated failures | none |"},
        {"4000 tokens", "none"},
        {"| output | none |", "| output | none |\n| resumes | 1000 |\n| rounds | none |\n| audit | refuse |"},
        {"\"Secret\", \"pass\\|word\"", "none"},
    };
    struct rcs_spec *spec;
    char *text;

    reset();
    text = sample_policy(&arena);
    for (size_t i = 0; i < RCS_COUNT(changes); i++) {
        char *at = strstr(text, changes[i][0]);

        CU_ASSERT_PTR_NOT_NULL_FATAL(at);
        *at = '\0';
        text = rcs_arena_format(&arena, "%s%s%s", text, changes[i][1], at + strlen(changes[i][0]));
    }
    spec = rcs_spec_read(&arena, "sample.policy.md", text, strlen(text), &findings);
    CU_ASSERT_PTR_NOT_NULL_FATAL(spec);
    RCS_EQUAL(spec->settings.tries, 250);
    CU_ASSERT_TRUE(spec->settings.try_timeout_ms == RECOURSE_FOREVER);
    RCS_EQUAL(spec->settings.call_deadline_ms, RECOURSE_DURATION_MAX_MS);
    RCS_EQUAL(spec->unsafe_replay_count, 0);
    RCS_TEXT_EQUAL(spec->settings.reminder, "");
    RCS_EQUAL(spec->settings.reason_characters, UINT32_MAX);
    CU_ASSERT_TRUE(spec->settings.approval_timeout_ms == RECOURSE_FOREVER);
    RCS_EQUAL(spec->settings.repeated_failures, 0);
    RCS_EQUAL(spec->settings.output_limit, 0);
    RCS_EQUAL(spec->settings.resumes, 1000);
    RCS_EQUAL(spec->settings.rounds, 0);
    CU_ASSERT_TRUE(spec->settings.audit_refuse);
    CU_ASSERT_PTR_NULL(spec->settings.sensitive_values);
    CU_ASSERT_FALSE(rcs_event_is_live(spec, RECOURSE_EVENT_SENSITIVE_ARGUMENTS));
    CU_ASSERT_FALSE(rcs_event_is_live(spec, RECOURSE_EVENT_REPEATED_FAILURE));
    CU_ASSERT_TRUE(rcs_event_is_live(spec, RECOURSE_EVENT_DEADLINE));
}

static void test_scenarios_and_tools(void)
{
    static const struct {
        const char *label;
        uint8_t tell;
        uint8_t reminder;
        unsigned line;
    } expected[] = {
        {"ok", RECOURSE_TELL_MODEL, RECOURSE_REMINDER_NONE, 0},
        {"1", RECOURSE_TELL_MODEL, RECOURSE_REMINDER_YES, 28},
        {"2", RECOURSE_TELL_NOBODY, RECOURSE_REMINDER_NONE, 29},
        {"3a", RECOURSE_TELL_MODEL, RECOURSE_REMINDER_NO, 30},
        {"3b", RECOURSE_TELL_MODEL, RECOURSE_REMINDER_YES, 31},
        {"gone", RECOURSE_TELL_HOST, RECOURSE_REMINDER_NONE, 32},
    };
    const struct rcs_spec *spec = read_sample();

    RCS_EQUAL(spec->scenario_count, RCS_COUNT(expected));
    for (size_t i = 0; i < RCS_COUNT(expected); i++) {
        RCS_TEXT_EQUAL(spec->scenarios[i].label, expected[i].label);
        RCS_EQUAL(spec->scenarios[i].tell, expected[i].tell);
        RCS_EQUAL(spec->scenarios[i].reminder, expected[i].reminder);
        RCS_EQUAL(spec->scenarios[i].place.line, expected[i].line);
    }
    RCS_TEXT_EQUAL(spec->scenarios[3].meaning, "the model may correct its arguments, 1,000 times");
    RCS_EQUAL(spec->tool_count, 3);
    RCS_TEXT_EQUAL(spec->tools[0].name, "get_pods");
    RCS_EQUAL(spec->tools[0].replay, RECOURSE_REPLAY_SAFE);
    RCS_TEXT_EQUAL(spec->tools[1].name, "meraki_*");
    RCS_EQUAL(spec->tools[1].replay, RECOURSE_REPLAY_SAFE_IF);
    RCS_TEXT_EQUAL(spec->tools[1].pointer, "/dry~1run");
    RCS_TEXT_EQUAL(spec->tools[2].name, "delete all");
    RCS_EQUAL(spec->tools[2].replay, RECOURSE_REPLAY_UNSAFE);
    RCS_TEXT_EQUAL(spec->tools[2].why, "it does");
}

/* One line an atom: kind low..high name value text, with a `.` where the conjunction ends. */
static const char *atoms_text(const struct rcs_spec_fact_row *row)
{
    const char *text = "";

    for (size_t i = 0; i < row->atom_count; i++) {
        const struct recourse_atom *atom = &row->atoms[i].atom;

        RCS_EQUAL(atom->pattern, RECOURSE_NONE);
        text =
            rcs_arena_format(&arena, "%s%u %lld..%lld %s %s [%s]%s\n", text, atom->kind, (long long)atom->low,
                             (long long)atom->high, atom->name == NULL ? "-" : atom->name,
                             atom->value == NULL ? "-" : atom->value, row->atoms[i].text, atom->last_of_and ? "." : "");
    }
    return text;
}

static void test_failures(void)
{
    static const char *const names[] = {"rate_limited", "unreached", "transient", "permanent"};
    static const char *const atoms[] = {
        "0 429..429 - - [http 429].\n16 0..0 - rate limit [text \"rate limit\"].\n17 0..0 - 429 [word \"429\"]\n"
        "6 0..0 - - [tool error].\n",
        "2 1..1 - - [timeout connect].\n1 1..1 - - [network refused].\n1 3..3 - - [network dns].\n3 0..0 - - "
        "[unsent].\n",
        "2 0..0 - - [timeout].\n1 0..0 - - [network].\n10 0..0 - - [spawn].\n0 502..504 - - [http 502-504]\n"
        "13 0..0 x-should-retry true [header \"x-should-retry\" is \"true\"].\n",
        "18 0..0 /error/type overloaded [json \"/error/type\" is \"overloaded\"].\n"
        "19 0..0 /error busy [json \"/error\" has \"busy\"].\n"
        "20 0..0 - try again shortly [result text \"try again shortly\"].\n",
        "5 -32602..-32602 - - [rpc -32602].\n5 -32099..-32000 - - [rpc -32099 to -32000].\n11 64..78 - - [exit "
        "64-78].\n"
        "12 0..0 - - [signal].\n15 0..0 - meraki_* [tool \"meraki_*\"].\n14 0..0 n v [header \"n\" has \"v\"].\n",
        "4 0..0 - - [interrupted].\n8 0..0 - - [protocol].\n9 0..0 - - [too large].\n7 0..0 - - [session expired].\n"
        "21 0..0 - no [result word \"no\"].\n22 0..0   [result json \"\" is \"\"].\n",
        "24 0..0 - - [other].\n",
    };
    static const uint16_t failures[] = {0, 1, 2, 2, 3, 3, 3};
    const struct rcs_spec *spec = read_sample();

    RCS_EQUAL(spec->failure_count, RCS_COUNT(names));
    for (size_t i = 0; i < RCS_COUNT(names); i++) {
        RCS_TEXT_EQUAL(spec->failures[i].name, names[i]);
        RCS_EQUAL(spec->failures[i].effect, i == 1 ? RECOURSE_EFFECT_NONE : RECOURSE_EFFECT_UNKNOWN);
    }
    RCS_EQUAL(spec->fact_row_count, RCS_COUNT(atoms));
    for (size_t i = 0; i < RCS_COUNT(atoms); i++) {
        RCS_TEXT_EQUAL(spec->fact_rows[i].id, rcs_arena_format(&arena, "F%zu", i + 1));
        RCS_TEXT_EQUAL(atoms_text(&spec->fact_rows[i]), atoms[i]);
        RCS_EQUAL(spec->fact_rows[i].failure, failures[i]);
        RCS_EQUAL(spec->fact_rows[i].place.line, 46 + i);
    }
    AT(spec->fact_rows[0].atoms[3].place, 46, 52);
    AT(spec->fact_rows[0].when_place, 46, 8);
    AT(spec->fact_rows[0].failure_place, 46, 65);
    AT(spec->fact_rows[0].effect_place, 46, 80);
}

static void test_waits_and_messages(void)
{
    const struct rcs_spec *spec = read_sample();
    const struct rcs_spec_wait *wait = spec->waits;

    RCS_EQUAL(spec->wait_count, 4);
    RCS_TEXT_EQUAL(wait[0].id, "short");
    RCS_EQUAL(wait[0].delay_count, 1);
    RCS_EQUAL(wait[0].delays_ms[0], 200);
    CU_ASSERT_TRUE(wait[0].grows && wait[0].growth_num == 2 && wait[0].growth_den == 1);
    CU_ASSERT_TRUE(wait[0].cap_ms == RECOURSE_FOREVER && !wait[0].by_uses && wait[0].times == 0);
    CU_ASSERT_TRUE(wait[0].jitter == RECOURSE_JITTER_NONE && wait[0].server == RECOURSE_SERVER_IGNORE);
    CU_ASSERT_FALSE(wait[0].new_session);
    RCS_EQUAL(wait[1].delay_count, 2);
    RCS_EQUAL(wait[1].delays_ms[0], 0);
    RCS_EQUAL(wait[1].delays_ms[1], 1500);
    CU_ASSERT_TRUE(wait[1].grows && wait[1].growth_num == 5 && wait[1].growth_den == 4);
    RCS_EQUAL(wait[1].cap_ms, 120000);
    CU_ASSERT_TRUE(wait[1].by_uses && wait[1].times == 2 && wait[1].new_session);
    CU_ASSERT_TRUE(wait[1].jitter == RECOURSE_JITTER_PLUS && wait[1].jitter_percent == 25);
    CU_ASSERT_TRUE(wait[1].server == RECOURSE_SERVER_OBEY_ELSE_STOP && wait[1].server_percent == 10);
    RCS_EQUAL(wait[1].server_ms, 60000);
    AT(wait[1].delays_place, 59, 10);
    RCS_EQUAL(wait[2].delay_count, 3);
    CU_ASSERT_TRUE(!wait[2].grows && wait[2].times == 250);
    CU_ASSERT_TRUE(wait[2].jitter == RECOURSE_JITTER_WITHIN && wait[2].jitter_percent == 20);
    CU_ASSERT_TRUE(wait[2].server == RECOURSE_SERVER_WITHIN && wait[2].server_ms == 5000);
    CU_ASSERT_TRUE(wait[3].jitter == RECOURSE_JITTER_EQUAL && wait[3].server == RECOURSE_SERVER_OBEY_ELSE_SCHEDULE);
    CU_ASSERT_TRUE(wait[3].server_ms == 3600000 && wait[3].server_percent == 0);
    RCS_EQUAL(spec->message_count, 3);
    CU_ASSERT_TRUE(spec->messages[0].has_reminder && !spec->messages[1].has_reminder);
    RCS_TEXT_EQUAL(spec->messages[2].text,
                   "Tool '{tool}' \"{call}\" failed: {reason} {status} {failure} {server_delay}. {reminder}");
    AT(spec->messages[1].text_place, 68, 15);
}

/* One line a row: table, events, guard bits, next, wait, scenario, message. */
static const char *row_text(const struct rcs_spec *spec, const struct rcs_spec_row *row)
{
    const char *text = rcs_arena_format(&arena, "%s %u:", row->id, row->table);

    for (size_t i = 0; i < row->event_count; i++) {
        text = rcs_arena_format(&arena, "%s %s", text, rcs_spec_event_name(spec, row->events[i]));
    }
    return rcs_arena_format(&arena, "%s%s [%s] %u%u%u.%u -> %u %s %s %s", text, row->other ? " other" : "",
                            row->guard_text, row->guard.tries, row->guard.safety, row->guard.acted, row->guard.reasons,
                            row->next, row->wait == RECOURSE_NONE ? "-" : spec->waits[row->wait].id,
                            row->scenario == RECOURSE_NONE ? "-" : spec->scenarios[row->scenario].label,
                            row->message == RECOURSE_NONE ? "-" : spec->messages[row->message].id);
}

static void test_rows(void)
{
    static const char *const expected[] = {
        "P1 0: ready [-] 333.31 -> 0 - - -",
        "P2 0: bad_arguments truncated_call duplicate_call [-] 333.31 -> 3 - 3a corrected",
        "P3 0: cancelled [-] 333.31 -> 3 - gone -",
        "P4 0: other [-] 333.31 -> 3 - 1 refused_call",
        "A1 1: ok [-] 333.31 -> 3 - ok -",
        "A2 1: transient [-] 333.31 -> 1 short 2 -",
        "A3 1: rate_limited unreached [safe and never acted] 311.31 -> 1 long 2 -",
        "A4 1: rate_limited unreached [unsafe] 323.31 -> 2 - - -",
        "A5 1: rate_limited unreached [safe and may have acted] 312.31 -> 1 list 2 -",
        "A6 1: permanent [first try] 133.31 -> 3 - 3a corrected",
        "A7 1: permanent [later try] 233.31 -> 3 - 3b failed",
        "A8 1: deadline [-] 333.31 -> 2 - - -",
        "A9 1: cancelled [-] 333.31 -> 3 - gone -",
        "B1 2: elapsed [-] 333.31 -> 0 - - -",
        "B2 2: cancelled [-] 333.31 -> 3 - gone -",
        "E1 3: transient [not out of time and not asked too long] 333.11 -> 3 - 3b failed",
        "E2 3: transient [out of time] 333.16 -> 3 - 3b failed",
        "E3 3: transient [asked too long and first try] 133.4 -> 3 - 3b failed",
        "E4 3: transient [asked too long and later try] 233.4 -> 3 - gone failed",
        "E5 3: other [-] 333.31 -> 3 - 3b failed",
    };
    const struct rcs_spec *spec = read_sample();

    RCS_EQUAL(spec->row_count, RCS_COUNT(expected));
    for (size_t i = 0; i < RCS_COUNT(expected); i++) {
        RCS_TEXT_EQUAL(row_text(spec, &spec->rows[i]), expected[i]);
    }
    AT(spec->state_places[RECOURSE_PRECONDITION], 73, 1);
    AT(spec->state_places[RECOURSE_EXHAUSTED], 103, 1);
    AT(spec->rows[6].place, 88, 1);
    AT(spec->rows[6].on_place, 88, 8);
    AT(spec->rows[6].if_place, 88, 34);
    AT(spec->rows[6].next_place, 88, 57);
    AT(spec->rows[6].wait_place, 88, 80);
    AT(spec->rows[6].scenario_place, 88, 87);
    AT(spec->rows[6].message_place, 88, 91);
}

static void test_runs(void)
{
    const struct rcs_spec *spec = read_sample();
    const struct rcs_spec_run *run = spec->runs;

    RCS_EQUAL(spec->run_count, 3);
    RCS_TEXT_EQUAL(run[0].id, "X1");
    RCS_EQUAL(run[0].word_count, 3);
    RCS_EQUAL(run[0].words[1].event, RECOURSE_EVENT_FAILURE + 0);
    CU_ASSERT_TRUE(run[0].words[1].safe && run[0].words[1].out_of_time && !run[0].words[1].over_budget);
    RCS_EQUAL(run[0].words[1].server_delay_ms, 5000);
    AT(run[0].words[1].place, 119, 19);
    CU_ASSERT_TRUE(run[0].words[2].over_budget && !run[0].words[2].safe && !run[0].words[2].out_of_time);
    RCS_EQUAL(run[0].scenario_count, 2);
    RCS_EQUAL(run[0].scenarios[0], 2);
    RCS_EQUAL(run[0].scenarios[1], 4);
    RCS_EQUAL(run[0].tries, 2);
    RCS_EQUAL(run[0].wait_count, 1);
    RCS_EQUAL(run[0].waits_ms[0], 200);
    CU_ASSERT_TRUE(run[1].wait_count == 0 && run[1].tries == 0);
    RCS_EQUAL(run[2].words[0].event, RECOURSE_EVENT_READY);
    CU_ASSERT_TRUE(run[2].words[1].event == RECOURSE_EVENT_CANCELLED && run[2].words[1].safe);
    AT(run[2].waits_place, 121, 43);
}

static void test_facts(void)
{
    const struct rcs_spec *spec = read_sample();
    const struct rcs_spec_fact *fact = spec->facts;

    RCS_EQUAL(spec->fact_count, 6);
    CU_ASSERT_TRUE(fact[0].facts.tool_error && fact[0].failure == 3 && fact[0].effect == RECOURSE_EFFECT_UNKNOWN);
    RCS_TEXT_EQUAL(fact[0].facts.text.data, "Found 1429 pods");
    RCS_EQUAL(fact[0].facts.text.size, 15);
    RCS_EQUAL(fact[1].facts.http, 504);
    RCS_TEXT_EQUAL(fact[1].facts.phrase.data, "Gateway Timeout");
    RCS_EQUAL(fact[1].facts.phrase.size, 15);
    RCS_EQUAL(fact[2].failure, RECOURSE_NONE);
    RCS_EQUAL(fact[2].effect, RECOURSE_EFFECT_DONE);
    RCS_TEXT_EQUAL(fact[2].facts.structured.data, "{\"a\": [1, 2]}");
    RCS_TEXT_EQUAL(fact[2].facts.result.data, "x");
    CU_ASSERT_TRUE(fact[3].facts.network == RECOURSE_NETWORK_RESET && fact[3].facts.timeout == RECOURSE_TIMEOUT_READ);
    CU_ASSERT_TRUE(fact[3].facts.unsent && fact[3].facts.interrupted && fact[3].facts.session_expired);
    CU_ASSERT_TRUE(fact[3].facts.protocol && fact[3].facts.too_large && fact[3].facts.spawn);
    CU_ASSERT_TRUE(fact[3].facts.has_rpc && fact[3].facts.rpc == -32602 && !fact[3].facts.has_exit);
    CU_ASSERT_TRUE(fact[4].facts.has_exit && fact[4].facts.exit_status == 64 && fact[4].facts.signal == 15);
    RCS_EQUAL(fact[4].facts.header_count, 2);
    RCS_TEXT_EQUAL(fact[4].facts.headers[0].value.data, "b");
    RCS_EQUAL(fact[4].facts.headers[1].value.size, 0);
    RCS_TEXT_EQUAL(fact[4].facts.tool, "t");
    RCS_TEXT_EQUAL(fact[4].facts.json.data, "{}");
    RCS_TEXT_EQUAL(fact[4].facts.text.data, "\xc3\xbc");
    CU_ASSERT_TRUE(fact[5].facts.network == RECOURSE_NETWORK_OTHER && fact[5].facts.timeout == RECOURSE_TIMEOUT_OTHER);
    RCS_EQUAL(fact[5].facts.signal, 9);
    AT(fact[5].failure_place, 132, 35);
}

static void test_events(void)
{
    const struct rcs_spec *spec = read_sample();
    static const char *const tables[] = {
        ("ready missing_name unknown_tool ambiguous_tool bad_arguments truncated_call duplicate_call "
         "sensitive_arguments "
         "repeated_failure refused unanswered_approval deadline cancelled circuit_open"),
        "deadline cancelled unrecorded ok rate_limited unreached transient permanent",
        "cancelled circuit_open elapsed",
        "deadline rate_limited unreached transient permanent",
        "",
    };
    static const char *const taken[] = {
        ("missing_name unknown_tool ambiguous_tool bad_arguments truncated_call duplicate_call sensitive_arguments "
         "repeated_failure refused unanswered_approval deadline circuit_open"),
        "deadline rate_limited unreached transient permanent",
        "circuit_open",
        "deadline rate_limited unreached transient permanent",
        "",
    };

    RCS_EQUAL(rcs_event_end(spec), 21);
    for (uint8_t table = 0; table < RECOURSE_PLACE_COUNT; table++) {
        const char *in = "";
        const char *other = "";

        for (uint16_t event = 0; event < 25; event++) {
            const char *name = rcs_spec_event_name(spec, event);

            if (rcs_event_in_table(spec, table, event)) {
                in = rcs_arena_format(&arena, "%s%s%s", in, *in == '\0' ? "" : " ", name);
            }
            if (rcs_event_other_takes(spec, table, event)) {
                other = rcs_arena_format(&arena, "%s%s%s", other, *other == '\0' ? "" : " ", name);
            }
        }
        RCS_TEXT_EQUAL(in, tables[table]);
        RCS_TEXT_EQUAL(other, taken[table]);
    }
    RCS_TEXT_EQUAL(rcs_spec_event_name(spec, 21), "?");
    CU_ASSERT_TRUE(rcs_event_is_live(spec, RECOURSE_EVENT_SENSITIVE_ARGUMENTS));
    CU_ASSERT_TRUE(rcs_event_is_live(spec, RECOURSE_EVENT_REPEATED_FAILURE));
    CU_ASSERT_FALSE(rcs_event_is_live(spec, RECOURSE_EVENT_CIRCUIT_OPEN));
    CU_ASSERT_FALSE(rcs_event_is_live(spec, RECOURSE_EVENT_UNRECORDED));
    CU_ASSERT_FALSE(rcs_event_is_live(spec, 21));
}

static void test_phrases(void)
{
    RCS_TEXT_EQUAL(rcs_http_phrase(429), "Too Many Requests");
    RCS_TEXT_EQUAL(rcs_http_phrase(100), "Continue");
    RCS_TEXT_EQUAL(rcs_http_phrase(511), "Network Authentication Required");
    RCS_TEXT_EQUAL(rcs_http_phrase(299), "");
    RCS_TEXT_EQUAL(rcs_http_phrase(0), "");
}

/* Anything ends well: each truncation, and each byte replaced by each of some. */
static const struct rcs_test tests[] = {
    {"settings", test_settings},
    {"settings that are none", test_settings_none},
    {"scenarios and tools", test_scenarios_and_tools},
    {"failures", test_failures},
    {"waits and messages", test_waits_and_messages},
    {"rows", test_rows},
    {"runs", test_runs},
    {"facts", test_facts},
    {"events", test_events},
    {"phrases", test_phrases},
};

int main(void)
{
    int status = rcs_unit_main("read", tests, RCS_COUNT(tests));

    rcs_arena_clear(&arena);
    return status;
}
