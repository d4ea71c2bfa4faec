/* Looking into objects, and keeping what is found there. */
#include "src/dialect/dialect.h"

#include <stdlib.h>
#include <string.h>

#include "src/core/text.h"

static const struct recourse_span nothing;

void rcs_object_open(struct rcs_object *object, struct recourse_span text)
{
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    object->count = 0;
    object->text = text;
    if (!rcs_is_object(text)) {
        return;
    }
    while (object->count <= RCS_OBJECT_MEMBERS && rcs_json_next(text, &at, &key, &value)) {
        if (object->count < RCS_OBJECT_MEMBERS) {
            object->members[object->count].key = key;
            object->members[object->count].value = value;
        }
        object->count++;
    }
}

struct recourse_span rcs_object_raw(const struct rcs_object *object, const char *name)
{
    size_t size = strlen(name);

    if (object->count > RCS_OBJECT_MEMBERS) {
        return rcs_json_member(object->text, name);
    }
    for (size_t i = object->count; i-- > 0;) {
        if (rcs_json_string_is(object->members[i].key, name, size)) {
            return object->members[i].value;
        }
    }
    return nothing;
}

struct recourse_span rcs_object_get(const struct rcs_object *object, const char *name)
{
    struct recourse_span value = rcs_object_raw(object, name);

    return value.data != NULL && rcs_json_type_of(value) == RCS_JSON_NULL ? nothing : value;
}

bool rcs_object_has(const struct rcs_object *object, const char *name)
{
    return rcs_object_get(object, name).data != NULL;
}

bool rcs_is_object(struct recourse_span value)
{
    return value.data != NULL && rcs_json_type_of(value) == RCS_JSON_OBJECT;
}

bool rcs_is_string(struct recourse_span value)
{
    return value.data != NULL && rcs_json_type_of(value) == RCS_JSON_STRING;
}

bool rcs_is_one_of(struct recourse_span value, const char *const *words)
{
    char text[64]; /* longer than any of the words */
    size_t size;

    if (!rcs_is_string(value)) {
        return false;
    }
    size = rcs_json_unescape(value, text, sizeof text);
    for (; *words != NULL; words++) {
        if (strlen(*words) == size && memcmp(*words, text, size) == 0) {
            return true;
        }
    }
    return false;
}

struct recourse_span rcs_first_of(struct recourse_span array)
{
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    return array.data != NULL && rcs_json_next(array, &at, &key, &value) ? value : nothing;
}

struct recourse_span rcs_keep_verbatim(struct rcs_store *store, struct recourse_span value)
{
    struct recourse_span kept = {store->at, value.size};

    store->used += value.size;
    if (store->at != NULL && value.size > 0) {
        memcpy(store->at, value.data, value.size);
        store->at += value.size;
    }
    return kept;
}

struct recourse_span rcs_keep(struct rcs_store *store, struct recourse_span value)
{
    struct recourse_span kept = {store->at, 0};

    if (value.data == NULL) {
        return nothing;
    }
    if (!rcs_is_string(value)) {
        return rcs_keep_verbatim(store, rcs_json_trim(value));
    }
    kept.size = rcs_json_unescape(value, NULL, 0);
    store->used += kept.size;
    if (store->at != NULL) {
        rcs_json_unescape(value, store->at, kept.size);
        store->at += kept.size;
    }
    return kept;
}

struct recourse_span rcs_keep_string(struct rcs_store *store, struct recourse_span value)
{
    return rcs_is_string(value) ? rcs_keep(store, value) : nothing;
}

static unsigned unit_at(struct recourse_span text, size_t at)
{
    char digits[5] = {0};

    if (at + 6 > text.size || text.data[at] != '\\' || text.data[at + 1] != 'u') {
        return 0;
    }
    memcpy(digits, text.data + at + 2, 4);
    return (unsigned)strtoul(digits, NULL, 16);
}

/* Bytes that are not UTF-8, and halves of surrogate pairs, are replaced where text is written. */
static bool is_unicode(struct recourse_span string)
{
    for (size_t at = 0; at < string.size; at++) {
        unsigned unit = unit_at(string, at);

        if (unit >= 0xdc00 && unit <= 0xdfff) {
            return false;
        }
        if (unit >= 0xd800 && unit <= 0xdbff) {
            at += 6;
            unit = unit_at(string, at);
            if (unit < 0xdc00 || unit > 0xdfff) {
                return false;
            }
        }
        at += unit > 0 ? 5 : string.data[at] == '\\';
    }
    return rcs_utf8_is_good(string);
}

struct recourse_span rcs_keep_id(struct rcs_store *store, struct recourse_span value)
{
    store->lost_id = store->lost_id || (rcs_is_string(value) && !is_unicode(value));
    return rcs_keep(store, value);
}
