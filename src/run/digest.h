/* SHA-256: the one place where the runner asks libcrypto. */
#ifndef RCS_RUN_DIGEST_H
#define RCS_RUN_DIGEST_H

#include <recourse/error.h>
#include <recourse/facts.h>

#define RCS_SHA256_SIZE 32u

/* Of the parts, one after the other. Errors: RECOURSE_E_MEMORY. [any thread] */
RECOURSE_MUST_USE int rcs_sha256(const struct recourse_span *parts, size_t count, uint8_t digest[RCS_SHA256_SIZE]);

#endif
