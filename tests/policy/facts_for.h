/* Facts that a policy takes for a given failure. */
#ifndef RCS_FACTS_FOR_H
#define RCS_FACTS_FOR_H

#include <string.h>

#include "gen/compile.h"

static inline struct recourse_span rcs_span_of(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

/* A JSON text that has `value` at `pointer`. */
static inline struct recourse_span rcs_json_with(struct rcs_arena *arena, const char *pointer, const char *value)
{
    const char *open = "";
    const char *close = "";

    while (*pointer == '/') {
        size_t size = strcspn(pointer + 1, "/");

        open = rcs_arena_format(arena, "%s{\"%.*s\":", open, (int)size, pointer + 1);
        close = rcs_arena_format(arena, "%s}", close);
        pointer += size + 1;
    }
    return rcs_span_of(rcs_arena_format(arena, "%s\"%s\"%s", open, value, close));
}

/* Makes `facts` meet one condition more. */
static inline void rcs_facts_meet(struct rcs_arena *arena, const struct recourse_atom *atom,
                                  struct recourse_facts *facts)
{
    struct recourse_header *header;
    char *tool;

    switch ((enum recourse_atom_kind)atom->kind) {
    case RECOURSE_ATOM_HTTP: facts->http = (uint16_t)atom->low; break;
    case RECOURSE_ATOM_NETWORK: facts->network = (uint8_t)(atom->low != 0 ? atom->low : RECOURSE_NETWORK_OTHER); break;
    case RECOURSE_ATOM_TIMEOUT: facts->timeout = (uint8_t)(atom->low != 0 ? atom->low : RECOURSE_TIMEOUT_OTHER); break;
    case RECOURSE_ATOM_UNSENT: facts->unsent = true; break;
    case RECOURSE_ATOM_INTERRUPTED: facts->interrupted = true; break;
    case RECOURSE_ATOM_RPC:
        facts->has_rpc = true;
        facts->rpc = atom->low;
        break;
    case RECOURSE_ATOM_TOOL_ERROR: facts->tool_error = true; break;
    case RECOURSE_ATOM_SESSION_EXPIRED: facts->session_expired = true; break;
    case RECOURSE_ATOM_PROTOCOL: facts->protocol = true; break;
    case RECOURSE_ATOM_TOO_LARGE: facts->too_large = true; break;
    case RECOURSE_ATOM_SPAWN: facts->spawn = true; break;
    case RECOURSE_ATOM_EXIT:
        facts->has_exit = true;
        facts->exit_status = (int)atom->low;
        break;
    case RECOURSE_ATOM_SIGNAL: facts->signal = 9; break;
    case RECOURSE_ATOM_HEADER_IS:
    case RECOURSE_ATOM_HEADER_HAS:
        header = rcs_arena_alloc(arena, 4 * sizeof *header); /* room for a delay, too */
        *header = (struct recourse_header){rcs_span_of(atom->name), rcs_span_of(atom->value)};
        facts->headers = header;
        facts->header_count = 1;
        break;
    case RECOURSE_ATOM_TOOL:
        tool = rcs_arena_copy(arena, atom->value, strlen(atom->value));
        tool[strcspn(tool, "*")] = '\0';
        facts->tool = tool;
        break;
    case RECOURSE_ATOM_TEXT:
    case RECOURSE_ATOM_WORD: facts->text = rcs_span_of(atom->value); break;
    case RECOURSE_ATOM_JSON_IS:
    case RECOURSE_ATOM_JSON_HAS: facts->json = rcs_json_with(arena, atom->name, atom->value); break;
    case RECOURSE_ATOM_RESULT_TEXT:
    case RECOURSE_ATOM_RESULT_WORD: facts->result = rcs_span_of(atom->value); break;
    case RECOURSE_ATOM_RESULT_JSON_IS:
    case RECOURSE_ATOM_RESULT_JSON_HAS: facts->structured = rcs_json_with(arena, atom->name, atom->value); break;
    case RECOURSE_ATOM_OTHER:
    case RECOURSE_ATOM_COUNT: break;
    }
}

static inline bool rcs_facts_are(const struct rcs_spec *spec, const struct recourse_facts *facts, uint16_t failure)
{
    uint16_t row = rcs_model_classify(spec, facts);

    return row != RECOURSE_NONE && spec->fact_rows[row].failure == failure &&
           facts->timeout != RECOURSE_TIMEOUT_TOTAL; /* which may come out as the call's deadline */
}

/* From the conditions of one row: those that belong together, and something that makes it a failure at all. */
static inline bool rcs_facts_from_row(struct rcs_arena *arena, const struct rcs_spec *spec,
                                      const struct rcs_spec_fact_row *row, struct recourse_facts *facts)
{
    static const struct recourse_facts bases[] = {
        {.http = 0},
        {.tool_error = true},
        {.http = 400},
        {.has_exit = true, .exit_status = 1},
        {.has_rpc = true, .rpc = -1},
        {.protocol = true},
    };

    for (size_t base = 0; base < sizeof bases / sizeof *bases; base++) {
        *facts = bases[base];
        for (size_t i = 0; i < row->atom_count; i++) {
            rcs_facts_meet(arena, &row->atoms[i].atom, facts);
            if (!row->atoms[i].atom.last_of_and) {
                continue;
            }
            if (rcs_facts_are(spec, facts, row->failure)) {
                return true;
            }
            *facts = bases[base];
        }
    }
    return false;
}

/* An example of the policy, or else one made from its rows. */
static inline bool rcs_facts_for(struct rcs_arena *arena, const struct rcs_spec *spec, uint16_t failure,
                                 struct recourse_facts *facts)
{
    for (size_t i = 0; i < spec->fact_count; i++) {
        if (rcs_facts_are(spec, &spec->facts[i].facts, failure)) {
            *facts = spec->facts[i].facts;
            return true;
        }
    }
    for (size_t i = 0; i < spec->fact_row_count; i++) {
        if (spec->fact_rows[i].failure == failure && rcs_facts_from_row(arena, spec, &spec->fact_rows[i], facts)) {
            return true;
        }
    }
    return false;
}

#endif
