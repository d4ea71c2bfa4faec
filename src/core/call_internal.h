/* What a call's flags mean; shared by the machine and the saved form. */
#ifndef RCS_CALL_INTERNAL_H
#define RCS_CALL_INTERNAL_H

#include <recourse/call.h>

#define RCS_CALL_SAFE 1u        /* the tool is safe */
#define RCS_CALL_BEGUN 2u
#define RCS_CALL_ACTED 4u       /* some try may have acted */
#define RCS_CALL_NEW_SESSION 8u /* in backoff: the next try wants a new session */
#define RCS_CALL_FLAGS 15u

_Static_assert(sizeof(struct recourse_call) == 64, "a call is 64 bytes, without padding");

/* A deadline that is RECOURSE_FOREVER is never reached. */
static inline bool rcs_call_is_late(const struct recourse_call *call, uint64_t now_ms)
{
    return call->deadline_ms != RECOURSE_FOREVER && now_ms >= call->deadline_ms;
}

#endif
