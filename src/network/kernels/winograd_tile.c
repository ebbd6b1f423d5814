/* SPDX-License-Identifier: Apache-2.0 */
/* A tile of data into its points, and points into a tile of results. Along an axis of n points these are the values at
 * n - 1 places and "at infinity" of the polynomials whose coefficients are data (transposed) and results:
 *
 *   n = 4: 0, 1, -1    n = 6: 0, 1, -1, 2, -2    n = 8: 0, 1, -1, 2, -2, 1/2, -1/2
 *
 * A place and its opposite share an even and an odd part. winograd.c has the matching factors of the weights. */
#include "network/kernels/avx2.h"
#include "network/kernels/winograd.h"

enum { LANES = 8, LONGEST = 8, MOST_POINTS = 36, OUTSIDE = -1 };

#if defined(__x86_64__)

/* ---- along one axis ---- */

/* a + b factor */
GIG_AVX2_INLINE __m256 plus(__m256 a, __m256 b, float factor)
{
    return _mm256_fmadd_ps(b, _mm256_set1_ps(factor), a);
}

GIG_AVX2_INLINE void opposite(__m256 t[2], __m256 even, __m256 odd)
{
    t[0] = _mm256_add_ps(even, odd);
    t[1] = _mm256_sub_ps(even, odd);
}

/* t = B' d of n points. */
GIG_AVX2_INLINE void combine(int n, __m256 *t, const __m256 *d)
{
    switch (n) {
    case 4:
        t[0] = _mm256_sub_ps(d[0], d[2]);
        opposite(t + 1, d[2], d[1]);
        t[3] = _mm256_sub_ps(d[3], d[1]);
        break;
    case 6:
        t[0] = plus(plus(d[4], d[2], -5), d[0], 4);
        opposite(t + 1, plus(d[4], d[2], -4), plus(d[3], d[1], -4));
        __m256 twice = _mm256_sub_ps(d[3], d[1]);
        opposite(t + 3, _mm256_sub_ps(d[4], d[2]), _mm256_add_ps(twice, twice));
        t[5] = plus(plus(d[5], d[3], -5), d[1], 4);
        break;
    case 8:
        t[0] = plus(_mm256_sub_ps(d[0], d[6]), _mm256_sub_ps(d[4], d[2]), 5.25f);
        opposite(t + 1, plus(_mm256_add_ps(d[2], d[6]), d[4], -4.25f), plus(_mm256_add_ps(d[1], d[5]), d[3], -4.25f));
        opposite(t + 3, plus(plus(d[6], d[2], 0.25f), d[4], -1.25f),
                 plus(plus(_mm256_add_ps(d[5], d[5]), d[1], 0.5f), d[3], -2.5f));
        opposite(t + 5, plus(plus(d[6], d[2], 4), d[4], -5),
                 plus(plus(_mm256_add_ps(d[1], d[1]), d[5], 0.5f), d[3], -2.5f));
        t[7] = plus(_mm256_sub_ps(d[7], d[1]), _mm256_sub_ps(d[3], d[5]), 5.25f);
        break;
    default: t[0] = d[0]; break;
    }
}

/* s = A' m, `results` from n points. */
GIG_AVX2_INLINE void gather(int n, int results, __m256 *s, const __m256 *m)
{
    if (n == 1) {
        s[0] = m[0];
        return;
    }
    __m256 even = _mm256_add_ps(m[1], m[2]), odd = _mm256_sub_ps(m[1], m[2]);
    s[0] = _mm256_add_ps(m[0], even);
    s[1] = odd;
    if (n >= 6) {
        __m256 even2 = _mm256_add_ps(m[3], m[4]), odd2 = _mm256_sub_ps(m[3], m[4]);
        s[0] = _mm256_add_ps(s[0], even2);
        s[1] = plus(s[1], odd2, 2);
        if (results == 4) {
            s[2] = plus(even, even2, 4);
            s[3] = plus(odd, odd2, 8);
        }
    }
    if (n == 8) {
        s[0] = _mm256_add_ps(s[0], _mm256_add_ps(m[5], m[6]));
        s[1] = plus(s[1], _mm256_sub_ps(m[5], m[6]), 0.5f);
    }
    s[results - 1] = _mm256_add_ps(s[results - 1], m[n - 1]);
}

/* ---- a tile ---- */

/* Where the values of a tile lie in a block of channels, in floats; OUTSIDE: in the padding. */
static void find_values(int64_t *places, const gig_winograd *w, int64_t y, int64_t x)
{
    int down = w->tile->points[0], across = w->tile->points[1];
    for (int i = 0; i < down; i++)
        for (int j = 0; j < across; j++) {
            int inside = y + i >= 0 && y + i < w->in[0] && x + j >= 0 && x + j < w->in[1];
            places[i * across + j] = inside ? ((y + i) * w->in[1] + x + j) * LANES : OUTSIDE;
        }
}

GIG_AVX2_INLINE void take(int down, int across, float *row, size_t plane, const float *from, const int64_t *places)
{
    __m256 columns[LONGEST][LONGEST];
    for (int j = 0; j < across; j++) {
        __m256 d[LONGEST];
        for (int i = 0; i < down; i++) {
            int64_t place = places[i * across + j];
            d[i] = place == OUTSIDE ? _mm256_setzero_ps() : _mm256_loadu_ps(from + place);
        }
        combine(down, columns[j], d);
    }
    for (int i = 0; i < down; i++) {
        __m256 values[LONGEST], t[LONGEST];
        for (int j = 0; j < across; j++) values[j] = columns[j][i];
        combine(across, t, values);
        for (int j = 0; j < across; j++) _mm256_storeu_ps(row + (size_t)(i * across + j) * plane, t[j]);
    }
}

