/* Mutants of cells that hold values: settings, conditions, waits. */
#include "gen/mutate.h"

#include <stdlib.h>
#include <string.h>

static const char *duration(struct rcs_arena *arena, uint64_t ms)
{
    return ms % 1000 == 0 ? rcs_arena_format(arena, "%llus", (unsigned long long)(ms / 1000))
                          : rcs_arena_format(arena, "%llums", (unsigned long long)ms);
}

/* ---- settings ---- */

static void mutate_unsafe_replay(struct rcs_mutants *mutants, const struct rcs_table_row *row, const struct rcs_cell *cell)
{
    const struct rcs_spec *spec = mutants->spec;

    for (uint16_t toggled = 0; toggled < spec->failure_count; toggled++) {
        const char *list = "";

        for (uint16_t failure = 0; failure < spec->failure_count; failure++) {
            bool listed = failure == toggled;

            for (size_t i = 0; i < spec->unsafe_replay_count; i++) {
                listed = spec->unsafe_replay[i] == failure ? !listed : listed;
            }
            list = listed ? rcs_arena_format(mutants->arena, "%s%s%s", list, *list ? ", " : "", spec->failures[failure].name)
                          : list;
        }
        rcs_mutate_cell(mutants, row, "value", cell, *list ? list : "none", false);
    }
}

/* A number one more, a duration one second more, a text without its last letter; `none` where it is something. */
static void mutate_plain(struct rcs_mutants *mutants, const struct rcs_table_row *row, const struct rcs_cell *cell)
{
    const char *text = rcs_cell_copy(&mutants->document, cell);
    size_t digits = strspn(text, "0123456789");

    if (digits > 0 && digits < 9) {
        rcs_mutate_cell(mutants, row, "value", cell,
                        rcs_arena_format(mutants->arena, "%lu%s", strtoul(text, NULL, 10) + 1, text + digits), true);
    } else if (*text == '"') {
        rcs_mutate_cell(mutants, row, "value", cell, "\"another text\"", true);
    }
    rcs_mutate_cell(mutants, row, "value", cell, "none", true);
}

/* What may stand where there is nothing. */
static const char *something(const char *setting)
{
    static const struct {
        const char *setting, *value;
    } values[] = {
        {"try timeout", "60s"},    {"call deadline", "720h"}, {"reminder", "\"Do not repeat this call.\""},
        {"reason", "200 characters"}, {"sensitive values", "\"secret\""}, {"sensitive names", "\"secret\""},
        {"approval timeout", "600s"}, {"repeated failures", "3"}, {"output", "4000 characters"},
        {"resumes", "2"},          {"rounds", "2"},
    };

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(values[i].setting, setting) == 0) {
            return values[i].value;
        }
    }
    return NULL;
}

void rcs_mutate_setting(struct rcs_mutants *mutants, const struct rcs_table_row *row)
{
    const char *setting = rcs_cell_copy(&mutants->document, &row->cells[0]);
    const struct rcs_cell *cell = &row->cells[1];
    unsigned tries = mutants->spec->settings.tries;

    if (strcmp(setting, "tries") == 0) {
        rcs_mutate_cell(mutants, row, "value", cell, rcs_arena_format(mutants->arena, "%u", tries + 1), false);
        rcs_mutate_cell(mutants, row, "value", cell, rcs_arena_format(mutants->arena, "%u", tries - 1), false);
    } else if (strcmp(setting, "unsafe replay") == 0) {
        mutate_unsafe_replay(mutants, row, cell);
    } else if (rcs_cell_is(&mutants->document, cell, "none")) {
        if (something(setting) != NULL) {
            rcs_mutate_cell(mutants, row, "value", cell, something(setting), true);
        }
    } else {
        mutate_plain(mutants, row, cell);
    }
}

/* ---- conditions ---- */

/* The cell with the atom at `changed` written as `with`; NULL: left out, and what follows it in its conjunction stays. */
static const char *when_with(const struct rcs_mutants *mutants, const struct rcs_spec_fact_row *row, size_t changed,
                             const char *with)
{
    struct rcs_string cell = {.arena = mutants->arena};
    bool ended = true;

    rcs_append_text(&cell, "");
    for (size_t i = 0; i < row->atom_count; i++) {
        const char *text = i == changed ? with : row->atoms[i].text;

        if (text != NULL) {
            rcs_append_text(&cell, cell.size == 0 ? "" : ended ? ", " : " and ");
            rcs_append_text(&cell, text);
            ended = false;
        }
        ended = ended || row->atoms[i].atom.last_of_and;
    }
    return cell.data;
}

