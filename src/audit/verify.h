/*
 * The verifier: a log against the policies that its calls were judged by. The chain first, then every decision made
 * again on the model. Linear in the log; its memory grows with the calls that are open at once, and with the
 * disclosure.
 */
#ifndef RCS_AUDIT_VERIFY_H
#define RCS_AUDIT_VERIFY_H

#include "gen/compile.h"
#include "src/audit/anchor.h"
#include "src/audit/lines.h"

enum rcs_grade {
    RCS_GRADE_BROKEN = 0,     /* it is not, or no longer, what was written */
    RCS_GRADE_EMPTY = 1,      /* nothing happened in it */
    RCS_GRADE_INTACT = 2,     /* nothing was changed or cut out, as far as the chain can tell */
    RCS_GRADE_CONFORMANT = 3, /* and every decision in it is the policy's */
    RCS_GRADE_COMPLETE = 4,   /* and every call in it has its end, and no record was lost */
    RCS_GRADE_ANCHORED = 5,   /* and somebody else has kept how far it went */
    RCS_GRADE_COUNT = 6
};

#define RCS_VERIFY_TEXT_MAX 240u

/* The first thing that is not as it should be. `line` 0: of the file, or of the log, as a whole. */
struct rcs_divergence {
    bool found;
    const char *file;
    uint64_t line;
    uint64_t call; /* 0: of no call */
    char what[RCS_VERIFY_TEXT_MAX]; /* "row", "wait_ms", or a sentence */
    char expected[RCS_VERIFY_TEXT_MAX]; /* "": `what` says all */
    char recorded[RCS_VERIFY_TEXT_MAX];
    char expected_row[64]; /* of the policy, with its line; "": none */
    char recorded_row[64];
};

/* One of the policies that may have judged. */
struct rcs_judge {
    const struct rcs_spec *spec;
    size_t *first_atoms;     /* of each fact row, its first atom's number among all */
    uint64_t *held;          /* a bit per atom: conditions that the outcome at hand meets */
    size_t atom_count;
    uint64_t *rows;          /* how often each row was used */
    uint64_t *fact_rows;
    bool matched;            /* a log has its digest */
};

struct rcs_verdict {
    enum rcs_grade grade;
    uint64_t records;
    uint64_t segments;
    uint64_t anchored;    /* records up to the anchor, where one was given and the log has it */
    uint64_t calls;       /* that began */
    uint64_t open;        /* of those, without an end */
    uint64_t lost;        /* records */
    uint64_t torn;        /* recoveries of a torn line */
    uint64_t unjudged;    /* calls whose policy was not given */
    uint64_t disclosed;   /* outcomes whose contents were all classified anew */
    uint64_t undisclosed; /* outcomes with contents that stay hidden */
    char unknown[RCS_VERIFY_TEXT_MAX];  /* a policy that was not given: its name and digest */
    char version[RCS_VERIFY_TEXT_MAX];  /* a policy that was given in another version */
    char incomplete[RCS_VERIFY_TEXT_MAX]; /* why it is not complete */
    struct rcs_divergence broken;       /* of the chain */
    struct rcs_divergence divergence;   /* from the policy */
};

struct rcs_verify;
struct rcs_disclosure;

/* `judges` are borrowed. NULL: no memory. */
struct rcs_verify *rcs_verify_new(struct rcs_judge *judges, size_t judge_count,
                                  const struct rcs_disclosure *disclosure);
void rcs_verify_free(struct rcs_verify *verify);
/* Before the first file: what was kept elsewhere. Borrowed. */
void rcs_verify_anchor(struct rcs_verify *verify, const struct rcs_anchor *anchor);
/* The next file of the log; false: it can't be read, `*why` says why. `name` must outlive the verdict. */
bool rcs_verify_file(struct rcs_verify *verify, const char *name, int fd, const char **why);
/* The same for bytes in memory. */
void rcs_verify_bytes(struct rcs_verify *verify, const char *name, struct recourse_span bytes);
/* After the last file. */
void rcs_verify_end(struct rcs_verify *verify, struct rcs_verdict *verdict);

const char *rcs_grade_name(enum rcs_grade grade);
bool rcs_grade_read(const char *text, enum rcs_grade *grade); /* not "broken" */

/* A judge from a policy's file that was read without errors; its memory is the arena's. */
void rcs_judge_init(struct rcs_judge *judge, struct rcs_arena *arena, const struct rcs_spec *spec);

/* ---- disclosures ---- */

/* One line of a disclosure. */
struct rcs_disclosed {
    uint8_t writer[16];
    uint64_t call;
    unsigned try_number;
    struct recourse_span field; /* "salt", "text", ... */
    struct recourse_span value; /* JSON */
};

struct rcs_disclosure {
    struct rcs_disclosed *items;
    size_t count;
};

/* Reads a disclosure; `text` must outlive it. False: line `*line` is none of a disclosure. */
bool rcs_disclosure_read(struct rcs_disclosure *disclosure, struct recourse_span text, size_t *line);
void rcs_disclosure_clear(struct rcs_disclosure *disclosure);
/* The value; data NULL: there is none. */
struct recourse_span rcs_disclosure_find(const struct rcs_disclosure *disclosure, const uint8_t writer[16],
                                         uint64_t call, unsigned try_number, const char *field);

#endif
