/* SPDX-License-Identifier: Apache-2.0 */
/* Overlapping regions of a picture, seen from both sides: the pixels of a region, the regions of a pixel. */
#ifndef GIG_SALIENCY_XRAI_REGIONS_H
#define GIG_SALIENCY_XRAI_REGIONS_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

typedef struct gig_regions {
    size_t count, pixels;
    size_t *pixel_starts; /* region r has pixel_list[pixel_starts[r]] .. pixel_list[pixel_starts[r + 1] - 1] */
    uint32_t *pixel_list;
    size_t *region_starts; /* and pixel p has region_list[region_starts[p]] .. */
    uint32_t *region_list;
} gig_regions;

/* The segments of a picture [height, width, channels] at XRAI's six scales, each dilated by a disk of radius 5. */
gig_status gig_regions_of_picture(gig_regions *out, const double *picture, size_t height, size_t width,
                                  size_t channels);

/* Masks as they are: masks[i] is height x width, not 0 inside. */
gig_status gig_regions_of_masks(gig_regions *out, size_t count, const uint8_t *const *masks, size_t height,
                                size_t width);

void gig_regions_clear(gig_regions *regions);

#endif
