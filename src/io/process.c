#include "src/io/process.h"

#include "src/core/wait.h"
#include "src/io/memory.h"
#include "src/io/spawn.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_MS 2000u
#define QUIT_MS 2000u
#define LISTEN_MS 100u /* to what a process has left behind, after it has gone */

void rcs_processes_init(struct rcs_processes *all, struct rcs_loop *loop)
{
    *all = (struct rcs_processes){.loop = loop, .allocator = loop->allocator};
}

static uint64_t later(uint64_t by_ms)
{
    return rcs_add_ms(rcs_now_ms(), by_ms);
}

static void arm(struct recourse_process *process)
{
    uint64_t due = process->request != NULL ? process->request->deadline_ms : RECOURSE_FOREVER;

    if (process->ending) {
        due = process->killed ? RECOURSE_FOREVER : process->step_ms;
    } else if (process->gone) {
        due = process->paused ? RECOURSE_FOREVER : process->listens_ms;
    }
    rcs_timers_set(&process->all->loop->timers, &process->timer, due); /* room was reserved */
}

void rcs_process_close_stream(struct recourse_process *process, int *fd)
{
    if (*fd >= 0) {
        rcs_loop_unwatch(process->all->loop, *fd);
        close(*fd);
        *fd = -1;
    }
}

/* ---- the end ---- */

/* A number that was reaped by somebody else may be another process's by now: it is not touched. */
static void signal_group(struct recourse_process *process, int signal)
{
    siginfo_t info;

    if (process->reaped || process->lost) {
        return;
    }
    if (rcs_spawn_wait(process->pid, process->pidfd, WEXITED | WNOHANG | WNOWAIT, &info) != 0) {
        process->lost = true;
        return;
    }
    /* The process itself may have left its group. */
    if (kill(-process->pid, signal) != 0 || signal == SIGKILL) {
        rcs_spawn_signal(process->pidfd, signal);
    }
}

static void ask_to_end(struct recourse_process *process)
{
    process->asked = true;
    process->step_ms = later(process->grace_ms);
    signal_group(process, SIGTERM);
}

void rcs_process_begin_end(struct recourse_process *process)
{
    if (process->ending) {
        return;
    }
    process->ending = true;
    if (process->paused) {
        (void)rcs_process_listen(process, true); /* what it still says is for nobody */
    }
    if (process->talks) {
        rcs_process_close_stream(process, &process->input);
        process->step_ms = later(process->quit_ms);
    } else {
        if (process->input >= 0) {
            /* Not closed: half of the arguments must not look like all of them. */
            rcs_loop_unwatch(process->all->loop, process->input);
        }
        ask_to_end(process);
    }
    arm(process);
}

static void link_in(struct recourse_process *process)
{
    struct rcs_processes *all = process->all;

    process->next = all->first;
    if (all->first != NULL) {
        all->first->previous = process;
    }
    atomic_signal_fence(memory_order_seq_cst); /* see rcs_processes_kill */
    all->first = process;
    all->count++;
}

static void take_out(struct recourse_process *process)
{
    struct rcs_processes *all = process->all;

    rcs_timers_remove(&all->loop->timers, &process->timer);
    rcs_process_close_stream(process, &process->input);
    rcs_process_close_stream(process, &process->output);
    rcs_process_close_stream(process, &process->errors);
    rcs_process_close_stream(process, &process->pidfd);
    if (process->previous != NULL) {
        process->previous->next = process->next;
    } else {
        all->first = process->next;
    }
    if (process->next != NULL) {
        process->next->previous = process->previous;
    }
    atomic_signal_fence(memory_order_seq_cst);
    all->count--;
}

static void release(struct recourse_process *process)
{
    rcs_buffer_clear(&process->output_kept);
    rcs_buffer_clear(&process->errors_kept);
    rcs_free(process->all->allocator, process);
}

