#include "tests/run/bomb.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Deflate with its fixed codes (RFC 1951, section 3.2.6). Bits go from the lowest of each byte to the highest. */
struct bits {
    uint8_t *bytes;
    size_t count;
};

static void put_bits(struct bits *bits, unsigned value, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        assert(bits->count / 8 < 2 * RCS_BOMB_MAX);
        bits->bytes[bits->count / 8] |= (uint8_t)((value >> i & 1) << bits->count % 8);
        bits->count++;
    }
}

/* Codes of Huffman begin with their highest bit. */
static void put_code(struct bits *bits, unsigned code, unsigned count)
{
    for (unsigned i = count; i > 0; i--) {
        put_bits(bits, code >> (i - 1) & 1, 1);
    }
}

static void put_literal(struct bits *bits, uint8_t byte)
{
    if (byte < 144) {
        put_code(bits, 0x30u + byte, 8);
    } else {
        put_code(bits, 0x190u + byte - 144u, 9);
    }
}

/* Repeats what stood `distance` (1, or 5 to 16) bytes before, 258 times: the most there is. */
static void put_run(struct bits *bits, size_t distance)
{
    static const struct {
        uint8_t from, code, more; /* the least distance of a code, and bits that say how much it is beyond */
    } codes[] = {{1, 0, 0}, {5, 4, 1}, {7, 5, 1}, {9, 6, 2}, {13, 7, 2}, {17, 0, 0}};
    size_t i = 0;

    while (codes[i + 1].from <= distance) {
        i++;
    }
    put_code(bits, 0xc5, 8); /* length 258 */
    put_code(bits, codes[i].code, 5);
    put_bits(bits, (unsigned)(distance - codes[i].from), codes[i].more);
}

static const uint8_t gzip_head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};

/* Compresses `from`, which never ends: its head and what comes again become literals, and then it is repetitions only. */
static void compress(const struct rcs_bomb *from, struct rcs_bomb *to)
{
    uint8_t bytes[2 * RCS_BOMB_MAX] = {0};
    struct bits bits = {bytes, 8 * sizeof gzip_head};
    size_t run_bits;

    memcpy(bytes, gzip_head, sizeof gzip_head);
    put_bits(&bits, 2, 3); /* a block with fixed codes, not the last one */
    for (size_t i = 0; i < from->head_size + from->again_size; i++) {
        put_literal(&bits, i < from->head_size ? from->head[i] : from->again[i - from->head_size]);
    }
    to->head_size = bits.count / 8 + 1;
    run_bits = bits.count;
    put_run(&bits, from->again_size);
    run_bits = bits.count - run_bits;
    to->again_size = run_bits; /* eight repetitions have so many bytes, wherever they begin */
    while (bits.count < 8 * (to->head_size + to->again_size)) {
        put_run(&bits, from->again_size);
    }
    assert(to->head_size <= RCS_BOMB_MAX && to->again_size <= RCS_BOMB_MAX);
    memcpy(to->head, bytes, to->head_size);
    memcpy(to->again, bytes + to->head_size, to->again_size);
}

void rcs_bomb_gzip(struct rcs_bomb *bomb, unsigned layers, int empty)
{
    static const uint8_t nothing[5] = {0, 0, 0, 0xff, 0xff}; /* a stored block of no bytes */
    struct rcs_bomb inner = {.again = "x", .again_size = 1};
    unsigned done = 0;

    if (empty) {
        memcpy(inner.head, gzip_head, sizeof gzip_head);
        inner.head_size = sizeof gzip_head;
        memcpy(inner.again, nothing, sizeof nothing);
        inner.again_size = sizeof nothing;
        done = 1;
    }
    while (done++ < layers) {
        compress(&inner, bomb);
        inner = *bomb;
    }
    *bomb = inner;
}

static size_t put_escaped(char *words, size_t size, size_t at, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        at += (size_t)snprintf(words + at, size - at, "\\x%02x", bytes[i]);
        assert(at < size);
    }
    return at;
}

void rcs_bomb_words(const struct rcs_bomb *bomb, const char *http_head, char *words, size_t size)
{
    size_t at = (size_t)snprintf(words, size, "raw='%s", http_head);

    at = put_escaped(words, size, at, bomb->head, bomb->head_size);
    at += (size_t)snprintf(words + at, size - at, "' endless='");
    at = put_escaped(words, size, at, bomb->again, bomb->again_size);
    snprintf(words + at, size - at, "'");
}
