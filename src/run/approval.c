#include "src/run/approval.h"

#include <string.h>

#include "src/io/memory.h"

#define NOWHERE UINT32_MAX

enum { SLOT_FREE = 0, SLOT_OPEN = 1, SLOT_ANSWERED = 2, SLOT_WITHDRAWN = 3 };

int rcs_approvals_init(struct rcs_approvals *approvals, const struct recourse_allocator *allocator,
                       struct rcs_mailbox *mailbox)
{
    memset(approvals, 0, sizeof *approvals);
    approvals->allocator = allocator;
    approvals->mailbox = mailbox;
    approvals->free = NOWHERE;
    approvals->answered = NOWHERE;
    approvals->answered_last = NOWHERE;
    return pthread_mutex_init(&approvals->lock, NULL) == 0 ? 0 : RECOURSE_E_SYSTEM;
}

void rcs_approvals_clear(struct rcs_approvals *approvals)
{
    rcs_mailbox_remove(approvals->mailbox, &approvals->mail);
    rcs_free(approvals->allocator, approvals->slots);
    pthread_mutex_destroy(&approvals->lock);
}

/* The slot of a number, if that is the number of its present use. */
static struct rcs_approval_slot *find(struct rcs_approvals *approvals, uint64_t number)
{
    uint32_t index = (uint32_t)number;

    if (index >= approvals->count || approvals->slots[index].generation != (uint32_t)(number >> 32)) {
        return NULL;
    }
    return &approvals->slots[index];
}

static uint32_t take_slot(struct rcs_approvals *approvals)
{
    struct rcs_approval_slot *grown;
    uint32_t index = approvals->free;

    if (index != NOWHERE) {
        approvals->free = approvals->slots[index].next;
        return index;
    }
    if (approvals->count == NOWHERE) {
        return NOWHERE;
    }
    grown = rcs_grow(approvals->allocator, approvals->slots, &approvals->capacity, (size_t)approvals->count + 1,
                     sizeof *grown);
    if (grown == NULL) {
        return NOWHERE;
    }
    approvals->slots = grown;
    index = approvals->count++;
    memset(&grown[index], 0, sizeof grown[index]);
    return index;
}

static void free_slot(struct rcs_approvals *approvals, uint32_t index)
{
    struct rcs_approval_slot *slot = &approvals->slots[index];

    slot->state = SLOT_FREE;
    slot->asker = NULL;
    slot->next = approvals->free;
    approvals->free = index;
}

uint64_t rcs_approvals_open(struct rcs_approvals *approvals, void *asker,
                            const uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE])
{
    struct rcs_approval_slot *slot;
    uint64_t number = 0;
    uint32_t index;

    pthread_mutex_lock(&approvals->lock);
    index = take_slot(approvals);
    if (index != NOWHERE) {
        slot = &approvals->slots[index];
        slot->asker = asker;
        slot->state = SLOT_OPEN;
        memcpy(slot->answer.digest, digest, sizeof slot->answer.digest);
        slot->generation += slot->generation == UINT32_MAX ? 2 : 1; /* never 0, so no number is 0 */
        number = (uint64_t)slot->generation << 32 | index;
    }
    pthread_mutex_unlock(&approvals->lock);
    return number;
}

bool rcs_approvals_close(struct rcs_approvals *approvals, uint64_t number, struct rcs_approval_answer *answer)
{
    struct rcs_approval_slot *slot;
    bool answered = false;

    pthread_mutex_lock(&approvals->lock);
    slot = find(approvals, number);
    if (slot != NULL && slot->state == SLOT_OPEN) {
        free_slot(approvals, (uint32_t)number);
    } else if (slot != NULL && slot->state == SLOT_ANSWERED) {
        answered = true;
        *answer = slot->answer;
        slot->state = SLOT_WITHDRAWN; /* it stands in the list of answers; freed when its turn comes */
    }
    pthread_mutex_unlock(&approvals->lock);
    return answered;
}

bool rcs_approvals_answer(struct rcs_approvals *approvals, uint64_t number,
                          const uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE], bool approved)
{
    struct rcs_approval_slot *slot;
    bool news = false;

    pthread_mutex_lock(&approvals->lock);
    slot = find(approvals, number);
    if (slot != NULL && slot->state == SLOT_OPEN &&
        memcmp(slot->answer.digest, digest, sizeof slot->answer.digest) == 0) {
        news = true;
        slot->state = SLOT_ANSWERED;
        slot->answer.approved = approved;
        slot->next = NOWHERE;
        if (approvals->answered == NOWHERE) {
            approvals->answered = (uint32_t)number;
        } else {
            approvals->slots[approvals->answered_last].next = (uint32_t)number;
        }
        approvals->answered_last = (uint32_t)number;
    }
    pthread_mutex_unlock(&approvals->lock);
    if (news) {
        (void)rcs_mailbox_post(approvals->mailbox, &approvals->mail);
    }
    return news;
}

void *rcs_approvals_take(struct rcs_approvals *approvals, struct rcs_approval_answer *answer)
{
    void *asker = NULL;

    pthread_mutex_lock(&approvals->lock);
    while (asker == NULL && approvals->answered != NOWHERE) {
        uint32_t index = approvals->answered;
        struct rcs_approval_slot *slot = &approvals->slots[index];

        approvals->answered = slot->next;
        if (slot->state == SLOT_ANSWERED) {
            asker = slot->asker;
            *answer = slot->answer;
        }
        free_slot(approvals, index);
    }
    pthread_mutex_unlock(&approvals->lock);
    return asker;
}
