/*
 * Records of every policy: what core decides verifies on the model; and what anybody changes in a record, with all
 * hashes made new, is found.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/policy/audit_words.h"
#include "tests/unit/policy_load.h"

#define DEPTH 5u
#define DEPTH_CHANGED 4u
#define LINES_MAX 64u

static char *directory;
static struct rcs_arena scratch;

static void verify_file(const struct rcs_spec *spec, const char *path, struct rcs_verdict *verdict)
{
    struct rcs_arena arena = {0};
    struct rcs_judge judge;
    struct rcs_verify *verify;
    const char *why = NULL;
    int fd = open(path, O_RDONLY);

    rcs_judge_init(&judge, &arena, spec);
    verify = rcs_verify_new(&judge, 1, NULL);
    CU_ASSERT_TRUE_FATAL(fd >= 0 && verify != NULL);
    CU_ASSERT_TRUE(rcs_verify_file(verify, path, fd, &why));
    rcs_verify_end(verify, verdict);
    rcs_verify_free(verify);
    rcs_arena_clear(&arena);
    close(fd);
}

/* ---- all words ---- */

static void test_words(void)
{
    for (size_t i = 0; i < policy_count; i++) {
        struct audit_words in;
        struct audit_word words[WORDS_DEPTH_MAX];
        struct rcs_verdict verdict;

        if (!words_open(&in, &policies[i], directory)) {
            CU_FAIL("no log");
            continue;
        }
        words_explore(&in, words, 0, DEPTH, false);
        words_explore(&in, words, 0, DEPTH, true);
        words_close(&in);
        verify_file(in.spec, in.path, &verdict);
        words_print(&verdict);
        RCS_EQUAL(verdict.grade, RCS_GRADE_COMPLETE);
        RCS_EQUAL(verdict.calls, in.paths);
        RCS_EQUAL(verdict.open, 0);
        RCS_EQUAL(in.reports, in.paths);
        CU_ASSERT_TRUE(in.paths > 50);
        printf("%s: %u calls, %llu records\n", in.spec->name, in.paths, (unsigned long long)verdict.records);
        unlink(in.path);
    }
}

/* ---- changed records ---- */

/* A log of one call, taken apart. */
struct pieces {
    struct recourse_span bodies[LINES_MAX];
    size_t count;
    struct rcs_buffer text;
};

static void take_apart(struct pieces *pieces, const char *text)
{
    pieces->count = 0;
    while (*text != '\0' && pieces->count < LINES_MAX) {
        const char *end = strchr(text, '\n');
        uint8_t hash[RCS_HASH_SIZE];

        CU_ASSERT_PTR_NULL(rcs_line_read((struct recourse_span){text, (size_t)(end - text)},
                                         &pieces->bodies[pieces->count++], hash));
        text = end + 1;
    }
    CU_ASSERT_TRUE(*text == '\0');
}

/* A record as it was read, to be written again: texts without their quotes. */
static void read_back(struct recourse_span body, struct rcs_record *record)
{
    CU_ASSERT_PTR_NULL(rcs_body_read(body, record));
    for (unsigned key = 0; key < RCS_KEY_COUNT; key++) {
        if (record->type[key] == RCS_TYPE_TEXT) {
            record->value[key].text = rcs_record_raw(record, (enum rcs_key)key);
        }
    }
}

/* The whole log again, with `changed` in the place of line `at`, and every hash as it has to be. */
static void put_together(struct pieces *pieces, size_t at, const struct rcs_record *changed)
{
    uint8_t hash[RCS_HASH_SIZE] = {0};
    struct rcs_record record;

    rcs_buffer_reset(&pieces->text);
    for (size_t i = 0; i < pieces->count; i++) {
        read_back(pieces->bodies[i], &record);
        RCS_EQUAL(rcs_line_append(&pieces->text, hash, i == at ? changed : &record), 0);
    }
}

static enum rcs_grade grade_of(const struct rcs_spec *spec, const struct pieces *pieces)
{
    struct rcs_arena arena = {0};
    struct rcs_judge judge;
    struct rcs_verify *verify;
    struct rcs_verdict verdict;

