#include "tests/run/tls_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DAY_S 86400L
#define REQUEST_MAX 16384u

static EVP_PKEY *key; /* of all: what differs is who says whose it is */
static EVP_PKEY *known_key;
static EVP_PKEY *unknown_key;
static X509 *certificates[RCS_CERTIFICATE_COUNT];
static char ca_file[64];

/* ---- certificates ---- */

struct certificate {
    const char *subject;
    const char *issuer;
    const char *host; /* NULL: an authority */
    long from_s, until_s;
    EVP_PKEY *key, *signer;
};

static bool add_extension(X509 *certificate, int kind, const char *text)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, kind, text);
    bool good = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;

    X509_EXTENSION_free(extension);
    return good;
}

static bool name(X509_NAME *of, const char *text)
{
    return X509_NAME_add_entry_by_txt(of, "CN", MBSTRING_ASC, (const unsigned char *)text, -1, -1, 0) == 1;
}

static X509 *make(const struct certificate *wanted)
{
    static long number = 1;
    X509 *made = X509_new();
    bool good = made != NULL && X509_set_version(made, 2) == 1 && ASN1_INTEGER_set(X509_get_serialNumber(made), number++) == 1 &&
                X509_gmtime_adj(X509_getm_notBefore(made), wanted->from_s) != NULL &&
                X509_gmtime_adj(X509_getm_notAfter(made), wanted->until_s) != NULL && X509_set_pubkey(made, wanted->key) == 1 &&
                name(X509_get_subject_name(made), wanted->subject) && name(X509_get_issuer_name(made), wanted->issuer);

    if (good && wanted->host != NULL) {
        good = add_extension(made, NID_subject_alt_name, wanted->host);
    } else if (good) {
        good = add_extension(made, NID_basic_constraints, "critical,CA:TRUE");
    }
    if (!good || X509_sign(made, wanted->signer, EVP_sha256()) == 0) {
        X509_free(made);
        return NULL;
    }
    return made;
}

static bool make_all(void)
{
    const struct certificate all[RCS_CERTIFICATE_COUNT] = {
        [RCS_CERTIFICATE_GOOD] = {"server", "known", "IP:127.0.0.1", -DAY_S, DAY_S, key, known_key},
        [RCS_CERTIFICATE_EXPIRED] = {"server", "known", "IP:127.0.0.1", -2 * DAY_S, -DAY_S, key, known_key},
        [RCS_CERTIFICATE_NOT_YET] = {"server", "known", "IP:127.0.0.1", DAY_S, 2 * DAY_S, key, known_key},
        [RCS_CERTIFICATE_OTHER_HOST] = {"server", "known", "DNS:other.example,IP:127.0.0.2", -DAY_S, DAY_S, key, known_key},
        [RCS_CERTIFICATE_SELF_SIGNED] = {"server", "server", "IP:127.0.0.1", -DAY_S, DAY_S, key, key},
        [RCS_CERTIFICATE_UNKNOWN_CA] = {"server", "unknown", "IP:127.0.0.1", -DAY_S, DAY_S, key, unknown_key},
    };
    bool good = true;

    for (size_t i = 0; i < RCS_CERTIFICATE_COUNT; i++) {
        certificates[i] = make(&all[i]);
        good = good && certificates[i] != NULL;
    }
    return good;
}

static bool write_ca(void)
{
    const struct certificate wanted = {"known", "known", NULL, -DAY_S, DAY_S, known_key, known_key};
    X509 *authority = make(&wanted);
    FILE *file = NULL;
    bool good;
    int fd;

    snprintf(ca_file, sizeof ca_file, "%s/recourse-ca.XXXXXX", P_tmpdir);
    fd = mkstemp(ca_file);
    file = fd >= 0 ? fdopen(fd, "w") : NULL;
    good = authority != NULL && file != NULL && PEM_write_X509(file, authority) == 1;
    X509_free(authority);
    return file != NULL && fclose(file) == 0 && good;
}

