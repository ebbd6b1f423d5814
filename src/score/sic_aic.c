/* SPDX-License-Identifier: Apache-2.0 */
/* sic, aic: the rows of the performance information curves (XRAI, Kapishnikov et al. 2019), which pic.c computes. */
#include "score/curve.h"
#include "score/measure.h"
#include "score/pic.h"
#include <math.h>

/* The part of SIC and AIC that depends only on the picture: the caller's if it keeps one, else made for this call. Draw
 * d uses seed + d. */
static gig_status open_pic(gig_pic **out, gig_measuring *with, const gig_metric *metric, size_t draw)
{
    const gig_scored *scored = with->scored;
    gig_pic **place = scored->pic ? scored->pic : &with->inside->pic;
    const gig_pic_options options = {.fraction = gig_metric_number(metric, "fraction"),
                                     .least_prediction = gig_metric_number(metric, "least"),
                                     .seed = scored->seed + draw,
                                     .picture = gig_measuring_number(with),
                                     .threads = scored->threads};
    if (*place && !gig_pic_has(*place, &options)) {
        gig_pic_free(*place);
        *place = NULL;
    }
    if (!*place) {
        GIG_TRY(gig_pic_create(place, scored->pixels, scored->height, scored->width, 3, &options));
        with->inside->pic_has_map = 0;
    }
    if (!with->inside->pic_has_map) GIG_TRY(gig_pic_set_map(*place, with->reduced));
    with->inside->pic_has_map = 1;
    *out = *place;
    return GIG_OK;
}

/* Results of the draws of random pixels so far. */
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
    if (all->scored > 1) gig_metric_note_spread(out, sqrt(all->spread / (n - 1)), all->scored);
    GIG_TRY(gig_points_create(&out->curve, all->intervals + 1));
    for (size_t j = 0; j <= all->intervals; j++) {
        out->curve.x[j] = (double)j / (double)all->intervals;
        out->curve.y[j] = all->curve[j] / n;
    }
    return GIG_OK;
}

static gig_status measure_draw(gig_metric_result *out, draws *all, gig_measuring *with, const gig_metric *metric,
                               size_t draw, gig_functions functions)
{
    gig_pic *pic;
    gig_pic_result result;
    const gig_scored *scored = with->scored;
    GIG_TRY(open_pic(&pic, with, metric, draw));
    GIG_TRY(gig_pic_score(&result, pic, functions, scored->target));
    gig_status status = GIG_OK;
    if (result.outcome != GIG_PIC_SCORED && !all->scored) gig_metric_note(out, gig_pic_outcome_text(result.outcome));
    if (result.outcome == GIG_PIC_SCORED && gig_metric_number(metric, "draws") == 1) {
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

static gig_status measure_information(gig_metric_result *out, gig_measuring *with, const gig_metric *metric,
                                      gig_functions functions)
{
    draws all = {0};
    gig_status status = GIG_OK;
    for (size_t d = 0; d < (size_t)gig_metric_number(metric, "draws") && status == GIG_OK; d++)
        status = measure_draw(out, &all, with, metric, d, functions);
    if (status == GIG_OK) status = end_draws(out, &all);
    gig_free(all.curve);
    return status;
}

static gig_status measure_sic(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    return measure_information(out, with, metric, gig_measuring_probabilities(with));
}

static gig_status measure_aic(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    return measure_information(out, with, metric,
                               (gig_functions){with->scored->workers, with->scored->argmax_functions});
}

static gig_metric_cost cost(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain)
{
    enum { LOOKS = 15 }; /* at the thirteen pictures of the curve, the whole and the blurred one */
    (void)map, (void)chain;
    return (gig_metric_cost){0, LOOKS * gig_metric_number(metric, "draws")};
}

static const gig_method_option options[] = {
    GIG_OPTION_TIMES("draws", "Number of sets of random pixels; the score is the mean over them.", 1, 10000),
    GIG_OPTION_ABOVE_0("fraction", "Fraction of random pixels revealed from the start.", 0.01, 0.999),
    GIG_OPTION_ABOVE_0("least", "Pictures whose prediction is below this are not scored.", 0.8, 1),
    GIG_OPTION_REDUCTION};

#define INFORMATION_ROW(metric, sentence, function, how)                                                               \
    {                                                                                                                  \
        .name = metric, .help = sentence, .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | (function),       \
        .traits = GIG_METRIC_MEDIAN_CURVE | GIG_METRIC_ENCODES, GIG_OPTIONS(options), .x_label = "information",        \
        .y_label = "prediction", .measure = (how), .cost = cost                                                        \
    }

const gig_metric_row gig_metric_row_sic =
    INFORMATION_ROW("sic", "Area of the softmax information curve.", GIG_METRIC_NEEDS_FUNCTION, measure_sic);
const gig_metric_row gig_metric_row_aic =
    INFORMATION_ROW("aic", "Area of the accuracy information curve.", GIG_METRIC_NEEDS_ARGMAX, measure_aic);
