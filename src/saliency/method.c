/* SPDX-License-Identifier: Apache-2.0 */
/* A method as a struct: its defaults, its options, whether it is valid, what it costs. */
#include "saliency/method.h"
#include "base/size.h"
#include "base/status.h"
#include "internal/path.h"
#include "path/rules.h"
#include "saliency/method_run.h"
#include "saliency/rows.h"
#include <math.h>

void gig_method_init(gig_method *method)
{
    *method = (gig_method){.row = &gig_row_guided_ig,
                           .anchors = 20,
                           .min_pixels = 50,
                           .samples = 10,
                           .noise = 0.15,
                           .repeat = 1,
                           .steps = 200,
                           .baseline_count = 1};
}

unsigned gig_method_traits(const gig_method *method)
{
    unsigned traits = method->row ? method->row->traits : 0;
    if (traits & GIG_METHOD_PATH && !method->row->guide) traits |= GIG_METHOD_CURVE;
    if (method->smooth) traits |= GIG_METHOD_SMOOTH;
    if (method->xrai) traits |= GIG_METHOD_XRAI | GIG_METHOD_PICTURE | GIG_METHOD_PER_PIXEL | GIG_METHOD_AREAS;
    return traits;
}

int gig_method_per_pixel(const gig_method *method)
{
    return (gig_method_traits(method) & GIG_METHOD_PER_PIXEL) != 0;
}

gig_rule gig_method_rule(const gig_method *method)
{
    return method->row->traits & GIG_METHOD_PATH && method->rule ? method->rule : method->row->rule;
}

size_t gig_method_samples(const gig_method *method)
{
    return method->smooth ? method->samples : gig_method_draws(method);
}

size_t gig_method_draws(const gig_method *method)
{
    return method->row->traits & GIG_METHOD_PATH ? method->repeat : 1;
}

size_t gig_method_baselines(const gig_method *method)
{
    if (!(method->row->traits & GIG_METHOD_BASELINE)) return 1;
    if (method->baseline == GIG_BASELINE_BLACK_WHITE) return 2;
    int counted = method->baseline == GIG_BASELINE_RANDOM || method->baseline == GIG_BASELINE_GIVEN;
    return counted ? method->baseline_count : 1;
}

size_t gig_method_segments(const gig_method *method)
{
    return method->row->traits & GIG_METHOD_ANCHORS ? method->anchors + 1 : 1;
}

size_t gig_method_steps(const gig_method *method)
{
    if (method->row->traits & GIG_METHOD_ANCHORS && method->steps_per_segment)
        return method->steps_per_segment * gig_method_segments(method);
    return method->steps;
}

size_t gig_method_max_evaluations(const gig_method *method)
{
    return method->max_evaluations ? method->max_evaluations : GIG_EVALUATIONS_PER_STEP * gig_method_steps(method);
}

static size_t chain_evaluations(const gig_method *method)
{
    const gig_method_row *row = method->row;
    gig_rule rule = gig_method_rule(method);
    size_t steps = gig_method_steps(method);
    if (row->map && row->map->gradients) return row->map->gradients(method);
    if (row->map) return row->map->values || row->traits & GIG_METHOD_NO_MODEL ? 0 : 1;
    if (rule == GIG_RULE_GRADIENT) return 1;
    if (!row->guide) return gig_rule_node_count(rule, steps);
    if (rule == GIG_RULE_RIGHT || rule == GIG_RULE_TRAPEZOID) return steps + 1;
    /* Refinement starts from the trapezoid rule, which also needs the gradient at the end. */
    return (rule == GIG_RULE_MIDPOINT ? 2 : 1) * steps + (method->tolerance > 0 && rule != GIG_RULE_IDGI);
}

size_t gig_method_values(const gig_method *method, const gig_picture_shape *shape)
{
    size_t out, of_sample = method->row->map && method->row->map->values ? method->row->map->values(method, shape) : 0;
    return gig_size_multiply(&out, of_sample, gig_method_samples(method)) ? out : SIZE_MAX;
}

size_t gig_method_evaluations(const gig_method *method)
{
    size_t chains, out;
    if (!gig_size_multiply(&chains, gig_method_samples(method), gig_method_baselines(method)) ||
        !gig_size_multiply(&out, chains, chain_evaluations(method)))
        return SIZE_MAX;
    return out;
}

/* ---- is it valid? ---- */

static gig_status check_count(const char *option, size_t value, size_t most)
{
    if (value >= 1 && value <= most) return GIG_OK;
    return gig_fail(GIG_EARG, "%s=%zu: expected 1 to %zu", option, value, most);
}

