#!/usr/bin/env bash
# Three hosts that talk to a model over HTTP, in three ways: what the model was asked, how often, and what the host holds
# when a policy tells it. Model and tools are one scripted server, so one log has the order of all. Builds nothing.
set -u
B=${B:-build}
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
        printf 'hosts: %s\n  is:  %s\n  not: %s\n' "$1" "$2" "$3"
    fi
}

# serve WHAT SCRIPT...: starts the server; `ask HOST` runs a host at it, and keeps the log
serve() {
    coproc server { exec "$B/mcp-server" --http "$@" 2>"$work/server"; }
    read -r port <&"${server[0]}"
}
stop() {
    curl -s "http://127.0.0.1:$port/_log" >"$work/log"
    eval "exec ${server[1]}>&-"
    # shellcheck disable=SC2154 # coproc sets it
    wait "$server_PID" 2>/dev/null
}
ask() {
    timeout 60 "$B/$1" "${model_url:-http://127.0.0.1:$port/model}" "http://127.0.0.1:$port/mcp" 'How many "pods"?' \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
    stop
    asked=$(grep -o '"path":"/model"' "$work/log" | wc -l)
    called=$(grep -o '"method":"tools/call"' "$work/log" | wc -l)
    leaked=$(grep '"path":"/model"' "$work/log" | grep -c 'out of quota\|no such key')
}

json="header='Content-Type: application/json'"
# replies of the three: two calls of tools, and an answer. The number is no double's.
declare -A calls answer
calls[host_chat]="200 $json body='{\"choices\":[{\"finish_reason\":\"tool_calls\",\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"find\",\"arguments\":\"{\\\\\"n\\\\\":9007199254740993}\"}}]}}]}'"
answer[host_chat]="200 $json body='{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\",\"content\":\"Three pods.\"}}]}'"
calls[host_stream]="200 header='Content-Type: text/event-stream' body='data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\\n\\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"find\",\"arguments\":\"\"}}]}}]}\\n\\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\\\"n\\\\\":90071\"}}]}}]}\\n\\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"99254740993}\"}}]}}]}\\n\\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\\n\\ndata: [DONE]\\n\\n'"
answer[host_stream]="200 header='Content-Type: text/event-stream' body='data: {\"choices\":[{\"delta\":{\"content\":\"Three\"}}]}\\n\\ndata: {\"choices\":[{\"delta\":{\"content\":\" pods.\"},\"finish_reason\":\"stop\"}]}\\n\\ndata: [DONE]\\n\\n'"
calls[host_messages]="200 $json body='{\"type\":\"message\",\"role\":\"assistant\",\"stop_reason\":\"tool_use\",\"content\":[{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"find\",\"input\":{\"n\":9007199254740993}}]}'"
answer[host_messages]="200 $json body='{\"type\":\"message\",\"role\":\"assistant\",\"stop_reason\":\"end_turn\",\"content\":[{\"type\":\"text\",\"text\":\"Three pods.\"}]}'"

for host in host_chat host_stream host_messages; do
    model="${calls[$host]} | ${answer[$host]}"

    serve /model "$model" find "text='three pods'"
    ask "$host"
    is "$host: answered" "$status $(cat "$work/out" "$work/err")" '0 "Three pods."'
    is "$host: the model was asked twice, the tool once" "$asked $called" '2 1'
    is "$host: the second time with the result" "$(grep '"path":"/model"' "$work/log" | grep -c 'three pods')" 1
    # the log is JSON, and so is the body in it, and so are the arguments in that
    is "$host: the number as it was written" "$(grep -o '9007199254740993' "$work/log" | wc -l)" 2
    is "$host: the tool's schema was told" "$(grep '"path":"/model"' "$work/log" | grep -c 'find')" 2

    serve /model "$model" find "429 header='retry-after-ms: 1' body='out of quota' times=4"
    ask "$host"
    is "$host: 429 four times" "$status $(cat "$work/out" "$work/err")" \
        "3 $host: the run failed: status 429 from find: out of quota"
    is "$host: 429: one request to the model, four to the tool" "$asked $called $leaked" '1 4 0'

    # in the middle: the first turn was fine
    serve /model "${calls[$host]} | ${calls[$host]} | ${answer[$host]}" find "text='three pods' | 401 body='no such key'"
    ask "$host"
    is "$host: 401 in the middle" "$status $(cat "$work/out" "$work/err")" \
        "3 $host: the run failed: status 401 from find: no such key"
    is "$host: 401: no third request to the model" "$asked $called $leaked" '2 2 0'

    serve /model "$model" @initialize "403 body='no such account'" find text=x
    ask "$host"
    is "$host: no session" "$status $(cat "$work/out" "$work/err")" \
        "3 $host: the run failed: status 403 from tools/list of server: no such account"
    is "$host: no session: the model was never asked" "$asked $called" '0 0'

    serve /model "$model" @tools/list "429 header='retry-after-ms: 1' body='out of quota' times=4" find text=x
    ask "$host"
    is "$host: no list" "$status $(cat "$work/out" "$work/err")" \
        "3 $host: the run failed: status 429 from tools/list of server: out of quota"
    is "$host: no list: the model was never asked" "$asked $called" '0 0'

    # what the model can mend it is told, and it answers
    serve /model "$model" find "is-error text='no such document'"
    ask "$host"
    is "$host: an error for the model" "$status $asked $called" '0 2 1'
    is "$host: the model was told" "$(grep '"path":"/model"' "$work/log" | grep -c 'no such document')" 1

    # the provider's own failure comes out by the same door
    serve /model "529 body='overloaded'" find text=x
    ask "$host"
    is "$host: the provider fails" "$status $(cat "$work/out" "$work/err")" \
        "3 $host: the run failed: status 529 from the model: overloaded"
    is "$host: the provider fails: it was asked once" "$asked $called" '1 0'
    serve /model "${calls[$host]} | 401 body='key expired'" find text=x
    ask "$host"
    is "$host: the provider fails later" "$status $asked $called $(cat "$work/err")" \
        "3 2 1 $host: the run failed: status 401 from the model: key expired"

    # nobody is there to have a status
    serve find text=x
    model_url=http://127.0.0.1:1/ ask "$host"
    is "$host: no provider" "$status $(grep -c "^$host: the run failed: the model: .*connect to " "$work/err")" '3 1'
    is "$host: no provider: no status" "$(grep -c 'status' "$work/err")" 0

    # a model that never comes to an end
    serve /model "${calls[$host]}" find "text='three pods'"
    ask "$host"
    is "$host: no end" "$status $asked $called $(cat "$work/err")" \
        "3 20 20 $host: the run failed: the model: it still calls tools after 20 turns"

    serve /model "200 body='<html>'" find text=x
    ask "$host"
    is "$host: no answer" "$status $(grep -c "^$host: " "$work/err") $called" "1 1 0"
done

echo "hosts: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
