/* Which era a server is of: what its answers tell, and when that is to be asked again. */
#include "src/tools/mcp.h"

#include <stdio.h>
#include <string.h>

#define PROBE_MS 5000u /* that a server may take to say which era it is of; over HTTP beside connecting to it */

static const struct revision {
    const char *version;
    enum recourse_mcp_era era;
} revisions[] = {
    {RCS_MCP_MODERN_VERSION, RECOURSE_MCP_ERA_MODERN}, {"2025-11-25", RECOURSE_MCP_ERA_LEGACY},
    {"2025-06-18", RECOURSE_MCP_ERA_LEGACY},           {"2025-03-26", RECOURSE_MCP_ERA_LEGACY},
    {"2024-11-05", RECOURSE_MCP_ERA_LEGACY},
};

/* NULL: it is none that is spoken here. */
static const struct revision *revision_of(struct recourse_span version)
{
    for (size_t i = 0; i < sizeof revisions / sizeof revisions[0]; i++) {
        if (rcs_json_type_of(version) == RCS_JSON_STRING &&
            rcs_json_string_is(version, revisions[i].version, strlen(revisions[i].version))) {
            return &revisions[i];
        }
    }
    return NULL;
}

const char *rcs_mcp_era_version(struct recourse_span version)
{
    const struct revision *found = revision_of(version);

    return found != NULL && found->era == RECOURSE_MCP_ERA_LEGACY ? found->version : NULL;
}

/* What a list of versions comes to: modern if there is one that is spoken here, or legacy; AUTO: neither. */
static enum recourse_mcp_era era_of(struct recourse_span list)
{
    enum recourse_mcp_era era = RECOURSE_MCP_ERA_AUTO;
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    while (rcs_json_type_of(list) == RCS_JSON_ARRAY && era != RECOURSE_MCP_ERA_MODERN &&
           rcs_json_next(list, &at, &key, &value)) {
        const struct revision *found = revision_of(rcs_json_trim(value));

        era = found != NULL ? found->era : era;
    }
    return era;
}

static bool is_modern_error(int64_t code)
{
    return code >= RCS_MCP_UNSUPPORTED_VERSION && code <= RCS_MCP_HEADER_MISMATCH;
}

/* Whether facts tell of the way to the server, or of a refusal of whoever asks, and so nothing of its era. */
static bool is_untold(const struct recourse_facts *facts)
{
    bool waited = facts->timeout != 0 && facts->timeout != RECOURSE_TIMEOUT_CONNECT && !facts->unsent;

    return (facts->timeout != 0 && !waited) || facts->network != 0 || facts->spawn || facts->too_large ||
           facts->http == 401 || facts->http == 403 || facts->http == 407 || facts->http == 408 ||
           facts->http == 429 || facts->http >= 500;
}

enum probe { PROBE_FAILED, PROBE_LEGACY, PROBE_MODERN, PROBE_NEITHER };

static enum probe probe_of(struct recourse_span list)
{
    switch (era_of(list)) {
    case RECOURSE_MCP_ERA_MODERN:
        return PROBE_MODERN;
    case RECOURSE_MCP_ERA_LEGACY:
        return PROBE_LEGACY;
    default:
        return PROBE_NEITHER;
    }
}

/* What the answer to the probe, server/discover, says of the server. */
static enum probe read_probe(const struct rcs_mcp_reply *reply, bool is_program)
{
    const struct recourse_facts *facts = &reply->facts;
    struct recourse_span list;

    if (is_program ? facts->spawn : is_untold(facts)) { /* a program may also end of what it doesn't know */
        return PROBE_FAILED;
    }
    if (reply->message.kind == RCS_MCP_RESULT) {
        list = rcs_json_trim(rcs_json_member(reply->message.result, "supportedVersions"));
        return rcs_json_type_of(list) == RCS_JSON_ARRAY ? probe_of(list) : PROBE_LEGACY;
    }
    if (!facts->has_rpc || !is_modern_error(facts->rpc)) {
        return PROBE_LEGACY;
    }
    if (facts->rpc != RCS_MCP_UNSUPPORTED_VERSION) {
        return PROBE_MODERN;
    }
    return probe_of(rcs_json_trim(rcs_json_member(facts->json, "supported")));
}

