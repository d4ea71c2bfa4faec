/* Findings as people, and as programs, read them. */
#ifndef RCS_FINDINGS_OUT_H
#define RCS_FINDINGS_OUT_H

#include <stdio.h>

#include "gen/finding.h"
#include "json_out.h"

/* Whether `file` is a terminal that wants colour (NO_COLOR, TERM=dumb: it doesn't). */
bool rcs_wants_colour(FILE *file);

/* `file:line:col: error[code]: text`, and rows and witness on a line of their own where there are any. */
void rcs_finding_print(FILE *file, const char *path, const struct rcs_finding *finding, bool colour);

/* The first RCS_PRINTED_MAX on stdout, and how many more there are. */
#define RCS_PRINTED_MAX 50u
void rcs_findings_print(const char *path, const struct rcs_findings *findings);

/* The same as workflow commands of GitHub Actions, which shows them beside the lines of a pull request. */
void rcs_findings_print_github(const char *path, const struct rcs_findings *findings);
/* Those that are errors, on stderr. */
void rcs_findings_print_errors(const char *path, const struct rcs_findings *findings);

/* The array of all. */
void rcs_findings_json(struct rcs_out *out, const struct rcs_findings *findings);

#endif
