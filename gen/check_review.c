/* What a good reviewer would ask about: waits that end together, words with two meanings, texts that claim too much. */
#include <string.h>

#include "gen/check.h"

static const char *format_list(struct rcs_arena *arena, const char *list, const char *item)
{
    return rcs_arena_format(arena, "%s%s%s", list, *list ? ", " : "", item);
}

/* ---- waits of many callers that end together ---- */

/* Whether a condition speaks of a server that has trouble with all of its callers at once. */
static bool is_shared_trouble(const struct recourse_atom *atom)
{
    switch ((enum recourse_atom_kind)atom->kind) {
    case RECOURSE_ATOM_HTTP:
        return atom->high >= 500 || (atom->low <= 429 && atom->high >= 429);
    case RECOURSE_ATOM_NETWORK:
    case RECOURSE_ATOM_TIMEOUT:
        return true;
    case RECOURSE_ATOM_TEXT:
    case RECOURSE_ATOM_WORD:
        return strcasestr(atom->value, "rate limit") != NULL || strcmp(atom->value, "429") == 0 ||
               strcasestr(atom->value, "too many requests") != NULL;
    default:
        return false;
    }
}

static bool befalls_many(const struct rcs_spec *spec, uint16_t failure)
{
    for (size_t r = 0; r < spec->fact_row_count; r++) {
        for (size_t a = 0; a < spec->fact_rows[r].atom_count && spec->fact_rows[r].failure == failure; a++) {
            if (is_shared_trouble(&spec->fact_rows[r].atoms[a].atom)) {
                return true;
            }
        }
    }
    return false;
}

/* The first run that waits by `wait` after a failure that befalls many. */
static const char *shared_wait(const struct rcs_check *check, uint16_t wait, uint16_t *row, uint16_t *event)
{
    const struct rcs_machine *machine = check->machine;
    struct rcs_case at;

    for (uint16_t state = 0; state < machine->state_count; state++) {
        for (unsigned i = 0; i < machine->symbol_count; i++) {
            unsigned symbol = rcs_symbol_ordered(check->spec, i);
            const struct recourse_move *move = &machine->moves[state * machine->symbol_count + symbol];

            if (!rcs_case_reachable(machine, state, symbol) || move->row == RECOURSE_NONE ||
                check->spec->rows[move->row].wait != wait || machine->states[move->state].place != RECOURSE_BACKOFF) {
                continue;
            }
            rcs_symbol_case(check->spec, machine->states[state].place, (uint8_t)symbol, &at);
            if (befalls_many(check->spec, (uint16_t)(at.event - RECOURSE_EVENT_FAILURE))) {
                *row = move->row;
                *event = at.event;
                return rcs_witness(machine, state, symbol);
            }
        }
    }
    return NULL;
}

static void find_no_jitter(const struct rcs_check *check, uint16_t index)
{
    const struct rcs_spec *spec = check->spec;
    const struct rcs_spec_wait *wait = &spec->waits[index];
    bool obeys = wait->server == RECOURSE_SERVER_OBEY_ELSE_SCHEDULE || wait->server == RECOURSE_SERVER_OBEY_ELSE_STOP;
    bool waits = false;
    const char *witness;
    uint16_t row = 0;
    uint16_t event = 0;

    for (size_t i = 0; i < wait->delay_count; i++) {
        waits = waits || wait->delays_ms[i] > 0;
    }
    waits = waits && wait->jitter == RECOURSE_JITTER_NONE;
    obeys = obeys && wait->server_percent == 0;
    witness = waits || obeys ? shared_wait(check, index, &row, &event) : NULL;
    if (witness != NULL) {
        rcs_find(check->findings, RCS_NOTICE, "no-jitter", wait->place, spec->rows[row].id, witness,
                 "'%s' befalls many callers of a server at once, and by wait '%s' they come back at the same moment; %s",
                 rcs_spec_event_name(spec, event), wait->id,
                 waits ? "give it jitter" : "obey the server with 'plus 10%', say");
    }
}

/* ---- one word in several roles ---- */

enum role { ROLE_EVENT, ROLE_STATE, ROLE_FAILURE, ROLE_SCENARIO, ROLE_WAIT, ROLE_MESSAGE, ROLE_COUNT };

static const char *name_in_role(const struct rcs_spec *spec, enum role role, size_t index, struct rcs_place *place)
{
    switch (role) {
    case ROLE_EVENT:
        return index < RECOURSE_EVENT_FAILURE ? rcs_spec_event_name(spec, (uint16_t)index) : NULL;
    case ROLE_STATE:
        return index < RECOURSE_PLACE_COUNT ? recourse_place_name((uint8_t)index) : NULL;
    case ROLE_FAILURE:
        *place = index < spec->failure_count ? spec->failures[index].place : *place;
        return index < spec->failure_count ? spec->failures[index].name : NULL;
    case ROLE_SCENARIO: /* `ok` means the same as the event */
        *place = index + 1 < spec->scenario_count ? spec->scenarios[index + 1].place : *place;
        return index + 1 < spec->scenario_count ? spec->scenarios[index + 1].label : NULL;
    case ROLE_WAIT:
        *place = index < spec->wait_count ? spec->waits[index].place : *place;
        return index < spec->wait_count ? spec->waits[index].id : NULL;
    case ROLE_MESSAGE:
        *place = index < spec->message_count ? spec->messages[index].place : *place;
        return index < spec->message_count ? spec->messages[index].id : NULL;
    case ROLE_COUNT:
        break;
    }
    return NULL;
}

