#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

#define NUMBER_COUNT (sizeof numbers / sizeof numbers[0])

static struct recourse_port *listening; /* changes only while they are blocked */
static void (*volatile tell)(void *user);
static void *tell_user;
static pthread_t port_thread;
static volatile sig_atomic_t seen;
static int ends[2] = {-1, -1};

static void end_at_once(int number)
{
    if (listening != NULL) {
        recourse_port_kill(listening);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void on_signal(int number)
{
    int saved = errno;

    if (!pthread_equal(pthread_self(), port_thread)) { /* the library's other threads don't know what was started */
        pthread_kill(port_thread, number);
    } else if (tell == NULL || seen++ > 1) {
        end_at_once(number);
    } else if (write(ends[1], "", 1) < 0) {
        seen = 3; /* the pipe is new and empty: this can't be */
    }
    errno = saved;
}

static void on_pipe(void *user, int fd, unsigned events)
{
    char byte;

    (void)user;
    (void)events;
    while (read(fd, &byte, 1) == 1) {
        tell(tell_user);
    }
}

static void block(int how)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        sigaddset(&set, numbers[i]);
    }
    pthread_sigmask(how, &set, NULL);
}

bool rcs_signals_listen(struct recourse_port *port, void (*told)(void *user), void *user)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    signal(SIGPIPE, SIG_IGN);
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0 ||
        port->watch(port->self, ends[0], RECOURSE_READABLE, on_pipe, NULL) != RECOURSE_OK) {
        return false;
    }
    listening = port;
    tell = told;
    tell_user = user;
    port_thread = pthread_self();
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        if (sigaction(numbers[i], &action, NULL) != 0) {
            return false;
        }
    }
    return true;
}

void rcs_signals_free_port(struct recourse_port *port)
{
    block(SIG_BLOCK);
    if (port != NULL && ends[0] >= 0) {
        port->unwatch(port->self, ends[0]);
    }
    recourse_port_free(port); /* within a few seconds, whatever its processes do */
    listening = NULL;
    tell = NULL;
    block(SIG_UNBLOCK);
}
