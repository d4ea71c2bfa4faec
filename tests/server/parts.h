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
};

struct rcs_script {
    char *path;
    struct rcs_answer *answers;
    size_t count;
    struct rcs_answer *reuse; /* one more answer, outside the list; NULL */
    size_t next;              /* of the answers, and how often it has been given */
    size_t given;
};

/* Reads a script's answers. False, with the reason in `why` and nothing kept, if they can't be read. */
bool rcs_script_read(struct rcs_script *script, const char *text, char *why, size_t why_size);
void rcs_script_clear(struct rcs_script *script);
/* The answer to the next request. */
const struct rcs_answer *rcs_script_take(struct rcs_script *script, bool reused);

/* An answer made ready for one request. */
struct rcs_reply {
    struct rcs_bytes bytes;
    size_t limit; /* of them that is sent before the end comes */
    enum rcs_end end;
    uint64_t wait_us;
    uint64_t trickle_us; /* 0: all at once */
};
void rcs_answer_write(const struct rcs_answer *answer, const struct rcs_faulty_request *request,
                      struct rcs_reply *reply);

enum rcs_connection_state { RCS_READING = 0, RCS_ANSWERING = 1, RCS_HANGING = 2 };

struct rcs_connection {
    int fd;
    unsigned id;
    unsigned requests;
    enum rcs_connection_state state;
    uint64_t due_us; /* ANSWERING: not before */
    struct rcs_bytes in;
    struct rcs_reply reply;
    size_t sent;
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

/* Logs a request, which is the server's from now on, and makes the answer of its path ready. */
void rcs_faulty_receive(struct rcs_faulty *server, struct rcs_faulty_request *request, struct rcs_reply *reply);

#endif
