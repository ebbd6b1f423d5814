/* SPDX-License-Identifier: Apache-2.0 */
/* gig/saliency.h -- methods by name, their rows and options, and what an explanation holds.
 *
 * Flow:      "gig:20/steps=100" -> [gig_method] -> gig_explainer_explain_inputs -> gig_explanation
 * Ownership: an explanation owns its attributions: free with gig_explanation_clear. A method borrows nothing.
 * Threads:   no hidden state.
 * Errors:    GIG_EARG (names, shapes, ranges), GIG_ELIMIT, GIG_ENOMEM, GIG_ENUMERIC.
 *
 * A method's name is [xrai+][smooth+]base[:K][/option=value...]; options have the names of the command line's flags.
 * Names are printed in one form: options sorted, defaults and options that do not apply to the base left out.
 */
#ifndef GIG_SALIENCY_H
#define GIG_SALIENCY_H

#include "gig/function.h"
#include "gig/model.h"
#include "gig/path.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shape of a point as a picture: [height, width, channels], or [channels, height, width] if planar. */
typedef struct gig_picture_shape {
    size_t height, width, channels;
    int planar;
} gig_picture_shape;

/* ---- rows: what a method is ---- */

typedef struct gig_method gig_method;

/* What a method needs and gives. */
enum gig_method_trait {
    GIG_METHOD_BASELINE = 1 << 0, /* starts at a baseline: option baseline */
    GIG_METHOD_PATH =
        1 << 1, /* follows a path and adds up: options steps, rule, repeat, tolerance, max-evaluations, close */
    GIG_METHOD_ANCHORS = 1 << 2,    /* NAME:K divides the path into K+1 segments: option steps-per-segment */
    GIG_METHOD_PICTURE = 1 << 3,    /* needs a picture */
    GIG_METHOD_PER_PIXEL = 1 << 4,  /* gives one value per pixel, not one per feature */
    GIG_METHOD_AREAS = 1 << 5,      /* colours whole areas: best drawn over the picture */
    GIG_METHOD_NO_MODEL = 1 << 6,   /* does not use the model */
    GIG_METHOD_LAYER = 1 << 7,      /* uses a layer of the network */
    GIG_METHOD_GUIDED_RELU = 1 << 8 /* needs guided backpropagation's gradients */
};

typedef enum gig_option_kind {
    GIG_OPTION_COUNT = 0,  /* an integer */
    GIG_OPTION_NUMBER = 1, /* a number */
    GIG_OPTION_CHOICE = 2, /* one of a list of words */
    GIG_OPTION_SIZE = 3,   /* rows and columns: 15, or 2x3 */
    GIG_OPTION_TEXT = 4    /* described in `choices` */
} gig_option_kind;

/* An option of methods: /name=value in a method's name, --name value on the command line. */
typedef struct gig_method_option {
    const char *name;
    const char *help; /* one sentence */
    gig_option_kind kind;
    const char *choices; /* "all|remaining"; NULL for numbers */
    double usual;        /* default: a number, the index of a choice, both sides of a size; NaN: none */
    double least, most;  /* of numbers and sizes */
    int above;           /* `least` itself is not allowed */
} gig_method_option;

/* Start and end of a curve. start is the baseline, NULL for a method without one. Both live as long as the curve.
 */
typedef struct gig_curve_ends {
    const float *start, *end;
    size_t features;
    gig_picture_shape shape;
} gig_curve_ends;

/* A method: one row, which holds everything about it. Without guide, curve and map, the path is the straight line. A
 * row and everything it points to must live as long as whatever uses it. */
typedef struct gig_method_row {
    const char *name;    /* lower case, digits and '-', a letter first */
    const char *help;    /* one sentence */
    const char *aliases; /* alternative names, separated by blanks; NULL: none */
    unsigned traits;
    gig_rule rule; /* the default rule; GIG_RULE_GRADIENT: one gradient, no path */
    size_t option_count;
    const gig_method_option *options; /* its own, besides those of its traits; at most 8 */
    /* Checks the options together, and for this picture (NULL: not known yet). NULL: no check. */
    gig_status (*check)(const gig_method *method, const gig_picture_shape *shape);
    /* Bytes for what a guide (one for all walks) or a curve (one for each) points to. NULL: none. */
    size_t (*state_size)(const gig_method *method, size_t features);
    /* An adaptive path; `state` is zeroed. */
    gig_status (*guide)(gig_guide *out, void *state, const gig_method *method);
    /* A path known in advance. */
    gig_status (*curve)(gig_curve *out, void *state, const gig_method *method, const gig_curve_ends *ends);
    /* Frees what the state points to (the caller frees the state itself). NULL: nothing. */
    void (*clear)(void *state);
    /* Changes the attributions, if they are more than a sum over gradients. `point` is the input (a noisy sample of
     * it under smooth+). NULL: nothing. */
    void (*finish)(double *attributions, const float *point, size_t features);
    const struct gig_map_row *map; /* the library's own: a map without walks */
    void *payload;                 /* the row's, for its functions: method->row->payload */
    unsigned reserved[8];
} gig_method_row;

