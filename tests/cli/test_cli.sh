#!/usr/bin/env bash
# The built command from outside: exit statuses, messages, exact outputs. RECOURSE names the binary.
# shellcheck disable=SC2016,SC2086,SC2012 # texts with dollars, lists of words, names that we gave
set -u
cd "$(dirname "$0")/../.." || exit 1
RECOURSE=$(realpath "${RECOURSE:-build/recourse}")
SPEC=spec/lightspeed.policy.md
for program in "$RECOURSE" "${B:-build}/faulty-server"; do
    [ -x "$program" ] || {
        echo "cli: there is no $program"
        echo 'cli: 0 passed, 1 failed'
        exit 1
    }
done
work=$(mktemp -d) || exit 1
trap 'exec 9>&-; rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache # of compiled policies
unset RECOURSE_CACHE
command -v ragel >/dev/null || export RECOURSE_CACHE=off # what is said without it is tested by itself
passed=0
failed=0
skipped=0

note() { # note WHETHER NAME [DETAIL]
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'cli: FAILED: %s\n' "$2"
        [ -z "${3-}" ] || printf '%s\n' "$3" | sed 's/^/    /'
    fi
}

# try STATUS ARGUMENT...: runs the command with stdin from $in (a text), keeps $out and $err, and judges the exit status.
in=
try() {
    local expected=$1 status
    shift
    printf '%s' "$in" | "$RECOURSE" "$@" >"$work/out" 2>"$work/err"
    status=${PIPESTATUS[1]}
    in=
    out=$(cat "$work/out")
    err=$(cat "$work/err")
    what="recourse $*"
    [ "$status" = "$expected" ]
    note $? "$what: exit status $status, not $expected" "$err"
}

is() { # is NAME ACTUAL EXPECTED
    [ "$2" = "$3" ]
    note $? "$what: $1" "is:  $2
not: $3"
}

has() { # has NAME ACTUAL PART
    case $2 in *"$3"*) note 0 '' ;; *) note 1 "$what: $1 lacks: $3" "$2" ;; esac
}

says() { is 'stderr' "$err" "$1"; is 'stdout' "$out" ''; }

# ---- words and options ----

try 0 --version
has stdout "$out" "recourse "
try 0 --help
has stdout "$out" "  simulate  "
is stderr "$err" ''
try 0 help
try 1
has stderr "$err" 'Usage: recourse COMMAND'
try 1 chekc
says "recourse: there is no command 'chekc': did you mean 'check'?"
try 1 proxy
says "recourse: there is no command 'proxy': see recourse --help"
try 1 policy mine
says "recourse policy: unexpected word 'mine'"
try 0 policy
page=$out
try 0 help policy
is page "$out" "$page"
try 1 --vresion
says 'recourse: unknown option --vresion: see recourse --help'
try 1 help simulat
says "recourse: there is no command 'simulat': did you mean 'simulate'?"
try 1 help check fmt
says 'recourse help: one command at a time'
for command in check fmt compile simulate paths diff mutants classify run policy completion; do
    try 0 "$command" --help
    page=$out
    has page "$page" "Usage: recourse $command"
    has page "$page" 'Exit status:'
    has page "$page" 'Example'
    [ "$(awk 'length > 79' "$work/out")" = '' ]
    note $? "$command --help is at most 79 columns wide" "$(awk 'length > 79' "$work/out")"
    try 0 help "$command"
    is page "$out" "$page"
    try 1 "$command" --jsno
    has stderr "$err" "recourse $command: unknown option --jsno"
    is stdout "$out" ''
    "$RECOURSE" "$command" --help >/dev/full 2>"$work/err"
    note $((1 - $?)) "$command --help to a full device fails"
    what="$command --help >/dev/full"
    is stderr "$(cat "$work/err")" "recourse: standard output can't be written: No space left on device"
done

# ---- check ----

