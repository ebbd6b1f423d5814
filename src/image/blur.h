/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian blur of pictures [height, width, channels], channels not mixed: SciPy's gaussian_filter with truncate 4.
 * The kernel has radius r = (int)(4 sigma + 0.5) and weights exp(-x^2 / (2 sigma^2)), normalised to sum 1. */
#ifndef GIG_IMAGE_BLUR_H
#define GIG_IMAGE_BLUR_H

#include "base/status.h"
#include "image/map_size.h"
#include <stddef.h>

/* Bytes of scratch that gig_blur and gig_blur_tangent need for pictures of this shape, aligned to 64. */
size_t gig_blur_scratch_size(gig_map_size size);

/* out = in blurred, black outside the picture (mode constant, cval 0), axis 0 first. sigma 0 copies. `out` may be `in`.
 * GIG_EARG if sigma is negative, not finite, or above 100,000. */
gig_status gig_blur(float *out, const float *in, gig_map_size size, double sigma, void *scratch);

/* point = blur(in, sigma) with the bits of gig_blur; tangent = (blur(in, sigma + step) - point) / step, step > 0.
 * Differs from SciPy and PAIR saliency: the difference is taken between the kernels in double, so that rounding of the
 * two float pictures is not divided by `step`. */
gig_status gig_blur_tangent(float *point, float *tangent, const float *in, gig_map_size size, double sigma, double step,
                            void *scratch);

typedef enum gig_border {
    GIG_BORDER_ZERO,   /* 0 0 0 | a b c | 0 0 0 */
    GIG_BORDER_MIRROR, /* c b a | a b c | c b a: half-sample symmetric, SciPy's "reflect" */
} gig_border;

/* In double, in place, with separate sigmas for rows (axis 0) and columns (axis 1); used by segmentation. */
gig_status gig_blur_exact(double *picture, gig_map_size size, double sigma_rows, double sigma_columns,
                          gig_border border);

#endif
