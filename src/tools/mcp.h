/*
 * An MCP client (revisions 2025-03-26 to 2025-11-25) for streamable HTTP and standard input and output. One server is shared by its tools: it is
 * initialised when somebody first needs it, once for all who wait, and again when its session is lost.
 */
#ifndef RCS_TOOLS_MCP_H
#define RCS_TOOLS_MCP_H

#include "src/io/timer.h"
#include "src/tools/mcp_message.h"
#include "src/tools/sse.h"
#include "src/tools/tools.h"

#define RCS_MCP_VERSION "2025-11-25" /* the one that we offer */
#define RCS_MCP_PAGES_MAX 50u        /* of one tools/list */
#define RCS_MCP_PAUSE_MS 100u        /* in which a server may say more about its list */
#define RCS_MCP_RELIST_MS 1000u      /* at least from one list to the next that it has changed */
#define RCS_MCP_LOOSE_MAX 32u        /* messages under way that nobody waits for */

struct rcs_mcp_exchange;
struct rcs_mcp_listener;
struct rcs_mcp_program;
struct rcs_mcp_server;
struct rcs_mcp_transport;

enum rcs_mcp_stage { RCS_MCP_CLOSED = 0, RCS_MCP_OPENING = 1, RCS_MCP_OPEN = 2 };

/* One who waits for the session. */
struct rcs_mcp_waiter {
    struct rcs_mcp_waiter *next;
    struct rcs_mcp_waiter **link; /* what points here; NULL: it waits for nothing */
    /* `failure` NULL: the session is open. Otherwise why there is none; nothing of the tool was touched. */
    void (*ready)(struct rcs_mcp_waiter *waiter, const struct recourse_facts *failure);
};

/* A message that will be sent by the server's letter. */
struct rcs_mcp_note {
    struct rcs_mcp_note *next;
    struct rcs_buffer body;
};

/* The "tools" of one page, as the server wrote it: a JSON array. */
struct rcs_mcp_page {
    struct rcs_mcp_page *next;
    size_t size;
    char tools[];
};

/* The list is asked for again: src/run/relist.c. */
struct rcs_mcp_relist {
    struct recourse_runner *runner;
    struct rcs_timer timer; /* when to begin, or to give up */
    struct rcs_try *try;    /* the asking; NULL: none is under way */
    uint64_t session;
    uint64_t next_ms; /* not before */
    bool wanted; /* the server has said that it has changed */
    struct rcs_mcp_page *pages;         /* the new one */
    struct rcs_tool *retired;           /* that calls may still have */
    struct rcs_mcp_page *retired_pages; /* likewise */
};

struct rcs_mcp_server {
    struct rcs_mcp_server *next;
    const struct rcs_tool_host *host;
    const struct rcs_mcp_transport *transport;
    struct recourse_mcp_server config; /* what it points to stands behind this struct */
    struct rcs_tool *lister;           /* the tool that asks for the list; the runner's */
    struct rcs_mcp_page *pages;        /* what it has listed */
    bool known;                        /* its tools are the runner's, and what they say of themselves is in `pages` */
    uint8_t stage;                     /* enum rcs_mcp_stage */
    uint64_t generation;               /* of the session; 0: there was none yet */
    int64_t last_id;
    char *session;                     /* a header line; NULL: the server keeps none */
    char version[64];                  /* likewise; empty before the handshake */
    struct rcs_mcp_waiter *waiters;
    struct rcs_mcp_exchange *handshake;
    struct rcs_mcp_exchange *loose;
    size_t loose_count; /* with those that are not sent yet */
    struct rcs_mail mail;              /* answers to the server's requests are to be sent */
    struct rcs_mcp_note *unsent;
    size_t calls_waiting;              /* requests under way; HTTP only */
    bool may_listen;                   /* there may be a stream for what the server says by itself */
    struct rcs_mcp_listener *listener; /* NULL: there was none yet */
    struct rcs_mcp_relist relist;
    struct rcs_mcp_program *program;  /* the one that is talked with; NULL: it is not running */
    struct rcs_mcp_program *programs; /* with those that are being ended */
};

/* ---- mcp_server.c ---- */

/* Copies the configuration. Errors: RECOURSE_E_ARGUMENT, RECOURSE_E_MEMORY, RECOURSE_E_ABI. */
RECOURSE_MUST_USE int rcs_mcp_server_new(const struct rcs_tool_host *host, const struct recourse_mcp_server *config,
                                         struct rcs_mcp_server **server, struct recourse_error *error);
/* All tries have ended. */
void rcs_mcp_server_free(struct rcs_mcp_server *server);
/* Frees them, and leaves none. */
void rcs_mcp_pages_free(struct rcs_mcp_server *server, struct rcs_mcp_page **pages);

