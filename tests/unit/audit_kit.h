/* What the tests of logs share: a log of small calls by a policy, `plain` if no other is set. */
#ifndef RCS_AUDIT_KIT_H
#define RCS_AUDIT_KIT_H

#include <fcntl.h>

#include "src/audit/log.h"
#include "src/audit/verify.h"
#include "tests/unit/policy_load.h"
#include "tests/unit/sim_port.h"

#define AT_MS 1000u

static struct rcs_loaded_policy plain;
static char *directory;
static struct rcs_arena scratch;

/* ---- logs of small calls ---- */

struct log_kit {
    struct sim sim;
    struct recourse_audit_options options;
    struct recourse_audit *audit;
    struct recourse_error error;
    const struct recourse_policy *policy;
    const struct rcs_spec *spec;
    char path[200];
    char disclosure[200];
    bool lie_safe;  /* the log is told that the tool is safe */
    bool lie_delay; /* and that the server has asked for nothing */
};

static inline void kit_init(struct log_kit *kit, const char *name)
{
    memset(kit, 0, sizeof *kit);
    sim_init(&kit->sim, AT_MS);
    snprintf(kit->path, sizeof kit->path, "%s/%s", directory, name);
    snprintf(kit->disclosure, sizeof kit->disclosure, "%s/%s.disclosure", directory, name);
    kit->policy = plain.policy;
    kit->spec = plain.loaded.spec;
    kit->options = (struct recourse_audit_options){.size = sizeof kit->options, .port = &kit->sim.port,
                                                   .policy = plain.policy, .path = kit->path,
                                                   .sync = RECOURSE_AUDIT_NONE};
}

static inline int kit_open(struct log_kit *kit)
{
    return recourse_audit_open(&kit->options, &kit->audit, &kit->error);
}

static inline void kit_close(struct log_kit *kit)
{
    RCS_EQUAL(recourse_audit_close(kit->audit, &kit->error), 0);
    kit->audit = NULL;
}

/* A call that ends well at once, or (with facts) as they say, if that is the end of it. Returns what recording said. */
static inline int add_call(struct log_kit *kit, const struct recourse_facts *facts, struct recourse_span arguments,
                    struct recourse_span tool, struct recourse_span id)
{
    static const struct recourse_facts good = {.http = 200, .tool = "tool"};
    struct recourse_input inputs[2] = {
        {.now_ms = kit->sim.now_ms, .event = RECOURSE_EVENT_READY},
        {.now_ms = kit->sim.now_ms, .event = RECOURSE_EVENT_OK, .facts = facts != NULL ? facts : &good},
    };
    struct recourse_result result = {.content = {NULL, 0}};
    struct recourse_decision decision;
    struct recourse_call machine;
    uint64_t number = 0;
    struct rcs_audited what = {
        .policy = kit->policy, .decision = &decision, .result = &result, .call = &number, .id = id, .tool = tool,
        .arguments = arguments, .tool_known = facts != NULL || strncmp(tool.data, "tool", tool.size) == 0,
        .safe = kit->lie_safe, .began_ms = kit->sim.now_ms, .deadline_ms = RECOURSE_FOREVER,
    };
    int code = recourse_call_init(&machine, kit->policy, kit->sim.now_ms, RECOURSE_FOREVER, false);

    result.content = (struct recourse_span){kit->policy->settings.reminder, strlen(kit->policy->settings.reminder)};
    for (unsigned i = 0; i < 2 && code == 0; i++) {
        what.input = &inputs[i];
        code = recourse_call_step(&machine, kit->policy, &inputs[i], &decision);
        decision.server_delay_ms = kit->lie_delay ? 0 : decision.server_delay_ms;
        result.tell = decision.tell;
        result.reminder = decision.reminder;
        code = code == 0 ? rcs_audit_record(kit->audit, &what) : code;
    }
    return code;
}

static inline struct recourse_span words(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

static inline int add_plain(struct log_kit *kit)
{
    return add_call(kit, NULL, words("{}"), words("tool"), words("c1"));
}

static inline char *read_file(const char *path, size_t *size)
{
    const char *why = NULL;
    char *text = rcs_file_read(&scratch, path, size, &why);

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    return text;
}

static inline void write_file(const char *path, const char *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    CU_ASSERT_TRUE_FATAL(fd >= 0);
    RCS_EQUAL(rcs_log_write(fd, bytes, size), 0);
    close(fd);
}

static inline void verify_by(const struct rcs_spec *spec, struct rcs_verdict *verdict, struct recourse_span bytes,
                             const struct rcs_disclosure *disclosure)
{
    struct rcs_arena arena = {0};
    struct rcs_judge judge;
    struct rcs_verify *verify;

    rcs_judge_init(&judge, &arena, spec);
    verify = rcs_verify_new(&judge, 1, disclosure);
    CU_ASSERT_PTR_NOT_NULL_FATAL(verify);
    rcs_verify_bytes(verify, "log", bytes);
    rcs_verify_end(verify, verdict);
    rcs_verify_free(verify);
    rcs_arena_clear(&arena);
}

static inline void verify_bytes(struct rcs_verdict *verdict, struct recourse_span bytes,
                                const struct rcs_disclosure *disclosure)
{
    verify_by(plain.loaded.spec, verdict, bytes, disclosure);
}

static inline void verify_disclosed(const struct log_kit *kit, struct recourse_span disclosed,
                                    struct rcs_verdict *verdict)
{
    struct rcs_disclosure disclosure;
    struct recourse_span log;
    size_t line;

    log.data = read_file(kit->path, &log.size);
    CU_ASSERT_TRUE(rcs_disclosure_read(&disclosure, disclosed, &line));
    verify_by(kit->spec, verdict, log, &disclosure);
    rcs_disclosure_clear(&disclosure);
}

#endif
