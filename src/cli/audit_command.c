/* recourse audit: the words of the command line. */
#include <string.h>

#include "audit.h"
#include "cli.h"

#define SPECS_MAX 64u

/* Takes all `--spec FILE` out of the words, since there may be several; what is left is read as usual. */
static int take_specs(int *argc, char **argv, char *specs[SPECS_MAX], size_t *count)
{
    int kept = 1;

    *count = 0;
    for (int i = 1; i < *argc; i++) {
        bool joined = strncmp(argv[i], "--spec=", 7) == 0;

        if (strcmp(argv[i], "--") == 0) {
            while (i < *argc) {
                argv[kept++] = argv[i++];
            }
            break;
        }
        if (!joined && strcmp(argv[i], "--spec") != 0) {
            argv[kept++] = argv[i];
            continue;
        }
        if (!joined && i + 1 == *argc) {
            return rcs_cli_error("audit", "--spec wants a value");
        }
        if (*count == SPECS_MAX) {
            return rcs_cli_error("audit", "%u policies at most", SPECS_MAX);
        }
        specs[(*count)++] = joined ? argv[i] + 7 : argv[++i];
    }
    *argc = kept;
    return RCS_GO_ON;
}

static int verify(int argc, char **argv)
{
    char *specs[SPECS_MAX];
    struct rcs_audit_verify_options chosen = {.specs = specs};
    const char *spec = NULL; /* those that there are were taken before; for "did you mean" */
    const struct rcs_option options[] = {
        {.name = "--spec", .value = &spec},
        {.name = "--disclosure", .value = &chosen.disclosure},
        {.name = "--anchor", .value = &chosen.anchor},
        {.name = "--anchor-key", .value = &chosen.anchor_key},
        {.name = "--require", .value = &chosen.require},
        {.name = "--json", .flag = &chosen.json},
    };
    size_t count;
    int status = take_specs(&argc, argv, specs, &chosen.spec_count);

    if (status == RCS_GO_ON) {
        status = rcs_options_read(&rcs_command_audit, argc, argv, options, sizeof options / sizeof options[0], &count);
    }
    if (status != RCS_GO_ON) {
        return status;
    }
    if (chosen.anchor_key != NULL && chosen.anchor == NULL) {
        return rcs_cli_error("audit", "--anchor-key goes with --anchor");
    }
    if (count == 0) {
        return rcs_cli_error("audit", "which log? Give its files, the oldest first");
    }
    chosen.logs = argv + 1;
    chosen.log_count = count;
    return rcs_audit_verify(&chosen);
}

static int show(int argc, char **argv)
{
    char *specs[SPECS_MAX];
    struct rcs_audit_show_options chosen = {.specs = specs};
    const char *spec = NULL; /* as above */
    const struct rcs_option options[] = {
        {.name = "--spec", .value = &spec},
        {.name = "--call", .value = &chosen.call},
        {.name = "--html", .flag = &chosen.html},
        {.name = "--output", .letter = "-o", .value = &chosen.output},
    };
    size_t count;
    int status = take_specs(&argc, argv, specs, &chosen.spec_count);

    if (status == RCS_GO_ON) {
        status = rcs_options_read(&rcs_command_audit, argc, argv, options, sizeof options / sizeof options[0], &count);
    }
    if (status != RCS_GO_ON) {
        return status;
    }
    if (chosen.html && chosen.call != NULL) {
        return rcs_cli_error("audit", "--html shows the whole log: --call goes without it");
    }
    if (!chosen.html && chosen.output != NULL) {
        return rcs_cli_error("audit", "--output goes with --html");
    }
    if (count == 0) {
        return rcs_cli_error("audit", "show what? Give the files of a log, the oldest first");
    }
    chosen.logs = argv + 1;
    chosen.log_count = count;
    return rcs_audit_show(&chosen);
}

static int anchor(int argc, char **argv)
{
    const char *key = NULL;
    const struct rcs_option options[] = {{.name = "--key", .value = &key}};
    size_t count;
    int status = rcs_options_read(&rcs_command_audit, argc, argv, options, 1, &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (count != 1) {
        return rcs_cli_error("audit", "anchor wants one file, the newest of the log");
    }
    return rcs_audit_anchor(argv[1], key);
}

static int run(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "verify") == 0) {
        return verify(argc - 1, argv + 1);
    }
    if (argc > 1 && strcmp(argv[1], "show") == 0) {
        return show(argc - 1, argv + 1);
    }
    if (argc > 1 && strcmp(argv[1], "anchor") == 0) {
        return anchor(argc - 1, argv + 1);
    }
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        rcs_help_print(&rcs_command_audit);
        return RCS_EXIT_OK;
    }
    return rcs_cli_error("audit", "verify, show or anchor? See recourse audit --help");
}

