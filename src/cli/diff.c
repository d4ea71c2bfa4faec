/* recourse diff: what two policies do differently. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "diff_out.h"
#include "files.h"
#include "spec_open.h"

/* As git calls an external diff: path, old file, its hash and mode, new file, its hash and mode; and where the file was
   renamed or copied, its new path and how alike the two are. */
#define GIT_WORDS 7u
#define GIT_WORDS_RENAMED 9u
#define SPEC_MAX ((size_t)4 << 20)
enum { GIT_PATH = 0, GIT_OLD = 1, GIT_OLD_MODE = 3, GIT_NEW = 4, GIT_NEW_MODE = 6, GIT_NEW_PATH = 7 };

/* ---- gates ---- */

static bool more_tries(const struct rcs_difference *item) { return item->change == RCS_CHANGE_TRIES_MORE; }
static bool lost_reminder(const struct rcs_difference *item) { return item->change == RCS_CHANGE_REMINDER_LOST; }
static bool waits_longer(const struct rcs_difference *item) { return item->longer; }
static bool unsafe_replay(const struct rcs_difference *item) { return item->unsafe; }

static const struct {
    const char *name;
    bool (*breaks)(const struct rcs_difference *item);
} gates[RCS_GATES_MAX] = {{"no-new-retries", more_tries},
                          {"no-lost-reminders", lost_reminder},
                          {"no-longer-waits", waits_longer},
                          {"no-new-unsafe-replay", unsafe_replay}};

static const char *gate_name(const void *user, size_t index)
{
    (void)user;
    return index < RCS_GATES_MAX ? gates[index].name : NULL;
}

static int unknown_gate(const char *name)
{
    const char *near = rcs_nearest(name, gate_name, NULL);

    return near != NULL ? rcs_cli_error("diff", "there is no gate '%s': did you mean '%s'?", name, near)
                        : rcs_cli_error("diff", "there is no gate '%s': there are %s, %s, %s and %s", name, gates[0].name,
                                        gates[1].name, gates[2].name, gates[3].name);
}

/* The bits of the gates in a list with commas; RCS_GO_ON, or the exit status. */
static int read_gates(const char *list, unsigned *chosen)
{
    *chosen = 0;
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, ",");
        char name[64];
        size_t at = 0;

        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), list);
        while (at < RCS_GATES_MAX && strcmp(gates[at].name, name) != 0) {
            at++;
        }
        if (at == RCS_GATES_MAX) {
            return unknown_gate(name);
        }
        *chosen |= 1u << at;
        list += length + (list[length] == ',');
    }
    return RCS_GO_ON;
}

static size_t judge_gates(const struct rcs_diff *diff, unsigned chosen, struct rcs_gate out[RCS_GATES_MAX], bool *kept)
{
    size_t count = 0;

    *kept = true;
    for (size_t i = 0; i < RCS_GATES_MAX; i++) {
        size_t at = 0;

        if ((chosen & 1u << i) == 0) {
            continue;
        }
        while (at < diff->count && !gates[i].breaks(&diff->items[at])) {
            at++;
        }
        out[count] = (struct rcs_gate){gates[i].name, at == diff->count && diff->complete, at};
        *kept = *kept && out[count].kept;
        count++;
    }
    return count;
}

/* ---- the command ---- */

struct chosen {
    bool json, markdown;
    unsigned gates;
};

static int compare(struct rcs_compared compared, const struct chosen *chosen)
{
    struct rcs_gate judged[RCS_GATES_MAX];
    struct rcs_diff diff;
    bool kept;

    rcs_diff_find(compared.arena, compared.old_loaded->spec, compared.new_loaded->spec, &diff);
    compared.diff = &diff;
    compared.gates = judged;
    compared.gate_count = judge_gates(&diff, chosen->gates, judged, &kept);
    if (chosen->json) {
        rcs_diff_print_json(&compared);
    } else if (chosen->markdown) {
        rcs_diff_print_markdown(&compared);
    } else {
        rcs_diff_print(&compared);
    }
    if (chosen->gates != 0) {
        return kept ? RCS_EXIT_OK : RCS_EXIT_FAILED;
    }
    return diff.verdict == RCS_SAME ? RCS_EXIT_OK : RCS_EXIT_DIFFERS;
}

