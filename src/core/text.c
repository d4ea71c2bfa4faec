#include "text.h"

#include <string.h>

#include "sink.h"

#define REPLACEMENT 0xfffdu
#define ESC 0x1bu

/* What may follow a lead byte: the second byte's range is narrower for some (Unicode 15, table 3-7). */
struct lead {
    uint8_t first, last; /* lead bytes */
    uint8_t low, high;   /* second byte */
    uint8_t more;        /* continuation bytes in all */
    uint8_t mask;        /* bits of the lead that count */
};

static const struct lead leads[] = {
    {0xc2, 0xdf, 0x80, 0xbf, 1, 0x1f}, {0xe0, 0xe0, 0xa0, 0xbf, 2, 0x0f}, {0xe1, 0xec, 0x80, 0xbf, 2, 0x0f},
    {0xed, 0xed, 0x80, 0x9f, 2, 0x0f}, {0xee, 0xef, 0x80, 0xbf, 2, 0x0f}, {0xf0, 0xf0, 0x90, 0xbf, 3, 0x07},
    {0xf1, 0xf3, 0x80, 0xbf, 3, 0x07}, {0xf4, 0xf4, 0x80, 0x8f, 3, 0x07},
};

static const struct lead *find_lead(uint8_t byte)
{
    for (size_t i = 0; i < sizeof leads / sizeof leads[0]; i++) {
        if (byte >= leads[i].first && byte <= leads[i].last) {
            return &leads[i];
        }
    }
    return NULL;
}

uint32_t rcs_utf8_next(const char *text, size_t size, size_t *at)
{
    const uint8_t byte = (uint8_t)text[(*at)++];
    const struct lead *lead;
    uint32_t point;
    uint8_t low, high;

    if (byte < 0x80) {
        return byte;
    }
    lead = find_lead(byte);
    if (lead == NULL) {
        return REPLACEMENT;
    }
    point = byte & lead->mask;
    low = lead->low;
    high = lead->high;
    for (unsigned i = 0; i < lead->more; i++) {
        const uint8_t next = *at < size ? (uint8_t)text[*at] : 0;

        if (next < low || next > high) {
            return REPLACEMENT;
        }
        point = point << 6 | (next & 0x3fu);
        (*at)++;
        low = 0x80;
        high = 0xbf;
    }
    return point;
}

