#include "tests/unit/unit.h"

#include "src/core/json.h"
#include "src/core/json_walk.h"

static struct recourse_span span(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

/* A copy of exactly the text's size on the heap, so that reading past its end is seen. */
static enum rcs_json_fault check_exact(const char *text, size_t size, bool duplicates, size_t *offset)
{
    char *const copy = malloc(size > 0 ? size : 1);
    enum rcs_json_fault fault;

    memcpy(copy, text, size);
    fault = rcs_json_check((struct recourse_span){copy, size}, duplicates, offset);
    free(copy);
    return fault;
}

static void accepts_what_rfc_8259_accepts(void)
{
    static const char *const good[] = {
        "{}", "[]", "[[]]", "null", "true", "false", "0", "-0", "1", "-1", "10", "1.5", "-1.5e10", "1E+2", "1e-2", "0e1", "0.0",
        "\"\"", "\"a\"", " [1 , 2]\r\n", "\t{ \"a\" : 1 }\n", "{\"a\":{\"b\":[null,true,false]}}", "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]",
        "\"\\u0000\"", "\"\\uD834\\uDD1E\"", "\"\\ud800\"", "\"\\uDC00\\uD800\"", "\"\\uABCD\\uabcd\"", "\"\x7f\"", "\"\xff\xfe\"",
        "\"\xe2\x80\xa8\"", "[1,2,3]", "{\"\":0}", "{\"a\":1,\"a\":2}", "9007199254740993", "1e400", "-123456789012345678901234567890",
        "[1]", "[1.0]", "[0]", "[1e5]", "{\"a\":1}", "[\n]", "{ }",
    };

    for (size_t i = 0; i < RCS_COUNT(good); i++) {
        size_t offset = 99;

        RCS_EQUAL(check_exact(good[i], strlen(good[i]), false, &offset), RCS_JSON_GOOD);
        RCS_EQUAL(offset, strlen(good[i]) - (strcmp(good[i], " [1 , 2]\r\n") == 0 ? 2 : 0) -
                              (strcmp(good[i], "\t{ \"a\" : 1 }\n") == 0 ? 1 : 0));
    }
}

static void refuses_the_rest_and_says_where(void)
{
    static const struct {
        const char *text;
        enum rcs_json_fault fault;
        size_t offset;
    } cases[] = {
        {"", RCS_JSON_UNENDED, 0},        {"  ", RCS_JSON_UNENDED, 2},       {"x", RCS_JSON_BAD, 0},
        {"\xef\xbb\xbf{}", RCS_JSON_BAD, 0}, {"]", RCS_JSON_BAD, 0},         {"}", RCS_JSON_BAD, 0},
        {",", RCS_JSON_BAD, 0},           {":", RCS_JSON_BAD, 0},            {"[,1]", RCS_JSON_BAD, 1},
        {"[1,]", RCS_JSON_BAD, 3},        {"[1 2]", RCS_JSON_BAD, 3},        {"[1,,2]", RCS_JSON_BAD, 3},
        {"[1}", RCS_JSON_BAD, 2},         {"{]", RCS_JSON_BAD, 1},           {"{\"a\":1]", RCS_JSON_BAD, 6},
        {"{\"a\" 1}", RCS_JSON_BAD, 5},   {"{\"a\":}", RCS_JSON_BAD, 5},     {"{\"a\":1,}", RCS_JSON_BAD, 7},
        {"{\"a\"}", RCS_JSON_BAD, 4},     {"{a:1}", RCS_JSON_BAD, 1},        {"{1:1}", RCS_JSON_BAD, 1},
        {"{'a':1}", RCS_JSON_BAD, 1},     {"{\"a\"::1}", RCS_JSON_BAD, 5},   {"{,\"a\":1}", RCS_JSON_BAD, 1},
        {"{\"a\":1,,\"b\":2}", RCS_JSON_BAD, 7}, {"{} {}", RCS_JSON_BAD, 3}, {"1 2", RCS_JSON_BAD, 2},
        {"[] x", RCS_JSON_BAD, 3},        {"{}]", RCS_JSON_BAD, 2},          {"01", RCS_JSON_BAD, 1},
        {"-01", RCS_JSON_BAD, 2},         {"+1", RCS_JSON_BAD, 0},           {".5", RCS_JSON_BAD, 0},
        {"[1.]", RCS_JSON_BAD, 3},        {"[-]", RCS_JSON_BAD, 2},          {"[1e]", RCS_JSON_BAD, 3},
        {"[1e+]", RCS_JSON_BAD, 4},       {"1.e5", RCS_JSON_BAD, 2},         {"1x", RCS_JSON_BAD, 1},
        {"0x1F", RCS_JSON_BAD, 1},        {"1e5.5", RCS_JSON_BAD, 3},        {"[1_000]", RCS_JSON_BAD, 2},
        {"NaN", RCS_JSON_BAD, 0},         {"Infinity", RCS_JSON_BAD, 0},     {"-Infinity", RCS_JSON_BAD, 1},
        {"nul", RCS_JSON_UNENDED, 3},     {"nulL", RCS_JSON_BAD, 3},         {"True", RCS_JSON_BAD, 0},
        {"truex", RCS_JSON_BAD, 4},       {"fals", RCS_JSON_UNENDED, 4},     {"nullnull", RCS_JSON_BAD, 4},
        {"\"a", RCS_JSON_UNENDED, 2},     {"\"\\", RCS_JSON_UNENDED, 2},     {"\"\\u12", RCS_JSON_UNENDED, 5},
        {"\"\\x\"", RCS_JSON_BAD, 2},     {"\"\\u12G4\"", RCS_JSON_BAD, 5},  {"\"\\U1234\"", RCS_JSON_BAD, 2},
        {"\"a\nb\"", RCS_JSON_BAD, 2},    {"\"\x1f\"", RCS_JSON_BAD, 1},     {"\"\t\"", RCS_JSON_BAD, 1},
        {"\"a\"b", RCS_JSON_BAD, 3},      {"[\"a\"\"b\"]", RCS_JSON_BAD, 4}, {"1.", RCS_JSON_UNENDED, 2},
        {"-", RCS_JSON_UNENDED, 1},       {"1e", RCS_JSON_UNENDED, 2},       {"1e-", RCS_JSON_UNENDED, 3},
        {"[", RCS_JSON_UNENDED, 1},       {"{", RCS_JSON_UNENDED, 1},        {"{\"a\"", RCS_JSON_UNENDED, 4},
        {"{\"a\":", RCS_JSON_UNENDED, 5}, {"{\"a\":1", RCS_JSON_UNENDED, 6}, {"{\"a\":1,", RCS_JSON_UNENDED, 7},
        {"[1,", RCS_JSON_UNENDED, 3},     {"[1 ", RCS_JSON_UNENDED, 3},      {"\v1", RCS_JSON_BAD, 0},
        {"\xc2\xa0" "1", RCS_JSON_BAD, 0}, {"// x\n1", RCS_JSON_BAD, 0},     {"[/**/1]", RCS_JSON_BAD, 1},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        size_t offset = 99;

        RCS_EQUAL(check_exact(cases[i].text, strlen(cases[i].text), true, &offset), cases[i].fault);
        RCS_EQUAL(offset, cases[i].offset);
        RCS_EQUAL(rcs_json_check(span(cases[i].text), false, NULL), cases[i].fault);
    }
    /* A NUL is a byte as any other: bad outside of strings, a control character in them. */
    RCS_EQUAL(check_exact("1\0", 2, true, NULL), RCS_JSON_BAD);
    RCS_EQUAL(check_exact("\"a\0b\"", 5, true, NULL), RCS_JSON_BAD);
    RCS_EQUAL(rcs_json_check((struct recourse_span){NULL, 0}, true, NULL), RCS_JSON_UNENDED);
}

static void every_prefix_is_unended(void)
{
    static const char text[] =
        " { \"a\" : [ 1.5e-3 , -0 , true , false , null , \"x\\u00e9\\n\xc3\xa9\" ] , \"b\\\"\" : { \"c\" : { } , \"d\" : [ ] } }";

    for (size_t size = 0; size < sizeof text - 1; size++) {
        size_t offset = 0;

        RCS_EQUAL(check_exact(text, size, true, &offset), RCS_JSON_UNENDED);
        RCS_EQUAL(offset, size);
    }
    RCS_EQUAL(check_exact(text, sizeof text - 1, true, NULL), RCS_JSON_GOOD);
}

static void every_damaged_byte_is_seen_or_harmless(void)
{
    char text[] = "{\"a\":[1,2],\"b\":{\"c\":\"d\"}}";

    for (size_t i = 0; i < sizeof text - 1; i++) {
        const char was = text[i];

        text[i] = '\x01'; /* allowed nowhere */
        RCS_EQUAL(check_exact(text, sizeof text - 1, true, NULL), RCS_JSON_BAD);
        text[i] = was;
    }
}

static void depth_is_bounded(void)
{
    char text[2 * (RCS_JSON_DEPTH_MAX + 1) + 1];
    size_t offset = 0;

    memset(text, '[', RCS_JSON_DEPTH_MAX);
    memset(text + RCS_JSON_DEPTH_MAX, ']', RCS_JSON_DEPTH_MAX);
    RCS_EQUAL(rcs_json_check((struct recourse_span){text, 2 * RCS_JSON_DEPTH_MAX}, true, &offset), RCS_JSON_GOOD);
    memset(text, '[', RCS_JSON_DEPTH_MAX + 1);
    memset(text + RCS_JSON_DEPTH_MAX + 1, ']', RCS_JSON_DEPTH_MAX + 1);
    RCS_EQUAL(rcs_json_check((struct recourse_span){text, 2 * RCS_JSON_DEPTH_MAX + 2}, true, &offset), RCS_JSON_TOO_DEEP);
    RCS_EQUAL(offset, RCS_JSON_DEPTH_MAX);
    RCS_EQUAL(rcs_json_check((struct recourse_span){text, RCS_JSON_DEPTH_MAX}, true, &offset), RCS_JSON_UNENDED);
}

/* Objects and arrays by turns, 512 deep: each bit of the stack counts. */
static void nesting_remembers_what_is_open(void)
{
    char text[8 * RCS_JSON_DEPTH_MAX];
    size_t size = 0;

    for (unsigned i = 0; i < RCS_JSON_DEPTH_MAX; i++) {
        size += (size_t)sprintf(text + size, "%s", i % 3 == 0 ? "[" : "{\"k\":");
    }
    text[size++] = '1';
    for (unsigned i = RCS_JSON_DEPTH_MAX; i-- > 0;) {
        text[size++] = i % 3 == 0 ? ']' : '}';
    }
    RCS_EQUAL(check_exact(text, size, true, NULL), RCS_JSON_GOOD);
    for (unsigned i = 0; i < RCS_JSON_DEPTH_MAX; i++) {
        char *const at = &text[size - 1 - i];
        const char was = *at;
        size_t offset = 0;

        *at = was == ']' ? '}' : ']';
        RCS_EQUAL(rcs_json_check((struct recourse_span){text, size}, true, &offset), RCS_JSON_BAD);
        RCS_EQUAL(offset, size - 1 - i);
        *at = was;
    }
}

static void duplicates_are_compared_as_they_read(void)
{
    static const struct {
        const char *text;
        enum rcs_json_fault fault;
        size_t offset;
    } cases[] = {
        {"{\"a\":1,\"a\":2}", RCS_JSON_DUPLICATE, 7},
        {"{\"a\":1,\"\\u0061\":2}", RCS_JSON_DUPLICATE, 7},
        {"{\"\\u0041\":1,\"b\":0,\"A\":2}", RCS_JSON_DUPLICATE, 18},
        {"{\"\\/\":1,\"/\":2}", RCS_JSON_DUPLICATE, 8},
        {"{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":2}", RCS_JSON_DUPLICATE, 18},
        {"{\"\":1,\"\":2}", RCS_JSON_DUPLICATE, 6},
        {"{\"x\":{\"a\":1,\"a\":2}}", RCS_JSON_DUPLICATE, 12},
        {"[{\"a\":1},{\"b\":1,\"b\":1}]", RCS_JSON_DUPLICATE, 16},
        {"{\"a\":{\"a\":{\"a\":1}},\"a\":2}", RCS_JSON_DUPLICATE, 19},
        {"{\"a\":[{\"b\":1},{\"b\":1}],\"b\":0}", RCS_JSON_GOOD, 29},
        {"{\"a\":1,\"A\":2}", RCS_JSON_GOOD, 13},
        {"{\"a\":1,\"a\\u0000\":2}", RCS_JSON_GOOD, 19},
        {"{\"a\":1,\"a\\u0000b\":2,\"a\\u0000\":3}", RCS_JSON_GOOD, 32},
        {"{\"\\ud800\":1,\"\\udbff\":2}", RCS_JSON_DUPLICATE, 12}, /* both read as U+FFFD */
        {"{\"a\":{\"k\":1},\"b\":{\"k\":1},\"k\":{\"k\":{}}}", RCS_JSON_GOOD, 38},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        size_t offset = 0;

        RCS_EQUAL(check_exact(cases[i].text, strlen(cases[i].text), true, &offset), cases[i].fault);
        RCS_EQUAL(offset, cases[i].offset);
        RCS_EQUAL(rcs_json_check(span(cases[i].text), false, NULL), RCS_JSON_GOOD);
    }
}

/* Writes an object of `count` keys, the last one being number `last`. Returns its size; `*last_at` is where that key is. */
static size_t write_object(char *text, unsigned count, unsigned last, size_t *last_at)
{
    size_t size = (size_t)sprintf(text, "{");

    for (unsigned i = 0; i < count; i++) {
        *last_at = size + (i > 0 ? 1 : 0);
        size += (size_t)sprintf(text + size, "%s\"k%u\":0", i > 0 ? "," : "", i + 1 < count ? i : last);
    }
    return size + (size_t)sprintf(text + size, "}");
}

static void duplicates_are_found_among_many(void)
{
    static const unsigned counts[] = {2, 64, 65, 1535, 1536, 1537, 4096, 4097, 20000};
    char *const text = malloc(20 * 20000);

    for (size_t i = 0; i < RCS_COUNT(counts); i++) {
        const unsigned count = counts[i];
        const unsigned seconds[] = {0, (count - 2) / 2, count - 2};
        size_t last_at = 0;
        size_t size = write_object(text, count, count - 1, &last_at);

        RCS_EQUAL(rcs_json_check((struct recourse_span){text, size}, true, NULL), RCS_JSON_GOOD);
        for (size_t k = 0; k < RCS_COUNT(seconds); k++) {
            size_t offset = 0;

            size = write_object(text, count, seconds[k], &last_at);
            RCS_EQUAL(rcs_json_check((struct recourse_span){text, size}, true, &offset), RCS_JSON_DUPLICATE);
            RCS_EQUAL(offset, last_at);
        }
    }
    free(text);
}

/* What could not be compared in bounded time is refused, but only where duplicates are. */
static void too_many_keys_are_refused(void)
{
    char *const text = malloc(20 * (RCS_JSON_KEYS_MAX + 1));
    size_t last_at = 0;
    size_t offset = 0;
    size_t size = write_object(text, RCS_JSON_KEYS_MAX, RCS_JSON_KEYS_MAX - 1, &last_at);

    RCS_EQUAL(rcs_json_check((struct recourse_span){text, size}, true, &offset), RCS_JSON_GOOD);
    size = write_object(text, RCS_JSON_KEYS_MAX + 1, RCS_JSON_KEYS_MAX, &last_at);
    RCS_EQUAL(rcs_json_check((struct recourse_span){text, size}, true, &offset), RCS_JSON_TOO_MANY);
    RCS_EQUAL(offset, last_at);
    RCS_EQUAL(rcs_json_check((struct recourse_span){text, size}, false, &offset), RCS_JSON_GOOD);
    free(text);
}

/* Many keys in all, few at once: closed objects make room. And a wide one around them. */
static void closed_objects_make_room(void)
{
    char *const text = malloc(1 << 20);
    size_t size = (size_t)sprintf(text, "{\"first\":[");
    size_t offset = 0;

    for (unsigned i = 0; i < 3000; i++) {
        size += (size_t)sprintf(text + size, "%s{\"a\":{\"b\":1,\"c\":2},\"b\":3,\"first\":4}", i > 0 ? "," : "");
    }
    sprintf(text + size, "],\"b\":1}");
    RCS_EQUAL(rcs_json_check(span(text), true, &offset), RCS_JSON_GOOD);
    sprintf(text + size, "],\"first\":1}");
    RCS_EQUAL(rcs_json_check(span(text), true, &offset), RCS_JSON_DUPLICATE);
    RCS_EQUAL(offset, size + 2);
    free(text);
}

static void types_are_told(void)
{
    static const struct {
        const char *text;
        enum rcs_json_type type;
    } cases[] = {
        {"null", RCS_JSON_NULL},      {"false", RCS_JSON_FALSE},   {"true", RCS_JSON_TRUE},   {" 12 ", RCS_JSON_NUMBER},
        {"-1.5", RCS_JSON_NUMBER},    {"\"a\"", RCS_JSON_STRING},  {"[1]", RCS_JSON_ARRAY},   {" {} ", RCS_JSON_OBJECT},
        {"", RCS_JSON_NONE},          {"  ", RCS_JSON_NONE},       {"nul", RCS_JSON_NONE},    {"1 2", RCS_JSON_NONE},
        {"x", RCS_JSON_NONE},         {"\"a", RCS_JSON_NONE},      {"[", RCS_JSON_NONE},      {"{]", RCS_JSON_NONE},
        {"truefalse", RCS_JSON_NONE}, {"\"a\" \"b\"", RCS_JSON_NONE},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(rcs_json_type_of(span(cases[i].text)), cases[i].type);
    }
    RCS_EQUAL(rcs_json_type_of((struct recourse_span){NULL, 0}), RCS_JSON_NONE);
    RCS_EQUAL(rcs_json_trim(span(" \r\n\t[1] \n")).size, 3);
    RCS_EQUAL(rcs_json_trim(span("   ")).size, 0);
    RCS_EQUAL(rcs_json_trim((struct recourse_span){NULL, 0}).size, 0);
}

/* What a walk over a container gives, as "key=value;" for each. */
static void walk_to(const char *container, char *out)
{
    struct recourse_span key, value;
    size_t at = 0;

    *out = '\0';
    while (rcs_json_next(span(container), &at, &key, &value)) {
        out += sprintf(out, "%.*s=%.*s;", (int)key.size, key.size > 0 ? key.data : "", (int)value.size, value.data);
    }
    RCS_EQUAL(key.size, 0);
    RCS_EQUAL(value.size, 0);
    RCS_EQUAL(rcs_json_next(span(container), &at, &key, &value), false); /* the end stays the end */
}

static void containers_are_walked(void)
{
    static const struct {
        const char *container;
        const char *walked;
    } cases[] = {
        {"{}", ""},
        {"[]", ""},
        {" [ ] ", ""},
        {"[1,\"a\",[2,[3]],{\"x\":4}]", "=1;=\"a\";=[2,[3]];={\"x\":4};"},
        {" { \"a\" : 1 , \"b\\n\" : [ 2 ] } ", "\"a\"=1;\"b\\n\"=[ 2 ];"},
        {"[9007199254740993,1e400,-0.10]", "=9007199254740993;=1e400;=-0.10;"},
        {"{\"a\":1,\"a\":2}", "\"a\"=1;\"a\"=2;"},
        {"5", ""},
        {"\"[1]\"", ""},
        {"", ""},
        {"[1", "=1;"}, /* not good: stops */
        {"[1 2]", "=1;"},
        {"[1,", "=1;"},
        {"[1,x]", "=1;"},
        {"[\"a", ""},
        {"{\"a\"", ""},
        {"{\"a\":", ""},
        {"{\"a\" 1}", ""},
        {"{1:2}", ""},
        {"{\"a\":1,}", "\"a\"=1;"},
        {"[[1", ""},
    };
    char out[128];

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        walk_to(cases[i].container, out);
        RCS_TEXT_EQUAL(out, cases[i].walked);
    }
}