/* The roles that a word has, as bits. */
static unsigned roles_of(const struct rcs_spec *spec, const char *word)
{
    struct rcs_place place;
    unsigned roles = 0;
    const char *name;

    for (enum role role = 0; role < ROLE_COUNT; role++) {
        for (size_t i = 0; (name = name_in_role(spec, role, i, &place)) != NULL; i++) {
            roles |= strcmp(name, word) == 0 ? 1u << role : 0;
        }
    }
    return roles;
}

static void find_roles(const struct rcs_check *check)
{
    static const char *const words[ROLE_COUNT] = {"an event", "a state", "a failure", "a scenario", "a wait", "a message"};
    const unsigned pair = 1u << ROLE_SCENARIO | 1u << ROLE_MESSAGE; /* a scenario's own message may be called after it */
    struct rcs_arena *arena = check->findings->arena;
    struct rcs_place place = {0, 0};
    const char *name;

    for (enum role role = ROLE_FAILURE; role < ROLE_COUNT; role++) {
        for (size_t i = 0; (name = name_in_role(check->spec, role, i, &place)) != NULL; i++) {
            unsigned roles = roles_of(check->spec, name);
            const char *list = "";

            if ((roles & (roles - 1)) == 0 || roles == pair || (roles >> (role + 1)) != 0) {
                continue; /* it is told of where it stands last */
            }
            for (enum role other = 0; other < ROLE_COUNT; other++) {
                list = (roles & 1u << other) ? format_list(arena, list, words[other]) : list;
            }
            rcs_find(check->findings, RCS_NOTICE, "several-roles", place, NULL, NULL,
                     "'%s' names several things (%s): whoever reads it in a log or a review can take one for another", name,
                     list);
        }
    }
}

/* ---- texts that say of the tool what can't be so ---- */

static const char *const claims[] = {"taken effect", "took effect", "have acted", "has acted", "have done", "has done",
                                     "been done", "been run", "was executed", "been executed", "went through"};
static const char *const denials[] = {"was not run", "not been run", "never run", "nothing was done", "did nothing",
                                      "no effect", "not executed", "never executed"};

static const char *phrase_in(const char *text, const char *const *phrases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcasestr(text, phrases[i]) != NULL) {
            return phrases[i];
        }
    }
    return NULL;
}

/* What the runs that end by a row may have done. */
struct ends {
    const char *acted;   /* words of the first in which the tool may have acted; NULL: none */
    const char *never;   /* words of the first in which it can't have */
    bool untouched;      /* in all of them it was never run */
};

static void look_at_end(const struct rcs_check *check, uint16_t state, unsigned symbol, struct ends *ends)
{
    const struct rcs_machine *machine = check->machine;
    const struct recourse_move *move = &machine->moves[state * machine->symbol_count + symbol];
    const struct rcs_history *history = &machine->states[state];
    struct rcs_case at;

    if (!rcs_case_reachable(machine, state, symbol) || move->row == RECOURSE_NONE) {
        return;
    }
    ends += move->row;
    rcs_symbol_case(check->spec, history->place, (uint8_t)symbol, &at);
    if (history->acted || (history->place == RECOURSE_ATTEMPT && at.acted_now)) {
        ends->acted = ends->acted != NULL ? ends->acted : rcs_witness(machine, state, symbol);
    } else {
        ends->untouched = (ends->never == NULL || ends->untouched) && history->tries == 0;
        ends->never = ends->never != NULL ? ends->never : rcs_witness(machine, state, symbol);
    }
}

/* `in` is what the phrase stands in. */
static void judge_text(const struct rcs_check *check, const struct rcs_spec_row *row, const struct ends *ends,
                       const char *in, const char *text)
{
    const char *phrase = phrase_in(text, claims, sizeof claims / sizeof claims[0]);

    if (phrase != NULL && ends->acted == NULL && ends->never != NULL) {
        rcs_find(check->findings, RCS_WARNING, "false-claim", row->message_place, row->id, ends->never,
                 "row %s: %s says '%s' of a call %s", row->id, in, phrase,
                 ends->untouched ? "that was never run" : "in which nothing can have been done");
    }
    phrase = phrase_in(text, denials, sizeof denials / sizeof denials[0]);
    if (phrase != NULL && ends->acted != NULL) {
        rcs_find(check->findings, RCS_WARNING, "false-claim", row->message_place, row->id, ends->acted,
                 "row %s: %s says '%s' of a call that may have acted", row->id, in, phrase);
    }
}

static void find_false_claims(const struct rcs_check *check)
{
    const struct rcs_spec *spec = check->spec;
    struct ends *ends = rcs_arena_alloc(check->findings->arena, (spec->row_count + 1) * sizeof *ends);

    for (uint16_t state = 0; state < check->machine->state_count; state++) {
        for (unsigned i = 0; i < check->machine->symbol_count; i++) {
            look_at_end(check, state, rcs_symbol_ordered(check->spec, i), ends);
        }
    }
    for (size_t i = 0; i < spec->row_count; i++) {
        const struct rcs_spec_row *row = &spec->rows[i];

        if (row->next != RCS_NEXT_REPORTED || row->message == RECOURSE_NONE || row->scenario == RECOURSE_NONE) {
            continue;
        }
        judge_text(check, row, &ends[i], "the message", spec->messages[row->message].text);
        if (spec->scenarios[row->scenario].reminder == RECOURSE_REMINDER_YES) {
            judge_text(check, row, &ends[i], "the reminder", spec->settings.reminder);
        }
    }
}

void rcs_check_review(const struct rcs_check *check)
{
    for (uint16_t i = 0; i < check->spec->wait_count; i++) {
        find_no_jitter(check, i);
    }
    find_roles(check);
    find_false_claims(check);
}
