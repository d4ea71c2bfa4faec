/*
 * A compiled policy: constant tables, one function that moves the machine, one that matches texts.
 *
 * `recourse compile` writes one of these as C; a host links it, gets it from the library, or opens it from a
 * shared object while it runs. Everything it points to lives as long as the policy. Rows are in the order of the
 * file; an index into a table is what decisions and saved calls hold, an `id` is what people, logs and reports cite.
 */
#ifndef RECOURSE_POLICY_H
#define RECOURSE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/error.h>
#include <recourse/facts.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a struct of this header does. A policy of another number is refused (RECOURSE_E_ABI). */
#define RECOURSE_POLICY_ABI 5u

#define RECOURSE_NONE 0xffffu   /* "no index" in 16-bit fields */
#define RECOURSE_FOREVER UINT64_MAX /* a time or duration that never comes */

/* Limits of the language. */
#define RECOURSE_TRIES_MAX 250u
#define RECOURSE_WAITS_MAX 16u
#define RECOURSE_STATES_MAX 1000u
#define RECOURSE_FAILURES_MAX 24u
#define RECOURSE_PATTERNS_MAX 256u
#define RECOURSE_BUDGETS_MAX 4u
#define RECOURSE_BREAKERS_MAX 4u
#define RECOURSE_TOKENS_MAX 1000000u      /* that a budget holds */
#define RECOURSE_BREAKER_COUNT_MAX 100u   /* failures that open a breaker; probes that it lets through */
#define RECOURSE_DURATION_MAX_MS 2592000000u /* 30 days */

/* The five states of the model. */
enum recourse_place {
    RECOURSE_PRECONDITION = 0,
    RECOURSE_ATTEMPT = 1,
    RECOURSE_BACKOFF = 2,
    RECOURSE_EXHAUSTED = 3,
    RECOURSE_REPORTED = 4,
    RECOURSE_PLACE_COUNT = 5
};

/* Events. Failures are RECOURSE_EVENT_FAILURE + their index in `failures`. */
enum recourse_event {
    RECOURSE_EVENT_READY = 0,
    RECOURSE_EVENT_MISSING_NAME = 1,
    RECOURSE_EVENT_UNKNOWN_TOOL = 2,
    RECOURSE_EVENT_AMBIGUOUS_TOOL = 3,
    RECOURSE_EVENT_BAD_ARGUMENTS = 4,
    RECOURSE_EVENT_TRUNCATED_CALL = 5,
    RECOURSE_EVENT_DUPLICATE_CALL = 6,
    RECOURSE_EVENT_SENSITIVE_ARGUMENTS = 7,
    RECOURSE_EVENT_REPEATED_FAILURE = 8,
    RECOURSE_EVENT_REFUSED = 9,
    RECOURSE_EVENT_UNANSWERED_APPROVAL = 10,
    RECOURSE_EVENT_DEADLINE = 11,
    RECOURSE_EVENT_CANCELLED = 12,
    RECOURSE_EVENT_CIRCUIT_OPEN = 13, /* before a try: a breaker lets none through */
    RECOURSE_EVENT_UNRECORDED = 14,   /* in an attempt: its record can't be written, so the tool is not touched */
    RECOURSE_EVENT_ELAPSED = 15,
    RECOURSE_EVENT_OK = 16,
    RECOURSE_EVENT_FAILURE = 17
};

enum recourse_effect {
    RECOURSE_EFFECT_NONE = 0, /* the tool was never reached, or refused before it ran */
    RECOURSE_EFFECT_DONE = 1,
    RECOURSE_EFFECT_UNKNOWN = 2,
    RECOURSE_EFFECT_COUNT = 3
};

/* Why a failure that its row would have tried again was not. */
enum recourse_reason {
    RECOURSE_REASON_NONE = 0,
    RECOURSE_REASON_TRIES_SPENT = 1,
    RECOURSE_REASON_ASKED_TOO_LONG = 2,
    RECOURSE_REASON_OVER_BUDGET = 3,
    RECOURSE_REASON_OUT_OF_TIME = 4,
    RECOURSE_REASON_COUNT = 5
};

