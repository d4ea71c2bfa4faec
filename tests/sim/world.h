/*
 * One simulated world: a runner with its tools and policies, the servers behind them, the hosts that use it, and somebody who
 * watches. All of it follows from one seed. What the watcher knows comes from the servers' side and from the runner's
 * public interface alone.
 */
#ifndef RCS_SIM_WORLD_H
#define RCS_SIM_WORLD_H

#include <recourse/runner.h>

#include "gen/model.h"
#include "tests/sim/random.h"

#define SIM_TOOLS_MAX 12u
#define SIM_TURNS_MAX 48u
#define SIM_RUNS_MAX 12u
#define SIM_TURN_CALLS_MAX 24u
#define SIM_SERVERS_MAX 2u
#define SIM_POLICIES_MAX 16u
#define SIM_TRAIL_MAX 32u
#define SIM_NEVER UINT64_MAX

/* What has to hold. A broken world is told by the first one that does not. */
enum sim_invariant {
    SIM_HOLDS = 0,
    SIM_ONE_RESULT,   /* each call id has exactly one result, and each turn one end */
    SIM_TRIES,        /* no try without a decision, after an ending, or beyond the policy's number */
    SIM_CANCELLED,    /* nothing is tried, and nothing stays open, after cancelling or failing */
    SIM_TWICE,        /* a tool that is not safe acts once, unless the policy owns up to the failure */
    SIM_WINDOW,       /* each wait lies in its window, and ends where it says */
    SIM_EARLY,        /* no wait ends early */
    SIM_LATE,         /* nothing sleeps past its wake, its try's end, or its deadline */
    SIM_MODEL,        /* decisions and trails are a walk of the model */
    SIM_FACTS,        /* what is judged is what the server answered */
    SIM_EFFECT,       /* nobody is told that nothing was done when something was */
    SIM_REQUEST,      /* a tool gets the arguments, the key and the number of its try */
    SIM_CHECKED,      /* what may not be run is not run, and is told why */
    SIM_APPROVAL,     /* nothing that needs a yes is run without it */
    SIM_LIMIT,        /* never more tries at once than allowed; one run of a function at a time */
    SIM_MEMORY,       /* within its bound, and all given back */
    SIM_RUN,          /* a run's status and failure are those of its calls */
    SIM_STUCK,        /* something happens until all is done, and not without end */
    SIM_INVARIANT_COUNT
};
const char *sim_invariant_name(enum sim_invariant invariant);

/* A policy as the runner gets it, with references counted; and as it was written. */
struct sim_policy {
    struct recourse_policy policy; /* first: what the runner shows is found by it */
    const struct recourse_policy *right; /* as it was compiled */
    const struct rcs_spec *spec;
    long references;
    bool bent;          /* of one that is broken: after the runner has checked it */
    struct recourse_wait waits[RECOURSE_WAITS_MAX]; /* likewise */
};

enum sim_tool_kind { SIM_HTTP, SIM_NOW, SIM_LATER, SIM_BLOCKING, SIM_MCP, SIM_KIND_COUNT };

struct sim_tool {
    struct world *world;
    enum sim_tool_kind kind;
    uint16_t group;      /* whose limit it is under */
    char name[24];
    char url[48];
    char method[8];
    bool declared_unsafe;
    bool declared_safe;
    bool read_only;
    bool twin;           /* only duplicates call it */
    bool unknown;        /* of a server that never told its tools */
    uint8_t approval;
    unsigned limit;
    uint64_t timeout_ms;
};

/* Tools that share a limit. */
struct sim_group {
    unsigned limit;
    unsigned running; /* as the servers see it */
    uint64_t room_ms; /* when there was room last while nothing was left to do at that time, */
    uint64_t room;    /* and the number of that pause */
    bool blind;       /* some of its tries can't be seen by the servers yet */
};

enum sim_answered { SIM_UNASKED, SIM_ASKED, SIM_YES, SIM_NO };

struct sim_step {
    uint16_t event, row;
    uint8_t from, to;
};

