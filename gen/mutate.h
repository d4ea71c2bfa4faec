/*
 * Mutants: a policy with one cell or row changed. Each is caught by a check or an example, or is equivalent, or nobody
 * notices: then an example is missing.
 *
 * Cells whose column knows few words take each of them. In the others a value has neighbours: a list loses an entry, a
 * number is one more or less, a delay is doubled, a text is looked for as a word. Rows are taken out and doubled; those of
 * Failures, which are asked in order, change places with the next.
 */
#ifndef RCS_MUTATE_H
#define RCS_MUTATE_H

#include "compile.h"
#include "document.h"

struct rcs_mutant {
    size_t begin, end;  /* bytes of the file that are replaced */
    const char *with;
    uint32_t line;
    const char *row;    /* id, or the first cell: "A2", "tries" */
    const char *column; /* "next"; or "row" for one taken out, doubled or moved */
    bool declared;      /* what no example can speak of: how long a try may take, how a message reads */
};

struct rcs_mutants {
    struct rcs_arena *arena;
    const char *path;
    const char *text;
    size_t size;
    const struct rcs_spec *spec;
    struct rcs_findings findings; /* that the policy has as it is: warnings, and examples that come out otherwise */
    struct rcs_document document;
    struct rcs_mutant *items;
    size_t count;
};

/* All mutants of a policy without errors, but for its examples; in the order of the file. */
void rcs_mutants_make(struct rcs_arena *arena, const struct rcs_loaded *loaded, struct rcs_mutants *mutants);

enum rcs_fate {
    RCS_FATE_CAUGHT = 0,     /* there is an error that the policy has not, or one warning more */
    RCS_FATE_EQUIVALENT = 1, /* no run and no facts come out otherwise, and no setting differs */
    RCS_FATE_DECLARED = 2,   /* not caught, and no example could: it is so because the policy says so */
    RCS_FATE_UNNOTICED = 3,
    RCS_FATE_COUNT = 4
};

enum rcs_fate rcs_mutant_judge(const struct rcs_mutants *mutants, size_t index);

const char *rcs_fate_name(enum rcs_fate fate); /* "caught", ... */

/* ---- its rooms ---- */

/* Adds a mutant of `cell`, unless it says the same. */
void rcs_mutate_cell(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                     const struct rcs_cell *cell, const char *with, bool declared);

/* Cells of settings, failures, waits; and of budgets and breakers. */
void rcs_mutate_setting(struct rcs_mutants *mutants, const struct rcs_table_row *row);
void rcs_mutate_when(struct rcs_mutants *mutants, const struct rcs_table_row *row, const struct rcs_cell *cell, size_t index);
void rcs_mutate_wait(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                     const struct rcs_cell *cell, const struct rcs_spec_wait *wait);
void rcs_mutate_shared(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                       const struct rcs_cell *cell);
/* A list without each of its entries. */
void rcs_mutate_list(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                     const struct rcs_cell *cell, bool declared);

#endif
