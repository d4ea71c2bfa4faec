/*
 * What other systems have published of their retries, row by row (tests/cases/vectors), on policies that say the same
 * (tests/policies): on src/core by the walked machine and by Ragel's code, and on the model. With --table it prints the
 * table that README has.
 */
#include <cjson/cJSON.h>
#include <time.h>
#include <unistd.h>

#include "gen/compile.h"
#include "src/cli/facts_read.h"
#include "src/core/wait.h"
#include "tests/unit/unit.h"

#define POLICIES_MAX 48u
#define PEERS_MAX 24u
#define CALLS_MAX 4u
#define STEPS_MAX 64u

const struct recourse_policy *vector_policy(const char *name); /* Ragel's code; a release has none */

/* A policy of tests/policies, or a variant of one. */
struct peer_policy {
    struct rcs_arena arena;
    struct rcs_loaded loaded;
    const char *name;
    const char *text;
    const struct recourse_policy *ways[2];
    size_t way_count;
};

static struct peer_policy policies[POLICIES_MAX];
static size_t policy_count;

/* What README says of a peer. */
struct peer {
    char name[64];
    unsigned rows;
    unsigned agree;
    unsigned left_out;
    char why[1024];
};

static struct peer peers[PEERS_MAX];
static size_t peer_count;
static unsigned disagreed; /* in the row at hand */

static const char *text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static double number_of(const cJSON *object, const char *key, double otherwise)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsNumber(number) ? number->valuedouble : otherwise;
}

/* One thing that a row says. */
static bool agrees(const char *what, double is, double said)
{
    if (is == said) {
        return true;
    }
    printf("    %s: %.15g, published %.15g\n", what, is, said);
    disagreed++;
    return false;
}

static bool holds(const char *what, bool it_does)
{
    return agrees(what, it_does, true);
}

/* ---- policies ---- */

static struct peer_policy *policy_of(const char *name)
{
    struct peer_policy *at = &policies[policy_count];
    struct rcs_findings findings = {.arena = &at->arena};
    const char *build = getenv("B");
    const char *why = NULL;
    const char *path;
    size_t size;
    char *text;

    for (size_t i = 0; i < policy_count; i++) {
        if (strcmp(policies[i].name, name) == 0) {
            return &policies[i];
        }
    }
    CU_ASSERT_FATAL(policy_count < POLICIES_MAX);
    path = rcs_arena_format(&at->arena, "%s/vectors/%s.policy.md", build != NULL ? build : "build", name);
    text = rcs_file_read(&at->arena, path, &size, &why);
    if (text == NULL || !rcs_load(&at->arena, path, text, size, &findings, &at->loaded)) {
        printf("    %s: %s\n", path, why != NULL ? why : findings.count > 0 ? findings.items[0].text : "?");
        CU_FAIL_FATAL("a policy is not good");
        return NULL;
    }
    at->name = at->loaded.spec->name;
    at->text = text;
    at->ways[at->way_count++] = rcs_bind(&at->arena, at->loaded.spec, at->loaded.machine, &findings);
    CU_ASSERT_FATAL(at->ways[0] != NULL);
    at->ways[1] = vector_policy(name);
    at->way_count += at->ways[1] != NULL;
    CU_ASSERT(at->ways[1] != NULL || access("generated", F_OK) == 0);
    policy_count++;
    return at;
}

static void clear_policies(void)
{
    while (policy_count > 0) {
        rcs_arena_clear(&policies[--policy_count].arena);
    }
}

/* ---- runs: what became of each try ---- */

/* One call of a row. */
struct going {
    const char *id;
    struct recourse_call call;
    struct recourse_decision last;
    struct rcs_word words[STEPS_MAX]; /* the same for the model */
    size_t word_count;
    uint64_t waits_ms[STEPS_MAX]; /* before jitter */
    size_t wait_count;
    uint64_t now_ms;
    bool under_way;
};

struct replay {
    struct peer_policy *policy;
    const struct recourse_policy *way;
    const cJSON *row;
    struct rcs_arena arena;
    struct going calls[CALLS_MAX];
    uint32_t tokens[RECOURSE_BUDGETS_MAX];
    uint64_t random;
};

