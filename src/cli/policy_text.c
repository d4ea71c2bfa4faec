#include "policy_text.h"

#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "gen/compile.h"

static const struct rcs_policy_text *find(const char *name)
{
    for (const struct rcs_policy_text *text = rcs_policy_texts; text->name != NULL; text++) {
        if (strcmp(text->name, name) == 0) {
            return text;
        }
    }
    return NULL;
}

char *rcs_policy_text_read(struct rcs_arena *arena, const char *command, const char **path, size_t *size,
                           const char **why)
{
    const struct rcs_policy_text *text = find(*path);

    if (text == NULL || access(*path, F_OK) == 0) {
        return rcs_file_read(arena, *path, size, why);
    }
    rcs_cli_error(command, "%s: the built-in policy, since there is no file of that name", *path);
    *path = rcs_arena_format(arena, "built-in/%s.policy.md", *path);
    *size = text->size;
    return rcs_arena_copy(arena, (const char *)text->bytes, text->size);
}
