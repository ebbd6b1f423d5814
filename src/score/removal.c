/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by diffid, road and mufidelity: a picture, and the map by which parts of it are removed. */
#include "base/size.h"
#include "base/status.h"
#include "internal/score.h"
#include "score/order.h"

gig_status gig_removal_check(const gig_removal *of)
{
    const int64_t dims[3] = {(int64_t)of->height, (int64_t)of->width, (int64_t)of->channels};
    size_t elements;
    GIG_TRY(gig_size_of_dims(&elements, 3, dims));
    if (!elements || !of->picture || !of->attribution) return gig_fail(GIG_EARG, "no picture, or no map");
    if (of->attribution_channels != 1 && of->attribution_channels != of->channels)
        return gig_fail(GIG_EARG, "expected a map with 1 or %zu values per pixel, found %zu", of->channels,
                        of->attribution_channels);
    return gig_map_check(of->attribution, of->height * of->width * of->attribution_channels);
}
