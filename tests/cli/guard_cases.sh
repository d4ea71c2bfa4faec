# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2016 # read by test_cli.sh, after run_cases.sh
# What keeps a run within bounds: approval, limits, the loop guard, how much a model reads, and secrets.

guarded=$work/guarded.json
cat >"$guarded" <<EOT
{"tools":[{"name":"pay","approval":"always","http":{"url":"$url/good"}},
{"name":"look","approval":"annotation","read_only":true,"http":{"url":"$url/good"}},
{"name":"touch","approval":"annotation","http":{"url":"$url/good"}},
{"name":"bad","limit":1,"server":"crm","http":{"url":"$url/bad"}},
{"name":"long","server":"crm","http":{"url":"$url/long"}},
{"name":"lines","http":{"url":"$url/lines"}}]}
EOT
run="run --policy lightspeed --tools $guarded"
refusal() { answer "$1" "Error: the call needs approval, and $2. Do not retry this exact tool call."; }

# ---- approval ----

in="[$(call c1 pay),$(call c2 look),$(call c3 touch)]"
try 0 $run --approve yes
is stdout "$out" "[$(answer c1 'three pods'),$(answer c2 'three pods'),$(answer c3 'three pods')]"
in="[$(call c1 pay),$(call c2 look),$(call c3 touch)]"
no='--approve no refuses it (yes allows it, ask asks)'
try 0 $run --approve no --log
is stdout "$out" "[$(refusal c1 "$no"),$(answer c2 'three pods'),$(refusal c3 "$no")]"
has stderr "$err" "pay: refused, reported as 1 to model [lightspeed P4, line "
has stderr "$err" "]: the call needs approval, and $no"
try 1 $run --approve maybe
says "recourse run: --approve wants ask, yes or no, not 'maybe'"

# without a terminal
what='run without a terminal'
none='there is no terminal to ask on (--approve yes allows it)'
printf '[%s,%s]' "$(call c1 pay)" "$(call c2 look)" >"$work/calls.json"
setsid -w "$RECOURSE" $run "$work/calls.json" >"$work/out" 2>"$work/err" </dev/null
is 'exit status' "$?" 0
is stdout "$(cat "$work/out")" "[$(refusal c1 "$none"),$(answer c2 'three pods')]"
setsid -w "$RECOURSE" $run --approve ask "$work/calls.json" >"$work/out" 2>"$work/err" </dev/null
is 'exit status' "$?" 1
has stderr "$(cat "$work/err")" 'recourse run: --approve ask: there is no terminal to ask on: /dev/tty: '
is stdout "$(cat "$work/out")" ''

# on a terminal: the question is read before it is answered, and other calls go on
if command -v script >/dev/null 2>&1; then
    mkfifo "$work/keys" "$work/screen"
    printf '[%s,%s,%s]' "$(call c1 pay '{\"to\":\"a\\u001b[2Jb\"}')" "$(call c2 touch)" "$(call c3 look)" \
        >"$work/calls.json"
    what='run and two questions'
    TERM=xterm script -qefc "'$RECOURSE' $run '$work/calls.json' >'$work/out'" /dev/null \
        <"$work/keys" >"$work/screen" &
    pid=$!
    exec 7>"$work/keys" 8<"$work/screen"
    IFS= read -r -d '?' screen <&8
    has screen "$screen" 'recourse: run pay {"to":"a\u001b[2Jb"}'
    IFS= read -r -d ']' screen <&8
    printf 'y\n' >&7
    IFS= read -r -d '?' screen <&8
    has screen "$screen" 'recourse: run touch {}'
    IFS= read -r -d ']' screen <&8
    printf '\n' >&7
    exec 7>&-
    cat <&8 >/dev/null
    exec 8<&-
    wait "$pid"
    is 'exit status' "$?" 0
    is stdout "$(cat "$work/out")" "[$(answer c1 'three pods'),$(answer c2 'Error: the call was refused. Do not retry this exact tool call.'),$(answer c3 'three pods')]"
fi

# ---- limits ----

printf '{"tools":[{"name":"a","server":"s","limit":1,"http":{"url":"http://h/"}},{"name":"b","server":"s","limit":2,"http":{"url":"http://h/"}}]}' >"$work/wrong.json"
in="[$(call c1 a)]"
try 1 run --policy lightspeed --tools "$work/wrong.json"
says "recourse run: $work/wrong.json: tool 'b': server 's' has the limit 1 already, not 2: its tools share one"

