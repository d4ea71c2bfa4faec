/*
 * A machine that stops: at every write, sync, cut and renaming of a log, and each time that a tool is touched, what the disk may
 * hold then is put into a folder of its own. Whatever it is, the log there is gone on with, it verifies, and each time that an
 * unsafe tool was touched has its attempt in it.
 *
 * The disk keeps what was synced. Of what was written later it has any of the sectors (the others are zeros), up to any
 * length; of names that were changed later, any so many of the first.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "src/audit/log.h"
#include "tests/sim/random.h"
#include "tests/unit/audit_touch.h"
#include "tests/unit/policy_load.h"
#include "tests/unit/run_kit.h"

#define SECTOR 512u
#define FILES_MAX 64u
#define FILE_MAX 65536u
#define LISTS_MAX 64u
#define ROUNDS 6u
#define STEPS_MAX 400u

/* ---- the disk ---- */

struct file {
    ino_t number;
    int fd; /* of our own, so that it stays readable whatever becomes of its name */
    size_t synced;
    char disk[FILE_MAX];
};

struct list {
    size_t count;
    struct {
        char name[256];
        struct file *file;
    } entries[FILES_MAX];
};

static struct {
    bool on; /* the log that is being written is looked at */
    struct file files[FILES_MAX];
    size_t file_count;
    struct list lists[LISTS_MAX]; /* the first one is on the disk */
    size_t list_count;
    char live[220];
    char left[220]; /* what a machine that stopped has left */
} disk;

static struct sim_random dice;
static struct touches touched;
static bool touches_count; /* in this mode of syncing they must be on the disk */
static unsigned stops;
static unsigned holes;

static void stop_here(void);

static struct file *file_of(int at, const char *name)
{
    int fd = openat(at, name, O_RDONLY | O_CLOEXEC);
    struct stat status;

    CU_ASSERT_TRUE_FATAL(fd >= 0 && fstat(fd, &status) == 0);
    for (size_t i = 0; i < disk.file_count; i++) {
        if (disk.files[i].number == status.st_ino) {
            close(fd);
            return &disk.files[i];
        }
    }
    CU_ASSERT_TRUE_FATAL(disk.file_count < FILES_MAX);
    disk.files[disk.file_count] = (struct file){.number = status.st_ino, .fd = fd};
    return &disk.files[disk.file_count++];
}

/* The names that there are now; a new list where they are not those of the last one. */
static void look_at_names(void)
{
    DIR *folder = opendir(disk.live);
    struct list now = {.count = 0};
    struct list *last = &disk.lists[disk.list_count - 1];
    const struct dirent *entry;

    CU_ASSERT_TRUE_FATAL(folder != NULL);
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.' && strstr(entry->d_name, ".torn") == NULL) {
            CU_ASSERT_TRUE_FATAL(now.count < FILES_MAX);
            snprintf(now.entries[now.count].name, sizeof now.entries[0].name, "%s", entry->d_name);
            now.entries[now.count++].file = file_of(dirfd(folder), entry->d_name);
        }
    }
    closedir(folder);
    if (now.count != last->count || memcmp(now.entries, last->entries, sizeof now.entries) != 0) {
        CU_ASSERT_TRUE_FATAL(disk.list_count < LISTS_MAX);
        disk.lists[disk.list_count++] = now;
    }
}

static void sync_folder(void)
{
    look_at_names();
    disk.lists[0] = disk.lists[disk.list_count - 1];
    disk.list_count = 1;
}

static void sync_file(int fd)
{
    struct stat status;

    CU_ASSERT_TRUE_FATAL(fstat(fd, &status) == 0);
    if (S_ISDIR(status.st_mode)) {
        sync_folder();
        return;
    }
    for (size_t i = 0; i < disk.file_count; i++) {
        struct file *file = &disk.files[i];

        if (file->number == status.st_ino) {
            ssize_t got = pread(file->fd, file->disk, sizeof file->disk, 0);

            CU_ASSERT_TRUE_FATAL(got >= 0 && (size_t)got < sizeof file->disk);
            file->synced = (size_t)got;
        }
    }
}

