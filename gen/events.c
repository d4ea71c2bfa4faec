#include "gen/spec.h"

#define IN(table) (1u << (table))

/* The events that every policy has, and the tables that know them. Failures belong to attempt and exhausted. */
static const struct {
    const char *name;
    uint8_t tables;
    bool other; /* may be taken by `other` */
} events[] = {
    [RECOURSE_EVENT_READY] = {"ready", IN(RECOURSE_PRECONDITION), false},
    [RECOURSE_EVENT_MISSING_NAME] = {"missing_name", IN(RECOURSE_PRECONDITION), true},
    [RECOURSE_EVENT_UNKNOWN_TOOL] = {"unknown_tool", IN(RECOURSE_PRECONDITION), true},
    [RECOURSE_EVENT_AMBIGUOUS_TOOL] = {"ambiguous_tool", IN(RECOURSE_PRECONDITION), true},
    [RECOURSE_EVENT_BAD_ARGUMENTS] = {"bad_arguments", IN(RECOURSE_PRECONDITION), true},
    [RECOURSE_EVENT_TRUNCATED_CALL] = {"truncated_call", IN(RECOURSE_PRECONDITION), true},
    [RECOURSE_EVENT_DUPLICATE_CALL] = {"duplicate_call", IN(RECOURSE_PRECONDITION), true},
    [RECOURSE_EVENT_SENSITIVE_ARGUMENTS] = {"sensitive_arguments", IN(RECOURSE_PRECONDITION), true},
    [RECOURSE_EVENT_REPEATED_FAILURE] = {"repeated_failure", IN(RECOURSE_PRECONDITION), true},
    [RECOURSE_EVENT_REFUSED] = {"refused", IN(RECOURSE_PRECONDITION), true},
    [RECOURSE_EVENT_UNANSWERED_APPROVAL] = {"unanswered_approval", IN(RECOURSE_PRECONDITION), true},
    [RECOURSE_EVENT_DEADLINE] = {"deadline", IN(RECOURSE_PRECONDITION) | IN(RECOURSE_ATTEMPT) | IN(RECOURSE_EXHAUSTED),
                                 true},
    [RECOURSE_EVENT_CANCELLED] = {"cancelled", IN(RECOURSE_PRECONDITION) | IN(RECOURSE_ATTEMPT) | IN(RECOURSE_BACKOFF),
                                  false},
    [RECOURSE_EVENT_CIRCUIT_OPEN] = {"circuit_open", IN(RECOURSE_PRECONDITION) | IN(RECOURSE_BACKOFF), true},
    [RECOURSE_EVENT_UNRECORDED] = {"unrecorded", IN(RECOURSE_ATTEMPT), false},
    [RECOURSE_EVENT_ELAPSED] = {"elapsed", IN(RECOURSE_BACKOFF), false},
    [RECOURSE_EVENT_OK] = {"ok", IN(RECOURSE_ATTEMPT), false},
};

_Static_assert(sizeof events / sizeof *events == RECOURSE_EVENT_FAILURE, "an entry for each fixed event");

unsigned rcs_event_end(const struct rcs_spec *spec)
{
    return RECOURSE_EVENT_FAILURE + (unsigned)spec->failure_count;
}

const char *rcs_spec_event_name(const struct rcs_spec *spec, uint16_t event)
{
    if (event < RECOURSE_EVENT_FAILURE) {
        return events[event].name;
    }
    return event < rcs_event_end(spec) ? spec->failures[event - RECOURSE_EVENT_FAILURE].name : "?";
}

bool rcs_event_in_table(const struct rcs_spec *spec, uint8_t table, uint16_t event)
{
    if (table >= RECOURSE_REPORTED || event >= rcs_event_end(spec)) {
        return false;
    }
    if (event >= RECOURSE_EVENT_FAILURE) {
        return table == RECOURSE_ATTEMPT || table == RECOURSE_EXHAUSTED;
    }
    return (events[event].tables & IN(table)) != 0;
}

bool rcs_event_is_live(const struct rcs_spec *spec, uint16_t event)
{
    switch (event) {
    case RECOURSE_EVENT_SENSITIVE_ARGUMENTS:
        return spec->settings.sensitive_values != NULL || spec->settings.sensitive_names != NULL;
    case RECOURSE_EVENT_REPEATED_FAILURE:
        return spec->settings.repeated_failures != 0;
    case RECOURSE_EVENT_CIRCUIT_OPEN:
        return spec->breaker_count > 0;
    case RECOURSE_EVENT_UNRECORDED:
        return spec->settings.audit_refuse;
    default:
        return event < rcs_event_end(spec);
    }
}

bool rcs_event_other_takes(const struct rcs_spec *spec, uint8_t table, uint16_t event)
{
    return rcs_event_in_table(spec, table, event) && (event >= RECOURSE_EVENT_FAILURE || events[event].other);
}
