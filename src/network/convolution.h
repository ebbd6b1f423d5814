/* Convolution descriptors for oneDNN: sizes, layouts worth trying, number types. */
#ifndef GIG_NETWORK_CONVOLUTION_H
#define GIG_NETWORK_CONVOLUTION_H

#include "network/operators/window.h"
#include "network/plan.h"

/* Sizes as oneDNN wants them: [n, c, spatial...], weights [g,] [o, i, spatial...]. */
typedef struct gig_geometry {
    int rank, weights_rank;
    dnnl_dims_t src, weights, dst, bias, strides, dilates, pad_begin, pad_end;
    double flops;
} gig_geometry;

void gig_geometry_of(gig_geometry *out, const gig_window *window);

dnnl_memory_desc_t gig_md_any(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type);
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

/* ---- numbers.c: f32 as the sum of bf16 halves ---- */

/* Rounds to the nearest bfloat16, ties to even; NaN stays NaN. */
float gig_bf16_round(float value);
/* A new tensor with the high half of each value, or with the low half (what the high one leaves, rounded). */
gig_status gig_bf16_half(gig_tensor *out, const gig_tensor *values, int low);
/* p[0] f32 in, p[1] high halves, and where there is a p[2], low halves: as bfloat16, or (emulated) as floats. */
gig_status gig_call_halves(const gig_action *action, void *const *pointers);
gig_status gig_call_halves_emulated(const gig_action *action, void *const *pointers);

#endif
