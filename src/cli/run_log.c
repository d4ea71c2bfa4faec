#include "run_log.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "src/core/text.h"

#define NAME_MAX_SHOWN 80u

static const char *one_line(struct rcs_arena *arena, struct recourse_span text, uint32_t max)
{
    size_t size = rcs_text_reason(text, max, NULL, 0);
    char *line = rcs_arena_alloc(arena, size + 1);

    rcs_text_reason(text, max, line, size);
    return line;
}

const char *rcs_log_name(struct rcs_arena *arena, struct recourse_span name, uint32_t max)
{
    return name.size == 0 ? "(no name)" : one_line(arena, name, max);
}

/* " [lightspeed A2, line 47; E1, line 60]" */
static const char *rows(struct rcs_arena *arena, const struct recourse_observation *observation)
{
    const struct recourse_policy *policy = observation->policy;
    const struct recourse_decision *decision = observation->decision;
    const char *text = rcs_arena_format(arena, " [%s", policy->name);

    for (unsigned i = 0; i < decision->trace_count; i++) {
        const struct recourse_row *row = &policy->rows[decision->trace[i].row];

        text = rcs_arena_format(arena, "%s%s%s, line %u", text, i == 0 ? " " : "; ", row->id, row->line);
    }
    return rcs_arena_format(arena, "%s]", text);
}

static const char *times(struct rcs_arena *arena, const char *before, uint32_t count, const char *what)
{
    return count == 0 ? before
                      : rcs_arena_format(arena, "%s%s %u %s%s", before, *before == '\0' ? " after" : " and", count, what,
                                         count == 1 ? "" : "s");
}

/* " after 2 rounds and 1 resume", where an MCP server asked back, or its answer was read on. */
static const char *resumed(struct rcs_arena *arena, const struct recourse_facts *facts)
{
    return facts == NULL ? "" : times(arena, times(arena, "", facts->rounds, "round"), facts->resumes, "resume");
}

/* What happened: "transient on try 1/3", or the event alone where no try was made. */
static const char *happened(struct rcs_arena *arena, const struct recourse_observation *observation)
{
    const struct recourse_policy *policy = observation->policy;
    const struct recourse_decision *decision = observation->decision;
    const char *event = recourse_policy_event_name(policy, decision->event);

    if (decision->try_number == 0) {
        return event;
    }
    return rcs_arena_format(arena, "%s on try %u/%u%s", event, decision->try_number, policy->settings.tries,
                            resumed(arena, observation->facts));
}

static const char *decided(struct rcs_arena *arena, const struct recourse_observation *observation)
{
    const struct recourse_decision *decision = observation->decision;
    const char *reason = decision->reason == RECOURSE_REASON_NONE
                             ? ""
                             : rcs_arena_format(arena, "%s, ", recourse_reason_name(decision->reason));
    char text[RCS_DURATION_SIZE];

    if (decision->action == RECOURSE_ACTION_WAIT) {
        return rcs_arena_format(arena, "waits %s%s", rcs_duration_text(decision->wait_ms, text),
                                decision->server_obeyed ? ", as the server asked" : "");
    }
    return rcs_arena_format(arena, "%sreported as %s to %s", reason,
                            decision->scenario == RECOURSE_NONE
                                ? "-"
                                : observation->policy->scenarios[decision->scenario].label,
                            decision->tell == RECOURSE_TELL_NOBODY ? "nobody" : recourse_tell_name(decision->tell));
}

const char *rcs_log_line(struct rcs_arena *arena, const struct recourse_observation *observation)
{
    const struct recourse_decision *decision = observation->decision;
    const char *tool = rcs_log_name(arena, observation->tool, NAME_MAX_SHOWN);
    const char *detail = one_line(arena, observation->detail, UINT32_MAX);

    if (decision->action == RECOURSE_ACTION_ATTEMPT) {
        return rcs_arena_format(arena, "%s: try %u/%u begins%s", tool, decision->try_number,
                                observation->policy->settings.tries, rows(arena, observation));
    }
    return rcs_arena_format(arena, "%s: %s, %s%s%s%s", tool, happened(arena, observation), decided(arena, observation),
                            rows(arena, observation), *detail == '\0' ? "" : ": ", detail);
}

void rcs_log_note(const struct rcs_secrets *secrets, struct recourse_span server, struct recourse_span text)
{
    struct rcs_arena arena = {0};
    const char *line = one_line(&arena, text, UINT32_MAX);

    fprintf(stderr, "server %s: %s\n", rcs_log_name(&arena, server, NAME_MAX_SHOWN),
            rcs_secrets_hide_text(&arena, secrets, line));
    rcs_arena_clear(&arena);
}
