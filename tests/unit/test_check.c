/*
 * The checks of meaning: the lightspeed policy with one thing changed, and what has to be found. A table, so that each line
 * reads as: change this into that, and find this code, about these rows, shown by these words.
 */
#include "gen/check.h"
#include "gen/compile.h"
#include "tests/unit/unit.h"

#define SPEC "spec/lightspeed.policy.md"

struct change {
    const char *from;
    const char *to;
    const char *code;
    const char *rows;    /* NULL: any */
    const char *witness; /* NULL: any */
    const char *text;    /* a part of it; NULL: any */
};

static struct rcs_arena arena;

static char *base(size_t *size)
{
    const char *why;
    char *text = rcs_file_read(&arena, SPEC, size, &why);

    CU_ASSERT_FATAL(text != NULL);
    return text;
}

static char *changed(const char *text, size_t *size, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    char *out;

    if (at == NULL) {
        printf("    not in the policy: %s\n", from);
    }
    CU_ASSERT_FATAL(at != NULL);
    out = rcs_arena_format(&arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    *size = strlen(out);
    return out;
}

static bool fits(const struct rcs_finding *finding, const struct change *change)
{
    return strcmp(finding->code, change->code) == 0 &&
           (change->rows == NULL || strcmp(finding->rows, change->rows) == 0) &&
           (change->witness == NULL || (finding->witness != NULL && strcmp(finding->witness, change->witness) == 0)) &&
           (change->text == NULL || strstr(finding->text, change->text) != NULL);
}

static void print_findings(const struct rcs_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct rcs_finding *it = &findings->items[i];

        printf("      %u:%u %s[%s] rows '%s' by '%s': %s\n", it->place.line, it->place.column,
               rcs_severity_name(it->severity), it->code, it->rows, it->witness ? it->witness : "", it->text);
    }
}

static void expect(const struct change *change)
{
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded;
    size_t size;
    char *text = base(&size);
    bool found = false;

    text = changed(text, &size, change->from, change->to);
    rcs_load(&arena, SPEC, text, size, &findings, &loaded);
    for (size_t i = 0; i < findings.count; i++) {
        found = found || fits(&findings.items[i], change);
    }
    if (!found) {
        printf("    '%s' -> '%s': no %s among\n", change->from, change->to, change->code);
        print_findings(&findings);
    }
    CU_ASSERT(found);
    rcs_arena_clear(&arena);
}

static void expect_all(const struct change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        expect(&changes[i]);
    }
}

static void test_as_it_is(void)
{
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded;
    size_t size;
    const char *text = base(&size);

    CU_ASSERT(rcs_load(&arena, SPEC, text, size, &findings, &loaded));
    RCS_EQUAL(findings.by_severity[RCS_ERROR], 0);
    RCS_EQUAL(findings.by_severity[RCS_WARNING], 0);
    RCS_EQUAL(findings.by_severity[RCS_NOTICE], 6); /* what E1's other takes, two replays, two waits, a word */
    if (findings.count != 6) {
        print_findings(&findings);
    }
    RCS_EQUAL(loaded.worst.tries, 3);
    RCS_EQUAL(loaded.worst.requests, 3);
    RCS_EQUAL(loaded.worst.wait_ms, 3000);
    RCS_EQUAL(loaded.worst.wait_base_ms, 3000);
    RCS_TEXT_EQUAL(loaded.worst.witness, "rate_limited, rate_limited");
    rcs_arena_clear(&arena);
}

static void test_cases(void)
{
    static const struct change changes[] = {
        {"| P4 | refused, unanswered_approval |", "| P4 | refused |", "gap", "", "unanswered_approval", "precondition"},
        {"| B2 | cancelled | reported | 3b | failed |\n", "", "gap", "", NULL, "backoff takes 'cancelled'"},
        {"| A5 | permanent | later try |", "| A5 | permanent | first try |", "overlap", "A4, A5", "permanent", NULL},
        {"| A5 | permanent | later try |", "| A5 | permanent | first try |", "gap", "", NULL, "(later try"},
        {"| A2 | transient | - |", "| A2 | transient | safe |", "gap", "", "transient", "unsafe"},
        {"| E1 | other | - |", "| E1 | other | tries spent |", "gap", "", NULL, "out of time"},
        {"| E1 | other | - |", "| E1 | other | not asked too long |", "idle-guard", "E1", NULL, "reason"},
        {"| A2 | transient | - |", "| A2 | transient | may have acted |", "idle-guard", "A2", NULL, "acted"},
        {"| E1 | other | - | reported | 3b | failed |", "| E1 | other | - | reported | 3b | failed |\n"
         "| E2 | permanent | - | reported | 3b | failed |", "never-used", "E2", NULL, NULL},
        {"| tries | 3 |", "| tries | 1 |", "never-used", "A5", NULL, NULL},
        {"| sensitive values | \"secret\" |", "| sensitive values | none |", "never-used", "P3", NULL, "switch off"},
    };

    expect_all(changes, RCS_COUNT(changes));
}

