# shellcheck shell=bash disable=SC2154,SC2034,SC2086 # read by test_cli.sh
# `recourse run` against the faulty server. Nothing here sleeps: what has to be waited for is read from a pipe.

# Waits of a few milliseconds, and a failure that tells the host; examples would not come out, so they go.
quick() { # quick DIRECTORY DELAY
    mkdir "$work/$1"
    sed -e '/^## Examples$/,$d' -e "s/| 200ms x2 |/| $2 x2 |/" -e "s/| 1s x2 |/| $2 x2 |/" \
        -e 's/^| 3b | model .*/&\n| 4 | host | - | the run fails |/' \
        -e 's/^| F1 | .*/| F0 | http 401 | unauthorized | none |\n&/' \
        -e 's/^| A5 | .*/&\n| A8 | unauthorized | - | reported | - | 4 | - |/' \
        "$SPEC" >"$work/$1/lightspeed.policy.md"
}
quick quick 1ms
quick slow 1h
mkdir "$work/host"
sed 's/^| F0 | http 401 |/| F0 | http 401, network refused |/' "$work/quick/lightspeed.policy.md" \
    >"$work/host/lightspeed.policy.md"
quick_policy=$work/quick/lightspeed.policy.md
slow_policy=$work/slow/lightspeed.policy.md
quick_line() { grep -n "^| $1 |" "$quick_policy" | cut -d: -f1; }

mkfifo "$work/hold" "$work/port" "$work/log"
"${B:-build}/faulty-server" \
    /good "body='three pods'" \
    /mend "503 phrase='Gateway Timeout' | body='two pods'" \
    /busy "429 body='slow down'" \
    /bad "400 body='field name is missing'" \
    /shut "401 body='bad key'" \
    /long "fill=4000" \
    /huge "fill=300000" \
    /lines "body='first line\n\xe5\xb7\xa5\xe5\x85\xb7\xe5\x90\x8d\xe7\xa7\xb0 two\nthird'" \
    <"$work/hold" >"$work/port" &
exec 9>"$work/hold"
read -r port <"$work/port"
url=http://127.0.0.1:$port

tool() { printf '{"name":"%s","http":{"url":"%s"}}' "$1" "$url/$1"; }
cat >"$tools" <<EOT
{"tools":[$(tool good),$(tool mend),$(tool busy),$(tool bad),$(tool shut),$(tool long),$(tool huge),
{"name":"keyed","http":{"url":"$url/good","headers":{"X-Key":"Bearer \${RCS_CLI_KEY}"}}},
{"name":"gone","policy":"$work/host/lightspeed.policy.md","http":{"url":"http://127.0.0.1:1/"}},
{"name":"gone too","policy":"$work/host/lightspeed.policy.md","http":{"url":"http://127.0.0.1:1/"}},
{"name":"reset","http":{"url":"$url/_reset"}},
{"name":"proxied","http":{"url":"$url/good","proxy":"http://127.0.0.1:1"}},
{"name":"log","http":{"url":"$url/_log","method":"GET"}}]}
EOT
export RCS_CLI_KEY=s3cr3t
call() {
    local arguments=${3-}
    [ -n "$arguments" ] || arguments='{}'
    printf '{"id":"%s","type":"function","function":{"name":"%s","arguments":"%s"}}' "$1" "$2" "$arguments"
}
answer() { printf '{"role":"tool","tool_call_id":"%s","content":"%s"}' "$1" "$2"; }
steady() { sed -E 's/"duration_ms":[0-9]+/"duration_ms":0/g' "$1"; }
run="run --policy lightspeed --tools $tools"

