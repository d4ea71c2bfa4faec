/*
 * A policy as it was written: what the reader makes of a `.policy.md`, and all that the checks, the model and the emitter
 * know about it. Names are resolved to indexes here; whether it makes sense is for the checks.
 */
#ifndef RCS_SPEC_H
#define RCS_SPEC_H

#include <recourse/policy.h>

#include "finding.h"

struct rcs_setting_places { /* where each setting's value stands; line 0: missing */
    struct rcs_place language, tries, try_timeout, call_deadline, unsafe_replay, reminder, reason, sensitive_values,
        sensitive_names, approval_timeout, repeated_failures, output, resumes, rounds, audit;
};

struct rcs_spec_scenario {
    const char *label;
    struct rcs_place place;
    uint8_t tell;     /* enum recourse_tell */
    uint8_t reminder; /* enum recourse_reminder */
    const char *meaning;
};

struct rcs_spec_tool {
    const char *name;
    struct rcs_place place;
    uint8_t replay; /* enum recourse_replay */
    const char *pointer;
    const char *why;
};

/* One condition of a `when` cell; the same as in the compiled policy, with its place and its text as written. */
struct rcs_spec_atom {
    struct recourse_atom atom; /* `pattern` is set by the emitter */
    struct rcs_place place;
    const char *text; /* canonical: `http 500-599`, `text "rate limit"` */
};

struct rcs_spec_fact_row {
    const char *id;
    struct rcs_place place;        /* of the row */
    struct rcs_place when_place;   /* of the cell */
    struct rcs_place failure_place;
    struct rcs_place effect_place;
    struct rcs_spec_atom *atoms;   /* conjunctions one after the other, each ended by last_of_and */
    size_t atom_count;
    uint16_t failure;
    uint8_t effect;
};

struct rcs_spec_failure {
    const char *name;
    struct rcs_place place; /* where it is first named */
    uint8_t effect;         /* of its first row; a second effect is an error */
};

struct rcs_spec_wait {
    const char *id;
    struct rcs_place place;
    struct rcs_place delays_place;
    uint64_t *delays_ms;   /* as written */
    size_t delay_count;
    bool grows;            /* the last entry grows by growth_num / growth_den, */
    uint64_t growth_num;   /* lowest terms, greater than 1 */
    uint64_t growth_den;
    uint64_t cap_ms;       /* `up to`; RECOURSE_FOREVER: none */
    bool by_uses;
    uint16_t times;        /* 0: no such limit */
    uint8_t jitter;
    uint16_t jitter_percent;
    uint8_t server;
    uint64_t server_ms;
    uint16_t server_percent;
    bool new_session;
    uint16_t budget;       /* index, or RECOURSE_NONE */
    uint32_t cost;
    struct rcs_place cost_place;
};

struct rcs_spec_budget {
    struct recourse_budget budget; /* as in the compiled policy */
    struct rcs_place place;
};

struct rcs_spec_breaker {
    struct recourse_breaker breaker; /* likewise */
    struct rcs_place place;
    struct rcs_place counts_place;
};

struct rcs_spec_message {
    const char *id;
    const char *text;
    struct rcs_place place;
    struct rcs_place text_place;
    bool has_reminder; /* {reminder} is in it */
};

/* Guards as sets of what they allow: an `if` cell is their intersection. */
#define RCS_TRY_FIRST 1u
#define RCS_TRY_LATER 2u
#define RCS_SAFE 1u
#define RCS_UNSAFE 2u
#define RCS_NEVER_ACTED 1u
#define RCS_MAY_HAVE_ACTED 2u
#define RCS_REASONS_ALL 31u /* a bit per enum recourse_reason */

struct rcs_guard {
    uint8_t tries;   /* RCS_TRY_ bits */
    uint8_t safety;  /* RCS_SAFE, RCS_UNSAFE */
    uint8_t acted;   /* RCS_NEVER_ACTED, RCS_MAY_HAVE_ACTED */
    uint8_t reasons; /* 1 << enum recourse_reason */
};

enum rcs_next {
    RCS_NEXT_ATTEMPT = 0,
    RCS_NEXT_BACKOFF_OR_EXHAUSTED = 1,
    RCS_NEXT_EXHAUSTED = 2,
    RCS_NEXT_REPORTED = 3,
    RCS_NEXT_COUNT = 4
};

struct rcs_spec_row {
    const char *id;
    struct rcs_place place; /* of the row */
    struct rcs_place on_place, if_place, next_place, wait_place, scenario_place, message_place;
    uint8_t table;          /* enum recourse_place */
    bool other;             /* `on` is `other` */
    uint16_t *events;       /* enum recourse_event; RECOURSE_EVENT_FAILURE + failure index */
    size_t event_count;
    struct rcs_guard guard;
    const char *guard_text; /* canonical; "-" for none */
    uint8_t next;           /* enum rcs_next */
    uint16_t wait;          /* or RECOURSE_NONE */
    uint16_t scenario;
    uint16_t message;
};

