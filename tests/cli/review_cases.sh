# shellcheck shell=bash disable=SC2154,SC2034,SC2086 # read by test_cli.sh
# What reviewers see: `paths`, `diff` and `explain`, on the shipped policies and on changes made by hand.

# ---- paths ----

for name in default lightspeed pageindex; do
    try 0 paths "spec/$name.policy.md"
    is 'the review file' "$out" "$(cat "spec/review/$name.paths.txt")"
    is stderr "$err" ''
    try 0 paths --json "spec/$name.policy.md"
    has stdout "$out" "{\"policy\":\"$name\",\"worst\":{\"tries\":"
done
try 0 paths "$SPEC"
has stdout "$out" 'At most 3 tries, 3 requests, 3 s of waiting: rate_limited, rate_limited'
has stdout "$out" '- transient, tried again by A2 although a tool that is not safe may have acted: transient'
has stdout "$out" '
3 tries, 2.2 s of waiting: transient [A2], rate_limited [A3]
- ok to model: ok [A1] (2 runs)
- 3b to model, reminder, message failed: transient [A2 E1, tries spent]; rate_limited [A3 E1, tries spent]; permanent [A5]; deadline [A6 E1]; cancelled [A7] (14 runs)
- 3b to model, reminder, message failed, after 2 tries, 200 ms to 2.2 s of waiting: cancelled in the wait [B2] (2 runs)
'
try 0 paths --json "$SPEC"
has stdout "$out" '"twice":[{"failure":"rate_limited","row":"A3","witness":"rate_limited"},{"failure":"transient","row":"A2","witness":"transient"}]'
has stdout "$out" '{"scenario":"3a","tell":"model","reminder":false,"message":"corrected","tries":[1,1],"wait_ms":[0,0],"in_wait":false,"runs":2,"ends":[{"events":["permanent"],"rows":["A4"],"reason":null}]}'
try 0 paths spec/default.policy.md
has stdout "$out" "- never: what is tried again did nothing, or the tool is safe"
try 1 paths
says 'recourse paths: which policy? Give its file, such as spec/lightspeed.policy.md'
try 1 paths "$SPEC" "$SPEC"
says 'recourse paths: one policy at a time'
try 1 paths "$bad"
has stderr "$err" "recourse paths: $bad has errors: nothing was read"
try 0 paths lightspeed
is stderr "$err" 'recourse paths: lightspeed: the built-in policy, since there is no file of that name'
has stdout "$out" 'lightspeed: what can become of a call'

# ---- explain ----

try 0 explain "$SPEC"
is stderr "$err" ''
has stdout "$out" 'lightspeed: what becomes of a call, row by row

At most 3 tries, 3 requests, 3 s of waiting: rate_limited, rate_limited
'
has stdout "$out" "
  A2   transient: tried again (2) after 200 ms, 400 ms [wait short]; where that can't be, exhausted
"
has stdout "$out" "
  A4   permanent, if first try: the model is told (3a), without the reminder: \"Tool '{tool}' execution failed after {tries} attempt(s): {reason}.\"
"
has stdout "$out" '
  F2   timeout, network, spawn: transient; the tool may have acted
'
try 0 explain spec/pageindex.policy.md
has stdout "$out" '
  F1   network refused, network unreachable, network dns, network tls, timeout connect, network and unsent, timeout and unsent: unreachable; nothing was done
'
has stdout "$out" "
  A4   denied, denied_late: the run fails, and the host is told (denied): \"'{tool}' refused the credentials (status {status}): {reason}.\"
"
try 0 explain -o "$work/explained" "$SPEC"
is stdout "$out" ''
is 'the file' "$(cat "$work/explained")" "$("$RECOURSE" explain "$SPEC")"

