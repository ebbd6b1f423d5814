/* SPDX-License-Identifier: Apache-2.0 */
/* internal/view.h -- plots, paths, arrays and tables on sheets, and the steps of drawing. */
#ifndef GIG_INTERNAL_VIEW_H
#define GIG_INTERNAL_VIEW_H

#include "gig/view.h"

/* ---- from attributions to display values ---- */

/* out[i] = display value of pixel i < pixels; map is [pixels, channels]. Differs from PAIR saliency: where the span is
 * zero though the map is not constant, the largest value takes the percentile's place (and text says so). */
gig_status gig_display_map(float *out, gig_display_scale *scale, const float *map, size_t pixels, size_t channels,
                           const gig_display_options *options);

/* What a map is drawn with where nothing else is asked for: `asked`, but values of whole areas (traits: those of the
 * method's row) lie over the picture, from minimum to maximum. pixels: the picture, or NULL. */
gig_map_options gig_map_look_of(const gig_map_options *asked, unsigned traits, const float *pixels);

/* ---- colours and pixels ---- */

/* sRGB in [0,1] at t, which is clamped to [0,1]. */
void gig_colour_at(float rgb[3], gig_colours colours, double t);

/* ---- sheets ---- */

/* One curve. Points where x or y is not finite are left out, and the line broken there. */
typedef struct gig_series {
    const char *name; /* in the legend; NULL: not there */
    size_t count;
    const double *x, *y;
    const double *low, *high; /* a band around the line, or NULL */
    int dashed;
    int dots;      /* a dot at every point */
    int hide_line; /* dots or band only */
    size_t colour; /* of the palette; 0: by the order of the series, k: the kth */
    unsigned reserved[2];
} gig_series;

typedef struct gig_plot {
    const char *x_label, *y_label;
    double x_low, x_high, y_low, y_high; /* ranges; equal ends: from the data */
    size_t series_count;
    const gig_series *series;
    size_t mark_count;
    const double *marks; /* dashed vertical lines at these x */
    int diagonal;        /* a dashed line from corner to corner (chance, for ROC) */
    int zero_line;       /* a line at y = 0 if that is in range; the range of the data then includes it */
    double aspect;       /* height over width [0.72] */
    unsigned reserved[4];
} gig_plot;
gig_status gig_sheet_add_plot(gig_sheet *sheet, const gig_caption *caption, const gig_plot *plot);

/* ---- what HTML files alone can show: the other formats refuse a sheet with such a panel (GIG_EUNSUPPORTED) ---- */

/* One point of a path. pixels and map may be NULL: then only the score is shown. */
typedef struct gig_path_frame {
    double alpha, value;
    const float *pixels; /* [height, width, 3] in [0,1] */
    const float *map;    /* [height, width, channels]: what is attributed so far */
} gig_path_frame;

/* A path to move along, in order of alpha. */
typedef struct gig_path_frames {
    const char *score; /* what the values are [score] */
    size_t count;
    const gig_path_frame *frames;
    size_t height, width, channels;
} gig_path_frames;

/* Paths that follow each other are moved together. */
gig_status gig_sheet_add_path(gig_sheet *sheet, const gig_caption *caption, const gig_path_frames *path);

/* A table that sorts. cells: [rows, columns]; a cell is a text, or (NULL) the number at the same place of `numbers`,
 * which may be NULL if all are texts. The caption's note stands below. */
gig_status gig_sheet_add_table(gig_sheet *sheet, const gig_caption *caption, size_t rows, size_t columns,
                               const char *const *names, const char *const *cells, const double *numbers);

/* ---- arrays ---- */

typedef struct gig_array {
    int rank;
    const int64_t *dims; /* without a batch */
    const float *values, *map;
    gig_array_kind kind;
    size_t label_count;
    const char *const *labels;   /* NULL, or the words of tokens, the names of columns */
    const gig_map_options *look; /* of slices [over the greyed input] */
} gig_array;

gig_status gig_sheet_add_array(gig_sheet *sheet, const gig_caption *caption, const gig_array *array);
/* What it is drawn as, in words ("signal: 1 channel of 500 positions") and (kind may be NULL) as a kind. */
gig_status gig_array_describe(char *text, size_t bytes, gig_array_kind *kind, const gig_array *array);
/* "auto", "signal", "tokens", "table", "slices". Never NULL. */
const char *gig_array_kind_name(gig_array_kind kind);

/* The format by the ending .png, .svg, .pdf or .html, case ignored. */
gig_status gig_sheet_format_of(gig_sheet_format *out, const char *path);

/* Size of the PNG in pixels, and its pixels as [height, width, 3] bytes. */
gig_status gig_sheet_size(size_t *height, size_t *width, gig_sheet *sheet);
gig_status gig_sheet_render(uint8_t *rgb, gig_sheet *sheet);

#endif
