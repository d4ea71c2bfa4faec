#include "gen/document.h"

#include <string.h>
#include <strings.h>

static bool is_letter(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool is_word(unsigned char byte)
{
    return is_letter(byte) || (byte >= '0' && byte <= '9');
}

bool rcs_is_punctuation(unsigned char byte)
{
    return byte > ' ' && byte < 0x7f && !is_word(byte);
}

const char *rcs_printable(struct rcs_arena *arena, const char *text, size_t size)
{
    const size_t most = 40;
    char *copy = rcs_arena_copy(arena, text, size > most ? most : size);

    for (char *byte = copy; (size_t)(byte - copy) < most && (size_t)(byte - copy) < size; byte++) {
        if ((unsigned char)*byte < ' ' || (unsigned char)*byte >= 0x7f) {
            *byte = '?';
        }
    }
    return size > most ? rcs_arena_format(arena, "%s...", copy) : copy;
}

static bool fail(struct rcs_fault *fault, const char *code, size_t at, const char *text)
{
    fault->code = code;
    fault->at = at;
    fault->text = text;
    return true;
}

/* Decodes the character at `*at` and moves on. Returns UINT32_MAX where there is none (RFC 3629). */
static uint32_t next_character(const char *text, size_t size, size_t *at)
{
    unsigned char first = (unsigned char)text[*at];
    unsigned more = first < 0x80 ? 0 : first < 0xc2 ? 9 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : 9;
    uint32_t value = more == 0 ? first : more == 9 ? 0 : first & (0x3fu >> more);

    if (more == 9 || size - *at <= more) {
        return UINT32_MAX;
    }
    for (unsigned i = 1; i <= more; i++) {
        unsigned char byte = (unsigned char)text[*at + i];

        if ((byte & 0xc0) != 0x80) {
            return UINT32_MAX;
        }
        value = value << 6 | (byte & 0x3f);
    }
    if ((more == 2 && value < 0x800) || (more == 3 && (value < 0x10000 || value > 0x10ffff)) ||
        (value >= 0xd800 && value <= 0xdfff)) {
        return UINT32_MAX;
    }
    *at += more + 1;
    return value;
}

struct range {
    uint32_t first;
    uint32_t last;
};

static bool in_ranges(uint32_t character, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (character >= ranges[i].first && character <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

/* Characters that turn the direction of a line: what is shown is not what is written. */
static const struct range turning[] = {{0x61c, 0x61c}, {0x200e, 0x200f}, {0x202a, 0x202e}, {0x2066, 0x2069}};

/* Characters that nobody sees, or that look like a blank. */
static const struct range invisible[] = {
    {0xa0, 0xa0},     {0xad, 0xad},     {0x34f, 0x34f},   {0x115f, 0x1160}, {0x1680, 0x1680}, {0x17b4, 0x17b5},
    {0x180b, 0x180f}, {0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f}, {0x2800, 0x2800}, {0x3000, 0x3000},
    {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0xe0000, 0xe0fff},
};

bool rcs_line_fault(const char *text, size_t size, struct rcs_fault *fault)
{
    for (size_t at = 0; at < size;) {
        size_t begin = at;
        uint32_t character = next_character(text, size, &at);

        if (character == UINT32_MAX) {
            return fail(fault, "utf8", begin, "these bytes are not UTF-8: save the file as UTF-8");
        }
        if (character < ' ' || (character >= 0x7f && character <= 0x9f)) {
            return fail(fault, "control", begin, "a control character (tabs are some): write blanks or nothing");
        }
        if (in_ranges(character, turning, sizeof turning / sizeof *turning)) {
            return fail(fault, "invisible", begin, "a character that turns the direction of writing: remove it");
        }
    }
    return false;
}

static bool is_html(const char *text, size_t size, size_t at)
{
    return text[at] == '<' && at + 1 < size &&
           (is_letter((unsigned char)text[at + 1]) || strchr("/!?", text[at + 1]) != NULL);
}

static bool is_entity(const char *text, size_t size, size_t at)
{
    size_t end = at + 1;

    if (text[at] != '&') {
        return false;
    }
    while (end < size && (is_word((unsigned char)text[end]) || (text[end] == '#' && end == at + 1))) {
        end++;
    }
    return end > at + 1 && end < size && text[end] == ';';
}

/* `:name:` becomes a picture on GitHub. */
static bool is_emoji(const char *text, size_t size, size_t at)
{
    size_t end = at + 1;

    if (text[at] != ':') {
        return false;
    }
    while (end < size && (is_word((unsigned char)text[end]) || strchr("_+-", text[end]) != NULL)) {
        end++;
    }
    return end > at + 1 && end < size && text[end] == ':';
}

static bool is_escape(const char *text, size_t size, size_t at)
{
    return text[at] == '\\' && at + 1 < size && rcs_is_punctuation((unsigned char)text[at + 1]);
}

static bool inline_fault(const char *text, size_t size, size_t at, struct rcs_fault *fault)
{
    if (is_html(text, size, at)) {
        return fail(fault, "html", at, "HTML is not allowed: write \\< for the character itself");
    }
    if (is_entity(text, size, at)) {
        return fail(fault, "entity", at, "entities are not allowed: write the character itself, or \\&");
    }
    return false;
}

bool rcs_prose_fault(const char *text, size_t size, struct rcs_fault *fault)
{
    for (size_t at = 0; at < size; at++) {
        if (at + 2 < size && (memcmp(text + at, "```", 3) == 0 || memcmp(text + at, "~~~", 3) == 0)) {
            return fail(fault, "code-fence", at, "code fences are not allowed: tables inside of one would vanish");
        }
        if (is_escape(text, size, at)) {
            at++;
            continue;
        }
        if (inline_fault(text, size, at, fault)) {
            return true;
        }
        if (text[at] == ']' && at + 1 < size && text[at + 1] == ':') {
            return fail(
                fault, "link-definition", at,
                "']:' defines a link or a footnote, which is shown elsewhere or not at all: write the link in place");
        }
    }
    return false;
}

/* Whether the run of marks [begin, end) may open, and whether it may close (CommonMark 6.2, flanking). */
static void flanking(const char *text, size_t size, size_t begin, size_t end, bool *opens, bool *closes)
{
    unsigned char before = begin == 0 ? ' ' : (unsigned char)text[begin - 1];
    unsigned char after = end == size ? ' ' : (unsigned char)text[end];
    bool before_mark = rcs_is_punctuation(before);
    bool after_mark = rcs_is_punctuation(after);
    bool left = after != ' ' && (!after_mark || before == ' ' || before_mark);
    bool right = before != ' ' && (!before_mark || after == ' ' || after_mark);

    if (before >= 0x80 || after >= 0x80) { /* it may be punctuation: be on the safe side */
        left = right = true;
        before_mark = after_mark = true;
    }
    *opens = left && (text[begin] != '_' || !right || before_mark);
    *closes = right && (text[begin] != '_' || !left || after_mark);
}

/* Finds a pair of `mark`s that would be shown as something else than themselves. */
static bool finds_pair(const char *text, size_t size, char mark, size_t *where)
{
    bool opened = false;

    for (size_t at = 0; at < size;) {
        size_t end = at;
        bool opens;
        bool closes;

        if (is_escape(text, size, at)) {
            at += 2;
            continue;
        }
        while (end < size && text[end] == mark) {
            end++;
        }
        if (end == at) {
            at++;
            continue;
        }
        flanking(text, size, at, end, &opens, &closes);
        if (opened && (closes || mark == '$')) {
            return true;
        }
        if (!opened && (opens || mark == '$')) {
            opened = true;
            *where = at;
        }
        if (mark == '$' && end - at > 1) {
            return true;
        }
        at = end;
    }
    return false;
}

static bool pair_fault(const char *text, size_t size, struct rcs_fault *fault)
{
    static const struct {
        char mark;
        const char *text;
    } marks[] = {
        {'*', "two '*' are shown as emphasis, not as themselves: write \\*"},
        {'_', "'_' at the edges of a word are shown as emphasis, not as themselves: write \\_"},
        {'~', "two '~' are shown as struck out, not as themselves: write \\~"},
        {'$', "two '$' are shown as a formula, not as themselves: write \\$"},
    };
    size_t at = 0;

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (finds_pair(text, size, marks[i].mark, &at)) {
            return fail(fault, "markup", at, marks[i].text);
        }
    }
    return false;
}

static bool mark_fault(const char *text, size_t size, size_t at, struct rcs_fault *fault)
{
    if (inline_fault(text, size, at, fault)) {
        return true;
    }
    if (text[at] == '`') {
        return fail(fault, "markup", at, "'`' begins code: write \\` for the character itself");
    }
    if (text[at] == ']' && at + 1 < size && (text[at + 1] == '(' || text[at + 1] == '[')) {
        return fail(fault, "markup", at, "this is shown as a link: write \\] for the character itself");
    }
    if (is_emoji(text, size, at)) {
        return fail(fault, "markup", at,
                    "a name between colons is shown as a picture: write \\: for the character itself");
    }
    return false;
}

/* Whether the word that `at` stands in began as an address, which GitHub makes a link of: in it an escape is none. A bar's
   is taken away before. */
static bool is_in_address(const char *text, size_t at)
{
    size_t begin = at;

    while (begin > 0 && text[begin - 1] != ' ' && text[begin - 1] != '<') {
        begin--;
    }
    for (; begin < at; begin++) {
        if (strncmp(text + begin, "://", 3) == 0 || strncasecmp(text + begin, "www.", 4) == 0) {
            return true;
        }
    }
    return false;
}

bool rcs_cell_fault(const char *text, size_t size, struct rcs_fault *fault)
{
    bool quoted = false;

    for (size_t at = 0; at < size;) {
        size_t begin = at;
        uint32_t character;

        if (is_escape(text, size, at)) {
            if (text[at + 1] != '|' && is_in_address(text, at)) {
                return fail(fault, "markup", at, "inside an address the backslash would be shown: put a blank before it");
            }
            at += 2;
            continue;
        }
        if (mark_fault(text, size, at, fault)) {
            return true;
        }
        if (text[at] == '"') {
            quoted = !quoted;
        }
        character = next_character(text, size, &at);
        if (character == UINT32_MAX) { /* reported with the line */
            return false;
        }
        if (character >= 0x80 && !quoted) {
            return fail(fault, "characters", begin,
                        "only ASCII may stand outside quotes: this character may look like another");
        }
        if (in_ranges(character, invisible, sizeof invisible / sizeof *invisible)) {
            return fail(fault, "invisible", begin,
                        "a character that cannot be seen: remove it, or write a plain blank");
        }
    }
    return pair_fault(text, size, fault);
}
