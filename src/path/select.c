#include "path/select.h"
#include "base/memory.h"
#include "path/lanes.h"

/* A sample brackets the wanted key; one pass counts what lies below the bracket and gathers what lies in it (a few
 * percent); the answer is found among those by radix. When the bracket misses, or holds too much, radix over all. */
enum { SAMPLE = 2048, SLACK = 72, BLOCK = 1024, DIGITS = 11, BINS = 1 << DIGITS };

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

/* Keys at even distances, and the two of them between which the key of `rank` almost surely lies. */
static void bracket(uint32_t *low, uint32_t *high, const uint32_t *keys, size_t n, size_t rank)
{
    uint32_t sample[SAMPLE];
    for (size_t i = 0; i < SAMPLE; i++) sample[i] = keys[i * n / SAMPLE];
    size_t middle = (size_t)((double)rank / (double)n * SAMPLE);
    *low = middle < SLACK ? 0 : radix_select(sample, SAMPLE, middle - SLACK);
    *high = middle + SLACK >= SAMPLE ? GIG_KEY_DONE : radix_select(sample, SAMPLE, middle + SLACK);
}

GIG_CLONES static size_t count_below(const uint32_t *keys, size_t n, uint32_t limit)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t end = n - i < BLOCK ? n : i + BLOCK;
        uint32_t below = 0;
        for (size_t j = i; j < end; j++) below += keys[j] < limit;
        total += below;
    }
    return total;
}

/* Copies the keys of low..high to `held`; how many, or SIZE_MAX when they do not fit. */
static size_t gather(uint32_t *held, size_t room, const uint32_t *keys, size_t n, uint32_t low, uint32_t high)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i += BLOCK) {
        if (count + BLOCK > room) return SIZE_MAX;
        size_t end = n - i < BLOCK ? n : i + BLOCK;
        for (size_t j = i; j < end; j++) {
            held[count] = keys[j];
            count += keys[j] - low <= high - low;
        }
    }
    return count;
}

uint32_t gig_select_key(const uint32_t *keys, size_t n, size_t rank, uint32_t *scratch)
{
    if (rank >= n) return GIG_KEY_DONE;
    if (n < 4 * SAMPLE) return radix_select(keys, n, rank);
    uint32_t low, high;
    bracket(&low, &high, keys, n, rank);
    size_t below = count_below(keys, n, low);
    if (rank < below) return radix_select(keys, n, rank);
    if (low == high) return rank < count_below(keys, n, low + 1) ? low : radix_select(keys, n, rank);
    size_t count = gather(scratch, gig_select_scratch(n), keys, n, low, high);
    if (count == SIZE_MAX || rank - below >= count) return radix_select(keys, n, rank);
    return radix_select(scratch, count, rank - below);
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

gig_status gig_select_order(uint32_t **out, size_t *count, const uint32_t *keys, size_t n)
{
    uint32_t *order = gig_alloc(n, sizeof *order), *other = order ? gig_alloc(n, sizeof *other) : NULL;
    if (!other) {
        gig_free(order);
        return gig_alloc_status();
    }
    *count = 0;
    for (size_t i = 0; i < n; i++)
        if (keys[i] != GIG_KEY_DONE) other[(*count)++] = (uint32_t)i;
    sort_pass(order, other, *count, keys, 0);
    sort_pass(other, order, *count, keys, DIGITS);
    sort_pass(order, other, *count, keys, 2 * DIGITS);
    gig_free(other);
    *out = order;
    return GIG_OK;
}
