#include <string.h>

#include "gen/read.h"

enum form {
    PLAIN,   /* the words alone */
    HTTP,    /* a status, or a range */
    RPC,     /* a code, or a range */
    EXIT,    /* a status, or a range */
    KIND,    /* nothing, or one of the kinds of network */
    TIMEOUT, /* nothing, or one of the kinds of timeout */
    TEXT,    /* a pattern */
    TOOL,    /* a tool's name */
    HEADER,  /* a name, is or has, a value */
    POINTER  /* a JSON pointer, is or has, a value */
};

/* Longer words before shorter ones that they begin with. `has` is the kind where `has` stands for `is`. */
static const struct atom_form {
    const char *words;
    uint8_t kind;
    uint8_t has;
    uint8_t form;
} forms[] = {
    {"http", RECOURSE_ATOM_HTTP, 0, HTTP},
    {"network", RECOURSE_ATOM_NETWORK, 0, KIND},
    {"timeout", RECOURSE_ATOM_TIMEOUT, 0, TIMEOUT},
    {"unsent", RECOURSE_ATOM_UNSENT, 0, PLAIN},
    {"interrupted", RECOURSE_ATOM_INTERRUPTED, 0, PLAIN},
    {"rpc", RECOURSE_ATOM_RPC, 0, RPC},
    {"tool error", RECOURSE_ATOM_TOOL_ERROR, 0, PLAIN},
    {"session expired", RECOURSE_ATOM_SESSION_EXPIRED, 0, PLAIN},
    {"protocol", RECOURSE_ATOM_PROTOCOL, 0, PLAIN},
    {"too large", RECOURSE_ATOM_TOO_LARGE, 0, PLAIN},
    {"spawn", RECOURSE_ATOM_SPAWN, 0, PLAIN},
    {"exit", RECOURSE_ATOM_EXIT, 0, EXIT},
    {"signal", RECOURSE_ATOM_SIGNAL, 0, PLAIN},
    {"header", RECOURSE_ATOM_HEADER_IS, RECOURSE_ATOM_HEADER_HAS, HEADER},
    {"tool", RECOURSE_ATOM_TOOL, 0, TOOL},
    {"text", RECOURSE_ATOM_TEXT, 0, TEXT},
    {"word", RECOURSE_ATOM_WORD, 0, TEXT},
    {"json", RECOURSE_ATOM_JSON_IS, RECOURSE_ATOM_JSON_HAS, POINTER},
    {"result text", RECOURSE_ATOM_RESULT_TEXT, 0, TEXT},
    {"result word", RECOURSE_ATOM_RESULT_WORD, 0, TEXT},
    {"result json", RECOURSE_ATOM_RESULT_JSON_IS, RECOURSE_ATOM_RESULT_JSON_HAS, POINTER},
    {"other", RECOURSE_ATOM_OTHER, 0, PLAIN},
};
#define FORM_COUNT (sizeof forms / sizeof *forms)

static const char *const networks[] = {"", "refused", "unreachable", "dns", "tls", "reset", "closed"};
static const char *const timeouts[] = {"", "connect", "read", "total"};

static void read_kind(struct rcs_cursor *cursor, const char *const *kinds, size_t count, struct recourse_atom *atom)
{
    for (size_t i = 1; i < count; i++) {
        if (rcs_accept_words(cursor, kinds[i])) {
            atom->low = atom->high = (int64_t)i;
        }
    }
}

/* `500` or `500-599`. */
static bool read_range(struct rcs_cursor *cursor, const char *what, uint64_t least, uint64_t most,
                       struct recourse_atom *atom)
{
    uint64_t low;
    uint64_t high;

    if (!rcs_take_number(cursor, what, least, most, &low)) {
        return false;
    }
    high = low;
    if (rcs_at(cursor, RCS_TOKEN_DASH) && rcs_is_adjacent(cursor)) {
        rcs_accept(cursor, RCS_TOKEN_DASH);
        if (!rcs_is_adjacent(cursor)) {
            return rcs_expected(cursor, "a range without blanks, like 500-599");
        }
        if (!rcs_take_number(cursor, what, low, most, &high)) {
            return false;
        }
    }
    atom->low = (int64_t)low;
    atom->high = (int64_t)high;
    return true;
}

