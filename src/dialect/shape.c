/*
 * Tells dialects apart by shape. Every dialect is asked about the reply, and about each entry of a list; the strongest
 * claim counts, and a second one as strong is an error, so that no call is read as something that it is not.
 */
#include "src/dialect/dialect.h"

#include "src/core/fail.h"

_Static_assert(RECOURSE_DIALECT_COUNT < 32, "a bit each");

#define ALL ((1u << RECOURSE_DIALECT_COUNT) - 1)

/* A list while its entries are judged. */
struct judge {
    struct recourse_span reply;
    unsigned could;  /* dialects that all entries so far can be of, a bit each */
    size_t settled;  /* the entry that left no more than these */
    bool known;      /* the reply around the list has said it */
    struct recourse_error *error;
};

static size_t offset_in(struct recourse_span reply, struct recourse_span part)
{
    return (size_t)(part.data - reply.data);
}

static unsigned lowest(unsigned set)
{
    unsigned dialect = 0;

    while ((set >> dialect & 1) == 0) {
        dialect++;
    }
    return dialect;
}

static const char *name_of(unsigned set)
{
    return rcs_dialects[lowest(set)]->name;
}

static bool is_single(unsigned set)
{
    return (set & (set - 1)) == 0;
}

/* Of how much weight a claim is: whether it means a call makes no difference where it is weak. */
static unsigned weight_of(enum rcs_claim claim)
{
    static const unsigned weights[] = {
        [RCS_CLAIM_NONE] = 0,
        [RCS_CLAIM_MAYBE_BESIDE] = 1,
        [RCS_CLAIM_MAYBE_CALL] = 1,
        [RCS_CLAIM_BESIDE] = 2,
        [RCS_CLAIM_CALL] = 3,
    };

    return weights[claim];
}

#define WEAK 1u
#define STRONGEST 3u

/* Who claims an entry most strongly. */
static unsigned claimants(const struct rcs_object *entry, unsigned *weight)
{
    unsigned set = 0;

    *weight = WEAK;
    for (unsigned i = 0; i < RECOURSE_DIALECT_COUNT; i++) {
        unsigned own = weight_of(rcs_dialects[i]->claim(entry));

        if (own > *weight) {
            *weight = own;
            set = 0;
        }
        set |= own == *weight ? 1u << i : 0;
    }
    return set;
}

/* The dialect that takes an entry for a response or a message, which is no place for one; COUNT: none. */
static unsigned whole_reply(const struct rcs_object *entry, unsigned weight)
{
    enum rcs_claim least = weight > WEAK ? RCS_CLAIM_CALL : RCS_CLAIM_BESIDE;
    unsigned i = 0;

    while (i < RECOURSE_DIALECT_COUNT && rcs_dialects[i]->recognise(entry) < least) {
        i++;
    }
    return i;
}

static int judge_entry(struct judge *judge, struct recourse_span text)
{
    size_t offset = offset_in(judge->reply, text);
    struct rcs_object entry;
    unsigned whole;
    unsigned weight;
    unsigned set;

    if (!rcs_is_object(text)) {
        return rcs_fail(judge->error, RECOURSE_E_SYNTAX, "the call at byte %zu is no object", offset);
    }
    rcs_object_open(&entry, text);
    set = claimants(&entry, &weight);
    if (weight == STRONGEST && !is_single(set)) {
        return rcs_fail(judge->error, RECOURSE_E_SYNTAX, "the call at byte %zu could be of %s or of %s", offset,
                        name_of(set), name_of(set & (set - 1)));
    }
    if (judge->known) {
        return weight < STRONGEST || (set & judge->could) != 0
                   ? 0
                   : rcs_fail(judge->error, RECOURSE_E_SYNTAX, "the call at byte %zu is of %s, in a reply of %s",
                              offset, name_of(set), name_of(judge->could));
    }
    whole = weight < STRONGEST ? whole_reply(&entry, weight) : RECOURSE_DIALECT_COUNT;
    if (whole < RECOURSE_DIALECT_COUNT) {
        return rcs_fail(judge->error, RECOURSE_E_SYNTAX,
                        "the entry at byte %zu is no call but a whole reply of %s: give one at a time", offset,
                        rcs_dialects[whole]->name);
    }
    if ((set & judge->could) == 0) {
        return rcs_fail(judge->error, RECOURSE_E_SYNTAX,
                        "the list mixes dialects: the entry at byte %zu is of %s, the one at byte %zu of %s",
                        judge->settled, name_of(judge->could), offset, name_of(set));
    }
    if ((set & judge->could) != judge->could) {
        judge->could &= set;
        judge->settled = offset;
    }
    return 0;
}

