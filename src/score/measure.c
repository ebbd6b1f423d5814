/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of one map, each by the score of gig/score.h that its name stands for. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "gig/metric.h"
#include "image/blur.h"
#include "score/curve.h"
#include "score/pic.h"
#include <math.h>
#include <stdio.h>

enum { ROC_INTERVALS = 200 };

/* What the metrics of one call share. */
typedef struct bench {
    const gig_scored *scored;
    size_t pixels;
    float *reduced; /* [height, width], by `reduction` */
    int has_reduced;
    gig_reduction reduction;
    float *input; /* [height, width, 3] in [0,1]; NULL until needed */
    gig_pic *pic; /* ours, unless scored->pic keeps it */
    int pic_has_map;
} bench;

static void note(gig_metric_result *out, const char *text)
{
    out->value = NAN;
    snprintf(out->note, sizeof out->note, "%s", text);
}

static gig_status reduce(bench *b, gig_reduction reduction)
{
    if (b->has_reduced && b->reduction == reduction) return GIG_OK;
    if (!b->reduced && !(b->reduced = gig_alloc(b->pixels, sizeof *b->reduced))) return gig_alloc_status();
    b->has_reduced = b->pic_has_map = 0;
    GIG_TRY(gig_map_reduce(b->reduced, b->scored->attribution, b->pixels, b->scored->channels, reduction));
    b->has_reduced = 1;
    b->reduction = reduction;
    return GIG_OK;
}

static gig_status make_input(bench *b)
{
    if (b->input) return GIG_OK;
    b->input = gig_alloc(b->pixels * 3, sizeof *b->input);
    if (!b->input) return gig_alloc_status();
    for (size_t i = 0; i < b->pixels * 3; i++) b->input[i] = (float)b->scored->pixels[i] / 255.0f;
    return GIG_OK;
}

/* ---- against the ground truth ---- */

static gig_status measure_auc(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    gig_roc roc;
    gig_points curve;
    (void)metric;
    GIG_TRY(gig_roc_auc(&roc, b->reduced, b->scored->mask, b->pixels));
    out->value = roc.auc;
    if (isnan(roc.auc)) {
        note(out, roc.positives ? "the ground truth covers all pixels" : "the ground truth covers no pixel");
        return GIG_OK;
    }
    GIG_TRY(gig_roc_curve(&curve, b->reduced, b->scored->mask, b->pixels));
    gig_status status = gig_points_create(&out->curve, ROC_INTERVALS + 1);
    if (status == GIG_OK) status = gig_points_sample(out->curve.y, ROC_INTERVALS, &curve);
    for (size_t j = 0; status == GIG_OK && j <= ROC_INTERVALS; j++) out->curve.x[j] = (double)j / ROC_INTERVALS;
    gig_points_clear(&curve);
    return status;
}

static gig_status measure_pointing(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    (void)metric;
    GIG_TRY(gig_pointing_hit(&out->value, b->reduced, b->scored->mask, b->pixels));
    if (isnan(out->value)) note(out, "the ground truth covers no pixel, or the map is the same everywhere");
    return GIG_OK;
}

static gig_status measure_gini(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    (void)metric;
    GIG_TRY(gig_gini(&out->value, b->reduced, b->pixels));
    if (isnan(out->value)) note(out, "the map is zero everywhere");
    return GIG_OK;
}

/* ---- against the model ---- */

static const gig_function *probabilities(const gig_scored *scored)
{
    return scored->probability_functions ? scored->probability_functions : scored->functions;
}

/* The picture's part of SIC and AIC: the caller's, where it keeps one, else this call's. */
static gig_status open_pic(gig_pic **out, bench *b, const gig_metric *metric)
{
    const gig_scored *scored = b->scored;
    gig_pic **place = scored->pic ? scored->pic : &b->pic;
    const gig_pic_options options = {.fraction = metric->fraction,
                                     .least_prediction = metric->least,
                                     .seed = scored->seed,
                                     .picture = scored->picture,
                                     .threads = scored->threads};
    if (*place && !gig_pic_has(*place, &options)) {
        gig_pic_free(*place);
        *place = NULL;
    }
    if (!*place) {
        GIG_TRY(gig_pic_create(place, scored->pixels, scored->height, scored->width, 3, &options));
        b->pic_has_map = 0;
    }
    if (!b->pic_has_map) GIG_TRY(gig_pic_set_map(*place, b->reduced));
    b->pic_has_map = 1;
    *out = *place;
    return GIG_OK;
}

