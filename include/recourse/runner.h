/*
 * The runner: many tool calls at once, each by its policy.
 *
 *   runner > run > turn > call
 *
 * A run is one conversation with a model; a turn is one reply of it, with its calls; a run that has failed (a policy told
 * the host) takes no further turn. One thread owns a runner. Callbacks come only from recourse_runner_step. The functions
 * marked [any thread] may be called from any. Nothing here installs a signal handler, exits, or writes to a stream.
 *
 * After fork a child may only exec: its copy of a runner is good for nothing, not even for being freed.
 */
#ifndef RECOURSE_RUNNER_H
#define RECOURSE_RUNNER_H

#include <recourse/call.h>
#include <recourse/port.h>

#ifdef __cplusplus
extern "C" {
#endif

struct recourse_runner;
struct recourse_run;
struct recourse_turn;
struct recourse_invocation;
struct recourse_audit;
struct recourse_spans;

/* ---- what a call ended as ---- */

struct recourse_trail_step {
    uint64_t at_ms;  /* since the turn began */
    uint16_t event;
    uint16_t row;
    uint8_t from;    /* enum recourse_place */
    uint8_t to;      /* RECOURSE_BACKOFF: it waits, and the four wait_ms to server_delay_ms hold */
    uint8_t try_number;
    uint8_t effect;  /* enum recourse_effect; meaningful where an attempt ended */
    uint16_t failure; /* or RECOURSE_NONE */
    uint16_t fact_row;
    uint16_t scenario; /* or RECOURSE_NONE: a label counts only where it waits or reports */
    uint16_t http;   /* of this try; 0: none */
    uint64_t wait_ms;
    uint64_t wait_min_ms;
    uint64_t wait_max_ms;
    uint64_t server_delay_ms;
    int32_t tokens[RECOURSE_BUDGETS_MAX]; /* that the step gave to each of the policy's budgets; less than 0: took */
};

/* ---- what calls share: see the sections Budgets and Breakers of the policy ---- */

struct recourse_budget_state {
    const char *id;
    uint8_t shared_by;   /* enum recourse_shared_by */
    const char *sharer;  /* the server's or the tool's name; "" for the runner */
    uint32_t holds;      /* at most */
    uint32_t tokens;     /* now */
    uint32_t least;      /* ever */
    uint64_t refused;    /* waits that it did not allow */
};

enum recourse_circuit { RECOURSE_CIRCUIT_CLOSED = 0, RECOURSE_CIRCUIT_OPEN = 1, RECOURSE_CIRCUIT_HALF_OPEN = 2 };

struct recourse_breaker_state {
    const char *id;
    uint8_t shared_by;
    const char *sharer;
    uint8_t circuit;     /* enum recourse_circuit */
    uint64_t until_ms;   /* open: until then, by the port's clock */
    uint64_t opened;     /* how often */
    uint64_t refused;    /* tries that it did not let begin */
};

/*
 * The budgets and breakers that calls of this runner have come to, in that order. A policy that is replaced goes on with
 * those that the new one defines alike (all cells of the row, the names of what is counted), and begins the others anew;
 * all stay until the runner is freed. False, and `*state` is untouched, past the last. What it points to lives as long as
 * the runner.
 */
bool recourse_runner_budget(const struct recourse_runner *runner, size_t index, struct recourse_budget_state *state);
bool recourse_runner_breaker(const struct recourse_runner *runner, size_t index, struct recourse_breaker_state *state);

/* One call's result. Everything in it lives until the turn is freed. */
struct recourse_result {
    const struct recourse_policy *policy; /* which judged it */
    struct recourse_span call;  /* id, as the model gave it */
    struct recourse_span tool;
    bool success;
    bool truncated;
    uint8_t tell;     /* enum recourse_tell */
    uint8_t reminder; /* enum recourse_reminder */
    uint8_t reason;   /* enum recourse_reason */
    uint8_t effect;   /* of the last try; NONE if there was none */
    uint16_t scenario;
    uint16_t row;     /* the one that reported it */
    uint16_t event;   /* the last one */
    uint16_t failure; /* or RECOURSE_NONE */
    uint16_t http;
    unsigned tries;
    unsigned resumes; /* MCP, of all tries together: how often an answer's stream was read on */
    unsigned rounds;  /* likewise: how often the server asked back */
    unsigned trail_count; /* of `trail` */
    uint64_t duration_ms;
    struct recourse_span content;    /* what the model reads: well-formed UTF-8 without control characters but \t \n \r */
    struct recourse_span structured; /* JSON as the tool gave it, byte for byte: an object, of MCP servers any value; empty: none,
                                        or not well-formed */
    struct recourse_span detail;     /* the tool's own words, cleaned, at most RECOURSE_TEXT_MAX bytes of them; empty on success */
    const struct recourse_trail_step *trail;
};

/* ---- tools ---- */

enum recourse_tool_kind {
    RECOURSE_TOOL_HTTP = 0,
    RECOURSE_TOOL_FUNCTION = 1,
    RECOURSE_TOOL_COMMAND = 2,
    RECOURSE_TOOL_MCP = 3, /* of a server: recourse_runner_add_mcp_server, never recourse_runner_add_tool */
    RECOURSE_TOOL_KIND_COUNT = 4
};

/* How a function tool was answered. */
enum recourse_answer {
    RECOURSE_ANSWER_OK = 0,       /* content is the result */
    RECOURSE_ANSWER_ERROR = 1,    /* content is the error's text: the fact `tool error` */
    RECOURSE_ANSWER_FACTS = 2     /* `facts` says all; content is their text or result */
};

struct recourse_completion {
    uint8_t answer; /* enum recourse_answer */
    struct recourse_span content;
    struct recourse_span structured;
    const struct recourse_facts *facts; /* RECOURSE_ANSWER_FACTS only. Copied, spans included */
};

/*
 * A function tool is handed an invocation. It answers by recourse_invocation_complete, before it returns or later, from any
 * thread, exactly once; that call also gives the invocation back. A `blocking` one runs on a thread of the port.
 */
typedef void recourse_function(void *user, struct recourse_invocation *invocation);

struct recourse_span recourse_invocation_arguments(const struct recourse_invocation *invocation); /* the bytes as they came */
struct recourse_span recourse_invocation_call_id(const struct recourse_invocation *invocation);
/* Stable over the tries of one call, 32 hex digits: for tools that can recognise a repetition. */
const char *recourse_invocation_idempotency_key(const struct recourse_invocation *invocation);
/* The trace that its work belongs to: W3C's traceparent and tracestate, NULL where there is none. They live as long as the
   invocation. */
const char *recourse_invocation_traceparent(const struct recourse_invocation *invocation);
const char *recourse_invocation_tracestate(const struct recourse_invocation *invocation);
unsigned recourse_invocation_try(const struct recourse_invocation *invocation); /* from 1 */
/* Milliseconds left for this try; RECOURSE_FOREVER: no limit. [any thread] */
uint64_t recourse_invocation_time_left_ms(const struct recourse_invocation *invocation);
/* Whether nobody waits for the answer any more. [any thread] */
bool recourse_invocation_cancelled(const struct recourse_invocation *invocation);
/* A descriptor that becomes readable when the invocation is cancelled; -1: none could be had. Do not close. [any thread] */
int recourse_invocation_cancel_fd(struct recourse_invocation *invocation);
/* Answers. Everything is copied. Late answers are dropped. [any thread] */
void recourse_invocation_complete(struct recourse_invocation *invocation, const struct recourse_completion *completion);

/* Whether a call is approved by somebody before it is run. A tool's own mode wins, stricter or not. */
enum recourse_approval_mode {
    RECOURSE_APPROVE_DEFAULT = 0, /* of a tool: as the runner says; of a runner: never */
    RECOURSE_APPROVE_NEVER = 1,
    RECOURSE_APPROVE_ALWAYS = 2,
    RECOURSE_APPROVE_BY_ANNOTATION = 3, /* unless the tool is marked read-only */
    RECOURSE_APPROVE_COUNT = 4
};

struct recourse_tool {
    size_t size; /* sizeof(struct recourse_tool) */
    const char *name;
    const char *description; /* may be NULL */
    uint8_t kind;            /* enum recourse_tool_kind */
    bool declared_unsafe;    /* configuration may be stricter than the policy, never looser */
    bool declared_safe;      /* the host speaks for it: counts where the policy's Tools has no row for it */
    bool read_only;          /* needs no approval where the mode is "by annotation" */
    uint8_t approval;        /* enum recourse_approval_mode; other than the default it wins over the runner's */
    unsigned limit;          /* tries of it at once; 0: no limit of its own. See `server` */
    const char *server;      /* tools that name one server share one limit: each names the same, or 0. NULL: none */
    uint64_t timeout_ms;     /* of a try; 0: the policy's. The shorter of both holds */
    const struct recourse_policy *policy; /* NULL: the runner's */
    /* RECOURSE_TOOL_HTTP: arguments are the body, or the query for GET and DELETE; 2xx is success. */
    const char *url;
    const char *method;          /* NULL: "POST" */
    const char *const *headers;  /* "Name: value", NULL-terminated; may be NULL */
    uint64_t connect_timeout_ms; /* 0: 10 s */
    uint64_t read_timeout_ms;    /* 0: none */
    const char *proxy;           /* NULL: none; the environment is never asked */
    const char *ca_file;         /* NULL: the system's */
    /* RECOURSE_TOOL_FUNCTION */
    recourse_function *function;
    bool blocking;
    void *user;
    /*
     * RECOURSE_TOOL_COMMAND: a program is started for each try, with the arguments on its standard input; its standard
     * output is the content, exit status 0 is success. It gets RECOURSE_IDEMPOTENCY_KEY and RECOURSE_TRY.
     */
    const char *const *command;     /* the program (a path, or a name looked up in PATH) and its words, NULL-terminated */
    const char *const *environment; /* "NAME=value", NULL-terminated, besides what this process has; may be NULL */
    const char *directory;          /* where it runs; NULL: where this process does */
    /* What is shown of the program and the directory where it can't be started, in place of them: they may have secrets in
       them. NULL: they themselves. */
    const char *shown_command;
    const char *shown_directory;
};

/*
 * MCP has two eras. A legacy server (revisions 2024-11-05 to 2025-11-25) is greeted first and keeps a session, a modern one
 * (2026-07-28) does neither. AUTO finds out by `server/discover`, which runs nothing, before the server is first used, and
 * again when it no longer answers like one of its era.
 */
enum recourse_mcp_era {
    RECOURSE_MCP_ERA_AUTO = 0,
    RECOURSE_MCP_ERA_LEGACY = 1,
    RECOURSE_MCP_ERA_MODERN = 2,
    RECOURSE_MCP_ERA_COUNT = 3
};

/*
 * A server of tools that speaks MCP (revisions 2025-03-26 to 2026-07-28) over streamable HTTP, or as a program of ours over
 * its standard input and output. Its tools are known by the names that it lists, once it was asked
 * (recourse_run_list_tools). A program is started when it is first needed, and again when it has ended; its processes end
 * with the runner, and have gone when the port is freed.
 */
struct recourse_mcp_server {
    size_t size; /* sizeof(struct recourse_mcp_server) */
    const char *name;   /* its tools share one limit under this name */
    const char *url;            /* this one, or `command` */
    const char *const *headers; /* "Name: value", NULL-terminated, of every request; may be NULL */
    const char *proxy;          /* as of a tool */
    const char *ca_file;
    const char *const *command;     /* as of a tool: the program and its words */
    const char *const *environment; /* besides what this process has; may be NULL */
    const char *directory;          /* where it runs; NULL: where this process does */
    const char *shown_command;      /* as of a tool */
    const char *shown_directory;
    const char *prefix;         /* goes before the names of its tools; NULL: nothing does */
    const char *const *tools;   /* the tools that are taken, by the server's names, NULL-terminated; NULL: all */
    const struct recourse_policy *policy; /* of its tools and of the asking; NULL: the runner's */
    uint64_t timeout_ms;         /* of a try; 0: the policy's. The shorter of both holds */
    uint64_t connect_timeout_ms; /* 0: 10 s */
    /* The longest gap between bytes; of a program, between what is seen of a request: its progress, a question of the server's,
       bytes of a line that has begun. 0: none. The time of a try holds besides, whatever is seen. */
    uint64_t read_timeout_ms;
    unsigned limit;              /* tries at once, of all its tools; 0: none */
    uint8_t approval;            /* enum recourse_approval_mode, of its tools */
    bool declared_unsafe; /* as of a tool, for all of them */
    bool declared_safe;
    /* Its annotations are believed: a tool is safe if it is marked read-only or idempotent, and read-only if marked so. */
    bool trusted;
    uint8_t era; /* enum recourse_mcp_era */
    /* Forms that the server asks to have filled in (elicitation/create) are, with the defaults of their schema, where every
       required property has one; others are declined. Without it the server is told that nothing can be asked. */
    bool elicit_defaults;
};

/* What is known of a tool. Everything lives until the next tool is added or listed, or a step in which a server said that its
   list has changed. */
struct recourse_tool_info {
    struct recourse_span name;        /* as models call it */
    struct recourse_span description; /* empty: none */
    struct recourse_span server;      /* empty: none */
    struct recourse_span schema;      /* of its arguments, JSON as the server wrote it; empty: unknown */
    struct recourse_span annotations; /* likewise: hints, to be believed of trusted servers only */
    uint8_t kind;                     /* enum recourse_tool_kind */
    bool safe;                        /* somebody speaks for it, other than a policy */
    bool read_only;
};

/*
 * A tool that is not taken: a server lists it, and it can't be called as the protocol wants, or is listed twice; or the
 * configuration asks for it (`tools`), and the server doesn't list it. Lives as the above.
 */
struct recourse_tool_left_out {
    struct recourse_span name; /* as the server has it */
    struct recourse_span server;
    struct recourse_span reason;
};

/* ---- runner ---- */

/* One decision, as it is made. Pointers live until the callback returns. */
struct recourse_observation {
    const struct recourse_policy *policy;
    struct recourse_span call;
    struct recourse_span tool;
    const struct recourse_decision *decision;
    const struct recourse_facts *facts; /* NULL where no try ended */
    uint64_t now_ms;
    struct recourse_span detail; /* the error's text, cleaned and cut as the policy says; may be empty */
};

enum recourse_approval { RECOURSE_REFUSED = 0, RECOURSE_APPROVED = 1, RECOURSE_APPROVE_LATER = 2 };

#define RECOURSE_APPROVAL_DIGEST_SIZE 32u

/*
 * A call that somebody has to approve. All in it lives until the callback returns.
 *
 * The digest is SHA-256 over "recourse approval 1\n", the length of the tool's name (8 bytes, little-endian), the name, and
 * the arguments, byte for byte as the tool will be sent them. An answer has to bear it, so that nobody approves one call
 * and runs another; whoever shows the arguments elsewhere can compute it from what was shown.
 */
struct recourse_approval_request {
    uint64_t approval; /* its number: never 0, never used again */
    const struct recourse_turn *turn;
    size_t index;      /* of the call in its turn */
    struct recourse_span call;
    struct recourse_span tool;
    struct recourse_span arguments; /* a JSON object, written by a model: clean it before it is shown */
    bool read_only;
    uint64_t expires_ms; /* monotonic: nobody waits longer; RECOURSE_FOREVER: as long as it takes */
    uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE];
    const char *reason; /* NULL; a callback that refuses may say why: the model is told */
};

