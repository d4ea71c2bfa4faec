/* What `recourse audit` can do, once its options are read. */
#ifndef RCS_CLI_AUDIT_H
#define RCS_CLI_AUDIT_H

#include <stdbool.h>
#include <stddef.h>

/* The story of each call, or of one; `call`: its id or its number, NULL: all. Returns the exit status. */
int rcs_audit_show(const char *path, const char *call);

struct rcs_audit_verify_options {
    char **specs; /* files of policies */
    size_t spec_count;
    char **logs;
    size_t log_count;
    const char *disclosure; /* NULL: none */
    const char *require;    /* a grade; NULL: conformant */
    bool json;
};
int rcs_audit_verify(const struct rcs_audit_verify_options *options);

#endif
