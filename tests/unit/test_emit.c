#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/policy_load.h"
#include "tests/unit/same_policy.h"
#include "gen/emit.h"
#include "tests/unit/naive.h"

#define HITS (RECOURSE_PATTERNS_MAX / 64)
#define RIGHT_VERSION "#!/bin/sh\n[ \"$1\" = --version ] && { echo version 6.10 x; exit 0; }\n"

extern char **environ;

static struct rcs_loaded_policy at;
static char *directory;
static void *library;
static const struct recourse_policy *made;

static int run(const char *const *arguments)
{
    char *copies[40] = {NULL};
    int status = -1;
    pid_t child;

    for (size_t i = 0; arguments[i] != NULL; i++) {
        copies[i] = rcs_arena_copy(&at.arena, arguments[i], strlen(arguments[i]));
    }
    if (posix_spawnp(&child, copies[0], NULL, NULL, copies, environ) != 0 || waitpid(child, &status, 0) != child) {
        return -1;
    }
    return status;
}

static const char *in_directory(const char *name)
{
    return rcs_arena_format(&at.arena, "%s/%s", directory, name);
}

static char *read_made(const char *name)
{
    const char *why = NULL;
    size_t size;
    char *text = rcs_file_read(&at.arena, in_directory(name), &size, &why);

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    return text;
}

/* The C must compile without a warning under all that the project's own code is held to. */
static bool build(const char *compiler, const char *name)
{
    const char *object = in_directory("policy.so");
    const char *const arguments[] = {
        compiler, "-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion",
        "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wvla", "-Werror", "-fPIC", "-shared", "-Iinclude", "-o",
        object, in_directory(rcs_arena_format(&at.arena, "%s.c", name)), NULL};

    return run(arguments) == 0;
}

static bool compile_into(const char *path)
{
    return rcs_compile(&at.arena, at.loaded.spec, at.loaded.machine, path, &at.findings);
}

static bool make(const char *name, const char *text)
{
    char path[100];
    const char *compiler = getenv("CC") != NULL ? getenv("CC") : "cc";
    char symbol[100];

    snprintf(path, sizeof path, "tests/%spolicies/%s.policy.md", strcmp(name, "shared") == 0 ? "" : "unit/", name);
    made = NULL;
    library = NULL;
    if (!rcs_unit_needs("ragel") || !rcs_load_policy(&at, path, text)) {
        return false;
    }
    directory = rcs_scratch(&at.arena);
    CU_ASSERT_TRUE(compile_into(directory));
    rcs_print_errors(&at.findings);
    CU_ASSERT_TRUE(build(compiler, name));
    library = dlopen(in_directory("policy.so"), RTLD_NOW | RTLD_LOCAL);
    snprintf(symbol, sizeof symbol, "recourse_policy_%s", rcs_c_name(&at.arena, name));
    made = library == NULL ? NULL : dlsym(library, symbol);
    CU_ASSERT_PTR_NOT_NULL(made);
    return made != NULL;
}

/* Three files and the object: nothing else may have been left. */
static void unmake(void)
{
    if (library != NULL) {
        dlclose(library);
    }
    if (directory != NULL) {
        RCS_EQUAL(rcs_scratch_remove(&at.arena, directory), 4);
    }
    directory = NULL;
    rcs_clear_policy(&at);
}

/* ---- the tables ---- */

/* ---- the functions ---- */

/* Every state and every byte, on Ragel's code, on the bound machine and in the table itself. */
static void same_moves(void)
{
    const struct rcs_machine *machine = at.loaded.machine;
    unsigned wrong = 0;

    for (uint16_t state = 0; state < machine->state_count + 2u; state++) {
        for (unsigned symbol = 0; symbol < 256; symbol++) {
            struct recourse_move wanted = rcs_machine_move(machine, state, symbol);
            struct recourse_move bound = at.policy->move(at.policy, state, (uint8_t)symbol);
            struct recourse_move ragel = made->move(made, state, (uint8_t)symbol);

            wrong += bound.row != wanted.row || bound.state != wanted.state;
            wrong += ragel.row != wanted.row || ragel.state != wanted.state;
        }
    }
    RCS_EQUAL(wrong, 0);
}

