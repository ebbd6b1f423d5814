/* SPDX-License-Identifier: Apache-2.0 */
/* A walk led by a guide: node t is where step t starts; a step is attributed once the node after it is known.
 *
 * x and g hold two nodes, the current one at `side` and the one before at the other. */
#include "path/driver.h"
#include "path/lanes.h"

/* Does the rule, or refinement, need the gradient at the chain's end? */
static int needs_end_gradient(const gig_active_chain *active)
{
    return active->refined.record || active->rule == GIG_RULE_RIGHT || active->rule == GIG_RULE_TRAPEZOID;
}

static size_t lay_out(gig_walk *walk)
{
    const gig_active_chain *active = walk->active;
    size_t n = walk->drive->features, floats = gig_walk_floats(n), at = 0;
    const gig_guide *guide = active->chain.guide;
    for (int i = 0; i < 2; i++) walk->x[i] = gig_walk_carve(walk->block, &at, floats);
    for (int i = 0; i < 2; i++) walk->g[i] = gig_walk_carve(walk->block, &at, floats);
    walk->attributions = gig_walk_carve(walk->block, &at, n * sizeof(double));
    if (active->queue.count > 1) {
        walk->start_room = gig_walk_carve(walk->block, &at, floats);
        walk->end_room = gig_walk_carve(walk->block, &at, floats);
    }
    walk->after = NULL;
    if (active->queue.count > 1 && needs_end_gradient(active)) walk->after = gig_walk_carve(walk->block, &at, floats);
    if (active->rule == GIG_RULE_MIDPOINT) {
        walk->middle = gig_walk_carve(walk->block, &at, floats);
        walk->middle_gradient = gig_walk_carve(walk->block, &at, floats);
    }
    if (guide && guide->state_size)
        walk->state = gig_walk_carve(walk->block, &at, guide->state_size(guide->options, n));
    return at;
}

static gig_status begin(gig_walk *walk)
{
    const gig_active_chain *active = walk->active;
    const gig_guide *guide = active->chain.guide;
    size_t n = walk->drive->features;
    walk->steps = gig_active_chain_steps_of(active, walk->index, &walk->first);
    walk->start = gig_active_chain_anchor(active, walk->index, walk->start_room);
    walk->end = active->chain.open ? NULL : gig_active_chain_anchor(active, walk->index + 1, walk->end_room);
    memset(walk->attributions, 0, n * sizeof *walk->attributions);
    memcpy(walk->x[0], walk->start, n * sizeof **walk->x);
    if (guide && guide->begin)
        GIG_TRY(guide->begin(walk->state, guide->options, walk->start, walk->end, n, walk->steps));
    walk->point = walk->x[0];
    walk->gradient = walk->g[0];
    return GIG_OK;
}

/* alpha: the fraction of the chain's L1 distance covered; off_line: the point's distance to the straight line. */
static void keep_place(gig_walk *walk, size_t step, const gig_line_position *place)
{
    const gig_active_chain *active = walk->active;
    int side = walk->side;
    walk->alphas[side] = (double)(walk->first + step) / (double)active->chain.steps;
    walk->off_line[side] = 0;
    if (active->chain.open) return;
    if (active->whole > 0) walk->alphas[side] = fmin(fmax(1 - place->left / active->whole, 0), 1);
    walk->off_line[side] = gig_line_position_off_line(place, walk->alphas[side], active->square);
}

static void find_place(gig_walk *walk)
{
    const gig_active_chain *active = walk->active;
    gig_line_position place = {0};
    if (!active->chain.open)
        gig_line_position_find(&place, walk->x[walk->side], active->start, active->end, walk->drive->features);
    keep_place(walk, 0, &place);
}

static gig_status record_step(gig_walk *walk, int from, int to, const float *after)
{
    if (!walk->active->refined.record) return GIG_OK;
    gig_seen_step seen = {.x0 = walk->x[from],
                          .x1 = walk->x[to],
                          .end = walk->end,
                          .count = 2,
                          .values = {walk->values[from], walk->values[to]},
                          .gradients = {walk->g[from], after}};
    if (walk->active->rule == GIG_RULE_MIDPOINT) {
        seen.values[2] = seen.values[1];
        seen.values[1] = walk->middle_value;
        seen.gradients[2] = after;
        seen.gradients[1] = walk->middle_gradient;
        seen.count = 3;
    }
    return gig_record_step(walk->active->refined.record, walk->first + walk->step - 1, &seen);
}

/* The step that ended at this node, whose value is known, and the node's place; `after` is the gradient here, or NULL.
 */