/* In the place of the system's own, for the library as for us. */
static int synced(int fd)
{
    if (disk.on) {
        stop_here();
        sync_file(fd);
        stop_here();
    }
    return 0;
}

int fsync(int fd)
{
    return synced(fd);
}

int fdatasync(int fd)
{
    return synced(fd);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    ssize_t wrote = syscall(SYS_write, fd, bytes, size);

    if (disk.on) {
        stop_here();
    }
    return wrote;
}

int ftruncate(int fd, off_t size)
{
    int code = (int)syscall(SYS_ftruncate, fd, size);

    if (disk.on) {
        stop_here();
    }
    return code;
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    int code = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);

    if (disk.on) {
        stop_here();
    }
    return code;
}

/* Whoever waits for a sync under way: here it is held until then. */
static struct sim *holder;

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
    (void)condition;
    pthread_mutex_unlock(lock);
    sim_release_work(holder);
    pthread_mutex_lock(lock);
    return 0;
}

/* ---- what is left of it ---- */

enum loss { ALL = 0, CUT = 1, SECTORS = 2, BOTH = 3, LOSS_COUNT = 4 };

static void put_left(const char *name, const struct file *file, enum loss loss)
{
    static char bytes[FILE_MAX];
    ssize_t now = pread(file->fd, bytes, sizeof bytes, 0);
    size_t size = file->synced;
    char path[300];
    int fd;

    CU_ASSERT_TRUE_FATAL(now >= 0 && (size_t)now < sizeof bytes);
    if (loss != ALL && (size_t)now > size) {
        uint32_t more = (uint32_t)((size_t)now - size);

        size += loss == SECTORS ? more : sim_below(&dice, more + 1);
    }
    for (size_t at = 0; at < size; at += SECTOR) {
        size_t end = at + SECTOR < size ? at + SECTOR : size;
        size_t old = file->synced > at ? (file->synced < end ? file->synced : end) - at : 0;

        if (loss >= SECTORS && sim_chance(&dice, 400)) { /* it is as it was when it was synced */
            memcpy(bytes + at, file->disk + at, old);
            memset(bytes + at + old, 0, end - at - old);
            holes += old < end - at;
        }
    }
    if (file->synced > (size_t)now || loss == ALL) { /* it was cut since, and who knows */
        memcpy(bytes, file->disk, file->synced);
    }
    snprintf(path, sizeof path, "%s/%s", disk.left, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CU_ASSERT_TRUE_FATAL(fd >= 0);
    RCS_EQUAL(rcs_log_write(fd, bytes, size), 0);
    close(fd);
}

static void clear_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.') {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

static void leave(enum loss loss)
{
    const struct list *list = &disk.lists[loss == ALL ? 0 : sim_below(&dice, (uint32_t)disk.list_count)];

    clear_folder(disk.left);
    for (size_t i = 0; i < list->count; i++) {
        put_left(list->entries[i].name, list->entries[i].file, loss);
    }
}

/* ---- what has to hold of it ---- */

static struct rcs_loaded_policy plain;
static struct rcs_judge judge;
static struct sim calm; /* a port for logs that are only looked at */

static void verify_left(void)
{
    struct rcs_verdict verdict;
    size_t missing = look_for_touches(&touched, disk.left, &judge, &verdict);

    RCS_TEXT_EQUAL(verdict.broken.what, "");
    RCS_TEXT_EQUAL(verdict.divergence.what, "");
    CU_ASSERT_TRUE(verdict.grade >= RCS_GRADE_CONFORMANT || verdict.grade == RCS_GRADE_EMPTY);
    RCS_EQUAL(touches_count ? missing : 0, 0);
}

static void recover_left(void)
{
    char path[300];
    struct recourse_audit_options options = {.size = sizeof options, .port = &calm.port, .policy = plain.policy, .path = path,
                                             .sync = RECOURSE_AUDIT_NONE};
    struct recourse_audit *audit = NULL;
    struct recourse_error error = {RECOURSE_OK, ""};

    snprintf(path, sizeof path, "%s/log", disk.left);
    RCS_EQUAL(recourse_audit_open(&options, &audit, &error), 0);
    RCS_TEXT_EQUAL(error.text, "");
    RCS_EQUAL(audit != NULL ? recourse_audit_close(audit, NULL) : -1, 0);
}

/* The machine stops now: in each of the ways. */
static void stop_here(void)
{
    unsigned failed = CU_get_number_of_failures();
    int error = errno;

    disk.on = false;
    look_at_names();
    for (unsigned loss = 0; loss < LOSS_COUNT && CU_get_number_of_failures() == failed; loss++) {
        leave((enum loss)loss);
        recover_left();
        if (CU_get_number_of_failures() == failed) {
            verify_left();
        }
        stops++;
    }
    disk.on = CU_get_number_of_failures() == failed; /* one failure is enough */
    errno = error;
}

/* ---- a host that works meanwhile ---- */

static const struct sim_answer answers[] = {{.after_ms = 3, .status = 200, .body = "fine"},
                                            {.network = RECOURSE_NETWORK_REFUSED, .unsent = true},
                                            {.after_ms = 5, .status = 500, .body = "bad"},
                                            {.after_ms = 1, .status = 200, .body = "fine"}};

/* What the tool has seen since `*seen`: "POST http://unsafe/" with its call's id as arguments, and the try in a header. */
static void note_touches(const struct sim *sim, size_t *seen)
{
    for (; *seen < sim->request_count; ++*seen) {
        const struct sim_request *request = &sim->requests[*seen % SIM_REQUESTS_MAX];
        const char *number = strstr(request->headers, "Recourse-Try: ");

        struct touch *touch = &touched.items[touched.count++];

        CU_ASSERT_TRUE_FATAL(touched.count < TOUCHES_MAX && number != NULL);
        touch->number = (unsigned)atoi(number + strlen("Recourse-Try: "));
        RCS_EQUAL(sscanf(request->body, "{\"id\":\"%23[^\"]\"}", touch->id), 1);
        stop_here();
    }
}

static void work(struct kit *kit, unsigned opening)
{
    size_t seen = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct recourse_call_request calls[3];
        char ids[3][32];
        char arguments[3][128];
        struct recourse_turn *turn;
        unsigned count = 1 + round % 3;

        for (unsigned i = 0; i < count; i++) {
            snprintf(ids[i], sizeof ids[i], "%u-%u-%u", opening, round, i);
            snprintf(arguments[i], sizeof arguments[i], "{\"id\":\"%s\"}", ids[i]);
            calls[i] = kit_call(ids[i], "unsafe", arguments[i]);
        }
        turn = kit_start(kit, calls, count);
        for (unsigned step = 0; step < STEPS_MAX && !recourse_turn_done(turn) && disk.on; step++) {
            RCS_EQUAL(recourse_runner_step(kit->runner, step % 4 == 3 && kit->sim.held_count == 0 ? 50 : 0), 0);
            note_touches(&kit->sim, &seen);
            if (sim_chance(&dice, 300)) {
                sim_release_work(&kit->sim);
            }
        }
        recourse_turn_free(turn);
    }
}

