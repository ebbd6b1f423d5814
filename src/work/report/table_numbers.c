/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a table's entries: means or medians with their intervals, differences from one row, marks of the best.
 */
#include "base/memory.h"
#include "base/status.h"
#include "work/report/table.h"
#include <math.h>
#include <string.h>

/* ---- numbers ---- */

static gig_status measure_curves(gig_table_entry *entry, const gig_table *table, const gig_bootstrap_options *options)
{
    const double **curves = gig_alloc(entry->count, sizeof *curves);
    if (!curves) return gig_alloc_status();
    size_t count = 0;
    for (size_t i = 0; i < entry->count; i++)
        if (entry->curves[i]) curves[count++] = entry->curves[i];
    gig_status status = gig_bootstrap_curves(&entry->value, curves, count, GIG_TABLE_INTERVALS,
                                             table->options.mean ? GIG_AGGREGATE_MEAN : GIG_AGGREGATE_MEDIAN, options);
    gig_free(curves);
    return status;
}

static double mean_spread(const gig_table_entry *entry)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < entry->count; i++) {
        if (isnan(entry->spreads[i])) continue;
        sum += entry->spreads[i];
        count++;
    }
    return count ? sum / (double)count : NAN;
}

/* a[i] and b[i] are of one picture. */
static gig_status compare(gig_interval *out, const gig_table_entry *entry, const gig_table_entry *other,
                          const gig_bootstrap_options *options)
{
    double *b = gig_alloc(entry->count, sizeof *b);
    if (!b) return gig_alloc_status();
    for (size_t i = 0; i < entry->count; i++) b[i] = gig_table_value(other, &entry->subjects[i]);
    gig_status status = gig_bootstrap_difference(out, entry->values, b, entry->count, options);
    gig_free(b);
    return status;
}

gig_status gig_table_measure(gig_table *table)
{
    const gig_bootstrap_options options = {.seed = table->options.seed};
    for (size_t r = 0; r < table->row_count; r++)
        for (size_t c = 0; c < table->column_count; c++) {
            gig_table_entry *entry = gig_table_at(table, r, c);
            GIG_TRY(gig_bootstrap_mean(&entry->mean, entry->values, entry->count, &options));
            entry->value = entry->mean;
            entry->spread = mean_spread(entry);
            table->has_spreads |= !isnan(entry->spread);
            entry->difference = (gig_interval){0, NAN, NAN, NAN};
            if (table->of_curves) GIG_TRY(measure_curves(entry, table, &options));
            if (table->against < table->filled_count && r != table->against)
                GIG_TRY(compare(&entry->difference, entry, gig_table_at(table, table->against, c), &options));
        }
    return GIG_OK;
}

/* ---- marks ---- */

typedef struct scope {
    size_t row_first, row_end, column;
    int whole_set; /* and the columns of the same set by other baselines */
} scope;

static int same_set(const gig_table_column *a, const gig_table_column *b)
{
    return !strcmp(a->collection, b->collection) && !strcmp(a->model, b->model) && !strcmp(a->scalar, b->scalar) &&
           !strcmp(a->precision, b->precision);
}

/* The best of the scope; all of them if several are equal. */
static void mark_best(const gig_table *table, scope s, int star)
{
    double best = NAN;
    for (int pass = 0; pass < 2; pass++)
        for (size_t r = s.row_first; r < s.row_end; r++)
            for (size_t c = 0; c < table->column_count; c++) {
                if (c != s.column && !(s.whole_set && same_set(&table->columns[c], &table->columns[s.column])))
                    continue;
                gig_table_entry *entry = gig_table_at(table, r, c);
                double value = table->smaller_is_better ? -entry->value.mean : entry->value.mean;
                if (isnan(value)) continue;
                if (pass == 0 && !(value <= best)) best = value;
                if (pass == 1 && value == best) *(star ? &entry->star : &entry->bold) = 1;
            }
}

static size_t end_of_group(const gig_table *table, size_t row)
{
    size_t end = row;
    while (end < table->row_count && table->rows[end].group == table->rows[row].group) end++;
    return end;
}

void gig_table_mark(const gig_table *table)
{
    int by_group = table->options.like == GIG_TABLE_PAPER2 || table->options.like == GIG_TABLE_PLAIN;
    for (size_t c = 0; c < table->column_count; c++) {
        for (size_t r = 0, end; by_group && r < table->row_count; r = end) {
            end = end_of_group(table, r);
            if (end - r > 1) mark_best(table, (scope){r, end, c, 0}, 0); /* a single entry is not marked as best */
        }
        mark_best(table, (scope){0, table->row_count, c, 0}, by_group);
    }
    for (size_t c = 0; table->by_baseline && c < table->column_count; c++)
        mark_best(table, (scope){0, table->row_count, c, 1}, 1);
}
