/* What the reader says about wrong policies: the sample with one thing changed, and the one finding that comes of it.
 */
#include "tests/unit/unit.h"

#include "gen/read.h"
#include "tests/unit/sample_policy.h"

static struct rcs_arena arena;
static struct rcs_findings findings;

struct wrong {
    const char *from; /* what stands in the sample once; NULL: the whole of it */
    const char *to;   /* `^` marks the place of the finding; without one it is about the file as a whole */
    const char *code;
    const char *part; /* of the finding's text */
    unsigned more;    /* further findings */
};

/* Cuts the mark out and returns its place. */
static struct rcs_place place_of_mark(char *text)
{
    struct rcs_place place = {1, 1};
    char *mark = strchr(text, '^');

    if (mark == NULL) {
        return (struct rcs_place){0, 0};
    }
    for (const char *at = text; at < mark; at++) {
        place.column = *at == '\n' ? 1 : place.column + 1;
        place.line += *at == '\n';
    }
    memmove(mark, mark + 1, strlen(mark));
    return place;
}

static void print_findings(void)
{
    for (size_t i = 0; i < findings.count; i++) {
        printf("  %u:%u %s: %s\n", findings.items[i].place.line, findings.items[i].place.column, findings.items[i].code,
               findings.items[i].text);
    }
}

static void check(const struct wrong *wrong, enum rcs_severity severity)
{
    struct rcs_place place;
    struct rcs_spec *spec;
    bool found = false;
    char *text;

    rcs_arena_clear(&arena);
    findings = (struct rcs_findings){.arena = &arena};
    text = wrong->from == NULL ? rcs_arena_copy(&arena, wrong->to, strlen(wrong->to))
                               : sample_with(&arena, wrong->from, wrong->to);
    if (text == NULL) {
        printf("not in the sample: %s\n", wrong->from);
        CU_FAIL("not in the sample");
        return;
    }
    place = place_of_mark(text);
    spec = rcs_spec_read(&arena, SAMPLE_PATH, text, strlen(text), &findings);
    RCS_EQUAL(spec == NULL, severity == RCS_ERROR);
    for (size_t i = 0; i < findings.count && !found; i++) {
        const struct rcs_finding *finding = &findings.items[i];

        found = finding->severity == severity && strcmp(finding->code, wrong->code) == 0 &&
                finding->place.line == place.line && finding->place.column == place.column &&
                strstr(finding->text, wrong->part) != NULL;
    }
    if (!found || findings.count != 1 + wrong->more) {
        printf("%s -> %s: wanted %u:%u %s (%s), and %u more\n", wrong->from, wrong->to, place.line, place.column,
               wrong->code, wrong->part, wrong->more);
        print_findings();
    }
    CU_ASSERT_TRUE(found);
    RCS_EQUAL(findings.count, 1 + wrong->more);
}

#define CHECK_ALL(table, severity)                                                                                     \
    for (size_t i = 0; i < RCS_COUNT(table); i++) {                                                                    \
        check(&(table)[i], severity);                                                                                  \
    }

static void test_sections(void)
{
    static const struct wrong wrongs[] = {
        {"# sample", "^# simple", "title", "expected '# sample', found '# simple'", 0},
        {"# sample\n\nProse", "# sample\n\n^# more\n\nProse", "title", "only the first heading", 0},
        {"## Settings", "## Setings\n\n^| a |\n|---|\n| 1 |\n\n## Settings", "section", "did you mean 'Settings'", 0},
        {"Every one is written.", "### more\n\n^| a |\n|---|\n| 1 |\n", "section", "'more'", 2},
        {"# sample\n", "# sample\n\n^| a |\n|---|\n| 1 |\n", "section", "belongs under the heading", 0},
        {"## States\n", "## States\n\n^| a |\n|---|\n| 1 |\n", "section", "belongs under the heading", 0},
        {"# sample\n", "^| a |\n|---|\n| 1 |\n\n# sample\n", "section", "belongs under the heading", 0},
        {"| gone | host | - | the run fails |\n", "| gone | host | - | the run fails |\n\n^| a |\n|---|\n| 1 |\n",
         "second-table", "'## Scenarios' has one in line 26", 0},
        {"## Tools\n", "^## Settings\n\n| a |\n|---|\n| 1 |\n\n## Tools\n", "repeated-section",
         "'## Settings' stands already in line 5", 0},
        {"## Settings\n", "## Waits\n\nx\n\n^## Settings\n", "section-order", "'## Settings' stands before '## Waits'",
         2},
        {"### backoff", "### back", "missing-section", "'### backoff' is missing", 1},
        {"## Messages", "^## Budgets\n\n## Messages", "missing-table", "'## Budgets' has no table", 0},
        {"## Messages", "^## Breakers\n\n## Messages", "missing-table", "'## Breakers' has no table", 0},
        {"## Messages", "## Breakers\n\nx\n\n^## Budgets\n\n## Messages", "section-order",
         "'## Budgets' stands before '## Breakers'", 2},
        {"## Tools\n", "^## Tools\n\n### x\n", "missing-table", "'## Tools' has no table", 1},
        {NULL, "x\n", "missing-section", "'# NAME' is missing", 10},
    };

    CHECK_ALL(wrongs, RCS_ERROR);
}

