/* The names that a server lists, held against those that its configuration asks for. */
#include "src/run/run.h"

#include <string.h>

#include "src/tools/mcp.h"

/* The next name of a list, with its quotes; the walk begins with the first page and `*at` 0. False: there is no other. */
static bool next_name(const struct rcs_mcp_page **page, size_t *at, struct recourse_span *name)
{
    struct recourse_span key;
    struct recourse_span value;

    while (*page != NULL) {
        const struct recourse_span tools = {(*page)->tools, (*page)->size};

        while (rcs_json_next(tools, at, &key, &value)) {
            *name = rcs_json_trim(rcs_json_member(rcs_json_trim(value), "name"));
            if (rcs_json_type_of(*name) == RCS_JSON_STRING) {
                return true;
            }
        }
        *page = (*page)->next;
        *at = 0;
    }
    return false;
}

static bool lists(const struct rcs_mcp_server *server, const char *wanted)
{
    const struct rcs_mcp_page *page = server->pages;
    struct recourse_span name;
    size_t at = 0;

    while (next_name(&page, &at, &name)) {
        if (rcs_json_string_is(name, wanted, strlen(wanted))) {
            return true;
        }
    }
    return false;
}

int rcs_servers_note_missing(struct rcs_mcp_server *server)
{
    const char *const *allowed = server->config.tools;
    int code = 0;

    for (; code == 0 && allowed != NULL && *allowed != NULL; allowed++) {
        if (!lists(server, *allowed)) {
            code = rcs_servers_leave_out(server, (struct recourse_span){*allowed, strlen(*allowed)},
                                         "the server lists no tool of this name");
        }
    }
    return code;
}

size_t recourse_runner_listed(const struct recourse_runner *runner, struct recourse_span server, size_t index, char *out,
                              size_t size)
{
    const struct rcs_mcp_server *at = runner->servers;
    const struct rcs_mcp_page *page;
    struct recourse_span name;
    size_t place = 0;

    while (at != NULL && (strlen(at->config.name) != server.size || memcmp(at->config.name, server.data, server.size) != 0)) {
        at = at->next;
    }
    page = at != NULL && at->known ? at->pages : NULL;
    while (next_name(&page, &place, &name)) {
        if (rcs_json_unescape(name, NULL, 0) > 0 && index-- == 0) {
            return rcs_json_unescape(name, out, size);
        }
    }
    return 0;
}
