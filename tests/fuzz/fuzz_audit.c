/* Records from any bytes: the verifier reads nothing outside of them; a body that is read is written again the same;
   and of any file either all is kept or the whole records before a torn line. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/audit/log.h"
#include "src/audit/verify.h"
#include "src/core/json.h"

#define POLICY "tests/unit/policies/plain.policy.md"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds) {
        abort();
    }
}

static struct rcs_judge *judge_of_plain(const struct recourse_policy **policy)
{
    static struct rcs_arena arena;
    static struct rcs_judge judge;
    static const struct recourse_policy *bound;
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded = {NULL, NULL, {0}};
    const char *why = NULL;
    size_t size;

    if (bound == NULL) {
        char *text = rcs_file_read(&arena, POLICY, &size, &why);

        demand(text != NULL && rcs_load(&arena, POLICY, text, size, &findings, &loaded));
        rcs_judge_init(&judge, &arena, loaded.spec);
        bound = rcs_bind(&arena, loaded.spec, loaded.machine, &findings);
    }
    *policy = bound;
    return &judge;
}

/* What is a body is one in one way only. */
static void check_body(struct recourse_span body)
{
    struct rcs_record record;
    struct rcs_record again;
    struct rcs_hasher hasher;
    struct rcs_buffer line;
    uint8_t hash[RCS_HASH_SIZE] = {0};
    static char texts[RCS_KEY_COUNT][256];

    if (rcs_body_read(body, &record) != NULL) {
        return;
    }
    again = record;
    for (unsigned key = 0; key < RCS_KEY_COUNT; key++) {
        if (record.type[key] == RCS_TYPE_TEXT) {
            size_t size = rcs_json_unescape(record.value[key].text, texts[key], sizeof texts[key]);

            if (size > sizeof texts[key]) {
                return;
            }
            again.value[key].text = (struct recourse_span){texts[key], size};
        }
    }
    rcs_buffer_init(&line, NULL, (size_t)1 << 20);
    demand(rcs_hasher_init(&hasher) && rcs_line_append(&line, &hasher, hash, &again) == 0);
    demand(line.size > body.size + 8 && memcmp(line.data + 8, body.data, body.size) == 0 &&
           line.data[8 + body.size] == ',');
    rcs_buffer_clear(&line);
    rcs_hasher_clear(&hasher);
}

static void check_verifier(struct rcs_judge *judge, struct recourse_span bytes)
{
    struct rcs_disclosure disclosure;
    struct rcs_verify *verify;
    struct rcs_verdict verdict;
    size_t line;

    (void)rcs_disclosure_read(&disclosure, bytes, &line);
    verify = rcs_verify_new(judge, 1, &disclosure);
    demand(verify != NULL);
    rcs_verify_bytes(verify, "log", bytes);
    rcs_verify_end(verify, &verdict);
    demand(verdict.grade < RCS_GRADE_COUNT && (verdict.calls > 0 || verdict.grade <= RCS_GRADE_EMPTY));
    rcs_verify_free(verify);
    rcs_disclosure_clear(&disclosure);
}

static uint64_t now_ms(void *self)
{
    (void)self;
    return 1000;
}

static int fill(void *self, void *bytes, size_t size)
{
    (void)self;
    memset(bytes, 7, size);
    return 0;
}

static size_t file_size(const char *path)
{
    int fd = open(path, O_RDONLY);
    off_t size = lseek(fd, 0, SEEK_END);

    close(fd);
    return (size_t)size;
}

static void check_recovery(const struct recourse_policy *policy, struct recourse_span bytes)
{
    static char path[64];
    static char torn[80];
    struct recourse_port port = {.size = sizeof port, .now_ms = now_ms, .wall_s = now_ms, .random = fill};
    struct recourse_audit_options options = {.size = sizeof options, .port = &port, .policy = policy, .path = path,
                                             .sync = RECOURSE_AUDIT_NONE};
    struct recourse_audit *audit = NULL;
    int fd;

    snprintf(path, sizeof path, P_tmpdir "/recourse-fuzz-audit.%ld", (long)getpid());
    snprintf(torn, sizeof torn, "%s.torn", path);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    demand(fd >= 0 && rcs_log_write(fd, bytes.data, bytes.size) == 0);
    close(fd);
    if (recourse_audit_open(&options, &audit, NULL) == 0) {
        demand(recourse_audit_close(audit, NULL) == 0);
        demand(recourse_audit_open(&options, &audit, NULL) == 0); /* what was recovered is good */
        demand(recourse_audit_close(audit, NULL) == 0);
    } else {
        demand(file_size(path) == bytes.size); /* left alone */
    }
    unlink(path);
    unlink(torn);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct recourse_policy *policy;
    struct rcs_judge *judge = judge_of_plain(&policy);
    struct recourse_span bytes = {(const char *)data, size};

    check_body(bytes);
    check_verifier(judge, bytes);
    check_recovery(policy, bytes);
    return 0;
}
