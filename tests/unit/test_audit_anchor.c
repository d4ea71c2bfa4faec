/* Anchors: what they say, who has signed them, and which logs they find out. */
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "src/cli/audit.h"
#include "tests/unit/audit_kit.h"

static EVP_PKEY *key;
static struct recourse_audit_signer signer;

static int sign(void *user, struct recourse_span text, uint8_t signature[64])
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t size = 64;
    int good = EVP_DigestSignInit(context, NULL, NULL, NULL, user) == 1 &&
               EVP_DigestSign(context, signature, &size, (const unsigned char *)text.data, text.size) == 1;

    EVP_MD_CTX_free(context);
    return good ? 0 : -1;
}

static int refuse(void *user, struct recourse_span text, uint8_t signature[64])
{
    (void)user;
    (void)text;
    memset(signature, 0, 64);
    return -1;
}

/* RFC 8032, 7.1, test 1. */
static void test_key(void)
{
    static const char secret[] = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    uint8_t bytes[32];
    size_t size = 32;

    CU_ASSERT_TRUE_FATAL(rcs_load_policy(&plain, RCS_PLAIN, NULL));
    CU_ASSERT_TRUE_FATAL(rcs_hex_read((struct recourse_span){secret, 64}, bytes, 32));
    key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, bytes, 32);
    CU_ASSERT_PTR_NOT_NULL_FATAL(key);
    RCS_EQUAL(EVP_PKEY_get_raw_public_key(key, signer.public_key, &size), 1);
    signer.sign = sign;
    signer.user = key;
}

static const struct rcs_anchor example = {
    .log = {0xab, 1}, .size = 4711, .hash = {0xff, 0xfe, 0xfd, 1, 2, 3}};
#define NAME "recourse-audit/ab010000000000000000000000000000"
#define HASH "//79AQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

static void test_text(void)
{
    char text[RECOURSE_AUDIT_ANCHOR_MAX];
    struct rcs_anchor read;
    uint8_t other[32];

    RCS_EQUAL(rcs_anchor_write(&example, NULL, text), 0);
    RCS_TEXT_EQUAL(text, NAME "\n4711\n" HASH "\n");
    CU_ASSERT_PTR_NULL(rcs_anchor_read(words(text), NULL, &read));
    CU_ASSERT_TRUE(memcmp(&read, &example, sizeof read) == 0);
    RCS_TEXT_EQUAL(rcs_anchor_read(words(text), signer.public_key, &read), "it is not signed by the key");
    RCS_EQUAL(rcs_anchor_write(&example, &signer, text), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, HASH "\n\n\xe2\x80\x94 " NAME " "));
    CU_ASSERT_PTR_NULL(rcs_anchor_read(words(text), signer.public_key, &read));
    memcpy(other, signer.public_key, sizeof other);
    other[0] ^= 1;
    RCS_TEXT_EQUAL(rcs_anchor_read(words(text), other, &read), "it is not signed by the key");
    signer.sign = refuse;
    RCS_EQUAL(rcs_anchor_write(&example, &signer, text), RECOURSE_E_SYSTEM);
    signer.sign = sign;
}

/* Each byte of a signed anchor counts, but for those of lines that are not the key's. */
static void test_changed_text(void)
{
    char text[RECOURSE_AUDIT_ANCHOR_MAX];
    struct rcs_anchor read;
    size_t size;

    RCS_EQUAL(rcs_anchor_write(&example, &signer, text), 0);
    size = strlen(text);
    for (size_t i = 0; i < size; i++) {
        text[i] ^= 1;
        CU_ASSERT_PTR_NOT_NULL(rcs_anchor_read((struct recourse_span){text, size}, signer.public_key, &read));
        text[i] ^= 1;
        CU_ASSERT_PTR_NOT_NULL(rcs_anchor_read((struct recourse_span){text, i}, signer.public_key, &read));
    }
}

static void test_bad_text(void)
{
    static const struct {
        const char *text;
        const char *wrong;
    } cases[] = {
        {"", "its first line names no log"},
        {NAME, "its first line names no log"},
        {"recourse-audit/ab\n1\n" HASH "\n", "its first line names no log"},
        {"other-audit---/ab010000000000000000000000000000\n1\n" HASH "\n", "its first line names no log"},
        {NAME "\n0\n" HASH "\n", "its second line is no number of records"},
        {NAME "\n-1\n" HASH "\n", "its second line is no number of records"},
        {NAME "\n01\n" HASH "\n", "its second line is no number of records"},
        {NAME "\n1e3\n" HASH "\n", "its second line is no number of records"},
        {NAME "\n18446744073709551616\n" HASH "\n", "its second line is no number of records"},
        {NAME "\n1\n" HASH, "its third line is no hash"},
        {NAME "\n1\n//79AQID\n", "its third line is no hash"},
        {NAME "\n1\n//79AQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=\n", "its third line is no hash"},
        {NAME "\n1\n!!79AQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", "its third line is no hash"},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct rcs_anchor anchor;

        RCS_TEXT_EQUAL(rcs_anchor_read(words(cases[i].text), NULL, &anchor), cases[i].wrong);
    }
}

