# What the tests against other people's servers share; sourced. Everything is on loopback: as root in a network namespace that has
# nothing else.
# shellcheck shell=bash disable=SC2034 # those who source it read the variables
B=${B:-build}
RECOURSE=$(realpath "${RECOURSE:-$B/recourse}")
MODULES=$(realpath "$B")/interop
NODE=$MODULES/node_modules/.bin/node
here=tests/interop
name=$(basename "$0" .sh)
name=interop_${name#test_}
passed=0
failed=0

if [ ! -e "$MODULES/installed" ]; then
    echo "$name: $MODULES has not what is tested against; run make interop-deps" >&2
    exit 1
fi
if [ -z "${INTEROP_ALONE:-}" ] && command -v ip >/dev/null && unshare -n true 2>/dev/null; then
    # shellcheck disable=SC2016 # for the inner shell
    INTEROP_ALONE=1 exec unshare -n bash -c 'ip link set lo up && exec "$0" "$@"' "$0" "$@"
fi

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
export INTEROP_LOG=$work/log HOME=$work
# The modules are found beside the servers.
cp $here/servers/*.mjs "$MODULES/"

# is WHAT ACTUAL EXPECTED
is() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s: %s\n  is:  %s\n  not: %s\n' "$name" "$1" "$2" "$3"
    fi
}

# use SERVER: the one server of the configuration, as JSON
use() { printf '{"mcpServers":{"peer":%s}}\n' "$1" >"$work/tools.json"; }
# as_program MORE WORD...: a server over stdio, MORE as `,"member":value`
as_program() {
    local more=$1 words=
    shift
    for word; do words="$words,\"$word\""; done
    use "{\"command\":\"$NODE\",\"args\":[${words#,}],\"env\":{\"INTEROP_LOG\":\"$INTEROP_LOG\"${variable:+,$variable}}$more}"
}
# as_url MORE: the server that `start` has started
as_url() { use "{\"url\":\"http://127.0.0.1:$port/mcp\"$1}"; }

# start WORD...: a server over HTTP, which prints its port in a line first; sets $port. `stop` ends it
start() {
    : >"$INTEROP_LOG"
    coproc served { exec "$NODE" "$@" 2>"$work/server.err"; }
    # shellcheck disable=SC2154 # coproc sets it
    server=$served_PID
    eval "exec 8<&${served[0]}-"
    while read -r port <&8 && [ "${port%[0-9]}" = "$port" ]; do :; done
    port=${port##* }
    [ -n "$port" ] || cat "$work/server.err"
    # What else it prints is not read, and must not stop it.
    cat <&8 >/dev/null &
    drain=$!
}
stop() {
    kill "$server" 2>/dev/null # a crash may have been first
    wait "$server" 2>/dev/null
    wait "$drain"
    exec 8<&-
    server=
}

# tools WHAT NAME...: exactly these are listed
tools() {
    local what=$1
    shift
    "$RECOURSE" tools --tools "$work/tools.json" >"$work/listed" 2>"$work/err" </dev/null
    is "$what: tools, exit status" "$?" 0
    is "$what: tools, stderr" "$(cat "$work/err")" ''
    is "$what: tools" "$(grep -v '^ ' "$work/listed" | sed 's/ .*//' | tr '\n' ' ')" "$* "
}

# calls WHAT TABLE POLICY: runs a table's calls at once; TABLE is one of cases/, or a path
calls() {
    local from=$here/cases/$2.txt p f
    [ "${2#/}" = "$2" ] || from=$2
    sed -e "s,@WORK@,$work,g" "$from" >"$work/table"
    "$NODE" $here/table.mjs calls "$work/table" >"$work/calls"
    rm -f "$work/report"
    "$RECOURSE" run --policy "$3" --tools "$work/tools.json" --report "$work/report" "$work/calls" >"$work/out" 2>"$work/err" </dev/null
    is "$1: exit status" "$?" 0
    is "$1: stderr" "$(cat "$work/err")" ''
    [ -e "$work/report" ] || echo '{"results":[]}' >"$work/report"
    "$NODE" $here/table.mjs check "$name, $1" "$work/table" "$work/report" >"$work/checked"
    sed '$d' "$work/checked"
    read -r p f < <(tail -n 1 "$work/checked")
    passed=$((passed + ${p:-0}))
    failed=$((failed + ${f:-1}))
}

# log_has WHAT LINE [TIMES]: in what the server has logged; a server may be a moment behind its client
log_has() {
    for _ in {1..50}; do
        [ "$(grep -cxF -- "$2" "$INTEROP_LOG")" -lt "${3:-1}" ] || break
        sleep 0.1
    done
    is "$1: the server's log: $2" "$(grep -cxF -- "$2" "$INTEROP_LOG")" "${3:-1}"
}

finish() {
    echo "$name: $passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
