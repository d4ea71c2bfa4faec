/* Processes that are talked with: writing to one that lives, and the end of what it complained of. */
#include "src/io/process.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void on_writable(void *user, int fd, unsigned events)
{
    struct recourse_process *process = user;

    (void)events;
    rcs_loop_unwatch(process->all->loop, fd);
    if (!process->cancelled) {
        process->request->writable(process->user);
    }
}

int rcs_process_write(struct recourse_process *process, const char *bytes, size_t size, size_t *taken)
{
    *taken = 0;
    if (process->input < 0) {
        return process->start_error == 0 && !process->gone && !process->ending ? RECOURSE_E_SYSTEM : RECOURSE_E_STATE;
    }
    while (*taken < size) {
        ssize_t put = send(process->input, bytes + *taken, size - *taken, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (put < 0 && errno == EAGAIN) {
            return rcs_loop_watch(process->all->loop, process->input, RECOURSE_WRITABLE, on_writable, process) == 0
                       ? 0
                       : RECOURSE_E_MEMORY;
        }
        if (put < 0 && errno != EINTR) {
            rcs_loop_unwatch(process->all->loop, process->input);
            close(process->input);
            process->input = -1;
            return RECOURSE_E_SYSTEM;
        }
        *taken += put > 0 ? (size_t)put : 0;
        process->input_sent += put > 0 ? (size_t)put : 0;
    }
    return 0;
}

void rcs_process_keep_last(struct rcs_buffer *kept, const char *bytes, size_t size)
{
    size_t stays = kept->limit / 2;
    int code;

    if (size > kept->limit) {
        bytes += size - kept->limit;
        size = kept->limit;
    }
    if (size > kept->limit - kept->size) { /* half of it goes at a time, so that bytes are seldom moved */
        stays = stays < kept->limit - size ? stays : kept->limit - size;
        memmove(kept->data, kept->data + kept->size - stays, stays);
        kept->size = stays;
    }
    code = rcs_buffer_append(kept, bytes, size);
    (void)code; /* less of it is kept */
}
