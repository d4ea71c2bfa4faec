/*
 * The runner's own structs: runner > run > turn > call. They belong to the thread that owns the runner; what other
 * threads touch is in the mailbox and the approvals.
 */
#ifndef RCS_RUN_H
#define RCS_RUN_H

#include <recourse/runner.h>

#include "src/core/list.h"
#include "src/io/timer.h"
#include "src/run/approval.h"
#include "src/run/limit.h"
#include "src/run/repeat.h"
#include "src/run/shared.h"
#include "src/tools/tools.h"

/* Where a call is, as the runner sees it. */
enum rcs_stage {
    RCS_STAGE_NEW = 0,     /* its machine has not begun */
    RCS_STAGE_ASKING = 1,  /* waits for approval; the timer is the end of that */
    RCS_STAGE_QUEUED = 2,  /* waits for leave to make a try; the timer is its deadline */
    RCS_STAGE_TRYING = 3,  /* the timer ends the try, for kinds that don't keep deadlines themselves */
    RCS_STAGE_WAITING = 4, /* between tries; the timer ends the wait */
    RCS_STAGE_HELD = 5,    /* the wait is over, but an earlier try's function still runs; the timer is the deadline */
    RCS_STAGE_DONE = 6,
    RCS_STAGE_RECORDING = 7 /* a try that begins once its record is written; the timer ends it */
};

struct rcs_call {
    struct recourse_turn *turn;
    const struct rcs_tool *tool; /* NULL: none, or more than one of that name */
    struct rcs_try *try;         /* the try under way; or one that was stopped and whose function still runs */
    struct rcs_link link;        /* in the queue of its tool's limit, or in the runner's lists of what waits for its record or
                                    has ended */
    struct rcs_timer timer;
    struct recourse_span arguments; /* as they came; counted in the mailbox's bound until the call is done */
    char *kept;                     /* what the result's spans point to */
    size_t kept_size;               /* counted in the mailbox's bound until the result was delivered */
    uint64_t approval;   /* the number of its question */
    uint64_t same;       /* rcs_same_call; 0: not looked at yet */
    uint64_t session;    /* the number of the one that its last try used */
    uint64_t audited;    /* the call's number in the log; 0: it is not in it */
    struct rcs_tracing *tracing; /* NULL: it belongs to no trace */
    struct rcs_spending *spending; /* NULL: it shares no budgets or breakers */
    uint8_t key[16];
    uint32_t bearers;    /* how many tools have the name that was called */
    uint32_t trail_room; /* in steps */
    uint8_t stage;       /* enum rcs_stage */
    bool elapsed;        /* queued: what comes next is another try, not the first */
    bool duplicate;
    bool truncated;
    bool safe;
    bool lists;          /* asks a server for its tools: `tool` is set from the start */
    bool new_session;    /* recording: what the try will want */
    bool in_try;         /* counted in the runner's tries */
    bool in_limit;       /* counted in those of its tool's limit, which goes on while the tool of a stopped try runs */
    bool touched;        /* the last try has reached for its tool */
    bool has_arguments_apart; /* they have memory of their own, and do not stand behind the turn's calls */
    struct recourse_call machine;
    struct recourse_result result; /* call and tool are set from the start */
};

struct recourse_turn {
    struct recourse_run *run;
    struct rcs_link link;      /* in its run */
    struct rcs_link admission; /* in the runner's list of turns with calls that have not begun; then in dead_turns */
    struct rcs_mail cancel;
    struct rcs_call *calls;
    size_t count;
    size_t begun;       /* calls looked at by the admission */
    size_t undelivered; /* results that on_result has not seen */
    uint64_t began_ms;
    uint64_t began_ns; /* since 1970; 0: there are no spans */
    uint64_t deadline_ms;
    uint32_t token_budget;
    bool done;
    bool freed; /* it has left everything; its memory goes when the step ends */
    void (*on_result)(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result);
    void (*on_done)(void *user, struct recourse_turn *turn);
    void *user;
};

struct recourse_run {
    struct recourse_runner *runner;
    struct rcs_link link; /* in its runner */
    struct rcs_link dead; /* in dead_runs */
    struct rcs_link turns; /* stays as it is during a step: what is freed then goes when it ends */
    struct rcs_mail cancel;
    struct rcs_repeat failed; /* calls that failed, and how often */
    size_t open_turns;
    uint8_t status;       /* enum recourse_run_status */
    struct recourse_run_failure failure;
    char *failure_memory;
    bool freed;
};

/* What waits for its record: each try is in one of the lists. */
struct rcs_recording {
    struct rcs_link appended; /* to be written */
    struct rcs_link written;  /* to be on the disk, as far as `mark` */
    uint64_t mark;
    struct rcs_mail synced;
};

