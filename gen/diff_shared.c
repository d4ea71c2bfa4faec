/*
 * Budgets and breakers by the run of one call: a call alone, whose budgets are full and whose breakers are closed at first,
 * goes as far as its tries allow. Where one policy then refuses a wait, or opens a breaker, and the other does not, that is
 * the run to show. What only many calls together come to has none.
 */
#include <string.h>

#include "gen/diff.h"
#include "gen/index.h"

#define SPOTS_MAX 20000u
#define NO_PARENT UINT32_MAX
enum { OLD = 0, NEW = 1 };

struct spot {
    struct {
        struct rcs_spot spots[2];
        uint32_t tokens[2][RECOURSE_BUDGETS_MAX];
        uint16_t counted[2][RECOURSE_BREAKERS_MAX];
        uint64_t least_ms[2]; /* of the waits so far */
        bool safe;            /* the tool, to both */
    } key;
    uint32_t parent;
    uint16_t letter; /* events[] */
};

/* What one step comes to on one side. */
struct outcome {
    struct rcs_letter letter;
    struct rcs_turn turn;
    bool refused;    /* by the budget of its wait */
    uint16_t opened; /* the breaker that lets no next try begin, or RECOURSE_NONE */
};

struct search {
    struct rcs_arena *arena;
    struct rcs_diff *diff;
    struct rcs_turns turns[2];
    const struct rcs_facts_pairs *pairs;
    struct rcs_index spots;
};

static const struct spot *spot_at(const struct search *search, size_t number)
{
    return rcs_index_at(&search->spots, number);
}

static struct rcs_letter letter_of(const struct search *search, uint16_t number, int side, bool safe)
{
    const struct rcs_facts_pair *pair = &search->pairs->items[number];
    struct rcs_letter letter = {.event = side == OLD ? pair->old_event : pair->new_event, .safe = true, .acted = true};

    if (letter.event >= RECOURSE_EVENT_FAILURE) {
        letter.acted = search->turns[side].spec->failures[letter.event - RECOURSE_EVENT_FAILURE].effect != RECOURSE_EFFECT_NONE;
        letter.safe = !letter.acted || safe;
    }
    return letter;
}

/* ---- one step ---- */

/* A failure takes first; then the wait begins if there is enough. */
static void draw(const struct search *search, int side, uint32_t *tokens, const struct rcs_spot *from, struct outcome *out)
{
    const struct rcs_spec *spec = search->turns[side].spec;
    const struct rcs_spec_wait *wait = &spec->waits[out->turn.wait];
    const struct recourse_budget *budget;
    uint32_t *left;

    if (wait->budget == RECOURSE_NONE) {
        return;
    }
    budget = &spec->budgets[wait->budget].budget;
    left = &tokens[wait->budget];
    *left -= budget->takes < *left ? budget->takes : *left;
    if (*left >= budget->needs && *left >= wait->cost) {
        *left -= wait->cost;
        return;
    }
    out->refused = true;
    out->letter.no_budget = true;
    rcs_turn_take(&search->turns[side], from, &out->letter, &out->turn);
}

static void count(const struct search *search, int side, uint16_t *counted, uint64_t least_ms, struct outcome *out)
{
    const struct rcs_spec *spec = search->turns[side].spec;

    for (size_t i = 0; i < spec->breaker_count; i++) {
        const struct recourse_breaker *breaker = &spec->breakers[i].breaker;
        bool counts = (breaker->counts >> (out->letter.event - RECOURSE_EVENT_FAILURE) & 1u) != 0;

        counted[i] = counts ? (uint16_t)(counted[i] + 1) : breaker->within_ms == 0 ? 0 : counted[i];
        if (out->opened == RECOURSE_NONE && counts && counted[i] >= breaker->opens_after &&
            (breaker->within_ms == 0 || least_ms <= breaker->within_ms)) {
            out->opened = (uint16_t)i;
        }
    }
}

static bool step(const struct search *search, int side, struct spot *spot, uint16_t letter, struct outcome *out)
{
    const struct rcs_spot from = spot->key.spots[side];
    uint64_t least;
    uint64_t most;

    memset(out, 0, sizeof *out);
    out->opened = RECOURSE_NONE;
    out->letter = letter_of(search, letter, side, spot->key.safe);
    rcs_turn_take(&search->turns[side], &from, &out->letter, &out->turn);
    if (out->turn.row == RECOURSE_NONE || !out->turn.waits || out->letter.event < RECOURSE_EVENT_FAILURE) {
        return false;
    }
    count(search, side, spot->key.counted[side], spot->key.least_ms[side], out);
    draw(search, side, spot->key.tokens[side], &from, out);
    if (out->turn.waits) {
        rcs_turn_bounds(&search->turns[side], &out->turn, &least, &most);
        spot->key.least_ms[side] = rcs_add_ms(spot->key.least_ms[side], least);
        spot->key.spots[side] = out->turn.next;
    }
    return true;
}

/* ---- what it shows ---- */

static void add_word(const struct search *search, struct rcs_diff_side *side, struct rcs_word word)
{
    *(struct rcs_word *)rcs_arena_push(search->arena, &side->words, &side->word_count, sizeof word) = word;
}

