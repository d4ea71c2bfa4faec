/* A policy as a whole: its digests, the forms that it may be written in, its path, and what must not harm the reader. */
#include "tests/unit/read_kit.h"

static void hex(const uint8_t digest[32], char out[65])
{
    for (size_t i = 0; i < 32; i++) {
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
    }
}

static void test_digests(void)
{
    const struct rcs_spec *spec = read_sample();
    uint8_t file[32];
    uint8_t behaviour[32];
    char text[65];

    rcs_digest("abc", 3, file);
    hex(file, text);
    RCS_TEXT_EQUAL(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"); /* FIPS 180-2, B.1 */
    rcs_digest(spec->text, spec->size, file);
    RCS_EQUAL(memcmp(file, spec->file_sha256, 32), 0);
    memcpy(behaviour, spec->behaviour_sha256, 32);

    static const struct {
        const char *from;
        const char *to;
        bool same;
    } changes[] = {
        {"Every one is written.", "Something else.", true},
        {"any other failure", "whatever", true},
        {"reads only", "only reads", true},
        {"| X2 | missing_name | 1 | 0 | - |\n", "", true},
        {"http 504", "http 503", true},
        {"rate_limited, transient", "rate_limited ,   transient", true},
        {"| tries | 3 |", "|   tries|3   |", true},
        {"| tries | 3 |", "| tries | 4 |", false},
        {"| A6 |", "| A16 |", false},
        {"text \"rate limit\"", "text \"rate  limit\"", false},
        {"3b | failed |", "3b | corrected |", false},
        {"200ms x2", "0.2s x2", false},
    };
    for (size_t i = 0; i < RCS_COUNT(changes); i++) {
        const char *changed;

        reset();
        changed = sample_with(&arena, changes[i].from, changes[i].to);
        CU_ASSERT_PTR_NOT_NULL_FATAL(changed);
        spec = rcs_spec_read(&arena, SAMPLE_PATH, changed, strlen(changed), &findings);
        if (strstr(changes[i].to, "  limit") != NULL) {
            CU_ASSERT_PTR_NULL(spec);
            continue;
        }
        CU_ASSERT_PTR_NOT_NULL_FATAL(spec);
        RCS_EQUAL(memcmp(spec->behaviour_sha256, behaviour, 32) == 0, changes[i].same);
        CU_ASSERT_TRUE(memcmp(spec->file_sha256, file, 32) != 0);
    }
}

static void test_behaviour_text(void)
{
    struct rcs_reader reader = {.arena = &arena, .findings = &findings};
    struct rcs_spec spec = {.name = "s"};
    const char *text =
        "# s\n\n## Scenarios\n\n|scenario|meaning|tell|\n|-|-|-|\n|a|b,c|d  ,e|\n\n## Examples\n\n### runs\n\n"
        "|id|\n|---|\n|X|\n";

    reset();
    reader.spec = &spec;
    rcs_document_read(&arena, text, strlen(text), &findings, &reader.document);
    RCS_EQUAL(findings.count, 0);
    rcs_read_sections(&reader);
    RCS_TEXT_EQUAL(rcs_behaviour_text(&reader),
                   "recourse behaviour 1\n## Scenarios\n| scenario | tell |\n| a | d, e |\n");
}

static void test_ok_written_out(void)
{
    const char *text;
    struct rcs_spec *spec;

    reset();
    text = sample_with(&arena, "| gone | host", "| ok | model | no | it worked |\n| gone | host");
    spec = rcs_spec_read(&arena, SAMPLE_PATH, text, strlen(text), &findings);
    CU_ASSERT_PTR_NOT_NULL_FATAL(spec);
    RCS_EQUAL(spec->scenario_count, 6);
    RCS_TEXT_EQUAL(spec->scenarios[0].label, "ok");
    RCS_TEXT_EQUAL(spec->scenarios[0].meaning, "it worked");
    RCS_EQUAL(spec->scenarios[0].reminder, RECOURSE_REMINDER_NO);
    RCS_EQUAL(spec->scenarios[0].place.line, 32);
}

/* What may be left out, or stand otherwise, without a word. */
static void test_variants(void)
{
    static const char *const variants[][2] = {
        {"## Tools\n\n| tool | replay | why |\n|---|---|---|\n| get_pods | safe | reads only |\n| meraki_* | safe if "
         "\"/dry~1run\" | a dry run does nothing |\n| \"delete all\" | unsafe | it does |\n\n",
         ""},
        {"| id | on | next | scenario | message |\n|---|---|---|---|---|\n| B1 | elapsed | attempt | - | - |\n| B2 | "
         "cancelled "
         "| reported | gone | - |",
         "| id | wait | on | if | next | scenario | message |\n|---|---|---|---|---|---|---|\n| B1 | - | elapsed | - | "
         "attempt | "
         "- | - |"},
        {"## Settings\n", "## Why\n\nprose\n\n### more\n\n- a list\n  with a line\n\n## Settings\n"},
        {"| A8 | deadline | - | exhausted |", "| A8 | other | - | exhausted |"},
        {"text \"rate limit\"", "text \"\\*\\*rate\\*\\* \\<b\\> \\& \\`x\\`\""},
        {"### facts", "### notes\n\nprose\n\n### facts"},
        {"Prose that", "1. Prose that\n2. goes on\n   10) and on\n\n> quoted\n\n***\n\nProse \\<b> \\&amp; 2 & 3; it"},
        {"| X2 | missing_name | 1 | 0 | - |", "| X2 | rate_limited@5s:safe!budget | - | 250 | 0s, 720h |"},
        {"http 502-504", "http 100-599"},
        {"| get_pods | safe |", "| * | safe |"},
    };

    for (size_t i = 0; i < RCS_COUNT(variants); i++) {
        const char *text;

        reset();
        text = sample_with(&arena, variants[i][0], variants[i][1]);
        CU_ASSERT_PTR_NOT_NULL_FATAL(text);
        CU_ASSERT_PTR_NOT_NULL(rcs_spec_read(&arena, SAMPLE_PATH, text, strlen(text), &findings));
        for (size_t j = 0; j < findings.count; j++) {
            RCS_TEXT_EQUAL(findings.items[j].text, "");
        }
    }
}

static void test_paths(void)
{
    static const struct {
        const char *path;
        const char *code; /* NULL: it reads */
    } paths[] = {
        {"sample.policy.md", NULL},
        {"/a/b.policy.md/sample.policy.md", NULL},
        {"sample.md", "file-name"},
        {".policy.md", "file-name"},
        {"a/", "file-name"},
        {"", "file-name"},
        {"Sample.policy.md", "file-name"},
        {"sam-ple.policy.md", "file-name"},
        {"a23456789012345678901234567890123.policy.md", "file-name"},
        {"a2345678901234567890123456789012.policy.md", "title"},
        {"other.policy.md", "title"},
    };

    for (size_t i = 0; i < RCS_COUNT(paths); i++) {
        const char *text;
        struct rcs_spec *spec;

        reset();
        text = sample_policy(&arena);
        spec = rcs_spec_read(&arena, paths[i].path, text, strlen(text), &findings);
        RCS_EQUAL(spec != NULL, paths[i].code == NULL);
        RCS_EQUAL(findings.count, paths[i].code != NULL);
        if (findings.count > 0) {
            RCS_TEXT_EQUAL(findings.items[0].code, paths[i].code == NULL ? "" : paths[i].code);
        }
    }
}

static void test_hostile(void)
{
    static const char bytes[] = "|\n\"\\# -,\x80\0:<";
    const char *text;
    size_t size;
    size_t read = 0;

    reset();
    text = sample_policy(&arena);
    size = strlen(text);
    char *copy = malloc(size + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
    memcpy(copy, text, size + 1);
    for (size_t i = 0; i < size; i += 3) {
        struct rcs_spec *spec;

        reset();
        spec = rcs_spec_read(&arena, SAMPLE_PATH, copy, i, &findings);
        CU_ASSERT_EQUAL(spec == NULL, findings.by_severity[RCS_ERROR] > 0);
        CU_ASSERT_TRUE(spec == NULL || (copy[i - 1] == '\n' && strstr(copy, "| E1 |") < copy + i));
    }
    for (size_t i = 0; i < size; i += 5) {
        char kept = copy[i];

        copy[i] = bytes[i / 5 % (sizeof bytes - 1)];
        reset();
        read += rcs_spec_read(&arena, SAMPLE_PATH, copy, size, &findings) != NULL;
        copy[i] = kept;
    }
    CU_ASSERT_TRUE(read > 0);
    free(copy);
    reset();
    CU_ASSERT_PTR_NULL(rcs_spec_read(&arena, SAMPLE_PATH, "", 0, &findings));
}

static const struct rcs_test tests[] = {
    {"digests", test_digests},
    {"behaviour text", test_behaviour_text},
    {"ok written out", test_ok_written_out},
    {"variants", test_variants},
    {"paths", test_paths},
    {"hostile", test_hostile},
};

int main(void)
{
    int status = rcs_unit_main("read_whole", tests, RCS_COUNT(tests));

    rcs_arena_clear(&arena);
    return status;
}
