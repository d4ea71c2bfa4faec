/*
 * What a server says by itself: its requests are answered, its notifications heeded, wherever they come. Over HTTP they come on
 * the stream of a call, or on one that a GET asks for, which is opened while calls are waiting and stays while the session does.
 */
#include "src/tools/mcp_http.h"

#include <string.h>

#include "src/io/memory.h"

#define WAIT_MAX_MS 30000u

/* ---- one message ---- */

/* From within a callback of the port nothing can be sent: the answer waits for the server's letter. */
static void answer_later(struct rcs_mcp_server *server, const struct rcs_mcp_message *request)
{
    struct rcs_mcp_note *note;
    struct rcs_buffer body;

    rcs_mcp_body_init(server, &body);
    note = server->loose_count < RCS_MCP_LOOSE_MAX && rcs_mcp_put_reply(server, &body, request) == 0
               ? rcs_alloc(server->host->allocator, sizeof *note)
               : NULL;
    if (note == NULL) {
        rcs_buffer_clear(&body);
        return;
    }
    *note = (struct rcs_mcp_note){server->unsent, body};
    server->unsent = note;
    server->loose_count++;
    (void)rcs_mailbox_post(server->host->mailbox, &server->mail);
}

void rcs_mcp_hear(struct rcs_mcp_server *server, const struct rcs_mcp_message *message)
{
    static const char changed[] = "notifications/tools/list_changed";

    if (message->kind == RCS_MCP_REQUEST) {
        answer_later(server, message);
    } else if (message->kind == RCS_MCP_NOTIFICATION &&
               rcs_json_string_is(message->method, changed, sizeof changed - 1)) {
        server->relist.wanted = true;
        (void)rcs_mailbox_post(server->host->mailbox, &server->mail);
    }
}

void rcs_mcp_relist_soon(struct rcs_mcp_server *server)
{
    struct recourse_port *port = server->host->port;
    struct rcs_mcp_relist *relist = &server->relist;
    uint64_t due_ms;

    if (!server->known || !relist->wanted || relist->try != NULL || rcs_timer_is_set(&relist->timer)) {
        return;
    }
    due_ms = port->now_ms(port->self) + RCS_MCP_PAUSE_MS;
    /* Without memory for it the old list stays until the server speaks again. */
    (void)rcs_timers_set(server->host->timers, &relist->timer, due_ms > relist->next_ms ? due_ms : relist->next_ms);
}

/* ---- the stream of a GET ---- */

struct rcs_mcp_listener {
    struct rcs_mcp_server *server;
    struct rcs_mcp_get get;
    struct rcs_timer timer; /* until it may be asked for again */
    struct rcs_sse sse;
    struct rcs_buffer last;
    struct rcs_claim claim; /* the event that is coming */
    uint64_t wait_ms; /* before the next one, where the server has said nothing */
    bool refused;     /* there is none in this session */
};

static bool is_idle(const struct rcs_mcp_listener *listener)
{
    return listener->get.transfer == NULL && !rcs_timer_is_set(&listener->timer);
}

static void give_back(struct rcs_mcp_listener *listener)
{
    rcs_sse_clear(&listener->sse);
    rcs_claim_end(listener->server->host->room, &listener->claim);
}

static bool keep(void *user, size_t size)
{
    struct rcs_mcp_listener *listener = user;

    return rcs_claim_more(listener->server->host->room, &listener->claim, size);
}

static void read_on(struct rcs_claim *claim)
{
    struct rcs_mcp_listener *listener = RCS_OWNER(claim, struct rcs_mcp_listener, claim);
    struct recourse_port *port = listener->server->host->port;

    if (listener->get.transfer != NULL) {
        port->http_resume(port->self, listener->get.transfer);
    }
}

static bool take(void *user, const char *bytes, size_t size)
{
    struct rcs_mcp_listener *listener = user;
    struct rcs_room *room = listener->server->host->room;
    struct rcs_sse *sse = &listener->sse;
    const char *at = bytes;
    int code;

    while ((code = rcs_sse_next(sse, &at, bytes + size)) == 1) {
        rcs_mcp_keep_id(&listener->last, sse);
        if (rcs_mcp_is_message(sse)) {
            struct rcs_mcp_message message = rcs_mcp_message_read(rcs_buffer_span(&sse->data));

            listener->wait_ms = RCS_MCP_RETRY_MS;
            rcs_mcp_exchanges_hear(listener->server, &message);
            rcs_mcp_hear(listener->server, &message);
        }
    }
    rcs_claim_set(room, &listener->claim, sse->data.capacity);
    if (sse->returned || sse->data.size == 0) { /* between two events others come first */
        rcs_claim_leave(room, &listener->claim);
    }
    if (code != 0) {
        rcs_buffer_reset(&listener->last); /* what was too large would come again */
    }
    return code == 0;
}

