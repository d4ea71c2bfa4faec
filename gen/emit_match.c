#include "gen/emit.h"

#include <string.h>

/*
 * The matcher has the same style as the chart, `-F1`, so that one run makes the whole file. Measured with gcc 12 -O2:
 * 8 ns a byte against 3 ns with `-G2`; but with 100 patterns (841 states) `-G2` needs 38 s in the C compiler instead of
 * 0.2 s, and a policy is compiled while somebody waits. A text of 64 KiB, the most that is looked at, takes 0.5 ms.
 */

enum kind { ANYWHERE = 0, WORD = 1, NUMBER = 2, KIND_COUNT = 3 };

static const char *const starts[KIND_COUNT] = {
    [ANYWHERE] = "any*",
    [WORD] = "word_start",
    [NUMBER] = "number_start",
};

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static enum kind kind_of(const struct rcs_pattern *pattern)
{
    if (!pattern->word) {
        return ANYWHERE;
    }
    return is_digit(pattern->text[0]) ? NUMBER : WORD;
}

/* As a Ragel literal, in any case. */
static void put_literal(struct rcs_string *out, const char *text)
{
    rcs_put(out, "'");
    for (; *text != '\0'; text++) {
        rcs_put(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    rcs_put(out, "'i");
}

static void put_pattern(struct rcs_string *out, const struct rcs_pattern *pattern, size_t index)
{
    size_t size = strlen(pattern->text);

    put_literal(out, pattern->text);
    if (pattern->word) {
        rcs_put(out, " %s", is_digit(pattern->text[size - 1]) ? "number_end" : "word_end");
    }
    rcs_put(out, " @hit_%zu", index);
}

static void put_kind(struct rcs_string *out, const struct rcs_pattern *patterns, size_t count, enum kind kind)
{
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        if (kind_of(&patterns[i]) == kind && patterns[i].text[0] != '\0') {
            rcs_put(out, any ? "\n        | " : "\n    | %s (\n          ", starts[kind]);
            rcs_put(out, "( ");
            put_pattern(out, &patterns[i], i);
            rcs_put(out, " )");
            any = true;
        }
    }
    rcs_put(out, any ? "\n      )" : "");
}

static void put_machine(struct rcs_string *out, const char *name, const struct rcs_pattern *patterns, size_t count)
{
    rcs_put(out, "%%%%{\n  machine recourse_%s_match;\n  alphtype unsigned char;\n\n", name);
    for (size_t i = 0; i < count; i++) {
        rcs_put(out, "  action hit_%zu { hits[%zu] |= UINT64_C(1) << %zu; }\n", i, i / 64, i % 64);
    }
    rcs_put(out,
            "\n"
            "  # A word is no part of a longer word, nor a number of a longer number: 1429 and 1.429 hold no 429.\n"
            "  letter = [A-Za-z0-9_];\n"
            "  point = [.,];\n"
            "  gap = any - letter;\n"
            "  word_start = ( any* gap )?;\n"
            "  word_end = gap;\n"
            "  number_start = ( any* (gap - point) | ( any* (any - digit) )? point )?;\n"
            "  number_end = (gap - point) | point (any - digit);\n"
            "\n"
            "  main := any*");
    for (enum kind kind = ANYWHERE; kind < KIND_COUNT; kind++) {
        put_kind(out, patterns, count, kind);
    }
    rcs_put(out, ";\n\n  write data noerror nofinal noentry;\n}%%%%\n\n");
}

static void put_empty(struct rcs_string *out)
{
    rcs_put(out,
            "\n"
            "/* This policy looks for no texts. */\n"
            RCS_MATCH_HEAD "\n"
            "{\n"
            "    (void)policy;\n"
            "    (void)matcher;\n"
            "    (void)data;\n"
            "    (void)size;\n"
            "    (void)hits;\n"
            "}\n");
}

void rcs_emit_matcher(struct rcs_string *out, const struct rcs_spec *spec, const struct rcs_pattern *patterns,
                      size_t count)
{
    const char *name = rcs_c_name(out->arena, spec->name);

    if (count == 0) {
        put_empty(out);
        return;
    }
    rcs_put(out,
            "\n"
            "/* All texts and words at once, in any case. `*matcher` is Ragel's state plus 1: 0 is the start. */\n");
    put_machine(out, name, patterns, count);
    rcs_put(out,
            RCS_MATCH_HEAD "\n"
            "{\n"
            "    /* The end is a boundary: two line breaks settle every word that waits for what follows it. */\n"
            "    static const unsigned char end[] = {'\\n', '\\n'};\n"
            "    const unsigned char *p = size == 0 ? end : (const unsigned char *)data;\n"
            "    const unsigned char *pe = p + (size == 0 ? sizeof end : size);\n"
            "    int cs = *matcher == 0 ? recourse_%s_match_start : (int)(*matcher - 1);\n"
            "\n"
            "    (void)policy;\n"
            "    %%%% write exec;\n"
            "    *matcher = size == 0 ? 0 : (uint32_t)cs + 1;\n"
            "}\n",
            name);
}