bool rcs_tls_open(void)
{
    key = EVP_EC_gen("P-256");
    known_key = EVP_EC_gen("P-256");
    unknown_key = EVP_EC_gen("P-256");
    return key != NULL && known_key != NULL && unknown_key != NULL && make_all() && write_ca();
}

void rcs_tls_close(void)
{
    for (size_t i = 0; i < RCS_CERTIFICATE_COUNT; i++) {
        X509_free(certificates[i]);
        certificates[i] = NULL;
    }
    EVP_PKEY_free(key);
    EVP_PKEY_free(known_key);
    EVP_PKEY_free(unknown_key);
    (void)unlink(ca_file);
}

const char *rcs_tls_ca_file(void)
{
    return ca_file;
}

/* ---- a connection ---- */

bool rcs_tls_say(struct rcs_tls_peer *peer, const void *bytes, size_t size)
{
    return SSL_write(peer->ssl, bytes, (int)size) > 0;
}

bool rcs_tls_frame(struct rcs_tls_peer *peer, unsigned type, unsigned flags, unsigned stream, const void *bytes, size_t size)
{
    unsigned char frame[9 + 16384] = {(unsigned char)(size >> 16), (unsigned char)(size >> 8), (unsigned char)size,
                                      (unsigned char)type,          (unsigned char)flags,       (unsigned char)(stream >> 24),
                                      (unsigned char)(stream >> 16), (unsigned char)(stream >> 8), (unsigned char)stream};

    memcpy(frame + 9, bytes, size);
    return rcs_tls_say(peer, frame, 9 + size);
}

static bool read_all(struct rcs_tls_peer *peer, unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        int got = SSL_read(peer->ssl, bytes + at, (int)(size - at));

        if (got <= 0) {
            return false;
        }
        at += (size_t)got;
    }
    return true;
}

static void speak_http1(struct rcs_tls_peer *peer)
{
    static const char fine[] = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine";
    char text[REQUEST_MAX];
    size_t size = 0;
    int got;

    while ((got = SSL_read(peer->ssl, text + size, (int)(sizeof text - 1 - size))) > 0) {
        size += (size_t)got;
        text[size] = '\0';
        if (strstr(text, "\r\n\r\n{}") == NULL) {
            continue;
        }
        peer->requests++;
        size = 0;
        if (peer->conduct->answer != NULL) {
            peer->conduct->answer(peer, 0);
            return;
        }
        (void)rcs_tls_say(peer, fine, sizeof fine - 1);
    }
}

/* Reads frames until the client goes; each whole request is answered. */
static void speak_http2(struct rcs_tls_peer *peer)
{
    unsigned char head[24]; /* first of all the preface of the connection */
    unsigned char body[REQUEST_MAX];
    bool good = read_all(peer, head, 24) && rcs_tls_frame(peer, 4, 0, 0, "", 0);

    while (good && read_all(peer, head, 9)) {
        size_t size = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
        unsigned stream = (unsigned)head[5] << 24 | (unsigned)head[6] << 16 | (unsigned)head[7] << 8 | head[8];

        if (size > sizeof body || !read_all(peer, body, size)) {
            return;
        }
        peer->requests += head[3] == 1;
        if (head[3] == 4 && (head[4] & 1) == 0) {
            good = rcs_tls_frame(peer, 4, 1, 0, "", 0); /* settings are acknowledged */
        } else if (head[3] <= 1 && (head[4] & 1) != 0) {
            peer->conduct->answer(peer, stream); /* DATA or HEADERS that end the request */
        }
    }
}

static void speak_bare(const struct rcs_tls_peer *peer, int fd)
{
    const struct rcs_tls_conduct *conduct = peer->conduct;
    char text[REQUEST_MAX];
    size_t step = conduct->trickle_ms > 0 ? 1 : conduct->bare_size;

    if (recv(fd, text, sizeof text, 0) <= 0) {
        return;
    }
    for (size_t at = 0; at < conduct->bare_size; at += step) {
        if (send(fd, conduct->bare + at, step, MSG_NOSIGNAL) <= 0) {
            return;
        }
        if (conduct->trickle_ms > 0) {
            poll(NULL, 0, (int)conduct->trickle_ms);
        }
    }
}

