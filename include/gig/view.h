/* SPDX-License-Identifier: Apache-2.0 */
/* gig/view.h -- drawing maps and pictures: PNG, SVG and PDF from one drawing, and HTML.
 *
 * Flow:      attributions -> [gig_map_paint] -> pixels
 *            pixels, maps -> [gig_sheet] -> a file or bytes
 * Ownership: a sheet copies what it is given: free it with gig_sheet_free. Free the bytes of gig_sheet_encode with
 *            gig_sheet_bytes_free. Everything else is written to the caller's arrays.
 * Threads:   no hidden state; a sheet is used by one thread at a time.
 * Errors:    GIG_EARG (shapes, ranges, an unknown file ending), GIG_ENUMERIC (a NaN or an infinity in a map or
 * picture), GIG_ELIMIT (a picture too large to draw), GIG_EIO, GIG_ENOMEM.
 *
 * A constant or empty map is drawn and labelled as such. Texts may contain any bytes: invalid UTF-8 becomes U+FFFD.
 */
#ifndef GIG_VIEW_H
#define GIG_VIEW_H

#include "gig/status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- from attributions to display values ---- */

/* a is the attribution of a channel; percentiles interpolate linearly between ranks, as NumPy's. */
typedef enum gig_display_rule {
    GIG_DISPLAY_MAGNITUDE = 0,      /* s = sum |a|; (s - min) / (P99(s) - min) in [0,1] (PAIR's grayscale) */
    GIG_DISPLAY_SIGNED = 1,         /* s = sum a; s / P99(|s|) in [-1,1]: zero stays zero */
    GIG_DISPLAY_PAIR_DIVERGING = 2, /* s = sum a; (s + |P99(s)|) / (2 |P99(s)|) in [-1,1]: zero becomes 0.5 */
    GIG_DISPLAY_MASS = 3,           /* s = sum a, its sign chosen; s / (value where the sorted |s| have added up to 98 %
                                       of their total) in [-1,1] (Captum's) */
    GIG_DISPLAY_RANGE = 4           /* s = sum a; (s - min) / (max - min) in [0,1] */
} gig_display_rule;

/* Which values GIG_DISPLAY_MASS shows; all except the last give [0,1]. */
typedef enum gig_display_sign {
    GIG_SIGN_ABSOLUTE = 0,
    GIG_SIGN_POSITIVE = 1,
    GIG_SIGN_NEGATIVE = 2,
    GIG_SIGN_ALL = 3
} gig_display_sign;

/* Zero means the default in brackets. */
typedef struct gig_display_options {
    gig_display_rule rule;
    gig_display_sign sign;
    double percentile; /* of the first three rules, above 0 to 100 [99] */
    double outliers;   /* of GIG_DISPLAY_MASS, percent of the mass that is clipped, below 100 [2] */
    unsigned reserved[4];
} gig_display_options;
#define GIG_DISPLAY_OPTIONS_INIT GIG_INIT

enum { GIG_DISPLAY_TEXT_BYTES = 160 };

/* What the display values mean. */
typedef struct gig_display_scale {
    double low, high;                  /* values of s at the two ends of the colours */
    int diverging;                     /* zero lies in the middle */
    int constant;                      /* every s is the same (`low`): display values are 0 */
    int empty;                         /* the map has no pixels */
    char text[GIG_DISPLAY_TEXT_BYTES]; /* the rule in words, for the picture */
} gig_display_scale;

/* mask[i] = 1 if map[i] >= the (100 - percent)th percentile, else 0: the top `percent` (more with ties; if that
 * percentile is the smallest value, only values above it). */
GIG_API gig_status gig_top_mask(uint8_t *mask, const float *map, size_t pixels, double percent);

/* ---- colours and pixels ---- */

/* Equal steps of t look equal (equal distances in OKLab). */
typedef enum gig_colours {
    GIG_COLOURS_AUTO = 0,     /* heat, or diverging for diverging values */
    GIG_COLOURS_HEAT = 1,     /* near black, violet, red, orange, pale yellow */
    GIG_COLOURS_GREY = 2,     /* black to white */
    GIG_COLOURS_DIVERGING = 3 /* blue, white at 0.5, red */
} gig_colours;

typedef enum gig_map_look {
    GIG_LOOK_HEAT = 0,    /* the values as colours */
    GIG_LOOK_OVERLAY = 1, /* colours over the picture, greyed and dimmed, more opaque where the value is larger */
    GIG_LOOK_MASK = 2,    /* the picture where the value is among the top percent, else black */
    GIG_LOOK_ALPHA = 3    /* the picture faded to white where the value is small */
} gig_map_look;