struct recourse_runner_options {
    size_t size; /* sizeof(struct recourse_runner_options) */
    struct recourse_port *port;                 /* borrowed; must outlive the runner */
    const struct recourse_allocator *allocator; /* NULL: malloc */
    const struct recourse_policy *policy;       /* for tools without one of their own */
    /* Over all calls; 0: 256. What is beyond it, or beyond the limit of its tool or server, queues: first come, first served
       within one limit, in turns between them, so that no full server holds up another. */
    unsigned tries_at_once;
    unsigned calls_max;      /* in flight, queued and waiting ones included; 0: 100000. Beyond: RECOURSE_E_AGAIN */
    /*
     * Arguments and replies together, bytes; 0: 1 GiB. Arguments that are beyond it: RECOURSE_E_AGAIN. Answers wait instead:
     * where there is no room they are not read on, no further try is begun while another is under way, and the read
     * timeouts of those that wait rest; deadlines hold. The last `body_max` of it (at most half) are for one answer at a
     * time, so that one always ends. Beyond it, for a moment, go results that are larger than what came; the answers of
     * functions, which are there already; that one answer, where arguments have taken its place; and of a compressed answer that waits
     * what 2 KiB of it are decoded to (honest ones some 20 KiB, none more than 2 MiB). What libcurl receives into is not in
     * it: 2 KiB for each try over HTTP, after large answers 16 KiB, which makes 16 MiB of 1,024 at once.
     */
    size_t memory_max;
    size_t body_max;         /* one answer, bytes; 0: 4 MiB; at most `memory_max`. Beyond: `too large` */
    uint8_t approval_mode;   /* enum recourse_approval_mode */
    /* Asked before a call is run. RECOURSE_APPROVE_LATER: recourse_call_approve follows, or the policy's approval timeout.
       Any other value is a refusal; a negative one says that asking failed. NULL: what needs approval is refused. */
    int (*approve)(void *user, struct recourse_approval_request *request);
    void (*observe)(void *user, const struct recourse_observation *observation);
    /* What an MCP server does that belongs to no call, such as a line of its output that is none of the protocol's: one clean
       line of English. Both spans live until it returns. NULL: nobody is told. */
    void (*note)(void *user, struct recourse_span server, struct recourse_span text);
    void *user;
    /* Where each decision is recorded, opened on the same port (recourse/audit.h); of this runner alone, and closed after
       it. NULL: nowhere. */
    struct recourse_audit *audit;
    /* Where the spans of calls go, opened on the same port (recourse/spans.h); of this runner alone, and freed after it.
       NULL: nowhere. */
    struct recourse_spans *spans;
};