static void test_tables(void)
{
    static const struct wrong wrongs[] = {
        {"| gone | host | - | the run fails |", "^| gone | host | - |", "ragged", "3 cells and the header has 4", 0},
        {"| gone | host | - | the run fails |", "| gone | ^| - | the run fails |", "empty-cell", "write '-'", 0},
        {"| id | delays |", "| id | ^delay |", "column", "unknown column 'delay' (did you mean 'delays')", 1},
        {"| id | when | failure | effect |", "| id | failure | ^when | effect |", "column-order",
         "expected the order id, when, failure, effect", 0},
        {"| scenario | tell |", "| ^tell | scenario |", "column-order", "expected the order scenario, tell", 1},
        {"| id | delays | counts | jitter | server delay | times | how |",
         "| id | times | delays | how | counts | server delay | ^jitter |", "column-order",
         "expected the order id, delays", 0},
        {"| id | delays | counts | jitter | server delay | times | how |",
         "| ^times | delays | counts | jitter | server delay | id | how |", "column-order",
         "expected the order id, delays", 1},
        {"| id | delays | counts | jitter | server delay | times | how |",
         "| id | delays | counts | jitter | server delay | times | ^times |", "repeated-column",
         "'times' stands here twice", 0},
        {"| id | delays | counts | jitter | server delay | times | how |",
         "| id | delays | counts | jitter | server delay | ^server  delay | how |", "repeated-column", "'server delay'",
         0},
        {"| id | delays | counts | jitter | server delay | times | how |",
         "| id | delays | counts | jitter | server delay | times | ^costs |", "column", "did you mean 'cost'", 0},
        {"| setting | value |", "^| setting |", "missing-column", "'value'", 13},
    };

    CHECK_ALL(wrongs, RCS_ERROR);
}

static void test_settings(void)
{
    static const struct wrong wrongs[] = {
        {"| language | 1 |", "| language | ^2 |", "language", "language 1", 0},
        {"| language | 1 |", "| language | ^one |", "syntax", "expected 1, found 'one'", 0},
        {"| tries | 3 |", "| tries | ^0 |", "range", "from 1 to 250, not '0'", 0},
        {"| tries | 3 |", "| tries | ^251 |", "range", "from 1 to 250", 0},
        {"| tries | 3 |", "| tries | ^99999999999999999999999 |", "range", "from 1 to 250", 0},
        {"| tries | 3 |", "| tries | ^none |", "syntax", "expected the number of tries, found 'none'", 0},
        {"| tries | 3 |", "| tries | 3 ^4 |", "syntax", "expected nothing after it, found '4'", 0},
        {"| try timeout | 60s |", "| try timeout | ^60 |", "syntax", "a duration like 60s, or none", 0},
        {"| try timeout | 60s |", "| try timeout | ^0s |", "duration", "from 1ms to 720h", 0},
        {"| try timeout | 60s |", "| try timeout | ^721h |", "duration", "to 720h", 0},
        {"| try timeout | 60s |", "| try timeout | ^0.5ms |", "duration", "whole number of milliseconds", 0},
        {"| try timeout | 60s |", "| try timeout | ^0.0000001h |", "duration", "whole number", 0},
        {"| try timeout | 60s |", "| try timeout | ^99999999999s |", "duration", "at most 720h", 0},
        {"rate_limited, transient |", "rate_limited, ^transent |", "undeclared",
         "'transent' is not in the table of '## Failures' (did you mean 'transient')", 0},
        {"rate_limited, transient |", "rate_limited, ^rate_limited |", "repeated-name",
         "'rate_limited' stands here twice", 0},
        {"rate_limited, transient |", "none^, transient |", "syntax", "nothing after 'none'", 0},
        {"rate_limited, transient |", "^- |", "syntax", "expected a failure, or none, found '-'", 0},
        {"\"Do not retry this exact tool call.\"", "^Do not retry", "syntax", "a quoted text, or none, found 'Do'", 0},
        {"\"Do not retry this exact tool call.\"", "^\"\"", "empty-string", "an empty string", 0},
        {"\"Do not retry this exact tool call.\"", "^\"Do not", "quote", "closing '\"'", 0},
        {"\"Do not retry this exact tool call.\"", "\"a^\\b\"", "escape", "write \\\\", 0},
        {"\"Do not retry this exact tool call.\"", "\"a^  b\"", "blanks", "two blanks", 0},
        {"220 characters", "^3 characters", "range", "from 4 to 100000000", 0},
        {"220 characters", "220 ^tokens", "syntax", "expected 'characters', found 'tokens'", 0},
        {"4000 tokens", "4000 ^words", "syntax", "'characters' or 'tokens'", 0},
        {"4000 tokens", "^0 tokens", "range", "from 1", 0},
        {"\"Secret\", \"pass\\|word\"", "\"Secret\" ^\"pass\"", "syntax", "a comma, or nothing", 0},
        {"| sensitive names | none |", "| sensitive names | none^, \"x\" |", "syntax", "nothing after 'none'", 0},
        {"| sensitive names | none |", "| sensitive names | \"a\", ^b |", "syntax", "a quoted text", 0},
        {"| repeated failures | 3 |", "| repeated failures | ^1 |", "range", "from 2 to", 0},
        {"| output | 4000 tokens |\n", "| output | 4000 tokens |\n| ^outputs | 3 |\n", "unknown-setting",
         "unknown setting 'outputs' (did you mean 'output')", 0},
        {"| output | 4000 tokens |\n", "| output | 4000 tokens |\n| audit | ^none |\n", "syntax", "continue, or refuse", 0},
        {"| output | 4000 tokens |\n", "| output | 4000 tokens |\n| audit | refuse ^all |\n", "syntax", "nothing after it", 0},
        {"| output | 4000 tokens |\n", "| output | 4000 tokens |\n| resumes | ^0 |\n", "range", "from 1 to 1000", 0},
        {"| output | 4000 tokens |\n", "| output | 4000 tokens |\n| rounds | ^1001 |\n", "range", "from 1 to 1000", 0},
        {"| output | 4000 tokens |\n", "| output | 4000 tokens |\n| rounds | ^often |\n", "syntax", "the number of rounds", 0},
        {"| output | 4000 tokens |\n", "| output | 4000 tokens |\n| rounds | 1 ^times |\n", "syntax", "nothing after it", 0},
        {"| output | 4000 tokens |\n", "| output | 4000 tokens |\n| rounds | 1 |\n| ^rounds | 1 |\n", "repeated-setting",
         "'rounds' is set in line", 0},
        {"| output | 4000 tokens |\n", "| output | 4000 tokens |\n| ^resume | 3 |\n", "unknown-setting",
         "unknown setting 'resume' (did you mean 'resumes')", 0},
        {"| output | 4000 tokens |\n", "| output | 4000 tokens |\n| ^tries | 4 |\n", "repeated-setting",
         "'tries' is set in line 12 already", 0},
        {"## Settings\n\nEvery one is written.\n\n| setting | value |\n|---|---|\n| language | 1 |\n| tries | 3 |\n",
         "^## Settings\n\n| setting | value |\n|---|---|\n| language | 1 |\n", "missing-setting",
         "'tries' is missing: write '| tries | ... |' with a number from 1 to 250", 0},
    };

    CHECK_ALL(wrongs, RCS_ERROR);
}

