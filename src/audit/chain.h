/* SHA-256 as the record uses it: the chain of lines, and keyed hashes of what is not written down. */
#ifndef RCS_AUDIT_CHAIN_H
#define RCS_AUDIT_CHAIN_H

#include <recourse/facts.h>

#include "src/core/hex.h"

#include <openssl/sha.h>

#define RCS_HASH_SIZE 32u
#define RCS_LOG_ID_SIZE 16u

/* Puts the line's hash in the place of the one before. */
void rcs_chain_next(uint8_t hash[RCS_HASH_SIZE], struct recourse_span body);

/* A salt, made ready for HMAC-SHA-256: what it has done to either half of it. */
struct rcs_salted {
    SHA256_CTX inner;
    SHA256_CTX outer;
};

void rcs_salted_init(struct rcs_salted *salted, const uint8_t salt[RCS_HASH_SIZE]);

/*
 * Keyed hashes (HMAC-SHA-256) of one content of a call. What is hashed: the field's name, a line feed, and then each
 * part as its length (8 bytes, little-endian) and its bytes, as they came. Of one part alone:
 */
void rcs_mac(const struct rcs_salted *salted, const char *field, struct recourse_span part, uint8_t mac[RCS_HASH_SIZE]);
/* Of headers: each one's name, folded, and its value, as two parts. */
void rcs_mac_headers(const struct rcs_salted *salted, const struct recourse_header *headers, size_t count,
                     uint8_t mac[RCS_HASH_SIZE]);

/* The salt of a call, from a secret that is never written down. */
void rcs_salt_of(const struct rcs_salted *secret, uint64_t call, uint8_t salt[RCS_HASH_SIZE]);

#endif
