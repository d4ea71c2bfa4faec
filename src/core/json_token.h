/* The tokens of JSON: what json.rl finds. */
#ifndef RCS_JSON_TOKEN_H
#define RCS_JSON_TOKEN_H

#include "json.h"

/*
 * Scans the scalar (string, number, literal) at `data[at]`. Returns RCS_JSON_GOOD with its type and the offset behind
 * it; RCS_JSON_BAD or RCS_JSON_UNENDED with the offset of the fault in `*end`. Behind a number there must be the end of
 * the text, a blank, a comma or a closing bracket; behind the others may be anything.
 */
enum rcs_json_fault rcs_json_token(struct recourse_span text, size_t at, enum rcs_json_type *type, size_t *end);

#endif
