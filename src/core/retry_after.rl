/* The values of Retry-After and Date (RFC 9110, 5.6.7 and 10.2.3): a number, or a date in one of three forms. */
#include "src/core/server_delay.h"

%%{
    machine rcs_retry_after;
    alphtype unsigned char;

    action number { out.kind = RCS_DELAY_NUMBER; }
    action date { out.kind = RCS_DELAY_DATE; }
    action whole { out.whole = out.whole > (UINT64_MAX - 9) / 10 ? UINT64_MAX : out.whole * 10 + (uint64_t)(*p - '0'); }
    action fraction { out.thousandths += weight * (unsigned)(*p - '0'); weight /= 10; }
    action day { out.day = out.day * 10 + (unsigned)(*p - '0'); }
    action year { out.year = out.year * 10 + (unsigned)(*p - '0'); }
    action hour { out.hour = out.hour * 10 + (unsigned)(*p - '0'); }
    action minute { out.minute = out.minute * 10 + (unsigned)(*p - '0'); }
    action second { out.second = out.second * 10 + (unsigned)(*p - '0'); }
    action short_year { out.short_year = true; }

    amount  = digit+ $whole ( '.' digit+ $fraction )?;

    weekday = 'Mon' | 'Tue' | 'Wed' | 'Thu' | 'Fri' | 'Sat' | 'Sun';
    dayname = 'Monday' | 'Tuesday' | 'Wednesday' | 'Thursday' | 'Friday' | 'Saturday' | 'Sunday';
    month   = 'Jan' @{ out.month = 0; } | 'Feb' @{ out.month = 1; } | 'Mar' @{ out.month = 2; }
            | 'Apr' @{ out.month = 3; } | 'May' @{ out.month = 4; } | 'Jun' @{ out.month = 5; }
            | 'Jul' @{ out.month = 6; } | 'Aug' @{ out.month = 7; } | 'Sep' @{ out.month = 8; }
            | 'Oct' @{ out.month = 9; } | 'Nov' @{ out.month = 10; } | 'Dec' @{ out.month = 11; };
    day     = digit{1,2} $day;
    year    = digit{4} $year;
    time    = digit{2} $hour ':' digit{2} $minute ':' digit{2} $second;
    zone    = 'GMT' | 'UTC';

    imf     = weekday ', ' day ' ' month ' ' year ' ' time ' ' zone;
    rfc850  = dayname ', ' day '-' month '-' ( digit{2} $year ) ' ' @short_year time ' ' zone;
    asctime = weekday ' ' month ' ' ' '? day ' ' time ' ' year;

    main := amount %number | ( imf | rfc850 | asctime ) %date;

    write data noerror nofinal noentry;
}%%

struct rcs_delay rcs_delay_scan(struct recourse_span text)
{
    struct rcs_delay out = {.kind = RCS_DELAY_NONE};
    const unsigned char *p = (const unsigned char *)text.data;
    const unsigned char *const pe = text.size > 0 ? p + text.size : p;
    const unsigned char *const eof = pe;
    unsigned weight = 100;
    int cs;

    %% write init;
    %% write exec;

    if (cs < %%{ write first_final; }%%) {
        out.kind = RCS_DELAY_NONE;
    }
    return out;
}
