/*
 * The transport over standard input and output. A server is one process, started when something is to be sent: messages go
 * in one a line and in order, answers come in any. A process that ends takes its exchanges with it, and the next one that is
 * posted starts another.
 */
#include "src/tools/mcp_program.h"

#include "src/core/wait.h"
#include "src/io/memory.h"

/* ---- messages ---- */

static void give_back(struct rcs_mcp_posted *message)
{
    rcs_mailbox_give_back(message->program->server->host->mailbox, message->reserved);
    message->reserved = 0;
    rcs_buffer_clear(&message->body);
}

static void link_in(struct rcs_mcp_posted *message)
{
    struct rcs_mcp_program *program = message->program;

    message->previous = program->last;
    if (program->last != NULL) {
        program->last->next = message;
    } else {
        program->first = message;
    }
    program->last = message;
    program->unsent = program->unsent != NULL ? program->unsent : message;
    program->loose_count += message->id == 0;
}

void rcs_mcp_posted_drop(struct rcs_mcp_posted *message)
{
    struct rcs_mcp_program *program = message->program;

    if (program->unsent == message) {
        program->unsent = message->next;
    }
    if (message->previous != NULL) {
        message->previous->next = message->next;
    } else {
        program->first = message->next;
    }
    if (message->next != NULL) {
        message->next->previous = message->previous;
    } else {
        program->last = message->previous;
    }
    program->loose_count -= message->id == 0;
    rcs_timers_remove(program->server->host->timers, &message->idle);
    if (program->first == NULL && !rcs_mcp_program_waits(program)) { /* half a line for nobody keeps nobody waiting */
        rcs_claim_leave(program->server->host->room, &program->claim);
    }
    give_back(message);
    rcs_free(program->server->host->allocator, message);
}

void rcs_mcp_posted_answer(struct rcs_mcp_posted *message, const struct rcs_mcp_reply *reply)
{
    void (*done)(void *user, const struct rcs_mcp_reply *reply) = message->done;
    void *user = message->user;

    rcs_mcp_posted_drop(message);
    if (done != NULL) {
        done(user, reply);
    }
}

/* ---- a request that nothing is seen of ---- */

static int watch(struct rcs_mcp_posted *message)
{
    const struct rcs_mcp_server *server = message->program->server;
    struct recourse_port *port = server->host->port;
    uint64_t most_ms = server->config.read_timeout_ms;

    return most_ms == 0 ? 0
                        : rcs_timers_set(server->host->timers, &message->idle,
                                         rcs_add_ms(port->now_ms(port->self), most_ms));
}

void rcs_mcp_posted_touch(struct rcs_mcp_posted *message)
{
    if (rcs_timer_is_set(&message->idle)) {
        (void)watch(message); /* moving one never fails */
    }
}

static bool cancel(struct rcs_mcp_exchange *exchange);

static void on_idle(struct rcs_timer *timer)
{
    static const char detail[] = "nothing was heard of it in time";
    struct rcs_mcp_posted *message = RCS_OWNER(timer, struct rcs_mcp_posted, idle);
    void (*done)(void *user, const struct rcs_mcp_reply *reply) = message->done;
    void *user = message->user;
    const struct rcs_mcp_reply reply = {
        .facts = {.timeout = RECOURSE_TIMEOUT_READ, .unsent = message->sent == 0, .detail = {detail, sizeof detail - 1}},
        .begun = message->begun};

    if (rcs_mcp_program_waits(message->program)) { /* it is we who don't hear */
        (void)watch(message);
        return;
    }
    (void)cancel((struct rcs_mcp_exchange *)(void *)message);
    done(user, &reply);
}

/* ---- a message on its way ---- */

/* Outside of strings, where JSON has none of them, line breaks are blanks. */
static int make_line(struct rcs_buffer *body)
{
    for (size_t i = 0; i < body->size; i++) {
        if (body->data[i] == '\n' || body->data[i] == '\r') {
            body->data[i] = ' ';
        }
    }
    return rcs_buffer_append_byte(body, '\n');
}

/* Takes `body`, also on an error. NULL: no memory. */
static struct rcs_mcp_posted *make_message(struct rcs_mcp_program *program, struct rcs_buffer *body, int64_t id)
{
    const struct rcs_tool_host *host = program->server->host;
    struct rcs_mcp_posted *message = make_line(body) == 0 ? rcs_alloc_zero(host->allocator, sizeof *message) : NULL;

