/* SPDX-License-Identifier: Apache-2.0 */
/* The closed path of the paper's section 5.1: the attributions of three sides A -> B -> C -> A, added per feature,
 * should be 0; their mean square is the method's own noise. */
#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "internal/score.h"
#include "score/measure.h"
#include "score/random_streams.h"
#include <math.h>
#include <string.h>

enum { SIDES = 3, USUAL_PATHS = 10, MOST_PATHS = 1000000 };

typedef struct triangle {
    const gig_chain *side;
    const gig_closed_options *options;
    const float *point; /* A */
    size_t features;
    double *sum; /* [features], of the current path */
    double squares;
    size_t evaluations;
} triangle;

/* Corner 0 is B, 1 is C; anything else is A. */
static gig_status write_corner(const triangle *t, size_t path, int corner, float *point)
{
    if (corner < 0 || corner > 1) {
        memcpy(point, t->point, t->features * sizeof *point);
        return GIG_OK;
    }
    const gig_closed_options *options = t->options;
    if (options->corner) return options->corner(options->payload, path, corner, point, t->features);
    /* The picture's low 40 bits, of which eight share a byte with the purpose, and 23 of the path. */
    uint64_t number = options->picture << 24 ^ (uint64_t)path << 1 ^ (uint64_t)corner;
    gig_rng rng = {options->seed, gig_score_stream(GIG_DRAW_CLOSED_PATH, number)};
    gig_rng_fill_uniform(rng, point, t->features);
    return GIG_OK;
}

static gig_status make_side(void *payload, size_t index, gig_chain *out, float *start, float *end)
{
    const triangle *t = payload;
    size_t path = index / SIDES;
    int side = (int)(index % SIDES);
    *out = *t->side;
    GIG_TRY(write_corner(t, path, side - 1, start));
    return write_corner(t, path, side, end);
}

/* Sides arrive in order, so one sum is enough for all paths. */
static gig_status take_side(void *payload, size_t index, const gig_chain_result *result)
{
    triangle *t = payload;
    t->evaluations += result->evaluations;
    for (size_t i = 0; i < t->features; i++) t->sum[i] = (index % SIDES ? t->sum[i] : 0) + result->attributions[i];
    if (index % SIDES == SIDES - 1)
        for (size_t i = 0; i < t->features; i++) t->squares += t->sum[i] * t->sum[i];
    return GIG_OK;
}

gig_status gig_closed_path(gig_closed_error *out, gig_functions functions, const gig_chain *side, const float *point,
                           const gig_closed_options *options)
{
    const gig_closed_options none = GIG_CLOSED_OPTIONS_INIT;
    if (!options) options = &none;
    size_t paths = options->paths ? options->paths : USUAL_PATHS;
    *out = (gig_closed_error){.mean_square = NAN};
    if (paths > MOST_PATHS) return gig_fail(GIG_ELIMIT, "%zu closed paths exceed %d", paths, MOST_PATHS);
    if (!functions.workers) return gig_fail(GIG_EARG, "no function to evaluate");
    if (side->curve || side->open)
        return gig_fail(GIG_EARG, "a closed path needs a method whose path connects two given points");
    triangle t = {.side = side, .options = options, .point = point, .features = functions.each->features};
    t.sum = gig_alloc(t.features, sizeof *t.sum);
    if (!t.sum) return gig_alloc_status();
    gig_status status = gig_chains_run(functions, SIDES * paths, make_side, take_side, &t, options->drive);
    gig_free(t.sum);
    if (status != GIG_OK) return status;
    *out = (gig_closed_error){t.squares / ((double)paths * (double)t.features), paths, t.features, t.evaluations};
    return GIG_OK;
}

gig_completeness gig_completeness_of(double sum, double value_input, double value_baseline)
{
    double difference = value_input - value_baseline, delta = sum - difference;
    return (gig_completeness){sum, difference, delta, difference != 0 ? fabs(delta) / fabs(difference) : NAN};
}

/* ---- the rows ---- */

static gig_status measure_completeness(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    (void)metric;
    const gig_scored *scored = with->scored;
    gig_completeness found = gig_completeness_of(scored->sum, scored->value_input, scored->value_baseline);
    if (isnan(found.delta))
        gig_metric_note(out, "the method does not add up to a difference");
    else if (found.difference == 0)
        gig_metric_note(out, "the model gives the same score to the picture and the baseline");
    else if (!isfinite(found.relative))
        return gig_fail(GIG_ENUMERIC, "the map should add up to %g, but its sum is %g", found.difference, found.sum);
    else
        out->value = found.relative;
    return GIG_OK;
}

static gig_status measure_closed(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    const gig_scored *scored = with->scored;
    gig_closed_options options = {.paths = (size_t)gig_metric_number(metric, "paths"),
                                  .seed = scored->seed,
                                  .picture = scored->picture,
                                  .drive = scored->drive};
    gig_closed_error error;
    if (gig_metric_number(metric, "corners") == 1) {
        if (!scored->corner) return gig_fail(GIG_EARG, "there are no other pictures to use as corners");
        options.corner = scored->corner;
        options.payload = scored->corner_payload;
    }
    GIG_TRY(gig_closed_path(&error, gig_measuring_functions(with), scored->side, with->input, &options));
    out->value = error.mean_square;
    return GIG_OK;
}

static gig_metric_cost cost(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain)
{
    (void)map;
    return (gig_metric_cost){3 * gig_metric_number(metric, "paths") * chain->gradients, 0};
}

static const gig_method_option closed_options[] = {
    {.name = "corners",
     .help = "B and C of the closed paths: random points, or other pictures of the set.",
     .kind = GIG_OPTION_CHOICE,
     .choices = "random|pictures"},
    GIG_OPTION_TIMES("paths", "Number of closed paths.", 10, 1000000)};

const gig_metric_row gig_metric_row_completeness = {
    .name = "completeness",
    .help = "Completeness error: |sum - (F(x) - F(b))| relative to |F(x) - F(b)|.",
    .needs = GIG_METRIC_NEEDS_DIFFERENCE,
    .traits = GIG_METRIC_LESS_IS_BETTER,
    .measure = measure_completeness};

const gig_metric_row gig_metric_row_closed = {.name = "closed",
                                              .help = "Mean square of the attributions along closed paths, ideally 0.",
                                              .needs = GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION |
                                                       GIG_METRIC_NEEDS_PATH,
                                              .traits = GIG_METRIC_LESS_IS_BETTER | GIG_METRIC_TINY,
                                              GIG_OPTIONS(closed_options),
                                              .measure = measure_closed,
                                              .cost = cost};
