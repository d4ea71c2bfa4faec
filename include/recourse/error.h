/*
 * Errors of every function of the library.
 *
 * A function that can fail returns 0 or one of these negative codes. What a *tool* does wrong is never an
 * error: it is a fact, and the policy decides about it. An error is what the caller, the machine or the
 * memory did wrong.
 */
#ifndef RECOURSE_ERROR_H
#define RECOURSE_ERROR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RECOURSE_MUST_USE __attribute__((warn_unused_result))
#define RECOURSE_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define RECOURSE_MUST_USE
#define RECOURSE_PRINTF(at, first)
#endif

enum recourse_code {
    RECOURSE_OK = 0,
    RECOURSE_E_MEMORY = -1,   /* the allocator gave nothing */
    RECOURSE_E_ARGUMENT = -2, /* an argument is outside what the header allows */
    RECOURSE_E_STATE = -3,    /* the object is not in a state in which this may be called */
    RECOURSE_E_AGAIN = -4,    /* a queue or a limit is full: try later */
    RECOURSE_E_SYNTAX = -5,   /* input that cannot be read: the text says where */
    RECOURSE_E_LIMIT = -6,    /* input larger than a documented bound */
    RECOURSE_E_ABI = -7,      /* a policy or a saved call of another format */
    RECOURSE_E_POLICY = -8,   /* a policy with errors, or another policy than the one that was meant */
    RECOURSE_E_SYSTEM = -9,   /* the operating system refused: the text says what and why */
    RECOURSE_E_NOT_FOUND = -10
};

/* Details of the last error of one call. Caller-owned; every function that takes one accepts NULL. */
struct recourse_error {
    enum recourse_code code;
    char text[252]; /* one line, UTF-8, NUL-terminated: what, where, what to do */
};

/* Returns the name of `code` ("RECOURSE_E_MEMORY"), or "RECOURSE_E_UNKNOWN". Never NULL; static. */
const char *recourse_code_name(int code);

/* Returns a short English text for `code`. Never NULL; static. */
const char *recourse_code_text(int code);

#ifdef __cplusplus
}
#endif
#endif
