/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of a store gathered into rows and columns. */
#include "work/report/table.h"
#include "base/memory.h"
#include "base/status.h"
#include "gig/saliency.h"
#include "internal/metric.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- freeing ---- */

static void clear_entry(gig_table_entry *entry)
{
    for (size_t i = 0; i < entry->count; i++) gig_free(entry->curves[i]);
    gig_free(entry->subjects);
    gig_free(entry->values);
    gig_free(entry->spreads);
    gig_free(entry->curves);
}

static void clear_column(gig_table_column *column)
{
    gig_free(column->collection);
    gig_free(column->model);
    gig_free(column->scalar);
    gig_free(column->precision);
    gig_free(column->metric);
    gig_free(column->baseline);
}

void gig_table_free(gig_table *table)
{
    if (!table) return;
    for (size_t i = 0; table->entries && i < table->filled_count * table->column_count; i++)
        clear_entry(&table->entries[i]);
    for (size_t i = 0; i < table->known_count; i++) gig_free(table->rows[i].method);
    for (size_t i = 0; i < table->column_count; i++) clear_column(&table->columns[i]);
    gig_texts_clear(&table->elsewhere);
    gig_free(table->rows);
    gig_free(table->columns);
    gig_free(table->entries);
    gig_free(table);
}

/* ---- which rows and columns there are ---- */

static gig_table_group group_of(const char *method)
{
    gig_method parsed;
    if (gig_method_parse(&parsed, method, NULL) != GIG_OK) return GIG_GROUP_PLAIN;
    if (parsed.xrai) return GIG_GROUP_XRAI;
    if (parsed.smooth) return GIG_GROUP_SMOOTH;
    return parsed.row->traits & GIG_METHOD_LAYER ? GIG_GROUP_CAM : GIG_GROUP_PLAIN;
}

/* Whether two metrics are the same but for this option. */
static int same_but(const char *option, const char *a, const char *b)
{
    gig_metric first, second;
    if (gig_metric_parse(&first, a) != GIG_OK || gig_metric_parse(&second, b) != GIG_OK) return 0;
    if (first.row != second.row) return 0;
    for (size_t i = 0; i < first.row->option_count; i++)
        if (strcmp(first.row->options[i].name, option) && first.values[i] != second.values[i]) return 0;
    return 1;
}

static int has_metric(const gig_table *table, const gig_score_row *row)
{
    return table->any ? same_but(table->any, row->metric, table->metric) : !strcmp(row->metric, table->metric);
}

static int wants(const gig_table *table, const gig_score_row *row)
{
    int without = !strcmp(row->baseline, "none");
    if (!has_metric(table, row)) return 0;
    if (table->by_baseline) return without || !strchr(row->baseline, '#');
    return without || !strcmp(row->baseline, table->options.baseline);
}

/* Imported from an export in CSV, which has no curves: such a score can be in no table or plot of curves. */
static int lacks_curve(const gig_table *table, const gig_score_row *row)
{
    return table->keeps_curves && !isnan(row->value) && row->curve_count < 4;
}

static int same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static size_t find_row(const gig_table *table, const char *method)
{
    size_t i = 0;
    while (i < table->row_count && strcmp(table->rows[i].method, method)) i++;
    return i;
}

int gig_table_is_in(const gig_table_column *column, const gig_score_row *row)
{
    return !strcmp(column->collection, row->collection) && !strcmp(column->model, row->model) &&
           !strcmp(column->scalar, row->scalar) && !strcmp(column->precision, row->precision) &&
           !strcmp(column->metric, row->metric);
}

static size_t find_column(const gig_table *table, const gig_score_row *row, const char *baseline)
{
    size_t i = 0;
    while (i < table->column_count &&
           !(gig_table_is_in(&table->columns[i], row) && same(table->columns[i].baseline, baseline)))
        i++;
    return i;
}