in="[$(call c1 good)]"
try 0 $run
is stdout "$out" "[$(answer c1 'three pods')]"
is stderr "$err" ''
in="{\"role\":\"assistant\",\"tool_calls\":[$(call c1 good),$(call c2 bad)]}"
try 0 $run -
is stdout "$out" "[$(answer c1 'three pods'),$(answer c2 "Tool 'bad' execution failed after 1 attempt(s): field name is missing.")]"
printf '{"choices":[{"message":{"tool_calls":[%s]}}]}' "$(call c1 nosuch)" >"$work/calls.json"
try 0 $run "$work/calls.json"
has stdout "$out" '[{"role":"tool","tool_call_id":"c1","content":"Error: '
has stdout "$out" 'nosuch'
has stdout "$out" 'Do not retry this exact tool call."}]'
in='[]'
try 0 $run --report "$report"
is 'a new report is private' "$(stat -c %a "$report")" 600
is stdout "$out" '[]'
has report "$(cat "$report")" '"run":{"status":"answered","http_status":null,"tool":null,"text":null},"results":[],"budgets":[],"breakers":[]}'

# the report, whole
in="[$(call c1 mend)]"
try 0 run --policy "$quick_policy" --tools "$tools" --report "$report" --log
is stdout "$out" "[$(answer c1 'two pods')]"
is stderr "$err" "mend: try 1/3 begins [lightspeed P1, line $(quick_line P1)]
mend: transient on try 1/3, waits 1 ms [lightspeed A2, line $(quick_line A2)]: Gateway Timeout
mend: try 2/3 begins [lightspeed B1, line $(quick_line B1)]
mend: ok on try 2/3, reported as ok to model [lightspeed A1, line $(quick_line A1)]"
trail() { # trail TRY STATE EVENT ROW NEXT FAILURE EFFECT WAIT SCENARIO
    printf '{"try":%s,"state":"%s","event":"%s","row":"%s","line":%s,"next":"%s","failure":%s,"effect":%s,"wait_ms":%s,"scenario":%s}' \
        "$1" "$2" "$3" "$4" "$(quick_line "$4")" "$5" "$6" "$7" "$8" "$9"
}
is report "$(steady "$report" | sed -E 's/_sha256":"[0-9a-f]{64}"/_sha256":"-"/g')" \
    "{\"policy\":{\"name\":\"lightspeed\",\"file_sha256\":\"-\",\"behaviour_sha256\":\"-\"},\"run\":{\"status\":\"answered\",\"http_status\":null,\"tool\":null,\"text\":null},\"results\":[{\"call\":\"c1\",\"tool\":\"mend\",\"status\":\"success\",\"scenario\":\"ok\",\"reminder\":null,\"tell\":\"model\",\"reason\":null,\"tries\":2,\"row\":\"A1\",\"line\":$(quick_line A1),\"failure\":null,\"effect\":\"done\",\"http_status\":200,\"resumes\":0,\"rounds\":0,\"truncated\":false,\"duration_ms\":0,\"content\":\"two pods\",\"structured\":null,\"trail\":[$(trail 1 precondition ready P1 attempt null null null null),$(trail 1 attempt transient A2 backoff '"transient"' '"unknown"' 1 '"2"'),$(trail 2 backoff elapsed B1 attempt null null null null),$(trail 2 attempt ok A1 reported null '"done"' null '"ok"')]}],\"budgets\":[],\"breakers\":[]}"
has report "$(cat "$report")" "\"file_sha256\":\"$(sha256sum "$quick_policy" | cut -d' ' -f1)\""

# every try fails
in="[$(call c1 busy)]"
try 0 run --policy "$quick_policy" --tools "$tools" --report "$report" --log
is stdout "$out" "[$(answer c1 "Tool 'busy' execution failed after 3 attempt(s): slow down. Do not retry this exact tool call.")]"
is 'last line of the log' "$(tail -n 1 "$work/err")" "busy: rate_limited on try 3/3, tries spent, reported as 3b to model [lightspeed A3, line $(quick_line A3); E1, line $(quick_line E1)]: slow down"
has report "$(cat "$report")" '"status":"error","scenario":"3b","reminder":true,"tell":"model","reason":"tries spent","tries":3,"row":"E1",'
has report "$(cat "$report")" '"failure":"rate_limited","effect":"unknown","http_status":429,'