/* The library's own rows, in the order of help; NULL after the last. */
GIG_API const gig_method_row *gig_method_row_at(size_t i);

/* ---- methods ---- */

typedef enum gig_smooth {
    GIG_SMOOTH_MEAN = 0,    /* mean over samples */
    GIG_SMOOTH_SQUARES = 1, /* mean of the squares */
    GIG_SMOOTH_VARIANCE = 2 /* population variance */
} gig_smooth;

typedef enum gig_baseline_kind {
    GIG_BASELINE_BLACK = 0,       /* zeros */
    GIG_BASELINE_WHITE = 1,       /* ones */
    GIG_BASELINE_BLACK_WHITE = 2, /* both; attributions are averaged */
    GIG_BASELINE_RANDOM = 3,      /* `count` of them, uniform in [0,1) per value, from the seed */
    GIG_BASELINE_BLUR = 4,        /* the input blurred with `sigma` */
    GIG_BASELINE_MEAN = 5,        /* the input's mean, per channel */
    GIG_BASELINE_GIVEN = 6        /* gig_explain_options.baseline, `count` of them; prints as "given", or "given:N" */
} gig_baseline_kind;

/* The value of one of a row's own options, where it is not the default. */
typedef struct gig_option_value {
    const gig_method_option *option; /* NULL: this and what follows is unused */
    double value[2];                 /* rows and columns of a size; else the first */
} gig_option_value;

enum { GIG_OWN_OPTIONS = 8, GIG_SET_OPTIONS = 24 };

/* A row, and the values of its options. gig_method_init sets the defaults in brackets. Read the row's own options with
 * gig_method_number. */
struct gig_method {
    const gig_method_row *row;
    size_t anchors;           /* K of NAME:K */
    int xrai;                 /* xrai+: regions ranked over the base's map */
    int xrai_fast;            /* xrai=full|fast [full] */
    size_t min_pixels;        /* min-pixels=N: a region of xrai+ must add at least as many [50] */
    int smooth;               /* smooth+ */
    gig_smooth smooth_kind;   /* smooth=mean|squares|variance [mean] */
    size_t samples;           /* samples=N [10] */
    double noise;             /* noise=R: standard deviation as a fraction of (max - min) of the input [0.15] */
    size_t steps;             /* steps=N, of the whole path [200] */
    size_t steps_per_segment; /* steps-per-segment=N, with anchors; overrides steps [0: not used] */
    gig_rule rule;            /* rule=... [GIG_RULE_DEFAULT: the row's] */
    int adaptive;             /* nodes=even|adaptive, of curves: more of them where F changes [even] */
    double until;           /* until=P, of curves: only nodes before F exceeds this fraction of its maximum [0: all] */
    size_t repeat;          /* repeat=M: the mean of M walks from inputs that differ at rounding level [1] */
    double tolerance;       /* tolerance=E [0: none] */
    size_t max_evaluations; /* max-evaluations=N [0: 10 x steps] */
    int close;              /* close=yes|no [no] */
    gig_baseline_kind baseline; /* baseline=black|white|black+white|random:N|blur:SIGMA|mean [black] */
    size_t baseline_count;      /* N of random:N; of given ones their number [1] */
    double baseline_sigma;      /* SIGMA of blur:SIGMA */
    gig_option_value own[GIG_SET_OPTIONS];
    unsigned given; /* which options gig_method_set was given, be it their defaults: as defaults they override "auto" */
    unsigned reserved[7];
};

/* gig:20 and the defaults above. */
GIG_API void gig_method_init(gig_method *method);
/* Sets one option by its name, like a flag ("steps", "100"). It does not check whether the row has it. GIG_EARG names
 * the option and what is wrong. */
GIG_API gig_status gig_method_set(gig_method *method, const char *option, const char *value);
/* Its value as text ("100"; "" if it has none) into `text`, cut at `bytes`; returns text. NULL if the option does not
 * apply to the method. */
GIG_API const char *gig_method_get(char *text, size_t bytes, const gig_method *method, const char *option);
/* The value of one of the row's own options: a number, the index of a choice, the rows of a size. NaN: not set. */
GIG_API double gig_method_number(const gig_method *method, const char *option);
/* *out = defaults (NULL: gig_method_init's), overridden by the text. An option in the text that does not apply to its
 * base is an error. */
