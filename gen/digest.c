#include <openssl/evp.h>
#include <stdlib.h>

#include "gen/read.h"

void rcs_digest(const char *text, size_t size, uint8_t digest[32])
{
    unsigned length = 0;

    if (EVP_Digest(text, size, digest, &length, EVP_sha256(), NULL) != 1 || length != 32) {
        rcs_arena_panic(size); /* it fails for want of memory only */
        abort();
    }
}

static void add_line(struct rcs_string *buffer, const char *line)
{
    rcs_append_text(buffer, line);
    rcs_append_text(buffer, "\n");
}

/* The heading and the canonical rows of one table, the columns of prose left out. */
static void add_table(struct rcs_string *buffer, const struct rcs_reader *reader, enum rcs_section section)
{
    const struct rcs_table *table = reader->tables[section];
    const struct rcs_document *document = &reader->document;
    bool skip[RCS_COLUMNS_MAX] = {false};

    for (size_t i = 0; i < table->header.cell_count; i++) {
        skip[i] = rcs_column_is_prose(document, table, i);
    }
    add_line(buffer, rcs_section_name(section));
    add_line(buffer, rcs_row_canonical(reader->arena, document, table, &table->header, skip));
    for (size_t i = 0; i < table->row_count; i++) {
        add_line(buffer, rcs_row_canonical(reader->arena, document, table, &table->rows[i], skip));
    }
}

/*
 * One line feed after each line:
 *
 *   recourse behaviour 1
 *   ## Settings
 *   | setting | value |
 *   | language | 1 |
 *   ...
 *
 * for each section that has a table, in the order of the language: its heading, the header and the rows, all in
 * canonical form, without the delimiter row and without the columns `meaning` and `why`. Examples are left out, and so
 * is all prose.
 */
const char *rcs_behaviour_text(const struct rcs_reader *reader)
{
    struct rcs_string buffer = {.arena = reader->arena};

    add_line(&buffer, "recourse behaviour 1");
    for (unsigned section = 0; section < RCS_SECTION_EXAMPLES; section++) {
        if (reader->tables[section] != NULL) {
            add_table(&buffer, reader, section);
        }
    }
    return buffer.data;
}