enum recourse_tell {
    RECOURSE_TELL_NOBODY = 0,
    RECOURSE_TELL_MODEL = 1,
    RECOURSE_TELL_HOST = 2,
    RECOURSE_TELL_COUNT = 3
};

enum recourse_reminder {
    RECOURSE_REMINDER_NONE = 0, /* `-`: nobody is told, so there is nothing to be reminded of */
    RECOURSE_REMINDER_NO = 1,
    RECOURSE_REMINDER_YES = 2,
    RECOURSE_REMINDER_COUNT = 3
};

/*
 * Symbols: what one step of the machine sees, one byte. They number what can be told apart:
 * an event, whether another try is safe, whether a wait would be begun, and why not.
 *
 *   precondition, backoff: the event itself (0 to 15)
 *   attempt:   14 unrecorded; 16 ok; 17, 18, 19 deadline with nothing sent, sent and safe, sent and unsafe;
 *              20, 21, 22 cancelled, likewise; 23 + 4 * failure + 2 * unsafe + may_not_wait
 *   exhausted: 23 + 4 * failure_count + 5 * f + reason, where f is the failure, or failure_count for deadline
 */
#define RECOURSE_SYMBOL_UNRECORDED 14u
#define RECOURSE_SYMBOL_OK 16u
#define RECOURSE_SYMBOL_DEADLINE 17u
#define RECOURSE_SYMBOL_CANCELLED 20u
#define RECOURSE_SYMBOL_FAILURE 23u
#define RECOURSE_SYMBOL_COUNT(failures) (RECOURSE_SYMBOL_FAILURE + 9u * (failures) + 5u)

struct recourse_settings {
    uint16_t tries;
    uint64_t try_timeout_ms;   /* RECOURSE_FOREVER: none */
    uint64_t call_deadline_ms; /* RECOURSE_FOREVER: none */
    const char *reminder;      /* "": none */
    uint32_t reason_characters; /* code points; UINT32_MAX: none (no cut) */
    const char *const *sensitive_values; /* lower case; NULL-terminated; NULL: none */
    const char *const *sensitive_names;  /* likewise */
    uint64_t approval_timeout_ms;
    uint32_t repeated_failures; /* 0: none */
    uint32_t output_limit;      /* 0: none */
    bool output_tokens;         /* the limit counts tokens (4 characters each), not characters */
    uint32_t resumes;           /* of one try of an MCP tool: how often a broken stream is read on; 0: none */
    uint32_t rounds;            /* likewise: how often a server may ask back before it answers; 0: none */
    bool audit_refuse;          /* a try that can't be recorded, where calls are, is not made */
};

struct recourse_scenario {
    const char *label;
    uint8_t tell;     /* enum recourse_tell */
    uint8_t reminder; /* enum recourse_reminder */
};

enum recourse_replay { RECOURSE_REPLAY_UNSAFE = 0, RECOURSE_REPLAY_SAFE = 1, RECOURSE_REPLAY_SAFE_IF = 2 };

/* Who speaks for a tool. `name` may end in `*`. The first that fits holds. */
struct recourse_tool_rule {
    const char *name;
    uint8_t replay;      /* enum recourse_replay */
    const char *pointer; /* RFC 6901, for RECOURSE_REPLAY_SAFE_IF: safe if the value there is `true` */
    uint32_t line;
};

