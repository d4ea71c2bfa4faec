/* The MCP server itself: its scripts, what it answers without one, and what it has seen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/server/mcp_parts.h"

static const char *const versions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

static void reset(void *user);

struct rcs_mcp *rcs_mcp_new(struct rcs_faulty *http, const char *path)
{
    struct rcs_mcp *mcp = rcs_must_alloc(NULL, sizeof *mcp);

    memset(mcp, 0, sizeof *mcp);
    mcp->http = http;
    pthread_mutex_init(&mcp->lock, NULL);
    if (http != NULL) {
        mcp->path = rcs_must_copy(path, strlen(path));
        http->guest = (struct rcs_faulty_guest){.answer = rcs_mcp_http, .reset = reset, .user = mcp};
    }
    return mcp;
}

/* ---- scripts ---- */

static struct rcs_script *script_of(const struct rcs_mcp *mcp, const char *what)
{
    for (size_t i = 0; i < mcp->script_count; i++) {
        if (strcmp(mcp->scripts[i].path, what) == 0) {
            return &mcp->scripts[i];
        }
    }
    return NULL;
}

static struct rcs_mcp_tool *tool_of(const struct rcs_mcp *mcp, const char *name)
{
    for (size_t i = 0; i < mcp->tool_count; i++) {
        if (strcmp(mcp->tools[i].name, name) == 0) {
            return &mcp->tools[i];
        }
    }
    return NULL;
}

static void set_script(struct rcs_mcp *mcp, const struct rcs_script *fresh)
{
    struct rcs_script *old = script_of(mcp, fresh->path);

    if (old != NULL) {
        rcs_script_clear(old);
        *old = *fresh;
        return;
    }
    mcp->scripts = rcs_must_alloc(mcp->scripts, (mcp->script_count + 1) * sizeof *fresh);
    mcp->scripts[mcp->script_count++] = *fresh;
    if (fresh->path[0] != '@') {
        mcp->tools = rcs_must_alloc(mcp->tools, (mcp->tool_count + 1) * sizeof *mcp->tools);
        mcp->tools[mcp->tool_count++] = (struct rcs_mcp_tool){.name = rcs_must_copy(fresh->path, strlen(fresh->path))};
    }
}

bool rcs_mcp_script(struct rcs_mcp *mcp, const char *what, const char *script, char *why, size_t why_size)
{
    struct rcs_script fresh;

    if (what[0] == '\0') {
        snprintf(why, why_size, "a script needs the name of a tool, or an `@` name");
        return false;
    }
    if (!rcs_script_read(&fresh, script, &rcs_mcp_words, why, why_size)) {
        return false;
    }
    fresh.path = rcs_must_copy(what, strlen(what));
    pthread_mutex_lock(&mcp->lock);
    set_script(mcp, &fresh);
    pthread_mutex_unlock(&mcp->lock);
    return true;
}

const struct rcs_answer *rcs_mcp_take(struct rcs_mcp *mcp, const char *what)
{
    struct rcs_script *script = script_of(mcp, what);

    return script == NULL ? NULL : rcs_script_take(script, false);
}

const struct rcs_part *rcs_mcp_setting(const struct rcs_mcp *mcp, enum rcs_word word)
{
    const struct rcs_script *script = script_of(mcp, "@server");

    return script == NULL ? NULL : rcs_part_find(&script->answers[0], word);
}

/* ---- what was seen ---- */

static const char *header(const struct rcs_faulty_request *request, const char *name)
{
    const char *value = request == NULL ? NULL : rcs_faulty_header(request, name);

    value = value == NULL ? "" : value;
    return rcs_must_copy(value, strlen(value));
}

