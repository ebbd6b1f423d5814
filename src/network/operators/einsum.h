/* SPDX-License-Identifier: Apache-2.0 */
/* Einsum, a row of the table of matrix.c. */
#ifndef GIG_NETWORK_OPERATORS_EINSUM_H
#define GIG_NETWORK_OPERATORS_EINSUM_H

#include "network/operator.h"

gig_status gig_einsum_infer(gig_op *op);
gig_status gig_einsum_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out);
gig_status gig_einsum_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in);

/* How many products of factors are added up; infer has been called. */
double gig_einsum_products(const gig_op *op);

#endif
