/* The files of a log: opening, recovering, putting aside. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/audit/lines.h"
#include "src/audit/log.h"
#include "src/core/fail.h"
#include "src/io/memory.h"

#define ASIDE_MAX 1000000u /* files of one log */

int rcs_log_write(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t wrote = write(fd, bytes, size);

        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            return RECOURSE_E_SYSTEM;
        }
        bytes += wrote;
        size -= (size_t)wrote;
    }
    return 0;
}

/* ---- opening ---- */

/* Whether the file is still the one that the path leads to. */
static bool is_at(int fd, const char *path)
{
    struct stat here;
    struct stat there;

    return fstat(fd, &here) == 0 && stat(path, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

static int open_locked(const char *path, int flags, struct recourse_error *error)
{
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    struct stat status;

    if (fd < 0) {
        return rcs_fail(error, RECOURSE_E_SYSTEM, "%s: %s", path, strerror(errno));
    }
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "%s: a log is a file, and this is none", path);
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 || !is_at(fd, path)) {
        close(fd);
        return rcs_fail(error, RECOURSE_E_STATE, "%s: another process writes this log; give each its own", path);
    }
    return fd;
}

/* ---- reading what is there ---- */

struct scan {
    uint64_t good; /* bytes of whole records */
    uint64_t torn; /* bytes behind them */
    bool has_records;
};

static int damaged(const struct recourse_audit *audit, const struct rcs_lines *lines, const char *wrong,
                   struct recourse_error *error)
{
    return rcs_fail(error, RECOURSE_E_SYNTAX, "%s, line %llu: %s; nothing is appended to a damaged log: move it away",
                    audit->path, (unsigned long long)lines->number, wrong);
}

static int scan_lines(struct recourse_audit *audit, struct rcs_lines *lines, struct scan *scan,
                      struct recourse_error *error)
{
    struct recourse_span line;
    const char *wrong;

    for (;;) {
        switch (rcs_lines_next(lines, &line)) {
        case RCS_LINE_END:
            return 0;
        case RCS_LINE_TORN:
            scan->torn = line.size;
            return 0;
        case RCS_LINE_LONG:
            return damaged(audit, lines, "it is too long for a record", error);
        case RCS_LINE_FAILED:
            return rcs_fail(error, RECOURSE_E_SYSTEM, "%s: %s", audit->path, strerror(lines->error));
        case RCS_LINE_WHOLE:
            break;
        }
        wrong = rcs_lines_check(&audit->hasher, line, !scan->has_records, audit->hash, &audit->record);
        if (wrong != NULL) {
            return damaged(audit, lines, wrong, error);
        }
        if (audit->record.kind == RCS_KIND_SEGMENT) {
            audit->segment = (uint64_t)rcs_record_get(&audit->record, RCS_KEY_SEGMENT);
            audit->total = (uint64_t)rcs_record_get(&audit->record, RCS_KEY_COUNT_);
            (void)rcs_record_hex(&audit->record, RCS_KEY_LOG, audit->log, sizeof audit->log);
        }
        audit->total++;
        scan->has_records = true;
        scan->good = lines->offset;
    }
}

static int scan_file(struct recourse_audit *audit, struct scan *scan, struct recourse_error *error)
{
    struct rcs_lines *lines = rcs_alloc(audit->options.allocator, sizeof *lines);
    int code;

    if (lines == NULL) {
        return rcs_fail(error, RECOURSE_E_MEMORY, "no memory to read %s", audit->path);
    }
    rcs_lines_init_file(lines, &audit->fd);
    code = scan_lines(audit, lines, scan, error);
    rcs_free(audit->options.allocator, lines);
    return code;
}

/* Keeps the torn bytes beside the log, then cuts them off it. */
static int keep_torn(const struct recourse_audit *audit, const struct scan *scan)
{
    char bytes[4096];
    char name[4096];
    uint64_t left = scan->torn;
    int size = snprintf(name, sizeof name, "%s.torn", audit->path);
    int fd;
    int code = 0;

    if (size < 0 || (size_t)size >= sizeof name) {
        return RECOURSE_E_LIMIT;
    }
    fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return RECOURSE_E_SYSTEM;
    }
    while (left > 0 && code == 0) {
        size_t piece = left < sizeof bytes ? (size_t)left : sizeof bytes;
        ssize_t got = pread(audit->fd, bytes, piece, (off_t)(scan->good + scan->torn - left));

        code = got <= 0 ? RECOURSE_E_SYSTEM : rcs_log_write(fd, bytes, (size_t)got);
        left -= got > 0 ? (uint64_t)got : 0;
    }
    code = code == 0 ? rcs_log_write(fd, "\n", 1) : code;
    if (code == 0 && fsync(fd) != 0) {
        code = RECOURSE_E_SYSTEM;
    }
    close(fd);
    if (code == 0 && ftruncate(audit->fd, (off_t)scan->good) != 0) {
        code = RECOURSE_E_SYSTEM;
    }
    return code;
}

int rcs_log_open(struct recourse_audit *audit, uint64_t *torn, struct recourse_error *error)
{
    struct scan scan = {0};
    int fd = open_locked(audit->path, 0, error);
    int code;

    if (fd < 0) {
        return fd;
    }
    audit->fd = fd;
    code = scan_file(audit, &scan, error);
    if (code == 0 && scan.torn > 0 && keep_torn(audit, &scan) != 0) {
        code = rcs_fail(error, RECOURSE_E_SYSTEM, "%s: its torn last line can't be kept in %s.torn and cut off: %s",
                        audit->path, audit->path, strerror(errno));
    }
    if (code != 0) {
        close(fd);
        audit->fd = -1;
        return code;
    }
    memcpy(audit->written, audit->hash, sizeof audit->written);
    audit->total_written = audit->total;
    audit->file_size = scan.good;
    *torn = scan.torn;
    return 0;
}

/* ---- putting aside ---- */

/* Renames PATH to the first PATH.N that is free. */
static bool put_aside(const char *path)
{
    char name[4096];

    for (unsigned number = 1; number < ASIDE_MAX; number++) {
        int size = snprintf(name, sizeof name, "%s.%u", path, number);

        if (size < 0 || (size_t)size >= sizeof name) {
            return false;
        }
        if (link(path, name) == 0) {
            return unlink(path) == 0;
        }
        if (errno != EEXIST) {
            return false;
        }
    }
    return false;
}

int rcs_log_rotate(struct recourse_audit *audit)
{
    int fd;

    rcs_sync_wait(&audit->sync);
    if (audit->fd >= 0) {
        if (!is_at(audit->fd, audit->path) || !put_aside(audit->path)) {
            return RECOURSE_E_SYSTEM;
        }
        close(audit->fd);
        audit->fd = -1;
    }
    fd = open_locked(audit->path, O_EXCL, NULL);
    if (fd < 0) {
        return fd;
    }
    audit->fd = fd;
    audit->file_size = 0;
    return 0;
}