static int judge_list(struct judge *judge, struct recourse_span list)
{
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;
    int code = 0;

    while (code == 0 && rcs_json_next(list, &at, &key, &value)) {
        code = judge_entry(judge, value);
    }
    return code;
}

/* Whose response or message it is, a bit each; 0: nobody's. */
static unsigned recognise(struct recourse_span reply)
{
    struct rcs_object object;
    unsigned calls = 0;
    unsigned besides = 0;

    rcs_object_open(&object, reply);
    for (unsigned i = 0; i < RECOURSE_DIALECT_COUNT; i++) {
        enum rcs_claim claim = rcs_dialects[i]->recognise(&object);

        calls |= claim == RCS_CLAIM_CALL ? 1u << i : 0;
        besides |= claim == RCS_CLAIM_BESIDE ? 1u << i : 0;
    }
    if (calls != 0) {
        return calls;
    }
    /* without calls not much can go wrong; the first dialect takes what has a role and no better mark */
    while (!is_single(besides)) {
        besides &= besides - 1;
    }
    return besides;
}

static int find_in_object(struct judge *judge, struct recourse_span reply, struct rcs_found *found)
{
    struct recourse_error *error = judge->error;
    struct rcs_object object;

    judge->could = recognise(reply);
    judge->known = true;
    if (judge->could == 0) {
        return rcs_fail(error, RECOURSE_E_SYNTAX,
                        "the reply at byte %zu is no response, message or list of calls in a dialect that is known",
                        offset_in(judge->reply, reply));
    }
    if (!is_single(judge->could)) {
        return rcs_fail(error, RECOURSE_E_SYNTAX, "the reply at byte %zu could be of %s or of %s",
                        offset_in(judge->reply, reply), name_of(judge->could),
                        name_of(judge->could & (judge->could - 1)));
    }
    rcs_object_open(&object, reply);
    rcs_dialects[lowest(judge->could)]->find(&object, found);
    if (found->list.data != NULL && rcs_json_type_of(found->list) != RCS_JSON_ARRAY) {
        return rcs_fail(error, RECOURSE_E_SYNTAX, "the value of %s at byte %zu is no array", found->list_name,
                        offset_in(judge->reply, found->list));
    }
    if (found->single.data != NULL && !rcs_is_object(found->single)) {
        return rcs_fail(error, RECOURSE_E_SYNTAX, "the value of %s at byte %zu is no object", found->single_name,
                        offset_in(judge->reply, found->single));
    }
    return found->list.data != NULL ? judge_list(judge, found->list) : 0;
}

int rcs_shape_find(struct recourse_span reply, enum recourse_dialect *dialect, struct rcs_found *found,
                   struct recourse_error *error)
{
    struct judge judge = {.reply = reply, .could = ALL, .error = error};
    struct recourse_span trimmed = rcs_json_trim(reply);
    int code;

    *found = (struct rcs_found){.cut_off = false};
    if (rcs_json_type_of(trimmed) == RCS_JSON_ARRAY) {
        found->list = trimmed;
        code = judge_list(&judge, trimmed);
    } else {
        code = find_in_object(&judge, trimmed, found);
    }
    if (code == 0) {
        *dialect = (enum recourse_dialect)lowest(judge.could);
    }
    return code;
}
