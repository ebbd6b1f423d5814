/* A table as Markdown, CSV, LaTeX or JSON. */
#include "gig/metric.h"
#include "work/table.h"
#include <math.h>
#include <string.h>

static const char *const group_names[] = {"", "", "SmoothGrad", "XRAI"};

/* Three decimals, as the paper has them; squared errors, which are tiny, with four significant digits. */
static void add_value(gig_text *out, const gig_table *table, double value, const char *none)
{
    gig_metric metric;
    int tiny = gig_metric_parse(&metric, table->metric) == GIG_OK && metric.kind == GIG_METRIC_CLOSED;
    if (tiny || !(fabs(value) < 1e6)) {
        gig_text_add_number(out, value, 4, none);
        return;
    }
    long long thousandths = llround(fabs(value) * 1000);
    gig_text_add(out, "%s%lld.%03lld", value < 0 && thousandths ? "-" : "", thousandths / 1000, thousandths % 1000);
}

/* n where every entry of the column has it, else 0. */
static size_t common_n(const gig_table *table, size_t column)
{
    size_t n = gig_table_at(table, 0, column)->value.n;
    for (size_t r = 1; r < table->row_count; r++)
        if (gig_table_at(table, r, column)->value.n != n) return 0;
    return n;
}

static void add_bounds(gig_text *out, const gig_table *table, const gig_interval *interval)
{
    if (isnan(interval->mean)) return;
    gig_text_add(out, " [");
    add_value(out, table, interval->low, "");
    gig_text_add(out, ", ");
    add_value(out, table, interval->high, "");
    gig_text_add(out, "]");
}

/* ---- what the numbers mean ---- */

static void add_meaning(gig_text *out, const gig_table *table)
{
    gig_metric metric;
    gig_text_add(out, "%s", table->metric);
    if (table->of_curves)
        gig_text_add(out, ": area of the %s curve over pictures", table->options.mean ? "mean" : "median");
    if (gig_metric_parse(&metric, table->metric) == GIG_OK && metric.kind <= GIG_METRIC_DELETION)
        gig_text_add(out, ", channels reduced by %s", gig_reduction_name(metric.reduction));
    gig_text_add(out, "; of %s%s, precision %s", table->scalar, table->mixed ? " (and others)" : "", table->precision);
    if (!table->by_baseline) gig_text_add(out, ", baseline %s", table->options.baseline);
    gig_text_add(out,
                 "; [ ] 95 %% bootstrap interval over pictures; n pictures. Methods: 200 steps, fraction 0.1 of all, "
                 "rule midpoint (ig), right (blur-ig), left (gig), unless named.");
}

static void add_marks_meaning(gig_text *out, const gig_table *table, const char *bold)
{
    const char *best = table->smaller_is_better ? "smallest" : "largest";
    switch (table->options.like) {
    case GIG_TABLE_PLAIN:
    case GIG_TABLE_PAPER2: gig_text_add(out, " %s: %s of its group; *: of its column.", bold, best); break;
    case GIG_TABLE_PAPER3: gig_text_add(out, " %s: %s of its column; *: of its data set.", bold, best); break;
    default: gig_text_add(out, " %s: %s of its column.", bold, best); break;
    }
    gig_listed_add_missing(out, table);
}

static int compares(const gig_table *table)
{
    return table->against < table->row_count && table->row_count > 1;
}

static void add_comparison(gig_text *out, const gig_table *table)
{
    gig_text_add(out, "Paired differences from %s%s", table->rows[table->against].method,
                 table->of_curves ? " (of single pictures' areas)" : "");
}

/* ---- Markdown ---- */

static void add_markdown_head(gig_text *out, const gig_table *table, const char *first)
{
    gig_text_add(out, "| %s |", first);
    for (size_t c = 0; c < table->column_count; c++) {
        const gig_table_column *column = &table->columns[c];
        size_t n = common_n(table, c);
        gig_text_add(out, " %s, %s%s%s", column->collection, column->model, column->baseline ? ", " : "",
                     column->baseline ? column->baseline : "");
        if (n) gig_text_add(out, " (n = %zu)", n);
        gig_text_add(out, " |");
    }
    gig_text_add(out, "\n|---|");
    for (size_t c = 0; c < table->column_count; c++) gig_text_add(out, "---|");
    gig_text_add(out, "\n");
}

