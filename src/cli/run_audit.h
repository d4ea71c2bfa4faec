/* `recourse run --audit`. */
#ifndef RCS_RUN_AUDIT_H
#define RCS_RUN_AUDIT_H

#include <recourse/audit.h>

#include "run.h"

/* "none", "batch", "before-effect", "every" */
bool rcs_audit_sync_read(const char *text, uint8_t *sync);

/* Opens the log that the options name; `*audit` NULL: none is wanted. False, with a line on stderr. */
bool rcs_run_audit_open(const struct rcs_run_options *options, struct recourse_port *port,
                        const struct recourse_policy *policy, struct recourse_audit **audit);
/* After the runner. False, with a line on stderr, if some of it could not be written. */
bool rcs_run_audit_close(struct recourse_audit *audit);

#endif
