/* SPDX-License-Identifier: Apache-2.0 */
/* Axes that step alike on both sides are joined. What is left is either runs that move as they are, or planes of two
 * axes, one dense in `in`, the other dense in `out`, which are transposed in tiles. */
#include "network/kernels/permute.h"
#include "base/tensor.h"
#include "network/kernels/avx2.h"
#include <string.h>

typedef struct axis {
    int64_t size, out, in; /* steps */
} axis;

/* The axes in the order of `out`, outermost first, joined where both sides allow it; how many. */
static int order_axes(axis *axes, int rank, const int64_t *dims, const int64_t *out_step, const int64_t *in_step)
{
    int count = 0;
    for (int d = 0; d < rank; d++) {
        if (dims[d] == 1) continue;
        int at = count++;
        for (; at > 0 && axes[at - 1].out < out_step[d]; at--) axes[at] = axes[at - 1];
        axes[at] = (axis){dims[d], out_step[d], in_step[d]};
    }
    int joined = 0;
    for (int i = 1; i < count; i++) {
        axis *last = &axes[joined];
        if (last->out == axes[i].out * axes[i].size && last->in == axes[i].in * axes[i].size)
            *last = (axis){last->size * axes[i].size, axes[i].out, axes[i].in};
        else
            axes[++joined] = axes[i];
    }
    return count ? joined + 1 : 0;
}

/* ---- planes: out[a * to + b] = in[a + b * from], a < wide, b < high ---- */

typedef struct plane {
    int64_t wide, high, to, from;
} plane;

static inline void move_some(float *restrict out, const float *restrict in, int64_t wide, int64_t high, int64_t to,
                             int64_t from)
{
    for (int64_t a = 0; a < wide; a++)
        for (int64_t b = 0; b < high; b++) out[a * to + b] = in[a + b * from];
}

/* Few in a row of out: the compiler knows how many. */
static void move_narrow(float *out, const float *in, const plane *p)
{
    if (p->high == 2 && p->to == 2)
        move_some(out, in, p->wide, 2, 2, p->from);
    else if (p->high == 3 && p->to == 3)
        move_some(out, in, p->wide, 3, 3, p->from);
    else if (p->high == 4 && p->to == 4)
        move_some(out, in, p->wide, 4, 4, p->from);
    else
        move_some(out, in, p->wide, p->high, p->to, p->from);
}

/* Few in a row of in: each is a row of out. */
static void move_flat(float *restrict out, const float *restrict in, const plane *p)
{
    for (int64_t a = 0; a < p->wide; a++)
        if (p->from == 2)
            for (int64_t b = 0; b < p->high; b++) out[a * p->to + b] = in[a + b * 2];
        else
            for (int64_t b = 0; b < p->high; b++) out[a * p->to + b] = in[a + b * p->from];
}

enum { TILE = 8 };

#if defined(__x86_64__)
/* 8 x 8 numbers: pairs, fours and halves change places. */
GIG_AVX2_INLINE void move_tile(float *out, const float *in, int64_t to, int64_t from)
{
    __m256 r[TILE], t[TILE];
    for (int b = 0; b < TILE; b++) r[b] = _mm256_loadu_ps(in + b * from);
    for (int b = 0; b < TILE; b += 2) {
        t[b] = _mm256_unpacklo_ps(r[b], r[b + 1]);
        t[b + 1] = _mm256_unpackhi_ps(r[b], r[b + 1]);
    }
    for (int b = 0; b < TILE; b += 4)
        for (int i = 0; i < 2; i++) {
            r[b + 2 * i] = _mm256_shuffle_ps(t[b + i], t[b + i + 2], 0x44);
            r[b + 2 * i + 1] = _mm256_shuffle_ps(t[b + i], t[b + i + 2], 0xee);
        }
    for (int a = 0; a < 4; a++) {
        _mm256_storeu_ps(out + a * to, _mm256_permute2f128_ps(r[a], r[a + 4], 0x20));
        _mm256_storeu_ps(out + (a + 4) * to, _mm256_permute2f128_ps(r[a], r[a + 4], 0x31));
    }
}

__attribute__((target("avx2,fma"))) static void move_tiles(float *out, const float *in, const plane *p)
{
    for (int64_t b = 0; b + TILE <= p->high; b += TILE)
        for (int64_t a = 0; a + TILE <= p->wide; a += TILE)
            move_tile(out + a * p->to + b, in + a + b * p->from, p->to, p->from);
}
#endif

static void move_plane(float *out, const float *in, const plane *p)
{
    if (p->high < TILE) {
        move_narrow(out, in, p);
        return;
    }
    if (p->wide < TILE) {
        move_flat(out, in, p);
        return;
    }
    int64_t wide = 0, high = 0; /* of what the tiles have done */
#if defined(__x86_64__)
    if (gig_cpu_has_avx2()) {
        wide = p->wide - p->wide % TILE;
        high = p->high - p->high % TILE;
        move_tiles(out, in, p);
    }
#endif
    move_some(out + wide * p->to, in + wide, p->wide - wide, high, p->to, p->from);
    move_some(out + high, in + high * p->from, p->wide, p->high - high, p->to, p->from);
}

/* ---- all of them ---- */

static int next(int64_t *index, float **out, const float **in, const axis *axes, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        *out += axes[i].out;
        *in += axes[i].in;
        if (++index[i] < axes[i].size) return 1;
        *out -= axes[i].out * axes[i].size;
        *in -= axes[i].in * axes[i].size;
        index[i] = 0;
    }
    return 0;
}

void gig_permute(float *out, const float *in, int rank, const int64_t *dims, const int64_t *out_step,
                 const int64_t *in_step)
{
    axis axes[GIG_MAX_RANK], last = {1, 1, 1};
    int64_t index[GIG_MAX_RANK] = {0};
    for (int d = 0; d < rank; d++)
        if (dims[d] == 0) return;
    int count = order_axes(axes, rank, dims, out_step, in_step), dense = -1;
    if (count) last = axes[--count];
    for (int i = 0; i < count; i++)
        if (axes[i].in == 1) dense = i;
    if (last.in == 1 || dense < 0 || last.out != 1) {
        do {
            if (last.in == 1 && last.out == 1)
                memcpy(out, in, (size_t)last.size * sizeof *out);
            else
                for (int64_t b = 0; b < last.size; b++) out[b * last.out] = in[b * last.in];
        } while (next(index, &out, &in, axes, count));
        return;
    }
    const plane p = {axes[dense].size, last.size, axes[dense].out, last.in};
    for (int i = dense; i + 1 < count; i++) axes[i] = axes[i + 1];
    do move_plane(out, in, &p);
    while (next(index, &out, &in, axes, count - 1));
}
