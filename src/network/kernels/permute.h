/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a dense tensor into another order of its axes. */
#ifndef GIG_NETWORK_KERNELS_PERMUTE_H
#define GIG_NETWORK_KERNELS_PERMUTE_H

#include <stdint.h>

/* out[sum of i * out_step] = in[sum of i * in_step] for all indices i below dims, `rank` (at most GIG_MAX_RANK) of
 * them; steps in elements. No two indices may have the same place in out. */
void gig_permute(float *out, const float *in, int rank, const int64_t *dims, const int64_t *out_step,
                 const int64_t *in_step);

#endif
