/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates F along a curve before its nodes are chosen: where does F change, and where has it reached its maximum?
 *
 * Adaptive nodes and rule idg: F is evaluated at m + 1 evenly spaced points. Between two of them the density of nodes
 * is 0.9 |change of F|^power / sum + 0.1 / m, with power 1/2 for adaptive nodes (Bhat and Raychowdhury 2023 place more
 * steps where F changes) and 1 for idg (Walker et al. 2024 place them in proportion to the slope); the rest is spread
 * evenly, because gradients may change where F does not. The unit interval is divided into n cells with equal shares of
 * that density; a node is its cell's middle (idg: its end), its weight the cell's width, so weights add up to 1.
 *
 * until (Left-IG, Miglani et al. 2020): F is evaluated at the nodes and at the end; nodes are left out from the first
 * one on where F exceeds the given fraction of its largest value, which must be above 0. */
#include "path/lanes.h"
#include "path/walk_curve.h"

static const double share_by_change = 0.9;

static int is_placed(const gig_active_chain *active)
{
    return active->chain.adaptive || active->rule == GIG_RULE_IDG;
}

int gig_probe_wanted(const gig_active_chain *active)
{
    return is_placed(active) || active->chain.until > 0;
}

size_t gig_probe_count(const gig_active_chain *active)
{
    enum { STEPS_PER_SCOUT = 8 };
    if (!is_placed(active)) return active->nodes.count + 1;
    return (active->chain.steps + STEPS_PER_SCOUT - 1) / STEPS_PER_SCOUT + 1;
}

double gig_probe_alpha(const gig_active_chain *active, size_t index)
{
    double weight;
    if (is_placed(active)) return (double)index / (double)(active->probes.count - 1);
    return index < active->nodes.count ? gig_active_chain_node(&weight, active, index) : 1;
}

/* ---- placing nodes ---- */

/* density[j]: the share of nodes between probe j and the next; all shares add up to 1. */
static void find_density(double *density, const double *values, size_t pieces, double power)
{
    double sum = 0, even = 1 / (double)pieces;
    for (size_t j = 0; j < pieces; j++) sum += pow(fabs(values[j + 1] - values[j]), power);
    for (size_t j = 0; j < pieces; j++) {
        double change = sum > 0 ? pow(fabs(values[j + 1] - values[j]), power) / sum : even;
        density[j] = share_by_change * change + (1 - share_by_change) * even;
    }
}

static gig_status place_nodes(gig_active_chain *active)
{
    size_t pieces = active->probes.count - 1, n = active->nodes.count;
    int at_ends = active->rule == GIG_RULE_IDG;
    double *density = gig_alloc(pieces, sizeof *density);
    active->nodes.alphas = density ? gig_alloc(n, sizeof *active->nodes.alphas) : NULL;
    active->nodes.weights = active->nodes.alphas ? gig_alloc(n, sizeof *active->nodes.weights) : NULL;
    gig_status status = active->nodes.weights ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) {
        find_density(density, active->probes.values, pieces, at_ends ? 1 : 0.5);
        double below = 0, cell = 0; /* the density of pieces passed; where the cell begins */
        size_t piece = 0;
        for (size_t k = 0; k < n; k++) {
            double wanted = (double)(k + 1) / (double)n;
            while (piece + 1 < pieces && below + density[piece] < wanted) below += density[piece++];
            double end = ((double)piece + (wanted - below) / density[piece]) / (double)pieces;
            if (k + 1 == n) end = 1;
            end = fmin(fmax(end, cell), 1);
            active->nodes.alphas[k] = at_ends ? end : (cell + end) / 2;
            active->nodes.weights[k] = end - cell;
            cell = end;
        }
    }
    gig_free(density);
    return status;
}

/* Keeps at least one node, so that there is a path. A fraction of a value that is not above 0 is no threshold below it:
 * every node would be kept, or nearly none. */
static gig_status cut_nodes(gig_active_chain *active)
{
    double largest = active->probes.values[0];
    size_t kept = 0;
    for (size_t i = 1; i < active->probes.count; i++) largest = fmax(largest, active->probes.values[i]);
    if (!(largest > 0))
        return gig_fail(GIG_EARG,
                        "until %g: the largest value on the path is %g, and a fraction of it is a threshold only where "
                        "it is above 0; explain a probability, or leave until out",
                        active->chain.until, largest);
    while (kept < active->nodes.count && !(active->probes.values[kept] > active->chain.until * largest)) kept++;
    active->nodes.count = kept > 0 ? kept : 1;
    return GIG_OK;
}

gig_status gig_probe_use(gig_active_chain *active)
{
    return is_placed(active) ? place_nodes(active) : cut_nodes(active);
}

/* ---- the walk ---- */

static size_t lay_out(gig_walk *walk)
{
    const gig_curve *curve = walk->active->curve;
    size_t at = 0;
    walk->x[0] = gig_walk_carve(walk->block, &at, gig_walk_floats(walk->drive->features));
    walk->state = gig_walk_carve(walk->block, &at, curve->scratch_size ? curve->scratch_size(curve->self) : 0);
    return at;
}

static gig_status go(gig_walk *walk)
{
    const gig_curve *curve = walk->active->curve;
    size_t n = walk->drive->features;
    double alpha = gig_probe_alpha(walk->active, walk->first + walk->step);
    GIG_TRY(curve->at(curve->self, walk->state, alpha, walk->x[0], NULL));
    size_t bad = gig_sums_not_finite(walk->x[0], n);
    if (bad < n) return gig_walk_fail_number(walk, "curve's point", bad, (double)walk->x[0][bad]);
    walk->point = walk->x[0];
    walk->gradient = NULL;
    return GIG_OK;
}

static gig_status begin(gig_walk *walk)
{
    const gig_active_chain *active = walk->active;
    gig_walk_share(walk, active->probes.count);
    return go(walk);
}

static gig_status seen(gig_walk *walk)
{
    walk->active->probes.values[walk->first + walk->step] = walk->value;
    walk->step++;
    if (walk->step < walk->steps) return go(walk);
    walk->finished = walk->met = 1;
    return GIG_OK;
}

static gig_status end(gig_walk *walk)
{
    walk->active->totals.values += walk->totals.values;
    return GIG_OK;
}

const gig_walk_kind gig_walk_probe = {.lay_out = lay_out, .begin = begin, .seen = seen, .end = end};