/* The random bits for a share of the window: no less than it, so that a cut falls where the peer's does. */
static uint64_t bits_for(double share)
{
    double high = share * 4294967296.0;
    uint64_t whole = (uint64_t)high;

    return (whole + ((double)whole < high)) << 32;
}

/* A share of the window, 1 being its end: a number, or two, of which it is the quotient. */
static uint64_t random_of(const cJSON *row)
{
    const cJSON *share = cJSON_GetObjectItemCaseSensitive(row, "random");
    double part = number_of(row, "random", 1);

    if (cJSON_IsArray(share)) {
        double of = cJSON_GetArrayItem(share, 1)->valuedouble;

        return bits_for(cJSON_GetArrayItem(share, 0)->valuedouble / of);
    }
    return part >= 1 ? UINT64_MAX : bits_for(part);
}

static void model_agrees(struct replay *replay, struct going *going, const struct recourse_decision *decision)
{
    struct rcs_run run;

    rcs_model_run(&replay->arena, replay->policy->loaded.spec, going->words, going->word_count, &run);
    holds("the model follows", run.stuck == NULL);
    if (!agrees("waits, the model's and core's", (double)run.wait_count, (double)going->wait_count)) {
        return;
    }
    for (size_t i = 0; i < run.wait_count; i++) {
        agrees("a wait before jitter, the model's and core's", (double)run.waits_ms[i], (double)going->waits_ms[i]);
    }
    agrees("where the model is", run.end == RECOURSE_REPORTED, decision->action == RECOURSE_ACTION_REPORT);
    agrees("the model's reason", run.reason, decision->reason);
    agrees("the model's tries", run.tries, decision->try_number);
}

static struct going *call_of(struct replay *replay, const cJSON *step)
{
    const char *id = text_of(step, "call");
    size_t i = 0;

    id = id != NULL ? id : "";
    while (i + 1 < CALLS_MAX && replay->calls[i].id != NULL && strcmp(replay->calls[i].id, id) != 0) {
        i++;
    }
    replay->calls[i].id = id;
    return &replay->calls[i];
}

static bool moved(struct replay *replay, struct going *going, const struct recourse_input *input)
{
    return holds("it goes on", recourse_call_step(&going->call, replay->way, input, &going->last) == RECOURSE_OK);
}

/* Begins the call, or lets its wait end: a try is under way. */
static bool begin_try(struct replay *replay, struct going *going)
{
    struct recourse_input input = {.event = RECOURSE_EVENT_READY, .tokens = replay->tokens};

    if (going->under_way) {
        input.event = RECOURSE_EVENT_ELAPSED;
        going->now_ms = going->last.wake_ms;
    } else {
        going->word_count = 0;
        going->wait_count = 0;
        going->now_ms = 0;
        if (!holds("a call begins", recourse_call_init(&going->call, replay->way, 0, RECOURSE_FOREVER,
                                                       cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(replay->row, "safe"))) ==
                                        RECOURSE_OK)) {
            return false;
        }
    }
    going->under_way = true;
    input.now_ms = going->now_ms;
    return moved(replay, going, &input) && agrees("a try", going->last.action, RECOURSE_ACTION_ATTEMPT);
}

/* The word of the model that a step is. */
static void add_word(struct replay *replay, struct going *going, const cJSON *step, const struct recourse_facts *facts)
{
    const struct rcs_spec *spec = replay->policy->loaded.spec;
    uint16_t row = rcs_model_classify(spec, facts);
    const char *end = text_of(step, "end");

    CU_ASSERT_FATAL(going->word_count < STEPS_MAX);
    going->words[going->word_count++] = (struct rcs_word){
        .event = row == RECOURSE_NONE ? RECOURSE_EVENT_OK
                                      : (uint16_t)(RECOURSE_EVENT_FAILURE + spec->fact_rows[row].failure),
        .safe = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(replay->row, "safe")),
        .server_delay_ms = row == RECOURSE_NONE ? 0 : recourse_server_delay(facts),
        .over_budget = end != NULL && strcmp(end, "over budget") == 0,
        .out_of_time = end != NULL && strcmp(end, "out of time") == 0,
    };
}

