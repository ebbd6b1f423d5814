/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that are not pictures, as panels: how an array is read, and what is kept of it to draw. */
#ifndef GIG_VIEW_ARRAY_H
#define GIG_VIEW_ARRAY_H

#include "base/status.h"
#include "internal/view.h"
#include <cairo/cairo.h>

struct gig_panel;

/* Element (c, z, y, x) lies at c * strides[0] + z * strides[1] + y * strides[2] + x * strides[3]. A signal is
 * [channels, 1, 1, positions]; tokens and columns are [values of one, 1, 1, positions]. */
typedef struct gig_array_layout {
    gig_array_kind kind; /* never GIG_ARRAY_AUTO */
    size_t channels, depth, height, width;
    size_t strides[4];
} gig_array_layout;

/* The kind that the array asks for, or the one that its shape suggests. GIG_EARG: labels do not fit, an unknown kind.
 */
gig_status gig_array_lay_out(gig_array_layout *out, const gig_array *array);

/* What a drawing keeps: all but slices, which are the panel's pixels. */
typedef struct gig_array_drawing {
    gig_array_kind kind;
    size_t rows, count; /* signal: channels that are shown, positions; else 1, words or columns */
    size_t *order;      /* [rows] channels, or [count] columns, in the order in which they are drawn */
    float *values;      /* signal: [rows, count]; columns: the input's */
    float *shown;       /* the same shape: display values in [-1,1] */
    double *sums;       /* tokens and columns: attributions */
    char **labels;      /* [count], cleaned; NULL: positions are numbered */
    size_t left;        /* columns that are not drawn */
    double rest;        /* and what they add up to */
} gig_array_drawing;

void gig_array_drawing_free(gig_array_drawing *drawing); /* NULL is allowed */

/* Fills the panel: its drawing or pixels, scale and legend. */
gig_status gig_array_panel(struct gig_panel *panel, const gig_array *array, const gig_array_layout *layout);

double gig_array_height(cairo_t *on, const gig_array_drawing *drawing, double width);
void gig_array_draw(cairo_t *on, const gig_array_drawing *drawing, double x, double y, double width);
/* The colour of a signal's line: grey where nothing is attributed, blue below, red above. */
void gig_line_colour(float rgb[3], double value);

#endif
