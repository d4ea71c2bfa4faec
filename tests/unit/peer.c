#include "tests/unit/peer.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX 1024
#define REQUEST_MAX (1024u * 1024u)

struct connection {
    struct peer *peer;
    const struct peer_step *script;
    int fd;
    pthread_t thread;
};

struct peer {
    const struct peer_step *const *scripts;
    size_t count;
    void (*wake)(void *user);
    void *user;
    int listener;
    int stop; /* readable: end */
    unsigned port;
    pthread_t thread;
    atomic_uint requests;
    atomic_uint connections;
    atomic_uint ended;
    pthread_mutex_t lock;
    char *last;
    struct connection accepted[CONNECTIONS_MAX];
};

static void must(bool holds, const char *what)
{
    if (!holds) {
        perror(what);
        exit(2);
    }
}

static int listen_on_loopback(int backlog, unsigned *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    must(fd >= 0, "socket");
    must(bind(fd, (struct sockaddr *)&address, size) == 0, "bind");
    must(backlog < 0 || listen(fd, backlog) == 0, "listen");
    must(getsockname(fd, (struct sockaddr *)&address, &size) == 0, "getsockname");
    *port = ntohs(address.sin_port);
    return fd;
}

/* Waits until `fd` has `events`; false: the peer is to stop. */
static bool wait_for(const struct connection *connection, short events)
{
    struct pollfd fds[2] = {{.fd = connection->fd, .events = events}, {.fd = connection->peer->stop, .events = POLLIN}};

    must(poll(fds, 2, -1) > 0, "poll");
    return fds[1].revents == 0;
}

static bool send_all(const struct connection *connection, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t put;

        if (!wait_for(connection, POLLOUT)) {
            return false;
        }
        put = send(connection->fd, text, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put <= 0) {
            return false;
        }
        text += put;
        size -= (size_t)put;
    }
    return true;
}

static size_t request_size(const char *text)
{
    const char *end = strstr(text, "\r\n\r\n");
    const char *length = strcasestr(text, "\r\ncontent-length:");

    if (end == NULL) {
        return REQUEST_MAX;
    }
    return (size_t)(end + 4 - text) + (length != NULL && length < end ? strtoul(length + 17, NULL, 10) : 0);
}

static bool read_request(struct connection *connection)
{
    struct peer *peer = connection->peer;
    char *text = calloc(1, REQUEST_MAX + 1);
    size_t size = 0;

    must(text != NULL, "calloc");
    while (size < request_size(text)) {
        ssize_t got = -1;

        if (wait_for(connection, POLLIN)) {
            got = recv(connection->fd, text + size, REQUEST_MAX - size, 0);
        }
        if (got <= 0) {
            free(text);
            return false;
        }
        size += (size_t)got;
    }
    pthread_mutex_lock(&peer->lock);
    free(peer->last);
    peer->last = text;
    pthread_mutex_unlock(&peer->lock);
    atomic_fetch_add(&peer->requests, 1);
    if (peer->wake != NULL) {
        peer->wake(peer->user);
    }
    return true;
}

static void hang(const struct connection *connection)
{
    char byte;

    while (wait_for(connection, POLLIN) && recv(connection->fd, &byte, 1, 0) > 0) {
    }
}

static bool trickle(const struct connection *connection, const struct peer_step *step)
{
    struct pollfd stop = {.fd = connection->peer->stop, .events = POLLIN};

    for (size_t i = 0;; i = (i + 1) % strlen(step->text)) {
        if (!send_all(connection, step->text + i, 1) || poll(&stop, 1, (int)step->ms) != 0) {
            return false;
        }
    }
}

static void reset(const struct connection *connection)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    must(setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now) == 0, "setsockopt");
}