static void test_scenarios_and_tools(void)
{
    static const struct wrong wrongs[] = {
        {"| 3a | model | no |", "| ^3-a | model | no |", "id", "expected a label", 0},
        {"| gone | host |", "| ^a23456789012345678901234567890123 | host |", "id", "at most 32", 0},
        {"| gone | host |", "| gone | ^user |", "tell", "expected one of -, model, host; found 'user'", 0},
        {"| 2 | - | - |", "| 2 | - | ^maybe |", "reminder", "expected one of", 0},
        {"| 2 | - | - |", "| 2 | - | ^no |", "reminder", "nobody is told", 0},
        {"| 3a | model | no |", "| 3a | model | ^- |", "reminder", "expected 'yes' or 'no'", 0},
        {"| gone | host |", "^| 3b | host |", "repeated-name", "the scenario '3b' stands in line 31 already", 5},
        {"| gone | host |", "| ok | ^host | - | x |\n| gone | host |", "tell", "expected 'model'", 0},
        {"| gone | host |", "| ok | model | ^yes | x |\n| gone | host |", "reminder", "no reminder", 0},
        {"| gone | host |", "| ok | model | - | x |\n^| ok | model | - | x |\n| gone | host |", "repeated-name",
         "line 32", 0},
        {"| get_pods |", "| ^get pods |", "tool", "found 'get pods'", 0},
        {"| get_pods |", "| ^- |", "tool", "expected a tool's name", 0},
        {"| get_pods |", "| ^get*pods |", "tool", "expected a tool's name", 0},
        {"\"delete all\"", "^\"delete*all\"", "tool", "at the end", 0},
        {"\"delete all\"", "\"delete\" ^all", "syntax", "nothing after the name", 0},
        {"| get_pods | safe |", "| get_pods | ^sure |", "syntax", "safe, unsafe, or safe if", 0},
        {"| get_pods | safe |", "| get_pods | safe ^when |", "syntax", "expected nothing after it", 0},
        {"safe if \"/dry~1run\"", "safe if ^dry", "syntax", "a quoted JSON pointer", 0},
        {"safe if \"/dry~1run\"", "safe if ^\"dry\"", "pointer", "starts with '/'", 0},
        {"safe if \"/dry~1run\"", "safe if ^\"/a~2\"", "pointer", "'~0' and '~1'", 0},
        {"| \"delete all\" |", "^| get_pods |", "repeated-name", "the tool 'get_pods' stands in line 38 already", 0},
    };

    CHECK_ALL(wrongs, RCS_ERROR);
}

