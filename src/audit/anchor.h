/*
 * Anchors: how far a log goes, in the text form of C2SP's tlog-checkpoint, signed or not as its signed-note.
 *
 *   recourse-audit/0123...             the log, by the id in its headers: 32 hex digits
 *   4711                               records, over all its files
 *   base64                             the hash of the last of them
 *
 *   — recourse-audit/0123... base64    4 bytes that stand for the key, and its signature of the three lines
 *
 * A log is a chain and no tree: size and hash say the same as a tree's would, but there are no proofs of parts.
 */
#ifndef RCS_AUDIT_ANCHOR_H
#define RCS_AUDIT_ANCHOR_H

#include <recourse/audit.h>

#include "src/audit/chain.h"

struct rcs_anchor {
    uint8_t log[RCS_LOG_ID_SIZE];
    uint64_t size;
    uint8_t hash[RCS_HASH_SIZE];
};

/* Errors: RECOURSE_E_SYSTEM. */
RECOURSE_MUST_USE int rcs_anchor_write(const struct rcs_anchor *anchor, const struct recourse_audit_signer *signer,
                                       char text[RECOURSE_AUDIT_ANCHOR_MAX]);
/* NULL, or what is wrong. With a `key` one of the signatures has to be its own. */
const char *rcs_anchor_read(struct recourse_span text, const uint8_t key[32], struct rcs_anchor *anchor);

#endif
