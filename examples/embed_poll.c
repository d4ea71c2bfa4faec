/*
 * embed_poll URL: recourse inside a program that has a poll() loop of its own.
 *
 * Shown here: memory with a hard limit, an observer that prints every decision, an HTTP tool, a function tool that is
 * answered later, and the loop itself. Callbacks come from recourse_runner_step only.
 */
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <recourse/runner.h>

/* ---- memory: never more than MEMORY_MAX bytes. Past them the library gets NULL, and says RECOURSE_E_MEMORY ---- */

#define MEMORY_MAX ((size_t)4 << 20)

static size_t memory_used; /* a host with blocking tools, which run on threads, would guard this by a lock */

static void *limited_realloc(void *user, void *memory, size_t size)
{
    size_t old = malloc_usable_size(memory);
    void *fresh = size > MEMORY_MAX - (memory_used - old) ? NULL : realloc(memory, size);

    (void)user;
    memory_used += fresh == NULL ? 0 : malloc_usable_size(fresh) - old;
    return fresh;
}

static void *limited_alloc(void *user, size_t size)
{
    return limited_realloc(user, NULL, size);
}

static void limited_free(void *user, void *memory)
{
    (void)user;
    memory_used -= malloc_usable_size(memory);
    free(memory);
}

static const struct recourse_allocator limited = {limited_alloc, limited_realloc, limited_free, NULL};

/* ---- the observer: hears each decision as it is made, with the rows of the policy that made it ---- */

static void observe(void *user, const struct recourse_observation *seen)
{
    const struct recourse_decision *decision = seen->decision;
    const char *event = recourse_policy_event_name(seen->policy, decision->event);

    (void)user;
    printf("%.*s: %s,", (int)seen->tool.size, seen->tool.data, event);
    if (decision->action == RECOURSE_ACTION_ATTEMPT) {
        printf(" try %u", decision->try_number);
    } else if (decision->action == RECOURSE_ACTION_WAIT) {
        printf(" waits %llu ms", (unsigned long long)decision->wait_ms);
    } else {
        printf(" reported to the %s", recourse_tell_name(decision->tell));
    }
    for (unsigned i = 0; i < decision->trace_count; i++) {
        printf(" %s", seen->policy->rows[decision->trace[i].row].id);
    }
    printf("\n");
}

/* ---- a function tool: it takes the invocation; the loop below answers, when the host has got round to it ---- */

struct desk {
    int pipe[2];
    struct recourse_invocation *waiting;
};

static void ask_desk(void *user, struct recourse_invocation *invocation)
{
    static const char text[] = "the desk can't be asked";
    static const struct recourse_completion failed = {.answer = RECOURSE_ANSWER_ERROR, .content = {text, sizeof text - 1}};
    struct desk *desk = user;

    desk->waiting = invocation;
    if (write(desk->pipe[1], "!", 1) != 1) {
        recourse_invocation_complete(invocation, &failed); /* each invocation is answered, once */
    }
}

static void answer_from_desk(struct desk *desk)
{
    static const char text[] = "It is a quarter past nine.";
    struct recourse_completion answer = {.answer = RECOURSE_ANSWER_OK, .content = {text, sizeof text - 1}};
    char byte;

    if (read(desk->pipe[0], &byte, 1) == 1) {
        recourse_invocation_complete(desk->waiting, &answer); /* from any thread; here it is our own */
    }
}

/* ---- the host's loop ---- */

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* How long poll may sleep: until recourse wants to be called. */
static int sleep_ms(const struct recourse_runner *runner)
{
    uint64_t wake = recourse_runner_wake_ms(runner), now = now_ms();
    uint64_t left = wake <= now ? 0 : wake - now;

    return wake == RECOURSE_FOREVER ? -1 : left > 60000 ? 60000 : (int)left;
}

static int serve(struct recourse_runner *runner, struct recourse_turn *turn, struct desk *desk)
{
    int code = 0;

    while (code == 0 && !recourse_turn_done(turn)) {
        struct pollfd watched[2] = {
            {.fd = recourse_runner_descriptor(runner), .events = POLLIN},
            {.fd = desk->pipe[0], .events = POLLIN}, /* stands for whatever else the host does */
        };
        poll(watched, 2, sleep_ms(runner));
        if (watched[1].revents & POLLIN) {
            answer_from_desk(desk);
        }
        code = recourse_runner_step(runner, 0); /* 0: does what there is to do, never waits */
    }
    return code;
}

/* ---- all of it together ---- */

static void on_result(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result)
{
    (void)user, (void)turn, (void)index;
    printf("%.*s -> ", (int)result->tool.size, result->tool.data);
    printf("%.*s\n", (int)result->content.size, result->content.data);
}

#define SPAN(text) {(text), sizeof(text) - 1}

static int run(struct recourse_runner *runner, const char *url, struct desk *desk, struct recourse_error *error)
{
    static const struct recourse_call_request calls[] = {
        {.id = SPAN("call_1"), .name = SPAN("fetch"), .arguments = SPAN("{\"what\":\"pods\"}")},
        {.id = SPAN("call_2"), .name = SPAN("clock"), .arguments = SPAN("{}")},
    };
    struct recourse_tool fetch = {.size = sizeof fetch, .name = "fetch", .kind = RECOURSE_TOOL_HTTP, .url = url};
    struct recourse_tool clock = {
        .size = sizeof clock, .name = "clock", .kind = RECOURSE_TOOL_FUNCTION, .function = ask_desk, .user = desk};
    struct recourse_turn_options options = {sizeof options, .calls = calls, .call_count = 2, .on_result = on_result};
    struct recourse_run *conversation;
    struct recourse_turn *turn;
    int code;

    if ((code = recourse_runner_add_tool(runner, &fetch, error)) != 0 ||
        (code = recourse_runner_add_tool(runner, &clock, error)) != 0 ||
        (code = recourse_run_new(runner, &conversation)) != 0) {
        return code;
    }
    if ((code = recourse_turn_start(conversation, &options, &turn, error)) == 0) {
        code = serve(runner, turn, desk);
        recourse_turn_free(turn);
    }
    recourse_run_free(conversation);
    return code;
}

int main(int argc, char **argv)
{
    struct recourse_port_options port_options = {.size = sizeof port_options, .allocator = &limited};
    struct recourse_runner_options options = {.size = sizeof options, .allocator = &limited, .observe = observe};
    struct recourse_error error = {RECOURSE_OK, ""};
    struct recourse_runner *runner;
    struct desk desk = {.waiting = NULL};
    int code;

    if (argc != 2 || pipe(desk.pipe) != 0) {
        fprintf(stderr, "usage: embed_poll URL\n");
        return 1;
    }
    options.policy = recourse_policy_builtin("lightspeed");
    if ((code = recourse_global_init()) == 0 && (code = recourse_port_new(&port_options, &options.port, &error)) == 0) {
        if ((code = recourse_runner_new(&options, &runner, &error)) == 0) {
            code = run(runner, argv[1], &desk, &error);
            recourse_runner_free(runner); /* before its port */
        }
        recourse_port_free(options.port);
    }
    recourse_global_cleanup();
    if (code != 0) {
        fprintf(stderr, "embed_poll: %s: %s\n", recourse_code_name(code), error.text);
        return 1;
    }
    printf("%zu bytes of memory are left in use\n", memory_used);
    return 0;
}
