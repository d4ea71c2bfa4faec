/* What the commands of `recourse` share. Each command is a file with one entry: its name, its page, its function. */
#ifndef RCS_CLI_H
#define RCS_CLI_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/error.h>
#include <recourse/facts.h>

#ifndef RECOURSE_VERSION
#define RECOURSE_VERSION "unversioned"
#endif

enum rcs_exit {
    RCS_EXIT_OK = 0,
    RCS_EXIT_ERROR = 1,     /* findings, or something wrong with how the command was called */
    RCS_EXIT_DIFFERS = 2,   /* diff: the policies behave differently */
    RCS_EXIT_FAILED = 3,    /* run: a policy told the host; diff: a gate is broken */
    RCS_EXIT_CANCELLED = 4  /* run: a signal came */
};

struct rcs_command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns an rcs_exit */
    const char *help;
    const char *more; /* how it goes on: a text of C has 4095 characters at most; may be NULL */
    const char *rest; /* and on; likewise */
};

extern const struct rcs_command rcs_command_check;
extern const struct rcs_command rcs_command_fmt;
extern const struct rcs_command rcs_command_compile;
extern const struct rcs_command rcs_command_simulate;
extern const struct rcs_command rcs_command_paths;
extern const struct rcs_command rcs_command_mutants;
extern const struct rcs_command rcs_command_diff;
extern const struct rcs_command rcs_command_explain;
extern const struct rcs_command rcs_command_classify;
extern const struct rcs_command rcs_command_tools;
extern const struct rcs_command rcs_command_run;
extern const struct rcs_command rcs_command_audit;
extern const struct rcs_command rcs_command_policy;
extern const struct rcs_command rcs_command_completion;

/* All of them, in the order of --help; NULL past the last. */
const struct rcs_command *rcs_command_at(size_t index);

/* Prints "recourse COMMAND: TEXT" as one line on stderr, cleaned of control characters. Returns RCS_EXIT_ERROR. */
int rcs_cli_error(const char *command, const char *format, ...) RECOURSE_PRINTF(2, 3);
/* realloc (`memory` NULL: malloc) that never returns NULL: without memory the process ends with one line on stderr. */
void *rcs_cli_realloc(void *memory, size_t size);

/* Prints all of a command's help on stdout. */
void rcs_help_print(const struct rcs_command *command);

/* ---- options ---- */

struct rcs_option {
    const char *name;   /* "--policy" */
    const char *letter; /* "-o", or NULL */
    bool *flag;         /* either this, which is set, */
    const char **value; /* or this, which takes the next word or what follows `=`; of both, only what follows `=`; */
    const char *later;  /* or neither: known, but not in this version */
};

#define RCS_GO_ON (-1)

/*
 * Reads the options of a command and moves the words to argv[1] and on; `*word_count` says how many. `--` ends the
 * options, `-` is a word. Returns RCS_GO_ON, or the exit status: 0 when --help was asked for and has been printed.
 */
int rcs_options_read(const struct rcs_command *command, int argc, char **argv, const struct rcs_option *options,
                     size_t option_count, size_t *word_count);

/* ---- small readers ---- */

/* "500ms", "5s", "2m", "1h": 1 ms to 30 days. False if it is none. */
bool rcs_duration_read(const char *text, uint64_t *ms);
/* Decimal digits alone, up to `max`. */
bool rcs_number_read(const char *text, uint64_t max, uint64_t *number);

/* The name most like `word`, at most a third of its letters apart; NULL if there is none. `name(user, index)` returns
   NULL past the last. */
const char *rcs_nearest(const char *word, const char *(*name)(const void *user, size_t index), const void *user);

/* `200 ms`, `3 s`, `2.2 s`, `5 min`. Returns `text`. */
#define RCS_DURATION_SIZE 32u
const char *rcs_duration_text(uint64_t ms, char text[RCS_DURATION_SIZE]);

#endif
