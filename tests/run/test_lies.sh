#!/usr/bin/env bash
# That the cases of the field can fail: lines that are wrong in one place each, and what test_field has to say of it.
# Builds nothing.
set -u
B=${B:-build}
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools='{"tools":[{"name":"a","http":{"url":"http://127.0.0.1:{port}/a"}}]}'
calls='[{"id":"c1","type":"function","function":{"name":"a","arguments":"{\"n\":9007199254740993}"}}]'
twice='"exit":0,"results":[{"call":"c1","status":"success","tries":2}]'

# line SCRIPT EXPECT [MORE]
line() {
    printf '{"row":1,"about":"a lie","policy":"default","tools":%s,"server":{"/a":"%s"},"calls":%s,%s"expect":{%s}}\n' \
        "$tools" "$1" "$calls" "${3-}" "$2"
}
# lie TEXT SCRIPT EXPECT [MORE]: test_field fails this line, and says TEXT
lie() {
    local text=$1
    shift
    line "$@" >"$work/lie.jsonl"
    if "$B/tests/run/test_field" "$work/lie.jsonl" >"$work/out" 2>&1; then
        echo "lies: not noticed: $text"
        failed=$((failed + 1))
    elif ! grep -qF -- "$text" "$work/out" || ! grep -q '^cases: 0 passed, 1 failed$' "$work/out"; then
        echo "lies: '$text' is not what it says:"
        cat "$work/out"
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
}

line "429 | 200 body=fine" "$twice" >"$work/true.jsonl"
if [ "$("$B/tests/run/test_field" "$work/true.jsonl")" = "cases: 1 passed, 0 failed" ]; then
    passed=$((passed + 1))
else
    echo "lies: a line that is right does not pass"
    failed=$((failed + 1))
fi

one='"exit":0,"results":[{'
lie 'it exited with 0' "200" '"exit":3,"results":[{}]'
lie 'it exited with 1' "200" "$one}]" '"options":["--no-such-option"],'
lie 'there are 1 results, not 2' "200" '"exit":0,"results":[{},{}]'
lie 'there are 1 results, not 3' "200" '"exit":0,"count":3'
lie 'tries of c1 is 1, not 2' "200" "$twice"
lie 'tries of c1 is 1, not 2' "200" '"exit":0,"count":1,"each":{"tries":2}'
lie 'scenario of c1 is "ok", not "check"' "200" "$one\"scenario\":\"check\"}]"
lie 'triess of c1 is not there, not 1' "200" "$one\"triess\":1}]"
lie 'rows of c1 is ["P1","A1"], not ["P1"]' "200" "$one\"rows\":[\"P1\"]}]"
lie 'content of c1 is "fine", not "fin"' "200 body=fine" "$one\"content\":\"fin\"}]"
lie "'gone' is not in the content: fine" "200 body=fine" "$one\"content_has\":[\"gone\"]}]"
lie "'fin' is in the content: fine" "200 body=fine" "$one\"content_has_not\":[\"fin\"]}]"
lie "the content's length is 4, less than 5" "200 body=fine" "$one\"characters_min\":5}]"
lie "the content's length is 4, more than 3" "200 body=fine" "$one\"characters_max\":3}]"
lie 'structured is {"n":9007199254740993}, not {"n":9007199254740992}' "200 echo" "$one\"structured\":{\"n\":9007199254740992}}]"
lie 'structured is {"n":9007199254740993}, not {"n":9007199254740993.0}' "200 echo" "$one\"structured\":{\"n\":9007199254740993.0}}]"
lie 'the list of waits is [' "429 | 200" "$one\"waits_ms\":[]}]"
lie 'a wait is ' "429 | 200" "$one\"waits_ms\":[[5000,9000]]}]"
lie '/a: 1 requests came, not 2' "200" "$one}],\"server\":{\"/a\":{\"requests\":2}}"
lie '/a: bodies[0] is {"n":9007199254740993}, not {"n":9007199254740992}' "200" "$one}],\"server\":{\"/a\":{\"bodies\":[\"{\\\"n\\\":9007199254740992}\"]}}"
lie '/a: queries[0] is , not n=1' "200" "$one}],\"server\":{\"/a\":{\"queries\":[\"n=1\"]}}"
lie '/a: there are 1 keys, not 2' "429 | 200" "$twice,\"server\":{\"/a\":{\"keys\":2}}"
lie '/a: request 0 says that it is try 1, not 2' "200" "$one}],\"server\":{\"/a\":{\"tries\":[2]}}"
lie '/a: gap 0 is ' "429 | 200" "$twice,\"server\":{\"/a\":{\"gaps_min_ms\":[5000]}}"
lie '/a: nobody knows what request means' "200" "$one}],\"server\":{\"/a\":{\"request\":1}}"
lie "'no such text' is not in standard error" "200" "$one}],\"errors_has\":[\"no such text\"]"
lie "'a: ok' is in standard error" "200" "$one}],\"errors_has_not\":[\"a: ok\"]"
lie "'fine' is in the report" "200 body=fine" "$one}],\"report_has_not\":[\"fine\"]"
lie 'http_status is 401, not 403' "401" '"exit":3,"run":{"http_status":403},"results":[{}]'
lie 'its time in ms is' "200" "$one}],\"took_min_ms\":50000"
lie 'the number of different first waits is 1, less than 2' "429 | 200" "$twice,\"distinct_waits_min\":2"
lie "the file x holds '', not 'y'" "200" "$one}],\"files\":{\"x\":\"y\"}"
lie 'it ended before it was interrupted' "200" "$one}]" '"interrupt":{"signal":"INT","log_has":"no such text"},'
lie 'the script of /a: no such word' "nonsense" "$one}]"

