#include "src/audit/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void rcs_lines_init(struct rcs_lines *lines, ssize_t (*source)(void *user, char *bytes, size_t size), void *user)
{
    lines->read = source;
    lines->user = user;
    lines->offset = 0;
    lines->number = 0;
    lines->at = 0;
    lines->filled = 0;
    lines->ended = false;
    lines->error = 0;
}

static ssize_t read_file(void *user, char *bytes, size_t size)
{
    return read(*(const int *)user, bytes, size);
}

void rcs_lines_init_file(struct rcs_lines *lines, const int *fd)
{
    rcs_lines_init(lines, read_file, (void *)(uintptr_t)fd);
}

/* Reads more behind what is left. False: nothing more came. */
static bool fill(struct rcs_lines *lines)
{
    ssize_t got;

    if (lines->at > 0) {
        memmove(lines->bytes, lines->bytes + lines->at, lines->filled - lines->at);
        lines->filled -= lines->at;
        lines->at = 0;
    }
    do {
        got = lines->read(lines->user, lines->bytes + lines->filled, sizeof lines->bytes - lines->filled);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        lines->error = errno;
        return false;
    }
    lines->filled += (size_t)got;
    lines->ended = got == 0;
    return got > 0;
}

enum rcs_line_kind rcs_lines_next(struct rcs_lines *lines, struct recourse_span *line)
{
    size_t looked = 0;

    for (;;) {
        const char *begin = lines->bytes + lines->at;
        size_t left = lines->filled - lines->at;
        const char *end = memchr(begin + looked, '\n', left - looked);

        if (end != NULL) {
            *line = (struct recourse_span){begin, (size_t)(end - begin)};
            lines->at += line->size + 1;
            lines->offset += line->size + 1;
            lines->number++;
            return line->size < RCS_LINE_MAX ? RCS_LINE_WHOLE : RCS_LINE_LONG;
        }
        if (left >= RCS_LINE_MAX) {
            *line = (struct recourse_span){begin, left};
            lines->number++;
            return RCS_LINE_LONG;
        }
        looked = left;
        if (lines->ended || !fill(lines)) {
            break;
        }
    }
    if (lines->error != 0) {
        return RCS_LINE_FAILED;
    }
    *line = (struct recourse_span){lines->bytes + lines->at, lines->filled - lines->at};
    if (line->size == 0) {
        return RCS_LINE_END;
    }
    lines->number++;
    return RCS_LINE_TORN;
}

const char *rcs_lines_check(struct recourse_span line, bool first, uint8_t hash[RCS_HASH_SIZE],
                            struct rcs_record *record)
{
    uint8_t written[RCS_HASH_SIZE];
    uint8_t named[RCS_HASH_SIZE];
    struct recourse_span body;
    const char *wrong = rcs_line_read(line, &body, written);

    wrong = wrong == NULL ? rcs_body_read(body, record) : wrong;
    if (wrong != NULL) {
        return wrong;
    }
    if (record->kind == RCS_KIND_SEGMENT) {
        if (rcs_record_get(record, RCS_KEY_FORMAT) != RCS_AUDIT_FORMAT) {
            return "it is of a format that this version does not know";
        }
        (void)rcs_record_hex(record, RCS_KEY_PREVIOUS, named, sizeof named);
        if (first) {
            memcpy(hash, named, sizeof named);
        } else if (memcmp(hash, named, sizeof named) != 0) {
            return "its segment does not follow the one before";
        }
    } else if (first) {
        return "a log begins with the header of a segment";
    }
    rcs_chain_next(hash, body);
    return memcmp(hash, written, sizeof written) == 0 ? NULL
                                                      : "its hash is not that of what it says after the line before";
}
