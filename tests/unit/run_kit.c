#include "tests/unit/run_kit.h"

static struct recourse_move move(const struct recourse_policy *policy, uint16_t state, uint8_t symbol)
{
    if (state == TOY_STATE_START && symbol == RECOURSE_EVENT_REPEATED_FAILURE) {
        return (struct recourse_move){TOY_P3, TOY_STATE_REPORTED};
    }
    return toy_policy.move(policy, state, symbol);
}

void kit_policy_init(struct kit_policy *policy)
{
    static const uint16_t cancelled[] = {TOY_P4, TOY_A8, TOY_B2};

    policy->policy = toy_policy;
    policy->policy.move = move;
    memcpy(policy->rows, toy_policy.rows, sizeof policy->rows);
    for (size_t i = 0; i < RCS_COUNT(cancelled); i++) {
        policy->rows[cancelled[i]].scenario = TOY_3B;
        policy->rows[cancelled[i]].message = TOY_FAILED;
    }
    policy->policy.rows = policy->rows;
}

static void observe(void *user, const struct recourse_observation *seen)
{
    struct kit *kit = user;
    size_t used = strlen(kit->log);

    used += (size_t)snprintf(kit->log + used, sizeof kit->log - used, "%s%.*s:", used > 0 ? " " : "",
                             (int)seen->call.size, seen->call.data);
    for (size_t i = 0; i < seen->decision->trace_count && used < sizeof kit->log; i++) {
        used += (size_t)snprintf(kit->log + used, sizeof kit->log - used, "%s%s", i > 0 ? "," : "",
                                 seen->policy->rows[seen->decision->trace[i].row].id);
    }
    CU_ASSERT_TRUE(seen->detail.size == 0 || seen->decision->event != RECOURSE_EVENT_OK);
}

static void on_result(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result)
{
    struct kit *kit = user;

    CU_ASSERT_PTR_EQUAL(result, recourse_turn_result(turn, index));
    CU_ASSERT_FALSE(recourse_turn_done(turn));
    if (kit->results < KIT_CALLS_MAX) {
        kit->order[kit->results] = index;
        kit->at_ms[kit->results] = kit->sim.now_ms;
    }
    kit->results++;
}

static void on_done(void *user, struct recourse_turn *turn)
{
    CU_ASSERT_TRUE(recourse_turn_done(turn));
    ((struct kit *)user)->done++;
}

void kit_options(struct kit *kit, struct recourse_runner_options *options)
{
    *options = (struct recourse_runner_options){
        .size = sizeof *options,
        .port = &kit->sim.port,
        .policy = &kit->policy.policy,
        .observe = observe,
        .user = kit,
    };
}

void kit_init(struct kit *kit, struct recourse_runner_options *options)
{
    memset(kit, 0, sizeof *kit);
    sim_init(&kit->sim, KIT_START_MS);
    kit_policy_init(&kit->policy);
    kit_options(kit, options);
}

void kit_open(struct kit *kit, const struct recourse_runner_options *options)
{
    struct recourse_runner_options own;
    struct recourse_error error = {RECOURSE_OK, ""};

    if (options == NULL) {
        kit_init(kit, &own);
        options = &own;
    }
    RCS_EQUAL(recourse_runner_new(options, &kit->runner, &error), 0);
    RCS_TEXT_EQUAL(error.text, "");
    RCS_EQUAL(recourse_run_new(kit->runner, &kit->run), 0);
}

void kit_open_four(struct kit *kit, unsigned tries_at_once, unsigned calls_max, size_t memory_max, size_t body_max)
{
    static const struct sim_answer fine[] = {{.after_ms = 10, .status = 200, .body = "fine"}};
    static const struct sim_answer silent[] = {{.after_ms = 0}};
    static const struct sim_answer unsent[] = {{.unsent = true}};
    static const struct sim_answer busy[] = {{.status = 503, .phrase = "timeout"}};
    struct recourse_runner_options options;

    kit_init(kit, &options);
    options.tries_at_once = tries_at_once;
    options.calls_max = calls_max;
    options.memory_max = memory_max;
    options.body_max = body_max;
    kit_open(kit, &options);
    kit_http(kit, "fine", true);
    kit_http(kit, "silent", true);
    kit_http(kit, "unsent", true);
    kit_http(kit, "busy", true);
    sim_route(&kit->sim, "http://fine/", fine, 1);
    sim_route(&kit->sim, "http://silent/", silent, 1);
    sim_route(&kit->sim, "http://unsent/", unsent, 1);
    sim_route(&kit->sim, "http://busy/", busy, 1);
}

