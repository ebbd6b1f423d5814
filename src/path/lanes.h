/* SPDX-License-Identifier: Apache-2.0 */
/* Eight lanes of double, as two halves of four, for loops over features whose sums must not depend on the machine's
 * vector width: lane j adds features j, j + 8, j + 16, ... in that order, and lanes_total adds the lanes in one fixed
 * order. */
#ifndef GIG_PATH_LANES_H
#define GIG_PATH_LANES_H

#include "base/clones.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GIG_INLINE __attribute__((always_inline)) static inline

enum { LANES = 4 };
typedef float lanes_f __attribute__((vector_size(LANES * sizeof(float))));
typedef double lanes_d __attribute__((vector_size(LANES * sizeof(double))));
typedef uint32_t lanes_u __attribute__((vector_size(LANES * sizeof(uint32_t))));
typedef int64_t lanes_l __attribute__((vector_size(LANES * sizeof(int64_t))));

/* Runs the statements for i = 0, 4, 8, ... below n, where h alternates between 0 and 1 and `count` is the number of
 * features there (4 except at the end). Accumulators are arrays [2], indexed by h. */
#define LANES_EACH(n, i, h, count, ...)                                                                                \
    do {                                                                                                               \
        size_t i = 0;                                                                                                  \
        for (; i + 2 * LANES <= (n); i += LANES) {                                                                     \
            enum { count = LANES };                                                                                    \
            {                                                                                                          \
                enum { h = 0 };                                                                                        \
                __VA_ARGS__                                                                                            \
            }                                                                                                          \
            i += LANES;                                                                                                \
            {                                                                                                          \
                enum { h = 1 };                                                                                        \
                __VA_ARGS__                                                                                            \
            }                                                                                                          \
        }                                                                                                              \
        for (int h = 0; i < (n); i += LANES, h = 1) {                                                                  \
            (void)h;                                                                                                   \
            const size_t count = (n)-i < LANES ? (n)-i : LANES;                                                        \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    } while (0)

/* The first `count` (at most 4) floats at `from`, as doubles; 0 beyond. Written out because the compiler turns
 * this into one instruction, but a vector conversion into four. */
GIG_INLINE void lanes_load(lanes_d *out, const float *from, size_t count)
{
    lanes_f v = {0};
    if (count == LANES)
        memcpy(&v, from, sizeof v);
    else
        memcpy(&v, from, count * sizeof *from);
    *out = (lanes_d){(double)v[0], (double)v[1], (double)v[2], (double)v[3]};
}

GIG_INLINE void lanes_store(float *to, const lanes_d *from, size_t count)
{
    lanes_f v = {(float)(*from)[0], (float)(*from)[1], (float)(*from)[2], (float)(*from)[3]};
    if (count == LANES)
        memcpy(to, &v, sizeof v);
    else
        memcpy(to, &v, count * sizeof *to);
}

/* Rounded to float and back. Through memory that the compiler cannot see through: gcc 12 takes this way for no change
 * when it is compiled for AVX2, and leaves it out. */
GIG_INLINE void lanes_round(lanes_d *v)
{
    lanes_f rounded = {(float)(*v)[0], (float)(*v)[1], (float)(*v)[2], (float)(*v)[3]};
    __asm__("" : "+m"(rounded));
    *v = (lanes_d){(double)rounded[0], (double)rounded[1], (double)rounded[2], (double)rounded[3]};
}

GIG_INLINE void lanes_load_double(lanes_d *out, const double *from, size_t count)
{
    lanes_d v = {0};
    if (count == LANES)
        memcpy(&v, from, sizeof v);
    else
        memcpy(&v, from, count * sizeof *from);
    *out = v;
}

GIG_INLINE void lanes_store_double(double *to, const lanes_d *from, size_t count)
{
    if (count == LANES)
        memcpy(to, from, sizeof *from);
    else
        memcpy(to, from, count * sizeof *to);
}

/* 4 flags as all-ones or all-zeros, from 4 keys below 2^31: key <= threshold. Keys beyond `count` are never flagged. */
GIG_INLINE void lanes_at_most(lanes_l *out, const uint32_t *keys, uint32_t threshold, size_t count)
{
    typedef int32_t lanes_i __attribute__((vector_size(LANES * sizeof(int32_t))));
    lanes_i v = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    if (count == LANES)
        memcpy(&v, keys, sizeof v);
    else
        memcpy(&v, keys, count * sizeof *keys);
    lanes_i flags = v <= (int32_t)threshold;
    *out = (lanes_l){flags[0], flags[1], flags[2], flags[3]};
}

GIG_INLINE void lanes_abs(lanes_d *v)
{
    lanes_l bits = (lanes_l)*v & INT64_MAX;
    *v = (lanes_d)bits;
}

/* v where the flag is set, else 0. */
GIG_INLINE void lanes_keep(lanes_d *v, const lanes_l *flags)
{
    *v = (lanes_d)((lanes_l)*v & *flags);
}

GIG_INLINE double lanes_total(const lanes_d v[2])
{
    lanes_d sum = v[0] + v[1];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

#endif
