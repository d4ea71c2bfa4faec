#include "tests/unit/toy_policy.h"

#include <string.h>

#define TRIES 3u

static const struct recourse_scenario scenarios[TOY_SCENARIO_COUNT] = {
    [TOY_OK] = {"ok", RECOURSE_TELL_MODEL, RECOURSE_REMINDER_NONE},
    [TOY_1] = {"1", RECOURSE_TELL_MODEL, RECOURSE_REMINDER_YES},
    [TOY_2] = {"2", RECOURSE_TELL_NOBODY, RECOURSE_REMINDER_NONE},
    [TOY_3A] = {"3a", RECOURSE_TELL_MODEL, RECOURSE_REMINDER_NO},
    [TOY_3B] = {"3b", RECOURSE_TELL_MODEL, RECOURSE_REMINDER_YES},
    [TOY_HOST] = {"fail", RECOURSE_TELL_HOST, RECOURSE_REMINDER_NO},
};

static const struct recourse_tool_rule tools[] = {
    {"read_*", RECOURSE_REPLAY_SAFE, NULL, 11},
    {"apply", RECOURSE_REPLAY_SAFE_IF, "/options/dry_run", 12},
    {"read_me", RECOURSE_REPLAY_UNSAFE, NULL, 13}, /* shadowed by the first */
    {"delete", RECOURSE_REPLAY_UNSAFE, NULL, 14},
};

static const struct recourse_failure failures[TOY_FAILURE_COUNT] = {
    [TOY_RATE_LIMITED] = {"rate_limited", RECOURSE_EFFECT_UNKNOWN},
    [TOY_TRANSIENT] = {"transient", RECOURSE_EFFECT_UNKNOWN},
    [TOY_PERMANENT] = {"permanent", RECOURSE_EFFECT_UNKNOWN},
    [TOY_UNREACHED] = {"unreached", RECOURSE_EFFECT_NONE},
    [TOY_SILENT] = {"silent", RECOURSE_EFFECT_UNKNOWN},
};

static const struct recourse_atom atoms[] = {
    /* 0: F1 http 429, word "429", result text "limit reached" */
    {RECOURSE_ATOM_HTTP, true, RECOURSE_NONE, 429, 429, NULL, NULL},
    {RECOURSE_ATOM_WORD, true, TOY_PATTERN_429, 0, 0, NULL, "429"},
    {RECOURSE_ATOM_RESULT_TEXT, true, TOY_PATTERN_LIMIT, 0, 0, NULL, "limit reached"},
    /* 3: F2 network refused, unsent and timeout */
    {RECOURSE_ATOM_NETWORK, true, RECOURSE_NONE, RECOURSE_NETWORK_REFUSED, 0, NULL, NULL},
    {RECOURSE_ATOM_UNSENT, false, RECOURSE_NONE, 0, 0, NULL, NULL},
    {RECOURSE_ATOM_TIMEOUT, true, RECOURSE_NONE, 0, 0, NULL, NULL},
    /* 6: F3 interrupted, timeout read */
    {RECOURSE_ATOM_INTERRUPTED, true, RECOURSE_NONE, 0, 0, NULL, NULL},
    {RECOURSE_ATOM_TIMEOUT, true, RECOURSE_NONE, RECOURSE_TIMEOUT_READ, 0, NULL, NULL},
    /* 8: F4 timeout, network, spawn, text "timeout", tool error and text "busy" */
    {RECOURSE_ATOM_TIMEOUT, true, RECOURSE_NONE, 0, 0, NULL, NULL},
    {RECOURSE_ATOM_NETWORK, true, RECOURSE_NONE, 0, 0, NULL, NULL},
    {RECOURSE_ATOM_SPAWN, true, RECOURSE_NONE, 0, 0, NULL, NULL},
    {RECOURSE_ATOM_TEXT, true, TOY_PATTERN_TIMEOUT, 0, 0, NULL, "timeout"},
    {RECOURSE_ATOM_TOOL_ERROR, false, RECOURSE_NONE, 0, 0, NULL, NULL},
    {RECOURSE_ATOM_TEXT, true, TOY_PATTERN_BUSY, 0, 0, NULL, "busy"},
    /* 14: F5 other */
    {RECOURSE_ATOM_OTHER, true, RECOURSE_NONE, 0, 0, NULL, NULL},
};

