/*
 * Which failures of two policies go together. Conditions never say `not`, so facts that meet two groups of them, and as
 * little else as possible, meet no earlier row that any other such facts would pass: if two failures go together at all, these
 * facts show it. They are made, and both models are asked. Texts are put on lines of their own; where a policy tells words
 * from parts of words, they are tried inside longer words as well.
 */
#include <string.h>

#include "gen/diff.h"
#include "gen/sample.h"

#define SAMPLES_MAX 400000u

/* Some conditions joined by `and`: `count` atoms, none for an answer that is ok. */
struct group {
    const struct rcs_spec_atom *atoms;
    size_t count;
    bool result; /* about an answer that claims success */
};

struct groups {
    struct group *items;
    size_t count;
};

/* What `low` and `high` of a kind of atom can be told apart by: the first number of each piece. */
struct numbers {
    int64_t *items;
    size_t count;
};

struct search {
    struct rcs_arena *arena;
    struct rcs_arena scratch; /* of one sample */
    struct rcs_spec specs[2];
    struct rcs_facts_pair **pairs;
    size_t pair_count;
    struct numbers http, rpc, exits;
    bool words; /* some condition asks for a word */
    const char **names; /* of tools */
    size_t name_count;
    size_t samples;
};

/* ---- what there is ---- */

static void add_groups(struct rcs_arena *arena, const struct rcs_spec *spec, struct groups *groups)
{
    struct group *group;

    for (size_t i = 0; i < spec->fact_row_count; i++) {
        const struct rcs_spec_fact_row *row = &spec->fact_rows[i];
        size_t begin = 0;
        bool result = false;

        for (size_t a = 0; a < row->atom_count; a++) {
            result = result || rcs_model_is_result(row->atoms[a].atom.kind);
            if (row->atoms[a].atom.last_of_and) {
                group = rcs_arena_push(arena, &groups->items, &groups->count, sizeof *group);
                *group = (struct group){row->atoms + begin, a + 1 - begin, result};
                begin = a + 1;
                result = false;
            }
        }
    }
    rcs_arena_push(arena, &groups->items, &groups->count, sizeof *group); /* ok */
}

static void add_number(struct search *search, struct numbers *numbers, int64_t number)
{
    for (size_t i = 0; i < numbers->count; i++) {
        if (numbers->items[i] == number) {
            return;
        }
    }
    *(int64_t *)rcs_arena_push(search->arena, &numbers->items, &numbers->count, sizeof number) = number;
}

static void add_name(struct search *search, const char *name, const char *more)
{
    size_t length = strlen(name);

    length -= length > 0 && name[length - 1] == '*';
    *(const char **)rcs_arena_push(search->arena, &search->names, &search->name_count, sizeof name) =
        rcs_arena_format(search->arena, "%.*s%s", (int)length, name, more);
}

static void look_at_atom(struct search *search, const struct recourse_atom *atom)
{
    struct numbers *numbers = atom->kind == RECOURSE_ATOM_HTTP   ? &search->http
                              : atom->kind == RECOURSE_ATOM_RPC  ? &search->rpc
                              : atom->kind == RECOURSE_ATOM_EXIT ? &search->exits
                                                                 : NULL;

    if (numbers != NULL) {
        add_number(search, numbers, atom->low);
        add_number(search, numbers, atom->high + 1);
    }
    search->words = search->words || atom->kind == RECOURSE_ATOM_WORD || atom->kind == RECOURSE_ATOM_RESULT_WORD;
    if (atom->kind == RECOURSE_ATOM_TOOL) {
        add_name(search, atom->value, "");
        add_name(search, atom->value, "x");
    }
}

/* ---- the search ---- */

static uint16_t event_of(const struct rcs_spec *spec, uint16_t row)
{
    return row == RECOURSE_NONE ? (uint16_t)RECOURSE_EVENT_OK
                                : (uint16_t)(RECOURSE_EVENT_FAILURE + spec->fact_rows[row].failure);
}