/* A call as the watcher sees it. */
struct sim_call {
    /* as planned */
    uint16_t turn, index;
    uint16_t tool;      /* or RECOURSE_NONE: the name is none */
    uint16_t expected;  /* the event that keeps it from being run; RECOURSE_EVENT_READY: none */
    uint32_t number;    /* in the arguments: its own, or that of an earlier call that it repeats */
    bool dry_run;
    bool sensitive;
    bool truncated;
    char id[16];
    const char *name;
    char *arguments;
    size_t arguments_size;
    /* as seen */
    const struct sim_policy *policy;
    struct rcs_history history;
    struct sim_step steps[SIM_TRAIL_MAX];
    unsigned step_count;
    unsigned tries;     /* decided */
    unsigned touches;   /* begun at the server */
    unsigned acts;      /* of the tool */
    uint64_t acted_in;  /* a bit per try */
    uint64_t unowned;   /* likewise: what the policy would not try again for an unsafe tool */
    uint32_t failures;  /* in a row, with these arguments in this run; at the call that is repeated */
    bool safe;
    bool ended;
    bool delivered;
    bool waits;
    bool trying;
    bool touched;       /* in the try under way */
    bool listing;       /* asks a server for its tools */
    bool claims_nothing; /* of its end: nothing was done */
    uint8_t running;    /* functions */
    uint8_t answered;   /* enum sim_answered */
    uint8_t tell;
    uint16_t http;      /* what the server answered in this try; RECOURSE_NONE: nothing that can be told */
    uint64_t retry_ms;  /* likewise, what it asked to wait */
    uint64_t approval;
    uint64_t expires_ms;
    uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE];
    uint64_t deadline_ms;
    uint64_t wake_ms;
    uint64_t waits_since; /* this pause */
    uint64_t end_ms;    /* of the try */
    char key[33];
};

struct sim_turn {
    struct world *world;
    struct recourse_turn *turn; /* NULL: not started, or freed */
    uint16_t run;
    uint16_t count;
    uint32_t first;     /* of its calls */
    unsigned delivered;
    bool started;
    bool freed;
    bool done;
    bool frees_itself;  /* when it is done */
    bool lists;
    uint64_t began_ms;
    uint64_t deadline_ms;
    uint64_t cancel_step; /* the step that has to see to it; SIM_NEVER */
};

struct sim_run {
    struct recourse_run *run;
    bool cancelled;
    bool failed;        /* the host says so, or was told so */
    bool told;          /* a policy told the host */
    uint16_t http;      /* of that */
    uint64_t fail_step; /* from then on no try is begun; SIM_NEVER */
};

/* Something that will happen. */
struct sim_event {
    uint64_t due_ms;
    uint64_t order;
    void (*fire)(struct world *world, void *what);
    void *what;
};

struct sim_heap {
    struct sim_event *events;
    size_t count, room;
};

struct sim_server { /* MCP */
    char name[24];
    char url[40];
    unsigned session;
    bool sessions;
};

struct sim_options {
    uint64_t seed;
    const struct sim_broken *broken; /* NULL: nothing is */
    bool log;
};

struct world {
    const struct sim_options *options;
    struct sim_random random; /* what is planned, and what servers and hosts do */
    struct sim_random noise;  /* what the port gives the runner */
    struct recourse_port port;
    struct recourse_allocator allocator;
    uint64_t now_ms;
    uint64_t start_ms;
    uint64_t step;      /* of the runner, under way or over */
    uint64_t pauses;    /* of the runner: it has nothing to do until later */
    uint64_t slack_ms;  /* how late this port may wake */
    uint64_t order;
    unsigned trouble;   /* per mille of answers that are failures */
    bool in_step;
    bool woken;
    bool host_loop;
    bool swept;         /* what would never end was cancelled */
    struct sim_heap events; /* of servers, threads, and hosts on other threads */
    struct sim_heap own;    /* of the thread that owns the runner */
    struct recourse_runner *runner;
    struct sim_policy policies[SIM_POLICIES_MAX];
    size_t policy_count;
    struct sim_tool tools[SIM_TOOLS_MAX];
    size_t tool_count;
    struct sim_group groups[SIM_TOOLS_MAX];
    struct sim_server servers[SIM_SERVERS_MAX];
    size_t server_count;
    struct sim_group all; /* `running`: of HTTP */
    struct sim_turn turns[SIM_TURNS_MAX];
    size_t turn_count;
    struct sim_run runs[SIM_RUNS_MAX];
    size_t run_count;
    size_t host_runs;   /* the first ones; the others ask servers for their tools */
    struct sim_call *calls;
    size_t call_count;
    struct sim_call *current; /* whose try has just been decided */
    struct sim_invocation *invocations; /* open ones */
    size_t transfers;   /* open ones */
    size_t submitted;   /* work that waits for a thread */
    size_t memory;      /* of the runner, bytes */
    size_t blocks;
    size_t memory_max;
    size_t body_max;
    uint8_t approval_mode;
    bool asks;          /* there is somebody to ask */
    enum sim_invariant fault;
    uint64_t fault_ms;
    char fault_text[320];
    /* figures */
    uint64_t results;
    uint64_t tries;
    uint64_t digest;    /* over all that was seen */
};

