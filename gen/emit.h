/* Between the files of the emitter: the parts of NAME.rl in the order in which they stand there. */
#ifndef RCS_EMIT_H
#define RCS_EMIT_H

#include "compile.h"

/* How `match` of a generated policy begins. */
#define RCS_MATCH_HEAD                                                                                 \
    "static void match(const struct recourse_policy *policy, uint32_t *matcher, const char *data,\n"   \
    "                  size_t size, uint64_t hits[RECOURSE_PATTERNS_MAX / 64])"

void rcs_put(struct rcs_string *out, const char *format, ...) RECOURSE_PRINTF(2, 3);
/* A C string literal, or NULL. */
void rcs_put_string(struct rcs_string *out, const char *text);

/* `name` with everything that a C name can't hold as `_`. */
const char *rcs_c_name(struct rcs_arena *arena, const char *name);

/* The number of the pattern that `atom` looks for; RECOURSE_NONE if it looks for none. */
uint16_t rcs_pattern_of(struct rcs_arena *arena, const struct rcs_pattern *patterns, size_t count,
                        const struct recourse_atom *atom);

/* A move of the machine, for any state and symbol: where there is none, the row is RECOURSE_NONE and it stays. */
struct recourse_move rcs_machine_move(const struct rcs_machine *machine, size_t state, size_t symbol);

/* The names that the chart gives its actions: of a row, and of entering a public state. */
const char *rcs_row_action(struct rcs_arena *arena, const struct rcs_spec *spec, size_t row);
const char *rcs_state_action(struct rcs_arena *arena, size_t state);

void rcs_emit_tables(struct rcs_string *out, const struct recourse_policy *policy);
/* `entry` has Ragel's number of each public state; NULL where it isn't known yet: zeros stand in its place. */
void rcs_emit_chart(struct rcs_string *out, const struct rcs_machine *machine, const uint16_t *entry);
void rcs_emit_matcher(struct rcs_string *out, const struct rcs_spec *spec, const struct rcs_pattern *patterns,
                      size_t count);

/* Whole files. Without `entry` the source ends with the chart: that much Ragel is asked about first. */
void rcs_emit_source(struct rcs_string *out, const struct rcs_machine *machine, const struct recourse_policy *policy,
                     const uint16_t *entry);
void rcs_emit_header(struct rcs_string *out, const struct recourse_policy *policy);

#endif
