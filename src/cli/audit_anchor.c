/* recourse audit anchor: how far a log goes, to be kept elsewhere; and the keys of anchors. */
#include "audit.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "src/audit/anchor.h"
#include "src/audit/lines.h"

/* ---- keys ---- */

static EVP_PKEY *read_key(const char *path, bool private)
{
    FILE *file = fopen(path, "re");
    EVP_PKEY *key = NULL;

    if (file == NULL) {
        rcs_cli_error("audit", "%s: the key can't be read: %s", path, strerror(errno));
        return NULL;
    }
    key = private ? PEM_read_PrivateKey(file, NULL, NULL, (void *)(uintptr_t)"") : PEM_read_PUBKEY(file, NULL, NULL, NULL);
    fclose(file);
    if (key == NULL || EVP_PKEY_get_base_id(key) != EVP_PKEY_ED25519) {
        rcs_cli_error("audit", "%s: it holds no %s key of Ed25519 in PEM, without a password (openssl genpkey -algorithm ed25519)",
                      path, private ? "private" : "public");
        EVP_PKEY_free(key);
        return NULL;
    }
    return key;
}

static bool public_bytes(const EVP_PKEY *key, uint8_t bytes[32])
{
    size_t size = 32;

    return EVP_PKEY_get_raw_public_key(key, bytes, &size) == 1 && size == 32;
}

bool rcs_audit_public_key(const char *path, uint8_t bytes[32])
{
    EVP_PKEY *key = read_key(path, false);
    bool good = key != NULL && public_bytes(key, bytes);

    EVP_PKEY_free(key);
    return good;
}

static int sign(void *user, struct recourse_span text, uint8_t signature[64])
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t size = 64;
    bool good = context != NULL && EVP_DigestSignInit(context, NULL, NULL, NULL, user) == 1 &&
                EVP_DigestSign(context, signature, &size, (const unsigned char *)text.data, text.size) == 1;

    EVP_MD_CTX_free(context);
    return good ? 0 : -1;
}

/* ---- the end of a log ---- */

struct end {
    struct rcs_record record;
    struct rcs_anchor anchor;
    struct rcs_lines lines;
};

/* NULL, or why there is nothing to be anchored. */
static const char *read_end(struct end *end)
{
    struct recourse_span line;
    const char *wrong;

    for (;;) {
        switch (rcs_lines_next(&end->lines, &line)) {
        case RCS_LINE_END: return end->lines.number > 0 ? NULL : "the log is empty";
        case RCS_LINE_TORN: return "the last line is torn";
        case RCS_LINE_LONG: return "it is too long for a record";
        case RCS_LINE_FAILED: return strerror(end->lines.error);
        case RCS_LINE_WHOLE: break;
        }
        wrong = rcs_lines_check(line, end->lines.number == 1, end->anchor.hash, &end->record);
        if (wrong != NULL) {
            return wrong;
        }
        if (end->record.kind == RCS_KIND_SEGMENT) {
            end->anchor.size = (uint64_t)rcs_record_get(&end->record, RCS_KEY_COUNT_);
            (void)rcs_record_hex(&end->record, RCS_KEY_LOG, end->anchor.log, sizeof end->anchor.log);
        }
        end->anchor.size++;
    }
}

static int print_anchor(const struct rcs_anchor *anchor, const char *key_path)
{
    char text[RECOURSE_AUDIT_ANCHOR_MAX];
    struct recourse_audit_signer signer = {.sign = sign};
    EVP_PKEY *key = key_path != NULL ? read_key(key_path, true) : NULL;
    int code;

    if (key_path != NULL && (key == NULL || !public_bytes(key, signer.public_key))) {
        EVP_PKEY_free(key);
        return RCS_EXIT_ERROR;
    }
    signer.user = key;
    code = rcs_anchor_write(anchor, key != NULL ? &signer : NULL, text);
    EVP_PKEY_free(key);
    if (code != 0) {
        return rcs_cli_error("audit", "the anchor can't be signed");
    }
    printf("%s", text);
    return RCS_EXIT_OK;
}

int rcs_audit_anchor(const char *path, const char *key)
{
    struct end *end = rcs_cli_realloc(NULL, sizeof *end);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    const char *wrong;
    int status;

    memset(end, 0, sizeof *end);
    if (fd < 0) {
        status = rcs_cli_error("audit", "%s: the log can't be read: %s", path, strerror(errno));
    } else {
        rcs_lines_init_file(&end->lines, &fd);
        wrong = read_end(end);
        status = wrong == NULL ? print_anchor(&end->anchor, key)
                               : rcs_cli_error("audit", "%s, line %llu: %s: nothing is anchored", path,
                                               (unsigned long long)end->lines.number, wrong);
    }
    if (fd >= 0) {
        close(fd);
    }
    free(end);
    return status;
}
