/* The transport over HTTP. One POST: its answer is a JSON text or a stream of events, and becomes facts and a message. */
#include "src/tools/mcp_http.h"

#include <stdio.h>
#include <string.h>

#include "src/core/text.h"
#include "src/io/memory.h"
#include "src/io/timer.h"

#define HEADERS_OWN 8u
#define LOOSE_MS 10000u /* that a message may take which nobody waits for */

/* ---- the request ---- */

static size_t count_lines(const struct rcs_buffer *lines)
{
    size_t count = 0;

    for (size_t at = 0; at < lines->size; at += strlen(lines->data + at) + 1) {
        count++;
    }
    return count;
}

static void fill_headers(struct rcs_mcp_exchange *exchange, const struct rcs_try_order *order)
{
    const struct rcs_mcp_server *server = exchange->server;
    size_t count = rcs_mcp_count_headers(server);
    char key[33];

    for (size_t i = 0; i < count; i++) {
        exchange->headers[i] = server->config.headers[i];
    }
    exchange->headers[count++] = "Content-Type: application/json";
    exchange->headers[count++] = "Accept: application/json, " RCS_MCP_EVENT_STREAM;
    if (server->version[0] != '\0') {
        memcpy(exchange->version, server->version, sizeof exchange->version);
        exchange->headers[count++] = exchange->version;
    }
    if (exchange->session != NULL) {
        exchange->headers[count++] = exchange->session;
    }
    if (order != NULL) {
        rcs_tool_key(order->key, key);
        snprintf(exchange->key, sizeof exchange->key, "Idempotency-Key: %s", key);
        snprintf(exchange->number, sizeof exchange->number, "Recourse-Try: %u", order->number);
        exchange->headers[count++] = exchange->key;
        exchange->headers[count++] = exchange->number;
        if (!(server->own_headers & RCS_OWN_TRACE)) {
            count += rcs_try_trace_lines(order->trace, exchange->headers + count);
        }
    }
    for (size_t at = 0; at < exchange->lines.size; at += strlen(exchange->lines.data + at) + 1) {
        exchange->headers[count++] = exchange->lines.data + at;
    }
    exchange->headers[count] = NULL;
}

bool rcs_mcp_exchange_keep(void *user, size_t size)
{
    struct rcs_mcp_exchange *exchange = user;

    return rcs_claim_more(exchange->server->host->room, &exchange->claim, size);
}

static void go_on(struct rcs_claim *claim)
{
    struct rcs_mcp_exchange *exchange = RCS_OWNER(claim, struct rcs_mcp_exchange, claim);
    struct recourse_port *port = exchange->server->host->port;
    struct recourse_transfer *transfer = exchange->transfer != NULL ? exchange->transfer : exchange->resume.get.transfer;

    if (transfer != NULL) {
        port->http_resume(port->self, transfer);
    }
}

static void link_in(struct rcs_mcp_exchange **head, struct rcs_mcp_exchange *exchange)
{
    exchange->next = *head;
    exchange->link = head;
    if (exchange->next != NULL) {
        exchange->next->link = &exchange->next;
    }
    *head = exchange;
}

static void free_exchange(struct rcs_mcp_exchange *exchange)
{
    const struct rcs_tool_host *host = exchange->server->host;

    if (exchange->link != NULL) {
        *exchange->link = exchange->next;
        if (exchange->next != NULL) {
            exchange->next->link = exchange->link;
        }
        exchange->server->loose_count -= exchange->id == 0;
    }
    rcs_mcp_resume_clear(exchange);
    rcs_claim_end(host->room, &exchange->claim);
    rcs_buffer_clear(&exchange->body);
    rcs_buffer_clear(&exchange->lines);
    rcs_buffer_clear(&exchange->text);
    rcs_sse_clear(&exchange->sse);
    rcs_free(host->allocator, exchange->session);
    rcs_free(host->allocator, exchange);
}

/* ---- the stream ---- */

static bool tells_of(const struct rcs_mcp_exchange *exchange, const struct rcs_mcp_message *message)
{
    return exchange->id != 0 &&
           (rcs_mcp_message_asks(message) || rcs_mcp_message_progress(message) == exchange->id);
}

