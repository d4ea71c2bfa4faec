/* What the files of the transport over HTTP share: one exchange, reading on, and requests without a body. */
#ifndef RCS_TOOLS_MCP_HTTP_H
#define RCS_TOOLS_MCP_HTTP_H

#include "src/io/timer.h"
#include "src/tools/mcp.h"

#define RCS_MCP_EVENT_STREAM "text/event-stream"
#define RCS_MCP_RETRY_MS 1000u       /* before a stream is asked for again, where the server has said nothing */
#define RCS_MCP_RETRY_MAX_MS 300000u /* a server that asks for more is not waited for */

/* ---- mcp_get.c: a GET or DELETE in a session ---- */

struct rcs_mcp_get {
    struct recourse_http_request request;
    struct recourse_transfer *transfer; /* NULL: none is under way */
    void *block;                        /* its headers */
};

struct rcs_mcp_get_order {
    const char *method;
    const char *session; /* header lines that live as long as the request; NULL or empty: none */
    const char *version;
    struct recourse_span last_event; /* the id after which to go on; empty: none */
    uint64_t deadline_ms;
    bool (*keep)(void *user, size_t size); /* as of a request; NULL: there is nothing to be kept */
    bool (*data)(void *user, const char *bytes, size_t size);
    void (*done)(void *user, const struct recourse_http_response *response);
    void *user;
};

/* Starts it; `get` is zero, or cleared. `done` has to set `transfer` to NULL. Errors: those of http_start. */
RECOURSE_MUST_USE int rcs_mcp_get_start(struct rcs_mcp_get *get, const struct rcs_mcp_server *server,
                                        const struct rcs_mcp_get_order *order);
/* Ends it, if it is under way, and gives its memory back. */
void rcs_mcp_get_clear(struct rcs_mcp_get *get, const struct rcs_mcp_server *server);
/* How many headers the configuration has. */
size_t rcs_mcp_count_headers(const struct rcs_mcp_server *server);

/* ---- mcp_resume.c: a stream that broke off before the answer is read on ---- */

struct rcs_mcp_resume {
    struct rcs_timer timer;
    struct rcs_mcp_get get;
    struct rcs_buffer last; /* the id of the last event that came whole; empty: none had one */
    uint32_t most;          /* 0: never */
    uint32_t used;
    uint64_t until_ms;      /* no wait goes beyond it */
    uint16_t http;          /* of the stream that broke off last */
    uint8_t network;
    bool refused;           /* an answer with a status has ended it */
    char detail[160];       /* why there is no other resume; empty: there was no need for one, or no way */
};

struct rcs_mcp_exchange;

/* Keeps the id of an event that came whole; without memory for it there is none. */
void rcs_mcp_keep_id(struct rcs_buffer *last, const struct rcs_sse *sse);
void rcs_mcp_resume_init(struct rcs_mcp_exchange *exchange, const struct rcs_mcp_order *order);
void rcs_mcp_resume_clear(struct rcs_mcp_exchange *exchange);
/* There is no answer, and the transfer has ended as `facts` say. True: the exchange goes on. */
bool rcs_mcp_resume(struct rcs_mcp_exchange *exchange, const struct recourse_facts *facts);
/* It did not: the facts are those of the stream that broke off, whatever became of the attempts to read on. */
void rcs_mcp_resume_judge(const struct rcs_mcp_exchange *exchange, struct recourse_facts *facts);

/* ---- mcp_exchange.c ---- */

struct rcs_mcp_exchange {
    struct rcs_mcp_exchange *next; /* of those that nobody waits for, or of those that wait for an answer */
    struct rcs_mcp_exchange **link;
    struct rcs_mcp_server *server;
    struct recourse_transfer *transfer; /* of the POST; NULL: it has ended */
    struct recourse_http_request request;
    struct rcs_buffer body;
    struct rcs_buffer lines; /* further headers, each with its NUL */
    struct rcs_buffer text; /* an error's message */
    struct rcs_sse sse;
    struct rcs_mcp_resume resume;
    struct rcs_mcp_message message; /* from the stream; points into `sse` */
    int64_t id;
    uint64_t generation;
    struct rcs_claim claim; /* of the runner's bound: the request, and the answer so far */
    bool modern;
    bool begun;   /* see rcs_mcp_reply */
    int fault; /* why the stream was ended before there was an answer */
    void (*done)(void *user, const struct rcs_mcp_reply *reply);
    void *user;
    char *session; /* copies: the server may lose its own meanwhile; NULL: it is in none */
    char version[64];
    char key[sizeof "Idempotency-Key: " + 32];
    char number[sizeof "Recourse-Try: " + 10];
    const char *headers[];
};

bool rcs_mcp_exchange_keep(void *user, size_t size);
bool rcs_mcp_exchange_data(void *user, const char *bytes, size_t size);
void rcs_mcp_exchange_answered(void *user, const struct recourse_http_response *response);
/* The end: the exchange is gone. */
void rcs_mcp_exchange_end(struct rcs_mcp_exchange *exchange, const struct rcs_mcp_reply *reply);
/* What the server says by itself, but on the stream of a call, may tell of requests under way. */
void rcs_mcp_exchanges_hear(struct rcs_mcp_server *server, const struct rcs_mcp_message *message);
/* Whether an answer is a stream of events. */
bool rcs_mcp_is_stream(const struct recourse_facts *facts);
/* Whether an event of a stream is a message. */
bool rcs_mcp_is_message(const struct rcs_sse *sse);

#endif