struct rcs_mcp_seen *rcs_mcp_see(struct rcs_mcp *mcp, const struct rcs_message *message,
                                 const struct rcs_faulty_request *request, const char *body, size_t size)
{
    struct rcs_mcp_seen *seen = rcs_must_alloc(NULL, sizeof *seen);
    const char *http_method = request == NULL ? "" : request->method;

    *seen = (struct rcs_mcp_seen){
        .connection = request == NULL ? 0 : request->connection,
        .at_us = request == NULL ? rcs_now_us() : request->at_us,
        .http_method = rcs_must_copy(http_method, strlen(http_method)),
        .method = rcs_must_copy(message->method, strlen(message->method)),
        .id = rcs_must_copy(message->id, strlen(message->id)),
        .tool = rcs_must_copy(message->tool, strlen(message->tool)),
        .session = header(request, "Mcp-Session-Id"),
        .version = header(request, "MCP-Protocol-Version"),
        .accept = header(request, "Accept"),
        .last_event = header(request, "Last-Event-ID"),
        .body = rcs_must_copy(body, size),
        .body_size = size,
    };
    mcp->seen = rcs_must_alloc(mcp->seen, (mcp->seen_count + 1) * sizeof *mcp->seen);
    mcp->seen[mcp->seen_count++] = seen;
    return seen;
}

static void forget_seen(struct rcs_mcp_seen *seen)
{
    const char *const texts[] = {seen->http_method, seen->method,  seen->id,         seen->tool, seen->session,
                                 seen->version,     seen->accept, seen->last_event, seen->body};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        free((void *)(uintptr_t)texts[i]);
    }
    free(seen);
}

char *rcs_mcp_note(const struct rcs_mcp_seen *seen)
{
    const struct {
        const char *name;
        const char *text;
    } members[] = {{"method", seen->method},   {"id", seen->id},           {"tool", seen->tool},
                   {"session", seen->session}, {"version", seen->version}, {"accept", seen->accept},
                   {"last_event", seen->last_event}};
    struct rcs_bytes out = {0};

    rcs_bytes_format(&out, "{\"status\":%u,\"runs\":%u", seen->status, seen->runs);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        rcs_bytes_format(&out, ",\"%s\":", members[i].name);
        rcs_quote(&out, members[i].text, strlen(members[i].text));
    }
    rcs_bytes_add(&out, "}", 1);
    return out.data;
}

static bool counts(const struct rcs_mcp_seen *seen, const char *method)
{
    return method == NULL || strcmp(seen->method, method) == 0;
}

size_t rcs_mcp_count(struct rcs_mcp *mcp, const char *method)
{
    size_t count = 0;

    pthread_mutex_lock(&mcp->lock);
    for (size_t i = 0; i < mcp->seen_count; i++) {
        count += counts(mcp->seen[i], method);
    }
    pthread_mutex_unlock(&mcp->lock);
    return count;
}

const struct rcs_mcp_seen *rcs_mcp_seen(struct rcs_mcp *mcp, const char *method, size_t index)
{
    const struct rcs_mcp_seen *found = NULL;

    pthread_mutex_lock(&mcp->lock);
    for (size_t i = 0; i < mcp->seen_count && found == NULL; i++) {
        if (counts(mcp->seen[i], method)) {
            found = index-- == 0 ? mcp->seen[i] : NULL;
        }
    }
    pthread_mutex_unlock(&mcp->lock);
    return found;
}

unsigned rcs_mcp_runs(struct rcs_mcp *mcp, const char *tool)
{
    const struct rcs_mcp_tool *found;
    unsigned runs;

    pthread_mutex_lock(&mcp->lock);
    found = tool_of(mcp, tool);
    runs = found == NULL ? 0 : found->runs;
    pthread_mutex_unlock(&mcp->lock);
    return runs;
}

/* ---- answers of a good server ---- */

static char *initialize_result(const struct rcs_mcp *mcp, const struct rcs_message *message)
{
    const struct rcs_part *fixed = rcs_mcp_setting(mcp, RCS_W_VERSION);
    char *asked = rcs_json_plain(rcs_json_find(message->params, "protocolVersion"));
    const char *version = versions[0];
    struct rcs_bytes out = {0};

    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        version = strcmp(asked, versions[i]) == 0 ? versions[i] : version;
    }
    rcs_bytes_format(&out,
                     "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{\"listChanged\":true}},"
                     "\"serverInfo\":{\"name\":\"scripted\",\"version\":\"1\"}}",
                     fixed == NULL ? version : fixed->text.data);
    free(asked);
    return out.data;
}