static gig_status measure_information(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    gig_pic *pic;
    gig_pic_result result;
    const gig_scored *scored = b->scored;
    const gig_function *functions = metric->kind == GIG_METRIC_AIC ? scored->argmax_functions : probabilities(scored);
    GIG_TRY(open_pic(&pic, b, metric));
    GIG_TRY(gig_pic_score(&result, pic, scored->workers, functions, scored->target));
    out->value = result.auc;
    if (result.outcome != GIG_PIC_SCORED) note(out, gig_pic_outcome_text(result.outcome));
    out->curve = result.points;
    result.points = (gig_points){0};
    gig_pic_result_clear(&result);
    return GIG_OK;
}

/* The input blurred, its border mirrored so that it does not darken. */
static gig_status blur_input(float *out, const bench *b, double sigma)
{
    double *values = gig_alloc(b->pixels * 3, sizeof *values);
    if (!values) return gig_alloc_status();
    for (size_t i = 0; i < b->pixels * 3; i++) values[i] = (double)b->input[i];
    gig_status status = gig_blur_exact(values, b->scored->height, b->scored->width, 3, sigma, sigma, GIG_BORDER_MIRROR);
    for (size_t i = 0; i < b->pixels * 3; i++) out[i] = (float)values[i];
    gig_free(values);
    return status;
}

static gig_status replace(gig_metric_result *out, const bench *b, const gig_metric *metric, const float *from,
                          const float *to)
{
    const gig_replacement job = {from, to, b->reduced, b->pixels, 3, metric->steps};
    GIG_TRY(gig_points_create(&out->curve, metric->steps + 1));
    for (size_t i = 0; i <= metric->steps; i++) out->curve.x[i] = (double)i / (double)metric->steps;
    return gig_replacement_score(&out->value, out->curve.y, b->scored->workers, probabilities(b->scored),
                                 b->scored->target, &job);
}

static gig_status measure_replacement(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    if (metric->kind == GIG_METRIC_DELETION) return replace(out, b, metric, b->input, NULL);
    float *blurred = gig_alloc(b->pixels * 3, sizeof *blurred);
    if (!blurred) return gig_alloc_status();
    gig_status status = blur_input(blurred, b, metric->sigma);
    if (status == GIG_OK) status = replace(out, b, metric, blurred, b->input);
    gig_free(blurred);
    return status;
}

static gig_status measure_infidelity(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    const gig_scored *scored = b->scored;
    if (scored->channels != 3) {
        note(out, "the method gives one value per pixel, not one per input value");
        return GIG_OK;
    }
    if (scored->no_slopes) {
        note(out, scored->no_slopes);
        return GIG_OK;
    }
    gig_infidelity_options options = {.samples = metric->samples,
                                      .noise = metric->noise,
                                      .seed = scored->seed,
                                      .baseline = scored->baseline,
                                      .local = scored->is_gradient};
    return gig_infidelity(&out->value, scored->workers, scored->functions, scored->target, b->input,
                          scored->attribution, &options);
}

static gig_status measure_sensitivity(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    const gig_scored *scored = b->scored;
    if (scored->channels != 3) {
        note(out, "the method gives one value per pixel, not one per input value");
        return GIG_OK;
    }
    gig_sensitivity_options options = {.samples = metric->samples, .radius = metric->radius, .seed = scored->seed};
    return gig_sensitivity_max(&out->value, b->input, scored->attribution, b->pixels * 3, scored->explain,
                               scored->explain_payload, &options);
}

static gig_status measure_completeness(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    (void)metric;
    const gig_scored *scored = b->scored;
    gig_completeness found = gig_completeness_of(scored->sum, scored->value_input, scored->value_baseline);
    if (isnan(found.delta))
        note(out, "the method does not add up to a difference");
    else if (found.difference == 0)
        note(out, "the model says the same of the picture and of the baseline");
    else if (!isfinite(found.relative))
        return gig_fail(GIG_ENUMERIC, "what the map should add up to is %g, its sum %g", found.difference, found.sum);
    else
        out->value = found.relative;
    return GIG_OK;
}

