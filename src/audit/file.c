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

/* What was named, renamed or cut is so on the disk as well. */
static int sync_folder(const struct recourse_audit *audit)
{
    char name[4096];
    const char *slash = strrchr(audit->path, '/');
    size_t size = slash != NULL ? (size_t)(slash - audit->path) + 1 : 0;
    int fd;
    int code;

    if (audit->options.sync == RECOURSE_AUDIT_NONE) {
        return 0;
    }
    if (size >= sizeof name) {
        return RECOURSE_E_LIMIT;
    }
    snprintf(name, sizeof name, "%.*s", (int)size, size > 0 ? audit->path : "");
    fd = open(size > 0 ? name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    code = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL) ? 0 : RECOURSE_E_SYSTEM; /* EINVAL: it can't be asked for there */
    if (fd >= 0) {
        close(fd);
    }
    return code;
}

/* PATH.N; false: that is too long. */
static bool aside_name(char name[4096], const char *path, unsigned number)
{
    int size = snprintf(name, 4096, "%s.%u", path, number);

    return size > 0 && size < 4096;
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

#define SECTOR 512u /* a disk writes at least so much at once */

struct scan {
    const char *path;
    struct rcs_lines lines;
    uint64_t good; /* bytes of whole records */
    uint64_t torn; /* bytes behind them */
    bool has_records;
};

static int damaged(const struct scan *scan, const char *wrong, struct recourse_error *error)
{
    return rcs_fail(error, RECOURSE_E_SYNTAX, "%s, line %llu: %s; nothing is appended to a damaged log: move it away",
                    scan->path, (unsigned long long)scan->lines.number, wrong);
}

/*
 * Whether a machine that stopped may have left such a line: of what was not synced the disk has some sectors, and of the
 * others zeros, which nobody writes here. Zeros that end within a sector are somebody else's.
 */
static bool is_hole(const struct scan *scan, struct recourse_span line)
{
    const char *at = memchr(line.data, '\0', line.size);

    while (at != NULL && at < line.data + line.size && *at == '\0') {
        at++;
    }
    return at != NULL && (at == line.data + line.size || (scan->good + (size_t)(at - line.data)) % SECTOR == 0);
}

/* All from here on is torn. */
static int tear(struct scan *scan, int fd, struct recourse_error *error)
{
    struct stat status;

    if (fstat(fd, &status) != 0) {
        return rcs_fail(error, RECOURSE_E_SYSTEM, "%s: %s", scan->path, strerror(errno));
    }
    scan->torn = (uint64_t)status.st_size - scan->good;
    return 0;
}

static int scan_lines(struct recourse_audit *audit, struct scan *scan, int fd, struct recourse_error *error)
{
    struct recourse_span line;
    const char *wrong;

    for (;;) {
        switch (rcs_lines_next(&scan->lines, &line)) {
        case RCS_LINE_END:
            return 0;
        case RCS_LINE_TORN:
            return tear(scan, fd, error);
        case RCS_LINE_FAILED:
            return rcs_fail(error, RECOURSE_E_SYSTEM, "%s: %s", scan->path, strerror(scan->lines.error));
        case RCS_LINE_LONG:
            wrong = "it is too long for a record";
            break;
        case RCS_LINE_WHOLE:
            wrong = rcs_lines_check(line, !scan->has_records, audit->hash, &audit->record);
            break;
        }
        if (wrong != NULL) {
            return is_hole(scan, line) ? tear(scan, fd, error) : damaged(scan, wrong, error);
        }
        if (audit->record.kind == RCS_KIND_SEGMENT) {
            audit->segment = (uint64_t)rcs_record_get(&audit->record, RCS_KEY_SEGMENT);
            audit->total = (uint64_t)rcs_record_get(&audit->record, RCS_KEY_COUNT_);
            (void)rcs_record_hex(&audit->record, RCS_KEY_LOG, audit->log, sizeof audit->log);
        }
        audit->total++;
        scan->has_records = true;
        scan->good = scan->lines.offset;
    }
}

/* Goes through a file of the log from its beginning; what is known of the log then is what its last record says. */
static int scan_file(struct recourse_audit *audit, struct scan *scan, const char *path, int fd, struct recourse_error *error)
{
    scan->path = path;
    scan->good = scan->torn = 0;
    scan->has_records = false;
    rcs_lines_init_file(&scan->lines, &fd);
    return scan_lines(audit, scan, fd, error);
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
    if (code == 0 && (ftruncate(audit->fd, (off_t)scan->good) != 0 || fsync(audit->fd) != 0)) {
        code = RECOURSE_E_SYSTEM; /* without a sync some of it could come back behind what is appended */
    }
    return code;
}

/* A file without a record: the one before it, if there is one, had been put aside. It was synced then. */
static int scan_aside(struct recourse_audit *audit, struct scan *scan, struct recourse_error *error)
{
    char name[4096];
    unsigned number = 1;
    int fd;
    int code;

    while (number < ASIDE_MAX && aside_name(name, audit->path, number) && access(name, F_OK) == 0) {
        number++;
    }
    if (number == 1 || !aside_name(name, audit->path, number - 1)) {
        return 0;
    }
    fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return rcs_fail(error, RECOURSE_E_SYSTEM, "%s: %s", name, strerror(errno));
    }
    code = scan_file(audit, scan, name, fd, error);
    close(fd);
    return code == 0 && scan->torn > 0 ? damaged(scan, "it is torn", error) : code;
}