void rcs_mcp_exchanges_hear(struct rcs_mcp_server *server, const struct rcs_mcp_message *message)
{
    struct recourse_port *port = server->host->port;
    int64_t progress = rcs_mcp_message_progress(message);

    for (struct rcs_mcp_exchange *exchange = server->waiting; exchange != NULL; exchange = exchange->next) {
        exchange->begun = exchange->begun || tells_of(exchange, message);
        if (progress == exchange->id && exchange->transfer != NULL && port->http_touch != NULL) {
            port->http_touch(port->self, exchange->transfer);
        }
    }
}

static void take_event(struct rcs_mcp_exchange *exchange)
{
    const struct rcs_sse *sse = &exchange->sse;
    struct rcs_mcp_message message = rcs_mcp_message_read(rcs_buffer_span(&sse->data));

    exchange->begun = exchange->begun || tells_of(exchange, &message);
    if (message.kind == RCS_MCP_REQUEST || message.kind == RCS_MCP_NOTIFICATION) {
        /* A modern server may not ask; nor may one in answer to what needs none, or it could ask for ever. */
        if (message.kind == RCS_MCP_NOTIFICATION || (!exchange->modern && exchange->id != 0)) {
            rcs_mcp_hear(exchange->server, &message);
        }
    } else if (exchange->id != 0) {
        message = rcs_mcp_message_find(rcs_buffer_span(&sse->data), exchange->id);
        exchange->message = message;
    }
}

bool rcs_mcp_is_message(const struct rcs_sse *sse)
{
    return sse->data.size > 0 &&
           (sse->name.size == 0 || (sse->name.size == 7 && memcmp(sse->name.data, "message", 7) == 0));
}

bool rcs_mcp_exchange_data(void *user, const char *bytes, size_t size)
{
    struct rcs_mcp_exchange *exchange = user;
    const char *at = bytes;
    int code;

    while ((code = rcs_sse_next(&exchange->sse, &at, bytes + size)) == 1) {
        if (exchange->resume.most > 0) {
            rcs_mcp_keep_id(&exchange->resume.last, &exchange->sse);
        }
        if (rcs_mcp_is_message(&exchange->sse)) {
            take_event(exchange);
        }
        if (exchange->message.kind != RCS_MCP_NONE) {
            return false;
        }
    }
    rcs_claim_set(exchange->server->host->room, &exchange->claim, exchange->body.size + exchange->sse.data.capacity);
    exchange->fault = code;
    return code == 0;
}

/* ---- the answer ---- */

