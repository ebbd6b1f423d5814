/* SPDX-License-Identifier: Apache-2.0 */
/* mass: the fraction of a map's magnitude inside the ground truth (relevance mass accuracy: Arras, Osman, Samek
 * 2022; written after the description in Quantus, LGPL-3, none of whose code is used), sum over pixels inside |a| / sum
 * over all |a|. */
#include "gig/score.h"
#include "score/measure.h"
#include "score/order.h"
#include <math.h>

gig_status gig_mass_inside(double *out, const float *map, const uint8_t *mask, size_t pixels)
{
    double inside = 0, all = 0;
    size_t object = 0;
    *out = NAN;
    GIG_TRY(gig_map_check(map, pixels));
    for (size_t i = 0; i < pixels; i++) {
        if (mask[i] == GIG_MASK_UNSURE) continue;
        double value = fabs((double)map[i]);
        all += value;
        if (mask[i] == GIG_MASK_IN) {
            inside += value;
            object++;
        }
    }
    if (object && all > 0) *out = inside / all;
    return GIG_OK;
}

/* ---- the row ---- */

static gig_status measure(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    (void)metric;
    GIG_TRY(gig_mass_inside(&out->value, with->reduced, with->scored->mask, with->pixels));
    if (isnan(out->value)) gig_metric_note(out, "the ground truth covers no pixel, or the map is zero everywhere");
    return GIG_OK;
}

static const gig_method_option options[] = {GIG_OPTION_REDUCTION};

const gig_metric_row gig_metric_row_mass = {.name = "mass",
                                            .help = "Fraction of the map's magnitude inside the ground truth.",
                                            .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_TRUTH,
                                            GIG_OPTIONS(options),
                                            .measure = measure};
