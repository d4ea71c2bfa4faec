/* recourse check --explain: a page for each code. */
#include "explain.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"

/* In the order of the alphabet. */
static const struct {
    const char *code;
    const char *severity;
    const char *meaning;
    const char *mend;
} pages[] = {
    {"arithmetic", "error",
     "A delay cannot be computed exactly in whole milliseconds, or grows beyond 30\n"
     "days.\n",
     "Begin with a smaller delay, grow by a smaller factor, or end the\n"
     "growth with `up to`.\n"},
    {"bar", "error",
     "A bar in a cell or in prose can be taken for the border of a cell, or a row\n"
     "does not begin in column 1.\n",
     "Write a bar inside a cell as \\|, begin rows in column 1, and keep\n"
     "bars out of prose.\n"},
    {"blank-line", "error",
     "A table has no blank line before or after it, so GitHub would show the lines\n"
     "around it as part of the table, or the table as prose.\n",
     "Put a blank line before and after each table.\n"},
    {"blanks", "error",
     "Two blanks in a row inside quotes: GitHub shows one.\n",
     "Write one blank.\n"},
    {"bom", "error",
     "The file begins with a byte order mark.\n",
     "Save it as UTF-8 without one.\n"},
    {"breaker-counts", "error",
     "A breaker counts a failure that some row names without evidence about the\n"
     "transport: what a tool says of its own work does not mean that it can't be\n"
     "reached.\n",
     "Count failures whose conditions are network, timeout, unsent, spawn, protocol,\n"
     "session expired or http 500-599.\n"},
    {"cc", "error",
     "The C compiler could not be run, or failed, or the headers of recourse that it\n"
     "needs were not found.\n",
     "Install one as cc, or name yours in the variable CC; give the\n"
     "directory of the headers with --include.\n"},
    {"characters", "error",
     "Outside quotes a cell holds something other than ASCII. Letters of other\n"
     "alphabets can look like Latin ones, so that two different words read alike.\n",
     "Write ASCII outside quotes.\n"},
    {"code-fence", "error",
     "A code fence. A table inside of one is shown as text, so it would look as if it\n"
     "meant nothing.\n",
     "Leave code fences out; `recourse simulate` shows runs.\n"},
    {"column", "error",
     "A table has a column that its section does not know.\n",
     "Use the columns that the message names.\n"},
    {"column-order", "error",
     "A column stands at another place than in every other policy, which makes\n"
     "changes hard to compare.\n",
     "Put the columns into the order that the message gives.\n"},
    {"control", "error",
     "A control character, a tab among them.\n",
     "Write blanks, or nothing.\n"},
    {"counts", "error",
     "A wait counts something that it cannot count.\n",
     "Write tries or uses.\n"},
    {"dead-wait", "warning",
     "A delay is longer than the call deadline, so this wait can never be begun.\n",
     "Shorten the delay or the list, or lengthen the deadline.\n"},
    {"delimiter", "error",
     "The row of dashes under a table's header is missing, or has colons.\n",
     "Write |---|---| with a cell for each column.\n"},
    {"duration", "error",
     "A duration cannot be read, is no whole number of milliseconds, or is out of\n"
     "range.\n",
     "Write it as 200ms, 5s, 2m or 1h; at most 720h.\n"},
    {"effect", "error",
     "An effect that does not exist, or that does not go with what it stands beside:\n"
     "what is ok has the effect done.\n",
     "Write none, done or unknown: what may be believed that the tool\n"
     "did.\n"},
    {"empty-cell", "error",
     "A cell is empty, so nobody can tell whether something was forgotten.\n",
     "Write - for nothing.\n"},
    {"empty-string", "error",
     "A string has nothing between its quotes.\n",
     "Write what is meant, or none.\n"},
    {"endless", "error",
     "A run comes back to where it was without a further try being counted: it need\n"
     "never end.\n",
     "Let each way back to an attempt count a try.\n"},
    {"entity", "error",
     "An HTML entity such as &amp;. GitHub shows another text than the one that would\n"
     "be compiled.\n",
     "Write the character itself.\n"},
    {"escape", "error",
     "A backslash in a string that escapes nothing, or something that cannot be\n"
     "escaped.\n",
     "Write \\\\ for a backslash, \\\" for a quote, \\| for a bar.\n"},
    {"event", "error",
     "A row names an event that its state does not have.\n",
     "Use the events that the message names; failures belong to attempt\n"
     "and exhausted.\n"},
    {"example", "error",
     "An example does not come out: the model walks this run, or judges these facts,\n"
     "otherwise than the table says.\n",
     "Decide which of them is right. `recourse simulate` shows the run\n"
     "row by row, `recourse classify` the row that names the facts.\n"},
    {"false-claim", "warning",
     "A message, or the reminder, says of the tool what can't be so: that a call may\n"
     "have taken effect which was never run, or that nothing was done where a try may\n"
     "have acted. The witness is such a run.\n",
     "Give the row a message of its own, or part it in two with `never\n"
     "acted` and `may have acted`.\n"},
    {"file-name", "error",
     "The name of the file is not NAME.policy.md, with a name of small letters,\n"
     "digits and _ that begins with a letter.\n",
     "Rename the file; the name is the policy's.\n"},
    {"final-newline", "error",
     "The last line has no line end.\n",
     "Add one.\n"},
    {"gap", "error",
     "A case that can happen has no row: the machine would not know what to do. The\n"
     "witness is the shortest run that leads to it.\n",
     "Add a row for it, or widen the guard of one that is there. `other`\n"
     "takes the events that no row names.\n"},
    {"guard", "error",
     "A guard cannot be used here, contradicts itself or says something twice.\n",
     "Use the guards of this state, each at most once.\n"},
    {"heading", "error",
     "A heading that GitHub would show otherwise than it is read, or not as one.\n",
     "One to six #, one blank, the text; in column 1, without blanks or #\n"
     "at the end.\n"},
    {"how", "error",
     "A wait says otherwise than in one of the known ways how the call goes on after\n"
     "it.\n",
     "Write `again`, or `in a new session`.\n"},
    {"html", "error",
     "HTML. Parts of the page can vanish or look different in it.\n",
     "Leave it out; write \\< for the character itself.\n"},
    {"id", "error",
     "The id of a row, a name or a label has a wrong form.\n",
     "Use the form that the message gives.\n"},
    {"idle-cost", "warning",
     "A wait costs no tokens, and a failure takes none, so its budget never refuses\n"
     "it.\n",
     "Let one of them take some, or leave the cost out.\n"},
    {"idle-guard", "warning",
     "A guard says what is so anyway: no case that can happen fails it.\n",
     "Leave it out, or find out which case was meant.\n"},
    {"impossible", "warning",
     "A condition asks for two things that one try can't show, so it never holds.\n",
     "Write a comma if either is enough; else remove it.\n"},
    {"invisible", "error",
     "A character that cannot be seen, or that turns the direction of writing. What\n"
     "is shown is not what is compiled.\n",
     "Remove it, or write a plain blank.\n"},
    {"io", "error",
     "A file cannot be read or written.\n",
     "The message says which one, and why.\n"},
    {"label", "error",
     "The scenario of a row does not fit what the row does: one that waits needs a\n"
     "label that tells nobody, one that reports needs a label that tells the model or\n"
     "the host, and `ok` is for success alone.\n",
     "Choose another scenario, or - where the call goes on unlabelled.\n"},
    {"language", "error",
     "The policy is written in another version of the language.\n",
     "Write 1, or use the version of recourse that reads this one.\n"},
    {"line-end", "error",
     "Lines end with carriage returns.\n",
     "Save the file with line feeds alone.\n"},
    {"link-definition", "error",
     "A line that GitHub takes as the definition of a link and does not show.\n",
     "Write a link in place, or put something before the bracket.\n"},
    {"markup", "error",
     "Characters that GitHub shows as markup: emphasis, code, a link, a formula or a\n"
     "picture.\n",
     "Put a backslash before the character, as the message says.\n"},
    {"message", "error",
     "A row's message would never be read, or one that is needed is missing: only a\n"
     "row that reports to somebody has a message, and a success has none.\n",
     "Write - , or name a message.\n"},
    {"missing-column", "error",
     "A table lacks a column that its section needs.\n",
     "Add it; - is a value.\n"},
    {"missing-section", "error",
     "A section that every policy has is missing.\n",
     "Add it with its table.\n"},
    {"missing-setting", "error",
     "A setting is not written. There are no defaults, so that a reviewer never looks\n"
     "one up.\n",
     "Write it; none is a value.\n"},
    {"missing-table", "error",
     "A section has a heading and no table.\n",
     "Add the table, or remove the heading.\n"},
    {"never-used", "error or warning",
     "No run leads to a case that this row takes; as a warning: it takes only events\n"
     "that the settings switch off.\n",
     "Remove the row, or find out which other row takes its cases.\n"},
    {"next", "error",
     "A row leads to a state to which it cannot lead.\n",
     "Use one of the states that the message names.\n"},
    {"no-examples", "warning",
     "A policy without examples. Nothing would notice a changed cell.\n",
     "Add runs and facts, above all those that must not match.\n"},
    {"no-jitter", "notice",
     "A failure that befalls many callers of a server at once is waited for without\n"
     "jitter, or a server that names a time is obeyed to the millisecond: all of them\n"
     "come back together, and the server fails again.\n",
     "Give the wait jitter, such as equal; obey a server with `plus 10%`.\n"
     "Leave it where one caller alone uses the server.\n"},
    {"no-other", "error",
     "The last row of Failures is not `other`. An error that no row names would have\n"
     "no name.\n",
     "End the table with a row whose `when` is other.\n"},
    {"no-rows", "error",
     "A table has a header and no rows.\n",
     "Add rows, or remove the section.\n"},
    {"not-produced", "warning",
     "No condition of Failures can produce this failure: each of them is impossible,\n"
     "or taken by an earlier one.\n",
     "Mend the conditions, or remove the failure and its rows.\n"},
    {"not-text", "error",
     "The file has a byte 0, which no text has: it is something else, perhaps a shared\n"
     "object. Nothing more is said of it.\n",
     "Give the policy's .policy.md; save it as UTF-8, not as UTF-16.\n"},
    {"one-wait", "error",
     "A failure goes through two different waits. Their counts would not add up to\n"
     "what anybody expects.\n",
     "Let each failure have one wait.\n"},
    {"other-alone", "error",
     "`other` stands in a cell with something else.\n",
     "Give it a row of its own.\n"},
    {"other-last", "error",
     "Rows follow `other`, which holds for every failure: they would never decide.\n",
     "Put it last.\n"},
    {"other-retried", "warning",
     "The failure that takes everything that no row names is tried again, so an error\n"
     "that nobody has thought of is too.\n",
     "Name the failures that waiting can mend, and let the rest be\n"
     "reported.\n"},
    {"other-takes", "notice",
     "What `other` takes in here, event by event.\n",
     "Nothing, if that is what was meant. Name those that were not.\n"},
    {"over-cost", "error",
     "A wait costs or needs more tokens than its budget has after a failure has taken\n"
     "its own: it can never begin.\n",
     "Let the budget hold more, or the wait cost and need less.\n"},
    {"overlap", "error",
     "Two rows take one case. Ragel would run both, in silence. The witness is the\n"
     "shortest run that leads to it.\n",
     "Narrow the guard or the events of one of them.\n"},
    {"past-deadline", "warning or notice",
     "The waits of a call can add up to more than its deadline allows, so a try that\n"
     "the policy promises is not made. As a warning the schedule alone does; as a\n"
     "notice only with jitter, and with what servers may ask for.\n",
     "Lengthen the deadline, or wait less or less often. If running out\n"
     "of time is meant, let a row of exhausted say so.\n"},
    {"pattern", "error",
     "A text or a word to look for cannot be used: it has characters that are not\n"
     "printable ASCII, or there are too many.\n",
     "Use printable ASCII; at most 256 different ones.\n"},
    {"placeholder", "error",
     "A message has a placeholder that does not exist.\n",
     "There are {tool} {call} {tries} {reason} {reminder} {status}\n"
     "{failure} and {server_delay}.\n"},
    {"pointer", "error",
     "A JSON pointer has a wrong form (RFC 6901).\n",
     "Begin with /, and write ~ as ~0 and / as ~1.\n"},
    {"quote", "error",
     "A string without its closing quote, or a text without quotes.\n",
     "Put it between two \".\n"},
    {"ragel", "error",
     "Ragel could not be run, or refused the chart.\n",
     "See that ragel 6.10 is in PATH; the message has its own words.\n"},
    {"ragel-differs", "error",
     "The machine that Ragel made is not the one that the policy describes. Nothing\n"
     "has been written.\n",
     "This is a fault of the compiler or of Ragel: report it, with the\n"
     "policy.\n"},
    {"ragged", "error",
     "A row has more or fewer cells than the header. GitHub drops or adds cells in\n"
     "silence.\n",
     "Give each row one cell for each column; a bar inside a cell is \\|.\n"},
    {"range", "error",
     "A number is out of the range that it may have here.\n",
     "Use one within the range that the message gives.\n"},
    {"reminder", "error",
     "The scenario of a row and its message do not agree about the reminder, or there\n"
     "is none to give.\n",
     "A message has {reminder} exactly where its scenario says yes.\n"},
    {"repeated-column", "error",
     "A table has a column twice.\n",
     "Remove one.\n"},
    {"repeated-id", "error",
     "Two rows have one id. Logs, reports and reviews cite rows by id.\n",
     "Give one of them an id that was never used.\n"},
    {"repeated-name", "error",
     "A name is declared twice.\n",
     "Remove one, or name it otherwise.\n"},
    {"repeated-section", "error",
     "A section stands in the file twice.\n",
     "Join them.\n"},
    {"repeated-setting", "error",
     "A setting is written twice.\n",
     "Remove one.\n"},
    {"replays", "notice",
     "The setting `unsafe replay` lists this failure: it is tried again although the\n"
     "tool may have acted, so a tool that is not safe may act twice.\n",
     "Nothing, if the tools bear it; otherwise take it out and guard the\n"
     "row with `safe`.\n"},
    {"reserved", "error",
     "A failure has the name of a word of the language, or a policy one that would\n"
     "make it a function of the library in C.\n",
     "Name it otherwise.\n"},
    {"row-end", "error",
     "A row does not end with a bar, or has blanks after it.\n",
     "End it with a bar.\n"},
    {"second-table", "error",
     "A section has two tables.\n",
     "Join them; every section has one.\n"},
    {"section", "error",
     "A table stands where no table belongs. Every table has a meaning, so one that\n"
     "is not understood is an error.\n",
     "Put it under the heading of its section, or write it as prose.\n"},
    {"section-order", "error",
     "Sections stand in another order than in every other policy.\n",
     "Use the order of the message.\n"},
    {"several-roles", "notice",
     "One word is the name of several things: an event, a failure, a scenario, a\n"
     "wait, a message. Nothing is ambiguous to the compiler, but whoever reads the\n"
     "word in a log or a review can take one for another. A message may be called\n"
     "after its scenario.\n",
     "Rename one of them.\n"},
    {"shadowed", "error or warning",
     "A condition never decides: an earlier row, or (as a warning) an earlier\n"
     "condition of its own row, holds whenever it does.\n",
     "Remove it, or move it up.\n"},
    {"shared-by", "error",
     "What a budget or a breaker is shared by is none of the words.\n",
     "Write runner, server or tool.\n"},
    {"syntax", "error",
     "A cell cannot be read.\n",
     "The message says what was expected, and what stands there.\n"},
    {"tell", "error",
     "A scenario tells somebody that it cannot tell.\n",
     "Write model, host or - ; ok tells the model.\n"},
    {"title", "error",
     "The first heading is not the name of the file, or a later one is of the first\n"
     "level.\n",
     "Begin with # NAME; use ## for sections.\n"},
    {"too-large", "error",
     "The machine has more than 1,000 states, or more tables than fit.\n",
     "Take fewer tries, or fewer waits that end by uses.\n"},
    {"too-long", "error",
     "A cell has more than 4,096 bytes.\n",
     "Say it shorter.\n"},
    {"too-many", "error",
     "More than the language allows.\n",
     "The message gives the limit.\n"},
    {"tool", "error",
     "The name of a tool has a wrong form.\n",
     "Write the name, or its begin and a * at the end: meraki_*.\n"},
    {"trap", "error",
     "A call can come to a state from which it is never reported, so the model would\n"
     "never get a result.\n",
     "Add the row that reports it.\n"},
    {"two-effects", "error",
     "One failure has two effects. What the tool may have done must follow from the\n"
     "failure's name.\n",
     "Give the two rows two failures.\n"},
    {"undeclared", "error",
     "A name that no table declares.\n",
     "Declare it, or correct the name; the message has the nearest one.\n"},
    {"unknown-setting", "error",
     "A setting that does not exist.\n",
     "Correct the name; the message has the nearest one.\n"},
    {"unproven-none", "error",
     "A row claims that the tool did nothing, by something that does not prove it: a\n"
     "connection that was lost, a timeout after sending, a server's error.\n",
     "Write unknown. None is right where nothing was sent, or the server\n"
     "refused before it acted.\n"},
    {"unreachable", "error or warning",
     "No run leads to this state. For backoff and exhausted that is a warning: a\n"
     "policy that never tries again has no use for them. For attempt it is an error.\n",
     "Let a row lead there, or leave it, if nothing is to be tried again.\n"},
    {"unsafe-replay", "error",
     "A row tries a failure again although the tool may have acted, and nothing says\n"
     "that this is meant. The witness is a run in which it happens.\n",
     "Guard the row with `safe`, or own up to it under `unsafe replay`.\n"},
    {"unused", "warning",
     "Something is declared and no row uses it.\n",
     "Remove it, or use it.\n"},
    {"utf8", "error",
     "Bytes that are not UTF-8.\n",
     "Save the file as UTF-8.\n"},
    {"wait", "error",
     "A row that waits names no wait, or one that does not wait names one.\n",
     "Name a wait exactly where next is `backoff or exhausted`.\n"},
    {"weak-none", "notice",
     "That the tool did nothing rests on a text or a result alone, which some day may\n"
     "say something else.\n",
     "Prefer a status, `unsent`, or a code of the protocol, where there\n"
     "is one.\n"},
    {"word", "error",
     "A word of an example run cannot be read, or cannot stand here.\n",
     "Write NAME, NAME:safe, NAME@5s, NAME!time or NAME!budget.\n"},
    {"worst-case", "notice",
     "There are too many ways to wait for all of them to be added up.\n",
     "The true worst case may be longer than what is said.\n"},
};