/* What a result becomes on its way out. */
GIG_AVX2_INLINE void put(float *place, __m256 value, const gig_winograd *w, __m256 bias)
{
    value = _mm256_add_ps(value, bias);
    if (w->add) value = _mm256_add_ps(value, _mm256_loadu_ps(place));
    if (w->relu) value = _mm256_max_ps(_mm256_setzero_ps(), value); /* in this order a NaN stays one */
    _mm256_storeu_ps(place, value);
}

/* A tile along one axis, as one number: gcc 12 finds the constants of a struct too late to unroll these loops well. */
#define SIDE(points, results) (16 * (points) + (results))
#define POINTS(side)          ((side) / 16)
#define RESULTS(side)         ((side) % 16)

/* The points of tiles: one row a point, `plane` floats from the next point's. */
typedef struct point_rows {
    const float *row;
    size_t plane;
} point_rows;

/* inside: results down and across that lie in the picture. */
GIG_AVX2_INLINE void give(int down, int across, float *to, const gig_winograd *w, point_rows from,
                          const int64_t inside[2], __m256 bias)
{
    __m256 columns[LONGEST][LONGEST];
    for (int j = 0; j < POINTS(across); j++) {
        __m256 m[LONGEST];
        for (int i = 0; i < POINTS(down); i++)
            m[i] = _mm256_loadu_ps(from.row + (size_t)(i * POINTS(across) + j) * from.plane);
        gather(POINTS(down), RESULTS(down), columns[j], m);
    }
    for (int i = 0; i < RESULTS(down) && i < inside[0]; i++) {
        __m256 values[LONGEST], s[LONGEST];
        for (int j = 0; j < POINTS(across); j++) values[j] = columns[j][i];
        gather(POINTS(across), RESULTS(across), s, values);
        for (int j = 0; j < RESULTS(across); j++)
            if (j < inside[1]) put(to + (i * w->out[1] + j) * LANES, s[j], w, bias);
    }
}

/* ---- every channel ---- */

GIG_AVX2_INLINE void take_blocks(int down, int across, float *row, size_t plane, const gig_winograd *w,
                                 const float *src, const size_t at[3])
{
    size_t blocks = w->in_channels / LANES, area = (size_t)(w->in[0] * w->in[1]) * LANES;
    int64_t places[MOST_POINTS] = {0};
    find_values(places, w, (int64_t)at[1] * w->tile->results[0] - w->pad[0],
                (int64_t)at[2] * w->tile->results[1] - w->pad[1]);
    src += at[0] * blocks * area;
    for (size_t c = 0; c < blocks; c++) take(down, across, row + c * LANES, plane, src + c * area, places);
}

GIG_AVX2_INLINE void give_blocks(int down, int across, float *dst, const gig_winograd *w, point_rows from,
                                 const size_t at[3])
{
    size_t blocks = w->out_channels / LANES, area = (size_t)(w->out[0] * w->out[1]) * LANES;
    int64_t y = (int64_t)at[1] * RESULTS(down), x = (int64_t)at[2] * RESULTS(across);
    int64_t inside[2] = {w->out[0] - y, w->out[1] - x};
    dst += at[0] * blocks * area + (size_t)(y * w->out[1] + x) * LANES;
    for (size_t c = 0; c < blocks; c++) {
        __m256 bias = w->bias ? _mm256_loadu_ps(w->bias + c * LANES) : _mm256_setzero_ps();
        give(down, across, dst + c * area, w, (point_rows){from.row + c * LANES, from.plane}, inside, bias);
    }
}

/* Each kind is compiled for its own sizes. */
#define KIND(name, down, down_results, across, across_results)                                                         \
    GIG_AVX2 static void take_##name(float *row, size_t plane, const gig_winograd *w, const float *src,                \
                                     const size_t at[3])                                                               \
    {                                                                                                                  \
        take_blocks(down, across, row, plane, w, src, at);                                                             \
    }                                                                                                                  \
    GIG_AVX2 static void give_##name(float *dst, const gig_winograd *w, const float *row, size_t plane,                \
                                     const size_t at[3])                                                               \
    {                                                                                                                  \
        give_blocks(SIDE(down, down_results), SIDE(across, across_results), dst, w, (point_rows){row, plane}, at);     \
    }
KIND(3x3_by_2, 4, 2, 4, 2)
KIND(3x3_by_4, 6, 4, 6, 4)
KIND(5x5, 6, 2, 6, 2)
KIND(1x3, 1, 1, 6, 4)
KIND(3x1, 6, 4, 1, 1)
KIND(1x7, 1, 1, 8, 2)
KIND(7x1, 8, 2, 1, 1)

/* Those of one window from the smallest, whose weights take the least memory. */
static const gig_winograd_tile tiles[] = {
    {{3, 3}, {2, 2}, {4, 4}, take_3x3_by_2, give_3x3_by_2}, {{3, 3}, {4, 4}, {6, 6}, take_3x3_by_4, give_3x3_by_4},
    {{5, 5}, {2, 2}, {6, 6}, take_5x5, give_5x5},           {{1, 3}, {1, 4}, {1, 6}, take_1x3, give_1x3},
    {{3, 1}, {4, 1}, {6, 1}, take_3x1, give_3x1},           {{1, 7}, {1, 2}, {1, 8}, take_1x7, give_1x7},
    {{7, 1}, {2, 1}, {8, 1}, take_7x1, give_7x1},
};

const gig_winograd_tile *gig_winograd_tiles(size_t *count)
{
    *count = gig_cpu_has_avx2() ? sizeof tiles / sizeof *tiles : 0;
    return tiles;
}

#else

const gig_winograd_tile *gig_winograd_tiles(size_t *count)
{
    *count = 0;
    return NULL;
}

#endif