static void check_wait(const struct going *going, const cJSON *step)
{
    double tolerance = number_of(step, "tolerance", 0);
    double wait_ms = number_of(step, "wait_ms", -1);

    agrees("tried again after a wait", going->last.action, RECOURSE_ACTION_WAIT);
    if (tolerance > 0) {
        holds("its window is within the tolerance", (double)going->last.wait_min_ms >= wait_ms * (1 - tolerance) &&
                                                        (double)going->last.wait_max_ms <= wait_ms * (1 + tolerance));
    } else if (wait_ms >= 0) {
        agrees("wait", (double)going->last.wait_ms, wait_ms);
    }
}

static void check_end(const struct going *going, const char *end)
{
    const char *is = going->last.reason != RECOURSE_REASON_NONE         ? recourse_reason_name(going->last.reason)
                     : going->last.action != RECOURSE_ACTION_REPORT     ? "tried again"
                     : going->last.event == RECOURSE_EVENT_OK           ? "ok"
                                                                        : "not tried again";

    if (strcmp(is, end) != 0) {
        printf("    end: %s, published: %s\n", is, end);
        disagreed++;
    }
}

static void replay_step(struct replay *replay, const cJSON *step)
{
    struct going *going = call_of(replay, step);
    char *json = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(step, "facts"));
    struct recourse_input input = {.event = RECOURSE_EVENT_OK, .random = replay->random, .tokens = replay->tokens};
    struct recourse_facts facts;
    char why[256];

    CU_ASSERT_FATAL(json != NULL);
    CU_ASSERT_FATAL(rcs_facts_read(&replay->arena, (struct recourse_span){json, strlen(json)}, &facts, why, sizeof why));
    if (begin_try(replay, going)) {
        add_word(replay, going, step, &facts);
        input.now_ms = going->now_ms;
        input.facts = &facts;
        if (moved(replay, going, &input)) {
            memcpy(replay->tokens, going->last.tokens, sizeof replay->tokens);
            if (going->last.action == RECOURSE_ACTION_WAIT) {
                going->waits_ms[going->wait_count++] = going->last.wait_base_ms;
            }
            if (text_of(step, "end") != NULL) {
                check_end(going, text_of(step, "end"));
            } else {
                check_wait(going, step);
            }
            agrees("tokens", number_of(step, "tokens", replay->tokens[0]), replay->tokens[0]);
            going->under_way = going->last.action == RECOURSE_ACTION_WAIT;
            if (!going->under_way) {
                model_agrees(replay, going, &going->last);
            }
        }
    }
    cJSON_free(json);
}

static void replay_run(struct peer_policy *policy, const struct recourse_policy *way, const cJSON *row)
{
    struct replay *replay = calloc(1, sizeof *replay);
    const cJSON *step;

    CU_ASSERT_FATAL(replay != NULL);
    replay->policy = policy;
    replay->way = way;
    replay->row = row;
    replay->random = random_of(row);
    for (size_t i = 0; i < way->budget_count; i++) {
        replay->tokens[i] = (uint32_t)number_of(row, "tokens", way->budgets[i].holds);
    }
    cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(row, "tries")) {
        replay_step(replay, step);
    }
    for (size_t i = 0; i < CALLS_MAX && replay->calls[i].id != NULL; i++) {
        if (replay->calls[i].under_way) {
            model_agrees(replay, &replay->calls[i], &replay->calls[i].last);
        }
    }
    rcs_arena_clear(&replay->arena);
    free(replay);
}

/* ---- waits by themselves ---- */

static size_t wait_of(const struct recourse_policy *way, const char *id)
{
    size_t i = 0;

    while (i < way->wait_count && strcmp(way->waits[i].id, id) != 0) {
        i++;
    }
    CU_ASSERT_FATAL(i < way->wait_count);
    return i;
}

