/* How the library fills in a recourse_error. */
#ifndef RCS_FAIL_H
#define RCS_FAIL_H

#include <recourse/error.h>

/* Sets `*error` (may be NULL) and returns `code`. */
int rcs_fail(struct recourse_error *error, enum recourse_code code, const char *format, ...) RECOURSE_PRINTF(3, 4);

#endif
