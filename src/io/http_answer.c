#include "src/io/http_answer.h"

#include "src/core/text.h"
#include "src/io/memory.h"

#define HEAD_USUAL 400u /* bytes that most headers have room in */
#define KEPT_MAX 2048u  /* bytes that each part keeps for the next answer */

void rcs_answer_init(struct rcs_answer *answer, const struct recourse_allocator *allocator, size_t body_max)
{
    *answer = (struct rcs_answer){.stage = RCS_ANSWER_START};
    rcs_buffer_init(&answer->head, allocator, RCS_HTTP_HEAD_MAX);
    rcs_buffer_init(&answer->body, allocator, body_max);
}

void rcs_answer_clear(struct rcs_answer *answer)
{
    rcs_free(answer->head.allocator, answer->headers);
    answer->headers = NULL;
    rcs_buffer_clear(&answer->head);
    rcs_buffer_clear(&answer->body);
}

static void reset_buffer(struct rcs_buffer *buffer)
{
    if (buffer->capacity > KEPT_MAX) {
        rcs_buffer_clear(buffer);
    } else {
        rcs_buffer_reset(buffer);
    }
}

void rcs_answer_reset(struct rcs_answer *answer)
{
    reset_buffer(&answer->head);
    reset_buffer(&answer->body);
    if (answer->header_room * sizeof *answer->headers > KEPT_MAX) {
        rcs_free(answer->head.allocator, answer->headers);
        answer->headers = NULL;
        answer->header_room = 0;
    }
    answer->stage = RCS_ANSWER_START;
    answer->status = 0;
    answer->too_large = false;
    answer->head_too_large = false;
    answer->no_memory = false;
    answer->any_encoding = false;
    answer->refused = NULL;
    answer->head_bytes = 0;
    answer->head_lines = 0;
    answer->header_count = 0;
    answer->phrase_size = 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct recourse_span trim(const char *text, size_t size)
{
    while (size > 0 && is_blank(text[size - 1])) {
        size--;
    }
    while (size > 0 && is_blank(*text)) {
        text++;
        size--;
    }
    return (struct recourse_span){text, size};
}

/* Keeps the outcome of an append to one of the buffers. */
static bool took(struct rcs_answer *answer, int code)
{
    answer->too_large = answer->too_large || code == RECOURSE_E_LIMIT;
    answer->no_memory = answer->no_memory || code == RECOURSE_E_MEMORY;
    return code == 0;
}

static bool add(struct rcs_answer *answer, struct recourse_span text, char end)
{
    return took(answer, rcs_buffer_append(&answer->head, text.data, text.size)) &&
           took(answer, rcs_buffer_append_byte(&answer->head, end));
}

static bool is_status_line(const char *line, size_t size)
{
    return size > 5 && memcmp(line, "HTTP/", 5) == 0;
}

/* "HTTP/1.1 503 Service Unavailable"; libcurl has refused what has no status of three digits. */
static bool begin(struct rcs_answer *answer, const char *line, size_t size)
{
    struct recourse_span phrase;
    size_t at = 0;
    unsigned status = 0;

    while (at < size && line[at] != ' ') {
        at++;
    }
    while (at < size && line[at] == ' ') {
        at++;
    }
    while (at < size && line[at] >= '0' && line[at] <= '9' && status < 100) {
        status = status * 10 + (unsigned)(line[at++] - '0');
    }
    phrase = trim(line + at, size - at);
    rcs_buffer_reset(&answer->head);
    answer->stage = RCS_ANSWER_HEAD;
    answer->status = (uint16_t)status;
    answer->header_count = 0;
    answer->encodings = 0;
    answer->has_length = false;
    answer->has_chunks = false;
    answer->phrase_size = phrase.size;
    return took(answer, rcs_buffer_reserve(&answer->head, HEAD_USUAL)) && add(answer, phrase, '\n');
}

/* A folded line goes on with the header before it, after one space (RFC 9112, section 5.2). */
static bool unfold(struct rcs_answer *answer, struct recourse_span more)
{
    size_t end = answer->head.size;

    if (answer->header_count == 0) {
        return true;
    }
    answer->head.data[end - 1] = ' ';
    if (!add(answer, more, '\n')) {
        answer->head.size = end;
        answer->head.data[end - 1] = '\n';
        return false;
    }
    return true;
}

/* ---- what a header may not say ---- */

static bool is_one_of(struct recourse_span word, const char *const *words)
{
    while (*words != NULL && !rcs_text_equal_folded(word, *words)) {
        words++;
    }
    return *words != NULL;
}

/*
 * libcurl undoes every encoding that it knows, one within the other, whoever asked for it. A few bytes that are encoded twice
 * can keep it busy for hours within one call, and some encodings want 128 MiB.
 */
static bool take_encodings(struct rcs_answer *answer, struct recourse_span value)
{
    static const char *const usual[] = {"gzip", "x-gzip", "deflate", NULL};
    static const char *const none[] = {"", "identity", NULL};

    while (value.size > 0) {
        const char *comma = memchr(value.data, ',', value.size);
        size_t size = comma != NULL ? (size_t)(comma - value.data) : value.size;
        struct recourse_span word = trim(value.data, size);

        if (!is_one_of(word, none)) {
            answer->encodings++;
            if (answer->encodings > 1 || !(answer->any_encoding || is_one_of(word, usual))) {
                answer->refused = answer->encodings > 1 ? "the answer is encoded more than once"
                                                        : "the answer is encoded in a way that was not asked for";
                return false;
            }
        }
        size += comma != NULL;
        value = (struct recourse_span){value.data + size, value.size - size};
    }
    return true;
}

/* Of encodings for the way only chunks are ever asked for. */
static bool take_transfer(struct rcs_answer *answer, struct recourse_span value)
{
    static const char *const known[] = {"chunked", "identity", NULL};

    if (!is_one_of(value, known)) {
        answer->refused = "the answer is sent in an encoding that was not asked for";
    }
    answer->has_chunks = answer->has_chunks || rcs_text_equal_folded(value, "chunked");
    return answer->refused == NULL;
}

/* Two that differ: nobody knows where the answer ends (RFC 9112, section 6.3). What is no number libcurl refuses. */
static bool take_length(struct rcs_answer *answer, struct recourse_span value)
{
    uint64_t length = 0;

    for (size_t i = 0; i < value.size; i++) {
        if (value.data[i] < '0' || value.data[i] > '9') {
            return true;
        }
        length = length > (UINT64_MAX - 9) / 10 ? UINT64_MAX : length * 10 + (uint64_t)(value.data[i] - '0');
    }
    if (answer->has_length && answer->length != length) {
        answer->refused = "the answer has two lengths";
        return false;
    }
    answer->has_length = true;
    answer->length = length;
    return true;
}

static bool is_acceptable(struct rcs_answer *answer, struct recourse_span name, struct recourse_span value)
{
    static const struct {
        const char *name;
        bool (*take)(struct rcs_answer *answer, struct recourse_span value);
    } checked[] = {
        {"content-encoding", take_encodings}, {"transfer-encoding", take_transfer}, {"content-length", take_length}};

    for (size_t i = 0; i < sizeof checked / sizeof checked[0]; i++) {
        if (rcs_text_equal_folded(name, checked[i].name)) {
            return checked[i].take(answer, value);
        }
    }
    return true;
}

static bool add_header(struct rcs_answer *answer, const char *line, size_t size)
{
    const char *colon = memchr(line, ':', size);
    struct recourse_span name;
    struct recourse_span value;

    if (is_blank(*line)) {
        return unfold(answer, trim(line, size));
    }
    if (colon == NULL) {
        return true;
    }
    name = trim(line, (size_t)(colon - line));
    value = trim(colon + 1, size - (size_t)(colon + 1 - line));
    if (!is_acceptable(answer, name, value) || !add(answer, name, ':') || !add(answer, value, '\n')) {
        return false;
    }
    answer->header_count++; /* only what is there as a whole */
    return true;
}

bool rcs_answer_line(struct rcs_answer *answer, const char *line, size_t size)
{
    answer->head_bytes += size;
    answer->head_lines++;
    if (answer->head_bytes > RCS_HTTP_HEAD_MAX || answer->head_lines > RCS_HTTP_HEAD_LINES_MAX) {
        answer->too_large = true;
        answer->head_too_large = true;
        return false;
    }
    if (answer->stage == RCS_ANSWER_BODY) {
        return true;
    }
    if (answer->stage == RCS_ANSWER_START) {
        return !is_status_line(line, size) || begin(answer, line, size);
    }
    if (trim(line, size).size > 0) {
        return add_header(answer, line, size);
    }
    answer->stage = answer->status < 200 ? RCS_ANSWER_START : RCS_ANSWER_BODY;
    return true;
}

bool rcs_answer_block(struct rcs_answer *answer, const char *block, size_t size)
{
    size_t room = answer->body.limit - answer->body.size;

    if (size <= room) {
        return took(answer, rcs_buffer_append(&answer->body, block, size));
    }
    answer->too_large = true;
    (void)took(answer, rcs_buffer_append(&answer->body, block, room));
    return false;
}

/* The media type in a line "name:value", without its parameters; empty: another header. */
static struct recourse_span media_type(const char *line, size_t size)
{
    const char *colon = memchr(line, ':', size);
    struct recourse_span value = {NULL, 0};

    if (colon == NULL || !rcs_text_equal_folded((struct recourse_span){line, (size_t)(colon - line)}, "content-type")) {
        return value;
    }
    value = (struct recourse_span){colon + 1, size - (size_t)(colon + 1 - line)};
    for (size_t i = 0; i < value.size; i++) {
        if (value.data[i] == ';') {
            value.size = i;
        }
    }
    return rcs_text_trim(value);
}

bool rcs_answer_is_of_type(const struct rcs_answer *answer, const char *type)
{
    const char *line = answer->head.data + answer->phrase_size + 1;
    bool found = false;

    if (answer->status < 200 || answer->status > 299) {
        return false;
    }
    for (size_t i = 0; i < answer->header_count && !found; i++) {
        size_t size = (size_t)((const char *)memchr(line, '\n', answer->head.size) - line);

        found = rcs_text_equal_folded(media_type(line, size), type);
        line += size + 1;
    }
    return found;
}

bool rcs_answer_finish(struct rcs_answer *answer)
{
    struct recourse_header *headers;
    const char *line;
    const char *end;

    if (answer->header_count == 0) {
        return true;
    }
    headers = rcs_grow(answer->head.allocator, answer->headers, &answer->header_room, answer->header_count,
                       sizeof *headers);
    if (headers == NULL) {
        answer->header_count = 0;
        return false;
    }
    answer->headers = headers;
    line = answer->head.data + answer->phrase_size + 1;
    end = answer->head.data + answer->head.size;
    for (size_t i = 0; i < answer->header_count; i++) {
        const char *colon = memchr(line, ':', (size_t)(end - line));
        const char *stop = memchr(colon, '\n', (size_t)(end - colon));

        answer->headers[i].name = (struct recourse_span){line, (size_t)(colon - line)};
        answer->headers[i].value = (struct recourse_span){colon + 1, (size_t)(stop - colon - 1)};
        line = stop + 1;
    }
    return true;
}

struct recourse_span rcs_answer_phrase(const struct rcs_answer *answer)
{
    return (struct recourse_span){answer->head.data, answer->phrase_size};
}
