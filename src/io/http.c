#include "src/io/http.h"

#include "src/core/wait.h"
#include "src/io/memory.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <time.h>

/* How long the end of a body is waited for of which enough was seen: a connection whose answer is whole can be kept. */
#define LINGER_MS 2u

static void discard(struct recourse_transfer *transfer)
{
    struct rcs_http *http = transfer->http;

    curl_easy_cleanup(transfer->easy);
    rcs_answer_clear(&transfer->answer);
    rcs_free(http->allocator, transfer->lines);
    rcs_free(http->allocator, transfer);
}

static void on_quiet(struct rcs_timer *timer)
{
    struct rcs_http *http = RCS_OWNER(timer, struct rcs_http, quiet);

    rcs_lanes_trim(http);
    while (http->pool_count > RCS_HTTP_POOL_KEPT) {
        discard(http->pool[--http->pool_count]);
    }
}

void rcs_http_init(struct rcs_http *http, struct rcs_loop *loop, unsigned idle_max)
{
    *http = (struct rcs_http){.loop = loop, .allocator = loop->allocator, .idle_max = idle_max};
    rcs_timer_init(&http->quiet, on_quiet);
}

/* What waits for the first exchange, since looking at libcurl costs memory already. */
static int get_ready(struct rcs_http *http)
{
    if (http->ready) {
        return 0;
    }
    if (rcs_global_begin() != 0) {
        return RECOURSE_E_MEMORY;
    }
    http->tells_end = rcs_tls_can_tell();
    http->inflates = (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_LIBZ) != 0;
    http->ready = true;
    return 0;
}

/* When the phase that the exchange is in takes too long; the deadline not counted. */
static uint64_t phase_end(const struct recourse_transfer *transfer)
{
    const struct recourse_http_request *request = transfer->request;

    if (transfer->paused) {
        return RECOURSE_FOREVER;
    }
    if (transfer->sendings == 0) {
        return request->connect_timeout_ms == 0 ? RECOURSE_FOREVER
                                                : rcs_add_ms(transfer->started_ms, request->connect_timeout_ms);
    }
    return request->read_timeout_ms == 0 ? RECOURSE_FOREVER : rcs_add_ms(transfer->active_ms, request->read_timeout_ms);
}

static void arm(struct recourse_transfer *transfer)
{
    uint64_t phase = phase_end(transfer);
    uint64_t deadline = transfer->request->deadline_ms;
    uint64_t due = phase < deadline ? phase : deadline;

    /* One that fires too early looks again: cheaper than moving it for each exchange. */
    if (!rcs_timer_is_set(&transfer->timer) || due < transfer->timer.due_ms) {
        rcs_timers_set(&transfer->http->loop->timers, &transfer->timer, due); /* room was reserved */
    }
}

/* ---- callbacks of libcurl ---- */

/* libcurl is about to send: once it may. Whatever the reason of a second time, the first may have been executed. */
static int before_sending(void *user, char *remote, char *local, int remote_port, int local_port)
{
    struct recourse_transfer *transfer = user;

    (void)remote;
    (void)local;
    (void)remote_port;
    (void)local_port;
    if (transfer->sendings > 0) {
        transfer->replayed = true;
        return CURL_PREREQFUNC_ABORT;
    }
    transfer->sendings = 1;
    rcs_tls_begin(transfer);
    transfer->active_ms = transfer->lane->now_ms;
    curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &transfer->errno_before);
    arm(transfer);
    return CURL_PREREQFUNC_OK;
}

/* Whether the connection is kept. Asked with each piece of the answer, so that what holds at its last one counts. */
static void decide_keeping(struct recourse_transfer *transfer)
{
    const struct rcs_lane *lane = transfer->lane;
    bool closes = lane->sockets >= lane->running + transfer->http->idle_max;

    if (closes != transfer->closes) {
        transfer->closes = closes;
        curl_easy_setopt(transfer->easy, CURLOPT_FORBID_REUSE, closes ? 1L : 0L);
    }
}

static size_t on_line(char *line, size_t one, size_t size, void *user)
{
    struct recourse_transfer *transfer = user;

    (void)one;
    transfer->active_ms = transfer->lane->now_ms;
    decide_keeping(transfer);
    return rcs_answer_line(&transfer->answer, line, size) ? size : 0;
}

