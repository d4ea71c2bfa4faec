/* Judges facts as a policy was written: plain searches, one row after the other. src/core does it in one pass. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "gen/json_read.h"
#include "gen/model.h"

bool rcs_model_claims_success(const struct recourse_facts *facts)
{
    bool failed = facts->network != 0 || facts->timeout != 0 || facts->interrupted || facts->tool_error ||
                  facts->session_expired || facts->protocol || facts->too_large || facts->spawn || facts->signal != 0 ||
                  facts->has_rpc || (facts->has_exit && facts->exit_status != 0);

    if (failed) {
        return false;
    }
    return facts->http != 0 ? facts->http >= 200 && facts->http <= 299 : facts->text.size == 0 && !facts->unsent;
}

static bool word_byte(unsigned char c)
{
    return c < 0x80 && (isalnum(c) || c == '_');
}

/* Whether a match of a word at [from, to) stands alone: not inside a longer word or number. */
static bool stands_alone(const char *text, size_t size, size_t from, size_t to)
{
    const unsigned char *at = (const unsigned char *)text;

    if ((from > 0 && word_byte(at[from - 1])) || (to < size && word_byte(at[to]))) {
        return false;
    }
    if (from > 1 && isdigit(at[from]) && (at[from - 1] == '.' || at[from - 1] == ',') && isdigit(at[from - 2])) {
        return false;
    }
    return !(to + 1 < size && isdigit(at[to - 1]) && (at[to] == '.' || at[to] == ',') && isdigit(at[to + 1]));
}

static bool found(struct recourse_span text, const char *wanted, bool word)
{
    size_t length = strlen(wanted);

    for (size_t i = 0; length > 0 && length <= text.size && i <= text.size - length; i++) {
        if (strncasecmp(text.data + i, wanted, length) == 0 &&
            (!word || stands_alone(text.data, text.size, i, i + length))) {
            return true;
        }
    }
    return false;
}

/* Searches `first`, a line break, `second`, as if they were one text of at most RECOURSE_TEXT_MAX bytes. */
static bool found_in(struct recourse_span first, struct recourse_span second, const char *wanted, bool word)
{
    size_t room = RECOURSE_TEXT_MAX;

    first.size = first.size < room ? first.size : room;
    room -= first.size;
    if (first.size > 0) {
        room -= room > 0;
    }
    second.size = second.size < room ? second.size : room;
    return found(first, wanted, word) || found(second, wanted, word);
}

static bool compare(struct recourse_span text, const char *value, bool has)
{
    if (has) {
        return *value == '\0' || found(text, value, false);
    }
    return text.size == strlen(value) && memcmp(text.data, value, text.size) == 0;
}

static struct recourse_span trimmed(struct recourse_span text)
{
    while (text.size > 0 && (*text.data == ' ' || *text.data == '\t')) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t')) {
        text.size--;
    }
    return text;
}

static bool header_holds(const struct recourse_facts *facts, const struct recourse_atom *atom, bool has)
{
    for (size_t i = 0; i < facts->header_count; i++) {
        const struct recourse_header *header = &facts->headers[i];

        if (header->name.size == strlen(atom->name) &&
            strncasecmp(header->name.data, atom->name, header->name.size) == 0 &&
            compare(trimmed(header->value), atom->value, has)) {
            return true;
        }
    }
    return false;
}

static bool json_holds(struct rcs_arena *arena, struct recourse_span json, const struct recourse_atom *atom, bool has)
{
    struct recourse_span value;

    return rcs_json_read_scalar_at(arena, json, atom->name, &value) && compare(value, atom->value, has);
}

static bool tool_holds(const char *tool, const char *wanted)
{
    size_t length = strlen(wanted);

    if (tool == NULL) {
        return false;
    }
    if (length > 0 && wanted[length - 1] == '*') {
        return strncmp(tool, wanted, length - 1) == 0;
    }
    return strcmp(tool, wanted) == 0;
}

static bool between(int64_t value, const struct recourse_atom *atom)
{
    return value >= atom->low && value <= atom->high;
}

bool rcs_model_is_result(uint8_t kind)
{
    return kind >= RECOURSE_ATOM_RESULT_TEXT && kind <= RECOURSE_ATOM_RESULT_JSON_HAS;
}

static bool look_into_result(struct rcs_arena *arena, const struct recourse_facts *facts,
                             const struct recourse_atom *atom)
{
    struct recourse_span json = facts->structured.size > 0 ? facts->structured : facts->result;

    switch ((enum recourse_atom_kind)atom->kind) {
    case RECOURSE_ATOM_RESULT_TEXT:
    case RECOURSE_ATOM_RESULT_WORD:
        return found_in(facts->result, facts->structured, atom->value, atom->kind == RECOURSE_ATOM_RESULT_WORD);
    default:
        return json_holds(arena, json, atom, atom->kind == RECOURSE_ATOM_RESULT_JSON_HAS);
    }
}

