/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of one map, each by the score of gig/score.h that its name stands for. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "gig/metric.h"
#include "gig/number.h"
#include "image/blur.h"
#include "score/curve.h"
#include "score/pic.h"
#include "score/stream.h"
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

/* A number of 56 bits from the picture's bytes (FNV-1a): whoever scores the same pixels, under whatever name, draws the
 * same random ones. */
static uint64_t picture_number(const bench *b)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < b->pixels * 3; i++) hash = (hash ^ b->scored->pixels[i]) * 0x100000001b3;
    return hash >> 8;
}

/* The picture's part of SIC and AIC: the caller's, where it keeps one, else this call's. Draw d is what seed + d draws.
 */
static gig_status open_pic(gig_pic **out, bench *b, const gig_metric *metric, size_t draw)
{
    const gig_scored *scored = b->scored;
    gig_pic **place = scored->pic ? scored->pic : &b->pic;
    const gig_pic_options options = {.fraction = metric->fraction,
                                     .least_prediction = metric->least,
                                     .seed = scored->seed + draw,
                                     .picture = picture_number(b),
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

/* What the draws of random pixels have given so far. */
typedef struct draws {
    size_t scored;
    double mean, spread; /* Welford's: sum of squares around the mean */
    double *curve;       /* sum of the sampled curves */
    size_t intervals;
} draws;

static gig_status add_draw(draws *all, const gig_pic_result *result)
{
    if (!all->curve) {
        all->intervals = result->intervals;
        all->curve = gig_alloc_zero(all->intervals + 1, sizeof *all->curve);
        if (!all->curve) return gig_alloc_status();
    }
    double before = result->auc - all->mean;
    all->scored++;
    all->mean += before / (double)all->scored;
    all->spread += before * (result->auc - all->mean);
    for (size_t j = 0; j <= all->intervals; j++) all->curve[j] += result->curve[j];
    return GIG_OK;
}

/* The mean of several draws, with the mean curve. */
static gig_status end_draws(gig_metric_result *out, const draws *all)
{
    double n = (double)all->scored;
    if (!all->scored) return GIG_OK;
    out->value = all->mean;
    if (all->scored > 1) {
        char number[32];
        out->spread = sqrt(all->spread / (n - 1));
        snprintf(out->note, sizeof out->note, "spread %s over %zu draws",
                 gig_format_double(number, sizeof number, 4, out->spread), all->scored);
    }
    GIG_TRY(gig_points_create(&out->curve, all->intervals + 1));
    for (size_t j = 0; j <= all->intervals; j++) {
        out->curve.x[j] = (double)j / (double)all->intervals;
        out->curve.y[j] = all->curve[j] / n;
    }
    return GIG_OK;
}

static gig_status measure_draw(gig_metric_result *out, draws *all, bench *b, const gig_metric *metric, size_t draw)
{
    gig_pic *pic;
    gig_pic_result result;
    const gig_scored *scored = b->scored;
    const gig_function *functions = metric->kind == GIG_METRIC_AIC ? scored->argmax_functions : probabilities(scored);
    GIG_TRY(open_pic(&pic, b, metric, draw));
    GIG_TRY(gig_pic_score(&result, pic, scored->workers, functions, scored->target));
    gig_status status = GIG_OK;
    if (result.outcome != GIG_PIC_SCORED && !all->scored) note(out, gig_pic_outcome_text(result.outcome));
    if (result.outcome == GIG_PIC_SCORED && metric->draws == 1) {
        out->value = result.auc;
        out->curve = result.points;
        result.points = (gig_points){0};
    } else if (result.outcome == GIG_PIC_SCORED) {
        out->note[0] = '\0';
        status = add_draw(all, &result);
    }
    gig_pic_result_clear(&result);
    return status;
}

static gig_status measure_information(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    draws all = {0};
    gig_status status = GIG_OK;
    for (size_t d = 0; d < metric->draws && status == GIG_OK; d++) status = measure_draw(out, &all, b, metric, d);
    if (status == GIG_OK) status = end_draws(out, &all);
    gig_free(all.curve);
    return status;
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

/* ---- by removal ---- */

static gig_removal removal_of(const bench *b, int reduced)
{
    const gig_scored *scored = b->scored;
    return (gig_removal){.height = scored->height,
                         .width = scored->width,
                         .channels = 3,
                         .picture = b->input,
                         .attribution = reduced ? b->reduced : scored->attribution,
                         .attribution_channels = reduced ? 1 : scored->channels,
                         .baseline = scored->baseline,
                         .seed = scored->seed,
                         .number = picture_number(b)};
}

static gig_status measure_diffid(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    (void)metric;
    const gig_scored *scored = b->scored;
    const gig_removal removal = removal_of(b, 0);
    return gig_diffid(&out->value, NULL, scored->workers, probabilities(scored), scored->target, &removal);
}

static gig_status measure_road(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    (void)metric;
    const gig_scored *scored = b->scored;
    const gig_removal removal = removal_of(b, 1);
    return gig_road(&out->value, NULL, scored->workers, probabilities(scored), scored->target, &removal);
}

static gig_status measure_mufidelity(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    const gig_scored *scored = b->scored;
    const gig_removal removal = removal_of(b, 0);
    GIG_TRY(gig_mufidelity(&out->value, metric->subsets, scored->workers, scored->functions, scored->target, &removal));
    if (isnan(out->value)) note(out, "the map's sums, or the model's scores, do not vary over the subsets");
    return GIG_OK;
}

static gig_status measure_mass(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    int by_rank = metric->kind == GIG_METRIC_RANK;
    GIG_TRY((by_rank ? gig_rank_inside : gig_mass_inside)(&out->value, b->reduced, b->scored->mask, b->pixels));
    if (isnan(out->value)) note(out, "the ground truth covers no pixel, or the map is zero everywhere");
    return GIG_OK;
}

/* ---- against another map ---- */

/* The input moved by 1e-6 of its range, as draws of repeat are. */
static void move_input(float *out, const bench *b, size_t draw)
{
    const float *from = b->input;
    float low = from[0], high = low;
    for (size_t i = 1; i < b->pixels * 3; i++) {
        low = fminf(low, from[i]);
        high = fmaxf(high, from[i]);
    }
    double reach = 1e-6 * ((double)high - (double)low);
    gig_rng_fill_uniform((gig_rng){b->scored->seed, gig_score_stream(GIG_DRAW_STABILITY, draw)}, out, b->pixels * 3);
    for (size_t i = 0; i < b->pixels * 3; i++) out[i] = (float)((double)from[i] + reach * (2 * (double)out[i] - 1));
}

static gig_status measure_stability(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    const gig_scored *scored = b->scored;
    size_t count = b->pixels * scored->channels;
    float *point = gig_alloc(b->pixels * 3, sizeof *point), *map = point ? gig_alloc(count, sizeof *map) : NULL;
    gig_status status = map ? GIG_OK : gig_alloc_status();
    double sum = 0, found;
    for (size_t d = 0; d < metric->draws && status == GIG_OK; d++) {
        move_input(point, b, d);
        status = scored->explain(scored->explain_payload, map, point);
        if (status == GIG_OK) status = gig_map_correlation(&found, scored->attribution, map, count, metric->of);
        if (status == GIG_OK) sum += found;
    }
    gig_free(map);
    gig_free(point);
    out->value = sum / (double)metric->draws;
    if (status == GIG_OK && isnan(out->value)) note(out, "a map is the same everywhere");
    return status;
}

static gig_status measure_other_class(gig_metric_result *out, bench *b, const gig_metric *metric)
{
    const gig_scored *scored = b->scored;
    if (!scored->explain_class) return gig_fail(GIG_EARG, "it needs the method itself, for another class");
    if (scored->classes < 2) {
        note(out, "the model has no other class");
        return GIG_OK;
    }
    const gig_rng rng = {scored->seed, gig_score_stream(GIG_DRAW_OTHER_CLASS, picture_number(b))};
    size_t other = (size_t)(gig_rng_uniform(rng, 0) * (double)(scored->classes - 1));
    other += other >= scored->target;
    float *map = gig_alloc(b->pixels * scored->channels, sizeof *map);
    float *reduced = map ? gig_alloc(b->pixels, sizeof *reduced) : NULL;
    gig_status status = reduced ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) status = scored->explain_class(scored->explain_payload, map, other);
    if (status == GIG_OK) status = gig_map_reduce(reduced, map, b->pixels, scored->channels, metric->reduction);
    if (status == GIG_OK && metric->by_rank)
        status = gig_map_correlation(&out->value, b->reduced, reduced, b->pixels, GIG_CORRELATION_RANK);
    else if (status == GIG_OK)
        status = gig_map_similarity(&out->value, b->reduced, reduced, scored->height, scored->width);
    if (status == GIG_OK && isnan(out->value)) note(out, "a map is the same everywhere");
    gig_free(reduced);
    gig_free(map);
    return status;
}

/* ---- one after the other ---- */

static gig_status (*const measures[GIG_METRIC_KINDS])(gig_metric_result *, bench *, const gig_metric *) = {
    measure_auc,         measure_pointing,    measure_gini,        measure_information, measure_information,
    measure_replacement, measure_replacement, measure_infidelity,  measure_sensitivity, measure_completeness,
    measure_closed,      measure_mass,        measure_mass,        measure_diffid,      measure_road,
    measure_mufidelity,  measure_stability,   measure_other_class,
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
    for (size_t i = 0; i < count; i++) results[i] = (gig_metric_result){.value = NAN, .spread = NAN};
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