static const struct recourse_fact_row fact_rows[] = {
    {"F1", 30, TOY_RATE_LIMITED, 0, 3}, {"F2", 31, TOY_UNREACHED, 3, 3},  {"F3", 32, TOY_SILENT, 6, 2},
    {"F4", 33, TOY_TRANSIENT, 8, 6},    {"F5", 34, TOY_PERMANENT, 14, 1},
};

static const uint64_t short_ms[] = {200, 400};
static const uint64_t polite_ms[] = {1000, 2000};
static const uint64_t fresh_ms[] = {0, 3000};

static const struct recourse_wait waits[TOY_WAIT_COUNT] = {
    [TOY_SHORT] = {.id = "short", .line = 40, .delays_ms = short_ms, .delay_count = 2},
    [TOY_POLITE] = {.id = "polite", .line = 41, .delays_ms = polite_ms, .delay_count = 2, .jitter = RECOURSE_JITTER_EQUAL,
                    .server = RECOURSE_SERVER_OBEY_ELSE_STOP, .server_percent = 10, .server_ms = 60000},
    [TOY_FRESH] = {.id = "fresh", .line = 42, .delays_ms = fresh_ms, .delay_count = 2, .by_uses = true,
                   .server = RECOURSE_SERVER_WITHIN, .server_ms = 5000, .new_session = true},
};

static const struct recourse_message messages[TOY_MESSAGE_COUNT] = {
    [TOY_REFUSED] = {"refused", "Error: {reason}. {reminder}"},
    [TOY_CORRECTED] = {"corrected", "Tool '{tool}' execution failed after {tries} attempt(s): {reason}."},
    [TOY_FAILED] = {"failed", "Tool '{tool}' execution failed after {tries} attempt(s): {reason}. {reminder}"},
    [TOY_EVERYTHING] = {"everything",
                        "{call}/{tool} \xc2\xb7 {failure} {status} [{tries}] {nonsense} { {server_delay}: {reason}, {reminder}"},
};

#define NO RECOURSE_NONE

static const struct recourse_row rows[TOY_ROW_COUNT] = {
    [TOY_P1] = {"P1", 50, RECOURSE_PRECONDITION, NO, NO, NO},
    [TOY_P2] = {"P2", 51, RECOURSE_PRECONDITION, TOY_3A, NO, TOY_CORRECTED},
    [TOY_P3] = {"P3", 52, RECOURSE_PRECONDITION, TOY_1, NO, TOY_REFUSED},
    [TOY_P4] = {"P4", 53, RECOURSE_PRECONDITION, TOY_HOST, NO, NO},
    [TOY_A1] = {"A1", 60, RECOURSE_ATTEMPT, NO, NO, NO},
    [TOY_A2] = {"A2", 61, RECOURSE_ATTEMPT, TOY_2, TOY_SHORT, NO},
    [TOY_A3] = {"A3", 62, RECOURSE_ATTEMPT, TOY_2, TOY_POLITE, NO},
    [TOY_A4] = {"A4", 63, RECOURSE_ATTEMPT, TOY_3A, NO, TOY_CORRECTED},
    [TOY_A5] = {"A5", 64, RECOURSE_ATTEMPT, TOY_3B, NO, TOY_FAILED},
    [TOY_A6] = {"A6", 65, RECOURSE_ATTEMPT, TOY_2, TOY_FRESH, NO},
    [TOY_A7] = {"A7", 66, RECOURSE_ATTEMPT, NO, NO, NO},
    [TOY_A8] = {"A8", 67, RECOURSE_ATTEMPT, TOY_HOST, NO, NO},
    [TOY_A9] = {"A9", 68, RECOURSE_ATTEMPT, TOY_2, TOY_SHORT, NO},
    [TOY_A10] = {"A10", 69, RECOURSE_ATTEMPT, NO, NO, NO},
    [TOY_B1] = {"B1", 75, RECOURSE_BACKOFF, NO, NO, NO},
    [TOY_B2] = {"B2", 76, RECOURSE_BACKOFF, TOY_HOST, NO, NO},
    [TOY_E1] = {"E1", 80, RECOURSE_EXHAUSTED, TOY_1, NO, TOY_FAILED},
    [TOY_E2] = {"E2", 81, RECOURSE_EXHAUSTED, TOY_HOST, NO, TOY_FAILED},
    [TOY_E3] = {"E3", 82, RECOURSE_EXHAUSTED, TOY_3B, NO, TOY_FAILED},
};

