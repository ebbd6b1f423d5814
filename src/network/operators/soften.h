/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of one row of numbers. */
#ifndef GIG_NETWORK_OPERATORS_SOFTEN_H
#define GIG_NETWORK_OPERATORS_SOFTEN_H

#include <stdint.h>

/* In place. 0: every number is -infinity, and all become 0. */
int gig_soften(float *s, int64_t n);
/* d_s = p (d_p - sum of d_p p), p the softmax; d_s may be d_p. */
void gig_soften_backward(float *d_s, const float *d_p, const float *p, int64_t n);

#endif