static void test_graph(void)
{
    static const struct change changes[] = {
        {"| B1 | elapsed | attempt | - | - |\n", "", "gap", "", NULL, "backoff takes 'elapsed'"},
        {"| P1 | ready | attempt | - | - |\n", "", "unreachable", "", NULL, "attempt"},
        {"| A2 | transient | - | backoff or exhausted | short | 2 | - |\n| A3 | rate_limited | - | backoff or exhausted | long | 2 | - |\n",
         "| A2 | transient, rate_limited | - | exhausted | - | - | - |\n", "unreachable", "", NULL, "backoff"},
        {"| E1 | other | - | reported | 3b | failed |", "| E1 | permanent | - | reported | 3b | failed |", "trap", "", NULL,
         "exhausted"},
    };

    expect_all(changes, RCS_COUNT(changes));
}

static void test_rows(void)
{
    static const struct change changes[] = {
        {"short | 2 | - |", "short | 3a | - |", "label", "A2", NULL, "tells nobody"},
        {"short | 2 | - |", "short | - | - |", "label", "A2", NULL, NULL},
        {"short | 2 | - |", "short | 2 | failed |", "message", "A2", NULL, NULL},
        {"| B2 | cancelled | reported | 3b | failed |", "| B2 | cancelled | reported | 2 | failed |", "label", "B2", NULL, "tells nobody"},
        {"| B2 | cancelled | reported | 3b | failed |", "| B2 | cancelled | reported | ok | failed |", "label", "B2", NULL, "no success"},
        {"| B2 | cancelled | reported | 3b | failed |", "| B2 | cancelled | reported | - | failed |", "label", "B2", NULL, "needs"},
        {"| B2 | cancelled | reported | 3b | failed |", "| B2 | cancelled | reported | 3b | - |", "message", "B2", NULL, "needs a message"},
        {"| B2 | cancelled | reported | 3b | failed |", "| B2 | cancelled | reported | 3b | corrected |", "reminder", "B2", NULL, "has no {reminder}"},
        {"first try | reported | - | 3a | corrected |", "first try | reported | - | 3a | failed |", "reminder", "A4", NULL, "has {reminder}"},
        {"| A1 | ok | - | reported | - | ok | - |", "| A1 | ok | - | reported | - | ok | failed |", "message", "A1", NULL, NULL},
        {"| A1 | ok | - | reported | - | ok | - |", "| A1 | ok | - | reported | - | 3b | - |", "label", "A1", NULL, NULL},
        {"| P1 | ready | attempt | - | - |", "| P1 | ready | attempt | 1 | - |", "label", "P1", NULL, "goes on"},
        {"| A6 | deadline | - | exhausted | - | - | - |", "| A6 | deadline | - | exhausted | - | - | failed |", "message", "A6", NULL, NULL},
        {"| reminder | \"Do not retry this exact tool call.\" |", "| reminder | none |", "reminder", "", NULL, "is none"},
        {"| A2 | transient | - | backoff or exhausted | short | 2 | - |",
         "| A2 | transient | first try | backoff or exhausted | short | 2 | - |\n"
         "| A9 | transient | later try | backoff or exhausted | long | 2 | - |", "one-wait", "A2, A9", NULL, NULL},
        {"| 3b | model | yes | any other failure |", "| 3b | model | yes | any other failure |\n| 4 | host | - | nothing |",
         "unused", "", NULL, "scenario '4'"},
        {"| long | 1s x2 | tries | none | ignore |", "| long | 1s x2 | tries | none | ignore |\n| more | 1s x2 | tries | none | ignore |",
         "unused", "", NULL, "wait 'more'"},
        {"| refused | \"Error", "| extra | \"x\" |\n| refused | \"Error", "unused", "", NULL, "message 'extra'"},
    };

    expect_all(changes, RCS_COUNT(changes));
}

