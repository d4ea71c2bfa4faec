#include "src/audit/anchor.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "src/audit/log.h"
#include "src/core/json.h"

#define ORIGIN "recourse-audit/"
#define NAME_SIZE (sizeof ORIGIN - 1 + 2 * RCS_LOG_ID_SIZE)
#define HASH_TEXT 44u /* base64 of 32 bytes */
#define SIGNED_SIZE 68u
#define SIGNED_TEXT 92u /* base64 of as many */
#define DASH "\xe2\x80\x94 "
#define ED25519 0x01

/* The key's id: the first bytes of SHA-256(name, line feed, kind of signature, public key). */
static bool key_id(const char *name, const uint8_t key[32], uint8_t id[4])
{
    uint8_t text[NAME_SIZE + 2 + 32];
    uint8_t digest[32];

    memcpy(text, name, NAME_SIZE);
    text[NAME_SIZE] = '\n';
    text[NAME_SIZE + 1] = ED25519;
    memcpy(text + NAME_SIZE + 2, key, 32);
    if (EVP_Digest(text, sizeof text, digest, NULL, EVP_sha256(), NULL) != 1) {
        return false;
    }
    memcpy(id, digest, 4);
    return true;
}

int rcs_anchor_write(const struct rcs_anchor *anchor, const struct recourse_audit_signer *signer,
                     char text[RECOURSE_AUDIT_ANCHOR_MAX])
{
    char name[NAME_SIZE + 1] = ORIGIN;
    uint8_t signature[SIGNED_SIZE];
    char hash[HASH_TEXT + 1];
    char signed_text[SIGNED_TEXT + 1];
    int size;

    rcs_hex_write(anchor->log, sizeof anchor->log, name + sizeof ORIGIN - 1);
    name[NAME_SIZE] = '\0';
    EVP_EncodeBlock((unsigned char *)hash, anchor->hash, sizeof anchor->hash);
    size = snprintf(text, RECOURSE_AUDIT_ANCHOR_MAX, "%s\n%llu\n%s\n", name, (unsigned long long)anchor->size, hash);
    if (signer == NULL) {
        return 0;
    }
    if (!key_id(name, signer->public_key, signature) ||
        signer->sign(signer->user, (struct recourse_span){text, (size_t)size}, signature + 4) != 0) {
        return RECOURSE_E_SYSTEM;
    }
    EVP_EncodeBlock((unsigned char *)signed_text, signature, sizeof signature);
    snprintf(text + size, RECOURSE_AUDIT_ANCHOR_MAX - (size_t)size, "\n" DASH "%s %s\n", name, signed_text);
    return 0;
}

int recourse_audit_anchor(struct recourse_audit *audit, const struct recourse_audit_signer *signer,
                          char text[RECOURSE_AUDIT_ANCHOR_MAX])
{
    struct rcs_anchor anchor;
    int code = rcs_audit_flush(audit, NULL);

    code = code == 0 ? rcs_sync_now(audit) : code;
    if (code != 0) {
        return code;
    }
    memcpy(anchor.log, audit->log, sizeof anchor.log);
    memcpy(anchor.hash, audit->written, sizeof anchor.hash);
    anchor.size = audit->total_written;
    return rcs_anchor_write(&anchor, signer, text);
}

/* ---- reading ---- */

static bool next_line(struct recourse_span *text, struct recourse_span *line)
{
    const char *end = text->size > 0 ? memchr(text->data, '\n', text->size) : NULL;

    if (end == NULL) {
        return false;
    }
    *line = (struct recourse_span){text->data, (size_t)(end - text->data)};
    *text = (struct recourse_span){end + 1, text->size - line->size - 1};
    return true;
}

/* Base64 of exactly so many bytes, and what they are written as again. */
static bool read_base64(struct recourse_span text, uint8_t *bytes, size_t size)
{
    uint8_t decoded[SIGNED_SIZE + 4];
    char again[SIGNED_TEXT + 1];

    if (text.size != (size + 2) / 3 * 4 || text.size > SIGNED_TEXT ||
        EVP_DecodeBlock(decoded, (const unsigned char *)text.data, (int)text.size) < 0) {
        return false;
    }
    EVP_EncodeBlock((unsigned char *)again, decoded, (int)size);
    memcpy(bytes, decoded, size);
    return memcmp(again, text.data, text.size) == 0;
}

static bool good_signature(const uint8_t key[32], const uint8_t signature[64], struct recourse_span text)
{
    EVP_PKEY *pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key, 32);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = pkey != NULL && context != NULL && EVP_DigestVerifyInit(context, NULL, NULL, NULL, pkey) == 1 &&
                EVP_DigestVerify(context, signature, 64, (const unsigned char *)text.data, text.size) == 1;

    EVP_MD_CTX_free(context);
    EVP_PKEY_free(pkey);
    return good;
}

/* Whether one of the lines behind the text is the key's signature of it. */
static bool is_signed(struct recourse_span body, struct recourse_span rest, const uint8_t key[32])
{
    const size_t before = sizeof DASH - 1 + NAME_SIZE;
    struct recourse_span line;
    uint8_t bytes[SIGNED_SIZE];
    uint8_t id[4];

    if (!next_line(&rest, &line) || line.size != 0 || !key_id(body.data, key, id)) {
        return false;
    }
    while (next_line(&rest, &line)) {
        struct recourse_span text = {line.data + before + 1, line.size - before - 1};

        if (line.size != before + 1 + SIGNED_TEXT || memcmp(line.data, DASH, sizeof DASH - 1) != 0 ||
            memcmp(line.data + sizeof DASH - 1, body.data, NAME_SIZE) != 0 || line.data[before] != ' ' ||
            !read_base64(text, bytes, sizeof bytes)) {
            continue; /* somebody else's */
        }
        if (memcmp(bytes, id, sizeof id) == 0 && good_signature(key, bytes + 4, body)) {
            return true;
        }
    }
    return false;
}

const char *rcs_anchor_read(struct recourse_span text, const uint8_t key[32], struct rcs_anchor *anchor)
{
    struct recourse_span rest = text;
    struct recourse_span body;
    struct recourse_span line;
    int64_t size;

    if (!next_line(&rest, &line) || line.size != NAME_SIZE || memcmp(line.data, ORIGIN, sizeof ORIGIN - 1) != 0 ||
        !rcs_hex_read((struct recourse_span){line.data + sizeof ORIGIN - 1, 2 * RCS_LOG_ID_SIZE}, anchor->log,
                      sizeof anchor->log)) {
        return "its first line names no log";
    }
    if (!next_line(&rest, &line) || !rcs_json_integer(line, &size) || size < 1) {
        return "its second line is no number of records";
    }
    if (!next_line(&rest, &line) || !read_base64(line, anchor->hash, sizeof anchor->hash)) {
        return "its third line is no hash";
    }
    anchor->size = (uint64_t)size;
    body = (struct recourse_span){text.data, text.size - rest.size};
    return key == NULL || is_signed(body, rest, key) ? NULL : "it is not signed by the key";
}
