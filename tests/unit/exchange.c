#include "tests/unit/exchange.h"

#include "tests/unit/unit.h"

#include <recourse/policy.h>

struct recourse_port *exchange_port;
struct peer *exchange_peer;

static void copy(char *to, size_t room, struct recourse_span text)
{
    snprintf(to, room, "%.*s", (int)text.size, text.size > 0 ? text.data : "");
}

static void on_done(void *user, const struct recourse_http_response *response)
{
    struct exchange *exchange = user;
    size_t used = 0;

    exchange->done++;
    exchange->response = *response;
    copy(exchange->phrase, sizeof exchange->phrase, response->phrase);
    copy(exchange->body, sizeof exchange->body, response->body);
    snprintf(exchange->detail, sizeof exchange->detail, "%s", response->detail);
    for (size_t i = 0; i < response->header_count && used < sizeof exchange->headers; i++) {
        const struct recourse_header *header = &response->headers[i];

        used += (size_t)snprintf(exchange->headers + used, sizeof exchange->headers - used, "%.*s=%.*s|",
                                 (int)header->name.size, header->name.data, (int)header->value.size,
                                 header->value.data);
    }
    if (exchange->then != NULL) {
        exchange->then(exchange);
    }
}

static void wake(void *user)
{
    (void)user;
    exchange_port->wake(exchange_port->self);
}

void exchange_open_port(const struct recourse_port_options *options)
{
    struct recourse_error error;

    if (recourse_port_new(options, &exchange_port, &error) != 0) {
        fprintf(stderr, "no port: %s\n", error.text);
        exit(2);
    }
}

void exchange_open(const struct peer_step *const *scripts, size_t count)
{
    exchange_open_port(NULL);
    exchange_peer = peer_start(scripts, count, wake, NULL);
}

void exchange_close(void)
{
    peer_stop(exchange_peer); /* it wakes the port */
    recourse_port_free(exchange_port);
}

void exchange_init(struct exchange *exchange, const char *method, unsigned at_port)
{
    *exchange = (struct exchange){.done = 0};
    snprintf(exchange->url, sizeof exchange->url, "http://127.0.0.1:%u/path?q=1", at_port);
    exchange->request.method = method;
    exchange->request.url = exchange->url;
    exchange->request.deadline_ms = exchange_port->now_ms(exchange_port->self) + LONG_MS;
    exchange->request.body_max = BODY_MAX;
    if (strcmp(method, "POST") == 0) {
        exchange->request.body = (struct recourse_span){"{}", 2};
    }
}

int exchange_start(struct exchange *exchange)
{
    return exchange_port->http_start(exchange_port->self, &exchange->request, on_done, exchange, &exchange->transfer);
}

void exchange_finish(const struct exchange *exchange)
{
    while (exchange->done == 0) {
        RCS_EQUAL(exchange_port->poll(exchange_port->self, RECOURSE_FOREVER), 0);
    }
    RCS_EQUAL(exchange->done, 1);
}

void exchange_run(struct exchange *exchange)
{
    RCS_EQUAL(exchange_start(exchange), 0);
    RCS_EQUAL(exchange->done, 0);
    exchange_finish(exchange);
}

void exchange_get(struct exchange *exchange)
{
    exchange_init(exchange, "GET", peer_port(exchange_peer));
    exchange_run(exchange);
}
