/* faulty-server: prints its port, serves until stdin ends. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/server/faulty.h"

static const char *const usual[][2] = {
    {"/ok", "200 body='{\"pods\":3}'"},
    {"/echo", "200 echo"},
    {"/limited", "429 header='Retry-After: 1' times=2 | 200 body='after two'"},
    {"/always-limited", "429 header='Retry-After: 1'"},
    {"/flaky", "503 body='temporarily overloaded' | 200 body='there again'"},
    {"/down", "503"},
    {"/reset", "reset=before | 200 body='after a reset'"},
    {"/half", "200 body='half of this is missing' close=middle"},
    {"/slow", "wait=5000"},
    {"/hang", "hang=before"},
    {"/trickle", "200 body='slowly, slowly' trickle=100"},
    {"/bad", "400 body='no such field: nam'"},
    {"/error-inside", "200 body='{\"error\":\"no such table\"}'"},
    {"/nonsense", "raw='what is HTTP?\\n' close=after"},
    {"/latin1", "200 body='caf\\xe9'"},
    {"/reuse", "200 body='first' | reuse close=before"},
};

static void usage(void)
{
    puts("usage: faulty-server [PATH SCRIPT]...\n\n"
         "Serves HTTP on a port of 127.0.0.1, which it prints; ends when stdin does.\n"
         "GET /_log is what came in, as JSON; POST /_reset begins again.\n"
         "What a SCRIPT may say stands in tests/server/README.md. Without any, these are served:\n");
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        printf("  %-16s %s\n", usual[i][0], usual[i][1]);
    }
}

static bool set(struct rcs_faulty *server, const char *path, const char *script)
{
    char why[256];

    if (rcs_faulty_script(server, path, script, why, sizeof why)) {
        return true;
    }
    fprintf(stderr, "faulty-server: %s: %s\n", path, why);
    return false;
}

static bool set_all(struct rcs_faulty *server, int argc, char **argv)
{
    if (argc == 1) {
        for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
            if (!set(server, usual[i][0], usual[i][1])) {
                return false;
            }
        }
        return true;
    }
    if (argc % 2 == 0) {
        fprintf(stderr, "faulty-server: %s has no script: faulty-server --help\n", argv[argc - 1]);
        return false;
    }
    for (int i = 1; i < argc; i += 2) {
        if (!set(server, argv[i], argv[i + 1])) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct rcs_faulty *server;
    char block[256];
    int status = 1;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage();
        return 0;
    }
    server = rcs_faulty_new();
    if (server == NULL) {
        perror("faulty-server: no port");
        return 1;
    }
    if (set_all(server, argc, argv) && rcs_faulty_start(server) == 0) {
        printf("%u\n", rcs_faulty_port(server));
        fflush(stdout);
        while (read(STDIN_FILENO, block, sizeof block) > 0) {
        }
        status = 0;
    }
    rcs_faulty_free(server);
    return status;
}
