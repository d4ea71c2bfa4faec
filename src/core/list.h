/* Rings of nodes that live in the caller's own structs. A node that is in no ring points to itself. */
#ifndef RCS_LIST_H
#define RCS_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct rcs_link {
    struct rcs_link *next;
    struct rcs_link *previous;
};

static inline void rcs_link_init(struct rcs_link *link)
{
    link->next = link;
    link->previous = link;
}

static inline bool rcs_list_empty(const struct rcs_link *list)
{
    return list->next == list;
}

static inline void rcs_list_append(struct rcs_link *list, struct rcs_link *link)
{
    link->next = list;
    link->previous = list->previous;
    list->previous->next = link;
    list->previous = link;
}

/* Takes a node out; nothing happens if it is in none. */
static inline void rcs_list_remove(struct rcs_link *link)
{
    link->previous->next = link->next;
    link->next->previous = link->previous;
    rcs_link_init(link);
}

#endif
