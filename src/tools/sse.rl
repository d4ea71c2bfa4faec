/* Lines of an event stream: which field, which part of it is the value, and where the line ends. */
#include "src/tools/sse.h"

%%{
    machine rcs_sse;
    alphtype unsigned char;
    variable cs sse->state;

    action data { sse->field = RCS_SSE_DATA; }
    action id { sse->field = RCS_SSE_ID; }
    action retry { sse->field = RCS_SSE_RETRY; }
    action event { sse->field = RCS_SSE_EVENT; }
    action other { sse->field = RCS_SSE_NONE; }
    action value { value = value == NULL ? p : value; }
    action end { out->ended = true; out->value_size = value != NULL ? (size_t)(p - value) : 0; }
    action blank { out->blank = true; }

    byte    = any - [\r\n];
    letter  = byte - ':';
    # One blank after the colon is not part of the value.
    rest    = ':' ( ' ' byte* $value | ( ( byte - ' ' ) byte* )? $value );
    known   = 'data' %data | 'id' %id | 'retry' %retry | 'event' %event;
    other   = ( letter+ - ( 'data' | 'id' | 'retry' | 'event' ) ) %other;
    comment = ':' >other byte*;
    line    = known rest? | other ( ':' byte* )? | comment;

    # A mark at the very beginning is none of the text; a LF behind a CR ends the same line.
    mark    = 0xef 0xbb ( 0xbf @( mark, 1 ) );
    eol     = '\n' @end | '\r' @end ( '\n' @( pair, 1 ) )?;
    nothing = '\n' @( pair, 0 ) @blank @end | '\r' @blank @end ( '\n' @( pair, 1 ) )?;

    main := mark? ( ( line $( mark, 0 ) ) eol | nothing )*;

    write data noerror nofinal noentry;
}%%

int rcs_sse_first_state(void)
{
    return %%{ write start; }%%;
}

void rcs_sse_scan(struct rcs_sse *sse, const char *bytes, size_t size, struct rcs_sse_scanned *out)
{
    const unsigned char *p = (const unsigned char *)bytes;
    const unsigned char *const pe = p + size;
    const unsigned char *value = NULL;

    %% write exec;

    out->value = (const char *)value;
    if (!out->ended && value != NULL) {
        out->value_size = (size_t)(pe - value);
    }
}
