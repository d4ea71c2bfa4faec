/* The parts that need no server, and the start of the command. */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_SIZE 512
#define TEXT_MAX 16384

static const char *program(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", built(), name);
    return path;
}

static void run_line(const char *const *arguments, char line[LINE_MAX_SIZE])
{
    if (!run_program(arguments, line, LINE_MAX_SIZE)) {
        bench_fail("%s has failed: '%s'", arguments[0], line);
    }
}

/* ---- the machine's step ---- */

void part_machine(void)
{
    const char *const arguments[] = {program("step"), NULL};
    struct samples ragel = {.count = 0};
    struct samples hand = {.count = 0};
    struct samples call = {.count = 0};
    char line[LINE_MAX_SIZE];

    table_title("machine: one move of the policy lightspeed");
    for (unsigned i = 0; i < rounds(); i++) {
        run_line(arguments, line);
        samples_add(&ragel, value_of(line, "ragel_ns"));
        samples_add(&hand, value_of(line, "switch_ns"));
        samples_add(&call, value_of(line, "call_ns"));
    }
    table_row(&(struct row){"the compiled policy", "ns", &ragel, "switch by hand", &hand, 0});
    table_row(&(struct row){"a whole step, with facts", "ns", &call, NULL, NULL, 0});
}

/* ---- the matcher ---- */

static void measure_matcher(const char *policy, const char *size, double limit)
{
    const char *const arguments[] = {program("match"), policy, size, NULL};
    struct samples ours = {.count = 0};
    struct samples pcre2 = {.count = 0};
    struct samples each = {.count = 0};
    char line[LINE_MAX_SIZE];
    char what[64];

    for (unsigned i = 0; i < rounds(); i++) {
        run_line(arguments, line);
        samples_add(&ours, value_of(line, "ours_ns"));
        samples_add(&each, value_of(line, "strcasestr_ns"));
        if (strstr(line, "pcre2_ns") != NULL) {
            samples_add(&pcre2, value_of(line, "pcre2_ns"));
        }
    }
    snprintf(what, sizeof what, "%s, %s bytes", policy, size);
    if (pcre2.count > 0) {
        table_row(&(struct row){what, "ns", &ours, "PCRE2 with JIT", &pcre2, limit});
    }
    table_row(&(struct row){what, "ns", &ours, "strcasestr, each", &each, limit});
    if (pcre2.count == 0) {
        table_note("PCRE2 was not there when the bench was built, and is left out: see make bench-deps");
    }
}

void part_matcher(void)
{
    static const char *const policies[] = {"lightspeed", "default"};

    table_title("matcher: a byte of an error's text in which nothing is found");
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        measure_matcher(policies[i], "100", 0);
        measure_matcher(policies[i], "1024", 1);
        measure_matcher(policies[i], "65536", 1);
    }
}

/* ---- files ---- */

static char directory[] = P_tmpdir "/recourse-bench.XXXXXX";

static const char *path_in(const char *name)
{
    static char paths[8][128];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_in(name), "w");

    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        bench_fail("%s can't be written", path_in(name));
    }
}

static void open_directory(void)
{
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    if (mkdtemp(directory) == NULL) {
        bench_fail("no directory in /tmp");
    }
}

static void close_directory(const char *const *names)
{
    for (; *names != NULL; names++) {
        unlink(path_in(*names));
    }
    rmdir(directory);
}

/* ---- the start of the command ---- */

void part_start(void)
{
    static const char *const names[] = {"tools.json", "calls.json", NULL};
    static const char calls[] = "[{\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"lookup\","
                                "\"arguments\":\"{\\\"id\\\":1}\"}}]";
    struct samples ours = {.count = 0};
    struct samples curl = {.count = 0};
    char text[512];

    table_title("start: one call by the command, start to end, the server answering at once");
    open_directory();
    server_start();
    snprintf(text, sizeof text, "{\"tools\":[{\"name\":\"lookup\",\"http\":{\"url\":\"%s\"}}]}", server_url("/ok/0"));
    write_file("tools.json", text);
    write_file("calls.json", calls);
    for (unsigned i = 0; i < 2 * rounds() - 1; i++) {
        const char *const run[] = {program("../recourse"),    "run", "--policy", "lightspeed", "--tools",
                                   path_in("tools.json"), path_in("calls.json"), NULL};
        const char *const plain[] = {"curl", "-s", "-f", "-H", "Content-Type: application/json", "-d", "{\"id\":1}",
                                     server_url("/ok/0"), NULL};
        double first = time_program(i % 2 == 0 ? run : plain, 0);
        double second = time_program(i % 2 == 0 ? plain : run, 0);

        samples_add(&ours, i % 2 == 0 ? first : second);
        samples_add(&curl, i % 2 == 0 ? second : first);
    }
    table_row(&(struct row){"recourse run", "ms", &ours, "curl", &curl, 1.5});
    server_stop();
    close_directory(names);
}

