/*
 * What two policies do differently. Both models are walked side by side, on the same facts: a failure of one and a failure
 * of the other go together if there are facts that the one takes for the first and the other for the second, whatever they
 * are called. So rows that were renamed or moved make no difference, and neither do failures that got another name.
 *
 * Runs are compared up to where they part: where one waits and the other reports, or where both report. What is reported
 * for each difference is the first run that shows it, of all with the fewest tries.
 */
#ifndef RCS_DIFF_H
#define RCS_DIFF_H

#include "turn.h"

enum rcs_change {
    RCS_CHANGE_TRIES_MORE = 0,    /* a run goes on that used to end */
    RCS_CHANGE_TRIES_FEWER = 1,
    RCS_CHANGE_REPLAY = 2,        /* what may have acted is done again, and was not before */
    RCS_CHANGE_REMINDER_LOST = 3,
    RCS_CHANGE_REMINDER_GAINED = 4,
    RCS_CHANGE_TO_MODEL = 5,      /* the host was told */
    RCS_CHANGE_TO_HOST = 6,
    RCS_CHANGE_ENDING = 7,        /* another label, to the same */
    RCS_CHANGE_MESSAGE = 8,       /* the same label, another text */
    RCS_CHANGE_WAIT_LONGER = 9,
    RCS_CHANGE_WAIT_SHORTER = 10,
    RCS_CHANGE_SESSION = 11,      /* the next try opens a new session, or no longer does */
    RCS_CHANGE_LABEL = 12,        /* of a wait */
    RCS_CHANGE_FAILURE = 13,      /* facts are taken for another failure */
    RCS_CHANGE_EFFECT = 14,       /* and for the same with another effect */
    RCS_CHANGE_TOOL = 15,         /* whether a tool may be run twice */
    RCS_CHANGE_SETTING = 16,
    RCS_CHANGE_COUNT = 17
};

/* What a policy becomes by a change. */
#define RCS_LOOSER 1u
#define RCS_STRICTER 2u

enum rcs_verdict { RCS_SAME = 0, RCS_VERDICT_LOOSER = 1, RCS_VERDICT_STRICTER = 2, RCS_DIFFERENT = 3 };

/* How one of the two policies sees it. */
struct rcs_diff_side {
    struct rcs_word *words; /* the run; NULL if none shows it */
    size_t word_count;
    const char *value;      /* where it is not: a setting, a failure */
    const char *rows;       /* "F2"; "" */
};

struct rcs_difference {
    uint8_t change;
    uint8_t leans;      /* RCS_LOOSER, RCS_STRICTER, or neither */
    bool unsafe;        /* the new policy does again what may have acted, of a tool that is not safe: by one of the policies */
    bool claimed;       /* and that is the old one: the new one says that it did nothing, or that the tool is safe */
    bool longer;        /* the new policy waits longer than the old, or where that does not wait */
    const char *about;  /* a setting's name, facts as JSON, a tool; NULL */
    struct rcs_diff_side old_side, new_side;
};

struct rcs_diff {
    const struct rcs_spec *old_spec, *new_spec;
    struct rcs_difference *items; /* the gravest kind first, in it the fewest tries first */
    size_t count;
    uint8_t verdict;   /* enum rcs_verdict */
    bool prose_only;   /* the behaviour digests agree */
    bool complete;     /* all runs were compared: there were not too many */
    bool first_only;   /* the search ends with the first difference */
    struct rcs_rename {
        const char *old_name, *new_name;
    } *renames;        /* failures that got another name and nothing else */
    size_t rename_count;
};

void rcs_diff_find(struct rcs_arena *arena, const struct rcs_spec *old_spec, const struct rcs_spec *new_spec,
                   struct rcs_diff *diff);

/* Whether they do the same: false with the first difference, and where there are too many runs to say so. */
bool rcs_diff_none(struct rcs_arena *arena, const struct rcs_spec *old_spec, const struct rcs_spec *new_spec);

const char *rcs_change_name(uint8_t change); /* "more-tries" */
const char *rcs_verdict_name(uint8_t verdict);

/* ---- its rooms ---- */

/* Facts that one policy takes for one failure and the other for another; events, so that RECOURSE_EVENT_OK is one. */
struct rcs_facts_pair {
    uint16_t old_event, new_event;
    uint16_t old_row, new_row; /* of Failures; RECOURSE_NONE for ok */
    const char *facts;         /* as `classify` reads them */
};
struct rcs_facts_pairs {
    struct rcs_facts_pair *items; /* one of each two failures that go together */
    size_t count;
    struct rcs_facts_pair *ways; /* where their names differ: one for each condition that makes the difference */
    size_t way_count;
};
void rcs_diff_facts(struct rcs_arena *arena, const struct rcs_spec *old_spec, const struct rcs_spec *new_spec,
                    struct rcs_facts_pairs *found);

struct rcs_difference *rcs_diff_add(struct rcs_arena *arena, struct rcs_diff *diff, uint8_t change, uint8_t leans);

/* "of each server, holds 100, ..." */
const char *rcs_budget_text(struct rcs_arena *arena, const struct recourse_budget *budget);
const char *rcs_breaker_text(struct rcs_arena *arena, const struct rcs_spec *spec, const struct recourse_breaker *breaker);

/* Settings whose value says all. */
void rcs_diff_settings(struct rcs_arena *arena, struct rcs_diff *diff);

/* Gives the settings of budgets, costs and breakers the shortest run of one call that shows them, where there is one: their
   sides have words besides a value. */
void rcs_diff_shared(struct rcs_arena *arena, struct rcs_diff *diff, const struct rcs_facts_pairs *pairs);

/* Tools that may be run twice in one policy and not in the other. Of the four ways in which a tool can be taken by both, the
   bits of those that some tool is: 1 safe to both, 2 unsafe to both, 4 safe to the new one only, 8 safe to the old one. */
unsigned rcs_diff_tools(struct rcs_arena *arena, struct rcs_diff *diff);

/* How the windows of two waits differ, each at one place of its schedule: where no server asks for a delay; and where one
   does, if at least one of the two then waits otherwise than by itself. */
enum { RCS_BY_SCHEDULE = 0, RCS_BY_SERVER = 1 };
struct rcs_windows_differ {
    bool longer[2], shorter[2];
    uint64_t longer_ms[2], shorter_ms[2]; /* what the server has to ask for */
};
void rcs_diff_windows(const struct rcs_diff *diff, const struct rcs_spec_wait *const waits[2], const unsigned indexes[2],
                      struct rcs_windows_differ *out);

/* Runs. */
void rcs_diff_runs(struct rcs_arena *arena, struct rcs_diff *diff, const struct rcs_facts_pair *pairs, size_t pair_count,
                   unsigned tools);

#endif
