#include "tests/unit/unit.h"

#include "gen/read.h"
#include "tests/unit/sample_policy.h"

static struct rcs_arena arena;
static struct rcs_findings findings;
static struct rcs_spec *spec;

static void read_sample(void)
{
    const char *text;

    rcs_arena_clear(&arena);
    findings = (struct rcs_findings){.arena = &arena};
    text = sample_policy(&arena);
    spec = rcs_spec_read(&arena, SAMPLE_PATH, text, strlen(text), &findings);
    CU_ASSERT_PTR_NOT_NULL_FATAL(spec);
}

/* "event[:safe][@ms][!time][!budget] ..." */
static const char *words_text(const struct rcs_word *words, size_t count)
{
    const char *text = "";

    for (size_t i = 0; i < count; i++) {
        text = rcs_arena_format(&arena, "%s%s%s%s", text, i == 0 ? "" : " ", rcs_spec_event_name(spec, words[i].event),
                                words[i].safe ? ":safe" : "");
        if (words[i].server_delay_ms > 0) {
            text = rcs_arena_format(&arena, "%s@%llu", text, (unsigned long long)words[i].server_delay_ms);
        }
        text = rcs_arena_format(&arena, "%s%s%s", text, words[i].out_of_time ? "!time" : "",
                                words[i].over_budget ? "!budget" : "");
        RCS_EQUAL(words[i].place.line, 0);
    }
    return text;
}

static void test_right(void)
{
    static const struct {
        const char *arguments[4];
        size_t count;
        const char *words;
    } runs[] = {
        {{NULL}, 0, ""},
        {{"transient"}, 1, "transient"},
        {{"transient", "rate_limited", "permanent"}, 3, "transient rate_limited permanent"},
        {{"transient,rate_limited , permanent"}, 1, "transient rate_limited permanent"},
        {{"transient, permanent", "ok"}, 2, "transient permanent ok"},
        {{"rate_limited!time"}, 1, "rate_limited!time"},
        {{"rate_limited!budget@1h:safe"}, 1, "rate_limited:safe@3600000!budget"},
        {{"rate_limited:safe@0.5s!time"}, 1, "rate_limited:safe@500!time"},
        {{"ready", "cancelled:safe"}, 2, "ready cancelled:safe"},
        {{"deadline:safe"}, 1, "deadline:safe"},
        {{"ready,elapsed,ok,missing_name,unanswered_approval"}, 1, "ready elapsed ok missing_name unanswered_approval"},
    };

    read_sample();
    for (size_t i = 0; i < RCS_COUNT(runs); i++) {
        struct rcs_word *words;
        size_t count;

        CU_ASSERT_TRUE(rcs_words_read(spec, runs[i].arguments, runs[i].count, &words, &count, &findings));
        RCS_TEXT_EQUAL(words_text(words, count), runs[i].words);
    }
    RCS_EQUAL(findings.count, 0);
}

static void test_wrong(void)
{
    static const struct {
        const char *argument;
        const char *code;
        const char *text;
    } wrongs[] = {
        {"transiet", "event",
         "unknown event 'transiet' (did you mean 'transient'): there are transient, elapsed, refused, deadline, "
         "permanent, "
         "ready, cancelled, unreached, unrecorded, ok, rate_limited, unknown_tool, bad_arguments, truncated_call, circuit_open, missing_name, "
         "ambiguous_tool, duplicate_call, repeated_failure, sensitive_arguments, unanswered_approval"},
        {"", "syntax", "expected an event, found the end of the cell"},
        {"ok,", "syntax", "expected an event, found the end of the cell"},
        {",ok", "syntax", "expected an event, found ','"},
        {"ok ok", "syntax", "expected a comma, or nothing, found 'ok'"},
        {"\"ok\"", "syntax", "expected an event, found '\"ok\"'"},
        {"\"ok", "quote", "a string without its closing '\"'"},
        {"\xff\n", "syntax", "expected an event, found '?'"},
        {"OK", "event", NULL},
        {"other", "event", NULL},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "syntax",
         "expected an event, found 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'"},
        {"ok@5s", "word", "'@' and '!' belong to failures, which alone may wait"},
        {"deadline!time", "word", "'@' and '!' belong to failures, which alone may wait"},
        {"ok:safe", "word", "':safe' belongs to failures, 'deadline' and 'cancelled'"},
        {"transient:safe:safe", "word", "':safe' stands here twice"},
        {"transient@1s@1s", "word", "the server's delay stands here twice"},
        {"transient!time!time", "word", "one '!' is enough: the first thing that is missing counts"},
        {"transient!", "syntax", "expected 'time' or 'budget' after '!', found the end of the cell"},
        {"transient@", "syntax", "expected the server's delay, like 5s, found the end of the cell"},
        {"transient@721h", "duration", "a duration here is from 1ms to 720h"},
        {"transient-", "syntax", "expected ':safe', '@5s', '!time', '!budget', a comma, or nothing, found '-'"},
    };

    for (size_t i = 0; i < RCS_COUNT(wrongs); i++) {
        struct rcs_word *words;
        size_t count;

        read_sample();
        CU_ASSERT_FALSE(rcs_words_read(spec, &wrongs[i].argument, 1, &words, &count, &findings));
        RCS_EQUAL(findings.count, 1);
        RCS_TEXT_EQUAL(findings.items[0].code, wrongs[i].code);
        if (wrongs[i].text != NULL) {
            RCS_TEXT_EQUAL(findings.items[0].text, wrongs[i].text);
        }
        RCS_EQUAL(findings.items[0].place.line, 0);
        RCS_EQUAL(findings.items[0].place.column, 0);
    }
}

