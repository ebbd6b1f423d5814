/* SPDX-License-Identifier: Apache-2.0 */
/* internal/number.h -- numbers and choices as text, with a decimal point whatever the locale.
 *
 * Flow:      command lines, manifests, descriptions -> [gig_parse_*] -> numbers -> [gig_format_double] -> tables, SVG
 * Ownership: nothing is kept.
 * Threads:   no hidden state; the program's locale is neither used nor changed.
 * Errors:    GIG_EARG with a message that quotes the text.
 */
#ifndef GIG_INTERNAL_NUMBER_H
#define GIG_INTERNAL_NUMBER_H

#include "gig/status.h"
#include <stddef.h>
#include <stdint.h>

/* The whole text must be one finite decimal number ("1", "-0.5", ".5", "1e-3"): no blanks, no hexadecimal, no "inf". */
gig_status gig_parse_double(double *out, const char *text);

/* The whole text must be one decimal integer in least..most: an optional sign and digits. */
gig_status gig_parse_int(int64_t *out, const char *text, int64_t least, int64_t most);

/* Bytes: digits with an optional ending K, M, G or T (powers of 1024; "KiB", "MB" and so on mean the same). */
gig_status gig_parse_size(size_t *out, const char *text);

/* The index, counted from 0, of the text among "one|two|three". */
gig_status gig_parse_choice(int *out, const char *text, const char *choices);

/* The next name of "A, B,..." into text, without blanks around it, and moves on. 1; 0 at the end of the list; -1 if
 * there is none between two commas, or it is too long. */
int gig_next_name(char *text, size_t bytes, const char **list);

/* As C's "%.*g": `digits` significant ones (9 give a float back, 17 a double). Returns text. */
const char *gig_format_double(char *text, size_t bytes, int digits, double value);
/* With as few digits as reproduce the number; integers without an exponent. Returns text. */
const char *gig_format_shortest(char *text, size_t bytes, double value);

#endif
