# shellcheck shell=bash disable=SC2154,SC2034,SC2086 # read by test_cli.sh, after run_cases.sh, whose server still runs
# `recourse run` in each dialect.

complains() { is stdout "$out" ''; is 'last line of stderr' "$(tail -n 1 "$work/err")" "recourse run: <stdin>: $1"; }

# a whole response in, the next request's part out, in the order of the calls
use() { printf '{"type":"tool_use","id":"%s","name":"%s","input":%s}' "$1" "$2" "$3"; }
failed_bad="Tool 'bad' execution failed after 1 attempt(s): field name is missing."
message() { printf '{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hm"},%s],"stop_reason":"%s","stop_sequence":null,"usage":{}}' "$1" "$2"; }
ok_block='{"type":"tool_result","tool_use_id":"t1","content":"three pods"}'
bad_block="{\"type\":\"tool_result\",\"tool_use_id\":\"t2\",\"content\":\"$failed_bad\",\"is_error\":true}"
in=$(message "$(use t1 good '{"n":9007199254740993}'),$(use t2 bad {})" tool_use)
try 0 $run
is stdout "$out" "{\"role\":\"user\",\"content\":[$ok_block,$bad_block]}"
in="[$(use t1 good {}),$(use t2 bad {})]"
try 0 $run --stream
is stdout "$(sort "$work/out")" "$(printf '%s\n' "$ok_block" "$bad_block" | sort)"
in="{\"role\":\"assistant\",\"content\":[$(use t3 log {})]}"
try 0 $run
has stdout "$out" '{\\\"n\\\":9007199254740993}' # the very bytes that came, in the server's JSON in ours
in=$(message "$(use t1 good {})" max_tokens)
try 0 $run --report "$report"
has stdout "$out" '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"'
has stdout "$out" '","is_error":true}]}'
has report "$(cat "$report")" '"tries":0,'
in='{"type":"message","role":"assistant","content":[{"type":"text","text":"hm"}],"stop_reason":"end_turn"}'
try 0 $run
is stdout "$out" '{"role":"user","content":[]}'
is stderr "$err" 'recourse run: <stdin>: Anthropic messages without a call: there is nothing to run, and nothing to send back'
item() { printf '{"type":"function_call","id":"fc","call_id":"%s","name":"%s","arguments":"{}","status":"completed"}' "$1" "$2"; }
in="{\"object\":\"response\",\"status\":\"completed\",\"output\":[{\"type\":\"reasoning\"},$(item r1 good),$(item r2 bad)]}"
try 0 $run
is stdout "$out" "[{\"type\":\"function_call_output\",\"call_id\":\"r1\",\"output\":\"three pods\"},{\"type\":\"function_call_output\",\"call_id\":\"r2\",\"output\":\"$failed_bad\"}]"
in='{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"good","args":{}}},{"functionCall":{"id":"g2","name":"bad","args":{}}}]},"finishReason":"STOP"}]}'
try 0 $run
is stdout "$out" "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"good\",\"response\":{\"result\":\"three pods\"}}},{\"functionResponse\":{\"id\":\"g2\",\"name\":\"bad\",\"response\":{\"error\":\"$failed_bad\"}}}]}"
in="[$(call c1 good),$(use t1 good {})]"
try 1 $run
complains "the list mixes dialects: the entry at byte 1 is of OpenAI chat completions, the one at byte 75 of Anthropic messages"
in="{\"tool_calls\":[$(call c1 good)],\"content\":[$(use t1 good {})]}"
try 1 $run
complains "the reply at byte 0 could be of OpenAI chat completions or of Anthropic messages"

# MCP: requests in, responses out, each id of its own type
rpc() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":{"n":9007199254740993}}}' "$1" "$2"; }
in=$(rpc 7 good)
try 0 $run
is stdout "$out" '[{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"three pods"}]}}]'
in="[$(rpc '"7"' good),$(rpc 7 bad)]"
try 0 $run
is stdout "$out" "[{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"three pods\"}]}},{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$failed_bad\"}],\"isError\":true}}]"
