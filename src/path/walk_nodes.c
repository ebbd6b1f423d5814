/* SPDX-License-Identifier: Apache-2.0 */
/* A chunk of a curve's nodes: attributions += weight x tangent x gradient at each. The first and the last walk
 * also evaluate the curve's ends, if those are not nodes themselves. */
#include "path/lanes.h"
#include "path/walk_curve.h"

static size_t lay_out(gig_walk *walk)
{
    const gig_curve *curve = walk->active->curve;
    size_t n = walk->drive->features, floats = gig_walk_floats(n), at = 0;
    walk->x[0] = gig_walk_carve(walk->block, &at, floats);
    walk->tangent = gig_walk_carve(walk->block, &at, floats);
    walk->middle_gradient = gig_walk_carve(walk->block, &at, floats);
    walk->attributions = gig_walk_carve(walk->block, &at, n * sizeof(double));
    walk->state = gig_walk_carve(walk->block, &at, curve->scratch_size ? curve->scratch_size(curve->self) : 0);
    return at;
}

/* Value only, at the start (in_middle) or behind the last node (step == steps). */
static gig_status look_at_end(gig_walk *walk, double alpha)
{
    GIG_TRY(gig_curve_go(walk, alpha));
    walk->gradient = NULL;
    return GIG_OK;
}

static double alpha_of(const gig_active_chain *active, size_t node)
{
    double weight;
    return gig_active_chain_node(&weight, active, node);
}

static gig_status go(gig_walk *walk)
{
    GIG_TRY(gig_curve_go(walk, alpha_of(walk->active, walk->first + walk->step)));
    walk->gradient = walk->middle_gradient;
    return GIG_OK;
}

static gig_status begin(gig_walk *walk)
{
    const gig_active_chain *active = walk->active;
    gig_walk_share(walk, active->nodes.count);
    memset(walk->attributions, 0, walk->drive->features * sizeof *walk->attributions);
    if (active->refined.rounds == 0 && walk->index == 0 && alpha_of(active, 0) > 0) {
        walk->in_middle = 1;
        return look_at_end(walk, 0);
    }
    if (active->rule == GIG_RULE_IDG &&
        walk->first > 0) { /* the value from which its first node's change of F is counted */
        walk->in_middle = 1;
        return look_at_end(walk, alpha_of(active, walk->first - 1));
    }
    return go(walk);
}

static gig_status add_node(gig_walk *walk)
{
    gig_active_chain *active = walk->active;
    size_t node = walk->first + walk->step;
    double weight, alpha = gig_active_chain_node(&weight, active, node);
    gig_sums sums;
    if (active->refined.rounds == 0)
        GIG_TRY(gig_walk_observe(walk, (gig_view){.step = walk->step,
                                                  .alpha = alpha,
                                                  .point = walk->x[0],
                                                  .value = walk->value,
                                                  .gradient = walk->gradient}));
    double counts = active->rule == GIG_RULE_IDG ? walk->value - walk->values[0] : weight;
    walk->values[0] = walk->value;
    gig_sums_node(&sums, walk->attributions, walk->tangent, walk->gradient, counts, walk->drive->features);
    if (active->refined.rounds > 0) return GIG_OK;
    walk->totals.noise += sums.noise;
    gig_curve_measure(walk, weight / active->total_weight);
    if (alpha == 0) active->value_start = walk->value;
    if (alpha == 1) active->value_end = walk->value;
    return GIG_OK;
}

static gig_status seen(gig_walk *walk)
{
    gig_active_chain *active = walk->active;
    if (walk->in_middle) {
        walk->in_middle = 0;
        walk->values[0] = walk->value;
        if (walk->index == 0) active->value_start = walk->value;
        return go(walk);
    }
    if (walk->step == walk->steps) {
        active->value_end = walk->value;
        walk->finished = walk->met = 1;
        return GIG_OK;
    }
    GIG_TRY(add_node(walk));
    walk->step++;
    if (walk->step < walk->steps) return go(walk);
    if (active->refined.rounds == 0 && gig_walk_is_last(walk) && alpha_of(active, active->nodes.count - 1) < 1)
        return look_at_end(walk, 1);
    walk->finished = walk->met = 1;
    return GIG_OK;
}

static gig_status end(gig_walk *walk)
{
    gig_walk_join(walk);
    if (walk->active->refined.rounds) return GIG_OK;
    return gig_walk_observe(walk, (gig_view){.step = walk->steps,
                                             .alpha = walk->alphas[0],
                                             .point = walk->x[0],
                                             .value = walk->value,
                                             .gradient = walk->gradient,
                                             .total = walk->active->attributions,
                                             .last = gig_walk_is_last(walk)});
}

const gig_walk_kind gig_walk_nodes = {.lay_out = lay_out, .begin = begin, .seen = seen, .end = end};
