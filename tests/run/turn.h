/*
 * Turns over real sockets: cases are run at once against faulty servers, each on a port of its own, so that no case can
 * see another one's connections. Afterwards there are three accounts of each call to compare: the trail of its result,
 * the model's walk on the same words, and the server's log.
 */
#ifndef RCS_RUN_TURN_H
#define RCS_RUN_TURN_H

#include <recourse/runner.h>

#include "gen/compile.h"
#include "tests/server/faulty.h"

enum rcs_peer {
    RCS_PEER_SERVES = 0,
    RCS_PEER_REFUSES = 1, /* nobody listens */
    RCS_PEER_DEAF = 2,    /* connecting never ends */
    RCS_PEER_STOPS = 3    /* the server stops during the first wait */
};

struct rcs_socket_case {
    const char *name;   /* of the tool */
    const char *script; /* of the server; NULL: "200" */
    const char *words;  /* what happens, as `simulate` has it */
    const char *content;   /* what the model reads; NULL: not looked at */
    const char *arguments; /* NULL: "{}" */
    const char *method;    /* NULL: POST */
    uint64_t timeout_ms;
    uint64_t connect_timeout_ms;
    uint64_t read_timeout_ms;
    enum rcs_peer peer;
};

#define RCS_SOCKET_CASES_MAX 64u

struct rcs_table {
    const struct rcs_socket_case *cases;
    size_t count;
    struct rcs_faulty *servers[RCS_SOCKET_CASES_MAX];
    struct rcs_deaf deaf[RCS_SOCKET_CASES_MAX];
    size_t waits[RCS_SOCKET_CASES_MAX]; /* begun so far */
    struct recourse_port *port;
    struct recourse_runner *runner;
    struct recourse_run *run;
    struct recourse_turn *turn;
    uint64_t took_ms;
    unsigned on_results; /* how often on_result came, with the result of its call */
};

/* Sets up servers, a runner and a tool for each case. False, with a line on stderr, if something can't be had. */
bool rcs_table_open(struct rcs_table *table, const struct rcs_socket_case *cases, size_t count, size_t body_max);
/*
 * Runs one turn with a call for each case. `deadline_ms` (0: none) counts from now. `cancel_when` (NULL: never) is
 * asked after each step. The last turn stays for looking at.
 */
bool rcs_table_turn(struct rcs_table *table, uint64_t deadline_ms, bool (*cancel_when)(const struct rcs_table *table));
void rcs_table_close(struct rcs_table *table);

/* Compares the result of case `index` with the model's walk on `words`, step by step. */
void rcs_table_check_trail(const struct rcs_table *table, size_t index, const char *words, const struct rcs_spec *spec);
/* Compares it with the server's log, from request number `first` on: how many came, how far apart, what they bore. */
void rcs_table_check_log(const struct rcs_table *table, size_t index, size_t first);

/* Asserts, with the case's name in the message. */
#define RCS_CASE_EQUAL(table, index, actual, expected) \
    rcs_case_equal((table)->cases[index].name, (long long)(actual), (long long)(expected), #actual, __FILE__, __LINE__)
void rcs_case_equal(const char *name, long long actual, long long expected, const char *what, const char *file,
                    unsigned line);

#endif
