/* SPDX-License-Identifier: Apache-2.0 */
/* gig/metric.h -- scores by name, as in tables, studies and the command line.
 *
 * Flow:      "auc/reduction=max" -> [gig_metric]; a map and what it belongs to -> [gig_metrics_score] -> numbers
 * Ownership: everything in gig_scored is borrowed for the length of the call. A result owns its curve: free with
 *            gig_metric_result_clear.
 * Threads:   no hidden state; values are computed on as many threads as functions are given.
 * Errors:    GIG_EARG for names, options and missing inputs; whatever functions and callbacks return. An undefined
 * score is NaN with a note, not an error.
 *
 * A metric's name is base[/option=value...], printed in one form: options sorted, defaults left out.
 */
#ifndef GIG_METRIC_H
#define GIG_METRIC_H

#include "gig/saliency.h"
#include "gig/score.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Explains another input with the same method. */
typedef gig_status (*gig_explain_callback)(void *payload, float *attribution, const float *input);

/* What SIC and AIC compute once per picture (random pixels, blurred version), shared by all of its maps. */
typedef struct gig_pic gig_pic;
GIG_API void gig_pic_free(gig_pic *pic); /* NULL is allowed */

/* ---- rows: what a metric is ---- */

typedef struct gig_metric gig_metric;
typedef struct gig_metric_result gig_metric_result;
typedef struct gig_measuring gig_measuring;

/* What a metric needs. */
enum gig_metric_need {
    GIG_METRIC_NEEDS_MAP = 1,
    GIG_METRIC_NEEDS_TRUTH = 2,    /* a mask */
    GIG_METRIC_NEEDS_PICTURE = 4,  /* pixels */
    GIG_METRIC_NEEDS_FUNCTION = 8, /* a model */
    GIG_METRIC_NEEDS_ARGMAX = 16,
    GIG_METRIC_NEEDS_EXPLAINER = 32,
    GIG_METRIC_NEEDS_PATH = 64,        /* a method with a path between two points */
    GIG_METRIC_NEEDS_DIFFERENCE = 128, /* the map's sum, and F at both ends */
    GIG_METRIC_NEEDS_FEATURES = 256    /* one value per feature, not per pixel */
};

/* How to read its values. */
enum gig_metric_trait {
    GIG_METRIC_LESS_IS_BETTER = 1,
    GIG_METRIC_TINY = 2,         /* small errors: printed with significant digits, not with three decimals */
    GIG_METRIC_MEDIAN_CURVE = 4, /* tables give the area of the median curve over pictures */
    GIG_METRIC_ENCODES = 8,      /* also creates and encodes pictures, which takes time */
    GIG_METRIC_OF_DRAWS = 16     /* its cost is that of further maps, which all such metrics of one map share */
};

/* Cost in evaluations of the model. */
typedef struct gig_metric_cost {
    double gradients, values;
} gig_metric_cost;

/* A metric: one row. */
typedef struct gig_metric_row {
    const char *name;
    const char *help; /* one sentence */
    unsigned needs, traits;
    size_t option_count; /* at most 8 */
    const gig_method_option *options;
    const char *x_label, *y_label; /* of its curve; NULL: no curve */
    int diagonal;                  /* chance is the curve's diagonal */
    gig_status (*measure)(gig_metric_result *out, gig_measuring *with, const gig_metric *metric);
    /* The cost of scoring one map; `map` is the cost of computing it again, `chain` that of one path. NULL: the model
     * is not used. */
    gig_metric_cost (*cost)(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain);
    unsigned reserved[8];
} gig_metric_row;

/* The library's own rows; NULL after the last. */
GIG_API const gig_metric_row *gig_metric_row_at(size_t i);

/* ---- metrics ---- */

enum { GIG_METRIC_OPTIONS = 8 };

/* A row and the values of its options: values[i] is that of row->options[i] (the index of a choice). */
struct gig_metric {
    const gig_metric_row *row;
    double values[GIG_METRIC_OPTIONS];
};

