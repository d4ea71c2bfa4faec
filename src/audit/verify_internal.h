/* What the files of the verifier share. */
#ifndef RCS_AUDIT_VERIFY_INTERNAL_H
#define RCS_AUDIT_VERIFY_INTERNAL_H

#include "src/audit/verify.h"

#define RCS_POLICIES_PER_LOG 256u
#define RCS_BUCKETS 16384u
#define RCS_OPEN_MAX 1000000u
#define RCS_FOLLOWED_MAX 64u

/* A call that is open, as far as the model has walked it. */
struct rcs_walked {
    struct rcs_walked *next;
    uint64_t number;
    struct rcs_judge *judge; /* NULL: nobody can judge it */
    struct rcs_history history;
    enum rcs_kind want; /* what has to come next; ATTEMPT out of a wait: or the report of a call that ends there */
    bool safe;
    bool late;        /* the try that has begun ends at once: the deadline had come */
    bool new_session; /* the next try wants one */
    bool has_salt;
    uint8_t reason;   /* enum recourse_reason */
    uint8_t from;     /* enum recourse_place: of the last move */
    uint16_t event;
    uint16_t row;
    uint16_t last_wait; /* RECOURSE_NONE: none was begun */
    uint64_t deadline_ms;
    uint64_t at_ms;   /* of the last record */
    uint64_t wake_ms;
    uint64_t wait_ms;
    struct rcs_window window;
    uint8_t salt[RCS_HASH_SIZE];
    char tool[];      /* "": unknown */
};

/* A budget that all calls of a runner share, from outcome to outcome. */
struct rcs_followed {
    const struct recourse_budget *budget; /* NULL: no more of them */
    uint32_t tokens;
    bool known;
};

struct rcs_verify {
    struct rcs_judge *judges;
    size_t judge_count;
    const struct rcs_disclosure *disclosure;
    const struct rcs_anchor *anchor; /* NULL: none */
    uint8_t hash[RCS_HASH_SIZE];
    uint8_t log[RCS_LOG_ID_SIZE];
    uint64_t position; /* records of the log so far, those of files before it included */
    uint8_t writer[16];
    struct rcs_judge *of_number[RCS_POLICIES_PER_LOG]; /* the judge for each policy of the log; NULL: not given */
    bool known[RCS_POLICIES_PER_LOG];
    uint64_t last_call; /* of this writer */
    uint64_t last_at;
    uint64_t segment;
    bool has_holes;     /* this writer has lost records: of which calls, nobody knows */
    bool closed;        /* the last record closed the log */
    bool begun;         /* some record was read */
    const char *file;
    uint64_t line;
    struct rcs_verdict verdict;
    struct rcs_record record;
    uint32_t before[RECOURSE_BUDGETS_MAX]; /* of the outcome at hand: what was in the budgets, */
    uint32_t tokens[RECOURSE_BUDGETS_MAX]; /* and what is by now */
    struct rcs_followed followed[RCS_FOLLOWED_MAX];
    struct rcs_walked *calls[RCS_BUCKETS];
    size_t open;
    struct rcs_lines lines;
};

/* verify.c: what is not as it should be. Returns false. */
bool rcs_diverges(struct rcs_verify *verify, const char *what, const char *expected, const char *recorded);
/* Whether it is as it should be; if not, that is noted. The field has to be there and read so; NULL: it has not to be
   there. */
bool rcs_expect_text(struct rcs_verify *verify, enum rcs_key key, const char *expected);
bool rcs_expect_number(struct rcs_verify *verify, enum rcs_key key, uint64_t expected);
bool rcs_expect_flag(struct rcs_verify *verify, enum rcs_key key, bool expected);

/* verify_call.c: replays one record. */
void rcs_replay(struct rcs_verify *verify);
void rcs_replay_forget(struct rcs_verify *verify, struct rcs_walked *call);
/* Records were lost: calls that are open can't be followed any more. */
void rcs_replay_give_up(struct rcs_verify *verify);

bool rcs_walked_is_late(const struct rcs_walked *call, uint64_t at_ms);
/* Moves the model; false: there is no such row. */
bool rcs_walked_move(struct rcs_verify *verify, struct rcs_walked *call, const struct rcs_case *at);
/* The fields that every record of a move has. */
bool rcs_expect_move(struct rcs_verify *verify, const struct rcs_walked *call, uint16_t event, uint16_t row,
                     uint8_t from, uint8_t to);
bool rcs_expect_try(struct rcs_verify *verify, const struct rcs_walked *call);

/* verify_budgets.c: the tokens of the outcome at hand. First what was there, last what has to be; in between what happens. */
bool rcs_budgets_begin(struct rcs_verify *verify, const struct rcs_spec *spec);
void rcs_budgets_fail(struct rcs_verify *verify, const struct rcs_spec *spec, const struct rcs_spec_wait *wait);
bool rcs_budgets_allow(struct rcs_verify *verify, const struct rcs_spec *spec, const struct rcs_spec_wait *wait);
void rcs_budgets_wait(struct rcs_verify *verify, const struct rcs_spec_wait *wait);
void rcs_budgets_give(struct rcs_verify *verify, const struct rcs_spec *spec, uint16_t last_wait);
bool rcs_budgets_end(struct rcs_verify *verify, const struct rcs_spec *spec);
/* Records are missing, or another writer begins. */
void rcs_budgets_forget(struct rcs_verify *verify);

/* verify_outcome.c: the record of a try that has ended. */
bool rcs_expect_outcome(struct rcs_verify *verify, struct rcs_walked *call);

/* What an outcome comes to, by the record at hand and what was disclosed of it. */
struct rcs_refacts {
    struct recourse_facts facts; /* those that are said in the open */
    uint16_t fact_row;           /* the row of Failures that they meet: index, or RECOURSE_NONE */
    uint64_t server_delay_ms;    /* by its headers; where they stay hidden, as recorded */
};

/* verify_facts.c. False: the facts are not such as a writer writes. */
bool rcs_refacts(struct rcs_verify *verify, const struct rcs_walked *call, struct rcs_refacts *out);

enum rcs_revealed { RCS_REVEALED_NOT, RCS_REVEALED, RCS_REVEALED_OTHER /* than the hash stands for */ };
/* The arguments of the call whose precondition is at hand; their memory is the arena's. */
enum rcs_revealed rcs_reveal_arguments(struct rcs_verify *verify, const struct rcs_walked *call, struct rcs_arena *arena,
                                       struct recourse_span *arguments);

#endif
