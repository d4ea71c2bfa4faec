/* From the words of an answer to the message that it gives, and to the events or lines that bring it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/server/mcp_parts.h"

static void add(struct rcs_bytes *out, const char *text)
{
    rcs_bytes_add(out, text, strlen(text));
}

static void add_text(struct rcs_bytes *out, const struct rcs_bytes *text)
{
    rcs_bytes_add(out, text->data, text->size);
}

char *rcs_body_fill(const char *text, const char *id)
{
    struct rcs_bytes out = {0};
    const char *mark;

    while ((mark = strstr(text, "{id}")) != NULL) {
        rcs_bytes_add(&out, text, (size_t)(mark - text));
        add(&out, id[0] == '\0' ? "null" : id);
        text = mark + 4;
    }
    add(&out, text);
    return out.data;
}

/* ---- the message ---- */

/* A string of JSON; unlike in the log, UTF-8 stays as it is. */
static void add_string(struct rcs_bytes *out, const char *text)
{
    add(out, "\"");
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20) {
            rcs_bytes_format(out, "\\u%04x", (unsigned char)*text);
            continue;
        }
        if (*text == '"' || *text == '\\') {
            add(out, "\\");
        }
        rcs_bytes_add(out, text, 1);
    }
    add(out, "\"");
}

/* One block of content, if the part is one. */
static void add_block(struct rcs_bytes *out, const struct rcs_part *part, unsigned runs)
{
    static const char *const before[] = {
        [RCS_W_IMAGE] = "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"",
        [RCS_W_AUDIO] = "{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"",
        [RCS_W_BLOB] = "{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///b\",\"mimeType\":\"application/pdf\",\"blob\":\"",
    };

    if (part->word > RCS_W_COUNT) {
        return;
    }
    add(out, out->size == 0 ? "" : ",");
    switch (part->word) {
    case RCS_W_TEXT:
        add(out, "{\"type\":\"text\",\"text\":");
        add_string(out, part->text.data);
        add(out, "}");
        break;
    case RCS_W_COUNT:
        rcs_bytes_format(out, "{\"type\":\"text\",\"text\":\"%u\"}", runs);
        break;
    case RCS_W_CONTENT:
        add_text(out, &part->text);
        break;
    default:
        add(out, before[part->word]);
        rcs_base64_add(out, part->number);
        add(out, part->word == RCS_W_BLOB ? "\"}}" : "\"}");
        break;
    }
}

static void add_error(struct rcs_bytes *out, const struct rcs_answer *answer)
{
    const struct rcs_part *message = rcs_part_find(answer, RCS_W_MESSAGE);
    const struct rcs_part *data = rcs_part_find(answer, RCS_W_DATA);

    add(out, "\"error\":{\"code\":");
    add_text(out, &rcs_part_find(answer, RCS_W_RPC)->text);
    add(out, ",\"message\":");
    add_string(out, message == NULL ? "failed" : message->text.data);
    if (data != NULL) {
        add(out, ",\"data\":");
        add_text(out, &data->text);
    }
    add(out, "}");
}

static void add_result(struct rcs_bytes *out, const struct rcs_answer *answer, const char *usual, unsigned runs)
{
    const struct rcs_part *whole = rcs_part_find(answer, RCS_W_RESULT);
    const struct rcs_part *structured = rcs_part_find(answer, RCS_W_STRUCTURED);
    bool is_error = rcs_part_find(answer, RCS_W_IS_ERROR) != NULL;
    struct rcs_bytes content = {0};

    for (size_t i = 0; i < answer->part_count; i++) {
        add_block(&content, &answer->parts[i], runs);
    }
    add(out, "\"result\":");
    if (whole != NULL) {
        add_text(out, &whole->text);
    } else if (usual != NULL && content.size == 0 && structured == NULL && !is_error) {
        add(out, usual);
    } else {
        add(out, "{\"content\":[");
        add_text(out, &content);
        add(out, "]");
        if (structured != NULL) {
            add(out, ",\"structuredContent\":");
            add_text(out, &structured->text);
        }
        add(out, is_error ? ",\"isError\":true}" : "}");
    }
    rcs_bytes_clear(&content);
}

char *rcs_body_make(const struct rcs_answer *answer, const struct rcs_message *message, const char *usual, unsigned runs)
{
    const struct rcs_part *id = rcs_part_find(answer, RCS_W_ID);
    struct rcs_bytes out = {0};

    add(&out, "{\"jsonrpc\":\"2.0\",\"id\":");
    add(&out, id != NULL ? id->text.data : message->id[0] == '\0' ? "null" : message->id);
    add(&out, ",");
    if (rcs_part_find(answer, RCS_W_RPC) != NULL) {
        add_error(&out, answer);
    } else {
        add_result(&out, answer, usual, runs);
    }
    add(&out, "}");
    return out.data;
}

/* ---- its stream ---- */

