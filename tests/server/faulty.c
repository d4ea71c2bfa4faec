/* The server as a whole: its port, its loop, its scripts and its log. */
#include "tests/server/faulty.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/server/parts.h"

/* Listens on a port of the system's choice; -1 with errno. */
static int listen_somewhere(int backlog, unsigned *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0) {
        return -1;
    }
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, backlog) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    *port = ntohs(address.sin_port);
    return fd;
}

struct rcs_faulty *rcs_faulty_new(void)
{
    struct rcs_faulty *server = rcs_must_alloc(NULL, sizeof *server);

    memset(server, 0, sizeof *server);
    server->listener = listen_somewhere(SOMAXCONN, &server->port);
    if (server->listener < 0) {
        free(server);
        return NULL;
    }
    if (pipe2(server->wake, O_CLOEXEC | O_NONBLOCK) != 0) {
        int why = errno;
        close(server->listener);
        free(server);
        errno = why;
        return NULL;
    }
    pthread_mutex_init(&server->lock, NULL);
    return server;
}

unsigned rcs_faulty_port(const struct rcs_faulty *server)
{
    return server->port;
}

/* ---- scripts and the log: under the lock ---- */

static struct rcs_script *script_of(struct rcs_faulty *server, const char *path)
{
    for (size_t i = 0; i < server->script_count; i++) {
        if (strcmp(server->scripts[i].path, path) == 0) {
            return &server->scripts[i];
        }
    }
    return NULL;
}

bool rcs_faulty_script(struct rcs_faulty *server, const char *path, const char *script, char *why, size_t why_size)
{
    struct rcs_script fresh;
    struct rcs_script *old;

    if (path[0] != '/' || strchr(path, ' ') != NULL || strchr(path, '?') != NULL) {
        snprintf(why, why_size, "`%s` is no path: it begins with / and has no blank and no ?", path);
        return false;
    }
    if (!rcs_script_read(&fresh, script, NULL, why, why_size)) {
        return false;
    }
    fresh.path = rcs_must_copy(path, strlen(path));
    pthread_mutex_lock(&server->lock);
    old = script_of(server, path);
    if (old != NULL) {
        rcs_script_clear(old);
        *old = fresh;
    } else {
        server->scripts = rcs_must_alloc(server->scripts, (server->script_count + 1) * sizeof fresh);
        server->scripts[server->script_count++] = fresh;
    }
    pthread_mutex_unlock(&server->lock);
    return true;
}

static void reset_locked(struct rcs_faulty *server)
{
    for (size_t i = 0; i < server->log_count; i++) {
        rcs_request_free(server->log[i]);
    }
    server->log_count = 0;
    for (size_t i = 0; i < server->script_count; i++) {
        rcs_script_rewind(&server->scripts[i]);
    }
    if (server->guest.reset != NULL) {
        server->guest.reset(server->guest.user);
    }
}

void rcs_faulty_reset(struct rcs_faulty *server)
{
    pthread_mutex_lock(&server->lock);
    reset_locked(server);
    pthread_mutex_unlock(&server->lock);
}

const struct rcs_faulty_request *rcs_faulty_request(struct rcs_faulty *server, const char *path, size_t index)
{
    const struct rcs_faulty_request *found = NULL;

    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < server->log_count && found == NULL; i++) {
        if (path == NULL || strcmp(server->log[i]->path, path) == 0) {
            found = index-- == 0 ? server->log[i] : NULL;
        }
    }
    pthread_mutex_unlock(&server->lock);
    return found;
}

size_t rcs_faulty_count(struct rcs_faulty *server, const char *path)
{
    size_t count = 0;

    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < server->log_count; i++) {
        count += path == NULL || strcmp(server->log[i]->path, path) == 0;
    }
    pthread_mutex_unlock(&server->lock);
    return count;
}

void rcs_quote(struct rcs_bytes *out, const char *text, size_t size)
{
    rcs_bytes_add(out, "\"", 1);
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte < 0x20 || byte >= 0x7f) {
            rcs_bytes_format(out, "\\u%04x", byte);
            continue;
        }
        if (byte == '"' || byte == '\\') {
            rcs_bytes_add(out, "\\", 1);
        }
        rcs_bytes_add(out, text + i, 1);
    }
    rcs_bytes_add(out, "\"", 1);
}

static void member(struct rcs_bytes *out, const char *name, const char *text, size_t size)
{
    rcs_bytes_format(out, ",\"%s\":", name);
    rcs_quote(out, text, size);
}

