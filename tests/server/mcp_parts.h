/* What the files of the MCP server share. */
#ifndef RCS_MCP_PARTS_H
#define RCS_MCP_PARTS_H

#include "tests/server/mcp.h"
#include "tests/server/parts.h"

/* ---- JSON, as far as it is needed here: by spans, not checked ---- */

struct rcs_json_text {
    const char *data; /* NULL: there is none */
    size_t size;
};

/* Whether all of it is one JSON value. */
bool rcs_json_whole(struct rcs_json_text text);
/* The value of a member of an object. */
struct rcs_json_text rcs_json_find(struct rcs_json_text object, const char *name);
/* Walks an object; begin with `*at` 0. Keys have their quotes. False at the end. */
bool rcs_json_step(struct rcs_json_text object, size_t *at, struct rcs_json_text *key, struct rcs_json_text *value);
/* A string without its quotes (escapes stay), anything else as it is; "" for none. On the heap. */
char *rcs_json_plain(struct rcs_json_text value);
void rcs_base64_add(struct rcs_bytes *out, size_t size); /* of bytes 0, 1, 2 ... */

/* ---- words ---- */

enum rcs_word {
    RCS_W_TEXT, RCS_W_IMAGE, RCS_W_AUDIO, RCS_W_BLOB, RCS_W_CONTENT, RCS_W_COUNT, RCS_W_STRUCTURED, RCS_W_IS_ERROR,
    RCS_W_RESULT, RCS_W_RPC, RCS_W_MESSAGE, RCS_W_DATA, RCS_W_ID, RCS_W_RAN, RCS_W_UNRUN,
    RCS_W_SSE, RCS_W_PRIME, RCS_W_IDS, RCS_W_RETRY, RCS_W_COMMENT, RCS_W_PROGRESS, RCS_W_NOTIFY, RCS_W_ASK, RCS_W_ASK_GET,
    RCS_W_PARAMS, RCS_W_AWAIT, RCS_W_EVENT, RCS_W_BYTES, RCS_W_PAUSE, RCS_W_ANSWER, RCS_W_NO_ANSWER, RCS_W_CUT, RCS_W_BREAK,
    RCS_W_STALL, RCS_W_EOL, RCS_W_LINES, RCS_W_STDERR, RCS_W_EXIT, RCS_W_KILL, RCS_W_LISTED,
    RCS_W_SESSION, RCS_W_EXPIRE, RCS_W_EXPIRED, RCS_W_VERSION, RCS_W_PAGE, RCS_W_LOOP, RCS_W_LENIENT, RCS_W_NO_GET,
    RCS_W_IGNORE_EOF, RCS_W_IGNORE_TERM, RCS_W_GREETING, RCS_W_ERA, RCS_W_WORD_COUNT
};
extern const struct rcs_part_words rcs_mcp_words;

/* The part of this kind that comes last; NULL if there is none. */
const struct rcs_part *rcs_part_find(const struct rcs_answer *answer, enum rcs_word word);
/* Whether the answer has a message of JSON-RPC to give, besides a status. */
bool rcs_answer_speaks(const struct rcs_answer *answer);
bool rcs_answer_streams(const struct rcs_answer *answer);

/* ---- messages ---- */

enum rcs_message_kind { RCS_MESSAGE_BAD = 0, RCS_MESSAGE_REQUEST = 1, RCS_MESSAGE_NOTIFICATION = 2, RCS_MESSAGE_RESPONSE = 3 };

struct rcs_message {
    enum rcs_message_kind kind;
    char *method; /* these four on the heap, "" if there is none */
    char *id;
    char *tool;
    char *progress_token; /* with its quotes */
    struct rcs_json_text params;
};
void rcs_message_read(struct rcs_message *message, const char *data, size_t size);
void rcs_message_clear(struct rcs_message *message);

/* ---- streams: what an answer sends, step by step ---- */

struct rcs_item {
    enum rcs_word word; /* RCS_W_EVENT, _BYTES, _COMMENT, _PAUSE, _AWAIT, _CUT, _BREAK, _STALL, _STDERR, _EXIT, _KILL */
    size_t number;
    size_t event;       /* its id within the stream; 0: none */
    size_t retry;       /* SIZE_MAX: none */
    struct rcs_bytes text;
};

struct rcs_stream {
    unsigned number; /* 0: its events have no ids */
    const char *eol;
    struct rcs_item *items;
    size_t count;
    size_t reached; /* where it has ended before; what ended it there doesn't do so again */
};