bool rcs_mcp_era_correct(struct rcs_mcp_server *server, uint64_t generation, const struct rcs_mcp_reply *reply)
{
    enum recourse_mcp_era era = era_of(rcs_json_trim(rcs_json_member(reply->facts.json, "supported")));

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

/* ---- finding out ---- */

static struct recourse_span words(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

static void set_modern(struct rcs_mcp_server *server)
{
    server->era = RECOURSE_MCP_ERA_MODERN;
    server->stage = RCS_MCP_OPEN;
    server->generation++;
    snprintf(server->version, sizeof server->version, RCS_MCP_VERSION_HEADER RCS_MCP_MODERN_VERSION);
}

bool rcs_mcp_session_open(struct rcs_mcp_server *server)
{
    if (server->stage == RCS_MCP_CLOSED && server->handshake == NULL && server->era == RECOURSE_MCP_ERA_MODERN) {
        set_modern(server);
    }
    return server->stage == RCS_MCP_OPEN;
}

void rcs_mcp_era_refused(struct rcs_mcp_server *server, const struct rcs_mcp_reply *reply)
{
    bool finds_out = server->config.era == RECOURSE_MCP_ERA_AUTO;

    if (finds_out && reply->facts.has_rpc && read_probe(reply, server->config.url == NULL) == PROBE_MODERN) {
        set_modern(server);
        rcs_mcp_session_ready(server);
        return;
    }
    if (finds_out && !is_untold(&reply->facts)) {
        server->era = RECOURSE_MCP_ERA_AUTO;
    }
    rcs_mcp_session_fail(server, &reply->facts);
}

static void go_legacy(struct rcs_mcp_server *server)
{
    const struct recourse_facts facts = {
        .spawn = true, .detail = words("the handshake could not be sent: no memory or room for it")};

    server->era = RECOURSE_MCP_ERA_LEGACY;
    if (rcs_mcp_session_initialize(server) != 0) {
        rcs_mcp_session_fail(server, &facts);
    }
}

static void probed(void *user, const struct rcs_mcp_reply *reply)
{
    struct rcs_mcp_server *server = user;
    struct recourse_facts facts;

    server->handshake = NULL;
    rcs_timers_remove(server->host->timers, &server->probe_timer);
    switch (read_probe(reply, server->config.url == NULL)) {
    case PROBE_MODERN:
        set_modern(server);
        rcs_mcp_session_ready(server);
        break;
    case PROBE_LEGACY:
        go_legacy(server);
        break;
    case PROBE_NEITHER:
        facts = reply->facts;
        facts.protocol = true;
        facts.detail = words("the server speaks no revision of MCP that is known here");
        rcs_mcp_session_fail(server, &facts);
        break;
    default:
        rcs_mcp_session_fail(server, &reply->facts);
        break;
    }
}

void rcs_mcp_era_unanswered(struct rcs_timer *timer)
{
    struct rcs_mcp_server *server = RCS_OWNER(timer, struct rcs_mcp_server, probe_timer);
    struct rcs_mcp_exchange *unanswered = server->handshake;

    server->handshake = NULL; /* only the question ends, and not the process that was asked */
    (void)rcs_mcp_post_cancel(server, unanswered);
    go_legacy(server);
}

/* Never a call: a legacy server might run it. */
static int probe(struct rcs_mcp_server *server)
{
    struct recourse_port *port = server->host->port;
    struct rcs_mcp_order order = {
        .id = ++server->last_id, .modern = true, .deadline_ms = RECOURSE_FOREVER, .done = probed, .user = server};
    uint64_t wait_ms = PROBE_MS + (server->config.url != NULL ? server->config.connect_timeout_ms : 0);
    int code;

    rcs_mcp_session_forget(server);
    server->generation++; /* whoever still loses the one before changes nothing */
    snprintf(server->version, sizeof server->version, RCS_MCP_VERSION_HEADER RCS_MCP_MODERN_VERSION);
    code = rcs_timers_set(server->host->timers, &server->probe_timer, port->now_ms(port->self) + wait_ms);
    code = code == 0 ? rcs_mcp_modern_probe(server, &order) : code;
    if (code == 0) {
        code = rcs_mcp_session_ask(server, &order, "server/discover");
    }
    if (code != 0) {
        rcs_mcp_session_forget(server);
        return code;
    }
    server->stage = RCS_MCP_OPENING;
    return 0;
}

int rcs_mcp_era_begin(struct rcs_mcp_server *server)
{
    return server->era == RECOURSE_MCP_ERA_AUTO ? probe(server) : rcs_mcp_session_initialize(server);
}
