/* Text that grows, and values in JSON as they were written: a model's numbers must not be read and written again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

void text_put(struct text *text, const char *data, size_t size)
{
    char *grown = realloc(text->data, text->size + size + 1);

    if (grown == NULL) {
        perror("agent");
        exit(1);
    }
    if (size > 0) {
        memcpy(grown + text->size, data, size);
    }
    text->data = grown;
    text->size += size;
    grown[text->size] = '\0';
}

void text_say(struct text *text, const char *words)
{
    text_put(text, words, strlen(words));
}

void text_quote(struct text *text, struct recourse_span words)
{
    char escaped[7];

    text_say(text, "\"");
    for (size_t i = 0; i < words.size; i++) {
        unsigned char byte = (unsigned char)words.data[i];

        if (byte < 0x20 || byte == '"' || byte == '\\') {
            snprintf(escaped, sizeof escaped, "\\u%04x", byte);
            text_say(text, escaped);
        } else {
            text_put(text, &words.data[i], 1);
        }
    }
    text_say(text, "\"");
}

/* Behind the value that begins at `at`: a string, a bracket with all that is in it, or a word. */
static const char *past_value(const char *at, const char *end)
{
    size_t depth = 0;
    bool quoted = false;

    for (; at < end; at++) {
        if (quoted && *at == '\\') {
            at++;
        } else if (quoted) {
            quoted = *at != '"';
        } else if (*at == '"') {
            quoted = true;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (depth == 0 && strchr(",:]} \t\r\n", *at) != NULL) {
            break;
        } else if (*at == '}' || *at == ']') {
            depth--;
        }
    }
    return at < end ? at : end;
}

static const char *past_blanks(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n,:", *at) != NULL) {
        at++;
    }
    return at;
}

struct recourse_span json_element(struct recourse_span array, size_t index)
{
    const char *at;
    const char *end;

    if (array.size == 0 || (*array.data != '[' && *array.data != '{')) {
        return (struct recourse_span){NULL, 0};
    }
    end = array.data + array.size;
    for (at = past_blanks(array.data + 1, end); at < end && *at != ']' && *at != '}'; at = past_blanks(at, end)) {
        const char *past = past_value(at, end);

        if (index-- == 0) {
            return (struct recourse_span){at, (size_t)(past - at)};
        }
        at = past;
    }
    return (struct recourse_span){NULL, 0};
}

/* Members are elements, too: a name, its value, and so on. */
struct recourse_span json_member(struct recourse_span object, const char *name)
{
    struct recourse_span found = {NULL, 0};

    for (size_t i = 0; object.size > 0 && *object.data == '{'; i += 2) {
        found = json_element(object, i);
        if (found.size == 0) {
            break;
        }
        if (found.size == strlen(name) + 2 && memcmp(found.data + 1, name, found.size - 2) == 0) {
            return json_element(object, i + 1);
        }
    }
    return (struct recourse_span){NULL, 0};
}
