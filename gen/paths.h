/*
 * All runs of a policy, in groups that can be read. Runs of one group have begun the same waits; on one line of it stand
 * those that end in the same way. How much of the same is enough (enum rcs_fold) is found out by trying: the finest that
 * does not come to more lines than a person reads.
 *
 * A run is a sequence of words (recourse/simulate); a call's tool is safe or not, and stays so from try to try. Memory and
 * time are those of the spots that runs come to, not of the runs, which are counted without being listed.
 */
#ifndef RCS_PATHS_H
#define RCS_PATHS_H

#include "turn.h"

enum rcs_fold {
    RCS_FOLD_ROWS = 0,  /* the same rows waited, in the same order */
    RCS_FOLD_WAITS = 1, /* as many waits of each kind */
    RCS_FOLD_TRIES = 2, /* as many tries */
    RCS_FOLD_ALL = 3,   /* more than one try */
    RCS_FOLD_COUNT = 4
};

/* In which forms an event led to an end: bits. */
#define RCS_SEEN_SAFE 1u   /* the tool is safe; of deadline and cancelled: nothing had been sent */
#define RCS_SEEN_UNSAFE 2u
#define RCS_SEEN_ALWAYS 4u /* there is but one form */

/* Some events that end a call by the same rows. */
struct rcs_path_end {
    uint16_t row;
    uint16_t ended;  /* the row of exhausted, or RECOURSE_NONE */
    uint8_t reason;
    uint8_t *events; /* [event]: RCS_SEEN_ bits, without those that say nothing new */
};

struct rcs_path_line {
    uint16_t scenario; /* of the report: whom it tells, and whether it reminds */
    uint16_t message;
    bool in_wait;      /* cancelled, or ended by a breaker, in the last wait: a try less than the group has */
    uint64_t runs;     /* how many it stands for; UINT64_MAX: more */
    unsigned tries_min, tries_max;
    uint64_t least_ms, most_ms;
    struct rcs_path_end *ends;
    size_t end_count;
};

/* A row that waited, and the failures that it took. */
struct rcs_path_step {
    uint16_t row;
    uint8_t *events;
};

struct rcs_path_group {
    unsigned tries_min, tries_max;
    uint64_t least_ms, most_ms;
    uint8_t uses[RECOURSE_WAITS_MAX]; /* of each wait; folded by rows or waits, all runs have the same */
    struct rcs_path_step *steps;   /* folded by rows: in their order; else each row once */
    size_t step_count;
    struct rcs_path_line *lines;
    size_t line_count;
};

/* A replay of a call that may have acted, of a tool that is not safe. */
struct rcs_path_twice {
    uint16_t row;
    uint16_t failure;
    const char *witness;
};

/* A report that some run comes to. */
struct rcs_path_report {
    uint16_t scenario;
    uint16_t message;
    bool *rows; /* [row]: reports so */
};

struct rcs_paths {
    const struct rcs_spec *spec;
    const struct rcs_worst *worst;
    uint8_t fold;
    bool rough;   /* waits are bounds: there are too many ways to use them to tell apart */
    uint64_t runs;
    struct rcs_path_group *groups; /* [0] before the first try, [1] the first try alone */
    size_t group_count;
    struct rcs_path_step *retries; /* each row that waits, and all that it takes, in the order of the file */
    size_t retry_count;
    struct rcs_path_twice *twice;
    size_t twice_count;
    struct rcs_path_report *reports;
    size_t report_count;
};

void rcs_paths_find(struct rcs_arena *arena, const struct rcs_machine *machine,
                    const struct rcs_worst *worst, struct rcs_paths *paths);

#endif
