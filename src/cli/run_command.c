/* recourse run: the words of the command line. */
#include <string.h>

#include "cli.h"
#include "policies.h"
#include "run.h"
#include "run_approve.h"
#include "run_audit.h"

static int run(int argc, char **argv)
{
    struct rcs_run_options chosen = {.calls = "-"};
    const char *budget = NULL;
    const char *deadline = NULL;
    const char *approve = NULL;
    const char *sync = NULL;
    const struct rcs_option options[] = {
        {.name = "--policy", .letter = "-p", .value = &chosen.policy},
        {.name = "--tools", .letter = "-t", .value = &chosen.tools},
        {.name = "--report", .value = &chosen.report},
        {.name = "--stream", .flag = &chosen.stream},
        {.name = "--log", .flag = &chosen.log},
        {.name = "--no-cache", .flag = &chosen.no_cache},
        {.name = "--budget", .value = &budget},
        {.name = "--deadline", .value = &deadline},
        {.name = "--approve", .value = &approve},
        {.name = "--metrics", .value = &chosen.metrics},
        {.name = "--audit", .value = &chosen.audit},
        {.name = "--audit-sync", .value = &sync},
        {.name = "--disclosure", .value = &chosen.disclosure},
        {.name = "--capture", .flag = &chosen.capture},
        {.name = "--otlp", .flag = &chosen.otlp, .value = &chosen.otlp_url},
        {.name = "--traceparent", .value = &chosen.traceparent},
    };
    enum rcs_approve mode = RCS_APPROVE_DEFAULT;
    uint64_t tokens = 0;
    size_t count;
    int status = rcs_options_read(&rcs_command_run, argc, argv, options, sizeof options / sizeof options[0], &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (count > 1) {
        return rcs_cli_error("run", "unexpected word '%s': one file of calls at a time", argv[2]);
    }
    if (chosen.policy == NULL) {
        return rcs_cli_error("run", "by which policy? Give --policy with a built-in name or a file");
    }
    if (chosen.tools == NULL) {
        return rcs_cli_error("run", "with which tools? Give --tools with a file");
    }
    if (budget != NULL && (!rcs_number_read(budget, UINT32_MAX, &tokens) || tokens == 0)) {
        return rcs_cli_error("run", "--budget wants a number of tokens, not '%s'", budget);
    }
    if (deadline != NULL && !rcs_duration_read(deadline, &chosen.deadline_ms)) {
        return rcs_cli_error("run", "--deadline wants a duration such as 500ms, 5s or 2m, not '%s'", deadline);
    }
    if (approve != NULL && !rcs_approve_read(approve, &mode)) {
        return rcs_cli_error("run", "--approve wants ask, yes or no, not '%s'", approve);
    }
    if (sync != NULL && !rcs_audit_sync_read(sync, &chosen.audit_sync)) {
        return rcs_cli_error("run", "--audit-sync wants none, batch, before-effect or every, not '%s'", sync);
    }
    if (chosen.audit == NULL && (sync != NULL || chosen.disclosure != NULL || chosen.capture)) {
        return rcs_cli_error("run", "without --audit FILE there is no log for --audit-sync, --disclosure or --capture");
    }
    if (chosen.capture && chosen.disclosure == NULL) {
        return rcs_cli_error("run", "--capture writes into the disclosure: give --disclosure with a file");
    }
    if (count == 1) {
        chosen.calls = argv[1];
    }
    if (strcmp(chosen.calls, "-") == 0 && strcmp(chosen.tools, "-") == 0) {
        return rcs_cli_error("run", "calls and tools can't both come from standard input");
    }
    chosen.budget = (uint32_t)tokens;
    chosen.approve = (uint8_t)mode;
    return rcs_run_job(&chosen);
}

const struct rcs_command rcs_command_run = {
    .name = "run",
    .summary = "run the tool calls of a model's reply, each by its policy",
    .run = run,
    .help =
        "Usage: recourse run --policy P --tools T [OPTION...] [CALLS]\n"
        "\n"
        "Runs the tool calls of one reply of a model, all at once, each tried again,\n"
        "waited for and reported as its policy says, and prints their results.\n"
        "\n"
        "CALLS is a file, or - or nothing for standard input: a whole response of the\n"
        "provider, its message, or the bare list of calls; its shape says which it is.\n"
        "Results are in the same dialect and in the order of the calls, on one line.\n"
        "Every call gets exactly one.\n"
        "\n"
        "  OpenAI chat       {\"choices\":[...]}, {\"role\",\"tool_calls\":[...]}, or\n"
        "                    [{\"id\",\"function\":{\"name\",\"arguments\"}}]\n"
        "       results      [{\"role\":\"tool\",\"tool_call_id\",\"content\"}]\n"
        "  Anthropic         {\"type\":\"message\",\"content\":[...]}, {\"role\",\"content\"}, or\n"
        "                    [{\"type\":\"tool_use\",\"id\",\"name\",\"input\"}]\n"
        "       results      {\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\n"
        "                    \"tool_use_id\",\"content\",\"is_error\":true}]}, this on errors\n"
        "  OpenAI responses  {\"object\":\"response\",\"output\":[...]}, or\n"
        "                    [{\"type\":\"function_call\",\"call_id\",\"name\",\"arguments\"}]\n"
        "       results      [{\"type\":\"function_call_output\",\"call_id\",\"output\"}]\n"
        "  Gemini            {\"candidates\":[...]}, {\"role\",\"parts\":[...]}, or\n"
        "                    [{\"functionCall\":{\"id\",\"name\",\"args\"}}]\n"
        "       results      {\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"id\",\n"
        "                    \"name\",\"response\":{\"result\"} or {\"error\"}}}]}\n"
        "  MCP               {\"jsonrpc\",\"id\",\"method\":\"tools/call\",\"params\"}, or [...]\n"
        "       results      [{\"jsonrpc\",\"id\",\"result\":{\"content\",\"isError\":true}}]\n"
        "\n"
        "Where the provider says that its reply was cut off, no call of it is run.\n"
        "\n",
    .more =
        "Options:\n"
        "  -p, --policy P       name of a built-in policy, or path of a .policy.md (see\n"
        "                       below) or of a shared object (recourse compile --shared)\n"
        "  -t, --tools T        the tools, in JSON: see below\n"
        "      --report F       what became of every call, with every step, into F: one\n"
        "                       object {\"policy\",\"run\",\"results\"}, also if the run fails\n"
        "      --metrics F      counters of calls, tries and waits, by row, failure and\n"
        "                       scenario, in the place of what is in F: Prometheus's\n"
        "                       text format\n"
        "      --audit F        a record of every decision, into or behind what is in F:\n"
        "                       see recourse audit. Of arguments, results and errors it\n"
        "                       has keyed hashes only. Where it can't be written, calls\n"
        "                       go on, and the end says how many records are lost (exit\n"
        "                       status 1), unless the policy sets audit to refuse; no\n"
        "                       built-in one does\n"
        "      --audit-sync M   before-effect (left out): on the disk before an unsafe\n"
        "                       tool is touched; or none, batch, every\n"
        "      --disclosure D   what the hashes can be proved with, into or behind D\n"
        "      --capture        and the contents themselves\n"
        "      --otlp[=URL]     spans of calls and tries to OpenTelemetry's collector at\n"
        "                       URL/v1/traces: see below. What was said is not in them.\n"
        "                       The end of a run waits for it, 5 s at most\n"
        "      --traceparent T  the trace that the calls belong to (W3C's)\n"
        "      --stream         each result on a line of its own, as it comes\n"
        "      --log            a line for each decision on standard error\n"
        "      --budget TOKENS  for all results together; longer ones are cut\n"
        "      --deadline TIME  for every call, such as 500ms, 30s, 2m\n"
        "      --approve HOW    calls of tools that need approval: ask on the terminal,\n"
        "                       yes to all, no to all. Left out, it asks if there is a\n"
        "                       terminal (/dev/tty) and says no if there is none\n"
        "      --no-cache       walk the model of a .policy.md\n"
        "\n"
        RCS_CACHE_HELP
        "\n"
        "On a terminal standard error shows how each call is doing; in a pipe it is\n"
        "quiet. SIGINT and SIGTERM cancel the run: each call gets its result, and the\n"
        "report is written. A third signal ends the process at once, and kills what it\n"
        "has started. Where nobody reads standard output any more, or it can't be\n"
        "written, the run is cancelled, too: exit status 1.\n"
        "\n",
    .rest =
        "Tools:\n"
        "  {\"tools\":[{\"name\":\"lookup\",\"description\":\"...\",\n"
        "    \"http\":{\"url\":\"http://127.0.0.1:8000/lookup\",\"method\":\"POST\",\n"
        "      \"headers\":{\"X-Key\":\"${KEY}\"},\"connect_timeout\":\"2s\",\n"
        "      \"read_timeout\":\"10s\",\"ca_file\":\"ca.pem\",\"proxy\":\"http://...\"},\n"
        "    \"timeout\":\"5s\",\"replay\":\"safe\",\"policy\":\"lightspeed\",\n"
        "    \"server\":\"crm\",\"limit\":4,\"approval\":\"annotation\",\"read_only\":true}]}\n"
        "  name and http.url are needed. The arguments are the body, or for GET and\n"
        "  DELETE the query; 2xx is success. timeout is that of a try. replay says\n"
        "  whether running it twice does no more than once (safe) or might (unsafe).\n"
        "  limit is how many tries are made at once; tools that name one server share\n"
        "  one limit. approval is never, always or annotation (unless read_only is\n"
        "  true); left out, never.\n"
        "  ${NAME} in the value of a header, in env, proxy, command, args or cwd comes\n"
        "  from the environment, as does ${NAME:-x}, which is x where NAME is not set or\n"
        "  empty; $${ is ${ itself. A URL has no variables and no password in it.\n"
        "  Instead of http, a tool may be a program:\n"
        "    {\"name\":\"find\",\"command\":[\"./find.py\",\"--json\"],\n"
        "      \"env\":{\"TOKEN\":\"${TOKEN}\"},\"cwd\":\"/srv/tools\",\"timeout\":\"5s\"}\n"
        "  It is started for each try, without a shell: a path, or a name looked up in\n"
        "  PATH. The arguments are on its standard input, its standard output is the\n"
        "  content; exit status 0 is success, otherwise standard error says why. Its\n"
        "  environment is ours, env, RECOURSE_IDEMPOTENCY_KEY and RECOURSE_TRY. Whoever\n"
        "  is late or cancelled gets SIGTERM, and SIGKILL 2 s later, as does its group.\n"
        "  Tools of MCP servers (streamable HTTP, or a program on standard input and\n"
        "  output), beside \"tools\" or instead of it:\n"
        "    {\"mcpServers\":{\"crm\":{\"url\":\"https://...\",\"headers\":{...},\n"
        "      \"policy\":\"default\",\"timeout\":\"30s\",\"replay\":\"unsafe\",\"trusted\":true,\n"
        "      \"limit\":4,\"tools\":[\"find\",\"get\"],\"prefix\":\"crm_\"},\n"
        "      \"files\":{\"command\":\"npx\",\"args\":[\"-y\",\"server-files\",\"${HOME}/docs\"],\n"
        "      \"env\":{\"TOKEN\":\"${TOKEN}\"},\"cwd\":\"/srv\"}}}\n"
        "  They are asked for their tools before any call is made; where that fails so\n"
        "  does the run, with exit status 3. tools are those that are taken (left out,\n"
        "  all), prefix goes before their names. Annotations are believed of a trusted\n"
        "  server only: read-only and idempotent tools are safe then. With\n"
        "  \"elicitation\":\"defaults\" forms that a server asks to have filled in are,\n"
        "  with their defaults; left out, it can't ask. era is legacy (a handshake and\n"
        "  a session), modern (2026-07-28: neither) or, left out, auto: the server is\n"
        "  asked once. Also read_timeout (the longest silence), approval, and of a URL\n"
        "  connect_timeout, ca_file, proxy.\n"
        "  recourse tools shows what there is. A program is started once, and by the\n"
        "  next try when it has ended; its environment is ours and env. At the end its\n"
        "  standard input is closed, after 2 s it gets SIGTERM, after 2 s more SIGKILL,\n"
        "  with its group.\n"
        "  --log shows what it prints that is no message.\n"
        "\n"
        "Spans:\n"
        "  --otlp respects OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, _TIMEOUT, _CERTIFICATE\n"
        "  (OTEL_EXPORTER_OTLP_TRACES_... first), OTEL_SERVICE_NAME,\n"
        "  OTEL_RESOURCE_ATTRIBUTES, OTEL_SDK_DISABLED. It goes on with the trace of\n"
        "  TRACEPARENT and TRACESTATE, and tells tools of it: by headers, in _meta of\n"
        "  MCP, by variables of those names.\n"
        "\n"
        "Example:\n"
        "  $ echo '[{\"id\":\"c1\",\"function\":{\"name\":\"lookup\",\"arguments\":\"{}\"}}]' |\n"
        "      recourse run --policy lightspeed --tools tools.json --log\n"
        "  lookup: try 1/3 begins [lightspeed P1, line 90]\n"
        "  lookup: transient on try 1/3, waits 200 ms [lightspeed A2, line 105]:\n"
        "  Gateway Timeout\n"
        "  lookup: try 2/3 begins [lightspeed B1, line 116]\n"
        "  lookup: ok on try 2/3, reported as ok to model [lightspeed A1, line 104]\n"
        "  [{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"three pods\"}]\n"
        "\n"
        "Exit status: 0 answered, whatever the results say; 3 the run failed (a policy\n"
        "tells the host: standard output is empty, or, with --stream, has what was known\n"
        "before; standard error has status, tool and text); 4 cancelled; 1 anything\n"
        "wrong with options, files or calls.\n",
};