    if (message == NULL) {
        rcs_buffer_clear(body);
        return NULL;
    }
    message->program = program;
    message->body = *body;
    message->id = id;
    message->reserved = body->size;
    rcs_timer_init(&message->idle, on_idle);
    rcs_mailbox_charge(host->mailbox, body->size);
    rcs_mcp_body_init(program->server, body);
    link_in(message);
    return message;
}

bool rcs_mcp_posted_is_handshake(const struct rcs_mcp_posted *message)
{
    return (const void *)message == (const void *)message->program->server->handshake;
}

/* ---- what goes ---- */

static void written(struct rcs_mcp_posted *message)
{
    message->program->unsent = message->next;
    if (message->id == 0) {
        rcs_mcp_posted_drop(message);
    } else {
        give_back(message);
    }
}

void rcs_mcp_program_pump(struct rcs_mcp_program *program)
{
    struct recourse_port *port = program->server->host->port;
    struct rcs_mcp_posted *message;

    while (program->server->program == program && (message = program->unsent) != NULL) {
        size_t taken = 0;
        int code = port->process_write(port->self, program->process, message->body.data + message->sent,
                                       message->body.size - message->sent, &taken);

        message->sent += taken;
        if (message->sent == message->body.size) {
            written(message);
        } else if (code != 0) {
            if (code != RECOURSE_E_STATE) { /* otherwise its end is told soon */
                rcs_mcp_program_hang_up(program);
            }
            return;
        } else {
            return; /* until it reads */
        }
    }
}

/* ---- the transport ---- */

static int post(struct rcs_mcp_server *server, struct rcs_mcp_order *order, struct rcs_mcp_exchange **exchange)
{
    struct rcs_mcp_program *program = server->program;
    struct rcs_mcp_posted *message;
    int code = program == NULL ? rcs_mcp_program_start(server, &program) : 0;

    if (code != 0) {
        rcs_buffer_clear(&order->body);
        return code;
    }
    message = make_message(program, &order->body, order->id);
    if (message == NULL) {
        return RECOURSE_E_MEMORY;
    }
    message->generation = server->generation;
    message->done = order->done;
    message->user = order->user;
    if (watch(message) != 0) {
        rcs_mcp_posted_drop(message);
        return RECOURSE_E_MEMORY;
    }
    *exchange = (struct rcs_mcp_exchange *)(void *)message;
    rcs_mcp_program_pump(program);
    return 0;
}

static struct rcs_mcp_posted *message_of(struct rcs_mcp_exchange *exchange)
{
    return (struct rcs_mcp_posted *)(void *)exchange;
}

static bool is_alone(const struct rcs_mcp_posted *message)
{
    for (const struct rcs_mcp_posted *at = message->program->first; at != NULL; at = at->next) {
        if (at != message && at->id != 0) {
            return false;
        }
    }
    return true;
}

/* A line that has begun is written to its end. A process that doesn't get as far as answering `initialize` goes. */
static bool cancel(struct rcs_mcp_exchange *exchange)
{
    struct rcs_mcp_posted *message = message_of(exchange);
    struct rcs_mcp_program *program = message->program;
    bool sent = message->sent > 0;

    if (rcs_mcp_posted_is_handshake(message) && is_alone(message)) {
        rcs_mcp_program_abandon(program);
    } else if (sent && message->body.size > 0) {
        message->id = 0;
        message->done = NULL;
        program->loose_count++;
        rcs_timers_remove(program->server->host->timers, &message->idle);
    } else {
        rcs_mcp_posted_drop(message);
    }
    return sent;
}

static uint64_t generation(const struct rcs_mcp_exchange *exchange)
{
    return ((const struct rcs_mcp_posted *)(const void *)exchange)->generation;
}

static void post_loose(struct rcs_mcp_server *server, struct rcs_buffer *body)
{
    struct rcs_mcp_program *program = server->program;

    if (program == NULL || program->loose_count >= RCS_MCP_LOOSE_MAX) {
        rcs_buffer_clear(body);
    } else if (make_message(program, body, 0) != NULL) {
        rcs_mcp_program_pump(program);
    }
}

static void clear(struct rcs_mcp_server *server)
{
    while (server->programs != NULL) {
        rcs_mcp_program_abandon(server->programs);
    }
}

const struct rcs_mcp_transport rcs_mcp_over_stdio = {
    .ordered = true,
    .post = post,
    .cancel = cancel,
    .generation = generation,
    .post_loose = post_loose,
    .clear = clear,
};
