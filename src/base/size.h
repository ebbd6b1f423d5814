/* SPDX-License-Identifier: Apache-2.0 */
/* Checked sizes: every count and shape that comes from outside passes here before it is used. */
#ifndef GIG_BASE_SIZE_H
#define GIG_BASE_SIZE_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

/* One tensor holds at most this many elements (4 GiB of float). */
#define GIG_MAX_ELEMENTS ((size_t)1 << 30)

static inline int gig_size_multiply(size_t *out, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* a / b, rounded up. */
static inline size_t gig_size_divide_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

/* The only way from dims to a count: rejects (GIG_ELIMIT) ranks outside 0..8, negative dims, products of the non-zero
 * dims above GIG_MAX_ELEMENTS (so that strides are safe even if another dim is 0). */
gig_status gig_size_of_dims(size_t *count, int rank, const int64_t *dims);

#endif
