#include "src/tools/mailbox.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "src/io/memory.h"

struct rcs_mailbox {
    pthread_mutex_t lock; /* guards the port, the list and the two flags */
    struct recourse_port *port;
    struct rcs_mail head; /* of a ring */
    size_t count;
    bool attended;
    bool closed;
    atomic_uint references;
    atomic_size_t used;
    size_t memory_max;
    _Atomic uint64_t now_ms;
    struct recourse_allocator copy;
    const struct recourse_allocator *allocator; /* `copy`, or NULL */
};

struct rcs_mailbox *rcs_mailbox_new(struct recourse_port *port, const struct recourse_allocator *allocator,
                                    size_t memory_max)
{
    struct rcs_mailbox *box = rcs_alloc(allocator, sizeof *box);

    if (box == NULL) {
        return NULL;
    }
    memset(box, 0, sizeof *box);
    if (pthread_mutex_init(&box->lock, NULL) != 0) {
        rcs_free(allocator, box);
        return NULL;
    }
    box->port = port;
    box->head.next = &box->head;
    box->head.previous = &box->head;
    atomic_init(&box->references, 1);
    atomic_init(&box->used, 0);
    atomic_init(&box->now_ms, 0);
    box->memory_max = memory_max;
    if (allocator != NULL) {
        box->copy = *allocator;
        box->allocator = &box->copy;
    }
    return box;
}

void rcs_mailbox_hold(struct rcs_mailbox *box)
{
    atomic_fetch_add(&box->references, 1);
}

void rcs_mailbox_release(struct rcs_mailbox *box)
{
    struct recourse_allocator copy;
    bool own;

    if (atomic_fetch_sub(&box->references, 1) > 1) {
        return;
    }
    assert(box->head.next == &box->head);
    own = box->allocator != NULL;
    copy = box->copy;
    pthread_mutex_destroy(&box->lock);
    rcs_free(own ? &copy : NULL, box);
}

const struct recourse_allocator *rcs_mailbox_allocator(const struct rcs_mailbox *box)
{
    return box->allocator;
}

bool rcs_mailbox_post(struct rcs_mailbox *box, struct rcs_mail *mail)
{
    bool taken;

    pthread_mutex_lock(&box->lock);
    taken = !box->closed;
    if (taken && !mail->posted) {
        mail->posted = true;
        mail->next = &box->head;
        mail->previous = box->head.previous;
        box->head.previous->next = mail;
        box->head.previous = mail;
        box->count++;
        if (!box->attended) {
            box->attended = true; /* one wake is enough */
            box->port->wake(box->port->self);
        }
    }
    pthread_mutex_unlock(&box->lock);
    return taken;
}

static void unlink_mail(struct rcs_mailbox *box, struct rcs_mail *mail)
{
    mail->previous->next = mail->next;
    mail->next->previous = mail->previous;
    mail->posted = false;
    box->count--;
}

void rcs_mailbox_remove(struct rcs_mailbox *box, struct rcs_mail *mail)
{
    pthread_mutex_lock(&box->lock);
    if (mail->posted) {
        unlink_mail(box, mail);
    }
    pthread_mutex_unlock(&box->lock);
}

struct rcs_mail *rcs_mailbox_take(struct rcs_mailbox *box)
{
    struct rcs_mail *mail = NULL;

    pthread_mutex_lock(&box->lock);
    if (box->head.next != &box->head) {
        mail = box->head.next;
        unlink_mail(box, mail);
    }
    pthread_mutex_unlock(&box->lock);
    return mail;
}

size_t rcs_mailbox_count(struct rcs_mailbox *box)
{
    size_t count;

    pthread_mutex_lock(&box->lock);
    count = box->count;
    pthread_mutex_unlock(&box->lock);
    return count;
}

void rcs_mailbox_attend(struct rcs_mailbox *box)
{
    pthread_mutex_lock(&box->lock);
    box->attended = true;
    pthread_mutex_unlock(&box->lock);
}

bool rcs_mailbox_leave(struct rcs_mailbox *box)
{
    bool mail;

    pthread_mutex_lock(&box->lock);
    mail = box->count > 0;
    box->attended = mail; /* it will come back at once */
    pthread_mutex_unlock(&box->lock);
    return mail;
}

void rcs_mailbox_close(struct rcs_mailbox *box)
{
    pthread_mutex_lock(&box->lock);
    box->closed = true;
    box->port = NULL;
    pthread_mutex_unlock(&box->lock);
}

bool rcs_mailbox_reserve(struct rcs_mailbox *box, size_t size)
{
    size_t used = atomic_load(&box->used);

    do {
        if (used > box->memory_max || size > box->memory_max - used) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&box->used, &used, used + size));
    return true;
}

void rcs_mailbox_charge(struct rcs_mailbox *box, size_t size)
{
    atomic_fetch_add(&box->used, size);
}

void rcs_mailbox_give_back(struct rcs_mailbox *box, size_t size)
{
    size_t before = atomic_fetch_sub(&box->used, size);

    assert(before >= size);
    (void)before;
}

size_t rcs_mailbox_used(const struct rcs_mailbox *box)
{
    return atomic_load(&box->used);
}

void rcs_mailbox_set_now(struct rcs_mailbox *box, uint64_t now_ms)
{
    atomic_store(&box->now_ms, now_ms);
}

uint64_t rcs_mailbox_now(const struct rcs_mailbox *box)
{
    return atomic_load(&box->now_ms);
}