/* One opening of the log, which is what the last one left. */
static void open_and_work(uint8_t sync, unsigned opening)
{
    struct kit kit;
    struct recourse_runner_options options;
    char path[300];
    struct recourse_audit_options log = {.size = sizeof log, .policy = plain.policy, .path = path, .sync = sync,
                                         .segment_max = 3000};
    struct recourse_audit *audit = NULL;

    kit_init(&kit, &options);
    kit.sim.random = (uint64_t)(opening + 1) << 32; /* each writer has its own name */
    kit.sim.hold_work = true;
    holder = &kit.sim;
    snprintf(path, sizeof path, "%s/log", disk.live);
    log.port = options.port;
    disk.on = true;
    RCS_EQUAL(recourse_audit_open(&log, &audit, NULL), 0);
    CU_ASSERT_TRUE_FATAL(audit != NULL);
    options.policy = plain.policy;
    options.audit = audit;
    kit_open(&kit, &options);
    kit_http(&kit, "unsafe", false);
    sim_route(&kit.sim, "http://unsafe/", answers, RCS_COUNT(answers));
    work(&kit, opening);
    kit.sim.submit_error = RECOURSE_E_AGAIN;
    sim_release_work(&kit.sim);
    recourse_runner_free(kit.runner);
    disk.on = false; /* the machine stops before the log is closed */
    look_at_names();
    leave(SECTORS);
    RCS_EQUAL(recourse_audit_close(audit, NULL), 0);
    sim_clear(&kit.sim);
}

