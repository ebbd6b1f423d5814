/* SPDX-License-Identifier: Apache-2.0 */
/* internal/metric.h -- what a metric needs and how it reduces channels. */
#ifndef GIG_INTERNAL_METRIC_H
#define GIG_INTERNAL_METRIC_H

#include "gig/metric.h"
#include "internal/score.h"

/* ---- metrics ---- */

/* GIG_EARG without a row, or where an option is out of range: 0 does not mean the default here. */
gig_status gig_metric_check(const gig_metric *metric);
/* The name of how it reduces channels; "" for one that does not. */
const char *gig_metric_reduction(const gig_metric *metric);

/* The spread over draws in the note of a score; NaN if that says something else. NULL is allowed. */
double gig_metric_spread_in(const char *note);

unsigned gig_metric_needs(const gig_metric *metric);

#endif
