/* One `recourse run` from its options to its exit status. */
#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <recourse/dialect.h>

#include "cli.h"
#include "config.h"
#include "files.h"
#include "output.h"
#include "policies.h"
#include "run_approve.h"
#include "run_audit.h"
#include "run_live.h"
#include "run_log.h"
#include "run_metrics.h"
#include "run_otlp.h"
#include "run_report.h"
#include "signals.h"

#define TRIES_AT_ONCE 256u
#define CALLS_MAX_SIZE ((size_t)64 << 20)

/* All that one `recourse run` is made of. */
struct job {
    struct rcs_run_options options;
    struct rcs_policies policies;
    struct rcs_arena arena;
    struct rcs_config config;
    const struct recourse_policy *policy;
    struct recourse_calls calls;
    struct recourse_port *port;
    struct recourse_audit *audit; /* NULL: none */
    struct recourse_metrics *metrics; /* likewise */
    struct recourse_spans *spans;     /* likewise */
    struct recourse_runner *runner;
    struct recourse_run *run;
    struct recourse_turn *turn;
    struct rcs_live *live;
    struct rcs_approver *approver; /* NULL: nobody is asked */
    bool cancelled;                /* before the turn */
    bool stopped;                  /* likewise after it */
    int unread;                    /* errno: why standard output can't be written */
    int terminal;                  /* of the approver to be; -1: none */
};

/* ---- the end before the end ---- */

/* Where there is no run any more, only its spans are left. */
static void cancel(struct job *job)
{
    if (job->run != NULL) {
        recourse_run_cancel(job->run);
    } else {
        job->stopped = true;
    }
}

static void on_signal(void *user)
{
    cancel(user);
}

/* Nobody gets to know what comes of the run: nothing more is begun. */
static void give_up(struct job *job, int why)
{
    job->unread = job->unread != 0 ? job->unread : why;
    cancel(job);
}

static void on_unread(void *user)
{
    give_up(user, EPIPE);
}

/* ---- what the runner tells ---- */

static void on_observe(void *user, const struct recourse_observation *observation)
{
    struct job *job = user;
    struct rcs_arena arena = {0};

    if (job->options.log) {
        const char *line = rcs_log_line(&arena, observation);

        fprintf(stderr, "%s\n", rcs_secrets_hide_text(&arena, &job->config.secrets, line));
        rcs_arena_clear(&arena);
    }
    if (job->metrics != NULL) {
        recourse_metrics_observe(job->metrics, observation);
    }
    rcs_live_observe(job->live, observation);
}

static void on_note(void *user, struct recourse_span server, struct recourse_span text)
{
    const struct job *job = user;

    if (job->options.log) {
        rcs_log_note(&job->config.secrets, server, text);
    }
}

static void print_result(struct job *job, const struct recourse_result *result)
{
    enum recourse_dialect dialect = (enum recourse_dialect)job->calls.dialect;
    size_t size = recourse_result_write(dialect, result, NULL, 0);
    char *text = rcs_cli_realloc(NULL, size + 1);

    recourse_result_write(dialect, result, text, size + 1);
    text[size] = '\n'; /* in the place of its NUL */
    if (!rcs_output_write(text, size + 1)) {
        give_up(job, errno);
    }
    free(text);
}

static void on_result(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result)
{
    struct job *job = user;

    (void)turn;
    rcs_live_result(job->live, index, result);
    rcs_approver_ended(job->approver, index);
    if (job->options.stream && job->unread == 0 && result->tell == RECOURSE_TELL_MODEL &&
        recourse_run_status(job->run) != RECOURSE_RUN_FAILED) { /* the model is told no more once the host was */
        rcs_live_hide(job->live);
        print_result(job, result);
    }
}

/* ---- approval ---- */

static void before_question(void *user)
{
    struct job *job = user;

    rcs_live_hide(job->live);
}

static int on_approve(void *user, struct recourse_approval_request *request)
{
    struct job *job = user;

    if (job->options.approve == RCS_APPROVE_YES) {
        return RECOURSE_APPROVED;
    }
    if (job->approver != NULL) {
        return rcs_approver_ask(job->approver, job->runner, request);
    }
    request->reason = job->options.approve == RCS_APPROVE_NO
                          ? "the call needs approval, and --approve no refuses it (yes allows it, ask asks)"
                          : "the call needs approval, and there is no terminal to ask on (--approve yes allows it)";
    return RECOURSE_REFUSED;
}

