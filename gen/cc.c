#include "gen/cc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/program.h"

#define WORDS_MAX 24u /* of CC */

/* `ccache gcc -m64`: what make does with CC, without a shell. */
static size_t split(struct rcs_arena *arena, const char *text, const char **words)
{
    static const char blanks[] = " \t\n";
    size_t count = 0;

    for (text += strspn(text, blanks); *text != '\0' && count < WORDS_MAX; text += strspn(text, blanks)) {
        size_t size = strcspn(text, blanks);

        words[count++] = rcs_arena_copy(arena, text, size);
        text += size;
    }
    return count;
}

/* A compiler's first line often says where, and the next one what. */
static const char *complaint(char *output)
{
    char *error = strstr(output, "error: ");

    return rcs_program_first_line(error != NULL ? error : output);
}

bool rcs_cc_shared(struct rcs_arena *arena, const char *source, const char *object, const char *include,
                   struct rcs_findings *findings)
{
    /* -Bsymbolic: the program may have a policy of the same name built in, and that is not the one that is meant. */
    const char *const flags[] = {"-std=c11", "-O2", "-fPIC", "-shared", "-Wl,-Bsymbolic", "-DRECOURSE_POLICY_SHARED",
                                 "-I", include, "-o", object, source, NULL};
    const char *words[WORDS_MAX + sizeof flags / sizeof flags[0]];
    const char *named = getenv("CC");
    size_t count = split(arena, named != NULL ? named : "", words);
    char *output = NULL;
    int error = 0;
    int status;

    if (count == 0) {
        words[count++] = "cc";
    }
    memcpy(words + count, flags, sizeof flags);
    status = rcs_program_run(arena, words, &output, &error);
    if (status == 0) {
        return true;
    }
    if (error == ENOENT) {
        rcs_find(findings, RCS_ERROR, "cc", (struct rcs_place){0, 0}, NULL, NULL,
                 "the C compiler `%s` is not in PATH: install one, or name yours in CC", words[0]);
    } else if (error != 0) {
        rcs_find(findings, RCS_ERROR, "cc", (struct rcs_place){0, 0}, NULL, NULL, "the C compiler `%s` can't be run: %s",
                 words[0], strerror(error));
    } else if (status < 0) {
        rcs_find(findings, RCS_ERROR, "cc", (struct rcs_place){0, 0}, NULL, NULL, "the C compiler `%s` ended abnormally",
                 words[0]);
    } else {
        rcs_find(findings, RCS_ERROR, "cc", (struct rcs_place){0, 0}, NULL, NULL,
                 "the C compiler `%s` fails (exit %d): %s", words[0], status, complaint(output));
    }
    return false;
}
