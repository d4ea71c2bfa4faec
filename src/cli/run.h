/* `recourse run`, once its options are read. */
#ifndef RCS_RUN_H
#define RCS_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct rcs_run_options {
    const char *policy; /* as given: a name or a path */
    const char *tools;  /* path; "-": stdin */
    const char *calls;  /* likewise */
    const char *report; /* path; NULL: none */
    const char *metrics;    /* likewise */
    const char *audit;      /* likewise */
    const char *disclosure; /* likewise */
    uint8_t audit_sync;     /* enum recourse_audit_sync */
    bool capture;
    bool otlp;
    const char *otlp_url;    /* NULL: as the environment says */
    const char *traceparent; /* likewise */
    uint8_t approve;    /* enum rcs_approve */
    bool stream;
    bool log;
    bool no_cache;
    uint32_t budget;      /* tokens; 0: none */
    uint64_t deadline_ms; /* from the start; 0: none */
};

/* Runs the calls and prints what comes of them. Returns the exit status. */
int rcs_run_job(const struct rcs_run_options *options);

#endif
