/* TLS that fails, each way in which it can; and streams of HTTP/2 that end otherwise than with their answer. */
#include "tests/run/hostile.h"
#include "tests/run/tls_peer.h"
#include "tests/unit/unit.h"

#include <curl/curl.h>
#include <poll.h>

#define DONE "- done: A1 ok to model, 1"
/* Nothing was sent, so anybody may try again. */
#define UNSENT "D7 none: A5 A5 A5 A5 E3 given_up to model, 0"
/* It was sent, and nobody knows. */
#define LARGE "D12 unknown: A11 failed to model, 1"
#define UNKNOWN "D8 unknown: A12 check to model, 1"
#define UNKNOWN_SAFE "D8 unknown: A6 A6 E4 check to model, 2"

struct tls_case {
    struct rcs_hostile_case is;
    struct rcs_tls_conduct conduct;
};

static void say_text(struct rcs_tls_peer *peer, const char *text)
{
    (void)rcs_tls_say(peer, text, strlen(text));
}

static void no_answer(struct rcs_tls_peer *peer, unsigned stream)
{
    (void)peer, (void)stream;
}

static void half_an_answer(struct rcs_tls_peer *peer, unsigned stream)
{
    (void)stream;
    say_text(peer, "HTTP/1.1 200 OK\r\n\r\nhalf of it");
}

