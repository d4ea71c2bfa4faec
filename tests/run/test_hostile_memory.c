/*
 * What this process holds while servers send as much as they can: within the runner's bound, and a little for each exchange under
 * way. The system says how much, so that libcurl's and zlib's part is in it; the servers are in another process.
 */
#include <recourse/runner.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/run/bomb.h"
#include "tests/run/load.h"
#include "tests/server/faulty.h"
#include "tests/unit/unit.h"

#define CALLS 64u
#define MEMORY_MAX ((size_t)8 << 20)
#define BODY_MAX ((size_t)1 << 20)
#define EXCHANGE ((size_t)64 << 10) /* one, with what libcurl needs for it */
#define SCRIPT_MAX 8192u

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEASURES false /* what is freed stays there for a while */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MEASURES false
#endif
#endif
#ifndef MEASURES
#define MEASURES true
#endif

static const struct {
    const char *path;
    const char *script; /* NULL: gzip without end */
    size_t more;        /* that each exchange may have besides */
} servers[] = {
    {"/body", "raw='HTTP/1.1 200 OK\\r\\n\\r\\n' endless='xxxxxxxxxxxxxxxx'", 0},
    {"/chunks", "raw='HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n' endless='1\\r\\nx\\r\\n'", 0},
    {"/extension", "raw='HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n5;' endless='xxxxxxxxxxxxxxxx'", 0},
    {"/header", "raw='HTTP/1.1 200 OK\\r\\n' endless='a: b\\r\\n'", 0},
    {"/long", "raw='HTTP/1.1 200 OK\\r\\na: ' endless='bbbbbbbbbbbbbbbb'", 0},
    {"/lines", "raw='HTTP/1.1 200 OK\\r\\na:b\\r\\na:b\\r\\na:b\\r\\na:b\\r\\na:b\\r\\na:b\\r\\na:b\\r\\na:b\\r\\n' hang=after", 0},
    {"/interim", "raw='' endless='HTTP/1.1 103 Early Hints\\r\\nLink: </x>\\r\\n\\r\\n'", 0},
    {"/trailers", "raw='HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n' endless='a: b\\r\\n'", 0},
    {"/claims", "200 body=x length=1000000 hang=after", 0},
    {"/gzip", NULL, (size_t)512 << 10}, /* 2 KiB of it, decoded, while it waits for room */
    {"/zstd", "raw='HTTP/1.1 200 OK\\r\\nContent-Encoding: zstd\\r\\n\\r\\n\\x28\\xb5\\x2f\\xfd\\x00\\x88' endless='\\x02\\x00\\x10x'", 0},
};

/* In a process of its own, until the end of its input. */
static void serve(int in, int out)
{
    struct rcs_faulty *server = rcs_faulty_new();
    char script[SCRIPT_MAX];
    char why[128];
    struct rcs_bomb bomb;
    unsigned port = 0;

    rcs_bomb_gzip(&bomb, 1, 0);
    rcs_bomb_words(&bomb, "HTTP/1.1 200 OK\\r\\nContent-Encoding: gzip\\r\\n\\r\\n", script, sizeof script);
    for (size_t i = 0; server != NULL && i < RCS_COUNT(servers); i++) {
        if (!rcs_faulty_script(server, servers[i].path, servers[i].script != NULL ? servers[i].script : script, why, sizeof why)) {
            fprintf(stderr, "%s: %s\n", servers[i].path, why);
            _exit(1);
        }
    }
    if (server != NULL && rcs_faulty_start(server) == 0) {
        port = rcs_faulty_port(server);
    }
    (void)!write(out, &port, sizeof port);
    (void)!read(in, script, 1);
    _exit(0);
}

static int server_input;
static pid_t server_process;