static bool somebody_is_asked(const struct rcs_config *config)
{
    for (size_t i = 0; i < config->count; i++) {
        const struct recourse_tool *tool = &config->tools[i];

        if (tool->approval == RECOURSE_APPROVE_ALWAYS ||
            (tool->approval == RECOURSE_APPROVE_BY_ANNOTATION && !tool->read_only)) {
            return true;
        }
    }
    for (size_t i = 0; i < config->server_count; i++) {
        if (config->servers[i].approval > RECOURSE_APPROVE_NEVER) { /* which of its tools, is not known yet */
            return true;
        }
    }
    return false;
}

static bool find_terminal(struct job *job)
{
    bool must = job->options.approve == RCS_APPROVE_ASK;

    if (must || (job->options.approve == RCS_APPROVE_DEFAULT && somebody_is_asked(&job->config))) {
        job->terminal = rcs_approve_terminal();
    }
    if (must && job->terminal < 0) {
        rcs_cli_error("run", "--approve ask: there is no terminal to ask on: /dev/tty: %s", strerror(errno));
        return false;
    }
    return true;
}

/* ---- getting ready ---- */

static bool read_calls(struct job *job)
{
    bool from_stdin = strcmp(job->options.calls, "-") == 0;
    const char *shown = from_stdin ? "<stdin>" : job->options.calls;
    struct recourse_error error = {.code = RECOURSE_OK};
    struct recourse_span reply = {NULL, 0};
    const char *why = NULL;
    char *text = rcs_files_read(job->options.calls, CALLS_MAX_SIZE, &reply.size, &why);
    bool is_list;
    int code;

    if (text == NULL) {
        rcs_cli_error("run", "%s: the calls can't be read: %s", shown, why);
        return false;
    }
    reply.data = text;
    code = recourse_calls_read(reply, NULL, &job->calls, &error);
    is_list = text[strspn(text, " \t\r\n")] == '[';
    free(text);
    if (code != RECOURSE_OK) {
        rcs_cli_error("run", "%s: %s", shown, *error.text != '\0' ? error.text : recourse_code_text(code));
    }
    if (code == RECOURSE_OK && job->calls.count == 0 && !is_list) {
        rcs_cli_error("run", "%s: %s without a call: there is nothing to run, and nothing to send back", shown,
                      recourse_dialect_name((enum recourse_dialect)job->calls.dialect));
    }
    return code == RECOURSE_OK;
}

/* What is written must be neither written over nor read as something else. */
static bool keep_apart(const struct rcs_run_options *options)
{
    const struct {
        const char *what;
        const char *path;
        bool read;
    } files[] = {
        {"--report", options->report, false},         {"--metrics", options->metrics, false},
        {"--audit", options->audit, false},           {"--disclosure", options->disclosure, false},
        {"the file of the calls", options->calls, true}, {"--tools", options->tools, true},
    };
    const size_t count = sizeof files / sizeof files[0];

    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count && files[i].path != NULL && !files[i].read; j++) {
            if (files[j].path != NULL && !(files[j].read && strcmp(files[j].path, "-") == 0) &&
                rcs_files_same(files[i].path, files[j].path)) {
                rcs_cli_error("run", "%s: %s and %s are one file: give each its own", files[i].path, files[i].what,
                              files[j].what);
                return false;
            }
        }
    }
    return true;
}

/* Everything that can be wrong with what we were given is found here, before anything runs. */
static bool prepare(struct job *job)
{
    const char *why = NULL;
    char text[512];

    if (!keep_apart(&job->options)) {
        return false;
    }
    job->policy = rcs_policies_open(&job->policies, job->options.policy, text, sizeof text);
    if (job->policy == NULL) {
        rcs_cli_error("run", "%s", text);
        return false;
    }
    if (!rcs_config_load("run", job->options.tools, &job->arena, &job->policies, &job->config) || !read_calls(job) ||
        !rcs_run_otlp_join(&job->options, &job->calls)) {
        return false;
    }
    if (job->options.report != NULL && !rcs_files_replaceable(job->options.report, &why)) {
        rcs_cli_error("run", "%s: the report can't be written: %s", job->options.report, why);
        return false;
    }
    if (job->options.metrics != NULL && !rcs_files_replaceable(job->options.metrics, &why)) {
        rcs_cli_error("run", "%s: the metrics can't be written: %s", job->options.metrics, why);
        return false;
    }
    return find_terminal(job);
}

static bool complain_error(const char *what, int code, const struct recourse_error *error)
{
    rcs_cli_error("run", "%s: %s", what, *error->text != '\0' ? error->text : recourse_code_text(code));
    return false;
}

static bool has_commands(const struct job *job)
{
    for (size_t i = 0; i < job->config.count; i++) {
        if (job->config.tools[i].kind == RECOURSE_TOOL_COMMAND) {
            return true;
        }
    }
    return false;
}

