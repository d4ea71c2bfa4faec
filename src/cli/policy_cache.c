#include "policy_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "gen/read.h"
#include "headers.h"
#include "src/policy/object.h"

#define SEAL_SIZE 32u
#define KEY_DIGITS 64u

/* ---- the directory ---- */

/* NULL: `*why`. */
static const char *choose_directory(struct rcs_arena *arena, const char **why)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");

    if (cache != NULL && *cache == '/') { /* the XDG base directory specification: relative ones are ignored */
        return rcs_arena_format(arena, "%s/recourse", cache);
    }
    if (home != NULL && *home == '/') {
        return rcs_arena_format(arena, "%s/.cache/recourse", home);
    }
    *why = "there is no place for a cache: neither XDG_CACHE_HOME nor HOME is set";
    return NULL;
}

static bool make_directories(struct rcs_arena *arena, const char *path)
{
    char *partial = rcs_arena_copy(arena, path, strlen(path));

    for (char *at = partial + 1; *at != '\0'; at++) {
        if (*at != '/') {
            continue;
        }
        *at = '\0';
        if (mkdir(partial, 0700) != 0 && errno != EEXIST) {
            int error = errno; /* of a read-only file system, say, where it is there all the same */

            if (access(partial, F_OK) != 0) {
                errno = error;
                return false;
            }
        }
        *at = '/';
    }
    return mkdir(partial, 0700) == 0 || errno == EEXIST;
}

/* Whoever else can write there decides what code runs here. */
static const char *objection(struct rcs_arena *arena, const char *path, int directory)
{
    struct stat status;

    if (fstat(directory, &status) != 0) {
        return rcs_arena_format(arena, "the cache %s can't be used: %s", path, strerror(errno));
    }
    if (status.st_uid != geteuid()) {
        return rcs_arena_format(arena, "the cache %s belongs to somebody else", path);
    }
    if ((status.st_mode & 077) != 0) {
        return rcs_arena_format(arena, "the cache %s is open to others (mode %04o): chmod 700 it", path,
                                (unsigned)(status.st_mode & 07777));
    }
    return NULL;
}

static int open_directory(struct rcs_arena *arena, const char *path, const char **why)
{
    struct stat status;
    int directory;

    if (!make_directories(arena, path)) {
        *why = rcs_arena_format(arena, "the cache %s can't be made: %s", path, strerror(errno));
        return -1;
    }
    directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0) {
        bool link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);

        *why = link ? rcs_arena_format(arena, "the cache %s is a symbolic link", path)
                    : rcs_arena_format(arena, "the cache %s can't be used: %s", path, strerror(errno));
        return -1;
    }
    *why = objection(arena, path, directory);
    if (*why != NULL) {
        close(directory);
        return -1;
    }
    return directory;
}

static const char *object_name(struct rcs_arena *arena, const struct rcs_spec *spec)
{
    char digits[KEY_DIGITS + 1];
    uint8_t key[SEAL_SIZE];
    struct rcs_string text = {.arena = arena};

    rcs_append(&text, (const char *)spec->file_sha256, sizeof spec->file_sha256);
    rcs_append(&text, (const char *)spec->behaviour_sha256, sizeof spec->behaviour_sha256);
    rcs_append_text(&text, rcs_arena_format(arena, "%u %s", RECOURSE_POLICY_ABI, RECOURSE_VERSION));
    rcs_digest(text.data, text.size, key);
    for (size_t i = 0; i < sizeof key; i++) {
        snprintf(digits + 2 * i, 3, "%02x", key[i]);
    }
    return rcs_arena_format(arena, "%s-%s.so", spec->name, digits);
}

bool rcs_cache_open(struct rcs_cache *cache, struct rcs_arena *arena, const struct rcs_spec *spec, const char **why)
{
    *cache = (struct rcs_cache){.arena = arena, .spec = spec, .directory = -1};
    cache->path = choose_directory(arena, why);
    if (cache->path == NULL) {
        return false;
    }
    cache->name = object_name(arena, spec);
    cache->directory = open_directory(arena, cache->path, why);
    return cache->directory >= 0;
}

void rcs_cache_close(struct rcs_cache *cache)
{
    if (cache->directory >= 0) {
        close(cache->directory);
        cache->directory = -1;
    }
}

/* ---- finding ---- */

/* All of a file that is ours; NULL: there is none, or it is something else. */
static unsigned char *read_object(const struct rcs_cache *cache, size_t *size)
{
    int file = openat(cache->directory, cache->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    unsigned char *bytes = NULL;
    struct stat status;
    ssize_t got = 0;

    if (file < 0) {
        return NULL;
    }
    *size = 0;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        (uintmax_t)status.st_size <= RCS_OBJECT_MAX) {
        bytes = rcs_arena_alloc(cache->arena, (size_t)status.st_size + 1);
        while (*size < (size_t)status.st_size &&
               (got = read(file, bytes + *size, (size_t)status.st_size - *size)) > 0) {
            *size += (size_t)got;
        }
    }
    close(file);
    return got < 0 ? NULL : bytes;
}