/* ---- logs ---- */

static void verify_anchored(struct rcs_verdict *verdict, struct recourse_span log, const struct rcs_anchor *anchor)
{
    struct rcs_arena arena = {0};
    struct rcs_judge judge;
    struct rcs_verify *verify;

    rcs_judge_init(&judge, &arena, plain.loaded.spec);
    verify = rcs_verify_new(&judge, 1, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(verify);
    rcs_verify_anchor(verify, anchor);
    rcs_verify_bytes(verify, "log", log);
    rcs_verify_end(verify, verdict);
    rcs_verify_free(verify);
    rcs_arena_clear(&arena);
}

/* A log of four calls, anchored in its middle, after eight of its 16 records and its header. */
static struct recourse_span anchored_log(struct log_kit *kit, const char *name, struct rcs_anchor *anchor)
{
    char text[RECOURSE_AUDIT_ANCHOR_MAX];
    struct recourse_span log;

    kit_init(kit, name);
    kit->sim.random = strlen(name) << 32; /* another log */
    RCS_EQUAL(kit_open(kit), 0);
    RCS_EQUAL(add_plain(kit), 0);
    RCS_EQUAL(add_plain(kit), 0);
    RCS_EQUAL(recourse_audit_anchor(kit->audit, &signer, text), 0);
    RCS_EQUAL(add_plain(kit), 0);
    RCS_EQUAL(add_plain(kit), 0);
    kit_close(kit);
    CU_ASSERT_PTR_NULL(rcs_anchor_read(words(text), signer.public_key, anchor));
    RCS_EQUAL(anchor->size, 9);
    log.data = read_file(kit->path, &log.size);
    return log;
}

static void test_cut(void)
{
    struct log_kit kit;
    struct rcs_anchor anchor;
    struct rcs_verdict verdict;
    struct recourse_span log = anchored_log(&kit, "cut", &anchor);
    uint64_t lines = 0;

    verify_anchored(&verdict, log, &anchor);
    RCS_EQUAL(verdict.grade, RCS_GRADE_ANCHORED);
    RCS_EQUAL(verdict.anchored, 9);
    for (size_t size = 1; size < log.size; size++) {
        if (log.data[size - 1] != '\n') {
            continue;
        }
        lines++;
        verify_anchored(&verdict, (struct recourse_span){log.data, size}, &anchor);
        RCS_EQUAL(verdict.grade, lines < 9 ? RCS_GRADE_BROKEN : RCS_GRADE_CONFORMANT);
        RCS_TEXT_EQUAL(verdict.broken.what, lines < 9 ? "the log ends before its anchor: it was cut" : "");
        RCS_EQUAL(verdict.broken.line, 0);
    }
    verify_anchored(&verdict, (struct recourse_span){"", 0}, &anchor);
    RCS_EQUAL(verdict.grade, RCS_GRADE_BROKEN);
}

static void test_rewritten(void)
{
    struct log_kit kit;
    struct rcs_anchor anchor;
    struct rcs_anchor other;
    struct rcs_verdict verdict;
    struct recourse_span log = anchored_log(&kit, "other", &other);

    log = anchored_log(&kit, "rewritten", &anchor);
    verify_anchored(&verdict, log, &other);
    RCS_EQUAL(verdict.grade, RCS_GRADE_BROKEN);
    RCS_TEXT_EQUAL(verdict.broken.what, "the anchor is of another log");
    memcpy(anchor.hash, other.hash, sizeof anchor.hash); /* a log that was written again from its beginning */
    verify_anchored(&verdict, log, &anchor);
    RCS_EQUAL(verdict.grade, RCS_GRADE_BROKEN);
    RCS_EQUAL(verdict.broken.line, 9);
    RCS_TEXT_EQUAL(verdict.broken.what, "it is not the record that was anchored: what came before it was rewritten");
    other.size = 1000;
    verify_anchored(&verdict, log, &other);
    RCS_TEXT_EQUAL(verdict.broken.what, "the anchor is of another log");
}

/* Files of one log: the count goes on, over rotation and other writers; what is before the anchor need not be there. */
static void test_files(void)
{
    static const uint64_t sizes[3] = {1, 6, 13}; /* header; header and call; the same, close, header */
    char text[RECOURSE_AUDIT_ANCHOR_MAX];
    struct rcs_anchor anchors[3];
    struct rcs_verdict verdict;
    struct recourse_span log;
    struct log_kit kit;

    kit_init(&kit, "files");
    kit.options.segment_max = 1;
    RCS_EQUAL(kit_open(&kit), 0);
    for (unsigned i = 0; i < 3; i++) {
        RCS_EQUAL(recourse_audit_anchor(kit.audit, NULL, text), 0);
        CU_ASSERT_PTR_NULL(rcs_anchor_read(words(text), NULL, &anchors[i]));
        RCS_EQUAL(anchors[i].size, sizes[i]);
        RCS_EQUAL(add_plain(&kit), 0);
        if (i == 1) {
            kit_close(&kit);
            kit.options.segment_max = 0;
            RCS_EQUAL(kit_open(&kit), 0);
        }
    }
    kit_close(&kit);
    log.data = read_file(kit.path, &log.size);
    verify_anchored(&verdict, log, &anchors[2]);
    RCS_EQUAL(verdict.anchored, 13);
    verify_anchored(&verdict, log, &anchors[0]);
    RCS_EQUAL(verdict.grade, RCS_GRADE_CONFORMANT);
    RCS_EQUAL(verdict.anchored, 0);
}

/* ---- the command ---- */

static void write_key(const char *path, bool private)
{
    FILE *file = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    RCS_EQUAL(private ? PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL) : PEM_write_PUBKEY(file, key), 1);
    fclose(file);
}

