#include "tests/unit/sim_process.h"

#include <stdlib.h>
#include <string.h>

static struct sim_process *theirs;

static int start(void *self, const struct recourse_process_request *request,
                 void (*done)(void *user, const struct recourse_process_result *result), void *user,
                 struct recourse_process **out)
{
    struct sim_process *process = theirs;

    (void)self;
    if (process->start_code != 0) {
        return process->start_code;
    }
    process->request = request;
    process->done = done;
    process->user = user;
    process->starts++;
    process->running = true;
    process->ending = false;
    process->blocked = false;
    process->said_size = 0;
    process->end_said = false;
    process->line_begin = process->written_size;
    process->result = (struct recourse_process_result){.start_error = process->start_error, .detail = "can't start it"};
    process->gone = process->start_error != 0;
    *out = (struct recourse_process *)(void *)process;
    return 0;
}

static bool end(void *self, struct recourse_process *one)
{
    struct sim_process *process = (struct sim_process *)(void *)one;

    (void)self;
    process->ends++;
    process->ending = true;
    if (!process->gone) {
        sim_process_die(process, 0, 0);
    }
    return process->result.start_error == 0;
}

static bool cancel(void *self, struct recourse_process *one)
{
    struct sim_process *process = (struct sim_process *)(void *)one;

    (void)self;
    process->cancels++;
    process->running = false;
    process->gone = false;
    process->said_size = 0;
    return process->result.start_error == 0;
}

static void hand_lines(struct sim_process *process)
{
    char *newline;

    while (process->line != NULL &&
           (newline = memchr(process->written + process->line_begin, '\n',
                             process->written_size - process->line_begin)) != NULL) {
        char line[4096];
        size_t size = (size_t)(newline - process->written) - process->line_begin;

        size = size < sizeof line ? size : sizeof line - 1;
        memcpy(line, process->written + process->line_begin, size);
        line[size] = '\0';
        process->line_begin = (size_t)(newline - process->written) + 1;
        process->line(process, line);
    }
}

static int write_to(void *self, struct recourse_process *one, const char *bytes, size_t size, size_t *taken)
{
    struct sim_process *process = (struct sim_process *)(void *)one;
    size_t left = sizeof process->written - process->written_size - 1;

    (void)self;
    *taken = 0;
    if (process->gone || process->ending) {
        return RECOURSE_E_STATE;
    }
    if (process->write_code != 0) {
        return process->write_code;
    }
    *taken = size < process->room ? size : process->room;
    *taken = *taken < left ? *taken : left;
    process->room -= *taken;
    process->blocked = *taken < size;
    memcpy(process->written + process->written_size, bytes, *taken);
    process->written_size += *taken;
    hand_lines(process);
    return 0;
}

static struct recourse_span errors_of(void *self, const struct recourse_process *one)
{
    (void)self;
    return ((const struct sim_process *)(const void *)one)->errors;
}

static bool hand_over(struct sim_process *process)
{
    char bytes[SIM_TEXT_MAX];
    size_t size = process->said_size;

    if (process->piece > 0 && process->piece < size) {
        size = process->piece;
    }
    memcpy(bytes, process->said, size);
    process->said_size -= size;
    memmove(process->said, process->said + size, process->said_size);
    if (size > 0) {
        process->request->data(process->user, bytes, size);
    } else if (process->end_said) {
        process->end_said = false;
        process->request->data(process->user, NULL, 0);
    } else {
        return false;
    }
    return true;
}

static bool more(void *user)
{
    struct sim_process *process = user;

    if (!process->running) {
        return false;
    }
    if (hand_over(process)) {
        return true;
    }
    if (process->gone) {
        struct recourse_process_result result = process->result;

        process->running = false;
        process->gone = false;
        process->done(process->user, &result);
        return true;
    }
    if (process->blocked && process->room > 0) {
        process->blocked = false;
        process->request->writable(process->user);
        return true;
    }
    return false;
}

void sim_process_init(struct sim_process *process, struct sim *sim)
{
    memset(process, 0, sizeof *process);
    process->sim = sim;
    process->room = SIZE_MAX;
    sim->port.process_start = start;
    sim->port.process_end = end;
    sim->port.process_cancel = cancel;
    sim->port.process_write = write_to;
    sim->port.process_errors = errors_of;
    sim->more = more;
    sim->more_user = process;
    theirs = process;
}

void sim_process_say(struct sim_process *process, const char *text)
{
    size_t size = strlen(text);

    if (size > sizeof process->said - process->said_size) {
        abort();
    }
    memcpy(process->said + process->said_size, text, size);
    process->said_size += size;
}

void sim_process_die(struct sim_process *process, int status, int signal)
{
    process->gone = true;
    process->result = (struct recourse_process_result){
        .exited = signal == 0, .exit_status = status, .signal = signal, .detail = "", .errors = process->result.errors};
}

void sim_process_read(struct sim_process *process, size_t size)
{
    process->room += size;
}