try 0 check "$SPEC"
has stdout "$out" "$SPEC: ok, 3 tries and 3 requests at most, 3 s of waiting at most, 10 states"
is stderr "$err" ''
try 0 check --json "$SPEC"
has stdout "$out" "{\"files\":[{\"path\":\"$SPEC\",\"ok\":true,\"findings\":["
has stdout "$out" '"worst":{"tries":3,"requests":3,"wait_ms":3000,"wait_base_ms":3000,"witness":"'
has stdout "$out" ',"states":10,"waits":[{"id":"short","windows_ms":[[200,200],[400,400]]},{"id":"long","windows_ms":[[1000,1000],[2000,2000]]}]}]}'
# GitHub's workflow commands: text, rows and witness in one line each, escaped
mkdir "$work/odd,na:me%"
cp "$SPEC" "$work/odd,na:me%"
sed -i 's/| A5 | permanent | later try |/| A5 | permanent | first try |/' "$work/odd,na:me%/lightspeed.policy.md"
try 1 check --format github "$work/odd,na:me%/lightspeed.policy.md"
has stdout "$out" "::error file=$work/odd%2Cna%3Ame%25/lightspeed.policy.md,line=108,col=1,title=recourse overlap::rows A4 and A5 both take 'permanent' (first try, unsafe, may have acted); narrow one of them%0Arows A4, A5%0Ashown by: permanent
"
has stdout "$out" '::notice file='
is 'lines that are no command' "$(grep -cv '^::' "$work/out")" 1
try 0 check --format text "$SPEC"
is stdout "$out" "$("$RECOURSE" check "$SPEC")"
try 1 check --format xml "$SPEC"
says "recourse check: --format is text or github, not 'xml'"
try 1 check --json --format github "$SPEC"
says 'recourse check: --json or --format: one of them'
try 1 check
says 'recourse check: which policies? Give their files, such as spec/lightspeed.policy.md'
try 1 check "$work/none.policy.md"
is stdout "$out" "$work/none.policy.md:1:1: error[io]: the file can't be read: No such file or directory
$work/none.policy.md: not ok, 1 error"
is stderr "$err" ''
try 1 check --json "$work/none.policy.md"
is stdout "$out" "{\"files\":[{\"path\":\"$work/none.policy.md\",\"ok\":false,\"findings\":[{\"severity\":\"error\",\"code\":\"io\",\"line\":1,\"column\":1,\"text\":\"the file can't be read: No such file or directory\",\"rows\":[],\"witness\":null}],\"worst\":null,\"states\":null,\"waits\":null}]}"

# a file that was never meant to be one, and one with more faults than anybody reads
printf 'ELF\0\0\0|\n|\n' >"$work/binary.policy.md"
try 1 check "$work/binary.policy.md"
is stdout "$out" "$work/binary.policy.md:1:4: error[not-text]: the file is not a text: it has a byte 0 here
$work/binary.policy.md: not ok, 1 error"
yes '#x' | head -n 70 >"$work/many.policy.md"
try 1 check "$work/many.policy.md"
is 'lines' "$(printf '%s\n' "$out" | wc -l)" 52
has stdout "$out" "$work/many.policy.md: and 31 more"
try 1 simulate "$work/many.policy.md" ok
has stderr "$err" "$work/many.policy.md: and 30 more"

mkdir "$work/bad"
bad=$work/bad/lightspeed.policy.md
sed 's/| A5 | permanent | later try |/| A5 | permanent | first try |/' "$SPEC" >"$bad"
line=$(grep -n '^| A5 ' "$bad" | cut -d: -f1)
try 1 check "$bad"
has stdout "$out" "$bad:$line:1: error[overlap]: "
has stdout "$out" "    rows A4, A5; shown by: permanent"
has stdout "$out" "$bad: not ok, "
try 1 check --json "$bad"
has stdout "$out" "\"code\":\"overlap\",\"line\":$line,\"column\":1,\"text\":"
has stdout "$out" '"rows":["A4","A5"],"witness":"permanent'
has stdout "$out" '"worst":null,"states":null,"waits":null}]}'
try 1 check "$SPEC" "$bad"
has stdout "$out" "$SPEC: ok, "
has stdout "$out" "$bad: not ok, "

