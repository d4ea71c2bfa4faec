/* Writes JSON into memory. Commas come by themselves; out of memory ends the process. */
#ifndef RCS_JSON_OUT_H
#define RCS_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/facts.h>

/* Zeroed, it is ready. */
struct rcs_out {
    char *data;
    size_t size;
    size_t capacity;
};

void rcs_out_open(struct rcs_out *out, char bracket);  /* { or [ */
void rcs_out_close(struct rcs_out *out, char bracket); /* } or ] */
void rcs_out_key(struct rcs_out *out, const char *key);
void rcs_out_text(struct rcs_out *out, const char *text); /* NULL: null */
void rcs_out_span(struct rcs_out *out, struct recourse_span text);
void rcs_out_number(struct rcs_out *out, uint64_t number);
void rcs_out_signed(struct rcs_out *out, int64_t number);
void rcs_out_bool(struct rcs_out *out, bool value);
void rcs_out_null(struct rcs_out *out);
void rcs_out_raw(struct rcs_out *out, struct recourse_span json); /* a JSON value, as it is; empty: null */
void rcs_out_hex(struct rcs_out *out, const uint8_t *bytes, size_t size);
void rcs_out_line(struct rcs_out *out); /* ends a value with a line break */
void rcs_out_clear(struct rcs_out *out);

/* Writes what is there, and a line break, to stdout; and clears it. */
void rcs_out_print(struct rcs_out *out);

#endif
