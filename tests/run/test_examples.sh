#!/usr/bin/env bash
# The two examples of embedding: what they print, and what embed_core needs at run time. Builds nothing.
set -u
B=${B:-build}
passed=0
failed=0
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

good() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "examples: $1"
}
# same WHAT FILE EXPECTED: compares a file with a text
same() {
    if printf '%s\n' "$3" | diff -u - "$2" >"$work/diff"; then
        good
    else
        bad "$1 is not what it should be:"
        cat "$work/diff"
    fi
}
# line SPEC-ROW: the line of a row of a state table
line() { grep -n "^| $1 |" spec/lightspeed.policy.md | head -n 1 | cut -d: -f1; }

# ---- embed_core ----

if "$B/embed_core" >"$work/core" 2>"$work/core.err" && [ ! -s "$work/core.err" ]; then
    good
else
    bad "embed_core exited with $?, and said: $(cat "$work/core.err")"
fi
same "the output of embed_core" "$work/core" "list_pods
  ready: P1 (line $(line P1)) -> try 1
  ok: A1 (line $(line A1)) -> scenario ok
  three pods
get_quota
  ready: P1 (line $(line P1)) -> try 1
  permanent: A4 (line $(line A4)) -> scenario 3a
  Tool 'get_quota' execution failed after 1 attempt(s): unknown field \"nmae\".
run_query
  ready: P1 (line $(line P1)) -> try 1
  transient: A2 (line $(line A2)) -> waits 200 ms
  elapsed: B1 (line $(line B1)) -> try 2
  rate_limited: A3 (line $(line A3)) -> waits 2000 ms
  elapsed: B1 (line $(line B1)) -> try 3
  permanent: A5 (line $(line A5)) -> scenario 3b
  Tool 'run_query' execution failed after 3 attempt(s): not yours. Do not retry this exact tool call.
read_file
  ready: P1 (line $(line P1)) -> try 1
  transient: A2 (line $(line A2)) -> waits 200 ms
  elapsed: B1 (line $(line B1)) -> try 2
  ok: A1 (line $(line A1)) -> scenario ok
  42 lines"

# Sanitizers and coverage bring their own symbols: then the plain build is the one to look at.
symbols=$(nm -u "$B/embed_core" | awk '{print $NF}' | sed 's/@.*//')
if nm "$B/embed_core" | grep -Eq '__(asan|ubsan|tsan|msan|sanitizer|gcov|llvm)'; then
    echo "examples: embed_core is instrumented, its symbols are not looked at"
else
    start='__libc_start_main|__gmon_start__|__cxa_finalize|_ITM_(de)?registerTMCloneTable'
    checks='__stack_chk_fail|__(memcpy|memset|memmove|printf|fprintf|snprintf|vsnprintf|strcpy)_chk|__assert_fail'
    bytes='mem(cpy|set|move|cmp|chr)|bcmp|str(len|cmp|ncmp|chr|rchr|str|spn|cspn)|__ctype_b_loc|bsearch'
    streams='(f|s|sn|vsn)?printf|puts|putchar|f(puts|putc|write)|stderr|stdout'
    others=$(grep -Ev "^($start|$checks|$bytes|$streams)\$" <<<"$symbols")
    if [ -n "$symbols" ] && [ -z "$others" ]; then
        good
    else
        bad "embed_core needs more than libc's own: $(tr '\n' ' ' <<<"$others")"
    fi
    needed=$(readelf -d "$B/embed_core" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' | tr '\n' ' ')
    if [ "$needed" = "libc.so.6 " ]; then
        good
    else
        bad "embed_core is linked with $needed"
    fi
fi

# ---- embed_poll ----

mkfifo "$work/stdin" "$work/port"
"$B/faulty-server" /fetch "503 wait=100 body='temporarily out of order' | 200 body='three pods'" \
    /down "500 wait=100 body='no such column'" <"$work/stdin" >"$work/port" &
server=$!
exec 9>"$work/stdin"
read -r port <"$work/port"

# poll PATH EXPECTED
poll() {
    if timeout 20 "$B/embed_poll" "http://127.0.0.1:$port$1" >"$work/poll" 2>"$work/poll.err" && [ ! -s "$work/poll.err" ]; then
        good
    else
        bad "embed_poll $1 failed, and said: $(cat "$work/poll.err")"
    fi
    same "the output of embed_poll $1" "$work/poll" "$2"
}

poll /fetch "fetch: ready, try 1 P1
clock: ready, try 1 P1
clock: ok, reported to the model A1
clock -> It is a quarter past nine.
fetch: transient, waits 200 ms A2
fetch: elapsed, try 2 B1
fetch: ok, reported to the model A1
fetch -> three pods
0 bytes of memory are left in use"

poll /down "fetch: ready, try 1 P1
clock: ready, try 1 P1
clock: ok, reported to the model A1
clock -> It is a quarter past nine.
fetch: permanent, reported to the model A4
fetch -> Tool 'fetch' execution failed after 1 attempt(s): no such column.
0 bytes of memory are left in use"

if "$B/embed_poll" >/dev/null 2>"$work/usage"; then
    bad "embed_poll without a URL succeeds"
else
    same "the usage of embed_poll" "$work/usage" "usage: embed_poll URL"
fi
if "$B/embed_poll" ftp://127.0.0.1/ >/dev/null 2>"$work/usage"; then
    bad "embed_poll takes any URL"
else
    same "the error of embed_poll" "$work/usage" "embed_poll: RECOURSE_E_ARGUMENT: tool 'fetch' needs a URL that begins with http:// or https://"
fi

exec 9>&-
if wait "$server"; then good; else bad "faulty-server did not end well"; fi
server=

echo "examples: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
