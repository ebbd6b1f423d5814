/* SPDX-License-Identifier: Apache-2.0 */
/* One axis in the middle of [outer, axis, inner] resampled: each result is a weighted sum of consecutive cells. */
#ifndef GIG_NETWORK_KERNELS_RESAMPLE_H
#define GIG_NETWORK_KERNELS_RESAMPLE_H

#include "base/status.h"
#include <stdint.h>

/* Result x reads `width` cells from first[x] on; weight [out][width]. */
typedef struct gig_pass {
    int64_t outer, in, out, inner, width;
    const int32_t *first;
    const float *weight;
} gig_pass;

/* out [outer, out, inner] from in [outer, in, inner]. */
gig_status gig_pass_run(float *out, const float *in, const gig_pass *pass);
/* Its gradient: d_in from d_out. */
gig_status gig_pass_transposed(float *d_in, const float *d_out, const gig_pass *pass);

#endif
