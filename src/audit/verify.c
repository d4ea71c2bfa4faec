/* The log as a whole: its chain, its segments, and what grade comes of it. */
#include "src/audit/verify_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const grades[RCS_GRADE_COUNT] = {"broken", "empty", "intact", "conformant", "complete", "anchored"};

const char *rcs_grade_name(enum rcs_grade grade)
{
    return grades[grade];
}

bool rcs_grade_read(const char *text, enum rcs_grade *grade)
{
    for (unsigned i = RCS_GRADE_EMPTY; i < RCS_GRADE_COUNT; i++) {
        if (strcmp(grades[i], text) == 0) {
            *grade = (enum rcs_grade)i;
            return true;
        }
    }
    return false;
}

void rcs_judge_init(struct rcs_judge *judge, struct rcs_arena *arena, const struct rcs_spec *spec)
{
    *judge = (struct rcs_judge){.spec = spec};
    judge->first_atoms = rcs_arena_alloc(arena, (spec->fact_row_count + 1) * sizeof *judge->first_atoms);
    for (size_t i = 0; i < spec->fact_row_count; i++) {
        judge->first_atoms[i] = judge->atom_count;
        judge->atom_count += spec->fact_rows[i].atom_count;
    }
    judge->held = rcs_arena_alloc(arena, (judge->atom_count / 64 + 1) * sizeof *judge->held);
    judge->rows = rcs_arena_alloc(arena, (spec->row_count + 1) * sizeof *judge->rows);
    judge->fact_rows = rcs_arena_alloc(arena, (spec->fact_row_count + 1) * sizeof *judge->fact_rows);
}

/* ---- what is wrong ---- */

static void copy_text(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text);
}

static void set_divergence(const struct rcs_verify *verify, struct rcs_divergence *to, const char *what,
                           const char *expected, const char *recorded)
{
    if (to->found) {
        return; /* the first one counts */
    }
    to->found = true;
    to->file = verify->file;
    to->line = verify->line;
    copy_text(to->what, sizeof to->what, what);
    copy_text(to->expected, sizeof to->expected, expected == NULL ? "" : expected);
    copy_text(to->recorded, sizeof to->recorded, recorded == NULL ? "" : recorded);
}

bool rcs_diverges(struct rcs_verify *verify, const char *what, const char *expected, const char *recorded)
{
    struct rcs_divergence *to = &verify->verdict.divergence;
    bool first = !to->found;
    struct recourse_span row = rcs_record_raw(&verify->record, RCS_KEY_ROW);

    set_divergence(verify, to, what, expected, recorded);
    if (first) {
        to->call = (uint64_t)rcs_record_get(&verify->record, RCS_KEY_CALL);
        snprintf(to->recorded_row, sizeof to->recorded_row, "%.*s", (int)(row.size < 60 ? row.size : 60),
                 row.data == NULL ? "" : row.data);
    }
    return false;
}

bool rcs_expect_text(struct rcs_verify *verify, enum rcs_key key, const char *expected)
{
    struct recourse_span raw = rcs_record_raw(&verify->record, key);
    char recorded[RCS_VERIFY_TEXT_MAX];

    if (rcs_record_is(&verify->record, key, expected)) {
        return true;
    }
    snprintf(recorded, sizeof recorded, "%.*s", (int)(raw.size < 200 ? raw.size : 200),
             raw.data == NULL ? "-" : raw.data);
    return rcs_diverges(verify, rcs_key_name(key), expected == NULL ? "-" : expected, recorded);
}

static void number_text(char text[32], bool there, uint64_t number)
{
    if (there) {
        snprintf(text, 32, "%llu", (unsigned long long)number);
    } else {
        snprintf(text, 32, "-");
    }
}

/* RECOURSE_FOREVER, as everything beyond what a record can say, is left out. */
bool rcs_expect_number(struct rcs_verify *verify, enum rcs_key key, uint64_t expected)
{
    bool wanted = expected <= (uint64_t)RCS_NUMBER_MAX;
    bool there = rcs_record_has(&verify->record, key);
    uint64_t number = (uint64_t)rcs_record_get(&verify->record, key);
    char texts[2][32];

    if (wanted == there && (!wanted || number == expected)) {
        return true;
    }
    number_text(texts[0], wanted, expected);
    number_text(texts[1], there, number);
    return rcs_diverges(verify, rcs_key_name(key), texts[0], texts[1]);
}

