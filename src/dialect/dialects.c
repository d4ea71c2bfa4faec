/* The table of dialects. The first one takes what nobody else claims. */
#include "src/dialect/dialect.h"

const struct rcs_dialect *const rcs_dialects[RECOURSE_DIALECT_COUNT] = {
    [RECOURSE_DIALECT_OPENAI_CHAT] = &rcs_openai_chat,
    [RECOURSE_DIALECT_ANTHROPIC] = &rcs_anthropic,
    [RECOURSE_DIALECT_OPENAI_RESPONSES] = &rcs_openai_responses,
    [RECOURSE_DIALECT_GEMINI] = &rcs_gemini,
    [RECOURSE_DIALECT_MCP] = &rcs_mcp,
};

const char *recourse_dialect_name(enum recourse_dialect dialect)
{
    return (unsigned)dialect < RECOURSE_DIALECT_COUNT ? rcs_dialects[dialect]->name : "unknown";
}
