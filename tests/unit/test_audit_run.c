/* The runner with a log: no unsafe tool is touched before its record is there. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "src/audit/audit.h"
#include "src/audit/verify.h"
#include "tests/unit/policy_load.h"
#include "tests/unit/run_kit.h"

static char *directory;
static struct rcs_arena scratch;
static unsigned logs;
static struct rcs_loaded_policy plain;

static const struct sim_answer fine[] = {{.after_ms = 10, .status = 200, .body = "fine"}};

/* How much of the file that was synced last is on the disk: what a machine that stops would leave. In the place of the
   system's own, for the library as for us. */
static _Atomic off_t on_disk;

static int note_sync(int fd)
{
    struct stat status;

    if (fstat(fd, &status) != 0) {
        return -1;
    }
    on_disk = status.st_size;
    return 0;
}

int fsync(int fd)
{
    return note_sync(fd);
}

int fdatasync(int fd)
{
    return note_sync(fd);
}

/* A runner with tools "unsafe" and "safe", and a log of its own. */
struct recorded {
    struct kit kit;
    struct recourse_audit *audit;
    char path[200];
};

/* By `policy`, if it is not NULL; else by the kit's. */
static void open_by(struct recorded *at, uint8_t sync, bool refuse, const struct recourse_policy *policy)
{
    struct recourse_runner_options options;
    struct recourse_audit_options log = {.size = sizeof log, .sync = sync, .path = at->path};
    struct recourse_error error = {RECOURSE_OK, ""};

    kit_init(&at->kit, &options);
    at->kit.policy.policy.settings.audit_refuse = refuse;
    snprintf(at->path, sizeof at->path, "%s/%u.log", directory, ++logs);
    log.port = &at->kit.sim.port;
    options.policy = policy != NULL ? policy : &at->kit.policy.policy;
    log.policy = options.policy;
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

static void open_recorded(struct recorded *at, uint8_t sync, bool refuse)
{
    open_by(at, sync, refuse, NULL);
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
        RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), refuse == 1 ? "P1 A8" : "P1 A1");
        CU_ASSERT_TRUE(recourse_audit_lost(at.audit) > 0);
        close_recorded(&at);
        RCS_EQUAL(count_of(&at, "lost"), 1);
    }
}

/* A fault of the program itself: here the policy is another one in the middle of a call. */
static void test_broken_off(void)
{
    static const struct sim_answer answers[] = {{.after_ms = 10, .status = 503, .body = "timeout"}};
    struct recorded at = {0};
    struct recourse_turn *turn;

    open_recorded(&at, RECOURSE_AUDIT_BATCH, false);
    at.kit.sim.routes[1].answers = answers;
    turn = kit_start_one(&at.kit, "safe", "{}");
    kit_settle(&at.kit);
    RCS_EQUAL(at.kit.sim.request_count, 1);
    at.kit.policy.policy.behaviour_sha256[0] ^= 1;
    kit_finish(&at.kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->row, RECOURSE_NONE);
    close_recorded(&at);
    RCS_EQUAL(count_of(&at, "broken"), 1);
    RCS_EQUAL(count_of(&at, "reported"), 0);
}

/* ---- a machine that stops ---- */

/* What was on the disk, as a log of its own: it is gone on with, and verifies. */
static void recover(const struct recorded *at, const struct rcs_spec *spec, struct recourse_span disk)
{
    struct recourse_audit_options options = {.size = sizeof options, .sync = RECOURSE_AUDIT_NONE};
    struct recourse_port *port = (struct recourse_port *)(uintptr_t)&at->kit.sim.port;
    struct recourse_audit *audit = NULL;
    struct rcs_arena arena = {0};
    struct rcs_verdict verdict;
    struct rcs_verify *verify;
    struct rcs_judge judge;
    const char *why = NULL;
    char path[220];
    FILE *file;
    int fd;

    snprintf(path, sizeof path, "%s.disk", at->path);
    file = fopen(path, "w");
    CU_ASSERT_TRUE_FATAL(file != NULL);
    RCS_EQUAL(fwrite(disk.data, 1, disk.size, file), disk.size);
    fclose(file);
    options.port = port;
    options.path = path;
    options.policy = plain.policy;
    RCS_EQUAL(recourse_audit_open(&options, &audit, NULL), 0);
    RCS_EQUAL(recourse_audit_close(audit, NULL), 0);
    rcs_judge_init(&judge, &arena, spec);
    verify = rcs_verify_new(&judge, 1, NULL);
    fd = open(path, O_RDONLY);
    CU_ASSERT_TRUE_FATAL(fd >= 0 && verify != NULL);
    CU_ASSERT_TRUE(rcs_verify_file(verify, path, fd, &why));
    rcs_verify_end(verify, &verdict);
    CU_ASSERT_FALSE(verdict.broken.found);
    CU_ASSERT_FALSE(verdict.divergence.found);
    rcs_verify_free(verify);
    rcs_arena_clear(&arena);
    close(fd);
    unlink(path);
}

