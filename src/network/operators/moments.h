/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of numbers and their own mean and variance, for the normalisations by them (layer_norm.c, instance_norm.c). */
#ifndef GIG_NETWORK_OPERATORS_MOMENTS_H
#define GIG_NETWORK_OPERATORS_MOMENTS_H

#include "network/kernels/moments.h"
#include "network/operator.h"

/* op->params: `groups` runs of `length` numbers. Instances: a run holds `parts` channels one after another, and there
 * are `channels` scales and biases. */
typedef struct gig_runs {
    size_t groups, length, channels, parts;
    double epsilon;
    int about_zero; /* moments about 0 instead of the mean (RMSNormalization) */
} gig_runs;

gig_status gig_runs_keep(gig_op *op, gig_runs runs); /* op->params becomes a copy */

/* The same as the fast loops take it. */
gig_normalization gig_runs_normalization(const gig_runs *runs);

typedef struct gig_moments {
    double mean, inverse; /* inverse = 1 / sqrt(variance + epsilon) */
} gig_moments;

/* Of one run; in double, in two passes. */
gig_moments gig_moments_of(const float *x, const gig_runs *l);
/* d_x from g = d loss / d x_hat, x_hat = (x - mean) * inverse; g may be d_x itself. */
void gig_moments_backward(float *d_x, const float *x, const float *g, const gig_runs *l, gig_moments m);

#endif
