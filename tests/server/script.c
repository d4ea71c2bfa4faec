/* The words of a script. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/server/parts.h"

void *rcs_must_alloc(void *memory, size_t size)
{
    void *fresh = realloc(memory, size == 0 ? 1 : size);

    if (fresh == NULL) {
        fputs("faulty server: out of memory\n", stderr);
        abort();
    }
    return fresh;
}

char *rcs_must_copy(const char *text, size_t size)
{
    char *copy = rcs_must_alloc(NULL, size + 1);

    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

void rcs_bytes_add(struct rcs_bytes *bytes, const char *data, size_t size)
{
    if (bytes->size + size + 1 > bytes->room) {
        bytes->room = (bytes->size + size + 1) * 2;
        bytes->data = rcs_must_alloc(bytes->data, bytes->room);
    }
    if (size > 0) {
        memcpy(bytes->data + bytes->size, data, size);
    }
    bytes->size += size;
    bytes->data[bytes->size] = '\0';
}

void rcs_bytes_format(struct rcs_bytes *bytes, const char *format, ...)
{
    char text[512];
    va_list list;
    int size;

    va_start(list, format);
    size = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (size > 0) {
        rcs_bytes_add(bytes, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
    }
}

void rcs_bytes_drop(struct rcs_bytes *bytes, size_t size)
{
    memmove(bytes->data, bytes->data + size, bytes->size - size + 1);
    bytes->size -= size;
}

void rcs_bytes_clear(struct rcs_bytes *bytes)
{
    free(bytes->data);
    memset(bytes, 0, sizeof *bytes);
}

/* ---- reading ---- */

enum word_kind { WORD_NUMBER, WORD_TEXT, WORD_HEADER, WORD_FLAG, WORD_END };

static const struct {
    const char *name;
    enum word_kind kind;
    size_t field;
    enum rcs_end end;
} words[] = {
    {"phrase", WORD_TEXT, offsetof(struct rcs_answer, phrase), RCS_END_KEEP},
    {"header", WORD_HEADER, offsetof(struct rcs_answer, headers), RCS_END_KEEP},
    {"body", WORD_TEXT, offsetof(struct rcs_answer, body), RCS_END_KEEP},
    {"raw", WORD_TEXT, offsetof(struct rcs_answer, raw), RCS_END_KEEP},
    {"endless", WORD_TEXT, offsetof(struct rcs_answer, endless), RCS_END_KEEP},
    {"fill", WORD_NUMBER, offsetof(struct rcs_answer, fill), RCS_END_KEEP},
    {"length", WORD_NUMBER, offsetof(struct rcs_answer, length), RCS_END_KEEP},
    {"wait", WORD_NUMBER, offsetof(struct rcs_answer, wait_ms), RCS_END_KEEP},
    {"trickle", WORD_NUMBER, offsetof(struct rcs_answer, trickle_ms), RCS_END_KEEP},
    {"times", WORD_NUMBER, offsetof(struct rcs_answer, times), RCS_END_KEEP},
    {"echo", WORD_FLAG, offsetof(struct rcs_answer, echo), RCS_END_KEEP},
    {"reuse", WORD_FLAG, offsetof(struct rcs_answer, reuse), RCS_END_KEEP},
    {"close", WORD_END, 0, RCS_END_CLOSE},
    {"reset", WORD_END, 0, RCS_END_RESET},
    {"hang", WORD_END, 0, RCS_END_HANG},
};

static bool number_read(const char *text, size_t *number)
{
    char *end;
    unsigned long value;

    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    value = strtoul(text, &end, 10);
    *number = value;
    return *end == '\0' && value <= RCS_FAULTY_BODY_MAX;
}

static bool end_read(const char *text, enum rcs_end end, struct rcs_answer *answer)
{
    static const char *const where[] = {[RCS_AFTER] = "after", [RCS_BEFORE] = "before", [RCS_MIDDLE] = "middle"};

    answer->end = end;
    for (size_t i = 0; i < sizeof where / sizeof where[0]; i++) {
        if (strcmp(text, where[i]) == 0) {
            answer->where = (enum rcs_where)i;
            return true;
        }
    }
    answer->where = RCS_AT_BYTE;
    return number_read(text, &answer->byte);
}

