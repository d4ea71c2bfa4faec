/* What `recourse audit` can do, once its options are read. */
#ifndef RCS_CLI_AUDIT_H
#define RCS_CLI_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rcs_audit_show_options {
    char **specs; /* files of policies, for the texts of rows; built-in ones are known */
    size_t spec_count;
    char **logs; /* files of one log, the oldest first */
    size_t log_count;
    const char *call; /* its id or its number; NULL: all */
    bool html;
    const char *output; /* of the page; NULL: stdout */
};
/* The story of each call, or of one. Returns the exit status. */
int rcs_audit_show(const struct rcs_audit_show_options *options);
/* The whole log as a page. */
struct rcs_shown_policies;
int rcs_audit_page(const struct rcs_audit_show_options *options, const struct rcs_shown_policies *policies);

/* Prints how far a log goes, signed where `key` is not NULL: a file. Returns the exit status. */
int rcs_audit_anchor(const char *path, const char *key);
/* False, with a line on stderr. */
bool rcs_audit_public_key(const char *path, uint8_t bytes[32]);

struct rcs_audit_verify_options {
    char **specs; /* files of policies */
    size_t spec_count;
    char **logs;
    size_t log_count;
    const char *disclosure; /* NULL: none */
    const char *anchor;     /* likewise */
    const char *anchor_key; /* likewise */
    const char *require;    /* a grade; NULL: conformant */
    bool json;
};
int rcs_audit_verify(const struct rcs_audit_verify_options *options);

#endif
