/* SPDX-License-Identifier: Apache-2.0 */
#include "network/kernels/few_channels.h"
#include "network/kernels/avx2.h"

enum { LANES = 8, TILE = 4, LARGEST_KERNEL = 11 };

int gig_narrow_fits(const gig_geometry *g)
{
    if (g->rank != 4 || g->weights_rank != 4 || !gig_cpu_has_avx2()) return 0;
    if ((g->src[1] != 1 && g->src[1] != 3) || g->dst[1] % LANES) return 0;
    for (int i = 0; i < 2; i++)
        if (g->weights[2 + i] > LARGEST_KERNEL || g->dilates[i] || g->pad_begin[i] < 0) return 0;
    return 1;
}

void gig_narrow_pack(float *out, const gig_geometry *g, const float *weights)
{
    size_t channels = (size_t)g->src[1], taps = (size_t)(g->weights[2] * g->weights[3]);
    for (size_t o = 0; o < (size_t)g->dst[1]; o++)
        for (size_t c = 0; c < channels; c++)
            for (size_t k = 0; k < taps; k++)
                out[((o / LANES * taps + k) * channels + c) * LANES + o % LANES] =
                    weights[(o * channels + c) * taps + k];
}

#if defined(__x86_64__)

/* ---- results of one row whose columns leave the same remainder by the stride ---- */

typedef struct tap {
    int64_t column;  /* read for the first result */
    const float *at; /* of that column, in the first block of channels; may lie outside of the row */
    size_t weights;  /* floats from the block's first */
} tap;

typedef struct line {
    tap taps[LARGEST_KERNEL * LARGEST_KERNEL];
    size_t tap_count;
    int64_t first, last;  /* results from `first` to before `last` read only inside of the row */
    int64_t count, width; /* results; columns of a row of dY */
    size_t blocks, plane; /* of dY; floats of a block of it */
    size_t block_weights; /* floats */
    const float *weights;
    float *out;             /* the first result of channel 0 */
    size_t step, out_plane; /* floats between results, and between channels */
} line;

/* The sums of the lanes of four registers. */
GIG_AVX2_INLINE __m128 add_lanes(const __m256 v[TILE])
{
    __m256 sums = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
    return _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
}

GIG_AVX2_INLINE void put(const line *l, int64_t u, size_t channel, const __m256 v[TILE], int wide)
{
    float sums[TILE], *out = l->out + channel * l->out_plane + (size_t)u * l->step;
    _mm_storeu_ps(sums, add_lanes(v));
    for (int t = 0; t < wide; t++) out[(size_t)t * l->step] = sums[t];
}

/* Results u .. u + wide. Where some may read outside of the row, wide is 1. */
GIG_AVX2_INLINE void tile(int channels, int wide, const line *l, int64_t u)
{
    __m256 sum[3][TILE];
    for (int c = 0; c < channels; c++)
        for (int t = 0; t < TILE; t++) sum[c][t] = _mm256_setzero_ps();
    const float *weights = l->weights;
    size_t plane = (size_t)u * LANES;
    for (size_t b = 0; b < l->blocks; b++, plane += l->plane, weights += l->block_weights)
        for (size_t k = 0; k < l->tap_count; k++) {
            const tap *p = &l->taps[k];
            if (wide == 1 && (p->column + u < 0 || p->column + u >= l->width)) continue;
            const float *at = p->at + plane;
            __m256 w[3];
            for (int c = 0; c < channels; c++) w[c] = _mm256_loadu_ps(weights + p->weights + c * LANES);
            for (int t = 0; t < wide; t++) {
                __m256 value = _mm256_loadu_ps(at + t * LANES);
                for (int c = 0; c < channels; c++) sum[c][t] = _mm256_fmadd_ps(w[c], value, sum[c][t]);
            }
        }
    for (int c = 0; c < channels; c++) put(l, u, (size_t)c, sum[c], wide);
}

GIG_AVX2_INLINE void tiles(int channels, const line *l)
{
    int64_t u = 0;
    for (; u < l->first; u++) tile(channels, 1, l, u);
    for (; u + TILE <= l->last; u += TILE) tile(channels, TILE, l, u);
    for (; u < l->count; u++) tile(channels, 1, l, u);
}

GIG_AVX2 static void run_line(int64_t channels, const line *l)
{
    if (channels == 1)
        tiles(1, l);
    else
        tiles(3, l);
}