try 0 explain --html "$SPEC"
page=$out
has stdout "$page" '<!doctype html>'
has stdout "$page" "content=\"default-src 'none'; script-src 'sha256-"
has stdout "$page" '<tr id="row-A2"><th scope="row">A2</th><td>transient</td>'
has stdout "$page" '<a class="run" href="#run=transient,rate_limited,permanent">transient, rate_limited, permanent</a>'
has stdout "$page" '{"id":"X4","words":"transient, rate_limited, permanent"}'
has stdout "$page" '<em>a first try that failed for a reason which waiting cannot mend</em>'
case $page in *{{*) note 1 "$what: a part is missing" ;; *) note 0 '' ;; esac
is 'addresses of elsewhere' "$(printf '%s' "$page" | grep -oE '(src|href)="[^"#d][^"]*"')" ''
# the hashes are those of the script and the style that are there
for part in script style; do
    hash=$(awk -v part="$part" 'BEGIN { open = "<" part ">"; close_ = "</" part ">" }
        { at = index($0, open); if (at) { on = 1; $0 = substr($0, at + length(open)); printf "\n"; next }
          at = index($0, close_); if (on && at) { exit } if (on) print }' <<<"$page" | openssl dgst -sha256 -binary | base64)
    has "the policy for content has the hash of the $part" "$page" "$part-src 'sha256-$hash'"
done

if command -v dot >/dev/null; then
    for name in default lightspeed pageindex; do
        try 0 explain --svg "spec/$name.policy.md"
        is stderr "$err" ''
        is 'the texts of the review file' "$(grep '<text' <<<"$out" | sed 's/ [xy]="[-0-9.]*"//g')" \
            "$(grep '<text' "spec/review/$name.svg" | sed 's/ [xy]="[-0-9.]*"//g')"
        svg=$out
        try 0 explain --svg "spec/$name.policy.md"
        is 'a second time' "$out" "$svg"
    done
    has 'page' "$page" '<g class="place" data-place="backoff">'
else
    echo 'cli: skipped, since dot is not in PATH: diagrams'
    skipped=$((skipped + 1))
fi

# without Graphviz, and with something else of its name
mkdir "$work/no-dot" "$work/false-dot" "$work/odd-dot"
printf '#!/bin/sh\necho "Error: no such thing"; exit 3\n' >"$work/false-dot/dot"
printf '#!/bin/sh\necho "graph 1 1 1" >"$4"\n' >"$work/odd-dot/dot"
chmod +x "$work"/*-dot/dot
explain_with() { # explain_with FOLDER STATUS ARGUMENT...: with that folder alone in PATH
    local folder=$1 path=$PATH
    shift
    PATH=$work/$folder:/bin
    [ "$folder" = no-dot ] && PATH=$work/no-dot
    /bin/sh -c '"$@"' sh "$RECOURSE" explain "${@:2}" </dev/null >"$work/out" 2>"$work/err"
    status=$?
    PATH=$path
    out=$(cat "$work/out")
    err=$(cat "$work/err")
    what="explain with $folder"
    is 'status' "$status" "$1"
}
explain_with no-dot 1 --svg "$SPEC"
says 'recourse explain: `dot` is not in PATH: install Graphviz (the package `graphviz`)'
explain_with no-dot 1 --svg -o "$work/none.svg" "$SPEC"
[ ! -e "$work/none.svg" ]
note $? "$what: a file is left"
explain_with no-dot 0 --html "$SPEC"
is stderr "$err" 'recourse explain: `dot` is not in PATH: install Graphviz (the package `graphviz`); the page has no diagram'
has stdout "$out" '<p>There is no diagram: Graphviz could not draw one when this page was made.</p>'
explain_with no-dot 0 "$SPEC"
is stderr "$err" ''
explain_with false-dot 1 --svg "$SPEC"
says 'recourse explain: `dot` failed (exit 3): Error: no such thing'
explain_with odd-dot 1 --svg "$SPEC"
says "recourse explain: what \`dot\` made is no placement of all that it was given: is it Graphviz's?"
TMPDIR=$work/nowhere try 1 explain --svg "$SPEC"
has stderr "$err" "recourse explain: $work/nowhere/recourse-"
has stderr "$err" " can't be made: No such file or directory"

try 1 explain
says 'recourse explain: which policy? Give its file, such as spec/lightspeed.policy.md'
try 1 explain "$SPEC" "$SPEC"
says 'recourse explain: one policy at a time'
try 1 explain --svg --html "$SPEC"
says 'recourse explain: --svg or --html: one of them'
try 1 explain "$bad"
has stderr "$err" "recourse explain: $bad has errors: nothing was explained"
try 1 explain -o "$work/nowhere/page.html" --html "$SPEC"
says "recourse explain: $work/nowhere/page.html can't be written: No such file or directory"

# ---- review files ----

mkdir "$work/review"
cp -r spec tools "$work/review"
review() { (cd "$work/review" && B=$work/review tools/review "$@") >"$work/out" 2>"$work/err"; }
ln -s "$RECOURSE" "$work/review/recourse"
if command -v dot >/dev/null; then
    what='tools/review'
    review --check lightspeed default pageindex
    is 'status when fresh' "$?" 0
    is 'stderr when fresh' "$(cat "$work/err")" ''
    sed -i -E 's/(<rect x=")[0-9]/\19/' "$work/review/spec/review/lightspeed.svg"
    review --check lightspeed default pageindex
    is 'status where boxes stand elsewhere' "$?" 0
    sed -i 's/^| tries | 4 |/| tries | 3 |/' "$work/review/spec/default.policy.md"
    sed -i 's/^| A13 | final /| A33 | final /' "$work/review/spec/default.policy.md"
    sed -i '/^## Examples$/,$d' "$work/review/spec/default.policy.md"
    review --check lightspeed default pageindex
    is 'status when stale' "$?" 1
    is 'stderr when stale' "$(cat "$work/err")" \
        'spec/review/default.paths.txt: is not what spec/default.policy.md does; `make review` mends it
spec/review/default.svg: is not what spec/default.policy.md does; `make review` mends it'
    review lightspeed default
    is 'what it writes' "$(cat "$work/out")" 'spec/review/default.paths.txt
spec/review/default.svg'
    is 'what is left' "$(cd "$work/review/spec/review" && echo *)" \
        'default.paths.txt default.svg lightspeed.paths.txt lightspeed.svg'
    review --check lightspeed default
    is 'status when mended' "$?" 0
fi

# ---- diff ----

# variant NAME SED [SPEC]: a copy of a policy, changed, without its examples
variant() {
    mkdir -p "$work/v/$1"
    new=$work/v/$1/$(basename "${3-$SPEC}")
    sed -e "$2" -e '/^## Examples$/,$d' "${3-$SPEC}" >"$new"
    cmp -s "$new" "${3-$SPEC}" && note 1 "variant $1 changes nothing"
}
verdict() { # verdict STATUS WORD OLD NEW
    try "$1" diff "$3" "$4"
    is verdict "${out%%:*}" "$2"
    is stderr "$err" ''
}
# confirm OLD NEW [EACH]: what both sides of each difference (or each so many) say is what simulate says of their runs
confirm() {
    local words rows side file
    "$RECOURSE" diff --json "$1" "$2" |
        grep -oE '"(old|new)":\{"words":\[[^]]*\],"rows":\[[^]]*\]' | sed -n "1~${3-1}p" >"$work/sides"
    while IFS= read -r line; do
        side=${line:1:3}
        [ "$side" = old ] && file=$1 || file=$2
        words=$(echo "$line" | sed -E 's/.*"words":\[([^]]*)\].*/\1/; s/[",]/ /g')
        rows=$(echo "$line" | sed -E 's/.*"rows":\[([^]]*)\].*/\1/; s/[",]+/ /g')
        [ -z "${words// /}" ] && continue
        is "simulate $file $words" "$("$RECOURSE" simulate --json "$file" $words | grep -oE '"row":"[^"]*"' |
            sed -E 's/.*:"(.*)"/\1/' | tr '\n' ' ')" "${rows# }"
    done <"$work/sides"
}

for a in default lightspeed pageindex; do
    for b in default lightspeed pageindex; do
        if [ $a = $b ]; then
            verdict 0 same spec/$a.policy.md spec/$b.policy.md
            has stdout "$out" 'the files are the same'
        else
            verdict 2 different spec/$a.policy.md spec/$b.policy.md
            confirm spec/$a.policy.md spec/$b.policy.md 31
        fi
    done
done

variant prose 's/^Three tries, the first/A word more. &/'
verdict 0 same "$SPEC" "$new"
has stdout "$out" 'only prose, meanings or examples changed'
variant meaning 's/the tool answered/it went well/'
verdict 0 same "$SPEC" "$new"
variant renamed 's/^| A\([0-9]\) /| K\1 /; s/^| E1 /| last /; s/^| F\([0-9]\) /| G\1 /'
verdict 0 same "$SPEC" "$new"
has stdout "$out" 'what changed is how it is written'
mkdir "$work/v/moved"
new=$work/v/moved/lightspeed.policy.md
awk '/^\| A2 /{held=$0; next} {print} /^\| A7 /{print held}' "$SPEC" >"$new"
verdict 0 same "$SPEC" "$new"
variant failures 's/transient/shaky/g'
verdict 0 same "$SPEC" "$new"
has stdout "$out" 'failure transient is now called shaky'

variant tries 's/^| tries | 3 |/| tries | 4 |/'
verdict 2 looser "$SPEC" "$new"
has stdout "$out" 'at most: 3 -> 4 tries, 3 -> 4 requests, 3 s -> 7 s of waiting'
has stdout "$out" '1. tried again, and was not before; it may be done twice (looser): rate_limited, rate_limited, rate_limited
   old: 3b to model, reminder: '
has stdout "$out" '3 tries; tries spent [P1 A3 B1 A3 B1 A3 E1]
   new: waits 4 s, for try 4; 3 tries [P1 A3 B1 A3 B1 A3]'
confirm "$SPEC" "$new"
looser=$new
verdict 2 stricter "$new" "$SPEC"
has stdout "$out" '1. no longer tried again (stricter): rate_limited, rate_limited, rate_limited'
variant host 's/^| 3a | model | no |/| 3a | host | no |/'
verdict 2 stricter "$SPEC" "$new"
has stdout "$out" '1. told to the host, no longer to the model (stricter): bad_arguments'
host=$new
verdict 2 looser "$new" "$SPEC"
variant reminder 's/^| A5 | permanent | later try | reported | - | 3b | failed |/| A5 | permanent | later try | reported | - | 3a | corrected |/'
verdict 2 looser "$SPEC" "$new"
has stdout "$out" '1. reminder lost (looser): rate_limited, permanent
   old: 3b to model, reminder: '
confirm "$SPEC" "$new"
reminder=$new
verdict 2 stricter "$new" "$SPEC"
variant both 's/^| 3a | model | no |/| 3a | host | no |/; s/^| tries | 3 |/| tries | 4 |/'
verdict 2 different "$SPEC" "$new"
variant text 's/execution failed after/failed after/'
verdict 2 different "$SPEC" "$new"
has stdout "$out" '1. another message: '
has stdout "$out" "Tool '{tool}' failed after {tries}"
variant jitter 's/^| short | 200ms x2 | tries | none |/| short | 200ms x2 | tries | full |/'
verdict 2 different "$SPEC" "$new"
has stdout "$out" '1. waits less: transient
   old: waits 200 ms, for try 2; 1 try [P1 A2]
   new: waits 0 s to 200 ms, for try 2; 1 try [P1 A2]'
jitter=$new
variant wait 's/^| long | 1s x2 /| long | 1s x3 /'
verdict 2 different "$SPEC" "$new"
has stdout "$out" '1. waits longer: rate_limited, rate_limited
   old: waits 2 s, for try 3; 2 tries [P1 A3 B1 A3]
   new: waits 3 s, for try 3; 2 tries [P1 A3 B1 A3]'
longer=$new
variant facts 's/^| F1 | http 429, /| F1 | http 429, http 503, /'
verdict 2 different "$SPEC" "$new" # a try more; and where no time is left for it, a reminder
has stdout "$out" 'facts taken for another failure: {"http":503}
   old: permanent (effect unknown) [F4]
   new: rate_limited (effect unknown) [F1]'
has stdout "$out" '
   old run: permanent
   new run: rate_limited
'
in='{"http":503}'
try 0 classify --no-cache --policy "$new"
has stdout "$out" '"failure":"rate_limited"'
facts=$new
variant setting 's/^| try timeout | 60s |/| try timeout | 30s |/'
verdict 2 different "$SPEC" "$new"
has stdout "$out" '1. setting changed: try timeout
   old: 60s
   new: 30s'
variant deadline 's/^| call deadline | 300s |/| call deadline | none |/' spec/default.policy.md
verdict 2 looser spec/default.policy.md "$new"
variant sensitive 's/^| sensitive values | "secret" |/| sensitive values | none |/; s/^| P3 | sensitive_arguments .*/DELETED/; /^DELETED$/d'
verdict 2 looser "$SPEC" "$new"
has stdout "$out" '   old run: sensitive_arguments
   new run: ready
'
variant unguarded 's/^| A6 | no_answer | safe |/| A6 | no_answer | - |/; s/^| A12 | limit_inside, unavailable, no_answer |/| A12 | limit_inside, unavailable |/; s/^| unsafe replay | none |/| unsafe replay | no_answer |/' spec/default.policy.md
verdict 2 looser spec/default.policy.md "$new"
has stdout "$out" '1. tried again, and was not before; it may be done twice (looser): no_answer
   old: check to model, reminder: '
confirm spec/default.policy.md "$new"
unguarded=$new

# each reason, each condition and each window by itself
variant reasons 's/^| tries | 4 |/| tries | 3 |/; s/obey up to 60s plus 10%, else stop/obey up to 30s plus 10%, else stop/' spec/default.policy.md
verdict 2 stricter spec/default.policy.md "$new"
has stdout "$out" 'no longer tried again (stricter): rate_limited@30001ms
'
has stdout "$out" 'no longer tried again (stricter): rate_limited, rate_limited, rate_limited
'
confirm spec/default.policy.md "$new"
variant atoms 's/^| F1 | http 429, /| F1 | http 429, http 503, text "busy", /'
verdict 2 different "$SPEC" "$new"
has stdout "$out" 'facts taken for another failure: {"http":503}
   old: permanent (effect unknown) [F4]
   new: rate_limited (effect unknown) [F1]
'
has stdout "$out" 'facts taken for another failure: {"text":"busy"}
   old: permanent (effect unknown) [F4]
   new: rate_limited (effect unknown) [F1]
'
is 'of those that were permanent' "$("$RECOURSE" diff --json "$SPEC" "$new" | grep -o '"what":"permanent (' | wc -l)" 2
variant windows 's/^| limit | 1s x2 up to 30s | uses | equal | obey up to 60s plus 10%, /| limit | 2s x2 up to 30s | uses | equal | obey up to 60s plus 20%, /' spec/default.policy.md
verdict 2 different spec/default.policy.md "$new"
has stdout "$out" '1. waits longer: rate_limited
   old: waits 500 ms to 1 s, for try 2; 1 try [P1 A2]
   new: waits 1 s to 2 s, for try 2; 1 try [P1 A2]
'
has stdout "$out" 'waits longer: rate_limited@60s
   old: waits 60 s to 66 s, for try 2; 1 try [P1 A2]
   new: waits 60 s to 72 s, for try 2; 1 try [P1 A2]
'

# budgets, costs and breakers, by what one call by itself comes to
shared=tests/policies/shared.policy.md
variant tokens 's/^| retries | runner | 500 |/| retries | runner | 20 |/' "$shared"
verdict 2 different "$shared" "$new"
has stdout "$out" 'setting changed (may be both looser and stricter): budget retries
   old: of each runner, holds 500, a wait needs -, a failure takes -, an ok gives back cost, else 1; one call by itself, unavailable, unavailable: waits 0 s to 100 ms, for try 3; 2 tries [P1 A3 B1 A3]
   new: of each runner, holds 20, a wait needs -, a failure takes -, an ok gives back cost, else 1; one call by itself, unavailable, unavailable!budget: spared to model, reminder: '
confirm "$shared" "$new"
variant cost 's/| 5 of retries |/| 200 of retries |/' "$shared"
verdict 2 different "$shared" "$new"
has stdout "$out" '   new: 200 of retries; one call by itself, limited, limited, limited!budget: spared to model'
confirm "$shared" "$new"
variant breaker 's/| unreachable | 3 | 10s |/| unreachable | 2 | 10s |/' "$shared"
verdict 2 different "$shared" "$new"
has stdout "$out" 'opens after 2, stays open 10s, lets through 1; one call by itself, unreachable, unreachable, circuit_open: spared to model'
confirm "$shared" "$new"
variant many 's/| 5 in 30s |/| 50 in 30s |/' "$shared" # more than one call can come to
verdict 2 different "$shared" "$new"
has stdout "$out" 'opens after 50 in 30s, stays open 20s, lets through 2'
case $out in *'by itself'*) note 1 "$what: a run that no call makes" "$out" ;; *) note 0 '' ;; esac
try 0 explain "$shared"
has stdout "$out" '[wait slow] for 5 tokens of budget retries; where'
has stdout "$out" '
  throttle of each server, holds 100, a wait needs 51, a failure takes 10, an ok gives back 5
'
has stdout "$out" '
  dead of each tool, counts unreachable, opens after 3, stays open 10s, lets through 1'

# what the new policy only claims to be harmless
claims='s/^\(| D3 .*| limit_inside |\) unknown |/\1 none |/; s/^| A3 | limit_inside | safe |/| A3 | limit_inside | - |/; s/^| A12 | limit_inside, /| A12 | /'
variant claims "$claims" spec/default.policy.md
claims=$new
verdict 2 looser spec/default.policy.md "$new"
has stdout "$out" '1. tried again, and was not before; by the old policy it may be done twice (looser): limit_inside
   old: check to model, reminder: '
has stdout "$out" '1 try [P1 A12]
   new: waits 500 ms to 1 s, for try 2; 1 try [P1 A3]
'
has stdout "$out" 'facts taken to have another effect: '
confirm spec/default.policy.md "$new"
variant trusts 's/^## Failures$/## Tools\n\n| tool | replay | why |\n|---|---|---|\n| get_* | safe | it only reads |\n\n&/' spec/default.policy.md
trusts=$new
verdict 2 looser spec/default.policy.md "$new"
has stdout "$out" '1. tried again, and was not before; by the old policy it may be done twice (looser)
   old run: limit_inside
   new run: limit_inside:safe
'

# examples are no part of what a policy does
compiled_before=$(find "$XDG_CACHE_HOME" -name 'lightspeed-*.so' 2>/dev/null)
mkdir "$work/v/examples"
new=$work/v/examples/lightspeed.policy.md
sed 's/^| tries | 3 |/| tries | 4 |/' "$SPEC" >"$new"
try 2 diff "$SPEC" "$new"
is verdict "${out%%:*}" looser
is stderr "$err" "recourse diff: warning: $new: examples come out otherwise (X8, X9): recourse check says how"
try 0 paths "$new"
is stderr "$err" "recourse paths: warning: $new: examples come out otherwise (X8, X9): recourse check says how"
try 0 simulate "$new" ok
is stderr "$err" "recourse simulate: warning: $new: examples come out otherwise (X8, X9): recourse check says how"
has stdout "$out" 'reported as ok to model'
in='{"http":429}'
try 0 classify --policy "$new"
is stderr "$err" "recourse classify: warning: $new: examples come out otherwise (X8, X9): recourse check says how"
has stdout "$out" '{"failure":"rate_limited"'
is 'compiled policies' "$(find "$XDG_CACHE_HOME" -name 'lightspeed-*.so' 2>/dev/null)" "$compiled_before"
in='[]'
try 1 run --policy "$new" --tools "$work/none.json"
try 1 check "$new"
try 1 compile -o "$work/none" "$new"
has stderr "$err" "recourse compile: $new: nothing was written"

# ---- gates ----

gate() { # gate STATUS GATES OLD NEW LINE...
    local status=$1 gates=$2 old=$3 new=$4
    shift 4
    try "$status" diff --gate "$gates" "$old" "$new"
    for line; do has stdout "$out" "gate $line"; done
}
gate 3 no-new-retries "$SPEC" "$looser" 'no-new-retries: broken by 1'
gate 0 no-new-retries "$looser" "$SPEC" 'no-new-retries: kept'
gate 0 no-lost-reminders "$SPEC" "$looser" 'no-lost-reminders: kept'
gate 3 no-longer-waits "$SPEC" "$looser" 'no-longer-waits: broken by 1'
gate 3 no-longer-waits "$SPEC" "$longer" 'no-longer-waits: broken by 1'
gate 0 no-longer-waits "$SPEC" "$jitter"
gate 3 no-longer-waits "$jitter" "$SPEC"
gate 3 no-new-unsafe-replay "$SPEC" "$looser" 'no-new-unsafe-replay: broken by 1'
gate 3 no-new-unsafe-replay,no-lost-reminders spec/default.policy.md "$unguarded" \
    'no-new-unsafe-replay: broken by 1' 'no-lost-reminders: kept'
gate 3 no-new-unsafe-replay spec/default.policy.md "$claims" 'no-new-unsafe-replay: broken by 1'
gate 0 no-new-unsafe-replay "$claims" spec/default.policy.md 'no-new-unsafe-replay: kept'
gate 3 no-new-unsafe-replay spec/default.policy.md "$trusts" 'no-new-unsafe-replay: broken by 1'
gate 3 no-new-retries,no-lost-reminders "$SPEC" "$looser" 'no-new-retries: broken by 1' 'no-lost-reminders: kept'
gate 3 no-lost-reminders "$SPEC" "$reminder" 'no-lost-reminders: broken by 1'
gate 3 no-new-retries "$SPEC" "$facts"
gate 0 no-new-retries,no-lost-reminders,no-longer-waits,no-new-unsafe-replay "$SPEC" "$host"
try 1 diff --gate no-new-retrys "$SPEC" "$host"
says "recourse diff: there is no gate 'no-new-retrys': did you mean 'no-new-retries'?"
try 1 diff --gate zebra "$SPEC" "$host"
says "recourse diff: there is no gate 'zebra': there are no-new-retries, no-lost-reminders, no-longer-waits and no-new-unsafe-replay"

# ---- forms ----

try 2 diff --markdown "$SPEC" "$looser"
has stdout "$out" '### lightspeed: looser

'
has stdout "$out" '
| at most | old | new |
|---|---|---|
| tries | 3 | 4 |
| requests | 3 | 4 |
| waiting | 3 s | 7 s |

**1. tried again, and was not before; it may be done twice (looser)**

| | old | new |
|---|---|---|
| run | rate\_limited, rate\_limited, rate\_limited | rate\_limited, rate\_limited, rate\_limited |
| then | 3b to model, reminder: '
try 2 diff --json "$SPEC" "$looser"
has stdout "$out" '{"verdict":"looser","prose_only":false,"complete":true,"old":{"name":"lightspeed","path":'
has stdout "$out" '"differences":[{"change":"more-tries","leans":"looser","unsafe_replay":true,"claimed_harmless":false,"longer":true,"about":null,"old":{"words":["rate_limited","rate_limited","rate_limited"],"rows":["P1","A3","B1","A3","B1","A3","E1"],"what":'
try 3 diff --json --gate no-new-retries "$SPEC" "$looser"
has stdout "$out" '"gates":[{"gate":"no-new-retries","kept":false,"broken_by":0}]}'
try 1 diff --json --markdown "$SPEC" "$looser"
says 'recourse diff: --json or --markdown: one of them'
try 1 diff "$SPEC"
says 'recourse diff: which two policies? Give two files, the old one first'
try 1 diff "$SPEC" "$work/none"
says "recourse diff: $work/none: the file can't be read: No such file or directory"
try 1 diff "$bad" "$SPEC"
has stderr "$err" "recourse diff: $bad has errors: nothing was compared"

# ---- git ----

if command -v git >/dev/null; then
    what='git diff'
    repository=$work/repository
    mkdir -p "$repository/spec"
    cp "$SPEC" "$repository/spec"
    (
        cd "$repository" || exit 1
        export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
        git init -q
        echo '*.policy.md diff=recourse' >>.gitattributes
        git config diff.recourse.command "'$RECOURSE' diff"
        git add -A
        git -c user.name=n -c user.email=e commit -qm policies
        cp "$looser" spec/lightspeed.policy.md
        git diff >"$work/git.looser" 2>"$work/git.err"
        echo $? >>"$work/git.err"
        cp "$bad" spec/lightspeed.policy.md
        git diff >"$work/git.bad" 2>>"$work/git.err"
        echo $? >>"$work/git.err"
        git rm -qf spec/lightspeed.policy.md
        git diff --cached --ext-diff >"$work/git.gone"
        # renamed, as it is and changed; another mode, in the work tree and staged; not merged
        git reset -q --hard
        git mv spec/lightspeed.policy.md spec/speed.policy.md
        git diff -M HEAD >"$work/git.moved" 2>>"$work/git.err"
        echo $? >>"$work/git.err"
        sed 's/^# lightspeed$/# speed/' "$looser" >spec/speed.policy.md
        git diff -M HEAD >"$work/git.renamed" 2>>"$work/git.err"
        echo $? >>"$work/git.err"
        git reset -q --hard
        chmod +x spec/lightspeed.policy.md
        git diff >"$work/git.mode" 2>>"$work/git.err"
        echo $? >>"$work/git.err"
        git add -A
        git diff --cached >>"$work/git.mode" 2>>"$work/git.err"
        echo $? >>"$work/git.err"
        git reset -q --hard
        for side in one two; do
            git checkout -q -b $side HEAD
            echo "$side" >>spec/lightspeed.policy.md
            git -c user.name=n -c user.email=e commit -qam $side
            git checkout -q -
        done
        git checkout -q one
        git -c user.name=n -c user.email=e merge -q two >/dev/null 2>&1
        git diff --cached >"$work/git.unmerged" 2>>"$work/git.err"
        echo $? >>"$work/git.err"
    )
    is 'renamed' "$(cat "$work/git.moved")" 'spec/lightspeed.policy.md: is now spec/speed.policy.md
same: spec/speed.policy.md: nothing else changed'
    has 'renamed and changed' "$(cat "$work/git.renamed")" 'spec/lightspeed.policy.md: is now spec/speed.policy.md
looser: spec/lightspeed.policy.md -> spec/speed.policy.md
at most: 3 -> 4 tries'
    is 'another mode' "$(cat "$work/git.mode")" 'spec/lightspeed.policy.md: mode 100644 -> 100755
same: spec/lightspeed.policy.md: nothing else changed
spec/lightspeed.policy.md: mode 100644 -> 100755
same: spec/lightspeed.policy.md: nothing else changed'
    is 'not merged' "$(cat "$work/git.unmerged")" 'spec/lightspeed.policy.md: not merged yet'
    has 'stdout' "$(cat "$work/git.looser")" "looser: spec/lightspeed.policy.md -> spec/lightspeed.policy.md
at most: 3 -> 4 tries"
    has 'what cannot be compared' "$(cat "$work/git.bad")" 'spec/lightspeed.policy.md: not compared, since one of the two has errors'
    has 'a policy that is gone' "$(cat "$work/git.gone")" 'spec/lightspeed.policy.md: the policy is deleted'
    is 'statuses' "$(grep -c '^0$' "$work/git.err")" 7
else
    echo 'cli: skipped, since git is not in PATH: git diff'
    skipped=$((skipped + 1))
fi

# facts that diff names are what classify takes for the failures that it names
for a in default lightspeed pageindex; do
    for b in default lightspeed pageindex; do
        [ $a = $b ] && continue
        "$RECOURSE" diff --json spec/$a.policy.md spec/$b.policy.md | grep -oE '"about":"\{([^"\\]|\\.)*","old":\{"words":\[\],"rows":\[[^]]*\],"what":"[a-z_]*' >"$work/facts"
        [ "$(grep -c . "$work/facts")" -ge 10 ]
        note $? "diff $a $b names facts"
        sed -E 's/^"about":"(.*)","old":.*/\1/; s/\\(["\\])/\1/g' "$work/facts" | "$RECOURSE" classify --policy $a |
            sed -E 's/.*"failure":"([a-z_]*)".*/\1/' >"$work/taken"
        sed -E 's/.*"what":"//' "$work/facts" | cmp -s - "$work/taken"
        note $? "classify takes the facts of diff $a $b for what it says"
    done
done
