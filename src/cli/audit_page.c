/* recourse audit show --html: a whole log as one page. page/audit.js says what is in its data. */
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "audit_log.h"
#include "cli.h"
#include "explain_page.h"
#include "files.h"
#include "json_out.h"
#include "page_frame.h"
#include "src/core/json.h"
#include "src/core/text.h"

#define RECORDS_MAX 1000000u
#define TEXT_MAX 2048u

/* Texts are written once and named by their number: most of them come again with every call. */
struct texts {
    struct rcs_out list;
    struct {
        uint64_t hash;
        size_t at; /* in `bytes` */
        uint32_t number;
    } *slots;
    size_t room; /* a power of two */
    uint32_t count;
    char *bytes; /* all texts, each with its zero byte */
    size_t size;
    size_t bytes_room;
};

struct page {
    struct texts texts;
    struct rcs_out records;
    uint64_t count;
    const struct rcs_shown_policies *policies;
    char plain[3 * RCS_LINE_MAX]; /* a field of a line, whole: bad bytes become three */
    char clean[3 * RCS_LINE_MAX];
};

/* ---- texts ---- */

static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    }
    return hash;
}

static size_t slot_of(const struct texts *texts, uint64_t hash, const char *text)
{
    size_t slot = (size_t)hash & (texts->room - 1);

    while (texts->slots[slot].number != 0 &&
           (texts->slots[slot].hash != hash || strcmp(texts->bytes + texts->slots[slot].at, text) != 0)) {
        slot = (slot + 1) & (texts->room - 1);
    }
    return slot;
}

static void grow(struct texts *texts)
{
    struct texts old = *texts;

    texts->room = old.room == 0 ? 1024 : 2 * old.room;
    texts->slots = rcs_cli_realloc(NULL, texts->room * sizeof *texts->slots);
    memset(texts->slots, 0, texts->room * sizeof *texts->slots);
    for (size_t i = 0; i < old.room; i++) {
        if (old.slots[i].number != 0) {
            texts->slots[slot_of(texts, old.slots[i].hash, texts->bytes + old.slots[i].at)] = old.slots[i];
        }
    }
    free(old.slots);
}

static void keep(struct texts *texts, const char *text, size_t size)
{
    if (texts->bytes_room - texts->size < size) {
        texts->bytes_room = 2 * texts->bytes_room + size;
        texts->bytes = rcs_cli_realloc(texts->bytes, texts->bytes_room);
    }
    memcpy(texts->bytes + texts->size, text, size);
    texts->size += size;
}

/* From 1; 0 is for what is not there. */
static uint32_t number_of(struct texts *texts, const char *text)
{
    uint64_t hash = hash_of(text);
    size_t slot;

    if (2 * (size_t)texts->count >= texts->room) {
        grow(texts);
    }
    slot = slot_of(texts, hash, text);
    if (texts->slots[slot].number == 0) {
        texts->slots[slot].hash = hash;
        texts->slots[slot].at = texts->size;
        texts->slots[slot].number = ++texts->count;
        keep(texts, text, strlen(text) + 1);
        rcs_out_text(&texts->list, text);
    }
    return texts->slots[slot].number;
}

/* ---- records ---- */

static void put_field(struct page *page, const struct rcs_record *record, enum rcs_key key)
{
    size_t size;

    if (!rcs_record_has(record, key)) {
        rcs_out_number(&page->records, 0);
        return;
    }
    size = rcs_json_unescape(record->value[key].text, page->plain, sizeof page->plain);
    (void)rcs_text_reason((struct recourse_span){page->plain, size}, UINT32_MAX, page->clean, sizeof page->clean);
    rcs_out_number(&page->records, number_of(&page->texts, page->clean));
}

static void put_number(struct page *page, const struct rcs_record *record, enum rcs_key key)
{
    rcs_out_number(&page->records, (uint64_t)rcs_record_get(record, key));
}

static bool put_words(struct page *page, const struct rcs_record *record)
{
    char text[TEXT_MAX];
    FILE *stream = fmemopen(text, sizeof text, "w");

    if (stream == NULL) {
        (void)rcs_cli_error("audit", "out of memory");
        return false;
    }
    rcs_shown_record(stream, record);
    fclose(stream);
    text[sizeof text - 1] = '\0';
    rcs_out_number(&page->records, number_of(&page->texts, text));
    return true;
}

/* What a kind has beside kind, time, words, call and row. */
static void put_more(struct page *page, const struct rcs_log_reader *reader)
{
    static const enum rcs_key fields[RCS_KIND_COUNT][3] = {
        [RCS_KIND_PRECONDITION] = {RCS_KEY_TOOL, RCS_KEY_ID},
        [RCS_KIND_OUTCOME] = {RCS_KEY_EVENT, RCS_KEY_FACT_ROW},
        [RCS_KIND_REPORTED] = {RCS_KEY_SCENARIO, RCS_KEY_TELL, RCS_KEY_REMINDER},
        [RCS_KIND_BROKEN] = {RCS_KEY_TELL},
    };
    const struct rcs_record *record = &reader->record;

    for (size_t i = 0; i < 3 && fields[record->kind][i] != 0; i++) {
        put_field(page, record, fields[record->kind][i]);
    }
    if (record->kind == RCS_KIND_PRECONDITION) {
        rcs_out_number(&page->records,
                       reader->policy == NULL ? 0 : (uint64_t)(reader->policy - page->policies->items) + 1);
    }
    if (record->kind == RCS_KIND_WAIT) {
        put_number(page, record, RCS_KEY_END);
    }
    if (record->kind == RCS_KIND_SEGMENT) {
        rcs_out_number(&page->records, reader->writer);
        put_number(page, record, RCS_KEY_WALL);
    }
}

