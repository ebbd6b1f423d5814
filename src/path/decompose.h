/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices decomposed into components that a spectral curve adds one after the other. */
#ifndef GIG_PATH_DECOMPOSE_H
#define GIG_PATH_DECOMPOSE_H

#include "base/status.h"
#include <stddef.h>

/* Singular value decomposition by one-sided Jacobi rotations (Hestenes 1958): columns of `matrix` (rows x columns,
 * row by row, rows >= columns) are rotated in pairs until all are orthogonal.
 * left: the left singular vectors as rows [columns, rows]; values: descending [columns]. Vectors whose value is below
 * 1e-13 of the largest are 0. Vectors are orthogonal to 1e-12, values accurate to 1e-13 of the largest. GIG_ENUMERIC if
 * it does not converge (never seen: 8 to 12 sweeps are enough), GIG_ENOMEM. */
gig_status gig_decompose(double *left, double *values, const double *matrix, size_t rows, size_t columns);

/* The orthonormal DCT-II's matrix, [n, n]: row k holds the k-th cosine. */
void gig_cosines(double *out, size_t n);

#endif
