/* What processes write: kept, handed on, or left in their pipes as long as there is no room for it. */
#include "src/io/process.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BLOCK_BYTES 16384u
#define BLOCKS_EVENT 16u /* of one stream, for one event */
#define BLOCKS_END 64u   /* what may lie in a pipe when its process has gone: a pipe holds 1 MiB at most */

static void overflow(struct recourse_process *process)
{
    process->too_large = true;
    rcs_buffer_clear(&process->output_kept);
    rcs_process_close_stream(process, &process->output); /* so that it feels it, even if it ignores signals */
    rcs_process_begin_end(process);
}

/* How many of `size` bytes more there is still no leave for to be kept. What is handed on is the other's to count. */
static size_t ungranted(const struct recourse_process *process, const struct rcs_buffer *kept, size_t size)
{
    size_t room = kept->limit - kept->size;
    size_t all = process->output_kept.size + process->errors_kept.size + (size < room ? size : room);

    return process->request->keep != NULL && !process->talks && all > process->granted ? all - process->granted : 0;
}

/* Leave is asked only for what is there: whoever has got it, and waits, keeps the others waiting. At most a block. */
static size_t unread(int fd)
{
    int size = 0;

    if (ioctl(fd, FIONREAD, &size) != 0 || size <= 0) {
        return 0;
    }
    return (size_t)size < BLOCK_BYTES ? (size_t)size : BLOCK_BYTES;
}

/* Whether there is room for a block. One that is being ended is not asked about: what has no room is dropped. */
static bool has_room(struct recourse_process *process, const struct rcs_buffer *kept)
{
    bool hands_on = process->talks && process->request->keep != NULL && kept == &process->output_kept;
    size_t more = hands_on ? unread(process->output) : ungranted(process, kept, BLOCK_BYTES);

    if (process->ending || process->too_large || more == 0) {
        return true;
    }
    if (!process->request->keep(process->user, more)) {
        return false;
    }
    process->granted += hands_on ? 0 : more;
    return true;
}

static void keep(struct recourse_process *process, struct rcs_buffer *kept, const char *block, size_t size)
{
    size_t room = kept->limit - kept->size;
    int code;

    if (process->cancelled || ungranted(process, kept, size) > 0) {
        return;
    }
    if (process->talks && kept == &process->output_kept) {
        process->request->data(process->user, block, size);
        return;
    }
    if (process->talks) {
        rcs_process_keep_last(kept, block, size);
        return;
    }
    if (kept == &process->errors_kept) {
        code = rcs_buffer_append(kept, block, size < room ? size : room);
        (void)code; /* less of it is kept */
        return;
    }
    code = process->too_large ? 0 : rcs_buffer_append(kept, block, size);
    if (code != 0) {
        process->no_memory = code == RECOURSE_E_MEMORY;
        overflow(process);
    }
}

static void end_of(struct recourse_process *process, int *fd)
{
    rcs_process_close_stream(process, fd);
    if (process->talks && !process->gone && !process->cancelled && fd == &process->output) {
        process->request->data(process->user, NULL, 0);
    }
}

static void take_in(struct recourse_process *process, int *fd, struct rcs_buffer *kept, unsigned blocks)
{
    char block[BLOCK_BYTES];

    while (blocks-- > 0 && *fd >= 0) {
        ssize_t got;

        if (!process->cancelled && !has_room(process, kept)) {
            (void)rcs_process_listen(process, false); /* what can't be watched is closed */
            return;
        }
        got = read(*fd, block, sizeof block);
        if (got > 0) {
            keep(process, kept, block, (size_t)got);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            end_of(process, fd);
        } else if (errno == EAGAIN) {
            break;
        }
    }
}

static void on_output(void *user, int fd, unsigned events)
{
    struct recourse_process *process = user;

    (void)fd;
    (void)events;
    take_in(process, &process->output, &process->output_kept, BLOCKS_EVENT);
    rcs_process_finish_if_over(process);
}

static void on_errors(void *user, int fd, unsigned events)
{
    struct recourse_process *process = user;

    (void)fd;
    (void)events;
    take_in(process, &process->errors, &process->errors_kept, BLOCKS_EVENT);
    rcs_process_finish_if_over(process);
}

bool rcs_process_listen(struct recourse_process *process, bool reads)
{
    unsigned events = reads ? RECOURSE_READABLE : 0;
    struct rcs_loop *loop = process->all->loop;
    bool good = true;

    process->paused = !reads;
    if (process->output >= 0 && rcs_loop_watch(loop, process->output, events, on_output, process) != 0) {
        process->too_large = true;
        process->no_memory = true;
        rcs_process_close_stream(process, &process->output);
        good = false;
    }
    if (process->errors >= 0 && rcs_loop_watch(loop, process->errors, events, on_errors, process) != 0) {
        rcs_process_close_stream(process, &process->errors);
        good = false;
    }
    return good;
}

void rcs_process_take_rest(struct recourse_process *process)
{
    if (!process->paused) {
        take_in(process, &process->output, &process->output_kept, BLOCKS_END);
    }
    if (!process->paused) {
        take_in(process, &process->errors, &process->errors_kept, BLOCKS_END);
    }
}
