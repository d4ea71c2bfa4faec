#include "gen/emit.h"

#include <inttypes.h>
#include <string.h>

/*
 * The matcher has the same style as the chart, `-F1`, so that one run makes the whole file: 8 ns a byte. `-G2` takes 3, but
 * with 100 patterns (841 states) 38 s in the C compiler instead of 0.2 s, and would still be slower than PCRE2 with JIT
 * (2 to 4 ns). So the machine is run only where it may find something: a filter looks at eight places at once, whether a
 * text can begin at one of them, by its first four bytes, and where it can, by its first eight. That is 1 ns a byte.
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

/* ---- the filter ---- */

#define HEAD 8u   /* bytes of a text that are looked at */
#define QUICK 4u  /* of these, before it is looked at more closely */
#define PLACES 8u /* at once */

/* One of 64 groups. Texts that begin alike share one, so that a group stays narrow: it goes by the order of the texts. */
static unsigned group_of(const struct rcs_pattern *patterns, size_t count, size_t index)
{
    size_t rank = 0;

    for (size_t i = 0; i < count; i++) {
        int order = strcmp(patterns[i].text, patterns[index].text);

        rank += order < 0 || (order == 0 && i < index);
    }
    return (unsigned)(count <= 64 ? rank : rank * 64 / count);
}

struct heads {
    uint64_t bytes[HEAD][256]; /* the groups that may have this byte there */
    uint64_t ended[HEAD];      /* those of which a text is over by then */
    size_t longest;
};

static void fill_heads(struct heads *heads, const struct rcs_pattern *patterns, size_t count)
{
    memset(heads, 0, sizeof *heads);
    for (size_t i = 0; i < count; i++) {
        uint64_t group = UINT64_C(1) << group_of(patterns, count, i);
        size_t size = strlen(patterns[i].text);

        for (size_t at = 0; at < HEAD; at++) {
            unsigned char byte = (unsigned char)patterns[i].text[at < size ? at : 0];

            if (at >= size) {
                heads->ended[at] |= group;
                continue;
            }
            heads->bytes[at][byte] |= group;
            if (byte >= 'a' && byte <= 'z') {
                heads->bytes[at][byte - 'a' + 'A'] |= group;
            }
        }
        heads->longest = size > heads->longest ? size : heads->longest;
    }
}

static void put_heads(struct rcs_string *out, const struct heads *heads)
{
    rcs_put(out,
            "/*\n"
            " * Where a text may begin. There are up to 64 groups of texts; a bit of heads[k][byte] says that one of that\n"
            " * group has this byte as its byte number k, in either case.\n"
            " */\n"
            "static const uint64_t heads[%u][256] = {",
            HEAD);
    for (size_t at = 0; at < HEAD; at++) {
        unsigned on_line = 0;

        rcs_put(out, "\n    [%zu] = {", at);
        for (size_t byte = 0; byte < 256; byte++) {
            if (heads->bytes[at][byte] != 0) {
                rcs_put(out, on_line++ % 4 == 0 ? "\n        " : " ");
                rcs_put(out, "[0x%02zx] = UINT64_C(0x%" PRIx64 "),", byte, heads->bytes[at][byte]);
            }
        }
        rcs_put(out, on_line == 0 ? "0}," : "\n    },");
    }
    rcs_put(out, "\n};\n\n");
}

/* The groups that may begin at `p`, by bytes `from` to `to` of them. */
static void put_may_begin(struct rcs_string *out, const struct heads *heads, const char *name, unsigned from, unsigned to)
{
    rcs_put(out,
            "static inline uint64_t %s(const unsigned char *p)\n"
            "{\n"
            "    return ",
            name);
    for (unsigned at = from; at < to; at++) {
        rcs_put(out, at == from ? "" : " &\n           ");
        if (heads->ended[at] != 0) {
            rcs_put(out, "(heads[%u][p[%u]] | UINT64_C(0x%" PRIx64 "))", at, at, heads->ended[at]);
        } else {
            rcs_put(out, "heads[%u][p[%u]]", at, at);
        }
    }
    rcs_put(out, ";\n}\n\n");
}