/* Errors: RECOURSE_E_ARGUMENT, RECOURSE_E_ABI (the policy's), RECOURSE_E_MEMORY, RECOURSE_E_SYSTEM (no random numbers). */
RECOURSE_MUST_USE int recourse_runner_new(const struct recourse_runner_options *options, struct recourse_runner **runner,
                                          struct recourse_error *error);
/* Cancels what is in flight (no callback comes) and frees all runs and turns. Functions that still run keep their
   invocation; their answers are dropped. MCP servers are told what is not wanted any more, and that their sessions are over,
   for which the port is polled, twice up to 250 ms. Never from a callback, and no other thread may be within a call that takes the runner. */
void recourse_runner_free(struct recourse_runner *runner);

/* Adds a tool; everything is copied. Two of one name make that name ambiguous. Errors: RECOURSE_E_ARGUMENT,
   RECOURSE_E_ABI (its policy's), RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int recourse_runner_add_tool(struct recourse_runner *runner, const struct recourse_tool *tool,
                                               struct recourse_error *error);

/* Adds a server; everything is copied. It is not asked for anything yet. */
RECOURSE_MUST_USE int recourse_runner_add_mcp_server(struct recourse_runner *runner,
                                                     const struct recourse_mcp_server *server,
                                                     struct recourse_error *error);
