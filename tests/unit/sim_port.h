/*
 * A simulated port: a clock that moves only when somebody waits, and HTTP answers from a script. Tests with it take
 * no time.
 *
 * Threads are real where a test wants them: `submit` runs work on a thread of its own, and while `real` is set a poll
 * waits for a wake instead of moving the clock.
 */
#ifndef RCS_SIM_PORT_H
#define RCS_SIM_PORT_H

#include <pthread.h>

#include <recourse/runner.h>

#define SIM_ROUTES_MAX 8u
#define SIM_REQUESTS_MAX 64u
#define SIM_THREADS_MAX 16u

/* How one exchange ends. An answer of all zeros never ends by itself: its deadline does. */
struct sim_answer {
    uint64_t after_ms;
    uint16_t status;
    uint8_t network;
    uint8_t timeout;
    bool unsent;
    bool protocol;
    bool too_large;
    const char *phrase; /* NULL: "" */
    const char *body;   /* NULL: "" */
    size_t body_size;   /* 0: up to its NUL */
    const char *detail; /* NULL: "" */
    const struct recourse_header *headers;
    size_t header_count;
    size_t piece; /* so many bytes of a streamed body come at once; 0: all */
};

/* The answers of one URL, in order; the last one stays. What asks for nothing but a stream of events has routes of its own:
   "GET http://..." and "DELETE http://..."; without one it is answered 405. */
struct sim_route {
    const char *url; /* up to the query */
    const struct sim_answer *answers;
    size_t count;
    size_t asked;
};

/* What the server saw. */
struct sim_request {
    uint64_t at_ms;
    char method[8];
    char url[256];
    char body[1024];
    char headers[1024]; /* joined by "|" */
    uint64_t deadline_ms;
    uint64_t connect_timeout_ms;
    uint64_t read_timeout_ms;
    size_t body_max;
    bool cancelled;
    unsigned touches; /* its read timeout was moved */
};

struct sim {
    struct recourse_port port;
    uint64_t now_ms;
    uint64_t wall_s;
    uint64_t random;    /* each word that is asked for, in turn one more */
    int random_error;
    int http_error;     /* what http_start answers, if not 0 */
    int submit_error;   /* likewise */
    bool real;          /* a poll waits for a wake */
    bool hold_work;     /* work that is submitted waits for sim_release_work */
    bool stuck;         /* a poll without end had nothing to wait for */
    struct sim_route routes[SIM_ROUTES_MAX];
    size_t route_count;
    struct sim_request requests[SIM_REQUESTS_MAX];
    size_t request_count;
    struct sim_request streams[SIM_REQUESTS_MAX]; /* those that ask for nothing but a stream of events */
    size_t stream_count;
    size_t in_flight;
    size_t in_flight_max;
    struct recourse_transfer *transfers;
    bool (*more)(void *user); /* what else a poll does; true: it did something, and the clock stands still. May be NULL */
    void *more_user;
    pthread_mutex_t lock;
    pthread_cond_t woken_up;
    bool woken;
    unsigned wakes;
    pthread_t threads[SIM_THREADS_MAX];
    size_t thread_count;
    void (*held[SIM_THREADS_MAX])(void *user);
    void *held_user[SIM_THREADS_MAX];
    size_t held_count;
};

void sim_init(struct sim *sim, uint64_t now_ms);
/* Joins its threads. */
void sim_clear(struct sim *sim);
void sim_route(struct sim *sim, const char *url, const struct sim_answer *answers, size_t count);
void sim_release_work(struct sim *sim);

#endif
