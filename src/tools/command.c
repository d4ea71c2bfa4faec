/* Command tools: a call becomes one process, its end becomes facts. */
#include "src/tools/tools.h"

#include <stdio.h>
#include <string.h>

#include "src/io/memory.h"
#include "src/io/timer.h"

#define OWN_NAMES 4u /* variables of ours */

struct command_try {
    struct rcs_try base;
    const struct rcs_tool_host *host;
    void (*ended)(void *user, const struct recourse_facts *facts);
    void *user;
    struct recourse_process *process;
    struct recourse_process_request request;
    struct rcs_claim claim; /* what it has written */
    bool stopped;
    char status[sizeof "exit status " + 11];
    char key[sizeof "RECOURSE_IDEMPOTENCY_KEY=" + 32];
    char number[sizeof "RECOURSE_TRY=" + 10];
    char traceparent[sizeof "TRACEPARENT=" + 55];
    char tracestate[sizeof "TRACESTATE=" + 512];
    const char *environment[];
};

/* The value may be a secret: not shown. */
static int check_environment(const struct recourse_tool *config, struct recourse_error *error)
{
    const char *const *entries = config->environment;

    for (; entries != NULL && *entries != NULL; entries++) {
        if (**entries == '=' || strchr(*entries, '=') == NULL) {
            return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s': a variable is not of the form \"NAME=value\"",
                            config->name);
        }
    }
    return 0;
}

static int check(const struct recourse_tool *config, struct recourse_error *error)
{
    if (config->command == NULL || config->command[0] == NULL || config->command[0][0] == '\0') {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s' needs a command: a program and its words",
                        config->name);
    }
    if (config->directory != NULL && config->directory[0] == '\0') {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s': the directory is empty", config->name);
    }
    return check_environment(config, error);
}

/* ---- the end ---- */

static struct recourse_span words(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

/* `status` is room for what has no words of its own. */
static void read_end(const struct recourse_process_result *result, struct recourse_facts *facts, char *status,
                     size_t status_size)
{
    memset(facts, 0, sizeof *facts);
    facts->detail = words(result->detail);
    if (result->exited) {
        facts->has_exit = true;
        facts->exit_status = result->exit_status;
    } else if (result->signal != 0) {
        facts->signal = result->signal;
    } else if (result->start_error != 0) {
        facts->spawn = true;
        facts->unsent = true;
    } else if (result->timed_out) {
        facts->timeout = RECOURSE_TIMEOUT_TOTAL;
    } else if (result->too_large) {
        facts->too_large = true;
    } else {
        facts->protocol = true; /* its exit status was taken by somebody else */
    }
    if (result->exited && result->exit_status == 0) {
        facts->result = result->output;
        facts->structured = result->output;
    } else if (result->exited || result->signal != 0) {
        facts->text = result->errors.size > 0 ? result->errors : result->output;
    }
    if (result->exited && result->exit_status != 0) {
        snprintf(status, status_size, "exit status %d", result->exit_status);
        facts->detail = words(status);
    }
}

/* What it writes counts against the runner's bound as it comes in. */
static bool keep_output(void *user, size_t size)
{
    struct command_try *try = user;

    return rcs_claim_more(try->host->room, &try->claim, size);
}

static void resume(struct rcs_claim *claim)
{
    struct command_try *try = RCS_OWNER(claim, struct command_try, claim);

    try->host->port->process_resume(try->host->port->self, try->process);
}

static void free_try(struct command_try *try)
{
    rcs_claim_end(try->host->room, &try->claim);
    rcs_free(try->host->allocator, try);
}

static void ended(void *user, const struct recourse_process_result *result)
{
    struct command_try *try = user;
    struct recourse_facts facts;

    read_end(result, &facts, try->status, sizeof try->status);
    rcs_claim_end(try->host->room, &try->claim); /* whoever keeps the answer counts it anew */
    try->ended(try->user, try->stopped ? NULL : &facts);
    free_try(try);
}

/* ---- the start ---- */

static size_t count(const char *const *list)
{
    size_t size = 0;

    while (list != NULL && list[size] != NULL) {
        size++;
    }
    return size;
}

/* Ours come first, so that the configuration may name them otherwise. */
static void fill_environment(struct command_try *try, const struct rcs_try_order *order)
{
    const char *const *named = order->tool->config.environment;
    size_t used = 0;
    char key[33];

    rcs_tool_key(order->key, key);
    snprintf(try->key, sizeof try->key, "RECOURSE_IDEMPOTENCY_KEY=%s", key);
    snprintf(try->number, sizeof try->number, "RECOURSE_TRY=%u", order->number);
    try->environment[used++] = try->key;
    try->environment[used++] = try->number;
    if (order->trace != NULL) { /* what we have ourselves is of another span */
        const char *state = rcs_try_tracestate(order->trace);

        snprintf(try->traceparent, sizeof try->traceparent, "TRACEPARENT=%s", rcs_try_traceparent(order->trace));
        snprintf(try->tracestate, sizeof try->tracestate, "TRACESTATE=%s", state != NULL ? state : "");
        try->environment[used++] = try->traceparent;
        try->environment[used++] = try->tracestate;
    }
    for (; named != NULL && *named != NULL; named++) {
        try->environment[used++] = *named;
    }
    try->environment[used] = NULL;
}

static void fill_request(struct command_try *try, const struct rcs_try_order *order)
{
    const struct recourse_tool *config = &order->tool->config;
    struct recourse_process_request *request = &try->request;

    fill_environment(try, order);
    request->arguments = config->command;
    request->environment = try->environment;
    request->directory = config->directory;
    request->shown_program = config->shown_command;
    request->shown_directory = config->shown_directory;
    request->input = order->arguments;
    request->output_max = try->host->body_max;
    request->errors_max = RECOURSE_TEXT_MAX;
    request->keep = keep_output;
    request->deadline_ms = RECOURSE_FOREVER; /* the runner stops it: a timeout is told before the process has gone */
}

static int start(const struct rcs_tool_host *host, const struct rcs_try_order *order, struct rcs_try **out)
{
    size_t names = OWN_NAMES + count(order->tool->config.environment) + 1;
    struct command_try *try = rcs_alloc_zero(host->allocator, sizeof *try + names * sizeof(char *));
    int code;

    if (try == NULL) {
        return RECOURSE_E_MEMORY;
    }
    try->base.kind = &rcs_kind_command;
    try->host = host;
    try->ended = order->ended;
    try->user = order->user;
    rcs_claim_init(&try->claim, host->port->process_resume != NULL ? resume : NULL);
    fill_request(try, order);
    code = host->port->process_start(host->port->self, &try->request, ended, try, &try->process);
    if (code != 0) {
        free_try(try);
        return code;
    }
    *out = &try->base;
    return 0;
}

static enum rcs_stopped stop(struct rcs_try *base)
{
    struct command_try *try = (struct command_try *)base;

    if (!try->host->port->process_end(try->host->port->self, try->process)) {
        free_try(try);
        return RCS_STOPPED_UNTOUCHED;
    }
    try->stopped = true;
    rcs_claim_leave(try->host->room, &try->claim);
    return RCS_STOPPED_RUNNING;
}

static void forget(struct rcs_try *base)
{
    struct command_try *try = (struct command_try *)base;

    (void)try->host->port->process_cancel(try->host->port->self, try->process);
    free_try(try);
}

const struct rcs_kind rcs_kind_command = {
    .name = "command",
    .ends_soon = true,
    .keeps_deadline = false,
    .starts_processes = true,
    .check = check,
    .start = start,
    .stop = stop,
    .forget = forget,
};