static const struct rcs_part *listed_of(const struct rcs_mcp *mcp, const char *tool)
{
    const struct rcs_script *script = script_of(mcp, tool);
    const struct rcs_part *listed = NULL;

    for (size_t i = 0; script != NULL && i < script->count && listed == NULL; i++) {
        listed = rcs_part_find(&script->answers[i], RCS_W_LISTED);
    }
    return listed;
}

struct rcs_json_text rcs_mcp_listed_properties(const struct rcs_mcp *mcp, const char *tool)
{
    const struct rcs_part *listed = listed_of(mcp, tool);
    const char *schema = listed == NULL ? NULL : strstr(listed->text.data, "\"inputSchema\":");

    schema = schema == NULL ? NULL : schema + strlen("\"inputSchema\":");
    return rcs_json_find((struct rcs_json_text){schema, schema == NULL ? 0 : strlen(schema)}, "properties");
}

bool rcs_mcp_has_script(const struct rcs_mcp *mcp, const char *what)
{
    return script_of(mcp, what) != NULL;
}

static void add_tool(const struct rcs_mcp *mcp, const struct rcs_mcp_tool *tool, struct rcs_bytes *out)
{
    const struct rcs_part *listed = listed_of(mcp, tool->name);

    rcs_bytes_add(out, "{\"name\":", 8);
    rcs_quote(out, tool->name, strlen(tool->name));
    if (listed == NULL || strstr(listed->text.data, "\"inputSchema\"") == NULL) {
        rcs_bytes_format(out, ",\"inputSchema\":{\"type\":\"object\"}");
    }
    if (listed != NULL) {
        rcs_bytes_add(out, ",", 1);
        rcs_bytes_add(out, listed->text.data, listed->text.size);
    }
    rcs_bytes_add(out, "}", 1);
}

static char *tools_result(const struct rcs_mcp *mcp, const struct rcs_message *message)
{
    const struct rcs_part *page = rcs_mcp_setting(mcp, RCS_W_PAGE);
    char *cursor = rcs_json_plain(rcs_json_find(message->params, "cursor"));
    size_t from = strtoul(cursor, NULL, 10);
    size_t size = page == NULL ? mcp->tool_count : page->number;
    struct rcs_bytes out = {0};
    size_t at = from;

    rcs_bytes_format(&out, "{\"tools\":[");
    for (; at < mcp->tool_count && at - from < size; at++) {
        rcs_bytes_add(&out, ",", at > from);
        add_tool(mcp, &mcp->tools[at], &out);
    }
    rcs_bytes_add(&out, "]", 1);
    if (size == 0 && page != NULL) {
        rcs_bytes_format(&out, ",\"nextCursor\":\"%zu\"", from + 1);
    } else if (at < mcp->tool_count) {
        rcs_bytes_format(&out, ",\"nextCursor\":\"%zu\"", at);
    } else if (rcs_mcp_setting(mcp, RCS_W_LOOP) != NULL) {
        rcs_bytes_format(&out, ",\"nextCursor\":\"%zu\"", from);
    }
    rcs_bytes_add(&out, "}", 1);
    free(cursor);
    return out.data;
}

static char *usual_result(const struct rcs_mcp_exchange *exchange)
{
    const struct rcs_mcp *mcp = exchange->mcp;
    const struct rcs_message *message = &exchange->message;

    if (rcs_mcp_modern(exchange) && strcmp(message->method, "server/discover") == 0) {
        return rcs_mcp_modern_discover();
    }
    if (strcmp(message->method, "initialize") == 0) {
        return initialize_result(mcp, message);
    }
    if (strcmp(message->method, "tools/list") == 0) {
        return tools_result(mcp, message);
    }
    return strcmp(message->method, "ping") == 0 ? rcs_must_copy("{}", 2) : NULL;
}

