/* SPDX-License-Identifier: Apache-2.0 */
/* mass: the share of a map's magnitude that lies in the ground truth (relevance mass accuracy: Arras, Osman, Samek
 * 2022), sum over pixels inside |a| / sum over all |a|. */
#include "gig/score.h"
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