GIG_API gig_status gig_method_parse(gig_method *out, const char *text, const gig_method *defaults);
enum { GIG_METHOD_NAME_BYTES = 512 };
/* The canonical name into text, cut at `bytes`; returns text. Parsing it gives the same method. */
GIG_API const char *gig_method_name(char *text, size_t bytes, const gig_method *method);
/* Option i of the method (NULL: of all methods), by name; NULL after the last. */
GIG_API const gig_method_option *gig_method_option_at(const gig_method *method, size_t i);

/* ---- explaining ---- */

/* One of several inputs that were explained together. */
typedef struct gig_explained_input {
    char *name;          /* owned: of the model's input */
    size_t first, count; /* its values in attributions and point */
    int rank;
    int64_t dims[GIG_MAX_RANK];
    gig_picture_shape shape; /* height 0: not a picture */
    int picture;             /* its values are pixels, [height, width, 3] in [0,1] */
} gig_explained_input;

/* Means over chains (baselines, samples), except evaluations, values and seconds, which are totals. Undefined numbers
 * are NaN: without a path, and the sum and delta of a squared or a variance map. With xrai+ the numbers are the base's.
 */
typedef struct gig_explanation {
    size_t count;        /* of attributions: features, or height x width */
    float *attributions; /* owned */
    double value_input, value_baseline;
    double sum, delta, step_error, noise, distance, l1, l2;
    double closed;     /* what closing distributed, NaN without closing */
    double unassigned; /* what closing could not distribute; NaN without closing */
    double stability;  /* repeat=M: mean Pearson correlation r of the signed maps of two draws (of one baseline, mean
                          over baselines); NaN for M = 1, and if a map is constant */
    double stability_of_mean; /* M r / (1 + (M - 1) r): that of the means of M draws, which the map is */
    size_t evaluations;       /* gradients */
    size_t values;            /* value-only points */
    size_t chains;
    size_t stopped; /* chains that did not reach the tolerance */
    size_t refined; /* chains that were summed by trapezoid instead of the method's rule, because of a tolerance */
    double seconds; /* from this input's first point to its last; several inputs overlap in time */
    char method[GIG_METHOD_NAME_BYTES]; /* canonical name */
    /* Set by an explainer only (gig/explainer.h): what was explained. */
    int rank; /* of the attributions, without a batch: [height, width, 3], [height, width, 1], or the tensor's own */
    int64_t dims[GIG_MAX_RANK];
    gig_picture_shape shape; /* the shape of the input as a picture; height 0: not a picture */
    float *picture;          /* owned: [height, width, 3] in [0,1] at the model's size; NULL: not a picture */
    size_t target;           /* the class */
    char *class_name;        /* owned: its label; NULL: it has none */
    char of[16];             /* the scalar: "softmax", "logit", ... */
    unsigned traits;         /* of the method's row; with xrai+ one value per pixel, in areas */
    double value;       /* of the scalar at the input itself (value_input is of its samples or draws); NaN for edge */
    float *point;       /* owned: the input, of the same dims, where it is not a picture; NULL: it is one */
    size_t input_count; /* inputs explained together (gig_explainer_options.explain_inputs); 0: one alone */
    gig_explained_input *inputs; /* owned. Attributions and point then hold their values one after the other */
    char *branches;      /* owned: the branch that each If takes at the input, where the input decides, one per line:
                            `node 4 "choose" takes then_branch`. Along a path it may change. NULL: no such If */
    unsigned one_number; /* 1: one number of the output, or a weighted sum, was explained: `target` is no class */
    unsigned reserved[6];
} gig_explanation;

/* NULL and a zeroed struct are allowed. */
GIG_API void gig_explanation_clear(gig_explanation *explanation);
/* The part of one of several inputs, i < input_count, as an explanation of its own, for drawing and saving. It borrows
 * all it points to: never clear it. Its sum is its own, and delta, step_error, noise and lengths are NaN, since only
 * all parts together add up. */
GIG_API gig_status gig_explanation_input(gig_explanation *out, const gig_explanation *explanation, size_t i);

/* ---- the parts that need no walks ---- */

typedef struct gig_xrai_options {
    int fast;          /* regions are sorted once, not ranked again after each selection */
    size_t mask_count; /* regions given by the caller, used as they are [own: Felzenszwalb at six scales, dilated] */
    const uint8_t *const *masks; /* each height x width, not 0 inside */
    size_t min_pixels;           /* a region must add at least as many pixels [50] */
    double area_threshold;       /* full: no region is added once a larger fraction of the picture is covered [1] */
    unsigned reserved[8];
} gig_xrai_options;
#define GIG_XRAI_OPTIONS_INIT GIG_INIT
/* map (height x width): each region's mean attribution, channels reduced by signed maximum. ranks (or NULL): 1 for the
 * most important region. options may be NULL. */
GIG_API gig_status gig_xrai(float *map, int32_t *ranks, const float *attributions, const float *picture,
                            const gig_picture_shape *shape, const gig_xrai_options *options);

#ifdef __cplusplus
}
#endif
#endif
