/* Medians, spreads and rows. */
#include "tests/bench/bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned over;

void samples_add(struct samples *samples, double value)
{
    if (samples->count < SAMPLES_MAX) {
        samples->values[samples->count++] = value;
    }
}

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a;
    double second = *(const double *)b;

    return (first > second) - (first < second);
}

double samples_part(const struct samples *samples, double part)
{
    struct samples sorted = *samples;
    double place;
    unsigned below;

    if (sorted.count == 0) {
        return 0;
    }
    qsort(sorted.values, sorted.count, sizeof sorted.values[0], compare);
    place = part * (double)(sorted.count - 1);
    below = (unsigned)place;
    if (below + 1 >= sorted.count) {
        return sorted.values[sorted.count - 1];
    }
    return sorted.values[below] + (place - (double)below) * (sorted.values[below + 1] - sorted.values[below]);
}

/* Three digits that count. */
static int digits_of(double value)
{
    return value >= 100 ? 0 : value >= 10 ? 1 : 2;
}

/* "25.8 [24.9 26.7] us": the median, and the quartiles. */
static void show(const struct samples *samples, const char *unit, char text[64])
{
    double median = samples_part(samples, 0.5);
    int digits = digits_of(median);

    snprintf(text, 64, "%.*f [%.*f %.*f]%s%s", digits, median, digits, samples_part(samples, 0.25), digits,
             samples_part(samples, 0.75), *unit != '\0' ? " " : "", unit);
}

void table_title(const char *format, ...)
{
    va_list list;

    putchar('\n');
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
}

void table_note(const char *format, ...)
{
    va_list list;

    fputs("  ", stdout);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
    fflush(stdout);
}

static void show_limit(double value, double limit, char text[32])
{
    bool kept = value <= limit;

    if (limit <= 0) {
        text[0] = '\0';
        return;
    }
    snprintf(text, 32, "%s, limit %.*f", kept ? "ok" : "over", limit >= 10 ? 0 : 2, limit);
    over += !kept;
}

void table_row(const struct row *row)
{
    char ours[64];
    char peer[64] = "";
    char ratio[64] = "";
    char limit[32];
    char named[128];
    struct samples ratios = {.count = 0};

    show(row->ours, row->unit, ours);
    if (row->peer_name == NULL) {
        show_limit(samples_part(row->ours, 0.5), row->limit, limit);
    } else {
        for (unsigned i = 0; i < row->ours->count && i < row->peer->count; i++) {
            samples_add(&ratios, row->ours->values[i] / row->peer->values[i]);
        }
        show(row->peer, row->unit, peer);
        show(&ratios, "", ratio);
        show_limit(samples_part(&ratios, 0.5), row->limit, limit);
    }
    snprintf(named, sizeof named, "%s %s", row->peer_name != NULL ? row->peer_name : "", peer);
    printf("  %-30s %-23s %-42s %-18s %s\n", row->what, ours, row->peer_name != NULL ? named : "", ratio, limit);
    fflush(stdout);
}

unsigned table_over(void)
{
    return over;
}
