/* SPDX-License-Identifier: Apache-2.0 */
/* emprt: does the map become less ordered without what the model has learnt? (Hedstroem and others 2023; written after
 * the description in Quantus, LGPL-3, none of whose code is used)
 *
 *     (H(map of the model with random weights) - H(map)) / H(map),  H the entropy of a histogram of 100 bins
 *
 * A map that does not change (no increase) says little about the model. */
#include "score/measure.h"
#include <math.h>

enum { BINS = 100 };

/* In nats, of a histogram from the smallest to the largest value; 0 if all are equal. */
static double entropy_of(const float *map, size_t count)
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

static gig_status measure(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    float *reduced = gig_alloc(with->pixels, sizeof *reduced);
    gig_status status = reduced ? gig_measuring_randomised(reduced, with, metric, 1, 1) : gig_alloc_status();
    if (status == GIG_OK) {
        double own = entropy_of(with->reduced, with->pixels);
        if (own > 0)
            out->value = (entropy_of(reduced, with->pixels) - own) / own;
        else
            gig_metric_note(out, "a map is the same everywhere");
    }
    gig_free(reduced);
    return status;
}

static gig_metric_cost cost(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain)
{
    (void)metric, (void)chain;
    return *map;
}

static const gig_method_option options[] = {GIG_OPTION_REDUCTION};

const gig_metric_row gig_metric_row_emprt = {
    .name = "emprt",
    .help = "Relative increase of the map's entropy when all weights are random.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_EXPLAINER,
    GIG_OPTIONS(options),
    .measure = measure,
    .cost = cost};