static void test_failures(void)
{
    static const struct change changes[] = {
        {"| F2 | timeout, network, spawn |", "| F2 | timeout, network, spawn, http 429 |", "shadowed", "F1, F2", NULL, "'http 429'"},
        {"| F2 | timeout, network, spawn |", "| F2 | timeout, network, spawn, timeout read |", "shadowed", "F2", NULL, "an earlier condition"},
        {"text \"connection closed\" |", "text \"connection closed\", text \"Rate Limits\" |", "shadowed", "F1, F3", NULL, NULL},
        {"text \"connection closed\" |", "text \"connection closed\", network reset |", "shadowed", "F2, F3", NULL, NULL},
        {"## Failures\n", "## Tools\n\n| tool | replay | why |\n|---|---|---|\n| rd* | safe | reads |\n| rd_write | unsafe | writes |\n\n## Failures\n",
         "shadowed", "", NULL, "'rd_write' is taken by 'rd*'"},
        {"| permanent | unknown |", "| permanent | none |", "unproven-none", "F4", NULL, "'other'"},
        {"text \"too many requests\" | rate_limited | unknown |", "text \"too many requests\" | rate_limited | none |", "weak-none", "F1", NULL, "429"},
        {"| F2 | timeout, network, spawn | transient | unknown |", "| F2 | network reset | gone | none |", "unproven-none", "F2", NULL, "network reset"},
        {"| F2 | timeout, network, spawn | transient | unknown |", "| F2 | http 500-599 | gone | none |", "unproven-none", "F2", NULL, NULL},
        {"| F2 | timeout, network, spawn | transient | unknown |", "| F2 | timeout | gone | none |", "unproven-none", "F2", NULL, NULL},
        {"| F2 | timeout, network, spawn | transient | unknown |", "| F2 | protocol | gone | none |", "unproven-none", "F2", NULL, NULL},
        {"| F2 | timeout, network, spawn | transient | unknown |", "| F2 | interrupted | gone | none |", "unproven-none", "F2", NULL, NULL},
    };

    expect_all(changes, RCS_COUNT(changes));
}

static void test_replay_and_waits(void)
{
    static const struct change changes[] = {
        {"| unsafe replay | rate_limited, transient |", "| unsafe replay | rate_limited |", "unsafe-replay", "A2", "transient", NULL},
        {"| unsafe replay | rate_limited, transient |", "| unsafe replay | none |", "unsafe-replay", "A3", "rate_limited", NULL},
        {"| unsafe replay | rate_limited, transient |", "| unsafe replay | rate_limited, transient, permanent |", "unused", "", NULL, "'permanent'"},
        {"| A4 | permanent | first try | reported | - | 3a | corrected |", "| A4 | permanent | first try | backoff or exhausted | short | 2 | - |",
         "other-retried", "F4", NULL, NULL},
        {"| call deadline | none |", "| call deadline | 500ms |", "dead-wait", "long", "rate_limited", "500 ms"},
        {"| call deadline | none |", "| call deadline | 600ms |", "dead-wait", "short", "transient, transient", "delay 2"},
        {"| long | 1s x2 |", "| long | 24h x999 |", "arithmetic", "long", NULL, "30 days"},
        {"| tries | 3 |", "| tries | 250 |", "arithmetic", "short", NULL, NULL},
    };

    expect_all(changes, RCS_COUNT(changes));
}

static size_t used_with_tries(unsigned tries, size_t *witness)
{
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded;
    size_t used;
    size_t size;
    char *text = base(&size);

    text = changed(text, &size, "| tries | 3 |", rcs_arena_format(&arena, "| tries | %u |", tries));
    text = changed(text, &size, "| short | 200ms x2 |", "| short | 200ms x2 up to 10s |");
    text = changed(text, &size, "| long | 1s x2 |", "| long | 1s x2 up to 10s |");
    (void)rcs_load(&arena, SPEC, text, size, &findings, &loaded);
    RCS_EQUAL(loaded.worst.tries, tries);
    *witness = strlen(loaded.worst.witness);
    used = arena.used;
    rcs_arena_clear(&arena);
    return used;
}

