#!/usr/bin/env bash
# A server on the SDK's first version: stdio, and HTTP with answers as event streams and as JSON.
set -u
# shellcheck source=tests/interop/kit.sh
. tests/interop/kit.sh
peer=$MODULES/sdk1.mjs
listed='number structured blob count fail code plain_throw forget crash slow ask ask_aside'

for mode in http json; do
    start "$peer" $mode
    as_url ''
    # shellcheck disable=SC2086 # a list of names
    tools $mode $listed
    calls $mode sdk1 default
    calls "$mode, asked" ask_aside default
    [ $mode = json ] || calls "$mode, asked" ask default

    : >"$INTEROP_LOG"
    as_url ',"limit":1'
    calls "$mode, session lost" sdk1_lost pageindex
    log_has "$mode, session lost" 'POST initialize -' 2
    log_has "$mode, session lost" 'POST tools/call 2025-11-25' 4
    log_has "$mode, session lost" 'call count' 2

    as_url ',"timeout":"1s"'
    calls "$mode, late" slow default
    log_has "$mode, late" 'call slow'
    log_has "$mode, late" 'slow is aborted'

    as_url ''
    calls "$mode, crash" crash pageindex
    log_has "$mode, crash" 'call crash'
    stop
done

as_program '' "$peer" stdio
# shellcheck disable=SC2086
tools stdio $listed
calls stdio sdk1 default
calls 'stdio, asked' ask default
calls 'stdio, asked' ask_aside default

# A call in flight when the process dies may have acted; the next one finds a fresh process.
: >"$INTEROP_LOG"
as_program ',"limit":1' "$peer" stdio
calls 'stdio, crash' sdk1_crash pageindex
log_has 'stdio, crash' 'begins' 2
log_has 'stdio, crash' 'call crash'

as_program ',"timeout":"4s"' "$peer" stdio
calls 'stdio, late' slow default
log_has 'stdio, late' 'call slow'
log_has 'stdio, late' 'slow is aborted'
finish