# ---- the loop guard: of five calls that are the same, tried one by one, two fail and three are not made ----

changed() { # changed DIRECTORY SETTING VALUE: the policy with another setting
    mkdir -p "$work/$1"
    sed -e "s/^| $2 | .*/| $2 | $3 |/" "$SPEC" >"$work/$1/lightspeed.policy.md"
    policy=$work/$1/lightspeed.policy.md
}
changed repeats 'repeated failures' 2
sed -i 's/^| P4 | refused, /&repeated_failure, /' "$policy"
in="[$(call c1 bad '{\"a\":1,\"b\":2}'),$(call c2 bad '{\"b\":2, \"a\":1}'),$(call c3 bad '{\"a\":1,\"b\":2}'),$(call c4 bad '{\"a\":2}')]"
try 0 run --policy "$policy" --tools "$guarded" --report "$report"
failed_once="Tool 'bad' execution failed after 1 attempt(s): field name is missing."
is stdout "$out" "[$(answer c1 "$failed_once"),$(answer c2 "$failed_once"),$(answer c3 'Error: this call has failed 2 times with the same arguments: change them, or go on without it. Do not retry this exact tool call.'),$(answer c4 "$failed_once")]"
has report "$(cat "$report")" '{"call":"c3","tool":"bad","status":"error","scenario":"1","reminder":true,"tell":"model","reason":null,"tries":0,'

# ---- how much a model reads ----

x() { head -c "$1" /dev/zero | tr '\0' x; }
notice() { printf '\\n[truncated: %s of %s characters shown]' "$1" "$2"; }
changed hundred output '100 characters'
in="[$(call c1 long)]"
try 0 run --policy "$policy" --tools "$guarded" --report "$report"
is stdout "$out" "[$(answer c1 "$(x 100)$(notice 100 4000)")]"
has report "$(cat "$report")" '"truncated":true,'
changed fifty output '50 tokens'
in="[$(call c1 long)]"
try 0 run --policy "$policy" --tools "$guarded"
is stdout "$out" "[$(answer c1 "$(x 200)$(notice 200 4000)")]"
# the smaller one counts: a budget of 60 tokens for two calls is 120 characters each
in="[$(call c1 long),$(call c2 long)]"
try 0 run --policy "$policy" --tools "$guarded" --budget 60
is stdout "$out" "[$(answer c1 "$(x 120)$(notice 120 4000)"),$(answer c2 "$(x 120)$(notice 120 4000)")]"
# a token at least for each call
in="[$(call c1 long),$(call c2 long),$(call c3 bad)]"
try 0 $run --budget 2
is stdout "$out" "[$(answer c1 "$(x 4)$(notice 4 4000)"),$(answer c2 "$(x 4)$(notice 4 4000)"),$(answer c3 "$failed_once")]"
# at a line break, and between characters
in="[$(call c1 lines)]"
try 0 $run --budget 4
is stdout "$out" "[$(answer c1 "first line$(notice 10 25)")]"
in="[$(call c1 lines)]"
try 0 $run --budget 1
is stdout "$out" "[$(answer c1 "firs$(notice 4 25)")]"
in="[$(call c1 lines)]"
try 0 $run --budget 6
is stdout "$out" "[$(answer c1 $'first line\\n\xe5\xb7\xa5\xe5\x85\xb7\xe5\x90\x8d\xe7\xa7\xb0 two'"$(notice 19 25)")]"
in="[$(call c1 lines)]"
try 0 $run --budget 7
is stdout "$out" "[$(answer c1 $'first line\\n\xe5\xb7\xa5\xe5\x85\xb7\xe5\x90\x8d\xe7\xa7\xb0 two\\nthird')]"

# ---- secrets: what a variable holds is in nothing that is written, whatever goes wrong ----

