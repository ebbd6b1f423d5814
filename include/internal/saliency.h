/* SPDX-License-Identifier: Apache-2.0 */
/* internal/saliency.h -- what a method costs and yields, and running one on functions, below the explainer. */
#ifndef GIG_INTERNAL_SALIENCY_H
#define GIG_INTERNAL_SALIENCY_H

#include "gig/saliency.h"
#include "internal/network.h"

/* ---- rows: what a method is ---- */

const gig_method_row *gig_method_row_find(const char *name); /* NULL: there is none */

/* ---- methods ---- */

/* The name that "auto" stands for, of pictures and of other inputs: what the study of docs/default.md chose. A result
 * has that name, never "auto". For "auto", and for this text itself, the defaults given to gig_method_parse override
 * its options, be they given as what is the default anyway; for any other name they do not. */
const char *gig_method_auto(int is_picture);
/* Whether the name sets the option whatever the defaults say: "paper" sets all but the baseline. */
int gig_method_fixes(const char *name, const char *option);
/* The methods that are compared by default, separated by commas. */
const char *gig_methods_to_compare(void);
/* Whether the option applies to this method (NULL: to any). */
int gig_method_takes(const gig_method *method, const char *option);
/* Whether it has one value per pixel (edge, grad-cam, occlusion, xrai+...) rather than one per feature. */
int gig_method_per_pixel(const gig_method *method);
/* The rule that will be used: method->rule, or the row's own. */
gig_rule gig_method_rule(const gig_method *method);
/* Gradients that one input will cost, without refinement: chains x (gradients of a chain). */
size_t gig_method_evaluations(const gig_method *method);
/* Value-only points that one picture will cost: occlusion's windows; 0 for other methods. */
size_t gig_method_values(const gig_method *method, const gig_picture_shape *shape);
/* Most gradients that one path may cost under a tolerance: method->max_evaluations, or the default. */
size_t gig_method_max_evaluations(const gig_method *method);

/* ---- explaining ---- */

/* Zero means none, or the default in brackets. */
typedef struct gig_run_options {
    gig_picture_shape shape; /* needed by blur-ig, edge, occlusion, grad-cam, xrai, baselines blur and mean */
    uint64_t seed;           /* of noise and random baselines */
    const float *baseline;   /* GIG_BASELINE_GIVEN: method->baseline_count times `features` floats */
    size_t mask_count;       /* xrai: masks[i] is height x width, not 0 inside [own segments] */
    const uint8_t *const *masks;
    /* grad-cam: one session per worker of a network that keeps the layer's tensor. */
    gig_session *const *sessions;
    size_t cam_index;  /* of the layer in the network's `keep` */
    gig_scalar scalar; /* grad-cam over your own functions; functions of a session know it themselves */
    size_t max_memory; /* of the driver */
    gig_status (*observe)(void *payload,
                          const gig_view *view); /* view->chain counts inputs, then samples, then baselines; with repeat
                                                    inputs, then baselines, then draws */
    void *observe_payload;
    int (*progress)(void *payload,
                    const gig_progress *progress); /* from any worker, one at a time; not 0: GIG_ECANCEL */
    void *progress_payload;
    size_t part_count; /* inputs explained together, one after the other in a point, each with a range of its own [1] */
    const size_t *parts; /* their features */
    unsigned reserved[4];
} gig_run_options;
#define GIG_RUN_OPTIONS_INIT GIG_INIT

/* Where the method's paths to `input` begin: baseline `index` of those it has (black+white has two), `features` floats.
 * Of options, shape, seed and baseline count. */
gig_status gig_method_baseline(float *out, const gig_method *method, const float *input, size_t features, size_t index,
                               const gig_run_options *options);

/* results[i] explains F(.; targets[i]) at inputs[i], for i < count. All walks of all inputs are dealt to the same
 * workers, and an input gets the same bits alone and among others. On failure all results
 * are cleared. What results held before is overwritten, not freed. options may be NULL; edge needs no functions and no
 * targets; guided-backprop refuses the functions of a network that was not made with guided_relu. */
gig_status gig_method_run(gig_explanation *results, size_t count, const float *const *inputs, const size_t *targets,
                          gig_functions functions, const gig_method *method, const gig_run_options *options);

/* ---- the parts that need no walks ---- */

/* Mean of |I(p) - I(q)| over channels and over the neighbours q that p has (up to 8). map: height x width. */
gig_status gig_edge(float *map, const float *picture, const gig_picture_shape *shape);

/* Grad-CAM from a layer's value and gradient, both [1, channels, rows, columns] or [1, tokens, channels] with a square
 * number of tokens, or one more (a class token, left out): the channels' sum weighted by their mean gradient, ReLU
 * unless `signed_map`; resized to height x width (bilinear, half-pixel centres, clamped border). */
gig_status gig_grad_cam(float *map, size_t height, size_t width, const gig_tensor *value, const gig_tensor *gradient,
                        int signed_map);

#endif
