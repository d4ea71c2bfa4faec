#include <string.h>

#include <recourse/call.h>

#include "atoms.h"
#include "json.h"
#include "json_walk.h"
#include "policy_internal.h"
#include "text.h"

/* What atoms look into. Made when the first atom asks for it. */
struct evidence {
    const struct recourse_policy *policy;
    const struct recourse_facts *facts;
    bool has_text, has_result, has_json, has_result_json;
    uint64_t text_hits[RECOURSE_PATTERNS_MAX / 64];
    uint64_t result_hits[RECOURSE_PATTERNS_MAX / 64];
    struct recourse_span json;        /* empty if it is none */
    struct recourse_span result_json; /* likewise */
};

bool recourse_facts_claim_success(const struct recourse_facts *facts)
{
    if (facts->network != RECOURSE_NETWORK_NONE || facts->timeout != RECOURSE_TIMEOUT_NONE || facts->interrupted ||
        facts->tool_error || facts->session_expired || facts->protocol || facts->too_large || facts->spawn ||
        facts->signal != 0 || facts->has_rpc || (facts->has_exit && facts->exit_status != 0)) {
        return false;
    }
    return facts->http != 0 ? facts->http >= 200 && facts->http <= 299 : facts->text.size == 0 && !facts->unsent;
}

/* ---- evidence ---- */

/* Feeds at most `room` bytes of `span` to the matcher and returns what room is left. */
static size_t feed(const struct recourse_policy *policy, uint32_t *matcher, struct recourse_span span, size_t room,
                   uint64_t *hits)
{
    const size_t size = span.size < room ? span.size : room;

    if (size > 0) {
        policy->match(policy, matcher, span.data, size, hits);
    }
    return room - size;
}

/* Looks for all patterns in `first`, a line break, `second`: one pass. */
static void match(const struct recourse_policy *policy, struct recourse_span first, struct recourse_span second,
                  uint64_t *hits)
{
    uint32_t matcher = 0;
    size_t room = feed(policy, &matcher, first, RECOURSE_TEXT_MAX, hits);

    if (first.size > 0 && second.size > 0) {
        room = feed(policy, &matcher, (struct recourse_span){"\n", 1}, room, hits);
    }
    feed(policy, &matcher, second, room, hits);
    policy->match(policy, &matcher, "", 0, hits);
}

static bool has_pattern(struct evidence *evidence, const struct recourse_atom *atom, bool in_result)
{
    const struct recourse_facts *const facts = evidence->facts;
    uint64_t *const hits = in_result ? evidence->result_hits : evidence->text_hits;
    bool *const has = in_result ? &evidence->has_result : &evidence->has_text;

    if (!*has) {
        match(evidence->policy, in_result ? facts->result : facts->phrase,
              in_result ? facts->structured : facts->text, hits);
        *has = true;
    }
    return (hits[atom->pattern / 64 % (RECOURSE_PATTERNS_MAX / 64)] >> atom->pattern % 64 & 1) != 0;
}

/* The first of both that is given, if it is JSON. */
static struct recourse_span good_json(struct recourse_span preferred, struct recourse_span other)
{
    const struct recourse_span text = preferred.size > 0 ? preferred : other;

    return rcs_json_check(text, false, NULL) == RCS_JSON_GOOD ? text : (struct recourse_span){NULL, 0};
}

static struct recourse_span find_json(struct evidence *evidence, const char *pointer, bool in_result)
{
    const struct recourse_facts *const facts = evidence->facts;

    if (in_result) {
        if (!evidence->has_result_json) {
            evidence->result_json = good_json(facts->structured, facts->result);
            evidence->has_result_json = true;
        }
        return rcs_json_at(evidence->result_json, pointer);
    }
    if (!evidence->has_json) {
        evidence->json = good_json(facts->json, facts->text);
        evidence->has_json = true;
    }
    return rcs_json_at(evidence->json, pointer);
}

/* ---- atoms ---- */

static char fold(uint32_t point)
{
    if (point >= 0x80) {
        return '\0'; /* no value of a policy has such a byte */
    }
    return point >= 'A' && point <= 'Z' ? (char)(point - 'A' + 'a') : (char)point;
}

