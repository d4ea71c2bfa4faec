/* Whether a call costs more where there were many before it. With BENCH_PLOT the points are drawn into that file, as SVG. */
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE_MAX_SIZE 512
#define AT_ONCE "64"
#define WARM_UP "1024" /* calls before those that are measured: of the first ones most is making connections */
#define LIMIT 1.2

static const struct {
    const char *name;
    const char *calls;
    double number;
    unsigned repeats; /* in each round: few calls say little */
} points[] = {
    {"100 calls", "100", 100, 7},
    {"1,000 calls", "1000", 1000, 3},
    {"10,000 calls", "10000", 10000, 1},
    {"100,000 calls", "100000", 100000, 1},
};

#define POINTS (sizeof points / sizeof points[0])

static double cpu_of_a_call(size_t point)
{
    struct samples repeats = {.count = 0};
    char program[256];
    char line[LINE_MAX_SIZE];
    const char *const arguments[] = {program, server_url("/ok/5"), AT_ONCE, points[point].calls, WARM_UP, NULL};

    snprintf(program, sizeof program, "%s/runner", built());
    for (unsigned i = 0; i < points[point].repeats; i++) {
        if (!run_program(arguments, line, sizeof line)) {
            bench_fail("%s has failed: '%s'", program, line);
        }
        samples_add(&repeats, value_of(line, "cpu_us") / points[point].number);
    }
    return samples_part(&repeats, 0.5);
}

/* ---- the plot ---- */

#define WIDTH 720.0
#define HEIGHT 360.0
#define LEFT 70.0
#define RIGHT 30.0
#define TOP 50.0
#define BOTTOM 60.0

static const char head[] =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 360\" font-family=\"sans-serif\" font-size=\"14\" role=\"img\">\n"
    "<title>CPU of a call against the number of calls</title>\n"
    "<style>\n"
    ".paper { fill: #ffffff } .text { fill: #24292f } .grid { stroke: #d0d7de; fill: none }\n"
    ".line { stroke: #0550ae; stroke-width: 2; fill: none } .dot { fill: #0550ae } .limit { stroke: #a40e26; stroke-dasharray: 6 4 }\n"
    ".limit-text { fill: #a40e26 } text { stroke: #ffffff; stroke-width: 4; paint-order: stroke }\n"
    "@media (prefers-color-scheme: dark) {\n"
    ".paper { fill: #0d1117 } .text { fill: #e6edf3 } .grid { stroke: #30363d }\n"
    ".line { stroke: #79c0ff } .dot { fill: #79c0ff } .limit { stroke: #ffa198 } .limit-text { fill: #ffa198 } text { stroke: #0d1117 }\n"
    "}\n"
    "</style>\n"
    "<rect class=\"paper\" width=\"720\" height=\"360\"/>\n";

static double x_of(double calls)
{
    return LEFT + 40 + (log10(calls) - 2) / 3 * (WIDTH - LEFT - RIGHT - 80);
}

static double y_of(double us, double most)
{
    return HEIGHT - BOTTOM - us / most * (HEIGHT - TOP - BOTTOM);
}

static void draw_axes(FILE *file, double most, double step)
{
    fprintf(file, "<text class=\"text\" x=\"%.0f\" y=\"28\" font-size=\"16\">CPU of a call over HTTP, \302\265s, against the number of calls</text>\n", LEFT);
    for (double us = 0; us <= most; us += step) {
        double y = y_of(us, most);

        fprintf(file, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text class=\"text\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                LEFT, y, WIDTH - RIGHT, LEFT - 8, y + 5, us);
    }
    for (size_t i = 0; i < POINTS; i++) {
        fprintf(file, "<text class=\"text\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", x_of(points[i].number),
                HEIGHT - BOTTOM + 24, points[i].name);
    }
    fprintf(file, "<text class=\"text\" x=\"%.1f\" y=\"%.1f\" font-size=\"12\">medians of %u rounds, with quartiles; " AT_ONCE
                  " at once, the server answering after 5 ms</text>\n",
            LEFT, HEIGHT - 12, rounds());
}

static void draw_points(FILE *file, const struct samples costs[POINTS], double most)
{
    double limit = LIMIT * samples_part(&costs[0], 0.5);

    fprintf(file, "<path class=\"limit\" d=\"M%.1f %.1fH%.1f\"/>\n", LEFT, y_of(limit, most), WIDTH - RIGHT);
    fprintf(file, "<text class=\"limit-text\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">1.2 times that at 100</text>\n",
            x_of(sqrt(points[POINTS - 1].number * points[POINTS - 2].number)), y_of(limit, most) - 8);
    fprintf(file, "<path class=\"line\" d=\"");
    for (size_t i = 0; i < POINTS; i++) {
        fprintf(file, "%s%.1f %.1f", i == 0 ? "M" : "L", x_of(points[i].number), y_of(samples_part(&costs[i], 0.5), most));
    }
    fprintf(file, "\"/>\n");
    for (size_t i = 0; i < POINTS; i++) {
        double x = x_of(points[i].number);
        double y = y_of(samples_part(&costs[i], 0.5), most);

        double low = y_of(samples_part(&costs[i], 0.25), most);

        fprintf(file, "<path class=\"line\" d=\"M%.1f %.1fV%.1f\"/><circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", x, low,
                y_of(samples_part(&costs[i], 0.75), most), x, y);
        fprintf(file, "<text class=\"text\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.1f</text>\n", x, fmax(low, y) + 20,
                samples_part(&costs[i], 0.5));
    }
}

static void plot(const char *path, const struct samples costs[POINTS])
{
    double most = 0;
    double step;
    FILE *file = fopen(path, "w");

    if (file == NULL) {
        bench_fail("%s can't be written", path);
    }
    for (size_t i = 0; i < POINTS; i++) {
        most = fmax(most, 1.3 * samples_part(&costs[i], 0.75));
    }
    step = most > 100 ? 50 : most > 40 ? 10 : 5;
    most = ceil(most / step) * step;
    fputs(head, file);
    draw_axes(file, most, step);
    draw_points(file, costs, most);
    fputs("</svg>\n", file);
    if (fclose(file) != 0) {
        bench_fail("%s can't be written", path);
    }
    table_note("drawn: %s", path);
}

void part_scale(void)
{
    static struct samples costs[POINTS];

    table_title("scale: CPU of a call over HTTP, by how many there are; " AT_ONCE " at once, the server answering after 5 ms");
    setenv("BENCH_WHOLE", "1", 1);
    server_start();
    for (unsigned round = 0; round < rounds(); round++) {
        for (size_t i = 0; i < POINTS; i++) {
            size_t point = round % 2 == 0 ? i : POINTS - 1 - i;

            samples_add(&costs[point], cpu_of_a_call(point));
        }
    }
    server_stop();
    unsetenv("BENCH_WHOLE");
    for (size_t i = 1; i < POINTS; i++) {
        table_row(&(struct row){points[i].name, "us", &costs[i], points[0].name, &costs[0], LIMIT});
    }
    if (getenv("BENCH_PLOT") != NULL) {
        plot(getenv("BENCH_PLOT"), costs);
    }
}
