/*
 * What other threads share with a runner: its mail, the bound of its memory, and its last look at the clock.
 *
 * A mailbox is reference-counted, since a function may answer after its runner is gone. Mail is embedded in what is
 * sent, so that posting never fails for want of memory.
 */
#ifndef RCS_MAILBOX_H
#define RCS_MAILBOX_H

#include <recourse/port.h>

struct rcs_mailbox;

/* A letter. Zero it, then set `open`. The mailbox holds it from post until it is taken or removed. */
struct rcs_mail {
    struct rcs_mail *next;
    struct rcs_mail *previous;
    bool posted;
    void (*open)(struct rcs_mail *mail); /* called by the thread of the runner */
};

/* A mailbox with one reference. NULL: no memory. `allocator` is copied; `port` is used until rcs_mailbox_close. */
struct rcs_mailbox *rcs_mailbox_new(struct recourse_port *port, const struct recourse_allocator *allocator,
                                    size_t memory_max);
/* [any thread] */
void rcs_mailbox_hold(struct rcs_mailbox *box);
void rcs_mailbox_release(struct rcs_mailbox *box);
const struct recourse_allocator *rcs_mailbox_allocator(const struct rcs_mailbox *box);

/* Posts a letter and wakes the runner if it is not at work already. What is posted already stays once. False: the
   mailbox is closed, the letter was not taken. [any thread] */
bool rcs_mailbox_post(struct rcs_mailbox *box, struct rcs_mail *mail);
/* Takes a letter back that may have been posted. */
void rcs_mailbox_remove(struct rcs_mailbox *box, struct rcs_mail *mail);
/* The oldest letter; NULL if there is none. */
struct rcs_mail *rcs_mailbox_take(struct rcs_mailbox *box);
size_t rcs_mailbox_count(struct rcs_mailbox *box);

/* The runner is at work and will look into the mailbox before it waits again: nobody needs to wake it. */
void rcs_mailbox_attend(struct rcs_mailbox *box);
/* It is about to wait. True if there is mail: it should not. */
bool rcs_mailbox_leave(struct rcs_mailbox *box);
/* The runner goes: from now on nothing is posted and the port is not touched. What is inside can still be taken. */
void rcs_mailbox_close(struct rcs_mailbox *box);

/* The bound: arguments and replies together. False if `size` more would be beyond it. [any thread] */
bool rcs_mailbox_reserve(struct rcs_mailbox *box, size_t size);
/* Counts `size` even beyond the bound. [any thread] */
void rcs_mailbox_charge(struct rcs_mailbox *box, size_t size);
void rcs_mailbox_give_back(struct rcs_mailbox *box, size_t size);
size_t rcs_mailbox_used(const struct rcs_mailbox *box);

/* The port's clock when the runner last looked. [any thread] */
void rcs_mailbox_set_now(struct rcs_mailbox *box, uint64_t now_ms);
uint64_t rcs_mailbox_now(const struct rcs_mailbox *box);

#endif