static bool is_streamed(struct recourse_transfer *transfer)
{
    const struct recourse_http_request *request = transfer->request;

    if (!transfer->looked) {
        transfer->looked = true;
        transfer->streams = request->data != NULL && (request->data_type == NULL ||
                                                      rcs_answer_is_of_type(&transfer->answer, request->data_type));
    }
    return transfer->streams;
}

/* How much of a body is asked for: at first all that its header announces, so that it need not be stopped halfway. */
static size_t wanted(struct recourse_transfer *transfer, size_t size)
{
    size_t most = transfer->request->body_max;
    curl_off_t announced = -1;

    if (transfer->streams || transfer->granted > 0 ||
        curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced) != CURLE_OK ||
        announced < 0 || (uint64_t)announced <= size) {
        return size;
    }
    most = most > size ? most : size;
    return (uint64_t)announced < most ? (size_t)announced : most;
}

/* Whether there is room for a block. `came`: what is there of the body already. */
static bool has_room(struct recourse_transfer *transfer, size_t came, size_t size)
{
    const struct recourse_http_request *request = transfer->request;
    size_t more;

    if (!transfer->streams && size > request->body_max - came) {
        size = request->body_max - came; /* of what is too much no more is kept */
    }
    if (request->keep == NULL || size <= transfer->granted - came) {
        return true;
    }
    more = wanted(transfer, size - (transfer->granted - came));
    transfer->paused = !request->keep(transfer->user, more);
    if (transfer->paused) {
        return false;
    }
    transfer->granted += more;
    if (!transfer->streams && more > size) {
        (void)!rcs_buffer_reserve_exactly(&transfer->answer.body, more); /* less: it grows as it comes */
    }
    return true;
}

static size_t on_block(char *block, size_t one, size_t size, void *user)
{
    struct recourse_transfer *transfer = user;

    (void)one;
    transfer->active_ms = transfer->lane->now_ms;
    decide_keeping(transfer);
    if (size >= (size_t)RCS_HTTP_RECEIVE_SMALL && transfer->answer.encodings == 0) { /* else it says nothing of what came */
        transfer->http->large_left = RCS_HTTP_LARGE_FOR;
    }
    if (transfer->enough) {
        return size;
    }
    if (is_streamed(transfer)) {
        if (!has_room(transfer, transfer->granted, size)) {
            return CURL_WRITEFUNC_PAUSE;
        }
        if (!transfer->request->data(transfer->user, block, size)) {
            transfer->enough = true;
            rcs_timers_set(&transfer->http->loop->timers, &transfer->timer, transfer->active_ms + LINGER_MS);
        }
        return size;
    }
    if (!has_room(transfer, transfer->answer.body.size, size)) {
        return CURL_WRITEFUNC_PAUSE;
    }
    return rcs_answer_block(&transfer->answer, block, size) ? size : 0;
}

/*
 * Is called whenever libcurl has worked on an exchange that has a read timeout. Where nobody else is on the connection
 * and its socket was ready, bytes went one way or the other, even if they do not make a line or a block yet.
 */
static int on_progress(void *user, curl_off_t total, curl_off_t received, curl_off_t to_upload, curl_off_t uploaded)
{
    struct recourse_transfer *transfer = user;
    const struct rcs_lane *lane = transfer->lane;

    (void)total;
    (void)to_upload;
    if ((transfer->plain && lane->by_socket) || received != transfer->received || uploaded != transfer->uploaded) {
        transfer->active_ms = lane->now_ms;
        transfer->received = received;
        transfer->uploaded = uploaded;
    }
    decide_keeping(transfer);
    return 0;
}

/* ---- easy handles and their users ---- */

