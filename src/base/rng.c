/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rng.h"
#include "internal/draw.h"
#include <math.h>

/* One round multiplies words 0 and 2 by these and mixes the halves; the key moves on by the Weyl constants. */
static const uint32_t multiplier[2] = {0xD2511F53u, 0xCD9E8D57u};
static const uint32_t weyl[2] = {0x9E3779B9u, 0xBB67AE85u};

void gig_philox(uint32_t block[4], const uint32_t key[2])
{
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)multiplier[0] * block[0], b = (uint64_t)multiplier[1] * block[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ block[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ block[3] ^ k1,
                            (uint32_t)a};
        for (int i = 0; i < 4; i++) block[i] = next[i];
        k0 += weyl[0];
        k1 += weyl[1];
    }
}

/* Numbers 2k and 2k+1 of a stream are the two halves of its block k. */
static void pair(uint64_t out[2], gig_rng rng, uint64_t index)
{
    uint64_t at = index >> 1;
    uint32_t block[4] = {(uint32_t)at, (uint32_t)(at >> 32), (uint32_t)rng.stream, (uint32_t)(rng.stream >> 32)};
    uint32_t key[2] = {(uint32_t)rng.seed, (uint32_t)(rng.seed >> 32)};
    gig_philox(block, key);
    out[0] = block[0] | (uint64_t)block[1] << 32;
    out[1] = block[2] | (uint64_t)block[3] << 32;
}

static double unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* Box-Muller: two normals from two uniforms; 1 - u lies in (0,1], so the logarithm is finite. */
static void normal_pair(double out[2], gig_rng rng, uint64_t index)
{
    uint64_t bits[2];
    pair(bits, rng, index);
    double radius = sqrt(-2 * log(1 - unit(bits[0]))), angle = 0x1.921fb54442d18p+2 * unit(bits[1]);
    out[0] = radius * cos(angle);
    out[1] = radius * sin(angle);
}

uint64_t gig_rng_bits(gig_rng rng, uint64_t index)
{
    uint64_t bits[2];
    pair(bits, rng, index);
    return bits[index & 1];
}

double gig_rng_uniform(gig_rng rng, uint64_t index)
{
    return unit(gig_rng_bits(rng, index));
}

double gig_rng_normal(gig_rng rng, uint64_t index)
{
    double both[2];
    normal_pair(both, rng, index);
    return both[index & 1];
}

void gig_rng_fill_uniform(gig_rng rng, float *out, size_t count)
{
    const float below_one = 0x1.fffffep-1f;
    uint64_t bits[2] = {0};
    for (size_t i = 0; i < count; i++) {
        if (!(i & 1)) pair(bits, rng, i);
        float value = (float)unit(bits[i & 1]);
        out[i] = value > below_one ? below_one : value;
    }
}

void gig_rng_fill_normal(gig_rng rng, float *out, size_t count)
{
    double both[2] = {0};
    for (size_t i = 0; i < count; i++) {
        if (!(i & 1)) normal_pair(both, rng, i);
        out[i] = (float)both[i & 1];
    }
}

/* By SplitMix64: the choice has to be the same everywhere, not unpredictable. */
static size_t draw(uint64_t *state, size_t count)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (size_t)((z ^ z >> 31) % count);
}

void gig_draw_indices(size_t *order, size_t count, size_t wanted, uint64_t seed)
{
    uint64_t state = seed;
    for (size_t i = 0; i < count; i++) order[i] = i;
    for (size_t i = 0; i < wanted && i < count; i++) {
        size_t at = i + draw(&state, count - i), chosen = order[at];
        order[at] = order[i];
        order[i] = chosen;
    }
}
