/* SPDX-License-Identifier: Apache-2.0 */
/* Colours computed in OKLab: even colour maps, and a palette for curves. */
#ifndef GIG_VIEW_COLOUR_H
#define GIG_VIEW_COLOUR_H

#include "gig/view.h"

typedef struct gig_rgb {
    double r, g, b; /* sRGB in [0,1] */
} gig_rgb;

enum { GIG_PALETTE_COLOURS = 8 };
/* Colour k (counted from 0, repeating) of curves: distinct hues of one lightness; the first two are blue and orange. */
gig_rgb gig_palette(size_t k);

#endif
