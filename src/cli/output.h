/* Standard output, while something runs: whether anybody reads it. */
#ifndef RCS_OUTPUT_H
#define RCS_OUTPUT_H

#include <recourse/port.h>

/*
 * Calls `gone` by the port's loop, once, when the other end of standard output is closed; only a pipe or a socket has one. What
 * can't be watched is noticed when it is written to.
 */
void rcs_output_watch(struct recourse_port *port, void (*gone)(void *user), void *user);
/* Before the port is freed. */
void rcs_output_unwatch(struct recourse_port *port);
/* Writes all of it, past stdio. False: errno says why; SIGPIPE has to be ignored. */
bool rcs_output_write(const char *text, size_t size);

#endif
