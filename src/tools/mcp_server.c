/* A server and its session: opened once for all who wait for it, and again when it was lost. */
#include "src/tools/mcp.h"

#include <stdio.h>
#include <string.h>

#include "src/core/text.h"
#include "src/io/memory.h"
#include "src/tools/kept.h"

#define SESSION_HEADER "Mcp-Session-Id: "
#define SESSION_MAX 4096u
#define INITIALIZED_MS 10000u /* that the note after the handshake may take */

static struct recourse_span words(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

/* ---- waiting ---- */

static void link_in(struct rcs_mcp_waiter **head, struct rcs_mcp_waiter *waiter)
{
    while (*head != NULL) { /* in the order in which they came */
        head = &(*head)->next;
    }
    waiter->next = NULL;
    waiter->link = head;
    *head = waiter;
}

static void link_out(struct rcs_mcp_waiter *waiter)
{
    *waiter->link = waiter->next;
    if (waiter->next != NULL) {
        waiter->next->link = waiter->link;
    }
    waiter->next = NULL;
    waiter->link = NULL;
}

/* Those who begin to wait meanwhile wait for the next one. */
static void tell_all(struct rcs_mcp_server *server, const struct recourse_facts *failure)
{
    struct rcs_mcp_waiter *waiting = server->waiters;

    server->waiters = NULL;
    if (waiting != NULL) {
        waiting->link = &waiting;
    }
    while (waiting != NULL) {
        struct rcs_mcp_waiter *waiter = waiting;

        link_out(waiter);
        waiter->ready(waiter, failure);
    }
}

/* ---- the handshake ---- */

void rcs_mcp_session_forget(struct rcs_mcp_server *server)
{
    rcs_mcp_listen_end(server);
    rcs_timers_remove(server->host->timers, &server->probe_timer);
    rcs_free(server->host->allocator, server->session);
    server->session = NULL;
    server->version[0] = '\0';
    server->stage = RCS_MCP_CLOSED;
    if (server->era == RECOURSE_MCP_ERA_MODERN) { /* where nothing is opened, something else must have become of it */
        server->era = server->config.era;
    }
}

void rcs_mcp_session_ready(struct rcs_mcp_server *server)
{
    tell_all(server, NULL);
}

/* None of the tools was touched, however far the handshake came. */
void rcs_mcp_session_fail(struct rcs_mcp_server *server, const struct recourse_facts *why)
{
    struct recourse_facts facts = *why;

    facts.unsent = true;
    rcs_mcp_session_forget(server);
    tell_all(server, &facts);
}

static void fail_by_protocol(struct rcs_mcp_server *server, const struct recourse_facts *facts, const char *detail)
{
    struct recourse_facts failure = *facts;

    failure.protocol = true;
    failure.detail = words(detail);
    rcs_mcp_session_fail(server, &failure);
}

/* The stream for what the server says comes first, so that it is there when calls are. */
static void session_opened(struct rcs_mcp_server *server)
{
    server->stage = RCS_MCP_OPEN;
    server->may_listen = server->transport == &rcs_mcp_over_http;
    rcs_mcp_listen(server);
    tell_all(server, NULL);
}

static void initialized(void *user, const struct rcs_mcp_reply *reply)
{
    struct rcs_mcp_server *server = user;

    (void)reply; /* whatever became of it, calls will show whether the session holds */
    server->handshake = NULL;
    if (server->stage == RCS_MCP_OPENING) {
        session_opened(server);
    } else if (server->waiters != NULL) { /* the session was lost already */
        fail_by_protocol(server, &reply->facts, "the server did not keep the session that it had opened");
    }
}

/* "Mcp-Session-Id", if there is one: visible ASCII. False: one that can't be sent back, or no memory. */
static bool take_session(struct rcs_mcp_server *server, const struct recourse_facts *facts)
{
    for (size_t i = 0; i < facts->header_count; i++) {
        struct recourse_span value = facts->headers[i].value;

        if (!rcs_text_equal_folded(facts->headers[i].name, "mcp-session-id")) {
            continue;
        }
        for (size_t at = 0; at < value.size; at++) {
            if ((unsigned char)value.data[at] < 0x21 || (unsigned char)value.data[at] > 0x7e) {
                return false;
            }
        }
        if (value.size == 0 || value.size > SESSION_MAX || server->session != NULL) {
            return false;
        }
        server->session = rcs_alloc(server->host->allocator, sizeof SESSION_HEADER + value.size);
        if (server->session == NULL) {
            return false;
        }
        memcpy(server->session, SESSION_HEADER, sizeof SESSION_HEADER - 1);
        memcpy(server->session + sizeof SESSION_HEADER - 1, value.data, value.size);
        server->session[sizeof SESSION_HEADER - 1 + value.size] = '\0';
    }
    return true;
}

static bool take_version(struct rcs_mcp_server *server, struct recourse_span result)
{
    const char *version = rcs_mcp_era_version(rcs_json_trim(rcs_json_member(result, "protocolVersion")));

    if (version != NULL) {
        snprintf(server->version, sizeof server->version, RCS_MCP_VERSION_HEADER "%s", version);
    }
    return version != NULL;
}

static int send_initialized(struct rcs_mcp_server *server)
{
    const struct rcs_mcp_reply nothing = {.message = {.kind = RCS_MCP_NONE}};
    struct recourse_port *port = server->host->port;
    struct rcs_mcp_order order = {
        .deadline_ms = port->now_ms(port->self) + INITIALIZED_MS, .done = initialized, .user = server};
    int code;

    rcs_mcp_body_init(server, &order.body);
    code = rcs_mcp_put_initialized(&order.body);
    if (code != 0) {
        rcs_buffer_clear(&order.body);
        return code;
    }
    if (server->transport->ordered) { /* whatever is called comes behind it */
        rcs_mcp_post_loose(server, &order.body);
        initialized(server, &nothing);
        return 0;
    }
    return rcs_mcp_session_ask(server, &order, "notifications/initialized");
}

static void answered(void *user, const struct rcs_mcp_reply *reply)
{
    struct rcs_mcp_server *server = user;

    server->handshake = NULL;
    if (reply->message.kind != RCS_MCP_RESULT) {
        rcs_mcp_era_refused(server, reply);
    } else if (!take_version(server, reply->message.result)) {
        fail_by_protocol(server, &reply->facts, "the server speaks a revision of MCP that is not known here");
    } else if (!take_session(server, &reply->facts)) {
        fail_by_protocol(server, &reply->facts, "the server's session id can't be sent back");
    } else {
        server->generation++;
        if (send_initialized(server) != 0) {
            session_opened(server); /* a note that can't be sent is no failure of the session */
        }
    }
}

int rcs_mcp_session_initialize(struct rcs_mcp_server *server)
{
    struct rcs_mcp_order order = {
        .id = ++server->last_id, .deadline_ms = RECOURSE_FOREVER, .done = answered, .user = server};
    int code;

    rcs_mcp_session_forget(server);
    rcs_mcp_body_init(server, &order.body);
    code = rcs_mcp_put_initialize(&order.body, order.id, RCS_MCP_VERSION, server->config.elicit_defaults);
    if (code != 0) {
        rcs_buffer_clear(&order.body);
        return code;
    }
    code = rcs_mcp_session_ask(server, &order, "initialize");
    server->stage = code == 0 ? RCS_MCP_OPENING : RCS_MCP_CLOSED;
    return code;
}

int rcs_mcp_session_want(struct rcs_mcp_server *server, struct rcs_mcp_waiter *waiter)
{
    int code = server->handshake == NULL ? rcs_mcp_era_begin(server) : 0;

    if (code == 0) {
        link_in(&server->waiters, waiter);
    }
    return code;
}

void rcs_mcp_session_leave(struct rcs_mcp_server *server, struct rcs_mcp_waiter *waiter)
{
    if (waiter->link == NULL) {
        return;
    }
    link_out(waiter);
    if (server->waiters == NULL && server->handshake != NULL) {
        (void)rcs_mcp_post_cancel(server, server->handshake);
        server->handshake = NULL;
        rcs_mcp_session_forget(server);
    }
}

void rcs_mcp_session_lost(struct rcs_mcp_server *server, uint64_t generation)
{
    if (server->generation == generation && server->version[0] != '\0') {
        rcs_mcp_session_forget(server);
    }
}

/* ---- the server ---- */

/* Headers that are the protocol's own. */
static int check_headers(const struct recourse_mcp_server *config, struct recourse_error *error)
{
    static const char *const own[] = {"accept", "content-type", "mcp-session-id", "mcp-protocol-version",
                                      "mcp-method", "mcp-name"};
    int code = 0;

    for (size_t i = 0; code == 0 && config->headers != NULL && config->headers[i] != NULL; i++) {
        struct recourse_span name = {config->headers[i], strcspn(config->headers[i], ":")};

        for (size_t n = 0; code == 0 && n < sizeof own / sizeof own[0]; n++) {
            if (rcs_text_equal_folded(name, own[n])) {
                code = rcs_fail(error, RECOURSE_E_ARGUMENT, "server '%s': header '%s' is the protocol's own",
                                config->name, own[n]);
            }
        }
    }
    return code;
}

/* How it is reached: checked as a tool of that kind would be. */
static int check_target(const struct recourse_mcp_server *config, struct recourse_error *error)
{
    const struct recourse_tool target = {
        .size = sizeof target,
        .name = config->name,
        .url = config->url,
        .proxy = config->proxy,
        .ca_file = config->ca_file,
        .headers = config->headers,
        .command = config->command,
        .environment = config->environment,
        .directory = config->directory,
    };
    int code;

    if (config->command == NULL) {
        code = rcs_kind_http.check(&target, error);
        return code != 0 ? code : check_headers(config, error);
    }
    if (config->url != NULL) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "server '%s' has a URL and a command: choose one", config->name);
    }
    return rcs_kind_command.check(&target, error);
}