/* Whether the tools of every server are known. */
bool recourse_runner_tools_ready(const struct recourse_runner *runner);
size_t recourse_runner_tool_count(const struct recourse_runner *runner);
/* The tool at `index`, in the order in which they were added or listed. False: there is none. */
bool recourse_runner_tool_info(const struct recourse_runner *runner, size_t index, struct recourse_tool_info *info);
/* Likewise of the tools that were not taken. */
bool recourse_runner_left_out(const struct recourse_runner *runner, size_t index, struct recourse_tool_left_out *left_out);
/* The name of a tool as that server has it, whether it was taken or not: writes at most `size` bytes, and returns the length when
   whole; 0 past the last. */
size_t recourse_runner_listed(const struct recourse_runner *runner, struct recourse_span server, size_t index, char *out,
                              size_t size);

/*
 * Another policy, from now on: for tools without one of their own, or for the tools of that name (NULL: the runner's). A
 * call whose preconditions have been looked at keeps the policy that it began with to its end, and its result holds it
 * until the turn is freed. Budgets and breakers: see recourse_runner_budget. Runners, tools and calls have references of their own (recourse_policy_retain). Errors:
 * RECOURSE_E_ARGUMENT, RECOURSE_E_ABI, RECOURSE_E_NOT_FOUND (no tool of that name); nothing has changed then.
 */
