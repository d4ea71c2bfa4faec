/*
 * Room for answers: whoever has none waits, and loses nothing.
 *
 * The last bytes of the runner's bound, as many as one answer may have, are kept for one claim at a time: it goes on to its
 * full size, whatever the others hold. So there is always one that ends, and gives back what the next one needs.
 * Belongs to the thread of the runner.
 */
#ifndef RCS_ROOM_H
#define RCS_ROOM_H

#include "src/core/list.h"
#include "src/tools/mailbox.h"

/* What one answer holds, embedded in its try. */
struct rcs_claim {
    struct rcs_link link; /* among those that wait, oldest first */
    size_t taken;         /* bytes, of the mailbox's bound */
    size_t wanted;        /* by the question that was put off */
    void (*resume)(struct rcs_claim *claim); /* asks again; NULL: it can't wait, and is never put off */
};

struct rcs_room {
    struct rcs_mailbox *mailbox;
    size_t shared;           /* of the bound, what all may take; the rest is for `first` */
    struct rcs_claim *first; /* who goes on in any case; NULL: nobody had to yet */
    struct rcs_link waiting;
};

/* `answer_max`: bytes that one answer may have. */
void rcs_room_init(struct rcs_room *room, struct rcs_mailbox *mailbox, size_t memory_max, size_t answer_max);
/* Whether something new should be begun: nobody waits, and what all may take is not used up. */
bool rcs_room_is_open(const struct rcs_room *room);
/* Whether rcs_room_serve would do something. */
bool rcs_room_has_work(const struct rcs_room *room);
/* Those that waited and have room now ask again. Never from within a callback of the port. */
void rcs_room_serve(struct rcs_room *room);

void rcs_claim_init(struct rcs_claim *claim, void (*resume)(struct rcs_claim *claim));
/* `size` bytes more of an answer. False: not now; `resume` comes later. */
bool rcs_claim_more(struct rcs_room *room, struct rcs_claim *claim, size_t size);
/* It holds so many bytes, neither more nor less, even beyond the bound. */
void rcs_claim_set(struct rcs_room *room, struct rcs_claim *claim, size_t size);
/* Nobody wants the answer any more: it waits no longer, and is first no longer, but holds what it has. */
void rcs_claim_leave(struct rcs_room *room, struct rcs_claim *claim);
/* Gives all back, and waits no more. */
void rcs_claim_end(struct rcs_room *room, struct rcs_claim *claim);

#endif
