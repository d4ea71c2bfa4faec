#include "src/run/limit.h"

#include <string.h>

#include "src/io/memory.h"
#include "src/io/timer.h"

struct linger {
    struct rcs_link link;
    struct rcs_limits *limits;
    struct rcs_limit *limit;
    struct rcs_try *try;
};

void rcs_limits_init(struct rcs_limits *limits, const struct recourse_allocator *allocator)
{
    limits->first = NULL;
    limits->allocator = allocator;
    rcs_link_init(&limits->ready);
}

void rcs_limits_clear(struct rcs_limits *limits)
{
    struct rcs_limit *next;

    for (struct rcs_limit *limit = limits->first; limit != NULL; limit = next) {
        next = limit->next;
        while (!rcs_list_empty(&limit->lingers)) {
            struct linger *linger = RCS_OWNER(limit->lingers.next, struct linger, link);

            rcs_list_remove(&linger->link);
            linger->try->kind->forget(linger->try);
            rcs_free(limits->allocator, linger);
        }
        rcs_free(limits->allocator, limit);
    }
    limits->first = NULL;
}

static struct rcs_limit *find(const struct rcs_limits *limits, const char *server)
{
    for (struct rcs_limit *limit = limits->first; limit != NULL; limit = limit->next) {
        if (strcmp(limit->server, server) == 0) {
            return limit;
        }
    }
    return NULL;
}

static bool has_room(const struct rcs_limit *limit)
{
    return limit->max == 0 || limit->tries < limit->max;
}

/* Keeps `ready` true; a limit that stays ready keeps its turn. */
static void settle(struct rcs_limits *limits, struct rcs_limit *limit)
{
    bool is_ready = !rcs_list_empty(&limit->ready);
    bool should_be = has_room(limit) && !rcs_list_empty(&limit->queue);

    if (is_ready && !should_be) {
        rcs_list_remove(&limit->ready);
    } else if (!is_ready && should_be) {
        rcs_list_append(&limits->ready, &limit->ready);
    }
}

int rcs_limits_join(struct rcs_limits *limits, const struct recourse_tool *config, struct rcs_limit **out,
                    struct recourse_error *error)
{
    const char *server = config->server != NULL ? config->server : "";
    struct rcs_limit *limit = *server != '\0' ? find(limits, server) : NULL;

    if (limit != NULL) {
        if (limit->max > 0 && config->limit > 0 && limit->max != config->limit) {
            return rcs_fail(error, RECOURSE_E_ARGUMENT,
                            "tool '%s': server '%s' has the limit %u already, not %u: its tools share one", config->name,
                            server, limit->max, config->limit);
        }
        limit->max = config->limit > 0 ? config->limit : limit->max;
        settle(limits, limit);
        *out = limit;
        return 0;
    }
    limit = rcs_alloc_zero(limits->allocator, sizeof *limit + strlen(server) + 1);
    if (limit == NULL) {
        return rcs_fail(error, RECOURSE_E_MEMORY, "tool '%s': out of memory", config->name);
    }
    strcpy(limit->server, server);
    limit->max = config->limit;
    rcs_link_init(&limit->queue);
    rcs_link_init(&limit->ready);
    rcs_link_init(&limit->lingers);
    limit->next = limits->first;
    limits->first = limit;
    *out = limit;
    return 0;
}

bool rcs_limits_pass(const struct rcs_limits *limits, const struct rcs_limit *limit)
{
    return rcs_list_empty(&limits->ready) && rcs_list_empty(&limit->queue) && has_room(limit);
}

void rcs_limits_wait(struct rcs_limits *limits, struct rcs_limit *limit, struct rcs_link *link)
{
    rcs_list_append(&limit->queue, link);
    settle(limits, limit);
}

void rcs_limits_give_up(struct rcs_limits *limits, struct rcs_limit *limit, struct rcs_link *link)
{
    rcs_list_remove(link);
    settle(limits, limit);
}

struct rcs_link *rcs_limits_take(struct rcs_limits *limits)
{
    struct rcs_limit *limit;
    struct rcs_link *link;

    if (rcs_list_empty(&limits->ready)) {
        return NULL;
    }
    limit = RCS_OWNER(limits->ready.next, struct rcs_limit, ready);
    link = limit->queue.next;
    rcs_list_remove(link);
    rcs_list_remove(&limit->ready); /* its turn is over; the next one comes after all others' */
    settle(limits, limit);
    return link;
}

void rcs_limits_begin(struct rcs_limits *limits, struct rcs_limit *limit)
{
    limit->tries++;
    settle(limits, limit);
}

void rcs_limits_end(struct rcs_limits *limits, struct rcs_limit *limit)
{
    limit->tries--;
    settle(limits, limit);
}

static void lingered(void *user, const struct recourse_facts *facts)
{
    struct linger *linger = user;

    (void)facts;
    rcs_list_remove(&linger->link);
    rcs_limits_end(linger->limits, linger->limit);
    rcs_free(linger->limits->allocator, linger);
}

void rcs_limits_linger(struct rcs_limits *limits, struct rcs_limit *limit, struct rcs_try *try)
{
    struct linger *linger = limit->max > 0 && try->kind->hand_over != NULL
                                ? rcs_alloc(limits->allocator, sizeof *linger)
                                : NULL;

    if (linger == NULL) { /* nobody counts here, or nothing is left to count with */
        try->kind->forget(try);
        rcs_limits_end(limits, limit);
        return;
    }
    *linger = (struct linger){.limits = limits, .limit = limit, .try = try};
    rcs_list_append(&limit->lingers, &linger->link);
    try->kind->hand_over(try, lingered, linger);
}
