/*
 * One call's machine: a pure function from (state, input) to (state, decision).
 *
 * No I/O, no clock, no allocation, no globals. The host says what happened and what time it is; the machine
 * says what to do and which rows of the policy say so. The library's runner is one such host; examples/embed_core.c
 * is another one, with libc alone.
 *
 * Times are monotonic milliseconds of the host's clock. They saturate at RECOURSE_FOREVER.
 */
#ifndef RECOURSE_CALL_H
#define RECOURSE_CALL_H

#include <recourse/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The state of one call: a plain value, to be copied and stored at will. The fields are the machine's own. */
struct recourse_call {
    uint64_t deadline_ms; /* of the call; RECOURSE_FOREVER: none */
    uint64_t wake_ms;     /* in backoff: when the wait ends. In an attempt: its own deadline */
    uint64_t waited_ms;   /* sum of the waits begun so far */
    uint64_t policy_tag;  /* the first 8 bytes of the policy's behaviour digest, little-endian */
    uint16_t state;
    uint16_t event;       /* the last one */
    uint16_t http;        /* status of the last try that ended; 0: it had none */
    uint8_t try_number;   /* tries begun */
    uint8_t flags;        /* bit 0: the tool is safe; bit 1: begun; bit 2: some try may have acted; bit 3: in backoff, the
                             next try wants a new session */
    uint8_t uses[RECOURSE_WAITS_MAX];
    uint8_t last_wait;    /* 1 + index of the last wait begun; 0: none */
    uint8_t reserved[7];  /* zero */
};

enum recourse_action {
    RECOURSE_ACTION_ATTEMPT = 0, /* touch the tool; the try ends by `wake_ms` at the latest */
    RECOURSE_ACTION_WAIT = 1,    /* do nothing until `wake_ms`, then step with RECOURSE_EVENT_ELAPSED */
    RECOURSE_ACTION_REPORT = 2,  /* the end: tell whom `tell` says */
    RECOURSE_ACTION_COUNT = 3
};

/* What happened. */
struct recourse_input {
    uint64_t now_ms;
    uint64_t random; /* 64 random bits; used only if a wait is drawn. Mapped to the window as
                        low + ((random >> 32) * (high - low + 1) >> 32) */
    uint16_t event;  /* enum recourse_event below RECOURSE_EVENT_OK; or RECOURSE_EVENT_OK for "the try has ended, see
                        facts": the machine itself decides whether that was a success or which failure.
                        CIRCUIT_OPEN in place of READY or ELAPSED, UNRECORDED during an attempt whose tool was not
                        touched */
    bool sent;       /* with RECOURSE_EVENT_CANCELLED or _DEADLINE during an attempt: something had been sent */
    const struct recourse_facts *facts; /* how the try ended; NULL with other events */
    const uint32_t *tokens; /* what is in each of the policy's budgets, for this call's tool; NULL: they are full. Needed
                               with RECOURSE_EVENT_OK only */
};

#define RECOURSE_ROWS_MAX 3u

/* One move of the machine, as the record has it. */
struct recourse_trace {
    uint16_t event;
    uint16_t row;   /* of the state tables */
    uint8_t from;   /* enum recourse_place */
    uint8_t to;
};

struct recourse_decision {
    uint8_t action;    /* enum recourse_action */
    uint8_t effect;    /* enum recourse_effect of the try that has just ended; RECOURSE_EFFECT_NONE if none was made */
    uint8_t tell;      /* enum recourse_tell; RECOURSE_TELL_NOBODY unless reporting */
    uint8_t reminder;  /* enum recourse_reminder */
    uint8_t reason;    /* enum recourse_reason: why a try that the row would have made again was not made */
    uint8_t try_number; /* the try that ended or, with RECOURSE_ACTION_ATTEMPT, begins; 0 if none was made */
    uint8_t trace_count;
    bool acted;        /* some try so far may have acted */
    bool new_session;  /* the next try, or the one that begins, wants a new session */
    bool server_obeyed; /* the wait is the server's */
    struct recourse_trace trace[RECOURSE_ROWS_MAX]; /* the rows that led here, in order; at least one */
    uint16_t event;    /* what the input meant: a failure is RECOURSE_EVENT_FAILURE + its index */
    uint16_t failure;  /* index, or RECOURSE_NONE */
    uint16_t fact_row; /* the row of Failures that named it, or RECOURSE_NONE */
    uint16_t scenario; /* index, or RECOURSE_NONE. With a wait: the label of the row that waits */
    uint16_t wait;     /* index of the wait begun, or RECOURSE_NONE */
    uint16_t message;  /* index, or RECOURSE_NONE */
    uint16_t http;     /* status of the last try that ended; 0: it had none */
    uint64_t wait_ms;        /* drawn; RECOURSE_ACTION_WAIT only */
    uint64_t wait_min_ms;    /* the window it was drawn from, both ends included */
    uint64_t wait_max_ms;
    uint64_t wait_base_ms; /* before jitter: the schedule, or the server's delay where it counts */
    uint64_t server_delay_ms; /* what the server asked for; 0: nothing that counts */
    uint32_t tokens[RECOURSE_BUDGETS_MAX]; /* what is in each of the policy's budgets now: whoever keeps them takes it over */
    uint64_t wake_ms;        /* WAIT: when it ends. ATTEMPT: the latest moment at which the try ends; RECOURSE_FOREVER */
};

