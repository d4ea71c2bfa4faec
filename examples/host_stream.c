/* host_stream MODEL-URL MCP-URL QUESTION: OpenAI's chat completions, as a stream of deltas that are put together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

#define CALLS_MAX 64u

struct call {
    struct text id, name, arguments; /* as they are inside their quotes: what was escaped stays so */
};

static void put_inside(struct text *text, struct recourse_span quoted)
{
    if (quoted.size >= 2 && *quoted.data == '"') {
        text_put(text, quoted.data + 1, quoted.size - 2);
    }
}

static bool take_delta(struct recourse_span delta, struct call *calls, struct text *words)
{
    struct recourse_span part;

    put_inside(words, json_member(delta, "content"));
    for (size_t i = 0; (part = json_element(json_member(delta, "tool_calls"), i)).size > 0; i++) {
        struct recourse_span function = json_member(part, "function");
        struct recourse_span index = json_member(part, "index");
        unsigned long which = index.size > 0 ? strtoul(index.data, NULL, 10) : CALLS_MAX;

        if (which >= CALLS_MAX) {
            return false;
        }
        put_inside(&calls[which].id, json_member(part, "id"));
        put_inside(&calls[which].name, json_member(function, "name"));
        put_inside(&calls[which].arguments, json_member(function, "arguments"));
    }
    return true;
}

static void put_calls(struct text *message, struct call *calls)
{
    for (size_t i = 0; i < CALLS_MAX && calls[i].id.size > 0; i++) {
        text_say(message, i > 0 ? ",{\"id\":\"" : ",\"tool_calls\":[{\"id\":\"");
        text_put(message, calls[i].id.data, calls[i].id.size);
        text_say(message, "\",\"type\":\"function\",\"function\":{\"name\":\"");
        text_put(message, calls[i].name.data, calls[i].name.size);
        text_say(message, "\",\"arguments\":\"");
        text_put(message, calls[i].arguments.data, calls[i].arguments.size);
        text_say(message, "\"}}");
    }
    text_say(message, calls[0].id.size > 0 ? "]}" : "}");
}

/* The reason to finish goes along: calls of an answer that was cut off are never run. An answer without one was. */
static void put_reply(struct text *reply, const struct text *message, struct recourse_span reason)
{
    text_say(reply, "{\"choices\":[{\"finish_reason\":");
    text_put(reply, reason.size > 0 ? reason.data : "\"length\"", reason.size > 0 ? reason.size : 8);
    text_say(reply, ",\"message\":");
    text_put(reply, message->data, message->size);
    text_say(reply, "}]}");
}

static bool read_stream(struct recourse_span body, struct text *reply, struct text *message, struct text *words)
{
    struct call *calls = calloc(CALLS_MAX, sizeof *calls);
    struct recourse_span reason = {NULL, 0};
    bool readable = calls != NULL;
    bool any = false;

    text_say(words, "\"");
    for (const char *at = body.data, *end; readable && at < body.data + body.size; at = end + 1) {
        end = memchr(at, '\n', (size_t)(body.data + body.size - at));
        end = end != NULL ? end : body.data + body.size;
        if (end - at > 6 && memcmp(at, "data: ", 6) == 0) {
            struct recourse_span chunk = {at + 6, (size_t)(end - at) - 6};
            struct recourse_span choice = json_element(json_member(chunk, "choices"), 0);
            struct recourse_span why = json_member(choice, "finish_reason");

            any = any || choice.size > 0;
            reason = why.size > 0 && *why.data == '"' ? why : reason;
            readable = take_delta(json_member(choice, "delta"), calls, words);
        }
    }
    text_say(words, "\"");
    text_say(message, "{\"role\":\"assistant\",\"content\":");
    text_put(message, words->data, words->size);
    if (calls != NULL) {
        put_calls(message, calls);
    }
    put_reply(reply, message, reason);
    for (size_t i = 0; calls != NULL && i < CALLS_MAX; i++) {
        free(calls[i].id.data), free(calls[i].name.data), free(calls[i].arguments.data);
    }
    free(calls);
    return readable && any;
}

int main(int argc, char **argv)
{
    static const struct provider chat = {
        .name = "host_stream",
        .request = "{\"model\":\"example\",\"stream\":true,\"tools\":[",
        .tool = {"{\"type\":\"function\",\"function\":{\"name\":", ",\"description\":", ",\"parameters\":", "}}"},
        .read = read_stream,
    };

    return agent_main(argc, argv, &chat);
}