static const struct recourse_state states[TOY_STATE_COUNT] = {
    [0] = {RECOURSE_PRECONDITION, 0, false},
    [1] = {RECOURSE_ATTEMPT, 1, false},      [2] = {RECOURSE_ATTEMPT, 1, true}, /* never reached; keeps the numbers even */
    [3] = {RECOURSE_ATTEMPT, 2, false},      [4] = {RECOURSE_ATTEMPT, 2, true},
    [5] = {RECOURSE_ATTEMPT, 3, false},      [6] = {RECOURSE_ATTEMPT, 3, true},
    [7] = {RECOURSE_BACKOFF, 1, false},      [8] = {RECOURSE_BACKOFF, 1, true},
    [9] = {RECOURSE_BACKOFF, 2, false},      [10] = {RECOURSE_BACKOFF, 2, true},
    [11] = {RECOURSE_EXHAUSTED, 1, false},   [12] = {RECOURSE_EXHAUSTED, 1, true},
    [13] = {RECOURSE_EXHAUSTED, 255, false}, [14] = {RECOURSE_EXHAUSTED, 255, true},
    [15] = {RECOURSE_REPORTED, 0, false},
};

uint16_t toy_state(unsigned place, unsigned try_number, bool acted)
{
    static const uint8_t first[RECOURSE_PLACE_COUNT] = {0, 1, 7, 11, 15};

    if (place == RECOURSE_PRECONDITION || place == RECOURSE_REPORTED) {
        return first[place];
    }
    if (place == RECOURSE_EXHAUSTED && try_number > 2) {
        try_number = 2;
    }
    return (uint16_t)(first[place] + 2 * (try_number - 1) + (acted ? 1 : 0));
}

static struct recourse_move to(unsigned row, unsigned state)
{
    return (struct recourse_move){(uint16_t)row, (uint16_t)state};
}

static struct recourse_move from_precondition(unsigned symbol)
{
    static const uint8_t by_event[RECOURSE_EVENT_ELAPSED] = {
        [RECOURSE_EVENT_READY] = TOY_P1,          [RECOURSE_EVENT_MISSING_NAME] = TOY_P3,
        [RECOURSE_EVENT_UNKNOWN_TOOL] = TOY_P3,   [RECOURSE_EVENT_AMBIGUOUS_TOOL] = TOY_P3,
        [RECOURSE_EVENT_BAD_ARGUMENTS] = TOY_P2,  [RECOURSE_EVENT_TRUNCATED_CALL] = TOY_P2,
        [RECOURSE_EVENT_DUPLICATE_CALL] = TOY_P3, [RECOURSE_EVENT_SENSITIVE_ARGUMENTS] = TOY_P3,
        [RECOURSE_EVENT_REFUSED] = TOY_P3,        [RECOURSE_EVENT_UNANSWERED_APPROVAL] = TOY_P3,
        [RECOURSE_EVENT_DEADLINE] = TOY_P3,       [RECOURSE_EVENT_CANCELLED] = TOY_P4,
        [RECOURSE_EVENT_CIRCUIT_OPEN] = TOY_P3,
    };

