/* SPDX-License-Identifier: Apache-2.0 */
/* The curves behind a table. */
#include "base/memory.h"
#include "base/status.h"
#include "internal/view.h"
#include "work/report/table.h"
#include <stdio.h>

enum { COLOURS = 8 }; /* that tell lines apart; further ones are dashed */

/* The curves of one entry, aggregated; *out is new, or NULL if there are none. */
static gig_status aggregate(double **out, const gig_table_entry *entry, gig_aggregate how)
{
    size_t count = 0;
    const double **curves = gig_alloc(entry->count, sizeof *curves);
    *out = gig_alloc(GIG_TABLE_INTERVALS + 1, sizeof **out);
    gig_status status = curves && *out ? GIG_OK : gig_alloc_status();
    for (size_t i = 0; i < entry->count && status == GIG_OK; i++)
        if (entry->curves[i]) curves[count++] = entry->curves[i];
    if (status == GIG_OK && count) status = gig_curves_aggregate(*out, curves, count, GIG_TABLE_INTERVALS, how);
    gig_free(curves);
    if (status != GIG_OK || !count) {
        gig_free(*out);
        *out = NULL;
    }
    return status;
}

typedef struct panel {
    gig_series *series;
    char (*names)[96];
    double **curves;
    double x[GIG_TABLE_INTERVALS + 1];
    size_t count;
} panel;

static gig_status fill_panel(panel *p, const gig_table *table, size_t column, gig_aggregate how)
{
    for (size_t r = 0; r < table->row_count; r++) {
        const gig_table_entry *entry = gig_table_at(table, r, column);
        double *curve;
        GIG_TRY(aggregate(&curve, entry, how));
        if (!curve) continue;
        p->curves[p->count] = curve;
        snprintf(p->names[p->count], sizeof *p->names, "%.60s  %.3f", table->rows[r].method, entry->value.mean);
        p->series[p->count] = (gig_series){.name = p->names[p->count],
                                           .count = GIG_TABLE_INTERVALS + 1,
                                           .x = p->x,
                                           .y = curve,
                                           .colour = r % COLOURS + 1,
                                           .dashed = r >= COLOURS};
        p->count++;
    }
    return GIG_OK;
}

/* Only curves of information have a median in their table. */
static gig_aggregate aggregate_of(const gig_table *table)
{
    return table->of_curves && !table->options.mean ? GIG_AGGREGATE_MEDIAN : GIG_AGGREGATE_MEAN;
}

static gig_status add_panel(gig_sheet *sheet, panel *p, const gig_table *table, size_t column)
{
    const char *parts[GIG_HEAD_PARTS];
    char title[256] = "";
    size_t used = 0;
    GIG_TRY(fill_panel(p, table, column, aggregate_of(table)));
    gig_table_head(parts, table, &table->columns[column]);
    for (int i = 0; i < GIG_HEAD_PARTS && used < sizeof title; i++)
        if (parts[i]) used += (size_t)snprintf(title + used, sizeof title - used, "%s%.80s", i ? ", " : "", parts[i]);
    const gig_plot plot = {.x_label = table->row->x_label,
                           .y_label = table->row->y_label,
                           .x_high = 1,
                           .y_high = 1,
                           .series_count = p->count,
                           .series = p->series,
                           .diagonal = table->row->diagonal,
                           .aspect = 1};
    return gig_sheet_add_plot(sheet, &(gig_caption){.title = title}, &plot);
}

static gig_status add_column(gig_sheet *sheet, const gig_table *table, size_t column)
{
    panel *p = gig_alloc_zero(1, sizeof *p);
    if (!p) return gig_alloc_status();
    p->series = gig_alloc_zero(table->row_count, sizeof *p->series);
    p->names = gig_alloc_zero(table->row_count, sizeof *p->names);
    p->curves = gig_alloc_zero(table->row_count, sizeof *p->curves);
    for (size_t j = 0; j <= GIG_TABLE_INTERVALS; j++) p->x[j] = (double)j / GIG_TABLE_INTERVALS;
    gig_status status = p->series && p->names && p->curves ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) status = add_panel(sheet, p, table, column);
    for (size_t i = 0; i < p->count; i++) gig_free(p->curves[i]);
    gig_free(p->curves);
    gig_free(p->names);
    gig_free(p->series);
    gig_free(p);
    return status;
}

static gig_status draw(const gig_table *table, const char *path, int force)
{
    gig_sheet *sheet;
    if (!table->row->x_label) return gig_fail(GIG_EARG, "%s has no curves", table->metric);
    char footer[256];
    int used = snprintf(footer, sizeof footer, "%s: %s over pictures; area beside each name",
                        table->many_metrics ? table->metric : table->columns->metric,
                        aggregate_of(table) == GIG_AGGREGATE_MEAN ? "mean" : "median");
    if (table->curveless && used > 0 && (size_t)used < sizeof footer)
        snprintf(footer + used, sizeof footer - (size_t)used, "; without %zu that have no curve", table->curveless);
    GIG_TRY(gig_sheet_create(&sheet, &(gig_sheet_options){.footer = footer, .panel_width = 420}));
    gig_status status = GIG_OK;
    for (size_t c = 0; c < table->column_count && status == GIG_OK; c++) status = add_column(sheet, table, c);
    if (status == GIG_OK) status = gig_sheet_write(sheet, path, force);
    gig_sheet_free(sheet);
    return status;
}

gig_status gig_study_plot(const char *store_path, const char *path, const gig_table_options *options, int force)
{
    gig_store *store;
    gig_table *table = NULL;
    GIG_TRY(gig_store_open(&store, store_path, GIG_STORE_READ));
    gig_status status = gig_table_create(&table, store, options, 1);
    gig_store_close(store);
    if (status != GIG_OK) return gig_fail_in(status, "%s", store_path);
    status = draw(table, path, force);
    gig_table_free(table);
    return status;
}
