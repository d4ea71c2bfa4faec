/*
 * Loaded before libc into the program under test: makes calls of libc fail as a plan says, those of libraries included, and
 * counts what there was. The plan is FAULT_PLAN=KIND:N, the N-th call of a kind, or KIND:N+, all from the N-th on; FAULT_OUT
 * names the file for the counts. Both are gone from the environment, and with them this object, before the program begins:
 * what it starts runs undisturbed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { ALLOC, WRITE, SYNC, SPAWN, CONNECT, OPEN, KINDS };

static const char *const kinds[KINDS] = {"alloc", "write", "sync", "spawn", "connect", "open"};
static atomic_ulong counts[KINDS];
static atomic_long live; /* blocks that are not free again */
static enum kind planned = KINDS;
static unsigned long from;
static bool for_ever;
static char out[256];
static char where[64];  /* the object whose call was the first to fail */
static char events[1024]; /* by descriptor: that it is an eventfd */

static void write_counts(void);

/* One more call of this kind, made from `caller`: whether it fails. */
static bool fails_at(enum kind kind, const void *caller)
{
    unsigned long number = atomic_fetch_add(&counts[kind], 1) + 1;
    Dl_info object;

    if (kind != planned || !(number == from || (for_ever && number > from))) {
        return false;
    }
    if (number == from && dladdr(caller, &object) != 0) {
        const char *name = strrchr(object.dli_fname, '/');

        snprintf(where, sizeof where, "%s", name != NULL ? name + 1 : object.dli_fname);
        write_counts(); /* should this be all that there is to be said */
    }
    return true;
}

#define fails(kind) fails_at((kind), __builtin_return_address(0))

__attribute__((constructor)) static void read_plan(void)
{
    const char *plan = getenv("FAULT_PLAN");
    const char *file = getenv("FAULT_OUT");

    snprintf(out, sizeof out, "%s", file != NULL ? file : "");
    for (int i = 0; plan != NULL && i < KINDS; i++) {
        size_t size = strlen(kinds[i]);

        if (strncmp(plan, kinds[i], size) == 0 && plan[size] == ':') {
            char *end;

            from = strtoul(plan + size + 1, &end, 10);
            for_ever = *end == '+';
            planned = (enum kind)i;
        }
    }
    unsetenv("FAULT_PLAN");
    unsetenv("FAULT_OUT");
    unsetenv("LD_PRELOAD");
    for (int i = 0; i < KINDS; i++) {
        atomic_store(&counts[i], 0);
    }
}

__attribute__((destructor)) static void write_counts(void)
{
    enum kind kind = planned;
    char text[512];
    size_t used = 0;
    int fd;

    planned = KINDS;
    for (int i = 0; i < KINDS; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s=%lu ", kinds[i], atomic_load(&counts[i]));
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "live=%ld where=%s\n", atomic_load(&live), where);
    fd = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0) {
        if (write(fd, text, used) < 0) {
            abort();
        }
        close(fd);
    }
    planned = kind;
}

/* ---- memory ---- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static void *counted(void *memory)
{
    if (memory != NULL) {
        atomic_fetch_add(&live, 1);
    }
    return memory;
}

static void *none(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size)
{
    return fails(ALLOC) ? none() : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails(ALLOC) ? none() : counted(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    if (memory == NULL) {
        return malloc(size);
    }
    if (size == 0) {
        free(memory);
        return NULL;
    }
    return fails(ALLOC) ? none() : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(ALLOC) ? none() : counted(__libc_memalign(alignment, size));
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *made = fails(ALLOC) ? NULL : counted(__libc_memalign(alignment, size));

    if (made == NULL) {
        return ENOMEM;
    }
    *memory = made;
    return 0;
}

void free(void *memory)
{
    if (memory != NULL) {
        atomic_fetch_sub(&live, 1);
        __libc_free(memory);
    }
}

/* ---- system calls ---- */

