#!/usr/bin/env bash
# `recourse run` and `recourse tools` with an MCP server: what is printed, and the exit status. Builds nothing.
set -u
B=${B:-build}
RECOURSE=$(realpath "${RECOURSE:-$B/recourse}")
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# is NAME ACTUAL EXPECTED
is() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'mcp: %s\n  is:  %s\n  not: %s\n' "$1" "$2" "$3"
    fi
}

# serve WHAT SCRIPT...: starts the server, sets $port; `stop` ends it
serve() {
    coproc server { exec "$B/mcp-server" --http "$@" 2>"$work/server"; }
    read -r port <&"${server[0]}"
    printf '{"mcpServers":{"pages":{"url":"http://127.0.0.1:%s/mcp"%s}}}' "$port" "${more:-}" >"$work/tools.json"
}
stop() {
    eval "exec ${server[1]}>&-"
    # shellcheck disable=SC2154 # coproc sets it
    wait "$server_PID" 2>/dev/null
}
# try WORD...: runs the command; $status, $out, $err
try() {
    "$RECOURSE" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    out=$(cat "$work/out")
    err=$(cat "$work/err")
}
echo '[{"id":"c1","function":{"name":"find","arguments":"{\"n\":9007199254740993}"}}]' >"$work/calls"

serve @server session find "text='three documents' listed='\"annotations\":{\"readOnlyHint\":true}'"
try tools --tools "$work/tools.json" --json
is 'tools: status' "$status" 0
is 'tools: the tool' "$(grep -c '"name":"find","server":"pages","kind":"mcp".*"safe":false,"read_only":false' "$work/out")" 1
is 'tools: annotations' "$(grep -c '"annotations":{"readOnlyHint":true}' "$work/out")" 1
try run --policy pageindex --tools "$work/tools.json" "$work/calls"
is 'run: status' "$status" 0
is 'run: result' "$out" '[{"role":"tool","tool_call_id":"c1","content":"three documents"}]'
stop

# Any value may be structured content, as it was written.
serve find "text=listed structured='[9007199254740993, null]'"
try run --policy pageindex --tools "$work/tools.json" --report "$work/report" "$work/calls"
is 'structured: status' "$status" 0
is 'structured: report' "$(grep -c '"content":"listed","structured":\[9007199254740993, null\],' "$work/report")" 1
stop

more=',"trusted":true,"prefix":"p_","tools":["find"]'
serve find "text=x listed='\"annotations\":{\"readOnlyHint\":true}'" other text=y
try tools --tools "$work/tools.json"
is 'trusted: tools' "$(head -n 1 "$work/out")" 'p_find  (mcp of pages, safe)'
is 'trusted: no other' "$(grep -c other "$work/out")" 0
is 'trusted: nothing is missing' "$err" ''
stop
more=',"tools":["fimd","find"]'
serve find "text=x" other text=y
try tools --tools "$work/tools.json"
is 'missing: status' "$status" 0
is 'missing: tools' "$(head -n 1 "$work/out")" 'find  (mcp of pages, unsafe)'
is 'missing: stderr' "$err" "recourse tools: tool 'fimd' of pages is left out: the server lists no tool of this name: did you mean 'find'?"
stop
more=

serve find "429 header='Retry-After: 0.01' body='out of quota' times=4"
try run --policy pageindex --tools "$work/tools.json" --report "$work/report" "$work/calls"
is '429: status' "$status" 3
is '429: stdout' "$out" ''
is '429: stderr' "$err" 'recourse run: the run failed: find answered 429: out of quota'
is '429: report' "$(grep -c '"run":{"status":"failed","http_status":429,"tool":"find","text":"out of quota"}' "$work/report")" 1
stop

# A stream that is cut is read on; a form is filled in; the session is ended.
more=',"elicitation":"defaults"'
form='{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"integer","default":30}},"required":["n"]}}'
serve @server session find "retry=5 prime params='$form' ask=elicitation/create await cut count"
try run --policy default --tools "$work/tools.json" --log "$work/calls"
is 'resume: status' "$status" 0
is 'resume: result' "$out" '[{"role":"tool","tool_call_id":"c1","content":"1"}]'
is 'resume: log' "$(grep -c '^find: ok on try 1/4 after 1 resume, reported as ok to model' "$work/err")" 1
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /_log HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' >&3
timeout 5 cat <&3 >"$work/log"
exec 3>&-
is 'resume: last event' "$(grep -o '"last_event":"1:2"' "$work/log" | wc -l)" 1
is 'resume: form' "$(grep -cF '{\"action\":\"accept\",\"content\":{\"n\":30}}' "$work/log")" 1
is 'resume: end' "$(grep -o '"method":"DELETE"' "$work/log" | wc -l)" 1
stop
more=

# 2026-07-28, over HTTP: what a tool's schema marks travels as headers, which the server insists on; what it marks wrongly is left out.
mark() { printf '"inputSchema":{"type":"object","properties":{"n":{"type":"%s","x-mcp-header":"N"}},"big":9007199254740993}' "$1"; }
serve @server era=modern find "text=found listed='$(mark integer)'" wrong "text=x listed='$(mark number)'"
try tools --tools "$work/tools.json" --json
is 'modern: status' "$status" 0
is 'modern: schema' "$(grep -cF "\"schema\":$(mark integer | cut -d: -f2-)" "$work/out")" 1
is 'modern: left out' "$err" "recourse tools: tool 'wrong' of pages is left out: it marks with x-mcp-header what is no string, integer or boolean"
try run --policy pageindex --tools "$work/tools.json" "$work/calls"
is 'modern: status' "$status" 0
is 'modern: result' "$out" '[{"role":"tool","tool_call_id":"c1","content":"found"}]'
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /_log HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' >&3
timeout 5 cat <&3 >"$work/log"
exec 3>&-
is 'modern: requests' "$(grep -o '"status":[0-9]*,"runs":[0-9]*,"method":"[a-z/]*"' "$work/log" | tr '\n' ' ')" \
    '"status":200,"runs":0,"method":"server/discover" "status":200,"runs":0,"method":"tools/list" "status":200,"runs":0,"method":"server/discover" "status":200,"runs":0,"method":"tools/list" "status":200,"runs":1,"method":"tools/call" '
