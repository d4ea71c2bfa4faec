/*
 * Reads the calls of a reply. Two walks over the same entries: the first measures, so that one allocation holds the
 * requests and all their text; the second copies.
 */
#include "src/dialect/dialect.h"

#include <stdio.h>
#include <string.h>

#include "src/core/fail.h"
#include "src/io/memory.h"

#define CALLS_MAX 10000u

/* A walk over the calls of a reply. `requests` NULL: it only measures. */
struct reading {
    const struct rcs_dialect *dialect;
    bool cut_off;
    struct rcs_store store;
    struct recourse_call_request *requests;
    size_t count;
    size_t first_lost; /* the first call whose id was, from 1 */
};

static bool is_call(enum rcs_claim claim)
{
    return claim == RCS_CLAIM_CALL || claim == RCS_CLAIM_MAYBE_CALL;
}

static void read_call(struct reading *reading, const struct rcs_object *entry)
{
    struct recourse_call_request measured;
    struct recourse_call_request *request = &measured;

    if (reading->requests != NULL) {
        request = &reading->requests[reading->count];
    }
    memset(request, 0, sizeof *request);
    reading->dialect->read(entry, &reading->store, request);
    request->truncated = request->truncated || reading->cut_off;
    reading->count++;
    if (reading->store.lost_id && reading->first_lost == 0) {
        reading->first_lost = reading->count;
    }
}

static void read_all(struct reading *reading, const struct rcs_found *found)
{
    struct rcs_object entry;
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    reading->count = 0;
    if (found->single.data != NULL) {
        rcs_object_open(&entry, found->single);
        read_call(reading, &entry);
    }
    while (found->list.data != NULL && reading->count <= CALLS_MAX &&
           rcs_json_next(found->list, &at, &key, &value)) {
        rcs_object_open(&entry, value);
        if (is_call(reading->dialect->claim(&entry))) {
            read_call(reading, &entry);
        }
    }
}

static int check_reply(struct recourse_span reply, struct recourse_error *error)
{
    static const char *const faults[] = {
        [RCS_JSON_BAD] = "unexpected byte",
        [RCS_JSON_UNENDED] = "it ends too early",
        [RCS_JSON_TOO_DEEP] = "nested too deep",
        [RCS_JSON_DUPLICATE] = "a key twice",
        [RCS_JSON_TOO_MANY] = "too many keys",
    };
    size_t offset = 0;
    enum rcs_json_fault fault = rcs_json_check(reply, false, &offset);

    return fault == RCS_JSON_GOOD
               ? 0
               : rcs_fail(error, RECOURSE_E_SYNTAX, "the reply is not JSON: %s at byte %zu", faults[fault], offset);
}

static int keep_calls(struct recourse_calls *calls, const struct rcs_found *found, struct recourse_error *error)
{
    struct reading reading = {.dialect = rcs_dialects[calls->dialect], .cut_off = found->cut_off};
    size_t count;

    read_all(&reading, found);
    count = reading.count;
    if (count > CALLS_MAX) {
        return rcs_fail(error, RECOURSE_E_LIMIT, "more than %u calls in one reply", CALLS_MAX);
    }
    if (reading.store.lost_id) { /* nobody could be told which call a result belongs to */
        return rcs_fail(error, RECOURSE_E_SYNTAX, "the id of call %zu is no Unicode text, so no result could bear it",
                        reading.first_lost);
    }
    if (count == 0) {
        return 0;
    }
    calls->memory = rcs_alloc(calls->allocator, count * sizeof *calls->requests + reading.store.used);
    if (calls->memory == NULL) {
        return rcs_fail(error, RECOURSE_E_MEMORY, "no memory for %zu calls", count);
    }
    calls->requests = calls->memory;
    calls->count = count;
    reading.requests = calls->requests;
    reading.store.at = (char *)(calls->requests + count);
    read_all(&reading, found);
    return 0;
}

int recourse_calls_read(struct recourse_span reply, const struct recourse_allocator *allocator,
                        struct recourse_calls *calls, struct recourse_error *error)
{
    enum recourse_dialect dialect = RECOURSE_DIALECT_OPENAI_CHAT;
    struct rcs_found found;
    int code;

    if (calls == NULL || (reply.data == NULL && reply.size > 0)) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no reply, or nowhere to put its calls");
    }
    memset(calls, 0, sizeof *calls);
    calls->allocator = allocator;
    code = check_reply(reply, error);
    if (code == 0) {
        code = rcs_shape_find(reply, &dialect, &found, error);
    }
    if (code != 0) {
        return code;
    }
    calls->dialect = (uint8_t)dialect;
    return keep_calls(calls, &found, error);
}

void recourse_calls_clear(struct recourse_calls *calls)
{
    if (calls != NULL) {
        rcs_free(calls->allocator, calls->memory);
        memset(calls, 0, sizeof *calls);
    }
}
