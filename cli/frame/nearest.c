/* SPDX-License-Identifier: Apache-2.0 */
#include "frame/nearest.h"
#include <string.h>

enum { LONGEST = 32 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Damerau's distance between neighbours, row by row; b is at most LONGEST long. */
static size_t distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    size_t rows[3][LONGEST + 1]; /* of the letters of a before this one, one and two back */
    for (size_t j = 0; j <= b_bytes; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a_bytes; i++) {
        size_t *row = rows[i % 3], *back = rows[(i + 2) % 3], *back2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_bytes; j++) {
            row[j] = least(least(back[j], row[j - 1]) + 1, back[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], back2[j - 2] + 1);
        }
    }
    return rows[a_bytes % 3][b_bytes];
}

/* A third of the letters may be wrong. */
nearest nearest_begin(const char *wanted, size_t bytes)
{
    return (nearest){wanted, bytes, NULL, (bytes + 2) / 3 + 1};
}

void nearest_try(nearest *self, const char *name)
{
    size_t bytes = strlen(name);
    if (bytes > LONGEST || self->bytes > LONGEST) return;
    size_t far = distance(self->wanted, self->bytes, name, bytes);
    if (far >= self->distance || far >= bytes) return;
    self->distance = far;
    self->name = name;
}