/* One world from start to end. False: an invariant does not hold; `fault` and `fault_text` say which. */
bool sim_run(struct world *world, const struct sim_options *options);

/* Loads the policies that all worlds use. */
bool sim_policies_load(void);
void sim_policies_clear(void);

/* Takes down that an invariant does not hold; the first one counts. */
void sim_fail(struct world *world, enum sim_invariant invariant, const char *format, ...) RECOURSE_PRINTF(3, 4);
void sim_log(struct world *world, const char *format, ...) RECOURSE_PRINTF(2, 3);

/* events.c */
void sim_after(struct world *world, uint64_t delay_ms, void (*fire)(struct world *world, void *what), void *what);
void sim_heap_push(struct sim_heap *heap, struct sim_event event);
struct sim_event sim_heap_pop(struct sim_heap *heap);
uint64_t sim_heap_next(const struct sim_heap *heap);
void sim_heap_clear(struct sim_heap *heap);

/* port.c */
void sim_port_open(struct world *world);
/* Moves the clock on to `until_ms`, or to what happens first, and a little further where the port is slow. */
void sim_port_move(struct world *world, uint64_t until_ms);
void sim_port_fire(struct world *world);

/* http.c */
int sim_http_start(void *self, const struct recourse_http_request *request,
                   void (*done)(void *user, const struct recourse_http_response *response), void *user,
                   struct recourse_transfer **out);
bool sim_http_cancel(void *self, struct recourse_transfer *transfer);

/* functions.c */
void sim_function(void *user, struct recourse_invocation *invocation);
/* The functions that still run answer, although nobody listens any more. */
void sim_functions_end(struct world *world);
/* Those that still run, although perhaps nobody waits for them; or only those that somebody waits for. */
size_t sim_functions_running(const struct world *world, bool wanted);

/* plan.c */
void sim_plan(struct world *world);
bool sim_plan_runner(struct world *world);
bool sim_is_safe(const struct sim_policy *policy, const struct sim_tool *tool, bool dry_run);
void sim_plan_turn(struct world *world, uint16_t index);
void sim_plan_clear(struct world *world);

/* host.c */
void sim_host_open(struct world *world);
void sim_host_loop(struct world *world);
void sim_host_close(struct world *world);
int sim_approve(void *user, struct recourse_approval_request *request);

/* check.c: what the watcher is told */
void sim_observe(void *user, const struct recourse_observation *seen);
void sim_on_result(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result);
/* A tool is touched. NULL: it should not be. */
void sim_touched(struct world *world, struct sim_call *call, const struct sim_tool *tool, struct recourse_span arguments,
                 const char *key, unsigned number);
void sim_acted(struct world *world, struct sim_call *call, unsigned number);
void sim_begin(struct world *world, const struct sim_tool *tool);
void sim_end(struct world *world, const struct sim_tool *tool);
/* The runner says that it has nothing to do at this time. */
void sim_settled(struct world *world);
void sim_check_end(struct world *world);
struct sim_call *sim_find(struct world *world, struct recourse_span id, struct recourse_span name);
struct sim_call *sim_call_at(struct world *world, uint32_t number);

#endif