bool rcs_expect_flag(struct rcs_verify *verify, enum rcs_key key, bool expected)
{
    bool recorded = rcs_record_true(&verify->record, key);

    return recorded == expected ||
           rcs_diverges(verify, rcs_key_name(key), expected ? "true" : "false", recorded ? "true" : "false");
}

static void incomplete(struct rcs_verify *verify, const char *why)
{
    if (verify->verdict.incomplete[0] == '\0') {
        copy_text(verify->verdict.incomplete, sizeof verify->verdict.incomplete, why);
    }
}

static void breaks(struct rcs_verify *verify, const char *what)
{
    set_divergence(verify, &verify->verdict.broken, what, NULL, NULL);
}

/* ---- policies ---- */

static struct rcs_judge *judge_by_digest(struct rcs_verify *verify, const uint8_t digest[32])
{
    for (size_t i = 0; i < verify->judge_count; i++) {
        if (memcmp(verify->judges[i].spec->behaviour_sha256, digest, 32) == 0) {
            verify->judges[i].matched = true;
            return &verify->judges[i];
        }
    }
    return NULL;
}

/* Another version of the policy judges, too: so that it can be said where it decides otherwise. */
static struct rcs_judge *judge_by_name(struct rcs_verify *verify)
{
    struct rcs_verdict *verdict = &verify->verdict;

    for (size_t i = 0; i < verify->judge_count; i++) {
        if (!rcs_record_is(&verify->record, RCS_KEY_NAME, verify->judges[i].spec->name)) {
            continue;
        }
        if (verdict->version[0] == '\0') {
            snprintf(verdict->version, sizeof verdict->version,
                     "the log was made by another version of %.100s: its behaviour digest is %.64s",
                     verify->judges[i].spec->name, rcs_record_raw(&verify->record, RCS_KEY_BEHAVIOUR).data);
        }
        return &verify->judges[i];
    }
    return NULL;
}

static void learn_policy(struct rcs_verify *verify, uint64_t number)
{
    struct recourse_span name = rcs_record_raw(&verify->record, RCS_KEY_NAME);
    struct rcs_judge *judge;
    uint8_t digest[32];

    if (number >= RCS_POLICIES_PER_LOG) {
        rcs_diverges(verify, "the policy's number is too large", NULL, NULL);
        return;
    }
    (void)rcs_record_hex(&verify->record, RCS_KEY_BEHAVIOUR, digest, sizeof digest);
    judge = judge_by_digest(verify, digest);
    judge = judge == NULL ? judge_by_name(verify) : judge;
    if (judge == NULL && verify->verdict.unknown[0] == '\0') {
        snprintf(verify->verdict.unknown, sizeof verify->verdict.unknown, "%.*s, behaviour digest %.64s",
                 (int)(name.size < 100 ? name.size : 100), name.data,
                 rcs_record_raw(&verify->record, RCS_KEY_BEHAVIOUR).data);
    }
    if (verify->known[number] && verify->of_number[number] != judge) {
        rcs_diverges(verify, "a policy's number is given to another one", NULL, NULL);
    }
    verify->of_number[number] = judge;
    verify->known[number] = true;
}

/* ---- records ---- */

static void forget_calls(struct rcs_verify *verify)
{
    for (unsigned i = 0; verify->open > 0 && i < RCS_BUCKETS; i++) {
        while (verify->calls[i] != NULL) {
            rcs_replay_forget(verify, verify->calls[i]);
        }
    }
}

/* Another process goes on with the log: what was open under the one before stays without an end. */
static void change_writer(struct rcs_verify *verify, const uint8_t writer[16])
{
    if (verify->open > 0) {
        incomplete(verify, "a writer was gone before its calls had ended");
        verify->verdict.open += verify->open;
        forget_calls(verify);
    }
    if (verify->begun && !verify->closed) {
        incomplete(verify, "a writer was gone without closing the log");
    }
    memset(verify->known, 0, sizeof verify->known);
    memcpy(verify->writer, writer, sizeof verify->writer);
    verify->has_holes = false;
    rcs_budgets_forget(verify);
    verify->last_call = 0;
    verify->last_at = 0;
}

