/*
 * Policies of any bytes: one is refused with a finding that has a place, or it is read, unrolled and bound; then its canonical form
 * is a policy that behaves alike, and is its own canonical form.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gen/compile.h"

#define PATH "mine.policy.md"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds) {
        abort();
    }
}

static void demand_canonical(struct rcs_arena *arena, const char *text, size_t size, const struct rcs_spec *spec)
{
    struct rcs_findings findings = {.arena = arena};
    struct rcs_loaded loaded;
    char *canonical = rcs_spec_format(arena, PATH, text, size, &findings);
    char *again;

    demand(canonical != NULL);
    demand(rcs_load(arena, PATH, canonical, strlen(canonical), &findings, &loaded));
    demand(memcmp(loaded.spec->behaviour_sha256, spec->behaviour_sha256, sizeof spec->behaviour_sha256) == 0);
    again = rcs_spec_format(arena, PATH, canonical, strlen(canonical), &findings);
    demand(again != NULL && strcmp(canonical, again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    const char *text = rcs_arena_copy(&arena, (const char *)data, size);
    struct rcs_loaded loaded;

    if (rcs_load(&arena, PATH, text, size, &findings, &loaded)) {
        demand(findings.by_severity[RCS_ERROR] == 0);
        demand(rcs_bind(&arena, loaded.spec, loaded.machine, &findings) != NULL);
        demand_canonical(&arena, text, size, loaded.spec);
    } else {
        demand(findings.by_severity[RCS_ERROR] > 0);
    }
    for (size_t i = 0; i < findings.count; i++) {
        demand(findings.items[i].code != NULL && findings.items[i].text[0] != '\0');
    }
    rcs_arena_clear(&arena);
    return 0;
}
