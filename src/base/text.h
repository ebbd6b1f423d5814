/* SPDX-License-Identifier: Apache-2.0 */
/* A growing text. */
#ifndef GIG_BASE_TEXT_H
#define GIG_BASE_TEXT_H

#include "base/status.h"
#include <stddef.h>

typedef struct gig_text {
    char *text; /* NULL until something was added */
    size_t bytes, capacity;
    gig_status status; /* the first failure; later additions do nothing */
} gig_text;

void gig_text_add(gig_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number with this many significant digits and a decimal point in any locale; `none` for NaN. */
void gig_text_add_number(gig_text *text, double number, int digits, const char *none);
/* Bytes that are not UTF-8, and control characters, become '?': names of files may hold any. */
void gig_text_clean(char *text);
/* Quoted if CSV needs it; or with the quotes and escapes of JSON, and '?' for bytes that are not UTF-8. */
void gig_text_add_csv(gig_text *text, const char *field);
void gig_text_add_json(gig_text *text, const char *string);
/* Takes out the text (at least ""); on failure NULL and the status. */
gig_status gig_text_take(char **out, gig_text *text);

#endif