mkdir "$work/warn"
warn=$work/warn/lightspeed.policy.md
sed 's/^| long | 1s x2 | tries | none | ignore |$/&\n| spare | 1s x2 | tries | none | ignore |/' "$SPEC" >"$warn"
try 0 check "$warn"
has stdout "$out" ': warning[unused]: '
has stdout "$out" "$warn: ok, 3 tries and 3 requests at most"
try 1 check --strict "$warn"
has stdout "$out" "$warn: not ok, 3 tries and 3 requests at most"
try 1 check --json --strict "$warn"
has stdout "$out" '"ok":false'

try 0 check --explain overlap
has stdout "$out" 'overlap'
try 1 check --explain overlpa
says "recourse check: there is no code 'overlpa': did you mean 'overlap'?"
try 1 check --explain zzzzzzzz
says "recourse check: there is no code 'zzzzzzzz': see recourse check --explain list"
try 1 check --explain overlap "$SPEC"
says 'recourse check: --explain takes a code and no files'
try 0 check --explain list
codes=$out
undescribed=$("$RECOURSE" check --json "$bad" "$warn" "$work/none" | grep -o '"code":"[^"]*"' | sort -u | sed 's/.*:"//; s/"//' |
    while read -r code; do printf '%s\n' "$codes" | grep -q "^  $code " || echo "$code"; done)
is 'codes without a page' "$undescribed" ''

# ---- fmt ----

try 0 fmt --check "$SPEC"
is stdout "$out" ''
mkdir "$work/fmt"
loose=$work/fmt/lightspeed.policy.md
sed 's/^| tries | 3 |$/|  tries  | 3   |/' "$SPEC" >"$loose"
chmod 640 "$loose"
try 1 fmt --check "$loose"
is stdout "$out" "$loose"
cmp -s "$loose" "$SPEC"
note $((1 - $?)) 'fmt --check leaves the file alone'
in=$(cat "$loose"; echo .)
in=${in%.}
try 0 fmt -
cmp -s "$work/out" "$SPEC"
note $? 'fmt - writes the canonical form'
try 0 fmt "$loose" "$SPEC"
is stdout "$out" "$loose"
cmp -s "$loose" "$SPEC"
note $? 'fmt rewrites the file'
is 'mode' "$(stat -c %a "$loose")" 640
is 'what is in the directory' "$(ls -A "$work/fmt")" lightspeed.policy.md
sed 's/^| tries | 3 |$/| tries | 3 | 4 |/' "$SPEC" >"$loose"
cp "$loose" "$work/before"
try 1 fmt "$loose"
has stderr "$err" 'error[ragged]'
has stderr "$err" "recourse fmt: $loose is left as it is"
cmp -s "$loose" "$work/before"
note $? 'fmt leaves what it cannot read'
: >"$work/empty.policy.md"
try 1 fmt --check "$work/empty.policy.md"
says "$work/empty.policy.md:1:1: error[missing-table]: there is no table in the file: it is no policy
recourse fmt: $work/empty.policy.md is left as it is"
try 1 fmt
says 'recourse fmt: which policies? Give their files, or - for standard input'
try 1 fmt "$work/none"
says "recourse fmt: $work/none: the file can't be read: No such file or directory"

mkdir "$work/waitless" "$work/long"
sed '/^## Waits$/,/^## Messages$/{/^## Messages$/!d}' "$SPEC" >"$work/waitless/lightspeed.policy.md"
try 1 check "$work/waitless/lightspeed.policy.md"
is stdout "$out" "$work/waitless/lightspeed.policy.md:95:47: error[missing-section]: '## Waits' is missing: 'short' has to be in its table
    row A2
