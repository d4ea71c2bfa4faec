/* The file of tools: JSON, read with care. */
#ifndef RCS_CONFIG_H
#define RCS_CONFIG_H

#include <recourse/runner.h>

#include "policies.h"
#include "secrets.h"

struct rcs_config {
    const char *path; /* for messages */
    struct recourse_tool *tools; /* in the order of the file; all in the arena */
    size_t count;
    struct recourse_mcp_server *servers; /* likewise */
    size_t server_count;
    struct rcs_secrets secrets; /* what its variables stand for */
};

/*
 * Reads the text of a configuration. `path` is for messages. `${NAME}` in the value of a header or of a command's
 * variable, in its words or its directory, or in a proxy, stands for one of the environment. False with `text` set: file, JSON path, what is wrong;
 * never the value of a variable.
 */
bool rcs_config_read(struct rcs_arena *arena, const char *path, const char *json, size_t size,
                     struct rcs_policies *policies, struct rcs_config *config, char *text, size_t text_size);

/* ---- config_load.c: the file's way into a runner; what is wrong is said on stderr as `command`'s ---- */

/* Reads the file at `path` ("-": standard input). */
bool rcs_config_load(const char *command, const char *path, struct rcs_arena *arena, struct rcs_policies *policies,
                     struct rcs_config *config);
/* Adds the tools and servers. */
bool rcs_config_add(const char *command, const struct rcs_config *config, struct recourse_runner *runner);
/* Asks the servers for their tools, and waits until that is over; the run's status says how it ended. False: it could
   not be done at all. */
bool rcs_config_list_tools(const char *command, struct recourse_runner *runner, struct recourse_run *run);
/* Says why the run failed. */
void rcs_config_complain_failed(const char *command, const struct rcs_config *config, const struct recourse_run *run);

#endif
