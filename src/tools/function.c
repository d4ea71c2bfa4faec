/*
 * Function tools. An invocation outlives its try: a function that was cancelled or timed out runs on, perhaps after its
 * runner is gone. It has two holders, the runner (until the try is over or forgotten) and the function (until it
 * answers; then its letter in the mailbox).
 */
#include "src/tools/tools.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "src/io/memory.h"

/* A blocking function waits for a thread at first; it can be kept from ever starting. */
enum stage { STAGE_WAITING = 0, STAGE_RUNNING = 1, STAGE_DROPPED = 2 };

/* An answer with all that it points to behind it. */
struct answer {
    struct recourse_facts facts;
    size_t charged; /* in the mailbox's bound */
};

struct recourse_invocation {
    struct rcs_try base;
    struct rcs_mail mail; /* the answer; first posted by the function, then opened by the runner */
    struct rcs_mailbox *mailbox;
    atomic_uint references;
    atomic_uint stage;
    atomic_bool cancelled;
    atomic_bool answered;
    atomic_int cancel_fd; /* -1: nobody asked for it yet */
    struct answer *answer; /* written before the letter is posted, read after it is taken */
    recourse_function *function;
    void *function_user;
    size_t body_max;
    size_t charged;        /* in the mailbox's bound: the copy of the arguments */
    uint64_t started_ms;   /* of the port's clock */
    uint64_t deadline_ms;  /* likewise */
    uint64_t real_ms;      /* CLOCK_MONOTONIC at the start */
    unsigned number;
    char key[33];
    struct recourse_span call_id;
    const char *traceparent; /* NULL: none */
    const char *tracestate;  /* likewise */
    struct recourse_span arguments;
    /* The rest belongs to the runner's thread. */
    void (*ended)(void *user, const struct recourse_facts *facts);
    void *user;
    bool stopped;
};

static struct recourse_invocation *invocation_of_mail(struct rcs_mail *mail)
{
    return (struct recourse_invocation *)(void *)((char *)mail - offsetof(struct recourse_invocation, mail));
}

static uint64_t real_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

static void drop_answer(struct recourse_invocation *invocation)
{
    if (invocation->answer != NULL) {
        rcs_mailbox_give_back(invocation->mailbox, invocation->answer->charged);
        rcs_free(rcs_mailbox_allocator(invocation->mailbox), invocation->answer);
        invocation->answer = NULL;
    }
}

static void release(struct recourse_invocation *invocation)
{
    struct rcs_mailbox *mailbox = invocation->mailbox;
    int fd;

    if (atomic_fetch_sub(&invocation->references, 1) > 1) {
        return;
    }
    drop_answer(invocation);
    fd = atomic_load(&invocation->cancel_fd);
    if (fd >= 0) {
        close(fd);
    }
    rcs_mailbox_give_back(mailbox, invocation->charged);
    rcs_free(rcs_mailbox_allocator(mailbox), invocation);
    rcs_mailbox_release(mailbox);
}

/* ---- answers ---- */

static void read_completion(const struct recourse_completion *completion, struct recourse_facts *facts)
{
    static const char none[] = "the function gave no answer that can be read";

    memset(facts, 0, sizeof *facts);
    if (completion != NULL && completion->answer == RECOURSE_ANSWER_OK) {
        facts->result = completion->content;
        facts->structured = completion->structured;
    } else if (completion != NULL && completion->answer == RECOURSE_ANSWER_ERROR) {
        facts->tool_error = true;
        facts->text = completion->content;
        facts->json = completion->structured;
    } else if (completion != NULL && completion->answer == RECOURSE_ANSWER_FACTS && completion->facts != NULL) {
        *facts = *completion->facts;
        if (completion->content.size > 0 && recourse_facts_claim_success(facts)) {
            facts->result = completion->content;
        } else if (completion->content.size > 0) {
            facts->text = completion->content;
        }
        if (completion->structured.size > 0) {
            facts->structured = completion->structured;
        }
    } else {
        facts->protocol = true;
        facts->detail = (struct recourse_span){none, sizeof none - 1};
    }
    facts->tool = NULL; /* the runner knows the name */
}

static size_t facts_size(const struct recourse_facts *facts)
{
    size_t size =
        facts->phrase.size + facts->text.size + facts->json.size + facts->result.size + facts->structured.size +
        facts->detail.size;

    for (size_t i = 0; i < facts->header_count; i++) {
        size += sizeof facts->headers[i] + facts->headers[i].name.size + facts->headers[i].value.size;
    }
    return size;
}

static void keep_span(char **at, struct recourse_span *span)
{
    if (span->size > 0) {
        memcpy(*at, span->data, span->size);
    }
    span->data = *at;
    *at += span->size;
}

