/* The words of an MCP script, beside those of HTTP. */
#include <string.h>

#include "tests/server/mcp_parts.h"

static const struct rcs_part_word words[] = {
    [RCS_W_TEXT] = {"text", RCS_VALUE_TEXT},
    [RCS_W_IMAGE] = {"image", RCS_VALUE_NUMBER},
    [RCS_W_AUDIO] = {"audio", RCS_VALUE_NUMBER},
    [RCS_W_BLOB] = {"blob", RCS_VALUE_NUMBER},
    [RCS_W_CONTENT] = {"content", RCS_VALUE_TEXT},
    [RCS_W_COUNT] = {"count", RCS_VALUE_NONE},
    [RCS_W_STRUCTURED] = {"structured", RCS_VALUE_TEXT},
    [RCS_W_IS_ERROR] = {"is-error", RCS_VALUE_NONE},
    [RCS_W_RESULT] = {"result", RCS_VALUE_TEXT},
    [RCS_W_RPC] = {"rpc", RCS_VALUE_TEXT},
    [RCS_W_MESSAGE] = {"message", RCS_VALUE_TEXT},
    [RCS_W_DATA] = {"data", RCS_VALUE_TEXT},
    [RCS_W_ID] = {"id", RCS_VALUE_TEXT},
    [RCS_W_RAN] = {"ran", RCS_VALUE_NONE},
    [RCS_W_UNRUN] = {"unrun", RCS_VALUE_NONE},
    [RCS_W_SSE] = {"sse", RCS_VALUE_NONE},
    [RCS_W_PRIME] = {"prime", RCS_VALUE_NONE},
    [RCS_W_IDS] = {"ids", RCS_VALUE_NONE},
    [RCS_W_RETRY] = {"retry", RCS_VALUE_NUMBER},
    [RCS_W_COMMENT] = {"comment", RCS_VALUE_NONE},
    [RCS_W_PROGRESS] = {"progress", RCS_VALUE_NUMBER},
    [RCS_W_NOTIFY] = {"notify", RCS_VALUE_TEXT},
    [RCS_W_ASK] = {"ask", RCS_VALUE_TEXT},
    [RCS_W_ASK_GET] = {"ask-get", RCS_VALUE_TEXT},
    [RCS_W_PARAMS] = {"params", RCS_VALUE_TEXT},
    [RCS_W_AWAIT] = {"await", RCS_VALUE_NONE},
    [RCS_W_EVENT] = {"event", RCS_VALUE_TEXT},
    [RCS_W_BYTES] = {"bytes", RCS_VALUE_TEXT},
    [RCS_W_PAUSE] = {"pause", RCS_VALUE_NUMBER},
    [RCS_W_ANSWER] = {"answer", RCS_VALUE_NONE},
    [RCS_W_NO_ANSWER] = {"no-answer", RCS_VALUE_NONE},
    [RCS_W_CUT] = {"cut", RCS_VALUE_NONE},
    [RCS_W_BREAK] = {"break", RCS_VALUE_NONE},
    [RCS_W_STALL] = {"stall", RCS_VALUE_NONE},
    [RCS_W_EOL] = {"eol", RCS_VALUE_TEXT},
    [RCS_W_LINES] = {"lines", RCS_VALUE_NONE},
    [RCS_W_STDERR] = {"stderr", RCS_VALUE_TEXT},
    [RCS_W_EXIT] = {"exit", RCS_VALUE_NUMBER},
    [RCS_W_KILL] = {"kill", RCS_VALUE_NONE},
    [RCS_W_LISTED] = {"listed", RCS_VALUE_TEXT},
    [RCS_W_SESSION] = {"session", RCS_VALUE_NONE},
    [RCS_W_EXPIRE] = {"expire", RCS_VALUE_NUMBER},
    [RCS_W_EXPIRED] = {"expired", RCS_VALUE_NUMBER},
    [RCS_W_VERSION] = {"version", RCS_VALUE_TEXT},
    [RCS_W_PAGE] = {"page", RCS_VALUE_NUMBER},
    [RCS_W_LOOP] = {"loop", RCS_VALUE_NONE},
    [RCS_W_LENIENT] = {"lenient", RCS_VALUE_NONE},
    [RCS_W_NO_GET] = {"no-get", RCS_VALUE_NONE},
    [RCS_W_IGNORE_EOF] = {"ignore-eof", RCS_VALUE_NONE},
    [RCS_W_IGNORE_TERM] = {"ignore-term", RCS_VALUE_NONE},
    [RCS_W_GREETING] = {"greeting", RCS_VALUE_TEXT},
    [RCS_W_ERA] = {"era", RCS_VALUE_TEXT},
};
_Static_assert(sizeof words / sizeof words[0] == RCS_W_WORD_COUNT, "a word for each");

const struct rcs_part_words rcs_mcp_words = {words, RCS_W_WORD_COUNT};

const struct rcs_part *rcs_part_find(const struct rcs_answer *answer, enum rcs_word word)
{
    const struct rcs_part *found = NULL;

    for (size_t i = 0; i < answer->part_count; i++) {
        found = answer->parts[i].word == word ? &answer->parts[i] : found;
    }
    return found;
}

static bool has_between(const struct rcs_answer *answer, enum rcs_word first, enum rcs_word last)
{
    for (size_t i = 0; i < answer->part_count; i++) {
        if (answer->parts[i].word >= first && answer->parts[i].word <= last) {
            return true;
        }
    }
    return false;
}

bool rcs_answer_speaks(const struct rcs_answer *answer)
{
    return has_between(answer, RCS_W_TEXT, RCS_W_ID);
}

bool rcs_answer_streams(const struct rcs_answer *answer)
{
    return has_between(answer, RCS_W_SSE, RCS_W_LINES);
}
