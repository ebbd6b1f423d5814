/* SPDX-License-Identifier: Apache-2.0 */
/* A method as a struct: its defaults, what concerns it, whether it makes sense, what it costs. */
#include "saliency/method.h"
#include "base/size.h"
#include "base/status.h"
#include "path/rules.h"
#include <math.h>

static const char *const base_names[] = {
    [GIG_BASE_GRADIENTS] = "gradients", [GIG_BASE_GRADIENTS_X_INPUT] = "gradients-x-input",
    [GIG_BASE_EDGE] = "edge",           [GIG_BASE_IG] = "ig",
    [GIG_BASE_BLUR_IG] = "blur-ig",     [GIG_BASE_GUIDED_IG] = "gig",
    [GIG_BASE_GRAD_CAM] = "grad-cam",   [GIG_BASE_GUIDED_BACKPROP] = "guided-backprop",
    [GIG_BASE_OCCLUSION] = "occlusion",
};

void gig_method_init(gig_method *method)
{
    *method = (gig_method){.base = GIG_BASE_GUIDED_IG,
                           .anchors = 20,
                           .min_pixels = 50,
                           .samples = 10,
                           .noise = 0.15,
                           .repeat = 1,
                           .steps = 200,
                           .fraction = 0.1,
                           .baseline_count = 1,
                           .sigma = 35,
                           .window = {15, 15},
                           .stride = {1, 1}};
}

const char *gig_base_name(gig_base base)
{
    return (size_t)base < sizeof base_names / sizeof *base_names ? base_names[base] : NULL;
}

unsigned gig_method_concerns(const gig_method *method)
{
    unsigned concerns = (method->xrai ? GIG_CONCERN_XRAI : 0u) | (method->smooth ? GIG_CONCERN_SMOOTH : 0u);
    switch (method->base) {
    case GIG_BASE_IG: return concerns | GIG_CONCERN_PATH | GIG_CONCERN_BASELINE;
    case GIG_BASE_BLUR_IG: return concerns | GIG_CONCERN_PATH | GIG_CONCERN_BLUR;
    case GIG_BASE_GUIDED_IG: return concerns | GIG_CONCERN_PATH | GIG_CONCERN_BASELINE | GIG_CONCERN_GUIDED;
    case GIG_BASE_OCCLUSION: return concerns | GIG_CONCERN_OCCLUSION;
    default: return concerns;
    }
}

int gig_method_per_pixel(const gig_method *method)
{
    return method->xrai || method->base == GIG_BASE_EDGE || method->base == GIG_BASE_GRAD_CAM ||
           method->base == GIG_BASE_OCCLUSION;
}

gig_rule gig_method_rule(const gig_method *method)
{
    switch (method->base) {
    case GIG_BASE_GRADIENTS:
    case GIG_BASE_GRADIENTS_X_INPUT:
    case GIG_BASE_GUIDED_BACKPROP: return GIG_RULE_GRADIENT;
    case GIG_BASE_IG: return method->rule ? method->rule : GIG_RULE_MIDPOINT;
    case GIG_BASE_BLUR_IG: return method->rule ? method->rule : GIG_RULE_RIGHT;
    case GIG_BASE_GUIDED_IG: return method->rule ? method->rule : GIG_RULE_LEFT;
    default: return GIG_RULE_DEFAULT;
    }
}

size_t gig_method_samples(const gig_method *method)
{
    return method->smooth ? method->samples : gig_method_draws(method);
}

size_t gig_method_draws(const gig_method *method)
{
    return gig_method_concerns(method) & GIG_CONCERN_PATH ? method->repeat : 1;
}

size_t gig_method_baselines(const gig_method *method)
{
    if (!(gig_method_concerns(method) & GIG_CONCERN_BASELINE)) return 1;
    if (method->baseline == GIG_BASELINE_BLACK_WHITE) return 2;
    return method->baseline == GIG_BASELINE_RANDOM ? method->baseline_count : 1;
}

size_t gig_method_segments(const gig_method *method)
{
    return method->base == GIG_BASE_GUIDED_IG ? method->anchors + 1 : 1;
}

size_t gig_method_steps(const gig_method *method)
{
    if (method->base == GIG_BASE_GUIDED_IG && method->steps_per_segment)
        return method->steps_per_segment * gig_method_segments(method);
    return method->steps;
}

size_t gig_method_max_evaluations(const gig_method *method)
{
    return method->max_evaluations ? method->max_evaluations : GIG_EVALUATIONS_PER_STEP * gig_method_steps(method);
}

static size_t chain_evaluations(const gig_method *method)
{
    gig_rule rule = gig_method_rule(method);
    size_t steps = gig_method_steps(method);
    switch (method->base) {
    case GIG_BASE_EDGE:
    case GIG_BASE_OCCLUSION: return 0;
    case GIG_BASE_IG:
    case GIG_BASE_BLUR_IG: return gig_rule_node_count(rule, steps);
    case GIG_BASE_GUIDED_IG:
        if (rule == GIG_RULE_RIGHT || rule == GIG_RULE_TRAPEZOID) return steps + 1;
        /* What refinement starts from needs the gradient at the end too. */
        return (rule == GIG_RULE_MIDPOINT ? 2 : 1) * steps + (method->tolerance > 0 && rule != GIG_RULE_IDGI);
    default: return 1;
    }
}

size_t gig_method_evaluations(const gig_method *method)
{
    size_t chains, out;
    if (!gig_size_multiply(&chains, gig_method_samples(method), gig_method_baselines(method)) ||
        !gig_size_multiply(&out, chains, chain_evaluations(method)))
        return SIZE_MAX;
    return out;
}

