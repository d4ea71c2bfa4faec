/* Tools of an MCP server, beside the official TypeScript SDK's client. */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_SIZE 512
#define PATH_MAX_SIZE 512

/* What is in the folder that the bench is built into a part of. */
static char server[PATH_MAX_SIZE];
static char modules[PATH_MAX_SIZE];
static char node[PATH_MAX_SIZE];
static char runner[PATH_MAX_SIZE];

struct load {
    const char *name;
    bool over_http;
    const char *at_once;
    const char *calls;
    const char *warm_up;
};

struct measured {
    struct samples wall;
    struct samples cpu;
    struct samples peak;
};

static bool find_all(void)
{
    char *whole = realpath(built(), NULL);
    const char *const probe[] = {node, "-e", "require('module').createRequire(process.argv[1] + '/package.json')"
                                 ".resolve('@modelcontextprotocol/client')", modules, NULL};
    const char *const quiet[] = {"sh", "-c", "[ -x \"$0\" ] && exec \"$0\" \"$@\" 2>/dev/null", probe[0], probe[1], probe[2],
                                 probe[3], NULL};
    char line[LINE_MAX_SIZE];

    if (whole == NULL) {
        bench_fail("no folder %s", built());
    }
    snprintf(runner, sizeof runner, "%s/runner", whole);
    snprintf(server, sizeof server, "%s/../mcp-server", whole);
    snprintf(modules, sizeof modules, "%s/../interop", whole);
    snprintf(node, sizeof node, "%s/../interop/node_modules/.bin/node", whole);
    free(whole);
    setenv("BENCH_MCP_MODULES", modules, 1);
    return run_program(quiet, line, sizeof line);
}

static void measure(const char *const *program, const struct load *load, struct measured *measured)
{
    const char *arguments[8];
    size_t count = 0;
    double calls = strtod(load->calls, NULL);
    char line[LINE_MAX_SIZE];

    for (; program[count] != NULL; count++) {
        arguments[count] = program[count];
    }
    arguments[count++] = load->over_http ? server_url("/mcp") : server;
    arguments[count++] = load->at_once;
    arguments[count++] = load->calls;
    arguments[count++] = load->warm_up;
    arguments[count] = NULL;
    if (!run_program(arguments, line, sizeof line)) {
        bench_fail("%s has failed: '%s'", program[0], line);
    }
    samples_add(&measured->wall, value_of(line, "wall_us") / calls);
    samples_add(&measured->cpu, value_of(line, "cpu_us") / calls);
    samples_add(&measured->peak, value_of(line, "peak_kb") / 1024);
}

/* The two take turns in going first. */
static void compare(const struct load *load, bool peer_there)
{
    static const char *const ours_program[] = {runner, NULL};
    static const char *const peer_program[] = {node, "--no-warnings", "tests/bench/peer_mcp.mjs", NULL};
    const char *const http_server[] = {server, "--http", "lookup", "text=found", NULL};
    struct measured ours = {.wall.count = 0};
    struct measured peer = {.wall.count = 0};
    const struct {
        const char *what;
        const char *unit;
        const struct samples *ours;
        const struct samples *peer;
        double limit;
    } rows[] = {
        {"time of a call", "us", &ours.wall, &peer.wall, 1},
        {"CPU of a call", "us", &ours.cpu, &peer.cpu, 0.2},
        {"memory of the whole process", "MiB", &ours.peak, &peer.peak, 0.1},
    };

    for (unsigned i = 0; i < 2 * rounds(); i++) {
        bool is_peer = (i % 4 == 1) || (i % 4 == 2);

        if (is_peer && !peer_there) {
            continue;
        }
        if (load->over_http) {
            server_start_program(http_server); /* a new one each time: its log grows */
        }
        measure(is_peer ? peer_program : ours_program, load, is_peer ? &peer : &ours);
        server_stop();
    }
    table_title("mcp: a tool of an MCP server that answers at once, over %s", load->name);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        table_row(&(struct row){rows[i].what, rows[i].unit, rows[i].ours, peer_there ? "TypeScript SDK" : NULL,
                                peer_there ? rows[i].peer : NULL, peer_there ? rows[i].limit : 0});
    }
}

void part_mcp(void)
{
    static const struct load loads[] = {
        {"stdio, 1 at once", false, "1", "2000", "500"},
        {"stdio, 64 at once", false, "64", "6000", "1500"},
        {"HTTP, 1 at once", true, "1", "2000", "500"},
        {"HTTP, 64 at once", true, "64", "6000", "1500"},
    };
    bool peer_there = find_all();

    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        compare(&loads[i], peer_there);
    }
    if (!peer_there) {
        table_note("the TypeScript SDK is not there, and left out: see make interop-deps");
    }
}
