/* The scripted MCP server as a process on pipes. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/mcp_kit.h"

struct process {
    pid_t pid;
    int in; /* its stdin */
    int out;
    int err;
};

/* The program stands two folders above this test. */
static void program_path(char *path, size_t size)
{
    ssize_t got = readlink("/proc/self/exe", path, size - 1);

    CU_ASSERT_FATAL(got > 0);
    path[got] = '\0';
    for (int i = 0; i < 3; i++) {
        *strrchr(path, '/') = '\0';
    }
    strcat(path, "/mcp-server");
}

static struct process start(const char *const *words)
{
    char path[4096];
    const char *argv[16] = {path};
    struct process process;
    int in[2], out[2], err[2];

    program_path(path, sizeof path - 16);
    for (size_t i = 0; words[i] != NULL; i++) {
        argv[i + 1] = words[i];
    }
    CU_ASSERT_FATAL(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
    process = (struct process){.pid = fork(), .in = in[1], .out = out[0], .err = err[0]};
    CU_ASSERT_FATAL(process.pid >= 0);
    if (process.pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        execv(path, (char *const *)(uintptr_t)argv);
        _exit(99);
    }
    close(in[0]);
    close(out[1]);
    close(err[1]);
    return process;
}
#define START(...) start((const char *const[]){__VA_ARGS__, NULL})

static void tell(const struct process *process, const char *line)
{
    RCS_EQUAL(write(process->in, line, strlen(line)), strlen(line));
    RCS_EQUAL(write(process->in, "\n", 1), 1);
}

/* Reads up to the end, or so many lines. */
static void read_lines(int fd, char *text, size_t lines)
{
    size_t got = 0;

    while (lines > 0 && got < TEXT_MAX - 1 && read(fd, text + got, 1) == 1) {
        lines -= text[got++] == '\n';
    }
    text[got] = '\0';
}

/* Waits for the end. Returns the exit status, or the signal as a negative number. */
static int finish(struct process *process)
{
    int status;

    if (process->in >= 0) {
        close(process->in);
    }
    RCS_EQUAL(waitpid(process->pid, &status, 0), process->pid);
    close(process->out);
    close(process->err);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_stdio(void)
{
    struct process process = START("t", "text=x", "deaf", "hang=before", "slow", "pause=30 text=slow", "@server",
                                   "greeting='not JSON\\n\\xff\\xfe\\n' stderr='noise\\n'");
    char text[TEXT_MAX];

    read_lines(process.out, text, 2);
    RCS_TEXT_EQUAL(text, "not JSON\n\xff\xfe\n");
    read_lines(process.err, text, 1);
    RCS_TEXT_EQUAL(text, "noise\n");
    tell(&process, INITIALIZE("2025-03-26"));
    read_lines(process.out, text, 1);
    has(text, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-03-26\",");
    /* neither what is no message nor a notification is answered, nor what never comes; a slow answer comes later */
    tell(&process, "not a message");
    tell(&process, "[]");
    tell(&process, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    tell(&process, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"deaf\"}}");
    tell(&process, "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"slow\"}}");
    tell(&process, CALL);
    read_lines(process.out, text, 2);
    RCS_TEXT_EQUAL(text, FOUND "\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"slow\"}]}}\n");
    RCS_EQUAL(finish(&process), 0);
}

static const struct {
    const char *script;
    const char *out; /* all that comes */
    const char *err;
    int end;
} ends[] = {
    {"exit=3", "", "", 3},
    {"answer exit=0 text=x", FOUND "\n", "", 0},
    {"stderr='oops\\n' kill", "", "oops\n", -SIGKILL},
    {"close=before", "", "", 1},
    {"body=1234567 close=middle", "1234", "", 1},
    {"text=x close=after", FOUND "\n", "", 1},
    {"bytes='{\"half' exit=1", "{\"half", "", 1},
    {"notify=n bytes='\\xff\\n' bytes='[DONE]\\n' answer exit=0 text=x",
     "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}\n\xff\n[DONE]\n" FOUND "\n", "", 0},
    {"raw='garbage\\n' close=after", "garbage\n", "", 1},
    {"text=x trickle=1 close=10", "{\"jsonrpc\"", "", 1},
};

static void test_ends(void)
{
    for (size_t i = 0; i < RCS_COUNT(ends); i++) {
        struct process process = START("t", ends[i].script);
        char text[TEXT_MAX];
        tell(&process, CALL);
        read_lines(process.out, text, SIZE_MAX);
        RCS_TEXT_EQUAL(text, ends[i].out);
        read_lines(process.err, text, SIZE_MAX);
        RCS_TEXT_EQUAL(text, ends[i].err);
        RCS_EQUAL(finish(&process), ends[i].end);
    }
}

static void test_ask_over_stdio(void)
{
    struct process process = START("t", "ask=sampling/createMessage await text=x");
    char text[TEXT_MAX];

    tell(&process, CALL);
    read_lines(process.out, text, 1);
    RCS_TEXT_EQUAL(text, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"sampling/createMessage\",\"params\":{}}\n");
    tell(&process, METHOD("9", "ping"));
    read_lines(process.out, text, 1);
    RCS_TEXT_EQUAL(text, "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n");
    tell(&process, "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32601,\"message\":\"no\"}}");
    read_lines(process.out, text, 1);
    RCS_TEXT_EQUAL(text, FOUND "\n");
    RCS_EQUAL(finish(&process), 0);
}

/* A server that takes no hint goes on after the end of its input and after SIGTERM: only SIGKILL is left. */
static void test_stubborn(void)
{
    struct process process = START("@server", "ignore-eof ignore-term greeting='up\\n'");
    char text[TEXT_MAX];

    read_lines(process.out, text, 1);
    close(process.in);
    process.in = -1;
    kill(process.pid, SIGTERM);
    RCS_EQUAL(waitpid(process.pid, NULL, WNOHANG), 0);
    kill(process.pid, SIGKILL);
    RCS_EQUAL(finish(&process), -SIGKILL);
    process = START("@server", "ignore-eof greeting='up\\n'");
    read_lines(process.out, text, 1);
    close(process.in);
    process.in = -1;
    kill(process.pid, SIGTERM);
    RCS_EQUAL(finish(&process), -SIGTERM);
}

static void test_program(void)
{
    static const struct {
        const char *words[4];
        const char *err;
    } cases[] = {
        {{"t", NULL}, "mcp-server: t has no script: mcp-server --help\n"},
        {{"--what", NULL}, "mcp-server: --what is no option: mcp-server --help\n"},
        {{"t", "what", NULL}, "mcp-server: t: no such word, or with a value where it has none, or without, near `what`\n"},
    };
    char path[] = P_tmpdir "/mcp-log-XXXXXX";
    struct process process;
    char text[TEXT_MAX];
    int fd = mkstemp(path);

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        process = start(cases[i].words);
        read_lines(process.err, text, SIZE_MAX);
        RCS_TEXT_EQUAL(text, cases[i].err);
        RCS_EQUAL(finish(&process), 1);
    }
    process = START("--log", path, "t", "text=x");
    tell(&process, CALL);
    read_lines(process.out, text, 1);
    RCS_EQUAL(finish(&process), 0);
    read_lines(fd, text, SIZE_MAX);
    has(text, "\"mcp\":{\"status\":0,\"runs\":1,\"method\":\"tools/call\",\"id\":\"7\",\"tool\":\"t\",");
    has(text, "\"body\":\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":7,");
    close(fd);
    unlink(path);
    process = START("--http", "t", "text=x", "/x", "200 body=plain");
    read_lines(process.out, text, 1);
    CU_ASSERT_TRUE(strtoul(text, NULL, 10) > 1023);
    RCS_EQUAL(finish(&process), 0);
    process = START("--help");
    read_lines(process.out, text, 1);
    RCS_TEXT_EQUAL(text, "usage: mcp-server [--http] [--log FILE] [WHAT SCRIPT]...\n");
    RCS_EQUAL(finish(&process), 0);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"stdio", test_stdio},
        {"how a process ends", test_ends},
        {"what it asks over stdio", test_ask_over_stdio},
        {"a process that won't end", test_stubborn},
        {"the program", test_program},
    };

    signal(SIGPIPE, SIG_IGN);
    return rcs_unit_main("mcp_server_stdio", tests, RCS_COUNT(tests));
}
