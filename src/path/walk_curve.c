/* SPDX-License-Identifier: Apache-2.0 */
/* What the two kinds of walks on curves share. */
#include "path/walk_curve.h"
#include "path/lanes.h"

gig_status gig_curve_go(gig_walk *walk, double alpha)
{
    const gig_curve *curve = walk->link->curve;
    size_t n = walk->drive->features;
    GIG_TRY(curve->at(curve->self, walk->state, alpha, walk->x[0], walk->tangent));
    walk->alphas[0] = alpha;
    walk->point = walk->x[0];
    size_t bad = gig_sums_not_finite(walk->x[0], n);
    if (bad < n) return gig_walk_fail_number(walk, "curve's point", bad, (double)walk->x[0][bad]);
    bad = gig_sums_not_finite(walk->tangent, n);
    if (bad < n) return gig_walk_fail_number(walk, "curve's tangent", bad, (double)walk->tangent[bad]);
    return GIG_OK;
}

void gig_curve_measure(gig_walk *walk, double weight)
{
    const gig_link *link = walk->link;
    gig_totals *totals = &walk->totals;
    size_t n = walk->drive->features;
    if (link->curve == &link->line_curve) {
        totals->l1 += weight * link->whole;
        totals->l2 += weight * sqrt(link->square);
        return;
    }
    double l1, square;
    gig_sums_norms(&l1, &square, walk->tangent, n);
    totals->l1 += weight * l1;
    totals->l2 += weight * sqrt(square);
    gig_place place;
    gig_place_find(&place, walk->x[0], link->start, link->end, n);
    totals->distance += weight * gig_place_off_line(&place, walk->alphas[0], link->square);
}