export RCS_CLI_SECRET=pl4nted
secrets=$work/secrets.json
header='"headers":{"Authorization":"Bearer ${RCS_CLI_SECRET}"}'
cat >"$secrets" <<EOT
{"tools":[{"name":"works","http":{"url":"$url/good",$header}},
{"name":"fails","http":{"url":"$url/shut",$header}},
{"name":"fails more","http":{"url":"$url/busy",$header}},
{"name":"gets","http":{"url":"$url/bad","method":"GET",$header}},
{"name":"refused","http":{"url":"http://127.0.0.1:1/",$header}},
{"name":"no such host","http":{"url":"http://$(printf %064d 0).invalid/",$header}},
{"name":"no TLS","http":{"url":"https://127.0.0.1:$port/","connect_timeout":"100ms",$header}},
{"name":"no proxy","http":{"url":"$url/good","proxy":"http://u:\${RCS_CLI_SECRET}@127.0.0.1:99999",$header}},
{"name":"odd proxy","http":{"url":"$url/good","proxy":"http://u:\${RCS_CLI_SECRET}@[::1",$header}},
{"name":"shut proxy","http":{"url":"$url/good","proxy":"http://u:\${RCS_CLI_SECRET}@127.0.0.1:1",$header}},
{"name":"command","command":["sh","-c","exit 3"],"env":{"KEY":"\${RCS_CLI_SECRET}"}},
{"name":"no command","command":["$work/nosuch"],"env":{"KEY":"\${RCS_CLI_SECRET}"}},
{"name":"\${RCS_CLI_SECRET}","description":"\${RCS_CLI_SECRET}","http":{"url":"$url/good",$header}}]}
EOT
printf '[' >"$work/calls.json"
for name in works fails 'fails more' gets refused 'no such host' 'no TLS' 'no proxy' 'odd proxy' 'shut proxy' command 'no command' \
    '${RCS_CLI_SECRET}'; do
    printf '%s,' "$(call "of $name" "$name")" >>"$work/calls.json"
done
printf '%s]' "$(call last nosuch)" >>"$work/calls.json"
hides() { # hides FILE...
    ! grep -q -a pl4nted "$@"
    note $? "$what: the secret is shown" "$(grep -a pl4nted "$@")"
}
sed '/^| 4 | host/d; /^| A8 |/d; /^| F0 |/d' "$quick_policy" >"$work/repeats/lightspeed.policy.md"
policy=$work/repeats/lightspeed.policy.md
try 0 run --policy "$policy" --tools "$secrets" --log --report "$report" "$work/calls.json"
hides "$work/out" "$work/err" "$report"
has report "$(cat "$report")" '"call":"of works","tool":"works","status":"success"'
is 'calls in error' "$(grep -o '"status":"error"' "$report" | wc -l)" 12
try 0 run --policy "$policy" --tools "$secrets" --stream "$work/calls.json"
hides "$work/out" "$work/err"
try 3 run --policy "$quick_policy" --tools "$secrets" --log --report "$report" "$work/calls.json"
hides "$work/out" "$work/err" "$report"
if command -v script >/dev/null 2>&1; then
    what='run with secrets on a terminal'
    TERM=xterm script -qec "'$RECOURSE' run --policy '$policy' --tools '$secrets' '$work/calls.json' >'$work/out'" \
        "$work/typescript" >/dev/null </dev/null
    hides "$work/out" "$work/typescript"
fi
# what is refused before anything runs
export RCS_CLI_BAD=$'pl4nted\r\nX: y'
long=$(x 9000)
for tool in '"url":"http://u:pl4nted@h/"' '"url":"http://${RCS_CLI_SECRET}/"' '"url":"http://h/","headers":{"K":"${RCS_CLI_BAD}"}' \
    '"url":"http://h/","proxy":"http://${RCS_CLI_BAD}"' '"url":"http://h/","headers":{"Expect":"${RCS_CLI_SECRET}"}' \
    '"url":"http://h/","headers":{"K":"${RCS_CLI_SECRET"}' '"url":"http://h/","proxy":"odd://u:${RCS_CLI_SECRET}@h"' \
    '"url":"http://h:99999/","headers":{"K":"${RCS_CLI_SECRET}"}'; do
    printf '{"tools":[{"name":"a","http":{%s}}]}' "$tool" >"$work/wrong.json"
    in="[$(call c1 a)]"
    try 1 run --policy lightspeed --tools "$work/wrong.json"
    hides "$work/out" "$work/err"
done
printf '{"tools":[{"name":"a","http":{"url":"%s/good","headers":{"K":"${RCS_CLI_SECRET}%s"}}}]}' "$url" "$long" >"$work/wrong.json"
in="[$(call c1 a)]"
try 1 run --policy lightspeed --tools "$work/wrong.json" --log
says "recourse run: $work/wrong.json: tool 'a': header 'K' is longer than 8192 bytes"
hides "$work/out" "$work/err"