/* Which log this is, and where in it. */
static void take_position(struct rcs_verify *verify, bool first)
{
    uint64_t before = (uint64_t)rcs_record_get(&verify->record, RCS_KEY_COUNT_);
    uint8_t log[RCS_LOG_ID_SIZE];

    (void)rcs_record_hex(&verify->record, RCS_KEY_LOG, log, sizeof log);
    if (first) {
        verify->position = before;
        memcpy(verify->log, log, sizeof log);
    } else if (memcmp(verify->log, log, sizeof log) != 0) {
        rcs_diverges(verify, "the segment is of another log", NULL, NULL);
    } else {
        (void)rcs_expect_number(verify, RCS_KEY_COUNT_, verify->position);
    }
}

/* After each record, and before the first. */
static void compare_anchor(struct rcs_verify *verify, const uint8_t hash[RCS_HASH_SIZE])
{
    const struct rcs_anchor *anchor = verify->anchor;

    if (anchor == NULL || verify->position != anchor->size) {
        return;
    }
    if (memcmp(anchor->log, verify->log, sizeof anchor->log) != 0) {
        breaks(verify, "the anchor is of another log");
        return;
    }
    if (memcmp(anchor->hash, hash, sizeof anchor->hash) != 0) {
        breaks(verify, "it is not the record that was anchored: what came before it was rewritten");
        return;
    }
    verify->verdict.anchored = anchor->size;
}

static void end_anchor(struct rcs_verify *verify)
{
    const struct rcs_anchor *anchor = verify->anchor;

    if (anchor == NULL || verify->verdict.broken.found || verify->verdict.anchored > 0) {
        return;
    }
    verify->line = 0;
    if (verify->begun && memcmp(anchor->log, verify->log, sizeof anchor->log) != 0) {
        breaks(verify, "the anchor is of another log");
    } else if (verify->position < anchor->size) {
        breaks(verify, "the log ends before its anchor: it was cut");
    } else {
        incomplete(verify, "the anchor is of a file that was not given");
    }
}

static void take_segment(struct rcs_verify *verify, bool first)
{
    const struct rcs_record *record = &verify->record;
    uint64_t number = (uint64_t)rcs_record_get(record, RCS_KEY_SEGMENT);
    uint8_t previous[RCS_HASH_SIZE];
    uint8_t writer[16];

    (void)rcs_record_hex(record, RCS_KEY_WRITER, writer, sizeof writer);
    take_position(verify, first);
    if (first && verify->position > 0) {
        (void)rcs_record_hex(record, RCS_KEY_PREVIOUS, previous, sizeof previous);
        compare_anchor(verify, previous);
    }
    if (first && number != 1) {
        incomplete(verify, "the log does not begin with its first segment");
    }
    if (!first && number != verify->segment + 1) {
        incomplete(verify, "a segment is missing");
    }
    if (first || memcmp(writer, verify->writer, sizeof writer) != 0) {
        change_writer(verify, writer);
    }
    verify->segment = number;
    verify->verdict.segments++;
    learn_policy(verify, 0);
}

static void take_record(struct rcs_verify *verify, bool first)
{
    const struct rcs_record *record = &verify->record;
    uint64_t at = (uint64_t)rcs_record_get(record, RCS_KEY_AT);

    verify->verdict.records++;
    if (record->kind == RCS_KIND_SEGMENT) {
        take_segment(verify, first);
    }
    if (at < verify->last_at) {
        rcs_diverges(verify, "the clock goes back", NULL, NULL);
    }
    verify->last_at = at;
    verify->closed = record->kind == RCS_KIND_CLOSE;
    switch (record->kind) {
    case RCS_KIND_SEGMENT:
    case RCS_KIND_CHECKPOINT:
    case RCS_KIND_CLOSE:
        break;
    case RCS_KIND_POLICY:
        learn_policy(verify, (uint64_t)rcs_record_get(record, RCS_KEY_NUMBER));
        break;
    case RCS_KIND_RECOVERED:
        verify->verdict.torn++;
        incomplete(verify, "a torn line was cut off");
        break;
    case RCS_KIND_LOST:
        verify->verdict.lost += (uint64_t)rcs_record_get(record, RCS_KEY_COUNT_);
        incomplete(verify, "records were lost because they could not be written");
        rcs_replay_give_up(verify);
        break;
    default:
        rcs_replay(verify);
        break;
    }
    verify->begun = true;
}

