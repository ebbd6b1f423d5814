/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the formats of a table. */
#ifndef GIG_WORK_REPORT_TABLE_TEXT_H
#define GIG_WORK_REPORT_TABLE_TEXT_H

#include "work/report/table.h"

/* Three decimals, as the paper has them; squared errors, which are tiny, with four significant digits. */
void gig_table_add_value(gig_text *out, const gig_table *table, double value, const char *none);
/* " [low, high]" */
void gig_table_add_bounds(gig_text *out, const gig_table *table, const gig_interval *interval);
/* The area of the mean curve is shown next to the area of the median one. */
int gig_table_shows_mean(const gig_table *table);

/* `before` and "draws sd 0.012", where the entry's scores are means over draws. */
void gig_table_add_spread(gig_text *out, const gig_table *table, const gig_table_entry *entry, const char *before);

/* What methods' names leave out, as a sentence. */
extern const char gig_table_defaults[];

/* What the numbers and the marks mean; whether rows are compared with one, and the text above that table. */
void gig_table_add_meaning(gig_text *out, const gig_table *table);
void gig_table_add_marks(gig_text *out, const gig_table *table, const char *bold);
int gig_table_compares(const gig_table *table);
void gig_table_add_comparison(gig_text *out, const gig_table *table);

void gig_table_write_csv(gig_text *out, const gig_table *table);
void gig_table_write_json(gig_text *out, const gig_table *table);
void gig_table_write_latex(gig_text *out, const gig_table *table);

#endif
