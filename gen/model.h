/*
 * The model: a policy walked as it was written, row by row. It shares no code with src/core, so that each can judge the
 * other; the unrolled machine is made by asking it.
 */
#ifndef RCS_MODEL_H
#define RCS_MODEL_H

#include "spec.h"

/* Where a call is, with all of its history that a row can ask for. Two equal ones behave alike. */
struct rcs_history {
    uint8_t place;  /* enum recourse_place */
    uint8_t tries;  /* begun so far */
    bool acted;     /* some try so far may have acted */
    uint8_t uses[RECOURSE_WAITS_MAX]; /* of each wait */
};

/* What one step of the model sees. */
struct rcs_case {
    uint16_t event;
    bool safe;      /* another try can't do it twice */
    bool acted_now; /* this try's own effect is other than none */
    bool may_wait;  /* a wait would be begun, as far as time, budget and the server go */
    uint8_t reason; /* enum recourse_reason: in exhausted, why */
};

/* The row that a case meets: index, RECOURSE_NONE if none, and how many do (2 or more is an overlap). */
struct rcs_hit {
    uint16_t row;
    uint16_t second;
    unsigned count;
};

struct rcs_hit rcs_model_row(const struct rcs_spec *spec, const struct rcs_history *history, const struct rcs_case *at);

/* Moves. Returns the row (or RECOURSE_NONE: nothing moves). `*tries_spent` says that a wait was due and ended or none left. */
uint16_t rcs_model_move(const struct rcs_spec *spec, struct rcs_history *history, const struct rcs_case *at,
                        bool *tries_spent);

/* Whether wait `w` has nothing more to give to a call with this history. */
bool rcs_wait_ended(const struct rcs_spec *spec, const struct rcs_history *history, uint16_t w);

/* The symbol of a case (see recourse/policy.h) and back. `from_symbol` returns false for symbols that don't belong to `place`. */
uint8_t rcs_symbol(const struct rcs_spec *spec, uint8_t place, const struct rcs_case *at);
bool rcs_symbol_case(const struct rcs_spec *spec, uint8_t place, uint8_t symbol, struct rcs_case *at);

/* The symbols in the order in which witnesses are looked for: a failure's plain word before its `:safe`. */
unsigned rcs_symbol_ordered(const struct rcs_spec *spec, unsigned index);

/* ---- the unrolled machine ---- */

struct rcs_machine {
    struct rcs_arena *arena;
    const struct rcs_spec *spec;
    struct rcs_history *states; /* [0] is the start; reported is one of them */
    size_t state_count;
    size_t symbol_count;
    struct recourse_move *moves; /* [state * symbol_count + symbol]; row RECOURSE_NONE: stays */
    struct rcs_origin *state_from; /* how each state is reached first; `state` RECOURSE_NONE for the start */
    struct rcs_origin *case_from;  /* [state * symbol_count + symbol]: RECOURSE_NONE where the case can't occur. In exhausted the
                                      attempt's state and symbol that bring it about, elsewhere the state itself */
};

/* A state and what happened in it. */
struct rcs_origin {
    uint16_t state;
    uint8_t symbol;
    uint8_t reason; /* enum recourse_reason: why no wait was begun */
};

/* The index of a history in the unrolled machine; RECOURSE_NONE if it is not one of its states. */
uint16_t rcs_machine_state(const struct rcs_machine *machine, const struct rcs_history *history);
bool rcs_case_reachable(const struct rcs_machine *machine, uint16_t state, unsigned symbol);

/* Unrolls. NULL, with a finding `too-large`, past RECOURSE_STATES_MAX states. */
struct rcs_machine *rcs_unroll(struct rcs_arena *arena, const struct rcs_spec *spec, struct rcs_findings *findings);

/* The words of the shortest run that reaches `state`, and then `symbol` (256: nothing more). */
const char *rcs_witness(const struct rcs_machine *machine, uint16_t state, unsigned symbol);

/* ---- runs ---- */

struct rcs_step {
    uint8_t from;   /* enum recourse_place */
    uint8_t to;
    uint16_t event;
    uint16_t row;
    uint16_t scenario; /* RECOURSE_NONE where it does not count */
    bool waits;
    uint64_t wait_ms;  /* before jitter; the server's, where it is obeyed */
    uint64_t wait_min_ms;
    uint64_t wait_max_ms;
};

struct rcs_run {
    struct rcs_step *steps;
    size_t step_count;
    uint8_t end;       /* enum recourse_place: where the words ran out, or reported */
    uint16_t scenario; /* of the report; RECOURSE_NONE before */
    uint8_t tell;
    uint8_t reminder;
    uint8_t reason;    /* enum recourse_reason */
    unsigned tries;
    uint64_t *waits_ms; /* before jitter */
    size_t wait_count;
    size_t used;       /* words used: fewer than given if one could not follow */
    const char *stuck; /* why the next word could not follow; NULL */
};

/* Walks words; `ready` and `elapsed` are put in where the next word belongs to the next state. */
void rcs_model_run(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_word *words, size_t word_count,
                   struct rcs_run *run);

/* Judges facts as the policy was written: naive searches, no matcher. Returns the fact row, or RECOURSE_NONE for ok. */
uint16_t rcs_model_classify(const struct rcs_spec *spec, const struct recourse_facts *facts);
/* The same, where somebody else knows which conditions hold: `number` counts those of all rows, from 0. */
uint16_t rcs_model_classify_by(const struct rcs_spec *spec, bool success,
                               bool (*hold)(void *user, const struct recourse_atom *atom, size_t number), void *user);
bool rcs_model_claims_success(const struct recourse_facts *facts);
/* Whether one condition holds. The arena is for those that look into JSON. */
bool rcs_model_holds(struct rcs_arena *arena, const struct recourse_facts *facts, const struct recourse_atom *atom);
/* Whether a condition looks into an answer that claims success. */
bool rcs_model_is_result(uint8_t kind);

/* The schedule of a wait written out, `*ends` included: the array that goes into the compiled policy. Adds a finding
   `arithmetic` and returns NULL where it can't be computed exactly within RECOURSE_DURATION_MAX_MS. */
uint64_t *rcs_schedule(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_spec_wait *wait,
                       uint16_t *count, bool *ends, struct rcs_findings *findings);

/* The window of a wait, computed apart from src/core. `obeyed` and `stop` as in recourse/call.h. */
struct rcs_window {
    uint64_t base_ms, min_ms, max_ms;
    bool stop;
};
void rcs_model_window(const struct rcs_spec *spec, const struct rcs_spec_wait *wait, unsigned index,
                      uint64_t server_delay_ms, struct rcs_window *out);

/* The least and the most that one entry of a wait can come to: jitter, and servers that ask for as little or as much as the
   wait obeys. */
void rcs_model_bounds(const struct rcs_spec *spec, const struct rcs_spec_wait *wait, unsigned index, uint64_t *least_ms,
                      uint64_t *most_ms);

/* ---- all checks of meaning ---- */

struct rcs_worst {
    unsigned tries;
    unsigned requests;
    uint64_t wait_ms;      /* total, jitter and obeyed server delays included; always less than the call deadline */
    uint64_t wait_base_ms; /* total of the schedule alone, no jitter, no server delay */
    const char *witness;
};

void rcs_check(const struct rcs_spec *spec, const struct rcs_machine *machine, struct rcs_findings *findings,
               struct rcs_worst *worst);

#endif
