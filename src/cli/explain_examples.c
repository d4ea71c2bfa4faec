/* Examples for the pages of the codes: what has to be changed in lightspeed so that a code is found. Each is tested. */
#include "explain.h"

#include <string.h>

/* In the order of the alphabet. */
static const struct rcs_code_example examples[] = {
    {.code = "arithmetic",
     .from = "| long | 1s x2 |",
     .to = "| long | 700h x2 |"},
    {.code = "bar",
     .from = "Three tries, the first one included.",
     .to = "Three tries | the first one included."},
    {.code = "blank-line",
     .from = "| output | none |\n",
     .to = "| output | none |\n"
           "No limit.\n"},
    {.code = "blanks",
     .from = "\"rate limit\"",
     .to = "\"rate  limit\""},
    {.code = "bom",
     .from = "# lightspeed\n",
     .to = "\xef""\xbb""\xbf""# lightspeed\n"},
    {.code = "breaker-counts",
     .from = "## Messages\n",
     .to = "## Breakers\n"
           "\n"
           "| id | shared by | counts | opens after | stays open | lets through |\n"
           "|---|---|---|---|---|---|\n"
           "| down | tool | permanent | 5 in 30s | 20s | 1 |\n"
           "\n"
           "## Messages\n"},
    {.code = "cc", .shown = "CC=/nowhere recourse compile --shared spec/lightspeed.policy.md -o out"},
    {.code = "characters",
     .from = "| P1 | ready |",
     .to = "| P1 | r\xd0""\xb5""ady |"},
    {.code = "code-fence",
     .from = "Three tries, the first one included.",
     .to = "```\n"
           "Three tries, the first one included."},
    {.code = "column",
     .from = "| id | delays | counts |",
     .to = "| id | delays | amount |"},
    {.code = "column-order",
     .from = "| id | delays | counts | jitter | server delay |",
     .to = "| id | counts | delays | jitter | server delay |"},
    {.code = "control",
     .from = "| P1 | ready |",
     .to = "| P1 |\tready |"},
    {.code = "counts",
     .from = "| short | 200ms x2 | tries |",
     .to = "| short | 200ms x2 | seconds |"},
    {.code = "dead-wait",
     .from = "| call deadline | none |",
     .to = "| call deadline | 1s |"},
    {.code = "delimiter",
     .from = "| id | text |\n"
             "|---|---|",
     .to = "| id | text |\n"
           "|:--|---|"},
    {.code = "duration",
     .from = "| try timeout | 60s |",
     .to = "| try timeout | 0s |"},
    {.code = "effect",
     .from = "| F4 | other | permanent | unknown |",
     .to = "| F4 | other | permanent | maybe |"},
    {.code = "empty-cell",
     .from = "| A4 | permanent | first try |",
     .to = "| A4 | permanent | |"},
    {.code = "empty-string",
     .from = "text \"temporar\"",
     .to = "text \"\""},
    {.code = "endless", .shown = "none can be written in language 1, where each way back to an attempt counts a try; the check "
        "watches over the unrolled machine"},
    {.code = "entity",
     .from = "| F4 | other |",
     .to = "| F4 | &amp;other |"},
    {.code = "escape",
     .from = "\"Error: {reason}. {reminder}\"",
     .to = "\"Error:\\n{reason}. {reminder}\""},
    {.code = "event",
     .from = "| B2 | cancelled |",
     .to = "| B2 | transient |"},
    {.code = "example",
     .from = "| X2 | transient, ok | 2, ok | 2 | 200ms |",
     .to = "| X2 | transient, ok | 2, ok | 2 | 300ms |"},
    {.code = "false-claim",
     .from = "| refused | \"Error: {reason}. {reminder}\" |",
     .to = "| refused | \"Error: {reason}. It may have taken effect. {reminder}\" |"},
    {.code = "file-name", .shown = "a policy in the file lightspeed.md, or in Light-Speed.policy.md"},
    {.code = "final-newline", .shown = "a file that ends within its last line"},
    {.code = "gap",
     .from = "| A2 | transient | - |",
     .to = "| A2 | transient | safe |"},
    {.code = "guard",
     .from = "| A4 | permanent | first try |",
     .to = "| A4 | permanent | first try and later try |"},
    {.code = "heading",
     .from = "## Waits\n",
     .to = "##Waits\n"},
    {.code = "how",
     .from = "| id | delays | counts | jitter | server delay |\n"
             "|---|---|---|---|---|\n"
             "| short | 200ms x2 | tries | none | ignore |\n"
             "| long | 1s x2 | tries | none | ignore |",
     .to = "| id | delays | counts | jitter | server delay | how |\n"
           "|---|---|---|---|---|---|\n"
           "| short | 200ms x2 | tries | none | ignore | again |\n"
           "| long | 1s x2 | tries | none | ignore | over |"},
    {.code = "html",
     .from = "Three tries, the first one included.",
     .to = "Three tries, <b>the first one included</b>."},
    {.code = "id",
     .from = "| A1 | ok |",
     .to = "| A-1 | ok |"},
    {.code = "idle-cost",
     .from = "| id | delays | counts | jitter | server delay |\n"
             "|---|---|---|---|---|\n"
             "| short | 200ms x2 | tries | none | ignore |\n"
             "| long | 1s x2 | tries | none | ignore |\n",
     .to = "| id | delays | counts | jitter | server delay | cost |\n"
           "|---|---|---|---|---|---|\n"
           "| short | 200ms x2 | tries | none | ignore | 0 of retries |\n"
           "| long | 1s x2 | tries | none | ignore | 5 of retries |\n"
           "\n"
           "## Budgets\n"
           "\n"
           "| id | shared by | holds | a wait needs | a failure takes | an ok gives back |\n"
           "|---|---|---|---|---|---|\n"
           "| retries | runner | 100 | - | - | 1 |\n"},
    {.code = "idle-guard",
     .from = "| A2 | transient | - |",
     .to = "| A2 | transient | may have acted |"},
    {.code = "impossible",
     .from = "| F2 | timeout, network, spawn |",
     .to = "| F2 | timeout, network, spawn and http 504 |"},
    {.code = "invisible",
     .from = "Three tries, the first",
     .to = "Three\xe2""\x80""\xae""tries, the first"},
    {.code = "io", .shown = "recourse check missing.policy.md"},
    {.code = "label",
     .from = "| backoff or exhausted | short | 2 | - |",
     .to = "| backoff or exhausted | short | 3a | - |"},
    {.code = "language",
     .from = "| language | 1 |",
     .to = "| language | 7 |"},
    {.code = "line-end",
     .from = "# lightspeed\n",
     .to = "# lightspeed\r\n"},
    {.code = "link-definition",
     .from = "Three tries, the first one included.",
     .to = "[tries]: three, the first one included."},
    {.code = "markup",
     .from = "| F4 | other |",
     .to = "| F4 | *other* |"},
    {.code = "message",
     .from = "| backoff or exhausted | short | 2 | - |",
     .to = "| backoff or exhausted | short | 2 | failed |"},
    {.code = "missing-column",
     .from = "| id | text |\n"
             "|---|---|\n"
             "| refused | \"Error: {reason}. {reminder}\" |\n"
             "| corrected | \"Tool '{tool}' execution failed after {tries} attempt(s): {reason}.\" |\n"
             "| failed | \"Tool '{tool}' execution failed after {tries} attempt(s): {reason}. {reminder}\" |",
     .to = "| id |\n"
           "|---|\n"
           "| refused |\n"
           "| corrected |\n"
           "| failed |"},
    {.code = "missing-section",
     .from = "### backoff\n"
             "\n"
             "| id | on | next | scenario | message |\n"
             "|---|---|---|---|---|\n"
             "| B1 | elapsed | attempt | - | - |\n"
             "| B2 | cancelled | reported | 3b | failed |\n"
             "\n",
     .to = ""},
    {.code = "missing-setting",
     .from = "| tries | 3 |\n",
     .to = ""},
    {.code = "missing-table",
     .from = "| id | text |\n"
             "|---|---|\n"
             "| refused | \"Error: {reason}. {reminder}\" |\n"
             "| corrected | \"Tool '{tool}' execution failed after {tries} attempt(s): {reason}.\" |\n"
             "| failed | \"Tool '{tool}' execution failed after {tries} attempt(s): {reason}. {reminder}\" |\n",
     .to = ""},
    {.code = "never-used",
     .from = "| tries | 3 |",
     .to = "| tries | 1 |"},
    {.code = "next",
     .from = "| A4 | permanent | first try | reported |",
     .to = "| A4 | permanent | first try | attempt |"},
    {.code = "no-examples", .shown = "a policy that ends before its section Examples"},
    {.code = "no-jitter",
     .from = "| short | 200ms x2 | tries | none | ignore |"},
    {.code = "no-other",
     .from = "| F4 | other |",
     .to = "| F4 | http 400-499 |"},
    {.code = "no-rows",
     .from = "| short | 200ms x2 | tries | none | ignore |\n"
             "| long | 1s x2 | tries | none | ignore |\n",
     .to = ""},
    {.code = "not-produced",
     .from = "| F1 | http 429, text \"rate limit\", word \"429\", text \"too many requests\" |",
     .to = "| F1 | http 429 and http 503 |"},
    {.code = "not-text", .shown = "a shared object given for a policy, or a policy saved as UTF-16"},
    {.code = "one-wait",
     .from = "| A3 | rate_limited | - | backoff or exhausted | long |",
     .to = "| A8 | transient | safe | backoff or exhausted | long | 2 | - |\n"
           "| A3 | rate_limited | - | backoff or exhausted | long |"},
    {.code = "other-alone",
     .from = "| E1 | other |",
     .to = "| E1 | other, transient |"},
    {.code = "other-last",
     .from = "| F4 | other | permanent | unknown |",
     .to = "| F4 | other | permanent | unknown |\n"
           "| F5 | http 500 | permanent | unknown |"},
    {.code = "other-retried",
     .from = "| A4 | permanent | first try | reported | - | 3a | corrected |",
     .to = "| A4 | permanent | first try | backoff or exhausted | short | 2 | - |"},
    {.code = "other-takes",
     .from = "| E1 | other | - | reported | 3b | failed |"},
    {.code = "over-cost",
     .from = "| id | delays | counts | jitter | server delay |\n"
             "|---|---|---|---|---|\n"
             "| short | 200ms x2 | tries | none | ignore |\n"
             "| long | 1s x2 | tries | none | ignore |\n",
     .to = "| id | delays | counts | jitter | server delay | cost |\n"
           "|---|---|---|---|---|---|\n"
           "| short | 200ms x2 | tries | none | ignore | 101 of retries |\n"
           "| long | 1s x2 | tries | none | ignore | 5 of retries |\n"
           "\n"
           "## Budgets\n"
           "\n"
           "| id | shared by | holds | a wait needs | a failure takes | an ok gives back |\n"
           "|---|---|---|---|---|---|\n"
           "| retries | runner | 100 | - | - | 1 |\n"},
    {.code = "overlap",
     .from = "| A5 | permanent | later try |",
     .to = "| A5 | permanent | - |"},
    {.code = "past-deadline",
     .from = "| call deadline | none |",
     .to = "| call deadline | 3s |"},
    {.code = "pattern",
     .from = "text \"temporar\"",
     .to = "text \"tempor\xc3""\xa4""r\""},
    {.code = "placeholder",
     .from = "\"Error: {reason}. {reminder}\"",
     .to = "\"Error: {why}. {reminder}\""},
    {.code = "pointer",
     .from = "text \"temporar\"",
     .to = "json \"error\" is \"busy\""},
    {.code = "quote",
     .from = "text \"connection closed\" |",
     .to = "text \"connection closed |"},
    {.code = "ragel", .shown = "recourse compile spec/lightspeed.policy.md -o out, where there is no ragel"},
    {.code = "ragel-differs", .shown = "none is known: charts damaged on purpose are in tests/unit/test_chart_faults.c"},
    {.code = "ragged",
     .from = "| A4 | permanent | first try | reported | - | 3a | corrected |",
     .to = "| A4 | permanent | first try | reported | - | 3a |"},
    {.code = "range",
     .from = "| tries | 3 |",
     .to = "| tries | 0 |"},
    {.code = "reminder",
     .from = "| A5 | permanent | later try | reported | - | 3b | failed |",
     .to = "| A5 | permanent | later try | reported | - | 3b | corrected |"},
    {.code = "repeated-column",
     .from = "| id | text |",
     .to = "| id | id |"},
    {.code = "repeated-id",
     .from = "| A5 | permanent |",
     .to = "| A4 | permanent |"},
    {.code = "repeated-name",
     .from = "| 3b | model | yes |",
     .to = "| 3a | model | yes |"},
    {.code = "repeated-section",
     .from = "## Waits\n",
     .to = "## Failures\n"},
    {.code = "repeated-setting",
     .from = "| tries | 3 |",
     .to = "| tries | 3 |\n"
           "| tries | 4 |"},
    {.code = "replays",
     .from = "| unsafe replay | rate_limited, transient |"},
    {.code = "reserved",
     .from = "| F4 | other | permanent |",
     .to = "| F4 | other | cancelled |"},
    {.code = "row-end",
     .from = "| tries | 3 |",
     .to = "| tries | 3"},
    {.code = "second-table",
     .from = "Both double with each try",
     .to = "| id | delays |\n"
           "|---|---|\n"
           "| old | 1s |\n"
           "\n"
           "Both double with each try"},
    {.code = "section",
     .from = "## Settings\n",
     .to = "| note | by |\n"
           "|---|---|\n"
           "| checked | nobody |\n"
           "\n"
           "## Settings\n"},
    {.code = "section-order",
     .from = "## States\n",
     .to = "## Tools\n"
           "\n"
           "| tool | replay | why |\n"
           "|---|---|---|\n"
           "| get_pods | safe | reads only |\n"
           "\n"
           "## States\n"},
    {.code = "several-roles",
     .from = "| refused | \"Error: {reason}. {reminder}\" |"},
    {.code = "shadowed",
     .from = "| F2 | timeout, network, spawn |",
     .to = "| F2 | timeout, network, spawn, http 429 |"},
    {.code = "shared-by",
     .from = "| id | delays | counts | jitter | server delay |\n"
             "|---|---|---|---|---|\n"
             "| short | 200ms x2 | tries | none | ignore |\n"
             "| long | 1s x2 | tries | none | ignore |\n",
     .to = "| id | delays | counts | jitter | server delay | cost |\n"
           "|---|---|---|---|---|---|\n"
           "| short | 200ms x2 | tries | none | ignore | 5 of retries |\n"
           "| long | 1s x2 | tries | none | ignore | 5 of retries |\n"
           "\n"
           "## Budgets\n"
           "\n"
           "| id | shared by | holds | a wait needs | a failure takes | an ok gives back |\n"
           "|---|---|---|---|---|---|\n"
           "| retries | host | 100 | - | - | 1 |\n"},
    {.code = "syntax",
     .from = "| short | 200ms x2 |",
     .to = "| short | 200ms twice |"},
    {.code = "tell",
     .from = "| 3a | model |",
     .to = "| 3a | user |"},
    {.code = "title",
     .from = "# lightspeed\n",
     .to = "# Lightspeed\n"},
    {.code = "too-large",
     .from = "| tries | 3 |",
     .to = "| tries | 250 |",
     .also_from = "| id | delays | counts | jitter | server delay |\n"
                  "|---|---|---|---|---|\n"
                  "| short | 200ms x2 | tries | none | ignore |\n"
                  "| long | 1s x2 | tries | none | ignore |",
     .also_to = "| id | delays | counts | jitter | server delay | times |\n"
                "|---|---|---|---|---|---|\n"
                "| short | 1s x2 up to 9s | uses | none | ignore | 40 |\n"
                "| long | 1s x2 up to 9s | uses | none | ignore | 40 |"},
    {.code = "too-long", .shown = "a message of 5,000 letters"},
    {.code = "too-many", .shown = "a table with 65 columns, or with 1,001 rows"},
    {.code = "tool",
     .from = "## Failures\n",
     .to = "## Tools\n"
           "\n"
           "| tool | replay | why |\n"
           "|---|---|---|\n"
           "| *_get | safe | reads only |\n"
           "\n"
           "## Failures\n"},
    {.code = "trap",
     .from = "| E1 | other | - | reported | 3b | failed |",
     .to = "| E1 | permanent | - | reported | 3b | failed |"},
    {.code = "two-effects",
     .from = "| F2 | timeout, network, spawn | transient | unknown |",
     .to = "| F2 | timeout, network, spawn | transient | done |"},
    {.code = "undeclared",
     .from = "| A2 | transient | - | backoff or exhausted | short |",
     .to = "| A2 | transient | - | backoff or exhausted | shrot |"},
    {.code = "unknown-setting",
     .from = "| tries | 3 |",
     .to = "| tires | 3 |"},
    {.code = "unproven-none",
     .from = "| F4 | other | permanent | unknown |",
     .to = "| F4 | other | permanent | none |"},
    {.code = "unreachable",
     .from = "| P1 | ready | attempt | - | - |\n",
     .to = ""},
    {.code = "unsafe-replay",
     .from = "| unsafe replay | rate_limited, transient |",
     .to = "| unsafe replay | rate_limited |"},
    {.code = "unused",
     .from = "| failed | \"Tool",
     .to = "| odd | \"Odd: {reason}.\" |\n"
           "| failed | \"Tool"},
    {.code = "utf8",
     .from = "Three tries, the first",
     .to = "Three tries\xff"", the first"},
    {.code = "wait",
     .from = "| backoff or exhausted | short | 2 | - |",
     .to = "| backoff or exhausted | - | 2 | - |"},
    {.code = "weak-none",
     .from = "| F1 | http 429, text \"rate limit\", word \"429\", text \"too many requests\" | "
             "rate_limited | unknown |",
     .to = "| F1 | http 429, text \"rate limit\", word \"429\", text \"too many requests\" | "
           "rate_limited | none |"},
    {.code = "word",
     .from = "| X1 | ok |",
     .to = "| X1 | ok:safe |"},
    {.code = "worst-case", .shown = "50 tries with six waits that count uses, each with jitter of its own"},
};

const struct rcs_code_example *rcs_example_at(size_t index)
{
    return index < sizeof examples / sizeof examples[0] ? &examples[index] : NULL;
}

const struct rcs_code_example *rcs_example_of(const char *code)
{
    const struct rcs_code_example *example;

    for (size_t i = 0; (example = rcs_example_at(i)) != NULL; i++) {
        if (strcmp(example->code, code) == 0) {
            return example;
        }
    }
    return NULL;
}
