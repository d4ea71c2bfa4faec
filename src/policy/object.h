/* From the bytes of a shared object to a policy. */
#ifndef RCS_POLICY_OBJECT_H
#define RCS_POLICY_OBJECT_H

#include <recourse/policy.h>

#define RCS_OBJECT_MAX ((size_t)64 << 20)

/* NULL if `bytes` hold a shared object of this kind of machine with all that its program headers speak of; otherwise what is
   wrong with it, as in "the file is cut off". */
const char *rcs_object_fault(const unsigned char *bytes, size_t size);

/* recourse_policy_open, once the file is read. `path` is for messages, and for where there are no files in memory. */
RECOURSE_MUST_USE int rcs_shared_open(const char *path, const unsigned char *bytes, size_t size,
                                      const struct recourse_policy **policy, struct recourse_error *error);

#endif