/* The range of an atom one wider or narrower at each end. */
static void mutate_range(struct rcs_mutants *mutants, const struct rcs_table_row *row, const struct rcs_cell *cell,
                         const struct rcs_spec_fact_row *facts, size_t at)
{
    static const int shifts[][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, 1}};
    const struct recourse_atom *atom = &facts->atoms[at].atom;
    const char *kind = atom->kind == RECOURSE_ATOM_HTTP ? "http" : atom->kind == RECOURSE_ATOM_RPC ? "rpc" : "exit";
    const char *between = atom->kind == RECOURSE_ATOM_RPC ? " to " : "-";

    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        long low = (long)atom->low + shifts[i][0];
        long high = (long)atom->high + shifts[i][1];

        if (low < high) {
            rcs_mutate_cell(mutants, row, "when", cell,
                            when_with(mutants, facts, at, rcs_arena_format(mutants->arena, "%s %ld%s%ld", kind, low, between, high)),
                            false);
        } else if (low == high) {
            rcs_mutate_cell(mutants, row, "when", cell,
                            when_with(mutants, facts, at, rcs_arena_format(mutants->arena, "%s %ld", kind, low)), false);
        }
    }
}

/* The atom asked in another way: a text as a word, `is` as `has`, any kind of what it names. */
static void mutate_wording(struct rcs_mutants *mutants, const struct rcs_table_row *row, const struct rcs_cell *cell,
                           const struct rcs_spec_fact_row *facts, size_t at)
{
    static const struct {
        uint8_t kind;
        const char *from, *to;
    } swaps[] = {
        {RECOURSE_ATOM_TEXT, "text ", "word "},          {RECOURSE_ATOM_WORD, "word ", "text "},
        {RECOURSE_ATOM_RESULT_TEXT, " text ", " word "}, {RECOURSE_ATOM_RESULT_WORD, " word ", " text "},
        {RECOURSE_ATOM_JSON_IS, "\" is \"", "\" has \""},    {RECOURSE_ATOM_JSON_HAS, "\" has \"", "\" is \""},
        {RECOURSE_ATOM_RESULT_JSON_IS, "\" is \"", "\" has \""}, {RECOURSE_ATOM_RESULT_JSON_HAS, "\" has \"", "\" is \""},
        {RECOURSE_ATOM_HEADER_IS, "\" is \"", "\" has \""},  {RECOURSE_ATOM_HEADER_HAS, "\" has \"", "\" is \""},
    };
    const char *text = facts->atoms[at].text;

    for (size_t i = 0; i < sizeof swaps / sizeof swaps[0]; i++) {
        const char *found = facts->atoms[at].atom.kind == swaps[i].kind ? strstr(text, swaps[i].from) : NULL;

        if (found != NULL) {
            rcs_mutate_cell(mutants, row, "when", cell,
                            when_with(mutants, facts, at,
                                      rcs_arena_format(mutants->arena, "%.*s%s%s", (int)(found - text), text, swaps[i].to,
                                                       found + strlen(swaps[i].from))),
                            false);
        }
    }
}

void rcs_mutate_when(struct rcs_mutants *mutants, const struct rcs_table_row *row, const struct rcs_cell *cell, size_t index)
{
    const struct rcs_spec_fact_row *facts = &mutants->spec->fact_rows[index];

    for (size_t i = 0; i < facts->atom_count; i++) {
        const struct recourse_atom *atom = &facts->atoms[i].atom;
        bool any = atom->kind == RECOURSE_ATOM_NETWORK || atom->kind == RECOURSE_ATOM_TIMEOUT;

        if (facts->atom_count > 1) {
            rcs_mutate_cell(mutants, row, "when", cell, when_with(mutants, facts, i, NULL), false);
        }
        if (atom->kind == RECOURSE_ATOM_HTTP || atom->kind == RECOURSE_ATOM_RPC || atom->kind == RECOURSE_ATOM_EXIT) {
            mutate_range(mutants, row, cell, facts, i);
        } else if (any && atom->low != 0) {
            rcs_mutate_cell(mutants, row, "when", cell,
                            when_with(mutants, facts, i, atom->kind == RECOURSE_ATOM_NETWORK ? "network" : "timeout"), false);
        } else {
            mutate_wording(mutants, row, cell, facts, i);
        }
    }
}

