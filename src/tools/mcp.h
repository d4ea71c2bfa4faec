/*
 * An MCP client (revisions 2024-11-05 to 2026-07-28) for streamable HTTP and standard input and output. One server is
 * shared by its tools: its era is found out, and a legacy one initialised, when somebody first needs it, once for all who
 * wait, and again when its session is lost.
 */
#ifndef RCS_TOOLS_MCP_H
#define RCS_TOOLS_MCP_H

#include "src/io/timer.h"
#include "src/tools/mcp_message.h"
#include "src/tools/sse.h"
#include "src/tools/tools.h"

#define RCS_MCP_VERSION "2025-11-25" /* the one that we offer */
#define RCS_MCP_PAGES_MAX 50u        /* of one tools/list */
#define RCS_MCP_TOOLS_MAX 10000u     /* likewise */
#define RCS_MCP_PAUSE_MS 100u        /* in which a server may say more about its list */
#define RCS_MCP_RELIST_MS 1000u      /* at least from one list to the next that it has changed */
#define RCS_MCP_DETAIL_MAX 256u
#define RCS_MCP_LOOSE_MAX 32u        /* messages under way that nobody waits for */
#define RCS_MCP_VERSION_HEADER "MCP-Protocol-Version: "

struct rcs_mcp_exchange;
struct rcs_mcp_listener;
struct rcs_mcp_order;
struct rcs_mcp_program;
struct rcs_mcp_reply;
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

