/* One exchange of HTTP on the simulated port, and what servers answer. */
#ifndef RCS_SIM_EXCHANGE_H
#define RCS_SIM_EXCHANGE_H

#include "tests/sim/broken.h"

enum sim_acts { SIM_ACTS_NEVER, SIM_ACTS_MAYBE, SIM_ACTS_ALWAYS };

/* What a server may answer. It is honest: what proves that a tool did not run is answered only where it did not. */
struct sim_answer {
    uint16_t status;
    uint8_t network;
    uint8_t timeout;
    bool unsent;
    bool protocol;
    bool asks_to_wait; /* with a delay drawn for it */
    bool silent;       /* no answer comes */
    uint8_t acts;      /* enum sim_acts */
    const char *phrase;
    const char *body;
    const char *header;
    const char *value;
};

struct recourse_transfer {
    struct world *world;
    const struct recourse_http_request *request;
    void (*done)(void *user, const struct recourse_http_response *response);
    void *user;
    struct sim_call *call;     /* NULL: none of a model */
    const struct sim_tool *tool;
    unsigned number;           /* of the try */
    uint64_t sent_ms;
    bool gone;                 /* cancelled: only the memory is left */
    bool expires;
    bool acts;
    bool dropped;
    struct sim_answer answer;
    char *body;                /* instead of the answer's; NULL */
    size_t body_size;
    size_t piece;              /* of a stream */
    struct recourse_header headers[3];
    size_t header_count;
    char delay[40];
    uint64_t delay_ms;
    char session[24];
};

/* Draws an answer of a plain server. */
struct sim_answer sim_answer_draw(struct world *world);
void sim_header_add(struct recourse_transfer *transfer, const char *name, const char *value);
/* The value of a request's header; NULL: there is none. */
const char *sim_header_of(const struct recourse_http_request *request, const char *name);
/* An MCP server makes up its mind. */
void sim_mcp_answer(struct recourse_transfer *transfer, struct sim_server *server);

#endif
