/* What the tests of MCP's two eras share: answers of modern servers, and the methods that were asked for. */
#ifndef RCS_MCP_MODERN_KIT_H
#define RCS_MCP_MODERN_KIT_H

#include "tests/unit/mcp_client_kit.h"

#define DISCOVERED(versions) MCP_RESULT(1, "{\"resultType\":\"complete\",\"supportedVersions\":[" versions "],\"capabilities\":{}}")
#define MODERN MCP_JSON(DISCOVERED("\"2025-11-25\",\"2026-07-28\""))
#define TOOLS(id, tools) MCP_JSON(MCP_RESULT(id, "{\"resultType\":\"complete\",\"tools\":[" tools "],\"ttlMs\":0,\"cacheScope\":\"public\"}"))
#define READY MODERN, TOOLS(2, MCP_TOOL("find"))
#define ERROR_TEXT(id, code, data) "{" MCP_ID(id) ",\"error\":{\"code\":" #code ",\"message\":\"m\",\"data\":" data "}}"
#define REFUSED(id, code, data) {.status = 400, .phrase = "Bad Request", .body = ERROR_TEXT(id, code, data), .after_ms = 1}
#define STATUS(number) {.status = number, .phrase = "s", .after_ms = 1}
#define SUPPORTED(versions) "{\"supported\":[" versions "],\"requested\":\"2026-07-28\"}"
#define COMPLETE(text) "{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}"

/* The server "s" of this era. */
static inline void add(struct mcp_kit *mcp, enum recourse_mcp_era era)
{
    char url[64];
    struct recourse_mcp_server server = mcp_server("s", url);

    server.era = (uint8_t)era;
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp->kit.runner, &server, NULL), 0);
}

/* A server that has listed its tools; `rounds` as the policy allows. */
static inline void open_with(struct mcp_kit *mcp, const struct sim_answer *answers, size_t count, unsigned rounds)
{
    mcp_open(mcp);
    mcp->kit.policy.policy.settings.rounds = rounds;
    sim_route(&mcp->kit.sim, "http://s/", answers, count);
    add(mcp, RECOURSE_MCP_ERA_AUTO);
    (void)mcp_list(mcp);
    CU_ASSERT_TRUE_FATAL(recourse_runner_tools_ready(mcp->kit.runner));
    mcp->facts[0] = '\0';
}

/* The methods of all requests from `from` on: "discover list call". */
static inline const char *methods(const struct mcp_kit *mcp, size_t from)
{
    static char text[1024];
    static const char *const names[][2] = {{"server/discover", "discover"}, {"initialize", "initialize"},
                                           {"notifications/initialized", "initialized"}, {"tools/list", "list"},
                                           {"tools/call", "call"}, {"notifications/cancelled", "cancelled"}};

    text[0] = '\0';
    for (size_t i = from; i < mcp->kit.sim.request_count; i++) {
        const char *at = strstr(mcp_request(mcp, i)->body, "\"method\":\"");
        const char *name = strcmp(mcp_request(mcp, i)->method, "POST") == 0 ? "?" : mcp_request(mcp, i)->method;

        for (size_t n = 0; at != NULL && n < RCS_COUNT(names); n++) {
            name = strncmp(at + 10, names[n][0], strlen(names[n][0])) == 0 && at[10 + strlen(names[n][0])] == '"' ? names[n][1] : name;
        }
        if (strcmp(name, "GET") != 0 && strcmp(name, "DELETE") != 0) { /* of the legacy era: see test_mcp_listen */
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] != '\0' ? " " : "", name);
        }
    }
    return text;
}

#endif