/* ---- does it make sense? ---- */

static gig_status check_number(const char *option, double value, double least, int open, double most)
{
    if (isfinite(value) && (open ? value > least : value >= least) && value <= most) return GIG_OK;
    return gig_fail(GIG_EARG, "%s=%g: %s %g and at most %g", option, value, open ? "more than" : "at least", least,
                    most);
}

static gig_status check_count(const char *option, size_t value, size_t most)
{
    if (value >= 1 && value <= most) return GIG_OK;
    return gig_fail(GIG_EARG, "%s=%zu: at least 1 and at most %zu", option, value, most);
}

static gig_status check_smooth(const gig_method *method)
{
    if ((size_t)method->smooth_kind > GIG_SMOOTH_VARIANCE)
        return gig_fail(GIG_EARG, "smooth: kind %d is none", (int)method->smooth_kind);
    GIG_TRY(check_count("samples", method->samples, GIG_MOST_COPIES));
    return check_number("noise", method->noise, 0, 0, 1e6);
}

static gig_status check_path(const gig_method *method)
{
    gig_rule rule = gig_method_rule(method);
    const char *base = base_names[method->base];
    if (rule == GIG_RULE_GRADIENT || (size_t)rule > GIG_RULE_CAPTUM_TRAPEZOID)
        return gig_fail(GIG_EARG, "%s: \"%s\" is no rule for a path", base, gig_rule_name(rule));
    if (method->base == GIG_BASE_GUIDED_IG && !gig_rule_on_guides(rule))
        return gig_fail(GIG_EARG, "%s: rule %s is for ig and blur-ig; here left, right, trapezoid, midpoint or idgi",
                        base, gig_rule_name(rule));
    if (gig_rule_check_steps(rule, gig_method_steps(method)) != GIG_OK) return GIG_EARG;
    GIG_TRY(check_count("repeat", method->repeat, GIG_MOST_COPIES));
    if (method->smooth && method->repeat > 1)
        return gig_fail(GIG_EARG,
                        "repeat=%zu: smooth+ already takes the mean over samples; use samples=N, or leave "
                        "smooth+ out",
                        method->repeat);
    return check_number("tolerance", method->tolerance, 0, 0, 1e6);
}

static gig_status check_guided(const gig_method *method)
{
    size_t steps = 0;
    GIG_TRY(check_number("fraction", method->fraction, 0, 1, 1));
    if (method->bounded) GIG_TRY(check_number("max-dist", method->max_dist, 0, 0, 1));
    if (method->anchors > GIG_MOST_COPIES)
        return gig_fail(GIG_EARG, "gig:%zu: at most %d anchors", method->anchors, GIG_MOST_COPIES);
    size_t segments = method->anchors + 1;
    if (!gig_size_multiply(&steps, method->steps_per_segment, segments) || steps > GIG_MOST_STEPS)
        return gig_fail(GIG_EARG, "steps-per-segment=%zu with %zu segments: at most %d steps in all",
                        method->steps_per_segment, segments, GIG_MOST_STEPS);
    if (!method->steps_per_segment && method->steps < segments)
        return gig_fail(GIG_EARG, "gig:%zu: %zu steps cannot be shared by %zu segments", method->anchors, method->steps,
                        segments);
    return GIG_OK;
}

static gig_status check_baseline(const gig_method *method)
{
    if ((size_t)method->baseline > GIG_BASELINE_GIVEN)
        return gig_fail(GIG_EARG, "baseline: kind %d is none", (int)method->baseline);
    if (method->baseline == GIG_BASELINE_RANDOM)
        return check_count("baseline=random:N, N", method->baseline_count, GIG_MOST_COPIES);
    if (method->baseline == GIG_BASELINE_BLUR)
        return check_number("baseline=blur:SIGMA, SIGMA", method->baseline_sigma, 0, 1, 1e5);
    return GIG_OK;
}

static gig_status check_occlusion(const gig_method *method)
{
    for (int i = 0; i < 2; i++) {
        GIG_TRY(check_count("window", method->window[i], GIG_MOST_COPIES));
        GIG_TRY(check_count("stride", method->stride[i], GIG_MOST_COPIES));
        if (method->stride[i] > method->window[i])
            return gig_fail(GIG_EARG, "occlusion: stride %zu is larger than the window's %zu: pixels would be left out",
                            method->stride[i], method->window[i]);
    }
    return check_number("value", method->value, -1e30, 0, 1e30);
}

gig_status gig_method_check(const gig_method *method)
{
    if (!gig_base_name(method->base)) return gig_fail(GIG_EARG, "base %d is none", (int)method->base);
    unsigned concerns = gig_method_concerns(method);
    if (concerns & GIG_CONCERN_XRAI) GIG_TRY(check_count("min-pixels", method->min_pixels, GIG_MOST_COPIES));
    if (concerns & GIG_CONCERN_SMOOTH) GIG_TRY(check_smooth(method));
    if (concerns & GIG_CONCERN_GUIDED) GIG_TRY(check_guided(method));
    if (concerns & GIG_CONCERN_PATH) GIG_TRY(check_path(method));
    if (concerns & GIG_CONCERN_BASELINE) GIG_TRY(check_baseline(method));
    if (concerns & GIG_CONCERN_BLUR) GIG_TRY(check_number("sigma", method->sigma, 0, 1, 1e5));
    if (concerns & GIG_CONCERN_OCCLUSION) GIG_TRY(check_occlusion(method));
    return GIG_OK;
}
