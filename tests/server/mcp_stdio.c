/* MCP over stdin and stdout: a message a line. Replies overlap, as those of a server do that works on several calls at once. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/server/mcp_parts.h"

/* A server that ignores the end of its input ends by itself all the same, should its test have died. */
#define ORPHAN_MS 60000

struct pending {
    struct rcs_reply reply;
    size_t sent;
    uint64_t due_us;
};

struct stdio {
    struct rcs_mcp *mcp;
    int log_fd;
    struct rcs_bytes in;
    struct pending *pending;
    size_t pending_count;
    int status; /* -1: goes on */
};

static void write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t gone = write(fd, data, size);
        if (gone < 0 && errno != EINTR) {
            return;
        }
        data += gone < 0 ? 0 : gone;
        size -= gone < 0 ? 0 : (size_t)gone;
    }
}

static void log_line(const struct stdio *io, const struct rcs_mcp_seen *seen)
{
    struct rcs_bytes out = {0};
    char *note = rcs_mcp_note(seen);

    if (io->log_fd >= 0) {
        rcs_bytes_format(&out, "{\"at_ms\":%llu.%03u,\"mcp\":", (unsigned long long)(seen->at_us / 1000),
                         (unsigned)(seen->at_us % 1000));
        rcs_bytes_add(&out, note, strlen(note));
        rcs_bytes_format(&out, ",\"body\":");
        rcs_quote(&out, seen->body, seen->body_size);
        rcs_bytes_add(&out, "}\n", 2);
        write_all(io->log_fd, out.data, out.size);
    }
    rcs_bytes_clear(&out);
    free(note);
}

/* ---- messages ---- */

/* Makes the reply ready. There are no statuses here: an answer without a message says nothing. */
static void reply_make(struct rcs_mcp_exchange *exchange, struct rcs_reply *reply)
{
    size_t status = 0;
    char *body = rcs_mcp_modern(exchange) ? rcs_mcp_modern_refuse(exchange, &status) : NULL;
    static const struct rcs_answer refused = {.status = 200, .times = 1, .length = SIZE_MAX};
    const struct rcs_answer *answer = body != NULL ? &refused : rcs_mcp_answer(exchange, &body);

    memset(reply, 0, sizeof *reply);
    rcs_mcp_source(exchange->mcp, reply);
    if (answer->raw.data != NULL) {
        rcs_bytes_add(&reply->bytes, answer->raw.data, answer->raw.size);
    } else {
        rcs_stream_lines(rcs_mcp_stream(exchange, answer, body), reply);
    }
    rcs_reply_end(answer, 0, reply);
    free(body);
}

/* A line that is no message is logged and not answered, as SDKs do it. */
static void take_line(struct stdio *io, const char *line, size_t size)
{
    struct rcs_mcp_exchange exchange = {.mcp = io->mcp};
    struct pending fresh = {.due_us = rcs_now_us()};

    pthread_mutex_lock(&io->mcp->lock);
    rcs_message_read(&exchange.message, line, size);
    exchange.seen = rcs_mcp_see(io->mcp, &exchange.message, NULL, line, size);
    if (exchange.message.kind != RCS_MESSAGE_BAD) {
        reply_make(&exchange, &fresh.reply);
        fresh.due_us += fresh.reply.wait_us;
        io->pending = rcs_must_alloc(io->pending, (io->pending_count + 1) * sizeof fresh);
        io->pending[io->pending_count++] = fresh;
    }
    log_line(io, exchange.seen);
    rcs_message_clear(&exchange.message);
    pthread_mutex_unlock(&io->mcp->lock);
}

/* False at the end of stdin. */
static bool take_in(struct stdio *io)
{
    char block[65536];
    ssize_t got = read(STDIN_FILENO, block, sizeof block);
    const char *end;

    if (got <= 0) {
        return got < 0 && errno == EINTR;
    }
    rcs_bytes_add(&io->in, block, (size_t)got);
    while ((end = memchr(io->in.data, '\n', io->in.size)) != NULL) {
        size_t size = (size_t)(end - io->in.data);
        if (size > 0) {
            take_line(io, io->in.data, size);
        }
        rcs_bytes_drop(&io->in, size + 1);
    }
    return true;
}

/* ---- replies ---- */

