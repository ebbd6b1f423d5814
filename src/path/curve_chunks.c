/* SPDX-License-Identifier: Apache-2.0 */
/* How a curve is divided into walks, and how its nodes are doubled under a tolerance.
 *
 * With T_n the trapezoid and M_n the midpoint rule over n steps, T_2n = (T_n + M_n) / 2: each doubling evaluates only
 * new points. A curve by the midpoint rule starts from M_n, one by any other rule except the trapezoid from zero. */
#include "base/rng.h"
#include "internal/path.h"
#include "path/driver.h"
#include "path/lanes.h"
#include <stdlib.h>

/* Number of walks for `nodes` nodes. It depends on the number of nodes only, so that sums do not depend on workers or
 * batches, and it is bounded, so that memory does not grow with steps. */
static size_t count_walks(size_t nodes)
{
    enum { CHUNK = 8, MOST_WALKS = 1024 };
    size_t walks = (nodes + CHUNK - 1) / CHUNK;
    return walks < MOST_WALKS ? walks : MOST_WALKS;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Rule random: with several baselines Expected Gradients (Erion and others 2021; definition read in
 * suinleelab/path_explain, MIT licence, none of whose code is used). */
static void draw_nodes(gig_active_chain *active)
{
    const gig_rng rng = {active->chain.seed, active->chain.stream};
    for (size_t k = 0; k < active->nodes.count; k++) {
        active->nodes.alphas[k] = gig_rng_uniform(rng, k);
        active->nodes.weights[k] = 1 / (double)active->nodes.count;
    }
    qsort(active->nodes.alphas, active->nodes.count, sizeof *active->nodes.alphas, ascending);
}

/* Nodes given by a formula are not stored. */
static gig_status keep_nodes(gig_active_chain *active)
{
    gig_free(active->nodes.alphas);
    gig_free(active->nodes.weights);
    active->nodes.alphas = active->nodes.weights = NULL;
    int drawn = active->nodes.rule == GIG_RULE_RANDOM;
    if (active->nodes.rule != GIG_RULE_GAUSS_LEGENDRE && !drawn) return GIG_OK;
    active->nodes.alphas = gig_alloc(active->nodes.count, sizeof *active->nodes.alphas);
    active->nodes.weights = active->nodes.alphas ? gig_alloc(active->nodes.count, sizeof *active->nodes.weights) : NULL;
    if (!active->nodes.weights) return gig_alloc_status();
    if (!drawn)
        return gig_rule_nodes(active->nodes.alphas, active->nodes.weights, active->nodes.rule, active->nodes.steps);
    draw_nodes(active);
    return GIG_OK;
}

double gig_active_chain_node(double *weight, const gig_active_chain *active, size_t k)
{
    double share, alpha;
    if (active->nodes.alphas) {
        alpha = active->nodes.alphas[k];
        share = active->nodes.weights[k];
    } else {
        alpha = gig_rule_node(&share, active->nodes.rule, active->nodes.steps, k);
    }
    *weight = active->nodes.scale * share;
    return alpha;
}

static void weigh_nodes(gig_active_chain *active)
{
    active->total_weight = 0;
    for (size_t k = 0; k < active->nodes.count; k++) {
        double weight;
        gig_active_chain_node(&weight, active, k);
        active->total_weight += weight;
    }
    active->queue.kind = &gig_walk_nodes;
    active->queue.count = count_walks(active->nodes.count);
}

static gig_status set_nodes(gig_active_chain *active, gig_rule rule, size_t steps, double scale)
{
    active->nodes.rule = rule;
    active->nodes.steps = steps;
    active->nodes.scale = scale;
    active->nodes.count = gig_rule_node_count(rule, steps);
    GIG_TRY(keep_nodes(active));
    weigh_nodes(active);
    return GIG_OK;
}

/* Continues the chain with its chosen nodes, after the probes. */
static gig_status end_probes(gig_active_chain *active)
{
    GIG_TRY(gig_probe_use(active));
    active->probes.running = 0;
    weigh_nodes(active);
    gig_walk **walks = gig_alloc_zero(active->queue.count, sizeof *walks);
    if (!walks) return gig_alloc_status();
    gig_free(active->queue.walks);
    active->queue.walks = walks;
    active->queue.dealt = active->queue.added = 0;
    active->queue.again = 1;
    return GIG_OK;
}

static gig_status start_probes(gig_active_chain *active)
{
    active->probes.running = 1;
    active->probes.count = gig_probe_count(active);
    active->probes.values = gig_alloc(active->probes.count, sizeof *active->probes.values);
    active->queue.kind = &gig_walk_probe;
    active->queue.count = count_walks(active->probes.count);
    active->expected += active->probes.count;
    return active->probes.values ? GIG_OK : gig_alloc_status();
}

gig_status gig_curve_plan(gig_active_chain *active)
{
    size_t steps = active->chain.steps;
    if (gig_rule_at_step_ends(active->rule)) {
        active->queue.kind = &gig_walk_steps;
        active->queue.count = count_walks(steps);
        active->expected = steps + 1;
        return GIG_OK;
    }
    GIG_TRY(set_nodes(active, active->rule, steps, 1));
    active->expected = steps + 2;
    return gig_probe_wanted(active) ? start_probes(active) : GIG_OK;
}

/* The next round's nodes, given what the attributions contain now. */
static gig_status plan_round(gig_active_chain *active)
{
    size_t n = active->refined.steps;
    double scale = 0.5;
    gig_rule rule = GIG_RULE_MIDPOINT;
    if (n == 0) {
        n = active->chain.steps;
        if (active->rule != GIG_RULE_TRAPEZOID) rule = GIG_RULE_TRAPEZOID;
        if (active->rule != GIG_RULE_TRAPEZOID && active->rule != GIG_RULE_MIDPOINT) scale = 1;
    }
    if (gig_rule_node_count(rule, n) + active->totals.evaluations > gig_active_chain_max_evaluations(active))
        return GIG_OK;
    GIG_TRY(set_nodes(active, rule, n, scale));
    gig_walk **walks = gig_alloc_zero(active->queue.count, sizeof *walks);
    if (!walks) return gig_alloc_status();
    gig_free(active->queue.walks);
    active->queue.walks = walks;
    for (size_t i = 0; i < active->drive->features; i++) active->attributions[i] *= 1 - scale;
    active->refined.steps = scale == 1 ? n : 2 * n;
    active->refined.rounds++;
    active->queue.dealt = active->queue.added = 0;
    active->queue.again = 1;
    return GIG_OK;
}

gig_status gig_curve_refine(gig_active_chain *active)
{
    if (active->probes.running) return end_probes(active);
    if (!(active->drive->options.tolerance > 0)) return GIG_OK;
    if (gig_active_chain_adds_up(active, gig_sums_total(active->attributions, active->drive->features))) return GIG_OK;
    if (active->rule != GIG_RULE_IDGI) GIG_TRY(plan_round(active));
    active->refined.stopped = !active->queue.again;
    return GIG_OK;
}
