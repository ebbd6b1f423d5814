/* SPDX-License-Identifier: Apache-2.0 */
/* The three bilinear maps behind Conv and ConvTranspose, on a window aligned to three axes:
 *
 *     coarse[n, m, o] = sum over c, k of fine[n, c, o * stride + k * dilation - pad_begin] * weights[m, c, k]
 *
 * c runs over the channels of m's group. A convolution goes from fine to coarse, its gradient from coarse to fine; a
 * transposed convolution the other way round. Sums are taken in double. */
#ifndef GIG_NETWORK_OPERATORS_CORRELATE_H
#define GIG_NETWORK_OPERATORS_CORRELATE_H

#include "network/window.h"

/* The geometry of the map: `in` and in_channels are the fine side, `out` and out_channels the coarse one; all three
 * axes are in use. */
gig_window gig_correlation_of_convolution(const gig_window *window);
gig_window gig_correlation_of_deconvolution(const gig_window *window);

/* Each overwrites its output; bias (one number per output channel) may be NULL. */
gig_status gig_correlate_to_coarse(float *coarse, const gig_window *w, const float *fine, const float *weights,
                                   const float *bias);
gig_status gig_correlate_to_fine(float *fine, const gig_window *w, const float *coarse, const float *weights,
                                 const float *bias);
/* d_weights = gradient of sum(d_coarse * coarse). */
void gig_correlate_to_weights(float *d_weights, const gig_window *w, const float *fine, const float *d_coarse);
/* d_bias[c] = sum of d[n, c, cell] over n and cells. */
void gig_correlate_to_bias(float *d_bias, const float *d, int64_t batch, int64_t channels, int64_t cells);

#endif
