/* A walk over the parts of a JSON text, in order, without recursion: the one place that knows how JSON nests. */
#ifndef RCS_JSON_WALK_H
#define RCS_JSON_WALK_H

#include "json.h"

enum rcs_json_part {
    RCS_JSON_PART_END = 0,   /* of the value, or (not `within`) of the text */
    RCS_JSON_PART_FAULT = 1, /* `fault` says which, `at` where */
    RCS_JSON_PART_KEY = 2,
    RCS_JSON_PART_SCALAR = 3,
    RCS_JSON_PART_OPEN = 4,  /* of an array or object; `depth` counts it */
    RCS_JSON_PART_CLOSE = 5  /* `depth` no longer counts it */
};

struct rcs_json_walk {
    struct recourse_span text;
    size_t at;    /* behind the part; at a fault, where it is */
    size_t begin; /* of the part */
    enum rcs_json_type type; /* of a scalar, or of what is opened */
    enum rcs_json_fault fault;
    unsigned depth;
    uint8_t want;
    bool within; /* ends behind the first value, whatever follows */
    uint64_t objects[RCS_JSON_DEPTH_MAX / 64]; /* a bit for each depth: object, not array */
};

/* Begins at `at`. `within`: one value is walked, and what follows it is not looked at. */
void rcs_json_walk_init(struct rcs_json_walk *walk, struct recourse_span text, size_t at, bool within);
enum rcs_json_part rcs_json_walk_next(struct rcs_json_walk *walk);

/* The first offset from `at` on that is no blank. */
size_t rcs_json_skip_blanks(struct recourse_span text, size_t at);

/* ---- strings as they read ---- */

/* The next code point of a string (with its quotes) as it reads; begin with `*at` 1. False at its end. */
bool rcs_json_string_next(struct recourse_span string, size_t *at, uint32_t *point);
bool rcs_json_string_equal(struct recourse_span a, struct recourse_span b);

/* Looks for a key that an object of the good text has twice; true with the offset of the second one. */
bool rcs_json_find_duplicate(struct recourse_span text, size_t *offset);

#endif