/* A stop that is a process's own. */
static void stop_here(struct stdio *io, const struct rcs_stop *stop)
{
    if (stop->kind == RCS_STOP_KILL) {
        raise(SIGKILL);
    }
    if (stop->kind == RCS_STOP_EXIT) {
        io->status = (int)stop->number;
    } else {
        write_all(STDERR_FILENO, stop->text, strlen(stop->text));
    }
}

static bool is_out(const struct pending *pending)
{
    const struct rcs_reply *reply = &pending->reply;

    return pending->sent >= reply->limit &&
           (reply->stop_next >= reply->stop_count || reply->stops[reply->stop_next].offset > reply->limit);
}

static bool stops_here(const struct pending *pending)
{
    const struct rcs_reply *reply = &pending->reply;

    return reply->stop_next < reply->stop_count && reply->stops[reply->stop_next].offset == pending->sent &&
           reply->stops[reply->stop_next].kind >= RCS_STOP_STDERR;
}

/* Goes on with a reply. False when it is over. */
static bool give_out(struct stdio *io, struct pending *pending, uint64_t now_us)
{
    struct rcs_reply *reply = &pending->reply;
    size_t limit;

    while (!is_out(pending) && pending->due_us <= now_us &&
           rcs_reply_pass(reply, pending->sent, now_us, &pending->due_us, &limit)) {
        size_t size = reply->trickle_us > 0 && limit > pending->sent ? 1 : limit - pending->sent;
        write_all(STDOUT_FILENO, reply->bytes.data + pending->sent, size);
        pending->sent += size;
        pending->due_us = reply->trickle_us > 0 ? now_us + reply->trickle_us : pending->due_us;
        if (stops_here(pending)) {
            stop_here(io, &reply->stops[reply->stop_next++]);
        }
        if (io->status >= 0) {
            return false;
        }
    }
    if (!is_out(pending)) {
        return true;
    }
    if (reply->end == RCS_END_CLOSE || reply->end == RCS_END_RESET) {
        io->status = 1;
    }
    return false;
}

static void give_all(struct stdio *io)
{
    uint64_t now = rcs_now_us();
    size_t kept = 0;

    for (size_t i = 0; i < io->pending_count; i++) {
        if (io->status < 0 && give_out(io, &io->pending[i], now)) {
            io->pending[kept++] = io->pending[i];
        } else {
            rcs_reply_clear(&io->pending[i].reply);
        }
    }
    io->pending_count = kept;
}

/* Milliseconds until a reply is due; -1: none will be by itself. */
static int next_timeout(const struct stdio *io)
{
    uint64_t now = rcs_now_us();
    uint64_t due = UINT64_MAX;

    for (size_t i = 0; i < io->pending_count; i++) {
        const struct pending *at = &io->pending[i];
        uint64_t one = at->due_us > now ? at->due_us : rcs_reply_ready(&at->reply) ? now : UINT64_MAX;
        due = one < due ? one : due;
    }
    return due == UINT64_MAX ? -1 : (int)((due - now + 999) / 1000);
}

/* ---- its life ---- */

static int end_of_input(const struct stdio *io)
{
    if (rcs_mcp_setting(io->mcp, RCS_W_IGNORE_EOF) != NULL) {
        poll(NULL, 0, ORPHAN_MS);
    }
    return 0;
}

int rcs_mcp_stdio(struct rcs_mcp *mcp, int log_fd)
{
    const struct rcs_part *greeting = rcs_mcp_setting(mcp, RCS_W_GREETING);
    const struct rcs_part *noise = rcs_mcp_setting(mcp, RCS_W_STDERR);
    struct stdio io = {.mcp = mcp, .log_fd = log_fd, .status = -1};

    if (rcs_mcp_setting(mcp, RCS_W_IGNORE_TERM) != NULL) {
        signal(SIGTERM, SIG_IGN);
    }
    if (noise != NULL) {
        write_all(STDERR_FILENO, noise->text.data, noise->text.size);
    }
    if (greeting != NULL) {
        write_all(STDOUT_FILENO, greeting->text.data, greeting->text.size);
    }
    while (io.status < 0) {
        struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
        if (poll(&in, 1, next_timeout(&io)) > 0 && !take_in(&io)) {
            io.status = end_of_input(&io);
        }
        give_all(&io);
    }
    for (size_t i = 0; i < io.pending_count; i++) {
        rcs_reply_clear(&io.pending[i].reply);
    }
    rcs_bytes_clear(&io.in);
    free(io.pending);
    return io.status;
}
