/* What an approval is bound to: the one place where the runner asks libcrypto. */
#include <openssl/evp.h>

#include <recourse/runner.h>

/* Of the parts, one after the other. */
static int sha256(const struct recourse_span *parts, size_t count, uint8_t *digest)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;

    for (size_t i = 0; i < count && good; i++) {
        good = parts[i].size == 0 || EVP_DigestUpdate(context, parts[i].data, parts[i].size) == 1;
    }
    good = good && EVP_DigestFinal_ex(context, digest, NULL) == 1;
    EVP_MD_CTX_free(context);
    return good ? 0 : RECOURSE_E_MEMORY; /* it fails for want of memory only */
}

int recourse_approval_digest(struct recourse_span tool, struct recourse_span arguments,
                             uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE])
{
    static const char tag[] = "recourse approval 1\n";
    char size[8];
    struct recourse_span parts[] = {{tag, sizeof tag - 1}, {size, sizeof size}, tool, arguments};

    for (size_t i = 0; i < sizeof size; i++) {
        size[i] = (char)((uint64_t)tool.size >> (8 * i) & 0xff);
    }
    return sha256(parts, sizeof parts / sizeof parts[0], digest);
}
