/* Curves over [0,1]. */
#ifndef GIG_SCORE_CURVE_H
#define GIG_SCORE_CURVE_H

#include "base/status.h"
#include <stddef.h>

/* The performance information curve of `count` measurements (x information, y prediction, both normalised to [0,1],
 * in the order of rising thresholds), with the ends (0,0) and (1,1): curve[j] at x = j / intervals. Where `monotone`, y
 * is first replaced by its running maximum in that order (not in the order of x). */
gig_status gig_information_curve(double *curve, size_t intervals, const double *x, const double *y, size_t count,
                                 int monotone);

#endif