    rcs_judge_init(&judge, &arena, spec);
    verify = rcs_verify_new(&judge, 1, NULL);
    rcs_verify_bytes(verify, "changed", rcs_buffer_span(&pieces->text));
    rcs_verify_end(verify, &verdict);
    rcs_verify_free(verify);
    rcs_arena_clear(&arena);
    return verdict.grade;
}

/* Fields on which decisions depend, or in which they show. */
static const enum rcs_key bearing[] = {
    RCS_KEY_ROW,      RCS_KEY_NEXT,     RCS_KEY_STATE,    RCS_KEY_EVENT,    RCS_KEY_SCENARIO, RCS_KEY_WAIT,
    RCS_KEY_WAIT_MS,  RCS_KEY_WAIT_MIN, RCS_KEY_WAIT_MAX, RCS_KEY_WAIT_BASE, RCS_KEY_TRY,     RCS_KEY_FAILURE,
    RCS_KEY_FACT_ROW, RCS_KEY_EFFECT,   RCS_KEY_TELL,     RCS_KEY_REMINDER, RCS_KEY_REASON,   RCS_KEY_MESSAGE,
    RCS_KEY_END,      RCS_KEY_CALL,     RCS_KEY_SAFE,     RCS_KEY_KIND,     RCS_KEY_BUDGETS,
};

/* All that a text field is ever set to: names of the policy and of the language. */
static size_t names_of(const struct rcs_spec *spec, enum rcs_key key, const char **names, size_t room)
{
    static const char *const tells[] = {"-", "model", "host"};
    static const char *const reminders[] = {"-", "no", "yes"};
    static const char *const budgets[] = {"-", "retries 500 499, throttle 100 100", "retries 9 9, throttle 101 101",
                                          "retries 1, throttle 5"};
    size_t count = 0;

#define NAMES(times, name)                                             \
    for (unsigned i = 0; i < (times) && count < room; i++) {           \
        names[count++] = (name);                                       \
    }                                                                  \
    break
    switch (key) {
    case RCS_KEY_ROW: NAMES(spec->row_count, spec->rows[i].id);
    case RCS_KEY_NEXT:
    case RCS_KEY_STATE: NAMES(RECOURSE_PLACE_COUNT, recourse_place_name(i));
    case RCS_KEY_EVENT: NAMES(rcs_event_end(spec), rcs_spec_event_name(spec, (uint16_t)i));
    case RCS_KEY_SCENARIO: NAMES(spec->scenario_count, spec->scenarios[i].label);
    case RCS_KEY_WAIT: NAMES(spec->wait_count, spec->waits[i].id);
    case RCS_KEY_FAILURE: NAMES(spec->failure_count, spec->failures[i].name);
    case RCS_KEY_FACT_ROW: NAMES(spec->fact_row_count, spec->fact_rows[i].id);
    case RCS_KEY_EFFECT: NAMES(RECOURSE_EFFECT_COUNT, recourse_effect_name(i));
    case RCS_KEY_TELL: NAMES(RCS_COUNT(tells), tells[i]);
    case RCS_KEY_REMINDER: NAMES(RCS_COUNT(reminders), reminders[i]);
    case RCS_KEY_REASON: NAMES(RECOURSE_REASON_COUNT - 1u, recourse_reason_name(i + 1));
    case RCS_KEY_MESSAGE: NAMES(spec->message_count, spec->messages[i].id);
    case RCS_KEY_BUDGETS: NAMES(RCS_COUNT(budgets), budgets[i]);
    case RCS_KEY_KIND: NAMES(RCS_KIND_COUNT, rcs_kind_name((enum rcs_kind)i));
    default: break;
    }
#undef NAMES
    return count;
}

static unsigned tried;

static void expect_found(const struct rcs_spec *spec, struct pieces *pieces, size_t at, const struct rcs_record *record,
                         enum rcs_key key)
{
    put_together(pieces, at, record);
    tried++;
    if (grade_of(spec, pieces) >= RCS_GRADE_CONFORMANT) {
        printf("%s: a change of '%s' was not found in: %.*s\n", spec->name, rcs_key_name(key),
               (int)pieces->bodies[at].size, pieces->bodies[at].data);
        CU_FAIL("a change that was not found");
    }
}

static bool same_text(struct recourse_span a, const char *b)
{
    return a.size == strlen(b) && memcmp(a.data, b, a.size) == 0;
}

