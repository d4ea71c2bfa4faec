/* The span scanner on any bytes: nothing is read outside of them, and what it says about a text agrees with itself. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/json.h"
#include "src/core/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds) {
        abort();
    }
}

/* Unescapes a string, quotes it again, and compares: both must read the same. */
static void check_string(struct recourse_span string)
{
    char plain[512], quoted[4096], again[512];
    const size_t size = rcs_json_unescape(string, plain, sizeof plain);
    size_t quoted_size;

    if (size > sizeof plain) {
        return;
    }
    demand(rcs_json_string_is(string, plain, size));
    quoted_size = rcs_json_quote((struct recourse_span){plain, size}, quoted, sizeof quoted);
    demand(quoted_size <= sizeof quoted);
    demand(rcs_json_check((struct recourse_span){quoted, quoted_size}, true, NULL) == RCS_JSON_GOOD);
    demand(rcs_json_unescape((struct recourse_span){quoted, quoted_size}, again, sizeof again) == size);
    demand(memcmp(plain, again, size) == 0);
}

/* Walks a value; each part of a good one must be good itself. */
static void walk(struct recourse_span value, unsigned depth)
{
    struct recourse_span key, member;
    size_t at = 0, before = 0;
    int64_t integer;

    demand(rcs_json_type_of(value) != RCS_JSON_NONE);
    (void)rcs_json_integer(value, &integer);
    if (rcs_json_type_of(value) == RCS_JSON_STRING) {
        check_string(value);
    }
    while (depth < 6 && rcs_json_next(value, &at, &key, &member)) {
        demand(at > before && at <= value.size);
        before = at;
        if (key.size > 0) {
            check_string(key);
        }
        walk(member, depth + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const pointers[] = {"", "/a", "/0", "/a/b", "/error/code", "/a~1b/0", "/~0", "/"};
    const struct recourse_span text = {(const char *)data, size};
    size_t offset = SIZE_MAX, second = SIZE_MAX;
    const enum rcs_json_fault fault = rcs_json_check(text, false, &offset);
    const enum rcs_json_fault strict = rcs_json_check(text, true, &second);
    struct recourse_span key, value;

    demand(offset <= size && second <= size);
    demand(strict == fault || (fault == RCS_JSON_GOOD && strict == RCS_JSON_DUPLICATE));
    demand(fault != RCS_JSON_UNENDED || offset == size);
    if (fault == RCS_JSON_BAD) { /* cut before the fault, it is unended, or ends there */
        demand(rcs_json_check((struct recourse_span){text.data, offset}, false, NULL) != RCS_JSON_BAD);
    }
    for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++) {
        value = rcs_json_at(text, pointers[i]);
        demand(value.data == NULL || (value.data >= text.data && value.data + value.size <= text.data + size));
    }
    if (fault == RCS_JSON_GOOD) {
        walk(rcs_json_trim(text), 0);
    } else { /* whatever it is, walking stops */
        for (size_t at = 0, steps = 0; rcs_json_next(text, &at, &key, &value); steps++) {
            demand(steps <= size);
        }
        (void)rcs_json_unescape(text, NULL, 0);
    }
    return 0;
}
