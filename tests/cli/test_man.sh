#!/usr/bin/env bash
# The man pages against --help: each word of it, in its order, and every option; and texts that roff would take for its own.
# shellcheck disable=SC2020 # blanks and line breaks
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
RECOURSE=$(realpath "${RECOURSE:-$B/recourse}")
passed=0
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

note() { # note WHETHER NAME [DETAIL]
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'man: FAILED: %s\n' "$2"
        [ -z "${3-}" ] || printf '%s\n' "$3" | sed 's/^/    /'
    fi
}

# What a reader sees of a page: without requests, fonts and escapes.
seen() {
    sed -E -e '/^\.SH /s/^\.SH //' -e '/^\.(\\"|TH|TP|PP|RS|RE|EX|EE|nf|fi)/d' -e 's/\\f[BIR]//g' -e 's/^\\&//' \
        -e "s/\\\\\\(aq/'/g" -e 's/\\\(ga/`/g' -e 's/\\\(ha/^/g' -e 's/\\\(ti/~/g' -e 's/\\-/-/g' -e 's/\\e/\\/g' "$1"
}

# The words of a help text that are missing in a page, in the order of the text. Headings and their like in any case.
missing() { # missing HELP PAGE
    seen "$2" | tr -s ' \n' '\n\n' | tr '[:upper:]' '[:lower:]' | sed 's/:$//' >"$work/there"
    sed 's/^Usage: //; s/^Exit status: /EXIT STATUS /; s/^       recourse/recourse/' "$1" | tr -s ' \n' '\n\n' |
        tr '[:upper:]' '[:lower:]' | sed 's/:$//' | awk -v there="$work/there" '
            BEGIN { while ((getline word <there) > 0) left[++count] = word; at = 1 }
            $0 == "" { next }
            {
                for (i = at; i <= count && left[i] != $0; i++) { }
                if (i <= count) at = i + 1; else print
            }'
}

# roff NAME PAGE: what formatters say about it, where there are any
roff() {
    local said=
    command -v groff mandoc >/dev/null || return 0
    if command -v groff >/dev/null; then said=$(groff -man -ww -z "$2" 2>&1); fi
    if command -v mandoc >/dev/null; then said=$said$(mandoc -Tlint "$2" 2>&1); fi
    [ -z "$said" ]
    note $? "$1: a formatter finds fault" "$said"
}

commands=$("$RECOURSE" --help | sed -n '/^Commands:$/,/^$/s/^  *\([a-z]*\) .*/\1/p')
[ "$(echo "$commands" | grep -c .)" -ge 6 ]
note $? 'recourse --help has a list of commands' "$commands"
expected=$(for command in '' $commands; do echo "recourse${command:+-$command}.1"; done | LC_ALL=C sort)
[ "$(cd "$B/man" && LC_ALL=C ls)" = "$expected" ]
note $? 'a page for each command' "$(ls "$B/man")"

for command in '' $commands; do
    name=recourse${command:+-$command}
    page=$B/man/$name.1
    # shellcheck disable=SC2086 # none, or one
    "$RECOURSE" $command --help >"$work/help"
    # The first words say what the name is, before Usage; DESCRIPTION comes after SYNOPSIS.
    if [ -z "$command" ]; then sed '/^Usage: /,$!d' "$work/help" >"$work/rest"; else cp "$work/help" "$work/rest"; fi
    lacks=$(missing "$work/rest" "$page")
    [ -z "$lacks" ]
    note $? "$name: words of --help that are not in the page" "$lacks"
    for option in $(grep -oE -- '(^|[ [(])--?[a-z][a-z-]*' "$work/help" | tr -d ' [(' | sort -u); do
        seen "$page" | grep -qE -- "(^|[^a-z-])$option([^a-z-]|\$)"
        note $? "$name: $option is not in the page"
    done
    for heading in NAME SYNOPSIS DESCRIPTION 'SEE ALSO'; do
        [ "$(grep -cx ".SH $heading" "$page")" = 1 ]
        note $? "$name: has $heading once"
    done
    ! LC_ALL=C grep -q '[^ -~]' "$page"
    note $? "$name: is ASCII"
    roff "$name" "$page"
done

# ---- texts that roff would take for its own ----

cat >"$work/hostile" <<'HOSTILE'
#!/bin/sh
if [ "$1" = --help ]; then
    printf 'Usage: recourse COMMAND\n\nCommands:\n  odd   .TH of a page\n\n'
    exit
fi
cat <<'PAGE'
Usage: recourse odd [-x] \e.SPEC
       recourse odd --all

.so /etc/passwd is no request here, nor is \fBthis\fR a font; x\
'quoted' at the beginning, `ticks`, a ^ and a ~, well-formed --dashes-here and -1.
word-word-word-word-word-word word-word-word-word-word-word word-word-word-word 'word'

Two words:
  .a    'first' line
        .second line
  'b'   \n

Options:
  -x, --extra-long FILE  -1 or - or .5
      --all              -x

Example:
  .B bold
  'tis  a  list  of  none
  $ odd \\ --all

Exit status: 0.
PAGE
HOSTILE
chmod +x "$work/hostile"
SOURCE_DATE_EPOCH=86400 tools/man "$work/hostile" "$work/man" 9.8 2>&1
note $? 'a hostile text makes a page'
cat >"$work/expected" <<'EXPECTED'
.\" Made from what the command prints for --help; do not edit.
.TH RECOURSE\-ODD 1 1970-01-02 "recourse 9.8" "recourse manual"
.SH NAME
recourse\-odd \-
\&.TH of a page
.SH SYNOPSIS
.nf
\fBrecourse odd\fR [\-x] \ee.SPEC
\fBrecourse odd\fR \-\-all
.fi
.SH DESCRIPTION
\&.so /etc/passwd is no request here, nor is \efBthis\efR a font; x\e
\&\(aqquoted\(aq at the beginning, \(gaticks\(ga, a \(ha and a \(ti, well-formed
\-\-dashes\-here and \-1.
word-word-word-word-word-word word-word-word-word-word-word
word-word-word-word \(aqword\(aq
.SH TWO WORDS
.TP
\fB.a\fR
\&\(aqfirst\(aq line
\&.second line
.TP
\fB\(aqb\(aq\fR
\en
.SH OPTIONS
.TP
\fB\-x\fR, \fB\-\-extra\-long\fR \fIFILE\fR
\-1 or \- or .5
.TP
\fB\-\-all\fR
\-x
.SH EXAMPLE
.RS 4
.EX
\&.B bold
\&\(aqtis  a  list  of  none
$ odd \e\e \-\-all
.EE
.RE
.SH EXIT STATUS
0.
.SH SEE ALSO
.BR recourse (1)
EXPECTED
same=$(diff "$work/expected" "$work/man/recourse-odd.1")
[ -z "$same" ]
note $? 'the page of a hostile text' "$same"
"$work/hostile" odd >"$work/help"
lacks=$(missing "$work/help" "$work/man/recourse-odd.1")
[ -z "$lacks" ]
note $? 'words of a hostile text that are not in its page' "$lacks"
roff 'the page of a hostile text' "$work/man/recourse-odd.1"

printf 'man: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