static gig_status attribute(gig_walk *walk, const float *after)
{
    const gig_active_chain *active = walk->active;
    size_t n = walk->drive->features;
    int to = walk->side, from = !to;
    const float *x0 = walk->x[from], *x1 = walk->x[to], *g0 = walk->g[from];
    gig_step_gradient gradient = {g0, active->rule == GIG_RULE_MIDPOINT ? walk->middle_gradient : after,
                                  active->weights.before, active->weights.after};
    gig_sums sums;
    gig_line_position place;
    gig_step_ends ends = {x0, x1, active->start, active->chain.open ? active->start : active->end};
    double change = walk->values[to] - walk->values[from];
    if (active->rule == GIG_RULE_IDGI) {
        gig_sums_measure(&sums, &place, &ends, g0, n);
        sums.attributed = gig_sums_idgi(walk->attributions, g0, change, n);
        sums.weight = 0;
    } else {
        gig_sums_step(&sums, &place, walk->attributions, &ends, &gradient, n);
    }
    keep_place(walk, walk->step, &place);
    double missing = change - sums.attributed;
    gig_totals *totals = &walk->totals;
    totals->step_error += fabs(missing);
    totals->missing += missing;
    totals->noise += sums.noise;
    totals->l1 += sums.l1;
    totals->l2 += sqrt(sums.square);
    totals->distance += walk->off_line[from] * fmax(walk->alphas[to] - walk->alphas[from], 0);
    if (walk->drive->options.close && !active->refined.record) {
        double given = gig_sums_close(walk->attributions, &sums, missing, &ends, &gradient, n);
        totals->closed += given;
        totals->unassigned += fabs(missing) - given;
    }
    return record_step(walk, from, to, after);
}

/* Moves to the next node, whose point is at the other side. */
static void go_on(gig_walk *walk)
{
    walk->in_middle = 0;
    walk->step++;
    walk->side = !walk->side;
    int at_end = walk->step == walk->steps;
    if (at_end && !gig_walk_is_last(walk)) {
        walk->finished = 1;
        return;
    }
    walk->point = walk->x[walk->side];
    walk->gradient = at_end && !needs_end_gradient(walk->active) ? NULL : walk->g[walk->side];
}

static gig_status check_guide(const gig_walk *walk, const float *next)
{
    size_t n = walk->drive->features, bad = gig_sums_not_finite(next, n);
    if (bad < n) return gig_walk_fail_number(walk, "guide's next point", bad, (double)next[bad]);
    if (walk->step + 1 < walk->steps || !walk->end) return GIG_OK;
    for (size_t i = 0; i < n; i++)
        if (next[i] != walk->end[i])
            return gig_fail(GIG_EARG, "the guide's last step left feature %zu at %g, short of its end %g", i,
                            (double)next[i], (double)walk->end[i]);
    return GIG_OK;
}

static gig_status leave(gig_walk *walk)
{
    const gig_guide *guide = walk->active->chain.guide;
    int side = walk->side;
    float *next = walk->x[!side];
    GIG_TRY(guide->advance(walk->state, walk->step, walk->values[side], walk->g[side], walk->x[side], next));
    GIG_TRY(check_guide(walk, next));
    if (walk->active->rule != GIG_RULE_MIDPOINT) {
        go_on(walk);
        return GIG_OK;
    }
    gig_sums_between(walk->middle, walk->x[side], next, 0.5, walk->drive->features);
    walk->in_middle = 1;
    walk->point = walk->middle;
    walk->gradient = walk->middle_gradient;
    return GIG_OK;
}

/* Rule gradient: there is no path. */
static gig_status keep_gradient(gig_walk *walk)
{
    for (size_t i = 0; i < walk->drive->features; i++) walk->attributions[i] = (double)walk->g[0][i];
    walk->finished = 1;
    gig_walk_met_alone(walk, NAN);
    return gig_walk_observe(walk, (gig_view){.step = 0,
                                             .alpha = walk->alphas[0],
                                             .point = walk->x[0],
                                             .value = walk->value,
                                             .gradient = walk->g[0],
                                             .last = 1});
}

static gig_status seen(gig_walk *walk)
{
    if (walk->in_middle) {
        walk->middle_value = walk->value;
        go_on(walk);
        return GIG_OK;
    }
    int side = walk->side;
    if (walk->step == walk->steps) { /* the chain's end: its last step is attributed when the walk is added */
        walk->finished = 1;
        gig_walk_met_alone(walk, walk->value);
        return GIG_OK;
    }
    walk->values[side] = walk->value;
    if (walk->step == 0 && walk->index > 0) gig_walk_meet(walk, walk->value, walk->g[side]);
    if (walk->step > 0)
        GIG_TRY(attribute(walk, walk->g[side]));
    else
        find_place(walk);
    if (walk->step == 0 && walk->index == 0) walk->active->value_start = walk->value;
    if (walk->active->rule == GIG_RULE_GRADIENT) return keep_gradient(walk);
    GIG_TRY(gig_walk_observe(walk, (gig_view){.step = walk->step,
                                              .alpha = walk->alphas[side],
                                              .point = walk->x[side],
                                              .value = walk->value,
                                              .gradient = walk->g[side]}));
    return leave(walk);
}

static gig_status end(gig_walk *walk)
{
    gig_active_chain *active = walk->active;
    int last = gig_walk_is_last(walk), side = walk->side;
    const float *after = last ? walk->gradient : walk->after;
    if (active->rule == GIG_RULE_GRADIENT) {
        gig_walk_join(walk);
        return GIG_OK;
    }
    walk->values[side] = walk->value_after;
    GIG_TRY(attribute(walk, after));
    if (last) active->value_end = walk->value_after;
    gig_walk_join(walk);
    return gig_walk_observe(walk, (gig_view){.step = walk->steps,
                                             .alpha = walk->alphas[side],
                                             .point = walk->x[side],
                                             .value = walk->value_after,
                                             .gradient = after,
                                             .total = active->attributions,
                                             .last = last});
}

const gig_walk_kind gig_walk_guided = {.lay_out = lay_out, .begin = begin, .seen = seen, .end = end};
