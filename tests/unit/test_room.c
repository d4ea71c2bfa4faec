/* Room for answers: who is let on, who waits, and that one always goes on. */
#include "src/tools/room.h"
#include "tests/unit/unit.h"

#define BOUND 100u
#define ANSWER 40u /* what one may have: 60 are for all */

static struct recourse_port port = {.size = sizeof port};
static struct rcs_mailbox *mailbox;
static struct rcs_room room;
static struct rcs_claim claims[4];
static char resumed[16]; /* a letter for each that was let on, in order */
static size_t wanted[4];

static void resume(struct rcs_claim *claim)
{
    size_t index = (size_t)(claim - claims);
    size_t used = strlen(resumed);

    CU_ASSERT_TRUE_FATAL(used + 1 < sizeof resumed);
    resumed[used] = (char)('a' + index);
    resumed[used + 1] = '\0';
    (void)rcs_claim_more(&room, claim, wanted[index]);
}

static bool ask(size_t index, size_t size)
{
    wanted[index] = size;
    return rcs_claim_more(&room, &claims[index], size);
}

static void open_room(void)
{
    mailbox = rcs_mailbox_new(&port, NULL, BOUND);
    CU_ASSERT_PTR_NOT_NULL_FATAL(mailbox);
    rcs_room_init(&room, mailbox, BOUND, ANSWER);
    for (size_t i = 0; i < RCS_COUNT(claims); i++) {
        rcs_claim_init(&claims[i], resume);
    }
    resumed[0] = '\0';
}

static void serve(const char *expected)
{
    resumed[0] = '\0';
    rcs_room_serve(&room);
    RCS_TEXT_EQUAL(resumed, expected);
}

static void close_room(void)
{
    for (size_t i = 0; i < RCS_COUNT(claims); i++) {
        rcs_claim_end(&room, &claims[i]);
    }
    RCS_EQUAL(rcs_mailbox_used(mailbox), 0);
    RCS_EQUAL(rcs_room_is_open(&room), true);
    rcs_mailbox_release(mailbox);
}

static void test_one_goes_on(void)
{
    open_room();
    RCS_EQUAL(ask(0, 30), true);
    RCS_EQUAL(ask(1, 30), true);
    RCS_EQUAL(rcs_room_is_open(&room), true);
    RCS_EQUAL(ask(2, 10), true); /* into what is kept free for one */
    RCS_EQUAL(rcs_room_is_open(&room), false);
    RCS_EQUAL(ask(3, 1), false);
    RCS_EQUAL(ask(0, 1), false);
    RCS_EQUAL(ask(2, 30), true);
    RCS_EQUAL(rcs_mailbox_used(mailbox), BOUND);
    RCS_EQUAL(rcs_room_has_work(&room), false);
    serve("");
    rcs_claim_end(&room, &claims[2]);
    RCS_EQUAL(rcs_room_has_work(&room), true);
    serve("d"); /* the oldest is the one now, and the next still waits */
    RCS_EQUAL(claims[3].taken, 1);
    rcs_claim_end(&room, &claims[1]);
    serve("a");
    RCS_EQUAL(claims[0].taken, 31);
    close_room();
}

/* What others hold for good takes nobody's turn. */
static void test_beyond_the_bound(void)
{
    open_room();
    rcs_mailbox_charge(mailbox, BOUND);
    RCS_EQUAL(ask(0, ANSWER), false);
    RCS_EQUAL(ask(1, ANSWER), false);
    serve("a");
    RCS_EQUAL(rcs_mailbox_used(mailbox), BOUND + ANSWER);
    rcs_claim_end(&room, &claims[0]);
    serve("b");
    RCS_EQUAL(rcs_mailbox_used(mailbox), BOUND + ANSWER);
    rcs_mailbox_give_back(mailbox, BOUND);
    close_room();
}

static void test_leaving(void)
{
    open_room();
    RCS_EQUAL(ask(0, 60), true);
    RCS_EQUAL(ask(1, 10), true);
    RCS_EQUAL(ask(2, 10), false);
    RCS_EQUAL(ask(3, 10), false);
    rcs_claim_leave(&room, &claims[2]);
    rcs_claim_leave(&room, &claims[1]);
    RCS_EQUAL(claims[1].taken, 10);
    serve("d");
    rcs_claim_set(&room, &claims[3], 0);
    rcs_claim_set(&room, &claims[1], 0);
    RCS_EQUAL(rcs_room_is_open(&room), true);
    close_room();
}

/* A port that can't wait is never put off. */
static void test_without_waiting(void)
{
    open_room();
    rcs_claim_init(&claims[0], NULL);
    RCS_EQUAL(ask(0, BOUND), true);
    RCS_EQUAL(ask(0, 1), true);
    RCS_EQUAL(rcs_mailbox_used(mailbox), BOUND + 1);
    close_room();
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"one goes on", test_one_goes_on},
        {"beyond the bound", test_beyond_the_bound},
        {"leaving", test_leaving},
        {"without waiting", test_without_waiting},
    };

    return rcs_unit_main("room", tests, RCS_COUNT(tests));
}