void gig_table_head(const char *parts[GIG_HEAD_PARTS], const gig_table *table, const gig_table_column *column)
{
    const char *const all[GIG_HEAD_PARTS] = {column->collection,
                                             column->model,
                                             column->baseline,
                                             table->many_scalars ? column->scalar : NULL,
                                             table->many_precisions ? column->precision : NULL,
                                             table->many_metrics ? column->metric : NULL};
    memcpy(parts, all, sizeof all);
}

static gig_status add_row(gig_table *table, const char *method)
{
    void *rows = table->rows;
    if (find_row(table, method) < table->row_count) return GIG_OK;
    gig_status status = gig_grow(&rows, &table->row_capacity, table->row_count + 1, sizeof *table->rows);
    table->rows = rows;
    if (status != GIG_OK) return status;
    table->rows[table->row_count++] = (gig_table_row){gig_strdup(method), group_of(method), 0};
    table->known_count = table->row_count;
    return table->rows[table->row_count - 1].method ? GIG_OK : gig_alloc_status();
}

static gig_status add_column(gig_table *table, const gig_score_row *row, const char *baseline)
{
    void *columns = table->columns;
    if (find_column(table, row, baseline) < table->column_count) return GIG_OK;
    gig_status status = gig_grow(&columns, &table->column_capacity, table->column_count + 1, sizeof *table->columns);
    table->columns = columns;
    if (status != GIG_OK) return status;
    gig_table_column *column = &table->columns[table->column_count++];
    *column = (gig_table_column){.collection = gig_strdup(row->collection),
                                 .model = gig_strdup(row->model),
                                 .scalar = gig_strdup(row->scalar),
                                 .precision = gig_strdup(row->precision),
                                 .metric = gig_strdup(row->metric),
                                 .baseline = baseline ? gig_strdup(baseline) : NULL};
    if (!column->collection || !column->model || !column->scalar || !column->precision || !column->metric ||
        (baseline && !column->baseline))
        return gig_alloc_status();
    table->many_scalars |= strcmp(column->scalar, table->columns->scalar) != 0;
    table->many_precisions |= strcmp(column->precision, table->columns->precision) != 0;
    table->many_metrics |= strcmp(column->metric, table->columns->metric) != 0;
    return GIG_OK;
}

/* A method whose score is defined on no picture has no row. */
static gig_status see_method(void *payload, const gig_score_row *row)
{
    gig_table *table = payload;
    if (!wants(table, row)) return GIG_OK;
    if (!isnan(row->value)) return add_row(table, row->method);
    if (!table->undefined++) snprintf(table->note, sizeof table->note, "%s", row->note);
    return GIG_OK;
}

/* Once the rows are known: a method that has scores, but none in this table, because its baseline differs. */
static gig_status see_elsewhere(gig_table *table, const gig_score_row *row)
{
    char text[GIG_METHOD_NAME_BYTES + GIG_BASELINE_NAME_BYTES + sizeof " ()"];
    if (table->options.methods || strchr(row->baseline, '#') || find_row(table, row->method) < table->row_count)
        return GIG_OK;
    snprintf(text, sizeof text, "%s (%s)", row->method, row->baseline);
    return gig_texts_have(&table->elsewhere, text) ? GIG_OK : gig_texts_add(&table->elsewhere, text);
}

/* Once the rows are known. */
static gig_status see_column(void *payload, const gig_score_row *row)
{
    gig_table *table = payload;
    if (isnan(row->value) || !has_metric(table, row)) return GIG_OK;
    if (!wants(table, row)) return see_elsewhere(table, row);
    if (find_row(table, row->method) == table->row_count) return GIG_OK;
    if (lacks_curve(table, row)) return table->curveless++, GIG_OK;
    if (table->by_baseline && !strcmp(row->baseline, "none")) return GIG_OK; /* it is part of every column */
    return add_column(table, row, table->by_baseline ? row->baseline : NULL);
}

static int comes_after(const gig_table_row *a, const gig_table_row *b)
{
    return a->group != b->group ? a->group > b->group : a->place > b->place;
}

