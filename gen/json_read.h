/* A plain reader of JSON, for the model alone: src/core has its own, and the two judge each other. */
#ifndef RCS_JSON_READ_H
#define RCS_JSON_READ_H

#include <recourse/facts.h>

#include "arena.h"

/*
 * Finds the value at an RFC 6901 pointer. For a string `*value` is its unescaped text, for anything else the text as written.
 * False if `text` is not JSON or has nothing there. Of duplicate keys the last counts.
 */
bool rcs_json_read_at(struct rcs_arena *arena, struct recourse_span text, const char *pointer,
                      struct recourse_span *value);

/* The same, for a value that a condition can be about: false for objects and arrays. */
bool rcs_json_read_scalar_at(struct rcs_arena *arena, struct recourse_span text, const char *pointer,
                             struct recourse_span *value);

#endif