/* Each try takes a descriptor, that of a command several. As many as the process may open are asked for; half of them, or a ninth, are for tries. */
static unsigned tries_that_fit(const struct job *job)
{
    unsigned each = has_commands(job) ? 9u : 2u;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 0;
    }
    if (limit.rlim_cur < limit.rlim_max) {
        struct rlimit more = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};

        if (setrlimit(RLIMIT_NOFILE, &more) == 0) {
            limit = more;
        }
    }
    if (limit.rlim_cur >= (rlim_t)each * TRIES_AT_ONCE) {
        return TRIES_AT_ONCE;
    }
    return limit.rlim_cur < each ? 1u : (unsigned)limit.rlim_cur / each;
}

static bool start_runner(struct job *job)
{
    struct recourse_port_options port_options = {.size = sizeof port_options};
    struct recourse_runner_options options = {
        .size = sizeof options,
        .policy = job->policy,
        .approve = on_approve,
        .observe = on_observe,
        .note = on_note,
        .user = job,
        .tries_at_once = tries_that_fit(job),
    };
    struct recourse_error error = {.code = RECOURSE_OK};
    int code = recourse_port_new(&port_options, &job->port, &error);

    if (code != RECOURSE_OK) {
        return complain_error("the loop can't be set up", code, &error);
    }
    options.port = job->port;
    if (!rcs_run_audit_open(&job->options, job->port, job->policy, &job->audit)) {
        return false;
    }
    options.audit = job->audit;
    if (!rcs_run_otlp_open(&job->options, job->port, &job->arena, &job->spans)) {
        return false;
    }
    options.spans = job->spans;
    job->metrics = job->options.metrics != NULL ? recourse_metrics_new(NULL) : NULL;
    if (job->terminal >= 0) {
        job->approver = rcs_approver_new(job->port, job->terminal, before_question, job);
        job->terminal = -1;
    }
    code = recourse_runner_new(&options, &job->runner, &error);
    if (code != RECOURSE_OK) {
        return complain_error("the runner can't be set up", code, &error);
    }
    if (!rcs_config_add("run", &job->config, job->runner)) {
        return false;
    }
    code = recourse_run_new(job->runner, &job->run);
    if (code != RECOURSE_OK) {
        return complain_error("the run can't be set up", code, &error);
    }
    if (!rcs_signals_listen(job->port, on_signal, job)) {
        rcs_cli_error("run", "signals can't be listened to: %s", strerror(errno));
        return false;
    }
    rcs_output_watch(job->port, on_unread, job);
    return true;
}

static bool start_turn(struct job *job)
{
    struct recourse_turn_options options = {
        .size = sizeof options,
        .calls = job->calls.requests,
        .call_count = job->calls.count,
        .token_budget = job->options.budget,
        .on_result = on_result,
        .user = job,
    };
    struct recourse_error error = {.code = RECOURSE_OK};
    int code;

    if (job->options.deadline_ms > 0) {
        options.deadline_ms = job->port->now_ms(job->port->self) + job->options.deadline_ms;
    }
    code = recourse_turn_start(job->run, &options, &job->turn, &error);
    return code == RECOURSE_OK || complain_error("the calls can't be started", code, &error);
}

/*
 * Before any call is made. A run that was cancelled meanwhile still gives each call its result: in a run of their own,
 * cancelled before it begins.
 */
static bool list_tools(struct job *job, bool *go_on)
{
    enum recourse_run_status status;
    int code;

    *go_on = true;
    if (recourse_runner_tools_ready(job->runner)) {
        return true;
    }
    if (!rcs_config_list_tools("run", job->runner, job->run)) {
        return false;
    }
    status = recourse_run_status(job->run);
    *go_on = status != RECOURSE_RUN_FAILED;
    if (status != RECOURSE_RUN_CANCELLED) {
        return true;
    }
    recourse_run_free(job->run);
    job->run = NULL;
    code = recourse_run_new(job->runner, &job->run);
    job->cancelled = true;
    return code == RECOURSE_OK || complain_error("the run can't be set up", code, &(struct recourse_error){.code = code});
}

static bool run_turn(struct job *job)
{
    bool go_on;

    if (!list_tools(job, &go_on) || !go_on) {
        return !go_on;
    }
    if (!job->options.log) {
        job->live = rcs_live_new(STDERR_FILENO, job->calls.requests, job->calls.count);
    }
    if (!start_turn(job)) {
        return false;
    }
    if (job->cancelled) {
        recourse_run_cancel(job->run);
    }
    while (!recourse_turn_done(job->turn)) {
        int code;

        if (!rcs_approver_asks(job->approver)) {
            rcs_live_draw(job->live, job->port->now_ms(job->port->self));
        }
        code = recourse_runner_step(job->runner, job->live != NULL ? RCS_LIVE_INTERVAL_MS : RECOURSE_FOREVER);
        if (code != RECOURSE_OK) {
            rcs_live_hide(job->live);
            rcs_cli_error("run", "the runner stopped: %s", recourse_code_text(code));
            return false;
        }
    }
    rcs_live_hide(job->live);
    return true;
}

