#include "src/audit/chain.h"

#include <string.h>

#include <openssl/evp.h>

static const char tag[] = "recourse audit 1\n";

#define TAG_SIZE (sizeof tag - 1)

bool rcs_hasher_init(struct rcs_hasher *hasher)
{
    *hasher = (struct rcs_hasher){.context = EVP_MD_CTX_new(), .algorithm = EVP_MD_fetch(NULL, "SHA256", NULL)};
    if (hasher->context != NULL && hasher->algorithm != NULL &&
        EVP_DigestInit_ex2(hasher->context, hasher->algorithm, NULL) == 1) {
        return true;
    }
    rcs_hasher_clear(hasher);
    return false;
}

void rcs_hasher_clear(struct rcs_hasher *hasher)
{
    EVP_MD_CTX_free(hasher->context);
    EVP_MD_free(hasher->algorithm);
    *hasher = (struct rcs_hasher){.failed = true};
}

static void begin(struct rcs_hasher *hasher)
{
    hasher->failed = EVP_DigestInit_ex2(hasher->context, NULL, NULL) != 1; /* the algorithm stays */
}

static void update(struct rcs_hasher *hasher, const void *bytes, size_t size)
{
    if (size > 0 && !hasher->failed) {
        hasher->failed = EVP_DigestUpdate(hasher->context, bytes, size) != 1;
    }
}

static bool end(struct rcs_hasher *hasher, uint8_t digest[RCS_HASH_SIZE])
{
    return !hasher->failed && EVP_DigestFinal_ex(hasher->context, digest, NULL) == 1;
}

static void put_size(uint8_t bytes[8], uint64_t size)
{
    for (unsigned i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(size >> 8 * i);
    }
}

bool rcs_chain_next(struct rcs_hasher *hasher, uint8_t hash[RCS_HASH_SIZE], struct recourse_span body)
{
    uint8_t head[TAG_SIZE + RCS_HASH_SIZE + 8];

    memcpy(head, tag, TAG_SIZE);
    memcpy(head + TAG_SIZE, hash, RCS_HASH_SIZE);
    put_size(head + TAG_SIZE + RCS_HASH_SIZE, body.size);
    begin(hasher);
    update(hasher, head, sizeof head);
    update(hasher, body.data, body.size);
    return end(hasher, hash);
}

/* ---- keyed hashes ---- */

static void begin_padded(struct rcs_hasher *hasher, uint8_t pad)
{
    uint8_t block[sizeof hasher->key];

    for (size_t i = 0; i < sizeof block; i++) {
        block[i] = hasher->key[i] ^ pad;
    }
    begin(hasher);
    update(hasher, block, sizeof block);
}

static void mac_begin(struct rcs_hasher *hasher, const uint8_t salt[RCS_HASH_SIZE], const char *field)
{
    memset(hasher->key, 0, sizeof hasher->key);
    memcpy(hasher->key, salt, RCS_HASH_SIZE);
    begin_padded(hasher, 0x36);
    update(hasher, field, strlen(field));
    update(hasher, "\n", 1);
}

static void mac_size(struct rcs_hasher *hasher, size_t part)
{
    uint8_t size[8];

    put_size(size, part);
    update(hasher, size, sizeof size);
}

static void mac_part(struct rcs_hasher *hasher, struct recourse_span part)
{
    mac_size(hasher, part.size);
    update(hasher, part.data, part.size);
}

/* ASCII letters as small ones. */
static void mac_folded(struct rcs_hasher *hasher, struct recourse_span part)
{
    mac_size(hasher, part.size);
    while (part.size > 0) {
        char folded[64];
        size_t piece = part.size < sizeof folded ? part.size : sizeof folded;

        for (size_t i = 0; i < piece; i++) {
            char byte = part.data[i];

            folded[i] = byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
        }
        update(hasher, folded, piece);
        part = (struct recourse_span){part.data + piece, part.size - piece};
    }
}

static bool mac_end(struct rcs_hasher *hasher, uint8_t mac[RCS_HASH_SIZE])
{
    bool good = end(hasher, mac);

    begin_padded(hasher, 0x5c);
    update(hasher, mac, RCS_HASH_SIZE);
    memset(hasher->key, 0, sizeof hasher->key);
    return end(hasher, mac) && good;
}

bool rcs_mac(struct rcs_hasher *hasher, const uint8_t salt[RCS_HASH_SIZE], const char *field, struct recourse_span part,
             uint8_t mac[RCS_HASH_SIZE])
{
    mac_begin(hasher, salt, field);
    mac_part(hasher, part);
    return mac_end(hasher, mac);
}

bool rcs_mac_headers(struct rcs_hasher *hasher, const uint8_t salt[RCS_HASH_SIZE],
                     const struct recourse_header *headers, size_t count, uint8_t mac[RCS_HASH_SIZE])
{
    mac_begin(hasher, salt, "headers");
    for (size_t i = 0; i < count; i++) {
        mac_folded(hasher, headers[i].name);
        mac_part(hasher, headers[i].value);
    }
    return mac_end(hasher, mac);
}

bool rcs_salt_of(struct rcs_hasher *hasher, const uint8_t secret[RCS_HASH_SIZE], uint64_t call,
                 uint8_t salt[RCS_HASH_SIZE])
{
    uint8_t number[8];

    put_size(number, call);
    return rcs_mac(hasher, secret, "salt", (struct recourse_span){(const char *)number, sizeof number}, salt);
}
