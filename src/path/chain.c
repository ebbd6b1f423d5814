/* SPDX-License-Identifier: Apache-2.0 */
/* A chain under way: made from what the caller says, finished into a result. */
#include "path/drive.h"
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
    if ((size_t)chain->rule > GIG_RULE_CAPTUM_TRAPEZOID) return gig_fail(GIG_EARG, "unknown rule %d", (int)chain->rule);
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
        return gig_fail(GIG_EARG, "%zu steps cannot be shared by %zu segments", chain->steps, chain->segments);
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
static gig_status find_ends(gig_link *link)
{
    const gig_curve *curve = link->curve;
    gig_drive *drive = link->drive;
    size_t bytes = curve->scratch_size ? curve->scratch_size(curve->self) : 0, limit = drive->options.max_memory;
    if (limit && drive->bytes + link->bytes + bytes > limit)
        return gig_fail(GIG_ELIMIT, "a curve needs %zu bytes, and %zu of %zu are in use", bytes,
                        drive->bytes + link->bytes, limit);
    if (bytes > drive->largest_scratch) { /* the next curve's ends will need as much */
        drive->spare += bytes - drive->largest_scratch;
        drive->largest_scratch = bytes;
    }
    void *scratch = gig_alloc(bytes, 1);
    if (!scratch) return gig_alloc_status();
    gig_status status = curve->at(curve->self, scratch, 0, link->start, NULL);
    if (status == GIG_OK) status = curve->at(curve->self, scratch, 1, link->end, NULL);
    gig_free(scratch);
    return status;
}

static gig_status plan_guided(gig_link *link)
{
    link->kind = &gig_walk_guided;
    link->walk_count = link->chain.segments;
    int ends = link->rule == GIG_RULE_MIDPOINT ? 2 : 1;
    link->expected = link->rule == GIG_RULE_GRADIENT ? 1 : link->chain.steps * (size_t)ends + 1;
    if (link->drive->options.tolerance > 0 && !link->chain.open && link->rule != GIG_RULE_IDGI)
        GIG_TRY(gig_record_create(&link->record, link));
    return GIG_OK;
}

gig_status gig_link_prepare(gig_link *link)
{
    gig_drive *drive = link->drive;
    size_t n = drive->features;
    gig_chain *chain = &link->chain;
    GIG_TRY(drive->make(drive->payload, link->index, chain, link->start, link->end));
    GIG_TRY(check(chain));
    if (chain->segments == 0) chain->segments = 1;
    int guided = chain->guide || chain->rule == GIG_RULE_GRADIENT;
    link->rule = chain->rule;
    if (link->rule == GIG_RULE_DEFAULT) link->rule = guided ? GIG_RULE_LEFT : GIG_RULE_MIDPOINT;
    link->weights = gig_rule_ends(link->rule);
    if (!guided) {
        link->line = (gig_line_path){.features = n, .start = link->start, .end = link->end};
        link->line_curve = gig_curve_line(&link->line);
        link->curve = chain->curve ? chain->curve : &link->line_curve;
        if (link->curve->features && link->curve->features != n)
            return gig_fail(GIG_EARG, "the curve's points do not have the function's %zu features", n);
        if (chain->curve) GIG_TRY(find_ends(link));
    }
    GIG_TRY(check_end("start", link->start, n));
    if (!chain->open) {
        GIG_TRY(check_end("end", link->end, n));
        link->whole = gig_sums_l1(link->start, link->end, n);
        link->square = gig_sums_square(link->start, link->end, n);
    }
    GIG_TRY(guided ? plan_guided(link) : gig_curve_plan(link));
    link->walks = gig_alloc_zero(link->walk_count, sizeof *link->walks);
    return link->walks ? GIG_OK : gig_alloc_status();
}

size_t gig_link_bytes(size_t features)
{
    return 2 * gig_walk_floats(features) + features * sizeof(double);
}

gig_status gig_link_create(gig_link **out, gig_drive *drive, size_t index)
{
    *out = NULL;
    size_t n = drive->features;
    gig_link *link = gig_alloc_zero(1, sizeof *link);
    if (!link) return gig_alloc_status();
    link->drive = drive;
    link->index = index;
    link->value_start = link->value_end = NAN;
    link->bytes = gig_link_bytes(n);
    link->start = gig_alloc(n, sizeof *link->start);
    link->end = link->start ? gig_alloc(n, sizeof *link->end) : NULL;
    link->attributions = link->end ? gig_alloc_zero(n, sizeof *link->attributions) : NULL;
    if (!link->attributions) {
        gig_link_free(link);
        return gig_alloc_status();
    }
    *out = link;
    return GIG_OK;
}

