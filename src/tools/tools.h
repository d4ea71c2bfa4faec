/*
 * Kinds of tools: how one try of a call is made.
 *
 * A kind knows nothing of policies, waits or results. It starts a try, and tells how it ended by facts.
 */
#ifndef RCS_TOOLS_H
#define RCS_TOOLS_H

#include <recourse/runner.h>

#include "src/core/fail.h"
#include "src/tools/mailbox.h"
#include "src/tools/room.h"

/* What the kinds get from the runner. Lives as long as the runner. */
struct rcs_tool_host {
    struct recourse_port *port;
    const struct recourse_allocator *allocator; /* NULL: malloc */
    struct rcs_mailbox *mailbox;
    struct rcs_room *room;
    struct rcs_timers *timers; /* of the kinds; the runner fires them */
    size_t body_max;
    /* As recourse_runner_options has them; `note` may be NULL. */
    void (*note)(void *user, struct recourse_span server, struct recourse_span text);
    void *note_user;
};

/* Headers that a tool's configuration names itself, so that ours stay away. */
#define RCS_OWN_CONTENT_TYPE 1u
#define RCS_OWN_ACCEPT 2u
#define RCS_OWN_KEY 4u
#define RCS_OWN_TRY 8u
#define RCS_OWN_TRACE 16u

uint8_t rcs_tool_own_headers(const char *const *headers); /* may be NULL */

/* A tool as the runner keeps it. */
struct rcs_tool {
    struct rcs_tool *next;
    const struct rcs_kind *kind;
    struct rcs_limit *limit;     /* the runner's, on its tries at once */
    struct recourse_tool config; /* what it points to stands behind this struct */
    size_t name_size;
    uint8_t own_headers;
    bool has_query; /* the arguments become the query: no body */
    struct rcs_mcp_server *mcp;  /* whose tool it is; the runner's. NULL: no server's */
    const char *remote;          /* its name there; within the name here */
    struct recourse_span listed; /* what the server says of it: a JSON object, in the server's pages */
};

#define RCS_STANDING_MAX 512u
#define RCS_TRACEPARENT_NAME "traceparent: "
#define RCS_TRACESTATE_NAME "tracestate: "
#define RCS_MCP_SESSION_MAX 128u

/* The trace that a try belongs to, for tools that go on with it. Lives until the try has ended or was stopped. */
struct rcs_try_trace {
    char traceparent[sizeof RCS_TRACEPARENT_NAME + 55]; /* header lines */
    char tracestate[sizeof RCS_TRACESTATE_NAME + 512];  /* empty: none */
    /* What an MCP tool has written down of the request that it sent last. */
    int64_t request_id; /* 0: none was sent */
    char version[32];   /* of the protocol; empty: unknown */
    char session[RCS_MCP_SESSION_MAX + 1]; /* empty: none, or a longer one */
};

/* The values; `trace` may be NULL, and so is what comes back where there is none. */
const char *rcs_try_traceparent(const struct rcs_try_trace *trace);
const char *rcs_try_tracestate(const struct rcs_try_trace *trace);
/* Adds the header lines that there are to a list with room for two; returns how many. */
size_t rcs_try_trace_lines(const struct rcs_try_trace *trace, const char **lines);

/* One try to be made. Spans live until the try has ended; a kind that outlives it copies. */
struct rcs_try_order {
    const struct rcs_tool *tool;
    const struct recourse_policy *policy; /* that judges the call */
    struct recourse_span call_id;
    struct recourse_span arguments; /* a JSON object */
    uint8_t key[16];                /* the call's idempotency key */
    unsigned number;                /* from 1 */
    bool new_session;               /* the session of the try before is not wanted any more */
    uint64_t *session;              /* the number of the session that the call's last try used; written by the kind */
    uint64_t deadline_ms;
    struct rcs_try_trace *trace; /* NULL: none */
    /*
     * Called once, never from within `start` or `stop`, by the thread of the runner: the try has ended as `facts`
     * say, and is gone. `facts` NULL: a try that had been stopped, and whose tool ran on, is over now.
     */
    void (*ended)(void *user, const struct recourse_facts *facts);
    void *user;
};

/* A try under way; each kind has its own. */
struct rcs_try {
    const struct rcs_kind *kind;
};

enum rcs_stopped {
    RCS_STOPPED_UNTOUCHED = 0, /* the tool was not reached; the try is gone */
    RCS_STOPPED_TOUCHED = 1,   /* it may have been; the try is gone */
    RCS_STOPPED_RUNNING = 2    /* the tool runs on; `ended` comes later, or rcs_kind.forget is called */
};

struct rcs_kind {
    const char *name;
    bool ends_soon; /* a try that was stopped is over within a bounded time, whatever the tool does: the next one waits for it */
    bool keeps_deadline; /* a try ends by itself at its deadline, with the fact RECOURSE_TIMEOUT_TOTAL */
    bool starts_processes; /* needs a port that can */
    /* Checks a configuration: 0 or RECOURSE_E_ARGUMENT. */
    int (*check)(const struct recourse_tool *config, struct recourse_error *error);
    /* Starts a try. On an error nothing was sent, and `ended` is not called. */
    int (*start)(const struct rcs_tool_host *host, const struct rcs_try_order *order, struct rcs_try **try);
    enum rcs_stopped (*stop)(struct rcs_try *try);
    /* Whether the try still waits for something of ours, a thread or a session, and stopping it now would touch nothing.
       NULL: it never does. */
    bool (*waits)(const struct rcs_try *try);
    /* What such a try waits for, in one line for whoever is told that its time was over. False: nobody knows; NULL: likewise. */
    bool (*standing)(const struct rcs_try *try, char text[RCS_STANDING_MAX]);
    /* After RCS_STOPPED_RUNNING: nobody waits for the end any more. */
    void (*forget)(struct rcs_try *try);
    /* After RCS_STOPPED_RUNNING: somebody else does; `ended` comes with facts NULL. NULL: this kind can't. */
    void (*hand_over)(struct rcs_try *try, void (*ended)(void *user, const struct recourse_facts *facts), void *user);
};

extern const struct rcs_kind rcs_kind_http;
extern const struct rcs_kind rcs_kind_function;
extern const struct rcs_kind rcs_kind_command;
extern const struct rcs_kind rcs_kind_mcp;
/* Asks a server for its tools. No model can call it. */
extern const struct rcs_kind rcs_kind_mcp_list;

/* Copies a tool. Errors: RECOURSE_E_ARGUMENT, RECOURSE_E_MEMORY, RECOURSE_E_ABI. */
RECOURSE_MUST_USE int rcs_tool_new(const struct recourse_allocator *allocator, const struct recourse_tool *config,
                                   struct rcs_tool **tool, struct recourse_error *error);

/* What an exchange says as facts. They borrow from the response. */
void rcs_http_read_answer(const struct recourse_http_response *response, struct recourse_facts *facts);

/* Writes a key as 32 hex digits and a NUL. */
void rcs_tool_key(const uint8_t key[16], char text[33]);

#endif
