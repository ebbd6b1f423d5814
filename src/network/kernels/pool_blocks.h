/* SPDX-License-Identifier: Apache-2.0 */
/* Max and average pooling of pictures in channel blocks ([n, C/b, h, w, b], b = 8 or 16): our own kernels, because
 * oneDNN's max pooling with a workspace takes as long as a convolution. */
#ifndef GIG_NETWORK_KERNELS_POOL_BLOCKS_H
#define GIG_NETWORK_KERNELS_POOL_BLOCKS_H

#include "network/plan.h"
#include "network/window.h"

typedef struct gig_pool_blocks {
    size_t planes; /* n * C / block */
    int block;
    int is_max, include_pad;
    int64_t in[2], out[2], kernel[2], stride[2], pad[2]; /* rows, columns */
} gig_pool_blocks;

/* Does the window fit these kernels (2-D, not dilated, at most 256 places)? */
int gig_pool_blocks_fit(gig_pool_blocks *out, const gig_window *window, int is_max, int block);

/* action->self is a gig_pool_blocks. p[0] dst, p[1] src, p[2] winners (max only, one byte per dst element). */
gig_status gig_call_pool(const gig_action *action, void *const *pointers);
/* p[0] diff_src, p[1] diff_dst, p[2] winners (max only). */
gig_status gig_call_unpool(const gig_action *action, void *const *pointers);

#endif