static void change_field(const struct rcs_spec *spec, struct pieces *pieces, size_t at, enum rcs_key key)
{
    const char *names[128];
    struct rcs_record record;
    struct rcs_record changed;

    read_back(pieces->bodies[at], &record);
    changed = record;
    switch ((enum rcs_type)record.type[key]) {
    case RCS_TYPE_TEXT:
        for (size_t i = names_of(spec, key, names, RCS_COUNT(names)); i-- > 0;) {
            if (!same_text(record.value[key].text, names[i])) {
                rcs_record_text(&changed, key, names[i]);
                expect_found(spec, pieces, at, &changed, key);
            }
        }
        break;
    case RCS_TYPE_NUMBER:
        for (int64_t by = -1; by <= 1; by += 2) {
            if (record.value[key].number + by >= 0) {
                changed.value[key].number = record.value[key].number + by;
                expect_found(spec, pieces, at, &changed, key);
            }
        }
        break;
    case RCS_TYPE_TRUE:
    case RCS_TYPE_FALSE:
        changed.type[key] = record.type[key] == RCS_TYPE_TRUE ? RCS_TYPE_FALSE : RCS_TYPE_TRUE;
        expect_found(spec, pieces, at, &changed, key);
        break;
    case RCS_TYPE_NONE:
        return;
    }
    changed = record;
    changed.type[key] = RCS_TYPE_NONE;
    expect_found(spec, pieces, at, &changed, key);
}

/* Facts: another outcome than the one that was decided about. */
static void change_facts(const struct rcs_spec *spec, struct pieces *pieces, size_t at)
{
    struct rcs_record record;

    read_back(pieces->bodies[at], &record);
    if (record.kind != RCS_KIND_OUTCOME || rcs_record_has(&record, RCS_KEY_SENT)) {
        return;
    }
    if (rcs_record_has(&record, RCS_KEY_FAILURE)) { /* now it says that all was well */
        static const enum rcs_key facts[] = {
            RCS_KEY_NETWORK,         RCS_KEY_TIMEOUT,  RCS_KEY_RPC,         RCS_KEY_EXIT,
            RCS_KEY_SIGNAL,          RCS_KEY_UNSENT,   RCS_KEY_INTERRUPTED, RCS_KEY_TOOL_ERROR,
            RCS_KEY_SESSION_EXPIRED, RCS_KEY_PROTOCOL, RCS_KEY_TOO_LARGE,   RCS_KEY_SPAWN,
            RCS_KEY_ATOMS,
        };

        for (size_t i = 0; i < RCS_COUNT(facts); i++) {
            record.type[facts[i]] = RCS_TYPE_NONE;
        }
        rcs_record_number(&record, RCS_KEY_HTTP, 200);
    } else if (same_text(record.value[RCS_KEY_EVENT].text, "ok")) { /* and now that it was not */
        rcs_record_text(&record, RCS_KEY_NETWORK, "other");
    } else {
        return; /* the deadline came, whatever the facts */
    }
    expect_found(spec, pieces, at, &record, RCS_KEY_HTTP);
}

static void leave_out(const struct rcs_spec *spec, struct pieces *pieces, size_t at)
{
    struct recourse_span bodies[LINES_MAX];
    size_t count = pieces->count;

    memcpy(bodies, pieces->bodies, sizeof bodies);
    memmove(&pieces->bodies[at], &pieces->bodies[at + 1], (count - at - 1) * sizeof *bodies);
    pieces->count--;
    put_together(pieces, pieces->count, NULL);
    tried++;
    if (grade_of(spec, pieces) >= RCS_GRADE_COMPLETE) {
        CU_FAIL("a record that is missing was not missed");
    }
    memcpy(pieces->bodies, bodies, sizeof bodies);
    pieces->count = count;
}

static bool is_of_call(struct recourse_span body)
{
    struct rcs_record record;

    return rcs_body_read(body, &record) == NULL && rcs_record_has(&record, RCS_KEY_CALL);
}

