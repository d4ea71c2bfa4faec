/*
 * Facts: what is known about how one try ended, before anybody has judged it.
 *
 * A kind of tool fills them in; a policy's table `Failures` turns them into a failure and its effect.
 * Every span is borrowed: it must stay valid during the call that takes the facts, and no longer.
 */
#ifndef RECOURSE_FACTS_H
#define RECOURSE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that somebody else owns. `data` may be NULL only if `size` is 0. Not NUL-terminated. */
struct recourse_span {
    const char *data;
    size_t size;
};

struct recourse_header {
    struct recourse_span name;
    struct recourse_span value;
};

enum recourse_network {
    RECOURSE_NETWORK_NONE = 0,
    RECOURSE_NETWORK_REFUSED = 1,
    RECOURSE_NETWORK_UNREACHABLE = 2,
    RECOURSE_NETWORK_DNS = 3,
    RECOURSE_NETWORK_TLS = 4,
    RECOURSE_NETWORK_RESET = 5,
    RECOURSE_NETWORK_CLOSED = 6,
    RECOURSE_NETWORK_OTHER = 7, /* a network failure of none of these kinds: met by `network` alone */
    RECOURSE_NETWORK_COUNT = 8
};

enum recourse_timeout {
    RECOURSE_TIMEOUT_NONE = 0,
    RECOURSE_TIMEOUT_CONNECT = 1,
    RECOURSE_TIMEOUT_READ = 2, /* the longest gap between bytes */
    RECOURSE_TIMEOUT_TOTAL = 3,
    RECOURSE_TIMEOUT_OTHER = 4, /* a timeout of unknown kind: met by `timeout` alone */
    RECOURSE_TIMEOUT_COUNT = 5
};

struct recourse_facts {
    uint16_t http;       /* status code; 0: there was none */
    uint8_t network;     /* enum recourse_network */
    uint8_t timeout;     /* enum recourse_timeout */
    bool unsent;         /* no byte of the request had been sent */
    bool interrupted;    /* the process that made the try died during it */
    bool tool_error;     /* the tool's own result says that it is an error */
    bool session_expired;
    bool protocol;       /* an answer that is none: not of the protocol */
    bool too_large;      /* an answer over the bound, cut off */
    bool spawn;          /* a command that could not be started */
    bool has_exit;       /* `exit_status` holds */
    bool has_rpc;        /* `rpc` holds */
    int exit_status;
    int signal;          /* the signal that ended a command; 0: none */
    int64_t rpc;         /* JSON-RPC error code */
    uint64_t wall_s;     /* our own clock when the answer came, seconds since 1970; 0: unknown. A date in
                            Retry-After counts against the answer's own Date header, and against this without one */
    const char *tool;    /* NUL-terminated name; may be NULL */
    const struct recourse_header *headers;
    size_t header_count;
    struct recourse_span phrase; /* status phrase; what `text` sees first */
    struct recourse_span text;   /* body, stderr or the error's message; what `text` sees next */
    struct recourse_span json;   /* what `json` looks into, if it is not `text` itself */
    struct recourse_span result; /* the content of an answer that claims success; what `result` looks into */
    const uint32_t *block_ends;  /* where each block of `result` ends, if it is several with a line break between them; NULL: */
    uint32_t block_count;        /* 0, it is one. What does not fit into a turn's budget is left out block by block */
    struct recourse_span structured; /* its structured content, JSON; `result json` prefers it */
    uint32_t resumes;            /* MCP: how often the answer's stream was read on, which is no try; never matched */
    uint32_t rounds;             /* likewise: how often the server asked back before it answered */
    struct recourse_span detail; /* our own words for what went wrong (libcurl's, the system's): shown, never matched */
};

/*
 * True if and only if the facts claim success: none of network, timeout, interrupted, tool_error,
 * session_expired, protocol, too_large, spawn, signal, rpc; no exit status but 0; and either an HTTP status
 * of 200 to 299, or no HTTP status, an empty `text`, and something sent. So facts that say nothing are a success: a tool
 * that returned, and had nothing to say.
 */
bool recourse_facts_claim_success(const struct recourse_facts *facts);

/* How much of `phrase` and `text` together a policy looks at (bytes). */
#define RECOURSE_TEXT_MAX 65536u

#ifdef __cplusplus
}
#endif
#endif
