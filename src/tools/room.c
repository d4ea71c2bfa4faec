#include "src/tools/room.h"

#include "src/io/timer.h"

void rcs_room_init(struct rcs_room *room, struct rcs_mailbox *mailbox, size_t memory_max, size_t answer_max)
{
    room->mailbox = mailbox;
    room->shared = memory_max - (answer_max < memory_max / 2 ? answer_max : memory_max / 2);
    room->first = NULL;
    rcs_link_init(&room->waiting);
}

static bool fits(const struct rcs_room *room, size_t size)
{
    size_t used = rcs_mailbox_used(room->mailbox);

    return used <= room->shared && size <= room->shared - used;
}

bool rcs_room_is_open(const struct rcs_room *room)
{
    return rcs_list_empty(&room->waiting) && fits(room, 0);
}

bool rcs_room_has_work(const struct rcs_room *room)
{
    return !rcs_list_empty(&room->waiting) &&
           (room->first == NULL || fits(room, RCS_OWNER(room->waiting.next, struct rcs_claim, link)->wanted));
}

void rcs_room_serve(struct rcs_room *room)
{
    const struct rcs_link *last = room->waiting.previous; /* each once: one that needs still more comes after all others */
    const struct rcs_link *link = NULL;

    while (link != last && rcs_room_has_work(room)) {
        struct rcs_claim *claim = RCS_OWNER(room->waiting.next, struct rcs_claim, link);

        link = &claim->link;
        rcs_list_remove(&claim->link);
        if (room->first == NULL) {
            room->first = claim;
        }
        claim->resume(claim);
    }
}

void rcs_claim_init(struct rcs_claim *claim, void (*resume)(struct rcs_claim *claim))
{
    *claim = (struct rcs_claim){.resume = resume};
    rcs_link_init(&claim->link);
}

void rcs_claim_leave(struct rcs_room *room, struct rcs_claim *claim)
{
    rcs_list_remove(&claim->link);
    if (room->first == claim) {
        room->first = NULL;
    }
}

bool rcs_claim_more(struct rcs_room *room, struct rcs_claim *claim, size_t size)
{
    rcs_list_remove(&claim->link);
    if (!fits(room, size) && room->first != claim && claim->resume != NULL) {
        if (room->first != NULL || !fits(room, 0)) { /* what the one before was given is still there, as a result */
            claim->wanted = size;
            rcs_list_append(&room->waiting, &claim->link);
            return false;
        }
        room->first = claim;
    }
    rcs_mailbox_charge(room->mailbox, size);
    claim->taken += size;
    return true;
}

void rcs_claim_set(struct rcs_room *room, struct rcs_claim *claim, size_t size)
{
    rcs_mailbox_charge(room->mailbox, size);
    rcs_mailbox_give_back(room->mailbox, claim->taken);
    claim->taken = size;
    if (room->first == claim && fits(room, 0)) {
        room->first = NULL;
    }
}

void rcs_claim_end(struct rcs_room *room, struct rcs_claim *claim)
{
    rcs_claim_leave(room, claim);
    rcs_mailbox_give_back(room->mailbox, claim->taken);
    claim->taken = 0;
}