static const char *at_pointer(const char *text, const char *pointer)
{
    static char out[128];
    const struct recourse_span value = rcs_json_at(span(text), pointer);

    if (value.data == NULL) {
        return "none";
    }
    snprintf(out, sizeof out, "%.*s", (int)value.size, value.data);
    return out;
}

/* The examples of RFC 6901, section 5, and what it leaves out. */
static void pointers_find_values(void)
{
    static const char text[] = " {\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,"
                               "\"k\\\"l\":6,\" \":7,\"m~n\":8,\"\\u00e9\":{\"x\":[[10,11]]},\"foo2\":null} ";
    static const struct {
        const char *pointer;
        const char *value;
    } cases[] = {
        {"/foo", "[\"bar\",\"baz\"]"}, {"/foo/0", "\"bar\""}, {"/foo/1", "\"baz\""}, {"/foo/2", "none"},
        {"/", "0"},        {"/a~1b", "1"},    {"/c%d", "2"},     {"/e^f", "3"},      {"/g|h", "4"},
        {"/i\\j", "5"},    {"/k\"l", "6"},    {"/ ", "7"},       {"/m~0n", "8"},     {"/\xc3\xa9/x/0/1", "11"},
        {"/foo2", "null"}, {"/fo", "none"},   {"/foo3", "none"}, {"foo", "none"},    {"/foo/", "none"},
        {"/foo/-", "none"}, {"/foo/00", "none"}, {"/foo/01", "none"}, {"/foo/0/x", "none"}, {"/foo/1x", "none"},
        {"/foo/99999999999999999999999", "none"}, {"/a~b", "none"}, {"/m~2n", "none"}, {"/m~", "none"}, {"/foo2/0", "none"},
        {"/foo/0~0", "none"}, {"/foo/+1", "none"},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_TEXT_EQUAL(at_pointer(text, cases[i].pointer), cases[i].value);
    }
    RCS_TEXT_EQUAL(at_pointer(" 5 ", ""), "5");
    RCS_TEXT_EQUAL(at_pointer("", ""), "none");
    RCS_TEXT_EQUAL(at_pointer("{\"a\":1,\"\\u0061\":2}", "/a"), "2");
    RCS_TEXT_EQUAL(at_pointer("{\"a\":{\"b\":1},\"a\":{\"c\":2}}", "/a/b"), "none");
    RCS_TEXT_EQUAL(at_pointer("{\"a\\u0000\":1}", "/a"), "none");
    RCS_TEXT_EQUAL(at_pointer("{\"a\":1", "/a"), "none");
}

