/* Counters as Prometheus reads them. */
#include <recourse/metrics.h>

#include "tests/unit/purse.h"
#include "tests/unit/run_kit.h"

static char text[8192];
static size_t used;

static void append(void *user, struct recourse_span piece)
{
    (void)user;
    CU_ASSERT_TRUE_FATAL(used + piece.size < sizeof text);
    memcpy(text + used, piece.data, piece.size);
    used += piece.size;
    text[used] = '\0';
}

static const char *written(const struct recourse_metrics *metrics)
{
    used = 0;
    recourse_metrics_write(metrics, append, NULL);
    return text;
}

/* The samples alone. */
static const char *samples(const struct recourse_metrics *metrics)
{
    static char out[sizeof text];
    char *at = out;

    (void)written(metrics);
    for (const char *line = text; *line != '\0';) {
        const char *end = strchr(line, '\n') + 1;

        if (*line != '#') {
            memcpy(at, line, (size_t)(end - line));
            at += end - line;
        }
        line = end;
    }
    *at = '\0';
    return out;
}

static void observe(void *user, const struct recourse_observation *observation)
{
    recourse_metrics_observe(user, observation);
}

static void open_counted(struct kit *kit, struct recourse_metrics *metrics, const struct sim_answer *answers,
                         size_t count)
{
    struct recourse_runner_options options;

    kit_init(kit, &options);
    options.observe = observe;
    options.user = metrics;
    kit_open(kit, &options);
    kit_http(kit, "lookup", true);
    sim_route(&kit->sim, "http://lookup/", answers, count);
}

static void test_empty(void)
{
    struct recourse_metrics *metrics = recourse_metrics_new(NULL);

    RCS_TEXT_EQUAL(written(metrics),
                   "# HELP recourse_calls_total Calls that were reported.\n"
                   "# TYPE recourse_calls_total counter\n"
                   "# HELP recourse_tries_total Tries that ended.\n"
                   "# TYPE recourse_tries_total counter\n"
                   "# HELP recourse_waits_total Waits that began.\n"
                   "# TYPE recourse_waits_total counter\n"
                   "# HELP recourse_wait_seconds_total Length of the waits that began.\n"
                   "# TYPE recourse_wait_seconds_total counter\n"
                   "# HELP recourse_metrics_lost_total Decisions that are in no series.\n"
                   "# TYPE recourse_metrics_lost_total counter\n"
                   "recourse_metrics_lost_total 0\n");
    recourse_metrics_free(metrics);
    recourse_metrics_free(NULL);
}

/* Two calls, one tried again; and one of a tool that is not there. */
static void test_calls(void)
{
    static const struct sim_answer answers[] = {{.status = 503, .phrase = "timeout"}, {.status = 200, .body = "fine"}};
    struct recourse_metrics *metrics = recourse_metrics_new(NULL);
    struct kit kit;

    open_counted(&kit, metrics, answers, 2);
    kit_finish(&kit, kit_start_one(&kit, "lookup", "{}"));
    kit_finish(&kit, kit_start_one(&kit, "lookup", "{\"a\":1}"));
    kit_finish(&kit, kit_start_one(&kit, "nosuch \"}\n", "{}"));
    RCS_TEXT_EQUAL(samples(metrics),
                   "recourse_calls_total{policy=\"toy\",digest=\"f100000000000000\",row=\"A1\",event=\"ok\",scenario=\"ok\",tell=\"model\"} 2\n"
                   "recourse_calls_total{policy=\"toy\",digest=\"f100000000000000\",row=\"P3\",event=\"unknown_tool\",scenario=\"1\",tell=\"model\"} 1\n"
                   "recourse_tries_total{policy=\"toy\",digest=\"f100000000000000\",row=\"A2\",event=\"transient\",scenario=\"2\",effect=\"unknown\"} 1\n"
                   "recourse_tries_total{policy=\"toy\",digest=\"f100000000000000\",row=\"A1\",event=\"ok\",scenario=\"ok\",effect=\"done\"} 2\n"
                   "recourse_waits_total{policy=\"toy\",digest=\"f100000000000000\",row=\"A2\",event=\"transient\",scenario=\"2\",wait=\"short\"} 1\n"
                   "recourse_wait_seconds_total{policy=\"toy\",digest=\"f100000000000000\",row=\"A2\",event=\"transient\",scenario=\"2\",wait=\"short\"} 0.200\n"
                   "recourse_metrics_lost_total 0\n");
    kit_close(&kit);
    recourse_metrics_free(metrics);
}

/* Names that the format would take for its own. Two policies of one name that differ are two series. */
static void test_names(void)
{
    static const struct sim_answer answers[] = {{.status = 200, .body = "fine"}};
    struct recourse_metrics *metrics = recourse_metrics_new(NULL);

    for (unsigned i = 0; i < 2; i++) {
        struct recourse_runner_options options;
        struct kit kit;

        kit_init(&kit, &options);
        kit.policy.policy.name = "a\\b\"c\nd";
        kit.policy.policy.file_sha256[0] = (uint8_t)i;
        options.observe = observe;
        options.user = metrics;
        kit_open(&kit, &options);
        kit_http(&kit, "lookup", true);
        sim_route(&kit.sim, "http://lookup/", answers, 1);
        kit_finish(&kit, kit_start_one(&kit, "lookup", "{}"));
        kit_close(&kit);
    }
    RCS_TEXT_EQUAL(
        samples(metrics),
        "recourse_calls_total{policy=\"a\\\\b\\\"c\\nd\",digest=\"0000000000000000\",row=\"A1\",event=\"ok\",scenario=\"ok\",tell=\"model\"} 1\n"
        "recourse_calls_total{policy=\"a\\\\b\\\"c\\nd\",digest=\"0100000000000000\",row=\"A1\",event=\"ok\",scenario=\"ok\",tell=\"model\"} 1\n"
        "recourse_tries_total{policy=\"a\\\\b\\\"c\\nd\",digest=\"0000000000000000\",row=\"A1\",event=\"ok\",scenario=\"ok\",effect=\"done\"} 1\n"
        "recourse_tries_total{policy=\"a\\\\b\\\"c\\nd\",digest=\"0100000000000000\",row=\"A1\",event=\"ok\",scenario=\"ok\",effect=\"done\"} 1\n"
        "recourse_metrics_lost_total 0\n");
    recourse_metrics_free(metrics);
}

/* What there is no memory for is counted as lost, and the rest stays. */
static void test_memory(void)
{
    static const struct sim_answer answers[] = {{.status = 200, .body = "fine"}};
    unsigned needed = 0;

    for (unsigned left = 0; needed == 0 && left < 50; left++) {
        struct purse purse = {.left = left};
        struct recourse_allocator allocator = purse_allocator(&purse);
        struct recourse_metrics *metrics = recourse_metrics_new(&allocator);
        struct kit kit;

        if (metrics == NULL) {
            RCS_EQUAL(left, 0);
            continue;
        }
        open_counted(&kit, metrics, answers, 1);
        kit_finish(&kit, kit_start_one(&kit, "lookup", "{}"));
        kit_close(&kit);
        needed = strstr(samples(metrics), "lost_total 0\n") != NULL ? left : 0;
        RCS_EQUAL(strstr(text, "recourse_calls_total{") != NULL, needed != 0);
        recourse_metrics_free(metrics);
        RCS_EQUAL(purse.out, 0);
    }
    CU_ASSERT_TRUE(needed > 3);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"empty", test_empty}, {"calls", test_calls}, {"names", test_names}, {"memory", test_memory}};

    return rcs_unit_main("metrics", tests, RCS_COUNT(tests));
}