static void reap(struct recourse_process *process)
{
    siginfo_t info;

    if (process->reaped || process->lost) {
        return;
    }
    if (process->ending || process->talks) {
        signal_group(process, SIGKILL); /* what is left of its group, while its number can't be anybody else's */
    }
    process->reaped = true; /* before its number can be another's */
    atomic_signal_fence(memory_order_seq_cst);
    if (rcs_spawn_wait(process->pid, process->pidfd, WEXITED | WNOHANG, &info) != 0) {
        process->reaped = false;
    }
}

static void describe(struct recourse_process *process, struct recourse_process_result *result)
{
    char *detail = process->detail; /* a failed start has said why */
    size_t size = sizeof process->detail;

    if (process->start_error != 0) {
        result->start_error = process->start_error;
    } else if (process->timed_out) {
        result->timed_out = true;
        snprintf(detail, size, "timed out");
    } else if (process->too_large) {
        result->too_large = true;
        snprintf(detail, size, "%s", process->no_memory ? "no memory for the output" : "the output is too large");
    } else if (process->lost) {
        snprintf(detail, size, "its exit status is unknown: somebody else has waited for it");
    } else if (process->how == CLD_EXITED) {
        result->exited = true;
        result->exit_status = process->status;
    } else {
        result->signal = process->status;
        snprintf(detail, size, "ended by signal %d", process->status);
    }
}

static void finish(struct recourse_process *process)
{
    struct recourse_process_result result = {0};

    if (process->start_error == 0) {
        reap(process);
    }
    take_out(process);
    if (!process->cancelled) {
        describe(process, &result);
        result.sent = process->input_sent > 0;
        result.signalled = process->asked;
        result.output = rcs_buffer_span(&process->output_kept);
        result.errors = rcs_buffer_span(&process->errors_kept);
        result.detail = process->detail;
        process->finishing = true;
        process->done(process->user, &result);
    }
    release(process);
}

/* Whether nothing more is to come of it. */
static bool is_over(const struct recourse_process *process)
{
    return process->gone && (process->killed || (process->output < 0 && process->errors < 0));
}

void rcs_process_finish_if_over(struct recourse_process *process)
{
    if (is_over(process)) {
        finish(process);
    }
}

/* ---- its input ---- */

static void on_input(void *user, int fd, unsigned events)
{
    struct recourse_process *process = user;
    struct recourse_span input = process->request->input; /* one that was cancelled is not watched any more */

    (void)events;
    while (process->input_sent < input.size) {
        ssize_t put = send(fd, input.data + process->input_sent, input.size - process->input_sent,
                           MSG_NOSIGNAL | MSG_DONTWAIT);

        if (put < 0 && errno == EAGAIN) {
            return;
        }
        if (put < 0 && errno != EINTR) {
            break; /* it doesn't want to read it all: its own affair */
        }
        process->input_sent += put > 0 ? (size_t)put : 0;
    }
    rcs_process_close_stream(process, &process->input);
}

/* ---- its life ---- */

/* Keeps its number, so that its group can still be told from another one. */
static void on_gone(void *user, int fd, unsigned events)
{
    struct recourse_process *process = user;
    siginfo_t info = {0};

    (void)events;
    if (rcs_spawn_wait(process->pid, process->pidfd, WEXITED | WNOHANG | WNOWAIT, &info) != 0) {
        process->lost = true;
    } else if (info.si_pid == 0) {
        return;
    }
    process->gone = true;
    process->how = info.si_code;
    process->status = info.si_status;
    process->listens_ms = later(LISTEN_MS);
    rcs_loop_unwatch(process->all->loop, fd);
    rcs_process_close_stream(process, &process->input);
    rcs_process_take_rest(process);
    if (is_over(process)) {
        finish(process);
        return;
    }
    arm(process); /* somebody else holds its output: a child of its own */
}

