/* recourse audit verify: the verdict on a log, for people or as JSON. */
#include "audit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "files.h"
#include "findings_out.h"
#include "json_out.h"
#include "src/audit/verify.h"

#define DISCLOSURE_MAX ((size_t)1 << 30)

struct job {
    const struct rcs_audit_verify_options *options;
    struct rcs_arena arena;
    struct rcs_judge *judges;
    size_t judge_count;
    struct rcs_disclosure disclosure;
    struct rcs_anchor anchor;
    char *disclosed; /* its text */
    enum rcs_grade require;
    struct rcs_verdict verdict;
};

/* ---- getting ready ---- */

static bool read_spec(struct job *job, const char *path)
{
    struct rcs_findings findings = {.arena = &job->arena};
    struct rcs_loaded loaded = {NULL, NULL, {0}};
    struct rcs_judge *judge;
    const char *why = NULL;
    size_t size = 0;
    char *text = rcs_file_read(&job->arena, path, &size, &why);

    if (text == NULL) {
        rcs_cli_error("audit", "%s: the policy can't be read: %s", path, why);
        return false;
    }
    if (!rcs_load(&job->arena, path, text, size, &findings, &loaded)) {
        rcs_findings_sort(&findings);
        rcs_findings_print_errors(path, &findings);
        rcs_cli_error("audit", "%s has errors: nothing can be judged by it", path);
        return false;
    }
    judge = rcs_arena_push(&job->arena, &job->judges, &job->judge_count, sizeof *judge);
    rcs_judge_init(judge, &job->arena, loaded.spec);
    return true;
}

static bool read_disclosure(struct job *job, const char *path)
{
    const char *why = NULL;
    size_t size = 0;
    size_t line;

    if (path == NULL) {
        return true;
    }
    job->disclosed = rcs_files_read(path, DISCLOSURE_MAX, &size, &why);
    if (job->disclosed == NULL) {
        rcs_cli_error("audit", "%s: the disclosure can't be read: %s", path, why);
        return false;
    }
    if (!rcs_disclosure_read(&job->disclosure, (struct recourse_span){job->disclosed, size}, &line)) {
        rcs_cli_error("audit", "%s: line %zu is none of a disclosure", path, line);
        return false;
    }
    return true;
}

static bool read_anchor(struct job *job)
{
    const struct rcs_audit_verify_options *options = job->options;
    const char *why = NULL;
    uint8_t key[32];
    size_t size = 0;
    char *text;

    if (options->anchor == NULL) {
        return true;
    }
    if (options->anchor_key != NULL && !rcs_audit_public_key(options->anchor_key, key)) {
        return false;
    }
    text = rcs_file_read(&job->arena, options->anchor, &size, &why);
    why = text == NULL ? why
                       : rcs_anchor_read((struct recourse_span){text, size}, options->anchor_key != NULL ? key : NULL,
                                         &job->anchor);
    if (why != NULL) {
        rcs_cli_error("audit", "%s: the anchor can't be read: %s", options->anchor, why);
    }
    return why == NULL;
}

static bool prepare(struct job *job)
{
    const struct rcs_audit_verify_options *options = job->options;

    if (options->require != NULL && !rcs_grade_read(options->require, &job->require)) {
        rcs_cli_error("audit", "--require wants empty, intact, conformant, complete or anchored, not '%s'",
                      options->require);
        return false;
    }
    for (size_t i = 0; i < options->spec_count; i++) {
        if (!read_spec(job, options->specs[i])) {
            return false;
        }
    }
    return read_anchor(job) && read_disclosure(job, options->disclosure);
}

