/* SPDX-License-Identifier: Apache-2.0 */
/* Infidelity and maximum sensitivity (Yeh et al. 2019), by Captum's definitions. */
#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "internal/score.h"
#include "score/measure.h"
#include "score/picture_values.h"
#include "score/random_streams.h"
#include <math.h>
#include <string.h>

enum { USUAL_SAMPLES = 10, MOST_SAMPLES = 1000000 };

typedef struct trial {
    const gig_infidelity_options *options;
    const float *input, *attribution;
    size_t features, target;
    double noise;
    double *products; /* [samples], I . attribution */
} trial;

static gig_status perturb(const trial *t, size_t sample, float *point)
{
    const gig_infidelity_options *options = t->options;
    if (options->perturb) return options->perturb(options->payload, sample, point, t->input, t->features);
    gig_rng rng = {options->seed, gig_score_stream(GIG_DRAW_INFIDELITY, sample)};
    for (size_t i = 0; i < t->features; i++) point[i] = (float)(t->input[i] + t->noise * gig_rng_normal(rng, i));
    return GIG_OK;
}

static double product(const trial *t, const float *point)
{
    double sum = 0;
    for (size_t i = 0; i < t->features; i++) {
        double moved = (double)t->input[i] - (double)point[i];
        double range = (double)t->input[i] - (t->options->baseline ? (double)t->options->baseline[i] : 0.0);
        if (!t->options->local) moved = range != 0 ? moved / range : 0;
        sum += moved * (double)t->attribution[i];
    }
    return sum;
}

/* Point 0 is the input, point 1 + s the perturbed input of sample s. */
static gig_status make_point(void *payload, size_t index, float *point, size_t *target)
{
    const trial *t = payload;
    *target = t->target;
    if (index == 0) {
        memcpy(point, t->input, t->features * sizeof *point);
        return GIG_OK;
    }
    GIG_TRY(perturb(t, index - 1, point));
    t->products[index - 1] = product(t, point);
    return GIG_OK;
}

/* values[0] is F(x), values[1 + s] F(x'). */
static double mean_error(const double *values, const double *products, size_t samples, int normalize)
{
    double scale = 1, error = 0;
    if (normalize) {
        double both = 0, squares = 0;
        for (size_t s = 0; s < samples; s++) {
            both += products[s] * (values[0] - values[1 + s]);
            squares += products[s] * products[s];
        }
        scale = squares > 0 ? both / squares : 1;
    }
    for (size_t s = 0; s < samples; s++) {
        double gap = scale * products[s] - (values[0] - values[1 + s]);
        error += gap * gap;
    }
    return error / (double)samples;
}

gig_status gig_infidelity(double *out, gig_functions functions, size_t target, const float *input,
                          const float *attribution, const gig_infidelity_options *options)
{
    const gig_infidelity_options none = GIG_INFIDELITY_OPTIONS_INIT;
    if (!options) options = &none;
    size_t samples = options->samples ? options->samples : USUAL_SAMPLES;
    if (samples > MOST_SAMPLES) return gig_fail(GIG_ELIMIT, "%zu samples exceed %d", samples, MOST_SAMPLES);
    if (!functions.workers) return gig_fail(GIG_EARG, "no function to evaluate");
    double *values = gig_alloc(samples + 1, sizeof *values), *products = gig_alloc(samples, sizeof *products);
    trial t = {options, input, attribution, functions.each->features, target, options->noise, products};
    if (t.noise == 0) t.noise = 0.003;
    gig_status status = values && products ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) status = gig_values(values, functions, t.features, samples + 1, make_point, &t);
    if (status == GIG_OK) *out = mean_error(values, products, samples, options->normalize);
    gig_free(products);
    gig_free(values);
    if (status == GIG_OK && !isfinite(*out)) return gig_fail(GIG_ENUMERIC, "the infidelity is not finite");
    return status;
}

static gig_status shake(const gig_sensitivity_options *options, size_t sample, float *point, const float *input,
                        size_t features)
{
    if (options->perturb) return options->perturb(options->payload, sample, point, input, features);
    double radius = options->radius != 0 ? options->radius : 0.02;
    gig_rng rng = {options->seed, gig_score_stream(GIG_DRAW_SENSITIVITY, sample)};
    for (size_t i = 0; i < features; i++)
        point[i] = (float)((double)input[i] + radius * (2 * gig_rng_uniform(rng, i) - 1));
    return GIG_OK;
}

