#include "run_approve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

#include "cli.h"
#include "src/core/text.h"

#define TOOL_MAX_SHOWN 80u
#define ARGUMENTS_MAX_SHOWN 4096u
#define LINE_SIZE 16u

struct question {
    struct question *next;
    struct recourse_runner *runner;
    uint64_t number;
    size_t index;
    uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE];
    char *text;
};

struct rcs_approver {
    struct recourse_port *port;
    int fd;
    void (*before)(void *user);
    void *user;
    struct question *first; /* on the screen if `watching` */
    struct question **end;
    bool watching;
    char line[LINE_SIZE]; /* what was typed; one that fills it is too long to be an answer */
    size_t line_size;
};

bool rcs_approve_read(const char *text, enum rcs_approve *mode)
{
    static const char *const names[] = {[RCS_APPROVE_ASK] = "ask", [RCS_APPROVE_YES] = "yes", [RCS_APPROVE_NO] = "no"};

    for (unsigned i = RCS_APPROVE_ASK; i <= RCS_APPROVE_NO; i++) {
        if (strcmp(text, names[i]) == 0) {
            *mode = (enum rcs_approve)i;
            return true;
        }
    }
    return false;
}

int rcs_approve_terminal(void)
{
    int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0 && tcgetpgrp(fd) != getpgrp()) {
        close(fd); /* in the background: reading would stop the process */
        errno = EAGAIN;
        fd = -1;
    }
    return fd;
}

/* ---- what is shown ---- */

/* Code points that a screen hides, reorders, or shows as something else: they are escaped. */
static bool is_hidden(uint32_t code_point)
{
    static const struct {
        uint32_t first;
        uint32_t last;
    } hidden[] = {
        {0x00, 0x1f},       {0x7f, 0xa0},       {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},
        {0x115f, 0x1160},   {0x1680, 0x1680},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x2000, 0x200f},
        {0x2028, 0x202f},   {0x205f, 0x206f},   {0x2800, 0x2800},   {0x3000, 0x3000},   {0x3164, 0x3164},
        {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xffff},   {0xe0000, 0xe0fff},
    };

    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (code_point >= hidden[i].first && code_point <= hidden[i].last) {
            return true;
        }
    }
    return false;
}

/* One code point, at most 10 bytes. White space outside of JSON's strings is a blank; inside there is none but blanks. */
static size_t put_shown(uint32_t code_point, char *out)
{
    if (code_point == '\t' || code_point == '\n' || code_point == '\r') {
        *out = ' ';
        return 1;
    }
    if (is_hidden(code_point)) {
        return (size_t)sprintf(out, code_point > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)code_point);
    }
    return rcs_utf8_put(code_point, out);
}

static const char *escape(struct rcs_arena *arena, struct recourse_span text, size_t max)
{
    char *out = rcs_arena_alloc(arena, 10 * (text.size < max ? text.size : max) + 1);
    size_t used = 0;
    size_t at = 0;

    for (size_t count = 0; count < max && at < text.size; count++) {
        used += put_shown(rcs_utf8_next(text.data, text.size, &at), out + used);
    }
    out[used] = '\0';
    if (at == text.size) {
        return out;
    }
    return rcs_arena_format(arena, "%s... (%zu of %zu characters)", out, max, rcs_utf8_count(text));
}

const char *rcs_approve_view(struct rcs_arena *arena, struct recourse_span tool, struct recourse_span arguments)
{
    return rcs_arena_format(arena, "%s %s", escape(arena, tool, TOOL_MAX_SHOWN),
                            escape(arena, arguments, ARGUMENTS_MAX_SHOWN));
}

/* ---- asking ---- */

static void write_all(int fd, const char *text)
{
    size_t size = strlen(text);

    while (size > 0) {
        ssize_t wrote = write(fd, text, size);

        if (wrote <= 0) {
            return; /* nobody answers what can't be shown: that ends in a refusal */
        }
        text += wrote;
        size -= (size_t)wrote;
    }
}

static void hide(struct rcs_approver *approver)
{
    if (approver->watching) {
        approver->port->unwatch(approver->port->self, approver->fd);
        approver->watching = false;
    }
}

