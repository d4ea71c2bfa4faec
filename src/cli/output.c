#include "output.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

static int watcher = -1; /* an epoll of its own: a port tells of nothing but what can be read or written */
static void (*tell)(void *user);
static void *tell_user;

static void on_event(void *user, int fd, unsigned events)
{
    struct recourse_port *port = user;

    (void)fd;
    (void)events;
    rcs_output_unwatch(port);
    tell(tell_user);
}

void rcs_output_watch(struct recourse_port *port, void (*gone)(void *user), void *user)
{
    struct epoll_event nothing = {.events = 0}; /* but errors, and that the other end has gone */
    struct stat status;

    if (fstat(STDOUT_FILENO, &status) != 0 || !(S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))) {
        return;
    }
    tell = gone;
    tell_user = user;
    watcher = epoll_create1(EPOLL_CLOEXEC);
    if (watcher >= 0 && (epoll_ctl(watcher, EPOLL_CTL_ADD, STDOUT_FILENO, &nothing) != 0 ||
                         port->watch(port->self, watcher, RECOURSE_READABLE, on_event, port) != RECOURSE_OK)) {
        close(watcher);
        watcher = -1;
    }
}

void rcs_output_unwatch(struct recourse_port *port)
{
    if (watcher >= 0) {
        port->unwatch(port->self, watcher);
        close(watcher);
        watcher = -1;
    }
}

bool rcs_output_write(const char *text, size_t size)
{
    struct pollfd one = {.fd = STDOUT_FILENO, .events = POLLOUT};

    while (size > 0) {
        ssize_t put = write(STDOUT_FILENO, text, size);

        if (put < 0 && errno == EAGAIN) {
            (void)poll(&one, 1, -1);
        } else if (put < 0 && errno != EINTR) {
            return false;
        }
        text += put > 0 ? put : 0;
        size -= put > 0 ? (size_t)put : 0;
    }
    return true;
}
