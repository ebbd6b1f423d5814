/* SPDX-License-Identifier: Apache-2.0 */
#include "internal/guess.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static char lower(char c) /* ASCII only, independent of the locale */
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Damerau's distance between neighbours, row by row. */
size_t gig_letters_apart(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    size_t rows[3][GIG_LETTERS + 1]; /* of the letters of a before this one, one and two back */
    if (a_bytes > GIG_LETTERS || b_bytes > GIG_LETTERS) return SIZE_MAX;
    for (size_t j = 0; j <= b_bytes; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a_bytes; i++) {
        size_t *row = rows[i % 3], *back = rows[(i + 2) % 3], *back2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_bytes; j++) {
            char one = lower(a[i - 1]), other = lower(b[j - 1]);
            row[j] = least(least(back[j], row[j - 1]) + 1, back[j - 1] + (one != other));
            if (i > 1 && j > 1 && one == lower(b[j - 2]) && lower(a[i - 2]) == other)
                row[j] = least(row[j], back2[j - 2] + 1);
        }
    }
    return rows[a_bytes % 3][b_bytes];
}

gig_guess gig_guess_begin(const char *wanted, size_t bytes)
{
    return (gig_guess){wanted, bytes, NULL, (bytes + 2) / 3 + 1};
}

void gig_guess_try(gig_guess *self, const char *name)
{
    size_t bytes = strlen(name), apart = gig_letters_apart(self->wanted, self->bytes, name, bytes);
    if (apart >= self->apart || apart >= bytes) return;
    self->apart = apart;
    self->name = name;
}

const char *gig_guess_hint(char text[GIG_HINT_BYTES], const gig_guess *found)
{
    text[0] = 0;
    if (found->name) snprintf(text, GIG_HINT_BYTES, "; did you mean \"%s\"?", found->name);
    return text;
}