/* It is asked for again while calls are waiting, and never without a pause. */
static void wait_again(struct rcs_mcp_listener *listener)
{
    const struct rcs_tool_host *host = listener->server->host;
    uint64_t asked_ms = listener->sse.retry_ms == RECOURSE_FOREVER ? 0 : listener->sse.retry_ms;
    uint64_t wait_ms = asked_ms > listener->wait_ms ? asked_ms : listener->wait_ms;
    uint64_t now_ms = host->port->now_ms(host->port->self);

    listener->wait_ms = listener->wait_ms < WAIT_MAX_MS / 2 ? 2 * listener->wait_ms : WAIT_MAX_MS;
    if (wait_ms > RCS_MCP_RETRY_MAX_MS ||
        rcs_timers_set(host->timers, &listener->timer, now_ms + wait_ms + host->port->lag_ms) != 0) {
        listener->refused = true;
    }
}

/* Conflicts and overload pass; anything else that is no stream says that the server has none. */
static bool may_pass(const struct recourse_facts *facts)
{
    return facts->http == 409 || facts->http == 429 || facts->http >= 500 || facts->http == 0;
}

static void ended(void *user, const struct recourse_http_response *response)
{
    struct rcs_mcp_listener *listener = user;
    struct recourse_facts facts;

    listener->get.transfer = NULL;
    rcs_http_read_answer(response, &facts);
    if (may_pass(&facts) || (facts.http <= 299 && rcs_mcp_is_stream(&facts))) {
        wait_again(listener);
    } else {
        listener->refused = true;
    }
    rcs_mcp_get_clear(&listener->get, listener->server);
    give_back(listener);
}

static void ask(struct rcs_mcp_listener *listener)
{
    struct rcs_mcp_server *server = listener->server;
    const struct rcs_mcp_get_order order = {
        .method = "GET",
        .session = server->session,
        .version = server->version,
        .last_event = rcs_buffer_span(&listener->last),
        .deadline_ms = RECOURSE_FOREVER,
        .keep = keep,
        .data = take,
        .done = ended,
        .user = listener,
    };

    rcs_sse_init(&listener->sse, server->host->allocator, server->host->body_max);
    if (rcs_sse_restart(&listener->sse, order.last_event) != 0 ||
        rcs_mcp_get_start(&listener->get, server, &order) != 0) {
        give_back(listener);
        wait_again(listener);
    }
}

static void waited(struct rcs_timer *timer)
{
    struct rcs_mcp_listener *listener = RCS_OWNER(timer, struct rcs_mcp_listener, timer);

    if (listener->server->waiting != NULL) {
        ask(listener);
    }
}

void rcs_mcp_listen(struct rcs_mcp_server *server)
{
    struct rcs_mcp_listener *listener = server->listener;

    if (!server->may_listen) {
        return;
    }
    if (listener == NULL) {
        listener = rcs_alloc_zero(server->host->allocator, sizeof *listener);
        if (listener == NULL) {
            return; /* the next call asks for it */
        }
        listener->server = server;
        listener->wait_ms = RCS_MCP_RETRY_MS;
        rcs_timer_init(&listener->timer, waited);
        rcs_claim_init(&listener->claim, server->host->port->http_resume != NULL ? read_on : NULL);
        rcs_buffer_init(&listener->last, server->host->allocator, RCS_SSE_ID_MAX);
        server->listener = listener;
    }
    if (is_idle(listener) && !listener->refused) {
        ask(listener);
    }
}

void rcs_mcp_listen_end(struct rcs_mcp_server *server)
{
    struct rcs_mcp_listener *listener = server->listener;

    server->may_listen = false;
    server->listener = NULL;
    if (listener == NULL) {
        return;
    }
    rcs_timers_remove(server->host->timers, &listener->timer);
    rcs_mcp_get_clear(&listener->get, server);
    give_back(listener);
    rcs_buffer_clear(&listener->last);
    rcs_free(server->host->allocator, listener);
}
