/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling by oneDNN, in any layout. */
#ifndef GIG_NETWORK_DNNL_POOLING_H
#define GIG_NETWORK_DNNL_POOLING_H

#include "network/dnnl/dnnl.h"

typedef struct gig_pooling {
    int rank, is_max, include_pad;
    int64_t src[GIG_LAYOUT_RANK], dst[GIG_LAYOUT_RANK], kernel[GIG_LAYOUT_RANK], strides[GIG_LAYOUT_RANK],
        dilates[GIG_LAYOUT_RANK], pad_begin[GIG_LAYOUT_RANK], pad_end[GIG_LAYOUT_RANK];
} gig_pooling;

/* SRC, DST and for maxima WORKSPACE (which element won). *out NULL and GIG_OK: oneDNN has none that is fast. */
gig_status gig_pooling_forward(gig_primitive **out, gig_onednn *engine, const gig_pooling *p, const gig_layout *src);
/* DIFF_SRC, DIFF_DST and for maxima WORKSPACE; src and dst as the forward pass had them. */
gig_status gig_pooling_backward(gig_primitive **out, gig_onednn *engine, const gig_pooling *p, const gig_layout *src,
                                const gig_layout *dst);

#endif
