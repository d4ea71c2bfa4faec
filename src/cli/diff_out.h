/* What two policies do differently, as people and programs read it. */
#ifndef RCS_DIFF_OUT_H
#define RCS_DIFF_OUT_H

#include "gen/compile.h"
#include "gen/diff.h"

#define RCS_GATES_MAX 4u

/* A gate that was asked for. */
struct rcs_gate {
    const char *name;
    bool kept;
    size_t broken_by; /* index of a difference; the count of them where it is none, since not all runs were compared */
};

struct rcs_compared {
    const char *old_path, *new_path;
    const struct rcs_loaded *old_loaded, *new_loaded;
    const struct rcs_diff *diff;
    const struct rcs_gate *gates;
    size_t gate_count;
    struct rcs_arena *arena;
};

void rcs_diff_print(const struct rcs_compared *compared);
void rcs_diff_print_markdown(const struct rcs_compared *compared);
void rcs_diff_print_json(const struct rcs_compared *compared);

#endif
