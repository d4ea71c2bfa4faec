/*
 * The server of all measurements, a process of its own: one thread on epoll, which costs as little as it can.
 *
 * The path says what it does: /ok/20 answers 200 after 20 ms; /third/20 as well, but every third call is answered 429
 * once. A call is known by the number in its body; the next request with that number is answered 200, so that a call
 * may be run again by the next program that is measured. Delay 0 answers at once.
 *
 * Prints its port. Ends when stdin does.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_MAX 4096u
#define EVENTS_MAX 512
#define DESCRIPTORS_MAX 65536u
#define CALLS_MAX 1048576u

static const char good[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 42\r\n\r\n"
                           "{\"status\":\"done\",\"items\":[1,2,3],\"more\":0}";
static const char limited[] = "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\n"
                              "Content-Length: 33\r\n\r\n{\"error\":\"rate limit, slow down\"}";

struct connection {
    size_t size;
    char request[REQUEST_MAX];
};

/* An answer that is not due yet. All of one run have the same delay, so that a ring in order of arrival will do. */
struct answer {
    uint64_t due_us;
    int fd;
    bool good;
};

static struct connection *connections[DESCRIPTORS_MAX];
static struct answer answers[DESCRIPTORS_MAX];
static unsigned first;
static unsigned waiting;
static uint8_t failed[CALLS_MAX / 8];
static int poller;

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void stop(const char *what)
{
    perror(what);
    exit(1);
}

static void hang_up(int fd)
{
    free(connections[fd]);
    connections[fd] = NULL;
    close(fd);
}

static void send_answer(int fd, bool is_good)
{
    const char *text = is_good ? good : limited;
    size_t size = (is_good ? sizeof good : sizeof limited) - 1;

    if (connections[fd] != NULL && send(fd, text, size, MSG_NOSIGNAL) != (ssize_t)size) {
        hang_up(fd);
    }
}

static bool is_good(const char *path, const char *body)
{
    unsigned call;
    uint8_t bit;

    if (strncmp(path, "/third/", 7) != 0) {
        return true;
    }
    call = (unsigned)strtoul(body + strcspn(body, "0123456789"), NULL, 10) % CALLS_MAX;
    if (call % 3 != 2) {
        return true;
    }
    bit = (uint8_t)(1u << call % 8);
    failed[call / 8] ^= bit;
    return (failed[call / 8] & bit) == 0;
}

static void answer(int fd, const char *path, const char *body)
{
    const char *delay = strchr(path + 1, '/');
    uint64_t delay_us = delay != NULL ? strtoull(delay + 1, NULL, 10) * 1000 : 0;
    bool with_200 = is_good(path, body);

    if (delay_us == 0) {
        send_answer(fd, with_200);
        return;
    }
    answers[(first + waiting++) % DESCRIPTORS_MAX] =
        (struct answer){.due_us = now_us() + delay_us, .fd = fd, .good = with_200};
}

static size_t body_size(const char *head)
{
    const char *line = strstr(head, "\r\n");

    while (line != NULL) {
        if (strncasecmp(line + 2, "content-length:", 15) == 0) {
            return strtoul(line + 17, NULL, 10);
        }
        line = strstr(line + 2, "\r\n");
    }
    return 0;
}

/* One request at a time: no client that is measured here sends a second one before the answer. */
static void take(int fd, struct connection *connection)
{
    char *end;
    char *body;

    connection->request[connection->size] = '\0';
    end = strstr(connection->request, "\r\n\r\n");
    if (end == NULL) {
        return;
    }
    body = end + 4;
    *end = '\0';
    if ((size_t)(connection->request + connection->size - body) < body_size(connection->request)) {
        *end = '\r';
        return;
    }
    connection->size = 0;
    answer(fd, connection->request + strcspn(connection->request, " ") + 1, body);
}

static void receive(int fd)
{
    struct connection *connection = connections[fd];
    ssize_t got = recv(fd, connection->request + connection->size, REQUEST_MAX - 1 - connection->size, 0);

    if (got <= 0) {
        if (got == 0 || errno != EAGAIN) {
            hang_up(fd);
        }
        return;
    }
    connection->size += (size_t)got;
    take(fd, connection);
}

static void watch(int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) != 0) {
        stop("epoll_ctl");
    }
}

static void accept_all(int listener)
{
    int one = 1;
    int fd;

    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        if ((unsigned)fd >= DESCRIPTORS_MAX) {
            close(fd);
            continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        connections[fd] = calloc(1, sizeof *connections[fd]);
        if (connections[fd] == NULL) {
            stop("connection");
        }
        watch(fd);
    }
}

static int listen_anywhere(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 16384) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        stop("listen");
    }
    printf("%u\n", (unsigned)ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}

/* Sends what is due; returns how long to wait for the next, in ms. */
static int send_due(void)
{
    uint64_t now = waiting > 0 ? now_us() : 0;

    while (waiting > 0 && answers[first].due_us <= now) {
        send_answer(answers[first].fd, answers[first].good);
        first = (first + 1) % DESCRIPTORS_MAX;
        waiting--;
    }
    return waiting > 0 ? (int)((answers[first].due_us - now + 999) / 1000) : -1;
}

int main(void)
{
    struct epoll_event events[EVENTS_MAX];
    int listener = listen_anywhere();

    poller = epoll_create1(EPOLL_CLOEXEC);
    watch(listener);
    watch(STDIN_FILENO);
    for (;;) {
        int count = epoll_wait(poller, events, EVENTS_MAX, send_due());

        for (int i = 0; i < count; i++) {
            if (events[i].data.fd == STDIN_FILENO) {
                return 0;
            }
            if (events[i].data.fd == listener) {
                accept_all(listener);
            } else {
                receive(events[i].data.fd);
            }
        }
    }
}