static void whole_answer(struct rcs_tls_peer *peer, unsigned stream)
{
    (void)stream;
    say_text(peer, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfine");
}

static void chunked_answer(struct rcs_tls_peer *peer, unsigned stream)
{
    (void)stream;
    say_text(peer, "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n");
}

static void no_body(struct rcs_tls_peer *peer, unsigned stream)
{
    (void)stream;
    say_text(peer, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
}

#define BARE(text) .bare = text, .bare_size = sizeof text - 1

static const struct tls_case tls[] = {
    {{"good", .facts = "200", .unsafe = DONE, .safe = DONE}, {.certificate = RCS_CERTIFICATE_GOOD}},
    {{"expired", .facts = "tls unsent", .unsafe = UNSENT, .safe = UNSENT, .says = "expired"}, {.certificate = RCS_CERTIFICATE_EXPIRED}},
    {{"not yet valid", .facts = "tls unsent", .unsafe = UNSENT, .safe = UNSENT, .says = "not yet valid"},
     {.certificate = RCS_CERTIFICATE_NOT_YET}},
    {{"another host's", .facts = "tls unsent", .unsafe = UNSENT, .safe = UNSENT, .says = "127.0.0.1"},
     {.certificate = RCS_CERTIFICATE_OTHER_HOST}},
    {{"self-signed", .facts = "tls unsent", .unsafe = UNSENT, .safe = UNSENT, .says = "self"}, {.certificate = RCS_CERTIFICATE_SELF_SIGNED}},
    {{"unknown authority", .facts = "tls unsent", .unsafe = UNSENT, .safe = UNSENT, .says = "issuer"},
     {.certificate = RCS_CERTIFICATE_UNKNOWN_CA}},
    {{"TLS 1.1", .facts = "tls unsent", .unsafe = UNSENT, .safe = UNSENT}, {.old = true}},
    {{"an alert", .facts = "tls unsent", .unsafe = UNSENT, .safe = UNSENT}, {BARE("\x15\x03\x03\0\x02\x02\x28")}},
    {{"closed in the handshake", .facts = "tls unsent", .unsafe = UNSENT, .safe = UNSENT}, {BARE("")}},
    {{"reset in the handshake", .facts = "tls unsent", .unsafe = UNSENT, .safe = UNSENT}, {BARE(""), .resets = true}},
    {{"no handshake", .facts = "connect unsent", .connect_timeout_ms = 300, .unsafe = UNSENT, .safe = UNSENT},
     {BARE(""), .hangs = true}},
    {{"a slow handshake", .facts = "connect unsent", .connect_timeout_ms = 300, .unsafe = UNSENT, .safe = UNSENT},
     {BARE("\x16\x03\x03\x40\0\x02\0\x3f\xfc"), .trickle_ms = 20, .hangs = true}},
    {{"plain HTTP on a port of TLS", .facts = "tls unsent", .unsafe = UNSENT, .safe = UNSENT},
     {BARE("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine")}},
    {{"TLS on a port of plain HTTP", .facts = "reset", .unsafe = "D8 unknown: A12 check to model, 0",
      .safe = "D8 unknown: A6 A6 E4 check to model, 0"},
     {.plain = true}},
    {{"a client's certificate is wanted", .facts = "tls unsent", .unsafe = UNSENT, .safe = UNSENT}, {.client = true}},
    {{"HTTP/2 and nothing else", .facts = "tls unsent", .unsafe = UNSENT, .safe = UNSENT}, {.http2 = true, .answer = no_answer}},
    {{"no answer", .facts = "closed", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, {.answer = no_answer}},
    {{"no answer and a reset", .facts = "closed", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE},
     {.answer = no_answer, .abrupt = true, .resets = true}},
    {{"cut, with the end of TLS", .facts = "200", .unsafe = DONE, .safe = DONE}, {.answer = half_an_answer}},
    {{"cut, without the end of TLS", .facts = "closed 200", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE, .says = "close_notify"},
     {.answer = half_an_answer, .abrupt = true}},
    /* Who says how long the answer is, need not end TLS. */
    {{"a length, without the end of TLS", .facts = "200", .unsafe = DONE, .safe = DONE},
     {.answer = whole_answer, .abrupt = true}},
    {{"chunks, without the end of TLS", .facts = "200", .unsafe = DONE, .safe = DONE},
     {.answer = chunked_answer, .abrupt = true}},
    {{"no body, without the end of TLS", .facts = "204", .unsafe = DONE, .safe = DONE},
     {.answer = no_body, .abrupt = true}},
};

/* ---- HTTP/2 ---- */

enum { DATA = 0, HEADERS = 1, RST_STREAM = 3, PUSH_PROMISE = 5, GOAWAY = 7, CONTINUATION = 9 };
enum { END_STREAM = 1, END_HEADERS = 4 };

static void put_number(unsigned char bytes[4], unsigned number)
{
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)(number >> (24 - 8 * i));
    }
}

static void reset_stream(struct rcs_tls_peer *peer, unsigned stream, unsigned code)
{
    unsigned char bytes[4];

    put_number(bytes, code);
    (void)rcs_tls_frame(peer, RST_STREAM, 0, stream, bytes, sizeof bytes);
}

static void go_away(struct rcs_tls_peer *peer, unsigned last, unsigned code)
{
    unsigned char bytes[8];

    put_number(bytes, last);
    put_number(bytes + 4, code);
    (void)rcs_tls_frame(peer, GOAWAY, 0, 0, bytes, sizeof bytes);
}

static void begin_answer(struct rcs_tls_peer *peer, unsigned stream)
{
    (void)rcs_tls_frame(peer, HEADERS, END_HEADERS, stream, "\x88", 1); /* :status 200 */
}

static void answer_well(struct rcs_tls_peer *peer, unsigned stream)
{
    begin_answer(peer, stream);
    (void)rcs_tls_frame(peer, DATA, END_STREAM, stream, "fine", 4);
}

#define RESETS(name, code) \
    static void name(struct rcs_tls_peer *peer, unsigned stream) \
    { \
        reset_stream(peer, stream, code); \
    }
RESETS(reset_no_error, 0)
RESETS(reset_internal, 2)
RESETS(reset_refused, 7)
RESETS(reset_cancel, 8)
RESETS(reset_calm, 11)
RESETS(reset_http1, 13)

static void reset_half(struct rcs_tls_peer *peer, unsigned stream)
{
    begin_answer(peer, stream);
    (void)rcs_tls_frame(peer, DATA, 0, stream, "half", 4);
    reset_stream(peer, stream, 8);
}

static void away_below(struct rcs_tls_peer *peer, unsigned stream)
{
    (void)stream;
    go_away(peer, 0, 0);
}

static void away_above(struct rcs_tls_peer *peer, unsigned stream)
{
    go_away(peer, stream, 0);
    SSL_shutdown(peer->ssl);
}

static void away_and_answer(struct rcs_tls_peer *peer, unsigned stream)
{
    go_away(peer, stream, 0);
    answer_well(peer, stream);
}

static void away_with_error(struct rcs_tls_peer *peer, unsigned stream)
{
    go_away(peer, stream, 1);
    SSL_shutdown(peer->ssl);
}

static void close_it(struct rcs_tls_peer *peer, unsigned stream)
{
    (void)stream;
    SSL_shutdown(peer->ssl);
}

static void endless(struct rcs_tls_peer *peer, unsigned type, unsigned stream, const void *bytes, size_t size)
{
    while (rcs_tls_frame(peer, type, 0, stream, bytes, size)) {
    }
}

static void endless_body(struct rcs_tls_peer *peer, unsigned stream)
{
    static const char block[4096] = "x";

    begin_answer(peer, stream);
    endless(peer, DATA, stream, block, sizeof block);
}

static void endless_nothing(struct rcs_tls_peer *peer, unsigned stream)
{
    begin_answer(peer, stream);
    while (rcs_tls_frame(peer, DATA, 0, stream, "", 0)) {
        poll(NULL, 0, 1);
    }
}

static void endless_header(struct rcs_tls_peer *peer, unsigned stream)
{
    (void)rcs_tls_frame(peer, HEADERS, 0, stream, "\x88", 1);
    endless(peer, CONTINUATION, stream, "\0\x01" "a\x01" "b", 5); /* a: b */
}

/* One header after the other within one block: what was said once costs one byte each. */
static void many_headers(struct rcs_tls_peer *peer, unsigned stream)
{
    unsigned char block[9000] = "\x88\x40\x01" "a\x01" "b"; /* status 200; a: b, to be known as 62 */

    memset(block + 6, 0x80 | 62, sizeof block - 6);
    (void)rcs_tls_frame(peer, HEADERS, END_HEADERS, stream, block, sizeof block);
    (void)rcs_tls_frame(peer, DATA, END_STREAM, stream, "fine", 4);
}

static void endless_interim(struct rcs_tls_peer *peer, unsigned stream)
{
    while (rcs_tls_frame(peer, HEADERS, END_HEADERS, stream, "\x08\x03" "103", 5)) {
    }
}

static void push(struct rcs_tls_peer *peer, unsigned stream)
{
    (void)rcs_tls_frame(peer, PUSH_PROMISE, END_HEADERS, stream, "\0\0\0\x02\x82\x84\x87", 7);
    answer_well(peer, stream);
}

static void speak_nonsense(struct rcs_tls_peer *peer, unsigned stream)
{
    (void)stream;
    say_text(peer, "what is a frame? what is a frame? what is a frame?");
}

/*
 * What would prove by itself that nothing was done (a stream refused, a GOAWAY below it) libcurl answers by sending the request again; that
 * is stopped, and looks to us as where a kept connection ends: nobody knows.
 */
#define H2(what) {.http2 = true, .answer = what}

static const struct tls_case http2[] = {
    {{"good", .facts = "200", .unsafe = DONE, .safe = DONE}, H2(answer_well)},
    {{"RST_STREAM, no error", .facts = "reset", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(reset_no_error)},
    {{"RST_STREAM, internal error", .facts = "reset", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(reset_internal)},
    {{"RST_STREAM, refused", .facts = "closed", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(reset_refused)},
    {{"RST_STREAM, cancel", .facts = "reset", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(reset_cancel)},
    {{"RST_STREAM, calm", .facts = "reset", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(reset_calm)},
    {{"RST_STREAM, HTTP/1.1", .facts = "closed", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(reset_http1)},
    {{"RST_STREAM, half", .facts = "reset 200", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(reset_half)},
    {{"GOAWAY below", .facts = "closed", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(away_below)},
    {{"GOAWAY above, closed", .facts = "closed", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(away_above)},
    {{"GOAWAY above, answered", .facts = "200", .unsafe = DONE, .safe = DONE}, H2(away_and_answer)},
    {{"GOAWAY with an error", .facts = "closed", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(away_with_error)},
    {{"closed", .facts = "closed", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(close_it)},
    {{"endless body", .facts = "large 200", .unsafe = LARGE, .safe = LARGE}, H2(endless_body)},
    {{"endless nothing", .timeout_ms = 1500, .facts = "total 200", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(endless_nothing)},
    {{"endless header", .facts = "closed", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(endless_header)},
    {{"many headers", .facts = "large 200", .unsafe = LARGE, .safe = LARGE}, H2(many_headers)},
    {{"endless interim answers", .facts = "large 103", .unsafe = LARGE, .safe = LARGE}, H2(endless_interim)},
    {{"a push", .facts = "closed", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(push)},
    {{"nonsense", .facts = "closed", .unsafe = UNKNOWN, .safe = UNKNOWN_SAFE}, H2(speak_nonsense)},
};

/* ---- running them ---- */

static unsigned count(void *user, unsigned way)
{
    struct rcs_tls_peer *peers = user;

    return peers[way].requests;
}

static void run_all(const struct tls_case *list, size_t size, bool speaks_http2)
{
    static struct rcs_tls_peer peers[RCS_HOSTILE_MAX][RCS_HOSTILE_WAYS];
    const struct rcs_hostile_options options = {.body_max = 65536, .http2 = speaks_http2};
    static struct rcs_hostile_case cases[RCS_HOSTILE_MAX];
    static struct rcs_hostile_peer where[RCS_HOSTILE_MAX];

    for (size_t i = 0; i < size; i++) {
        cases[i] = list[i].is;
        where[i] = (struct rcs_hostile_peer){.ca_file = rcs_tls_ca_file(), .count = count, .user = peers[i]};
        for (unsigned way = 0; way < RCS_HOSTILE_WAYS; way++) {
            CU_ASSERT_TRUE_FATAL(rcs_tls_peer_start(&peers[i][way], &list[i].conduct));
            snprintf(where[i].url[way], sizeof where[i].url[way], "%s://127.0.0.1:%u/call", list[i].conduct.plain ? "http" : "https",
                     peers[i][way].port);
        }
    }
    rcs_hostile_run(cases, where, size, &options);
    for (size_t i = 0; i < size * RCS_HOSTILE_WAYS; i++) {
        rcs_tls_peer_stop(&peers[i / RCS_HOSTILE_WAYS][i % RCS_HOSTILE_WAYS]);
    }
}

static void test_tls(void)
{
    run_all(tls, RCS_COUNT(tls), false);
}

static void test_http2(void)
{
    if ((curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2) == 0) {
        printf("    this libcurl has no HTTP/2\n");
        return;
    }
    run_all(http2, RCS_COUNT(http2), true);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"TLS that fails", test_tls},
        {"streams of HTTP/2", test_http2},
    };
    int status = 1;

    if (rcs_tls_open()) {
        status = rcs_unit_main_with_port("hostile_tls", tests, RCS_COUNT(tests));
    }
    rcs_tls_close();
    return status;
}
