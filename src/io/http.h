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

#define RCS_LANE_MAX 256u
#define RCS_HTTP_POOL_MAX 64u

struct rcs_http;

/* One multi handle. Lives at one address, since libcurl holds it. */
struct rcs_lane {
    struct rcs_http *http;
    CURLM *multi;
    struct rcs_timer timer;
    unsigned transfers; /* added and not removed */
    unsigned sockets;   /* connections that are open */
    bool by_socket;     /* libcurl works because a socket is ready, not because a time has come */
};

struct recourse_transfer {
    struct rcs_http *http;
    struct rcs_lane *lane;
    struct recourse_transfer *previous;
    struct recourse_transfer *next;
    const struct recourse_http_request *request; /* the caller's */
    void (*done)(void *user, const struct recourse_http_response *response);
    void *user;
    CURL *easy;
    struct curl_slist *lines;
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
    bool no_room;       /* whoever started it had no memory left for the body */
    bool streams;       /* its body goes to the caller as it comes: known once the first block is there */
    bool looked;        /* `streams` is known */
    bool enough;        /* whoever started it has seen what was wanted */
    bool cut;           /* and it was ended before its end had come */
    bool closes;        /* its connection is not to be kept */
    bool finishing;     /* `done` runs */
    struct rcs_answer answer;
    char detail[CURL_ERROR_SIZE];
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
    bool emptied;      /* a lane has become empty */
    unsigned pool_count;
    CURL *pool[RCS_HTTP_POOL_MAX];
};

void rcs_http_init(struct rcs_http *http, struct rcs_loop *loop, unsigned idle_max);
/* Cancels what is in flight, without `done`, and closes all connections. */
void rcs_http_clear(struct rcs_http *http);
/* As http_start and http_cancel of the port. */
RECOURSE_MUST_USE int rcs_http_start(struct rcs_http *http, const struct recourse_http_request *request,
                                     void (*done)(void *user, const struct recourse_http_response *response),
                                     void *user, struct recourse_transfer **transfer);
bool rcs_http_cancel(struct rcs_http *http, struct recourse_transfer *transfer);
/* After each poll: gives up lanes that nobody needs, all but one spare. */
void rcs_http_trim(struct rcs_http *http);

/* ---- http_lane.c ---- */

/* A lane with room, made if need be; NULL: no memory. */
struct rcs_lane *rcs_lane_with_room(struct rcs_http *http);
void rcs_lane_free(struct rcs_lane *lane);
/* Errors: RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int rcs_lane_add(struct rcs_lane *lane, struct recourse_transfer *transfer);
void rcs_lane_remove(struct recourse_transfer *transfer);
/* Called by the lane for each exchange that libcurl has ended; it is still in the lane. */
void rcs_http_ended(struct recourse_transfer *transfer, CURLcode result);
/* The socket of an exchange can't be watched: ends it from the loop. */
void rcs_http_unwatchable(struct recourse_transfer *transfer);
/* For CURLOPT_OPENSOCKETFUNCTION (with the transfer) and CURLOPT_CLOSESOCKETFUNCTION (with the lane). */
curl_socket_t rcs_lane_open_socket(void *transfer, curlsocktype purpose, struct curl_sockaddr *address);
int rcs_lane_close_socket(void *lane, curl_socket_t fd);

/* ---- http_request.c ---- */

/* Refuses what must not reach libcurl. Errors: RECOURSE_E_ARGUMENT, RECOURSE_E_MEMORY. `*plain`: the scheme is http. */
RECOURSE_MUST_USE int rcs_http_check(const struct recourse_http_request *request, bool *plain);
/* Tells the easy handle all about the request, but for callbacks. `transfer->lines` is freed after the handle was
   reset. Errors: RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int rcs_http_describe(struct recourse_transfer *transfer);

/* ---- http_outcome.c ---- */

/* Whether a byte of the request has gone out. */
bool rcs_http_sent(const struct recourse_transfer *transfer);
/* Says what libcurl's result means. `detail` may be replaced. */
void rcs_http_judge(struct recourse_transfer *transfer, CURLcode result, struct recourse_http_response *response);
/* Says that one of our timers ended it. */
void rcs_http_judge_timeout(struct recourse_transfer *transfer, enum recourse_timeout timeout,
                            struct recourse_http_response *response);

#endif