$work/waitless/lightspeed.policy.md: not ok, 1 error"
awk '/^\| F1 /{ for (i = 1; i <= 997; i++) printf "| Q%d | exit %d | permanent | unknown |\n", i, i % 200 + 1 } { print }' "$SPEC" \
    >"$work/long/lightspeed.policy.md"
try 1 check "$work/long/lightspeed.policy.md"
has stdout "$out" ': error[too-many]: a table has at most 1000 rows'
case $out in *no-other*) note 1 "$what: the row that was not read is missed" "$out" ;; *) note 0 '' ;; esac

# ---- compile ----

if command -v ragel >/dev/null; then
    try 0 compile "$SPEC" -o "$work/c/"
    is stdout "$out" "$work/c/lightspeed.rl
$work/c/lightspeed.c
$work/c/lightspeed.h"
    is 'what is in the directory' "$(ls -A "$work/c" | tr '\n' ' ')" 'lightspeed.c lightspeed.h lightspeed.rl '
    try 1 compile "$SPEC" -o README.md
    says "$SPEC:1:1: error[io]: README.md is a file: give a directory to write into
recourse compile: $SPEC: nothing was written"
else
    echo 'cli: skipped, since ragel is not in PATH: compile'
    skipped=$((skipped + 5))
fi
try 1 compile "$bad" -o "$work/d"
has stderr "$err" 'error[overlap]'
has stderr "$err" "recourse compile: $bad: nothing was written"
[ ! -e "$work/d/lightspeed.c" ]
note $? 'compile writes nothing for a policy with errors'
try 1 compile "$SPEC"
says 'recourse compile: where to? Give a directory with -o'
try 1 compile -o "$work/d"
says 'recourse compile: which policy? Give its file'
try 1 compile "$SPEC" "$SPEC" -o "$work/d"
says 'recourse compile: one policy at a time'
try 1 compile "$work/none" -o "$work/d"
says "recourse compile: $work/none: the file can't be read: No such file or directory"

# ---- simulate ----

line_of() { grep -n "^| $1 |" "$SPEC" | cut -d: -f1; }
step() { # step STATE EVENT ROW NEXT WAIT SCENARIO
    local wait=$5 label=$6
    [ "$label" = null ] || label="\"$label\""
    printf '{"state":"%s","event":"%s","row":"%s","line":%s,"next":"%s","wait_ms":%s,"wait_min_ms":%s,"wait_max_ms":%s,"scenario":%s}' \
        "$1" "$2" "$3" "$(line_of "$3")" "$4" "$wait" "$wait" "$wait" "$label"
}
ready=$(step precondition ready P1 attempt null null)
elapsed=$(step backoff elapsed B1 attempt null null)

