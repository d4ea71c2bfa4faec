#include "src/io/spawn.h"

#include "src/io/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STANDARD 3 /* descriptors 0 to 2 */

/* Headers of older systems lack them; the numbers are the same on every architecture. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#define BY_PIDFD ((idtype_t)3) /* P_PIDFD */

int rcs_spawn_check(const struct recourse_process_request *request)
{
    const char *const *names = request->environment;

    if (request->arguments == NULL || request->arguments[0] == NULL || request->arguments[0][0] == '\0') {
        return RECOURSE_E_ARGUMENT;
    }
    if (request->directory != NULL && request->directory[0] == '\0') {
        return RECOURSE_E_ARGUMENT;
    }
    for (; names != NULL && *names != NULL; names++) {
        if (strchr(*names, '=') == NULL || **names == '=') {
            return RECOURSE_E_ARGUMENT;
        }
    }
    return 0;
}

/* ---- descriptors ---- */

static void close_one(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

void rcs_pipes_close_child(struct rcs_pipes *pipes)
{
    for (int i = 0; i < STANDARD; i++) {
        close_one(&pipes->child[i]);
    }
}

/* A host may have closed its own standard descriptors: then ours could be where the child's have to be. */
static bool lift(int *fd)
{
    int lifted;

    if (*fd >= STANDARD) {
        return true;
    }
    lifted = fcntl(*fd, F_DUPFD_CLOEXEC, STANDARD);
    if (lifted < 0) {
        return false;
    }
    close(*fd);
    *fd = lifted;
    return true;
}

static bool open_pipe(int *ours, int *theirs)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    *ours = ends[0];
    *theirs = ends[1];
    return fcntl(*ours, F_SETFL, O_NONBLOCK) == 0;
}

/* A socket, since a pipe whose reader has gone is a SIGPIPE for the writer. */
static bool open_input(struct rcs_pipes *pipes)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return false;
    }
    pipes->input = ends[0];
    pipes->child[0] = ends[1];
    return shutdown(pipes->input, SHUT_RD) == 0;
}

int rcs_pipes_open(struct rcs_pipes *pipes)
{
    int number;

    *pipes = (struct rcs_pipes){-1, -1, -1, {-1, -1, -1}};
    if (open_input(pipes) && open_pipe(&pipes->output, &pipes->child[1]) &&
        open_pipe(&pipes->errors, &pipes->child[2]) && lift(&pipes->child[0]) && lift(&pipes->child[1]) &&
        lift(&pipes->child[2])) {
        return 0;
    }
    number = errno;
    close_one(&pipes->input);
    close_one(&pipes->output);
    close_one(&pipes->errors);
    rcs_pipes_close_child(pipes);
    return number;
}

/* ---- environment ---- */

static bool same_name(const char *a, const char *b)
{
    size_t size = strcspn(a, "=");

    return strncmp(a, b, size) == 0 && b[size] == '=';
}

static bool is_named(const char *entry, const char *const *list)
{
    for (; list != NULL && *list != NULL; list++) {
        if (same_name(*list, entry)) {
            return true;
        }
    }
    return false;
}

static size_t count(const char *const *list)
{
    size_t size = 0;

    while (list != NULL && list[size] != NULL) {
        size++;
    }
    return size;
}

/* Ours, without what `more` names as well, and the last of each name in `more`. Only the list is made anew. */
static const char **merge(const struct recourse_allocator *allocator, const char *const *more)
{
    const char *const *own = (const char *const *)environ;
    const char **merged = rcs_alloc(allocator, (count(own) + count(more) + 1) * sizeof *merged);
    size_t used = 0;

    if (merged == NULL) {
        return NULL;
    }
    for (; own != NULL && *own != NULL; own++) {
        if (!is_named(*own, more)) {
            merged[used++] = *own;
        }
    }
    for (; more != NULL && *more != NULL; more++) {
        if (!is_named(*more, more + 1)) {
            merged[used++] = *more;
        }
    }
    merged[used] = NULL;
    return merged;
}

/* ---- the start ---- */

/* Nothing but the standard descriptors, whatever the host or one of its libraries has forgotten to close. */
static int set_files(posix_spawn_file_actions_t *files, const struct recourse_process_request *request,
                     const struct rcs_pipes *pipes)
{
    int number = 0;

    for (int i = 0; i < STANDARD && number == 0; i++) {
        number = posix_spawn_file_actions_adddup2(files, pipes->child[i], i);
    }
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    if (number == 0) {
        number = posix_spawn_file_actions_addclosefrom_np(files, STANDARD);
    }
#endif
    if (number == 0 && request->directory != NULL) {
        number = posix_spawn_file_actions_addchdir_np(files, request->directory);
    }
    return number;
}

/* Its own group, so that a whole tree can be ended; no signal blocked or ignored because the host does it. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigset_t all;
    int number = posix_spawnattr_setflags(attributes,
                                          POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    sigemptyset(&none);
    sigfillset(&all);
    number = number != 0 ? number : posix_spawnattr_setpgroup(attributes, 0);
    number = number != 0 ? number : posix_spawnattr_setsigmask(attributes, &none);
    return number != 0 ? number : posix_spawnattr_setsigdefault(attributes, &all);
}

static int start(const struct recourse_process_request *request, const struct rcs_pipes *pipes,
                 const char *const *environment, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int number = posix_spawn_file_actions_init(&files);

    if (number != 0) {
        return number;
    }
    number = posix_spawnattr_init(&attributes);
    if (number == 0) {
        number = set_files(&files, request, pipes);
        number = number != 0 ? number : set_attributes(&attributes);
        /* Neither list is changed: the type of the parameters is older than const. */
        number = number != 0 ? number
                             : posix_spawnp(pid, request->arguments[0], &files, &attributes,
                                            (char *const *)(uintptr_t)request->arguments,
                                            (char *const *)(uintptr_t)environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return number;
}

static int pidfd_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int rcs_spawn(const struct recourse_process_request *request, const struct recourse_allocator *allocator,
              const struct rcs_pipes *pipes, pid_t *pid, int *pidfd)
{
    const char **environment = merge(allocator, request->environment);
    int number;

    if (environment == NULL) {
        return ENOMEM;
    }
    number = start(request, pipes, environment, pid);
    rcs_free(allocator, environment);
    if (number == 0) {
        *pidfd = pidfd_open(*pid);
    }
    return number;
}

bool rcs_spawn_supported(void)
{
    int fd = pidfd_open(getpid());

    if (fd < 0) {
        return errno != ENOSYS && errno != EPERM;
    }
    close(fd);
    return true;
}

int rcs_spawn_wait(pid_t pid, int pidfd, int options, siginfo_t *info)
{
    int code;

    do {
        info->si_pid = 0;
        code = pidfd >= 0 ? waitid(BY_PIDFD, (id_t)pidfd, info, options) : waitid(P_PID, (id_t)pid, info, options);
    } while (code != 0 && errno == EINTR);
    return code;
}

void rcs_spawn_signal(int pidfd, int signal)
{
    if (pidfd >= 0) {
        syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
    }
}
