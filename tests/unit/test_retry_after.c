#include "tests/unit/unit.h"

#include <recourse/call.h>

#include "src/core/server_delay.h"

#define TOO_LONG ((long long)RECOURSE_DURATION_MAX_MS + 1)
#define NOW_U3 1559559600u /* 2019-06-03 11:00:00 UTC, a Monday */
#define NOW_OAI 1696004797u /* Fri 29 Sep 2023 16:26:37 GMT */

static struct recourse_span span(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

/* The delay of an answer with up to three headers. */
static uint64_t delay_of(uint64_t wall_s, const char *const headers[6])
{
    struct recourse_header list[3];
    struct recourse_facts facts = {.http = 429, .wall_s = wall_s, .headers = list};

    while (facts.header_count < 3 && headers[2 * facts.header_count] != NULL) {
        list[facts.header_count].name = span(headers[2 * facts.header_count]);
        list[facts.header_count].value = span(headers[2 * facts.header_count + 1]);
        facts.header_count++;
    }
    return recourse_server_delay(&facts);
}

static uint64_t retry_after(uint64_t wall_s, const char *value)
{
    return delay_of(wall_s, (const char *const[6]){"Retry-After", value});
}

struct value_case {
    const char *value;
    long long delay_ms;
};

static void check_values(uint64_t wall_s, const struct value_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        RCS_EQUAL(retry_after(wall_s, cases[i].value), cases[i].delay_ms);
    }
}

static void seconds_are_read(void)
{
    static const struct value_case cases[] = {
        {"20", 20000},       {"0", 0},           {"1", 1000},          {"60", 60000},        {"121", 121000},
        {"3600", 3600000},   {"\t42 ", 42000},   {"007", 7000},        {"0.5", 500},         {"1.9999", 1999},
        {"0.0009", 0},       {"0.001", 1},       {"1.0", 1000},        {"2.25", 2250},       {"0.0", 0},
        {"2592000", 2592000000}, {"2592000.0009", 2592000000}, {"2592000.001", TOO_LONG}, {"2592001", TOO_LONG},
        {"18446744073709551615", TOO_LONG}, {"18446744073709551616", TOO_LONG}, {"18446744073709552", TOO_LONG},
        {"99999999999999999999999999999999999", TOO_LONG}, {"4294967296", TOO_LONG},
    };

    check_values(0, cases, RCS_COUNT(cases));
}

static void nonsense_is_none(void)
{
    static const struct value_case cases[] = {
        {"", 0},        {" ", 0},         {"-10", 0},     {"-1", 0},      {"+1", 0},       {"1.", 0},      {".5", 0},
        {"1.5.5", 0},   {"1e3", 0},       {"0x10", 0},    {"inf", 0},     {"nan", 0},      {"\xc2\xb2", 0}, {"10 s", 0},
        {"10s", 0},     {"120, 120", 0},  {"1,5", 0},     {"1 2", 0},     {"invalid", 0},  {"10\n", 0},    {"10\r\nX: y", 0},
        {"Zun, 29 Sep 2023 16:26:37 GMT", 0},             {"Fri, 29 Sep 100000 16:26:37 GMT", 0},
        {"Fri, 29 Sep 2093 16:26:37 PST", 0},             {"Fri, 29 Sep 2093 16:26:37", 0},
        {"fri, 29 sep 2093 16:26:37 gmt", 0},             {"Fri, 31 Apr 2093 16:26:37 GMT", 0},
        {"Fri, 00 Apr 2093 16:26:37 GMT", 0},             {"Fri, 29 Feb 2093 16:26:37 GMT", 0},
        {"Fri, 29 Apr 2093 24:26:37 GMT", 0},             {"Fri, 29 Apr 2093 16:60:37 GMT", 0},
        {"Fri, 29 Apr 2093 16:26:61 GMT", 0},             {"Fri, 129 Apr 2093 16:26:37 GMT", 0},
        {"Fri, 29 Foo 2093 16:26:37 GMT", 0},             {"Fri, 29 Apr 2093 16:26:37 GMT, 5", 0},
        {"Fri 29 Apr 2093 16:26:37 GMT", 0},              {"Fri, 29 Apr 93 16:26:37 GMT", 0},
        {"Friday, 29-Apr-2093 16:26:37 GMT", 0},          {"Fri, 29-Apr-93 16:26:37 GMT", 0},
        {"2093-04-29T16:26:37Z", 0},                      {"Fri, 29 Apr 2093 1:26:37 GMT", 0},
    };

    check_values(NOW_OAI, cases, RCS_COUNT(cases));
}

