/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing of float maps and label maps; 8-bit pictures are in gig/image.h. Sample i of `out` lies at (i + 1/2) in /
 * out
 * - 1/2 of `in`: half-pixel centres. */
#ifndef GIG_IMAGE_RESIZE_H
#define GIG_IMAGE_RESIZE_H

#include "base/status.h"
#include "gig/image.h"
#include "image/map_size.h"
#include <stddef.h>
#include <stdint.h>

/* The index whose pixel holds the centre of sample i, rounded as scikit-image's order 0. */
size_t gig_nearest(size_t i, size_t in, size_t out);

/* A part of a picture, in pixels. */
typedef struct gig_pixel_window {
    size_t left, top, width, height;
} gig_pixel_window;

/* Those pixels of gig_image_resize(image, scaled_width, scaled_height), without making the others. */
gig_status gig_resize_window(gig_image *out, const gig_image *image, size_t scaled_width, size_t scaled_height,
                             gig_pixel_window window, gig_filter filter);

/* out [out_height, out_width, channels] from in, which has `size`; taps beyond the border clamped to it, no
 * smoothing when it shrinks: torch's interpolate(align_corners=False). Bicubic is Keys' cubic with a = -3/4. */
gig_status gig_resize_map(float *out, size_t out_height, size_t out_width, const float *in, gig_map_size size,
                          gig_filter filter);

/* scikit-image's resize(order=3, mode="constant", anti_aliasing=True, preserve_range=True): Gaussian smoothing by
 * sigma = max(0, (in/out - 1) / 2) per axis, cubic B-spline interpolation with zeros outside, clipped to the range of
 * the input. */
gig_status gig_resize_spline(double *out, size_t out_height, size_t out_width, const double *in, gig_map_size size);

/* Labels by nearest neighbour. */
void gig_resize_labels(int32_t *out, size_t out_height, size_t out_width, const int32_t *in, size_t height,
                       size_t width);

#endif