/* Reads what there is. `*size` and `*torn`: bytes of the newest file that stay, and that were cut off. */
static int recover(struct recourse_audit *audit, struct scan *scan, uint64_t *size, uint64_t *torn,
                   struct recourse_error *error)
{
    int code = scan_file(audit, scan, audit->path, audit->fd, error);

    *size = scan->good;
    *torn = scan->torn;
    if (code == 0 && scan->torn > 0 && keep_torn(audit, scan) != 0) {
        code = rcs_fail(error, RECOURSE_E_SYSTEM, "%s: its torn end can't be kept in %s.torn and cut off: %s",
                        audit->path, audit->path, strerror(errno));
    }
    if (code == 0 && !scan->has_records) {
        code = scan_aside(audit, scan, error);
    }
    if (code == 0 && sync_folder(audit) != 0) {
        code = rcs_fail(error, RECOURSE_E_SYSTEM, "%s: its folder can't be synced: %s", audit->path, strerror(errno));
    }
    return code;
}

int rcs_log_open(struct recourse_audit *audit, uint64_t *torn, struct recourse_error *error)
{
    struct scan *scan;
    int fd = open_locked(audit->path, 0, error);
    int code;

    if (fd < 0) {
        return fd;
    }
    audit->fd = fd;
    scan = rcs_alloc(audit->options.allocator, sizeof *scan);
    code = scan != NULL ? recover(audit, scan, &audit->file_size, torn, error)
                        : rcs_fail(error, RECOURSE_E_MEMORY, "no memory to read %s", audit->path);
    rcs_free(audit->options.allocator, scan);
    if (code != 0) {
        close(fd);
        audit->fd = -1;
        return code;
    }
    memcpy(audit->written, audit->hash, sizeof audit->written);
    audit->total_written = audit->total;
    return 0;
}

/* ---- putting aside ---- */

/* At once, so that no stop finds both names or none; false where `to` is there. */
static bool move(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return true;
    }
    return errno == EINVAL && link(from, to) == 0 && unlink(from) == 0; /* not on this file system */
}

/* Renames PATH to the first PATH.N that is free. */
static bool put_aside(const char *path)
{
    char name[4096];

    for (unsigned number = 1; number < ASIDE_MAX && aside_name(name, path, number); number++) {
        if (move(path, name)) {
            return true;
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

    if (audit->fd >= 0) {
        rcs_sync_last(audit);
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
    if (sync_folder(audit) != 0) {
        (void)unlink(audit->path); /* it is begun again by the next record */
        close(fd);
        return RECOURSE_E_SYSTEM;
    }
    audit->fd = fd;
    audit->file_size = 0;
    return 0;
}