static int print_anchor(const char *log, const char *key_path, const char *to)
{
    int kept = dup(1);
    int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int status;

    fflush(stdout);
    CU_ASSERT_TRUE_FATAL(kept >= 0 && fd >= 0 && dup2(fd, 1) == 1);
    status = rcs_audit_anchor(log, key_path);
    fflush(stdout);
    CU_ASSERT_TRUE_FATAL(dup2(kept, 1) == 1);
    close(fd);
    close(kept);
    return status;
}

static void test_command(void)
{
    struct log_kit kit;
    struct rcs_anchor anchor;
    struct recourse_span log = anchored_log(&kit, "command", &anchor);
    char private_key[256];
    char public_key[256];
    char to[256];
    uint8_t bytes[32];
    size_t size;

    snprintf(private_key, sizeof private_key, "%s/private.pem", directory);
    snprintf(public_key, sizeof public_key, "%s/public.pem", directory);
    snprintf(to, sizeof to, "%s/anchor", directory);
    write_key(private_key, true);
    write_key(public_key, false);
    CU_ASSERT_TRUE(rcs_audit_public_key(public_key, bytes));
    CU_ASSERT_TRUE(memcmp(bytes, signer.public_key, 32) == 0);
    RCS_EQUAL(print_anchor(kit.path, private_key, to), 0);
    CU_ASSERT_PTR_NULL(rcs_anchor_read(words(read_file(to, &size)), bytes, &anchor));
    RCS_EQUAL(anchor.size, 18); /* the whole of it */
    RCS_EQUAL(print_anchor(kit.path, NULL, to), 0);
    CU_ASSERT_PTR_NULL(rcs_anchor_read(words(read_file(to, &size)), NULL, &anchor));
    RCS_EQUAL(anchor.size, 18);
    RCS_EQUAL(print_anchor(kit.path, public_key, to), 1);
    RCS_EQUAL(print_anchor(private_key, NULL, to), 1);
    write_file(kit.path, log.data, log.size - 1);
    RCS_EQUAL(print_anchor(kit.path, NULL, to), 1);
    CU_ASSERT_FALSE(rcs_audit_public_key(private_key, bytes));
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"key", test_key},   {"text", test_text},           {"changed text", test_changed_text},
        {"bad text", test_bad_text}, {"cut", test_cut},     {"rewritten", test_rewritten},
        {"files", test_files}, {"command", test_command},
    };
    int status;

    directory = rcs_scratch(&scratch);
    status = rcs_unit_main("audit_anchor", tests, RCS_COUNT(tests));
    EVP_PKEY_free(key);
    rcs_scratch_remove(&scratch, directory);
    rcs_clear_policy(&plain);
    rcs_arena_clear(&scratch);
    return status;
}
