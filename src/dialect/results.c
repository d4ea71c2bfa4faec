/* Writes results in the OpenAI chat format. Two passes: lengths first, so that nothing is written that does not fit. */
#include <recourse/dialect.h>

#include <string.h>

#include "src/core/json.h"

/* Text that is being written, or only measured: `data` NULL. */
struct out {
    char *data;
    size_t size;
    size_t used; /* what it would have been, past the end too */
};

static void put(struct out *out, const char *text)
{
    size_t size = strlen(text);

    if (out->data != NULL) {
        memcpy(out->data + out->used, text, size);
    }
    out->used += size;
}

static void put_quoted(struct out *out, struct recourse_span text)
{
    char *at = out->data != NULL ? out->data + out->used : NULL;

    out->used += rcs_json_quote(text, at, out->data != NULL ? out->size - out->used : 0);
}

/* The format has no mark for errors: the content says what went wrong. */
static void put_result(struct out *out, const struct recourse_result *result)
{
    put(out, "{\"role\":\"tool\",\"tool_call_id\":");
    put_quoted(out, result->call);
    put(out, ",\"content\":");
    put_quoted(out, result->content);
    put(out, "}");
}

static void put_turn(struct out *out, const struct recourse_turn *turn)
{
    const struct recourse_result *result;
    bool first = true;

    put(out, "[");
    for (size_t i = 0; i < recourse_turn_count(turn); i++) {
        result = recourse_turn_result(turn, i);
        if (result == NULL) {
            continue;
        }
        put(out, first ? "" : ",");
        put_result(out, result);
        first = false;
    }
    put(out, "]");
}

size_t recourse_result_write(enum recourse_dialect dialect, const struct recourse_result *result, char *text,
                             size_t size)
{
    struct out out = {NULL, 0, 0};

    if (dialect != RECOURSE_DIALECT_OPENAI_CHAT || result == NULL) {
        return 0;
    }
    put_result(&out, result);
    if (text == NULL || out.used >= size) {
        return out.used;
    }
    out = (struct out){text, size, 0};
    put_result(&out, result);
    text[out.used] = '\0';
    return out.used;
}

size_t recourse_results_write(enum recourse_dialect dialect, const struct recourse_turn *turn, char *text, size_t size)
{
    struct out out = {NULL, 0, 0};

    if (dialect != RECOURSE_DIALECT_OPENAI_CHAT || turn == NULL) {
        return 0;
    }
    put_turn(&out, turn);
    if (text == NULL || out.used >= size) {
        return out.used;
    }
    out = (struct out){text, size, 0};
    put_turn(&out, turn);
    text[out.used] = '\0';
    return out.used;
}
