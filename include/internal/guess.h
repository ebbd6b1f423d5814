/* SPDX-License-Identifier: Apache-2.0 */
/* What was probably meant: the nearest of several names, where one is near at all. */
#ifndef INTERNAL_GUESS_H
#define INTERNAL_GUESS_H

#include <stddef.h>

enum { GIG_LETTERS = 96 };
/* Letters to put in, take out, change, or swap with their neighbour, to make one word of the other, ignoring ASCII
 * case; SIZE_MAX if one is longer than GIG_LETTERS. */
size_t gig_letters_apart(const char *a, size_t a_bytes, const char *b, size_t b_bytes);

typedef struct gig_guess {
    const char *wanted;
    size_t bytes;     /* of `wanted` */
    const char *name; /* the nearest tried so far, or NULL */
    size_t apart;
} gig_guess;

/* A third of the letters may be wrong. */
gig_guess gig_guess_begin(const char *wanted, size_t bytes);
void gig_guess_try(gig_guess *self, const char *name);

enum { GIG_HINT_BYTES = GIG_LETTERS + 32 };
/* "; did you mean "NAME"?", or nothing. */
const char *gig_guess_hint(char text[GIG_HINT_BYTES], const gig_guess *found);

#endif
