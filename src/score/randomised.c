/* SPDX-License-Identifier: Apache-2.0 */
/* randomised: does the map depend on what the model has learnt? (Adebayo and others, NeurIPS 2018; written after the
 * description in Quantus, LGPL-3, none of whose code is used)
 *
 *     mean over cuts k = 1 .. n of the rank correlation of the map with that of the model whose last k / n of the
 *     layers have random weights
 *
 * A map that does not change (correlation near 1) says little about the model. */
#include "score/correlation.h"
#include "score/measure.h"
#include <math.h>

enum { MOST_CUTS = 6 };

gig_status gig_measuring_randomised(float *reduced, gig_measuring *with, const gig_metric *metric, size_t cut,
                                    size_t cuts)
{
    const gig_scored *scored = with->scored;
    if (!scored->explain_randomised) return gig_fail(GIG_EARG, "it needs the model's file and the method itself");
    float *map = gig_alloc(with->pixels * scored->channels, sizeof *map);
    if (!map) return gig_alloc_status();
    gig_status status = scored->explain_randomised(scored->explain_payload, map, cut, cuts);
    if (status == GIG_OK)
        status = gig_map_reduce(reduced, map, with->pixels, scored->channels,
                                (gig_reduction)gig_metric_number(metric, "reduction"));
    gig_free(map);
    return status;
}

static gig_status measure(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    size_t cuts = (size_t)gig_metric_number(metric, "cuts");
    float *reduced = gig_alloc(with->pixels, sizeof *reduced);
    gig_status status = reduced ? GIG_OK : gig_alloc_status();
    double sum = 0, found = 0;
    for (size_t cut = 1; cut <= cuts && status == GIG_OK; cut++) {
        status = gig_measuring_randomised(reduced, with, metric, cut, cuts);
        if (status == GIG_OK)
            status = gig_map_correlation(&found, with->reduced, reduced, with->pixels, GIG_CORRELATION_RANK);
        sum += found;
    }
    gig_free(reduced);
    out->value = sum / (double)cuts;
    if (status == GIG_OK && isnan(out->value)) gig_metric_note(out, "a map is the same everywhere");
    return status;
}

static gig_metric_cost cost(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain)
{
    double cuts = gig_metric_number(metric, "cuts");
    (void)chain;
    return (gig_metric_cost){cuts * map->gradients, cuts * map->values};
}

static const gig_method_option options[] = {
    GIG_OPTION_TIMES("cuts", "Number of models, with more and more layers randomised from the output on.", MOST_CUTS,
                     MOST_CUTS),
    GIG_OPTION_REDUCTION};

const gig_metric_row gig_metric_row_randomised = {
    .name = "randomised",
    .help = "Rank correlation of the map with the maps of the model with random weights.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_EXPLAINER,
    .traits = GIG_METRIC_LESS_IS_BETTER,
    GIG_OPTIONS(options),
    .measure = measure,
    .cost = cost};
