/* What a call ends as: the trail of its moves, the reason of a failure, and what the model reads. */
#include "src/run/run.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "src/core/json.h"
#include "src/core/text.h"
#include "src/io/memory.h"

#define TOKEN_CHARACTERS 4u
#define NOTICE_MAX 80u /* longer than any notice of a cut */

static struct recourse_span text_span(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

/* ---- the trail ---- */

/* What a try that has ended gave to the budgets, or took. */
static void note_tokens(const struct rcs_call *call, const struct recourse_decision *decision,
                        struct recourse_trail_step *step)
{
    uint32_t tokens[RECOURSE_BUDGETS_MAX];

    if (rcs_spend_tokens(call, tokens) == NULL) {
        return;
    }
    for (unsigned i = 0; i < call->result.policy->budget_count; i++) {
        step->tokens[i] = (int32_t)decision->tokens[i] - (int32_t)tokens[i];
    }
}

void rcs_result_record(struct rcs_call *call, const struct recourse_decision *decision, const struct rcs_event *event,
                       uint64_t now_ms)
{
    const struct recourse_allocator *allocator = call->turn->run->runner->host.allocator;
    struct recourse_result *result = &call->result;
    size_t count = result->trail_count + decision->trace_count;
    struct recourse_trail_step *trail = (struct recourse_trail_step *)(uintptr_t)result->trail;

    if (count > call->trail_room) {
        size_t room = call->trail_room == 0 ? 2 : 2 * (size_t)call->trail_room;

        room = room < count ? count : room;
        trail = rcs_realloc(allocator, trail, room * sizeof *trail);
        if (trail == NULL) {
            return; /* the call goes on; its trail stays short */
        }
        call->trail_room = (uint32_t)room;
        result->trail = trail;
    }
    result->trail_count = (unsigned)count;
    trail += count - decision->trace_count;
    for (size_t i = 0; i < decision->trace_count; i++) {
        const struct recourse_trace *trace = &decision->trace[i];
        bool last = i + 1 == decision->trace_count;
        bool tried = trace->from == RECOURSE_ATTEMPT;
        bool waits = last && decision->action == RECOURSE_ACTION_WAIT;

        trail[i] = (struct recourse_trail_step){
            .at_ms = now_ms - call->turn->began_ms,
            .event = trace->event,
            .row = trace->row,
            .from = trace->from,
            .to = trace->to,
            .try_number = decision->try_number,
            .effect = tried ? decision->effect : (uint8_t)RECOURSE_EFFECT_NONE,
            .failure = tried || trace->from == RECOURSE_EXHAUSTED ? decision->failure : (uint16_t)RECOURSE_NONE,
            .fact_row = tried ? decision->fact_row : (uint16_t)RECOURSE_NONE,
            .scenario =
                last && decision->action != RECOURSE_ACTION_ATTEMPT ? decision->scenario : (uint16_t)RECOURSE_NONE,
            .http = tried && event->facts != NULL ? event->facts->http : (uint16_t)0,
            .wait_ms = waits ? decision->wait_ms : 0,
            .wait_min_ms = waits ? decision->wait_min_ms : 0,
            .wait_max_ms = waits ? decision->wait_max_ms : 0,
            .server_delay_ms = waits ? decision->server_delay_ms : 0,
        };
        if (i == 0) {
            note_tokens(call, decision, &trail[i]);
        }
    }
}

/* ---- reasons ---- */

static bool says_html(const struct recourse_facts *facts)
{
    for (size_t i = 0; i < facts->header_count; i++) {
        if (rcs_text_equal_folded(facts->headers[i].name, "content-type") &&
            rcs_text_find_folded(facts->headers[i].value, "html")) {
            return true;
        }
    }
    return false;
}

/* A page for browsers says nothing that a model could use. Gateways send them, and do not always say so. */
static bool is_page(const struct recourse_facts *facts, struct recourse_span text)
{
    static const char *const begins[] = {"<!doctype", "<html", "<head", "<body", "<title", "<center", "<h1", "<?xml", "<!--"};
    static const char mark[] = "\xef\xbb\xbf";

    if (text.size >= sizeof mark - 1 && memcmp(text.data, mark, sizeof mark - 1) == 0) {
        text = (struct recourse_span){text.data + sizeof mark - 1, text.size - (sizeof mark - 1)};
    }
    text = rcs_json_trim(text);
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        size_t size = strlen(begins[i]);

        if (text.size >= size && rcs_text_equal_folded((struct recourse_span){text.data, size}, begins[i])) {
            return true;
        }
    }
    return says_html(facts);
}

/* At most so many bytes of a failure's text are looked at by a policy, and kept. Cut where a code point begins. */
static struct recourse_span bounded(struct recourse_span text)
{
    size_t size = RECOURSE_TEXT_MAX;

    if (text.size <= size) {
        return text;
    }
    while (size > RECOURSE_TEXT_MAX - 4 && ((unsigned char)text.data[size] & 0xc0) == 0x80) {
        size--;
    }
    return (struct recourse_span){text.data, size};
}

