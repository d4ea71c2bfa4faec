#include "run_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "run_log.h"

#define NAME_WIDTH 24u

enum live_state {LIVE_QUEUED = 0, LIVE_TRYING = 1, LIVE_WAITING = 2, LIVE_DONE = 3};

struct live_call {
    const char *name;
    struct recourse_span id;
    enum live_state state;
    unsigned try_number;
    unsigned tries;
    uint64_t wake_ms;
    char event[32];   /* what the last try ended in */
    char outcome[48];
};

struct rcs_live {
    struct rcs_arena arena;
    struct live_call *calls;
    size_t count;
    int fd;
    unsigned shown; /* lines on the screen */
    bool drawn;
    uint64_t drawn_ms;
};

struct rcs_live *rcs_live_new_hidden(const struct recourse_call_request *calls, size_t count)
{
    struct rcs_live *live = rcs_cli_realloc(NULL, sizeof *live);

    memset(live, 0, sizeof *live);
    live->fd = -1;
    live->count = count;
    live->calls = rcs_arena_alloc(&live->arena, (count + 1) * sizeof *live->calls);
    for (size_t i = 0; i < count; i++) {
        live->calls[i].name = rcs_log_name(&live->arena, calls[i].name, NAME_WIDTH);
        live->calls[i].id = calls[i].id;
    }
    return live;
}

struct rcs_live *rcs_live_new(int fd, const struct recourse_call_request *calls, size_t count)
{
    const char *term = getenv("TERM");
    struct rcs_live *live;

    if (isatty(fd) != 1 || term == NULL || *term == '\0' || strcmp(term, "dumb") == 0) {
        return NULL;
    }
    live = rcs_live_new_hidden(calls, count);
    live->fd = fd;
    return live;
}

void rcs_live_free(struct rcs_live *live)
{
    if (live != NULL) {
        rcs_live_hide(live);
        rcs_arena_clear(&live->arena);
        free(live);
    }
}

/* ---- what happens ---- */

static struct live_call *find_open(struct rcs_live *live, struct recourse_span id)
{
    for (size_t i = 0; i < live->count; i++) {
        struct live_call *call = &live->calls[i];

        if (call->state != LIVE_DONE && call->id.size == id.size &&
            (id.size == 0 || memcmp(call->id.data, id.data, id.size) == 0)) {
            return call;
        }
    }
    return NULL;
}

void rcs_live_observe(struct rcs_live *live, const struct recourse_observation *observation)
{
    const struct recourse_decision *decision = observation->decision;
    struct live_call *call = live == NULL ? NULL : find_open(live, observation->call);

    if (call == NULL) {
        return;
    }
    call->tries = observation->policy->settings.tries;
    call->try_number = decision->try_number;
    if (decision->action == RECOURSE_ACTION_ATTEMPT) {
        call->state = LIVE_TRYING;
    } else if (decision->action == RECOURSE_ACTION_WAIT) {
        call->state = LIVE_WAITING;
        call->wake_ms = decision->wake_ms;
        snprintf(call->event, sizeof call->event, "%s",
                 recourse_policy_event_name(observation->policy, decision->event));
    }
}

void rcs_live_result(struct rcs_live *live, size_t index, const struct recourse_result *result)
{
    struct live_call *call;

    if (live == NULL || index >= live->count) {
        return;
    }
    call = &live->calls[index];
    call->state = LIVE_DONE;
    call->try_number = result->tries;
    call->tries = result->policy->settings.tries;
    if (result->success) {
        snprintf(call->outcome, sizeof call->outcome, "ok");
        return;
    }
    snprintf(call->outcome, sizeof call->outcome, "%s: %s",
             result->scenario == RECOURSE_NONE ? "-" : result->policy->scenarios[result->scenario].label,
             recourse_policy_event_name(result->policy, result->event));
}

/* ---- how it looks ---- */

/* Bytes that fit into `width` columns. What isn't ASCII may be two columns wide. */
static size_t fitting(const char *text, unsigned width)
{
    unsigned used = 0;
    size_t i = 0;

    while (text[i] != '\0') {
        size_t next = i + 1;
        unsigned columns = (unsigned char)text[i] < 0x80 ? 1 : 2;

        while (((unsigned char)text[next] & 0xc0) == 0x80) {
            next++;
        }
        if (used + columns > width) {
            break;
        }
        used += columns;
        i = next;
    }
    return i;
}