static unsigned attempts_in(struct recourse_span disk)
{
    static const char wanted[] = "\"kind\":\"attempt\"";
    unsigned count = 0;

    for (;;) {
        const char *found = memmem(disk.data, disk.size, wanted, sizeof wanted - 1);

        if (found == NULL) {
            return count;
        }
        count++;
        disk.size -= (size_t)(found + 1 - disk.data);
        disk.data = found + 1;
    }
}

/* After each step: each time that a tool was touched has its attempt on the disk, though all else were thrown away. */
static off_t look_at_disk(const struct recorded *at, const struct rcs_spec *spec, off_t before)
{
    struct rcs_arena arena = {0};
    const char *why = NULL;
    size_t size;
    const char *text = rcs_file_read(&arena, at->path, &size, &why);
    off_t now = on_disk;

    CU_ASSERT_TRUE_FATAL(text != NULL && (size_t)now <= size);
    CU_ASSERT_TRUE(at->kit.sim.request_count <= attempts_in((struct recourse_span){text, (size_t)now}));
    if (now != before) {
        recover(at, spec, (struct recourse_span){text, (size_t)now});
    }
    rcs_arena_clear(&arena);
    return now;
}

static void test_thrown_away(void)
{
    static const struct sim_answer answers[] = {
        {.after_ms = 3, .status = 200, .body = "fine"}, {.network = RECOURSE_NETWORK_REFUSED, .unsent = true},
        {.after_ms = 5, .status = 500, .body = "bad"},  {.after_ms = 1, .status = 200, .body = "fine"}};
    struct recourse_call_request calls[] = {kit_call("c1", "unsafe", "{}"), kit_call("c2", "unsafe", "{\"a\":1}"),
                                            kit_call("c3", "unsafe", "{\"a\":2}")};
    struct recorded at = {0};
    unsigned seen = 0;
    off_t disk = 0;

    CU_ASSERT_TRUE_FATAL(rcs_load_policy(&plain, RCS_PLAIN, NULL));
    open_by(&at, RECOURSE_AUDIT_BEFORE_EFFECT, false, plain.policy);
    at.kit.sim.routes[0].answers = answers;
    at.kit.sim.routes[0].count = 4;
    at.kit.sim.hold_work = true;
    on_disk = 0;
    for (unsigned round = 0; round < 12; round++) {
        struct recourse_turn *turn = kit_start(&at.kit, calls, 1 + round % 3);

        for (unsigned step = 0; step < 1000 && !recourse_turn_done(turn); step++) {
            off_t before = disk;

            (void)!recourse_runner_step(at.kit.runner, step % 4 == 3 && at.kit.sim.held_count == 0 ? 50 : 0);
            disk = look_at_disk(&at, plain.loaded.spec, before);
            seen += disk != before;
            if (step % 3 == round % 3) {
                sim_release_work(&at.kit.sim);
            }
        }
        CU_ASSERT_TRUE_FATAL(recourse_turn_done(turn));
    }
    CU_ASSERT_TRUE(seen > 10);
    CU_ASSERT_TRUE(at.kit.sim.request_count > 24);
    sim_release_work(&at.kit.sim);
    at.kit.sim.hold_work = false;
    at.kit.sim.submit_error = RECOURSE_E_AGAIN;
    close_recorded(&at);
    RCS_EQUAL(count_of(&at, "attempt"), at.kit.sim.request_count);
    rcs_clear_policy(&plain);
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
        {"broken off", test_broken_off}, {"thrown away", test_thrown_away},
    };
    int status;

    directory = rcs_scratch(&scratch);
    status = rcs_unit_main("audit_run", tests, RCS_COUNT(tests));
    rcs_scratch_remove(&scratch, directory);
    rcs_arena_clear(&scratch);
    return status;
}
