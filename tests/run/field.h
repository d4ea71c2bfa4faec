/*
 * Cases of the field: each line of tests/cases/field.jsonl is a run of the real command against the faulty server, and
 * what has to come of it. The words of a line stand in tests/cases/README.md.
 */
#ifndef RCS_FIELD_H
#define RCS_FIELD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <cjson/cJSON.h>

#include "src/core/json.h"
#include "tests/server/faulty.h"
#include "tests/server/mcp.h"
#include "tests/server/parts.h"

#define RCS_FIELD_MCP_PATH "/mcp"

enum rcs_field_verdict { RCS_FIELD_OPEN = 0, RCS_FIELD_GOOD = 1, RCS_FIELD_BAD = 2, RCS_FIELD_WAITS = 3 };

/* One line, while it runs. */
struct rcs_field {
    const char *file;
    unsigned number; /* of the line in its file */
    struct recourse_span text;
    cJSON *root;
    enum rcs_field_verdict verdict;
    struct rcs_bytes faults; /* a line for each thing that is not as it should be */
    /* what it runs against */
    struct rcs_faulty *server;
    struct rcs_mcp *mcp;  /* of its path /mcp; NULL: none */
    struct rcs_deaf deaf; /* listener -1: none */
    int closed;           /* a port that is taken, and at which nobody listens; -1: none */
    unsigned closed_port;
    /* the process */
    const char *command;
    char directory[48];
    pid_t child; /* 0: not started, or gone */
    int errors;  /* its standard error, a pipe; -1: at its end */
    struct rcs_bytes log;
    bool interrupted;
    int status; /* its exit status; -1: it did not exit by itself */
    uint64_t began_ms;
    uint64_t took_ms;
};

uint64_t rcs_field_now_ms(void);
void rcs_field_fault(struct rcs_field *field, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A member of the line; NULL if there is none. */
const cJSON *rcs_field_member(const struct rcs_field *field, const char *name);
/* A file as a whole, NUL-terminated; NULL if it can't be read. Free it. */
char *rcs_field_read(const char *path, size_t *size);
/* The path of a file in the case's directory. */
const char *rcs_field_path(const struct rcs_field *field, const char *name, char path[96]);

/* field_set.c: opens the server and the ports, writes the files. False, with the fault noted, if the line can't be used. */
bool rcs_field_open(struct rcs_field *field);
void rcs_field_close(struct rcs_field *field);

/* field_process.c: runs `count` cases, so many at once, and judges each when its command has ended. */
void rcs_field_run_all(struct rcs_field *fields, size_t count, const char *command);

/* field_judge.c: notes what is not as the line says, and gives the verdict. */
void rcs_field_judge(struct rcs_field *field);
/* field_server.c: likewise, what the server saw. */
void rcs_field_judge_server(struct rcs_field *field, const cJSON *expect, const cJSON *report);

/* field_mcp.c: MCP, at /mcp of the server, or processes that keep a log in the directory. Sets the scripts; false with the
   fault noted. */
bool rcs_field_mcp_open(struct rcs_field *field);
/* The path of the program that is an MCP server on stdio. */
void rcs_field_mcp_program(struct rcs_bytes *out);
/* How many messages of a method came to a server, "/mcp" or the name of a log. */
size_t rcs_field_mcp_count(const struct rcs_field *field, const char *where, const char *method);
/* The calls of tools that came to /mcp: how many; and what is between them and the next one. */
size_t rcs_field_mcp_calls(const struct rcs_field *field);
uint64_t rcs_field_mcp_gap_ms(const struct rcs_field *field, size_t index);
void rcs_field_judge_mcp(struct rcs_field *field, const cJSON *expect);

/* field_words.c: whether the trail of a result is the one that `recourse simulate` gives for these words. */
void rcs_field_judge_words(struct rcs_field *field, const cJSON *result, const char *words);

/* field_rows.c: how many of the rows of the field there are lines for, and why the others have none. Returns the number of
   faults: rows that nobody speaks for, lines of a row that is none. */
unsigned rcs_field_rows(const char *path, const struct rcs_field *fields, size_t count);

#endif
