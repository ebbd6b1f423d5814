/* SPDX-License-Identifier: Apache-2.0 */
/* Counter-based random numbers (Philox 4x32-10): number i of stream s under a seed is a pure function of (seed, s, i),
 * so results do not depend on threads or order. */
#ifndef GIG_BASE_RNG_H
#define GIG_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct gig_rng {
    uint64_t seed, stream;
} gig_rng;

/* The generator itself: ten rounds on a block of four words, in place. */
void gig_philox(uint32_t block[4], const uint32_t key[2]);

uint64_t gig_rng_bits(gig_rng rng, uint64_t index);
double gig_rng_uniform(gig_rng rng, uint64_t index); /* [0,1), 53 bits */
double gig_rng_normal(gig_rng rng, uint64_t index);  /* mean 0, variance 1 (Box-Muller) */

void gig_rng_fill_uniform(gig_rng rng, float *out, size_t count); /* out[i] = (float)uniform(i), below 1 */
void gig_rng_fill_normal(gig_rng rng, float *out, size_t count);

#endif