struct recourse_runner {
    struct rcs_tool_host host;
    struct recourse_runner_options options;
    struct recourse_allocator allocator; /* a copy; host.allocator points here, or is NULL */
    const struct recourse_policy *policy;
    struct rcs_tool *tools;
    struct rcs_tool **tools_end;
    struct rcs_mcp_server *servers; /* in the order in which they were added */
    struct rcs_mcp_server **servers_end;
    struct rcs_timers timers;      /* of calls: there is room for each */
    struct rcs_timers tool_timers; /* of kinds of tools */
    struct rcs_room room;
    struct rcs_approvals approvals;
    struct rcs_recording recording;
    struct rcs_link runs;
    struct rcs_link admission; /* of turns */
    struct rcs_link empty;     /* turns without calls, which nobody was told about yet */
    struct rcs_shared shared;
    struct rcs_limits limits;  /* on tries at once, with the calls that wait for leave to make one */
    struct rcs_link ended;     /* of calls whose result was not delivered yet */
    struct rcs_link dead_turns; /* freed from a callback; their memory goes when the step ends */
    struct rcs_link dead_runs;
    size_t calls;    /* not done */
    size_t tries;    /* under way */
    bool stepping;
    uint64_t seed; /* of hashes */
    uint64_t fallback;
};

/* runner.c */
uint64_t rcs_runner_now(struct recourse_runner *runner);
uint64_t rcs_runner_random(struct recourse_runner *runner);
/* The tool of that name; `*count` is how many bear it. NULL unless there is exactly one. */
const struct rcs_tool *rcs_runner_tool(const struct recourse_runner *runner, struct recourse_span name,
                                       uint32_t *count);

/* Whether one more try may be begun: by the number of those that are under way, and the room that is left. */
bool rcs_runner_has_room(const struct recourse_runner *runner);

/* Copies a tool and adds it. `mcp` NULL: no server's; otherwise `config` names one, and `listed` is what it says of it. */
RECOURSE_MUST_USE int rcs_runner_add(struct recourse_runner *runner, const struct recourse_tool *config,
                                     struct rcs_mcp_server *mcp, struct recourse_span listed,
                                     struct recourse_error *error);
/* Frees the tools of a list, and leaves none. */
void rcs_runner_free_tools(struct recourse_runner *runner, struct rcs_tool **tools);

/* servers.c */
/* What the server has listed becomes the runner's. Errors: RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int rcs_servers_learn(struct recourse_runner *runner, struct rcs_mcp_server *server);
/* A tool is not taken; `reason` is static. Errors: RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int rcs_servers_leave_out(struct rcs_mcp_server *server, struct recourse_span remote, const char *reason);
/* listed.c: the same for those that are asked for and not listed. */
RECOURSE_MUST_USE int rcs_servers_note_missing(struct rcs_mcp_server *server);
/* Takes the server's tools out of the runner's; the caller has them. */
struct rcs_tool *rcs_servers_take(struct recourse_runner *runner, const struct rcs_mcp_server *server);
void rcs_servers_free(struct recourse_runner *runner);

/* relist.c */
void rcs_relist_init(struct recourse_runner *runner, struct rcs_mcp_server *server);
void rcs_relist_clear(struct rcs_mcp_server *server);

/* The policy that judges the call, from now on: it is kept until the turn is freed. */
void rcs_call_hold_policy(struct rcs_call *call, const struct recourse_policy *policy);

/* turn.c */
/* Begins calls that wait for it, at most `max`. */
void rcs_turns_admit(struct recourse_runner *runner, size_t max);
/* Hands over results and ends turns, at most so many. */
void rcs_turns_deliver(struct recourse_runner *runner, unsigned most);
/* Gives back the memory of what was freed during the step. */
void rcs_turns_reap(struct recourse_runner *runner);
/* The run fails with the result of `call`: what is safe is cancelled, no try is made any more. */
void rcs_run_fail(struct recourse_run *run, const struct rcs_call *call);
/* True if no try may be begun any more. */
bool rcs_run_ended(const struct recourse_run *run);

/* call.c: the one door. Nothing else steps a call's machine. */
struct rcs_event {
    uint16_t event;                     /* as in struct recourse_input */
    bool sent;
    const struct recourse_facts *facts; /* with RECOURSE_EVENT_OK */
    struct recourse_span reason;        /* why, in words, where there are no facts */
};
void rcs_call_step(struct rcs_call *call, const struct rcs_event *event);
/* From NEW: looks at the preconditions and goes on as far as it can. */
void rcs_call_begin(struct rcs_call *call);
/* Nothing stands against the call: makes its first try, or lets it wait for leave to do so. */
void rcs_call_admit(struct rcs_call *call);
/* Makes tries that wait for leave, at most so many. */
void rcs_call_run_queue(struct recourse_runner *runner, unsigned most);
/* Cancels; nothing happens to a call that is done. */
void rcs_call_cancel(struct rcs_call *call);
void rcs_call_drop_arguments(struct rcs_call *call);
/* Lets go of everything but the result; no step is made. The call is done. */
void rcs_call_drop(struct rcs_call *call);
void rcs_call_fire(struct rcs_timer *timer);