/* ---- rows ---- */

/* Where the results at `at`, `at` + stride, ... read through tap k along an axis: *out for the first. 0: between two
 * places, so nowhere. */
static int reads_at(int64_t *out, const gig_geometry *g, int axis, int64_t at, int64_t k)
{
    int64_t scaled = at + g->pad_begin[axis] - k;
    *out = scaled / g->strides[axis];
    return scaled % g->strides[axis] == 0;
}

/* Taps of the results (y, phase), (y, phase + stride), ...; picture: one picture's dY. */
static void list_taps(line *l, const gig_geometry *g, const float *picture, int64_t y, int64_t phase)
{
    int64_t low = 0, high = 0, row, column;
    l->tap_count = 0;
    for (int64_t ky = 0; ky < g->weights[2]; ky++) {
        if (!reads_at(&row, g, 0, y, ky) || row < 0 || row >= g->dst[2]) continue;
        for (int64_t kx = 0; kx < g->weights[3]; kx++) {
            if (!reads_at(&column, g, 1, phase, kx)) continue;
            if (column < low) low = column;
            if (column > high) high = column;
            l->taps[l->tap_count++] = (tap){column, picture + (row * l->width + column) * LANES,
                                            (size_t)((ky * g->weights[3] + kx) * g->src[1]) * LANES};
        }
    }
    l->count = (g->src[3] - phase + g->strides[1] - 1) / g->strides[1];
    l->first = -low < l->count ? -low : l->count;
    l->last = l->width - high < l->count ? l->width - high : l->count;
}

gig_status gig_call_narrow(const gig_action *action, void *const *pointers)
{
    const gig_narrow *self = action->self;
    const gig_geometry *g = self->g;
    size_t out_plane = (size_t)(g->src[2] * g->src[3]), channels = (size_t)g->src[1];
    line l = {.width = g->dst[3],
              .blocks = (size_t)g->dst[1] / LANES,
              .plane = (size_t)(g->dst[2] * g->dst[3]) * LANES,
              .block_weights = (size_t)(g->weights[2] * g->weights[3]) * channels * LANES,
              .weights = self->weights,
              .step = (size_t)g->strides[1],
              .out_plane = out_plane};
    for (int64_t n = 0; n < g->src[0]; n++)
        for (int64_t y = 0; y < g->src[2]; y++)
            for (int64_t phase = 0; phase < g->strides[1] && phase < g->src[3]; phase++) {
                list_taps(&l, g, (const float *)pointers[0] + (size_t)n * l.blocks * l.plane, y, phase);
                l.out = (float *)pointers[1] + (size_t)n * channels * out_plane + (size_t)(y * g->src[3] + phase);
                run_line(g->src[1], &l);
            }
    return GIG_OK;
}

#else

gig_status gig_call_narrow(const gig_action *action, void *const *pointers)
{
    (void)action, (void)pointers;
    return gig_fail(GIG_EINTERNAL, "no such convolution on this CPU");
}

#endif

/* ---- as an action of a plan ---- */

int gig_narrow_takes(const gig_plan *plan, const gig_geometry *g, const gig_layout *dst)
{
    return plan->options->operator_threads <= 1 && dst->type == GIG_NUMBER_F32 && dst->channel_block == LANES &&
           gig_narrow_fits(g);
}

gig_status gig_narrow_emit(gig_plan *plan, const gig_step *step, const gig_geometry *g)
{
    int from = plan->ops[step->op].node->inputs[0];
    gig_narrow *self = gig_plan_alloc(plan, 1, sizeof *self);
    float *weights = gig_plan_alloc(plan, gig_tensor_count(&step->weights), sizeof *weights);
    const gig_layout *plain;
    gig_place diff_src;
    gig_action *action;
    if (!self || !weights) return gig_alloc_status();
    GIG_TRY(gig_layout_dense(&plain, plan->engine, g->rank, g->src));
    gig_narrow_pack(weights, g, step->weights.real);
    *self = (gig_narrow){g, weights, &step->weights};
    GIG_TRY(gig_plan_diff_begin(&diff_src, plan, from, plain));
    GIG_TRY(gig_plan_call(&action, plan, "Conv", gig_call_narrow, 0));
    action->self = self;
    action->flops = g->flops;
    gig_action_place(action, plan->cells[step->out].diff);
    gig_action_place(action, diff_src);
    return gig_plan_diff_end(plan, from, plain, diff_src);
}
