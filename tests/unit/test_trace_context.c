/* W3C Trace Context: what is read, what counts as none, what is passed on. */
#include "src/spans/context.h"
#include "tests/unit/unit.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN "00f067aa0ba902b7"
#define GOOD "00-" TRACE "-" SPAN "-01"

static void test_traceparent(void)
{
    static const struct {
        const char *text;
        const char *passed_on; /* NULL: it counts as none */
    } cases[] = {
        {GOOD, GOOD},
        {"00-" TRACE "-" SPAN "-00", "00-" TRACE "-" SPAN "-00"},
        {"00-" TRACE "-" SPAN "-03", "00-" TRACE "-" SPAN "-03"},
        {"00-" TRACE "-" SPAN "-ff", "00-" TRACE "-" SPAN "-03"}, /* flags that are not known are not passed on */
        {"00-" TRACE "-" SPAN "-04", "00-" TRACE "-" SPAN "-00"},
        {"00-00000000000000000000000000000001-0000000000000001-01", "00-00000000000000000000000000000001-0000000000000001-01"},
        /* a version that is not known: what is known of it, as version 00 */
        {"01-" TRACE "-" SPAN "-01", GOOD},
        {"cc-" TRACE "-" SPAN "-01-what the future will be like", GOOD},
        {"fe-" TRACE "-" SPAN "-01-", GOOD},
        {"cc-" TRACE "-" SPAN "-01.what", NULL},
        {"cc-" TRACE "-" SPAN "-010", NULL},
        {"ff-" TRACE "-" SPAN "-01", NULL},
        {"00-" TRACE "-" SPAN "-01-", NULL},
        {"00-" TRACE "-" SPAN "-01-what", NULL},
        {"00-00000000000000000000000000000000-" SPAN "-01", NULL},
        {"00-" TRACE "-0000000000000000-01", NULL},
        {"00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN "-01", NULL},
        {"00-" TRACE "-00F067AA0BA902B7-01", NULL},
        {"00-" TRACE "-" SPAN "-0A", NULL},
        {"0A-" TRACE "-" SPAN "-01", NULL},
        {"00-4bf92f3577b34da6a3ce929d0e0e473g-" SPAN "-01", NULL},
        {"00-" TRACE "-00f067aa0ba902b-01", NULL},
        {"00-4bf92f3577b34da6a3ce929d0e0e473-" SPAN "-01", NULL},
        {"0-" TRACE "-" SPAN "-01", NULL},
        {"000-" TRACE "-" SPAN "-01", NULL},
        {"00_" TRACE "-" SPAN "-01", NULL},
        {"00-" TRACE "_" SPAN "-01", NULL},
        {"00-" TRACE "-" SPAN "_01", NULL},
        {"00-" TRACE "-" SPAN "-0", NULL},
        {"00-" TRACE "-" SPAN, NULL},
        {" " GOOD, NULL},
        {GOOD " ", NULL},
        {"", NULL},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_span span = {cases[i].text, strlen(cases[i].text)};
        struct rcs_trace_context context = {.flags = 77};
        char text[RCS_TRACEPARENT_SIZE + 1] = "none";

        if (rcs_traceparent_read(span, &context)) {
            rcs_traceparent_write(&context, text);
        } else {
            RCS_EQUAL(context.flags, 77);
        }
        rcs_unit_text_equal(text, cases[i].passed_on != NULL ? cases[i].passed_on : "none", cases[i].text, __FILE__, __LINE__);
    }
}

/* It is read as far as the span goes, and no byte further. */
static void test_every_length(void)
{
    struct rcs_trace_context context;

    CU_ASSERT_FALSE(rcs_traceparent_read((struct recourse_span){NULL, 0}, &context));
    for (size_t size = 1; size < sizeof GOOD; size++) {
        char *exact = malloc(size);

        memcpy(exact, GOOD, size);
        RCS_EQUAL(rcs_traceparent_read((struct recourse_span){exact, size}, &context), size == sizeof GOOD - 1);
        free(exact);
    }
}

static void expect_state(const char *text, const char *passed_on)
{
    struct recourse_span span = {text, strlen(text)};
    char out[RCS_TRACESTATE_MAX + 1];

    RCS_EQUAL(rcs_tracestate_read(span, out), strlen(passed_on));
    rcs_unit_text_equal(out, passed_on, text, __FILE__, __LINE__);
}

static void test_tracestate(void)
{
    static const struct {
        const char *text;
        const char *passed_on; /* "": discarded */
    } cases[] = {
        {"", ""},
        {"foo=1", "foo=1"},
        {"foo=1,bar=2", "foo=1,bar=2"},
        {" foo=1 ,\t bar=2 \t", "foo=1,bar=2"},
        {"foo=1,,bar=2,", "foo=1,bar=2"},
        {",", ""},
        {"foo=b a r", "foo=b a r"},
        {"a_b-c*d/e9=~!", "a_b-c*d/e9=~!"},
        {"1tenant@system=x", "1tenant@system=x"},
        {"foo", ""},
        {"foo=", ""},
        {"=1", ""},
        {"foo=1=2", ""},
        {"foo =1", ""},
        {"Foo=1", ""},
        {"1foo=1", ""},
        {"foo@=1", ""},
        {"@foo=1", ""},
        {"foo@bar@baz=1", ""},
        {"foo@1bar=1", ""},
        {"foo=1,foo=2", ""},
        {"foo=1,bar=\x7f", ""},
        {"foo=1,bar=\xc3\xa4", ""},
        {"foo=1,bar=a\tb", ""},
        {"foo=1;bar", "foo=1;bar"},
        {"foo=1;bar=2", ""}, /* an equal sign in a value */
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        expect_state(cases[i].text, cases[i].passed_on);
    }
}

/* "k=vv...": a member with this many bytes. */
static char *put_member(char *at, const char *key, size_t size)
{
    size_t left = size - strlen(key) - 1;

    at += sprintf(at, "%s=", key);
    memset(at, 'v', left);
    at[left] = '\0';
    return at + left;
}

static void test_tracestate_bounds(void)
{
    char text[16384];
    char expected[16384];
    char *at = text;

    for (unsigned i = 0; i < 32; i++) {
        at += sprintf(at, "%sk%u=v", i > 0 ? "," : "", i);
    }
    expect_state(text, text);
    strcpy(at, ",k32=v");
    expect_state(text, "");

    put_member(text, "k", 2 + 256);
    expect_state(text, text);
    put_member(text, "k", 2 + 257);
    expect_state(text, "");

    memset(text, 'k', 256);
    strcpy(text + 256, "=v");
    expect_state(text, text);
    memset(text, 'k', 257);
    strcpy(text + 257, "=v");
    expect_state(text, "");

    memset(text, 't', 241);
    strcpy(text + 241, "@abcdefghijklmn=v");
    expect_state(text, text);
    strcpy(text + 241, "@abcdefghijklmno=v");
    expect_state(text, "");
    memset(text, 't', 242);
    strcpy(text + 242, "@a=v");
    expect_state(text, "");

    /* 512 bytes are passed on; beyond that large members go first, then the last ones */
    at = put_member(text, "a", 255);
    *at++ = ',';
    put_member(at, "b", 256);
    RCS_EQUAL(strlen(text), RCS_TRACESTATE_MAX);
    expect_state(text, text);
    strcat(text, ",c=1");
    put_member(expected, "a", 255);
    strcat(expected, ",c=1");
    expect_state(text, expected);

    at = text;
    for (unsigned i = 0; i < 6; i++) {
        char key[4] = {(char)('a' + i), '\0'};

        at = put_member(at, key, 100);
        *at++ = i < 5 ? ',' : '\0';
    }
    memcpy(expected, text, 504);
    expected[504] = '\0';
    expect_state(text, expected);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"traceparent", test_traceparent},
        {"every length", test_every_length},
        {"tracestate", test_tracestate},
        {"tracestate, bounds", test_tracestate_bounds},
    };

    return rcs_unit_main("trace_context", tests, RCS_COUNT(tests));
}
