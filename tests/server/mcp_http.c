/* Streamable HTTP: sessions, headers, streams, resuming. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/server/mcp_parts.h"

static const char json_type[] = "Content-Type: application/json\r\n";

static void add(struct rcs_bytes *out, const char *text)
{
    rcs_bytes_add(out, text, strlen(text));
}

/* The answer with this body and these headers added. */
static void write_with(struct rcs_mcp_exchange *exchange, const struct rcs_answer *answer, const char *headers,
                       const char *body)
{
    struct rcs_answer shown = *answer;
    struct rcs_bytes lines = {0};

    add(&lines, headers);
    rcs_bytes_add(&lines, answer->headers.data, answer->headers.size);
    shown.headers = lines;
    if (body != NULL) {
        shown.body = (struct rcs_bytes){.data = (char *)(uintptr_t)body, .size = strlen(body)};
    }
    rcs_answer_write(&shown, exchange->request, exchange->reply);
    rcs_bytes_clear(&lines);
    exchange->seen->status = exchange->reply->limit == 0 ? 0 : (unsigned)answer->status;
}

/* As SDKs do it: an error of JSON-RPC without an id. */
static void refuse(struct rcs_mcp_exchange *exchange, size_t status, int code, const char *text)
{
    struct rcs_answer answer = {.status = status, .length = SIZE_MAX};
    char body[256];

    snprintf(body, sizeof body, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":%d,\"message\":\"%s\"},\"id\":null}", code, text);
    write_with(exchange, &answer, json_type, body);
}

/* ---- sessions ---- */

static struct rcs_mcp_session *session_of(const struct rcs_mcp *mcp, const char *id)
{
    for (size_t i = 0; i < mcp->session_count; i++) {
        if (strcmp(mcp->sessions[i].id, id) == 0) {
            return &mcp->sessions[i];
        }
    }
    return NULL;
}

/* A new session's header line into `line`, or nothing. */
static void open_session(struct rcs_mcp *mcp, char *line, size_t size)
{
    char id[32];

    line[0] = '\0';
    if (rcs_mcp_setting(mcp, RCS_W_SESSION) == NULL) {
        return;
    }
    snprintf(id, sizeof id, "session-%zu", mcp->session_count + 1);
    mcp->sessions = rcs_must_alloc(mcp->sessions, (mcp->session_count + 1) * sizeof *mcp->sessions);
    mcp->sessions[mcp->session_count++] = (struct rcs_mcp_session){.id = rcs_must_copy(id, strlen(id))};
    snprintf(line, size, "Mcp-Session-Id: %s\r\n", id);
}

/* Whether the request's session is good; otherwise it has been refused. */
static bool in_session(struct rcs_mcp_exchange *exchange)
{
    struct rcs_mcp *mcp = exchange->mcp;
    const struct rcs_part *expire = rcs_mcp_setting(mcp, RCS_W_EXPIRE);
    const struct rcs_part *expired = rcs_mcp_setting(mcp, RCS_W_EXPIRED);
    struct rcs_mcp_session *session = session_of(mcp, exchange->seen->session);
    bool is_call = strcmp(exchange->message.method, "tools/call") == 0;
    size_t status = expired == NULL ? 404 : expired->number;

    if (rcs_mcp_setting(mcp, RCS_W_SESSION) == NULL || strcmp(exchange->message.method, "initialize") == 0) {
        return true;
    }
    if (exchange->seen->session[0] == '\0') {
        refuse(exchange, 400, -32000, "Bad Request: No valid session ID provided");
        return false;
    }
    if (session != NULL && is_call && expire != NULL && session->calls++ >= expire->number) {
        session->over = true;
    }
    if (session == NULL || session->over) {
        refuse(exchange, status, status == 404 ? -32001 : -32000,
               status == 404 ? "Session not found" : "Bad Request: No valid session ID provided");
        return false;
    }
    return true;
}

/* ---- headers ---- */

static bool names(const char *value, const char *what)
{
    return strcasestr(value, what) != NULL;
}

