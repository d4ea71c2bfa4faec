/*
 * HTTP exchanges on libcurl's multi-socket interface.
 *
 * An exchange (struct recourse_transfer) runs in a lane, which is one multi handle with up to RCS_LANE_MAX exchanges,
 * since a multi handle walks all its connections on each request. Timeouts are our own timers; libcurl's are off.
 */
#ifndef RCS_IO_HTTP_H
#define RCS_IO_HTTP_H

#include "src/io/http_answer.h"
#include "src/io/loop.h"

#include <curl/curl.h>

#define RCS_LANE_MAX 64u
#define RCS_HTTP_POOL_MAX 256u
#define RCS_HTTP_POOL_KEPT 64u /* when it is quiet */
#define RCS_HTTP_URLS_MAX 16u
/* Bytes that libcurl receives at once: each exchange under way holds so many. The large ones are for as many exchanges as
   RCS_HTTP_LARGE_FOR after an answer that the small ones had been too small for. */
#define RCS_HTTP_RECEIVE_SMALL 2048L
#define RCS_HTTP_RECEIVE_LARGE 16384L
#define RCS_HTTP_LARGE_FOR 64u

struct rcs_http;
struct rcs_url;

/* A connection under TLS that an exchange is on. */
struct rcs_tls_end {
    const void *connection; /* NULL: none */
    bool ended;             /* by close_notify */
};

/* One multi handle. Lives at one address, since libcurl holds it. */
struct rcs_lane {
    struct rcs_http *http;
    CURLM *multi;
    struct rcs_timer timer;
    struct rcs_after after; /* looks at what libcurl has ended */
    unsigned transfers; /* added and not removed */
    unsigned running;   /* of them, those that libcurl has not ended */
    unsigned sockets;   /* connections that are open */
    bool by_socket;     /* libcurl works because a socket is ready, not because a time has come */
    uint64_t now_ms;    /* when that was: one look at the clock for all that it calls back */
    struct rcs_tls_end tls[RCS_LANE_MAX];
};

/*
 * An exchange. Out of use it is kept with its easy handle, which was told once what is the same for all and who its user
 * is; then all from `lane` on is zero.
 */
struct recourse_transfer {
    struct rcs_http *http;
    CURL *easy;
    struct curl_slist *lines; /* the header as libcurl wants it */
    size_t lines_size;        /* bytes that there is room for */
    struct rcs_lane *closer;  /* whom libcurl tells when it closes the handle's sockets */
    bool receives_large;      /* RCS_HTTP_RECEIVE_LARGE at once */
    struct rcs_answer answer; /* its header's buffer is kept */
    struct rcs_lane *lane;
    struct rcs_url *url;
    struct rcs_tls_end *tls; /* of the lane; NULL: no TLS, or one that can't tell */
    struct recourse_transfer *previous;
    struct recourse_transfer *next;
    const struct recourse_http_request *request; /* the caller's */
    void (*done)(void *user, const struct recourse_http_response *response);
    void *user;
    struct rcs_timer timer; /* the earliest of the three timeouts */
    uint64_t started_ms;
    uint64_t active_ms; /* when bytes last went either way; from the sending on */
    curl_off_t received;
    curl_off_t uploaded;
    unsigned sendings;  /* how often libcurl was about to send the request */
    int fd;             /* of its connection, as far as libcurl has told; -1: unknown */
    int queued;         /* bytes that the system still had to send, when that was last asked; 0: never */
    long errno_before;  /* libcurl's note of a system error, when it first was */
    bool plain;         /* http: nobody else is on the connection */
    bool replayed;      /* libcurl wanted to send it again */
    bool no_watch;      /* its socket could not be watched */
    bool paused;        /* whoever started it has no room for the body now */
    bool failed;        /* libcurl could not go on after a pause, as `failure` says */
    bool streams;       /* its body goes to the caller as it comes: known once the first block is there */
    bool looked;        /* `streams` is known */
    bool enough;        /* whoever started it has seen what was wanted */
    bool cut;           /* and it was ended before its end had come */
    bool closes;        /* its connection is not to be kept */
    bool progress;      /* libcurl was told to call on_progress */
    bool reset;         /* it was told more that can't be taken back singly */
    bool finishing;     /* `done` runs */
    CURLcode failure;
    size_t granted;     /* bytes of the body that there is room for, the ones that came included */
    char detail[CURL_ERROR_SIZE]; /* last, see wipe() */
};

struct rcs_http {
    struct rcs_loop *loop;
    const struct recourse_allocator *allocator;
    struct rcs_lane **lanes;
    size_t lane_count;
    size_t lane_capacity;
    struct recourse_transfer *transfers;
    size_t transfer_count;
    size_t timer_room; /* see rcs_loop_reserve_timers */
    unsigned idle_max; /* connections kept, per lane */
    struct rcs_timer quiet; /* some time after a lane has become empty: gives back what nobody needs any more */
    bool ready;        /* libcurl was begun and looked at */
    bool http2;        /* it may be spoken */
    bool inflates;     /* it can undo gzip and deflate */
    bool tells_end;    /* rcs_tls_can_tell */
    unsigned large_left; /* exchanges to be started that receive large */
    unsigned pool_count;
    struct recourse_transfer *pool[RCS_HTTP_POOL_MAX]; /* out of use, with their easy handles */
    struct rcs_url *urls[RCS_HTTP_URLS_MAX];           /* the last ones, by hash; may be NULL */
};