/* One word of a run: `rate_limited:safe@5s!time`. */
struct rcs_word {
    uint16_t event;
    bool safe;                /* :safe */
    bool out_of_time;         /* !time */
    bool over_budget;         /* !budget */
    uint64_t server_delay_ms; /* @5s; 0: none */
    struct rcs_place place;
};

struct rcs_spec_run {
    const char *id;
    struct rcs_place place;
    struct rcs_place events_place, scenarios_place, tries_place, waits_place;
    struct rcs_word *words;
    size_t word_count;
    uint16_t *scenarios; /* expected, in order */
    size_t scenario_count;
    unsigned tries;      /* expected */
    uint64_t *waits_ms;  /* expected, before jitter */
    size_t wait_count;
};

struct rcs_spec_fact {
    const char *id;
    struct rcs_place place;
    struct rcs_place failure_place, effect_place;
    struct recourse_facts facts; /* owned by the arena */
    uint16_t failure;            /* expected; RECOURSE_NONE: ok */
    uint8_t effect;              /* expected */
};

struct rcs_spec {
    struct rcs_arena *arena;
    const char *path; /* as given, for messages */
    const char *name; /* from the file's name: spec/lightspeed.policy.md -> lightspeed; the heading must agree */
    const char *text; /* the file's bytes */
    size_t size;
    uint8_t file_sha256[32];
    uint8_t behaviour_sha256[32]; /* canonical rows of all tables but Examples, without meaning and why */
    struct recourse_settings settings;
    struct rcs_setting_places setting_places;
    uint16_t *unsafe_replay; /* failures that may be tried again although the tool may have acted */
    struct rcs_place *unsafe_replay_places;
    size_t unsafe_replay_count;
    struct rcs_spec_scenario *scenarios; /* `ok` is the first, whether it was written or not */
    size_t scenario_count;
    struct rcs_spec_tool *tools;
    size_t tool_count;
    struct rcs_spec_fact_row *fact_rows;
    size_t fact_row_count;
    struct rcs_spec_failure *failures; /* in the order of their first rows */
    size_t failure_count;
    struct rcs_spec_wait *waits;
    size_t wait_count;
    struct rcs_spec_budget *budgets;
    size_t budget_count;
    struct rcs_spec_breaker *breakers;
    size_t breaker_count;
    struct rcs_spec_message *messages;
    size_t message_count;
    struct rcs_spec_row *rows; /* of all four tables, in the order of the file */
    size_t row_count;
    struct rcs_place state_places[RECOURSE_PLACE_COUNT]; /* of the headings */
    struct rcs_spec_run *runs;
    size_t run_count;
    struct rcs_spec_fact *facts;
    size_t fact_count;
};

/*
 * Reads `text` (a whole file). Every finding of syntax and names is added; returns the spec, or NULL if there was an error
 * that leaves nothing to check (the rest of the checks must not run on it). `path` is copied.
 */
struct rcs_spec *rcs_spec_read(struct rcs_arena *arena, const char *path, const char *text, size_t size,
                               struct rcs_findings *findings);

/* The canonical form of a file that has no syntax errors: prose byte for byte, tables compact. NULL (with findings) if the
   tables can't be read. */
char *rcs_spec_format(struct rcs_arena *arena, const char *path, const char *text, size_t size,
                      struct rcs_findings *findings);

/* Words of runs, outside a file: for `simulate`. Adds findings (line 0) and returns false on a wrong word. */
bool rcs_words_read(const struct rcs_spec *spec, const char *const *arguments, size_t argument_count,
                    struct rcs_word **words, size_t *word_count, struct rcs_findings *findings);

/* Name of an event, a failure's included. */
const char *rcs_spec_event_name(const struct rcs_spec *spec, uint16_t event);

/* Which events a table knows: those of design.md, the failures included; `other_takes` only those that `other` may take.
   Events that settings switch off (sensitive_arguments, repeated_failure, unrecorded) or that need a section
   (circuit_open) are not live without. */
bool rcs_event_in_table(const struct rcs_spec *spec, uint8_t table, uint16_t event);
bool rcs_event_is_live(const struct rcs_spec *spec, uint16_t event);
bool rcs_event_other_takes(const struct rcs_spec *spec, uint8_t table, uint16_t event);
/* One past the last event of this spec: RECOURSE_EVENT_FAILURE + failure_count. */
unsigned rcs_event_end(const struct rcs_spec *spec);

#endif
