#!/usr/bin/env bash
# Programs that were changed, each in one place, are found out by their own logs: the command is built again with the changed
# source, runs real calls, and `recourse audit verify` of the command as it is says what is not the policy's.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
CC=${CC:-cc}
RECOURSE=$(realpath "${RECOURSE:-$B/recourse}")
work=$(mktemp -d) || exit 1
server=
trap 'exec 9>&-; [ -z "$server" ] || wait "$server"; rm -rf "$work"' EXIT
passed=0
failed=0
skipped=0

note() { # note STATUS NAME [DETAIL]
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'audit_changed: FAILED: %s\n' "$2"
        [ -z "${3-}" ] || printf '%s\n' "$3" | sed 's/^/    /'
    fi
}

mkfifo "$work/stdin" "$work/port"
"$B/faulty-server" /down "503 body='connection timeout'" /shut "401 body='bad key'" \
    <"$work/stdin" >"$work/port" &
server=$!
exec 9>"$work/stdin"
read -r port <"$work/port"

# changed NAME [FILE SED]...: $work/NAME, the command with these sources changed
changed() {
    local name=$1 objects=()
    shift
    while [ $# -gt 0 ]; do
        mkdir -p "$work/$name.d/$(dirname "$1")"
        sed -E "$2" "$1" >"$work/$name.d/$1"
        if cmp -s "$1" "$work/$name.d/$1"; then
            echo "audit_changed: $1 has nothing that '$2' would change" >&2
            return 1
        fi
        # shellcheck disable=SC2086 # words of options
        "$CC" -std=c11 -D_GNU_SOURCE -DRECOURSE_VERSION='"changed"' -O1 -pthread $SANITIZER -Iinclude -I. -I"$B" -I"$(dirname "$1")" \
            -c "$work/$name.d/$1" -o "$work/$name.${#objects[@]}.o" || return 1
        objects+=("$work/$name.${#objects[@]}.o")
        shift 2
    done
    # Objects come before archives: what they define is not looked for there.
    # shellcheck disable=SC2046,SC2086 # words of options
    "$CC" $SANITIZER "${objects[@]}" "$B/obj/src/cli/main.o" "$B/libcli.a" "$B/libgen.a" "$B/librecourse.a" -o "$work/$name" \
        $(pkg-config --libs libcjson libcurl libssl libcrypto) -pthread
}

# What the archives were built with, that has to be linked again.
SANITIZER=
if nm "$B/librecourse.a" 2>/dev/null | grep -q __asan_init; then
    SANITIZER='-fsanitize=address,undefined'
elif nm "$B/librecourse.a" 2>/dev/null | grep -q __tsan_init; then
    SANITIZER='-fsanitize=thread'
elif nm "$B/librecourse.a" 2>/dev/null | grep -q __gcov_; then
    SANITIZER='--coverage'
fi

# verdict COMMAND POLICY PATH: what verify says of one call of a tool that answers as PATH does
verdict() {
    rm -f "$work/log"
    printf '{"tools":[{"name":"tool","replay":"safe","http":{"url":"http://127.0.0.1:%s%s"}}]}' "$port" "$3" >"$work/tools.json"
    echo '[{"id":"c1","function":{"name":"tool","arguments":"{}"}}]' |
        "$1" run --policy "$2" --tools "$work/tools.json" --audit "$work/log" >"$work/out" 2>&1
    "$RECOURSE" audit verify --spec "spec/$2.policy.md" --require complete "$work/log"
}

# found NAME POLICY PATH EXPECTED: the program NAME is found out, by EXPECTED, where the one as it is conforms
found() {
    local text
    text=$(verdict "$RECOURSE" "$2" "$3")
    note $? "$1: the program as it is conforms" "$text"
    if [ ! -x "$work/$1" ]; then
        note 1 "$1: it can't be built"
        return
    fi
    text=$(verdict "$work/$1" "$2" "$3") && note 1 "$1: it is not found out" "$text"
    [[ $text == intact:*"$4"* ]]
    note $? "$1: it is found out" "$text
expected: $4"
}

changed early src/run/call.c 's/rcs_add_ms\(decision->wake_ms, /rcs_add_ms(input->now_ms + decision->wait_ms \/ 4, /' \
    src/core/call.c 's/step->input->now_ms < step->call\.wake_ms/step->call.wake_ms == 0/'
found early lightspeed /down "the wait was cut short: at: expected"
changed halved src/core/call.c 's/= rcs_wait_draw\((.*)\);/= rcs_wait_draw(\1) \/ 2;/'
found halved lightspeed /down "wait_ms: expected 200, recorded 100"
changed forgets src/run/result.c 's/\.reminder = decision->reminder == RECOURSE_REMINDER_YES/.reminder = false/'
found forgets lightspeed /down "reminded: expected true, recorded false"
changed spares src/run/result.c 's/result->reminder = decision->reminder;/result->reminder = RECOURSE_REMINDER_NO;/'
found spares lightspeed /down "reminder: expected yes, recorded no"
changed to_model src/run/result.c 's/result->tell = decision->tell;/result->tell = RECOURSE_TELL_MODEL;/'
found to_model default /shut "tell: expected host, recorded model"
changed patient src/core/wait.c 's/percent_of\(server_delay_ms, 100u/percent_of(server_delay_ms, 200u/;s/return clamps \?/return 1 + (clamps ?/;s/: drawn_ms;/: drawn_ms);/'
found patient lightspeed /down "wait_ms: expected 200, recorded 201"
changed other_fact src/core/classify.c 's/out->fact_row = i;/out->fact_row = 0;/'
found other_fact default /shut "fact_row: expected"

# One try more: the policy's tables with 4 tries, under the name and the digests of the one with 3.
sed -e 's/^| tries | 3 |$/| tries | 4 |/' -e '/^## Examples/,$d' spec/lightspeed.policy.md >"$work/lightspeed.policy.md"
mkdir "$work/more"
if "$B/policyc" "$work/lightspeed.policy.md" -o "$work/more" 2>"$work/out"; then
    awk 'FNR == 1 { file++ }
        /sha256 = / { copying = 1 }
        file == 1 && copying { digests = digests $0 "\n" }
        file == 2 && copying && !printed { printf "%s", digests; printed = 1 }
        file == 2 && !copying
        copying && /}/ { copying = 0 }' "$B/policies/lightspeed.c" "$work/more/lightspeed.c" >"$work/lightspeed.c"
    # shellcheck disable=SC2046,SC2086 # words of options
    "$CC" -std=c11 -O1 $SANITIZER -Iinclude -I"$work/more" -I. "$work/lightspeed.c" "$B/obj/src/cli/main.o" "$B/libcli.a" "$B/libgen.a" \
        "$B/librecourse.a" -o "$work/once_more" $(pkg-config --libs libcjson libcurl libssl libcrypto) -pthread
fi
if command -v ragel >/dev/null; then
    found once_more lightspeed /down "next: expected exhausted, recorded backoff"
else
    echo 'audit_changed: skipped, since ragel is not in PATH: one try more'
    skipped=1
fi

[ $skipped = 0 ] || skips=", $skipped skipped"
echo "audit_changed: $passed passed, $failed failed${skips-}"
[ $failed = 0 ]
