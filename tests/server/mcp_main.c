/* mcp-server: MCP over stdio, or over HTTP until stdin ends. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/server/mcp.h"

static const char usage[] =
    "usage: mcp-server [--http] [--log FILE] [WHAT SCRIPT]...\n\n"
    "Speaks MCP on stdin and stdout; with --http at /mcp on a port of 127.0.0.1, which it prints, until stdin ends.\n"
    "WHAT is a tool, `@METHOD`, or one of @server @GET @resume @DELETE @response; with --http also a path, /PATH.\n"
    "What a SCRIPT may say stands in tests/server/README.md. --log FILE (stdio): a line of JSON for each message;\n"
    "over HTTP, GET /_log has that. For example:\n\n"
    "  mcp-server search \"text='three documents'\" broken \"exit=1\"\n"
    "  mcp-server --http @server session search \"429 header='Retry-After: 1' | prime text=found cut\"\n";

static bool set_all(struct rcs_mcp *mcp, struct rcs_faulty *http, int count, char **words)
{
    char why[256];

    for (int i = 0; i + 1 < count; i += 2) {
        bool is_path = http != NULL && words[i][0] == '/';
        bool set = is_path ? rcs_faulty_script(http, words[i], words[i + 1], why, sizeof why)
                           : rcs_mcp_script(mcp, words[i], words[i + 1], why, sizeof why);
        if (!set) {
            fprintf(stderr, "mcp-server: %s: %s\n", words[i], why);
            return false;
        }
    }
    if (count % 2 != 0) {
        fprintf(stderr, "mcp-server: %s has no script: mcp-server --help\n", words[count - 1]);
    }
    return count % 2 == 0;
}

static int serve_http(struct rcs_faulty *http)
{
    char block[256];

    if (rcs_faulty_start(http) != 0) {
        return 1;
    }
    printf("%u\n", rcs_faulty_port(http));
    fflush(stdout);
    while (read(STDIN_FILENO, block, sizeof block) > 0) {
    }
    return 0;
}

int main(int argc, char **argv)
{
    bool over_http = false;
    int log_fd = -1;
    struct rcs_faulty *http;
    struct rcs_mcp *mcp;
    int at = 1;
    int status = 1;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strcmp(argv[at], "--http") == 0) {
            over_http = true;
        } else if (strcmp(argv[at], "--log") == 0 && at + 1 < argc) {
            log_fd = open(argv[++at], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        } else {
            fprintf(stderr, "mcp-server: %s is no option: mcp-server --help\n", argv[at]);
            return 1;
        }
    }
    http = over_http ? rcs_faulty_new() : NULL;
    if (over_http && http == NULL) {
        perror("mcp-server: no port");
        return 1;
    }
    mcp = rcs_mcp_new(http, "/mcp");
    if (set_all(mcp, http, argc - at, argv + at)) {
        status = over_http ? serve_http(http) : rcs_mcp_stdio(mcp, log_fd);
    }
    rcs_mcp_free(mcp);
    rcs_faulty_free(http);
    return status;
}
