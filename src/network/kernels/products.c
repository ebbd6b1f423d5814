/* SPDX-License-Identifier: Apache-2.0 */
#include "network/kernels/products.h"
#include "base/size.h"
#include "network/kernels/avx2.h"
#include "network/kernels/products_wide.h"
#include <string.h>

enum {
    LANES = 8,
    ROWS = GIG_PRODUCT_ROWS,
    DEPTH = GIG_PRODUCT_DEPTH,
    NEAR = 256 << 10 /* bytes of data that stay in the cache while every panel is applied to them */
};

void gig_products_pack(float *out, const gig_products *p, const float *weights)
{
    for (size_t c = 0; c < p->columns; c += GIG_PANEL) {
        size_t wide = p->columns - c < GIG_PANEL ? p->columns - c : GIG_PANEL;
        for (size_t k = 0; k < p->depth; k++, out += wide)
            memcpy(out, weights + k * p->columns + c, wide * sizeof *out);
    }
}

int gig_products_can_turn(size_t depth, size_t columns)
{
    return depth <= DEPTH && depth % GIG_PANEL == 0 && columns % GIG_PANEL == 0;
}

static gig_status not_here(void)
{
    return gig_fail(GIG_EINTERNAL, "no such products on this CPU");
}

#if defined(__x86_64__)

typedef gig_products_piece piece;

/* Sums of `rows` rows for a panel of `vectors` times 8 columns. */
GIG_AVX2_INLINE void multiply_rows(int rows, int vectors, float *results, const gig_products *p, piece of,
                                   const float *data, const float *weights)
{
    __m256 sum[ROWS][2];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++) sum[r][v] = _mm256_setzero_ps();
    for (size_t k = 0; k < of.count; k++, weights += vectors * LANES) {
        __m256 row[2];
        for (int v = 0; v < vectors; v++) row[v] = _mm256_loadu_ps(weights + v * LANES);
        for (int r = 0; r < rows; r++) {
            __m256 value = _mm256_broadcast_ss(data + (size_t)r * p->depth + k);
            for (int v = 0; v < vectors; v++) sum[r][v] = _mm256_fmadd_ps(value, row[v], sum[r][v]);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++) {
            float *to = results + (size_t)r * p->columns + v * LANES;
            if (of.first) sum[r][v] = _mm256_add_ps(sum[r][v], _mm256_loadu_ps(to));
            _mm256_storeu_ps(to, sum[r][v]);
        }
}

/* One panel, its rows dealt evenly: one less costs less, but a single one costs as much as four. */
GIG_AVX2_INLINE void multiply_panel(int vectors, float *results, const gig_products *p, piece of, const float *data,
                                    size_t rows, const float *weights)
{
    for (size_t parts = gig_size_divide_up(rows, ROWS); parts > 0; parts--) {
        size_t part = gig_size_divide_up(rows, parts);
        switch (part) {
        case 1: multiply_rows(1, vectors, results, p, of, data, weights); break;
        case 2: multiply_rows(2, vectors, results, p, of, data, weights); break;
        case 3: multiply_rows(3, vectors, results, p, of, data, weights); break;
        case 4: multiply_rows(4, vectors, results, p, of, data, weights); break;
        case 5: multiply_rows(5, vectors, results, p, of, data, weights); break;
        default: multiply_rows(ROWS, vectors, results, p, of, data, weights); break;
        }
        rows -= part;
        data += part * p->depth;
        results += part * p->columns;
    }
}