/* The next function of this name. */
#define NEXT(type, name, ...)                                                                                         \
    static type (*next)(__VA_ARGS__);                                                                                 \
    if (next == NULL) {                                                                                               \
        void *symbol = dlsym(RTLD_NEXT, name);                                                                        \
        memcpy(&next, &symbol, sizeof next);                                                                          \
    }

static int failed(int why)
{
    errno = why;
    return -1;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    NEXT(ssize_t, "write", int, const void *, size_t)
    /* A counter that is added to has no such failure. */
    return (fd < 0 || fd >= (int)sizeof events || !events[fd]) && fails(WRITE) ? failed(EIO) : next(fd, bytes, size);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    NEXT(ssize_t, "writev", int, const struct iovec *, int)
    return fails(WRITE) ? failed(EIO) : next(fd, parts, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    NEXT(ssize_t, "pwrite", int, const void *, size_t, off_t)
    return fails(WRITE) ? failed(EIO) : next(fd, bytes, size, offset);
}

ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
    NEXT(ssize_t, "send", int, const void *, size_t, int)
    return fails(WRITE) ? failed(EPIPE) : next(fd, bytes, size, flags);
}

int fsync(int fd)
{
    NEXT(int, "fsync", int)
    return fails(SYNC) ? failed(EIO) : next(fd);
}

int fdatasync(int fd)
{
    NEXT(int, "fdatasync", int)
    return fails(SYNC) ? failed(EIO) : next(fd);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    NEXT(int, "posix_spawn", pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
         char *const *, char *const *)
    return fails(SPAWN) ? EAGAIN : next(pid, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    NEXT(int, "posix_spawnp", pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
         char *const *, char *const *)
    return fails(SPAWN) ? EAGAIN : next(pid, file, actions, attributes, arguments, environment);
}

int connect(int fd, const struct sockaddr *address, socklen_t size)
{
    NEXT(int, "connect", int, const struct sockaddr *, socklen_t)
    return fails(CONNECT) ? failed(ENETUNREACH) : next(fd, address, size);
}

int socket(int domain, int type, int protocol)
{
    NEXT(int, "socket", int, int, int)
    return fails(OPEN) ? failed(EMFILE) : next(domain, type, protocol);
}

int socketpair(int domain, int type, int protocol, int fds[2])
{
    NEXT(int, "socketpair", int, int, int, int *)
    return fails(OPEN) ? failed(EMFILE) : next(domain, type, protocol, fds);
}

int pipe2(int fds[2], int flags)
{
    NEXT(int, "pipe2", int *, int)
    return fails(OPEN) ? failed(EMFILE) : next(fds, flags);
}

int eventfd(unsigned value, int flags)
{
    int fd;

    NEXT(int, "eventfd", unsigned, int)
    fd = fails(OPEN) ? failed(EMFILE) : next(value, flags);
    if (fd >= 0 && fd < (int)sizeof events) {
        events[fd] = 1;
    }
    return fd;
}

int epoll_create1(int flags)
{
    NEXT(int, "epoll_create1", int)
    return fails(OPEN) ? failed(EMFILE) : next(flags);
}

int epoll_ctl(int poller, int operation, int fd, struct epoll_event *event)
{
    NEXT(int, "epoll_ctl", int, int, int, struct epoll_event *)
    return operation == EPOLL_CTL_ADD && fails(OPEN) ? failed(ENOMEM) : next(poller, operation, fd, event);
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    mode_t mode;

    NEXT(int, "open", const char *, int, ...)
    va_start(rest, flags);
    mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails(OPEN) ? failed(EMFILE) : next(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list rest;
    mode_t mode;

    NEXT(int, "openat", int, const char *, int, ...)
    va_start(rest, flags);
    mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails(OPEN) ? failed(EMFILE) : next(folder, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    NEXT(FILE *, "fopen", const char *, const char *)

    if (fails(OPEN)) {
        errno = EMFILE;
        return NULL;
    }
    return next(path, mode);
}
