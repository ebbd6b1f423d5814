/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices split into parts that a spectral curve brings in one after the other. */
#ifndef GIG_PATH_DECOMPOSE_H
#define GIG_PATH_DECOMPOSE_H

#include "base/status.h"
#include <stddef.h>

/* Singular value decomposition by one-sided Jacobi rotations (Hestenes 1958): columns of `matrix` (rows x columns,
 * row by row, rows >= columns) are turned against each other until all are orthogonal.
 * left: the left singular vectors as rows [columns, rows]; values: falling [columns]. Vectors whose value is below
 * 1e-13 of the largest are 0. Vectors are orthogonal to 1e-12, values right to 1e-13 of the largest. GIG_ENUMERIC where
 * it does not converge (never seen: 8 to 12 sweeps do), GIG_ENOMEM. */
gig_status gig_decompose(double *left, double *values, const double *matrix, size_t rows, size_t columns);

/* The orthonormal DCT-II's matrix, [n, n]: row k holds the k-th cosine. */
void gig_cosines(double *out, size_t n);

#endif
