/* What the compiler has to say about a policy. */
#ifndef RCS_FINDING_H
#define RCS_FINDING_H

#include <stdint.h>

#include "arena.h"

enum rcs_severity { RCS_NOTICE = 0, RCS_WARNING = 1, RCS_ERROR = 2, RCS_SEVERITY_COUNT = 3 };

struct rcs_place {
    uint32_t line;   /* from 1; 0: the file as a whole */
    uint32_t column; /* from 1, in bytes */
};

struct rcs_finding {
    const char *code; /* stable: "overlap", "gap", ... */
    enum rcs_severity severity;
    struct rcs_place place;
    const char *text;    /* one sentence, no full stop: what is wrong, and what was expected or what to do */
    const char *rows;    /* "A1, A4"; "" if it concerns none */
    const char *witness; /* the words of the shortest run that shows it: "transient, rate_limited:safe"; NULL if none */
};

struct rcs_findings {
    struct rcs_arena *arena;
    struct rcs_finding *items;
    size_t count;
    size_t by_severity[RCS_SEVERITY_COUNT];
};

/* Adds one; `rows` and `witness` may be NULL. */
void rcs_find(struct rcs_findings *findings, enum rcs_severity severity, const char *code, struct rcs_place place,
              const char *rows, const char *witness, const char *format, ...) RECOURSE_PRINTF(7, 8);

/* Sorts by place, stable. */
void rcs_findings_sort(struct rcs_findings *findings);

const char *rcs_severity_name(enum rcs_severity severity); /* "error", ... */

#endif
