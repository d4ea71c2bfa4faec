/* What is looked at before a tool is touched, in the order that the design lays down. */
#include "src/run/run.h"

#include <stdio.h>
#include <string.h>

#include "src/core/json.h"
#include "src/core/text.h"
#include "src/io/buffer.h"
#include "src/run/same.h"

#define NAME_MAX_SHOWN 64u /* code points of a name that somebody else chose */
#define TOOLS_LISTED 20u

/* A reason that is being written. */
struct words {
    char *text;
    size_t used;
};

static void say(struct words *words, const char *text)
{
    size_t room = RCS_REASON_MAX - 1 - words->used;
    size_t size = strlen(text);

    if (size > room) {
        return; /* all of a word or nothing */
    }
    memcpy(words->text + words->used, text, size + 1);
    words->used += size;
}

static void say_number(struct words *words, size_t number)
{
    char text[24];

    snprintf(text, sizeof text, "%zu", number);
    say(words, text);
}

/* A name that the model chose: cleaned, and cut. */
static void say_name(struct words *words, struct recourse_span name)
{
    char text[4 * NAME_MAX_SHOWN + 1];

    (void)rcs_text_reason(name, NAME_MAX_SHOWN, text, sizeof text);
    say(words, "'");
    say(words, text);
    say(words, "'");
}

/* ---- preparing ---- */

struct recourse_span rcs_call_arguments(const struct rcs_call *call)
{
    static const struct recourse_span empty = {"{}", 2};
    struct recourse_span trimmed = rcs_json_trim(call->arguments);

    if (trimmed.size == 0 || rcs_json_type_of(trimmed) == RCS_JSON_NULL) {
        return empty;
    }
    return call->arguments;
}

static bool is_safe(const struct rcs_call *call)
{
    const struct recourse_policy *policy = call->result.policy;
    const struct recourse_tool *config;

    if (call->tool == NULL || call->tool->config.declared_unsafe) {
        return false;
    }
    config = &call->tool->config;
    if (recourse_policy_tool_rule(policy, config->name) != NULL) {
        return recourse_policy_tool_is_safe(policy, config->name, rcs_call_arguments(call));
    }
    return config->declared_safe;
}

int rcs_precondition_prepare(struct rcs_call *call)
{
    struct recourse_runner *runner = call->turn->run->runner;
    int code;

    if (call->lists) {
        call->bearers = 1;
    } else {
        call->tool = rcs_runner_tool(runner, call->result.tool, &call->bearers);
    }
    rcs_call_hold_policy(call, call->tool != NULL && call->tool->config.policy != NULL ? call->tool->config.policy
                                                                                      : runner->policy);
    call->safe = is_safe(call);
    code = rcs_spend_join(call);
    return code != 0 ? code : recourse_call_init(&call->machine, call->result.policy, call->turn->began_ms, call->turn->deadline_ms,
                              call->safe);
}

/* ---- the checks: each is true if the call may not be run, and says why ---- */

static bool misses_name(struct rcs_call *call, struct words *words)
{
    if (rcs_text_trim(call->result.tool).size > 0) {
        return false;
    }
    say(words, "name missing from the tool call");
    return true;
}

static bool is_cut_off(struct rcs_call *call, struct words *words)
{
    if (!call->truncated) {
        return false;
    }
    say(words, "the reply was cut off, so the call may be incomplete; if it was too long, make it shorter");
    return true;
}

static bool has_bad_arguments(struct rcs_call *call, struct words *words)
{
    static const char *const faults[] = {
        [RCS_JSON_GOOD] = "another value",
        [RCS_JSON_BAD] = "unexpected byte",
        [RCS_JSON_UNENDED] = "the text ends too early",
        [RCS_JSON_TOO_DEEP] = "nested too deep",
        [RCS_JSON_DUPLICATE] = "a key for the second time",
        [RCS_JSON_TOO_MANY] = "too many keys",
    };
    struct recourse_span arguments = rcs_call_arguments(call);
    size_t offset = 0;
    enum rcs_json_fault fault = rcs_json_check(arguments, true, &offset);

    if (fault == RCS_JSON_GOOD) {
        if (rcs_json_type_of(arguments) == RCS_JSON_OBJECT) {
            return false;
        }
        offset = (size_t)(rcs_json_trim(arguments).data - arguments.data);
    }
    say(words, fault == RCS_JSON_DUPLICATE ? "arguments are ambiguous: " : "arguments are no JSON object: ");
    say(words, faults[fault]);
    say(words, " at offset ");
    say_number(words, offset);
    return true;
}

