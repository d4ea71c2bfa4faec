/*
 * A server that speaks TLS and fails at it, and one that speaks HTTP/2 and ends streams in all ways: one thread, one connection
 * after the other, on 127.0.0.1. Keys and certificates are made when the tests run.
 */
#ifndef RCS_RUN_TLS_PEER_H
#define RCS_RUN_TLS_PEER_H

#include <openssl/ssl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* What is wrong with a certificate. */
enum rcs_certificate {
    RCS_CERTIFICATE_GOOD = 0,
    RCS_CERTIFICATE_EXPIRED = 1,
    RCS_CERTIFICATE_NOT_YET = 2,
    RCS_CERTIFICATE_OTHER_HOST = 3,
    RCS_CERTIFICATE_SELF_SIGNED = 4,
    RCS_CERTIFICATE_UNKNOWN_CA = 5,
    RCS_CERTIFICATE_COUNT = 6
};

struct rcs_tls_peer;

/* How a peer is. */
struct rcs_tls_conduct {
    enum rcs_certificate certificate;
    bool old;         /* nothing newer than TLS 1.1 */
    bool client;      /* a certificate of the client is wanted */
    bool http2;       /* by ALPN */
    bool plain;       /* clients are told that it speaks plain HTTP, and it doesn't */
    const char *bare; /* these bytes instead of a handshake; "": none at all */
    size_t bare_size;
    unsigned trickle_ms; /* between them */
    bool hangs;       /* after them, or after what `answer` says; else the connection is closed */
    bool resets;      /* and with a reset */
    bool abrupt;      /* closed without the end that TLS has (close_notify) */
    /* Sends what comes instead of "200" with "fine". Over HTTP/2 `stream` is that of the request. */
    void (*answer)(struct rcs_tls_peer *peer, unsigned stream);
};

struct rcs_tls_peer {
    const struct rcs_tls_conduct *conduct;
    SSL_CTX *context; /* NULL: no TLS */
    SSL *ssl;         /* of the connection under way */
    int listener;
    unsigned port;
    pthread_t thread;
    atomic_uint requests;
};

/* Makes keys, two authorities and certificates, and writes the authority that clients know into a file. False: that failed. */
bool rcs_tls_open(void);
void rcs_tls_close(void);
const char *rcs_tls_ca_file(void);

bool rcs_tls_peer_start(struct rcs_tls_peer *peer, const struct rcs_tls_conduct *conduct);
void rcs_tls_peer_stop(struct rcs_tls_peer *peer);

/* For `answer`: false once the client has gone. */
bool rcs_tls_say(struct rcs_tls_peer *peer, const void *bytes, size_t size);
/* One frame of HTTP/2. */
bool rcs_tls_frame(struct rcs_tls_peer *peer, unsigned type, unsigned flags, unsigned stream, const void *bytes, size_t size);

#endif
