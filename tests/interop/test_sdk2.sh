#!/usr/bin/env bash
# A server on the SDK's second version, which speaks both eras, or the newer alone: stdio and HTTP.
set -u
# shellcheck source=tests/interop/kit.sh
. tests/interop/kit.sh
peer=$MODULES/sdk2.mjs
listed='add number count fail region list slow busy confirm'
answers=',"elicitation":"defaults"'

for eras in '' modern; do
    # shellcheck disable=SC2086 # nothing, or a word
    start "$peer" http $eras
    as_url "$answers"
    # shellcheck disable=SC2086 # a list of names
    tools "http $eras" $listed
    is "http $eras: no handshake" "$(grep -c initialize "$INTEROP_LOG")" 0
    calls "http $eras" sdk2 default
    log_has "http $eras" 'call number modern'
    calls "http $eras, headers" sdk2_http default
    as_url ',"timeout":"1s"'
    calls "http $eras, late" slow default
    log_has "http $eras, late" 'call slow modern'
    log_has "http $eras, late" 'slow is aborted'
    if [ -z "$eras" ]; then
        as_url "$answers,\"era\":\"legacy\""
        calls 'http, legacy' sdk2_legacy default
        log_has 'http, legacy' 'call number legacy'
    fi
    stop

    : >"$INTEROP_LOG"
    # shellcheck disable=SC2086
    as_program "$answers" "$peer" stdio $eras
    # shellcheck disable=SC2086
    tools "stdio $eras" $listed
    calls "stdio $eras" sdk2 default
    log_has "stdio $eras" 'call number modern'
    # shellcheck disable=SC2086
    as_program ',"timeout":"4s"' "$peer" stdio $eras
    calls "stdio $eras, late" slow default
    log_has "stdio $eras, late" 'call slow modern'
    log_has "stdio $eras, late" 'slow is aborted'
done
as_program "$answers,\"era\":\"legacy\"" "$peer" stdio
calls 'stdio, legacy' sdk2_legacy default
log_has 'stdio, legacy' 'call number legacy'
finish
