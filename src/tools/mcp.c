/* Tools of MCP servers: a try waits for the session, sends its call, and tells what came of it. */
#include "src/tools/mcp.h"

#include <stdio.h>
#include <string.h>

#include "src/core/text.h"
#include "src/io/memory.h"

struct mcp_try {
    struct rcs_try base;
    struct rcs_mcp_waiter waiter;
    struct rcs_mcp_server *server;
    struct rcs_mcp_exchange *exchange; /* NULL while it waits for the session */
    struct rcs_try_order order;        /* its spans live as long as the try */
    int64_t id;
    bool touched;   /* something was sent that may have been acted on */
    bool begun;     /* of the last call that was sent: the tool was seen at work */
    bool modern;    /* the last message was */
    bool corrected; /* its version, once */
    bool relisted;  /* likewise its headers */
    bool lists;     /* a list is asked for: it is all that the try wants, or tells how to put the call right */
    struct rcs_mcp_round round;
    /* A list: */
    struct rcs_mcp_page *pages;
    unsigned page_count;
    unsigned tools;
    size_t list_size; /* of all pages: no more than of one answer */
    struct rcs_buffer cursors; /* those that were followed, one a line */
    struct rcs_buffer text;
    struct rcs_buffer ends; /* of the blocks in `text`, each a uint32_t */
};

static struct mcp_try *try_of(struct rcs_mcp_waiter *waiter)
{
    return RCS_OWNER(waiter, struct mcp_try, waiter);
}

