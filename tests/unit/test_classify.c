#include "tests/unit/unit.h"

#include <recourse/call.h>

#include "tests/unit/toy_policy.h"

#define SPAN(literal) {literal, sizeof(literal) - 1}
#define NONE RECOURSE_NONE

static struct recourse_span span(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

static void success_is_claimed_only_by_all(void)
{
    static const struct {
        struct recourse_facts facts;
        bool success;
    } cases[] = {
        {{0}, true},
        {{.http = 200}, true},
        {{.http = 299, .text = SPAN("body")}, true},
        {{.http = 199}, false},
        {{.http = 300}, false},
        {{.http = 404}, false},
        {{.text = SPAN("something")}, false},
        {{.phrase = SPAN("OK")}, true},
        {{.result = SPAN("fine"), .unsent = true}, false},
        {{.http = 200, .unsent = true}, true}, /* a status proves more */
        {{.has_exit = true}, true},
        {{.has_exit = true, .exit_status = 1}, false},
        {{.exit_status = 1}, true}, /* does not hold */
        {{.http = 200, .network = RECOURSE_NETWORK_RESET}, false},
        {{.http = 200, .timeout = RECOURSE_TIMEOUT_OTHER}, false},
        {{.http = 200, .interrupted = true}, false},
        {{.http = 200, .tool_error = true}, false},
        {{.http = 200, .session_expired = true}, false},
        {{.http = 200, .protocol = true}, false},
        {{.http = 200, .too_large = true}, false},
        {{.http = 200, .spawn = true}, false},
        {{.http = 200, .signal = 9}, false},
        {{.http = 200, .has_rpc = true}, false},
        {{.http = 200, .rpc = -32000}, true},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(recourse_facts_claim_success(&cases[i].facts), cases[i].success);
    }
}

static void the_first_row_that_holds_names_it(void)
{
    static const struct recourse_header retry_after[] = {{SPAN("Retry-After"), SPAN("7")}};
    static const struct {
        struct recourse_facts facts;
        uint16_t row;
        uint16_t failure;
        uint8_t effect;
    } cases[] = {
        {{.http = 200, .result = SPAN("ok")}, NONE, NONE, RECOURSE_EFFECT_DONE},
        {{.http = 429}, 0, TOY_RATE_LIMITED, RECOURSE_EFFECT_UNKNOWN},
        {{.http = 500, .text = SPAN("code 429!")}, 0, TOY_RATE_LIMITED, RECOURSE_EFFECT_UNKNOWN},
        {{.http = 500, .text = SPAN("429")}, 0, TOY_RATE_LIMITED, RECOURSE_EFFECT_UNKNOWN},
        {{.tool_error = true, .text = SPAN("Found 1429 pods")}, 4, TOY_PERMANENT, RECOURSE_EFFECT_UNKNOWN},
        {{.tool_error = true, .text = SPAN("port 4290")}, 4, TOY_PERMANENT, RECOURSE_EFFECT_UNKNOWN},
        {{.network = RECOURSE_NETWORK_REFUSED}, 1, TOY_UNREACHED, RECOURSE_EFFECT_NONE},
        {{.network = RECOURSE_NETWORK_RESET}, 3, TOY_TRANSIENT, RECOURSE_EFFECT_UNKNOWN},
        {{.network = RECOURSE_NETWORK_OTHER}, 3, TOY_TRANSIENT, RECOURSE_EFFECT_UNKNOWN},
        {{.timeout = RECOURSE_TIMEOUT_READ}, 2, TOY_SILENT, RECOURSE_EFFECT_UNKNOWN},
        {{.timeout = RECOURSE_TIMEOUT_READ, .unsent = true}, 1, TOY_UNREACHED, RECOURSE_EFFECT_NONE},
        {{.timeout = RECOURSE_TIMEOUT_OTHER}, 3, TOY_TRANSIENT, RECOURSE_EFFECT_UNKNOWN},
        {{.http = 500, .unsent = true}, 4, TOY_PERMANENT, RECOURSE_EFFECT_UNKNOWN},
        {{.interrupted = true}, 2, TOY_SILENT, RECOURSE_EFFECT_UNKNOWN},
        {{.spawn = true}, 3, TOY_TRANSIENT, RECOURSE_EFFECT_UNKNOWN},
        {{.http = 504, .phrase = SPAN("Gateway TimeOut")}, 3, TOY_TRANSIENT, RECOURSE_EFFECT_UNKNOWN},
        {{.http = 500, .text = SPAN("a timeout, and 429")}, 0, TOY_RATE_LIMITED, RECOURSE_EFFECT_UNKNOWN},
        {{.http = 503, .phrase = SPAN("time"), .text = SPAN("out")}, 4, TOY_PERMANENT, RECOURSE_EFFECT_UNKNOWN},
        {{.tool_error = true, .text = SPAN("BUSY")}, 3, TOY_TRANSIENT, RECOURSE_EFFECT_UNKNOWN},
        {{.http = 500, .text = SPAN("busy")}, 4, TOY_PERMANENT, RECOURSE_EFFECT_UNKNOWN},
        {{.http = 500, .text = SPAN("limit reached")}, 4, TOY_PERMANENT, RECOURSE_EFFECT_UNKNOWN},
        /* an answer that claims success is judged by its result alone */
        {{.http = 200, .result = SPAN("Limit reached: 5")}, 0, TOY_RATE_LIMITED, RECOURSE_EFFECT_UNKNOWN},
        {{.http = 200, .result = SPAN("x"), .structured = SPAN("{\"e\":\"limit reached\"}")}, 0, TOY_RATE_LIMITED,
         RECOURSE_EFFECT_UNKNOWN},
        {{.result = SPAN("limit "), .structured = SPAN("reached")}, NONE, NONE, RECOURSE_EFFECT_DONE},
        {{.http = 200, .text = SPAN("timeout 429 limit reached")}, NONE, NONE, RECOURSE_EFFECT_DONE},
        {{.http = 200, .result = SPAN("timeout 429")}, NONE, NONE, RECOURSE_EFFECT_DONE},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_judgement judgement;
        struct recourse_facts facts = cases[i].facts;

        facts.headers = retry_after;
        facts.header_count = i % 2;
        recourse_classify(&toy_policy, &facts, &judgement);
        RCS_EQUAL(judgement.fact_row, cases[i].row);
        RCS_EQUAL(judgement.failure, cases[i].failure);
        RCS_EQUAL(judgement.effect, cases[i].effect);
        RCS_EQUAL(judgement.server_delay_ms, i % 2 == 1 ? 7000 : 0);
    }
}

static void no_more_than_the_limit_is_searched(void)
{
    char *const text = calloc(1, RECOURSE_TEXT_MAX + 16);
    struct recourse_facts facts = {.http = 500, .text = {text, RECOURSE_TEXT_MAX + 16}};
    struct recourse_judgement judgement;

    memset(text, ' ', RECOURSE_TEXT_MAX + 16);
    memcpy(text + RECOURSE_TEXT_MAX - 7, "timeout", 7);
    recourse_classify(&toy_policy, &facts, &judgement);
    RCS_EQUAL(judgement.failure, TOY_TRANSIENT);
    memcpy(text + RECOURSE_TEXT_MAX - 7, " timeout", 8);
    recourse_classify(&toy_policy, &facts, &judgement);
    RCS_EQUAL(judgement.failure, TOY_PERMANENT);
    /* the phrase and the line break count */
    memcpy(text + RECOURSE_TEXT_MAX - 9, "timeout  ", 9);
    facts.phrase = span("x");
    recourse_classify(&toy_policy, &facts, &judgement);
    RCS_EQUAL(judgement.failure, TOY_TRANSIENT);
    facts.phrase = span("xy");
    recourse_classify(&toy_policy, &facts, &judgement);
    RCS_EQUAL(judgement.failure, TOY_PERMANENT);
    /* the phrase alone fills it up, and a word at the very end is whole */
    memcpy(text + RECOURSE_TEXT_MAX - 9, "      429", 9);
    text[RECOURSE_TEXT_MAX] = '5';
    facts.phrase = facts.text;
    facts.text = span("timeout");
    recourse_classify(&toy_policy, &facts, &judgement);
    RCS_EQUAL(judgement.failure, TOY_RATE_LIMITED);
    free(text);
}

/* ---- each kind of atom, in a policy of one row and `other` ---- */

static unsigned matched; /* how often the matcher was begun */

static void counting_match(const struct recourse_policy *policy, uint32_t *matcher, const char *data, size_t size,
                           uint64_t hits[RECOURSE_PATTERNS_MAX / 64])
{
    matched += size == 0 ? 1 : 0;
    toy_policy.match(policy, matcher, data, size, hits);
}

/* Whether a conjunction of up to two atoms holds. */
static bool holds(const struct recourse_atom *first, const struct recourse_atom *second, const struct recourse_facts *facts)
{
    struct recourse_atom atoms[3] = {*first};
    struct recourse_fact_row rows[2] = {{"F1", 1, TOY_TRANSIENT, 0, 1}, {"F2", 2, TOY_PERMANENT, 1, 1}};
    struct recourse_policy policy = toy_policy;
    struct recourse_judgement judgement;

    if (second != NULL) {
        atoms[1] = *second;
        rows[0].atom_count = 2;
        rows[1].atom = 2;
    }
    atoms[0].last_of_and = second == NULL;
    atoms[1].last_of_and = true;
    atoms[rows[1].atom] = (struct recourse_atom){RECOURSE_ATOM_OTHER, true, NONE, 0, 0, NULL, NULL};
    policy.atoms = atoms;
    policy.atom_count = (uint16_t)(rows[1].atom + 1);
    policy.fact_rows = rows;
    policy.fact_row_count = 2;
    policy.match = counting_match;
    RCS_EQUAL(recourse_policy_check(&policy), RECOURSE_OK);
    recourse_classify(&policy, facts, &judgement);
    CU_ASSERT_TRUE(judgement.fact_row != NONE || recourse_facts_claim_success(facts));
    return judgement.fact_row == 0;
}

static void atoms_look_at_their_facts(void)
{
    static const struct {
        struct recourse_atom atom;
        struct recourse_facts facts;
        bool holds;
    } cases[] = {
        {{RECOURSE_ATOM_HTTP, 0, NONE, 500, 599, NULL, NULL}, {.http = 500}, true},
        {{RECOURSE_ATOM_HTTP, 0, NONE, 500, 599, NULL, NULL}, {.http = 599}, true},
        {{RECOURSE_ATOM_HTTP, 0, NONE, 500, 599, NULL, NULL}, {.http = 499}, false},
        {{RECOURSE_ATOM_HTTP, 0, NONE, 500, 599, NULL, NULL}, {.http = 600}, false},
        {{RECOURSE_ATOM_HTTP, 0, NONE, 0, 999, NULL, NULL}, {.spawn = true}, false},
        {{RECOURSE_ATOM_NETWORK, 0, NONE, 0, 0, NULL, NULL}, {.network = RECOURSE_NETWORK_OTHER}, true},
        {{RECOURSE_ATOM_NETWORK, 0, NONE, 0, 0, NULL, NULL}, {.http = 500}, false},
        {{RECOURSE_ATOM_NETWORK, 0, NONE, RECOURSE_NETWORK_DNS, 0, NULL, NULL}, {.network = RECOURSE_NETWORK_DNS}, true},
        {{RECOURSE_ATOM_NETWORK, 0, NONE, RECOURSE_NETWORK_DNS, 0, NULL, NULL}, {.network = RECOURSE_NETWORK_TLS}, false},
        {{RECOURSE_ATOM_TIMEOUT, 0, NONE, RECOURSE_TIMEOUT_CONNECT, 0, NULL, NULL}, {.timeout = RECOURSE_TIMEOUT_CONNECT}, true},
        {{RECOURSE_ATOM_TIMEOUT, 0, NONE, RECOURSE_TIMEOUT_CONNECT, 0, NULL, NULL}, {.timeout = RECOURSE_TIMEOUT_OTHER}, false},
        {{RECOURSE_ATOM_UNSENT, 0, NONE, 0, 0, NULL, NULL}, {.http = 500, .unsent = true}, true},
        {{RECOURSE_ATOM_UNSENT, 0, NONE, 0, 0, NULL, NULL}, {.http = 500}, false},
        {{RECOURSE_ATOM_INTERRUPTED, 0, NONE, 0, 0, NULL, NULL}, {.interrupted = true}, true},
        {{RECOURSE_ATOM_RPC, 0, NONE, -32099, -32000, NULL, NULL}, {.has_rpc = true, .rpc = -32099}, true},
        {{RECOURSE_ATOM_RPC, 0, NONE, -32099, -32000, NULL, NULL}, {.has_rpc = true, .rpc = -32100}, false},
        {{RECOURSE_ATOM_RPC, 0, NONE, -32099, 0, NULL, NULL}, {.http = 500}, false},
        {{RECOURSE_ATOM_TOOL_ERROR, 0, NONE, 0, 0, NULL, NULL}, {.tool_error = true}, true},
        {{RECOURSE_ATOM_TOOL_ERROR, 0, NONE, 0, 0, NULL, NULL}, {.http = 500}, false},
        {{RECOURSE_ATOM_SESSION_EXPIRED, 0, NONE, 0, 0, NULL, NULL}, {.session_expired = true}, true},
        {{RECOURSE_ATOM_PROTOCOL, 0, NONE, 0, 0, NULL, NULL}, {.protocol = true}, true},
        {{RECOURSE_ATOM_TOO_LARGE, 0, NONE, 0, 0, NULL, NULL}, {.too_large = true}, true},
        {{RECOURSE_ATOM_SPAWN, 0, NONE, 0, 0, NULL, NULL}, {.spawn = true}, true},
        {{RECOURSE_ATOM_SPAWN, 0, NONE, 0, 0, NULL, NULL}, {.protocol = true}, false},
        {{RECOURSE_ATOM_EXIT, 0, NONE, 75, 75, NULL, NULL}, {.has_exit = true, .exit_status = 75}, true},
        {{RECOURSE_ATOM_EXIT, 0, NONE, 75, 75, NULL, NULL}, {.has_exit = true, .exit_status = 1}, false},
        {{RECOURSE_ATOM_EXIT, 0, NONE, 0, 255, NULL, NULL}, {.signal = 9}, false},
        {{RECOURSE_ATOM_SIGNAL, 0, NONE, 0, 0, NULL, NULL}, {.signal = 9}, true},
        {{RECOURSE_ATOM_SIGNAL, 0, NONE, 0, 0, NULL, NULL}, {.spawn = true}, false},
        {{RECOURSE_ATOM_TOOL, 0, NONE, 0, 0, NULL, "meraki_*"}, {.http = 500, .tool = "meraki_list"}, true},
        {{RECOURSE_ATOM_TOOL, 0, NONE, 0, 0, NULL, "meraki_*"}, {.http = 500, .tool = "meraki_"}, true},
        {{RECOURSE_ATOM_TOOL, 0, NONE, 0, 0, NULL, "meraki_*"}, {.http = 500, .tool = "meraki"}, false},
        {{RECOURSE_ATOM_TOOL, 0, NONE, 0, 0, NULL, "meraki"}, {.http = 500, .tool = "meraki"}, true},
        {{RECOURSE_ATOM_TOOL, 0, NONE, 0, 0, NULL, "meraki"}, {.http = 500, .tool = "meraki_list"}, false},
        {{RECOURSE_ATOM_TOOL, 0, NONE, 0, 0, NULL, "*"}, {.http = 500, .tool = "x"}, true},
        {{RECOURSE_ATOM_TOOL, 0, NONE, 0, 0, NULL, "*"}, {.http = 500}, false},
        {{RECOURSE_ATOM_TOOL, 0, NONE, 0, 0, NULL, "*"}, {.http = 200, .tool = "x"}, false},
        {{RECOURSE_ATOM_TEXT, 0, TOY_PATTERN_LIMIT, 0, 0, NULL, "limit reached"}, {.http = 500, .text = SPAN("limit reached")}, true},
        {{RECOURSE_ATOM_RESULT_WORD, 0, TOY_PATTERN_429, 0, 0, NULL, "429"}, {.result = SPAN("got 429.")}, true},
        {{RECOURSE_ATOM_RESULT_WORD, 0, TOY_PATTERN_429, 0, 0, NULL, "429"}, {.result = SPAN("got 4291")}, false},
        {{RECOURSE_ATOM_RESULT_WORD, 0, TOY_PATTERN_429, 0, 0, NULL, "429"}, {.tool_error = true, .result = SPAN("429")}, false},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(holds(&cases[i].atom, NULL, &cases[i].facts), cases[i].holds);
    }
}

static void headers_are_looked_up(void)
{
    static const struct recourse_header headers[] = {
        {SPAN("X-Should-Retry"), SPAN(" false\t")},
        {SPAN("x-should-retry"), SPAN("Maybe")},
        {SPAN("Content-Type"), SPAN("text/HTML; charset=utf-8")},
        {SPAN("Empty"), SPAN("")},
    };
    static const struct recourse_facts facts = {.http = 500, .headers = headers, .header_count = RCS_COUNT(headers)};
    static const struct {
        const char *name;
        const char *value;
        bool is;
        bool has;
    } cases[] = {
        {"x-should-retry", "false", true, true}, {"X-SHOULD-RETRY", "Maybe", true, true},
        {"x-should-retry", "maybe", false, true}, {"x-should-retry", "FALSE", false, true},
        {"x-should-retry", "als", false, true},  {"x-should-retry", "true", false, false},
        {"content-type", "html", false, true},   {"content", "html", false, false},
        {"empty", "", true, true},               {"empty", "x", false, false},
        {"absent", "", false, false},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(holds(&(struct recourse_atom){RECOURSE_ATOM_HEADER_IS, 0, NONE, 0, 0, cases[i].name, cases[i].value}, NULL,
                        &facts), cases[i].is);
        RCS_EQUAL(holds(&(struct recourse_atom){RECOURSE_ATOM_HEADER_HAS, 0, NONE, 0, 0, cases[i].name, cases[i].value}, NULL,
                        &facts), cases[i].has);
    }
}

static const char document[] = " {\"code\":\"Too\\u004dany\",\"n\":429,\"big\":9007199254740993,\"t\":true,\"z\":null,\"o\":{\"a\":[1]},"
                               "\"nul\":\"ok\\u0000my Secret\",\"acc\":\"caf\\u00e9 Clos\\u00e9\"} ";

static void json_is_looked_into(void)
{
    static const struct {
        const char *pointer;
        const char *value;
        bool is;
        bool has;
    } cases[] = {
        {"/code", "TooMany", true, true},    {"/code", "toomany", false, true},  {"/code", "OMA", false, true},
        {"/code", "Too", false, true},       {"/code", "TooManyX", false, false}, {"/code", "u004d", false, false},
        {"/n", "429", true, true},           {"/n", "42", false, true},          {"/n", "429.0", false, false},
        {"/big", "9007199254740993", true, true}, {"/big", "9007199254740992", false, false},
        {"/t", "true", true, true},          {"/t", "TRUE", false, true},        {"/z", "null", true, true},
        {"/o", "{\"a\":[1]}", false, false}, {"/o/a", "1", false, false},        {"/o/a/0", "1", true, true},
        {"/nul", "ok", false, true},         {"/nul", "secret", false, true},    {"/nul", "my SECRET", false, true},
        {"/acc", "clos", false, true},       {"/acc", "close", false, false},    {"/absent", "", false, false},
        {"", "{", false, false},             {"/code", "", false, true},
    };
    const struct recourse_facts in_text = {.http = 500, .text = span(document)};
    const struct recourse_facts in_json = {.tool_error = true, .text = span("{\"n\":1}"), .json = span(document)};
    const struct recourse_facts in_result = {.result = span(document)};
    const struct recourse_facts in_structured = {.result = span("{\"n\":1}"), .structured = span(document)};

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        const struct recourse_atom is = {RECOURSE_ATOM_JSON_IS, 0, NONE, 0, 0, cases[i].pointer, cases[i].value};
        const struct recourse_atom has = {RECOURSE_ATOM_JSON_HAS, 0, NONE, 0, 0, cases[i].pointer, cases[i].value};
        const struct recourse_atom result_is = {RECOURSE_ATOM_RESULT_JSON_IS, 0, NONE, 0, 0, cases[i].pointer, cases[i].value};
        const struct recourse_atom result_has = {RECOURSE_ATOM_RESULT_JSON_HAS, 0, NONE, 0, 0, cases[i].pointer, cases[i].value};

        RCS_EQUAL(holds(&is, NULL, &in_text), cases[i].is);
        RCS_EQUAL(holds(&has, NULL, &in_text), cases[i].has);
        RCS_EQUAL(holds(&is, NULL, &in_json), cases[i].is);
        RCS_EQUAL(holds(&has, NULL, &in_json), cases[i].has);
        RCS_EQUAL(holds(&result_is, NULL, &in_result), cases[i].is);
        RCS_EQUAL(holds(&result_has, NULL, &in_structured), cases[i].has);
        RCS_EQUAL(holds(&is, NULL, &in_result), false);
        RCS_EQUAL(holds(&result_is, NULL, &in_text), false);
    }
}

