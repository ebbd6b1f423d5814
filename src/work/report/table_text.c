/* SPDX-License-Identifier: Apache-2.0 */
/* A table as Markdown, and the texts that all formats share. */
#include "work/report/table_text.h"
#include "gig/metric.h"
#include <math.h>

void gig_table_add_value(gig_text *out, const gig_table *table, double value, const char *none)
{
    int tiny = (table->row->traits & GIG_METRIC_TINY) != 0;
    if (tiny || !(fabs(value) < 1e6)) {
        gig_text_add_number(out, value, 4, none);
        return;
    }
    long long thousandths = llround(fabs(value) * 1000);
    gig_text_add(out, "%s%lld.%03lld", value < 0 && thousandths ? "-" : "", thousandths / 1000, thousandths % 1000);
}

const char gig_table_defaults[] = "Methods: 200 steps, fraction 0.1 of all, rule midpoint (ig), right (blur-ig), left "
                                  "(gig), unless the name says otherwise.";

/* What a cell shows: its own number, or its difference from the row compared with. */
static const gig_interval *shown(const gig_table *table, size_t row, size_t column, int differences)
{
    const gig_table_entry *entry = gig_table_at(table, row, column);
    return differences ? &entry->difference : &entry->value;
}

/* n if all non-empty cells of the column have the same n, else 0. */
static size_t common_n(const gig_table *table, size_t column, int differences)
{
    size_t common = 0;
    for (size_t r = 0; r < table->row_count; r++) {
        size_t n = shown(table, r, column, differences)->n;
        if (n && common && n != common) return 0;
        if (n) common = n;
    }
    return common;
}

void gig_table_add_bounds(gig_text *out, const gig_table *table, const gig_interval *interval)
{
    if (isnan(interval->mean)) return;
    gig_text_add(out, " [");
    gig_table_add_value(out, table, interval->low, "");
    gig_text_add(out, ", ");
    gig_table_add_value(out, table, interval->high, "");
    gig_text_add(out, "]");
}

int gig_table_shows_mean(const gig_table *table)
{
    return table->of_curves && !table->options.mean;
}

void gig_table_add_spread(gig_text *out, const gig_table *table, const gig_table_entry *entry, const char *before)
{
    if (isnan(entry->spread)) return;
    gig_text_add(out, "%sdraws sd ", before);
    gig_table_add_value(out, table, entry->spread, "");
}

/* ---- what the numbers mean ---- */

void gig_table_add_meaning(gig_text *out, const gig_table *table)
{
    const gig_table_column *first = &table->columns[0];
    gig_text_add(out, "%s", table->many_metrics ? table->metric : first->metric);
    if (table->many_metrics) gig_text_add(out, ", with the number of %s given in the column head", table->any);
    if (table->of_curves)
        gig_text_add(out, ": area of the %s curve over pictures", table->options.mean ? "mean" : "median");
    if (*table->reduction) gig_text_add(out, ", channels reduced by %s", table->reduction);
    gig_text_add(out, "; scalar %s, precision %s", table->many_scalars ? "as in the column head" : first->scalar,
                 table->many_precisions ? "as in the column head" : first->precision);
    if (!table->by_baseline) gig_text_add(out, ", baseline %s", table->options.baseline);
    if (table->has_spreads)
        gig_text_add(out, "; draws sd: standard deviation of a picture's score from draw to draw of the random pixels, "
                          "mean over pictures");
    gig_text_add(out, "; [ ] 95 %% bootstrap interval over pictures; n: number of pictures. %s", gig_table_defaults);
    if (table->curveless)
        gig_text_add(out, " Left out: %zu score%s without a curve, taken from an export in CSV, which has no curves.",
                     table->curveless, table->curveless > 1 ? "s" : "");
}

