#include "gen/nearest.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool differ(char a, char b, bool fold)
{
    return fold ? (a | 0x20) != (b | 0x20) : a != b;
}

size_t rcs_edits(const char *left, size_t left_size, const char *right, size_t right_size, bool fold)
{
    size_t rows[3][RCS_EDITS_MAX + 1];

    for (size_t j = 0; j <= right_size; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= left_size; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];

        row[0] = i;
        for (size_t j = 1; j <= right_size; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + differ(left[i - 1], right[j - 1], fold));
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
                row[j] = least(row[j], rows[(i + 1) % 3][j - 2] + 1);
            }
        }
    }
    return rows[left_size % 3][right_size];
}