static size_t write_line(const struct live_call *call, uint64_t now_ms, unsigned width, char *line, size_t size)
{
    uint64_t left = call->wake_ms > now_ms ? call->wake_ms - now_ms : 0;
    size_t used;

    snprintf(line, size, "%-*s  ", (int)NAME_WIDTH, call->name);
    used = strlen(line);
    switch (call->state) {
    case LIVE_QUEUED:
        snprintf(line + used, size - used, "queued");
        break;
    case LIVE_TRYING:
        snprintf(line + used, size - used, "try %u/%u", call->try_number, call->tries);
        break;
    case LIVE_WAITING:
        snprintf(line + used, size - used, "try %u/%u  waits %llu.%llu s after %s", call->try_number, call->tries,
                 (unsigned long long)(left / 1000), (unsigned long long)(left % 1000 / 100), call->event);
        break;
    case LIVE_DONE:
        if (call->try_number > 0) {
            snprintf(line + used, size - used, "try %u/%u  ", call->try_number, call->tries);
            used = strlen(line);
        }
        snprintf(line + used, size - used, "%s", call->outcome);
        break;
    }
    used = fitting(line, width);
    line[used] = '\n';
    return used + 1;
}

char *rcs_live_text(const struct rcs_live *live, uint64_t now_ms, unsigned width, unsigned height)
{
    char line[NAME_WIDTH * 4 + 160];
    unsigned lines = 0;
    size_t used = 0;
    char *text = rcs_cli_realloc(NULL, height * sizeof line + 1);

    if (live->count <= height) {
        for (size_t i = 0; i < live->count; i++) {
            size_t size = write_line(&live->calls[i], now_ms, width, line, sizeof line);

            memcpy(text + used, line, size);
            used += size;
        }
        text[used] = '\0';
        return text;
    }
    for (int done = 0; done < 2; done++) {
        for (size_t i = 0; i < live->count && lines < height; i++) {
            if ((live->calls[i].state == LIVE_DONE) == (done == 1)) {
                size_t size = write_line(&live->calls[i], now_ms, width, line, sizeof line);

                memcpy(text + used, line, size);
                used += size;
                lines++;
            }
        }
    }
    text[used] = '\0';
    return text;
}

static void write_out(int fd, const char *text)
{
    size_t size = strlen(text);

    while (size > 0) {
        ssize_t wrote = write(fd, text, size);

        if (wrote <= 0) {
            return; /* a display that can't be shown is no error of the run */
        }
        text += wrote;
        size -= (size_t)wrote;
    }
}

void rcs_live_hide(struct rcs_live *live)
{
    char text[32];

    if (live == NULL || live->shown == 0) {
        return;
    }
    snprintf(text, sizeof text, "\r\033[%uA\033[J", live->shown);
    write_out(live->fd, text);
    live->shown = 0;
    live->drawn = false;
}

/* Over what is there, line by line, so that nothing flickers. */
static void redraw(struct rcs_live *live, const char *text)
{
    struct rcs_arena arena = {0};
    const char *screen = live->shown == 0 ? "" : rcs_arena_format(&arena, "\r\033[%uA", live->shown);

    live->shown = 0;
    while (*text != '\0') {
        size_t size = strcspn(text, "\n");

        screen = rcs_arena_format(&arena, "%s%.*s\033[K\n", screen, (int)size, text);
        live->shown++;
        text += size + 1;
    }
    write_out(live->fd, rcs_arena_format(&arena, "%s\033[J", screen));
    rcs_arena_clear(&arena);
}

void rcs_live_draw(struct rcs_live *live, uint64_t now_ms)
{
    struct winsize window = {.ws_row = 24, .ws_col = 80};
    char *text;

    if (live == NULL || live->fd < 0 || (live->drawn && now_ms - live->drawn_ms < RCS_LIVE_INTERVAL_MS)) {
        return;
    }
    if (ioctl(live->fd, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0) {
        window.ws_row = 24;
        window.ws_col = 80;
    }
    text = rcs_live_text(live, now_ms, window.ws_col - 1u, window.ws_row - 1u);
    redraw(live, text);
    live->drawn = true;
    live->drawn_ms = now_ms;
    free(text);
}