struct maker {
    const struct rcs_stream_order *order;
    struct rcs_stream *stream;
    const char *params; /* of the next thing asked or notified */
    size_t retry;
    size_t events;
    size_t asked; /* the last id */
    bool ids;
    bool answered;
};

static struct rcs_item *item(struct maker *maker, enum rcs_word word, size_t number)
{
    struct rcs_stream *stream = maker->stream;

    stream->items = rcs_must_alloc(stream->items, (stream->count + 1) * sizeof *stream->items);
    stream->items[stream->count] = (struct rcs_item){.word = word, .number = number, .retry = SIZE_MAX};
    rcs_bytes_add(&stream->items[stream->count].text, "", 0);
    return &stream->items[stream->count++];
}

static struct rcs_item *event(struct maker *maker)
{
    struct rcs_item *made = item(maker, RCS_W_EVENT, 0);

    made->event = maker->ids ? ++maker->events : 0;
    made->retry = maker->retry;
    maker->retry = SIZE_MAX;
    return made;
}

static void answer_event(struct maker *maker)
{
    const char *body = maker->order->body;

    maker->answered = true;
    if (body != NULL && rcs_part_find(maker->order->answer, RCS_W_LINES) != NULL) {
        struct rcs_item *made = event(maker);
        add(&made->text, "{\n"); /* a line break between two tokens: two data lines */
        add(&made->text, body + 1);
    } else if (body != NULL) {
        add(&event(maker)->text, body);
    }
}

static void add_call(struct maker *maker, struct rcs_bytes *out, const char *method, bool asks)
{
    add(out, "{\"jsonrpc\":\"2.0\",");
    if (asks) {
        maker->asked = (*maker->order->ask_next)++;
        rcs_bytes_format(out, "\"id\":%zu,", maker->asked);
    }
    add(out, "\"method\":");
    add_string(out, method);
    add(out, ",\"params\":");
    add(out, maker->params);
    add(out, "}");
    maker->params = "{}";
}

/* What the stream of a GET gets is framed at once; it has no ids. */
static void ask_aside(struct maker *maker, const char *method)
{
    struct rcs_bytes message = {0};
    struct rcs_bytes *out = maker->order->aside;

    add_call(maker, &message, method, true);
    rcs_bytes_format(out, "%zx\r\ndata: ", message.size + strlen("data: \n\n"));
    add_text(out, &message);
    add(out, "\n\n\r\n");
    rcs_bytes_clear(&message);
}

static void progress_event(struct maker *maker, size_t number)
{
    const char *token = maker->order->message->progress_token;

    if (token[0] != '\0') {
        struct rcs_bytes *out = &event(maker)->text;
        add(out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":");
        add(out, token);
        rcs_bytes_format(out, ",\"progress\":%zu}}", number);
    }
}

static void filled_event(struct maker *maker, const char *text)
{
    char *filled = rcs_body_fill(text, maker->order->message->id);

    add(&event(maker)->text, filled);
    free(filled);
}

static const char *eol_of(const char *name)
{
    return strcmp(name, "crlf") == 0 ? "\r\n" : strcmp(name, "cr") == 0 ? "\r" : "\n";
}

static void take_part(struct maker *maker, const struct rcs_part *part)
{
    switch (part->word) {
    case RCS_W_PRIME:
        maker->ids = true;
        event(maker);
        break;
    case RCS_W_IDS: maker->ids = true; break;
    case RCS_W_RETRY: maker->retry = part->number; break;
    case RCS_W_PROGRESS: progress_event(maker, part->number); break;
    case RCS_W_PARAMS: maker->params = part->text.data; break;
    case RCS_W_NOTIFY: add_call(maker, &event(maker)->text, part->text.data, false); break;
    case RCS_W_ASK: add_call(maker, &event(maker)->text, part->text.data, true); break;
    case RCS_W_ASK_GET: ask_aside(maker, part->text.data); break;
    case RCS_W_EVENT: filled_event(maker, part->text.data); break;
    case RCS_W_ANSWER: answer_event(maker); break;
    case RCS_W_NO_ANSWER: maker->answered = true; break;
    case RCS_W_EOL: maker->stream->eol = eol_of(part->text.data); break;
    case RCS_W_AWAIT: item(maker, RCS_W_AWAIT, maker->asked); break;
    case RCS_W_BYTES:
    case RCS_W_STDERR: add_text(&item(maker, (enum rcs_word)part->word, 0)->text, &part->text); break;
    case RCS_W_COMMENT:
    case RCS_W_PAUSE:
    case RCS_W_CUT:
    case RCS_W_BREAK:
    case RCS_W_STALL:
    case RCS_W_EXIT:
    case RCS_W_KILL: item(maker, (enum rcs_word)part->word, part->number); break;
    default: break;
    }
}

struct rcs_stream *rcs_stream_new(const struct rcs_stream_order *order)
{
    struct maker maker = {.order = order, .params = "{}", .retry = SIZE_MAX};
    const struct rcs_answer *answer = order->answer;