/* ---- files ---- */

static bool take_line(struct rcs_verify *verify, struct recourse_span line)
{
    const char *wrong = rcs_lines_check(line, !verify->begun, verify->hash, &verify->record);

    verify->line = verify->lines.number;
    if (wrong != NULL) {
        breaks(verify, wrong);
        return false;
    }
    take_record(verify, !verify->begun);
    verify->position++;
    compare_anchor(verify, verify->hash);
    return true;
}

/* False: the file can't be read. */
static bool take_lines(struct rcs_verify *verify)
{
    struct recourse_span line;

    while (!verify->verdict.broken.found) {
        switch (rcs_lines_next(&verify->lines, &line)) {
        case RCS_LINE_WHOLE:
            if (!take_line(verify, line)) {
                return true;
            }
            break;
        case RCS_LINE_TORN:
            verify->line = verify->lines.number;
            breaks(verify, "the last line is torn");
            return true;
        case RCS_LINE_LONG:
            verify->line = verify->lines.number;
            breaks(verify, "it is too long for a record");
            return true;
        case RCS_LINE_FAILED:
            return false;
        case RCS_LINE_END:
            return true;
        }
    }
    return true;
}

bool rcs_verify_file(struct rcs_verify *verify, const char *name, int fd, const char **why)
{
    verify->file = name;
    rcs_lines_init_file(&verify->lines, &fd);
    if (!take_lines(verify)) {
        *why = strerror(verify->lines.error);
        return false;
    }
    return true;
}

static ssize_t read_bytes(void *user, char *bytes, size_t size)
{
    struct recourse_span *left = user;
    size_t piece = left->size < size ? left->size : size;

    if (piece > 0) {
        memcpy(bytes, left->data, piece);
        *left = (struct recourse_span){left->data + piece, left->size - piece};
    }
    return (ssize_t)piece;
}

void rcs_verify_bytes(struct rcs_verify *verify, const char *name, struct recourse_span bytes)
{
    verify->file = name;
    rcs_lines_init(&verify->lines, read_bytes, &bytes);
    (void)take_lines(verify);
}

/* ---- making, ending ---- */

struct rcs_verify *rcs_verify_new(struct rcs_judge *judges, size_t judge_count, const struct rcs_disclosure *disclosure)
{
    struct rcs_verify *verify = calloc(1, sizeof *verify);

    if (verify == NULL) {
        return NULL;
    }
    verify->judges = judges;
    verify->judge_count = judge_count;
    verify->disclosure = disclosure;
    return verify;
}

void rcs_verify_anchor(struct rcs_verify *verify, const struct rcs_anchor *anchor)
{
    verify->anchor = anchor;
}

void rcs_verify_free(struct rcs_verify *verify)
{
    if (verify != NULL) {
        forget_calls(verify);
        free(verify);
    }
}

static enum rcs_grade grade_of(const struct rcs_verdict *verdict)
{
    if (verdict->broken.found) {
        return RCS_GRADE_BROKEN;
    }
    if (verdict->calls == 0) {
        return RCS_GRADE_EMPTY;
    }
    if (verdict->divergence.found || verdict->unjudged > 0 || verdict->version[0] != '\0') {
        return RCS_GRADE_INTACT;
    }
    if (verdict->incomplete[0] != '\0') {
        return RCS_GRADE_CONFORMANT;
    }
    return verdict->anchored > 0 ? RCS_GRADE_ANCHORED : RCS_GRADE_COMPLETE;
}

void rcs_verify_end(struct rcs_verify *verify, struct rcs_verdict *verdict)
{
    end_anchor(verify);
    verify->verdict.open += verify->open;
    if (verify->open > 0) {
        incomplete(verify, "calls have no end");
    }
    if (!verify->closed) {
        incomplete(verify, "the log is not closed");
    }
    verify->verdict.grade = grade_of(&verify->verdict);
    *verdict = verify->verdict;
}
