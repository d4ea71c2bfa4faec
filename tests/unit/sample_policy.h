/* A whole policy that uses every part of the language, for the tests of the reader. Its behaviour is not meant to be
 * wise. */
#ifndef RCS_SAMPLE_POLICY_H
#define RCS_SAMPLE_POLICY_H

#include <string.h>

#include "gen/arena.h"

#define SAMPLE_PATH "spec/sample.policy.md"

static const char *const sample_lines[] = {
    "# sample",
    "",
    "Prose that a reviewer reads: 5 < 6, a [link](https://example.org), `code`.",
    "",
    "## Settings",
    "",
    "Every one is written.",
    "",
    "| setting | value |",
    "|---|---|",
    "| language | 1 |",
    "| tries | 3 |",
    "| try timeout | 60s |",
    "| call deadline | 2m |",
    "| unsafe replay | rate_limited, transient |",
    "| reminder | \"Do not retry this exact tool call.\" |",
    "| reason | 220 characters |",
    "| sensitive values | \"Secret\", \"pass\\|word\" |",
    "| sensitive names | none |",
    "| approval timeout | 600s |",
    "| repeated failures | 3 |",
    "| output | 4000 tokens |",
    "",
    "## Scenarios",
    "",
    "| scenario | tell | reminder | meaning |",
    "|---|---|---|---|",
    "| 1 | model | yes | no change of arguments could make this call valid |",
    "| 2 | - | - | tried again, nobody is told |",
    "| 3a | model | no | the model may correct its arguments, 1,000 times |",
    "| 3b | model | yes | any other failure |",
    "| gone | host | - | the run fails |",
    "",
    "## Tools",
    "",
    "| tool | replay | why |",
    "|---|---|---|",
    "| get_pods | safe | reads only |",
    "| meraki_* | safe if \"/dry~1run\" | a dry run does nothing |",
    "| \"delete all\" | unsafe | it does |",
    "",
    "## Failures",
    "",
    "| id | when | failure | effect |",
    "|---|---|---|---|",
    "| F1 | http 429, text \"rate limit\", word \"429\" and tool error | rate_limited | unknown |",
    "| F2 | timeout connect, network refused, network dns, unsent | unreached | none |",
    "| F3 | timeout, network, spawn, http 502-504 and header \"x-should-retry\" is \"true\" | transient | unknown |",
    ("| F4 | json \"/error/type\" is \"overloaded\", json \"/error\" has \"busy\", result text \"try again shortly\" | "
     "transient | unknown |"),
    ("| F5 | rpc -32602, rpc -32099 to -32000, exit 64-78, signal, tool \"meraki_*\", header \"n\" has \"v\" | "
     "permanent | unknown |"),
    ("| F6 | interrupted, protocol, too large, session expired, result word \"no\", result json \"\" is \"\" | "
     "permanent | unknown |"),
    "| F7 | other | permanent | unknown |",
    "",
    "## Waits",
    "",
    "| id | delays | counts | jitter | server delay | times | how |",
    "|---|---|---|---|---|---|---|",
    "| short | 200ms x2 | tries | none | ignore | - | again |",
    ("| long | 0s, 1.5s x1.25 up to 120s | uses | plus 25% | obey up to 60s plus 10%, else stop | 2 | in a new session "
     "|"),
    "| list | 0s, 2s, 4s | tries | within 20% | within 5s above schedule | 250 | again |",
    "| obeying | 1m | uses | equal | obey up to 1h, else schedule | - | again |",
    "",
    "## Messages",
    "",
    "| id | text |",
    "|---|---|",
    "| refused_call | \"Error: {reason}. {reminder}\" |",
    "| corrected | \"Tool '{tool}' execution failed after {tries} attempt(s): {reason}.\" |",
    "| failed | \"Tool '{tool}' \\\"{call}\\\" failed: {reason} {status} {failure} {server_delay}. {reminder}\" |",
    "",
    "## States",
    "",
    "### precondition",
    "",
    "| id | on | next | scenario | message |",
    "|---|---|---|---|---|",
    "| P1 | ready | attempt | - | - |",
    "| P2 | bad_arguments, truncated_call, duplicate_call | reported | 3a | corrected |",
    "| P3 | cancelled | reported | gone | - |",
    "| P4 | other | reported | 1 | refused_call |",
    "",
    "### attempt",
    "",
    "| id | on | if | next | wait | scenario | message |",
    "|---|---|---|---|---|---|---|",
    "| A1 | ok | - | reported | - | ok | - |",
    "| A2 | transient | - | backoff or exhausted | short | 2 | - |",
    "| A3 | rate_limited, unreached | safe and never acted | backoff or exhausted | long | 2 | - |",
    "| A4 | rate_limited, unreached | unsafe | exhausted | - | - | - |",
    "| A5 | rate_limited, unreached | safe and may have acted | backoff or exhausted | list | 2 | - |",
    "| A6 | permanent | first try | reported | - | 3a | corrected |",
    "| A7 | permanent | later try | reported | - | 3b | failed |",
    "| A8 | deadline | - | exhausted | - | - | - |",
    "| A9 | cancelled | - | reported | - | gone | - |",
    "",
    "### backoff",
    "",
    "| id | on | next | scenario | message |",
    "|---|---|---|---|---|",
    "| B1 | elapsed | attempt | - | - |",
    "| B2 | cancelled | reported | gone | - |",
    "",
    "### exhausted",
    "",
    "| id | on | if | next | scenario | message |",
    "|---|---|---|---|---|---|",
    "| E1 | transient | not out of time and not asked too long | reported | 3b | failed |",
    "| E2 | transient | out of time | reported | 3b | failed |",
    "| E3 | transient | asked too long and first try | reported | 3b | failed |",
    "| E4 | transient | asked too long and later try | reported | gone | failed |",
    "| E5 | other | - | reported | 3b | failed |",
    "",
    "## Examples",
    "",
    "### runs",
    "",
    "| id | events | scenarios | tries | waits |",
    "|---|---|---|---|---|",
    "| X1 | transient, rate_limited:safe@5s!time, permanent!budget | 2, 3b | 2 | 200ms |",
    "| X2 | missing_name | 1 | 0 | - |",
    "| X3 | ready, cancelled:safe | gone | 1 | - |",
    "",
    "### facts",
    "",
    "| id | facts | failure | effect |",
    "|---|---|---|---|",
    "| Y1 | tool error, text \"Found 1429 pods\" | permanent | unknown |",
    "| Y2 | http 504 | permanent | unknown |",
    "| Y3 | http 200, result json \"{\\\"a\\\": [1, 2]}\", result \"x\" | ok | done |",
    ("| Y4 | network reset, timeout read, unsent, interrupted, rpc -32602, session expired, protocol, too large, spawn "
     "| transient | unknown |"),
    ("| Y5 | exit 64, signal 15, header \"a\" is \"b\", header \"a\" is \"\", tool \"t\", json \"{}\", text \"ü\" | "
     "permanent | unknown |"),
    "| Y6 | network, timeout, signal | transient | unknown |",
};

/* The file's text, NUL-terminated. */
static inline char *sample_policy(struct rcs_arena *arena)
{
    size_t count = sizeof sample_lines / sizeof *sample_lines;
    size_t size = 0;
    char *text;
    char *end;

    for (size_t i = 0; i < count; i++) {
        size += strlen(sample_lines[i]) + 1;
    }
    text = end = rcs_arena_alloc(arena, size + 1);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(sample_lines[i]);

        memcpy(end, sample_lines[i], length);
        end[length] = '\n';
        end += length + 1;
    }
    return text;
}

/* The sample with the first `from` replaced by `to`; NULL if `from` does not stand in it. */
static inline char *sample_with(struct rcs_arena *arena, const char *from, const char *to)
{
    char *text = sample_policy(arena);
    char *at = strstr(text, from);

    if (at == NULL) {
        return NULL;
    }
    *at = '\0';
    return rcs_arena_format(arena, "%s%s%s", text, to, at + strlen(from));
}

#endif
