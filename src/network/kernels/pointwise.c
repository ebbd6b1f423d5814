/* SPDX-License-Identifier: Apache-2.0 */
#include "network/kernels/pointwise.h"
#include "base/size.h"
#include "network/kernels/avx2.h"
#include <string.h>

enum {
    LANES = 8,
    PANEL = 16,
    ROWS = 6, /* places at once: their sums, of two vectors each, fit the registers */
    /* Of the depth. These are oneDNN's, so that bits are those of its AVX2 kernel, where it has one (strides without a
     * remainder). */
    FORWARD_PIECE = 128,
    BACK_PIECE = 64
};

static int is_pointwise(const gig_geometry *g)
{
    if (g->rank != 4 || g->weights_rank != 4) return 0;
    for (int i = 0; i < 2; i++)
        if (g->weights[2 + i] != 1 || g->pad_begin[i] || (g->dst[2 + i] - 1) * g->strides[i] >= g->src[2 + i]) return 0;
    return 1;
}

int gig_pointwise_fits(gig_pointwise *out, const gig_geometry *g, int backward)
{
    if (!gig_cpu_has_avx2() || !is_pointwise(g)) return 0;
    const int64_t *from = backward ? g->dst : g->src, *to = backward ? g->src : g->dst;
    *out = (gig_pointwise){.batch = (size_t)g->src[0],
                           .depth = (size_t)from[1],
                           .columns = (size_t)to[1],
                           .places = (size_t)(g->dst[2] * g->dst[3]),
                           .piece = backward ? BACK_PIECE : FORWARD_PIECE,
                           .g = g,
                           .backward = backward};
    for (int i = 0; i < 2; i++) {
        out->near[i] = (size_t)g->dst[2 + i];
        out->far[i] = (size_t)g->src[2 + i];
        out->strides[i] = (size_t)g->strides[i];
    }
    return out->batch && out->places && out->depth && out->columns && out->depth % LANES == 0 &&
           out->columns % LANES == 0;
}

/* Are some places of the data not read? */
static int has_gaps(const gig_pointwise *p)
{
    return p->near[0] != p->far[0] || p->near[1] != p->far[1];
}

size_t gig_pointwise_scratch(const gig_pointwise *p)
{
    return has_gaps(p) ? p->places * (p->backward ? p->columns : p->depth) : 0;
}

static size_t panel_from(const gig_pointwise *p, size_t c)
{
    return p->columns - c < PANEL ? LANES : PANEL;
}

void gig_pointwise_pack(float *out, const gig_pointwise *p, const float *weights)
{
    for (size_t c = 0; c < p->columns; c += PANEL)
        for (size_t k = 0; k < p->depth; k++)
            for (size_t i = c; i < c + panel_from(p, c); i++)
                *out++ = weights[p->backward ? k * p->columns + i : i * p->depth + k];
}

#if defined(__x86_64__)

/* Sums of `rows` places for vectors times 8 columns. */
GIG_AVX2_INLINE void sum_rows(int rows, int vectors, const gig_pointwise_part *p, size_t first)
{
    __m256 sum[ROWS][2];
    const float *data = p->data + first * LANES, *weights = p->weights[0];
    for (int v = 0; v < vectors; v++) {
        __m256 start = p->bias ? _mm256_loadu_ps(p->bias + v * LANES) : _mm256_setzero_ps();
        for (int r = 0; r < rows; r++) sum[r][v] = start;
    }
    for (size_t k = 0; k < p->depth; k += LANES, data += p->plane)
        for (int i = 0; i < LANES; i++, weights += vectors * LANES) {
            __m256 row[2];
            for (int v = 0; v < vectors; v++) row[v] = _mm256_loadu_ps(weights + v * LANES);
            for (int r = 0; r < rows; r++) {
                __m256 value = _mm256_broadcast_ss(data + r * LANES + i);
                for (int v = 0; v < vectors; v++) sum[r][v] = _mm256_fmadd_ps(value, row[v], sum[r][v]);
            }
        }
    for (int v = 0; v < vectors; v++)
        for (int r = 0; r < rows; r++) {
            float *to = p->results + (size_t)v * p->plane + (first + (size_t)r) * LANES;
            __m256 total = sum[r][v];
            if (p->add) total = _mm256_add_ps(total, _mm256_loadu_ps(to));
            if (p->relu) total = _mm256_max_ps(total, _mm256_setzero_ps());
            _mm256_storeu_ps(to, total);
        }
}

