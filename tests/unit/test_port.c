#include "tests/unit/purse.h"
#include "tests/unit/unit.h"

#include <recourse/policy.h>
#include <recourse/port.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Nothing here takes this long; it ends a test that hangs. */
#define LONG_MS 10000

static struct recourse_port *port;

static void open_port(unsigned threads_max, unsigned queue_max)
{
    struct recourse_port_options options = {.size = sizeof options, .threads_max = threads_max, .queue_max = queue_max};
    struct recourse_error error;

    if (recourse_port_new(&options, &port, &error) != 0) {
        fprintf(stderr, "no port: %s\n", error.text);
        exit(2);
    }
}

static void close_port(void)
{
    recourse_port_free(port);
    port = NULL;
}

static bool is_readable(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};

    return poll(&one, 1, 0) == 1;
}

static void test_options(void)
{
    struct recourse_port_options options = {.size = 1};
    struct recourse_error error;

    port = NULL;
    RCS_EQUAL(recourse_port_new(&options, &port, &error), RECOURSE_E_ABI);
    RCS_EQUAL(error.code, RECOURSE_E_ABI);
    RCS_TEXT_EQUAL(error.text, "recourse_port_options has another size: set `size`, or compile anew");
    options = (struct recourse_port_options){.size = sizeof options, .threads_max = 1025};
    RCS_EQUAL(recourse_port_new(&options, &port, NULL), RECOURSE_E_ARGUMENT);
    options = (struct recourse_port_options){.size = sizeof options, .queue_max = 1048577};
    RCS_EQUAL(recourse_port_new(&options, &port, &error), RECOURSE_E_ARGUMENT);
    options = (struct recourse_port_options){.size = sizeof options, .connections_idle_max = 65537};
    RCS_EQUAL(recourse_port_new(&options, &port, &error), RECOURSE_E_ARGUMENT);
    CU_ASSERT_PTR_NULL(port);
    RCS_EQUAL(recourse_port_new(NULL, &port, &error), 0);
    RCS_EQUAL(port->size, sizeof *port);
    close_port();
    recourse_port_free(NULL);
}

static void test_no_descriptors(void)
{
    struct rlimit old;
    struct rlimit few;
    struct recourse_error error = {.text = ""};
    int codes[2];
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    close(fd);
    getrlimit(RLIMIT_NOFILE, &old);
    for (int i = 0; i < 2; i++) {
        few = (struct rlimit){(rlim_t)(fd + i), old.rlim_max};
        setrlimit(RLIMIT_NOFILE, &few);
        codes[i] = recourse_port_new(NULL, &port, &error);
        setrlimit(RLIMIT_NOFILE, &old);
    }
    RCS_EQUAL(codes[0], RECOURSE_E_SYSTEM);
    RCS_EQUAL(codes[1], RECOURSE_E_SYSTEM);
    RCS_TEXT_EQUAL(error.text, "the port can't start: eventfd: Too many open files");
}

static void test_each_allocation_fails(void)
{
    struct purse purse = {0, 0};
    struct recourse_allocator allocator = purse_allocator(&purse);
    struct recourse_port_options options = {.size = sizeof options, .allocator = &allocator};
    struct recourse_error error;
    unsigned left = 0;
    int code;

    do {
        purse.left = left++;
        code = recourse_port_new(&options, &port, &error);
        if (code != 0) {
            RCS_EQUAL(code, RECOURSE_E_MEMORY);
            RCS_EQUAL(error.code, RECOURSE_E_MEMORY);
            RCS_EQUAL(purse.out, 0);
        }
    } while (code != 0 && left < 100);
    RCS_EQUAL(code, 0);
    RCS_EQUAL(left, 5); /* the port, its watches, its threads, their queue; then it works */
    close_port();
    RCS_EQUAL(purse.out, 0);
}

static void test_clocks_and_random(void)
{
    static unsigned char bytes[3][300];
    static const unsigned char zero[300];
    struct timespec now;
    uint64_t before;

    open_port(1, 1);
    clock_gettime(CLOCK_MONOTONIC, &now);
    before = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    CU_ASSERT_TRUE(port->now_ms(port->self) >= before && port->now_ms(port->self) < before + LONG_MS);
    CU_ASSERT_TRUE(port->wall_s(port->self) >= (uint64_t)time(NULL) - 10);
    CU_ASSERT_TRUE(port->wall_s(port->self) <= (uint64_t)time(NULL) + 10);
    RCS_EQUAL(port->random(port->self, bytes[0], 300), 0);
    RCS_EQUAL(port->random(port->self, bytes[1], 200), 0);
    RCS_EQUAL(port->random(port->self, bytes[2], 200), 0);
    RCS_EQUAL(port->random(port->self, NULL, 0), 0);
    CU_ASSERT_TRUE(memcmp(bytes[0], zero, 300) != 0);
    CU_ASSERT_TRUE(memcmp(bytes[1], bytes[2], 200) != 0);
    CU_ASSERT_TRUE(memcmp(bytes[1], zero, 56) != 0);
    CU_ASSERT_TRUE(memcmp(bytes[2] + 144, zero, 56) != 0);
    close_port();
}

