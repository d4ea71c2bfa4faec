/*
 * One record: a flat object of text, integers and booleans, and the line that it stands in.
 *
 *   {"body":{"at":1200,"call":7,"kind":"wait",...},"hash":"64 hex digits"}
 *
 * The body is its own RFC 8785 form, so there is one way alone to write a record. README.md says what the fields mean.
 */
#ifndef RCS_AUDIT_RECORD_H
#define RCS_AUDIT_RECORD_H

#include "src/audit/chain.h"
#include "src/io/buffer.h"

#define RCS_AUDIT_FORMAT 1
#define RCS_LINE_MAX 65536u   /* bytes of a line, its line feed included */
#define RCS_NUMBER_MAX INT64_C(9007199254740991)

enum rcs_kind {
    RCS_KIND_SEGMENT = 0,
    RCS_KIND_POLICY = 1,
    RCS_KIND_PRECONDITION = 2,
    RCS_KIND_ATTEMPT = 3,
    RCS_KIND_OUTCOME = 4,
    RCS_KIND_WAIT = 5,
    RCS_KIND_EXHAUSTED = 6,
    RCS_KIND_REPORTED = 7,
    RCS_KIND_CHECKPOINT = 8,
    RCS_KIND_RECOVERED = 9,
    RCS_KIND_LOST = 10,
    RCS_KIND_CLOSE = 11,
    RCS_KIND_BROKEN = 12,
    RCS_KIND_COUNT = 13
};

/* In the order of their names. */
enum rcs_key {
    RCS_KEY_ARGUMENTS, RCS_KEY_AT, RCS_KEY_ATOMS, RCS_KEY_BEGAN, RCS_KEY_BEHAVIOUR, RCS_KEY_BUDGETS, RCS_KEY_BYTES, RCS_KEY_CALL,
    RCS_KEY_COUNT_, RCS_KEY_DEADLINE, RCS_KEY_DECLARED, RCS_KEY_EFFECT, RCS_KEY_END, RCS_KEY_EVENT, RCS_KEY_EXIT,
    RCS_KEY_FACT_ROW, RCS_KEY_FAILURE, RCS_KEY_FILE, RCS_KEY_FORMAT, RCS_KEY_HEADERS, RCS_KEY_HTTP, RCS_KEY_ID,
    RCS_KEY_ID_HASH, RCS_KEY_INTERRUPTED, RCS_KEY_JSON, RCS_KEY_KIND, RCS_KEY_LOG, RCS_KEY_MESSAGE, RCS_KEY_NAME, RCS_KEY_NETWORK,
    RCS_KEY_NEW_SESSION, RCS_KEY_NEXT, RCS_KEY_NUMBER, RCS_KEY_PHRASE, RCS_KEY_POLICY, RCS_KEY_PREVIOUS,
    RCS_KEY_PROTOCOL, RCS_KEY_RANDOM, RCS_KEY_REASON, RCS_KEY_RECOURSE, RCS_KEY_REMINDED, RCS_KEY_REMINDER,
    RCS_KEY_RESULT, RCS_KEY_ROW, RCS_KEY_RPC, RCS_KEY_SAFE, RCS_KEY_SCENARIO, RCS_KEY_SEGMENT, RCS_KEY_SENT,
    RCS_KEY_SERVER_DELAY, RCS_KEY_SESSION_EXPIRED, RCS_KEY_SIGNAL, RCS_KEY_SPAWN, RCS_KEY_STATE, RCS_KEY_STRUCTURED,
    RCS_KEY_SYNC, RCS_KEY_TELL, RCS_KEY_TEXT, RCS_KEY_TIMEOUT, RCS_KEY_TOO_LARGE, RCS_KEY_TOOL, RCS_KEY_TOOL_ERROR,
    RCS_KEY_TOOL_HASH, RCS_KEY_TRY, RCS_KEY_UNSENT, RCS_KEY_WAIT, RCS_KEY_WAIT_BASE, RCS_KEY_WAIT_MAX,
    RCS_KEY_WAIT_MIN, RCS_KEY_WAIT_MS, RCS_KEY_WALL, RCS_KEY_WRITER,
    RCS_KEY_COUNT
};

/* What a field is. */
enum rcs_type {
    RCS_TYPE_NONE = 0, /* it is not there */
    RCS_TYPE_NUMBER = 1,
    RCS_TYPE_TRUE = 2,
    RCS_TYPE_FALSE = 3,
    RCS_TYPE_TEXT = 4
};

/* Room for the field `budgets`. */
#define RCS_BUDGETS_TEXT (RECOURSE_BUDGETS_MAX * 64u)

struct rcs_record {
    enum rcs_kind kind;
    uint8_t type[(RCS_KEY_COUNT + 7u) / 8u * 8u]; /* enum rcs_type */
    union {
        int64_t number;
        struct recourse_span text; /* set: as it reads. Read: as it stands in the line, with its quotes */
    } value[RCS_KEY_COUNT];
};

/* ---- setting: text is borrowed until the record is written ---- */

void rcs_record_init(struct rcs_record *record, enum rcs_kind kind, uint64_t at_ms);
void rcs_record_number(struct rcs_record *record, enum rcs_key key,
                       uint64_t number); /* above RCS_NUMBER_MAX: left out */
void rcs_record_signed(struct rcs_record *record, enum rcs_key key, int64_t number);
void rcs_record_bool(struct rcs_record *record, enum rcs_key key, bool value);
void rcs_record_flag(struct rcs_record *record, enum rcs_key key, bool value); /* left out where it is false */
void rcs_record_text(struct rcs_record *record, enum rcs_key key, const char *text); /* NULL: left out */
void rcs_record_span(struct rcs_record *record, enum rcs_key key, struct recourse_span text);

/* ---- reading ---- */

bool rcs_record_has(const struct rcs_record *record, enum rcs_key key);
bool rcs_record_true(const struct rcs_record *record, enum rcs_key key);
int64_t rcs_record_get(const struct rcs_record *record, enum rcs_key key); /* 0 where it is not there */
/* Of a read record: whether the field is there and reads as `text`; with NULL, whether it is not there. */
bool rcs_record_is(const struct rcs_record *record, enum rcs_key key, const char *text);
/* Of a read record: what is between the quotes; empty where it is not there. */
struct recourse_span rcs_record_raw(const struct rcs_record *record, enum rcs_key key);
bool rcs_record_hex(const struct rcs_record *record, enum rcs_key key, uint8_t *bytes, size_t size);

const char *rcs_kind_name(enum rcs_kind kind);
const char *rcs_key_name(enum rcs_key key);

/* ---- lines ---- */

/* Appends the record's line and moves the chain on. All or nothing. Errors: RECOURSE_E_MEMORY, RECOURSE_E_LIMIT (longer
   than RCS_LINE_MAX). */
RECOURSE_MUST_USE int rcs_line_append(struct rcs_buffer *buffer, uint8_t hash[RCS_HASH_SIZE], const struct rcs_record *record);

/* Takes a line (without its line feed) apart. NULL, or what is wrong with it. */
const char *rcs_line_read(struct recourse_span line, struct recourse_span *body, uint8_t hash[RCS_HASH_SIZE]);
/* Reads a body: the one form that a record has, each field of its kind there, and no other. NULL, or what is wrong. */
const char *rcs_body_read(struct recourse_span body, struct rcs_record *record);

#endif