/* Asks both policies. Returns whether both took the facts for a success. */
static bool judge(struct search *search, const struct recourse_facts *facts)
{
    struct rcs_facts_pair pair = {.facts = NULL};
    struct rcs_facts_pair *own;

    search->samples++;
    pair.old_row = rcs_model_classify(&search->specs[0], facts);
    pair.new_row = rcs_model_classify(&search->specs[1], facts);
    pair.old_event = event_of(&search->specs[0], pair.old_row);
    pair.new_event = event_of(&search->specs[1], pair.new_row);
    for (size_t i = 0; i < search->pair_count; i++) {
        own = &(*search->pairs)[i];
        if (own->old_event == pair.old_event && own->new_event == pair.new_event) {
            return pair.old_row == RECOURSE_NONE && pair.new_row == RECOURSE_NONE;
        }
    }
    pair.facts = rcs_sample_text(search->arena, facts);
    own = rcs_arena_push(search->arena, search->pairs, &search->pair_count, sizeof *own);
    *own = pair;
    return pair.old_row == RECOURSE_NONE && pair.new_row == RECOURSE_NONE;
}

/* Facts of one choice; where they turn out to be no failure, though one is wanted, something is added that makes them one. */
static void try_choice(struct search *search, const struct rcs_wanted *wanted, struct rcs_choice choice)
{
    bool success = true;

    for (choice.carrier = 0; choice.carrier < RCS_CARRIER_COUNT && success; choice.carrier++) {
        struct recourse_facts facts;

        if (!rcs_sample_make(&search->scratch, wanted, &choice, &facts)) {
            break;
        }
        success = judge(search, &facts) && !wanted->result && wanted->count > 0;
    }
    rcs_arena_clear(&search->scratch);
}

static bool fits_number(const struct rcs_wanted *wanted, uint8_t kind, int64_t number)
{
    for (size_t i = 0; i < wanted->count; i++) {
        if (wanted->atoms[i]->kind == kind && (number < wanted->atoms[i]->low || number > wanted->atoms[i]->high)) {
            return false;
        }
    }
    return true;
}

static bool fits_kind(const struct rcs_wanted *wanted, uint8_t kind, unsigned number)
{
    for (size_t i = 0; i < wanted->count; i++) {
        if (wanted->atoms[i]->kind == kind && wanted->atoms[i]->low != 0 && wanted->atoms[i]->low != number) {
            return false;
        }
    }
    return true;
}

static bool fits_name(const struct rcs_wanted *wanted, const char *name)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const char *value = wanted->atoms[i]->value;
        size_t length = wanted->atoms[i]->kind == RECOURSE_ATOM_TOOL ? strlen(value) : 0;
        bool open = length > 0 && value[length - 1] == '*';

        if (length > 0 && (open ? strncmp(name, value, length - 1) : strcmp(name, value)) != 0) {
            return false;
        }
    }
    return true;
}

/* What is left to choose, one thing after the other. */
enum thing { THING_HTTP, THING_RPC, THING_EXIT, THING_NETWORK, THING_TIMEOUT, THING_TOOL, THING_AROUND, THING_NONE };

static void choose(struct search *search, const struct rcs_wanted *wanted, enum thing thing, struct rcs_choice choice);

static void choose_number(struct search *search, const struct rcs_wanted *wanted, enum thing thing,
                          struct rcs_choice choice)
{
    static const uint8_t kinds[] = {RECOURSE_ATOM_HTTP, RECOURSE_ATOM_RPC, RECOURSE_ATOM_EXIT};
    const struct numbers *numbers[] = {&search->http, &search->rpc, &search->exits};

    if (!rcs_wants(wanted, kinds[thing])) {
        choose(search, wanted, thing + 1, choice);
        return;
    }
    for (size_t i = 0; i < numbers[thing]->count; i++) {
        int64_t number = numbers[thing]->items[i];

        if (!fits_number(wanted, kinds[thing], number)) {
            continue;
        }
        choice.has_rpc = choice.has_rpc || thing == THING_RPC;
        *(thing == THING_HTTP ? &choice.http : thing == THING_RPC ? &choice.rpc : &choice.exit_status) = number;
        choice.phrase = choice.phrase || thing == THING_HTTP;
        choose(search, wanted, thing + 1, choice);
        if (thing == THING_HTTP) {
            choice.phrase = false;
            choose(search, wanted, thing + 1, choice);
        }
    }
}