/* Whether a JSON string has `text` somewhere, in any case. */
static bool string_has(struct recourse_span string, const char *text)
{
    uint32_t point;

    for (size_t begin = 1;;) {
        const char *left = text;

        for (size_t at = begin; *left != '\0' && rcs_json_string_next(string, &at, &point); left++) {
            if (fold(point) != fold((unsigned char)*left)) {
                break;
            }
        }
        if (*left == '\0') {
            return true;
        }
        if (!rcs_json_string_next(string, &begin, &point)) {
            return false;
        }
    }
}

static bool value_meets(struct recourse_span value, const struct recourse_atom *atom, bool whole)
{
    const enum rcs_json_type type = rcs_json_type_of(value);

    if (type == RCS_JSON_NONE || type == RCS_JSON_ARRAY || type == RCS_JSON_OBJECT) {
        return false;
    }
    if (type == RCS_JSON_STRING) {
        return whole ? rcs_json_string_is(value, atom->value, strlen(atom->value)) : string_has(value, atom->value);
    }
    return whole ? value.size == strlen(atom->value) && memcmp(value.data, atom->value, value.size) == 0
                 : rcs_text_find_folded(value, atom->value);
}

static bool json_meets(struct evidence *evidence, const struct recourse_atom *atom, bool in_result, bool whole)
{
    const struct recourse_span value = find_json(evidence, atom->name, in_result);

    return value.data != NULL && value_meets(value, atom, whole);
}

static bool header_meets(const struct recourse_facts *facts, const struct recourse_atom *atom, bool whole)
{
    for (size_t i = 0; i < facts->header_count; i++) {
        const struct recourse_span value = rcs_text_trim(facts->headers[i].value);

        if (!rcs_text_equal_folded(facts->headers[i].name, atom->name)) {
            continue;
        }
        if (whole ? value.size == strlen(atom->value) && memcmp(value.data, atom->value, value.size) == 0
                  : rcs_text_find_folded(value, atom->value)) {
            return true;
        }
    }
    return false;
}

static bool is_within(int64_t value, const struct recourse_atom *atom)
{
    return value >= atom->low && value <= atom->high;
}

static bool is_kind(uint8_t kind, const struct recourse_atom *atom)
{
    return kind != 0 && (atom->low == 0 || atom->low == kind);
}

static bool atom_holds(struct evidence *evidence, const struct recourse_atom *atom)
{
    const struct recourse_facts *const facts = evidence->facts;

    switch ((enum recourse_atom_kind)atom->kind) {
    case RECOURSE_ATOM_HTTP: return facts->http != 0 && is_within(facts->http, atom);
    case RECOURSE_ATOM_NETWORK: return is_kind(facts->network, atom);
    case RECOURSE_ATOM_TIMEOUT: return is_kind(facts->timeout, atom);
    case RECOURSE_ATOM_UNSENT: return facts->unsent;
    case RECOURSE_ATOM_INTERRUPTED: return facts->interrupted;
    case RECOURSE_ATOM_RPC: return facts->has_rpc && is_within(facts->rpc, atom);
    case RECOURSE_ATOM_TOOL_ERROR: return facts->tool_error;
    case RECOURSE_ATOM_SESSION_EXPIRED: return facts->session_expired;
    case RECOURSE_ATOM_PROTOCOL: return facts->protocol;
    case RECOURSE_ATOM_TOO_LARGE: return facts->too_large;
    case RECOURSE_ATOM_SPAWN: return facts->spawn;
    case RECOURSE_ATOM_EXIT: return facts->has_exit && is_within(facts->exit_status, atom);
    case RECOURSE_ATOM_SIGNAL: return facts->signal != 0;
    case RECOURSE_ATOM_HEADER_IS: return header_meets(facts, atom, true);
    case RECOURSE_ATOM_HEADER_HAS: return header_meets(facts, atom, false);
    case RECOURSE_ATOM_TOOL: return facts->tool != NULL && rcs_policy_name_fits(atom->value, facts->tool);
    case RECOURSE_ATOM_TEXT:
    case RECOURSE_ATOM_WORD: return has_pattern(evidence, atom, false);
    case RECOURSE_ATOM_JSON_IS: return json_meets(evidence, atom, false, true);
    case RECOURSE_ATOM_JSON_HAS: return json_meets(evidence, atom, false, false);
    case RECOURSE_ATOM_RESULT_TEXT:
    case RECOURSE_ATOM_RESULT_WORD: return has_pattern(evidence, atom, true);
    case RECOURSE_ATOM_RESULT_JSON_IS: return json_meets(evidence, atom, true, true);
    case RECOURSE_ATOM_RESULT_JSON_HAS: return json_meets(evidence, atom, true, false);
    case RECOURSE_ATOM_OTHER: return true; /* of failures: conjunctions of others never get here on success */
    case RECOURSE_ATOM_COUNT: break;
    }
    return false;
}

