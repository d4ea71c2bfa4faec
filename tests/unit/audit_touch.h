/* For tests of logs whose writer went: whether each time that a tool was touched has its attempt in what is left. */
#ifndef RCS_AUDIT_TOUCH_H
#define RCS_AUDIT_TOUCH_H

#include <fcntl.h>
#include <unistd.h>

#include "src/audit/lines.h"
#include "src/audit/verify.h"
#include "tests/unit/unit.h"

#define TOUCHES_MAX 8192u
#define TOUCHED_CALLS 4096u

/* A try that has reached the tool. */
struct touch {
    char id[24]; /* of the call; of one alone */
    unsigned number;
};

struct touches {
    size_t count;
    struct touch items[TOUCHES_MAX];
};

/* In the order of the log: a call's attempt comes after its precondition. Calls are numbered anew by each writer. */
static inline void strike_touches(const struct touches *touches, const char *path, char ids[TOUCHED_CALLS][24], bool *found)
{
    static struct rcs_lines lines;
    struct rcs_record record;
    uint8_t hash[RCS_HASH_SIZE];
    struct recourse_span line;
    int fd = open(path, O_RDONLY);
    bool first = true;

    CU_ASSERT_TRUE_FATAL(fd >= 0);
    rcs_lines_init_file(&lines, &fd);
    while (rcs_lines_next(&lines, &line) == RCS_LINE_WHOLE && rcs_lines_check(line, first, hash, &record) == NULL) {
        size_t call = (size_t)rcs_record_get(&record, RCS_KEY_CALL) % TOUCHED_CALLS;

        first = false;
        if (record.kind == RCS_KIND_PRECONDITION) {
            struct recourse_span id = rcs_record_raw(&record, RCS_KEY_ID);

            snprintf(ids[call], sizeof ids[call], "%.*s", (int)id.size, id.data);
        }
        for (size_t i = 0; record.kind == RCS_KIND_ATTEMPT && i < touches->count; i++) {
            found[i] = found[i] || (touches->items[i].number == (unsigned)rcs_record_get(&record, RCS_KEY_TRY) &&
                                    strcmp(touches->items[i].id, ids[call]) == 0);
        }
    }
    close(fd);
}

/* Verifies FOLDER/log.1, FOLDER/log.2, ..., FOLDER/log; returns how many touches have no attempt there. */
static inline size_t look_for_touches(const struct touches *touches, const char *folder, struct rcs_judge *judge,
                                      struct rcs_verdict *verdict)
{
    static char ids[TOUCHED_CALLS][24];
    static bool found[TOUCHES_MAX];
    static char paths[256][400]; /* the verdict names them */
    struct rcs_verify *verify = rcs_verify_new(judge, 1, NULL);
    size_t missing = 0;
    bool more = true;

    memset(found, 0, sizeof found);
    for (unsigned number = 1; more; number++) {
        char *path = paths[number % 256];
        const char *why = NULL;
        int fd;

        snprintf(path, sizeof paths[0], "%s/log.%u", folder, number);
        more = access(path, F_OK) == 0;
        if (!more) {
            snprintf(path, sizeof paths[0], "%s/log", folder);
        }
        fd = open(path, O_RDONLY);
        CU_ASSERT_TRUE_FATAL(fd >= 0 && rcs_verify_file(verify, path, fd, &why));
        close(fd);
        strike_touches(touches, path, ids, found);
    }
    rcs_verify_end(verify, verdict);
    rcs_verify_free(verify);
    for (size_t i = 0; i < touches->count; i++) {
        missing += !found[i];
    }
    return missing;
}

#endif
