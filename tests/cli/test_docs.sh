#!/usr/bin/env bash
# What README.md and spec/README.md say is what the command does. RECOURSE names the binary.
#
# - A fenced block that names a file (```markdown mine.policy.md) is written to that file; policies pass `check` and are canonical.
# - A line `$ ... build/recourse ...` in a fenced block is run, and its output compared with the lines below it; `...` alone on
#   a line matches any lines. `# with A5's guard changed to `first try`` behind a command changes that cell before, in the last
#   policy that the command names; `old/` has the policies as they were.
# - The first example on the help page of some commands is run as well; that page breaks lines where it likes.
# - The tables of spec/README.md about effects and waits are asked of the compiler, row by row (that about conditions:
#   tests/unit/test_language.c).
# - Each word that the compiler expects somewhere stands in spec/README.md and on the page of `recourse help policy`.
# shellcheck disable=SC2016,SC2001 # texts with dollars and backquotes; sed where patterns are meant
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
RECOURSE=$(realpath "${RECOURSE:-build/recourse}")
[ -x "$RECOURSE" ] || {
    echo "docs: there is no $RECOURSE"
    echo 'docs: 0 passed, 1 failed'
    exit 1
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

note() { # note STATUS NAME [DETAIL]
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'docs: FAILED: %s\n' "$2"
        [ -z "${3-}" ] || printf '%s\n' "$3" | sed 's/^/    /'
    fi
}

is() { # is NAME ACTUAL EXPECTED
    [ "$2" = "$3" ]
    note $? "$1" "is:  $2
not: $3"
}

# ---- cells of tables ----

# set_cell FILE ID COLUMN VALUE: changes one cell of the row with this id; COLUMN is a name in the table's header.
set_cell() {
    ID=$2 COLUMN=$3 VALUE=$4 awk '
        { line = $0; gsub(/\\\|/, "\001", line) }
        line ~ /^\|/ && !table { count = split(line, header, / *\| */); table = 1 }
        line !~ /^\|/ { table = 0 }
        table && index(line, "| " ENVIRON["ID"] " |") == 1 {
            split(line, cells, / *\| */)
            line = "|"
            for (i = 2; i < count; i++) {
                line = line " " (header[i] == ENVIRON["COLUMN"] ? ENVIRON["VALUE"] : cells[i]) " |"
            }
        }
        { gsub("\001", "\\|", line); print line }
    ' "$1" >"$1.new" && ! cmp -s "$1" "$1.new" && mv "$1.new" "$1"
}

# rows HEADER: the cells of the table with this header in spec/README.md, one row a line, parted by tabs, without code marks.
rows() {
    HEADER=$1 awk '
        $0 == ENVIRON["HEADER"] { found = 1; next }
        found && !/^\|/ { exit }
        found && !/^\|-/ {
            gsub(/^\| *| *\|$/, "")
            gsub(/ +\| +/, "\t")
            gsub(/`/, "")
            print
        }
    ' spec/README.md
}

# ---- files and examples ----

# Commands are run in a directory that looks like the root of the repository.
place() {
    rm -rf "$work/root"
    mkdir -p "$work/root/build"
    ln -s "$RECOURSE" "$work/root/build/recourse"
    cp -r spec "$work/root/spec"
    cp -r spec "$work/root/old"
    cp "$work"/files/* "$work/root/" 2>/dev/null
}

# write_files DOCUMENT: the fenced blocks that name a file.
write_files() {
    mkdir -p "$work/files"
    awk -v to="$work/files/" '
        /^```/ { name = name == "" && !fence && $2 ~ /^[a-z_.]+$/ ? $2 : ""; fence = !fence; next }
        fence && name != "" { print >(to name) }
    ' "$1"
}

# matches ACTUAL EXPECTED (files): line by line; `...` is any lines.
matches() {
    awk '
        FILENAME == ARGV[1] { actual[++n] = $0; next }
        { expected[++m] = $0 }
        END {
            can[0, 0] = 1
            for (j = 1; j <= m; j++) {
                for (i = 0; i <= n; i++) {
                    if (expected[j] == "...") {
                        can[i, j] = can[i, j - 1] || (i && can[i - 1, j])
                    } else {
                        can[i, j] = i && can[i - 1, j - 1] && actual[i] == expected[j]
                    }
                }
            }
            exit can[n + 0, m + 0] ? 0 : 1
        }
    ' "$1" "$2"
}

# The matcher has to be able to say no.
judge_matcher() {
    local actual expected verdict
    while IFS=/ read -r actual expected verdict; do
        printf '%b' "$actual" >"$work/actual"
        printf '%b' "$expected" >"$work/expected"
        matches "$work/actual" "$work/expected"
        is "matcher: $actual / $expected" $? "$verdict"
    done <<'END'
a\nb\n/a\nb\n/0
a\nb\n/a\n/1
a\n/a\nb\n/1
a\nb\n/a\nc\n/1
a\nb\nc\n/a\n...\n/0
a\nb\nc\n/...\nc\n/0
a\nb\nc\n/...\nb\n/1
a\n/a\n...\n/0
a\n//1
/a\n/1
END
}

# A cell that the comment behind a command changes; `guard` is the column `if`.
apply_change() {
    local command=$1 file id column value
    [[ $command =~ \#\ with\ ([A-Za-z0-9_]+)\'s\ ([a-z ]+)\ changed\ to\ \`(.*)\`$ ]] || return 0
    id=${BASH_REMATCH[1]}
    column=${BASH_REMATCH[2]}
    value=${BASH_REMATCH[3]}
    [ "$column" != guard ] || column='if'
    file=$(printf '%s\n' "$command" | grep -oE '[A-Za-z_/]+\.policy\.md' | tail -n 1)
    set_cell "$work/root/$file" "$id" "$column" "$value"
    note $? "$command: the cell to be changed is there"
}

run_example() { # run_example DOCUMENT:LINE COMMAND, with what is expected in $work/expected
    local status
    place
    apply_change "$2"
    (cd "$work/root" && bash -c "$2") >"$work/actual" 2>&1 </dev/null
    status=$?
    [ $status -le 4 ] && matches "$work/actual" "$work/expected"
    note $? "$1: $2 (exit status $status)" "$(diff "$work/expected" "$work/actual")"
}

run_examples() { # run_examples DOCUMENT
    local number=0 fence='' command='' at='' line examples=0
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        if [ -n "$command" ] && { [[ $line == '```'* ]] || [[ $line == '$ '* ]]; }; then
            run_example "$1:$at" "$command"
            command=''
            examples=$((examples + 1))
        fi
        if [[ $line == '```'* ]]; then
            [ -n "$fence" ] && fence='' || fence=1
        elif [ -n "$fence" ] && [[ $line == '$ '*build/recourse* ]]; then
            command=${line#'$ '}
            at=$number
            : >"$work/expected"
        elif [ -n "$command" ]; then
            printf '%s\n' "$line" >>"$work/expected"
        fi
    done <"$1"
    [ $examples -gt 0 ]
    note $? "$1: has examples"
}

# run_help COMMAND: letter by letter, since blanks don't count.
run_help() {
    local command
    "$RECOURSE" help "$1" >"$work/page"
    command=$(awk '/^  \$ / { on = 1; sub(/^  \$ /, "") } on { print } on && !/\|$/ { exit }' "$work/page")
    awk 'on && /^(  \$ .*)?$/ { exit } on == 2; /^  \$ / { on = 1 } on == 1 && !/\|$/ { on = 2 }' "$work/page" |
        tr -d ' \n' | sed 's/\.\.\./\x01/g' | fold -w 1 | sed 's/\x01/.../' >"$work/expected"
    place
    (cd "$work/root" && PATH=$work/root/build:$PATH bash -c "$command") 2>&1 </dev/null |
        tr -d ' \n' | fold -w 1 >"$work/actual"
    [ -s "$work/expected" ] && matches "$work/actual" "$work/expected"
    note $? "recourse help $1: $command" "$(tr -d '\n' <"$work/actual")"
}

check_policies() {
    local file count=0
    for file in "$work"/files/*.policy.md; do
        "$RECOURSE" check --strict "$file" >"$work/actual" 2>&1
        note $? "$(basename "$file"): passes check" "$(cat "$work/actual")"
        "$RECOURSE" fmt --check "$file" >"$work/actual" 2>&1
        note $? "$(basename "$file"): is canonical" "$(cat "$work/actual")"
        count=$((count + 1))
    done
    [ -e "$work/files/mine.policy.md" ] && [ $count -ge 1 ]
    note $? 'spec/README.md has a policy of its own'
}

# ---- tables ----

probe() { # probe [ID COLUMN VALUE]...: the probing policy with these cells
    mkdir -p "$work/probe"
    cp tests/cli/probe.policy.md "$work/probe/"
    while [ $# -gt 0 ]; do
        set_cell "$work/probe/probe.policy.md" "$1" "$2" "$3" || true
        shift 3
    done
}

findings() { "$RECOURSE" check "$work/probe/probe.policy.md" 2>&1; }

check_effects() {
    local condition verdict count=0 said
    while IFS=$'\t' read -r condition verdict; do
        probe F1 when "$condition" F1 effect none Y1 facts 'http 200' Y1 failure ok Y1 effect 'done'
        [ "$condition" != other ] || probe F2 effect none F1 when 'http 200' Y1 facts 'http 200' Y1 failure ok Y1 effect 'done'
        said=$(findings)
        case $said in
        *'error[unproven-none]'*) said=error ;;
        *'error['*) ;;
        *'notice[weak-none]'*) said=notice ;;
        *) said=proved ;;
        esac
        is "effect none of $condition" "$said" "$verdict"
        count=$((count + 1))
    done < <(rows '| condition | effect none |')
    [ $count -ge 30 ]
    note $? "spec/README.md: effects ($count)"
}

# field JSON KEY: the last value of this key
field() { printf '%s\n' "$1" | grep -oE "\"$2\":(\[[^]]*\]|[^,}]*)" | tail -n 1 | sed "s/\"$2\"://; s/[]\"[]//g; s/,/, /g"; }

simulate() { "$RECOURSE" simulate --json "$work/probe/probe.policy.md" "$@" 2>&1; }

check_schedules() {
    local delays counts waits said expected words count=0
    while IFS=$'\t' read -r delays counts waits; do
        probe w delays "$delays" w counts "$counts"
        expected=${waits%, then tries spent}
        words=()
        for _ in ${expected//,/}; do words+=(probed); done
        [ "$expected" = "$waits" ] || words+=(probed)
        said=$(simulate "${words[@]}")
        is "waits of $delays" "$(field "$said" waits_ms)" "$expected"
        [ "$expected" = "$waits" ] || is "end of $delays" "$(field "$said" reason)" 'tries spent'
        count=$((count + 1))
    done < <(rows '| delays | counts | before tries 2, 3, 4, 5 |')
    [ $count -ge 5 ]
    note $? "spec/README.md: schedules ($count)"
}

check_jitters() {
    local jitter window said count=0
    while IFS=$'\t' read -r jitter window; do
        probe w jitter "$jitter"
        said=$(simulate probed)
        is "window of $jitter" "$(field "$said" wait_min_ms) to $(field "$said" wait_max_ms)" "$window"
        count=$((count + 1))
    done < <(rows '| jitter | window of 1s, in ms |')
    [ $count = 6 ]
    note $? "spec/README.md: kinds of jitter ($count)"
}

check_server_delays() {
    local mode asked wait window said count=0
    while IFS=$'\t' read -r mode asked wait window; do
        probe w 'server delay' "$mode"
        said=$(simulate "probed@$asked")
        if [ "$window" = - ]; then
            is "$mode, asked for $asked" "$(field "$said" reason)" "$wait"
        else
            is "$mode, asked for $asked" "$(field "$said" waits_ms), $(field "$said" wait_min_ms) to $(field "$said" wait_max_ms)" \
                "$wait, $window"
        fi
        count=$((count + 1))
    done < <(rows '| server delay | server asks for | wait before jitter | window, in ms |')
    [ $count -ge 9 ]
    note $? "spec/README.md: server delays ($count)"
}

# ---- words ----

# A word stands in spec/README.md in code marks, on the page anywhere.
is_described() { # is_described KIND WORD
    local code=$2
    [ "$1" != placeholder ] || code="[{]$2[}]"
    grep -qE "\`$code(\`|[ ,])" spec/README.md
    note $? "spec/README.md: $1 '$2'"
    grep -qE "(^|[^a-z_])$2([^a-z_]|\$)" "$work/page"
    note $? "recourse help policy: $1 '$2'"
}

# ask KIND AFTER [ID COLUMN VALUE]...: the words that the finding lists behind AFTER; VALUE is no word of the language.
ask() {
    local kind=$1 after=$2 list word count=0
    shift 2
    probe "$@"
    list=$(findings | sed -nE "s/.*$after (.*)/\\1/p" | head -n 1 | sed -E "s/[,;]? found .*//; s/'//g; s/ or /, /g; s/, else/ else/g")
    while IFS= read -r word; do
        word=$(printf '%s' "$word" | sed -E 's/^ +| +$//g; s/ up to .*| [0-9].*//')
        case $word in '' | - | probed | failed) continue ;; esac
        is_described "$kind" "$word"
        count=$((count + 1))
    done < <(printf '%s\n' "$list" | tr ',' '\n')
    [ $count -ge 2 ]
    note $? "words of $kind ($count)" "$list"
}

check_words() {
    local setting
    "$RECOURSE" help policy >"$work/page" 2>&1
    note $? 'recourse help policy'
    ask condition 'expected one of' F1 when zzz
    ask fact 'expected one of' Y1 facts zzz
    ask 'event of precondition' 'there are' P2 on zzz
    ask 'event of attempt' 'there are' A1 on zzz
    ask 'event of backoff' 'there are' B2 on zzz
    ask 'event of exhausted' 'there are' E1 on zzz
    ask 'guard of attempt' "expected '-', or one of" A2 'if' zzz
    ask 'guard of exhausted' "expected '-', or one of" E1 'if' zzz
    ask next 'expected one of' A2 next zzz
    ask tell 'expected one of' over tell zzz
    ask effect 'expected one of' F1 effect zzz
    ask counts 'expected one of' w counts zzz
    ask jitter expected w jitter zzz
    ask 'server delay' expected w 'server delay' zzz
    ask placeholder 'there are' over text '"{zzz}"'
    ask 'column of Waits' 'unknown column .zzz.*: expected' id delays zzz
    for setting in 'tries' 'try timeout' 'call deadline' 'unsafe replay' 'reminder' 'reason' 'sensitive values' \
        'sensitive names' 'approval timeout' 'repeated failures' 'output'; do
        probe
        sed -i "/^| $setting |/d" "$work/probe/probe.policy.md"
        findings | grep -q "'$setting' is missing"
        note $? "the setting '$setting' is needed"
        is_described setting "$setting"
    done
    probe
    sed -i "s/^| output .*/&\n| audit | perhaps |/" "$work/probe/probe.policy.md"
    findings | grep -q "continue, or refuse"
    note $? "the setting 'audit' may be written" "$(findings)"
    is_described setting audit
    for setting in resumes rounds; do
        probe
        sed -i "s/^| output .*/&\n| $setting | 0 |/" "$work/probe/probe.policy.md"
        findings | grep -q "$setting.*from 1 to 1000"
        note $? "the setting '$setting' may be written" "$(findings)"
        is_described setting "$setting"
    done
    probe
    sed -i '/^| tries |/d; /^| output |/d; /^| language |/d' "$work/probe/probe.policy.md"
    is 'settings that are missing' "$(findings | grep -c 'error\[missing-setting\]')" 3
    probe
    sed -i '/^| [a-z ]* | none |$/d; /^| \(tries\|reminder\|unsafe replay\) |/d' "$work/probe/probe.policy.md"
    is 'settings besides language' "$(findings | grep -c 'error\[missing-setting\]')" 11
}

mkdir -p "$work/files"
judge_matcher
for document in README.md spec/README.md; do
    write_files "$document"
done
check_policies
run_examples README.md
run_examples spec/README.md
for command in check fmt simulate classify paths; do
    run_help "$command"
done
check_effects
check_schedules
check_jitters
check_server_delays
check_words
printf 'docs: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
