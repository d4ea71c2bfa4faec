/* Functions of the host: they answer at once, later, late, never while anybody listens, or in a way that is none. */
#include "tests/sim/broken.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_invocation {
    struct sim_invocation *next;
    struct sim_invocation **link;
    struct sim_tool *tool;
    struct sim_call *call;
    struct recourse_invocation *invocation;
    unsigned number;
};

/* How functions fail. Honest, as servers are. */
static const struct {
    struct recourse_facts facts;
    const char *text;
    bool acts;
} failures[] = {
    {{.interrupted = true}, "", true},
    {{.signal = 9}, "killed", true},
    {{.has_exit = true, .exit_status = 75}, "", false},
    {{.has_exit = true, .exit_status = 1}, "gh: API rate limit exceeded", true},
    {{.spawn = true, .unsent = true}, "", false},
    {{.network = RECOURSE_NETWORK_RESET}, "", true},
    {{.network = RECOURSE_NETWORK_REFUSED, .unsent = true}, "", false},
    {{.timeout = RECOURSE_TIMEOUT_READ}, "", true},
    {{.has_rpc = true, .rpc = -32602}, "no such parameter", false},
    {{.has_rpc = true, .rpc = -32050}, "busy", false},
    {{.session_expired = true}, "", false},
    {{.protocol = true}, "", true},
    {{.http = 503}, "", true},
    {{.http = 429}, "", false},
    {{.http = 401}, "", false},
};

static struct recourse_span words(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

/* A little of everything; true if the tool acts. */
static bool draw(struct world *world, struct recourse_completion *answer)
{
    size_t which = sim_below(&world->random, sizeof failures / sizeof failures[0]);

    *answer = (struct recourse_completion){.answer = RECOURSE_ANSWER_OK, .content = {"done", 4}};
    if (!sim_chance(&world->random, world->trouble)) {
        if (sim_chance(&world->random, 300)) {
            answer->structured = words("{\"n\":1}");
        }
        return true;
    }
    switch (sim_below(&world->random, 8)) {
    case 0:
        answer->answer = 77; /* a crash in the middle of an answer */
        return sim_chance(&world->random, 500);
    case 1:
    case 2:
        answer->answer = RECOURSE_ANSWER_ERROR;
        answer->content = words(sim_chance(&world->random, 500) ? "too many requests" : "no such pod");
        return sim_chance(&world->random, 500);
    default:
        answer->answer = RECOURSE_ANSWER_FACTS;
        answer->facts = &failures[which].facts;
        answer->content = words(failures[which].text);
        return failures[which].acts && sim_chance(&world->random, 500);
    }
}

static void complete(struct sim_invocation *running)
{
    struct world *world = running->tool->world;
    struct recourse_completion answer;
    bool acts = draw(world, &answer);

    *running->link = running->next;
    if (running->next != NULL) {
        running->next->link = running->link;
    }
    if (acts && running->call != NULL) {
        sim_acted(world, running->call, running->number);
    }
    sim_end(world, running->tool);
    if (running->call != NULL) {
        running->call->running--;
        if (!recourse_invocation_cancelled(running->invocation)) {
            running->call->http = answer.answer == RECOURSE_ANSWER_FACTS ? answer.facts->http : 0;
        }
    }
    recourse_invocation_complete(running->invocation, &answer);
    free(running);
}

static void answer_later(struct world *world, void *what)
{
    struct sim_invocation *running = what;

    (void)world;
    complete(running);
}

static void look(struct world *world, void *what)
{
    struct sim_invocation *running = what;

    if (recourse_invocation_cancelled(running->invocation)) {
        complete(running);
        return;
    }
    sim_after(world, sim_between(&world->random, 1000, 20000), look, running);
}

static struct sim_call *call_of(struct sim_tool *tool, const struct recourse_invocation *invocation)
{
    return sim_find(tool->world, recourse_invocation_call_id(invocation), words(tool->name));
}

void sim_function(void *user, struct recourse_invocation *invocation)
{
    struct sim_tool *tool = user;
    struct world *world = tool->world;
    struct sim_invocation *running = calloc(1, sizeof *running);
    uint32_t kind = sim_below(&world->random, 100);

    if (running == NULL) {
        abort();
    }
    *running = (struct sim_invocation){world->invocations, &world->invocations, tool, call_of(tool, invocation), invocation,
                                       recourse_invocation_try(invocation)};
    if (running->next != NULL) {
        running->next->link = &running->next;
    }
    world->invocations = running;
    if (tool->kind != SIM_BLOCKING) {
        world->current = NULL;
    }
    sim_begin(world, tool);
    sim_touched(world, running->call, tool, recourse_invocation_arguments(invocation),
                recourse_invocation_idempotency_key(invocation), running->number);
    if (running->call != NULL && running->call->running++ > 0) {
        sim_fail(world, SIM_LIMIT, "call %s: its function runs twice at once", running->call->id);
    }
    if (tool->kind == SIM_NOW) {
        complete(running);
    } else if (kind < 90) {
        sim_after(world, kind < 70 ? sim_below(&world->random, 2000) : sim_below(&world->random, 200000), answer_later,
                  running);
    } else if (kind < 97) {
        sim_after(world, sim_between(&world->random, 1000, 20000), look, running); /* it listens to being cancelled */
    } /* else it answers when the world ends */
}

void sim_functions_end(struct world *world)
{
    while (world->invocations != NULL) {
        complete(world->invocations);
    }
}

size_t sim_functions_running(const struct world *world, bool wanted)
{
    size_t count = 0;

    for (const struct sim_invocation *at = world->invocations; at != NULL; at = at->next) {
        count += !wanted || !recourse_invocation_cancelled(at->invocation);
    }
    return count;
}