static void add_markdown_entry(gig_text *out, const gig_table *table, size_t row, size_t column)
{
    const gig_table_entry *entry = gig_table_at(table, row, column);
    gig_text_add(out, entry->bold && !isnan(entry->value.mean) ? " **" : " ");
    add_value(out, table, entry->value.mean, "–");
    gig_text_add(out, entry->bold && !isnan(entry->value.mean) ? "**" : "");
    gig_text_add(out, entry->star ? "*" : "");
    add_bounds(out, table, &entry->value);
    if (table->of_curves && !isnan(entry->mean.mean)) {
        gig_text_add(out, ", mean ");
        add_value(out, table, entry->mean.mean, "–");
    }
    if (!common_n(table, column)) gig_text_add(out, " (n = %zu)", entry->value.n);
    gig_text_add(out, " |");
}

static void write_markdown(gig_text *out, const gig_table *table)
{
    add_markdown_head(out, table, "method");
    for (size_t r = 0; r < table->row_count; r++) {
        gig_text_add(out, "| %s |", table->rows[r].method);
        for (size_t c = 0; c < table->column_count; c++) add_markdown_entry(out, table, r, c);
        gig_text_add(out, "\n");
    }
    gig_text_add(out, "\n");
    add_meaning(out, table);
    add_marks_meaning(out, table, "Bold");
    gig_text_add(out, "\n");
    if (!compares(table)) return;
    gig_text_add(out, "\n");
    add_comparison(out, table);
    gig_text_add(out, ":\n\n");
    add_markdown_head(out, table, "method");
    for (size_t r = 0; r < table->row_count; r++) {
        if (r == table->against) continue;
        gig_text_add(out, "| %s |", table->rows[r].method);
        for (size_t c = 0; c < table->column_count; c++) {
            const gig_interval *difference = &gig_table_at(table, r, c)->difference;
            gig_text_add(out, " ");
            add_value(out, table, difference->mean, "–");
            add_bounds(out, table, difference);
            gig_text_add(out, " |");
        }
        gig_text_add(out, "\n");
    }
}

/* ---- CSV and JSON: one record per entry ---- */

static const char *const number_names[] = {"value",          "low", "high", "mean", "difference", "difference_low",
                                           "difference_high"};

static void list_numbers(double numbers[7], const gig_table_entry *entry)
{
    const double all[] = {entry->value.mean,      entry->value.low,      entry->value.high,     entry->mean.mean,
                          entry->difference.mean, entry->difference.low, entry->difference.high};
    memcpy(numbers, all, sizeof all);
}

static void write_csv(gig_text *out, const gig_table *table)
{
    gig_text_add(out, "method,group,set,model,baseline,metric,n");
    for (int i = 0; i < 7; i++) gig_text_add(out, ",%s", number_names[i]);
    gig_text_add(out, ",bold,star\r\n");
    for (size_t r = 0; r < table->row_count; r++)
        for (size_t c = 0; c < table->column_count; c++) {
            const gig_table_entry *entry = gig_table_at(table, r, c);
            const gig_table_column *column = &table->columns[c];
            const char *texts[] = {table->rows[r].method,
                                   group_names[table->rows[r].group],
                                   column->collection,
                                   column->model,
                                   column->baseline ? column->baseline : table->options.baseline,
                                   table->metric};
            double numbers[7];
            list_numbers(numbers, entry);
            for (int i = 0; i < 6; i++) {
                gig_text_add_csv(out, texts[i]);
                gig_text_add(out, ",");
            }
            gig_text_add(out, "%zu", entry->value.n);
            for (int i = 0; i < 7; i++) {
                gig_text_add(out, ",");
                gig_text_add_number(out, numbers[i], 9, "");
            }
            gig_text_add(out, ",%d,%d\r\n", entry->bold, entry->star);
        }
}

