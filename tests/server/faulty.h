/*
 * A tool server that fails as it is told to: HTTP/1.1 on 127.0.0.1, one thread, C and libc alone.
 *
 * Each path has a script, a list of answers; each request takes the next one, and the last one stays. What came in is
 * logged, so that a client's account of its tries can be held against the server's own. An answer is a few words,
 * answers are set apart by ` | `:
 *
 *   429 header="Retry-After: 1" times=2 | 200 body='three pods'
 *
 *   NNN              the status; without one: 200
 *   phrase="..."     the status phrase, where it isn't the usual one
 *   header="N: v"    a header more; may be repeated
 *   body="..."       the body; escapes in quotes of either kind: \n \r \t \\ \" \' \xNN
 *   fill=N           N letters `x` after the body
 *   length=N         the Content-Length to claim, instead of the right one
 *   echo             the request's body is the body
 *   raw="..."        these bytes instead of an HTTP answer
 *   endless="..."    these bytes behind the answer, again and again
 *   wait=MS          nothing happens for so long
 *   trickle=MS       the answer comes byte by byte, so far apart
 *   close=WHERE      the connection is closed; WHERE is `before` the answer, in the `middle` of it (of its body, if it
 *                    has one), `after` it, or after so many bytes of it
 *   reset=WHERE      likewise, with a reset
 *   hang=WHERE       likewise, and not another byte comes, nor an end
 *   times=N          this answer is given N times
 *   reuse            for every request that isn't the first one of its connection; stands outside the list
 *
 * Two paths are the server's own: GET /_log is the log as JSON, POST /_reset does what rcs_faulty_reset does. A path
 * that has no script is answered 404, and logged.
 *
 * One that cannot get memory aborts: this is for tests.
 */
#ifndef RCS_FAULTY_H
#define RCS_FAULTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Requests with a larger body are refused with 413, and those with a larger head by closing. */
#define RCS_FAULTY_BODY_MAX ((size_t)64 << 20)
#define RCS_FAULTY_HEAD_MAX ((size_t)64 << 10)
/* Connections at once; more wait to be accepted. */
#define RCS_FAULTY_CONNECTIONS_MAX 512u

struct rcs_faulty;

struct rcs_faulty_header {
    const char *name;
    const char *value;
};

/* One request as it came. Lives until rcs_faulty_reset or rcs_faulty_free. Strings are NUL-terminated. */
struct rcs_faulty_request {
    unsigned connection; /* from 1, over the server's life */
    unsigned number;     /* on that connection, from 1 */
    uint64_t at_us;      /* CLOCK_MONOTONIC, when the last byte of it was read */
    const char *method;
    const char *path;    /* without the query */
    const char *query;   /* "" if there is none */
    const char *body;    /* any bytes, and a NUL after them */
    size_t body_size;
    const struct rcs_faulty_header *headers;
    size_t header_count;
    const char *note;    /* NULL, or a JSON object more for the log */
};

/* Listens on a port of the system's choice. NULL, with errno, if that can't be had. */
struct rcs_faulty *rcs_faulty_new(void);
unsigned rcs_faulty_port(const struct rcs_faulty *server);

/* Sets, or replaces, the script of `path`. Any thread, any time. False, with the reason in `why`, if it is none. */
bool rcs_faulty_script(struct rcs_faulty *server, const char *path, const char *script, char *why, size_t why_size);

/* Serves on a thread of its own until rcs_faulty_stop. 0 or an errno. */
int rcs_faulty_start(struct rcs_faulty *server);
/* Serves on the caller's thread: waits up to `timeout_ms` (-1: without end), does what there is to do, once. */
void rcs_faulty_step(struct rcs_faulty *server, int timeout_ms);

/* Closes the port and every connection, and ends the thread. The log stays. */
void rcs_faulty_stop(struct rcs_faulty *server);
void rcs_faulty_free(struct rcs_faulty *server);

/* Scripts begin again, the log is emptied. Connections stay. */
void rcs_faulty_reset(struct rcs_faulty *server);

/* How many requests came to `path` (NULL: to any), and number `index` of them; NULL past the last. Any thread. */
size_t rcs_faulty_count(struct rcs_faulty *server, const char *path);
const struct rcs_faulty_request *rcs_faulty_request(struct rcs_faulty *server, const char *path, size_t index);
/* The value of a header, by its name in any case; NULL if there is none. */
const char *rcs_faulty_header(const struct rcs_faulty_request *request, const char *name);
/* The whole log, as GET /_log gives it; bytes of 0x80 and above are written as \u0080 to \u00ff. Free it. */
char *rcs_faulty_log(struct rcs_faulty *server);

/* A port at which connecting neither succeeds nor fails: its queue is full, and nobody accepts. */
struct rcs_deaf {
    int listener;
    int waiting[8];
    unsigned port;
};
bool rcs_deaf_open(struct rcs_deaf *deaf);
void rcs_deaf_close(struct rcs_deaf *deaf);

#endif
