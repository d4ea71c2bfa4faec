/* Runs the programs that the compiler needs: Ragel, and the system's C compiler. No shell has a part in it. */
#ifndef RCS_PROGRAM_H
#define RCS_PROGRAM_H

#include "arena.h"

/*
 * Runs `arguments[0]`, found in PATH, with the rest (NULL-terminated) and waits for its end. Returns its exit status, and
 * in `*output` the beginning of what it wrote to stdout and stderr. Where it could not be started: -1, and `*error` is an
 * errno (ENOENT: it is not in PATH). Where it was ended by a signal: -1, and `*error` is 0.
 */
int rcs_program_run(struct rcs_arena *arena, const char *const *arguments, char **output, int *error);

/* The first line of `text`, which is cut there. */
char *rcs_program_first_line(char *text);

#endif
