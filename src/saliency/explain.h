/* SPDX-License-Identifier: Apache-2.0 */
/* Inside gig_method_run: what is asked (a task), and its parts.
 *
 *   explain.c     checks, chooses between walks and maps, ranks regions last
 *   walks.c       the bases that are walks: one run of the driver for all inputs
 *   gradients.c, ig.c, guided_ig.c, blur_ig.c     what a chain of each of them is
 *   maps.c        the bases that are maps without walks: edge.c, grad_cam.c, occlusion.c
 *   samples.c     SmoothGrad's noisy inputs, and means, squares and variances over them
 *   baselines.c   where paths begin */
#ifndef GIG_SALIENCY_EXPLAIN_H
#define GIG_SALIENCY_EXPLAIN_H

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "saliency/method.h"

typedef struct gig_task {
    size_t count, features;
    const float *const *inputs;
    const size_t *targets;
    size_t workers;
    const gig_function *functions;
    gig_method method;
    gig_run_options options;
    size_t samples, baselines; /* per input */
    gig_explanation *results;
    gig_progress *last; /* what bases without walks told last */
} gig_task;

/* ---- samples.c ---- */

/* out = input + method.noise (max - min) normal: sample `sample` of any input under this seed. Without smooth+, draw
 * `sample` of repeat: input + 1e-6 (max - min) u, u uniform in [-1,1); draw 0 is the input itself. */
void gig_sample(float *out, const gig_task *task, size_t input, size_t sample);

/* Maps of one input, added one by one: their running mean, or the mean of the squares, or the variance. The mean of
 * equal maps has their bits. */
typedef struct gig_blend {
    gig_smooth kind;
    size_t size, count;
    double *mean;   /* of the maps; of their squares */
    double *spread; /* variance only: sum of (a - mean)^2 */
} gig_blend;
gig_status gig_blend_create(gig_blend *out, gig_smooth kind, size_t size);
void gig_blend_clear(gig_blend *blend);
void gig_blend_begin(gig_blend *blend);
void gig_blend_add(gig_blend *blend, const double *map);
/* The result as floats; `out` has blend->size. GIG_ENUMERIC where one is beyond them. */
gig_status gig_blend_end(float *out, const gig_blend *blend);

/* How well maps agree: the mean Pearson correlation over all pairs. With z a map less its mean, of length 1, the sum of
 * z z' over pairs is (|sum of z|^2 - count) / 2, so that no map is kept. */
typedef struct gig_agreement {
    size_t size, count;
    size_t flat; /* not 0: a map is the same everywhere, and correlates with nothing */
    double *sum; /* of z */
} gig_agreement;
gig_status gig_agreement_create(gig_agreement *out, size_t size);
void gig_agreement_clear(gig_agreement *agreement);
void gig_agreement_begin(gig_agreement *agreement);
void gig_agreement_add(gig_agreement *agreement, const double *map);
/* NaN for fewer than two maps, and where one is flat. */
double gig_agreement_end(const gig_agreement *agreement);

/* ---- baselines.c ---- */

gig_status gig_baseline_check(const gig_task *task);
/* Baseline `index` of random:N, any N above it. */
void gig_baseline_random(float *out, size_t features, uint64_t seed, size_t index);
/* Baseline `index` (below task->baselines) of an input, never of its noisy samples. */
gig_status gig_baseline_write(float *out, const gig_task *task, size_t input, size_t index);

/* ---- walks ---- */

/* What lives as long as one chain. */
typedef struct gig_tour {
    size_t input, sample, baseline;
    const float *start; /* the driver's */
    gig_blur_path blur;
    gig_curve curve;
    float *picture; /* owned: a noisy sample that a curve needs */
} gig_tour;

/* Fill in `out`, and start and end where the chain has them; target, steps and rule are set. */
gig_status gig_gradients_chain(gig_tour *tour, const gig_task *task, gig_chain *out, float *start);
gig_status gig_ig_chain(gig_tour *tour, const gig_task *task, float *start, float *end);
gig_status gig_guided_ig_chain(gig_tour *tour, const gig_task *task, const gig_guide *guide, gig_chain *out,
                               float *start, float *end);
gig_status gig_blur_ig_chain(gig_tour *tour, const gig_task *task, gig_chain *out);

/* results[i], with attributions of `features` floats, for all inputs. */
gig_status gig_explain_walks(const gig_task *task);

/* ---- maps ---- */

/* The same with `height x width` floats. */
gig_status gig_explain_maps(const gig_task *task);

/* Map of one point, in double: height x width. Adds what it cost to *result and sets value_input to F(point). */
gig_status gig_grad_cam_map(double *map, gig_explanation *result, const gig_task *task, size_t worker,
                            const float *point, size_t target);
gig_status gig_occlusion_map(double *map, gig_explanation *result, const gig_task *task, const float *point,
                             size_t target, const gig_drive_options *options);
gig_status gig_occlusion_check(const gig_task *task);

#endif
