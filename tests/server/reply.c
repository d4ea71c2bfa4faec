/* What becomes of an answer: the bytes that go out, where they pause, and how they end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/server/parts.h"

#define ENDLESS_AT_ONCE 65536u

const char *rcs_usual_phrase(size_t status)
{
    static const struct {
        size_t status;
        const char *phrase;
    } usual[] = {
        {200, "OK"}, {201, "Created"}, {202, "Accepted"}, {204, "No Content"}, {301, "Moved Permanently"},
        {302, "Found"}, {304, "Not Modified"}, {400, "Bad Request"}, {401, "Unauthorized"}, {403, "Forbidden"},
        {404, "Not Found"}, {405, "Method Not Allowed"}, {406, "Not Acceptable"}, {408, "Request Timeout"}, {409, "Conflict"},
        {411, "Length Required"}, {413, "Content Too Large"}, {415, "Unsupported Media Type"}, {422, "Unprocessable Content"},
        {429, "Too Many Requests"}, {500, "Internal Server Error"}, {501, "Not Implemented"}, {502, "Bad Gateway"},
        {503, "Service Unavailable"}, {504, "Gateway Timeout"},
    };

    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (usual[i].status == status) {
            return usual[i].phrase;
        }
    }
    return "Unknown";
}

/* Returns the size of the head. */
static size_t http_write(const struct rcs_answer *answer, const struct rcs_faulty_request *request,
                         struct rcs_bytes *out)
{
    size_t head;
    bool bodiless = answer->status < 200 || answer->status == 204 || answer->status == 304;
    size_t size = answer->body.size + answer->fill + (answer->echo ? request->body_size : 0);
    const char *phrase = answer->phrase.data != NULL ? answer->phrase.data : rcs_usual_phrase(answer->status);

    rcs_bytes_format(out, "HTTP/1.1 %zu ", answer->status);
    rcs_bytes_add(out, phrase, strlen(phrase));
    rcs_bytes_add(out, "\r\n", 2);
    rcs_bytes_add(out, answer->headers.data, answer->headers.size);
    if (answer->length != SIZE_MAX || !bodiless) {
        rcs_bytes_format(out, "Content-Length: %zu\r\n", answer->length != SIZE_MAX ? answer->length : size);
    }
    rcs_bytes_add(out, "\r\n", 2);
    head = out->size;
    if (bodiless) {
        return head;
    }
    rcs_bytes_add(out, answer->body.data, answer->body.size);
    if (answer->echo) {
        rcs_bytes_add(out, request->body, request->body_size);
    }
    for (size_t i = 0; i < answer->fill; i++) {
        rcs_bytes_add(out, "x", 1);
    }
    return head;
}

void rcs_reply_end(const struct rcs_answer *answer, size_t head, struct rcs_reply *reply)
{
    size_t size = reply->bytes.size;
    size_t limit[] = {[RCS_AFTER] = size,
                      [RCS_BEFORE] = 0,
                      [RCS_MIDDLE] = head == size ? head / 2 : head + (size - head) / 2,
                      [RCS_AT_BYTE] = answer->byte};

    reply->end = answer->end;
    reply->limit = limit[answer->where] < size ? limit[answer->where] : size;
    reply->wait_us = (uint64_t)answer->wait_ms * 1000;
    reply->trickle_us = (uint64_t)answer->trickle_ms * 1000;
    rcs_bytes_add(&reply->endless, answer->endless.data, answer->endless.size);
}

void rcs_answer_write(const struct rcs_answer *answer, const struct rcs_faulty_request *request,
                      struct rcs_reply *reply)
{
    size_t head = 0;

    memset(reply, 0, sizeof *reply);
    if (answer->raw.data != NULL) {
        rcs_bytes_add(&reply->bytes, answer->raw.data, answer->raw.size);
    } else {
        head = http_write(answer, request, &reply->bytes);
    }
    rcs_reply_end(answer, head, reply);
}

/* ---- stops ---- */

void rcs_reply_stop(struct rcs_reply *reply, enum rcs_stop_kind kind, size_t number, const char *text)
{
    reply->stops = rcs_must_alloc(reply->stops, (reply->stop_count + 1) * sizeof *reply->stops);
    reply->stops[reply->stop_count++] = (struct rcs_stop){
        .offset = reply->bytes.size,
        .kind = kind,
        .number = number,
        .text = text == NULL ? NULL : rcs_must_copy(text, strlen(text)),
    };
}

bool rcs_reply_ready(const struct rcs_reply *reply)
{
    const struct rcs_stop *stop = &reply->stops[reply->stop_next];

    if (reply->stop_next >= reply->stop_count) {
        return true;
    }
    switch (stop->kind) {
    case RCS_STOP_AWAIT: return reply->source.has_come(reply->source.user, stop->number);
    case RCS_STOP_FEED: return reply->source.has_more(reply->source.user);
    default: return true;
    }
}

/* Takes what the source has, and lets the reply go as far. */
static void feed(struct rcs_reply *reply, struct rcs_stop *stop)
{
    reply->source.take(reply->source.user, &reply->bytes);
    reply->limit = reply->bytes.size;
    stop->offset = reply->bytes.size;
}

bool rcs_reply_pass(struct rcs_reply *reply, size_t sent, uint64_t now_us, uint64_t *due_us, size_t *limit)
{
    while (reply->stop_next < reply->stop_count && reply->stops[reply->stop_next].offset == sent) {
        struct rcs_stop *stop = &reply->stops[reply->stop_next];
        if (stop->kind >= RCS_STOP_STDERR) {
            break;
        }
        if (stop->kind == RCS_STOP_WAIT) {
            reply->stop_next++;
            *due_us = now_us + (uint64_t)stop->number * 1000;
            return false;
        }
        if (!rcs_reply_ready(reply)) {
            return false;
        }
        if (stop->kind == RCS_STOP_FEED) {
            feed(reply, stop);
        } else {
            reply->stop_next++;
        }
    }
    *limit = reply->limit;
    if (reply->stop_next < reply->stop_count && reply->stops[reply->stop_next].offset < *limit) {
        *limit = reply->stops[reply->stop_next].offset;
    }
    return true;
}

bool rcs_reply_go_on(struct rcs_reply *reply)
{
    if (reply->endless.size == 0) {
        return false;
    }
    rcs_bytes_clear(&reply->bytes);
    while (reply->bytes.size < ENDLESS_AT_ONCE) {
        rcs_bytes_add(&reply->bytes, reply->endless.data, reply->endless.size);
    }
    reply->limit = reply->bytes.size;
    return true;
}

void rcs_reply_clear(struct rcs_reply *reply)
{
    for (size_t i = 0; i < reply->stop_count; i++) {
        free(reply->stops[i].text);
    }
    free(reply->stops);
    rcs_bytes_clear(&reply->bytes);
    rcs_bytes_clear(&reply->endless);
    memset(reply, 0, sizeof *reply);
}
