#!/usr/bin/env bash
# The conformance suite's scenarios for clients that call tools, each against a server of the suite's own. A warning fails one, too.
set -u
# shellcheck source=tests/interop/kit.sh
. tests/interop/kit.sh
export RECOURSE PATH=$MODULES/node_modules/.bin:$PATH NODE_OPTIONS="--require=$PWD/$here/loopback.cjs"

# scenarios VERSION NAME...
scenarios() {
    local version=$1
    shift
    for scenario; do
        if conformance client --command "node $here/conformance.mjs" --scenario "$scenario" --spec-version "$version" \
            --timeout 20000 -o "$work/results" >"$work/out" 2>&1; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "$name: $scenario of $version:"
            cat "$work/out"
        fi
    done
}

scenarios 2025-11-25 initialize tools_call sse-retry elicitation-sep1034-client-defaults
scenarios 2026-07-28 tools_call request-metadata http-standard-headers http-custom-headers http-invalid-tool-headers \
    sep-2322-client-request-state json-schema-ref-no-deref json-schema-2020-12-preservation
finish
