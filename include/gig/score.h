/* gig/score.h -- numbers about maps: does a map point at the object, at what the model uses, and does it add up.
 *
 * Flow:      attribution -> gig_map_reduce -> one value per pixel -> [roc, pic, reveal, pointing, gini] -> numbers
 *            numbers of many pictures -> [gig_bootstrap, gig_curves_*] -> a row of a table
 * Ownership: arrays passed in stay the caller's and are not kept, except by gig_pic, which copies the picture.
 *            gig_points, gig_pic_result and gig_pic own memory: free with their _clear or _free (zeroed and NULL are
 *            allowed).
 * Threads:   no hidden state. One gig_pic serves one thread at a time.
 * Errors:    GIG_EARG for shapes and ranges, GIG_ENUMERIC for a NaN or infinity in a map or a value, GIG_ELIMIT,
 *            GIG_ENOMEM, and whatever a function or callback returns. A score that is not defined (no pixel of the
 *            object, no model prediction to explain) is no error: it is NaN, and the result says why.
 *
 * Arrays of pictures are [height, width, channels], maps and masks [height, width], row by row.
 */
#ifndef GIG_SCORE_H
#define GIG_SCORE_H

#include "gig/function.h"
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

/* "abs-sum", "sum-abs", "max", "sum"; printed beside every score. */
GIG_API const char *gig_reduction_name(gig_reduction reduction);
GIG_API gig_status gig_reduction_parse(gig_reduction *out, const char *name);

/* ---- ground truth ---- */

/* What a mask says of a pixel; unsure pixels are left out of every score. */
typedef enum gig_mask_value { GIG_MASK_OUT = 0, GIG_MASK_IN = 1, GIG_MASK_UNSURE = 2 } gig_mask_value;

/* Pixels xmin..xmax, ymin..ymax, edges included; what lies outside the picture is cut off. */
typedef struct gig_box {
    int64_t xmin, ymin, xmax, ymax;
} gig_box;

/* The union of the boxes. GIG_EARG, naming the box, where xmin > xmax or ymin > ymax. */
GIG_API gig_status gig_mask_from_boxes(uint8_t *mask, size_t height, size_t width, const gig_box *boxes, size_t count);

/* A grey mask picture: 255 is the object, 0 the background, the middle (64..191) unsure. Where no value exceeds 1, 1 is
 * the object. */
GIG_API void gig_mask_from_grey(uint8_t *mask, const uint8_t *grey, size_t pixels);

/* ---- curves ---- */

/* x ascending; equal x mean a vertical step. */
typedef struct gig_points {
    size_t count;
    double *x, *y;
} gig_points;

GIG_API void gig_points_clear(gig_points *points);

/* ---- ROC ---- */

typedef struct gig_roc {
    double auc; /* P(map inside > map outside) + P(equal) / 2; NaN where one of the two is empty */
    size_t positives, negatives;
} gig_roc;

/* Exact: ties count one half. */
GIG_API gig_status gig_roc_auc(gig_roc *out, const float *map, const uint8_t *mask, size_t pixels);

/* x false positive rate, y true positive rate, from (0,0) to (1,1), corners only; no points where it is undefined. */
GIG_API gig_status gig_roc_curve(gig_points *out, const float *map, const uint8_t *mask, size_t pixels);

/* ---- simple numbers ---- */

/* Pointing game: 1 if a largest pixel (any of several equal ones) lies in the object, 0 if none does, NaN where the
 * mask has no object. */
GIG_API gig_status gig_pointing_hit(double *hit, const float *map, const uint8_t *mask, size_t pixels);

/* Gini index of the absolute values: 0 for a flat map, (n-1)/n for one pixel alone; NaN for a map of zeros. */
GIG_API gig_status gig_gini(double *out, const float *map, size_t pixels);

#ifdef __cplusplus
}
#endif
#endif
