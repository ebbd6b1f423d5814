/* SPDX-License-Identifier: Apache-2.0 */
/* internal/score.h -- scores that need a model, curves and intervals: rows of gig/metric.h call these by name. */
#ifndef GIG_INTERNAL_SCORE_H
#define GIG_INTERNAL_SCORE_H

#include "gig/metric.h"

/* ---- ground truth ---- */

/* Whether a mask has its picture's proportions, but for a pixel of the larger. */
int gig_mask_fits(size_t width, size_t height, size_t picture_width, size_t picture_height);

/* ---- curves ---- */

/* A curve over [0,1] may also be its y at x = j / intervals, j = 0..intervals. Its area by the trapezoid rule: */
double gig_curve_area(const double *y, size_t intervals);

typedef enum gig_aggregate { GIG_AGGREGATE_MEDIAN = 0, GIG_AGGREGATE_MEAN } gig_aggregate;

/* out[j] = median or mean over the curves, each of intervals + 1 values. GIG_EARG for no curves. */
gig_status gig_curves_aggregate(double *out, const double *const *curves, size_t count, size_t intervals,
                                gig_aggregate aggregate);

/* y of the points at x = j / intervals, linear between points; at equal x the last one counts. x must run from 0 to 1
 * (for ROC curves). */
gig_status gig_points_sample(double *out, size_t intervals, const gig_points *points);

/* ---- performance information curves: SIC and AIC. A gig_pic is one picture; one thread uses it at a time ---- */

/* Bytes that the picture is worth. Called from several threads at once. */
typedef gig_status (*gig_information)(void *payload, size_t *bytes, const gig_image *image);

typedef struct gig_pic_options {
    double fraction;             /* random pixels revealed from the start, as a part of all; 0: 0.01 */
    const double *thresholds;    /* parts of the pixels revealed, ascending in (0,1); NULL: the usual thirteen */
    size_t threshold_count;      /* with thresholds */
    double least_prediction;     /* of the whole picture, else it is not scored; 0: 0.8; negative: none */
    int as_measured;             /* 1: y as measured; 0: y never falls as the threshold rises */
    size_t intervals;            /* of the curve; 0: 1000 */
    uint64_t seed, picture;      /* the random pixels depend on both and on nothing else */
    size_t threads;              /* that fill and encode; 0: all cores. Never changes the result */
    gig_information information; /* NULL: the bytes of a lossless WebP file, as Pillow writes it at quality 100 */
    void *payload;               /* of information */
} gig_pic_options;
#define GIG_PIC_OPTIONS_INIT GIG_INIT

typedef enum gig_pic_outcome {
    GIG_PIC_SCORED = 0,
    GIG_PIC_LOW_PREDICTION, /* the model does not see the class in the whole picture */
    GIG_PIC_NO_INFORMATION, /* the blurred picture is worth as much as the whole one */
    GIG_PIC_BLUR_PREDICTS   /* the model sees the class in the blurred picture as well */
} gig_pic_outcome;

/* A few words for each, for tables and logs. */
const char *gig_pic_outcome_text(gig_pic_outcome outcome);

typedef struct gig_pic_result {
    gig_pic_outcome outcome;
    double auc;                                    /* NaN unless scored; so are the arrays NULL */
    double blurred_prediction, whole_prediction;   /* NaN if not evaluated */
    size_t blurred_information, whole_information; /* bytes */
    size_t count, intervals;                       /* thresholds; intervals of the curve */
    double *information, *prediction;              /* [count], measured at each threshold, not normalised */
    gig_points points;                             /* of the curve, normalised, with (0,0) and (1,1) */
    double *curve;                                 /* [intervals + 1], y of the points at x = j / intervals */
} gig_pic_result;

void gig_pic_result_clear(gig_pic_result *result);

/* options may be NULL. Sides from 2 to 16384. */
gig_status gig_pic_create(gig_pic **out, const uint8_t *pixels, size_t height, size_t width, size_t channels,
                          const gig_pic_options *options);

