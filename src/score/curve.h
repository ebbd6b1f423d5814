/* SPDX-License-Identifier: Apache-2.0 */
/* Curves over [0,1]. */
#ifndef GIG_SCORE_CURVE_H
#define GIG_SCORE_CURVE_H

#include "gig/score.h"

enum { GIG_MOST_INTERVALS = 1000000 };

/* Arrays of `count`, not set. */
gig_status gig_points_create(gig_points *out, size_t count);

/* The performance information curve of `count` measurements (x information, y prediction, both normalised to [0,1],
 * in the order of rising thresholds), with the ends (0,0) and (1,1), sorted by x. If `monotone`, y is first replaced
 * by its running maximum in that order (not in the order of x). Of equal x the one measured last comes last; (0,0) is
 * the last of those at 0. Sample it with gig_points_sample. */
gig_status gig_information_points(gig_points *out, const double *x, const double *y, size_t count, int monotone);

#endif