/* ---- rows ---- */

static bool looks_at_result(const struct recourse_atom *atom)
{
    return atom->kind >= RECOURSE_ATOM_RESULT_TEXT && atom->kind <= RECOURSE_ATOM_RESULT_JSON_HAS;
}

/* Whether one conjunction of the row holds: on success only one that looks at the result can, on failure only one that
   does not. */
static bool row_holds(struct evidence *evidence, const struct recourse_fact_row *row, bool success)
{
    const struct recourse_atom *const atoms = &evidence->policy->atoms[row->atom];

    for (uint16_t first = 0, end; first < row->atom_count; first = end) {
        bool of_result = false;
        bool holds = true;

        end = first;
        do {
            of_result = of_result || looks_at_result(&atoms[end]);
        } while (!atoms[end++].last_of_and && end < row->atom_count);
        if (of_result != success) {
            continue;
        }
        for (uint16_t i = first; i < end && holds; i++) {
            holds = atom_holds(evidence, &atoms[i]);
        }
        if (holds) {
            return true;
        }
    }
    return false;
}

void recourse_classify(const struct recourse_policy *policy, const struct recourse_facts *facts,
                       struct recourse_judgement *out)
{
    const bool success = recourse_facts_claim_success(facts);
    struct evidence evidence = {.policy = policy, .facts = facts};

    *out = (struct recourse_judgement){.failure = RECOURSE_NONE, .fact_row = RECOURSE_NONE,
                                       .effect = RECOURSE_EFFECT_DONE,
                                       .server_delay_ms = recourse_server_delay(facts)};
    for (uint16_t i = 0; i < policy->fact_row_count; i++) {
        if (row_holds(&evidence, &policy->fact_rows[i], success)) {
            out->fact_row = i;
            out->failure = policy->fact_rows[i].failure;
            out->effect = policy->failures[out->failure].effect;
            return;
        }
    }
}

/* ---- what was met ---- */

/* Tells which conditions on content in one conjunction hold. */
static void tell_held(struct evidence *evidence, uint16_t row, uint16_t first, uint16_t end,
                      void (*held)(void *user, uint16_t row, uint16_t atom), void *user)
{
    const struct recourse_atom *const atoms = &evidence->policy->atoms[evidence->policy->fact_rows[row].atom];

    for (uint16_t i = first; i < end; i++) {
        if (rcs_atom_is_content(atoms[i].kind) && atom_holds(evidence, &atoms[i])) {
            held(user, row, i);
        }
    }
}

void rcs_atoms_held(const struct recourse_policy *policy, const struct recourse_facts *facts, uint16_t last,
                    void (*held)(void *user, uint16_t row, uint16_t atom), void *user)
{
    const bool success = recourse_facts_claim_success(facts);
    struct evidence evidence = {.policy = policy, .facts = facts};

    for (uint16_t i = 0; i < policy->fact_row_count && i <= last; i++) {
        const struct recourse_fact_row *const row = &policy->fact_rows[i];
        const struct recourse_atom *const atoms = &policy->atoms[row->atom];

        for (uint16_t first = 0, end; first < row->atom_count; first = end) {
            bool of_result = false;

            end = first;
            do {
                of_result = of_result || looks_at_result(&atoms[end]);
            } while (!atoms[end++].last_of_and && end < row->atom_count);
            if (of_result == success) {
                tell_held(&evidence, i, first, end, held, user);
            }
        }
    }
}
