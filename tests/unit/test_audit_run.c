/* The runner with a log: no unsafe tool is touched before its record is there. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "src/audit/audit.h"
#include "tests/unit/policy_load.h"
#include "tests/unit/run_kit.h"

static char *directory;
static struct rcs_arena scratch;
static unsigned logs;

static const struct sim_answer fine[] = {{.after_ms = 10, .status = 200, .body = "fine"}};

/* A runner with tools "unsafe" and "safe", and a log of its own. */
struct recorded {
    struct kit kit;
    struct recourse_audit *audit;
    char path[200];
};

static void open_recorded(struct recorded *at, uint8_t sync, bool refuse)
{
    struct recourse_runner_options options;
    struct recourse_audit_options log = {.size = sizeof log, .sync = sync, .path = at->path};
    struct recourse_error error = {RECOURSE_OK, ""};

    kit_init(&at->kit, &options);
    at->kit.policy.policy.settings.audit_refuse = refuse;
    snprintf(at->path, sizeof at->path, "%s/%u.log", directory, ++logs);
    log.port = &at->kit.sim.port;
    log.policy = &at->kit.policy.policy;
    at->kit.sim.submit_error = RECOURSE_E_AGAIN; /* what is synced now, is on the spot */
    RCS_EQUAL(recourse_audit_open(&log, &at->audit, &error), 0);
    at->kit.sim.submit_error = 0;
    RCS_TEXT_EQUAL(error.text, "");
    options.audit = at->audit;
    kit_open(&at->kit, &options);
    kit_http(&at->kit, "unsafe", false);
    kit_http(&at->kit, "safe", true);
    sim_route(&at->kit.sim, "http://unsafe/", fine, 1);
    sim_route(&at->kit.sim, "http://safe/", fine, 1);
}

static void close_recorded(struct recorded *at)
{
    recourse_runner_free(at->kit.runner);
    at->kit.runner = NULL;
    RCS_EQUAL(recourse_audit_close(at->audit, NULL), 0);
    sim_clear(&at->kit.sim);
}

static unsigned count_of(const struct recorded *at, const char *kind)
{
    struct rcs_arena arena = {0};
    const char *why = NULL;
    size_t size;
    const char *text = rcs_file_read(&arena, at->path, &size, &why);
    char wanted[64];
    unsigned count = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    snprintf(wanted, sizeof wanted, "\"kind\":\"%s\"", kind);
    for (; (text = strstr(text, wanted)) != NULL; text++) {
        count++;
    }
    rcs_arena_clear(&arena);
    return count;
}

/* Synced first, and only then touched. */
static void test_held(void)
{
    struct recorded at = {0};
    struct recourse_turn *turn;

    open_recorded(&at, RECOURSE_AUDIT_BEFORE_EFFECT, false);
    at.kit.sim.hold_work = true;
    turn = kit_start_one(&at.kit, "unsafe", "{}");
    kit_settle(&at.kit);
    RCS_EQUAL(at.kit.sim.held_count, 1);
    RCS_EQUAL(at.kit.sim.request_count, 0);
    RCS_EQUAL(count_of(&at, "attempt"), 1);
    sim_release_work(&at.kit.sim);
    kit_settle(&at.kit);
    RCS_EQUAL(at.kit.sim.request_count, 1);
    kit_finish(&at.kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "fine");
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A1");
    close_recorded(&at);
    RCS_EQUAL(count_of(&at, "reported"), 1);
}

/* Which modes hold which tools back until a sync; in each the attempt is in the file when an unsafe tool is touched. */
static void test_modes(void)
{
    static const struct {
        uint8_t sync;
        const char *tool;
        bool held;
    } cases[] = {
        {RECOURSE_AUDIT_NONE, "safe", false},          {RECOURSE_AUDIT_NONE, "unsafe", false},
        {RECOURSE_AUDIT_BATCH, "safe", false},         {RECOURSE_AUDIT_BATCH, "unsafe", false},
        {RECOURSE_AUDIT_BEFORE_EFFECT, "safe", false}, {RECOURSE_AUDIT_BEFORE_EFFECT, "unsafe", true},
        {RECOURSE_AUDIT_EVERY, "safe", true},          {RECOURSE_AUDIT_EVERY, "unsafe", true},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recorded at = {0};
        struct recourse_turn *turn;

        open_recorded(&at, cases[i].sync, false);
        at.kit.sim.hold_work = true;
        turn = kit_start_one(&at.kit, cases[i].tool, "{}");
        kit_settle(&at.kit);
        RCS_EQUAL(at.kit.sim.request_count, cases[i].held ? 0 : 1);
        RCS_EQUAL(count_of(&at, "attempt"), 1);
        sim_release_work(&at.kit.sim);
        at.kit.sim.hold_work = false;
        at.kit.sim.submit_error = RECOURSE_E_AGAIN; /* synced on the spot */
        kit_finish(&at.kit, turn);
        RCS_TEXT_EQUAL(kit_content(turn, 0), "fine");
        close_recorded(&at);
    }
}