static void what_is_no_json_has_no_values(void)
{
    static const char *const texts[] = {"", "{\"n\":429", "{\"n\":429}x", "n: 429", "{\"n\":429,}"};
    const struct recourse_atom atom = {RECOURSE_ATOM_JSON_HAS, 0, NONE, 0, 0, "/n", "4"};

    for (size_t i = 0; i < RCS_COUNT(texts); i++) {
        RCS_EQUAL(holds(&atom, NULL, &(struct recourse_facts){.http = 500, .text = span(texts[i])}), false);
    }
    RCS_EQUAL(holds(&atom, NULL, &(struct recourse_facts){.http = 500, .text = span("{\"n\":5,\"n\":4}")}), true);
    RCS_EQUAL(holds(&atom, NULL, &(struct recourse_facts){.http = 500, .text = span("{\"n\":4,\"n\":5}")}), false);
}

static void conjunctions_need_all(void)
{
    const struct recourse_atom text = {RECOURSE_ATOM_TEXT, 0, TOY_PATTERN_BUSY, 0, 0, NULL, "busy"};
    const struct recourse_atom http = {RECOURSE_ATOM_HTTP, 0, NONE, 200, 599, NULL, NULL};
    const struct recourse_atom result = {RECOURSE_ATOM_RESULT_TEXT, 0, TOY_PATTERN_LIMIT, 0, 0, NULL, "limit reached"};
    const struct recourse_atom value = {RECOURSE_ATOM_RESULT_JSON_IS, 0, NONE, 0, 0, "/n", "1"};

    RCS_EQUAL(holds(&text, &http, &(struct recourse_facts){.http = 500, .text = span("busy")}), true);
    RCS_EQUAL(holds(&http, &text, &(struct recourse_facts){.http = 500, .text = span("bus")}), false);
    RCS_EQUAL(holds(&http, &result, &(struct recourse_facts){.http = 200, .result = span("limit reached")}), true);
    RCS_EQUAL(holds(&http, &result, &(struct recourse_facts){.http = 500, .result = span("limit reached")}), false);
    RCS_EQUAL(holds(&http, &text, &(struct recourse_facts){.http = 200, .text = span("busy")}), false);
    /* text and result in one conjunction: each looks into its own */
    RCS_EQUAL(holds(&text, &result, &(struct recourse_facts){.http = 200, .text = span("busy"), .result = span("limit reached")}), true);
    RCS_EQUAL(holds(&text, &result, &(struct recourse_facts){.http = 200, .text = span("limit reached"), .result = span("busy")}), false);
    RCS_EQUAL(holds(&value, &result, &(struct recourse_facts){.result = span("{\"n\":1,\"m\":\"limit reached\"}")}), true);
}

