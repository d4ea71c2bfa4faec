/* The table Failures: conditions that an earlier one takes away, and effects that are claimed without proof. */
#include <string.h>
#include <strings.h>

#include "gen/check.h"
#include "gen/compile.h"

/* A conjunction: atoms [from, from + count) of a row. */
struct conjunction {
    const struct rcs_spec_atom *atoms;
    size_t count;
};

static struct conjunction conjunction_at(const struct rcs_spec_fact_row *row, size_t from)
{
    struct conjunction out = {&row->atoms[from], 1};

    while (!out.atoms[out.count - 1].atom.last_of_and) {
        out.count++;
    }
    return out;
}

static bool contains_folded(const char *text, const char *part)
{
    size_t length = strlen(part);

    for (; strlen(text) >= length; text++) {
        if (strncasecmp(text, part, length) == 0) {
            return true;
        }
        if (*text == '\0') {
            break;
        }
    }
    return false;
}

static bool same_text(const char *a, const char *b)
{
    return (a == NULL || b == NULL) ? a == b : strcmp(a, b) == 0;
}

static bool prefix_covers(const char *wide, const char *narrow)
{
    size_t length = strlen(wide);

    if (length > 0 && wide[length - 1] == '*') {
        return strncmp(wide, narrow, length - 1) == 0;
    }
    return strcmp(wide, narrow) == 0;
}

/* Whether an atom that holds makes another one hold. */
static bool implies(const struct recourse_atom *narrow, const struct recourse_atom *wide)
{
    switch ((enum recourse_atom_kind)wide->kind) {
    case RECOURSE_ATOM_OTHER:
        return true;
    case RECOURSE_ATOM_HTTP:
    case RECOURSE_ATOM_RPC:
    case RECOURSE_ATOM_EXIT:
        return narrow->kind == wide->kind && narrow->low >= wide->low && narrow->high <= wide->high;
    case RECOURSE_ATOM_NETWORK:
    case RECOURSE_ATOM_TIMEOUT:
        return narrow->kind == wide->kind && (wide->low == 0 || wide->low == narrow->low);
    case RECOURSE_ATOM_TEXT:
        return (narrow->kind == RECOURSE_ATOM_TEXT || narrow->kind == RECOURSE_ATOM_WORD) &&
               contains_folded(narrow->value, wide->value);
    case RECOURSE_ATOM_RESULT_TEXT:
        return (narrow->kind == RECOURSE_ATOM_RESULT_TEXT || narrow->kind == RECOURSE_ATOM_RESULT_WORD) &&
               contains_folded(narrow->value, wide->value);
    case RECOURSE_ATOM_WORD:
    case RECOURSE_ATOM_RESULT_WORD:
        return narrow->kind == wide->kind && strcasecmp(narrow->value, wide->value) == 0;
    case RECOURSE_ATOM_TOOL:
        return narrow->kind == wide->kind && prefix_covers(wide->value, narrow->value);
    case RECOURSE_ATOM_HEADER_HAS:
        return (narrow->kind == RECOURSE_ATOM_HEADER_HAS || narrow->kind == RECOURSE_ATOM_HEADER_IS) &&
               strcasecmp(narrow->name, wide->name) == 0 && contains_folded(narrow->value, wide->value);
    case RECOURSE_ATOM_JSON_HAS:
        return (narrow->kind == RECOURSE_ATOM_JSON_HAS || narrow->kind == RECOURSE_ATOM_JSON_IS) &&
               strcmp(narrow->name, wide->name) == 0 && contains_folded(narrow->value, wide->value);
    case RECOURSE_ATOM_RESULT_JSON_HAS:
        return (narrow->kind == RECOURSE_ATOM_RESULT_JSON_HAS || narrow->kind == RECOURSE_ATOM_RESULT_JSON_IS) &&
               strcmp(narrow->name, wide->name) == 0 && contains_folded(narrow->value, wide->value);
    default:
        return narrow->kind == wide->kind && same_text(narrow->name, wide->name) && same_text(narrow->value, wide->value);
    }
}

