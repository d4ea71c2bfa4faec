/* One connection: requests come in, answers go out, and it ends as its script says. */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/server/parts.h"

uint64_t rcs_now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* ---- requests ---- */

const char *rcs_faulty_header(const struct rcs_faulty_request *request, const char *name)
{
    for (size_t i = 0; i < request->header_count; i++) {
        if (strcasecmp(request->headers[i].name, name) == 0) {
            return request->headers[i].value;
        }
    }
    return NULL;
}

void rcs_request_free(struct rcs_faulty_request *request)
{
    if (request == NULL) {
        return;
    }
    for (size_t i = 0; i < request->header_count; i++) {
        free((void *)(uintptr_t)request->headers[i].name);
        free((void *)(uintptr_t)request->headers[i].value);
    }
    free((void *)(uintptr_t)request->headers);
    free((void *)(uintptr_t)request->method);
    free((void *)(uintptr_t)request->path);
    free((void *)(uintptr_t)request->query);
    free((void *)(uintptr_t)request->body);
    free((void *)(uintptr_t)request->note);
    free(request);
}

/* Reads "METHOD /path?query HTTP/1.x". */
static bool request_line_read(struct rcs_faulty_request *request, const char *line, size_t size)
{
    const char *target = memchr(line, ' ', size);
    const char *version = target == NULL ? NULL : memchr(target + 1, ' ', size - (size_t)(target + 1 - line));
    const char *query;

    if (version == NULL || version == target + 1 || target == line || line + size - version != 9 ||
        memcmp(version, " HTTP/1.", 8) != 0) {
        return false;
    }
    query = memchr(target + 1, '?', (size_t)(version - target - 1));
    request->method = rcs_must_copy(line, (size_t)(target - line));
    request->path = rcs_must_copy(target + 1, (size_t)((query != NULL ? query : version) - target - 1));
    request->query = query != NULL ? rcs_must_copy(query + 1, (size_t)(version - query - 1)) : rcs_must_copy("", 0);
    return true;
}

static bool header_line_read(struct rcs_faulty_request *request, const char *line, size_t size)
{
    const char *colon = memchr(line, ':', size);
    const char *value;
    size_t value_size;
    struct rcs_faulty_header *headers;

    if (colon == NULL || colon == line) {
        return false;
    }
    value = colon + 1;
    value_size = size - (size_t)(value - line);
    while (value_size > 0 && (*value == ' ' || *value == '\t')) {
        value++;
        value_size--;
    }
    while (value_size > 0 && (value[value_size - 1] == ' ' || value[value_size - 1] == '\t')) {
        value_size--;
    }
    headers = rcs_must_alloc((void *)(uintptr_t)request->headers, (request->header_count + 1) * sizeof *headers);
    headers[request->header_count].name = rcs_must_copy(line, (size_t)(colon - line));
    headers[request->header_count].value = rcs_must_copy(value, value_size);
    request->headers = headers;
    request->header_count++;
    return true;
}

static bool head_read(struct rcs_faulty_request *request, const char *head, size_t size)
{
    bool first = true;

    while (size > 0) {
        const char *end = memmem(head, size, "\r\n", 2);
        size_t line = end == NULL ? size : (size_t)(end - head);
        if (!(first ? request_line_read : header_line_read)(request, head, line)) {
            return false;
        }
        first = false;
        head += end == NULL ? line : line + 2;
        size -= end == NULL ? line : line + 2;
    }
    return !first;
}

/* The size that the body claims to have; a negative HTTP status where it can't be taken. */
static long body_size(const struct rcs_faulty_request *request)
{
    const char *length = rcs_faulty_header(request, "Content-Length");
    char *end;
    unsigned long long size;

    if (rcs_faulty_header(request, "Transfer-Encoding") != NULL) {
        return -411;
    }
    if (length == NULL) {
        return 0;
    }
    if (!isdigit((unsigned char)length[0])) {
        return -400;
    }
    errno = 0;
    size = strtoull(length, &end, 10);
    if (*end != '\0') {
        return -400;
    }
    return errno == ERANGE || size > RCS_FAULTY_BODY_MAX ? -413 : (long)size;
}

int rcs_request_read(const struct rcs_bytes *in, struct rcs_faulty_request **request, size_t *used)
{
    const char *end = in->size == 0 ? NULL : memmem(in->data, in->size, "\r\n\r\n", 4);
    struct rcs_faulty_request *fresh;
    size_t head;
    long body;

    if (end == NULL) {
        return in->size > RCS_FAULTY_HEAD_MAX ? -1 : 0;
    }
    head = (size_t)(end - in->data);
    fresh = rcs_must_alloc(NULL, sizeof *fresh);
    memset(fresh, 0, sizeof *fresh);
    body = head_read(fresh, in->data, head) ? body_size(fresh) : -1;
    if (body < 0 || in->size - head - 4 < (size_t)body) {
        rcs_request_free(fresh);
        return body < 0 ? (int)body : 0;
    }
    fresh->body = rcs_must_copy(end + 4, (size_t)body);
    fresh->body_size = (size_t)body;
    *request = fresh;
    *used = head + 4 + (size_t)body;
    return 1;
}

