/*
 * embed_core: the machine alone. Linked are the generated C of a policy and the objects of src/core; there is no I/O,
 * no clock and no allocation in them, and nothing but libc is needed. The host brings whatever touches the tool, and
 * the time: here both are made up, so that the output is always the same.
 */
#include <stdio.h>
#include <string.h>

#include <recourse/call.h>

/* `recourse compile spec/lightspeed.policy.md -o DIR` writes lightspeed.c, and lightspeed.h with this line in it. */
extern const struct recourse_policy recourse_policy_lightspeed;

/* ---- the executor: touches the tool, and says what is known about how it went. This one reads from a list ---- */

struct answer {
    uint8_t timeout; /* enum recourse_timeout */
    uint16_t http;
    const char *text;
};

#define TRIES_MAX 3

struct story {
    const char *tool;
    struct answer answers[TRIES_MAX];
};

static const struct story stories[] = {
    {"list_pods", {{.http = 200, .text = "three pods"}}},
    {"get_quota", {{.http = 400, .text = "unknown field \"nmae\""}}},
    {"run_query",
     {{.timeout = RECOURSE_TIMEOUT_READ}, {.http = 429, .text = "slow down"}, {.http = 403, .text = "not yours"}}},
    {"read_file", {{.http = 503, .text = "temporarily overloaded"}, {.http = 200, .text = "42 lines"}}},
};

static void execute(const struct story *story, unsigned try_number, struct recourse_facts *facts)
{
    const struct answer *answer = &story->answers[try_number - 1];
    struct recourse_span text = {answer->text, answer->text == NULL ? 0 : strlen(answer->text)};

    memset(facts, 0, sizeof *facts);
    facts->tool = story->tool;
    facts->timeout = answer->timeout;
    facts->http = answer->http;
    if (answer->http >= 200 && answer->http <= 299) {
        facts->result = text;
    } else {
        facts->text = text;
    }
}

/* ---- what the machine says ---- */

/* The rows that led to a decision: what logs and reviews cite. */
static void print_rows(const struct recourse_policy *policy, const struct recourse_decision *decision)
{
    printf("  %s:", recourse_policy_event_name(policy, decision->event));
    for (unsigned i = 0; i < decision->trace_count; i++) {
        const struct recourse_row *row = &policy->rows[decision->trace[i].row];
        printf(" %s (line %u)", row->id, (unsigned)row->line);
    }
    printf(" -> ");
}

/* The end: what the model is to read. */
static void print_report(const struct recourse_policy *policy, const struct story *story,
                         const struct recourse_decision *decision, const struct recourse_facts *facts)
{
    struct recourse_message_values values = {
        .tool = {story->tool, strlen(story->tool)},
        .reason = facts->text,
        .tries = decision->try_number,
        .event = decision->event,
        .http = decision->http,
        .reminder = decision->reminder == RECOURSE_REMINDER_YES,
    };
    char text[512];

    printf("scenario %s\n", policy->scenarios[decision->scenario].label);
    if (decision->message == RECOURSE_NONE) {
        printf("  %.*s\n", (int)facts->result.size, facts->result.data);
        return;
    }
    recourse_message_render(policy, decision->message, &values, text, sizeof text);
    printf("  %s\n", text);
}

/* A call that waits is 96 bytes. They can be stored, and taken up by another process or machine. */
static int move_house(struct recourse_call *call, const struct recourse_policy *policy, uint64_t now_ms)
{
    uint8_t bytes[RECOURSE_CALL_SAVED_SIZE];
    int code = recourse_call_save(call, policy, now_ms, bytes, sizeof bytes);

    return code != 0 ? code : recourse_call_load(call, policy, now_ms, bytes, sizeof bytes);
}

/* ---- one call, from the beginning to its report ---- */

static int tell(const struct recourse_policy *policy, const struct story *story)
{
    struct recourse_facts facts = {0};
    struct recourse_decision decision;
    struct recourse_call call;
    struct recourse_input input = {.now_ms = 1000, .event = RECOURSE_EVENT_READY};
    int code = recourse_call_init(&call, policy, input.now_ms, RECOURSE_FOREVER, false);

    printf("%s\n", story->tool);
    while (code == 0 && (code = recourse_call_step(&call, policy, &input, &decision)) == 0) {
        print_rows(policy, &decision);
        switch (decision.action) {
        case RECOURSE_ACTION_ATTEMPT:
            printf("try %u\n", decision.try_number);
            execute(story, decision.try_number, &facts);
            input.event = RECOURSE_EVENT_OK; /* "the try has ended": the policy judges the facts */
            input.facts = &facts;
            break;
        case RECOURSE_ACTION_WAIT:
            printf("waits %llu ms\n", (unsigned long long)decision.wait_ms);
            code = move_house(&call, policy, input.now_ms);
            input.now_ms = decision.wake_ms; /* a real host sleeps, or sets a timer */
            input.event = RECOURSE_EVENT_ELAPSED;
            input.facts = NULL;
            break;
        default:
            print_report(policy, story, &decision, &facts);
            return 0;
        }
    }
    return code;
}

int main(void)
{
    const struct recourse_policy *policy = &recourse_policy_lightspeed;
    int code = recourse_policy_check(policy);

    for (size_t i = 0; code == 0 && i < sizeof stories / sizeof stories[0]; i++) {
        code = tell(policy, &stories[i]);
    }
    if (code != 0) {
        fprintf(stderr, "embed_core: %s\n", recourse_code_text(code));
    }
    return code == 0 ? 0 : 1;
}
