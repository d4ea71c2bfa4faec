/* `run --report`: what became of every call, as one JSON object. */
#ifndef RCS_RUN_REPORT_H
#define RCS_RUN_REPORT_H

#include <recourse/runner.h>

#include "json_out.h"
#include "secrets.h"

/* What the report is about. `turn` is NULL if there were no calls. */
struct rcs_report {
    const struct recourse_runner *runner; /* NULL: nothing is shared */
    const struct recourse_policy *policy; /* of the command */
    enum recourse_run_status status;
    const struct recourse_run_failure *failure; /* NULL unless the run failed */
    const struct recourse_turn *turn;
    const struct rcs_secrets *secrets; /* not shown; NULL: none */
};

/* "answered", "failed", "cancelled". */
const char *rcs_report_status(enum recourse_run_status status);

void rcs_report_write(struct rcs_out *out, const struct rcs_report *report);

#endif
