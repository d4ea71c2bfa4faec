/*
 * Reading on: the stream of an answer that broke off is asked for again from its last event on. Nothing runs again by that, so
 * it is no try; where it fails, what is known is what was known when the stream broke off.
 */
#include "src/tools/mcp_http.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void go_on(struct rcs_timer *timer);

void rcs_mcp_resume_init(struct rcs_mcp_exchange *exchange, const struct rcs_mcp_order *order)
{
    struct rcs_mcp_resume *resume = &exchange->resume;

    rcs_timer_init(&resume->timer, go_on);
    rcs_buffer_init(&resume->last, exchange->server->host->allocator, RCS_SSE_ID_MAX);
    resume->most = order->resumes;
    resume->until_ms = order->resume_until_ms;
}

void rcs_mcp_resume_clear(struct rcs_mcp_exchange *exchange)
{
    struct rcs_mcp_resume *resume = &exchange->resume;

    rcs_timers_remove(exchange->server->host->timers, &resume->timer);
    rcs_mcp_get_clear(&resume->get, exchange->server);
    rcs_buffer_clear(&resume->last);
}

void rcs_mcp_keep_id(struct rcs_buffer *last, const struct rcs_sse *sse)
{
    struct recourse_span id = rcs_buffer_span(&sse->id);

    if (id.size == last->size && (id.size == 0 || memcmp(id.data, last->data, id.size) == 0)) {
        return;
    }
    rcs_buffer_reset(last);
    if (id.size > 0 && rcs_buffer_append(last, id.data, id.size) != 0) {
        rcs_buffer_reset(last);
    }
}

static bool broke_off(const struct recourse_facts *facts)
{
    return facts->http >= 200 && facts->http <= 299 && facts->timeout == 0 && !facts->protocol && !facts->too_large &&
           rcs_mcp_is_stream(facts);
}

/* What came in place of the stream. */
static void say_failure(struct rcs_mcp_resume *resume, const struct recourse_facts *facts)
{
    static const char *const network[RECOURSE_NETWORK_COUNT] = {
        [RECOURSE_NETWORK_REFUSED] = "the connection was refused",
        [RECOURSE_NETWORK_UNREACHABLE] = "the server can't be reached",
        [RECOURSE_NETWORK_DNS] = "the server's name was not found",
        [RECOURSE_NETWORK_TLS] = "TLS failed",
        [RECOURSE_NETWORK_RESET] = "the connection was reset",
        [RECOURSE_NETWORK_CLOSED] = "the connection was closed",
        [RECOURSE_NETWORK_OTHER] = "the connection failed",
    };
    const char *why = facts->network < RECOURSE_NETWORK_COUNT ? network[facts->network] : NULL;
    char status[32];

    if (why == NULL && facts->timeout != 0) {
        why = "it timed out";
    } else if (why == NULL && facts->http != 0) {
        snprintf(status, sizeof status, "the answer was HTTP %u", facts->http);
        why = status;
    }
    snprintf(resume->detail, sizeof resume->detail,
             "the stream of events ended without the answer, and could not be read on: %s",
             why != NULL ? why : "the answer was none");
}

static bool say(struct rcs_mcp_resume *resume, const char *why)
{
    snprintf(resume->detail, sizeof resume->detail, "the stream of events ended without the answer, and %s", why);
    return false;
}

/* Whether it was the connection that failed, on which a second one may do better. */
static bool may_do_better(const struct recourse_facts *facts)
{
    return facts->http == 0 && facts->timeout == 0 && !facts->protocol &&
           (facts->network == RECOURSE_NETWORK_RESET || facts->network == RECOURSE_NETWORK_CLOSED);
}

/* Nothing of the request is sent again, and of an event that was cut nothing counts. */
static void give_back(struct rcs_mcp_exchange *exchange)
{
    rcs_buffer_clear(&exchange->body);
    rcs_buffer_clear(&exchange->sse.data);
    rcs_claim_end(exchange->server->host->room, &exchange->claim);
}

