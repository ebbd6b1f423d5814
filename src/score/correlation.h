/* SPDX-License-Identifier: Apache-2.0 */
/* Correlation of two lists of numbers. */
#ifndef GIG_SCORE_CORRELATION_H
#define GIG_SCORE_CORRELATION_H

#include "base/status.h"
#include <stddef.h>

/* Pearson's correlation; NaN if one of them is constant. */
double gig_pearson(const double *a, const double *b, size_t count);
/* ranks[i]: how many values are below values[i], plus half of the others that are equal. */
gig_status gig_mean_ranks(double *ranks, const double *values, size_t count);
/* Spearman's: Pearson's of the ranks, equal values by their mean rank. */
gig_status gig_spearman(double *out, const double *a, const double *b, size_t count);

#endif
