/* Opens, counts and closes policies in shared objects. */
#include "src/policy/object.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/core/fail.h"

#define NUMBERS_TRIED 16u

struct opened {
    struct recourse_policy policy; /* a copy of the object's, and the first member: what callers hold */
    atomic_size_t references;
    void *object;
    int file; /* what the object was loaded from; -1: from its path */
};

static void retain(const struct recourse_policy *policy)
{
    struct opened *opened = (struct opened *)(uintptr_t)policy;

    atomic_fetch_add_explicit(&opened->references, 1, memory_order_relaxed);
}

static void close_object(struct opened *opened)
{
    if (opened->object != NULL) {
        dlclose(opened->object);
    }
    if (opened->file >= 0) {
        close(opened->file);
    }
    free(opened);
}

static void release(const struct recourse_policy *policy)
{
    struct opened *opened = (struct opened *)(uintptr_t)policy;

    if (atomic_fetch_sub_explicit(&opened->references, 1, memory_order_acq_rel) == 1) {
        close_object(opened);
    }
}

/* ---- loading ---- */

static bool write_all(int file, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, bytes, size);

        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* The name is what the process's list of maps shows. -1 where there are no such files. */
static int copy_to_memory(const char *path, const unsigned char *bytes, size_t size)
{
    const char *slash = strrchr(path, '/');
    char name[64];
    int file;

    snprintf(name, sizeof name, "recourse:%.48s", slash != NULL ? slash + 1 : path);
    file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 && (!write_all(file, bytes, size) ||
                      fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)) {
        close(file);
        file = -1;
    }
    return file;
}

static bool is_loaded(const char *name)
{
    void *object = dlopen(name, RTLD_NOW | RTLD_NOLOAD);

    if (object != NULL) {
        dlclose(object);
    }
    return object != NULL;
}

/* The loader would hand out what it has under a name already, and somebody else may have loaded from a descriptor of that
   number and closed it: then another number is taken. */
static void *load_from_memory(int *file)
{
    char name[32];

    for (unsigned i = 0; i < NUMBERS_TRIED; i++) {
        int next;

        snprintf(name, sizeof name, "/proc/self/fd/%d", *file);
        if (!is_loaded(name)) {
            return dlopen(name, RTLD_NOW | RTLD_LOCAL);
        }
        next = fcntl(*file, F_DUPFD_CLOEXEC, *file + 1);
        if (next < 0) {
            return NULL;
        }
        close(*file);
        *file = next;
    }
    return NULL;
}