static bool known_version(const struct rcs_mcp *mcp, const char *version)
{
    const struct rcs_part *fixed = rcs_mcp_setting(mcp, RCS_W_VERSION);
    static const char *const known[] = {"", "2025-11-25", "2025-06-18", "2025-03-26"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i], version) == 0) {
            return true;
        }
    }
    return fixed != NULL && strcmp(fixed->text.data, version) == 0;
}

/* Whether the headers are those that the protocol asks for; otherwise it has been refused. */
static bool good_headers(struct rcs_mcp_exchange *exchange)
{
    bool posts = strcmp(exchange->request->method, "POST") == 0;
    const char *type = rcs_faulty_header(exchange->request, "Content-Type");
    const char *accept = exchange->seen->accept;

    if (rcs_mcp_setting(exchange->mcp, RCS_W_LENIENT) != NULL) {
        return true;
    }
    if (!names(accept, "text/event-stream") || (posts && !names(accept, "application/json"))) {
        refuse(exchange, 406, -32000, "Not Acceptable: Client must accept both application/json and text/event-stream");
        return false;
    }
    if (posts && (type == NULL || !names(type, "application/json"))) {
        refuse(exchange, 415, -32000, "Unsupported Media Type: Content-Type must be application/json");
        return false;
    }
    if (!known_version(exchange->mcp, exchange->seen->version)) {
        refuse(exchange, 400, -32000, "Bad Request: Unsupported protocol version");
        return false;
    }
    return true;
}

/* ---- answers ---- */

static void stream_head(struct rcs_mcp_exchange *exchange, const struct rcs_answer *answer, const char *headers)
{
    struct rcs_bytes *out = &exchange->reply->bytes;

    memset(exchange->reply, 0, sizeof *exchange->reply);
    rcs_mcp_source(exchange->mcp, exchange->reply);
    rcs_bytes_format(out, "HTTP/1.1 %zu %s\r\n", answer->status, rcs_usual_phrase(answer->status));
    add(out, "Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n");
    add(out, headers);
    rcs_bytes_add(out, answer->headers.data, answer->headers.size);
    add(out, "\r\n");
    exchange->seen->status = (unsigned)answer->status;
}

static void stream_write(struct rcs_mcp_exchange *exchange, const struct rcs_answer *answer, const char *headers,
                         struct rcs_stream *stream, size_t from)
{
    struct rcs_reply *reply = exchange->reply;
    size_t head;
    struct rcs_reply streamed;

    stream_head(exchange, answer, headers);
    head = reply->bytes.size;
    rcs_stream_events(stream, from, reply);
    streamed = *reply;
    rcs_reply_end(answer, head, reply);
    if (answer->end == RCS_END_KEEP) {
        reply->end = streamed.end;
    }
    exchange->seen->status = reply->limit == 0 ? 0 : exchange->seen->status;
}

/* Whether it has been refused. */
static bool refused_modern(struct rcs_mcp_exchange *exchange)
{
    size_t status = 400;
    char *body = rcs_mcp_modern_refuse(exchange, &status);
    struct rcs_answer answer = {.status = status, .length = SIZE_MAX};

    if (body != NULL) {
        write_with(exchange, &answer, json_type, body);
    }
    free(body);
    return body != NULL;
}

static bool good_post(struct rcs_mcp_exchange *exchange)
{
    return rcs_mcp_modern(exchange) ? !refused_modern(exchange) : good_headers(exchange) && in_session(exchange);
}

static void post(struct rcs_mcp_exchange *exchange)
{
    bool opens = strcmp(exchange->message.method, "initialize") == 0;
    const struct rcs_answer *answer;
    char headers[128] = "";
    char *body;

    if (exchange->message.kind == RCS_MESSAGE_BAD) {
        refuse(exchange, 400, -32700, "Parse error");
        return;
    }
    if (!good_post(exchange)) {
        return;
    }
    answer = rcs_mcp_answer(exchange, &body);
    if (opens && answer->status == 200) {
        open_session(exchange->mcp, headers, sizeof headers);
    }
    if (answer->status == 200 && rcs_answer_streams(answer)) {
        stream_write(exchange, answer, headers, rcs_mcp_stream(exchange, answer, body), 0);
    } else {
        bool typed = names(answer->headers.data == NULL ? "" : answer->headers.data, "content-type:");
        if (body != NULL && body[0] == '{' && !typed) {
            snprintf(headers + strlen(headers), sizeof headers - strlen(headers), "%s", json_type);
        }
        write_with(exchange, answer, headers, body);
    }
    free(body);
}

