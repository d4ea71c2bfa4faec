/* Writes results. Two passes: lengths first, so that nothing is written that does not fit. */
#include "src/dialect/dialect.h"

#include <string.h>

void rcs_write_text(struct rcs_written *text, const char *piece)
{
    size_t size = strlen(piece);

    if (text->data != NULL) {
        memcpy(text->data + text->used, piece, size);
    }
    text->used += size;
}

void rcs_write_quoted(struct rcs_written *text, struct recourse_span piece)
{
    char *at = text->data != NULL ? text->data + text->used : NULL;

    text->used += rcs_json_quote(piece, at, text->data != NULL ? text->size - text->used : 0);
}

void rcs_write_result(struct rcs_written *text, const struct recourse_result *result, const char *before_call,
                      const char *before_content)
{
    rcs_write_text(text, before_call);
    rcs_write_quoted(text, result->call);
    rcs_write_text(text, before_content);
    rcs_write_quoted(text, result->content);
    rcs_write_text(text, "}");
}

static void put_turn(struct rcs_written *text, const struct rcs_dialect *dialect, const struct recourse_turn *turn)
{
    size_t count = turn != NULL ? recourse_turn_count(turn) : 0;
    const struct recourse_result *result;
    bool first = true;

    rcs_write_text(text, dialect->opens);
    for (size_t i = 0; i < count; i++) {
        result = recourse_turn_result(turn, i);
        if (result == NULL) {
            continue;
        }
        rcs_write_text(text, first ? "" : ",");
        dialect->write(text, result);
        first = false;
    }
    rcs_write_text(text, dialect->closes);
}

size_t recourse_result_write(enum recourse_dialect dialect, const struct recourse_result *result, char *text,
                             size_t size)
{
    struct rcs_written out = {NULL, 0, 0};

    if ((unsigned)dialect >= RECOURSE_DIALECT_COUNT || result == NULL) {
        return 0;
    }
    rcs_dialects[dialect]->write(&out, result);
    if (text == NULL || out.used >= size) {
        return out.used;
    }
    out = (struct rcs_written){text, size, 0};
    rcs_dialects[dialect]->write(&out, result);
    text[out.used] = '\0';
    return out.used;
}

size_t recourse_results_write(enum recourse_dialect dialect, const struct recourse_turn *turn, char *text, size_t size)
{
    struct rcs_written out = {NULL, 0, 0};

    if ((unsigned)dialect >= RECOURSE_DIALECT_COUNT) {
        return 0;
    }
    put_turn(&out, rcs_dialects[dialect], turn);
    if (text == NULL || out.used >= size) {
        return out.used;
    }
    out = (struct rcs_written){text, size, 0};
    put_turn(&out, rcs_dialects[dialect], turn);
    text[out.used] = '\0';
    return out.used;
}
