/*
 * Every policy three times over: the model that walks its rows, the machine unrolled from it, and Ragel's code with
 * src/core around it. They must agree on every state and symbol, and on every run.
 */
#include <recourse/call.h>

#include "gen/emit.h"
#include "tests/policy/facts_for.h"
#include "tests/policy/policies.h"

#define DEPTH_MAX 600u
#define WORDS_MAX 1024u
#define SEEN_MAX 65536u
#define RUNS_FREELY 30000u /* so many are followed whatever was seen: for most policies, all there are */
#define NOW_MS 1000u

static void test_moves(void)
{
    for (size_t i = 0; i < policy_count; i++) {
        const struct rcs_machine *machine = policies[i].loaded.machine;
        const struct recourse_policy *ways[2];
        size_t way_count = rcs_policies_ways(&policies[i], ways);
        unsigned wrong = 0;

        for (size_t way = 0; way < way_count; way++) {
            RCS_EQUAL(recourse_policy_check(ways[way]), RECOURSE_OK);
            RCS_EQUAL(ways[way]->state_count, machine->state_count);
            for (unsigned at = 0; at < (machine->state_count + 2) * 256; at++) {
                struct recourse_move wanted = rcs_machine_move(machine, at / 256, at % 256);
                struct recourse_move got = ways[way]->move(ways[way], (uint16_t)(at / 256), (uint8_t)(at % 256));

                wrong += got.row != wanted.row || got.state != wanted.state;
            }
        }
        RCS_EQUAL(wrong, 0);
    }
}

/* What the model's walk says a move is must be what the unrolled machine says, whatever the history. */
static void test_model_moves(void)
{
    for (size_t i = 0; i < policy_count; i++) {
        const struct rcs_machine *machine = policies[i].loaded.machine;
        const struct rcs_spec *spec = policies[i].loaded.spec;
        unsigned compared = 0;

        for (uint16_t state = 0; state < machine->state_count; state++) {
            for (unsigned symbol = 0; symbol < machine->symbol_count; symbol++) {
                struct rcs_history history = machine->states[state];
                struct recourse_move got = rcs_machine_move(machine, state, symbol);
                struct rcs_case at;
                bool spent;

                if (!rcs_case_reachable(machine, state, symbol) ||
                    !rcs_symbol_case(spec, history.place, (uint8_t)symbol, &at)) {
                    continue;
                }
                RCS_EQUAL(rcs_model_move(spec, &history, &at, &spent), got.row);
                RCS_EQUAL(rcs_machine_state(machine, &history), got.state);
                compared++;
            }
        }
        CU_ASSERT_TRUE(compared > machine->state_count);
    }
}

/* ---- runs ---- */

/* All that what comes next can depend on, on both sides. */
struct key {
    uint16_t state;
    uint8_t try_number;
    uint8_t flags;
    uint8_t uses[RECOURSE_WAITS_MAX];
    uint8_t model_tries;
    uint8_t model_place;
    uint8_t model_acted;
    uint8_t model_uses[RECOURSE_WAITS_MAX];
};

struct explorer {
    const struct rcs_spec *spec;
    const struct recourse_policy *policy;
    struct recourse_facts facts[RECOURSE_FAILURES_MAX];
    struct rcs_word words[DEPTH_MAX];
    struct key seen[SEEN_MAX];
    size_t seen_count;
    unsigned runs;
    unsigned reports;
    unsigned wrong;
    uint64_t random;
};

static struct explorer explorer;

static void complain(struct explorer *in, size_t word_count, const char *what)
{
    if (in->wrong++ > 5) {
        return;
    }
    fprintf(stderr, "%s:", in->spec->name);
    for (size_t i = 0; i < word_count; i++) {
        const struct rcs_word *word = &in->words[i];

        fprintf(stderr, " %s%s%s@%llu", rcs_spec_event_name(in->spec, word->event), word->safe ? ":safe" : "",
                word->out_of_time ? "!time" : word->over_budget ? "!budget" : "", (unsigned long long)word->server_delay_ms);
    }
    fprintf(stderr, ": %s\n", what);
}

