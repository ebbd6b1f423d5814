/* SPDX-License-Identifier: Apache-2.0 */
/* Unknown pixels from known ones, by linear interpolation on the Delaunay triangulation. */
#ifndef GIG_SCORE_FILL_PIXELS_H
#define GIG_SCORE_FILL_PIXELS_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

/* out[height, width, channels] = image where known[height, width] is not 0, and at the four corners; elsewhere linear
 * between the three known pixels around. out may be image. Sides from 2 to GIG_DELAUNAY_SIDE. */
gig_status gig_fill(float *out, const float *image, const uint8_t *known, size_t height, size_t width, size_t channels);

/* The same on bytes: rounded to the nearest, halves to even. */
gig_status gig_fill_bytes(uint8_t *out, const uint8_t *image, const uint8_t *known, size_t height, size_t width,
                          size_t channels);

#endif
