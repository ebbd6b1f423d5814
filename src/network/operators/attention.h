/* SPDX-License-Identifier: Apache-2.0 */
/* Attention, Y = softmax(cap(scale Q K^T) + mask) V for every sample and head: its shapes (attention.c) and its
 * arithmetic (attention_blocks.c), which is written once over a matrix product that the caller brings. */
#ifndef GIG_NETWORK_OPERATORS_ATTENTION_H
#define GIG_NETWORK_OPERATORS_ATTENTION_H

#include "network/matrix.h"
#include "network/operator.h"

typedef gig_status gig_product(const gig_gemm *of);

/* Where the matrix of sample b and head h starts, and how far its rows lie apart, in elements. */
typedef struct gig_head_strides {
    int64_t batch, head, row;
} gig_head_strides;

/* x is [B, H, S, width] or [B, S, H * width]. */
gig_head_strides gig_head_strides_of(const gig_tensor *x, int64_t heads);

/* op->params of Attention. */
typedef struct gig_attention {
    int64_t batch, heads, shared; /* `shared` query heads in a row read one key head */
    int64_t queries, keys, width, value_width;
    gig_head_strides q, k, v, y;
    int64_t mask[4];      /* strides of the mask over sample, head, query, key */
    int64_t mask_columns; /* keys from here on are masked */
    int64_t lengths_step; /* 0: one number of keys for all samples */
    float scale, cap;     /* cap 0: none */
    int causal;
} gig_attention;

static inline int gig_op_has(const gig_op *op, size_t i)
{
    return i < op->in_count && op->in[i];
}

/* Inputs by position. */
enum { GIG_ATTENTION_Q, GIG_ATTENTION_K, GIG_ATTENTION_V, GIG_ATTENTION_MASK, GIG_ATTENTION_LENGTHS = 6 };

gig_status gig_attention_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out,
                                 gig_product *product);
gig_status gig_attention_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *d_out,
                                  gig_tensor *const *d_in, gig_product *product);
/* Multiply-adds of the forward pass. */
double gig_attention_products(const gig_op *op);

gig_status gig_rotary_infer(gig_op *op);
gig_status gig_rotary_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out);
gig_status gig_rotary_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in);

#endif