static void choose_kind(struct search *search, const struct rcs_wanted *wanted, enum thing thing, struct rcs_choice choice)
{
    uint8_t kind = thing == THING_NETWORK ? RECOURSE_ATOM_NETWORK : RECOURSE_ATOM_TIMEOUT;
    unsigned count = thing == THING_NETWORK ? RECOURSE_NETWORK_COUNT : RECOURSE_TIMEOUT_COUNT;

    if (!rcs_wants(wanted, kind)) {
        choose(search, wanted, thing + 1, choice);
        return;
    }
    for (unsigned number = 1; number < count; number++) {
        if (fits_kind(wanted, kind, number)) {
            *(thing == THING_NETWORK ? &choice.network : &choice.timeout) = (uint8_t)number;
            choose(search, wanted, thing + 1, choice);
        }
    }
}

static void choose_name(struct search *search, const struct rcs_wanted *wanted, struct rcs_choice choice)
{
    if (!rcs_wants(wanted, RECOURSE_ATOM_TOOL)) {
        choose(search, wanted, THING_AROUND, choice);
        return;
    }
    for (size_t i = 0; i < search->name_count; i++) {
        if (fits_name(wanted, search->names[i])) {
            choice.tool = search->names[i];
            choose(search, wanted, THING_AROUND, choice);
        }
    }
}

static void choose(struct search *search, const struct rcs_wanted *wanted, enum thing thing, struct rcs_choice choice)
{
    static const char *const around[] = {"", "_", "q", "7"};

    if (search->samples > SAMPLES_MAX) {
        return;
    }
    switch (thing) {
    case THING_HTTP:
    case THING_RPC:
    case THING_EXIT:
        choose_number(search, wanted, thing, choice);
        break;
    case THING_NETWORK:
    case THING_TIMEOUT:
        choose_kind(search, wanted, thing, choice);
        break;
    case THING_TOOL:
        choose_name(search, wanted, choice);
        break;
    case THING_AROUND:
        for (size_t i = 0; i < (search->words ? sizeof around / sizeof *around : 1); i++) {
            choice.around = around[i];
            try_choice(search, wanted, choice);
        }
        break;
    case THING_NONE:
        break;
    }
}

static void add_wanted(struct rcs_wanted *wanted, const struct group *group)
{
    for (size_t i = 0; i < group->count && wanted->count < RCS_SAMPLE_ATOMS_MAX; i++) {
        wanted->atoms[wanted->count++] = &group->atoms[i].atom;
    }
    wanted->result = wanted->result || group->result;
}

size_t rcs_diff_facts(struct rcs_arena *arena, const struct rcs_spec *old_spec, const struct rcs_spec *new_spec,
                      struct rcs_facts_pair **pairs)
{
    struct search search = {.arena = arena, .specs = {*old_spec, *new_spec}, .pairs = pairs};
    struct groups groups[2] = {{NULL, 0}, {NULL, 0}};

    *pairs = NULL;
    for (int side = 0; side < 2; side++) {
        search.specs[side].arena = &search.scratch;
        add_groups(arena, &search.specs[side], &groups[side]);
        for (size_t i = 0; i < groups[side].count; i++) {
            for (size_t a = 0; a < groups[side].items[i].count; a++) {
                look_at_atom(&search, &groups[side].items[i].atoms[a].atom);
            }
        }
    }
    for (size_t i = 0; i < groups[0].count; i++) {
        for (size_t j = 0; j < groups[1].count; j++) {
            const struct group *both[2] = {&groups[0].items[i], &groups[1].items[j]};
            struct rcs_wanted wanted = {.count = 0};

            if (both[0]->count > 0 && both[1]->count > 0 && both[0]->result != both[1]->result) {
                continue; /* no answer both claims success and does not */
            }
            add_wanted(&wanted, both[0]);
            add_wanted(&wanted, both[1]);
            choose(&search, &wanted, THING_HTTP, (struct rcs_choice){.http = -1, .exit_status = -1});
        }
    }
    return search.pair_count;
}