static void test_failures(void)
{
    static const struct wrong wrongs[] = {
        {"http 429,", "^htp 429,", "syntax", "expected one of http, ", 0},
        {"http 429,", "http ^,", "syntax", "expected a status of HTTP, found ','", 0},
        {"http 429,", "http ^99,", "range", "from 100 to 599, not '99'", 0},
        {"http 502-504", "http 502-^500", "range", "from 502 to 599", 0},
        {"http 502-504", "http 502- ^504", "syntax", "without blanks", 0},
        {"http 502-504", "http 502 ^- 504", "syntax", "a comma (or)", 0},
        {"rpc -32099 to -32000", "rpc -32000 to -^32099", "range", "from the lower code", 0},
        {"rpc -32099 to -32000", "rpc - ^32099", "syntax", "an error code like -32602", 0},
        {"rpc -32099 to -32000", "rpc ^x", "syntax", "an error code of JSON-RPC", 0},
        {"rpc -32099 to -32000", "rpc -1 to ^x", "syntax", "an error code of JSON-RPC", 0},
        {"exit 64-78", "exit ^256", "range", "from 0 to 255", 0},
        {"network dns", "network ^dnss", "syntax", "a comma (or), 'and', or nothing, found 'dnss'", 0},
        {"text \"rate limit\"", "text ^rate", "syntax", "expected a quoted text", 0},
        {"text \"rate limit\"", "text ^\"\xc3\xbc\"", "pattern", "printable ASCII", 0},
        {"text \"rate limit\"", "text ^\"\"", "empty-string", "", 0},
        {"header \"n\" has \"v\"", "header \"n\" ^hass \"v\"", "syntax", "'is' or 'has'", 0},
        {"header \"n\" has \"v\"", "header \"n\" has ^v", "syntax", "a quoted value", 0},
        {"header \"n\" has \"v\"", "header \"n\" has ^\"\xc3\xbc\"", "pattern", "printable ASCII", 0},
        {"json \"/error\" has \"", "json \"/error\" has ^\"\xc3\xbc", "pattern", "printable ASCII", 0},
        {"header \"n\" has \"v\"", "header ^n has \"v\"", "syntax", "a quoted name of a header", 0},
        {"json \"/error\" has", "json ^\"error\" has", "pointer", "starts with '/'", 0},
        {"json \"/error\" has", "json ^error has", "syntax", "a quoted JSON pointer", 0},
        {"tool \"meraki_*\"", "tool ^\"*_meraki\"", "tool", "at the end", 0},
        {"tool \"meraki_*\"", "tool ^meraki", "syntax", "a quoted name of a tool", 0},
        {"session expired, result", "^session expird, result", "syntax", "expected one of session expired, ", 0},
        {"session expired, result", "^other, result", "other-alone", "stands alone", 0},
        {"| F1 | http 429,", "| F1 | ^,", "syntax", "expected one of", 0},
        {"| unreached | none |", "| unreached | ^nothing |", "effect", "expected one of", 0},
        {"| F4 |", "| ^F-4 |", "id", "at most 8", 0},
        {"| F4 |", "| ^F23456789 |", "id", "at most 8", 0},
        {"| F4 |", "| ^F3 |", "repeated-id", "'F3' names a row in line 48 already", 0},
        {"| unreached | none |", "| ^Unreached | none |", "id", "expected a failure's name", 0},
        {"| unreached | none |", "| ^elapsed | none |", "reserved", "'elapsed' is a word of the language", 0},
        {"| unreached | none |", "| ^other | none |", "reserved", "'other'", 0},
        {"shortly\" | transient | unknown |", "shortly\" | transient | ^none |", "two-effects",
         "'transient' has the effect unknown in line 48", 0},
        {"| F7 | other | permanent | unknown |\n",
         "| F7 | other | permanent | unknown |\n^| F8 | spawn | permanent | unknown |\n", "no-other", "the last row",
         1},
        {"| F6 | interrupted", "| F0 | ^other | permanent | unknown |\n| F6 | interrupted", "other-last",
         "the last row", 0},
        {"| F7 | other |", "^| F7 | spawn |", "no-other", "the last row", 0},
    };

    CHECK_ALL(wrongs, RCS_ERROR);
}