static void put_filter(struct rcs_string *out, const struct rcs_pattern *patterns, size_t count)
{
    struct heads *heads = rcs_arena_alloc(out->arena, sizeof *heads);

    fill_heads(heads, patterns, count);
    put_heads(out, heads);
    put_may_begin(out, heads, "begins_quick", 0, QUICK);
    put_may_begin(out, heads, "begins_more", QUICK, HEAD);
    rcs_put(out,
            "/* Whether a text may begin at one of %u places. */\n"
            "static bool may_begin(const unsigned char *p)\n"
            "{\n"
            "    if ((begins_quick(p) | begins_quick(p + 1) | begins_quick(p + 2) | begins_quick(p + 3) |\n"
            "         begins_quick(p + 4) | begins_quick(p + 5) | begins_quick(p + 6) | begins_quick(p + 7)) == 0) {\n"
            "        return false;\n"
            "    }\n"
            "    for (unsigned i = 0; i < %u; i++) {\n"
            "        if ((begins_quick(p + i) & begins_more(p + i)) != 0) {\n"
            "            return true;\n"
            "        }\n"
            "    }\n"
            "    return false;\n"
            "}\n"
            "\n"
            "#define PLACES %uu /* that are looked at together; each needs %u bytes */\n"
            "#define SEEN %uu\n"
            "#define REACH %zuu /* how far a text that begins is looked at: what follows it may be two bytes of a number */\n"
            "\n",
            PLACES, PLACES, PLACES, HEAD, PLACES + HEAD - 1, heads->longest + 2);
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
            "/* All texts and words at once, in any case, from `cs` on. */\n");
    put_machine(out, name, patterns, count);
    rcs_put(out,
            "static int look(int cs, const unsigned char *p, const unsigned char *pe,\n"
            "                uint64_t hits[RECOURSE_PATTERNS_MAX / 64])\n"
            "{\n"
            "    %%%% write exec;\n"
            "    return cs;\n"
            "}\n"
            "\n");
    put_filter(out, patterns, count);
    rcs_put(out,
            "/*\n"
            " * `*matcher` is Ragel's state plus 1: 0 is the start. The machine has read all up to `done`. It reads on to\n"
            " * `wanted`, where whatever has begun is settled, and from there leaps to two bytes before the next place where\n"
            " * something may begin: no text looks back further, and the beginning of a text is to it what a line break is.\n"
            " */\n"
            RCS_MATCH_HEAD "\n"
            "{\n"
            "    /* The end is a boundary: two line breaks settle every word that waits for what follows it. */\n"
            "    static const unsigned char end[] = {'\\n', '\\n'};\n"
            "    const unsigned char *text = (const unsigned char *)data;\n"
            "    int cs = *matcher == 0 ? recourse_%s_match_start : (int)(*matcher - 1);\n"
            "    size_t done = 0;\n"
            "    size_t wanted = *matcher == 0 ? 0 : REACH;\n"
            "    size_t at = 0;\n"
            "\n"
            "    (void)policy;\n"
            "    if (size == 0) {\n"
            "        (void)look(cs, end, end + sizeof end, hits);\n"
            "        *matcher = 0;\n"
            "        return;\n"
            "    }\n"
            "    for (;; at += PLACES) {\n"
            "        bool last = size - at < SEEN;\n"
            "\n"
            "        if (!last && !may_begin(text + at)) {\n"
            "            continue;\n"
            "        }\n"
            "        if (at > wanted + 2) {\n"
            "            (void)look(cs, text + done, text + wanted, hits);\n"
            "            cs = recourse_%s_match_start;\n"
            "            done = at - 2;\n"
            "        }\n"
            "        if (last) {\n"
            "            break;\n"
            "        }\n"
            "        wanted = at + PLACES + REACH;\n"
            "    }\n"
            "    cs = look(cs, text + done, text + size, hits);\n"
            "    *matcher = (uint32_t)cs + 1;\n"
            "}\n",
            name, name);
}