static char *refusal(const struct rcs_message *message)
{
    bool is_call = strcmp(message->method, "tools/call") == 0;
    struct rcs_bytes out = {0};

    rcs_bytes_format(&out, "{\"jsonrpc\":\"2.0\",\"id\":");
    rcs_bytes_add(&out, message->id, strlen(message->id));
    rcs_bytes_format(&out, ",\"error\":{\"code\":%d,\"message\":", is_call ? -32602 : -32601);
    rcs_quote(&out, is_call ? "Unknown tool" : "Method not found", is_call ? 12 : 16);
    rcs_bytes_format(&out, "}}");
    return out.data;
}

/* ---- answers ---- */

static const struct rcs_answer fine = {.status = 200, .times = 1, .length = SIZE_MAX};
static const struct rcs_answer accepted = {.status = 202, .times = 1, .length = SIZE_MAX};

static void note_answer(struct rcs_mcp *mcp, const struct rcs_message *message)
{
    mcp->answered = rcs_must_alloc(mcp->answered, (mcp->answered_count + 1) * sizeof *mcp->answered);
    mcp->answered[mcp->answered_count++] = strtoul(message->id, NULL, 10);
}

static void count_run(struct rcs_mcp_exchange *exchange, const struct rcs_answer *answer)
{
    struct rcs_mcp_tool *tool = tool_of(exchange->mcp, exchange->message.tool);
    bool ran = answer->status <= 299 ? rcs_part_find(answer, RCS_W_UNRUN) == NULL
                                     : rcs_part_find(answer, RCS_W_RAN) != NULL;

    if (tool != NULL && ran && exchange->message.tool[0] != '@') {
        exchange->seen->runs = ++tool->runs;
    }
}

/* The script's name for a message: a tool's own, or `@METHOD`. A tool can't be called by an `@` name. */
static const struct rcs_answer *scripted(struct rcs_mcp *mcp, const struct rcs_message *message)
{
    struct rcs_bytes what = {0};
    const struct rcs_answer *answer;

    if (strcmp(message->method, "tools/call") == 0) {
        return message->tool[0] == '@' ? NULL : rcs_mcp_take(mcp, message->tool);
    }
    rcs_bytes_add(&what, "@", 1);
    if (message->kind == RCS_MESSAGE_RESPONSE) {
        rcs_bytes_add(&what, "response", 8);
    } else {
        rcs_bytes_add(&what, message->method, strlen(message->method));
    }
    answer = rcs_mcp_take(mcp, what.data);
    rcs_bytes_clear(&what);
    return answer;
}

const struct rcs_answer *rcs_mcp_answer(struct rcs_mcp_exchange *exchange, char **body)
{
    const struct rcs_message *message = &exchange->message;
    const struct rcs_answer *answer = scripted(exchange->mcp, message);
    char *usual;

    *body = NULL;
    if (message->kind == RCS_MESSAGE_RESPONSE) {
        note_answer(exchange->mcp, message);
    }
    if (message->kind != RCS_MESSAGE_REQUEST) {
        return answer == NULL ? &accepted : answer;
    }
    usual = usual_result(exchange);
    if (answer == NULL && usual == NULL) {
        *body = refusal(message);
        return &fine;
    }
    answer = answer == NULL ? &fine : answer;
    count_run(exchange, answer);
    if (answer->body.data != NULL) {
        *body = rcs_body_fill(answer->body.data, message->id);
    } else if (answer->raw.data == NULL && (rcs_answer_speaks(answer) || answer->status == 200)) {
        *body = rcs_body_make(answer, message, usual, exchange->seen->runs);
    }
    free(usual);
    if (rcs_mcp_modern(exchange)) {
        *body = rcs_mcp_modern_stamp(exchange, *body);
    }
    return answer;
}

struct rcs_stream *rcs_mcp_stream(struct rcs_mcp_exchange *exchange, const struct rcs_answer *answer, const char *body)
{
    struct rcs_mcp *mcp = exchange->mcp;
    struct rcs_stream_order order = {
        .answer = answer,
        .message = &exchange->message,
        .body = body,
        .stream_number = (unsigned)mcp->stream_count + 1,
        .ask_next = &mcp->ask_next,
        .aside = &mcp->aside,
    };
    struct rcs_stream *stream = rcs_stream_new(&order);

