/* Replies of any bytes: none is read outside of them, both walks over them agree, what is written is strict JSON. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <recourse/dialect.h>

#include "src/core/json.h"
#include "tests/unit/strict.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds) {
        abort();
    }
}

/* Spans lie in the memory of the calls, back to back and in order, and fill it. */
static const char *demand_next(struct recourse_span span, const char *at)
{
    demand(span.size == 0 || span.data == at);
    return at + span.size;
}

static void write_in(enum recourse_dialect dialect, const struct recourse_call_request *call, bool success)
{
    struct recourse_result result = {
        .call = call->id, .tool = call->name, .content = call->arguments, .success = success};
    size_t size = recourse_result_write(dialect, &result, NULL, 0);
    char *text = malloc(size + 1);

    if (text == NULL) {
        return;
    }
    demand(recourse_result_write(dialect, &result, text, size + 1) == size);
    demand(rcs_strict_json(text, size) && text[size] == '\0');
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct recourse_span reply = {(const char *)data, size};
    struct recourse_error error = {RECOURSE_OK, ""};
    struct recourse_calls calls;
    const char *at;
    int code = recourse_calls_read(reply, NULL, &calls, &error);

    demand(calls.dialect < RECOURSE_DIALECT_COUNT);
    if (code != 0) {
        demand(calls.count == 0 && calls.memory == NULL && error.code == code && error.text[0] != '\0');
        return 0;
    }
    demand(rcs_json_check(reply, false, NULL) == RCS_JSON_GOOD);
    at = calls.count > 0 ? (const char *)(calls.requests + calls.count) : NULL;
    for (size_t i = 0; i < calls.count; i++) {
        at = demand_next(calls.requests[i].id, at);
        at = demand_next(calls.requests[i].name, at);
        at = demand_next(calls.requests[i].arguments, at);
        for (unsigned d = 0; d < RECOURSE_DIALECT_COUNT; d++) {
            write_in((enum recourse_dialect)d, &calls.requests[i], (i + d) % 2 == 0);
        }
    }
    recourse_calls_clear(&calls);
    return 0;
}
