/*
 * What a dialect is made of, and what all of them share. A dialect is one file that fills in a struct rcs_dialect, and
 * its row in the table of dialects.c.
 */
#ifndef RCS_DIALECT_H
#define RCS_DIALECT_H

#include <recourse/dialect.h>

#include "src/core/json.h"

/* ---- objects ---- */

#define RCS_OBJECT_MEMBERS 40u

/* An object whose members were found in one walk. More than there is room for are looked up in the text. */
struct rcs_object {
    struct recourse_span text;
    struct {
        struct recourse_span key;
        struct recourse_span value;
    } members[RCS_OBJECT_MEMBERS];
    size_t count; /* more than RCS_OBJECT_MEMBERS: not all of them are here */
};

/* What is no object has no members. */
void rcs_object_open(struct rcs_object *object, struct recourse_span text);
/* The member of that name, the last one of several; data NULL: there is none. */
struct recourse_span rcs_object_raw(const struct rcs_object *object, const char *name);
/* As above, but a null counts as none. */
struct recourse_span rcs_object_get(const struct rcs_object *object, const char *name);
bool rcs_object_has(const struct rcs_object *object, const char *name);

bool rcs_is_object(struct recourse_span value);
bool rcs_is_string(struct recourse_span value);
/* Whether a value is a string that reads as one of the words. The last word is followed by NULL. */
bool rcs_is_one_of(struct recourse_span value, const char *const *words);
/* The first entry of an array; data NULL: there is none. */
struct recourse_span rcs_first_of(struct recourse_span array);

/* ---- keeping what was read ---- */

/* Room for the text of all calls. `at` NULL: it is only measured. */
struct rcs_store {
    char *at;
    size_t used;
    bool lost_id; /* one was kept that is not what it was */
};

/* A call's id, as rcs_keep keeps it: `lost_id` if it can't be sent back as it came, for it is no Unicode text. */
struct recourse_span rcs_keep_id(struct rcs_store *store, struct recourse_span value);
/* A string's text, unescaped; any other value as it is written; nothing of nothing. */
struct recourse_span rcs_keep(struct rcs_store *store, struct recourse_span value);
/* A string's text; nothing of any other value. */
struct recourse_span rcs_keep_string(struct rcs_store *store, struct recourse_span value);
struct recourse_span rcs_keep_verbatim(struct rcs_store *store, struct recourse_span value);

/* ---- writing ---- */

/* Text that is being written, or only measured: `data` NULL. */
struct rcs_written {
    char *data;
    size_t size;
    size_t used; /* what it would have been, past the end too */
};

void rcs_write_text(struct rcs_written *text, const char *piece);
/* As a JSON string: well-formed whatever it is. */
void rcs_write_quoted(struct rcs_written *text, struct recourse_span piece);
/* A result of a format without a mark for errors: its content says what went wrong. */
void rcs_write_result(struct rcs_written *text, const struct recourse_result *result, const char *before_call,
                      const char *before_content);

/* ---- dialects ---- */

/* What a dialect says of an object that it is shown. */
enum rcs_claim {
    RCS_CLAIM_NONE = 0,
    RCS_CLAIM_MAYBE_BESIDE = 1, /* could be its, and is no call then */
    RCS_CLAIM_MAYBE_CALL = 2,   /* could be its, and is a call then */
    RCS_CLAIM_BESIDE = 3,       /* bears its mark, and is no call */
    RCS_CLAIM_CALL = 4          /* bears the mark of its calls */
};

/* Where the calls of a reply stand. */
struct rcs_found {
    struct recourse_span list;   /* data NULL: none. What is no array is an error that names `list_name` */
    struct recourse_span single; /* one call outside of any list; data NULL: none */
    const char *list_name;
    const char *single_name;
    bool cut_off; /* the provider says that the reply did not come to its end */
};

struct rcs_dialect {
    const char *name;
    /* A response or a message. CALL: it has what calls stand in; BESIDE: it is of this dialect, and has no calls. */
    enum rcs_claim (*recognise)(const struct rcs_object *reply);
    /* An entry of a list of calls. */
    enum rcs_claim (*claim)(const struct rcs_object *entry);
    void (*find)(const struct rcs_object *reply, struct rcs_found *found);
    /* Fills in a cleared request; `truncated` where the entry says so itself. */
    void (*read)(const struct rcs_object *entry, struct rcs_store *store, struct recourse_call_request *request);
    void (*write)(struct rcs_written *text, const struct recourse_result *result);
    const char *opens; /* what stands around the results of a turn */
    const char *closes;
};

extern const struct rcs_dialect rcs_openai_chat;
extern const struct rcs_dialect rcs_anthropic;
extern const struct rcs_dialect rcs_openai_responses;
extern const struct rcs_dialect rcs_gemini;
extern const struct rcs_dialect rcs_mcp;

extern const struct rcs_dialect *const rcs_dialects[RECOURSE_DIALECT_COUNT];

/*
 * Tells by its shape which dialect a reply is in, and where its calls stand. The reply is good JSON. Errors:
 * RECOURSE_E_SYNTAX with the offset: it is of no dialect, could be of two, or mixes them.
 */
RECOURSE_MUST_USE int rcs_shape_find(struct recourse_span reply, enum recourse_dialect *dialect,
                                     struct rcs_found *found, struct recourse_error *error);

#endif