static bool set_callbacks(struct recourse_transfer *transfer)
{
    static const CURLoption users[] = {CURLOPT_PRIVATE,   CURLOPT_PREREQDATA,   CURLOPT_HEADERDATA,
                                       CURLOPT_WRITEDATA, CURLOPT_XFERINFODATA, CURLOPT_OPENSOCKETDATA};
    CURL *easy = transfer->easy;
    bool failed = false;

    for (size_t i = 0; i < sizeof users / sizeof users[0]; i++) {
        failed |= curl_easy_setopt(easy, users[i], transfer) != CURLE_OK;
    }
    failed |= curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->detail) != CURLE_OK;
    failed |= curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_sending) != CURLE_OK;
    failed |= curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_line) != CURLE_OK;
    failed |= curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_block) != CURLE_OK;
    failed |= curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress) != CURLE_OK;
    failed |= curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, rcs_lane_open_socket) != CURLE_OK;
    failed |= curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, rcs_lane_close_socket) != CURLE_OK;
    return !failed && rcs_tls_watch(transfer);
}

static struct recourse_transfer *new_transfer(struct rcs_http *http)
{
    struct recourse_transfer *transfer = rcs_alloc_zero(http->allocator, sizeof *transfer);

    if (transfer == NULL) {
        return NULL;
    }
    transfer->http = http;
    rcs_answer_init(&transfer->answer, http->allocator, 0);
    transfer->easy = curl_easy_init();
    if (transfer->easy == NULL || !rcs_http_prepare(transfer->easy, http->http2) || !set_callbacks(transfer)) {
        discard(transfer);
        return NULL;
    }
    return transfer;
}

/* Takes back what one exchange has told the easy handle. */
static bool untell(struct recourse_transfer *transfer)
{
    CURL *easy = transfer->easy;

    if (transfer->reset) {
        curl_easy_reset(easy);
        transfer->closer = NULL;
        transfer->receives_large = false;
        return rcs_http_prepare(easy, transfer->http->http2) && set_callbacks(transfer);
    }
    if (transfer->closes) {
        curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 0L);
    }
    if (transfer->progress) {
        curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
    }
    return true;
}

/* All that belongs to one exchange; of the detail its first byte says enough. */
static void wipe(struct recourse_transfer *transfer)
{
    const size_t begin = offsetof(struct recourse_transfer, lane);

    rcs_answer_reset(&transfer->answer);
    memset((char *)transfer + begin, 0, offsetof(struct recourse_transfer, detail) + 1 - begin);
}

/* `clean`: the easy handle remembers no error and may be used again. */
static void release(struct recourse_transfer *transfer, bool clean)
{
    struct rcs_http *http = transfer->http;

    rcs_url_release(http, transfer->url);
    if (!clean || http->pool_count == RCS_HTTP_POOL_MAX || !untell(transfer)) {
        discard(transfer);
        return;
    }
    wipe(transfer);
    http->pool[http->pool_count++] = transfer;
}

/* ---- the life of an exchange ---- */

static void link_in(struct rcs_http *http, struct recourse_transfer *transfer)
{
    transfer->next = http->transfers;
    if (http->transfers != NULL) {
        http->transfers->previous = transfer;
    }
    http->transfers = transfer;
    http->transfer_count++;
}

/* Takes it out of libcurl and of the lists; nothing but `done` and the memory is left of it. */
static void take_out(struct recourse_transfer *transfer)
{
    struct rcs_http *http = transfer->http;

    rcs_timers_remove(&http->loop->timers, &transfer->timer);
    rcs_lane_remove(transfer);
    rcs_tls_forget(transfer);
    if (transfer->previous != NULL) {
        transfer->previous->next = transfer->next;
    } else {
        http->transfers = transfer->next;
    }
    if (transfer->next != NULL) {
        transfer->next->previous = transfer->previous;
    }
    http->transfer_count--;
}

static bool remembers_error(const struct recourse_transfer *transfer)
{
    long number = 0;

    curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &number);
    return number != 0;
}