    if (symbol >= RECOURSE_EVENT_ELAPSED || symbol == RECOURSE_EVENT_REPEATED_FAILURE || symbol == RECOURSE_EVENT_UNRECORDED) {
        return to(RECOURSE_NONE, TOY_STATE_START);
    }
    return to(by_event[symbol], symbol == RECOURSE_EVENT_READY ? toy_state(RECOURSE_ATTEMPT, 1, false) : TOY_STATE_REPORTED);
}

static struct recourse_move from_failure(const struct recourse_state *from, unsigned failure, bool unsafe, bool may_wait)
{
    static const uint8_t by_failure[TOY_FAILURE_COUNT] = {TOY_A3, TOY_A2, TOY_A4, TOY_A6, TOY_A9};
    const bool acted = from->acted || failures[failure].effect != RECOURSE_EFFECT_NONE;
    const bool waits_now = may_wait && from->try_number < TRIES && !(failure == TOY_SILENT && unsafe);

    if (failure == TOY_PERMANENT) {
        return to(from->try_number == 1 ? TOY_A4 : TOY_A5, TOY_STATE_REPORTED);
    }
    return to(failure == TOY_SILENT && unsafe ? TOY_A10 : by_failure[failure],
              toy_state(waits_now ? RECOURSE_BACKOFF : RECOURSE_EXHAUSTED, from->try_number, acted));
}

static struct recourse_move from_attempt(const struct recourse_state *from, unsigned symbol)
{
    const unsigned rest = symbol - RECOURSE_SYMBOL_FAILURE;

    if (symbol == RECOURSE_SYMBOL_UNRECORDED) {
        return to(TOY_A8, TOY_STATE_REPORTED);
    }
    if (symbol == RECOURSE_SYMBOL_OK) {
        return to(TOY_A1, TOY_STATE_REPORTED);
    }
    if (symbol >= RECOURSE_SYMBOL_DEADLINE && symbol < RECOURSE_SYMBOL_CANCELLED) {
        return to(TOY_A7, toy_state(RECOURSE_EXHAUSTED, from->try_number,
                                    from->acted || symbol != RECOURSE_SYMBOL_DEADLINE));
    }
    if (symbol >= RECOURSE_SYMBOL_CANCELLED && symbol < RECOURSE_SYMBOL_FAILURE) {
        return to(TOY_A8, TOY_STATE_REPORTED);
    }
    if (symbol < RECOURSE_SYMBOL_OK || rest / 4 >= TOY_FAILURE_COUNT) {
        return to(RECOURSE_NONE, 0);
    }
    return from_failure(from, rest / 4, (rest & 2) != 0, (rest & 1) == 0);
}

static struct recourse_move from_exhausted(unsigned symbol)
{
    const unsigned first = RECOURSE_SYMBOL_FAILURE + 4 * TOY_FAILURE_COUNT;

    if (symbol < first) {
        return to(RECOURSE_NONE, 0);
    }
    if ((symbol - first) / 5 == TOY_FAILURE_COUNT) {
        return to(TOY_E1, TOY_STATE_REPORTED);
    }
    return to((symbol - first) % 5 == RECOURSE_REASON_ASKED_TOO_LONG ? TOY_E2 : TOY_E3, TOY_STATE_REPORTED);
}

static struct recourse_move move(const struct recourse_policy *policy, uint16_t state, uint8_t symbol)
{
    const struct recourse_state *const from = &policy->states[state];

    switch (from->place) {
    case RECOURSE_PRECONDITION: return from_precondition(symbol);
    case RECOURSE_ATTEMPT: return from_attempt(from, symbol);
    case RECOURSE_BACKOFF:
        if (symbol == RECOURSE_EVENT_ELAPSED) {
            return to(TOY_B1, toy_state(RECOURSE_ATTEMPT, from->try_number + 1u, from->acted));
        }
        return symbol == RECOURSE_EVENT_CANCELLED || symbol == RECOURSE_EVENT_CIRCUIT_OPEN ? to(TOY_B2, TOY_STATE_REPORTED) : to(RECOURSE_NONE, 0);
    case RECOURSE_EXHAUSTED: return from_exhausted(symbol);
    default: return to(RECOURSE_NONE, 0);
    }
}