/* |a - b|; b NULL: |a|. */
static double distance(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double gap = (double)a[i] - (b ? (double)b[i] : 0.0);
        sum += gap * gap;
    }
    return sqrt(sum);
}

gig_status gig_sensitivity_max(double *out, const float *input, const float *attribution, size_t features,
                               gig_explain_callback explain, void *payload, const gig_sensitivity_options *options)
{
    const gig_sensitivity_options none = GIG_SENSITIVITY_OPTIONS_INIT;
    if (!options) options = &none;
    size_t samples = options->samples ? options->samples : USUAL_SAMPLES;
    float *point = gig_alloc(features, sizeof *point), *other = gig_alloc(features, sizeof *other);
    gig_status status = point && other ? GIG_OK : gig_alloc_status();
    double norm = distance(attribution, NULL, features), largest = 0;
    if (norm == 0) norm = 1;
    for (size_t s = 0; s < samples && status == GIG_OK; s++) {
        status = shake(options, s, point, input, features);
        if (status == GIG_OK) status = explain(payload, other, point);
        double found = status == GIG_OK ? distance(attribution, other, features) / norm : 0;
        if (!isfinite(found)) status = gig_fail(GIG_ENUMERIC, "the map of sample %zu is not finite", s);
        if (found > largest) largest = found;
    }
    if (status == GIG_OK) *out = largest;
    gig_free(other);
    gig_free(point);
    return status;
}

/* ---- the rows ---- */

static gig_status measure_infidelity(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    const gig_scored *scored = with->scored;
    if (scored->no_slopes) {
        gig_metric_note(out, scored->no_slopes);
        return GIG_OK;
    }
    gig_infidelity_options options = {.samples = (size_t)gig_metric_number(metric, "samples"),
                                      .noise = gig_metric_number(metric, "noise"),
                                      .seed = scored->seed,
                                      .baseline = scored->baseline,
                                      .local = scored->is_gradient};
    return gig_infidelity(&out->value, gig_measuring_functions(with), scored->target, with->input, scored->attribution,
                          &options);
}

static gig_status measure_sensitivity(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    const gig_scored *scored = with->scored;
    gig_sensitivity_options options = {.samples = (size_t)gig_metric_number(metric, "samples"),
                                       .radius = gig_metric_number(metric, "radius"),
                                       .seed = scored->seed};
    return gig_sensitivity_max(&out->value, with->input, scored->attribution, with->pixels * 3, scored->explain,
                               scored->explain_payload, &options);
}

static gig_metric_cost infidelity_cost(const gig_metric *metric, const gig_metric_cost *map,
                                       const gig_metric_cost *chain)
{
    (void)map, (void)chain;
    return (gig_metric_cost){0, gig_metric_number(metric, "samples") + 1};
}

static gig_metric_cost sensitivity_cost(const gig_metric *metric, const gig_metric_cost *map,
                                        const gig_metric_cost *chain)
{
    double samples = gig_metric_number(metric, "samples");
    (void)chain;
    return (gig_metric_cost){samples * map->gradients, samples * map->values};
}

static const gig_method_option infidelity_options[] = {
    GIG_OPTION_ABOVE_0("noise", "Standard deviation of the perturbations.", 0.003, 1000),
    GIG_OPTION_TIMES("samples", "Perturbed inputs.", 10, 1000000)};
static const gig_method_option sensitivity_options[] = {
    GIG_OPTION_ABOVE_0("radius", "Largest perturbation of a value.", 0.02, 1000),
    GIG_OPTION_TIMES("samples", "Perturbed inputs.", 10, 1000000)};

const gig_metric_row gig_metric_row_infidelity = {
    .name = "infidelity",
    .help = "Mean squared error of the map as a linear prediction of small input changes.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION | GIG_METRIC_NEEDS_FEATURES,
    .traits = GIG_METRIC_LESS_IS_BETTER | GIG_METRIC_TINY,
    GIG_OPTIONS(infidelity_options),
    .measure = measure_infidelity,
    .cost = infidelity_cost};

const gig_metric_row gig_metric_row_sensitivity = {
    .name = "sensitivity",
    .help = "Largest change of the map under small changes of the input.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_EXPLAINER | GIG_METRIC_NEEDS_FEATURES,
    .traits = GIG_METRIC_LESS_IS_BETTER,
    GIG_OPTIONS(sensitivity_options),
    .measure = measure_sensitivity,
    .cost = sensitivity_cost};