static void finish(struct recourse_transfer *transfer, struct recourse_http_response *response)
{
    struct rcs_answer *answer = &transfer->answer;
    bool failed = response->network != 0 || response->timeout != 0 || response->protocol || response->too_large;
    bool clean = !failed && !transfer->cut && !remembers_error(transfer);
    time_t now = time(NULL);

    take_out(transfer);
    rcs_lane_rest(transfer);
    if (!rcs_answer_finish(answer) && !failed) {
        response->network = RECOURSE_NETWORK_OTHER;
        failed = true;
        memcpy(transfer->detail, "no memory for the answer", sizeof "no memory for the answer");
    }
    response->status = answer->status;
    response->headers = answer->headers;
    response->header_count = answer->header_count;
    response->phrase = rcs_answer_phrase(answer);
    response->body = rcs_buffer_span(&answer->body);
    response->detail = failed ? transfer->detail : "";
    response->wall_s = now > 0 ? (uint64_t)now : 0;
    transfer->finishing = true;
    transfer->done(transfer->user, response);
    release(transfer, clean);
}

void rcs_http_ended(struct recourse_transfer *transfer, CURLcode result)
{
    struct recourse_http_response response = {0};

    rcs_http_judge(transfer, result, &response);
    finish(transfer, &response);
}

void rcs_http_unwatchable(struct recourse_transfer *transfer)
{
    if (transfer != NULL) {
        transfer->no_watch = true;
        rcs_timers_set(&transfer->http->loop->timers, &transfer->timer, 0);
    }
}

/*
 * Whether a request is still on its way: libcurl has handed it over to the system, and the system gets rid of it, which
 * nobody is told. Asked only when the gap between bytes seems to be too long.
 */
static bool is_draining(struct recourse_transfer *transfer)
{
    int queued = 0;

    if (transfer->fd < 0 || transfer->answer.status != 0 || ioctl(transfer->fd, SIOCOUTQ, &queued) != 0) {
        return false;
    }
    if (queued == 0 || queued == transfer->queued) {
        return false;
    }
    transfer->queued = queued;
    return true;
}

static enum recourse_timeout timeout_now(struct recourse_transfer *transfer, uint64_t now_ms)
{
    if (now_ms >= transfer->request->deadline_ms) {
        return RECOURSE_TIMEOUT_TOTAL;
    }
    if (now_ms < phase_end(transfer)) {
        return RECOURSE_TIMEOUT_NONE;
    }
    if (transfer->sendings == 0) {
        return RECOURSE_TIMEOUT_CONNECT;
    }
    if (is_draining(transfer)) {
        transfer->active_ms = now_ms;
        return RECOURSE_TIMEOUT_NONE;
    }
    return RECOURSE_TIMEOUT_READ;
}

static void on_time(struct rcs_timer *timer)
{
    struct recourse_transfer *transfer = RCS_OWNER(timer, struct recourse_transfer, timer);
    struct recourse_http_response response = {0};
    enum recourse_timeout timeout;

    if (transfer->no_watch) {
        rcs_http_ended(transfer, CURLE_COULDNT_CONNECT);
        return;
    }
    if (transfer->failed) {
        rcs_http_ended(transfer, transfer->failure);
        return;
    }
    if (transfer->enough) {
        transfer->cut = true;
        rcs_http_ended(transfer, CURLE_OK);
        return;
    }
    timeout = timeout_now(transfer, rcs_now_ms());
    if (timeout == RECOURSE_TIMEOUT_NONE) {
        arm(transfer); /* there was life since it was set */
        return;
    }
    /* Streams of HTTP/2 end without their connection, and this one may well be dead: another try is for another one. */
    curl_easy_setopt(transfer->easy, CURLOPT_FORBID_REUSE, 1L);
    rcs_http_judge_timeout(transfer, timeout, &response);
    finish(transfer, &response);
}

/* Not to be changed under way: libcurl goes by this number when it fills the memory that it made at the beginning. */
static bool choose_receiving(struct recourse_transfer *transfer)
{
    struct rcs_http *http = transfer->http;
    bool large = http->large_left > 0;

    http->large_left -= large;
    if (large == transfer->receives_large) {
        return true;
    }
    transfer->receives_large = large;
    return curl_easy_setopt(transfer->easy, CURLOPT_BUFFERSIZE,
                            large ? RCS_HTTP_RECEIVE_LARGE : RCS_HTTP_RECEIVE_SMALL) == CURLE_OK;
}

