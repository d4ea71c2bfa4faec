#include "page_frame.h"

#include <openssl/evp.h>
#include <string.h>

void rcs_frame_add(struct rcs_frame *frame, const char *name, const char *text, size_t size)
{
    if (frame->count < RCS_FRAME_PARTS_MAX) {
        frame->parts[frame->count++] = (struct rcs_frame_part){name, text, size};
    }
}

void rcs_frame_add_made(struct rcs_frame *frame, const char *name, const struct rcs_string *made)
{
    rcs_frame_add(frame, name, made->data == NULL ? "" : made->data, made->size);
}

static const struct rcs_page_file *file_of(const char *name)
{
    const struct rcs_page_file *file = rcs_page_files;

    while (strcmp(file->name, name) != 0) {
        file++;
    }
    return file;
}

void rcs_frame_add_file(struct rcs_frame *frame, const char *name, const char *file)
{
    rcs_frame_add(frame, name, (const char *)file_of(file)->text, file_of(file)->size);
}

/* What a Content-Security-Policy calls a text: 'sha256-...'. */
static const char *digest_of(struct rcs_arena *arena, const char *name)
{
    const struct rcs_page_file *file = file_of(name);
    unsigned char digest[32];
    unsigned char text[48];
    unsigned size = 0;

    if (EVP_Digest(file->text, file->size, digest, &size, EVP_sha256(), NULL) != 1) {
        return "'none'";
    }
    EVP_EncodeBlock(text, digest, sizeof digest);
    return rcs_arena_format(arena, "'sha256-%s'", (const char *)text);
}

void rcs_frame_add_security(struct rcs_frame *frame, const char *script, const char *style, const char *more_style)
{
    const char *text = rcs_arena_format(
        frame->arena,
        "default-src 'none'; script-src %s; style-src %s%s%s; img-src data:; base-uri 'none'; form-action 'none'",
        digest_of(frame->arena, script), digest_of(frame->arena, style), more_style == NULL ? "" : " ",
        more_style == NULL ? "" : digest_of(frame->arena, more_style));

    rcs_frame_add(frame, "security", text, strlen(text));
}

static const struct rcs_frame_part *part_of(const struct rcs_frame *frame, const char *name, size_t size)
{
    for (size_t i = 0; i < frame->count; i++) {
        if (strlen(frame->parts[i].name) == size && memcmp(frame->parts[i].name, name, size) == 0) {
            return &frame->parts[i];
        }
    }
    return NULL;
}

void rcs_frame_fill(const struct rcs_frame *frame, const char *file, struct rcs_string *out)
{
    const char *at = (const char *)file_of(file)->text;
    const char *open;

    while ((open = strstr(at, "{{")) != NULL) {
        const char *close = strstr(open, "}}");
        const struct rcs_frame_part *part = part_of(frame, open + 2, (size_t)(close - open - 2));

        rcs_append(out, at, (size_t)(open - at));
        if (part != NULL) {
            rcs_append(out, part->text, part->size);
        }
        at = close + 2;
    }
    rcs_append_text(out, at);
}

void rcs_frame_append_json(struct rcs_string *out, const char *json, size_t size)
{
    size_t from = 0;

    for (size_t at = 0; at < size; at++) {
        if (json[at] == '<') {
            rcs_append(out, json + from, at - from);
            rcs_append_text(out, "\\u003c");
            from = at + 1;
        }
    }
    rcs_append(out, json + from, size - from);
}
