/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of pointwise.c in vectors of 16, in the same order. */
#include "base/size.h"
#include "network/kernels/avx2.h"
#include "network/kernels/pointwise.h"

#if defined(__x86_64__)

enum {
    LANES = 8,
    PANEL = 16,
    ROWS = 8 /* places at once: their sums, of two panels each, fit the registers */
};

/* A vector of 16 columns lies in two blocks of 8 channels. */
GIG_AVX512_INLINE __m512 load_two(const float *at, size_t plane)
{
    __m512d low = _mm512_castpd256_pd512(_mm256_castps_pd(_mm256_loadu_ps(at)));
    return _mm512_castpd_ps(_mm512_insertf64x4(low, _mm256_castps_pd(_mm256_loadu_ps(at + plane)), 1));
}

GIG_AVX512_INLINE void store_two(float *at, size_t plane, __m512 value)
{
    _mm256_storeu_ps(at, _mm512_castps512_ps256(value));
    _mm256_storeu_ps(at + plane, _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(value), 1)));
}

/* Sums of `rows` places for panels times 16 columns. */
GIG_AVX512_INLINE void sum_rows(int rows, int panels, const gig_pointwise_part *p, size_t first)
{
    __m512 sum[ROWS][2];
    const float *data = p->data + first * LANES, *weights[2] = {p->weights[0], p->weights[1]};
    for (int v = 0; v < panels; v++) {
        __m512 start = p->bias ? _mm512_loadu_ps(p->bias + v * PANEL) : _mm512_setzero_ps();
        for (int r = 0; r < rows; r++) sum[r][v] = start;
    }
    for (size_t k = 0; k < p->depth; k += LANES, data += p->plane)
        for (int i = 0; i < LANES; i++) {
            __m512 row[2];
            for (int v = 0; v < panels; v++) row[v] = _mm512_loadu_ps(weights[v] + (k + (size_t)i) * PANEL);
            for (int r = 0; r < rows; r++) {
                __m512 value = _mm512_set1_ps(data[r * LANES + i]);
                for (int v = 0; v < panels; v++) sum[r][v] = _mm512_fmadd_ps(value, row[v], sum[r][v]);
            }
        }
    for (int v = 0; v < panels; v++)
        for (int r = 0; r < rows; r++) {
            float *to = p->results + (size_t)v * 2 * p->plane + (first + (size_t)r) * LANES;
            __m512 total = sum[r][v];
            if (p->add) total = _mm512_add_ps(total, load_two(to, p->plane));
            if (p->relu) total = _mm512_max_ps(total, _mm512_setzero_ps());
            store_two(to, p->plane, total);
        }
}

/* Every place, dealt evenly. */
GIG_AVX512_INLINE void sum_places(int panels, const gig_pointwise_part *p)
{
    size_t first = 0;
    for (size_t parts = gig_size_divide_up(p->places, ROWS); parts > 0; parts--) {
        size_t rows = gig_size_divide_up(p->places - first, parts);
        switch (rows) {
        case 1: sum_rows(1, panels, p, first); break;
        case 2: sum_rows(2, panels, p, first); break;
        case 3: sum_rows(3, panels, p, first); break;
        case 4: sum_rows(4, panels, p, first); break;
        case 5: sum_rows(5, panels, p, first); break;
        case 6: sum_rows(6, panels, p, first); break;
        case 7: sum_rows(7, panels, p, first); break;
        default: sum_rows(ROWS, panels, p, first); break;
        }
        first += rows;
    }
}

GIG_AVX512 static void sum_panel(const gig_pointwise_part *p)
{
    sum_places(1, p);
}

GIG_AVX512 static void sum_two_panels(const gig_pointwise_part *p)
{
    sum_places(2, p);
}

void gig_pointwise_wide(const gig_pointwise_part *part, int panels)
{
    if (panels == 2)
        sum_two_panels(part);
    else
        sum_panel(part);
}

#else

void gig_pointwise_wide(const gig_pointwise_part *part, int panels)
{
    (void)part, (void)panels;
}

#endif
