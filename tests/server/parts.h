/* What the files of the faulty server share. */
#ifndef RCS_FAULTY_PARTS_H
#define RCS_FAULTY_PARTS_H

#include <pthread.h>

#include "tests/server/faulty.h"

/* Bytes that grow; always a NUL after them, once anything was added. */
struct rcs_bytes {
    char *data;
    size_t size;
    size_t room;
};

void *rcs_must_alloc(void *memory, size_t size); /* realloc, or abort */
char *rcs_must_copy(const char *text, size_t size);
void rcs_bytes_add(struct rcs_bytes *bytes, const char *data, size_t size);
void rcs_bytes_format(struct rcs_bytes *bytes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rcs_bytes_drop(struct rcs_bytes *bytes, size_t size); /* from the front */
void rcs_bytes_clear(struct rcs_bytes *bytes);

enum rcs_end { RCS_END_KEEP = 0, RCS_END_CLOSE = 1, RCS_END_RESET = 2, RCS_END_HANG = 3 };
enum rcs_where { RCS_AFTER = 0, RCS_BEFORE = 1, RCS_MIDDLE = 2, RCS_AT_BYTE = 3 };

/* A word of an MCP answer (mcp_parts.h), in the order of the script. */
struct rcs_part {
    unsigned word;
    size_t number;
    struct rcs_bytes text;
};

/* One answer of a script. */
struct rcs_answer {
    size_t status;
    size_t times;
    size_t wait_ms;
    size_t trickle_ms; /* 0: all at once */
    size_t fill;
    size_t length;     /* SIZE_MAX: the right one */
    size_t byte;       /* RCS_AT_BYTE */
    bool echo;
    bool reuse;
    enum rcs_end end;
    enum rcs_where where;
    struct rcs_bytes phrase;
    struct rcs_bytes headers; /* whole lines */
    struct rcs_bytes body;
    struct rcs_bytes raw;
    struct rcs_bytes endless;
    struct rcs_part *parts;
    size_t part_count;
};

struct rcs_script {
    char *path;
    struct rcs_answer *answers;
    size_t count;
    struct rcs_answer *reuse; /* one more answer, outside the list; NULL */
    size_t next;              /* of the answers, and how often it has been given */
    size_t given;
};

/* How a word's value is written. */
enum rcs_value { RCS_VALUE_NONE = 0, RCS_VALUE_NUMBER = 1, RCS_VALUE_TEXT = 2 };

/* Words that a script may have beside those of HTTP; each becomes a part of its answer. */
struct rcs_part_word {
    const char *name;
    enum rcs_value value;
};
struct rcs_part_words {
    const struct rcs_part_word *words;
    size_t count;
};

/* Reads a script's answers. False, with the reason in `why` and nothing kept, if they can't be read. `more` may be NULL. */
bool rcs_script_read(struct rcs_script *script, const char *text, const struct rcs_part_words *more, char *why,
                     size_t why_size);
void rcs_script_clear(struct rcs_script *script);
void rcs_script_rewind(struct rcs_script *script);
/* The answer to the next request. */
const struct rcs_answer *rcs_script_take(struct rcs_script *script, bool reused);

enum rcs_stop_kind {
    RCS_STOP_WAIT = 0,   /* `number` ms */
    RCS_STOP_AWAIT = 1,  /* until the reply's source says that number `number` has come */
    RCS_STOP_FEED = 2,   /* at the end: until the source has more, again and again */
    RCS_STOP_STDERR = 3, /* the rest is for a process on pipes: `text` goes to stderr */
    RCS_STOP_EXIT = 4,
    RCS_STOP_KILL = 5
};

/* Something that happens when so many bytes of a reply are out. */
struct rcs_stop {
    size_t offset;
    enum rcs_stop_kind kind;
    size_t number;
    char *text; /* NULL, or the reply's own */
};

/* Where a reply's stops ask. */
struct rcs_reply_source {
    bool (*has_come)(void *user, size_t number);
    bool (*has_more)(void *user);
    void (*take)(void *user, struct rcs_bytes *out);
    void *user;
};

/* An answer made ready for one request. */
struct rcs_reply {
    struct rcs_bytes bytes;
    struct rcs_bytes endless; /* comes behind them, again and again */
    size_t limit; /* of them that is sent before the end comes */
    enum rcs_end end;
    uint64_t wait_us;
    uint64_t trickle_us; /* 0: all at once */
    struct rcs_stop *stops; /* in order of their offsets */
    size_t stop_count;
    size_t stop_next;
    struct rcs_reply_source source;
};
void rcs_answer_write(const struct rcs_answer *answer, const struct rcs_faulty_request *request,
                      struct rcs_reply *reply);
/* Takes how a reply ends, waits and trickles from the answer. Its bytes from `head` on are the body. */
void rcs_reply_end(const struct rcs_answer *answer, size_t head, struct rcs_reply *reply);
void rcs_reply_stop(struct rcs_reply *reply, enum rcs_stop_kind kind, size_t number, const char *text);
/* Passes stops up to the one that lies ahead, and says how far the reply may go. False if it may not go on now: at
   `*due_us` if that changes, else when its source says so. The stops of processes are not passed: the caller's. */
bool rcs_reply_pass(struct rcs_reply *reply, size_t sent, uint64_t now_us, uint64_t *due_us, size_t *limit);
/* Whether a reply that waits for its source may go on. */
bool rcs_reply_ready(const struct rcs_reply *reply);
/* All of it was sent: puts what has no end in its place. False: it has an end. */
bool rcs_reply_go_on(struct rcs_reply *reply);
void rcs_reply_clear(struct rcs_reply *reply);
const char *rcs_usual_phrase(size_t status);

enum rcs_connection_state { RCS_READING = 0, RCS_ANSWERING = 1, RCS_HANGING = 2 };

struct rcs_connection {
    int fd;
    unsigned id;
    unsigned requests;
    enum rcs_connection_state state;
    uint64_t due_us; /* ANSWERING: not before */
    bool blocked;    /* the socket is full */
    bool waiting;    /* for the reply's source */
    struct rcs_bytes in;
    struct rcs_reply reply;
    size_t sent;
};

/* Somebody who answers some of the paths. Called under the lock. */
struct rcs_faulty_guest {
    bool (*answer)(void *user, struct rcs_faulty_request *request, struct rcs_reply *reply); /* false: not mine */
    void (*reset)(void *user);
    void *user;
};

struct rcs_faulty {
    int listener; /* -1: stopped */
    unsigned port;
    int wake[2];
    bool threaded;
    bool stopping; /* under the lock */
    pthread_t thread;
    unsigned connection_last;
    struct rcs_connection *connections[RCS_FAULTY_CONNECTIONS_MAX];
    size_t connection_count;
    pthread_mutex_t lock; /* of all below */
    struct rcs_script *scripts;
    size_t script_count;
    struct rcs_faulty_request **log;
    size_t log_count;
    struct rcs_faulty_guest guest;
};

uint64_t rcs_now_us(void);

/* Reads, and answers what is due. False once the connection is over: the caller frees it. */
bool rcs_connection_serve(struct rcs_faulty *server, struct rcs_connection *connection, bool readable, uint64_t now_us);
/* What poll should ask for, and when the connection is due (UINT64_MAX: never). */
short rcs_connection_wants(const struct rcs_connection *connection);
uint64_t rcs_connection_due(const struct rcs_connection *connection);
void rcs_connection_free(struct rcs_connection *connection);

/*
 * Reads one request from the front of `in`. 1: `*request` is one, on the heap, and `*used` bytes belong to it; 0: not
 * all of it has come; -1: it isn't HTTP, or too much; a negative HTTP status: it is refused with that.
 */
int rcs_request_read(const struct rcs_bytes *in, struct rcs_faulty_request **request, size_t *used);
void rcs_request_free(struct rcs_faulty_request *request);
/* Wakes the loop: there is something to do that no descriptor tells. Any thread. */
void rcs_faulty_wake(struct rcs_faulty *server);
/* Adds a JSON text; bytes of 0x80 and above are written as \u0080 to \u00ff. */
void rcs_quote(struct rcs_bytes *out, const char *text, size_t size);

/* Logs a request, which is the server's from now on, and makes the answer of its path ready. */
void rcs_faulty_receive(struct rcs_faulty *server, struct rcs_faulty_request *request, struct rcs_reply *reply);

#endif