# counters
in="[$(call c1 mend),$(call c2 nosuch)]"
try 0 run --policy "$quick_policy" --tools "$tools" --metrics "$work/metrics"
digest=$(sha256sum "$quick_policy" | cut -c1-16)
has metrics "$(cat "$work/metrics")" 'recourse_calls_total{policy="lightspeed",digest="'"$digest"'",row="P2",event="unknown_tool",scenario="1",tell="model"} 1'
has metrics "$(cat "$work/metrics")" '# TYPE recourse_tries_total counter'
in="[$(call c1 good)]"
try 1 run --policy "$quick_policy" --tools "$tools" --metrics "$work/none/metrics"
has stderr "$err" "$work/none/metrics: the metrics can't be written"

# the host is told
in="[$(call c1 shut),$(call c2 nosuch)]"
try 3 run --policy "$quick_policy" --tools "$tools" --report "$report"
is stdout "$out" ''
has stderr "$err" 'recourse run: the run failed: shut answered 401: '
has stderr "$err" 'bad key'
has report "$(cat "$report")" '"run":{"status":"failed","http_status":401,"tool":"shut","text":"'
has report "$(cat "$report")" '{"call":"c1","tool":"shut","status":"error","scenario":"4","reminder":null,"tell":"host",'
has report "$(cat "$report")" '{"call":"c2","tool":"nosuch","status":"error",'

# ... although no answer came, and nothing has a status
in="[$(call c1 gone)]"
try 3 $run
is stdout "$out" ''
has stderr "$err" 'recourse run: the run failed: gone: '
printf '{"tools":[{"name":"a","http":{"url":"http://"}}]}' >"$work/wrong.json"
in="[$(call c1 a)]"
try 1 run --policy lightspeed --tools "$work/wrong.json"
has stderr "$err" "recourse run: $work/wrong.json: tool 'a' "
is stdout "$out" ''
try 1 run --policy lightsped --tools "$tools"
says "recourse run: there is no built-in policy 'lightsped': did you mean 'lightspeed'?"

# tools that are commands
cat >"$work/commands.json" <<'EOT'
{"tools":[{"name":"echo","command":["cat"]},
{"name":"whoami","command":["sh","-c","printf '%s in %s, try %s' \"$WHO\" \"$PWD\" \"$RECOURSE_TRY\""],"env":{"WHO":"the ${RCS_CLI_KEY}"},"cwd":"/"},
{"name":"again","command":["sh","-c","[ $RECOURSE_TRY = 2 ] && exec echo mended; echo 'temporary trouble' >&2; exit 75"]},
{"name":"wrong","command":["sh","-c","echo 'field name is missing' >&2; exit 2"]},
{"name":"killed","command":["sh","-c","kill -KILL $$"]},
{"name":"gone","command":["/no/such/program"]},
{"name":"late","command":["sh","-c","exec sleep 1000"],"timeout":"20ms"},
{"name":"endless","command":["yes"]},
{"name":"colours","command":["printf","good \\033[24D\\033[Kevil"]}]}
EOT
commands="run --policy $quick_policy --tools $work/commands.json --report $report"
in="[$(call c1 echo '{\"n\":9007199254740993}'),$(call c2 whoami),$(call c3 again),$(call c4 wrong),$(call c5 killed)]"
try 0 $commands --log
is stdout "$out" "[$(answer c1 '{\"n\":9007199254740993}'),$(answer c2 'the s3cr3t in /, try 1'),$(answer c3 'mended\n'),$(answer c4 "Tool 'wrong' execution failed after 1 attempt(s): field name is missing."),$(answer c5 "Tool 'killed' execution failed after 1 attempt(s): ended by signal 9.")]"
has 'log' "$err" "again: transient on try 1/3, waits 1 ms [lightspeed A2, line $(quick_line A2)]: temporary trouble"
has report "$(cat "$report")" '"content":"{\"n\":9007199254740993}","structured":{"n":9007199254740993},'
in="[$(call c1 gone),$(call c2 late),$(call c3 endless),$(call c4 colours)]"
try 0 $commands
has stdout "$out" "$(answer c1 "Tool 'gone' execution failed after 3 attempt(s): can't start /no/such/program: No such file or directory. Do not retry this exact tool call.")"
has stdout "$out" "$(answer c2 "Tool 'late' execution failed after 3 attempt(s): timed out. Do not retry this exact tool call.")"
has stdout "$out" "$(answer c3 "Tool 'endless' execution failed after 1 attempt(s): the output is too large.")"
case $out in *$'\033'* | *'u001b'*) note 1 "$what: what a terminal would obey" "$out" ;; *) note 0 '' ;; esac
has report "$(cat "$report")" '{"call":"c1","tool":"gone","status":"error","scenario":"3b","reminder":true,"tell":"model","reason":"tries spent","tries":3,'

