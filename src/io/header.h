/* Lines of headers, "Name: value", as a request may have them (RFC 9110, 5.1 and 5.5). */
#ifndef RCS_IO_HEADER_H
#define RCS_IO_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes of a token (RFC 9110, 5.6.2) the text begins with. */
size_t rcs_header_token_size(const char *text);
/* The length of the line's name, a token that a colon follows; 0: it has none. */
size_t rcs_header_name_size(const char *line);
/* Whether the line has no line break in it and no other control character but tabs. */
bool rcs_header_is_clean(const char *line);
/* Whether it says where the request ends, or what becomes of the connection: libcurl's to say, and nobody else's. */
bool rcs_header_is_framing(const char *line);

#define RCS_HEADER_LINE_MAX 8192u /* bytes of a line that is sent */

#endif