static void members_are_found_by_name(void)
{
    const struct recourse_span object = span("{\"a\":1,\"b/c\":\"x\",\"a\":true,\"~0\":4,\"n\":null}");

    RCS_EQUAL(rcs_json_type_of(rcs_json_member(object, "a")), RCS_JSON_TRUE);
    RCS_EQUAL(rcs_json_type_of(rcs_json_member(object, "b/c")), RCS_JSON_STRING);
    RCS_EQUAL(rcs_json_type_of(rcs_json_member(object, "~0")), RCS_JSON_NUMBER);
    RCS_EQUAL(rcs_json_type_of(rcs_json_member(object, "n")), RCS_JSON_NULL);
    CU_ASSERT_PTR_NULL(rcs_json_member(object, "b").data);
    CU_ASSERT_PTR_NULL(rcs_json_member(object, "").data);
    CU_ASSERT_PTR_NULL(rcs_json_member(span("[1]"), "0").data);
    CU_ASSERT_PTR_NULL(rcs_json_member((struct recourse_span){NULL, 0}, "a").data);
}

static void strings_are_unescaped(void)
{
    static const struct {
        const char *string;
        const char *text;
    } cases[] = {
        {"\"\"", ""},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u00e9\\u20AC\\uD83D\\uDE00\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\"\\ud83d\"", "\xef\xbf\xbd"},
        {"\"\\ude00x\"", "\xef\xbf\xbdx"},
        {"\"\\ud83d\\u0041\"", "\xef\xbf\xbd" "A"},
        {"\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80"},
        {"\"\\ud83dx\"", "\xef\xbf\xbdx"},
        {"\"\\ud83d\\n\"", "\xef\xbf\xbd\n"},
        {"\"a\xff\xc3\x28\"", "a\xef\xbf\xbd\xef\xbf\xbd("},
        {"\"\xed\xa0\xbd\"", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\"\\uffff\"", "\xef\xbf\xbf"},
        {"\"\\q\\u12\"", "\xef\xbf\xbd\xef\xbf\xbd" "12"}, /* not good: replaced, not read past */
        {"\"a", "a"},
        {"\"a\\", "a"},
        {"x", ""},
        {"", ""},
    };
    char out[64];

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(rcs_json_unescape(span(cases[i].string), out, sizeof out), strlen(cases[i].text));
        RCS_TEXT_EQUAL(out, cases[i].text);
    }
}

