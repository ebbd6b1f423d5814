/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and exports of a store, as texts. */
#include "gig/work.h"
#include "internal/metric.h"
#include "work/report/table.h"

gig_status gig_study_table(char **text, const char *path, const gig_table_options *options)
{
    gig_store *store;
    gig_table *table = NULL;
    gig_text out = {0};
    *text = NULL;
    GIG_TRY(gig_store_open(&store, path, GIG_STORE_READ));
    gig_status status = gig_table_create(&table, store, options, 0);
    gig_store_close(store);
    if (status != GIG_OK) return gig_fail_in(status, "%s", path);
    gig_table_write(&out, table);
    gig_table_free(table);
    return gig_text_take(text, &out);
}

/* ---- every score ---- */

/* The result of the map. */
enum { RESULTS = 6 };
static const char *const result_names[RESULTS] = {"value_input", "value_baseline", "sum",
                                                  "delta",       "step_error",     "stability"};

static double result_of(const gig_score_row *row, int i)
{
    const double all[RESULTS] = {row->value_input, row->value_baseline, row->sum,
                                 row->delta,       row->step_error,     row->stability};
    return all[i];
}

static const char *reduction_of(const gig_score_row *row)
{
    gig_metric metric;
    return gig_metric_parse(&metric, row->metric) == GIG_OK ? gig_metric_reduction(&metric) : "";
}

static gig_status export_csv(void *payload, const gig_score_row *row)
{
    gig_text *out = payload;
    const char *texts[] = {row->model,  row->collection, row->picture, row->method,      row->baseline,
                           row->scalar, row->precision,  row->metric,  reduction_of(row)};
    for (int i = 0; i < 9; i++) {
        gig_text_add_csv(out, texts[i]);
        gig_text_add(out, ",");
    }
    gig_text_add(out, "%lld,%lld,", (long long)row->target, (long long)row->seed);
    gig_text_add_number(out, row->value, 17, "");
    gig_text_add(out, ",");
    gig_text_add_csv(out, row->note);
    gig_text_add(out, ",%.*s,", GIG_EXPORT_KEY, row->key);
    gig_text_add_csv(out, row->versions);
    gig_text_add(out, ",%lld,", (long long)row->evaluations);
    gig_text_add_number(out, row->seconds, 6, "");
    for (int i = 0; i < RESULTS; i++) {
        gig_text_add(out, ",");
        gig_text_add_number(out, result_of(row, i), 9, "");
    }
    gig_text_add(out, "\r\n");
    return out->status;
}

static gig_status export_json(void *payload, const gig_score_row *row)
{
    gig_text *out = payload;
    const char *keys[] = {"model",     "set",    "picture",   "method", "baseline", "of",
                          "precision", "metric", "reduction", "note",   "versions"};
    const char *texts[] = {row->model,     row->collection, row->picture,      row->method, row->baseline, row->scalar,
                           row->precision, row->metric,     reduction_of(row), row->note,   row->versions};
    gig_text_add(out, out->bytes > 2 ? ",\n {" : "\n {");
    for (int i = 0; i < 11; i++) {
        gig_text_add(out, "\"%s\": ", keys[i]);
        gig_text_add_json(out, texts[i]);
        gig_text_add(out, ", ");
    }
    gig_text_add(out, "\"class\": %lld, \"seed\": %lld, \"evaluations\": %lld, \"seconds\": ", (long long)row->target,
                 (long long)row->seed, (long long)row->evaluations);
    gig_text_add_number(out, row->seconds, 6, "null");
    for (int i = 0; i < RESULTS; i++) {
        gig_text_add(out, ", \"%s\": ", result_names[i]);
        gig_text_add_number(out, result_of(row, i), 9, "null");
    }
    gig_text_add(out, ", \"value\": ");
    gig_text_add_number(out, row->value, 17, "null");
    if (row->curve_count) gig_text_add(out, ", \"curve\": [");
    for (size_t i = 0; i < row->curve_count; i++) {
        if (i) gig_text_add(out, ", ");
        gig_text_add_number(out, row->curve[i], 9, "null");
    }
    gig_text_add(out, row->curve_count ? "]}" : "}");
    return out->status;
}

gig_status gig_study_export(char **text, const char *path, int json)
{
    gig_store *store;
    gig_text out = {0};
    *text = NULL;
    GIG_TRY(gig_store_open(&store, path, GIG_STORE_READ));
    if (json)
        gig_text_add(&out, "[");
    else
        gig_text_add(&out, "%s\r\n", gig_export_columns);
    gig_status status = gig_store_each_score(store, NULL, json ? export_json : export_csv, &out);
    gig_store_close(store);
    gig_text_add(&out, json ? "]\n" : "");
    gig_status taken = gig_text_take(text, &out);
    if (status == GIG_OK) return taken;
    gig_text_free(*text);
    *text = NULL;
    return status;
}