/* As many draws as the peer's test makes, in as many parts of the window: in each as many as in the others, nearly. */
static void check_draws(const struct recourse_wait *wait, unsigned index, const cJSON *row)
{
    unsigned counts[64] = {0};
    unsigned draws = (unsigned)number_of(row, "draws", 0);
    unsigned parts = (unsigned)number_of(row, "parts", 1);
    double within = number_of(row, "within", 0);
    struct recourse_window window;
    uint64_t state = 88172645463325252u;

    CU_ASSERT_FATAL(parts <= 64);
    recourse_wait_window(wait, index, 0, &window);
    for (unsigned i = 0; i < draws; i++) {
        uint64_t drawn;

        state ^= state << 13; /* xorshift: the same draws each time */
        state ^= state >> 7;
        state ^= state << 17;
        drawn = rcs_wait_draw(wait, index, 0, state) - window.min_ms;
        counts[drawn * parts / (window.max_ms - window.min_ms + 1)]++;
    }
    for (unsigned i = 0; i < parts; i++) {
        double share = (double)counts[i] * parts / draws;

        holds("a part of the window is drawn as often as it should be", share >= 1 - within && share <= 1 + within);
    }
}

static void replay_wait(struct peer_policy *policy, const struct recourse_policy *way, const cJSON *row)
{
    size_t at = wait_of(way, text_of(row, "wait"));
    unsigned index = (unsigned)number_of(row, "retry", 1) - 1;
    const cJSON *said = cJSON_GetObjectItemCaseSensitive(row, "window_ms");
    struct recourse_window window;
    struct rcs_window model;

    recourse_wait_window(&way->waits[at], index, 0, &window);
    rcs_model_window(policy->loaded.spec, &policy->loaded.spec->waits[at], index, 0, &model);
    agrees("the window's begin, the model's and core's", (double)model.min_ms, (double)window.min_ms);
    agrees("the window's end, the model's and core's", (double)model.max_ms, (double)window.max_ms);
    if (cJSON_IsArray(said)) {
        agrees("the window's begin", (double)window.min_ms, cJSON_GetArrayItem(said, 0)->valuedouble);
        agrees("the window's end", (double)window.max_ms, cJSON_GetArrayItem(said, 1)->valuedouble);
    } else if (cJSON_HasObjectItem(row, "draws")) {
        check_draws(&way->waits[at], index, row);
    } else {
        agrees("wait", (double)rcs_wait_draw(&way->waits[at], index, 0, random_of(row)), number_of(row, "wait_ms", -1));
    }
}

/* ---- what the peer refuses ---- */

/* With what stands in the cell instead, the policy is refused, and the first error is the one that the row names. */
static void replay_refusal(const struct peer_policy *policy, const cJSON *row)
{
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded;
    const char *from = text_of(row, "instead of");
    const char *at = strstr(policy->text, from);
    const char *code = "none";
    const char *text;

    CU_ASSERT_FATAL(at != NULL && text_of(row, "finding") != NULL);
    text = rcs_arena_format(&arena, "%.*s%s%s", (int)(at - policy->text), policy->text, text_of(row, "refused"),
                            at + strlen(from));
    rcs_load(&arena, policy->loaded.spec->path, text, strlen(text), &findings, &loaded);
    for (size_t i = findings.count; i-- > 0;) {
        code = findings.items[i].severity == RCS_ERROR ? findings.items[i].code : code;
    }
    if (strcmp(code, text_of(row, "finding")) != 0) {
        printf("    refused for: %s, not: %s\n", code, text_of(row, "finding"));
        disagreed++;
    }
    rcs_arena_clear(&arena);
}

/* ---- rows and files ---- */

static struct peer *peer_of(const char *name)
{
    size_t i = 0;

    CU_ASSERT_FATAL(name != NULL && strlen(name) < sizeof peers[0].name);
    while (i < peer_count && strcmp(peers[i].name, name) != 0) {
        i++;
    }
    CU_ASSERT_FATAL(i < PEERS_MAX);
    if (i == peer_count) {
        strcpy(peers[peer_count++].name, name);
    }
    return &peers[i];
}