void kit_close(struct kit *kit)
{
    recourse_runner_free(kit->runner);
    kit->runner = NULL;
    sim_clear(&kit->sim);
}

void kit_http(struct kit *kit, const char *name, bool safe)
{
    char url[128];
    struct recourse_tool tool = {
        .size = sizeof tool, .name = name, .kind = RECOURSE_TOOL_HTTP, .declared_safe = safe, .url = url};

    snprintf(url, sizeof url, "http://%s/", name);
    RCS_EQUAL(recourse_runner_add_tool(kit->runner, &tool, NULL), 0);
}

void kit_function(struct kit *kit, const char *name, recourse_function *function, void *user, bool blocking)
{
    struct recourse_tool tool = {.size = sizeof tool,
                                 .name = name,
                                 .kind = RECOURSE_TOOL_FUNCTION,
                                 .function = function,
                                 .user = user,
                                 .blocking = blocking};

    RCS_EQUAL(recourse_runner_add_tool(kit->runner, &tool, NULL), 0);
}

struct recourse_span kit_span(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

struct recourse_call_request kit_call(const char *id, const char *name, const char *arguments)
{
    return (struct recourse_call_request){
        .id = kit_span(id), .name = kit_span(name), .arguments = kit_span(arguments)};
}

struct recourse_turn_options kit_turn(struct kit *kit, const struct recourse_call_request *calls, size_t count)
{
    return (struct recourse_turn_options){.size = sizeof(struct recourse_turn_options),
                                          .calls = calls,
                                          .call_count = count,
                                          .on_result = on_result,
                                          .on_done = on_done,
                                          .user = kit};
}

struct recourse_turn *kit_start_until(struct kit *kit, const struct recourse_call_request *calls, size_t count,
                                      uint64_t deadline_ms)
{
    struct recourse_turn_options options = kit_turn(kit, calls, count);
    struct recourse_turn *turn = NULL;
    struct recourse_error error = {RECOURSE_OK, ""};

    options.deadline_ms = deadline_ms;
    RCS_EQUAL(recourse_turn_start(kit->run, &options, &turn, &error), 0);
    RCS_TEXT_EQUAL(error.text, "");
    return turn;
}

struct recourse_turn *kit_start(struct kit *kit, const struct recourse_call_request *calls, size_t count)
{
    return kit_start_until(kit, calls, count, 0);
}

struct recourse_turn *kit_start_one(struct kit *kit, const char *name, const char *arguments)
{
    struct recourse_call_request call = kit_call("c1", name, arguments);

    return kit_start(kit, &call, 1);
}

void kit_finish(struct kit *kit, const struct recourse_turn *turn)
{
    for (unsigned steps = 0; steps < 10000 && !kit->sim.stuck && !recourse_turn_done(turn); steps++) {
        (void)!recourse_runner_step(kit->runner, RECOURSE_FOREVER);
    }
    CU_ASSERT_FALSE(kit->sim.stuck);
    CU_ASSERT_TRUE_FATAL(recourse_turn_done(turn));
}

void kit_settle(struct kit *kit)
{
    for (unsigned steps = 0; steps < 8; steps++) {
        RCS_EQUAL(recourse_runner_step(kit->runner, 0), 0);
    }
}

void kit_until(struct kit *kit, uint64_t until_ms)
{
    kit_settle(kit);
    while (kit->sim.now_ms < until_ms) {
        RCS_EQUAL(recourse_runner_step(kit->runner, until_ms - kit->sim.now_ms), 0);
        kit_settle(kit);
    }
}

struct recourse_turn *kit_run_one(struct kit *kit, const struct sim_answer *answers, size_t count)
{
    struct recourse_turn *turn;

    kit_open(kit, NULL);
    kit_http(kit, "lookup", false);
    sim_route(&kit->sim, "http://lookup/", answers, count);
    turn = kit_start_one(kit, "lookup", "{\"q\":9007199254740993}");
    kit_finish(kit, turn);
    return turn;
}

const char *kit_text(struct recourse_span span)
{
    static char texts[4][4096];
    static unsigned next;
    char *text = texts[next++ % 4];

    snprintf(text, sizeof texts[0], "%.*s", (int)span.size, span.size > 0 ? span.data : "");
    return text;
}

const char *kit_content(const struct recourse_turn *turn, size_t index)
{
    const struct recourse_result *result = recourse_turn_result(turn, index);

    return result != NULL ? kit_text(result->content) : NULL;
}

const char *kit_trail(const struct recourse_result *result)
{
    static char text[512];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < result->trail_count; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? " " : "",
                                 result->policy->rows[result->trail[i].row].id);
    }
    return text;
}