static void dates_count_from_now(void)
{
    static const struct value_case openai[] = {
        {"Fri, 29 Sep 2023 16:26:57 GMT", 20000},  {"Fri, 29 Sep 2023 16:26:37 GMT", 0}, {"Fri, 29 Sep 2023 16:26:27 GMT", 0},
        {"Fri, 29 Sep 2023 16:27:37 GMT", 60000},  {"Fri, 29 Sep 2023 16:27:38 GMT", 61000},
        {"Fri, 29 Sep 2023 16:28:38 GMT", 121000}, {"Fri, 29 Sep 2023 16:26:38 GMT", 1000},
        {"Sun, 29 Oct 2023 16:26:37 GMT", 2592000000}, {"Sun, 29 Oct 2023 16:26:38 GMT", TOO_LONG},
        {"Fri, 31 Dec 9999 23:59:59 GMT", TOO_LONG}, {"Sat, 01 Jan 0000 00:00:00 GMT", 0},
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0},      {"Fri, 29 Sep 2023 16:26:60 GMT", 23000},
    };
    static const struct value_case urllib3[] = {
        {"Mon, 3 Jun 2019 12:00:00 UTC", 3600000},     {"Mon, 03 Jun 2019 11:00:00 UTC", 0},
        {"Mon, 03 Jun 2019 11:30:12 GMT", 1812000},    {"Monday, 03-Jun-19 11:30:12 GMT", 1812000},
        {"Mon Jun  3 11:30:12 2019", 1812000},         {"Mon Jun 3 11:30:12 2019", 1812000},
        {"Mon Jun 03 11:30:12 2019", 1812000},         {"Monday, 3-Jun-19 11:30:12 UTC", 1812000},
        {"Mon Jun   3 11:30:12 2019", 0},              {"Mon Jun  3 11:30:12 2019 GMT", 0},
    };

    check_values(NOW_OAI, openai, RCS_COUNT(openai));
    check_values(NOW_U3, urllib3, RCS_COUNT(urllib3));
}

static void dates_count_from_the_servers_own(void)
{
    static const char date[] = "Fri, 29 Sep 2023 16:26:57 GMT";

    /* Our clock is a day ahead: the answer's Date says what is meant. */
    RCS_EQUAL(delay_of(NOW_OAI + 86400, (const char *const[6]){"retry-after", date, "date", "Fri, 29 Sep 2023 16:26:37 GMT"}),
              20000);
    RCS_EQUAL(delay_of(0, (const char *const[6]){"DATE", "Friday, 29-Sep-23 16:26:50 GMT", "Retry-after", date}), 7000);
    /* No date, an unreadable one, or two: our clock; and without a clock nothing. */
    RCS_EQUAL(delay_of(NOW_OAI, (const char *const[6]){"Retry-After", date, "Date", "yesterday"}), 20000);
    RCS_EQUAL(delay_of(NOW_OAI, (const char *const[6]){"Retry-After", date, "Date", "12"}), 20000);
    RCS_EQUAL(delay_of(NOW_OAI, (const char *const[6]){"Retry-After", date, "Date", "Fri, 31 Sep 2023 16:26:50 GMT"}), 20000);
    RCS_EQUAL(delay_of(NOW_OAI, (const char *const[6]){"Retry-After", date, "Date", "Fri, 29 Sep 2023 16:26:50 GMT", "Date",
                                                       "Fri, 29 Sep 2023 16:26:50 GMT"}), 20000);
    RCS_EQUAL(delay_of(0, (const char *const[6]){"Retry-After", date}), 0);
    RCS_EQUAL(delay_of(0, (const char *const[6]){"Retry-After", date, "Date", "yesterday"}), 0);
    RCS_EQUAL(delay_of(UINT64_MAX, (const char *const[6]){"Retry-After", date}), 0);
}

static void milliseconds_win(void)
{
    static const struct {
        const char *ms;
        long long delay_ms;
    } cases[] = {
        {"1500", 1500},    {"0", 0},          {"10000", 10000},   {"1.9", 1},       {"0.5", 0},          {" 25 ", 25},
        {"invalid", 9000}, {"-100", 9000},    {"", 9000},         {"1,000", 9000},  {"2592000000", 2592000000},
        {"2592000001", TOO_LONG}, {"99999999999999999999999", TOO_LONG}, {"Fri, 29 Sep 2023 16:26:57 GMT", 9000},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(delay_of(NOW_OAI, (const char *const[6]){"Retry-After", "9", "Retry-After-Ms", cases[i].ms}),
                  cases[i].delay_ms);
    }
    RCS_EQUAL(delay_of(0, (const char *const[6]){"retry-after-ms", "5", "retry-after-ms", "5", "retry-after", "2"}), 2000);
    RCS_EQUAL(delay_of(0, (const char *const[6]){"retry-after-ms", "nonsense"}), 0);
}

static void other_headers_say_nothing(void)
{
    RCS_EQUAL(recourse_server_delay(&(struct recourse_facts){.http = 429}), 0);
    RCS_EQUAL(delay_of(0, (const char *const[6]){"Retry-Afterwards", "5", "X-Retry-After", "5", "Retry", "5"}), 0);
    RCS_EQUAL(delay_of(0, (const char *const[6]){"Retry-After", "5", "Retry-After", "5"}), 0);
    RCS_EQUAL(delay_of(0, (const char *const[6]){"Retry-After", "5", "retry-after", "x"}), 0);
    RCS_EQUAL(delay_of(0, (const char *const[6]){"rEtRy-aFtEr", "5"}), 5000);
}

