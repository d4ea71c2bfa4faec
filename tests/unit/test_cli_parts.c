/* The small parts of the command: options, numbers, durations, near names, JSON out, files. */
#include <unistd.h>

#include <sys/stat.h>

#include "src/cli/cli.h"
#include "src/cli/files.h"
#include "src/cli/json_out.h"
#include "tests/unit/unit.h"

/* ---- options ---- */

static int run_nothing(int argc, char **argv)
{
    (void)argv;
    return argc;
}

static const struct rcs_command command = {.name = "test", .summary = "-", .run = run_nothing, .help = ""};

struct parsed {
    bool json;
    const char *policy;
    size_t words;
    int status;
    char line[256]; /* the words, with blanks between */
};

static struct parsed parse(const char *line)
{
    char text[256];
    char *argv[16] = {NULL};
    char name[] = "test";
    int argc = 1;
    struct parsed out = {false, NULL, 0, 0, ""};
    const struct rcs_option options[] = {
        {.name = "--json", .flag = &out.json},
        {.name = "--policy", .letter = "-p", .value = &out.policy},
        {.name = "--audit", .later = "wait"},
    };
    static char kept[256];

    argv[0] = name;
    snprintf(text, sizeof text, "%s", line);
    for (char *at = strtok(text, " "); at != NULL; at = strtok(NULL, " ")) {
        argv[argc++] = at;
    }
    out.status = rcs_options_read(&command, argc, argv, options, 3, &out.words);
    for (size_t i = 1; out.status == RCS_GO_ON && i <= out.words; i++) {
        strcat(out.line, argv[i]);
        strcat(out.line, i == out.words ? "" : " ");
    }
    if (out.policy != NULL) {
        snprintf(kept, sizeof kept, "%s", out.policy);
        out.policy = kept;
    }
    return out;
}

static void test_options_and_words_mix(void)
{
    struct parsed out = parse("a --policy p b --json - c");

    RCS_EQUAL(out.status, RCS_GO_ON);
    RCS_EQUAL(out.words, 4);
    RCS_TEXT_EQUAL(out.line, "a b - c");
    RCS_TEXT_EQUAL(out.policy, "p");
    RCS_EQUAL(out.json, true);
}

static void test_options_have_other_forms(void)
{
    RCS_TEXT_EQUAL(parse("--policy=x=y").policy, "x=y");
    RCS_TEXT_EQUAL(parse("-p x").policy, "x");
    RCS_TEXT_EQUAL(parse("-- --json -p").line, "--json -p");
    RCS_EQUAL(parse("-- --json").json, false);
    RCS_EQUAL(parse("").words, 0);
    RCS_EQUAL(parse("--help").status, RCS_EXIT_OK);
    RCS_EQUAL(parse("x -h").status, RCS_EXIT_OK);
    RCS_EQUAL(parse("-- --help").status, RCS_GO_ON);
}

static void test_options_refuse(void)
{
    static const char *const lines[] = {"--jsno",     "--unlike-any-other", "-x",      "--json=1", "--policy",
                                         "--policy=",  "-p a -p b",          "--audit", "-p",       "--polic=x"};

    for (size_t i = 0; i < RCS_COUNT(lines); i++) {
        RCS_EQUAL(parse(lines[i]).status, RCS_EXIT_ERROR);
    }
}

/* ---- numbers and durations ---- */

static void test_numbers(void)
{
    uint64_t number = 7;

    RCS_EQUAL(rcs_number_read("0", 10, &number), true);
    RCS_EQUAL(number, 0);
    RCS_EQUAL(rcs_number_read("10", 10, &number), true);
    RCS_EQUAL(number, 10);
    RCS_EQUAL(rcs_number_read("11", 10, &number), false);
    RCS_EQUAL(rcs_number_read("", 10, &number), false);
    RCS_EQUAL(rcs_number_read("-1", 10, &number), false);
    RCS_EQUAL(rcs_number_read("1x", 10, &number), false);
    RCS_EQUAL(rcs_number_read("9", 4, &number), false);
    RCS_EQUAL(rcs_number_read("18446744073709551615", UINT64_MAX, &number), true);
    RCS_EQUAL(number == UINT64_MAX, true);
    RCS_EQUAL(rcs_number_read("18446744073709551616", UINT64_MAX, &number), false);
}

static void test_durations_are_read(void)
{
    static const struct {
        const char *text;
        uint64_t ms; /* 0: refused */
    } cases[] = {
        {"1ms", 1},       {"500ms", 500},  {"5s", 5000},     {"2m", 120000},       {"1h", 3600000},
        {"720h", 2592000000}, {"721h", 0}, {"2592000s", 2592000000}, {"2592001s", 0}, {"0s", 0},
        {"5", 0},         {"s", 0},        {"", 0},          {"1.5s", 0},          {"-5s", 0},
        {"5 s", 0},       {"5S", 0},       {"99999999999999999999s", 0}, {"5ss", 0},
        {"2592000000ms", 2592000000},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        uint64_t ms = 0;

        RCS_EQUAL(rcs_duration_read(cases[i].text, &ms), cases[i].ms != 0);
        RCS_EQUAL(ms, cases[i].ms);
    }
}

