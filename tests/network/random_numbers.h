/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for the tests of kernels. */
#ifndef GIG_TESTS_NETWORK_RANDOM_NUMBERS_H
#define GIG_TESTS_NETWORK_RANDOM_NUMBERS_H

#include "base/memory.h"
#include "base/rng.h"

/* Seeded numbers from -0.4 to 0.6; freed with gig_free. */
static inline float *draw(size_t count, uint64_t stream)
{
    float *values = gig_alloc(count, sizeof *values);
    assert_non_null(values);
    gig_rng_fill_uniform((gig_rng){.seed = 7, .stream = stream}, values, count);
    for (size_t i = 0; i < count; i++) values[i] -= 0.4f;
    return values;
}

#endif