# ... and a signal while one of them runs
mkfifo "$work/begun"
cat >"$work/commands.json" <<EOT
{"tools":[{"name":"stays","command":["sh","-c","trap 'echo ended >$work/ended; exit' TERM; echo >$work/begun; while :; do :; done"]}]}
EOT
printf '[%s]' "$(call c1 stays)" >"$work/calls.json"
what='run of a command, and SIGTERM'
"$RECOURSE" $commands "$work/calls.json" >"$work/out" 2>/dev/null &
pid=$!
read -r _ <"$work/begun"
kill -s TERM "$pid"
wait "$pid"
is 'exit status' "$?" 4
is stdout "$(cat "$work/out")" "[$(answer c1 "Tool 'stays' execution failed after 1 attempt(s): cancelled before the tool had answered. Do not retry this exact tool call.")]"
is 'what the command made of it' "$(cat "$work/ended")" ended

# a third signal ends it at once, and leaves nothing behind that doesn't listen
mkfifo "$work/deaf"
for begun in tool server; do
    script="trap '' TERM INT; exec 5>$work/deaf; echo >&5; (while :; do :; done) & while :; do :; done"
    case $begun in
    tool) printf '{"tools":[{"name":"stays","command":["bash","-c","%s"]}]}' "$script" >"$work/commands.json" ;;
    server) printf '{"mcpServers":{"s":{"command":"bash","args":["-c","%s"]}}}' "$script" >"$work/commands.json" ;;
    esac
    what="run with a deaf $begun, and three signals"
    "$RECOURSE" run --policy "$quick_policy" --tools "$work/commands.json" "$work/calls.json" >"$work/out" 2>/dev/null &
    pid=$!
    exec 8<"$work/deaf"
    read -r _ <&8
    while kill -s INT "$pid" 2>/dev/null; do :; done
    wait "$pid"
    is 'exit status' "$?" 130
    cat <&8 # until all of them have gone
done
what='tools with a deaf server, and a signal'
"$RECOURSE" tools --tools "$work/commands.json" >"$work/out" 2>/dev/null &
pid=$!
exec 8<"$work/deaf"
read -r _ <&8
kill -s TERM "$pid"
wait "$pid"
is 'exit status' "$?" 143
cat <&8
exec 8<&-

# nobody reads what comes of it: what runs is cancelled, and nothing more is begun
printf '[%s,%s,%s]' "$(call c1 once '{\"n\":1}')" "$(call c2 once '{\"n\":2}')" "$(call c3 once '{\"n\":3}')" >"$work/calls.json"
for way in '' --stream; do
    : >"$work/ran"
    what="run $way without a reader"
    cat >"$work/commands.json" <<EOT
{"tools":[{"name":"once","limit":1,"command":["sh","-c","cat >>$work/ran; echo >$work/begun; exec 1>&-; while :; do :; done"]}]}
EOT
    mkfifo "$work/reader"
    # shellcheck disable=SC2086 # no word, or one
    "$RECOURSE" $commands $way "$work/calls.json" >"$work/reader" 2>"$work/err" &
    pid=$!
    exec 7<"$work/reader"
    read -r _ <"$work/begun"
    exec 7<&-
    wait "$pid"
    is 'exit status' "$?" 1
    is stderr "$(cat "$work/err")" "recourse run: standard output can't be written, so nothing more is run: Broken pipe"
    is 'what was run' "$(cat "$work/ran")" '{"n":1}'
    has report "$(cat "$report")" '"run":{"status":"cancelled",'
    rm "$work/reader"
