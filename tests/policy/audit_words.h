/* Calls that go through words, as the runner would record them: on core, without tools and without time. */
#ifndef RCS_AUDIT_WORDS_H
#define RCS_AUDIT_WORDS_H

#include <unistd.h>

#include "src/audit/audit.h"
#include "src/audit/verify.h"
#include "tests/policy/facts_for.h"
#include "tests/policy/policies.h"
#include "tests/unit/sim_port.h"

#define WORDS_DEPTH_MAX 8u
#define WORDS_MAX 256u
#define BEGAN_MS 1000u
#define HOST_PATIENCE_MS 900000u

enum word_time { TIME_PLENTY, TIME_SHORT, TIME_OVER };

struct audit_word {
    uint16_t event;
    uint8_t time;  /* enum word_time, when it happens */
    bool sent;     /* with cancelled and deadline in an attempt */
    bool over_budget;
    bool by_facts; /* a deadline that the facts of a try tell of */
    uint64_t server_delay_ms;
};

struct audit_words {
    const struct rcs_spec *spec;
    const struct recourse_policy *policy;
    struct rcs_arena arena;
    struct recourse_facts facts[RECOURSE_FAILURES_MAX];
    struct sim sim;
    struct recourse_audit *audit;
    char path[128];
    uint64_t clock_ms; /* when the next call begins */
    unsigned paths;
    unsigned reports;
};

/* One call under way. */
struct audit_walk {
    struct recourse_call machine;
    uint64_t number;
    uint64_t began_ms;
    uint64_t now_ms;
    uint64_t random; /* the same for the same words */
    bool safe;
    bool declared_safe;
};

static inline uint64_t walk_random(struct audit_walk *walk)
{
    walk->random = walk->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return walk->random >> 62 == 0 ? 0 : walk->random >> 62 == 1 ? UINT64_MAX : walk->random;
}

static inline void walk_begin(struct audit_words *in, struct audit_walk *walk, bool declared_safe)
{
    const struct recourse_tool_rule *rule = recourse_policy_tool_rule(in->policy, "tool");
    bool safe = rule == NULL ? declared_safe : rule->replay == RECOURSE_REPLAY_SAFE;

    *walk = (struct audit_walk){.began_ms = in->clock_ms, .now_ms = in->clock_ms, .random = 1, .safe = safe,
                                .declared_safe = declared_safe};
    RCS_EQUAL(recourse_call_init(&walk->machine, in->policy, walk->began_ms, walk->began_ms + HOST_PATIENCE_MS, safe),
              RECOURSE_OK);
}

static inline struct recourse_facts words_facts(const struct audit_words *in, const struct audit_word *word,
                                                struct recourse_header *headers, char text[32])
{
    struct recourse_facts facts = {.http = 200, .tool = "tool", .result = {"fine", 4}};

    if (word->event == RECOURSE_EVENT_DEADLINE) {
        return (struct recourse_facts){.timeout = RECOURSE_TIMEOUT_TOTAL, .unsent = !word->sent, .tool = "tool"};
    }
    if (word->event >= RECOURSE_EVENT_FAILURE) {
        facts = in->facts[word->event - RECOURSE_EVENT_FAILURE];
        facts.tool = "tool";
    }
    if (word->server_delay_ms > 0) {
        if (facts.header_count > 0) {
            memcpy(headers, facts.headers, facts.header_count * sizeof *headers);
        }
        snprintf(text, 32, "%llu", (unsigned long long)word->server_delay_ms);
        headers[facts.header_count++] = (struct recourse_header){rcs_span_of("retry-after-ms"), rcs_span_of(text)};
        facts.headers = headers;
    }
    return facts;
}

static inline uint64_t words_time(const struct audit_walk *walk, const struct audit_word *word)
{
    uint64_t now = walk->now_ms + 10;

    if ((word->event == RECOURSE_EVENT_ELAPSED || word->event == RECOURSE_EVENT_CIRCUIT_OPEN) &&
        walk->machine.try_number > 0 && walk->machine.wake_ms > now) {
        now = walk->machine.wake_ms;
    }
    if (word->time == TIME_SHORT && walk->machine.deadline_ms - 1 > now) {
        now = walk->machine.deadline_ms - 1;
    }
    return word->time == TIME_OVER && walk->machine.deadline_ms > now ? walk->machine.deadline_ms : now;
}

