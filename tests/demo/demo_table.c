/* What people read: a table whose cells wrap. Plain text, so that it can be piped and pasted. */
#include <stdarg.h>
#include <string.h>

#include "tests/demo/demo.h"

enum column {
    CALL = 0,
    READS = 1,
    SCENARIO = 2,
    ROW = 3,
    WAIT = 4,
    GAP = 5,
    TRIES = 6,
    REQUESTS = 7,
    COLUMN_COUNT = 8
};

static const struct {
    const char *title;
    size_t width;
} columns[COLUMN_COUNT] = {
    [CALL] = {"call", 21},        [READS] = {"what the model reads", 38},
    [SCENARIO] = {"scenario", 8}, [ROW] = {"row", 7},
    [WAIT] = {"wait", 5},         [GAP] = {"gap", 6},
    [TRIES] = {"tries", 5},       [REQUESTS] = {"requests", 8},
};

/* Bytes of the next line of `text` that fit into `width` code points, broken at a blank or a line break if possible. */
static size_t line_length(const char *text, size_t width)
{
    size_t at = 0;
    size_t points = 0;
    size_t blank = 0;

    while (text[at] != '\0' && text[at] != '\n') {
        if (text[at] == ' ') {
            blank = at;
        }
        if (((unsigned char)text[at] & 0xc0u) != 0x80u && points++ == width) {
            return blank > 0 ? blank : at;
        }
        at++;
    }
    return at;
}

struct line {
    char bytes[640];
    size_t size;
};

static void put(struct line *line, char byte)
{
    if (line->size < sizeof line->bytes) {
        line->bytes[line->size++] = byte;
    }
}

/* Puts one line of a cell, filled up to its width, and moves on. */
static void put_cell(struct line *line, const char **text, size_t width)
{
    size_t length = line_length(*text, width);
    size_t points = 0;

    for (size_t i = 0; i < length; i++) {
        points += ((unsigned char)(*text)[i] & 0xc0u) != 0x80u;
        put(line, (*text)[i]);
    }
    for (; points < width + 2; points++) {
        put(line, ' ');
    }
    *text += length;
    *text += **text == ' ' || **text == '\n';
}

static void print_row(const char *const cells[COLUMN_COUNT], FILE *out)
{
    const char *left[COLUMN_COUNT];
    bool more = true;

    memcpy(left, cells, sizeof left);
    while (more) {
        struct line line = {.size = 0};
        more = false;
        for (size_t i = 0; i < COLUMN_COUNT; i++) {
            put_cell(&line, &left[i], columns[i].width);
            more = more || *left[i] != '\0';
        }
        while (line.size > 0 && line.bytes[line.size - 1] == ' ') {
            line.size--;
        }
        fprintf(out, "%.*s\n", (int)line.size, line.bytes);
    }
}

static void print_rule(FILE *out)
{
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        for (size_t n = 0; n < columns[i].width; n++) {
            fputc('-', out);
        }
        fputs(i + 1 < COLUMN_COUNT ? "  " : "\n", out);
    }
}

/* A column of one call: a line for each decision. */
struct lines {
    char text[128];
};

static void add_line(struct lines *lines, bool first, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_line(struct lines *lines, bool first, const char *format, ...)
{
    size_t used = first ? 0 : strlen(lines->text);
    va_list list;

    lines->text[used] = '\0';
    if (!first && used + 1 < sizeof lines->text) {
        lines->text[used++] = '\n';
    }
    va_start(list, format);
    vsnprintf(lines->text + used, sizeof lines->text - used, format, list);
    va_end(list);
}

/* One line for each decision, so that a wait stands beside the gap that the server saw. */
static void print_call(const struct rcs_demo_call *call, const struct rcs_demo_outcome *outcome,
                       const struct rcs_demo_witness *witness, FILE *out)
{
    struct lines what, scenario, row, wait, gap, tries, requests;

    add_line(&what, true, "%s\n  %s", call->tool == NULL ? "(no name)" : call->tool, call->story);
    add_line(&tries, true, "%u", outcome->tries);
    add_line(&requests, true, "%zu", witness->requests);
    for (size_t i = 0; i < outcome->decision_count; i++) {
        const struct rcs_demo_decision *decision = &outcome->decisions[i];
        unsigned long long ms = decision->wait_ms;
        add_line(&scenario, i == 0, "%s", decision->scenario);
        add_line(&row, i == 0, "%s, %u", decision->row, decision->line);
        if (decision->waits) {
            add_line(&wait, i == 0, "%llu%s", ms % 1000 == 0 ? ms / 1000 : ms, ms % 1000 == 0 ? "s" : "ms");
        } else {
            add_line(&wait, i == 0, "%s", i == 0 ? "-" : "");
        }
        if (i < witness->gap_count) {
            add_line(&gap, i == 0, "%.2f s", (double)witness->gaps_ms[i] / 1000.0);
        } else {
            add_line(&gap, i == 0, "%s", i == 0 ? "-" : "");
        }
    }
    print_row((const char *const[COLUMN_COUNT]){what.text, outcome->content, scenario.text, row.text, wait.text,
                                                gap.text, tries.text, requests.text},
              out);
}

void rcs_demo_print_table(const struct rcs_demo_report *report, struct rcs_faulty *server, FILE *out)
{
    const char *titles[COLUMN_COUNT];

    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        titles[i] = columns[i].title;
    }
    print_row(titles, out);
    print_rule(out);
    for (size_t i = 0; i < rcs_demo_call_count; i++) {
        struct rcs_demo_witness witness;
        rcs_demo_ask_server(server, &rcs_demo_calls[i], &witness);
        print_call(&rcs_demo_calls[i], &report->outcomes[i], &witness, out);
    }
    print_rule(out);
}