/* ---- the connection ---- */

void rcs_connection_free(struct rcs_connection *connection)
{
    close(connection->fd);
    rcs_bytes_clear(&connection->in);
    rcs_reply_clear(&connection->reply);
    free(connection);
}

/* False when the client is gone: an end or an error. */
static bool take_in(struct rcs_connection *connection)
{
    for (;;) {
        char block[65536];
        ssize_t got = recv(connection->fd, block, sizeof block, MSG_DONTWAIT);
        if (got > 0) {
            rcs_bytes_add(&connection->in, block, (size_t)got);
            if (connection->in.size > RCS_FAULTY_HEAD_MAX + RCS_FAULTY_BODY_MAX) {
                return false;
            }
            continue;
        }
        return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    }
}

static void begin(struct rcs_connection *connection, uint64_t now_us)
{
    connection->state = RCS_ANSWERING;
    connection->sent = 0;
    connection->due_us = now_us + connection->reply.wait_us;
}

/* Takes the next request, if one is there as a whole. False if what is there is none. */
static bool receive(struct rcs_faulty *server, struct rcs_connection *connection, uint64_t now_us)
{
    struct rcs_faulty_request *request;
    const char *asked;
    bool closes;
    size_t used;
    int got = rcs_request_read(&connection->in, &request, &used);

    if (got == 0 || got == -1) {
        return got == 0;
    }
    rcs_reply_clear(&connection->reply);
    connection->requests++;
    if (got < 0) {
        struct rcs_answer refusal = {.status = (size_t)-got, .length = SIZE_MAX, .end = RCS_END_CLOSE};
        rcs_answer_write(&refusal, NULL, &connection->reply);
        begin(connection, now_us);
        return true;
    }
    rcs_bytes_drop(&connection->in, used);
    request->connection = connection->id;
    request->number = connection->requests;
    request->at_us = rcs_now_us();
    asked = rcs_faulty_header(request, "Connection");
    closes = asked != NULL && strcasecmp(asked, "close") == 0;
    rcs_faulty_receive(server, request, &connection->reply);
    if (closes && connection->reply.end == RCS_END_KEEP) {
        connection->reply.end = RCS_END_CLOSE;
    }
    begin(connection, now_us);
    return true;
}

/* All that is to be sent has been: ends as the script says. False when the connection is over. */
static bool end(struct rcs_connection *connection)
{
    struct linger hard = {.l_onoff = 1, .l_linger = 0};

    switch (connection->reply.end) {
    case RCS_END_KEEP:
        connection->state = RCS_READING;
        return true;
    case RCS_END_HANG:
        connection->state = RCS_HANGING;
        return true;
    case RCS_END_RESET:
        setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        return false;
    case RCS_END_CLOSE:
        break;
    }
    return false;
}

/* Sends what is due. False when the connection is over. */
static bool give_out(struct rcs_connection *connection, uint64_t now_us)
{
    struct rcs_reply *reply = &connection->reply;

    connection->blocked = false;
    connection->waiting = false;
    for (;;) {
        size_t limit;
        ssize_t gone;
        if (!rcs_reply_pass(reply, connection->sent, now_us, &connection->due_us, &limit)) {
            connection->waiting = connection->due_us <= now_us;
            return true;
        }
        if (connection->sent >= reply->limit && rcs_reply_go_on(reply)) {
            connection->sent = 0;
            return true; /* others come first */
        }
        if (connection->sent >= reply->limit) {
            return end(connection);
        }
        gone = send(connection->fd, reply->bytes.data + connection->sent,
                    reply->trickle_us > 0 ? 1 : limit - connection->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (gone < 0) {
            connection->blocked = errno == EAGAIN || errno == EWOULDBLOCK;
            return connection->blocked || errno == EINTR;
        }
        connection->sent += (size_t)gone;
        if (reply->trickle_us > 0 && connection->sent < reply->limit) {
            connection->due_us = now_us + reply->trickle_us;
            return true;
        }
    }
}

bool rcs_connection_serve(struct rcs_faulty *server, struct rcs_connection *connection, bool readable, uint64_t now_us)
{
    if (readable && !take_in(connection)) {
        return false;
    }
    for (;;) {
        if (connection->state == RCS_READING && !receive(server, connection, now_us)) {
            return false;
        }
        if (connection->state != RCS_ANSWERING || connection->due_us > now_us) {
            return true;
        }
        if (!give_out(connection, now_us)) {
            return false;
        }
        if (connection->state != RCS_READING) {
            return true;
        }
    }
}

short rcs_connection_wants(const struct rcs_connection *connection)
{
    bool blocked = connection->state == RCS_ANSWERING && connection->blocked;

    return (short)(blocked ? POLLIN | POLLOUT : POLLIN);
}

uint64_t rcs_connection_due(const struct rcs_connection *connection)
{
    if (connection->state != RCS_ANSWERING || connection->blocked) {
        return UINT64_MAX;
    }
    if (connection->waiting) {
        return rcs_reply_ready(&connection->reply) ? 0 : UINT64_MAX;
    }
    return connection->due_us;
}