/* One word, on core and into the log (where there is one). */
static inline void walk_word(struct audit_words *in, struct audit_walk *walk, const struct audit_word *word)
{
    static const uint32_t empty[RECOURSE_BUDGETS_MAX];
    struct recourse_input input = {.now_ms = words_time(walk, word), .random = walk_random(walk), .event = word->event,
                                   .sent = word->sent, .tokens = word->over_budget ? empty : NULL};
    struct recourse_decision decision;
    struct recourse_result result = {.content = {NULL, 0}};
    struct recourse_header headers[8];
    struct recourse_facts facts;
    char text[32];
    struct rcs_audited what = {
        .policy = in->policy,
        .decision = &decision,
        .input = &input,
        .call = &walk->number,
        .id = {"c1", 2},
        .tool = {"tool", 4},
        .arguments = {"{}", 2},
        .tool_known = true,
        .safe = walk->safe,
        .declared_safe = walk->declared_safe,
        .began_ms = walk->began_ms,
        .deadline_ms = walk->began_ms + HOST_PATIENCE_MS,
    };

    if (word->event >= RECOURSE_EVENT_OK || word->by_facts) {
        facts = words_facts(in, word, headers, text);
        input.event = RECOURSE_EVENT_OK;
        input.facts = &facts;
    }
    RCS_EQUAL(recourse_call_step(&walk->machine, in->policy, &input, &decision), RECOURSE_OK);
    walk->now_ms = input.now_ms;
    in->reports += decision.action == RECOURSE_ACTION_REPORT;
    if (in->audit == NULL) {
        return;
    }
    if (decision.reminder == RECOURSE_REMINDER_YES) {
        result.content = rcs_span_of(in->policy->settings.reminder);
    }
    result.tell = decision.tell;
    result.reminder = decision.reminder;
    what.result = &result;
    RCS_EQUAL(rcs_audit_record(in->audit, &what), 0);
}

/* ---- which words there are ---- */

static inline void words_add(struct audit_word *words, size_t *count, struct audit_word word)
{
    CU_ASSERT_FATAL(*count < WORDS_MAX);
    words[(*count)++] = word;
}

static inline void words_add_failure(const struct audit_words *in, struct audit_word *words, size_t *count,
                                     uint16_t event)
{
    struct audit_word word = {.event = event};
    uint64_t bound = 0;

    words_add(words, count, word);
    word.time = TIME_SHORT;
    words_add(words, count, word);
    word.time = TIME_PLENTY;
    if (in->spec->budget_count > 0) {
        word.over_budget = true;
        words_add(words, count, word);
        word.over_budget = false;
    }
    for (size_t i = 0; i < in->spec->wait_count; i++) {
        if (in->spec->waits[i].server != RECOURSE_SERVER_IGNORE && in->spec->waits[i].server_ms != bound) {
            bound = in->spec->waits[i].server_ms;
            word.server_delay_ms = bound + 1;
            words_add(words, count, word);
            word.server_delay_ms = bound / 2 + 1;
            words_add(words, count, word);
        }
    }
}

static inline size_t words_at(const struct audit_words *in, const struct audit_walk *walk, struct audit_word *words)
{
    uint8_t place = (uint8_t)recourse_call_place(&walk->machine, in->policy);
    bool has_deadline = walk->machine.deadline_ms != RECOURSE_FOREVER;
    size_t count = 0;

    for (unsigned event = 0; event < rcs_event_end(in->spec); event++) {
        struct audit_word word = {.event = (uint16_t)event};
        bool stops = event == RECOURSE_EVENT_DEADLINE || event == RECOURSE_EVENT_CANCELLED;

        if (!rcs_event_in_table(in->spec, place, (uint16_t)event) || !rcs_event_is_live(in->spec, (uint16_t)event) ||
            (event == RECOURSE_EVENT_DEADLINE && !has_deadline)) {
            continue;
        }
        if (event >= RECOURSE_EVENT_FAILURE) {
            words_add_failure(in, words, &count, (uint16_t)event);
            continue;
        }
        word.time = event == RECOURSE_EVENT_DEADLINE ? TIME_OVER : TIME_PLENTY;
        words_add(words, &count, word);
        if (event == RECOURSE_EVENT_ELAPSED) {
            word.time = TIME_OVER;
            words_add(words, &count, word);
        }
        if (place == RECOURSE_ATTEMPT && stops) {
            word.sent = true;
            words_add(words, &count, word);
            word.by_facts = event == RECOURSE_EVENT_DEADLINE;
            if (word.by_facts) {
                words_add(words, &count, word);
            }
        }
    }
    return count;
}