static void keep_facts(struct answer *answer, const struct recourse_facts *facts)
{
    struct recourse_header *headers = (struct recourse_header *)(answer + 1);
    char *at = (char *)(headers + facts->header_count);

    answer->facts = *facts;
    for (size_t i = 0; i < facts->header_count; i++) {
        headers[i] = facts->headers[i];
        keep_span(&at, &headers[i].name);
        keep_span(&at, &headers[i].value);
    }
    answer->facts.headers = headers;
    keep_span(&at, &answer->facts.phrase);
    keep_span(&at, &answer->facts.text);
    keep_span(&at, &answer->facts.json);
    keep_span(&at, &answer->facts.result);
    keep_span(&at, &answer->facts.structured);
    keep_span(&at, &answer->facts.detail);
}

/* NULL if the answer is beyond a bound, or no memory is left for it. */
static struct answer *keep_answer(struct recourse_invocation *invocation, const struct recourse_completion *completion)
{
    const struct recourse_allocator *allocator = rcs_mailbox_allocator(invocation->mailbox);
    struct recourse_facts facts;
    struct answer *answer;
    size_t size;

    read_completion(completion, &facts);
    size = facts_size(&facts);
    answer = size <= invocation->body_max ? rcs_alloc(allocator, sizeof *answer + size) : NULL;
    if (answer == NULL) {
        return NULL;
    }
    rcs_mailbox_charge(invocation->mailbox, size); /* it is there already: it can't be kept from coming */
    answer->charged = size;
    keep_facts(answer, &facts);
    return answer;
}

/* The function's hold goes over to the letter. */
static void post(struct recourse_invocation *invocation)
{
    if (!rcs_mailbox_post(invocation->mailbox, &invocation->mail)) {
        release(invocation);
    }
}

void recourse_invocation_complete(struct recourse_invocation *invocation, const struct recourse_completion *completion)
{
    if (atomic_exchange(&invocation->answered, true)) {
        return;
    }
    if (!atomic_load(&invocation->cancelled)) {
        invocation->answer = keep_answer(invocation, completion);
    }
    post(invocation);
}

static void open_answer(struct rcs_mail *mail)
{
    static const char lost[] = "the answer is too large to be kept";
    struct recourse_invocation *invocation = invocation_of_mail(mail);
    struct recourse_facts large = {.too_large = true, .text = {lost, sizeof lost - 1}};

    if (invocation->ended != NULL) {
        if (invocation->stopped) {
            invocation->ended(invocation->user, NULL);
        } else {
            invocation->ended(invocation->user, invocation->answer != NULL ? &invocation->answer->facts : &large);
        }
        release(invocation); /* the runner's hold */
    }
    release(invocation);
}

/* ---- what a function may ask ---- */

struct recourse_span recourse_invocation_arguments(const struct recourse_invocation *invocation)
{
    return invocation->arguments;
}

struct recourse_span recourse_invocation_call_id(const struct recourse_invocation *invocation)
{
    return invocation->call_id;
}

const char *recourse_invocation_idempotency_key(const struct recourse_invocation *invocation)
{
    return invocation->key;
}

const char *recourse_invocation_traceparent(const struct recourse_invocation *invocation)
{
    return invocation->traceparent;
}

const char *recourse_invocation_tracestate(const struct recourse_invocation *invocation)
{
    return invocation->tracestate;
}

unsigned recourse_invocation_try(const struct recourse_invocation *invocation)
{
    return invocation->number;
}

/* The port's clock belongs to another thread: its last known value counts, or real time if more of that has gone by. */
uint64_t recourse_invocation_time_left_ms(const struct recourse_invocation *invocation)
{
    uint64_t seen = rcs_mailbox_now(invocation->mailbox);
    uint64_t elapsed = real_now_ms() - invocation->real_ms;
    uint64_t whole;

    if (invocation->deadline_ms == RECOURSE_FOREVER) {
        return RECOURSE_FOREVER;
    }
    if (seen > invocation->started_ms && seen - invocation->started_ms > elapsed) {
        elapsed = seen - invocation->started_ms;
    }
    whole = invocation->deadline_ms > invocation->started_ms ? invocation->deadline_ms - invocation->started_ms : 0;
    return elapsed < whole ? whole - elapsed : 0;
}

bool recourse_invocation_cancelled(const struct recourse_invocation *invocation)
{
    return atomic_load(&invocation->cancelled);
}

static void signal_fd(int fd)
{
    uint64_t one = 1;

    if (fd >= 0 && write(fd, &one, sizeof one) < 0) {
        return; /* its counter is full: it is readable already */
    }
}

int recourse_invocation_cancel_fd(struct recourse_invocation *invocation)
{
    int known = atomic_load(&invocation->cancel_fd);
    int made;

    if (known >= 0) {
        return known;
    }
    made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (made < 0) {
        return -1;
    }
    if (!atomic_compare_exchange_strong(&invocation->cancel_fd, &known, made)) {
        close(made);
        return known;
    }
    /* Whoever cancels sets the flag first and looks for the descriptor then: one of the two writes. */
    if (atomic_load(&invocation->cancelled)) {
        signal_fd(made);
    }
    return made;
}

/* ---- the kind ---- */

