/* Servers of the configuration that are started as programs, and what tells them from those with a URL. */
#ifndef RCS_CONFIG_SERVER_H
#define RCS_CONFIG_SERVER_H

#include "config_values.h"

#define RCS_CONFIG_WORDS_MAX 1000u /* of a command */

/* What is read of a server: much of it is as of a tool, and read by the same functions. */
struct rcs_config_server_draft {
    struct recourse_tool tool;
    const char *program;
    const char *const *words; /* after it */
    size_t word_count;
    bool is_http;             /* as "type" says; and `is_program` */
    bool is_program;
    bool trusted;
    uint8_t era; /* enum recourse_mcp_era */
    bool elicit_defaults;
    const char *prefix;
    const char *const *tools;
};

static inline struct rcs_config_server_draft *rcs_config_draft_of(struct recourse_tool *tool)
{
    return (struct rcs_config_server_draft *)(void *)tool; /* its first member */
}

/* Readers of rcs_config_key; `tool` is that of a draft. */
bool rcs_config_server_type(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool);
bool rcs_config_server_program(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool);
bool rcs_config_server_args(struct rcs_config_reader *reader, const cJSON *value, struct recourse_tool *tool);

/* One way to reach it, and nothing that belongs to the other. */
bool rcs_config_check_server(struct rcs_config_reader *reader, const struct rcs_config_server_draft *draft);
/* The program and its words; NULL: it has a URL. */
const char *const *rcs_config_server_command(struct rcs_config_reader *reader,
                                             const struct rcs_config_server_draft *draft);

#endif
