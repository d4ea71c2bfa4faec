/* Which era a server is of: what its answers tell, and when that is to be asked again. */
#include "src/tools/mcp.h"

#include <string.h>

static const struct {
    const char *version;
    enum recourse_mcp_era era;
} versions[] = {
    {RCS_MCP_MODERN_VERSION, RECOURSE_MCP_ERA_MODERN}, {"2025-11-25", RECOURSE_MCP_ERA_LEGACY},
    {"2025-06-18", RECOURSE_MCP_ERA_LEGACY},           {"2025-03-26", RECOURSE_MCP_ERA_LEGACY},
    {"2024-11-05", RECOURSE_MCP_ERA_LEGACY},
};

static enum recourse_mcp_era era_of_one(struct recourse_span version)
{
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        if (rcs_json_type_of(version) == RCS_JSON_STRING &&
            rcs_json_string_is(version, versions[i].version, strlen(versions[i].version))) {
            return versions[i].era;
        }
    }
    return RECOURSE_MCP_ERA_AUTO;
}

enum recourse_mcp_era rcs_mcp_era_of(struct recourse_span list)
{
    enum recourse_mcp_era era = RECOURSE_MCP_ERA_AUTO;
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    while (rcs_json_type_of(list) == RCS_JSON_ARRAY && era != RECOURSE_MCP_ERA_MODERN &&
           rcs_json_next(list, &at, &key, &value)) {
        enum recourse_mcp_era found = era_of_one(rcs_json_trim(value));

        era = found != RECOURSE_MCP_ERA_AUTO ? found : era;
    }
    return era;
}

static bool is_modern_error(int64_t code)
{
    return code >= RCS_MCP_UNSUPPORTED_VERSION && code <= RCS_MCP_HEADER_MISMATCH;
}

bool rcs_mcp_era_untold(const struct recourse_facts *facts)
{
    bool waited = facts->timeout != 0 && facts->timeout != RECOURSE_TIMEOUT_CONNECT && !facts->unsent;

    return (facts->timeout != 0 && !waited) || facts->network != 0 || facts->spawn || facts->too_large ||
           facts->http == 401 || facts->http == 403 || facts->http == 407 || facts->http == 408 ||
           facts->http == 429 || facts->http >= 500;
}

static enum rcs_mcp_probe probe_of(struct recourse_span list)
{
    switch (rcs_mcp_era_of(list)) {
    case RECOURSE_MCP_ERA_MODERN:
        return RCS_MCP_PROBE_MODERN;
    case RECOURSE_MCP_ERA_LEGACY:
        return RCS_MCP_PROBE_LEGACY;
    default:
        return RCS_MCP_PROBE_NEITHER;
    }
}

enum rcs_mcp_probe rcs_mcp_era_read(const struct rcs_mcp_reply *reply)
{
    const struct recourse_facts *facts = &reply->facts;
    struct recourse_span list;

    if (rcs_mcp_era_untold(facts)) {
        return RCS_MCP_PROBE_FAILED;
    }
    if (reply->message.kind == RCS_MCP_RESULT) {
        list = rcs_json_trim(rcs_json_member(reply->message.result, "supportedVersions"));
        return rcs_json_type_of(list) == RCS_JSON_ARRAY ? probe_of(list) : RCS_MCP_PROBE_LEGACY;
    }
    if (!facts->has_rpc || !is_modern_error(facts->rpc)) {
        return RCS_MCP_PROBE_LEGACY;
    }
    if (facts->rpc != RCS_MCP_UNSUPPORTED_VERSION) {
        return RCS_MCP_PROBE_MODERN;
    }
    return probe_of(rcs_json_trim(rcs_json_member(facts->json, "supported")));
}

bool rcs_mcp_era_correct(struct rcs_mcp_server *server, uint64_t generation, const struct rcs_mcp_reply *reply)
{
    enum recourse_mcp_era era = rcs_mcp_era_of(rcs_json_trim(rcs_json_member(reply->facts.json, "supported")));

    if (era == RECOURSE_MCP_ERA_LEGACY && server->config.era == RECOURSE_MCP_ERA_AUTO) {
        rcs_mcp_session_lost(server, generation);
        if (server->stage == RCS_MCP_CLOSED && server->handshake == NULL) {
            server->era = RECOURSE_MCP_ERA_LEGACY;
        }
        return true;
    }
    return era == RECOURSE_MCP_ERA_MODERN;
}

void rcs_mcp_era_doubt(struct rcs_mcp_server *server, uint64_t generation, const struct recourse_facts *facts)
{
    bool is_strange = server->era == RECOURSE_MCP_ERA_MODERN
                          ? (facts->http == 400 && (!facts->has_rpc || (facts->rpc <= -32000 && facts->rpc >= -32019))) ||
                                (facts->http == 404 && !(facts->has_rpc && facts->rpc == -32601)) || facts->http == 405
                          : facts->has_rpc && is_modern_error(facts->rpc);

    if (!is_strange || server->config.era != RECOURSE_MCP_ERA_AUTO || server->generation != generation) {
        return;
    }
    rcs_mcp_session_lost(server, generation);
    if (server->stage == RCS_MCP_CLOSED && server->handshake == NULL) {
        server->era = RECOURSE_MCP_ERA_AUTO;
    }
}
