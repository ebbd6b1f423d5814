/* Scores of a store gathered into rows and columns, with intervals, differences and marks. */
#include "work/table.h"
#include "base/memory.h"
#include "base/status.h"
#include "gig/metric.h"
#include "gig/saliency.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- freeing ---- */

static void clear_entry(gig_table_entry *entry)
{
    for (size_t i = 0; i < entry->count; i++) {
        gig_free(entry->pictures[i]);
        gig_free(entry->curves[i]);
    }
    gig_free(entry->pictures);
    gig_free(entry->values);
    gig_free(entry->curves);
}

void gig_table_free(gig_table *table)
{
    if (!table) return;
    for (size_t i = 0; table->entries && i < table->row_count * table->column_count; i++)
        clear_entry(&table->entries[i]);
    for (size_t i = 0; i < table->row_count; i++) gig_free(table->rows[i].method);
    for (size_t i = 0; i < table->column_count; i++) {
        gig_free(table->columns[i].collection);
        gig_free(table->columns[i].model);
        gig_free(table->columns[i].baseline);
    }
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
    return parsed.base == GIG_BASE_GRAD_CAM ? GIG_GROUP_CAM : GIG_GROUP_PLAIN;
}

/* Whether two metrics are the same but for the number of paths. */
static int same_but_paths(const char *a, const char *b)
{
    gig_metric first, second;
    if (gig_metric_parse(&first, a) != GIG_OK || gig_metric_parse(&second, b) != GIG_OK) return 0;
    return first.kind == second.kind && first.pictures == second.pictures;
}

/* Which of "a,b,...", which may be written in any way, a canonical name is: counted from 1; 0: none. */
static gig_status find_listed(size_t *found, const char *methods, const char *name)
{
    *found = 0;
    for (size_t at = 1; *methods; at++) {
        size_t length = strcspn(methods, ",");
        char text[GIG_METHOD_NAME_BYTES], canonical[GIG_METHOD_NAME_BYTES];
        gig_method method;
        snprintf(text, sizeof text, "%.*s", (int)length, methods);
        GIG_TRY(gig_method_parse(&method, text, NULL));
        if (!*found && !strcmp(gig_method_name(canonical, sizeof canonical, &method), name)) *found = at;
        methods += length + (methods[length] == ',');
    }
    return GIG_OK;
}

static size_t place_in_list(const char *methods, const char *name)
{
    size_t found;
    return find_listed(&found, methods, name) == GIG_OK ? found : 0;
}

static int wants(const gig_table *table, const gig_score_row *row)
{
    int without = !strcmp(row->baseline, "none");
    if (table->any_paths ? !same_but_paths(row->metric, table->metric) : strcmp(row->metric, table->metric)) return 0;
    if (table->options.methods && !place_in_list(table->options.methods, row->method)) return 0;
    if (table->by_baseline) return without || !strchr(row->baseline, '#');
    return without || !strcmp(row->baseline, table->options.baseline);
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

static size_t find_column(const gig_table *table, const gig_score_row *row, const char *baseline)
{
    size_t i = 0;
    while (i < table->column_count &&
           !(!strcmp(table->columns[i].collection, row->collection) && !strcmp(table->columns[i].model, row->model) &&
             same(table->columns[i].baseline, baseline)))
        i++;
    return i;
}

static gig_status add_row(gig_table *table, const char *method)
{
    void *rows = table->rows;
    if (find_row(table, method) < table->row_count) return GIG_OK;
    gig_status status = gig_grow(&rows, &table->row_capacity, table->row_count + 1, sizeof *table->rows);
    table->rows = rows;
    if (status != GIG_OK) return status;
    const char *list = table->options.methods;
    table->rows[table->row_count] =
        (gig_table_row){gig_strdup(method), group_of(method), list ? place_in_list(list, method) : 0};
    return table->rows[table->row_count++].method ? GIG_OK : gig_alloc_status();
}

static gig_status add_column(gig_table *table, const gig_score_row *row, const char *baseline)
{
    void *columns = table->columns;
    if (find_column(table, row, baseline) < table->column_count) return GIG_OK;
    gig_status status = gig_grow(&columns, &table->column_capacity, table->column_count + 1, sizeof *table->columns);
    table->columns = columns;
    if (status != GIG_OK) return status;
    gig_table_column *column = &table->columns[table->column_count++];
    *column =
        (gig_table_column){gig_strdup(row->collection), gig_strdup(row->model), baseline ? gig_strdup(baseline) : NULL};
    return column->collection && column->model && (!baseline || column->baseline) ? GIG_OK : gig_alloc_status();
}

/* A method whose score is defined on no picture has no row. */
static gig_status see(void *payload, const gig_score_row *row)
{
    gig_table *table = payload;
    if (!wants(table, row) || isnan(row->value)) return GIG_OK;
    if (table->scalar[0] && (strcmp(table->scalar, row->scalar) || strcmp(table->precision, row->precision)))
        table->mixed = 1;
    snprintf(table->scalar, sizeof table->scalar, "%s", row->scalar);
    snprintf(table->precision, sizeof table->precision, "%s", row->precision);
    GIG_TRY(add_row(table, row->method));
    if (table->by_baseline && !strcmp(row->baseline, "none")) return GIG_OK; /* it comes into every column */
    return add_column(table, row, table->by_baseline ? row->baseline : NULL);
}

static int comes_after(const gig_table_row *a, const gig_table_row *b)
{
    return a->group != b->group ? a->group > b->group : a->place > b->place;
}

/* By group, then in the order that was asked for, else that of the study. */
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
    size_t capacities[3] = {entry->capacity, entry->capacity, entry->capacity};
    void *pictures = entry->pictures, *values = entry->values, *curves = entry->curves;
    gig_status status = gig_grow(&pictures, &capacities[0], entry->count + 1, sizeof *entry->pictures);
    entry->pictures = pictures;
    if (status == GIG_OK) status = gig_grow(&values, &capacities[1], entry->count + 1, sizeof *entry->values);
    entry->values = values;
    if (status == GIG_OK) status = gig_grow(&curves, &capacities[2], entry->count + 1, sizeof *entry->curves);
    entry->curves = curves;
    if (status == GIG_OK) entry->capacity = capacities[0];
    return status;
}