/* Waits for the session, which is opened if need be. `ready` is never called from within. Errors: those of http_start. */
RECOURSE_MUST_USE int rcs_mcp_session_want(struct rcs_mcp_server *server, struct rcs_mcp_waiter *waiter);
/* Waits no more; a handshake that nobody waits for is ended. */
void rcs_mcp_session_leave(struct rcs_mcp_server *server, struct rcs_mcp_waiter *waiter);
/* That session is no good any more; another one by now is not touched. */
void rcs_mcp_session_lost(struct rcs_mcp_server *server, uint64_t generation);

/* ---- mcp_listen.c ---- */

/* A request or a notification of the server's. May be called from within a callback of the port. */
void rcs_mcp_hear(struct rcs_mcp_server *server, const struct rcs_mcp_message *message);
/* The list is asked for soon, if the server has said that it has changed. */
void rcs_mcp_relist_soon(struct rcs_mcp_server *server);
/* Opens the stream for what the server says by itself, if there may be one; that it can't be had is no error. */
void rcs_mcp_listen(struct rcs_mcp_server *server);
/* Closes it for good. */
void rcs_mcp_listen_end(struct rcs_mcp_server *server);

/* ---- mcp_elicit.c ---- */

/* The result of elicitation/create: a form is accepted with the defaults of its schema if every property that is required has
   one, else declined; so is anything but a form. `params` as the server wrote them. Errors: RECOURSE_E_MEMORY, RECOURSE_E_LIMIT. */
RECOURSE_MUST_USE int rcs_mcp_put_elicited(struct rcs_buffer *out, struct recourse_span params);
/* The answer to any request of the server's. Errors likewise. */
RECOURSE_MUST_USE int rcs_mcp_put_reply(const struct rcs_mcp_server *server, struct rcs_buffer *body,
                                        const struct rcs_mcp_message *request);

/* ---- mcp_end.c ---- */

/* Tells servers that their sessions are over; takes a short time at most. Polls the port, so no tries may be under way. */
void rcs_mcp_servers_end(struct rcs_mcp_server *first);

/* ---- one message to the server, and what comes back ---- */

struct rcs_mcp_reply {
    struct recourse_facts facts;    /* as of HTTP; of an answer that claims success `result` is still empty */
    struct rcs_mcp_message message; /* kind RCS_MCP_RESULT, or facts that say why there is none */
};

struct rcs_mcp_order {
    struct rcs_buffer body; /* the message; taken over, also on an error */
    int64_t id;             /* of the request; 0: it is none, and no answer is waited for */
    const struct rcs_try_order *order; /* whose headers go along; NULL: none */
    uint64_t deadline_ms;
    uint32_t resumes;         /* how often its stream may be read on */
    uint64_t resume_until_ms; /* and until when */
    /* Called once, unless it is cancelled; the exchange is gone then. NULL: nobody waits, the server keeps it. */
    void (*done)(void *user, const struct rcs_mcp_reply *reply);
    void *user;
};

/* How a server is reached. Its functions are those below, for a server of that transport; an exchange is its own. */
struct rcs_mcp_transport {
    bool ordered; /* messages arrive in the order in which they were posted */
    int (*post)(struct rcs_mcp_server *server, struct rcs_mcp_order *order, struct rcs_mcp_exchange **exchange);
    bool (*cancel)(struct rcs_mcp_exchange *exchange);
    uint64_t (*generation)(const struct rcs_mcp_exchange *exchange);
    void (*post_loose)(struct rcs_mcp_server *server, struct rcs_buffer *body);
    void (*clear)(struct rcs_mcp_server *server);
};

extern const struct rcs_mcp_transport rcs_mcp_over_http;  /* mcp_exchange.c */
extern const struct rcs_mcp_transport rcs_mcp_over_stdio; /* mcp_stdio.c */

/* `done` is never called from within. Errors: those of http_start or process_start. */
RECOURSE_MUST_USE int rcs_mcp_post(struct rcs_mcp_server *server, struct rcs_mcp_order *order,
                                   struct rcs_mcp_exchange **exchange);
/* Returns whether a byte of it was sent. */
bool rcs_mcp_post_cancel(struct rcs_mcp_server *server, struct rcs_mcp_exchange *exchange);
/* The session that it was sent in. */
uint64_t rcs_mcp_post_generation(const struct rcs_mcp_server *server, const struct rcs_mcp_exchange *exchange);
/* Sends a message that nobody waits for, if there is room and memory for it. Takes `body`. */
void rcs_mcp_post_loose(struct rcs_mcp_server *server, struct rcs_buffer *body);
/* Cancels all that nobody waits for, and ends what the transport keeps of the server. */
void rcs_mcp_post_clear(struct rcs_mcp_server *server);
/* Sends what waits for the server's letter. */
void rcs_mcp_post_notes(struct rcs_mcp_server *server);
/* An error's facts: its own words, kept in `text`, and what stands beside them can be looked into. */
void rcs_mcp_read_error(struct rcs_buffer *text, const struct rcs_mcp_message *message, struct recourse_span body,
                        struct recourse_facts *facts);
void rcs_mcp_body_init(const struct rcs_mcp_server *server, struct rcs_buffer *body);

#endif
