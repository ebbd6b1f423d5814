/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution descriptors for oneDNN: sizes, layouts worth trying, number types. */
#ifndef GIG_NETWORK_DNNL_CONVOLUTION_H
#define GIG_NETWORK_DNNL_CONVOLUTION_H

#include "network/plan.h"
#include "network/window.h"

/* Sizes as oneDNN wants them: [n, c, spatial...], weights [g,] [o, i, spatial...]. */
typedef struct gig_geometry {
    int rank, weights_rank;
    dnnl_dims_t src, weights, dst, bias, strides, dilates, pad_begin, pad_end;
    double flops;
} gig_geometry;

void gig_geometry_of(gig_geometry *out, const gig_window *window);

dnnl_memory_desc_t gig_md_dense(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type);
dnnl_memory_desc_t gig_md_with_type(const dnnl_memory_desc_t *md, dnnl_data_type_t type);

/* The best implementation of src (`type`) * weights (`type`) [+ bias] -> dst (f32), or NULL where oneDNN has none or
 * none that is fast (f32 takes a slow one rather than none). present: the data's layout now; dst_md: the wanted
 * result's, NULL: any. */
dnnl_primitive_desc_t gig_convolution_forward(const gig_plan *plan, const gig_geometry *g, dnnl_data_type_t type,
                                              int bias, const dnnl_memory_desc_t *present,
                                              const dnnl_memory_desc_t *dst_md, dnnl_primitive_attr_t attr);

/* The gradient with respect to the data, from a gradient in layout dst (its type is replaced by `type`). */
typedef struct gig_convolution_gradient {
    dnnl_primitive_desc_t pd;
    gig_geometry g;  /* of the primitive: channels may be widened */
    gig_tensor wide; /* widened weights, owned; data NULL: the step's own */
    int plain_dst;   /* wants the gradient row-major */
} gig_convolution_gradient;
/* out->pd NULL and GIG_OK: no fast implementation of this type (never for f32). */
gig_status gig_convolution_backward(gig_convolution_gradient *out, const gig_plan *plan, const gig_geometry *g,
                                    const gig_tensor *weights, dnnl_data_type_t type, const dnnl_memory_desc_t *dst);
/* The layout in which [n, few channels, ...] sees memory that was widened to one block of channels. */
gig_status gig_md_narrowed(dnnl_memory_desc_t *md, const gig_geometry *g);

/* ---- kernels/numbers.c: f32 as the sum of bf16 halves ---- */

/* How products are computed. Emulated: bf16 numbers held in floats, for CPUs without AMX (tests). */
typedef struct gig_numbers {
    int halves; /* 0: f32 as it is */
    dnnl_data_type_t type;
    size_t count;
    struct {
        int low_data, low_weights;
    } products[3];
} gig_numbers;
gig_numbers gig_numbers_whole(void);
gig_numbers gig_numbers_forward(const gig_plan *plan); /* wanted by its precision */
gig_numbers gig_numbers_backward(const gig_plan *plan);

/* The high and, where wanted, low halves of memory at `from`, in layout md. */
gig_status gig_plan_split(gig_place halves[2], gig_plan *plan, gig_place from, const dnnl_memory_desc_t *md, int low);
/* The weights, or (halves) their high or low halves, in layout md; *out is the plan's. */
gig_status gig_plan_pack_half(void **out, gig_plan *plan, const gig_geometry *g, const gig_tensor *weights,
                              const dnnl_memory_desc_t *md, int halves, int low);

#endif