/* The map to score next: one value per pixel, the largest are revealed first. Copied. */
gig_status gig_pic_set_map(gig_pic *pic, const float *map);

/* SIC where the functions (one per worker) give the softmax of the class, AIC where they give 1 if the class is the
 * first and else 0. Points are [height, width, channels] in [0,1]. The pictures of a map are made once, so that SIC and
 * AIC of one map share them. */
gig_status gig_pic_score(gig_pic_result *out, gig_pic *pic, gig_functions functions, size_t target);

/* ---- insertion and deletion ---- */

/* Pixels of `from` are replaced by those of `to` in the order of the map, largest first (equal ones in raster order),
 * in equal steps. Insertion: from the blurred picture to the picture; deletion: from the picture to black. */
typedef struct gig_replacement {
    const float *from, *to; /* [pixels, channels]; NULL: black */
    const float *map;       /* [pixels] */
    size_t pixels, channels;
    size_t steps; /* 0: 100, one per cent each */
} gig_replacement;

/* area: of the values over the part replaced, by trapezoid. values (or NULL): steps + 1 of them, F after each step. */
gig_status gig_replacement_score(double *area, double *values, gig_functions functions, size_t target,
                                 const gig_replacement *replacement);

/* ---- removal: DiffID, ROAD, mu-fidelity ---- */

/* A picture, and the map by which parts of it are removed. */
typedef struct gig_removal {
    size_t height, width, channels;
    const float *picture;        /* [height, width, channels] */
    const float *attribution;    /* [height, width, attribution_channels] */
    size_t attribution_channels; /* 1, or those of the picture; 1 for road */
    const float *baseline;       /* of mufidelity, [height, width, channels]; NULL: black */
    uint64_t seed, number;       /* what is drawn depends on both; number is the same for all maps of one picture */
    unsigned reserved[8];
} gig_removal;
#define GIG_REMOVAL_INIT GIG_INIT

/* GIG_EARG, GIG_ELIMIT or GIG_ENUMERIC if something is missing, too large or not finite. */
gig_status gig_removal_check(const gig_removal *removal);

enum { GIG_DIFFID_RATIOS = 9, GIG_ROAD_SHARES = 9 };

/* DiffID, higher is better: mean over the ratios 0.1, ..., 0.9 of F with that share of the values of least |a| replaced
 * by the mean of the others, less F with the share of largest |a| replaced. values (or NULL): F, 9 of the first kind, 9
 * of the second. */
gig_status gig_diffid(double *out, double *values, gig_functions functions, size_t target, const gig_removal *removal);

/* ROAD, higher is better: mean over nine shares from 0.1 to 0.99 of F with the least relevant pixels removed, less F
 * with the most relevant removed; removed pixels are imputed from their neighbours, plus noise. values as above. */
gig_status gig_road(double *out, double *values, gig_functions functions, size_t target, const gig_removal *removal);
/* The imputing, without noise: picture[removed[i]], i < count, in place. Only shape and channels of `removal` count. */
gig_status gig_road_impute(float *picture, const gig_removal *removal, const uint32_t *removed, size_t count);

/* mu-fidelity, higher is better: Spearman's correlation, over subsets of 16 of 9 x 9 cells, of the signed map's sum and
 * the drop of F when the cells are set to the baseline. NaN if one of them does not vary. */
gig_status gig_mufidelity(double *out, size_t subsets, gig_functions functions, size_t target,
                          const gig_removal *removal);

/* ---- infidelity and sensitivity (Yeh et al. 2019, as Captum defines them) ---- */

/* Writes the perturbed input number `sample`. It depends on nothing but its arguments, and may be called from several
 * threads at once. */
typedef gig_status (*gig_perturb)(void *payload, size_t sample, float *perturbed, const float *input, size_t features);

