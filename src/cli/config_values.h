/* Reading a configuration with cJSON: where we are, what is wrong there, and the kinds of values. */
#ifndef RCS_CONFIG_VALUES_H
#define RCS_CONFIG_VALUES_H

#include <cjson/cJSON.h>

#include "config.h"

#define RCS_CONFIG_PATH_SIZE 256u

struct rcs_config_reader {
    struct rcs_arena *arena;
    struct rcs_policies *policies;
    const char *file;
    char path[RCS_CONFIG_PATH_SIZE]; /* "tools[2].http.headers": where we are */
    char *text;
    size_t text_size;
    struct rcs_secrets *secrets; /* values that were read, for those who hide them */
};

/* One key of an object: what reads its value, or why it isn't there yet. */
struct rcs_config_key {
    const char *name;
    bool (*read)(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool);
    const char *later;
};

/* Says what is wrong where we are. Returns false. */
bool rcs_config_wrong(struct rcs_config_reader *reader, const char *format, ...) RECOURSE_PRINTF(2, 3);
/* Goes one step down; the length to go back to. A path that is too long is cut. */
size_t rcs_config_enter(struct rcs_config_reader *reader, const char *name);
void rcs_config_leave(struct rcs_config_reader *reader, size_t length);

/* Whether no member before this one has its name. */
bool rcs_config_is_first(const cJSON *object, const cJSON *member);
/* Complains of a key that is not in the table, and names the one that may be meant. Returns false. */
bool rcs_config_unknown_key(struct rcs_config_reader *reader, const cJSON *member, const struct rcs_config_key *keys);
/* Reads an object whose keys are those of the table, each at most once. */
bool rcs_config_object(struct rcs_config_reader *reader, const cJSON *object, const struct rcs_config_key *keys,
                       struct recourse_tool *tool);

bool rcs_config_has_control(const char *text);
/* A string that is not empty and has no control characters; NULL after an error. */
const char *rcs_config_string(struct rcs_config_reader *reader, const cJSON *value);
bool rcs_config_duration(struct rcs_config_reader *reader, const cJSON *value, uint64_t *ms);
/* `value` with its variables put in, after `text`; NULL after an error. With `line` they have no control characters. `$${` stands
   for `${` itself. */
const char *rcs_config_variables(struct rcs_config_reader *reader, const char *text, const char *value, bool line);
/* A string, with its variables put in; `*shown`, which may be NULL, is the string as it stands. NULL after an error. */
const char *rcs_config_word(struct rcs_config_reader *reader, const cJSON *value, const char **shown);
/* The path of a directory, likewise. */
bool rcs_config_cwd(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool);

#endif
