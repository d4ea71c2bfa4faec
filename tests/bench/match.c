/*
 * The matcher of a policy against PCRE2 with JIT, one expression for all texts, and against one strcasestr a text:
 *
 *   match POLICY SIZE   prints ours_ns=N strcasestr_ns=N, and pcre2_ns=N where it was built with PCRE2, for one byte
 *
 * The text reads like an error's, and holds none of what is looked for: all of it has to be gone through.
 */
#include "tests/bench/worker.h"

#include <recourse/policy.h>
#include <stdbool.h>
#ifdef BENCH_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#endif

#define BYTES 8000000u /* that each goes through */
#define EXPRESSION_MAX 65536u

struct subject {
    const struct recourse_policy *policy;
    char *text;
    size_t size;
    unsigned rounds;
    uint64_t found; /* so that nothing is left out */
};

static char *make_text(size_t size)
{
    static const char *const words[] = {
        "error",  "the",       "service",  "returned", "invalid",   "argument", "resource", "pod",      "namespace",
        "failed", "to",        "connect",  "cluster",  "node",      "image",    "status",   "code",     "request",
        "id",     "4f9a2c",    "at",       "region",   "us-east-1", "field",    "is",       "missing",  "value",
        "found",  "api",       "server",   "internal", "while",     "reading",  "response", "upstream", "message",
        "in",     "operation", "template", "retry",    "after",     "1042",     "seconds",  "item",     "content",
    };
    uint64_t seed = 7;
    char *text = malloc(size + 1);
    size_t at = 0;

    while (text != NULL && at < size) {
        const char *word;

        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        for (word = words[(seed >> 33) % (sizeof words / sizeof words[0])]; *word != '\0' && at < size; word++) {
            text[at++] = *word;
        }
        if (at < size) {
            text[at++] = " , \"  \n"[(seed >> 50) % 7];
        }
    }
    if (text != NULL) {
        text[size] = '\0';
    }
    return text;
}

static bool looks_for_text(const struct recourse_atom *atom)
{
    return atom->pattern != RECOURSE_NONE;
}

static bool is_word(const struct recourse_atom *atom)
{
    return atom->kind == RECOURSE_ATOM_WORD || atom->kind == RECOURSE_ATOM_RESULT_WORD;
}

static double per_byte(uint64_t begin_us, const struct subject *subject)
{
    uint64_t spent = worker_clock_us(CLOCK_PROCESS_CPUTIME_ID) - begin_us;

    return (double)spent * 1000 / ((double)subject->rounds * (double)subject->size);
}

static double by_matcher(struct subject *subject)
{
    uint64_t begin = worker_clock_us(CLOCK_PROCESS_CPUTIME_ID);

    for (unsigned i = 0; i < subject->rounds; i++) {
        uint64_t hits[RECOURSE_PATTERNS_MAX / 64] = {0};
        uint32_t matcher = 0;

        subject->policy->match(subject->policy, &matcher, subject->text, subject->size, hits);
        subject->policy->match(subject->policy, &matcher, NULL, 0, hits);
        subject->found += hits[0] | hits[1] | hits[2] | hits[3];
    }
    return per_byte(begin, subject);
}

static double by_strcasestr(struct subject *subject)
{
    uint64_t begin = worker_clock_us(CLOCK_PROCESS_CPUTIME_ID);

    for (unsigned i = 0; i < subject->rounds; i++) {
        for (unsigned j = 0; j < subject->policy->atom_count; j++) {
            const struct recourse_atom *atom = &subject->policy->atoms[j];

            __asm__ volatile("" : : "r"(subject->text) : "memory"); /* it can't be known to be the same again */
            subject->found += looks_for_text(atom) && strcasestr(subject->text, atom->value) != NULL && !is_word(atom);
        }
    }
    return per_byte(begin, subject);
}

#ifdef BENCH_PCRE2
/* All texts, literally; words and numbers within their bounds. */
static void put_expression(char *out, const struct recourse_policy *policy)
{
    char *at = out;

    for (unsigned i = 0; i < policy->atom_count; i++) {
        const struct recourse_atom *atom = &policy->atoms[i];

        if (!looks_for_text(atom)) {
            continue;
        }
        at += sprintf(at, is_word(atom) ? "%s(?<![A-Za-z0-9_])(?<![0-9][.,])\\Q%s\\E(?![A-Za-z0-9_])(?![.,][0-9])" : "%s\\Q%s\\E",
                      at == out ? "" : "|", atom->value);
    }
}

static double by_pcre2(struct subject *subject)
{
    static char expression[EXPRESSION_MAX];
    int error;
    PCRE2_SIZE place;
    pcre2_code *code;
    pcre2_match_data *data;
    uint64_t begin;
    double spent;

    put_expression(expression, subject->policy);
    code = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED, PCRE2_CASELESS, &error, &place, NULL);
    if (code == NULL || pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) != 0) {
        worker_fail("PCRE2 can't compile the texts");
    }
    data = pcre2_match_data_create_from_pattern(code, NULL);
    begin = worker_clock_us(CLOCK_PROCESS_CPUTIME_ID);
    for (unsigned i = 0; i < subject->rounds; i++) {
        subject->found +=
            pcre2_jit_match(code, (PCRE2_SPTR)subject->text, subject->size, 0, 0, data, NULL) != PCRE2_ERROR_NOMATCH;
    }
    spent = per_byte(begin, subject);
    pcre2_match_data_free(data);
    pcre2_code_free(code);
    return spent;
}
#endif

int main(int count, char **arguments)
{
    struct subject subject = {0};

    if (count != 3) {
        worker_fail("usage: match POLICY SIZE");
    }
    subject.policy = recourse_policy_builtin(arguments[1]);
    subject.size = strtoul(arguments[2], NULL, 10);
    subject.rounds = (unsigned)(BYTES / subject.size);
    subject.text = make_text(subject.size);
    if (subject.policy == NULL || subject.text == NULL) {
        worker_fail("no policy of that name");
    }
    printf("ours_ns=%.3f strcasestr_ns=%.3f", by_matcher(&subject), by_strcasestr(&subject));
#ifdef BENCH_PCRE2
    printf(" pcre2_ns=%.3f", by_pcre2(&subject));
#endif
    putchar('\n');
    if (subject.found != 0) {
        worker_fail("the text has something that is looked for");
    }
    free(subject.text);
    return 0;
}
