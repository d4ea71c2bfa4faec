/* recourse audit show: what happened, as text. */
#include "audit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "src/audit/lines.h"
#include "src/core/json.h"
#include "src/core/text.h"

#define SHOWN_MAX 160u

struct show {
    const char *path;
    const char *wanted;    /* id or number; NULL: all */
    uint64_t number;       /* of the call with the wanted id; 0: not met yet, or asked for by its number */
    uint64_t shown;
    struct rcs_hasher hasher;
    uint8_t hash[RCS_HASH_SIZE];
    struct rcs_record record;
    struct rcs_lines lines;
};

/* A field as it reads, fit for a terminal; "-" where it is not there. */
static const char *text_of(const struct show *show, enum rcs_key key, char text[SHOWN_MAX])
{
    char plain[SHOWN_MAX];
    size_t size;

    if (!rcs_record_has(&show->record, key)) {
        return "-";
    }
    size = rcs_json_unescape(show->record.value[key].text, plain, sizeof plain);
    size = size < sizeof plain ? size : sizeof plain;
    (void)rcs_text_reason((struct recourse_span){plain, size}, SHOWN_MAX / 4 - 1, text, SHOWN_MAX);
    return text;
}

static unsigned long long number_of(const struct show *show, enum rcs_key key)
{
    return (unsigned long long)rcs_record_get(&show->record, key);
}

static bool is_wanted(struct show *show)
{
    char number[24];
    uint64_t call = number_of(show, RCS_KEY_CALL);

    if (show->wanted == NULL) {
        return true;
    }
    snprintf(number, sizeof number, "%llu", (unsigned long long)call);
    if (show->record.kind == RCS_KIND_PRECONDITION && rcs_record_is(&show->record, RCS_KEY_ID, show->wanted)) {
        show->number = call;
    }
    return call == show->number || (show->number == 0 && strcmp(number, show->wanted) == 0);
}

/* ---- one line a record ---- */

static void print_facts(const struct show *show)
{
    static const enum rcs_key numbers[] = {RCS_KEY_HTTP, RCS_KEY_EXIT, RCS_KEY_SIGNAL};
    static const enum rcs_key texts[] = {RCS_KEY_NETWORK, RCS_KEY_TIMEOUT, RCS_KEY_RPC};
    static const enum rcs_key flags[] = {
        RCS_KEY_UNSENT,   RCS_KEY_INTERRUPTED, RCS_KEY_TOOL_ERROR, RCS_KEY_SESSION_EXPIRED,
        RCS_KEY_PROTOCOL, RCS_KEY_TOO_LARGE,   RCS_KEY_SPAWN};
    char text[SHOWN_MAX];

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (rcs_record_has(&show->record, numbers[i])) {
            printf(", %s %lld", rcs_key_name(numbers[i]), (long long)rcs_record_get(&show->record, numbers[i]));
        }
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (rcs_record_has(&show->record, texts[i])) {
            printf(", %s %s", rcs_key_name(texts[i]), text_of(show, texts[i], text));
        }
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (rcs_record_has(&show->record, flags[i])) {
            printf(", %s", rcs_key_name(flags[i]));
        }
    }
}

static void print_precondition(const struct show *show)
{
    char id[SHOWN_MAX];
    char tool[SHOWN_MAX];
    char event[SHOWN_MAX];

    printf("begins: %s, id %s, %s: %s", text_of(show, RCS_KEY_TOOL, tool), text_of(show, RCS_KEY_ID, id),
           rcs_record_true(&show->record, RCS_KEY_SAFE) ? "safe" : "unsafe", text_of(show, RCS_KEY_EVENT, event));
}

static void print_outcome(const struct show *show)
{
    char event[SHOWN_MAX];
    char fact_row[SHOWN_MAX];
    char effect[SHOWN_MAX];

    printf("try %llu ends: %s", number_of(show, RCS_KEY_TRY), text_of(show, RCS_KEY_EVENT, event));
    print_facts(show);
    if (rcs_record_has(&show->record, RCS_KEY_FACT_ROW)) {
        printf(", by %s", text_of(show, RCS_KEY_FACT_ROW, fact_row));
    }
    printf(", effect %s", text_of(show, RCS_KEY_EFFECT, effect));
}

static void print_wait(const struct show *show)
{
    char wait[SHOWN_MAX];
    char texts[3][RCS_DURATION_SIZE];
    uint64_t least = number_of(show, RCS_KEY_WAIT_MIN);
    uint64_t most = number_of(show, RCS_KEY_WAIT_MAX);

    printf("waits %s (%s", rcs_duration_text(number_of(show, RCS_KEY_WAIT_MS), texts[0]),
           text_of(show, RCS_KEY_WAIT, wait));
    if (least != most) {
        printf(", from %s to %s", rcs_duration_text(least, texts[1]), rcs_duration_text(most, texts[2]));
    }
    printf(")");
}