/* The disk is what was left of the last one. */
static void begin_with_left(bool with)
{
    const struct dirent *entry;
    DIR *folder;
    int live;

    for (size_t i = 0; i < disk.file_count; i++) {
        close(disk.files[i].fd);
    }
    disk.file_count = 0;
    disk.list_count = 1;
    memset(disk.lists, 0, sizeof disk.lists);
    clear_folder(disk.live);
    folder = opendir(disk.left);
    live = open(disk.live, O_RDONLY | O_DIRECTORY);
    CU_ASSERT_TRUE_FATAL(folder != NULL && live >= 0);
    while (with && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.') {
            RCS_EQUAL(renameat(dirfd(folder), entry->d_name, live, entry->d_name), 0);
        }
    }
    closedir(folder);
    close(live);
    sync_folder();
    for (size_t i = 0; i < disk.file_count; i++) {
        sync_file(disk.files[i].fd);
    }
}

static void stop_often(uint8_t sync, bool counted)
{
    touched.count = 0;
    touches_count = counted;
    stops = 0;
    holes = 0;
    for (unsigned opening = 0; opening < 3 && CU_get_number_of_failures() == 0; opening++) {
        begin_with_left(opening > 0);
        open_and_work(sync, opening);
    }
    printf("%u machines stopped, %zu tries had touched the tool, %u sectors were zeros\n", stops, touched.count, holes);
    CU_ASSERT_TRUE(stops > 800);
    CU_ASSERT_TRUE(holes > 100);
    CU_ASSERT_TRUE(touched.count > 30);
}

static void test_policy(void)
{
    CU_ASSERT_TRUE_FATAL(rcs_load_policy(&plain, RCS_PLAIN, NULL));
    rcs_judge_init(&judge, &plain.arena, plain.loaded.spec);
}

static void test_before_effect(void)
{
    stop_often(RECOURSE_AUDIT_BEFORE_EFFECT, true);
}

static void test_every(void)
{
    stop_often(RECOURSE_AUDIT_EVERY, true);
}

/* Attempts may be thrown away; what is left is a log. */
static void test_batch(void)
{
    stop_often(RECOURSE_AUDIT_BATCH, false);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"policy", test_policy}, {"before-effect", test_before_effect}, {"every", test_every}, {"batch", test_batch}};
    const char *seed = getenv("SEED");
    struct rcs_arena arena = {0};
    char *directory = rcs_scratch(&arena);
    int status;

    dice.state = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    sim_init(&calm, KIT_START_MS);
    snprintf(disk.live, sizeof disk.live, "%s/live", directory);
    snprintf(disk.left, sizeof disk.left, "%s/left", directory);
    if (mkdir(disk.live, 0700) != 0 || mkdir(disk.left, 0700) != 0) {
        return 1;
    }
    printf("SEED=%llu\n", (unsigned long long)dice.state);
    status = rcs_unit_main("audit_crash", tests, RCS_COUNT(tests));
    clear_folder(disk.live);
    clear_folder(disk.left);
    rmdir(disk.live);
    rmdir(disk.left);
    rcs_scratch_remove(&arena, directory);
    rcs_clear_policy(&plain);
    rcs_arena_clear(&arena);
    return status;
}