# What is said of an MCP server, and of the words of a run.
find='{"mcpServers":{"pages":{"url":"http://127.0.0.1:{port}/mcp","era":"legacy"}}}'
# mcp_lie TEXT RESULT SEEN: likewise, of a call that is tried twice
mcp_lie() {
    local tools=$find calls='[{"id":"c1","function":{"name":"find","arguments":"{\"n\":1}"}}]'
    lie "$1" 200 "\"exit\":0,\"results\":[{$2}],\"mcp\":{\"/mcp\":{$3}}" '"mcp":{"find":"429 | count"},'
}
mcp_lie '/mcp: tools/call is 2, not 1' '' '"tools/call":1'
mcp_lie '/mcp: notifications/cancelled is 0, not 1' '' '"notifications/cancelled":1'
mcp_lie '/mcp: runs is 1, not 2' '' '"runs":2'
mcp_lie '/mcp: gap 0 is ' '' '"gaps_min_ms":[90000]'
mcp_lie "/mcp: 'm9' is not in {" '' '"calls_have":["m9"]'
mcp_lie '/mcp: keys is 1, not 2' '' '"keys":2'
mcp_lie '/mcp: call 1 says that it is try 2, not 3' '' '"tries":[1,3]'
mcp_lie 'tries of the result is 2, simulated 1' '"words":"ok"' ''
mcp_lie 'event of a step is "rate_limited", simulated "unreachable"' '"words":"unreachable, ok"' ''
mcp_lie 'ms is not within 10' '"words":"rate_limited@10ms, ok"' ''
mcp_lie 'the trail is shorter than the run' '"words":"rate_limited, rate_limited, ok"' ''
mcp_lie 'these are no words to simulate: no_such_word' '"words":"no_such_word"' ''

# A line that can't be looked at as a whole fails the file.
for text in '{}' '{"row":1' "$(line 200 "$one}],\"tries\":1")" "$(line 200 "$one}]" '"polcy":"x",')" "$(line 200 "$one}]" '"row":1,')"; do
    printf '%s\n' "$text" >"$work/lie.jsonl"
    if ! "$B/tests/run/test_field" "$work/lie.jsonl" >"$work/out" 2>&1 && grep -q 'lie.jsonl:1: this is no case$' "$work/out"; then
        passed=$((passed + 1))
    else
        echo "lies: this is taken for a case: $text"
        failed=$((failed + 1))
    fi
done

echo "lies: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
