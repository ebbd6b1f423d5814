/* SPDX-License-Identifier: Apache-2.0 */
/* A chain that is being computed: created from the caller's options, finished into a result. */
#include "path/driver.h"
#include "path/lanes.h"
#include "path/record.h"

size_t gig_walk_floats(size_t count)
{
    return (count * sizeof(float) + GIG_ALIGNMENT - 1) / GIG_ALIGNMENT * GIG_ALIGNMENT;
}

void *gig_walk_carve(void *block, size_t *at, size_t bytes)
{
    void *here = block ? (char *)block + *at : NULL;
    *at += (bytes + GIG_ALIGNMENT - 1) / GIG_ALIGNMENT * GIG_ALIGNMENT;
    return here;
}

static gig_status check(const gig_chain *chain)
{
    if (chain->guide && chain->curve) return gig_fail(GIG_EARG, "a chain has a guide or a curve, not both");
    if ((size_t)chain->rule > GIG_RULE_RANDOM) return gig_fail(GIG_EARG, "unknown rule %d", (int)chain->rule);
    GIG_TRY(gig_rule_check_steps(chain->rule, chain->steps));
    if (chain->rule == GIG_RULE_GRADIENT) {
        if (chain->guide || chain->curve || !chain->open || chain->steps != 1 || chain->segments > 1)
            return gig_fail(GIG_EARG, "rule gradient is for one open step without guide or curve");
        return GIG_OK;
    }
    if (!chain->guide) {
        if (chain->open) return gig_fail(GIG_EARG, "a curve cannot be open");
        if (chain->segments > 1) return gig_fail(GIG_EARG, "a curve has no segments");
        return GIG_OK;
    }
    if (!gig_rule_on_guides(chain->rule))
        return gig_fail(GIG_EARG, "rule %s is for curves, not for guided walks", gig_rule_name(chain->rule));
    if (chain->segments > chain->steps)
        return gig_fail(GIG_EARG, "%zu steps are too few for %zu segments: expected at least one step per segment",
                        chain->steps, chain->segments);
    if (chain->open && chain->segments > 1) return gig_fail(GIG_EARG, "an open chain has no segments");
    return GIG_OK;
}

static gig_status check_end(const char *which, const float *point, size_t features)
{
    size_t bad = gig_sums_not_finite(point, features);
    if (bad == features) return GIG_OK;
    return gig_fail(GIG_ENUMERIC, "feature %zu of the %s is %f", bad, which, (double)point[bad]);
}

/* The curve's own ends. */
static gig_status find_ends(gig_active_chain *active)
{
    const gig_curve *curve = active->curve;
    gig_drive *drive = active->drive;
    size_t bytes = curve->scratch_size ? curve->scratch_size(curve->self) : 0, limit = drive->options.max_memory;
    if (limit && drive->bytes + active->bytes + bytes > limit)
        return gig_fail(GIG_ELIMIT, "a curve needs %zu bytes, and %zu of %zu are in use", bytes,
                        drive->bytes + active->bytes, limit);
    if (bytes > drive->largest_scratch) { /* the next curve's ends will need as much */
        drive->spare += bytes - drive->largest_scratch;
        drive->largest_scratch = bytes;
    }
    void *scratch = gig_alloc(bytes, 1);
    if (!scratch) return gig_alloc_status();
    gig_status status = curve->at(curve->self, scratch, 0, active->start, NULL);
    if (status == GIG_OK) status = curve->at(curve->self, scratch, 1, active->end, NULL);
    gig_free(scratch);
    return status;
}

static gig_status plan_guided(gig_active_chain *active)
{
    active->queue.kind = &gig_walk_guided;
    active->queue.count = active->chain.segments;
    int ends = active->rule == GIG_RULE_MIDPOINT ? 2 : 1;
    active->expected = active->rule == GIG_RULE_GRADIENT ? 1 : active->chain.steps * (size_t)ends + 1;
    if (active->drive->options.tolerance > 0 && !active->chain.open && active->rule != GIG_RULE_IDGI)
        GIG_TRY(gig_record_create(&active->refined.record, active));
    return GIG_OK;
}

gig_status gig_active_chain_prepare(gig_active_chain *active)
{
    gig_drive *drive = active->drive;
    size_t n = drive->features;
    gig_chain *chain = &active->chain;
    GIG_TRY(drive->make(drive->payload, active->index, chain, active->start, active->end));
    GIG_TRY(check(chain));
    GIG_TRY(gig_rule_check_nodes(chain, &drive->options));
    if (chain->segments == 0) chain->segments = 1;
    int guided = chain->guide || chain->rule == GIG_RULE_GRADIENT;
    active->rule = chain->rule;
    if (active->rule == GIG_RULE_DEFAULT) active->rule = guided ? GIG_RULE_LEFT : GIG_RULE_MIDPOINT;
    active->weights = gig_rule_ends(active->rule);
    if (!guided) {
        active->line = (gig_line_path){.features = n, .start = active->start, .end = active->end};
        active->line_curve = gig_curve_line(&active->line);
        active->curve = chain->curve ? chain->curve : &active->line_curve;
        if (active->curve->features && active->curve->features != n)
            return gig_fail(GIG_EARG, "the curve's points do not have the function's %zu features", n);
        if (chain->curve) GIG_TRY(find_ends(active));
    }
    GIG_TRY(check_end("start", active->start, n));
    if (!chain->open) {
        GIG_TRY(check_end("end", active->end, n));
        active->whole = gig_sums_l1(active->start, active->end, n);
        active->square = gig_sums_square(active->start, active->end, n);
    }
    GIG_TRY(guided ? plan_guided(active) : gig_curve_plan(active));
    active->queue.walks = gig_alloc_zero(active->queue.count, sizeof *active->queue.walks);
    return active->queue.walks ? GIG_OK : gig_alloc_status();
}