    mcp->streams = rcs_must_alloc(mcp->streams, (mcp->stream_count + 1) * sizeof *mcp->streams);
    mcp->streams[mcp->stream_count++] = stream;
    return stream;
}

/* ---- what replies wait for: asked by the loop, outside the lock ---- */

static bool has_come(void *user, size_t number)
{
    struct rcs_mcp *mcp = user;
    bool come = false;

    pthread_mutex_lock(&mcp->lock);
    for (size_t i = 0; i < mcp->answered_count; i++) {
        come = come || mcp->answered[i] == number;
    }
    pthread_mutex_unlock(&mcp->lock);
    return come;
}

static bool has_more(void *user)
{
    struct rcs_mcp *mcp = user;
    bool more;

    pthread_mutex_lock(&mcp->lock);
    more = mcp->aside.size > 0;
    pthread_mutex_unlock(&mcp->lock);
    return more;
}

static void take(void *user, struct rcs_bytes *out)
{
    struct rcs_mcp *mcp = user;

    pthread_mutex_lock(&mcp->lock);
    rcs_bytes_add(out, mcp->aside.data, mcp->aside.size);
    rcs_bytes_clear(&mcp->aside);
    pthread_mutex_unlock(&mcp->lock);
}

void rcs_mcp_source(struct rcs_mcp *mcp, struct rcs_reply *reply)
{
    reply->source = (struct rcs_reply_source){.has_come = has_come, .has_more = has_more, .take = take, .user = mcp};
}

void rcs_mcp_push(struct rcs_mcp *mcp, const char *message)
{
    pthread_mutex_lock(&mcp->lock);
    rcs_bytes_format(&mcp->aside, "%zx\r\ndata: ", strlen(message) + strlen("data: \n\n"));
    rcs_bytes_add(&mcp->aside, message, strlen(message));
    rcs_bytes_add(&mcp->aside, "\n\n\r\n", 4);
    pthread_mutex_unlock(&mcp->lock);
    rcs_faulty_wake(mcp->http);
}

/* ---- its life ---- */

void rcs_mcp_forget(struct rcs_mcp *mcp)
{
    pthread_mutex_lock(&mcp->lock);
    for (size_t i = 0; i < mcp->session_count; i++) {
        mcp->sessions[i].over = true;
    }
    pthread_mutex_unlock(&mcp->lock);
}

/* Sessions stay: clients have their ids. */
static void reset(void *user)
{
    struct rcs_mcp *mcp = user;

    pthread_mutex_lock(&mcp->lock);
    for (size_t i = 0; i < mcp->seen_count; i++) {
        forget_seen(mcp->seen[i]);
    }
    for (size_t i = 0; i < mcp->script_count; i++) {
        rcs_script_rewind(&mcp->scripts[i]);
    }
    for (size_t i = 0; i < mcp->tool_count; i++) {
        mcp->tools[i].runs = 0;
    }
    mcp->seen_count = 0;
    pthread_mutex_unlock(&mcp->lock);
}

void rcs_mcp_free(struct rcs_mcp *mcp)
{
    if (mcp == NULL) {
        return;
    }
    if (mcp->http != NULL) {
        rcs_faulty_stop(mcp->http);
        memset(&mcp->http->guest, 0, sizeof mcp->http->guest);
    }
    reset(mcp);
    for (size_t i = 0; i < mcp->script_count; i++) {
        rcs_script_clear(&mcp->scripts[i]);
    }
    for (size_t i = 0; i < mcp->tool_count; i++) {
        free(mcp->tools[i].name);
    }
    for (size_t i = 0; i < mcp->session_count; i++) {
        free(mcp->sessions[i].id);
    }
    for (size_t i = 0; i < mcp->stream_count; i++) {
        rcs_stream_free(mcp->streams[i]);
    }
    rcs_bytes_clear(&mcp->aside);
    free(mcp->scripts);
    free(mcp->tools);
    free(mcp->sessions);
    free(mcp->streams);
    free(mcp->answered);
    free(mcp->seen);
    free(mcp->path);
    pthread_mutex_destroy(&mcp->lock);
    free(mcp);
}
