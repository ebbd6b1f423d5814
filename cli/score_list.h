/* SPDX-License-Identifier: Apache-2.0 */
/* The scores of maps as they are printed: a line or a JSON entry for each map, and the means of all. */
#ifndef CLI_SCORE_LIST_H
#define CLI_SCORE_LIST_H

#include "frame/options.h"
#include "frame/output.h"
#include "gig/metric.h"

enum { TALLY_MOST = 32 };

typedef struct tally {
    int json;
    size_t count;
    gig_metric metrics[TALLY_MOST];
    size_t maps;
    double totals[TALLY_MOST + 1]; /* the last: of the sums */
    size_t defined[TALLY_MOST + 1];
    json_t *rows;
} tally;

/* One map. */
typedef struct tally_row {
    const char *input;
    const gig_metric_result *found; /* [count] */
    double sum;                     /* of its values */
    int has_class;                  /* a model was asked: */
    size_t target;
    const char *label; /* NULL: the class has none */
} tally_row;

void tally_add(tally *self, const tally_row *row);
/* The means, and with --json everything. `of` is the scalar, NULL without a model. An exit code. */
int tally_end(tally *self, const options *given, const char *of);
void tally_clear(tally *self);

#endif
