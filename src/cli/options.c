/* Words and options of a command line. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <recourse/policy.h>

#include "src/core/text.h"

int rcs_cli_error(const char *command, const char *format, ...)
{
    char text[1024];
    char clean[sizeof text * 3 + 1]; /* a bad byte becomes three */
    struct recourse_span span;
    va_list list;
    size_t size;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    span.data = text;
    span.size = strlen(text);
    size = rcs_text_clean(span, clean, sizeof clean);
    for (size_t i = 0; i < size; i++) {
        if (clean[i] == '\n' || clean[i] == '\r') {
            clean[i] = ' ';
        }
    }
    fflush(stdout);
    fprintf(stderr, "recourse%s%s: %.*s\n", command == NULL ? "" : " ", command == NULL ? "" : command, (int)size,
            clean);
    return RCS_EXIT_ERROR;
}

void *rcs_cli_realloc(void *memory, size_t size)
{
    void *more = realloc(memory, size);

    if (more == NULL) {
        fputs("recourse: out of memory\n", stderr);
        exit(RCS_EXIT_ERROR);
    }
    return more;
}

struct option_list {
    const struct rcs_option *options;
    size_t count;
};

static const char *option_name(const void *user, size_t index)
{
    const struct option_list *list = user;

    if (index == list->count) {
        return "--help";
    }
    return index < list->count ? list->options[index].name : NULL;
}

/* `size` leaves out `=value`. */
static const struct rcs_option *find_option(const struct option_list *list, const char *word, size_t size)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct rcs_option *option = &list->options[i];

        if ((strlen(option->name) == size && strncmp(option->name, word, size) == 0) ||
            (option->letter != NULL && strcmp(option->letter, word) == 0)) {
            return option;
        }
    }
    return NULL;
}

static int unknown_option(const struct rcs_command *command, const struct option_list *list, const char *word,
                          size_t size)
{
    char name[64];
    const char *near = NULL;

    if (size < sizeof name) {
        memcpy(name, word, size);
        name[size] = '\0';
        near = rcs_nearest(name, option_name, list);
    }
    if (near != NULL) {
        return rcs_cli_error(command->name, "unknown option %.*s: did you mean %s?", (int)size, word, near);
    }
    return rcs_cli_error(command->name, "unknown option %.*s: see recourse %s --help", (int)size, word, command->name);
}

/* Takes the option at argv[*at]; moves `*at` on if its value is the next word. */
static int take_option(const struct rcs_command *command, const struct option_list *list, int argc, char **argv,
                       int *at)
{
    const char *word = argv[*at];
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    size_t size = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const struct rcs_option *option = find_option(list, word, size);

    if (option == NULL) {
        return unknown_option(command, list, word, size);
    }
    if (option->later != NULL) {
        return rcs_cli_error(command->name, "%s is not in this version: %s", option->name, option->later);
    }
    if (option->flag != NULL && (option->value == NULL || equals == NULL)) {
        if (equals != NULL) {
            return rcs_cli_error(command->name, "%s takes no value", option->name);
        }
        *option->flag = true;
        return RCS_GO_ON;
    }
    if (option->flag != NULL) {
        *option->flag = true;
    }
    if (*option->value != NULL) {
        return rcs_cli_error(command->name, "%s is given twice", option->name);
    }
    if (equals == NULL && *at + 1 == argc) {
        return rcs_cli_error(command->name, "%s wants a value", word);
    }
    *option->value = equals != NULL ? equals + 1 : argv[++*at];
    if (**option->value == '\0') {
        return rcs_cli_error(command->name, "the value of %s is empty", option->name);
    }
    return RCS_GO_ON;
}

void rcs_help_print(const struct rcs_command *command)
{
    static char room[16384];

    /* Written at the end of main and not before, which says why it could not be. */
    setvbuf(stdout, room, _IOFBF, sizeof room);
    fputs(command->help, stdout);
    if (command->more != NULL) {
        fputs(command->more, stdout);
    }
    if (command->rest != NULL) {
        fputs(command->rest, stdout);
    }
}

int rcs_options_read(const struct rcs_command *command, int argc, char **argv, const struct rcs_option *options,
                     size_t option_count, size_t *word_count)
{
    struct option_list list = {options, option_count};
    bool ended = false;
    int kept = 0;

    for (int i = 1; i < argc; i++) {
        int status;

        if (ended || argv[i][0] != '-' || argv[i][1] == '\0') {
            argv[++kept] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            ended = true;
            continue;
        }
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            rcs_help_print(command);
            return RCS_EXIT_OK;
        }
        status = take_option(command, &list, argc, argv, &i);
        if (status != RCS_GO_ON) {
            return status;
        }
    }
    *word_count = (size_t)kept;
    return RCS_GO_ON;
}

bool rcs_number_read(const char *text, uint64_t max, uint64_t *number)
{
    uint64_t value = 0;

    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        unsigned digit = (unsigned)(unsigned char)*text - '0';

        if (digit > 9 || digit > max || value > (max - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *number = value;
    return true;
}

bool rcs_duration_read(const char *text, uint64_t *ms)
{
    static const struct {
        const char *unit;
        uint64_t ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
    size_t digits = strspn(text, "0123456789");
    char number[16];

    if (digits == 0 || digits >= sizeof number) {
        return false;
    }
    memcpy(number, text, digits);
    number[digits] = '\0';
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        uint64_t count;

        if (strcmp(text + digits, units[i].unit) != 0) {
            continue;
        }
        if (!rcs_number_read(number, RECOURSE_DURATION_MAX_MS / units[i].ms, &count) || count == 0) {
            return false;
        }
        *ms = count * units[i].ms;
        return true;
    }
    return false;
}

const char *rcs_duration_text(uint64_t ms, char text[RCS_DURATION_SIZE])
{
    unsigned long long whole = ms / 1000;
    unsigned fraction = (unsigned)(ms % 1000);
    size_t used;

    if (ms != 0 && ms < 1000) {
        snprintf(text, RCS_DURATION_SIZE, "%u ms", fraction);
        return text;
    }
    if (ms >= 120000 && ms % 60000 == 0) {
        snprintf(text, RCS_DURATION_SIZE, "%llu min", whole / 60);
        return text;
    }
    snprintf(text, RCS_DURATION_SIZE - 2, "%llu.%03u", whole, fraction);
    used = strlen(text);
    while (text[used - 1] == '0') {
        used--;
    }
    used -= text[used - 1] == '.';
    memcpy(text + used, " s", sizeof " s");
    return text;
}