struct recourse_span rcs_result_reason(const struct rcs_event *event, char room[32])
{
    const struct recourse_facts *facts = event->facts;

    if (facts == NULL) {
        return event->reason;
    }
    if (rcs_json_trim(facts->text).size > 0 && !is_page(facts, facts->text)) {
        return bounded(facts->text);
    }
    if (facts->text.size == 0 && facts->result.size > 0 && !is_page(facts, facts->result)) {
        return bounded(facts->result); /* an error inside an answer that claims success */
    }
    if (facts->detail.size > 0) {
        return facts->detail;
    }
    if (facts->phrase.size > 0 && facts->http >= 300) {
        return facts->phrase;
    }
    if (facts->http >= 300) {
        snprintf(room, 32, "HTTP status %u", facts->http);
        return text_span(room);
    }
    return (struct recourse_span){"", 0};
}

/* ---- content ---- */

/* Code points that a success may have: the call's share of the turn's budget, or the policy's limit. */
static size_t content_limit(const struct rcs_call *call)
{
    const struct recourse_settings *settings = &call->result.policy->settings;
    const struct recourse_turn *turn = call->turn;
    size_t limit = SIZE_MAX;
    size_t share;

    if (settings->output_limit > 0) {
        limit = settings->output_limit;
        limit *= settings->output_tokens ? TOKEN_CHARACTERS : 1u;
    }
    if (turn->token_budget > 0) {
        share = turn->token_budget / turn->count;
        share = (share > 0 ? share : 1) * TOKEN_CHARACTERS;
        limit = share < limit ? share : limit;
    }
    return limit;
}

static struct recourse_span block_at(const struct recourse_facts *facts, uint32_t index)
{
    size_t begin = index == 0 ? 0 : facts->block_ends[index - 1] + 1u; /* behind the line break */

    return (struct recourse_span){facts->result.data + begin, facts->block_ends[index] - begin};
}

/* Cleans what there is room for behind the first `used` bytes. Returns how much there is then. */
static size_t clean_behind(size_t used, struct recourse_span text, char *out, size_t size)
{
    return used + (used < size ? rcs_text_clean(text, out + used, size - used) : rcs_text_clean(text, NULL, 0));
}

/* Cleans the answer, block by block, so that it is known where they end. Returns the length, like rcs_text_clean. */
static size_t clean_result(const struct recourse_facts *facts, char *out, size_t size)
{
    size_t used = 0;

    if (facts->block_count < 2) {
        return rcs_text_clean(facts->result, out, size);
    }
    for (uint32_t i = 0; i < facts->block_count; i++) {
        used = i > 0 ? clean_behind(used, text_span("\n"), out, size) : 0;
        used = clean_behind(used, block_at(facts, i), out, size);
    }
    return used;
}

/* How much of the clean text stays: so many blocks as fit whole, or a part of the first one. */
static size_t keep_blocks(const struct recourse_facts *facts, const char *text, size_t limit)
{
    size_t kept = 0;
    size_t shown = 0;

    for (uint32_t i = 0; i < facts->block_count; i++) {
        size_t begin = kept + (i > 0);
        struct recourse_span block = {text + begin, rcs_text_clean(block_at(facts, i), NULL, 0)};

        shown += rcs_utf8_count(block) + (i > 0);
        if (shown > limit) {
            return i == 0 ? rcs_text_cut(block, limit) : kept;
        }
        kept = begin + block.size;
    }
    return kept;
}

/* Cuts clean text of `*size` bytes in place and says so; there is room for the notice. With facts it is their result. */
static bool cut_content(const struct rcs_call *call, const struct recourse_facts *facts, char *text, size_t *size)
{
    struct recourse_span whole = {text, *size};
    size_t limit = content_limit(call);
    bool blocks = facts != NULL && facts->block_count > 1;
    size_t keep = limit == SIZE_MAX ? *size : blocks ? keep_blocks(facts, text, limit) : rcs_text_cut(whole, limit);
    size_t shown;
    size_t all;

    if (keep >= *size) {
        return false;
    }
    shown = rcs_utf8_count((struct recourse_span){text, keep});
    all = rcs_utf8_count(whole);
    *size = keep + (size_t)snprintf(text + keep, NOTICE_MAX, "%s[truncated: %zu of %zu characters shown]",
                                    keep > 0 && text[keep - 1] != '\n' ? "\n" : "", shown, all);
    return true;
}

/* Text for the result, in one block that the call keeps. NULL: no memory. */
static char *keep_block(struct rcs_call *call, size_t size)
{
    const struct rcs_tool_host *host = &call->turn->run->runner->host;

    call->kept = rcs_alloc(host->allocator, size + 1);
    if (call->kept != NULL) {
        call->kept_size = size + 1;
        rcs_mailbox_charge(host->mailbox, call->kept_size);
    }
    return call->kept;
}

static void out_of_memory(struct rcs_call *call)
{
    call->result.content = text_span("[the result could not be kept: out of memory]");
    call->result.truncated = true;
}

