/* How far the opening of a server has come, in words: for whoever has waited for it in vain. */
#include "src/tools/mcp_program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/core/sink.h"

#define SHOWN 160u /* code points of what it complains of */

int rcs_mcp_session_ask(struct rcs_mcp_server *server, struct rcs_mcp_order *order, const char *method)
{
    struct recourse_port *port = server->host->port;

    server->asked = method;
    server->asked_ms = port->now_ms(port->self);
    return rcs_mcp_post(server, order, &server->handshake);
}

static void put_time(struct rcs_sink *line, uint64_t ms)
{
    char text[40];
    int size;

    if (ms < 1000) {
        size = snprintf(text, sizeof text, "%" PRIu64 " ms", ms);
    } else if (ms % 1000 < 100) {
        size = snprintf(text, sizeof text, "%" PRIu64 " s", ms / 1000);
    } else {
        size = snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64 " s", ms / 1000, ms % 1000 / 100);
    }

    rcs_sink_ascii(line, text, (size_t)size);
}

static void put_words(struct rcs_sink *line, const char *words)
{
    rcs_sink_ascii(line, words, strlen(words));
}

static struct recourse_span last_line(struct recourse_span text)
{
    size_t begin;

    text = rcs_json_trim(text);
    begin = text.size;
    while (begin > 0 && text.data[begin - 1] != '\n') {
        begin--;
    }
    return (struct recourse_span){text.size > 0 ? text.data + begin : NULL, text.size - begin};
}

static void put_program(struct rcs_sink *line, const struct rcs_mcp_program *program)
{
    struct recourse_port *port = program->server->host->port;
    struct recourse_span errors = {NULL, 0};
    char text[64];

    if (program->skipped > 0) {
        snprintf(text, sizeof text, "; it has printed %u line%s no JSON-RPC message%s", program->skipped,
                 program->skipped == 1 ? " that is" : "s that are", program->skipped == 1 ? "" : "s");
        put_words(line, text);
    }
    if (port->process_errors != NULL) {
        errors = last_line(port->process_errors(port->self, program->process));
    }
    if (errors.size > 0) {
        put_words(line, "; last on its standard error: ");
        rcs_text_put_reason(line, errors, SHOWN);
    }
}

void rcs_mcp_opening_text(const struct rcs_mcp_server *server, char text[RCS_STANDING_MAX])
{
    struct recourse_port *port = server->host->port;
    struct rcs_sink line = rcs_sink_of(text, RCS_STANDING_MAX - 1);

    put_words(&line, "the server did not answer `");
    put_words(&line, server->asked);
    put_words(&line, "` within ");
    put_time(&line, port->now_ms(port->self) - server->asked_ms);
    if (server->program != NULL && server->program->process != NULL) {
        put_program(&line, server->program);
    }
    text[line.used] = '\0';
}
