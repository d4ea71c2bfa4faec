/*
 * JSON-RPC as MCP has it: requests as bytes, answers as spans into what came. Arguments, ids and cursors stay the bytes that
 * they were. No I/O.
 */
#ifndef RCS_MCP_MESSAGE_H
#define RCS_MCP_MESSAGE_H

#include "src/core/json.h"
#include "src/io/buffer.h"

enum rcs_mcp_kind {
    RCS_MCP_NONE = 0, /* no JSON-RPC 2.0 message */
    RCS_MCP_RESULT = 1,
    RCS_MCP_ERROR = 2,
    RCS_MCP_REQUEST = 3,
    RCS_MCP_NOTIFICATION = 4
};

struct rcs_mcp_message {
    enum rcs_mcp_kind kind;
    struct recourse_span id; /* as written; empty: none, or null */
    struct recourse_span method; /* as written, with its quotes */
    struct recourse_span params; /* of a request or notification; empty: none */
    struct recourse_span result; /* any JSON value */
    int64_t code;
    struct recourse_span message; /* of an error, with its quotes; empty: none */
    struct recourse_span data;    /* of an error; empty: none */
};

struct rcs_mcp_message rcs_mcp_message_read(struct recourse_span text);
/* Whether it answers request `id`: by that id, or, being an error without one, as all that came in its exchange. */
bool rcs_mcp_message_answers(const struct rcs_mcp_message *message, int64_t id);
/* The one that answers, of a message or (2025-03-26) a batch of them; kind RCS_MCP_NONE: none does. */
struct rcs_mcp_message rcs_mcp_message_find(struct recourse_span text, int64_t id);

/* Whether it is a request that only a tool at work has: any but a ping. */
bool rcs_mcp_message_asks(const struct rcs_mcp_message *message);
/* The request whose progress it tells of; 0: it tells of none. */
int64_t rcs_mcp_message_progress(const struct rcs_mcp_message *message);

/* ---- what is sent. Errors: RECOURSE_E_MEMORY, RECOURSE_E_LIMIT ---- */

RECOURSE_MUST_USE int rcs_mcp_put_initialize(struct rcs_buffer *body, int64_t id, const char *version, bool elicits);
RECOURSE_MUST_USE int rcs_mcp_put_initialized(struct rcs_buffer *body);
/* What a request says beside what it asks. */
struct rcs_mcp_meta {
    const char *version; /* modern: of the protocol; NULL: the handshake has said it */
    const char *capabilities; /* likewise: a JSON object */
    const char *key;     /* of a call: its key, and the try's number; NULL: none */
    unsigned number;
    const char *traceparent; /* of a call: W3C Trace Context, by names that the protocol keeps for it; NULL: none */
    const char *tracestate;
};
/* server/discover, which only modern servers know. */
RECOURSE_MUST_USE int rcs_mcp_put_discover(struct rcs_buffer *body, int64_t id, const struct rcs_mcp_meta *meta);
/* `cursor` as the server wrote it, with its quotes; empty: the first page. */
RECOURSE_MUST_USE int rcs_mcp_put_list(struct rcs_buffer *body, int64_t id, struct recourse_span cursor,
                                       const struct rcs_mcp_meta *meta);
/* A call; the id is the token of its progress, too. Arguments are a JSON object, sent byte for byte, and so is what a server wants back from the round before. */
struct rcs_mcp_call {
    const char *name;
    struct recourse_span arguments;
    struct recourse_span responses; /* to what it asked; empty: none */
    struct recourse_span state;     /* its own; empty: none */
};
RECOURSE_MUST_USE int rcs_mcp_put_call(struct rcs_buffer *body, int64_t id, const struct rcs_mcp_call *call,
                                       const struct rcs_mcp_meta *meta);
RECOURSE_MUST_USE int rcs_mcp_put_cancelled(struct rcs_buffer *body, int64_t id);
/* An answer to a request of the server's without the result or error, and the brace behind it. */
RECOURSE_MUST_USE int rcs_mcp_put_answer_begin(struct rcs_buffer *body, const struct rcs_mcp_message *request);
/* The answer to a request of the server's: {} for a ping, otherwise that there is no such method. */
RECOURSE_MUST_USE int rcs_mcp_put_answer(struct rcs_buffer *body, const struct rcs_mcp_message *request);

/* ---- a result ---- */

enum rcs_mcp_result_type { RCS_MCP_COMPLETE = 0, RCS_MCP_INPUT_REQUIRED = 1, RCS_MCP_UNKNOWN_TYPE = 2 };
/* Modern; without a `resultType` it is complete. */
enum rcs_mcp_result_type rcs_mcp_result_type(struct recourse_span result);

/* ---- a result of tools/call ---- */

/* So many blocks are told apart; those behind are one with the last of them. */
#define RCS_MCP_BLOCKS_MAX 1024u
/* What the content says as text: its blocks joined by line breaks, base64 as a line that names its kind and size. `ends` gets
   a uint32_t for each block: where it ends in `text`. Both are empty before. */
RECOURSE_MUST_USE int rcs_mcp_put_content(struct rcs_buffer *text, struct rcs_buffer *ends, struct recourse_span result);
bool rcs_mcp_result_is_error(struct recourse_span result);
/* A JSON string (with its quotes) as it reads, appended. */
RECOURSE_MUST_USE int rcs_mcp_put_string(struct rcs_buffer *text, struct recourse_span string);

#endif
