#include "tests/unit/sim_port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

struct recourse_transfer {
    struct recourse_transfer *next;
    struct sim_request *request;
    struct sim_answer answer;
    uint64_t due_ms;
    bool expires; /* its deadline comes before its answer */
    void (*done)(void *user, const struct recourse_http_response *response);
    const struct recourse_http_request *wanted;
    void *user;
};

static uint64_t now_ms(void *self)
{
    return ((struct sim *)self)->now_ms;
}

static uint64_t wall_s(void *self)
{
    return ((struct sim *)self)->wall_s;
}

static int fill_random(void *self, void *bytes, size_t size)
{
    struct sim *sim = self;
    uint64_t word;

    for (size_t at = 0; at < size; at += sizeof word) {
        size_t left = size - at;

        word = sim->random++;
        memcpy((char *)bytes + at, &word, left < sizeof word ? left : sizeof word);
    }
    return sim->random_error;
}

static int watch(void *self, int fd, unsigned events, void (*ready)(void *user, int fd, unsigned events), void *user)
{
    (void)self, (void)fd, (void)events, (void)ready, (void)user;
    return 0;
}

static void unwatch(void *self, int fd)
{
    (void)self, (void)fd;
}

/* ---- HTTP ---- */

static bool wants_stream(const struct recourse_http_request *request)
{
    for (size_t i = 0; request->headers != NULL && request->headers[i] != NULL; i++) {
        if (strcmp(request->headers[i], "Accept: text/event-stream") == 0) {
            return true;
        }
    }
    return false;
}

static const struct sim_answer *next_answer(struct sim *sim, const struct recourse_http_request *request)
{
    static const struct sim_answer refused = {
        .network = RECOURSE_NETWORK_REFUSED, .unsent = true, .detail = "no route"};
    static const struct sim_answer not_offered = {.status = 405};
    char url[512];
    size_t size;

    snprintf(url, sizeof url, "%s%s%s", wants_stream(request) ? request->method : "", wants_stream(request) ? " " : "",
             request->url);
    size = strcspn(url, "?");

    for (size_t i = 0; i < sim->route_count; i++) {
        struct sim_route *route = &sim->routes[i];

        if (strlen(route->url) == size && memcmp(route->url, url, size) == 0) {
            size_t at = route->asked++;

            return &route->answers[at < route->count ? at : route->count - 1];
        }
    }
    return wants_stream(request) ? &not_offered : &refused;
}

static struct sim_request *log_request(struct sim *sim, const struct recourse_http_request *request)
{
    struct sim_request *seen = wants_stream(request) ? &sim->streams[sim->stream_count++ % SIM_REQUESTS_MAX]
                                                     : &sim->requests[sim->request_count++ % SIM_REQUESTS_MAX];

    memset(seen, 0, sizeof *seen);
    seen->at_ms = sim->now_ms;
    seen->deadline_ms = request->deadline_ms;
    seen->connect_timeout_ms = request->connect_timeout_ms;
    seen->read_timeout_ms = request->read_timeout_ms;
    seen->body_max = request->body_max;
    snprintf(seen->method, sizeof seen->method, "%s", request->method);
    snprintf(seen->url, sizeof seen->url, "%s", request->url);
    snprintf(seen->body, sizeof seen->body, "%.*s", (int)request->body.size,
             request->body.data != NULL ? request->body.data : "");
    for (size_t i = 0; request->headers != NULL && request->headers[i] != NULL; i++) {
        size_t used = strlen(seen->headers);

        snprintf(seen->headers + used, sizeof seen->headers - used, "%s%s", used > 0 ? "|" : "", request->headers[i]);
    }
    return seen;
}

static int http_start(void *self, const struct recourse_http_request *request,
                      void (*done)(void *user, const struct recourse_http_response *response), void *user,
                      struct recourse_transfer **out)
{
    struct sim *sim = self;
    struct recourse_transfer *transfer;

    if (sim->http_error != 0) {
        return sim->http_error;
    }
    transfer = calloc(1, sizeof *transfer);
    if (transfer == NULL) {
        return RECOURSE_E_MEMORY;
    }
    transfer->answer = *next_answer(sim, request);
    transfer->request = log_request(sim, request);
    transfer->due_ms = sim->now_ms + transfer->answer.after_ms;
    if (transfer->answer.status == 0 && transfer->answer.network == 0 && transfer->answer.timeout == 0 &&
        !transfer->answer.protocol) {
        transfer->due_ms = RECOURSE_FOREVER;
    }
    if (request->deadline_ms < transfer->due_ms) {
        transfer->due_ms = request->deadline_ms;
        transfer->expires = true;
    }
    transfer->done = done;
    transfer->wanted = request;
    transfer->user = user;
    transfer->next = sim->transfers;
    sim->transfers = transfer;
    sim->in_flight++;
    sim->in_flight_max = sim->in_flight > sim->in_flight_max ? sim->in_flight : sim->in_flight_max;
    *out = transfer;
    return 0;
}

