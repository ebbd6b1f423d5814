/* SPDX-License-Identifier: Apache-2.0 */
/* A chunk of a curve whose nodes are step ends (left, right, trapezoid, IDGI): node j of n lies at alpha j/n, and each
 * step's change of F is known, so its error is known and it can be closed.
 *
 * g holds two nodes' products tangent x gradient (IDGI: gradients); the raw gradient is in middle_gradient. */
#include "path/lanes.h"
#include "path/walk_curve.h"

static size_t lay_out(gig_walk *walk)
{
    const gig_curve *curve = walk->active->curve;
    size_t n = walk->drive->features, floats = gig_walk_floats(n), at = 0;
    walk->x[0] = gig_walk_carve(walk->block, &at, floats);
    walk->tangent = gig_walk_carve(walk->block, &at, floats);
    walk->middle_gradient = gig_walk_carve(walk->block, &at, floats);
    for (int i = 0; i < 2; i++) walk->g[i] = gig_walk_carve(walk->block, &at, floats);
    walk->after = gig_walk_carve(walk->block, &at, floats);
    walk->attributions = gig_walk_carve(walk->block, &at, n * sizeof(double));
    walk->state = gig_walk_carve(walk->block, &at, curve->scratch_size ? curve->scratch_size(curve->self) : 0);
    return at;
}

/* Weight of node j in the sum over nodes; 0 if no gradient is needed. */
static double node_weight(const gig_active_chain *active, size_t j)
{
    size_t n = active->chain.steps;
    gig_rule_weights w = active->weights;
    return ((j < n ? w.before : 0) + (j > 0 ? w.after : 0)) / (double)n;
}

static gig_status go(gig_walk *walk)
{
    size_t j = walk->first + walk->step, n = walk->active->chain.steps;
    GIG_TRY(gig_curve_go(walk, (double)j / (double)n));
    walk->gradient = node_weight(walk->active, j) > 0 ? walk->middle_gradient : NULL;
    return GIG_OK;
}

static gig_status begin(gig_walk *walk)
{
    walk->steps = gig_active_chain_steps_of(walk->active, walk->index, &walk->first);
    memset(walk->attributions, 0, walk->drive->features * sizeof *walk->attributions);
    return go(walk);
}

/* The step that ended at the node whose value is values[side], and whose product is `after`. */
static void attribute(gig_walk *walk, const float *after)
{
    const gig_active_chain *active = walk->active;
    size_t n = walk->drive->features;
    double h = 1 / (double)active->chain.steps, change = walk->values[walk->side] - walk->values[!walk->side];
    double w0 = h * active->weights.before, w1 = h * active->weights.after, missing;
    const float *before = walk->g[!walk->side];
    gig_sums sums = {0};
    if (active->rule == GIG_RULE_IDGI) {
        missing = change - gig_sums_idgi(walk->attributions, before, change, n);
    } else {
        gig_sums_products_add(&sums, walk->attributions, before, after, w0, w1, n);
        walk->totals.noise += sums.noise;
        missing = change - sums.attributed;
    }
    walk->totals.step_error += fabs(missing);
    if (!walk->drive->options.close || walk->drive->options.tolerance > 0 || missing == 0) return;
    if (!(sums.weight > 0)) {
        walk->totals.unassigned += fabs(missing);
        return;
    }
    gig_sums_products_close(walk->attributions, missing / sums.weight, before, after, w0, w1, n);
    walk->totals.closed += fabs(missing);
}

/* The vector that the rule sums at this node, into g[side]. */
static void keep_product(gig_walk *walk)
{
    size_t n = walk->drive->features;
    float *to = walk->g[walk->side];
    if (!walk->gradient) return;
    if (walk->active->rule != GIG_RULE_IDGI) {
        gig_sums_product(to, walk->tangent, walk->gradient, n);
        return;
    }
    memcpy(to, walk->gradient, n * sizeof *to);
    double l1, square;
    gig_sums_product(walk->tangent, walk->tangent, walk->gradient, n);
    gig_sums_norms(&l1, &square, walk->tangent, n);
    walk->totals.noise += l1 / (double)walk->active->chain.steps;
}

static gig_status seen(gig_walk *walk)
{
    gig_active_chain *active = walk->active;
    int side = walk->side;
    double weight = node_weight(active, walk->first + walk->step);
    walk->values[side] = walk->value;
    if (weight > 0) gig_curve_measure(walk, weight);
    keep_product(walk);
    if (walk->step == walk->steps) {
        walk->finished = 1;
        gig_walk_met_alone(walk, walk->value);
        return GIG_OK;
    }
    if (walk->step == 0 && walk->index > 0) gig_walk_meet(walk, walk->value, walk->gradient ? walk->g[side] : NULL);
    if (walk->step == 0 && walk->index == 0) active->value_start = walk->value;
    if (walk->step > 0) attribute(walk, walk->g[side]);
    GIG_TRY(gig_walk_observe(walk, (gig_view){.step = walk->step,
                                              .alpha = walk->alphas[0],
                                              .point = walk->x[0],
                                              .value = walk->value,
                                              .gradient = walk->gradient}));
    walk->step++;
    walk->side = !side;
    if (walk->step < walk->steps || gig_walk_is_last(walk)) return go(walk);
    walk->finished = 1;
    return GIG_OK;
}

static gig_status end(gig_walk *walk)
{
    gig_active_chain *active = walk->active;
    int last = gig_walk_is_last(walk);
    walk->values[walk->side] = walk->value_after;
    attribute(walk, last ? walk->g[walk->side] : walk->after);
    if (last) active->value_end = walk->value_after;
    gig_walk_join(walk);
    if (!last && walk->drive->options.observe)
        GIG_TRY(gig_curve_go(walk, (double)(walk->first + walk->steps) / (double)active->chain.steps));
    return gig_walk_observe(walk, (gig_view){.step = walk->steps,
                                             .alpha = walk->alphas[0],
                                             .point = walk->x[0],
                                             .value = walk->value_after,
                                             .gradient = last ? walk->gradient : NULL,
                                             .total = active->attributions,
                                             .last = last});
}

const gig_walk_kind gig_walk_steps = {.lay_out = lay_out, .begin = begin, .seen = seen, .end = end};
