/* The log as a file: what happens to it, what is found, what is recovered. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/unit/audit_kit.h"

static enum rcs_grade grade_of_file(const char *path)
{
    struct rcs_verdict verdict;
    size_t size;
    const char *text = read_file(path, &size);

    verify_bytes(&verdict, (struct recourse_span){text, size}, NULL);
    return verdict.grade;
}

/* A log of `calls` calls, closed. */
static struct recourse_span make_log(struct log_kit *kit, const char *name, unsigned calls)
{
    struct recourse_span log;

    kit_init(kit, name);
    RCS_EQUAL(kit_open(kit), 0);
    for (unsigned i = 0; i < calls; i++) {
        RCS_EQUAL(add_plain(kit), 0);
    }
    kit_close(kit);
    log.data = read_file(kit->path, &log.size);
    return log;
}

static bool folders_fail;

/* In the place of the system's own, for the library as for us. */
int fsync(int fd)
{
    struct stat status;

    if (folders_fail && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

/* The first one: the others need it. */
static void test_policy(void)
{
    CU_ASSERT_TRUE_FATAL(rcs_load_policy(&plain, RCS_PLAIN, NULL));
}

static void test_grades(void)
{
    struct log_kit kit;
    struct rcs_verdict verdict;
    struct recourse_span log = make_log(&kit, "grades", 2);
    struct stat status;

    verify_bytes(&verdict, log, NULL);
    RCS_EQUAL(verdict.grade, RCS_GRADE_COMPLETE);
    RCS_EQUAL(verdict.calls, 2);
    RCS_EQUAL(verdict.records, 10); /* header; precondition, attempt, outcome, reported, twice; close */
    RCS_EQUAL(stat(kit.path, &status), 0);
    RCS_EQUAL(status.st_mode & 0777, 0600);
    verify_bytes(&verdict, (struct recourse_span){"", 0}, NULL);
    RCS_EQUAL(verdict.grade, RCS_GRADE_EMPTY);
    log = make_log(&kit, "grades_empty", 0);
    verify_bytes(&verdict, log, NULL);
    RCS_EQUAL(verdict.grade, RCS_GRADE_EMPTY);
    RCS_EQUAL(verdict.records, 2);
}

static void test_other_policy(void)
{
    struct log_kit kit;
    struct rcs_verdict verdict;
    struct rcs_verify *verify = rcs_verify_new(NULL, 0, NULL);

    rcs_verify_bytes(verify, "log", make_log(&kit, "other", 1));
    rcs_verify_end(verify, &verdict);
    rcs_verify_free(verify);
    RCS_EQUAL(verdict.grade, RCS_GRADE_INTACT);
    RCS_EQUAL(verdict.unjudged, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(verdict.unknown, "plain"));
}

/* ---- damage ---- */

static void test_bit_flips(void)
{
    struct log_kit kit;
    struct recourse_span log = make_log(&kit, "flips", 1);
    char *bytes = malloc(log.size);
    unsigned missed = 0;

    memcpy(bytes, log.data, log.size);
    for (size_t i = 0; i < 8 * log.size; i++) {
        struct rcs_verdict verdict;

        bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
        verify_bytes(&verdict, (struct recourse_span){bytes, log.size}, NULL);
        bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
        missed += verdict.grade != RCS_GRADE_BROKEN || !verdict.broken.found || verdict.broken.line == 0;
    }
    RCS_EQUAL(missed, 0);
    free(bytes);
}

static size_t whole_lines(struct recourse_span log, size_t size)
{
    while (size > 0 && log.data[size - 1] != '\n') {
        size--;
    }
    return size;
}

/* Cut anywhere: what was whole is there, what was torn is kept aside, and the log goes on. */
static void test_truncations(void)
{
    struct log_kit kit;
    struct recourse_span log = make_log(&kit, "cut", 2);
    char torn_path[256];
    unsigned wrong = 0;

    snprintf(torn_path, sizeof torn_path, "%s.torn", kit.path);
    for (size_t size = 0; size <= log.size; size++) {
        size_t whole = whole_lines(log, size);
        struct rcs_arena arena = {0};
        struct rcs_verdict verdict;
        const char *why = NULL;
        char *text;
        char *torn;
        size_t got = 0;
        size_t kept = 0;

        write_file(kit.path, log.data, size);
        unlink(torn_path);
        RCS_EQUAL(kit_open(&kit), 0);
        RCS_EQUAL(add_plain(&kit), 0);
        kit_close(&kit);
        text = rcs_file_read(&arena, kit.path, &got, &why);
        torn = rcs_file_read(&arena, torn_path, &kept, &why);
        wrong += got < whole || memcmp(text, log.data, whole) != 0;
        wrong +=
            whole == size ? torn != NULL : kept != size - whole + 1 || memcmp(torn, log.data + whole, kept - 1) != 0;
        verify_bytes(&verdict, (struct recourse_span){text, got}, NULL);
        wrong += verdict.grade < RCS_GRADE_CONFORMANT || verdict.torn != (whole < size);
        wrong += (verdict.grade == RCS_GRADE_COMPLETE) != (size == 0 || size == log.size);
        rcs_arena_clear(&arena);
    }
    RCS_EQUAL(wrong, 0);
}

static void test_damage_before(void)
{
    struct log_kit kit;
    struct recourse_span log = make_log(&kit, "damaged", 2);
    char *bytes = malloc(log.size);
    size_t size;

    memcpy(bytes, log.data, log.size);
    bytes[log.size / 2] ^= 1;
    write_file(kit.path, bytes, log.size);
    RCS_EQUAL(kit_open(&kit), RECOURSE_E_SYNTAX);
    CU_ASSERT_PTR_NOT_NULL(strstr(kit.error.text, ", line "));
    CU_ASSERT_PTR_NOT_NULL(strstr(kit.error.text, "damaged log"));
    CU_ASSERT_TRUE(memcmp(read_file(kit.path, &size), bytes, log.size) == 0 && size == log.size);
    write_file(kit.path, "no log at all\n", 14);
    RCS_EQUAL(kit_open(&kit), RECOURSE_E_SYNTAX);
    free(bytes);
}

/* Sectors that a machine had not written when it stopped are zeros; zeros that end anywhere else are damage. */
static void test_holes(void)
{
    struct log_kit kit;
    struct recourse_span log = make_log(&kit, "holes", 2);
    char *bytes = malloc(log.size);
    char torn[256];
    size_t size;

    for (size_t end = 1536; end <= 1537; end++) {
        memcpy(bytes, log.data, log.size);
        memset(bytes + 1500, 0, end - 1500);
        write_file(kit.path, bytes, log.size);
        RCS_EQUAL(kit_open(&kit), end == 1536 ? 0 : RECOURSE_E_SYNTAX);
        if (end == 1536) {
            kit_close(&kit);
            RCS_EQUAL(grade_of_file(kit.path), RCS_GRADE_CONFORMANT);
        }
    }
    snprintf(torn, sizeof torn, "%s.torn", kit.path);
    CU_ASSERT_TRUE(read_file(torn, &size) != NULL && size > log.size - 1500 && size < log.size);
    free(bytes);
}

/* A writer that went between putting a file aside and the next one's first line. */
static void test_put_aside(void)
{
    struct log_kit kit;
    struct recourse_span log = make_log(&kit, "aside", 2);
    char aside[256];
    struct rcs_verdict verdict;
    struct recourse_span whole;
    size_t size;
    char *rest;

    snprintf(aside, sizeof aside, "%s.1", kit.path);
    RCS_EQUAL(rename(kit.path, aside), 0);
    write_file(kit.path, "{\"body\":{\"at\":", 15);
    RCS_EQUAL(kit_open(&kit), 0);
    RCS_EQUAL(add_plain(&kit), 0);
    kit_close(&kit);
    rest = read_file(kit.path, &size);
    whole = (struct recourse_span){rcs_arena_format(&scratch, "%.*s%.*s", (int)log.size, log.data, (int)size, rest),
                                   log.size + size};
    verify_bytes(&verdict, whole, NULL);
    RCS_EQUAL(verdict.grade, RCS_GRADE_CONFORMANT); /* a line was torn */
    RCS_EQUAL(verdict.calls, 3);
    RCS_EQUAL(verdict.torn, 1);
    write_file(aside, log.data, log.size - 1);
    write_file(kit.path, "", 0);
    RCS_EQUAL(kit_open(&kit), RECOURSE_E_SYNTAX);
    CU_ASSERT_PTR_NOT_NULL(strstr(kit.error.text, "aside.1, line "));
}

/* Lines that were taken out, or are in another order. */
static void test_missing_lines(void)
{
    struct log_kit kit;
    struct recourse_span log = make_log(&kit, "missing", 1);
    char *bytes = malloc(log.size);

    for (size_t at = 0; at < log.size;
         at = (size_t)((char *)memchr(log.data + at, '\n', log.size - at) - log.data) + 1) {
        size_t next = (size_t)((char *)memchr(log.data + at, '\n', log.size - at) - log.data) + 1;
        struct rcs_verdict verdict;

        memcpy(bytes, log.data, at);
        memcpy(bytes + at, log.data + next, log.size - next);
        verify_bytes(&verdict, (struct recourse_span){bytes, log.size - (next - at)}, NULL);
        RCS_EQUAL(verdict.grade, next == log.size ? RCS_GRADE_CONFORMANT : RCS_GRADE_BROKEN); /* no close */
    }
    free(bytes);
}

/* ---- writers ---- */

static void test_two_writers(void)
{
    struct log_kit kit;
    struct recourse_audit *second = NULL;

    kit_init(&kit, "two");
    RCS_EQUAL(kit_open(&kit), 0);
    RCS_EQUAL(recourse_audit_open(&kit.options, &second, &kit.error), RECOURSE_E_STATE);
    CU_ASSERT_PTR_NOT_NULL(strstr(kit.error.text, "another process writes this log"));
    kit_close(&kit);
    RCS_EQUAL(kit_open(&kit), 0); /* the next one may */
    RCS_EQUAL(add_plain(&kit), 0);
    kit_close(&kit);
    RCS_EQUAL(grade_of_file(kit.path), RCS_GRADE_COMPLETE);
}

static void test_fork(void)
{
    struct log_kit kit;
    int status = 0;
    pid_t child;

    kit_init(&kit, "fork");
    RCS_EQUAL(kit_open(&kit), 0);
    RCS_EQUAL(add_plain(&kit), 0); /* not written yet: a child that could, would write it twice */
    child = fork();
    if (child == 0) {
        bool good = add_plain(&kit) == 0 && rcs_audit_flush(kit.audit, NULL) == RECOURSE_E_STATE &&
                    add_plain(&kit) == RECOURSE_E_STATE && recourse_audit_close(kit.audit, NULL) == RECOURSE_E_STATE;

        _exit(good ? 0 : 1);
    }
    RCS_EQUAL(waitpid(child, &status, 0), child);
    RCS_EQUAL(status, 0);
    RCS_EQUAL(add_plain(&kit), 0);
    kit_close(&kit);
    RCS_EQUAL(grade_of_file(kit.path), RCS_GRADE_COMPLETE);
}

/* All files of a log, each of which begins with a header; returns how many were put aside. */
static unsigned verify_files(const struct log_kit *kit, struct rcs_verdict *verdict)
{
    static char names[64][256]; /* the verdict names them */
    struct rcs_arena arena = {0};
    struct rcs_judge judge;
    struct rcs_verify *verify;
    unsigned files = 0;
    size_t size;
    char *text;

    rcs_judge_init(&judge, &arena, plain.loaded.spec);
    verify = rcs_verify_new(&judge, 1, NULL);
    for (;; files++) {
        snprintf(names[files], sizeof names[files], "%s.%u", kit->path, files + 1);
        if (access(names[files], F_OK) != 0) {
            break;
        }
        CU_ASSERT_TRUE(grade_of_file(names[files]) != RCS_GRADE_BROKEN);
        rcs_verify_bytes(verify, names[files], (struct recourse_span){read_file(names[files], &size), size});
    }
    text = read_file(kit->path, &size);
    rcs_verify_bytes(verify, "last", (struct recourse_span){text, size});
    rcs_verify_end(verify, verdict);
    rcs_verify_free(verify);
    rcs_arena_clear(&arena);
    return files;
}

static void test_rotation(void)
{
    struct log_kit kit;
    struct rcs_verdict verdict;
    char second[256];
    unsigned files;

    kit_init(&kit, "rotated");
    kit.options.segment_max = 4000;
    RCS_EQUAL(kit_open(&kit), 0);
    for (unsigned i = 0; i < 20; i++) {
        RCS_EQUAL(add_plain(&kit), 0);
        RCS_EQUAL(rcs_audit_flush(kit.audit, NULL), 0);
    }
    kit_close(&kit);
    files = verify_files(&kit, &verdict);
    CU_ASSERT_TRUE(files > 2);
    RCS_EQUAL(verdict.grade, RCS_GRADE_COMPLETE);
    RCS_EQUAL(verdict.calls, 20);
    RCS_EQUAL(verdict.segments, files + 1);
    snprintf(second, sizeof second, "%s.2", kit.path);
    RCS_EQUAL(grade_of_file(second), RCS_GRADE_CONFORMANT); /* whole in itself, but not the whole */
}

/* A folder that can't be synced for a while, so that no file can be begun in it: what is lost meanwhile is told. */
static void test_failed_folder(void)
{
    struct log_kit kit;
    struct rcs_verdict verdict;

    kit_init(&kit, "folder");
    kit.options.segment_max = 4000;
    kit.options.sync = RECOURSE_AUDIT_BATCH;
    folders_fail = true;
    RCS_EQUAL(kit_open(&kit), RECOURSE_E_SYSTEM);
    folders_fail = false;
    RCS_EQUAL(kit_open(&kit), 0);
    for (unsigned i = 0; i < 20; i++) {
        folders_fail = i >= 5 && i < 15;
        if (add_plain(&kit) == 0) {
            RCS_EQUAL(rcs_audit_flush(kit.audit, NULL), 0);
        }
    }
    kit_close(&kit);
    CU_ASSERT_TRUE(verify_files(&kit, &verdict) > 1);
    RCS_EQUAL(verdict.grade, RCS_GRADE_CONFORMANT);
    CU_ASSERT_TRUE(verdict.lost > 0);
    CU_ASSERT_TRUE(verdict.calls > 10);
}

/* ---- what can't be written ---- */

static void set_file_limit(rlim_t size)
{
    struct rlimit limit;

    RCS_EQUAL(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    RCS_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A disk that is full for a while: a write that fits in part is taken back. */
static void test_disk_full(void)
{
    struct log_kit kit;
    struct rcs_verdict verdict;
    struct stat status;
    size_t size;
    char *text;

    signal(SIGXFSZ, SIG_IGN);
    kit_init(&kit, "full");
    RCS_EQUAL(kit_open(&kit), 0);
    RCS_EQUAL(add_plain(&kit), 0);
    RCS_EQUAL(rcs_audit_flush(kit.audit, NULL), 0);
    RCS_EQUAL(stat(kit.path, &status), 0);
    set_file_limit((rlim_t)status.st_size + 700);
    RCS_EQUAL(add_plain(&kit), 0);
    RCS_EQUAL(rcs_audit_flush(kit.audit, NULL), RECOURSE_E_SYSTEM);
    RCS_EQUAL(recourse_audit_lost(kit.audit), 4);
    set_file_limit((rlim_t)status.st_size + 10);
    CU_ASSERT_TRUE(add_plain(&kit) != 0);
    set_file_limit(RLIM_INFINITY);
    RCS_EQUAL(add_plain(&kit), 0);
    kit_close(&kit);
    text = read_file(kit.path, &size);
    verify_bytes(&verdict, (struct recourse_span){text, size}, NULL);
    RCS_EQUAL(verdict.grade, RCS_GRADE_CONFORMANT);
    RCS_EQUAL(verdict.lost, 5); /* of the call that was not written four; of the next one the one that ended it */
    RCS_EQUAL(verdict.calls, 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(verdict.incomplete, "lost"));
}

static void test_failed_sync(void)
{
    struct log_kit kit;
    bool synced = true;
    char aside[256];
    uint64_t mark;

    kit_init(&kit, "sync");
    kit.options.sync = RECOURSE_AUDIT_BEFORE_EFFECT;
    kit.sim.hold_work = true;
    RCS_EQUAL(kit_open(&kit), 0);
    RCS_EQUAL(add_plain(&kit), 0);
    RCS_EQUAL(rcs_audit_flush(kit.audit, &mark), 0);
    RCS_EQUAL(rcs_audit_synced(kit.audit, mark, &synced), 0);
    CU_ASSERT_FALSE(synced);
    RCS_EQUAL(kit.sim.held_count, 1);
    kit.audit->sync.fd = -1; /* what the disk can't do, a descriptor that is none can't either */
    kit.sim.hold_work = false;
    sim_release_work(&kit.sim);
    rcs_sync_wait(&kit.audit->sync);
    RCS_EQUAL(rcs_audit_flush(kit.audit, NULL), 0); /* which finds it first: whoever waits is told all the same */
    RCS_EQUAL(rcs_audit_synced(kit.audit, mark, &synced), RECOURSE_E_SYSTEM);
    RCS_EQUAL(add_plain(&kit), 0);
    kit_close(&kit);
    snprintf(aside, sizeof aside, "%s.1", kit.path);
    RCS_EQUAL(access(aside, F_OK), 0);
    RCS_EQUAL(grade_of_file(aside), RCS_GRADE_CONFORMANT);
    RCS_EQUAL(grade_of_file(kit.path), RCS_GRADE_CONFORMANT);
    sim_clear(&kit.sim);
}

static void test_options(void)
{
    struct log_kit kit;
    struct recourse_audit *audit = NULL;

    kit_init(&kit, "options");
    RCS_EQUAL(recourse_audit_open(NULL, &audit, NULL), RECOURSE_E_ARGUMENT);
    kit.options.size--;
    RCS_EQUAL(kit_open(&kit), RECOURSE_E_ARGUMENT);
    kit.options.size++;
    kit.options.sync = RECOURSE_AUDIT_SYNC_COUNT;
    RCS_EQUAL(kit_open(&kit), RECOURSE_E_ARGUMENT);
    kit.options.sync = RECOURSE_AUDIT_NONE;
    kit.options.capture = true;
    RCS_EQUAL(kit_open(&kit), RECOURSE_E_ARGUMENT);
    kit.options.capture = false;
    kit.options.path = directory;
    RCS_EQUAL(kit_open(&kit), RECOURSE_E_SYSTEM);
    kit.options.path = "/dev/null";
    RCS_EQUAL(kit_open(&kit), RECOURSE_E_ARGUMENT);
    kit.options.path = kit.path;
    kit.sim.random_error = RECOURSE_E_SYSTEM;
    RCS_EQUAL(kit_open(&kit), RECOURSE_E_SYSTEM);
    RCS_EQUAL(recourse_audit_close(NULL, NULL), 0);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"policy", test_policy},
        {"grades", test_grades},
        {"other policy", test_other_policy},
        {"bit flips", test_bit_flips},
        {"truncations", test_truncations},
        {"damage before", test_damage_before},
        {"holes", test_holes},
        {"put aside", test_put_aside},
        {"missing lines", test_missing_lines},
        {"two writers", test_two_writers},
        {"fork", test_fork},
        {"rotation", test_rotation},
        {"failed folder", test_failed_folder},
        {"disk full", test_disk_full},
        {"failed sync", test_failed_sync},
        {"options", test_options},
    };
    int status;

    directory = rcs_scratch(&scratch);
    status = rcs_unit_main("audit_log", tests, RCS_COUNT(tests));
    rcs_scratch_remove(&scratch, directory);
    rcs_clear_policy(&plain);
    rcs_arena_clear(&scratch);
    return status;
}
