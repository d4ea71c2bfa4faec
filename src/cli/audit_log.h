/* A log read for showing: its records in turn, each with the policy that judged its call, where that is known. */
#ifndef RCS_CLI_AUDIT_LOG_H
#define RCS_CLI_AUDIT_LOG_H

#include <stdio.h>

#include "gen/spec.h"
#include "src/audit/lines.h"

/* ---- texts of rows ---- */

struct rcs_row_text {
    const char *id;
    const char *text; /* the row as a sentence */
};

struct rcs_shown_policy {
    char behaviour[65]; /* its digest, in hex */
    const char *name;
    struct rcs_row_text *rows;
    size_t row_count;
};

/* Zeroed, it is ready. */
struct rcs_shown_policies {
    struct rcs_arena arena;
    struct rcs_shown_policy *items;
    size_t count;
};

/* The policies of these files, and after them the built-in ones. False, with what is wrong on stderr. */
bool rcs_shown_policies_open(struct rcs_shown_policies *policies, char **specs, size_t count);
void rcs_shown_policies_clear(struct rcs_shown_policies *policies);
/* NULL where the policy, or the row in it, is not known. */
const char *rcs_row_text(const struct rcs_shown_policy *policy, const char *id);

/* ---- records ---- */

struct rcs_log_reader;
/* False ends the reading: a line on stderr has said why. */
typedef bool rcs_log_visit(void *user, struct rcs_log_reader *reader);

/* Large: not for small stacks. */
struct rcs_log_reader {
    const struct rcs_shown_policies *policies;
    rcs_log_visit *visit;
    void *user;
    const char *path;
    struct rcs_record record;
    uint64_t writer; /* of the record, from 1: calls are numbered anew by each */
    const struct rcs_shown_policy *policy; /* of the record's call, or that it names; NULL: not known */

    struct rcs_arena arena;
    struct rcs_log_policy {
        uint64_t number;
        const struct rcs_shown_policy *policy;
    } *named; /* by this file */
    size_t named_count;
    struct rcs_log_call {
        uint64_t call;
        const struct rcs_shown_policy *policy;
    } *calls; /* of this writer, in order */
    size_t call_count;
    char writer_id[40];
    uint8_t hash[RCS_HASH_SIZE];
    struct rcs_lines lines;
};

/* Reads files of one log, the oldest first, and checks their chain. `policies`, `visit` and `user` are set, the rest zero.
   Returns the exit status. */
int rcs_log_read(struct rcs_log_reader *reader, char **paths, size_t count);
void rcs_log_clear(struct rcs_log_reader *reader);

/* ---- one record in words (audit_words.c) ---- */

#define RCS_SHOWN_MAX 160u

/* A field as it reads, fit for a terminal; "-" where it is not there. */
const char *rcs_shown_field(const struct rcs_record *record, enum rcs_key key, char text[RCS_SHOWN_MAX]);
/* What happened, without time, call and row. */
void rcs_shown_record(FILE *out, const struct rcs_record *record);

#endif
