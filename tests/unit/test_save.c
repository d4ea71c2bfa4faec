#include "tests/unit/call_kit.h"

#define SIZE RECOURSE_CALL_SAVED_SIZE

static uint64_t sum_of(const uint8_t *bytes)
{
    uint64_t sum = 0xcbf29ce484222325u;

    for (size_t i = 0; i < SIZE - 8; i++) {
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    }
    return sum;
}

/* Makes the sum right again, so that only the fields can be wrong. */
static void seal(uint8_t *bytes)
{
    for (unsigned i = 0; i < 8; i++) {
        bytes[SIZE - 8 + i] = (uint8_t)(sum_of(bytes) >> 8 * i);
    }
}

static struct at in_backoff(void)
{
    struct at at = begin_try(10000, true);

    RCS_EQUAL(finish(&at, &transient), RECOURSE_OK);
    return at;
}

static void save(const struct at *at, uint8_t bytes[SIZE])
{
    memset(bytes, 0xa5, SIZE);
    RCS_EQUAL(recourse_call_save(&at->call, &at->policy, at->now_ms, bytes, SIZE), RECOURSE_OK);
}

/* Calls in every place, each saved and taken up by the same clock. */
static void calls_come_back(void)
{
    struct at calls[8];
    unsigned count = 0;

    calls[count++] = begin(1000, FOREVER, false);
    calls[count++] = begin(1000, 2000, true);
    calls[count++] = begin_try(FOREVER, false);
    calls[count++] = begin_try(3000, true);
    calls[count++] = in_backoff();
    calls[count] = begin_try(FOREVER, true);
    RCS_EQUAL(finish(&calls[count], &unreached), RECOURSE_OK);
    RCS_EQUAL(calls[count].decision.new_session, true);
    calls[count + 1] = calls[count];
    wait_out(&calls[++count]);
    calls[++count] = in_backoff();
    RCS_EQUAL(happen(&calls[count], RECOURSE_EVENT_CANCELLED), RECOURSE_OK);
    for (unsigned i = 0; i <= count; i++) {
        uint8_t bytes[SIZE];
        struct recourse_call call;

        save(&calls[i], bytes);
        memset(&call, 0xff, sizeof call);
        RCS_EQUAL(recourse_call_load(&call, &calls[i].policy, calls[i].now_ms, bytes, SIZE), RECOURSE_OK);
        RCS_EQUAL(memcmp(&call, &calls[i].call, sizeof call), 0);
    }
}

/* The bytes themselves, so that no other version writes this one's name. */
static void the_layout_is_fixed(void)
{
    static const uint8_t expected[SIZE - 8] = {
        'R', 'C', 'L', '2',
        8, 7, 6, 5, 4, 3, 2, 1, 0xaa, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0x28, 0x23, 0, 0, 0, 0, 0, 0, /* 9000 ms until the deadline */
        0xc8, 0, 0, 0, 0, 0, 0, 0,    /* 200 ms until it wakes */
        0xc8, 0, 0, 0, 0, 0, 0, 0,    /* 200 ms waited */
        8, 0, 18, 0, 0xf8, 1, 1, 7,   /* state, event, http 504, try, flags */
        1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        1, 0, 0, 0, /* the last wait */
    };
    const struct at at = in_backoff();
    uint8_t bytes[SIZE];

    save(&at, bytes);
    for (unsigned i = 0; i < SIZE - 8; i++) {
        RCS_EQUAL(bytes[i], expected[i]);
    }
    CU_ASSERT_TRUE(bytes[SIZE - 8] == (uint8_t)sum_of(bytes) && bytes[SIZE - 1] == (uint8_t)(sum_of(bytes) >> 56));
}

