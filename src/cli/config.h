/* The file of tools: JSON, read with care. */
#ifndef RCS_CONFIG_H
#define RCS_CONFIG_H

#include <recourse/runner.h>

#include "policies.h"

struct rcs_config {
    struct recourse_tool *tools; /* in the order of the file; all in the arena */
    size_t count;
};

/*
 * Reads the text of a configuration. `path` is for messages. `${NAME}` in the value of a header or of a command's
 * variable, or in a proxy, stands for one of the environment. False with `text` set: file, JSON path, what is wrong;
 * never the value of a variable.
 */
bool rcs_config_read(struct rcs_arena *arena, const char *path, const char *json, size_t size,
                     struct rcs_policies *policies, struct rcs_config *config, char *text, size_t text_size);

#endif