static int diff_files(const char *const paths[2], const char *const shown[2], const struct chosen *chosen)
{
    static const struct rcs_spec_reader reader = {"diff", "compared"};
    struct rcs_arena arena = {0};
    struct rcs_loaded loaded[2] = {{NULL, NULL, {0}}, {NULL, NULL, {0}}};
    struct rcs_compared compared = {.old_path = paths[0], .new_path = paths[1], .old_loaded = &loaded[0],
                                    .new_loaded = &loaded[1], .arena = &arena};
    int status = RCS_EXIT_ERROR;

    if (rcs_spec_open(&reader, &arena, paths[0], shown[0], &loaded[0]) &&
        rcs_spec_open(&reader, &arena, paths[1], shown[1], &loaded[1])) {
        if (shown[0] != paths[0]) {
            compared.old_path = shown[0];
            compared.new_path = shown[1];
        }
        status = compare(compared, chosen);
    }
    rcs_arena_clear(&arena);
    return status;
}

static bool is_none(const char *path) { return strcmp(path, "/dev/null") == 0; }

/* git gives no hash for a file of the work tree, so the bytes are compared. */
static bool same_bytes(const char *const paths[2])
{
    size_t sizes[2] = {0, 0};
    const char *why;
    char *texts[2] = {rcs_files_read(paths[0], SPEC_MAX, &sizes[0], &why), rcs_files_read(paths[1], SPEC_MAX, &sizes[1], &why)};
    bool same = texts[0] != NULL && texts[1] != NULL && sizes[0] == sizes[1] && memcmp(texts[0], texts[1], sizes[0]) == 0;

    free(texts[0]);
    free(texts[1]);
    return same;
}

/* For git any exit status but 0 ends its own diff. What can't be compared is said, on stdout, where the rest is. */
static int diff_for_git(char **words, size_t count, const struct chosen *chosen)
{
    const char *const paths[2] = {words[GIT_OLD], words[GIT_NEW]};
    const char *const shown[2] = {words[GIT_PATH], count == GIT_WORDS ? words[GIT_PATH] : words[GIT_NEW_PATH]};

    if (is_none(paths[0]) || is_none(paths[1])) {
        printf("%s: %s\n", shown[0], is_none(paths[0]) ? "a new policy" : "the policy is deleted");
        return RCS_EXIT_OK;
    }
    if (strcmp(shown[0], shown[1]) != 0) {
        printf("%s: is now %s\n", shown[0], shown[1]);
    }
    if (strcmp(words[GIT_OLD_MODE], words[GIT_NEW_MODE]) != 0) {
        printf("%s: mode %s -> %s\n", shown[1], words[GIT_OLD_MODE], words[GIT_NEW_MODE]);
    }
    if (same_bytes(paths)) {
        printf("same: %s: nothing else changed\n", shown[1]);
    } else if (diff_files(paths, shown, chosen) == RCS_EXIT_ERROR) {
        printf("%s: not compared, since one of the two has errors\n", shown[1]);
    }
    return RCS_EXIT_OK;
}

/* What git calls with a path alone has not been merged yet. It says in its environment that it is git. */
static bool is_unmerged_for_git(size_t count) { return count == 1 && getenv("GIT_DIFF_PATH_TOTAL") != NULL; }