try 0 simulate "$SPEC" transient rate_limited permanent --json
is stdout "$out" "{\"steps\":[$ready,$(step attempt transient A2 backoff 200 2),$elapsed,$(step attempt rate_limited A3 backoff 2000 2),$elapsed,$(step attempt permanent A5 reported null 3b)],\"end\":\"reported\",\"scenario\":\"3b\",\"tell\":\"model\",\"reminder\":true,\"reason\":null,\"tries\":3,\"waits_ms\":[200,2000]}"
try 0 simulate --json "$SPEC" permanent
is stdout "$out" "{\"steps\":[$ready,$(step attempt permanent A4 reported null 3a)],\"end\":\"reported\",\"scenario\":\"3a\",\"tell\":\"model\",\"reminder\":false,\"reason\":null,\"tries\":1,\"waits_ms\":[]}"
try 0 simulate --json "$SPEC" transient permanent
is stdout "$out" "{\"steps\":[$ready,$(step attempt transient A2 backoff 200 2),$elapsed,$(step attempt permanent A5 reported null 3b)],\"end\":\"reported\",\"scenario\":\"3b\",\"tell\":\"model\",\"reminder\":true,\"reason\":null,\"tries\":2,\"waits_ms\":[200]}"
try 0 simulate --json "$SPEC" 'rate_limited!time'
is stdout "$out" "{\"steps\":[$ready,$(step attempt rate_limited A3 exhausted null null),$(step exhausted rate_limited E1 reported null 3b)],\"end\":\"reported\",\"scenario\":\"3b\",\"tell\":\"model\",\"reminder\":true,\"reason\":\"out of time\",\"tries\":1,\"waits_ms\":[]}"
try 0 simulate --json "$SPEC" missing_name
is stdout "$out" "{\"steps\":[$(step precondition missing_name P2 reported null 1)],\"end\":\"reported\",\"scenario\":\"1\",\"tell\":\"model\",\"reminder\":true,\"reason\":null,\"tries\":0,\"waits_ms\":[]}"
try 0 simulate --json "$SPEC" bad_arguments
is stdout "$out" "{\"steps\":[$(step precondition bad_arguments P6 reported null 3a)],\"end\":\"reported\",\"scenario\":\"3a\",\"tell\":\"model\",\"reminder\":false,\"reason\":null,\"tries\":0,\"waits_ms\":[]}"
try 0 simulate --json "$SPEC" ok
is stdout "$out" "{\"steps\":[$ready,$(step attempt ok A1 reported null ok)],\"end\":\"reported\",\"scenario\":\"ok\",\"tell\":\"model\",\"reminder\":null,\"reason\":null,\"tries\":1,\"waits_ms\":[]}"
try 0 simulate --json "$SPEC" transient
is stdout "$out" "{\"steps\":[$ready,$(step attempt transient A2 backoff 200 2)],\"end\":\"backoff\",\"scenario\":null,\"tell\":null,\"reminder\":null,\"reason\":null,\"tries\":1,\"waits_ms\":[200]}"
try 0 simulate "$SPEC" transient permanent
is 'last line' "$(tail -n 1 "$work/out")" 'reported as 3b to model, with the reminder; 2 tries, waits 200 ms'
try 0 simulate "$SPEC" permanent
is 'last line' "$(tail -n 1 "$work/out")" 'reported as 3a to model, without the reminder; 1 try'
try 0 simulate "$SPEC" transient transient transient
is 'last line' "$(tail -n 1 "$work/out")" 'reported as 3b to model, with the reminder; 3 tries, waits 200 ms, 400 ms; not tried again: tries spent'
try 0 simulate "$SPEC" transient
is 'last line' "$(tail -n 1 "$work/out")" 'not ended: in backoff; 1 try, waits 200 ms'
mkdir "$work/jitter"
sed -e '/^## Examples$/,$d' -e 's/^| short | 200ms x2 | tries | none |/| short | 200ms x2 | tries | full |/' \
    "$SPEC" >"$work/jitter/lightspeed.policy.md"
try 0 simulate "$work/jitter/lightspeed.policy.md" transient
has stdout "$out" '200 ms (0 s to 200 ms)  2'
try 0 simulate --json "$work/jitter/lightspeed.policy.md" transient
has stdout "$out" '"wait_ms":200,"wait_min_ms":0,"wait_max_ms":200,'
try 1 simulate "$SPEC" permanent ok
has stderr "$err" "recourse simulate: word 2: 'ok' can't follow"
is stdout "$out" ''
try 1 simulate "$SPEC" transient missing_name
has stderr "$err" "recourse simulate: word 2: 'missing_name' can't follow"
has stderr "$err" 'here could follow: '
has stderr "$err" 'elapsed'
try 1 simulate "$SPEC" transiemt
has stderr "$err" "recourse simulate: "
has stderr "$err" "transient"
is stdout "$out" ''
try 1 simulate "$SPEC"
says 'recourse simulate: no words: what happens? For example: ok'
try 1 simulate
says 'recourse simulate: which policy? Give its file, and then the words of a run'
# a built-in name stands for its policy, but for a file of that name
"$RECOURSE" simulate "$SPEC" transient ok >"$work/walked"
try 0 simulate lightspeed transient ok
is stdout "$out" "$(cat "$work/walked")"
is stderr "$err" 'recourse simulate: lightspeed: the built-in policy, since there is no file of that name'
try 0 check --json default
has stdout "$out" '{"files":[{"path":"built-in/default.policy.md","ok":true,'
if command -v ragel >/dev/null; then
    try 0 compile lightspeed -o "$work/of-a-name"
    "$RECOURSE" compile "$SPEC" -o "$work/of-a-file" >/dev/null
    is 'compiled by name' "$(cat "$work"/of-a-name/*)" "$(cat "$work"/of-a-file/*)"