static void test_waits_and_messages(void)
{
    static const struct wrong wrongs[] = {
        {"| short | 200ms x2 |", "| ^Short | 200ms x2 |", "id", "expected a name", 0},
        {"| corrected | \"", "| ^short | \"", "repeated-id", "'short' names a row in line 58 already", 2},
        {"200ms x2", "^200 x2", "syntax", "a duration like 200ms, found '200'", 0},
        {"200ms x2", "200ms ^x1", "range", "over 1 and up to 1000", 0},
        {"200ms x2", "200ms ^x1000.1", "range", "up to 1000", 0},
        {"200ms x2", "200ms ^x1.0000001", "range", "at most 6 decimals", 0},
        {"200ms x2", "0s ^x2", "range", "does not grow", 0},
        {"200ms x2", "200ms x2^, 3s", "syntax", "only the last delay grows", 0},
        {"200ms x2", "200ms ^2", "syntax", "a factor like x2", 0},
        {"200ms x2", "200ms x2 up to ^100ms", "duration", "from 200ms", 0},
        {"200ms x2", "200ms x2 ^up 1s", "syntax", "'up to', or nothing", 0},
        {"200ms x2", "200ms x2 up to ^x", "syntax", "a duration like 120s", 0},
        {"| 200ms x2 | tries |", "| 200ms x2 | ^trys |", "counts", "expected one of tries, uses", 0},
        {"| tries | none | ignore |", "| tries | ^nope | ignore |", "syntax", "none, full, equal, plus 25%", 0},
        {"plus 25%", "plus ^25", "syntax", "a percentage like 25%", 0},
        {"plus 25%", "plus ^0%", "range", "from 1 to 1000", 0},
        {"within 20%", "within ^101%", "range", "from 1 to 100", 0},
        {"| none | ignore |", "| none | ^ignored |", "syntax", "ignore, 'obey up to", 0},
        {"obey up to 1h, else schedule", "obey ^upto 1h, else schedule", "syntax", "'up to'", 0},
        {"obey up to 1h, else schedule", "obey up to ^1d, else schedule", "syntax", "a duration like 60s", 0},
        {"obey up to 1h, else schedule", "obey up to 1h ^else schedule", "syntax", "', else schedule' or ', else stop'",
         0},
        {"obey up to 1h, else schedule", "obey up to 1h, ^or stop", "syntax", "'else schedule' or 'else stop'", 0},
        {"obey up to 1h, else schedule", "obey up to 1h plus ^x, else stop", "syntax", "a percentage", 0},
        {"obey up to 1h, else schedule", "obey up to 1h, else stop ^now", "syntax", "nothing after it", 0},
        {"within 5s above schedule", "within 5s ^over schedule", "syntax", "'above schedule'", 0},
        {"else stop | 2 |", "else stop | ^0 |", "range", "from 1 to 250", 0},
        {"else stop | 2 |", "else stop | ^x |", "syntax", "the number of uses", 0},
        {"in a new session", "^in new session", "how", "expected one of", 0},
        {"\"Error: {reason}. {reminder}\"", "^\"Error: {reson}\"", "placeholder",
         "unknown placeholder '{reson}': there are reason, ", 0},
        {"\"Error: {reason}. {reminder}\"", "^\"Error: {a} {b}\"", "placeholder", "'{a}'", 1},
        {"\"Error: {reason}. {reminder}\"", "^\"Error: {\"", "placeholder", "around a placeholder only", 0},
        {"\"Error: {reason}. {reminder}\"", "^\"Error: }\"", "placeholder", "around a placeholder only", 0},
        {"\"Error: {reason}. {reminder}\"", "^\"{ {reason}\"", "placeholder", "around a placeholder only", 0},
        {"\"Error: {reason}. {reminder}\"", "\"a\" ^b", "syntax", "nothing after the text", 0},
        {"\"Error: {reason}. {reminder}\"", "^Error", "syntax", "a quoted text", 0},
        {"| refused_call | \"", "| ^refused-call | \"", "id", "expected a name", 0},
    };

    CHECK_ALL(wrongs, RCS_ERROR);
}

