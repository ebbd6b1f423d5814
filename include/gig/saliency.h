/* SPDX-License-Identifier: Apache-2.0 */
/* gig/saliency.h -- methods by name, and one call that explains points with any of them.
 *
 * Flow:      "gig:20/steps=100" -> [gig_method] ; gig_function + inputs -> [gig_method_run] -> gig_explanation
 * Ownership: an explanation owns its attributions: free with gig_explanation_clear. A method borrows nothing.
 * Threads:   gig_method_run runs on as many threads as functions are given, and returns when all is done. The rest has
 *            no hidden state.
 * Errors:    GIG_EARG (names, shapes, ranges), GIG_ELIMIT, GIG_ENOMEM, GIG_ENUMERIC, GIG_ECANCEL, and whatever a
 *            function returns.
 *
 * A method's name is [xrai+][smooth+]base[:K][/option=value...]; options are named as the command line's flags. Names
 * are printed back in one form: options sorted, defaults and options that do not concern the base left out.
 */
#ifndef GIG_SALIENCY_H
#define GIG_SALIENCY_H

#include "gig/function.h"
#include "gig/network.h"
#include "gig/path.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- methods ---- */

typedef enum gig_base {
    GIG_BASE_GRADIENTS = 0,         /* gradients: dF/dx, signed */
    GIG_BASE_GRADIENTS_X_INPUT = 1, /* gradients-x-input */
    GIG_BASE_EDGE = 2,              /* edge: knows no model; one value per pixel */
    GIG_BASE_IG = 3,                /* ig */
    GIG_BASE_BLUR_IG = 4,           /* blur-ig */
    GIG_BASE_GUIDED_IG = 5,         /* gig, gig:K */
    GIG_BASE_GRAD_CAM = 6,          /* grad-cam: one value per pixel */
    GIG_BASE_GUIDED_BACKPROP = 7,   /* guided-backprop: gradients of a network made with guided_relu */
    GIG_BASE_OCCLUSION = 8          /* occlusion: one value per pixel */
} gig_base;

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
    GIG_BASELINE_GIVEN = 6        /* gig_run_options.baseline; prints as "given" */
} gig_baseline_kind;

/* Fields hold values, not "unset": gig_method_init puts the defaults in brackets. */
typedef struct gig_method {
    gig_base base;
    size_t anchors;              /* K of gig:K */
    int xrai;                    /* xrai+: regions ranked over the base's map */
    int xrai_fast;               /* xrai=full|fast [full] */
    size_t min_pixels;           /* min-pixels=N: a region of xrai+ must add at least as many [50] */
    int smooth;                  /* smooth+ */
    gig_smooth smooth_kind;      /* smooth=mean|squares|variance [mean] */
    size_t samples;              /* samples=N [10] */
    double noise;                /* noise=R: standard deviation as a share of (max - min) of the input [0.15] */
    size_t steps;                /* steps=N, of the whole path [200] */
    size_t steps_per_segment;    /* steps-per-segment=N, with anchors; overrides steps [0: not used] */
    double fraction;             /* fraction=P [0.1] */
    int of_remaining;            /* fraction-of=all|remaining [all] */
    int bounded;                 /* max-dist given */
    double max_dist;             /* max-dist=M */
    gig_rule rule;               /* rule=... [GIG_RULE_DEFAULT: ig midpoint, blur-ig right, gig left] */
    size_t repeat;               /* repeat=M: the mean of M walks from inputs that differ at rounding level [1] */
    double tolerance;            /* tolerance=E [0: none] */
    size_t max_evaluations;      /* max-evaluations=N [0: 10 x steps] */
    int close;                   /* close=yes|no [no] */
    gig_baseline_kind baseline;  /* baseline=black|white|black+white|random:N|blur:SIGMA|mean [black] */
    size_t baseline_count;       /* N of random:N */
    double baseline_sigma;       /* SIGMA of blur:SIGMA */
    double sigma;                /* sigma=S of blur-ig [35] */
    size_t window[2], stride[2]; /* window=15 or window=2x3, stride=..., of occlusion: rows, columns [15x15, 1x1] */
    double value;                /* value=V: what occlusion paints [0] */
    int overlap_sum;             /* overlap=average|sum [average]; sum is PAIR's */
    unsigned reserved[8];
} gig_method;