static void a_nul_hides_nothing(void)
{
    const struct recourse_span value = rcs_json_at(span("{\"k\":\"ok\\u0000my secret\"}"), "/k");
    char out[64];

    RCS_EQUAL(rcs_json_unescape(value, out, sizeof out), 12);
    RCS_EQUAL(memcmp(out, "ok\0my secret", 13), 0);
    RCS_EQUAL(rcs_json_string_is(value, "ok", 2), false);
    RCS_EQUAL(rcs_json_string_is(value, "ok\0my secret", 12), true);
}

static void unescaping_is_cut_at_code_points(void)
{
    const struct recourse_span string = span("\"a\\u20acb\"");
    char out[8];

    for (size_t size = 0; size <= sizeof out; size++) {
        const size_t written = size < 1 ? 0 : size < 4 ? 1 : size < 5 ? 4 : 5;

        memset(out, '#', sizeof out);
        RCS_EQUAL(rcs_json_unescape(string, out, size), 5);
        RCS_EQUAL(memcmp(out, "a\xe2\x82\xac" "b", written), 0);
        RCS_EQUAL(out[written], written < size ? '\0' : '#');
    }
    RCS_EQUAL(rcs_json_unescape(string, NULL, 0), 5);
}

static void strings_are_compared(void)
{
    RCS_EQUAL(rcs_json_string_is(span("\"caf\\u00e9\""), "caf\xc3\xa9", 5), true);
    RCS_EQUAL(rcs_json_string_is(span("\"caf\\u00e9\""), "caf\xc3\xa9s", 6), false);
    RCS_EQUAL(rcs_json_string_is(span("\"caf\\u00e9\""), "caf\xc3", 4), false);
    RCS_EQUAL(rcs_json_string_is(span("\"\""), "", 0), true);
    RCS_EQUAL(rcs_json_string_is(span("\"a\""), "", 0), false);
    RCS_EQUAL(rcs_json_string_is(span("a"), "a", 1), false);
    RCS_EQUAL(rcs_json_string_is(span("12"), "12", 2), false);
    RCS_EQUAL(rcs_json_string_equal(span("\"a\\u0062\""), span("\"\\u0061b\"")), true);
    RCS_EQUAL(rcs_json_string_equal(span("\"ab\""), span("\"a\"")), false);
    RCS_EQUAL(rcs_json_string_equal(span("\"a\""), span("\"ab\"")), false);
    RCS_EQUAL(rcs_json_string_equal(span("\"a\""), span("\"b\"")), false);
}

