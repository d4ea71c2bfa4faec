/*
 * The runner's peer: the bare multi-socket loop of libcurl on epoll, which does the same requests and nothing else.
 *
 * It does what the runner has to do as well: 256 transfers a multi handle, handles and connections used again, and a
 * socket's watcher kept as long as the socket. It does not do what no loop has to: each handle is told all about the
 * request once, and then only its new body; the answer's body is thrown away.
 */
#include "tests/bench/worker.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define LANE_MAX 256u
#define EVENTS_MAX 128
#define DESCRIPTORS_MAX 65536u

struct lane {
    CURLM *multi;
    uint64_t due_ms; /* UINT64_MAX: never */
};

struct transfer {
    CURL *easy;
    struct lane *lane;
    char body[64];
};

/* What epoll knows of a socket. */
struct watch {
    struct lane *lane;
    uint32_t events;
    bool known;
};

static struct worker worker;
static struct lane lanes[DESCRIPTORS_MAX / LANE_MAX];
static unsigned lane_count;
static struct watch watches[DESCRIPTORS_MAX];
static struct transfer *transfers;
static int poller;
static unsigned started;
static unsigned ended;

static uint64_t now_ms(void)
{
    return worker_clock_us(CLOCK_MONOTONIC) / 1000;
}

static int on_timer(CURLM *multi, long timeout_ms, void *user)
{
    struct lane *lane = user;

    (void)multi;
    lane->due_ms = timeout_ms < 0 ? UINT64_MAX : now_ms() + (uint64_t)timeout_ms + (timeout_ms > 0);
    return 0;
}

/* Asking for less can wait until it makes an event that nobody wants. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *unused)
{
    struct watch *watch = &watches[fd];
    uint32_t events = 0;
    struct epoll_event event = {.data.fd = fd};

    (void)easy;
    (void)unused;
    watch->lane = user;
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) {
        events |= EPOLLIN;
    }
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) {
        events |= EPOLLOUT;
    }
    if ((events & ~watch->events) == 0 && (watch->events & ~events & EPOLLOUT) == 0) {
        return 0;
    }
    event.events = events;
    epoll_ctl(poller, watch->known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    watch->known = true;
    watch->events = events;
    return 0;
}

static int on_close(void *user, curl_socket_t fd)
{
    (void)user;
    watches[fd] = (struct watch){0};
    return close(fd);
}

static size_t on_block(char *block, size_t one, size_t size, void *user)
{
    (void)block;
    (void)one;
    (void)user;
    return size;
}

static struct curl_slist *headers(void)
{
    static const char *const lines[] = {
        "Content-Type: application/json", "Accept: application/json, */*;q=0.5",
        "Idempotency-Key: 00112233445566778899aabbccddeeff", "Recourse-Try: 1",
    };
    struct curl_slist *list = NULL;

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        list = curl_slist_append(list, lines[i]);
    }
    return list;
}

static void prepare(struct transfer *transfer, const char *url, struct curl_slist *list)
{
    CURL *easy = curl_easy_init();

    transfer->easy = easy;
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "recourse/" RECOURSE_VERSION);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_block);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, transfer->body);
}

static void start(struct transfer *transfer)
{
    int size = snprintf(transfer->body, sizeof transfer->body, "{\"id\":%u}", started++);

    curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE, (long)size);
    curl_multi_add_handle(transfer->lane->multi, transfer->easy);
}

static void reap(struct lane *lane)
{
    struct transfer *transfer;
    CURLMsg *message;
    int left;
    long status = 0;

    while ((message = curl_multi_info_read(lane->multi, &left)) != NULL) {
        CURL *easy = message->easy_handle;

        if (message->data.result != CURLE_OK) {
            worker_fail(curl_easy_strerror(message->data.result));
        }
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        curl_multi_remove_handle(lane->multi, easy);
        if (++ended == worker.warm_up) {
            worker_begin(&worker);
        }
        if (status != 200) {
            worker_fail("an answer that is not 200");
        }
        if (started < worker.warm_up + worker.calls) {
            start(transfer);
        }
    }
}

static void act(struct lane *lane, curl_socket_t fd, int events)
{
    int running;

    curl_multi_socket_action(lane->multi, fd, events, &running);
    reap(lane);
}

static void deliver(const struct epoll_event *event)
{
    int fd = event->data.fd;
    int what = ((event->events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 ? CURL_CSELECT_IN : 0) |
               ((event->events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0);

    if (watches[fd].lane != NULL) {
        act(watches[fd].lane, fd, what);
    }
}

static int time_left(void)
{
    uint64_t due = UINT64_MAX;
    uint64_t now;

    for (unsigned i = 0; i < lane_count; i++) {
        due = lanes[i].due_ms < due ? lanes[i].due_ms : due;
    }
    if (due == UINT64_MAX) {
        return -1;
    }
    now = now_ms();
    return due > now ? (int)(due - now) : 0;
}

static void turn(void)
{
    struct epoll_event events[EVENTS_MAX];
    int count = epoll_wait(poller, events, EVENTS_MAX, time_left());
    uint64_t now = now_ms();

    for (int i = 0; i < count; i++) {
        deliver(&events[i]);
    }
    for (unsigned i = 0; i < lane_count; i++) {
        if (lanes[i].due_ms <= now) {
            lanes[i].due_ms = UINT64_MAX;
            act(&lanes[i], CURL_SOCKET_TIMEOUT, 0);
        }
    }
}

static void run(void)
{
    unsigned all = worker.warm_up + worker.calls;

    for (unsigned i = 0; i < worker.at_once && started < all; i++) {
        start(&transfers[i]);
    }
    while (ended < all) {
        turn();
    }
}

static void open_lanes(void)
{
    struct curl_slist *list = headers();

    lane_count = (worker.at_once + LANE_MAX - 1) / LANE_MAX;
    transfers = calloc(worker.at_once, sizeof *transfers);
    for (unsigned i = 0; i < lane_count; i++) {
        lanes[i].multi = curl_multi_init();
        lanes[i].due_ms = UINT64_MAX;
        curl_multi_setopt(lanes[i].multi, CURLMOPT_SOCKETFUNCTION, on_socket);
        curl_multi_setopt(lanes[i].multi, CURLMOPT_SOCKETDATA, &lanes[i]);
        curl_multi_setopt(lanes[i].multi, CURLMOPT_TIMERFUNCTION, on_timer);
        curl_multi_setopt(lanes[i].multi, CURLMOPT_TIMERDATA, &lanes[i]);
        curl_multi_setopt(lanes[i].multi, CURLMOPT_MAXCONNECTS, (long)LANE_MAX * 2);
    }
    for (unsigned i = 0; i < worker.at_once; i++) {
        transfers[i].lane = &lanes[i / LANE_MAX];
        prepare(&transfers[i], worker.url, list);
    }
}

int main(int count, char **arguments)
{
    worker = worker_arguments(count, arguments);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    poller = epoll_create1(EPOLL_CLOEXEC);
    worker.idle_kb = worker_status_kb("VmRSS");
    open_lanes();
    run();
    worker_end(&worker);
    return 0;
}
