/* Streams of events of any bytes: what comes of them does not depend on where the pieces are cut. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/tools/sse.h"

#define DATA_MAX 512u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds) {
        abort();
    }
}

static int same(const struct rcs_buffer *one, const struct rcs_buffer *other)
{
    return one->size == other->size && (one->size == 0 || memcmp(one->data, other->data, one->size) == 0);
}

/* Feeds pieces until there is an event; 0: there is none any more. */
static int next(struct rcs_sse *sse, const char **at, const char *end, size_t piece)
{
    for (;;) {
        const char *to = (size_t)(end - *at) > piece ? *at + piece : end;
        int code = rcs_sse_next(sse, at, to);

        if (code != 0 || *at == end) {
            return code;
        }
        demand(*at == to); /* all of a piece is read where it holds no whole event */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *begin = size > 0 ? (const char *)data + 1 : "";
    const char *end = begin + (size > 0 ? size - 1 : 0);
    size_t piece = size > 0 ? 1u + data[0] % 16u : 1u;
    const char *at[2] = {begin, begin};
    struct rcs_sse whole;
    struct rcs_sse parts;

    rcs_sse_init(&whole, NULL, DATA_MAX);
    rcs_sse_init(&parts, NULL, DATA_MAX);
    for (;;) {
        int code = next(&whole, &at[0], end, SIZE_MAX);

        demand(next(&parts, &at[1], end, piece) == code);
        if (code != 1) {
            break;
        }
        demand(whole.data.size <= DATA_MAX && whole.id.size <= RCS_SSE_ID_MAX && whole.name.size <= RCS_SSE_NAME_MAX);
        demand(same(&whole.data, &parts.data) && same(&whole.id, &parts.id) && same(&whole.name, &parts.name));
        demand(whole.retry_ms == parts.retry_ms);
    }
    rcs_sse_clear(&whole);
    rcs_sse_clear(&parts);
    return 0;
}
