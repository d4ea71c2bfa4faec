#include <string.h>

#include <recourse/call.h>

#include "sink.h"
#include "text.h"

#define NAME_MAX_SHOWN 128u /* code points of a name: models make names up, and of any length */

enum placeholder {
    PLACEHOLDER_TOOL = 0,
    PLACEHOLDER_CALL = 1,
    PLACEHOLDER_TRIES = 2,
    PLACEHOLDER_REASON = 3,
    PLACEHOLDER_REMINDER = 4,
    PLACEHOLDER_STATUS = 5,
    PLACEHOLDER_FAILURE = 6,
    PLACEHOLDER_SERVER_DELAY = 7,
    PLACEHOLDER_COUNT = 8
};

static const char *const placeholder_names[PLACEHOLDER_COUNT] = {
    [PLACEHOLDER_TOOL] = "{tool}",         [PLACEHOLDER_CALL] = "{call}",
    [PLACEHOLDER_TRIES] = "{tries}",       [PLACEHOLDER_REASON] = "{reason}",
    [PLACEHOLDER_REMINDER] = "{reminder}", [PLACEHOLDER_STATUS] = "{status}",
    [PLACEHOLDER_FAILURE] = "{failure}",   [PLACEHOLDER_SERVER_DELAY] = "{server_delay}",
};

/* The placeholder at the beginning of `text`, or PLACEHOLDER_COUNT. */
static unsigned find_placeholder(const char *text)
{
    unsigned found = 0;

    while (found < PLACEHOLDER_COUNT &&
           strncmp(text, placeholder_names[found], strlen(placeholder_names[found])) != 0) {
        found++;
    }
    return found;
}

/* An event's name with blanks for underscores. */
static void put_event(struct rcs_sink *sink, const struct recourse_policy *policy, unsigned event)
{
    for (const char *at = recourse_policy_event_name(policy, event); *at != '\0'; at++) {
        rcs_sink_put(sink, *at == '_' ? " " : at, 1);
    }
}

static void put_number(struct rcs_sink *sink, uint64_t number, const char *unit)
{
    char digits[20];
    size_t first = sizeof digits;

    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    rcs_sink_text(sink, digits + first, sizeof digits - first);
    rcs_sink_text(sink, unit, strlen(unit));
}

static void put_server_delay(struct rcs_sink *sink, uint64_t delay_ms)
{
    if (delay_ms > RECOURSE_DURATION_MAX_MS) {
        rcs_sink_text(sink, "more than 30 days", 17);
    } else if (delay_ms % 1000 == 0 && delay_ms != 0) {
        put_number(sink, delay_ms / 1000, " s");
    } else if (delay_ms != 0) {
        put_number(sink, delay_ms, " ms");
    }
}

static void put_reason(struct rcs_sink *sink, const struct recourse_policy *policy,
                       const struct recourse_message_values *values)
{
    const size_t before = sink->whole;

    rcs_text_put_reason(sink, values->reason, policy->settings.reason_characters);
    if (sink->whole == before) {
        put_event(sink, policy, values->event);
    }
}

static void put_value(struct rcs_sink *sink, const struct recourse_policy *policy,
                      const struct recourse_message_values *values, unsigned placeholder)
{
    switch ((enum placeholder)placeholder) {
    case PLACEHOLDER_TOOL: rcs_text_put_reason(sink, values->tool, NAME_MAX_SHOWN); break;
    case PLACEHOLDER_CALL: rcs_text_put_reason(sink, values->call, NAME_MAX_SHOWN); break;
    case PLACEHOLDER_TRIES: put_number(sink, values->tries, ""); break;
    case PLACEHOLDER_REASON: put_reason(sink, policy, values); break;
    case PLACEHOLDER_REMINDER:
        if (values->reminder) {
            rcs_sink_text(sink, policy->settings.reminder, strlen(policy->settings.reminder));
        }
        break;
    case PLACEHOLDER_STATUS:
        if (values->http != 0) {
            put_number(sink, values->http, "");
        }
        break;
    case PLACEHOLDER_FAILURE: put_event(sink, policy, values->event); break;
    case PLACEHOLDER_SERVER_DELAY: put_server_delay(sink, values->server_delay_ms); break;
    case PLACEHOLDER_COUNT: break;
    }
}

/* Whether the blank at `text` stands before a placeholder that has nothing to say. */
static bool goes(const struct recourse_policy *policy, const struct recourse_message_values *values, const char *text)
{
    struct rcs_sink none = rcs_sink_of(NULL, 0);
    const unsigned placeholder = *text == ' ' ? find_placeholder(text + 1) : PLACEHOLDER_COUNT;

    if (placeholder == PLACEHOLDER_COUNT) {
        return false;
    }
    put_value(&none, policy, values, placeholder);
    return none.whole == 0;
}

size_t recourse_message_render(const struct recourse_policy *policy, uint16_t message,
                               const struct recourse_message_values *values, char *text, size_t size)
{
    struct rcs_sink sink = rcs_sink_of(text, size > 0 ? size - 1 : 0);
    struct recourse_span left = {"", 0};

    if (message < policy->message_count) {
        left = (struct recourse_span){policy->messages[message].text, strlen(policy->messages[message].text)};
    }
    for (size_t at = 0; at < left.size;) {
        const unsigned placeholder = find_placeholder(left.data + at);

        if (placeholder != PLACEHOLDER_COUNT) {
            put_value(&sink, policy, values, placeholder);
            at += strlen(placeholder_names[placeholder]);
        } else if (goes(policy, values, left.data + at)) {
            at++;
        } else {
            rcs_sink_point(&sink, rcs_utf8_next(left.data, left.size, &at));
        }
    }
    if (size > 0) {
        text[sink.used] = '\0';
    }
    return sink.whole;
}