static int run(int argc, char **argv)
{
    struct chosen chosen = {false, false, 0};
    const char *gate_list = NULL;
    const struct rcs_option options[] = {{.name = "--json", .flag = &chosen.json},
                                         {.name = "--markdown", .flag = &chosen.markdown},
                                         {.name = "--gate", .value = &gate_list}};
    size_t count;
    int status = rcs_options_read(&rcs_command_diff, argc, argv, options, sizeof options / sizeof *options, &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (chosen.json && chosen.markdown) {
        return rcs_cli_error("diff", "--json or --markdown: one of them");
    }
    status = read_gates(gate_list, &chosen.gates);
    if (status != RCS_GO_ON) {
        return status;
    }
    if (count == GIT_WORDS || count == GIT_WORDS_RENAMED) {
        return diff_for_git(argv + 1, count, &chosen);
    }
    if (is_unmerged_for_git(count)) {
        printf("%s: not merged yet\n", argv[1]);
        return RCS_EXIT_OK;
    }
    if (count != 2) {
        return rcs_cli_error("diff", "which two policies? Give two files, the old one first");
    }
    return diff_files((const char *const *)argv + 1, (const char *const *)argv + 1, &chosen);
}

const struct rcs_command rcs_command_diff = {
    .name = "diff",
    .summary = "what two policies do differently, each with its shortest run",
    .run = run,
    .help =
        "Usage: recourse diff [--json|--markdown] [--gate GATE,...] OLD NEW\n"
        "\n"
        "Compares what two policies do, not how they are written: rows that moved or\n"
        "have other ids, and failures that are called otherwise, make no difference.\n"
        "For each difference there is the shortest run that shows it, in words that\n"
        "recourse simulate takes, or the facts, as recourse classify takes them; and\n"
        "what becomes of it in both, with the rows. One word comes first:\n"
        "\n"
        "  same       nothing behaves differently; then it says what changed at all\n"
        "  looser     some run is tried once more, loses its reminder, or is told to the\n"
        "             model and no longer to the host; and none the other way round\n"
        "  stricter   the other way round\n"
        "  different  both, or neither: messages, labels, waits, settings\n"
        "\n"
        "What calls share, budgets and breakers, is compared as it is written, with the\n"
        "run of one call by itself that shows a change, where there is one.\n"
        "\n"
        "Runs are compared up to where they part: what a run comes to that goes on in\n"
        "one policy and has ended in the other is not compared.\n"
        "\n"
        "Gates, for what may not change without being noticed:\n"
        "  no-new-retries        no run is tried again that was not\n"
        "  no-lost-reminders     no run loses its reminder\n"
        "  no-longer-waits       no wait is longer, none is new, no deadline is later\n"
        "  no-new-unsafe-replay  nothing that may have acted is done again, of a tool\n"
        "                        that is not safe, that was not before. Not by the old\n"
        "                        policy's word either: an effect that is now called none\n"
        "                        and a tool now called safe are claims, so they break it\n"
        "                        where the failure is now tried again\n"
        "\n"
        "Options:\n"
        "  --gate GATE,...  the exit status says whether these are kept\n"
        "  --markdown       to be posted on a pull request\n"
        "  --json           one object: {\"verdict\",\"prose_only\",\"complete\",\"old\",\"new\",\n"
        "                   \"renamed\",\"differences\":[{\"change\",\"leans\",\n"
        "                   \"unsafe_replay\",\"claimed_harmless\",\"longer\",\n"
        "                   \"about\",\"old\":{\"words\",\"rows\",\"what\"},\"new\"}],\n"
        "                   \"gates\":[{\"gate\",\"kept\",\"broken_by\"}]}\n",
    .more =
        "\n"
        "For git, in a repository that has policies (two lines; the first is to be\n"
        "committed). With seven words or nine, as git gives them, the exit status is 0:\n"
        "\n"
        "  echo '*.policy.md diff=recourse' >>.gitattributes\n"
        "  git config diff.recourse.command 'recourse diff'\n"
        "\n"
        "Example:\n"
        "  $ recourse diff old/lightspeed.policy.md spec/lightspeed.policy.md\n"
        "  looser: old/lightspeed.policy.md -> spec/lightspeed.policy.md\n"
        "  at most: 3 -> 4 tries, 3 -> 4 requests, 3 s -> 7 s of waiting\n"
        "  ...\n"
        "\n"
        "Exit status: 0 if they do the same, or all gates are kept; 2 if they differ and\n"
        "no gate was asked for; 3 if a gate is broken; 1 for an error.\n",
};
