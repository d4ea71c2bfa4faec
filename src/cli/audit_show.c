/* recourse audit show: what happened, as text. */
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "audit_log.h"
#include "cli.h"

struct show {
    const char *wanted; /* id or number; NULL: all */
    uint64_t writer;    /* of the call with the wanted id */
    uint64_t number;    /* its number; 0: not met yet, or asked for by its number */
    uint64_t shown;
};

static bool is_wanted(struct show *show, const struct rcs_log_reader *reader)
{
    char number[24];
    uint64_t call = (uint64_t)rcs_record_get(&reader->record, RCS_KEY_CALL);

    if (show->wanted == NULL) {
        return true;
    }
    snprintf(number, sizeof number, "%llu", (unsigned long long)call);
    if (reader->record.kind == RCS_KIND_PRECONDITION && rcs_record_is(&reader->record, RCS_KEY_ID, show->wanted)) {
        show->number = call;
        show->writer = reader->writer;
    }
    return (call == show->number && reader->writer == show->writer) ||
           (show->number == 0 && strcmp(number, show->wanted) == 0);
}

/* The row that named the failure, where there is one, and the row of the move. */
static void print_rows(const struct rcs_log_reader *reader)
{
    static const enum rcs_key keys[] = {RCS_KEY_FACT_ROW, RCS_KEY_ROW};
    char id[RCS_SHOWN_MAX];

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *text = rcs_row_text(reader->policy, rcs_shown_field(&reader->record, keys[i], id));

        if (text != NULL) {
            printf("%16s%-4s %s\n", "", id, text);
        }
    }
}

static bool print_record(void *user, struct rcs_log_reader *reader)
{
    struct show *show = user;
    bool of_call = rcs_record_has(&reader->record, RCS_KEY_CALL);
    char row[RCS_SHOWN_MAX];

    if (of_call ? !is_wanted(show, reader) : show->wanted != NULL) {
        return true;
    }
    printf("%12llu  ", (unsigned long long)rcs_record_get(&reader->record, RCS_KEY_AT));
    if (of_call) {
        printf("call %llu  ", (unsigned long long)rcs_record_get(&reader->record, RCS_KEY_CALL));
        show->shown++;
    }
    rcs_shown_record(stdout, &reader->record);
    if (!of_call) {
        printf("\n");
        return true;
    }
    printf(" [%s]\n", rcs_shown_field(&reader->record, RCS_KEY_ROW, row));
    print_rows(reader);
    return true;
}

static int show_text(const struct rcs_audit_show_options *options, const struct rcs_shown_policies *policies)
{
    struct rcs_log_reader *reader = rcs_cli_realloc(NULL, sizeof *reader);
    struct show show = {.wanted = options->call};
    int status;

    memset(reader, 0, sizeof *reader);
    reader->policies = policies;
    reader->visit = print_record;
    reader->user = &show;
    status = rcs_log_read(reader, options->logs, options->log_count);
    if (status == RCS_EXIT_OK && options->call != NULL && show.shown == 0) {
        status = rcs_cli_error("audit", "%s: no call has the id or number '%s'", reader->path, options->call);
    }
    rcs_log_clear(reader);
    free(reader);
    return status;
}

int rcs_audit_show(const struct rcs_audit_show_options *options)
{
    struct rcs_shown_policies policies = {.count = 0};
    int status = RCS_EXIT_ERROR;

    if (rcs_shown_policies_open(&policies, options->specs, options->spec_count)) {
        status = options->html ? rcs_audit_page(options, &policies) : show_text(options, &policies);
    }
    rcs_shown_policies_clear(&policies);
    return status;
}