static void texts_are_searched_once_and_only_if_asked(void)
{
    const struct recourse_atom text = {RECOURSE_ATOM_TEXT, 0, TOY_PATTERN_BUSY, 0, 0, NULL, "busy"};
    const struct recourse_atom word = {RECOURSE_ATOM_WORD, 0, TOY_PATTERN_429, 0, 0, NULL, "429"};
    const struct recourse_atom http = {RECOURSE_ATOM_HTTP, 0, NONE, 404, 404, NULL, NULL};

    matched = 0;
    RCS_EQUAL(holds(&text, &word, &(struct recourse_facts){.http = 500, .text = span("busy 429")}), true);
    RCS_EQUAL(matched, 1);
    RCS_EQUAL(holds(&http, &text, &(struct recourse_facts){.http = 500, .text = span("busy")}), false);
    RCS_EQUAL(matched, 1);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"success is claimed only by all", success_is_claimed_only_by_all},
        {"the first row that holds names it", the_first_row_that_holds_names_it},
        {"no more than the limit is searched", no_more_than_the_limit_is_searched},
        {"atoms look at their facts", atoms_look_at_their_facts},
        {"headers are looked up", headers_are_looked_up},
        {"JSON is looked into", json_is_looked_into},
        {"what is no JSON has no values", what_is_no_json_has_no_values},
        {"conjunctions need all", conjunctions_need_all},
        {"texts are searched once and only if asked", texts_are_searched_once_and_only_if_asked},
    };

    return rcs_unit_main("classify", tests, RCS_COUNT(tests));
}