static bool looks_into_result(const struct conjunction *it)
{
    for (size_t i = 0; i < it->count; i++) {
        if (it->atoms[i].atom.kind >= RECOURSE_ATOM_RESULT_TEXT && it->atoms[i].atom.kind <= RECOURSE_ATOM_RESULT_JSON_HAS) {
            return true;
        }
    }
    return false;
}

/* Whether all that meets `narrow` meets `wide`. */
static bool covers(const struct conjunction *wide, const struct conjunction *narrow)
{
    if (looks_into_result(wide) != looks_into_result(narrow)) {
        return false;
    }
    for (size_t i = 0; i < wide->count; i++) {
        bool implied = false;

        for (size_t j = 0; j < narrow->count && !implied; j++) {
            implied = implies(&narrow->atoms[j].atom, &wide->atoms[i].atom);
        }
        if (!implied) {
            return false;
        }
    }
    return true;
}

/* The first row (up to and including `last`) that takes what `it` would, itself aside; NULL if there is none. */
static const struct rcs_spec_fact_row *taker(const struct rcs_spec *spec, size_t last, const struct conjunction *it)
{
    for (size_t r = 0; r <= last; r++) {
        const struct rcs_spec_fact_row *row = &spec->fact_rows[r];

        for (size_t i = 0; i < row->atom_count;) {
            struct conjunction wide = conjunction_at(row, i);

            if (wide.atoms == it->atoms) { /* later ones of the same row don't come before it */
                break;
            }
            if (covers(&wide, it)) {
                return row;
            }
            i += wide.count;
        }
    }
    return NULL;
}

/* ---- conditions that can't hold ---- */

static bool same_text_but(const struct recourse_atom *a, const struct recourse_atom *b)
{
    return same_text(a->name, b->name) && strcmp(a->value, b->value) != 0;
}

/* Kinds that one attempt can't show both of. A broken connection may have begun with a status, and a server that was a
   process may have ended: most kinds go together. */
static bool kinds_exclude(uint8_t a, uint8_t b)
{
    static const uint32_t others[RECOURSE_ATOM_COUNT] = {
        [RECOURSE_ATOM_SPAWN] = 1u << RECOURSE_ATOM_HTTP | 1u << RECOURSE_ATOM_NETWORK | 1u << RECOURSE_ATOM_TIMEOUT |
                                1u << RECOURSE_ATOM_RPC | 1u << RECOURSE_ATOM_TOOL_ERROR | 1u << RECOURSE_ATOM_EXIT |
                                1u << RECOURSE_ATOM_SESSION_EXPIRED | 1u << RECOURSE_ATOM_PROTOCOL |
                                1u << RECOURSE_ATOM_TOO_LARGE,
        [RECOURSE_ATOM_RPC] = 1u << RECOURSE_ATOM_PROTOCOL | 1u << RECOURSE_ATOM_TOO_LARGE | 1u << RECOURSE_ATOM_TOOL_ERROR,
        [RECOURSE_ATOM_EXIT] = 1u << RECOURSE_ATOM_HTTP | 1u << RECOURSE_ATOM_RPC | 1u << RECOURSE_ATOM_SESSION_EXPIRED,
    };

    return (others[a] & 1u << b) != 0 || (others[b] & 1u << a) != 0;
}

bool rcs_atoms_exclude(const struct recourse_atom *a, const struct recourse_atom *b)
{
    if (kinds_exclude(a->kind, b->kind)) {
        return true;
    }
    if (a->kind != b->kind) {
        return false;
    }
    switch ((enum recourse_atom_kind)a->kind) {
    case RECOURSE_ATOM_HTTP:
    case RECOURSE_ATOM_RPC:
    case RECOURSE_ATOM_EXIT:
        return a->high < b->low || b->high < a->low;
    case RECOURSE_ATOM_NETWORK:
    case RECOURSE_ATOM_TIMEOUT:
        return a->low != 0 && b->low != 0 && a->low != b->low;
    case RECOURSE_ATOM_TOOL:
        return !prefix_covers(a->value, b->value) && !prefix_covers(b->value, a->value);
    case RECOURSE_ATOM_JSON_IS:
    case RECOURSE_ATOM_RESULT_JSON_IS:
        return same_text_but(a, b);
    default:
        return false;
    }
}

