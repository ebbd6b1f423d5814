/* SPDX-License-Identifier: Apache-2.0 */
/* The scores of maps as they are printed: a line or a JSON entry for each map, and the means of all. */
#ifndef CLI_SCORE_LIST_H
#define CLI_SCORE_LIST_H

#include "frame/options.h"
#include "frame/printing.h"
#include "gig/metric.h"

enum { SCORE_LIST_MOST = 32 };

typedef struct score_list {
    int json;
    size_t count;
    gig_metric metrics[SCORE_LIST_MOST];
    size_t maps;
    double totals[SCORE_LIST_MOST + 1]; /* the last: of the sums */
    size_t defined[SCORE_LIST_MOST + 1];
    json_t *rows;
} score_list;

/* One map. */
typedef struct score_list_row {
    const char *input;
    const gig_metric_result *found; /* [count] */
    double sum;                     /* of its values */
    int one_number;                 /* what was explained has no class */
    int has_class;                  /* a model was asked: */
    size_t target;
    const char *label; /* NULL: the class has none */
} score_list_row;

void score_list_add(score_list *self, const score_list_row *row);
/* The means, and with --json everything. `of` is the scalar, NULL without a model. An exit code. */
int score_list_end(score_list *self, const options *given, const char *of);
void score_list_clear(score_list *self);

#endif
