/* SPDX-License-Identifier: Apache-2.0 */
/* How a curve is cut into walks, and how its nodes are doubled under a tolerance.
 *
 * With T_n the trapezoid and M_n the midpoint rule over n steps, T_2n = (T_n + M_n) / 2: each doubling evaluates only
 * new points. A curve by the midpoint rule starts from M_n, one by any other rule but the trapezoid from nothing. */
#include "path/drive.h"
#include "path/lanes.h"

/* Walks that `nodes` nodes are cut into: by their number alone, so that sums do not depend on workers or batches, and
 * not too many, so that memory does not grow with steps. */
static size_t count_walks(size_t nodes)
{
    enum { CHUNK = 8, MOST_WALKS = 1024 };
    size_t walks = (nodes + CHUNK - 1) / CHUNK;
    return walks < MOST_WALKS ? walks : MOST_WALKS;
}

/* Nodes that a formula gives are not kept. */
static gig_status keep_nodes(gig_link *link)
{
    gig_free(link->node_alphas);
    gig_free(link->node_weights);
    link->node_alphas = link->node_weights = NULL;
    if (link->node_rule != GIG_RULE_GAUSS_LEGENDRE) return GIG_OK;
    link->node_alphas = gig_alloc(link->node_count, sizeof *link->node_alphas);
    link->node_weights = link->node_alphas ? gig_alloc(link->node_count, sizeof *link->node_weights) : NULL;
    if (!link->node_weights) return gig_alloc_status();
    return gig_rule_nodes(link->node_alphas, link->node_weights, link->node_rule, link->node_steps);
}

double gig_link_node(double *weight, const gig_link *link, size_t k)
{
    double share, alpha;
    if (link->node_alphas) {
        alpha = link->node_alphas[k];
        share = link->node_weights[k];
    } else {
        alpha = gig_rule_node(&share, link->node_rule, link->node_steps, k);
    }
    *weight = link->node_scale * share;
    return alpha;
}

static gig_status set_nodes(gig_link *link, gig_rule rule, size_t steps, double scale)
{
    link->node_rule = rule;
    link->node_steps = steps;
    link->node_scale = scale;
    link->node_count = gig_rule_node_count(rule, steps);
    GIG_TRY(keep_nodes(link));
    link->total_weight = 0;
    for (size_t k = 0; k < link->node_count; k++) {
        double weight;
        gig_link_node(&weight, link, k);
        link->total_weight += weight;
    }
    link->kind = &gig_walk_nodes;
    link->walk_count = count_walks(link->node_count);
    return GIG_OK;
}

gig_status gig_curve_plan(gig_link *link)
{
    size_t steps = link->chain.steps;
    if (gig_rule_at_step_ends(link->rule)) {
        link->kind = &gig_walk_steps;
        link->walk_count = count_walks(steps);
        link->expected = steps + 1;
        return GIG_OK;
    }
    GIG_TRY(set_nodes(link, link->rule, steps, 1));
    link->expected = steps + 2;
    return GIG_OK;
}

/* The next round's nodes, given what the attributions hold now. */
static gig_status plan_round(gig_link *link)
{
    size_t n = link->refined_steps;
    double scale = 0.5;
    gig_rule rule = GIG_RULE_MIDPOINT;
    if (n == 0) {
        n = link->chain.steps;
        if (link->rule != GIG_RULE_TRAPEZOID) rule = GIG_RULE_TRAPEZOID;
        if (link->rule != GIG_RULE_TRAPEZOID && link->rule != GIG_RULE_MIDPOINT) scale = 1;
    }
    if (gig_rule_node_count(rule, n) + link->totals.evaluations > gig_link_max_evaluations(link)) return GIG_OK;
    GIG_TRY(set_nodes(link, rule, n, scale));
    gig_walk **walks = gig_alloc_zero(link->walk_count, sizeof *walks);
    if (!walks) return gig_alloc_status();
    gig_free(link->walks);
    link->walks = walks;
    for (size_t i = 0; i < link->drive->features; i++) link->attributions[i] *= 1 - scale;
    link->refined_steps = scale == 1 ? n : 2 * n;
    link->rounds++;
    link->dealt = link->added = 0;
    link->again = 1;
    return GIG_OK;
}

gig_status gig_curve_refine(gig_link *link)
{
    if (!(link->drive->options.tolerance > 0)) return GIG_OK;
    if (gig_link_adds_up(link, gig_sums_total(link->attributions, link->drive->features))) return GIG_OK;
    if (link->rule != GIG_RULE_IDGI) GIG_TRY(plan_round(link));
    link->stopped = !link->again;
    return GIG_OK;
}