static bool read_logs(struct job *job)
{
    struct rcs_verify *verify = rcs_verify_new(job->judges, job->judge_count, &job->disclosure);
    bool good = verify != NULL;

    if (good && job->options->anchor != NULL) {
        rcs_verify_anchor(verify, &job->anchor);
    }
    for (size_t i = 0; i < job->options->log_count && good; i++) {
        const char *path = job->options->logs[i];
        const char *why = NULL;
        int fd = open(path, O_RDONLY | O_CLOEXEC);

        good = fd >= 0 && rcs_verify_file(verify, path, fd, &why);
        if (!good) {
            rcs_cli_error("audit", "%s: the log can't be read: %s", path, fd < 0 ? strerror(errno) : why);
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    if (good) {
        rcs_verify_end(verify, &job->verdict);
    } else if (verify == NULL) {
        rcs_cli_error("audit", "out of memory");
    }
    rcs_verify_free(verify);
    return good;
}

/* ---- as JSON ---- */

static void put_text_if(struct rcs_out *out, const char *key, const char *text)
{
    rcs_out_key(out, key);
    rcs_out_text(out, *text == '\0' ? NULL : text);
}

static void put_count(struct rcs_out *out, const char *key, uint64_t count)
{
    rcs_out_key(out, key);
    rcs_out_number(out, count);
}

static void put_divergence(struct rcs_out *out, const char *key, const struct rcs_divergence *divergence)
{
    rcs_out_key(out, key);
    if (!divergence->found) {
        rcs_out_null(out);
        return;
    }
    rcs_out_open(out, '{');
    rcs_out_key(out, "file");
    rcs_out_text(out, divergence->file);
    put_count(out, "line", divergence->line);
    put_count(out, "call", divergence->call);
    put_text_if(out, "what", divergence->what);
    put_text_if(out, "expected", divergence->expected);
    put_text_if(out, "recorded", divergence->recorded);
    put_text_if(out, "expected_row", divergence->expected_row);
    put_text_if(out, "recorded_row", divergence->recorded_row);
    rcs_out_close(out, '}');
}

static void put_rows(struct rcs_out *out, const struct job *job)
{
    rcs_out_key(out, "policies");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < job->judge_count; i++) {
        const struct rcs_judge *judge = &job->judges[i];

        rcs_out_open(out, '{');
        rcs_out_key(out, "name");
        rcs_out_text(out, judge->spec->name);
        rcs_out_key(out, "behaviour_sha256");
        rcs_out_hex(out, judge->spec->behaviour_sha256, 32);
        rcs_out_key(out, "rows");
        rcs_out_open(out, '{');
        for (size_t j = 0; j < judge->spec->fact_row_count; j++) {
            put_count(out, judge->spec->fact_rows[j].id, judge->fact_rows[j]);
        }
        for (size_t j = 0; j < judge->spec->row_count; j++) {
            put_count(out, judge->spec->rows[j].id, judge->rows[j]);
        }
        rcs_out_close(out, '}');
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

static void print_json(const struct job *job)
{
    const struct rcs_verdict *verdict = &job->verdict;
    struct rcs_out out = {0};

    rcs_out_open(&out, '{');
    rcs_out_key(&out, "grade");
    rcs_out_text(&out, rcs_grade_name(verdict->grade));
    put_count(&out, "records", verdict->records);
    put_count(&out, "segments", verdict->segments);
    put_count(&out, "anchored", verdict->anchored);
    put_count(&out, "calls", verdict->calls);
    put_count(&out, "open", verdict->open);
    put_count(&out, "lost", verdict->lost);
    put_count(&out, "torn", verdict->torn);
    put_count(&out, "unjudged", verdict->unjudged);
    put_count(&out, "disclosed", verdict->disclosed);
    put_count(&out, "undisclosed", verdict->undisclosed);
    put_text_if(&out, "unknown_policy", verdict->unknown);
    put_text_if(&out, "other_version", verdict->version);
    put_text_if(&out, "incomplete", verdict->incomplete);
    put_divergence(&out, "broken", &verdict->broken);
    put_divergence(&out, "divergence", &verdict->divergence);
    put_rows(&out, job);
    rcs_out_close(&out, '}');
    rcs_out_print(&out);
}

/* ---- for people ---- */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_divergence(const struct rcs_divergence *divergence)
{
    if (!divergence->found) {
        return;
    }
    printf("  %s", divergence->file == NULL ? "the log" : divergence->file);
    if (divergence->line > 0) {
        printf(", line %llu", (unsigned long long)divergence->line);
    }
    printf(": ");
    if (divergence->call > 0) {
        printf("call %llu: ", (unsigned long long)divergence->call);
    }
    printf("%s", divergence->what);
    if (divergence->expected[0] != '\0') {
        printf(": expected %s, recorded %s", divergence->expected, divergence->recorded);
    }
    if (divergence->expected_row[0] != '\0') {
        printf("; by the policy row %s, recorded row %s", divergence->expected_row, divergence->recorded_row);
    }
    printf("\n");
}

static void print_row_list(const struct rcs_judge *judge, bool used)
{
    bool any = false;

    for (size_t i = 0; i < judge->spec->fact_row_count; i++) {
        if ((judge->fact_rows[i] > 0) == used) {
            printf(" %s", judge->spec->fact_rows[i].id);
            any = true;
        }
    }
    for (size_t i = 0; i < judge->spec->row_count; i++) {
        if ((judge->rows[i] > 0) == used) {
            printf(" %s", judge->spec->rows[i].id);
            any = true;
        }
    }
    printf("%s\n", any ? "" : " none");
}

static void print_rows(const struct job *job)
{
    for (size_t i = 0; i < job->judge_count; i++) {
        printf("  rows of %s that were used:", job->judges[i].spec->name);
        print_row_list(&job->judges[i], true);
        printf("  rows of %s that were not:", job->judges[i].spec->name);
        print_row_list(&job->judges[i], false);
    }
}

static void print_people(const struct job *job)
{
    const struct rcs_verdict *verdict = &job->verdict;

    printf("%s: %llu call%s, %llu record%s, %llu segment%s\n", rcs_grade_name(verdict->grade),
           (unsigned long long)verdict->calls, plural(verdict->calls), (unsigned long long)verdict->records,
           plural(verdict->records), (unsigned long long)verdict->segments, plural(verdict->segments));
    print_divergence(&verdict->broken);
    print_divergence(&verdict->divergence);
    if (verdict->version[0] != '\0') {
        printf("  %s\n", verdict->version);
    }
    if (verdict->unjudged > 0) {
        printf("  %llu call%s not judged: give --spec with the file of %s\n", (unsigned long long)verdict->unjudged,
               verdict->unjudged == 1 ? " was" : "s were", verdict->unknown);
    }
    if (verdict->incomplete[0] != '\0') {
        printf("  not complete: %s\n", verdict->incomplete);
    }
    if (verdict->anchored > 0) {
        printf("  anchored up to record %llu\n", (unsigned long long)verdict->anchored);
    }
    if (verdict->open > 0) {
        printf("  without an end, so with an unknown outcome: %llu call%s\n", (unsigned long long)verdict->open,
               plural(verdict->open));
    }
    if (verdict->lost > 0) {
        printf("  lost: %llu record%s\n", (unsigned long long)verdict->lost, plural(verdict->lost));
    }
    if (verdict->disclosed + verdict->undisclosed > 0) {
        printf("  texts: %llu outcome%s classified anew, %llu by the conditions recorded\n",
               (unsigned long long)verdict->disclosed, plural(verdict->disclosed),
               (unsigned long long)verdict->undisclosed);
    }
    print_rows(job);
}

int rcs_audit_verify(const struct rcs_audit_verify_options *options)
{
    struct job job = {.options = options, .require = RCS_GRADE_CONFORMANT};
    int status = RCS_EXIT_ERROR;

    if (prepare(&job) && read_logs(&job)) {
        if (options->json) {
            print_json(&job);
        } else {
            print_people(&job);
        }
        status = job.verdict.grade >= job.require ? RCS_EXIT_OK : RCS_EXIT_ERROR;
    }
    rcs_disclosure_clear(&job.disclosure);
    free(job.disclosed);
    rcs_arena_clear(&job.arena);
    return status;
}
