/*
 * Logs of any bytes that a writer opens: either all is left alone, or what stays are the first whole records, the rest is kept
 * beside them, and the log is one that can be gone on with and whose chain holds. Files of the log, the newest last, divided by
 * lines "%%"; as they are, and with a chain that holds.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "src/audit/log.h"
#include "src/audit/verify.h"
#include "tests/fuzz/rechain.h"
#include "tests/unit/toy_policy.h"

#define FILES_MAX 4u
#define TEXT_MAX (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In the place of the system's own: what is on the disk is not asked for here. */
int fsync(int fd)
{
    (void)fd;
    return 0;
}

static uint64_t now_ms(void *self)
{
    (void)self;
    return 1000;
}

static int fill(void *self, void *bytes, size_t size)
{
    (void)self;
    memset(bytes, 7, size);
    return 0;
}

struct files {
    struct rcs_buffer texts[FILES_MAX];
    char names[FILES_MAX][96]; /* the last one that is used: PATH */
    char torn[80];
    size_t count;
};

static void name_files(struct files *files)
{
    char path[64];

    snprintf(path, sizeof path, P_tmpdir "/recourse-fuzz.%ld", (long)getpid());
    for (size_t i = 0; i + 1 < files->count; i++) {
        snprintf(files->names[i], sizeof files->names[i], "%s.%u", path, (unsigned)i + 1);
    }
    snprintf(files->names[files->count - 1], sizeof files->names[0], "%s", path);
    snprintf(files->torn, sizeof files->torn, "%s.torn", path);
}

static void write_files(const struct files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        int fd = open(files->names[i], O_WRONLY | O_CREAT | O_TRUNC, 0600);

        demand(fd >= 0 && rcs_log_write(fd, files->texts[i].data, files->texts[i].size) == 0);
        close(fd);
    }
}

static void remove_files(const struct files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        unlink(files->names[i]);
    }
    unlink(files->torn);
}

static struct recourse_span read_file(const char *name)
{
    static char text[2][TEXT_MAX];
    static unsigned next;
    char *into = text[next++ % 2];
    int fd = open(name, O_RDONLY);
    ssize_t got = fd >= 0 ? read(fd, into, TEXT_MAX) : 0;

    demand(got >= 0 && got < (ssize_t)TEXT_MAX);
    if (fd >= 0) {
        close(fd);
    }
    return (struct recourse_span){into, (size_t)got};
}

static bool is_same(struct recourse_span text, const char *data, size_t size)
{
    return text.size == size && (size == 0 || memcmp(text.data, data, size) == 0);
}

/* So much of the newest file has stayed; and behind it is a header. */
static void demand_kept(const struct files *files)
{
    const struct rcs_buffer *before = &files->texts[files->count - 1];
    struct recourse_span now = read_file(files->names[files->count - 1]);
    struct recourse_span torn = read_file(files->torn);
    size_t kept = torn.size > 0 ? before->size - (torn.size - 1) : before->size;

    demand(torn.size <= before->size + 1 && (torn.size == 0 || torn.data[torn.size - 1] == '\n'));
    demand(now.size > kept && is_same((struct recourse_span){now.data, kept}, before->data, kept));
    demand(kept == 0 || before->data[kept - 1] == '\n');
    demand(torn.size == 0 || is_same((struct recourse_span){torn.data, torn.size - 1}, before->data + kept, before->size - kept));
}

static void demand_chained(const struct files *files)
{
    struct rcs_verify *verify = rcs_verify_new(NULL, 0, NULL);
    struct rcs_verdict verdict;

    demand(verify != NULL);
    rcs_verify_bytes(verify, "log", read_file(files->names[files->count - 1]));
    rcs_verify_end(verify, &verdict);
    demand(!verdict.broken.found);
    rcs_verify_free(verify);
}

static void open_log(const struct files *files)
{
    struct recourse_port port = {.size = sizeof port, .now_ms = now_ms, .wall_s = now_ms, .random = fill};
    struct recourse_audit_options options = {.size = sizeof options, .port = &port, .policy = &toy_policy,
                                             .path = files->names[files->count - 1], .sync = RECOURSE_AUDIT_NONE};
    struct recourse_audit *audit = NULL;

    if (recourse_audit_open(&options, &audit, NULL) != 0) {
        for (size_t i = 0; i + 1 < files->count; i++) {
            demand(is_same(read_file(files->names[i]), files->texts[i].data, files->texts[i].size));
        }
        return;
    }
    demand(recourse_audit_close(audit, NULL) == 0);
    demand_kept(files);
    demand_chained(files);
    demand(recourse_audit_open(&options, &audit, NULL) == 0); /* what was recovered is good */
    demand(recourse_audit_close(audit, NULL) == 0);
}

static void recover(struct recourse_span text, bool chained)
{
    struct files files = {.count = 0};
    uint8_t hash[RCS_HASH_SIZE] = {0};
    bool more;

    do {
        size_t left = text.size;
        struct recourse_span part = rechain_part(&text);

        more = part.size < left;
        if (chained) {
            rechain_from(part, &files.texts[files.count++], hash);
        } else {
            rcs_buffer_init(&files.texts[files.count], NULL, TEXT_MAX);
            rechain_put(&files.texts[files.count++], part.data, part.size);
        }
    } while (more && files.count < FILES_MAX);
    name_files(&files);
    write_files(&files);
    open_log(&files);
    remove_files(&files);
    for (size_t i = 0; i < files.count; i++) {
        rcs_buffer_clear(&files.texts[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    recover((struct recourse_span){(const char *)data, size}, false);
    recover((struct recourse_span){(const char *)data, size}, true);
    return 0;
}