static void integers_are_exact(void)
{
    static const struct {
        const char *text;
        bool fits;
        int64_t value;
    } cases[] = {
        {"0", true, 0},         {"-0", true, 0},       {"42", true, 42},      {"-32602", true, -32602},
        {" 7 ", true, 7},       {"9007199254740993", true, 9007199254740993},
        {"9223372036854775807", true, INT64_MAX},      {"9223372036854775808", false, 0},
        {"-9223372036854775808", true, INT64_MIN},     {"-9223372036854775809", false, 0},
        {"99999999999999999999999", false, 0},         {"1.0", false, 0},     {"1e2", false, 0},
        {"1.5", false, 0},      {"\"1\"", false, 0},   {"true", false, 0},    {"", false, 0},       {"-", false, 0},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        int64_t value = 0;

        RCS_EQUAL(rcs_json_integer(span(cases[i].text), &value), cases[i].fits);
        RCS_EQUAL(value, cases[i].value);
    }
}

static void text_is_quoted(void)
{
    static const struct {
        struct recourse_span text;
        const char *quoted;
    } cases[] = {
        {{"", 0}, "\"\""},
        {{NULL, 0}, "\"\""},
        {{"a\"b\\c/", 6}, "\"a\\\"b\\\\c/\""},
        {{"\b\f\n\r\t", 5}, "\"\\b\\f\\n\\r\\t\""},
        {{"\0\x01\x1f\x7f", 4}, "\"\\u0000\\u0001\\u001f\x7f\""},
        {{"\xc3\xa9\xff\xf0\x9f\x98\x80", 7}, "\"\xc3\xa9\xef\xbf\xbd\xf0\x9f\x98\x80\""},
        {{"\xf0\x9f\x98", 3}, "\"\xef\xbf\xbd\""},
    };
    char out[64], back[64];

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(rcs_json_quote(cases[i].text, out, sizeof out), strlen(cases[i].quoted));
        RCS_TEXT_EQUAL(out, cases[i].quoted);
        RCS_EQUAL(rcs_json_check(span(out), true, NULL), RCS_JSON_GOOD);
    }
    RCS_EQUAL(rcs_json_quote((struct recourse_span){"a\0b\n", 4}, out, sizeof out), 12);
    RCS_EQUAL(rcs_json_unescape(span(out), back, sizeof back), 4);
    RCS_EQUAL(memcmp(back, "a\0b\n", 5), 0);
    /* Nothing is written after a unit that does not fit. */
    memset(out, '#', sizeof out);
    RCS_EQUAL(rcs_json_quote(span("\x01" "a"), out, 6), 9);
    RCS_EQUAL(memcmp(out, "\"\0####", 6), 0);
    RCS_EQUAL(rcs_json_quote(span("abc"), NULL, 0), 5);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"accepts what RFC 8259 accepts", accepts_what_rfc_8259_accepts},
        {"refuses the rest and says where", refuses_the_rest_and_says_where},
        {"every prefix is unended", every_prefix_is_unended},
        {"every damaged byte is seen", every_damaged_byte_is_seen_or_harmless},
        {"depth is bounded", depth_is_bounded},
        {"nesting remembers what is open", nesting_remembers_what_is_open},
        {"duplicates are compared as they read", duplicates_are_compared_as_they_read},
        {"duplicates are found among many", duplicates_are_found_among_many},
        {"too many keys are refused", too_many_keys_are_refused},
        {"closed objects make room", closed_objects_make_room},
        {"types are told", types_are_told},
        {"containers are walked", containers_are_walked},
        {"pointers find values", pointers_find_values},
        {"members are found by name", members_are_found_by_name},
        {"strings are unescaped", strings_are_unescaped},
        {"a NUL hides nothing", a_nul_hides_nothing},
        {"unescaping is cut at code points", unescaping_is_cut_at_code_points},
        {"strings are compared", strings_are_compared},
        {"integers are exact", integers_are_exact},
        {"text is quoted", text_is_quoted},
    };

    return rcs_unit_main("json", tests, RCS_COUNT(tests));
}
