/* The real port: the table of functions over the loop, the threads and HTTP. */
#include <recourse/port.h>

#include "src/core/fail.h"
#include "src/io/http.h"
#include "src/io/memory.h"
#include "src/io/process.h"
#include "src/io/spawn.h"
#include "src/io/threads.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

#define THREADS_DEFAULT 4u
#define THREADS_MAX 1024u
#define QUEUE_DEFAULT 1024u
#define QUEUE_MAX 1048576u
#define IDLE_DEFAULT 64u
#define IDLE_MAX 65536u
#define RANDOM_BYTES 1024u

struct real_port {
    struct recourse_port port; /* first: it is what the caller holds */
    struct recourse_allocator allocator;
    struct rcs_loop loop;
    struct rcs_http http;
    struct rcs_processes processes;
    struct rcs_threads threads;
    int (*submit)(void *user, void (*work)(void *argument), void *argument); /* the host's; NULL: our threads */
    void *submit_user;
    unsigned char random[RANDOM_BYTES]; /* the last `random_left` are unused */
    size_t random_left;
};

static uint64_t port_now_ms(void *self)
{
    (void)self;
    return rcs_now_ms();
}

static uint64_t port_wall_s(void *self)
{
    struct timespec now;

    (void)self;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 && now.tv_sec > 0 ? (uint64_t)now.tv_sec : 0;
}

static uint64_t port_wall_ns(void *self)
{
    struct timespec now;

    (void)self;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 && now.tv_sec > 0
               ? (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec
               : 0;
}

static int fill(unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t got = getrandom(bytes, size, 0);

        if (got < 0 && errno != EINTR) {
            return RECOURSE_E_SYSTEM;
        }
        if (got > 0) {
            bytes += got;
            size -= (size_t)got;
        }
    }
    return 0;
}

/* A system call for every kilobyte; what was handed out is wiped. */
static int port_random(void *self, void *bytes, size_t size)
{
    struct real_port *real = self;

    if (size > RANDOM_BYTES) {
        return fill(bytes, size);
    }
    if (size > real->random_left) {
        real->random_left = 0;
        if (fill(real->random, RANDOM_BYTES) != 0) {
            return RECOURSE_E_SYSTEM;
        }
        real->random_left = RANDOM_BYTES;
    }
    real->random_left -= size;
    if (size > 0) {
        memcpy(bytes, real->random + real->random_left, size);
        memset(real->random + real->random_left, 0, size);
    }
    return 0;
}

static int port_watch(void *self, int fd, unsigned events, void (*ready)(void *user, int fd, unsigned events),
                      void *user)
{
    struct real_port *real = self;

    return rcs_loop_watch(&real->loop, fd, events, ready, user);
}

static void port_unwatch(void *self, int fd)
{
    struct real_port *real = self;

    rcs_loop_unwatch(&real->loop, fd);
}

static int port_http_start(void *self, const struct recourse_http_request *request,
                           void (*done)(void *user, const struct recourse_http_response *response), void *user,
                           struct recourse_transfer **transfer)
{
    struct real_port *real = self;

    return rcs_http_start(&real->http, request, done, user, transfer);
}

static void port_http_touch(void *self, struct recourse_transfer *transfer)
{
    (void)self;
    rcs_http_touch(transfer);
}

static bool port_http_cancel(void *self, struct recourse_transfer *transfer)
{
    struct real_port *real = self;

    return rcs_http_cancel(&real->http, transfer);
}

static void port_http_resume(void *self, struct recourse_transfer *transfer)
{
    (void)self;
    rcs_http_resume(transfer);
}

static int port_process_start(void *self, const struct recourse_process_request *request,
                              void (*done)(void *user, const struct recourse_process_result *result), void *user,
                              struct recourse_process **process)
{
    struct real_port *real = self;

    return rcs_process_start(&real->processes, request, done, user, process);
}

static bool port_process_end(void *self, struct recourse_process *process)
{
    (void)self;
    return rcs_process_end(process);
}

static bool port_process_cancel(void *self, struct recourse_process *process)
{
    (void)self;
    return rcs_process_cancel(process);
}

static void port_process_resume(void *self, struct recourse_process *process)
{
    (void)self;
    rcs_process_resume(process);
}

static int port_process_write(void *self, struct recourse_process *process, const char *bytes, size_t size,
                              size_t *taken)
{
    (void)self;
    return rcs_process_write(process, bytes, size, taken);
}

static struct recourse_span port_process_errors(void *self, const struct recourse_process *process)
{
    (void)self;
    return rcs_buffer_span(&process->errors_kept);
}

static int port_submit(void *self, void (*work)(void *user), void *user)
{
    struct real_port *real = self;

    if (real->submit != NULL) {
        int code = real->submit(real->submit_user, work, user);

        return code == 0 || code == RECOURSE_E_AGAIN ? code : RECOURSE_E_SYSTEM;
    }
    return rcs_threads_submit(&real->threads, work, user);
}