struct seen {
    unsigned calls;
    int fd;
    unsigned events;
};

static void note(void *user, int fd, unsigned events)
{
    struct seen *seen = user;

    seen->calls++;
    seen->fd = fd;
    seen->events = events;
}

static void pair(int fds[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) != 0) {
        exit(2);
    }
}

static void test_watch(void)
{
    struct seen seen = {0};
    int fds[2];

    open_port(1, 1);
    pair(fds);
    RCS_EQUAL(port->watch(port->self, fds[0], RECOURSE_READABLE, note, &seen), 0);
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(seen.calls, 0);
    RCS_EQUAL(write(fds[1], "x", 1), 1);
    CU_ASSERT_TRUE(is_readable(port->descriptor(port->self)));
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(seen.calls, 1);
    RCS_EQUAL(seen.fd, fds[0]);
    RCS_EQUAL(seen.events, RECOURSE_READABLE);
    RCS_EQUAL(port->watch(port->self, fds[0], RECOURSE_WRITABLE, note, &seen), 0);
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(seen.calls, 2);
    RCS_EQUAL(seen.events, RECOURSE_WRITABLE);
    RCS_EQUAL(port->watch(port->self, fds[0], RECOURSE_READABLE | RECOURSE_WRITABLE, note, &seen), 0);
    RCS_EQUAL(port->poll(port->self, RECOURSE_FOREVER), 0);
    RCS_EQUAL(seen.calls, 3);
    RCS_EQUAL(seen.events, RECOURSE_READABLE | RECOURSE_WRITABLE);
    port->unwatch(port->self, fds[0]);
    port->unwatch(port->self, fds[0]);
    port->unwatch(port->self, -1);
    CU_ASSERT_FALSE(is_readable(port->descriptor(port->self)));
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(seen.calls, 3);
    close(fds[0]);
    close(fds[1]);
    close_port();
}

/* A watch that asks for nothing hears nothing and costs nothing, whatever happens to the descriptor. */
static void test_watch_for_nothing(void)
{
    struct seen seen = {0};
    int fds[2];

    open_port(1, 1);
    pair(fds);
    RCS_EQUAL(port->watch(port->self, fds[0], RECOURSE_READABLE | RECOURSE_WRITABLE, note, &seen), 0);
    RCS_EQUAL(port->watch(port->self, fds[0], 0, note, &seen), 0);
    RCS_EQUAL(write(fds[1], "x", 1), 1);
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(port->dispatch(port->self), 0);
    CU_ASSERT_FALSE(is_readable(port->descriptor(port->self)));
    close(fds[1]);
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(port->dispatch(port->self), 0);
    CU_ASSERT_FALSE(is_readable(port->descriptor(port->self)));
    RCS_EQUAL(seen.calls, 0);
    RCS_EQUAL(port->watch(port->self, fds[0], RECOURSE_READABLE, note, &seen), 0);
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(seen.calls, 1);
    RCS_EQUAL(seen.events, RECOURSE_READABLE);
    port->unwatch(port->self, fds[0]);
    close(fds[0]);
    close_port();
}

/* READABLE is left with the system when no longer asked for; it must not be heard while another wish is. */
static void test_watch_narrows(void)
{
    struct seen seen = {0};
    int fds[2];
    char block[4096] = {0};

    open_port(1, 1);
    pair(fds);
    while (write(fds[0], block, sizeof block) > 0) {
    }
    RCS_EQUAL(port->watch(port->self, fds[0], RECOURSE_READABLE | RECOURSE_WRITABLE, note, &seen), 0);
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(seen.calls, 0);
    RCS_EQUAL(port->watch(port->self, fds[0], RECOURSE_WRITABLE, note, &seen), 0);
    RCS_EQUAL(write(fds[1], "x", 1), 1);
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(seen.calls, 0);
    CU_ASSERT_FALSE(is_readable(port->descriptor(port->self)));
    close(fds[1]);
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(seen.calls, 1);
    RCS_EQUAL(seen.events, RECOURSE_WRITABLE);
    port->unwatch(port->self, fds[0]);
    close(fds[0]);
    close_port();
}

