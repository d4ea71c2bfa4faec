#!/usr/bin/env bash
# A log of `recourse run` verifies; one whose writer was killed at any moment goes on, and has an attempt for each time that
# the tool was touched. KILLS (10) says how often; SEED (1), at which moments.
# Hundreds of moments: tests/unit/test_audit_kill.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
RECOURSE=$(realpath "${RECOURSE:-build/recourse}")
spec=$PWD/spec/lightspeed.policy.md
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

note() { # note STATUS NAME [DETAIL]
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'audit: FAILED: %s\n' "$2"
        [ -z "${3-}" ] || printf '%s\n' "$3" | sed 's/^/    /'
    fi
}

verify() { "$RECOURSE" audit verify --spec "$spec" "$@" 2>&1; }

cat >tool <<'END'
#!/bin/sh
echo "$RECOURSE_IDEMPOTENCY_KEY $RECOURSE_TRY" >>touched
if [ "$RECOURSE_TRY" = 1 ]; then
    echo "connection timeout, token hunter2" >&2
    exit 3
fi
cat
END
chmod +x tool
echo '{"tools":[{"name":"touch","command":["./tool"],"env":{"TOKEN":"${TOKEN}"}}]}' >tools.json
echo '[{"id":"c1","function":{"name":"touch","arguments":"{\"q\":\"hunter2\"}"}},
{"id":"c2","function":{"name":"touch","arguments":"{}"}},{"id":"c3","function":{"name":"hunter2","arguments":"{}"}}]' >calls.json
export TOKEN=hunter2
run() { "$RECOURSE" run --policy lightspeed --tools tools.json --audit log --disclosure disclosed "$@" calls.json; }

# ---- a run from start to end ----

run >out
note $? "run" "$(cat out)"
verdict=$(verify --require complete log)
note $? "a run that ended is complete" "$verdict"
[ "${verdict%%:*}" = complete ]
note $? "the verdict comes first" "$verdict"
for file in log disclosed; do
    ! grep -q hunter2 "$file"
    note $? "no secret is in the $file"
    [ "$(stat -c %a "$file")" = 600 ]
    note $? "the $file is private"
done
shown=$("$RECOURSE" audit show --call c1 log)
case $shown in
*"touch, id c1"*"try 1 ends: transient"*"waits 200 ms (short) [A2]"*"try 2 begins [B1]"*"reported as ok to model"*) true ;;
*) false ;;
esac
note $? "show tells a call's story" "$shown"
"$RECOURSE" audit show --call nobody log >out 2>&1
[ $? = 1 ] && grep -q "no call has the id or number 'nobody'" out
note $? "show says that there is no such call" "$(cat out)"
case $shown in
*" P1   ready: the tool is called"*" A2   "*"tried again"*" A1   ok: the model is told (ok)"*) true ;;
*) false ;;
esac
note $? "the texts of a built-in policy's rows stand below" "$shown"
"$RECOURSE" audit show --html -o log.html log >out 2>&1
[ $? = 0 ] && [ ! -s out ] && grep -q '"texts":' log.html && [ "$(stat -c %a log.html)" = 600 ]
note $? "show makes a page" "$(cat out)"
! grep -q hunter2 log.html
note $? "no secret is in the page"
for words in '--html --call c1 log' '-o x log' '' '--spec nothing.md log' 'nothing.log' '--html -o nowhere/x log'; do
    # shellcheck disable=SC2086 # words
    "$RECOURSE" audit show $words >out 2>&1
    [ $? = 1 ] && [ "$(wc -l <out)" = 1 ]
    note $? "show refuses: $words" "$(cat out)"
done
sed 's/^| short | 200ms/| short | 300ms/; /^## Examples/,$d' "$spec" >own.policy.md
sed -i 's/^# lightspeed/# own/' own.policy.md
"$RECOURSE" run --policy ./own.policy.md --tools tools.json --audit own.log calls.json >out 2>/dev/null
! "$RECOURSE" audit show own.log | grep -q ' A2   ' && "$RECOURSE" audit show --spec own.policy.md own.log | grep -q ' A2   .*300 ms'
note $? "of another policy they are known by --spec" "$("$RECOURSE" audit show --spec own.policy.md own.log 2>&1)"
rm -f touched
head -n 5 own.log >first.log
tail -n +6 own.log >second.log
"$RECOURSE" audit show first.log second.log >out 2>&1
[ $? = 1 ] && grep -q 'second.log, line 1: ' out
note $? "a file that is not the next one is refused" "$(cat out)"

# ---- anchored ----

"$RECOURSE" audit anchor log >anchor
note $? "a log is anchored" "$(cat anchor)"
verdict=$(verify --anchor anchor --require anchored log)
[ $? = 0 ] && case $verdict in anchored:*"anchored up to record $(wc -l <log)"*) true ;; *) false ;; esac
note $? "the log and its anchor go together" "$verdict"
head -n 3 log >cut
verdict=$(verify --anchor anchor cut)
[ $? = 1 ] && case $verdict in broken:*"it was cut"*) true ;; *) false ;; esac
note $? "an anchor tells that the log was cut" "$verdict"
verify --anchor calls.json log >out
[ $? = 1 ] && grep -q 'calls.json: the anchor can.t be read' out
note $? "what is no anchor is refused" "$(cat out)"

