#include "server_delay.h"

#include <recourse/call.h>

#include "text.h"

#define TOO_LONG ((uint64_t)RECOURSE_DURATION_MAX_MS + 1)
#define MS_PER_S 1000u
#define YEAR_10000_S 253402300800u /* dates have four digits */
#define YEAR_2020_S 1577836800     /* what a year of two digits is near to where nobody knows the time */

static bool is_leap(unsigned year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days from 1970 to the first of January of `year`, which may be any from 0 on (proleptic Gregorian). */
static int64_t days_before_year(unsigned year)
{
    const int64_t before = (int64_t)year + 399; /* years 400 earlier count alike: no negative division */

    return before * 365 + before / 4 - before / 100 + before / 400 - 719162 - 146097;
}

static unsigned days_of_month(unsigned month, unsigned year)
{
    static const unsigned days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return month == 1 && is_leap(year) ? 29 : days[month];
}

static unsigned year_of(int64_t seconds)
{
    const int64_t days = seconds / 86400;
    unsigned year = (unsigned)(1970 + days / 366);

    while (days_before_year(year + 1) <= days) {
        year++;
    }
    return year;
}

/* The year that ends in these two digits and is at most 50 years after now, and less than 50 before. */
static unsigned full_year(unsigned digits, int64_t now_s)
{
    const unsigned now = year_of(now_s > 0 ? now_s : 0);
    const unsigned year = now - now % 100 + digits;

    if (year > now + 50) {
        return year - 100;
    }
    return year + 50 <= now ? year + 100 : year;
}

bool rcs_delay_date(const struct rcs_delay *date, int64_t now_s, int64_t *seconds)
{
    const unsigned year = date->short_year ? full_year(date->year, now_s) : date->year;
    int64_t days;

    if (date->day < 1 || date->day > days_of_month(date->month, year) || date->hour > 23 || date->minute > 59 ||
        date->second > 60) { /* a leap second is one */
        return false;
    }
    days = days_before_year(year) + (int64_t)date->day - 1;
    for (unsigned month = 0; month < date->month; month++) {
        days += days_of_month(month, year);
    }
    *seconds = ((days * 24 + date->hour) * 60 + date->minute) * 60 + date->second;
    return true;
}

/* The one header of this name; false if there is none, or more than one. */
static bool find_one(const struct recourse_facts *facts, const char *name, struct recourse_span *value)
{
    size_t count = 0;

    for (size_t i = 0; i < facts->header_count; i++) {
        if (rcs_text_equal_folded(facts->headers[i].name, name)) {
            *value = rcs_text_trim(facts->headers[i].value);
            count++;
        }
    }
    return count == 1;
}

/* A number of `unit_ms` each, in milliseconds; what is too large for us is TOO_LONG. */
static uint64_t number_ms(const struct rcs_delay *number, unsigned unit_ms)
{
    uint64_t ms;

    if (number->whole > RECOURSE_DURATION_MAX_MS) {
        return TOO_LONG;
    }
    ms = number->whole * unit_ms + number->thousandths * unit_ms / MS_PER_S;
    return ms > RECOURSE_DURATION_MAX_MS ? TOO_LONG : ms;
}

/* What time it was for the server, or for us; false if nobody knows. */
static bool find_now(const struct recourse_facts *facts, int64_t *now_s)
{
    const int64_t wall_s = facts->wall_s < YEAR_10000_S ? (int64_t)facts->wall_s : 0;
    struct recourse_span value;
    struct rcs_delay date;

    if (find_one(facts, "date", &value)) {
        date = rcs_delay_scan(value);
        if (date.kind == RCS_DELAY_DATE && rcs_delay_date(&date, wall_s != 0 ? wall_s : YEAR_2020_S, now_s)) {
            return true;
        }
    }
    *now_s = wall_s;
    return wall_s != 0;
}

static uint64_t date_ms(const struct recourse_facts *facts, const struct rcs_delay *date)
{
    int64_t now_s, then_s;

    if (!find_now(facts, &now_s) || !rcs_delay_date(date, now_s, &then_s) || then_s <= now_s) {
        return 0;
    }
    return then_s - now_s > (int64_t)(RECOURSE_DURATION_MAX_MS / MS_PER_S) ? TOO_LONG
                                                                           : (uint64_t)(then_s - now_s) * MS_PER_S;
}

uint64_t recourse_server_delay(const struct recourse_facts *facts)
{
    struct recourse_span value;
    struct rcs_delay delay;

    if (find_one(facts, "retry-after-ms", &value)) {
        delay = rcs_delay_scan(value);
        if (delay.kind == RCS_DELAY_NUMBER) {
            return number_ms(&delay, 1);
        }
    }
    if (!find_one(facts, "retry-after", &value)) {
        return 0;
    }
    delay = rcs_delay_scan(value);
    if (delay.kind == RCS_DELAY_DATE) {
        return date_ms(facts, &delay);
    }
    return delay.kind == RCS_DELAY_NUMBER ? number_ms(&delay, MS_PER_S) : 0;
}
