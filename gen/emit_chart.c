#include "gen/emit.h"

struct recourse_move rcs_machine_move(const struct rcs_machine *machine, size_t state, size_t symbol)
{
    if (state >= machine->state_count || symbol >= machine->symbol_count) {
        return (struct recourse_move){.row = RECOURSE_NONE, .state = (uint16_t)state};
    }
    return machine->moves[state * machine->symbol_count + symbol];
}

static const char *state_label(struct rcs_arena *arena, size_t state)
{
    return state == 0 ? "start" : rcs_arena_format(arena, "S_%zu", state);
}

static void put_legend_line(struct rcs_string *out, const struct rcs_spec *spec, uint8_t place, unsigned symbol)
{
    struct rcs_case at;

    if (!rcs_symbol_case(spec, place, (uint8_t)symbol, &at)) {
        return;
    }
    rcs_put(out, "  # %3u %s", symbol, rcs_spec_event_name(spec, at.event));
    if (place == RECOURSE_EXHAUSTED) {
        static const char *const reasons[] = {"", ", tries spent", ", asked too long", ", over budget",
                                              ", out of time"};

        _Static_assert(sizeof reasons / sizeof *reasons == RECOURSE_REASON_COUNT, "a text for each reason");
        rcs_put(out, "%s", reasons[at.reason]);
    } else if (at.event >= RECOURSE_EVENT_FAILURE) {
        rcs_put(out, ", %s, %s wait", at.safe ? "safe" : "unsafe", at.may_wait ? "may" : "may not");
    } else if (place == RECOURSE_ATTEMPT && at.event != RECOURSE_EVENT_OK && at.event != RECOURSE_EVENT_UNRECORDED) {
        rcs_put(out, "%s", !at.acted_now ? ", nothing sent" : at.safe ? ", sent, safe" : ", sent, unsafe");
    }
    rcs_put(out, "\n");
}

static void put_legend(struct rcs_string *out, const struct rcs_machine *machine)
{
    unsigned exhausted = RECOURSE_SYMBOL_FAILURE + 4u * (unsigned)machine->spec->failure_count;

    rcs_put(out, "  # The symbols:\n");
    for (unsigned symbol = 0; symbol < machine->symbol_count; symbol++) {
        uint8_t place = RECOURSE_PRECONDITION;

        if (symbol >= exhausted) {
            place = RECOURSE_EXHAUSTED;
        } else if (symbol >= RECOURSE_SYMBOL_OK || symbol == RECOURSE_SYMBOL_UNRECORDED) {
            place = RECOURSE_ATTEMPT;
        } else if (symbol == RECOURSE_EVENT_ELAPSED) {
            place = RECOURSE_BACKOFF;
        }
        put_legend_line(out, machine->spec, place, symbol);
    }
}

/* One row that is met in one state, and every symbol that meets it: `(21 | 23..24)`. Runs of symbols become ranges. */
static void put_symbols(struct rcs_string *out, const struct rcs_machine *machine, size_t state,
                        const struct recourse_move *wanted)
{
    const char *between = "";

    for (size_t symbol = 0; symbol < machine->symbol_count; symbol++) {
        size_t last = symbol;
        struct recourse_move at = rcs_machine_move(machine, state, symbol);

        if (at.row == RECOURSE_NONE || (wanted != NULL && (at.row != wanted->row || at.state != wanted->state))) {
            continue;
        }
        for (; last + 1 < machine->symbol_count; last++) {
            struct recourse_move next = rcs_machine_move(machine, state, last + 1);

            if (next.row == RECOURSE_NONE || (wanted != NULL && (next.row != at.row || next.state != at.state))) {
                break;
            }
        }
        if (last == symbol) {
            rcs_put(out, "%s%zu", between, symbol);
        } else {
            rcs_put(out, "%s%zu..%zu", between, symbol, last);
        }
        between = " | ";
        symbol = last;
    }
}

/* Whether an earlier symbol of the state makes the same move. */
static bool was_put(const struct rcs_machine *machine, size_t state, size_t symbol)
{
    struct recourse_move at = rcs_machine_move(machine, state, symbol);

    for (size_t before = 0; before < symbol; before++) {
        struct recourse_move other = rcs_machine_move(machine, state, before);

        if (other.row == at.row && other.state == at.state) {
            return true;
        }
    }
    return false;
}

static void put_state_head(struct rcs_string *out, const struct rcs_machine *machine, size_t state)
{
    static const char *const places[] = {"precondition", "attempt", "backoff", "exhausted", "reported"};
    const struct rcs_history *at = &machine->states[state];

    _Static_assert(sizeof places / sizeof *places == RECOURSE_PLACE_COUNT, "a name for each place");
    rcs_put(out, "\n    # %s", places[at->place]);
    if (at->place == RECOURSE_ATTEMPT || at->place == RECOURSE_BACKOFF) {
        rcs_put(out, ", %s try %u", at->place == RECOURSE_ATTEMPT ? "in" : "after", at->tries);
    } else if (at->place == RECOURSE_EXHAUSTED) {
        rcs_put(out, ", %s try", at->tries > 1 ? "later" : "first");
    }
    rcs_put(out, "%s", at->acted ? ", may have acted" : "");
    for (size_t wait = 0; wait < machine->spec->wait_count; wait++) {
        if (at->uses[wait] > 0) {
            rcs_put(out, ", %u of wait %zu", at->uses[wait], wait);
        }
    }
    rcs_put(out, "\n");
}