static gig_status measure_closed(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    const gig_scored *scored = b->scored;
    gig_closed_options options = {
        .paths = metric->paths, .seed = scored->seed, .picture = scored->picture, .drive = scored->drive};
    gig_closed_error error;
    if (metric->pictures) {
        if (!scored->corner) return gig_fail(GIG_EARG, "there are no other pictures for its corners");
        options.corner = scored->corner;
        options.payload = scored->corner_payload;
    }
    GIG_TRY(gig_closed_path(&error, scored->workers, scored->functions, scored->side, b->input, &options));
    out->value = error.mean_square;
    return GIG_OK;
}

/* ---- one after the other ---- */

static gig_status (*const measures[GIG_METRIC_KINDS])(gig_metric_result *, bench *, const gig_metric *) = {
    measure_auc,         measure_pointing,     measure_gini,        measure_information,
    measure_information, measure_replacement,  measure_replacement, measure_infidelity,
    measure_sensitivity, measure_completeness, measure_closed,
};

static gig_status check_needs(const gig_scored *scored, unsigned needs)
{
    if (needs & GIG_METRIC_NEEDS_MAP && !scored->attribution) return gig_fail(GIG_EARG, "it needs a map");
    if (needs & GIG_METRIC_NEEDS_PICTURE && !scored->pixels) return gig_fail(GIG_EARG, "it needs the picture");
    if (needs & GIG_METRIC_NEEDS_FUNCTION && (!scored->workers || !scored->functions))
        return gig_fail(GIG_EARG, "it needs a model");
    if (needs & GIG_METRIC_NEEDS_ARGMAX && (!scored->workers || !scored->argmax_functions))
        return gig_fail(GIG_EARG, "it needs a model");
    if (needs & GIG_METRIC_NEEDS_EXPLAINER && !scored->explain) return gig_fail(GIG_EARG, "it needs the method itself");
    return GIG_OK;
}

static gig_status measure(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    GIG_TRY(gig_metric_check(metric));
    unsigned needs = gig_metric_needs(metric);
    double start = gig_seconds_now();
    GIG_TRY(check_needs(b->scored, needs));
    if (needs & GIG_METRIC_NEEDS_TRUTH && !b->scored->mask) {
        note(out, "there is no ground truth");
        return GIG_OK;
    }
    if (needs & GIG_METRIC_NEEDS_PATH && !b->scored->side) {
        note(out, "the method does not walk from point to point");
        return GIG_OK;
    }
    if (needs & GIG_METRIC_NEEDS_MAP) GIG_TRY(reduce(b, metric->reduction));
    if (needs & GIG_METRIC_NEEDS_PICTURE) GIG_TRY(make_input(b));
    GIG_TRY(measures[metric->kind](out, b, metric));
    out->seconds = gig_seconds_now() - start;
    return GIG_OK;
}

void gig_metric_result_clear(gig_metric_result *result)
{
    if (!result) return;
    gig_points_clear(&result->curve);
    *result = (gig_metric_result){0};
}

gig_status gig_metrics_score(gig_metric_result *results, const gig_metric *metrics, size_t count,
                             const gig_scored *scored)
{
    bench b = {.scored = scored, .pixels = scored->height * scored->width};
    gig_status status = GIG_OK;
    for (size_t i = 0; i < count; i++) results[i] = (gig_metric_result){.value = NAN};
    for (size_t i = 0; i < count && status == GIG_OK; i++) {
        char name[GIG_METRIC_NAME_BYTES];
        status = measure(&results[i], &b, &metrics[i]);
        if (status != GIG_OK) gig_fail_in(status, "metric %s", gig_metric_name(name, sizeof name, &metrics[i]));
    }
    for (size_t i = 0; i < count && status != GIG_OK; i++) gig_metric_result_clear(&results[i]);
    gig_free(b.reduced);
    gig_free(b.input);
    gig_pic_free(b.pic);
    return status;
}