static void times_are_what_is_left(void)
{
    struct at at = in_backoff();
    uint8_t bytes[SIZE];

    at.now_ms = 1150;
    save(&at, bytes);
    RCS_EQUAL(recourse_call_load(&at.call, &at.policy, 7, bytes, SIZE), RECOURSE_OK);
    RCS_EQUAL(at.call.wake_ms, 57);
    RCS_EQUAL(at.call.deadline_ms, 8857);
    at.now_ms = 56;
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_ELAPSED), RECOURSE_E_STATE);
    at.now_ms = 57;
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_ELAPSED), RECOURSE_OK);
    RCS_EQUAL(at.decision.try_number, 2);
    /* What was past when it was saved is due at once. */
    at = in_backoff();
    at.now_ms = 20000;
    save(&at, bytes);
    RCS_EQUAL(recourse_call_load(&at.call, &at.policy, 500, bytes, SIZE), RECOURSE_OK);
    RCS_EQUAL(at.call.wake_ms, 500);
    RCS_EQUAL(at.call.deadline_ms, 500);
    at.now_ms = 500;
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_ELAPSED), RECOURSE_OK);
    RCS_EQUAL(at.decision.event, RECOURSE_EVENT_DEADLINE);
    /* Near the end of all clocks. */
    at = in_backoff();
    save(&at, bytes);
    RCS_EQUAL(recourse_call_load(&at.call, &at.policy, UINT64_MAX - 100, bytes, SIZE), RECOURSE_OK);
    CU_ASSERT_TRUE(at.call.wake_ms == FOREVER && at.call.deadline_ms == FOREVER);
}

/* Taken up during an attempt: whoever does it ends the try as interrupted. */
static void an_interrupted_try_is_judged(void)
{
    static const struct recourse_facts interrupted = {.interrupted = true};
    struct at at = begin_try(FOREVER, false);
    uint8_t bytes[SIZE];

    save(&at, bytes);
    RCS_EQUAL(recourse_call_load(&at.call, &at.policy, 9, bytes, SIZE), RECOURSE_OK);
    RCS_EQUAL(recourse_call_place(&at.call, &at.policy), RECOURSE_ATTEMPT);
    at.now_ms = 9;
    RCS_EQUAL(finish(&at, &interrupted), RECOURSE_OK);
    RCS_EQUAL(at.decision.event, EVENT(TOY_SILENT));
    RCS_EQUAL(at.decision.trace[0].row, TOY_A10);
    RCS_EQUAL(at.decision.acted, true);
}

static void errors_of_saving(void)
{
    struct at at = in_backoff();
    struct recourse_call unbegun = {.policy_tag = at.call.policy_tag};
    uint8_t bytes[SIZE];

    RCS_EQUAL(recourse_call_save(&at.call, &at.policy, 0, bytes, SIZE - 1), RECOURSE_E_LIMIT);
    RCS_EQUAL(recourse_call_save(NULL, &at.policy, 0, bytes, SIZE), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_call_save(&at.call, NULL, 0, bytes, SIZE), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_call_save(&at.call, &at.policy, 0, NULL, SIZE), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_call_save(&unbegun, &at.policy, 0, bytes, SIZE), RECOURSE_E_ARGUMENT);
    at.policy.behaviour_sha256[0] ^= 1;
    RCS_EQUAL(recourse_call_save(&at.call, &at.policy, 0, bytes, SIZE), RECOURSE_E_POLICY);
}

static void errors_of_loading(void)
{
    struct at at = in_backoff();
    uint8_t bytes[SIZE + 1] = {0};

    save(&at, bytes);
    RCS_EQUAL(recourse_call_load(NULL, &at.policy, 0, bytes, SIZE), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_call_load(&at.call, NULL, 0, bytes, SIZE), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_call_load(&at.call, &at.policy, 0, NULL, SIZE), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_call_load(&at.call, &at.policy, 0, bytes, SIZE + 1), RECOURSE_E_SYNTAX);
    for (size_t size = 0; size < SIZE; size++) {
        RCS_EQUAL(recourse_call_load(&at.call, &at.policy, 0, bytes, size), RECOURSE_E_SYNTAX);
    }
    at.policy.behaviour_sha256[31] ^= 1;
    RCS_EQUAL(recourse_call_load(&at.call, &at.policy, 0, bytes, SIZE), RECOURSE_E_POLICY);
    at.policy.behaviour_sha256[31] ^= 1;
    bytes[3] = '1';
    RCS_EQUAL(recourse_call_load(&at.call, &at.policy, 0, bytes, SIZE), RECOURSE_E_ABI);
    bytes[3] = '2';
    bytes[0] = 'r';
    RCS_EQUAL(recourse_call_load(&at.call, &at.policy, 0, bytes, SIZE), RECOURSE_E_SYNTAX);
    bytes[0] = 'R';
    RCS_EQUAL(recourse_call_load(&at.call, &at.policy, 1000, bytes, SIZE), RECOURSE_OK);
}