GIG_API gig_status gig_metric_parse(gig_metric *out, const char *text);
/* Sets one option by its name. GIG_EARG if the metric has no such option. */
GIG_API gig_status gig_metric_set(gig_metric *metric, const char *option, const char *value);
/* The value of an option; NaN if the metric has no such option. */
GIG_API double gig_metric_number(const gig_metric *metric, const char *option);
enum { GIG_METRIC_NAME_BYTES = 160 };
/* The canonical name into text, cut at `bytes`; returns text. Parsing it gives the same metric back. */
GIG_API const char *gig_metric_name(char *text, size_t bytes, const gig_metric *metric);

/* A map and what it belongs to. Fields that the metrics do not need may be NULL. */
typedef struct gig_scored {
    size_t height, width;
    const float *attribution; /* [height, width, channels] */
    size_t channels;          /* of the attribution: 3, or 1 if the method gives one value per pixel */
    const uint8_t *mask;      /* [height, width], gig_mask_value */
    const uint8_t *pixels;    /* [height, width, 3] */
    const float *baseline;    /* [height, width, 3]; NULL: black */
    size_t target;
    size_t workers;
    const gig_function *functions, *argmax_functions; /* one each per worker, over [height, width, 3] */
    const gig_function *probability_functions;        /* for sic, insertion and deletion; NULL: functions */
    gig_explain_callback explain;                     /* the same method on another input: [height, width, channels] */
    void *explain_payload;
    /* other-class: the same method at this input for another class; how many classes there are */
    gig_status (*explain_class)(void *payload, float *attribution, size_t target);
    size_t classes;
    /* randomised, emprt: the same method at this input, for the model whose last cut / cuts of the layers have random
     * weights */
    gig_status (*explain_randomised)(void *payload, float *attribution, size_t cut, size_t cuts);
    const gig_chain *side;          /* the method's path between two points */
    const gig_drive_options *drive; /* with which tolerance and closing [none] */
    gig_status (*corner)(void *payload, size_t path, int corner, float *point, size_t features); /* corners=pictures */
    void *corner_payload;
    const char *no_draws;                    /* why agreement and spread say nothing of this method; NULL: they do */
    int is_gradient;                         /* the attribution is not multiplied by (input - baseline) */
    const char *no_slopes;                   /* why infidelity cannot divide it by (input - baseline); NULL: it can */
    double sum, value_input, value_baseline; /* NaN if undefined */
    uint64_t seed, picture; /* picture: a number that is the same for all maps of one picture, for closed paths; other
                               metrics draw by the pixels themselves */
    size_t threads;         /* for filling and encoding; 0: all cores */
    gig_pic **pic; /* keeps what SIC and AIC compute once per picture, for further maps; *pic is NULL at first; free it
                      with gig_pic_free. NULL: not kept. */
} gig_scored;

enum { GIG_METRIC_NOTE_BYTES = 120 };

struct gig_metric_result {
    double value;  /* NaN: undefined */
    double spread; /* of the draws that `value` is the mean of: their standard deviation; NaN for fewer than two */
    char note[GIG_METRIC_NOTE_BYTES]; /* why it is undefined, or "spread 0.0123 over 5 draws", or "" */
    gig_points curve;                 /* empty if the metric has no curve */
    double seconds;
};

/* Shared by the metrics of one call. */
struct gig_measuring {
    const gig_scored *scored;
    size_t pixels;        /* height x width */
    const float *reduced; /* [height, width], by the metric's option reduction; with GIG_METRIC_NEEDS_MAP */
    const float *input;   /* [height, width, 3] in [0,1]; with GIG_METRIC_NEEDS_PICTURE */
    struct gig_measuring_inside *inside; /* the library's own */
};

GIG_API void gig_metric_result_clear(gig_metric_result *result); /* NULL and a zeroed struct are allowed */

/* results[i] = metrics[i] of the map, i < count. On failure all results are cleared and the message names the metric. A
 * metric whose ground truth is missing is not defined; anything else missing is GIG_EARG. */
GIG_API gig_status gig_metrics_score(gig_metric_result *results, const gig_metric *metrics, size_t count,
                                     const gig_scored *scored);

#ifdef __cplusplus
}
#endif
#endif
