/* Disclosures: what hashes stand for, found by call and try. */
#include <stdlib.h>
#include <string.h>

#include "src/audit/verify.h"
#include "src/core/json.h"

static int compare_spans(struct recourse_span a, struct recourse_span b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size > 0 ? memcmp(a.data, b.data, size) : 0;

    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare(const void *a, const void *b)
{
    const struct rcs_disclosed *left = a;
    const struct rcs_disclosed *right = b;
    int order = memcmp(left->writer, right->writer, sizeof left->writer);

    if (order != 0) {
        return order;
    }
    if (left->call != right->call) {
        return left->call < right->call ? -1 : 1;
    }
    if (left->try_number != right->try_number) {
        return left->try_number < right->try_number ? -1 : 1;
    }
    return compare_spans(left->field, right->field);
}

static struct recourse_span unquoted(struct recourse_span string)
{
    bool good = string.size >= 2 && string.data[0] == '"';

    return good ? (struct recourse_span){string.data + 1, string.size - 2} : (struct recourse_span){NULL, 0};
}

/* The member that is neither the call, the try nor the writer. */
static bool read_item(struct recourse_span line, struct rcs_disclosed *item)
{
    struct recourse_span key;
    struct recourse_span value;
    int64_t number = 0;
    size_t at = 0;
    unsigned seen = 0;

    if (rcs_json_check(line, true, NULL) != RCS_JSON_GOOD || rcs_json_type_of(line) != RCS_JSON_OBJECT) {
        return false;
    }
    while (rcs_json_next(line, &at, &key, &value)) {
        if (rcs_json_string_is(key, "call", 4) && rcs_json_integer(value, &number) && number > 0) {
            item->call = (uint64_t)number;
            seen |= 1;
        } else if (rcs_json_string_is(key, "try", 3) && rcs_json_integer(value, &number) && number >= 0 &&
                   number <= (int64_t)RECOURSE_TRIES_MAX) {
            item->try_number = (unsigned)number;
            seen |= 2;
        } else if (rcs_json_string_is(key, "writer", 6) &&
                   rcs_hex_read(unquoted(value), item->writer, sizeof item->writer)) {
            seen |= 4;
        } else {
            item->field = unquoted(key);
            item->value = value;
            seen |= 8;
        }
    }
    return seen == 15;
}

static struct rcs_disclosed *add(struct rcs_disclosure *disclosure, size_t *room)
{
    struct rcs_disclosed *items;

    if (disclosure->count < *room) {
        return &disclosure->items[disclosure->count];
    }
    *room = *room == 0 ? 64 : 2 * *room;
    items = realloc(disclosure->items, *room * sizeof *items);
    if (items == NULL) {
        return NULL;
    }
    disclosure->items = items;
    return &items[disclosure->count];
}

/* What a writer, or a machine, that stopped has left of a line: nobody's fault, and not all that it was. */
static bool is_torn(struct recourse_span line)
{
    return rcs_json_check(line, false, NULL) == RCS_JSON_UNENDED ||
           (line.size > 0 && memchr(line.data, '\0', line.size) != NULL);
}

bool rcs_disclosure_read(struct rcs_disclosure *disclosure, struct recourse_span text, size_t *line)
{
    size_t room = 0;

    *disclosure = (struct rcs_disclosure){NULL, 0};
    *line = 0;
    while (text.size > 0) {
        const char *end = memchr(text.data, '\n', text.size);
        struct recourse_span one = {text.data, end == NULL ? text.size : (size_t)(end - text.data)};
        size_t used = end == NULL ? one.size : one.size + 1;
        struct rcs_disclosed *item = add(disclosure, &room);

        ++*line;
        text = (struct recourse_span){text.data + used, text.size - used};
        if (item == NULL) {
            return false;
        }
        memset(item, 0, sizeof *item);
        if (read_item(one, item)) {
            disclosure->count++;
        } else if (!is_torn(one)) {
            return false;
        }
    }
    if (disclosure->count > 0) {
        qsort(disclosure->items, disclosure->count, sizeof *disclosure->items, compare);
    }
    return true;
}

void rcs_disclosure_clear(struct rcs_disclosure *disclosure)
{
    free(disclosure->items);
    *disclosure = (struct rcs_disclosure){NULL, 0};
}

struct recourse_span rcs_disclosure_find(const struct rcs_disclosure *disclosure, const uint8_t writer[16],
                                         uint64_t call, unsigned try_number, const char *field)
{
    struct rcs_disclosed wanted = {.call = call, .try_number = try_number, .field = {field, strlen(field)}};
    const struct rcs_disclosed *found;

    memcpy(wanted.writer, writer, sizeof wanted.writer);
    if (disclosure == NULL || disclosure->count == 0) {
        return (struct recourse_span){NULL, 0};
    }
    found = bsearch(&wanted, disclosure->items, disclosure->count, sizeof wanted, compare);
    return found != NULL ? found->value : (struct recourse_span){NULL, 0};
}