/* A result is looked into where an answer claims success, and these say that there is none. */
static bool needs_failure(const struct recourse_atom *atom)
{
    switch ((enum recourse_atom_kind)atom->kind) {
    case RECOURSE_ATOM_HTTP:
        return atom->low >= 400;
    case RECOURSE_ATOM_NETWORK:
    case RECOURSE_ATOM_TIMEOUT:
    case RECOURSE_ATOM_RPC:
    case RECOURSE_ATOM_TOOL_ERROR:
    case RECOURSE_ATOM_SPAWN:
    case RECOURSE_ATOM_UNSENT:
    case RECOURSE_ATOM_PROTOCOL:
    case RECOURSE_ATOM_SESSION_EXPIRED:
        return true;
    default:
        return false;
    }
}

/* Two atoms of a conjunction that shut each other out; false if there are none. */
static bool contradiction(const struct conjunction *it, size_t *one, size_t *two)
{
    bool result = looks_into_result(it);

    for (*one = 0; *one < it->count; ++*one) {
        for (*two = 0; *two < it->count; ++*two) {
            const struct recourse_atom *b = &it->atoms[*two].atom;
            struct conjunction single = {&it->atoms[*one], 1};

            if (*one != *two && (rcs_atoms_exclude(&it->atoms[*one].atom, b) ||
                                 (result && looks_into_result(&single) && needs_failure(b)))) {
                return true;
            }
        }
    }
    return false;
}

/* Whether any condition of the row can ever decide. Those that can't are told of. */
static bool find_dead(const struct rcs_check *check, size_t index)
{
    const struct rcs_spec_fact_row *row = &check->spec->fact_rows[index];
    bool alive = false;
    size_t one;
    size_t two;

    for (size_t i = 0; i < row->atom_count;) {
        struct conjunction it = conjunction_at(row, i);
        const struct rcs_spec_fact_row *by = taker(check->spec, index, &it);

        i += it.count;
        if (contradiction(&it, &one, &two)) {
            rcs_find(check->findings, RCS_WARNING, "impossible", it.atoms[0].place, row->id, NULL,
                     "'%s' and '%s' can't both hold of one try, so this never decides", it.atoms[one].text,
                     it.atoms[two].text);
        } else if (by != NULL) {
            rcs_find(check->findings, by == row ? RCS_WARNING : RCS_ERROR, "shadowed", it.atoms[0].place,
                     rcs_arena_format(check->findings->arena, by == row ? "%s" : "%s, %s", by->id, row->id), NULL,
                     "'%s'%s never decides: %s %s takes it first", it.atoms[0].text, it.count > 1 ? " and what follows" : "",
                     by == row ? "an earlier condition of" : "row", by->id);
        } else {
            alive = true;
        }
    }
    return alive;
}

static void find_not_produced(const struct rcs_check *check, const bool *alive)
{
    const struct rcs_spec *spec = check->spec;

    for (uint16_t failure = 0; failure < spec->failure_count; failure++) {
        bool produced = false;
        const char *rows = "";

        for (size_t i = 0; i < spec->fact_row_count; i++) {
            if (spec->fact_rows[i].failure == failure) {
                produced = produced || alive[i];
                rows = rcs_arena_format(check->findings->arena, "%s%s%s", rows, *rows ? ", " : "", spec->fact_rows[i].id);
            }
        }
        if (!produced) {
            rcs_find(check->findings, RCS_WARNING, "not-produced", spec->failures[failure].place, rows, NULL,
                     "nothing produces '%s': no condition of its rows can ever decide", spec->failures[failure].name);
        }
    }
}

/* ---- effect `none` needs a proof ---- */

