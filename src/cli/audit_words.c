/* Records of a log in words. */
#include "audit_log.h"

#include "cli.h"
#include "src/core/json.h"
#include "src/core/text.h"

const char *rcs_shown_field(const struct rcs_record *record, enum rcs_key key, char text[RCS_SHOWN_MAX])
{
    char plain[RCS_SHOWN_MAX];
    size_t size;

    if (!rcs_record_has(record, key)) {
        return "-";
    }
    size = rcs_json_unescape(record->value[key].text, plain, sizeof plain);
    size = size < sizeof plain ? size : sizeof plain;
    (void)rcs_text_reason((struct recourse_span){plain, size}, RCS_SHOWN_MAX / 4 - 1, text, RCS_SHOWN_MAX);
    return text;
}

static unsigned long long number_of(const struct rcs_record *record, enum rcs_key key)
{
    return (unsigned long long)rcs_record_get(record, key);
}

static void print_facts(FILE *out, const struct rcs_record *record)
{
    static const enum rcs_key numbers[] = {RCS_KEY_HTTP, RCS_KEY_EXIT, RCS_KEY_SIGNAL};
    static const enum rcs_key texts[] = {RCS_KEY_NETWORK, RCS_KEY_TIMEOUT, RCS_KEY_RPC};
    static const enum rcs_key flags[] = {
        RCS_KEY_UNSENT,   RCS_KEY_INTERRUPTED, RCS_KEY_TOOL_ERROR, RCS_KEY_SESSION_EXPIRED,
        RCS_KEY_PROTOCOL, RCS_KEY_TOO_LARGE,   RCS_KEY_SPAWN};
    char text[RCS_SHOWN_MAX];

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (rcs_record_has(record, numbers[i])) {
            fprintf(out, ", %s %lld", rcs_key_name(numbers[i]), (long long)rcs_record_get(record, numbers[i]));
        }
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (rcs_record_has(record, texts[i])) {
            fprintf(out, ", %s %s", rcs_key_name(texts[i]), rcs_shown_field(record, texts[i], text));
        }
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (rcs_record_has(record, flags[i])) {
            fprintf(out, ", %s", rcs_key_name(flags[i]));
        }
    }
}

static void print_precondition(FILE *out, const struct rcs_record *record)
{
    char id[RCS_SHOWN_MAX];
    char tool[RCS_SHOWN_MAX];
    char event[RCS_SHOWN_MAX];

    fprintf(out, "begins: %s, id %s, %s: %s", rcs_shown_field(record, RCS_KEY_TOOL, tool), rcs_shown_field(record, RCS_KEY_ID, id),
           rcs_record_true(record, RCS_KEY_SAFE) ? "safe" : "unsafe", rcs_shown_field(record, RCS_KEY_EVENT, event));
}

static void print_outcome(FILE *out, const struct rcs_record *record)
{
    char event[RCS_SHOWN_MAX];
    char fact_row[RCS_SHOWN_MAX];
    char effect[RCS_SHOWN_MAX];

    fprintf(out, "try %llu ends: %s", number_of(record, RCS_KEY_TRY), rcs_shown_field(record, RCS_KEY_EVENT, event));
    print_facts(out, record);
    if (rcs_record_has(record, RCS_KEY_FACT_ROW)) {
        fprintf(out, ", by %s", rcs_shown_field(record, RCS_KEY_FACT_ROW, fact_row));
    }
    fprintf(out, ", effect %s", rcs_shown_field(record, RCS_KEY_EFFECT, effect));
}

static void print_wait(FILE *out, const struct rcs_record *record)
{
    char wait[RCS_SHOWN_MAX];
    char texts[3][RCS_DURATION_SIZE];
    uint64_t least = number_of(record, RCS_KEY_WAIT_MIN);
    uint64_t most = number_of(record, RCS_KEY_WAIT_MAX);

    fprintf(out, "waits %s (%s", rcs_duration_text(number_of(record, RCS_KEY_WAIT_MS), texts[0]),
           rcs_shown_field(record, RCS_KEY_WAIT, wait));
    if (least != most) {
        fprintf(out, ", from %s to %s", rcs_duration_text(least, texts[1]), rcs_duration_text(most, texts[2]));
    }
    fprintf(out, ")");
}

static void print_reported(FILE *out, const struct rcs_record *record)
{
    char scenario[RCS_SHOWN_MAX];
    char tell[RCS_SHOWN_MAX];

    fprintf(out, "reported as %s to %s%s", rcs_shown_field(record, RCS_KEY_SCENARIO, scenario), rcs_shown_field(record, RCS_KEY_TELL, tell),
           rcs_record_is(record, RCS_KEY_REMINDER, "yes") ? ", with the reminder" : "");
}

static void print_other(FILE *out, const struct rcs_record *record)
{
    char name[RCS_SHOWN_MAX];

    switch (record->kind) {
    case RCS_KIND_SEGMENT:
        fprintf(out, "segment %llu, policy %s", number_of(record, RCS_KEY_SEGMENT),
                rcs_shown_field(record, RCS_KEY_NAME, name));
        break;
    case RCS_KIND_POLICY:
        fprintf(out, "policy %llu is %s", number_of(record, RCS_KEY_NUMBER),
                rcs_shown_field(record, RCS_KEY_NAME, name));
        break;
    case RCS_KIND_RECOVERED:
        fprintf(out, "recovered: %llu bytes of a torn line were cut off",
                number_of(record, RCS_KEY_BYTES));
        break;
    case RCS_KIND_LOST:
        fprintf(out, "lost: %llu records", number_of(record, RCS_KEY_COUNT_));
        break;
    default:
        fprintf(out, "%s", rcs_kind_name(record->kind));
        break;
    }
}

void rcs_shown_record(FILE *out, const struct rcs_record *record)
{
    char reason[RCS_SHOWN_MAX];

    switch (record->kind) {
    case RCS_KIND_PRECONDITION: print_precondition(out, record); break;
    case RCS_KIND_ATTEMPT: fprintf(out, "try %llu begins", number_of(record, RCS_KEY_TRY)); break;
    case RCS_KIND_OUTCOME: print_outcome(out, record); break;
    case RCS_KIND_WAIT: print_wait(out, record); break;
    case RCS_KIND_BROKEN:
        fprintf(out, "broken off by the program: %s", rcs_shown_field(record, RCS_KEY_REASON, reason));
        break;
    case RCS_KIND_EXHAUSTED:
        fprintf(out, "not tried again: %s", rcs_shown_field(record, RCS_KEY_REASON, reason));
        break;
    case RCS_KIND_REPORTED: print_reported(out, record); break;
    default: print_other(out, record); break;
    }
}
