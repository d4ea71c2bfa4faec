/* SHA-256 as the record uses it: the chain of lines, and keyed hashes of what is not written down. */
#ifndef RCS_AUDIT_CHAIN_H
#define RCS_AUDIT_CHAIN_H

#include <stdbool.h>

#include <recourse/facts.h>

#include "src/core/hex.h"

#define RCS_HASH_SIZE 32u
#define RCS_LOG_ID_SIZE 16u

/* One hash at a time. Not for two threads at once. */
struct rcs_hasher {
    void *context;   /* EVP_MD_CTX */
    void *algorithm; /* EVP_MD */
    uint8_t key[64]; /* of the keyed hash under way */
    bool failed;
};

/* False: no memory. */
bool rcs_hasher_init(struct rcs_hasher *hasher);
void rcs_hasher_clear(struct rcs_hasher *hasher);

/* Puts the line's hash in the place of the one before. False if libcrypto fails. */
bool rcs_chain_next(struct rcs_hasher *hasher, uint8_t hash[RCS_HASH_SIZE], struct recourse_span body);

/*
 * Keyed hashes (HMAC-SHA-256) of one content of a call. What is hashed: the field's name, a line feed, and then each
 * part as its length (8 bytes, little-endian) and its bytes, as they came. Of one part alone:
 */
bool rcs_mac(struct rcs_hasher *hasher, const uint8_t salt[RCS_HASH_SIZE], const char *field, struct recourse_span part,
             uint8_t mac[RCS_HASH_SIZE]);
/* Of headers: each one's name, folded, and its value, as two parts. */
bool rcs_mac_headers(struct rcs_hasher *hasher, const uint8_t salt[RCS_HASH_SIZE],
                     const struct recourse_header *headers, size_t count, uint8_t mac[RCS_HASH_SIZE]);

/* The salt of a call, from a secret that is never written down. */
bool rcs_salt_of(struct rcs_hasher *hasher, const uint8_t secret[RCS_HASH_SIZE], uint64_t call,
                 uint8_t salt[RCS_HASH_SIZE]);

#endif
