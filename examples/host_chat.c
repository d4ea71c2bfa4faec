/* host_chat MODEL-URL MCP-URL QUESTION: OpenAI's chat completions, whole answers. */
#include "agent.h"

static bool read_chat(struct recourse_span body, struct text *reply, struct text *message, struct text *words)
{
    struct recourse_span choice = json_element(json_member(body, "choices"), 0);
    struct recourse_span said = json_member(choice, "message");
    struct recourse_span content = json_member(said, "content");

    text_put(reply, body.data, body.size);
    text_put(message, said.data, said.size);
    text_put(words, content.data, content.size);
    return said.size > 0;
}

int main(int argc, char **argv)
{
    static const struct provider chat = {
        .name = "host_chat",
        .request = "{\"model\":\"example\",\"tools\":[",
        .tool = {"{\"type\":\"function\",\"function\":{\"name\":", ",\"description\":", ",\"parameters\":", "}}"},
        .read = read_chat,
    };

    return agent_main(argc, argv, &chat);
}