done
what='run --stream into a full device'
: >"$work/ran"
cat >"$work/commands.json" <<EOT
{"tools":[{"name":"once","limit":1,"command":["tee","-a","$work/ran"]}]}
EOT
"$RECOURSE" $commands --stream "$work/calls.json" >/dev/full 2>"$work/err"
is 'exit status' "$?" 1
is stderr "$(cat "$work/err")" "recourse run: standard output can't be written, so nothing more is run: No space left on device"
# The second takes the place that the first leaves before the first's result is written: it may have begun.
case $(cat "$work/ran") in *'{"n":3}'*) third=run ;; *) third='not run' ;; esac
is 'the third call' "$third" 'not run'

# one result a line
in="[$(call c1 good),$(call c2 good '{\"n\":1}')]"
try 0 $run --stream
is stdout "$(sort "$work/out")" "$(answer c1 'three pods')
$(answer c2 'three pods')"

# a budget of 100 tokens is 400 characters
in="[$(call c1 long)]"
try 0 $run --budget 100 --report "$report"
has report "$(cat "$report")" '"truncated":true,'
[ "$(wc -c <"$work/out")" -lt 700 ]
note $? "$what: the result is cut" "$out"

# variables reach the server, and nothing else
in="[$(call c1 keyed)]"
try 0 $run --log --report "$report"
case "$out$err$(cat "$report")" in *s3cr3t*) note 1 "$what: the secret is shown" ;; *) note 0 '' ;; esac
in="[$(call c1 log)]"
try 0 $run
has stdout "$out" 'Bearer s3cr3t'

# a proxy is used where one is configured: nobody listens at this one
in="[$(call c1 proxied)]"
try 0 run --policy "$quick_policy" --tools "$tools" --report "$report"
has report "$(cat "$report")" '"status":"error","scenario":"3b","reminder":true,"tell":"model","reason":"tries spent","tries":3,'
has report "$(cat "$report")" '"failure":"transient"'

# a deadline that ends before the wait would
in="[$(call c1 busy)]"
try 0 run --policy "$slow_policy" --tools "$tools" --deadline 1m --report "$report"
has report "$(cat "$report")" '"scenario":"3b","reminder":true,"tell":"model","reason":"out of time","tries":1,"row":"E1",'

# a signal during a wait
for signal in TERM INT; do
    printf '[%s,%s]' "$(call c1 busy)" "$(call c2 good)" >"$work/calls.json"
    rm -f "$report"
    "$RECOURSE" run --policy "$slow_policy" --tools "$tools" --report "$report" --log "$work/calls.json" \
        >"$work/out" 2>"$work/log" &
    pid=$!
    what="run and SIG$signal"
    exec 8<"$work/log"
    answered=
    waits=
    while [ -z "$waits" ] || [ -z "$answered" ]; do
        IFS= read -r line <&8 || break
        case $line in
        *'waits 60 min'*) waits=1 ;;
        'good: ok'*) answered=1 ;;
        esac
    done
    kill -s "$signal" "$pid"
    rest=$(cat <&8)
    exec 8<&-
    wait "$pid"
    is 'exit status' "$?" 4
    has 'log' "$rest" 'busy: cancelled'
    has 'log' "$rest" 'recourse run: cancelled'
    has stdout "$(cat "$work/out")" "[{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"Tool 'busy' execution failed after 1 attempt(s): "
    has stdout "$(cat "$work/out")" "$(answer c2 'three pods')]"
    has report "$(cat "$report")" '"run":{"status":"cancelled",'
    has report "$(cat "$report")" '"row":"B2",'
done

# more signals, while the results go nowhere: nobody reads them, and they are more than a pipe holds
mkfifo "$work/unread"
printf '[%s,%s]' "$(call c1 busy)" "$(call c2 huge)" >"$work/calls.json"
what='run and two signals'
"$RECOURSE" run --policy "$slow_policy" --tools "$tools" --log "$work/calls.json" >"$work/unread" 2>"$work/log" &
pid=$!
exec 7<"$work/unread" 8<"$work/log"
answered=
waits=
cancelled=
while [ -z "$cancelled" ] && IFS= read -r line <&8; do
    case $line in
    *'waits 60 min'*) waits=1 ;;
    'huge: ok'*) answered=1 ;;
    'busy: cancelled'*) cancelled=1 ;;
    esac
    [ "$waits$answered$cancelled" != 11 ] || kill -s TERM "$pid"