static void on_time(struct rcs_timer *timer)
{
    struct recourse_process *process = RCS_OWNER(timer, struct recourse_process, timer);

    if (process->start_error != 0 || process->gone) {
        finish(process);
    } else if (process->ending && process->asked) {
        process->killed = true;
        signal_group(process, SIGKILL);
    } else if (process->ending) {
        ask_to_end(process);
        arm(process);
    } else {
        process->timed_out = true;
        rcs_process_begin_end(process);
    }
}

/* ---- the start ---- */

static bool watch_streams(struct recourse_process *process)
{
    struct rcs_loop *loop = process->all->loop;

    if (!process->talks && process->request->input.size == 0) {
        rcs_process_close_stream(process, &process->input);
    } else if (!process->talks && rcs_loop_watch(loop, process->input, RECOURSE_WRITABLE, on_input, process) != 0) {
        return false;
    }
    return rcs_process_listen(process, true);
}

/* It could not be started: said from poll. */
static void note_failed_start(struct recourse_process *process, int number)
{
    const struct recourse_process_request *request = process->request;
    const char *directory = request->shown_directory != NULL ? request->shown_directory : request->directory;
    const char *program = request->shown_program != NULL ? request->shown_program : request->arguments[0];
    bool astray = request->directory != NULL && access(request->directory, X_OK) != 0;

    process->start_error = number;
    snprintf(process->detail, sizeof process->detail, "can't %s %s: %s", astray ? "enter" : "start",
             astray ? directory : program, strerror(number));
    rcs_process_close_stream(process, &process->input);
    rcs_process_close_stream(process, &process->output);
    rcs_process_close_stream(process, &process->errors);
    rcs_timers_set(&process->all->loop->timers, &process->timer, 0);
}

/* It runs, but nobody would be told of its end: it is killed at once, and that is what is told. */
static void give_up(struct recourse_process *process)
{
    siginfo_t info;

    signal_group(process, SIGKILL);
    if (rcs_spawn_wait(process->pid, process->pidfd, WEXITED, &info) == 0) {
        process->how = info.si_code;
        process->status = info.si_status;
        process->reaped = true;
    } else {
        process->lost = true;
    }
    process->gone = true;
    process->listens_ms = 0;
    arm(process);
}

static void run(struct recourse_process *process, struct rcs_pipes *pipes)
{
    struct rcs_processes *all = process->all;
    int number = rcs_spawn(process->request, all->allocator, pipes, &process->pid, &process->pidfd);

    rcs_pipes_close_child(pipes);
    if (number != 0) {
        note_failed_start(process, number);
    } else if (rcs_loop_watch(all->loop, process->pidfd, RECOURSE_READABLE, on_gone, process) != 0) {
        give_up(process);
    } else {
        arm(process);
    }
}

static int open_streams(struct recourse_process *process, struct rcs_pipes *pipes)
{
    int number = rcs_pipes_open(pipes);

    if (number != 0) {
        return number == ENOMEM ? RECOURSE_E_MEMORY : RECOURSE_E_SYSTEM;
    }
    process->input = pipes->input;
    process->output = pipes->output;
    process->errors = pipes->errors;
    if (!watch_streams(process)) {
        rcs_pipes_close_child(pipes);
        return RECOURSE_E_MEMORY;
    }
    return 0;
}

static struct recourse_process *make(struct rcs_processes *all, const struct recourse_process_request *request)
{
    struct recourse_process *process = rcs_alloc_zero(all->allocator, sizeof *process);

    if (process == NULL) {
        return NULL;
    }
    process->all = all;
    process->request = request;
    process->grace_ms = request->grace_ms != 0 ? request->grace_ms : GRACE_MS;
    process->quit_ms = request->quit_ms != 0 ? request->quit_ms : QUIT_MS;
    process->talks = request->data != NULL;
    process->pidfd = -1;
    process->input = -1;
    process->output = -1;
    process->errors = -1;
    rcs_buffer_init(&process->output_kept, all->allocator, request->output_max);
    rcs_buffer_init(&process->errors_kept, all->allocator, request->errors_max);
    rcs_timer_init(&process->timer, on_time);
    return process;
}