static void same_matches(const struct rcs_pattern *patterns, size_t count)
{
    uint64_t seed = 11;
    char text[300];
    unsigned wrong = 0;

    for (unsigned i = 0; i < 5000; i++) {
        size_t size = rcs_naive_text(&seed, patterns, count, text, i % 2 == 0 ? 80 : sizeof text);
        size_t block = 1 + rcs_naive_random(&seed) % (i % 3 == 0 ? 9 : sizeof text);
        uint64_t ragel[HITS] = {0};
        uint64_t bound[HITS] = {0};
        uint32_t carried = 0;
        uint32_t other = 0;

        for (size_t from = 0; from < size; from += block) {
            made->match(made, &carried, text + from, size - from < block ? size - from : block, ragel);
        }
        made->match(made, &carried, NULL, 0, ragel);
        at.policy->match(at.policy, &other, text, size, bound);
        at.policy->match(at.policy, &other, NULL, 0, bound);
        wrong += carried != 0 || memcmp(ragel, bound, sizeof ragel) != 0;
        for (size_t j = 0; j < count; j++) {
            wrong += (ragel[j / 64] >> j % 64 & 1) != rcs_naive_find(&patterns[j], text, size);
        }
    }
    RCS_EQUAL(wrong, 0);
}

/* ---- tests ---- */

static void test_plain(void)
{
    if (make("plain", NULL)) {
        uint64_t hits[HITS] = {0};
        uint32_t matcher = 0;

        same_policy(made, at.policy);
        same_moves();
        RCS_EQUAL(made->pattern_count, 0);
        CU_ASSERT_PTR_NULL(made->tools);
        made->match(made, &matcher, "text", 4, hits);
        made->match(made, &matcher, NULL, 0, hits);
        RCS_EQUAL(matcher, 0);
        RCS_EQUAL(hits[0], 0);
    }
    unmake();
}

static void test_rich(void)
{
    if (make("rich_2", NULL)) {
        struct rcs_pattern *patterns = NULL;
        size_t count = rcs_patterns(&at.arena, at.loaded.spec, &patterns);

        RCS_EQUAL(count, made->pattern_count);
        same_policy(made, at.policy);
        same_moves();
        same_matches(patterns, count);
    }
    unmake();
}

static void test_shared(void)
{
    if (make("shared", NULL)) {
        RCS_EQUAL(made->budget_count, 2);
        RCS_EQUAL(made->breaker_count, 2);
        same_policy(made, at.policy);
        same_moves();
    }
    unmake();
}

static void test_patterns(void)
{
    if (rcs_load_policy(&at, RCS_RICH, NULL)) {
        static const struct rcs_pattern expected[] = {
            {"rate limit", false}, {"429", true}, {"too many ?\?=requests", false}, {"1.5", true}, {"x%%{y", true},
            {"it's \"lost\" \\", false}, {"/* no */ *", false}, {"oops", true},
        };
        struct rcs_pattern *patterns = NULL;
        size_t count = rcs_patterns(&at.arena, at.loaded.spec, &patterns);

        RCS_EQUAL(count, RCS_COUNT(expected));
        for (size_t i = 0; i < count && i < RCS_COUNT(expected); i++) {
            RCS_TEXT_EQUAL(patterns[i].text, expected[i].text);
            RCS_EQUAL(patterns[i].word, expected[i].word);
        }
    }
    rcs_clear_policy(&at);
}

/* Many patterns that share beginnings, ends and boundaries. */
static void test_matcher(void)
{
    static const char *const atoms =
        "text \"429\", word \"429\", word \"a\", word \"1\", text \"14\", word \"a.1\", word \"1.a\", word \"1,4\", "
        "text \"aab\", word \"abab\", word \"b a\", word \"\\_1\", word \"a\\_\", word \"2.9\", text \"e\", "
        "word \"-1\", word \"1-\", word \".\", word \".4\", word \"4.\", text \", \", text \"\\\"'\"";
    struct rcs_arena arena = {0};
    const char *text = rcs_policy_text(&arena, RCS_PLAIN);
    const char *place = strstr(text, "network refused");
    const char *whole = rcs_arena_format(&arena, "%.*s%s, %s", (int)(place - text), text, atoms, place);

    if (make("plain", whole)) {
        struct rcs_pattern *patterns = NULL;
        size_t count = rcs_patterns(&at.arena, at.loaded.spec, &patterns);

        RCS_EQUAL(count, 22);
        same_matches(patterns, count);
    }
    unmake();
    rcs_arena_clear(&arena);
}

