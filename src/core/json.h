/*
 * JSON as spans: finds things in a text without building anything. No allocation, no recursion.
 *
 * Strict RFC 8259, except that escapes of lone surrogates are let through (real replies have them): they are replaced when
 * unescaped. The grammar is json.rl.
 */
#ifndef RCS_JSON_H
#define RCS_JSON_H

#include <recourse/facts.h>

#define RCS_JSON_DEPTH_MAX 512u

enum rcs_json_type {
    RCS_JSON_NONE = 0, /* no value there, or not JSON */
    RCS_JSON_NULL = 1,
    RCS_JSON_FALSE = 2,
    RCS_JSON_TRUE = 3,
    RCS_JSON_NUMBER = 4,
    RCS_JSON_STRING = 5,
    RCS_JSON_ARRAY = 6,
    RCS_JSON_OBJECT = 7
};

enum rcs_json_fault {
    RCS_JSON_GOOD = 0,
    RCS_JSON_BAD = 1,       /* not JSON at the offset */
    RCS_JSON_UNENDED = 2,   /* the text ends too early: cut off */
    RCS_JSON_TOO_DEEP = 3,
    RCS_JSON_DUPLICATE = 4, /* an object has a key twice; the offset is the second one's */
    RCS_JSON_TOO_MANY = 5   /* more keys than could be compared in bounded time; the offset is the first one's too many */
};

#define RCS_JSON_KEYS_MAX 65536u /* where duplicates are refused */

/* Checks a whole text: one value, blanks around it, nothing else. `*offset` (may be NULL) is where the fault is.
   `refuse_duplicates` looks at keys as they read when unescaped, in every object, in fixed memory (some 40 KiB of stack): one more
   walk over the text where up to 1,536 keys are in open objects at once, beyond that one for each 3,072 keys in all. */
enum rcs_json_fault rcs_json_check(struct recourse_span text, bool refuse_duplicates, size_t *offset);

/* The functions below take spans that rcs_json_check found good, or spans they returned themselves; on other bytes they
   answer RCS_JSON_NONE or stop, but never read outside the span. */
enum rcs_json_type rcs_json_type_of(struct recourse_span value);
/* The value without the blanks around it. */
struct recourse_span rcs_json_trim(struct recourse_span text);

/* Walks an object or array. Begin with `*at` 0; false at the end. For arrays `key` is empty. Key and value are as written,
   the key with its quotes. */
bool rcs_json_next(struct recourse_span container, size_t *at, struct recourse_span *key, struct recourse_span *value);

/* The value at an RFC 6901 pointer ("" is the whole); data NULL if there is none. Of duplicate keys the last counts. */
struct recourse_span rcs_json_at(struct recourse_span text, const char *pointer);
/* The member of an object by its unescaped name; data NULL if there is none or `object` is none. The last one counts. */
struct recourse_span rcs_json_member(struct recourse_span object, const char *name);

/* Whether a string (with its quotes) reads as `text` when unescaped. */
bool rcs_json_string_is(struct recourse_span string, const char *text, size_t size);

/* Unescapes a string (with its quotes) to UTF-8: lone surrogates and bad bytes become U+FFFD; NUL stays NUL. Writes at most `size`
   bytes, cut at a code point, and returns the length when whole. */
size_t rcs_json_unescape(struct recourse_span string, char *out, size_t size);

/* Integer value of a number written without fraction or exponent; false if it is none or does not fit. */
bool rcs_json_integer(struct recourse_span number, int64_t *out);

/* Writes `text` (any bytes) as a JSON string with its quotes: bad UTF-8 becomes U+FFFD, control characters are escaped.
   Returns the length when whole; writes at most `size` bytes (nothing after a unit that does not fit). */
size_t rcs_json_quote(struct recourse_span text, char *out, size_t size);

#endif