static void change_all(const struct rcs_spec *spec, const char *path)
{
    struct rcs_arena arena = {0};
    struct pieces pieces;
    const char *why = NULL;
    size_t size;
    char *text = rcs_file_read(&arena, path, &size, &why);

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    rcs_buffer_init(&pieces.text, NULL, (size_t)1 << 30);
    take_apart(&pieces, text);
    put_together(&pieces, pieces.count, NULL);
    RCS_EQUAL(grade_of(spec, &pieces), RCS_GRADE_COMPLETE);
    RCS_EQUAL(pieces.text.size, size);
    for (size_t i = 0; i < pieces.count; i++) {
        if (!is_of_call(pieces.bodies[i])) {
            continue;
        }
        for (size_t j = 0; j < RCS_COUNT(bearing); j++) {
            change_field(spec, &pieces, i, bearing[j]);
        }
        change_facts(spec, &pieces, i);
        leave_out(spec, &pieces, i);
    }
    rcs_buffer_clear(&pieces.text);
    rcs_arena_clear(&arena);
}

/* One call for each word in each state that the first words lead to. */
static void change_paths(struct rcs_tested *tested, struct audit_word *words, size_t at, size_t depth)
{
    struct audit_words in;
    struct audit_word next[WORDS_MAX];
    struct audit_walk walk;
    struct recourse_audit *audit;
    size_t count = 0;

    if (!words_open(&in, tested, directory)) {
        CU_FAIL("no log");
        return;
    }
    words_follow(&in, words, at, false);
    audit = in.audit;
    in.audit = NULL; /* only to see where the words lead */
    walk_begin(&in, &walk, false);
    for (size_t i = 0; i < at; i++) {
        walk_word(&in, &walk, &words[i]);
    }
    if (at < depth && recourse_call_place(&walk.machine, in.policy) != RECOURSE_REPORTED) {
        count = words_at(&in, &walk, next);
    }
    in.audit = audit;
    words_close(&in);
    change_all(in.spec, in.path);
    unlink(in.path);
    for (size_t i = 0; i < count; i++) {
        bool leads_on = at == 0 ? next[i].event == RECOURSE_EVENT_READY : i < 2 || next[i].event >= RECOURSE_EVENT_OK;

        words[at] = next[i];
        change_paths(tested, words, at + 1, leads_on && at < 2 ? depth : at + 1);
    }
}

static void test_changes(void)
{
    for (size_t i = 0; i < policy_count; i++) {
        struct audit_word words[WORDS_DEPTH_MAX];

        tried = 0;
        change_paths(&policies[i], words, 0, DEPTH_CHANGED);
        CU_ASSERT_TRUE(tried > 1000);
        printf("%s: %u changes found\n", policies[i].loaded.spec->name, tried);
    }
}

/* A budget of the runner is followed from call to call: what one has taken, the next must find gone. */
static void test_followed(void)
{
    static const struct audit_word words[] = {{.event = RECOURSE_EVENT_READY}, {.event = RECOURSE_EVENT_FAILURE + 1}};

    for (size_t i = 0; i < policy_count; i++) {
        struct rcs_spec *spec = policies[i].loaded.spec;

        if (spec->budget_count == 0) {
            continue;
        }
        for (unsigned calls = 1; calls <= 2; calls++) {
            struct audit_words in;
            struct rcs_verdict verdict;

            CU_ASSERT_TRUE_FATAL(words_open(&in, &policies[i], directory));
            for (unsigned k = 0; k < calls; k++) { /* each finds it full */
                words_follow(&in, words, RCS_COUNT(words), false);
            }
            words_close(&in);
            spec->budgets[0].budget.shared_by = RECOURSE_SHARED_BY_RUNNER;
            verify_file(in.spec, in.path, &verdict);
            RCS_EQUAL(verdict.grade, calls == 1 ? RCS_GRADE_COMPLETE : RCS_GRADE_INTACT);
            RCS_TEXT_EQUAL(verdict.divergence.what,
                           calls == 1 ? "" : "a budget has other tokens than it was left with");
            unlink(in.path);
        }
    }
}

int main(int argument_count, char **arguments)
{
    static const struct rcs_test tests[] = {
        {"words", test_words},
        {"changes", test_changes},
        {"budgets followed", test_followed},
    };
    int status;

    if (!rcs_policies_load(argument_count, arguments)) {
        return 1;
    }
    directory = rcs_scratch(&scratch);
    status = rcs_unit_main("audit_policies", tests, RCS_COUNT(tests));
    rcs_scratch_remove(&scratch, directory);
    rcs_policies_clear();
    rcs_arena_clear(&scratch);
    return status;
}
