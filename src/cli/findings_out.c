#include "findings_out.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool rcs_wants_colour(FILE *file)
{
    const char *no = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    return (no == NULL || *no == '\0') && term != NULL && strcmp(term, "dumb") != 0 && isatty(fileno(file)) == 1;
}

static const char *colour_of(enum rcs_severity severity)
{
    static const char *const colours[RCS_SEVERITY_COUNT] = {
        [RCS_NOTICE] = "\033[36m", [RCS_WARNING] = "\033[33m", [RCS_ERROR] = "\033[31m"
    };

    return colours[severity];
}

/* What is about a file as a whole stands at its beginning, where editors can go to. */
static struct rcs_place shown_place(const struct rcs_finding *finding)
{
    return finding->place.line == 0 ? (struct rcs_place){1, 1} : finding->place;
}

void rcs_finding_print(FILE *file, const char *path, const struct rcs_finding *finding, bool colour)
{
    bool rows = finding->rows != NULL && *finding->rows != '\0';
    bool witness = finding->witness != NULL;
    struct rcs_place place = shown_place(finding);

    fprintf(file, "%s:%u:%u: %s%s[%s]%s: %s\n", path, place.line, place.column,
            colour ? colour_of(finding->severity) : "", rcs_severity_name(finding->severity), finding->code,
            colour ? "\033[0m" : "", finding->text);
    if (rows || witness) {
        fprintf(file, "    %s%s%s%s%s\n", rows ? (strchr(finding->rows, ',') != NULL ? "rows " : "row ") : "",
                rows ? finding->rows : "", rows && witness ? "; " : "", witness ? "shown by: " : "",
                witness ? finding->witness : "");
    }
}

/* As GitHub's runner takes it apart again: it reads to the end of the line, and in a property to a comma or colon. */
static void print_escaped(const char *text, const char *special)
{
    for (; *text != '\0'; text++) {
        if (strchr(special, *text) != NULL) {
            printf("%%%02X", (unsigned)(unsigned char)*text);
        } else {
            putchar(*text);
        }
    }
}

static void print_command(const char *path, const struct rcs_finding *finding)
{
    static const char *const in_property = "%\r\n:,";
    static const char *const in_text = "%\r\n";
    struct rcs_place place = shown_place(finding);

    printf("::%s file=", rcs_severity_name(finding->severity));
    print_escaped(path, in_property);
    printf(",line=%u,col=%u,title=recourse ", place.line, place.column);
    print_escaped(finding->code, in_property);
    fputs("::", stdout);
    print_escaped(finding->text, in_text);
    if (finding->rows != NULL && *finding->rows != '\0') {
        fputs(strchr(finding->rows, ',') != NULL ? "%0Arows " : "%0Arow ", stdout);
        print_escaped(finding->rows, in_text);
    }
    if (finding->witness != NULL) {
        fputs("%0Ashown by: ", stdout);
        print_escaped(finding->witness, in_text);
    }
    putchar('\n');
}

void rcs_findings_print_github(const char *path, const struct rcs_findings *findings)
{
    for (size_t i = 0; i < findings->count && i < RCS_PRINTED_MAX; i++) {
        print_command(path, &findings->items[i]);
    }
}

/* Prints those from `least` on. Whoever has more than a screen or two of them mends the first ones first. */
static void print(FILE *file, const char *path, const struct rcs_findings *findings, enum rcs_severity least)
{
    bool colour = rcs_wants_colour(file);
    size_t printed = 0;
    size_t left = 0;

    for (size_t i = 0; i < findings->count; i++) {
        if (findings->items[i].severity < least) {
            continue;
        }
        if (printed < RCS_PRINTED_MAX) {
            rcs_finding_print(file, path, &findings->items[i], colour);
            printed++;
        } else {
            left++;
        }
    }
    if (left > 0) {
        fprintf(file, "%s: and %zu more\n", path, left);
    }
}

void rcs_findings_print(const char *path, const struct rcs_findings *findings)
{
    print(stdout, path, findings, RCS_NOTICE);
}

void rcs_findings_print_errors(const char *path, const struct rcs_findings *findings)
{
    print(stderr, path, findings, RCS_ERROR);
}

/* "A1, A4" -> ["A1","A4"] */
static void write_rows(struct rcs_out *out, const char *rows)
{
    rcs_out_key(out, "rows");
    rcs_out_open(out, '[');
    while (rows != NULL && *rows != '\0') {
        struct recourse_span id = {rows, strcspn(rows, ",")};

        rcs_out_span(out, id);
        rows += id.size;
        rows += strspn(rows, ", ");
    }
    rcs_out_close(out, ']');
}

void rcs_findings_json(struct rcs_out *out, const struct rcs_findings *findings)
{
    rcs_out_open(out, '[');
    for (size_t i = 0; i < findings->count; i++) {
        const struct rcs_finding *finding = &findings->items[i];
        struct rcs_place place = shown_place(finding);

        rcs_out_open(out, '{');
        rcs_out_key(out, "severity");
        rcs_out_text(out, rcs_severity_name(finding->severity));
        rcs_out_key(out, "code");
        rcs_out_text(out, finding->code);
        rcs_out_key(out, "line");
        rcs_out_number(out, place.line);
        rcs_out_key(out, "column");
        rcs_out_number(out, place.column);
        rcs_out_key(out, "text");
        rcs_out_text(out, finding->text);
        write_rows(out, finding->rows);
        rcs_out_key(out, "witness");
        rcs_out_text(out, finding->witness);
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}
