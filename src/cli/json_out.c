#include "json_out.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "src/core/json.h"

static char *reserve(struct rcs_out *out, size_t size)
{
    size_t capacity = out->capacity == 0 ? 1024 : out->capacity;

    while (capacity - out->size < size) {
        capacity *= 2;
    }
    if (capacity != out->capacity) {
        out->data = rcs_cli_realloc(out->data, capacity);
        out->capacity = capacity;
    }
    return out->data + out->size;
}

static void put(struct rcs_out *out, const char *data, size_t size)
{
    if (size > 0) {
        memcpy(reserve(out, size), data, size);
        out->size += size;
    }
}

/* Whatever follows a value needs a comma; what opens, a colon and a line break are no values. */
static void separate(struct rcs_out *out)
{
    if (out->size > 0 && strchr("{[:\n", out->data[out->size - 1]) == NULL) {
        put(out, ",", 1);
    }
}

void rcs_out_open(struct rcs_out *out, char bracket)
{
    assert(bracket == '{' || bracket == '[');
    separate(out);
    put(out, &bracket, 1);
}

void rcs_out_close(struct rcs_out *out, char bracket)
{
    assert(bracket == '}' || bracket == ']');
    put(out, &bracket, 1);
}

void rcs_out_span(struct rcs_out *out, struct recourse_span text)
{
    size_t size;

    separate(out);
    size = rcs_json_quote(text, NULL, 0);
    rcs_json_quote(text, reserve(out, size), size);
    out->size += size;
}

void rcs_out_key(struct rcs_out *out, const char *key)
{
    rcs_out_text(out, key);
    put(out, ":", 1);
}

void rcs_out_text(struct rcs_out *out, const char *text)
{
    struct recourse_span span = {text, text == NULL ? 0 : strlen(text)};

    if (text == NULL) {
        rcs_out_null(out);
    } else {
        rcs_out_span(out, span);
    }
}

void rcs_out_signed(struct rcs_out *out, int64_t number)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%" PRId64, number);

    separate(out);
    put(out, text, (size_t)size);
}

void rcs_out_number(struct rcs_out *out, uint64_t number)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%" PRIu64, number);

    separate(out);
    put(out, text, (size_t)size);
}

void rcs_out_bool(struct rcs_out *out, bool value)
{
    separate(out);
    put(out, value ? "true" : "false", value ? 4 : 5);
}

void rcs_out_null(struct rcs_out *out)
{
    separate(out);
    put(out, "null", 4);
}

void rcs_out_raw(struct rcs_out *out, struct recourse_span json)
{
    if (json.size == 0) {
        rcs_out_null(out);
        return;
    }
    separate(out);
    put(out, json.data, json.size);
}

void rcs_out_hex(struct rcs_out *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";

    separate(out);
    put(out, "\"", 1);
    for (size_t i = 0; i < size; i++) {
        put(out, &digits[bytes[i] >> 4], 1);
        put(out, &digits[bytes[i] & 15], 1);
    }
    put(out, "\"", 1);
}

void rcs_out_line(struct rcs_out *out)
{
    put(out, "\n", 1);
}

void rcs_out_clear(struct rcs_out *out)
{
    free(out->data);
    memset(out, 0, sizeof *out);
}

void rcs_out_print(struct rcs_out *out)
{
    rcs_out_line(out);
    fwrite(out->data, 1, out->size, stdout);
    rcs_out_clear(out);
}
