/* What the runner tells the log. The thread of the runner calls all of it. */
#ifndef RCS_AUDIT_H
#define RCS_AUDIT_H

#include <recourse/audit.h>
#include <recourse/runner.h>

/* One decision about a call, with all that it was made from. */
struct rcs_audited {
    const struct recourse_policy *policy;
    const struct recourse_decision *decision;
    const struct recourse_input *input;
    const struct recourse_result *result; /* with a report; else NULL */
    uint64_t *call; /* the call's number in the log: 0 before its first record */
    struct recourse_span id;
    struct recourse_span tool;
    struct recourse_span arguments;
    bool tool_known;      /* a tool of ours: its name is no secret */
    bool safe;            /* by policy and configuration */
    bool declared_safe;   /* by configuration */
    bool declared_unsafe;
    uint64_t began_ms;
    uint64_t deadline_ms; /* the host's; RECOURSE_FOREVER: none */
};

/* Appends the records of a decision to what will be written. 0, or why it is lost. */
RECOURSE_MUST_USE int rcs_audit_record(struct recourse_audit *audit, const struct rcs_audited *what);

/* A call ends without a decision: the program fails it. `try_number`: tries begun. 0, or why the record is lost. */
RECOURSE_MUST_USE int rcs_audit_broken(struct recourse_audit *audit, uint64_t *call, unsigned try_number,
                                       const struct recourse_result *result, int code, uint64_t now_ms);

/* Whether a call's id looks like one, and is no secret. */
bool rcs_audit_shows_id(struct recourse_span id);

/* Whether a try of such a tool, by such a policy, is held back until rcs_audit_flush has said that it may begin. */
bool rcs_audit_holds(const struct recourse_audit *audit, const struct recourse_policy *policy, bool safe);

/*
 * Writes what was appended. 0, or an error: all of it is lost then, and counted. `*mark` (may be NULL) is how far the
 * log goes, for rcs_audit_synced.
 */
RECOURSE_MUST_USE int rcs_audit_flush(struct recourse_audit *audit, uint64_t *mark);
/* Whether there is something to flush. */
bool rcs_audit_has_more(const struct recourse_audit *audit);

/*
 * Whether the log is on the disk as far as `mark`; or need not be. If not, a sync is begun, unless one is under way;
 * `told` comes when it has ended, from any thread. Errors: RECOURSE_E_SYSTEM (syncing fails).
 */
RECOURSE_MUST_USE int rcs_audit_synced(struct recourse_audit *audit, uint64_t mark, bool *synced);
void rcs_audit_listen(struct recourse_audit *audit, void (*told)(void *user), void *user);
/* Nobody is told any more; a sync under way is waited for. */
void rcs_audit_deafen(struct recourse_audit *audit);

#endif
