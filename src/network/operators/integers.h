/* SPDX-License-Identifier: Apache-2.0 */
/* Integers are computed as int64_t whatever their ONNX type; these functions bring results back into the type's range.
 * uint64 is kept modulo 2^64: sums, products and shifts are right, comparisons and divisions only below 2^63. */
#ifndef GIG_NETWORK_OPERATORS_INTEGERS_H
#define GIG_NETWORK_OPERATORS_INTEGERS_H

#include "network/operator.h"

/* Each value modulo the width of the type, as C and NumPy wrap; booleans become 0 or 1. */
void gig_wholes_wrap(int64_t *values, size_t count, int onnx_type);

/* Towards zero; out of range to the nearest end, NaN to 0. */
int64_t gig_whole_from_real(double x);

int gig_onnx_is_whole(int onnx_type); /* integers and booleans */

#endif
