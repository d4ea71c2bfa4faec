/*
 * Approvals that are open. Each has a number that is used once; answers may come from any thread and are handed to the
 * runner's by mail.
 */
#ifndef RCS_APPROVAL_H
#define RCS_APPROVAL_H

#include <pthread.h>

#include <recourse/runner.h>

#include "src/tools/mailbox.h"

struct rcs_approval_answer {
    bool approved;
    uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE]; /* of what was asked about */
};

struct rcs_approval_slot {
    void *asker;
    uint32_t generation; /* counts the uses of this slot */
    uint32_t next;       /* in the list of free, or of answered ones */
    uint8_t state;
    struct rcs_approval_answer answer;
};

struct rcs_approvals {
    pthread_mutex_t lock;
    struct rcs_approval_slot *slots;
    size_t capacity;
    uint32_t count;
    uint32_t free;     /* first of the free ones */
    uint32_t answered; /* first and last of those that wait to be handed over */
    uint32_t answered_last;
    const struct recourse_allocator *allocator;
    struct rcs_mailbox *mailbox;
    struct rcs_mail mail; /* "look at the answers"; its `open` is the runner's */
};

/* Errors: RECOURSE_E_SYSTEM. */
RECOURSE_MUST_USE int rcs_approvals_init(struct rcs_approvals *approvals, const struct recourse_allocator *allocator,
                                         struct rcs_mailbox *mailbox);
void rcs_approvals_clear(struct rcs_approvals *approvals);
/* Opens one for `asker`, about what has this digest. 0: no memory. */
uint64_t rcs_approvals_open(struct rcs_approvals *approvals, void *asker,
                            const uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE]);
/* Closes one. True if it has an answer that was not handed over yet: `*answer` then. */
bool rcs_approvals_close(struct rcs_approvals *approvals, uint64_t number, struct rcs_approval_answer *answer);
/* Returns whether the answer was taken. [any thread] */
bool rcs_approvals_answer(struct rcs_approvals *approvals, uint64_t number,
                          const uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE], bool approved);
/* Hands over the oldest answer and closes it; NULL: there is none. */
void *rcs_approvals_take(struct rcs_approvals *approvals, struct rcs_approval_answer *answer);

#endif