static int describe(struct recourse_transfer *transfer)
{
    const struct recourse_http_request *request = transfer->request;
    CURL *easy = transfer->easy;
    bool failed = !choose_receiving(transfer);

    if (transfer->closer != transfer->lane) {
        transfer->closer = transfer->lane;
        failed |= curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, transfer->lane) != CURLE_OK;
    }
    transfer->reset = request->ca_file != NULL || request->proxy != NULL;
    transfer->progress = request->read_timeout_ms > 0; /* else libcurl is spared looking at the clock for it */
    if (transfer->progress) {
        failed |= curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L) != CURLE_OK;
    }
    return failed ? RECOURSE_E_MEMORY : rcs_http_describe(transfer);
}

static int begin(struct recourse_transfer *transfer)
{
    struct rcs_http *http = transfer->http;
    struct rcs_lane *lane = rcs_lane_with_room(http);
    int code;

    if (lane == NULL || rcs_loop_reserve_timers(http->loop, &http->timer_room,
                                                http->transfer_count + http->lane_count + 2) != 0) {
        return RECOURSE_E_MEMORY;
    }
    transfer->lane = lane;
    code = describe(transfer);
    if (code == 0) {
        arm(transfer); /* before libcurl sets its own, so that nothing is sent after the deadline */
        code = rcs_lane_add(lane, transfer);
    }
    return code;
}

int rcs_http_start(struct rcs_http *http, const struct recourse_http_request *request,
                   void (*done)(void *user, const struct recourse_http_response *response), void *user,
                   struct recourse_transfer **started)
{
    struct recourse_transfer *transfer;
    struct rcs_url *url;
    int code = rcs_http_check(request);

    code = code == 0 ? get_ready(http) : code;
    if (code == 0) {
        code = rcs_url_hold(http, request->url, &url);
    }
    if (code != 0) {
        return code;
    }
    transfer = http->pool_count > 0 ? http->pool[--http->pool_count] : new_transfer(http);
    if (transfer == NULL) {
        rcs_url_release(http, url);
        return RECOURSE_E_MEMORY;
    }
    transfer->request = request;
    transfer->url = url;
    transfer->done = done;
    transfer->user = user;
    transfer->plain = rcs_url_is_plain(url);
    transfer->fd = -1;
    transfer->started_ms = rcs_now_ms();
    transfer->answer.body.limit = request->body_max;
    rcs_timer_init(&transfer->timer, on_time);
    code = begin(transfer);
    if (code != 0) {
        rcs_timers_remove(&http->loop->timers, &transfer->timer);
        release(transfer, false);
        return code;
    }
    link_in(http, transfer);
    *started = transfer;
    return 0;
}

bool rcs_http_cancel(struct rcs_http *http, struct recourse_transfer *transfer)
{
    bool sent = rcs_http_sent(transfer);

    (void)http;
    if (!transfer->finishing) {
        take_out(transfer);
        release(transfer, false);
    }
    return sent;
}

void rcs_http_touch(struct recourse_transfer *transfer)
{
    transfer->active_ms = rcs_now_ms(); /* its timer looks there before it believes itself */
}

/* libcurl hands over what it has held back, from within this. It says so where that fails, and ends nothing then. */
void rcs_http_resume(struct recourse_transfer *transfer)
{
    if (!transfer->paused || transfer->finishing) {
        return;
    }
    transfer->paused = false;
    transfer->active_ms = rcs_now_ms();
    transfer->lane->now_ms = transfer->active_ms;
    transfer->failure = curl_easy_pause(transfer->easy, CURLPAUSE_CONT);
    if (transfer->failure != CURLE_OK) {
        transfer->failed = true;
        rcs_timers_set(&transfer->http->loop->timers, &transfer->timer, 0);
    } else if (!transfer->enough) {
        arm(transfer);
    }
}

void rcs_http_clear(struct rcs_http *http)
{
    while (http->transfers != NULL) {
        rcs_http_cancel(http, http->transfers);
    }
    rcs_timers_remove(&http->loop->timers, &http->quiet);
    for (size_t i = 0; i < http->lane_count; i++) {
        rcs_lane_free(http->lanes[i]);
    }
    for (unsigned i = 0; i < http->pool_count; i++) {
        discard(http->pool[i]);
    }
    rcs_urls_clear(http);
    rcs_free(http->allocator, http->lanes);
    rcs_http_init(http, http->loop, http->idle_max);
}
