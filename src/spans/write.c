#include "src/spans/write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/core/hex.h"

#define FLAGS_KNOWN 0x100u /* whether the parent is remote is known */
#define FLAGS_REMOTE 0x200u

static void put(struct rcs_span_writer *writer, const char *text)
{
    if (writer->code == 0) {
        writer->code = rcs_buffer_append_text(writer->out, text);
    }
}

static void put_quoted(struct rcs_span_writer *writer, struct recourse_span text)
{
    if (writer->code == 0) {
        writer->code = rcs_buffer_append_quoted(writer->out, text);
    }
}

static void put_hex(struct rcs_span_writer *writer, const char *key, const uint8_t *bytes, size_t size)
{
    char text[33] = "";

    rcs_hex_write(bytes, size, text);
    put(writer, key);
    put(writer, text);
    put(writer, "\",");
}

static void put_time(struct rcs_span_writer *writer, const char *key, uint64_t ns)
{
    char text[64];

    snprintf(text, sizeof text, "\"%s\":\"%" PRIu64 "\",", key, ns);
    put(writer, text);
}

void rcs_span_begin(struct rcs_span_writer *writer, const struct rcs_span_head *head)
{
    const struct rcs_trace_context *context = head->context;
    unsigned flags = context->flags | FLAGS_KNOWN | (head->remote ? FLAGS_REMOTE : 0);
    char text[64];

    put_hex(writer, "{\"traceId\":\"", context->trace_id, sizeof context->trace_id);
    put_hex(writer, "\"spanId\":\"", context->span_id, sizeof context->span_id);
    if (*head->state != '\0') {
        put(writer, "\"traceState\":");
        put_quoted(writer, (struct recourse_span){head->state, strlen(head->state)});
        put(writer, ",");
    }
    if (head->parent != NULL) {
        put_hex(writer, "\"parentSpanId\":\"", head->parent, sizeof context->span_id);
    }
    snprintf(text, sizeof text, "\"flags\":%u,\"kind\":%d,", flags, (int)head->kind);
    put(writer, text);
    put_time(writer, "startTimeUnixNano", head->start_ns);
    put_time(writer, "endTimeUnixNano", head->end_ns);
}

void rcs_span_name(struct rcs_span_writer *writer, const char *name, struct recourse_span target)
{
    put(writer, "\"name\":\"");
    put(writer, name);
    if (target.size > 0) { /* its quote becomes the blank */
        size_t at = writer->out->size;

        put_quoted(writer, target);
        if (writer->code == 0) {
            writer->out->data[at] = ' ';
        }
        put(writer, ",");
    } else {
        put(writer, "\",");
    }
    put(writer, "\"attributes\":[");
    writer->any = false;
}

/* ---- attributes ---- */

static void put_key(struct rcs_span_writer *writer, const char *key, const char *type)
{
    put(writer, writer->any ? ",{\"key\":\"" : "{\"key\":\"");
    put(writer, key);
    put(writer, "\",\"value\":{\"");
    put(writer, type);
    put(writer, "\":");
    writer->any = true;
}

void rcs_span_bytes(struct rcs_span_writer *writer, const char *key, struct recourse_span value)
{
    put_key(writer, key, "stringValue");
    put_quoted(writer, value);
    put(writer, "}}");
}

void rcs_span_text(struct rcs_span_writer *writer, const char *key, const char *value)
{
    if (value != NULL) {
        rcs_span_bytes(writer, key, (struct recourse_span){value, strlen(value)});
    }
}

void rcs_span_number(struct rcs_span_writer *writer, const char *key, int64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "\"%" PRId64 "\"}}", value);
    put_key(writer, key, "intValue");
    put(writer, text);
}

void rcs_span_bool(struct rcs_span_writer *writer, const char *key, bool value)
{
    put_key(writer, key, "boolValue");
    put(writer, value ? "true}}" : "false}}");
}

/* ---- events and the end ---- */

void rcs_span_events(struct rcs_span_writer *writer)
{
    put(writer, "],\"events\":[");
    writer->any = false;
}

void rcs_span_event(struct rcs_span_writer *writer, const char *name, uint64_t at_ns)
{
    put(writer, writer->any ? ",{" : "{");
    put_time(writer, "timeUnixNano", at_ns);
    put(writer, "\"name\":\"");
    put(writer, name);
    put(writer, "\",\"attributes\":[");
    writer->any = false;
}

void rcs_span_event_end(struct rcs_span_writer *writer)
{
    put(writer, "]}");
    writer->any = true;
}

void rcs_span_end(struct rcs_span_writer *writer, bool failed)
{
    put(writer, failed ? "],\"status\":{\"code\":2}}" : "],\"status\":{}}");
}
