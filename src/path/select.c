/* SPDX-License-Identifier: Apache-2.0 */
#include "path/select.h"
#include "path/lanes.h"
#if defined(__x86_64__) && !defined(__clang__)
#include <xmmintrin.h>
#endif

/* A sample brackets the wanted key; one pass counts what lies below the bracket and gathers what lies in it (a few
 * percent); the answer is found among those by radix. If the bracket misses the key, or holds too many, radix over all.
 */
enum { SAMPLE = 2048, BLOCK = 1024, DIGITS = 11, BINS = 1 << DIGITS };

size_t gig_select_scratch(size_t n)
{
    return n / 4 + 2 * BLOCK;
}

/* The bin that holds `*rank`, which becomes the rank inside it. */
static uint32_t find_bin(const uint32_t counts[BINS], size_t *rank)
{
    uint32_t bin = 0;
    while (*rank >= counts[bin]) *rank -= counts[bin++];
    return bin;
}

/* 31 bits in digits of 11, 11 and 9; rank < n. */
static uint32_t radix_select(const uint32_t *keys, size_t n, size_t rank)
{
    uint32_t counts[BINS] = {0};
    for (size_t i = 0; i < n; i++) counts[keys[i] >> 20]++;
    uint32_t high = find_bin(counts, &rank);
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < n; i++)
        if (keys[i] >> 20 == high) counts[keys[i] >> 9 & (BINS - 1)]++;
    high = high << DIGITS | find_bin(counts, &rank);
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < n; i++)
        if (keys[i] >> 9 == high) counts[keys[i] & 511]++;
    return high << 9 | find_bin(counts, &rank);
}

/* Keys at even distances, and the two of them between which the key of `rank` almost surely lies: 4 standard deviations
 * of a sample's quantile to each side. */
static void bracket(uint32_t *low, uint32_t *high, const uint32_t *keys, size_t n, size_t rank)
{
    uint32_t sample[SAMPLE];
    for (size_t i = 0; i < SAMPLE; i++) sample[i] = keys[i * n / SAMPLE];
    double share = (double)rank / (double)n;
    size_t middle = (size_t)(share * SAMPLE), slack = (size_t)(4 * sqrt(SAMPLE * share * (1 - share))) + 3;
    *low = middle < slack ? 0 : radix_select(sample, SAMPLE, middle - slack);
    *high = middle + slack >= SAMPLE ? GIG_KEY_DONE : radix_select(sample, SAMPLE, middle + slack);
}

GIG_CLONES static size_t count_below(const uint32_t *keys, size_t n, uint32_t limit)
{
    uint32_t below = 0;
    for (size_t i = 0; i < n; i++) below += keys[i] < limit;
    return below;
}

#if defined(__x86_64__) && !defined(__clang__)
/* For each set of chosen lanes among 4, the lanes in order. */
#define PACK(a, b, c, d)                                                                                               \
    {                                                                                                                  \
        a, b, c, d                                                                                                     \
    }
static const lanes_u packed_lanes[16] = {PACK(0, 0, 0, 0), PACK(0, 0, 0, 0), PACK(1, 0, 0, 0), PACK(0, 1, 0, 0),
                                         PACK(2, 0, 0, 0), PACK(0, 2, 0, 0), PACK(1, 2, 0, 0), PACK(0, 1, 2, 0),
                                         PACK(3, 0, 0, 0), PACK(0, 3, 0, 0), PACK(1, 3, 0, 0), PACK(0, 1, 3, 0),
                                         PACK(2, 3, 0, 0), PACK(0, 2, 3, 0), PACK(1, 2, 3, 0), PACK(0, 1, 2, 3)};

/* Copies the keys of low..high to `held`, which has room for n + 3; returns how many. */
GIG_CLONES static size_t gather(uint32_t *held, const uint32_t *keys, size_t n, uint32_t low, uint32_t high)
{
    size_t count = 0, i = 0;
    for (; i + LANES <= n; i += LANES) {
        lanes_u v, inside;
        memcpy(&v, keys + i, sizeof v);
        inside = (lanes_u)(v - low <= high - low);
        unsigned chosen = (unsigned)_mm_movemask_ps((__m128)inside);
        v = __builtin_shuffle(v, packed_lanes[chosen]);
        memcpy(held + count, &v, sizeof v);
        count += (size_t)__builtin_popcount(chosen);
    }
    for (; i < n; i++) {
        held[count] = keys[i];
        count += keys[i] - low <= high - low;
    }
    return count;
}
#else
static size_t gather(uint32_t *held, const uint32_t *keys, size_t n, uint32_t low, uint32_t high)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        held[count] = keys[i];
        count += keys[i] - low <= high - low;
    }
    return count;
}
#endif

GIG_CLONES void gig_select_keys(uint32_t *keys, const float *gradient, const uint8_t *done, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &gradient[i], sizeof bits);
        keys[i] = done[i] ? GIG_KEY_DONE : bits & 0x7fffffffu;
    }
}

uint32_t gig_select_key(const uint32_t *keys, size_t n, size_t rank, uint32_t *scratch)
{
    if (rank >= n) return GIG_KEY_DONE;
    if (n < 4 * SAMPLE) return radix_select(keys, n, rank);
    uint32_t low, high;
    bracket(&low, &high, keys, n, rank);
    size_t below = 0, held = 0, room = gig_select_scratch(n);
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        if (held + BLOCK + LANES > room) return radix_select(keys, n, rank);
        below += count_below(keys + i, count, low);
        held += gather(scratch + held, keys + i, count, low, high);
    }
    if (rank < below || rank - below >= held) return radix_select(keys, n, rank);
    return low == high ? low : radix_select(scratch, held, rank - below);
}

/* One pass of a stable radix sort of indices by the digit at `shift`. */
static void sort_pass(uint32_t *to, const uint32_t *from, size_t count, const uint32_t *keys, int shift)
{
    uint32_t starts[BINS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) starts[keys[from[i]] >> shift & (BINS - 1)]++;
    for (size_t b = 0; b < BINS; b++) {
        uint32_t in_bin = starts[b];
        starts[b] = sum;
        sum += in_bin;
    }
    for (size_t i = 0; i < count; i++) to[starts[keys[from[i]] >> shift & (BINS - 1)]++] = from[i];
}

size_t gig_select_order(uint32_t *order, uint32_t *scratch, const uint32_t *keys, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (keys[i] != GIG_KEY_DONE) scratch[count++] = (uint32_t)i;
    sort_pass(order, scratch, count, keys, 0);
    sort_pass(scratch, order, count, keys, DIGITS);
    sort_pass(order, scratch, count, keys, 2 * DIGITS);
    return count;
}