/* By group, then in the requested order, else in the study's. */
static void sort_rows(gig_table *table)
{
    for (size_t i = 1; i < table->row_count; i++) {
        gig_table_row row = table->rows[i];
        size_t k = i;
        for (; k > 0 && comes_after(&table->rows[k - 1], &row); k--) table->rows[k] = table->rows[k - 1];
        table->rows[k] = row;
    }
}

/* ---- filling in ---- */

static gig_status sample(double **out, const gig_score_row *row)
{
    size_t count = row->curve_count / 2;
    double *copy = gig_alloc(2 * count, sizeof *copy);
    *out = gig_alloc(GIG_TABLE_INTERVALS + 1, sizeof **out);
    gig_status status = copy && *out ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) {
        memcpy(copy, row->curve, 2 * count * sizeof *copy);
        const gig_points points = {count, copy, copy + count};
        status = gig_points_sample(*out, GIG_TABLE_INTERVALS, &points);
    }
    gig_free(copy);
    if (status != GIG_OK) {
        gig_free(*out);
        *out = NULL;
    }
    return status;
}

static gig_status grow_entry(gig_table_entry *entry)
{
    if (entry->count < entry->capacity) return GIG_OK;
    size_t capacities[4] = {entry->capacity, entry->capacity, entry->capacity, entry->capacity};
    void *subjects = entry->subjects, *values = entry->values, *curves = entry->curves, *spreads = entry->spreads;
    gig_status status = gig_grow(&subjects, &capacities[0], entry->count + 1, sizeof *entry->subjects);
    entry->subjects = subjects;
    if (status == GIG_OK) status = gig_grow(&values, &capacities[1], entry->count + 1, sizeof *entry->values);
    entry->values = values;
    if (status == GIG_OK) status = gig_grow(&curves, &capacities[2], entry->count + 1, sizeof *entry->curves);
    entry->curves = curves;
    if (status == GIG_OK) status = gig_grow(&spreads, &capacities[3], entry->count + 1, sizeof *entry->spreads);
    entry->spreads = spreads;
    if (status == GIG_OK) entry->capacity = capacities[0];
    return status;
}

double gig_table_value(const gig_table_entry *entry, const gig_table_picture *of)
{
    for (size_t i = 0; i < entry->count; i++)
        if (gig_table_same(&entry->subjects[i], of)) return entry->values[i];
    return NAN;
}

static gig_status add_value(const gig_table *table, gig_table_entry *entry, const gig_score_row *row)
{
    const gig_table_picture subject = {row->picture_id, row->target};
    for (size_t i = 0; i < entry->count; i++)
        if (gig_table_same(&entry->subjects[i], &subject)) return GIG_OK; /* of another seed: the first one is used */
    GIG_TRY(grow_entry(entry));
    double *curve = NULL;
    if (table->keeps_curves && !isnan(row->value)) GIG_TRY(sample(&curve, row));
    entry->subjects[entry->count] = subject;
    entry->values[entry->count] = row->value;
    entry->spreads[entry->count] = gig_metric_spread_in(row->note);
    entry->curves[entry->count++] = curve;
    return GIG_OK;
}

static gig_status fill(void *payload, const gig_score_row *row)
{
    gig_table *table = payload;
    if (!wants(table, row) || lacks_curve(table, row)) return GIG_OK;
    size_t r = 0;
    while (r < table->filled_count && strcmp(table->rows[r].method, row->method)) r++;
    if (r == table->filled_count) return GIG_OK;
    int everywhere = table->by_baseline && !strcmp(row->baseline, "none");
    for (size_t c = 0; c < table->column_count; c++) {
        const gig_table_column *column = &table->columns[c];
        if (!gig_table_is_in(column, row)) continue;
        if (table->by_baseline && !everywhere && strcmp(column->baseline, row->baseline)) continue;
        GIG_TRY(add_value(table, gig_table_at(table, r, c), row));
    }
    return GIG_OK;
}

/* ---- all of it ---- */

/* The option whose value is left open: the paths of table 1, the draws of table 4. NULL: all are as the metric's name
 * says. */