RECOURSE_MUST_USE int recourse_runner_set_policy(struct recourse_runner *runner, const struct recourse_policy *policy);
RECOURSE_MUST_USE int recourse_runner_set_tool_policy(struct recourse_runner *runner, const char *name,
                                                      const struct recourse_policy *policy);

/*
 * Own loop: waits up to `timeout_ms` for something to happen, and does it. Errors: RECOURSE_E_ARGUMENT, RECOURSE_E_STATE
 * (called from a callback), those of the port's `poll`.
 * A host's loop: recourse_runner_step(runner, 0) when the descriptor is readable or the wake time has come; ask for the
 * wake time after every call of this library.
 */
RECOURSE_MUST_USE int recourse_runner_step(struct recourse_runner *runner, uint64_t timeout_ms);
int recourse_runner_descriptor(const struct recourse_runner *runner);
uint64_t recourse_runner_wake_ms(const struct recourse_runner *runner); /* RECOURSE_FOREVER: none */
/* Memory of arguments and replies in flight, bytes. */
size_t recourse_runner_memory(const struct recourse_runner *runner);

/*
 * Answers an approval that was left open. Returns whether that counted: an unknown number, another digest, a second answer,
 * or one after the call has ended or its time was over change nothing. [any thread]
 */
bool recourse_call_approve(struct recourse_runner *runner, uint64_t approval,
                           const uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE], bool approved);
