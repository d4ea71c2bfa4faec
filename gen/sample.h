/* Facts made to order: they meet some conditions, and as little else as possible. */
#ifndef RCS_SAMPLE_H
#define RCS_SAMPLE_H

#include "spec.h"

#define RCS_SAMPLE_ATOMS_MAX 256u

/* The conditions that are to be met. */
struct rcs_wanted {
    const struct recourse_atom *atoms[RCS_SAMPLE_ATOMS_MAX];
    size_t count;
    bool result; /* some of them are about an answer that claims success */
};

/* What makes facts a failure, where no condition does. */
enum rcs_carrier {
    RCS_CARRIER_NONE = 0,
    RCS_CARRIER_TEXT = 1, /* a line break: no condition finds it */
    RCS_CARRIER_TOOL_ERROR = 2,
    RCS_CARRIER_NETWORK = 3,
    RCS_CARRIER_TIMEOUT = 4,
    RCS_CARRIER_PROTOCOL = 5,
    RCS_CARRIER_RPC = 6,
    RCS_CARRIER_SESSION = 7,
    RCS_CARRIER_TOO_LARGE = 8,
    RCS_CARRIER_SPAWN = 9,
    RCS_CARRIER_SIGNAL = 10,
    RCS_CARRIER_INTERRUPTED = 11,
    RCS_CARRIER_EXIT = 12,
    RCS_CARRIER_COUNT = 13
};

/* One choice for each thing that can be but one. */
struct rcs_choice {
    int64_t http, exit_status; /* -1: none */
    int64_t rpc;
    bool has_rpc;
    uint8_t network, timeout;
    const char *tool;
    const char *around; /* each text: "" or a letter, so that it is no word */
    bool phrase;        /* the standard one */
    uint8_t carrier;
};

bool rcs_wants(const struct rcs_wanted *wanted, uint8_t kind);

/* False where there are no such facts: a text and an object at one place of their JSON. */
bool rcs_sample_make(struct rcs_arena *arena, const struct rcs_wanted *wanted, const struct rcs_choice *choice,
                     struct recourse_facts *facts);

/* Facts as `recourse classify` reads them: one object. */
const char *rcs_sample_text(struct rcs_arena *arena, const struct recourse_facts *facts);

#endif
