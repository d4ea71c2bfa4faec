/* What an end of an exchange means. */
#include "src/io/http.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What a result of libcurl is taken for, before it is known more exactly. */
enum kind {
    KIND_OTHER = 0,
    KIND_DNS,
    KIND_CONNECT, /* refused or unreachable: the system's error says */
    KIND_TLS,
    KIND_CLOSED,
    KIND_RESET,
    KIND_BROKEN, /* reset or closed: the system's error says; without one, not HTTP */
    KIND_PROTOCOL,
    KIND_TOO_LARGE,
    KIND_REPLAY,
    KIND_TIMEOUT
};

/*
 * HTTP/2: a stream that the server resets is a reset; a connection whose framing fails is closed by libcurl, most often
 * since the server has gone. A header over libcurl's own bound is reported as "out of memory" (27), by newer versions
 * as 100.
 */
static const struct {
    int result;
    enum kind kind;
} kinds[] = {
    {CURLE_UNSUPPORTED_PROTOCOL, KIND_PROTOCOL}, /* HTTP/0.9, which is everything that is not HTTP */
    {CURLE_COULDNT_RESOLVE_PROXY, KIND_DNS},
    {CURLE_COULDNT_RESOLVE_HOST, KIND_DNS},
    {CURLE_COULDNT_CONNECT, KIND_CONNECT},
    {CURLE_WEIRD_SERVER_REPLY, KIND_PROTOCOL},
    {CURLE_HTTP2, KIND_CLOSED},
    {CURLE_PARTIAL_FILE, KIND_CLOSED},
    {CURLE_WRITE_ERROR, KIND_PROTOCOL}, /* not our callbacks: a content encoding that can't be undone */
    {CURLE_OUT_OF_MEMORY, KIND_TOO_LARGE},
    {CURLE_OPERATION_TIMEDOUT, KIND_TIMEOUT},
    {CURLE_SSL_CONNECT_ERROR, KIND_TLS},
    {CURLE_ABORTED_BY_CALLBACK, KIND_REPLAY},
    {CURLE_GOT_NOTHING, KIND_CLOSED},
    {CURLE_SSL_ENGINE_NOTFOUND, KIND_TLS},
    {CURLE_SSL_ENGINE_SETFAILED, KIND_TLS},
    {CURLE_SEND_ERROR, KIND_BROKEN},
    {CURLE_RECV_ERROR, KIND_BROKEN},
    {CURLE_SSL_CERTPROBLEM, KIND_TLS},
    {CURLE_SSL_CIPHER, KIND_TLS},
    {CURLE_PEER_FAILED_VERIFICATION, KIND_TLS},
    {CURLE_SEND_FAIL_REWIND, KIND_REPLAY},
    {CURLE_BAD_CONTENT_ENCODING, KIND_PROTOCOL},
    {CURLE_SSL_ENGINE_INITFAILED, KIND_TLS},
    {CURLE_SSL_CACERT_BADFILE, KIND_TLS},
    {CURLE_SSL_SHUTDOWN_FAILED, KIND_TLS},
    {CURLE_SSL_CRL_BADFILE, KIND_TLS},
    {CURLE_SSL_ISSUER_ERROR, KIND_TLS},
    {CURLE_SSL_PINNEDPUBKEYNOTMATCH, KIND_TLS},
    {CURLE_SSL_INVALIDCERTSTATUS, KIND_TLS},
    {CURLE_HTTP2_STREAM, KIND_RESET},
    {CURLE_HTTP3, KIND_RESET},
    {CURLE_SSL_CLIENTCERT, KIND_TLS},
    {100, KIND_TOO_LARGE},
};

static enum kind kind_of(CURLcode result)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].result == (int)result) {
            return kinds[i].kind;
        }
    }
    return KIND_OTHER;
}