/* Random numbers with both ends among them. */
static uint64_t draw(struct explorer *in)
{
    in->random = in->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    switch (in->random >> 60) {
    case 0: return 0;
    case 1: return UINT64_MAX;
    default: return in->random;
    }
}

static struct recourse_facts facts_of(struct explorer *in, const struct rcs_word *word, struct recourse_header *headers,
                                      char text[32])
{
    struct recourse_facts facts = {.http = 200};

    if (word->event == RECOURSE_EVENT_OK) {
        return facts;
    }
    facts = in->facts[word->event - RECOURSE_EVENT_FAILURE];
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

/* One word, as a host would bring it about. A word without `:safe` is of a tool that is not safe. */
static int step_core(struct explorer *in, struct recourse_call *call, const struct rcs_word *word,
                     struct recourse_decision *decision)
{
    static const uint32_t empty[RECOURSE_BUDGETS_MAX];
    struct recourse_input input = {.now_ms = NOW_MS, .random = draw(in), .event = word->event,
                                   .tokens = word->over_budget ? empty : NULL};
    bool stops = word->event == RECOURSE_EVENT_DEADLINE || word->event == RECOURSE_EVENT_CANCELLED;
    bool waited = word->event == RECOURSE_EVENT_ELAPSED || word->event == RECOURSE_EVENT_CIRCUIT_OPEN;
    struct recourse_header headers[8];
    struct recourse_facts facts;
    char text[32];

    if (waited && recourse_call_place(call, in->policy) == RECOURSE_BACKOFF) {
        input.now_ms = call->wake_ms;
    }
    call->deadline_ms = word->event == RECOURSE_EVENT_DEADLINE || word->out_of_time ? input.now_ms : RECOURSE_FOREVER;
    call->flags = (uint8_t)((call->flags & ~1u) | (word->safe && !stops ? 1u : 0u));
    input.sent = stops && !word->safe;
    if (word->event >= RECOURSE_EVENT_OK) {
        facts = facts_of(in, word, headers, text);
        input.event = RECOURSE_EVENT_OK;
        input.facts = &facts;
    }
    return recourse_call_step(call, in->policy, &input, decision);
}

static bool same_steps(const struct rcs_run *run, size_t from, const struct recourse_decision *decision)
{
    if (run->step_count - from != decision->trace_count) {
        return false;
    }
    for (size_t i = 0; i < decision->trace_count; i++) {
        const struct rcs_step *step = &run->steps[from + i];
        const struct recourse_trace *trace = &decision->trace[i];

        if (step->row != trace->row || step->event != trace->event || step->from != trace->from ||
            step->to != trace->to) {
            return false;
        }
    }
    return true;
}

static bool same_wait(const struct rcs_step *step, const struct recourse_decision *decision,
                      const struct rcs_spec *spec)
{
    return step->waits && decision->wait == spec->rows[step->row].wait && decision->scenario == step->scenario &&
           decision->wait_base_ms == step->wait_ms && decision->wait_min_ms == step->wait_min_ms &&
           decision->wait_max_ms == step->wait_max_ms && decision->wait_ms >= step->wait_min_ms &&
           decision->wait_ms <= step->wait_max_ms;
}

static bool same_report(const struct rcs_run *run, const struct recourse_decision *decision)
{
    return run->end == RECOURSE_REPORTED && decision->scenario == run->scenario && decision->tell == run->tell &&
           decision->reminder == run->reminder;
}

static void compare(struct explorer *in, size_t word_count, const struct rcs_run *run, size_t from,
                    const struct recourse_decision *decision)
{
    const struct rcs_step *last = &run->steps[run->step_count - 1];
    uint8_t goes_on = last->to == RECOURSE_BACKOFF ? RECOURSE_ACTION_WAIT : RECOURSE_ACTION_ATTEMPT;

    if (!same_steps(run, from, decision)) {
        complain(in, word_count, "core and the model take other rows");
    } else if (decision->try_number != run->tries || decision->reason != run->reason) {
        complain(in, word_count, "core and the model count other tries, or give another reason");
    } else if (last->to == RECOURSE_REPORTED
                   ? decision->action != RECOURSE_ACTION_REPORT || !same_report(run, decision)
                   : decision->action != goes_on) {
        complain(in, word_count, "core and the model end otherwise");
    } else if (last->to == RECOURSE_BACKOFF && !same_wait(last, decision, in->spec)) {
        complain(in, word_count, "core and the model wait otherwise");
    }
}

static struct key key_of(const struct explorer *in, const struct recourse_call *call, const struct rcs_run *run,
                         size_t word_count)
{
    struct key key;

    memset(&key, 0, sizeof key);
    key.state = call->state;
    key.try_number = call->try_number;
    key.flags = (uint8_t)(call->flags & ~1u);
    memcpy(key.uses, call->uses, sizeof key.uses);
    key.model_tries = (uint8_t)run->tries;
    key.model_place = run->end;
    for (size_t i = 0; i < run->step_count; i++) {
        if (run->steps[i].waits) {
            key.model_uses[in->spec->rows[run->steps[i].row].wait]++;
        }
    }
    for (size_t i = 0; i < word_count; i++) {
        uint16_t event = in->words[i].event;

        if (event >= RECOURSE_EVENT_FAILURE) {
            key.model_acted |= in->spec->failures[event - RECOURSE_EVENT_FAILURE].effect != RECOURSE_EFFECT_NONE;
        }
    }
    return key;
}

/* Runs that have come to the same on both sides go on alike. */
static bool was_seen(struct explorer *in, const struct key *key)
{
    for (size_t i = 0; i < in->seen_count; i++) {
        if (memcmp(&in->seen[i], key, sizeof *key) == 0) {
            return true;
        }
    }
    if (in->seen_count < SEEN_MAX) {
        in->seen[in->seen_count++] = *key;
    }
    return false;
}

static void add_word(struct rcs_word *words, size_t *count, struct rcs_word word)
{
    if (*count < WORDS_MAX) {
        words[(*count)++] = word;
    }
}

static bool draws_on_budget(const struct rcs_spec *spec, uint16_t event)
{
    for (size_t i = 0; i < spec->row_count; i++) {
        const struct rcs_spec_row *row = &spec->rows[i];

        for (size_t e = 0; row->wait != RECOURSE_NONE && e < row->event_count; e++) {
            if (row->events[e] == event && spec->waits[row->wait].budget != RECOURSE_NONE) {
                return true;
            }
        }
    }
    return false;
}

/* The server asks for nothing, for as long as a wait takes at most, and for more. */
static void add_failure(const struct explorer *in, struct rcs_word *words, size_t *count, uint16_t event)
{
    for (unsigned safe = 0; safe < 2; safe++) {
        struct rcs_word word = {.event = event, .safe = safe == 1};

        add_word(words, count, word);
        for (size_t i = 0; i < in->spec->wait_count; i++) {
            if (in->spec->waits[i].server != RECOURSE_SERVER_IGNORE) {
                word.server_delay_ms = in->spec->waits[i].server_ms;
                add_word(words, count, word);
                word.server_delay_ms++;
                add_word(words, count, word);
                word.server_delay_ms = 1;
                add_word(words, count, word);
            }
        }
        word.server_delay_ms = 0;
        word.out_of_time = true;
        add_word(words, count, word);
        word.out_of_time = false;
        word.over_budget = true;
        if (draws_on_budget(in->spec, event)) {
            add_word(words, count, word);
        }
    }
}

static size_t next_words(const struct explorer *in, uint8_t place, struct rcs_word *words)
{
    size_t count = 0;

    for (unsigned event = 0; event < rcs_event_end(in->spec); event++) {
        struct rcs_word word = {.event = (uint16_t)event};

        if (!rcs_event_in_table(in->spec, place, (uint16_t)event) || !rcs_event_is_live(in->spec, (uint16_t)event)) {
            continue;
        }
        if (event >= RECOURSE_EVENT_FAILURE) {
            add_failure(in, words, &count, (uint16_t)event);
            continue;
        }
        add_word(words, &count, word);
        if (place == RECOURSE_ATTEMPT && event != RECOURSE_EVENT_OK && event != RECOURSE_EVENT_UNRECORDED) {
            word.safe = true; /* nothing had been sent */
            add_word(words, &count, word);
        }
    }
    return count;
}

static void explore(struct explorer *in, const struct recourse_call *call, size_t depth, size_t steps);

static void follow(struct explorer *in, const struct recourse_call *call, size_t depth, size_t steps,
                   const struct rcs_word *word)
{
    struct recourse_call next = *call;
    struct recourse_decision decision;
    struct rcs_arena arena = {0};
    struct rcs_run run;
    struct key key;
    int error;

    in->words[depth] = *word;
    in->runs++;
    rcs_model_run(&arena, in->spec, in->words, depth + 1, &run);
    error = step_core(in, &next, word, &decision);
    if (error != RECOURSE_OK || run.used != depth + 1 || run.step_count <= steps) {
        complain(in, depth + 1, error != RECOURSE_OK ? recourse_code_name(error) : "the model is stuck");
        rcs_arena_clear(&arena);
        return;
    }
    compare(in, depth + 1, &run, steps, &decision);
    key = key_of(in, &next, &run, depth + 1);
    rcs_arena_clear(&arena);
    if (recourse_call_place(&next, in->policy) == RECOURSE_REPORTED) {
        in->reports++;
    } else if ((!was_seen(in, &key) || in->runs < RUNS_FREELY) && depth + 1 < DEPTH_MAX) {
        explore(in, &next, depth + 1, run.step_count);
    }
}

static void explore(struct explorer *in, const struct recourse_call *call, size_t depth, size_t steps)
{
    struct rcs_word *words = calloc(WORDS_MAX, sizeof *words);
    size_t count = next_words(in, (uint8_t)recourse_call_place(call, in->policy), words);

    if (count == 0 || count == WORDS_MAX) {
        complain(in, depth, "no words, or too many");
    }
    for (size_t i = 0; i < count; i++) {
        follow(in, call, depth, steps, &words[i]);
    }
    free(words);
}

static bool find_facts(struct explorer *in, struct rcs_arena *arena)
{
    for (uint16_t failure = 0; failure < in->spec->failure_count; failure++) {
        struct recourse_judgement judgement;

        if (!rcs_facts_for(arena, in->spec, failure, &in->facts[failure])) {
            fprintf(stderr, "%s: no facts for '%s'\n", in->spec->name, in->spec->failures[failure].name);
            return false;
        }
        recourse_classify(in->policy, &in->facts[failure], &judgement);
        RCS_EQUAL(judgement.failure, failure);
        RCS_EQUAL(judgement.effect, in->spec->failures[failure].effect);
    }
    return true;
}

static void explore_policy(const struct rcs_spec *spec, const struct recourse_policy *policy)
{
    struct rcs_arena arena = {0};
    struct recourse_call call;

    memset(&explorer, 0, sizeof explorer);
    explorer.spec = spec;
    explorer.policy = policy;
    RCS_EQUAL(recourse_call_init(&call, policy, NOW_MS, RECOURSE_FOREVER, false), RECOURSE_OK);
    if (find_facts(&explorer, &arena)) {
        explore(&explorer, &call, 0, 0);
    } else {
        CU_FAIL("no facts");
    }
    RCS_EQUAL(explorer.wrong, 0);
    CU_ASSERT_TRUE(explorer.reports > 0);
    CU_ASSERT_TRUE(explorer.seen_count < SEEN_MAX);
    printf("%s: %u runs, %u of them to the end\n", spec->name, explorer.runs, explorer.reports);
    rcs_arena_clear(&arena);
}

static void test_runs(void)
{
    for (size_t i = 0; i < policy_count; i++) {
        const struct recourse_policy *ways[2];
        size_t way_count = rcs_policies_ways(&policies[i], ways);

        for (size_t way = 0; way < way_count; way++) {
            explore_policy(policies[i].loaded.spec, ways[way]);
        }
    }
}

int main(int argument_count, char **arguments)
{
    static const struct rcs_test tests[] = {
        {"moves", test_moves},
        {"model moves", test_model_moves},
        {"runs", test_runs},
    };
    int status;

    if (!rcs_policies_load(argument_count, arguments)) {
        return 1;
    }
    status = rcs_unit_main("machine", tests, RCS_COUNT(tests));
    rcs_policies_clear();
    return status;
}