#define PAGE_COUNT (sizeof pages / sizeof pages[0])

static const char *page_code(const void *user, size_t index)
{
    (void)user;
    return index < PAGE_COUNT ? pages[index].code : NULL;
}

/* Each code and how grave it is. */
static void print_list(void)
{
    for (size_t i = 0; i < PAGE_COUNT; i++) {
        printf("  %-17s %s\n", pages[i].code, pages[i].severity);
    }
}

/* Some lines of a policy; what can't be seen is shown by its bytes. */
static void print_lines(const char *text)
{
    bool begins = true;

    for (const char *at = text; *at != '\0'; at++) {
        if (begins) {
            fputs("  ", stdout);
        }
        begins = *at == '\n';
        if (*at == '\n' || (*at >= ' ' && *at <= '~')) {
            putchar(*at);
        } else {
            printf("\\x%02x", (unsigned)(unsigned char)*at);
        }
    }
    if (!begins) {
        putchar('\n');
    }
}

static void print_change(const char *from, const char *to)
{
    print_lines(from);
    if (to != NULL && *to == '\0') {
        puts("is taken out");
    } else if (to != NULL) {
        puts("becomes");
        print_lines(to);
    }
}

static void print_example(const struct rcs_code_example *example)
{
    if (example->shown != NULL) {
        printf("Example: %s.\n", example->shown);
        return;
    }
    printf("Example, in the policy lightspeed%s:\n", example->to == NULL ? " as it is" : "");
    print_change(example->from, example->to);
    if (example->also_from != NULL) {
        print_change(example->also_from, example->also_to);
    }
}

const char *rcs_explain_code(size_t index)
{
    return page_code(NULL, index);
}

int rcs_explain(const char *code)
{
    const char *near;

    if (strcmp(code, "list") == 0) {
        print_list();
        return RCS_EXIT_OK;
    }
    for (size_t i = 0; i < PAGE_COUNT; i++) {
        if (strcmp(pages[i].code, code) == 0) {
            printf("%s (%s)\n\n%s\n", pages[i].code, pages[i].severity, pages[i].meaning);
            print_example(rcs_example_of(code));
            printf("\nWhat to do: %s", pages[i].mend);
            return RCS_EXIT_OK;
        }
    }
    near = rcs_nearest(code, page_code, NULL);
    if (near != NULL) {
        return rcs_cli_error("check", "there is no code '%s': did you mean '%s'?", code, near);
    }
    return rcs_cli_error("check", "there is no code '%s': see recourse check --explain list", code);
}