static int check(const struct recourse_tool *config, struct recourse_error *error)
{
    if (config->function == NULL) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s' needs a function", config->name);
    }
    return 0;
}

/* With its NUL. */
static size_t text_size(const char *text)
{
    return text != NULL ? strlen(text) + 1 : 0;
}

static const char *keep_text(char **at, const char *text)
{
    size_t size = text_size(text);
    char *kept = *at;

    if (text == NULL) {
        return NULL;
    }
    memcpy(kept, text, size);
    *at += size;
    return kept;
}

static struct recourse_invocation *make_invocation(const struct rcs_tool_host *host, const struct rcs_try_order *order)
{
    struct recourse_invocation *made;
    size_t trace = text_size(rcs_try_traceparent(order->trace)) + text_size(rcs_try_tracestate(order->trace));
    char *at;

    made = rcs_alloc(host->allocator, sizeof *made + order->call_id.size + order->arguments.size + trace);
    if (made == NULL) {
        return NULL;
    }
    memset(made, 0, sizeof *made);
    made->base.kind = &rcs_kind_function;
    made->mail.open = open_answer;
    made->mailbox = host->mailbox;
    rcs_mailbox_hold(made->mailbox);
    atomic_init(&made->references, 2);
    atomic_init(&made->stage, STAGE_WAITING);
    atomic_init(&made->cancelled, false);
    atomic_init(&made->answered, false);
    atomic_init(&made->cancel_fd, -1);
    made->function = order->tool->config.function;
    made->function_user = order->tool->config.user;
    made->body_max = host->body_max;
    made->started_ms = rcs_mailbox_now(host->mailbox);
    made->deadline_ms = order->deadline_ms;
    made->real_ms = real_now_ms();
    made->number = order->number;
    rcs_tool_key(order->key, made->key);
    at = (char *)(made + 1);
    made->call_id = order->call_id;
    keep_span(&at, &made->call_id);
    made->arguments = order->arguments;
    keep_span(&at, &made->arguments);
    made->traceparent = keep_text(&at, rcs_try_traceparent(order->trace));
    made->tracestate = keep_text(&at, rcs_try_tracestate(order->trace));
    made->charged = order->arguments.size;
    rcs_mailbox_charge(made->mailbox, made->charged);
    made->ended = order->ended;
    made->user = order->user;
    return made;
}

/* On a thread of the port. */
static void run_blocking(void *user)
{
    struct recourse_invocation *invocation = user;
    unsigned waiting = STAGE_WAITING;

    if (atomic_compare_exchange_strong(&invocation->stage, &waiting, STAGE_RUNNING)) {
        invocation->function(invocation->function_user, invocation);
    } else {
        release(invocation);
    }
}

static int start(const struct rcs_tool_host *host, const struct rcs_try_order *order, struct rcs_try **try)
{
    struct recourse_invocation *invocation = make_invocation(host, order);
    int code;

    if (invocation == NULL) {
        return RECOURSE_E_MEMORY;
    }
    *try = &invocation->base; /* before the function runs: it may free its own turn */
    if (!order->tool->config.blocking) {
        atomic_store(&invocation->stage, STAGE_RUNNING);
        invocation->function(invocation->function_user, invocation);
        return 0;
    }
    code = host->port->submit(host->port->self, run_blocking, invocation);
    if (code != 0) {
        *try = NULL;
        release(invocation);
        release(invocation);
    }
    return code;
}

static enum rcs_stopped stop(struct rcs_try *base)
{
    struct recourse_invocation *invocation = (struct recourse_invocation *)base;
    unsigned waiting = STAGE_WAITING;

    invocation->stopped = true;
    atomic_store(&invocation->cancelled, true);
    signal_fd(atomic_load(&invocation->cancel_fd));
    if (atomic_compare_exchange_strong(&invocation->stage, &waiting, STAGE_DROPPED)) {
        release(invocation);
        return RCS_STOPPED_UNTOUCHED;
    }
    return RCS_STOPPED_RUNNING;
}

/* For a thread. One that takes it meanwhile is like one that took it before. */
static bool waits(const struct rcs_try *base)
{
    const struct recourse_invocation *invocation = (const struct recourse_invocation *)base;

    return atomic_load(&invocation->stage) == STAGE_WAITING;
}

static void forget(struct rcs_try *base)
{
    struct recourse_invocation *invocation = (struct recourse_invocation *)base;

    invocation->ended = NULL;
    release(invocation);
}

static void hand_over(struct rcs_try *base, void (*ended)(void *user, const struct recourse_facts *facts), void *user)
{
    struct recourse_invocation *invocation = (struct recourse_invocation *)base;

    invocation->ended = ended;
    invocation->user = user;
}

const struct rcs_kind rcs_kind_function = {
    .name = "function",
    .keeps_deadline = false,
    .check = check,
    .start = start,
    .stop = stop,
    .waits = waits,
    .forget = forget,
    .hand_over = hand_over,
};
