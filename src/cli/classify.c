/* recourse classify: what a policy makes of facts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <recourse/call.h>

#include "cli.h"
#include "facts_read.h"
#include "json_out.h"
#include "policies.h"

#define LINE_MAX_SIZE ((size_t)4 << 20)

static void print_judgement(const struct recourse_policy *policy, const struct recourse_judgement *judgement)
{
    const struct recourse_fact_row *row =
        judgement->fact_row == RECOURSE_NONE ? NULL : &policy->fact_rows[judgement->fact_row];
    struct rcs_out out = {0};

    rcs_out_open(&out, '{');
    rcs_out_key(&out, "failure");
    rcs_out_text(&out, judgement->failure == RECOURSE_NONE ? "ok" : policy->failures[judgement->failure].name);
    rcs_out_key(&out, "effect");
    rcs_out_text(&out, recourse_effect_name(judgement->effect));
    rcs_out_key(&out, "row");
    rcs_out_text(&out, row == NULL ? NULL : row->id);
    rcs_out_key(&out, "line");
    if (row == NULL) {
        rcs_out_null(&out);
    } else {
        rcs_out_number(&out, row->line);
    }
    rcs_out_key(&out, "server_delay_ms");
    rcs_out_number(&out, judgement->server_delay_ms);
    rcs_out_close(&out, '}');
    rcs_out_print(&out);
    fflush(stdout);
}

static bool classify_line(const struct recourse_policy *policy, struct rcs_arena *arena, struct recourse_span line,
                          size_t number)
{
    struct recourse_judgement judgement;
    struct recourse_facts facts = {0};
    char text[256];

    if (line.size > LINE_MAX_SIZE) {
        rcs_cli_error("classify", "line %zu: longer than 4 MiB", number);
        return false;
    }
    if (!rcs_facts_read(arena, line, &facts, text, sizeof text)) {
        rcs_cli_error("classify", "line %zu: %s", number, text);
        return false;
    }
    recourse_classify(policy, &facts, &judgement);
    print_judgement(policy, &judgement);
    return true;
}

static int classify(const struct recourse_policy *policy)
{
    struct rcs_arena arena = {0};
    size_t capacity = 0;
    char *line = NULL;
    bool good = true;
    size_t number = 0;
    ssize_t size;

    errno = 0;
    while (good && (size = getline(&line, &capacity, stdin)) >= 0) {
        struct recourse_span span = {line, (size_t)size};

        number++;
        if (strspn(line, " \t\r\n") < span.size) {
            good = classify_line(policy, &arena, span, number);
            rcs_arena_clear(&arena);
        }
        errno = 0;
    }
    free(line);
    if (good && ferror(stdin)) {
        return rcs_cli_error("classify", "standard input can't be read: %s", strerror(errno));
    }
    return good ? RCS_EXIT_OK : RCS_EXIT_ERROR;
}

static int run(int argc, char **argv)
{
    const char *source = NULL;
    struct rcs_policies policies = {.command = "classify", .despite_examples = true};
    const struct rcs_option options[] = {
        {.name = "--policy", .letter = "-p", .value = &source},
        {.name = "--no-cache", .flag = &policies.no_cache},
    };
    const struct recourse_policy *policy;
    char text[512];
    size_t count;
    int status =
        rcs_options_read(&rcs_command_classify, argc, argv, options, sizeof options / sizeof options[0], &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (count > 0) {
        return rcs_cli_error("classify", "unexpected word '%s': facts come from standard input", argv[1]);
    }
    if (source == NULL) {
        return rcs_cli_error("classify", "by which policy? Give --policy with a built-in name or a file");
    }
    policy = rcs_policies_open(&policies, source, text, sizeof text);
    status = policy == NULL ? rcs_cli_error("classify", "%s", text) : classify(policy);
    rcs_policies_clear(&policies);
    return status;
}

const struct rcs_command rcs_command_classify = {
    .name = "classify",
    .summary = "say which failure facts are, by which row",
    .run = run,
    .help =
        "Usage: recourse classify --policy P <FACTS\n"
        "\n"
        "Reads facts about tries that ended, one JSON object a line, from standard\n"
        "input, and answers each with one line: which failure that is by the policy's\n"
        "table Failures, what the tool may have done, and the row that says so.\n"
        "\n"
        "Facts; each is optional, null is as good as none:\n"
        "  \"http\": 429            status; its usual phrase is what text sees first,\n"
        "  \"phrase\": \"Slow Down\"  unless this is given\n"
        "  \"headers\": {\"retry-after\": \"5\", \"x\": [\"1\", \"2\"]}\n"
        "  \"text\": \"...\"          body, stderr or the error's message\n"
        "  \"json\": ...            what json looks into, if not text\n"
        "  \"result\": ...          content of an answer that claims success: a string is\n"
        "                         the text itself, anything else is JSON. With http 2xx\n"
        "                         and no result, text is the result\n"
        "  \"structured\": {...}    its structured content\n"
        "  \"timeout\": \"read\"      connect, read, total, or true\n"
        "  \"network\": \"reset\"     refused, unreachable, dns, tls, reset, closed, or true\n"
        "  \"rpc\": -32602, \"exit\": 75, \"signal\": 9, \"tool\": \"name\",\n"
        "  \"wall_s\": 1700000000   our clock, for dates in Retry-After\n"
        "  \"tool_error\", \"protocol\", \"session_expired\", \"spawn\", \"unsent\",\n"
        "  \"interrupted\", \"too_large\": true\n"
        "\n"
        "Answers: {\"failure\",\"effect\",\"row\",\"line\",\"server_delay_ms\"}. failure is ok for\n"
        "a success, and row and line are then null; server_delay_ms is 0 if the server\n"
        "asked for no delay that counts.\n"
        "\n"
        "Options:\n"
        "  -p, --policy P  name of a built-in policy, or path of a .policy.md or of a\n"
        "                  shared object (recourse compile --shared)\n"
        "      --no-cache  walk the model of a .policy.md\n"
        "\n"
        RCS_CACHE_HELP
        "\n"
        "Example:\n"
        "  $ echo '{\"http\":429,\"headers\":{\"retry-after\":\"5\"}}' |\n"
        "      recourse classify --policy lightspeed\n"
        "  {\"failure\":\"rate_limited\",\"effect\":\"unknown\",\"row\":\"F1\",\"line\":55,\n"
        "   \"server_delay_ms\":5000}\n"
        "\n"
        "Exit status: 0; 1 at the first line that can't be read (those before it have\n"
        "been answered).\n",
};