static void unlink_transfer(struct sim *sim, struct recourse_transfer *transfer)
{
    struct recourse_transfer **at = &sim->transfers;

    while (*at != transfer) {
        at = &(*at)->next;
    }
    *at = transfer->next;
    sim->in_flight--;
}

static void http_resume(void *self, struct recourse_transfer *transfer)
{
    struct sim *sim = self;

    transfer->expires = false;
    transfer->due_ms = sim->now_ms;
}

static bool http_cancel(void *self, struct recourse_transfer *transfer)
{
    bool sent = !transfer->answer.unsent;

    unlink_transfer(self, transfer);
    transfer->request->cancelled = true;
    free(transfer);
    return sent;
}

static void http_touch(void *self, struct recourse_transfer *transfer)
{
    (void)self;
    transfer->request->touches++;
}

static struct recourse_span span_of(const char *text)
{
    return (struct recourse_span){text != NULL ? text : "", text != NULL ? strlen(text) : 0};
}

static bool is_streamed(const struct recourse_http_request *request, const struct sim_answer *script)
{
    if (request->data == NULL || script->status < 200 || script->status > 299) {
        return false;
    }
    for (size_t i = 0; i < script->header_count; i++) {
        if (script->headers[i].name.size == strlen("content-type") && request->data_type != NULL &&
            script->headers[i].value.size >= strlen(request->data_type) &&
            strncasecmp(script->headers[i].name.data, "content-type", script->headers[i].name.size) == 0) {
            return strncasecmp(script->headers[i].value.data, request->data_type, strlen(request->data_type)) == 0;
        }
    }
    return request->data_type == NULL;
}

/* Hands the body over piece by piece. Once there is enough nothing that comes later counts. */
static void stream(const struct recourse_transfer *transfer, struct recourse_http_response *response)
{
    struct recourse_span body = response->body;

    response->body.size = 0;
    for (size_t at = 0; at < body.size;) {
        size_t left = body.size - at;
        size_t size = transfer->answer.piece > 0 && transfer->answer.piece < left ? transfer->answer.piece : left;

        if (!transfer->wanted->data(transfer->user, body.data + at, size)) {
            response->network = 0;
            response->timeout = 0;
            response->detail = "";
            return;
        }
        at += size;
    }
}

static void answer(struct sim *sim, struct recourse_transfer *transfer)
{
    const struct sim_answer *script = &transfer->answer;
    struct recourse_http_response response = {
        .status = script->status,
        .network = script->network,
        .timeout = script->timeout,
        .sent = !script->unsent,
        .protocol = script->protocol,
        .too_large = script->too_large,
        .headers = script->headers,
        .header_count = script->header_count,
        .phrase = span_of(script->phrase),
        .body = script->body_size > 0 ? (struct recourse_span){script->body, script->body_size} : span_of(script->body),
        .detail = script->detail != NULL ? script->detail : "",
        .wall_s = sim->wall_s,
    };

    if (!transfer->expires && response.body.size > 0 && transfer->wanted->keep != NULL &&
        !transfer->wanted->keep(transfer->user, response.body.size)) {
        transfer->expires = transfer->request->deadline_ms != RECOURSE_FOREVER;
        transfer->due_ms = transfer->request->deadline_ms;
        return; /* until http_resume */
    }
    if (transfer->expires) {
        response = (struct recourse_http_response){.timeout = RECOURSE_TIMEOUT_TOTAL,
                                                   .sent = !script->unsent,
                                                   .detail = "no answer in time",
                                                   .phrase = span_of("")};
    }
    if (response.body.size > 0 && is_streamed(transfer->wanted, script)) {
        stream(transfer, &response);
    }
    if (response.body.size > transfer->request->body_max) {
        response.too_large = true;
        response.body.size = 0;
        response.detail = "the answer is over the bound";
    }
    unlink_transfer(sim, transfer);
    transfer->done(transfer->user, &response);
    free(transfer);
}

/* The transfer that is due next; of several the one that was started first. */
static struct recourse_transfer *next_transfer(const struct sim *sim)
{
    struct recourse_transfer *found = NULL;

    for (struct recourse_transfer *at = sim->transfers; at != NULL; at = at->next) {
        if (at->due_ms != RECOURSE_FOREVER && (found == NULL || at->due_ms <= found->due_ms)) {
            found = at;
        }
    }
    return found;
}

/* ---- threads ---- */

struct work {
    void (*run)(void *user);
    void *user;
};

static void *thread_main(void *user)
{
    struct work work = *(struct work *)user;

    free(user);
    work.run(work.user);
    return NULL;
}

