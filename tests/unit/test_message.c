#include "tests/unit/unit.h"

#include <recourse/call.h>

#include "src/core/text.h"
#include "tests/unit/toy_policy.h"

#define SPAN(literal) {literal, sizeof(literal) - 1}
#define FAILED(failure) (RECOURSE_EVENT_FAILURE + (failure))
#define REMINDER "Do not retry this exact tool call."

/* Renders a message of this text, whole and at each size. */
static void check_text(const char *text, const struct recourse_message_values *values, const char *expected)
{
    const struct recourse_message message = {"m", text};
    struct recourse_policy policy = toy_policy;
    char out[1024];

    policy.messages = &message;
    policy.message_count = 1;
    RCS_EQUAL(recourse_message_render(&policy, 0, values, out, sizeof out), strlen(expected));
    RCS_TEXT_EQUAL(out, expected);
    RCS_EQUAL(recourse_message_render(&policy, 0, values, NULL, 0), strlen(expected));
    for (size_t size = 1; size <= strlen(expected) + 1; size++) {
        char *const exact = malloc(size);

        RCS_EQUAL(recourse_message_render(&policy, 0, values, exact, size), strlen(expected));
        RCS_EQUAL(strncmp(exact, expected, strlen(exact)), 0);
        CU_ASSERT_TRUE(strlen(exact) + 4 >= size || size == strlen(expected) + 1);
        for (size_t at = 0; at < strlen(exact);) { /* no half of a code point */
            const size_t before = at;

            CU_ASSERT_TRUE(rcs_utf8_next(exact, strlen(exact), &at) != 0xfffd || strncmp(exact + before, "\xef\xbf\xbd", 3) == 0);
        }
        free(exact);
    }
}

static void the_messages_of_lightspeed(void)
{
    struct recourse_message_values values = {.tool = SPAN("lookup"), .call = SPAN("c1"), .reason = SPAN("it broke"), .tries = 3,
                                             .event = FAILED(TOY_TRANSIENT), .reminder = true};
    char out[256];

    RCS_EQUAL(recourse_message_render(&toy_policy, TOY_FAILED, &values, out, sizeof out), 95);
    RCS_TEXT_EQUAL(out, "Tool 'lookup' execution failed after 3 attempt(s): it broke. " REMINDER);
    values.reminder = false;
    values.tries = 1;
    recourse_message_render(&toy_policy, TOY_FAILED, &values, out, sizeof out);
    RCS_TEXT_EQUAL(out, "Tool 'lookup' execution failed after 1 attempt(s): it broke.");
    recourse_message_render(&toy_policy, TOY_CORRECTED, &values, out, sizeof out);
    RCS_TEXT_EQUAL(out, "Tool 'lookup' execution failed after 1 attempt(s): it broke.");
    values.reminder = true;
    recourse_message_render(&toy_policy, TOY_REFUSED, &values, out, sizeof out);
    RCS_TEXT_EQUAL(out, "Error: it broke. " REMINDER);
    RCS_EQUAL(recourse_message_render(&toy_policy, TOY_MESSAGE_COUNT, &values, out, sizeof out), 0);
    RCS_TEXT_EQUAL(out, "");
    RCS_EQUAL(recourse_message_render(&toy_policy, RECOURSE_NONE, &values, out, sizeof out), 0);
}

static void every_placeholder_has_its_value(void)
{
    const struct recourse_message_values all = {.tool = SPAN("t\xc3\xb6ol"), .call = SPAN("c-1"), .reason = SPAN("r"), .tries = 250,
                                                .event = FAILED(TOY_RATE_LIMITED), .http = 429, .server_delay_ms = 5000,
                                                .reminder = true};
    const struct recourse_message_values none = {.event = RECOURSE_EVENT_SENSITIVE_ARGUMENTS};

    check_text(toy_policy.messages[TOY_EVERYTHING].text, &all,
               "c-1/t\xc3\xb6ol \xc2\xb7 rate limited 429 [250] {nonsense} { 5 s: r, " REMINDER);
    check_text(toy_policy.messages[TOY_EVERYTHING].text, &none,
               "/ \xc2\xb7 sensitive arguments [0] {nonsense} {: sensitive arguments,");
    check_text("{failure}", &(struct recourse_message_values){.event = RECOURSE_EVENT_OK}, "ok");
    check_text("{failure}", &(struct recourse_message_values){.event = 999}, "?");
    check_text("", &all, "");
    check_text("{tool", &all, "{tool");
    check_text("{tool}}{{call}", &all, "t\xc3\xb6ol}{c-1");
    check_text("{TOOL} {tool }", &all, "{TOOL} {tool }");
}

static void a_blank_before_nothing_goes(void)
{
    const struct recourse_message_values none = {.tool = SPAN("t"), .reason = SPAN("r")};

    check_text("a {reminder}", &none, "a");
    check_text("a {reminder} b", &none, "a b");
    check_text("a {status} {reminder} b", &none, "a b");
    check_text("a  {reminder}b", &none, "a b");
    check_text("HTTP {status}: {reason}", &none, "HTTP: r");
    check_text("{reminder} a", &none, " a");
    check_text("a {tool} {reason}", &none, "a t r");
    check_text("a {tries}", &none, "a 0");
}

