/* SPDX-License-Identifier: Apache-2.0 */
/* What a sheet shares with gig_map_paint. */
#ifndef GIG_VIEW_PAINT_H
#define GIG_VIEW_PAINT_H

#include "base/status.h"
#include "gig/view.h"

gig_status gig_map_options_check(gig_map_options *how, const gig_map_options *given); /* fills defaults in */
gig_colours gig_map_colours(const gig_map_options *options, const gig_display_scale *scale);

/* A colour over a pixel of the greyed picture, as GIG_LOOK_OVERLAY shows it. */
void gig_overlay_colour(float rgb[3], float grey, double opacity, const float colour[3]);

/* *pixels = height * width after a checked size; a picture (NULL: none) must be finite. */
gig_status gig_picture_check(size_t *pixels, const float *picture, size_t height, size_t width, size_t channels);

#endif
