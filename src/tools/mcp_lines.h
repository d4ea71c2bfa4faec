/*
 * Messages as a server on standard output writes them: one a line, ended by LF or CR LF. No I/O. A line that is too long is
 * not kept, only what tells which request it answers; the next one is read again.
 */
#ifndef RCS_MCP_LINES_H
#define RCS_MCP_LINES_H

#include "src/io/buffer.h"

#define RCS_MCP_HEAD 128u /* bytes of a line that is too long: of its begin */
#define RCS_MCP_TAIL 64u  /* and of its end */

struct rcs_mcp_line {
    struct recourse_span text; /* without its end; valid until the next call */
    int fault;  /* RECOURSE_E_LIMIT, RECOURSE_E_MEMORY: it could not be kept, and `text` is how it began */
    int64_t id; /* then: of the request that it answers; 0: that can't be told */
};

/* Caller-owned. */
struct rcs_mcp_lines {
    struct rcs_buffer begun; /* of a line that has not ended; its capacity is what is held */
    int fault; /* of the line under way: it is skipped */
    char head[RCS_MCP_HEAD];
    size_t head_size;
    char tail[RCS_MCP_TAIL];
    size_t tail_size;
    bool returned; /* `begun` was returned: it goes before the next byte */
};

/* `line_max` bounds one line. */
void rcs_mcp_lines_init(struct rcs_mcp_lines *lines, const struct recourse_allocator *allocator, size_t line_max);
void rcs_mcp_lines_clear(struct rcs_mcp_lines *lines);
/* Reads from `*at` up to `end` and moves `*at`. True: a line; call again, there may be more. */
bool rcs_mcp_lines_next(struct rcs_mcp_lines *lines, const char **at, const char *end, struct rcs_mcp_line *line);
/* Whether a line has begun and not ended. */
bool rcs_mcp_lines_has_begun(const struct rcs_mcp_lines *lines);
/* At the end of the stream: what has no end of its own is a line. False: there is nothing. */
bool rcs_mcp_lines_last(struct rcs_mcp_lines *lines, struct rcs_mcp_line *line);

#endif
