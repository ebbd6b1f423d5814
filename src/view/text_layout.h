/* SPDX-License-Identifier: Apache-2.0 */
/* Text on a drawing: any bytes made safe, measured, wrapped. One font, laid out alike on every kind of output. */
#ifndef GIG_VIEW_TEXT_LAYOUT_H
#define GIG_VIEW_TEXT_LAYOUT_H

#include "base/status.h"
#include <cairo/cairo.h>
#include <stddef.h>

typedef struct gig_text_style {
    double size; /* units */
    int bold;
    double grey; /* 0 black, 1 white */
} gig_text_style;

enum { GIG_TEXT_BYTES = 2048 }; /* longer texts are cut, and end in an ellipsis */

/* A copy that is valid UTF-8 of at most GIG_TEXT_BYTES bytes: each byte that is not part of a character becomes U+FFFD,
 * control characters become blanks. NULL gives NULL. Free with gig_free. */
gig_status gig_text_copy(char **out, const char *text);

/* Metrics without hinting, so that lines break at the same places on every output. */
void gig_text_begin(cairo_t *on);

double gig_text_width(cairo_t *on, const gig_text_style *style, const char *text);
double gig_text_leading(const gig_text_style *style); /* from one line to the next */

/* One line whose baseline is at y; align 0 starts at x, 0.5 is centred there, 1 ends there. */
void gig_text_line(cairo_t *on, double x, double y, double align, const gig_text_style *style, const char *text);

/* Text wrapped at blanks (and after / + , where a word is too long, and anywhere at last) into `width`, its top at y.
 * Returns its height; draws only with `draw`. NULL and "" have no height. */
double gig_text_block(cairo_t *on, double x, double y, double width, const gig_text_style *style, const char *text,
                      int draw);

#endif
