# shellcheck shell=bash disable=SC2154,SC2034,SC2086 # read by test_cli.sh
# `mutants`, on a small policy whose examples have gaps; `completion`, asked by bash itself.

# ---- mutants ----

try 1 mutants --jobs 2 tests/unit/policies/plain.policy.md
plain=$out
try 1 mutants --jobs 1 tests/unit/policies/plain.policy.md
is 'as many jobs, the same text' "$out" "$plain"
is 'nothing on stderr, which is no terminal' "$err" ''
has stdout "$plain" ': unnoticed: '
summary=$(tail -n 1 "$work/out")
has summary "$summary" ' equivalent, '
counts=$(echo "$summary" | grep -oE '[0-9]+' | tr '\n' ' ')
is 'the counts add up' "$(echo "$counts" | awk '{print ($1 == $2 + $3 + $4 + $5) ? "yes" : $0}')" yes
is 'a line for each that is unnoticed' "$(grep -c ': unnoticed: ' "$work/out")" "$(echo "$counts" | awk '{print $5}')"
try 1 mutants --json tests/unit/policies/plain.policy.md
has stdout "$out" '{"path":"tests/unit/policies/plain.policy.md","caught":'
is 'those not caught' "$(grep -o '"fate":"unnoticed"' "$work/out" | wc -l | tr -d ' ')" "$(echo "$counts" | awk '{print $5}')"
try 1 mutants
says 'recourse mutants: which policy? Give one file, such as spec/lightspeed.policy.md'
try 1 mutants --jobs 0 "$SPEC"
says 'recourse mutants: --jobs takes a number from 1 to 64'
try 1 mutants --timeout soon "$SPEC"
says "recourse mutants: --timeout takes a time such as 90s or 10m, not 'soon'"
try 1 mutants --timeout 1ms spec/default.policy.md
[[ $err =~ ^recourse\ mutants:\ stopped\ after\ 1\ ms,\ with\ ([0-9]+)\ of\ ([0-9]+)\ changes\ not\ judged:\ --timeout\ gives\ it\ more$ ]] &&
    [ "${BASH_REMATCH[1]}" -gt 0 ] && [ "${BASH_REMATCH[1]}" -le "${BASH_REMATCH[2]}" ]
note $? 'mutants that is out of time says so' "$err"
try 1 mutants "$bad"
has stderr "$err" "recourse mutants: $bad has errors: nothing was changed"

# an example that comes out otherwise is said, and is no reason to call every change caught
mkdir "$work/otherwise"
otherwise=$work/otherwise/plain.policy.md
awk '!done && /^\| X/ { gsub(/\| [0-9]+ \| /, "| 9 | "); done = 1 } { print }' tests/unit/policies/plain.policy.md >"$otherwise"
try 1 mutants "$otherwise"
has stderr "$err" "recourse mutants: warning: $otherwise: examples come out otherwise (X"
[ "$(grep -c ': unnoticed: ' "$work/out")" -ge "$(echo "$counts" | awk '{print $5}')" ]
note $? 'without that example no fewer are unnoticed'

# ---- completion ----

# offers WORD...: what bash would offer for the last word
offers() {
    COMP_WORDS=(recourse "$@") COMP_CWORD=$# bash -c '
        source "$1"; shift; COMP_WORDS=(recourse "$@"); COMP_CWORD=$#; _recourse; printf "%s\n" "${COMPREPLY[@]}"' \
        offers "$work/completion" "$@" | tr '\n' ' ' | sed 's/ $//'
}

try 0 completion bash
cp "$work/out" "$work/completion"
is 'bash registers it' "$(bash -c 'source "$1"; complete -p recourse' . "$work/completion")" 'complete -o filenames -F _recourse recourse'
is 'commands' "$(offers si)" simulate
is 'all commands' "$(offers '' | tr ' ' '\n' | grep -v '^-' | grep -vx help)" \
    "$("$RECOURSE" --help | sed -n '/^Commands:$/,/^$/s/^  *\([a-z]*\) .*/\1/p')"
is 'help' "$(offers help mu)" mutants
is 'codes' "$(offers check --explain overl)" overlap
is 'policies' "$(offers classify --policy light)" lightspeed
is 'shells' "$(offers completion z)" zsh
is 'files' "$(offers check Makef)" Makefile
is 'options' "$(offers check --st)" --strict
for command in $("$RECOURSE" --help | sed -n '/^Commands:$/,/^$/s/^  *\([a-z]*\) .*/\1/p'); do
    for option in $(offers "$command" -- | sed 's/--help//'); do
        "$RECOURSE" "$command" --help | grep -qE -- "(^|[ ,[])$option([^a-z-]|\$)"
        note $? "$command --help has $option"
    done
done
try 0 completion zsh
has stdout "$out" '#compdef recourse'
has stdout "$out" 'mutants) offered=( --json --jobs --timeout --help ) ;;'
if command -v zsh >/dev/null; then
    zsh -n "$work/out"
    note $? 'zsh can read it'
fi
try 1 completion fish
says "recourse completion: there is nothing for 'fish': bash or zsh"
try 1 completion bash zsh
says "recourse completion: one shell at a time, not 'zsh' as well"
try 1 completion
says 'recourse completion: for which shell? bash or zsh'
