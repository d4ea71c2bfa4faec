/* The page that `recourse explain --html` writes, and its parts. Each part is appended as HTML; what comes from a policy is
   escaped there. */
#ifndef RCS_EXPLAIN_PAGE_H
#define RCS_EXPLAIN_PAGE_H

#include "gen/compile.h"
#include "gen/diagram.h"
#include "gen/paths.h"

/* All of it. `diagram` is SVG without colours of its own, or NULL: the page says that it has none. */
void rcs_page(const struct rcs_loaded *loaded, const char *diagram, struct rcs_string *out);

/* For people who read text: each row as a sentence. */
void rcs_explain_text(const struct rcs_loaded *loaded, struct rcs_string *out);

/* One row of it, a rule or a condition of Failures, without its id and without a line's end. */
void rcs_explain_row(struct rcs_string *out, const struct rcs_spec *spec, const struct rcs_spec_row *row);
void rcs_explain_failure(struct rcs_string *out, const struct rcs_spec *spec, const struct rcs_spec_fact_row *row);

/* The policy as it was written: prose, and tables whose rows can be linked to (`#row-A2`). */
void rcs_page_policy(const struct rcs_spec *spec, struct rcs_string *out);

/* The worst cases, and all runs in groups. */
void rcs_page_worst(const struct rcs_paths *paths, struct rcs_string *out);
void rcs_page_paths(const struct rcs_paths *paths, struct rcs_string *out);

/* The unrolled machine as JSON, for page/explain.js, which says what is in it. No `<` is in it. */
void rcs_page_machine(const struct rcs_loaded *loaded, struct rcs_string *out);

/* Appends a text, escaped. */
void rcs_page_text(struct rcs_string *out, const char *text);
/* A link to the table's row that has this id. */
void rcs_page_row(struct rcs_string *out, const char *id);
/* A link that plays a run: words with commas between them. */
void rcs_page_run(struct rcs_string *out, const char *words);
/* The words of a run, with commas. */
const char *rcs_page_words(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_spec_run *run);

#endif
