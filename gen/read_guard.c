#include "gen/read.h"

#define IN(table) (1u << (table))
#define BOTH (IN(RECOURSE_ATTEMPT) | IN(RECOURSE_EXHAUSTED))
#define LATER (BOTH | IN(RECOURSE_BACKOFF))

enum set { TRIES, SAFETY, ACTED, REASONS };

static const struct guard_form {
    const char *words;
    uint8_t set;
    uint8_t allows;
    uint8_t tables; /* that know it */
} forms[] = {
    {"first try", TRIES, RCS_TRY_FIRST, BOTH},
    {"later try", TRIES, RCS_TRY_LATER, BOTH},
    {"safe", SAFETY, RCS_SAFE, IN(RECOURSE_ATTEMPT)},
    {"unsafe", SAFETY, RCS_UNSAFE, IN(RECOURSE_ATTEMPT)},
    {"never acted", ACTED, RCS_NEVER_ACTED, LATER},
    {"may have acted", ACTED, RCS_MAY_HAVE_ACTED, LATER},
    {"tries spent", REASONS, 1u << RECOURSE_REASON_TRIES_SPENT, IN(RECOURSE_EXHAUSTED)},
    {"asked too long", REASONS, 1u << RECOURSE_REASON_ASKED_TOO_LONG, IN(RECOURSE_EXHAUSTED)},
    {"over budget", REASONS, 1u << RECOURSE_REASON_OVER_BUDGET, IN(RECOURSE_EXHAUSTED)},
    {"out of time", REASONS, 1u << RECOURSE_REASON_OUT_OF_TIME, IN(RECOURSE_EXHAUSTED)},
};
#define FORM_COUNT (sizeof forms / sizeof *forms)

void rcs_guard_all(struct rcs_guard *guard)
{
    *guard = (struct rcs_guard){.tries = RCS_TRY_FIRST | RCS_TRY_LATER,
                                .safety = RCS_SAFE | RCS_UNSAFE,
                                .acted = RCS_NEVER_ACTED | RCS_MAY_HAVE_ACTED,
                                .reasons = RCS_REASONS_ALL};
}

static uint8_t *set_of(struct rcs_guard *guard, const struct guard_form *form)
{
    switch ((enum set)form->set) {
    case TRIES:
        return &guard->tries;
    case SAFETY:
        return &guard->safety;
    case ACTED:
        return &guard->acted;
    case REASONS:
        break;
    }
    return &guard->reasons;
}

static bool is_over_budget(const struct guard_form *form)
{
    return form->set == REASONS && form->allows == 1u << RECOURSE_REASON_OVER_BUDGET;
}

static bool unknown_guard(struct rcs_cursor *cursor, uint8_t table, bool budgets)
{
    const char *names[FORM_COUNT];
    const char *found = rcs_words_here(cursor);
    size_t count = 0;

    for (size_t i = 0; i < FORM_COUNT; i++) {
        if ((forms[i].tables & IN(table)) != 0 && (budgets || !is_over_budget(&forms[i]))) {
            names[count++] = forms[i].words;
        }
    }
    return rcs_expected(cursor, rcs_arena_format(cursor->arena, "'-', or one of %s",
                                                 rcs_list_nearest(cursor->arena, found, names, count)));
}

static bool fail(struct rcs_cursor *cursor, size_t at, const char *code, const char *text)
{
    cursor->at = at;
    rcs_cursor_error(cursor, code, "%s", text);
    return false;
}

static bool read_one(struct rcs_cursor *cursor, uint8_t table, bool budgets, struct rcs_guard *guard, unsigned *used)
{
    size_t begin = cursor->at;
    bool negated = rcs_accept_words(cursor, "not");
    uint8_t *set;
    size_t i = 0;

    while (i < FORM_COUNT && !rcs_accept_words(cursor, forms[i].words)) {
        i++;
    }
    if (i == FORM_COUNT) {
        return unknown_guard(cursor, table, budgets);
    }
    if ((forms[i].tables & IN(table)) == 0) {
        return fail(cursor, begin, "guard",
                    table == RECOURSE_ATTEMPT    ? "in attempt there is no reason yet: it belongs to exhausted"
                    : table == RECOURSE_BACKOFF ? "in backoff there are no guards but 'never acted' and 'may have acted'"
                                                : "'safe' and 'unsafe' belong to the table of attempt");
    }
    if (negated && forms[i].set != REASONS) {
        return fail(cursor, begin, "guard", "'not' stands before a reason only: write the other guard of the two");
    }
    if (is_over_budget(&forms[i]) && !budgets) {
        return fail(cursor, begin, "guard", "'over budget' needs the section '## Budgets'");
    }
    if ((*used & 1u << i) != 0) {
        return fail(cursor, begin, "guard", "this guard stands here twice");
    }
    *used |= 1u << i;
    set = set_of(guard, &forms[i]);
    *set &= (uint8_t)(negated ? ~forms[i].allows : forms[i].allows);
    return *set != 0 || fail(cursor, begin, "guard", "this guard and one before it can never hold together");
}

bool rcs_read_guard(struct rcs_cursor *cursor, uint8_t table, bool budgets, struct rcs_guard *guard)
{
    unsigned used = 0;

    rcs_guard_all(guard);
    if (rcs_accept(cursor, RCS_TOKEN_DASH)) {
        return rcs_take_end(cursor, "nothing after '-'");
    }
    do {
        if (!read_one(cursor, table, budgets, guard, &used)) {
            return false;
        }
    } while (rcs_accept_words(cursor, "and"));
    return rcs_take_end(cursor, "'and', or nothing");
}