/* The digest of an approval request. Errors: RECOURSE_E_MEMORY. [any thread] */
RECOURSE_MUST_USE int recourse_approval_digest(struct recourse_span tool, struct recourse_span arguments,
                                               uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE]);

/* ---- runs and turns ---- */

enum recourse_run_status {
    RECOURSE_RUN_OPEN = 0,
    RECOURSE_RUN_ANSWERED = 1, /* every turn so far ended, with results for the model */
    RECOURSE_RUN_FAILED = 2,   /* a policy told the host */
    RECOURSE_RUN_CANCELLED = 3,
    RECOURSE_RUN_STATUS_COUNT = 4
};

/* The failure that ended a run. Lives as long as the run. */
struct recourse_run_failure {
    uint16_t http; /* 0: none */
    struct recourse_span tool; /* empty: it was no tool's, recourse_run_fail */
    struct recourse_span text; /* the server's own message, cleaned */
};

/* Errors: RECOURSE_E_ARGUMENT, RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int recourse_run_new(struct recourse_runner *runner, struct recourse_run **run);
enum recourse_run_status recourse_run_status(const struct recourse_run *run);
/* NULL unless RECOURSE_RUN_FAILED. */
const struct recourse_run_failure *recourse_run_failure(const struct recourse_run *run);
/*
 * Ends the run with a failure of the host's own, such as its model provider's: as where a policy tells the host, what is
 * safe is cancelled, what is not finishes its try, no further turn begins. The failure is copied as it stands. Errors:
 * RECOURSE_E_ARGUMENT, RECOURSE_E_STATE (it has ended already, and keeps what it has), RECOURSE_E_MEMORY (the run has
 * failed, with the status alone).
 */