static struct recourse_span words(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

bool rcs_mcp_is_stream(const struct recourse_facts *facts)
{
    for (size_t i = 0; i < facts->header_count; i++) {
        if (rcs_text_equal_folded(facts->headers[i].name, "content-type") &&
            rcs_text_find_folded(facts->headers[i].value, RCS_MCP_EVENT_STREAM)) {
            return true;
        }
    }
    return false;
}

static void end_stream(const struct rcs_mcp_exchange *exchange, struct recourse_facts *facts)
{
    if (exchange->fault == RECOURSE_E_LIMIT) {
        facts->too_large = true;
        facts->detail = words("the answer is too large to be kept");
    } else if (exchange->fault != 0) {
        facts->network = RECOURSE_NETWORK_OTHER;
        facts->detail = words("no memory for the answer");
    } else {
        facts->network = RECOURSE_NETWORK_CLOSED;
        facts->detail = words("the stream of events ended without the answer");
    }
}

static void end_json(struct recourse_facts *facts, struct recourse_span body)
{
    facts->protocol = true;
    facts->text = body;
    facts->detail = words(facts->http == 202 ? "the server accepted the call, and gave no answer"
                                             : "the answer is no JSON-RPC message to this request");
}

/* An exchange that HTTP calls a success, of which an answer is wanted. */
static void take_success(struct rcs_mcp_exchange *exchange, struct rcs_mcp_reply *reply)
{
    struct recourse_facts *facts = &reply->facts;
    struct recourse_span body = facts->result;
    struct recourse_span whole = body; /* the message, as it came */

    facts->result = (struct recourse_span){NULL, 0};
    facts->structured = facts->result;
    if (exchange->message.kind != RCS_MCP_NONE) {
        reply->message = exchange->message;
        whole = rcs_buffer_span(&exchange->sse.data);
    } else if (exchange->fault != 0 || rcs_mcp_is_stream(facts)) {
        end_stream(exchange, facts);
        return;
    } else {
        reply->message = rcs_mcp_message_find(body, exchange->id);
    }
    if (reply->message.kind == RCS_MCP_NONE) {
        end_json(facts, body);
        return;
    }
    if (!rcs_utf8_is_good(whole)) {
        rcs_mcp_tell(exchange->server, words("an answer that is not UTF-8 is read with its bad bytes replaced"));
    }
    if (reply->message.kind == RCS_MCP_ERROR) {
        rcs_mcp_read_error(&exchange->text, &reply->message, whole, facts);
    }
}

static void take_failure(struct rcs_mcp_exchange *exchange, struct rcs_mcp_reply *reply)
{
    struct rcs_mcp_message message = rcs_mcp_message_find(reply->facts.text, exchange->id);

    if (message.kind == RCS_MCP_ERROR) {
        rcs_mcp_read_error(&exchange->text, &message, reply->facts.text, &reply->facts);
    }
    if (reply->facts.http == 404 && exchange->session != NULL) {
        reply->facts.session_expired = true;
        rcs_mcp_session_lost(exchange->server, exchange->generation);
    }
}

void rcs_mcp_exchange_end(struct rcs_mcp_exchange *exchange, const struct rcs_mcp_reply *reply)
{
    if (exchange->done != NULL) {
        exchange->done(exchange->user, reply);
    }
    free_exchange(exchange);
}

void rcs_mcp_exchange_answered(void *user, const struct recourse_http_response *response)
{
    struct rcs_mcp_exchange *exchange = user;
    struct rcs_mcp_reply reply = {.message = {.kind = RCS_MCP_NONE}};
    bool open = exchange->id != 0 && exchange->message.kind == RCS_MCP_NONE && exchange->fault == 0;
    bool broken;

    exchange->transfer = NULL;
    rcs_claim_leave(exchange->server->host->room, &exchange->claim); /* the transfer that it could wait for is gone */
    rcs_http_read_answer(response, &reply.facts);
    if (open && rcs_mcp_resume(exchange, &reply.facts)) {
        return;
    }
    broken = reply.facts.network != 0 || reply.facts.timeout != 0 || reply.facts.protocol || reply.facts.too_large;
    if (exchange->resume.refused) {
        reply.refusal = reply.facts;
    }
    if (exchange->resume.detail[0] != '\0') {
        rcs_mcp_resume_judge(exchange, &reply.facts);
    } else if (!broken && response->status >= 200 && response->status <= 299 && exchange->id != 0) {
        take_success(exchange, &reply);
    } else if (!broken) {
        take_failure(exchange, &reply);
    }
    reply.facts.resumes = exchange->resume.used;
    reply.begun = exchange->begun;
    rcs_mcp_exchange_end(exchange, &reply);
}

/* ---- sending ---- */

static int copy_session(struct rcs_mcp_exchange *exchange)
{
    const struct rcs_mcp_server *server = exchange->server;
    size_t size = server->session != NULL ? strlen(server->session) + 1 : 0;

    if (size == 0) {
        return 0;
    }
    exchange->session = rcs_alloc(server->host->allocator, size);
    if (exchange->session == NULL) {
        return RECOURSE_E_MEMORY;
    }
    memcpy(exchange->session, server->session, size);
    return 0;
}

static void fill_request(struct rcs_mcp_exchange *exchange, const struct rcs_mcp_order *order)
{
    const struct rcs_mcp_server *server = exchange->server;

    exchange->request = (struct recourse_http_request){
        .method = "POST",
        .url = server->config.url,
        .headers = exchange->headers,
        .body = rcs_buffer_span(&exchange->body),
        .proxy = server->config.proxy,
        .ca_file = server->config.ca_file,
        .connect_timeout_ms = server->config.connect_timeout_ms,
        .read_timeout_ms = server->config.read_timeout_ms,
        .deadline_ms = order->deadline_ms,
        .body_max = server->host->body_max,
        .keep = rcs_mcp_exchange_keep,
        .data = rcs_mcp_exchange_data,
        .data_type = RCS_MCP_EVENT_STREAM,
    };
}

static int post(struct rcs_mcp_server *server, struct rcs_mcp_order *order, struct rcs_mcp_exchange **out)
{
    const struct rcs_tool_host *host = server->host;
    size_t header_room = rcs_mcp_count_headers(server) + HEADERS_OWN + count_lines(&order->headers) + 1;
    struct rcs_mcp_exchange *exchange = rcs_alloc_zero(host->allocator, sizeof *exchange + header_room * sizeof(char *));
    int code;

    if (exchange == NULL) {
        rcs_buffer_clear(&order->body);
        rcs_buffer_clear(&order->headers);
        return RECOURSE_E_MEMORY;
    }
    exchange->server = server;
    exchange->body = order->body;
    exchange->lines = order->headers;
    exchange->modern = order->modern;
    exchange->id = order->id;
    exchange->generation = server->generation;
    exchange->done = order->done;
    exchange->user = order->user;
    rcs_mcp_body_init(server, &order->body);
    rcs_mcp_body_init(server, &order->headers);
    rcs_buffer_init(&exchange->text, host->allocator, SIZE_MAX / 2);
    rcs_sse_init(&exchange->sse, host->allocator, host->body_max);
    rcs_mcp_resume_init(exchange, order);
    rcs_claim_init(&exchange->claim, host->port->http_resume != NULL ? go_on : NULL);
    rcs_claim_set(host->room, &exchange->claim, exchange->body.size);
    code = copy_session(exchange);
    if (code == 0) {
        fill_headers(exchange, order->order);
        fill_request(exchange, order);
        code = host->port->http_start(host->port->self, &exchange->request, rcs_mcp_exchange_answered, exchange,
                                      &exchange->transfer);
    }
    if (code != 0) {
        free_exchange(exchange);
        return code;
    }
    if (order->id != 0) {
        link_in(&server->waiting, exchange);
        rcs_mcp_listen(server);
    }
    *out = exchange;
    return 0;
}

static bool cancel(struct rcs_mcp_exchange *exchange)
{
    struct recourse_port *port = exchange->server->host->port;
    bool sent = exchange->transfer == NULL || port->http_cancel(port->self, exchange->transfer);

    free_exchange(exchange);
    return sent;
}

static uint64_t generation(const struct rcs_mcp_exchange *exchange)
{
    return exchange->generation;
}

/* ---- what nobody waits for ---- */

static void post_loose(struct rcs_mcp_server *server, struct rcs_buffer *body)
{
    struct recourse_port *port = server->host->port;
    struct rcs_mcp_exchange *exchange = NULL;
    struct rcs_mcp_order order = {.body = *body, .deadline_ms = port->now_ms(port->self) + LOOSE_MS};

    if (server->loose_count >= RCS_MCP_LOOSE_MAX) {
        rcs_buffer_clear(body);
        return;
    }
    if (post(server, &order, &exchange) != 0) {
        return;
    }
    link_in(&server->loose, exchange);
    server->loose_count++;
}

static bool take_note(struct rcs_mcp_server *server, struct rcs_buffer *body)
{
    struct rcs_mcp_note *note = server->unsent;

    if (note == NULL) {
        return false;
    }
    *body = note->body;
    server->unsent = note->next;
    server->loose_count--;
    rcs_free(server->host->allocator, note);
    return true;
}

void rcs_mcp_post_notes(struct rcs_mcp_server *server)
{
    struct rcs_buffer body;

    while (take_note(server, &body)) {
        rcs_mcp_post_loose(server, &body);
    }
}

static void clear(struct rcs_mcp_server *server)
{
    struct rcs_buffer body;

    while (server->loose != NULL) {
        (void)cancel(server->loose);
    }
    while (take_note(server, &body)) {
        rcs_buffer_clear(&body);
    }
}

const struct rcs_mcp_transport rcs_mcp_over_http = {
    .post = post,
    .cancel = cancel,
    .generation = generation,
    .post_loose = post_loose,
    .clear = clear,
};