/* gig:20 and the defaults above. */
GIG_API void gig_method_init(gig_method *method);
/* One option by its name, as a flag sets it ("steps", "100"). Whether it concerns the base is not asked. GIG_EARG names
 * the option and what is wrong. */
GIG_API gig_status gig_method_set(gig_method *method, const char *option, const char *value);
/* *out = defaults (NULL: gig_method_init's), overridden by the text. An option in the text that does not concern its
 * base is refused. */
GIG_API gig_status gig_method_parse(gig_method *out, const char *text, const gig_method *defaults);
enum { GIG_METHOD_NAME_BYTES = 512 };
/* The canonical name into text, cut at `bytes`; returns text. Parsing it gives the same method back. */
GIG_API const char *gig_method_name(char *text, size_t bytes, const gig_method *method);
/* Does the option concern this method (NULL: any)? */
GIG_API int gig_method_takes(const gig_method *method, const char *option);
/* Does it have one value per pixel (edge, grad-cam, occlusion, xrai+...) rather than one per feature? */
GIG_API int gig_method_per_pixel(const gig_method *method);
/* The rule that will be used: method->rule, or the base's own. */
GIG_API gig_rule gig_method_rule(const gig_method *method);
/* Gradients that one input will cost, without refinement: chains x (gradients of a chain). */
GIG_API size_t gig_method_evaluations(const gig_method *method);
/* Most gradients that one path may cost under a tolerance: method->max_evaluations, or the default. */
GIG_API size_t gig_method_max_evaluations(const gig_method *method);

/* ---- pictures ---- */

/* How a point is a picture: [height, width, channels], or [channels, height, width] when planar. */
typedef struct gig_picture_shape {
    size_t height, width, channels;
    int planar;
} gig_picture_shape;

/* Value-only points that one picture will cost: occlusion's windows; 0 for other methods. */
GIG_API size_t gig_method_values(const gig_method *method, const gig_picture_shape *shape);

/* ---- explaining ---- */

/* Means over chains (baselines, samples) but for evaluations, values and seconds, which are totals. What has no meaning
 * is NaN: no path, the sum and delta of a squared or a variance map. Under xrai+ the numbers are the base's. */
typedef struct gig_explanation {
    size_t count;        /* of attributions: features, or height x width */
    float *attributions; /* owned */
    double value_input, value_baseline;
    double sum, delta, step_error, noise, distance, l1, l2;
    double closed;     /* what closing gave, NaN where it was not asked for */
    double unassigned; /* what closing could give to no feature with influence; NaN likewise */
    double stability;  /* repeat=M: mean Pearson correlation r of the signed maps of two draws (of one baseline, mean
                          over baselines); NaN for M = 1, and where a map is the same everywhere */
    double stability_of_mean; /* M r / (1 + (M - 1) r): that of the means of M draws, which the map is */
    size_t evaluations;       /* gradients */
    size_t values;            /* value-only points */
    size_t chains;
    size_t stopped; /* chains that did not reach the tolerance */
    size_t refined; /* chains that a tolerance had summed by trapezoid instead of the method's rule */
    double seconds; /* from this input's first point to its last; inputs overlap when there are several */
    char method[GIG_METHOD_NAME_BYTES]; /* canonical name */
    /* By an explainer only (gig/explainer.h): what was explained. */
    int rank; /* of the attributions, without a batch: [height, width, 3], [height, width, 1], or the tensor's own */
    int64_t dims[GIG_MAX_RANK];
    gig_picture_shape shape; /* how an input is a picture; height 0: it is not one */
    float *picture;          /* owned: [height, width, 3] in [0,1] at the model's size; NULL: not a picture */
    size_t target;           /* the class */
    char *class_name;        /* owned: its label; NULL: it has none */
    char of[16];             /* the scalar: "softmax", "logit", ... */
    double value;            /* of the scalar at the input itself (value_input is of its noisy samples); NaN for edge */
    unsigned reserved[16];
} gig_explanation;

