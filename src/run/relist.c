/*
 * A server says that its list of tools has changed: it is asked for again, once for all that was said meanwhile. Until the new
 * list is whole the old one holds; calls in flight keep the tools that they began with.
 */
#include "src/run/run.h"

#include "src/tools/mcp.h"

#define TIMEOUT_MS 60000u

static void free_retired(struct rcs_mcp_server *server)
{
    rcs_runner_free_tools(server->relist.runner, &server->relist.retired);
    rcs_mcp_pages_free(server, &server->relist.retired_pages);
}

/* A policy that was set for a tool by its name stays with the name. */
static void keep_policies(const struct recourse_runner *runner, const struct rcs_mcp_server *server,
                          const struct rcs_tool *old)
{
    for (struct rcs_tool *tool = runner->tools; tool != NULL; tool = tool->next) {
        for (const struct rcs_tool *was = old; tool->mcp == server && was != NULL; was = was->next) {
            if (was->name_size == tool->name_size && memcmp(was->config.name, tool->config.name, was->name_size) == 0 &&
                was->config.policy != tool->config.policy) {
                recourse_policy_retain(was->config.policy);
                recourse_policy_release(tool->config.policy);
                tool->config.policy = was->config.policy;
            }
        }
    }
}

static struct rcs_tool **last_of(struct rcs_tool **list)
{
    while (*list != NULL) {
        list = &(*list)->next;
    }
    return list;
}

static void replace(struct recourse_runner *runner, struct rcs_mcp_server *server)
{
    struct rcs_mcp_page *pages = server->pages;
    struct rcs_mcp_page **last = &server->relist.retired_pages;
    struct rcs_tool *old = rcs_servers_take(runner, server);

    server->pages = server->relist.pages;
    server->relist.pages = NULL;
    server->known = false;
    if (rcs_servers_learn(runner, server) != 0) {
        rcs_mcp_pages_free(server, &server->pages);
        server->pages = pages;
        server->known = true;
        *runner->tools_end = old;
        runner->tools_end = last_of(runner->tools_end);
        return;
    }
    keep_policies(runner, server, old);
    if (runner->calls == 0) {
        free_retired(server);
    }
    *last_of(&server->relist.retired) = old;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = pages;
}

static void relisted(void *user, const struct recourse_facts *facts)
{
    struct rcs_mcp_server *server = user;

    server->relist.try = NULL;
    rcs_timers_remove(server->host->timers, &server->relist.timer);
    if (facts != NULL && recourse_facts_claim_success(facts) && server->relist.pages != NULL) {
        replace(server->relist.runner, server);
    }
    rcs_mcp_relist_soon(server);
}

static void begin(struct rcs_mcp_server *server)
{
    struct recourse_runner *runner = server->relist.runner;
    uint64_t now_ms = rcs_runner_now(runner);
    const struct rcs_tool *lister = server->lister;
    const struct rcs_try_order order = {
        .tool = lister,
        .policy = lister->config.policy != NULL ? lister->config.policy : runner->policy,
        .number = 1,
        .session = &server->relist.session,
        .deadline_ms = RECOURSE_FOREVER,
        .ended = relisted,
        .user = server,
    };

    server->relist.wanted = false;
    server->relist.next_ms = now_ms + RCS_MCP_RELIST_MS;
    rcs_mcp_pages_free(server, &server->relist.pages);
    if (lister->kind->start(server->host, &order, &server->relist.try) == 0) {
        (void)rcs_timers_set(server->host->timers, &server->relist.timer, now_ms + TIMEOUT_MS);
    }
}

static void due(struct rcs_timer *timer)
{
    struct rcs_mcp_server *server = RCS_OWNER(timer, struct rcs_mcp_server, relist.timer);

    if (server->relist.try != NULL) { /* it takes too long */
        (void)server->lister->kind->stop(server->relist.try);
        server->relist.try = NULL;
    }
    if (server->relist.wanted && server->known) {
        begin(server);
    }
}

void rcs_relist_init(struct recourse_runner *runner, struct rcs_mcp_server *server)
{
    server->relist.runner = runner;
    rcs_timer_init(&server->relist.timer, due);
}

void rcs_relist_clear(struct rcs_mcp_server *server)
{
    rcs_timers_remove(server->host->timers, &server->relist.timer);
    if (server->relist.try != NULL) {
        (void)server->lister->kind->stop(server->relist.try);
        server->relist.try = NULL;
    }
    rcs_mcp_pages_free(server, &server->relist.pages);
    free_retired(server);
}