static void test_states(void)
{
    static const struct wrong wrongs[] = {
        {"| A2 | transient |", "| A2 | ^transiet |", "event",
         "'transiet' is no event of attempt: there are transient, ", 0},
        {"| A2 | transient |", "| A2 | ^elapsed |", "event", "'elapsed' is no event of attempt", 0},
        {"| B1 | elapsed |", "| B1 | ^deadline |", "event", "is no event of backoff: there are ", 0},
        {"| E2 | transient |", "| E2 | ^ok |", "event", "is no event of exhausted", 0},
        {"| P1 | ready |", "| P1 | ^transient |", "event", "is no event of precondition", 0},
        {"| A2 | transient |", "| A2 | transient, ^transient |", "repeated-name", "stands here twice", 0},
        {"| A2 | transient |", "| A2 | transient ^permanent |", "syntax", "a comma, or nothing", 0},
        {"| A2 | transient |", "| A2 | ^- |", "syntax", "an event, or other", 0},
        {"| E5 | other |", "| E5 | ^other, transient |", "other-alone", "stands alone", 0},
        {"| E5 | other |", "| E5 | transient, ^other |", "other-alone", "stands alone", 0},
        {"| A6 | permanent | first try |", "| A6 | permanent | ^fist try |", "syntax", "'-', or one of first try", 0},
        {"| A6 | permanent | first try |", "| A6 | permanent | ^tries spent |", "guard", "belongs to exhausted", 0},
        {"| A6 | permanent | first try |", "| A6 | permanent | ^not first try |", "guard", "before a reason only", 0},
        {"| A6 | permanent | first try |", "| A6 | permanent | first try and ^first try |", "guard", "twice", 0},
        {"| A6 | permanent | first try |", "| A6 | permanent | first try and ^later try |", "guard",
         "never hold together", 0},
        {"| A6 | permanent | first try |", "| A6 | permanent | first try^, safe |", "syntax", "'and', or nothing", 0},
        {"| A6 | permanent | first try |", "| A6 | permanent | - ^safe |", "syntax", "nothing after '-'", 0},
        {"| A1 | ok | - |", "| A1 | ok | ^safe |", "guard", "a success is neither", 0},
        {"| A1 | ok | - |", "| A1 | ok | ^first try and never acted |", "guard", "a success is neither", 0},
        {"| E2 | transient | out of time |", "| E2 | transient | ^safe |", "guard", "belong to the table of attempt",
         0},
        {"| E2 | transient | out of time |", "| E2 | transient | ^over budget |", "guard", "needs the section '## Budgets'", 0},
        {"| E2 | transient | out of time |", "| E2 | transient | out of time and ^not out of time |", "guard", "twice",
         0},
        {"| E2 | transient | out of time |", "| E2 | transient | out of time and ^tries spent |", "guard", "never hold",
         0},
        {"| P1 | ready | attempt |", "| P1 | ready | ^attempts |", "next", "expected one of attempt, ", 0},
        {"| P2 | bad_arguments, truncated_call, duplicate_call | reported |",
         "| P2 | bad_arguments, truncated_call, duplicate_call | ^attempt |", "next", "only 'ready'", 0},
        {"| P4 | other | reported |", "| P4 | other | ^attempt |", "next", "only 'ready'", 0},
        {"| P1 | ready | attempt |", "| P1 | ready | ^exhausted |", "next", "follow attempt only", 0},
        {"| B2 | cancelled | reported |", "| B2 | cancelled | ^attempt |", "next", "only 'elapsed'", 0},
        {"| A1 | ok | - | reported |", "| A1 | ok | - | ^exhausted |", "next", "'ok' and 'cancelled'", 0},
        {"| A9 | cancelled | - | reported | - |", "| A9 | cancelled | - | ^backoff or exhausted | short |", "next",
         "'cancelled'", 0},
        {"| A8 | deadline | - | exhausted | - |", "| A8 | deadline | - | ^backoff or exhausted | short |", "next",
         "after the deadline", 0},
        {"| A8 | deadline | - | exhausted | - |", "| A8 | deadline | - | ^attempt | - |", "next",
         "attempt follows precondition", 0},
        {"| A8 | deadline | - | exhausted | - |", "| A8 | other | - | ^backoff or exhausted | short |", "next",
         "'other' takes in deadline", 0},
        {"| E5 | other | - | reported |", "| E5 | other | - | ^exhausted |", "next", "follow attempt only", 0},
        {"| backoff or exhausted | short |", "| backoff or exhausted | ^- |", "wait", "needs a wait", 0},
        {"| exhausted | - | - | - |\n| A5", "| exhausted | ^short | - | - |\n| A5", "wait",
         "only 'backoff or exhausted' waits", 0},
        {"| backoff or exhausted | short |", "| backoff or exhausted | ^shrt |", "undeclared",
         "'shrt' is not in the table of '## Waits' (did you mean 'short')", 0},
        {"| backoff or exhausted | short |", "| backoff or exhausted | short ^x |", "syntax", "nothing after the name",
         0},
        {"| backoff or exhausted | short |", "| backoff or exhausted | ^\"short\" |", "syntax", "one name, or '-'", 0},
        {"| reported | 1 | refused_call |", "| reported | ^one | refused_call |", "undeclared",
         "'one' is not in the table of '## Scenarios'", 0},
        {"| reported | 1 | refused_call |", "| reported | 1 | ^refused |", "undeclared",
         "'refused' is not in the table of '## Messages'", 0},
        {"| id | on | next | scenario | message |\n|---|---|---|---|---|\n| B1 | elapsed |",
         "| id | on | if | next | scenario | message |\n|---|---|---|---|---|---|\n| B1 | elapsed | ^safe |", "guard",
         "'elapsed' leads to attempt in any case", 1},
        {"| id | on | next | scenario | message |\n|---|---|---|---|---|\n| B1 | elapsed | attempt | - | - |\n"
         "| B2 | cancelled |",
         "| id | on | if | next | scenario | message |\n|---|---|---|---|---|---|\n| B1 | elapsed | - | attempt | - | - |\n"
         "| B2 | cancelled | ^first try |",
         "guard", "no guards but 'never acted' and 'may have acted'", 0},
        {"| id | on | next | scenario | message |\n|---|---|---|---|---|\n| B1 | elapsed |",
         "| id | on | if | next | scenario | message |\n|---|---|---|---|---|---|\n| B1 | elapsed | ^never acted |", "guard",
         "'elapsed' leads to attempt in any case", 1},
        {"| A2 | transient |", "| ^P1 | transient |", "repeated-id", "'P1' names a row in line 77 already", 0},
    };

    CHECK_ALL(wrongs, RCS_ERROR);
}

