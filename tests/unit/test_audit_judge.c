/* What the verifier finds by texts that were disclosed; calls that end without their policy; a writer without memory. */
#include "tests/unit/audit_kit.h"
#include "tests/unit/purse.h"

static struct rcs_loaded_policy rich;

static void test_policies(void)
{
    CU_ASSERT_TRUE_FATAL(rcs_load_policy(&plain, RCS_PLAIN, NULL));
    CU_ASSERT_TRUE_FATAL(rcs_load_policy(&rich, RCS_RICH, NULL));
}

static void judge_by_rich(struct log_kit *kit, const char *name)
{
    kit_init(kit, name);
    kit->policy = rich.policy;
    kit->spec = rich.loaded.spec;
    kit->options.policy = rich.policy;
    kit->options.disclosure = kit->disclosure;
    kit->options.capture = true;
    RCS_EQUAL(kit_open(kit), 0);
}

/* The grade without the texts, and with them. */
static void expect_grades(struct log_kit *kit, enum rcs_grade hidden, enum rcs_grade disclosed, const char *what)
{
    struct rcs_verdict verdict;
    struct recourse_span text;

    kit_close(kit);
    verify_disclosed(kit, (struct recourse_span){"", 0}, &verdict);
    RCS_EQUAL(verdict.grade, hidden);
    text.data = read_file(kit->disclosure, &text.size);
    verify_disclosed(kit, text, &verdict);
    RCS_EQUAL(verdict.grade, disclosed);
    RCS_TEXT_EQUAL(verdict.divergence.what, what);
}

/* The tool `set` is safe if "/dry_run" is true. */
static void test_safe_if(void)
{
    static const struct {
        const char *arguments;
        bool told; /* the log is told that it is safe */
        bool good;
    } cases[] = {
        {"{\"dry_run\":true}", true, true},
        {"{\"dry_run\":true}", false, false},
        {"{\"dry_run\":false}", true, false},
        {"{\"dry_run\":false}", false, true},
        {"{\"dry_run\":\"true\"}", true, false},
        {"{\"dry_run\":true,\"dry_run\":true}", true, false},
        {"{\"dry_run\":true,\"dry_run\":true}", false, true},
        {"{}", true, false},
        {"{\"dry_run\":true", true, false},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        static const struct recourse_facts good = {.http = 200, .tool = "set"};
        struct log_kit kit;
        char name[32];

        snprintf(name, sizeof name, "safe_if_%zu", i);
        judge_by_rich(&kit, name);
        kit.lie_safe = cases[i].told;
        RCS_EQUAL(add_call(&kit, &good, words(cases[i].arguments), words("set"), words("c1")), 0);
        expect_grades(&kit, RCS_GRADE_COMPLETE, cases[i].good ? RCS_GRADE_COMPLETE : RCS_GRADE_INTACT,
                      cases[i].good ? "" : "safe");
    }
}

/* What a server asked for, against its headers; a failure that is not tried again, so that nothing else shows it. */
static void test_server_delay(void)
{
    static const struct recourse_header asks[] = {{{"Retry-After", 11}, {"7", 1}}};
    static const struct recourse_header by_date[] = {
        {{"Retry-After", 11}, {"Sun, 06 Nov 1994 08:49:47 GMT", 29}}};
    static const struct recourse_header silent[] = {{{"X-Other", 7}, {"7", 1}}};
    static const struct {
        const struct recourse_header *headers;
        bool lie;
        bool good;
    } cases[] = {
        {asks, false, true}, {asks, true, false}, {by_date, false, true}, {by_date, true, false}, {silent, false, true},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_facts facts = {.http = 418, .tool = "tool", .headers = cases[i].headers, .header_count = 1,
                                       .wall_s = 784111777};
        struct log_kit kit;
        char name[32];

        snprintf(name, sizeof name, "delay_%zu", i);
        judge_by_rich(&kit, name);
        kit.lie_delay = cases[i].lie;
        RCS_EQUAL(add_call(&kit, &facts, words("{}"), words("tool"), words("c1")), 0);
        expect_grades(&kit, RCS_GRADE_COMPLETE, cases[i].good ? RCS_GRADE_COMPLETE : RCS_GRADE_INTACT,
                      cases[i].good ? "" : "server_delay");
    }
}

