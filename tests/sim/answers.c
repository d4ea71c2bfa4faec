/* What plain servers answer. */
#include "tests/sim/exchange.h"

#define NEVER SIM_ACTS_NEVER
#define MAYBE SIM_ACTS_MAYBE
#define ALWAYS SIM_ACTS_ALWAYS
#define NET(kind) .network = RECOURSE_NETWORK_##kind

static const struct sim_answer fine[] = {
    {.status = 200, .acts = ALWAYS, .phrase = "OK", .body = "fine"},
    {.status = 200, .acts = ALWAYS, .phrase = "OK", .body = "{\"n\":9007199254740993,\"list\":[1,2,3]}"},
    {.status = 204, .acts = ALWAYS, .phrase = "No Content"},
    {.status = 201, .acts = ALWAYS, .body = "Found 1429 pods\nwith \xff\xfe and \x01"},
    {.status = 202, .acts = ALWAYS, .body = "{\"result\":{\"type\":\"text\"}}", .header = "Content-Type", .value = "application/json"},
};

static const struct sim_answer troubles[] = {
    {.status = 200, .acts = MAYBE, .body = "{\"error\":\"API rate limit reached\"}"},
    {.status = 200, .acts = MAYBE, .body = "{\"ok\":false,\"state\":\"failed\"}"},
    {.status = 200, .acts = MAYBE, .body = "Oops"},
    {.status = 302, .acts = MAYBE, .header = "Location", .value = "http://elsewhere/"},
    {.status = 400, .phrase = "Bad Request", .body = "{\"error\":{\"code\":\"gone\",\"message\":\"Away\"}}"},
    {.status = 400, .body = "Bad Request: No valid session ID provided"},
    {.status = 401, .phrase = "Unauthorized", .body = "who are you?"},
    {.status = 403, .body = "You have exceeded a secondary rate limit"},
    {.status = 403, .phrase = "Forbidden"},
    {.status = 404, .body = "no such thing"},
    {.status = 408, .phrase = "Request Timeout"},
    {.status = 409, .body = "conflict"},
    {.status = 413, .body = "<html><body>too large</body></html>", .header = "Content-Type", .value = "text/html"},
    {.status = 422, .body = "{\"error\":\"q is no number\"}"},
    {.status = 425, .phrase = "Too Early"},
    {.status = 429, .asks_to_wait = true, .body = "slow down"},
    {.status = 429, .asks_to_wait = true},
    {.status = 429, .phrase = "Too Many Requests"},
    {.status = 429, .header = "x-should-retry", .value = "false"},
    {.status = 500, .acts = MAYBE, .body = "it broke"},
    {.status = 500, .body = "{\"http_code\":\"401\"}"},
    {.status = 500, .acts = MAYBE, .body = "it's \"lost\" \\"},
    {.status = 500, .acts = MAYBE, .header = "x-should-retry", .value = "false"},
    {.status = 502, .acts = MAYBE, .phrase = "Bad Gateway"},
    {.status = 503, .acts = MAYBE, .asks_to_wait = true, .body = "temporarily overloaded"},
    {.status = 503, .header = "x-should-retry", .value = "true"},
    {.status = 503, .header = "x-why", .value = "we are Busy now"},
    {.status = 504, .acts = MAYBE, .phrase = "Gateway Timeout"},
    {.status = 524, .acts = MAYBE},
    {.status = 599, .acts = MAYBE, .asks_to_wait = true},
    {NET(REFUSED), .unsent = true},
    {NET(UNREACHABLE), .unsent = true},
    {NET(DNS), .unsent = true},
    {NET(TLS), .unsent = true},
    {.timeout = RECOURSE_TIMEOUT_CONNECT, .unsent = true},
    {NET(CLOSED), .unsent = true},
    {NET(RESET), .acts = MAYBE},
    {NET(RESET), .acts = ALWAYS},
    {NET(CLOSED), .acts = ALWAYS},
    {NET(CLOSED), .acts = MAYBE, .status = 200},
    {NET(OTHER), .acts = MAYBE},
    {.timeout = RECOURSE_TIMEOUT_READ, .acts = MAYBE},
    {.protocol = true, .acts = MAYBE},
    {.silent = true, .acts = MAYBE},
    {.silent = true, .acts = ALWAYS},
};

struct sim_answer sim_answer_draw(struct world *world)
{
    if (sim_chance(&world->random, world->trouble)) {
        return troubles[sim_below(&world->random, sizeof troubles / sizeof troubles[0])];
    }
    return fine[sim_below(&world->random, sizeof fine / sizeof fine[0])];
}