static void put_state(struct rcs_string *out, const struct rcs_machine *machine, size_t state)
{
    bool any = false;

    put_state_head(out, machine, state);
    rcs_put(out, "    %s: (\n", state_label(out->arena, state));
    for (size_t symbol = 0; symbol < machine->symbol_count; symbol++) {
        struct recourse_move at = rcs_machine_move(machine, state, symbol);

        if (at.row == RECOURSE_NONE || was_put(machine, state, symbol)) {
            continue;
        }
        rcs_put(out, "      %s (", any ? "|" : " ");
        put_symbols(out, machine, state, &at);
        rcs_put(out, ") @%s -> %s\n", rcs_row_action(out->arena, machine->spec, at.row),
                state_label(out->arena, at.state));
        any = true;
    }
    if (machine->states[state].place == RECOURSE_REPORTED) {
        rcs_put(out, "      %s '' -> final\n", any ? "|" : " ");
        any = true;
    }
    rcs_put(out, "      %s (any", any ? "|" : " ");
    if (any && machine->states[state].place != RECOURSE_REPORTED) {
        rcs_put(out, " - (");
        put_symbols(out, machine, state, NULL);
        rcs_put(out, ")");
    }
    rcs_put(out, ") -> %s\n    ) >to(%s)%s\n", state_label(out->arena, state), rcs_state_action(out->arena, state),
            state + 1 < machine->state_count ? "," : "");
}

static bool row_is_used(const struct rcs_machine *machine, size_t row)
{
    for (size_t state = 0; state < machine->state_count; state++) {
        for (size_t symbol = 0; symbol < machine->symbol_count; symbol++) {
            if (rcs_machine_move(machine, state, symbol).row == row) {
                return true;
            }
        }
    }
    return false;
}

static void put_actions(struct rcs_string *out, const struct rcs_machine *machine)
{
    for (size_t row = 0; row < machine->spec->row_count; row++) {
        if (row_is_used(machine, row)) {
            rcs_put(out, "  action %s { moved.row = %zu; }\n", rcs_row_action(out->arena, machine->spec, row), row);
        }
    }
    for (size_t state = 0; state < machine->state_count; state++) {
        rcs_put(out, "  action %s { moved.state = %zu; }\n", rcs_state_action(out->arena, state), state);
    }
}

static void put_entry(struct rcs_string *out, const struct rcs_machine *machine, const uint16_t *entry)
{
    rcs_put(out, "/* Ragel numbers the states in its own way; this is what it calls ours. */\n"
                 "static const uint16_t entry[] = {");
    for (size_t state = 0; state < machine->state_count; state++) {
        const char *between = state == 0 ? "\n    " : state % 16 == 0 ? ",\n    " : ", ";

        rcs_put(out, "%s%u", between, entry == NULL ? 0u : entry[state]);
    }
    rcs_put(out, "};\n");
}

void rcs_emit_chart(struct rcs_string *out, const struct rcs_machine *machine, const uint16_t *entry)
{
    const char *name = rcs_c_name(out->arena, machine->spec->name);

    rcs_put(out,
            "\n"
            "/* The state chart. A symbol that means nothing in a state leaves the call there, without a row. */\n"
            "%%%%{\n"
            "  machine recourse_%s_chart;\n"
            "  alphtype unsigned char;\n"
            "\n",
            name);
    put_legend(out, machine);
    rcs_put(out, "\n  # One action for each row, and one for each state that is entered.\n");
    put_actions(out, machine);
    rcs_put(out, "\n  main := (");
    for (size_t state = 0; state < machine->state_count; state++) {
        put_state(out, machine, state);
    }
    rcs_put(out, "  );\n\n  write data noerror nofinal noentry;\n}%%%%\n\n");
    put_entry(out, machine, entry);
    rcs_put(out,
            "\n"
            "static struct recourse_move move(const struct recourse_policy *policy, uint16_t state, uint8_t symbol)\n"
            "{\n"
            "    struct recourse_move moved = {.row = RECOURSE_NONE, .state = state};\n"
            "    const unsigned char *p = &symbol;\n"
            "    const unsigned char *pe = p + 1;\n"
            "    int cs = recourse_%s_chart_start;\n"
            "\n"
            "    (void)policy;\n"
            "    if (state >= sizeof entry / sizeof *entry) {\n"
            "        return moved;\n"
            "    }\n"
            "    cs = entry[state];\n"
            "    %%%% write exec;\n"
            "    return moved;\n"
            "}\n",
            name);
}
