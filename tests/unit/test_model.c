/*
 * The model and src/core, which share no code, on the same questions: the window of a wait, a value in a JSON text, what
 * facts are taken for. Cases are drawn from a fixed seed; where the two differ, the case is printed.
 */
#include "gen/compile.h"
#include "gen/json_read.h"
#include "src/core/json.h"
#include "tests/unit/unit.h"

#include <recourse/call.h>

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

/* ---- waits ---- */

static struct rcs_spec_wait random_wait(uint64_t *delays)
{
    struct rcs_spec_wait wait = {.id = "w", .delays_ms = delays, .cap_ms = RECOURSE_FOREVER};

    wait.delay_count = 1 + draw(3);
    for (size_t i = 0; i < wait.delay_count; i++) {
        delays[i] = draw(3) == 0 ? 0 : draw(100000);
    }
    if (draw(2)) {
        static const uint64_t factors[][2] = {{2, 1}, {3, 2}, {11, 10}, {5, 4}};
        size_t pick = draw(4);

        wait.grows = true;
        wait.growth_num = factors[pick][0];
        wait.growth_den = factors[pick][1];
        wait.cap_ms = 1 + draw(500000);
    }
    wait.jitter = (uint8_t)draw(RECOURSE_JITTER_COUNT);
    wait.jitter_percent = (uint16_t)(1 + draw(100));
    wait.server = (uint8_t)draw(RECOURSE_SERVER_COUNT);
    wait.server_ms = draw(100000);
    wait.server_percent = (uint16_t)draw(50);
    return wait;
}

static void test_windows(void)
{
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_spec spec = {.arena = &arena};
    unsigned differing = 0;

    spec.settings.tries = 12;
    for (int i = 0; i < 20000; i++) {
        uint64_t delays[3];
        struct rcs_spec_wait written = random_wait(delays);
        struct recourse_wait wait = {.id = "w", .by_uses = false, .jitter = written.jitter,
                                     .jitter_percent = written.jitter_percent, .server = written.server,
                                     .server_ms = written.server_ms, .server_percent = written.server_percent};
        unsigned index = (unsigned)draw(written.grows ? 11 : written.delay_count);
        uint64_t asked = draw(2) ? 0 : 1 + draw(150000);
        struct rcs_window model;
        struct recourse_window core;

        wait.delays_ms = rcs_schedule(&arena, &spec, &written, &wait.delay_count, &wait.ends, &findings);
        CU_ASSERT_FATAL(wait.delays_ms != NULL);
        rcs_model_window(&spec, &written, index, asked, &model);
        recourse_wait_window(&wait, index, asked, &core);
        if (model.stop != core.stop || (!model.stop && (model.base_ms != core.base_ms || model.min_ms != core.min_ms || model.max_ms != core.max_ms))) {
            differing++;
            printf("    wait %d: model [%llu, %llu], core [%llu, %llu]\n", i, (unsigned long long)model.min_ms,
                   (unsigned long long)model.max_ms, (unsigned long long)core.min_ms, (unsigned long long)core.max_ms);
        }
    }
    RCS_EQUAL(differing, 0);
    rcs_arena_clear(&arena);
}

static void test_schedule(void)
{
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_spec spec = {.arena = &arena};
    uint64_t base[] = {1001};
    struct rcs_spec_wait wait = {.id = "w", .delays_ms = base, .delay_count = 1, .grows = true, .growth_num = 3,
                                 .growth_den = 2, .cap_ms = 6000};
    static const uint64_t expected[] = {1001, 1501, 2252, 3378, 5067, 6000, 6000}; /* 1001 * 1.5^k, cut: not rounded on the way */
    uint16_t count;
    bool ends;
    uint64_t *delays;

    spec.settings.tries = 7;
    delays = rcs_schedule(&arena, &spec, &wait, &count, &ends, &findings);
    CU_ASSERT_FATAL(delays != NULL);
    RCS_EQUAL(count, 7);
    CU_ASSERT_FALSE(ends);
    for (size_t i = 0; i < RCS_COUNT(expected); i++) {
        RCS_EQUAL(delays[i], expected[i]);
    }
    rcs_arena_clear(&arena);
}

/* ---- JSON ---- */