static int check(const struct recourse_mcp_server *config, struct recourse_error *error)
{
    int code;

    if (config == NULL || config->size != sizeof *config) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no server, or a struct of another size");
    }
    if (config->name == NULL || config->name[0] == '\0') {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "a server needs a name");
    }
    if (config->approval >= RECOURSE_APPROVE_COUNT) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "server '%s': no approval mode has number %u", config->name,
                        config->approval);
    }
    if (config->era >= RECOURSE_MCP_ERA_COUNT) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "server '%s': no era has number %u", config->name, config->era);
    }
    if (config->declared_safe && config->declared_unsafe) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "server '%s' is declared safe and unsafe: choose one", config->name);
    }
    if (config->policy != NULL && (code = recourse_policy_check(config->policy)) != 0) {
        return rcs_fail(error, (enum recourse_code)code, "server '%s': its policy: %s", config->name,
                        recourse_code_text(code));
    }
    return check_target(config, error);
}

static void keep_all(struct rcs_kept *kept, const struct recourse_mcp_server *config, struct recourse_mcp_server *copy)
{
    copy->name = rcs_kept_text(kept, config->name);
    copy->url = rcs_kept_text(kept, config->url);
    copy->proxy = rcs_kept_text(kept, config->proxy);
    copy->ca_file = rcs_kept_text(kept, config->ca_file);
    copy->prefix = rcs_kept_text(kept, config->prefix);
    copy->headers = rcs_kept_list(kept, config->headers);
    copy->command = rcs_kept_list(kept, config->command);
    copy->environment = rcs_kept_list(kept, config->environment);
    copy->directory = rcs_kept_text(kept, config->directory);
    copy->shown_command = rcs_kept_text(kept, config->shown_command);
    copy->shown_directory = rcs_kept_text(kept, config->shown_directory);
    copy->tools = rcs_kept_list(kept, config->tools);
}

