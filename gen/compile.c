#include "gen/cc.h"
#include "gen/chart_xml.h"
#include "gen/emit.h"
#include "gen/ragel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((size_t)4 * 1024 * 1024)
#define MADE_MAX ((size_t)64 * 1024 * 1024) /* of what Ragel makes: 1,000 states are some 5 MB of XML */

/* One run of the compiler. All files are made in a directory of their own within the one that was asked for. */
struct job {
    struct rcs_arena *arena;
    const struct rcs_spec *spec;
    const struct rcs_machine *machine;
    const struct recourse_policy *policy;
    const char *directory;
    const char *include; /* NULL: no shared object */
    char *work; /* NULL until it is there */
    struct rcs_findings *findings;
};

static const char *const results[] = {".rl", ".c", ".h", ".so"};
static const char *const leftovers[] = {".rl", ".c", ".h", ".so", ".xml"};

static bool fail(const struct job *job, const char *doing, const char *path)
{
    rcs_find(job->findings, RCS_ERROR, "io", (struct rcs_place){0, 0}, NULL, NULL, "%s can't be %s: %s", path, doing,
             strerror(errno));
    return false;
}

static const char *work_path(const struct job *job, const char *suffix)
{
    return rcs_arena_format(job->arena, "%s/%s%s", job->work, job->spec->name, suffix);
}

static bool write_text(const struct job *job, const char *suffix, const struct rcs_string *text)
{
    const char *path = work_path(job, suffix);
    FILE *file = fopen(path, "wb");
    bool good;

    if (file == NULL) {
        return fail(job, "written", path);
    }
    good = fwrite(text->data, 1, text->size, file) == text->size;
    good = fclose(file) == 0 && good;
    return good || fail(job, "written", path);
}

/* Makes `path` and what is missing above it. */
static bool make_directory(const struct job *job, const char *path)
{
    char *partial = rcs_arena_copy(job->arena, path, strlen(path));

    for (char *at = partial; *at != '\0'; at++) {
        if (*at == '/' && at > partial) {
            *at = '\0';
            if (mkdir(partial, 0777) != 0 && errno != EEXIST) {
                return fail(job, "made", partial);
            }
            *at = '/';
        }
    }
    return mkdir(partial, 0777) == 0 || errno == EEXIST || fail(job, "made", partial);
}

/* A file where a directory is wanted is a common mistake, and mkdtemp would speak of a name that nobody gave. */
static bool is_no_file(const struct job *job)
{
    struct stat there;

    if (stat(job->directory, &there) != 0 || S_ISDIR(there.st_mode)) {
        return true;
    }
    rcs_find(job->findings, RCS_ERROR, "io", (struct rcs_place){0, 0}, NULL, NULL,
             "%s is a file: give a directory to write into", job->directory);
    return false;
}

static bool make_work(struct job *job)
{
    char *work;

    if (!is_no_file(job) || !make_directory(job, job->directory)) {
        return false;
    }
    work = rcs_arena_format(job->arena, "%s/.%s.XXXXXX", job->directory, job->spec->name);
    if (mkdtemp(work) == NULL) {
        return fail(job, "made", work);
    }
    job->work = work;
    return true;
}

static void remove_work(const struct job *job)
{
    if (job->work == NULL) {
        return;
    }
    for (size_t i = 0; i < sizeof leftovers / sizeof *leftovers; i++) {
        unlink(work_path(job, leftovers[i]));
    }
    rmdir(job->work);
}

static char *read_file(struct rcs_arena *arena, const char *path, size_t max, size_t *size, const char **why)
{
    FILE *file = fopen(path, "rb");
    char block[65536];
    struct rcs_string text = {.arena = arena};
    size_t got;

    *size = 0;
    *why = NULL;
    if (file == NULL) {
        *why = strerror(errno);
        return NULL;
    }
    while (text.size <= max && (got = fread(block, 1, sizeof block, file)) > 0) {
        rcs_append(&text, block, got);
    }
    if (ferror(file)) {
        *why = strerror(errno);
    } else if (text.size > max) {
        *why = rcs_arena_format(arena, "it is larger than %zu MiB", max / (1024 * 1024));
    }
    fclose(file);
    if (*why != NULL) {
        return NULL;
    }
    *size = text.size;
    return text.data == NULL ? rcs_arena_copy(arena, "", 0) : text.data;
}

static char *read_back(const struct job *job, const char *suffix, size_t *size)
{
    const char *why = NULL;
    char *text = read_file(job->arena, work_path(job, suffix), MADE_MAX, size, &why);

    if (text == NULL) {
        rcs_find(job->findings, RCS_ERROR, "io", (struct rcs_place){0, 0}, NULL, NULL, "%s can't be read: %s",
                 work_path(job, suffix), why);
    }
    return text;
}

static bool write_source(const struct job *job, const uint16_t *entry)
{
    struct rcs_string source = {.arena = job->arena};

    rcs_emit_source(&source, job->machine, job->policy, entry);
    return write_text(job, ".rl", &source);
}

