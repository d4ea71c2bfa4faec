/*
 * What an MCP server may write, of any bytes: as lines, cut anywhere, and each line as a message. Nothing is read outside of
 * it, spans lie inside of it, and what is sent in answer is JSON.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/tools/mcp_lines.h"
#include "src/tools/mcp_message.h"

#define LINE_MAX_SIZE 512u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds) {
        abort();
    }
}

static int lies_in(struct recourse_span span, struct recourse_span text)
{
    return span.size == 0 || (span.data >= text.data && span.data + span.size <= text.data + text.size);
}

static void demand_json(const struct rcs_buffer *body)
{
    demand(rcs_json_check((struct recourse_span){body->data, body->size}, false, NULL) == RCS_JSON_GOOD);
}

static void read_result(struct recourse_span result)
{
    struct rcs_buffer text;
    struct rcs_buffer ends;
    uint32_t end = 0;

    rcs_buffer_init(&text, NULL, 1u << 20);
    rcs_buffer_init(&ends, NULL, 1u << 20);
    (void)rcs_mcp_result_is_error(result);
    (void)rcs_mcp_result_type(result);
    if (rcs_mcp_put_content(&text, &ends, result) == 0) {
        for (size_t i = 0; i + sizeof end <= ends.size; i += sizeof end) {
            uint32_t before = end;

            memcpy(&end, ends.data + i, sizeof end);
            demand(end >= before && end <= text.size);
        }
    }
    rcs_buffer_clear(&text);
    rcs_buffer_clear(&ends);
}

static void read_message(struct recourse_span text)
{
    struct rcs_mcp_message message = rcs_mcp_message_read(text);
    struct rcs_mcp_message found = rcs_mcp_message_find(text, 1);
    struct rcs_buffer body;

    demand(lies_in(message.id, text) && lies_in(message.method, text) && lies_in(message.params, text) &&
           lies_in(message.result, text) && lies_in(message.message, text) && lies_in(message.data, text));
    demand(found.kind == RCS_MCP_NONE || rcs_mcp_message_answers(&found, 1));
    (void)rcs_mcp_message_progress(&message);
    if (message.kind == RCS_MCP_RESULT) {
        read_result(message.result);
    }
    if (message.kind == RCS_MCP_REQUEST) {
        rcs_buffer_init(&body, NULL, 1u << 20);
        (void)rcs_mcp_message_asks(&message);
        demand(rcs_mcp_put_answer(&body, &message) == 0);
        demand_json(&body);
        rcs_buffer_clear(&body);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = size > 0 ? (const char *)data + 1 : "";
    const char *end = at + (size > 0 ? size - 1 : 0);
    size_t piece = size > 0 ? 1u + data[0] % 64u : 1u;
    struct rcs_mcp_lines lines;
    struct rcs_mcp_line line;

    rcs_mcp_lines_init(&lines, NULL, LINE_MAX_SIZE);
    while (at < end) {
        const char *to = (size_t)(end - at) > piece ? at + piece : end;

        while (rcs_mcp_lines_next(&lines, &at, to, &line)) {
            demand(line.text.size <= LINE_MAX_SIZE);
            if (line.fault == 0) {
                read_message(line.text);
            }
        }
        demand(at == to);
    }
    if (rcs_mcp_lines_last(&lines, &line) && line.fault == 0) {
        read_message(line.text);
    }
    rcs_mcp_lines_clear(&lines);
    return 0;
}