static int64_t seconds_of(const char *date, int64_t now_s)
{
    const struct rcs_delay scanned = rcs_delay_scan(span(date));
    int64_t seconds = -1;

    RCS_EQUAL(scanned.kind, RCS_DELAY_DATE);
    return rcs_delay_date(&scanned, now_s, &seconds) ? seconds : -1;
}

static void dates_are_exact(void)
{
    static const struct {
        const char *date;
        int64_t seconds;
    } cases[] = {
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0},           {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
        {"Sun Nov  6 08:49:37 1994", 784111777},        {"Tue, 29 Feb 2000 12:00:00 GMT", 951825600},
        {"Wed, 01 Mar 2000 00:00:00 GMT", 951868800},   {"Mon, 29 Feb 2100 00:00:00 GMT", -1},
        {"Thu, 29 Feb 2024 23:59:59 GMT", 1709251199},  {"Fri, 31 Dec 9999 23:59:59 GMT", 253402300799},
        {"Tue, 19 Jan 2038 03:14:08 GMT", 2147483648},  {"Wed, 31 Dec 1969 23:59:59 GMT", -1},
        {"Sat, 31 Jan 2026 00:00:00 GMT", 1769817600},  {"Sun, 01 Feb 2026 00:00:00 GMT", 1769904000},
        {"Tue, 31 Mar 2026 00:00:00 GMT", 1774915200},  {"Thu, 30 Apr 2026 00:00:00 GMT", 1777507200},
        {"Sun, 31 May 2026 00:00:00 GMT", 1780185600},  {"Tue, 30 Jun 2026 00:00:00 GMT", 1782777600},
        {"Fri, 31 Jul 2026 00:00:00 GMT", 1785456000},  {"Mon, 31 Aug 2026 00:00:00 GMT", 1788134400},
        {"Wed, 30 Sep 2026 00:00:00 GMT", 1790726400},  {"Sat, 31 Oct 2026 00:00:00 GMT", 1793404800},
        {"Mon, 30 Nov 2026 00:00:00 GMT", 1795996800},  {"Thu, 31 Dec 2026 00:00:00 GMT", 1798675200},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(seconds_of(cases[i].date, 0), cases[i].seconds);
    }
}

/* Two digits name the year that is less than 50 years away; 50 years ahead still counts as ahead. */
static void short_years_are_near(void)
{
    static const struct {
        const char *date;
        int64_t now_s;
        int64_t seconds;
    } cases[] = {
        {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777, 784111777},
        {"Sunday, 06-Nov-94 08:49:37 GMT", NOW_U3, 784111777},
        {"Tuesday, 01-Jan-69 00:00:00 GMT", NOW_U3, 3124224000},  /* 2069 */
        {"Wednesday, 01-Jan-70 00:00:00 GMT", NOW_U3, 0},         /* 1970, not 2070 */
        {"Friday, 01-Jan-00 00:00:00 GMT", 4070908800, 4102444800}, /* from 2099: 2100 */
        {"Friday, 01-Jan-49 00:00:00 GMT", 0, -662688000},        /* before 1970: 1949 */
        {"Saturday, 01-Jan-20 00:00:00 GMT", -1, 1577836800},
        {"Friday, 31-Dec-99 23:59:59 GMT", 253402300799, 253402300799},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(seconds_of(cases[i].date, cases[i].now_s), cases[i].seconds);
    }
}

/* Each day of some 400 years follows the one before. */
static void days_follow_each_other(void)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    int64_t expected = 0;
    unsigned wrong = 0;

    for (unsigned year = 1970; year < 2405; year++) {
        for (unsigned month = 0; month < 12; month++) {
            for (unsigned day = 1; day <= 31; day++) {
                char text[64];
                struct rcs_delay date;
                int64_t seconds;

                snprintf(text, sizeof text, "Mon, %02u %s %04u 00:00:00 GMT", day, months[month], year);
                date = rcs_delay_scan(span(text));
                if (!rcs_delay_date(&date, 0, &seconds)) {
                    wrong += day < 29 ? 1 : 0;
                    continue;
                }
                wrong += seconds != expected ? 1 : 0;
                expected += 86400;
            }
        }
    }
    RCS_EQUAL(wrong, 0);
    RCS_EQUAL(expected, 13727318400); /* 1 January 2405 */
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"seconds are read", seconds_are_read},
        {"nonsense is none", nonsense_is_none},
        {"dates count from now", dates_count_from_now},
        {"dates count from the server's own", dates_count_from_the_servers_own},
        {"milliseconds win", milliseconds_win},
        {"other headers say nothing", other_headers_say_nothing},
        {"dates are exact", dates_are_exact},
        {"short years are near", short_years_are_near},
        {"days follow each other", days_follow_each_other},
    };

    return rcs_unit_main("retry_after", tests, RCS_COUNT(tests));
}