/* ---- the compiler ---- */

/* Puts `new` in the place of `old`, which has to be there. */
static void replace(char *text, size_t room, const char *old, const char *new)
{
    char *at = strstr(text, old);
    size_t behind;

    if (at == NULL || strlen(text) + strlen(new) >= room) {
        bench_fail("tests/bench/bench.policy.md has no '%s'", old);
    }
    behind = strlen(at + strlen(old)) + 1;
    memmove(at + strlen(new), at + strlen(old), behind);
    memcpy(at, new, strlen(new));
}

/* "50ms, 50ms, ..." as often; 0: one that never ends. */
static void put_delays(char *out, size_t room, unsigned uses)
{
    size_t used = (size_t)snprintf(out, room, uses > 0 ? "50ms" : "50ms x2 up to 10s");

    for (unsigned i = 1; i < uses; i++) {
        used += (size_t)snprintf(out + used, room - used, ", 50ms");
    }
}

/* The bench's policy with other numbers: tries, and how often each of its two waits can be used. Both are in the states. */
static void write_policy(unsigned tries, unsigned uses)
{
    static char text[TEXT_MAX];
    char delays[1024];
    char waits[4096];
    char setting[64];
    FILE *file = fopen("tests/bench/bench.policy.md", "r");

    if (file == NULL) {
        bench_fail("tests/bench/bench.policy.md is not there: run this in the project's directory");
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    put_delays(delays, sizeof delays, uses);
    snprintf(setting, sizeof setting, "| tries | %u |", tries);
    snprintf(waits, sizeof waits, "| short | %s | uses | none | ignore |\n| other | %s | uses | none | ignore |", delays,
             delays);
    replace(text, sizeof text, "| tries | 3 |", setting);
    replace(text, sizeof text, "| short | 50ms, 50ms | tries | none | ignore |", waits);
    replace(text, sizeof text, "| A2 | transient, rate_limited | - | backoff or exhausted | short | again | - |",
            "| A2 | rate_limited | - | backoff or exhausted | short | again | - |\n"
            "| A5 | transient | - | backoff or exhausted | other | again | - |");
    write_file("bench.policy.md", text);
}

static void measure_compiler(const char *what, unsigned tries, unsigned uses)
{
    struct samples check = {.count = 0};
    struct samples compile = {.count = 0};
    char name[64];

    write_policy(tries, uses);
    for (unsigned i = 0; i < rounds(); i++) {
        const char *const checks[] = {program("../recourse"), "check", path_in("bench.policy.md"), NULL};
        samples_add(&check, time_program(checks, 0));
    }
    for (unsigned i = 0; i < rounds(); i++) {
        const char *const compiles[] = {program("../recourse"), "compile", path_in("bench.policy.md"), "-o", directory, NULL};
        samples_add(&compile, time_program(compiles, 0));
    }
    snprintf(name, sizeof name, "check, %s", what);
    table_row(&(struct row){name, "ms", &check, NULL, NULL, 0});
    snprintf(name, sizeof name, "compile, %s", what);
    table_row(&(struct row){name, "ms", &compile, NULL, NULL, 0});
}

void part_compiler(void)
{
    static const char *const names[] = {"bench.policy.md", "bench.rl", "bench.c", "bench.h", NULL};

    table_title("compiler: one policy, Ragel's two runs included, the C compiler's not");
    open_directory();
    measure_compiler("3 tries", 3, 0);
    measure_compiler("30 tries", 30, 0);
    measure_compiler("120 tries", 120, 0);
    measure_compiler("250 tries", 250, 0);
    measure_compiler("two waits of 3", 30, 3);
    measure_compiler("two waits of 6", 30, 6);
    measure_compiler("two waits of 12", 30, 12);
    close_directory(names);
}
