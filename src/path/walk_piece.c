/* Refinement's unit of work: value and gradient in the middle of a piece of a recorded step. */
#include "path/drive.h"

static size_t lay_out(gig_walk *walk)
{
    size_t floats = gig_walk_floats(walk->drive->features), at = 0;
    for (int i = 0; i < 2; i++) walk->x[i] = gig_walk_carve(walk->block, &at, floats);
    walk->g[0] = gig_walk_carve(walk->block, &at, floats);
    return at;
}

static gig_status begin(gig_walk *walk)
{
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
    walk->link->totals.evaluations += walk->totals.evaluations;
    return GIG_OK;
}

const gig_walk_kind gig_walk_piece = {.lay_out = lay_out, .begin = begin, .seen = seen, .end = end};
