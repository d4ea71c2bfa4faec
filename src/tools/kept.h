/* A configuration's texts and lists, copied into the block that their struct stands in. */
#ifndef RCS_TOOLS_KEPT_H
#define RCS_TOOLS_KEPT_H

#include <stddef.h>

/*
 * A block that is filled from the front, lists and then texts. All zero it only measures: walk the configuration once, make
 * room for rcs_kept_size behind the struct, then rcs_kept_begin there and walk it again.
 */
struct rcs_kept {
    char *at;
    size_t used;
    const char **list; /* where the next list goes */
    size_t entries;    /* of all lists, with their ends */
};

size_t rcs_kept_size(const struct rcs_kept *kept);
/* `room` is aligned for pointers. */
void rcs_kept_begin(struct rcs_kept *kept, void *room);
/* The copy; NULL for NULL, and while measuring. */
const char *rcs_kept_text(struct rcs_kept *kept, const char *text);
const char *const *rcs_kept_list(struct rcs_kept *kept, const char *const *texts);

#endif
