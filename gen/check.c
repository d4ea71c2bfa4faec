#include "gen/check.h"

void rcs_check(const struct rcs_spec *spec, const struct rcs_machine *machine, struct rcs_findings *findings,
               struct rcs_worst *worst)
{
    static void (*const checks[])(const struct rcs_check *check) = {
        rcs_check_cases,    rcs_check_graph,  rcs_check_rows,  rcs_check_names,
        rcs_check_failures, rcs_check_replay, rcs_check_waits, rcs_check_shared, rcs_check_review,
        rcs_check_examples,
    };
    struct rcs_check check = {spec, machine, findings};

    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        checks[i](&check);
    }
    rcs_worst_case(&check, worst);
    rcs_findings_sort(findings);
}