void gig_link_free(gig_link *link)
{
    if (!link) return;
    gig_record_free(link->record);
    gig_free(link->start);
    gig_free(link->end);
    gig_free(link->attributions);
    gig_free(link->walks);
    gig_free(link->node_alphas);
    gig_free(link->node_weights);
    gig_free(link);
}

size_t gig_link_steps_of(const gig_link *link, size_t walk, size_t *first)
{
    size_t each = link->chain.steps / link->walk_count, more = link->chain.steps % link->walk_count;
    *first = walk * each + (walk < more ? walk : more);
    return each + (walk < more);
}

const float *gig_link_anchor(const gig_link *link, size_t k, float *room)
{
    if (k == 0) return link->start;
    if (k >= link->chain.segments) return link->end;
    gig_sums_between(room, link->start, link->end, (double)k / (double)link->chain.segments, link->drive->features);
    return room;
}

int gig_link_adds_up(const gig_link *link, double sum)
{
    double change = link->value_end - link->value_start;
    double most =
        link->drive->options.tolerance * fabs(change) + 1e-6 * (fabs(link->value_end) + fabs(link->value_start));
    return fabs(sum - change) <= most;
}

size_t gig_link_max_evaluations(const gig_link *link)
{
    size_t asked = link->drive->options.max_evaluations;
    return asked ? asked : GIG_EVALUATIONS_PER_STEP * link->chain.steps;
}

/* The whole path as one step: what is missing, in proportion to |attribution|, or to |end - start| where all are 0. */
static void close_whole(gig_link *link)
{
    size_t n = link->drive->features;
    double missing = link->value_end - link->value_start - link->sum;
    double weight = gig_sums_magnitude(link->attributions, n);
    if (missing == 0 || (weight == 0 && link->whole == 0)) return;
    for (size_t i = 0; i < n; i++) {
        double part = weight > 0 ? fabs(link->attributions[i]) / weight
                                 : fabs((double)link->end[i] - (double)link->start[i]) / link->whole;
        link->attributions[i] += missing * part;
    }
    link->totals.closed += fabs(missing);
}

/* Curves are closed as a whole unless they were closed step by step on the way. */
static int closes_whole(const gig_link *link)
{
    if (!link->drive->options.close || !link->curve) return 0;
    return !gig_rule_at_step_ends(link->rule) || link->drive->options.tolerance > 0;
}

gig_status gig_link_finish(gig_link *link)
{
    size_t n = link->drive->features;
    if (link->record) GIG_TRY(gig_record_assemble(link));
    link->sum = gig_sums_total(link->attributions, n);
    if (closes_whole(link)) {
        close_whole(link);
        link->sum = gig_sums_total(link->attributions, n);
    }
    if (isfinite(link->sum)) return GIG_OK;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(link->attributions[i]))
            return gig_fail(GIG_ENUMERIC, "the attribution of feature %zu is %f", i, link->attributions[i]);
    return gig_fail(GIG_ENUMERIC, "the sum of the attributions is %f", link->sum);
}

static int was_refined(const gig_link *link)
{
    return link->rounds || (link->record && link->record->by_trapezoid);
}

void gig_link_result(gig_chain_result *out, const gig_link *link)
{
    int open = link->chain.open;
    *out = (gig_chain_result){.features = link->drive->features,
                              .attributions = link->attributions,
                              .value_start = link->value_start,
                              .value_end = link->value_end,
                              .sum = link->sum,
                              .delta = open ? NAN : link->sum - (link->value_end - link->value_start),
                              .step_error = link->totals.step_error,
                              .noise = link->totals.noise,
                              .distance = open ? NAN : link->totals.distance,
                              .l1 = link->totals.l1,
                              .l2 = link->totals.l2,
                              .closed = link->drive->options.close ? link->totals.closed : NAN,
                              .evaluations = link->totals.evaluations,
                              .values = link->totals.values,
                              .rounds = link->rounds,
                              .rule = was_refined(link) ? GIG_RULE_TRAPEZOID : link->rule,
                              .stopped = link->stopped};
    if (link->curve && (!gig_rule_at_step_ends(link->rule) || link->rounds)) out->step_error = NAN;
    if (link->rule == GIG_RULE_GRADIENT) out->step_error = out->noise = out->l1 = out->l2 = out->closed = NAN;
}
