#include "tests/unit/spans_kit.h"

#include "src/core/json.h"

#define WALL_NS 1700000000000000000u /* of the simulated port when the kit begins */

static void gather(void *user, struct recourse_span json, unsigned spans)
{
    struct spans_kit *at = user;

    CU_ASSERT_TRUE_FATAL(at->size + json.size + 2 < sizeof at->json);
    memcpy(at->json + at->size, json.data, json.size);
    at->size += json.size;
    at->json[at->size++] = '\n';
    at->json[at->size] = '\0';
    at->batches++;
    at->count += spans;
}

struct recourse_spans_options spans_options(struct spans_kit *at)
{
    return (struct recourse_spans_options){
        .size = sizeof(struct recourse_spans_options), .port = &at->kit.sim.port, .batch = gather, .user = at};
}

void spans_open(struct spans_kit *at, const struct recourse_spans_options *given)
{
    struct recourse_spans_options usual;
    struct recourse_runner_options options;
    struct recourse_error error = {RECOURSE_OK, ""};

    kit_init(&at->kit, &options);
    usual = spans_options(at);
    usual.batch_max = 1;
    RCS_EQUAL(recourse_spans_new(given != NULL ? given : &usual, &at->spans, &error), 0);
    RCS_TEXT_EQUAL(error.text, "");
    options.spans = at->spans;
    kit_open(&at->kit, &options);
}

void spans_close(struct spans_kit *at)
{
    recourse_runner_free(at->kit.runner);
    recourse_spans_free(at->spans);
    sim_clear(&at->kit.sim);
}

const char *spans_state(const struct spans_kit *at)
{
    static char text[256];
    struct recourse_spans_state state;

    recourse_spans_state(at->spans, &state);
    snprintf(text, sizeof text, "ended %llu exported %llu dropped %llu failed %llu rejected %llu waiting %u",
             (unsigned long long)state.ended, (unsigned long long)state.exported, (unsigned long long)state.dropped,
             (unsigned long long)state.failed, (unsigned long long)state.rejected, state.waiting);
    return text;
}

/* ---- words ---- */

struct words {
    char text[32768];
    size_t used;
};

static void put(struct words *words, const char *before, struct recourse_span text)
{
    int size = snprintf(words->text + words->used, sizeof words->text - words->used, "%s%.*s", before, (int)text.size,
                        text.data);

    words->used += (size_t)size;
    CU_ASSERT_TRUE_FATAL(words->used < sizeof words->text);
}

static struct recourse_span bare(struct recourse_span value)
{
    value = rcs_json_trim(value);
    if (rcs_json_type_of(value) == RCS_JSON_STRING) {
        value = (struct recourse_span){value.data + 1, value.size - 2};
    }
    return value;
}

static struct recourse_span member(struct recourse_span object, const char *name)
{
    return bare(rcs_json_member(object, name));
}

static void put_ms(struct words *words, const char *before, struct recourse_span ns)
{
    char text[32];
    uint64_t number = strtoull(kit_text(ns), NULL, 10);

    snprintf(text, sizeof text, "%llu", (unsigned long long)((number - WALL_NS) / 1000000u + KIT_START_MS));
    RCS_EQUAL((number - WALL_NS) % 1000000u, 0);
    put(words, before, kit_span(text));
}

/* int64 is text, the others are what they are. */
static void put_attributes(struct words *words, struct recourse_span list)
{
    static const char *const types[] = {"stringValue", "intValue", "boolValue"};
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    while (rcs_json_next(list, &at, &key, &value)) {
        struct recourse_span what = member(value, "value");
        unsigned found = 0;

        put(words, " ", member(value, "key"));
        for (size_t i = 0; i < RCS_COUNT(types); i++) {
            struct recourse_span typed = rcs_json_trim(rcs_json_member(what, types[i]));

            if (typed.size > 0) {
                RCS_EQUAL(rcs_json_type_of(typed) == RCS_JSON_STRING, i < 2);
                put(words, "=", bare(typed));
                found++;
            }
        }
        RCS_EQUAL(found, 1);
    }
}

static void put_span(struct words *words, struct recourse_span span)
{
    static const char *const kinds[] = {"", " internal", "", " client"};
    struct recourse_span key;
    struct recourse_span event;
    size_t at = 0;

    put(words, "", member(span, "name"));
    put(words, kinds[strtoul(kit_text(member(span, "kind")), NULL, 10) & 3u], kit_span(""));
    put_ms(words, " ", member(span, "startTimeUnixNano"));
    put_ms(words, "-", member(span, "endTimeUnixNano"));
    if (member(member(span, "status"), "code").size > 0) {
        RCS_TEXT_EQUAL(kit_text(member(member(span, "status"), "code")), "2");
        put(words, " ERROR", kit_span(""));
    }
    put_attributes(words, member(span, "attributes"));
    while (rcs_json_next(member(span, "events"), &at, &key, &event)) {
        put(words, " {", member(event, "name"));
        put_ms(words, " ", member(event, "timeUnixNano"));
        put_attributes(words, member(event, "attributes"));
        put(words, "}", kit_span(""));
    }
    put(words, "\n", kit_span(""));
}

/* The list of spans of one batch. */
static struct recourse_span spans_of(struct recourse_span batch)
{
    struct recourse_span key;
    struct recourse_span resource = {NULL, 0};
    struct recourse_span scope = {NULL, 0};
    size_t at = 0;

    CU_ASSERT_EQUAL_FATAL(rcs_json_check(batch, true, NULL), RCS_JSON_GOOD);
    CU_ASSERT_TRUE_FATAL(rcs_json_next(member(batch, "resourceSpans"), &at, &key, &resource));
    at = 0;
    CU_ASSERT_TRUE_FATAL(rcs_json_next(member(resource, "scopeSpans"), &at, &key, &scope));
    return member(scope, "spans");
}

static struct recourse_span next_batch(const struct spans_kit *at, size_t *offset)
{
    const char *begin = at->json + *offset;
    struct recourse_span batch = {begin, strcspn(begin, "\n")};

    *offset += batch.size + (batch.size > 0);
    return batch;
}

const char *spans_words(const struct spans_kit *at)
{
    static struct words words;
    struct recourse_span batch;
    struct recourse_span key;
    struct recourse_span span;
    size_t offset = 0;

    words.used = 0;
    words.text[0] = '\0';
    while ((batch = next_batch(at, &offset)).size > 0) {
        size_t walk = 0;

        while (rcs_json_next(spans_of(batch), &walk, &key, &span)) {
            put_span(&words, rcs_json_trim(span));
        }
    }
    return words.text;
}

const char *spans_member(const struct spans_kit *at, unsigned index, const char *name)
{
    struct recourse_span batch;
    struct recourse_span key;
    struct recourse_span span;
    size_t offset = 0;

    while ((batch = next_batch(at, &offset)).size > 0) {
        size_t walk = 0;

        while (rcs_json_next(spans_of(batch), &walk, &key, &span)) {
            if (index-- == 0) {
                return kit_text(member(rcs_json_trim(span), name));
            }
        }
    }
    return "";
}

struct recourse_call_request spans_call(const char *name, const char *traceparent, const char *tracestate)
{
    struct recourse_call_request call = kit_call("c1", name, "{\"q\":\"hidden argument\"}");

    call.traceparent = kit_span(traceparent);
    call.tracestate = kit_span(tracestate);
    return call;
}
