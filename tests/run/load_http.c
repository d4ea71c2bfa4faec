/* Calls over HTTP that are all open at the same time: the server answers none before it has all. */
#include "tests/run/load.h"

#include <recourse/runner.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SPARE 256u /* descriptors for everything else */
#define SECONDS_MAX 300u
#define REQUEST_MAX 2048u

uint64_t rcs_load_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

size_t rcs_load_held(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    unsigned long kib = 0;
    char line[256];

    while (file != NULL && fgets(line, sizeof line, file) != NULL && sscanf(line, "RssAnon: %lu", &kib) != 1) {
    }
    if (file != NULL) {
        fclose(file);
    }
    return (size_t)kib << 10;
}

bool rcs_load_descriptors(unsigned calls, unsigned long *hard)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return false;
    }
    *hard = (unsigned long)limit.rlim_max;
    if (limit.rlim_cur >= calls + SPARE) {
        return true;
    }
    limit.rlim_cur = calls + SPARE;
    limit.rlim_max = limit.rlim_max > limit.rlim_cur ? limit.rlim_max : limit.rlim_cur; /* root may */
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* ---- the server, a process of its own ---- */

struct request {
    char text[REQUEST_MAX];
    size_t size;
};

struct server {
    int listener;
    int poller;
    int out;        /* says "all are here", then waits for `in` */
    int in;
    unsigned calls;
    unsigned whole; /* requests that have come as a whole */
    struct request *requests; /* by descriptor */
    int *open;
};

static void watch(const struct server *server, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    (void)epoll_ctl(server->poller, EPOLL_CTL_ADD, fd, &event);
}

/* The answer is what the request had as its body: each call has to get its own. */
static void answer_all(const struct server *server)
{
    char text[REQUEST_MAX + 128];

    for (unsigned i = 0; i < server->whole; i++) {
        const struct request *request = &server->requests[server->open[i]];
        const char *body = strstr(request->text, "\r\n\r\n") + 4;
        int size = snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body);

        (void)!send(server->open[i], text, (size_t)size, MSG_NOSIGNAL);
    }
}

static void receive(struct server *server, int fd)
{
    struct request *request = &server->requests[fd];
    ssize_t got = recv(fd, request->text + request->size, REQUEST_MAX - 1 - request->size, MSG_DONTWAIT);
    char go;

    if (got <= 0) {
        (void)epoll_ctl(server->poller, EPOLL_CTL_DEL, fd, NULL);
        return;
    }
    request->size += (size_t)got;
    request->text[request->size] = '\0';
    if (request->text[request->size - 1] != '}') {
        return;
    }
    server->open[server->whole++] = fd;
    if (server->whole == server->calls) {
        (void)!write(server->out, "a", 1);
        (void)!read(server->in, &go, 1);
        answer_all(server);
    }
}

static void serve(struct server *server)
{
    struct epoll_event events[256];
    int count;

    server->poller = epoll_create1(EPOLL_CLOEXEC);
    server->requests = calloc(server->calls + SPARE, sizeof *server->requests);
    server->open = calloc(server->calls, sizeof *server->open);
    watch(server, server->listener);
    watch(server, server->in);
    while (server->open != NULL && (count = epoll_wait(server->poller, events, 256, -1)) >= 0) {
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;

            if (fd == server->in) {
                _exit(0); /* whoever started it has gone */
            }
            if (fd != server->listener) {
                receive(server, fd);
                continue;
            }
            fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
            if (fd >= 0 && (unsigned)fd < server->calls + SPARE) {
                watch(server, fd);
            }
        }
    }
    _exit(1);
}

static bool start_server(unsigned calls, int *to, int *from, unsigned *port, pid_t *process)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    struct server server = {.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .calls = calls};
    int there[2];
    int back[2];

    if (server.listener < 0 || bind(server.listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(server.listener, 4096) != 0 || getsockname(server.listener, (struct sockaddr *)&address, &size) != 0 ||
        pipe2(there, O_CLOEXEC) != 0 || pipe2(back, O_CLOEXEC) != 0) {
        return false;
    }
    *process = fork();
    if (*process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(there[1]);
        server.in = there[0];
        server.out = back[1];
        serve(&server);
    }
    close(server.listener);
    close(there[0]);
    close(back[1]);
    *to = there[1];
    *from = back[0];
    *port = ntohs(address.sin_port);
    return *process > 0;
}

/* ---- the calls ---- */

struct load {
    struct rcs_load_figures *figures;
    unsigned calls;
};

