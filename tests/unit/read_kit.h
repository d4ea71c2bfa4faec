/* What the tests of reading share: the memory and the findings of one policy, and the sample read into them. */
#ifndef RCS_READ_KIT_H
#define RCS_READ_KIT_H

#include "gen/read.h"
#include "tests/unit/sample_policy.h"
#include "tests/unit/unit.h"

static struct rcs_arena arena;
static struct rcs_findings findings;

static inline void reset(void)
{
    rcs_arena_clear(&arena);
    findings = (struct rcs_findings){.arena = &arena};
}

/* The sample, without a finding. */
static inline struct rcs_spec *read_sample(void)
{
    const char *text;
    struct rcs_spec *spec;

    reset();
    text = sample_policy(&arena);
    spec = rcs_spec_read(&arena, SAMPLE_PATH, text, strlen(text), &findings);
    CU_ASSERT_PTR_NOT_NULL_FATAL(spec);
    RCS_EQUAL(findings.count, 0);
    return spec;
}

#endif
