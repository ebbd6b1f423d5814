/* SPDX-License-Identifier: Apache-2.0 */
/* How two lists of numbers go together. */
#ifndef GIG_SCORE_CORRELATION_H
#define GIG_SCORE_CORRELATION_H

#include "base/status.h"
#include <stddef.h>

/* Pearson's correlation; NaN where one of them is the same everywhere. */
double gig_pearson(const double *a, const double *b, size_t count);
/* Spearman's: Pearson's of the ranks, equal values by their mean rank. */
gig_status gig_spearman(double *out, const double *a, const double *b, size_t count);

/* Entropy, in nats, of a histogram of 100 bins from the least to the largest value; 0 where all are equal. */
double gig_map_entropy(const float *map, size_t count);

#endif