/* Takes one escape after its backslash; false if there is none like it. */
static bool escape_read(const char **at, struct rcs_bytes *out)
{
    static const char from[] = "nrt\\\"'";
    static const char to[] = "\n\r\t\\\"'";
    const char *found = **at == '\0' ? NULL : strchr(from, **at);
    char hex[3] = {0};
    char byte;

    if (found != NULL) {
        rcs_bytes_add(out, to + (found - from), 1);
        *at += 1;
        return true;
    }
    if (**at != 'x' || !isxdigit((unsigned char)(*at)[1]) || !isxdigit((unsigned char)(*at)[2])) {
        return false;
    }
    memcpy(hex, *at + 1, 2);
    byte = (char)strtoul(hex, NULL, 16);
    rcs_bytes_add(out, &byte, 1);
    *at += 3;
    return true;
}

/* Reads a value: bare up to a blank, or in quotes. */
static const char *value_read(const char **at, struct rcs_bytes *out)
{
    char quote = **at == '"' || **at == '\'' ? **at : '\0';
    const char *p = *at + (quote != '\0');

    rcs_bytes_add(out, "", 0);
    while (*p != quote && !(quote == '\0' && *p == ' ')) {
        if (*p == '\0') {
            return "a quote without an end";
        }
        if (quote == '\0' || *p != '\\') {
            rcs_bytes_add(out, p++, 1);
            continue;
        }
        p++;
        if (!escape_read(&p, out)) {
            return "an escape that is none";
        }
    }
    *at = p + (quote != '\0');
    return **at == ' ' || **at == '\0' ? NULL : "something behind a closing quote";
}

static const char *word_apply(size_t word, const struct rcs_bytes *value, struct rcs_answer *answer)
{
    char *field = (char *)answer + words[word].field;

    switch (words[word].kind) {
    case WORD_NUMBER:
        return number_read(value->data, (size_t *)(void *)field) ? NULL : "a number was expected";
    case WORD_FLAG:
        *(bool *)(void *)field = true;
        return NULL;
    case WORD_END:
        return end_read(value->data, words[word].end, answer)
                   ? NULL
                   : "before, middle, after or a number of bytes was expected";
    case WORD_HEADER:
        rcs_bytes_add((struct rcs_bytes *)(void *)field, value->data, value->size);
        rcs_bytes_add((struct rcs_bytes *)(void *)field, "\r\n", 2);
        return NULL;
    case WORD_TEXT:
        rcs_bytes_add((struct rcs_bytes *)(void *)field, value->data, value->size);
        return NULL;
    }
    return "no such word";
}

static const char *part_apply(size_t word, enum rcs_value kind, struct rcs_bytes *value, struct rcs_answer *answer)
{
    struct rcs_part *part;

    answer->parts = rcs_must_alloc(answer->parts, (answer->part_count + 1) * sizeof *answer->parts);
    part = &answer->parts[answer->part_count++];
    *part = (struct rcs_part){.word = (unsigned)word};
    if (kind == RCS_VALUE_NUMBER) {
        return number_read(value->data, &part->number) ? NULL : "a number was expected";
    }
    part->text = *value;
    memset(value, 0, sizeof *value);
    return NULL;
}

/* Reads a word that stands in `more`; false if it is none of them. */
static bool part_read(const char **at, size_t length, bool valued, const struct rcs_part_words *more,
                      struct rcs_answer *answer, const char **why)
{
    struct rcs_bytes value = {0};
    size_t word = 0;

    while (more != NULL && word < more->count &&
           !(strlen(more->words[word].name) == length && memcmp(more->words[word].name, *at, length) == 0)) {
        word++;
    }
    if (more == NULL || word == more->count || valued != (more->words[word].value != RCS_VALUE_NONE)) {
        return false;
    }
    *at += length + valued;
    *why = valued ? value_read(at, &value) : NULL;
    if (*why == NULL) {
        *why = part_apply(word, more->words[word].value, &value, answer);
    }
    rcs_bytes_clear(&value);
    return true;
}

