/* SPDX-License-Identifier: Apache-2.0 */
/* A table as LaTeX, with booktabs. */
#include "work/report/table_text.h"
#include <math.h>
#include <string.h>

static void add_latex(gig_text *out, const char *text)
{
    for (const char *c = text; *c; c++)
        if (strchr("&%$#_{}", *c))
            gig_text_add(out, "\\%c", *c);
        else
            gig_text_add(out, *c == '~' || *c == '^' || *c == '\\' ? " " : "%c", *c);
}

static void begin_latex(gig_text *out, const gig_table *table)
{
    gig_text_add(out, "\\begin{tabular}{l");
    for (size_t c = 0; c < table->column_count; c++) gig_text_add(out, "c");
    gig_text_add(out, "}\n\\toprule\nMethod");
    for (size_t c = 0; c < table->column_count; c++) {
        const char *parts[GIG_HEAD_PARTS];
        gig_table_head(parts, table, &table->columns[c]);
        for (int i = 0; i < GIG_HEAD_PARTS; i++) {
            if (parts[i]) gig_text_add(out, i ? ", " : " & ");
            if (parts[i]) add_latex(out, parts[i]);
        }
    }
    gig_text_add(out, " \\\\\n\\midrule\n");
}

static void add_latex_row(gig_text *out, const gig_table *table, size_t row, int differences)
{
    add_latex(out, table->rows[row].method);
    for (size_t c = 0; c < table->column_count; c++) {
        const gig_table_entry *entry = gig_table_at(table, row, c);
        const gig_interval *shown = differences ? &entry->difference : &entry->value;
        int bold = entry->bold && !differences, star = entry->star && !differences;
        gig_text_add(out, bold ? " & \\textbf{" : " & ");
        gig_table_add_value(out, table, shown->mean, "--");
        gig_text_add(out, "%s%s", bold ? "}" : "", star ? "$^*$" : "");
        if (isnan(shown->mean)) continue;
        gig_text_add(out, " {\\scriptsize");
        gig_table_add_bounds(out, table, shown);
        if (gig_table_shows_mean(table) && !differences) {
            gig_text_add(out, " mean ");
            gig_table_add_value(out, table, entry->mean.mean, "--");
        }
        if (!differences) gig_table_add_spread(out, table, entry, " ");
        gig_text_add(out, " %zu}", shown->n);
    }
    gig_text_add(out, " \\\\\n");
}

/* The table; with `differences`, those from the row compared with. */
static void add_latex_table(gig_text *out, const gig_table *table, int differences)
{
    const gig_table_row *last = NULL;
    begin_latex(out, table);
    for (size_t r = 0; r < table->row_count; r++) {
        if (differences && r == table->against) continue;
        if (last && table->rows[r].group != last->group) gig_text_add(out, "\\midrule\n");
        add_latex_row(out, table, r, differences);
        last = &table->rows[r];
    }
    gig_text_add(out, "\\bottomrule\n\\end{tabular}\n%% ");
}

void gig_table_write_latex(gig_text *out, const gig_table *table)
{
    add_latex_table(out, table, 0);
    gig_table_add_meaning(out, table);
    gig_table_add_marks(out, table, "Bold");
    gig_text_add(out, "\n");
    if (!gig_table_compares(table)) return;
    gig_text_add(out, "\n");
    add_latex_table(out, table, 1);
    gig_table_add_comparison(out, table);
    gig_text_add(out, ".\n");
}