static bool wait(struct rcs_mcp_exchange *exchange)
{
    struct rcs_mcp_resume *resume = &exchange->resume;
    const struct rcs_tool_host *host = exchange->server->host;
    uint64_t now_ms = host->port->now_ms(host->port->self);
    uint64_t wait_ms = exchange->sse.retry_ms == RECOURSE_FOREVER ? RCS_MCP_RETRY_MS : exchange->sse.retry_ms;

    if (wait_ms > RCS_MCP_RETRY_MAX_MS || now_ms + wait_ms >= resume->until_ms) {
        return say(resume, "the server wants it to be read on later than can be waited for");
    }
    if (rcs_timers_set(host->timers, &resume->timer, now_ms + wait_ms + host->port->lag_ms) != 0) {
        return say(resume, "there was no memory to read on");
    }
    give_back(exchange);
    return true;
}

bool rcs_mcp_resume(struct rcs_mcp_exchange *exchange, const struct recourse_facts *facts)
{
    struct rcs_mcp_resume *resume = &exchange->resume;
    bool broken = broke_off(facts);
    char text[64];

    rcs_mcp_get_clear(&resume->get, exchange->server);
    if (resume->most == 0 || resume->last.size == 0 || (!broken && resume->used == 0)) {
        return false;
    }
    if (broken) {
        resume->http = facts->http;
        resume->network = facts->network != 0 ? facts->network : RECOURSE_NETWORK_CLOSED;
    } else if (!may_do_better(facts)) {
        if (facts->http == 404 && exchange->session != NULL) {
            rcs_mcp_session_lost(exchange->server, exchange->generation);
        }
        say_failure(resume, facts);
        resume->refused = facts->http >= 400 && facts->network == 0 && facts->timeout == 0;
        return false;
    }
    if (resume->used >= resume->most) {
        snprintf(text, sizeof text, "%" PRIu32 " resume%s did not bring it", resume->used, resume->used == 1 ? "" : "s");
        return say(resume, text);
    }
    return wait(exchange);
}

void rcs_mcp_resume_judge(const struct rcs_mcp_exchange *exchange, struct recourse_facts *facts)
{
    const struct rcs_mcp_resume *resume = &exchange->resume;
    uint64_t wall_s = facts->wall_s;

    *facts = (struct recourse_facts){
        .http = resume->http,
        .network = resume->network,
        .wall_s = wall_s,
        .detail = {resume->detail, strlen(resume->detail)},
    };
}

static void got(void *user, const struct recourse_http_response *response)
{
    struct rcs_mcp_exchange *exchange = user;

    exchange->resume.get.transfer = NULL;
    rcs_mcp_exchange_answered(exchange, response);
}

/* The wait is over. */
static void go_on(struct rcs_timer *timer)
{
    struct rcs_mcp_resume *resume = RCS_OWNER(timer, struct rcs_mcp_resume, timer);
    struct rcs_mcp_exchange *exchange = RCS_OWNER(resume, struct rcs_mcp_exchange, resume);
    const struct rcs_mcp_get_order order = {
        .method = "GET",
        .session = exchange->session,
        .version = exchange->version,
        .last_event = rcs_buffer_span(&resume->last),
        .deadline_ms = RECOURSE_FOREVER, /* the runner keeps the try's */
        .keep = rcs_mcp_exchange_keep,
        .data = rcs_mcp_exchange_data,
        .done = got,
        .user = exchange,
    };
    struct rcs_mcp_reply reply = {.message = {.kind = RCS_MCP_NONE}};
    int code = rcs_sse_restart(&exchange->sse, order.last_event);

    resume->used++;
    code = code == 0 ? rcs_mcp_get_start(&resume->get, exchange->server, &order) : code;
    if (code != 0) {
        (void)say(resume, "could not be read on: no memory or room for it");
        rcs_mcp_resume_judge(exchange, &reply.facts);
        rcs_mcp_exchange_end(exchange, &reply);
    }
}