void gig_table_add_marks(gig_text *out, const gig_table *table, const char *bold)
{
    const char *best = table->smaller_is_better ? "smallest" : "largest";
    switch (table->options.like) {
    case GIG_TABLE_PLAIN:
    case GIG_TABLE_PAPER2: gig_text_add(out, " %s: %s of its group; *: of its column.", bold, best); break;
    case GIG_TABLE_PAPER3: gig_text_add(out, " %s: %s of its column; *: of its data set.", bold, best); break;
    default: gig_text_add(out, " %s: %s of its column.", bold, best); break;
    }
    for (size_t c = 0; c < table->column_count; c++)
        if (!common_n(table, c, 0)) {
            gig_text_add(out, " Rows of a column with different n cover different pictures; differences use the "
                              "pictures that both rows have.");
            break;
        }
    gig_table_add_missing_methods(out, table);
    for (size_t i = 0; i < table->elsewhere.count; i++)
        gig_text_add(out, "%s %s", i ? "," : " Scored, but with another baseline:", table->elsewhere.all[i]);
    if (table->elsewhere.count) gig_text_add(out, ".");
}

int gig_table_compares(const gig_table *table)
{
    return table->against < table->filled_count && table->filled_count > 1;
}

void gig_table_add_comparison(gig_text *out, const gig_table *table)
{
    gig_text_add(out, "Paired differences from %s%s", table->rows[table->against].method,
                 table->of_curves ? " (areas of single pictures)" : "");
}

/* ---- Markdown ---- */

static void add_markdown_head(gig_text *out, const gig_table *table, int differences)
{
    gig_text_add(out, "| method |");
    for (size_t c = 0; c < table->column_count; c++) {
        const char *parts[GIG_HEAD_PARTS];
        size_t n = common_n(table, c, differences);
        gig_table_head(parts, table, &table->columns[c]);
        for (int i = 0; i < GIG_HEAD_PARTS; i++)
            if (parts[i]) gig_text_add(out, i ? ", %s" : " %s", parts[i]);
        if (n) gig_text_add(out, " (n = %zu)", n);
        gig_text_add(out, " |");
    }
    gig_text_add(out, "\n|---|");
    for (size_t c = 0; c < table->column_count; c++) gig_text_add(out, "---|");
    gig_text_add(out, "\n");
}

static void add_markdown_cell(gig_text *out, const gig_table *table, size_t row, size_t column, int differences)
{
    const gig_table_entry *entry = gig_table_at(table, row, column);
    const gig_interval *number = shown(table, row, column, differences);
    if (isnan(number->mean)) {
        gig_text_add(out, " – |");
        return;
    }
    const char *bold = entry->bold && !differences ? "**" : "";
    gig_text_add(out, " %s", bold);
    gig_table_add_value(out, table, number->mean, "–");
    gig_text_add(out, "%s%s", bold, entry->star && !differences ? "*" : "");
    gig_table_add_bounds(out, table, number);
    if (gig_table_shows_mean(table) && !differences) {
        gig_text_add(out, ", mean ");
        gig_table_add_value(out, table, entry->mean.mean, "–");
    }
    if (!differences) gig_table_add_spread(out, table, entry, ", ");
    if (!common_n(table, column, differences)) gig_text_add(out, " (n = %zu)", number->n);
    gig_text_add(out, " |");
}

static void add_markdown_table(gig_text *out, const gig_table *table, int differences)
{
    add_markdown_head(out, table, differences);
    for (size_t r = 0; r < table->row_count; r++) {
        if (differences && r == table->against) continue;
        gig_text_add(out, "| %s |", table->rows[r].method);
        for (size_t c = 0; c < table->column_count; c++) add_markdown_cell(out, table, r, c, differences);
        gig_text_add(out, "\n");
    }
}

static void write_markdown(gig_text *out, const gig_table *table)
{
    add_markdown_table(out, table, 0);
    gig_text_add(out, "\n");
    gig_table_add_meaning(out, table);
    gig_table_add_marks(out, table, "Bold");
    gig_text_add(out, "\n");
    if (!gig_table_compares(table)) return;
    gig_text_add(out, "\n");
    gig_table_add_comparison(out, table);
    gig_text_add(out, ":\n\n");
    add_markdown_table(out, table, 1);
}

void gig_table_write(gig_text *out, const gig_table *table)
{
    switch (table->options.format) {
    case GIG_TABLE_MARKDOWN: write_markdown(out, table); break;
    case GIG_TABLE_CSV: gig_table_write_csv(out, table); break;
    case GIG_TABLE_LATEX: gig_table_write_latex(out, table); break;
    case GIG_TABLE_JSON: gig_table_write_json(out, table); break;
    }
}