static void test_examples(void)
{
    static const struct wrong wrongs[] = {
        {"| X2 | missing_name |", "| X2 | ^missing_nme |", "event",
         "unknown event 'missing_nme' (did you mean 'missing_name')", 0},
        {"| X2 | missing_name |", "| X2 | ^other |", "event", "unknown event 'other'", 0},
        {"| X2 | missing_name |", "| X2 | missing_name^:safe |", "word", "':safe' belongs to failures", 0},
        {"| X2 | missing_name |", "| X2 | ^- |", "syntax", "an event", 0},
        {"rate_limited:safe@5s!time", "rate_limited:^", "syntax", "'safe' after ':', found ','", 0},
        {"rate_limited:safe@5s!time", "rate_limited@5s^@5s", "word", "the server's delay stands here twice", 0},
        {"rate_limited:safe@5s!time", "rate_limited:safe@5s^:safe", "word", "':safe' stands here twice", 0},
        {"rate_limited:safe@5s!time", "rate_limited!time^!budget", "word", "one '!' is enough", 0},
        {"rate_limited:safe@5s!time", "rate_limited!^money", "syntax", "'time' or 'budget'", 0},
        {"rate_limited:safe@5s!time", "rate_limited:^unsafe", "syntax", "'safe' after ':'", 0},
        {"rate_limited:safe@5s!time", "rate_limited@^0s", "duration", "from 1ms", 0},
        {"rate_limited:safe@5s!time", "rate_limited@^5", "syntax", "the server's delay, like 5s", 0},
        {"rate_limited:safe@5s!time", "rate_limited@ ^5s", "word", "no blanks inside", 0},
        {"rate_limited:safe@5s!time", "rate_limited ^:safe", "syntax", "a comma, or nothing, found ':'", 0},
        {"rate_limited:safe@5s!time", "rate_limited^(", "syntax", "':safe', '@5s'", 0},
        {"rate_limited:safe@5s!time, permanent!budget |", "rate_limited@^ |", "syntax", "found the end of the cell", 0},
        {"ready, cancelled:safe", "ready, cancelled^!time", "word", "belong to failures, which alone may wait", 0},
        {"| 2, 3b | 2 |", "| 2, ^3c | 2 |", "undeclared", "'3c' is not in the table of '## Scenarios'", 0},
        {"| 2, 3b | 2 |", "| 2 ^3b | 2 |", "syntax", "a comma, or nothing", 0},
        {"| 2, 3b | 2 |", "| - ^3b | 2 |", "syntax", "nothing after '-'", 0},
        {"| 2, 3b | 2 |", "| ^\"2\" | 2 |", "syntax", "a scenario, or '-'", 0},
        {"| 2, 3b | 2 |", "| 2, 3b | ^251 |", "range", "from 0 to 250", 0},
        {"| 2, 3b | 2 |", "| 2, 3b | ^- |", "syntax", "the number of tries", 0},
        {"| 2, 3b | 2 | 200ms |", "| 2, 3b | 2 | ^200 |", "syntax", "a duration like 200ms, or '-'", 0},
        {"| 2, 3b | 2 | 200ms |", "| 2, 3b | 2 | - ^200ms |", "syntax", "nothing after '-'", 0},
        {"| 2, 3b | 2 | 200ms |", "| 2, 3b | 2 | 200ms ^2s |", "syntax", "a comma, or nothing", 0},
        {"| Y2 | http 504 |", "| Y2 | ^htp 504 |", "syntax", "expected one of http, ", 0},
        {"| Y2 | http 504 |", "| Y2 | http ^600 |", "range", "from 100 to 599", 0},
        {"| Y2 | http 504 |", "| Y2 | http ^x |", "syntax", "a status of HTTP", 0},
        {"| Y2 | http 504 |", "| Y2 | http 504, ^http 504 |", "repeated-name", "'http' stands here twice", 0},
        {"| Y2 | http 504 |", "| Y2 | result \"a\", ^result text \"b\" |", "repeated-name",
         "'result text' stands here twice", 0},
        {"| Y2 | http 504 |", "| Y2 | http 504 ^and spawn |", "syntax", "a comma, or nothing", 0},
        {"| Y2 | http 504 |", "| Y2 | exit ^256 |", "range", "from 0 to 255", 0},
        {"| Y2 | http 504 |", "| Y2 | signal ^65 |", "range", "from 1 to 64", 0},
        {"| Y2 | http 504 |", "| Y2 | rpc - ^5 |", "syntax", "an error code like", 0},
        {"| Y2 | http 504 |", "| Y2 | rpc ^x |", "syntax", "an error code", 0},
        {"| Y2 | http 504 |", "| Y2 | header ^x |", "syntax", "a quoted name of a header", 0},
        {"| Y2 | http 504 |", "| Y2 | header \"x\" ^has \"y\" |", "syntax", "'is'", 0},
        {"| Y2 | http 504 |", "| Y2 | text ^\"\" |", "empty-string", "", 0},
        {"| Y2 | http 504 |", "| Y2 | result ^x |", "syntax", "'text', 'json', or a quoted text", 0},
        {"| Y2 | http 504 | permanent |", "| Y2 | http 504 | ^permanant |", "undeclared", "did you mean 'permanent'",
         0},
        {"| Y2 | http 504 | permanent |", "| Y2 | http 504 | ^- |", "syntax", "a failure, or ok", 0},
        {"| ok | done |", "| ok | ^unknown |", "effect", "what is ok has the effect done", 0},
        {"| ok | done |", "| ok | ^did |", "effect", "expected one of", 0},
    };

    CHECK_ALL(wrongs, RCS_ERROR);
}

static void test_warnings(void)
{
    static const struct wrong wrongs[] = {
        {"## Examples\n\n### runs\n\n| id | events | scenarios | tries | waits |\n|---|---|---|---|---|\n| X1 | "
         "transient, "
         "rate_limited:safe@5s!time, permanent!budget | 2, 3b | 2 | 200ms |\n| X2 | missing_name | 1 | 0 | - |\n| X3 | "
         "ready, "
         "cancelled:safe | gone | 1 | - |\n",
         "^## Examples\n", "no-examples", "examples of runs are missing: without '### runs'", 0},
    };

    CHECK_ALL(wrongs, RCS_WARNING);
}