/*
 * Begins a call. `deadline_ms` is the host's own (RECOURSE_FOREVER: none); the policy's `call deadline`, counted from
 * `now_ms`, holds as well, the earlier of the two. `tool_is_safe`: running the tool twice does no more than once.
 * Errors: RECOURSE_E_ABI, RECOURSE_E_ARGUMENT.
 */
RECOURSE_MUST_USE int recourse_call_init(struct recourse_call *call, const struct recourse_policy *policy,
                                         uint64_t now_ms, uint64_t deadline_ms, bool tool_is_safe);

/* Where the call is. */
enum recourse_place recourse_call_place(const struct recourse_call *call, const struct recourse_policy *policy);

/*
 * One step. On success `*call` and `*decision` are written; on an error neither is touched.
 *
 * The machine compares with the deadline itself: READY at or after it is the event `deadline`; so is ELAPSED, with
 * nothing sent; so is a try that ended by RECOURSE_TIMEOUT_TOTAL at or after it. A try that ended with facts of its own
 * is judged by them, however late it is.
 *
 * Errors: RECOURSE_E_STATE (the event means nothing here; ELAPSED before wake_ms; DEADLINE before the deadline; the call
 * has ended or was never begun), RECOURSE_E_ARGUMENT (no facts with OK, an unknown event, NULL), RECOURSE_E_POLICY (another
 * policy's call, or a policy that recourse_policy_check would refuse), RECOURSE_E_ABI.
 */
RECOURSE_MUST_USE int recourse_call_step(struct recourse_call *call, const struct recourse_policy *policy,
                                         const struct recourse_input *input, struct recourse_decision *decision);

/* What the policy makes of facts. */
struct recourse_judgement {
    uint16_t failure;  /* index, or RECOURSE_NONE: success */
    uint16_t fact_row; /* index, or RECOURSE_NONE */
    uint8_t effect;    /* enum recourse_effect; RECOURSE_EFFECT_DONE for success */
    uint64_t server_delay_ms; /* what the server asked for, by Retry-After or retry-after-ms; 0: nothing that counts */
};

/* Judges facts. `policy` must have passed recourse_policy_check. Pure. */
void recourse_classify(const struct recourse_policy *policy, const struct recourse_facts *facts,
                       struct recourse_judgement *out);

/*
 * The delay that a server asked for, in milliseconds; 0 if none that counts (absent, 0, past, negative, repeated,
 * unreadable). `retry-after-ms`, where it can be read, wins over Retry-After (RFC 9110, 10.2.3), which may be a number of
 * seconds, with a fraction, or a date in the three forms of RFC 9110, 5.6.7. A number too large for us is
 * RECOURSE_DURATION_MAX_MS + 1.
 */
uint64_t recourse_server_delay(const struct recourse_facts *facts);

/* The window of one wait, both ends included. `index` counts from 0; `server_delay_ms` 0: none. */
struct recourse_window {
    uint64_t base_ms; /* before jitter: the schedule, or the server's delay where it counts (within a width: clamped to it) */
    uint64_t min_ms;
    uint64_t max_ms;
    bool obeyed; /* by `obey`; with RECOURSE_SERVER_WITHIN only the drawn wait shows whether it is the server's */
    bool stop;   /* the server asked for too long: no wait */
};

/*
 * What wait `wait` would be at `index`. With RECOURSE_SERVER_WITHIN the schedule is drawn first, and the server's delay
 * clamped to [drawn, drawn + width]: the window is that of the outcome.
 */
void recourse_wait_window(const struct recourse_wait *wait, unsigned index, uint64_t server_delay_ms,
                          struct recourse_window *out);

/* Saved calls: little-endian, versioned, with the whole behaviour digest and times relative to `now_ms`. */
#define RECOURSE_CALL_SAVED_SIZE 96u

/* Writes `call` so that another process or machine can take it up. Errors: RECOURSE_E_POLICY (another policy's call),
   RECOURSE_E_LIMIT (`size` below RECOURSE_CALL_SAVED_SIZE), RECOURSE_E_ARGUMENT (NULL, or a call that was never begun). */
RECOURSE_MUST_USE int recourse_call_save(const struct recourse_call *call, const struct recourse_policy *policy,
                                         uint64_t now_ms, uint8_t *bytes, size_t size);

/*
 * Takes up a saved call. A call saved during an attempt comes back in that attempt: whoever takes it up ends it with
 * facts that say `interrupted`. `*call` is written only on success. Errors: RECOURSE_E_SYNTAX (damaged), RECOURSE_E_ABI
 * (another version), RECOURSE_E_POLICY (saved under another policy), RECOURSE_E_ARGUMENT (NULL).
 */
RECOURSE_MUST_USE int recourse_call_load(struct recourse_call *call, const struct recourse_policy *policy,
                                         uint64_t now_ms, const uint8_t *bytes, size_t size);

/* What the placeholders of a message stand for. */
struct recourse_message_values {
    struct recourse_span tool;   /* folded and cleaned, at most 128 characters of it */
    struct recourse_span call;   /* likewise */
    struct recourse_span reason; /* folded to single blanks, cleaned, cut by the policy's setting; an empty one becomes
                                    the failure's or event's name with blanks for underscores */
    unsigned tries;
    uint16_t event;
    uint16_t http;
    uint64_t server_delay_ms;
    bool reminder;
};

/*
 * Renders a message into `text` (well-formed UTF-8, NUL-terminated, cut at a code point if `size` is too small) and
 * returns the length it has when whole, the NUL not counted, like snprintf. A blank before an empty placeholder goes.
 */
size_t recourse_message_render(const struct recourse_policy *policy, uint16_t message,
                               const struct recourse_message_values *values, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
