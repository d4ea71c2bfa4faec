#include "src/io/http.h"

#include "src/io/memory.h"

#include <sys/socket.h>
#include <unistd.h>

/* An empty lane keeps its connections so long: answers that come together leave it empty for a moment only. */
#define QUIET_AFTER_MS 1000u

/* libcurl has ended some: takes them out and tells, one by one, since `done` may start and cancel others. */
static void reap(struct rcs_lane *lane)
{
    struct recourse_transfer *transfer;
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(lane->multi, &left)) != NULL) {
        CURLcode result = message->data.result;

        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        rcs_http_ended(transfer, result);
    }
}

static void act(struct rcs_lane *lane, curl_socket_t fd, int events)
{
    int running;

    lane->by_socket = fd != CURL_SOCKET_TIMEOUT;
    lane->now_ms = rcs_now_ms();
    curl_multi_socket_action(lane->multi, fd, events, &running);
    lane->running = (unsigned)running;
}

static void after_events(struct rcs_after *after)
{
    reap(RCS_OWNER(after, struct rcs_lane, after));
}

/*
 * First libcurl reads all answers that are there, then we look at them one by one: each in turn would throw the code and the
 * data of the other out of the processor's nearest memory.
 */
static void on_ready(void *user, int fd, unsigned events)
{
    struct rcs_lane *lane = user;

    act(lane, fd, ((events & RECOURSE_READABLE) != 0 ? CURL_CSELECT_IN : 0) |
                      ((events & RECOURSE_WRITABLE) != 0 ? CURL_CSELECT_OUT : 0));
    if (lane->running < lane->transfers) {
        rcs_loop_after(lane->http->loop, &lane->after);
    }
}

/* The same, for sockets that we have not opened. */
static void on_foreign_ready(void *user, int fd, unsigned events)
{
    on_ready(user, fd, events);
}

/*
 * Something comes on a connection that no exchange is on: its end, or bytes that nobody asked for, which the next exchange on it would
 * take for its answer. It is made such as libcurl finds to be dead.
 */
static void on_unasked(void *user, int fd, unsigned events)
{
    struct rcs_lane *lane = user;

    (void)events;
    (void)shutdown(fd, SHUT_RDWR);
    (void)!rcs_loop_watch(lane->http->loop, fd, 0, on_unasked, lane); /* asking for less can't fail */
}

void rcs_lane_rest(const struct recourse_transfer *transfer)
{
    struct rcs_loop *loop = transfer->http->loop;

    if (rcs_loop_is_quiet(loop, transfer->fd, on_ready)) {
        (void)!rcs_loop_watch(loop, transfer->fd, RECOURSE_READABLE, on_unasked, transfer->lane);
    }
}

static bool is_ours(const struct rcs_loop *loop, int fd)
{
    return rcs_loop_is_watched_by(loop, fd, on_ready) || rcs_loop_is_watched_by(loop, fd, on_unasked);
}

static void on_time(struct rcs_timer *timer)
{
    struct rcs_lane *lane = RCS_OWNER(timer, struct rcs_lane, timer);

    act(lane, CURL_SOCKET_TIMEOUT, 0);
    reap(lane);
}

/* Is called from inside libcurl: only notes when. Room for the timer was reserved. */
static int set_timer(CURLM *multi, long timeout_ms, void *user)
{
    struct rcs_lane *lane = user;
    uint64_t due = RECOURSE_FOREVER;

    (void)multi;
    if (timeout_ms == 0) {
        due = lane->now_ms; /* at once, without a look at the clock; a deadline that was before it comes first */
    } else if (timeout_ms > 0) {
        due = rcs_now_ms() + (uint64_t)timeout_ms + 1; /* its clock is finer than ours: never early */
    }
    rcs_timers_set(&lane->http->loop->timers, &lane->timer, due);
    return 0;
}

/*
 * Sockets that we opened stay watched, asking for nothing, until rcs_lane_close_socket. The others are the name
 * resolver's, which libcurl closes without a word after this.
 */
static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *unused)
{
    struct rcs_lane *lane = user;
    struct rcs_loop *loop = lane->http->loop;
    struct recourse_transfer *transfer = NULL;
    bool ours = is_ours(loop, fd);
    unsigned events = 0;

    (void)unused;
    if (what == CURL_POLL_REMOVE && !ours) {
        rcs_loop_unwatch(loop, fd);
        return 0;
    }
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) {
        events |= RECOURSE_READABLE;
    }
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) {
        events |= RECOURSE_WRITABLE;
    }
    if (events == 0) {
        (void)!rcs_loop_watch(loop, fd, 0, on_ready, lane); /* asking for less can wait */
        return 0;
    }
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    if (rcs_loop_watch(loop, fd, events, ours ? on_ready : on_foreign_ready, lane) != 0) {
        rcs_http_unwatchable(transfer); /* an error from here would end every exchange of the lane */
    } else if (ours) {
        transfer->fd = fd;
    }
    return 0;
}

