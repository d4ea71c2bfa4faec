#include <string.h>

#include "policy_internal.h"

#include "json.h"

static const char *const event_names[RECOURSE_EVENT_FAILURE] = {
    [RECOURSE_EVENT_READY] = "ready",
    [RECOURSE_EVENT_MISSING_NAME] = "missing_name",
    [RECOURSE_EVENT_UNKNOWN_TOOL] = "unknown_tool",
    [RECOURSE_EVENT_AMBIGUOUS_TOOL] = "ambiguous_tool",
    [RECOURSE_EVENT_BAD_ARGUMENTS] = "bad_arguments",
    [RECOURSE_EVENT_TRUNCATED_CALL] = "truncated_call",
    [RECOURSE_EVENT_DUPLICATE_CALL] = "duplicate_call",
    [RECOURSE_EVENT_SENSITIVE_ARGUMENTS] = "sensitive_arguments",
    [RECOURSE_EVENT_REPEATED_FAILURE] = "repeated_failure",
    [RECOURSE_EVENT_REFUSED] = "refused",
    [RECOURSE_EVENT_UNANSWERED_APPROVAL] = "unanswered_approval",
    [RECOURSE_EVENT_DEADLINE] = "deadline",
    [RECOURSE_EVENT_CANCELLED] = "cancelled",
    [RECOURSE_EVENT_CIRCUIT_OPEN] = "circuit_open",
    [RECOURSE_EVENT_UNRECORDED] = "unrecorded",
    [RECOURSE_EVENT_ELAPSED] = "elapsed",
    [RECOURSE_EVENT_OK] = "ok",
};

static const char *const place_names[RECOURSE_PLACE_COUNT] = {
    [RECOURSE_PRECONDITION] = "precondition", [RECOURSE_ATTEMPT] = "attempt",   [RECOURSE_BACKOFF] = "backoff",
    [RECOURSE_EXHAUSTED] = "exhausted",       [RECOURSE_REPORTED] = "reported",
};

static const char *const effect_names[RECOURSE_EFFECT_COUNT] = {
    [RECOURSE_EFFECT_NONE] = "none",
    [RECOURSE_EFFECT_DONE] = "done",
    [RECOURSE_EFFECT_UNKNOWN] = "unknown",
};

static const char *const reason_names[RECOURSE_REASON_COUNT] = {
    [RECOURSE_REASON_NONE] = "",
    [RECOURSE_REASON_TRIES_SPENT] = "tries spent",
    [RECOURSE_REASON_ASKED_TOO_LONG] = "asked too long",
    [RECOURSE_REASON_OVER_BUDGET] = "over budget",
    [RECOURSE_REASON_OUT_OF_TIME] = "out of time",
};

static const char *const tell_names[RECOURSE_TELL_COUNT] = {
    [RECOURSE_TELL_NOBODY] = "-",
    [RECOURSE_TELL_MODEL] = "model",
    [RECOURSE_TELL_HOST] = "host",
};

static const char *const shared_by_names[RECOURSE_SHARED_BY_COUNT] = {
    [RECOURSE_SHARED_BY_RUNNER] = "runner",
    [RECOURSE_SHARED_BY_SERVER] = "server",
    [RECOURSE_SHARED_BY_TOOL] = "tool",
};

static const char *name_of(const char *const *names, unsigned count, unsigned index)
{
    return index < count ? names[index] : "?";
}

const char *recourse_place_name(unsigned place)
{
    return name_of(place_names, RECOURSE_PLACE_COUNT, place);
}

const char *recourse_effect_name(unsigned effect)
{
    return name_of(effect_names, RECOURSE_EFFECT_COUNT, effect);
}

const char *recourse_reason_name(unsigned reason)
{
    return name_of(reason_names, RECOURSE_REASON_COUNT, reason);
}

const char *recourse_tell_name(unsigned tell)
{
    return name_of(tell_names, RECOURSE_TELL_COUNT, tell);
}

const char *recourse_shared_by_name(unsigned shared_by)
{
    return name_of(shared_by_names, RECOURSE_SHARED_BY_COUNT, shared_by);
}

const char *recourse_policy_event_name(const struct recourse_policy *policy, unsigned event)
{
    const unsigned failure = event - RECOURSE_EVENT_FAILURE;

    if (event < RECOURSE_EVENT_FAILURE) {
        return event_names[event];
    }
    return failure < policy->failure_count ? policy->failures[failure].name : "?";
}

void recourse_policy_retain(const struct recourse_policy *policy)
{
    if (policy != NULL && policy->retain != NULL) {
        policy->retain(policy);
    }
}

void recourse_policy_release(const struct recourse_policy *policy)
{
    if (policy != NULL && policy->release != NULL) {
        policy->release(policy);
    }
}

uint64_t rcs_policy_tag(const struct recourse_policy *policy)
{
    uint64_t tag = 0;

    for (unsigned i = 0; i < 8; i++) {
        tag |= (uint64_t)policy->behaviour_sha256[i] << 8 * i;
    }
    return tag;
}

bool rcs_policy_name_fits(const char *name, const char *tool)
{
    const size_t size = strlen(name);

    if (size > 0 && name[size - 1] == '*') {
        return strncmp(tool, name, size - 1) == 0;
    }
    return strcmp(tool, name) == 0;
}

const struct recourse_tool_rule *recourse_policy_tool_rule(const struct recourse_policy *policy, const char *tool)
{
    for (uint16_t i = 0; tool != NULL && i < policy->tool_count; i++) {
        if (rcs_policy_name_fits(policy->tools[i].name, tool)) {
            return &policy->tools[i];
        }
    }
    return NULL;
}

bool recourse_policy_tool_is_safe(const struct recourse_policy *policy, const char *tool,
                                  struct recourse_span arguments)
{
    const struct recourse_tool_rule *const rule = recourse_policy_tool_rule(policy, tool);

    if (rule == NULL || rule->replay == RECOURSE_REPLAY_UNSAFE) {
        return false;
    }
    if (rule->replay == RECOURSE_REPLAY_SAFE) {
        return true;
    }
    /* An argument given twice may be read either way by the tool, so it speaks for nothing. */
    return rule->replay == RECOURSE_REPLAY_SAFE_IF && rcs_json_check(arguments, true, NULL) == RCS_JSON_GOOD &&
           rcs_json_type_of(rcs_json_at(arguments, rule->pointer)) == RCS_JSON_TRUE;
}
