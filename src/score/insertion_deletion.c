/* SPDX-License-Identifier: Apache-2.0 */
/* Insertion and deletion (Petsiuk et al. 2018): pixels of one picture are replaced by those of another in the order of
 * a map, and the model is evaluated after every step. */
#include "base/memory.h"
#include "base/status.h"
#include "image/blur.h"
#include "internal/score.h"
#include "score/curve.h"
#include "score/measure.h"
#include "score/order.h"
#include "score/picture_values.h"

enum { USUAL_STEPS = 100, MOST_STEPS = 1000000 };

typedef struct scene {
    const gig_replacement *job;
    const uint32_t *order; /* largest first */
    size_t steps, target;
} scene;

static gig_status make_point(void *payload, size_t step, float *point, size_t *target)
{
    const scene *s = payload;
    const gig_replacement *job = s->job;
    size_t channels = job->channels, replaced = step * job->pixels / s->steps;
    for (size_t i = 0; i < job->pixels * channels; i++) point[i] = job->from ? job->from[i] : 0.0f;
    for (size_t r = 0; r < replaced; r++) {
        size_t at = s->order[r] * channels;
        for (size_t c = 0; c < channels; c++) point[at + c] = job->to ? job->to[at + c] : 0.0f;
    }
    *target = s->target;
    return GIG_OK;
}

/* Descending, equal values by rising index: the ascending order of the negated map. */
static gig_status order_descending(uint32_t *order, const float *map, size_t pixels)
{
    float *negated = gig_alloc(pixels, sizeof *negated);
    if (!negated) return gig_alloc_status();
    for (size_t i = 0; i < pixels; i++) negated[i] = -map[i];
    gig_status status = gig_order_ascending(order, negated, pixels);
    gig_free(negated);
    return status;
}

gig_status gig_replacement_score(double *area, double *values, gig_functions functions, size_t target,
                                 const gig_replacement *replacement)
{
    size_t steps = replacement->steps ? replacement->steps : USUAL_STEPS, pixels = replacement->pixels;
    if (steps > MOST_STEPS) return gig_fail(GIG_ELIMIT, "%zu steps exceed %d", steps, MOST_STEPS);
    if (!replacement->map || !pixels || !replacement->channels) return gig_fail(GIG_EARG, "no map, or no pixels");
    GIG_TRY(gig_map_check(replacement->map, pixels));
    double *found = values ? values : gig_alloc(steps + 1, sizeof *found);
    uint32_t *order = gig_alloc(pixels, sizeof *order);
    gig_status status = GIG_OK;
    if (!found || !order) {
        status = gig_alloc_status();
        goto done;
    }
    GIG_TRY_DONE(order_descending(order, replacement->map, pixels));
    scene s = {replacement, order, steps, target};
    GIG_TRY_DONE(gig_values(found, functions, pixels * replacement->channels, steps + 1, make_point, &s));
    *area = gig_curve_area(found, steps);
done:
    gig_free(order);
    if (!values) gig_free(found);
    return status;
}

/* ---- the rows ---- */

/* The input blurred, its border mirrored so that it does not darken. */
static gig_status blur_input(float *out, const gig_measuring *with, double sigma)
{
    double *values = gig_alloc(with->pixels * 3, sizeof *values);
    if (!values) return gig_alloc_status();
    for (size_t i = 0; i < with->pixels * 3; i++) values[i] = (double)with->input[i];
    gig_status status = gig_blur_exact(values, (gig_map_size){with->scored->height, with->scored->width, 3}, sigma,
                                       sigma, GIG_BORDER_MIRROR);
    for (size_t i = 0; i < with->pixels * 3; i++) out[i] = (float)values[i];
    gig_free(values);
    return status;
}

static gig_status replace(gig_metric_result *out, const gig_measuring *with, const gig_metric *metric,
                          const float *from, const float *to)
{
    size_t steps = (size_t)gig_metric_number(metric, "steps");
    const gig_replacement job = {from, to, with->reduced, with->pixels, 3, steps};
    GIG_TRY(gig_points_create(&out->curve, steps + 1));
    for (size_t i = 0; i <= steps; i++) out->curve.x[i] = (double)i / (double)steps;
    return gig_replacement_score(&out->value, out->curve.y, gig_measuring_probabilities(with), with->scored->target,
                                 &job);
}

static gig_status measure_deletion(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    return replace(out, with, metric, with->input, NULL);
}

static gig_status measure_insertion(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    float *blurred = gig_alloc(with->pixels * 3, sizeof *blurred);
    if (!blurred) return gig_alloc_status();
    gig_status status = blur_input(blurred, with, gig_metric_number(metric, "sigma"));
    if (status == GIG_OK) status = replace(out, with, metric, blurred, with->input);
    gig_free(blurred);
    return status;
}

static gig_metric_cost cost(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain)
{
    (void)map, (void)chain;
    return (gig_metric_cost){0, gig_metric_number(metric, "steps") + 1};
}

#define STEPS GIG_OPTION_TIMES("steps", "Number of points of the curve.", 100, 100000)
static const gig_method_option insertion_options[] = {
    GIG_OPTION_REDUCTION, GIG_OPTION_ABOVE_0("sigma", "Blur of the picture it starts from, in pixels.", 10, 10000),
    STEPS};
static const gig_method_option deletion_options[] = {GIG_OPTION_REDUCTION, STEPS};

const gig_metric_row gig_metric_row_insertion = {
    .name = "insertion",
    .help = "Area of the score while a blurred picture becomes sharp, most important pixels first.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION,
    GIG_OPTIONS(insertion_options),
    .x_label = "part of the picture replaced",
    .y_label = "prediction",
    .measure = measure_insertion,
    .cost = cost};

const gig_metric_row gig_metric_row_deletion = {
    .name = "deletion",
    .help = "Area of the score while the picture becomes black, most important pixels first.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION,
    .traits = GIG_METRIC_LESS_IS_BETTER,
    GIG_OPTIONS(deletion_options),
    .x_label = "part of the picture replaced",
    .y_label = "prediction",
    .measure = measure_deletion,
    .cost = cost};