/* Walks the words from the start, and cancels what has not ended by then. */
static inline void words_follow(struct audit_words *in, const struct audit_word *words, size_t count,
                                bool declared_safe)
{
    const struct audit_word cancelled = {.event = RECOURSE_EVENT_CANCELLED, .sent = true};
    struct audit_walk walk;

    walk_begin(in, &walk, declared_safe);
    for (size_t i = 0; i < count; i++) {
        walk_word(in, &walk, &words[i]);
    }
    if (recourse_call_place(&walk.machine, in->policy) != RECOURSE_REPORTED) {
        walk_word(in, &walk, &cancelled);
    }
    in->clock_ms = walk.now_ms;
    in->paths++;
}

/* Each way through at most `depth` words, as a call of its own. */
static inline void words_explore(struct audit_words *in, struct audit_word *words, size_t at, size_t depth,
                                 bool declared_safe)
{
    struct recourse_audit *audit = in->audit;
    struct audit_word next[WORDS_MAX];
    struct audit_walk walk;
    unsigned reports = in->reports;
    size_t count = 0;

    in->audit = NULL; /* only to see where it leads */
    walk_begin(in, &walk, declared_safe);
    for (size_t i = 0; i < at; i++) {
        walk_word(in, &walk, &words[i]);
    }
    in->audit = audit;
    in->reports = reports;
    if (at < depth && recourse_call_place(&walk.machine, in->policy) != RECOURSE_REPORTED) {
        count = words_at(in, &walk, next);
    }
    if (count == 0) {
        words_follow(in, words, at, declared_safe);
    }
    for (size_t i = 0; i < count; i++) {
        words[at] = next[i];
        words_explore(in, words, at + 1, depth, declared_safe);
    }
}

/* ---- logs ---- */

static inline bool words_open(struct audit_words *in, const struct rcs_tested *tested, const char *directory)
{
    struct recourse_audit_options options = {.size = sizeof options, .sync = RECOURSE_AUDIT_NONE,
                                             .segment_max = UINT64_MAX};
    struct recourse_error error = {.code = RECOURSE_OK};
    bool good = true;

    memset(in, 0, sizeof *in);
    in->spec = tested->loaded.spec;
    in->policy = tested->ragel != NULL ? tested->ragel : tested->bound;
    in->clock_ms = BEGAN_MS;
    for (size_t i = 0; i < in->spec->budget_count; i++) { /* tokens are set word by word: no call leaves them to the next */
        in->spec->budgets[i].budget.shared_by = RECOURSE_SHARED_BY_TOOL;
    }
    sim_init(&in->sim, BEGAN_MS);
    for (uint16_t i = 0; i < in->spec->failure_count; i++) {
        good = rcs_facts_for(&in->arena, in->spec, i, &in->facts[i]) && good;
    }
    snprintf(in->path, sizeof in->path, "%s/%s.log", directory, in->spec->name);
    options.port = &in->sim.port;
    options.policy = in->policy;
    options.path = in->path;
    RCS_EQUAL(recourse_audit_open(&options, &in->audit, &error), RECOURSE_OK);
    RCS_TEXT_EQUAL(error.text, "");
    return good && in->audit != NULL;
}

static inline void words_close(struct audit_words *in)
{
    in->sim.now_ms = in->clock_ms;
    RCS_EQUAL(recourse_audit_close(in->audit, NULL), RECOURSE_OK);
    in->audit = NULL;
    sim_clear(&in->sim);
    rcs_arena_clear(&in->arena);
}

static inline void words_print(const struct rcs_verdict *verdict)
{
    const struct rcs_divergence *at = verdict->broken.found ? &verdict->broken : &verdict->divergence;

    if (at->found) {
        printf("line %llu, call %llu: %s: expected %s, recorded %s\n", (unsigned long long)at->line,
               (unsigned long long)at->call, at->what, at->expected, at->recorded);
    }
}

#endif