static gig_status add_value(const gig_table *table, gig_table_entry *entry, const gig_score_row *row)
{
    for (size_t i = 0; i < entry->count; i++)
        if (!strcmp(entry->pictures[i], row->picture)) return GIG_OK; /* another seed or scalar: the first counts */
    GIG_TRY(grow_entry(entry));
    double *curve = NULL;
    if (table->keeps_curves && row->curve_count >= 4 && !isnan(row->value)) GIG_TRY(sample(&curve, row));
    entry->pictures[entry->count] = gig_strdup(row->picture);
    entry->values[entry->count] = row->value;
    entry->curves[entry->count] = curve;
    if (!entry->pictures[entry->count]) {
        gig_free(curve);
        return gig_alloc_status();
    }
    entry->count++;
    return GIG_OK;
}

static gig_status fill(void *payload, const gig_score_row *row)
{
    gig_table *table = payload;
    if (!wants(table, row)) return GIG_OK;
    size_t r = find_row(table, row->method);
    if (r == table->row_count) return GIG_OK;
    int everywhere = table->by_baseline && !strcmp(row->baseline, "none");
    for (size_t c = 0; c < table->column_count; c++) {
        const gig_table_column *column = &table->columns[c];
        if (strcmp(column->collection, row->collection) || strcmp(column->model, row->model)) continue;
        if (table->by_baseline && !everywhere && strcmp(column->baseline, row->baseline)) continue;
        GIG_TRY(add_value(table, gig_table_at(table, r, c), row));
    }
    return GIG_OK;
}

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

/* a[i] and b[i] are of one picture. */
static gig_status compare(gig_interval *out, const gig_table_entry *entry, const gig_table_entry *other,
                          const gig_bootstrap_options *options)
{
    double *b = gig_alloc(entry->count, sizeof *b);
    if (!b) return gig_alloc_status();
    for (size_t i = 0; i < entry->count; i++) {
        b[i] = NAN;
        for (size_t k = 0; k < other->count; k++)
            if (!strcmp(entry->pictures[i], other->pictures[k])) b[i] = other->values[k];
    }
    gig_status status = gig_bootstrap_difference(out, entry->values, b, entry->count, options);
    gig_free(b);
    return status;
}

static gig_status measure(gig_table *table)
{
    const gig_bootstrap_options options = {.seed = table->options.seed};
    for (size_t r = 0; r < table->row_count; r++)
        for (size_t c = 0; c < table->column_count; c++) {
            gig_table_entry *entry = gig_table_at(table, r, c);
            GIG_TRY(gig_bootstrap_mean(&entry->mean, entry->values, entry->count, &options));
            entry->value = entry->mean;
            entry->difference = (gig_interval){0, NAN, NAN, NAN};
            if (table->of_curves) GIG_TRY(measure_curves(entry, table, &options));
            if (table->against < table->row_count && r != table->against)
                GIG_TRY(compare(&entry->difference, entry, gig_table_at(table, table->against, c), &options));
        }
    return GIG_OK;
}