size_t gig_active_chain_bytes(size_t features)
{
    return 2 * gig_walk_floats(features) + features * sizeof(double);
}

gig_status gig_active_chain_create(gig_active_chain **out, gig_drive *drive, size_t index)
{
    *out = NULL;
    size_t n = drive->features;
    gig_active_chain *active = gig_alloc_zero(1, sizeof *active);
    if (!active) return gig_alloc_status();
    active->drive = drive;
    active->index = index;
    active->value_start = active->value_end = NAN;
    active->bytes = gig_active_chain_bytes(n);
    active->start = gig_alloc(n, sizeof *active->start);
    active->end = active->start ? gig_alloc(n, sizeof *active->end) : NULL;
    active->attributions = active->end ? gig_alloc_zero(n, sizeof *active->attributions) : NULL;
    if (!active->attributions) {
        gig_active_chain_free(active);
        return gig_alloc_status();
    }
    *out = active;
    return GIG_OK;
}

void gig_active_chain_free(gig_active_chain *active)
{
    if (!active) return;
    gig_record_free(active->refined.record);
    gig_free(active->start);
    gig_free(active->end);
    gig_free(active->attributions);
    gig_free(active->queue.walks);
    gig_free(active->nodes.alphas);
    gig_free(active->nodes.weights);
    gig_free(active->probes.values);
    gig_free(active);
}

size_t gig_active_chain_steps_of(const gig_active_chain *active, size_t walk, size_t *first)
{
    size_t each = active->chain.steps / active->queue.count, more = active->chain.steps % active->queue.count;
    *first = walk * each + (walk < more ? walk : more);
    return each + (walk < more);
}

const float *gig_active_chain_anchor(const gig_active_chain *active, size_t k, float *room)
{
    if (k == 0) return active->start;
    if (k >= active->chain.segments) return active->end;
    gig_sums_between(room, active->start, active->end, (double)k / (double)active->chain.segments,
                     active->drive->features);
    return room;
}

int gig_active_chain_adds_up(const gig_active_chain *active, double sum)
{
    double change = active->value_end - active->value_start;
    double most =
        active->drive->options.tolerance * fabs(change) + 1e-6 * (fabs(active->value_end) + fabs(active->value_start));
    return fabs(sum - change) <= most;
}

size_t gig_active_chain_max_evaluations(const gig_active_chain *active)
{
    size_t asked = active->drive->options.max_evaluations;
    return asked ? asked : GIG_EVALUATIONS_PER_STEP * active->chain.steps;
}

/* Closes the whole path as if it were one step: distributes the error in proportion to |attribution|. */
static void close_whole(gig_active_chain *active)
{
    size_t n = active->drive->features;
    double missing = active->value_end - active->value_start - active->sum;
    double weight = gig_sums_magnitude(active->attributions, n);
    if (weight > 0) {
        for (size_t i = 0; i < n; i++) active->attributions[i] += missing * (fabs(active->attributions[i]) / weight);
        active->totals.closed += fabs(missing);
    } else {
        active->totals.unassigned += fabs(missing);
    }
}

/* Curves are closed as a whole unless they were closed step by step on the way. */
static int closes_whole(const gig_active_chain *active)
{
    if (!active->drive->options.close || !active->curve) return 0;
    return !gig_rule_at_step_ends(active->rule) || active->drive->options.tolerance > 0;
}

gig_status gig_active_chain_finish(gig_active_chain *active)
{
    size_t n = active->drive->features;
    if (active->refined.record) GIG_TRY(gig_record_assemble(active));
    active->sum = gig_sums_total(active->attributions, n);
    if (closes_whole(active)) {
        close_whole(active);
        active->sum = gig_sums_total(active->attributions, n);
    }
    if (isfinite(active->sum)) return GIG_OK;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(active->attributions[i]))
            return gig_fail(GIG_ENUMERIC, "the attribution of feature %zu is %f", i, active->attributions[i]);
    return gig_fail(GIG_ENUMERIC, "the sum of the attributions is %f", active->sum);
}

static int was_refined(const gig_active_chain *active)
{
    return active->refined.rounds || (active->refined.record && active->refined.record->by_trapezoid);
}

void gig_active_chain_result(gig_chain_result *out, const gig_active_chain *active)
{
    int open = active->chain.open, partial = active->chain.until > 0 || active->rule == GIG_RULE_IDG;
    *out = (gig_chain_result){.features = active->drive->features,
                              .attributions = active->attributions,
                              .value_start = active->value_start,
                              .value_end = active->value_end,
                              .sum = active->sum,
                              .delta = open || partial ? NAN : active->sum - (active->value_end - active->value_start),
                              .step_error = active->totals.step_error,
                              .noise = active->totals.noise,
                              .distance = open ? NAN : active->totals.distance,
                              .l1 = active->totals.l1,
                              .l2 = active->totals.l2,
                              .closed = active->drive->options.close ? active->totals.closed : NAN,
                              .unassigned = active->drive->options.close ? active->totals.unassigned : NAN,
                              .evaluations = active->totals.evaluations,
                              .values = active->totals.values,
                              .rounds = active->refined.rounds,
                              .rule = was_refined(active) ? GIG_RULE_TRAPEZOID : active->rule,
                              .stopped = active->refined.stopped};
    if (active->curve && (!gig_rule_at_step_ends(active->rule) || active->refined.rounds)) out->step_error = NAN;
    if (active->rule == GIG_RULE_GRADIENT)
        out->step_error = out->noise = out->l1 = out->l2 = out->closed = out->unassigned = NAN;
}
