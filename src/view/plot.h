/* SPDX-License-Identifier: Apache-2.0 */
/* Line plots: axes with round ticks, curves, bands, marks, a legend. */
#ifndef GIG_VIEW_PLOT_H
#define GIG_VIEW_PLOT_H

#include "base/status.h"
#include "internal/view.h"
#include <cairo/cairo.h>

/* A deep copy with cleaned texts; free with gig_plot_clear. */
gig_status gig_plot_copy(gig_plot *out, const gig_plot *plot);
void gig_plot_clear(gig_plot *plot);

double gig_plot_height(cairo_t *on, const gig_plot *plot, double width); /* legend included */
void gig_plot_draw(cairo_t *on, const gig_plot *plot, double x, double y, double width);

enum { GIG_MAX_TICKS = 16 };
typedef struct gig_plot_axis {
    double low, high; /* range of the axis */
    double step;
    size_t count;
    double ticks[GIG_MAX_TICKS]; /* multiples of step inside */
} gig_plot_axis;

/* An axis over low..high with about `wanted` ticks at 1, 2 or 5 times a power of ten. `round` widens it to whole steps.
 * Equal ends are widened around the value; ends that are not finite give 0..1. */
gig_plot_axis gig_plot_axis_make(double low, double high, size_t wanted, int round);

#endif
