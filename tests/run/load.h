/*
 * Many calls at once: over HTTP, all of them open at the same time; of one MCP server over standard input and output, one after the
 * other at a given pace, each executed once and answered once.
 */
#ifndef RCS_RUN_LOAD_H
#define RCS_RUN_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rcs_load_figures {
    unsigned open_most;  /* HTTP: requests that the server had at once, unanswered */
    unsigned answered;   /* calls that succeeded, each with the content that was meant for it */
    unsigned lost;       /* calls that did not */
    unsigned twice;      /* stdio: numbers that two answers had */
    unsigned longest_ms; /* a call took so long */
    size_t bytes_a_call; /* HTTP: what the process holds more while all are open */
    uint64_t took_ms;
};

/* What one call that is open over HTTP may take of memory, of which most is libcurl's: as README says. */
#define RCS_LOAD_CALL_BYTES 32768u

/* Raises the soft limit of descriptors so far that `calls` can be open. False: the hard one is too low, `*hard` is it. */
bool rcs_load_descriptors(unsigned calls, unsigned long *hard);
/* Forks its server, so nothing may run yet that minds: `calls` are begun, and answered once all are there. False: it could
   not be done, a line on stderr says why. */
bool rcs_load_http(unsigned calls, struct rcs_load_figures *figures);
/* `calls` of a server's tool, `a_second` of them (0: as fast as they go). `server`: the program. Likewise. */
bool rcs_load_stdio(const char *server, unsigned calls, unsigned a_second, struct rcs_load_figures *figures);
/* Milliseconds of CLOCK_MONOTONIC. */
uint64_t rcs_load_now_ms(void);
/* Bytes of this process that no file backs. */
size_t rcs_load_held(void);
/* The path of build/mcp-server, for a program two folders below its own. */
void rcs_load_find_server(char *path, size_t size);

#endif