/* Arguments that are not those that were hashed. */
static void test_other_arguments(void)
{
    static const struct recourse_facts good = {.http = 200, .tool = "set"};
    struct log_kit kit;
    struct rcs_verdict verdict;
    struct recourse_span text;
    char *changed;

    judge_by_rich(&kit, "arguments");
    RCS_EQUAL(add_call(&kit, &good, words("{\"dry_run\":false}"), words("set"), words("c1")), 0);
    kit_close(&kit);
    text.data = read_file(kit.disclosure, &text.size);
    changed = strstr((char *)(uintptr_t)text.data, "\"arguments\":\"");
    CU_ASSERT_PTR_NOT_NULL_FATAL(changed);
    changed[14] = changed[14] == 'b' ? 'c' : 'b';
    verify_disclosed(&kit, text, &verdict);
    RCS_EQUAL(verdict.grade, RCS_GRADE_INTACT);
    RCS_TEXT_EQUAL(verdict.divergence.what, "what was disclosed is not what the hash stands for");
}

/* ---- calls that the program breaks off ---- */

static void test_broken(void)
{
    struct recourse_result result = {.tell = RECOURSE_TELL_MODEL};
    struct rcs_verdict verdict;
    struct recourse_span log;
    struct log_kit kit;
    uint64_t number = 0;

    kit_init(&kit, "broken");
    RCS_EQUAL(kit_open(&kit), 0);
    RCS_EQUAL(add_plain(&kit), 0);
    RCS_EQUAL(rcs_audit_broken(kit.audit, &number, 0, &result, RECOURSE_E_MEMORY, AT_MS), 0);
    RCS_EQUAL(number, 2);
    RCS_EQUAL(add_plain(&kit), 0);
    kit_close(&kit);
    log.data = read_file(kit.path, &log.size);
    verify_bytes(&verdict, log, NULL);
    RCS_EQUAL(verdict.grade, RCS_GRADE_INTACT);
    RCS_EQUAL(verdict.calls, 3);
    RCS_EQUAL(verdict.open, 0);
    RCS_EQUAL(verdict.divergence.call, 2);
    RCS_TEXT_EQUAL(verdict.divergence.what, "the program broke the call off");
    RCS_TEXT_EQUAL(verdict.divergence.recorded, recourse_code_text(RECOURSE_E_MEMORY));
}

/* ---- memory ---- */

/* Wherever memory ends, what is in the file is a log, and what is missing from it is counted. */
static void test_memory(void)
{
    unsigned needed = 0;

    for (unsigned left = 0; needed == 0 && left < 200; left++) {
        struct purse purse = {.left = left};
        struct recourse_allocator allocator = purse_allocator(&purse);
        struct rcs_verdict verdict;
        struct recourse_span log;
        struct log_kit kit;
        unsigned failed = 0;
        char name[32];

        snprintf(name, sizeof name, "memory_%u", left);
        kit_init(&kit, name);
        kit.options.allocator = &allocator;
        kit.options.disclosure = kit.disclosure;
        kit.options.capture = true;
        if (kit_open(&kit) != 0) {
            RCS_EQUAL(kit.error.code, RECOURSE_E_MEMORY);
            RCS_EQUAL(purse.out, 0);
            continue;
        }
        for (unsigned i = 0; i < 40; i++) {
            failed += add_plain(&kit) != 0;
        }
        RCS_EQUAL(recourse_audit_lost(kit.audit) > 0, failed > 0);
        purse.left = 1000;
        kit_close(&kit);
        RCS_EQUAL(purse.out, 0);
        log.data = read_file(kit.path, &log.size);
        verify_bytes(&verdict, log, NULL);
        RCS_EQUAL(verdict.grade, failed == 0 ? RCS_GRADE_COMPLETE : verdict.calls == 0 ? RCS_GRADE_EMPTY
                                                                                       : RCS_GRADE_CONFORMANT);
        RCS_EQUAL(verdict.lost > 0, failed > 0);
        needed = failed == 0 ? left : 0;
    }
    CU_ASSERT_TRUE(needed > 5);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"policies", test_policies},     {"safe if", test_safe_if}, {"server delay", test_server_delay},
        {"arguments", test_other_arguments}, {"broken", test_broken},   {"memory", test_memory},
    };
    int status;

    directory = rcs_scratch(&scratch);
    status = rcs_unit_main("audit_judge", tests, RCS_COUNT(tests));
    rcs_scratch_remove(&scratch, directory);
    rcs_clear_policy(&plain);
    rcs_clear_policy(&rich);
    rcs_arena_clear(&scratch);
    return status;
}
