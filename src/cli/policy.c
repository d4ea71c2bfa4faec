/* recourse policy: the language of policies on one page. spec/README.md is the whole of it. */
#include "cli.h"

#include <stdio.h>

static int run(int argc, char **argv)
{
    size_t count;
    int status = rcs_options_read(&rcs_command_policy, argc, argv, NULL, 0, &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (count > 0) {
        return rcs_cli_error("policy", "unexpected word '%s'", argv[1]);
    }
    rcs_help_print(&rcs_command_policy);
    return RCS_EXIT_OK;
}

const struct rcs_command rcs_command_policy = {
    .name = "policy",
    .summary = "the language of policies, on one page",
    .run = run,
    .help =
        "Usage: recourse policy\n"
        "\n"
        "Prints this page: language 1 in short. spec/README.md is the whole of it, with\n"
        "a first policy to begin from.\n"
        "\n"
        "File: NAME.policy.md, Markdown. # NAME, then in this order ## Settings,\n"
        "Scenarios, Tools (optional), Failures, Waits, Budgets and Breakers (optional),\n"
        "Messages, States (### for each: precondition, attempt, backoff, exhausted),\n"
        "Examples (optional; ### runs and ### facts), each with one table. No cell is\n"
        "empty: `-` is nothing. Texts stand in quotes, a bar is \\|. In `when` and `on` a\n"
        "comma is or; `and` binds tighter.\n"
        "\n"
        "Settings: setting | value; every one is written\n"
        "  language 1; tries 3; try timeout 60s; call deadline 300s;\n"
        "  approval timeout 5m; unsafe replay FAILURE, ...; reminder \"...\";\n"
        "  reason 300 characters; sensitive values \"...\", ...;\n"
        "  sensitive names \"...\", ...; repeated failures 3; output 4000 tokens (or\n"
        "  characters); for tools of MCP servers, and may be left out: resumes 10;\n"
        "  rounds 10; where calls are recorded: audit refuse (or continue). All but the\n"
        "  first two and the last may be none.\n"
        "\n"
        "Scenarios: scenario | tell | reminder | meaning\n"
        "  tell: model, host, or - for nobody; reminder: yes, no, -\n"
        "\n"
        "Tools: tool | replay | why; the first row that fits holds\n"
        "  get_pods, get_*, \"any name\"; safe, unsafe, safe if \"/pointer\" (is true)\n"
        "\n"
        "Failures: id | when | failure | effect; the first row that holds; last: other\n"
        "  effect: none (it did nothing: this needs a proof), done, unknown\n"
        "  http 429, http 500-599; network, or network refused, unreachable, dns, tls,\n"
        "  reset, closed; timeout, or timeout connect, read, total; unsent; interrupted;\n"
        "  rpc -32602, rpc -32099 to -32000; tool error; session expired; protocol;\n"
        "  too large; spawn; exit 75; signal; tool \"get_*\"; header \"name\" is \"value\", or\n"
        "  has\n"
        "  text \"...\"   anywhere in the status phrase and the body, in any case\n"
        "  word \"...\"   the same, not inside a longer word or number\n"
        "  json \"/pointer\" is \"value\" (exactly), has \"value\" (anywhere, in any case)\n"
        "  result text, result word, result json: in an answer that claims success.\n"
        "  Where no such row holds, a success is ok.\n"
        "\n"
        "Waits: id | delays | counts | jitter | server delay; optional: times, how,\n"
        "  cost\n"
        "  delays: 1s, 5s (it ends) or 0s, 400ms x2 up to 120s; counts: tries, uses\n"
        "  jitter: none, full (0 to d), equal (d/2 to d), plus 25%, minus 25%,\n"
        "  within 25%\n"
        "  server delay: ignore; obey up to 60s, else schedule; obey up to 60s plus 10%,\n"
        "  else stop; within 5s above schedule\n"
        "  how: again, in a new session; cost: 5 of BUDGET\n"
        "\n"
        "Budgets: id | shared by | holds | a wait needs | a failure takes |\n"
        "  an ok gives back; tokens, which waits with a cost take\n"
        "  shared by: runner, server, tool; an ok gives back: 1, cost, or cost, else 1\n"
        "\n"
        "Breakers: id | shared by | counts | opens after | stays open | lets through\n"
        "  counts: failures; opens after: 5 (in a row) or 5 in 30s; stays open: 20s\n"
        "\n"
        "Messages: id | text\n"
        "  {tool} {call} {tries} {reason} {reminder} {status} {failure} {server_delay};\n"
        "  a blank before one that stands for nothing goes\n"
        "\n",
    .more =
        "States: id | on | if | next | wait | scenario | message; each case has one row\n"
        "  precondition  ready, missing_name, unknown_tool, ambiguous_tool,\n"
        "                bad_arguments, truncated_call, duplicate_call,\n"
        "                sensitive_arguments, repeated_failure, refused,\n"
        "                unanswered_approval, deadline, cancelled, circuit_open\n"
        "                next: attempt (on ready), reported\n"
        "  attempt       ok, the failures, deadline, cancelled, unrecorded\n"
        "                if: first try, later try; safe, unsafe; never acted,\n"
        "                may have acted\n"
        "                next: backoff or exhausted, exhausted, reported\n"
        "  backoff       elapsed, cancelled, circuit_open; next: attempt (on elapsed),\n"
        "                reported\n"
        "  exhausted     the failures, deadline; next: reported\n"
        "                if: as in attempt, but safe and unsafe; tries spent,\n"
        "                asked too long, over budget, out of time, each also with not\n"
        "  other, alone, takes what no row of its table names; never ok, ready, elapsed,\n"
        "  cancelled, unrecorded.\n"
        "\n"
        "Examples:\n"
        "  runs   id | events | scenarios | tries | waits; words: NAME, NAME:safe,\n"
        "         NAME@5s, NAME!time, NAME!budget\n"
        "  facts  id | facts | failure | effect; facts as in `when`, joined by commas,\n"
        "         and result \"...\"\n"
        "\n"
        "Example:\n"
        "  $ recourse help policy | less\n"
        "\n"
        "Exit status: 0; 1 for a word that does not belong here.\n",
};
