/* Values of environment variables that a configuration uses: what is kept for people shows their names. */
#ifndef RCS_SECRETS_H
#define RCS_SECRETS_H

#include <recourse/facts.h>

#include "gen/arena.h"

/* Shorter values are no secrets, and are in many a text by chance. */
#define RCS_SECRET_SIZE_MIN 6u

struct rcs_secret {
    const char *name;
    struct recourse_span value;
};

/* Zeroed, it is ready; all in an arena. */
struct rcs_secrets {
    struct rcs_secret *items;
    size_t count;
};

void rcs_secrets_add(struct rcs_arena *arena, struct rcs_secrets *secrets, const char *name, const char *value);

/* The text with `${NAME}` wherever the value of NAME stands, the longest where several do: a tool may send back what it was
   given. So with what is left of a value where a text was cut. It is `text` itself, or lives in the arena. `secrets` may be NULL. */
struct recourse_span rcs_secrets_hide(struct rcs_arena *arena, const struct rcs_secrets *secrets,
                                      struct recourse_span text);
/* Likewise, of a text that ends with NUL. */
const char *rcs_secrets_hide_text(struct rcs_arena *arena, const struct rcs_secrets *secrets, const char *text);
/* Likewise, of a JSON value; empty if what comes of it is none, as where a number is a secret. */
struct recourse_span rcs_secrets_hide_json(struct rcs_arena *arena, const struct rcs_secrets *secrets,
                                           struct recourse_span json);

#endif
