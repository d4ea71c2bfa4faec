#include "tests/unit/unit.h"

#include "src/core/text.h"

#define FFFD "\xef\xbf\xbd"
#define SPAN(literal) {literal, sizeof(literal) - 1}

struct pair {
    struct recourse_span text;
    const char *expected;
};

static struct recourse_span span(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

typedef size_t writer(struct recourse_span text, char *out, size_t size);

/* Runs a writer on a copy of exactly the text's size, so that reading past its end is seen; once whole, once at each size. */
static void check_pairs(writer *write, const struct pair *pairs, size_t count)
{
    char out[256], cut[256];

    for (size_t i = 0; i < count; i++) {
        const size_t size = strlen(pairs[i].expected);
        char *const copy = malloc(pairs[i].text.size + 1);
        const struct recourse_span text = {copy + 1, pairs[i].text.size};

        if (text.size > 0) {
            memcpy(copy + 1, pairs[i].text.data, text.size);
        }
        RCS_EQUAL(write(text, out, sizeof out), size);
        RCS_TEXT_EQUAL(out, pairs[i].expected);
        for (size_t room = 0; room <= size; room++) {
            size_t at = 0;

            memset(cut, 0, sizeof cut);
            RCS_EQUAL(write(text, cut, room), size);
            RCS_EQUAL(strncmp(cut, pairs[i].expected, strlen(cut)), 0);
            while (at < strlen(cut)) { /* whole code points only */
                CU_ASSERT_TRUE(strncmp(cut + at, FFFD, 3) == 0 || rcs_utf8_next(cut, strlen(cut), &(size_t){at}) != 0xfffd);
                rcs_utf8_next(cut, strlen(cut), &at);
            }
            CU_ASSERT_TRUE(strlen(cut) + 3 >= room && strlen(cut) <= room);
        }
        free(copy);
    }
}

static void code_points_are_decoded(void)
{
    static const struct {
        struct recourse_span text;
        uint32_t points[8];
        size_t count;
    } cases[] = {
        {SPAN("a\x7f"), {'a', 0x7f}, 2},
        {SPAN("\xc2\x80\xdf\xbf"), {0x80, 0x7ff}, 2},
        {SPAN("\xe0\xa0\x80\xef\xbf\xbf"), {0x800, 0xffff}, 2},
        {SPAN("\xed\x9f\xbf\xee\x80\x80"), {0xd7ff, 0xe000}, 2},
        {SPAN("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"), {0x10000, 0x10ffff}, 2},
        {SPAN("\0"), {0}, 1},
        /* Unicode 15, tables 3-8 to 3-11: one for each maximal subpart. */
        {SPAN("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82"), {0xfffd, 0xfffd, 0xfffd, 0xfffd, 0xfffd, 0xfffd, 0xfffd, 0xfffd}, 8},
        {SPAN("\xed\xa0\x80\xed\xbf\xbf\xed\xaf"), {0xfffd, 0xfffd, 0xfffd, 0xfffd, 0xfffd, 0xfffd, 0xfffd, 0xfffd}, 8},
        {SPAN("\xf4\x91\x92\x93\xff" "A\x80\xbf"), {0xfffd, 0xfffd, 0xfffd, 0xfffd, 0xfffd, 'A', 0xfffd, 0xfffd}, 8},
        {SPAN("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"), {0xfffd, 0xfffd, 0xfffd, 0xfffd}, 4},
        {SPAN("\xc3"), {0xfffd}, 1},
        {SPAN("\xc3\xc3\xa9"), {0xfffd, 0xe9}, 2},
        {SPAN("\xf5\x80"), {0xfffd, 0xfffd}, 2},
        {SPAN("\xf0\x9f\x98" "x"), {0xfffd, 'x'}, 2},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        char mended[64];
        char points[64];
        size_t at = 0;
        size_t used = 0;

        for (size_t k = 0; k < cases[i].count; k++) {
            RCS_EQUAL(rcs_utf8_next(cases[i].text.data, cases[i].text.size, &at), cases[i].points[k]);
            used += rcs_utf8_put(cases[i].points[k], points + used);
        }
        RCS_EQUAL(at, cases[i].text.size);
        RCS_EQUAL(rcs_utf8_count(cases[i].text), cases[i].count);
        RCS_EQUAL(rcs_utf8_mend(cases[i].text, NULL, 0), used);
        RCS_EQUAL(rcs_utf8_mend(cases[i].text, mended, used), used);
        CU_ASSERT_TRUE(memcmp(mended, points, used) == 0);
    }
}

/* All there are: what is written is read again. */
static void code_points_come_back(void)
{
    unsigned wrong = 0;

    for (uint32_t point = 0; point <= 0x10ffff; point++) {
        const bool surrogate = point >= 0xd800 && point <= 0xdfff;
        char bytes[4];
        size_t at = 0;
        const size_t size = rcs_utf8_put(point, bytes);

        if (rcs_utf8_next(bytes, size, &at) != (surrogate ? 0xfffd : point) || at != size) {
            wrong++;
        }
    }
    RCS_EQUAL(wrong, 0);
    RCS_EQUAL(rcs_utf8_put(0x110000, (char[4]){0}), 3);
    RCS_EQUAL(rcs_utf8_put(UINT32_MAX, (char[4]){0}), 3);
}

static void text_is_cleaned(void)
{
    static const struct pair pairs[] = {
        {SPAN(""), ""},
        {SPAN("plain\ttext\r\nmore\n"), "plain\ttext\r\nmore\n"},
        {SPAN("caf\xc3\xa9 \xf0\x9f\x98\x80"), "caf\xc3\xa9 \xf0\x9f\x98\x80"},
        {SPAN("a\0b"), "a" FFFD "b"},
        {SPAN("\x01\x08\x0b\x0c\x0e\x1f\x7f"), FFFD FFFD FFFD FFFD FFFD FFFD FFFD},
        {SPAN("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0"), FFFD FFFD FFFD "\xc2\xa0"},
        {SPAN("\xff\xfe"), FFFD FFFD},
        {SPAN("\xed\xa0\x80"), FFFD FFFD FFFD},
        {SPAN("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd"), FFFD FFFD FFFD},
        {SPAN("\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9"), FFFD FFFD FFFD FFFD},
        {SPAN("\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"), "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"},
        {SPAN("echo 'evil' \x1b[24D\x1b[K"), "echo 'evil' "},
        {SPAN("\x1b[1;31mred\x1b[0m"), "red"},
        {SPAN("\x1b[?25l\x1b[38:2::1:2:3mx\x1b[1 q"), "x"},
        {SPAN("\x1b]0;title\x07shown"), "shown"},
        {SPAN("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "link"},
        {SPAN("\x1bPq#0;2\x1b\\\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\."), "."},
        {SPAN("\x1b" "c\x1b(B\x1b#8\x1b=\x1b" "7x"), "x"},
        /* what does not end hides nothing but its beginning */
        {SPAN("\x1b]0;all the rest"), "0;all the rest"},
        {SPAN("\x1b]0;a\x1b[1mb"), "0;ab"},
        {SPAN("\x1b[12"), ""},
        {SPAN("\x1b[12\nx"), "\nx"},
        {SPAN("\x1b[12\xc3\xa9"), "\xc3\xa9"},
        {SPAN("x\x1b"), "x" FFFD},
        {SPAN("\x1b\x1b[1mx"), FFFD "x"},
        {SPAN("\x1b\nx"), FFFD "\nx"},
        {SPAN("\x1b\0x"), FFFD FFFD "x"},
        {SPAN("\x1b("), FFFD "("},
        {SPAN("\xc3\x1b[m\xa9"), FFFD FFFD}, /* no code point is made of two halves */
        {SPAN("\x1b[\x1b[1m31m"), "31m"},
    };

    check_pairs(rcs_text_clean, pairs, RCS_COUNT(pairs));
    RCS_EQUAL(rcs_text_clean((struct recourse_span){NULL, 0}, NULL, 0), 0);
}

/* Every text of three of the bytes that matter comes out clean, and cleaning it again changes nothing. */
static void cleaning_twice_is_cleaning_once(void)
{
    static const unsigned char bytes[] = {0, 7, '\t', '\n', '\r', 0x1b, ' ', '[', ']', '\\', 'm', 'P', '0', 0x7f, 0x80, 0x9b,
                                          0xbf, 0xc2, 0xe2, 0xed, 0xef, 0xf0, 0xff};
    const size_t count = RCS_COUNT(bytes);
    unsigned wrong = 0;

    for (size_t i = 0; i < count * count * count * count; i++) {
        const char text[4] = {(char)bytes[i % count], (char)bytes[i / count % count], (char)bytes[i / count / count % count],
                              (char)bytes[i / count / count / count]};
        char once[64], twice[64];
        const size_t size = rcs_text_clean((struct recourse_span){text, 4}, once, sizeof once);

        if (rcs_text_clean((struct recourse_span){once, size}, twice, sizeof twice) != size || memcmp(once, twice, size) != 0) {
            wrong++;
        }
        for (size_t k = 0; k < size; k++) {
            wrong += (unsigned char)once[k] < 0x20 && strchr("\t\n\r", once[k]) == NULL ? 1 : 0;
        }
    }
    RCS_EQUAL(wrong, 0);
}

static size_t write_reason(struct recourse_span text, char *out, size_t size)
{
    return rcs_text_reason(text, UINT32_MAX, out, size);
}

static size_t write_reason_10(struct recourse_span text, char *out, size_t size)
{
    return rcs_text_reason(text, 10, out, size);
}

static void reasons_are_folded(void)
{
    static const struct pair pairs[] = {
        {SPAN(""), ""},
        {SPAN(" \t\r\n "), ""},
        {SPAN("a"), "a"},
        {SPAN("  a  b\r\n\r\n\tc  "), "a b c"},
        {SPAN("a \xc2\xa0\xe2\x80\x83\xe3\x80\x80\xe2\x80\xa8 b"), "a b"},
        {SPAN("\x1b[31m a \x1b[0m\n\x1b[1m b\x1b[0m "), "a b"},
        {SPAN("a \x1b[1m"), "a"},
        {SPAN("a\0 b"), "a" FFFD " b"},
    };

    check_pairs(write_reason, pairs, RCS_COUNT(pairs));
}

static void reasons_are_cut(void)
{
    static const struct pair pairs[] = {
        {SPAN("1234567890"), "1234567890"},
        {SPAN(" 1234567890 \n"), "1234567890"},
        {SPAN("12345678901"), "1234567..."},
        {SPAN("1234567890 1"), "1234567..."},
        {SPAN("123456 8 0 2"), "123456 ..."},
        {SPAN("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"),
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"},
        {SPAN("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9x"),
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9..."},
    };
    char out[16], longer[512];

    check_pairs(write_reason_10, pairs, RCS_COUNT(pairs));
    RCS_EQUAL(rcs_text_reason(span("abcd"), 3, out, sizeof out), 3);
    RCS_TEXT_EQUAL(out, "...");
    RCS_EQUAL(rcs_text_reason(span("abcd"), 2, out, sizeof out), 2);
    RCS_TEXT_EQUAL(out, "ab");
    RCS_EQUAL(rcs_text_reason(span("abcd"), 0, out, sizeof out), 0);
    RCS_TEXT_EQUAL(out, "");
    memset(longer, 'x', sizeof longer);
    RCS_EQUAL(rcs_text_reason((struct recourse_span){longer, 220}, 220, out, 0), 220);
    RCS_EQUAL(rcs_text_reason((struct recourse_span){longer, 221}, 220, out, 0), 220);
    RCS_EQUAL(rcs_text_reason((struct recourse_span){longer, 221}, UINT32_MAX, out, 0), 221);
}

static void texts_are_cut_at_lines(void)
{
    static const struct {
        const char *text;
        size_t max;
        size_t cut;
    } cases[] = {
        {"", 0, 0},           {"abc", 3, 3},        {"abc", 4, 3},       {"abc", 2, 2},       {"abc", 0, 0},
        {"ab\ncd", 5, 5},     {"ab\ncd", 4, 2},     {"ab\ncd", 3, 2},    {"ab\ncd", 2, 2},    {"ab\ncd", 1, 1},
        {"a\nb\nc", 4, 3},    {"a\nb\nc", 3, 1},    {"a\r\nbcd", 5, 1},  {"\nabc", 3, 3},     {"ab\n", 3, 3},
        {"\xc3\xa9\xc3\xa9\xc3\xa9", 2, 4},         {"\xc3\xa9\n\xc3\xa9\xc3\xa9", 3, 2},     {"\xf0\x9f\x98\x80x", 1, 4},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(rcs_text_cut(span(cases[i].text), cases[i].max), cases[i].cut);
    }
    RCS_EQUAL(rcs_text_cut((struct recourse_span){NULL, 0}, 5), 0);
}

static void text_is_found_in_any_case(void)
{
    static const struct {
        struct recourse_span text;
        const char *lower;
        bool found;
    } cases[] = {
        {SPAN("Rate Limit reached"), "rate limit", true}, {SPAN("RATE LIMIT"), "rate limit", true},
        {SPAN("rate limi"), "rate limit", false},         {SPAN("x429"), "429", true},
        {SPAN(""), "a", false},                           {SPAN(""), "", true},
        {SPAN("a\0TIMEOUT"), "timeout", true},            {SPAN("tititimeout"), "timeout", true},
        {SPAN("\xc3\x89"), "\xc3\xa9", false},            {SPAN("@["), "`{", false},
        {SPAN("TIMEOUT"), "TimeOut", true},               {{NULL, 0}, "a", false},
        {{NULL, 0}, "", true},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(rcs_text_find_folded(cases[i].text, cases[i].lower), cases[i].found);
    }
    RCS_EQUAL(rcs_text_equal_folded(span("Retry-After"), "retry-after"), true);
    RCS_EQUAL(rcs_text_equal_folded(span("Retry-After"), "retry-after-ms"), false);
    RCS_EQUAL(rcs_text_equal_folded(span("Retry-After-ms"), "retry-after"), false);
    RCS_EQUAL(rcs_text_equal_folded((struct recourse_span){NULL, 0}, ""), true);
}

static void text_is_trimmed(void)
{
    RCS_EQUAL(rcs_text_trim(span(" \t42\t ")).size, 2);
    RCS_EQUAL(rcs_text_trim(span(" \t42\t ")).data[0], '4');
    RCS_EQUAL(rcs_text_trim(span("4 2")).size, 3);
    RCS_EQUAL(rcs_text_trim(span("\n4\n")).size, 3);
    RCS_EQUAL(rcs_text_trim(span(" \t ")).size, 0);
    RCS_EQUAL(rcs_text_trim((struct recourse_span){NULL, 0}).size, 0);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"code points are decoded", code_points_are_decoded},
        {"code points come back", code_points_come_back},
        {"text is cleaned", text_is_cleaned},
        {"cleaning twice is cleaning once", cleaning_twice_is_cleaning_once},
        {"reasons are folded", reasons_are_folded},
        {"reasons are cut", reasons_are_cut},
        {"texts are cut at lines", texts_are_cut_at_lines},
        {"text is found in any case", text_is_found_in_any_case},
        {"text is trimmed", text_is_trimmed},
    };

    return rcs_unit_main("text", tests, RCS_COUNT(tests));
}