/* A try that was held back for its record: begins it, or (not `allowed`) ends it as one that can't be started. */
void rcs_call_touch(struct rcs_call *call, bool allowed);

/* record.c: with an audit only */
void rcs_recording_open(struct recourse_runner *runner);
void rcs_recording_close(struct recourse_runner *runner);
/* Tells the log of a decision. False: it is lost, and what it would begin must not be. */
RECOURSE_MUST_USE bool rcs_recording_add(struct rcs_call *call, const struct recourse_decision *decision,
                                         const struct recourse_input *input);
/* The call ends as rcs_result_broken says. */
void rcs_recording_break(struct rcs_call *call, int code);
/* Whether the call's try is held back until its record is written; it is in the list then. */
bool rcs_recording_holds(struct rcs_call *call);
/* Writes what was told, and lets tries begin that waited for it. */
void rcs_recording_settle(struct recourse_runner *runner);
bool rcs_recording_has_work(const struct recourse_runner *runner);

/* tracing.c: a call's trace context, and its spans */
/* A call that has none of the two goes without. So does one for which there is no memory. */
void rcs_tracing_begin(struct rcs_call *call, const struct recourse_call_request *request);
void rcs_tracing_drop(struct rcs_call *call);
/* Hears each decision about a call with a trace, before it is carried out, and after its result was made. `facts` may be NULL. */
void rcs_tracing_step(struct rcs_call *call, const struct recourse_decision *decision,
                      const struct recourse_facts *facts, uint64_t now_ms);
/* The call ends as rcs_result_broken says. */
void rcs_tracing_break(struct rcs_call *call, uint64_t now_ms);
/* What its next try is told; NULL: nothing. */
struct rcs_try_trace *rcs_tracing_of_try(struct rcs_call *call);

/* spend.c: a call and what it shares with others */
/* Finds the budgets and breakers of a call whose tool and policy are known. Errors: RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int rcs_spend_join(struct rcs_call *call);
void rcs_spend_drop(struct rcs_call *call);
/* Whether every breaker lets a try begin; then it counts as begun. If not, `text` says which does not. */
bool rcs_spend_admit(struct rcs_call *call, uint64_t now_ms, char *text, size_t size);
/* The input's tokens: NULL where there are no budgets. */
const uint32_t *rcs_spend_tokens(const struct rcs_call *call, uint32_t tokens[RECOURSE_BUDGETS_MAX]);
/* Takes over what was decided; a try that has ended is told to the breakers. */
void rcs_spend_settle(struct rcs_call *call, const struct recourse_decision *decision, uint64_t now_ms);
/* A try that was admitted says nothing about the other side. */
void rcs_spend_leave(struct rcs_call *call);

/* ask.c: approval */
bool rcs_ask_needed(const struct rcs_call *call);
void rcs_ask(struct rcs_call *call);
/* An answer came in. */
void rcs_ask_answered(struct rcs_call *call, const struct rcs_approval_answer *answer);
/* Nobody has answered, and the time for it is over. */
void rcs_ask_timed_out(struct rcs_call *call);
/* The call ends otherwise. */
void rcs_ask_withdraw(struct rcs_call *call);

/* precondition.c */
#define RCS_REASON_MAX 1024u
/* What the tool is given: the arguments as they came, or {} for none. */
struct recourse_span rcs_call_arguments(const struct rcs_call *call);
/* Finds the tool and the policy, and begins the machine. Errors: recourse_call_init's. */
RECOURSE_MUST_USE int rcs_precondition_prepare(struct rcs_call *call);
/* The first check that fails, as an event with its reason written to `text`; RECOURSE_EVENT_READY if none does. */
struct rcs_event rcs_precondition_check(struct rcs_call *call, char text[RCS_REASON_MAX]);
/* The check that may change while a call waits for its first try: whether it has failed too often. */
struct rcs_event rcs_precondition_check_again(struct rcs_call *call, char text[RCS_REASON_MAX]);

/* result.c */
/* The reason of a failure in the tool's own words, or ours. `room` may be used for it. */
struct recourse_span rcs_result_reason(const struct rcs_event *event, char room[32]);
/* Fills in the call's result from its last decision. */
void rcs_result_make(struct rcs_call *call, const struct recourse_decision *decision, const struct rcs_event *event);
/* A result for a call whose machine can't go on. */
void rcs_result_broken(struct rcs_call *call, int code);
/* Writes down the moves of one decision. */
void rcs_result_record(struct rcs_call *call, const struct recourse_decision *decision, const struct rcs_event *event,
                       uint64_t now_ms);

#endif
