/*
 * Which failures of two policies go together. Conditions never say `not`, so facts that meet two groups of them, and as
 * little else as possible, meet no earlier row that any other such facts would pass: if two failures go together at all, these
 * facts show it. They are made, and both models are asked. Texts are put on lines of their own; where a policy tells words
 * from parts of words, they are tried inside longer words as well.
 */
#include <string.h>

#include "gen/diff.h"
#include "gen/index.h"
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

/* By which change facts came to two failures that differ. */
struct seen {
    struct {
        uint16_t events[2];
        uint16_t rows[2], groups[2]; /* the conditions, if the other policy has none that reads so; else RECOURSE_NONE */
    } key;
    size_t way;
};

struct search {
    struct rcs_arena *arena;
    struct rcs_arena scratch; /* of one sample */
    struct rcs_spec specs[2];
    struct rcs_facts_pairs *found;
    struct rcs_index seen; /* struct seen */
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

/* The first condition of a row that holds: its first atom; where the next one begins in `*end`. */
static size_t group_that_holds(const struct rcs_spec *spec, const struct rcs_spec_fact_row *row,
                               const struct recourse_facts *facts, size_t *end)
{
    bool holds = true;
    size_t begin = 0;

    for (size_t a = 0; a < row->atom_count; a++) {
        holds = holds && rcs_model_holds(spec->arena, facts, &row->atoms[a].atom);
        if (row->atoms[a].atom.last_of_and) {
            if (holds) {
                *end = a + 1;
                return begin;
            }
            holds = true;
            begin = a + 1;
        }
    }
    *end = begin;
    return begin;
}

/* Whether some row for a failure of that name has the atoms [begin, end) of another policy's row as one condition. */
static bool has_group(const struct rcs_spec *spec, const char *failure, const struct rcs_spec_fact_row *row, size_t begin,
                      size_t end)
{
    for (size_t i = 0; i < spec->fact_row_count; i++) {
        const struct rcs_spec_fact_row *own = &spec->fact_rows[i];
        size_t same = 0;

        if (strcmp(spec->failures[own->failure].name, failure) != 0) {
            continue;
        }
        for (size_t a = 0; a < own->atom_count; a++) {
            bool fits = begin + same < end && strcmp(own->atoms[a].text, row->atoms[begin + same].text) == 0;

            same = fits ? same + 1 : end - begin + 1; /* too many: this one is another */
            if (own->atoms[a].atom.last_of_and) {
                if (same == end - begin) {
                    return true;
                }
                same = 0;
            }
        }
    }
    return false;
}

/* Puts down the condition that decides for one of the policies, if the other has none like it. */
static bool note_group(const struct search *search, int side, uint16_t number, const struct recourse_facts *facts,
                       struct seen *seen)
{
    const struct rcs_spec *spec = &search->specs[side];
    const struct rcs_spec_fact_row *row = number == RECOURSE_NONE ? NULL : &spec->fact_rows[number];
    size_t begin;
    size_t end;

    if (row == NULL) {
        return false;
    }
    begin = group_that_holds(spec, row, facts, &end);
    if (has_group(&search->specs[1 - side], spec->failures[row->failure].name, row, begin, end)) {
        return false;
    }
    seen->key.rows[side] = number;
    seen->key.groups[side] = (uint16_t)begin;
    return true;
}

/* Each condition that takes facts for a failure of another name stands for itself, with the shortest facts that show it. */
static void keep_way(struct search *search, const struct rcs_facts_pair *pair, const struct recourse_facts *facts)
{
    const char *text = rcs_sample_text(&search->scratch, facts);
    struct rcs_facts_pairs *found = search->found;
    struct rcs_facts_pair *way;
    struct seen seen;
    struct seen *own;
    bool fresh;

    memset(&seen, 0, sizeof seen);
    memset(seen.key.rows, 0xff, sizeof seen.key.rows);
    memset(seen.key.groups, 0xff, sizeof seen.key.groups);
    seen.key.events[0] = pair->old_event;
    seen.key.events[1] = pair->new_event;
    if (!note_group(search, 1, pair->new_row, facts, &seen)) {
        note_group(search, 0, pair->old_row, facts, &seen);
    }
    own = rcs_index_at(&search->seen, rcs_index_put(&search->seen, &seen.key, &fresh));
    if (fresh) {
        own->way = found->way_count;
        rcs_arena_push(search->arena, &found->ways, &found->way_count, sizeof *pair);
    } else if (strlen(text) >= strlen(found->ways[own->way].facts)) {
        return;
    }
    way = &found->ways[own->way];
    *way = *pair;
    way->facts = rcs_arena_copy(search->arena, text, strlen(text));
}

/* Keeps failures that go together for the first time. */
static void keep_pair(struct search *search, const struct rcs_facts_pair *pair, const struct recourse_facts *facts)
{
    struct rcs_facts_pairs *found = search->found;
    struct rcs_facts_pair *own;

    for (size_t i = 0; i < found->count; i++) {
        if (found->items[i].old_event == pair->old_event && found->items[i].new_event == pair->new_event) {
            return;
        }
    }
    own = rcs_arena_push(search->arena, &found->items, &found->count, sizeof *own);
    *own = *pair;
    own->facts = rcs_sample_text(search->arena, facts);
}

/* Asks both policies. Returns whether both took the facts for a success. */
static bool judge(struct search *search, const struct recourse_facts *facts)
{
    struct rcs_facts_pair pair = {.facts = NULL};

    search->samples++;
    pair.old_row = rcs_model_classify(&search->specs[0], facts);
    pair.new_row = rcs_model_classify(&search->specs[1], facts);
    pair.old_event = event_of(&search->specs[0], pair.old_row);
    pair.new_event = event_of(&search->specs[1], pair.new_row);
    keep_pair(search, &pair, facts);
    if (strcmp(rcs_spec_event_name(&search->specs[0], pair.old_event), rcs_spec_event_name(&search->specs[1], pair.new_event)) !=
        0) {
        keep_way(search, &pair, facts);
    }
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

void rcs_diff_facts(struct rcs_arena *arena, const struct rcs_spec *old_spec, const struct rcs_spec *new_spec,
                    struct rcs_facts_pairs *found)
{
    struct search search = {.arena = arena, .specs = {*old_spec, *new_spec}, .found = found};
    struct groups groups[2] = {{NULL, 0}, {NULL, 0}};

    memset(found, 0, sizeof *found);
    search.seen = (struct rcs_index){
        .arena = arena, .key_size = sizeof ((struct seen *)0)->key, .item_size = sizeof(struct seen)};
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
}