typedef struct gig_infidelity_options {
    size_t samples;        /* 0: 10 */
    double noise;          /* standard deviation of the normal noise; 0: 0.003 */
    uint64_t seed;         /* of the noise */
    gig_perturb perturb;   /* instead of the noise */
    void *payload;         /* of perturb */
    const float *baseline; /* of the attribution; NULL: zeros */
    int local;             /* 1: the attribution is a gradient, not multiplied by (input - baseline) */
    int normalize;         /* 1: the attribution is scaled to fit best, so that its size does not count */
} gig_infidelity_options;
#define GIG_INFIDELITY_OPTIONS_INIT GIG_INIT

/* Mean over samples of (I . attribution - (F(x) - F(x')))^2 with I = (x - x') / (x - baseline), 0 if x = baseline,
 * or x - x' where local. */
gig_status gig_infidelity(double *out, gig_functions functions, size_t target, const float *input,
                          const float *attribution, const gig_infidelity_options *options);

typedef struct gig_sensitivity_options {
    size_t samples;      /* 0: 10 */
    double radius;       /* x' is uniform within it, per value; 0: 0.02 */
    uint64_t seed;       /* of x' */
    gig_perturb perturb; /* instead of that */
    void *payload;       /* of perturb */
} gig_sensitivity_options;
#define GIG_SENSITIVITY_OPTIONS_INIT GIG_INIT

/* Largest |attribution(x) - attribution(x')| / |attribution(x)| over the samples, Euclidean; a norm of 0 counts as 1.
 */
gig_status gig_sensitivity_max(double *out, const float *input, const float *attribution, size_t features,
                               gig_explain_callback explain, void *payload, const gig_sensitivity_options *options);

/* ---- closed paths and completeness ---- */

/* Walks A -> B -> C -> A; what they attribute together should be 0 for every feature. */
typedef struct gig_closed_options {
    size_t paths;           /* 0: 10 */
    uint64_t seed, picture; /* B and C are uniform in [0,1) per value, and depend on these two and on the path */
    /* In place of that: writes B (corner 0) or C (corner 1) of a path. */
    gig_status (*corner)(void *payload, size_t path, int corner, float *point, size_t features);
    void *payload;
    const gig_drive_options *drive; /* tolerance, closing and the like, of each side [none] */
} gig_closed_options;
#define GIG_CLOSED_OPTIONS_INIT GIG_INIT

typedef struct gig_closed_error {
    double mean_square; /* over paths and features */
    size_t paths, features, evaluations;
} gig_closed_error;

/* `side` says how each of the three sides is walked: guide (or none: the straight line), rule, steps, segments, target.
 * point is A. options may be NULL. */
gig_status gig_closed_path(gig_closed_error *out, gig_functions functions, const gig_chain *side, const float *point,
                           const gig_closed_options *options);

typedef struct gig_completeness {
    double sum, difference; /* of the attributions; F(input) - F(baseline) */
    double delta;           /* sum - difference */
    double relative;        /* |delta| / |difference|, NaN if that is 0 */
} gig_completeness;

gig_completeness gig_completeness_of(double sum, double value_input, double value_baseline);

/* ---- many pictures ---- */

/* A mean (or another number) with the ends of its interval; all NaN for n = 0. */
typedef struct gig_interval {
    size_t n; /* defined values it rests on */
    double mean, low, high;
} gig_interval;

typedef struct gig_bootstrap_options {
    size_t resamples; /* 0: 2000 */
    double level;     /* 0: 0.95 */
    uint64_t seed;
} gig_bootstrap_options;
#define GIG_BOOTSTRAP_OPTIONS_INIT GIG_INIT

/* Mean of the values that are not NaN, and the percentile interval of resampled means. options may be NULL. */
gig_status gig_bootstrap_mean(gig_interval *out, const double *values, size_t count,
                              const gig_bootstrap_options *options);

/* The same for a[i] - b[i], over the i where both are defined. */
gig_status gig_bootstrap_difference(gig_interval *out, const double *a, const double *b, size_t count,
                                    const gig_bootstrap_options *options);

/* Area of the aggregate curve; the interval of the areas when the curves (pictures) are resampled. */
gig_status gig_bootstrap_curves(gig_interval *out, const double *const *curves, size_t count, size_t intervals,
                                gig_aggregate aggregate, const gig_bootstrap_options *options);

#endif