static void texts_are_taken_as_they_are(void)
{
    struct recourse_message_values values = {.reason = SPAN("It broke."), .reminder = true};

    check_text("{reason}. {reminder}", &values, "It broke.. " REMINDER); /* the policy's stop stays the policy's */
    check_text("{reason}, {reason}!", &values, "It broke., It broke.!");
    values.reason = (struct recourse_span){"It broke. \n", 11};
    check_text("{reason}. Y", &values, "It broke.. Y");
}

static void reasons_are_made_fit(void)
{
    static const struct {
        struct recourse_span reason;
        const char *shown;
    } cases[] = {
        {SPAN(" a\r\n\tb  "), "a b"},
        {SPAN("echo 'evil' \x1b[24D\x1b[K"), "echo 'evil'"},
        {SPAN("a\0b\xff"), "a\xef\xbf\xbd" "b\xef\xbf\xbd"},
        {SPAN("\xe2\x80\xae" "dlrow"), "\xef\xbf\xbd" "dlrow"},
        {SPAN(""), "bad arguments"},
        {SPAN(" \n "), "bad arguments"},
        {SPAN("{reminder}"), "{reminder}"}, /* what others wrote is no template */
        {SPAN("%s%n"), "%s%n"},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        const struct recourse_message_values values = {.reason = cases[i].reason, .event = RECOURSE_EVENT_BAD_ARGUMENTS};
        char expected[256];

        snprintf(expected, sizeof expected, "Error: %s", cases[i].shown);
        check_text("Error: {reason}", &values, expected);
    }
}

static void reasons_are_cut_by_the_setting(void)
{
    struct recourse_policy policy = toy_policy;
    struct recourse_message_values values = {0};
    char reason[400], out[512];

    memset(reason, 'x', sizeof reason);
    values.reason = (struct recourse_span){reason, 220};
    RCS_EQUAL(recourse_message_render(&policy, TOY_REFUSED, &values, out, sizeof out), 7 + 220 + 1);
    values.reason.size = 221;
    RCS_EQUAL(recourse_message_render(&policy, TOY_REFUSED, &values, out, sizeof out), 7 + 220 + 1);
    RCS_TEXT_EQUAL(out + 7 + 216, "x....");
    policy.settings.reason_characters = UINT32_MAX;
    values.reason.size = sizeof reason;
    RCS_EQUAL(recourse_message_render(&policy, TOY_REFUSED, &values, out, sizeof out), 7 + 400 + 1);
}

static void names_are_made_fit_too(void)
{
    const struct recourse_message_values values = {.tool = SPAN("a\x1b[31m\n\0b"), .call = SPAN("c\r\nX: y\xc3")};

    check_text("{tool}", &values, "a \xef\xbf\xbd" "b");
    check_text("{call}", &values, "c X: y\xef\xbf\xbd");
}

/* A model may ask for a tool whose name is a megabyte long: it is told so in one line all the same. */
static void names_are_cut(void)
{
    char name[400], expected[129];
    const struct recourse_message_values long_names = {.tool = {name, sizeof name}, .call = {name, 129}};
    const struct recourse_message_values as_long_as_may_be = {.tool = {name, 128}, .call = {name, 128}};

    memset(name, 'n', sizeof name);
    memset(expected, 'n', sizeof expected);
    expected[128] = '\0';
    check_text("{tool}", &as_long_as_may_be, expected);
    check_text("{call}", &as_long_as_may_be, expected);
    memcpy(expected + 125, "...", 3);
    check_text("{tool}", &long_names, expected);
    check_text("{call}", &long_names, expected);
}

static void delays_are_exact(void)
{
    static const struct {
        uint64_t delay_ms;
        const char *shown;
    } cases[] = {
        {0, "now"},          {1, "now 1 ms"},       {999, "now 999 ms"},        {1000, "now 1 s"},
        {1500, "now 1500 ms"}, {60000, "now 60 s"}, {2592000000, "now 2592000 s"}, {2592000001, "now more than 30 days"},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        check_text("now {server_delay}", &(struct recourse_message_values){.server_delay_ms = cases[i].delay_ms}, cases[i].shown);
    }
    check_text("{status}", &(struct recourse_message_values){.http = UINT16_MAX}, "65535");
    check_text("{tries}", &(struct recourse_message_values){.tries = UINT32_MAX}, "4294967295");
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"the messages of lightspeed", the_messages_of_lightspeed},
        {"every placeholder has its value", every_placeholder_has_its_value},
        {"a blank before nothing goes", a_blank_before_nothing_goes},
        {"texts are taken as they are", texts_are_taken_as_they_are},
        {"reasons are made fit", reasons_are_made_fit},
        {"reasons are cut by the setting", reasons_are_cut_by_the_setting},
        {"names are made fit too", names_are_made_fit_too},
        {"names are cut", names_are_cut},
        {"delays are exact", delays_are_exact},
    };

    return rcs_unit_main("message", tests, RCS_COUNT(tests));
}