typedef struct gig_map_options {
    gig_map_look look;
    gig_colours colours;
    gig_display_options display;
    const float *pixels; /* [height, width, 3] in [0,1], needed by all looks except the first */
    double top;          /* percent of GIG_LOOK_MASK [30] */
    double opacity;      /* of GIG_LOOK_OVERLAY where the value is largest, above 0 to 1 [0.85] */
    unsigned reserved[4];
} gig_map_options;
#define GIG_MAP_OPTIONS_INIT GIG_INIT

/* rgb is [height, width, 3] in [0,1]; map is [height, width, channels]. scale and options may be NULL. */
GIG_API gig_status gig_map_paint(float *rgb, gig_display_scale *scale, const float *map, size_t height, size_t width,
                                 size_t channels, const gig_map_options *options);

/* ---- sheets ---- */

typedef struct gig_sheet gig_sheet;

typedef struct gig_sheet_options {
    const char *title;  /* above everything, or NULL */
    const char *footer; /* below everything, or NULL */
    size_t columns;     /* panels in a row [as wide as high, at most 5] */
    double panel_width; /* of a picture, units [208] */
    double scale;       /* pixels of a PNG per unit [2] */
    unsigned reserved[4];
} gig_sheet_options;
#define GIG_SHEET_OPTIONS_INIT GIG_INIT

/* A number with its name, for the table of an HTML file. NaN: undefined. */
typedef struct gig_named_number {
    const char *name;
    double value;
} gig_named_number;

/* The texts of a panel; each may be NULL. Long ones wrap. */
typedef struct gig_caption {
    const char *title;
    const char *class_name;
    int has_probability;
    double probability; /* after the class name, below the panel */
    int has_completeness;
    double sum, value_input, value_baseline; /* "sum 0.912, should be 0.93 (-1.94 %)" */
    const char *note;                        /* an additional line */
    size_t span;                             /* columns the panel is wide [1] */
    size_t number_count;                     /* HTML only: columns of the table of maps */
    const gig_named_number *numbers;
    unsigned reserved[4];
} gig_caption;

/* options may be NULL. */
GIG_API gig_status gig_sheet_create(gig_sheet **out, const gig_sheet_options *options);
GIG_API void gig_sheet_free(gig_sheet *sheet); /* NULL is allowed */

/* pixels: [height, width, 3] in [0,1] (clamped). caption may be NULL. */
GIG_API gig_status gig_sheet_add_picture(gig_sheet *sheet, const gig_caption *caption, const float *pixels,
                                         size_t height, size_t width);
/* With a legend if colours represent values, and the rule in words. */
GIG_API gig_status gig_sheet_add_map(gig_sheet *sheet, const gig_caption *caption, const float *map, size_t height,
                                     size_t width, size_t channels, const gig_map_options *options);
/* What an input that is not a picture is drawn as. The shape decides where nobody says: one axis is a table up to 64
 * values, a signal above; two are a signal, the longer one its positions (a picture where both are above 32); three and
 * more are slices [C,D,H,W], [D,C,H,W], [D,H,W,C], [C,H,W] or [H,W,C], the channels being an axis of at most 4. Labels
 * make tokens of it. */
typedef enum gig_array_kind {
    GIG_ARRAY_AUTO = 0,
    GIG_ARRAY_SIGNAL = 1, /* [channels, positions] or [positions, channels]: a line coloured by attribution */
    GIG_ARRAY_TOKENS = 2, /* [positions, ...]: words coloured by the sum over what a position holds */
    GIG_ARRAY_TABLE = 3,  /* every value is a column: bars, longest first */
    GIG_ARRAY_SLICES = 4  /* volumes and clips, the map over the greyed input */
} gig_array_kind;

/* The next panel starts a new row, beneath this heading (NULL: none). */
GIG_API gig_status gig_sheet_add_heading(gig_sheet *sheet, const char *heading);

/* HTML: a single file that needs no network: the maps (16 bits per value) with a viewer. */
typedef enum gig_sheet_format {
    GIG_SHEET_PNG = 0,
    GIG_SHEET_SVG = 1,
    GIG_SHEET_PDF = 2,
    GIG_SHEET_HTML = 3,
    GIG_SHEET_WEBP = 4 /* lossless */
} gig_sheet_format;

/* Written completely or not at all; overwrites only with force. The extension of the path sets the format. */
GIG_API gig_status gig_sheet_write(gig_sheet *sheet, const char *path, int force);
GIG_API gig_status gig_sheet_encode(uint8_t **out, size_t *bytes, gig_sheet *sheet, gig_sheet_format format);
GIG_API void gig_sheet_bytes_free(uint8_t *bytes); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