/*
 * Shift-And over all patterns at once. The matcher's lower 27 bits are how far each pattern has come; bit 31: the byte before
 * is part of a word; bit 30: the word 429 was there, if no word goes on. Good enough for a test: `4.29` is not looked at.
 */
#define IN_WORD (1u << 31)
#define PENDING (1u << 30)

static const struct {
    const char *text;
    unsigned first; /* bit */
} patterns[TOY_PATTERN_COUNT] = {{"timeout", 0}, {"429", 7}, {"busy", 10}, {"limit reached", 14}};

static bool is_word(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == '_';
}

static uint32_t match_byte(uint32_t matcher, char byte, uint64_t *hits)
{
    const bool in_word = is_word(byte);
    uint32_t next = in_word ? IN_WORD : 0;

    if ((matcher & PENDING) != 0 && !in_word) {
        hits[0] |= 1u << TOY_PATTERN_429;
    }
    for (unsigned i = 0; i < TOY_PATTERN_COUNT; i++) {
        const size_t size = strlen(patterns[i].text);

        for (size_t k = 0; k < size; k++) {
            const bool due = k == 0 ? i != TOY_PATTERN_429 || (matcher & IN_WORD) == 0
                                    : (matcher >> (patterns[i].first + k - 1) & 1) != 0;

            if (due && patterns[i].text[k] == byte) {
                next |= 1u << (patterns[i].first + k);
            }
        }
        if ((next >> (patterns[i].first + size - 1) & 1) != 0) {
            next |= i == TOY_PATTERN_429 ? PENDING : 0;
            hits[0] |= i == TOY_PATTERN_429 ? 0 : (uint64_t)1 << i;
        }
    }
    return next;
}

static void match(const struct recourse_policy *policy, uint32_t *matcher, const char *data, size_t size,
                  uint64_t hits[RECOURSE_PATTERNS_MAX / 64])
{
    (void)policy;
    if (size == 0) {
        *matcher = match_byte(*matcher, ' ', hits);
    }
    for (size_t i = 0; i < size; i++) {
        const char byte = data[i] >= 'A' && data[i] <= 'Z' ? (char)(data[i] - 'A' + 'a') : data[i];

        *matcher = match_byte(*matcher, byte, hits);
    }
}

const struct recourse_policy toy_policy = {
    .abi = RECOURSE_POLICY_ABI,
    .size = sizeof(struct recourse_policy),
    .name = "toy",
    .file = "toy",
    .file_sha256 = {0xf1},
    .behaviour_sha256 = {0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0xaa},
    .settings = {.tries = TRIES, .try_timeout_ms = 60000, .call_deadline_ms = RECOURSE_FOREVER,
                 .reminder = "Do not retry this exact tool call.", .reason_characters = 220,
                 .approval_timeout_ms = 600000},
    .scenarios = scenarios,
    .tools = tools,
    .failures = failures,
    .fact_rows = fact_rows,
    .atoms = atoms,
    .waits = waits,
    .messages = messages,
    .rows = rows,
    .states = states,
    .scenario_count = TOY_SCENARIO_COUNT,
    .tool_count = sizeof tools / sizeof tools[0],
    .failure_count = TOY_FAILURE_COUNT,
    .fact_row_count = sizeof fact_rows / sizeof fact_rows[0],
    .atom_count = sizeof atoms / sizeof atoms[0],
    .wait_count = TOY_WAIT_COUNT,
    .message_count = TOY_MESSAGE_COUNT,
    .row_count = TOY_ROW_COUNT,
    .state_count = TOY_STATE_COUNT,
    .pattern_count = TOY_PATTERN_COUNT,
    .start = TOY_STATE_START,
    .move = move,
    .match = match,
};
