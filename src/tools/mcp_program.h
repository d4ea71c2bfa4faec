/* Between mcp_stdio.c, which posts messages, and mcp_program.c, the processes that they are posted to. */
#ifndef RCS_MCP_PROGRAM_H
#define RCS_MCP_PROGRAM_H

#include "src/tools/mcp.h"
#include "src/tools/mcp_lines.h"

/* A message on its way, or a request that waits for its answer. */
struct rcs_mcp_posted {
    struct rcs_mcp_posted *next;
    struct rcs_mcp_posted *previous;
    struct rcs_mcp_program *program;
    struct rcs_buffer body; /* with its newline; empty once it was written */
    size_t sent;
    size_t reserved; /* of the runner's bound */
    int64_t id;      /* 0: nobody waits for it */
    bool begun;      /* see rcs_mcp_reply */
    struct rcs_timer idle; /* nothing was seen of it for so long */
    uint64_t generation;
    void (*done)(void *user, const struct rcs_mcp_reply *reply);
    void *user;
};

/* A process of a server. */
struct rcs_mcp_program {
    struct rcs_mcp_program *next;
    struct rcs_mcp_program *previous;
    struct rcs_mcp_server *server;
    struct recourse_process *process;
    struct recourse_process_request request;
    struct rcs_mcp_lines lines;
    struct rcs_claim claim; /* the line that is coming, and the bytes that there is leave to read */
    struct rcs_mcp_posted *first; /* in the order in which they were posted */
    struct rcs_mcp_posted *last;
    struct rcs_mcp_posted *unsent; /* the first one that isn't written to its end; all behind it aren't either */
    size_t loose_count;
    unsigned notes;
    unsigned skipped; /* lines that were no messages */
    unsigned depth; /* of callbacks that use it */
    bool greeted;   /* it has answered something */
    bool over;      /* it is freed when the callbacks have returned */
};

/* ---- mcp_stdio.c ---- */

/* Its end, for nobody. */
void rcs_mcp_posted_drop(struct rcs_mcp_posted *message);
/* Its end, for whoever waits. */
void rcs_mcp_posted_answer(struct rcs_mcp_posted *message, const struct rcs_mcp_reply *reply);
/* It was seen at work: its read timeout counts from now. */
void rcs_mcp_posted_touch(struct rcs_mcp_posted *message);
bool rcs_mcp_posted_is_handshake(const struct rcs_mcp_posted *message);
/* Writes what can be written. */
void rcs_mcp_program_pump(struct rcs_mcp_program *program);

/* ---- mcp_program.c ---- */

/* The server's process. Errors: those of process_start. */
RECOURSE_MUST_USE int rcs_mcp_program_start(struct rcs_mcp_server *server, struct rcs_mcp_program **program);
/* Ends it, and nothing more is sent to it. What is in flight learns of it when it has gone. */
void rcs_mcp_program_hang_up(struct rcs_mcp_program *program);
/* Whether what it writes is not read now, for want of room. */
bool rcs_mcp_program_waits(const struct rcs_mcp_program *program);
/* The same, and nobody is told of its end. It is gone, unless one of its callbacks runs: then it goes after that. */
void rcs_mcp_program_abandon(struct rcs_mcp_program *program);

#endif