RECOURSE_MUST_USE int recourse_run_fail(struct recourse_run *run, const struct recourse_run_failure *failure);
/* Cancels its turns, and ends the run: it takes no further one. [any thread, while the run lives] */
void recourse_run_cancel(struct recourse_run *run);
void recourse_run_free(struct recourse_run *run);

/* One call as the dialect read it. Spans are copied. */
struct recourse_call_request {
    struct recourse_span id;
    struct recourse_span name;      /* empty: missing */
    struct recourse_span arguments; /* JSON text, as it came */
    bool truncated;                 /* the reply was cut off: never run */
    /*
     * The trace that the call belongs to, as W3C Trace Context writes it: of the span that is its parent. HTTP tools and MCP
     * servers are sent it (headers of those names, which the tool's own win over; `_meta` of tools/call), functions can ask for
     * it, commands have it in TRACEPARENT and TRACESTATE: with the span of the try where the runner makes spans, as it is where
     * it makes none. One that is malformed counts as none. Empty: none; spans begin a trace of their own.
     */
    struct recourse_span traceparent;
    struct recourse_span tracestate;
};

struct recourse_turn_options {
    size_t size; /* sizeof(struct recourse_turn_options) */
    const struct recourse_call_request *calls;
    size_t call_count;
    uint64_t deadline_ms;  /* monotonic, of every call; 0 or RECOURSE_FOREVER: none */
    uint32_t token_budget; /* for all results together; 0: none. A token is taken as 4 characters */
    /* A result, once per call, as it comes. */
    void (*on_result)(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result);
    /* All have one. The turn may be freed from here. */
    void (*on_done)(void *user, struct recourse_turn *turn);
    void *user;
};

/* Starts a turn. Errors: RECOURSE_E_STATE (the run has ended), RECOURSE_E_AGAIN, RECOURSE_E_MEMORY, RECOURSE_E_ARGUMENT. */
RECOURSE_MUST_USE int recourse_turn_start(struct recourse_run *run, const struct recourse_turn_options *options,
                                          struct recourse_turn **turn, struct recourse_error *error);
/*
 * Asks each server whose tools are not known yet for them: a turn of its own, with one call "tools/list of NAME" for each,
 * judged by the server's policy as any other call is. Of `options` only deadline_ms and the callbacks count; NULL: none.
 * Step the runner until the turn is done, or until recourse_runner_tools_ready; then start turns of a model. Where a list
 * can't be had the run fails, whomever the policy would tell: recourse_run_failure has status, tool and text. Errors: as
 * recourse_turn_start.
 */
RECOURSE_MUST_USE int recourse_run_list_tools(struct recourse_run *run, const struct recourse_turn_options *options,
                                              struct recourse_turn **turn, struct recourse_error *error);
bool recourse_turn_done(const struct recourse_turn *turn);
size_t recourse_turn_count(const struct recourse_turn *turn);
/* NULL while the call has none. */
const struct recourse_result *recourse_turn_result(const struct recourse_turn *turn, size_t index);
/* Every call without a result gets one: cancelled. [any thread, while the turn lives] */
void recourse_turn_cancel(struct recourse_turn *turn);
/* Frees it; calls in flight are cancelled first, without callbacks. */
void recourse_turn_free(struct recourse_turn *turn);

#ifdef __cplusplus
}
#endif
#endif
