/* From the model to C: the tables, the state chart, what Ragel made of it. */
#ifndef RCS_COMPILE_H
#define RCS_COMPILE_H

#include "model.h"

/*
 * Builds the tables that a policy consists of, in memory. `move` walks the unrolled machine, `match` searches naively: this
 * is the policy where there is no Ragel, and what the emitter prints. The policy lives in the arena.
 */
const struct recourse_policy *rcs_bind(struct rcs_arena *arena, const struct rcs_spec *spec,
                                       const struct rcs_machine *machine, struct rcs_findings *findings);

/* The distinct texts and words of a policy's `when` cells, as the matcher numbers them. */
struct rcs_pattern {
    const char *text; /* lower case */
    bool word;
};
size_t rcs_patterns(struct rcs_arena *arena, const struct rcs_spec *spec, struct rcs_pattern **patterns);

/*
 * Writes NAME.rl, NAME.c and NAME.h into `directory` (made if missing). Ragel is run from there, twice: once as XML, which is
 * compared with the model state by state and symbol by symbol, once for the C. Nothing is left half done: the three files
 * are written under other names and renamed when all is well. Findings say what went wrong (`ragel`, `ragel-differs`, `io`).
 */
bool rcs_compile(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_machine *machine,
                 const char *directory, struct rcs_findings *findings);

/* The same, and NAME.so as well, built by the system's C compiler with the headers in the directory `include`. All four
   files are there in the end, or none is (finding `cc`). */
bool rcs_compile_shared(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_machine *machine,
                        const char *directory, const char *include, struct rcs_findings *findings);

/* All of it in one go: read, unroll, check. NULL machine if the spec has errors that leave nothing to unroll. */
struct rcs_loaded {
    struct rcs_spec *spec;
    struct rcs_machine *machine;
    struct rcs_worst worst;
};
/* Returns true if there were no errors. */
bool rcs_load(struct rcs_arena *arena, const char *path, const char *text, size_t size, struct rcs_findings *findings,
              struct rcs_loaded *loaded);

/* Reads a whole file (at most 4 MiB) into the arena; NULL with `*why` set. */
char *rcs_file_read(struct rcs_arena *arena, const char *path, size_t *size, const char **why);

#endif