/* Reads the word at `*at` into `answer`. */
static const char *word_read(const char **at, const struct rcs_part_words *more, struct rcs_answer *answer)
{
    size_t length = strcspn(*at, "= ");
    bool valued = (*at)[length] == '=';
    struct rcs_bytes value = {0};
    const char *why = NULL;
    size_t word = 0;

    if (!valued && isdigit((unsigned char)**at)) {
        char digits[4] = {0};
        memcpy(digits, *at, length < 3 ? length : 3);
        *at += length;
        return length == 3 && number_read(digits, &answer->status) ? NULL : "a status has three digits";
    }
    if (part_read(at, length, valued, more, answer, &why)) {
        return why;
    }
    while (word < sizeof words / sizeof words[0] &&
           !(strlen(words[word].name) == length && memcmp(words[word].name, *at, length) == 0)) {
        word++;
    }
    if (word == sizeof words / sizeof words[0] || valued != (words[word].kind != WORD_FLAG)) {
        return "no such word, or with a value where it has none, or without";
    }
    *at += length + valued;
    if (valued) {
        why = value_read(at, &value);
    }
    if (why == NULL) {
        why = word_apply(word, &value, answer);
    }
    rcs_bytes_clear(&value);
    return why;
}

static void answer_clear(struct rcs_answer *answer)
{
    rcs_bytes_clear(&answer->phrase);
    rcs_bytes_clear(&answer->headers);
    rcs_bytes_clear(&answer->body);
    rcs_bytes_clear(&answer->raw);
    rcs_bytes_clear(&answer->endless);
    for (size_t i = 0; i < answer->part_count; i++) {
        rcs_bytes_clear(&answer->parts[i].text);
    }
    free(answer->parts);
}

static void script_add(struct rcs_script *script, const struct rcs_answer *answer)
{
    if (!answer->reuse) {
        script->answers = rcs_must_alloc(script->answers, (script->count + 1) * sizeof *answer);
        script->answers[script->count++] = *answer;
        return;
    }
    if (script->reuse != NULL) {
        answer_clear(script->reuse);
    }
    script->reuse = rcs_must_alloc(script->reuse, sizeof *answer);
    *script->reuse = *answer;
}

/* Reads one answer, up to the bar behind it or the end. */
static const char *answer_read(const char **at, const struct rcs_part_words *more, struct rcs_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    answer->status = 200;
    answer->times = 1;
    answer->length = SIZE_MAX;
    for (;;) {
        const char *why;
        *at += strspn(*at, " ");
        if (**at == '\0' || (**at == '|' && ((*at)[1] == ' ' || (*at)[1] == '\0'))) {
            return NULL;
        }
        why = word_read(at, more, answer);
        if (why != NULL) {
            return why;
        }
    }
}

bool rcs_script_read(struct rcs_script *script, const char *text, const struct rcs_part_words *more, char *why,
                     size_t why_size)
{
    const char *at = text;

    memset(script, 0, sizeof *script);
    for (;;) {
        struct rcs_answer answer;
        const char *start = at;
        const char *fault = answer_read(&at, more, &answer);
        if (fault != NULL) {
            snprintf(why, why_size, "%s, near `%.40s`", fault, at[0] == '\0' ? start : at);
            answer_clear(&answer);
            rcs_script_clear(script);
            return false;
        }
        script_add(script, &answer);
        if (*at == '\0') {
            break;
        }
        at++;
    }
    if (script->count == 0) {
        snprintf(why, why_size, "`reuse` alone: what is the first answer?");
        rcs_script_clear(script);
        return false;
    }
    return true;
}

void rcs_script_clear(struct rcs_script *script)
{
    for (size_t i = 0; i < script->count; i++) {
        answer_clear(&script->answers[i]);
    }
    if (script->reuse != NULL) {
        answer_clear(script->reuse);
    }
    free(script->answers);
    free(script->reuse);
    free(script->path);
    memset(script, 0, sizeof *script);
}

void rcs_script_rewind(struct rcs_script *script)
{
    script->next = 0;
    script->given = 0;
}

const struct rcs_answer *rcs_script_take(struct rcs_script *script, bool reused)
{
    const struct rcs_answer *answer;

    if (reused && script->reuse != NULL) {
        return script->reuse;
    }
    answer = &script->answers[script->next];
    script->given++;
    if (script->given >= answer->times && script->next + 1 < script->count) {
        script->next++;
        script->given = 0;
    }
    return answer;
}