bool rcs_http_sent(const struct recourse_transfer *transfer)
{
    long size = 0;

    if (transfer->sendings > 0) {
        curl_easy_getinfo(transfer->easy, CURLINFO_REQUEST_SIZE, &size);
    }
    return size > 0;
}

/* The system's error of this exchange; one that was there before the request was sent belongs to another address. */
static long errno_of(const struct recourse_transfer *transfer)
{
    long number = 0;

    curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &number);
    return transfer->sendings > 0 && number == transfer->errno_before ? 0 : number;
}

static enum recourse_network network_of_connect(long number)
{
    switch (number) {
    case ECONNREFUSED:
        return RECOURSE_NETWORK_REFUSED;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case EHOSTDOWN:
    case ETIMEDOUT:
        return RECOURSE_NETWORK_UNREACHABLE;
    default:
        return RECOURSE_NETWORK_OTHER;
    }
}

static void judge_broken(const struct recourse_transfer *transfer, struct recourse_http_response *response)
{
    long number = errno_of(transfer);

    if (number == ECONNRESET) {
        response->network = RECOURSE_NETWORK_RESET;
    } else if (transfer->sendings == 0) {
        response->network = RECOURSE_NETWORK_OTHER; /* a proxy that will not connect us */
    } else if (number == 0 && transfer->plain) {
        response->protocol = true; /* chunks that can't be read */
    } else {
        response->network = RECOURSE_NETWORK_CLOSED;
    }
}

/* libcurl was about to send the request again, or had to connect again for that. */
static void judge_replay(struct recourse_transfer *transfer, struct recourse_http_response *response)
{
    bool reset = errno_of(transfer) == ECONNRESET;

    response->network = reset ? RECOURSE_NETWORK_RESET : RECOURSE_NETWORK_CLOSED;
    snprintf(transfer->detail, sizeof transfer->detail, "the server %s a kept connection %s",
             reset ? "reset" : "closed",
             response->sent ? "after the request was sent on it; it is not sent again"
                            : "before the request was sent on it");
}

static void judge_before_sending(const struct recourse_transfer *transfer, enum kind kind,
                                 struct recourse_http_response *response)
{
    if (kind == KIND_DNS) {
        response->network = RECOURSE_NETWORK_DNS;
    } else if (kind == KIND_TLS) {
        response->network = RECOURSE_NETWORK_TLS;
    } else {
        response->network = (uint8_t)network_of_connect(errno_of(transfer));
    }
}

static void judge_kind(struct recourse_transfer *transfer, enum kind kind, struct recourse_http_response *response)
{
    switch (kind) {
    case KIND_DNS:
    case KIND_CONNECT:
    case KIND_TLS:
        /* These promise that nothing was sent. */
        if (transfer->sendings > 0) {
            response->network = RECOURSE_NETWORK_CLOSED;
        } else {
            judge_before_sending(transfer, kind, response);
        }
        break;
    case KIND_CLOSED:
        response->network = RECOURSE_NETWORK_CLOSED;
        break;
    case KIND_RESET:
        response->network = RECOURSE_NETWORK_RESET;
        break;
    case KIND_BROKEN:
        judge_broken(transfer, response);
        break;
    case KIND_TIMEOUT:
        response->timeout = transfer->sendings > 0 ? RECOURSE_TIMEOUT_OTHER : RECOURSE_TIMEOUT_CONNECT;
        break;
    case KIND_PROTOCOL:
        response->protocol = transfer->sendings > 0;
        break;
    case KIND_TOO_LARGE:
        response->too_large = transfer->sendings > 0 && transfer->answer.stage != RCS_ANSWER_BODY;
        if (response->too_large) {
            snprintf(transfer->detail, sizeof transfer->detail, "the answer's header has a line that is too long");
        }
        break;
    case KIND_REPLAY:
        judge_replay(transfer, response);
        break;
    case KIND_OTHER:
        break;
    }
    if (response->network == 0 && response->timeout == 0 && !response->protocol && !response->too_large) {
        response->network = RECOURSE_NETWORK_OTHER;
    }
}

