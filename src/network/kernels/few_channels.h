/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a convolution with respect to data of few channels, such as the picture itself. oneDNN computes it
 * for a whole block of 8 channels; here the lanes of a register are 8 channels of the convolution's results, and only
 * what is wanted is computed.
 *
 *   dX[c, y, x] = sum over o, k of W[o, c, ky, kx] dY[o, (y + p - ky) / s, (x + p - kx) / s], where these are whole
 *
 * dY comes in blocks of 8 channels (nChw8c), dX leaves row-major. */
#ifndef GIG_NETWORK_KERNELS_FEW_CHANNELS_H
#define GIG_NETWORK_KERNELS_FEW_CHANNELS_H

#include "network/dnnl/convolution.h"
#include "network/plan.h"

typedef struct gig_narrow {
    const gig_geometry *g;      /* of the convolution itself */
    const float *weights;       /* [out channels / 8, ky, kx, channels, 8] */
    const gig_tensor *original; /* [o, c, ky, kx] */
} gig_narrow;

/* Whether this CPU runs it and knows these sizes. */
int gig_narrow_fits(const gig_geometry *g);
/* Weights [o, c, ky, kx] in the order that the kernel reads them, as many as they are. */
void gig_narrow_pack(float *out, const gig_geometry *g, const float *weights);

/* p[0] dY, p[1] dX; action->self is a gig_narrow. */
gig_status gig_call_narrow(const gig_action *action, void *const *pointers);

/* Whether it computes this step's gradient, which comes in layout dst; and its action. */
int gig_narrow_takes(const gig_plan *plan, const gig_geometry *g, const gig_layout *dst);
gig_status gig_narrow_emit(gig_plan *plan, const gig_step *step, const gig_geometry *g);

#endif
