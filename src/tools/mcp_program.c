/* A server's processes: what they write becomes answers, and their end is told to whatever was in flight. */
#include "src/tools/mcp_program.h"

#include <stdio.h>
#include <string.h>

#include "src/core/text.h"
#include "src/io/memory.h"

#define NOTES_MAX 10u /* lines of one process that are told of */
#define NOTE_MAX 400u
#define SHOWN 120u    /* code points of such a line */

static struct recourse_span words(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

/* ---- a process's life ---- */

static void free_program(struct rcs_mcp_program *program)
{
    struct rcs_mcp_server *server = program->server;

    while (program->first != NULL) {
        rcs_mcp_posted_drop(program->first);
    }
    if (program->previous != NULL) {
        program->previous->next = program->next;
    } else {
        server->programs = program->next;
    }
    if (program->next != NULL) {
        program->next->previous = program->previous;
    }
    rcs_claim_end(server->host->room, &program->claim);
    rcs_mcp_lines_clear(&program->lines);
    rcs_free(server->host->allocator, program);
}

static void enter(struct rcs_mcp_program *program)
{
    program->depth++;
}

static void leave(struct rcs_mcp_program *program)
{
    if (--program->depth == 0 && program->over) {
        free_program(program);
    }
}

/* Nothing more is sent to it, and the next message goes to another one. */
static void retire(struct rcs_mcp_program *program)
{
    struct rcs_mcp_server *server = program->server;

    if (server->program == program) {
        server->program = NULL;
        rcs_mcp_session_lost(server, server->generation);
    }
}

void rcs_mcp_program_hang_up(struct rcs_mcp_program *program)
{
    struct recourse_port *port = program->server->host->port;

    retire(program);
    rcs_claim_leave(program->server->host->room, &program->claim);
    if (program->process != NULL) {
        (void)port->process_end(port->self, program->process);
    }
}

void rcs_mcp_program_abandon(struct rcs_mcp_program *program)
{
    struct recourse_port *port = program->server->host->port;

    retire(program);
    if (program->process != NULL) {
        (void)port->process_cancel(port->self, program->process);
        program->process = NULL;
    }
    program->over = true;
    if (program->depth == 0) {
        free_program(program);
    }
}

/* ---- what is told of it ---- */

static void tell_line(struct rcs_mcp_program *program, const char *what, struct recourse_span line)
{
    char text[NOTE_MAX + 64];
    char shown[NOTE_MAX] = "";

    if (program->notes++ >= NOTES_MAX) {
        return;
    }
    rcs_text_reason(line, SHOWN, shown, sizeof shown - 1);
    snprintf(text, sizeof text, "a line that %s: %s", what, shown);
    rcs_mcp_tell(program->server, words(program->notes < NOTES_MAX ? text : "there are more such lines, which are not shown"));
}

static void skip_line(struct rcs_mcp_program *program, const char *why, struct recourse_span line)
{
    char what[64];

    program->skipped++;
    snprintf(what, sizeof what, "%s was skipped", why);
    tell_line(program, what, line);
}

/* ---- what comes ---- */

/* The request of that id; only what was written to its end can have an answer. */
static struct rcs_mcp_posted *find(const struct rcs_mcp_program *program, int64_t id)
{
    struct rcs_mcp_posted *message = id != 0 ? program->first : program->unsent;

    while (message != program->unsent && message->id != id) {
        message = message->next;
    }
    return message != program->unsent ? message : NULL;
}

/* What answers nothing was given up meanwhile, or comes twice. No session is opened with a process that must go. */
static void take_answer(struct rcs_mcp_program *program, const struct rcs_mcp_message *read, struct recourse_span line)
{
    int64_t id = 0;
    struct rcs_mcp_posted *message = rcs_json_integer(read->id, &id) ? find(program, id) : NULL;
    struct rcs_mcp_reply reply = {.message = *read, .begun = message != NULL && message->begun};
    struct rcs_buffer text;

    if (message == NULL || !rcs_mcp_message_answers(read, id) ||
        (program->server->program != program && rcs_mcp_posted_is_handshake(message))) {
        return;
    }
    program->greeted = true;
    rcs_mcp_body_init(program->server, &text);
    if (read->kind == RCS_MCP_ERROR) {
        rcs_mcp_read_error(&text, read, line, &reply.facts);
    }
    rcs_mcp_posted_answer(message, &reply);
    rcs_buffer_clear(&text);
}

/* Which of the requests under way a question is about, nobody says. */
static void take_signs(struct rcs_mcp_program *program, const struct rcs_mcp_message *read)
{
    bool asks = rcs_mcp_message_asks(read);
    int64_t progress = rcs_mcp_message_progress(read);

    if (!asks && progress == 0) {
        return;
    }
    for (struct rcs_mcp_posted *message = program->first; message != program->unsent; message = message->next) {
        if (asks || message->id == progress) {
            message->begun = true;
            rcs_mcp_posted_touch(message);
        }
    }
}

/* A line that has begun may be the answer to any of them. */
static void touch_all(struct rcs_mcp_program *program)
{
    for (struct rcs_mcp_posted *message = program->first; message != program->unsent; message = message->next) {
        rcs_mcp_posted_touch(message);
    }
}

static void take_request(struct rcs_mcp_program *program, const struct rcs_mcp_message *read)
{
    struct rcs_buffer body;

    if (rcs_mcp_is_modern(program->server)) {
        return; /* servers don't ask there, and clients don't answer */
    }
    rcs_mcp_body_init(program->server, &body);
    if (program->server->program == program && rcs_mcp_put_reply(program->server, &body, read) == 0) {
        rcs_mcp_post_loose(program->server, &body);
    } else {
        rcs_buffer_clear(&body);
    }
}

static void take_message(struct rcs_mcp_program *program, struct recourse_span text)
{
    struct rcs_mcp_message read = rcs_mcp_message_read(text);

    take_signs(program, &read);
    if (read.kind == RCS_MCP_NONE) {
        skip_line(program, "is no JSON-RPC message", text);
    } else if (read.kind == RCS_MCP_REQUEST) {
        take_request(program, &read);
    } else if (read.kind == RCS_MCP_NOTIFICATION) {
        rcs_mcp_hear(program->server, &read);
    } else {
        take_answer(program, &read, text);
    }
}

static void take_batch(struct rcs_mcp_program *program, struct recourse_span text)
{
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    if (rcs_json_check(text, false, NULL) != RCS_JSON_GOOD) {
        skip_line(program, "is not JSON", text);
        return;
    }
    while (!program->over && rcs_json_next(text, &at, &key, &value)) {
        take_message(program, value);
    }
}

static void take_fault(struct rcs_mcp_program *program, const struct rcs_mcp_line *line)
{
    bool large = line->fault == RECOURSE_E_LIMIT;
    const struct rcs_mcp_reply reply = {
        .facts = {.too_large = true,
                  .detail = words(large ? "the answer is too large to be kept" : "no memory for the answer")}};

    struct rcs_mcp_posted *message = find(program, line->id);

    skip_line(program, large ? "is too long" : "had no room in memory", line->text);
    if (message != NULL) {
        program->greeted = true;
        rcs_mcp_posted_answer(message, &reply);
    }
}

/* What is JSON all the same counts, as it does over HTTP: bad bytes are replaced wherever they are shown or kept. */
static bool is_readable(struct rcs_mcp_program *program, struct recourse_span text)
{
    if (rcs_json_check(text, false, NULL) != RCS_JSON_GOOD) {
        skip_line(program, "is not UTF-8", text);
        return false;
    }
    tell_line(program, "is not UTF-8 is read with its bad bytes replaced", text);
    return true;
}

static void take_line(struct rcs_mcp_program *program, const struct rcs_mcp_line *line)
{
    struct recourse_span text = rcs_json_trim(line->text);

    if (line->fault != 0) {
        take_fault(program, line);
        return;
    }
    if (!rcs_utf8_is_good(text) && !is_readable(program, text)) {
        return;
    }
    if (text.size > 0 && text.data[0] == '[') {
        take_batch(program, text);
    } else if (text.size > 0) {
        take_message(program, text);
    }
}

/* Leave that was not used counts. */
static bool keep(void *user, size_t size)
{
    struct rcs_mcp_program *program = user;
    size_t wanted = program->lines.begun.capacity + size;

    return program->claim.taken >= wanted ||
           rcs_claim_more(program->server->host->room, &program->claim, wanted - program->claim.taken);
}

static void read_on(struct rcs_claim *claim)
{
    struct rcs_mcp_program *program = RCS_OWNER(claim, struct rcs_mcp_program, claim);
    struct recourse_port *port = program->server->host->port;

    if (program->process != NULL && program->server->program == program) {
        port->process_resume(port->self, program->process);
    } else { /* it is being ended, and read without leave */
        rcs_claim_leave(program->server->host->room, claim);
    }
}

bool rcs_mcp_program_waits(const struct rcs_mcp_program *program)
{
    return !rcs_list_empty(&program->claim.link);
}

/* What was read is what is held now; between two lines others come first. */
static void count_held(struct rcs_mcp_program *program)
{
    struct rcs_room *room = program->server->host->room;

    rcs_claim_set(room, &program->claim, program->lines.begun.capacity);
    if (!rcs_mcp_lines_has_begun(&program->lines)) {
        rcs_claim_leave(room, &program->claim);
    }
}

static void on_data(void *user, const char *bytes, size_t size)
{
    struct rcs_mcp_program *program = user;
    const char *at = bytes;
    const char *end = size > 0 ? bytes + size : bytes;
    struct rcs_mcp_line line;

    enter(program);
    while (!program->over && rcs_mcp_lines_next(&program->lines, &at, end, &line)) {
        take_line(program, &line);
    }
    count_held(program);
    if (!program->over && rcs_mcp_lines_has_begun(&program->lines)) {
        touch_all(program);
    }
    if (size == 0 && !program->over && rcs_mcp_lines_last(&program->lines, &line)) {
        take_line(program, &line);
    }
    if (size == 0 && !program->over) {
        rcs_mcp_program_hang_up(program); /* it can't answer any more */
    }
    leave(program);
}

/* ---- its end ---- */

/* An exit status is one of the start: what it had begun to work on later has no known end. */
static void read_end(const struct rcs_mcp_program *program, const struct recourse_process_result *result,
                     struct recourse_facts *facts, char text[128])
{
    const char *when = program->greeted ? "before it answered" : "before it could be used";

    memset(facts, 0, sizeof *facts);
    if (result->start_error != 0) {
        facts->spawn = true;
        facts->detail = words(result->detail);
        return;
    }
    facts->network = RECOURSE_NETWORK_CLOSED;
    if (result->exited) {
        snprintf(text, 128, "the server's process ended with exit status %d %s", result->exit_status, when);
    } else if (result->signal != 0 && !result->signalled) {
        snprintf(text, 128, "the server's process was ended by signal %d %s", result->signal, when);
    } else {
        snprintf(text, 128, "the server closed its standard input or output %s", when);
    }
    facts->detail = words(text);
    if (program->greeted) {
        return;
    }
    facts->text = rcs_json_trim(result->errors);
    facts->has_exit = result->exited && result->exit_status != 0;
    facts->exit_status = facts->has_exit ? result->exit_status : 0;
    facts->signal = result->signalled ? 0 : result->signal;
}

static void on_end(void *user, const struct recourse_process_result *result)
{
    struct rcs_mcp_program *program = user;
    struct rcs_mcp_reply reply = {.message = {.kind = RCS_MCP_NONE}};
    struct rcs_mcp_line line;
    char text[128] = "";

    enter(program);
    if (rcs_mcp_lines_last(&program->lines, &line)) {
        take_line(program, &line);
    }
    program->process = NULL;
    rcs_claim_leave(program->server->host->room, &program->claim);
    retire(program);
    read_end(program, result, &reply.facts, text);
    rcs_mcp_tell(program->server, reply.facts.detail);
    while (program->first != NULL) {
        reply.facts.unsent = program->first->sent == 0;
        rcs_mcp_posted_answer(program->first, &reply);
    }
    program->over = true;
    leave(program);
}

/* ---- its start ---- */

static void on_writable(void *user)
{
    rcs_mcp_program_pump(user);
}

int rcs_mcp_program_start(struct rcs_mcp_server *server, struct rcs_mcp_program **out)
{
    const struct rcs_tool_host *host = server->host;
    struct rcs_mcp_program *program = rcs_alloc_zero(host->allocator, sizeof *program);
    int code;

    if (program == NULL) {
        return RECOURSE_E_MEMORY;
    }
    program->server = server;
    program->request = (struct recourse_process_request){
        .arguments = server->config.command,
        .environment = server->config.environment,
        .directory = server->config.directory,
        .shown_program = server->config.shown_command,
        .shown_directory = server->config.shown_directory,
        .errors_max = RECOURSE_TEXT_MAX,
        .deadline_ms = RECOURSE_FOREVER,
        .keep = keep,
        .data = on_data,
        .writable = on_writable,
    };
    rcs_mcp_lines_init(&program->lines, host->allocator, host->body_max);
    rcs_claim_init(&program->claim, host->port->process_resume != NULL ? read_on : NULL);
    code = host->port->process_start(host->port->self, &program->request, on_end, program, &program->process);
    if (code != 0) {
        rcs_free(host->allocator, program);
        return code;
    }
    program->next = server->programs;
    if (program->next != NULL) {
        program->next->previous = program;
    }
    server->programs = program;
    server->program = program;
    *out = program;
    return 0;
}
