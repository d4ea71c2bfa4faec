/* What a log keeps to itself, and the disclosure, with which it can be looked at again. */
#include <sys/stat.h>

#include "tests/unit/audit_kit.h"

#define SECRET "hunter2-ünïcode"

/* The first one: the others need it. */
static void test_policy(void)
{
    CU_ASSERT_TRUE_FATAL(rcs_load_policy(&plain, RCS_PLAIN, NULL));
}

static struct recourse_facts secret_facts(struct recourse_header *header)
{
    *header = (struct recourse_header){words("X-Token"), words(SECRET)};
    return (struct recourse_facts){.http = 418, .tool = "tool", .text = words("no: " SECRET), .phrase = words(SECRET),
                                   .json = words("{\"k\":\"" SECRET "\"}"), .structured = words("\"" SECRET "\""),
                                   .detail = words(SECRET), .headers = header, .header_count = 1};
}

static bool has_secret(const char *path)
{
    size_t size;
    const char *text = read_file(path, &size);

    return memmem(text, size, "hunter2", 7) != NULL;
}

static void add_secret(struct log_kit *kit)
{
    struct recourse_header header;
    struct recourse_facts facts = secret_facts(&header);

    RCS_EQUAL(add_call(kit, NULL, words("{\"k\":\"" SECRET "\"}"), words(SECRET), words("id " SECRET)), 0);
    RCS_EQUAL(add_call(kit, &facts, words("{\"k\":\"" SECRET "\"}"), words("tool"), words("c2")), 0);
}

static void test_secrets(void)
{
    struct log_kit kit;
    struct stat status;

    kit_init(&kit, "secrets");
    kit.options.disclosure = kit.disclosure;
    RCS_EQUAL(kit_open(&kit), 0);
    add_secret(&kit);
    kit_close(&kit);
    CU_ASSERT_FALSE(has_secret(kit.path));
    CU_ASSERT_FALSE(has_secret(kit.disclosure));
    RCS_EQUAL(stat(kit.disclosure, &status), 0);
    RCS_EQUAL(status.st_mode & 0777, 0600);
    RCS_EQUAL(chmod(kit.disclosure, 0644), 0);
    RCS_EQUAL(kit_open(&kit), RECOURSE_E_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(kit.error.text, "others may read it"));
}

/* With the texts facts are classified anew; a text that was changed is not what its hash stands for; without them the
   log is as good as before. */
static void test_disclosure(void)
{
    struct log_kit kit;
    struct rcs_verdict verdict;
    struct recourse_span disclosed;
    char *changed;

    kit_init(&kit, "disclosed");
    kit.options.disclosure = kit.disclosure;
    kit.options.capture = true;
    RCS_EQUAL(kit_open(&kit), 0);
    add_secret(&kit);
    kit_close(&kit);
    CU_ASSERT_FALSE(has_secret(kit.path));
    disclosed.data = read_file(kit.disclosure, &disclosed.size);
    verify_disclosed(&kit, disclosed, &verdict);
    CU_ASSERT_TRUE(verdict.grade >= RCS_GRADE_CONFORMANT);
    RCS_EQUAL(verdict.disclosed, 1);
    RCS_EQUAL(verdict.undisclosed, 0);
    changed = strstr((char *)(uintptr_t)disclosed.data, "\"text\":\"");
    CU_ASSERT_PTR_NOT_NULL_FATAL(changed);
    changed[8] = changed[8] == '6' ? '7' : '6';
    verify_disclosed(&kit, disclosed, &verdict);
    RCS_EQUAL(verdict.grade, RCS_GRADE_INTACT);
    verify_disclosed(&kit, (struct recourse_span){"", 0}, &verdict);
    CU_ASSERT_TRUE(verdict.grade >= RCS_GRADE_CONFORMANT);
    RCS_EQUAL(verdict.undisclosed, 1);
}

/* A writer that was killed within a line of its disclosure; the next one's can all be read. */
static void test_torn_disclosure(void)
{
    struct log_kit kit;
    struct rcs_verdict verdict;
    struct recourse_span disclosed;
    struct rcs_disclosure read;
    size_t line;

    kit_init(&kit, "torn_disclosure");
    kit.options.disclosure = kit.disclosure;
    kit.options.capture = true;
    for (unsigned i = 0; i < 2; i++) {
        kit.sim.random = 1000 * (i + 1); /* each writer has its own name */
        RCS_EQUAL(kit_open(&kit), 0);
        add_secret(&kit);
        kit_close(&kit);
        disclosed.data = read_file(kit.disclosure, &disclosed.size);
        RCS_EQUAL(i == 0 ? truncate(kit.disclosure, (off_t)disclosed.size - 20) : 0, 0);
    }
    verify_disclosed(&kit, disclosed, &verdict);
    CU_ASSERT_TRUE(verdict.grade >= RCS_GRADE_CONFORMANT);
    CU_ASSERT_TRUE(verdict.disclosed >= 1);
    memset((char *)(uintptr_t)disclosed.data, 0, 30); /* what the disk never had */
    CU_ASSERT_TRUE(rcs_disclosure_read(&read, disclosed, &line));
    rcs_disclosure_clear(&read);
    CU_ASSERT_FALSE(rcs_disclosure_read(&read, words("{\"call\":1}\n"), &line));
    RCS_EQUAL(line, 1);
    rcs_disclosure_clear(&read);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"policy", test_policy},
        {"secrets", test_secrets},
        {"disclosure", test_disclosure},
        {"torn disclosure", test_torn_disclosure},
    };
    int status;

    directory = rcs_scratch(&scratch);
    status = rcs_unit_main("audit_disclosure", tests, RCS_COUNT(tests));
    rcs_scratch_remove(&scratch, directory);
    rcs_clear_policy(&plain);
    rcs_arena_clear(&scratch);
    return status;
}
