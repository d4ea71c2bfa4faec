/* Bytes as hexadecimal digits, in small letters alone. */
#ifndef RCS_HEX_H
#define RCS_HEX_H

#include <recourse/facts.h>

/* Two digits a byte; no NUL. */
void rcs_hex_write(const uint8_t *bytes, size_t size, char *text);
/* False if the text is not exactly that many bytes; `bytes` may be changed then. */
bool rcs_hex_read(struct recourse_span text, uint8_t *bytes, size_t size);

#endif
