/*
 * Text that somebody else wrote, made fit to be shown. No allocation. Functions that write to `out` return the length when
 * whole, and write at most `size` bytes: nothing after a code point that does not fit, and a NUL only if there is room for it.
 */
#ifndef RCS_TEXT_H
#define RCS_TEXT_H

#include <recourse/facts.h>

/*
 * Decodes one code point at `text[*at]` and moves on. Bad bytes (overlong, surrogate, out of range, stray or missing
 * continuation) are U+FFFD, one for each maximal subpart (Unicode 15, table 3-8).
 */
uint32_t rcs_utf8_next(const char *text, size_t size, size_t *at);
/* Writes a code point (1 to 4 bytes) to `out`; returns how many. */
size_t rcs_utf8_put(uint32_t code_point, char out[4]);
size_t rcs_utf8_count(struct recourse_span text); /* code points, a bad one counted as one */
bool rcs_utf8_is_good(struct recourse_span text); /* whether all of it is well-formed */
/* As it is, but for bad bytes, which become U+FFFD. */
size_t rcs_utf8_mend(struct recourse_span text, char *out, size_t size);

/*
 * Cleans: well-formed UTF-8; ESC sequences (CSI, OSC, and two-byte ones) go whole; C0 and C1 controls but \t \n \r, DEL, and
 * U+FFFE/U+FFFF are replaced by U+FFFD; NUL too. CR LF stays. Bidirectional overrides (U+202A-E, U+2066-9) are replaced.
 * Of an OSC that does not end only the two bytes that begin it go.
 */
size_t rcs_text_clean(struct recourse_span text, char *out, size_t size);

/* Cleans, folds white space into single blanks, trims, and cuts to `max` code points (a longer one keeps max - 3 and ends
   in "..."; UINT32_MAX: no cut). */
size_t rcs_text_reason(struct recourse_span text, uint32_t max, char *out, size_t size);

/* Where to cut clean text so that at most `max` code points stay: at the last line break before the limit if there is one (the
   break goes; one at the very beginning does not count), otherwise at the limit. Returns bytes; `text.size` if it is short enough. */
size_t rcs_text_cut(struct recourse_span text, size_t max);

/* ASCII only, so that no locale has a say. */
bool rcs_text_find_folded(struct recourse_span text, const char *lower); /* is `lower` in it, in any case */
bool rcs_text_equal_folded(struct recourse_span text, const char *other);
struct recourse_span rcs_text_trim(struct recourse_span text); /* blanks and tabs */

#endif