/* Every place, dealt evenly. */
GIG_AVX2_INLINE void sum_places(int vectors, const gig_pointwise_part *p)
{
    size_t first = 0;
    for (size_t parts = gig_size_divide_up(p->places, ROWS); parts > 0; parts--) {
        size_t rows = gig_size_divide_up(p->places - first, parts);
        switch (rows) {
        case 1: sum_rows(1, vectors, p, first); break;
        case 2: sum_rows(2, vectors, p, first); break;
        case 3: sum_rows(3, vectors, p, first); break;
        case 4: sum_rows(4, vectors, p, first); break;
        case 5: sum_rows(5, vectors, p, first); break;
        default: sum_rows(ROWS, vectors, p, first); break;
        }
        first += rows;
    }
}

GIG_AVX2 static void sum_panel(const gig_pointwise_part *p)
{
    sum_places(2, p);
}

GIG_AVX2 static void sum_rest(const gig_pointwise_part *p)
{
    sum_places(1, p);
}

/* Columns from c of the piece, as many as are taken at once; returns how many. */
static size_t sum_columns(gig_pointwise_part *part, const gig_pointwise *p, size_t c, size_t first, int wide)
{
    size_t left = p->columns - c, panels = wide && left >= 2 * PANEL ? 2 : 1, panel = panel_from(p, c);
    for (size_t i = 0; i < panels; i++) part->weights[i] = p->weights + (c + i * PANEL) * p->depth + first * panel;
    if (panel < PANEL)
        sum_rest(part);
    else if (wide)
        gig_pointwise_wide(part, (int)panels);
    else
        sum_panel(part);
    return panels * panel;
}

/* Some places, every column. */
static void sum_part(float *results, const gig_pointwise *p, const float *data, size_t places)
{
    int wide = !p->narrow && gig_cpu_has_wide_vectors();
    size_t plane = p->places * LANES;
    for (size_t c = 0, done = 0; c < p->columns; c += done)
        for (size_t k = 0; k < p->depth; k += p->piece) {
            size_t depth = p->depth - k < p->piece ? p->depth - k : p->piece;
            gig_pointwise_part part = {.data = data + k / LANES * plane,
                                       .bias = p->bias && !k ? p->bias + c : NULL,
                                       .results = results + c / LANES * plane,
                                       .places = places,
                                       .depth = depth,
                                       .plane = plane,
                                       .add = k || p->add,
                                       .relu = p->relu && k + depth == p->depth};
            done = sum_columns(&part, p, c, k, wide);
        }
}

static void sum_picture(float *results, const gig_pointwise *p, const float *data)
{
    enum { NEAR = 256 << 10 }; /* bytes of data that stay in the cache while every column is summed from them */
    size_t most = NEAR / sizeof(float) / p->depth, first = 0;
    if (most < ROWS) most = ROWS;
    for (size_t parts = gig_size_divide_up(p->places, most); parts > 0; parts--) {
        size_t part = gig_size_divide_up(p->places - first, parts);
        sum_part(results + first * LANES, p, data + first * LANES, part);
        first += part;
    }
}

/* Between the places that the convolution reads, side by side in `near`, and all places in `far`. */
static void move_places(float *near, float *far, const gig_pointwise *p, size_t channels, int gather)
{
    for (size_t c = 0; c < channels; c += LANES, far += p->far[0] * p->far[1] * LANES)
        for (size_t y = 0; y < p->near[0]; y++)
            for (size_t x = 0; x < p->near[1]; x++, near += LANES) {
                float *at = far + (y * p->strides[0] * p->far[1] + x * p->strides[1]) * LANES;
                memcpy(gather ? near : at, gather ? at : near, LANES * sizeof *at);
            }
}

gig_status gig_call_pointwise(const gig_action *action, void *const *pointers)
{
    const gig_pointwise *p = action->self;
    int gather = has_gaps(p) && !p->backward, deal = has_gaps(p) && p->backward;
    float *results = pointers[0], *data = pointers[1], *scratch = gather || deal ? pointers[2] : NULL;
    size_t all = p->far[0] * p->far[1], read = p->depth * (gather ? all : p->places),
           written = p->columns * (deal ? all : p->places);
    for (size_t n = 0; n < p->batch; n++, results += written, data += read) {
        if (gather) move_places(scratch, data, p, p->depth, 1);
        sum_picture(deal ? scratch : results, p, gather ? scratch : data);
        if (!deal) continue;
        memset(results, 0, written * sizeof *results);
        move_places(scratch, results, p, p->columns, 0);
    }
    return GIG_OK;
}

#else

gig_status gig_call_pointwise(const gig_action *action, void *const *pointers)
{
    (void)action, (void)pointers;
    return gig_fail(GIG_EINTERNAL, "no such convolution on this CPU");
}

#endif
