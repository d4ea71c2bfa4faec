/* Arithmetic of waits. All of it saturates. */
#ifndef RCS_WAIT_H
#define RCS_WAIT_H

#include <recourse/call.h>

static inline uint64_t rcs_add_ms(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Maps 64 random bits to [low, high], as recourse/call.h says. */
uint64_t rcs_draw(uint64_t random, uint64_t low, uint64_t high);

/* Draws a wait; with RECOURSE_SERVER_WITHIN the server's delay is clamped to what was drawn and its width. */
uint64_t rcs_wait_draw(const struct recourse_wait *wait, unsigned index, uint64_t server_delay_ms, uint64_t random);

#endif
