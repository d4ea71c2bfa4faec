/*
 * Records from any bytes: the verifier reads nothing outside of them, as they are and with a chain that holds, so that what a
 * record says is judged; and a body that is read is written again the same. First the log, then a disclosure and an anchor,
 * divided by lines "%%".
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/audit/verify.h"
#include "src/core/json.h"
#include "tests/fuzz/rechain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define JUDGES 3u

/* Of every kind of thing that a policy can have; made once. */
static struct rcs_judge *judges(void)
{
    static const char *const paths[JUDGES] = {"tests/unit/policies/plain.policy.md",
                                              "tests/unit/policies/rich_2.policy.md",
                                              "tests/policies/shared.policy.md"};
    static struct rcs_arena arena;
    static struct rcs_judge made[JUDGES];

    for (size_t i = 0; i < JUDGES && made[i].spec == NULL; i++) {
        struct rcs_findings findings = {.arena = &arena};
        struct rcs_loaded loaded = {NULL, NULL, {0}};
        const char *why = NULL;
        size_t size;
        char *text = rcs_file_read(&arena, paths[i], &size, &why);

        demand(text != NULL && rcs_load(&arena, paths[i], text, size, &findings, &loaded));
        rcs_judge_init(&made[i], &arena, loaded.spec);
    }
    return made;
}

/* What is a body is one in one way only. */
static void check_body(struct recourse_span body)
{
    struct rcs_record record;
    struct rcs_record again;
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
    demand(rcs_line_append(&line, hash, &again) == 0);
    demand(line.size > body.size + 8 && memcmp(line.data + 8, body.data, body.size) == 0 &&
           line.data[8 + body.size] == ',');
    rcs_buffer_clear(&line);
}

static void check_bodies(struct recourse_span log)
{
    const char *newline;

    while (log.size > 0 && (newline = memchr(log.data, '\n', log.size)) != NULL) {
        size_t size = (size_t)(newline - log.data);
        struct recourse_span body;
        uint8_t hash[RCS_HASH_SIZE];

        if (rcs_line_read((struct recourse_span){log.data, size}, &body, hash) == NULL) {
            check_body(body);
        }
        log = (struct recourse_span){newline + 1, log.size - size - 1};
    }
}

static void check_verifier(struct recourse_span log, struct recourse_span disclosed, struct recourse_span anchored)
{
    struct rcs_disclosure disclosure;
    struct rcs_anchor anchor;
    struct rcs_verify *verify;
    struct rcs_verdict verdict;
    size_t line;

    (void)rcs_disclosure_read(&disclosure, disclosed, &line);
    verify = rcs_verify_new(judges(), JUDGES, &disclosure);
    demand(verify != NULL);
    if (rcs_anchor_read(anchored, NULL, &anchor) == NULL) {
        rcs_verify_anchor(verify, &anchor);
    }
    rcs_verify_bytes(verify, "log", log);
    rcs_verify_end(verify, &verdict);
    demand(verdict.grade < RCS_GRADE_COUNT && (verdict.calls > 0 || verdict.grade <= RCS_GRADE_EMPTY));
    demand((verdict.grade == RCS_GRADE_BROKEN) == verdict.broken.found);
    rcs_verify_free(verify);
    rcs_disclosure_clear(&disclosure);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recourse_span left = {(const char *)data, size};
    struct recourse_span log = rechain_part(&left);
    struct recourse_span disclosed = rechain_part(&left);
    struct rcs_buffer chained;

    check_body(log);
    check_verifier(log, disclosed, left);
    rechain(log, &chained);
    check_bodies(rcs_buffer_span(&chained));
    check_verifier(rcs_buffer_span(&chained), disclosed, left);
    rcs_buffer_clear(&chained);
    return 0;
}