bool rcs_model_holds(struct rcs_arena *arena, const struct recourse_facts *facts, const struct recourse_atom *atom)
{
    struct recourse_span json = facts->json.size > 0 ? facts->json : facts->text;

    switch ((enum recourse_atom_kind)atom->kind) {
    case RECOURSE_ATOM_HTTP:
        return between(facts->http, atom);
    case RECOURSE_ATOM_NETWORK:
        return atom->low == 0 ? facts->network != 0 : facts->network == atom->low;
    case RECOURSE_ATOM_TIMEOUT:
        return atom->low == 0 ? facts->timeout != 0 : facts->timeout == atom->low;
    case RECOURSE_ATOM_UNSENT:
        return facts->unsent;
    case RECOURSE_ATOM_INTERRUPTED:
        return facts->interrupted;
    case RECOURSE_ATOM_RPC:
        return facts->has_rpc && between(facts->rpc, atom);
    case RECOURSE_ATOM_TOOL_ERROR:
        return facts->tool_error;
    case RECOURSE_ATOM_SESSION_EXPIRED:
        return facts->session_expired;
    case RECOURSE_ATOM_PROTOCOL:
        return facts->protocol;
    case RECOURSE_ATOM_TOO_LARGE:
        return facts->too_large;
    case RECOURSE_ATOM_SPAWN:
        return facts->spawn;
    case RECOURSE_ATOM_EXIT:
        return facts->has_exit && between(facts->exit_status, atom);
    case RECOURSE_ATOM_SIGNAL:
        return facts->signal != 0;
    case RECOURSE_ATOM_HEADER_IS:
    case RECOURSE_ATOM_HEADER_HAS:
        return header_holds(facts, atom, atom->kind == RECOURSE_ATOM_HEADER_HAS);
    case RECOURSE_ATOM_TOOL:
        return tool_holds(facts->tool, atom->value);
    case RECOURSE_ATOM_TEXT:
    case RECOURSE_ATOM_WORD:
        return found_in(facts->phrase, facts->text, atom->value, atom->kind == RECOURSE_ATOM_WORD);
    case RECOURSE_ATOM_JSON_IS:
    case RECOURSE_ATOM_JSON_HAS:
        return json_holds(arena, json, atom, atom->kind == RECOURSE_ATOM_JSON_HAS);
    case RECOURSE_ATOM_RESULT_TEXT:
    case RECOURSE_ATOM_RESULT_WORD:
    case RECOURSE_ATOM_RESULT_JSON_IS:
    case RECOURSE_ATOM_RESULT_JSON_HAS:
        return look_into_result(arena, facts, atom);
    case RECOURSE_ATOM_OTHER:
        return true;
    case RECOURSE_ATOM_COUNT:
        break;
    }
    return false;
}

struct conditions {
    bool (*hold)(void *user, const struct recourse_atom *atom, size_t number);
    void *user;
    size_t number; /* of the row's first condition */
    bool success;
};

/* A conjunction judges successes if and only if it looks into a result. */
static bool row_holds(const struct rcs_spec_fact_row *row, const struct conditions *conditions)
{
    bool all = true;
    bool result = false;

    for (size_t i = 0; i < row->atom_count; i++) {
        const struct recourse_atom *atom = &row->atoms[i].atom;

        result = result || rcs_model_is_result(atom->kind);
        all = all && conditions->hold(conditions->user, atom, conditions->number + i);
        if (!atom->last_of_and) {
            continue;
        }
        if (all && result == conditions->success) {
            return true;
        }
        all = true;
        result = false;
    }
    return false;
}

uint16_t rcs_model_classify_by(const struct rcs_spec *spec, bool success,
                               bool (*hold)(void *user, const struct recourse_atom *atom, size_t number), void *user)
{
    struct conditions conditions = {.hold = hold, .user = user, .success = success};

    for (size_t i = 0; i < spec->fact_row_count; i++) {
        if (row_holds(&spec->fact_rows[i], &conditions)) {
            return (uint16_t)i;
        }
        conditions.number += spec->fact_rows[i].atom_count;
    }
    return RECOURSE_NONE;
}

struct looked_at {
    struct rcs_arena *arena;
    const struct recourse_facts *facts;
};

static bool hold(void *user, const struct recourse_atom *atom, size_t number)
{
    const struct looked_at *at = user;

    (void)number;
    return rcs_model_holds(at->arena, at->facts, atom);
}

uint16_t rcs_model_classify(const struct rcs_spec *spec, const struct recourse_facts *facts)
{
    struct looked_at at = {spec->arena, facts};

    return rcs_model_classify_by(spec, rcs_model_claims_success(facts), hold, &at);
}
