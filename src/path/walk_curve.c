/* SPDX-License-Identifier: Apache-2.0 */
/* What the two kinds of walks on curves share. */
#include "path/walk_curve.h"
#include "path/lanes.h"

gig_status gig_curve_go(gig_walk *walk, double alpha)
{
    const gig_curve *curve = walk->active->curve;
    const gig_active_chain *active = walk->active;
    size_t n = walk->drive->features;
    gig_side side = gig_rule_side(active->refined.rounds ? active->nodes.rule : active->rule); /* this round's */
    GIG_TRY(curve->at(curve->self, walk->state, alpha, walk->x[0], curve->tangent ? NULL : walk->tangent));
    if (curve->tangent) GIG_TRY(curve->tangent(curve->self, walk->state, alpha, side, walk->tangent));
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
    const gig_active_chain *active = walk->active;
    gig_totals *totals = &walk->totals;
    size_t n = walk->drive->features;
    if (active->curve == &active->line_curve) {
        totals->l1 += weight * active->whole;
        totals->l2 += weight * sqrt(active->square);
        return;
    }
    double l1, square;
    gig_sums_norms(&l1, &square, walk->tangent, n);
    totals->l1 += weight * l1;
    totals->l2 += weight * sqrt(square);
    gig_line_position place;
    gig_line_position_find(&place, walk->x[0], active->start, active->end, n);
    totals->distance += weight * gig_line_position_off_line(&place, walk->alphas[0], active->square);
}