/* What a check writes down is bounded by its tries, not by their square: each of them has a way there that could be told. */
static void test_growth(void)
{
    size_t few_words;
    size_t many_words;
    size_t few = used_with_tries(50, &few_words);
    size_t many = used_with_tries(250, &many_words);

    RCS_EQUAL(many_words, 249 * strlen("rate_limited, ") - 2);
    RCS_EQUAL(few_words, 49 * strlen("rate_limited, ") - 2);
    CU_ASSERT_TRUE(many > few);
    CU_ASSERT_TRUE(many - few < 400000);
}

/* Language 1 can't say a way round; a machine that has one all the same is found. */
static void test_endless(void)
{
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded;
    struct rcs_check check;
    size_t size;
    const char *text = base(&size);
    bool found = false;

    CU_ASSERT_FATAL(rcs_load(&arena, SPEC, text, size, &findings, &loaded));
    check = (struct rcs_check){loaded.spec, loaded.machine, &findings};
    for (uint16_t state = 0; state < loaded.machine->state_count; state++) {
        struct recourse_move *move = &loaded.machine->moves[state * loaded.machine->symbol_count + RECOURSE_EVENT_ELAPSED];

        if (loaded.machine->states[state].place == RECOURSE_BACKOFF && loaded.machine->states[state].tries == 2) {
            move->state = loaded.machine->state_from[state].state; /* back to the try that it came from */
        }
    }
    rcs_check_graph(&check);
    for (size_t i = 0; i < findings.count; i++) {
        found = found || (strcmp(findings.items[i].code, "endless") == 0 && strcmp(findings.items[i].rows, "B1") == 0);
    }
    CU_ASSERT(found);
    rcs_arena_clear(&arena);
}

static void test_review(void)
{
    static const struct change changes[] = {
        {"| F4 | other |", "| F4 | other |", "no-jitter", "A2", "transient", "give it jitter"},
        {"| long | 1s x2 | tries | none | ignore |", "| long | 1s x2 | tries | full | obey up to 60s, else stop |", "no-jitter",
         "A3", "rate_limited", "plus 10%"},
        {"| call deadline | none |", "| call deadline | 3s |", "past-deadline", "", "rate_limited, rate_limited",
         "waits add up to 3000 ms, and the call deadline is 3000 ms"},
        {"| long | 1s x2 | tries | none | ignore |", "| long | 1s x2 | tries | full | ignore |", "no-jitter", "A2", NULL, NULL},
        {"| refused | \"Error: {reason}.", "| refused | \"Error: {reason}, or it has taken effect.", "false-claim", "P2",
         "missing_name", "the message says 'taken effect' of a call that was never run"},
        {"| failed | \"Tool", "| permanent | \"A\" |\n| failed | \"Tool", "several-roles", "", NULL,
         "'permanent' names several things (a failure, a message)"},
        {"| failed | \"Tool", "| backoff | \"A\" |\n| failed | \"Tool", "several-roles", "", NULL,
         "'backoff' names several things (a state, a message)"},
        {"\"Do not retry this exact tool call.\"", "\"Do not retry: it may have acted.\"", "false-claim", "P2", "missing_name",
         "the reminder says 'have acted' of a call that was never run"},
        {"execution failed after {tries} attempt(s): {reason}. {reminder}", "was not run: {reason}. {reminder}", "false-claim",
         "A5", "rate_limited, permanent", "of a call that may have acted"},
        {"| F2 | timeout, network, spawn |", "| F2 | timeout, network, spawn and http 504 |", "impossible", "F2", NULL,
         "'spawn' and 'http 504' can't both hold"},
        {"| F2 | timeout, network, spawn |", "| F2 | timeout connect and timeout read, network, spawn |", "impossible", "F2",
         NULL, "'timeout connect' and 'timeout read'"},
        {"| F4 | other |", "| F5 | http 500 and result text \"x\" | transient | unknown |\n| F4 | other |", "impossible", "F5",
         NULL, "'result text \"x\"' and 'http 500'"},
        {"text \"temporar\"", "json \"/a\" is \"b\" and json \"/a\" is \"c\"", "impossible", "F3", NULL, NULL},
        {"text \"temporar\"", "tool \"a*\" and tool \"b\"", "impossible", "F3", NULL, NULL},
        {"| F1 | http 429, text \"rate limit\", word \"429\", text \"too many requests\" |", "| F1 | http 429 and http 503 |",
         "not-produced", "F1", NULL, "nothing produces 'rate_limited'"},
        {"| F4 | other |", "| F5 | exit 1 and exit 2, spawn | gone | unknown |\n| F4 | other |", "not-produced", "F5", NULL,
         "nothing produces 'gone'"},
    };

    expect_all(changes, RCS_COUNT(changes));
}

