#include "run_audit.h"

#include <string.h>

#include "cli.h"

bool rcs_audit_sync_read(const char *text, uint8_t *sync)
{
    static const char *const names[RECOURSE_AUDIT_SYNC_COUNT] = {
        [RECOURSE_AUDIT_BEFORE_EFFECT] = "before-effect",
        [RECOURSE_AUDIT_NONE] = "none",
        [RECOURSE_AUDIT_BATCH] = "batch",
        [RECOURSE_AUDIT_EVERY] = "every",
    };

    for (uint8_t i = 0; i < RECOURSE_AUDIT_SYNC_COUNT; i++) {
        if (strcmp(names[i], text) == 0) {
            *sync = i;
            return true;
        }
    }
    return false;
}

bool rcs_run_audit_open(const struct rcs_run_options *options, struct recourse_port *port,
                        const struct recourse_policy *policy, struct recourse_audit **audit)
{
    struct recourse_audit_options wanted = {
        .size = sizeof wanted,
        .port = port,
        .policy = policy,
        .path = options->audit,
        .disclosure = options->disclosure,
        .sync = options->audit_sync,
        .capture = options->capture,
    };
    struct recourse_error error = {.code = RECOURSE_OK};

    *audit = NULL;
    if (options->audit == NULL || recourse_audit_open(&wanted, audit, &error) == RECOURSE_OK) {
        return true;
    }
    rcs_cli_error("run", "the record can't be written: %s", error.text);
    return false;
}

bool rcs_run_audit_close(struct recourse_audit *audit)
{
    uint64_t lost = audit == NULL ? 0 : recourse_audit_lost(audit);
    struct recourse_error error = {.code = RECOURSE_OK};

    if (recourse_audit_close(audit, &error) != RECOURSE_OK) {
        rcs_cli_error("run", "%s", error.text);
        return false;
    }
    if (lost > 0) {
        rcs_cli_error("run", "%llu record%s could not be written, and %s lost", (unsigned long long)lost,
                      lost == 1 ? "" : "s", lost == 1 ? "is" : "are");
    }
    return lost == 0;
}