else
    echo 'cli: skipped, since ragel is not in PATH: compile by name'
    skipped=$((skipped + 1))
fi
echo nothing >"$work/lightspeed"
what='simulate, with a file of that name'
(cd "$work" && "$RECOURSE" simulate lightspeed ok) >"$work/out" 2>"$work/err"
is 'exit status' "$?" 1
has stderr "$(cat "$work/err")" "lightspeed has errors: nothing was walked"
rm "$work/lightspeed"
try 1 simulate lightspeeed ok
says "recourse simulate: lightspeeed: the file can't be read: No such file or directory"
try 1 simulate "$work/none" ok
says "recourse simulate: $work/none: the file can't be read: No such file or directory"
try 1 simulate "$bad" ok
has stderr "$err" "recourse simulate: $bad has errors: nothing was walked"

# ---- classify ----

f() { printf '{"failure":"%s","effect":"%s","row":"%s","line":%s,"server_delay_ms":%s}' "$1" "$2" "$3" "$(line_of "$3")" "$4"; }
success='{"failure":"ok","effect":"done","row":null,"line":null,"server_delay_ms":0}'
for policy in lightspeed "$SPEC"; do
    in='{"http":429,"headers":{"retry-after":"5"}}
{"http":504}

{"http":503}
{"timeout":"read"}
{"network":"reset","unsent":true}
{"tool_error":true,"text":"Found 1429 pods"}
{"http":200,"text":"429 too many requests"}
{"result":{"a":1}}
{"spawn":true}
{"http":503,"phrase":"Timeout"}
{"http":429,"headers":{"retry-after":["5","6"],"retry-after-ms":"1500"}}
'
    try 0 classify --policy "$policy"
    is stdout "$out" "$(f rate_limited unknown F1 5000)
$(f transient unknown F3 0)
$(f permanent unknown F4 0)
$(f transient unknown F2 0)
$(f transient unknown F2 0)
$(f permanent unknown F4 0)
$success
$success
$(f transient unknown F2 0)
$(f transient unknown F3 0)
$(f rate_limited unknown F1 1500)"
    is stderr "$err" ''
done
in='{"http":429}
{"htpp":429}
{"http":500}'
try 1 classify --policy lightspeed
is stdout "$out" "$(f rate_limited unknown F1 0)"
is stderr "$err" 'recourse classify: line 2: unknown key "htpp": did you mean "http"?'
in='{"http":429'
try 1 classify --policy lightspeed
says 'recourse classify: line 1: not JSON at column 12'
in='[]'
try 1 classify --policy lightspeed
says 'recourse classify: line 1: facts are an object, such as {"http":429}'
try 0 classify --policy lightspeed
is stdout "$out" ''
try 1 classify
says 'recourse classify: by which policy? Give --policy with a built-in name or a file'
try 1 classify --policy lightsped
says "recourse classify: there is no built-in policy 'lightsped': did you mean 'lightspeed'?"
try 1 classify --policy zebra
has stderr "$err" "recourse classify: there is no built-in policy 'zebra'; there are: "
try 1 classify --policy "$bad"
has stderr "$err" "recourse classify: $bad has errors"
try 1 classify --policy lightspeed facts.json
says "recourse classify: unexpected word 'facts.json': facts come from standard input"
try 1 classify --policy
says 'recourse classify: --policy wants a value'

# ---- run: what is refused before anything runs ----

