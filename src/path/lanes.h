/* Four lanes of double, for loops over features whose sums must not depend on the machine's vector width: lane j adds
 * features j, j + 4, j + 8, ... in that order, and lanes_total adds the lanes in one fixed order. */
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

GIG_INLINE size_t lanes_left(size_t i, size_t n)
{
    return n - i < LANES ? n - i : LANES;
}

/* The first `count` (at most 4) floats at `from`, as doubles; 0 beyond. */
GIG_INLINE void lanes_load(lanes_d *out, const float *from, size_t count)
{
    lanes_f v = {0};
    if (count == LANES)
        memcpy(&v, from, sizeof v);
    else
        memcpy(&v, from, count * sizeof *from);
    *out = __builtin_convertvector(v, lanes_d);
}

GIG_INLINE void lanes_store(float *to, const lanes_d *from, size_t count)
{
    lanes_f v = __builtin_convertvector(*from, lanes_f);
    if (count == LANES)
        memcpy(to, &v, sizeof v);
    else
        memcpy(to, &v, count * sizeof *to);
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

/* 4 flags as all-ones or all-zeros, from 4 unsigned keys: key <= threshold. Keys beyond `count` never are. */
GIG_INLINE void lanes_at_most(lanes_l *out, const uint32_t *keys, uint32_t threshold, size_t count)
{
    lanes_u v = ~(lanes_u){0};
    if (count == LANES)
        memcpy(&v, keys, sizeof v);
    else
        memcpy(&v, keys, count * sizeof *keys);
    typedef int32_t lanes_i __attribute__((vector_size(LANES * sizeof(int32_t))));
    *out = __builtin_convertvector((lanes_i)(v <= threshold), lanes_l);
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

GIG_INLINE double lanes_total(const lanes_d *v)
{
    return ((*v)[0] + (*v)[2]) + ((*v)[1] + (*v)[3]);
}

#endif
