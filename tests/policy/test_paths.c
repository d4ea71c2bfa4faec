/*
 * `paths` against all runs of a policy, listed one by one on the model: as many end in each way, after as many tries, after
 * waiting as little and as much. And a policy with more runs than could be listed.
 */
#include "gen/paths.h"
#include "tests/policy/policies.h"

#define RUNS_MAX 400000u
#define KINDS_MAX 512u

/* The runs that end in one way. */
struct kind {
    uint16_t scenario, message;
    unsigned tries;
    uint64_t runs, least_ms, most_ms;
};

struct listing {
    struct rcs_arena arena; /* of one run */
    const struct rcs_spec *spec;
    struct rcs_word words[RECOURSE_TRIES_MAX + 2];
    size_t count;
    uint64_t runs;
    struct kind kinds[KINDS_MAX];
    size_t kind_count;
};

static struct kind *kind_of(struct kind *kinds, size_t *count, uint16_t scenario, uint16_t message, unsigned tries)
{
    for (size_t i = 0; i < *count; i++) {
        if (kinds[i].scenario == scenario && kinds[i].message == message && kinds[i].tries == tries) {
            return &kinds[i];
        }
    }
    CU_ASSERT_FATAL(*count < KINDS_MAX);
    kinds[*count] = (struct kind){scenario, message, tries, 0, RECOURSE_FOREVER, 0};
    return &kinds[(*count)++];
}

static void walk(struct listing *listing, struct rcs_run *run)
{
    rcs_arena_clear(&listing->arena);
    rcs_model_run(&listing->arena, listing->spec, listing->words, listing->count, run);
}

static void note(struct listing *listing, const struct rcs_run *run, uint64_t least_ms, uint64_t most_ms)
{
    const struct rcs_spec_row *row = &listing->spec->rows[run->steps[run->step_count - 1].row];
    struct kind *kind = kind_of(listing->kinds, &listing->kind_count, run->scenario, row->message, run->tries);

    CU_ASSERT_FATAL(listing->runs++ < RUNS_MAX);
    kind->runs++;
    kind->least_ms = least_ms < kind->least_ms ? least_ms : kind->least_ms;
    kind->most_ms = most_ms > kind->most_ms ? most_ms : kind->most_ms;
}

/* Least and most of the wait that the last word begins, by what the server asks for. */
static void bounds_of_last(struct listing *listing, uint64_t server_ms, uint64_t *least_ms, uint64_t *most_ms)
{
    const uint64_t asked[] = {0, 1, server_ms, RECOURSE_DURATION_MAX_MS};
    struct rcs_word *last = &listing->words[listing->count - 1];
    struct rcs_run run;

    *least_ms = RECOURSE_FOREVER;
    *most_ms = 0;
    for (size_t i = 0; i < RCS_COUNT(asked); i++) {
        last->server_delay_ms = asked[i];
        walk(listing, &run);
        if (run.end == RECOURSE_BACKOFF) {
            const struct rcs_step *step = &run.steps[run.step_count - 1];

            *least_ms = step->wait_min_ms < *least_ms ? step->wait_min_ms : *least_ms;
            *most_ms = step->wait_max_ms > *most_ms ? step->wait_max_ms : *most_ms;
        }
    }
    last->server_delay_ms = 0;
}

static void list(struct listing *listing, unsigned tools, uint64_t least_ms, uint64_t most_ms);

static void list_waiting(struct listing *listing, const struct rcs_spec_wait *wait, unsigned tools, uint64_t least_ms,
                         uint64_t most_ms)
{
    struct rcs_word *last = &listing->words[listing->count - 1];
    uint64_t deadline_ms = listing->spec->settings.call_deadline_ms;
    struct rcs_run run;
    uint64_t least;
    uint64_t most;

    bounds_of_last(listing, wait->server_ms, &least, &most);
    if (least_ms + least < deadline_ms) {
        most = most_ms + most < deadline_ms ? most_ms + most : deadline_ms - 1;
        listing->words[listing->count++] = (struct rcs_word){.event = RECOURSE_EVENT_CANCELLED};
        walk(listing, &run);
        note(listing, &run, least_ms, most);
        if (rcs_event_is_live(listing->spec, RECOURSE_EVENT_CIRCUIT_OPEN)) {
            listing->words[listing->count - 1].event = RECOURSE_EVENT_CIRCUIT_OPEN;
            walk(listing, &run);
            note(listing, &run, least_ms + least, most);
        }
        listing->count--;
        list(listing, tools, least_ms + least, most);
    }
    last->out_of_time = true;
    walk(listing, &run);
    note(listing, &run, least_ms, most_ms);
    last->out_of_time = false;
    if (wait->budget != RECOURSE_NONE) {
        last->over_budget = true;
        walk(listing, &run);
        note(listing, &run, least_ms, most_ms);
        last->over_budget = false;
    }
    if (wait->server == RECOURSE_SERVER_OBEY_ELSE_STOP) {
        last->server_delay_ms = wait->server_ms + 1;
        walk(listing, &run);
        note(listing, &run, least_ms, most_ms);
        last->server_delay_ms = 0;
    }
}

