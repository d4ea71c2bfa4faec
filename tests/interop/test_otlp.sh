#!/usr/bin/env bash
# Spans and trace context against OpenTelemetry's own packages: the definitions of OTLP, the exporter, the propagator.
set -u
# shellcheck source=tests/interop/kit.sh
. tests/interop/kit.sh
peer=$MODULES/otlp.mjs
trace=4bf92f3577b34da6a3ce929d0e0e4736
parent=00f067aa0ba902b7

start "$peer"
cat >"$work/tools.json" <<END
{"tools":[{"name":"lookup","replay":"safe","http":{"url":"http://127.0.0.1:$port/lookup"}},
  {"name":"shell","command":["/bin/sh","-c","echo \$TRACEPARENT \$TRACESTATE >$work/shell"]}],
 "mcpServers":{"http":{"url":"http://127.0.0.1:$port/mcp","prefix":"http_"},
  "stdio":{"command":"$NODE","args":["$peer","stdio"],"prefix":"stdio_","env":{"INTEROP_LOG":"$INTEROP_LOG"}}}}
END
call() { printf '{"id":"%s","function":{"name":"%s","arguments":"{}"}}' "$1" "$2"; }
TRACEPARENT=00-$trace-$parent-01 TRACESTATE='vendor=a b, other=1' OTEL_SERVICE_NAME='Gürteltier "7"' \
    OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:$port \
    "$RECOURSE" run --policy default --tools "$work/tools.json" --otlp \
    <<<"[$(call c1 lookup),$(call c2 shell),$(call c3 http_where),$(call c4 stdio_where),$(call c5 nosuch)]" >"$work/out" 2>"$work/err"
is 'exit status' "$?" 0
is 'stderr' "$(cat "$work/err")" ''
sort "$INTEROP_LOG" >"$work/sorted"
is 'what was seen' "$(cat "$work/sorted")" "$(sort <<END
the same by the protocol's definitions
the same by the official exporter
lookup $trace 1 vendor=a b,other=1
lookup $trace 1 vendor=a b,other=1
mcp headers $trace 1 vendor=a b,other=1
mcp http $trace 1 vendor=a b,other=1
mcp stdio $trace 1 vendor=a b,other=1
span POST, kind 3, 2, of a call, told
span POST, kind 3, unset, of a call, told
span execute_tool lookup, kind 1, unset, $parent
span run sh, kind 3, unset, of a call
span execute_tool shell, kind 1, unset, $parent
span tools/call where, kind 3, unset, of a call, told
span execute_tool http_where, kind 1, unset, $parent
span tools/call where, kind 3, unset, of a call
span execute_tool stdio_where, kind 1, unset, $parent
span execute_tool, kind 1, 2, $parent
END
)"
is 'the command' "$(sed -E 's/-[0-9a-f]{16}-/-SPAN-/' "$work/shell")" "00-$trace-SPAN-01 vendor=a b,other=1"
stop
finish
