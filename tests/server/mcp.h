/*
 * An MCP server (2025-03-26 to 2025-11-25, or 2026-07-28) that fails as it is told to. Over streamable HTTP it is a guest
 * of the faulty server: one path of it is MCP, the others stay what they are. Over stdio it is the program `mcp-server`.
 *
 * Each tool has a script, in the words of faulty.h and of tests/server/README.md; so has each method, as `@METHOD`, and each
 * exchange that is none: `@GET` (the stream for what the server asks by itself), `@resume` (a GET with Last-Event-ID),
 * `@DELETE`, `@response` (what a client answers to the server). The settings are the script `@server`. For example:
 *
 *   "@server"  session expire=3
 *   "search"   429 header="Retry-After: 1" | prime text="three documents" cut
 *
 * What has no script is answered as a good server would: `initialize`, `ping`, `tools/list`, notifications.
 */
#ifndef RCS_MCP_H
#define RCS_MCP_H

#include "tests/server/faulty.h"

struct rcs_mcp;

/* One message as it came, or a GET or DELETE. Lives until the server is reset or freed. Strings are NUL-terminated; "" is what
   was not there. */
struct rcs_mcp_seen {
    unsigned connection; /* as in faulty.h; 0 over stdio */
    uint64_t at_us;
    const char *http_method;
    const char *method;  /* of JSON-RPC */
    const char *id;      /* as it was sent: 7, "a" with its quotes */
    const char *tool;    /* of tools/call */
    const char *session; /* headers, without blanks around them */
    const char *version;
    const char *accept;
    const char *last_event;
    const char *body;
    size_t body_size;
    unsigned status; /* of the answer; 0: the connection ended before one, or stdio */
    unsigned runs;   /* of the tool, this one included; 0: it was not executed */
};

/* Serves MCP at `path` of `http`, which is not started yet, and which has to be freed after rcs_mcp_free. NULL: only stdio. */
struct rcs_mcp *rcs_mcp_new(struct rcs_faulty *http, const char *path);
void rcs_mcp_free(struct rcs_mcp *mcp);

/* Sets, or replaces, the script of a tool or of an `@` name. False, with the reason in `why`, if it is none. Any thread. */
bool rcs_mcp_script(struct rcs_mcp *mcp, const char *what, const char *script, char *why, size_t why_size);

/* Forgets every session, as a server does that is started again. Any thread. */
void rcs_mcp_forget(struct rcs_mcp *mcp);
/* A message of the server's own, for the stream that a GET has opened. Any thread. */
void rcs_mcp_push(struct rcs_mcp *mcp, const char *message);

/* How often a tool was executed; how many messages came with this method of JSON-RPC (NULL: any), and number `index` of them;
   NULL past the last. Any thread. */
unsigned rcs_mcp_runs(struct rcs_mcp *mcp, const char *tool);
size_t rcs_mcp_count(struct rcs_mcp *mcp, const char *method);
const struct rcs_mcp_seen *rcs_mcp_seen(struct rcs_mcp *mcp, const char *method, size_t index);

/* Serves stdin and stdout until stdin ends, or as the scripts say. `log` may be NULL; it gets a line for each message that comes.
   Returns the exit status. */
int rcs_mcp_stdio(struct rcs_mcp *mcp, int log_fd);

#endif