/* 8 x 8 numbers whose rows lie 16 apart, both here and there. */
GIG_AVX2_INLINE void turn_eight(float *out, const float *in)
{
    __m256 row[LANES], pair[LANES], four[LANES];
    for (int i = 0; i < LANES; i++) row[i] = _mm256_loadu_ps(in + i * GIG_PANEL);
    for (int i = 0; i < LANES; i += 2) {
        pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
        pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
    }
    for (int i = 0; i < LANES; i += 4)
        for (int j = 0; j < 2; j++) {
            four[i + 2 * j] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0x44);
            four[i + 2 * j + 1] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0xee);
        }
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_ps(out + i * GIG_PANEL, _mm256_permute2f128_ps(four[i], four[i + 4], 0x20));
        _mm256_storeu_ps(out + (i + 4) * GIG_PANEL, _mm256_permute2f128_ps(four[i], four[i + 4], 0x31));
    }
}

/* The panel of 16 columns from c of turned weights: squares of 16 x 16, each turned. Squares are far apart in memory,
 * so those of the next panel are prefetched now (prefetching beyond the end is harmless). */
GIG_AVX2_INLINE void turn_panel(float *panel, const gig_products *p, size_t c)
{
    enum { SQUARE = GIG_PANEL * GIG_PANEL };
    for (size_t k = 0; k < p->depth; k += GIG_PANEL) {
        const float *square = p->weights + k * p->columns + c * GIG_PANEL;
        for (int i = 0; i < SQUARE; i += 64 / (int)sizeof *square)
            _mm_prefetch((const char *)(square + SQUARE + i), _MM_HINT_T1);
        for (int i = 0; i < GIG_PANEL; i += LANES)
            for (int j = 0; j < GIG_PANEL; j += LANES)
                turn_eight(panel + (k + (size_t)i) * GIG_PANEL + j, square + j * GIG_PANEL + i);
    }
}

GIG_AVX2 void gig_products_turn_panel(float *panel, const gig_products *p, size_t c)
{
    turn_panel(panel, p, c);
}

/* Panels of turned weights from column c; the whole depth is one piece. */
GIG_AVX2 static void multiply_turned(float *results, const gig_products *p, size_t c, const float *data, size_t rows)
{
    float panel[DEPTH * GIG_PANEL];
    for (; c < p->columns; c += GIG_PANEL) {
        turn_panel(panel, p, c);
        multiply_panel(2, results + c, p, (piece){0, p->depth}, data, rows, panel);
    }
}

/* Some of the rows and of the depth with every panel from column c. */
GIG_AVX2 static void multiply_block(float *results, const gig_products *p, piece of, size_t c, const float *data,
                                    size_t rows)
{
    for (; c < p->columns; c += GIG_PANEL) {
        const float *panel = p->weights + c * p->depth;
        if (c + GIG_PANEL <= p->columns)
            multiply_panel(2, results + c, p, of, data, rows, panel + of.first * 2 * LANES);
        else
            multiply_panel(1, results + c, p, of, data, rows, panel + of.first * LANES);
    }
}

gig_status gig_products_run(float *results, const gig_products *p, const float *data)
{
    if (!gig_cpu_has_avx2()) return not_here();
    size_t pieces = gig_size_divide_up(p->depth, DEPTH), deepest = gig_size_divide_up(p->depth, pieces ? pieces : 1),
           rows = p->rows;
    int wide = !p->narrow && gig_cpu_has_wide_vectors();
    size_t most = NEAR / sizeof(float) / (deepest ? deepest : 1);
    for (size_t parts = gig_size_divide_up(rows, most); parts > 0; parts--) {
        size_t part = gig_size_divide_up(rows, parts);
        for (size_t first = 0; first < p->depth; first += deepest) {
            size_t count = p->depth - first < deepest ? p->depth - first : deepest;
            const piece of = {first, count};
            size_t done = wide ? gig_products_wide(results, p, of, data + first, part) : 0;
            if (p->turned)
                multiply_turned(results, p, done, data, part);
            else
                multiply_block(results, p, of, done, data + first, part);
        }
        rows -= part;
        data += part * p->depth;
        results += part * p->columns;
    }
    return GIG_OK;
}

#else

gig_status gig_products_run(float *results, const gig_products *p, const float *data)
{
    (void)results, (void)p, (void)data;
    return not_here();
}

#endif
