/*
 * The record: a log of what was decided about every call, which can be checked against the policy afterwards, by
 * anyone, with `recourse audit verify`. src/audit/README.md describes its format.
 *
 * What becomes of a try whose record can't be written is the policy's to say (its setting `audit`): it is made, and the
 * log says how many records are lost, or it ends by the event `unrecorded`.
 *
 * One runner writes into one log, and one log has one writer at a time. What was called with what, and what came back,
 * is not in it: only keyed hashes, whose salts go into a file of their own, the disclosure, which may be kept
 * elsewhere, or deleted.
 */
#ifndef RECOURSE_AUDIT_H
#define RECOURSE_AUDIT_H

#include <recourse/policy.h>
#include <recourse/port.h>

#ifdef __cplusplus
extern "C" {
#endif

struct recourse_audit;

/* When what was written is synced to the disk. Written it is, in any mode, before an unsafe tool is touched. */
enum recourse_audit_sync {
    RECOURSE_AUDIT_BEFORE_EFFECT =
        0,                    /* the attempt of an unsafe tool before the tool is touched, the rest in batches */
    RECOURSE_AUDIT_NONE = 1,  /* never: what the system has not written yet is lost with it */
    RECOURSE_AUDIT_BATCH = 2, /* in batches, and at the end */
    RECOURSE_AUDIT_EVERY = 3, /* every attempt before its tool is touched, the rest at the end of each step */
    RECOURSE_AUDIT_SYNC_COUNT = 4
};

struct recourse_audit_options {
    size_t size;            /* sizeof(struct recourse_audit_options) */
    struct recourse_port *port; /* the runner's; must outlive the log. Syncing runs on its threads */
    const struct recourse_allocator *allocator; /* NULL: malloc. Must outlive the log */
    const struct recourse_policy *policy;       /* the runner's: its digests stand in the header */
    const char *path;       /* a log that is there is gone on with; a new one is private (0600) */
    const char
        *disclosure; /* salts, and what `capture` keeps, are appended to it (0600); NULL: nobody will ever know them */
    uint8_t sync;           /* enum recourse_audit_sync */
    bool capture;           /* write arguments, results, errors and headers into the disclosure */
    uint64_t segment_max;   /* bytes, after which PATH becomes PATH.1 (.2, ...) and a new PATH goes on; 0: 64 MiB */
};

/*
 * Opens a log. One that is there is read first, from its beginning: a torn last line, or what a machine that stopped has left of
 * sectors that were not synced, is put into PATH.torn, cut, and the cut recorded. Errors: RECOURSE_E_ARGUMENT;
 * RECOURSE_E_MEMORY; RECOURSE_E_SYNTAX (it is damaged before: the text says where; nothing was changed); RECOURSE_E_STATE
 * (another writer has it); RECOURSE_E_SYSTEM.
 */
RECOURSE_MUST_USE int recourse_audit_open(const struct recourse_audit_options *options, struct recourse_audit **audit,
                                          struct recourse_error *error);
/*
 * Ends the log, after its runner is gone: writes what is left, syncs it (but with RECOURSE_AUDIT_NONE), and frees it.
 * Errors: RECOURSE_E_SYSTEM (something could not be written, to the log or to the disclosure; the text says what, why, and
 * how many records were lost). NULL is no error.
 */
RECOURSE_MUST_USE int recourse_audit_close(struct recourse_audit *audit, struct recourse_error *error);

/* Who signs anchors: with Ed25519, whose key may be anywhere. */
struct recourse_audit_signer {
    uint8_t public_key[32];
    /* Signs `text`. Anything but 0 is passed on as RECOURSE_E_SYSTEM. */
    int (*sign)(void *user, struct recourse_span text, uint8_t signature[64]);
    void *user;
};

#define RECOURSE_AUDIT_ANCHOR_MAX 512u /* bytes of an anchor, its NUL included */

/*
 * An anchor: how far the log goes, and the hash of its last record, as text (the form of C2SP's tlog-checkpoint, signed as
 * its signed-note if there is a `signer`). Kept elsewhere, it proves later that nothing before it was cut off or rewritten:
 * `recourse audit verify --anchor`. What was recorded is written, and synced (but with RECOURSE_AUDIT_NONE), before. On the
 * runner's thread. Errors: RECOURSE_E_STATE (in a fork's child), RECOURSE_E_SYSTEM.
 */
RECOURSE_MUST_USE int recourse_audit_anchor(struct recourse_audit *audit, const struct recourse_audit_signer *signer,
                                            char text[RECOURSE_AUDIT_ANCHOR_MAX]);

/* Records that were lost so far because they could not be written. */
uint64_t recourse_audit_lost(const struct recourse_audit *audit);

#ifdef __cplusplus
}
#endif
#endif
