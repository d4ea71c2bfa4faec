/* How runs are worded, in the text of `paths` and on the page of `explain`. */
#ifndef RCS_PATHS_OUT_H
#define RCS_PATHS_OUT_H

#include "gen/paths.h"

/* What tells the forms of an event apart, where that makes a difference: ":safe". `form` is RCS_SEEN_ bits. */
const char *rcs_form_text(uint16_t event, uint8_t form);

/* ", reminder", ", no reminder", or nothing. */
const char *rcs_reminder_text(uint8_t reminder);

/* "one paragraph for each way to wait" */
const char *rcs_fold_text(uint8_t fold);

/* Whether two ends differ in their reasons alone. */
bool rcs_same_but_reason(const struct rcs_spec *spec, const struct rcs_path_end *a, const struct rcs_path_end *b);

#endif