static const char *option_left_open(const gig_table_options *options, const gig_metric *metric)
{
    const char *given = options->metric;
    if (options->like == GIG_TABLE_PAPER1 && !given) return "paths";
    if (options->like != GIG_TABLE_PAPER4 || !(metric->row->traits & GIG_METRIC_MEDIAN_CURVE)) return NULL;
    return given && strstr(given, "/draws=") ? NULL : "draws";
}

static gig_status set_options(gig_table *table, const gig_table_options *options)
{
    static const char *const metrics[] = {"auc", "closed", "auc", "auc", "sic"};
    gig_metric metric;
    table->options = options ? *options : (gig_table_options)GIG_TABLE_OPTIONS_INIT;
    if ((unsigned)table->options.like > GIG_TABLE_PAPER4) return gig_fail(GIG_EARG, "there is no such table");
    GIG_TRY(gig_metric_parse(&metric, table->options.metric ? table->options.metric : metrics[table->options.like]));
    gig_metric_name(table->metric, sizeof table->metric, &metric);
    table->row = metric.row;
    table->reduction = gig_metric_reduction(&metric);
    if (table->options.methods) GIG_TRY(gig_table_check_methods(table->options.methods));
    table->any = option_left_open(&table->options, &metric);
    table->of_curves = (metric.row->traits & GIG_METRIC_MEDIAN_CURVE) != 0;
    table->keeps_curves = table->of_curves || (table->keeps_curves && metric.row->x_label);
    table->smaller_is_better = (metric.row->traits & GIG_METRIC_LESS_IS_BETTER) != 0;
    table->by_baseline = table->options.like == GIG_TABLE_PAPER3 && !table->options.baseline;
    if (!table->options.baseline)
        table->options.baseline = table->options.like == GIG_TABLE_PAPER4 ? "black+white" : "black";
    GIG_TRY(gig_baseline_name(table->baseline, table->options.baseline));
    table->options.baseline = table->baseline;
    return GIG_OK;
}

static gig_status see(gig_table *table, gig_store *store, const char *metric)
{
    GIG_TRY(gig_store_each_score(store, metric, see_method, table));
    if (table->options.methods) gig_table_choose_methods(table);
    GIG_TRY(gig_store_each_score(store, metric, see_column, table));
    if (table->known_count && !table->row_count) return gig_table_fail_row(table, table->options.methods);
    if (table->row_count && table->column_count) return GIG_OK;
    const char *baseline = table->by_baseline ? "any" : table->options.baseline;
    if (table->undefined && !table->row_count)
        return gig_fail(GIG_EARG, "none of %zu scores \"%s\" with baseline %s has a value: %s", table->undefined,
                        table->metric, baseline, table->note);
    if (table->curveless)
        return gig_fail(
            GIG_EARG,
            "none of %zu scores \"%s\" with baseline %s has a curve: they were taken from an export in CSV, "
            "which has no curves; take the store itself",
            table->curveless, table->metric, baseline);
    return gig_fail(GIG_EARG, "the store has no scores \"%s\" with baseline %s", table->metric, baseline);
}

static gig_status build(gig_table *table, gig_store *store, const gig_table_options *options)
{
    GIG_TRY(set_options(table, options));
    const char *metric = table->any ? NULL : table->metric;
    GIG_TRY(see(table, store, metric));
    sort_rows(table);
    GIG_TRY(gig_table_choose_reference(table, table->options.against));
    table->entries = gig_alloc_zero(table->filled_count * table->column_count, sizeof *table->entries);
    if (!table->entries) return gig_alloc_status();
    GIG_TRY(gig_store_each_score(store, metric, fill, table));
    GIG_TRY(gig_table_measure(table));
    gig_table_mark(table);
    return GIG_OK;
}

gig_status gig_table_create(gig_table **out, gig_store *store, const gig_table_options *options, int keep_curves)
{
    *out = NULL;
    gig_table *table = gig_alloc_zero(1, sizeof *table);
    if (!table) return gig_alloc_status();
    table->keeps_curves = keep_curves;
    gig_status status = build(table, store, options);
    if (status == GIG_OK)
        *out = table;
    else
        gig_table_free(table);
    return status;
}
