/* `run --approve`: who says whether a call that needs approval is run. */
#ifndef RCS_RUN_APPROVE_H
#define RCS_RUN_APPROVE_H

#include <recourse/runner.h>

#include "gen/arena.h"

enum rcs_approve {
    RCS_APPROVE_DEFAULT = 0, /* asks if there is a terminal, refuses if not */
    RCS_APPROVE_ASK = 1,
    RCS_APPROVE_YES = 2,
    RCS_APPROVE_NO = 3
};

/* "ask", "yes", "no". False: none of them. */
bool rcs_approve_read(const char *text, enum rcs_approve *mode);

/* Questions on a terminal, one after the other; the loop goes on meanwhile. */
struct rcs_approver;

/* A descriptor of the terminal that this process belongs to, for rcs_approver_new; -1 with errno set: there is none, or it is
   somebody else's turn there. */
int rcs_approve_terminal(void);
/* Takes `fd`, which does not block. `port` is watched through; `before` is called before something is written. */
struct rcs_approver *rcs_approver_new(struct recourse_port *port, int fd, void (*before)(void *user), void *user);
/* While the port is still there. */
void rcs_approver_free(struct rcs_approver *approver);
/* Puts the question, now or when its turn comes. Returns RECOURSE_APPROVE_LATER. */
int rcs_approver_ask(struct rcs_approver *approver, struct recourse_runner *runner,
                     struct recourse_approval_request *request);
/* Call `index` of the turn has its result: nobody is asked about it any more. NULL: nothing happens. */
void rcs_approver_ended(struct rcs_approver *approver, size_t index);
/* Whether a question is on the screen. NULL: no. */
bool rcs_approver_asks(const struct rcs_approver *approver);

/* What a person is shown: `lookup {"a":1}` on one line. What a screen would not show as it is, is written as an escape;
   what is long is cut, and says how long it was. */
const char *rcs_approve_view(struct rcs_arena *arena, struct recourse_span tool, struct recourse_span arguments);

#endif