size_t rcs_utf8_put(uint32_t code_point, char out[4])
{
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = (char)(0xc0 | code_point >> 6);
        out[1] = (char)(0x80 | (code_point & 0x3f));
        return 2;
    }
    if (code_point > 0x10ffff || (code_point >= 0xd800 && code_point <= 0xdfff)) {
        code_point = REPLACEMENT;
    }
    if (code_point < 0x10000) {
        out[0] = (char)(0xe0 | code_point >> 12);
        out[1] = (char)(0x80 | (code_point >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code_point & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code_point >> 18);
    out[1] = (char)(0x80 | (code_point >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code_point >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code_point & 0x3f));
    return 4;
}

size_t rcs_utf8_count(struct recourse_span text)
{
    size_t count = 0;

    for (size_t at = 0; at < text.size; count++) {
        rcs_utf8_next(text.data, text.size, &at);
    }
    return count;
}

size_t rcs_utf8_mend(struct recourse_span text, char *out, size_t size)
{
    struct rcs_sink sink = rcs_sink_of(out, size);

    rcs_sink_text(&sink, text.data, text.size);
    return rcs_sink_end(&sink);
}

bool rcs_utf8_is_good(struct recourse_span text)
{
    size_t at = 0;

    while (at < text.size) {
        size_t begin = at;

        if ((unsigned char)text.data[at] < 0x80) {
            at++;
        } else if (rcs_utf8_next(text.data, text.size, &at) == 0xfffd &&
                   (at - begin != 3 || memcmp(text.data + begin, "\xef\xbf\xbd", 3) != 0)) {
            return false;
        }
    }
    return true;
}

/* ---- cleaning ---- */

static uint8_t byte_at(struct recourse_span text, size_t at)
{
    return at < text.size ? (uint8_t)text.data[at] : 0;
}

static size_t skip_range(struct recourse_span text, size_t at, uint8_t low, uint8_t high)
{
    while (at < text.size && byte_at(text, at) >= low && byte_at(text, at) <= high) {
        at++;
    }
    return at;
}

/* Where a control string (OSC, DCS, SOS, PM, APC) ends that begins at `at`; without its terminator only the two bytes
   that introduce it go, so that nobody makes the rest of a text vanish. Another ESC ends the search: linear. */
static size_t skip_string(struct recourse_span text, size_t at)
{
    const size_t begin = at;

    for (; at < text.size; at++) {
        if (byte_at(text, at) == 0x07) {
            return at + 1;
        }
        if (byte_at(text, at) == ESC) {
            return byte_at(text, at + 1) == '\\' ? at + 2 : begin;
        }
    }
    return begin;
}

/* The end of the escape sequence whose ESC is at `at`; `at` itself if there is none (ECMA-48, 5.3 to 5.6). */
static size_t skip_escape(struct recourse_span text, size_t at)
{
    const uint8_t kind = byte_at(text, at + 1);
    size_t end;

    if (kind == '[') {
        end = skip_range(text, at + 2, 0x30, 0x3f);
        end = skip_range(text, end, 0x20, 0x2f);
        return byte_at(text, end) >= 0x40 && byte_at(text, end) <= 0x7e ? end + 1 : end;
    }
    if (kind != 0 && strchr("]PX^_", kind) != NULL) {
        return skip_string(text, at + 2);
    }
    end = skip_range(text, at + 1, 0x20, 0x2f);
    return byte_at(text, end) >= 0x30 && byte_at(text, end) <= 0x7e ? end + 1 : at;
}

static bool is_shown(uint32_t point)
{
    if (point < 0x20) {
        return point == '\t' || point == '\n' || point == '\r';
    }
    return !(point >= 0x7f && point <= 0x9f) && !(point >= 0x202a && point <= 0x202e) &&
           !(point >= 0x2066 && point <= 0x2069) && point != 0xfffe && point != 0xffff;
}

/* The next code point of the cleaned text; false at its end. */
static bool next_clean(struct recourse_span text, size_t *at, uint32_t *point)
{
    while (byte_at(text, *at) == ESC) {
        const size_t end = skip_escape(text, *at);

        if (end == *at) {
            break;
        }
        *at = end;
    }
    if (*at >= text.size) {
        return false;
    }
    *point = rcs_utf8_next(text.data, text.size, at);
    if (!is_shown(*point)) {
        *point = REPLACEMENT;
    }
    return true;
}

/* Where the bytes from `at` on end that stay what they are: most of most texts. */
static size_t skip_plain(struct recourse_span text, size_t at)
{
    while (at < text.size && byte_at(text, at) < 0x7f && is_shown(byte_at(text, at))) {
        at++;
    }
    return at;
}

size_t rcs_text_clean(struct recourse_span text, char *out, size_t size)
{
    struct rcs_sink sink = rcs_sink_of(out, size);
    size_t at = 0;
    uint32_t point;

    while (at < text.size) {
        const size_t plain = at;

        at = skip_plain(text, at);
        rcs_sink_ascii(&sink, text.data + plain, at - plain);
        if (!next_clean(text, &at, &point)) {
            break;
        }
        rcs_sink_point(&sink, point);
    }
    return rcs_sink_end(&sink);
}

/* ---- reasons ---- */

static bool is_blank(uint32_t point)
{
    return point == ' ' || (point >= '\t' && point <= '\r') || point == 0xa0 || point == 0x1680 ||
           (point >= 0x2000 && point <= 0x200a) || point == 0x2028 || point == 0x2029 || point == 0x202f ||
           point == 0x205f || point == 0x3000;
}

/* Reads a text cleaned, folded and trimmed. */
struct folder {
    struct recourse_span text;
    size_t at;
    bool begun; /* something other than blanks was read */
    bool blank; /* blanks were read that nothing stands for yet */
};

static bool next_folded(struct folder *folder, uint32_t *point)
{
    for (size_t ahead = folder->at; next_clean(folder->text, &ahead, point); folder->at = ahead) {
        if (is_blank(*point)) {
            folder->blank = folder->begun;
            continue;
        }
        if (folder->blank) { /* the one blank first; what follows it is read again next time */
            folder->blank = false;
            *point = ' ';
            return true;
        }
        folder->begun = true;
        folder->at = ahead;
        return true;
    }
    return false;
}

/* Whether the folded text has more than `max` code points. */
static bool is_longer(struct recourse_span text, uint32_t max)
{
    struct folder folder = {.text = text};
    uint32_t point;

    for (uint32_t count = 0; next_folded(&folder, &point); count++) {
        if (count == max) {
            return true;
        }
    }
    return false;
}

void rcs_text_put_reason(struct rcs_sink *sink, struct recourse_span text, uint32_t max)
{
    const bool cut = max != UINT32_MAX && is_longer(text, max);
    const bool dots = cut && max >= 3;
    size_t keep = SIZE_MAX;
    struct folder folder = {.text = text};
    uint32_t point;

    if (cut) {
        keep = dots ? max - 3 : max;
    }
    for (; keep > 0 && next_folded(&folder, &point); keep--) {
        rcs_sink_point(sink, point);
    }
    if (dots) {
        rcs_sink_text(sink, "...", 3);
    }
}

size_t rcs_text_reason(struct recourse_span text, uint32_t max, char *out, size_t size)
{
    struct rcs_sink sink = rcs_sink_of(out, size);

    rcs_text_put_reason(&sink, text, max);
    return rcs_sink_end(&sink);
}

size_t rcs_text_cut(struct recourse_span text, size_t max)
{
    size_t line = 0;
    size_t at = 0;

    for (size_t count = 0; at < text.size; count++) {
        if (count == max) {
            return line > 0 ? line : at;
        }
        if (text.data[at] == '\n') {
            line = at > 0 && text.data[at - 1] == '\r' ? at - 1 : at;
        }
        rcs_utf8_next(text.data, text.size, &at);
    }
    return text.size;
}

/* ---- ASCII ---- */

static char fold(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool starts_folded(const char *text, const char *lower, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (fold(text[i]) != fold(lower[i])) {
            return false;
        }
    }
    return true;
}

bool rcs_text_find_folded(struct recourse_span text, const char *lower)
{
    const size_t size = strlen(lower);

    if (size == 0) {
        return true;
    }
    for (size_t at = 0; at + size <= text.size; at++) {
        if (starts_folded(text.data + at, lower, size)) {
            return true;
        }
    }
    return false;
}

bool rcs_text_equal_folded(struct recourse_span text, const char *other)
{
    return text.size == strlen(other) && starts_folded(text.data, other, text.size);
}

struct recourse_span rcs_text_trim(struct recourse_span text)
{
    while (text.size > 0 && (text.data[0] == ' ' || text.data[0] == '\t')) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t')) {
        text.size--;
    }
    return text;
}