static void replay_row(struct peer *peer, const cJSON *row)
{
    struct peer_policy *policy = policy_of(text_of(row, "policy"));
    const char *zone = text_of(row, "tz");

    disagreed = 0;
    if (zone != NULL) {
        setenv("TZ", zone, 1);
        tzset();
    }
    for (size_t i = 0; i < policy->way_count; i++) {
        if (cJSON_HasObjectItem(row, "tries")) {
            replay_run(policy, policy->ways[i], row);
        } else if (cJSON_HasObjectItem(row, "wait")) {
            replay_wait(policy, policy->ways[i], row);
        } else {
            replay_refusal(policy, row);
        }
    }
    if (zone != NULL) {
        unsetenv("TZ");
        tzset();
    }
    peer->rows++;
    peer->agree += disagreed == 0;
    RCS_EQUAL(disagreed, 0);
    if (disagreed != 0) {
        printf("    %s: %s\n", peer->name, text_of(row, "about"));
    }
}

static void leave_out(struct peer *peer, const cJSON *row)
{
    size_t used = strlen(peer->why);

    peer->left_out += (unsigned)number_of(row, "left out", 0);
    snprintf(peer->why + used, sizeof peer->why - used, "%s%s: %s", used > 0 ? "; " : "", text_of(row, "about"),
             text_of(row, "why"));
}

static void replay_file(const char *path)
{
    struct rcs_arena arena = {0};
    const char *why;
    size_t size;
    char *text = rcs_file_read(&arena, path, &size, &why);
    char *rest;

    CU_ASSERT_FATAL(text != NULL);
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        cJSON *row = cJSON_Parse(line);

        CU_ASSERT_FATAL(row != NULL);
        if (cJSON_HasObjectItem(row, "left out")) {
            leave_out(peer_of(text_of(row, "peer")), row);
        } else {
            replay_row(peer_of(text_of(row, "peer")), row);
        }
        cJSON_Delete(row);
    }
    rcs_arena_clear(&arena);
}

static const char *const files[] = {"aws", "grpc", "envoy", "step_functions", "urllib3", "polly", "tenacity",
                                    "temporal", "frt", "openai", "gcs", "mongodb", "curl"};

static void test_rows(void)
{
    char path[64];
    unsigned rows = 0;

    for (size_t i = 0; i < RCS_COUNT(files); i++) {
        snprintf(path, sizeof path, "tests/cases/vectors/%s.jsonl", files[i]);
        replay_file(path);
    }
    for (size_t i = 0; i < peer_count; i++) {
        rows += peers[i].rows;
    }
    CU_ASSERT(rows >= 200);
}

/* ---- README's table ---- */

static char *table(struct rcs_arena *arena)
{
    struct peer all = {.name = "all"};
    char *text = rcs_arena_format(arena, "| peer | rows | agree | left out | what, and why |\n|---|---|---|---|---|\n");

    for (size_t i = 0; i < peer_count; i++) {
        const struct peer *peer = &peers[i];

        text = rcs_arena_format(arena, "%s| %s | %u | %u | %u | %s |\n", text, peer->name, peer->rows, peer->agree,
                                peer->left_out, peer->why[0] != '\0' ? peer->why : "-");
        all.rows += peer->rows;
        all.agree += peer->agree;
        all.left_out += peer->left_out;
    }
    return rcs_arena_format(arena, "%s| all | %u | %u | %u | |\n", text, all.rows, all.agree, all.left_out);
}

static void test_readme(void)
{
    struct rcs_arena arena = {0};
    const char *why;
    size_t size;
    const char *readme = rcs_file_read(&arena, "README.md", &size, &why);

    CU_ASSERT_FATAL(readme != NULL);
    if (strstr(readme, table(&arena)) == NULL) {
        CU_FAIL("README.md has another table of vectors: make vectors prints this one");
    }
    rcs_arena_clear(&arena);
}

int main(int argument_count, char **arguments)
{
    static const struct rcs_test tests[] = {{"published rows", test_rows}, {"the table in README", test_readme}};
    struct rcs_arena arena = {0};
    int status = rcs_unit_main("vectors", tests, RCS_COUNT(tests));

    if (argument_count > 1 && strcmp(arguments[1], "--table") == 0) {
        printf("\n%s", table(&arena));
        rcs_arena_clear(&arena);
    }
    clear_policies();
    return status;
}