static void witness(const struct search *search, size_t from, int side, const struct outcome *last, struct rcs_diff_side *out)
{
    uint16_t letters[RECOURSE_TRIES_MAX];
    bool safe = spot_at(search, from)->key.safe;
    size_t length = 0;

    for (size_t at = from; spot_at(search, at)->parent != NO_PARENT; at = spot_at(search, at)->parent) {
        letters[length++] = spot_at(search, at)->letter;
    }
    while (length > 0) {
        struct rcs_letter letter = letter_of(search, letters[--length], side, safe);

        add_word(search, out, rcs_letter_word(&letter));
    }
    add_word(search, out, rcs_letter_word(&last->letter));
    if (last->opened != RECOURSE_NONE && last->turn.waits) {
        add_word(search, out, (struct rcs_word){.event = RECOURSE_EVENT_CIRCUIT_OPEN});
    }
}

/* Gives the run to the setting of that name, if it differs and has none yet. */
static void show(const struct search *search, size_t from, const struct outcome outcomes[2], const char *what, const char *id)
{
    const char *name = rcs_arena_format(search->arena, "%s %s", what, id);

    for (size_t i = 0; i < search->diff->count; i++) {
        struct rcs_difference *item = &search->diff->items[i];

        if (item->change == RCS_CHANGE_SETTING && item->new_side.word_count == 0 && strcmp(item->about, name) == 0) {
            witness(search, from, OLD, &outcomes[OLD], &item->old_side);
            witness(search, from, NEW, &outcomes[NEW], &item->new_side);
        }
    }
}

static void compare(const struct search *search, size_t from, const struct outcome outcomes[2])
{
    for (int side = OLD; side <= NEW; side++) {
        const struct rcs_spec *spec = search->turns[side].spec;
        const struct outcome *own = &outcomes[side];
        const struct outcome *other = &outcomes[1 - side];

        if (own->refused && !other->refused) {
            uint16_t row = own->turn.row;
            const struct rcs_spec_wait *wait = &spec->waits[spec->rows[row].wait];

            show(search, from, outcomes, "budget", spec->budgets[wait->budget].budget.id);
            show(search, from, outcomes, "cost of wait", wait->id);
        }
        if (!own->refused && !other->refused && own->opened != RECOURSE_NONE && other->opened == RECOURSE_NONE) {
            show(search, from, outcomes, "breaker", spec->breakers[own->opened].breaker.id);
        }
    }
}

static void begin(struct search *search, bool safe)
{
    struct spot first;
    bool fresh;
    size_t number;

    memset(&first, 0, sizeof first);
    first.key.safe = safe;
    for (int side = OLD; side <= NEW; side++) {
        const struct rcs_spec *spec = search->turns[side].spec;

        first.key.spots[side].tries = 1;
        for (size_t i = 0; i < spec->budget_count; i++) {
            first.key.tokens[side][i] = spec->budgets[i].budget.holds;
        }
    }
    number = rcs_index_put(&search->spots, &first.key, &fresh);
    ((struct spot *)rcs_index_at(&search->spots, number))->parent = NO_PARENT;
}

static void go_on(struct search *search, size_t from, uint16_t letter)
{
    struct spot next = *spot_at(search, from);
    struct outcome outcomes[2];
    size_t number;
    bool fresh;

    for (int side = OLD; side <= NEW; side++) {
        if (!step(search, side, &next, letter, &outcomes[side])) {
            return;
        }
    }
    compare(search, from, outcomes);
    for (int side = OLD; side <= NEW; side++) {
        if (!outcomes[side].turn.waits || outcomes[side].opened != RECOURSE_NONE) {
            return;
        }
    }
    if (search->spots.count < SPOTS_MAX) {
        number = rcs_index_put(&search->spots, &next.key, &fresh);
        if (fresh) {
            struct spot *own = rcs_index_at(&search->spots, number);

            own->parent = (uint32_t)from;
            own->letter = letter;
        }
    }
}

void rcs_diff_shared(struct rcs_arena *arena, struct rcs_diff *diff, const struct rcs_facts_pairs *pairs)
{
    struct search search = {.arena = arena, .diff = diff, .pairs = pairs};
    bool any = false;

    for (size_t i = 0; i < diff->count; i++) {
        const char *about = diff->items[i].change == RCS_CHANGE_SETTING ? diff->items[i].about : "";

        any = any || strncmp(about, "budget ", 7) == 0 || strncmp(about, "breaker ", 8) == 0 ||
              strncmp(about, "cost of wait ", 13) == 0;
    }
    if (!any) {
        return;
    }
    rcs_turns_open(&search.turns[OLD], arena, diff->old_spec);
    rcs_turns_open(&search.turns[NEW], arena, diff->new_spec);
    search.spots = (struct rcs_index){
        .arena = arena, .key_size = sizeof ((struct spot *)0)->key, .item_size = sizeof(struct spot)};
    begin(&search, false);
    begin(&search, true);
    for (size_t i = 0; i < search.spots.count; i++) {
        for (size_t letter = 0; letter < pairs->count; letter++) {
            go_on(&search, i, (uint16_t)letter);
        }
    }
}