    maker.stream = rcs_must_alloc(NULL, sizeof *maker.stream);
    *maker.stream = (struct rcs_stream){.number = order->stream_number, .eol = "\n"};
    for (size_t i = 0; i < answer->part_count; i++) {
        take_part(&maker, &answer->parts[i]);
    }
    if (!maker.answered) {
        answer_event(&maker);
    }
    return maker.stream;
}

void rcs_stream_free(struct rcs_stream *stream)
{
    for (size_t i = 0; i < stream->count; i++) {
        rcs_bytes_clear(&stream->items[i].text);
    }
    free(stream->items);
    free(stream);
}

/* ---- out ---- */

static void chunk(struct rcs_bytes *out, const struct rcs_bytes *text)
{
    if (text->size > 0) {
        rcs_bytes_format(out, "%zx\r\n", text->size);
        add_text(out, text);
        add(out, "\r\n");
    }
}

static void event_write(const struct rcs_stream *stream, const struct rcs_item *event, struct rcs_bytes *out)
{
    struct rcs_bytes text = {0};
    const char *line = event->text.data;

    if (event->event > 0) {
        rcs_bytes_format(&text, "id: %u:%zu%s", stream->number, event->event, stream->eol);
    }
    if (event->retry != SIZE_MAX) {
        rcs_bytes_format(&text, "retry: %zu%s", event->retry, stream->eol);
    }
    for (;;) {
        size_t length = strcspn(line, "\n");
        add(&text, "data: ");
        rcs_bytes_add(&text, line, length);
        add(&text, stream->eol);
        if (line[length] == '\0') {
            break;
        }
        line += length + 1;
    }
    add(&text, stream->eol);
    chunk(out, &text);
    rcs_bytes_clear(&text);
}

static bool ends(enum rcs_word word)
{
    return word == RCS_W_CUT || word == RCS_W_BREAK || word == RCS_W_STALL || word == RCS_W_EXIT || word == RCS_W_KILL;
}

static void ended(enum rcs_word word, struct rcs_reply *reply)
{
    if (word == RCS_W_CUT) {
        add(&reply->bytes, "0\r\n\r\n");
    }
    reply->limit = reply->bytes.size;
    reply->end = word == RCS_W_CUT ? RCS_END_KEEP : word == RCS_W_STALL ? RCS_END_HANG : RCS_END_CLOSE;
}

void rcs_stream_events(struct rcs_stream *stream, size_t from, struct rcs_reply *reply)
{
    for (size_t i = from; i < stream->count; i++) {
        const struct rcs_item *at = &stream->items[i];
        struct rcs_bytes comment = {0};
        if (ends(at->word) && i >= stream->reached) {
            stream->reached = i + 1;
            ended(at->word, reply);
            return;
        }
        switch (at->word) {
        case RCS_W_EVENT: event_write(stream, at, &reply->bytes); break;
        case RCS_W_BYTES: chunk(&reply->bytes, &at->text); break;
        case RCS_W_PAUSE: rcs_reply_stop(reply, RCS_STOP_WAIT, at->number, NULL); break;
        case RCS_W_AWAIT: rcs_reply_stop(reply, RCS_STOP_AWAIT, at->number, NULL); break;
        case RCS_W_COMMENT:
            rcs_bytes_format(&comment, ": still here%s%s", stream->eol, stream->eol);
            chunk(&reply->bytes, &comment);
            rcs_bytes_clear(&comment);
            break;
        default: break;
        }
    }
    ended(RCS_W_CUT, reply);
}

void rcs_stream_lines(const struct rcs_stream *stream, struct rcs_reply *reply)
{
    for (size_t i = 0; i < stream->count; i++) {
        const struct rcs_item *at = &stream->items[i];
        switch (at->word) {
        case RCS_W_EVENT:
            add_text(&reply->bytes, &at->text);
            add(&reply->bytes, at->text.size == 0 ? "" : "\n");
            break;
        case RCS_W_BYTES: add_text(&reply->bytes, &at->text); break;
        case RCS_W_PAUSE: rcs_reply_stop(reply, RCS_STOP_WAIT, at->number, NULL); break;
        case RCS_W_AWAIT: rcs_reply_stop(reply, RCS_STOP_AWAIT, at->number, NULL); break;
        case RCS_W_STDERR: rcs_reply_stop(reply, RCS_STOP_STDERR, 0, at->text.data); break;
        case RCS_W_KILL: rcs_reply_stop(reply, RCS_STOP_KILL, 0, NULL); break;
        case RCS_W_CUT:
        case RCS_W_BREAK: rcs_reply_stop(reply, RCS_STOP_EXIT, 0, NULL); break;
        case RCS_W_EXIT: rcs_reply_stop(reply, RCS_STOP_EXIT, at->number, NULL); break;
        case RCS_W_STALL: return;
        default: break;
        }
    }
}