/* The same policy makes the same bytes wherever they are put, and no path gets into them. */
static void test_deterministic(void)
{
    static const char *const names[] = {"rich_2.rl", "rich_2.c", "rich_2.h"};

    if (make("rich_2", NULL)) {
        const char *first = directory;
        char *texts[RCS_COUNT(names)];

        for (size_t i = 0; i < RCS_COUNT(names); i++) {
            texts[i] = read_made(names[i]);
            CU_ASSERT_PTR_NULL(strstr(texts[i], directory));
            CU_ASSERT_PTR_NULL(strstr(texts[i], "\n#line"));
        }
        directory = rcs_arena_format(&at.arena, "%s/deeper/still", first);
        CU_ASSERT_TRUE(compile_into(directory));
        for (size_t i = 0; i < RCS_COUNT(names); i++) {
            RCS_TEXT_EQUAL(read_made(names[i]), texts[i]);
        }
        RCS_EQUAL(rcs_scratch_remove(&at.arena, directory), 3);
        rmdir(rcs_arena_format(&at.arena, "%s/deeper", first));
        directory = rcs_arena_copy(&at.arena, first, strlen(first));
    }
    unmake();
}

static void test_other_compiler(void)
{
    if (make("rich_2", NULL)) {
        CU_ASSERT_TRUE(build("gcc", "rich_2"));
        if (access("/usr/bin/clang", X_OK) == 0) {
            CU_ASSERT_TRUE(build("clang", "rich_2"));
        }
    }
    unmake();
}

static void write_script(const char *name, const char *text)
{
    const char *path = in_directory(name);
    FILE *file = fopen(path, "wb");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(text, file);
    fclose(file);
    chmod(path, 0700);
}

/* What is said where Ragel is missing, is another one, fails, dies, or writes something else. */
static void test_ragel_is_wrong(void)
{
    static const struct {
        const char *script; /* NULL: there is none */
        const char *code;
        const char *text;
    } cases[] = {
        {NULL, "ragel", "`ragel` is not in PATH: install Ragel 6.10"},
        {"#!/bin/sh\necho Ragel State Machine Compiler version 7.0.4 February 2021\n", "ragel",
         "the `ragel` in PATH is another version (\"Ragel State Machine Compiler version 7.0.4 February 2021\")"},
        {"#!/bin/sh\nexit 3\n", "ragel", "the `ragel` in PATH is another version (\"\")"},
        {"#!/bin/sh\nkill -9 $$\n", "ragel", "Ragel ended abnormally"},
        {RIGHT_VERSION "echo x.rl:1:2: bad >&2; exit 1\n", "ragel",
         "Ragel refuses the state chart (exit 1): x.rl:1:2: bad"},
        {RIGHT_VERSION "exit 0\n", "io", "can't be read"},
        {RIGHT_VERSION "echo '<ragel>' > \"$4\"\n",
         "ragel-differs", "Ragel's XML can't be read: at byte 0"},
    };
    char *path = strdup(getenv("PATH"));

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        if (!rcs_load_policy(&at, RCS_PLAIN, NULL)) {
            break;
        }
        directory = rcs_scratch(&at.arena);
        if (cases[i].script != NULL) {
            write_script("ragel", cases[i].script);
        }
        setenv("PATH", directory, 1);
        CU_ASSERT_FALSE(compile_into(directory));
        setenv("PATH", path, 1);
        RCS_EQUAL(at.findings.by_severity[RCS_ERROR], 1);
        RCS_TEXT_EQUAL(at.findings.items[at.findings.count - 1].code, cases[i].code);
        if (strstr(at.findings.items[at.findings.count - 1].text, cases[i].text) == NULL) {
            RCS_TEXT_EQUAL(at.findings.items[at.findings.count - 1].text, cases[i].text);
        }
        RCS_EQUAL(rcs_scratch_remove(&at.arena, directory), cases[i].script == NULL ? 0 : 1);
        rcs_clear_policy(&at);
    }
    free(path);
    directory = NULL;
}

/* A Ragel that talks without end neither blocks nor fills the memory. */
static void test_ragel_is_talkative(void)
{
    char *path = strdup(getenv("PATH"));

    if (rcs_load_policy(&at, RCS_PLAIN, NULL)) {
        directory = rcs_scratch(&at.arena);
        write_script("ragel", "#!/bin/sh\ni=0\nwhile [ $i -lt 3000 ]; do i=$((i + 1)); echo "
                              "0123456789012345678901234567890123456789012345678901234567890123456789; done\n");
        setenv("PATH", directory, 1);
        CU_ASSERT_FALSE(compile_into(directory));
        setenv("PATH", path, 1);
        RCS_EQUAL(at.findings.by_severity[RCS_ERROR], 1);
        RCS_EQUAL(rcs_scratch_remove(&at.arena, directory), 1);
    }
    rcs_clear_policy(&at);
    free(path);
    directory = NULL;
}

