/* Facts as a record has them: what can be said in the open, and of the rest keyed hashes and the conditions that it
 * meets. */
#ifndef RCS_AUDIT_FACTS_H
#define RCS_AUDIT_FACTS_H

#include <recourse/policy.h>

#include "src/audit/record.h"

#define RCS_ATOMS_TEXT_MAX 8192u

/* The words of an enum; NULL for 0, and past the last. */
const char *rcs_network_name(unsigned network);
const char *rcs_timeout_name(unsigned timeout);
/* As policies write it: "-", "no", "yes". */
const char *rcs_reminder_name(unsigned reminder);

/* Contents, in the order in which they are hashed and captured. */
enum rcs_content {
    RCS_CONTENT_PHRASE, RCS_CONTENT_TEXT, RCS_CONTENT_JSON, RCS_CONTENT_RESULT, RCS_CONTENT_STRUCTURED,
    RCS_CONTENT_COUNT
};
enum rcs_key rcs_content_key(enum rcs_content content);
struct recourse_span rcs_content_of(const struct recourse_facts *facts, enum rcs_content content);

/* Where the text and the hashes of one outcome stand while its record is written. */
struct rcs_facts_room {
    char rpc[24];
    char atoms[RCS_ATOMS_TEXT_MAX];
    char hashes[RCS_CONTENT_COUNT + 1][2 * RCS_HASH_SIZE];
};

/* Sets the fields of an outcome. `fact_row`: the row that named the failure, or RECOURSE_NONE. False if the conditions that
   are met are too many. */
bool rcs_facts_record(struct rcs_record *record, const struct rcs_salted *salted, const struct recourse_policy *policy,
                      const struct recourse_facts *facts, uint16_t fact_row, struct rcs_facts_room *room);

#endif