/* And what must not be found. */
static void test_review_is_quiet(void)
{
    static const struct change changes[] = {
        {"| short | 200ms x2 | tries | none |", "| short | 200ms x2 | tries | full |", "no-jitter", "A2", NULL, NULL},
        {"| call deadline | none |", "| call deadline | 3001ms |", "past-deadline", NULL, NULL, NULL},
        {"| refused | \"Error", "| refusal | \"Error", "several-roles", NULL, NULL, NULL},
        {"| refused | \"Error: {reason}.", "| refused | \"It was not run: {reason}.", "false-claim", NULL, NULL, NULL},
        {"execution failed after {tries} attempt(s): {reason}. {reminder}", "may have acted: {reason}. {reminder}",
         "false-claim", "A5", NULL, NULL},
        {"text \"temporar\"", "tool \"a*\" and tool \"ab\" and text \"x\" and text \"y\"", "impossible", NULL, NULL, NULL},
        {"text \"temporar\"", "network closed and http 500-599", "impossible", NULL, NULL, NULL},
    };

    for (size_t i = 0; i < RCS_COUNT(changes); i++) {
        struct rcs_findings findings = {.arena = &arena};
        struct rcs_loaded loaded;
        size_t size;
        char *text = base(&size);

        text = changed(text, &size, changes[i].from, changes[i].to);
        rcs_load(&arena, SPEC, text, size, &findings, &loaded);
        CU_ASSERT(findings.count > 0);
        for (size_t f = 0; f < findings.count; f++) {
            if (fits(&findings.items[f], &changes[i])) {
                printf("    '%s': %s\n", changes[i].to, findings.items[f].text);
            }
            CU_ASSERT_FALSE(fits(&findings.items[f], &changes[i]));
        }
        rcs_arena_clear(&arena);
    }
}

static void test_examples(void)
{
    static const struct change changes[] = {
        {"| X2 | transient, ok | 2, ok | 2 | 200ms |", "| X2 | transient, ok | 2, ok | 2 | 300ms |", "example", "X2", NULL, "waits 200ms"},
        {"| X2 | transient, ok | 2, ok | 2 | 200ms |", "| X2 | transient, ok | 2, ok | 3 | 200ms |", "example", "X2", NULL, "tries 2"},
        {"| X2 | transient, ok | 2, ok | 2 | 200ms |", "| X2 | transient, ok | 2, 3b | 2 | 200ms |", "example", "X2", NULL, "scenarios 2, ok"},
        {"| X2 | transient, ok | 2, ok | 2 | 200ms |", "| X2 | transient | 2 | 1 | 200ms |", "example", "X2", NULL, "stops in state backoff"},
        {"| X2 | transient, ok | 2, ok | 2 | 200ms |", "| X2 | ok, transient | 2 | 1 | 200ms |", "example", "X2", NULL, "can't follow"},
        {"| Y1 | http 429 | rate_limited | unknown |", "| Y1 | http 429 | permanent | unknown |", "example", "Y1", NULL, "failure rate_limited (F1)"},
        {"| Y1 | http 429 | rate_limited | unknown |", "| Y1 | http 429 | rate_limited | none |", "example", "Y1", NULL, "effect unknown"},
        {"| ok | done |", "| permanent | unknown |", "example", "Y26", NULL, "failure ok"},
    };

    expect_all(changes, RCS_COUNT(changes));
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"the policy as it is", test_as_it_is},
        {"gaps, overlaps, rows and guards without use", test_cases},
        {"unreachable, trap", test_graph},
        {"labels, messages, reminders", test_rows},
        {"failures", test_failures},
        {"endless", test_endless},
        {"replay and waits", test_replay_and_waits},
        {"what a reviewer would ask", test_review},
        {"and what not", test_review_is_quiet},
        {"growth", test_growth},
        {"examples", test_examples},
    };

    return rcs_unit_main("check", tests, RCS_COUNT(tests));
}
