/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with known gradients and integrals, as gig_function: what methods are tested on without a network. */
#ifndef GIG_TESTS_CLOSED_FORM_H
#define GIG_TESTS_CLOSED_FORM_H

#include "gig/function.h"
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>

/* F(x; target), and its gradient unless `gradient` is NULL. */
typedef double (*closed_form)(const float *x, size_t n, size_t target, float *gradient);

typedef struct closed {
    closed_form form;
    size_t features;
    atomic_size_t gradients, values; /* calls so far, point by point */
} closed;

static inline gig_status closed_evaluate(void *payload, size_t batch, const float *const *points, const size_t *targets,
                                         double *values, float *const *gradients)
{
    closed *self = payload;
    for (size_t i = 0; i < batch; i++) {
        float *gradient = gradients ? gradients[i] : NULL;
        atomic_fetch_add(gradient ? &self->gradients : &self->values, 1);
        values[i] = self->form(points[i], self->features, targets[i], gradient);
    }
    return GIG_OK;
}

static inline gig_function closed_function(closed *self, size_t max_batch)
{
    return (gig_function){
        .features = self->features, .max_batch = max_batch, .evaluate = closed_evaluate, .payload = self};
}

/* sum of sin x: every feature alike, so that their order does not matter. */
static inline double sum_of_sines(const float *x, size_t n, size_t target, float *g)
{
    (void)target;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += sin((double)x[i]);
        if (g) g[i] = (float)cos((double)x[i]);
    }
    return sum;
}

/* 2 x0 + x1 */
static inline double linear_two(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    if (g) g[0] = 2, g[1] = 1;
    return 2 * (double)x[0] + (double)x[1];
}

/* 2 x0^2 + x1^2 */
static inline double independent_quadratic(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    if (g) g[0] = 4 * x[0], g[1] = 2 * x[1];
    return 2 * (double)x[0] * (double)x[0] + (double)x[1] * (double)x[1];
}

/* (2 x0 + x1)^2 */
static inline double dependent_quadratic(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    double s = 2 * (double)x[0] + (double)x[1];
    if (g) g[0] = (float)(4 * s), g[1] = (float)(2 * s);
    return s * s;
}

/* sin x0 + x1^2 + x0 x2 + exp(0.3 x3) x4 - 0.5 x5 */
static inline double six(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    double e = exp(0.3 * (double)x[3]);
    if (g) {
        g[0] = (float)(cos((double)x[0]) + (double)x[2]);
        g[1] = 2 * x[1];
        g[2] = x[0];
        g[3] = (float)(0.3 * e * (double)x[4]);
        g[4] = (float)e;
        g[5] = -0.5f;
    }
    return sin((double)x[0]) + (double)x[1] * (double)x[1] + (double)x[0] * (double)x[2] + e * (double)x[4] -
           0.5 * (double)x[5];
}
static const float six_input[6] = {1.2f, -0.7f, 0.9f, 2, -1.5f, 0.4f};
static const float six_baseline[6] = {0.1f, 0.2f, -0.3f, 0, 0.5f, 0.4f};

/* 5 x + y^2 + sin z */
static inline double pair_three(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    if (g) g[0] = 5, g[1] = 2 * x[1], g[2] = (float)cos((double)x[2]);
    return 5 * (double)x[0] + (double)x[1] * (double)x[1] + sin((double)x[2]);
}

#endif
