/*
 * libcrypto's SHA-256 is called by its own functions: a call has some twenty short hashes, and EVP spends much of each on
 * finding out what to call. They can't fail, and want no memory.
 */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "src/audit/chain.h"

#include <string.h>

static const char tag[] = "recourse audit 1\n";

#define TAG_SIZE (sizeof tag - 1)
#define BLOCK_SIZE 64u

static void update(SHA256_CTX *context, const void *bytes, size_t size)
{
    if (size > 0) {
        (void)SHA256_Update(context, bytes, size);
    }
}

static void put_size(uint8_t bytes[8], uint64_t size)
{
    for (unsigned i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(size >> 8 * i);
    }
}

void rcs_chain_next(uint8_t hash[RCS_HASH_SIZE], struct recourse_span body)
{
    uint8_t head[TAG_SIZE + RCS_HASH_SIZE + 8];
    SHA256_CTX context;

    memcpy(head, tag, TAG_SIZE);
    memcpy(head + TAG_SIZE, hash, RCS_HASH_SIZE);
    put_size(head + TAG_SIZE + RCS_HASH_SIZE, body.size);
    (void)SHA256_Init(&context);
    update(&context, head, sizeof head);
    update(&context, body.data, body.size);
    (void)SHA256_Final(hash, &context);
}

/* ---- keyed hashes ---- */

static void begin_padded(SHA256_CTX *context, const uint8_t salt[RCS_HASH_SIZE], uint8_t pad)
{
    uint8_t block[BLOCK_SIZE];

    memset(block, pad, sizeof block);
    for (size_t i = 0; i < RCS_HASH_SIZE; i++) {
        block[i] ^= salt[i];
    }
    (void)SHA256_Init(context);
    update(context, block, sizeof block);
}

void rcs_salted_init(struct rcs_salted *salted, const uint8_t salt[RCS_HASH_SIZE])
{
    begin_padded(&salted->inner, salt, 0x36);
    begin_padded(&salted->outer, salt, 0x5c);
}

static SHA256_CTX mac_begin(const struct rcs_salted *salted, const char *field)
{
    SHA256_CTX context = salted->inner;

    update(&context, field, strlen(field));
    update(&context, "\n", 1);
    return context;
}

static void mac_size(SHA256_CTX *context, size_t part)
{
    uint8_t size[8];

    put_size(size, part);
    update(context, size, sizeof size);
}

static void mac_part(SHA256_CTX *context, struct recourse_span part)
{
    mac_size(context, part.size);
    update(context, part.data, part.size);
}

/* ASCII letters as small ones. */
static void mac_folded(SHA256_CTX *context, struct recourse_span part)
{
    mac_size(context, part.size);
    while (part.size > 0) {
        char folded[64];
        size_t piece = part.size < sizeof folded ? part.size : sizeof folded;

        for (size_t i = 0; i < piece; i++) {
            char byte = part.data[i];

            folded[i] = byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
        }
        update(context, folded, piece);
        part = (struct recourse_span){part.data + piece, part.size - piece};
    }
}

static void mac_end(const struct rcs_salted *salted, SHA256_CTX *inner, uint8_t mac[RCS_HASH_SIZE])
{
    SHA256_CTX outer = salted->outer;

    (void)SHA256_Final(mac, inner);
    update(&outer, mac, RCS_HASH_SIZE);
    (void)SHA256_Final(mac, &outer);
}

void rcs_mac(const struct rcs_salted *salted, const char *field, struct recourse_span part, uint8_t mac[RCS_HASH_SIZE])
{
    SHA256_CTX context = mac_begin(salted, field);

    mac_part(&context, part);
    mac_end(salted, &context, mac);
}

void rcs_mac_headers(const struct rcs_salted *salted, const struct recourse_header *headers, size_t count,
                     uint8_t mac[RCS_HASH_SIZE])
{
    SHA256_CTX context = mac_begin(salted, "headers");

    for (size_t i = 0; i < count; i++) {
        mac_folded(&context, headers[i].name);
        mac_part(&context, headers[i].value);
    }
    mac_end(salted, &context, mac);
}

void rcs_salt_of(const struct rcs_salted *secret, uint64_t call, uint8_t salt[RCS_HASH_SIZE])
{
    uint8_t number[8];

    put_size(number, call);
    rcs_mac(secret, "salt", (struct recourse_span){(const char *)number, sizeof number}, salt);
}