/* ---- what comes of it ---- */

static void print_results(const struct job *job)
{
    enum recourse_dialect dialect = (enum recourse_dialect)job->calls.dialect;
    size_t size;
    char *text;

    size = recourse_results_write(dialect, job->turn, NULL, 0);
    text = rcs_cli_realloc(NULL, size + 1);
    recourse_results_write(dialect, job->turn, text, size + 1);
    printf("%s\n", text);
    free(text);
}

static bool write_report(const struct job *job, enum recourse_run_status status)
{
    struct rcs_report report = {job->runner, job->policy, status, recourse_run_failure(job->run), job->turn,
                                &job->config.secrets};
    struct rcs_out out = {0};
    const char *why = NULL;
    bool good;

    rcs_report_write(&out, &report);
    rcs_out_line(&out);
    good = rcs_files_replace(job->options.report, 0600, out.data, out.size, &why);
    rcs_out_clear(&out);
    if (!good) {
        rcs_cli_error("run", "%s: the report can't be written: %s", job->options.report, why);
    }
    return good;
}

/* On a terminal, what the display ends as. */
static void print_summary(const struct job *job)
{
    size_t count = job->turn == NULL ? 0 : recourse_turn_count(job->turn);
    size_t answered = 0;

    for (size_t i = 0; i < count; i++) {
        const struct recourse_result *result = recourse_turn_result(job->turn, i);

        answered += result != NULL && result->success;
    }
    fprintf(stderr, "%zu %s: %zu answered, %zu in error\n", count, count == 1 ? "call" : "calls", answered,
            count - answered);
}

static int finish(const struct job *job)
{
    enum recourse_run_status status = recourse_run_status(job->run);
    bool reported;

    if (job->live != NULL) {
        print_summary(job);
    }
    if (!job->options.stream && job->unread == 0 && status != RECOURSE_RUN_FAILED) {
        print_results(job);
    }
    reported = job->options.report == NULL || write_report(job, status);
    if (status == RECOURSE_RUN_FAILED) {
        rcs_config_complain_failed("run", &job->config, job->run);
        return RCS_EXIT_FAILED;
    }
    if (job->unread != 0) {
        return rcs_cli_error("run", "standard output can't be written, so nothing more is run: %s", strerror(job->unread));
    }
    if (status == RECOURSE_RUN_CANCELLED) {
        rcs_cli_error("run", "cancelled");
        return RCS_EXIT_CANCELLED;
    }
    return reported ? RCS_EXIT_OK : RCS_EXIT_ERROR;
}

/* False: some of the record, or the metrics, could not be written. */
static bool clear(struct job *job)
{
    bool recorded;

    recorded = job->runner == NULL || rcs_run_metrics_write(job->metrics, job->options.metrics);
    rcs_live_free(job->live);
    if (job->turn != NULL) {
        recourse_turn_free(job->turn);
    }
    if (job->run != NULL) {
        recourse_run_free(job->run);
        job->run = NULL;
    }
    if (job->runner != NULL) {
        recourse_runner_free(job->runner);
    }
    rcs_run_otlp_close(job->spans, &job->stopped);
    recorded = rcs_run_audit_close(job->audit) && recorded;
    rcs_approver_free(job->approver);
    if (job->terminal >= 0) {
        close(job->terminal);
    }
    if (job->port != NULL) {
        rcs_output_unwatch(job->port);
    }
    rcs_signals_free_port(job->port);
    recourse_calls_clear(&job->calls);
    rcs_arena_clear(&job->arena);
    rcs_policies_clear(&job->policies);
    return recorded;
}

int rcs_run_job(const struct rcs_run_options *options)
{
    struct job job = {.options = *options, .policies = {.command = "run", .no_cache = options->no_cache}, .terminal = -1};
    int status = RCS_EXIT_ERROR;

    if (recourse_global_init() != RECOURSE_OK) {
        return rcs_cli_error("run", "the HTTP library can't be set up");
    }
    if (prepare(&job) && start_runner(&job) && (job.calls.count == 0 || run_turn(&job))) {
        status = finish(&job);
    }
    if (!clear(&job) && status == RCS_EXIT_OK) {
        status = RCS_EXIT_ERROR;
    }
    recourse_global_cleanup();
    return status;
}
