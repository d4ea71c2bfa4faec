#include "tests/unit/mcp_client_kit.h"

const struct recourse_header mcp_stream_headers[1] = {{{"Content-Type", 12}, {"text/event-stream", 17}}};
const struct recourse_header mcp_session_headers[1] = {{{"mcp-session-id", 14}, {"s-1", 3}}};

static void put(struct mcp_kit *mcp, const char *format, int number)
{
    size_t used = strlen(mcp->facts);

    snprintf(mcp->facts + used, sizeof mcp->facts - used, format, number);
}

static void put_facts(struct mcp_kit *mcp, const struct recourse_facts *facts)
{
    const struct {
        bool is;
        const char *name;
        int number;
    } words[] = {
        {facts->http > 0, "%d", facts->http},
        {facts->network > 0, ",network%d", facts->network},
        {facts->timeout > 0, ",timeout%d", facts->timeout},
        {facts->has_rpc, ",rpc%d", (int)facts->rpc},
        {facts->tool_error, ",error", 0},
        {facts->session_expired, ",expired", 0},
        {facts->protocol, ",protocol", 0},
        {facts->too_large, ",large", 0},
        {facts->spawn, ",spawn", 0},
        {facts->has_exit, ",exit%d", facts->exit_status},
        {facts->signal > 0, ",signal%d", facts->signal},
        {facts->unsent, ",unsent", 0},
        {facts->resumes > 0, ",resumed%d", (int)facts->resumes},
    };

    put(mcp, mcp->facts[0] != '\0' ? " " : "", 0);
    for (size_t i = 0; i < RCS_COUNT(words); i++) {
        if (words[i].is) {
            put(mcp, words[i].name, words[i].number);
        }
    }
}

static void put_beliefs(struct mcp_kit *mcp, const struct recourse_facts *facts)
{
    const char *name;

    for (size_t i = 0; (name = recourse_policy_builtin_name(i)) != NULL; i++) {
        struct recourse_judgement judgement;
        size_t used = strlen(mcp->beliefs);

        recourse_classify(recourse_policy_builtin(name), facts, &judgement);
        snprintf(mcp->beliefs + used, sizeof mcp->beliefs - used, "%s%s", i > 0 ? " " : "",
                 recourse_effect_name(judgement.effect));
    }
}

static void observe(void *user, const struct recourse_observation *seen)
{
    struct mcp_kit *mcp = user;

    if (seen->facts == NULL) {
        return;
    }
    if (mcp->facts[0] == '\0') {
        mcp->beliefs[0] = '\0';
        put_beliefs(mcp, seen->facts);
    }
    put_facts(mcp, seen->facts);
    if (mcp->detail[0] == '\0') {
        snprintf(mcp->detail, sizeof mcp->detail, "%s", kit_text(seen->facts->detail));
    }
}

void mcp_open_within(struct mcp_kit *mcp, const struct recourse_allocator *allocator)
{
    static struct recourse_atom atoms[32];
    struct recourse_runner_options options;

    memset(mcp, 0, sizeof *mcp);
    sim_init(&mcp->kit.sim, KIT_START_MS);
    kit_policy_init(&mcp->kit.policy);
    /* F2 takes a lost session for what it takes "network refused" for: its wait is in a new session. */
    memcpy(atoms, mcp->kit.policy.policy.atoms, 15 * sizeof atoms[0]);
    atoms[3] = (struct recourse_atom){RECOURSE_ATOM_SESSION_EXPIRED, true, RECOURSE_NONE, 0, 0, NULL, NULL};
    mcp->kit.policy.policy.atoms = atoms;
    kit_options(&mcp->kit, &options);
    options.allocator = allocator;
    options.observe = observe;
    options.user = mcp;
    kit_open(&mcp->kit, &options);
}

void mcp_open(struct mcp_kit *mcp)
{
    mcp_open_within(mcp, NULL);
}

void mcp_close(struct mcp_kit *mcp)
{
    kit_close(&mcp->kit);
}

struct recourse_mcp_server mcp_server(const char *name, char url[64])
{
    snprintf(url, 64, "http://%s/", name);
    return (struct recourse_mcp_server){.size = sizeof(struct recourse_mcp_server), .name = name, .url = url,
                                        .era = RECOURSE_MCP_ERA_LEGACY};
}

void mcp_add(struct mcp_kit *mcp, const char *name)
{
    char url[64];
    struct recourse_mcp_server server = mcp_server(name, url);
    struct recourse_error error = {RECOURSE_OK, ""};

    RCS_EQUAL(recourse_runner_add_mcp_server(mcp->kit.runner, &server, &error), 0);
    RCS_TEXT_EQUAL(error.text, "");
}

struct recourse_turn *mcp_list(struct mcp_kit *mcp)
{
    struct recourse_turn *turn = NULL;
    struct recourse_error error = {RECOURSE_OK, ""};

    RCS_EQUAL(recourse_run_list_tools(mcp->kit.run, NULL, &turn, &error), 0);
    RCS_TEXT_EQUAL(error.text, "");
    kit_finish(&mcp->kit, turn);
    return turn;
}

struct recourse_turn *mcp_call(struct mcp_kit *mcp, const char *name, const char *arguments)
{
    struct recourse_turn *turn = kit_start_one(&mcp->kit, name, arguments);

    kit_finish(&mcp->kit, turn);
    return turn;
}

const struct sim_request *mcp_request(const struct mcp_kit *mcp, size_t index)
{
    CU_ASSERT_TRUE_FATAL(index < mcp->kit.sim.request_count);
    return &mcp->kit.sim.requests[index];
}

const struct sim_request *mcp_stream(const struct mcp_kit *mcp, size_t index)
{
    CU_ASSERT_TRUE_FATAL(index < mcp->kit.sim.stream_count);
    return &mcp->kit.sim.streams[index];
}