static void test_durations_are_written(void)
{
    static const struct {
        uint64_t ms;
        const char *text;
    } cases[] = {
        {0, "0 s"},        {1, "1 ms"},       {999, "999 ms"},   {1000, "1 s"},      {2200, "2.2 s"},
        {1050, "1.05 s"},  {1001, "1.001 s"}, {60000, "60 s"},   {120000, "2 min"},  {121000, "121 s"},
        {2592000000, "43200 min"},
    };
    char text[RCS_DURATION_SIZE];

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_TEXT_EQUAL(rcs_duration_text(cases[i].ms, text), cases[i].text);
    }
}

static const char *name_in(const void *names, size_t index)
{
    return ((const char *const *)names)[index];
}

static void test_nearest(void)
{
    static const char *const names[] = {"check", "classify", "fmt", "run", NULL};

    RCS_TEXT_EQUAL(rcs_nearest("chekc", name_in, names), "check");
    RCS_TEXT_EQUAL(rcs_nearest("clasify", name_in, names), "classify");
    RCS_TEXT_EQUAL(rcs_nearest("run", name_in, names), "run");
    RCS_TEXT_EQUAL(rcs_nearest("fm", name_in, names), "fmt");
    RCS_TEXT_EQUAL(rcs_nearest("rnu", name_in, names), "run");
    CU_ASSERT_PTR_NULL(rcs_nearest("elephant", name_in, names));
    CU_ASSERT_PTR_NULL(rcs_nearest("", name_in, names));
    CU_ASSERT_PTR_NULL(rcs_nearest("checkcheckcheckcheckcheckcheckcheckcheckcheck", name_in, names));
}

/* ---- JSON ---- */

static void test_json_has_its_commas(void)
{
    const struct recourse_span raw = {"{\"n\":12345678901234567890}", 26};
    const struct recourse_span text = {"a\"\xff\0b", 5};
    const struct recourse_span nothing = {NULL, 0};
    static const uint8_t bytes[] = {0x00, 0x9f, 0xff};
    struct rcs_out out = {0};

    rcs_out_open(&out, '{');
    rcs_out_key(&out, "a");
    rcs_out_open(&out, '[');
    rcs_out_number(&out, UINT64_MAX);
    rcs_out_bool(&out, true);
    rcs_out_bool(&out, false);
    rcs_out_null(&out);
    rcs_out_open(&out, '{');
    rcs_out_close(&out, '}');
    rcs_out_close(&out, ']');
    rcs_out_key(&out, "b");
    rcs_out_raw(&out, raw);
    rcs_out_key(&out, "c");
    rcs_out_raw(&out, nothing);
    rcs_out_key(&out, "d");
    rcs_out_text(&out, NULL);
    rcs_out_key(&out, "e");
    rcs_out_span(&out, text);
    rcs_out_key(&out, "f");
    rcs_out_hex(&out, bytes, sizeof bytes);
    rcs_out_close(&out, '}');
    rcs_out_line(&out);
    rcs_out_number(&out, 1);
    rcs_out_line(&out);
    CU_ASSERT_PTR_NOT_NULL_FATAL(out.data);
    out.data[out.size - 1] = '\0';
    RCS_TEXT_EQUAL(out.data, "{\"a\":[18446744073709551615,true,false,null,{}],\"b\":{\"n\":12345678901234567890},"
                             "\"c\":null,\"d\":null,\"e\":\"a\\\"\xef\xbf\xbd\\u0000b\",\"f\":\"009fff\"}\n1");
    rcs_out_clear(&out);
    RCS_EQUAL(out.size, 0);
}

static void test_json_grows(void)
{
    struct rcs_out out = {0};
    char *text = calloc(1, 100001);

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    memset(text, 'x', 100000);
    rcs_out_text(&out, text);
    RCS_EQUAL(out.size, 100002);
    RCS_EQUAL(out.data[0], '"');
    RCS_EQUAL(out.data[100001], '"');
    rcs_out_clear(&out);
    free(text);
}

/* ---- files ---- */

static char directory[64];

static const char *in_directory(const char *name)
{
    static char path[2][128];
    static unsigned turn;

    turn ^= 1u;
    snprintf(path[turn], sizeof path[turn], "%s/%s", directory, name);
    return path[turn];
}

static void make_directory(void)
{
    snprintf(directory, sizeof directory, "%s/recourse-unit-XXXXXX", P_tmpdir);
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(directory));
}