/* ---- waits ---- */

enum delays_change { DELAY_DROPPED, DELAY_DOUBLED };

static const char *delays_with(const struct rcs_mutants *mutants, const struct rcs_spec_wait *wait, size_t changed,
                               enum delays_change change, const char *tail)
{
    const char *list = "";

    for (size_t i = 0; i < wait->delay_count; i++) {
        uint64_t ms = wait->delays_ms[i];

        if (i == changed && change == DELAY_DROPPED) {
            continue;
        }
        ms = i != changed ? ms : ms == 0 ? 1000 : 2 * ms;
        list = rcs_arena_format(mutants->arena, "%s%s%s", list, *list ? ", " : "", duration(mutants->arena, ms));
    }
    return rcs_arena_format(mutants->arena, "%s%s", list, tail);
}

static void mutate_delays(struct rcs_mutants *mutants, const struct rcs_table_row *row, const struct rcs_cell *cell,
                          const struct rcs_spec_wait *wait)
{
    const char *text = rcs_cell_copy(&mutants->document, cell);
    const char *factor = strstr(text, " x");
    const char *cap = strstr(text, " up to ");
    const char *tail = factor == NULL ? "" : factor;

    for (size_t i = 0; i < wait->delay_count; i++) {
        rcs_mutate_cell(mutants, row, "delays", cell, delays_with(mutants, wait, i, DELAY_DOUBLED, tail), false);
        if (wait->delay_count > 1 && !(wait->grows && i + 1 == wait->delay_count)) {
            rcs_mutate_cell(mutants, row, "delays", cell, delays_with(mutants, wait, i, DELAY_DROPPED, tail), false);
        }
    }
    if (wait->grows) {
        const char *list = rcs_arena_copy(mutants->arena, text, (size_t)(factor - text));

        rcs_mutate_cell(mutants, row, "delays", cell, list, false);
        rcs_mutate_cell(mutants, row, "delays", cell,
                        rcs_arena_format(mutants->arena, "%s x7%s", list, cap == NULL ? "" : cap), false);
    } else if (wait->delays_ms[wait->delay_count - 1] > 0) {
        rcs_mutate_cell(mutants, row, "delays", cell, rcs_arena_format(mutants->arena, "%s x2", text), false);
    }
    if (cap != NULL) {
        rcs_mutate_cell(mutants, row, "delays", cell, rcs_arena_copy(mutants->arena, text, (size_t)(cap - text)), false);
    }
}

static void mutate_server_delay(struct rcs_mutants *mutants, const struct rcs_table_row *row, const struct rcs_cell *cell,
                                const struct rcs_spec_wait *wait)
{
    uint64_t ms = wait->server == RECOURSE_SERVER_IGNORE ? 60000 : wait->server_ms;
    const char *most = duration(mutants->arena, ms);
    const char *twice = duration(mutants->arena, ms * 2);
    const char *plus = wait->server_percent == 0 ? "" : rcs_arena_format(mutants->arena, " plus %u%%", wait->server_percent);
    const char *ends[] = {"else schedule", "else stop"};

    rcs_mutate_cell(mutants, row, "server delay", cell, "ignore", false);
    rcs_mutate_cell(mutants, row, "server delay", cell, "within 5s above schedule", wait->server == RECOURSE_SERVER_IGNORE);
    for (size_t i = 0; i < 2; i++) {
        bool same_end = (wait->server == RECOURSE_SERVER_OBEY_ELSE_STOP) == (i == 1);

        rcs_mutate_cell(mutants, row, "server delay", cell,
                        rcs_arena_format(mutants->arena, "obey up to %s%s, %s", most, plus, ends[i]), false);
        if (wait->server != RECOURSE_SERVER_IGNORE && same_end) {
            rcs_mutate_cell(mutants, row, "server delay", cell,
                            rcs_arena_format(mutants->arena, "obey up to %s%s, %s", twice, plus, ends[i]), false);
            rcs_mutate_cell(mutants, row, "server delay", cell, /* examples give delays before jitter */
                            rcs_arena_format(mutants->arena, "obey up to %s%s, %s", most, *plus ? "" : " plus 10%", ends[i]),
                            true);
        }
    }
}

