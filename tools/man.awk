# One man page from one help text. The text has `Usage:` first, or after some prose; a heading is one or two words and a
# colon, with indented lines under it; indented lines in two columns are a list of terms, any others are shown as they are;
# all else is prose. Variables: name, summary, version, date, also (the pages to see also).

# A backslash means something to roff everywhere, and of the others it would make characters that are not ASCII.
function plain(text) {
    gsub(/\\/, "\\e", text)
    gsub(/'/, "\\(aq", text)
    gsub(/`/, "\\(ga", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    return text
}

# To be typed: hyphens have to stay what they are.
function exact(text) {
    text = plain(text)
    gsub(/-/, "\\-", text)
    return text
}

# No line may begin like a request.
function guarded(text) { return text ~ /^(\.|\\\(aq)/ ? "\\&" text : text }

# In prose a hyphen inside a word of letters is one; in options, numbers and names of files it is to be typed.
function prose(text,    words, count, i, word, line, out) {
    count = split(text, words, / +/)
    for (i = 1; i <= count; i++) {
        word = words[i] ~ /^[A-Za-z]+(-[A-Za-z]+)*[,.:;)]?$/ ? words[i] : exact(words[i])
        if (line != "" && length(line " " word) > 78) {
            out = out guarded(line) "\n"
            line = word
        } else line = line (i > 1 ? " " : "") word
    }
    return out guarded(line)
}

# An option and what it takes, or another term.
function term(text,    words, count, i, out, comma) {
    count = split(text, words, / /)
    for (i = 1; i <= count; i++) {
        comma = words[i] ~ /,$/ ? "," : ""
        sub(/,$/, "", words[i])
        out = out (i > 1 ? " " : "") (i > 1 && words[i] ~ /^[A-Z]+$/ ? "\\fI" : "\\fB") exact(words[i]) "\\fR" comma
    }
    return out
}

function section(title) {
    print ".SH " toupper(title)
    begun = 1
}

# A paragraph of its own, but for the first of a section.
function paragraph() {
    if (!begun) print ".PP"
    begun = 0
}

# ---- blocks: lines of one kind without a blank one between them ----

function synopsis(    i, text) {
    print ".SH SYNOPSIS"
    print ".nf"
    for (i = 1; i <= size; i++) {
        text = substr(block[i], 8) # as long as "Usage: "
        match(text, /^recourse( [a-z]+)*/)
        print "\\fB" exact(substr(text, 1, RLENGTH)) "\\fR" exact(substr(text, RLENGTH + 1))
    }
    print ".fi"
    section("description")
    for (i = 1; i <= held; i++) print before[i]
    begun = held == 0
}

# The column where what is said about the terms begins, the same in all lines; 0: this is no list.
function second_column(    i, at, column) {
    for (i = 1; i <= size; i++) {
        at = match(block[i], /^ *[^ ]+( [^ ]+)*  +[^ ]/) ? RLENGTH : 0
        if (column == 0) column = at
        if (column == 0 || substr(block[i], column - 1, 1) != " " || substr(block[i], column, 1) ~ /^ ?$/) return 0
        if (at != column && substr(block[i], 1, column - 1) !~ /^ *$/) return 0
    }
    return column
}

function list(column,    i, left) {
    for (i = 1; i <= size; i++) {
        left = substr(block[i], 1, column - 1)
        gsub(/^ +| +$/, "", left)
        if (left != "") print ".TP\n" guarded(term(left))
        print prose(substr(block[i], column))
    }
    begun = 0
}

function shown(    i) {
    paragraph()
    print ".RS 4\n.EX"
    for (i = 1; i <= size; i++) print guarded(exact(substr(block[i], 3)))
    print ".EE\n.RE"
}

function told(    i) {
    if (block[1] ~ /^Exit status: /) {
        section("exit status")
        block[1] = substr(block[1], 14)
    }
    if (described) paragraph()
    for (i = 1; i <= size; i++)
        if (described) print prose(block[i])
        else before[++held] = prose(block[i])
}

function end_block(    column) {
    if (size == 0) return
    if (kind == "usage") {
        synopsis()
        described = 1
    } else if (kind == "indented") {
        column = heading ~ /^examples?$/ ? 0 : second_column()
        if (column > 0) list(column)
        else shown()
    } else told()
    size = 0
}

BEGIN {
    print ".\\\" Made from what the command prints for --help; do not edit."
    print ".TH " toupper(exact(name)) " 1 " date " \"recourse " version "\" \"recourse manual\""
    print ".SH NAME\n" exact(name) " \\-\n" prose(summary)
}

/^$/ {
    end_block()
    next
}

{
    now = /^Usage: / || (kind == "usage" && size > 0 && /^       /) ? "usage" : /^ / ? "indented" : "text"
    if (now != kind) end_block()
    kind = now
    if (kind == "text" && size == 0) heading = ""
    if (kind == "text" && size == 0 && /^[A-Z][a-z]*( [a-z]+)?:$/) {
        heading = tolower(substr($0, 1, length($0) - 1))
        section(heading)
    } else block[++size] = $0
}

END {
    end_block()
    print ".SH SEE ALSO"
    count = split(also, pages, / /)
    for (i = 1; i <= count; i++)
        if (pages[i] != "") print ".BR " exact(pages[i]) " (1)" (i < count && pages[i + 1] != "" ? "," : "")
}