static void on_result(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result)
{
    struct load *load = user;
    char expected[32];
    int size = snprintf(expected, sizeof expected, "{\"n\":%zu}", index);
    bool right = result->success && result->tries == 1 && result->content.size == (size_t)size &&
                 memcmp(result->content.data, expected, (size_t)size) == 0;

    (void)turn;
    load->figures->answered += right;
    load->figures->lost += !right;
    if (result->duration_ms > load->figures->longest_ms) {
        load->figures->longest_ms = (unsigned)result->duration_ms;
    }
}

static struct recourse_turn *start(struct recourse_run *run, struct load *load)
{
    struct recourse_call_request *requests = calloc(load->calls, sizeof *requests);
    char(*texts)[32] = calloc(load->calls, sizeof *texts);
    struct recourse_turn_options options = {
        .size = sizeof options, .calls = requests, .call_count = load->calls, .on_result = on_result, .user = load};
    struct recourse_error error = {RECOURSE_OK, ""};
    struct recourse_turn *turn = NULL;

    for (unsigned i = 0; requests != NULL && texts != NULL && i < load->calls; i++) {
        int size = snprintf(texts[i], sizeof texts[i], "{\"n\":%u}", i);

        requests[i] = (struct recourse_call_request){
            .id = {texts[i] + 5, (size_t)size - 6}, .name = {"tool", 4}, .arguments = {texts[i], (size_t)size}};
    }
    if (requests == NULL || texts == NULL || recourse_turn_start(run, &options, &turn, &error) != 0) {
        fprintf(stderr, "load: no turn: %s\n", error.text);
    }
    free(requests);
    free(texts);
    return turn;
}

/* Steps until all are open, measures, lets the server answer, and steps to the end. */
static bool go(struct recourse_runner *runner, struct recourse_turn *turn, struct load *load, int to, int from)
{
    size_t before = rcs_load_held();
    uint64_t began = rcs_load_now_ms();
    char all = 0;

    (void)fcntl(from, F_SETFL, O_NONBLOCK);
    while (!recourse_turn_done(turn)) {
        if (recourse_runner_step(runner, 50) != 0 || rcs_load_now_ms() - began > SECONDS_MAX * 1000) {
            fprintf(stderr, "load: the calls do not end\n");
            return false;
        }
        if (all == 0 && read(from, &all, 1) == 1) {
            load->figures->open_most = load->calls; /* the server has them all, and has answered none */
            load->figures->bytes_a_call = (rcs_load_held() - before) / load->calls;
            (void)!write(to, "g", 1);
        }
    }
    load->figures->took_ms = rcs_load_now_ms() - began;
    return true;
}

static bool run_calls(unsigned port, struct load *load, int to, int from)
{
    struct recourse_runner_options options = {
        .size = sizeof options, .policy = recourse_policy_builtin("default"), .tries_at_once = load->calls};
    char url[64];
    struct recourse_tool tool = {.size = sizeof tool, .name = "tool", .url = url, .connect_timeout_ms = SECONDS_MAX * 1000};
    struct recourse_runner *runner = NULL;
    struct recourse_turn *turn = NULL;
    struct recourse_run *run = NULL;
    bool good;

    snprintf(url, sizeof url, "http://127.0.0.1:%u/", port);
    good = recourse_port_new(NULL, &options.port, NULL) == 0 && recourse_runner_new(&options, &runner, NULL) == 0 &&
           recourse_runner_add_tool(runner, &tool, NULL) == 0 && recourse_run_new(runner, &run) == 0;
    if (good) {
        turn = start(run, load);
        good = turn != NULL && go(runner, turn, load, to, from);
        recourse_run_free(run);
    }
    if (runner != NULL) {
        recourse_runner_free(runner);
    }
    if (options.port != NULL) {
        recourse_port_free(options.port);
    }
    return good;
}

bool rcs_load_http(unsigned calls, struct rcs_load_figures *figures)
{
    struct load load = {.figures = figures, .calls = calls};
    unsigned port = 0;
    pid_t process = -1;
    int to = -1;
    int from = -1;
    bool good;

    memset(figures, 0, sizeof *figures);
    if (!start_server(calls, &to, &from, &port, &process)) {
        perror("load: no server");
        return false;
    }
    good = run_calls(port, &load, to, from);
    close(to);
    close(from);
    (void)kill(process, SIGKILL);
    (void)waitpid(process, NULL, 0);
    return good;
}
