/* What the codes of findings mean. */
#ifndef RCS_EXPLAIN_H
#define RCS_EXPLAIN_H

/* Prints the page of `code`, or says which one is nearest. Returns the exit status. */
int rcs_explain(const char *code);

#endif
