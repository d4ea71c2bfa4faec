#include "json_walk.h"

#include <string.h>

#include "json_token.h"

/* What the grammar allows next. */
enum want {
    WANT_VALUE = 0,
    WANT_VALUE_OR_CLOSE = 1, /* behind `[` */
    WANT_KEY_OR_CLOSE = 2,   /* behind `{` */
    WANT_KEY = 3,            /* behind a comma in an object */
    WANT_COLON = 4,
    WANT_COMMA_OR_CLOSE = 5,
    WANT_END = 6
};

size_t rcs_json_skip_blanks(struct recourse_span text, size_t at)
{
    while (at < text.size &&
           (text.data[at] == ' ' || text.data[at] == '\n' || text.data[at] == '\r' || text.data[at] == '\t')) {
        at++;
    }
    return at;
}

void rcs_json_walk_init(struct rcs_json_walk *walk, struct recourse_span text, size_t at, bool within)
{
    memset(walk, 0, sizeof *walk);
    walk->text = text;
    walk->at = at;
    walk->within = within;
    walk->want = WANT_VALUE;
}

static enum rcs_json_part fail(struct rcs_json_walk *walk, enum rcs_json_fault fault, size_t at)
{
    walk->fault = fault;
    walk->at = at;
    return RCS_JSON_PART_FAULT;
}

static bool in_object(const struct rcs_json_walk *walk)
{
    const unsigned top = walk->depth - 1;

    return walk->depth > 0 && (walk->objects[top / 64] >> top % 64 & 1) != 0;
}

static enum rcs_json_part open(struct rcs_json_walk *walk, bool object)
{
    const uint64_t bit = (uint64_t)1 << walk->depth % 64;
    uint64_t *const word = &walk->objects[walk->depth / 64 % (RCS_JSON_DEPTH_MAX / 64)];

    if (walk->depth == RCS_JSON_DEPTH_MAX) {
        return fail(walk, RCS_JSON_TOO_DEEP, walk->begin);
    }
    *word = object ? *word | bit : *word & ~bit;
    walk->depth++;
    walk->at++;
    walk->type = object ? RCS_JSON_OBJECT : RCS_JSON_ARRAY;
    walk->want = object ? WANT_KEY_OR_CLOSE : WANT_VALUE_OR_CLOSE;
    return RCS_JSON_PART_OPEN;
}

static enum rcs_json_part close(struct rcs_json_walk *walk)
{
    walk->depth--;
    walk->at++;
    walk->want = walk->depth == 0 ? WANT_END : WANT_COMMA_OR_CLOSE;
    return RCS_JSON_PART_CLOSE;
}

static enum rcs_json_part read_value(struct rcs_json_walk *walk)
{
    const char byte = walk->text.data[walk->begin];
    size_t end;

    if (byte == '{' || byte == '[') {
        return open(walk, byte == '{');
    }
    walk->fault = rcs_json_token(walk->text, walk->begin, &walk->type, &end);
    walk->at = end;
    if (walk->fault != RCS_JSON_GOOD) {
        return RCS_JSON_PART_FAULT;
    }
    walk->want = walk->depth == 0 ? WANT_END : WANT_COMMA_OR_CLOSE;
    return RCS_JSON_PART_SCALAR;
}

static enum rcs_json_part read_key(struct rcs_json_walk *walk)
{
    if (walk->text.data[walk->begin] != '"') {
        return fail(walk, RCS_JSON_BAD, walk->begin);
    }
    walk->fault = rcs_json_token(walk->text, walk->begin, &walk->type, &walk->at);
    walk->want = WANT_COLON;
    return walk->fault == RCS_JSON_GOOD ? RCS_JSON_PART_KEY : RCS_JSON_PART_FAULT;
}

/* Steps over blanks, colons and commas, up to the part that is due. False at a fault. */
static bool skip_to_part(struct rcs_json_walk *walk)
{
    for (;;) {
        walk->begin = walk->at = rcs_json_skip_blanks(walk->text, walk->at);
        if (walk->begin >= walk->text.size) {
            fail(walk, RCS_JSON_UNENDED, walk->text.size);
            return false;
        }
        if (walk->want == WANT_COLON && walk->text.data[walk->begin] == ':') {
            walk->want = WANT_VALUE;
        } else if (walk->want == WANT_COMMA_OR_CLOSE && walk->text.data[walk->begin] == ',') {
            walk->want = in_object(walk) ? WANT_KEY : WANT_VALUE;
        } else {
            return true;
        }
        walk->at++;
    }
}

static enum rcs_json_part read_end(struct rcs_json_walk *walk)
{
    const size_t at = walk->within ? walk->text.size : rcs_json_skip_blanks(walk->text, walk->at);

    return at == walk->text.size ? RCS_JSON_PART_END : fail(walk, RCS_JSON_BAD, at);
}

enum rcs_json_part rcs_json_walk_next(struct rcs_json_walk *walk)
{
    char byte;

    if (walk->fault != RCS_JSON_GOOD) {
        return RCS_JSON_PART_FAULT;
    }
    if (walk->want == WANT_END) {
        return read_end(walk);
    }
    if (!skip_to_part(walk)) {
        return RCS_JSON_PART_FAULT;
    }
    byte = walk->text.data[walk->begin];
    switch (walk->want) {
    case WANT_VALUE_OR_CLOSE:
        return byte == ']' ? close(walk) : read_value(walk);
    case WANT_VALUE:
        return read_value(walk);
    case WANT_KEY_OR_CLOSE:
        return byte == '}' ? close(walk) : read_key(walk);
    case WANT_KEY:
        return read_key(walk);
    case WANT_COMMA_OR_CLOSE:
        return byte == (in_object(walk) ? '}' : ']') ? close(walk) : fail(walk, RCS_JSON_BAD, walk->begin);
    default:
        return fail(walk, RCS_JSON_BAD, walk->begin); /* no colon */
    }
}