static bool is_wanted(const struct rcs_cache *cache, const struct recourse_policy *policy)
{
    return strcmp(policy->name, cache->spec->name) == 0 &&
           memcmp(policy->file_sha256, cache->spec->file_sha256, sizeof policy->file_sha256) == 0 &&
           memcmp(policy->behaviour_sha256, cache->spec->behaviour_sha256, sizeof policy->behaviour_sha256) == 0;
}

static const struct recourse_policy *load(const struct rcs_cache *cache, const unsigned char *bytes, size_t size,
                                          struct recourse_error *error)
{
    const char *path = rcs_arena_format(cache->arena, "%s/%s", cache->path, cache->name);
    const struct recourse_policy *policy = NULL;

    if (rcs_shared_open(path, bytes, size, &policy, error) != RECOURSE_OK) {
        return NULL;
    }
    if (!is_wanted(cache, policy)) {
        recourse_policy_release(policy);
        return NULL;
    }
    return policy;
}

const struct recourse_policy *rcs_cache_find(const struct rcs_cache *cache)
{
    uint8_t seal[SEAL_SIZE];
    size_t size = 0;
    unsigned char *bytes = read_object(cache, &size);

    if (bytes == NULL || size < SEAL_SIZE) {
        return NULL;
    }
    size -= SEAL_SIZE;
    rcs_digest((const char *)bytes, size, seal);
    return memcmp(seal, bytes + size, SEAL_SIZE) == 0 ? load(cache, bytes, size, NULL) : NULL;
}

/* ---- building ---- */

/* Written under the name of the directory that it was built in, and renamed: whole, or not there. */
static bool store(const struct rcs_cache *cache, const char *work, const char *bytes, size_t size)
{
    const char *name = rcs_arena_format(cache->arena, "%s.so", work);
    uint8_t seal[SEAL_SIZE];
    FILE *file;
    bool good;
    int made = openat(cache->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (made < 0) {
        return false;
    }
    file = fdopen(made, "wb");
    if (file == NULL) {
        close(made);
        return false;
    }
    rcs_digest(bytes, size, seal);
    good = fwrite(bytes, 1, size, file) == size && fwrite(seal, 1, sizeof seal, file) == sizeof seal;
    good = fclose(file) == 0 && good &&
           renameat(cache->directory, name, cache->directory, cache->name) == 0;
    if (!good) {
        (void)unlinkat(cache->directory, name, 0);
    }
    return good;
}

static const char *first_error(const struct rcs_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->items[i].severity == RCS_ERROR) {
            return findings->items[i].text;
        }
    }
    return "it can't be compiled";
}

static void remove_work(const struct rcs_cache *cache, const char *work)
{
    static const char *const endings[] = {"rl", "c", "h", "so"};

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        unlink(rcs_arena_format(cache->arena, "%s/%s.%s", work, cache->spec->name, endings[i]));
    }
    rmdir(work);
}

/* The object, built in a directory of its own. NULL: `*why`. */
static char *compile(const struct rcs_cache *cache, const struct rcs_machine *machine, const char *work, size_t *size,
                     const char **why)
{
    struct rcs_findings findings = {.arena = cache->arena};
    const char *include = rcs_headers_find(cache->arena);

    if (include == NULL) {
        *why = "the headers of recourse are not beside the command";
        return NULL;
    }
    if (!rcs_compile_shared(cache->arena, cache->spec, machine, work, include, &findings)) {
        *why = first_error(&findings);
        return NULL;
    }
    return rcs_file_read(cache->arena, rcs_arena_format(cache->arena, "%s/%s.so", work, cache->spec->name), size, why);
}

const struct recourse_policy *rcs_cache_build(const struct rcs_cache *cache, const struct rcs_machine *machine,
                                              const char **why)
{
    char *work = rcs_arena_format(cache->arena, "%s/.build-XXXXXX", cache->path);
    struct recourse_error error = {.code = RECOURSE_OK};
    const struct recourse_policy *policy;
    size_t size = 0;
    char *bytes;

    if (mkdtemp(work) == NULL) {
        *why = rcs_arena_format(cache->arena, "the cache %s can't be written: %s", cache->path, strerror(errno));
        return NULL;
    }
    bytes = compile(cache, machine, work, &size, why);
    remove_work(cache, work);
    if (bytes == NULL) {
        return NULL;
    }
    policy = load(cache, (const unsigned char *)bytes, size, &error);
    if (policy == NULL) {
        *why = *error.text != '\0' ? rcs_arena_copy(cache->arena, error.text, strlen(error.text))
                                   : "the compiled policy is another one";
        return NULL;
    }
    (void)store(cache, strrchr(work, '/') + 1, bytes, size); /* if not, the next one builds it again */
    return policy;
}
