/* Counters in Prometheus's text format. Labels are made once, when a series is first met. */
#include <recourse/metrics.h>

#include <stdio.h>
#include <string.h>

#include "src/core/hex.h"
#include "src/io/buffer.h"
#include "src/io/memory.h"

#define LABELS_MAX ((size_t)4096)
#define SERIES_MAX 65536u
#define DIGEST_SIZE 8u

enum family { CALLS, TRIES, WAITS, FAMILY_COUNT };

/* What tells one series from the others: the policy, and indexes into it. */
struct key {
    uint8_t policy[DIGEST_SIZE]; /* of the digest of its file: as much as the labels show */
    uint8_t family;
    uint8_t detail; /* the effect; who is told */
    uint16_t row;
    uint16_t event;
    uint16_t scenario;
    uint16_t wait;
};

struct series {
    struct key key;
    uint64_t count;
    uint64_t wait_ms;
    char *labels;
};

struct recourse_metrics {
    const struct recourse_allocator *allocator;
    struct series *series;
    size_t count;
    size_t room;
    uint64_t lost;
};

struct recourse_metrics *recourse_metrics_new(const struct recourse_allocator *allocator)
{
    struct recourse_metrics *metrics = rcs_alloc_zero(allocator, sizeof *metrics);

    if (metrics != NULL) {
        metrics->allocator = allocator;
    }
    return metrics;
}

void recourse_metrics_free(struct recourse_metrics *metrics)
{
    if (metrics == NULL) {
        return;
    }
    for (size_t i = 0; i < metrics->count; i++) {
        rcs_free(metrics->allocator, metrics->series[i].labels);
    }
    rcs_free(metrics->allocator, metrics->series);
    rcs_free(metrics->allocator, metrics);
}

/* ---- labels ---- */

static int append_label(struct rcs_buffer *buffer, const char *name, const char *value)
{
    int code = rcs_buffer_append_text(buffer, buffer->size == 0 ? "" : ",");

    code = code == 0 ? rcs_buffer_append_text(buffer, name) : code;
    code = code == 0 ? rcs_buffer_append(buffer, "=\"", 2) : code;
    for (; *value != '\0' && code == 0; value++) {
        if (*value == '\n') {
            code = rcs_buffer_append(buffer, "\\n", 2);
            continue;
        }
        code = *value == '\\' || *value == '"' ? rcs_buffer_append_byte(buffer, '\\') : 0;
        code = code == 0 ? rcs_buffer_append_byte(buffer, *value) : code;
    }
    return code == 0 ? rcs_buffer_append_byte(buffer, '"') : code;
}

static int append_labels(struct rcs_buffer *buffer, const struct recourse_policy *policy, const struct key *key)
{
    const char *scenario = key->scenario == RECOURSE_NONE ? "ok" : policy->scenarios[key->scenario].label;
    char digest[2 * DIGEST_SIZE + 1] = "";
    int code = append_label(buffer, "policy", policy->name);

    rcs_hex_write(key->policy, sizeof key->policy, digest);
    code = code == 0 ? append_label(buffer, "digest", digest) : code;
    code = code == 0 ? append_label(buffer, "row", policy->rows[key->row].id) : code;
    code = code == 0 ? append_label(buffer, "event", recourse_policy_event_name(policy, key->event)) : code;
    if (code != 0) {
        return code;
    }
    code = append_label(buffer, "scenario", scenario);
    if (code == 0 && key->family == TRIES) {
        return append_label(buffer, "effect", recourse_effect_name(key->detail));
    }
    if (code == 0 && key->family == CALLS) {
        return append_label(buffer, "tell", recourse_tell_name(key->detail));
    }
    return code == 0 ? append_label(buffer, "wait", policy->waits[key->wait].id) : code;
}

/* NULL: no memory. */
static char *make_labels(const struct recourse_metrics *metrics, const struct recourse_policy *policy,
                         const struct key *key)
{
    struct rcs_buffer buffer;

    rcs_buffer_init(&buffer, metrics->allocator, LABELS_MAX);
    if (append_labels(&buffer, policy, key) != 0) {
        rcs_buffer_clear(&buffer);
        return NULL;
    }
    return buffer.data; /* its memory is the series' from now on */
}

/* ---- counting ---- */