static void print_reported(const struct show *show)
{
    char scenario[SHOWN_MAX];
    char tell[SHOWN_MAX];

    printf("reported as %s to %s%s", text_of(show, RCS_KEY_SCENARIO, scenario), text_of(show, RCS_KEY_TELL, tell),
           rcs_record_is(&show->record, RCS_KEY_REMINDER, "yes") ? ", with the reminder" : "");
}

static void print_call(struct show *show)
{
    char row[SHOWN_MAX];
    char reason[SHOWN_MAX];

    printf("%12llu  call %llu  ", number_of(show, RCS_KEY_AT), number_of(show, RCS_KEY_CALL));
    switch (show->record.kind) {
    case RCS_KIND_PRECONDITION: print_precondition(show); break;
    case RCS_KIND_ATTEMPT: printf("try %llu begins", number_of(show, RCS_KEY_TRY)); break;
    case RCS_KIND_OUTCOME: print_outcome(show); break;
    case RCS_KIND_WAIT: print_wait(show); break;
    case RCS_KIND_BROKEN: printf("broken off by the program: %s", text_of(show, RCS_KEY_REASON, reason)); break;
    case RCS_KIND_EXHAUSTED: printf("not tried again: %s", text_of(show, RCS_KEY_REASON, reason)); break;
    default: print_reported(show); break;
    }
    printf(" [%s]\n", text_of(show, RCS_KEY_ROW, row));
    show->shown++;
}

static void print_other(const struct show *show)
{
    char name[SHOWN_MAX];

    switch (show->record.kind) {
    case RCS_KIND_SEGMENT:
        printf("%12llu  segment %llu, policy %s\n", number_of(show, RCS_KEY_AT), number_of(show, RCS_KEY_SEGMENT),
               text_of(show, RCS_KEY_NAME, name));
        break;
    case RCS_KIND_POLICY:
        printf("%12llu  policy %llu is %s\n", number_of(show, RCS_KEY_AT), number_of(show, RCS_KEY_NUMBER),
               text_of(show, RCS_KEY_NAME, name));
        break;
    case RCS_KIND_RECOVERED:
        printf("%12llu  recovered: %llu bytes of a torn line were cut off\n", number_of(show, RCS_KEY_AT),
               number_of(show, RCS_KEY_BYTES));
        break;
    case RCS_KIND_LOST:
        printf("%12llu  lost: %llu records\n", number_of(show, RCS_KEY_AT), number_of(show, RCS_KEY_COUNT_));
        break;
    default:
        printf("%12llu  %s\n", number_of(show, RCS_KEY_AT), rcs_kind_name(show->record.kind));
        break;
    }
}

static void print_record(struct show *show)
{
    bool of_call = rcs_record_has(&show->record, RCS_KEY_CALL);

    if (of_call && is_wanted(show)) {
        print_call(show);
    } else if (!of_call && show->wanted == NULL) {
        print_other(show);
    }
}

static int complain(const struct show *show, const char *what)
{
    return rcs_cli_error("audit", "%s, line %llu: %s: nothing after it can be believed", show->path,
                         (unsigned long long)show->lines.number, what);
}

static int show_all(struct show *show)
{
    struct recourse_span line;

    for (;;) {
        const char *wrong;

        switch (rcs_lines_next(&show->lines, &line)) {
        case RCS_LINE_END: return RCS_EXIT_OK;
        case RCS_LINE_TORN: return complain(show, "the last line is torn");
        case RCS_LINE_LONG: return complain(show, "it is too long for a record");
        case RCS_LINE_FAILED: return rcs_cli_error("audit", "%s: %s", show->path, strerror(show->lines.error));
        case RCS_LINE_WHOLE: break;
        }
        wrong = rcs_lines_check(&show->hasher, line, show->lines.number == 1, show->hash, &show->record);
        if (wrong != NULL) {
            return complain(show, wrong);
        }
        print_record(show);
    }
}

int rcs_audit_show(const char *path, const char *call)
{
    struct show *show = rcs_cli_realloc(NULL, sizeof *show);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int status;

    memset(show, 0, sizeof *show);
    show->path = path;
    show->wanted = call;
    if (fd < 0) {
        status = rcs_cli_error("audit", "%s: the log can't be read: %s", path, strerror(errno));
    } else if (!rcs_hasher_init(&show->hasher)) {
        status = rcs_cli_error("audit", "out of memory");
    } else {
        rcs_lines_init_file(&show->lines, &fd);
        status = show_all(show);
        if (status == RCS_EXIT_OK && call != NULL && show->shown == 0) {
            status = rcs_cli_error("audit", "%s: no call has the id or number '%s'", path, call);
        }
        rcs_hasher_clear(&show->hasher);
    }
    if (fd >= 0) {
        close(fd);
    }
    free(show);
    return status;
}
