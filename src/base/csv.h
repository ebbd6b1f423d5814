/* SPDX-License-Identifier: Apache-2.0 */
/* Comma-separated values as in RFC 4180: quotes, doubled quotes, line breaks inside quotes, CRLF or LF, with or
 * without a byte-order mark and a last line break. The first record names the columns. */
#ifndef GIG_BASE_CSV_H
#define GIG_BASE_CSV_H

#include "base/status.h"
#include <stddef.h>

typedef struct gig_csv {
    size_t columns, rows; /* rows without the header */
    const char **fields;  /* [1 + rows, columns], the header first; they point into text */
    size_t *lines;        /* [1 + rows], the line each record begins on, from 1 */
    char *text;
} gig_csv;

/* GIG_EFORMAT names the line: a record whose length differs from the header's, a quote that is not closed, text next to
 * quotes, a NUL byte, two columns with the same name. Empty lines are skipped. */
gig_status gig_csv_parse(gig_csv *out, const char *bytes, size_t count);
void gig_csv_clear(gig_csv *csv);

/* The column of that name; csv->columns if there is none. */
size_t gig_csv_column(const gig_csv *csv, const char *name);

static inline const char *gig_csv_field(const gig_csv *csv, size_t row, size_t column)
{
    return csv->fields[(1 + row) * csv->columns + column];
}

#endif
