#include "audit_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "explain_page.h"
#include "policy_text.h"
#include "spec_open.h"

/* ---- texts of rows ---- */

static void add_row(struct rcs_shown_policies *policies, struct rcs_shown_policy *policy, const char *id,
                    const struct rcs_string *text)
{
    struct rcs_row_text *row = rcs_arena_push(&policies->arena, &policy->rows, &policy->row_count, sizeof *row);

    row->id = id;
    row->text = text->data;
}

static void add_policy(struct rcs_shown_policies *policies, const struct rcs_spec *spec)
{
    struct rcs_shown_policy *policy =
        rcs_arena_push(&policies->arena, &policies->items, &policies->count, sizeof *policy);

    rcs_hex_write(spec->behaviour_sha256, sizeof spec->behaviour_sha256, policy->behaviour);
    policy->name = spec->name;
    for (size_t i = 0; i < spec->fact_row_count; i++) {
        struct rcs_string text = {.arena = &policies->arena};

        rcs_explain_failure(&text, spec, &spec->fact_rows[i]);
        add_row(policies, policy, spec->fact_rows[i].id, &text);
    }
    for (size_t i = 0; i < spec->row_count; i++) {
        struct rcs_string text = {.arena = &policies->arena};

        rcs_explain_row(&text, spec, &spec->rows[i]);
        add_row(policies, policy, spec->rows[i].id, &text);
    }
}

bool rcs_shown_policies_open(struct rcs_shown_policies *policies, char **specs, size_t count)
{
    static const struct rcs_spec_reader reader = {"audit", "shown"};

    for (size_t i = 0; i < count; i++) {
        struct rcs_loaded loaded = {NULL, NULL, {0}};

        if (!rcs_spec_open(&reader, &policies->arena, specs[i], specs[i], &loaded)) {
            return false;
        }
        add_policy(policies, loaded.spec);
    }
    for (const struct rcs_policy_text *text = rcs_policy_texts; text->name != NULL; text++) {
        struct rcs_findings findings = {.arena = &policies->arena};
        const char *path = rcs_arena_format(&policies->arena, "%s.policy.md", text->name);
        struct rcs_spec *spec = rcs_spec_read(&policies->arena, path, (const char *)text->bytes, text->size, &findings);

        if (spec != NULL) {
            add_policy(policies, spec);
        }
    }
    return true;
}

void rcs_shown_policies_clear(struct rcs_shown_policies *policies)
{
    rcs_arena_clear(&policies->arena);
}

const char *rcs_row_text(const struct rcs_shown_policy *policy, const char *id)
{
    for (size_t i = 0; policy != NULL && i < policy->row_count; i++) {
        if (strcmp(policy->rows[i].id, id) == 0) {
            return policy->rows[i].text;
        }
    }
    return NULL;
}

/* ---- which policy judged ---- */

static uint64_t number_of(const struct rcs_log_reader *reader, enum rcs_key key)
{
    return (uint64_t)rcs_record_get(&reader->record, key);
}

static const struct rcs_shown_policy *policy_of_digest(const struct rcs_log_reader *reader)
{
    for (size_t i = 0; i < reader->policies->count; i++) {
        if (rcs_record_is(&reader->record, RCS_KEY_BEHAVIOUR, reader->policies->items[i].behaviour)) {
            return &reader->policies->items[i];
        }
    }
    return NULL;
}

static void name_policy(struct rcs_log_reader *reader, uint64_t number)
{
    struct rcs_log_policy *named =
        rcs_arena_push(&reader->arena, &reader->named, &reader->named_count, sizeof *named);

    named->number = number;
    named->policy = reader->policy = policy_of_digest(reader);
}

static void begin_segment(struct rcs_log_reader *reader)
{
    char id[sizeof reader->writer_id];

    (void)snprintf(id, sizeof id, "%.*s", (int)rcs_record_raw(&reader->record, RCS_KEY_WRITER).size,
                   rcs_record_raw(&reader->record, RCS_KEY_WRITER).data);
    if (strcmp(id, reader->writer_id) != 0) {
        strcpy(reader->writer_id, id);
        reader->writer++;
        reader->calls = NULL;
        reader->call_count = 0;
    }
    reader->named = NULL;
    reader->named_count = 0;
    name_policy(reader, 0);
}