/* NULL and a zeroed struct are allowed. */
GIG_API void gig_explanation_clear(gig_explanation *explanation);

/* Zero means none, or the default in brackets. */
typedef struct gig_run_options {
    gig_picture_shape shape; /* needed by blur-ig, edge, occlusion, grad-cam, xrai, baselines blur and mean */
    uint64_t seed;           /* of noise and random baselines */
    const float *baseline;   /* GIG_BASELINE_GIVEN: `features` floats */
    size_t mask_count;       /* xrai: masks[i] is height x width, not 0 inside [own segments] */
    const uint8_t *const *masks;
    /* grad-cam: one session per worker of a network that keeps the layer's tensor. */
    gig_session *const *sessions;
    size_t cam_index;  /* of the layer in the network's `keep` */
    gig_scalar scalar; /* grad-cam, where the functions are your own; those of a session say it themselves */
    size_t max_memory; /* of the driver */
    gig_status (*observe)(void *payload,
                          const gig_view *view); /* view->chain counts inputs, then samples, then baselines; with repeat
                                                    inputs, then baselines, then draws */
    void *observe_payload;
    int (*progress)(void *payload,
                    const gig_progress *progress); /* from any worker, one at a time; not 0: GIG_ECANCEL */
    void *progress_payload;
    unsigned reserved[8];
} gig_run_options;
#define GIG_RUN_OPTIONS_INIT GIG_INIT

/* results[i] explains F(.; targets[i]) at inputs[i], for i < count. All walks of all inputs are dealt to the same
 * workers (functions[w] is worker w's), and an input gets the same bits alone and among others. On failure all results
 * are cleared. What results held before is overwritten, not freed. options may be NULL; edge needs no functions and no
 * targets; guided-backprop refuses the functions of a network that was not made with guided_relu. */
GIG_API gig_status gig_method_run(gig_explanation *results, size_t count, const float *const *inputs,
                                  const size_t *targets, size_t workers, const gig_function *functions,
                                  const gig_method *method, const gig_run_options *options);

/* ---- the parts that need no walks ---- */

/* Mean of |I(p) - I(q)| over channels and over the neighbours q that p has (up to 8). map: height x width. */
GIG_API gig_status gig_edge(float *map, const float *picture, const gig_picture_shape *shape);

typedef struct gig_xrai_options {
    int fast;          /* regions sorted once, instead of ranked anew after each is taken */
    size_t mask_count; /* regions given by the caller, used as they are [own: Felzenszwalb at six scales, dilated] */
    const uint8_t *const *masks; /* each height x width, not 0 inside */
    size_t min_pixels;           /* a region must add at least as many pixels [50] */
    double area_threshold;       /* full: no region is added once a larger share of the picture is covered [1] */
    unsigned reserved[8];
} gig_xrai_options;
#define GIG_XRAI_OPTIONS_INIT GIG_INIT
/* map (height x width): each region's mean attribution, channels reduced by signed maximum. ranks (or NULL): 1 for the
 * most important region. options may be NULL. */
GIG_API gig_status gig_xrai(float *map, int32_t *ranks, const float *attributions, const float *picture,
                            const gig_picture_shape *shape, const gig_xrai_options *options);

/* Grad-CAM from a layer's value and gradient, both [1, channels, rows, columns]: the channels' sum weighted by their
 * mean gradient, ReLU unless `signed_map`; resized to height x width (bilinear, half-pixel centres, clamped border). */
GIG_API gig_status gig_grad_cam(float *map, size_t height, size_t width, const gig_tensor *value,
                                const gig_tensor *gradient, int signed_map);

#ifdef __cplusplus
}
#endif
#endif