enum recourse_atom_kind {
    RECOURSE_ATOM_HTTP = 0,    /* low..high */
    RECOURSE_ATOM_NETWORK = 1, /* low: enum recourse_network, 0 for any */
    RECOURSE_ATOM_TIMEOUT = 2, /* low: enum recourse_timeout, 0 for any */
    RECOURSE_ATOM_UNSENT = 3,
    RECOURSE_ATOM_INTERRUPTED = 4,
    RECOURSE_ATOM_RPC = 5, /* low..high */
    RECOURSE_ATOM_TOOL_ERROR = 6,
    RECOURSE_ATOM_SESSION_EXPIRED = 7,
    RECOURSE_ATOM_PROTOCOL = 8,
    RECOURSE_ATOM_TOO_LARGE = 9,
    RECOURSE_ATOM_SPAWN = 10,
    RECOURSE_ATOM_EXIT = 11,   /* low..high */
    RECOURSE_ATOM_SIGNAL = 12,
    RECOURSE_ATOM_HEADER_IS = 13,  /* name, value */
    RECOURSE_ATOM_HEADER_HAS = 14, /* name, value */
    RECOURSE_ATOM_TOOL = 15,       /* value, may end in `*` */
    RECOURSE_ATOM_TEXT = 16,       /* value; pattern */
    RECOURSE_ATOM_WORD = 17,       /* value; pattern */
    RECOURSE_ATOM_JSON_IS = 18,    /* name is the pointer, value */
    RECOURSE_ATOM_JSON_HAS = 19,
    RECOURSE_ATOM_RESULT_TEXT = 20, /* value; pattern */
    RECOURSE_ATOM_RESULT_WORD = 21, /* value; pattern */
    RECOURSE_ATOM_RESULT_JSON_IS = 22,
    RECOURSE_ATOM_RESULT_JSON_HAS = 23,
    RECOURSE_ATOM_OTHER = 24,
    RECOURSE_ATOM_COUNT = 25
};

/* One condition of a `when` cell. Conditions joined by `and` follow each other; the last of them has `last_of_and`. */
struct recourse_atom {
    uint8_t kind;     /* enum recourse_atom_kind */
    bool last_of_and; /* the conjunction ends here */
    uint16_t pattern; /* index of the matcher's pattern, or RECOURSE_NONE */
    int64_t low;
    int64_t high;
    const char *name;  /* header's name or JSON pointer; NULL */
    const char *value; /* NULL */
};

struct recourse_failure {
    const char *name;
    uint8_t effect; /* enum recourse_effect */
};

/* One row of `Failures`: the first that holds names the failure. */
struct recourse_fact_row {
    const char *id;
    uint32_t line;
    uint16_t failure;
    uint16_t atom; /* first of its atoms */
    uint16_t atom_count;
};

enum recourse_jitter {
    RECOURSE_JITTER_NONE = 0,
    RECOURSE_JITTER_FULL = 1,   /* 0 to d */
    RECOURSE_JITTER_EQUAL = 2,  /* d/2 to d */
    RECOURSE_JITTER_PLUS = 3,   /* d to d + p% */
    RECOURSE_JITTER_MINUS = 4,  /* d - p% to d */
    RECOURSE_JITTER_WITHIN = 5, /* d - p% to d + p% */
    RECOURSE_JITTER_COUNT = 6
};

enum recourse_server_delay {
    RECOURSE_SERVER_IGNORE = 0,
    RECOURSE_SERVER_OBEY_ELSE_SCHEDULE = 1,
    RECOURSE_SERVER_OBEY_ELSE_STOP = 2,
    RECOURSE_SERVER_WITHIN = 3,
    RECOURSE_SERVER_COUNT = 4
};

struct recourse_wait {
    const char *id;
    uint32_t line;
    const uint64_t *delays_ms; /* the schedule written out; past its end the last one stays, unless `ends` */
    uint16_t delay_count;
    bool by_uses;         /* the index counts uses of this wait, not tries of the call */
    bool ends;            /* a list that does not grow */
    uint16_t times;       /* at most so many uses; 0: no such limit */
    uint8_t jitter;       /* enum recourse_jitter */
    uint8_t server;       /* enum recourse_server_delay */
    uint16_t jitter_percent;
    uint16_t server_percent; /* drawn from [d, d + p%] when obeyed */
    uint64_t server_ms;      /* the bound of obey; the width of within */
    bool new_session;
    uint8_t budget;          /* 1 + index of the budget that it draws on; 0: none */
    uint32_t cost;           /* tokens that it takes from it */
};

