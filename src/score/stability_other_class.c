/* SPDX-License-Identifier: Apache-2.0 */
/* stability, other-class: metrics that compare a map with another map of the same method. */
#include "base/rng.h"
#include "score/measure.h"
#include "score/random_streams.h"
#include <math.h>

/* The input moved by 1e-6 of its range, as draws of repeat are. */
static void move_input(float *out, const gig_measuring *with, size_t draw)
{
    const float *from = with->input;
    float low = from[0], high = low;
    for (size_t i = 1; i < with->pixels * 3; i++) {
        low = fminf(low, from[i]);
        high = fmaxf(high, from[i]);
    }
    double reach = 1e-6 * ((double)high - (double)low);
    gig_rng_fill_uniform((gig_rng){with->scored->seed, gig_score_stream(GIG_DRAW_STABILITY, draw)}, out,
                         with->pixels * 3);
    for (size_t i = 0; i < with->pixels * 3; i++) out[i] = (float)((double)from[i] + reach * (2 * (double)out[i] - 1));
}

static gig_status measure_stability(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    const gig_scored *scored = with->scored;
    size_t count = with->pixels * scored->channels;
    float *point = gig_alloc(with->pixels * 3, sizeof *point), *map = point ? gig_alloc(count, sizeof *map) : NULL;
    gig_status status = map ? GIG_OK : gig_alloc_status();
    double sum = 0, found;
    size_t draws = (size_t)gig_metric_number(metric, "draws");
    for (size_t d = 0; d < draws && status == GIG_OK; d++) {
        move_input(point, with, d);
        status = scored->explain(scored->explain_payload, map, point);
        if (status == GIG_OK)
            status = gig_map_correlation(&found, scored->attribution, map, count,
                                         (gig_correlation)gig_metric_number(metric, "of"));
        if (status == GIG_OK) sum += found;
    }
    gig_free(map);
    gig_free(point);
    out->value = sum / (double)draws;
    if (status == GIG_OK && isnan(out->value)) gig_metric_note(out, "a map is the same everywhere");
    return status;
}

static gig_status measure_other_class(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    const gig_scored *scored = with->scored;
    if (!scored->explain_class) return gig_fail(GIG_EARG, "it needs the method itself, to explain another class");
    if (scored->classes < 2) {
        gig_metric_note(out, "the model has no other class");
        return GIG_OK;
    }
    const gig_rng rng = {scored->seed, gig_score_stream(GIG_DRAW_OTHER_CLASS, gig_measuring_number(with))};
    size_t other = (size_t)(gig_rng_uniform(rng, 0) * (double)(scored->classes - 1));
    other += other >= scored->target;
    float *map = gig_alloc(with->pixels * scored->channels, sizeof *map);
    float *reduced = map ? gig_alloc(with->pixels, sizeof *reduced) : NULL;
    gig_status status = reduced ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) status = scored->explain_class(scored->explain_payload, map, other);
    if (status == GIG_OK)
        status = gig_map_reduce(reduced, map, with->pixels, scored->channels,
                                (gig_reduction)gig_metric_number(metric, "reduction"));
    if (status == GIG_OK && gig_metric_number(metric, "by") == 1)
        status = gig_map_correlation(&out->value, with->reduced, reduced, with->pixels, GIG_CORRELATION_RANK);
    else if (status == GIG_OK)
        status = gig_map_similarity(&out->value, with->reduced, reduced, scored->height, scored->width);
    if (status == GIG_OK && isnan(out->value)) gig_metric_note(out, "a map is the same everywhere");
    gig_free(reduced);
    gig_free(map);
    return status;
}

static gig_metric_cost stability_cost(const gig_metric *metric, const gig_metric_cost *map,
                                      const gig_metric_cost *chain)
{
    double draws = gig_metric_number(metric, "draws");
    (void)chain;
    return (gig_metric_cost){draws * map->gradients, draws * map->values};
}

static gig_metric_cost other_class_cost(const gig_metric *metric, const gig_metric_cost *map,
                                        const gig_metric_cost *chain)
{
    (void)metric, (void)chain;
    return *map;
}

static const gig_method_option stability_options[] = {
    GIG_OPTION_TIMES("draws", "Number of moved inputs; the score is the mean over them.", 1, 10000),
    {.name = "of",
     .help = "Correlation of values, of their magnitude, or of their ranks.",
     .kind = GIG_OPTION_CHOICE,
     .choices = "signed|magnitude|rank"}};
static const gig_method_option other_class_options[] = {{.name = "by",
                                                         .help = "Structural similarity, or rank correlation.",
                                                         .kind = GIG_OPTION_CHOICE,
                                                         .choices = "ssim|rank"},
                                                        GIG_OPTION_REDUCTION};

const gig_metric_row gig_metric_row_stability = {
    .name = "stability",
    .help = "Correlation of the map with itself when the input moves by 1e-6 of its range.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_EXPLAINER,
    GIG_OPTIONS(stability_options),
    .measure = measure_stability,
    .cost = stability_cost};

const gig_metric_row gig_metric_row_other_class = {.name = "other-class",
                                                   .help = "How similar the map is to that of another class.",
                                                   .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE |
                                                            GIG_METRIC_NEEDS_EXPLAINER,
                                                   .traits = GIG_METRIC_LESS_IS_BETTER,
                                                   GIG_OPTIONS(other_class_options),
                                                   .measure = measure_other_class,
                                                   .cost = other_class_cost};