# ---- another policy, and changed logs ----

sed -e 's/^| short | 200ms/| short | 300ms/' -e '/^## Examples/,$d' "$spec" >lightspeed.policy.md
verdict=$("$RECOURSE" audit verify --spec lightspeed.policy.md log 2>&1)
[ $? = 1 ] && case $verdict in intact:*"wait_min: expected 300, recorded 200"*"another version of lightspeed"*) true ;; *) false ;; esac
note $? "another version of the policy is found out, with the first decision that differs" "$verdict"
verdict=$("$RECOURSE" audit verify log 2>&1)
[ $? = 1 ] && case $verdict in intact:*"calls were not judged: give --spec with the file of lightspeed"*) true ;; *) false ;; esac
note $? "without the policy it is intact, and no more" "$verdict"
sed '5s/"try":1/"try":2/' log >changed
verdict=$(verify --require intact changed)
[ $? = 1 ] && case $verdict in broken:*"changed, line 5: its hash"*) true ;; *) false ;; esac
note $? "a changed line breaks the chain" "$verdict"
: >nothing
verdict=$(verify nothing)
[ $? = 1 ] && [ "${verdict%%:*}" = empty ]
note $? "nothing is not a success" "$verdict"
verify --require excellent log >out
[ $? = 1 ] && grep -q "require wants" out
note $? "there is no such grade"
head -c 1000 log >damaged
printf 'x' >>damaged
tail -c +1002 log >>damaged
"$RECOURSE" run --policy lightspeed --tools tools.json --audit damaged calls.json >out 2>&1
[ $? = 1 ] && grep -q 'damaged, line .*nothing is appended to a damaged log' out
note $? "nothing is appended to a damaged log" "$(cat out)"

# ---- killed ----

rm -f log disclosed touched
: >touched
mkfifo tap
RANDOM=${SEED:-1}
bad=
killed=0

look() { # look NUMBER STATUS: at the log of a run that has ended so
    [ "$2" -gt 128 ] && killed=$((killed + 1))
    if [ -s log ] && ! tail -c 1 log | grep -q '^$'; then
        return # torn: the next run cuts it
    fi
    verify log >out || bad="$bad$1: $(cat out)
"
}

# With SIGKILL, as soon as so many lines are in the log; the last run to reach that many would write some more.
for i in $(seq "${KILLS:-10}"); do
    run >out 2>&1 # so that the last line is whole
    lines=$(($(wc -l <log) + 1 + RANDOM % 16))
    "$RECOURSE" run --policy lightspeed --tools tools.json --audit log --disclosure disclosed calls.json >out 2>&1 &
    pid=$!
    tail -n +1 -f log 2>/dev/null >tap &
    tail=$!
    timeout 60 head -n "$lines" <tap >/dev/null
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    status=$?
    kill $tail 2>/dev/null
    wait $tail 2>/dev/null
    look "$i" $status
done
run >out 2>&1 || bad="$bad$(cat out)"
# A writer that was killed in the middle of a write leaves the beginning of a line.
for i in $(seq "${KILLS:-10}"); do
    line=$(tail -n 1 log)
    printf '%s' "${line:0:1 + RANDOM % ${#line}}" >>log
    run >out 2>&1 || bad="$bad$i, torn: $(cat out)
"
    look "$i, torn" 0
done
run >out 2>&1 || bad="$bad$(cat out)"
verify log >out || bad="$bad$(cat out)"
[ -z "$bad" ]
note $? "a killed run's log goes on, and verifies" "$bad"
[ "$killed" -ge $((${KILLS:-10} / 2)) ]
note $? "runs were killed" "$killed"
[ -s log.torn ]
note $? "lines were torn"
attempts=$("$RECOURSE" audit show log | grep -c ' try [0-9]* begins \[')
[ "$(sort -u touched | wc -l)" = "$(wc -l <touched)" ] && [ "$(wc -l <touched)" -le "$attempts" ]
note $? "each time that the tool was touched has its attempt" "$(wc -l <touched) touched, $attempts attempts"

# A limit on the size of files ends no run: what can't be written is taken back, counted, and told by the record `lost`.
bad=
short=0
for i in $(seq "${KILLS:-10}"); do
    size=$(($(stat -c %s limited 2>/dev/null || echo 1200) + 1 + RANDOM % 5000))
    prlimit --fsize=$size:$size "$RECOURSE" run --policy lightspeed --tools tools.json --audit limited calls.json >out 2>&1
    status=$?
    grep -qE 'records? could not be written|records lost: [1-9]' out && short=$((short + 1))
    { [ $status -le 1 ] && verify limited >verdict; } || bad="$bad$i, $size bytes: $status $(cat out verdict)
"
done
[ -z "$bad" ]
note $? "a log that may not grow stays whole, and the run goes on" "$bad"
[ "$short" -gt 0 ]
note $? "records were lost, and counted" "$short"

echo "audit: $passed passed, $failed failed"
[ $failed = 0 ]
