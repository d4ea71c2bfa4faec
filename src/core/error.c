#include <stdarg.h>
#include <stdio.h>

#include "fail.h"

struct entry {
    const char *name;
    const char *text;
};

static const struct entry entries[] = { /* by -code */
    [0] = {"RECOURSE_OK", "no error"},
    [1] = {"RECOURSE_E_MEMORY", "out of memory"},
    [2] = {"RECOURSE_E_ARGUMENT", "an argument is not allowed"},
    [3] = {"RECOURSE_E_STATE", "not possible in this state"},
    [4] = {"RECOURSE_E_AGAIN", "a queue or limit is full, try later"},
    [5] = {"RECOURSE_E_SYNTAX", "the input cannot be read"},
    [6] = {"RECOURSE_E_LIMIT", "the input is too large"},
    [7] = {"RECOURSE_E_ABI", "made for another version of the library"},
    [8] = {"RECOURSE_E_POLICY", "a policy with errors, or not the one that was meant"},
    [9] = {"RECOURSE_E_SYSTEM", "the operating system refused"},
    [10] = {"RECOURSE_E_NOT_FOUND", "not found"},
};

_Static_assert(sizeof entries / sizeof entries[0] == 1 - RECOURSE_E_NOT_FOUND, "one entry for each code");

static const struct entry *find(int code)
{
    static const struct entry unknown = {"RECOURSE_E_UNKNOWN", "an unknown error"};

    return code <= 0 && code >= RECOURSE_E_NOT_FOUND ? &entries[-code] : &unknown;
}

const char *recourse_code_name(int code)
{
    return find(code)->name;
}

const char *recourse_code_text(int code)
{
    return find(code)->text;
}

int rcs_fail(struct recourse_error *error, enum recourse_code code, const char *format, ...)
{
    va_list arguments;

    if (error != NULL) {
        error->code = code;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return (int)code;
}