/* Calls begin in the order of their numbers; the last one that is not above `call`, plus one. */
static size_t place_of(const struct rcs_log_reader *reader, uint64_t call)
{
    size_t low = 0;
    size_t high = reader->call_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (reader->calls[middle].call <= call) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void begin_call(struct rcs_log_reader *reader)
{
    uint64_t number = number_of(reader, RCS_KEY_POLICY);
    uint64_t call = number_of(reader, RCS_KEY_CALL);
    size_t place = place_of(reader, call);

    reader->policy = NULL;
    for (size_t i = 0; i < reader->named_count; i++) {
        if (reader->named[i].number == number) {
            reader->policy = reader->named[i].policy;
        }
    }
    (void)rcs_arena_push(&reader->arena, &reader->calls, &reader->call_count, sizeof *reader->calls);
    memmove(&reader->calls[place + 1], &reader->calls[place],
            (reader->call_count - 1 - place) * sizeof *reader->calls);
    reader->calls[place] = (struct rcs_log_call){call, reader->policy};
}

static void find_call(struct rcs_log_reader *reader)
{
    uint64_t call = number_of(reader, RCS_KEY_CALL);
    size_t place = place_of(reader, call);

    reader->policy = place > 0 && reader->calls[place - 1].call == call ? reader->calls[place - 1].policy : NULL;
}

static void follow(struct rcs_log_reader *reader)
{
    switch (reader->record.kind) {
    case RCS_KIND_SEGMENT: begin_segment(reader); break;
    case RCS_KIND_POLICY: name_policy(reader, number_of(reader, RCS_KEY_NUMBER)); break;
    case RCS_KIND_PRECONDITION: begin_call(reader); break;
    default: find_call(reader); break;
    }
}

/* ---- reading ---- */

static int complain(const struct rcs_log_reader *reader, const char *what)
{
    return rcs_cli_error("audit", "%s, line %llu: %s: nothing after it can be believed", reader->path,
                         (unsigned long long)reader->lines.number, what);
}

/* The first line of a file names the hash that it goes on from: that of the file before. */
static const char *check(struct rcs_log_reader *reader, struct recourse_span line, bool go_on)
{
    uint8_t before[RCS_HASH_SIZE];
    uint8_t named[RCS_HASH_SIZE];
    bool first = reader->lines.number == 1;
    const char *wrong;

    memcpy(before, reader->hash, sizeof before);
    wrong = rcs_lines_check(line, first, reader->hash, &reader->record);
    if (wrong != NULL || !first || !go_on) {
        return wrong;
    }
    if (!rcs_record_hex(&reader->record, RCS_KEY_PREVIOUS, named, sizeof named) ||
        memcmp(before, named, sizeof named) != 0) {
        return "it does not go on where the file before ends";
    }
    return NULL;
}

static int read_lines(struct rcs_log_reader *reader, bool go_on)
{
    struct recourse_span line;

    for (;;) {
        const char *wrong;

        switch (rcs_lines_next(&reader->lines, &line)) {
        case RCS_LINE_END: return RCS_EXIT_OK;
        case RCS_LINE_TORN: return complain(reader, "the last line is torn");
        case RCS_LINE_LONG: return complain(reader, "it is too long for a record");
        case RCS_LINE_FAILED: return rcs_cli_error("audit", "%s: %s", reader->path, strerror(reader->lines.error));
        case RCS_LINE_WHOLE: break;
        }
        wrong = check(reader, line, go_on);
        if (wrong != NULL) {
            return complain(reader, wrong);
        }
        follow(reader);
        if (!reader->visit(reader->user, reader)) {
            return RCS_EXIT_ERROR;
        }
    }
}

int rcs_log_read(struct rcs_log_reader *reader, char **paths, size_t count)
{
    int status = RCS_EXIT_OK;

    for (size_t i = 0; i < count && status == RCS_EXIT_OK; i++) {
        int fd = open(paths[i], O_RDONLY | O_CLOEXEC);

        if (fd < 0) {
            return rcs_cli_error("audit", "%s: the log can't be read: %s", paths[i], strerror(errno));
        }
        reader->path = paths[i];
        rcs_lines_init_file(&reader->lines, &fd);
        status = read_lines(reader, i > 0);
        close(fd);
    }
    return status;
}

void rcs_log_clear(struct rcs_log_reader *reader)
{
    rcs_arena_clear(&reader->arena);
}
