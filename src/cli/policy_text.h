/* The text of a policy: its file, or the one that a built-in policy was made from. */
#ifndef RCS_POLICY_TEXT_H
#define RCS_POLICY_TEXT_H

#include <stddef.h>

#include "gen/arena.h"

/* The texts of the built-in policies, generated; the last one has no name. */
struct rcs_policy_text {
    const char *name;
    const unsigned char *bytes;
    size_t size;
};
extern const struct rcs_policy_text rcs_policy_texts[];

/*
 * Reads what `*path` names: a file, or where there is none of that name, a built-in policy. Then one line on stderr says so
 * as `command`'s, and `*path` becomes what that file is called. NULL: `*why` says why it can't be read.
 */
char *rcs_policy_text_read(struct rcs_arena *arena, const char *command, const char **path, size_t *size,
                           const char **why);

#endif
