#include "gen/grammar.h"

%%{
    machine rcs_cell;
    alphtype unsigned char;

    action word     { add(&list, RCS_TOKEN_WORD, ts, te); }
    action string   { add(&list, RCS_TOKEN_STRING, ts, te); }
    action number   { add(&list, RCS_TOKEN_NUMBER, ts, te); }
    action decimal  { add(&list, RCS_TOKEN_DECIMAL, ts, te); }
    action duration { add(&list, RCS_TOKEN_DURATION, ts, te); }
    action percent  { add(&list, RCS_TOKEN_PERCENT, ts, te); }
    action factor   { add(&list, RCS_TOKEN_FACTOR, ts, te); }
    action comma    { add(&list, RCS_TOKEN_COMMA, ts, te); }
    action colon    { add(&list, RCS_TOKEN_COLON, ts, te); }
    action at       { add(&list, RCS_TOKEN_AT, ts, te); }
    action bang     { add(&list, RCS_TOKEN_BANG, ts, te); }
    action dash     { add(&list, RCS_TOKEN_DASH, ts, te); }
    action unclosed { add(&list, RCS_TOKEN_UNCLOSED, ts, te); }
    action unknown  { add(&list, RCS_TOKEN_UNKNOWN, ts, te); }

    count = [0-9]+;
    amount = count ( '.' count )?;
    unit = 'ms' | 's' | 'm' | 'h';
    inside = ( [^"\\] | '\\' any )*;

    # The longest wins, then the first: a word is what is nothing more special.
    main := |*
        ' '+;
        amount unit              => duration;
        'x' amount               => factor;
        count '%'                => percent;
        count                    => number;
        count '.' count          => decimal;
        [A-Za-z0-9_]+            => word;
        '"' inside '"'           => string;
        '"' inside '\\'?         => unclosed;
        ','                      => comma;
        ':'                      => colon;
        '@'                      => at;
        '!'                      => bang;
        '-'                      => dash;
        0x80..0xff+              => unknown;
        any                      => unknown;
    *|;

    write data noerror nofinal noentry;
}%%

struct list {
    struct rcs_arena *arena;
    const unsigned char *text;
    struct rcs_token *tokens;
    size_t count;
};

static void add(struct list *list, enum rcs_token_kind kind, const unsigned char *ts, const unsigned char *te)
{
    struct rcs_token *token = rcs_arena_push(list->arena, &list->tokens, &list->count, sizeof *token);

    token->kind = (uint8_t)kind;
    token->begin = (uint32_t)(ts - list->text);
    token->end = (uint32_t)(te - list->text);
}

size_t rcs_tokens(struct rcs_arena *arena, const char *text, size_t size, struct rcs_token **tokens)
{
    const unsigned char *p = (const unsigned char *)text;
    const unsigned char *pe = p + size;
    const unsigned char *eof = pe;
    const unsigned char *ts;
    const unsigned char *te;
    struct list list = {.arena = arena, .text = p};
    int cs;
    int act;

    %%{
        write init;
        write exec;
    }%%
    (void)act;
    add(&list, RCS_TOKEN_END, pe, pe);
    *tokens = list.tokens;
    return list.count - 1;
}

%%{
    machine rcs_row;
    alphtype unsigned char;

    action bar {
        *(size_t *)rcs_arena_push(arena, &bars->at, &bars->count, sizeof *bars->at) = (size_t)(p - begin);
    }
    action doubtful {
        if (!bars->has_doubtful) {
            bars->has_doubtful = true;
            bars->doubtful = (size_t)(p - begin);
        }
    }

    main := (
        start: (
            '|' @bar       -> start |
            '\\'           -> slash |
            [^|\\]         -> start
        ),
        slash: (
            '\\'           -> slashes |
            [^\\]          -> start
        ),
        slashes: (
            '|' @doubtful  -> start |
            '\\'           -> slashes |
            [^|\\]         -> start
        )
    );

    write data noerror nofinal noentry;
}%%

void rcs_row_bars(struct rcs_arena *arena, const char *line, size_t size, struct rcs_bars *bars)
{
    const unsigned char *begin = (const unsigned char *)line;
    const unsigned char *p = begin;
    const unsigned char *pe = p + size;
    int cs;

    *bars = (struct rcs_bars){0};
    %%{
        write init;
        write exec;
    }%%
}