curl_socket_t rcs_lane_open_socket(void *user, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct recourse_transfer *transfer = user;
    struct rcs_lane *lane = transfer->lane;
    int fd;

    (void)purpose;
    if (transfer->sendings > 0) {
        transfer->replayed = true; /* a new connection, only to send it once more */
        return CURL_SOCKET_BAD;
    }
    fd = socket(address->family, address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address->protocol);
    if (fd < 0) {
        return CURL_SOCKET_BAD;
    }
    if (rcs_loop_watch(lane->http->loop, fd, 0, on_ready, lane) != 0) {
        close(fd);
        return CURL_SOCKET_BAD;
    }
    lane->sockets++;
    return fd;
}

int rcs_lane_close_socket(void *user, curl_socket_t fd)
{
    struct rcs_lane *lane = user;

    rcs_loop_forget(lane->http->loop, fd);
    lane->sockets--;
    return close(fd);
}

static struct rcs_lane *new_lane(struct rcs_http *http)
{
    struct rcs_lane *lane = rcs_alloc_zero(http->allocator, sizeof *lane);

    if (lane == NULL) {
        return NULL;
    }
    lane->http = http;
    lane->multi = curl_multi_init();
    if (lane->multi == NULL) {
        rcs_free(http->allocator, lane);
        return NULL;
    }
    rcs_timer_init(&lane->timer, on_time);
    lane->after.run = after_events;
    curl_multi_setopt(lane->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(lane->multi, CURLMOPT_SOCKETDATA, lane);
    curl_multi_setopt(lane->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(lane->multi, CURLMOPT_TIMERDATA, lane);
    /* Connections in use count too; how many idle ones are kept is decided at the end of each exchange. */
    curl_multi_setopt(lane->multi, CURLMOPT_MAXCONNECTS, (long)(RCS_LANE_MAX + http->idle_max));
    return lane;
}

void rcs_lane_free(struct rcs_lane *lane)
{
    struct rcs_http *http = lane->http;

    rcs_loop_forget_after(http->loop, &lane->after);
    curl_multi_cleanup(lane->multi);
    rcs_timers_remove(&http->loop->timers, &lane->timer);
    rcs_free(http->allocator, lane);
}

struct rcs_lane *rcs_lane_with_room(struct rcs_http *http)
{
    struct rcs_lane **lanes;
    struct rcs_lane *lane;

    for (size_t i = 0; i < http->lane_count; i++) {
        if (http->lanes[i]->transfers < RCS_LANE_MAX) {
            return http->lanes[i];
        }
    }
    lanes = rcs_grow(http->allocator, http->lanes, &http->lane_capacity, http->lane_count + 1, sizeof *lanes);
    if (lanes == NULL) {
        return NULL;
    }
    http->lanes = lanes;
    lane = new_lane(http);
    if (lane != NULL) {
        lanes[http->lane_count++] = lane;
    }
    return lane;
}

int rcs_lane_add(struct rcs_lane *lane, struct recourse_transfer *transfer)
{
    transfer->lane = lane;
    if (curl_multi_add_handle(lane->multi, transfer->easy) != CURLM_OK) {
        return RECOURSE_E_MEMORY;
    }
    lane->transfers++;
    lane->running++;
    return 0;
}

void rcs_lane_remove(struct recourse_transfer *transfer)
{
    struct rcs_lane *lane = transfer->lane;
    struct rcs_http *http = lane->http;

    curl_multi_remove_handle(lane->multi, transfer->easy);
    lane->transfers--;
    lane->running = lane->running < lane->transfers ? lane->running : lane->transfers;
    if (lane->transfers == 0 && http->lane_count > 1 && !rcs_timer_is_set(&http->quiet)) {
        rcs_timers_set(&http->loop->timers, &http->quiet, rcs_now_ms() + QUIET_AFTER_MS); /* room was reserved */
    }
}

void rcs_lanes_trim(struct rcs_http *http)
{
    size_t kept = 0;
    bool spare = false;

    for (size_t i = 0; i < http->lane_count; i++) {
        struct rcs_lane *lane = http->lanes[i];

        if (lane->transfers == 0 && spare) {
            rcs_lane_free(lane);
            continue;
        }
        spare = spare || lane->transfers == 0;
        http->lanes[kept++] = lane;
    }
    http->lane_count = kept;
}