/* How an answer's stream is made of its words. */
struct rcs_stream_order {
    const struct rcs_answer *answer;
    const struct rcs_message *message;
    const char *body; /* the JSON-RPC answer; NULL: none */
    unsigned stream_number;
    size_t *ask_next;         /* ids of what the server asks */
    struct rcs_bytes *aside;  /* what goes to the stream of a GET */
};
struct rcs_stream *rcs_stream_new(const struct rcs_stream_order *order);
void rcs_stream_free(struct rcs_stream *stream);
/* Adds the stream from item `from` on to the reply, as events in chunks, or as lines. */
void rcs_stream_events(struct rcs_stream *stream, size_t from, struct rcs_reply *reply);
void rcs_stream_lines(const struct rcs_stream *stream, struct rcs_reply *reply);

/* The JSON-RPC answer that the words of `answer` make; `usual` is the result where they make none. On the heap. */
char *rcs_body_make(const struct rcs_answer *answer, const struct rcs_message *message, const char *usual, unsigned runs);
/* The same text with `{id}` replaced. On the heap. */
char *rcs_body_fill(const char *text, const char *id);

/* ---- the server ---- */

struct rcs_mcp_session {
    char *id;
    size_t calls;
    bool over;
};

struct rcs_mcp_tool {
    char *name;
    unsigned runs;
};

struct rcs_mcp {
    struct rcs_faulty *http;
    char *path;
    pthread_mutex_t lock;
    struct rcs_script *scripts;
    size_t script_count;
    struct rcs_mcp_tool *tools; /* that have a script, in the order in which they got one */
    size_t tool_count;
    struct rcs_mcp_session *sessions;
    size_t session_count;
    struct rcs_stream **streams;
    size_t stream_count;
    size_t ask_next;
    size_t *answered; /* ids of what the client has answered */
    size_t answered_count;
    struct rcs_bytes aside; /* for the stream of a GET */
    struct rcs_mcp_seen **seen;
    size_t seen_count;
};

struct rcs_mcp_exchange {
    struct rcs_mcp *mcp;
    struct rcs_faulty_request *request; /* NULL over stdio */
    struct rcs_message message;
    struct rcs_mcp_seen *seen;
    struct rcs_reply *reply;
};

/* All of these under the lock. */
const struct rcs_answer *rcs_mcp_take(struct rcs_mcp *mcp, const char *what); /* NULL: it has no script */
const struct rcs_part *rcs_mcp_setting(const struct rcs_mcp *mcp, enum rcs_word word);
struct rcs_mcp_seen *rcs_mcp_see(struct rcs_mcp *mcp, const struct rcs_message *message,
                                 const struct rcs_faulty_request *request, const char *body, size_t size);
char *rcs_mcp_note(const struct rcs_mcp_seen *seen); /* a JSON object, on the heap */
/* Notes a client's answer; counts an execution where there is one. Then the answer of its script, or of a good server; its
   body is in `*body`, NULL for none, to be freed. */
const struct rcs_answer *rcs_mcp_answer(struct rcs_mcp_exchange *exchange, char **body);
struct rcs_stream *rcs_mcp_stream(struct rcs_mcp_exchange *exchange, const struct rcs_answer *answer, const char *body);
void rcs_mcp_source(struct rcs_mcp *mcp, struct rcs_reply *reply);

/* Whether there is one for it; what a tool's `listed` has as the properties of its schema. */
bool rcs_mcp_has_script(const struct rcs_mcp *mcp, const char *what);
struct rcs_json_text rcs_mcp_listed_properties(const struct rcs_mcp *mcp, const char *tool);

/* ---- mcp_modern.c: the era of 2026-07-28 ---- */

bool rcs_mcp_modern(const struct rcs_mcp_exchange *exchange);
/* Looks at a modern message before it is answered: NULL, or the error's body (on the heap) and its HTTP status. */
char *rcs_mcp_modern_refuse(const struct rcs_mcp_exchange *exchange, size_t *status);
char *rcs_mcp_modern_discover(void); /* a result, on the heap */
/* Puts what every result bears into one that has none of it. Takes and returns memory of the heap, or NULL. */
char *rcs_mcp_modern_stamp(const struct rcs_mcp_exchange *exchange, char *body);

/* mcp_http.c */
bool rcs_mcp_http(void *user, struct rcs_faulty_request *request, struct rcs_reply *reply);

#endif
