/*
 * What the three hosts share: a conversation with a model over HTTP, tools on an MCP server, and one way out. A host adds
 * what its provider's API has of its own.
 */
#ifndef AGENT_H
#define AGENT_H

#include <stdbool.h>

#include <recourse/dialect.h>

/* Bytes that grow; the agent is out of memory where they can't. */
struct text {
    char *data; /* ends in a NUL */
    size_t size;
};
void text_put(struct text *text, const char *data, size_t size);
void text_say(struct text *text, const char *words);
/* As a JSON string, quotes included. */
void text_quote(struct text *text, struct recourse_span words);

/* A member's value, or an array's element, as it was written; empty: there is none. */
struct recourse_span json_member(struct recourse_span object, const char *name);
struct recourse_span json_element(struct recourse_span array, size_t index);

struct provider {
    const char *name;      /* of the program */
    const char *request;   /* the request's first members, and "tools":[ */
    const char *tool[4];   /* what stands before a tool's name, its description, its schema, and behind it */
    /*
     * Reads a body of status 200: `reply` is what recourse_calls_read takes, `message` what is appended to the conversation,
     * `words` what the model says to the user, a JSON string. Returns whether it could be read.
     */
    bool (*read)(struct recourse_span body, struct text *reply, struct text *message, struct text *words);
};

/* NAME MODEL-URL MCP-URL QUESTION. Exit status: 0 answered, 3 the run failed, 1 an error of usage or of the machine. */
int agent_main(int argc, char **argv, const struct provider *provider);

#endif
