/* SPDX-License-Identifier: Apache-2.0 */
/* gig/metric.h -- scores by name: what tables, studies and the command line ask for.
 *
 * Flow:      "auc/reduction=max" -> [gig_metric]; a map and what it belongs to -> [gig_metrics_score] -> numbers
 * Ownership: everything in gig_scored is borrowed for the length of the call. A result owns its curve: free with
 *            gig_metric_result_clear.
 * Threads:   no hidden state; values are computed on as many threads as functions are given.
 * Errors:    GIG_EARG for names, options and what is missing; whatever the scores of gig/score.h return. A score that
 *            is not defined is NaN with a note, not an error.
 *
 * A metric's name is base[/option=value...], printed back in one form: options sorted, defaults left out.
 */
#ifndef GIG_METRIC_H
#define GIG_METRIC_H

#include "gig/score.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gig_metric_kind {
    GIG_METRIC_AUC = 0,          /* auc: ROC area against the ground truth; curve: ROC */
    GIG_METRIC_POINTING = 1,     /* pointing: 1 if a largest pixel lies in the ground truth */
    GIG_METRIC_GINI = 2,         /* gini: sparsity */
    GIG_METRIC_SIC = 3,          /* sic: area of the softmax information curve; curve: its points */
    GIG_METRIC_AIC = 4,          /* aic: of the accuracy information curve */
    GIG_METRIC_INSERTION = 5,    /* insertion: from the blurred picture; curve: F over the part replaced */
    GIG_METRIC_DELETION = 6,     /* deletion: to black */
    GIG_METRIC_INFIDELITY = 7,   /* infidelity */
    GIG_METRIC_SENSITIVITY = 8,  /* sensitivity: the largest change of the map over small changes of the input */
    GIG_METRIC_COMPLETENESS = 9, /* completeness: |sum - difference| / |difference| */
    GIG_METRIC_CLOSED = 10,      /* closed: mean square of what closed paths attribute */
    GIG_METRIC_MASS = 11,        /* mass: share of the map's magnitude inside the ground truth */
    GIG_METRIC_RANK = 12,        /* rank: share of the largest pixels that lie inside */
    GIG_METRIC_DIFFID = 13,      /* diffid: least important values replaced, less most important ones */
    GIG_METRIC_ROAD = 14,        /* road: the same with pixels that are imputed from their neighbours */
    GIG_METRIC_MUFIDELITY = 15,  /* mufidelity: do the map's sums over random cells go with the drop of F? */
    GIG_METRIC_STABILITY = 16,   /* stability: correlation of the map with itself, input moved by 1e-6 of its range */
    GIG_METRIC_OTHER_CLASS = 17  /* other-class: how much the map is like that of another class */
} gig_metric_kind;

enum { GIG_METRIC_KINDS = 18 };

/* Fields hold values; gig_metric_parse puts the defaults in brackets. */
typedef struct gig_metric {
    gig_metric_kind kind;
    gig_reduction reduction; /* reduction=abs-sum|sum-abs|max|sum [abs-sum], of auc, pointing, gini, sic, aic,
                                insertion, deletion */
    double least;            /* least=P of sic, aic: smallest prediction of the whole picture that is scored [0.8] */
    double fraction;         /* fraction=P of sic, aic: random pixels revealed from the start [0.01] */
    double sigma;            /* sigma=S of insertion: of the blur, in pixels [10] */
    size_t steps;            /* steps=N of insertion, deletion [100] */
    size_t samples;          /* samples=N of infidelity, sensitivity [10] */
    double noise;            /* noise=S of infidelity: standard deviation [0.003] */
    double radius;           /* radius=R of sensitivity [0.02] */
    size_t paths;            /* paths=N of closed [10] */
    int pictures;            /* corners=random|pictures of closed: B and C are other pictures of the set [random] */
    size_t subsets;          /* subsets=N of mufidelity [200] */
    size_t draws;       /* draws=N of sic, aic: sets of random pixels, whose mean counts; of stability: moved inputs,
                           likewise [1] */
    gig_correlation of; /* of=signed|magnitude|rank of stability [signed] */
    int by_rank;        /* by=ssim|rank of other-class: structural similarity, or rank correlation [ssim] */
    unsigned reserved[8];
} gig_metric;

GIG_API gig_status gig_metric_parse(gig_metric *out, const char *text);
/* GIG_EARG for a kind there is not, or an option of its kind that is out of range: 0 is no default here. */
GIG_API gig_status gig_metric_check(const gig_metric *metric);
enum { GIG_METRIC_NAME_BYTES = 160 };
/* The canonical name into text, cut at `bytes`; returns text. Parsing it gives the same metric back. */
GIG_API const char *gig_metric_name(char *text, size_t bytes, const gig_metric *metric);
/* The name of how it reduces channels; "" for one that does not. */
GIG_API const char *gig_metric_reduction(const gig_metric *metric);

/* What a metric cannot do without. */
enum gig_metric_need {
    GIG_METRIC_NEEDS_MAP = 1,
    GIG_METRIC_NEEDS_TRUTH = 2,    /* a mask */
    GIG_METRIC_NEEDS_PICTURE = 4,  /* pixels */
    GIG_METRIC_NEEDS_FUNCTION = 8, /* a model */
    GIG_METRIC_NEEDS_ARGMAX = 16,
    GIG_METRIC_NEEDS_EXPLAINER = 32,
    GIG_METRIC_NEEDS_PATH = 64 /* a method that walks from point to point */
};
GIG_API unsigned gig_metric_needs(const gig_metric *metric);

/* A map and what it belongs to. What the metrics asked for do not need may be NULL. */
typedef struct gig_scored {
    size_t height, width;
    const float *attribution; /* [height, width, channels] */
    size_t channels;          /* of the attribution: 3, or 1 where a method gives one value per pixel */
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
    const gig_chain *side;          /* how the method walks from point to point */
    const gig_drive_options *drive; /* with which tolerance and closing [none] */
    gig_status (*corner)(void *payload, size_t path, int corner, float *point, size_t features); /* corners=pictures */
    void *corner_payload;
    int is_gradient;                         /* the attribution is not multiplied by (input - baseline) */
    const char *no_slopes;                   /* why infidelity cannot divide it by (input - baseline); NULL: it can */
    double sum, value_input, value_baseline; /* NaN where they have no meaning */
    uint64_t seed, picture; /* picture: a number that is the same for all maps of one picture, for closed paths; other
                               metrics draw by the pixels themselves */
    size_t threads;         /* for filling and encoding; 0: all cores */
    gig_pic **pic; /* where to keep what SIC and AIC make once per picture, for further maps; *pic NULL at first; the
                      caller frees it. NULL: not kept. */
} gig_scored;

enum { GIG_METRIC_NOTE_BYTES = 120 };

typedef struct gig_metric_result {
    double value;  /* NaN: not defined */
    double spread; /* of the draws that `value` is the mean of: their standard deviation; NaN for fewer than two */
    char note[GIG_METRIC_NOTE_BYTES]; /* why, or ""; with a spread, that */
    gig_points curve;                 /* no points where the metric has none */
    double seconds;
} gig_metric_result;

GIG_API void gig_metric_result_clear(gig_metric_result *result); /* NULL and a zeroed struct are allowed */

/* results[i] = metrics[i] of the map, i < count. On failure all results are cleared and the message names the metric. A
 * metric whose ground truth is missing is not defined; anything else missing is GIG_EARG. */
GIG_API gig_status gig_metrics_score(gig_metric_result *results, const gig_metric *metrics, size_t count,
                                     const gig_scored *scored);

#ifdef __cplusplus
}
#endif
#endif