static void port_wake(void *self)
{
    struct real_port *real = self;

    rcs_loop_wake(&real->loop);
}

static int port_poll(void *self, uint64_t timeout_ms)
{
    struct real_port *real = self;

    return rcs_loop_poll(&real->loop, timeout_ms);
}

static int port_descriptor(void *self)
{
    struct real_port *real = self;

    return real->loop.epoll;
}

static uint64_t port_wake_ms(void *self)
{
    struct real_port *real = self;

    return rcs_timers_next(&real->loop.timers);
}

static int port_dispatch(void *self)
{
    return port_poll(self, 0);
}

static int check_options(const struct recourse_port_options *options, struct recourse_error *error)
{
    if (options->size != sizeof *options) {
        return rcs_fail(error, RECOURSE_E_ABI, "recourse_port_options has another size: set `size`, or compile anew");
    }
    if (options->threads_max > THREADS_MAX || options->queue_max > QUEUE_MAX ||
        options->connections_idle_max > IDLE_MAX) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT,
                      "a port has at most 1024 threads, a queue of 1048576 and 65536 idle connections");
    }
    return 0;
}

static unsigned or_default(unsigned given, unsigned usual)
{
    return given != 0 ? given : usual;
}

static int open_parts(struct real_port *real, const struct recourse_port_options *options,
                      const struct recourse_allocator *allocator, struct recourse_error *error)
{
    int code = rcs_loop_init(&real->loop, allocator, error);

    if (code != 0) {
        return code;
    }
    code = rcs_threads_init(&real->threads, allocator, or_default(options->threads_max, THREADS_DEFAULT),
                            or_default(options->queue_max, QUEUE_DEFAULT));
    if (code != 0) {
        rcs_loop_clear(&real->loop);
        return rcs_fail(error, code, "no memory for a port's queue");
    }
    rcs_http_init(&real->http, &real->loop, or_default(options->connections_idle_max, IDLE_DEFAULT));
    real->http.http2 = options->http2;
    rcs_processes_init(&real->processes, &real->loop);
    real->submit = options->submit;
    real->submit_user = options->submit_user;
    return 0;
}

static const struct recourse_port functions = {
    .size = sizeof(struct recourse_port),
    .lag_ms = 1, /* now_ms cuts */
    .now_ms = port_now_ms,
    .wall_s = port_wall_s,
    .random = port_random,
    .watch = port_watch,
    .unwatch = port_unwatch,
    .http_start = port_http_start,
    .http_cancel = port_http_cancel,
    .http_touch = port_http_touch,
    .http_resume = port_http_resume,
    .process_start = port_process_start,
    .process_end = port_process_end,
    .process_cancel = port_process_cancel,
    .process_resume = port_process_resume,
    .process_write = port_process_write,
    .process_errors = port_process_errors,
    .submit = port_submit,
    .wake = port_wake,
    .poll = port_poll,
    .descriptor = port_descriptor,
    .wake_ms = port_wake_ms,
    .dispatch = port_dispatch,
    .wall_ns = port_wall_ns,
};

int recourse_port_new(const struct recourse_port_options *options, struct recourse_port **port,
                      struct recourse_error *error)
{
    static const struct recourse_port_options usual = {.size = sizeof usual};
    const struct recourse_allocator *allocator;
    struct real_port *real;
    int code;

    options = options != NULL ? options : &usual;
    code = check_options(options, error);
    if (code != 0) {
        return code;
    }
    allocator = options->allocator;
    real = rcs_alloc_zero(allocator, sizeof *real);
    if (real == NULL) {
        return rcs_fail(error, RECOURSE_E_MEMORY, "no memory for a port");
    }
    real->port = functions;
    real->port.self = real;
    if (!rcs_spawn_supported()) {
        real->port.process_start = NULL;
    }
    if (allocator != NULL) {
        real->allocator = *allocator;
        allocator = &real->allocator;
    }
    code = open_parts(real, options, allocator, error);
    if (code != 0) {
        rcs_free(options->allocator, real);
        return code;
    }
    *port = &real->port;
    return 0;
}

void recourse_port_kill(const struct recourse_port *port)
{
    const struct real_port *real = port->self;

    rcs_processes_kill(&real->processes);
}

void recourse_port_free(struct recourse_port *port)
{
    struct real_port *real;
    struct recourse_allocator allocator;
    bool given;

    if (port == NULL) {
        return;
    }
    real = port->self;
    allocator = real->allocator;
    given = real->loop.allocator != NULL;
    rcs_processes_clear(&real->processes);
    rcs_threads_clear(&real->threads);
    rcs_http_clear(&real->http);
    rcs_loop_clear(&real->loop);
    rcs_free(given ? &allocator : NULL, real);
}
