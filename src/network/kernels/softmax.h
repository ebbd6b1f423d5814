/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax and its logarithm of groups of numbers, in loops that compilers vectorise. */
#ifndef GIG_NETWORK_KERNELS_SOFTMAX_H
#define GIG_NETWORK_KERNELS_SOFTMAX_H

#include <stddef.h>
#include <stdint.h>

/* One row, in place. 0: every number is -infinity, and all become 0. */
int gig_soften(float *s, int64_t n);
/* d_s = p (d_p - sum of d_p p), p the softmax; d_s may be d_p. */
void gig_soften_backward(float *d_s, const float *d_p, const float *p, int64_t n);

/* All groups of a dense tensor of outer x length x inner numbers; a group is `length` numbers, `inner` apart. A group
 * without a largest finite number becomes NaN. y is the result, from which the gradients are computed. */
void gig_softmax(float *y, const float *x, size_t outer, size_t length, size_t inner);
void gig_softmax_backward(float *d_x, const float *d_y, const float *y, size_t outer, size_t length, size_t inner);
void gig_log_softmax(float *y, const float *x, size_t outer, size_t length, size_t inner);
void gig_log_softmax_backward(float *d_x, const float *d_y, const float *y, size_t outer, size_t length, size_t inner);

#endif
