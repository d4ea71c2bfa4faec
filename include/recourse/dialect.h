/*
 * Dialects: reading tool calls from, and writing results to, the message formats of model providers.
 *
 * Arguments are carried as the bytes they came in. Output is well-formed UTF-8 always.
 */
#ifndef RECOURSE_DIALECT_H
#define RECOURSE_DIALECT_H

#include <recourse/runner.h>

#ifdef __cplusplus
extern "C" {
#endif

enum recourse_dialect {
    RECOURSE_DIALECT_OPENAI_CHAT = 0,
    RECOURSE_DIALECT_ANTHROPIC = 1,        /* messages */
    RECOURSE_DIALECT_OPENAI_RESPONSES = 2,
    RECOURSE_DIALECT_GEMINI = 3,
    RECOURSE_DIALECT_MCP = 4,
    RECOURSE_DIALECT_COUNT = 5
};

/* Such as "Anthropic messages". */
const char *recourse_dialect_name(enum recourse_dialect dialect);

/* Calls read from a reply. Owned by whoever read them; the requests point into `memory`, not into the reply. */
struct recourse_calls {
    uint8_t dialect; /* enum recourse_dialect */
    struct recourse_call_request *requests;
    size_t count;
    void *memory;
    const struct recourse_allocator *allocator;
};

/*
 * Reads the calls of a reply; its shape says which dialect it is in:
 *
 *   OpenAI chat       {"choices": [...]}, a message {"role": "assistant", "tool_calls": [...]}, or a list of calls
 *   Anthropic         {"type": "message", "content": [...]}, a message {"role", "content"}, or a list of content blocks
 *   OpenAI responses  {"object": "response", "output": [...]}, or a list of items
 *   Gemini            {"candidates": [...]}, a content {"role", "parts"}, or a list of parts
 *   MCP               a JSON-RPC request {"jsonrpc", "id", "method": "tools/call", "params"}, or a list of messages
 *
 * Where the provider says that the reply did not come to its end, its calls are marked as truncated. A reply without
 * calls is 0 calls, no error; an empty list is of no dialect, and counts as OpenAI chat.
 * Errors: RECOURSE_E_ARGUMENT, RECOURSE_E_SYNTAX with the offset (also for a reply that could be in two dialects, and
 * for a list that mixes them, and for an id that can't be sent back as it came), RECOURSE_E_MEMORY, RECOURSE_E_LIMIT (more than 10,000 calls).
 */
RECOURSE_MUST_USE int recourse_calls_read(struct recourse_span reply, const struct recourse_allocator *allocator,
                                          struct recourse_calls *calls, struct recourse_error *error);
void recourse_calls_clear(struct recourse_calls *calls);

/*
 * Writes one result as the dialect has it. No line break in or after it; well-formed UTF-8 whatever the result holds.
 *
 *   OpenAI chat       {"role":"tool","tool_call_id","content"}
 *   Anthropic         {"type":"tool_result","tool_use_id","content","is_error":true}, the last one on errors only
 *   OpenAI responses  {"type":"function_call_output","call_id","output"}
 *   Gemini            {"functionResponse":{"id","name","response":{"result"} or {"error"}}}, the id if the call had one
 *   MCP               {"jsonrpc","id","result":{"content":[{"type":"text","text"}],"structuredContent","isError":true}}, the last
 *                     one on errors only; ids keep their type
 *
 * Returns the length when whole, like snprintf; writes nothing if there is no room for it and a NUL.
 */
size_t recourse_result_write(enum recourse_dialect dialect, const struct recourse_result *result, char *text,
                             size_t size);

/*
 * Writes the results of a turn, in the order of its calls: an array; for Anthropic one user message, for Gemini one
 * content. `turn` NULL: of a reply without calls. As above.
 */
size_t recourse_results_write(enum recourse_dialect dialect, const struct recourse_turn *turn, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
