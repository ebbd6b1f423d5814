/* SPDX-License-Identifier: Apache-2.0 */
/* complexity: how many pixels a map spreads over (Bhatt, Weller, Moura, IJCAI 2020, definition 3; Quantus has it under
 * this name): the entropy of the shares p_i = |a_i| / sum |a|,
 *
 *     C = - sum over i of p_i ln p_i,
 *
 * from 0 (one pixel alone) to ln n (n equal pixels). */
#include "gig/score.h"
#include "score/measure.h"
#include "score/order.h"
#include <math.h>

static gig_status complexity_of(double *out, const float *map, size_t pixels)
{
    *out = NAN;
    GIG_TRY(gig_map_check(map, pixels));
    double sum = 0, entropy = 0;
    for (size_t i = 0; i < pixels; i++) sum += fabs((double)map[i]);
    if (!(sum > 0)) return GIG_OK;
    for (size_t i = 0; i < pixels; i++) {
        double share = fabs((double)map[i]) / sum;
        if (share > 0) entropy -= share * log(share);
    }
    *out = entropy > 0 ? entropy : 0; /* one pixel alone: -1 ln 1 is -0 */
    return GIG_OK;
}

/* ---- the row ---- */

static gig_status measure_complexity(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    (void)metric;
    GIG_TRY(complexity_of(&out->value, with->reduced, with->pixels));
    if (isnan(out->value)) gig_metric_note(out, "the map is zero everywhere");
    return GIG_OK;
}

static const gig_method_option options[] = {GIG_OPTION_REDUCTION};

const gig_metric_row gig_metric_row_complexity = {.name = "complexity",
                                                  .help = "Entropy of the map: 0 all in one pixel, ln n over n pixels.",
                                                  .needs = GIG_METRIC_NEEDS_MAP,
                                                  .traits = GIG_METRIC_LESS_IS_BETTER,
                                                  GIG_OPTIONS(options),
                                                  .measure = measure_complexity};