static void log_write(const struct rcs_faulty *server, struct rcs_bytes *out)
{
    rcs_bytes_add(out, "[", 1);
    for (size_t i = 0; i < server->log_count; i++) {
        const struct rcs_faulty_request *request = server->log[i];
        rcs_bytes_format(out, "%s\n{\"connection\":%u,\"number\":%u,\"at_ms\":%llu.%03u", i == 0 ? "" : ",",
                         request->connection, request->number, (unsigned long long)(request->at_us / 1000),
                         (unsigned)(request->at_us % 1000));
        member(out, "method", request->method, strlen(request->method));
        member(out, "path", request->path, strlen(request->path));
        member(out, "query", request->query, strlen(request->query));
        rcs_bytes_format(out, ",\"headers\":[");
        for (size_t h = 0; h < request->header_count; h++) {
            rcs_bytes_add(out, h == 0 ? "[" : ",[", h == 0 ? 1 : 2);
            rcs_quote(out, request->headers[h].name, strlen(request->headers[h].name));
            rcs_bytes_add(out, ",", 1);
            rcs_quote(out, request->headers[h].value, strlen(request->headers[h].value));
            rcs_bytes_add(out, "]", 1);
        }
        rcs_bytes_add(out, "]", 1);
        member(out, "body", request->body, request->body_size);
        if (request->note != NULL) {
            rcs_bytes_format(out, ",\"mcp\":");
            rcs_bytes_add(out, request->note, strlen(request->note));
        }
        rcs_bytes_add(out, "}", 1);
    }
    rcs_bytes_add(out, "]\n", 2);
}

char *rcs_faulty_log(struct rcs_faulty *server)
{
    struct rcs_bytes out = {0};

    pthread_mutex_lock(&server->lock);
    log_write(server, &out);
    pthread_mutex_unlock(&server->lock);
    return out.data;
}

/* Answers the server's own paths. False for any other. */
static bool own_path(struct rcs_faulty *server, const struct rcs_faulty_request *request, struct rcs_reply *reply)
{
    bool reset = strcmp(request->path, "/_reset") == 0;
    struct rcs_answer answer = {.status = 200, .length = SIZE_MAX};

    if (!reset && strcmp(request->path, "/_log") != 0) {
        return false;
    }
    if (strcmp(request->method, reset ? "POST" : "GET") != 0) {
        answer.status = 405;
    } else if (reset) {
        answer.status = 204;
        reset_locked(server);
    } else {
        log_write(server, &answer.body);
    }
    rcs_answer_write(&answer, request, reply);
    rcs_bytes_clear(&answer.body);
    return true;
}

void rcs_faulty_receive(struct rcs_faulty *server, struct rcs_faulty_request *request, struct rcs_reply *reply)
{
    static const struct rcs_answer unknown = {.status = 404, .length = SIZE_MAX};
    struct rcs_script *script;

    pthread_mutex_lock(&server->lock);
    if (own_path(server, request, reply)) {
        rcs_request_free(request);
    } else {
        script = script_of(server, request->path);
        if (server->guest.answer == NULL || !server->guest.answer(server->guest.user, request, reply)) {
            rcs_answer_write(script == NULL ? &unknown : rcs_script_take(script, request->number > 1), request, reply);
        }
        server->log = rcs_must_alloc(server->log, (server->log_count + 1) * sizeof *server->log);
        server->log[server->log_count++] = request;
    }
    pthread_mutex_unlock(&server->lock);
}

/* ---- the loop ---- */

static void accept_all(struct rcs_faulty *server)
{
    while (server->connection_count < RCS_FAULTY_CONNECTIONS_MAX) {
        struct rcs_connection *fresh;
        int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            return;
        }
        fresh = rcs_must_alloc(NULL, sizeof *fresh);
        memset(fresh, 0, sizeof *fresh);
        fresh->fd = fd;
        fresh->id = ++server->connection_last;
        server->connections[server->connection_count++] = fresh;
    }
}

/* Milliseconds until something is due, rounded up, at most `timeout_ms` (-1: without end). */
static int next_timeout(const struct rcs_faulty *server, int timeout_ms)
{
    uint64_t due = UINT64_MAX;
    uint64_t now = rcs_now_us();
    uint64_t left;

    for (size_t i = 0; i < server->connection_count; i++) {
        uint64_t one = rcs_connection_due(server->connections[i]);
        due = one < due ? one : due;
    }
    if (due == UINT64_MAX) {
        return timeout_ms;
    }
    left = due <= now ? 0 : (due - now + 999) / 1000;
    left = left > 1000 ? 1000 : left;
    return timeout_ms >= 0 && left > (uint64_t)timeout_ms ? timeout_ms : (int)left;
}

