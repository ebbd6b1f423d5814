/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution by oneDNN: sizes, and the best implementation for them. */
#ifndef GIG_NETWORK_DNNL_CONVOLUTION_H
#define GIG_NETWORK_DNNL_CONVOLUTION_H

#include "network/dnnl/dnnl.h"
#include "network/window.h"

/* Sizes as oneDNN wants them: [n, c, spatial...], weights [g,] [o, i, spatial...]. */
typedef struct gig_geometry {
    int rank, weights_rank;
    int64_t src[GIG_LAYOUT_RANK], weights[GIG_LAYOUT_RANK], dst[GIG_LAYOUT_RANK], bias[GIG_LAYOUT_RANK],
        strides[GIG_LAYOUT_RANK], dilates[GIG_LAYOUT_RANK], pad_begin[GIG_LAYOUT_RANK], pad_end[GIG_LAYOUT_RANK];
    double flops;
} gig_geometry;

void gig_geometry_of(gig_geometry *out, const gig_window *window);

/* What is fused: a bias, an addition to the previous contents of the result, and a ReLU at the end. */
enum { GIG_WITH_BIAS = 1, GIG_WITH_ADD = 2, GIG_WITH_RELU = 4 };

/* The best implementation of src (`type`) weights (`type`) -> dst (f32); *out NULL and GIG_OK if oneDNN has none that
 * is fast (f32 accepts a slow one). present: the data's current layout; dst: the result's layout, NULL: any. */
gig_status gig_convolution_forward(gig_primitive **out, gig_onednn *engine, const gig_geometry *g, gig_number type,
                                   unsigned with, const gig_layout *present, const gig_layout *dst);

/* The gradient with respect to the data, from a gradient in layout dst (its type is replaced by `type`). */
typedef struct gig_convolution_gradient {
    gig_primitive *primitive;
    gig_geometry g;  /* of the primitive: channels may be widened */
    gig_tensor wide; /* widened weights, owned; data NULL: the step's own */
    int plain_dst;   /* needs a row-major gradient */
} gig_convolution_gradient;
/* out->primitive NULL and GIG_OK: no fast implementation of this type (never for f32). */
gig_status gig_convolution_backward(gig_convolution_gradient *out, gig_onednn *engine, const gig_geometry *g,
                                    const gig_tensor *weights, gig_number type, const gig_layout *dst);

#endif
