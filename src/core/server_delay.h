/* What retry_after.rl reads: the values of Retry-After, retry-after-ms and Date. */
#ifndef RCS_SERVER_DELAY_H
#define RCS_SERVER_DELAY_H

#include <recourse/facts.h>

enum rcs_delay_kind {
    RCS_DELAY_NONE = 0,   /* unreadable */
    RCS_DELAY_NUMBER = 1,
    RCS_DELAY_DATE = 2
};

struct rcs_delay {
    enum rcs_delay_kind kind;
    /* a number, in thousandths, what is finer cut off; UINT64_MAX if it is larger than that */
    uint64_t whole;
    unsigned thousandths;
    /* a date, as it is written */
    unsigned day, month, year, hour, minute, second; /* month from 0 */
    bool short_year; /* two digits */
};

/* Reads one value, blanks around it already gone. */
struct rcs_delay rcs_delay_scan(struct recourse_span text);

/*
 * Seconds since 1970 of a date; false if there is no such day or time. A year of two digits is the one that lies less
 * than 50 years before `now_s` or at most 50 after (RFC 9110, 5.6.7).
 */
bool rcs_delay_date(const struct rcs_delay *date, int64_t now_s, int64_t *seconds);

#endif