static gig_status check_smooth(const gig_method *method)
{
    if ((size_t)method->smooth_kind > GIG_SMOOTH_VARIANCE)
        return gig_fail(GIG_EARG, "smooth: unknown kind %d", (int)method->smooth_kind);
    GIG_TRY(check_count("samples", method->samples, GIG_MOST_COPIES));
    return gig_check_number("noise", method->noise, 0, 0, 1e6);
}

static gig_status check_path(const gig_method *method)
{
    gig_rule rule = gig_method_rule(method);
    const char *base = method->row->name;
    if (rule == GIG_RULE_GRADIENT || (size_t)rule > GIG_RULE_RANDOM)
        return gig_fail(GIG_EARG, "%s: \"%s\" is not a rule for a path method", base, gig_rule_name(rule));
    if (method->row->guide && !gig_rule_on_guides(rule))
        return gig_fail(GIG_EARG,
                        "%s: rule %s needs a path known in advance (ig, blur-ig, sig); expected left, right, "
                        "trapezoid, midpoint or idgi",
                        base, gig_rule_name(rule));
    if (gig_rule_check_steps(rule, gig_method_steps(method)) != GIG_OK) return GIG_EARG;
    if (!method->row->guide) {
        const gig_chain nodes = {.rule = rule, .adaptive = method->adaptive, .until = method->until};
        const gig_drive_options drive = {.tolerance = method->tolerance, .close = method->close};
        GIG_TRY(gig_rule_check_nodes(&nodes, &drive));
    }
    GIG_TRY(check_count("repeat", method->repeat, GIG_MOST_COPIES));
    if (method->smooth && method->repeat > 1)
        return gig_fail(GIG_EARG,
                        "repeat=%zu: smooth+ already takes the mean over samples; use samples=N, or leave "
                        "smooth+ out",
                        method->repeat);
    return gig_check_number("tolerance", method->tolerance, 0, 0, 1e6);
}

static gig_status check_anchors(const gig_method *method)
{
    size_t steps = 0;
    const char *base = method->row->name;
    if (method->anchors > GIG_MOST_COPIES)
        return gig_fail(GIG_EARG, "%s:%zu: at most %d anchors", base, method->anchors, GIG_MOST_COPIES);
    size_t segments = method->anchors + 1;
    if (!gig_size_multiply(&steps, method->steps_per_segment, segments) || steps > GIG_MOST_STEPS)
        return gig_fail(GIG_EARG, "steps-per-segment=%zu with %zu segments: expected at most %d steps in total",
                        method->steps_per_segment, segments, GIG_MOST_STEPS);
    if (!method->steps_per_segment && method->steps < segments)
        return gig_fail(GIG_EARG,
                        "%s:%zu: %zu steps are too few for %zu segments: expected at least one step per segment", base,
                        method->anchors, method->steps, segments);
    return GIG_OK;
}

static gig_status check_baseline(const gig_method *method)
{
    if ((size_t)method->baseline > GIG_BASELINE_GIVEN)
        return gig_fail(GIG_EARG, "baseline: unknown kind %d", (int)method->baseline);
    if (method->baseline == GIG_BASELINE_RANDOM || method->baseline == GIG_BASELINE_GIVEN)
        return check_count("baseline=random:N, N", method->baseline_count, GIG_MOST_COPIES);
    if (method->baseline == GIG_BASELINE_BLUR)
        return gig_check_number("baseline=blur:SIGMA, SIGMA", method->baseline_sigma, 0, 1, 1e5);
    return GIG_OK;
}

gig_status gig_method_check(const gig_method *method)
{
    if (!method->row) return gig_fail(GIG_EARG, "the method has no row");
    unsigned traits = gig_method_traits(method);
    if (traits & GIG_METHOD_XRAI) GIG_TRY(check_count("min-pixels", method->min_pixels, GIG_MOST_COPIES));
    if (traits & GIG_METHOD_SMOOTH) GIG_TRY(check_smooth(method));
    GIG_TRY(gig_own_options_check(method));
    if (traits & GIG_METHOD_ANCHORS) GIG_TRY(check_anchors(method));
    if (traits & GIG_METHOD_PATH) GIG_TRY(check_path(method));
    if (traits & GIG_METHOD_BASELINE) GIG_TRY(check_baseline(method));
    return method->row->check ? method->row->check(method, NULL) : GIG_OK;
}