/* Which calls share a budget or a breaker: those of one policy in a runner, and of these */
enum recourse_shared_by {
    RECOURSE_SHARED_BY_RUNNER = 0, /* all */
    RECOURSE_SHARED_BY_SERVER = 1, /* those to tools of one MCP server; a tool of no such server is one by itself */
    RECOURSE_SHARED_BY_TOOL = 2,   /* those to one tool */
    RECOURSE_SHARED_BY_COUNT = 3
};

/*
 * Tokens. A failure whose row leads to a wait that draws on the budget takes `takes`, or what is left; the wait begins
 * only if then at least `needs` tokens are there, and its cost, which it takes. An ok gives back.
 */
struct recourse_budget {
    const char *id;
    uint32_t line;
    uint8_t shared_by; /* enum recourse_shared_by */
    bool gives_cost;   /* an ok gives what the call's last wait took, if it drew on this budget; otherwise `gives` */
    uint32_t holds;    /* at most, and at first; 1 to RECOURSE_TOKENS_MAX, as no other number of these is above it */
    uint32_t needs;
    uint32_t takes;
    uint32_t gives;
};

/* Lets no try begin for a while after failures of tries that it counts. */
struct recourse_breaker {
    const char *id;
    uint32_t line;
    uint8_t shared_by;   /* enum recourse_shared_by */
    uint32_t counts;     /* a bit for each failure that it counts */
    uint16_t opens_after; /* so many of them, 1 to RECOURSE_BREAKER_COUNT_MAX */
    uint16_t lets_through; /* tries at once when it has been open for that long; as many that come back close it */
    uint64_t within_ms;  /* of which the first is not older than this; 0: one after the other, without another end between */
    uint64_t stays_open_ms;
};

struct recourse_message {
    const char *id;
    const char *text;
};

/* One row of a state table. */
struct recourse_row {
    const char *id;
    uint32_t line;
    uint8_t place;      /* enum recourse_place: the table it stands in */
    uint16_t scenario;  /* index, or RECOURSE_NONE */
    uint16_t wait;      /* likewise */
    uint16_t message;   /* likewise */
};

/* One state of the unrolled machine: what of the history is in it. */
struct recourse_state {
    uint8_t place;   /* enum recourse_place */
    uint8_t try_number; /* tries begun so far, this one included; 255 in exhausted: a later one (2 or more) */
    bool acted;      /* some try so far may have acted */
};

struct recourse_move {
    uint16_t row;   /* index into rows, or RECOURSE_NONE: the symbol means nothing in this state */
    uint16_t state; /* where it leads */
};

struct recourse_policy {
    uint32_t abi;  /* RECOURSE_POLICY_ABI */
    uint32_t size; /* sizeof(struct recourse_policy) */
    const char *name;
    const char *file; /* the name that messages cite: "lightspeed" */
    uint8_t file_sha256[32];
    uint8_t behaviour_sha256[32];
    struct recourse_settings settings;
    const struct recourse_scenario *scenarios;
    const struct recourse_tool_rule *tools;
    const struct recourse_failure *failures;
    const struct recourse_fact_row *fact_rows;
    const struct recourse_atom *atoms;
    const struct recourse_wait *waits;
    const struct recourse_budget *budgets;
    const struct recourse_breaker *breakers;
    const struct recourse_message *messages;
    const struct recourse_row *rows;
    const struct recourse_state *states;
    uint16_t scenario_count;
    uint16_t tool_count;
    uint16_t failure_count;
    uint16_t fact_row_count;
    uint16_t atom_count;
    uint16_t wait_count;
    uint16_t budget_count;
    uint16_t breaker_count;
    uint16_t message_count;
    uint16_t row_count;
    uint16_t state_count;
    uint16_t pattern_count;
    uint16_t start; /* the state in which every call begins */