static int start_thread(struct sim *sim, void (*run)(void *user), void *user)
{
    struct work *work = malloc(sizeof *work);

    if (work == NULL || sim->thread_count == SIM_THREADS_MAX) {
        free(work);
        return RECOURSE_E_AGAIN;
    }
    *work = (struct work){run, user};
    if (pthread_create(&sim->threads[sim->thread_count], NULL, thread_main, work) != 0) {
        free(work);
        return RECOURSE_E_SYSTEM;
    }
    sim->thread_count++;
    return 0;
}

static int submit(void *self, void (*run)(void *user), void *user)
{
    struct sim *sim = self;

    if (sim->submit_error != 0) {
        return sim->submit_error;
    }
    if (sim->hold_work) {
        sim->held[sim->held_count] = run;
        sim->held_user[sim->held_count++] = user;
        return 0;
    }
    return start_thread(sim, run, user);
}

void sim_release_work(struct sim *sim)
{
    for (size_t i = 0; i < sim->held_count; i++) {
        sim->held[i](sim->held_user[i]);
    }
    sim->held_count = 0;
}

static void wake(void *self)
{
    struct sim *sim = self;

    pthread_mutex_lock(&sim->lock);
    sim->woken = true;
    sim->wakes++;
    pthread_cond_signal(&sim->woken_up);
    pthread_mutex_unlock(&sim->lock);
}

/* ---- the loop ---- */

/* Whether somebody woke the port; with `wait` that is waited for, in real time and with an end. */
static bool take_wake(struct sim *sim, bool wait)
{
    struct timespec end;
    bool woken;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 20;
    pthread_mutex_lock(&sim->lock);
    while (wait && !sim->woken && pthread_cond_timedwait(&sim->woken_up, &sim->lock, &end) == 0) {
    }
    woken = sim->woken;
    sim->woken = false;
    pthread_mutex_unlock(&sim->lock);
    return woken;
}

static int poll_port(void *self, uint64_t timeout_ms)
{
    struct sim *sim = self;
    struct recourse_transfer *next = next_transfer(sim);
    uint64_t until = timeout_ms < RECOURSE_FOREVER - sim->now_ms ? sim->now_ms + timeout_ms : RECOURSE_FOREVER;

    if (sim->more != NULL && sim->more(sim->more_user)) {
        return 0;
    }
    if (next != NULL && next->due_ms < until) {
        until = next->due_ms;
    }
    if (!take_wake(sim, sim->real && until > sim->now_ms) && !sim->real) {
        if (until == RECOURSE_FOREVER) {
            sim->stuck = true;
            return RECOURSE_E_STATE;
        }
        sim->now_ms = until > sim->now_ms ? until : sim->now_ms;
    }
    while ((next = next_transfer(sim)) != NULL && next->due_ms <= sim->now_ms) {
        answer(sim, next);
    }
    return 0;
}

static int descriptor(void *self)
{
    (void)self;
    return 7;
}

static uint64_t wake_ms(void *self)
{
    struct recourse_transfer *next = next_transfer(self);

    return next != NULL ? next->due_ms : RECOURSE_FOREVER;
}

static int dispatch(void *self)
{
    return poll_port(self, 0);
}

void sim_init(struct sim *sim, uint64_t start_ms)
{
    memset(sim, 0, sizeof *sim);
    sim->now_ms = start_ms;
    sim->wall_s = 1700000000u;
    pthread_mutex_init(&sim->lock, NULL);
    pthread_cond_init(&sim->woken_up, NULL);
    sim->port = (struct recourse_port){
        .size = sizeof sim->port,
        .self = sim,
        .now_ms = now_ms,
        .wall_s = wall_s,
        .random = fill_random,
        .watch = watch,
        .unwatch = unwatch,
        .http_start = http_start,
        .http_cancel = http_cancel,
        .http_touch = http_touch,
        .http_resume = http_resume,
        .submit = submit,
        .wake = wake,
        .poll = poll_port,
        .descriptor = descriptor,
        .wake_ms = wake_ms,
        .dispatch = dispatch,
    };
}

void sim_clear(struct sim *sim)
{
    for (size_t i = 0; i < sim->thread_count; i++) {
        pthread_join(sim->threads[i], NULL);
    }
    while (sim->transfers != NULL) {
        struct recourse_transfer *transfer = sim->transfers;

        sim->transfers = transfer->next;
        free(transfer);
    }
    pthread_mutex_destroy(&sim->lock);
    pthread_cond_destroy(&sim->woken_up);
}

void sim_route(struct sim *sim, const char *url, const struct sim_answer *answers, size_t count)
{
    sim->routes[sim->route_count++] = (struct sim_route){url, answers, count, 0};
}