static void free_question(struct rcs_approver *approver, struct question **at)
{
    struct question *question = *at;

    *at = question->next;
    if (approver->end == &question->next) {
        approver->end = at;
    }
    free(question->text);
    free(question);
}

static void take_answer(struct rcs_approver *approver, bool approved)
{
    struct question *question = approver->first;

    (void)recourse_call_approve(question->runner, question->number, question->digest, approved);
    free_question(approver, &approver->first);
}

static bool says_yes(const struct rcs_approver *approver)
{
    static const char *const words[] = {"y", "yes"};
    struct recourse_span line = rcs_text_trim((struct recourse_span){approver->line, approver->line_size});

    if (approver->line_size == LINE_SIZE) {
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (rcs_text_equal_folded(line, words[i])) {
            return true;
        }
    }
    return false;
}

static void on_ready(void *user, int fd, unsigned events);

/* What was typed before the question was there is no answer to it. */
static void show_next(struct rcs_approver *approver)
{
    while (approver->first != NULL && !approver->watching) {
        approver->before(approver->user);
        (void)tcflush(approver->fd, TCIFLUSH);
        approver->line_size = 0;
        write_all(approver->fd, approver->first->text);
        approver->watching = approver->port->watch(approver->port->self, approver->fd, RECOURSE_READABLE, on_ready,
                                                   approver) == RECOURSE_OK;
        if (!approver->watching) {
            take_answer(approver, false);
        }
    }
}

static void on_ready(void *user, int fd, unsigned events)
{
    struct rcs_approver *approver = user;
    char byte = '\0';
    ssize_t got;

    (void)events;
    while ((got = read(fd, &byte, 1)) == 1 && byte != '\n') {
        if (approver->line_size < LINE_SIZE) {
            approver->line[approver->line_size++] = byte;
        }
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got != 1) {
        write_all(fd, "\n"); /* the end of the input, or of the terminal */
    }
    hide(approver);
    take_answer(approver, got == 1 && says_yes(approver));
    show_next(approver);
}

int rcs_approver_ask(struct rcs_approver *approver, struct recourse_runner *runner,
                     struct recourse_approval_request *request)
{
    struct question *question;
    struct rcs_arena arena = {0};
    const char *text;

    if (rcs_utf8_count(request->arguments) > ARGUMENTS_MAX_SHOWN) { /* nobody approves what nobody has seen */
        request->reason = "the arguments are too long to be shown to whoever approves";
        return RECOURSE_REFUSED;
    }
    question = rcs_cli_realloc(NULL, sizeof *question);
    text = rcs_arena_format(&arena, "recourse: run %s? [y/N] ", rcs_approve_view(&arena, request->tool, request->arguments));
    *question = (struct question){.runner = runner, .number = request->approval, .index = request->index};
    memcpy(question->digest, request->digest, sizeof question->digest);
    question->text = rcs_cli_realloc(NULL, strlen(text) + 1);
    strcpy(question->text, text);
    rcs_arena_clear(&arena);
    *approver->end = question;
    approver->end = &question->next;
    show_next(approver);
    return RECOURSE_APPROVE_LATER;
}

void rcs_approver_ended(struct rcs_approver *approver, size_t index)
{
    bool shown;

    if (approver == NULL) {
        return;
    }
    for (struct question **at = &approver->first; *at != NULL; at = &(*at)->next) {
        if ((*at)->index != index) {
            continue;
        }
        shown = at == &approver->first && approver->watching;
        if (shown) {
            write_all(approver->fd, "(too late)\n");
            hide(approver);
        }
        free_question(approver, at);
        show_next(approver);
        return;
    }
}

bool rcs_approver_asks(const struct rcs_approver *approver)
{
    return approver != NULL && approver->watching;
}

struct rcs_approver *rcs_approver_new(struct recourse_port *port, int fd, void (*before)(void *user), void *user)
{
    struct rcs_approver *approver = rcs_cli_realloc(NULL, sizeof *approver);

    *approver = (struct rcs_approver){.port = port, .fd = fd, .before = before, .user = user};
    approver->end = &approver->first;
    return approver;
}

void rcs_approver_free(struct rcs_approver *approver)
{
    if (approver == NULL) {
        return;
    }
    hide(approver);
    while (approver->first != NULL) {
        free_question(approver, &approver->first);
    }
    close(approver->fd);
    free(approver);
}