static void expect_file(const char *path, const char *content)
{
    const char *why = NULL;
    size_t size = 0;
    char *text = rcs_files_read(path, 1000, &size, &why);

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    RCS_TEXT_EQUAL(text, content);
    RCS_EQUAL(size, strlen(content));
    free(text);
}

static void test_files_are_replaced(void)
{
    struct stat status;
    const char *why = NULL;
    char path[128];
    char link[128];

    make_directory();
    snprintf(path, sizeof path, "%s", in_directory("a"));
    snprintf(link, sizeof link, "%s", in_directory("l"));
    RCS_EQUAL(rcs_files_replaceable(path, &why), true);
    RCS_EQUAL(rcs_files_replace(path, 0666, "one", 3, &why), true);
    expect_file(path, "one");
    RCS_EQUAL(chmod(path, 0640), 0);
    RCS_EQUAL(symlink("a", link), 0);
    RCS_EQUAL(rcs_files_replace(link, 0666, "two", 3, &why), true);
    expect_file(path, "two");
    RCS_EQUAL(lstat(link, &status), 0);
    RCS_EQUAL(S_ISLNK(status.st_mode) != 0, true);
    RCS_EQUAL(stat(path, &status), 0);
    RCS_EQUAL(status.st_mode & 07777, 0640);
    RCS_EQUAL(unlink(link), 0);
    RCS_EQUAL(unlink(path), 0);
    RCS_EQUAL(rmdir(directory), 0); /* nothing else was left in it */
}

static void test_files_refuse(void)
{
    const char *why = NULL;
    size_t size = 0;
    char path[128];

    make_directory();
    CU_ASSERT_PTR_NULL(rcs_files_read(in_directory("none"), 10, &size, &why));
    RCS_TEXT_EQUAL(why, "No such file or directory");
    RCS_EQUAL(rcs_files_replaceable(in_directory("no/such"), &why), false);
    RCS_TEXT_EQUAL(why, "No such file or directory");
    RCS_EQUAL(rcs_files_replace(in_directory("no/such"), 0666, "x", 1, &why), false);
    RCS_EQUAL(rcs_files_replaceable(directory, &why), false);
    RCS_TEXT_EQUAL(why, "Is a directory");
    RCS_EQUAL(rcs_files_replace(directory, 0666, "x", 1, &why), false);
    RCS_EQUAL(rcs_files_replace("/dev/full", 0666, "x", 1, &why), false);
    RCS_TEXT_EQUAL(why, "No space left on device");
    RCS_EQUAL(rcs_files_replaceable("/dev/null", &why), true);
    RCS_EQUAL(rcs_files_replace("/dev/null", 0666, "x", 1, &why), true);
    snprintf(path, sizeof path, "%s", in_directory("long"));
    RCS_EQUAL(rcs_files_replace(path, 0666, "12345678901", 11, &why), true);
    CU_ASSERT_PTR_NULL(rcs_files_read(path, 10, &size, &why));
    RCS_TEXT_EQUAL(why, "it is too large");
    RCS_EQUAL(unlink(path), 0);
    RCS_EQUAL(rmdir(directory), 0);
}

static void test_large_files_are_read(void)
{
    const char *why = NULL;
    size_t size = 0;
    char path[128];
    char *text = calloc(1, 300001);
    char *back;

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    memset(text, 'y', 300000);
    make_directory();
    snprintf(path, sizeof path, "%s", in_directory("large"));
    RCS_EQUAL(rcs_files_replace(path, 0666, text, 300000, &why), true);
    back = rcs_files_read(path, 300000, &size, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(back);
    RCS_EQUAL(size, 300000);
    RCS_EQUAL(memcmp(back, text, 300001), 0);
    RCS_EQUAL(unlink(path), 0);
    RCS_EQUAL(rmdir(directory), 0);
    free(back);
    free(text);
}

static const struct rcs_test tests[] = {
    {"options and words mix", test_options_and_words_mix},
    {"options have other forms", test_options_have_other_forms},
    {"wrong options are refused", test_options_refuse},
    {"numbers", test_numbers},
    {"durations are read", test_durations_are_read},
    {"durations are written", test_durations_are_written},
    {"the nearest name", test_nearest},
    {"JSON has its commas", test_json_has_its_commas},
    {"JSON grows", test_json_grows},
    {"files are replaced", test_files_are_replaced},
    {"files that can't be had are refused", test_files_refuse},
    {"large files are read", test_large_files_are_read},
};

int main(void)
{
    /* What is refused is said on stderr; here only that it is refused matters. */
    if (freopen("/dev/null", "w", stderr) == NULL) {
        return 1;
    }
    return rcs_unit_main("cli_parts", tests, RCS_COUNT(tests));
}