/* ---- GET and DELETE ---- */

/* What stands behind the event with this id; NULL if there is none. */
static struct rcs_stream *resumed(const struct rcs_mcp *mcp, const char *id, size_t *from)
{
    unsigned number;
    size_t event;

    if (sscanf(id, "%u:%zu", &number, &event) != 2 || number == 0 || number > mcp->stream_count || event == 0) {
        return NULL;
    }
    for (size_t i = 0; i < mcp->streams[number - 1]->count; i++) {
        if (mcp->streams[number - 1]->items[i].event == event) {
            *from = i + 1;
            return mcp->streams[number - 1];
        }
    }
    return NULL;
}

static void get(struct rcs_mcp_exchange *exchange)
{
    static const struct rcs_answer usual = {.status = 200, .length = SIZE_MAX};
    bool resumes = exchange->seen->last_event[0] != '\0';
    const struct rcs_answer *answer = rcs_mcp_take(exchange->mcp, resumes ? "@resume" : "@GET");
    struct rcs_stream *stream;
    size_t from = 0;

    answer = answer == NULL ? &usual : answer;
    if (answer->status != 200 || answer->raw.data != NULL || answer->body.data != NULL) {
        write_with(exchange, answer, "", NULL);
        return;
    }
    if (resumes) {
        stream = resumed(exchange->mcp, exchange->seen->last_event, &from);
        if (stream == NULL) {
            refuse(exchange, 400, -32000, "Bad Request: Unknown event ID");
            return;
        }
        stream_write(exchange, answer, "", stream, from);
    } else if (rcs_answer_streams(answer)) {
        stream_write(exchange, answer, "", rcs_mcp_stream(exchange, answer, NULL), 0);
    } else {
        stream_head(exchange, answer, "");
        exchange->reply->limit = exchange->reply->bytes.size;
        rcs_reply_stop(exchange->reply, RCS_STOP_FEED, 0, NULL);
    }
}

static void delete(struct rcs_mcp_exchange *exchange)
{
    static const struct rcs_answer usual = {.status = 200, .length = SIZE_MAX};
    const struct rcs_answer *answer = rcs_mcp_take(exchange->mcp, "@DELETE");
    struct rcs_mcp_session *session = session_of(exchange->mcp, exchange->seen->session);

    answer = answer == NULL ? &usual : answer;
    if (session != NULL && answer->status <= 299) {
        session->over = true;
    }
    write_with(exchange, answer, "", NULL);
}

static void answer(struct rcs_mcp_exchange *exchange)
{
    const char *method = exchange->request->method;

    if (strcmp(method, "POST") == 0) {
        post(exchange);
    } else if (rcs_mcp_modern(exchange)) {
        refuse(exchange, 405, -32000, "Method not allowed");
    } else if (strcmp(method, "DELETE") == 0) {
        if (in_session(exchange)) {
            delete(exchange);
        }
    } else if (strcmp(method, "GET") != 0 || rcs_mcp_setting(exchange->mcp, RCS_W_NO_GET) != NULL) {
        refuse(exchange, 405, -32000, "Method not allowed");
    } else if (good_headers(exchange) && in_session(exchange)) {
        get(exchange);
    }
}

bool rcs_mcp_http(void *user, struct rcs_faulty_request *request, struct rcs_reply *reply)
{
    struct rcs_mcp *mcp = user;
    struct rcs_mcp_exchange exchange = {.mcp = mcp, .request = request, .reply = reply};

    if (strcmp(request->path, mcp->path) != 0) {
        return false;
    }
    pthread_mutex_lock(&mcp->lock);
    rcs_message_read(&exchange.message, request->body, request->body_size);
    exchange.seen = rcs_mcp_see(mcp, &exchange.message, request, request->body, request->body_size);
    answer(&exchange);
    request->note = rcs_mcp_note(exchange.seen);
    rcs_message_clear(&exchange.message);
    pthread_mutex_unlock(&mcp->lock);
    return true;
}
