#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static bool fail(const char **why)
{
    *why = strerror(errno);
    return false;
}

static char *read_all(int fd, size_t max, size_t *size, const char **why)
{
    size_t capacity = 65536;
    size_t used = 0;
    char *data = rcs_cli_realloc(NULL, capacity);

    for (;;) {
        ssize_t got = read(fd, data + used, capacity - used - 1);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0 || used + (size_t)got > max) {
            *why = got < 0 ? strerror(errno) : "it is too large";
            free(data);
            return NULL;
        }
        if (got == 0) {
            data[used] = '\0';
            *size = used;
            return data;
        }
        used += (size_t)got;
        if (capacity - used < 2) {
            capacity *= 2;
            data = rcs_cli_realloc(data, capacity);
        }
    }
}

char *rcs_files_read(const char *path, size_t max, size_t *size, const char **why)
{
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    char *data;

    if (fd < 0) {
        fail(why);
        return NULL;
    }
    data = read_all(fd, max, size, why);
    if (fd != STDIN_FILENO) {
        close(fd);
    }
    return data;
}

static bool write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t wrote = write(fd, data, size);

        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote < 0) {
            return false;
        }
        data += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

static bool write_in_place(const char *path, const void *data, size_t size, const char **why)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good;

    if (fd < 0) {
        return fail(why);
    }
    good = write_all(fd, data, size);
    if (!good) {
        fail(why);
    }
    if (close(fd) != 0 && good) {
        return fail(why);
    }
    return good;
}

/* The mode of what is there, or what the umask leaves of `fresh`. */
static mode_t mode_for(const struct stat *there, mode_t fresh)
{
    mode_t mask;

    if (there != NULL) {
        return there->st_mode & 07777;
    }
    mask = umask(0);
    umask(mask);
    return fresh & ~mask;
}

static bool write_beside(const char *path, const struct stat *there, mode_t fresh, const void *data, size_t size, const char **why)
{
    size_t length = strlen(path);
    char *name = rcs_cli_realloc(NULL, length + sizeof ".XXXXXX");
    bool good;
    int fd;

    memcpy(name, path, length);
    memcpy(name + length, ".XXXXXX", sizeof ".XXXXXX");
    fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0) {
        fail(why);
        free(name);
        return false;
    }
    if (there != NULL && fchown(fd, there->st_uid, there->st_gid) != 0 && errno != EPERM) {
        fail(why);
    }
    good = (write_all(fd, data, size) && fchmod(fd, mode_for(there, fresh)) == 0) || fail(why);
    if (close(fd) != 0 && good) {
        good = fail(why);
    }
    if (good && rename(name, path) != 0) {
        good = fail(why);
    }
    if (!good) {
        unlink(name);
    }
    free(name);
    return good;
}

static bool stands_as_it_is(const char *path, const struct stat *there)
{
    return strncmp(path, "/dev/", 5) == 0 || (there != NULL && !S_ISREG(there->st_mode));
}

bool rcs_files_replace(const char *path, unsigned fresh, const void *data, size_t size, const char **why)
{
    struct stat status;
    const struct stat *there = stat(path, &status) == 0 ? &status : NULL;
    char *real;
    bool good;

    if (stands_as_it_is(path, there)) {
        return write_in_place(path, data, size, why);
    }
    real = there == NULL ? NULL : realpath(path, NULL);
    good = write_beside(real == NULL ? path : real, there, (mode_t)fresh, data, size, why);
    free(real);
    return good;
}

bool rcs_files_replaceable(const char *path, const char **why)
{
    struct stat status;
    const struct stat *there = stat(path, &status) == 0 ? &status : NULL;
    const char *slash = strrchr(path, '/');
    char directory[4096] = ".";

    if (there != NULL && S_ISDIR(there->st_mode)) {
        errno = EISDIR;
        return fail(why);
    }
    if (stands_as_it_is(path, there)) {
        return access(path, W_OK) == 0 || fail(why);
    }
    if (slash != NULL) {
        snprintf(directory, sizeof directory, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    }
    return access(directory, W_OK | X_OK) == 0 || fail(why);
}

/* The folder in which a file would be made, with no link in its name; NULL: there is none. To be freed. */
static char *folder_of(const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    char *folder = rcs_cli_realloc(NULL, length + 2);
    char *real;

    memcpy(folder, path, length);
    strcpy(folder + length, length == 0 ? "." : "");
    *name = slash == NULL ? path : slash + 1;
    real = realpath(folder, NULL);
    free(folder);
    return real;
}

bool rcs_files_same(const char *path, const char *other)
{
    struct stat one;
    struct stat two;
    bool there = stat(path, &one) == 0;
    const char *name;
    const char *other_name;
    char *folder;
    char *other_folder;
    bool same;

    if (there != (stat(other, &two) == 0)) {
        return false;
    }
    if (there) {
        return S_ISREG(one.st_mode) && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
    }
    folder = folder_of(path, &name);
    other_folder = folder_of(other, &other_name);
    same = folder != NULL && other_folder != NULL && strcmp(folder, other_folder) == 0 && strcmp(name, other_name) == 0;
    free(folder);
    free(other_folder);
    return same;
}
