/*
 * What a record costs: `audit write LOG CALLS` writes a log without sync, `audit verify LOG` verifies it. Each prints
 * nanoseconds of CPU for each record, and how many there are:
 *
 *   record_ns=N records=N
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <recourse/call.h>

#include "src/audit/audit.h"
#include "src/audit/verify.h"

#define POLICY "spec/lightspeed.policy.md"

static void fail(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static uint64_t cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* ---- writing ---- */

/* A call as runners record it; every third one fails once. */
static unsigned write_call(struct recourse_audit *audit, const struct recourse_policy *policy, uint64_t *now_ms,
                           uint64_t index)
{
    const struct recourse_facts good = {.http = 200, .result = {"three pods", 10}, .tool = "lookup"};
    const struct recourse_facts bad = {.http = 503, .text = {"connection timeout", 18}, .tool = "lookup"};
    const struct recourse_input inputs[] = {{.event = RECOURSE_EVENT_READY}, {.event = RECOURSE_EVENT_OK, .facts = &bad},
                                            {.event = RECOURSE_EVENT_ELAPSED},
                                            {.event = RECOURSE_EVENT_OK, .facts = &good}};
    struct recourse_result result = {.tell = RECOURSE_TELL_MODEL, .content = good.result};
    struct recourse_decision decision;
    struct recourse_input input;
    struct recourse_call machine;
    uint64_t number = 0;
    struct rcs_audited what = {.policy = policy, .decision = &decision, .input = &input, .result = &result,
                               .call = &number, .id = {"call_0", 6}, .tool = {"lookup", 6},
                               .arguments = {"{\"q\":\"pods\"}", 12}, .tool_known = true, .began_ms = *now_ms,
                               .deadline_ms = RECOURSE_FOREVER};

    if (recourse_call_init(&machine, policy, *now_ms, RECOURSE_FOREVER, false) != 0) {
        fail("no call");
    }
    for (unsigned i = 0; i < 4; i++) {
        if (index % 3 != 0 && (i == 1 || i == 2)) {
            continue;
        }
        *now_ms = inputs[i].event == RECOURSE_EVENT_ELAPSED ? machine.wake_ms : *now_ms;
        input = inputs[i];
        input.now_ms = *now_ms;
        if (recourse_call_step(&machine, policy, &input, &decision) != 0) {
            fail("the call can't go on");
        }
        result.reminder = decision.reminder;
        if (rcs_audit_record(audit, &what) != 0) {
            fail("a record can't be written");
        }
    }
    return index % 3 == 0 ? 7 : 4;
}

static void write_log(const char *path, uint64_t calls)
{
    struct recourse_audit_options options = {.size = sizeof options, .path = path, .sync = RECOURSE_AUDIT_NONE,
                                             .segment_max = UINT64_MAX};
    struct recourse_error error = {.code = 0};
    struct recourse_audit *audit = NULL;
    uint64_t now_ms;
    uint64_t records = 0;
    uint64_t began;

    options.policy = recourse_policy_builtin("lightspeed");
    if (recourse_port_new(NULL, &options.port, &error) != 0) {
        fail(error.text);
    }
    unlink(path);
    if (recourse_audit_open(&options, &audit, &error) != 0) {
        fail(error.text);
    }
    now_ms = options.port->now_ms(options.port->self);
    began = cpu_ns();
    for (uint64_t i = 0; i < calls; i++) {
        records += write_call(audit, options.policy, &now_ms, i);
    }
    if (rcs_audit_flush(audit, NULL) != 0) {
        fail("the log can't be written");
    }
    printf("record_ns=%" PRIu64 " records=%" PRIu64 "\n", (cpu_ns() - began) / records, records);
    exit(0); /* the clock of the calls is ahead of that of the port: such a log is not closed */
}

/* ---- verifying ---- */

static void verify_log(const char *path)
{
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded = {NULL, NULL, {0}};
    struct rcs_verify *verify;
    struct rcs_verdict verdict;
    struct rcs_judge judge;
    const char *why = NULL;
    size_t size;
    char *text = rcs_file_read(&arena, POLICY, &size, &why);
    int fd = open(path, O_RDONLY);
    uint64_t began;

    if (text == NULL || fd < 0 || !rcs_load(&arena, POLICY, text, size, &findings, &loaded)) {
        fail("no policy, or no log");
    }
    rcs_judge_init(&judge, &arena, loaded.spec);
    verify = rcs_verify_new(&judge, 1, NULL);
    began = cpu_ns();
    if (verify == NULL || !rcs_verify_file(verify, path, fd, &why)) {
        fail("the log can't be verified");
    }
    rcs_verify_end(verify, &verdict);
    began = cpu_ns() - began;
    if (verdict.grade != RCS_GRADE_CONFORMANT) {
        fail("the log does not conform");
    }
    printf("record_ns=%" PRIu64 " records=%" PRIu64 "\n", began / verdict.records, verdict.records);
    rcs_verify_free(verify);
    rcs_arena_clear(&arena);
    close(fd);
}

int main(int count, char **arguments)
{
    if (count == 4 && strcmp(arguments[1], "write") == 0) {
        write_log(arguments[2], strtoull(arguments[3], NULL, 10));
    } else if (count == 3 && strcmp(arguments[1], "verify") == 0) {
        verify_log(arguments[2]);
    } else {
        fail("usage: audit write LOG CALLS, audit verify LOG");
    }
    return 0;
}
