/* The plain matrix product on strided operands, sums in double. */
#ifndef GIG_NETWORK_OPERATORS_MULTIPLY_H
#define GIG_NETWORK_OPERATORS_MULTIPLY_H

#include "network/operator.h"

/* Element (i, j) is data[i * row + j * column]. */
typedef struct gig_matrix {
    const float *data;
    int64_t row, column;
} gig_matrix;

static inline gig_matrix gig_matrix_of(const float *data, int64_t columns, int transposed)
{
    return transposed ? (gig_matrix){data, 1, columns} : (gig_matrix){data, columns, 1};
}

/* out [rows, columns], dense: alpha * a b, a [rows, depth], b [depth, columns]; added to what out holds when `add`. */
gig_status gig_matrix_multiply(float *out, int64_t rows, int64_t columns, int64_t depth, double alpha, gig_matrix a,
                               gig_matrix b, int add);

/* Einsum, in einsum.c. */
gig_status gig_einsum_infer(gig_op *op);
gig_status gig_einsum_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out);
gig_status gig_einsum_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in);

#endif
