/* What came out: the report, and whether the server's own log bears it out. */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/demo/demo.h"

/* A loaded machine may come late, but not by more than this; a try that times out is in the gap, too. */
#define LATE_MS 2500u

/* ---- reading ---- */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    if (file == NULL) {
        return NULL;
    }
    for (;;) {
        size_t got;
        char *more = realloc(text, size + 4097);
        if (more == NULL) {
            break;
        }
        text = more;
        got = fread(text + size, 1, 4096, file);
        size += got;
        text[size] = '\0';
        if (got < 4096) {
            break;
        }
    }
    fclose(file);
    return text;
}

static const char *string_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsString(item) ? item->valuestring : NULL;
}

static unsigned number_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(item) && item->valuedouble >= 0 ? (unsigned)item->valuedouble : 0;
}

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from == NULL ? "?" : from);
}

/* A label counts in a step only where it waits or reports, so the steps with one are the call's whole story. */
static void read_trail(const cJSON *trail, struct rcs_demo_outcome *outcome)
{
    const cJSON *step;

    cJSON_ArrayForEach(step, trail) {
        const char *scenario = string_of(step, "scenario");
        const cJSON *wait = cJSON_GetObjectItemCaseSensitive(step, "wait_ms");
        struct rcs_demo_decision *decision = &outcome->decisions[outcome->decision_count];
        size_t used = strlen(outcome->scenarios);
        if (scenario == NULL || outcome->decision_count == RCS_DEMO_DECISIONS_MAX) {
            continue;
        }
        snprintf(outcome->scenarios + used, sizeof outcome->scenarios - used, "%s%s", used > 0 ? " " : "", scenario);
        copy(decision->scenario, sizeof decision->scenario, scenario);
        copy(decision->row, sizeof decision->row, string_of(step, "row"));
        decision->line = number_of(step, "line");
        decision->waits = cJSON_IsNumber(wait);
        decision->wait_ms = number_of(step, "wait_ms");
        outcome->decision_count++;
    }
}

static bool read_outcome(const cJSON *result, struct rcs_demo_outcome *outcome)
{
    const char *content = string_of(result, "content");

    if (content == NULL) {
        return false;
    }
    outcome->content = strdup(content);
    outcome->tries = number_of(result, "tries");
    read_trail(cJSON_GetObjectItemCaseSensitive(result, "trail"), outcome);
    return outcome->content != NULL && outcome->decision_count > 0;
}

/* Results stand in the report in any order: the call's id says which. */
static const cJSON *result_of(const cJSON *results, size_t index)
{
    const cJSON *result;
    char id[32];

    snprintf(id, sizeof id, "call_%02zu", index + 1);
    cJSON_ArrayForEach(result, results) {
        const char *call = string_of(result, "call");
        if (call != NULL && strcmp(call, id) == 0) {
            return result;
        }
    }
    return NULL;
}

static bool read_root(const cJSON *root, struct rcs_demo_report *report)
{
    const cJSON *policy = cJSON_GetObjectItemCaseSensitive(root, "policy");
    const cJSON *results = cJSON_GetObjectItemCaseSensitive(root, "results");

    copy(report->policy, sizeof report->policy, string_of(policy, "name"));
    copy(report->digest, sizeof report->digest, string_of(policy, "behaviour_sha256"));
    copy(report->status, sizeof report->status, string_of(cJSON_GetObjectItemCaseSensitive(root, "run"), "status"));
    report->outcomes = calloc(rcs_demo_call_count, sizeof *report->outcomes);
    if (report->outcomes == NULL || cJSON_GetArraySize(results) != (int)rcs_demo_call_count) {
        fprintf(stderr, "demo: the report has %d results, not %zu\n", cJSON_GetArraySize(results), rcs_demo_call_count);
        return false;
    }
    for (size_t i = 0; i < rcs_demo_call_count; i++) {
        if (!read_outcome(result_of(results, i), &report->outcomes[i])) {
            fprintf(stderr, "demo: the report has no whole result for call_%02zu\n", i + 1);
            return false;
        }
    }
    return true;
}

bool rcs_demo_read_report(const char *path, struct rcs_demo_report *report)
{
    char *text = read_file(path);
    cJSON *root = text == NULL ? NULL : cJSON_Parse(text);
    bool good = false;

    memset(report, 0, sizeof *report);
    if (root == NULL) {
        fprintf(stderr, "demo: %s is no report\n", path);
    } else {
        good = read_root(root, report);
    }
    cJSON_Delete(root);
    free(text);
    return good;
}

void rcs_demo_clear_report(struct rcs_demo_report *report)
{
    for (size_t i = 0; report->outcomes != NULL && i < rcs_demo_call_count; i++) {
        free(report->outcomes[i].content);
    }
    free(report->outcomes);
    memset(report, 0, sizeof *report);
}

/* ---- the server's account ---- */

