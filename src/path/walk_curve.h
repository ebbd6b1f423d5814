/* SPDX-License-Identifier: Apache-2.0 */
/* What the two kinds of walks on curves share. Point and tangent of the current node are x[0] and tangent. */
#ifndef GIG_PATH_WALK_CURVE_H
#define GIG_PATH_WALK_CURVE_H

#include "path/driver.h"

/* Moves to the curve's point at alpha: x[0], tangent, alphas[0], point. */
gig_status gig_curve_go(gig_walk *walk, double alpha);

/* Adds the node's share of length and distance: the rule's own quadrature, weights add up to 1. */
void gig_curve_measure(gig_walk *walk, double weight);

#endif
