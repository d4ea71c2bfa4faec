/* For the tests of HTTP: a port, a scripted server, and exchanges between them. */
#ifndef RCS_EXCHANGE_H
#define RCS_EXCHANGE_H

#include "tests/unit/peer.h"

#include <recourse/port.h>

/* No exchange takes this long; it ends a test that hangs. */
#define LONG_MS 20000
#define BODY_MAX 1000
#define OK "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

/* Steps of scripts. */
#define EXPECTS {PEER_EXPECT, NULL, 0, 0}
#define SENDS(text) {PEER_SEND, text, 0, 0}
#define ENDS {PEER_END, NULL, 0, 0}
#define RESETS {PEER_RESET, NULL, 0, 0}
#define FLOODS(text) {PEER_FLOOD, text, 0, 0}
#define HANGS {PEER_HANG, NULL, 0, 0}
#define AGAIN {PEER_AGAIN, NULL, 0, 0}

extern struct recourse_port *exchange_port;
extern struct peer *exchange_peer;

/* One exchange, and a copy of what came of it. */
struct exchange {
    struct recourse_http_request request;
    struct recourse_transfer *transfer;
    void (*then)(struct exchange *exchange); /* called from `done`; may be NULL */
    struct exchange *other;
    unsigned done;
    struct recourse_http_response response; /* its pointers are stale */
    char url[256];
    char phrase[64];
    char headers[512]; /* "name=value|" each */
    char detail[256];
    char body[BODY_MAX + 1];
};

/* Opens the port, alone or with a server that plays these scripts. */
void exchange_open_port(const struct recourse_port_options *options);
void exchange_open(const struct peer_step *const *scripts, size_t count);
void exchange_close(void);

/* Fills in a request to 127.0.0.1; a POST has the body "{}". */
void exchange_init(struct exchange *exchange, const char *method, unsigned at_port);
int exchange_start(struct exchange *exchange);
/* Polls until it is done, and asserts that it was once. */
void exchange_finish(const struct exchange *exchange);
void exchange_run(struct exchange *exchange);
/* A whole GET to the server. */
void exchange_get(struct exchange *exchange);

#endif
