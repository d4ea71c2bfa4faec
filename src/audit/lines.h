/* A log read line by line, in constant memory. */
#ifndef RCS_AUDIT_LINES_H
#define RCS_AUDIT_LINES_H

#include <sys/types.h>

#include "src/audit/record.h"

/* Caller-owned; large: not for small stacks. */
struct rcs_lines {
    ssize_t (*read)(void *user, char *bytes, size_t size); /* as read(2) does */
    void *user;
    uint64_t offset; /* behind the last whole line */
    uint64_t number; /* of the line that was returned last, from 1 */
    size_t at;
    size_t filled;
    bool ended;
    int error;       /* errno of a read that failed */
    char bytes[2 * RCS_LINE_MAX];
};

enum rcs_line_kind {
    RCS_LINE_END = 0,
    RCS_LINE_WHOLE = 1,   /* without its line feed */
    RCS_LINE_TORN = 2,    /* the last one, without a line feed */
    RCS_LINE_LONG = 3,    /* longer than a record can be, or its beginning; nothing can be read after it */
    RCS_LINE_FAILED = 4   /* `error` says why */
};

void rcs_lines_init(struct rcs_lines *lines, ssize_t (*read)(void *user, char *bytes, size_t size), void *user);
/* Of a descriptor; `*fd` lives as long as the reader. */
void rcs_lines_init_file(struct rcs_lines *lines, const int *fd);
/* The line lives until the next call. */
enum rcs_line_kind rcs_lines_next(struct rcs_lines *lines, struct recourse_span *line);

/*
 * What a whole line says, and the chain that it has to continue. `*hash` is that of the line before and becomes its
 * own; in the `first` line of a file, the one that it names itself. NULL, or what is wrong.
 */
const char *rcs_lines_check(struct recourse_span line, bool first, uint8_t hash[RCS_HASH_SIZE],
                            struct rcs_record *record);

#endif
