/* What the codes of findings mean. */
#ifndef RCS_EXPLAIN_H
#define RCS_EXPLAIN_H

#include <stddef.h>

/* Prints the page of `code`, or says which one is nearest. Returns the exit status. */
int rcs_explain(const char *code);

/* The codes that have a page; NULL past the last. */
const char *rcs_explain_code(size_t index);

/* How a code comes about: by a change of the policy lightspeed, or otherwise. */
struct rcs_code_example {
    const char *code;
    const char *from; /* the first place where it stands */
    const char *to;   /* NULL: as it is; "": taken out */
    const char *also_from; /* a second change; NULL: none */
    const char *also_to;
    const char *shown; /* where no change of a few cells does it: in words; `from` is NULL */
};

/* Each page has one. */
const struct rcs_code_example *rcs_example_of(const char *code);
const struct rcs_code_example *rcs_example_at(size_t index);

#endif
