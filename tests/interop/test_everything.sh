#!/usr/bin/env bash
# server-everything, on the SDK's first version: over stdio and streamable HTTP.
set -u
# shellcheck source=tests/interop/kit.sh
. tests/interop/kit.sh
peer=$MODULES/node_modules/@modelcontextprotocol/server-everything/dist/index.js
listed='echo get-annotated-message get-env get-resource-links get-resource-reference get-structured-content get-sum get-tiny-image gzip-file-as-resource toggle-simulated-logging toggle-subscriber-updates trigger-long-running-operation simulate-research-query'

everything() { # everything WHAT
    # shellcheck disable=SC2086 # a list of names
    tools "$1" $listed
    calls "$1" everything default
    calls "$1, 64 at once" "$work/many" default
}

for n in {1..64}; do
    printf 'get-sum {"a":%d,"b":1000}\n  ok [P1 A1] The sum of %d and 1000 is %d.\n' "$n" "$n" $((n + 1000))
done >"$work/many"

export INTEROP_PRINT_PORT=1
PORT=0 start -r ./$here/loopback.cjs "$peer" streamableHttp
as_url ''
everything http
as_url ',"timeout":"1s"'
calls 'http, late' late default
stop

as_program '' "$peer" stdio
everything stdio
as_program ',"timeout":"4s"' "$peer" stdio
calls 'stdio, late' late default
finish