const struct rcs_command rcs_command_audit = {
    .name = "audit",
    .summary = "check the record of a run against its policy, or show it",
    .run = run,
    .help =
        "Usage: recourse audit verify [OPTION...] LOG...\n"
        "       recourse audit show [--spec FILE]... [--call ID] LOG...\n"
        "       recourse audit show [--spec FILE]... --html [-o FILE] LOG...\n"
        "       recourse audit anchor [--key FILE] LOG\n"
        "\n"
        "A log is what recourse run --audit FILE has written: every decision about every\n"
        "call, chained by SHA-256. verify makes each decision again on the model of the\n"
        "policy, which is not the code that ran, and compares. Files of one log are given\n"
        "the oldest first: run.log.1 run.log.2 run.log.\n"
        "\n"
        "The verdict is one of these, each with those above it:\n"
        "\n"
        "  broken      it is not, or no longer, what was written\n"
        "  empty       nothing happened in it\n"
        "  intact      nothing was changed or cut out of it\n"
        "  conformant  every decision is the policy's: rows, facts, waits, who was told\n"
        "  complete    every call has its end, the log its close, and nothing was lost\n"
        "  anchored    and the record that an anchor names is in it\n"
        "\n"
        "A log that was cut at its end without a trace can't be told from one whose\n"
        "writer was killed: it is not complete. An anchor tells: anchor prints how far\n"
        "the log goes and the hash of its last record (C2SP tlog-checkpoint), to be kept\n"
        "where whoever has the log can't change it. verify --anchor finds a log that was\n"
        "cut or rewritten before it: it is broken.\n"
        "\n"
        "What tools were sent and what they answered is not in a log, only keyed hashes\n"
        "of it, and which conditions of Failures it met. With the disclosure (recourse\n"
        "run --disclosure F --capture) hashes are compared and facts classified anew.\n"
        "\n"
        "Options of verify:\n"
        "      --spec FILE       a policy that calls were judged by; may be given again\n"
        "      --disclosure F    salts and texts, as run has written them\n"
        "      --anchor FILE     an anchor of this log, taken earlier\n"
        "      --anchor-key FILE the public key (Ed25519, PEM) that has to have signed it\n"
        "      --require GRADE   the least verdict for exit status 0; left out, conformant\n"
        "      --json            one object: {\"grade\",\"records\",\"segments\",\"anchored\",\n"
        "                        \"calls\",\"open\",\"lost\",\"torn\",\"unjudged\",\"disclosed\",\"undisclosed\",\n"
        "                        \"unknown_policy\",\"other_version\",\"incomplete\",\"broken\",\n"
        "                        \"divergence\",\"policies\":[{\"name\",\"behaviour_sha256\",\n"
        "                        \"rows\":{ID:times}}]}; broken and divergence are null or\n"
        "                        {\"file\",\"line\",\"call\",\"what\",\"expected\",\"recorded\",\n"
        "                        \"expected_row\",\"recorded_row\"}\n"
        "\n"
        "Options of show:\n"
        "      --spec FILE       a policy whose rows are to be shown with their texts; may be\n"
        "                        given again; built-in policies are known without it\n"
        "      --call ID         this call alone, by its id or its number in the log\n"
        "      --html            one page that needs nothing else: a time line of all calls\n"
        "                        to be zoomed and filtered, and each call's story\n"
        "  -o, --output FILE     where to write the page; it is there as a whole or not at\n"
        "                        all\n"
        "\n"
        "Options of anchor:\n"
        "      --key FILE        signs it: a private key (Ed25519, PEM, no password)\n"
        "\n"
        "Example:\n"
        "  $ recourse audit verify --spec spec/lightspeed.policy.md run.log\n"
        "  complete: 1 call, 8 records, 1 segment\n"
        "    texts: 0 outcomes classified anew, 2 by the conditions recorded\n"
        "    rows of lightspeed that were used: F2 P1 A1 A2 B1\n"
        "    ...\n"
        "\n"
        "Exit status: 0 at the required grade or above; 1 below it, or if something\n"
        "can't be read.\n",
};
