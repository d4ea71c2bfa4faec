/*
 * Kept connections on which a server says something that nobody has asked for: it is nobody's answer. Which request an answer
 * belongs to is known by their order alone.
 */
#include <recourse/runner.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#define ANSWER(body, size) "HTTP/1.1 200 OK\r\nContent-Length: " size "\r\n\r\n" body
#define STALE ANSWER("stale", "5")

/* What a server does on its first connection; on the others it answers "second". */
static const struct {
    const char *first; /* the answer to the first request, with what comes at once behind it */
    const char *later; /* what comes when the first answer has been read; NULL: nothing */
    bool closes;       /* afterwards */
} cases[] = {
    {ANSWER("first", "5"), NULL, false},
    {ANSWER("first", "5") STALE, NULL, false},
    {ANSWER("first", "5") "HTTP/1.1 200 OK\r\nContent-Le", NULL, false},
    {ANSWER("first", "5"), STALE, false},
    {ANSWER("first", "5"), STALE, true},
    {ANSWER("first", "5"), "HTTP/1.1 200 OK\r\nContent-Le", false},
    {ANSWER("first", "5"), "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", true},
    {ANSWER("first", "5"), "\r\n", false},
};

struct server {
    size_t index; /* of its case */
    int listener;
    unsigned port;
    pthread_t thread;
    sem_t go;
    sem_t said;
    atomic_uint requests;
};

static bool read_request(int fd)
{
    char text[4096];
    size_t size = 0;
    ssize_t got;

    while ((got = recv(fd, text + size, sizeof text - 1 - size, 0)) > 0) {
        size += (size_t)got;
        text[size] = '\0';
        if (strstr(text, "\r\n\r\n{}") != NULL) {
            return true;
        }
    }
    return false;
}

static void say(int fd, const char *text)
{
    (void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
}

static void serve_first(struct server *server, int fd)
{
    if (!read_request(fd)) {
        return;
    }
    server->requests++;
    say(fd, cases[server->index].first);
    while (sem_wait(&server->go) != 0) {
    }
    if (cases[server->index].later != NULL) {
        say(fd, cases[server->index].later);
    }
    if (cases[server->index].closes) {
        shutdown(fd, SHUT_WR);
    }
    sem_post(&server->said);
    if (read_request(fd)) {
        server->requests++;
        say(fd, ANSWER("second", "6"));
    }
}

static void *serve(void *user)
{
    struct server *server = user;
    bool first = true;
    int fd;

    while ((fd = accept(server->listener, NULL, NULL)) >= 0) {
        if (first) {
            serve_first(server, fd);
        } else if (read_request(fd)) {
            server->requests++;
            say(fd, ANSWER("second", "6"));
        }
        first = false;
        close(fd);
    }
    return NULL;
}

static void open_server(struct server *server, size_t index)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    *server = (struct server){.index = index, .listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    CU_ASSERT_TRUE_FATAL(server->listener >= 0);
    RCS_EQUAL(bind(server->listener, (struct sockaddr *)&address, sizeof address), 0);
    RCS_EQUAL(listen(server->listener, 8), 0);
    RCS_EQUAL(getsockname(server->listener, (struct sockaddr *)&address, &size), 0);
    server->port = ntohs(address.sin_port);
    sem_init(&server->go, 0, 0);
    sem_init(&server->said, 0, 0);
    RCS_EQUAL(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void close_server(struct server *server)
{
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->listener);
    sem_destroy(&server->go);
    sem_destroy(&server->said);
}

static const struct recourse_result *call(struct recourse_runner *runner, struct recourse_run *run, struct recourse_turn **turn)
{
    const struct recourse_call_request request = {.id = {"c", 1}, .name = {"tool", 4}, .arguments = {"{}", 2}};
    const struct recourse_turn_options options = {.size = sizeof options, .calls = &request, .call_count = 1};

    RCS_EQUAL(recourse_turn_start(run, &options, turn, NULL), 0);
    for (unsigned steps = 0; steps < 1000 && !recourse_turn_done(*turn); steps++) {
        RCS_EQUAL(recourse_runner_step(runner, 1000), 0);
    }
    CU_ASSERT_TRUE_FATAL(recourse_turn_done(*turn));
    return recourse_turn_result(*turn, 0);
}

static void run_case(struct recourse_runner *runner, struct server *server)
{
    struct recourse_run *run = NULL;
    struct recourse_turn *turn = NULL;
    const struct recourse_result *result;
    char what[64];
    char text[64];

    RCS_EQUAL(recourse_run_new(runner, &run), 0);
    result = call(runner, run, &turn);
    snprintf(what, sizeof what, "case %zu", server->index);
    snprintf(text, sizeof text, "%.*s", (int)result->content.size, result->content.data);
    rcs_unit_text_equal(text, "first", what, __FILE__, __LINE__);
    recourse_turn_free(turn);
    sem_post(&server->go);
    while (sem_wait(&server->said) != 0) {
    }
    result = call(runner, run, &turn);
    snprintf(text, sizeof text, "%.*s", (int)result->content.size, result->content.data);
    rcs_unit_text_equal(text, "second", what, __FILE__, __LINE__);
    rcs_unit_equal(server->requests, 2, what, __FILE__, __LINE__); /* however often it was tried: the first reached nobody */
    recourse_turn_free(turn);
    recourse_run_free(run);
}

static void test_kept(void)
{
    struct recourse_runner_options options = {.size = sizeof options, .policy = recourse_policy_builtin("default")};
    struct recourse_tool tool = {.size = sizeof tool, .name = "tool", .timeout_ms = 20000};

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_runner *runner = NULL;
        struct server server;
        char url[64];

        open_server(&server, i);
        snprintf(url, sizeof url, "http://127.0.0.1:%u/", server.port);
        tool.url = url;
        RCS_EQUAL(recourse_port_new(NULL, &options.port, NULL), 0);
        RCS_EQUAL(recourse_runner_new(&options, &runner, NULL), 0);
        RCS_EQUAL(recourse_runner_add_tool(runner, &tool, NULL), 0);
        run_case(runner, &server);
        recourse_runner_free(runner);
        recourse_port_free(options.port);
        close_server(&server);
    }
}

int main(void)
{
    static const struct rcs_test tests[] = {{"nobody's answers on kept connections", test_kept}};

    return rcs_unit_main_with_port("kept", tests, RCS_COUNT(tests));
}