void rcs_demo_ask_server(struct rcs_faulty *server, const struct rcs_demo_call *call, struct rcs_demo_witness *witness)
{
    char path[64];

    memset(witness, 0, sizeof *witness);
    if (call->tool == NULL) {
        return;
    }
    snprintf(path, sizeof path, "/%s", call->tool);
    witness->requests = rcs_faulty_count(server, path);
    for (size_t i = 1; i < witness->requests && witness->gap_count < RCS_DEMO_DECISIONS_MAX; i++) {
        witness->gaps_ms[witness->gap_count++] =
            rcs_faulty_request(server, path, i)->at_us / 1000 - rcs_faulty_request(server, path, i - 1)->at_us / 1000;
    }
}

/* Each request bore the arguments byte for byte, one key for all tries of the call, and the try's own number. */
static unsigned compare_requests(struct rcs_faulty *server, const struct rcs_demo_call *call, FILE *out)
{
    const struct rcs_faulty_request *request;
    const char *key = NULL;
    unsigned wrong = 0;
    char path[64];

    snprintf(path, sizeof path, "/%s", call->tool);
    for (size_t i = 0; (request = rcs_faulty_request(server, path, i)) != NULL; i++) {
        const char *own = rcs_faulty_header(request, "Idempotency-Key");
        const char *number = rcs_faulty_header(request, "Recourse-Try");
        if (strcmp(request->body, call->arguments) != 0) {
            fprintf(out, "%s: request %zu has the body %s, the call has %s\n", call->tool, i + 1, request->body,
                    call->arguments);
            wrong++;
        }
        if (own == NULL || (key != NULL && strcmp(own, key) != 0)) {
            fprintf(out, "%s: request %zu has another idempotency key than the first, or none\n", call->tool, i + 1);
            wrong++;
        }
        if (number == NULL || strtoul(number, NULL, 10) != i + 1) {
            fprintf(out, "%s: request %zu says that it is try %s\n", call->tool, i + 1,
                    number == NULL ? "(none)" : number);
            wrong++;
        }
        key = own;
    }
    return wrong;
}

/* The n-th decision that waits is the one before the n-th gap. */
static unsigned compare_gaps(const char *name, const struct rcs_demo_outcome *outcome,
                             const struct rcs_demo_witness *witness, FILE *out)
{
    unsigned wrong = 0;

    for (size_t i = 0; i < witness->gap_count; i++) {
        const struct rcs_demo_decision *decision = &outcome->decisions[i];
        if (i >= outcome->decision_count || !decision->waits) {
            fprintf(out, "%s: the server saw request %zu, and the report has no wait before it\n", name, i + 2);
            wrong++;
        } else if (witness->gaps_ms[i] < decision->wait_ms || witness->gaps_ms[i] > decision->wait_ms + LATE_MS) {
            fprintf(out, "%s: the report waited %llu ms after try %zu, the server saw a gap of %llu ms\n", name,
                    (unsigned long long)decision->wait_ms, i + 1, (unsigned long long)witness->gaps_ms[i]);
            wrong++;
        }
    }
    return wrong;
}

static unsigned compare_call(const struct rcs_demo_call *call, const struct rcs_demo_outcome *outcome,
                             struct rcs_faulty *server, FILE *out)
{
    const char *name = call->tool == NULL ? "(no name)" : call->tool;
    struct rcs_demo_witness witness;
    unsigned wrong = 0;

    rcs_demo_ask_server(server, call, &witness);
    if (witness.requests != outcome->tries) {
        fprintf(out, "%s: the report has %u tries, the server saw %zu requests\n", name, outcome->tries,
                witness.requests);
        wrong++;
    }
    if (outcome->tries != call->tries || strcmp(outcome->scenarios, call->scenarios) != 0) {
        fprintf(out, "%s: scenarios %s in %u tries, where %s in %u were expected\n", name, outcome->scenarios,
                outcome->tries, call->scenarios, call->tries);
        wrong++;
    }
    wrong += compare_gaps(name, outcome, &witness, out);
    return call->tool == NULL ? wrong : wrong + compare_requests(server, call, out);
}

unsigned rcs_demo_compare(const struct rcs_demo_report *report, struct rcs_faulty *server, FILE *out)
{
    unsigned wrong = 0;
    size_t tries = 0;

    if (strcmp(report->status, "answered") != 0) {
        fprintf(out, "the run is %s, where answered was expected\n", report->status);
        wrong++;
    }
    for (size_t i = 0; i < rcs_demo_call_count; i++) {
        wrong += compare_call(&rcs_demo_calls[i], &report->outcomes[i], server, out);
        tries += report->outcomes[i].tries;
    }
    if (tries != rcs_faulty_count(server, NULL)) {
        fprintf(out, "%zu tries in the report, %zu requests at the server\n", tries, rcs_faulty_count(server, NULL));
        wrong++;
    }
    return wrong;
}
