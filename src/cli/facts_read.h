/* Facts as `recourse classify` takes them: one JSON object. */
#ifndef RCS_FACTS_READ_H
#define RCS_FACTS_READ_H

#include <recourse/facts.h>

#include "gen/arena.h"

/* Reads `json`. Spans of the facts point into it and into the arena. False with `text` set: what is wrong, by key. */
bool rcs_facts_read(struct rcs_arena *arena, struct recourse_span json, struct recourse_facts *facts, char *text,
                    size_t size);

#endif
