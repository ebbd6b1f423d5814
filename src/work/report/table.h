/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a table, before they are written in some format. */
#ifndef GIG_WORK_REPORT_TABLE_H
#define GIG_WORK_REPORT_TABLE_H

#include "base/text.h"
#include "gig/metric.h"
#include "gig/work.h"
#include "internal/score.h"
#include "work/manifest/manifest.h"
#include "work/manifest/variant.h"
#include "work/store/store.h"

/* Rows are methods; groups follow one another as in the paper. */
typedef enum gig_table_group { GIG_GROUP_PLAIN, GIG_GROUP_CAM, GIG_GROUP_SMOOTH, GIG_GROUP_XRAI } gig_table_group;

typedef struct gig_table_row {
    char *method; /* canonical */
    gig_table_group group;
    size_t place; /* position in the list of requested methods, from 1; 0: not listed, or no list */
} gig_table_row;

/* What the numbers of a column have in common; anything that differs makes another column. */
typedef struct gig_table_column {
    char *collection, *model, *scalar, *precision;
    char *metric;   /* the table's, or (any) that with this many paths or draws */
    char *baseline; /* NULL if the table has one baseline */
} gig_table_column;

/* A picture of the store, and the class that is explained. */
typedef struct gig_table_picture {
    int64_t picture, target;
} gig_table_picture;

typedef struct gig_table_entry {
    size_t count, capacity;
    gig_table_picture *subjects;
    double *values, *spreads; /* spreads: over the draws that a value is the mean of, or NaN */
    double **curves;          /* sampled; NULL: not kept, or the value is undefined */
    gig_interval value, mean; /* mean: of the single values, where `value` is of a curve */
    gig_interval difference;  /* from the row compared with */
    double spread;            /* mean of the spreads; NaN if there is none */
    int bold, star;
} gig_table_entry;

typedef struct gig_table {
    gig_table_options options;              /* defaults put in */
    char metric[GIG_METRIC_NAME_BYTES];     /* canonical */
    char baseline[GIG_BASELINE_NAME_BYTES]; /* of options.baseline, canonical */
    const gig_metric_row *row;              /* of the metric */
    const char *reduction;                  /* of the channels; "" where the metric has none */
    int by_baseline, of_curves, smaller_is_better;
    const char *any;  /* an option of the metric that may have any value, "paths" or "draws"; NULL: none */
    int keeps_curves; /* of_curves, or they will be drawn */
    size_t row_count, row_capacity, column_count, column_capacity;
    size_t known_count;  /* rows; those after row_count are methods that were not requested */
    size_t filled_count; /* rows with entries: row_count, and one more if the row compared with is not shown */
    gig_table_row *rows;
    gig_table_column *columns;
    gig_table_entry *entries;                        /* [filled_count, columns] */
    size_t against;                                  /* row compared with; filled_count if there is none */
    int many_scalars, many_precisions, many_metrics; /* whether it differs between columns: each then names its own */
    gig_texts elsewhere; /* methods that have scores only for other baselines, with these baselines */
    int has_spreads;     /* some entry has */
    size_t curveless;    /* scores left out of a table or plot of curves, because they have none */
    size_t undefined;    /* scores without a value */
    char note[200];      /* why the first of them has none */
} gig_table;

enum { GIG_TABLE_INTERVALS = 1000 };

gig_status gig_table_create(gig_table **out, gig_store *store, const gig_table_options *options, int keep_curves);
void gig_table_free(gig_table *table); /* NULL is allowed */

static inline gig_table_entry *gig_table_at(const gig_table *table, size_t row, size_t column)
{
    return &table->entries[row * table->column_count + column];
}

/* Whether the score belongs to the column's set, model, scalar, precision and metric; its baseline is ignored. */
int gig_table_is_in(const gig_table_column *column, const gig_score_row *row);

/* What the column is of, in the order of its head; NULL if all columns have the same. */
enum { GIG_HEAD_PARTS = 6 };
void gig_table_head(const char *parts[GIG_HEAD_PARTS], const gig_table *table, const gig_table_column *column);

static inline int gig_table_same(const gig_table_picture *a, const gig_table_picture *b)
{
    return a->picture == b->picture && a->target == b->target;
}

/* The value of that subject; NaN if the entry has none. */
double gig_table_value(const gig_table_entry *entry, const gig_table_picture *of);

/* Names may be short (table_methods.c): without the options that the study gave all its methods, or those at their
 * defaults. If several match, the first; table->row_count if there is none. */
size_t gig_table_find_row(const gig_table *table, const char *method);
/* Sets the row compared with, `given` or (NULL) ig if it is shown. One that is not shown comes after those that are. */
gig_status gig_table_choose_reference(gig_table *table, const char *given);
/* GIG_EARG: there is no such row; the message lists those that exist. */
gig_status gig_table_fail_row(const gig_table *table, const char *method);

/* The list of requested methods, "a,b,...": each must be a method. Puts their rows in that order, the others after
 * row_count; writes a sentence on those that have no row. */
gig_status gig_table_check_methods(const char *list);
void gig_table_choose_methods(gig_table *table);
void gig_table_add_missing_methods(gig_text *out, const gig_table *table);

/* Computes the numbers of every entry from its values and curves, then which of them are marked. */
gig_status gig_table_measure(gig_table *table);
void gig_table_mark(const gig_table *table);

void gig_table_write(gig_text *out, const gig_table *table);

#endif