static struct recourse_span words(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

static void free_try(struct mcp_try *try)
{
    rcs_mcp_pages_free(try->server, &try->pages);
    rcs_buffer_clear(&try->cursors);
    rcs_buffer_clear(&try->text);
    rcs_buffer_clear(&try->ends);
    rcs_mcp_round_clear(&try->round);
    rcs_free(try->server->host->allocator, try);
}

static bool is_lister(const struct mcp_try *try)
{
    return try->base.kind == &rcs_kind_mcp_list;
}

/* The end. The spans of `facts` live until it returns. */
static void end(struct mcp_try *try, struct recourse_facts *facts)
{
    facts->rounds = try->round.count;
    try->order.ended(try->order.user, facts);
    free_try(try);
}

/*
 * The end by facts of the last exchange, or of none. What went before counts, too; a list that a refused call needs runs
 * nothing.
 */
static void end_by_all(struct mcp_try *try, struct recourse_facts *facts)
{
    const char *when = try->begun ? "after the tool had begun" : "after the server had asked back";
    char detail[RCS_MCP_DETAIL_MAX];

    if (!is_lister(try)) {
        facts->unsent = facts->unsent || try->lists;
    }
    if (!is_lister(try) && try->touched && !rcs_mcp_facts_refused(&try->order, facts)) {
        rcs_mcp_facts_touched(facts, when, detail);
    }
    end(try, facts);
}

/* Nothing more can be sent, mostly for want of memory or of room in the port. */
static void end_unsent(struct mcp_try *try, int code)
{
    struct recourse_facts facts = {
        .unsent = true, .spawn = true, .detail = words("the call could not be sent: no memory or room for it")};

    if (code == RECOURSE_E_ARGUMENT || code == RECOURSE_E_LIMIT) { /* another try would end the same */
        facts.spawn = false;
        facts.protocol = true;
        facts.detail = words("the call could not be sent: its parameters don't become the headers that the server wants");
    }
    end_by_all(try, &facts);
}

static void end_broken(struct mcp_try *try, const struct recourse_facts *seen, const char *detail)
{
    struct recourse_facts facts = *seen;

    facts.protocol = true;
    facts.detail = words(detail);
    end_by_all(try, &facts);
}

/* No result, and not to be put right. */
static void end_refused(struct mcp_try *try, const struct rcs_mcp_reply *reply)
{
    struct recourse_facts facts = reply->facts;
    struct recourse_facts refusal = reply->refusal;

    rcs_mcp_era_doubt(try->server, *try->order.session, &facts);
    refusal.resumes = facts.resumes;
    if (refusal.http != 0 && (is_lister(try) || (!try->lists && rcs_mcp_facts_refused(&try->order, &refusal)))) {
        end(try, &refusal);
    } else {
        end_by_all(try, &facts);
    }
}

static int go_on(struct mcp_try *try);

/* Sends what comes next, from within an answer. */
static void proceed(struct mcp_try *try)
{
    int code = go_on(try);

    if (code != 0) {
        end_unsent(try, code);
    }
}

static void forget_pages(struct mcp_try *try)
{
    rcs_mcp_pages_free(try->server, &try->pages);
    rcs_buffer_reset(&try->cursors);
    try->page_count = 0;
    try->tools = 0;
    try->list_size = 0;
}

/* A modern server refuses before it looks at a request. What can be put right is, once each; it is no try. */
static bool put_right(struct mcp_try *try, const struct rcs_mcp_reply *reply)
{
    const struct recourse_facts *facts = &reply->facts;

    if (!try->modern || !facts->has_rpc || reply->begun) {
        return false;
    }
    if (facts->rpc == RCS_MCP_UNSUPPORTED_VERSION && !try->corrected &&
        rcs_mcp_era_correct(try->server, *try->order.session, reply)) {
        try->corrected = true;
        forget_pages(try); /* cursors don't outlive what they were got in */
    } else if (facts->rpc == RCS_MCP_HEADER_MISMATCH && !try->relisted && !try->lists && try->server->config.url != NULL) {
        try->relisted = true;
        try->lists = true;
    } else {
        return false;
    }
    proceed(try);
    return true;
}

/* ---- one call ---- */

static void ask_back(struct mcp_try *try, const struct rcs_mcp_reply *reply)
{
    const char *why = rcs_mcp_round_next(try->server, &try->round, reply->message.result, try->order.policy->settings.rounds);

    try->touched = true;
    if (why != NULL) {
        end_broken(try, &reply->facts, why);
    } else {
        proceed(try);
    }
}

static void take_result(struct mcp_try *try, const struct rcs_mcp_reply *reply)
{
    struct recourse_span result = reply->message.result;
    struct recourse_facts facts = reply->facts;
    struct recourse_span structured = rcs_json_trim(rcs_json_member(result, "structuredContent"));

    if (rcs_json_type_of(result) != RCS_JSON_OBJECT) {
        end_broken(try, &facts, "the result of the call is no object");
        return;
    }
    if (rcs_mcp_put_content(&try->text, &try->ends, result) != 0) {
        facts.too_large = true;
        facts.detail = words("no memory for the answer");
    } else if (rcs_mcp_result_is_error(result)) {
        facts.tool_error = true;
        facts.text = rcs_buffer_span(&try->text);
        facts.json = structured;
        if (structured.size == 0) {
            facts.json = facts.text;
        }
    } else {
        facts.result = rcs_buffer_span(&try->text);
        facts.block_ends = (const uint32_t *)(const void *)try->ends.data; /* from the allocator, so aligned */
        facts.block_count = (uint32_t)(try->ends.size / sizeof(uint32_t));
        facts.structured = structured;
    }
    end(try, &facts);
}

/* Whether cancelling takes a message; modern servers see it by the end of an exchange over HTTP. */
static bool is_told(const struct mcp_try *try)
{
    return !try->modern || try->server->config.url == NULL;
}

/* The server goes on with what it was sent, unless it is told. */
static void tell_cancelled(struct mcp_try *try)
{
    struct rcs_buffer body;

    rcs_mcp_body_init(try->server, &body);
    if (rcs_mcp_put_cancelled(&body, try->id) == 0) {
        rcs_mcp_post_loose(try->server, &body);
    } else {
        rcs_buffer_clear(&body);
    }
}

static void call_answered(void *user, const struct rcs_mcp_reply *reply)
{
    struct mcp_try *try = user;
    enum rcs_mcp_result_type type = RCS_MCP_COMPLETE;

    try->exchange = NULL;
    try->begun = reply->begun;
    try->touched = try->touched || reply->begun;
    if (reply->facts.timeout == RECOURSE_TIMEOUT_READ && !reply->facts.unsent && is_told(try)) {
        tell_cancelled(try);
    }
    if (reply->message.kind == RCS_MCP_RESULT) {
        type = try->modern ? rcs_mcp_result_type(reply->message.result) : type;
        if (type == RCS_MCP_INPUT_REQUIRED) {
            ask_back(try, reply);
        } else if (type == RCS_MCP_UNKNOWN_TYPE) {
            end_broken(try, &reply->facts, "the result is of a kind that is not known here");
        } else {
            take_result(try, reply);
        }
    } else if (!put_right(try, reply)) {
        end_refused(try, reply);
    }
}

static int put_call(const struct mcp_try *try, struct rcs_mcp_order *order)
{
    const struct rcs_mcp_call call = {
        .name = try->order.tool->remote,
        .arguments = try->order.arguments,
        .responses = rcs_buffer_span(&try->round.responses),
        .state = rcs_buffer_span(&try->round.state),
    };
    struct rcs_mcp_meta meta;
    char key[33];
    int code;

    rcs_tool_key(try->order.key, key);
    meta = rcs_mcp_meta_of(try->server, key, try->order.number);
    meta.traceparent = rcs_try_traceparent(try->order.trace);
    meta.tracestate = rcs_try_tracestate(try->order.trace);
    code = rcs_mcp_put_call(&order->body, try->id, &call, &meta);
    if (code == 0 && order->modern) {
        code = rcs_mcp_put_headers(try->server, "tools/call", try->order.tool, call.arguments, &order->headers);
    }
    return code;
}

/* ---- a list ---- */

static struct recourse_span last_cursor(const struct mcp_try *try)
{
    struct recourse_span cursor = rcs_buffer_span(&try->cursors);
    size_t at = cursor.size > 0 ? cursor.size - 1 : 0;

    while (at > 0 && cursor.data[at - 1] != '\n') {
        at--;
    }
    return cursor.size > 0 ? (struct recourse_span){cursor.data + at, cursor.size - 1 - at} : cursor;
}

static bool was_followed(const struct mcp_try *try, struct recourse_span cursor)
{
    struct recourse_span left = rcs_buffer_span(&try->cursors);

    while (left.size > 0) {
        size_t size = (size_t)((const char *)memchr(left.data, '\n', left.size) - left.data);

        if (size == cursor.size && memcmp(left.data, cursor.data, size) == 0) {
            return true;
        }
        left = (struct recourse_span){left.data + size + 1, left.size - size - 1};
    }
    return false;
}

static int keep_page(struct mcp_try *try, struct recourse_span tools)
{
    struct rcs_mcp_server *server = try->server;
    struct rcs_mcp_page **last = &try->pages;
    size_t size = rcs_utf8_mend(tools, NULL, 0); /* schemas are passed on as they are, so they have to be text */
    struct rcs_mcp_page *page;
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    if (size > server->host->body_max - try->list_size) {
        return RECOURSE_E_LIMIT;
    }
    page = rcs_alloc(server->host->allocator, sizeof *page + size);
    if (page == NULL) {
        return RECOURSE_E_MEMORY;
    }
    rcs_mailbox_charge(server->host->mailbox, size); /* as a result: the answer that it comes from had room */
    try->list_size += size;
    page->next = NULL;
    page->size = size;
    rcs_utf8_mend(tools, page->tools, size);
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = page;
    while (rcs_json_next(tools, &at, &key, &value)) {
        try->tools++;
    }
    return 0;
}

static int send(struct mcp_try *try);

/* The list is whole, and the call can be put right by it. What tools were made of stays. */
static void end_relist(struct mcp_try *try)
{
    rcs_mcp_pages_free(try->server, &try->server->relisted);
    try->server->relisted = try->pages;
    try->pages = NULL;
    try->lists = false;
    proceed(try);
}

/* The list is whole. What tools were made of stays until they are made anew. */
static void end_list(struct mcp_try *try, const struct recourse_facts *seen)
{
    struct recourse_facts facts = *seen;
    struct rcs_mcp_page **list;
    char text[32];

    if (!is_lister(try)) {
        end_relist(try);
        return;
    }
    rcs_mcp_pages_free(try->server, &try->server->relisted);
    list = try->server->known ? &try->server->relist.pages : &try->server->pages;
    rcs_mcp_pages_free(try->server, list);
    *list = try->pages;
    try->pages = NULL;
    snprintf(text, sizeof text, "%u %s", try->tools, try->tools == 1 ? "tool" : "tools");
    facts.result = words(text);
    end(try, &facts);
}

static void take_page(struct mcp_try *try, const struct rcs_mcp_reply *reply)
{
    struct recourse_span result = reply->message.result;
    struct recourse_span tools = rcs_json_trim(rcs_json_member(result, "tools"));
    struct recourse_span cursor = rcs_json_trim(rcs_json_member(result, "nextCursor"));
    bool ends = rcs_json_type_of(cursor) != RCS_JSON_STRING || was_followed(try, cursor);
    int code;

    if (rcs_json_type_of(tools) != RCS_JSON_ARRAY || (try->modern && rcs_mcp_result_type(result) != RCS_MCP_COMPLETE)) {
        end_broken(try, &reply->facts, "the list of tools is none");
        return;
    }
    code = keep_page(try, tools);
    if (code == 0 && try->tools > RCS_MCP_TOOLS_MAX) {
        end_broken(try, &reply->facts, "the list of tools has more than 10000 of them");
        return;
    }
    if (code == 0 && ends) {
        end_list(try, &reply->facts);
        return;
    }
    if (code == 0 && (try->server->stage != RCS_MCP_OPEN || try->server->generation != *try->order.session)) {
        end_broken(try, &reply->facts, "the session was lost between two pages of the list");
        return;
    }
    if (code == 0 && ++try->page_count >= RCS_MCP_PAGES_MAX) {
        end_broken(try, &reply->facts, "the list of tools has more than 50 pages");
        return;
    }
    code = code == 0 ? rcs_buffer_append(&try->cursors, cursor.data, cursor.size) : code;
    code = code == 0 ? rcs_buffer_append_byte(&try->cursors, '\n') : code;
    if (code != 0 || send(try) != 0) {
        end_broken(try, &reply->facts, code == RECOURSE_E_LIMIT ? "the list of tools is too large to be kept"
                                                                : "no memory or room for the list of tools");
    }
}

static void list_answered(void *user, const struct rcs_mcp_reply *reply)
{
    struct mcp_try *try = user;

    try->exchange = NULL;
    try->touched = try->touched || is_lister(try);
    if (reply->message.kind == RCS_MCP_RESULT) {
        take_page(try, reply);
    } else if (!put_right(try, reply)) {
        end_refused(try, reply);
    }
}

/* ---- sending ---- */

static int put_list(const struct mcp_try *try, struct rcs_mcp_order *order)
{
    const struct rcs_mcp_meta meta = rcs_mcp_meta_of(try->server, NULL, 0);
    const struct recourse_span none = {NULL, 0};
    int code = rcs_mcp_put_list(&order->body, try->id, last_cursor(try), &meta);

    if (code == 0 && order->modern) {
        code = rcs_mcp_put_headers(try->server, "tools/list", NULL, none, &order->headers);
    }
    return code;
}

static int send(struct mcp_try *try)
{
    struct rcs_mcp_server *server = try->server;
    struct rcs_mcp_order order = {
        .id = ++server->last_id,
        .modern = rcs_mcp_is_modern(server),
        .order = try->lists ? NULL : &try->order,
        .deadline_ms = RECOURSE_FOREVER, /* the runner keeps it */
        .resumes = rcs_mcp_is_modern(server) ? 0 : try->order.policy->settings.resumes,
        .resume_until_ms = try->order.deadline_ms,
        .done = try->lists ? list_answered : call_answered,
        .user = try,
    };
    int code;

    try->id = order.id;
    try->modern = order.modern;
    rcs_mcp_body_init(server, &order.body);
    rcs_mcp_body_init(server, &order.headers);
    code = try->lists ? put_list(try, &order) : put_call(try, &order);
    if (code != 0) {
        rcs_buffer_clear(&order.body);
        rcs_buffer_clear(&order.headers);
        return code;
    }
    if (!try->lists && try->order.trace != NULL) {
        rcs_mcp_note_request(server, try->id, try->order.trace);
    }
    code = rcs_mcp_post(server, &order, &try->exchange);
    if (code == 0) {
        *try->order.session = rcs_mcp_post_generation(server, try->exchange);
    }
    return code;
}

/* The session may have been lost again between the handshake and this one's turn. */
static int go_on(struct mcp_try *try)
{
    return rcs_mcp_session_open(try->server) ? send(try) : rcs_mcp_session_want(try->server, &try->waiter);
}

static void session_ready(struct rcs_mcp_waiter *waiter, const struct recourse_facts *failure)
{
    struct mcp_try *try = try_of(waiter);
    struct recourse_facts facts;

    if (failure != NULL) {
        facts = *failure;
        end_by_all(try, &facts);
    } else {
        proceed(try);
    }
}

/* ---- the kinds ---- */

static int check(const struct recourse_tool *config, struct recourse_error *error)
{
    (void)config, (void)error; /* made from what the server lists: see servers.c */
    return 0;
}

static int start(const struct rcs_tool_host *host, const struct rcs_try_order *order, struct rcs_try **out)
{
    struct mcp_try *try = rcs_alloc_zero(host->allocator, sizeof *try);
    int code;

    if (try == NULL) {
        return RECOURSE_E_MEMORY;
    }
    try->base.kind = order->tool->kind;
    try->waiter.ready = session_ready;
    try->server = order->tool->mcp;
    try->order = *order;
    try->lists = is_lister(try);
    rcs_mcp_round_init(try->server, &try->round);
    rcs_buffer_init(&try->cursors, host->allocator, host->body_max);
    rcs_buffer_init(&try->text, host->allocator, UINT32_MAX / 2);
    rcs_buffer_init(&try->ends, host->allocator, RCS_MCP_BLOCKS_MAX * sizeof(uint32_t));
    if (order->new_session) {
        rcs_mcp_session_lost(try->server, *order->session);
    }
    code = go_on(try);
    if (code != 0) {
        free_try(try);
        return code;
    }
    *out = &try->base;
    return 0;
}

static enum rcs_stopped stop(struct rcs_try *base)
{
    struct mcp_try *try = (struct mcp_try *)base;
    bool touched = try->touched;

    if (try->exchange == NULL) {
        rcs_mcp_session_leave(try->server, &try->waiter);
    } else if (rcs_mcp_post_cancel(try->server, try->exchange)) {
        touched = touched || !try->lists || is_lister(try);
        if (is_told(try)) {
            tell_cancelled(try);
        }
    }
    free_try(try);
    return touched ? RCS_STOPPED_TOUCHED : RCS_STOPPED_UNTOUCHED;
}

/* For the session, before anything of the call was sent. */
static bool waits(const struct rcs_try *base)
{
    const struct mcp_try *try = (const struct mcp_try *)base;

    return try->exchange == NULL && !try->touched;
}

/* The server was asked, and says nothing. */
static bool standing(const struct rcs_try *base, char text[RCS_STANDING_MAX])
{
    const struct mcp_try *try = (const struct mcp_try *)base;

    if (try->exchange != NULL || try->server->asked == NULL) {
        return false;
    }
    rcs_mcp_opening_text(try->server, text);
    return true;
}

/* Never called: a stopped try is gone. */
static void forget(struct rcs_try *base)
{
    (void)base;
}

const struct rcs_kind rcs_kind_mcp = {
    .name = "mcp",
    .keeps_deadline = false,
    .check = check,
    .start = start,
    .stop = stop,
    .waits = waits,
    .standing = standing,
    .forget = forget,
};

const struct rcs_kind rcs_kind_mcp_list = {
    .name = "mcp list",
    .keeps_deadline = false,
    .check = check,
    .start = start,
    .stop = stop,
    .standing = standing,
    .forget = forget,
};