static size_t random_json(char *out, size_t room, int depth)
{
    static const char *const scalars[] = {"null", "true", "false", "0", "-1.50e+3", "9007199254740993", "\"\"", "\"a~/b\"",
                                          "\"\\u0061\\n\"", "\"\\ud83d\\ude00\"", "\"\\ud800x\"", "\"\xc3\xa4\""};
    static const char *const keys[] = {"\"a\"", "\"b\"", "\"\\u0061\"", "\"\"", "\"x/y\"", "\"m~n\""};
    size_t size = 0;
    uint64_t count = draw(4);
    bool object = draw(2);

    if (depth == 0 || draw(3) == 0) {
        return (size_t)snprintf(out, room, "%s", scalars[draw(RCS_COUNT(scalars))]);
    }
    size += (size_t)snprintf(out, room, object ? "{ " : "[");
    for (uint64_t i = 0; i < count; i++) {
        size += (size_t)snprintf(out + size, room - size, "%s%s%s", i ? " ," : "", object ? keys[draw(RCS_COUNT(keys))] : "",
                                 object ? ": " : "");
        size += random_json(out + size, room - size, depth - 1);
    }
    size += (size_t)snprintf(out + size, room - size, object ? "}" : "] ");
    return size;
}

static void compare_at(struct recourse_span text, const char *pointer)
{
    struct rcs_arena arena = {0};
    struct recourse_span model;
    struct recourse_span core = rcs_json_at(text, pointer);
    bool there = rcs_json_read_at(&arena, text, pointer, &model);
    char buffer[4096];
    size_t size = core.size;

    RCS_EQUAL(there, core.data != NULL);
    if (there && core.data != NULL) {
        if (rcs_json_type_of(core) == RCS_JSON_STRING) {
            size = rcs_json_unescape(core, buffer, sizeof buffer);
        } else {
            memcpy(buffer, core.data, core.size);
        }
        if (size != model.size || memcmp(buffer, model.data, size) != 0) {
            printf("    %.*s at '%s': model '%.*s', core '%.*s'\n", (int)text.size, text.data, pointer, (int)model.size,
                   model.data, (int)size, buffer);
            CU_FAIL("the two differ");
        }
    }
    rcs_arena_clear(&arena);
}

static void test_json(void)
{
    static const char *const pointers[] = {"", "/a", "/0", "/a/b", "/b/0", "/0/0", "/", "/x~1y", "/m~0n", "/a/0/a", "/1/a", "nothing", "/00"};

    for (int i = 0; i < 4000; i++) {
        char text[4096];
        size_t size = random_json(text, sizeof text, 4);
        char *exact = malloc(size + 1);

        CU_ASSERT_FATAL(exact != NULL);
        memcpy(exact, text, size);
        CU_ASSERT(rcs_json_check((struct recourse_span){exact, size}, false, NULL) == RCS_JSON_GOOD);
        for (size_t p = 0; p < RCS_COUNT(pointers); p++) {
            compare_at((struct recourse_span){exact, size}, pointers[p]);
        }
        free(exact);
    }
}

static void test_json_refused(void)
{
    static const char *const bad[] = {"", "{", "[1,]", "{\"a\":1,}", "01", "1.", "-", "nul", "\"\\x\"", "\"\\u12\"", "[1 2]", "1 1", "\"\n\"", "{a:1}", "+1", "1e", ".5", "[", "{\"a\"}"};
    struct rcs_arena arena = {0};
    struct recourse_span found;

    for (size_t i = 0; i < RCS_COUNT(bad); i++) {
        struct recourse_span text = {bad[i], strlen(bad[i])};

        CU_ASSERT_FALSE(rcs_json_read_at(&arena, text, "", &found));
        CU_ASSERT(rcs_json_check(text, false, NULL) != RCS_JSON_GOOD);
    }
    rcs_arena_clear(&arena);
}

/* Objects and arrays are no values to compare, not even where a string would look like one. */
static void test_json_scalars(void)
{
    static const struct {
        const char *text;
        const char *pointer;
        const char *value; /* NULL: none */
    } cases[] = {
        {"{\"a\":[1]}", "/a", NULL},          {"{\"a\":[1]}", "/a/0", "1"},
        {"{\"a\":{}}", "/a", NULL},           {"{\"a\":{}}", "", NULL},
        {"{\"a\":\"[1]\"}", "/a", "[1]"},     {"\"{}\"", "", "{}"},
        {"{\"a\":[1],\"a\":null}", "/a", "null"}, {"{\"a\":1,\"a\":[1]}", "/a", NULL},
    };
    struct rcs_arena arena = {0};

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_span text = {cases[i].text, strlen(cases[i].text)};
        struct recourse_span found;
        const bool there = rcs_json_read_scalar_at(&arena, text, cases[i].pointer, &found);

        RCS_EQUAL(there, cases[i].value != NULL);
        if (there && cases[i].value != NULL) {
            RCS_TEXT_EQUAL(rcs_arena_copy(&arena, found.data, found.size), cases[i].value);
        }
    }
    rcs_arena_clear(&arena);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"windows: model and core", test_windows},
        {"a schedule is cut once", test_schedule},
        {"values in JSON: model and core", test_json},
        {"what is no JSON", test_json_refused},
        {"values that conditions are about", test_json_scalars},
    };

    return rcs_unit_main("model", tests, RCS_COUNT(tests));
}