/* Each wrong argument is reported. */
static void test_all(void)
{
    static const char *const arguments[] = {"nonsense", "ok", "ok@1s", "transient"};
    struct rcs_word *words;
    size_t count;

    read_sample();
    CU_ASSERT_FALSE(rcs_words_read(spec, arguments, RCS_COUNT(arguments), &words, &count, &findings));
    RCS_EQUAL(findings.count, 2);
    RCS_TEXT_EQUAL(findings.items[0].code, "event");
    RCS_TEXT_EQUAL(findings.items[1].code, "word");
}

static void test_suggest(void)
{
    static const char *const names[] = {"tries", "try timeout", "reason", "output"};

    rcs_arena_clear(&arena);
    RCS_TEXT_EQUAL(rcs_suggest(&arena, "tires", names, 4), " (did you mean 'tries')");
    RCS_TEXT_EQUAL(rcs_suggest(&arena, "TRIES", names, 4), " (did you mean 'tries')");
    RCS_TEXT_EQUAL(rcs_suggest(&arena, "try-timeout", names, 4), " (did you mean 'try timeout')");
    RCS_TEXT_EQUAL(rcs_suggest(&arena, "reazoned", names, 4), " (did you mean 'reason')");
    RCS_TEXT_EQUAL(rcs_suggest(&arena, "quite another", names, 4), "");
    RCS_TEXT_EQUAL(rcs_suggest(&arena, "x", names, 4), "");
    RCS_TEXT_EQUAL(rcs_suggest(&arena, "", names, 0), "");
    RCS_TEXT_EQUAL(rcs_list_nearest(&arena, "outputs", names, 4), "output, tries, reason, try timeout");
    RCS_TEXT_EQUAL(rcs_list_nearest(&arena, "", names, 0), "");
}

static void test_forms(void)
{
    static const struct {
        const char *text;
        bool name, label, row_id;
    } forms[] = {
        {"", false, false, false},         {"a", true, true, true},
        {"A", false, true, true},          {"1", false, true, false},
        {"_a", false, false, false},       {"a_1", true, true, true},
        {"3a", false, true, false},        {"a-b", false, false, false},
        {"abcdefgh", true, true, true},    {"a b", false, false, false},
        {"abcdefghi", true, true, false},  {"a23456789012345678901234567890ab", true, true, false},
        {"\xc3\xbc", false, false, false}, {"a23456789012345678901234567890abc", false, false, false},
    };

    for (size_t i = 0; i < RCS_COUNT(forms); i++) {
        RCS_EQUAL(rcs_is_name(forms[i].text), forms[i].name);
        RCS_EQUAL(rcs_is_label(forms[i].text), forms[i].label);
        RCS_EQUAL(rcs_is_row_id(forms[i].text), forms[i].row_id);
    }
    CU_ASSERT_TRUE(rcs_is_pointer("") && rcs_is_pointer("/") && rcs_is_pointer("/a~0b~1c/0"));
    CU_ASSERT_FALSE(rcs_is_pointer("a") || rcs_is_pointer("/~") || rcs_is_pointer("/~2"));
}

static const struct rcs_test tests[] = {
    {"right", test_right},     {"wrong", test_wrong}, {"all wrong ones", test_all},
    {"suggest", test_suggest}, {"forms", test_forms},
};

int main(void)
{
    int status = rcs_unit_main("words", tests, RCS_COUNT(tests));

    rcs_arena_clear(&arena);
    return status;
}