/* A tool that the server lists and that is not taken. */
struct rcs_mcp_left_out {
    struct rcs_mcp_left_out *next;
    const char *reason; /* static */
    size_t size;
    char name[];
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
    struct rcs_mcp_page *relisted;     /* listed again since: what parameters become headers is looked up here first */
    struct rcs_mcp_left_out *left_out; /* tools that it lists and that can't be called */
    uint8_t era;                       /* enum recourse_mcp_era, as it was found out; AUTO: not yet */
    uint8_t stage;                     /* enum rcs_mcp_stage */
    uint64_t generation;               /* of the session; 0: there was none yet */
    int64_t last_id;
    char *session;                     /* a header line; NULL: the server keeps none */
    char version[64];                  /* likewise; empty before the handshake */
    uint8_t own_headers;               /* that the configuration names itself: RCS_OWN_TRACE counts */
    struct rcs_mcp_waiter *waiters;
    struct rcs_mcp_exchange *handshake; /* the probe of its era, too */
    const char *asked;                  /* the method of that one, and when */
    uint64_t asked_ms;
    struct rcs_timer probe_timer;       /* it need not be answered */
    struct rcs_mcp_exchange *loose;
    size_t loose_count; /* with those that are not sent yet */
    struct rcs_mail mail;              /* answers to the server's requests are to be sent */
    struct rcs_mcp_note *unsent;
    struct rcs_mcp_exchange *waiting;  /* requests under way; HTTP only */
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
void rcs_mcp_left_out_free(struct rcs_mcp_server *server);

/* Waits for the session, which is opened if need be. `ready` is never called from within. Errors: those of http_start. */
RECOURSE_MUST_USE int rcs_mcp_session_want(struct rcs_mcp_server *server, struct rcs_mcp_waiter *waiter);
/* Waits no more; a handshake that nobody waits for is ended. */
void rcs_mcp_session_leave(struct rcs_mcp_server *server, struct rcs_mcp_waiter *waiter);
/* That session is no good any more; another one by now is not touched. */
void rcs_mcp_session_lost(struct rcs_mcp_server *server, uint64_t generation);

/* For mcp_era.c: forgets it; greets a legacy server; tells those who wait that it can begin, or that it can't. */
void rcs_mcp_session_forget(struct rcs_mcp_server *server);
RECOURSE_MUST_USE int rcs_mcp_session_initialize(struct rcs_mcp_server *server);
void rcs_mcp_session_ready(struct rcs_mcp_server *server);
void rcs_mcp_session_fail(struct rcs_mcp_server *server, const struct recourse_facts *why);

/* ---- mcp_opening.c ---- */

/* Posts a message of the handshake, of this method. Errors: those of http_start. */
RECOURSE_MUST_USE int rcs_mcp_session_ask(struct rcs_mcp_server *server, struct rcs_mcp_order *order, const char *method);
/* One line: what the server has not answered, for how long, and what it has said instead. */
void rcs_mcp_opening_text(const struct rcs_mcp_server *server, char text[RCS_STANDING_MAX]);

/* ---- mcp_era.c: legacy (to 2025-11-25: a handshake, sessions) or modern (2026-07-28: neither) ---- */

#define RCS_MCP_MODERN_VERSION "2026-07-28"
/* Errors by which a modern server refuses a request before it looks at it. */
#define RCS_MCP_HEADER_MISMATCH (-32020)
#define RCS_MCP_MISSING_CAPABILITY (-32021)
#define RCS_MCP_UNSUPPORTED_VERSION (-32022)

/* A version of the legacy era that is spoken here, from a JSON value; NULL: it is none. */
const char *rcs_mcp_era_version(struct recourse_span version);
/* Whether messages can be sent. A server that needs no opening is open from then on. */
bool rcs_mcp_session_open(struct rcs_mcp_server *server);
/* Asks a server of which era it is, or greets it. Errors: those of http_start. */
RECOURSE_MUST_USE int rcs_mcp_era_begin(struct rcs_mcp_server *server);
/* The probe's time is over: a server that doesn't know it may say nothing; a modern one that is late refuses the handshake. */
void rcs_mcp_era_unanswered(struct rcs_timer *timer);
/* The handshake was refused. Modern servers have a way to say so, whatever was thought of them before. */
void rcs_mcp_era_refused(struct rcs_mcp_server *server, const struct rcs_mcp_reply *reply);
/* A modern server refused the version of a request: whether another one can be made, in the era that it names. */
bool rcs_mcp_era_correct(struct rcs_mcp_server *server, uint64_t generation, const struct rcs_mcp_reply *reply);
/* A request has ended so: where it doesn't look as if the server were of its era, it is asked again before the next one. */
void rcs_mcp_era_doubt(struct rcs_mcp_server *server, uint64_t generation, const struct recourse_facts *facts);

/* ---- mcp_modern.c: requests of the modern era, and rounds of a call ---- */

bool rcs_mcp_is_modern(const struct rcs_mcp_server *server);
/* What requests say beside what they ask; of a call also its key and the try's number. */
struct rcs_mcp_meta rcs_mcp_meta_of(const struct rcs_mcp_server *server, const char *key, unsigned number);
/* Writes the probe into the order, which is cleared on an error: RECOURSE_E_MEMORY, RECOURSE_E_LIMIT. */
RECOURSE_MUST_USE int rcs_mcp_modern_probe(const struct rcs_mcp_server *server, struct rcs_mcp_order *order);
/*
 * Appends the header lines of a modern request over HTTP; `tool` and `arguments` are a call's, or NULL. Errors:
 * RECOURSE_E_MEMORY, RECOURSE_E_LIMIT (a parameter is too long for a header), RECOURSE_E_ARGUMENT (the tool can't be called
 * as its annotations want it).
 */
RECOURSE_MUST_USE int rcs_mcp_put_headers(const struct rcs_mcp_server *server, const char *method,
                                          const struct rcs_tool *tool, struct recourse_span arguments,
                                          struct rcs_buffer *lines);

/* What the last answer of a call wants with the next request for it. Caller-owned. */
struct rcs_mcp_round {
    unsigned count;
    struct rcs_buffer responses; /* JSON, or empty */
    struct rcs_buffer state;     /* likewise, byte for byte what the server had written */
};
void rcs_mcp_round_init(const struct rcs_mcp_server *server, struct rcs_mcp_round *round);
void rcs_mcp_round_clear(struct rcs_mcp_round *round);
/* Takes a result that is `input_required`. NULL: the call is to be sent again; otherwise why it is not. */
RECOURSE_MUST_USE const char *rcs_mcp_round_next(const struct rcs_mcp_server *server, struct rcs_mcp_round *round,
                                                 struct recourse_span result, unsigned rounds_max);

/* Writes down how a call is sent, for whoever traces it. */
void rcs_mcp_note_request(const struct rcs_mcp_server *server, int64_t id, struct rcs_try_trace *trace);

/* ---- mcp_params.c: parameters that travel as headers, too ---- */

/* Whether a tool's schema marks them as the protocol wants. NULL: it does; otherwise what is wrong. */
const char *rcs_mcp_params_check(struct recourse_span schema);
/* Appends a line for each that the arguments have. Errors: as rcs_mcp_put_headers. */
RECOURSE_MUST_USE int rcs_mcp_params_put(struct rcs_buffer *lines, struct recourse_span schema,
                                         struct recourse_span arguments);
/* Appends "NAME: VALUE" with its NUL, in base64 if that is no plain text. `name` ends in a NUL. */
RECOURSE_MUST_USE int rcs_mcp_params_put_line(struct rcs_buffer *lines, const char *name, struct recourse_span value);

/* ---- mcp_facts.c ---- */

/*
 * Something of the call was sent before what the facts tell of: what would prove by itself that nothing was done becomes what
 * does not, and `detail` says what it was, and when.
 */
void rcs_mcp_facts_touched(struct recourse_facts *facts, const char *when, char detail[RCS_MCP_DETAIL_MAX]);
/*
 * The same for a refusal of whoever asks, or of how often (401, 403, 429): it keeps its status, beside `tool error`, where the
 * policy doesn't take the two of them for proof that nothing was done. False: it does, or it is another refusal.
 */
bool rcs_mcp_facts_refused(const struct rcs_try_order *order, struct recourse_facts *facts);

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

/* Whether two JSON strings, with their quotes, read the same. */
bool rcs_mcp_same_name(struct recourse_span one, struct recourse_span two);
/* The result of elicitation/create: a form is accepted with the defaults of its schema if every property that is required has
   one, else declined; so is anything but a form. `params` as the server wrote them. Errors: RECOURSE_E_MEMORY, RECOURSE_E_LIMIT. */
RECOURSE_MUST_USE int rcs_mcp_put_elicited(struct rcs_buffer *out, struct recourse_span params);
/* The answer to any request of the server's. Errors likewise. */
RECOURSE_MUST_USE int rcs_mcp_put_reply(const struct rcs_mcp_server *server, struct rcs_buffer *body,
                                        const struct rcs_mcp_message *request);

/* ---- mcp_end.c ---- */

/* Lets what is on its way to servers arrive, and tells them that their sessions are over; takes a short time at most. Polls
   the port, so no tries may be under way. */
void rcs_mcp_servers_end(struct rcs_mcp_server *first);

/* ---- one message to the server, and what comes back ---- */

struct rcs_mcp_reply {
    struct recourse_facts facts;    /* as of HTTP; of an answer that claims success `result` is still empty */
    struct rcs_mcp_message message; /* kind RCS_MCP_RESULT, or facts that say why there is none */
    struct recourse_facts refusal; /* `http` not 0: the stream broke off, and who wanted to read on was refused so */
    bool begun; /* the server has said something meanwhile that only a tool at work makes it say */
};

struct rcs_mcp_order {
    struct rcs_buffer body; /* the message; taken over, also on an error */
    int64_t id;             /* of the request; 0: it is none, and no answer is waited for */
    bool modern; /* the server asks for nothing, and a stream that breaks off is lost */
    struct rcs_buffer headers;         /* HTTP: further header lines, each with its NUL; taken over like the body */
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
/* Tells the host of something that the server wrote, on one line. */
void rcs_mcp_tell(const struct rcs_mcp_server *server, struct recourse_span text);

#endif