static void serve_all(struct rcs_faulty *server, const struct pollfd *polled, size_t count)
{
    uint64_t now = rcs_now_us();
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct rcs_connection *connection = server->connections[i];
        if (rcs_connection_serve(server, connection, (polled[i].revents & ~POLLOUT) != 0, now)) {
            server->connections[kept++] = connection;
        } else {
            rcs_connection_free(connection);
        }
    }
    server->connection_count = kept;
}

void rcs_faulty_step(struct rcs_faulty *server, int timeout_ms)
{
    struct pollfd polled[RCS_FAULTY_CONNECTIONS_MAX + 2];
    size_t count = server->connection_count;
    char drain[64];

    for (size_t i = 0; i < count; i++) {
        polled[i] =
            (struct pollfd){.fd = server->connections[i]->fd, .events = rcs_connection_wants(server->connections[i])};
    }
    polled[count] = (struct pollfd){.fd = server->wake[0], .events = POLLIN};
    polled[count + 1] =
        (struct pollfd){.fd = count < RCS_FAULTY_CONNECTIONS_MAX ? server->listener : -1, .events = POLLIN};
    if (poll(polled, count + 2, next_timeout(server, timeout_ms)) < 0) {
        return;
    }
    while (read(server->wake[0], drain, sizeof drain) > 0) {
    }
    serve_all(server, polled, count);
    if (polled[count + 1].revents != 0) {
        accept_all(server);
    }
}

static bool stopping(struct rcs_faulty *server)
{
    bool yes;

    pthread_mutex_lock(&server->lock);
    yes = server->stopping;
    pthread_mutex_unlock(&server->lock);
    return yes;
}

static void *serve(void *user)
{
    struct rcs_faulty *server = user;

    while (!stopping(server)) {
        rcs_faulty_step(server, -1);
    }
    return NULL;
}

void rcs_faulty_wake(struct rcs_faulty *server)
{
    while (write(server->wake[1], "", 1) < 0 && errno == EINTR) {
    }
}

int rcs_faulty_start(struct rcs_faulty *server)
{
    int why = pthread_create(&server->thread, NULL, serve, server);

    server->threaded = why == 0;
    return why;
}

void rcs_faulty_stop(struct rcs_faulty *server)
{
    if (server->listener < 0) {
        return;
    }
    if (server->threaded) {
        pthread_mutex_lock(&server->lock);
        server->stopping = true;
        pthread_mutex_unlock(&server->lock);
        rcs_faulty_wake(server);
        pthread_join(server->thread, NULL);
        server->threaded = false;
    }
    for (size_t i = 0; i < server->connection_count; i++) {
        rcs_connection_free(server->connections[i]);
    }
    server->connection_count = 0;
    close(server->listener);
    server->listener = -1;
}

void rcs_faulty_free(struct rcs_faulty *server)
{
    if (server == NULL) {
        return;
    }
    rcs_faulty_stop(server);
    reset_locked(server);
    for (size_t i = 0; i < server->script_count; i++) {
        rcs_script_clear(&server->scripts[i]);
    }
    free(server->scripts);
    free(server->log);
    close(server->wake[0]);
    close(server->wake[1]);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

/* ---- a port that answers nobody ---- */

bool rcs_deaf_open(struct rcs_deaf *deaf)
{
    struct sockaddr_in address = {.sin_family = AF_INET};

    memset(deaf->waiting, 0xff, sizeof deaf->waiting);
    deaf->listener = listen_somewhere(0, &deaf->port);
    if (deaf->listener < 0) {
        return false;
    }
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)deaf->port);
    for (size_t i = 0; i < sizeof deaf->waiting / sizeof deaf->waiting[0]; i++) {
        deaf->waiting[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (deaf->waiting[i] >= 0 && connect(deaf->waiting[i], (struct sockaddr *)&address, sizeof address) != 0 &&
            errno != EINPROGRESS) {
            rcs_deaf_close(deaf);
            return false;
        }
    }
    return true;
}

void rcs_deaf_close(struct rcs_deaf *deaf)
{
    for (size_t i = 0; i < sizeof deaf->waiting / sizeof deaf->waiting[0]; i++) {
        if (deaf->waiting[i] >= 0) {
            close(deaf->waiting[i]);
        }
    }
    close(deaf->listener);
}
