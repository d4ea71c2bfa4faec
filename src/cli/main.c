/* The `recourse` command: finds the command that is meant, and runs it. */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <recourse/policy.h>

#include "gen/arena.h"

static const struct rcs_command *const commands[] = {
    &rcs_command_check,    &rcs_command_fmt,      &rcs_command_compile,
    &rcs_command_simulate, &rcs_command_paths,    &rcs_command_diff,
    &rcs_command_mutants,  &rcs_command_explain,  &rcs_command_classify,
    &rcs_command_tools,    &rcs_command_run,      &rcs_command_audit,
    &rcs_command_policy,   &rcs_command_completion,
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

const struct rcs_command *rcs_command_at(size_t index)
{
    return index < COMMAND_COUNT ? commands[index] : NULL;
}

static const struct rcs_command *find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static const char *command_name(const void *user, size_t index)
{
    (void)user;
    if (index == COMMAND_COUNT) {
        return "help";
    }
    return index < COMMAND_COUNT ? commands[index]->name : NULL;
}

static int unknown(const char *name)
{
    const char *near = rcs_nearest(name, command_name, NULL);

    if (near != NULL) {
        return rcs_cli_error(NULL, "there is no command '%s': did you mean '%s'?", name, near);
    }
    return rcs_cli_error(NULL, "there is no command '%s': see recourse --help", name);
}

static void print_help(FILE *file)
{
    fputs("recourse: what recourse a failed tool call has is decided by a table that people\n"
          "review, and by nothing else.\n"
          "\n"
          "Usage: recourse COMMAND [OPTION...] [WORD...]\n"
          "\n"
          "Commands:\n",
          file);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(file, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("\n"
          "  recourse help COMMAND   how to use one of them (or COMMAND --help)\n"
          "  recourse --version      version, policy language, ABI of compiled policies\n"
          "\n"
          "Policies that are built in:",
          file);
    for (size_t i = 0; recourse_policy_builtin_name(i) != NULL; i++) {
        fprintf(file, " %s", recourse_policy_builtin_name(i));
    }
    fputs("\n", file);
}

static int help(int argc, char **argv)
{
    const struct rcs_command *command;

    if (argc == 1) {
        print_help(stdout);
        return RCS_EXIT_OK;
    }
    if (argc > 2) {
        return rcs_cli_error("help", "one command at a time");
    }
    command = find(argv[1]);
    if (command == NULL) {
        return unknown(argv[1]);
    }
    rcs_help_print(command);
    return RCS_EXIT_OK;
}

static int dispatch(int argc, char **argv)
{
    const struct rcs_command *command;

    if (argc < 2) {
        print_help(stderr);
        return RCS_EXIT_ERROR;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return RCS_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("recourse %s (policy language 1, policy ABI %u)\n", RECOURSE_VERSION, RECOURSE_POLICY_ABI);
        return RCS_EXIT_OK;
    }
    if (strcmp(argv[1], "help") == 0) {
        return help(argc - 1, argv + 1);
    }
    if (argv[1][0] == '-') {
        return rcs_cli_error(NULL, "unknown option %s: see recourse --help", argv[1]);
    }
    command = find(argv[1]);
    return command == NULL ? unknown(argv[1]) : command->run(argc - 1, argv + 1);
}

/* In the place of the compiler's own, which aborts. */
void rcs_arena_panic(size_t size)
{
    fprintf(stderr, "recourse: out of memory (%zu bytes wanted)\n", size);
    exit(RCS_EXIT_ERROR);
}

int main(int argc, char **argv)
{
    int status;

    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails, as on a full disk */
    status = dispatch(argc, argv);

    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return rcs_cli_error(NULL, "standard output can't be written: %s",
                            errno != 0 ? strerror(errno) : "a write failed");
    }
    return status;
}