/* Each bit wrong, with the sum as it was: always an error, and nothing is written. */
static void every_flipped_bit_is_noticed(void)
{
    const struct at at = in_backoff();
    uint8_t bytes[SIZE];

    save(&at, bytes);
    for (unsigned bit = 0; bit < 8 * SIZE; bit++) {
        struct recourse_call call = at.call;
        int error;

        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        error = recourse_call_load(&call, &at.policy, at.now_ms, bytes, SIZE);
        RCS_EQUAL(error, bit / 8 == 3 ? RECOURSE_E_ABI : RECOURSE_E_SYNTAX);
        RCS_EQUAL(memcmp(&call, &at.call, sizeof call), 0);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

/* Each bit wrong under a right sum: an error, or a call that can be stepped. */
static void every_forged_bit_is_harmless(void)
{
    const struct at places[] = {begin(1000, 9000, false), begin_try(9000, true), in_backoff()};
    unsigned loaded = 0;

    for (size_t i = 0; i < RCS_COUNT(places); i++) {
        uint8_t bytes[SIZE];

        for (unsigned bit = 0; bit < 8 * (SIZE - 8); bit++) {
            struct at at = places[i];

            save(&places[i], bytes);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            seal(bytes);
            if (recourse_call_load(&at.call, &at.policy, at.now_ms, bytes, SIZE) != RECOURSE_OK) {
                RCS_EQUAL(memcmp(&at.call, &places[i].call, sizeof at.call), 0);
                continue;
            }
            loaded++;
            at.now_ms = at.call.wake_ms;
            for (uint16_t event = 0; event < RECOURSE_EVENT_OK; event++) {
                struct at next = at;

                (void)happen(&next, event);
            }
            (void)finish(&at, &transient);
            CU_ASSERT_TRUE(at.call.try_number <= 3);
        }
    }
    CU_ASSERT_TRUE(loaded > 100); /* times, the last status, the last event: any would do */
}

static void fields_must_fit_together(void)
{
    static const struct {
        unsigned at;
        uint8_t value;
    } forged[] = {
        {60, 16},  /* no such state */
        {61, 1},
        {60, 12},  /* exhausted: nobody rests there */
        {60, 0},   /* precondition, with a try made */
        {60, 4},   /* an attempt of try 2, with one begun */
        {60, 10},  /* the backoff after try 2 */
        {60, 15},  /* reported, with a wait */
        {62, 22},  /* no such event */
        {66, 0},   {66, 2},   {66, 4},  {66, 255}, /* tries */
        {67, 5},   /* never begun */
        {67, 0x17}, /* an unknown flag */
        {68, 0},   {68, 2},   {69, 1},  {71, 1}, /* uses */
        {44, 0xff}, {84, 0}, {84, 2}, {84, 99}, {85, 1}, {87, 1},
    };
    const struct at at = in_backoff();

    for (size_t i = 0; i < RCS_COUNT(forged); i++) {
        struct recourse_call call = at.call;
        uint8_t bytes[SIZE];

        save(&at, bytes);
        bytes[forged[i].at] = forged[i].value;
        if (forged[i].at == 44) { /* wakes after the deadline */
            bytes[45] = 0xff;
        }
        seal(bytes);
        RCS_EQUAL(recourse_call_load(&call, &at.policy, at.now_ms, bytes, SIZE), RECOURSE_E_SYNTAX);
        RCS_EQUAL(memcmp(&call, &at.call, sizeof call), 0);
    }
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"calls come back", calls_come_back},
        {"the layout is fixed", the_layout_is_fixed},
        {"times are what is left", times_are_what_is_left},
        {"an interrupted try is judged", an_interrupted_try_is_judged},
        {"errors of saving", errors_of_saving},
        {"errors of loading", errors_of_loading},
        {"every flipped bit is noticed", every_flipped_bit_is_noticed},
        {"every forged bit is harmless", every_forged_bit_is_harmless},
        {"fields must fit together", fields_must_fit_together},
    };

    return rcs_unit_main("save", tests, RCS_COUNT(tests));
}
