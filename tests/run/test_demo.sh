#!/usr/bin/env bash
# The demo: that it agrees with an honest command, and that it notices one whose report lies. Builds nothing.
set -u
B=${B:-build}
RECOURSE=$(realpath "${RECOURSE:-$B/recourse}")
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

good() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "demo: $1"
}

# liar NAME SED-PROGRAM: a command that runs the real one, and then changes its report
liar() {
    cat >"$work/$1" <<WRAPPER
#!/bin/sh
"$RECOURSE" "\$@" || exit 1
while [ "\$1" != --report ]; do shift; done
sed -i '$2' "\$2"
WRAPPER
    chmod +x "$work/$1"
}
liar tries '0,/"tries": *1/s//"tries":2/'
liar waits '0,/"wait_ms": *1000/s//"wait_ms":1900/'
liar label '0,/"scenario": *"3a"/{s//"scenario":"3b"/g}; s/"scenario": *"3a"/"scenario":"3b"/g'
liar status 's/"status": *"answered"/"status":"failed"/'
liar torn 's/}$//'
printf '#!/bin/sh\nexit 4\n' >"$work/exit4"
chmod +x "$work/exit4"

# They take three seconds each: all at once.
for name in tries waits label status torn exit4; do
    (
        "$B/demo" "$work/$name" >"$work/$name.out" 2>"$work/$name.err"
        echo $? >"$work/$name.status"
    ) &
done
"$B/demo" "$RECOURSE" >"$work/honest.out" 2>"$work/honest.err"
status=$?
wait

if [ $status -eq 0 ] && [ ! -s "$work/honest.err" ]; then
    good
else
    bad "exit status $status with an honest command:"
    tail -n 5 "$work/honest.out" "$work/honest.err"
fi
for text in 'They agree: 19 tries, 19 requests' 'All four scenarios were seen' '^search_logs .* A3, [0-9]* *1s  *1\.[0-9]* s  *3  *3$'; do
    if grep -q "$text" "$work/honest.out"; then good; else bad "'$text' is not in what it prints"; fi
done
if awk '!/^  command/ && length > 120 { exit 1 }' "$work/honest.out"; then good; else bad "a line is too long"; fi

# lie NAME TEXT: what the demo has to say about a lie
lie() {
    if [ "$(cat "$work/$1.status")" -eq 1 ] && cat "$work/$1.out" "$work/$1.err" | grep -q "$2"; then
        good
    else
        bad "a lie about $1 is not noticed: exit status $(cat "$work/$1.status")"
        tail -n 5 "$work/$1.out" "$work/$1.err"
    fi
}
lie tries '^list_pods: the report has 2 tries, the server saw 1 requests$'
lie waits '^search_logs: the report waited 1900 ms after try 1, the server saw a gap of 1[0-9]* ms$'
lie label '^scenario 3a was not seen$'
lie status '^the run is failed, where answered was expected$'
lie torn 'is no report$'
lie exit4 'exit4 exited with 4$'

if "$B/demo" "$work/nothing" >"$work/out" 2>&1; then
    bad "succeeds without a command"
elif [ "$(cat "$work/out")" = "demo: $work/nothing is not there: \`make\` builds it" ]; then
    good
else
    bad "without a command it says: $(cat "$work/out")"
fi

echo "demo: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