/* ---- what calls share ---- */

/* A number in a cell one more and one less, whatever stands around it. */
static void mutate_number(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                          const struct rcs_cell *cell)
{
    const char *text = rcs_cell_copy(&mutants->document, cell);
    size_t before = strcspn(text, "0123456789");
    size_t digits = strspn(text + before, "0123456789");
    unsigned long number = strtoul(text + before, NULL, 10);

    for (int less = 0; digits > 0 && digits < 9 && less < 2; less++) {
        if (less == 0 || number > 0) {
            rcs_mutate_cell(mutants, row, column, cell,
                            rcs_arena_format(mutants->arena, "%.*s%lu%s", (int)before, text,
                                             less == 0 ? number + 1 : number - 1, text + before + digits),
                            true);
        }
    }
}

/* All of it is declared: an example is one call, and these speak of many. */
void rcs_mutate_shared(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                       const struct rcs_cell *cell)
{
    static const char *const sharers[] = {"runner", "server", "tool"};

    for (size_t i = 0; strcmp(column, "shared by") == 0 && i < 3; i++) {
        rcs_mutate_cell(mutants, row, column, cell, sharers[i], true);
    }
    if (strcmp(column, "counts") == 0) {
        rcs_mutate_list(mutants, row, column, cell, true);
        for (size_t i = 0; i < mutants->spec->failure_count; i++) {
            rcs_mutate_cell(mutants, row, column, cell, mutants->spec->failures[i].name, true);
        }
        return;
    }
    mutate_number(mutants, row, column, cell);
    if (strcmp(column, "a wait needs") == 0 || strcmp(column, "a failure takes") == 0 ||
        strcmp(column, "an ok gives back") == 0) {
        rcs_mutate_cell(mutants, row, column, cell, "-", true);
    }
}

/* Whether a wait draws on a budget, examples say with `!budget`; how much, and on which, they can't. */
static void mutate_cost(struct rcs_mutants *mutants, const struct rcs_table_row *row, const struct rcs_cell *cell,
                        const struct rcs_spec_wait *wait)
{
    mutate_number(mutants, row, "cost", cell);
    rcs_mutate_cell(mutants, row, "cost", cell, "-", false);
    for (size_t i = 0; i < mutants->spec->budget_count; i++) {
        rcs_mutate_cell(mutants, row, "cost", cell,
                        rcs_arena_format(mutants->arena, "%u of %s", wait->budget == RECOURSE_NONE ? 1 : wait->cost,
                                         mutants->spec->budgets[i].budget.id),
                        wait->budget != RECOURSE_NONE);
    }
}

void rcs_mutate_wait(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                     const struct rcs_cell *cell, const struct rcs_spec_wait *wait)
{
    static const char *const jitters[] = {"none", "full", "equal", "plus 25%", "minus 25%", "within 20%"};
    static const char *const hows[] = {"again", "in a new session"};

    if (strcmp(column, "delays") == 0) {
        mutate_delays(mutants, row, cell, wait);
    } else if (strcmp(column, "counts") == 0) {
        rcs_mutate_cell(mutants, row, column, cell, wait->by_uses ? "tries" : "uses", false);
    } else if (strcmp(column, "server delay") == 0) {
        mutate_server_delay(mutants, row, cell, wait);
    } else if (strcmp(column, "cost") == 0) {
        mutate_cost(mutants, row, cell, wait);
    } else if (strcmp(column, "times") == 0) {
        rcs_mutate_cell(mutants, row, column, cell, wait->times == 0 ? "1" : "-", false);
        rcs_mutate_cell(mutants, row, column, cell, rcs_arena_format(mutants->arena, "%u", wait->times + 1u), false);
    }
    for (size_t i = 0; strcmp(column, "jitter") == 0 && i < sizeof jitters / sizeof jitters[0]; i++) {
        rcs_mutate_cell(mutants, row, column, cell, jitters[i], true); /* likewise */
    }
    for (size_t i = 0; strcmp(column, "how") == 0 && i < 2; i++) {
        rcs_mutate_cell(mutants, row, column, cell, hows[i], true);
    }
}