enum proof { PROVES, WEAK, REFUTES };

static enum proof proof_of(const struct recourse_atom *atom)
{
    switch ((enum recourse_atom_kind)atom->kind) {
    case RECOURSE_ATOM_HTTP:
        return atom->high >= 500 || atom->low < 400 ? REFUTES : PROVES;
    case RECOURSE_ATOM_NETWORK:
        return atom->low == RECOURSE_NETWORK_REFUSED || atom->low == RECOURSE_NETWORK_UNREACHABLE ||
                       atom->low == RECOURSE_NETWORK_DNS || atom->low == RECOURSE_NETWORK_TLS
                   ? PROVES
                   : REFUTES;
    case RECOURSE_ATOM_TIMEOUT:
        return atom->low == RECOURSE_TIMEOUT_CONNECT ? PROVES : REFUTES;
    case RECOURSE_ATOM_UNSENT:
    case RECOURSE_ATOM_SESSION_EXPIRED:
    case RECOURSE_ATOM_SPAWN:
    case RECOURSE_ATOM_RPC:
        return PROVES;
    case RECOURSE_ATOM_INTERRUPTED:
    case RECOURSE_ATOM_PROTOCOL:
    case RECOURSE_ATOM_TOO_LARGE:
    case RECOURSE_ATOM_OTHER:
        return REFUTES;
    default:
        return WEAK;
    }
}

static void find_unproven(const struct rcs_check *check, const struct rcs_spec_fact_row *row)
{
    for (size_t i = 0; i < row->atom_count;) {
        struct conjunction it = conjunction_at(row, i);
        enum proof best = REFUTES;

        for (size_t a = 0; a < it.count; a++) {
            enum proof proof = proof_of(&it.atoms[a].atom);

            best = proof == PROVES || (proof == WEAK && best == REFUTES) ? proof : best;
        }
        if (best == REFUTES) {
            rcs_find(check->findings, RCS_ERROR, "unproven-none", it.atoms[0].place, row->id, NULL,
                     "'%s' does not prove that the tool did nothing; the effect is unknown", it.atoms[0].text);
        } else if (best == WEAK) {
            rcs_find(check->findings, RCS_NOTICE, "weak-none", it.atoms[0].place, row->id, NULL,
                     "that the tool did nothing rests on '%s' alone", it.atoms[0].text);
        }
        i += it.count;
    }
}

/* Tools: the first row that fits a name holds, so that a later one may be silent, and what it says be lost. */
static void find_shadowed_tools(const struct rcs_check *check)
{
    const struct rcs_spec *spec = check->spec;

    for (size_t i = 0; i < spec->tool_count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (prefix_covers(spec->tools[j].name, spec->tools[i].name)) {
                rcs_find(check->findings, RCS_ERROR, "shadowed", spec->tools[i].place, NULL, NULL,
                         "tool '%s' is taken by '%s' in line %u first; put it above", spec->tools[i].name,
                         spec->tools[j].name, spec->tools[j].place.line);
                break;
            }
        }
    }
}

void rcs_check_failures(const struct rcs_check *check)
{
    struct rcs_pattern *patterns;
    size_t count = rcs_patterns(check->findings->arena, check->spec, &patterns);
    bool *alive;

    if (count > RECOURSE_PATTERNS_MAX) {
        rcs_find(check->findings, RCS_ERROR, "too-large", check->spec->fact_rows[0].when_place, NULL, NULL,
                 "%zu different texts and words are looked for; at most %u can be", count, RECOURSE_PATTERNS_MAX);
    }
    find_shadowed_tools(check);
    alive = rcs_arena_alloc(check->findings->arena, check->spec->fact_row_count + 1);
    for (size_t i = 0; i < check->spec->fact_row_count; i++) {
        const struct rcs_spec_fact_row *row = &check->spec->fact_rows[i];

        alive[i] = find_dead(check, i);
        if (row->effect == RECOURSE_EFFECT_NONE) {
            find_unproven(check, row);
        }
    }
    find_not_produced(check, alive);
}