void rcs_http_init(struct rcs_http *http, struct rcs_loop *loop, unsigned idle_max);
/* Cancels what is in flight, without `done`, and closes all connections. */
void rcs_http_clear(struct rcs_http *http);
/* As http_start, http_cancel, http_touch and http_resume of the port. */
RECOURSE_MUST_USE int rcs_http_start(struct rcs_http *http, const struct recourse_http_request *request,
                                     void (*done)(void *user, const struct recourse_http_response *response),
                                     void *user, struct recourse_transfer **transfer);
bool rcs_http_cancel(struct rcs_http *http, struct recourse_transfer *transfer);
void rcs_http_touch(struct recourse_transfer *transfer);
void rcs_http_resume(struct recourse_transfer *transfer);

/* ---- global.c ---- */

/* Begins libcurl, if recourse_global_init has left that for the first exchange. Errors: RECOURSE_E_SYSTEM. [any thread] */
RECOURSE_MUST_USE int rcs_global_begin(void);

/* ---- http_lane.c ---- */

/* A lane with room, made if need be; NULL: no memory. */
struct rcs_lane *rcs_lane_with_room(struct rcs_http *http);
void rcs_lane_free(struct rcs_lane *lane);
/* Errors: RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int rcs_lane_add(struct rcs_lane *lane, struct recourse_transfer *transfer);
void rcs_lane_remove(struct recourse_transfer *transfer);
/* Its exchange has ended well and left its connection to be kept: whatever comes on it now is nobody's answer. */
void rcs_lane_rest(const struct recourse_transfer *transfer);
/* Gives up empty lanes, all but one. */
void rcs_lanes_trim(struct rcs_http *http);
/* Called by the lane for each exchange that libcurl has ended; it is still in the lane. */
void rcs_http_ended(struct recourse_transfer *transfer, CURLcode result);
/* The socket of an exchange can't be watched: ends it from the loop. */
void rcs_http_unwatchable(struct recourse_transfer *transfer);
/* For CURLOPT_OPENSOCKETFUNCTION (with the transfer) and CURLOPT_CLOSESOCKETFUNCTION (with the lane). */
curl_socket_t rcs_lane_open_socket(void *transfer, curlsocktype purpose, struct curl_sockaddr *address);
int rcs_lane_close_socket(void *lane, curl_socket_t fd);

/* ---- http_url.c ---- */

/* Finds or reads a URL, which is held until it is released. Errors: RECOURSE_E_ARGUMENT, RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int rcs_url_hold(struct rcs_http *http, const char *text, struct rcs_url **url);
void rcs_url_release(struct rcs_http *http, struct rcs_url *url); /* may be NULL */
bool rcs_url_is_plain(const struct rcs_url *url); /* http */
CURLU *rcs_url_parts(const struct rcs_url *url);
/* Releases those that are kept. */
void rcs_urls_clear(struct rcs_http *http);

/* ---- http_request.c ---- */

/* Refuses what must not reach libcurl, but for the URL. Errors: RECOURSE_E_ARGUMENT. */
RECOURSE_MUST_USE int rcs_http_check(const struct recourse_http_request *request);
/* Tells a new or reset easy handle what holds for every request, but for callbacks. Returns false: no memory. */
RECOURSE_MUST_USE bool rcs_http_prepare(CURL *easy, bool http2);
/* Tells a prepared handle all about the request, but for callbacks. Errors: RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int rcs_http_describe(struct recourse_transfer *transfer);

/* ---- http_tls.c ---- */

/* Whether libcurl's TLS is one that can be asked for its end. */
bool rcs_tls_can_tell(void);
/* Has its handle's connections watched. Returns false: no memory. */
RECOURSE_MUST_USE bool rcs_tls_watch(struct recourse_transfer *transfer);
/* The exchange is on a connection now; it is not any more. */
void rcs_tls_begin(struct recourse_transfer *transfer);
void rcs_tls_forget(struct recourse_transfer *transfer);
/* Of an exchange that has ended well: whether its answer ended with a connection that was cut. */
bool rcs_tls_was_cut(const struct recourse_transfer *transfer);

/* ---- http_outcome.c ---- */

/* Whether a byte of the request has gone out. */
bool rcs_http_sent(const struct recourse_transfer *transfer);
/* Says what libcurl's result means. `detail` may be replaced. */
void rcs_http_judge(struct recourse_transfer *transfer, CURLcode result, struct recourse_http_response *response);
/* Says that one of our timers ended it. */
void rcs_http_judge_timeout(struct recourse_transfer *transfer, enum recourse_timeout timeout,
                            struct recourse_http_response *response);

#endif
