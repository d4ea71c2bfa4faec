#include "src/io/loop.h"

#include "src/core/fail.h"
#include "src/io/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* Bounds of one poll: events a round, rounds while more are waiting, timers. */
#define EVENTS_MAX 128
#define ROUNDS_MAX 4
#define TIMERS_MAX 1024

uint64_t rcs_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void on_wake(void *user, int fd, unsigned events)
{
    uint64_t count;
    ssize_t got = read(fd, &count, sizeof count);

    (void)user;
    (void)events;
    (void)got; /* nothing to read: another poll has taken it */
}

static int fail(struct recourse_error *error, int code, const char *what)
{
    return rcs_fail(error, (enum recourse_code)code, "the port can't start: %s: %s", what, strerror(errno));
}

int rcs_loop_init(struct rcs_loop *loop, const struct recourse_allocator *allocator, struct recourse_error *error)
{
    int code;

    *loop = (struct rcs_loop){.allocator = allocator, .wake = -1};
    rcs_timers_init(&loop->timers, allocator);
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (loop->epoll < 0) {
        return fail(error, RECOURSE_E_SYSTEM, "epoll_create1");
    }
    loop->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->wake < 0) {
        code = fail(error, RECOURSE_E_SYSTEM, "eventfd");
        rcs_loop_clear(loop);
        return code;
    }
    code = rcs_loop_watch(loop, loop->wake, RECOURSE_READABLE, on_wake, loop);
    if (code != 0) {
        fail(error, code, "watching its own wake");
        rcs_loop_clear(loop);
    }
    return code;
}

void rcs_loop_clear(struct rcs_loop *loop)
{
    if (loop->epoll >= 0) {
        close(loop->epoll);
    }
    if (loop->wake >= 0) {
        close(loop->wake);
    }
    loop->epoll = -1;
    loop->wake = -1;
    rcs_timers_clear(&loop->timers);
    rcs_free(loop->allocator, loop->watches);
    loop->watches = NULL;
    loop->watch_capacity = 0;
}

static struct rcs_watch *find(const struct rcs_loop *loop, int fd)
{
    if (fd < 0 || (size_t)fd >= loop->watch_capacity || !loop->watches[fd].used) {
        return NULL;
    }
    return &loop->watches[fd];
}

static int control(const struct rcs_loop *loop, int operation, int fd, const struct rcs_watch *watch)
{
    struct epoll_event event = {.data.u64 = (uint64_t)watch->generation << 32 | (uint32_t)fd};

    event.events = ((watch->wanted & RECOURSE_READABLE) != 0 ? (uint32_t)EPOLLIN : 0) |
                   ((watch->wanted & RECOURSE_WRITABLE) != 0 ? (uint32_t)EPOLLOUT : 0);
    return epoll_ctl(loop->epoll, operation, fd, &event);
}

static int code_of_errno(void)
{
    switch (errno) {
    case ENOMEM:
        return RECOURSE_E_MEMORY;
    case EBADF:
    case EPERM:
        return RECOURSE_E_ARGUMENT;
    default:
        return RECOURSE_E_SYSTEM;
    }
}

/* Tells epoll what is wanted. A descriptor that was closed and opened anew behind our back is taken as it is now. */
static int tell(struct rcs_loop *loop, int fd, struct rcs_watch *watch)
{
    int operation = watch->in_epoll ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    int failed = control(loop, operation, fd, watch);

    if (failed != 0 && operation == EPOLL_CTL_MOD && errno == ENOENT) {
        failed = control(loop, EPOLL_CTL_ADD, fd, watch);
    } else if (failed != 0 && operation == EPOLL_CTL_ADD && errno == EEXIST) {
        failed = control(loop, EPOLL_CTL_MOD, fd, watch);
    }
    if (failed != 0) {
        return code_of_errno();
    }
    watch->in_epoll = true;
    watch->registered = watch->wanted;
    return 0;
}

static bool up_to_date(const struct rcs_watch *watch)
{
    unsigned surplus = watch->registered & ~(unsigned)watch->wanted;

    if ((watch->wanted & ~(unsigned)watch->registered) != 0) {
        return false;
    }
    return !watch->in_epoll || (surplus & RECOURSE_WRITABLE) == 0;
}

static int grow(struct rcs_loop *loop, int fd)
{
    size_t old = loop->watch_capacity;
    struct rcs_watch *watches =
        rcs_grow(loop->allocator, loop->watches, &loop->watch_capacity, (size_t)fd + 1, sizeof *watches);

    if (watches == NULL) {
        return RECOURSE_E_MEMORY;
    }
    memset(watches + old, 0, (loop->watch_capacity - old) * sizeof *watches);
    loop->watches = watches;
    return 0;
}

int rcs_loop_watch(struct rcs_loop *loop, int fd, unsigned events, rcs_ready *ready, void *user)
{
    struct rcs_watch before;
    struct rcs_watch *watch;
    int code;

    if (fd < 0 || ready == NULL || (events & ~(RECOURSE_READABLE | RECOURSE_WRITABLE)) != 0) {
        return RECOURSE_E_ARGUMENT;
    }
    if (((size_t)fd >= loop->watch_capacity && grow(loop, fd) != 0)) {
        return RECOURSE_E_MEMORY;
    }
    watch = &loop->watches[fd];
    before = *watch;
    if (!watch->used) {
        *watch = (struct rcs_watch){.used = true, .generation = ++loop->generation};
    }
    watch->ready = ready;
    watch->user = user;
    watch->wanted = (uint8_t)events;
    if (up_to_date(watch)) {
        return 0;
    }
    code = tell(loop, fd, watch);
    if (code != 0) {
        *watch = before;
    }
    return code;
}

