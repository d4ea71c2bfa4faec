/* Whether the server saw what a line says, and whether the command's own account agrees with it. */
#include "tests/run/field.h"

#include <stdio.h>
#include <string.h>

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* Bodies and queries in the order of arrival, byte for byte. */
static void check_bytes(struct rcs_field *field, const char *path, const cJSON *list)
{
    bool bodies = strcmp(list->string, "bodies") == 0;
    size_t index = 0;
    const cJSON *item;

    cJSON_ArrayForEach(item, list) {
        const struct rcs_faulty_request *request = rcs_faulty_request(field->server, path, index++);
        const char *actual = request == NULL ? "not there" : bodies ? request->body : request->query;
        if (strcmp(actual, item->valuestring) != 0) {
            rcs_field_fault(field, "%s: %s[%zu] is %.300s, not %.300s", path, list->string, index - 1, actual,
                            item->valuestring);
        }
    }
}

static uint64_t gap_ms(struct rcs_field *field, const char *path, size_t index)
{
    const struct rcs_faulty_request *before = rcs_faulty_request(field->server, path, index);
    const struct rcs_faulty_request *after = rcs_faulty_request(field->server, path, index + 1);

    return before == NULL || after == NULL ? 0 : after->at_us / 1000 - before->at_us / 1000;
}

static void check_gaps(struct rcs_field *field, const char *path, const cJSON *list)
{
    size_t index = 0;
    const cJSON *least;

    cJSON_ArrayForEach(least, list) {
        uint64_t gap = gap_ms(field, path, index++);
        if ((double)gap < least->valuedouble) {
            rcs_field_fault(field, "%s: gap %zu is %llu ms, less than %.0f", path, index - 1, (unsigned long long)gap,
                            least->valuedouble);
        }
    }
}

static bool is_key(const char *text)
{
    return text != NULL && strlen(text) == 32 && strspn(text, "0123456789abcdef") == 32;
}

/* How many different keys came to a path: one for each call, however often it is tried. */
static void check_keys(struct rcs_field *field, const char *path, const cJSON *keys)
{
    size_t requests = rcs_faulty_count(field->server, path);
    size_t count = 0;

    for (size_t i = 0; i < requests; i++) {
        const char *key = rcs_faulty_header(rcs_faulty_request(field->server, path, i), "Idempotency-Key");
        size_t other = 0;
        if (!is_key(key)) {
            rcs_field_fault(field, "%s: the key of request %zu is %s", path, i, key == NULL ? "not there" : key);
            return;
        }
        while (other < i && strcmp(key, rcs_faulty_header(rcs_faulty_request(field->server, path, other),
                                                          "Idempotency-Key")) != 0) {
            other++;
        }
        count += other == i;
    }
    if ((double)count != keys->valuedouble) {
        rcs_field_fault(field, "%s: there are %zu keys, not %.0f", path, count, keys->valuedouble);
    }
}

/* The number of each try, as the request says it. */
static void check_tries(struct rcs_field *field, const char *path, const cJSON *list)
{
    size_t index = 0;
    const cJSON *number;

    cJSON_ArrayForEach(number, list) {
        const struct rcs_faulty_request *request = rcs_faulty_request(field->server, path, index++);
        const char *header = request == NULL ? NULL : rcs_faulty_header(request, "Recourse-Try");
        char text[16];
        snprintf(text, sizeof text, "%.0f", number->valuedouble);
        if (header == NULL || strcmp(header, text) != 0) {
            rcs_field_fault(field, "%s: request %zu says that it is try %s, not %s", path, index - 1,
                            header == NULL ? "none" : header, text);
        }
    }
}

static void check_path(struct rcs_field *field, const cJSON *expected)
{
    static const struct {
        const char *name;
        void (*check)(struct rcs_field *field, const char *path, const cJSON *expected);
    } checks[] = {{"bodies", check_bytes}, {"queries", check_bytes}, {"gaps_min_ms", check_gaps},
                  {"keys", check_keys},    {"tries", check_tries}};
    const char *path = expected->string;
    const cJSON *requests = member(expected, "requests");
    size_t count = rcs_faulty_count(field->server, path);
    const cJSON *one;

    if (requests != NULL && (double)count != requests->valuedouble) {
        rcs_field_fault(field, "%s: %zu requests came, not %.0f", path, count, requests->valuedouble);
    }
    cJSON_ArrayForEach(one, expected) {
        size_t i = 0;
        while (i < sizeof checks / sizeof checks[0] && strcmp(checks[i].name, one->string) != 0) {
            i++;
        }
        if (i < sizeof checks / sizeof checks[0]) {
            checks[i].check(field, path, one);
        } else if (one != requests) {
            rcs_field_fault(field, "%s: nobody knows what %s means", path, one->string);
        }
    }
}

/* The requests that are tries of calls: of MCP's, those that call a tool. */
static size_t count_requests(const struct rcs_field *field)
{
    size_t mcp = field->mcp == NULL ? 0 : rcs_faulty_count(field->server, RCS_FIELD_MCP_PATH);

    return rcs_faulty_count(field->server, NULL) - mcp + rcs_field_mcp_calls(field);
}

static uint64_t account_gap_ms(struct rcs_field *field, size_t index)
{
    return field->mcp == NULL ? gap_ms(field, NULL, index) : rcs_field_mcp_gap_ms(field, index);
}

/* Nothing is sent that the report knows nothing of; and where one call is all there is, no wait is cut short. */
static void check_account(struct rcs_field *field, const cJSON *report)
{
    const cJSON *results = member(report, "results");
    size_t requests = count_requests(field);
    double tries = 0;
    size_t index = 0;
    const cJSON *one;

    cJSON_ArrayForEach(one, results) {
        tries += member(one, "tries")->valuedouble;
    }
    if ((double)requests > tries) {
        rcs_field_fault(field, "the report has %.0f tries, and %zu requests came", tries, requests);
    }
    if (cJSON_GetArraySize(results) != 1 || (double)requests != tries) {
        return;
    }
    cJSON_ArrayForEach(one, member(results->child, "trail")) {
        const cJSON *wait = member(one, "wait_ms");
        if (cJSON_IsNumber(wait) && index + 1 < requests &&
            (double)account_gap_ms(field, index++) < wait->valuedouble) {
            rcs_field_fault(field, "a wait of %.0f ms was cut short", wait->valuedouble);
        }
    }
}

void rcs_field_judge_server(struct rcs_field *field, const cJSON *expect, const cJSON *report)
{
    const cJSON *paths = member(expect, "server");
    const cJSON *path;

    cJSON_ArrayForEach(path, paths) {
        check_path(field, path);
    }
    if (report != NULL) {
        check_account(field, report);
    } else if (rcs_faulty_count(field->server, NULL) > 0) {
        rcs_field_fault(field, "it gave up, and had sent something all the same");
    }
}
