/* host_messages MODEL-URL MCP-URL QUESTION: Anthropic's messages. */
#include "agent.h"

static bool read_message(struct recourse_span body, struct text *reply, struct text *message, struct text *words)
{
    struct recourse_span content = json_member(body, "content");
    struct recourse_span text = json_member(json_element(content, 0), "text");

    text_put(reply, body.data, body.size);
    text_say(message, "{\"role\":\"assistant\",\"content\":");
    text_put(message, content.data, content.size);
    text_say(message, "}");
    text_put(words, text.data, text.size);
    return content.size > 0;
}

int main(int argc, char **argv)
{
    static const struct provider messages = {
        .name = "host_messages",
        .request = "{\"model\":\"example\",\"max_tokens\":1024,\"tools\":[",
        .tool = {"{\"name\":", ",\"description\":", ",\"input_schema\":", "}"},
        .read = read_message,
    };

    return agent_main(argc, argv, &messages);
}