tools=$work/tools.json
report=$work/report.json
echo '{"tools":[]}' >"$tools"
run="run --policy lightspeed --tools $tools --report $report"
refused() { # refused MESSAGE [OPTION...]
    local message=$1
    shift
    try 1 $run "$@"
    says "$message"
    [ ! -e "$report" ]
    note $? "$what: no report"
}
try 1 run --tools "$tools"
says 'recourse run: by which policy? Give --policy with a built-in name or a file'
try 1 run --policy lightspeed
says 'recourse run: with which tools? Give --tools with a file'
try 1 run --policy lightspeed --tools -
says "recourse run: calls and tools can't both come from standard input"
try 1 run --policy lightspeed --tools "$work/none"
says "recourse run: $work/none: the file can't be read: No such file or directory"
refused "recourse run: --budget wants a number of tokens, not '0'" --budget 0
refused "recourse run: --budget wants a number of tokens, not '1k'" --budget 1k
refused "recourse run: --deadline wants a duration such as 500ms, 5s or 2m, not '5'" --deadline 5
refused 'recourse run: --report is given twice' --report x
refused "recourse run: without --audit FILE there is no log for --audit-sync, --disclosure or --capture" --capture
refused "recourse run: --capture writes into the disclosure: give --disclosure with a file" --audit "$work/log" --capture
refused "recourse run: --audit-sync wants none, batch, before-effect or every, not 'often'" --audit "$work/log" --audit-sync often
refused "recourse run: unexpected word 'b': one file of calls at a time" a b
refused "recourse run: $work/none: the calls can't be read: No such file or directory" "$work/none"
in='[{"id":'
try 1 $run
has stderr "$err" 'recourse run: <stdin>: '
is stdout "$out" ''
in='[]'
try 1 run --policy lightspeed --tools "$tools" --report "$work/no/such"
says "recourse run: $work/no/such: the report can't be written: No such file or directory"
for case in \
    '{"tools":[{"name":"a","htpp":{}}]}|tools[0]: unknown key "htpp": did you mean "http"?' \
    '{"tools":[{"name":"a","command":"ls"}]}|tools[0].command: wants a list: the program and its words, at most 1000' \
    '{"tools":[{"name":"a","command":["ls"],"env":{"K":"${RCS_CLI_UNSET}"}}]}|tools[0].env.K: the variable RCS_CLI_UNSET is not set in the environment' \
    '{"mcpServers":{"a":{"command":"x","url":"http://h/"}}}|mcpServers.a: has "url" and "command": choose one' \
    '{"tools":[{"name":"a","name":"b"}]}|tools[0]: "name" is there twice' \
    '{"tools":[{"name":"a","http":{"url":"http://h/","headers":{"k":"${RCS_CLI_UNSET}"}}}]}|tools[0].http.headers.k: the variable RCS_CLI_UNSET is not set in the environment'; do
    printf '%s' "${case%%|*}" >"$work/wrong.json"
    in='[]'
    try 1 run --policy lightspeed --tools "$work/wrong.json"
    says "recourse run: $work/wrong.json: ${case#*|}"
done
printf '{"tools":[]}}' >"$work/wrong.json"
try 1 run --policy lightspeed --tools "$work/wrong.json"
says "recourse run: $work/wrong.json:1:13: this is not JSON"

if command -v ragel >/dev/null; then
    . tests/cli/policy_cases.sh
else
    echo 'cli: skipped, since ragel is not in PATH: policies that are compiled while the command runs'
    skipped=$((skipped + 1))
fi
. tests/cli/review_cases.sh
. tests/cli/mutants_cases.sh
. tests/cli/run_cases.sh
. tests/cli/dialect_cases.sh
. tests/cli/guard_cases.sh

[ "$skipped" = 0 ] && skips= || skips=", $skipped skipped"
printf 'cli: %d passed, %d failed%s\n' "$passed" "$failed" "$skips"
[ "$failed" = 0 ]