/* First pass: what does Ragel make of the chart, and how does it number the states? */
static uint16_t *chart_entry(const struct job *job)
{
    const char *const arguments[] = {"-C", "-x", "-o", work_path(job, ".xml"), work_path(job, ".rl"), NULL};
    struct rcs_chart *chart = NULL;
    size_t size = 0;
    char *xml;

    if (!write_source(job, NULL) || !rcs_ragel_run(job->arena, arguments, job->findings)) {
        return NULL;
    }
    xml = read_back(job, ".xml", &size);
    if (xml != NULL) {
        chart = rcs_chart_read(job->arena, xml, size, job->findings);
    }
    return chart == NULL ? NULL : rcs_chart_compare(job->arena, chart, job->machine, job->findings);
}

/* Ragel's `#line` directives hold paths, and these would make the same policy come out differently elsewhere. */
static bool strip_lines(const struct job *job)
{
    struct rcs_string stripped = {.arena = job->arena};
    size_t size = 0;
    char *text = read_back(job, ".c", &size);

    if (text == NULL) {
        return false;
    }
    for (char *line = text; *line != '\0';) {
        char *end = strchr(line, '\n');
        size_t length = end == NULL ? strlen(line) : (size_t)(end - line) + 1;

        if (strncmp(line, "#line ", 6) != 0) {
            rcs_append(&stripped, line, length);
        }
        line += length;
    }
    return write_text(job, ".c", &stripped);
}

/* Second pass: the same chart, now with the numbers, as C. */
static bool make_code(const struct job *job, const uint16_t *entry)
{
    const char *const arguments[] = {"-C", "-F1", "-o", work_path(job, ".c"), work_path(job, ".rl"), NULL};
    struct rcs_string header = {.arena = job->arena};

    rcs_emit_header(&header, job->policy);
    return write_source(job, entry) && rcs_ragel_run(job->arena, arguments, job->findings) && strip_lines(job) &&
           write_text(job, ".h", &header);
}

static bool make_object(const struct job *job)
{
    return job->include == NULL ||
           rcs_cc_shared(job->arena, work_path(job, ".c"), work_path(job, ".so"), job->include, job->findings);
}

/* All or none: what can't be replaced is found before anything is. */
static bool publish(const struct job *job)
{
    size_t count = sizeof results / sizeof *results - (job->include == NULL ? 1 : 0);
    struct stat there;

    for (size_t i = 0; i < count; i++) {
        const char *path = rcs_arena_format(job->arena, "%s/%s%s", job->directory, job->spec->name, results[i]);

        if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) {
            errno = EISDIR;
            return fail(job, "written", path);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const char *path = rcs_arena_format(job->arena, "%s/%s%s", job->directory, job->spec->name, results[i]);

        if (rename(work_path(job, results[i]), path) != 0) {
            return fail(job, "written", path);
        }
    }
    return true;
}

/* The policy becomes `recourse_policy_NAME`, and its source includes a header that has these. */
static bool name_is_free(const struct job *job)
{
    static const char *const taken[] = {"builtin", "builtin_name", "check", "event_name", "open",
                                        "release", "retain",       "tool_is_safe", "tool_rule"};
    const char *name = rcs_c_name(job->arena, job->spec->name);

    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcmp(name, taken[i]) == 0) {
            rcs_find(job->findings, RCS_ERROR, "reserved", (struct rcs_place){0, 0}, NULL, NULL,
                     "a policy can't be compiled as '%s': recourse_policy_%s is a function of the library",
                     job->spec->name, name);
            return false;
        }
    }
    return true;
}

static bool compile(struct job *job)
{
    uint16_t *entry;
    bool good;

    job->policy = rcs_bind(job->arena, job->spec, job->machine, job->findings);
    if (job->policy == NULL || !name_is_free(job) || !rcs_ragel_check(job->arena, job->findings)) {
        return false;
    }
    good = make_work(job);
    entry = good ? chart_entry(job) : NULL;
    good = entry != NULL && make_code(job, entry) && make_object(job) && publish(job);
    remove_work(job);
    return good;
}

/* To other programs a name that begins so would be an option, or a file of options. */
static const char *plain_path(struct rcs_arena *arena, const char *path)
{
    return *path == '-' || *path == '@' ? rcs_arena_format(arena, "./%s", path) : path;
}

bool rcs_compile(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_machine *machine,
                 const char *directory, struct rcs_findings *findings)
{
    return rcs_compile_shared(arena, spec, machine, directory, NULL, findings);
}

bool rcs_compile_shared(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_machine *machine,
                        const char *directory, const char *include, struct rcs_findings *findings)
{
    struct job job = {.arena = arena,
                      .spec = spec,
                      .machine = machine,
                      .directory = plain_path(arena, directory),
                      .include = include,
                      .findings = findings};

    return compile(&job);
}

bool rcs_load(struct rcs_arena *arena, const char *path, const char *text, size_t size, struct rcs_findings *findings,
              struct rcs_loaded *loaded)
{
    memset(loaded, 0, sizeof *loaded);
    loaded->spec = rcs_spec_read(arena, path, text, size, findings);
    if (loaded->spec != NULL) {
        loaded->machine = rcs_unroll(arena, loaded->spec, findings);
    }
    if (loaded->machine != NULL) {
        rcs_check(loaded->spec, loaded->machine, findings, &loaded->worst);
    }
    rcs_findings_sort(findings);
    return findings->by_severity[RCS_ERROR] == 0 && loaded->machine != NULL;
}

char *rcs_file_read(struct rcs_arena *arena, const char *path, size_t *size, const char **why)
{
    return read_file(arena, path, FILE_MAX, size, why);
}