done
kill -s TERM "$pid"
while kill -s TERM "$pid" 2>/dev/null; do :; done
wait "$pid"
is 'exit status' "$?" 143
exec 7<&- 8<&-

# on a terminal
if command -v script >/dev/null 2>&1; then
    printf '[%s]' "$(call c1 mend)" >"$work/calls.json"
    in="[$(call c1 reset)]"
    try 0 $run
    what='run on a terminal'
    TERM=xterm script -qec "'$RECOURSE' run --policy '$quick_policy' --tools '$tools' '$work/calls.json' >'$work/out'" \
        "$work/typescript" >/dev/null </dev/null
    is 'exit status' "$?" 0
    screen=$(cat "$work/typescript")
    has screen "$screen" "mend  "
    has screen "$screen" $'\033[K'
    has screen "$screen" $'\033[1A\033[J'
    has screen "$screen" '1 call: 1 answered, 0 in error'
    is stdout "$(cat "$work/out")" "[$(answer c1 'two pods')]"
    TERM=dumb script -qec "'$RECOURSE' $run '$work/calls.json' >'$work/out'" "$work/typescript" >/dev/null </dev/null
    is 'screen of a dumb terminal' "$(grep -v '^Script ' "$work/typescript" | tr -d '\r\n')" ''
    what='check on a terminal'
    TERM=xterm script -qec "'$RECOURSE' check '$SPEC'" "$work/typescript" >/dev/null </dev/null
    has screen "$(cat "$work/typescript")" $'\033[36mnotice[replays]\033[0m: '
    NO_COLOR=1 TERM=xterm script -qec "'$RECOURSE' check '$SPEC'" "$work/typescript" >/dev/null </dev/null
    has screen "$(cat "$work/typescript")" ': notice[replays]: '
fi

# a report that can't be written after all is said, and is no answer
in="[$(call c1 good)]"
try 1 $run --report /dev/full
has stderr "$err" "recourse run: /dev/full: the report can't be written: No space left on device"

# nor is a log or a disclosure that can't be; a limit of size is no other than a full disk
limited() { # limited BLOCKS WORD...
    (
        ulimit -f "$1"
        shift
        exec "$RECOURSE" $run "$@"
    ) >"$work/out" 2>"$work/err"
}
printf '%s' "[$(call c1 good),$(call c2 good)]" >"$work/two.json"
what='a log that may not grow'
limited 1 --audit "$work/full.log" "$work/two.json"
is 'exit status' $? 1
is stdout "$(cat "$work/out")" "[$(answer c1 'three pods'),$(answer c2 'three pods')]"
is 'lines that say how many are lost' \
    "$(grep -cE 'records lost: [1-9]|: [1-9][0-9]* records could not be written, and are lost' "$work/err")" 1
what='a disclosure that may not grow'
(umask 077 && head -c 8000 /dev/zero >"$work/disclosed")
limited 8 --audit "$work/small.log" --disclosure "$work/disclosed" "$work/two.json"
is 'exit status' $? 1
is stdout "$(cat "$work/out")" "[$(answer c1 'three pods'),$(answer c2 'three pods')]"
is stderr "$(cat "$work/err")" "recourse run: the disclosure can't be written to its end: File too large"

# one file for two things
for pair in '--report --metrics' '--audit --disclosure' '--report --audit'; do
    read -r one two <<<"$pair"
    try 1 $run $one "$work/one.file" $two "$work/quick/../one.file"
    says "recourse run: $work/one.file: $one and $two are one file: give each its own"
done
try 1 $run --report "$work/two.json" "$work/quick/../two.json"
says "recourse run: $work/two.json: --report and the file of the calls are one file: give each its own"
try 1 $run --metrics "$tools" "$work/two.json"
says "recourse run: $tools: --metrics and --tools are one file: give each its own"
