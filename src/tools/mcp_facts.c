/* What facts may say of a call that had something sent, or its tool at work, before what they tell of. */
#include "src/tools/mcp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A request that was not sent, or that no connection could be had for: by itself it would prove that nothing was done. */
static const char *take_back_connection(struct recourse_facts *facts)
{
    bool connecting = facts->network >= RECOURSE_NETWORK_REFUSED && facts->network <= RECOURSE_NETWORK_TLS;
    const char *what = connecting ? "no connection" : facts->unsent ? "nothing was sent" : NULL;

    facts->unsent = false;
    if (facts->spawn) {
        facts->spawn = false;
        facts->network = RECOURSE_NETWORK_OTHER;
        return "the request could not be sent";
    }
    if (facts->timeout == RECOURSE_TIMEOUT_CONNECT) {
        facts->timeout = RECOURSE_TIMEOUT_OTHER;
        what = "no connection in time";
    }
    if (connecting) {
        facts->network = RECOURSE_NETWORK_OTHER;
    }
    if (facts->network != 0) { /* of a process: its end says nothing of the one before */
        facts->has_exit = false;
        facts->exit_status = 0;
        facts->signal = 0;
    }
    return what;
}

/* A refusal, likewise. 5xx is none, and stays. */
static const char *take_back_refusal(struct recourse_facts *facts, char room[48])
{
    bool refused = facts->http >= 300 && facts->http <= 499;
    bool answered = facts->network == 0 && facts->timeout == 0 && !facts->protocol && !facts->too_large;

    if (!refused && !facts->has_rpc && !facts->session_expired) {
        return NULL;
    }
    if (facts->has_rpc) {
        snprintf(room, 48, "JSON-RPC error %" PRId64, facts->rpc);
    } else {
        snprintf(room, 48, "HTTP status %u", facts->http);
    }
    facts->tool_error = facts->tool_error || (answered && facts->http <= 499);
    facts->http = refused ? 0 : facts->http;
    facts->session_expired = false;
    facts->has_rpc = false;
    facts->rpc = 0;
    return room;
}

void rcs_mcp_facts_touched(struct recourse_facts *facts, const char *when, char detail[RCS_MCP_DETAIL_MAX])
{
    const struct recourse_span said = facts->detail;
    char room[48];
    const char *connection = take_back_connection(facts);
    const char *refusal = take_back_refusal(facts, room);
    const char *what = connection != NULL ? connection : refusal;
    int size;

    if (what == NULL) {
        return;
    }
    size = snprintf(detail, RCS_MCP_DETAIL_MAX, "%s, %s%s%.*s", what, when, said.size > 0 ? ": " : "",
                    (int)(said.size < RCS_MCP_DETAIL_MAX ? said.size : RCS_MCP_DETAIL_MAX), said.size > 0 ? said.data : "");
    facts->detail = (struct recourse_span){detail, size < 0 ? 0 : strlen(detail)};
}

bool rcs_mcp_facts_refused(const struct rcs_try_order *order, struct recourse_facts *facts)
{
    struct recourse_facts seen = *facts;
    struct recourse_judgement judgement;

    if (facts->network != 0 || (facts->http != 401 && facts->http != 403 && facts->http != 429)) {
        return false;
    }
    seen.tool_error = true;
    seen.session_expired = false;
    seen.has_rpc = false;
    seen.rpc = 0;
    seen.tool = order->tool->config.name;
    recourse_classify(order->policy, &seen, &judgement);
    if (judgement.effect != RECOURSE_EFFECT_NONE) {
        *facts = seen;
    }
    return judgement.effect != RECOURSE_EFFECT_NONE;
}