static void add_json_text(gig_text *out, const char *key, const char *value)
{
    gig_text_add(out, "\"%s\": ", key);
    gig_text_add_json(out, value);
    gig_text_add(out, ", ");
}

static void write_json(gig_text *out, const gig_table *table)
{
    gig_text meaning = {0};
    char *text;
    add_meaning(&meaning, table);
    if (gig_text_take(&text, &meaning) != GIG_OK) {
        out->status = GIG_ENOMEM;
        return;
    }
    gig_text_add(out, "{");
    add_json_text(out, "meaning", text);
    gig_text_free(text);
    gig_text_add(out, "\"entries\": [");
    for (size_t r = 0; r < table->row_count; r++)
        for (size_t c = 0; c < table->column_count; c++) {
            const gig_table_entry *entry = gig_table_at(table, r, c);
            const gig_table_column *column = &table->columns[c];
            double numbers[7];
            list_numbers(numbers, entry);
            gig_text_add(out, r + c ? ",\n {" : "\n {");
            add_json_text(out, "method", table->rows[r].method);
            add_json_text(out, "group", group_names[table->rows[r].group]);
            add_json_text(out, "set", column->collection);
            add_json_text(out, "model", column->model);
            add_json_text(out, "baseline", column->baseline ? column->baseline : table->options.baseline);
            add_json_text(out, "metric", table->metric);
            gig_text_add(out, "\"n\": %zu", entry->value.n);
            for (int i = 0; i < 7; i++) {
                gig_text_add(out, ", \"%s\": ", number_names[i]);
                gig_text_add_number(out, numbers[i], 17, "null");
            }
            gig_text_add(out, ", \"bold\": %s, \"star\": %s}", entry->bold ? "true" : "false",
                         entry->star ? "true" : "false");
        }
    gig_text_add(out, "]}\n");
}

/* ---- LaTeX ---- */

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
        gig_text_add(out, " & ");
        add_latex(out, table->columns[c].collection);
        gig_text_add(out, ", ");
        add_latex(out, table->columns[c].model);
        if (table->columns[c].baseline) gig_text_add(out, ", ");
        if (table->columns[c].baseline) add_latex(out, table->columns[c].baseline);
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
        add_value(out, table, shown->mean, "--");
        gig_text_add(out, "%s%s", bold ? "}" : "", star ? "$^*$" : "");
        if (isnan(shown->mean)) continue;
        gig_text_add(out, " {\\scriptsize");
        add_bounds(out, table, shown);
        if (table->of_curves && !differences) {
            gig_text_add(out, " mean ");
            add_value(out, table, entry->mean.mean, "--");
        }
        gig_text_add(out, " %zu}", shown->n);
    }
    gig_text_add(out, " \\\\\n");
}

/* The table; with `differences`, those from the row compared with. */
static void add_latex_table(gig_text *out, const gig_table *table, int differences)
{
    begin_latex(out, table);
    for (size_t r = 0; r < table->row_count; r++) {
        if (r && table->rows[r].group != table->rows[r - 1].group) gig_text_add(out, "\\midrule\n");
        if (!differences || r != table->against) add_latex_row(out, table, r, differences);
    }
    gig_text_add(out, "\\bottomrule\n\\end{tabular}\n%% ");
}

static void write_latex(gig_text *out, const gig_table *table)
{
    add_latex_table(out, table, 0);
    add_meaning(out, table);
    add_marks_meaning(out, table, "Bold");
    gig_text_add(out, "\n");
    if (!compares(table)) return;
    gig_text_add(out, "\n");
    add_latex_table(out, table, 1);
    add_comparison(out, table);
    gig_text_add(out, ".\n");
}

void gig_table_write(gig_text *out, const gig_table *table)
{
    switch (table->options.format) {
    case GIG_TABLE_MARKDOWN: write_markdown(out, table); break;
    case GIG_TABLE_CSV: write_csv(out, table); break;
    case GIG_TABLE_LATEX: write_latex(out, table); break;
    case GIG_TABLE_JSON: write_json(out, table); break;
    }
}