static void test_watch_refuses(void)
{
    struct seen seen = {0};
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int closed = dup(file);

    close(closed);
    open_port(1, 1);
    RCS_EQUAL(port->watch(port->self, -1, RECOURSE_READABLE, note, &seen), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(port->watch(port->self, file, RECOURSE_READABLE, NULL, &seen), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(port->watch(port->self, file, 4, note, &seen), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(port->watch(port->self, file, RECOURSE_READABLE, note, &seen), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(port->watch(port->self, 100000, RECOURSE_READABLE, note, &seen), RECOURSE_E_ARGUMENT);
    port->unwatch(port->self, file);
    port->unwatch(port->self, 100000);
    close(file);
    close_port();
}

/* The host closed a descriptor that it still watched, and opened another of the same number. */
static void test_watch_after_careless_close(void)
{
    struct seen seen = {0};
    int first[2];
    int second[2];

    open_port(1, 1);
    pair(first);
    pair(second);
    RCS_EQUAL(port->watch(port->self, first[0], RECOURSE_READABLE, note, &seen), 0);
    RCS_EQUAL(dup2(second[0], first[0]), first[0]);
    RCS_EQUAL(port->watch(port->self, first[0], RECOURSE_READABLE | RECOURSE_WRITABLE, note, &seen), 0);
    RCS_EQUAL(write(second[1], "x", 1), 1);
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(seen.calls, 1);
    RCS_EQUAL(seen.events, RECOURSE_READABLE | RECOURSE_WRITABLE);
    port->unwatch(port->self, first[0]);
    for (int i = 0; i < 2; i++) {
        close(first[i]);
        close(second[i]);
    }
    close_port();
}

static int twins[2];
static unsigned twin_calls;
static struct seen newcomer;

/* The first of two that are ready at once puts something else in the place of the second. */
static void replace_twin(void *user, int fd, unsigned events)
{
    int other = twins[0] == fd ? twins[1] : twins[0];
    int fresh = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    (void)user;
    (void)events;
    twin_calls++;
    port->unwatch(port->self, other);
    port->unwatch(port->self, fd);
    RCS_EQUAL(dup2(fresh, other), other);
    close(fresh);
    RCS_EQUAL(port->watch(port->self, other, RECOURSE_READABLE, note, &newcomer), 0);
}

static void test_reopened_within_a_batch(void)
{
    open_port(1, 1);
    twin_calls = 0;
    newcomer = (struct seen){0};
    for (int i = 0; i < 2; i++) {
        twins[i] = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        RCS_EQUAL(port->watch(port->self, twins[i], RECOURSE_READABLE, replace_twin, NULL), 0);
    }
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(twin_calls, 1);
    RCS_EQUAL(newcomer.calls, 0);
    close_port();
    close(twins[0]);
    close(twins[1]);
}

static void note_once(void *user, int fd, unsigned events)
{
    note(user, fd, events);
    port->unwatch(port->self, fd);
}

/* More descriptors than one round of events holds. */
static void test_many(void)
{
    enum { MANY = 300 };
    static int fds[MANY];
    struct seen seen = {0};

    open_port(1, 1);
    for (int i = 0; i < MANY; i++) {
        fds[i] = eventfd(1, EFD_CLOEXEC);
        RCS_EQUAL(port->watch(port->self, fds[i], RECOURSE_READABLE, note_once, &seen), 0);
    }
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(seen.calls, MANY);
    for (int i = 0; i < MANY; i++) {
        close(fds[i]);
    }
    close_port();
}

static void *wake_up(void *user)
{
    (void)user;
    port->wake(port->self);
    return NULL;
}

static void test_wake(void)
{
    pthread_t thread;

    open_port(1, 1);
    CU_ASSERT_TRUE(port->wake_ms(port->self) == RECOURSE_FOREVER);
    port->wake(port->self);
    port->wake(port->self);
    RCS_EQUAL(port->poll(port->self, RECOURSE_FOREVER), 0);
    CU_ASSERT_FALSE(is_readable(port->descriptor(port->self)));
    RCS_EQUAL(pthread_create(&thread, NULL, wake_up, NULL), 0);
    RCS_EQUAL(port->poll(port->self, RECOURSE_FOREVER), 0);
    pthread_join(thread, NULL);
    close_port();
}

static void test_poll_ends(void)
{
    uint64_t before;

    open_port(1, 1);
    before = port->now_ms(port->self);
    RCS_EQUAL(port->poll(port->self, 2), 0);
    CU_ASSERT_TRUE(port->now_ms(port->self) >= before + 2);
    close_port();
}

static void on_alarm(int number)
{
    (void)number;
}

static void test_signal_ends_poll(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    struct sigaction old;
    struct itimerval soon = {.it_interval.tv_usec = 5000, .it_value.tv_usec = 5000};
    struct itimerval never = {.it_value.tv_usec = 0};

    open_port(1, 1);
    sigaction(SIGALRM, &action, &old);
    setitimer(ITIMER_REAL, &soon, NULL);
    RCS_EQUAL(port->poll(port->self, RECOURSE_FOREVER), 0);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &old, NULL);
    close_port();
}

static int code_within;

static void poll_within(void *user, int fd, unsigned events)
{
    (void)user;
    (void)events;
    code_within = port->poll(port->self, 0);
    port->unwatch(port->self, fd);
}

static void test_poll_within_poll(void)
{
    int fd = eventfd(1, EFD_CLOEXEC);

    open_port(1, 1);
    RCS_EQUAL(port->watch(port->self, fd, RECOURSE_READABLE, poll_within, NULL), 0);
    RCS_EQUAL(port->dispatch(port->self), 0);
    RCS_EQUAL(code_within, RECOURSE_E_STATE);
    close_port();
    close(fd);
}

static sem_t started;
static sem_t released;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned finished;

static void job(void *user)
{
    (void)user;
    sem_post(&started);
    sem_wait(&released);
    pthread_mutex_lock(&lock);
    finished++;
    pthread_mutex_unlock(&lock);
    port->wake(port->self);
}

static unsigned finished_now(void)
{
    unsigned now;

    pthread_mutex_lock(&lock);
    now = finished;
    pthread_mutex_unlock(&lock);
    return now;
}

static void test_threads(void)
{
    open_port(2, 3);
    sem_init(&started, 0, 0);
    sem_init(&released, 0, 0);
    finished = 0;
    for (int i = 0; i < 5; i++) {
        RCS_EQUAL(port->submit(port->self, job, NULL), 0);
    }
    RCS_EQUAL(port->submit(port->self, job, NULL), RECOURSE_E_AGAIN);
    sem_wait(&started);
    sem_wait(&started);
    RCS_EQUAL(port->submit(port->self, job, NULL), RECOURSE_E_AGAIN);
    RCS_EQUAL(sem_trywait(&started), -1); /* two at once, no more */
    sem_post(&released);
    sem_wait(&started); /* a thread has taken the third: there is room again */
    RCS_EQUAL(port->submit(port->self, job, NULL), 0);
    RCS_EQUAL(port->submit(port->self, job, NULL), RECOURSE_E_AGAIN);
    for (int i = 0; i < 5; i++) {
        sem_post(&released);
    }
    while (finished_now() < 6) {
        RCS_EQUAL(port->poll(port->self, LONG_MS), 0);
    }
    close_port();
    RCS_EQUAL(finished, 6);
}

static void add_one(void *user)
{
    unsigned *count = user;

    pthread_mutex_lock(&lock);
    (*count)++;
    pthread_mutex_unlock(&lock);
}

static void test_free_does_what_is_queued(void)
{
    unsigned count = 0;

    open_port(1, 100);
    for (int i = 0; i < 50; i++) {
        RCS_EQUAL(port->submit(port->self, add_one, &count), 0);
    }
    close_port();
    RCS_EQUAL(count, 50);
}

static void look_at_signals(void *user)
{
    pthread_sigmask(SIG_SETMASK, NULL, user);
    sem_post(&started);
}

static void test_signals_are_blocked_in_threads(void)
{
    sigset_t theirs;
    sigset_t before;
    sigset_t after;

    open_port(1, 1);
    sem_init(&started, 0, 0);
    sigemptyset(&theirs);
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    RCS_EQUAL(port->submit(port->self, look_at_signals, &theirs), 0);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    sem_wait(&started);
    RCS_EQUAL(sigismember(&theirs, SIGINT), 1);
    RCS_EQUAL(sigismember(&theirs, SIGCHLD), 1);
    RCS_EQUAL(sigismember(&theirs, SIGPIPE), 1);
    RCS_EQUAL(sigismember(&theirs, SIGALRM), 1);
    RCS_EQUAL(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
    RCS_EQUAL(sigismember(&after, SIGALRM), 0);
    close_port();
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"options", test_options},
        {"no descriptors", test_no_descriptors},
        {"each allocation fails", test_each_allocation_fails},
        {"clocks and random", test_clocks_and_random},
        {"watch", test_watch},
        {"watch for nothing", test_watch_for_nothing},
        {"watch narrows", test_watch_narrows},
        {"watch refuses", test_watch_refuses},
        {"watch after a careless close", test_watch_after_careless_close},
        {"reopened within a batch", test_reopened_within_a_batch},
        {"many", test_many},
        {"wake", test_wake},
        {"poll ends", test_poll_ends},
        {"a signal ends poll", test_signal_ends_poll},
        {"poll within poll", test_poll_within_poll},
        {"threads", test_threads},
        {"free does what is queued", test_free_does_what_is_queued},
        {"signals are blocked in threads", test_signals_are_blocked_in_threads},
    };

    return rcs_unit_main_with_port("port", tests, RCS_COUNT(tests));
}