static void test_no_place_to_write(void)
{
    if (rcs_unit_needs("ragel") && rcs_load_policy(&at, RCS_PLAIN, NULL)) {
        directory = rcs_scratch(&at.arena);
        write_script("file", "in the way");
        CU_ASSERT_FALSE(compile_into(in_directory("file/x")));
        CU_ASSERT_FALSE(compile_into(in_directory("file")));
        mkdir(in_directory("plain.c"), 0700); /* a directory where the C should go */
        CU_ASSERT_FALSE(compile_into(directory));
        RCS_EQUAL(at.findings.by_severity[RCS_ERROR], 3);
        for (size_t i = at.findings.count - 3; i < at.findings.count; i++) {
            RCS_TEXT_EQUAL(at.findings.items[i].code, "io");
        }
        rmdir(in_directory("plain.c"));
        RCS_EQUAL(rcs_scratch_remove(&at.arena, directory), 1); /* the file: of the policy's three, none was put */
    }
    rcs_clear_policy(&at);
    directory = NULL;
}

static void test_strings(void)
{
    struct rcs_string out = {.arena = &at.arena};

    rcs_put_string(&out, "a\"b\\c?\t\x01\xc3\xa9" "1");
    RCS_TEXT_EQUAL(out.data, "\"a\\\"b\\\\c\\?\\011\\001\\303\\2511\"");
    out.size = 0;
    rcs_put_string(&out, NULL);
    RCS_TEXT_EQUAL(rcs_arena_copy(&at.arena, out.data, out.size), "NULL");
    RCS_TEXT_EQUAL(rcs_c_name(&at.arena, "a-b.c_D9 é"), "a_b_c_D9___");
    rcs_arena_clear(&at.arena);
}

static void test_load(void)
{
    static const struct {
        const char *from, *to;
    } wrong[] = {{"| language | 1 |", "| language | 9 |"}, {"| F2 | other |", "| F2 | othre |"}};

    for (size_t i = 0; i < RCS_COUNT(wrong); i++) {
        struct rcs_loaded loaded;
        struct rcs_findings findings = {.arena = &at.arena};
        const char *plain = rcs_policy_text(&at.arena, RCS_PLAIN);
        const char *place = strstr(plain, wrong[i].from);
        char *text = rcs_arena_format(&at.arena, "%.*s%s%s", (int)(place - plain), plain, wrong[i].to,
                                      place + strlen(wrong[i].from));

        CU_ASSERT_FALSE(rcs_load(&at.arena, "plain.policy.md", text, strlen(text), &findings, &loaded));
        CU_ASSERT_TRUE(findings.by_severity[RCS_ERROR] > 0);
        rcs_arena_clear(&at.arena);
    }
}

static void test_file_read(void)
{
    const char *why = NULL;
    size_t size = 7;
    char *text;

    directory = rcs_scratch(&at.arena);
    CU_ASSERT_PTR_NULL(rcs_file_read(&at.arena, in_directory("none"), &size, &why));
    RCS_TEXT_EQUAL(why, "No such file or directory");
    RCS_EQUAL(size, 0);
    CU_ASSERT_PTR_NULL(rcs_file_read(&at.arena, directory, &size, &why));
    RCS_TEXT_EQUAL(why, "Is a directory");

    write_script("empty", "");
    text = rcs_file_read(&at.arena, in_directory("empty"), &size, &why);
    RCS_TEXT_EQUAL(text, "");
    RCS_EQUAL(size, 0);
    CU_ASSERT_PTR_NULL(why);

    CU_ASSERT_EQUAL(truncate(in_directory("empty"), 4 * 1024 * 1024), 0);
    CU_ASSERT_PTR_NOT_NULL(rcs_file_read(&at.arena, in_directory("empty"), &size, &why));
    RCS_EQUAL(size, 4 * 1024 * 1024);
    CU_ASSERT_EQUAL(truncate(in_directory("empty"), 4 * 1024 * 1024 + 1), 0);
    CU_ASSERT_PTR_NULL(rcs_file_read(&at.arena, in_directory("empty"), &size, &why));
    RCS_TEXT_EQUAL(why, "it is larger than 4 MiB");
    RCS_EQUAL(rcs_scratch_remove(&at.arena, directory), 1);
    directory = NULL;
    rcs_arena_clear(&at.arena);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"plain", test_plain},
        {"rich", test_rich},
        {"budgets and breakers", test_shared},
        {"patterns", test_patterns},
        {"matcher", test_matcher},
        {"deterministic", test_deterministic},
        {"other compiler", test_other_compiler},
        {"ragel is wrong", test_ragel_is_wrong},
        {"ragel is talkative", test_ragel_is_talkative},
        {"no place to write", test_no_place_to_write},
        {"strings", test_strings},
        {"load", test_load},
        {"file read", test_file_read},
    };

    return rcs_unit_main("emit", tests, RCS_COUNT(tests));
}