stop

# What it asks back is answered within the try, where the policy allows that.
ask='{"resultType":"input_required","requestState":"s"}'
serve @server era=modern find "result='$ask' unrun times=2 | count | result='$ask' unrun"
try run --policy default --tools "$work/tools.json" --log "$work/calls"
is 'rounds: result' "$out" '[{"role":"tool","tool_call_id":"c1","content":"1"}]'
is 'rounds: log' "$(grep -c '^find: ok on try 1/4' "$work/err")" 1
try run --policy pageindex --tools "$work/tools.json" "$work/calls"
is 'rounds: none' "$(grep -c 'the policy allows no rounds' "$work/out")" 1
stop

# The same on standard input and output; and servers that say nothing to what they don't know, or end of it.
program() { printf '{"mcpServers":{"pages":{"command":"%s","args":["@server","%s","find","count"%s]%s}}}' "$(realpath "$B/mcp-server")" "$1" "${2:-}" "${3:-}" >"$work/tools.json"; }
for era in era=modern era=dual lenient; do
    program "$era"
    try run --policy pageindex --tools "$work/tools.json" "$work/calls"
    is "stdio: $era" "$status $out" '0 [{"role":"tool","tool_call_id":"c1","content":"1"}]'
done
program lenient ',"@server/discover","exit=3 | rpc=-32601"'
try run --policy pageindex --tools "$work/tools.json" "$work/calls"
is 'stdio: fragile' "$status $out" '0 [{"role":"tool","tool_call_id":"c1","content":"1"}]'
program era=modern '' ',"era":"legacy"'
try tools --tools "$work/tools.json" --policy pageindex
is 'stdio: legacy asked of a modern server' "$status $err" '1 recourse tools: the run failed: tools/list of pages: Unsupported protocol version'
program lenient '' ',"era":"modern"'
try tools --tools "$work/tools.json" --policy pageindex
is 'stdio: modern asked of a legacy server' "$status" 0

# Before any call: no call is made.
serve @tools/list "401 body='who are you'" find text=x
try run --policy pageindex --tools "$work/tools.json" --report "$work/report" "$work/calls"
is 'list: status' "$status" 3
is 'list: stdout' "$out" ''
is 'list: stderr' "$err" 'recourse run: the run failed: tools/list of pages answered 401: who are you'
is 'list: report' "$(grep -c '"run":{"status":"failed","http_status":401,"tool":"tools/list of pages","text":"who are you"},"results":\[\]' "$work/report")" 1
try tools --tools "$work/tools.json" --policy pageindex
is 'list: tools' "$status" 1
is 'list: tools stderr' "$err" 'recourse tools: the run failed: tools/list of pages answered 401: who are you'
stop

# A server that is a program: `program SCRIPT...` configures it.
program() {
    printf '{"mcpServers":{"pages":{"command":"%s","args":["--log","%s"' "$(realpath "$B/mcp-server")" "$work/log"
    printf ',"%s"' "$@"
    printf '],"env":{"KEY":"${HOME}"}}}}'
    rm -f "$work/log"
}

program @server "greeting='Ready.\\\\n' stderr='noise\\\\n'" find "text='three documents'" >"$work/tools.json"
try tools --tools "$work/tools.json" --json
is 'stdio tools: status' "$status" 0
is 'stdio tools: the tool' "$(grep -c '"name":"find","server":"pages","kind":"mcp"' "$work/out")" 1
try run --policy pageindex --tools "$work/tools.json" --log "$work/calls"
is 'stdio run: status' "$status" 0
is 'stdio run: result' "$out" '[{"role":"tool","tool_call_id":"c1","content":"three documents"}]'
is 'stdio run: log' "$(grep '^server' "$work/err")" 'server pages: a line that is no JSON-RPC message was skipped: Ready.'
is 'stdio run: arguments' "$(grep -c '9007199254740993' "$work/log")" 1

# It dies when it has read the call: executed once, and the model is told so.
program find "exit=7 text=x" >"$work/tools.json"
try run --policy pageindex --tools "$work/tools.json" --report "$work/report" "$work/calls"
is 'stdio crash: status' "$status" 0
is 'stdio crash: executed' "$(grep -c '"method":"tools/call"' "$work/log")" 1
is 'stdio crash: effect' "$(grep -c '"failure":"no_answer","effect":"unknown"' "$work/report")" 1
is 'stdio crash: result' "$(grep -c 'exit status 7 before it answered. It may have taken effect' "$work/out")" 1

# It does not start: what it printed is what is told.
program @initialize "stderr='KEY is not set\\\\n' exit=2" find text=x >"$work/tools.json"
try run --policy lightspeed --tools "$work/tools.json" "$work/calls"
is 'stdio start: status' "$status" 3
is 'stdio start: stderr' "$err" 'recourse run: the run failed: tools/list of pages: KEY is not set'
printf '{"mcpServers":{"pages":{"command":"/no/such/program"}}}' >"$work/tools.json"
try tools --tools "$work/tools.json"
is 'stdio program: status' "$status" 1
is 'stdio program: stderr' "$(printf %s "$err" | grep -c "can't start /no/such/program: No such file or directory")" 1

echo "mcp_command: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
