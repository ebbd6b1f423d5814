/* SPDX-License-Identifier: Apache-2.0 */
/* Display values as places in a colour map. */
#ifndef GIG_VIEW_DISPLAY_H
#define GIG_VIEW_DISPLAY_H

#include "gig/view.h"

/* Where in a colour map [0,1] a display value lies; the middle for a constant map. */
double gig_display_place(double value, gig_display_rule rule, const gig_display_scale *scale);

/* The magnitude of a display value, [0,1]: it sets the opacity. */
double gig_display_strength(double value, gig_display_rule rule, const gig_display_scale *scale);

/* mask[i] = 1 if s of pixel i (the rule's sum, not the clipped display value, so that outliers do not tie) is among
 * the top percent; scale->text (scale may be NULL) then says so. */
gig_status gig_display_top(uint8_t *mask, gig_display_scale *scale, const float *map, size_t pixels, size_t channels,
                           const gig_display_options *options, double percent);

#endif