static bool play(struct connection *connection, const struct peer_step *step)
{
    switch (step->action) {
    case PEER_EXPECT:
        return read_request(connection);
    case PEER_SEND:
        return send_all(connection, step->text, step->size != 0 ? step->size : strlen(step->text));
    case PEER_TRICKLE:
        return trickle(connection, step);
    case PEER_FLOOD:
        while (send_all(connection, step->text, strlen(step->text))) {
        }
        return false;
    case PEER_RESET:
        reset(connection);
        return false;
    case PEER_HANG:
        hang(connection);
        return false;
    case PEER_IGNORE:
        (void)wait_for(connection, POLLRDHUP);
        return false;
    case PEER_AGAIN:
        return true;
    case PEER_END:
        break;
    }
    return false;
}

static void *serve(void *user)
{
    struct connection *connection = user;
    const struct peer_step *step = connection->script;

    while (play(connection, step)) {
        step = step->action == PEER_AGAIN ? connection->script : step + 1;
    }
    close(connection->fd);
    atomic_fetch_add(&connection->peer->ended, 1);
    if (connection->peer->wake != NULL) {
        connection->peer->wake(connection->peer->user);
    }
    return NULL;
}

static void *accept_all(void *user)
{
    struct peer *peer = user;
    struct pollfd fds[2] = {{.fd = peer->listener, .events = POLLIN}, {.fd = peer->stop, .events = POLLIN}};

    for (unsigned n = 0; n < CONNECTIONS_MAX; n++) {
        struct connection *connection = &peer->accepted[n];

        must(poll(fds, 2, -1) > 0, "poll");
        if (fds[1].revents != 0) {
            break;
        }
        connection->peer = peer;
        connection->script = peer->scripts[n < peer->count ? n : peer->count - 1];
        connection->fd = accept4(peer->listener, NULL, NULL, SOCK_CLOEXEC);
        must(connection->fd >= 0, "accept4");
        atomic_fetch_add(&peer->connections, 1);
        must(pthread_create(&connection->thread, NULL, serve, connection) == 0, "pthread_create");
    }
    return NULL;
}

struct peer *peer_start(const struct peer_step *const *scripts, size_t count, void (*wake)(void *user), void *user)
{
    struct peer *peer = calloc(1, sizeof *peer);

    must(peer != NULL, "calloc");
    peer->scripts = scripts;
    peer->count = count;
    peer->wake = wake;
    peer->user = user;
    peer->listener = listen_on_loopback(1024, &peer->port);
    peer->stop = eventfd(0, EFD_CLOEXEC);
    must(peer->stop >= 0, "eventfd");
    pthread_mutex_init(&peer->lock, NULL);
    must(pthread_create(&peer->thread, NULL, accept_all, peer) == 0, "pthread_create");
    return peer;
}

void peer_stop(struct peer *peer)
{
    unsigned long long one = 1;

    must(write(peer->stop, &one, sizeof one) == sizeof one, "write");
    pthread_join(peer->thread, NULL);
    for (unsigned i = 0; i < peer->connections; i++) {
        pthread_join(peer->accepted[i].thread, NULL);
    }
    close(peer->listener);
    close(peer->stop);
    pthread_mutex_destroy(&peer->lock);
    free(peer->last);
    free(peer);
}

unsigned peer_port(const struct peer *peer)
{
    return peer->port;
}

unsigned peer_requests(const struct peer *peer)
{
    return peer->requests;
}

unsigned peer_connections(const struct peer *peer)
{
    return peer->connections;
}

unsigned peer_open(const struct peer *peer)
{
    return peer->connections - peer->ended;
}

void peer_last_request(struct peer *peer, char *text, size_t size)
{
    pthread_mutex_lock(&peer->lock);
    snprintf(text, size, "%s", peer->last != NULL ? peer->last : "");
    pthread_mutex_unlock(&peer->lock);
}

unsigned peer_closed_port(int *fd)
{
    unsigned port;

    *fd = listen_on_loopback(-1, &port);
    return port;
}

unsigned peer_full_port(int fds[PEER_FULL_FDS])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    unsigned port;

    fds[0] = listen_on_loopback(0, &port);
    address.sin_port = htons((unsigned short)port);
    for (int i = 1; i < PEER_FULL_FDS; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        must(fds[i] >= 0, "socket");
        (void)connect(fds[i], (struct sockaddr *)&address, sizeof address);
    }
    return port;
}
