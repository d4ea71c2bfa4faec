/*
 * The two grammars that Ragel compiles: the row of a table, and the words of a cell.
 * They know nothing of what is meant.
 */
#ifndef RCS_GRAMMAR_H
#define RCS_GRAMMAR_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

enum rcs_token_kind {
    RCS_TOKEN_END = 0,      /* after the last */
    RCS_TOKEN_WORD = 1,     /* letters, digits and `_`, none of the below */
    RCS_TOKEN_STRING = 2,   /* with its quotes, escapes as written */
    RCS_TOKEN_NUMBER = 3,   /* digits */
    RCS_TOKEN_DECIMAL = 4,  /* 1.5 */
    RCS_TOKEN_DURATION = 5, /* 200ms 1.5s 2m 1h */
    RCS_TOKEN_PERCENT = 6,  /* 25% */
    RCS_TOKEN_FACTOR = 7,   /* x2 x1.5 */
    RCS_TOKEN_COMMA = 8,
    RCS_TOKEN_COLON = 9,
    RCS_TOKEN_AT = 10,
    RCS_TOKEN_BANG = 11,
    RCS_TOKEN_DASH = 12,
    RCS_TOKEN_UNCLOSED = 13, /* a string without its closing quote: the rest of the cell */
    RCS_TOKEN_UNKNOWN = 14   /* anything else; bytes of a character outside ASCII stay together */
};

struct rcs_token {
    uint8_t kind;   /* enum rcs_token_kind */
    uint32_t begin; /* in the cell */
    uint32_t end;
};

/* Cuts a cell into tokens; blanks only part them. The array ends with RCS_TOKEN_END, which is not counted. */
size_t rcs_tokens(struct rcs_arena *arena, const char *text, size_t size, struct rcs_token **tokens);

struct rcs_bars {
    size_t *at; /* offset of each bar that parts cells, the first one included */
    size_t count;
    size_t doubtful; /* offset of the first bar after two or more backslashes: readers of Markdown disagree about it */
    bool has_doubtful;
};

/* Finds the bars of a row, a line whose first byte is a bar. `\|` is none of them. */
void rcs_row_bars(struct rcs_arena *arena, const char *line, size_t size, struct rcs_bars *bars);

#endif
