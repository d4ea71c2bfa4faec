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

enum recourse_dialect { RECOURSE_DIALECT_OPENAI_CHAT = 0, RECOURSE_DIALECT_COUNT = 1 };

/* Calls read from a reply. Owned by whoever read them; the requests point into `memory`, not into the reply. */
struct recourse_calls {
    uint8_t dialect; /* enum recourse_dialect */
    struct recourse_call_request *requests;
    size_t count;
    void *memory;
    const struct recourse_allocator *allocator;
};

/*
 * Reads the calls of a whole provider response ({"choices": [...]}), a message ({"role": "assistant", "tool_calls":
 * [...]}) or a bare list of calls ([...]); the shape says which. A `finish_reason` of "length" (or "content_filter") marks every call of that reply
 * as truncated. A reply without calls is 0 calls, no error.
 * Errors: RECOURSE_E_SYNTAX with the offset, RECOURSE_E_MEMORY, RECOURSE_E_LIMIT (more than 10,000 calls).
 */
RECOURSE_MUST_USE int recourse_calls_read(struct recourse_span reply, const struct recourse_allocator *allocator,
                                          struct recourse_calls *calls, struct recourse_error *error);
void recourse_calls_clear(struct recourse_calls *calls);

/*
 * Writes one result as the dialect has it: for OpenAI chat {"role":"tool","tool_call_id":...,"content":...}. No line
 * break in or after it. Returns the length when whole, like snprintf; writes nothing if `size` is too small.
 */
size_t recourse_result_write(enum recourse_dialect dialect, const struct recourse_result *result, char *text, size_t size);

/* Writes the results of a turn, in the order of its calls: for OpenAI chat an array. As above. */
size_t recourse_results_write(enum recourse_dialect dialect, const struct recourse_turn *turn, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
