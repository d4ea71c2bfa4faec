/* recourse completion: what a shell offers when Tab is pressed, made from the list of commands and their help. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <recourse/policy.h>

#include "cli.h"
#include "explain.h"

/* A line of help that defines options begins with one; two blanks end the definition. */
static void print_options_of_line(const char *line, size_t size)
{
    size_t at = 0;

    while (at < size && line[at] == ' ') {
        at++;
    }
    if (at < 2 || at == size || line[at] != '-') {
        return;
    }
    while (at < size && !(line[at] == ' ' && at + 1 < size && line[at + 1] == ' ')) {
        if (strncmp(line + at, "--", 2) == 0 && line[at - 1] == ' ') {
            size_t end = at + 2;

            while (end < size && (islower((unsigned char)line[end]) || line[end] == '-')) {
                end++;
            }
            printf(" %.*s", (int)(end - at), line + at);
        }
        at++;
    }
}

static void print_options_of_text(const char *text)
{
    while (text != NULL && *text != '\0') {
        size_t size = strcspn(text, "\n");

        print_options_of_line(text, size);
        text += size + (text[size] == '\n');
    }
}

static void print_options(const struct rcs_command *command)
{
    print_options_of_text(command->help);
    print_options_of_text(command->more);
    fputs(" --help", stdout);
}

static void print_cases(const char *before, const char *after)
{
    const struct rcs_command *command;

    for (size_t i = 0; (command = rcs_command_at(i)) != NULL; i++) {
        printf("    %s) %s", command->name, before);
        print_options(command);
        printf("%s ;;\n", after);
    }
}

static void print_names(void)
{
    const struct rcs_command *command;

    for (size_t i = 0; (command = rcs_command_at(i)) != NULL; i++) {
        printf("%s ", command->name);
    }
    fputs("help", stdout);
}

static void print_policies(void)
{
    for (size_t i = 0; recourse_policy_builtin_name(i) != NULL; i++) {
        printf("%s%s", i == 0 ? "" : " ", recourse_policy_builtin_name(i));
    }
}

static void print_codes(void)
{
    for (size_t i = 0; rcs_explain_code(i) != NULL; i++) {
        printf("%s ", rcs_explain_code(i));
    }
    fputs("list", stdout);
}

static void print_bash(void)
{
    fputs("# Completion of recourse for bash: recourse completion bash\n"
          "_recourse() {\n"
          "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} offered=\n"
          "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "    COMPREPLY=($(compgen -W '", stdout);
    print_names();
    fputs(" --help --version' -- \"$current\"))\n"
          "    return\n"
          "  fi\n"
          "  case $before in\n"
          "    help) COMPREPLY=($(compgen -W '", stdout);
    print_names();
    fputs("' -- \"$current\")); return ;;\n"
          "    completion) COMPREPLY=($(compgen -W 'bash zsh' -- \"$current\")); return ;;\n"
          "    --explain) COMPREPLY=($(compgen -W '", stdout);
    print_codes();
    fputs("' -- \"$current\")); return ;;\n"
          "    --policy) COMPREPLY=($(compgen -W '", stdout);
    print_policies();
    fputs("' -- \"$current\") $(compgen -f -- \"$current\")); return ;;\n"
          "  esac\n"
          "  case ${COMP_WORDS[1]} in\n", stdout);
    print_cases("offered='", "'");
    fputs("  esac\n"
          "  case $current in\n"
          "    -*) COMPREPLY=($(compgen -W \"$offered\" -- \"$current\")) ;;\n"
          "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
          "  esac\n"
          "}\n"
          "complete -o filenames -F _recourse recourse\n", stdout);
}

static void print_zsh(void)
{
    const struct rcs_command *command;

    fputs("#compdef recourse\n"
          "# Completion of recourse for zsh: recourse completion zsh\n"
          "_recourse() {\n"
          "  local -a commands offered\n"
          "  commands=(\n", stdout);
    for (size_t i = 0; (command = rcs_command_at(i)) != NULL; i++) {
        printf("    '%s:", command->name);
        for (const char *at = command->summary; *at != '\0'; at++) {
            fputs(*at == '\'' ? "'\\''" : (char[]){*at, '\0'}, stdout);
        }
        puts("'");
    }
    fputs("    'help:how to use a command'\n"
          "  )\n"
          "  if (( CURRENT == 2 )); then\n"
          "    _describe command commands\n"
          "    return\n"
          "  fi\n"
          "  case $words[CURRENT-1] in\n"
          "    help) _describe command commands; return ;;\n"
          "    completion) compadd bash zsh; return ;;\n"
          "    --explain) compadd ", stdout);
    print_codes();
    fputs("; return ;;\n"
          "    --policy) compadd ", stdout);
    print_policies();
    fputs("; _files; return ;;\n"
          "  esac\n"
          "  case $words[2] in\n", stdout);
    print_cases("offered=(", " )");
    fputs("  esac\n"
          "  if [[ $PREFIX == -* ]]; then\n"
          "    compadd -- $offered\n"
          "  else\n"
          "    _files\n"
          "  fi\n"
          "}\n"
          "if [[ $funcstack[1] == _recourse ]]; then _recourse \"$@\"; else compdef _recourse recourse; fi\n", stdout);
}

static int run(int argc, char **argv)
{
    size_t count;
    int status = rcs_options_read(&rcs_command_completion, argc, argv, NULL, 0, &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (count == 1 && strcmp(argv[1], "bash") == 0) {
        print_bash();
        return RCS_EXIT_OK;
    }
    if (count == 1 && strcmp(argv[1], "zsh") == 0) {
        print_zsh();
        return RCS_EXIT_OK;
    }
    return count == 1  ? rcs_cli_error("completion", "there is nothing for '%s': bash or zsh", argv[1])
           : count > 1 ? rcs_cli_error("completion", "one shell at a time, not '%s' as well", argv[2])
                       : rcs_cli_error("completion", "for which shell? bash or zsh");
}

const struct rcs_command rcs_command_completion = {
    .name = "completion",
    .summary = "what bash or zsh offers when Tab is pressed",
    .run = run,
    .help =
        "Usage: recourse completion bash|zsh\n"
        "\n"
        "Prints a script that makes a shell complete commands, options, the codes of\n"
        "check --explain, the names of built-in policies, and files. `make install` puts\n"
        "both where shells look for them.\n"
        "\n"
        "Examples:\n"
        "  $ source <(recourse completion bash)\n"
        "  $ recourse completion zsh >~/.zfunc/_recourse\n"
        "\n"
        "Exit status: 0; 1 for another shell.\n",
};
