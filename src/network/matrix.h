/* SPDX-License-Identifier: Apache-2.0 */
/* A product of matrices in plain memory, row-major. */
#ifndef GIG_NETWORK_MATRIX_H
#define GIG_NETWORK_MATRIX_H

#include <stdint.h>

/* A factor op(X): X as it is stored, with rows `row` apart, or its transpose. */
typedef struct gig_matrix {
    const float *data;
    int64_t row;
    int transposed;
} gig_matrix;

/* C = alpha op(A) op(B) + beta C; op(A) is m x k, op(B) k x n; rows of C lie c_row apart. */
typedef struct gig_gemm {
    int64_t m, n, k;
    float alpha;
    gig_matrix a, b;
    float beta;
    float *c;
    int64_t c_row;
} gig_gemm;

#endif