int rcs_process_start(struct rcs_processes *all, const struct recourse_process_request *request,
                      void (*done)(void *user, const struct recourse_process_result *result), void *user,
                      struct recourse_process **started)
{
    struct recourse_process *process;
    struct rcs_pipes pipes;
    int code = rcs_spawn_check(request);

    if (code != 0) {
        return code;
    }
    if (rcs_loop_reserve_timers(all->loop, &all->timer_room, all->count + 1) != 0) {
        return RECOURSE_E_MEMORY;
    }
    process = make(all, request);
    if (process == NULL) {
        return RECOURSE_E_MEMORY;
    }
    process->done = done;
    process->user = user;
    link_in(process);
    code = open_streams(process, &pipes);
    if (code != 0) {
        take_out(process);
        release(process);
        return code;
    }
    run(process, &pipes);
    *started = process;
    return 0;
}

bool rcs_process_end(struct recourse_process *process)
{
    bool started = process->start_error == 0;

    if (process->finishing) {
        return started;
    }
    if (!started) {
        take_out(process);
        release(process);
        return false;
    }
    rcs_process_begin_end(process);
    return true;
}

bool rcs_process_cancel(struct recourse_process *process)
{
    bool started = process->start_error == 0;

    if (process->finishing || !started) {
        return rcs_process_end(process);
    }
    process->cancelled = true;
    rcs_buffer_clear(&process->output_kept);
    rcs_buffer_clear(&process->errors_kept);
    rcs_process_begin_end(process);
    process->request = NULL;
    return true;
}

/* What has gone is read to its end here; the loop tells. */
void rcs_process_resume(struct recourse_process *process)
{
    if (!process->paused || process->finishing) {
        return;
    }
    (void)rcs_process_listen(process, true);
    if (!process->gone) {
        return;
    }
    process->listens_ms = later(LISTEN_MS);
    rcs_process_take_rest(process);
    if (is_over(process)) {
        process->listens_ms = 0;
    }
    arm(process);
}

/* ---- the end of the port ---- */

static void wait_until(const struct recourse_process *process, uint64_t until_ms)
{
    struct pollfd one = {.fd = process->pidfd, .events = POLLIN};
    uint64_t now = rcs_now_ms();

    while (now < until_ms && poll(&one, 1, until_ms - now < INT_MAX ? (int)(until_ms - now) : INT_MAX) <= 0) {
        now = rcs_now_ms();
    }
}

static void put_an_end_to(struct recourse_process *process)
{
    if (process->start_error == 0 && !process->gone) {
        if (process->ending) {
            wait_until(process, process->step_ms);
        }
        process->ending = true;
        signal_group(process, SIGKILL);
        wait_until(process, later(GRACE_MS)); /* one that can't be killed is not waited for without end */
    }
    process->cancelled = true;
    finish(process);
}

/* Those that have time to go by themselves have it together. */
static void ask_all(struct rcs_processes *all)
{
    for (struct recourse_process *process = all->first; process != NULL; process = process->next) {
        if (process->ending && !process->asked && !process->gone) {
            wait_until(process, process->step_ms);
            ask_to_end(process);
        }
    }
}

void rcs_processes_kill(const struct rcs_processes *all)
{
    for (const struct recourse_process *process = all->first; process != NULL; process = process->next) {
        if (process->pid > 0 && !process->reaped && !process->lost) {
            kill(-process->pid, SIGKILL);
            rcs_spawn_signal(process->pidfd, SIGKILL); /* it may have left its group */
        }
    }
}

void rcs_processes_clear(struct rcs_processes *all)
{
    ask_all(all);
    while (all->first != NULL) {
        put_an_end_to(all->first);
    }
    rcs_processes_init(all, all->loop);
}