/* Only what is JSON to the letter counts, so that it can be passed on byte for byte; and only an object, but of an MCP server,
   which says itself what is structured. */
static struct recourse_span structured_of(const struct rcs_call *call, const struct recourse_facts *facts)
{
    static const struct recourse_span none = {NULL, 0};
    struct recourse_span text = rcs_json_trim(facts->structured);
    bool any = call->tool != NULL && call->tool->kind == &rcs_kind_mcp;

    if (text.size == 0 || (text.data[0] != '{' && !any) || rcs_json_check(text, false, NULL) != RCS_JSON_GOOD ||
        !rcs_utf8_is_good(text)) {
        return none;
    }
    return text;
}

static bool resize(struct rcs_call *call, size_t size)
{
    const struct rcs_tool_host *host = &call->turn->run->runner->host;
    char *moved;

    if (size == call->kept_size) {
        return true;
    }
    moved = rcs_realloc(host->allocator, call->kept, size);
    if (moved == NULL) {
        return false;
    }
    rcs_mailbox_charge(host->mailbox, size);
    rcs_mailbox_give_back(host->mailbox, call->kept_size);
    call->kept = moved;
    call->kept_size = size;
    return true;
}

static void make_success(struct rcs_call *call, const struct recourse_facts *facts)
{
    struct recourse_result *result = &call->result;
    struct recourse_span structured = structured_of(call, facts);
    size_t size = clean_result(facts, NULL, 0);
    char *block = keep_block(call, size + (content_limit(call) < SIZE_MAX ? NOTICE_MAX : 0));
    bool is_all;

    if (block == NULL) {
        out_of_memory(call);
        return;
    }
    clean_result(facts, block, size + 1);
    result->truncated = cut_content(call, facts, block, &size);
    is_all = size > 0 && structured.size == size && memcmp(structured.data, block, size) == 0;
    if (!resize(call, size + (is_all ? 0 : structured.size) + 1)) {
        structured.size = is_all ? size : 0; /* what there is stays, a little larger than it need be */
    }
    result->content = (struct recourse_span){call->kept, size};
    if (structured.size == 0) {
        return;
    }
    result->structured = result->content; /* an answer that is nothing else: kept once */
    if (!is_all) {
        memcpy(call->kept + size, structured.data, structured.size);
        result->structured = (struct recourse_span){call->kept + size, structured.size};
    }
}

static void make_failure(struct rcs_call *call, const struct recourse_decision *decision, const struct rcs_event *event)
{
    struct recourse_result *result = &call->result;
    char room[32];
    struct recourse_span reason = rcs_result_reason(event, room);
    struct recourse_message_values values = {
        .tool = result->tool,
        .call = result->call,
        .reason = reason,
        .tries = result->tries,
        .event = decision->event,
        .http = decision->http,
        .server_delay_ms = decision->server_delay_ms,
        .reminder = decision->reminder == RECOURSE_REMINDER_YES,
    };
    bool has_message = decision->message != RECOURSE_NONE;
    size_t detail = rcs_text_clean(reason, NULL, 0);
    size_t message = has_message ? recourse_message_render(result->policy, decision->message, &values, NULL, 0) : 0;
    size_t content = has_message ? message : detail;
    char *block = keep_block(call, detail + content + NOTICE_MAX);

    if (block == NULL) {
        out_of_memory(call);
        return;
    }
    rcs_text_clean(reason, block, detail + 1);
    result->detail = (struct recourse_span){block, detail};
    if (has_message) {
        (void)recourse_message_render(result->policy, decision->message, &values, block + detail, message + 1);
    } else { /* the tool's own words, bounded like those of a success */
        memcpy(block + detail, block, detail);
        result->truncated = cut_content(call, NULL, block + detail, &content);
    }
    result->content = (struct recourse_span){block + detail, content};
}

void rcs_result_make(struct rcs_call *call, const struct recourse_decision *decision, const struct rcs_event *event)
{
    struct recourse_result *result = &call->result;

    assert(decision->trace_count > 0);
    result->success = decision->event == RECOURSE_EVENT_OK;
    result->tell = decision->tell;
    result->reminder = decision->reminder;
    result->reason = decision->reason;
    result->scenario = decision->scenario;
    result->row = decision->trace[decision->trace_count - 1].row;
    result->event = decision->event;
    result->failure = decision->failure;
    result->http = decision->http;
    result->tries = call->machine.try_number;
    if (result->success) {
        make_success(call, event->facts);
    } else {
        make_failure(call, decision, event);
    }
}

void rcs_result_broken(struct rcs_call *call, int code)
{
    struct recourse_result *result = &call->result;

    result->success = false;
    result->tell = RECOURSE_TELL_MODEL;
    result->reminder = RECOURSE_REMINDER_YES;
    result->scenario = RECOURSE_NONE;
    result->row = RECOURSE_NONE;
    result->event = RECOURSE_EVENT_CANCELLED;
    result->failure = RECOURSE_NONE;
    result->content = text_span("Error: the call could not be carried on, and may have taken effect.");
    result->detail = text_span(recourse_code_text(code));
}
