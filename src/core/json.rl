/* Scalars of JSON (RFC 8259, sections 3, 6 and 7). Nesting is json_walk.c's. */
#include "src/core/json_token.h"

%%{
    machine rcs_json;
    alphtype unsigned char;

    action done { done = p + 1; }
    action followed { done = p; }
    action is_string { *type = RCS_JSON_STRING; }
    action is_number { *type = RCS_JSON_NUMBER; }
    action is_null { *type = RCS_JSON_NULL; }
    action is_true { *type = RCS_JSON_TRUE; }
    action is_false { *type = RCS_JSON_FALSE; }

    # Bytes from 0x80 on pass as they are: whether they are UTF-8 matters when they are shown, not when they are found.
    plain   = ( 0x20..0xff ) - [\\"];
    escape  = '\\' ( ["\\/bfnrt] | 'u' xdigit{4} );
    string  = '"' ( plain | escape )* '"' @done;

    integer = '-'? ( '0' | [1-9] digit* );
    number  = integer ( '.' digit+ )? ( [eE] [+\-]? digit+ )?;
    # Only what may stand behind a value ends a number, so that the fault in `01` or `1.x` is where one looks for it.
    follow  = [ \t\r\n,\]}];

    main := string >is_string
          | number >is_number ( follow @followed )?
          | ( 'null' @done ) >is_null
          | ( 'true' @done ) >is_true
          | ( 'false' @done ) >is_false;

    write data noerror nofinal noentry;
}%%

enum rcs_json_fault rcs_json_token(struct recourse_span text, size_t at, enum rcs_json_type *type, size_t *end)
{
    const unsigned char *const begin = (const unsigned char *)text.data + at;
    const unsigned char *const pe = (const unsigned char *)text.data + text.size;
    const unsigned char *p = begin;
    const unsigned char *done = NULL;
    int cs;

    %% write init;
    %% write exec;

    if (done == NULL && p == pe && cs >= %%{ write first_final; }%%) {
        done = pe; /* a number that the text ends with */
    }
    *end = at + (size_t)((done != NULL ? done : p) - begin);
    if (done != NULL) {
        return RCS_JSON_GOOD;
    }
    return p == pe ? RCS_JSON_UNENDED : RCS_JSON_BAD;
}
