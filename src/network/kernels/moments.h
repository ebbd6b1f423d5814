/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation of runs of numbers by their own mean and variance, in loops that compilers vectorise. Sums run
 * in floats over short blocks and in double over these; the mean is two floats, so that numbers far from 0 keep their
 * digits. */
#ifndef GIG_NETWORK_KERNELS_MOMENTS_H
#define GIG_NETWORK_KERNELS_MOMENTS_H

#include <stddef.h>

/* `groups` runs of `length` numbers. about_zero: moments about 0, not the mean. */
typedef struct gig_normalization {
    size_t groups, length;
    double epsilon;
    int about_zero;
} gig_normalization;

/* y = (x - mean) / sqrt(variance + epsilon) * scale + bias; scale [length]; bias [length], or NULL: 0. */
void gig_normalize(float *y, const float *x, const gig_normalization *n, const float *scale, const float *bias);
/* d_x of the same. */
void gig_normalize_backward(float *d_x, const float *d_y, const float *x, const gig_normalization *n,
                            const float *scale);

/* The same with one scale and bias for each of `parts` equal parts of a run: part p of run g has those with the index
 * (g * parts + p) mod channels. */
void gig_normalize_parts(float *y, const float *x, const gig_normalization *n, size_t parts, size_t channels,
                         const float *scale, const float *bias);
void gig_normalize_parts_backward(float *d_x, const float *d_y, const float *x, const gig_normalization *n,
                                  size_t parts, size_t channels, const float *scale);

#endif