static void say_too_large(struct recourse_transfer *transfer)
{
    const struct rcs_answer *answer = &transfer->answer;
    bool head = answer->stage != RCS_ANSWER_BODY || answer->head_too_large;

    if (answer->head_lines > RCS_HTTP_HEAD_LINES_MAX) {
        snprintf(transfer->detail, sizeof transfer->detail, "the answer's header has more than %u lines",
                 RCS_HTTP_HEAD_LINES_MAX);
        return;
    }
    snprintf(transfer->detail, sizeof transfer->detail, "the answer's %s is larger than %zu bytes",
             head ? "header" : "body", head ? (size_t)RCS_HTTP_HEAD_MAX : answer->body.limit);
}

static bool judge_answer(struct recourse_transfer *transfer, struct recourse_http_response *response)
{
    const struct rcs_answer *answer = &transfer->answer;

    if (answer->too_large) {
        response->too_large = true;
        say_too_large(transfer);
        return true;
    }
    if (answer->refused != NULL) {
        response->protocol = true;
        snprintf(transfer->detail, sizeof transfer->detail, "%s", answer->refused);
        return true;
    }
    if (answer->no_memory || transfer->no_watch) {
        response->network = RECOURSE_NETWORK_OTHER;
        snprintf(transfer->detail, sizeof transfer->detail, "no memory for the %s",
                 answer->no_memory ? "answer" : "connection");
        return true;
    }
    return false;
}

/* libcurl's "Unsupported proxy syntax in '...'", "Could not resolve proxy" and their like have the proxy in them, password and
   all, or a piece of it. */
static bool may_show_password(const struct recourse_transfer *transfer)
{
    return (strstr(transfer->detail, "proxy") != NULL && transfer->request->proxy != NULL) ||
           (strchr(transfer->detail, '@') != NULL && strchr(transfer->request->url, '@') != NULL);
}

void rcs_http_judge(struct recourse_transfer *transfer, CURLcode result, struct recourse_http_response *response)
{
    response->sent = rcs_http_sent(transfer);
    if (transfer->replayed) {
        judge_replay(transfer, response);
        return;
    }
    if (transfer->enough || judge_answer(transfer, response)) {
        return;
    }
    if (result != CURLE_OK) {
        judge_kind(transfer, kind_of(result), response);
        if (transfer->detail[0] == '\0' || may_show_password(transfer)) {
            snprintf(transfer->detail, sizeof transfer->detail, "%s", curl_easy_strerror(result));
        }
        return;
    }
    if (transfer->answer.stage != RCS_ANSWER_BODY) {
        /* For libcurl a header that breaks off is an answer. */
        response->network = RECOURSE_NETWORK_CLOSED;
        snprintf(transfer->detail, sizeof transfer->detail, "the connection was closed within the answer's header");
    } else if (rcs_tls_was_cut(transfer)) {
        response->network = RECOURSE_NETWORK_CLOSED;
        snprintf(transfer->detail, sizeof transfer->detail, "the connection was closed without the end of TLS (close_notify): "
                                                            "the answer may have been cut");
    }
}

void rcs_http_judge_timeout(struct recourse_transfer *transfer, enum recourse_timeout timeout,
                            struct recourse_http_response *response)
{
    char *detail = transfer->detail;
    size_t size = sizeof transfer->detail;

    response->sent = rcs_http_sent(transfer);
    response->timeout = (uint8_t)timeout;
    switch (timeout) {
    case RECOURSE_TIMEOUT_CONNECT:
        snprintf(detail, size, "no connection within %" PRIu64 " ms", transfer->request->connect_timeout_ms);
        break;
    case RECOURSE_TIMEOUT_READ:
        snprintf(detail, size, "nothing came for %" PRIu64 " ms", transfer->request->read_timeout_ms);
        break;
    default:
        snprintf(detail, size, "not done when its time was over");
        break;
    }
}
