/* Signals that end a command, and what it has started. */
#ifndef RCS_SIGNALS_H
#define RCS_SIGNALS_H

#include <recourse/port.h>

/*
 * Listens to SIGINT, SIGTERM and SIGHUP for as long as the port lives; SIGPIPE is ignored. For the first two that come `told` is
 * called by the port's loop, and everything is expected to be over soon; the third one ends the process as if nobody had
 * listened, after all that the port has started was killed. `told` NULL: so does the first. One port at a time, and the thread
 * that calls this is the port's. False: errno says why.
 */
bool rcs_signals_listen(struct recourse_port *port, void (*told)(void *user), void *user);
/* Listens no more, and frees the port (which may be NULL); a signal that comes meanwhile ends the process after that. */
void rcs_signals_free_port(struct recourse_port *port);

#endif
