/* A small policy, written by hand as tables: about lightspeed's shape, with one wait of each kind. */
#ifndef RCS_TOY_POLICY_H
#define RCS_TOY_POLICY_H

#include <recourse/policy.h>

enum toy_failure {
    TOY_RATE_LIMITED = 0, /* effect unknown; waits `polite` */
    TOY_TRANSIENT = 1,    /* effect unknown; waits `short`, also where that is unsafe */
    TOY_PERMANENT = 2,    /* effect unknown; reported at once */
    TOY_UNREACHED = 3,    /* effect none; waits `fresh`, in a new session */
    TOY_SILENT = 4,       /* effect unknown; waits `short` if safe, else reported */
    TOY_FAILURE_COUNT = 5
};

enum toy_wait { TOY_SHORT = 0, TOY_POLITE = 1, TOY_FRESH = 2, TOY_WAIT_COUNT = 3 };

enum toy_scenario { TOY_OK = 0, TOY_1 = 1, TOY_2 = 2, TOY_3A = 3, TOY_3B = 4, TOY_HOST = 5, TOY_SCENARIO_COUNT = 6 };

enum toy_message {
    TOY_REFUSED = 0,
    TOY_CORRECTED = 1,
    TOY_FAILED = 2,
    TOY_EVERYTHING = 3,
    TOY_MESSAGE_COUNT = 4
};

enum toy_row {
    TOY_P1 = 0, /* ready */
    TOY_P2 = 1, /* bad_arguments, truncated_call */
    TOY_P3 = 2, /* other */
    TOY_P4 = 3, /* cancelled */
    TOY_A1 = 4, /* ok */
    TOY_A2 = 5, /* transient: backoff or exhausted */
    TOY_A3 = 6, /* rate_limited: backoff or exhausted */
    TOY_A4 = 7, /* permanent, first try: reported */
    TOY_A5 = 8, /* permanent, later try: reported */
    TOY_A6 = 9, /* unreached: backoff or exhausted */
    TOY_A7 = 10, /* deadline: exhausted */
    TOY_A8 = 11, /* cancelled: reported */
    TOY_A9 = 12, /* silent, safe: backoff or exhausted */
    TOY_A10 = 13, /* silent, unsafe: exhausted, without a wait */
    TOY_B1 = 14, /* elapsed */
    TOY_B2 = 15, /* cancelled */
    TOY_E1 = 16, /* deadline */
    TOY_E2 = 17, /* asked too long */
    TOY_E3 = 18, /* other */
    TOY_ROW_COUNT = 19
};

enum toy_state { TOY_STATE_START = 0, TOY_STATE_REPORTED = 15, TOY_STATE_COUNT = 16 };

enum toy_pattern { TOY_PATTERN_TIMEOUT = 0, TOY_PATTERN_429 = 1, TOY_PATTERN_BUSY = 2, TOY_PATTERN_LIMIT = 3, TOY_PATTERN_COUNT = 4 };

/* The policy, to be copied and bent. Tries: 3. */
extern const struct recourse_policy toy_policy;

/* The state with this history. */
uint16_t toy_state(unsigned place, unsigned try_number, bool acted);

#endif