static unsigned start_server(void)
{
    int to[2];
    int from[2];
    unsigned port = 0;

    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
        return 0;
    }
    server_process = fork();
    if (server_process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(to[1]);
        serve(to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    server_input = to[1];
    if (read(from[0], &port, sizeof port) != (ssize_t)sizeof port) {
        port = 0;
    }
    close(from[0]);
    return port;
}

static void stop_server(void)
{
    close(server_input);
    (void)waitpid(server_process, NULL, 0);
}

static size_t most; /* held at any time */

static struct recourse_turn *call_all(struct recourse_runner *runner, struct recourse_run *run, unsigned count)
{
    static char ids[CALLS][8];
    struct recourse_call_request calls[CALLS];
    const struct recourse_turn_options options = {.size = sizeof options, .calls = calls, .call_count = count};
    struct recourse_turn *turn = NULL;

    for (size_t i = 0; i < count; i++) {
        int size = snprintf(ids[i], sizeof ids[i], "%zu", i);

        calls[i] = (struct recourse_call_request){.id = {ids[i], (size_t)size}, .name = {"tool", 4}, .arguments = {"{}", 2}};
    }
    RCS_EQUAL(recourse_turn_start(run, &options, &turn, NULL), 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(turn);
    for (unsigned steps = 0; steps < 1000000 && !recourse_turn_done(turn); steps++) {
        size_t now = rcs_load_held();

        most = now > most ? now : most;
        CU_ASSERT_TRUE_FATAL(recourse_runner_step(runner, 20) == 0);
    }
    CU_ASSERT_TRUE_FATAL(recourse_turn_done(turn));
    return turn;
}

static void run_server(unsigned port, size_t index)
{
    struct recourse_runner_options options = {.size = sizeof options, .policy = recourse_policy_builtin("default"),
                                              .memory_max = MEMORY_MAX, .body_max = BODY_MAX};
    struct recourse_tool tool = {.size = sizeof tool, .name = "tool", .timeout_ms = 500};
    struct recourse_runner *runner = NULL;
    struct recourse_run *run = NULL;
    struct recourse_turn *turn;
    /* Buffers that grow are twice as large as what is in them, at most. */
    size_t bound = 2 * (MEMORY_MAX + BODY_MAX) + CALLS * (EXCHANGE + servers[index].more);
    size_t before;
    char url[96];
    size_t failed = 0;

    snprintf(url, sizeof url, "http://127.0.0.1:%u%s", port, servers[index].path);
    tool.url = url;
    RCS_EQUAL(recourse_port_new(NULL, &options.port, NULL), 0);
    RCS_EQUAL(recourse_runner_new(&options, &runner, NULL), 0);
    RCS_EQUAL(recourse_runner_add_tool(runner, &tool, NULL), 0);
    RCS_EQUAL(recourse_run_new(runner, &run), 0);
    before = rcs_load_held();
    most = before;
    turn = call_all(runner, run, CALLS);
    for (size_t i = 0; i < CALLS; i++) {
        failed += !recourse_turn_result(turn, i)->success;
    }
    rcs_unit_equal((long long)failed, CALLS, servers[index].path, __FILE__, __LINE__);
    printf("    %-10s %zu KiB for %u calls at once\n", servers[index].path, (most - before) >> 10, CALLS);
    if (MEASURES && most - before > bound) {
        rcs_unit_equal((long long)(most - before), (long long)bound, servers[index].path, __FILE__, __LINE__);
    }
    recourse_turn_free(turn);
    recourse_run_free(run);
    recourse_runner_free(runner);
    recourse_port_free(options.port);
}

static unsigned server_port;

static void test_memory(void)
{
    CU_ASSERT_TRUE_FATAL(server_port > 0);
    for (size_t i = 0; i < RCS_COUNT(servers); i++) {
        run_server(server_port, i);
    }
}

int main(void)
{
    static const struct rcs_test tests[] = {{"memory while servers flood", test_memory}};
    int status;

    server_port = start_server(); /* before there are threads */
    status = rcs_unit_main_with_port("hostile_memory", tests, RCS_COUNT(tests));
    stop_server();
    return status;
}