static void wait_for_its_end(int fd)
{
    char text[4096];

    while (recv(fd, text, sizeof text, 0) > 0) {
    }
}

static void serve_one(struct rcs_tls_peer *peer, int fd)
{
    const struct rcs_tls_conduct *conduct = peer->conduct;
    struct linger hard = {.l_onoff = 1, .l_linger = 0};

    if (conduct->bare != NULL) {
        speak_bare(peer, fd);
    } else {
        peer->ssl = SSL_new(peer->context);
        SSL_set_fd(peer->ssl, fd);
        if (SSL_accept(peer->ssl) == 1) {
            (conduct->http2 ? speak_http2 : speak_http1)(peer);
        }
        if (!conduct->abrupt && !conduct->hangs) {
            SSL_shutdown(peer->ssl);
        }
    }
    if (conduct->hangs) {
        wait_for_its_end(fd);
    }
    if (conduct->resets) {
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    }
    SSL_free(peer->ssl);
    peer->ssl = NULL;
    close(fd);
}

static void *serve(void *user)
{
    struct rcs_tls_peer *peer = user;
    struct timeval limit = {.tv_sec = 20};
    sigset_t pipes;
    int one = 1;
    int fd;

    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipes, NULL);
    while ((fd = accept(peer->listener, NULL, NULL)) >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        serve_one(peer, fd);
    }
    return NULL;
}

/* ---- the peer ---- */

static int choose_http2(SSL *ssl, const unsigned char **out, unsigned char *size, const unsigned char *in, unsigned count, void *user)
{
    (void)ssl, (void)user;
    if (SSL_select_next_proto((unsigned char **)(uintptr_t)out, size, (const unsigned char *)"\x02h2", 3, in, count) !=
        OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    return SSL_TLSEXT_ERR_OK;
}

static SSL_CTX *make_context(const struct rcs_tls_conduct *conduct)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    bool good = context != NULL && SSL_CTX_use_certificate(context, certificates[conduct->certificate]) == 1 &&
                SSL_CTX_use_PrivateKey(context, key) == 1;

    if (good && conduct->old) {
        SSL_CTX_set_security_level(context, 0);
        good = SSL_CTX_set_min_proto_version(context, TLS1_VERSION) == 1 &&
               SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION) == 1;
    }
    if (good && conduct->client) { /* with 1.3 clients hear of it when they have sent their request already, or just before */
        good = SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION) == 1;
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    }
    if (good && conduct->http2) {
        SSL_CTX_set_alpn_select_cb(context, choose_http2, NULL);
    }
    if (!good) {
        SSL_CTX_free(context);
        return NULL;
    }
    return context;
}

bool rcs_tls_peer_start(struct rcs_tls_peer *peer, const struct rcs_tls_conduct *conduct)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    *peer = (struct rcs_tls_peer){.conduct = conduct, .listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (conduct->bare == NULL) {
        peer->context = make_context(conduct);
    }
    if (peer->listener < 0 || (conduct->bare == NULL && peer->context == NULL) ||
        bind(peer->listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(peer->listener, 16) != 0 ||
        getsockname(peer->listener, (struct sockaddr *)&address, &size) != 0) {
        return false;
    }
    peer->port = ntohs(address.sin_port);
    return pthread_create(&peer->thread, NULL, serve, peer) == 0;
}

void rcs_tls_peer_stop(struct rcs_tls_peer *peer)
{
    shutdown(peer->listener, SHUT_RDWR);
    pthread_join(peer->thread, NULL);
    close(peer->listener);
    SSL_CTX_free(peer->context);
}
