/* SPDX-License-Identifier: Apache-2.0 */
/* randomised, emprt: metrics that test whether a map depends on what the model has learnt (Adebayo and
 * others, NeurIPS 2018; Hedstroem and others 2023 for the second; written after Quantus's description of both).
 *
 *     randomised = mean over cuts k = 1 .. n of the rank correlation of the map with that of the model whose last
 *                  k / n of the layers have random weights
 *     emprt      = (H(map of the randomised model) - H(map)) / H(map),  H the entropy of a histogram of 100 bins
 *
 * A map that does not change (correlation near 1, no increase) says little about the model. */
#include "score/correlation.h"
#include "score/measure.h"
#include <math.h>

enum { MOST_CUTS = 6, BINS = 100 };

double gig_map_entropy(const float *map, size_t count)
{
    size_t bins[BINS] = {0};
    float low = map[0], high = low;
    double out = 0;
    for (size_t i = 1; i < count; i++) {
        low = fminf(low, map[i]);
        high = fmaxf(high, map[i]);
    }
    if (!(high > low)) return 0;
    for (size_t i = 0; i < count; i++) {
        size_t bin = (size_t)(((double)map[i] - (double)low) / ((double)high - (double)low) * BINS);
        bins[bin < BINS ? bin : BINS - 1]++;
    }
    for (int b = 0; b < BINS; b++) {
        double share = (double)bins[b] / (double)count;
        if (share > 0) out -= share * log(share);
    }
    return out;
}

/* The reduced map of the model with `cut` of `cuts` parts of its layers randomised. */
static gig_status make_map(float *reduced, gig_measuring *with, const gig_metric *metric, size_t cut, size_t cuts)
{
    const gig_scored *scored = with->scored;
    float *map = gig_alloc(with->pixels * scored->channels, sizeof *map);
    if (!map) return gig_alloc_status();
    gig_status status = scored->explain_randomised(scored->explain_payload, map, cut, cuts);
    if (status == GIG_OK)
        status = gig_map_reduce(reduced, map, with->pixels, scored->channels,
                                (gig_reduction)gig_metric_number(metric, "reduction"));
    gig_free(map);
    return status;
}

static gig_status measure(gig_metric_result *out, gig_measuring *with, const gig_metric *metric, size_t first,
                          size_t cuts, int entropy)
{
    if (!with->scored->explain_randomised) return gig_fail(GIG_EARG, "it needs the model's file and the method itself");
    float *reduced = gig_alloc(with->pixels, sizeof *reduced);
    gig_status status = reduced ? GIG_OK : gig_alloc_status();
    double sum = 0, found = 0;
    for (size_t cut = first; cut <= cuts && status == GIG_OK; cut++) {
        status = make_map(reduced, with, metric, cut, cuts);
        if (status == GIG_OK && !entropy)
            status = gig_map_correlation(&found, with->reduced, reduced, with->pixels, GIG_CORRELATION_RANK);
        if (status == GIG_OK && entropy) {
            double own = gig_map_entropy(with->reduced, with->pixels);
            found = own > 0 ? (gig_map_entropy(reduced, with->pixels) - own) / own : (double)NAN;
        }
        sum += found;
    }
    gig_free(reduced);
    out->value = sum / (double)(cuts - first + 1);
    if (status == GIG_OK && isnan(out->value)) gig_metric_note(out, "a map is the same everywhere");
    return status;
}

static gig_status measure_randomised(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    return measure(out, with, metric, 1, (size_t)gig_metric_number(metric, "cuts"), 0);
}

static gig_status measure_emprt(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    return measure(out, with, metric, 1, 1, 1);
}

static gig_metric_cost cost(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain)
{
    double cuts = gig_metric_number(metric, "cuts");
    (void)chain;
    if (isnan(cuts)) cuts = 1;
    return (gig_metric_cost){cuts * map->gradients, cuts * map->values};
}

static const gig_method_option randomised_options[] = {
    GIG_OPTION_TIMES("cuts", "Number of models, with more and more layers randomised from the output on.", MOST_CUTS,
                     MOST_CUTS),
    GIG_OPTION_REDUCTION};
static const gig_method_option emprt_options[] = {GIG_OPTION_REDUCTION};

const gig_metric_row gig_metric_row_randomised = {
    .name = "randomised",
    .help = "Rank correlation of the map with the maps of the model with random weights.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_EXPLAINER,
    .traits = GIG_METRIC_LESS_IS_BETTER,
    GIG_OPTIONS(randomised_options),
    .measure = measure_randomised,
    .cost = cost};

const gig_metric_row gig_metric_row_emprt = {
    .name = "emprt",
    .help = "Relative increase of the map's entropy when all weights are random.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_EXPLAINER,
    GIG_OPTIONS(emprt_options),
    .measure = measure_emprt,
    .cost = cost};