static bool put_record(void *user, struct rcs_log_reader *reader)
{
    struct page *page = user;
    const struct rcs_record *record = &reader->record;

    if (++page->count > RECORDS_MAX) {
        (void)rcs_cli_error("audit", "%s: a page holds %u records at most: show fewer files of the log", reader->path,
                            RECORDS_MAX);
        return false;
    }
    rcs_out_open(&page->records, '[');
    rcs_out_number(&page->records, record->kind);
    put_number(page, record, RCS_KEY_AT);
    if (!put_words(page, record)) {
        return false;
    }
    if (rcs_record_has(record, RCS_KEY_CALL)) {
        put_number(page, record, RCS_KEY_CALL);
        put_field(page, record, RCS_KEY_ROW);
    }
    put_more(page, reader);
    rcs_out_close(&page->records, ']');
    return true;
}

/* ---- the page ---- */

static void put_policies(struct rcs_out *out, const struct rcs_shown_policies *policies)
{
    rcs_out_key(out, "policies");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < policies->count; i++) {
        const struct rcs_shown_policy *policy = &policies->items[i];

        rcs_out_open(out, '{');
        rcs_out_key(out, "name");
        rcs_out_text(out, policy->name);
        rcs_out_key(out, "rows");
        rcs_out_open(out, '{');
        for (size_t j = 0; j < policy->row_count; j++) {
            rcs_out_key(out, policy->rows[j].id);
            rcs_out_text(out, policy->rows[j].text);
        }
        rcs_out_close(out, '}');
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

static void put_data(const struct page *page, struct rcs_out *out)
{
    rcs_out_open(out, '{');
    rcs_out_key(out, "kinds");
    rcs_out_open(out, '[');
    for (unsigned i = 0; i < RCS_KIND_COUNT; i++) {
        rcs_out_text(out, rcs_kind_name((enum rcs_kind)i));
    }
    rcs_out_close(out, ']');
    put_policies(out, page->policies);
    rcs_out_key(out, "texts");
    rcs_out_raw(out, (struct recourse_span){page->texts.list.data, page->texts.list.size});
    rcs_out_key(out, "records");
    rcs_out_raw(out, (struct recourse_span){page->records.data, page->records.size});
    rcs_out_close(out, '}');
}

static int write_page(const struct page *page, const struct rcs_audit_show_options *options)
{
    struct rcs_arena arena = {0};
    struct rcs_frame frame = {.arena = &arena};
    struct rcs_string name = {.arena = &arena};
    struct rcs_string data = {.arena = &arena};
    struct rcs_string out = {.arena = &arena};
    struct rcs_out json = {0};
    const char *why = NULL;
    int status = RCS_EXIT_OK;

    put_data(page, &json);
    rcs_frame_append_json(&data, json.data, json.size);
    rcs_page_text(&name, options->logs[options->log_count - 1]);
    rcs_frame_add_security(&frame, "audit.js", "explain.css", "audit.css");
    rcs_frame_add_file(&frame, "style", "explain.css");
    rcs_frame_add_file(&frame, "more-style", "audit.css");
    rcs_frame_add_file(&frame, "script", "audit.js");
    rcs_frame_add_made(&frame, "name", &name);
    rcs_frame_add_made(&frame, "data", &data);
    rcs_frame_fill(&frame, "audit.html", &out);
    if (options->output == NULL || strcmp(options->output, "-") == 0) {
        fwrite(out.data, 1, out.size, stdout);
    } else if (!rcs_files_replace(options->output, 0600, out.data, out.size, &why)) {
        status = rcs_cli_error("audit", "%s can't be written: %s", options->output, why);
    }
    rcs_out_clear(&json);
    rcs_arena_clear(&arena);
    return status;
}

static void clear(struct page *page)
{
    rcs_out_clear(&page->records);
    rcs_out_clear(&page->texts.list);
    free(page->texts.slots);
    free(page->texts.bytes);
    free(page);
}

int rcs_audit_page(const struct rcs_audit_show_options *options, const struct rcs_shown_policies *policies)
{
    struct rcs_log_reader *reader = rcs_cli_realloc(NULL, sizeof *reader);
    struct page *page = rcs_cli_realloc(NULL, sizeof *page);
    int status;

    memset(reader, 0, sizeof *reader);
    memset(page, 0, sizeof *page);
    page->policies = policies;
    reader->policies = policies;
    reader->visit = put_record;
    reader->user = page;
    rcs_out_open(&page->records, '[');
    rcs_out_open(&page->texts.list, '[');
    status = rcs_log_read(reader, options->logs, options->log_count);
    rcs_out_close(&page->records, ']');
    rcs_out_close(&page->texts.list, ']');
    if (status == RCS_EXIT_OK) {
        status = write_page(page, options);
    }
    clear(page);
    rcs_log_clear(reader);
    free(reader);
    return status;
}
