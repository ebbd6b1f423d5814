/* SPDX-License-Identifier: Apache-2.0 */
/* One evaluation of refinement: value and gradient in the middle of a piece of a recorded step. */
#include "path/record.h"

static size_t lay_out(gig_walk *walk)
{
    size_t n = walk->drive->features, at = 0;
    walk->x[0] = gig_walk_carve(walk->block, &at, gig_walk_floats(n));
    walk->g[0] = gig_walk_carve(walk->block, &at, gig_walk_floats(n));
    walk->attributions = gig_walk_carve(walk->block, &at, n * sizeof(double)); /* displacements */
    return at;
}

static gig_status begin(gig_walk *walk)
{
    walk->first = walk->active->refined.record->pieces[walk->index].step;
    walk->point = walk->x[0];
    walk->gradient = walk->g[0];
    walk->steps = 1;
    return GIG_OK;
}

static gig_status seen(gig_walk *walk)
{
    walk->finished = walk->met = 1;
    return gig_record_keep(walk);
}

static gig_status end(gig_walk *walk)
{
    walk->active->totals.evaluations += walk->totals.evaluations;
    return GIG_OK;
}

const gig_walk_kind gig_walk_piece = {.lay_out = lay_out, .begin = begin, .seen = seen, .end = end};