bool rcs_loop_is_watched_by(const struct rcs_loop *loop, int fd, rcs_ready *ready)
{
    const struct rcs_watch *watch = find(loop, fd);

    return watch != NULL && watch->ready == ready;
}

bool rcs_loop_is_quiet(const struct rcs_loop *loop, int fd, rcs_ready *ready)
{
    return rcs_loop_is_watched_by(loop, fd, ready) && find(loop, fd)->wanted == 0;
}

void rcs_loop_unwatch(struct rcs_loop *loop, int fd)
{
    struct rcs_watch *watch = find(loop, fd);

    if (watch != NULL && watch->in_epoll) {
        control(loop, EPOLL_CTL_DEL, fd, watch);
    }
    rcs_loop_forget(loop, fd);
}

void rcs_loop_forget(struct rcs_loop *loop, int fd)
{
    struct rcs_watch *watch = find(loop, fd);

    if (watch != NULL) {
        *watch = (struct rcs_watch){0};
    }
}

int rcs_loop_reserve_timers(struct rcs_loop *loop, size_t *reserved, size_t count)
{
    size_t all = loop->timers_reserved - *reserved + count;

    if (rcs_timers_reserve(&loop->timers, all) != 0) {
        return RECOURSE_E_MEMORY;
    }
    loop->timers_reserved = all;
    *reserved = count;
    return 0;
}

/* An event that nobody asked for: epoll still knows an older wish, or reports a hang-up, which it always does. */
static void quiet(struct rcs_loop *loop, int fd, struct rcs_watch *watch)
{
    if (watch->wanted != 0) {
        (void)tell(loop, fd, watch);
        return;
    }
    control(loop, EPOLL_CTL_DEL, fd, watch);
    watch->in_epoll = false;
    watch->registered = 0;
}

static void deliver(struct rcs_loop *loop, const struct epoll_event *event)
{
    int fd = (int)(event->data.u64 & UINT32_MAX);
    struct rcs_watch *watch = find(loop, fd);
    unsigned events = 0;

    if (watch == NULL || watch->generation != event->data.u64 >> 32) {
        return;
    }
    if ((event->events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
        events |= RECOURSE_READABLE;
    }
    if ((event->events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) {
        events |= RECOURSE_WRITABLE;
    }
    events &= watch->wanted;
    if (events == 0) {
        quiet(loop, fd, watch);
        return;
    }
    watch->ready(watch->user, fd, events);
}

static int waiting_time(const struct rcs_loop *loop, uint64_t timeout_ms)
{
    uint64_t due = rcs_timers_next(&loop->timers);

    if (timeout_ms > 0 && due != RECOURSE_FOREVER) {
        uint64_t now = rcs_now_ms();
        uint64_t left = due > now ? due - now : 0;

        timeout_ms = left < timeout_ms ? left : timeout_ms;
    }
    if (timeout_ms == RECOURSE_FOREVER) {
        return -1;
    }
    return timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms;
}

void rcs_loop_after(struct rcs_loop *loop, struct rcs_after *after)
{
    if (!after->noted) {
        after->noted = true;
        after->next = loop->after;
        loop->after = after;
    }
}

void rcs_loop_forget_after(struct rcs_loop *loop, struct rcs_after *after)
{
    struct rcs_after **at = &loop->after;

    while (*at != NULL && *at != after) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = after->next;
        after->noted = false;
    }
}

static void run_after(struct rcs_loop *loop)
{
    struct rcs_after *after;

    while ((after = loop->after) != NULL) {
        loop->after = after->next;
        after->noted = false;
        after->run(after);
    }
}

static int deliver_events(struct rcs_loop *loop, int wait)
{
    struct epoll_event events[EVENTS_MAX];

    for (int round = 0; round < ROUNDS_MAX; round++) {
        int count = epoll_wait(loop->epoll, events, EVENTS_MAX, wait);

        if (count < 0) {
            return errno == EINTR ? 0 : RECOURSE_E_SYSTEM;
        }
        for (int i = 0; i < count; i++) {
            deliver(loop, &events[i]);
        }
        run_after(loop);
        if (count < EVENTS_MAX) {
            break;
        }
        wait = 0;
    }
    return 0;
}

int rcs_loop_poll(struct rcs_loop *loop, uint64_t timeout_ms)
{
    int code;

    if (loop->polling) {
        return RECOURSE_E_STATE;
    }
    loop->polling = true;
    code = deliver_events(loop, waiting_time(loop, timeout_ms));
    /* After the events, so that an answer which lies there already is not called late. */
    if (loop->timers.count > 0) {
        rcs_timers_run(&loop->timers, rcs_now_ms(), TIMERS_MAX);
    }
    loop->polling = false;
    return code;
}

void rcs_loop_wake(struct rcs_loop *loop)
{
    uint64_t one = 1;
    ssize_t put;

    do {
        put = write(loop->wake, &one, sizeof one);
    } while (put < 0 && errno == EINTR);
}
