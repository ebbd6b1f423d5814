/* SPDX-License-Identifier: Apache-2.0 */
/* One panel of a sheet: text above, a picture or a plot, a legend and text below. */
#ifndef GIG_VIEW_PANEL_H
#define GIG_VIEW_PANEL_H

#include "base/status.h"
#include "internal/view.h"
#include <cairo/cairo.h>

typedef enum gig_panel_kind {
    GIG_PANEL_PICTURE,
    GIG_PANEL_PLOT,
    GIG_PANEL_HEADING,
    GIG_PANEL_ARRAY, /* pixels, or `array`, or neither: it is empty */
    GIG_PANEL_HTML   /* shown in HTML files only */
} gig_panel_kind;

typedef struct gig_panel {
    gig_panel_kind kind;
    size_t span;
    char *title, *class_line, *completeness, *note; /* cleaned; NULL: none. A heading is a title. */
    uint32_t *pixels;                               /* 0x00RRGGBB, [height, width] */
    size_t height, width;
    int crisp;      /* pixels are drawn as squares: a map, not a photograph */
    int has_scale;  /* scale.text is shown */
    int has_legend; /* colours represent values */
    double opacity; /* of an overlay's largest value; 0: no overlay */
    gig_colours colours;
    gig_display_scale scale;
    gig_plot plot;
    struct gig_array_drawing *array; /* a signal, words, bars; NULL: none */
    char *html;                      /* JSON of the map itself and its numbers, for HTML files; without the braces */
} gig_panel;

/* Heights of the three parts, for a width; panels of a row are aligned by them. */
typedef struct gig_panel_size {
    double head, body, foot;
} gig_panel_size;

gig_status gig_panel_caption(gig_panel *panel, const gig_caption *caption); /* copies the texts; caption may be NULL */
gig_status gig_panel_pixels(gig_panel *panel, const float *rgb, size_t height, size_t width);
void gig_panel_clear(gig_panel *panel);

gig_panel_size gig_panel_measure(cairo_t *on, const gig_panel *panel, double width);
/* The body starts at y + row.head; the foot follows the body. */
void gig_panel_draw(cairo_t *on, const gig_panel *panel, double x, double y, double width, gig_panel_size row);

enum { GIG_CAPTION_LINE_BYTES = 128 };
/* "sum 0.912, should be 0.93 (-1.94 %)" */
const char *gig_caption_completeness(char text[GIG_CAPTION_LINE_BYTES], const gig_caption *caption);

#endif
