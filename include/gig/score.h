/* SPDX-License-Identifier: Apache-2.0 */
/* gig/score.h -- scores of a map, or of a map and a mask; gig/metric.h has all scores by name.
 *
 * Flow:      attribution -> gig_map_reduce -> one value per pixel -> [ROC, pointing, mass, rank, Gini] -> a number
 * Ownership: arrays passed in stay the caller's and are not kept. gig_points own memory: free with gig_points_clear
 *            (zeroed and NULL are allowed).
 * Threads:   no hidden state.
 * Errors:    GIG_EARG for shapes and ranges, GIG_ENUMERIC for a NaN or infinity in a map, GIG_ELIMIT, GIG_ENOMEM. A
 *            score that is undefined (the object has no pixel) is NaN, not an error.
 *
 * Arrays of pictures are [height, width, channels], maps and masks [height, width], row by row.
 */
#ifndef GIG_SCORE_H
#define GIG_SCORE_H

#include "gig/function.h"
#include "gig/image.h"
#include "gig/path.h"
#include "gig/status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- one value per pixel ---- */

typedef enum gig_reduction {
    GIG_REDUCE_ABS_SUM = 0, /* |sum over channels|, the default */
    GIG_REDUCE_SUM_ABS,     /* sum of absolute values */
    GIG_REDUCE_MAX,         /* the largest, signed (XRAI's) */
    GIG_REDUCE_SUM          /* the sum, signed */
} gig_reduction;

GIG_API gig_status gig_map_reduce(float *out, const float *attribution, size_t pixels, size_t channels,
                                  gig_reduction reduction);

/* "abs-sum", "sum-abs", "max", "sum"; printed with every score. */
GIG_API const char *gig_reduction_name(gig_reduction reduction);
GIG_API gig_status gig_reduction_parse(gig_reduction *out, const char *name);

/* ---- ground truth ---- */

/* Values of a mask; unsure pixels are left out of every score. */
typedef enum gig_mask_value { GIG_MASK_OUT = 0, GIG_MASK_IN = 1, GIG_MASK_UNSURE = 2 } gig_mask_value;

/* The union of the boxes, edges included; parts outside the picture are cut off. GIG_EARG, naming the box, if
 * xmin > xmax or ymin > ymax. */
GIG_API gig_status gig_mask_from_boxes(uint8_t *mask, size_t height, size_t width, const gig_box *boxes, size_t count);

/* A grey mask picture: 255 is the object, 0 the background, the middle (64..191) unsure. If no value exceeds 1, 1 is
 * the object. */
GIG_API void gig_mask_from_grey(uint8_t *mask, const uint8_t *grey, size_t pixels);

/* The file of such a mask as gig_mask_value, at its own size: to be placed by GIG_NEAREST. GIG_EFORMAT if
 * it has colours, or if its largest value is from 2 to 63: such files contain class labels. */
GIG_API gig_status gig_mask_read(gig_image *out, const char *path, const gig_image_options *options);

/* ---- curves ---- */

/* x ascending; equal x mean a vertical step. */
typedef struct gig_points {
    size_t count;
    double *x, *y;
} gig_points;

GIG_API void gig_points_clear(gig_points *points);

/* ---- ROC ---- */

typedef struct gig_roc {
    double auc; /* P(map inside > map outside) + P(equal) / 2; NaN if one of the two is empty */
    size_t positives, negatives;
} gig_roc;

/* Exact: ties count one half. */
GIG_API gig_status gig_roc_auc(gig_roc *out, const float *map, const uint8_t *mask, size_t pixels);

/* x false positive rate, y true positive rate, from (0,0) to (1,1), corners only; no points if it is undefined. */
GIG_API gig_status gig_roc_curve(gig_points *out, const float *map, const uint8_t *mask, size_t pixels);

/* ---- two maps ---- */

typedef enum gig_correlation {
    GIG_CORRELATION_SIGNED = 0,    /* Pearson's, of the signed values */
    GIG_CORRELATION_MAGNITUDE = 1, /* Pearson's, of their magnitudes */
    GIG_CORRELATION_RANK = 2       /* Spearman's, of the signed values */
} gig_correlation;

/* NaN if one of the maps is constant. */
GIG_API gig_status gig_map_correlation(double *out, const float *a, const float *b, size_t count, gig_correlation kind);

enum { GIG_SIMILARITY_WINDOW = 7 };
/* Structural similarity (SSIM) of two maps of one value per pixel, each scaled to 0 .. 1: mean over all 7 x 7 windows.
 */
GIG_API gig_status gig_map_similarity(double *out, const float *a, const float *b, size_t height, size_t width);

/* ---- simple numbers ---- */

/* Pointing game: 1 if a largest pixel (any of several equal ones) lies in the object, 0 if none does, NaN if the
 * mask has no object or all pixels are equal. */
GIG_API gig_status gig_pointing_hit(double *hit, const float *map, const uint8_t *mask, size_t pixels);

/* Fraction of the map's magnitude inside the object; NaN if there is no object, or the map is zero. */
GIG_API gig_status gig_mass_inside(double *out, const float *map, const uint8_t *mask, size_t pixels);

/* Fraction of the n largest pixels that lie inside the object, where n is the object's area. Equal values at the limit
 * count proportionally. NaN if there is no object. */
GIG_API gig_status gig_rank_inside(double *out, const float *map, const uint8_t *mask, size_t pixels);

/* Gini index of the absolute values: 0 for a flat map, (n-1)/n for one pixel alone; NaN for a map of zeros. */
GIG_API gig_status gig_gini(double *out, const float *map, size_t pixels);

#ifdef __cplusplus
}
#endif
#endif