static bool is_duplicate(struct rcs_call *call, struct words *words)
{
    if (!call->duplicate) {
        return false;
    }
    say(words, "call id ");
    say_name(words, call->result.call);
    say(words, " was used before in this turn");
    return true;
}

/* Behind the string that begins at `at`. */
static size_t string_end(struct recourse_span text, size_t at)
{
    for (at++; at < text.size && text.data[at] != '"'; at++) {
        at += text.data[at] == '\\';
    }
    return at < text.size ? at + 1 : text.size;
}

/* The bytes of a value with its strings unescaped, so that no escape hides anything. */
static int unescape_all(struct recourse_span value, struct rcs_buffer *text)
{
    size_t at = 0;
    size_t end;
    size_t size;
    int code = 0;

    rcs_buffer_reset(text);
    while (at < value.size && code == 0) {
        if (value.data[at] != '"') {
            code = rcs_buffer_append_byte(text, value.data[at++]);
            continue;
        }
        end = string_end(value, at);
        size = rcs_json_unescape((struct recourse_span){value.data + at, end - at}, NULL, 0);
        code = rcs_buffer_reserve(text, size);
        if (code == 0) {
            rcs_json_unescape((struct recourse_span){value.data + at, end - at}, text->data + text->size, size);
            text->size += size;
        }
        at = end;
    }
    return code;
}

/* Whether one of `needles` is in the value as it reads. An error counts as found. */
static bool holds_one_of(struct recourse_span value, const char *const *needles, struct rcs_buffer *scratch)
{
    struct recourse_span text = value;

    if (needles == NULL || value.size == 0) {
        return false;
    }
    if (memchr(value.data, '\\', value.size) != NULL) {
        if (unescape_all(value, scratch) != 0) {
            return true;
        }
        text = rcs_buffer_span(scratch);
    }
    for (; *needles != NULL; needles++) {
        if (rcs_text_find_folded(text, *needles)) {
            return true;
        }
    }
    return false;
}

/* Whether a key within the value, at any depth, holds one of `names`: a string with a colon behind it is a key. */
static bool holds_sensitive_key(struct recourse_span value, const char *const *names, struct rcs_buffer *scratch)
{
    size_t at = 0;

    while (names != NULL && at < value.size) {
        size_t end = at + 1;
        size_t next;

        if (value.data[at] == '"') {
            end = string_end(value, at);
            for (next = end; next < value.size && strchr(" \t\r\n", value.data[next]) != NULL; next++) {
            }
            if (next < value.size && value.data[next] == ':' &&
                holds_one_of((struct recourse_span){value.data + at, end - at}, names, scratch)) {
                return true;
            }
        }
        at = end;
    }
    return false;
}

static bool is_sensitive(struct rcs_call *call, struct words *words)
{
    const struct recourse_settings *settings = &call->result.policy->settings;
    struct recourse_span key;
    struct recourse_span value;
    struct rcs_buffer scratch;
    struct recourse_span arguments = rcs_call_arguments(call);
    size_t at = 0;
    bool found = false;

    if (settings->sensitive_values == NULL && settings->sensitive_names == NULL) {
        return false;
    }
    rcs_buffer_init(&scratch, call->turn->run->runner->host.allocator, SIZE_MAX / 2);
    while (!found && rcs_json_next(arguments, &at, &key, &value)) {
        found = holds_one_of(value, settings->sensitive_values, &scratch) ||
                holds_one_of(key, settings->sensitive_names, &scratch) ||
                holds_sensitive_key(value, settings->sensitive_names, &scratch);
    }
    if (found) {
        say(words, "sensitive arguments: ");
        if (unescape_all(key, &scratch) == 0) {
            say_name(words, rcs_buffer_span(&scratch));
        }
    }
    rcs_buffer_clear(&scratch);
    return found;
}

