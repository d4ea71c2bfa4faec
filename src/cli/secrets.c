#include "secrets.h"

#include <string.h>

#include "src/core/json.h"

void rcs_secrets_add(struct rcs_arena *arena, struct rcs_secrets *secrets, const char *name, const char *value)
{
    struct rcs_secret *secret;
    size_t size = strlen(value);

    if (size < RCS_SECRET_SIZE_MIN) {
        return;
    }
    for (size_t i = 0; i < secrets->count; i++) {
        if (strcmp(secrets->items[i].name, name) == 0) {
            return;
        }
    }
    secret = rcs_arena_push(arena, &secrets->items, &secrets->count, sizeof *secret);
    secret->name = rcs_arena_copy(arena, name, strlen(name));
    secret->value = (struct recourse_span){rcs_arena_copy(arena, value, size), size};
}

/* Whether a text was cut just before this: a reason, or what a model reads. */
static bool is_cut(struct recourse_span rest)
{
    static const char *const marks[] = {"...", "\n[truncated: "};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t size = strlen(marks[i]);

        if (rest.size >= size && memcmp(rest.data, marks[i], size) == 0) {
            return true;
        }
    }
    return false;
}

/* How much of the secret stands where `text` begins: all of it, or what a cut has left; 0: none. */
static size_t part_of(const struct rcs_secret *secret, struct recourse_span text)
{
    size_t size = 0;

    while (size < secret->value.size && size < text.size && secret->value.data[size] == text.data[size]) {
        size++;
    }
    if (size == secret->value.size) {
        return size;
    }
    return size >= RCS_SECRET_SIZE_MIN && is_cut((struct recourse_span){text.data + size, text.size - size}) ? size : 0;
}

/* The secret of which most stands where `text` begins; `*size` is how much, 0 if there is none. */
static const struct rcs_secret *find(const struct rcs_secrets *secrets, struct recourse_span text, size_t *size)
{
    const struct rcs_secret *found = NULL;

    *size = 0;
    for (size_t i = 0; i < secrets->count; i++) {
        size_t part = part_of(&secrets->items[i], text);

        if (part > *size) {
            found = &secrets->items[i];
            *size = part;
        }
    }
    return found;
}

struct recourse_span rcs_secrets_hide(struct rcs_arena *arena, const struct rcs_secrets *secrets,
                                      struct recourse_span text)
{
    struct rcs_string out = {.arena = arena};
    size_t done = 0;
    size_t part;

    for (size_t i = 0; secrets != NULL && secrets->count > 0 && i < text.size;) {
        const struct rcs_secret *secret = find(secrets, (struct recourse_span){text.data + i, text.size - i}, &part);

        if (secret == NULL) {
            i++;
            continue;
        }
        rcs_append(&out, text.data + done, i - done);
        rcs_append_text(&out, "${");
        rcs_append_text(&out, secret->name);
        rcs_append_text(&out, "}");
        i += part;
        done = i;
    }
    if (done == 0) {
        return text;
    }
    rcs_append(&out, text.data + done, text.size - done);
    return (struct recourse_span){out.data, out.size};
}

const char *rcs_secrets_hide_text(struct rcs_arena *arena, const struct rcs_secrets *secrets, const char *text)
{
    return rcs_secrets_hide(arena, secrets, (struct recourse_span){text, strlen(text)}).data;
}

struct recourse_span rcs_secrets_hide_json(struct rcs_arena *arena, const struct rcs_secrets *secrets,
                                           struct recourse_span json)
{
    struct recourse_span shown = rcs_secrets_hide(arena, secrets, json);
    size_t offset;

    if (shown.data != json.data && rcs_json_check(shown, false, &offset) != RCS_JSON_GOOD) {
        return (struct recourse_span){NULL, 0};
    }
    return shown;
}
