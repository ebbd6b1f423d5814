/* SPDX-License-Identifier: Apache-2.0 */
/* A table as CSV and JSON: one record per entry. */
#include "work/report/table_text.h"
#include <string.h>

static const char *const group_names[] = {"", "", "SmoothGrad", "XRAI"};

enum { NUMBERS = 9 };

static const char *const number_names[NUMBERS] = {
    "value", "low", "high", "mean", "difference", "difference_low", "difference_high", "difference_n", "draws_sd"};

static void list_numbers(double numbers[NUMBERS], const gig_table_entry *entry)
{
    const gig_interval *value = &entry->value, *difference = &entry->difference;
    const double all[NUMBERS] = {value->mean,      value->low,      value->high,      entry->mean.mean,
                                 difference->mean, difference->low, difference->high, (double)difference->n,
                                 entry->spread};
    memcpy(numbers, all, sizeof all);
}

/* What an entry is of; where all are of one scalar and precision these stand in the meaning alone. */
enum { TEXTS = 10 };

static const char *const text_names[TEXTS] = {"method", "group",     "set",     "model", "baseline",
                                              "metric", "reduction", "against", "of",    "precision"};

static int list_texts(const char *texts[TEXTS], const gig_table *table, size_t row, size_t index)
{
    const gig_table_column *column = &table->columns[index];
    const char *const all[TEXTS] = {table->rows[row].method,
                                    group_names[table->rows[row].group],
                                    column->collection,
                                    column->model,
                                    column->baseline ? column->baseline : table->options.baseline,
                                    column->metric,
                                    table->reduction,
                                    gig_table_compares(table) ? table->rows[table->against].method : "",
                                    column->scalar,
                                    column->precision};
    memcpy(texts, all, sizeof all);
    return table->many_scalars || table->many_precisions ? TEXTS : TEXTS - 2;
}

void gig_table_write_csv(gig_text *out, const gig_table *table)
{
    const char *texts[TEXTS];
    int count = list_texts(texts, table, 0, 0);
    for (int i = 0; i < count; i++) gig_text_add(out, "%s,", text_names[i]);
    gig_text_add(out, "n");
    for (int i = 0; i < NUMBERS; i++) gig_text_add(out, ",%s", number_names[i]);
    gig_text_add(out, ",bold,star\r\n");
    for (size_t r = 0; r < table->row_count; r++)
        for (size_t c = 0; c < table->column_count; c++) {
            const gig_table_entry *entry = gig_table_at(table, r, c);
            double numbers[NUMBERS];
            list_numbers(numbers, entry);
            list_texts(texts, table, r, c);
            for (int i = 0; i < count; i++) {
                gig_text_add_csv(out, texts[i]);
                gig_text_add(out, ",");
            }
            gig_text_add(out, "%zu", entry->value.n);
            for (int i = 0; i < NUMBERS; i++) {
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

void gig_table_write_json(gig_text *out, const gig_table *table)
{
    gig_text meaning = {0};
    char *text;
    gig_table_add_meaning(&meaning, table);
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
            const char *texts[TEXTS];
            double numbers[NUMBERS];
            int count = list_texts(texts, table, r, c);
            list_numbers(numbers, entry);
            gig_text_add(out, r + c ? ",\n {" : "\n {");
            for (int i = 0; i < count; i++) add_json_text(out, text_names[i], texts[i]);
            gig_text_add(out, "\"n\": %zu", entry->value.n);
            for (int i = 0; i < NUMBERS; i++) {
                gig_text_add(out, ", \"%s\": ", number_names[i]);
                gig_text_add_number(out, numbers[i], 17, "null");
            }
            gig_text_add(out, ", \"bold\": %s, \"star\": %s}", entry->bold ? "true" : "false",
                         entry->star ? "true" : "false");
        }
    gig_text_add(out, "]}\n");
}
