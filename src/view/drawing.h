/* SPDX-License-Identifier: Apache-2.0 */
/* One drawing, three outputs. */
#ifndef GIG_VIEW_DRAWING_H
#define GIG_VIEW_DRAWING_H

#include "base/status.h"
#include "gig/view.h"
#include <cairo/cairo.h>

typedef struct gig_drawing {
    double width, height; /* units */
    double scale;         /* pixels per unit where there are pixels */
    void (*draw)(void *payload, cairo_t *on);
    void *payload;
} gig_drawing;

gig_status gig_drawing_size(size_t *height, size_t *width, const gig_drawing *drawing); /* pixels; checked */
gig_status gig_drawing_render(uint8_t *rgb, const gig_drawing *drawing);
gig_status gig_drawing_encode(uint8_t **out, size_t *bytes, const gig_drawing *drawing, gig_sheet_format format);

/* GIG_OK, or what cairo's status means here. */
gig_status gig_cairo_status(cairo_status_t status);

#endif