static struct series *add_series(struct recourse_metrics *metrics, const struct recourse_policy *policy,
                                 const struct key *key)
{
    struct series *series;

    if (metrics->count == metrics->room) {
        size_t room = metrics->room == 0 ? 16 : 2 * metrics->room;

        series = room <= SERIES_MAX ? rcs_realloc(metrics->allocator, metrics->series, room * sizeof *series) : NULL;
        if (series == NULL) {
            return NULL;
        }
        metrics->series = series;
        metrics->room = room;
    }
    series = &metrics->series[metrics->count];
    *series = (struct series){.key = *key, .labels = make_labels(metrics, policy, key)};
    metrics->count += series->labels != NULL;
    return series->labels != NULL ? series : NULL;
}

/* There are about as many as rows that are used. */
static void count(struct recourse_metrics *metrics, const struct recourse_policy *policy, struct key *key,
                  uint64_t wait_ms)
{
    struct series *series = NULL;

    memcpy(key->policy, policy->file_sha256, sizeof key->policy);
    for (size_t i = 0; i < metrics->count && series == NULL; i++) {
        series = memcmp(&metrics->series[i].key, key, sizeof *key) == 0 ? &metrics->series[i] : NULL;
    }
    series = series == NULL ? add_series(metrics, policy, key) : series;
    if (series == NULL) {
        metrics->lost++;
        return;
    }
    series->count++;
    series->wait_ms += wait_ms;
}

void recourse_metrics_observe(struct recourse_metrics *metrics, const struct recourse_observation *observation)
{
    const struct recourse_decision *decision = observation->decision;
    const struct recourse_trace *last = &decision->trace[decision->trace_count - 1];
    struct key key;

    for (unsigned i = 0; i < decision->trace_count; i++) {
        const struct recourse_trace *trace = &decision->trace[i];

        if (trace->from == RECOURSE_ATTEMPT) {
            key = (struct key){.family = TRIES,
                               .detail = decision->effect,
                               .row = trace->row,
                               .event = trace->event,
                               .scenario = decision->scenario};
            count(metrics, observation->policy, &key, 0);
        }
    }
    key = (struct key){.row = last->row, .event = last->event, .scenario = decision->scenario};
    if (decision->action == RECOURSE_ACTION_WAIT) {
        key.family = WAITS;
        key.wait = decision->wait;
        count(metrics, observation->policy, &key, decision->wait_ms);
    } else if (decision->action == RECOURSE_ACTION_REPORT) {
        key.family = CALLS;
        key.detail = decision->tell;
        count(metrics, observation->policy, &key, 0);
    }
}

/* ---- writing ---- */

struct output {
    void (*write)(void *user, struct recourse_span text);
    void *user;
};

static void put(const struct output *output, const char *text)
{
    output->write(output->user, (struct recourse_span){text, strlen(text)});
}

static void put_family(const struct output *output, const struct recourse_metrics *metrics, enum family family,
                       const char *name, const char *help, bool seconds)
{
    char number[64];

    put(output, "# HELP ");
    put(output, name);
    put(output, help);
    put(output, "\n# TYPE ");
    put(output, name);
    put(output, " counter\n");
    for (size_t i = 0; i < metrics->count; i++) {
        const struct series *series = &metrics->series[i];

        if (series->key.family != family) {
            continue;
        }
        if (seconds) {
            snprintf(number, sizeof number, "} %llu.%03u\n", (unsigned long long)(series->wait_ms / 1000),
                     (unsigned)(series->wait_ms % 1000));
        } else {
            snprintf(number, sizeof number, "} %llu\n", (unsigned long long)series->count);
        }
        put(output, name);
        put(output, "{");
        put(output, series->labels);
        put(output, number);
    }
}

void recourse_metrics_write(const struct recourse_metrics *metrics, void (*write)(void *user, struct recourse_span text),
                            void *user)
{
    struct output output = {.write = write, .user = user};
    char lost[160];

    put_family(&output, metrics, CALLS, "recourse_calls_total", " Calls that were reported.", false);
    put_family(&output, metrics, TRIES, "recourse_tries_total", " Tries that ended.", false);
    put_family(&output, metrics, WAITS, "recourse_waits_total", " Waits that began.", false);
    put_family(&output, metrics, WAITS, "recourse_wait_seconds_total", " Length of the waits that began.", true);
    snprintf(lost, sizeof lost,
             "# HELP recourse_metrics_lost_total Decisions that are in no series.\n"
             "# TYPE recourse_metrics_lost_total counter\n"
             "recourse_metrics_lost_total %llu\n",
             (unsigned long long)metrics->lost);
    put(&output, lost);
}