/* A name without a slash would be looked for in the system's folders. */
static void *load_from_path(const char *path, struct recourse_error *error)
{
    size_t size = strlen(path) + sizeof "./";
    char *name = malloc(size);
    void *object = NULL;

    if (name == NULL) {
        (void)rcs_fail(error, RECOURSE_E_MEMORY, "%s: out of memory", path);
        return NULL;
    }
    snprintf(name, size, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    if (is_loaded(name)) {
        (void)rcs_fail(error, RECOURSE_E_SYSTEM,
                       "%s: a policy of that name is still in use: give the new one another name", path);
    } else {
        object = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (object == NULL) {
            const char *why = dlerror();

            (void)rcs_fail(error, RECOURSE_E_SYSTEM, "it can't be loaded: %s", why != NULL ? why : path);
        }
    }
    free(name);
    return object;
}

static int load(struct opened *opened, const char *path, const unsigned char *bytes, size_t size,
                struct recourse_error *error)
{
    struct recourse_error own = {.code = RECOURSE_E_SYSTEM};

    opened->file = copy_to_memory(path, bytes, size);
    if (opened->file >= 0) {
        opened->object = load_from_memory(&opened->file);
    }
    if (opened->object == NULL) {
        if (opened->file >= 0) {
            close(opened->file);
            opened->file = -1;
        }
        opened->object = load_from_path(path, &own);
    }
    if (opened->object == NULL && error != NULL) {
        *error = own;
    }
    return opened->object != NULL ? RECOURSE_OK : (int)own.code;
}

/* ---- checking ---- */

/* Where another object of the process has a policy of the same name, the pointer might lead there. */
static bool is_of_one_object(const void *one, const void *other)
{
    Dl_info first;
    Dl_info second;

    return dladdr(one, &first) != 0 && dladdr(other, &second) != 0 && first.dli_fbase == second.dli_fbase;
}

static int take(struct opened *opened, const char *path, struct recourse_error *error)
{
    const struct recourse_policy *const *symbol = dlsym(opened->object, RECOURSE_POLICY_SYMBOL);
    const struct recourse_policy *policy = symbol != NULL ? *symbol : NULL;

    if (policy == NULL) {
        return rcs_fail(error, RECOURSE_E_POLICY, "%s: it holds no policy (no " RECOURSE_POLICY_SYMBOL
                        "): `recourse compile --shared` makes one that does", path);
    }
    if (!is_of_one_object(symbol, policy)) {
        return rcs_fail(error, RECOURSE_E_POLICY,
                        "%s: its policy is taken from another object of this process: link it with -Bsymbolic", path);
    }
    if (policy->abi != RECOURSE_POLICY_ABI || policy->size != sizeof *policy) {
        return rcs_fail(error, RECOURSE_E_ABI,
                        "%s: compiled for ABI %u (%u bytes), and this is ABI %u (%u bytes): compile it again", path,
                        policy->abi, policy->size, RECOURSE_POLICY_ABI, (unsigned)sizeof *policy);
    }
    opened->policy = *policy;
    opened->policy.retain = retain;
    opened->policy.release = release;
    if (recourse_policy_check(&opened->policy) != RECOURSE_OK) {
        return rcs_fail(error, RECOURSE_E_POLICY, "%s: its tables can't be trusted: compile it again", path);
    }
    return RECOURSE_OK;
}

int rcs_shared_open(const char *path, const unsigned char *bytes, size_t size, const struct recourse_policy **policy,
                    struct recourse_error *error)
{
    const char *fault = rcs_object_fault(bytes, size);
    struct opened *opened;
    int code;

    if (fault != NULL) {
        return rcs_fail(error, RECOURSE_E_SYNTAX, "%s: %s", path, fault);
    }
    opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        return rcs_fail(error, RECOURSE_E_MEMORY, "%s: out of memory", path);
    }
    opened->file = -1;
    atomic_init(&opened->references, 1);
    code = load(opened, path, bytes, size, error);
    if (code == RECOURSE_OK) {
        code = take(opened, path, error);
    }
    if (code != RECOURSE_OK) {
        close_object(opened);
        return code;
    }
    *policy = &opened->policy;
    return RECOURSE_OK;
}

/* ---- reading ---- */

static int read_all(int file, const char *path, unsigned char *bytes, size_t *size, struct recourse_error *error)
{
    size_t used = 0;

    while (used < *size) {
        ssize_t got = read(file, bytes + used, *size - used);

        if (got < 0 && errno != EINTR) {
            return rcs_fail(error, RECOURSE_E_SYSTEM, "%s: it can't be read: %s", path, strerror(errno));
        }
        if (got == 0) {
            break; /* it has become shorter: the object's own check sees to that */
        }
        used += got > 0 ? (size_t)got : 0;
    }
    *size = used;
    return RECOURSE_OK;
}

static int open_file(int file, const char *path, const struct recourse_policy **policy, struct recourse_error *error)
{
    struct stat status;
    unsigned char *bytes;
    size_t size;
    int code;

    if (fstat(file, &status) != 0) {
        return rcs_fail(error, RECOURSE_E_SYSTEM, "%s: it can't be read: %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return rcs_fail(error, RECOURSE_E_SYNTAX, "%s: it is no file", path);
    }
    if ((uintmax_t)status.st_size > RCS_OBJECT_MAX) {
        return rcs_fail(error, RECOURSE_E_LIMIT, "%s: larger than 64 MiB", path);
    }
    size = (size_t)status.st_size;
    bytes = malloc(size + 1);
    if (bytes == NULL) {
        return rcs_fail(error, RECOURSE_E_MEMORY, "%s: out of memory", path);
    }
    code = read_all(file, path, bytes, &size, error);
    if (code == RECOURSE_OK) {
        code = rcs_shared_open(path, bytes, size, policy, error);
    }
    free(bytes);
    return code;
}

int recourse_policy_open(const char *path, const struct recourse_policy **policy, struct recourse_error *error)
{
    int file;
    int code;

    if (path == NULL || policy == NULL) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no path, or nowhere to put the policy");
    }
    /* Not waiting for somebody to write, where it is a pipe. */
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return rcs_fail(error, RECOURSE_E_SYSTEM, "%s: it can't be read: %s", path, strerror(errno));
    }
    code = open_file(file, path, policy, error);
    close(file);
    return code;
}