static void list_word(struct listing *listing, struct rcs_word word, unsigned tools, uint64_t least_ms, uint64_t most_ms)
{
    struct rcs_run run;

    listing->words[listing->count++] = word;
    walk(listing, &run);
    if (run.end == RECOURSE_BACKOFF) {
        uint16_t row = run.steps[run.step_count - 1].row;

        list_waiting(listing, &listing->spec->waits[listing->spec->rows[row].wait], tools, least_ms, most_ms);
    } else {
        CU_ASSERT_FATAL(run.end == RECOURSE_REPORTED);
        note(listing, &run, least_ms, most_ms);
    }
    listing->count--;
}

/* All that can happen in a try. `tools`: 1 may be a safe one, 2 an unsafe one. */
static void list(struct listing *listing, unsigned tools, uint64_t least_ms, uint64_t most_ms)
{
    const struct rcs_spec *spec = listing->spec;

    if (listing->count == 0) {
        listing->words[listing->count++] = (struct rcs_word){.event = RECOURSE_EVENT_READY};
    } else {
        listing->words[listing->count++] = (struct rcs_word){.event = RECOURSE_EVENT_ELAPSED};
    }
    list_word(listing, (struct rcs_word){.event = RECOURSE_EVENT_OK}, tools, least_ms, most_ms);
    if (rcs_event_is_live(spec, RECOURSE_EVENT_UNRECORDED)) {
        list_word(listing, (struct rcs_word){.event = RECOURSE_EVENT_UNRECORDED}, tools, least_ms, most_ms);
    }
    for (unsigned unsent = 0; unsent < 2; unsent++) {
        list_word(listing, (struct rcs_word){.event = RECOURSE_EVENT_DEADLINE, .safe = unsent}, tools, least_ms, most_ms);
        list_word(listing, (struct rcs_word){.event = RECOURSE_EVENT_CANCELLED, .safe = unsent}, tools, least_ms, most_ms);
    }
    for (uint16_t i = 0; i < spec->failure_count; i++) {
        struct rcs_word word = {.event = (uint16_t)(RECOURSE_EVENT_FAILURE + i)};
        bool shows = spec->failures[i].effect != RECOURSE_EFFECT_NONE;

        if (!shows || (tools & 2u) != 0) {
            list_word(listing, word, shows ? 2u : tools, least_ms, most_ms);
        }
        word.safe = true;
        if (shows && (tools & 1u) != 0) {
            list_word(listing, word, 1u, least_ms, most_ms);
        }
    }
    listing->count--;
}

static void list_all(struct listing *listing)
{
    struct rcs_run run;

    for (uint16_t event = RECOURSE_EVENT_READY + 1; event < RECOURSE_EVENT_ELAPSED; event++) {
        if (rcs_event_is_live(listing->spec, event) && rcs_event_in_table(listing->spec, RECOURSE_PRECONDITION, event)) {
            listing->words[0] = (struct rcs_word){.event = event};
            listing->count = 1;
            walk(listing, &run);
            note(listing, &run, 0, 0);
        }
    }
    listing->count = 0;
    list(listing, 3, 0, 0);
    rcs_arena_clear(&listing->arena);
}

static void compare(const struct listing *listing, const struct rcs_paths *paths)
{
    static struct kind kinds[KINDS_MAX];
    size_t count = 0;

    for (size_t g = 0; g < paths->group_count; g++) {
        for (size_t i = 0; i < paths->groups[g].line_count; i++) {
            const struct rcs_path_line *line = &paths->groups[g].lines[i];
            struct kind *kind = kind_of(kinds, &count, line->scenario, line->message, line->tries_max);

            RCS_EQUAL(line->tries_min, line->tries_max);
            kind->runs += line->runs;
            kind->least_ms = line->least_ms < kind->least_ms ? line->least_ms : kind->least_ms;
            kind->most_ms = line->most_ms > kind->most_ms ? line->most_ms : kind->most_ms;
        }
    }
    RCS_EQUAL(count, listing->kind_count);
    for (size_t i = 0; i < listing->kind_count; i++) {
        const struct kind *expected = &listing->kinds[i];
        const struct kind *kind = kind_of(kinds, &count, expected->scenario, expected->message, expected->tries);

        RCS_EQUAL(kind->runs, expected->runs);
        RCS_EQUAL(kind->least_ms, expected->least_ms);
        RCS_EQUAL(kind->most_ms, expected->most_ms);
    }
}

static void test_listing(void)
{
    for (size_t p = 0; p < policy_count; p++) {
        static struct listing listing;
        struct rcs_arena arena = {0};
        struct rcs_paths paths;

        memset(&listing, 0, sizeof listing);
        listing.spec = policies[p].loaded.spec;
        list_all(&listing);
        rcs_paths_find(&arena, policies[p].loaded.machine, &policies[p].loaded.worst, &paths);
        RCS_EQUAL(paths.runs, listing.runs);
        compare(&listing, &paths);
        printf("  %s: %llu runs\n", listing.spec->name, (unsigned long long)listing.runs);
        rcs_arena_clear(&arena);
    }
}

int main(int count, char **arguments)
{
    static const struct rcs_test tests[] = {{"paths counts what can be listed", test_listing}};
    int status;

    if (!rcs_policies_load(count, arguments)) {
        return 1;
    }
    status = rcs_unit_main("paths", tests, RCS_COUNT(tests));
    rcs_policies_clear();
    return status;
}
