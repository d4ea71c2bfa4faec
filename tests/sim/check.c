/*
 * The watcher. It follows each call through the model as decisions are made, and compares what the servers saw, what the
 * observer heard and what came as results. It knows nothing of src/run.
 */
#include "tests/sim/broken.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ULL(number) ((unsigned long long)(number))

const char *sim_invariant_name(enum sim_invariant invariant)
{
    static const char *const names[SIM_INVARIANT_COUNT] = {
        "holds",  "one result", "tries",  "cancelled", "twice",   "window",   "early", "late", "model",
        "facts",  "effect",     "request", "checked",  "approval", "limit",   "memory", "run",  "stuck",
    };

    return names[invariant];
}

void sim_fail(struct world *world, enum sim_invariant invariant, const char *format, ...)
{
    va_list list;

    if (world->fault != SIM_HOLDS) {
        return;
    }
    world->fault = invariant;
    world->fault_ms = world->now_ms;
    va_start(list, format);
    vsnprintf(world->fault_text, sizeof world->fault_text, format, list);
    va_end(list);
}

void sim_log(struct world *world, const char *format, ...)
{
    va_list list;

    if (!world->options->log) {
        return;
    }
    printf("%10llu  ", ULL(world->now_ms - world->start_ms));
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
}

/* ---- who it is about ---- */

struct sim_call *sim_call_at(struct world *world, uint32_t number)
{
    return number > 0 && number <= world->call_count ? &world->calls[number - 1] : NULL;
}

static struct sim_call *find_in_turn(struct world *world, const struct sim_turn *turn, struct recourse_span id, bool twin)
{
    for (uint32_t i = 0; i < turn->count; i++) {
        struct sim_call *call = &world->calls[turn->first + i];

        if (strlen(call->id) == id.size && memcmp(call->id, id.data, id.size) == 0 &&
            (strcmp(call->name, "twin") == 0) == twin) {
            return call;
        }
    }
    return NULL;
}

static struct sim_call *find_listing(struct world *world, struct recourse_span name)
{
    for (size_t i = world->turn_count; i-- > 0;) {
        const struct sim_turn *turn = &world->turns[i];
        size_t server = 0;

        for (uint32_t at = 0; turn->lists && at < turn->count; at++) {
            struct sim_call *call = &world->calls[turn->first + at];

            server = (size_t)(name.data[name.size - 1] - '0');
            if (!call->ended && (call->policy == NULL || call->number == server + 1)) {
                call->number = (uint32_t)server + 1;
                return call;
            }
        }
    }
    return NULL;
}

struct sim_call *sim_find(struct world *world, struct recourse_span id, struct recourse_span name)
{
    bool twin = name.size == 4 && memcmp(name.data, "twin", 4) == 0;
    unsigned turn = 0;
    unsigned index = 0;

    if (id.size == 0) {
        return name.size > 0 ? find_listing(world, name) : NULL;
    }
    for (size_t i = 1; i < id.size && id.data[i] != '-'; i++) {
        turn = 10 * turn + (unsigned)(id.data[i] - '0');
    }
    for (const char *at = memchr(id.data, '-', id.size); at != NULL && ++at < id.data + id.size;) {
        index = 10 * index + (unsigned)(*at - '0');
        if (at + 1 == id.data + id.size) {
            break;
        }
    }
    if (turn >= world->turn_count) {
        return NULL;
    }
    if (!twin && index < world->turns[turn].count) {
        return &world->calls[world->turns[turn].first + index];
    }
    return find_in_turn(world, &world->turns[turn], id, twin);
}
