/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of gig_method_run: a task, and its parts.
 *
 *   method_run.c    checks, chooses between walks and maps, ranks regions last
 *   walk_methods.c  the methods that are walks: one run of the driver for all inputs
 *   map_methods.c   the methods that are maps without walks
 *   samples.c       SmoothGrad's noisy inputs, and means, squares and variances over them
 *   baselines.c     where paths start
 *   rows.h          the list of methods; each has its row in its own file */
#ifndef GIG_SALIENCY_METHOD_RUN_H
#define GIG_SALIENCY_METHOD_RUN_H

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "internal/saliency.h"
#include "saliency/method.h"

typedef struct gig_task {
    size_t count, features;
    const float *const *inputs;
    const size_t *targets;
    gig_functions functions; /* none where the method needs no model */
    gig_method method;
    gig_run_options options;
    size_t samples, baselines; /* per input */
    gig_explanation *results;
    gig_progress *last; /* the last progress of bases without walks */
} gig_task;

/* ---- samples.c ---- */

/* from + 1e-6 (max - min) u, u uniform in [-1,1): a change at the level of rounding. */
void gig_jitter(float *out, const float *from, size_t features, gig_rng random);
/* The input of draw `index` of repeat: `from` moved by jitter; draw 0 is `from` itself. */
void gig_draw(float *out, const float *from, size_t features, uint64_t seed, size_t index);
/* Does a draw differ from the input at all? One that is the same everywhere, or nearly, does not. */
int gig_is_moved(const float *draw, const float *from, size_t features);
/* out = input + method.noise (max - min) normal: sample `sample` of any input under this seed. Without smooth+, draw
 * `sample` of repeat. */
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
/* The result as floats; `out` has blend->size elements. GIG_ENUMERIC if one is out of range. */
gig_status gig_blend_end(float *out, const gig_blend *blend);

/* How well maps agree: the mean Pearson correlation over all pairs. With z a map minus its mean, scaled to length 1,
 * the sum of z z' over pairs is (|sum of z|^2 - count) / 2, so no map has to be kept. */
typedef struct gig_agreement {
    size_t size, count;
    size_t flat; /* not 0: a map is constant, so its correlation is undefined */
    double *sum; /* of z */
} gig_agreement;
gig_status gig_agreement_create(gig_agreement *out, size_t size);
void gig_agreement_clear(gig_agreement *agreement);
void gig_agreement_begin(gig_agreement *agreement);
void gig_agreement_add(gig_agreement *agreement, const double *map);
/* NaN for fewer than two maps, or if one is constant. */
double gig_agreement_end(const gig_agreement *agreement);

/* ---- baselines.c ---- */

gig_status gig_baseline_check(const gig_task *task);
/* Baseline `index` of random:N, any N above it. */
void gig_baseline_random(float *out, size_t features, uint64_t seed, size_t index);
/* The picture blurred, channel by channel. */
gig_status gig_baseline_blur(float *out, const gig_picture_shape *shape, const float *input, double sigma);
/* Baseline `index` (below task->baselines) of an input; noisy samples use that of their input. */
gig_status gig_baseline_write(float *out, const gig_task *task, size_t input, size_t index);

/* ---- walks ---- */

/* results[i], with attributions of `features` floats, for all inputs. */
gig_status gig_explain_walks(const gig_task *task);

/* ---- maps ---- */

/* The same, with `height x width` floats if the row gives one value per pixel. */
gig_status gig_explain_maps(const gig_task *task);

/* One map of one point. */
typedef struct gig_map_request {
    const gig_task *task;
    size_t worker; /* its function and session may be used */
    const float *point;
    size_t target;
    const gig_drive_options *drive; /* for value-only points: they are spread over all workers */
} gig_map_request;

/* What the row of a method without walks has instead. */
struct gig_map_row {
    /* Number of value-only points of one sample; each input is then spread over all workers. NULL: one worker per
     * input. */
    size_t (*values)(const gig_method *method, const gig_picture_shape *shape);
    size_t (*gradients)(const gig_method *method); /* of one sample; NULL: one, or none without a model */
    /* Map in double: height x width, or `features` if the row is not GIG_METHOD_PER_PIXEL. Adds its cost to *cost and
     * sets value_input to F(point). */
    gig_status (*make)(double *map, gig_explanation *cost, const gig_map_request *request);
};

#endif
