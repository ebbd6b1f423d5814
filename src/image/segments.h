/* SPDX-License-Identifier: Apache-2.0 */
/* Segments of a picture by Felzenszwalb and Huttenlocher's graph method, as scikit-image computes them. */
#ifndef GIG_IMAGE_SEGMENTS_H
#define GIG_IMAGE_SEGMENTS_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

typedef struct gig_segments_options {
    double sigma;         /* of the Gaussian smoothing in advance, in pixels */
    size_t min_size;      /* smaller segments are joined to a neighbour */
    size_t count;         /* how many scales */
    const double *scales; /* each larger scale gives larger segments */
} gig_segments_options;

/* labels [count, height, width], from 0 in raster order of each segment's first pixel; segments[i]: how many at scale
 * i. picture is [height, width, channels]. Edges of equal weight are taken in the order of the edge list. GIG_ENUMERIC
 * for a NaN or an infinity. */
gig_status gig_segments_find(int32_t *labels, size_t *segments, const double *picture, size_t height, size_t width,
                             size_t channels, const gig_segments_options *options);

#endif
