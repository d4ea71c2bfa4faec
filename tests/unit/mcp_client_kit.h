/* What the tests of MCP share: servers on the simulated port, and the facts of each try in words. */
#ifndef RCS_MCP_CLIENT_KIT_H
#define RCS_MCP_CLIENT_KIT_H

#include "tests/unit/run_kit.h"

#define MCP_ID(id) "\"jsonrpc\":\"2.0\",\"id\":" #id
#define MCP_RESULT(id, result) "{" MCP_ID(id) ",\"result\":" result "}"
#define MCP_EVENT(text) "event: message\ndata: " text "\n\n"
/* Answers, in the order of what is asked: 1 is initialize, 2 the first list or call. */
#define MCP_HELLO \
    MCP_RESULT(1, "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"s\"}}")
#define MCP_TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"
#define MCP_LIST(tools) MCP_RESULT(2, "{\"tools\":[" tools "]}")
#define MCP_TEXT(text) "{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}"

#define MCP_JSON(text) {.status = 200, .phrase = "OK", .body = text, .after_ms = 1}
#define MCP_STREAM(text) \
    {.status = 200, .phrase = "OK", .body = text, .after_ms = 1, .headers = mcp_stream_headers, .header_count = 1}
#define MCP_ACCEPTED {.status = 202, .phrase = "Accepted", .after_ms = 1}
#define MCP_IN_SESSION(text) \
    {.status = 200, .body = text, .after_ms = 1, .headers = mcp_session_headers, .header_count = 1}

extern const struct recourse_header mcp_stream_headers[1];
extern const struct recourse_header mcp_session_headers[1]; /* "s-1" */

struct mcp_kit {
    struct kit kit;
    char facts[4096];  /* one word a try: "200,rpc-32602" */
    char detail[256]; /* of the first of them that had one */
    char beliefs[64]; /* what the policies that come with the library take the first one's effect for: "none none unknown" */
};

/* The toy policy, where a lost session is reached for in a new one, with this observer. */
void mcp_open(struct mcp_kit *mcp);
/* The same, with this allocator. */
void mcp_open_within(struct mcp_kit *mcp, const struct recourse_allocator *allocator);
void mcp_close(struct mcp_kit *mcp);
/* A server at "http://NAME/". */
struct recourse_mcp_server mcp_server(const char *name, char url[64]);
void mcp_add(struct mcp_kit *mcp, const char *name);
/* Lists the tools of all servers; the turn is done. */
struct recourse_turn *mcp_list(struct mcp_kit *mcp);
/* One call, to its end. */
struct recourse_turn *mcp_call(struct mcp_kit *mcp, const char *name, const char *arguments);
const struct sim_request *mcp_request(const struct mcp_kit *mcp, size_t index);
/* Of those that ask for nothing but a stream: 0 is the one that the session opened. */
const struct sim_request *mcp_stream(const struct mcp_kit *mcp, size_t index);

#endif
