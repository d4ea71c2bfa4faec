#include "tests/unit/dialect_kit.h"

#include "tests/unit/strict.h"

const char *kit_read_calls(const char *reply, size_t size, enum recourse_dialect *dialect)
{
    static char text[4096];
    struct recourse_calls calls;
    struct recourse_error error = {RECOURSE_OK, ""};
    int code = recourse_calls_read((struct recourse_span){reply, size}, NULL, &calls, &error);
    size_t used = 0;

    text[0] = '\0';
    if (code != 0) {
        RCS_EQUAL(error.code, code);
        RCS_EQUAL(calls.count, 0);
        snprintf(text, sizeof text, "%s: %s", recourse_code_name(code) + sizeof "RECOURSE_" - 1, error.text);
    }
    for (size_t i = 0; i < calls.count; i++) {
        const struct recourse_call_request *call = &calls.requests[i];

        used += (size_t)snprintf(text + used, sizeof text - used, "[%s|%s|%s%s]", kit_text(call->id),
                                 kit_text(call->name), kit_text(call->arguments), call->truncated ? "|T" : "");
    }
    if (dialect != NULL) {
        *dialect = (enum recourse_dialect)calls.dialect;
    }
    recourse_calls_clear(&calls);
    CU_ASSERT_PTR_NULL(calls.memory);
    return text;
}

void kit_check_readings(enum recourse_dialect dialect, const struct kit_reading *readings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum recourse_dialect read = RECOURSE_DIALECT_COUNT;

        RCS_TEXT_EQUAL(kit_read_calls(readings[i].reply, strlen(readings[i].reply), &read), readings[i].calls);
        if (strncmp(readings[i].calls, "E_", 2) != 0) {
            RCS_TEXT_EQUAL(recourse_dialect_name(read), recourse_dialect_name(dialect));
        }
    }
}

const char *kit_write(enum recourse_dialect dialect, const struct recourse_result *result)
{
    static char text[4096];
    size_t size = recourse_result_write(dialect, result, text, sizeof text);

    RCS_EQUAL(strlen(text), size);
    CU_ASSERT_TRUE(rcs_strict_json(text, size));
    return text;
}

const char *kit_write_all(enum recourse_dialect dialect, const struct recourse_turn *turn)
{
    static char text[4096];
    size_t size = recourse_results_write(dialect, turn, text, sizeof text);

    RCS_EQUAL(strlen(text), size);
    CU_ASSERT_TRUE(rcs_strict_json(text, size));
    return text;
}
