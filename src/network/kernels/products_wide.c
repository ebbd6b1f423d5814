/* SPDX-License-Identifier: Apache-2.0 */
#include "network/kernels/products_wide.h"
#include "base/size.h"
#include "network/kernels/avx2.h"

enum {
    PANEL = GIG_PANEL,
    PANELS = 2, /* side by side: with few rows, too, there are enough sums to keep both units busy */
    ROWS = 8    /* their sums, and a vector of each panel, fit the registers */
};

#if defined(__x86_64__)

/* Sums of `rows` rows for two panels. */
GIG_AVX512_INLINE void multiply_rows(int rows, float *results, const gig_products *p, gig_products_piece of,
                                     const float *data, const float *const weights[PANELS])
{
    __m512 sum[ROWS][PANELS];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < PANELS; v++) sum[r][v] = _mm512_setzero_ps();
    for (size_t k = 0; k < of.count; k++) {
        __m512 row[PANELS];
        for (int v = 0; v < PANELS; v++) row[v] = _mm512_loadu_ps(weights[v] + k * PANEL);
        for (int r = 0; r < rows; r++) {
            __m512 value = _mm512_set1_ps(data[(size_t)r * p->depth + k]);
            for (int v = 0; v < PANELS; v++) sum[r][v] = _mm512_fmadd_ps(value, row[v], sum[r][v]);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < PANELS; v++) {
            float *to = results + (size_t)r * p->columns + v * PANEL;
            if (of.first) sum[r][v] = _mm512_add_ps(sum[r][v], _mm512_loadu_ps(to));
            _mm512_storeu_ps(to, sum[r][v]);
        }
}

/* Two panels, their rows dealt evenly. */
GIG_AVX512 static void multiply_panels(float *results, const gig_products *p, gig_products_piece of, const float *data,
                                       size_t rows, const float *const weights[PANELS])
{
    for (size_t parts = gig_size_divide_up(rows, ROWS); parts > 0; parts--) {
        size_t part = gig_size_divide_up(rows, parts);
        switch (part) {
        case 1: multiply_rows(1, results, p, of, data, weights); break;
        case 2: multiply_rows(2, results, p, of, data, weights); break;
        case 3: multiply_rows(3, results, p, of, data, weights); break;
        case 4: multiply_rows(4, results, p, of, data, weights); break;
        case 5: multiply_rows(5, results, p, of, data, weights); break;
        case 6: multiply_rows(6, results, p, of, data, weights); break;
        case 7: multiply_rows(7, results, p, of, data, weights); break;
        default: multiply_rows(ROWS, results, p, of, data, weights); break;
        }
        rows -= part;
        data += part * p->depth;
        results += part * p->columns;
    }
}

static size_t multiply_turned(float *results, const gig_products *p, gig_products_piece of, const float *data,
                              size_t rows)
{
    float turned[PANELS][GIG_PRODUCT_DEPTH * PANEL];
    size_t c = 0;
    for (; c + PANELS * PANEL <= p->columns; c += PANELS * PANEL) {
        for (size_t v = 0; v < PANELS; v++) gig_products_turn_panel(turned[v], p, c + v * PANEL);
        multiply_panels(results + c, p, of, data, rows, (const float *const[PANELS]){turned[0], turned[1]});
    }
    return c;
}

size_t gig_products_wide(float *results, const gig_products *p, gig_products_piece of, const float *data, size_t rows)
{
    if (p->turned) return multiply_turned(results, p, of, data, rows);
    size_t c = 0;
    for (; c + PANELS * PANEL <= p->columns; c += PANELS * PANEL) {
        const float *panel = p->weights + c * p->depth + of.first * PANEL;
        multiply_panels(results + c, p, of, data, rows, (const float *const[PANELS]){panel, panel + PANEL * p->depth});
    }
    return c;
}

#else

size_t gig_products_wide(float *results, const gig_products *p, gig_products_piece of, const float *data, size_t rows)
{
    (void)results, (void)p, (void)of, (void)data, (void)rows;
    return 0;
}

#endif
