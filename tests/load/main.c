/* `make load`: 10,000 calls over HTTP open at once, and 1,000 messages a second to one program for a minute, none lost. */
#include <recourse/port.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/run/load.h"

static bool http(unsigned calls)
{
    struct rcs_load_figures figures;
    unsigned long hard = 0;

    if (!rcs_load_descriptors(calls, &hard)) {
        printf("http: left out: %u calls want %u descriptors, and the hard limit is %lu (ulimit -Hn)\n", calls, calls + 256, hard);
        return true;
    }
    if (!rcs_load_http(calls, &figures)) {
        return false;
    }
    printf("http: %u calls open at once, %u answered, %u lost, %zu bytes each (at most %u), %llu ms\n", figures.open_most,
           figures.answered, figures.lost, figures.bytes_a_call, RCS_LOAD_CALL_BYTES, (unsigned long long)figures.took_ms);
    return figures.open_most == calls && figures.answered == calls && figures.bytes_a_call <= RCS_LOAD_CALL_BYTES;
}

static bool stdio(unsigned seconds, unsigned a_second)
{
    struct rcs_load_figures figures;
    unsigned calls = seconds * a_second;
    char server[4096];

    rcs_load_find_server(server, sizeof server);
    if (!rcs_load_stdio(server, calls, a_second, &figures)) {
        return false;
    }
    printf("stdio: %u messages, %u a second for %u s: %u answered, %u lost, %u twice; the slowest took %u ms\n", calls, a_second,
           seconds, figures.answered, figures.lost, figures.twice, figures.longest_ms);
    return figures.answered == calls && figures.twice == 0;
}

int main(int count, char **arguments)
{
    unsigned calls = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 10000;
    unsigned seconds = count > 2 ? (unsigned)strtoul(arguments[2], NULL, 10) : 60;
    unsigned a_second = count > 3 ? (unsigned)strtoul(arguments[3], NULL, 10) : 1000;
    bool good;

    if (count > 4 || calls == 0 || seconds == 0 || a_second == 0) {
        fputs("usage: load [CALLS [SECONDS [A-SECOND]]]\n", stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (recourse_global_init() != 0) {
        return 1;
    }
    good = http(calls);
    good = stdio(seconds, a_second) && good;
    recourse_global_cleanup();
    return good ? 0 : 1;
}
