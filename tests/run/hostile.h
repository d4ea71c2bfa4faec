/*
 * Calls of servers that mean harm, through the real runner and the policy `default`. Each case is called by two tools, one that
 * is safe and one that is not, all at once; then facts, decisions and what the server has counted are compared.
 */
#ifndef RCS_RUN_HOSTILE_H
#define RCS_RUN_HOSTILE_H

#include <recourse/runner.h>

struct rcs_hostile_case {
    const char *name;
    const char *script; /* of a faulty server; NULL: `url` is set otherwise */
    const char *method; /* NULL: POST */
    const char *const *headers; /* NULL-terminated; may be NULL */
    uint64_t timeout_ms;
    uint64_t connect_timeout_ms;
    uint64_t read_timeout_ms;
    const char *facts;  /* of each try: "protocol 200"; NULL: of none, it succeeds */
    /*
     * What becomes of the call of the tool that is not safe, and of the one that is: the row of facts and the effect of the last
     * try, the rows from the first try on (without those that begin a try), the scenario, who is told, and how many
     * requests have come: "D8 unknown: A6 A6 E4 check to model, 3".
     */
    const char *unsafe;
    const char *safe;
    const char *says; /* is in the detail; NULL: not looked at */
};

#define RCS_HOSTILE_MAX 64u
#define RCS_HOSTILE_WAYS 2u /* not safe, safe */

/* Where a case's server is, and how many requests it has had from its tools. */
struct rcs_hostile_peer {
    char url[RCS_HOSTILE_WAYS][96];
    const char *ca_file; /* NULL: the system's */
    unsigned (*count)(void *user, unsigned way);
    void *user;
};

struct rcs_hostile_options {
    size_t memory_max; /* 0: the runner's own */
    size_t body_max;   /* likewise */
    bool http2;        /* may be spoken */
};

/* Runs all cases and asserts what they say. */
void rcs_hostile_run(const struct rcs_hostile_case *cases, const struct rcs_hostile_peer *peers, size_t count,
                     const struct rcs_hostile_options *options);
/* Serves the scripts of the cases, one server each; and stops. */
bool rcs_hostile_serve(const struct rcs_hostile_case *cases, struct rcs_hostile_peer *peers, size_t count);
void rcs_hostile_stop(struct rcs_hostile_peer *peers, size_t count);

#endif