static bool read_code(struct rcs_cursor *cursor, int64_t *code)
{
    bool negative = rcs_accept(cursor, RCS_TOKEN_DASH);
    uint64_t number;

    if (negative && !rcs_is_adjacent(cursor)) {
        return rcs_expected(cursor, "an error code like -32602");
    }
    if (!rcs_take_number(cursor, "an error code of JSON-RPC", 0, 1000000000, &number)) {
        return false;
    }
    *code = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

/* `-32602` or `-32099 to -32000`. */
static bool read_codes(struct rcs_cursor *cursor, struct recourse_atom *atom)
{
    if (!read_code(cursor, &atom->low)) {
        return false;
    }
    atom->high = atom->low;
    if (rcs_accept_words(cursor, "to")) {
        if (!read_code(cursor, &atom->high)) {
            return false;
        }
        if (atom->high < atom->low) {
            cursor->at--;
            rcs_cursor_error(cursor, "range", "a range goes from the lower code to the higher one");
            return false;
        }
    }
    return true;
}

/* What is looked for in any case: printable ASCII. */
static bool read_pattern(struct rcs_cursor *cursor, const char *what, const char **value)
{
    struct rcs_place place = rcs_here(cursor);

    if (!rcs_take_string(cursor, what, value)) {
        return false;
    }
    for (const char *byte = *value; *byte != '\0'; byte++) {
        if ((unsigned char)*byte >= 0x7f) {
            rcs_find(cursor->findings, RCS_ERROR, "pattern", place, cursor->row, NULL,
                     "a text to look for is printable ASCII");
            return false;
        }
    }
    return true;
}

static bool read_tool(struct rcs_cursor *cursor, const char **value)
{
    struct rcs_place place = rcs_here(cursor);
    const char *star;

    if (!rcs_take_string(cursor, "a quoted name of a tool", value)) {
        return false;
    }
    star = strchr(*value, '*');
    if (star != NULL && star[1] != '\0') {
        rcs_find(cursor->findings, RCS_ERROR, "tool", place, cursor->row, NULL,
                 "'*' stands at the end of a tool's name only");
        return false;
    }
    return true;
}

static bool read_name(struct rcs_cursor *cursor, bool pointer, const char **name)
{
    struct rcs_place place = rcs_here(cursor);

    if (!pointer) {
        return rcs_take_string(cursor, "a quoted name of a header", name);
    }
    if (!rcs_take_string_or_empty(cursor, "a quoted JSON pointer", name)) {
        return false;
    }
    if (!rcs_is_pointer(*name)) {
        rcs_find(cursor->findings, RCS_ERROR, "pointer", place, cursor->row, NULL,
                 "a JSON pointer starts with '/', and has '~' only as '~0' and '~1'");
        return false;
    }
    return true;
}

/* `"name" is "value"`, `"name" has "value"`. */
static bool read_named(struct rcs_cursor *cursor, const struct atom_form *form, struct recourse_atom *atom)
{
    if (!read_name(cursor, form->form == POINTER, &atom->name)) {
        return false;
    }
    if (rcs_accept_words(cursor, "has")) {
        atom->kind = form->has;
        return read_pattern(cursor, "a quoted value", &atom->value);
    }
    if (!rcs_accept_words(cursor, "is")) {
        return rcs_expected(cursor, "'is' or 'has'");
    }
    return rcs_take_string_or_empty(cursor, "a quoted value", &atom->value);
}

static bool read_form(struct rcs_cursor *cursor, const struct atom_form *form, struct recourse_atom *atom)
{
    switch ((enum form)form->form) {
    case PLAIN:
        return true;
    case HTTP:
        return read_range(cursor, "a status of HTTP", 100, 599, atom);
    case RPC:
        return read_codes(cursor, atom);
    case EXIT:
        return read_range(cursor, "an exit status", 0, 255, atom);
    case KIND:
        read_kind(cursor, networks, sizeof networks / sizeof *networks, atom);
        return true;
    case TIMEOUT:
        read_kind(cursor, timeouts, sizeof timeouts / sizeof *timeouts, atom);
        return true;
    case TEXT:
        return read_pattern(cursor, "a quoted text", &atom->value);
    case TOOL:
        return read_tool(cursor, &atom->value);
    case HEADER:
    case POINTER:
        break;
    }
    return read_named(cursor, form, atom);
}

static bool unknown_atom(struct rcs_cursor *cursor)
{
    const char *names[FORM_COUNT];
    const char *found = rcs_words_here(cursor);

    for (size_t i = 0; i < FORM_COUNT; i++) {
        names[i] = forms[i].words;
    }
    return rcs_expected(cursor, rcs_arena_format(cursor->arena, "one of %s",
                                                 rcs_list_nearest(cursor->arena, found, names, FORM_COUNT)));
}

static bool read_atom(struct rcs_cursor *cursor, struct rcs_spec_atom *out)
{
    const struct rcs_token *first = rcs_peek(cursor);
    size_t i = 0;

    out->place = rcs_here(cursor);
    while (i < FORM_COUNT && !rcs_accept_words(cursor, forms[i].words)) {
        i++;
    }
    if (i == FORM_COUNT) {
        return unknown_atom(cursor);
    }
    out->atom.kind = forms[i].kind;
    out->atom.pattern = RECOURSE_NONE;
    if (!read_form(cursor, &forms[i], &out->atom)) {
        return false;
    }
    out->text = rcs_cell_canonical(cursor->arena, cursor->text + first->begin,
                                   cursor->tokens[cursor->at - 1].end - first->begin, false);
    return true;
}

/* when = and { "," and }; and = atom { "and" atom } */
bool rcs_read_when(struct rcs_cursor *cursor, struct rcs_spec_atom **atoms, size_t *count)
{
    size_t before = *count;
    struct rcs_spec_atom *atom;

    do {
        do {
            atom = rcs_arena_push(cursor->arena, atoms, count, sizeof **atoms);
            if (!read_atom(cursor, atom)) {
                return false;
            }
        } while (rcs_accept_words(cursor, "and"));
        atom->atom.last_of_and = true;
    } while (rcs_accept(cursor, RCS_TOKEN_COMMA));
    if (!rcs_take_end(cursor, "a comma (or), 'and', or nothing")) {
        return false;
    }
    for (size_t i = before; i < *count; i++) {
        if ((*atoms)[i].atom.kind == RECOURSE_ATOM_OTHER && *count - before > 1) {
            rcs_find(cursor->findings, RCS_ERROR, "other-alone", (*atoms)[i].place, cursor->row, NULL,
                     "'other' stands alone in its cell");
            return false;
        }
    }
    return true;
}