/* ---- marks ---- */

typedef struct scope {
    size_t row_first, row_end, column_first, column_end;
} scope;

/* The best of the scope, of several equal ones all. */
static void mark_best(const gig_table *table, scope s, int star)
{
    double best = NAN;
    for (int pass = 0; pass < 2; pass++)
        for (size_t r = s.row_first; r < s.row_end; r++)
            for (size_t c = s.column_first; c < s.column_end; c++) {
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

static size_t end_of_set(const gig_table *table, size_t column)
{
    size_t end = column;
    while (end < table->column_count && !strcmp(table->columns[end].collection, table->columns[column].collection) &&
           !strcmp(table->columns[end].model, table->columns[column].model))
        end++;
    return end;
}

static void mark(const gig_table *table)
{
    int by_group = table->options.like == GIG_TABLE_PAPER2 || table->options.like == GIG_TABLE_PLAIN;
    for (size_t c = 0; c < table->column_count; c++) {
        for (size_t r = 0, end; by_group && r < table->row_count; r = end) {
            end = end_of_group(table, r);
            mark_best(table, (scope){r, end, c, c + 1}, 0);
        }
        mark_best(table, (scope){0, table->row_count, c, c + 1}, by_group);
    }
    for (size_t c = 0, end; table->by_baseline && c < table->column_count; c = end) {
        end = end_of_set(table, c);
        mark_best(table, (scope){0, table->row_count, c, end}, 1);
    }
}

/* ---- all of it ---- */

static gig_status set_options(gig_table *table, const gig_table_options *options)
{
    static const char *const metrics[] = {"auc", "closed", "auc", "auc", "sic"};
    gig_metric metric;
    table->options = options ? *options : (gig_table_options)GIG_TABLE_OPTIONS_INIT;
    if ((unsigned)table->options.like > GIG_TABLE_PAPER4) return gig_fail(GIG_EARG, "there is no such table");
    table->metric = table->options.metric ? table->options.metric : metrics[table->options.like];
    GIG_TRY(gig_metric_parse(&metric, table->metric));
    if (table->options.methods) GIG_TRY(find_listed(&(size_t){0}, table->options.methods, "")); /* each has to be one */
    table->any_paths = table->options.like == GIG_TABLE_PAPER1 && !table->options.metric;
    table->of_curves = metric.kind == GIG_METRIC_SIC || metric.kind == GIG_METRIC_AIC;
    table->keeps_curves |= table->of_curves;
    table->smaller_is_better = metric.kind == GIG_METRIC_CLOSED || metric.kind == GIG_METRIC_DELETION ||
                               metric.kind == GIG_METRIC_INFIDELITY || metric.kind == GIG_METRIC_SENSITIVITY ||
                               metric.kind == GIG_METRIC_COMPLETENESS;
    table->by_baseline = table->options.like == GIG_TABLE_PAPER3 && !table->options.baseline;
    if (!table->options.baseline)
        table->options.baseline = table->options.like == GIG_TABLE_PAPER4 ? "black+white" : "black";
    if (!table->options.against) table->options.against = "ig";
    return GIG_OK;
}

size_t gig_table_find_row(const gig_table *table, const char *method)
{
    size_t length = strlen(method), found = find_row(table, method);
    for (size_t i = 0; i < table->row_count && found == table->row_count; i++)
        if (!strncmp(table->rows[i].method, method, length) && table->rows[i].method[length] == '/') found = i;
    return found;
}

static gig_status build(gig_table *table, gig_store *store, const gig_table_options *options)
{
    GIG_TRY(set_options(table, options));
    const char *metric = table->any_paths ? NULL : table->metric;
    GIG_TRY(gig_store_each_score(store, metric, see, table));
    if (!table->row_count || !table->column_count)
        return gig_fail(GIG_EARG, "the store has no scores \"%s\" with baseline %s", table->metric,
                        table->by_baseline ? "any" : table->options.baseline);
    sort_rows(table);
    table->entries = gig_alloc_zero(table->row_count * table->column_count, sizeof *table->entries);
    if (!table->entries) return gig_alloc_status();
    GIG_TRY(gig_store_each_score(store, metric, fill, table));
    table->against = gig_table_find_row(table, table->options.against);
    GIG_TRY(measure(table));
    mark(table);
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