/* What is broken in one place hides nothing in another, and calls up nothing there. */
static void test_all_at_once(void)
{
    static const struct {
        const char *from;
        const char *to;
    } changes[] = {
        {"| tries | 3 |", "| tries | 0 |"},
        {"| transient | unknown |\n| F4 |", "| Transient | unknown |\n| F4 |"},
        {"| gone | host | - |", "| g-one | host | - |"},
        {"| short | 200ms x2 |", "| sh-ort | 200ms x2 |"},
        {"| failed | \"Tool", "| fail-ed | \"Tool"},
        {"| B1 | elapsed |", "| B1 | elapsd |"},
        {"| http 504 |", "| http 999 |"},
    };
    static const char *const expected =
        "html 3:3, range 12:11, id 32:3, id 48:86, id 58:3, id 69:3, event 100:8, range 128:13";
    const char *text = "";
    char *file;

    rcs_arena_clear(&arena);
    findings = (struct rcs_findings){.arena = &arena};
    file = sample_with(&arena, "Prose", "a <b>");
    for (size_t i = 0; i < RCS_COUNT(changes); i++) {
        char *at = strstr(file, changes[i].from);

        CU_ASSERT_PTR_NOT_NULL_FATAL(at);
        *at = '\0';
        file = rcs_arena_format(&arena, "%s%s%s", file, changes[i].to, at + strlen(changes[i].from));
    }
    CU_ASSERT_PTR_NULL(rcs_spec_read(&arena, SAMPLE_PATH, file, strlen(file), &findings));
    rcs_findings_sort(&findings);
    for (size_t i = 0; i < findings.count; i++) {
        text = rcs_arena_format(&arena, "%s%s%s %u:%u", text, i == 0 ? "" : ", ", findings.items[i].code,
                                findings.items[i].place.line, findings.items[i].place.column);
    }
    RCS_TEXT_EQUAL(text, expected);
    RCS_TEXT_EQUAL(findings.items[3].rows, "F3");
}

/* Findings of an earlier file do not count against this one. */
static void test_second_file(void)
{
    const char *file;

    rcs_arena_clear(&arena);
    findings = (struct rcs_findings){.arena = &arena};
    file = sample_policy(&arena);
    CU_ASSERT_PTR_NULL(rcs_spec_read(&arena, "other.policy.md", file, strlen(file), &findings));
    CU_ASSERT_PTR_NOT_NULL(rcs_spec_read(&arena, SAMPLE_PATH, file, strlen(file), &findings));
    RCS_EQUAL(findings.by_severity[RCS_ERROR], 1);
}

/* One more than the language's limits. */
static void test_limits(void)
{
    static const struct {
        const char *from; /* a row */
        const char *row;  /* another of its kind */
        unsigned room;    /* how many more there may be */
        const char *part;
    } limits[] = {
        {"| F7 | other |", "| G%u | spawn | fresh_%u | unknown |\n", RECOURSE_FAILURES_MAX - 4, "at most 24 failures"},
        {"| short | 200ms", "| fresh_%u | %us | tries | none | ignore | - | again |\n", RECOURSE_WAITS_MAX - 4,
         "at most 16 waits"},
    };

    for (size_t i = 0; i < RCS_COUNT(limits); i++) {
        for (unsigned extra = 0; extra < 2; extra++) {
            const char *rows = "";
            const char *file;

            rcs_arena_clear(&arena);
            findings = (struct rcs_findings){.arena = &arena};
            for (unsigned j = 0; j < limits[i].room + extra; j++) {
                const char *row = strchr(limits[i].row, '%');
                const char *rest = strchr(row + 1, '%');

                rows = rcs_arena_format(&arena, "%s%.*s%u%.*s%u%s", rows, (int)(row - limits[i].row), limits[i].row, j,
                                        (int)(rest - row - 2), row + 2, j, rest + 2);
            }
            file = sample_with(&arena, limits[i].from, rcs_arena_format(&arena, "%s%s", rows, limits[i].from));
            CU_ASSERT_EQUAL(rcs_spec_read(&arena, SAMPLE_PATH, file, strlen(file), &findings) == NULL, extra == 1);
            RCS_EQUAL(findings.count, extra);
            if (findings.count > 0) {
                RCS_TEXT_EQUAL(findings.items[0].code, "too-many");
                CU_ASSERT_PTR_NOT_NULL(strstr(findings.items[0].text, limits[i].part));
            }
        }
    }
}

static const struct rcs_test tests[] = {
    {"sections", test_sections},
    {"tables", test_tables},
    {"settings", test_settings},
    {"scenarios and tools", test_scenarios_and_tools},
    {"failures", test_failures},
    {"waits and messages", test_waits_and_messages},
    {"states", test_states},
    {"examples", test_examples},
    {"warnings", test_warnings},
    {"all at once", test_all_at_once},
    {"a second file", test_second_file},
    {"limits", test_limits},
};

int main(void)
{
    int status = rcs_unit_main("syntax", tests, RCS_COUNT(tests));

    rcs_arena_clear(&arena);
    return status;
}
