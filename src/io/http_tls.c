/*
 * Whether an answer that ends with its connection has ended as TLS ends, by close_notify, or was cut by whoever can close a
 * connection (RFC 9112, section 9.8). libcurl takes both for the end; so OpenSSL is asked to tell.
 */
#include "src/io/http.h"

#include <openssl/ssl.h>
#include <string.h>

bool rcs_tls_can_tell(void)
{
    const char *name = curl_version_info(CURLVERSION_NOW)->ssl_version;

    return name != NULL && strncmp(name, "OpenSSL/", strlen("OpenSSL/")) == 0; /* no other library, nor a choice of some */
}

static void on_info(const SSL *ssl, int where, int value)
{
    struct rcs_lane *lane = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));

    if (where != SSL_CB_READ_ALERT || (value & 0xff) != SSL_AD_CLOSE_NOTIFY) {
        return;
    }
    for (size_t i = 0; i < RCS_LANE_MAX; i++) {
        lane->tls[i].ended = lane->tls[i].ended || lane->tls[i].connection == ssl;
    }
}

/* For each connection, which has a context of its own. */
static CURLcode on_context(CURL *easy, void *context, void *user)
{
    struct recourse_transfer *transfer = user;

    (void)easy;
    SSL_CTX_set_app_data((SSL_CTX *)context, transfer->lane); /* which outlives its connections */
    SSL_CTX_set_info_callback((SSL_CTX *)context, on_info);
    return CURLE_OK;
}

bool rcs_tls_watch(struct recourse_transfer *transfer)
{
    return !transfer->http->tells_end ||
           (curl_easy_setopt(transfer->easy, CURLOPT_SSL_CTX_FUNCTION, on_context) == CURLE_OK &&
            curl_easy_setopt(transfer->easy, CURLOPT_SSL_CTX_DATA, transfer) == CURLE_OK);
}

void rcs_tls_begin(struct recourse_transfer *transfer)
{
    const struct curl_tlssessioninfo *info = NULL;
    struct rcs_lane *lane = transfer->lane;

    if (transfer->plain || !transfer->http->tells_end ||
        curl_easy_getinfo(transfer->easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || info == NULL ||
        info->backend != CURLSSLBACKEND_OPENSSL || info->internals == NULL) {
        return;
    }
    for (size_t i = 0; i < RCS_LANE_MAX && transfer->tls == NULL; i++) {
        if (lane->tls[i].connection == NULL) {
            transfer->tls = &lane->tls[i];
            *transfer->tls = (struct rcs_tls_end){.connection = info->internals};
        }
    }
}

void rcs_tls_forget(struct recourse_transfer *transfer)
{
    if (transfer->tls != NULL) {
        transfer->tls->connection = NULL;
        transfer->tls = NULL;
    }
}

/* Of HTTP/1 without a length or chunks, and with a body. */
static bool ends_with_connection(const struct recourse_transfer *transfer)
{
    const struct rcs_answer *answer = &transfer->answer;
    long version = 0;

    curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_VERSION, &version);
    return version < CURL_HTTP_VERSION_2_0 && !answer->has_length && !answer->has_chunks && answer->status != 204 &&
           answer->status != 304;
}

bool rcs_tls_was_cut(const struct recourse_transfer *transfer)
{
    return transfer->tls != NULL && !transfer->tls->ended && ends_with_connection(transfer);
}
