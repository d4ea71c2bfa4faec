/*
 * Turns: what one try comes to, all of it in one step. Where runs are walked by the ten thousands (`paths`, `diff`), a
 * spot is a call about to begin a try, a letter is how the try ends, and a turn leads from there to a report or to the
 * next spot. The rows are the model's (model.h), each asked for once.
 */
#ifndef RCS_TURN_H
#define RCS_TURN_H

#include "model.h"

struct rcs_spot {
    uint8_t tries; /* begun, the one under way included */
    bool acted;    /* some try before may have */
    uint8_t uses[RECOURSE_WAITS_MAX]; /* of those waits alone whose length or end depends on it */
};

/* How a try ends, or how a call ends before its first. */
struct rcs_letter {
    uint16_t event;
    bool safe;
    bool acted; /* this try's own effect is other than none */
    bool no_time;
    bool no_budget;
    uint64_t delay_ms; /* that the server asks for; 0: none */
};

struct rcs_turn {
    uint16_t row;   /* RECOURSE_NONE: the policy has no row for it */
    uint16_t ended; /* the row of exhausted, or RECOURSE_NONE */
    uint8_t reason; /* enum recourse_reason */
    bool waits;     /* and then there is another try; else `row` or `ended` reports */
    uint16_t wait;
    unsigned index; /* into the wait's schedule */
    struct rcs_spot next;
};

struct rcs_turns {
    const struct rcs_spec *spec;
    uint16_t *rows; /* what the model has been asked already: rows, and least and most of waits */
    struct rcs_turn_window {
        bool known;
        uint64_t least_ms, most_ms;
    } *windows; /* [wait * tries + index] */
    bool rough;     /* uses of waits that only grow are not counted: fewer spots, and lengths of waits are bounds */
    uint16_t elapsed; /* the row on which the next try begins */
    uint16_t cancelled[2];    /* that of a call cancelled while it waits: if it never acted, if it may have; */
    uint16_t circuit_open[2]; /* and of one that a breaker ends there; RECOURSE_NONE: there are no breakers */
    uint16_t ready;   /* and that of the first try */
};

void rcs_turns_open(struct rcs_turns *turns, struct rcs_arena *arena, const struct rcs_spec *spec);

/* The row that an event meets before the first try. */
uint16_t rcs_turns_before(const struct rcs_turns *turns, uint16_t event);

void rcs_turn_take(const struct rcs_turns *turns, const struct rcs_spot *spot, const struct rcs_letter *letter,
                   struct rcs_turn *turn);

/* The row that reports. */
uint16_t rcs_turn_report(const struct rcs_turn *turn);

/* Least and most that the wait of a turn can be, servers included. */
void rcs_turn_bounds(const struct rcs_turns *turns, const struct rcs_turn *turn, uint64_t *least_ms, uint64_t *most_ms);

/* The letter as a word of `simulate`, with what can be told apart only there: `:safe`, `@5s`, `!time`, `!budget`. */
struct rcs_word rcs_letter_word(const struct rcs_letter *letter);
const char *rcs_word_text(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_word *word);

/* Sums of times, which stay at RECOURSE_FOREVER. */
uint64_t rcs_add_ms(uint64_t a, uint64_t b);

#endif