    /* Moves the machine: from `state` by `symbol`. Pure. */
    struct recourse_move (*move)(const struct recourse_policy *policy, uint16_t state, uint8_t symbol);

    /*
     * Looks for all text and word patterns in one pass. `*matcher` is 0 before the first block and is carried
     * from block to block of one text; `hits` has a bit per pattern and is only added to. A text is followed by
     * one call with size 0, which ends it.
     */
    void (*match)(const struct recourse_policy *policy, uint32_t *matcher, const char *data, size_t size,
                  uint64_t hits[RECOURSE_PATTERNS_MAX / 64]);

    /* Count who uses it, from any thread. Both NULL: it lives as long as whoever made it says, as static ones do. */
    void (*retain)(const struct recourse_policy *policy);
    void (*release)(const struct recourse_policy *policy);
};

/* Returns 0 if `policy` is one that this library can run, else RECOURSE_E_ABI or RECOURSE_E_ARGUMENT. */
RECOURSE_MUST_USE int recourse_policy_check(const struct recourse_policy *policy);

/* What a shared object exports for recourse_policy_open: a `const struct recourse_policy *const`. */
#define RECOURSE_POLICY_SYMBOL "recourse_shared_policy"

/*
 * Opens a policy that `recourse compile --shared` built. The caller has one reference and gives it back by
 * recourse_policy_release; runners, tools and calls have their own, so a policy can be replaced while calls are in
 * flight, and is unloaded when the last one lets go. The file is read whole and loaded from a copy: it may be replaced or
 * overwritten at any time, and opening it again gives what it holds then. Its code runs in this process: open only
 * what you trust.
 *
 * ABI number and size are looked at before anything else, then recourse_policy_check has to pass. Errors:
 * RECOURSE_E_ARGUMENT; RECOURSE_E_MEMORY; RECOURSE_E_SYSTEM (it can't be read or loaded); RECOURSE_E_LIMIT (larger
 * than 64 MiB); RECOURSE_E_SYNTAX (no shared object, or a piece of one); RECOURSE_E_ABI; RECOURSE_E_POLICY (there is no
 * policy in it, or one that fails the check). Memory comes from malloc.
 */
RECOURSE_MUST_USE int recourse_policy_open(const char *path, const struct recourse_policy **policy,
                                           struct recourse_error *error);

/* One reference more, or less. Nothing happens to a policy that isn't counted, nor to NULL. [any thread] */
void recourse_policy_retain(const struct recourse_policy *policy);
void recourse_policy_release(const struct recourse_policy *policy);

/* The policies that come with the library, by name ("lightspeed"); NULL if there is none of that name. Static. */
const struct recourse_policy *recourse_policy_builtin(const char *name);
/* The name of the built-in policy number `index`; NULL past the last. */
const char *recourse_policy_builtin_name(size_t index);

/* The row of Tools that speaks for `tool`, or NULL. */
const struct recourse_tool_rule *recourse_policy_tool_rule(const struct recourse_policy *policy, const char *tool);

/* Whether `tool`, called with `arguments` (a JSON object), is safe to run twice, by the policy's section Tools. */
bool recourse_policy_tool_is_safe(const struct recourse_policy *policy, const char *tool,
                                  struct recourse_span arguments);

/* The name of an event, a failure's included; "?" if there is none. */
const char *recourse_policy_event_name(const struct recourse_policy *policy, unsigned event);

const char *recourse_place_name(unsigned place);
const char *recourse_effect_name(unsigned effect);
const char *recourse_reason_name(unsigned reason); /* "tries spent"; "" for none */
const char *recourse_tell_name(unsigned tell);     /* "model", "host", "-" */
const char *recourse_shared_by_name(unsigned shared_by); /* "runner", "server", "tool" */

#ifdef __cplusplus
}
#endif
#endif
