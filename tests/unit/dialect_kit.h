/* What the tests of dialects share. */
#ifndef RCS_DIALECT_KIT_H
#define RCS_DIALECT_KIT_H

#include <recourse/dialect.h>

#include "tests/unit/run_kit.h"

struct kit_reading {
    const char *reply;
    const char *calls;
};

/* "[id|name|arguments|T]..." of what was read, or "E_NAME: text". `dialect` may be NULL. */
const char *kit_read_calls(const char *reply, size_t size, enum recourse_dialect *dialect);
/* Each reply must read as said, and, unless that is an error, in this dialect. */
void kit_check_readings(enum recourse_dialect dialect, const struct kit_reading *readings, size_t count);
/* A result as the dialect writes it; it must be strict JSON. */
const char *kit_write(enum recourse_dialect dialect, const struct recourse_result *result);
const char *kit_write_all(enum recourse_dialect dialect, const struct recourse_turn *turn);

#endif