static void open_mail(struct rcs_mail *mail)
{
    struct rcs_mcp_server *server = RCS_OWNER(mail, struct rcs_mcp_server, mail);

    rcs_mcp_post_notes(server);
    rcs_mcp_relist_soon(server);
}

static bool can_talk(const struct recourse_port *port)
{
    return port->process_start != NULL && port->process_end != NULL && port->process_cancel != NULL &&
           port->process_write != NULL;
}

int rcs_mcp_server_new(const struct rcs_tool_host *host, const struct recourse_mcp_server *config,
                       struct rcs_mcp_server **out, struct recourse_error *error)
{
    struct recourse_mcp_server measured;
    struct rcs_kept kept = {.at = NULL};
    struct rcs_mcp_server *server;
    int code = check(config, error);

    if (code != 0) {
        return code;
    }
    if (config->command != NULL && !can_talk(host->port)) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "server '%s' is a command, and this port can't talk with any",
                        config->name);
    }
    keep_all(&kept, config, &measured);
    server = rcs_alloc(host->allocator, sizeof *server + rcs_kept_size(&kept));
    if (server == NULL) {
        return rcs_fail(error, RECOURSE_E_MEMORY, "server '%s': out of memory", config->name);
    }
    memset(server, 0, sizeof *server);
    server->host = host;
    server->transport = config->command != NULL ? &rcs_mcp_over_stdio : &rcs_mcp_over_http;
    server->config = *config;
    rcs_kept_begin(&kept, server + 1);
    keep_all(&kept, config, &server->config);
    server->config.connect_timeout_ms = config->connect_timeout_ms > 0 ? config->connect_timeout_ms : 10000u;
    server->mail.open = open_mail;
    server->era = config->era;
    server->own_headers = rcs_tool_own_headers(config->headers);
    rcs_timer_init(&server->probe_timer, rcs_mcp_era_unanswered);
    *out = server;
    return 0;
}

void rcs_mcp_pages_free(struct rcs_mcp_server *server, struct rcs_mcp_page **pages)
{
    struct rcs_mcp_page *page;

    while ((page = *pages) != NULL) {
        *pages = page->next;
        rcs_mailbox_give_back(server->host->mailbox, page->size);
        rcs_free(server->host->allocator, page);
    }
}

void rcs_mcp_left_out_free(struct rcs_mcp_server *server)
{
    struct rcs_mcp_left_out *next;

    for (; server->left_out != NULL; server->left_out = next) {
        next = server->left_out->next;
        rcs_free(server->host->allocator, server->left_out);
    }
}

void rcs_mcp_server_free(struct rcs_mcp_server *server)
{
    if (server->handshake != NULL) {
        (void)rcs_mcp_post_cancel(server, server->handshake);
    }
    rcs_mcp_listen_end(server);
    rcs_mcp_post_clear(server);
    rcs_mailbox_remove(server->host->mailbox, &server->mail);
    rcs_mcp_pages_free(server, &server->pages);
    rcs_mcp_pages_free(server, &server->relisted);
    rcs_mcp_left_out_free(server);
    rcs_timers_remove(server->host->timers, &server->probe_timer);
    rcs_free(server->host->allocator, server->session);
    rcs_free(server->host->allocator, server);
}
