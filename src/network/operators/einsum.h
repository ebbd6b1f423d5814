/* SPDX-License-Identifier: Apache-2.0 */
/* Einsum, a row of the table of matrix.c. */
#ifndef GIG_NETWORK_OPERATORS_EINSUM_H
#define GIG_NETWORK_OPERATORS_EINSUM_H

#include "network/operator.h"

/* A label is a letter, or one axis that an ellipsis stands for. Port 0 is the output, port 1 + i is input i. */
enum { GIG_EINSUM_LETTERS = 52, GIG_EINSUM_LABELS = GIG_EINSUM_LETTERS + GIG_MAX_RANK, GIG_EINSUM_PORTS = 9 };

/* op->params of an Einsum. */
typedef struct gig_einsum {
    int ports;
    int labels[GIG_EINSUM_PORTS][GIG_MAX_RANK], rank[GIG_EINSUM_PORTS];
    int64_t size[GIG_EINSUM_LABELS];
    int used[GIG_EINSUM_LABELS]; /* times it stands in the inputs */
    /* What one step of the label moves each port by; 0: not there, or broadcast. */
    int64_t stride[GIG_EINSUM_PORTS][GIG_EINSUM_LABELS];
    int empty; /* some axis has no cells */
    double products;
} gig_einsum;

gig_status gig_einsum_infer(gig_op *op);
gig_status gig_einsum_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out);
gig_status gig_einsum_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in);

/* How many products of factors are added up; infer has been called. */
double gig_einsum_products(const gig_op *op);

#endif