static void list_tools(const struct recourse_runner *runner, struct words *words)
{
    const struct rcs_tool *tool = runner->tools;
    size_t listed = 0;

    say(words, tool == NULL ? "; there are no tools" : "; there are: ");
    for (; tool != NULL && listed < TOOLS_LISTED; tool = tool->next, listed++) {
        say(words, listed > 0 ? ", " : "");
        say_name(words, (struct recourse_span){tool->config.name, tool->name_size});
    }
    say(words, tool != NULL ? " and more" : "");
}

static bool is_unknown(struct rcs_call *call, struct words *words)
{
    if (call->bearers > 0) {
        return false;
    }
    say(words, "tool ");
    say_name(words, call->result.tool);
    say(words, " not found");
    list_tools(call->turn->run->runner, words);
    return true;
}

/* Where they are, for those that are of a server. */
static void say_servers(const struct recourse_runner *runner, struct recourse_span name, struct words *words)
{
    const char *before = ", of servers ";

    for (const struct rcs_tool *tool = runner->tools; tool != NULL; tool = tool->next) {
        if (tool->mcp != NULL && tool->name_size == name.size && memcmp(tool->config.name, name.data, name.size) == 0) {
            say(words, before);
            say_name(words, (struct recourse_span){tool->config.server, strlen(tool->config.server)});
            before = ", ";
        }
    }
}

static bool is_ambiguous(struct rcs_call *call, struct words *words)
{
    if (call->bearers <= 1) {
        return false;
    }
    say_number(words, call->bearers);
    say(words, " tools found with the name ");
    say_name(words, call->result.tool);
    say_servers(call->turn->run->runner, call->result.tool, words);
    return true;
}

static bool has_failed_before(struct rcs_call *call, struct words *words)
{
    struct recourse_run *run = call->turn->run;
    uint32_t times = call->result.policy->settings.repeated_failures;
    uint32_t count;

    if (times == 0) {
        return false;
    }
    if (call->same == 0) {
        call->same =
            rcs_same_call(run->runner->host.allocator, run->runner->seed, call->result.tool, rcs_call_arguments(call));
    }
    count = rcs_repeat_count(&run->failed, call->same);
    if (count < times) {
        return false;
    }
    say(words, "this call has failed ");
    say_number(words, count);
    say(words, count == 1 ? " time with the same arguments" : " times with the same arguments");
    say(words, ": change them, or go on without it");
    return true;
}

struct rcs_event rcs_precondition_check_again(struct rcs_call *call, char text[RCS_REASON_MAX])
{
    struct rcs_event event = {.event = RECOURSE_EVENT_READY};
    struct words words = {text, 0};

    if (has_failed_before(call, &words)) {
        event.event = RECOURSE_EVENT_REPEATED_FAILURE;
        event.reason = (struct recourse_span){text, words.used};
    }
    return event;
}

struct rcs_event rcs_precondition_check(struct rcs_call *call, char text[RCS_REASON_MAX])
{
    static const struct {
        uint16_t event;
        bool (*fails)(struct rcs_call *call, struct words *words);
    } checks[] = {
        {RECOURSE_EVENT_MISSING_NAME, misses_name},
        {RECOURSE_EVENT_TRUNCATED_CALL, is_cut_off},
        {RECOURSE_EVENT_BAD_ARGUMENTS, has_bad_arguments},
        {RECOURSE_EVENT_DUPLICATE_CALL, is_duplicate},
        {RECOURSE_EVENT_SENSITIVE_ARGUMENTS, is_sensitive},
        {RECOURSE_EVENT_UNKNOWN_TOOL, is_unknown},
        {RECOURSE_EVENT_AMBIGUOUS_TOOL, is_ambiguous},
        {RECOURSE_EVENT_REPEATED_FAILURE, has_failed_before},
    };
    struct rcs_event event = {.event = RECOURSE_EVENT_READY};
    struct words words = {text, 0};

    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        words.used = 0;
        if (checks[i].fails(call, &words)) {
            event.event = checks[i].event;
            event.reason = (struct recourse_span){text, words.used};
            break;
        }
    }
    return event;
}
