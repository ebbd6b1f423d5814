/* SPDX-License-Identifier: Apache-2.0 */
/* other-class: how similar a map is to that of another class, drawn from the seed and the picture (the random-logit
 * test of Sixt and others, ICML 2020; written after the description in Quantus, LGPL-3, none of whose code is used).
 *
 * Two maps that are the same everywhere have no structure to compare: there is no score. */
#include "base/rng.h"
#include "score/measure.h"
#include "score/random_streams.h"
#include <math.h>

static int is_flat(const float *map, size_t count)
{
    size_t i = 1;
    while (i < count && map[i] == map[0]) i++;
    return i >= count;
}

static gig_status compare(double *out, const gig_measuring *with, const gig_metric *metric, const float *other)
{
    if (gig_metric_number(metric, "by") == 1)
        return gig_map_correlation(out, with->reduced, other, with->pixels, GIG_CORRELATION_RANK);
    GIG_TRY(gig_map_similarity(out, with->reduced, other, with->scored->height, with->scored->width));
    if (is_flat(with->reduced, with->pixels) && is_flat(other, with->pixels)) *out = NAN;
    return GIG_OK;
}

static gig_status measure(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    const gig_scored *scored = with->scored;
    if (!scored->explain_class) return gig_fail(GIG_EARG, "it needs the method itself, to explain another class");
    if (scored->classes < 2) {
        gig_metric_note(out, "the model has no other class");
        return GIG_OK;
    }
    const int by_windows = gig_metric_number(metric, "by") != 1;
    if (by_windows && (scored->height < GIG_SIMILARITY_WINDOW || scored->width < GIG_SIMILARITY_WINDOW)) {
        gig_metric_note(out, "the map is smaller than a window of the similarity: take by=rank");
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
    if (status == GIG_OK) status = compare(&out->value, with, metric, reduced);
    if (status == GIG_OK && isnan(out->value)) gig_metric_note(out, "a map is the same everywhere");
    gig_free(reduced);
    gig_free(map);
    return status;
}

static gig_metric_cost cost(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain)
{
    (void)metric, (void)chain;
    return *map;
}

static const gig_method_option options[] = {{.name = "by",
                                             .help = "Structural similarity, or rank correlation.",
                                             .kind = GIG_OPTION_CHOICE,
                                             .choices = "ssim|rank"},
                                            GIG_OPTION_REDUCTION};

const gig_metric_row gig_metric_row_other_class = {.name = "other-class",
                                                   .help = "How similar the map is to that of another class.",
                                                   .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE |
                                                            GIG_METRIC_NEEDS_EXPLAINER,
                                                   .traits = GIG_METRIC_LESS_IS_BETTER,
                                                   GIG_OPTIONS(options),
                                                   .measure = measure,
                                                   .cost = cost};