/* One sync for all that was written before it began; and another for what came meanwhile. */
static void test_groups(void)
{
    struct recorded at = {0};
    struct recourse_call_request calls[] = {kit_call("c1", "unsafe", "{}"), kit_call("c2", "unsafe", "{\"a\":1}"),
                                            kit_call("c3", "unsafe", "{\"a\":2}")};
    struct recourse_turn *turns[2];

    open_recorded(&at, RECOURSE_AUDIT_BEFORE_EFFECT, false);
    at.kit.sim.hold_work = true;
    turns[0] = kit_start(&at.kit, calls, 3);
    kit_settle(&at.kit);
    turns[1] = kit_start(&at.kit, calls, 1);
    kit_settle(&at.kit);
    RCS_EQUAL(at.kit.sim.held_count, 1);
    sim_release_work(&at.kit.sim);
    kit_settle(&at.kit);
    RCS_EQUAL(at.kit.sim.request_count, 3);
    RCS_EQUAL(at.kit.sim.held_count, 1);
    sim_release_work(&at.kit.sim);
    kit_settle(&at.kit);
    RCS_EQUAL(at.kit.sim.request_count, 4);
    at.kit.sim.hold_work = false;
    kit_finish(&at.kit, turns[0]);
    kit_finish(&at.kit, turns[1]);
    close_recorded(&at);
}

/* What ends while it waits for its record has touched nothing. */
static void test_ended_meanwhile(void)
{
    struct recorded at = {0};
    struct recourse_turn *turn;

    open_recorded(&at, RECOURSE_AUDIT_BEFORE_EFFECT, false);
    at.kit.sim.hold_work = true;
    turn = kit_start_one(&at.kit, "unsafe", "{}");
    kit_settle(&at.kit);
    recourse_turn_cancel(turn);
    kit_finish(&at.kit, turn);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A8");
    RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_NONE);
    turn = kit_start_one(&at.kit, "unsafe", "{}");
    kit_until(&at.kit, KIT_START_MS + 60000);
    RCS_EQUAL(recourse_turn_result(turn, 0) == NULL ? 0 : recourse_turn_result(turn, 0)->tries, 0);
    sim_release_work(&at.kit.sim);
    recourse_turn_free(turn); /* it waits: for its record, or between two tries */
    at.kit.sim.hold_work = false;
    kit_settle(&at.kit);
    RCS_EQUAL(at.kit.sim.request_count, 0);
    close_recorded(&at);
    RCS_EQUAL(count_of(&at, "reported"), 1);
}

static void set_file_limit(rlim_t size)
{
    struct rlimit limit;

    RCS_EQUAL(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    RCS_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_not_written(void)
{
    for (unsigned refuse = 0; refuse < 2; refuse++) {
        struct recorded at = {0};
        struct recourse_turn *turn;
        struct stat status;

        signal(SIGXFSZ, SIG_IGN);
        open_recorded(&at, RECOURSE_AUDIT_BATCH, refuse == 1);
        RCS_EQUAL(stat(at.path, &status), 0);
        set_file_limit((rlim_t)status.st_size + 10);
        turn = kit_start_one(&at.kit, "unsafe", "{}");
        kit_finish(&at.kit, turn);
        set_file_limit(RLIM_INFINITY);
        RCS_EQUAL(at.kit.sim.request_count, refuse == 1 ? 0 : 1);
        RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), refuse == 1 ? "P1 A2 B1 A2 B1 A2 E3" : "P1 A1");
        CU_ASSERT_TRUE(recourse_audit_lost(at.audit) > 0);
        close_recorded(&at);
        RCS_EQUAL(count_of(&at, "lost"), 1);
    }
}

/* A runner that goes while a sync is under way waits for it. */
static void test_freed(void)
{
    struct recorded at = {0};

    open_recorded(&at, RECOURSE_AUDIT_BEFORE_EFFECT, false);
    at.kit.sim.real = true;
    (void)kit_start_one(&at.kit, "unsafe", "{}");
    RCS_EQUAL(recourse_runner_step(at.kit.runner, 0), 0);
    close_recorded(&at);
    RCS_EQUAL(count_of(&at, "close"), 1);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"held", test_held},           {"modes", test_modes},           {"groups", test_groups},
        {"ended", test_ended_meanwhile}, {"not written", test_not_written}, {"freed", test_freed},
    };
    int status;

    directory = rcs_scratch(&scratch);
    status = rcs_unit_main("audit_run", tests, RCS_COUNT(tests));
    rcs_scratch_remove(&scratch, directory);
    rcs_arena_clear(&scratch);
    return status;
}
